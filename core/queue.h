/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fast path of the run queue: the part that every item passes through.
 *
 * Plain items are queued inline, and those of the ready ring dequeued inline.
 * The slow path in queue.c handles the rest.  pool->fast_capacity is 0 while it
 * has to be taken, see kpool_update_fast_capacity().
 */
#ifndef _KPOOL_QUEUE_H
#define _KPOOL_QUEUE_H

#include <linux/jiffies.h>

#include "debug.h"
#include "internal.h"
#include "ring.h"
#include "trace.h"
#include "watchdog.h"

void kpool_inbox_open_special(struct kpool *pool);
void kpool_settle_special(struct kpool *pool);
void __kpool_scan_skip(struct kpool *pool, struct kpool_item *item);
void __kpool_scan_again(struct kpool *pool, const struct kpool_item *item);

/* Return the number of units that are free for new runs. */
static inline unsigned int kpool_free_units(const struct kpool *pool)
{
	unsigned int capacity = pool->attrs.capacity;

	return pool->units_used < capacity ? capacity - pool->units_used : 0;
}

/* Return the number of items on pool->q.prio and in the ready ring. */
static inline unsigned int kpool_nr_in_prio(const struct kpool *pool)
{
	return pool->q.nr_queued - pool->q.nr_completions;
}

/*
 * Return true if each queued or requeued item, and one more plain item, has a
 * free unit or a place in the queue.  Called with pool->lock held.
 */
static inline bool kpool_has_plain_room(const struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	return (u64)pool->q.nr_queued + pool->q.nr_requeue <
	       (u64)kpool_free_units(pool) + pool->attrs.queue_depth;
}

/* Return true if an item is recorded in pool->q.room_units. */
static inline bool kpool_has_refused(const unsigned int *units)
{
	return units[KPOOL_QUEUE_HIGH] || units[KPOOL_QUEUE_NORMAL] ||
	       units[KPOOL_QUEUE_LOW];
}

/* Return true if the queued item is held by its own run: see kpool_hold(). */
static inline bool kpool_is_held(const struct kpool_item *item)
{
	const struct kpool_run *run = kpool_run_of(item);

	return run && run->requeue;
}

/*
 * Return true if @item was accepted before @other.  Compare the times first:
 * sequence numbers wrap, and 2^31 items can be accepted while one waits.
 */
static inline bool kpool_is_older(const struct kpool_item *item,
				  const struct kpool_item *other)
{
	s32 later = other->queued_at - item->queued_at;

	return later > 0 || (!later &&
			     (s32)(other->seq - item->seq) > 0);
}

/*
 * Stamp an item with its place in the order of the queue.  Called with
 * pool->lock held.
 */
static inline void kpool_stamp(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	item->queued_at = jiffies;
	kpool_latency_queued(item);
	item->seq = pool->q.next_seq++;
}

/*
 * Account for an accepted item, and stamp it with its order and epoch.  Called
 * with pool->lock held.
 */
static inline void kpool_count_accepted(struct kpool *pool,
					struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	item->epoch = pool->epoch;
	kpool_stamp(pool, item);
	pool->stats.submitted++;
	kpool_debug_activate(item);
	trace_submit(pool, item);
}

/*
 * Queue an accepted plain item behind all others.  If the list is empty, all
 * others are in the ready ring.  Called with pool->lock held.
 */
static inline void kpool_queue_plain(struct kpool *pool,
				     struct kpool_item *item)
{
	struct list_head *queue = &pool->q.prio[KPOOL_QUEUE_NORMAL];

	lockdep_assert_held(&pool->lock);
	if (!list_empty(queue) || !kpool_ready_add(pool, item, true)) {
		item->state = KPOOL_ITEM_QUEUED;
		list_add_tail(&item->node, queue);
		kpool_hold(pool, item);
	}
	pool->q.nr_queued++;
}

/*
 * Open the inbox for the items that there is room for, if no worker has to be
 * woken for them.  Either a worker is waking, or all units are in use: both end
 * with a worker that takes pool->lock and looks for work.  More items must be
 * queued than workers are waking, or it is not worth it.
 */
static __always_inline void kpool_inbox_open_if(struct kpool *pool)
{
	unsigned int free = kpool_free_units(pool);
	u64 room = (u64)free + pool->attrs.queue_depth;
	u64 nr = (u64)pool->q.nr_queued + pool->q.nr_requeue;

	if (pool->q.nr_queued > pool->mgr.nr_waking &&
	    (!free || pool->mgr.nr_waking) && nr < room)
		kpool_inbox_open(&pool->inbox,
				 min_t(u64, room - nr, KPOOL_RING_SIZE),
				 KPOOL_INBOX_NORMAL);
}

