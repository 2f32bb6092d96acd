# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: own_pool
# breaks: A worker that sleeps in worker_init is hoped for.
/^static bool kpool_has_free_worker/,/^}/s/ + pool->nr_nested_callbacks;/;/
