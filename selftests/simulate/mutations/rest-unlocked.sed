# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# breaks: Between a look at the pool and falling asleep for its end the lock is dropped.
/^int kpool_wait_rest/,/^}/s/^\t\tlist_add_tail(&waiter.node, &pool->closers);/\t\traw_spin_unlock_irqrestore(\&pool->lock, flags);\n\t\traw_spin_lock_irqsave(\&pool->lock, flags);\n&/
