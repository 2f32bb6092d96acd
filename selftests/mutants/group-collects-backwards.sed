# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: collect
# breaks: Jobs are not collected in the order in which they ended.
s/list_add_tail(&kpool_job_of(item)->group_node, &group->ended)/list_add(\&kpool_job_of(item)->group_node, \&group->ended)/
