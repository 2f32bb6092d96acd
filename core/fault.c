// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failed items and dead threads: record errors for debugfs, call the fault
 * handler, and reap threads that died in a run.
 *
 * Functions are recorded by name and not by address, because their module can
 * be unloaded before the name is read.  The lookup takes too long with
 * interrupts off, so it is done before pool->lock is taken.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "debug.h"
#include "internal.h"
#include "lock.h"
#include "trace.h"

/* Record an error of an item in the ring of the pool, if there is memory. */
static void kpool_record_error(struct kpool *pool, pid_t pid,
			       const struct kpool_fault *fault)
{
	struct kpool_error error = {
		.when	= ktime_get_boottime_ns(),
		.err	= fault->err,
		.pid	= pid,
		.died	= fault->died,
	};
	struct kpool_errors *spare = NULL, *errors;
	unsigned long flags;

	snprintf(error.fn, sizeof(error.fn), "%ps", fault->fn);
	/* no wait for memory, which can depend on this pool */
	if (!READ_ONCE(pool->faults.errors))
		spare = kzalloc_obj(*spare, GFP_NOWAIT | __GFP_NOWARN);
	kpool_lock(pool, &flags);
	if (!pool->faults.errors) {
		WRITE_ONCE(pool->faults.errors, spare);
		spare = NULL;
	}
	errors = pool->faults.errors;
	if (errors)
		errors->ring[errors->nr++ % KPOOL_NR_ERRORS] = error;
	kpool_unlock(pool, flags);
	kfree(spare);
}

/*
 * Report that the item of @run has failed in @task, or that @task has died in
 * it.  The run has not ended, so the pool and the module of the fault handler
 * stay.
 */
void kpool_report_error(struct kpool *pool, struct kpool_run *run,
			struct task_struct *task, int err)
{
	const struct kpool_fault fault = {
		.fn	= READ_ONCE(run->fn),
		.item	= READ_ONCE(run->item),
		.err	= err,
		.died	= run->dead,
		.data	= run->worker ? run->worker->data : NULL,
	};

	/* if this thread dies in the handler, do not call it again */
	run->notified = KPOOL_NOTIFIED_HANDLER;
	kpool_record_error(pool, task_pid_nr(task), &fault);
	if (pool->init_attrs.fault)
		pool->init_attrs.fault(pool->init_attrs.data, &fault);
}

/*
 * Exit work: notice that a thread dies in an item
 *
 * A thread dies in an item that oopses or ends its thread.  Its stack is gone,
 * its locks stay held, and the item's memory is in an unknown state.  Only the
 * worker, its run and the waiters on them are left.
 *
 * Every worker registers a task_work callback, the exit work, which runs in
 * do_exit().  The callback sets worker->died and queues dead_work of the pool.
 * If the thread oopses again before that, the watchdog notices
 * task->exit_state.  Callers that run an item themselves have no exit work; the
 * watchdog finds them.
 *
 * dead_work reaps the run in process context.  It calls the fault handler,
 * completes the waiters with -EIO and releases units, stream and group.  Then
 * it removes the worker from the pool.  If its own thread dies in one of the
 * client's functions, the watchdog has dead_work replaced, which skips that
 * function.
 *
 * The exit work is never cancelled, so it runs in every worker, possibly after
 * kthread_stop() has returned.  Therefore it has memory of its own, which is
 * freed once task->exit_state is set.  Module exit waits for the last one.
 */

/* Exit works to be freed once they have run, protected by the mutex. */
static LIST_HEAD(kpool_exit_works_done);
static DEFINE_MUTEX(kpool_exit_works_mutex);

/*
 * Let the wait of a call fail again: its function has died, so it no longer
 * uses the caller's stack.  A fault handler can wait, directly or through
 * others, for a run that only its own thread reaps.  The wait becomes the last
 * to be chosen in a deadlock of the pool.
 */
