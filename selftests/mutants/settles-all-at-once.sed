# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: stock
# tests: holds
# breaks: The lock is held while all waiters of a pool are woken.
s/^#define KPOOL_SETTLE_BATCH	4$/#define KPOOL_SETTLE_BATCH	4000/
