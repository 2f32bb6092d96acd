# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: nested
# breaks: A parent does not hear of its children's errors.
/^static void kpool_group_fails/,/^}/s/group = group->parent/group = NULL/
