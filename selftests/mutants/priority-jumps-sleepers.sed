# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml
# tests: priority
# breaks: A sleeping submitter with a high item is served first.
/^static int kpool_block/,/^}/s/list_add_tail(&item->node, &pool->blocked);/if (item->flags \& __KPOOL_HIGH)\n\t\tlist_add(\&item->node, \&pool->blocked);\n\telse\n\t\tlist_add_tail(\&item->node, \&pool->blocked);/
