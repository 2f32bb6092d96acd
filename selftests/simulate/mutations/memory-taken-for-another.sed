# SPDX-License-Identifier: GPL-2.0-only
# file: outside.c
# kernel: uml
# tests: overflow
# breaks: A new item in the memory of one that its submitter runs is taken for that.
/^struct kpool_outside \*kpool_outside_run_of/,/^}/s/if (item->worker != &kpool_nobody)/if (0)/
