// SPDX-License-Identifier: GPL-2.0-only
/*
 * The run queue decides which items have room, and which one starts next.
 *
 * Queued items are on pool->q.prio, one list per priority; the oldest can be in
 * pool->ready instead, see queue.h.  An item that finds no room is on
 * pool->q.admission, in order of arrival.  It is either blocked with its
 * submitter (KPOOL_ITEM_BLOCKED), or already accepted (KPOOL_ITEM_BACKLOG).
 * kpool_recheck() queues these items, oldest first, as soon as there is room.
 *
 * An item that lacks units holds back all items behind it.  Any other that
 * cannot start when its turn comes must not: a job that waits for its stream is
 * parked on pool->q.parked, and an item whose previous run has not ended is
 * kept in kpool_run.requeue until it has.  kpool_unpark() puts both back into
 * their queue, ahead of all younger items.
 *
 * An item that is queued while it runs is held by that run: it is not about to
 * take a unit.
 *
 * What unlinks or drops an item, wherever it waits, is in this file, too.  So
 * is what the lock holder does for submits and starts without pool->lock, which
 * are fast operations: see queue.h.
 */
#include <linux/rbtree.h>

#include "debug.h"
#include "internal.h"
#include "queue.h"

/* Items parked or dropped under one hold of the lock. */
#define KPOOL_PICK_BATCH	KPOOL_BATCH(8)

/* Verdict on the item whose turn has come. */
enum kpool_verdict {
	KPOOL_VERDICT_WAIT,	/* no item, or no unit for it */
	KPOOL_VERDICT_RUN,
	KPOOL_VERDICT_PARK,	/* its stream or its previous run is first */
	KPOOL_VERDICT_DROP,	/* for the error of kpool_check_start() */
};

/*
 * Special items: see kpool_is_special()
 *
 * While none of them is pending or blocked (nr_special), all others take the
 * fast path.
 */

/*
 * Return true if the pool refuses submits or holds back starts, at least of one
 * module's items.
 */
static bool kpool_is_restricted(const struct kpool *pool)
{
	return pool->closed || pool->paused || !list_empty(&pool->going);
}

/*
 * Update pool->fast_capacity after a change of anything that it depends on.
 * Called with pool->lock held.
 */
void kpool_update_fast_capacity(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	pool->fast_capacity = pool->q.nr_special || kpool_is_restricted(pool) ?
			      0 : pool->attrs.capacity;
	if (!pool->fast_capacity)
		kpool_ready_return(pool);
}

static void kpool_count_special(struct kpool *pool)
{
	pool->q.nr_special++;
	pool->fast_capacity = 0;
	kpool_ready_return(pool);
}

static void kpool_uncount_special(struct kpool *pool)
{
	if (!--pool->q.nr_special)
		kpool_update_fast_capacity(pool);
}

/*
 * Account for an item that becomes pending or blocked.  Called with pool->lock
 * held.
 */
void kpool_special_add(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	if (kpool_is_special(item))
		kpool_count_special(pool);
}

/* Account for an item that was pending or blocked. */
static void kpool_special_remove(struct kpool *pool, struct kpool_item *item)
{
	if (kpool_is_special(item))
		kpool_uncount_special(pool);
}

/*
 * Account for a special item that is added to pool->q.prio, or removed.  Called
 * with pool->lock held.
 */
void kpool_prio_account(struct kpool *pool, const struct kpool_item *item,
			bool in)
{
	int sign = in ? 1 : -1;

	lockdep_assert_held(&pool->lock);
	if (item->flags & __KPOOL_STREAM_BLOCKED)
		pool->q.nr_stream_blocked += sign;
	else if (item->flags & __KPOOL_WEIGHTED && !kpool_is_held(pool, item))
		pool->q.extra_units += sign * (s64)(item->weight - 1);
}

/* Account for a special item that has left pool->q.prio. */
static void kpool_prio_left(struct kpool *pool, const struct kpool_item *item)
{
	struct kpool_item **put_back = &pool->q.put_back[kpool_prio_of(item)];

	if (*put_back == item)
		*put_back = NULL;
	kpool_prio_account(pool, item, false);
}

/* Adding and removing items */

/*
 * Account for an accepted item, which is queued or delayed next.  Called with
 * pool->lock held.
 */
void kpool_accept(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	kpool_count_accepted(pool, item);
	if (kpool_has_fields(item))
		kpool_group_join(pool, item);
}

/*
 * Queue an accepted item that there is room for.  Called with pool->lock held.
 */
void kpool_enqueue(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	item->state = KPOOL_ITEM_QUEUED;
	list_add_tail(&item->node, kpool_queue_of(pool, item));
	pool->q.nr_queued++;
	if (!kpool_is_special(item)) {
		kpool_hold(pool, item);
		return;
	}
	if (kpool_has_fields(item))
		kpool_stream_join(pool, item);
	kpool_count_special(pool);
	kpool_hold(pool, item);
	kpool_prio_account(pool, item, true);
}

static void kpool_queue_del(struct kpool *pool, struct kpool_item *item)
{
	list_del(&item->node);
	pool->q.nr_queued--;
	if (kpool_is_special(item))
		kpool_prio_left(pool, item);
	if (kpool_is_held(pool, item)) {
		item->run->requeue = NULL;
		pool->q.nr_held--;
	}
}

/* Take an item away from the parked ones, or from its previous run. */
static void kpool_parked_del(struct kpool *pool, struct kpool_item *item)
{
	if (item->state == KPOOL_ITEM_PARKED) {
		list_del(&item->node);
		pool->q.nr_parked--;
	} else {
		item->run->requeue = NULL;
		pool->q.nr_requeue--;
	}
}

