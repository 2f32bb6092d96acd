// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items that return an error, or die: the pool remembers the last few for
 * people, and calls its fault handler.
 *
 * The pool remembers the names of functions, not their addresses: the module
 * that they are in can be unloaded before the names are read.  A lookup takes
 * too long for interrupts to be off, so it comes before the lock is taken.
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
#include "queue.h"

static void kpool_record_error(struct kpool *pool, pid_t pid,
			       const struct kpool_fault *fault)
{
	struct kpool_error error = {
		.when	= ktime_get_boottime_ns(),
		.err	= fault->err,
		.pid	= pid,
		.died	= fault->died,
	};
	unsigned long flags;

	snprintf(error.fn, sizeof(error.fn), "%ps", fault->fn);
	raw_spin_lock_irqsave(&pool->lock, flags);
	pool->faults.errors[pool->faults.nr_errors++ % KPOOL_NR_ERRORS] = error;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
}

static void kpool_format_stack(struct kpool_stall *stall,
			       const struct kpool_stack *stack)
{
	size_t len = 0;
	unsigned int i;

	stall->stack[0] = '\0';
	for (i = 0; i < stack->nr; i++)
		len += scnprintf(stall->stack + len, sizeof(stall->stack) - len,
				 "  %pS\n", (void *)stack->entry[i]);
}

/* Called by the watch alone: nothing else changes the ring. */
void kpool_record_stall(struct kpool *pool, pid_t pid, const void *fn,
			unsigned int ran_ms, const struct kpool_stack *stack)
{
	struct kpool_stall *stall =
		&pool->wd.stalls[pool->wd.nr_stalls % KPOOL_NR_STALLS];

	raw_spin_lock_irq(&pool->lock);
	stall->when = 0;
	raw_spin_unlock_irq(&pool->lock);

	snprintf(stall->fn, sizeof(stall->fn), "%ps", fn);
	kpool_format_stack(stall, stack);
	stall->pid = pid;
	stall->ran_ms = ran_ms;

	raw_spin_lock_irq(&pool->lock);
	stall->when = ktime_get_boottime_ns();
	pool->wd.nr_stalls++;
	raw_spin_unlock_irq(&pool->lock);
}

/*
 * Report an error of an item that @task runs, or ran.  The run is not over yet,
 * so the pool and the handler's module stay.
 */
void kpool_report_error(struct kpool *pool, struct task_struct *task,
			const struct kpool_fault *fault)
{
	kpool_record_error(pool, task_pid_nr(task), fault);
	if (pool->init_attrs.fault)
		pool->init_attrs.fault(pool->init_attrs.data, fault);
}

/*
 * Workers that die in an item, because it oopsed or ended its thread; and
 * submitters that die in one that they run themselves.
 *
 * The kernel ends such a thread wherever it stands; nothing that was on its
 * stack exists any more, the item's memory may be in any state, and its locks
 * stay held.  What kpool knows is in the books: the worker, its run, those who
 * wait for it.
 *
 * Each thread carries a hook, which the kernel calls as the thread ends.  It
 * leaves word and queues the pool's dead work; should the thread die a second
 * time before its hook, the watch does.  The dead are buried there, on a living
 * thread: the fault handler is told, the waiters get -EIO, units, stream and
 * group go on, and the worker leaves the books.  Should that thread die in its
 * owner's function, the watch finds the run that it was in, and has the
 * dead_work made anew, which goes on behind that function.
 *
 * A hook cannot be taken back, so it runs at the end of every thread, perhaps
 * after kthread_stop() has returned.  That is why it has memory of its own,
 * which is freed, like this module, only after the thread has passed it.
 */

enum kpool_exit_stage {
	KPOOL_STAGE_INIT,	/* in worker_init */
	KPOOL_STAGE_RUNNING,	/* is in the books */
	KPOOL_STAGE_EXIT,	/* in worker_exit */
	KPOOL_STAGE_DONE,	/* waits to be reaped */
};

struct kpool_exit_work {
	struct callback_head	work;
	struct kpool_worker	*worker; /* until it ENDS */
	struct task_struct	*task;	/* I: referenced */
	struct list_head	node;	/* on kpool_exit_works_done, under its mutex */
	enum kpool_exit_stage	stage;	/* by the thread itself */
};

/* Of threads that have ended, or are about to without touching anything. */
static LIST_HEAD(kpool_exit_works_done);
static DEFINE_MUTEX(kpool_exit_works_mutex);

/* The hook */

/*
 * Nobody sees to the run yet: its thread is no hope for any that sleeps.  A
 * thread in several runs counts once.
 */
static void kpool_mark_dead(struct kpool *pool, struct kpool_run *run)
{
	lockdep_assert_held(&pool->lock);
	run = kpool_run_outermost(run);
	if (run->dead)
		return;
	run->dead = true;
	pool->faults.nr_dead++;
}

