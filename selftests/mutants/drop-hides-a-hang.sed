# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: together
# breaks: A hang is not seen when what was to be dropped has been.
/^void kpool_drop_work/,/^}/s/kpool_unlock_irq(pool);/raw_spin_unlock_irq(\&pool->lock);/
