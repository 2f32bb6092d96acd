# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: rerun
# breaks: An item submitted while it runs never starts.
/^void kpool_odd_end/,/^}/s/if (worker->held)/if (0)/
