# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# breaks: A heavy item gives back one unit only.
/^bool kpool_odd_end/,/^}/s/^\tpool->used -= extra;//
