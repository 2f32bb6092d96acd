/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Releasing pool->lock after a change of the pool: see lock.c.
 */
#ifndef _KPOOL_LOCK_H
#define _KPOOL_LOCK_H

#include "internal.h"
#include "queue.h"

/*
 * Pick an idle worker to wake if an item can start and no worker is waking
 * already.  Returns its task, which the caller wakes after unlocking, or NULL.
 * Called with pool->lock held.
 */
static inline struct task_struct *kpool_kick(struct kpool *pool)
{
	if (pool->mgr.nr_waking || !kpool_has_work(pool) ||
	    !kpool_prepare_start(pool))
		return NULL;
	return kpool_pick_worker(pool);
}

/*
 * Re-establish the pool's invariants and release pool->lock.  Call this after
 * any change that can free room, end a wait or make an item runnable.
 *
 * The worker is woken after unlocking, so that it does not spin on the lock,
 * and with interrupts off, for two reasons.  First, a caller preempted before
 * the wakeup would delay the pool.  Second, the worker can wake by itself, exit
 * and be reaped before this wakeup.  With interrupts off this is an RCU
 * read-side critical section that began while the worker was accounted, so the
 * task cannot be freed.  Litmus: wake-vs-reap.
 *
 * Preemption is enabled last, because that lets the woken worker preempt this
 * task on its CPU; enabling interrupts would not.
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

/* Like kpool_unlock(), where interrupts were on before the lock was taken. */
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
