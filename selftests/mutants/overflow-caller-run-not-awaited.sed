# SPDX-License-Identifier: GPL-2.0-only
# file: outside.c
# kernel: uml
# tests: overflow
# breaks: Who waits for an item does not wait for the run by its submitter.
s/list_add(&outside->node, &pool->outside);/if (runs)\n\t\tINIT_LIST_HEAD(\&outside->node);\n\telse\n\t\tlist_add(\&outside->node, \&pool->outside);/
