# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: overflow
# breaks: An item is given up although that makes no room.
s/!list_empty(&pool->blocked) || !kpool_lacks_one_place(pool))/!list_empty(\&pool->blocked))/
