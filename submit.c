// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way in: admission, waiting, refusal.
 *
 * An item is let in under the lock of its pool, and only there, so that what
 * its submitter stored before is seen by the run even if the answer was
 * -EALREADY: the run takes the same lock later.
 */
#include <linux/module.h>

#include "internal.h"
#include "pending.h"

/* How long a submit may sleep. */
struct kpool_patience {
	unsigned long	timeout;	/* jiffies; 0: never sleep */
	bool		killable;
};

/* Is the caller the item's own function? */
static bool kpool_submits_itself(struct kpool *pool,
				 const struct kpool_item *item)
{
	struct kpool_worker *worker = kpool_inside(pool);
	struct kpool_outside *outside = kpool_caller_run_of(pool, item);

	/* by what the item says: the memory may be that of an earlier one */
	return (worker && kpool_runner(item) == worker) ||
	       (outside && outside->task == current);
}

/* Room aside, may the item be accepted? */
int kpool_may_accept(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	if (item->place != KPOOL_NOWHERE)
		return -EALREADY;
	if (pool->closed)
		return -ESHUTDOWN;
	if (item->disabled)
		return -ECANCELED;
	return kpool_is_odd(item) ? kpool_odd_may_accept(pool, item) : 0;
}

/* May the item come in without waiting?  It must not overtake a sleeper. */
static bool kpool_may_come_in(struct kpool *pool, const struct kpool_item *item)
{
	return list_empty(&pool->blocked) && kpool_has_room(pool, item);
}

/* An accepted item comes in; without room it waits where a submitter would. */
void kpool_accept_due(struct kpool *pool, struct kpool_item *item)
{
	item->place = KPOOL_DUE;
	if (kpool_may_come_in(pool, item)) {
		kpool_append(pool, item);
		return;
	}
	list_add_tail(&item->node, &pool->blocked);
	pool->nr_due++;
	kpool_odd_in(pool, item);
}

/*
 * May the caller sleep?  One in an interrupt, who relied on a nonblocking pool
 * that a person has made blocking, must not.
 */
static bool kpool_may_sleep(const struct kpool *pool,
			    const struct kpool_patience *patience,
			    unsigned long flags)
{
	return patience->timeout && !pool->attrs.nonblocking &&
	       in_task() && !irqs_disabled_flags(flags);
}

/* There is no room: sleep until there is. */
static int kpool_block(struct kpool *pool, struct kpool_item *item,
		       const struct kpool_patience *patience)
{
	struct kpool_waiter waiter;

	kpool_waiter_init(&waiter, KPOOL_WAIT_SUBMIT, item);
	item->submitter = &waiter;
	item->place = KPOOL_BLOCKED;
	list_add_tail(&item->node, &pool->blocked);
	pool->nr_blocked++;
	kpool_odd_in(pool, item);
	return kpool_wait(pool, &waiter, patience->timeout, patience->killable);
}

/*
 * Make the pool the home of an item that has another, or none.  The fields of
 * an item are guarded by its home's lock, and only under that lock does it
 * leave.  Litmus: home-handover.
 */
int kpool_adopt(struct kpool *pool, struct kpool_item *item)
{
	unsigned long flags;
	struct kpool *old;
	int err = 0;

	old = kpool_item_lock(item, &flags);
	if (item->place != KPOOL_NOWHERE) {
		err = -EALREADY;
	} else if (kpool_run_of(old, item)) {
		err = old == pool ? 0 : -EBUSY;
	} else {
		item->worker = NULL;
		/* pairs with kpool_come_home() and kpool_item_lock() */
		smp_store_release(&item->home, pool->id);
	}
	raw_spin_unlock_irqrestore(&old->lock, flags);
	return err;
}

/* There is no room: what the pool's policy and the caller's context allow. */
static int kpool_overflow(struct kpool *pool, struct kpool_item *item,
			  const struct kpool_patience *patience,
			  unsigned long flags)
{
	if (kpool_submits_itself(pool, item)) {
		kpool_accept(pool, item);
		kpool_accept_due(pool, item);
		return 0;
	}
	if (kpool_displace(pool, item)) {
		kpool_accept(pool, item);
		kpool_append(pool, item);
		return 0;
	}
	if (kpool_may_sleep(pool, patience, flags)) {
		if (kpool_may_run_here(pool, item))
			return kpool_run_here(pool, item);
		if (pool->nr_blocked < (unsigned int)pool->attrs.max_blocked)
			return kpool_block(pool, item, patience);
	}
	pool->stats.refused++;
	return -EAGAIN;
}

/* What is not plain, or finds no room. */
static noinline int kpool_admit(struct kpool *pool, struct kpool_item *item,
				const struct kpool_patience *patience,
				unsigned long flags)
{
	int err = kpool_may_accept(pool, item);

	if (err)
		return err;
	if (!kpool_may_come_in(pool, item))
		return kpool_overflow(pool, item, patience, flags);
	kpool_accept(pool, item);
	kpool_append(pool, item);
	return 0;
}

static int kpool_do_submit(struct kpool *pool, struct kpool_item *item,
			   const struct kpool_patience *patience)
{
	unsigned long flags;
	int err;

	err = kpool_come_home(pool, item, &flags);
	if (err)
		return err;
	if (!kpool_admit_plain(pool, item))
		err = kpool_admit(pool, item, patience, flags);
	kpool_unlock_wake(pool, kpool_rouse(pool), flags);
	return err;
}

int kpool_submit(struct kpool *pool, struct kpool_item *item)
{
	static const struct kpool_patience patience = {
		.timeout = MAX_SCHEDULE_TIMEOUT,
	};

	/*
	 * A debugging aid; what counts is read under the lock.  Not
	 * might_sleep(): to be a preemption point would cost a context switch
	 * for each item.
	 */
	if (!data_race(pool->attrs.nonblocking))
		__might_sleep(__FILE__, __LINE__);
	return kpool_do_submit(pool, item, &patience);
}
EXPORT_SYMBOL_GPL(kpool_submit);

int kpool_try_submit(struct kpool *pool, struct kpool_item *item)
{
	static const struct kpool_patience patience = { };

	return kpool_do_submit(pool, item, &patience);
}
EXPORT_SYMBOL_GPL(kpool_try_submit);

int kpool_submit_timeout(struct kpool *pool, struct kpool_item *item,
			 unsigned long timeout)
{
	struct kpool_patience patience = {
		.timeout = min_t(unsigned long, timeout, MAX_SCHEDULE_TIMEOUT),
	};

	if (timeout)
		might_sleep();
	return kpool_do_submit(pool, item, &patience);
}
EXPORT_SYMBOL_GPL(kpool_submit_timeout);

int kpool_submit_killable(struct kpool *pool, struct kpool_item *item)
{
	static const struct kpool_patience patience = {
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.killable = true,
	};

	might_sleep();
	return kpool_do_submit(pool, item, &patience);
}
EXPORT_SYMBOL_GPL(kpool_submit_killable);
