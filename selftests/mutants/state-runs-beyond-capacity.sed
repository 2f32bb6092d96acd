# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: state
# breaks: A worker that was in worker_init while the pool shrank enters the books all the same.
/^bool kpool_enter_worker/,/^}/s/if (pool->nr_workers >= (unsigned int)pool->attrs.capacity)/if (0)/
