# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# breaks: Of several who wait for the same, only the first is woken.
/^void kpool_serve_list/,/^}/s/list_splice_tail_init(waiters, /if (!list_empty(waiters))\n\t\tlist_move_tail(waiters->next, /
