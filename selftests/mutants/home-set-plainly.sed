# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: kcsan
# tests: races
# breaks: The compiler may write an item's home in pieces, or before the item is at rest.
s/smp_store_release(&item->home, pool->id);/item->home = pool->id;/
