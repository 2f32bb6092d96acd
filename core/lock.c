// SPDX-License-Identifier: GPL-2.0-only
/*
 * The invariants of a pool, which hold whenever pool->lock is released:
 *
 *   admission   no submitter sleeps while there is room for its item
 *   waiters     no waiter sleeps whose wait has ended, or can never end
 *   drain       a closed pool without items has no idle worker, and its drain
 *               waiters are completed
 *   progress    if an item can start, a worker is awake or being created
 *
 * kpool_unlock() re-establishes all four, so a path that changes pool state
 * need not know which of them it breaks.  While pool->nr_recheck is 0, it can
 * break only the last one.
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

/* Changes under one hold of the lock; most of them wake a task. */
#define KPOOL_RECHECK_BATCH	4

/*
 * Fail one waiter with -EDEADLK if nothing in the pool can make progress.
 * Returns false if there is none.
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
 * Re-establish the invariants other than progress.  Returns true if the batch
 * was used up and there can be more to do.  Called with pool->lock held.
 */
static bool kpool_recheck(struct kpool *pool)
{
	int budget = KPOOL_RECHECK_BATCH;

	lockdep_assert_held(&pool->lock);
	for (;;) {
		/* an item that still runs gives up its place in the queue */
		if (kpool_park_batch(pool))
			return true;
		if (kpool_admit_one(pool) || kpool_waiter_complete_one(pool) ||
		    kpool_check_drained(pool) || kpool_notify_room(pool) ||
		    kpool_sweep_groups(pool)) {
			if (!--budget)
				return true;
		} else if (!kpool_break_deadlock(pool)) {
			break;
		}
	}
	if (pool->closed)
		kpool_retire_surplus(pool);
	return false;
}

/* Handle one batch and leave the rest to recheck_work. */
void kpool_recheck_some(struct kpool *pool)
{
	if (kpool_recheck(pool))
		queue_work(kpool_wq, &pool->waiters.recheck_work);
}

/* Handle all, one batch per hold of the lock.  The caller keeps the pool. */
void kpool_recheck_all(struct kpool *pool)
{
	unsigned long flags;
	bool more;

	do {
		raw_spin_lock_irqsave(&pool->lock, flags);
		more = kpool_recheck(pool);
		kpool_unlock(pool, flags);
	} while (more);
}

void kpool_recheck_work_fn(struct work_struct *work)
{
	kpool_recheck_all(container_of(work, struct kpool,
				       waiters.recheck_work));
}