/*
 * Unlink an accepted item from the list or tree that it waits on.  The caller
 * sets the item's next state, once.  Called with pool->lock held.
 */
static void kpool_item_unlink(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	if (item->state == KPOOL_ITEM_READY)
		kpool_ready_return(pool);
	kpool_scan_skip(pool, item);
	switch (item->state) {
	case KPOOL_ITEM_QUEUED:
		kpool_queue_del(pool, item);
		kpool_special_remove(pool, item);
		break;
	case KPOOL_ITEM_REQUEUE:
	case KPOOL_ITEM_PARKED:
		kpool_parked_del(pool, item);
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
}

/* Advance searches past the item: slow path of kpool_scan_skip(). */
void __kpool_scan_skip(struct kpool *pool, struct kpool_item *item)
{
	bool delayed = item->state == KPOOL_ITEM_DELAYED;
	struct kpool_going *going;

	list_for_each_entry(going, &pool->going, node) {
		if (delayed &&
		    going->next_delayed == &kpool_job_of(item)->delay_node)
			going->next_delayed = rb_next(going->next_delayed);
		else if (!delayed && going->next == &item->node)
			going->next = item->node.next;
	}
}

/* Have searches start over: slow path of kpool_scan_again(). */
void __kpool_scan_again(struct kpool *pool, const struct kpool_item *item)
{
	struct kpool_going *going;

	list_for_each_entry(going, &pool->going, node)
		if (kpool_is_of_module(item, going->module))
			going->again = true;
}

/* Return true if the accepted item has joined its stream, if it has one. */
static bool kpool_is_in_stream(const struct kpool_item *item)
{
	return item->state != KPOOL_ITEM_DELAYED &&
	       item->state != KPOOL_ITEM_BACKLOG &&
	       item->state != KPOOL_ITEM_DROPPING;
}

/*
 * Unlink an accepted item that will not run, and let its stream continue.  The
 * caller sets the item's next state.  Called with pool->lock held.
 */
void kpool_item_remove(struct kpool *pool, struct kpool_item *item)
{
	bool in_stream = kpool_is_in_stream(item);

	lockdep_assert_held(&pool->lock);
	kpool_item_unlink(pool, item);
	if (in_stream)
		kpool_stream_leave(pool, item);
}

/*
 * Leave an accepted item to the drop work, which calls its drop function with
 * @err.  If a previous run of the item has not ended, the run keeps the item
 * until then.  Called with pool->lock held.
 */
void kpool_item_drop(struct kpool *pool, struct kpool_item *item, int err)
{
	struct kpool_group *group = kpool_group_of(item);
	struct kpool_run *run = kpool_run_of(item);
	bool in_stream = kpool_is_in_stream(item);

	lockdep_assert_held(&pool->lock);
	kpool_item_unlink(pool, item);
	item->state = KPOOL_ITEM_DROPPING;
	/* the group can be cancelled before kpool_sweep_groups() visits it */
	item->err = kpool_group_is_cancelled(group) ? -ECANCELED : err;
	pool->drops.nr++;
	if (group)
		list_del_init(&kpool_job_of(item)->group_node);
	if (run) {
		run->requeue = item;
		run->end_locked = true;
	} else {
		list_add_tail(&item->node, &pool->drops.items);
		kpool_context_queue(&pool->drops.work);
	}
	/* a search for cycles must see by which thread it is dropped */
	if (in_stream)
		kpool_stream_leave(pool, item);
}

/*
 * Add an item to its queue, ahead of all that are younger.  Look for the first
 * of these behind the last item that was put back, as most are put back in
 * order.  Skip at most KPOOL_MAX_LOOKS items, to bound the time under the lock;
 * the order of more is not kept.
 */
static void kpool_queue_by_age(struct kpool *pool, struct kpool_item *item)
{
	struct list_head *queue = kpool_queue_of(pool, item);
	struct kpool_item **last = &pool->q.put_back[kpool_prio_of(item)];
	struct kpool_item *later = *last;
	unsigned int looks = KPOOL_MAX_LOOKS;

	if (!later || kpool_is_older(item, later))
		later = list_first_entry(queue, struct kpool_item, node);
	list_for_each_entry_from(later, queue, node)
		if (kpool_is_older(item, later) || !--looks)
			break;
	list_add_tail(&item->node, &later->node);
	pool->q.nr_queued++;
	kpool_hold(pool, item);
	if (kpool_is_special(item)) {
		*last = item;
		kpool_prio_account(pool, item, true);
	}
}

/*
 * Put an item that was parked, or kept by its previous run, back into its
 * queue.  All that is younger is behind it.  Called with pool->lock held.
 */
void kpool_unpark(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	kpool_scan_again(pool, item);
	kpool_scan_skip(pool, item);
	kpool_parked_del(pool, item);
	kpool_ready_return(pool);
	item->state = KPOOL_ITEM_QUEUED;
	kpool_queue_by_age(pool, item);
}

/*
 * Account for a queued item that was held by a run, which has ended.  Only
 * now is it known that an ordered job waits for its turn.  The run of the first
 * turn can sleep for that job.  Called with pool->lock held.
 */
static void kpool_unhold(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	pool->q.nr_held--;
	pool->q.extra_units += kpool_weight(item) - 1;
	if (kpool_is_ordered(item))
		kpool_stream_refuse_at_leader(pool, kpool_job_of(item)->stream);
}

/* Put an item back, or have it dropped, once its previous run has ended. */
static void kpool_requeue(struct kpool *pool, struct kpool_item *item)
{
	if (item->state == KPOOL_ITEM_QUEUED) {
		kpool_unhold(pool, item);
		return;
	}
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

/*
 * Requeue the item of a run that ends if it was submitted again, with the
 * waiters for its next run.  Called with pool->lock held.
 */
void kpool_run_requeue(struct kpool *pool, struct kpool_run *run)
{
	struct kpool_item *item = run->requeue;

	lockdep_assert_held(&pool->lock);
	kpool_waiters_keep(&run->next_waiters);
	run->requeue = NULL;
	if (item)
		kpool_requeue(pool, item);
}

/* Order of starts */

/* Return true if the item waits for its stream, or for its previous run. */
static bool kpool_should_park(const struct kpool_item *item)
{
	return (item->flags & __KPOOL_STREAM_BLOCKED) || kpool_run_of(item);
}

/* Return the free units that pending completions leave. */
static unsigned int kpool_units_left(const struct kpool *pool)
{
	unsigned int units = kpool_free_units(pool);

	return units - min(units, pool->q.nr_completions);
}

/* Return true if the next item has to come from a lower priority. */
static bool kpool_is_bypass_exhausted(const struct kpool *pool,
				      unsigned int nr_bypassed)
{
	int most = pool->attrs.max_bypass;

	return most != KPOOL_UNLIMITED && nr_bypassed >= (unsigned int)most;
}

/* Return true if no item of high or low priority is queued. */
static inline bool kpool_is_unranked(const struct kpool *pool)
{
	return list_empty(&pool->q.prio[KPOOL_QUEUE_HIGH]) &&
	       list_empty(&pool->q.prio[KPOOL_QUEUE_LOW]);
}

/* Set @at to the first items of each priority, or to the list heads. */
static void kpool_first_at(const struct kpool *pool, struct list_head **at)
{
	int prio;

	for (prio = 0; prio < KPOOL_NR_QUEUES; prio++)
		at[prio] = pool->q.prio[prio].next;
}

/*
 * Return the item that starts next, or NULL.  It is the first of the highest
 * priority or, after max_bypass starts, the oldest of the lower ones.  @at are
 * the first items of each priority, or the list heads.  @nr_bypassed items have
 * started ahead of a lower priority.
 */
static struct kpool_item *kpool_pick_at(const struct kpool *pool,
					struct list_head *const *at,
					unsigned int nr_bypassed)
{
	bool exhausted = kpool_is_bypass_exhausted(pool, nr_bypassed);
	struct kpool_item *first = NULL, *lower = NULL, *item;
	int prio;

	for (prio = 0; prio < KPOOL_NR_QUEUES; prio++) {
		if (at[prio] == &pool->q.prio[prio])
			continue;
		item = list_entry(at[prio], struct kpool_item, node);
		if (!exhausted)
			return item;
		if (!first)
			first = item;
		else if (!lower || kpool_is_older(item, lower))
			lower = item;
	}
	return lower ?: first;
}

/*
 * Return @nr_bypassed as it is after the start of an item of @prio, when @at
 * are the first items left.  It is 0 if no lower priority has items, or if the
 * item has started ahead of a higher priority.
 */
static unsigned int kpool_bypassed_at(const struct kpool *pool,
				      struct list_head *const *at, int prio,
				      unsigned int nr_bypassed)
{
	bool lower = false;
	int i;

	for (i = 0; i < KPOOL_NR_QUEUES; i++) {
		if (i == prio || at[i] == &pool->q.prio[i])
			continue;
		if (i < prio)
			return 0;
		lower = true;
	}
	return lower ? nr_bypassed + 1 : 0;
}

/* Room */

/*
 * Walk through the queued items in the order in which they start, up to the
 * first that does not fit the free units.  Items that wait for their stream or
 * their own run are skipped.  After KPOOL_MAX_LOOKS items, treat the next one
 * as the first that does not fit, and no unit as free.  Count the looks: see
 * kpool_hold_is_long().  Called with pool->lock held.
 */
void kpool_find_unfit(struct kpool *pool, struct kpool_runnable *r)
{
	unsigned int looks = KPOOL_MAX_LOOKS;
	const struct kpool_item *item;
	int prio;

	lockdep_assert_held(&pool->lock);
	kpool_first_at(pool, r->at);
	r->nr = 0;
	r->left = kpool_units_left(pool);
	r->nr_bypassed = pool->q.nr_bypassed;
	r->walked = true;
	while ((item = kpool_pick_at(pool, r->at, r->nr_bypassed))) {
		if (!looks--) {
			r->left = 0;
			break;
		}
		pool->hold_cost += KPOOL_COST_LOOK;
		prio = kpool_prio_of(item);
		r->at[prio] = item->node.next;
		if (kpool_should_park(item))
			continue;
		if (kpool_units(pool, item) > r->left)
			break;
		r->left -= kpool_units(pool, item);
		r->nr++;
		r->nr_bypassed = kpool_bypassed_at(pool, r->at, prio,
						   r->nr_bypassed);
	}
	r->unfit = item;
}

/*
 * Return true if a new item of priority @prio, with the units it needs, would
 * start ahead of the first item that lacks units.
 */
bool kpool_can_bypass(const struct kpool *pool, enum kpool_queue_prio prio,
		      const struct kpool_runnable *r)
{
	return !r->unfit || (prio < kpool_prio_of(r->unfit) &&
			     !kpool_is_bypass_exhausted(pool, r->nr_bypassed));
}

/*
 * Find the queued items that start as soon as a worker looks.  Called with
 * pool->lock held.
 */
void kpool_find_runnable(struct kpool *pool, struct kpool_runnable *r)
{
	unsigned int runnable;

	lockdep_assert_held(&pool->lock);
	runnable = kpool_nr_in_prio(pool) - pool->q.nr_stream_blocked -
		    pool->q.nr_held;
	r->unfit = NULL;
	r->walked = false;
	r->left = kpool_units_left(pool);
	if (runnable + pool->q.extra_units <= r->left) {
		r->nr = runnable;
		r->left -= runnable + pool->q.extra_units;
	} else if (pool->q.extra_units) {
		kpool_find_unfit(pool, r);
	} else {
		r->nr = r->left;
		r->left = 0;
	}
}

/*
 * Return the number of queued items that start as soon as a worker looks.
 * *@left is the number of free units that they leave for a new item of priority
 * @prio: none if it would have to wait behind one that lacks units.  Called
 * with pool->lock held.
 */
unsigned int kpool_nr_runnable(struct kpool *pool, enum kpool_queue_prio prio,
			       unsigned int *left)
{
	struct kpool_runnable r;

	lockdep_assert_held(&pool->lock);
	kpool_find_runnable(pool, &r);
	*left = kpool_can_bypass(pool, prio, &r) ? r.left : 0;
	return r.nr;
}

/*
 * Return the number of places in the queue that are taken, not counting
 * @runnable of the queued items.
 */
unsigned int kpool_nr_places_taken(const struct kpool *pool,
				   unsigned int runnable)
{
	return kpool_nr_in_prio(pool) - runnable + pool->q.nr_parked +
	       pool->q.nr_requeue;
}

/*
 * Return true if fewer than queue_depth items wait, not counting @runnable of
 * those that are queued.
 */
static bool kpool_has_place(const struct kpool *pool, unsigned int runnable)
{
	return kpool_nr_places_taken(pool, runnable) <
	       (unsigned int)pool->attrs.queue_depth;
}

/*
 * Return true if the item could start at once, or fewer than queue_depth wait.
 */
static noinline bool kpool_has_special_room(struct kpool *pool,
					    const struct kpool_item *item)
{
	unsigned int left, runnable;

	runnable = kpool_nr_runnable(pool, kpool_prio_of(item), &left);
	if (!kpool_should_wait_for_stream(item) &&
	    kpool_units(pool, item) <= left)
		return true;
	return kpool_has_place(pool, runnable);
}

/*
 * Return true if there is room for the item.  Count the items that could start
 * only if that matters.
 */
static bool kpool_has_room(struct kpool *pool, const struct kpool_item *item)
{
	if (!pool->q.nr_special && !kpool_is_special(item) &&
	    kpool_has_plain_room(pool))
		return true;
	return kpool_has_place(pool, 0) || kpool_has_special_room(pool, item);
}

/*
 * Return true if the item can be queued at once: there is room for it, and no
 * older item on pool->q.admission to overtake.  Called with pool->lock held.
 */
bool kpool_can_queue(struct kpool *pool, const struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	return list_empty(&pool->q.admission) && kpool_has_room(pool, item);
}

/* Admission */

/*
 * Remove the item of a blocked submitter from pool->q.admission.  The caller
 * sets the item's next state.  Called with pool->lock held.
 */
void kpool_unblock(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	kpool_scan_skip(pool, item);
	list_del(&item->node);
	list_del_init(&item->submitter->node);
	pool->q.nr_blocked--;
	kpool_group_unblock(pool, item);
	kpool_special_remove(pool, item);
}

/*
 * Return an item that the pool has refused to the run that handed it over,
 * which has not ended.  Waiters for the item go on there: see
 * kpool_flush_item().  The pool is not the owner afterwards.  Called with
 * pool->lock held.
 */
void kpool_item_return(struct kpool *pool, struct kpool_item *item,
		       const struct kpool_handover *handover)
{
	LIST_HEAD(waiters);

	lockdep_assert_held(&pool->lock);
	if (!handover->run)
		return;
	/* before they are completed: kpool_flush_item() looks at it */
	WRITE_ONCE(handover->run->nr_refused, handover->run->nr_refused + 1);
	kpool_waiters_move(pool, item, &waiters);
	kpool_waiter_complete_list(pool, &waiters, false);
	item->run = handover->run;
	/* pairs as in kpool_item_migrate(); Litmus: owner-returned */
	smp_store_release(&item->pool_id, handover->owner);
}

/* Complete a blocked submitter with an error.  Called with pool->lock held. */
void kpool_fail_blocked(struct kpool *pool, struct kpool_item *item, int err)
{
	struct kpool_waiter *waiter = item->submitter;

	lockdep_assert_held(&pool->lock);
	kpool_unblock(pool, item);
	item->state = KPOOL_ITEM_IDLE;
	kpool_item_return(pool, item, &waiter->handover);
	kpool_waiter_complete(pool, waiter, err);
}

/* Fail a blocked submitter of a closed pool; false if there is none. */
static bool kpool_fail_one_blocked(struct kpool *pool)
{
	struct kpool_waiter *waiter;

	if (!pool->closed || list_empty(&pool->q.submitters))
		return false;
	waiter = list_first_entry(&pool->q.submitters, struct kpool_waiter,
				  node);
	kpool_fail_blocked(pool, waiter->item, -ESHUTDOWN);
	return true;
}

/*
 * Queue the oldest item on pool->q.admission if there is room for it, and
 * complete its submitter.  In a closed pool fail a submitter instead.  Return
 * false if nothing can be done.  No item is admitted before an older one.
 * Called with pool->lock held.
 */
bool kpool_admit_one(struct kpool *pool)
{
	struct kpool_waiter *waiter;
	struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	if (kpool_fail_one_blocked(pool))
		return true;
	item = list_first_entry_or_null(&pool->q.admission, struct kpool_item,
					node);
	if (!item || !kpool_has_room(pool, item))
		return false;
	if (item->state == KPOOL_ITEM_BACKLOG) {
		kpool_item_unlink(pool, item);
		/* again: items ahead of it can have been accepted later */
		kpool_stamp(pool, item);
		kpool_enqueue(pool, item);
		return true;
	}

	waiter = item->submitter;
	/* the group can be cancelled before kpool_sweep_groups() visits it */
	if (kpool_group_is_cancelled(kpool_group_of(item))) {
		kpool_fail_blocked(pool, item, -ECANCELED);
		return true;
	}
	kpool_unblock(pool, item);
	kpool_accept(pool, item);
	kpool_enqueue(pool, item);
	kpool_waiter_complete(pool, waiter, 0);
	return true;
}

/*
 * Add an accepted item to the backlog, ahead of @next on pool->q.admission.
 * Called with pool->lock held.
 */
void kpool_backlog_add(struct kpool *pool, struct kpool_item *item,
		       struct list_head *next)
{
	lockdep_assert_held(&pool->lock);
	item->state = KPOOL_ITEM_BACKLOG;
	list_add_tail(&item->node, next);
	pool->q.nr_backlog++;
	pool->nr_recheck++;
	kpool_special_add(pool, item);
}

/* Room after a refusal */

/*
 * Return true if an item that was refused would find room now, with none ahead
 * of it on pool->q.admission.
 */
static bool kpool_has_room_for_refused(struct kpool *pool)
{
	struct kpool_runnable r;
	unsigned int units;
	int prio;

	if (!list_empty(&pool->q.admission))
		return false;
	kpool_find_runnable(pool, &r);
	if (kpool_has_place(pool, r.nr))
		return true;
	for (prio = 0; prio < KPOOL_NR_QUEUES; prio++) {
		units = pool->q.room_units[prio];
		/* capacity can have shrunk below this: a retry gets -EINVAL */
		if (units != KPOOL_ROOM_STREAM)
			units = min_t(unsigned int, units,
				      pool->attrs.capacity);
		if (units && units <= r.left &&
		    kpool_can_bypass(pool, prio, &r))
			return true;
	}
	return false;
}

/*
 * Have the drop work call the client's room function if an item that was
 * refused would find room now, or the pool is closed.  Return true if so.
 * Called with pool->lock held.
 */
bool kpool_notify_room(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (!kpool_has_refused(pool->q.room_units) ||
	    (!pool->closed && !kpool_has_room_for_refused(pool)))
		return false;
	memset(pool->q.room_units, 0, sizeof(pool->q.room_units));
	memset(pool->q.room_stream_units, 0, sizeof(pool->q.room_stream_units));
	pool->q.room_epoch++;
	pool->nr_recheck--;
	pool->drops.room_pending = true;
	kpool_context_queue(&pool->drops.work);
	return true;
}

/* Picking the next item */

/* Return 0 if the item can start, or the error to drop it with. */
int kpool_check_start(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	if (!job)
		return 0;
	if (kpool_group_is_cancelled(job->group))
		return -ECANCELED;
	return kpool_is_past_deadline(job->deadline) ? -ETIME : 0;
}

/*
 * Pick like kpool_pick_prio(), among several priorities.  Out of line, because
 * an array on the stack makes the compiler check the stack of each caller.
 */
static noinline struct kpool_item *kpool_pick_ranked(const struct kpool *pool)
{
	struct list_head *at[KPOOL_NR_QUEUES];

	kpool_first_at(pool, at);
	return kpool_pick_at(pool, at, pool->q.nr_bypassed);
}

/*
 * Return the item that starts next: see kpool_pick_at().  Called with
 * pool->lock held.
 */
struct kpool_item *kpool_pick_prio(const struct kpool *pool)
{
	const struct list_head *normal = &pool->q.prio[KPOOL_QUEUE_NORMAL];

	lockdep_assert_held(&pool->lock);
	if (pool->ready.nr)
		return kpool_ready_first(pool);
	if (!kpool_is_unranked(pool))
		return kpool_pick_ranked(pool);
	return list_empty(normal) ? NULL :
	       list_first_entry(normal, struct kpool_item, node);
}

/*
 * Decide what to do with the next item of pool->q.prio, which is returned in
 * *@next.  Nothing is changed: the caller acts on the verdict.
 */
static __always_inline enum kpool_verdict
kpool_pick_next(const struct kpool *pool, struct kpool_item **next)
{
	unsigned int units = kpool_free_units(pool);
	struct kpool_item *item;

	if (!kpool_nr_in_prio(pool) || pool->paused || pool->aborted || !units)
		return KPOOL_VERDICT_WAIT;
	item = kpool_pick_prio(pool);
	*next = item;
	if (kpool_should_park(item))
		return KPOOL_VERDICT_PARK;
	if (kpool_units(pool, item) > units)
		return KPOOL_VERDICT_WAIT;
	return kpool_has_fields(item) && kpool_check_start(item) ?
	       KPOOL_VERDICT_DROP : KPOOL_VERDICT_RUN;
}

/*
 * Park an item whose turn has come before that of its stream, or leave it to
 * its previous run, which has not ended.
 */
static void kpool_park(struct kpool *pool, struct kpool_item *item)
{
	kpool_scan_skip(pool, item);
	kpool_queue_del(pool, item);
	if (item->flags & __KPOOL_STREAM_BLOCKED) {
		item->state = KPOOL_ITEM_PARKED;
		list_add_tail(&item->node, &pool->q.parked);
		pool->q.nr_parked++;
	} else {
		item->state = KPOOL_ITEM_REQUEUE;
		item->run->requeue = item;
		item->run->end_locked = true;
		pool->q.nr_requeue++;
	}
}

/*
 * Park items that are next but cannot start, at most a batch.  Return true if
 * there can be more to park.  Called with pool->lock held.
 */
bool kpool_park_batch(struct kpool *pool)
{
	struct kpool_item *item;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < KPOOL_PICK_BATCH; i++) {
		if (kpool_pick_next(pool, &item) != KPOOL_VERDICT_PARK)
			return false;
		kpool_park(pool, item);
		pool->hold_cost += KPOOL_COST_DROP;
	}
	return true;
}

/* Slow path of kpool_has_runnable(). */
bool kpool_has_runnable_slow(const struct kpool *pool)
{
	struct kpool_item *item;

	if (pool->q.nr_completions)
		return kpool_free_units(pool);
	return kpool_pick_next(pool, &item) != KPOOL_VERDICT_WAIT;
}

/*
 * Return the next item that runs, or NULL: slow path of kpool_dequeue().  Items
 * ahead of it are parked or dropped.  NULL is also returned if a batch was not
 * enough, or the hold is long.  A completion comes before any other item,
 * including one that a drop makes possible.  Called with pool->lock held.
 */
struct kpool_item *kpool_dequeue_slow(struct kpool *pool)
{
	struct kpool_item *item;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < KPOOL_PICK_BATCH && !kpool_has_walked(pool); i++) {
		if (i && kpool_hold_is_long(pool))
			break;
		if (pool->q.nr_completions)
			return kpool_free_units(pool) ?
			       list_first_entry(&pool->q.completions,
						struct kpool_item, node) : NULL;
		switch (kpool_pick_next(pool, &item)) {
		case KPOOL_VERDICT_WAIT:
			return NULL;
		case KPOOL_VERDICT_RUN:
			return item;
		case KPOOL_VERDICT_PARK:
			kpool_park(pool, item);
			break;
		case KPOOL_VERDICT_DROP:
			kpool_item_drop(pool, item, kpool_check_start(item));
			break;
		}
		pool->hold_cost += KPOOL_COST_DROP;
	}
	return NULL;
}

