# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: wake
# breaks: An item waits although its pool may make a thread again.
/^void kpool_purge_work/,/^}/s/^\tkpool_spawn_if_needed(pool);//
/^void kpool_purge_work/,/^}/s/kpool_unlock_irq(pool)/raw_spin_unlock_irq(\&pool->lock)/