/* In the dying thread: once the lock has been dropped, the worker may be gone. */
static void kpool_worker_died(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	unsigned long flags;

	kpool_lockdep_run_died(worker);
	raw_spin_lock_irqsave(&pool->lock, flags);
	WRITE_ONCE(worker->died, true);
	if (worker->run.item)
		kpool_mark_dead(pool, &worker->run);
	kpool_context_queue(&pool->faults.dead_work);
	kpool_unlock(pool, flags);
}

static void kpool_exit_work_fn(struct callback_head *work)
{
	struct kpool_exit_work *exit_work = container_of(work, struct kpool_exit_work, work);

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

/* In the maker: the new thread has not run yet. */
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

void kpool_exit_work_free(struct kpool_worker *worker)
{
	kfree(worker->exit_work);
	worker->exit_work = NULL;
}

/* In the thread: a living one is never refused its hook. */
void kpool_exit_work_add(struct kpool_worker *worker)
{
	worker->exit_work->task = get_task_struct(current);
	WARN_ON_ONCE(task_work_add(current, &worker->exit_work->work, TWA_NONE));
}

void kpool_exit_work_set_running(struct kpool_worker *worker)
{
	worker->exit_work->stage = KPOOL_STAGE_RUNNING;
}

void kpool_exit_work_set_exiting(struct kpool_worker *worker)
{
	worker->exit_work->stage = KPOOL_STAGE_EXIT;
}

void kpool_exit_work_set_done(struct kpool_worker *worker)
{
	worker->exit_work->stage = KPOOL_STAGE_DONE;
}

/* Free those whose thread has passed them: is any left?  Litmus: exit-work-freed. */
static bool kpool_exit_work_free_done(void)
{
	struct kpool_exit_work *exit_work, *next;

	lockdep_assert_held(&kpool_exit_works_mutex);
	list_for_each_entry_safe(exit_work, next, &kpool_exit_works_done, node) {
		/* set once, after the last hook has returned; racy read */
		if (!data_race(READ_ONCE(exit_work->task->exit_state)))
			continue;
		list_del(&exit_work->node);
		put_task_struct(exit_work->task);
		kfree(exit_work);
	}
	return !list_empty(&kpool_exit_works_done);
}

/* The thread needs no watching any more; the hook is freed in its time. */
void kpool_exit_work_put(struct kpool_exit_work *exit_work)
{
	mutex_lock(&kpool_exit_works_mutex);
	list_add(&exit_work->node, &kpool_exit_works_done);
	kpool_exit_work_free_done();
	mutex_unlock(&kpool_exit_works_mutex);
}

/* No thread is left that could come to our code: the module may go. */
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

/* The burial */

static bool kpool_has_ended(struct task_struct *task)
{
	/* pairs with exit_notify(); racy read: once set, it stays */
	return data_race(smp_load_acquire(&task->exit_state));
}

/*
 * Once true it stays so: a dead worker changes nothing.  Litmus: died-seen,
 * gone-not-dead.
 */
static bool kpool_is_dead(const struct kpool_worker *worker)
{
	/* pairs with the barriers of task_work_run() around the hook */
	bool ended = smp_load_acquire(&worker->died);

	/* that alone, if it died before its hook */
	if (!ended)
		ended = kpool_has_ended(worker->task);
	/* the last it had: while it lives, it may yet leave in good order */
	return ended && worker->state == KPOOL_WORKER_RUNNING;
}

/* Take a dead worker from the list of members: it is ours then. */
static struct kpool_worker *kpool_find_dead_worker(struct kpool *pool)
{
	struct kpool_worker *worker, *dead = NULL;

	mutex_lock(&pool->mutex);
	list_for_each_entry(worker, &pool->mgr.workers, member) {
		if (kpool_is_dead(worker)) {
			dead = worker;
			list_del_init(&dead->member);
			break;
		}
	}
	mutex_unlock(&pool->mutex);
	return dead;
}

/* So many flushers of a pool are told of a death under one hold of the lock. */
#define KPOOL_FAIL_BATCH	64

/*
 * Returns with pool->lock held, so that no later one is missed.
 *
 * The flushers of the pool that wait for the dead item: until it is taken out of
 * the books they stay, and only later ones come.
 */
static void kpool_fail_flushers(struct kpool *pool, u32 epoch)
{
	struct kpool_waiter *waiter;
	int i;

	do {
		raw_spin_lock_irq(&pool->lock);
		waiter = kpool_flusher_of(pool, epoch);
		for (i = 0; waiter && i < KPOOL_FAIL_BATCH; i++) {
			struct rb_node *next = rb_next(&waiter->by_epoch);

			waiter->failed = true;
			epoch = waiter->epoch + 1;
			waiter = next ? rb_entry(next, struct kpool_waiter,
						 by_epoch) : NULL;
		}
		if (waiter)
			raw_spin_unlock_irq(&pool->lock);
	} while (waiter);
}

/* Those that wait for more than the dead item are told that it did not end. */
static void kpool_fail_waiters(struct kpool *pool, struct kpool_group *group)
{
	list_splice_tail_init(&pool->waiters.drain, &pool->waiters.failed_drain);
	kpool_group_fail_waiters(group);
}

/* The caller, a living thread, is in the run of a dead one from now on. */
static void kpool_take_over_run(struct kpool *pool, struct kpool_run *run)
{
	if (run->dead)
		pool->faults.nr_dead--;
	run->dead = true;
	pool->faults.reaping = run;
	kpool_ext_run_enter(pool, run);
}

/*
 * Is that function of the owner's still to be called for the run?  One that has
 * killed a thread is not given another.
 */
static bool kpool_may_notify(struct kpool_run *run, enum kpool_notified whom)
{
	if (run->notified >= whom)
		return false;
	run->notified = whom;
	return true;
}

/* In the run of a dead worker. */
static void kpool_bury_worker(struct kpool *pool, struct kpool_worker *worker)
{
	struct task_struct *task = worker->task;
	struct kpool_exit_work *exit_work = worker->exit_work;
	struct kpool_run *run = &worker->run;
	bool suspended;

	if (kpool_may_notify(run, KPOOL_NOTIFIED_HANDLER))
		kpool_report_error(pool, task, &(struct kpool_fault) {
			.fn	= worker->run.fn,
			.item	= worker->run.item,
			.err	= -EIO,
			.died	= true,
			.state	= worker->data,
		});
	if (kpool_may_notify(run, KPOOL_NOTIFIED_CALL) && worker->run.call)
		kpool_call_died(worker->run.call);

	kpool_fail_flushers(pool, run->epoch);
	kpool_fail_waiters(pool, run->group);
	kpool_ext_run_leave(pool, run);
	pool->faults.reaping = NULL;
	suspended = kpool_worker_remove_dead(worker);
	kpool_unlock_irq(pool);

	if (suspended)
		pr_warn("%s: the last worker has died: without memory, no progress until a thread can be made\n",
			pool->name);
	kpool_exit_work_put(exit_work);
	put_task_struct(task);
}

/* The dead touch nothing: what they had is read without their knowledge. */
static void kpool_reap_dead_worker(struct kpool *pool, struct kpool_worker *worker)
{
	struct task_struct *task = worker->task;
	struct kpool_run *run = &worker->run;

	pr_err("%s: worker %d has died in %ps\n", pool->name,
	       task_pid_nr(task), READ_ONCE(worker->run.fn));
	/* the run goes on here: what waits for it from here waits for itself */
	raw_spin_lock_irq(&pool->lock);
	kpool_run_clear_outer(pool, run, task);
	kpool_take_over_run(pool, run);
	/* it died in the handler, which the item's error was reported to */
	if (worker->in_fault_handler)
		run->notified = KPOOL_NOTIFIED_HANDLER;
	raw_spin_unlock_irq(&pool->lock);
	kpool_bury_worker(pool, worker);
}

/* Submitters that died in an item that they ran themselves */

/* So many threads in external runs are looked at under one hold of the lock. */
#define KPOOL_FIND_BATCH	64

/* Mark the runs whose thread has ended: one of them, or NULL. */
static struct kpool_run *kpool_find_dead_run(struct kpool *pool)
{
	struct kpool_run *run, *found = NULL;
	struct task_struct *task = NULL;
	int i;

	do {
		raw_spin_lock_irq(&pool->lock);
		for (i = 0; i < KPOOL_FIND_BATCH; i++) {
			run = kpool_ext_run_after(pool, task);
			if (!run)
				break;
			task = run->task;
			if (kpool_has_ended(run->task_ref)) {
				kpool_mark_dead(pool, run);
				found = run;
			}
		}
		kpool_unlock_irq(pool);
	} while (run);
	return found;
}

/* The dead thread's run goes on here.  Its task stays until we have done. */
static struct task_struct *kpool_take_over_ext_run(struct kpool *pool,
						   struct kpool_run *run)
{
	struct task_struct *task = get_task_struct(run->task_ref);

	raw_spin_lock_irq(&pool->lock);
	kpool_ext_run_leave(pool, run);
	kpool_take_over_run(pool, run);
	raw_spin_unlock_irq(&pool->lock);
	return task;
}

static void kpool_reap_dead_caller(struct kpool *pool, struct kpool_run *run,
				   struct task_struct *task)
{
	struct kpool_call *call = run->call;

	if (kpool_may_notify(run, KPOOL_NOTIFIED_HANDLER)) {
		pr_err("%s: thread %d has died in %ps, which it ran itself\n",
		       pool->name, task_pid_nr(task), run->fn);
		kpool_report_error(pool, task, &(struct kpool_fault) {
			.fn	= run->fn,
			.item	= run->item,
			.err	= -EIO,
			.died	= true,
		});
	}
	if (kpool_may_notify(run, KPOOL_NOTIFIED_CALL) && call)
		kpool_call_abandon(call);

	kpool_fail_flushers(pool, run->epoch);
	kpool_fail_waiters(pool, run->group);
	pool->faults.reaping = NULL;
	kpool_caller_run_end(pool, run, -EIO);
	kpool_unlock_irq(pool);

	if (call)
		kpool_put(pool);
}

/* The item has been dropped, though its owner has not quite been told. */
static void kpool_reap_dead_drop(struct kpool *pool, struct kpool_run *run,
				 struct task_struct *task)
{
	bool aborter = run->kind == KPOOL_RUN_ABORT;

	pr_err("%s: thread %d has died in %ps, a dropped function\n",
	       pool->name, task_pid_nr(task), run->fn);
	raw_spin_lock_irq(&pool->lock);
	pool->faults.reaping = NULL;
	pool->drops.nr_aborters -= aborter;
	if (!aborter)
		pool->drops.active = false;
	if (run->kind == KPOOL_RUN_ROOM)
		kpool_room_end(pool, run);
	else
		kpool_drop_end(pool, run);
	kpool_unlock_irq(pool);
	/* what it would have dropped next is left */
	kpool_replace_drop_work(pool, !aborter);
}

/* A run that a worker's thread, or no worker's, has died in. */
static void kpool_bury_ext_run(struct kpool *pool, struct kpool_run *run)
{
	struct task_struct *task = kpool_take_over_ext_run(pool, run);

	if (run->notified)
		pr_err("%s: thread %d has died in a function that was told of a death\n",
		       pool->name, task_pid_nr(task));
	if (run->worker)
		kpool_bury_worker(pool, run->worker);
	else if (run->kind == KPOOL_RUN_CALLER)
		kpool_reap_dead_caller(pool, run, task);
	else
		kpool_reap_dead_drop(pool, run, task);
	put_task_struct(task);
}

/* In the pool's dead work alone. */
void kpool_reap_dead(struct kpool *pool)
{
	struct kpool_worker *worker;
	struct kpool_run *run;

	while ((worker = kpool_find_dead_worker(pool)))
		kpool_reap_dead_worker(pool, worker);
	while ((run = kpool_find_dead_run(pool)))
		kpool_bury_ext_run(pool, run);
}

/* The watch */

/* Mark the workers that have ended in an item: are there any? */
static bool kpool_find_dead_workers(struct kpool *pool)
{
	struct kpool_worker *worker;
	bool found = false;

	mutex_lock(&pool->mutex);
	list_for_each_entry(worker, &pool->mgr.workers, member) {
		if (!kpool_is_dead(worker))
			continue;
		found = true;
		raw_spin_lock_irq(&pool->lock);
		kpool_mark_dead(pool, &worker->run);
		kpool_unlock_irq(pool);
	}
	mutex_unlock(&pool->mutex);
	return found;
}

/* Has the dead work's thread died in a run that it buried? */
static bool kpool_is_reaper_lost(struct kpool *pool)
{
	struct kpool_run *run;
	bool lost;

	raw_spin_lock_irq(&pool->lock);
	run = pool->faults.reaping;
	if (run && kpool_has_ended(run->task_ref)) {
		pool->faults.reaper_lost = true;
		pool->faults.reaping = NULL;
		run->dead = false;
		kpool_mark_dead(pool, run);
	}
	lost = pool->faults.reaper_lost;
	kpool_unlock_irq(pool);
	return lost;
}

/* Have those buried that have ended, perhaps without their hook. */
void kpool_look_for_dead(struct kpool *pool)
{
	bool lost = kpool_is_reaper_lost(pool);
	bool found = kpool_find_dead_workers(pool);

	found |= !!kpool_find_dead_run(pool);
	/* that takes memory, which this work must not wait for */
	if (lost)
		mod_delayed_work(kpool_spawn_wq, &pool->mgr.spawn_work, 0);
	else if (found)
		kpool_context_queue(&pool->faults.dead_work);
}

/* In the spawn work.  Without memory, the watch has it tried again. */
void kpool_replace_reaper(struct kpool *pool)
{
	bool lost;

	raw_spin_lock_irq(&pool->lock);
	lost = pool->faults.reaper_lost;
	pool->faults.reaper_lost = false;
	raw_spin_unlock_irq(&pool->lock);
	if (!lost || !kpool_context_replace(&pool->faults.dead_work))
		return;
	raw_spin_lock_irq(&pool->lock);
	pool->faults.reaper_lost = true;
	raw_spin_unlock_irq(&pool->lock);
}