/*
 * Park items ahead of the first one that can start, at most one batch.
 * Return false if no worker is needed: there is nothing to start or drop, and
 * nothing more to park.  Called with pool->lock held.
 */
bool kpool_prepare_start(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (pool->ready.nr)
		return true;
	/* if fast_capacity is not 0, no item waits for its stream */
	if (pool->fast_capacity && !pool->q.nr_held)
		return true;
	return kpool_park_batch(pool) || kpool_has_runnable_slow(pool);
}

/*
 * Account for a start past lower priorities.  Out of line, as
 * kpool_pick_ranked() is.
 */
static noinline void kpool_count_bypass(struct kpool *pool,
					enum kpool_queue_prio prio)
{
	struct list_head *at[KPOOL_NR_QUEUES];

	kpool_first_at(pool, at);
	pool->q.nr_bypassed = kpool_bypassed_at(pool, at, prio,
						pool->q.nr_bypassed);
}

/*
 * Account for an item that the slow path has dequeued to run or complete it.
 * Called with pool->lock held.
 */
void kpool_account_dequeued(struct kpool *pool, struct kpool_item *item)
{
	enum kpool_queue_prio prio = kpool_prio_of(item);

	lockdep_assert_held(&pool->lock);
	if (kpool_is_completion(item)) {
		pool->q.nr_completions--;
		kpool_special_remove(pool, item);
		return;
	}
	/* if all queued items have one priority, none was bypassed */
	if (prio == KPOOL_QUEUE_NORMAL && kpool_is_unranked(pool))
		pool->q.nr_bypassed = 0;
	else
		kpool_count_bypass(pool, prio);
	if (kpool_is_special(item)) {
		kpool_prio_left(pool, item);
		kpool_uncount_special(pool);
	}
}

