// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callers asleep in kpool, and the sleep that could never end.
 *
 * A waiter is completed under pool->lock: its result is set, it leaves every
 * list, and its completion is signalled, all before the lock is dropped.  A
 * waiter that wakes without having been completed (time-out, signal) removes
 * itself under the same lock, so that exactly one of both happens.  Litmus:
 * served-vs-timeout.
 *
 * To complete a waiter is to wake a task, and many may wait for one event.  So
 * the event moves all of them to pool->served or pool->failed at once, and
 * kpool_settle() completes a few under each hold of the lock.  Between two holds
 * those that are left count as neither asleep nor stuck.
 *
 * An item may sleep in its own pool, and so may worker_init and worker_exit.
 * Those sleeps are on pool->nested.  Once every run of the pool is there and
 * nothing else can start, none of them will ever be completed, and the newest is
 * refused with -EDEADLK.  A sleep with a
 * time-out, or of a task that has been killed, ends by itself and is not counted.
 * Waiting in a cycle of runs is hopeless even while other items run;
 * kpool_closes_circle() and kpool_refuse_circle() find it before, so that a walk
 * along a chain of sleepers comes to its end.
 */
#include <linux/sched/signal.h>
#include <linux/swait.h>

#include "annotate.h"
#include "internal.h"
#include "pending.h"

/* So many consequences are drawn under one hold of the lock; most wake a task. */
#define KPOOL_SETTLE_BATCH	4

/* So long a chain of sleepers is followed; a longer one is no cycle. */
#define KPOOL_MAX_CHAIN		64

/* Of so many sleepers it is asked whether they have got a signal. */
#define KPOOL_MAX_KILLABLE	128

void kpool_waiter_init(struct kpool_waiter *waiter, enum kpool_waiter_kind kind,
		       struct kpool_item *item)
{
	INIT_LIST_HEAD(&waiter->node);
	INIT_LIST_HEAD(&waiter->nested);
	INIT_LIST_HEAD(&waiter->pending.waiters);
	waiter->pending.item = NULL;
	init_completion(&waiter->done);
	waiter->item = item;
	waiter->run = NULL;
	waiter->behind = NULL;
	waiter->lost = false;
	waiter->served = false;
	waiter->kind = kind;
}

/* Completing */

static void kpool_unnest(struct kpool *pool, struct kpool_waiter *waiter)
{
	struct kpool_run *run = kpool_outermost(waiter->run);

	list_del_init(&waiter->nested);
	run->asleep = NULL;
	pool->nr_nested--;
	pool->nr_nested_callbacks -= !run->item;
}

/* End a sleep.  The waiter has left the list it waited on. */
void kpool_serve(struct kpool *pool, struct kpool_waiter *waiter, int result)
{
	lockdep_assert_held(&pool->lock);
	if (!list_empty(&waiter->nested))
		kpool_unnest(pool, waiter);
	waiter->result = result;
	waiter->served = true;
	pool->nr_concerned--;
	complete(&waiter->done);
}

/* What a list of waiters waits for has happened, or was lost by a death. */
void kpool_serve_list(struct kpool *pool, struct list_head *waiters, bool lost)
{
	lockdep_assert_held(&pool->lock);
	list_splice_tail_init(waiters, lost ? &pool->failed : &pool->served);
}

static struct kpool_waiter *kpool_first_flusher(const struct kpool *pool)
{
	struct rb_node *first = rb_first_cached(&pool->flushers);

	return first ? rb_entry(first, struct kpool_waiter, by_epoch) : NULL;
}

/* Complete one waiter whose wait is over: was there any? */
static bool kpool_serve_one(struct kpool *pool)
{
	struct list_head *list = list_empty(&pool->served) ?
				 &pool->failed : &pool->served;
	struct kpool_waiter *waiter;

	if (!list_empty(list)) {
		waiter = list_first_entry(list, struct kpool_waiter, node);
		list_del(&waiter->node);
		kpool_serve(pool, waiter, list == &pool->failed ? -EIO : 0);
		return true;
	}
	/* the epochs before a flusher's have ended when it is the first */
	waiter = kpool_first_flusher(pool);
	if (!waiter || waiter->left)
		return false;
	rb_erase_cached(&waiter->by_epoch, &pool->flushers);
	kpool_serve(pool, waiter, waiter->lost ? -EIO : 0);
	return true;
}

