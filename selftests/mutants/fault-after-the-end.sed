# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: fault
# breaks: The handler is told after who waits for the item.
/ void kpool_run_item(/,/^}/{
s/if (unlikely(err))/if (0)/
s/^\tkpool_end(worker, err, 0);/&\n\tif (err) {\n\t\traw_spin_unlock_irq(\&pool->lock);\n\t\tkpool_failed(worker, item, err);\n\t\traw_spin_lock_irq(\&pool->lock);\n\t}/
}
