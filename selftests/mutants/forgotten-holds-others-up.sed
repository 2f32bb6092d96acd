# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: uml
# tests: forgotten
# breaks: The whole default pool is looked through under one hold of its lock.
s/^#define KPOOL_SCAN_BATCH.*/#define KPOOL_SCAN_BATCH 10000000/
