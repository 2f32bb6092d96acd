# SPDX-License-Identifier: GPL-2.0-only
# file: leak.c
# kernel: uml-time
# tests: report
# breaks: Of several preemption counts that an item leaves, one is taken back.
s/preempt_count_set(0);/if (count) preempt_count_set(count - 1);/
