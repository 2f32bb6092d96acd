# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: deadlock
# breaks: The last running item falls asleep and nobody looks.
/^int kpool_wait(/,/^}/s/kpool_unlock_irq(pool);/raw_spin_unlock_irq(\&pool->lock);/
