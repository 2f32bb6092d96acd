// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line: what has been accepted and not started.
 *
 * pool->line is the line itself.  pool->blocked is the queue in front of
 * it, in order of arrival: items of submitters that sleep until there is room
 * (KPOOL_BLOCKED), and items accepted without room, which wait there like a
 * submitter that came at that time (KPOOL_DUE).  Whatever makes room calls
 * kpool_admit_blocked(), so that nobody in front of the line waits in vain.
 *
 * An item submitted while it runs keeps its place in line; when its turn comes
 * before the run has ended, the runner holds it and puts it back in front.
 */
#include "internal.h"
#include "pending.h"

/* Take an accepted item from wherever it waits. */
void kpool_remove(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	switch (item->place) {
	case KPOOL_IN_LINE:
		list_del(&item->node);
		pool->nr_line--;
		break;
	case KPOOL_DUE:
		list_del(&item->node);
		pool->nr_due--;
		break;
	case KPOOL_HELD:
		item->worker->held = NULL;
		pool->nr_held--;
		break;
	}
	item->place = KPOOL_NOWHERE;
}

/* Serve those in front of the line, strictly in order of arrival. */
void kpool_serve_blocked(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	while (!list_empty(&pool->blocked) && kpool_has_room(pool)) {
		struct kpool_item *item = list_first_entry(&pool->blocked,
							   struct kpool_item,
							   node);

		list_del(&item->node);
		if (item->place == KPOOL_BLOCKED) {
			struct kpool_waiter *waiter = item->submitter;

			pool->nr_blocked--;
			kpool_accept(pool, item);
			kpool_serve(pool, waiter, 0);
		} else {
			pool->nr_due--;
		}
		kpool_append(pool, item);
	}
}

/* Put aside an item whose turn has come while its earlier run lasts. */
static void kpool_hold(struct kpool *pool, struct kpool_worker *runner,
		       struct kpool_item *item)
{
	kpool_remove(pool, item);
	item->place = KPOOL_HELD;
	runner->held = item;
	pool->nr_held++;
	kpool_admit_blocked(pool);
}

/* The run has ended: what was held is first in line. */
void kpool_unhold(struct kpool *pool, struct kpool_worker *worker)
{
	struct kpool_item *item = worker->held;

	lockdep_assert_held(&pool->lock);
	kpool_remove(pool, item);
	item->place = KPOOL_IN_LINE;
	list_add(&item->node, &pool->line);
	pool->nr_line++;
}

/* The first in line runs: put aside all like it until one may start. */
struct kpool_item *kpool_skip_running(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	while (pool->nr_line) {
		struct kpool_item *item = kpool_head(pool);
		struct kpool_worker *runner = kpool_runner(item);

		if (!runner)
			return item;
		kpool_hold(pool, runner, item);
	}
	return NULL;
}

/* An accepted item has run, or will not: those who flush the pool count it. */
void kpool_item_ended(struct kpool *pool, u32 epoch)
{
	struct kpool_waiter *waiter, *next;

	lockdep_assert_held(&pool->lock);
	list_for_each_entry_safe(waiter, next, &pool->flushers, node) {
		if ((s32)(epoch - waiter->epoch) > 0 || --waiter->left)
			continue;
		list_del(&waiter->node);
		kpool_serve(pool, waiter, 0);
	}
}
