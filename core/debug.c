// SPDX-License-Identifier: GPL-2.0-only
/*
 * What lockdep and debugobjects are told: see debug.h.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched/task_stack.h>

#include "debug.h"
#include "queue.h"

/* debugobjects */

static void *kpool_debug_hint(void *addr)
{
	return ((struct kpool_item *)addr)->fn;
}

/* One made by a static initialiser has not been seen before its first submit. */
static bool kpool_is_static(void *addr)
{
	const struct kpool_item *item = addr;

	return item->fn && !item->node.next && !item->node.prev &&
	       !item->run && !item->pool_id && item->state == KPOOL_ITEM_IDLE;
}

/* Made anew, or freed, while active: whoever has it on a list must not. */
static void kpool_fixup_active(void *addr)
{
	kpool_cancel(addr);
	/* what is left of it may say otherwise: then this would not end */
	debug_object_deactivate(addr, &kpool_item_descr);
}

static bool kpool_fixup_init(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	kpool_fixup_active(addr);
	debug_object_init(addr, &kpool_item_descr);
	return true;
}

static bool kpool_fixup_free(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	kpool_fixup_active(addr);
	debug_object_free(addr, &kpool_item_descr);
	return true;
}

/* Never made: one without a function is refused. */
static bool kpool_fixup_assert_init(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_NOTAVAILABLE)
		return false;
	kpool_init_item(addr, NULL);
	return true;
}

const struct debug_obj_descr kpool_item_descr = {
	.name			= "kpool_item",
	.debug_hint		= kpool_debug_hint,
	.is_static_object	= kpool_is_static,
	.fixup_init		= kpool_fixup_init,
	.fixup_free		= kpool_fixup_free,
	.fixup_assert_init	= kpool_fixup_assert_init,
};

void kpool_debug_init(struct kpool_item *item)
{
	if (object_is_on_stack(item))
		debug_object_init_on_stack(item, &kpool_item_descr);
	else
		debug_object_init(item, &kpool_item_descr);
}

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
		       READ_ONCE(worker->fn) == fn))
		return;
	kpool_lockdep_init_map(&map, fn);
	lock_map_acquire(&map);
	lock_map_release(&map);
	/* a job of an ordered stream is awaited until that has returned, too */
	fn = kpool_complete_fn(item);
	if (!fn || (worker && READ_ONCE(worker->fn) == fn))
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
