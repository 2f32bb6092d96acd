# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: own_pool
# breaks: An item waits for a worker_init that hangs, though other workers could be made.
/^void kpool_late_work/,/^}/s/pool->nr_late++;/;/
