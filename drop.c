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
 * piece of work of the pool, the dropper, tells the owner.  Only abort tells
 * owners itself.
 */
#include <linux/module.h>

#include "internal.h"
#include "pending.h"

/*
 * Drop an accepted item that does not run.  Called with pool->lock held, which
 * is dropped meanwhile, and interrupts on before that.
 */
static void kpool_drop(struct kpool *pool, struct kpool_item *item, int err)
{
	kpool_dropped_fn dropped = item->dropped;
	struct kpool_outside outside;

	lockdep_assert_held(&pool->lock);
	kpool_give_up(pool, item);
	kpool_outside_begin(pool, item, &outside, false);
	kpool_admit_blocked(pool);
	kpool_unlock_wake_irq(pool, kpool_rouse(pool));

	if (dropped)
		dropped(item, err);

	raw_spin_lock_irq(&pool->lock);
	pool->stats.dropped++;
	pool->stats.expired += err == -ETIME;
	pool->stats.displaced += err == -EAGAIN;
	/* to be cancelled is no error, unless it is by abort */
	kpool_outside_end(pool, &outside, err,
			  err != -ECANCELED || pool->aborted);
}

/* Leave an accepted item to the dropper; if it still runs, until it has. */
void kpool_doom(struct kpool *pool, struct kpool_item *item, int err)
{
	lockdep_assert_held(&pool->lock);
	kpool_give_up(pool, item);
	item->place = KPOOL_DOOMED;
	item->err = err;
	list_add_tail(&item->node, &pool->doomed);
	pool->nr_doomed++;
	if (kpool_runner(item))
		kpool_runner(item)->odd = true;
	queue_work(kpool_wq, &pool->dropper);
}

/* Doom one more that must not wait for its turn: is there any? */
static bool kpool_doom_another(struct kpool *pool)
{
	struct kpool_item *item = kpool_first_of_doomed_groups(pool);

	if (item) {
		kpool_doom(pool, item, -ECANCELED);
		return true;
	}
	/* what is delayed in an aborted pool is left to abort */
	if (!pool->closed || pool->aborted)
		return false;
	item = kpool_first_delayed(pool);
	if (item)
		kpool_doom(pool, item, -ESHUTDOWN);
	return item;
}

/* The next that is doomed and does not run from before. */
struct kpool_item *kpool_next_doomed(struct kpool *pool)
{
	struct kpool_item *item;

	list_for_each_entry(item, &pool->doomed, node)
		if (!kpool_run_of(pool, item))
			return item;
	return NULL;
}

void kpool_drop_work(struct work_struct *work)
{
	struct kpool *pool = container_of(work, struct kpool, dropper);
	struct kpool_item *item;
	bool more;

	raw_spin_lock_irq(&pool->lock);
	pool->dropper_task = current;
	do {
		more = kpool_doom_another(pool);
		item = kpool_next_doomed(pool);
		if (item)
			kpool_drop(pool, item, item->err);
	} while (item || more);
	pool->dropper_task = NULL;
	/* without running anything, this may have made room, or ended a hope */
	kpool_admit_blocked(pool);
	kpool_break_deadlock(pool);
	kpool_unlock_wake_irq(pool, kpool_rouse(pool));
}

/* Abort */

static struct kpool_item *kpool_first_in_line(struct kpool *pool)
{
	int rank;

	for (rank = 0; rank < KPOOL_NR_RANKS; rank++)
		if (!list_empty(&pool->lines[rank]))
			return list_first_entry(&pool->lines[rank],
						struct kpool_item, node);
	return NULL;
}

/* Some accepted item that has not started, but those that a runner holds. */
static struct kpool_item *kpool_any_accepted(struct kpool *pool)
{
	return kpool_first_in_line(pool) ?:
	       list_first_entry_or_null(&pool->aside, struct kpool_item, node) ?:
	       /* the submitters have been sent away */
	       list_first_entry_or_null(&pool->blocked, struct kpool_item,
					node) ?:
	       kpool_first_delayed(pool);
}

/* Drop all that has not started; in an aborted pool nothing does. */
static unsigned long kpool_drop_all(struct kpool *pool)
{
	unsigned long dropped = 0;
	struct kpool_item *item;

	/* a reboot in between has found nothing left to drop */
	while (pool->aborted && (item = kpool_any_accepted(pool))) {
		if (kpool_run_of(pool, item)) {
			kpool_doom(pool, item, -ECANCELED);
			continue;
		}
		kpool_drop(pool, item, -ECANCELED);
		dropped++;
	}
	return dropped;
}

unsigned long kpool_abort(struct kpool *pool)
{
	unsigned long dropped;

	might_sleep();
	kpool_close(pool, true);
	raw_spin_lock_irq(&pool->lock);
	dropped = kpool_drop_all(pool);
	pool->nr_aborters--;
	/* what it has only doomed gives no hope any more */
	kpool_break_deadlock(pool);
	kpool_unlock_wake_irq(pool, kpool_rouse(pool));
	return dropped;
}
EXPORT_SYMBOL_GPL(kpool_abort);
