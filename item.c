// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can be done to one item: cancel, disable, wait.
 *
 * An item carries the id of its home, the pool it was last submitted to; its
 * fields are guarded by that pool's lock.  Ids go round in a circle of four
 * billion, so an item may outlive its pool.  An item without a living home
 * moves, before any of its fields is touched, to kpool_limbo, a pool that never
 * runs anything.
 */
#include <linux/module.h>

#include "annotate.h"
#include "internal.h"
#include "pending.h"

void kpool_init_item(struct kpool_item *item, kpool_item_fn fn)
{
	kpool_debug_init(item);
	*item = (struct kpool_item)KPOOL_ITEM_INIT(fn);
}
EXPORT_SYMBOL_GPL(kpool_init_item);

void kpool_init_item_onstack(struct kpool_item *item, kpool_item_fn fn)
{
	kpool_init_item(item, fn);
}
EXPORT_SYMBOL_GPL(kpool_init_item_onstack);

void kpool_destroy_item_onstack(struct kpool_item *item)
{
	unsigned long flags;
	struct kpool *pool = kpool_item_lock(item, &flags);
	bool pending = item->place != KPOOL_NOWHERE;

	raw_spin_unlock_irqrestore(&pool->lock, flags);
	WARN(pending, pr_fmt("item of %ps leaves the stack while pending\n"),
	     item->fn);
	kpool_debug_destroy(item);
}
EXPORT_SYMBOL_GPL(kpool_destroy_item_onstack);

/* Lock the home unless it is gone; fails also if the item left meanwhile. */
static bool kpool_lock_home(struct kpool_item *item, struct kpool *home,
			    unsigned long *flags)
{
	raw_spin_lock_irqsave(&home->lock, *flags);
	if (!home->dead && READ_ONCE(item->home) == home->id)
		return true;
	raw_spin_unlock_irqrestore(&home->lock, *flags);
	return false;
}

/* An item whose home is gone, or that never had one, moves to limbo. */
static bool kpool_lock_limbo(struct kpool_item *item, u32 gone,
			     unsigned long *flags)
{
	raw_spin_lock_irqsave(&kpool_limbo.lock, *flags);
	if (cmpxchg(&item->home, gone, kpool_limbo.id) == gone) {
		item->run = NULL;
		return true;
	}
	raw_spin_unlock_irqrestore(&kpool_limbo.lock, *flags);
	return false;
}

/*
 * Lock the item's home.  A pool is marked dead under its own lock and that of
 * limbo before its id is forgotten, so whoever locks it alive comes before
 * everyone who finds the item in limbo.  Interrupts stay off until the lock is
 * dropped, which keeps a pool that is being freed by RCU in place meanwhile.
 * Litmus: home-new, home-lookup, home-dead, home-forgotten, pool-published,
 * pool-freed.
 */
struct kpool *kpool_item_lock(struct kpool_item *item, unsigned long *flags)
{
	for (;;) {
		u32 id = READ_ONCE(item->home);
		struct kpool *home;
		bool locked;

		rcu_read_lock();
		home = kpool_by_id(id);
		locked = home && kpool_lock_home(item, home, flags);
		if (!locked && (!home || READ_ONCE(home->dead))) {
			home = &kpool_limbo;
			locked = kpool_lock_limbo(item, id, flags);
		}
		rcu_read_unlock();
		if (locked)
			return home;
		cpu_relax();
	}
}

/* Take an accepted item back; a sleeping submit of it is told. */
bool kpool_do_cancel(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_run *run = kpool_run_of(item);
	struct kpool_group *group;

	lockdep_assert_held(&pool->lock);
	if (item->place == KPOOL_BLOCKED) {
		kpool_refuse_blocked(pool, item, -ECANCELED);
		return false;
	}
	if (!kpool_is_accepted(item))
		return false;

	kpool_give_up(pool, item);
	kpool_debug_ended(item);
	pool->stats.cancelled++;
	/* an earlier acceptance may still run, for which they wait too */
	kpool_move_waiters(pool, item, run ? &run->waiters : &pool->served);
	group = kpool_odd_group(pool, item);
	if (group)
		kpool_group_end(pool, group, item, -ECANCELED, false);
	kpool_item_ended(pool, item->epoch);
	return true;
}

bool kpool_cancel(struct kpool_item *item)
{
	unsigned long flags;
	struct kpool *pool = kpool_item_lock(item, &flags);
	bool pending = kpool_do_cancel(pool, item);

	kpool_unlock(pool, flags);
	return pending;
}
EXPORT_SYMBOL_GPL(kpool_cancel);

int kpool_flush_item(struct kpool_item *item)
{
	unsigned long flags;
	struct kpool *pool;
	int err;

	might_sleep();
	kpool_map_wait_item(item);
	pool = kpool_item_lock(item, &flags);
	err = kpool_wait_item(pool, item, KPOOL_WAIT_ITEM,
			      MAX_SCHEDULE_TIMEOUT, 0);
	kpool_unlock(pool, flags);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_flush_item);

static int kpool_do_disable(struct kpool_item *item, bool wait)
{
	unsigned long flags;
	struct kpool *pool = kpool_item_lock(item, &flags);
	bool pending;
	int err = 0;

	if (item->disabled == U16_MAX) {
		raw_spin_unlock_irqrestore(&pool->lock, flags);
		return -ERANGE;
	}
	item->disabled++;
	pending = kpool_do_cancel(pool, item);
	if (wait)
		err = kpool_wait_item(pool, item, KPOOL_WAIT_ITEM,
				      MAX_SCHEDULE_TIMEOUT, 0);
	kpool_unlock(pool, flags);
	return err ?: pending;
}

int kpool_disable(struct kpool_item *item)
{
	return kpool_do_disable(item, false);
}
EXPORT_SYMBOL_GPL(kpool_disable);

int kpool_disable_wait(struct kpool_item *item)
{
	might_sleep();
	kpool_map_wait_item(item);
	return kpool_do_disable(item, true);
}
EXPORT_SYMBOL_GPL(kpool_disable_wait);

int kpool_enable(struct kpool_item *item)
{
	unsigned long flags;
	struct kpool *pool = kpool_item_lock(item, &flags);
	int err = -EINVAL;

	if (item->disabled)
		err = --item->disabled ? 1 : 0;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_enable);

int kpool_cancel_wait(struct kpool_item *item)
{
	int err;

	might_sleep();
	kpool_map_wait_item(item);
	err = kpool_do_disable(item, true);
	if (err != -ERANGE)
		kpool_enable(item);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_cancel_wait);

bool kpool_is_pending(struct kpool_item *item)
{
	unsigned long flags;
	struct kpool *pool = kpool_item_lock(item, &flags);
	bool pending = kpool_is_accepted(item);

	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return pending;
}
EXPORT_SYMBOL_GPL(kpool_is_pending);
