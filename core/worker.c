// SPDX-License-Identifier: GPL-2.0-only
/*
 * Worker threads: their loop, and the run of one item.
 *
 * A worker that finds nothing to start goes to the hot end of pool->mgr.idle and
 * sleeps; who has work takes the worker that slept last, marks it coming under
 * the lock, and wakes it after the lock has been dropped.  At most one idle
 * worker is on its way at a time: if it finds more than it can take, it sends
 * the next one.  So a burst of small items wakes few threads, and a line that
 * could start is never left without somebody who will look at it.
 *
 * Workers of a freezable pool freeze where they stand while idle, and else
 * between two items.
 */
#include <linux/err.h>
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "internal.h"
#include "lock.h"
#include "queue.h"
#include "run.h"

/* Begin a run: the user's function is @fn. */
static __always_inline void kpool_begin(struct kpool_worker *worker,
					struct kpool_item *item, void *fn)
{
	struct kpool *pool = worker->pool;

	worker->state = KPOOL_WORKER_RUNNING;
	worker->since = jiffies;
	pool->units_used++;
	pool->nr_running++;
	kpool_run_begin(pool, &worker->run, item, fn);
}

/*
 * End a run.  The item may be gone: only its address is known.
 */
static __always_inline void kpool_end(struct kpool_worker *worker, int err,
				      bool lost)
{
	struct kpool_run *run = &worker->run;
	struct kpool_item *item = run->item;
	struct kpool *pool = worker->pool;

	run->item = NULL;
	pool->units_used--;
	pool->nr_running--;
	if (unlikely(run->special) &&
	    !kpool_run_end_special(pool, run, item, err, lost)) {
		pool->stats.completed--;
		return;
	}
	if (unlikely(!list_empty(&run->waiters)))
		kpool_waiter_complete_list(pool, &run->waiters, lost);
	if (unlikely(!RB_EMPTY_ROOT(&pool->waiters.flushers.rb_root)))
		kpool_item_ended(pool, run->epoch);
}

/*
 * A worker died in an item: both leave the books.  Tells whether that suspends
 * a promise of progress.
 */
bool kpool_worker_remove_dead(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	lockdep_assert_held(&pool->lock);
	pool->stats.died++;
	worker->run.special = true;
	kpool_end(worker, -EIO, true);
	worker->state = KPOOL_WORKER_DEAD;
	list_add(&worker->node, &pool->mgr.free_workers);
	pool->mgr.nr_workers--;

	if ((pool->attrs.flags & KPOOL_MEM_RECLAIM) && !pool->mgr.nr_workers)
		pool->mgr.reclaim_broken = true;
	/* nobody may be left to look at the line, or too few be warm */
	kpool_spawn_if_needed(pool);
	return pool->mgr.reclaim_broken && !pool->mgr.nr_workers;
}

/* The item has returned an error; its run is not over yet. */
static noinline void kpool_item_failed(struct kpool_worker *worker,
				       const struct kpool_item *item, int err)
{
	struct kpool *pool = worker->pool;

	worker->in_fault_handler = true;
	kpool_report_error(pool, current, &(struct kpool_fault) {
		.fn	= worker->run.fn,
		.item	= item,
		.err	= err,
		.state	= worker->data,
	});
	worker->in_fault_handler = false;
	raw_spin_lock_irq(&pool->lock);
	/* one whose function had failed before counts once */
	pool->stats.failed += !worker->run.result;
	worker->run.special = true;
	raw_spin_unlock_irq(&pool->lock);
}

/* Run one item, which has begun, by @fn; the lock is dropped meanwhile. */
static __always_inline void kpool_run_item(struct kpool_worker *worker,
					   struct kpool_item *item,
					   kpool_item_fn fn)
{
	struct kpool *pool = worker->pool;
	int err;

	kpool_unlock_irq(pool);

	kpool_lockdep_run_begin(worker, item, fn);
	err = fn(item);
	kpool_lockdep_run_end(worker);
	if (unlikely(kpool_task_state_leaked(&worker->before)))
		kpool_task_state_restore(pool, worker->run.fn, &worker->before);
	if (unlikely(err))
		kpool_item_failed(worker, item, err);
	/* an item that submits itself for ever must not starve the CPU */
	if (need_resched())
		cond_resched();

	raw_spin_lock_irq(&pool->lock);
	worker->completed++;
	pool->stats.completed++;
	kpool_end(worker, err, false);
	/* what may come in now, may be first */
	if (unlikely(pool->nr_recheck))
		kpool_recheck_some(pool);
}

