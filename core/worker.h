/* SPDX-License-Identifier: GPL-2.0-only */
/* Begin a run, of a worker or an external one: see worker.c and drop.c. */
#ifndef _KPOOL_WORKER_H
#define _KPOOL_WORKER_H

#include "debug.h"
#include "internal.h"

/*
 * Link @run and @item, which is on no list.  @fn is the function that is
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
	kpool_debug_deactivate(item);
	if (unlikely(!pool->wd.armed))
		kpool_watchdog_arm(pool);
}

#endif /* _KPOOL_WORKER_H */
