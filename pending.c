// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line: what has been accepted and not started.
 *
 * pool->lines is the line itself, one list for each priority.  pool->blocked is
 * the queue in front of it, in order of arrival: items of submitters that sleep
 * until there is room (KPOOL_BLOCKED), and items accepted without room, which
 * wait there like a submitter that came at that time (KPOOL_DUE).
 * kpool_settle() lets them in as soon as there is room.
 *
 * An item submitted while it runs keeps its place in line; when its turn comes
 * before the run has ended, the runner holds it and puts it back in front.
 */
#include "internal.h"
#include "pending.h"

/* So many items are parked under one hold of the lock. */
#define KPOOL_PARK_BATCH	8

/* So many items, where not all weigh the same, are looked at for room. */
#define KPOOL_MAX_LOOKS		64

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
	/* kpool_undelay() does so itself */
	if (item->place != KPOOL_DELAYED)
		kpool_scan_skip(pool, item);
	switch (item->place) {
	case KPOOL_IN_LINE:
		kpool_leave_line(pool, item);
		kpool_odd_out(pool, item);
		break;
	case KPOOL_HELD:
		item->run->held = NULL;
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
		pool->nr_concerned--;
		kpool_odd_out(pool, item);
		break;
	case KPOOL_DELAYED:
		kpool_undelay(pool, kpool_job_of(item));
		break;
	case KPOOL_DOOMED:
		if (kpool_run_of(item))
			item->run->held = NULL;
		else
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
 * older ones of that kind.  There are as many as runs have ended while nothing
 * could start; beyond a number no run of the mill has, their order is not kept.
 */
void kpool_push_front(struct kpool *pool, struct kpool_item *item)
{
	unsigned int looks = KPOOL_MAX_LOOKS;
	struct kpool_item *later;

	lockdep_assert_held(&pool->lock);
	kpool_scan_again(pool, item);
	kpool_remove(pool, item);
	item->place = KPOOL_IN_LINE;
	list_for_each_entry(later, kpool_line_of(pool, item), node)
		if (kpool_is_older(item, later) || !--looks)
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
	kpool_scan_skip(pool, item);
	list_del(&item->node);
	list_del(&item->submitter->node);
	item->place = KPOOL_NOWHERE;
	pool->nr_blocked--;
	kpool_odd_unblocked(pool, item);
	kpool_odd_out(pool, item);
}

/* End a sleeping submit with an error. */
void kpool_refuse_blocked(struct kpool *pool, struct kpool_item *item, int err)
{
	struct kpool_waiter *waiter = item->submitter;

	kpool_unblock(pool, item);
	kpool_serve(pool, waiter, err);
}

/* A submitter that sleeps in a pool that has been closed is sent away. */
static bool kpool_refuse_one(struct kpool *pool)
{
	struct kpool_waiter *waiter;

	if (!pool->closed || list_empty(&pool->submitters))
		return false;
	waiter = list_first_entry(&pool->submitters, struct kpool_waiter, node);
	kpool_refuse_blocked(pool, waiter->item, -ESHUTDOWN);
	return true;
}

/*
 * Deal with the first in front of the line, if it need not wait any longer: was
 * there any?  Strictly in order of arrival.
 */
bool kpool_admit_one(struct kpool *pool)
{
	struct kpool_waiter *waiter;
	struct kpool_item *item;
	int err;

	lockdep_assert_held(&pool->lock);
	if (kpool_refuse_one(pool))
		return true;
	item = list_first_entry_or_null(&pool->blocked, struct kpool_item,
					node);
	if (!item || !kpool_has_room(pool, item))
		return false;
	if (item->place == KPOOL_DUE) {
		kpool_remove(pool, item);
		/* behind those that came before it, accepted only now */
		item->since = jiffies;
		item->arrival = pool->arrivals++;
		kpool_append(pool, item);
		return true;
	}

	waiter = item->submitter;
	err = kpool_is_odd(item) ? kpool_odd_may_accept(pool, item) : 0;
	if (err == -ECANCELED) {
		kpool_refuse_blocked(pool, item, err);
		return true;
	}
	kpool_unblock(pool, item);
	kpool_accept(pool, item);
	kpool_append(pool, item);
	kpool_serve(pool, waiter, 0);
	return true;
}

/* Whose turn it is */

/* Put aside an item whose turn has come while its earlier run lasts. */
static void kpool_hold(struct kpool *pool, struct kpool_run *run,
		       struct kpool_item *item)
{
	kpool_remove(pool, item);
	item->place = KPOOL_HELD;
	run->held = item;
	run->special = true;
	pool->nr_held++;
	kpool_odd_in(pool, item);
}

/* The run has ended: its item, pending again, is first in line. */
void kpool_unhold(struct kpool *pool, struct kpool_item *item)
{
	kpool_scan_again(pool, item);
	if (item->place == KPOOL_DOOMED) {
		list_add_tail(&item->node, &pool->doomed);
		kpool_queue_dropper(pool);
	} else if (pool->aborted) {
		kpool_doom(pool, item, -ECANCELED);
	} else {
		kpool_push_front(pool, item);
	}
}

/* Must the next start go to a lower priority? */
static bool kpool_is_bypass_over(const struct kpool *pool)
{
	int most = pool->attrs.max_bypass;

	return most != KPOOL_UNLIMITED &&
	       pool->nr_passed >= (unsigned int)most;
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
		else if (!lower || kpool_is_older(item, lower))
			lower = item;
	}
	return lower && kpool_is_bypass_over(pool) ? lower : first;
}

