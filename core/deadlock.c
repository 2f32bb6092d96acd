// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deadlock detection: find a wait that can never end, to fail it with -EDEADLK.
 *
 * A self-wait is a wait without a time limit, in a run of the pool or in its
 * worker_init or worker_exit, for an item, a group or room of that pool.  The
 * self-waits are on pool->waiters.self, and can deadlock in two ways:
 *
 *   all asleep  All runs of the pool are in self-waits and nothing else can
 *               start.  kpool_find_deadlocked() returns the newest self-wait.
 *   cycle       Runs wait for each other, which never ends even if other items
 *               run.  The wait that would close the cycle fails, or another
 *               wait of the cycle if that one is for a call.  A cycle of more
 *               than KPOOL_MAX_CHAIN waits is not found.
 *
 * A self-wait counts as progress if a pending signal ends it, or if it is for
 * an item whose handover to this pool gives up: see kpool_can_give_up().  This
 * file only finds the wait; its callers fail it:
 *
 *   kpool_would_deadlock()    before a wait for an item: wait.c
 *   kpool_cycle_through()     a job has to wait for another run: stream.c
 *   kpool_cycle_at_leader()   an ordered stream has changed: stream.c
 *   kpool_find_deadlocked()   at each recheck, for all else: lock.c
 *
 * A wait of a run for its whole pool, for its own group or for an item that the
 * same thread runs is refused without a search: see kpool_refuse_if_part_of(),
 * group.c and kpool_wait_item().
 */
#include <linux/sched/signal.h>

#include "debug.h"
#include "internal.h"
#include "queue.h"

/*
 * Longest chain to follow from a drop function or a fault handler, of which
 * three can be in progress.
 */
#define KPOOL_MAX_OWN_CHAIN	(KPOOL_MAX_CHAIN / 2)

/* Number of waiters to check for a pending signal. */
#define KPOOL_MAX_KILLABLE	128

/* The caller itself */

/* Report and return true if the caller is part of the pool it will wait for. */
bool kpool_refuse_if_part_of(struct kpool *pool)
{
	if (!kpool_is_part_of(pool))
		return false;
	kpool_warn_refused(pool, kpool_current_fn(pool));
	return true;
}

/* Cycles */

/*
 * Return true if the wait is for the run of its item, although the item can be
 * pending again.  A wait for the next run is so, too, if what is pending was
 * submitted after the wait had begun: the next run has begun, or was cancelled.
 */
static bool kpool_wait_is_for_run(const struct kpool_waiter *waiter)
{
	const struct kpool_item *item = waiter->item;

	return kpool_run_of(item) &&
	       (!waiter->for_next || (s32)(item->epoch - waiter->epoch) > 0);
}

/*
 * Return true if the wait has ended, but the waiter has not been completed.
 * That is so if what is pending or runs was accepted after the wait had begun.
 */
static bool kpool_wait_has_ended(const struct kpool_waiter *waiter)
{
	const struct kpool_run *run = kpool_run_of(waiter->item);
	/* racy: a worker that has not set it is in no wait */
	u32 epoch = run ? data_race(run->epoch) : waiter->item->epoch;

	return !waiter->handed && (s32)(epoch - waiter->epoch) > 0;
}

/*
 * Return true if @item waits for its stream.  A job that will not run does not:
 * it waits to be dropped.
 */
static bool kpool_is_waiting_for_stream(const struct kpool *pool,
					const struct kpool_item *item)
{
	return (item->flags & __KPOOL_STREAM_BLOCKED) && !pool->aborted &&
	       !kpool_group_is_cancelled(kpool_group_of(item));
}

/* Return true if @item must be completed after others, as far as known now. */
static bool kpool_is_waiting_for_turn(const struct kpool *pool,
				      const struct kpool_item *item)
{
	if (item->state == KPOOL_ITEM_COMPLETING || kpool_is_to_complete(item))
		return true;
	/* the stream of a job that has ended can have been freed */
	if (item->state != KPOOL_ITEM_QUEUED || kpool_run_of(item) ||
	    !kpool_is_ordered(item))
		return false;
	/* a job that will not run is dropped, without regard to its turn */
	return !pool->aborted && !kpool_check_start(item);
}

/*
 * Return true if @item is completed only after @run, or one that it is nested
 * in, has ended.
 */
