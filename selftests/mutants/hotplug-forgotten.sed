# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: stock
# tests: tune
# breaks: A mask lost to hotplug stays lost.
/^static int kpool_cpu_online/,/^}/s/kpool_sched_restore(pool);/;/
