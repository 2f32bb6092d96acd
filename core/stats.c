// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of a pool: counters, which only grow, gauges of its state, and
 * histograms of how long items wait and run.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "internal.h"
#include "lock.h"
#include "ring.h"
#include "stats.h"

/* Counters and gauges */

/*
 * Return the number of accepted items that have not started, less those that
 * are delayed or to be dropped.  A job to be completed has started.  Called
 * with pool->lock held.
 */
unsigned int kpool_nr_waiting(const struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	return pool->q.nr_queued - pool->q.nr_completions +
	       pool->q.nr_requeue + pool->q.nr_parked + pool->q.nr_backlog;
}

/*
 * Return the age of the oldest queued item, in jiffies.  Each queue is ordered
 * by age, but see kpool_queue_by_age().  Called with pool->lock held.
 */
u32 kpool_oldest_age(struct kpool *pool)
{
	const struct kpool_item *item;
	u32 age = 0;
	int prio;

	lockdep_assert_held(&pool->lock);
	if (pool->ready.nr)
		return (u32)jiffies - kpool_ready_first(pool)->queued_at;
	for (prio = 0; prio < KPOOL_NR_QUEUES; prio++) {
		item = list_first_entry_or_null(&pool->q.prio[prio],
						struct kpool_item, node);
		if (item)
			age = max(age, (u32)jiffies - item->queued_at);
	}
	return age;
}

void kpool_get_stats(struct kpool *pool, struct kpool_stats *stats)
{
	unsigned long flags;

	kpool_lock(pool, &flags);
	stats->counters = pool->stats;
	stats->alive = pool->mgr.nr_workers;
	stats->idle = pool->mgr.nr_idle;
	stats->running = pool->nr_running + pool->runs.nr_caller;
	stats->units = pool->units_used;
	stats->delayed = pool->delays.nr;
	/* an item is pending until its drop function has returned */
	stats->pending = kpool_nr_waiting(pool) + pool->drops.nr +
			 pool->runs.nr_drop;
	stats->blocked = pool->q.nr_blocked;
	stats->oldest_pending_ms = jiffies_to_msecs(kpool_oldest_age(pool));
	stats->closed = pool->closed;
	stats->paused = pool->paused;
	kpool_unlock(pool, flags);
}
EXPORT_SYMBOL_GPL(kpool_get_stats);

/*
 * Histograms
 *
 * An item has 64 bytes, and none is left for a time in nanoseconds.  It has the
 * jiffies of item->queued_at, by which the queues are ordered.  An item without
 * a weight of its own keeps the low bits of the time in microseconds in place
 * of the weight.  These are wrong if the item was queued before the histograms
 * were switched on, or has waited until the bits wrapped.  So they only count
 * if they agree with the jiffies, otherwise the jiffies do.
 *
 * The key is patched into the code, which takes the lock of CPU hotplug.  A
 * pool can be destroyed where that lock is held, and waits for the writers of
 * its files.  So neither waits for the lock: a work switches the key.
 */

DEFINE_STATIC_KEY_FALSE(kpool_latency_key);

/* Number of pools that have the histograms on. */
static atomic_t kpool_latency_users = ATOMIC_INIT(0);

static void kpool_latency_work_fn(struct work_struct *work)
{
	if (atomic_read(&kpool_latency_users))
		static_branch_enable(&kpool_latency_key);
	else
		static_branch_disable(&kpool_latency_key);
}

DECLARE_WORK(kpool_latency_work, kpool_latency_work_fn);

static u64 kpool_now_us(void)
{
	return div_u64(ktime_get_mono_fast_ns(), NSEC_PER_USEC);
}

void __kpool_latency_queued(struct kpool_item *item)
{
	if (!(item->flags & __KPOOL_WEIGHTED))
		item->queued_us = kpool_now_us();
}

/* Return how long the item has waited, in microseconds. */
static u64 kpool_waited_us(const struct kpool_item *item, u64 now)
{
	u64 coarse = div_u64(jiffies64_to_nsecs((u32)jiffies - item->queued_at),
			     NSEC_PER_USEC);
	u32 fine = (u32)now - item->queued_us;

	if ((item->flags & __KPOOL_WEIGHTED) || fine > coarse + 2 * TICK_USEC ||
	    coarse > (u64)fine + 2 * TICK_USEC)
		return coarse;
	return fine;
}

/* Count @us in the last row that begins at or below it. */
static void kpool_latency_count(u64 *rows, u64 us)
{
	rows[min(fls64(us), KPOOL_LATENCY_ROWS - 1)]++;
}

/*
 * Count the waiting time: slow path of kpool_latency_begin().  Called with
 * pool->lock held.
 */
void __kpool_latency_begin(struct kpool *pool, struct kpool_run *run,
			   const struct kpool_item *item)
{
	u64 now;

	lockdep_assert_held(&pool->lock);
	run->began_us = 0;
	if (!pool->latency.on)
		return;
	now = kpool_now_us();
	run->began_us = now;
	run->began_nr = kpool_run_nr(run);
	/* the completion of an ordered job is its second run */
	if (!kpool_complete_fn(item) || run->complete)
		kpool_latency_count(pool->latency.counts->waiting,
				    kpool_waited_us(item, now));
}

/*
 * Count the running time: slow path of kpool_latency_end().  Called with
 * pool->lock held.
 */
void __kpool_latency_end(struct kpool *pool, struct kpool_run *run)
{
	lockdep_assert_held(&pool->lock);
	/*
	 * Skip a time that began before the histograms were last off, or in an
	 * earlier run.  The key can have been off when this run began.
	 */
	if (pool->latency.on && run->began_us >= pool->latency.on_us &&
	    run->began_nr == kpool_run_nr(run))
		kpool_latency_count(pool->latency.counts->running,
				    kpool_now_us() - run->began_us);
}

/*
 * Switch the histograms on or off.  What they have counted stays.  They begin
 * to count when the work has run.  Return 0 or -ENOMEM.
 */
int kpool_latency_switch(struct kpool *pool, bool on)
{
	struct kpool_histograms *spare = NULL;
	bool change;

	if (on) {
		spare = kzalloc_obj(*spare, GFP_KERNEL);
		if (!spare)
			return -ENOMEM;
	}
	kpool_lock_irq(pool);
	if (!pool->latency.counts)
		swap(pool->latency.counts, spare);
	change = pool->latency.on != on;
	if (change) {
		pool->latency.on = on;
		kpool_update_rings_off(pool);
		pool->latency.on_us = kpool_now_us();
	}
	kpool_unlock_irq(pool);
	kfree(spare);
	if (!change)
		return 0;
	atomic_add(on ? 1 : -1, &kpool_latency_users);
	/* not on kpool_wq: the work can wait for clients */
	queue_work(kpool_callback_wq, &kpool_latency_work);
	return 0;
}

/* Set all counts to 0. */
void kpool_latency_reset(struct kpool *pool)
{
	kpool_lock_irq(pool);
	if (pool->latency.counts)
		memset(pool->latency.counts, 0, sizeof(*pool->latency.counts));
	kpool_unlock_irq(pool);
}