/* Must the first item wait for something but units and pause? */
static bool kpool_must_park(const struct kpool_item *item)
{
	return (item->flags & __KPOOL_FOLLOWS) || kpool_run_of(item);
}

/* On pool->lines: what is to be completed has started. */
static unsigned int kpool_nr_in_line(const struct kpool *pool)
{
	return pool->nr_line - pool->nr_completions;
}

/* Is the first in line to be started, or parked? */
static bool kpool_has_line_work(struct kpool *pool)
{
	const struct kpool_item *item;

	if (!kpool_nr_in_line(pool) || pool->paused || pool->aborted ||
	    !kpool_free_units(pool))
		return false;
	item = kpool_in_turn(pool);
	return kpool_must_park(item) ||
	       kpool_units(pool, item) <= kpool_free_units(pool);
}

/* Park those in front that cannot start, a batch at most: are there more? */
bool kpool_park(struct kpool *pool)
{
	struct kpool_item *item;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < KPOOL_PARK_BATCH; i++) {
		if (!kpool_has_line_work(pool))
			return false;
		item = kpool_in_turn(pool);
		if (!kpool_must_park(item))
			return false;
		if (item->flags & __KPOOL_FOLLOWS)
			kpool_set_aside(pool, item);
		else
			kpool_hold(pool, item->run, item);
	}
	return true;
}

/* kpool_has_work() where not all is plain. */
bool kpool_has_special_work(struct kpool *pool)
{
	if (pool->nr_completions)
		return kpool_free_units(pool);
	return kpool_has_line_work(pool);
}

/* The item that can start now, of any kind; NULL also if there is more to park. */
struct kpool_item *kpool_choose(struct kpool *pool)
{
	struct kpool_item *item;

	if (pool->nr_completions)
		return kpool_free_units(pool) ?
		       list_first_entry(&pool->completions, struct kpool_item,
					node) : NULL;
	kpool_park(pool);
	if (!kpool_has_line_work(pool))
		return NULL;
	item = kpool_in_turn(pool);
	return kpool_must_park(item) ? NULL : item;
}

/* Choose the worker to wake; one that would find nothing to start stays asleep. */
struct task_struct *kpool_kick_worker(struct kpool *pool)
{
	if (!pool->plain_capacity ||
	    kpool_must_park(list_first_entry(&pool->lines[KPOOL_RANK_NORMAL],
					     struct kpool_item, node))) {
		kpool_park(pool);
		if (!kpool_has_special_work(pool))
			return NULL;
	}
	return kpool_send_worker(pool);
}

/* Room, where not every item is plain */

/* Free units that what is to be completed leaves. */
static unsigned int kpool_units_left(const struct kpool *pool)
{
	unsigned int units = kpool_free_units(pool);

	return units - min(units, pool->nr_completions);
}

/*
 * The first in line that the free units are too few for, or NULL; so many in
 * front of it start as soon as a worker looks, and leave so many units.  Those
 * behind it wait.  Where so many are about to start that it is not worth while to
 * count them, the last one looked at counts as the first to wait.
 */
const struct kpool_item *kpool_first_stuck(const struct kpool *pool,
					   unsigned int *nr, unsigned int *left)
{
	unsigned int looks = KPOOL_MAX_LOOKS;
	const struct kpool_item *item;
	int rank;

	*nr = 0;
	*left = kpool_units_left(pool);
	for (rank = 0; rank < KPOOL_NR_RANKS; rank++) {
		list_for_each_entry(item, &pool->lines[rank], node) {
			if (!looks--) {
				*left = 0;
				return item;
			}
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
	unsigned int ready = kpool_nr_in_line(pool) - pool->nr_follow, nr;

	*left = kpool_units_left(pool);
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
	return kpool_nr_in_line(pool) - startable + pool->nr_aside <
	       (unsigned int)pool->attrs.queue_depth;
}

/* Would the item, once accepted, start without waiting for anything but a worker? */
bool kpool_can_start_now(const struct kpool *pool, const struct kpool_item *item)
{
	unsigned int left;

	if (pool->paused || !list_empty(&pool->blocked) ||
	    kpool_run_of(item) || kpool_must_follow(item))
		return false;
	kpool_nr_startable(pool, &left);
	return kpool_units(pool, item) <= left;
}

/* Is there room for an item of that many units, and no submitter before it? */
static bool kpool_has_room_for(const struct kpool *pool, unsigned int units)
{
	unsigned int left, startable;

	if (!list_empty(&pool->blocked))
		return false;
	/* what is heavier than a shrunk capacity is refused for good: -EINVAL */
	if (units != UINT_MAX)
		units = min_t(unsigned int, units, pool->attrs.capacity);
	startable = kpool_nr_startable(pool, &left);
	return units <= left ||
	       kpool_nr_in_line(pool) - startable + pool->nr_aside <
	       (unsigned int)pool->attrs.queue_depth;
}

/* Have the owner told if a submitter was refused that would not be now. */
bool kpool_tell_room(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (!pool->room_units ||
	    (!pool->closed && !kpool_has_room_for(pool, pool->room_units)))
		return false;
	pool->room_units = 0;
	pool->room_follow = 0;
	pool->nr_concerned--;
	pool->room_due = true;
	kpool_queue_dropper(pool);
	return true;
}

/* Would there be a place in the queue if one of those who wait left it? */
bool kpool_lacks_one_place(const struct kpool *pool)
{
	unsigned int left, startable = kpool_nr_startable(pool, &left);

	return pool->attrs.queue_depth &&
	       kpool_nr_in_line(pool) - startable + pool->nr_aside ==
	       (unsigned int)pool->attrs.queue_depth;
}
