// SPDX-License-Identifier: GPL-2.0-only
/*
 * Worker threads: each runs items until none can start, then sleeps.
 *
 * A burst of small items should wake few threads, but an item that can start
 * must never be left without an awake worker.  So at most one idle worker is
 * waking at a time.  A worker that takes an item wakes the next one if more can
 * start.
 *
 * An idle worker goes to the head of pool->mgr.idle and sleeps.  kpool_unlock()
 * takes the most recently idle worker, marks it KPOOL_WORKER_WAKING under the
 * lock, and wakes it after unlocking.
 *
 * Workers of a freezable pool freeze while they are idle, and between two
 * items.
 *
 * How many workers there are, and when an idle one expires: see manager.c.
 */
#include <linux/err.h>
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/task_work.h>

#include "internal.h"
#include "lock.h"
#include "queue.h"
#include "trace.h"
#include "watchdog.h"
#include "worker.h"

/*
 * Running items: kpool_process_item(), at the end of this part, runs one, and
 * then those that it can start without pool->lock.
 */

/* The slow paths, defined below. */
static noinline void kpool_process_slow(struct kpool_worker *worker,
					struct kpool_item *item);
static noinline bool kpool_run_end_slow(struct kpool *pool,
					struct kpool_run *run,
					struct kpool_item *item, int err);
static noinline void kpool_item_failed(struct kpool_worker *worker, int err);

/*
 * Begin the worker's run of @item.  @fn is the client's function, for reports.
 * Called with pool->lock held.
 */
static __always_inline void kpool_worker_run_begin(struct kpool_worker *worker,
						   struct kpool_item *item,
						   void *fn)
{
	struct kpool *pool = worker->pool;

	lockdep_assert_held(&pool->lock);
	worker->state = KPOOL_WORKER_RUNNING;
	worker->since = jiffies;
	pool->units_used++;
	pool->nr_running++;
	kpool_run_begin(pool, &worker->run, item, fn);
	kpool_latency_begin(pool, &worker->run, item);
	trace_start(pool, item, fn);
}

/*
 * End the worker's run with the item's result @err.  Return false if the item
 * is an ordered job that is still to be completed.  Otherwise it can have been
 * freed, so only its address is used.  Called with pool->lock held.
 */
static __always_inline bool kpool_worker_run_end(struct kpool_worker *worker,
						 int err)
{
	struct kpool_run *run = &worker->run;
	struct kpool_item *item = run->item;
	struct kpool *pool = worker->pool;

	lockdep_assert_held(&pool->lock);
	run->item = NULL;
	pool->units_used--;
	pool->nr_running--;
	if (unlikely(run->end_locked || run->group) &&
	    !kpool_run_end_slow(pool, run, item, err))
		return false;
	if (unlikely(!list_empty(&run->waiters)))
		kpool_waiter_complete_list(pool, &run->waiters, run->dead);
	if (unlikely(!RB_EMPTY_ROOT(&pool->waiters.flushers.rb_root)))
		kpool_item_ended(pool, run->epoch);
	return true;
}

/*
 * Return true if a fast start can end the run of a job of the group.  The group
 * must have more jobs left than slots are open, so that no fast start ends its
 * last one, for which callers can wait.
 */
static bool kpool_can_end_fast(const struct kpool_ready *ready,
			       const struct kpool_group *group)
{
	/* racy: the commit fails if one of them has changed */
	return data_race(group->left) > data_race(ready->nr_open);
}

/*
 * End the run of the worker's item, and start the next one, without pool->lock:
 * see queue.h.  Return that item, or NULL if the lock has to be taken.  The end
 * needs no code here: the next lock holder counts it, and resets a taker that
 * has not committed.
 *
 * If @jobs, both items can have fields of struct kpool_job.  *@group is the
 * group of the item that ends, or NULL, and on return that of the one that
 * starts.  run->group is not up to date here, since only a lock holder changes
 * it.
 */
