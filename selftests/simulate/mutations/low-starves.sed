# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# breaks: Items of low priority never have their turn.
s/#define KPOOL_MAX_PASSED\t15/#define KPOOL_MAX_PASSED\t150/
