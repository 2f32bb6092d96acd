# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: stock
# tests: oops
# breaks: A warm worker that died stays away.
/^bool kpool_lose_worker/,/^}/s/if (kpool_should_spawn(pool))/if (0)/
