# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# kernel: kcsan
# tests: races
# breaks: The compiler may read an item's home twice, and look up one pool and give up another.
s/u32 id = READ_ONCE(item->home);/u32 id = item->home;/
