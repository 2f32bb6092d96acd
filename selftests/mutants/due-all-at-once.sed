# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: stock
# tests: holds
# breaks: The lock is held while all delayed jobs that are due come in.
s/^#define KPOOL_DUE_BATCH		*8$/#define KPOOL_DUE_BATCH	8000/
