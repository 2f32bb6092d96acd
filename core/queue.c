// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line: what has been accepted and not started.
 *
 * pool->q.prio is the line itself, one list for each priority.  pool->q.admission is
 * the queue in front of it, in order of arrival: items of submitters that sleep
 * until there is room (KPOOL_ITEM_BLOCKED), and items accepted without room, which
 * wait there like a submitter that came at that time (KPOOL_ITEM_BACKLOG).
 * kpool_recheck() lets them in as soon as there is room.
 *
 * An item submitted while it runs keeps its place in line; when its turn comes
 * before the run has ended, the runner holds it and puts it back in front.
 */
#include <linux/rbtree.h>

#include "internal.h"
#include "queue.h"

/* So many items are parked under one hold of the lock. */
#define KPOOL_PARK_BATCH	8

/* So many items, where not all weigh the same, are looked at for room. */
#define KPOOL_MAX_LOOKS		64

/* In and out */

void kpool_accept(struct kpool *pool, struct kpool_item *item)
{
	kpool_count_accepted(pool, item);
	if (kpool_is_special(item))
		kpool_special_accept(pool, item);
}

void kpool_enqueue(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	item->state = KPOOL_ITEM_QUEUED;
	list_add_tail(&item->node, kpool_queue_of(pool, item));
	pool->q.nr_queued++;
	kpool_special_add(pool, item);
	if (kpool_is_special(item)) {
		kpool_special_enqueue(pool, item);
		kpool_special_account(pool, item, true);
	}
}

static void kpool_queue_del(struct kpool *pool, struct kpool_item *item)
{
	list_del(&item->node);
	pool->q.nr_queued--;
	if (kpool_is_special(item))
		kpool_special_account(pool, item, false);
}

/* Take an accepted item from wherever it waits. */
static void kpool_item_unlink(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	/* kpool_delay_remove() does so itself */
	if (item->state != KPOOL_ITEM_DELAYED)
		kpool_scan_skip(pool, item);
	switch (item->state) {
	case KPOOL_ITEM_QUEUED:
		kpool_queue_del(pool, item);
		kpool_special_remove(pool, item);
		break;
	case KPOOL_ITEM_REQUEUE:
		item->run->requeue = NULL;
		pool->q.nr_requeue--;
		kpool_special_remove(pool, item);
		break;
	case KPOOL_ITEM_PARKED:
		list_del(&item->node);
		pool->q.nr_parked--;
		kpool_special_remove(pool, item);
		break;
	case KPOOL_ITEM_BACKLOG:
		list_del(&item->node);
		pool->q.nr_backlog--;
		pool->nr_recheck--;
		kpool_special_remove(pool, item);
		break;
	case KPOOL_ITEM_DELAYED:
		kpool_delay_remove(pool, kpool_job_of(item));
		break;
	case KPOOL_ITEM_DROPPING:
		if (kpool_run_of(item))
			item->run->requeue = NULL;
		else
			list_del(&item->node);
		pool->drops.nr--;
		break;
	}
	item->state = KPOOL_ITEM_IDLE;
}

/* The item leaves its list, or the tree of the delayed: no search stays there. */
void kpool_scan_skip(struct kpool *pool, struct kpool_item *item)
{
	bool delayed = item->state == KPOOL_ITEM_DELAYED;
	struct kpool_going *going;

	lockdep_assert_held(&pool->lock);
	list_for_each_entry(going, &pool->going, node) {
		if (delayed &&
		    going->next_delayed == &kpool_job_of(item)->delay_node)
			going->next_delayed = rb_next(going->next_delayed);
		else if (!delayed && going->next == &item->node)
			going->next = item->node.next;
	}
}

/* The item goes back to a list that may have been searched. */
void kpool_scan_again(struct kpool *pool, const struct kpool_item *item)
{
	struct kpool_going *going;

	lockdep_assert_held(&pool->lock);
	list_for_each_entry(going, &pool->going, node)
		if (kpool_is_of_module(item, going->module))
			going->again = true;
}

