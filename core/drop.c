// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accepted items that will not run: their owner is told.
 *
 * The owner's dropped function is called without locks, in process context.  As
 * long as it runs, the item has not ended: who waits for the item or the pool
 * goes on waiting, and the item finds no other pool.  An item that was
 * submitted again while it runs is not dropped before that run has ended: its
 * owner may free it.
 *
 * Whoever finds that an item is to be dropped may be a worker, which has better
 * to do, or in a context that may not sleep.  So the item is doomed, and a
 * piece of work of the pool, the drop work, tells the owner.  Only abort tells
 * owners itself.
 */
#include <linux/gfp.h>
#include <linux/module.h>

#include "internal.h"
#include "lock.h"
#include "queue.h"

/*
 * Drop an accepted item that does not run.  Called with pool->lock held, which
 * is dropped meanwhile, and interrupts on before that.
 */
static void kpool_drop(struct kpool *pool, struct kpool_item *item,
		       struct kpool_run *run, enum kpool_run_kind kind, int err)
{
	kpool_drop_fn dropped = item->dropped;

	lockdep_assert_held(&pool->lock);
	kpool_dequeue_dead(pool, item);
	kpool_ext_run_begin(pool, run, item, kind);
	run->err = err;
	kpool_unlock_irq(pool);

	if (dropped)
		dropped(item, err);

	raw_spin_lock_irq(&pool->lock);
	kpool_drop_end(pool, run);
}

/* The dropped function has returned, or its thread has ended in it. */
void kpool_drop_end(struct kpool *pool, struct kpool_run *run)
{
	int err = run->err;

	lockdep_assert_held(&pool->lock);
	pool->stats.dropped++;
	pool->stats.expired += err == -ETIME;
	pool->stats.displaced += err == -EAGAIN;
	/* to be cancelled is no error, unless it is by abort */
	kpool_ext_run_end(pool, run, err, err != -ECANCELED || pool->aborted);
}


/*
 * The thread of a dropped function has ended in it, perhaps the drop work's.
 */
void kpool_replace_drop_work(struct kpool *pool, bool died)
{
	if (died)
		kpool_context_replace(&pool->drops.work);
	else
		kpool_context_queue(&pool->drops.work);
}

/* Doom one more that must not wait for its turn: is there any? */
static bool kpool_drop_next_cancelled(struct kpool *pool)
{
	struct kpool_item *item;

	if (!pool->closed)
		return false;
	/* what is accepted in an aborted pool is left to abort, if it lives */
	if (pool->aborted && pool->drops.nr_aborters)
		return false;
	item = pool->aborted ? kpool_any_accepted(pool) :
			       kpool_first_delayed(pool);
	if (item)
		kpool_item_drop(pool, item, pool->aborted ? -ECANCELED : -ESHUTDOWN);
	return item;
}

/* The room function has returned, or its thread has ended in it. */
void kpool_room_end(struct kpool *pool, struct kpool_run *run)
{
	lockdep_assert_held(&pool->lock);
	run->item = NULL;
	kpool_ext_run_leave(pool, run);
}

/*
 * Tell the owner that a submitter that was refused would not be now.  That is a
 * run like a drop: a wait for the pool from there is one for itself.
 */
static void kpool_call_room(struct kpool *pool)
{
	static struct kpool_item none;	/* compared, never followed */
	struct kpool_run *run = &pool->runs.drop;
	void (*room)(void *data);

	lockdep_assert_held(&pool->lock);
	if (!pool->drops.room_pending)
		return;
	pool->drops.room_pending = false;
	room = pool->init_attrs.room;
	if (!room)
		return;
	run->kind = KPOOL_RUN_ROOM;
	run->fn = room;
	run->call = NULL;
	run->group = NULL;
	run->requeue = NULL;
	run->dead = false;
	run->item = &none;
	run->nr++;
	kpool_ext_run_enter(pool, run);
	if (!pool->wd.armed)
		kpool_watchdog_arm(pool);
	kpool_unlock_irq(pool);

	room(pool->init_attrs.data);

	raw_spin_lock_irq(&pool->lock);
	kpool_room_end(pool, run);
}

void kpool_drop_work_fn(struct kpool *pool)
{
	struct kpool_item *item;
	bool more;

	raw_spin_lock_irq(&pool->lock);
	pool->drops.active = true;
	kpool_call_room(pool);
	do {
		more = kpool_drop_next_cancelled(pool);
		item = list_first_entry_or_null(&pool->drops.items,
						struct kpool_item, node);
		if (item)
			kpool_drop(pool, item, &pool->runs.drop, KPOOL_RUN_DROP,
				   item->err);
		kpool_unlock_irq(pool);
		raw_spin_lock_irq(&pool->lock);
	} while (item || more);
	pool->drops.active = false;
	/* without a drop, this may have made room, or ended the last progress */
	kpool_unlock_irq(pool);
}

/* Abort */

/* Drop all that has not started; in an aborted pool nothing does. */
static unsigned long kpool_drop_all(struct kpool *pool, struct kpool_run **run)
{
	unsigned long dropped = 0;
	struct kpool_item *item;

	/* if it is reopened in between, nothing was left to drop */
	while (pool->aborted && (item = kpool_any_accepted(pool))) {
		if (kpool_run_of(item)) {
			kpool_item_drop(pool, item, -ECANCELED);
			kpool_unlock_irq(pool);
			raw_spin_lock_irq(&pool->lock);
			continue;
		}
		/* the one before is on pool->runs.free since it has ended */
		kpool_drop(pool, item, *run, KPOOL_RUN_ABORT, -ECANCELED);
		*run = list_first_entry(&pool->runs.free, struct kpool_run,
					free);
		list_del(&(*run)->free);
		dropped++;
	}
	return dropped;
}

/* After kpool_close(): leave what is to be dropped to the drop work. */
void kpool_abort_by_dropper(struct kpool *pool)
{
	raw_spin_lock_irq(&pool->lock);
	pool->drops.nr_aborters--;
	kpool_context_queue(&pool->drops.work);
	kpool_unlock_irq(pool);
}

unsigned long kpool_abort(struct kpool *pool)
{
	struct kpool_run *run;
	unsigned long dropped;

	might_sleep();
	run = kpool_run_get(pool);
	kpool_close(pool, true);
	raw_spin_lock_irq(&pool->lock);
	dropped = kpool_drop_all(pool, &run);
	pool->drops.nr_aborters--;
	list_add(&run->free, &pool->runs.free);
	/* what it has only doomed is no progress of its own any more */
	kpool_unlock_irq(pool);
	return dropped;
}
EXPORT_SYMBOL_GPL(kpool_abort);
