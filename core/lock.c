// SPDX-License-Identifier: GPL-2.0-only
/*
 * What holds whenever pool->lock is free.
 *
 *   admission   no submitter sleeps for which there is room
 *   waiters     no wait goes on that has ended, or that can never end
 *   drain       a closed pool without items has no idle worker, and its drain
 *               waiters are completed
 *   progress    if an item can start, a worker is on its way to start it
 *
 * kpool_unlock() re-establishes all four, so no caller has to know what its change
 * means for others.  While pool->nr_recheck is 0, only the last can be broken.
 *
 * To complete a waiter is to wake a task, and many can wait for one event.  So
 * one hold of the lock deals with a few, and recheck_work with the rest.  Between
 * two holds no submitter overtakes another that is to be admitted, and no waiter
 * is refused while another is to be completed.
 */
#include <linux/workqueue.h>

#include "internal.h"
#include "lock.h"
#include "queue.h"

/* Under one hold of the lock; most of them wake a task. */
#define KPOOL_RECHECK_BATCH	4

/* Fail a sleep if nothing can go on: was there one? */
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

/* Re-establish what has to hold, a batch at most: is there more to do? */
static bool kpool_recheck(struct kpool *pool)
{
	int budget = KPOOL_RECHECK_BATCH;

	lockdep_assert_held(&pool->lock);
	for (;;) {
		/* an item that waits for its own run leaves its place in the queue */
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

/* The same; what is left is the recheck work's. */
void kpool_recheck_some(struct kpool *pool)
{
	if (kpool_recheck(pool))
		queue_work(kpool_wq, &pool->waiters.recheck_work);
}

/* The same until there is no more; the caller keeps the pool. */
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
	kpool_recheck_all(container_of(work, struct kpool, waiters.recheck_work));
}
