# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: The last worker is reaped and those who wait for that sleep on.
/^void kpool_purge_work/,/^}/s/kpool_unlock_irq(pool);/raw_spin_unlock_irq(\&pool->lock);/
