# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: own_pool
# breaks: A worker_init that waits for what it holds up is not seen to sleep.
/^static void kpool_nest/,/^}/s/if (!run \&\& worker)/if (0)/
