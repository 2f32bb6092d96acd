/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks of the histograms where items are queued, begin and end: see
 * watchdog.c.
 *
 * Every item passes here.  While no pool has the histograms on, each call is a
 * nop, by a static key.
 */
#ifndef _KPOOL_WATCHDOG_H
#define _KPOOL_WATCHDOG_H

#include <linux/jump_label.h>

#include "internal.h"

DECLARE_STATIC_KEY_FALSE(kpool_latency_key);
extern struct work_struct kpool_latency_work;

void __kpool_latency_queued(struct kpool_item *item);
void __kpool_latency_begin(struct kpool *pool, struct kpool_run *run,
			   const struct kpool_item *item);
void __kpool_latency_end(struct kpool *pool, struct kpool_run *run);

/* Note when the item was queued, that is when item->queued_at is set. */
static inline void kpool_latency_queued(struct kpool_item *item)
{
	if (static_branch_unlikely(&kpool_latency_key))
		__kpool_latency_queued(item);
}

/*
 * Count how long the item has waited for its run, which begins.  Called with
 * pool->lock held.
 */
static inline void kpool_latency_begin(struct kpool *pool,
				       struct kpool_run *run,
				       const struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	if (static_branch_unlikely(&kpool_latency_key))
		__kpool_latency_begin(pool, run, item);
}

/*
 * Count how long the item's function has run, which has returned.  Called with
 * pool->lock held.
 */
static inline void kpool_latency_end(struct kpool *pool, struct kpool_run *run)
{
	lockdep_assert_held(&pool->lock);
	if (static_branch_unlikely(&kpool_latency_key))
		__kpool_latency_end(pool, run);
}

#endif /* _KPOOL_WATCHDOG_H */
