# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: overflow
# breaks: A newcomer displaces an item above it.
s/line >= kpool_line_of(pool, newcomer); line--/line >= \&pool->lines[KPOOL_RANK_HIGH]; line--/
