/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fast path of the beginning of a run, inlined, and the list of free external
 * runs: see run.c.
 */
#ifndef _KPOOL_RUN_H
#define _KPOOL_RUN_H

#include <linux/list.h>

#include "debug.h"
#include "internal.h"

/*
 * Link @run and @item, which has been dequeued.  @fn is the function that is
 * reported for the run.  Called with pool->lock held.
 */
static __always_inline void kpool_run_begin(struct kpool *pool,
					    struct kpool_run *run,
					    struct kpool_item *item, void *fn)
{
	lockdep_assert_held(&pool->lock);
	run->epoch = item->epoch;
	run->item = item;
	run->fn = fn;
	item->run = run;
	kpool_debug_ended(item);
	if (unlikely(!pool->wd.armed))
		kpool_watchdog_arm(pool);
}

/*
 * Take a free external run, or return NULL, where kpool_run_get() allocates
 * one.  Called with pool->lock held.
 */
static inline struct kpool_run *kpool_run_take(struct kpool *pool)
{
	struct kpool_run *run;

	lockdep_assert_held(&pool->lock);
	run = list_first_entry_or_null(&pool->runs.free, struct kpool_run,
				       free);
	if (run)
		list_del(&run->free);
	return run;
}

/* Put an external run back that has ended.  Called with pool->lock held. */
static inline void kpool_run_put(struct kpool *pool, struct kpool_run *run)
{
	lockdep_assert_held(&pool->lock);
	list_add(&run->free, &pool->runs.free);
}

#endif /* _KPOOL_RUN_H */
