// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callers asleep in kpool, and the sleep that could never end.
 *
 * A sleeper is served under pool->lock: its result is set, it leaves every
 * list, and its completion is signalled, all before the lock is dropped.  Who
 * wakes without having been served (time-out, signal) withdraws itself under
 * the same lock, so that exactly one of both happens.  Litmus:
 * served-vs-timeout.
 *
 * An item may sleep in its own pool.  Those sleeps are on pool->nested.  Once
 * every running item is there, those that no worker runs included, and nothing
 * else can start, none of them will ever be served, and the newest is refused
 * with -EDEADLK.  A sleep with a time-out, or of one who has been killed, ends
 * by itself and is not counted.  Waiting in a circle of runs is hopeless even
 * while other items run; kpool_closes_circle() and kpool_refuse_circle() find it
 * before, so that whoever follows a chain of sleepers comes to its end.
 */
#include <linux/sched/signal.h>

#include "internal.h"
#include "pending.h"

void kpool_waiter_init(struct kpool_waiter *waiter, enum kpool_waiter_kind kind,
		       struct kpool_item *item)
{
	INIT_LIST_HEAD(&waiter->node);
	INIT_LIST_HEAD(&waiter->nested);
	init_completion(&waiter->done);
	waiter->item = item;
	waiter->inside = NULL;
	waiter->outside = NULL;
	waiter->lost = 0;
	waiter->served = false;
	waiter->begun = false;
	waiter->kind = kind;
}

static void kpool_unnest(struct kpool *pool, struct kpool_waiter *waiter)
{
	list_del_init(&waiter->nested);
	if (waiter->inside) {
		waiter->inside->asleep = NULL;
		pool->nr_nested--;
	} else {
		waiter->outside->asleep = NULL;
	}
}

/* End a sleep.  The waiter has left the list it waited on. */
void kpool_serve(struct kpool *pool, struct kpool_waiter *waiter, int result)
{
	lockdep_assert_held(&pool->lock);
	if (!list_empty(&waiter->nested))
		kpool_unnest(pool, waiter);
	waiter->result = result ?: waiter->lost;
	waiter->served = true;
	complete(&waiter->done);
}

void kpool_serve_all(struct kpool *pool, struct list_head *waiters, int result)
{
	struct kpool_waiter *waiter, *next;

	list_for_each_entry_safe(waiter, next, waiters, node) {
		list_del(&waiter->node);
		kpool_serve(pool, waiter, result);
	}
}

/* Has everything accepted ended, and every thread? */
bool kpool_rests(const struct kpool *pool)
{
	return !pool->nr_workers && !pool->nr_spawning &&
	       !kpool_outstanding(pool);
}

/* A closed pool needs no idle workers, and ends when nothing is left. */
void kpool_wind_up(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (!pool->closed)
		return;
	kpool_retire_surplus(pool);
	if (kpool_rests(pool))
		kpool_serve_all(pool, &pool->closers, 0);
}

/* A caller that may sleep keeps the pool until it leaves. */
void kpool_enter(struct kpool *pool)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	pool->nr_sleepers++;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
}

static void kpool_leave_locked(struct kpool *pool)
{
	if (!--pool->nr_sleepers && pool->last_out)
		complete(pool->last_out);
}

void kpool_leave(struct kpool *pool)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	kpool_leave_locked(pool);
	raw_spin_unlock_irqrestore(&pool->lock, flags);
}

/* Take an unserved waiter off the list it waits on. */
static void kpool_withdraw(struct kpool *pool, struct kpool_waiter *waiter)
{
	if (waiter->kind != KPOOL_WAIT_SUBMIT) {
		list_del(&waiter->node);
		return;
	}
	kpool_unblock(pool, waiter->item);
}

/* Count the sleep of an item in its own pool. */
static void kpool_nest(struct kpool *pool, struct kpool_waiter *waiter)
{
	struct kpool_worker *inside = kpool_inside(pool);

	/* in a callback of its own, a worker has no item */
	if (inside && inside->run.item) {
		waiter->inside = inside;
		inside->asleep = waiter;
		pool->nr_nested++;
	} else {
		waiter->outside = kpool_my_outside(pool);
		if (!waiter->outside)
			return;
		waiter->outside->asleep = waiter;
	}
	list_add_tail(&waiter->nested, &pool->nested);
	kpool_break_deadlock(pool);
}

