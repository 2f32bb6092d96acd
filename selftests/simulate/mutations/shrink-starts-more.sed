# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# breaks: A start needs no free units.
/^static bool kpool_has_line_work/,/^}/{
s/!kpool_free_units(pool))/0)/
s/kpool_units(pool, item) <= kpool_free_units(pool)/true/
}