static void kpool_let_caller_fail(struct kpool *pool, struct kpool_run *run)
{
	struct kpool_waiter *first =
		list_first_entry_or_null(&run->waiters, struct kpool_waiter,
					 node);

	if (first && first->kind == KPOOL_WAITER_CALL &&
	    !list_empty(&first->pool_node))
		list_move(&first->pool_node, &pool->waiters.self);
}

/*
 * Count the thread of @run as dead until it is reaped, once if it is in
 * several runs; @run is the innermost.  See kpool_has_active_run().  Called
 * with pool->lock held.
 */
static void kpool_mark_dead(struct kpool *pool, struct kpool_run *run)
{
	struct kpool_run *outermost = kpool_run_outermost(run);

	lockdep_assert_held(&pool->lock);
	if (outermost->dead)
		return;
	outermost->dead = true;
	pool->faults.nr_dead++;
	kpool_let_caller_fail(pool, outermost);
	trace_die(pool, run);
}

/*
 * Queue dead_work for a worker that dies in an item.  Runs in the dying thread;
 * @worker can be freed as soon as pool->lock is dropped.
 */
static void kpool_worker_died(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	unsigned long flags;

	kpool_lockdep_run_died(worker);
	kpool_lock(pool, &flags);
	WRITE_ONCE(worker->died, true);
	WRITE_ONCE(worker->since, jiffies);
	if (worker->run.item)
		kpool_mark_dead(pool, kpool_innermost_run(worker));
	kpool_context_queue(&pool->faults.dead_work);
	kpool_unlock(pool, flags);
}

/* Handle the end of a worker's thread.  Runs in that thread. */
static void kpool_exit_work_fn(struct callback_head *work)
{
	struct kpool_exit_work *exit_work =
		container_of(work, struct kpool_exit_work, work);

	/* kpool_sched_apply() can be waiting for this, holding pool->mutex */
	while (kpool_is_migration_disabled())
		migrate_enable();
	switch (exit_work->stage) {
	case KPOOL_STAGE_INIT:
		kpool_worker_init_end(exit_work->worker);
		kpool_worker_failed(exit_work->worker, -EIO);
		fallthrough;
	case KPOOL_STAGE_EXIT:
		kpool_worker_exited(exit_work->worker);
		break;
	case KPOOL_STAGE_RUNNING:
		kpool_worker_died(exit_work->worker);
		break;
	case KPOOL_STAGE_DONE:
		break;
	}
}

/* Allocate the exit work of a worker without a thread.  Return 0 or -ENOMEM. */
int kpool_exit_work_alloc(struct kpool_worker *worker)
{
	struct kpool_exit_work *exit_work = kzalloc_obj(*exit_work, GFP_KERNEL);

	if (!exit_work)
		return -ENOMEM;
	init_task_work(&exit_work->work, kpool_exit_work_fn);
	exit_work->worker = worker;
	worker->exit_work = exit_work;
	return 0;
}

/*
 * Free the exit works that have run.  Return true if any is left.  Litmus:
 * exit-work-freed.
 */
static bool kpool_exit_work_free_done(void)
{
	struct kpool_exit_work *exit_work, *next;

	lockdep_assert_held(&kpool_exit_works_mutex);
	list_for_each_entry_safe(exit_work, next, &kpool_exit_works_done,
				 node) {
		/* set once, after the last task_work has returned; racy read */
		if (!data_race(READ_ONCE(exit_work->task->exit_state)))
			continue;
		list_del(&exit_work->node);
		put_task_struct(exit_work->task);
		kfree(exit_work);
	}
	return !list_empty(&kpool_exit_works_done);
}

/* Have an exit work freed after it has run. */
void kpool_exit_work_put(struct kpool_exit_work *exit_work)
{
	mutex_lock(&kpool_exit_works_mutex);
	list_add(&exit_work->node, &kpool_exit_works_done);
	kpool_exit_work_free_done();
	mutex_unlock(&kpool_exit_works_mutex);
}