/* Accepted items, wherever they wait */

/*
 * Return an accepted item that has not started, or NULL.  Items kept by their
 * previous run are not considered.  Called with pool->lock held.
 */
struct kpool_item *kpool_any_accepted(struct kpool *pool)
{
	struct list_head *at[KPOOL_NR_QUEUES];

	lockdep_assert_held(&pool->lock);
	kpool_first_at(pool, at);
	return kpool_pick_at(pool, at, 0) ?:
	       list_first_entry_or_null(&pool->q.parked, struct kpool_item,
					node) ?:
	       /* without submitters, pool->q.admission is all backlog */
	       (list_empty(&pool->q.submitters) ?
		list_first_entry_or_null(&pool->q.admission, struct kpool_item,
					 node) : NULL) ?:
	       kpool_first_delayed(pool);
}

/*
 * Remove a delayed job.  The timer stays armed; its handler checks the tree.
 * Called with pool->lock held.
 */
void kpool_delay_remove(struct kpool *pool, struct kpool_job *job)
{
	lockdep_assert_held(&pool->lock);
	kpool_scan_skip(pool, &job->item);
	rb_erase_cached(&job->delay_node, &pool->delays.jobs);
	pool->delays.nr--;
}

/* Return the delayed item that is due first, or NULL. */
struct kpool_item *kpool_first_delayed(struct kpool *pool)
{
	struct rb_node *first = rb_first_cached(&pool->delays.jobs);

