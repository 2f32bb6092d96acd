# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: deadlock ants
# breaks: A worker that finds more than it can take sends nobody: capacity items that wait for each other hang.
s/kpool_unlock_wake_irq(pool, kpool_rouse(pool));/kpool_unlock_wake_irq(pool, NULL);/
