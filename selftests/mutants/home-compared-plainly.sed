# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# kernel: kcsan
# tests: races
# breaks: The compiler may take an item's home for what it was before the lock.
s/READ_ONCE(item->home) == home->id/item->home == home->id/
