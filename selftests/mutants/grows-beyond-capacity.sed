# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: regress
# breaks: Threads are made beyond capacity.
/^static bool kpool_may_grow/,/^}/s/pool->nr_workers + pool->nr_spawning </pool->nr_workers <=/
/^static bool kpool_enter_worker/,/^}/s/pool->nr_workers >= /pool->nr_workers > /
