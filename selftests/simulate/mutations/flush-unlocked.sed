# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# breaks: Between counting what is there and waiting for it the lock is dropped.
/^int kpool_flush/,/^}/s/^\t\tkpool_add_flusher(pool, &waiter);/\t\traw_spin_unlock_irqrestore(\&pool->lock, flags);\n\t\traw_spin_lock_irqsave(\&pool->lock, flags);\n&/
