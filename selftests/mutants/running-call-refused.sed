# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: deadlock
# breaks: A caller whose function runs is refused.
/^static void kpool_nest/,/^}/s/if (waiter->kind == KPOOL_WAIT_CALL \&\&/if (0 \&\& waiter->kind == KPOOL_WAIT_CALL \&\&/
/^void kpool_move_waiters/,/^}/s/if (first->kind == KPOOL_WAIT_CALL \&\&/if (0 \&\& first->kind == KPOOL_WAIT_CALL \&\&/
