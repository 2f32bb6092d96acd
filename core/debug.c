// SPDX-License-Identifier: GPL-2.0-only
/*
 * What lockdep is told of items and pools: see debug.h.
 */
#include <linux/kernel.h>
#include <linux/mm.h>

#include "debug.h"
#include "queue.h"

/* lockdep */

#ifdef CONFIG_LOCKDEP

/*
 * The key of a function's class is its address: lockdep never looks into a key,
 * and forgets those of a module with the module.  Functions of the kernel's own
 * are no keys to it, and it does not judge them.
 */
static struct lock_class_key *kpool_key_of(const void *fn)
{
	return is_vmalloc_or_module_addr(fn) ?
	       (struct lock_class_key *)fn : &__lockdep_no_validate__;
}

void kpool_lockdep_init_map(struct lockdep_map *map, const void *fn)
{
	lockdep_init_map(map, "kpool_item", kpool_key_of(fn), 0);
}

void kpool_lockdep_wait_item(const struct kpool_item *item)
{
	const struct kpool_worker *worker = kpool_current_worker();
	void *fn = kpool_user_fn(item);
	struct lockdep_map map;

	/* one of its own pool, or one like itself in another */
	if (worker && (READ_ONCE(item->pool_id) == worker->pool->id ||
		       READ_ONCE(worker->run.fn) == fn))
		return;
	kpool_lockdep_init_map(&map, fn);
	lock_map_acquire(&map);
	lock_map_release(&map);
	/* a job of an ordered stream is awaited until that has returned, too */
	fn = kpool_complete_fn(item);
	if (!fn || (worker && READ_ONCE(worker->run.fn) == fn))
		return;
	kpool_lockdep_init_map(&map, fn);
	lock_map_acquire(&map);
	lock_map_release(&map);
}

void kpool_lockdep_wait_pool(struct kpool *pool)
{
	if (kpool_is_part_of(pool))
		return;
	lock_map_acquire(&pool->map);
	lock_map_release(&pool->map);
}

#endif /* CONFIG_LOCKDEP */

/* Nothing hangs, but whoever wrote this did not mean it. */
void kpool_warn_self_wait(struct kpool *pool, const void *fn)
{
	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		pr_warn_ratelimited("%s: %ps waits for itself: refused\n",
				    pool->name, fn);
}
