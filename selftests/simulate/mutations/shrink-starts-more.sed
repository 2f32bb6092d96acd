# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# breaks: A start needs no free units.
/^struct kpool_item \*kpool_choose/,/^}/{
s/ || !kpool_free_units(pool)//
s/return item && kpool_units(pool, item) <= kpool_free_units(pool) ?/return item ?/
}
