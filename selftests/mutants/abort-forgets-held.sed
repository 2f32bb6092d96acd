# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: rerun item
# breaks: An item that a runner holds starts in an aborted pool.
/^void kpool_unhold/,/^}/s/if (pool->aborted)/if (0)/
