// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs that no worker makes: an owner's dropped function, and an item that its
 * submitter runs for want of room.  They are waited for like any other run.
 */
#include <linux/gfp.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "internal.h"
#include "pending.h"

/*
 * What an item of such a run says: worker == &kpool_nobody.  Only with that it
 * is taken for the one whose address is in the books, because new memory may
 * have the same address, and never says so.
 */
struct kpool_worker kpool_nobody;

/* The item has been accepted, and is nowhere. */
void kpool_outside_begin(struct kpool *pool, struct kpool_item *item,
			 struct kpool_outside *outside, bool runs)
{
	struct kpool_worker *worker = kpool_inside(pool);

	lockdep_assert_held(&pool->lock);
	outside->task = current;
	/* in a callback of its own, a worker has no item */
	outside->inside = worker && worker->run.item ? worker : NULL;
	outside->asleep = NULL;
	outside->fn = runs ? kpool_user_fn(item) : item->dropped;
	outside->call = runs && kpool_is_call(item) ? kpool_call_of(item) : NULL;
	outside->runs = runs;
	outside->held = NULL;
	outside->epoch = item->epoch;
	outside->run.item = item;
	INIT_LIST_HEAD(&outside->run.waiters);
	item->worker = &kpool_nobody;
	kpool_debug_ended(item);
	list_add(&outside->node, &pool->outside);
	kpool_set_plain_capacity(pool);
	outside->group = kpool_odd_group(pool, item);
	if (item->flags & __KPOOL_WATCHED)
		kpool_move_waiters(pool, item, &outside->run);
}

/*
 * Move the books of a run that has just begun to memory that outlives its
 * thread, which may die in it.  Without such memory they stay where they are,
 * and that death is not survived.  May drop the lock.
 */
struct kpool_outside *kpool_outside_keep(struct kpool *pool,
					 struct kpool_outside *here)
{
	struct kpool_outside *kept =
		list_first_entry_or_null(&pool->kept, struct kpool_outside,
					 node);

	lockdep_assert_held(&pool->lock);
	if (kept) {
		list_del(&kept->node);
	} else {
		kpool_unlock_wake_irq(pool, kpool_rouse(pool));
		kept = kmalloc_obj(*kept, GFP_NOWAIT | __GFP_NOWARN);
		raw_spin_lock_irq(&pool->lock);
		if (!kept)
			return here;
	}
	*kept = *here;
	list_replace(&here->node, &kept->node);
	INIT_LIST_HEAD(&kept->run.waiters);
	list_splice(&here->run.waiters, &kept->run.waiters);
	kept->held = get_task_struct(current);
	return kept;
}

/* In a pool that nobody is in. */
void kpool_outside_free(struct kpool *pool)
{
	struct kpool_outside *kept, *next;

	list_for_each_entry_safe(kept, next, &pool->kept, node)
		kfree(kept);
}

/* Submitted again while its submitter ran it, the item may start now. */
static void kpool_outside_unhold(struct kpool *pool,
				 const struct kpool_item *ran)
{
	struct kpool_item *item;

	list_for_each_entry(item, &pool->aside, node) {
		if (item != ran)
			continue;
		kpool_push_front(pool, item);
		return;
	}
}

/* The item may be gone. */
void kpool_outside_end(struct kpool *pool, struct kpool_outside *outside,
		       int result, bool failed)
{
	lockdep_assert_held(&pool->lock);
	list_del(&outside->node);
	kpool_set_plain_capacity(pool);
	kpool_outside_unhold(pool, outside->run.item);
	if (pool->nr_doomed)
		queue_work(kpool_wq, &pool->dropper);
	if (outside->group)
		kpool_group_end(pool, outside->group, outside->run.item, result,
				failed);
	kpool_serve_all(pool, &outside->run.waiters, 0);
	kpool_item_ended(pool, outside->epoch);
	kpool_admit_blocked(pool);
	kpool_break_deadlock(pool);
	kpool_wind_up(pool);
	if (outside->held)
		list_add(&outside->node, &pool->kept);
}

/* The item's run outside of the workers, or NULL. */
struct kpool_outside *kpool_outside_run_of(struct kpool *pool,
					   const struct kpool_item *item)
{
	struct kpool_outside *outside;

	lockdep_assert_held(&pool->lock);
	if (item->worker != &kpool_nobody)
		return NULL;
	list_for_each_entry(outside, &pool->outside, node)
		if (outside->run.item == item)
			return outside;
	return NULL;
}

/* The run of the item by its submitter, or NULL. */
struct kpool_outside *kpool_caller_run_of(struct kpool *pool,
					  const struct kpool_item *item)
{
	struct kpool_outside *outside = kpool_outside_run_of(pool, item);

	return outside && outside->runs ? outside : NULL;
}

/* The innermost of the pool that the caller is in, or NULL. */
struct kpool_outside *kpool_my_outside(struct kpool *pool)
{
	struct kpool_outside *outside;

	lockdep_assert_held(&pool->lock);
	list_for_each_entry(outside, &pool->outside, node)
		if (outside->task == current)
			return outside;
	return NULL;
}

/* How many of the pool is the caller in? */
unsigned int kpool_outside_depth(const struct kpool *pool)
{
	const struct kpool_outside *outside;
	unsigned int depth = 0;

	list_for_each_entry(outside, &pool->outside, node)
		depth += outside->task == current;
	return depth;
}

/* Does the item's function run, wherever? */
bool kpool_runs(struct kpool *pool, const struct kpool_item *item)
{
	return kpool_runner(item) || kpool_caller_run_of(pool, item);
}

/* Is the caller part of the pool: one of its workers, or in such a run? */
bool kpool_is_part_of(struct kpool *pool)
{
	unsigned long flags;
	bool found;

	if (kpool_inside(pool))
		return true;
	raw_spin_lock_irqsave(&pool->lock, flags);
	found = kpool_my_outside(pool);
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return found;
}
