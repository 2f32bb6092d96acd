// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleeps that can never end.
 *
 * An item may sleep in its own pool, and so may worker_init and worker_exit.
 * Those sleeps are on pool->waiters.self.  If all runs of the pool sleep so and
 * nothing else can start, none of them will ever be completed, and the newest is
 * refused with -EDEADLK.  A sleep with a time-out, or of a task that has been
 * killed, ends by itself and is not counted.
 *
 * A cycle of runs that sleep for each other never ends even if other items run.
 * The sleep that would close it is refused, so a walk along a chain of sleepers
 * ends.
 *
 * This file only finds the sleep to refuse; its callers fail it.
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

/* Is the caller part of the pool that it is about to wait for? */
bool kpool_is_self_wait(struct kpool *pool)
{
	const struct kpool_worker *worker = kpool_current_worker_in(pool);

	if (!kpool_is_part_of(pool))
		return false;
	kpool_warn_self_wait(pool, worker ? READ_ONCE(worker->run.fn) :
			     __builtin_return_address(0));
	return true;
}

/* Cycles */

/* Has the run that ends the wait begun?  The item may be pending again. */
bool kpool_wait_has_begun(const struct kpool_waiter *waiter)
{
	const struct kpool_run *run = kpool_run_of(waiter->item);

	return run && (waiter->behind != run ||
		       waiter->behind_nr != kpool_run_nr(run));
}

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
	if (item->state == KPOOL_ITEM_COMPLETING || kpool_is_to_complete(item))
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
	       (!run->complete || run->turn.nr < job->turn.nr);
}

/* The run that has to end before any other turn of the stream can, or NULL. */
static struct kpool_run *kpool_stream_leader(struct kpool_stream *stream)
{
	struct kpool_turn *turn =
		list_first_entry_or_null(&stream->jobs, struct kpool_turn, node);

	if (stream->runner)
		return stream->runner;
	return turn && turn->state == KPOOL_TURN_RUNNING ?
	       container_of(turn, struct kpool_run, turn) : NULL;
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

/*
 * Of a cycle whose last link must not be refused, the sleep that can be; or NULL.
 * The function of a call that runs may use its caller's stack, so its caller
 * sleeps on.  There is another sleep, because calls alone close no cycle.
 */
static struct kpool_waiter *kpool_cycle_victim(const struct kpool *pool,
					       struct kpool_run *run)
{
	int i;

	for (i = 0; run && i < KPOOL_MAX_CHAIN;
	     i++, run = kpool_blocked_on_run(pool, run)) {
		struct kpool_waiter *waiter =
			kpool_run_outermost(run)->blocked_on;

		if (waiter && waiter->kind == KPOOL_WAITER_ITEM)
			return waiter;
	}
	return NULL;
}

/*
 * A job that is queued behind another of its stream waits for it from then on,
 * and so do the waiters for the job.  If that one waits for them, a cycle is
 * closed although no thread falls asleep: return the sleep to refuse.
 */
struct kpool_waiter *kpool_cycle_through(struct kpool *pool,
					 const struct kpool_item *item)
{
	struct kpool_run *first = kpool_item_owner(pool, item), *run = first;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; run && i < KPOOL_MAX_CHAIN;
	     i++, run = kpool_blocked_on_run(pool, run)) {
		const struct kpool_waiter *waiter =
			kpool_run_outermost(run)->blocked_on;

		if (waiter && waiter->item == item &&
		    !kpool_wait_has_begun(waiter))
			return kpool_cycle_victim(pool, first);
	}
	return NULL;
}

/*
 * The first job of an ordered stream, or what is queued behind it, has changed.
 * If the first sleeps for a job that is completed after it, a cycle is closed
 * although no thread falls asleep: return the sleep to refuse.
 */
struct kpool_waiter *kpool_cycle_at_leader(struct kpool *pool,
					   struct kpool_stream *stream)
{
	struct kpool_run *first = kpool_stream_leader(stream), *run = first;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; run && i < KPOOL_MAX_CHAIN;
	     i++, run = kpool_blocked_on_run(pool, run)) {
		const struct kpool_waiter *waiter = kpool_item_sleep(pool, run);

		if (waiter && kpool_is_after(pool, waiter->item, first))
			return kpool_cycle_victim(pool, first);
	}
	return NULL;
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
 * sleeps for at most one run, so this is a walk along a chain.  The caller of a
 * call is not refused; *@victim is set to the sleep that is to be instead.
 */
bool kpool_would_deadlock(struct kpool *pool, const struct kpool_item *item,
			  enum kpool_waiter_kind kind,
			  struct kpool_waiter **victim)
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
	*victim = kpool_cycle_victim(pool, first);
	return false;
}

/* Deadlock of the whole pool */

/* Is there something to drop, and a thread that will? */
static bool kpool_drop_work_can_progress(struct kpool *pool)
{
	if (list_empty(&pool->drops.items) &&
	    !(pool->delays.nr && pool->closed && !pool->aborted) &&
	    !(pool->aborted && !pool->drops.nr_aborters &&
	      kpool_any_accepted(pool)))
		return false;
	return !pool->runs.drop.item;
}

/* The same for those that abort the pool, which drop one after the other. */
static bool kpool_abort_can_progress(struct kpool *pool)
{
	return pool->aborted && pool->drops.nr_aborters &&
	       kpool_any_accepted(pool) &&
	       pool->drops.nr_aborters + pool->drops.active > pool->runs.nr_drop;
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
	unsigned int threads = pool->nr_running + pool->runs.nr_threads +
			       pool->waiters.nr_self_callbacks;

	if (pool->faults.reaping)
		threads -= min(threads, pool->faults.nr_dead);
	return threads > pool->waiters.nr_self || kpool_has_signal(&pool->waiters.self) ||
	       kpool_has_signal(&pool->waiters.self_calls);
}

/*
 * Is there a worker that can start an item, or can one be made?  A worker that
 * sleeps for its pool in worker_init or worker_exit keeps its place.
 */
static bool kpool_has_free_worker(const struct kpool *pool)
{
	unsigned int most = max_t(unsigned int, pool->attrs.capacity,
				  pool->mgr.nr_workers + pool->mgr.nr_spawning);

	return most > pool->nr_running + pool->waiters.nr_self_callbacks;
}

/* Can an item start, now or when its time comes? */
static bool kpool_start_can_progress(struct kpool *pool)
{
	return kpool_has_free_worker(pool) &&
	       (kpool_has_work(pool) ||
		(pool->delays.nr && !pool->closed && kpool_free_units(pool)));
}

/*
 * The newest sleep, if all that runs sleeps for good and nothing can start; or
 * NULL.  Sleeps for calls that run are not among them: see kpool_cycle_victim().
 */
struct kpool_waiter *kpool_find_deadlocked(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (list_empty(&pool->waiters.self) || pool->paused ||
	    kpool_has_active_run(pool))
		return NULL;
	if (kpool_start_can_progress(pool) || kpool_drop_work_can_progress(pool) ||
	    kpool_abort_can_progress(pool))
		return NULL;
	return list_last_entry(&pool->waiters.self, struct kpool_waiter,
			       self_wait_node);
}
