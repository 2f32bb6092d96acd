/* SPDX-License-Identifier: GPL-2.0-only */
/* List of free external runs: see run.c. */
#ifndef _KPOOL_RUN_H
#define _KPOOL_RUN_H

#include <linux/list.h>

#include "internal.h"

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
