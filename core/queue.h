/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The line, as far as every item passes through it: these few lines are what
 * a submit and a start cost.  The rest is in queue.c and worker.c.
 */
#ifndef _KPOOL_QUEUE_H
#define _KPOOL_QUEUE_H

#include <linux/jiffies.h>

#include "debug.h"
#include "internal.h"

/* Units that a start may take now. */
static inline unsigned int kpool_free_units(const struct kpool *pool)
{
	unsigned int capacity = pool->attrs.capacity;

	return pool->units_used < capacity ? capacity - pool->units_used : 0;
}

/* Is there a free unit, or a place in the queue, for one more plain item? */
static inline bool kpool_has_plain_room(const struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	return pool->q.nr_queued < (u64)kpool_free_units(pool) +
				  pool->attrs.queue_depth;
}

/*
 * Was the item accepted before the other?  By time first: so many items may have
 * come meanwhile that their numbers have gone round.
 */
static inline bool kpool_is_older(const struct kpool_item *item,
				  const struct kpool_item *other)
{
	s32 later = other->queued_at - item->queued_at;

	return later > 0 || (!later &&
			     (s32)(other->seq - item->seq) > 0);
}

/* From here on the item counts. */
static inline void kpool_count_accepted(struct kpool *pool,
					struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	item->epoch = pool->epoch;
	item->queued_at = jiffies;
	item->seq = pool->q.next_seq++;
	pool->stats.submitted++;
	kpool_debug_accepted(item);
}

static inline struct list_head *kpool_queue_of(struct kpool *pool,
					       const struct kpool_item *item)
{
	enum kpool_queue_prio prio = KPOOL_QUEUE_NORMAL;

	if (unlikely(item->flags & __KPOOL_HIGH))
		prio = KPOOL_QUEUE_HIGH;
	else if (unlikely(item->flags & __KPOOL_LOW))
		prio = KPOOL_QUEUE_LOW;
	return &pool->q.prio[prio];
}

/*
 * Can a worker do something: start the first item in line, or park it?  An item
 * that cannot start for want of units holds back all behind it.
 */
static inline bool kpool_has_work(struct kpool *pool)
{
	const struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	if (!pool->q.nr_queued)
		return false;
	if (pool->units_used >= pool->fast_capacity)
		return likely(pool->fast_capacity) ?
		       false : kpool_has_special_work(pool);
	item = list_first_entry(&pool->q.prio[KPOOL_QUEUE_NORMAL],
				struct kpool_item, node);
	return likely(!kpool_run_of(item)) || kpool_has_special_work(pool);
}

/* Take the item that can start now out of the line, or return NULL. */
static inline struct kpool_item *kpool_dequeue(struct kpool *pool)
{
	struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	if (!pool->q.nr_queued)
		return NULL;
	if (pool->units_used >= pool->fast_capacity) {
		item = likely(pool->fast_capacity) ?
		       NULL : kpool_pick_next(pool);
	} else {
		item = list_first_entry(&pool->q.prio[KPOOL_QUEUE_NORMAL],
					struct kpool_item, node);
		if (unlikely(kpool_run_of(item)))
			item = kpool_pick_next(pool);
	}
	if (item) {
		/* a search for a module's items keeps it at 0 */
		if (unlikely(!pool->fast_capacity))
			kpool_scan_skip(pool, item);
		list_del(&item->node);
		pool->q.nr_queued--;
		item->state = KPOOL_ITEM_IDLE;
	}
	return item;
}

static inline unsigned int kpool_nr_staying(const struct kpool *pool)
{
	return pool->mgr.nr_workers - pool->mgr.nr_exiting;
}

/* Are more workers awake than capacity allows?  Idle ones go first. */
static inline bool kpool_too_many_awake(const struct kpool *pool)
{
	return kpool_nr_staying(pool) - pool->mgr.nr_idle >
	       (unsigned int)pool->attrs.capacity;
}

/* Do we have more workers than capacity allows? */
static inline bool kpool_has_surplus(const struct kpool *pool)
{
	return kpool_nr_staying(pool) > (unsigned int)pool->attrs.capacity;
}

#endif /* _KPOOL_QUEUE_H */
