// SPDX-License-Identifier: GPL-2.0-only
/*
 * What submit does when there is no room, beyond waiting and refusing.
 *
 * A submitter that runs its item holds no unit: the pool's workers go on.  The
 * run is one outside of the workers, and everybody else sees a running item.
 * An item that is displaced is told by the dropper, so that the newcomer may
 * come from any context.
 */
#include <linux/sched/task.h>

#include "internal.h"
#include "pending.h"

/* A submitter runs so many items inside one another: its stack is short. */
#define KPOOL_MAX_DEPTH		4

/* Caller runs */

/* May the submitter, which may sleep, run the item itself? */
bool kpool_may_run_here(struct kpool *pool, const struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	if (pool->attrs.when_full != KPOOL_CALLER_RUNS || pool->paused)
		return false;
	/* a stream has its own order */
	if ((item->flags & __KPOOL_JOB) &&
	    container_of(item, struct kpool_job, item)->stream)
		return false;
	return !kpool_run_of(pool, item) &&
	       kpool_outside_depth(pool) < KPOOL_MAX_DEPTH;
}

/* Its submitter has run the item, or has died in it. */
void kpool_end_here(struct kpool *pool, struct kpool_outside *outside, int err)
{
	lockdep_assert_held(&pool->lock);
	pool->nr_caller_runs--;
	pool->stats.completed++;
	pool->stats.caller_ran++;
	if (err)
		pool->stats.failed++;
	kpool_outside_end(pool, outside, err, err);
}

/* Accept and run the item; the lock is dropped meanwhile. */
int kpool_run_here(struct kpool *pool, struct kpool_item *item)
{
	void *user_fn = kpool_user_fn(item);
	kpool_item_fn fn = item->fn;
	struct kpool_outside here, *outside;
	int err;

	kpool_accept(pool, item);
	err = kpool_odd_verdict(item);
	if (err) {
		kpool_doom(pool, item, err);
		return 0;
	}
	pool->nr_caller_runs++;
	kpool_outside_begin(pool, item, &here, true);
	outside = kpool_outside_keep(pool, &here);
	if (!pool->watched)
		kpool_watch(pool);
	kpool_unlock_wake_irq(pool, kpool_rouse(pool));

	err = fn(item);
	if (err)
		kpool_report_error(pool, user_fn, item, err, current, NULL);

	raw_spin_lock_irq(&pool->lock);
	if (outside->held)
		put_task_struct(outside->held);
	kpool_end_here(pool, outside, err);
	return 0;
}

/* Drop oldest */

/* Is the item in line behind another? */
static bool kpool_is_behind(struct kpool *pool, const struct kpool_item *item,
			    const struct kpool_item *other)
{
	struct list_head *line = kpool_line_of(pool, item);
	struct list_head *others = kpool_line_of(pool, other);

	return line > others || (line == others &&
				 (s32)(item->arrival - other->arrival) > 0);
}

/*
 * Would there be room for the newcomer if the item left the line?  If it waits,
 * it has a place in the queue.  If it is about to start, its units and those
 * left have to be enough for one that would wait otherwise: the first stuck.
 */
static bool kpool_makes_room(struct kpool *pool, const struct kpool_item *item,
			     const struct kpool_item *newcomer,
			     const struct kpool_item *stuck, unsigned int left)
{
	unsigned int units = left + kpool_units(pool, item);

	if (item->flags & __KPOOL_FOLLOWS)
		return true;
	if (!stuck)
		return !kpool_must_follow(newcomer) &&
		       kpool_units(pool, newcomer) <= units;
	return item == stuck || kpool_is_behind(pool, item, stuck) ||
	       kpool_units(pool, stuck) <= units;
}

/*
 * The oldest in line of the lowest priority that is not above a newcomer's, and
 * that makes room for it by leaving.
 */
static struct kpool_item *kpool_oldest_below(struct kpool *pool,
					     const struct kpool_item *newcomer)
{
	struct list_head *line = &pool->lines[KPOOL_RANK_LOW];
	const struct kpool_item *stuck;
	struct kpool_item *item;
	unsigned int nr, left;

	stuck = kpool_first_stuck(pool, &nr, &left);
	for (; line >= kpool_line_of(pool, newcomer); line--)
		list_for_each_entry(item, line, node)
			if (!kpool_run_of(pool, item) &&
			    kpool_makes_room(pool, item, newcomer, stuck, left))
				return item;
	return NULL;
}

/* Make room for a newcomer, if the pool is to, and if one place is enough. */
bool kpool_displace(struct kpool *pool, const struct kpool_item *newcomer)
{
	struct kpool_item *oldest;

	lockdep_assert_held(&pool->lock);
	if (pool->attrs.when_full != KPOOL_DROP_OLDEST ||
	    !list_empty(&pool->blocked) || !kpool_lacks_one_place(pool))
		return false;
	oldest = kpool_oldest_below(pool, newcomer);
	if (!oldest)
		return false;
	kpool_doom(pool, oldest, -EAGAIN);
	return true;
}
