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
	unsigned int	signals;	/* that end the sleep, as in struct kpool_waiter */
	bool		no_memory;	/* for a run: the submitter waits instead */
};

/* Not an error: the submitter is to come again with memory for a run. */
#define KPOOL_NEEDS_RUN	1

/* Is the caller the item's own function? */
static bool kpool_submits_itself(struct kpool *pool,
				 const struct kpool_item *item)
{
	const struct kpool_run *run = kpool_run_of(item), *in;

	if (!run || run->kind == KPOOL_RUN_DROP || run->kind == KPOOL_RUN_ABORT)
		return false;
	for (in = kpool_current_run(pool); in && in != run; in = in->outer)
		;
	return in;
}

/* Is the caller the item's own function, and nothing inside of it? */
static bool kpool_hands_itself_on(struct kpool *pool,
				  const struct kpool_item *item)
{
	return kpool_submits_itself(pool, item) &&
	       kpool_current_run(pool) == kpool_run_of(item);
}

/* Room aside, may the item be accepted? */
int kpool_may_accept(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	if (item->place != KPOOL_NOWHERE)
		return -EALREADY;
	if (pool->closed)
		return -ESHUTDOWN;
	if (kpool_is_of_going(pool, item))
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
	pool->nr_concerned++;
	kpool_odd_in(pool, item);
}

/* May the caller sleep?  In an interrupt, or with interrupts off, it must not. */
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
	list_add_tail(&waiter.node, &pool->submitters);
	pool->nr_blocked++;
	kpool_odd_in(pool, item);
	kpool_odd_blocked(pool, item);
	return kpool_wait(pool, &waiter, patience->timeout, patience->signals);
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
	if (item->place != KPOOL_NOWHERE || kpool_is_to_complete(item)) {
		err = -EALREADY;
	} else if (kpool_run_of(item) && !kpool_hands_itself_on(old, item)) {
		err = old == pool ? 0 : -EBUSY;
	} else if (old != pool) {
		/* the run that hands its item on goes on without it */
		item->run = NULL;
		/* pairs with kpool_come_home() and kpool_item_lock() */
		smp_store_release(&item->home, pool->id);
	}
	raw_spin_unlock_irqrestore(&old->lock, flags);
	return err;
}

/* The owner is told when there is room for the lightest that was refused. */
static int kpool_refuse(struct kpool *pool, const struct kpool_item *item)
{
	unsigned int units = kpool_units(pool, item);

	pool->stats.refused++;
	if (!pool->made.room)
		return -EAGAIN;
	if (!pool->room_units)
		pool->nr_concerned++;
	if (kpool_must_follow(item)) {
		/* no number of units is enough: see kpool_stream_next() */
		pool->room_follow = min_not_zero(pool->room_follow, units);
		units = UINT_MAX;
	}
	pool->room_units = min_not_zero(pool->room_units, units);
	return -EAGAIN;
}

/* There is no room: what the pool's policy and the caller's context allow. */
static int kpool_overflow(struct kpool *pool, struct kpool_item *item,
			  const struct kpool_patience *patience,
			  unsigned long flags)
{
	struct kpool_run *run;

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
		if (kpool_can_caller_run(pool, item)) {
			run = list_first_entry_or_null(&pool->free_runs,
						       struct kpool_run, free);
			if (!run && !patience->no_memory)
				return KPOOL_NEEDS_RUN;
			if (run) {
				list_del(&run->free);
				return kpool_caller_run(pool, item, run);
			}
		}
		if (pool->nr_blocked < (unsigned int)pool->attrs.max_blocked)
			return kpool_block(pool, item, patience);
	}
	return kpool_refuse(pool, item);
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

static int __kpool_submit(struct kpool *pool, struct kpool_item *item,
			  const struct kpool_patience *patience)
{
	unsigned long flags;
	int err;

	err = kpool_come_home(pool, item, &flags);
	if (err)
		return err;
	if (!kpool_admit_plain(pool, item))
		err = kpool_admit(pool, item, patience, flags);
	kpool_unlock(pool, flags);
	return err;
}

/* The submitter is to run the item itself, and needs memory for that. */
static noinline int kpool_submit_with_run(struct kpool *pool,
					  struct kpool_item *item,
					  const struct kpool_patience *patience)
{
	struct kpool_run *run = kpool_run_alloc(GFP_NOWAIT | __GFP_NOWARN);
	struct kpool_patience last = *patience;

	last.no_memory = true;
	if (run) {
		raw_spin_lock_irq(&pool->lock);
		list_add(&run->free, &pool->free_runs);
		raw_spin_unlock_irq(&pool->lock);
	}
	return __kpool_submit(pool, item, &last);
}

static int kpool_do_submit(struct kpool *pool, struct kpool_item *item,
			   const struct kpool_patience *patience)
{
	int err = __kpool_submit(pool, item, patience);

	if (unlikely(err == KPOOL_NEEDS_RUN))
		err = kpool_submit_with_run(pool, item, patience);
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

/* kpool_submit_timeout() that some signals end as well. */
int kpool_submit_signals(struct kpool *pool, struct kpool_item *item,
			 unsigned long timeout, unsigned int signals)
{
	struct kpool_patience patience = {
		.timeout = min_t(unsigned long, timeout, MAX_SCHEDULE_TIMEOUT),
		.signals = signals,
	};

	if (timeout)
		__might_sleep(__FILE__, __LINE__);
	return kpool_do_submit(pool, item, &patience);
}

int kpool_submit_timeout(struct kpool *pool, struct kpool_item *item,
			 unsigned long timeout)
{
	return kpool_submit_signals(pool, item, timeout, 0);
}
EXPORT_SYMBOL_GPL(kpool_submit_timeout);

int kpool_submit_killable(struct kpool *pool, struct kpool_item *item)
{
	return kpool_submit_signals(pool, item, MAX_SCHEDULE_TIMEOUT,
				    TASK_WAKEKILL);
}
EXPORT_SYMBOL_GPL(kpool_submit_killable);

int kpool_submit_interruptible(struct kpool *pool, struct kpool_item *item)
{
	return kpool_submit_signals(pool, item, MAX_SCHEDULE_TIMEOUT,
				    TASK_INTERRUPTIBLE);
}
EXPORT_SYMBOL_GPL(kpool_submit_interruptible);

int kpool_submit_now(struct kpool *pool, struct kpool_item *item)
{
	unsigned long flags;
	int err;

	err = kpool_come_home(pool, item, &flags);
	if (err)
		return err;
	err = kpool_may_accept(pool, item);
	if (!err && !kpool_can_start_now(pool, item)) {
		pool->stats.refused++;
		err = -EAGAIN;
	}
	if (!err) {
		kpool_accept(pool, item);
		kpool_append(pool, item);
	}
	kpool_unlock(pool, flags);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_submit_now);
