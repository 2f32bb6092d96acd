# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml-debug
# tests: group
# breaks: A job that runs stays on the list of the pending, and frees itself.
/^struct kpool_group \*kpool_group_begin/,/^}/s/list_del(&job->group_node);/if (!(group->flags \& KPOOL_GROUP_COLLECT))\n\t\treturn group;\n\tlist_del(\&job->group_node);/
