// SPDX-License-Identifier: GPL-2.0-only
/*
 * Worker threads: their loop, and the run of one item.
 *
 * A worker that finds nothing to start goes to the hot end of pool->idle and
 * sleeps; who has work takes the worker that slept last, marks it coming under
 * the lock, and wakes it after the lock has been dropped.  At most one idle
 * worker is on its way at a time: if it finds more than it can take, it sends
 * the next one.  So a burst of small items wakes few threads, and a line that
 * could start is never left without somebody who will look at it.
 *
 * Workers of a freezable pool freeze where they stand while idle, and else
 * between two items.
 */
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "internal.h"
#include "pending.h"

/* The worker that the caller is part of, if it is any pool's. */
struct kpool_worker *kpool_current_worker(void)
{
	if (!in_task() || !(current->flags & PF_KTHREAD) ||
	    kthread_func(current) != kpool_worker_main)
		return NULL;
	return kthread_data(current);
}

struct kpool *kpool_current(void)
{
	struct kpool_worker *worker = kpool_current_worker();

	return worker ? worker->pool : NULL;
}
EXPORT_SYMBOL_GPL(kpool_current);

/* The same, if it is one of the pool's. */
struct kpool_worker *kpool_inside(struct kpool *pool)
{
	struct kpool_worker *worker = kpool_current_worker();

	return worker && worker->pool == pool ? worker : NULL;
}

/* Begin a run. */
static void kpool_begin(struct kpool_worker *worker, struct kpool_item *item)
{
	struct kpool *pool = worker->pool;

	worker->state = KPOOL_RUNNING;
	worker->since = jiffies;
	worker->run.epoch = item->epoch;
	worker->run.item = item;
	WRITE_ONCE(worker->fn, item->fn);
	item->run = &worker->run;
	kpool_debug_ended(item);
	pool->used++;
	if (unlikely(!pool->watched))
		kpool_watch(pool);
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
	pool->used--;
	if (unlikely(run->special) &&
	    !kpool_odd_end(pool, run, item, err, lost)) {
		pool->stats.completed--;
		return;
	}
	if (unlikely(!list_empty(&run->waiters)))
		kpool_serve_list(pool, &run->waiters, lost);
	if (unlikely(!RB_EMPTY_ROOT(&pool->flushers.rb_root)))
		kpool_item_ended(pool, run->epoch);
}

/*
 * A worker died in an item: both leave the books.  Tells whether that suspends
 * a promise of progress.
 */
bool kpool_lose_worker(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	lockdep_assert_held(&pool->lock);
	pool->stats.died++;
	worker->run.special = true;
	kpool_end(worker, -EIO, true);
	worker->state = KPOOL_DIED;
	list_add(&worker->node, &pool->spare);
	pool->nr_workers--;

	if ((pool->attrs.flags & KPOOL_MEM_RECLAIM) && !pool->nr_workers)
		pool->suspended = true;
	/* nobody may be left to look at the line, or too few be warm */
	kpool_spawn_if_needed(pool);
	return pool->suspended && !pool->nr_workers;
}

/* The item has returned an error; its run is not over yet. */
static noinline void kpool_failed(struct kpool_worker *worker,
				  const struct kpool_item *item, int err)
{
	struct kpool *pool = worker->pool;

	worker->blaming = true;
	kpool_report_error(pool, current, &(struct kpool_fault) {
		.fn	= worker->fn,
		.item	= item,
		.err	= err,
		.state	= worker->data,
	});
	worker->blaming = false;
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

	kpool_map_begin(worker, item, fn);
	err = fn(item);
	kpool_map_end(worker);
	if (unlikely(kpool_leaked(&worker->before)))
		kpool_put_right(pool, worker->fn, &worker->before);
	if (unlikely(err))
		kpool_failed(worker, item, err);
	/* an item that submits itself for ever must not starve the CPU */
	if (need_resched())
		cond_resched();

	raw_spin_lock_irq(&pool->lock);
	worker->done++;
	pool->stats.completed++;
	kpool_end(worker, err, false);
	/* what may come in now, may be first */
	if (unlikely(pool->nr_concerned))
		kpool_settle_some(pool);
}

/* An item that has more to it, or a pool that has: does it run? */
static bool kpool_begin_odd(struct kpool_worker *worker,
				     struct kpool_item *item)
{
	struct kpool *pool = worker->pool;
	int err;

	err = kpool_odd_verdict(item);
	kpool_odd_taken(pool, item, !err);
	if (err) {
		kpool_doom(pool, item, err);
		/* the next ones may be like it */
		kpool_unlock_irq(pool);
		raw_spin_lock_irq(&pool->lock);
		return false;
	}
	kpool_odd_begin(pool, &worker->run, item);
	kpool_begin(worker, item);
	/* a search for a module's runs must not have to wait for it */
	WRITE_ONCE(worker->fn, kpool_user_fn(item));
	return true;
}

