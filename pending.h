/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The line, as far as every item passes through it: these few lines are what
 * a submit and a start cost.  The rest is in pending.c and worker.c.
 */
#ifndef _KPOOL_PENDING_H
#define _KPOOL_PENDING_H

#include <linux/jiffies.h>

#include "annotate.h"
#include "internal.h"

/* Units that a start may take now. */
static inline unsigned int kpool_free_units(const struct kpool *pool)
{
	unsigned int capacity = pool->attrs.capacity;

	return pool->used < capacity ? capacity - pool->used : 0;
}

static inline bool kpool_is_odd(const struct kpool_item *item)
{
	return unlikely(item->flags & KPOOL_ODD);
}

/* Is there a free unit, or a place in the queue, for one more plain item? */
static inline bool kpool_has_plain_room(const struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	return pool->nr_line < (u64)kpool_free_units(pool) +
				  pool->attrs.queue_depth;
}

/* Which worker runs the item?  The caller holds the lock of the item's home. */
static inline struct kpool_worker *kpool_runner(const struct kpool_item *item)
{
	struct kpool_worker *worker = item->worker;

	return worker && worker->run.item == item ? worker : NULL;
}

/* From here on the item counts. */
static inline void kpool_count_accepted(struct kpool *pool,
					struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	item->epoch = pool->epoch;
	item->since = jiffies;
	item->arrival = pool->arrivals++;
	pool->stats.submitted++;
	kpool_debug_accepted(item);
}

/*
 * Let an item in that is at rest, not disabled and plain, into a pool that is
 * open and plain.  Room means that nobody waits: it would have been served.
 */
static inline bool kpool_admit_plain(struct kpool *pool,
				     struct kpool_item *item)
{
	if (unlikely(item->special || !pool->plain_capacity) ||
	    !kpool_has_plain_room(pool))
		return false;
	kpool_count_accepted(pool, item);
	item->place = KPOOL_IN_LINE;
	list_add_tail(&item->node, &pool->lines[KPOOL_RANK_NORMAL]);
	pool->nr_line++;
	return true;
}

static inline struct list_head *kpool_line_of(struct kpool *pool,
					      const struct kpool_item *item)
{
	enum kpool_rank rank = KPOOL_RANK_NORMAL;

	if (unlikely(item->flags & __KPOOL_HIGH))
		rank = KPOOL_RANK_HIGH;
	else if (unlikely(item->flags & __KPOOL_LOW))
		rank = KPOOL_RANK_LOW;
	return &pool->lines[rank];
}

/* Is the pool the item's home?  A new item has none and finds one here. */
static inline bool kpool_is_at_home(struct kpool *pool, struct kpool_item *item)
{
	u32 home = READ_ONCE(item->home);

	if (!home)
		home = cmpxchg(&item->home, 0, pool->id) ?: pool->id;
	return home == pool->id;
}

/* Take the lock of the pool, which is the item's home then; or fail without. */
static __always_inline int kpool_come_home(struct kpool *pool,
					   struct kpool_item *item,
					   unsigned long *flags)
{
	kpool_debug_check(item);
	if (!item->fn)
		return -EINVAL;
	for (;;) {
		int err = kpool_is_at_home(pool, item) ?
			  0 : kpool_adopt(pool, item);

		if (err)
			return err;
		raw_spin_lock_irqsave(&pool->lock, *flags);
		/*
		 * Another pool may have adopted it before that.  Pairs with
		 * kpool_adopt(), which has held the old home's lock, not ours.
		 */
		if (likely(smp_load_acquire(&item->home) == pool->id))
			return 0;
		raw_spin_unlock_irqrestore(&pool->lock, *flags);
	}
}

/* Something made room: whoever waits in front of the line may come in. */
static inline void kpool_admit_blocked(struct kpool *pool)
{
	if (unlikely(!list_empty(&pool->blocked)))
		kpool_serve_blocked(pool);
}

/* The item that may start now, or NULL; those that still run are put aside. */
static inline struct kpool_item *kpool_first(struct kpool *pool)
{
	struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	if (!pool->nr_line)
		return NULL;
	if (pool->used >= pool->plain_capacity)
		return likely(pool->plain_capacity) ? NULL : kpool_choose(pool);
	item = list_first_entry(&pool->lines[KPOOL_RANK_NORMAL],
				struct kpool_item, node);
	return likely(!kpool_runner(item)) ? item : kpool_choose(pool);
}

/* The same, taken out of the line. */
static inline struct kpool_item *kpool_take(struct kpool *pool)
{
	struct kpool_item *item = kpool_first(pool);

	if (item) {
		list_del(&item->node);
		pool->nr_line--;
		item->place = KPOOL_NOWHERE;
	}
	return item;
}

/*
 * See that somebody looks at the line if its first item could start: returns
 * the worker to wake once the lock has been dropped.
 */
static inline struct task_struct *kpool_rouse(struct kpool *pool)
{
	if (pool->nr_coming || !kpool_first(pool))
		return NULL;
	return kpool_send_worker(pool);
}

/*
 * Drop the lock, then wake a worker that kpool_rouse() has chosen.  Interrupts
 * stay off in between, for two reasons.  A caller preempted here would keep
 * the pool waiting for a worker that nobody has woken.  And the worker may
 * wake by itself, run, leave and be reaped before we get to wake it: with
 * interrupts off this is an RCU read section that began while the task was in
 * the books, which keeps the task's memory in place.  Litmus: wake-vs-reap.
 */
static inline void kpool_unlock_and_wake(struct kpool *pool,
					 struct task_struct *task)
{
	raw_spin_unlock(&pool->lock);
	if (task)
		wake_up_process(task);
}

static inline void kpool_unlock_wake(struct kpool *pool,
				     struct task_struct *task,
				     unsigned long flags)
{
	kpool_unlock_and_wake(pool, task);
	local_irq_restore(flags);
}

/* The same where interrupts were on. */
static inline void kpool_unlock_wake_irq(struct kpool *pool,
					 struct task_struct *task)
{
	kpool_unlock_and_wake(pool, task);
	local_irq_enable();
}

/*
 * The way out of the lock: whatever was changed under it, afterwards no
 * submitter waits that could be let in, no wait goes on that can never end, a
 * closed pool that is drained says so, and a worker is on its way if an item
 * can start.
 */
static inline void kpool_settle(struct kpool *pool)
{
	kpool_admit_blocked(pool);
	kpool_break_deadlock(pool);
	kpool_wind_up(pool);
}

static inline void kpool_unlock(struct kpool *pool, unsigned long flags)
{
	kpool_settle(pool);
	kpool_unlock_wake(pool, kpool_rouse(pool), flags);
}

/* kpool_unlock() where interrupts were on. */
static inline void kpool_unlock_irq(struct kpool *pool)
{
	kpool_settle(pool);
	kpool_unlock_wake_irq(pool, kpool_rouse(pool));
}

static inline unsigned int kpool_nr_staying(const struct kpool *pool)
{
	return pool->nr_workers - pool->nr_leaving;
}

/* Do we have more workers than capacity allows? */
static inline bool kpool_has_surplus(const struct kpool *pool)
{
	return kpool_nr_staying(pool) > (unsigned int)pool->attrs.capacity;
}

#endif /* _KPOOL_PENDING_H */
