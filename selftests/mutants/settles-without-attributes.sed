# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: tune
# breaks: A new worker keeps the scheduling that it was born with.
/^static void kpool_settle_in/,/^}/s/kpool_sched_apply(pool, current);/;/
