// SPDX-License-Identifier: GPL-2.0-only
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
 * leaves word and queues the pool's dead_reaper; should the thread die a second
 * time before its hook, the watch does.  The dead are buried there, on a living
 * thread: the fault handler is told, the waiters get -EIO, units, stream and
 * group go on, and the worker leaves the books.  Should that thread die in its
 * owner's function, the watch finds the run that it was in, and has the
 * dead_reaper made anew, which goes on behind that function.
 *
 * A hook cannot be taken back, so it runs at the end of every thread, perhaps
 * after kthread_stop() has returned.  That is why it has memory of its own,
 * which is freed, like this module, only after the thread has passed it.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "annotate.h"
#include "internal.h"
#include "pending.h"

enum kpool_stage {
	KPOOL_STARTS,		/* in worker_init */
	KPOOL_WORKS,		/* is in the books */
	KPOOL_EXITS,		/* in worker_exit */
	KPOOL_ENDS,		/* waits to be reaped */
};

struct kpool_hook {
	struct callback_head	work;
	struct kpool_worker	*worker; /* until it ENDS */
	struct task_struct	*task;	/* I: referenced */
	struct list_head	node;	/* on kpool_unhooked, under its mutex */
	enum kpool_stage	stage;	/* by the thread itself */
};

/* Of threads that have ended, or are about to without touching anything. */
static LIST_HEAD(kpool_unhooked);
static DEFINE_MUTEX(kpool_unhooked_mutex);

/* The hook */

/*
 * Nobody sees to the run yet: its thread is no hope for any that sleeps.  A
 * thread in several runs counts once.
 */
static void kpool_mark_dead(struct kpool *pool, struct kpool_run *run)
{
	lockdep_assert_held(&pool->lock);
	run = kpool_outermost(run);
	if (run->dead)
		return;
	run->dead = true;
	pool->nr_dead_runs++;
}

/* In the dying thread: once the lock has been dropped, the worker may be gone. */
static void kpool_leave_word(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	unsigned long flags;

	kpool_map_died(worker);
	raw_spin_lock_irqsave(&pool->lock, flags);
	WRITE_ONCE(worker->died, true);
	if (worker->run.item)
		kpool_mark_dead(pool, &worker->run);
	kpool_context_queue(&pool->dead_reaper);
	kpool_unlock(pool, flags);
}

static void kpool_thread_ends(struct callback_head *work)
{
	struct kpool_hook *hook = container_of(work, struct kpool_hook, work);

	switch (hook->stage) {
	case KPOOL_STARTS:
		kpool_worker_init_end(hook->worker);
		kpool_worker_failed(hook->worker, -EIO);
		fallthrough;
	case KPOOL_EXITS:
		kpool_worker_ended(hook->worker);
		break;
	case KPOOL_WORKS:
		kpool_leave_word(hook->worker);
		break;
	case KPOOL_ENDS:
		break;
	}
}

/* In the maker: the new thread has not run yet. */
int kpool_make_hook(struct kpool_worker *worker)
{
	struct kpool_hook *hook = kzalloc_obj(*hook, GFP_KERNEL);

	if (!hook)
		return -ENOMEM;
	init_task_work(&hook->work, kpool_thread_ends);
	hook->worker = worker;
	worker->hook = hook;
	return 0;
}

void kpool_free_hook(struct kpool_worker *worker)
{
	kfree(worker->hook);
	worker->hook = NULL;
}

/* In the thread: a living one is never refused its hook. */
void kpool_hook_up(struct kpool_worker *worker)
{
	worker->hook->task = get_task_struct(current);
	WARN_ON_ONCE(task_work_add(current, &worker->hook->work, TWA_NONE));
}

void kpool_hook_works(struct kpool_worker *worker)
{
	worker->hook->stage = KPOOL_WORKS;
}

void kpool_hook_exits(struct kpool_worker *worker)
{
	worker->hook->stage = KPOOL_EXITS;
}

void kpool_hook_ends(struct kpool_worker *worker)
{
	worker->hook->stage = KPOOL_ENDS;
}

/* Free those whose thread has passed them: is any left?  Litmus: hook-freed. */
static bool kpool_free_unhooked(void)
{
	struct kpool_hook *hook, *next;

	lockdep_assert_held(&kpool_unhooked_mutex);
	list_for_each_entry_safe(hook, next, &kpool_unhooked, node) {
		/* set once, after the last hook has returned; racy read */
		if (!data_race(READ_ONCE(hook->task->exit_state)))
			continue;
		list_del(&hook->node);
		put_task_struct(hook->task);
		kfree(hook);
	}
	return !list_empty(&kpool_unhooked);
}