static __always_inline struct kpool_item *
kpool_start_fast(struct kpool *pool, struct kpool_worker *worker, bool jobs,
		 struct kpool_group **group)
{
	const struct kpool_ready_fields *fields = NULL;
	struct kpool_ready *ready = &pool->ready;
	struct kpool_run *run = &worker->run;
	struct kpool_ready_slot *slot;
	struct kpool_item *item;
	unsigned int left;
	kpool_item_fn fn;
	u32 epoch, ticket;
	s64 next;

	for (;;) {
		/* pairs with kpool_ready_open(); Litmus: ready-open */
		next = atomic64_read_acquire(&ready->next);
		left = next & KPOOL_LEFT_MASK;
		/* racy: the commit below fails if one of them has changed */
		if (!left || unlikely(data_race(run->end_locked) ||
				      !list_empty(&run->waiters)))
			return NULL;
		if (jobs && *group && !kpool_can_end_fast(ready, *group))
			return NULL;
		/* only the taker of the first slot commits */
		ticket = READ_ONCE(ready->end) - left;
		slot = kpool_ready_slot(ready, ticket);
		if (likely(!cmpxchg_relaxed(&slot->taker, NULL, worker)))
			break;
		/* taken, but not committed: do not wait */
		if (atomic64_read(&ready->next) == next)
			return NULL;
	}
	item = READ_ONCE(slot->item);
	fn = READ_ONCE(slot->fn);
	epoch = READ_ONCE(slot->epoch);
	if (unlikely(READ_ONCE(slot->has_fields))) {
		fields = kpool_ready_fields(ready, ticket);
		/* a late job is dropped, by the slow path */
		if (!jobs || kpool_is_past_deadline(READ_ONCE(fields->deadline)))
			return NULL;
	}
	if (jobs)
		*group = fields ? READ_ONCE(fields->group) : NULL;
	WRITE_ONCE(worker->since, jiffies);
	/* pairs with the acquire in kpool_ready_close(); Litmus: ready-close */
	if (unlikely(!atomic64_try_cmpxchg_release(&ready->next, &next,
						   next - 1)))
		return NULL;
	WRITE_ONCE(run->fn, fn);
	WRITE_ONCE(run->item, item);
	/* not item->epoch: the item can have been submitted again */
	run->epoch = epoch;
	WRITE_ONCE(item->run, run);
	kpool_item_started(item);
	/* pairs with the acquires of slot->item; Litmus: item-started */
	smp_store_release(&slot->item, NULL);
	trace_start(pool, item, item->fn);
	return item;
}

/*
 * Call the function @fn of an item whose run has begun.  Return what it
 * returned.
 */
static __always_inline int kpool_run_fn(struct kpool *pool,
					struct kpool_worker *worker,
					struct kpool_item *item,
					kpool_item_fn fn)
{
	int err;

	kpool_lockdep_run_begin(worker);
	err = fn(item);
	/* kpool_settle_starts() can store the same value again */
	trace_end(pool, item, READ_ONCE(worker->run.fn), err);
	kpool_lockdep_run_end(worker);
	if (unlikely(kpool_has_leaked_state(&worker->before)))
		kpool_task_state_restore(pool, READ_ONCE(worker->run.fn),
					 &worker->before);
	if (unlikely(err))
		kpool_item_failed(worker, err);
	/* an item that keeps submitting itself must not starve the CPU */
	if (need_resched())
		cond_resched();
	return err;
}

/* Take pool->lock, and end the run whose function has returned @err. */
static __always_inline void kpool_lock_and_end_run(struct kpool_worker *worker,
						   int err)
{
	struct kpool *pool = worker->pool;
	bool failed;

	kpool_lock_irq(pool);
	kpool_latency_end(pool, &worker->run);
	worker->nr_runs++;
	/* a run that completes an ordered job has the function's result */
	failed = err || worker->run.result;
	if (likely(kpool_worker_run_end(worker, err))) {
		pool->stats.completed++;
		pool->stats.failed += failed;
	}
	/* an item that is admitted now can be the next to start */
	if (unlikely(pool->nr_recheck))
		kpool_recheck_some(pool);
}

/*
 * Run an item, and then those that can be started without the lock.  Such a
 * start also ends the run before it: kpool_settle_starts() counts both.  If
 * @jobs, they can have fields; *@group is the group of the first, or NULL.
 * Called with pool->lock held, which is dropped while functions run.
 */
