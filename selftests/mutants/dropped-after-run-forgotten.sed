# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: group rerun
# breaks: An item doomed while it ran is never dropped.
/^void kpool_odd_end/,/^}/s/if (pool->nr_doomed)/if (0)/