/* Take out an accepted item that will not run, so that its stream goes on. */
void kpool_dequeue_dead(struct kpool *pool, struct kpool_item *item)
{
	bool in_stream = item->state != KPOOL_ITEM_DELAYED &&
			 item->state != KPOOL_ITEM_BACKLOG &&
			 item->state != KPOOL_ITEM_DROPPING;

	kpool_item_unlink(pool, item);
	if (in_stream && kpool_is_special(item))
		kpool_special_dequeue_dead(pool, item);
}

/* Leave an accepted item to the drop work; if it still runs, until it has. */
void kpool_item_drop(struct kpool *pool, struct kpool_item *item, int err)
{
	struct kpool_run *run = kpool_run_of(item);

	lockdep_assert_held(&pool->lock);
	kpool_dequeue_dead(pool, item);
	item->state = KPOOL_ITEM_DROPPING;
	item->err = err;
	pool->drops.nr++;
	if (kpool_is_special(item))
		kpool_special_drop(pool, item);
	if (run) {
		run->requeue = item;
		run->special = true;
	} else {
		list_add_tail(&item->node, &pool->drops.items);
		kpool_context_queue(&pool->drops.work);
	}
}

/* Pass a group's cancellation on to one of its children: was there any? */
static bool kpool_sweep_child(struct kpool *pool, struct kpool_group *group)
{
	struct kpool_group *child;

	/* those that have been swept are at the end */
	child = list_first_entry_or_null(&group->children, struct kpool_group,
					 sibling);
	if (!child || child->swept)
		return false;
	child->swept = true;
	list_move_tail(&child->sibling, &group->children);
	kpool_group_queue_cancel(pool, child);
	return true;
}

/*
 * Take one thing out of a cancelled group, of which nothing comes in any more:
 * was there any?
 */
bool kpool_sweep_groups(struct kpool *pool)
{
	struct kpool_group *group;
	struct kpool_job *job;

	lockdep_assert_held(&pool->lock);
	group = list_first_entry_or_null(&pool->drops.cancelled_groups,
					 struct kpool_group, cancel_node);
	if (!group)
		return false;
	if (kpool_sweep_child(pool, group))
		return true;

	job = list_first_entry_or_null(&group->blocked, struct kpool_job,
				       group_node);
	if (job) {
		kpool_fail_blocked(pool, &job->item, -ECANCELED);
		return true;
	}
	job = list_first_entry_or_null(&group->pending, struct kpool_job,
				       group_node);
	if (job)
		kpool_item_drop(pool, &job->item, -ECANCELED);
	else
		kpool_group_swept(group);
	return true;
}

/*
 * Put an item whose turn had come before back in front of its line, but behind
 * older ones of that kind.  There are as many as runs have ended while nothing
 * could start; beyond a number no run of the mill has, their order is not kept.
 */
void kpool_unpark(struct kpool *pool, struct kpool_item *item)
{
	unsigned int looks = KPOOL_MAX_LOOKS;
	struct kpool_item *later;

	lockdep_assert_held(&pool->lock);
	kpool_scan_again(pool, item);
	kpool_item_unlink(pool, item);
	item->state = KPOOL_ITEM_QUEUED;
	list_for_each_entry(later, kpool_queue_of(pool, item), node)
		if (kpool_is_older(item, later) || !--looks)
			break;
	list_add_tail(&item->node, &later->node);
	pool->q.nr_queued++;
	kpool_special_add(pool, item);
	if (kpool_is_special(item))
		kpool_special_account(pool, item, true);
}

/* Take a delayed job out; the timer may fire in vain. */
void kpool_delay_remove(struct kpool *pool, struct kpool_job *job)
{
	lockdep_assert_held(&pool->lock);
	kpool_scan_skip(pool, &job->item);
	rb_erase_cached(&job->delay_node, &pool->delays.jobs);
	pool->delays.nr--;
}

