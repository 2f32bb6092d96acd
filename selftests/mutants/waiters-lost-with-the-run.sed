# SPDX-License-Identifier: GPL-2.0-only
# file: run.c
# kernel: uml-time
# tests: item rerun
# breaks: A run ends, and the waiters for its item, pending again, are forgotten.
/^void kpool_run_release/,/^}/s/if (!list_empty(&run->next_waiters)) {/if (0) {/
