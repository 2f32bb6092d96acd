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

static inline bool kpool_is_special(const struct kpool_item *item)
{
	return unlikely(item->flags & KPOOL_SPECIAL);
}

/* Is there a free unit, or a place in the queue, for one more plain item? */
static inline bool kpool_has_plain_room(const struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	return pool->nr_queued < (u64)kpool_free_units(pool) +
				  pool->attrs.queue_depth;
}

/* The run that the item is in, or NULL.  The caller holds the lock of its home. */
static inline struct kpool_run *kpool_run_of(const struct kpool_item *item)
{
	struct kpool_run *run = item->run;

	return run && run->item == item ? run : NULL;
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
	item->seq = pool->next_seq++;
	pool->stats.submitted++;
	kpool_debug_accepted(item);
}

/*
 * Let an item in that is idle, not disabled and plain, into a pool that is open
 * and plain, and in front of which none waits.
 */
static inline bool kpool_admit_plain(struct kpool *pool,
				     struct kpool_item *item)
{
	if (unlikely(item->special || !pool->fast_capacity ||
		     !list_empty(&pool->admission)) ||
	    !kpool_has_plain_room(pool))
		return false;
	kpool_count_accepted(pool, item);
	item->state = KPOOL_ITEM_QUEUED;
	list_add_tail(&item->node, &pool->queue[KPOOL_QUEUE_NORMAL]);
	pool->nr_queued++;
	return true;
}

static inline struct list_head *kpool_queue_of(struct kpool *pool,
					       const struct kpool_item *item)
{
	enum kpool_queue_prio prio = KPOOL_QUEUE_NORMAL;

	if (unlikely(item->flags & __KPOOL_HIGH))
		prio = KPOOL_QUEUE_HIGH;
	else if (unlikely(item->flags & __KPOOL_LOW))
		prio = KPOOL_QUEUE_LOW;
	return &pool->queue[prio];
}

/* Is the pool the item's home?  A new item has none and finds one here. */
static inline bool kpool_owns_item(struct kpool *pool, struct kpool_item *item)
{
	u32 owner = READ_ONCE(item->pool_id);

	if (!owner)
		owner = cmpxchg(&item->pool_id, 0, pool->id) ?: pool->id;
	return owner == pool->id;
}

/* Take the lock of the pool, which is the item's home then; or fail without. */
static __always_inline int kpool_item_lock_for_submit(struct kpool *pool,
						      struct kpool_item *item,
						      unsigned long *flags)
{
	kpool_debug_check(item);
	if (!item->fn)
		return -EINVAL;
	for (;;) {
		int err = kpool_owns_item(pool, item) ?
			  0 : kpool_item_migrate(pool, item);

		if (err)
			return err;
		raw_spin_lock_irqsave(&pool->lock, *flags);
		/*
		 * Another pool may have adopted it before that.  Pairs with
		 * kpool_item_migrate(), which has held the old home's lock, not ours.
		 */
		if (likely(smp_load_acquire(&item->pool_id) == pool->id))
			return 0;
		raw_spin_unlock_irqrestore(&pool->lock, *flags);
	}
}

/*
 * Can a worker do something: start the first item in line, or park it?  An item
 * that cannot start for want of units holds back all behind it.
 */
static inline bool kpool_has_work(struct kpool *pool)
{
	const struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	if (!pool->nr_queued)
		return false;
	if (pool->units_used >= pool->fast_capacity)
		return likely(pool->fast_capacity) ?
		       false : kpool_has_special_work(pool);
	item = list_first_entry(&pool->queue[KPOOL_QUEUE_NORMAL],
				struct kpool_item, node);
	return likely(!kpool_run_of(item)) || kpool_has_special_work(pool);
}

/* Take the item that can start now out of the line, or return NULL. */
static inline struct kpool_item *kpool_dequeue(struct kpool *pool)
{
	struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	if (!pool->nr_queued)
		return NULL;
	if (pool->units_used >= pool->fast_capacity) {
		item = likely(pool->fast_capacity) ?
		       NULL : kpool_pick_next(pool);
	} else {
		item = list_first_entry(&pool->queue[KPOOL_QUEUE_NORMAL],
					struct kpool_item, node);
		if (unlikely(kpool_run_of(item)))
			item = kpool_pick_next(pool);
	}
	if (item) {
		/* a search for a module's items keeps it at 0 */
		if (unlikely(!pool->fast_capacity))
			kpool_scan_skip(pool, item);
		list_del(&item->node);
		pool->nr_queued--;
		item->state = KPOOL_ITEM_IDLE;
	}
	return item;
}

/* See that a worker looks at the line if it can do something: the one to wake. */
static inline struct task_struct *kpool_kick(struct kpool *pool)
{
	if (pool->nr_waking || !kpool_has_work(pool))
		return NULL;
	return kpool_kick_worker(pool);
}

/*
 * The way out of the lock, wherever something has been changed under it: no
 * submitter sleeps for whom there is room, no wait goes on that has ended or can
 * never end, a closed pool without work ends, and a worker is on its way if it
 * can do something.  Only what concerns more than a few is left to the recheck work.
 *
 * The worker is woken after the lock has been dropped, with interrupts off, for
 * two reasons.  A caller preempted here would keep the pool waiting for it.  And
 * the worker may wake by itself, run, exit and be reaped before we get to wake
 * it: with interrupts off this is an RCU read section that began while the task
 * was in the books, which keeps the task's memory in place.  Litmus:
 * wake-vs-reap.  The woken one may be to run here: enabling preemption last lets
 * it, which enabling interrupts alone would not.
 */
static inline void kpool_unlock(struct kpool *pool, unsigned long flags)
{
	struct task_struct *task;

	if (unlikely(pool->nr_recheck))
		kpool_recheck_some(pool);
	task = kpool_kick(pool);
	if (!task) {
		raw_spin_unlock_irqrestore(&pool->lock, flags);
		return;
	}
	preempt_disable();
	raw_spin_unlock(&pool->lock);
	wake_up_process(task);
	local_irq_restore(flags);
	preempt_enable();
}

/* kpool_unlock() where interrupts were on. */
static inline void kpool_unlock_irq(struct kpool *pool)
{
	struct task_struct *task;

	if (unlikely(pool->nr_recheck))
		kpool_recheck_some(pool);
	task = kpool_kick(pool);
	if (!task) {
		raw_spin_unlock_irq(&pool->lock);
		return;
	}
	preempt_disable();
	raw_spin_unlock(&pool->lock);
	wake_up_process(task);
	local_irq_enable();
	preempt_enable();
}

static inline unsigned int kpool_nr_staying(const struct kpool *pool)
{
	return pool->nr_workers - pool->nr_exiting;
}

/* Are more workers awake than capacity allows?  Idle ones go first. */
static inline bool kpool_too_many_awake(const struct kpool *pool)
{
	return kpool_nr_staying(pool) - pool->nr_idle >
	       (unsigned int)pool->attrs.capacity;
}

/* Do we have more workers than capacity allows? */
static inline bool kpool_has_surplus(const struct kpool *pool)
{
	return kpool_nr_staying(pool) > (unsigned int)pool->attrs.capacity;
}

#endif /* _KPOOL_QUEUE_H */
