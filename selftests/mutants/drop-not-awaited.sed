# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: item
# breaks: cancel_wait returns while the owner's dropped function runs.
s/list_add(&drop.node, &pool->drops);/INIT_LIST_HEAD(\&drop.node);/
