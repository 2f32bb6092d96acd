# SPDX-License-Identifier: GPL-2.0-only
# file: leak.c
# kernel: uml-time
# tests: report
# breaks: Of several RCU sections that an item leaves open, one is closed.
s/while (rcu_preempt_depth() > 0)/if (rcu_preempt_depth() > 0)/
