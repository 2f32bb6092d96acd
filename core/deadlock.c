// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits that can never end: cycles of runs, and a pool in which all that runs
 * waits for the pool.
 *
 * An item may sleep in its own pool, and so may worker_init and worker_exit.
 * Those sleeps are on pool->self_waits.  Once every run of the pool is there and
 * nothing else can start, none of them will ever be completed, and the newest is
 * refused with -EDEADLK.  A sleep with a
 * time-out, or of a task that has been killed, ends by itself and is not counted.
 * Waiting in a cycle of runs is hopeless even while other items run;
 * kpool_would_deadlock() and kpool_break_cycle_through() find it before, so that a walk
 * along a chain of sleepers comes to its end.
 */
#include <linux/sched/signal.h>

#include "debug.h"
#include "internal.h"
#include "queue.h"

/* So long a chain of sleepers is followed; a longer one is no cycle. */
#define KPOOL_MAX_CHAIN		64

/* Of so many sleepers it is asked whether they have got a signal. */
#define KPOOL_MAX_KILLABLE	128

/* The caller itself */

/* Is the caller part of the pool: one of its workers, or in a run? */
bool kpool_is_part_of(struct kpool *pool)
{
	unsigned long flags;
	bool found;

	if (kpool_current_worker_in(pool))
		return true;
	raw_spin_lock_irqsave(&pool->lock, flags);
	found = kpool_current_run(pool);
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return found;
}

/* Is the caller part of the pool that it is about to wait for? */
bool kpool_is_self_wait(struct kpool *pool)
{
	const struct kpool_worker *worker = kpool_current_worker_in(pool);

	if (!kpool_is_part_of(pool))
		return false;
	kpool_warn_self_wait(pool, worker ? READ_ONCE(worker->fn) :
			     __builtin_return_address(0));
	return true;
}

/* Cycles */

/* Does the item wait for its stream?  What will not run waits to be dropped. */
static bool kpool_waits_for_stream(const struct kpool *pool,
				   const struct kpool_item *item)
{
	const struct kpool_job *job = container_of(item, struct kpool_job, item);

	return (item->flags & __KPOOL_STREAM_BLOCKED) && !pool->aborted &&
	       !(job->group && kpool_group_is_cancelled(job->group));
}

/* Has the item to be completed after others, as far as is known now? */
static bool kpool_waits_for_turn(const struct kpool *pool,
				 const struct kpool_item *item)
{
	const struct kpool_job *job = container_of(item, struct kpool_job, item);

	if (!kpool_is_ordered(item))
		return false;
	if (item->state == KPOOL_COMPLETING || kpool_is_to_complete(item))
		return true;
	return item->state == KPOOL_ITEM_QUEUED && !kpool_run_of(item) &&
	       !pool->aborted &&
	       !(job->group && kpool_group_is_cancelled(job->group));
}

/* Is the item completed only after the run has ended? */
static bool kpool_is_after(const struct kpool *pool,
			   const struct kpool_item *item,
			   const struct kpool_run *run)
{
	const struct kpool_job *job = container_of(item, struct kpool_job, item);

	return kpool_waits_for_turn(pool, item) && run->stream == job->stream &&
	       (!run->to_complete || run->turn.nr < job->turn.nr);
}

/*
 * The run that has to end before the item's can: its own, or its stream's.  A job
 * that runs may have to wait for its turn as well, see kpool_is_after().
 */
static struct kpool_run *kpool_item_owner(const struct kpool *pool,
					  const struct kpool_item *item)
{
	struct kpool_run *run = kpool_run_of(item);

	if (kpool_waits_for_stream(pool, item))
		return container_of(item, struct kpool_job, item)->stream->runner;
	if (!run && kpool_waits_for_turn(pool, item))
		return kpool_stream_leader(container_of(item, struct kpool_job,
							item)->stream);
	return run;
}

