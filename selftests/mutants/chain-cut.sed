# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: deadlock ants
# breaks: A worker that finds more than it can take sends nobody: capacity items that wait for each other hang.
/^static __always_inline void kpool_run_item/,/^}/s/^\tkpool_unlock_irq(pool);/\tif (pool->nr_concerned)\n\t\tkpool_settle_some(pool);\n\traw_spin_unlock_irq(\&pool->lock);/
