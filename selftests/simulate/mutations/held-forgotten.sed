# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# breaks: An item submitted while it runs never starts.
/^void kpool_odd_end/,/^}/s/^\tif (worker->held)/\tif (0)/
