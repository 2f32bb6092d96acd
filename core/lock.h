/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one way out of pool->lock: see lock.c.
 */
#ifndef _KPOOL_LOCK_H
#define _KPOOL_LOCK_H

#include "internal.h"
#include "queue.h"

/* See that a worker looks at the line if it can do something: the one to wake. */
static inline struct task_struct *kpool_kick(struct kpool *pool)
{
	if (pool->mgr.nr_waking || !kpool_has_work(pool) ||
	    !kpool_prepare_start(pool))
		return NULL;
	return kpool_pick_worker(pool);
}

/*
 * The way out of the lock, wherever something has been changed under it: no
 * submitter sleeps for whom there is room, no wait goes on that has ended or can
 * never end, a closed pool without work ends, and a worker is on its way if it
 * can do something.  Only what concerns more than a few is left to the recheck work.
 *
 * The worker is woken after the lock has been dropped, with interrupts off, for
 * two reasons.  A caller preempted here would keep the pool waiting for it.  And
 * the worker may wake by itself, run, exit and be reaped before we get to wake
 * it: with interrupts off this is an RCU read section that began while the task
 * was in the books, which keeps the task's memory in place.  Litmus:
 * wake-vs-reap.  The woken one may be to run here: enabling preemption last lets
 * it, which enabling interrupts alone would not.
 */
static inline void kpool_unlock(struct kpool *pool, unsigned long flags)
{
	struct task_struct *task;

	if (unlikely(pool->nr_recheck))
		kpool_recheck_some(pool);
	task = kpool_kick(pool);
	if (!task) {
		raw_spin_unlock_irqrestore(&pool->lock, flags);
		return;
	}
	preempt_disable();
	raw_spin_unlock(&pool->lock);
	wake_up_process(task);
	local_irq_restore(flags);
	preempt_enable();
}

/* kpool_unlock() where interrupts were on. */
static inline void kpool_unlock_irq(struct kpool *pool)
{
	struct task_struct *task;

	if (unlikely(pool->nr_recheck))
		kpool_recheck_some(pool);
	task = kpool_kick(pool);
	if (!task) {
		raw_spin_unlock_irq(&pool->lock);
		return;
	}
	preempt_disable();
	raw_spin_unlock(&pool->lock);
	wake_up_process(task);
	local_irq_enable();
	preempt_enable();
}

#endif /* _KPOOL_LOCK_H */
