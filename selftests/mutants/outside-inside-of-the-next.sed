# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: uml
# tests: oops_submitter
# breaks: A run whose worker has died in it is taken to sleep where the next worker does, which has its memory.
/^static void kpool_bury(/,/^}/s/kpool_run_forget_outer(pool, run, task);/;/
