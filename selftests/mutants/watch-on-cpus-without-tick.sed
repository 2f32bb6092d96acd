# SPDX-License-Identifier: GPL-2.0-only
# file: watch.c
# kernel: stock
# tests: nohz_full
# breaks: The watch runs on CPUs that have no tick.
s/housekeeping_cpumask(HK_TYPE_TIMER)/cpu_possible_mask/
