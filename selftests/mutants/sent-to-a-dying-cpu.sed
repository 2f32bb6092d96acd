# SPDX-License-Identifier: GPL-2.0-only
# file: attrs.c
# kernel: stock
# tests: hotplug
# breaks: A worker goes on outside of its mask, and on PREEMPT_RT the kernel warns of it.
s/if (!cpu_dying(cpu))/if (1)/