/* The sleep of the run's thread for an item of the pool, or NULL. */
static const struct kpool_waiter *kpool_item_sleep(const struct kpool *pool,
						   struct kpool_run *run)
{
	const struct kpool_waiter *waiter = kpool_run_outermost(run)->blocked_on;

	if (!waiter || (waiter->kind != KPOOL_WAITER_ITEM &&
			waiter->kind != KPOOL_WAITER_CALL))
		return NULL;
	/* handed on by the run that ends the wait: what runs it has another lock */
	if (READ_ONCE(waiter->item->pool_id) != pool->id)
		return NULL;
	return waiter;
}

/* The run that has to end before this one's thread can go on, or NULL. */
static struct kpool_run *kpool_blocked_on_run(const struct kpool *pool,
					      struct kpool_run *run)
{
	const struct kpool_waiter *waiter = kpool_item_sleep(pool, run);

	if (!waiter)
		return NULL;
	return kpool_wait_has_begun(waiter) ? kpool_run_of(waiter->item) :
	       kpool_item_owner(pool, waiter->item);
}

/* A cycle whose last link is not refused: another of its sleepers is. */
static void kpool_break_cycle(struct kpool *pool, struct kpool_run *run)
{
	int i;

	for (i = 0; run && i < KPOOL_MAX_CHAIN;
	     i++, run = kpool_blocked_on_run(pool, run)) {
		struct kpool_waiter *waiter = kpool_run_outermost(run)->blocked_on;

		if (waiter && waiter->kind == KPOOL_WAITER_ITEM) {
			kpool_waiter_remove(pool, waiter);
			kpool_waiter_complete(pool, waiter, -EDEADLK);
			return;
		}
	}
}

/*
 * A job that comes into the line behind another of its stream waits for it from
 * then on, and so do the waiters for the job: if that one waits for them, a
 * cycle is closed though nobody falls asleep.
 */
void kpool_break_cycle_through(struct kpool *pool, const struct kpool_item *item)
{
	struct kpool_run *first = kpool_item_owner(pool, item), *run = first;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; run && i < KPOOL_MAX_CHAIN;
	     i++, run = kpool_blocked_on_run(pool, run)) {
		const struct kpool_waiter *waiter =
			kpool_run_outermost(run)->blocked_on;

		if (waiter && waiter->item == item &&
		    !kpool_wait_has_begun(waiter)) {
			kpool_break_cycle(pool, first);
			return;
		}
	}
}

/*
 * The first of an ordered stream, or what is in the line behind it, has changed:
 * if the first sleeps for one that is to be completed after it, a cycle is closed
 * though nobody falls asleep.
 */
void kpool_refuse_leader(struct kpool *pool, struct kpool_stream *stream)
{
	struct kpool_run *first = kpool_stream_leader(stream), *run = first;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; run && i < KPOOL_MAX_CHAIN;
	     i++, run = kpool_blocked_on_run(pool, run)) {
		const struct kpool_waiter *waiter = kpool_item_sleep(pool, run);

		if (waiter && kpool_is_after(pool, waiter->item, first)) {
			kpool_break_cycle(pool, first);
			return;
		}
	}
}

/* Is the item completed only after a run that the caller is in? */
static bool kpool_is_after_caller(const struct kpool *pool,
				  const struct kpool_item *item,
				  const struct kpool_run *caller)
{
	for (; caller; caller = caller->outer)
		if (kpool_is_after(pool, item, caller))
			return true;
	return false;
}

/*
 * Would the caller, by waiting for the item, wait for itself?  Each thread
 * sleeps for at most one run, so this is a walk along a chain.
 */
bool kpool_would_deadlock(struct kpool *pool, const struct kpool_item *item,
			  enum kpool_waiter_kind kind)
{
	struct kpool_run *first = kpool_item_owner(pool, item), *run = first;
	struct kpool_run *me = kpool_current_run(pool);
	const struct kpool_waiter *waiter;
	int i;

