// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line: what has been accepted and not started.
 *
 * pool->lines is the line itself, one list for each priority.  pool->blocked is
 * the queue in front of it, in order of arrival: items of submitters that sleep
 * until there is room (KPOOL_BLOCKED), and items accepted without room, which
 * wait there like a submitter that came at that time (KPOOL_DUE).  Whatever
 * makes room calls kpool_admit_blocked(), so that nobody in front of the line
 * waits in vain.
 *
 * An item submitted while it runs keeps its place in line; when its turn comes
 * before the run has ended, the runner holds it and puts it back in front.
 */
#include "internal.h"
#include "pending.h"

/* After so many starts past items of lower priority, one of those is next. */
#define KPOOL_MAX_PASSED	15

/* In and out */

void kpool_accept(struct kpool *pool, struct kpool_item *item)
{
	kpool_count_accepted(pool, item);
	if (kpool_is_odd(item))
		kpool_odd_accepted(pool, item);
}

void kpool_append(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	item->place = KPOOL_IN_LINE;
	list_add_tail(&item->node, kpool_line_of(pool, item));
	pool->nr_line++;
	kpool_odd_in(pool, item);
	if (kpool_is_odd(item))
		kpool_odd_enters(pool, item);
}

static void kpool_leave_line(struct kpool *pool, struct kpool_item *item)
{
	list_del(&item->node);
	pool->nr_line--;
	if (kpool_is_odd(item))
		kpool_odd_line(pool, item, false);
}

/* Take an accepted item from wherever it waits. */
void kpool_remove(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	switch (item->place) {
	case KPOOL_IN_LINE:
		kpool_leave_line(pool, item);
		kpool_odd_out(pool, item);
		break;
	case KPOOL_HELD:
		item->worker->held = NULL;
		pool->nr_held--;
		kpool_odd_out(pool, item);
		break;
	case KPOOL_ASIDE:
		list_del(&item->node);
		pool->nr_aside--;
		kpool_odd_out(pool, item);
		break;
	case KPOOL_DUE:
		list_del(&item->node);
		pool->nr_due--;
		kpool_odd_out(pool, item);
		break;
	case KPOOL_DELAYED:
		kpool_undelay(pool, kpool_job_of(item));
		break;
	case KPOOL_DOOMED:
		list_del(&item->node);
		pool->nr_doomed--;
		break;
	}
	item->place = KPOOL_NOWHERE;
}

/* Take out an accepted item that will not run, so that its stream goes on. */
void kpool_give_up(struct kpool *pool, struct kpool_item *item)
{
	bool in_stream = item->place != KPOOL_DELAYED &&
			 item->place != KPOOL_DUE &&
			 item->place != KPOOL_DOOMED;

	kpool_remove(pool, item);
	if (in_stream && kpool_is_odd(item))
		kpool_odd_given_up(pool, item);
}

/*
 * Put an item whose turn had come before back in front of its line, but behind
 * others of that kind that arrived earlier.
 */
void kpool_push_front(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_item *later;

	lockdep_assert_held(&pool->lock);
	kpool_remove(pool, item);
	item->place = KPOOL_IN_LINE;
	list_for_each_entry(later, kpool_line_of(pool, item), node)
		if ((s32)(later->arrival - item->arrival) > 0)
			break;
	list_add_tail(&item->node, &later->node);
	pool->nr_line++;
	kpool_odd_in(pool, item);
	if (kpool_is_odd(item))
		kpool_odd_line(pool, item, true);
}

/* In front of the line */

/* Take the item of a sleeping submitter out of the queue in front. */
void kpool_unblock(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	list_del(&item->node);
	item->place = KPOOL_NOWHERE;
	pool->nr_blocked--;
	kpool_odd_out(pool, item);
}

/* End a sleeping submit with an error.  Those behind it may have room now. */
void kpool_refuse_blocked(struct kpool *pool, struct kpool_item *item, int err)
{
	struct kpool_waiter *waiter = item->submitter;

	kpool_unblock(pool, item);
	kpool_serve(pool, waiter, err);
}

/* Serve those in front of the line, strictly in order of arrival. */
void kpool_serve_blocked(struct kpool *pool)
{
	struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	while ((item = list_first_entry_or_null(&pool->blocked,
						struct kpool_item, node)) &&
	       kpool_has_room(pool, item)) {
		if (item->place == KPOOL_BLOCKED) {
			struct kpool_waiter *waiter = item->submitter;

			kpool_unblock(pool, item);
			kpool_accept(pool, item);
			kpool_serve(pool, waiter, 0);
		} else {
			kpool_remove(pool, item);
			/* behind those who came before it, accepted only now */
			item->arrival = pool->arrivals++;
		}
		kpool_append(pool, item);
	}
}

/* Whose turn it is */

/* Put aside an item whose turn has come while its earlier run lasts. */
static void kpool_hold(struct kpool *pool, struct kpool_worker *runner,
		       struct kpool_item *item)
{
	kpool_remove(pool, item);
	item->place = KPOOL_HELD;
	runner->held = item;
	runner->odd = true;
	pool->nr_held++;
	kpool_odd_in(pool, item);
	kpool_admit_blocked(pool);
}

