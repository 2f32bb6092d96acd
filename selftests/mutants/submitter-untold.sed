# SPDX-License-Identifier: GPL-2.0-only
# file: run.c
# kernel: stock
# tests: oops_submitter
# breaks: Who waits for what a dead submitter ran is told that it has ended well.
/^void kpool_ext_run_end/,/^}/s/&run->waiters, run->dead);/\&run->waiters, false);/