/* Account for all fast operations.  Called when pool->lock has been taken. */
static __always_inline void kpool_rings_close(struct kpool *pool)
{
	if (!(pool->inbox.nr_open | pool->ready.nr_open))
		return;
	if (likely(pool->inbox.mode == KPOOL_INBOX_NORMAL))
		kpool_rings_settle(pool);
	else
		kpool_settle_special(pool);
}

/* Open the rings if fast operations are possible. */
static __always_inline void kpool_rings_open(struct kpool *pool)
{
	if (unlikely(pool->q.nr_special)) {
		kpool_inbox_open_special(pool);
		return;
	}
	if (!pool->q.nr_queued || !kpool_can_open_rings(pool))
		return;
	/* a fast start uses the last run's unit, if capacity still covers it */
	if (pool->ready.nr && pool->units_used <= pool->fast_capacity)
		kpool_ready_open(&pool->ready);
	kpool_inbox_open_if(pool);
}

static inline enum kpool_queue_prio kpool_prio_of(const struct kpool_item *item)
{
	if (unlikely(item->flags & __KPOOL_HIGH))
		return KPOOL_QUEUE_HIGH;
	if (unlikely(item->flags & __KPOOL_LOW))
		return KPOOL_QUEUE_LOW;
	return KPOOL_QUEUE_NORMAL;
}

/* Return the list of pool->q.prio that the item belongs to. */
static inline struct list_head *kpool_queue_of(struct kpool *pool,
					       const struct kpool_item *item)
{
	return &pool->q.prio[kpool_prio_of(item)];
}

/*
 * Return true if a worker can start the next queued item, or has to park or
 * drop it.  An item that lacks units holds back all items behind it.  Called
 * with pool->lock held.
 */
static inline bool kpool_has_runnable(const struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (!pool->q.nr_queued)
		return false;
	if (pool->units_used >= pool->fast_capacity)
		return likely(pool->fast_capacity) ?
		       false : kpool_has_runnable_slow(pool);
	/* fast_capacity is not 0: no item waits for its stream */
	return pool->ready.nr || likely(!pool->q.nr_held) ||
	       kpool_has_runnable_slow(pool);
}

/*
 * Advance searches for a module's items past @item, which is about to leave
 * its list, or the tree of delayed jobs.  Called with pool->lock held.
 */
static inline void kpool_scan_skip(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	if (unlikely(!list_empty(&pool->going)))
		__kpool_scan_skip(pool, item);
}

/*
 * Have searches for a module's items start over if they concern @item, which
 * returns to a list that can have been searched.  Called with pool->lock held.
 */
static inline void kpool_scan_again(struct kpool *pool,
				    const struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	if (unlikely(!list_empty(&pool->going)))
		__kpool_scan_again(pool, item);
}

/*
 * Dequeue the next item that can start, or return NULL.  The slow path is
 * taken while a module's items are searched for, too: fast_capacity is 0 then.
 * Called with pool->lock held.
 */
static inline struct kpool_item *kpool_dequeue(struct kpool *pool)
{
	struct list_head *queue = &pool->q.prio[KPOOL_QUEUE_NORMAL];
	struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	if (!pool->q.nr_queued ||
	    (pool->fast_capacity && pool->units_used >= pool->fast_capacity))
		return NULL;
	/* the slow path drops a late job, or one of a cancelled group */
	if (pool->ready.nr && kpool_has_fields(kpool_ready_first(pool)) &&
	    kpool_check_start(kpool_ready_first(pool)))
		kpool_ready_return(pool);
	if (likely(pool->ready.nr)) {
		item = kpool_ready_pop(pool);
	} else {
		/* if fast_capacity is not 0, no other list is used */
		item = list_first_entry(queue, struct kpool_item, node);
		if (unlikely(!pool->fast_capacity || pool->q.nr_held ||
			     kpool_has_fields(item))) {
			item = kpool_dequeue_slow(pool);
			if (!item)
				return NULL;
			kpool_scan_skip(pool, item);
		}
		list_del(&item->node);
	}
	pool->q.nr_queued--;
	item->state = KPOOL_ITEM_IDLE;
	if (kpool_can_open_rings(pool) && !pool->ready.nr &&
	    !list_empty(queue))
		kpool_ready_fill(pool);
	return item;
}

#endif /* _KPOOL_QUEUE_H */
