# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: overflow
# breaks: Errors of items that their submitters run are not counted.
/^static void kpool_count_caller_run/,/^}/s/if (err)/if (0)/