/* Wait until all exit works have run.  Called at module exit. */
void kpool_exit_work_wait_all(void)
{
	bool more;

	do {
		mutex_lock(&kpool_exit_works_mutex);
		more = kpool_exit_work_free_done();
		mutex_unlock(&kpool_exit_works_mutex);
		if (more)
			schedule_timeout_idle(1);
	} while (more);
}

/* Reap workers that died in an item */

static bool kpool_has_ended(struct task_struct *task)
{
	/* pairs with exit_notify(); racy read: never cleared once set */
	return data_race(smp_load_acquire(&task->exit_state));
}

/*
 * Return true if the worker died in an item, and is not being reaped.  Only
 * dead_work changes the result back, as a dead worker changes no field.
 * Litmus: died-seen, gone-not-dead.
 */
static bool kpool_is_dead(const struct kpool_worker *worker)
{
	/* pairs with the barriers of task_work_run() around the exit work */
	bool ended = smp_load_acquire(&worker->died);

	/* the thread can die before its exit work runs */
	if (!ended)
		ended = kpool_has_ended(worker->task);
	/* the state is final; that of a living thread could still change */
	return ended && worker->state == KPOOL_WORKER_RUNNING;
}

/* Return a worker that died in an item, or NULL. */
static struct kpool_worker *kpool_find_dead_worker(struct kpool *pool)
{
	struct kpool_worker *worker, *dead = NULL;

	mutex_lock(&pool->mutex);
	list_for_each_entry(worker, &pool->mgr.workers, member) {
		if (kpool_is_dead(worker)) {
			dead = worker;
			break;
		}
	}
	mutex_unlock(&pool->mutex);
	return dead;
}

/* Flushers to mark as failed under one hold of pool->lock. */
#define KPOOL_FAIL_BATCH	KPOOL_BATCH(64)

/*
 * Take pool->lock, and mark the flushers that wait for the dead item as failed.
 * Return with the lock held, so that none is missed before the run ends.
 * Flushers cannot complete while the item is outstanding, and new ones get a
 * later epoch.
 */
static void kpool_lock_and_fail_flushers(struct kpool *pool, u32 epoch)
{
	struct kpool_waiter *waiter;
	int i;

	do {
		kpool_lock_irq(pool);
		waiter = kpool_flusher_of(pool, epoch);
		for (i = 0; waiter && i < KPOOL_FAIL_BATCH; i++) {
			struct rb_node *next = rb_next(&waiter->by_epoch);

			waiter->failed = true;
			epoch = waiter->epoch + 1;
			waiter = next ? rb_entry(next, struct kpool_waiter,
						 by_epoch) : NULL;
		}
		if (waiter)
			kpool_unlock_irq(pool);
	} while (waiter);
}

/*
 * Have drain waiters, and waiters of the group and its parents, complete with
 * -EIO.  Called with pool->lock held.
 */
static void kpool_fail_waiters(struct kpool *pool, struct kpool_group *group)
{
	lockdep_assert_held(&pool->lock);
	/* pairs with kpool_multi_deaths() */
	WRITE_ONCE(pool->faults.nr_deaths, pool->faults.nr_deaths + 1);
	list_splice_tail_init(&pool->waiters.drain,
			      &pool->waiters.failed_drain);
	for (; group; group = group->parent)
		list_splice_tail_init(&group->waiters, &group->failed_waiters);
}

/*
 * Enter the run of a dead thread, so that a wait for the run from inside a
 * client's function is refused.  Called with pool->lock held.
 */
static void kpool_take_over_run(struct kpool *pool, struct kpool_run *run)
{
	lockdep_assert_held(&pool->lock);
	if (run->dead)
		pool->faults.nr_dead--;
	run->dead = true;
	pool->faults.reaping = run;
	kpool_ext_run_enter(pool, run);
}

/*
 * Return true if that function of the owner is still to be called for the run,
 * and mark it as called.  A function that has killed a thread is not called
 * again.
 */
static bool kpool_begin_notify(struct kpool_run *run,
			       enum kpool_notified function)
{
	if (run->notified >= function)
		return false;
	run->notified = function;
	return true;
}