/* The run has ended: what was held is first in line. */
void kpool_unhold(struct kpool *pool, struct kpool_worker *worker)
{
	if (pool->aborted)
		kpool_doom(pool, worker->held, -ECANCELED);
	else
		kpool_push_front(pool, worker->held);
}

/* The first of the highest priority; at times, the oldest of a lower one. */
static struct kpool_item *kpool_in_turn(struct kpool *pool)
{
	struct kpool_item *first = NULL, *lower = NULL, *item;
	int rank;

	for (rank = 0; rank < KPOOL_NR_RANKS; rank++) {
		item = list_first_entry_or_null(&pool->lines[rank],
						struct kpool_item, node);
		if (!item)
			continue;
		if (!first)
			first = item;
		else if (!lower || (s32)(item->arrival - lower->arrival) < 0)
			lower = item;
	}
	return lower && pool->nr_passed >= KPOOL_MAX_PASSED ? lower : first;
}

/* The first that nothing but units and pause hold back; others are put aside. */
struct kpool_item *kpool_next_eligible(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	while (pool->nr_line) {
		struct kpool_item *item = kpool_in_turn(pool);
		struct kpool_worker *runner = kpool_runner(item);

		if ((item->flags & __KPOOL_FOLLOWS) ||
		    kpool_outside_run_of(pool, item)) {
			kpool_set_aside(pool, item);
			/* who waits behind it has room if units are free */
			kpool_admit_blocked(pool);
		} else if (runner) {
			kpool_hold(pool, runner, item);
		} else {
			return item;
		}
	}
	return NULL;
}

/* The item that may start now, of any kind. */
struct kpool_item *kpool_choose(struct kpool *pool)
{
	struct kpool_item *item;

	if (pool->paused || pool->aborted || !kpool_free_units(pool))
		return NULL;
	item = kpool_next_eligible(pool);
	return item && kpool_units(pool, item) <= kpool_free_units(pool) ?
	       item : NULL;
}

/* Room, where not every item is plain */

/*
 * The first in line that the free units are too few for, or NULL; so many in
 * front of it start as soon as a worker looks, and leave so many units.  Those
 * behind it wait.
 */
const struct kpool_item *kpool_first_stuck(const struct kpool *pool,
					   unsigned int *nr, unsigned int *left)
{
	const struct kpool_item *item;
	int rank;

	*nr = 0;
	*left = kpool_free_units(pool);
	for (rank = 0; rank < KPOOL_NR_RANKS; rank++) {
		list_for_each_entry(item, &pool->lines[rank], node) {
			if (item->flags & __KPOOL_FOLLOWS)
				continue;
			if (kpool_units(pool, item) > *left)
				return item;
			*left -= kpool_units(pool, item);
			++*nr;
		}
	}
	return NULL;
}

/*
 * How many in line start as soon as a worker looks, and how many of the free
 * units are left for a newcomer?
 */
static unsigned int kpool_nr_startable(const struct kpool *pool,
				       unsigned int *left)
{
	unsigned int ready = pool->nr_line - pool->nr_follow, nr;

	*left = kpool_free_units(pool);
	if (ready + pool->extra_line <= *left) {
		*left -= ready + pool->extra_line;
		return ready;
	}
	if (pool->extra_line)
		kpool_first_stuck(pool, &nr, left);
	else
		nr = *left;
	*left = 0;
	return nr;
}

/* Could the item start at once, or do fewer than queue_depth wait? */
bool kpool_has_room(const struct kpool *pool, const struct kpool_item *item)
{
	unsigned int left, startable;

	if (!pool->nr_odd && !kpool_is_odd(item))
		return kpool_has_plain_room(pool);
	startable = kpool_nr_startable(pool, &left);

	if (!kpool_must_follow(item) && kpool_units(pool, item) <= left)
		return true;
	return pool->nr_line - startable + pool->nr_aside <
	       (unsigned int)pool->attrs.queue_depth;
}

/* Would there be a place in the queue if one of those who wait left it? */
bool kpool_lacks_one_place(const struct kpool *pool)
{
	unsigned int left, startable = kpool_nr_startable(pool, &left);

	return pool->attrs.queue_depth &&
	       pool->nr_line - startable + pool->nr_aside ==
	       (unsigned int)pool->attrs.queue_depth;
}

/* The end of an acceptance */

/* An accepted item has run, or will not: those who flush the pool count it. */
void kpool_item_ended(struct kpool *pool, u32 epoch)
{
	struct kpool_waiter *waiter, *next;

	lockdep_assert_held(&pool->lock);
	list_for_each_entry_safe(waiter, next, &pool->flushers, node) {
		if ((s32)(epoch - waiter->epoch) > 0 || --waiter->left)
			continue;
		list_del(&waiter->node);
		kpool_serve(pool, waiter, 0);
	}
}