/* Begin the run of an item that needs a closer look: does it run? */
static bool kpool_begin_special(struct kpool_worker *worker,
				struct kpool_item *item)
{
	struct kpool *pool = worker->pool;
	int err;

	err = kpool_check_start(item);
	kpool_special_dequeue(pool, item, !err);
	if (err) {
		kpool_item_drop(pool, item, err);
		/* the next ones may be like it */
		kpool_unlock_irq(pool);
		raw_spin_lock_irq(&pool->lock);
		return false;
	}
	kpool_run_begin_special(pool, &worker->run, item);
	kpool_begin(worker, item, kpool_user_fn(item));
	return true;
}

static noinline void kpool_process_special(struct kpool_worker *worker,
					   struct kpool_item *item)
{
	kpool_item_fn fn = item->fn;

	if (kpool_is_completion(item)) {
		fn = kpool_complete_fn(item);
		kpool_run_begin_completion(worker->pool, &worker->run, item);
		kpool_begin(worker, item, fn);
	} else if (!kpool_begin_special(worker, item)) {
		return;
	}
	kpool_run_item(worker, item, fn);
}

static void kpool_process_item(struct kpool_worker *worker, struct kpool_item *item)
{
	if (unlikely(!worker->pool->fast_capacity || item->flags)) {
		kpool_process_special(worker, item);
		return;
	}
	/* all in line are alike: nobody has been passed */
	worker->pool->q.nr_bypassed = 0;
	kpool_begin(worker, item, item->fn);
	kpool_run_item(worker, item, item->fn);
}

/* How workers sleep between items: where frozen, a wake-up is lost. */
static unsigned int kpool_idle_state(const struct kpool *pool)
{
	return pool->init_attrs.flags & KPOOL_FREEZABLE ?
	       TASK_IDLE | TASK_FREEZABLE : TASK_IDLE;
}

/*
 * Between two items: the next to start, once we are not to freeze.  Few pools
 * have to ask, and those do so without a branch that is patched while they run.
 */
static struct kpool_item *kpool_next_item(struct kpool *pool)
{
	if (unlikely(pool->init_attrs.flags & KPOOL_FREEZABLE) &&
	    freezing_slow_path(current)) {
		raw_spin_unlock_irq(&pool->lock);
		__refrigerator(false);
		raw_spin_lock_irq(&pool->lock);
	}
	return kpool_too_many_awake(pool) ? NULL : kpool_dequeue(pool);
}

/*
 * Nothing to start: sleep until somebody has work for this worker.  Returns
 * false when the worker is to leave.  The state of the task is set under the
 * lock, under which it is looked at before waking; so no wake-up is lost.
 * Litmus: sleep-vs-submit.
 */
static bool kpool_worker_idle(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	if (unlikely(pool->nr_recheck))
		kpool_recheck_some(pool);
	if (unlikely(kpool_has_work(pool)) && !kpool_too_many_awake(pool)) {
		/* let in just now, or behind many that had to be parked */
		raw_spin_unlock_irq(&pool->lock);
		raw_spin_lock_irq(&pool->lock);
		return true;
	}
	if (kpool_should_exit(pool)) {
		kpool_worker_retire(pool, worker, KPOOL_WORKER_RETIRED);
		return false;
	}

	worker->state = KPOOL_WORKER_IDLE;
	worker->since = jiffies;
	list_add(&worker->node, &pool->mgr.idle);
	pool->mgr.nr_idle++;
	kpool_arm_reaper(pool);
	while (worker->state == KPOOL_WORKER_IDLE) {
		__set_current_state(kpool_idle_state(pool));
		raw_spin_unlock_irq(&pool->lock);
		schedule();
		raw_spin_lock_irq(&pool->lock);
	}
	if (worker->state != KPOOL_WORKER_WAKING)
		return false;
	pool->mgr.nr_waking--;
	return true;
}

