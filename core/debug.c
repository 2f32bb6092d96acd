// SPDX-License-Identifier: GPL-2.0-only
/*
 * Debugging aids: the tracepoints that trace.h declares, and the annotations of
 * items and pools for lockdep, see debug.h.
 */
#include <linux/kernel.h>
#include <linux/mm.h>

#include "debug.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* lockdep */

#ifdef CONFIG_LOCKDEP

/*
 * Return the lockdep key of a function: its address, which lockdep does not
 * dereference and forgets when the module is removed.  lockdep accepts no
 * address in kernel text as a key, so functions of vmlinux are not validated.
 */
static struct lock_class_key *kpool_key_of(const void *fn)
{
	return is_vmalloc_or_module_addr(fn) ?
	       (struct lock_class_key *)fn : &__lockdep_no_validate__;
}

/* Initialize the lock that stands for a run of @fn. */
void kpool_lockdep_init_map(struct lockdep_map *map, const void *fn)
{
	lockdep_init_map(map, "kpool_item", kpool_key_of(fn), 0);
}

/* Check a wait for @item against the locks held.  Called without pool->lock. */
void kpool_lockdep_wait_item(const struct kpool_item *item)
{
	const struct kpool_worker *worker = kpool_current_worker();
	void *fn = kpool_user_fn(item);
	struct lockdep_map map;

	/* an item of the caller's own pool, or one with the same function */
	if (worker && (READ_ONCE(item->pool_id) == worker->pool->id ||
		       READ_ONCE(worker->run.fn) == fn))
		return;
	kpool_lockdep_init_map(&map, fn);
	lock_map_acquire(&map);
	lock_map_release(&map);
	/* the wait for a job of an ordered stream includes its completion */
	fn = kpool_complete_fn(item);
	if (!fn || (worker && READ_ONCE(worker->run.fn) == fn))
		return;
	kpool_lockdep_init_map(&map, fn);
	lock_map_acquire(&map);
	lock_map_release(&map);
}

/* Check a wait for @pool against the locks held.  Called without pool->lock. */
void kpool_lockdep_wait_pool(struct kpool *pool)
{
	if (kpool_is_part_of(pool))
		return;
	lock_map_acquire(&pool->map);
	lock_map_release(&pool->map);
}

#endif /* CONFIG_LOCKDEP */

/*
 * Warn about a refused wait of @fn for itself: -EDEADLK prevents the deadlock,
 * but the caller most likely has a bug.
 */
void kpool_warn_refused(struct kpool *pool, const void *fn)
{
	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		pr_warn_ratelimited("%s: %ps waits for itself, refused\n",
				    pool->name, fn);
}