/* Flushing the pool */

static bool kpool_epoch_before(struct rb_node *a, const struct rb_node *b)
{
	return (s32)(rb_entry(a, struct kpool_waiter, by_epoch)->epoch -
		     rb_entry(b, struct kpool_waiter, by_epoch)->epoch) < 0;
}

/* The first flusher that waits for items of the epoch, or NULL. */
struct kpool_waiter *kpool_flusher_of(const struct kpool *pool, u32 epoch)
{
	struct rb_node *node = pool->flushers.rb_root.rb_node;
	struct kpool_waiter *found = NULL;

	lockdep_assert_held(&pool->lock);
	while (node) {
		struct kpool_waiter *waiter =
			rb_entry(node, struct kpool_waiter, by_epoch);

		if ((s32)(waiter->epoch - epoch) >= 0) {
			found = waiter;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/*
 * Wait for all that is accepted now.  The items are divided among the flushers:
 * each counts those that came after the one before, and is done when it is the
 * first and has none left.
 */
void kpool_add_flusher(struct kpool *pool, struct kpool_waiter *waiter)
{
	lockdep_assert_held(&pool->lock);
	waiter->left = kpool_outstanding(pool) - pool->nr_flushed;
	waiter->epoch = pool->epoch++;
	pool->nr_flushed += waiter->left;
	rb_add_cached(&waiter->by_epoch, &pool->flushers, kpool_epoch_before);
}

/* An accepted item has run, or will not: the flushers of the pool count it. */
void kpool_item_ended(struct kpool *pool, u32 epoch)
{
	struct kpool_waiter *waiter = kpool_flusher_of(pool, epoch);

	if (!waiter)
		return;
	waiter->left--;
	pool->nr_flushed--;
}

/* The end of the pool */

/* Has everything accepted ended, and every thread? */
bool kpool_rests(const struct kpool *pool)
{
	return !pool->nr_workers && !pool->nr_spawning &&
	       !kpool_outstanding(pool);
}

/* A closed pool ends when nothing is left. */
static bool kpool_serve_closers(struct kpool *pool)
{
	if (!pool->closed || !kpool_rests(pool) ||
	    (list_empty(&pool->closers) && list_empty(&pool->lost_closers)))
		return false;
	kpool_serve_list(pool, &pool->closers, false);
	kpool_serve_list(pool, &pool->lost_closers, true);
	return true;
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

/* Sleeping */

/*
 * Take a waiter that has not been completed off the list it waits on.  If the
 * others for a pending item hang on it, they hang on the next from now on.
 */
static void kpool_withdraw(struct kpool *pool, struct kpool_waiter *waiter)
{
	struct list_head *others = &waiter->pending.waiters;
	struct kpool_item *item = waiter->item;
	struct kpool_waiter *next;

	if (waiter->kind == KPOOL_WAIT_SUBMIT) {
		kpool_unblock(pool, item);
		return;
	}
	if (list_empty(others)) {
		list_del(&waiter->node);
		return;
	}
	list_del(&waiter->node);
	if (list_empty(others)) {
		item->run = NULL;
		item->flags &= ~__KPOOL_WATCHED;
		return;
	}
	next = list_first_entry(others, struct kpool_waiter, node);
	list_splice_init(others, &next->pending.waiters);
	item->run = &next->pending;
}

/* Count the sleep of an item, or of a worker's callback, in its own pool. */
static void kpool_nest(struct kpool *pool, struct kpool_waiter *waiter)
{
	struct kpool_worker *worker = kpool_inside(pool);
	struct kpool_run *run = kpool_current_run(pool);

	/* in worker_init and worker_exit a worker has a run without an item */
	if (!run && worker)
		run = &worker->run;
	waiter->run = run;
	if (!run)
		return;
	run = kpool_outermost(run);
	run->asleep = waiter;
	pool->nr_nested++;
	pool->nr_nested_callbacks += !run->item;
	if (waiter->kind == KPOOL_WAIT_CALL &&
	    !kpool_is_accepted(waiter->item))
		list_add_tail(&waiter->nested, &pool->nested_calls);
	else
		list_add_tail(&waiter->nested, &pool->nested);
}

/*
 * Sleep until completed: 0, also after the timeout, or -ERESTARTSYS.  A kthread
 * that is held back for long is neither load nor a hung task.
 */
static long kpool_sleep(struct kpool_waiter *waiter, unsigned long timeout)
{
	unsigned int state = TASK_UNINTERRUPTIBLE | waiter->signals;
	long left = timeout;

	if (waiter->signals & TASK_INTERRUPTIBLE)
		state = TASK_INTERRUPTIBLE;
	else if (current->flags & PF_KTHREAD)
		state |= TASK_NOLOAD;
	return ___swait_event(waiter->done.wait,
			      completion_done(&waiter->done) || !left, state, 0,
			      left = schedule_timeout(left));
}

/*
 * Sleep until completed; called with pool->lock held and interrupts off by
 * raw_spin_lock_irqsave() in a context where they were on; drops the lock
 * while asleep and returns with it held.
 */
int kpool_wait(struct kpool *pool, struct kpool_waiter *waiter,
	       unsigned long timeout, unsigned int signals)
{
	long err;

	lockdep_assert_held(&pool->lock);
	pool->nr_sleepers++;
	pool->nr_concerned++;
	waiter->signals = signals;
	if (timeout == MAX_SCHEDULE_TIMEOUT)
		kpool_nest(pool, waiter);
	kpool_unlock_irq(pool);

	err = kpool_sleep(waiter, timeout);

	raw_spin_lock_irq(&pool->lock);
	if (!waiter->served) {
		kpool_withdraw(pool, waiter);
		kpool_serve(pool, waiter, err ? -EINTR : -ETIMEDOUT);
	}
	kpool_leave_locked(pool);
	return waiter->result;
}

/* Waiting for an item */

/* Where those wait that wait for the pending item; or NULL. */
static struct list_head *kpool_pending_waiters(const struct kpool_item *item)
{
	struct kpool_run *run = kpool_run_of(item);

	if (run)
		return &run->next_waiters;
	return item->flags & __KPOOL_WATCHED ? &item->run->waiters : NULL;
}

/*
 * What is waited for begins, or will not come: the waiters for the pending item
 * wait for something else from now on.
 */
void kpool_move_waiters(struct kpool *pool, struct kpool_item *item,
			struct list_head *to)
{
	struct list_head *waiters = kpool_pending_waiters(item);
	struct kpool_waiter *first;

	lockdep_assert_held(&pool->lock);
	if (!waiters || list_empty(waiters))
		return;
	/* a call has one waiter, and its function may use what is on its stack */
	first = list_first_entry(waiters, struct kpool_waiter, node);
	if (first->kind == KPOOL_WAIT_CALL && !list_empty(&first->nested))
		list_move_tail(&first->nested, &pool->nested_calls);
	list_splice_tail_init(waiters, to);
	if (!kpool_run_of(item))
		item->run = NULL;
	item->flags &= ~__KPOOL_WATCHED;
}

/* The waiters for a run wait for the item's next, which is accepted already. */
void kpool_keep_waiters(struct kpool_item *item, struct list_head *waiters)
{
	struct kpool_waiter *first;

	if (list_empty(waiters))
		return;
	first = list_first_entry(waiters, struct kpool_waiter, node);
	list_splice_init(waiters, &first->pending.waiters);
	item->run = &first->pending;
	item->flags |= __KPOOL_WATCHED;
}

/* The number of a run, among those in the same memory. */
static u64 kpool_run_nr(const struct kpool_run *run)
{
	return run->worker ? run->worker->done : run->nr;
}

/* Has the run that ends the wait begun?  The item may be pending again. */
bool kpool_wait_has_begun(const struct kpool_waiter *waiter)
{
	const struct kpool_run *run = kpool_run_of(waiter->item);

	return run && (waiter->behind != run ||
		       waiter->behind_nr != kpool_run_nr(run));
}

/* Sleep until the item's acceptance, or its run, has ended; lock held. */
int kpool_wait_item(struct kpool *pool, struct kpool_item *item,
		    enum kpool_waiter_kind kind, unsigned long timeout,
		    unsigned int signals)
{
	struct kpool_run *run = kpool_run_of(item);
	struct kpool_waiter waiter;

	if (!kpool_is_accepted(item) && !run && item->place != KPOOL_COMPLETING)
		return 0;
	/* a sleep that ends by itself closes no cycle */
	if ((timeout == MAX_SCHEDULE_TIMEOUT &&
	     kpool_closes_circle(pool, item, kind)) ||
	    (run && !run->worker && run->task == current)) {
		kpool_tell_self_wait(pool, kpool_user_fn(item));
		return -EDEADLK;
	}

	kpool_waiter_init(&waiter, kind, item);
	if (run && !kpool_is_accepted(item)) {
		list_add_tail(&waiter.node, &run->waiters);
	} else if (run) {
		list_add_tail(&waiter.node, &run->next_waiters);
		waiter.behind = run;
		waiter.behind_nr = kpool_run_nr(run);
		run->special = true;
	} else {
		if (!(item->flags & __KPOOL_WATCHED)) {
			item->run = &waiter.pending;
			item->flags |= __KPOOL_WATCHED;
		}
		list_add_tail(&waiter.node, &item->run->waiters);
	}
	return kpool_wait(pool, &waiter, timeout, signals);
}

/* Cycles */

/* Does the item wait for its stream?  What will not run waits to be dropped. */
static bool kpool_waits_for_stream(const struct kpool *pool,
				   const struct kpool_item *item)
{
	const struct kpool_job *job = container_of(item, struct kpool_job, item);

	return (item->flags & __KPOOL_FOLLOWS) && !pool->aborted &&
	       !(job->group && kpool_group_is_cancelled(job->group));
}

/* Has the item to be completed after others, as far as is known now? */
static bool kpool_waits_for_turn(const struct kpool *pool,
				 const struct kpool_item *item)
{
	const struct kpool_job *job = container_of(item, struct kpool_job, item);

	if (!kpool_is_ordered(item))
		return false;
	if (item->place == KPOOL_COMPLETING || kpool_is_to_complete(item))
		return true;
	return item->place == KPOOL_IN_LINE && !kpool_run_of(item) &&
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
static struct kpool_run *kpool_run_before(const struct kpool *pool,
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
	const struct kpool_waiter *waiter = kpool_outermost(run)->asleep;

	if (!waiter || (waiter->kind != KPOOL_WAIT_ITEM &&
			waiter->kind != KPOOL_WAIT_CALL))
		return NULL;
	/* handed on by the run that ends the wait: what runs it has another lock */
	if (READ_ONCE(waiter->item->home) != pool->id)
		return NULL;
	return waiter;
}

/* The run that has to end before this one's thread can go on, or NULL. */
static struct kpool_run *kpool_slept_for(const struct kpool *pool,
					 struct kpool_run *run)
{
	const struct kpool_waiter *waiter = kpool_item_sleep(pool, run);

	if (!waiter)
		return NULL;
	return kpool_wait_has_begun(waiter) ? kpool_run_of(waiter->item) :
	       kpool_run_before(pool, waiter->item);
}

/* A cycle whose last link is not refused: another of its sleepers is. */
static void kpool_break_circle(struct kpool *pool, struct kpool_run *run)
{
	int i;

	for (i = 0; run && i < KPOOL_MAX_CHAIN;
	     i++, run = kpool_slept_for(pool, run)) {
		struct kpool_waiter *waiter = kpool_outermost(run)->asleep;

		if (waiter && waiter->kind == KPOOL_WAIT_ITEM) {
			kpool_withdraw(pool, waiter);
			kpool_serve(pool, waiter, -EDEADLK);
			return;
		}
	}
}

/*
 * A job that comes into the line behind another of its stream waits for it from
 * then on, and so do the waiters for the job: if that one waits for them, a
 * cycle is closed though nobody falls asleep.
 */
void kpool_refuse_circle(struct kpool *pool, const struct kpool_item *item)
{
	struct kpool_run *first = kpool_run_before(pool, item), *run = first;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; run && i < KPOOL_MAX_CHAIN;
	     i++, run = kpool_slept_for(pool, run)) {
		const struct kpool_waiter *waiter =
			kpool_outermost(run)->asleep;

		if (waiter && waiter->item == item &&
		    !kpool_wait_has_begun(waiter)) {
			kpool_break_circle(pool, first);
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
	     i++, run = kpool_slept_for(pool, run)) {
		const struct kpool_waiter *waiter = kpool_item_sleep(pool, run);

		if (waiter && kpool_is_after(pool, waiter->item, first)) {
			kpool_break_circle(pool, first);
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
bool kpool_closes_circle(struct kpool *pool, const struct kpool_item *item,
			 enum kpool_waiter_kind kind)
{
	struct kpool_run *first = kpool_run_before(pool, item), *run = first;
	struct kpool_run *me = kpool_current_run(pool);
	const struct kpool_waiter *waiter;
	int i;

	lockdep_assert_held(&pool->lock);
	if (!me)
		return false;
	if (kpool_is_after_caller(pool, item, me))
		return true;
	for (i = 0; run && i < KPOOL_MAX_CHAIN; i++) {
		if (kpool_outermost(run) == kpool_outermost(me))
			break;
		waiter = kpool_item_sleep(pool, run);
		if (waiter && kpool_is_after_caller(pool, waiter->item, me))
			break;
		run = kpool_slept_for(pool, run);
	}
	if (!run || i == KPOOL_MAX_CHAIN)
		return false;
	if (kind != KPOOL_WAIT_CALL)
		return true;
	kpool_break_circle(pool, first);
	return false;
}

/* Deadlock of the whole pool */

/* Is there something to drop, and a thread that will? */
static bool kpool_dropper_helps(struct kpool *pool)
{
	if (list_empty(&pool->doomed) &&
	    !(pool->nr_delayed && pool->closed && !pool->aborted) &&
	    !(pool->aborted && !pool->nr_aborters &&
	      kpool_any_accepted(pool)))
		return false;
	return !pool->drop_run.item;
}

/* The same for those that abort the pool, which drop one after the other. */
static bool kpool_aborter_helps(struct kpool *pool)
{
	return pool->aborted && pool->nr_aborters &&
	       kpool_any_accepted(pool) &&
	       pool->nr_aborters + pool->dropper_active > pool->nr_drop_runs;
}

/* Has a sleeper been killed, or got a signal?  It goes on, though it has yet to run. */
static bool kpool_has_signal(const struct list_head *nested)
{
	const struct kpool_waiter *waiter;
	int looks = KPOOL_MAX_KILLABLE;

	list_for_each_entry(waiter, nested, nested) {
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

	if (pool->burying)
		threads -= min(threads, pool->nr_dead_runs);
	return threads > pool->nr_nested || kpool_has_signal(&pool->nested) ||
	       kpool_has_signal(&pool->nested_calls);
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
static bool kpool_break_deadlock(struct kpool *pool)
{
	struct kpool_waiter *newest;

	if (list_empty(&pool->nested) || pool->paused ||
	    kpool_has_active_run(pool))
		return false;
	if (kpool_start_helps(pool) || kpool_dropper_helps(pool) ||
	    kpool_aborter_helps(pool))
		return false;

	newest = list_last_entry(&pool->nested, struct kpool_waiter, nested);
	kpool_withdraw(pool, newest);
	kpool_serve(pool, newest, -EDEADLK);
	return true;
}

/* Consequences */

/*
 * Draw the consequences of a change, a batch at most: are there more?  Between
 * two batches no submitter overtakes one that is still to be let in, and no
 * waiter is refused while another is still to be completed.
 */
bool kpool_settle(struct kpool *pool)
{
	int budget = KPOOL_SETTLE_BATCH;

	lockdep_assert_held(&pool->lock);
	for (;;) {
		/* an item that waits for its own run leaves its place in the queue */
		if (kpool_park(pool))
			return true;
		if (kpool_admit_one(pool) || kpool_serve_one(pool) ||
		    kpool_serve_closers(pool) || kpool_tell_room(pool) ||
		    kpool_sweep_groups(pool)) {
			if (!--budget)
				return true;
		} else if (!kpool_break_deadlock(pool)) {
			break;
		}
	}
	if (pool->closed)
		kpool_retire_surplus(pool);
	return false;
}

/* The same; what is left is the settler's. */
void kpool_settle_some(struct kpool *pool)
{
	if (kpool_settle(pool))
		queue_work(kpool_wq, &pool->settler);
}

/* The same until there is no more; the caller keeps the pool. */
void kpool_settle_all(struct kpool *pool)
{
	unsigned long flags;
	bool more;

	do {
		raw_spin_lock_irqsave(&pool->lock, flags);
		more = kpool_settle(pool);
		kpool_unlock(pool, flags);
	} while (more);
}

void kpool_settle_work(struct work_struct *work)
{
	kpool_settle_all(container_of(work, struct kpool, settler));
}
