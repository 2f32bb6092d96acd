# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: stock
# tests: oops
# breaks: A release or destroy that a worker has died under is told 0.
/^static void kpool_lose_others/,/^}/s/list_splice_tail_init(&pool->closers, &pool->lost_closers);/;/
