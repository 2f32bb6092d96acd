# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: nested
# breaks: A child of a cancelled group goes on accepting jobs.
/^bool kpool_group_is_cancelled/,/^}/s/group = group->parent/group = NULL/