/*
 * Notify the owner of a dead worker, and end its run.  Called inside that run.
 */
static void kpool_finish_dead_worker(struct kpool *pool,
				     struct kpool_worker *worker)
{
	struct task_struct *task = worker->task;
	struct kpool_exit_work *exit_work = worker->exit_work;
	struct kpool_run *run = &worker->run;
	bool reclaim_broken;

	if (kpool_begin_notify(run, KPOOL_NOTIFIED_HANDLER))
		kpool_report_error(pool, run, task, -EIO);
	if (kpool_begin_notify(run, KPOOL_NOTIFIED_CALL) && run->call)
		kpool_call_died(run);
	/* an earlier thread of dead_work has died in its release function */
	if (run->call)
		kpool_call_end_abandoned(run, false);

	/* before its memory can be used for another worker */
	mutex_lock(&pool->mutex);
	list_del_init(&worker->member);
	kpool_lock_and_fail_flushers(pool, run->epoch);
	kpool_fail_waiters(pool, run->group);
	kpool_ext_run_leave(pool, run);
	pool->faults.reaping = NULL;
	reclaim_broken = kpool_worker_remove_dead(worker);
	/* locked by kpool_lock_and_fail_flushers() */
	kpool_unlock_irq(pool);
	mutex_unlock(&pool->mutex);

	if (reclaim_broken)
		pr_warn("%s: last worker died, no forward progress guarantee until a worker can be created\n",
			pool->name);
	kpool_exit_work_put(exit_work);
	put_task_struct(task);
}

/*
 * Reap a worker that died in an item.  Its thread has ended, so its private (S)
 * fields can be read without synchronization.
 */
static void kpool_reap_dead_worker(struct kpool *pool,
				   struct kpool_worker *worker)
{
	pr_err("%s: worker %d died in %ps\n", pool->name,
	       task_pid_nr(worker->task), READ_ONCE(worker->run.fn));
	/* for kpool_is_dead() in the watchdog */
	mutex_lock(&pool->mutex);
	kpool_lock_irq(pool);
	worker->state = KPOOL_WORKER_DEAD;
	if (!worker->died)
		worker->since = jiffies;
	/* the watchdog has not, if another death led here first */
	kpool_mark_dead(pool, &worker->run);
	kpool_take_over_run(pool, &worker->run);
	kpool_unlock_irq(pool);
	mutex_unlock(&pool->mutex);
	kpool_finish_dead_worker(pool, worker);
}

/* Reap threads that died in an external run */

/* Threads in external runs to check under one hold of pool->lock. */
#define KPOOL_FIND_BATCH	KPOOL_BATCH(64)

/*
 * Return true if the thread of an external run has died.  A worker sets ->died
 * before it has ended.  The run of a worker that dead_work reaps is in
 * runs.by_task too, for dead_work's thread.
 */
static bool kpool_ext_run_is_dead(struct kpool_run *run)
{
	const struct kpool_worker *worker = kpool_run_outermost(run)->worker;

	return kpool_has_ended(run->task_ref) ||
	       (worker && worker->task == run->task && READ_ONCE(worker->died));
}

/*
 * Return true if the thread that is in the external run is known to have died.
 * A run that is being reaped is dead, but dead_work's thread is in it.  Called
 * with pool->lock held.
 */
bool kpool_thread_is_dead(const struct kpool *pool, struct kpool_run *run)
{
	lockdep_assert_held(&pool->lock);
	run = kpool_run_outermost(run);
	return run->dead && run != pool->faults.reaping;
}

/*
 * Mark external runs whose thread has died.  Return one of them, or NULL: that
 * of the drop work last, because to reap it takes memory.
 */
static struct kpool_run *kpool_find_dead_run(struct kpool *pool)
{
	struct kpool_run *run, *found = NULL;
	struct task_struct *task = NULL;
	int i;