static noinline void kpool_do_odd(struct kpool_worker *worker,
				  struct kpool_item *item)
{
	kpool_item_fn fn = item->fn;

	if (kpool_is_completion(item)) {
		fn = kpool_complete_fn(item);
		kpool_odd_completes(worker->pool, &worker->run, item);
		kpool_begin(worker, item);
		WRITE_ONCE(worker->fn, fn);
	} else if (!kpool_begin_odd(worker, item)) {
		return;
	}
	kpool_run_item(worker, item, fn);
}

static void kpool_do_item(struct kpool_worker *worker, struct kpool_item *item)
{
	if (unlikely(!worker->pool->plain_capacity || item->flags)) {
		kpool_do_odd(worker, item);
		return;
	}
	/* all in line are alike: nobody has been passed */
	worker->pool->nr_passed = 0;
	kpool_begin(worker, item);
	kpool_run_item(worker, item, item->fn);
}

/* How workers sleep between items: where frozen, a wake-up is lost. */
static unsigned int kpool_idle_state(const struct kpool *pool)
{
	return pool->made.flags & KPOOL_FREEZABLE ?
	       TASK_IDLE | TASK_FREEZABLE : TASK_IDLE;
}

/*
 * Between two items: the next to start, once we are not to freeze.  Few pools
 * have to ask, and those do so without a branch that is patched while they run.
 */
static struct kpool_item *kpool_next(struct kpool *pool)
{
	if (unlikely(pool->made.flags & KPOOL_FREEZABLE) &&
	    freezing_slow_path(current)) {
		raw_spin_unlock_irq(&pool->lock);
		__refrigerator(false);
		raw_spin_lock_irq(&pool->lock);
	}
	return kpool_too_many_awake(pool) ? NULL : kpool_take(pool);
}

/*
 * Nothing to start: sleep until somebody has work for this worker.  Returns
 * false when the worker is to leave.  The state of the task is set under the
 * lock, under which it is looked at before waking; so no wake-up is lost.
 * Litmus: sleep-vs-submit.
 */
static bool kpool_rest(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	if (unlikely(pool->nr_concerned))
		kpool_settle_some(pool);
	if (unlikely(kpool_has_work(pool)) && !kpool_too_many_awake(pool)) {
		/* let in just now, or behind many that had to be parked */
		raw_spin_unlock_irq(&pool->lock);
		raw_spin_lock_irq(&pool->lock);
		return true;
	}
	if (kpool_should_leave(pool)) {
		kpool_dismiss(pool, worker, KPOOL_RETIRED);
		return false;
	}

	worker->state = KPOOL_IDLE;
	worker->since = jiffies;
	list_add(&worker->node, &pool->idle);
	pool->nr_idle++;
	kpool_arm_purger(pool);
	while (worker->state == KPOOL_IDLE) {
		__set_current_state(kpool_idle_state(pool));
		raw_spin_unlock_irq(&pool->lock);
		schedule();
		raw_spin_lock_irq(&pool->lock);
	}
	if (worker->state != KPOOL_COMING)
		return false;
	pool->nr_coming--;
	return true;
}

/*
 * A worker sets up itself: what others set before its first run is undone.
 * Litmus: settle-vs-tune.
 */
static void kpool_settle_in(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	kpool_hook_up(worker);
	if (pool->made.flags & KPOOL_NOIO)
		memalloc_noio_save();
	mutex_lock(&pool->mutex);
	kpool_sched_apply(pool, current);
	list_add_tail(&worker->member, &pool->workers);
	mutex_unlock(&pool->mutex);
	if (pool->made.flags & KPOOL_FREEZABLE)
		set_freezable();
}

/*
 * Wait to be reaped: kthread_stop() then knows that no code of ours runs.  The
 * purger waits for this thread, and does not freeze: no more does the thread.
 * Litmus: stop-vs-await.
 */
static void kpool_await_reaper(void)
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

int kpool_worker_main(void *data)
{
	struct kpool_worker *worker = data;
	struct kpool *pool = worker->pool;
	struct kpool_item *item;
	int err;

	kpool_settle_in(worker);
	err = kpool_worker_call_init(worker);
	if (err) {
		kpool_worker_failed(worker, err);
		goto out;
	}
	kpool_task_state_save(&worker->before);
	raw_spin_lock_irq(&pool->lock);
	if (kpool_enter_worker(worker)) {
		kpool_hook_works(worker);
		do {
			while ((item = kpool_next(pool)))
				kpool_do_item(worker, item);
		} while (kpool_rest(worker));
	}
	kpool_unlock_irq(pool);
	kpool_hook_exits(worker);
	kpool_worker_call_exit(worker);
out:
	kpool_hook_ends(worker);
	kpool_worker_ended(worker);
	kpool_await_reaper();
	return 0;
}
