# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: weight
# breaks: A heavy item starts as soon as one unit is free.
/^struct kpool_item \*kpool_choose/,/^}/s/item \&\& kpool_units(pool, item) <= kpool_free_units(pool)/item/
