# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# breaks: A worker that finds more than it can take wakes nobody.
/^static void kpool_run_item/,/^}/s/kpool_unlock_wake_irq(pool, kpool_rouse(pool));/kpool_unlock_wake_irq(pool, NULL);/
