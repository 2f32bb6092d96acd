// SPDX-License-Identifier: GPL-2.0-only
/*
 * External runs: begin and end those that are not part of a worker, and drop
 * the items that will not run.
 *
 *   caller    a submitter runs its own item, as the pool is full: submit.c
 *   drop      the drop work or kpool_abort() calls an item's drop function
 *   room      the drop work calls the pool's room function
 *   release   a caller calls the release function of its call: call.c
 *
 * The thread of an external run can be a worker, which is in an item.
 *
 * The decision to drop an item can be made by a worker or in atomic context,
 * where a client's drop function must not be called.  So the item is moved to
 * pool->drops.items, and the drop work calls the function in process context,
 * without locks.  Only kpool_abort() calls drop functions itself.
 *
 * Until the drop function has returned, waiters for the item or the pool sleep,
 * and the item cannot move to another pool.  An item that was submitted again
 * while it runs is dropped after that run, because the drop function can free
 * it.
 */
#include <linux/module.h>

#include "internal.h"
#include "lock.h"
#include "run.h"
#include "trace.h"
#include "worker.h"

/* Begin and end */

/* Reset an external run, the memory of which can have been used before. */
static void kpool_ext_run_reset(struct kpool_run *run, enum kpool_run_kind kind)
{
	run->kind = kind;
	run->nr++;
	run->call = NULL;
	run->group = NULL;
	run->requeue = NULL;
	memset(run->other_fns, 0, sizeof(run->other_fns));
	run->dead = false;
	run->stalled = false;
	run->notified = KPOOL_NOTIFIED_NONE;
}

