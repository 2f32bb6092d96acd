# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: state
# breaks: A worker_init that fails is tried again every 100 ms for ever.
s/pool->spawn_pause = min(2 \* pool->spawn_pause,/pool->spawn_pause = min(pool->spawn_pause,/