/* The thread needs no watching any more; the hook is freed in its time. */
void kpool_unhook(struct kpool_hook *hook)
{
	mutex_lock(&kpool_unhooked_mutex);
	list_add(&hook->node, &kpool_unhooked);
	kpool_free_unhooked();
	mutex_unlock(&kpool_unhooked_mutex);
}

/* No thread is left that could come to our code: the module may go. */
void kpool_await_hooks(void)
{
	bool more;

	do {
		mutex_lock(&kpool_unhooked_mutex);
		more = kpool_free_unhooked();
		mutex_unlock(&kpool_unhooked_mutex);
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
	return ended && worker->state == KPOOL_RUNNING;
}

/* Take a dead worker from the list of members: it is ours then. */
static struct kpool_worker *kpool_find_dead(struct kpool *pool)
{
	struct kpool_worker *worker, *dead = NULL;

	mutex_lock(&pool->mutex);
	list_for_each_entry(worker, &pool->workers, member) {
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
#define KPOOL_LOST_BATCH	64

/*
 * Returns with pool->lock held, so that no later one is missed.
 *
 * The flushers of the pool that wait for the dead item: until it is taken out of
 * the books they stay, and only later ones come.
 */
static void kpool_lose_flushers(struct kpool *pool, u32 epoch)
{
	struct kpool_waiter *waiter;
	int i;

	do {
		raw_spin_lock_irq(&pool->lock);
		waiter = kpool_flusher_of(pool, epoch);
		for (i = 0; waiter && i < KPOOL_LOST_BATCH; i++) {
			struct rb_node *next = rb_next(&waiter->by_epoch);

			waiter->lost = true;
			epoch = waiter->epoch + 1;
			waiter = next ? rb_entry(next, struct kpool_waiter,
						 by_epoch) : NULL;
		}
		if (waiter)
			raw_spin_unlock_irq(&pool->lock);
	} while (waiter);
}

/* Those that wait for more than the dead item are told that it did not end. */
static void kpool_lose_others(struct kpool *pool, struct kpool_group *group)
{
	list_splice_tail_init(&pool->closers, &pool->lost_closers);
	kpool_group_lose(group);
}

/* The caller, a living thread, is in the run of a dead one from now on. */
static void kpool_take_over_run(struct kpool *pool, struct kpool_run *run)
{
	if (run->dead)
		pool->nr_dead_runs--;
	run->dead = true;
	pool->burying = run;
	kpool_ext_run_enter(pool, run);
}

/*
 * Is that function of the owner's still to be called for the run?  One that has
 * killed a thread is not given another.
 */
static bool kpool_may_tell(struct kpool_run *run, enum kpool_told whom)
{
	if (run->told >= whom)
		return false;
	run->told = whom;
	return true;
}

/* In the run of a dead worker. */
static void kpool_bury_worker(struct kpool *pool, struct kpool_worker *worker)
{
	struct task_struct *task = worker->task;
	struct kpool_hook *hook = worker->hook;
	struct kpool_run *run = &worker->run;
	bool suspended;

	if (kpool_may_tell(run, KPOOL_TOLD_HANDLER))
		kpool_report_error(pool, task, &(struct kpool_fault) {
			.fn	= worker->fn,
			.item	= worker->run.item,
			.err	= -EIO,
			.died	= true,
			.state	= worker->data,
		});
	if (kpool_may_tell(run, KPOOL_TOLD_CALL) && worker->call)
		kpool_call_died(worker->call);

	kpool_lose_flushers(pool, run->epoch);
	kpool_lose_others(pool, run->group);
	kpool_ext_run_leave(pool, run);
	pool->burying = NULL;
	suspended = kpool_lose_worker(worker);
	kpool_unlock_irq(pool);

	if (suspended)
		pr_warn("%s: the last worker has died: without memory, no progress until a thread can be made\n",
			pool->name);
	kpool_unhook(hook);
	put_task_struct(task);
}

/* The dead touch nothing: what they had is read without their knowledge. */
static void kpool_bury(struct kpool *pool, struct kpool_worker *worker)
{
	struct task_struct *task = worker->task;
	struct kpool_run *run = &worker->run;

	pr_err("%s: worker %d has died in %ps\n", pool->name,
	       task_pid_nr(task), READ_ONCE(worker->fn));
	/* the run goes on here: what waits for it from here waits for itself */
	raw_spin_lock_irq(&pool->lock);
	kpool_run_forget_outer(pool, run, task);
	kpool_take_over_run(pool, run);
	/* it died in the handler, which the item's error was reported to */
	if (worker->blaming)
		run->told = KPOOL_TOLD_HANDLER;
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

static void kpool_bury_submitter(struct kpool *pool, struct kpool_run *run,
				 struct task_struct *task)
{
	struct kpool_call *call = run->call;

	if (kpool_may_tell(run, KPOOL_TOLD_HANDLER)) {
		pr_err("%s: thread %d has died in %ps, which it ran itself\n",
		       pool->name, task_pid_nr(task), run->fn);
		kpool_report_error(pool, task, &(struct kpool_fault) {
			.fn	= run->fn,
			.item	= run->item,
			.err	= -EIO,
			.died	= true,
		});
	}
	if (kpool_may_tell(run, KPOOL_TOLD_CALL) && call)
		kpool_call_lost(call);

	kpool_lose_flushers(pool, run->epoch);
	kpool_lose_others(pool, run->group);
	pool->burying = NULL;
	kpool_caller_run_end(pool, run, -EIO);
	kpool_unlock_irq(pool);

	if (call)
		kpool_leave(pool);
}

/* The item has been dropped, though its owner has not quite been told. */
static void kpool_bury_drop(struct kpool *pool, struct kpool_run *run,
			    struct task_struct *task)
{
	bool aborter = run->kind == KPOOL_RUN_ABORT;

	pr_err("%s: thread %d has died in %ps, a dropped function\n",
	       pool->name, task_pid_nr(task), run->fn);
	raw_spin_lock_irq(&pool->lock);
	pool->burying = NULL;
	pool->nr_aborters -= aborter;
	if (!aborter)
		pool->dropper_active = false;
	if (run->kind == KPOOL_RUN_ROOM)
		kpool_room_end(pool, run);
	else
		kpool_drop_end(pool, run);
	kpool_unlock_irq(pool);
	/* what it would have dropped next is left */
	kpool_replace_dropper(pool, !aborter);
}

/* A run that a worker's thread, or no worker's, has died in. */
static void kpool_bury_ext_run(struct kpool *pool, struct kpool_run *run)
{
	struct task_struct *task = kpool_take_over_ext_run(pool, run);

	if (run->told)
		pr_err("%s: thread %d has died in a function that was told of a death\n",
		       pool->name, task_pid_nr(task));
	if (run->worker)
		kpool_bury_worker(pool, run->worker);
	else if (run->kind == KPOOL_RUN_CALLER)
		kpool_bury_submitter(pool, run, task);
	else
		kpool_bury_drop(pool, run, task);
	put_task_struct(task);
}

/* In the pool's dead_reaper alone. */
void kpool_bury_dead(struct kpool *pool)
{
	struct kpool_worker *worker;
	struct kpool_run *run;

	while ((worker = kpool_find_dead(pool)))
		kpool_bury(pool, worker);
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
	list_for_each_entry(worker, &pool->workers, member) {
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

/* Has the dead_reaper's thread died in a run that it buried? */
static bool kpool_is_reaper_lost(struct kpool *pool)
{
	struct kpool_run *run;
	bool lost;

	raw_spin_lock_irq(&pool->lock);
	run = pool->burying;
	if (run && kpool_has_ended(run->task_ref)) {
		pool->reaper_lost = true;
		pool->burying = NULL;
		run->dead = false;
		kpool_mark_dead(pool, run);
	}
	lost = pool->reaper_lost;
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
		mod_delayed_work(kpool_spawn_wq, &pool->spawner, 0);
	else if (found)
		kpool_context_queue(&pool->dead_reaper);
}

/* In the spawner.  Without memory, the watch has it tried again. */
void kpool_replace_reaper(struct kpool *pool)
{
	bool lost;

	raw_spin_lock_irq(&pool->lock);
	lost = pool->reaper_lost;
	pool->reaper_lost = false;
	raw_spin_unlock_irq(&pool->lock);
	if (!lost || !kpool_context_replace(&pool->dead_reaper))
		return;
	raw_spin_lock_irq(&pool->lock);
	pool->reaper_lost = true;
	raw_spin_unlock_irq(&pool->lock);
}
