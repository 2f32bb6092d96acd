# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml-time
# tests: edges
# breaks: The end of a run gives back the units of the next.
s/unsigned int extra = run->units - 1;/unsigned int extra = min(run->units, kpool_units(pool, item)) - 1;/
