# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# kernel: uml-debug
# tests: rerun
# breaks: An item whose pool is gone finds freed memory.
s/cmpxchg(&item->home, gone, kpool_limbo.id) == gone/item->home == kpool_limbo.id/
