# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: fault
# breaks: Items that failed are not counted.
/ void kpool_failed(/,/^}/s/pool->stats.failed += !worker->run.result;/;/
