/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Annotations for lockdep and debugobjects; empty in a kernel without them.
 *
 * For lockdep, a run of an item is a lock whose class is the item's function,
 * and the pool is another lock.  The worker holds both during the run.  A
 * caller that is about to wait takes and drops the same lock, with no lock of
 * kpool held.  So if a caller holds a lock across a wait that an item takes
 * too, lockdep reports it before it hangs.  Waits of an item for its own pool
 * are skipped: deadlock.c finds them.
 *
 * For debugobjects, an item is active from its submission until it starts or is
 * cancelled or dropped.  A job of an ordered stream is also active from the
 * return of its function until its completion starts.
 */
#ifndef _KPOOL_DEBUG_H
#define _KPOOL_DEBUG_H

#include <linux/debugobjects.h>
#include <linux/lockdep.h>

#include "internal.h"

extern const struct debug_obj_descr kpool_item_descr;
void kpool_debug_init(struct kpool_item *item);

static inline void kpool_debug_activate(struct kpool_item *item)
{
	debug_object_activate(item, &kpool_item_descr);
}

static inline void kpool_debug_deactivate(struct kpool_item *item)
{
	debug_object_deactivate(item, &kpool_item_descr);
}

/* Check that the item was initialized, before any field is read. */
static inline void kpool_debug_check(struct kpool_item *item)
{
	debug_object_assert_init(item, &kpool_item_descr);
}

static inline void kpool_debug_destroy(struct kpool_item *item)
{
	debug_object_free(item, &kpool_item_descr);
}

#ifdef CONFIG_LOCKDEP

void kpool_lockdep_init_map(struct lockdep_map *map, const void *fn);
void kpool_lockdep_wait_item(const struct kpool_item *item);
void kpool_lockdep_wait_pool(struct kpool *pool);

/*
 * Begin a run for lockdep.  Skipped, as is the end, if an earlier item has left
 * a lock held.
 */
static inline void kpool_lockdep_run_begin(struct kpool_worker *worker)
{
	if (worker->before.nr_locks)
		return;
	kpool_lockdep_init_map(&worker->map, READ_ONCE(worker->run.fn));
	lock_map_acquire(&worker->pool->map);
	lock_map_acquire(&worker->map);
}

static inline void kpool_lockdep_run_end(struct kpool_worker *worker)
{
	if (worker->before.nr_locks)
		return;
	lock_map_release(&worker->map);
	lock_map_release(&worker->pool->map);
}

/* End the run of a dying worker: the annotation is not a leaked lock. */
static inline void kpool_lockdep_run_died(struct kpool_worker *worker)
{
	if (!worker->before.nr_locks && lock_is_held(&worker->pool->map))
		kpool_lockdep_run_end(worker);
}

#else

static inline void kpool_lockdep_run_begin(struct kpool_worker *worker)
{
}

static inline void kpool_lockdep_run_end(struct kpool_worker *worker)
{
}

static inline void kpool_lockdep_run_died(struct kpool_worker *worker)
{
}

static inline void kpool_lockdep_wait_item(const struct kpool_item *item)
{
}

static inline void kpool_lockdep_wait_pool(struct kpool *pool)
{
}

#endif /* CONFIG_LOCKDEP */

void kpool_warn_refused(struct kpool *pool, const void *fn);

#endif /* _KPOOL_DEBUG_H */
