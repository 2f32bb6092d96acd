# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: own_pool
# breaks: Beside a worker_init that sleeps, an item that goes on is taken for asleep.
/^static bool kpool_has_active_run/,/^}/{
	s/pool->nr_ext_threads +$/pool->nr_ext_threads;/
	/pool->nr_nested_callbacks;/d
}
