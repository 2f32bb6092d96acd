# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: stock
# tests: oops_submitter
# breaks: The books of a run by its submitter go down with the submitter's stack.
s/outside = kpool_outside_keep(pool, &here);/outside = \&here;/
