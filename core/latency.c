// SPDX-License-Identifier: GPL-2.0-only
/*
 * Histograms of how long items wait and run, for debugfs.
 *
 * An item has 64 bytes, and none is left for a time in nanoseconds.  It has the
 * jiffies of item->queued_at, by which the queues are ordered.  An item without
 * a weight of its own keeps the low bits of the time in microseconds in place
 * of the weight.  These are wrong if the item was queued before the histograms
 * were switched on, or has waited until the bits wrapped.  So they only count
 * if they agree with the jiffies, otherwise the jiffies do.
 *
 * The key is patched into the code, which takes the lock of CPU hotplug.  A pool
 * can be destroyed where that lock must not be taken, so the key is switched
 * off in a work.
 */
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "internal.h"
#include "latency.h"
#include "lock.h"

DEFINE_STATIC_KEY_DEFERRED_FALSE(kpool_latency_key, 0);

/* Held to switch the histograms of a pool on or off. */
static DEFINE_MUTEX(kpool_latency_mutex);

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

/* Called with pool->lock held. */
void __kpool_latency_begin(struct kpool *pool, struct kpool_run *run,
			   const struct kpool_item *item)
{
	u64 now;

	run->began_us = 0;
	if (!pool->latency.on)
		return;
	now = kpool_now_us();
	run->began_us = now;
	/* the completion of an ordered job is its second run */
	if (!kpool_complete_fn(item) || run->complete)
		kpool_latency_count(pool->latency.waiting,
				    kpool_waited_us(item, now));
}

/* Called with pool->lock held. */
void __kpool_latency_end(struct kpool *pool, struct kpool_run *run)
{
	/* not a time from before the histograms were last off */
	if (pool->latency.on && run->began_us >= pool->latency.on_us)
		kpool_latency_count(pool->latency.running,
				    kpool_now_us() - run->began_us);
}

/* Switch the histograms on or off.  What they have counted stays. */
void kpool_latency_switch(struct kpool *pool, bool on)
{
	mutex_lock(&kpool_latency_mutex);
	if (pool->latency.on == on) {
		mutex_unlock(&kpool_latency_mutex);
		return;
	}
	if (on)
		static_branch_deferred_inc(&kpool_latency_key);
	raw_spin_lock_irq(&pool->lock);
	pool->latency.on = on;
	pool->latency.on_us = kpool_now_us();
	kpool_unlock_irq(pool);
	if (!on)
		static_branch_slow_dec_deferred(&kpool_latency_key);
	mutex_unlock(&kpool_latency_mutex);
}

/* Set all counts to 0. */
void kpool_latency_reset(struct kpool *pool)
{
	raw_spin_lock_irq(&pool->lock);
	memset(pool->latency.waiting, 0, sizeof(pool->latency.waiting));
	memset(pool->latency.running, 0, sizeof(pool->latency.running));
	kpool_unlock_irq(pool);
}

/* Wait until the key is off.  Called at module exit. */
void kpool_latency_exit(void)
{
	static_key_deferred_flush(&kpool_latency_key);
}
