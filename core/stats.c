// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of a pool: counters, which only grow, and gauges of its state.
 */
#include <linux/jiffies.h>
#include <linux/module.h>

#include "internal.h"
#include "lock.h"
#include "ring.h"

/*
 * Return the age of the oldest queued item, in jiffies.  Each queue is ordered
 * by age, up to the limit of kpool_unpark().  Called with pool->lock held.
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
	*stats = pool->stats;
	stats->alive = pool->mgr.nr_workers;
	stats->idle = pool->mgr.nr_idle;
	stats->running = pool->nr_running + pool->runs.nr_caller;
	stats->units = pool->units_used;
	stats->delayed = pool->delays.nr;
	stats->pending = pool->q.nr_queued - pool->q.nr_completions +
			 pool->q.nr_requeue + pool->q.nr_parked +
			 pool->q.nr_backlog + pool->drops.nr;
	stats->blocked = pool->q.nr_blocked;
	stats->oldest_pending_ms = jiffies_to_msecs(kpool_oldest_age(pool));
	stats->closed = pool->closed;
	stats->paused = pool->paused;
	kpool_unlock(pool, flags);
}
EXPORT_SYMBOL_GPL(kpool_get_stats);
