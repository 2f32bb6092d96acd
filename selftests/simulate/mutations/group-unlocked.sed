# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# breaks: Between a look at the group and falling asleep for it the lock is dropped.
/^static int kpool_group_sleep/,/^}/s/^\tlist_add_tail(&waiter.node,/\traw_spin_unlock_irq(\&pool->lock);\n\traw_spin_lock_irq(\&pool->lock);\n&/
