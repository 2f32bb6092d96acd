# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# breaks: A worker that may have gone meanwhile is woken.
/^static inline void kpool_unlock(/,/^}/{
	/preempt_disable();/d
	/preempt_enable();/d
	/local_irq_restore(flags);/d
	s/raw_spin_unlock(&pool->lock);/raw_spin_unlock_irqrestore(\&pool->lock, flags);/
}
/^static inline void kpool_unlock_irq(/,/^}/{
	/preempt_disable();/d
	/preempt_enable();/d
	/local_irq_enable();/d
	s/raw_spin_unlock(&pool->lock);/raw_spin_unlock_irq(\&pool->lock);/
}
