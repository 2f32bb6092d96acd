# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: weight
# breaks: A heavy item starts as soon as one unit is free.
/^static bool kpool_has_line_work/,/^}/s/kpool_units(pool, item) <= kpool_free_units(pool)/true/
