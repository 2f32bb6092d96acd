# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# breaks: An item makes room that is not enough, or not needed.
/^bool kpool_displace/,/^}/s/ || !kpool_lacks_one_place(pool))/)/
