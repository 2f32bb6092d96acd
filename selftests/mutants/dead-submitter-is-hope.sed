# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: uml
# tests: oops_submitter
# breaks: A handler that waits for a dead submitter, which is dealt with after it, hangs.
/^static struct kpool_run \*kpool_find_dead_run/,/^}/s/kpool_mark_dead(pool, run);/;/
