# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: own_pool
# breaks: Where no worker_init returns, the pool makes a worker each 100 ms.
/^static unsigned long kpool_late_at/,/^}/s/min(pool->nr_late, KPOOL_MAX_LATE_SHIFT)/0/
