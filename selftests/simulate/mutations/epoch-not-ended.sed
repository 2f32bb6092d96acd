# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# breaks: kpool_flush() does not tell those that come later from those before.
/^int kpool_flush/,/^}/s/^\t\tpool->epoch++;//
