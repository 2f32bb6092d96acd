# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: collect
# breaks: A job is submitted again before it has been collected.
/^struct kpool_group \*kpool_group_begin/,/^}/s/group->flags & KPOOL_GROUP_COLLECT/0/