/*
 * Sleep until served; called with pool->lock held and interrupts off by
 * raw_spin_lock_irqsave() in a context where they were on; drops the lock
 * while asleep and returns with it held.
 */
int kpool_wait(struct kpool *pool, struct kpool_waiter *waiter,
	       unsigned long timeout, bool killable)
{
	long left;

	lockdep_assert_held(&pool->lock);
	pool->nr_sleepers++;
	waiter->killable = killable;
	if (timeout == MAX_SCHEDULE_TIMEOUT)
		kpool_nest(pool, waiter);
	/* what was done under the lock so far may let an item start */
	kpool_unlock_wake_irq(pool, kpool_rouse(pool));

	if (killable)
		left = wait_for_completion_killable_timeout(&waiter->done,
							    timeout);
	else
		left = wait_for_completion_timeout(&waiter->done, timeout);

	raw_spin_lock_irq(&pool->lock);
	if (!waiter->served) {
		kpool_withdraw(pool, waiter);
		kpool_serve(pool, waiter, left < 0 ? -EINTR : -ETIMEDOUT);
		kpool_admit_blocked(pool);
	}
	kpool_leave_locked(pool);
	return waiter->result;
}

/* Does the item wait for its stream?  What will not run waits to be dropped. */
static bool kpool_waits_for_stream(const struct kpool *pool,
				   const struct kpool_item *item)
{
	const struct kpool_job *job = container_of(item, struct kpool_job, item);

	return (item->flags & __KPOOL_FOLLOWS) && !pool->aborted &&
	       !(job->group && kpool_group_is_cancelled(job->group));
}

/* Who has to end before the item's run can: its runner, or its stream's. */
static struct kpool_worker *kpool_runner_before(const struct kpool *pool,
						const struct kpool_item *item)
{
	if (kpool_waits_for_stream(pool, item))
		return container_of(item, struct kpool_job, item)->stream->runner;
	return kpool_runner(item);
}

/* Who has to end before the worker's sleep can, or NULL. */
static struct kpool_worker *kpool_slept_for(const struct kpool_worker *worker)
{
	const struct kpool_waiter *waiter = worker->asleep;

	if (!waiter || (waiter->kind != KPOOL_WAIT_ITEM &&
			waiter->kind != KPOOL_WAIT_CALL))
		return NULL;
	/* if that run has begun, a later one of the item is not waited for */
	return waiter->begun ? kpool_runner(waiter->item) :
	       kpool_runner_before(worker->pool, waiter->item);
}

/* A circle whose last link is not refused: another of those who sleep in it is. */
static void kpool_break_circle(struct kpool *pool, struct kpool_worker *worker)
{
	for (; worker; worker = kpool_slept_for(worker)) {
		struct kpool_waiter *waiter = worker->asleep;

		if (waiter->kind == KPOOL_WAIT_ITEM) {
			kpool_withdraw(pool, waiter);
			kpool_serve(pool, waiter, -EDEADLK);
			return;
		}
	}
}

/*
 * A job that comes into the line behind another of its stream waits for it from
 * then on, and so does whoever waits for the job: if that one waits for them, a
 * circle is closed though nobody falls asleep.
 */
void kpool_refuse_circle(struct kpool *pool, const struct kpool_item *item)
{
	struct kpool_worker *first = kpool_runner_before(pool, item);
	const struct kpool_worker *worker;

	lockdep_assert_held(&pool->lock);
	/* there was none before, so this ends or comes back to the job */
	for (worker = first; worker; worker = kpool_slept_for(worker)) {
		const struct kpool_waiter *waiter = worker->asleep;

		if (waiter && waiter->item == item && !waiter->begun) {
			kpool_break_circle(pool, first);
			return;
		}
	}
}

