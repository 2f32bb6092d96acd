# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: regress
# breaks: Threads being made are not counted.
/^static bool kpool_may_grow/,/^}/s/ + pool->nr_spawning//
s/^static bool kpool_may_grow(/static __maybe_unused bool kpool_may_grow(/
/^static bool kpool_may_grow/,/^}/s/pool->nr_workers <$/pool->nr_workers - 1 </
