# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml-debug
# tests: nested
# breaks: A group that has ended stays on the list of its parent.
/^static void kpool_group_remove_member/,/^}/s/list_del_init(&group->sibling);/;/