static __always_inline void
kpool_run_items(struct kpool_worker *worker, struct kpool_item *item, bool jobs,
		struct kpool_group **group)
{
	struct kpool *pool = worker->pool;
	int err;

	kpool_worker_run_begin(worker, item, item->fn);
	kpool_unlock_irq_open(pool);
	do {
		err = kpool_run_fn(pool, worker, item, item->fn);
		item = kpool_start_fast(pool, worker, jobs, group);
	} while (item);
	kpool_lock_and_end_run(worker, err);
}

/* Run a job that has a field set: like kpool_process_item(). */
static noinline void kpool_process_job(struct kpool_worker *worker,
				       struct kpool_item *item)
{
	struct kpool_group *group = kpool_group_begin(worker->pool, item);

	worker->jobs = true;
	worker->run.group = group;
	kpool_run_items(worker, item, true, &group);
	worker->jobs = false;
}

/*
 * Run one item that has been dequeued, and then those that can be started
 * without the lock.  Called with pool->lock held, which is dropped while
 * functions run.
 *
 * On the fast path no item is special, so one test skips weights, priorities
 * and streams.  Items that kpool has allocated take the slow path too, which
 * looks up their function and call.
 */
static void kpool_process_item(struct kpool_worker *worker,
			       struct kpool_item *item)
{
	struct kpool *pool = worker->pool;

	lockdep_assert_held(&pool->lock);
	if (unlikely(!pool->fast_capacity ||
		     item->flags & (KPOOL_SPECIAL | __KPOOL_FN))) {
		kpool_process_slow(worker, item);
		return;
	}
	/* no item of another priority is queued, so none was bypassed */
	pool->q.nr_bypassed = 0;
	if (unlikely(item->flags & __KPOOL_HAS_WAITERS))
		kpool_waiters_move(pool, item, &worker->run.waiters);
	if (kpool_has_fields(item)) {
		kpool_process_job(worker, item);
		return;
	}
	kpool_run_items(worker, item, false, NULL);
}

/* Runs of special items, and runs that fail */

/*
 * Take over what a special item, or one with waiters, needs at the end of its
 * run.  Called with pool->lock held.
 */
static void kpool_run_begin_slow(struct kpool *pool, struct kpool_run *run,
				 struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);
	unsigned int extra = kpool_units(pool, item) - 1;

	lockdep_assert_held(&pool->lock);
	if (item->flags & __KPOOL_HAS_WAITERS)
		kpool_waiters_move(pool, item, &run->waiters);
	if (kpool_is_call(item))
		run->call = kpool_call_of(item);
	if (kpool_has_fields(item))
		run->group = kpool_group_begin(pool, item);
	if (!kpool_is_special(item))
		return;
	run->end_locked = true;
	run->units += extra;
	pool->units_used += extra;
	if (job && job->stream)
		kpool_stream_begin(run, job);
}

/*
 * Begin the second run of an ordered job, which completes it.  Called with
 * pool->lock held.
 */
static void kpool_run_begin_completion(struct kpool *pool,
				       struct kpool_run *run,
				       struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_of(item);

	lockdep_assert_held(&pool->lock);
	if (item->flags & __KPOOL_HAS_WAITERS)
		kpool_waiters_move(pool, item, &run->waiters);
	run->end_locked = true;
	run->other_fns[0] = kpool_user_fn(item);
	run->other_fns[1] = item->dropped;
	run->result = job->result;
	kpool_stream_begin_completion(run, job);
	/* kpool_group_begin() was called for the first run */
	run->group = job->group;
	if (job->group && job->group->flags & KPOOL_GROUP_COLLECT)
		item->state = KPOOL_ITEM_DONE;
}

/* Run an item, or complete an ordered job, on the slow path. */
static noinline void kpool_process_slow(struct kpool_worker *worker,
					struct kpool_item *item)
{
	struct kpool *pool = worker->pool;
	kpool_item_fn fn = item->fn;