/*
 * A worker sets up itself: what others set before its first run is undone.
 * Litmus: attach-vs-tune.
 */
static void kpool_worker_attach(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	kpool_exit_work_add(worker);
	if (pool->init_attrs.flags & KPOOL_NOIO)
		memalloc_noio_save();
	mutex_lock(&pool->mutex);
	kpool_sched_apply(pool, current);
	list_add_tail(&worker->member, &pool->mgr.workers);
	mutex_unlock(&pool->mutex);
	if (pool->init_attrs.flags & KPOOL_FREEZABLE)
		set_freezable();
}

/*
 * Wait to be reaped: kthread_stop() then knows that no code of ours runs.  The
 * reap_work waits for this thread, and does not freeze: no more does the thread.
 * Litmus: stop-vs-await.
 */
static void kpool_worker_wait_stop(void)
{
	current->flags |= PF_NOFREEZE;
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

/* In the new worker: 0, or what worker_init failed with. */
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

/* In the worker: it runs no item any more. */
static void kpool_worker_call_exit(struct kpool_worker *worker)
{
	const struct kpool_attrs *attrs = &worker->pool->init_attrs;

	if (attrs->worker_exit && !IS_ERR(worker->data))
		attrs->worker_exit(attrs->data, worker->data);
	worker->data = NULL;
}

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
	raw_spin_lock_irq(&pool->lock);
	if (kpool_worker_account(worker)) {
		kpool_exit_work_set_running(worker);
		do {
			while ((item = kpool_next_item(pool)))
				kpool_process_item(worker, item);
		} while (kpool_worker_idle(worker));
	}
	kpool_unlock_irq(pool);
	kpool_exit_work_set_exiting(worker);
	kpool_worker_call_exit(worker);
out:
	kpool_exit_work_set_done(worker);
	kpool_worker_exited(worker);
	kpool_worker_wait_stop();
	return 0;
}

/*
 * What each worker has of its own, for the functions of its items.
 *
 * It is made by the new worker itself, before the worker enters the books: one
 * whose worker_init fails has never been there.  It is torn down by the worker
 * before that is reaped.  Nobody waits for either function of one worker before
 * the next one calls it.
 */

void *kpool_worker_data(void)
{
	struct kpool_worker *worker = kpool_current_worker();

	return worker && !IS_ERR(worker->data) ? worker->data : NULL;
}
EXPORT_SYMBOL_GPL(kpool_worker_data);

/*
 * What an item left behind: an RCU section, interrupts off, a changed
 * preemption count, flags that limit its thread's allocations, and, where
 * lockdep watches, a lock.  It is reported by the item's function, and what can
 * be put right is, so that the worker, or the submitter that has run the item,
 * can go on.  A lock stays held.
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

void kpool_task_state_save(struct kpool_task_state *state)
{
	state->flags = current->flags & KPOOL_CONTEXT_FLAGS;
	state->nr_locks = lockdep_depth(current);
}

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

/* On PREEMPT_RT a spinlock is such a section too, and has more to it. */
static void kpool_restore_rcu(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return;
	while (rcu_preempt_depth() > 0)
		rcu_read_unlock();
	while (rcu_preempt_depth() < 0)
		rcu_read_lock();
}

/* Make the caller's context what it was, but for the locks that it holds. */
void kpool_task_state_restore(const struct kpool *pool, const void *fn,
			      struct kpool_task_state *before)
{
	int count = preempt_count();
	bool irqs_off = irqs_disabled();

	preempt_count_set(0);
	if (irqs_off)
		local_irq_enable();
	kpool_restore_flags(pool, fn, before);
	if (irqs_off)
		kpool_report_leak(pool, fn, "interrupts off");
	if (count)
		kpool_report_leak(pool, fn, "a changed preemption count");
	if (rcu_preempt_depth())
		kpool_report_leak(pool, fn, rcu_preempt_depth() > 0 ?
				  "an RCU read section open" :
				  "an RCU read section closed too often");
	kpool_restore_rcu();
	if (lockdep_depth(current) > before->nr_locks)
		kpool_report_leak(pool, fn, "a lock held");
	/* the next item is not to blame for it */
	before->nr_locks = lockdep_depth(current);
}