	return first ? &rb_entry(first, struct kpool_job, delay_node)->item :
		       NULL;
}

/* Pass a group's cancellation on to a child; false if there is none left. */
static bool kpool_sweep_child(struct kpool *pool, struct kpool_group *group)
{
	struct kpool_group *child;

	/* swept children are at the end of the list */
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
 * Take one job out of a cancelled group, or pass the cancellation on to a
 * child.  Return false if no cancelled group is left.  This terminates because
 * a cancelled group accepts no jobs.  Called with pool->lock held.
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
	/* jobs in the ready ring are not on the list of their group */
	kpool_ready_return(pool);
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

/* Fast operations: what the lock holder does for them */

/* Have the tickets start shortly before they wrap, so that tests cover that. */
void kpool_rings_init(struct kpool *pool)
{
	u64 ticket = KPOOL_TICKET_MASK - 10;
	unsigned int i;

	pool->inbox.first = ticket;
	for (i = 0; i < KPOOL_RING_SIZE; i++, ticket++)
		pool->inbox.slots[ticket % KPOOL_RING_SIZE] =
			kpool_slot_tag(ticket);
}

/*
 * Make @next follow @prev on a list, of which several entries change at once.
 */
static void kpool_link(struct list_head *prev, struct list_head *next)
{
	prev->next = next;
	next->prev = prev;
}

/* Fast submits */

/* Close the inbox.  Return the number of slots that have been reserved. */
unsigned int kpool_inbox_close(struct kpool_inbox *inbox)
{
	unsigned int nr = inbox->nr_open;

	inbox->nr_open = 0;
	/* relaxed: kpool_slot_settle() acquires each slot */
	return nr - (atomic64_xchg_relaxed(&inbox->next, 0) & KPOOL_LEFT_MASK);
}

/* Queue the items that have been submitted: see kpool_queue_plain(). */
static void kpool_settle_submits(struct kpool *pool, unsigned int used)
{
	struct list_head *queue = &pool->q.prio[KPOOL_QUEUE_NORMAL];
	struct kpool_inbox *inbox = &pool->inbox;
	struct list_head *last = queue->prev;
	u32 seq = pool->q.next_seq, now = inbox->opened_at;
	u64 ticket = inbox->first, end = ticket + used;
	u32 epoch = pool->epoch;
	struct kpool_item *item;
	unsigned int submitted;

	while ((item = kpool_inbox_pop(inbox, &ticket, end))) {
		item->queued_at = now;
		item->epoch = epoch;
		item->seq = seq++;
		kpool_debug_activate(item);
		if (kpool_has_fields(item))
			kpool_group_join(pool, item);
		if (last == queue && kpool_ready_add(pool, item, true))
			continue;
		item->state = KPOOL_ITEM_QUEUED;
		kpool_link(last, &item->node);
		last = &item->node;
		kpool_hold(pool, item);
	}
	inbox->first = end;
	kpool_link(last, queue);
	submitted = seq - pool->q.next_seq;
	pool->q.next_seq = seq;
	pool->q.nr_queued += submitted;
	pool->stats.submitted += submitted;
}

/* Fast submits while special items are pending */

/*
 * Open the inbox if the pool accepts items, has places in the queue for them,
 * and no worker has to be woken, as in kpool_inbox_open_if().  If all but the
 * last is true, and jobs are parked, open it for jobs that must wait for
 * another of their stream.  Called with pool->lock held.
 */
void kpool_inbox_open_special(struct kpool *pool)
{
	unsigned int waiting = kpool_nr_places_taken(pool, 0);
	unsigned int depth = pool->attrs.queue_depth;
	enum kpool_inbox_mode mode = KPOOL_INBOX_ALL;

	lockdep_assert_held(&pool->lock);
	if (kpool_is_restricted(pool) || pool->nr_recheck || pool->rings_off ||
	    waiting >= depth)
		return;
	if (pool->q.nr_queued <= pool->mgr.nr_waking ||
	    (!pool->mgr.nr_waking && kpool_free_units(pool))) {
		if (!pool->q.nr_parked)
			return;
		mode = KPOOL_INBOX_BEHIND;
	}
	kpool_inbox_open(&pool->inbox,
			 min_t(u32, depth - waiting, KPOOL_RING_SIZE), mode);
}

/*
 * Close an inbox that kpool_inbox_open_special() opened, and queue its
 * items.  Called with pool->lock held.
 */
void kpool_settle_special(struct kpool *pool)
{
	struct kpool_inbox *inbox = &pool->inbox;
	u64 end = inbox->first + kpool_inbox_close(inbox);
	struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	while ((item = kpool_inbox_pop(inbox, &inbox->first, end))) {
		kpool_accept(pool, item);
		item->queued_at = inbox->opened_at;
		kpool_enqueue(pool, item);
		pool->hold_cost += KPOOL_COST_SETTLE;
	}
	/* only now: a submit that has looked at the mode can have committed */
	WRITE_ONCE(inbox->mode, KPOOL_INBOX_NORMAL);
}

/* The ready ring */

/*
 * Copy the fields of the job that a fast start needs: slow path of
 * kpool_ready_add().  The job can be freed before the start commits.  It leaves
 * the list of its group when it starts, so take it off now.
 */
void kpool_ready_add_fields(struct kpool_ready *ready, u32 ticket,
			    struct kpool_job *job)
{
	struct kpool_ready_fields *fields = kpool_ready_fields(ready, ticket);

	WRITE_ONCE(kpool_ready_slot(ready, ticket)->has_fields, true);
	WRITE_ONCE(fields->group, job->group);
	WRITE_ONCE(fields->deadline, job->deadline);
	if (!job->group)
		return;
	__list_del(job->group_node.prev, job->group_node.next);
	INIT_LIST_HEAD(&job->group_node);
}

/* Remove the first item of the ready ring, which is closed, and return it. */
struct kpool_item *kpool_ready_pop(struct kpool *pool)
{
	struct kpool_ready *ready = &pool->ready;
	struct kpool_ready_slot *slot =
		kpool_ready_slot(ready, kpool_ready_first_ticket(ready));
	struct kpool_item *item = slot->item;

	ready->nr--;
	WRITE_ONCE(slot->item, NULL);
	return item;
}

/*
 * Move items from the head of the queue to the ready ring.  Called with
 * pool->lock held.
 */
void kpool_ready_fill(struct kpool *pool)
{
	struct list_head *queue = &pool->q.prio[KPOOL_QUEUE_NORMAL];
	struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	list_for_each_entry(item, queue, node)
		if (!kpool_ready_add(pool, item, pool->q.nr_held))
			break;
	/* the items up to this one have left the list */
	kpool_link(queue, &item->node);
}

/* Return all items: slow path of kpool_ready_return(), with pool->lock held. */
void __kpool_ready_return(struct kpool *pool)
{
	struct kpool_ready *ready = &pool->ready;
	u32 ticket = ready->end;

	lockdep_assert_held(&pool->lock);
	for (; ready->nr; ready->nr--) {
		struct kpool_ready_slot *slot =
			kpool_ready_slot(ready, --ticket);
		struct kpool_item *item = slot->item;

		WRITE_ONCE(slot->item, NULL);
		item->state = KPOOL_ITEM_QUEUED;
		list_add(&item->node, &pool->q.prio[KPOOL_QUEUE_NORMAL]);
		if (kpool_group_of(item))
			list_add(&kpool_job_of(item)->group_node,
				 &kpool_group_of(item)->pending);
	}
}

/* Fast starts */

/* Close the ready ring.  Return the number of items that have been started. */
static unsigned int kpool_ready_close(struct kpool_ready *ready)
{
	unsigned int nr = ready->nr_open, left;

	/* pairs with the release in kpool_start_fast(); Litmus: ready-close */
	left = atomic64_xchg_acquire(&ready->next, 0) & KPOOL_LEFT_MASK;
	ready->nr_open = 0;
	/* a worker that has entered itself in the next slot will not commit */
	if (left)
		WRITE_ONCE(kpool_ready_slot(ready, ready->end - left)->taker,
			   NULL);
	return nr - left;
}

/*
 * End the previous run of a worker for its group, of which other jobs are left:
 * see kpool_can_end_fast().  Set the group of the run that a fast start began.
 */
static noinline void kpool_settle_group(struct kpool_ready *ready, u32 ticket,
					struct kpool_run *run)
{
	if (run->group) {
		run->group->left--;
		run->group->members--;
	}
	run->group = kpool_ready_slot(ready, ticket)->has_fields ?
		     kpool_ready_fields(ready, ticket)->group : NULL;
}

/*
 * Account for the fast starts.  Each has also ended the previous run of its
 * worker.  The item can have been freed.
 */
static void kpool_settle_starts(struct kpool *pool, unsigned int started)
{
	struct kpool_ready *ready = &pool->ready;
	u32 ticket = kpool_ready_first_ticket(ready);
	unsigned int i;

	for (i = 0; i < started; i++, ticket++) {
		struct kpool_ready_slot *slot = kpool_ready_slot(ready, ticket);
		struct kpool_worker *worker = READ_ONCE(slot->taker);
		/* pairs with kpool_start_fast(); Litmus: item-started */
		struct kpool_item *item = smp_load_acquire(&slot->item);

		worker->nr_runs++;
		if (unlikely(worker->jobs))
			kpool_settle_group(ready, ticket, &worker->run);
		/* if NULL, the worker has set both */
		if (item) {
			WRITE_ONCE(worker->run.item, item);
			WRITE_ONCE(worker->run.fn, slot->fn);
		}
	}
	ready->nr -= started;
	pool->q.nr_queued -= started;
	pool->q.nr_bypassed = 0;
	pool->stats.completed += started;
}

/*
 * Set the run and the state of @item if a worker has started it and not done
 * so.  Called with pool->lock held.  Litmus: item-started.
 */
void kpool_finish_start(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_ready *ready = &pool->ready;
	struct kpool_ready_slot *slot;
	u32 i, first = kpool_ready_first_ticket(ready);

	lockdep_assert_held(&pool->lock);
	/* slots of items that can be started, and then those that were taken */
	for (i = 0; i < KPOOL_RING_SIZE; i++) {
		slot = kpool_ready_slot(ready, first + i);
		/* pairs with the release in kpool_start_fast() */
		if (smp_load_acquire(&slot->item) != item)
			continue;
		if (i >= ready->nr) {
			WRITE_ONCE(item->run, &READ_ONCE(slot->taker)->run);
			kpool_item_started(item);
		}
		return;
	}
}

/* Both rings */

/*
 * Close the rings and account for fast operations.  Called with pool->lock
 * held.
 */
noinline void kpool_rings_settle(struct kpool *pool)
{
	unsigned int used;

	lockdep_assert_held(&pool->lock);
	if (pool->ready.nr_open) {
		used = kpool_ready_close(&pool->ready);
		if (used)
			kpool_settle_starts(pool, used);
	}
	if (pool->inbox.nr_open) {
		used = kpool_inbox_close(&pool->inbox);
		if (used)
			kpool_settle_submits(pool, used);
	}
}