	kpool_account_dequeued(pool, item);
	if (kpool_is_completion(item)) {
		fn = kpool_complete_fn(item);
		kpool_run_begin_completion(pool, &worker->run, item);
		kpool_worker_run_begin(worker, item, fn);
	} else {
		kpool_run_begin_slow(pool, &worker->run, item);
		kpool_worker_run_begin(worker, item, kpool_user_fn(item));
	}
	kpool_unlock_irq(pool);
	kpool_lock_and_end_run(worker, kpool_run_fn(pool, worker, item, fn));
}

/*
 * End a worker's run on the slow path.  Return false if the job has not ended,
 * because it is to be completed in its ordered stream; then it has not been
 * freed.  Otherwise the item can have been freed, unless its group collects.
 * Called with pool->lock held.
 */
static noinline bool kpool_run_end_slow(struct kpool *pool,
					struct kpool_run *run,
					struct kpool_item *item, int err)
{
	struct kpool_group *group = run->group;

	lockdep_assert_held(&pool->lock);
	run->end_locked = false;
	memset(run->other_fns, 0, sizeof(run->other_fns));
	run->group = NULL;
	pool->units_used -= run->units - 1;
	run->units = 1;
	if (run->complete && !run->dead) {
		kpool_job_of(item)->result = err;
		kpool_waiters_keep(&run->waiters);
		kpool_stream_finished(pool, run, kpool_job_of(item));
		return false;
	}
	if (run->result) {
		err = run->result;
		run->result = 0;
	}
	if (run->requeue || !list_empty(&run->next_waiters))
		kpool_run_requeue(pool, run);
	if (run->stream)
		kpool_stream_end(pool, run);
	if (group)
		kpool_group_end(pool, group, item, err, err);
	return true;
}

/*
 * Report the error that an item's function returned.  The run has not ended, so
 * waiters for the item wait for the fault handler, too.
 */
static noinline void kpool_item_failed(struct kpool_worker *worker, int err)
{
	struct kpool *pool = worker->pool;

	kpool_report_error(pool, &worker->run, current, err);
	worker->run.notified = KPOOL_NOTIFIED_NONE;
	/* a fast start would end the run without counting the error */
	kpool_lock_irq(pool);
	worker->run.end_locked = true;
	kpool_unlock_irq(pool);
}

/*
 * Account for a worker whose thread died in an item, and end the run with -EIO.
 * Return true if a KPOOL_MEM_RECLAIM pool has no worker left that is not
 * exiting, which suspends its guarantee of forward progress.  Called with
 * pool->lock held.
 */
bool kpool_worker_remove_dead(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	bool broken;

	lockdep_assert_held(&pool->lock);
	pool->stats.died++;
	kpool_worker_run_end(worker, -EIO);
	list_add(&worker->node, &pool->mgr.free_workers);
	pool->mgr.nr_workers--;

	broken = (pool->attrs.flags & KPOOL_MEM_RECLAIM) &&
		 pool->mgr.nr_workers == pool->mgr.nr_exiting;
	if (broken)
		pool->mgr.reclaim_broken = true;
	/* the last worker can have died, or fewer than min_workers be left */
	kpool_spawn_if_needed(pool);
	return broken;
}

/* The worker's loop */

/*
 * Dequeue the next item to run, or return NULL.  A worker of a freezable pool
 * freezes here first.  freezing() is not used: its static branch would be
 * patched while workers run, for a few pools.  Called with pool->lock held,
 * which is dropped while frozen.
 */
static struct kpool_item *kpool_next_item(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	lockdep_assert_held(&pool->lock);
	if (unlikely(pool->init_attrs.flags & KPOOL_FREEZABLE) &&
	    freezing_slow_path(current)) {
		/* its last run has ended, and must not be taken for a stall */
		worker->state = KPOOL_WORKER_WAKING;
		worker->since = jiffies;
		kpool_unlock_irq(pool);
		__refrigerator(false);
		kpool_lock_irq(pool);
	}
	return kpool_dequeue(pool);
}

/*
 * Let another task run that this worker has woken, probably by the end of an
 * item.  The worker counts as waking until it continues: if that task submits
 * the next item, it does not have to wake a worker for it.  Called with
 * pool->lock held, which is dropped meanwhile.
 */
