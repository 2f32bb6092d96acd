# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: weight
# breaks: A heavy item starts as soon as one unit is free.
/^bool kpool_has_special_work/,/^}/s/kpool_units(pool, item) <= kpool_free_units(pool)/true/
