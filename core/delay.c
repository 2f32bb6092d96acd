// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delayed jobs are accepted at once and queued when they are due.
 *
 * A job has no timer of its own, which could outlive it.  Delayed jobs are in
 * the tree pool->delays.jobs, sorted by due time, and one timer per pool fires
 * for the first of them.  A job that is due is queued, or added to the backlog
 * if there is no room.  In a closed pool no job becomes due; the drop work
 * takes the jobs.
 */
#include <linux/module.h>
#include <linux/rbtree.h>

#include "internal.h"
#include "item.h"
#include "lock.h"

/* Jobs that expire under one hold of the lock. */
#define KPOOL_DELAY_BATCH	KPOOL_BATCH(8)

static bool kpool_is_due_before(struct rb_node *a, const struct rb_node *b)
{
	const struct kpool_job *other =
		rb_entry(b, struct kpool_job, delay_node);

	return time_before(rb_entry(a, struct kpool_job, delay_node)->due,
			   other->due);
}

/*
 * Arm the timer for the first delayed job, if there is one.  Called with
 * pool->lock held.
 */
static void kpool_delay_arm(struct kpool *pool)
{
	struct kpool_item *first = kpool_first_delayed(pool);

	lockdep_assert_held(&pool->lock);
	if (first)
		mod_timer(&pool->delays.timer, jiffies +
			  kpool_timer_delay(kpool_job_of(first)->due));
}

/*
 * Add a job to the tree.  It expires after @delay whole jiffies: the current
 * one, which has already begun, does not count.
 */
static void kpool_delay_add(struct kpool *pool, struct kpool_job *job,
			    unsigned long delay)
{
	job->due = jiffies + min(delay, MAX_JIFFY_OFFSET - 1) + 1;
	job->item.state = KPOOL_ITEM_DELAYED;
	pool->delays.nr++;
	if (rb_add_cached(&job->delay_node, &pool->delays.jobs,
			  kpool_is_due_before))
		kpool_delay_arm(pool);
}

/* Queue an accepted item, or add it to the backlog if there is no room. */
static void kpool_queue_or_backlog(struct kpool *pool, struct kpool_item *item)
{
	/* for kpool_should_wait_for_stream() */
	item->state = KPOOL_ITEM_BACKLOG;
	if (kpool_can_queue(pool, item))
		kpool_enqueue(pool, item);
	else
		kpool_backlog_add(pool, item, &pool->q.admission);
}

/* Queue an expired job, with the order of an item that is submitted now. */
static void kpool_delay_expired(struct kpool *pool, struct kpool_job *job)
{
	kpool_stamp(pool, &job->item);
	kpool_queue_or_backlog(pool, &job->item);
}

/*
 * Queue the jobs that have expired, at most KPOOL_DELAY_BATCH of them.  Return
 * true if there can be more; otherwise the timer is armed for the next.
 */
static bool kpool_delay_batch(struct kpool *pool)
{
	struct kpool_item *item;
	int i;

	for (i = 0; i < KPOOL_DELAY_BATCH && !kpool_has_walked(pool) &&
	     !(i && kpool_hold_is_long(pool)); i++) {
		item = kpool_first_delayed(pool);
		if (!item || pool->closed)
			return false;
		if (time_before(jiffies, kpool_job_of(item)->due)) {
			kpool_delay_arm(pool);
			return false;
		}
		kpool_delay_remove(pool, kpool_job_of(item));
		kpool_delay_expired(pool, kpool_job_of(item));
	}
	return true;
}

void kpool_delay_timer_fn(struct timer_list *timer)
{
	struct kpool *pool = timer_container_of(pool, timer, delays.timer);
	unsigned long flags;
	bool more;

	do {
		kpool_lock(pool, &flags);
		more = kpool_delay_batch(pool);
		kpool_unlock(pool, flags);
	} while (more);
}

int kpool_submit_delayed(struct kpool *pool, struct kpool_job *job,
			 unsigned long delay)
{
	struct kpool_item *item = &job->item;
	struct kpool_handover handover;
	unsigned long flags;
	int err;

	err = kpool_check_fn(item) ?:
	      kpool_item_lock_for_submit(pool, item, &handover, &flags);
	if (err)
		return err;
	err = kpool_check_accept(pool, item);
	if (!err) {
		kpool_accept(pool, item);
		if (delay)
			kpool_delay_add(pool, job, delay);
		else
			kpool_queue_or_backlog(pool, item);
	} else {
		kpool_item_return(pool, item, &handover);
	}
	kpool_unlock(pool, flags);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_submit_delayed);

bool kpool_modify_delay(struct kpool_job *job, unsigned long delay)
{
	unsigned long flags;
	struct kpool *pool = kpool_item_lock(&job->item, &flags);

	if (job->item.state != KPOOL_ITEM_DELAYED || pool->closed ||
	    kpool_module_is_going(pool, &job->item)) {
		kpool_unlock(pool, flags);
		return false;
	}
	kpool_delay_remove(pool, job);
	if (delay)
		kpool_delay_add(pool, job, delay);
	else
		kpool_delay_expired(pool, job);
	kpool_unlock(pool, flags);
	return true;
}
EXPORT_SYMBOL_GPL(kpool_modify_delay);
