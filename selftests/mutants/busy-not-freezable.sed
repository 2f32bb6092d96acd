# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: stock
# tests: freezer
# breaks: A worker of a freezable pool does not freeze between two items.
s/unlikely(pool->made.flags & KPOOL_FREEZABLE)/unlikely(pool->made.flags \& 0)/