	lockdep_assert_held(&pool->lock);
	if (!me)
		return false;
	if (kpool_is_after_caller(pool, item, me))
		return true;
	for (i = 0; run && i < KPOOL_MAX_CHAIN; i++) {
		if (kpool_run_outermost(run) == kpool_run_outermost(me))
			break;
		waiter = kpool_item_sleep(pool, run);
		if (waiter && kpool_is_after_caller(pool, waiter->item, me))
			break;
		run = kpool_blocked_on_run(pool, run);
	}
	if (!run || i == KPOOL_MAX_CHAIN)
		return false;
	if (kind != KPOOL_WAITER_CALL)
		return true;
	kpool_break_cycle(pool, first);
	return false;
}

/* Deadlock of the whole pool */

/* Is there something to drop, and a thread that will? */
static bool kpool_drop_work_can_progress(struct kpool *pool)
{
	if (list_empty(&pool->drop_list) &&
	    !(pool->nr_delayed && pool->closed && !pool->aborted) &&
	    !(pool->aborted && !pool->nr_aborters &&
	      kpool_any_accepted(pool)))
		return false;
	return !pool->drop_run.item;
}

/* The same for those that abort the pool, which drop one after the other. */
static bool kpool_abort_can_progress(struct kpool *pool)
{
	return pool->aborted && pool->nr_aborters &&
	       kpool_any_accepted(pool) &&
	       pool->nr_aborters + pool->drop_work_active > pool->nr_drop_runs;
}

/* Has a sleeper been killed, or got a signal?  It goes on, though it has yet to run. */
static bool kpool_has_signal(const struct list_head *self_waits)
{
	const struct kpool_waiter *waiter;
	int looks = KPOOL_MAX_KILLABLE;

	list_for_each_entry(waiter, self_waits, self_wait_node) {
		if (signal_pending_state(waiter->signals, waiter->run->task))
			return true;
		if (!--looks)
			break;
	}
	return false;
}

/* Threads of the pool that neither sleep for good nor wait to be buried in vain. */
static bool kpool_has_active_run(struct kpool *pool)
{
	unsigned int threads = kpool_nr_running(pool) + pool->nr_ext_threads +
			       pool->nr_nested_callbacks;

	if (pool->reaping_dead)
		threads -= min(threads, pool->nr_dead_runs);
	return threads > pool->nr_self_waits || kpool_has_signal(&pool->self_waits) ||
	       kpool_has_signal(&pool->self_wait_calls);
}

/*
 * Is there a worker that can start an item, or can one be made?  A worker that
 * sleeps for its pool in worker_init or worker_exit keeps its place.
 */
static bool kpool_has_free_worker(const struct kpool *pool)
{
	unsigned int most = max_t(unsigned int, pool->attrs.capacity,
				  pool->nr_workers + pool->nr_spawning);

	return most > kpool_nr_running(pool) + pool->nr_nested_callbacks;
}

/* Can an item start, now or when its time comes? */
static bool kpool_start_helps(struct kpool *pool)
{
	return kpool_has_free_worker(pool) &&
	       (kpool_has_work(pool) ||
		(pool->nr_delayed && !pool->closed && kpool_free_units(pool)));
}

/*
 * Refuse the newest sleep if all that runs sleeps for good: has one been?
 * A call that runs may use what is on its caller's stack, so its caller sleeps
 * on; there is always another that can be refused, for a cycle of calls alone
 * cannot be.
 */
bool kpool_break_deadlock(struct kpool *pool)
{
	struct kpool_waiter *newest;

	if (list_empty(&pool->self_waits) || pool->paused ||
	    kpool_has_active_run(pool))
		return false;
	if (kpool_start_helps(pool) || kpool_drop_work_can_progress(pool) ||
	    kpool_abort_can_progress(pool))
		return false;

	newest = list_last_entry(&pool->self_waits, struct kpool_waiter, self_wait_node);
	kpool_waiter_remove(pool, newest);
	kpool_waiter_complete(pool, newest, -EDEADLK);
	return true;
}