static bool kpool_is_after(const struct kpool *pool,
			   const struct kpool_item *item,
			   const struct kpool_run *run)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	if (!job)
		return false;
	for (; run; run = run->outer)
		if (run->stream && run->stream == job->stream &&
		    (!run->complete || run->turn.nr < job->turn.nr))
			return kpool_is_waiting_for_turn(pool, item);
	return false;
}

/* Return the run that must end before any other turn of @stream, or NULL. */
static struct kpool_run *kpool_stream_leader(struct kpool_stream *stream)
{
	struct kpool_turn *turn =
		list_first_entry_or_null(&stream->jobs, struct kpool_turn,
					 node);

	if (stream->runner)
		return stream->runner;
	return turn && turn->state == KPOOL_TURN_RUNNING ?
	       container_of(turn, struct kpool_run, turn) : NULL;
}

/*
 * Return true if @item, which does not run, will be dropped, if not cancelled.
 */
static bool kpool_is_to_drop(const struct kpool *pool,
			     const struct kpool_item *item)
{
	if (item->state == KPOOL_ITEM_DROPPING)
		return true;
	return pool->closed && kpool_is_accepted(item) &&
	       (pool->aborted || item->state == KPOOL_ITEM_DELAYED);
}

/*
 * Return true if the item is about to be left to the drop work with its group.
 */
static bool kpool_is_being_swept(const struct kpool_item *item)
{
	const struct kpool_group *group = kpool_group_of(item);

	for (; group; group = group->parent)
		if (!list_empty(&group->cancel_node))
			return true;
	return false;
}

/*
 * Return the run of the thread that will drop @item, or NULL: of the drop work,
 * or of the aborter.  Which of several aborters comes first is not known.
 */
static struct kpool_run *kpool_run_before_drop(struct kpool *pool,
					       const struct kpool_item *item)
{
	struct kpool_drops *drops = &pool->drops;

	if (item->state == KPOOL_ITEM_DROPPING || !pool->aborted ||
	    !drops->nr_aborters)
		return pool->runs.drop.item ? &pool->runs.drop : NULL;
	if (drops->nr_aborters > 1 || kpool_is_being_swept(item))
		return NULL;
	return drops->aborting;
}

/*
 * Return the run that must end before @item can: its own, its stream's, that of
 * the thread that drops it, or NULL.  A running job can have to wait for its
 * turn as well, see kpool_is_after().
 */
static struct kpool_run *kpool_run_before(struct kpool *pool,
					  const struct kpool_item *item)
{
	struct kpool_run *run = kpool_run_of(item);

	if (!run && kpool_is_to_drop(pool, item))
		return kpool_run_before_drop(pool, item);
	if (kpool_is_waiting_for_stream(pool, item))
		return kpool_job_or_null(item)->stream->runner;
	if (!run && kpool_is_waiting_for_turn(pool, item))
		return kpool_stream_leader(kpool_job_or_null(item)->stream);
	return run;
}

/*
 * Return true if the waiter has a pending signal that ends its wait, although
 * its task has not run since.
 */
static bool kpool_is_signalled(const struct kpool_waiter *waiter)
{
	return signal_pending_state(waiter->signals, waiter->task);
}

/*
 * Return the waiter of the run's thread if it waits for an item of @pool, and
 * that has not ended, also not by a signal.
 */
static const struct kpool_waiter *kpool_item_sleep(const struct kpool *pool,
						   struct kpool_run *run)
{
	const struct kpool_waiter *waiter =
		kpool_run_outermost(run)->blocked_on;

	if (!waiter || (waiter->kind != KPOOL_WAITER_ITEM &&
			waiter->kind != KPOOL_WAITER_CALL))
		return NULL;
	/*
	 * The awaited run has submitted the item to another pool, which can
	 * have returned it, without this pool's lock.  Pairs with the release
	 * in kpool_item_return().  Litmus: owner-returned.
	 */
	if (smp_load_acquire(&waiter->item->pool_id) != pool->id)
		return NULL;
	if (kpool_wait_has_ended(waiter))
		return NULL;
	return kpool_is_signalled(waiter) ? NULL : waiter;
}

/*
 * Return the run that must end before the thread of @run can go on, or NULL.
 * Count this step of a walk: see kpool_has_walked().
 */
static struct kpool_run *kpool_blocked_on_run(struct kpool *pool,
					      struct kpool_run *run)
{
	const struct kpool_waiter *waiter = kpool_item_sleep(pool, run);

