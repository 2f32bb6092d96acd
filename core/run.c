// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs: the beginning and the end of one execution of an item.
 *
 * A run calls the item's function, its completion function or its drop
 * function.  A worker's run is part of the worker: see worker.c.  All others
 * are external: a submitter that runs its own item because the pool is full,
 * and calls of drop functions.  A call of the pool's room function, or of a
 * release function in the thread of its caller, is an external run without an
 * item.
 *
 * An item's function can free the item, and a run's memory is reused.  So
 * item->run points to the run, and run->item to the item: the item is running
 * only if both agree, see kpool_run_of().  For the same reason the beginning of
 * a run copies from the item what the end needs.
 */
#include <linux/gfp.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "internal.h"
#include "lock.h"
#include "run.h"

/* Initialize a run: of @worker, or an external one if that is NULL. */
void kpool_run_init(struct kpool_run *run, struct kpool_worker *worker)
{
	*run = (struct kpool_run) {
		.worker	= worker,
		.units	= !!worker,
	};
	INIT_LIST_HEAD(&run->waiters);
	INIT_LIST_HEAD(&run->next_waiters);
	RB_CLEAR_NODE(&run->by_task);
}

/* Reset an external run, the memory of which can have been used before. */
static void kpool_ext_run_reset(struct kpool_run *run, enum kpool_run_kind kind)
{
	run->kind = kind;
	run->nr++;
	run->call = NULL;
	run->group = NULL;
	run->requeue = NULL;
	run->dead = false;
	run->stalled = false;
	run->notified = KPOOL_NOTIFIED_NONE;
}

/*
 * Begin an external run of an accepted item that is on no list.  Called with
 * pool->lock held.
 */
void kpool_ext_run_begin(struct kpool *pool, struct kpool_run *run,
			 struct kpool_item *item, enum kpool_run_kind kind)
{
	bool runs = kind == KPOOL_RUN_CALLER;

	lockdep_assert_held(&pool->lock);
	kpool_ext_run_reset(run, kind);
	if (runs && kpool_is_call(item))
		run->call = kpool_call_of(item);
	run->group = kpool_group_begin(pool, item);
	if (item->flags & __KPOOL_HAS_WAITERS)
		kpool_waiters_move(pool, item, &run->waiters);
	if (runs)
		pool->runs.nr_caller++;
	else
		pool->runs.nr_drop++;
	kpool_ext_run_enter(pool, run);
	kpool_run_begin(pool, run, item,
			runs ? kpool_user_fn(item) : (void *)item->dropped);
}

/* Put an item back, or have it dropped, once its previous run has ended. */
static void kpool_requeue(struct kpool *pool, struct kpool_item *item)
{
	if (item->state == KPOOL_ITEM_QUEUED) {
		kpool_unhold(pool, item);
		return;
	}
	kpool_scan_again(pool, item);
	if (item->state == KPOOL_ITEM_DROPPING) {
		list_add_tail(&item->node, &pool->drops.items);
		kpool_context_queue(&pool->drops.work);
	} else if (pool->aborted) {
		kpool_item_drop(pool, item, -ECANCELED);
	} else {
		kpool_unpark(pool, item);
	}
}

/*
 * Requeue the item of a run that ends if it was submitted again, with the
 * waiters for its next run.  Called with pool->lock held.
 */
void kpool_run_release(struct kpool *pool, struct kpool_run *run)
{
	struct kpool_item *held = run->requeue;

	lockdep_assert_held(&pool->lock);
	kpool_waiters_keep(&run->next_waiters);
	run->requeue = NULL;
	if (held)
		kpool_requeue(pool, held);
}

/*
 * End an external run.  The item can have been freed, unless it was submitted
 * again or its group collects.  Called with pool->lock held.
 */
void kpool_ext_run_end(struct kpool *pool, struct kpool_run *run, int result,
		       bool failed)
{
	struct kpool_item *item = run->item;

	lockdep_assert_held(&pool->lock);
	if (run->kind == KPOOL_RUN_CALLER)
		pool->runs.nr_caller--;
	else
		pool->runs.nr_drop--;
	run->item = NULL;
	kpool_ext_run_leave(pool, run);
	kpool_run_release(pool, run);
	if (run->group)
		kpool_group_end(pool, run->group, item, result, failed);
	kpool_waiter_complete_list(pool, &run->waiters, run->dead);
	kpool_item_ended(pool, run->epoch);
	if (run != &pool->runs.drop)
		kpool_run_put(pool, run);
}

/*
 * Begin an external run of a client's function that is not called for an item.
 * Waiting for the pool in it is a self-wait.  Called with pool->lock held.
 */
void kpool_ext_run_begin_callback(struct kpool *pool, struct kpool_run *run,
				  enum kpool_run_kind kind, void *fn)
{
	static struct kpool_item none;	/* compared, never dereferenced */

	lockdep_assert_held(&pool->lock);
	kpool_ext_run_reset(run, kind);
	run->fn = fn;
	run->item = &none;
	kpool_ext_run_enter(pool, run);
	if (!pool->wd.armed)
		kpool_watchdog_arm(pool);
}

/*
 * End a run begun by kpool_ext_run_begin_callback().  Called with pool->lock
 * held.
 */
void kpool_ext_run_end_callback(struct kpool *pool, struct kpool_run *run)
{
	lockdep_assert_held(&pool->lock);
	run->item = NULL;
	kpool_ext_run_leave(pool, run);
	/* removal of a module waits for its functions */
	kpool_waiter_complete_list(pool, &run->waiters, run->dead);
	if (run != &pool->runs.drop)
		kpool_run_put(pool, run);
}

/* Allocate an external run, or return NULL.  Called without pool->lock. */
struct kpool_run *kpool_run_alloc(gfp_t gfp)
{
	struct kpool_run *run = kmalloc_obj(*run, gfp);

	if (run)
		kpool_run_init(run, NULL);
	return run;
}

/*
 * Return an external run, and do not fail.  Each pool is created with a free
 * run, so this allocates only if that is in use.
 */
struct kpool_run *kpool_run_get(struct kpool *pool)
{
	struct kpool_run *run;

	kpool_lock_irq(pool);
	run = kpool_run_take(pool);
	kpool_unlock_irq(pool);
	return run ?: kpool_run_alloc(GFP_KERNEL | __GFP_NOFAIL);
}

/*
 * End the run of an item in its submitter, which can have died in it.  Called
 * with pool->lock held.
 */
void kpool_caller_run_end(struct kpool *pool, struct kpool_run *run, int err)
{
	lockdep_assert_held(&pool->lock);
	pool->stats.completed++;
	pool->stats.caller_ran++;
	if (err)
		pool->stats.failed++;
	kpool_ext_run_end(pool, run, err, err);
}
