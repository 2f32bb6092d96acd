# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: together
# breaks: Who falls asleep in kpool does not wake the worker that what was done before needs.
/^int kpool_wait(/,/^}/s/kpool_unlock_irq(pool);/kpool_settle_some(pool);\n\traw_spin_unlock_irq(\&pool->lock);/
