# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# breaks: Blocked submitters are served newest first.
/^static int kpool_block/,/^}/s/list_add_tail(&item->node/list_add(\&item->node/
