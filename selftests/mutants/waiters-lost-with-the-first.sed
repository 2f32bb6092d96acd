# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: deadlock
# breaks: The first of those that wait for a pending item leaves, and the others are never woken.
/^static void kpool_withdraw/,/^}/s/list_splice_init(others, &next->pending.waiters);/;/
