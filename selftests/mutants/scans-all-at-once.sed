# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: stock
# tests: holds
# breaks: The lock is held while all items are looked at for those of a module that goes.
s/^#define KPOOL_SCAN_BATCH	32$/#define KPOOL_SCAN_BATCH	32000/
