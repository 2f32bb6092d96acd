// SPDX-License-Identifier: GPL-2.0-only
/*
 * Releasing pool->lock re-establishes the invariants of the pool:
 *
 *   admission   no submitter sleeps while there is room for its item
 *   waiters     no waiter sleeps whose wait has ended, or can never end
 *   drain       a drained closed pool has completed its drain waiters; a closed
 *               pool without pending items is retiring its idle workers
 *   progress    if an item can start, a worker is awake or being created
 *
 * A path that changes pool state need not know which of them it breaks.  While
 * pool->nr_recheck is 0, it can break only the last one.
 *
 * Completing a waiter wakes a task, and many can wait for one event.  To bound
 * the time under the lock, kpool_unlock() handles one batch and recheck_work
 * the rest.  Between two batches no submitter overtakes one that can be
 * admitted, and no waiter fails with -EDEADLK while another can be completed.
 */
#include <linux/workqueue.h>

#include "internal.h"
#include "lock.h"
#include "queue.h"

/*
 * Fail one waiter with -EDEADLK if nothing in the pool can make progress.
 * Return false if there is none.
 */
static bool kpool_break_deadlock(struct kpool *pool)
{
	struct kpool_waiter *waiter = kpool_find_deadlocked(pool);

	if (!waiter)
		return false;
	if (waiter->kind == KPOOL_WAITER_SUBMIT)
		kpool_fail_blocked(pool, waiter->item, -EDEADLK);
	else
		kpool_waiter_refuse(pool, waiter);
	return true;
}

/*
 * Re-establish the invariants other than progress.  Return true if this hold
 * has done its share and there can be more to do.  Called with pool->lock held.
 */
static bool kpool_recheck(struct kpool *pool)
{
	bool changed = false;

	lockdep_assert_held(&pool->lock);
	for (;;) {
		/* park first: only then is it known what can start */
		if (kpool_hold_is_long(pool) || kpool_has_walked(pool) ||
		    kpool_park_batch(pool))
			return true;
		if (!(kpool_admit_one(pool) || kpool_waiter_complete_one(pool) ||
		      kpool_complete_drained(pool) || kpool_notify_room(pool) ||
		      kpool_sweep_groups(pool))) {
			/* the search is long: leave it to the next hold */
			if (changed && pool->hold_cost > KPOOL_BATCH(32) &&
			    !list_empty(&pool->waiters.self))
				return true;
			if (!kpool_break_deadlock(pool))
				break;
		}
		pool->hold_cost += KPOOL_COST_WAKE;
		changed = true;
	}
	if (pool->closed)
		kpool_retire_surplus(pool);
	return false;
}

/*
 * Recheck one batch.  If work is left, queue recheck_work and return true.
 * Called with pool->lock held.
 */
bool kpool_recheck_some(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	pool->waiters.left = kpool_recheck(pool);
	if (pool->waiters.left)
		queue_work(kpool_wq, &pool->waiters.recheck_work);
	return pool->waiters.left;
}

/*
 * Pick an idle worker to wake if an item can start and no worker is waking
 * already.  Return its task, which the caller wakes after unlocking, or NULL.
 * Called with pool->lock held.
 */
static struct task_struct *kpool_kick(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (pool->mgr.nr_waking || !kpool_has_runnable(pool) ||
	    !kpool_prepare_start(pool))
		return NULL;
	return kpool_pick_worker(pool);
}

/*
 * Release the lock, and wake a worker if one is needed.  The other invariants
 * hold, or recheck_work is queued.
 *
 * The worker is woken after unlocking, so that it does not spin on the lock.
 * Interrupts stay off until then: a caller preempted before the wakeup would
 * delay the pool.  The worker can wake by itself, exit and be reaped before the
 * wakeup.  But interrupts off are an RCU read-side critical section that began
 * while the worker was accounted, so its task cannot be freed.  Litmus:
 * wake-vs-reap.
 *
 * Preemption is enabled last, because that lets the woken worker preempt this
 * task on its CPU; enabling interrupts would not.
 */
static __always_inline void
kpool_unlock_kick(struct kpool *pool, unsigned long flags, bool open)
{
	struct task_struct *task = kpool_kick(pool);

	if (open)
		kpool_rings_open(pool);
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

/* Re-establish the invariants, and release the lock. */
void kpool_unlock_slow(struct kpool *pool, unsigned long flags, bool open)
{
	if (unlikely(pool->nr_recheck))
		kpool_recheck_some(pool);
	kpool_unlock_kick(pool, flags, open);
}

/* Unlock like kpool_unlock_slow(), where interrupts were on before. */
void kpool_unlock_irq_slow(struct kpool *pool, bool open)
{
	struct task_struct *task;

	if (unlikely(pool->nr_recheck))
		kpool_recheck_some(pool);
	task = kpool_kick(pool);
	if (open)
		kpool_rings_open(pool);
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

/*
 * Handle one batch, in a hold of the lock of its own.  Return true if there is
 * more.
 *
 * Recheck once per hold.  If the first recheck has followed a chain of waiters
 * or made the hold long, a second one queues recheck_work, as if work was left.
 * In recheck_work that would never end.  A worker rechecks twice, at the end of
 * a run and after the next start: that queues recheck_work at most once.
 */
static bool kpool_recheck_batch(struct kpool *pool)
{
	unsigned long flags;
	bool more;

	kpool_lock(pool, &flags);
	more = kpool_recheck_some(pool);
	kpool_unlock_kick(pool, flags, false);
	return more;
}

/* Recheck until nothing is left.  The caller keeps the pool. */
void kpool_recheck_all(struct kpool *pool)
{
	while (kpool_recheck_batch(pool))
		;
}

void kpool_recheck_work_fn(struct work_struct *work)
{
	struct kpool *pool =
		container_of(work, struct kpool, waiters.recheck_work);

	while (kpool_recheck_batch(pool))
		cond_resched();
}
