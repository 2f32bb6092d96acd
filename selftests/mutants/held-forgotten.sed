# SPDX-License-Identifier: GPL-2.0-only
# file: run.c
# kernel: uml
# tests: rerun
# breaks: An item submitted while it runs never starts.
/^void kpool_run_release/,/^}/s/if (held)/if (0)/
