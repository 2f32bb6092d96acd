# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# breaks: An aborted pool runs what its runner held.
/^void kpool_unhold/,/^}/s/if (pool->aborted)/if (0)/