/*
 * Would the caller, by waiting for the item, wait for itself?  Each worker
 * sleeps for at most one run, so this is a walk along a chain; it ends because
 * no circle stays closed.
 */
bool kpool_closes_circle(struct kpool *pool, const struct kpool_item *item,
			 enum kpool_waiter_kind kind)
{
	struct kpool_worker *first = kpool_runner_before(pool, item);
	const struct kpool_worker *me = kpool_inside(pool), *worker = first;

	lockdep_assert_held(&pool->lock);
	if (!me)
		return false;
	while (worker && worker != me)
		worker = kpool_slept_for(worker);
	if (!worker)
		return false;
	if (kind != KPOOL_WAIT_CALL)
		return true;
	kpool_break_circle(pool, first);
	return false;
}

/*
 * A call that runs may use what is on its caller's stack, so its caller sleeps
 * on; there is always another who can be refused, for a circle of calls alone
 * cannot be.
 */
static bool kpool_may_refuse(const struct kpool_waiter *waiter)
{
	return waiter->kind != KPOOL_WAIT_CALL ||
	       kpool_is_accepted(waiter->item);
}

/* A sleep that a signal ends is one no more, though its sleeper has yet to run. */
static bool kpool_sleeps_on(const struct kpool_outside *run)
{
	return run->asleep && !(run->asleep->killable &&
				fatal_signal_pending(run->task));
}

/* Runs that one thread is in, one inside of the other, sleep together. */
static bool kpool_sleeps(struct kpool *pool, const struct kpool_outside *run)
{
	const struct kpool_outside *outside;

	if (run->inside)
		return run->inside->asleep;
	list_for_each_entry(outside, &pool->outside, node)
		if (outside->task == run->task && kpool_sleeps_on(outside))
			return true;
	return false;
}

/* Is there something to drop, and is the dropper not in a dropped function? */
static bool kpool_dropper_helps(struct kpool *pool)
{
	const struct kpool_outside *outside;

	if (list_empty(&pool->doomed_groups) && !kpool_next_doomed(pool) &&
	    !(pool->nr_delayed && pool->closed && !pool->aborted))
		return false;
	list_for_each_entry(outside, &pool->outside, node)
		if (outside->task == pool->dropper_task)
			return false;
	return true;
}

/* The same for those who abort the pool, who drop one after the other. */
static bool kpool_aborter_helps(struct kpool *pool)
{
	const struct kpool_outside *outside;
	/* the dropper is one more who drops */
	unsigned int nr = pool->nr_aborters + !!pool->dropper_task;

	if (!pool->aborted || !(pool->nr_line || pool->nr_aside ||
				pool->nr_due || pool->nr_delayed))
		return false;
	list_for_each_entry(outside, &pool->outside, node)
		nr -= !outside->runs;
	return nr;
}

/* Is anybody but the workers about to do something for the pool? */
static bool kpool_has_helpers(struct kpool *pool)
{
	const struct kpool_outside *outside;

	list_for_each_entry(outside, &pool->outside, node)
		if (!kpool_sleeps(pool, outside))
			return true;
	/* whoever is in a dropped function sleeps */
	return kpool_dropper_helps(pool) || kpool_aborter_helps(pool) ||
	       (pool->nr_delayed && !pool->closed && kpool_free_units(pool));
}

/*
 * Called wherever a running item falls asleep or ends, or what may start
 * changes: refuse the newest sleep if all running items sleep for good.
 */
void kpool_break_deadlock(struct kpool *pool)
{
	struct kpool_waiter *newest;

	lockdep_assert_held(&pool->lock);
	/* to look for the first may admit one of the sleepers: look before */
	if (list_empty(&pool->nested) || pool->paused || kpool_first(pool) ||
	    pool->nr_nested != kpool_nr_running(pool) ||
	    kpool_has_helpers(pool))
		return;

	list_for_each_entry_reverse(newest, &pool->nested, nested) {
		if (!kpool_may_refuse(newest))
			continue;
		kpool_withdraw(pool, newest);
		kpool_serve(pool, newest, -EDEADLK);
		kpool_admit_blocked(pool);
		return;
	}
}