	pool->nr_walked++;
	if (!waiter)
		return NULL;
	return kpool_wait_is_for_run(waiter) ? kpool_run_of(waiter->item) :
	       kpool_run_before(pool, waiter->item);
}

/*
 * Return true if the wait for an item can fail.  That of a running call cannot:
 * the function can use its caller's stack, unless its thread has died.
 */
bool kpool_can_refuse(const struct kpool_waiter *waiter)
{
	const struct kpool_run *run;

	if (waiter->kind == KPOOL_WAITER_ITEM)
		return true;
	if (waiter->kind != KPOOL_WAITER_CALL)
		return false;
	/* a call that its submitter sleeps for runs in a worker: outermost */
	run = kpool_run_of(waiter->item);
	return kpool_is_accepted(waiter->item) || (run && run->dead);
}

/*
 * Note the first waiter on the way along a cycle that can fail.  There is one,
 * because running calls alone cannot form a cycle.
 */
static void kpool_note_victim(struct kpool_waiter **victim,
			      struct kpool_run *run)
{
	struct kpool_waiter *waiter = kpool_run_outermost(run)->blocked_on;

	if (!*victim && waiter && kpool_can_refuse(waiter))
		*victim = waiter;
}

/*
 * Find a cycle that closes because @item has to wait for another run than
 * before: that of its stream when it is queued, its own once the stream does
 * not block it.  The waiters for @item wait for that run too, which can be
 * waiting for them.  Return the waiter to fail, or NULL.  Called with
 * pool->lock held.
 */
struct kpool_waiter *kpool_cycle_through(struct kpool *pool,
					 const struct kpool_item *item)
{
	struct kpool_run *run = kpool_run_before(pool, item);
	struct kpool_waiter *victim = NULL;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; run && i < KPOOL_MAX_CHAIN;
	     i++, run = kpool_blocked_on_run(pool, run)) {
		/* not a blocked submit of @item: that is about to end */
		const struct kpool_waiter *waiter = kpool_item_sleep(pool, run);

		kpool_note_victim(&victim, run);
		if (waiter && waiter->item == item &&
		    !kpool_wait_is_for_run(waiter))
			return victim;
	}
	return NULL;
}

/*
 * Find a cycle that closes when the first turn of an ordered stream, or the
 * queue behind it, has changed.  The first job can be waiting for one that is
 * completed after it.  Return the waiter to fail, or NULL.  Called with
 * pool->lock held.
 */
struct kpool_waiter *kpool_cycle_at_leader(struct kpool *pool,
					   struct kpool_stream *stream)
{
	struct kpool_run *first = kpool_stream_leader(stream), *run = first;
	struct kpool_waiter *victim = NULL;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; run && i < KPOOL_MAX_CHAIN;
	     i++, run = kpool_blocked_on_run(pool, run)) {
		const struct kpool_waiter *waiter = kpool_item_sleep(pool, run);

		kpool_note_victim(&victim, run);
		if (waiter && kpool_is_after(pool, waiter->item, first))
			return victim;
	}
	return NULL;
}

/*
 * Find a cycle through @first, the run of a drop function or a fault handler.
 * If @to_dead, find a chain of waits from there to a dead run.  Return the
 * waiter to fail, or NULL.
 */
static struct kpool_waiter *kpool_cycle_from(struct kpool *pool,
					     struct kpool_run *first,
					     bool to_dead)
{
	struct kpool_run *self = kpool_run_outermost(first);
	struct kpool_run *run = first, *outermost;
	struct kpool_waiter *victim = NULL;
	int i;

	for (i = 0; i < KPOOL_MAX_OWN_CHAIN; i++) {
		kpool_note_victim(&victim, run);
		run = kpool_blocked_on_run(pool, run);
		if (!run)
			return NULL;
		outermost = kpool_run_outermost(run);
		if (outermost == self || (to_dead && outermost->dead))
			return victim;
	}
	return NULL;
}

/*
 * Find a cycle through the drop work, or through the only aborter.  It closes
 * when an item that the drop function waits for is left to the same thread, or
 * has to wait for the function's run.  Return the waiter to fail, or NULL.
 */
static struct kpool_waiter *kpool_cycle_of_drops(struct kpool *pool)
{
	struct kpool_run *drop = &pool->runs.drop;
	struct kpool_run *abort = pool->drops.aborting;
	struct kpool_waiter *waiter = NULL;

	if (drop->item)
		waiter = kpool_cycle_from(pool, drop, false);
	if (!waiter && abort && pool->drops.nr_aborters == 1)
		waiter = kpool_cycle_from(pool, abort, false);
	return waiter;
}