	do {
		kpool_lock_irq(pool);
		for (i = 0; i < KPOOL_FIND_BATCH; i++) {
			run = kpool_ext_run_after(pool, task);
			if (!run)
				break;
			task = run->task;
			if (!kpool_ext_run_is_dead(run))
				continue;
			kpool_mark_dead(pool, run);
			if (!found || found == &pool->runs.drop)
				found = run;
		}
		kpool_unlock_irq(pool);
	} while (run);
	return found;
}

/* Enter the external run of a dead thread.  Return its task, referenced. */
static struct task_struct *kpool_take_over_ext_run(struct kpool *pool,
						   struct kpool_run *run)
{
	struct task_struct *task = get_task_struct(run->task_ref);

	kpool_lock_irq(pool);
	kpool_ext_run_leave(pool, run);
	kpool_take_over_run(pool, run);
	kpool_unlock_irq(pool);
	return task;
}

/*
 * Reap a submitter that died in an item it ran itself.  Called inside the run.
 */
static void kpool_reap_dead_caller(struct kpool *pool, struct kpool_run *run,
				   struct task_struct *task)
{
	bool is_call = run->call;

	pr_err("%s: thread %d died in %ps, a caller-run item\n",
	       pool->name, task_pid_nr(task), run->fn);
	if (kpool_begin_notify(run, KPOOL_NOTIFIED_HANDLER))
		kpool_report_error(pool, run, task, -EIO);
	if (is_call)
		kpool_call_end_abandoned(run, kpool_begin_notify(run,
								 KPOOL_NOTIFIED_CALL));

	kpool_lock_and_fail_flushers(pool, run->epoch);
	kpool_fail_waiters(pool, run->group);
	pool->faults.reaping = NULL;
	kpool_caller_run_end(pool, run, -EIO);
	/* locked by kpool_lock_and_fail_flushers() */
	kpool_unlock_irq(pool);

	if (is_call)
		kpool_put(pool);
}

/* Reap a caller that died in the release function of its call. */
static void kpool_reap_dead_release(struct kpool *pool, struct kpool_run *run)
{
	struct kpool_call *call = run->call;

	kpool_lock_irq(pool);
	pool->faults.reaping = NULL;
	kpool_ext_run_end_callback(pool, run);
	kpool_call_leave(call);
	kpool_unlock_irq(pool);
	kfree(call);
	kpool_put(pool);
}

/*
 * Reap a thread that died in a drop or room function.  The item counts as
 * dropped.
 */
static void kpool_reap_dead_drop(struct kpool *pool, struct kpool_run *run)
{
	kpool_lock_irq(pool);
	pool->faults.reaping = NULL;
	kpool_drop_died(pool, run);
	kpool_unlock_irq(pool);
	/* the dead thread had more items to drop */
	kpool_context_queue(&pool->drops.work);
}

/* Reap a thread that died in a drop, room or release function. */
static void kpool_reap_dead_callback(struct kpool *pool, struct kpool_run *run,
				     struct task_struct *task)
{
	static const char * const names[] = {
		[KPOOL_RUN_DROP]	= "drop",
		[KPOOL_RUN_ABORT]	= "drop",
		[KPOOL_RUN_ROOM]	= "room",
		[KPOOL_RUN_RELEASE]	= "release",
	};

	pr_err("%s: thread %d died in %ps, a %s function\n",
	       pool->name, task_pid_nr(task), run->fn, names[run->kind]);
	if (run->kind == KPOOL_RUN_RELEASE)
		kpool_reap_dead_release(pool, run);
	else
		kpool_reap_dead_drop(pool, run);
}

/*
 * Reap an external run.  It is the run of a worker if an earlier dead_work died
 * while it reaped that worker.  Replace the drop work first: once the item has
 * ended, its pool can be destroyed, which flushes that work.  Return false if
 * there is no memory for that; the watchdog retries.
 */
