# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# breaks: What is set aside makes room that nobody is let into.
/^struct kpool_item \*kpool_next_eligible/,/^}/s/^\t\t\tkpool_admit_blocked(pool);//
