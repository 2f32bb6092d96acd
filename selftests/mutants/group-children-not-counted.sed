# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: nested
# breaks: A group does not wait for its children.
/^static void kpool_group_get/,/^}/s/group = group->parent/group = NULL/
/^static void kpool_group_put/,/^}/s/group = group->parent/group = NULL/