struct kpool_item *kpool_first_delayed(struct kpool *pool)
{
	struct rb_node *first = rb_first_cached(&pool->delays.jobs);

	return first ? &rb_entry(first, struct kpool_job, delay_node)->item :
		       NULL;
}

/* In front of the line */

/* Free units that what is to be completed leaves. */
static unsigned int kpool_units_left(const struct kpool *pool)
{
	unsigned int units = kpool_free_units(pool);

	return units - min(units, pool->q.nr_completions);
}

/* On pool->q.prio: what is to be completed has started. */
static unsigned int kpool_nr_in_line(const struct kpool *pool)
{
	return pool->q.nr_queued - pool->q.nr_completions;
}

/*
 * The first in line that the free units are too few for, or NULL; so many in
 * front of it start as soon as a worker looks, and leave so many units.  Those
 * behind it wait.  Where so many are about to start that it is not worth while to
 * count them, the last one looked at counts as the first to wait.
 */
const struct kpool_item *kpool_first_unfit(const struct kpool *pool,
					   unsigned int *nr, unsigned int *left)
{
	unsigned int looks = KPOOL_MAX_LOOKS;
	const struct kpool_item *item;
	int prio;

	*nr = 0;
	*left = kpool_units_left(pool);
	for (prio = 0; prio < KPOOL_NR_QUEUES; prio++) {
		list_for_each_entry(item, &pool->q.prio[prio], node) {
			if (!looks--) {
				*left = 0;
				return item;
			}
			if (item->flags & __KPOOL_STREAM_BLOCKED)
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
static unsigned int kpool_nr_runnable(const struct kpool *pool,
				      unsigned int *left)
{
	unsigned int ready = kpool_nr_in_line(pool) - pool->q.nr_stream_blocked, nr;

	*left = kpool_units_left(pool);
	if (ready + pool->q.extra_units <= *left) {
		*left -= ready + pool->q.extra_units;
		return ready;
	}
	if (pool->q.extra_units)
		kpool_first_unfit(pool, &nr, left);
	else
		nr = *left;
	*left = 0;
	return nr;
}

/* Could the item start at once, or do fewer than queue_depth wait? */
static bool kpool_has_room(const struct kpool *pool, const struct kpool_item *item)
{
	unsigned int left, startable;

	if (!pool->q.nr_special && !kpool_is_special(item))
		return kpool_has_plain_room(pool);
	startable = kpool_nr_runnable(pool, &left);

	if (!kpool_must_wait_for_stream(item) && kpool_units(pool, item) <= left)
		return true;
	return kpool_nr_in_line(pool) - startable + pool->q.nr_parked <
	       (unsigned int)pool->attrs.queue_depth;
}

/* Take the item of a sleeping submitter out of the queue in front. */
void kpool_unblock(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	kpool_scan_skip(pool, item);
	list_del(&item->node);
	list_del_init(&item->submitter->node);
	item->state = KPOOL_ITEM_IDLE;
	pool->q.nr_blocked--;
	kpool_special_unblock(pool, item);
	kpool_special_remove(pool, item);
}

/* End a sleeping submit with an error. */
void kpool_fail_blocked(struct kpool *pool, struct kpool_item *item, int err)
{
	struct kpool_waiter *waiter = item->submitter;

	kpool_unblock(pool, item);
	kpool_waiter_complete(pool, waiter, err);
}

/* A submitter that sleeps in a pool that has been closed is sent away. */
static bool kpool_fail_one_blocked(struct kpool *pool)
{
	struct kpool_waiter *waiter;

	if (!pool->closed || list_empty(&pool->q.submitters))
		return false;
	waiter = list_first_entry(&pool->q.submitters, struct kpool_waiter, node);
	kpool_fail_blocked(pool, waiter->item, -ESHUTDOWN);
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
	if (kpool_fail_one_blocked(pool))
		return true;
	item = list_first_entry_or_null(&pool->q.admission, struct kpool_item,
					node);
	if (!item || !kpool_has_room(pool, item))
		return false;
	if (item->state == KPOOL_ITEM_BACKLOG) {
		kpool_item_unlink(pool, item);
		/* behind those that came before it, accepted only now */
		item->queued_at = jiffies;
		item->seq = pool->q.next_seq++;
		kpool_enqueue(pool, item);
		return true;
	}

	waiter = item->submitter;
	err = kpool_is_special(item) ? kpool_special_check(pool, item) : 0;
	if (err == -ECANCELED) {
		kpool_fail_blocked(pool, item, err);
		return true;
	}
	kpool_unblock(pool, item);
	kpool_accept(pool, item);
	kpool_enqueue(pool, item);
	kpool_waiter_complete(pool, waiter, 0);
	return true;
}

/* Whose turn it is */

/* Put aside an item whose turn has come while its earlier run lasts. */
static void kpool_set_requeue(struct kpool *pool, struct kpool_run *run,
			      struct kpool_item *item)
{
	kpool_item_unlink(pool, item);
	item->state = KPOOL_ITEM_REQUEUE;
	run->requeue = item;
	run->special = true;
	pool->q.nr_requeue++;
	kpool_special_add(pool, item);
}

/* The run has ended: its item, pending again, is first in line. */
void kpool_requeue(struct kpool *pool, struct kpool_item *item)
{
	kpool_scan_again(pool, item);
	if (item->state == KPOOL_ITEM_DROPPING) {
		list_add_tail(&item->node, &pool->drops.items);
		kpool_context_queue(&pool->drops.work);
	} else if (pool->aborted) {
		kpool_item_drop(pool, item, -ECANCELED);
	} else {
		kpool_unpark(pool, item);
	}
}

/* Must the next start go to a lower priority? */
static bool kpool_bypass_exhausted(const struct kpool *pool)
{
	int most = pool->attrs.max_bypass;

	return most != KPOOL_UNLIMITED &&
	       pool->q.nr_bypassed >= (unsigned int)most;
}

/* The first of the highest priority; at times, the oldest of a lower one. */
static struct kpool_item *kpool_pick_prio(struct kpool *pool)
{
	struct kpool_item *first = NULL, *lower = NULL, *item;
	int prio;

	for (prio = 0; prio < KPOOL_NR_QUEUES; prio++) {
		item = list_first_entry_or_null(&pool->q.prio[prio],
						struct kpool_item, node);
		if (!item)
			continue;
		if (!first)
			first = item;
		else if (!lower || kpool_is_older(item, lower))
			lower = item;
	}
	return lower && kpool_bypass_exhausted(pool) ? lower : first;
}

/* Must the first item wait for something but units and pause? */
static bool kpool_must_park(const struct kpool_item *item)
{
	return (item->flags & __KPOOL_STREAM_BLOCKED) || kpool_run_of(item);
}

/* Is the first in line to be started, or parked? */
static bool kpool_has_line_work(struct kpool *pool)
{
	const struct kpool_item *item;

	if (!kpool_nr_in_line(pool) || pool->paused || pool->aborted ||
	    !kpool_free_units(pool))
		return false;
	item = kpool_pick_prio(pool);
	return kpool_must_park(item) ||
	       kpool_units(pool, item) <= kpool_free_units(pool);
}

/* The turn of a job that follows has come. */
static void kpool_park(struct kpool *pool, struct kpool_item *item)
{
	kpool_item_unlink(pool, item);
	item->state = KPOOL_ITEM_PARKED;
	list_add_tail(&item->node, &pool->q.parked);
	pool->q.nr_parked++;
	kpool_special_add(pool, item);
}

/* Park those in front that cannot start, a batch at most: are there more? */
bool kpool_park_batch(struct kpool *pool)
{
	struct kpool_item *item;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < KPOOL_PARK_BATCH; i++) {
		if (!kpool_has_line_work(pool))
			return false;
		item = kpool_pick_prio(pool);
		if (!kpool_must_park(item))
			return false;
		if (item->flags & __KPOOL_STREAM_BLOCKED)
			kpool_park(pool, item);
		else
			kpool_set_requeue(pool, item->run, item);
	}
	return true;
}

/* kpool_has_work() where not all is plain. */
bool kpool_has_special_work(struct kpool *pool)
{
	if (pool->q.nr_completions)
		return kpool_free_units(pool);
	return kpool_has_line_work(pool);
}

/* The item that can start now, of any kind; NULL also if there is more to park. */
struct kpool_item *kpool_pick_next(struct kpool *pool)
{
	struct kpool_item *item;

	if (pool->q.nr_completions)
		return kpool_free_units(pool) ?
		       list_first_entry(&pool->q.completions, struct kpool_item,
					node) : NULL;
	kpool_park_batch(pool);
	if (!kpool_has_line_work(pool))
		return NULL;
	item = kpool_pick_prio(pool);
	return kpool_must_park(item) ? NULL : item;
}

/*
 * Park what is queued before the first item that can start, a batch at most.  A
 * worker that would find nothing to start or to park stays asleep.
 */
bool kpool_prepare_start(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (pool->fast_capacity &&
	    !kpool_must_park(list_first_entry(&pool->q.prio[KPOOL_QUEUE_NORMAL],
					      struct kpool_item, node)))
		return true;
	kpool_park_batch(pool);
	return kpool_has_special_work(pool);
}

/* Room, where not every item is plain */

/* Would the item, once accepted, start without waiting for anything but a worker? */
bool kpool_can_start_now(const struct kpool *pool, const struct kpool_item *item)
{
	unsigned int left;

	if (pool->paused || !list_empty(&pool->q.admission) ||
	    kpool_run_of(item) || kpool_must_wait_for_stream(item))
		return false;
	kpool_nr_runnable(pool, &left);
	return kpool_units(pool, item) <= left;
}

/* Is there room for an item of that many units, and no submitter before it? */
static bool kpool_has_room_for(const struct kpool *pool, unsigned int units)
{
	unsigned int left, startable;

	if (!list_empty(&pool->q.admission))
		return false;
	/* what is heavier than a shrunk capacity is refused for good: -EINVAL */
	if (units != UINT_MAX)
		units = min_t(unsigned int, units, pool->attrs.capacity);
	startable = kpool_nr_runnable(pool, &left);
	return units <= left ||
	       kpool_nr_in_line(pool) - startable + pool->q.nr_parked <
	       (unsigned int)pool->attrs.queue_depth;
}

/* Have the owner told if a submitter was refused that would not be now. */
bool kpool_notify_room(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (!pool->q.room_units ||
	    (!pool->closed && !kpool_has_room_for(pool, pool->q.room_units)))
		return false;
	pool->q.room_units = 0;
	pool->q.room_stream_units = 0;
	pool->nr_recheck--;
	pool->drops.room_pending = true;
	kpool_context_queue(&pool->drops.work);
	return true;
}

/* Would there be a place in the queue if one of those who wait left it? */
bool kpool_one_slot_short(const struct kpool *pool)
{
	unsigned int left, startable = kpool_nr_runnable(pool, &left);

	return pool->attrs.queue_depth &&
	       kpool_nr_in_line(pool) - startable + pool->q.nr_parked ==
	       (unsigned int)pool->attrs.queue_depth;
}

/*
 * Odd items: those with a weight, a priority, or a job around them.
 *
 * This is the only way from the line and the worker to the rooms of those
 * abilities, and a plain item in a plain pool never comes here: an item without
 * flags is not asked for what it might have, and while nothing odd is pending
 * or blocked (nr_special), neither is the pool.
 *
 * A run may free its item, so what is needed at its end moves to the worker at
 * its beginning.
 */

/* Counting what is special */

/* To be called whenever what it depends on has changed. */
void kpool_update_fast_capacity(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	pool->fast_capacity = pool->closed || pool->paused || pool->q.nr_special ||
			       pool->runs.nr_ext || !list_empty(&pool->going) ?
			       0 : pool->attrs.capacity;
}

/* An item becomes pending or blocked. */
void kpool_special_add(struct kpool *pool, struct kpool_item *item)
{
	if (!kpool_is_special(item))
		return;
	pool->q.nr_special++;
	kpool_update_fast_capacity(pool);
}

/* An item is not pending or blocked any more. */
void kpool_special_remove(struct kpool *pool, struct kpool_item *item)
{
	if (!kpool_is_special(item))
		return;
	pool->q.nr_special--;
	kpool_update_fast_capacity(pool);
}

/* An odd item joins the line, or leaves it. */
void kpool_special_account(struct kpool *pool, struct kpool_item *item, bool in)
{
	int sign = in ? 1 : -1;

	if (item->flags & __KPOOL_STREAM_BLOCKED)
		pool->q.nr_stream_blocked += sign;
	else
		pool->q.extra_units += sign * (s64)(kpool_weight(item) - 1);
}

static bool kpool_any_queued(const struct kpool *pool, int from, int to)
{
	for (; from <= to; from++)
		if (!list_empty(&pool->q.prio[from]))
			return true;
	return false;
}

/* Count the starts past a lower priority, until one of those starts. */
static void kpool_count_bypassed(struct kpool *pool, const struct kpool_item *item)
{
	int prio = kpool_queue_of(pool, item) - pool->q.prio;

	if (!kpool_any_queued(pool, prio + 1, KPOOL_QUEUE_LOW) ||
	    kpool_any_queued(pool, KPOOL_QUEUE_HIGH, prio - 1))
		pool->q.nr_bypassed = 0;
	else
		pool->q.nr_bypassed++;
}

/*
 * Some item has been taken out of a line where perhaps not all are plain; one
 * that is dropped instead of started takes nobody's turn.
 */
void kpool_special_dequeue(struct kpool *pool, struct kpool_item *item, bool starts)
{
	if (!pool->q.nr_special) {
		/* all in line are alike: nobody has been passed */
		pool->q.nr_bypassed = 0;
		return;
	}
	if (starts)
		kpool_count_bypassed(pool, item);
	if (kpool_is_special(item))
		kpool_special_account(pool, item, false);
	kpool_special_remove(pool, item);
}

/* What happens to a special item */

/* Ordered streams */

static struct kpool_item *kpool_first_queued(struct kpool *pool)
{
	int prio;

	for (prio = 0; prio < KPOOL_NR_QUEUES; prio++)
		if (!list_empty(&pool->q.prio[prio]))
			return list_first_entry(&pool->q.prio[prio],
						struct kpool_item, node);
	return NULL;
}

/* Some accepted item that has not started, but those that a run holds. */
struct kpool_item *kpool_any_accepted(struct kpool *pool)
{
	return kpool_first_queued(pool) ?:
	       list_first_entry_or_null(&pool->q.parked, struct kpool_item, node) ?:
	       /* the submitters are sent away before */
	       (list_empty(&pool->q.submitters) ?
		list_first_entry_or_null(&pool->q.admission, struct kpool_item,
					 node) : NULL) ?:
	       kpool_first_delayed(pool);
}

/* May the item come in without waiting?  It must not overtake a sleeper. */
bool kpool_can_queue(struct kpool *pool, const struct kpool_item *item)
{
	return list_empty(&pool->q.admission) && kpool_has_room(pool, item);
}

/* An accepted item comes in; without room it waits where a submitter would. */
void kpool_queue_backlog(struct kpool *pool, struct kpool_item *item)
{
	item->state = KPOOL_ITEM_BACKLOG;
	if (kpool_can_queue(pool, item)) {
		kpool_enqueue(pool, item);
		return;
	}
	list_add_tail(&item->node, &pool->q.admission);
	pool->q.nr_backlog++;
	pool->nr_recheck++;
	kpool_special_add(pool, item);
}
