// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a module leaves behind when it goes away.
 *
 * It has been through its exit function and is about to be freed, so nothing
 * of it comes in any more.  A pool that it made and did not destroy is closed:
 * what is pending there is dropped, what runs is awaited.  The pool stays, for
 * somebody may have been given it.  What it gave to the default pool, which is
 * everybody's, is known by its addresses: the item's memory and functions.  It
 * is cancelled, or awaited.
 */
#include <linux/module.h>
#include <linux/rbtree.h>

#include "internal.h"
#include "pending.h"

/* Pools */

/* A pool that the module made and has not destroyed; it stays until we leave. */
static struct kpool *kpool_orphan_of(const struct module *owner)
{
	struct kpool *pool, *orphan = NULL;

	mutex_lock(&kpool_registry);
	list_for_each_entry(pool, &kpool_pools, member)
		if (pool->owner == owner)
			orphan = pool;
	if (orphan) {
		orphan->owner = NULL;
		kpool_enter(orphan);
	}
	mutex_unlock(&kpool_registry);
	return orphan;
}

static void kpool_close_orphans(const struct module *owner)
{
	struct kpool *pool;

	while ((pool = kpool_orphan_of(owner))) {
		pr_err("kpool: %s: left behind by module %s, which goes away: closed\n",
		       pool->name, pool->owner_name);
		kpool_abort(pool);
		kpool_wait_rest(pool, MAX_SCHEDULE_TIMEOUT);
		kpool_leave(pool);
	}
}

/* Items in the default pool */

static bool kpool_is_within(const void *address, const struct module *owner)
{
	return address && within_module((unsigned long)address, owner);
}

/* One whose caller waits has not been forgotten. */
static bool kpool_is_forgotten(const struct kpool_item *item,
			       const struct module *owner)
{
	return kpool_is_accepted(item) && !kpool_is_call(item) &&
	       (kpool_is_within(kpool_user_fn(item), owner) ||
		kpool_is_within(item->dropped, owner) ||
		kpool_is_within(item, owner));
}

static struct kpool_item *kpool_forgotten_in(struct list_head *list,
					     const struct module *owner)
{
	struct kpool_item *item;

	list_for_each_entry(item, list, node)
		if (kpool_is_forgotten(item, owner))
			return item;
	return NULL;
}

static struct kpool_item *kpool_forgotten_delayed(struct kpool *pool,
						  const struct module *owner)
{
	struct rb_node *node;

	for (node = rb_first_cached(&pool->delayed); node;
	     node = rb_next(node)) {
		struct kpool_item *item =
			&rb_entry(node, struct kpool_job, delay_node)->item;

		if (kpool_is_forgotten(item, owner))
			return item;
	}
	return NULL;
}

/* Some accepted item of the module, but those that a runner holds. */
static struct kpool_item *kpool_forgotten(struct kpool *pool,
					  const struct module *owner)
{
	struct kpool_item *item = NULL;
	int rank;

	for (rank = 0; rank < KPOOL_NR_RANKS && !item; rank++)
		item = kpool_forgotten_in(&pool->lines[rank], owner);
	return item ?: kpool_forgotten_in(&pool->aside, owner) ?:
	       kpool_forgotten_in(&pool->blocked, owner) ?:
	       kpool_forgotten_in(&pool->doomed, owner) ?:
	       kpool_forgotten_delayed(pool, owner);
}

/* Cancel one: was there any? */
static bool kpool_cancel_forgotten(struct kpool *pool,
				   const struct module *owner)
{
	struct kpool_item *item;
	bool ours;

	raw_spin_lock_irq(&pool->lock);
	item = kpool_forgotten(pool, owner);
	ours = item && kpool_is_ours(item);
	if (item)
		kpool_do_cancel(pool, item);
	kpool_unlock_irq(pool);
	if (ours)
		item->dropped(item, -ECANCELED);
	return item;
}

/* A run of one of the module's functions, or one that may be. */
static struct kpool_run *kpool_run_within(struct kpool *pool,
					  const struct module *owner)
{
	struct kpool_run *run;
	struct kpool_worker *worker;

	lockdep_assert_held(&pool->mutex);
	lockdep_assert_held(&pool->lock);
	list_for_each_entry(worker, &pool->workers, member)
		if (worker->run.item &&
		    (kpool_is_within(READ_ONCE(worker->fn), owner) ||
		     kpool_hides_user_fn(READ_ONCE(worker->fn))))
			return &worker->run;
	for (run = kpool_ext_run_after(pool, NULL); run;
	     run = kpool_ext_run_after(pool, run->task))
		if (kpool_is_within(run->fn, owner))
			return run;
	return NULL;
}

/* Wait for one run to end: was there any? */
static bool kpool_await_forgotten(struct kpool *pool,
				  const struct module *owner)
{
	struct kpool_waiter waiter;
	struct kpool_run *run;

	kpool_waiter_init(&waiter, KPOOL_WAIT_ITEM, NULL);
	mutex_lock(&pool->mutex);
	raw_spin_lock_irq(&pool->lock);
	run = kpool_run_within(pool, owner);
	if (run)
		list_add_tail(&waiter.node, &run->waiters);
	raw_spin_unlock_irq(&pool->lock);
	mutex_unlock(&pool->mutex);
	if (!run)
		return false;

	raw_spin_lock_irq(&pool->lock);
	kpool_wait(pool, &waiter, MAX_SCHEDULE_TIMEOUT, false);
	kpool_unlock_irq(pool);
	return true;
}

/* What a run held comes to the line when it ends, so both go on until neither. */
static void kpool_take_back(struct kpool *pool, const struct module *owner)
{
	unsigned int cancelled = 0, awaited = 0;

	do {
		while (kpool_cancel_forgotten(pool, owner))
			cancelled++;
	} while (kpool_await_forgotten(pool, owner) && ++awaited);
	if (cancelled || awaited)
		pr_err("kpool: %s: module %s went away without its items: %u cancelled, %u runs awaited\n",
		       pool->name, owner->name, cancelled, awaited);
}

int kpool_module_event(struct notifier_block *nb, unsigned long event,
		       void *data)
{
	struct kpool *shared = READ_ONCE(kpool_the_default);

	if (event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	kpool_close_orphans(data);
	if (shared && data != THIS_MODULE)
		kpool_take_back(shared, data);
	return NOTIFY_OK;
}