static void kpool_worker_yield(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	lockdep_assert_held(&pool->lock);
	worker->state = KPOOL_WORKER_WAKING;
	worker->since = jiffies;
	pool->mgr.nr_waking++;
	kpool_unlock_irq(pool);
	cond_resched();
	kpool_lock_irq(pool);
	pool->mgr.nr_waking--;
}

/*
 * Sleep until woken, or yield if another task is to run.  Return false if the
 * worker must exit.  Called with pool->lock held, which is dropped meanwhile.
 *
 * The task state is set before unlocking.  kpool_pick_worker() changes
 * worker->state under the same lock and the wakeup follows, so a wakeup between
 * unlock and schedule() makes schedule() return.  kpool_unlock_irq() wakes this
 * worker itself if there is an item to start or to park.  Litmus: lock-either.
 */
static bool kpool_worker_idle(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	unsigned int state = TASK_IDLE;

	lockdep_assert_held(&pool->lock);
	if (kpool_retire_if_needed(worker))
		return false;
	if (need_resched()) {
		kpool_worker_yield(worker);
		return true;
	}

	/* only here: a frozen worker would not run when it is woken */
	if (pool->init_attrs.flags & KPOOL_FREEZABLE)
		state |= TASK_FREEZABLE;
	worker->state = KPOOL_WORKER_IDLE;
	worker->since = jiffies;
	list_add(&worker->node, &pool->mgr.idle);
	pool->mgr.nr_idle++;
	kpool_arm_reap_work(pool);
	while (worker->state == KPOOL_WORKER_IDLE) {
		__set_current_state(state);
		kpool_unlock_irq(pool);
		schedule();
		kpool_lock_irq(pool);
	}
	if (worker->state != KPOOL_WORKER_WAKING)
		return false;
	pool->mgr.nr_waking--;
	return true;
}

/*
 * Set up the worker's thread, and add the worker to the pool's list.
 * Scheduling attributes are applied by the thread itself: a new kthread resets
 * those that were set before its first run.  Either kpool_attrs_apply() finds
 * the worker on the list, or the worker finds the new attributes.  Litmus:
 * lock-either.
 */
static void kpool_worker_attach(struct kpool_worker *worker)
{
	struct kpool_exit_work *exit_work = worker->exit_work;
	struct kpool *pool = worker->pool;

	/* task_work_add() cannot fail: the thread is not exiting */
	exit_work->task = get_task_struct(current);
	WARN_ON_ONCE(task_work_add(current, &exit_work->work, TWA_NONE));
	if (pool->init_attrs.flags & KPOOL_NOIO)
		memalloc_noio_save();
	mutex_lock(&pool->mutex);
	kpool_sched_apply(pool, current);
	list_add_tail(&worker->member, &pool->mgr.workers);
	mutex_unlock(&pool->mutex);
	if (pool->init_attrs.flags & KPOOL_FREEZABLE)
		set_freezable();
}

/* Call worker_init in the new worker.  Return 0 or the error it returned. */
static int kpool_worker_call_init(struct kpool_worker *worker)
{
	const struct kpool_attrs *attrs = &worker->pool->init_attrs;

	if (!attrs->worker_init)
		return 0;
	kpool_worker_init_begin(worker);
	worker->data = attrs->worker_init(attrs->data);
	kpool_worker_init_end(worker);
	return PTR_ERR_OR_ZERO(worker->data);
}

/* Call worker_exit in a worker that will run no more items. */
static void kpool_worker_call_exit(struct kpool_worker *worker)
{
	const struct kpool_attrs *attrs = &worker->pool->init_attrs;

	if (attrs->worker_exit)
		attrs->worker_exit(attrs->data, worker->data);
	worker->data = NULL;
}

