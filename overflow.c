// SPDX-License-Identifier: GPL-2.0-only
/*
 * What submit does when there is no room, beyond waiting and refusing.
 *
 * A submitter that runs its item holds no unit: the pool's workers go on.  The
 * run is an external one, and everybody else sees a running item.  An item that
 * is displaced is told by the dropper, so that the newcomer may come from any
 * context.
 */
#include "annotate.h"
#include "internal.h"
#include "pending.h"

/* A submitter runs so many items inside one another: its stack is short. */
#define KPOOL_MAX_DEPTH		4

/* So many items are looked at for one that makes room. */
#define KPOOL_MAX_LOOKS		64

/* Caller runs */

/* Can the submitter, which may sleep, run the item itself? */
bool kpool_can_caller_run(struct kpool *pool, const struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	if (pool->attrs.when_full != KPOOL_CALLER_RUNS || pool->paused)
		return false;
	/* a stream has its own order */
	if ((item->flags & __KPOOL_JOB) &&
	    container_of(item, struct kpool_job, item)->stream)
		return false;
	return !kpool_run_of(item) &&
	       kpool_ext_run_depth(pool) < KPOOL_MAX_DEPTH;
}

/* Its submitter has run the item, or has died in it. */
void kpool_caller_run_end(struct kpool *pool, struct kpool_run *run, int err)
{
	lockdep_assert_held(&pool->lock);
	pool->stats.completed++;
	pool->stats.caller_ran++;
	if (err)
		pool->stats.failed++;
	kpool_ext_run_end(pool, run, err, err);
}

/*
 * Accept and run the item in @run, which becomes the pool's; the lock is
 * dropped meanwhile.
 */
int kpool_caller_run(struct kpool *pool, struct kpool_item *item,
		     struct kpool_run *run)
{
	void *user_fn = kpool_user_fn(item);
	kpool_item_fn fn = item->fn;
	struct kpool_task_state before;
	int err;

	kpool_accept(pool, item);
	err = kpool_odd_verdict(item);
	if (err) {
		list_add(&run->free, &pool->free_runs);
		kpool_doom(pool, item, err);
		return 0;
	}
	kpool_ext_run_begin(pool, run, item, KPOOL_RUN_CALLER);
	kpool_unlock_irq(pool);

	kpool_task_state_save(&before);
	err = fn(item);
	if (unlikely(kpool_leaked(&before)))
		kpool_put_right(pool, user_fn, &before);
	if (err)
		kpool_report_error(pool, current, &(struct kpool_fault) {
			.fn	= user_fn,
			.item	= item,
			.err	= err,
		});

	raw_spin_lock_irq(&pool->lock);
	kpool_caller_run_end(pool, run, err);
	return 0;
}

/* Drop oldest */

/* Is the item in line behind another? */
static bool kpool_is_behind(struct kpool *pool, const struct kpool_item *item,
			    const struct kpool_item *other)
{
	struct list_head *line = kpool_line_of(pool, item);
	struct list_head *others = kpool_line_of(pool, other);

	return line > others || (line == others && kpool_is_older(other, item));
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

/* The oldest parked item of the line's priority, among the first few. */
static struct kpool_item *kpool_oldest_parked(struct kpool *pool,
					      const struct list_head *line)
{
	unsigned int looks = KPOOL_MAX_LOOKS;
	struct kpool_item *item;

	list_for_each_entry(item, &pool->aside, node) {
		if (kpool_line_of(pool, item) == line)
			return item;
		if (!--looks)
			break;
	}
	return NULL;
}

/* The oldest in the line that makes room for the newcomer, among the first few. */
static struct kpool_item *kpool_oldest_in(struct kpool *pool,
					  struct list_head *line,
					  const struct kpool_item *newcomer)
{
	unsigned int nr, left, looks = KPOOL_MAX_LOOKS;
	const struct kpool_item *stuck = kpool_first_stuck(pool, &nr, &left);
	struct kpool_item *item;

	list_for_each_entry(item, line, node) {
		if (!kpool_run_of(item) &&
		    kpool_makes_room(pool, item, newcomer, stuck, left))
			return item;
		if (!--looks)
			break;
	}
	return NULL;
}

/*
 * The oldest that waits, of the lowest priority that is not above a newcomer's,
 * and that makes room for it by leaving.  Parked items had their turn before.
 */
static struct kpool_item *kpool_oldest_below(struct kpool *pool,
					     const struct kpool_item *newcomer)
{
	struct list_head *line = &pool->lines[KPOOL_RANK_LOW];
	struct kpool_item *item;

	for (; line >= kpool_line_of(pool, newcomer); line--) {
		item = kpool_oldest_parked(pool, line) ?:
		       kpool_oldest_in(pool, line, newcomer);
		if (item)
			return item;
	}
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
