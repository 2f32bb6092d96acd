# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: item
# breaks: Who waits for a pending item is forgotten when it starts.
/^static void kpool_begin/,/^}/{
/item->watched/d
/kpool_move_waiters/d
}
