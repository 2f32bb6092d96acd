// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accepted items that will not run: their owner is told.
 *
 * The owner's dropped function is called without locks.  As long as it runs,
 * the item has not ended: who waits for the item or the pool goes on waiting,
 * and the item finds no other pool.  An item that was submitted again while it
 * runs is not dropped before that run has ended: its owner may free it.
 */
#include <linux/module.h>

#include "internal.h"
#include "pending.h"

/*
 * Drop an accepted item that does not run.  Called with pool->lock held, which
 * is dropped meanwhile, and interrupts on before that.
 */
void kpool_drop(struct kpool *pool, struct kpool_item *item, int err)
{
	struct kpool_drop drop = { .task = current, .run.item = item };
	kpool_dropped_fn dropped = item->dropped;
	u32 epoch = item->epoch;

	lockdep_assert_held(&pool->lock);
	kpool_remove(pool, item);
	INIT_LIST_HEAD(&drop.run.waiters);
	list_add(&drop.node, &pool->drops);
	if (item->watched)
		kpool_move_waiters(pool, item, &drop.run);
	raw_spin_unlock_irq(&pool->lock);

	if (dropped)
		dropped(item, err);

	raw_spin_lock_irq(&pool->lock);
	list_del(&drop.node);
	pool->stats.dropped++;
	kpool_serve_all(pool, &drop.run.waiters);
	kpool_item_ended(pool, epoch);
	kpool_break_deadlock(pool);
	kpool_wind_up(pool);
}

/* Is the caller in a dropped function of the pool? */
bool kpool_is_dropping(struct kpool *pool)
{
	struct kpool_drop *drop;
	unsigned long flags;
	bool found = false;

	raw_spin_lock_irqsave(&pool->lock, flags);
	list_for_each_entry(drop, &pool->drops, node)
		found |= drop->task == current;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return found;
}

/* Some accepted item that has not started and does not run from before. */
static struct kpool_item *kpool_any_droppable(struct kpool *pool)
{
	struct kpool_item *item = kpool_skip_running(pool);

	if (item)
		return item;
	list_for_each_entry(item, &pool->blocked, node)
		if (!kpool_runner(item))
			return item;
	return NULL;
}

unsigned long kpool_abort(struct kpool *pool)
{
	unsigned long dropped = 0;
	struct kpool_item *item;

	might_sleep();
	kpool_close(pool, true);
	raw_spin_lock_irq(&pool->lock);
	/* a reboot in between has found nothing left to drop */
	while (pool->aborted && (item = kpool_any_droppable(pool))) {
		kpool_drop(pool, item, -ECANCELED);
		dropped++;
	}
	kpool_unlock_wake_irq(pool, kpool_rouse(pool));
	return dropped;
}
EXPORT_SYMBOL_GPL(kpool_abort);
