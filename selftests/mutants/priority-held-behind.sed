# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: priority rerun
# breaks: An item whose turn had come goes to the end of its line.
/kpool_push_front(/,/^}/s/list_add_tail(&item->node, &later->node);/list_add_tail(\&item->node, kpool_line_of(pool, item));/
