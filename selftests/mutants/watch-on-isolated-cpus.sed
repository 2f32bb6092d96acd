# SPDX-License-Identifier: GPL-2.0-only
# file: watch.c
# kernel: stock
# tests: isolated
# breaks: The watch runs on CPUs that the scheduler leaves alone.
s/housekeeping_cpumask(HK_TYPE_DOMAIN)/cpu_possible_mask/