/*
 * Find a fault handler that waits, directly or through others, for a dead run,
 * which only its own thread reaps after it.  A death closes such a cycle.
 * Return the waiter to fail, or NULL.
 */
static struct kpool_waiter *kpool_cycle_of_deaths(struct kpool *pool)
{
	struct kpool_run *run = pool->faults.reaping;

	if (!run || !pool->faults.nr_dead)
		return NULL;
	return kpool_cycle_from(pool, run, true);
}

/*
 * Return true if the caller, by waiting for @run, would wait for itself.  If
 * @run is NULL, the wait is for @item.  Each thread waits for at most one run,
 * so this walks a chain.  The wait of a call must not fail: *@victim is set to
 * the waiter to fail instead, and the result is false.  Called with pool->lock
 * held.
 */
bool kpool_would_deadlock(struct kpool *pool, const struct kpool_item *item,
			  struct kpool_run *run, enum kpool_waiter_kind kind,
			  struct kpool_waiter **victim)
{
	struct kpool_run *me = kpool_current_run(pool), *self;
	struct kpool_waiter *found = NULL;
	const struct kpool_waiter *waiter;
	int i;

	lockdep_assert_held(&pool->lock);
	if (!me)
		return false;
	if (!run) {
		if (kpool_is_after(pool, item, me))
			return true;
		run = kpool_run_before(pool, item);
	}
	self = kpool_run_outermost(me);
	for (i = 0; run && i < KPOOL_MAX_CHAIN; i++) {
		if (kpool_run_outermost(run) == self)
			break;
		kpool_note_victim(&found, run);
		waiter = kpool_item_sleep(pool, run);
		if (waiter && kpool_is_after(pool, waiter->item, me))
			break;
		run = kpool_blocked_on_run(pool, run);
	}
	if (!run || i == KPOOL_MAX_CHAIN)
		return false;
	if (kind != KPOOL_WAITER_CALL)
		return true;
	*victim = found;
	return false;
}

/* Deadlock of the whole pool */

/* Return true if the drop work is free and can drop an item. */
static bool kpool_drop_work_can_progress(struct kpool *pool)
{
	if (pool->runs.drop.item)
		return false;
	if (!list_empty(&pool->drops.items))
		return true;
	if (pool->aborted)
		return !pool->drops.nr_aborters && kpool_any_accepted(pool);
	return pool->closed && pool->delays.nr;
}

/* Return true if an aborter can drop an item: each drops one at a time. */
static bool kpool_abort_can_progress(struct kpool *pool)
{
	const struct kpool_run *drop = &pool->runs.drop;
	unsigned int nr_abort = pool->runs.nr_drop;

	/* the drop work drops nothing for an aborter */
	if (drop->item && drop->kind == KPOOL_RUN_DROP)
		nr_abort--;
	return pool->aborted && kpool_any_accepted(pool) &&
	       pool->drops.nr_aborters > nr_abort;
}

/*
 * Return true if waiter->handed is still blocked in the submit that hands the
 * item over to @pool.
 */
static bool kpool_is_being_handed(const struct kpool *pool,
				  const struct kpool_waiter *waiter)
{
	/*
	 * As in kpool_item_sleep(), the item can be another pool's by now.
	 * Pairs with the release in kpool_item_return().  Litmus:
	 * owner-returned.
	 */
	return smp_load_acquire(&waiter->item->pool_id) == pool->id &&
	       kpool_handing_run(waiter->item) == waiter->handed;
}

/*
 * Return true if a time limit or a signal ends the wait, or the handover of the
 * awaited item to @pool, which returns that to the run of another pool.
 */
static bool kpool_can_give_up(const struct kpool *pool,
			      const struct kpool_waiter *waiter)
{
	if (waiter->handed && kpool_is_being_handed(pool, waiter))
		waiter = waiter->item->submitter;
	return waiter->timed || kpool_is_signalled(waiter);
}

/* Return true if one of the first waits on the list gives up. */
static bool kpool_can_one_give_up(const struct kpool *pool,
				  const struct list_head *waiters)
{
	const struct kpool_waiter *waiter;
	int budget = KPOOL_MAX_KILLABLE;

	list_for_each_entry(waiter, waiters, pool_node) {
		if (kpool_can_give_up(pool, waiter))
			return true;
		if (!--budget)
			break;
	}
	return false;
}