/* Note the functions of @item that the run does not call. */
static void kpool_ext_run_note_fns(struct kpool_run *run,
				   const struct kpool_item *item)
{
	if (run->kind == KPOOL_RUN_CALLER) {
		run->other_fns[0] = item->dropped;
		return;
	}
	/* the function of a call that is dropped is used no more */
	if (!kpool_is_call(item))
		run->other_fns[0] = kpool_user_fn(item);
	run->other_fns[1] = kpool_complete_fn(item);
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
	kpool_ext_run_note_fns(run, item);
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

/*
 * End an external run.  The item can have been freed, unless it was submitted
 * again or its group collects.  Called with pool->lock held.
 */
static void kpool_ext_run_end(struct kpool *pool, struct kpool_run *run,
			      int result, bool failed)
{
	struct kpool_item *item = run->item;

	lockdep_assert_held(&pool->lock);
	if (run->kind == KPOOL_RUN_CALLER)
		pool->runs.nr_caller--;
	else
		pool->runs.nr_drop--;
	run->item = NULL;
	kpool_ext_run_leave(pool, run);
	kpool_run_requeue(pool, run);
	if (run->group)
		kpool_group_end(pool, run->group, item, result, failed);
	kpool_waiter_complete_list(pool, &run->waiters, run->dead);
	kpool_item_ended(pool, run->epoch);
	if (run != &pool->runs.drop)
		kpool_run_put(pool, run);
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

/*
 * Begin an external run without an item.  Like in any run, a wait for the pool
 * is refused.  Called with pool->lock held.
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

/* Drop items, and call the room function */

/*
 * End the run of a drop function, which has returned, or whose thread died in
 * it.  Called with pool->lock held.
 */
static void kpool_drop_end(struct kpool *pool, struct kpool_run *run)
{
	int err = run->err;

	lockdep_assert_held(&pool->lock);
	if (pool->drops.aborting == run)
		pool->drops.aborting = NULL;
	pool->stats.dropped++;
	pool->stats.expired += err == -ETIME;
	pool->stats.displaced += err == -EAGAIN;
	kpool_ext_run_end(pool, run, err, run->result);
}

/*
 * Call the drop function of an accepted item that is not running.  Called with
 * pool->lock held, taken where interrupts were on.  Drops the lock around the
 * function.
 */
static void kpool_drop(struct kpool *pool, struct kpool_item *item,
		       struct kpool_run *run, enum kpool_run_kind kind, int err)
{
	kpool_drop_fn dropped = item->dropped;

	lockdep_assert_held(&pool->lock);
	kpool_item_remove(pool, item);
	item->state = KPOOL_ITEM_IDLE;
	kpool_ext_run_begin(pool, run, item, kind);
	if (kind == KPOOL_RUN_ABORT)
		pool->drops.aborting = run;
	run->err = err;
	/* cancelled and aborted: it was dropped with its group */
	run->result = err == -ECANCELED &&
		      kpool_group_is_cancelled(run->group) ? 0 : err;
	trace_drop(pool, item, err);
	kpool_unlock_irq(pool);

	if (dropped)
		dropped(item, err);
	cond_resched();

	kpool_lock_irq(pool);
	kpool_drop_end(pool, run);
}

/*
 * Leave one item of a closed pool to the drop work: a delayed job, or any item
 * after abort.  Return false if there is none.  Called with pool->lock held.
 */
static bool kpool_drop_next_cancelled(struct kpool *pool)
{
	struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	if (!pool->closed)
		return false;
	/* left to kpool_abort(), unless its thread has died */
	if (pool->aborted && pool->drops.nr_aborters)
		return false;
	item = pool->aborted ? kpool_any_accepted(pool) :
			       kpool_first_delayed(pool);
	if (item)
		kpool_item_drop(pool, item,
				pool->aborted ? -ECANCELED : -ESHUTDOWN);
	return item;
}

/*
 * Call the pool's room function if a submit that was refused can now succeed.
 * Called with pool->lock held, which is dropped around the call.
 */
static void kpool_call_room(struct kpool *pool)
{
	struct kpool_run *run = &pool->runs.drop;
	void (*room)(void *data);

	lockdep_assert_held(&pool->lock);
	if (!pool->drops.room_pending)
		return;
	pool->drops.room_pending = false;
	room = pool->init_attrs.room;
	if (!room)
		return;
	kpool_ext_run_begin_callback(pool, run, KPOOL_RUN_ROOM, room);
	kpool_unlock_irq(pool);

	room(pool->init_attrs.data);

	kpool_lock_irq(pool);
	kpool_ext_run_end_callback(pool, run);
}

/*
 * End the run of a drop or room function in which the thread of the drop work,
 * or an aborter, has died.  Called with pool->lock held.
 */
void kpool_drop_died(struct kpool *pool, struct kpool_run *run)
{
	lockdep_assert_held(&pool->lock);
	if (run->kind == KPOOL_RUN_ABORT)
		pool->drops.nr_aborters--;
	if (run->kind == KPOOL_RUN_ROOM)
		kpool_ext_run_end_callback(pool, run);
	else
		kpool_drop_end(pool, run);
}

/* Call the room function and drop an item, until there is neither. */
void kpool_drop_work_fn(struct kpool *pool)
{
	struct kpool_item *item;
	bool more;

	kpool_lock_irq(pool);
	/* its last thread has died: dead_work queues it again */
	if (pool->runs.drop.item) {
		kpool_unlock_irq(pool);
		return;
	}
	do {
		/* a submitter that waits for it must not wait for all drops */
		kpool_call_room(pool);
		more = kpool_drop_next_cancelled(pool);
		item = list_first_entry_or_null(&pool->drops.items,
						struct kpool_item, node);
		if (item)
			kpool_drop(pool, item, &pool->runs.drop, KPOOL_RUN_DROP,
				   item->err);
		kpool_unlock_irq(pool);
		kpool_lock_irq(pool);
	} while (item || more);
	/* recheck: the end of the drop work can leave nothing to progress */
	kpool_unlock_irq(pool);
}

/* Abort */

/*
 * Drop all items of an aborted pool, which starts none, and return their
 * number.  @run is a free run, which belongs to the pool afterwards.  Called
 * with pool->lock held, which is dropped around the drop functions.
 */
static unsigned long kpool_drop_all(struct kpool *pool, struct kpool_run *run)
{
	unsigned long dropped = 0;
	struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	/* if the pool has been reopened, nothing was left to drop */
	while (pool->aborted && (item = kpool_any_accepted(pool))) {
		if (kpool_run_of(item)) {
			kpool_item_drop(pool, item, -ECANCELED);
			kpool_unlock_irq(pool);
			kpool_lock_irq(pool);
			continue;
		}
		kpool_drop(pool, item, run, KPOOL_RUN_ABORT, -ECANCELED);
		/* the end of the run has put it back: there is one */
		run = kpool_run_take(pool);
		dropped++;
	}
	kpool_run_put(pool, run);
	return dropped;
}

unsigned long kpool_abort(struct kpool *pool)
{
	struct kpool_run *run;
	unsigned long dropped = 0;

	might_sleep();
	run = kpool_run_get(pool);
	kpool_close(pool, true);
	kpool_lock_irq(pool);
	if (kpool_can_nest(pool)) {
		dropped = kpool_drop_all(pool, run);
	} else {
		/* leave the items to an outer aborter, or to the drop work */
		kpool_run_put(pool, run);
		kpool_context_queue(&pool->drops.work);
	}
	pool->drops.nr_aborters--;
	/* recheck: this caller can no longer make progress by dropping items */
	kpool_unlock_irq(pool);
	return dropped;
}
EXPORT_SYMBOL_GPL(kpool_abort);
