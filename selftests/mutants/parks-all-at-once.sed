# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: stock
# tests: holds
# breaks: The lock is held while all jobs behind their stream are put aside.
s/^#define KPOOL_PARK_BATCH	8$/#define KPOOL_PARK_BATCH	8000/
