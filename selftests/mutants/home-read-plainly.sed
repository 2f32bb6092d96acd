# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# kernel: kcsan
# tests: races
# breaks: The compiler may read an item's home twice, and compare one pool with another.
s/READ_ONCE(item->home)/item->home/
