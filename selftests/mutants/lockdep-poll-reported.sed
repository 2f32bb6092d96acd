# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml-debug
# tests: lock_order
# breaks: Asking a group without waiting is taken for a wait.
/^static int __kpool_group_wait(/,/^}/{/if (timeout)/d}