static bool kpool_reap_dead_ext_run(struct kpool *pool, struct kpool_run *run)
{
	struct task_struct *task;

	if (run == &pool->runs.drop && kpool_context_replace(&pool->drops.work))
		return false;
	task = kpool_take_over_ext_run(pool, run);
	if (run->notified)
		pr_err("%s: thread %d died in a fault handler or release function\n",
		       pool->name, task_pid_nr(task));
	if (run->worker)
		kpool_finish_dead_worker(pool, run->worker);
	else if (run->kind == KPOOL_RUN_CALLER)
		kpool_reap_dead_caller(pool, run, task);
	else
		kpool_reap_dead_callback(pool, run, task);
	put_task_struct(task);
	return true;
}

/*
 * Reap all dead threads of the pool.  A worker can have died in an external
 * run, nested in its own: end that first.  Called by dead_work only.
 */
void kpool_reap_dead(struct kpool *pool)
{
	struct kpool_worker *worker;
	struct kpool_run *run;

	do {
		worker = kpool_find_dead_worker(pool);
		while ((run = kpool_find_dead_run(pool)) &&
		       run != &pool->runs.drop)
			kpool_reap_dead_ext_run(pool, run);
		if (worker)
			kpool_reap_dead_worker(pool, worker);
		else if (run && !kpool_reap_dead_ext_run(pool, run))
			return;
	} while (worker || run);
}

/* Find dead threads from the watchdog */

/* Mark the workers that died in an item.  Return true if there are any. */
static bool kpool_mark_dead_workers(struct kpool *pool)
{
	struct kpool_worker *worker;
	bool found = false;

	mutex_lock(&pool->mutex);
	list_for_each_entry(worker, &pool->mgr.workers, member) {
		if (!kpool_is_dead(worker))
			continue;
		found = true;
		kpool_lock_irq(pool);
		kpool_mark_dead(pool, kpool_innermost_run(worker));
		kpool_unlock_irq(pool);
	}
	mutex_unlock(&pool->mutex);
	return found;
}

/*
 * Note if the thread of dead_work died while it reaped a run.  Return true if
 * dead_work has to be replaced.
 */
static bool kpool_note_dead_work_lost(struct kpool *pool)
{
	struct kpool_run *run;
	bool lost;

	kpool_lock_irq(pool);
	run = pool->faults.reaping;
	if (run && kpool_has_ended(run->task_ref)) {
		pool->faults.dead_work_lost = true;
		pool->faults.reaping = NULL;
		/* dead, and not being reaped now */
		pool->faults.nr_dead++;
	}
	lost = pool->faults.dead_work_lost;
	kpool_unlock_irq(pool);
	return lost;
}

/*
 * Queue dead_work if a thread died without its exit work.  A worker does so
 * only after an oops: until there is one, the workers are not looked at.
 * Called by the watchdog.
 */
void kpool_look_for_dead(struct kpool *pool)
{
	bool lost = kpool_note_dead_work_lost(pool);
	bool found = kpool_can_have_oopsed() && kpool_mark_dead_workers(pool);

	found |= !!kpool_find_dead_run(pool);
	/* a new dead_work takes memory, which the watchdog must not wait for */
	if (lost)
		mod_delayed_work(kpool_spawn_wq, &pool->mgr.spawn_work, 0);
	else if (found)
		kpool_context_queue(&pool->faults.dead_work);
}

/*
 * Replace a dead_work whose thread died.  Called by spawn_work; without memory,
 * the watchdog retries.  A thread that dies queues the work that it finds in
 * one hold of the lock: either it finds the new one, or that finds it dead.
 * Litmus: lock-either.
 */
void kpool_replace_dead_work(struct kpool *pool)
{
	bool lost, failed;

	kpool_lock_irq(pool);
	lost = pool->faults.dead_work_lost;
	pool->faults.dead_work_lost = false;
	kpool_unlock_irq(pool);
	if (!lost)
		return;
	failed = kpool_context_replace(&pool->faults.dead_work);
	kpool_lock_irq(pool);
	pool->faults.dead_work_lost |= failed;
	kpool_unlock_irq(pool);
	if (!failed)
		kpool_context_queue(&pool->faults.dead_work);
}
