# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# breaks: A worker that may have gone meanwhile is woken.
/^static inline void kpool_unlock_wake(/,/^}/{
	s/kpool_unlock_and_wake(pool, task);/raw_spin_unlock_irqrestore(\&pool->lock, flags);/
	s/local_irq_restore(flags);/if (task)\n\t\twake_up_process(task);/
}
