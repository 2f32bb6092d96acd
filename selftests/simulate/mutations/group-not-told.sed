# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# breaks: A job taken back still counts in its group.
/^bool kpool_do_cancel/,/^}/s/^\tif (group)/\tif (0)/
