// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way in: admission, waiting, refusal.
 *
 * An item is let in under the lock of its pool, and only there, so that what
 * its submitter stored before is seen by the run even if the answer was
 * -EALREADY: the run takes the same lock later.
 */
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/slab.h>

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

	/* by what the item says: the memory may be that of an earlier one */
	return worker && kpool_runner(item) == worker;
}

/* Let the item in if it may come in at once. */
static int kpool_admit(struct kpool *pool, struct kpool_item *item)
{
	if (item->place != KPOOL_NOWHERE)
		return -EALREADY;
	if (pool->closed)
		return -ESHUTDOWN;
	if (item->disabled)
		return -ECANCELED;
	/* there is room only if nobody waits: see kpool_admit_blocked() */
	if (kpool_has_room(pool)) {
		kpool_accept(pool, item);
		kpool_append(pool, item);
		return 0;
	}
	if (!kpool_submits_itself(pool, item))
		return -EAGAIN;

	/* accepted for want of room, it waits where a submitter would */
	kpool_accept(pool, item);
	item->place = KPOOL_DUE;
	list_add_tail(&item->node, &pool->blocked);
	pool->nr_due++;
	return 0;
}

/*
 * May the caller sleep?  One in an interrupt, who relied on a nonblocking pool
 * that a person has made blocking, must not.
 */
static bool kpool_may_block(const struct kpool *pool,
			    const struct kpool_patience *patience,
			    unsigned long flags)
{
	return patience->timeout && !pool->attrs.nonblocking &&
	       pool->nr_blocked < (unsigned int)pool->attrs.max_blocked &&
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
	return kpool_wait(pool, &waiter, patience->timeout, patience->killable);
}

/*
 * Make the pool the home of an item that has another, or none.  The fields of
 * an item are guarded by its home's lock, and only under that lock does it
 * leave.
 */
static noinline int kpool_adopt(struct kpool *pool, struct kpool_item *item)
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
		WRITE_ONCE(item->home, pool->id);
	}
	raw_spin_unlock_irqrestore(&old->lock, flags);
	return err;
}

/* Is the pool the item's home?  A new item has none and finds one here. */
static bool kpool_is_at_home(struct kpool *pool, struct kpool_item *item)
{
	u32 home = READ_ONCE(item->home);

	if (!home)
		home = cmpxchg(&item->home, 0, pool->id) ?: pool->id;
	return home == pool->id;
}

static int kpool_do_submit(struct kpool *pool, struct kpool_item *item,
			   const struct kpool_patience *patience)
{
	unsigned long flags;
	int err;

	if (!item->fn)
		return -EINVAL;
again:
	if (!kpool_is_at_home(pool, item)) {
		err = kpool_adopt(pool, item);
		if (err)
			return err;
	}
	raw_spin_lock_irqsave(&pool->lock, flags);
	/* another pool may have adopted it before the lock was taken */
	if (unlikely(READ_ONCE(item->home) != pool->id)) {
		raw_spin_unlock_irqrestore(&pool->lock, flags);
		goto again;
	}
	err = kpool_admit(pool, item);
	if (err == -EAGAIN) {
		if (kpool_may_block(pool, patience, flags))
			err = kpool_block(pool, item, patience);
		else
			pool->stats.refused++;
	}
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

/* An item that kpool allocated for its submitter. */
struct kpool_call {
	struct kpool_item	item;
	kpool_fn		fn;
	void			*arg;
};

static int kpool_call_run(struct kpool_item *item)
{
	struct kpool_call *call = container_of(item, struct kpool_call, item);
	struct kpool_worker *worker = kthread_data(current);
	kpool_fn fn = call->fn;
	void *arg = call->arg;

	WRITE_ONCE(worker->fn, fn);
	kfree(call);
	return fn(arg);
}

static void kpool_call_dropped(struct kpool_item *item, int err)
{
	kfree(container_of(item, struct kpool_call, item));
}

int kpool_submit_fn(struct kpool *pool, kpool_fn fn, void *arg, gfp_t gfp)
{
	struct kpool_call *call;
	int err;

	if (!fn)
		return -EINVAL;
	call = kmalloc_obj(*call, gfp);
	if (!call)
		return -ENOMEM;

	kpool_init_item(&call->item, kpool_call_run);
	kpool_set_dropped(&call->item, kpool_call_dropped);
	call->fn = fn;
	call->arg = arg;
	if (gfp & __GFP_DIRECT_RECLAIM)
		err = kpool_submit(pool, &call->item);
	else
		err = kpool_try_submit(pool, &call->item);
	if (err)
		kfree(call);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_submit_fn);

int kpool_invoke(struct kpool *pool, void *arg, gfp_t gfp)
{
	return kpool_submit_fn(pool, pool->fn, arg, gfp);
}
EXPORT_SYMBOL_GPL(kpool_invoke);