/*
 * Return true if a thread of the pool is not in a self-wait, or in one that
 * gives up.  A dead run counts as active, because it will be reaped.  Not while
 * dead_work reaps another run: a function called for that one can be waiting.
 */
static bool kpool_has_active_run(struct kpool *pool)
{
	unsigned int threads = pool->nr_running + pool->runs.nr_threads +
			       pool->waiters.nr_self_bare;

	if (pool->faults.reaping)
		threads -= min(threads, pool->faults.nr_dead);
	return threads > pool->waiters.nr_self ||
	       kpool_can_one_give_up(pool, &pool->waiters.self) ||
	       kpool_can_one_give_up(pool, &pool->waiters.self_calls);
}

/*
 * Return true if a worker can start an item, or can be created to do so.  A
 * worker in a self-wait in worker_init or worker_exit cannot.
 */
static bool kpool_has_free_worker(const struct kpool *pool)
{
	unsigned int most = max_t(unsigned int, pool->attrs.capacity,
				  pool->mgr.nr_workers + pool->mgr.nr_spawning);

	return most > pool->nr_running + pool->waiters.nr_self_callbacks;
}

/*
 * Return true if a delayed job can start once it is due and nothing is on
 * pool->q.admission: it is neither behind a run, nor behind a queued item that
 * lacks units.  Check those that are due first, and assume it of others.
 */
static bool kpool_delay_can_progress(struct kpool *pool)
{
	unsigned int looks = KPOOL_MAX_LOOKS;
	struct kpool_runnable r;
	struct rb_node *node;

	if (!pool->delays.nr || pool->closed)
		return false;
	kpool_find_runnable(pool, &r);
	for (node = rb_first_cached(&pool->delays.jobs); node && looks--;
	     node = rb_next(node)) {
		const struct kpool_item *item =
			&rb_entry(node, struct kpool_job, delay_node)->item;

		pool->hold_cost += KPOOL_COST_LOOK;
		if (!kpool_run_of(item) && !kpool_should_wait_for_stream(item) &&
		    kpool_can_bypass(pool, kpool_prio_of(item), &r) &&
		    kpool_units(pool, item) <= r.left)
			return true;
	}
	return node;
}

/* Return true if an item can start, now or when its delay has expired. */
static bool kpool_start_can_progress(struct kpool *pool)
{
	return kpool_has_free_worker(pool) &&
	       (kpool_has_runnable(pool) || (list_empty(&pool->q.admission) &&
					     kpool_delay_can_progress(pool)));
}

/*
 * Return true if the submitter of the first item on pool->q.admission, or the
 * caller of a queued call, gives up.  That is progress for the others on that
 * list, and for a delayed job, which will be behind them.  If all submits there
 * have a time limit, it is no progress for those, because another can arrive
 * before the last one has gone.
 */
static bool kpool_admission_can_progress(struct kpool *pool)
{
	const struct kpool_item *first;

	if (list_empty(&pool->q.admission) ||
	    (!pool->q.nr_backlog && !pool->waiters.nr_unlimited &&
	     !kpool_delay_can_progress(pool)))
		return false;
	first = list_first_entry(&pool->q.admission, struct kpool_item, node);
	return (first->state == KPOOL_ITEM_BLOCKED &&
		kpool_can_give_up(pool, first->submitter)) ||
	       kpool_can_one_give_up(pool, &pool->waiters.queued_calls);
}

/*
 * Return a wait of a cycle of drops or deaths.  Otherwise return the newest
 * self-wait if all runs are in self-waits and nothing can start, else NULL.
 * Waits for running calls are on another list and are not returned: see
 * kpool_note_victim().  Called with pool->lock held.
 */
struct kpool_waiter *kpool_find_deadlocked(struct kpool *pool)
{
	struct kpool_waiter *waiter;

	lockdep_assert_held(&pool->lock);
	if (list_empty(&pool->waiters.self))
		return NULL;
	waiter = kpool_cycle_of_drops(pool) ?: kpool_cycle_of_deaths(pool);
	if (waiter || pool->paused || kpool_has_active_run(pool))
		return waiter;
	if (kpool_start_can_progress(pool) ||
	    kpool_drop_work_can_progress(pool) ||
	    kpool_abort_can_progress(pool) ||
	    kpool_admission_can_progress(pool))
		return NULL;
	return list_last_entry(&pool->waiters.self, struct kpool_waiter,
			       pool_node);
}
