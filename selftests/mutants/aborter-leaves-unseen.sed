# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: hope
# breaks: Nobody looks for a hang when an aborter leaves.
/^unsigned long kpool_abort/,/^}/s/kpool_unlock_irq(pool);/raw_spin_unlock_irq(\&pool->lock);/