/* Run items in a new worker until it must exit. */
int kpool_worker_main(void *data)
{
	struct kpool_worker *worker = data;
	struct kpool *pool = worker->pool;
	struct kpool_item *item;
	int err;

	kpool_worker_attach(worker);
	err = kpool_worker_call_init(worker);
	if (err) {
		kpool_worker_failed(worker, err);
		goto out;
	}
	kpool_task_state_save(&worker->before);
	kpool_lock_irq(pool);
	kpool_worker_account(worker);
	worker->exit_work->stage = KPOOL_STAGE_RUNNING;
	do {
		while ((item = kpool_next_item(worker)))
			kpool_process_item(worker, item);
	} while (kpool_worker_idle(worker));
	kpool_unlock_irq(pool);
	worker->exit_work->stage = KPOOL_STAGE_EXIT;
	kpool_worker_call_exit(worker);
out:
	worker->exit_work->stage = KPOOL_STAGE_DONE;
	/* reap_work reuses the worker, but not before this thread is gone */
	kpool_worker_exited(worker);
	return 0;
}

/*
 * Worker data
 *
 * A new worker calls worker_init itself, before it is accounted; if worker_init
 * fails, the worker never is.  It calls worker_exit before it is reaped.
 * Workers call these functions concurrently: none waits for another's to
 * return.
 */

void *kpool_worker_data(void)
{
	struct kpool_worker *worker = kpool_current_worker();

	return worker && !IS_ERR(worker->data) ? worker->data : NULL;
}
EXPORT_SYMBOL_GPL(kpool_worker_data);

/*
 * Leaked task state
 *
 * An item's function must return with preemption and interrupts enabled, no RCU
 * read-side critical section, unchanged allocation flags and, with lockdep, no
 * additional lock held.  Anything else is reported with the function and
 * undone, except for locks, so that the worker or the submitter can go on.
 */

#define KPOOL_FLAG(_flag)	{ _flag, #_flag }
static const struct {
	unsigned int	flag;
	const char	*name;
} kpool_task_flags[] = {
	KPOOL_FLAG(PF_MEMALLOC),
	KPOOL_FLAG(PF_MEMALLOC_NOIO),
	KPOOL_FLAG(PF_MEMALLOC_NOFS),
	KPOOL_FLAG(PF_MEMALLOC_PIN),
	KPOOL_FLAG(PF_LOCAL_THROTTLE),
};

static void kpool_report_leak(const struct kpool *pool, const void *fn,
			      const char *what)
{
	pr_err("%s: %ps returned with %s\n", pool->name, fn, what);
}

static void kpool_restore_flags(const struct kpool *pool, const void *fn,
				const struct kpool_task_state *before)
{
	unsigned int changed = (current->flags ^ before->flags) &
			       KPOOL_CONTEXT_FLAGS;
	int i;

	current->flags ^= changed;
	for (i = 0; i < ARRAY_SIZE(kpool_task_flags); i++)
		if (changed & kpool_task_flags[i].flag)
			pr_err("%s: %ps returned with %s changed\n",
			       pool->name, fn, kpool_task_flags[i].name);
}

/*
 * Balance the RCU read-side nesting.  Not on PREEMPT_RT, where a spinlock is a
 * read-side critical section too, and unlocking it takes more than that.
 */
static void kpool_restore_rcu(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return;
	while (rcu_preempt_depth() > 0)
		rcu_read_unlock();
	while (rcu_preempt_depth() < 0)
		rcu_read_lock();
}

/*
 * Report and undo what changed since @before was saved.  Locks stay held.  RCU
 * comes first: a tick that finds a negative nesting depth warns.
 */
void kpool_task_state_restore(const struct kpool *pool, const void *fn,
			      struct kpool_task_state *before)
{
	int count = preempt_count();
	int rcu_depth = kpool_rcu_leaked(before);
	bool irqs_off = irqs_disabled();

	preempt_count_set(0);
	kpool_restore_rcu();
	if (irqs_off)
		local_irq_enable();
	kpool_restore_flags(pool, fn, before);
	if (irqs_off)
		kpool_report_leak(pool, fn, "interrupts off");
	if (count)
		kpool_report_leak(pool, fn, "a changed preemption count");
	if (rcu_depth)
		kpool_report_leak(pool, fn, rcu_depth > 0 ?
				  "an RCU read section open" :
				  "an RCU read section closed too often");
	if (lockdep_depth(current) > before->nr_locks)
		kpool_report_leak(pool, fn, "a lock held");
	/* do not report what is left again for the next item */
	before->nr_locks = lockdep_depth(current);
	before->rcu_depth = rcu_preempt_depth();
}
