# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: stock
# tests: oops_submitter
# breaks: A call whose caller ran it and died keeps its argument and the pool.
/^static void kpool_bury_submitter/,/^}/s/if (call)/if (0)/
