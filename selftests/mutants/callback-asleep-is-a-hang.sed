# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: own_pool
# breaks: A worker_init that waits for what another worker will do is refused.
/^static bool kpool_has_free_worker/,/^}/s/return most >/return 0 \&\& most >/
