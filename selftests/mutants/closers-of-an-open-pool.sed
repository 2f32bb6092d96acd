# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml
# tests: regress
# breaks: Who waits for the last worker sleeps on a pool that was opened again.
s/if (pool->closed && !kpool_rests(pool))/if (!(pool->closed \&\& kpool_rests(pool)))/
