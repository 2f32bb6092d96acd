# SPDX-License-Identifier: GPL-2.0-only
# file: watch.c
# kernel: stock
# tests: oops_submitter
# breaks: A death outside of the workers is noticed only while a worker runs something.
/^void kpool_watch_work/,/^}/s/ || pool->nr_ext_runs//
