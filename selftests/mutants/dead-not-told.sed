# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: stock
# tests: oops
# breaks: A flush for a dead item is told 0.
/^static void kpool_lose_flushers/,/^}/s/waiter->lost = true;/waiter->lost = false;/
