# SPDX-License-Identifier: GPL-2.0-only
# file: outside.c
# kernel: uml
# tests: item
# breaks: cancel_wait returns while the owner's dropped function runs.
s/list_add(&outside->node, &pool->outside);/if (!runs)\n\t\tINIT_LIST_HEAD(\&outside->node);\n\telse\n\t\tlist_add(\&outside->node, \&pool->outside);/
