# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-debug
# tests: rerun
# breaks: The stale worker pointer of an item is followed.
/^static void kpool_reap/,/^}/{
s/list_add(&worker->node, &pool->spare);/;/
s/^\traw_spin_unlock_irq(&pool->lock);/&\n\tkfree(worker);/
}
