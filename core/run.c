// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep track of runs, and of the threads that they are in.
 *
 * A run is one execution of an item's function, completion function or drop
 * function, of the pool's room function, or of a release function in its
 * caller.  The last two have no item; run->item is a dummy.  A worker's run is
 * part of the worker: see worker.c.  All others are external: see drop.c.
 *
 * An item's function can free the item, and a run's memory is reused.  So
 * item->run points to the run, and run->item to the item: the item is running
 * only if both agree, see kpool_run_of().  For the same reason the beginning of
 * a run copies from the item what the end needs.
 *
 * A wait of a run for its own pool can deadlock, so a wait must find the run
 * that its caller is in.  A worker's kthread data is the worker.  For external
 * runs, pool->runs.by_task has the innermost one of each thread.
 *
 * Runs nest: a worker runs an item, whose function runs another as a submitter.
 * run->outer links them.  A thread sleeps in all its runs at once, so only the
 * outermost one records the waiter, in run->blocked_on.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/kmemleak.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "internal.h"
#include "lock.h"
#include "run.h"

/* Memory */

/* Initialize a run: of @worker, or an external one if that is NULL. */
void kpool_run_init(struct kpool_run *run, struct kpool_worker *worker)
{
	*run = (struct kpool_run) {
		.worker	= worker,
		.units	= !!worker,
	};
	INIT_LIST_HEAD(&run->waiters);
	INIT_LIST_HEAD(&run->next_waiters);
	RB_CLEAR_NODE(&run->by_task);
}

/* Allocate an external run, or return NULL.  Called without pool->lock. */
struct kpool_run *kpool_run_alloc(gfp_t gfp)
{
	struct kpool_run *run = kmalloc_obj(*run, gfp);

	if (run)
		kpool_run_init(run, NULL);
	return run;
}

/*
 * Return an external run, and do not fail.  Each pool is created with a free
 * run, so this allocates only if that is in use.
 */
struct kpool_run *kpool_run_get(struct kpool *pool)
{
	struct kpool_run *run;

	kpool_lock_irq(pool);
	run = kpool_run_take(pool);
	kpool_unlock_irq(pool);
	return run ?: kpool_run_alloc(GFP_KERNEL | __GFP_NOFAIL);
}

/* Runs of the caller */

/* Return the worker, of any pool, that the caller is the thread of, or NULL. */
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

/* Return the worker of @pool that the caller is the thread of, or NULL. */
struct kpool_worker *kpool_current_worker_in(struct kpool *pool)
{
	struct kpool_worker *worker = kpool_current_worker();

	return worker && worker->pool == pool ? worker : NULL;
}

/* Return the innermost external run of @pool that @task is in, or NULL. */
static struct kpool_run *kpool_ext_run_of_task(const struct kpool *pool,
					       const struct task_struct *task)
{
	struct rb_node *node = pool->runs.by_task.rb_node;

	while (node) {
		struct kpool_run *run =
			rb_entry(node, struct kpool_run, by_task);

		if (run->task == task)
			return run;
		node = task < run->task ? node->rb_left : node->rb_right;
	}
	return NULL;
}

/*
 * Return the innermost run of @pool that the caller is in, or NULL.  Called
 * with pool->lock held.
 */
struct kpool_run *kpool_current_run(struct kpool *pool)
{
	struct kpool_worker *worker;
	struct kpool_run *run;

	lockdep_assert_held(&pool->lock);
	if (!in_task())
		return NULL;
	run = kpool_ext_run_of_task(pool, current);
	if (run)
		return run;
	worker = kpool_current_worker_in(pool);
	/* a worker has no item in worker_init and worker_exit */
	return worker && worker->run.item ? &worker->run : NULL;
}

/*
 * Return true if the caller is in the item's own function, perhaps in another
 * item that this one runs as a submitter.  Called with pool->lock held.
 */
bool kpool_is_self_submit(struct kpool *pool, const struct kpool_item *item)
{
	const struct kpool_run *run = kpool_run_of(item), *in;

	lockdep_assert_held(&pool->lock);
	if (!run || run->kind == KPOOL_RUN_DROP || run->kind == KPOOL_RUN_ABORT)
		return false;
	for (in = kpool_current_run(pool); in && in != run; in = in->outer)
		;
	return in;
}

/* Return true if the caller is a worker of the pool, or in one of its runs. */
bool kpool_is_part_of(struct kpool *pool)
{
	unsigned long flags;
	bool found;

	if (kpool_current_worker_in(pool))
		return true;
	kpool_lock(pool, &flags);
	found = kpool_current_run(pool);
	kpool_unlock(pool, flags);
	return found;
}

/* Return the client's function that the caller, a part of the pool, is in. */
const void *kpool_current_fn(struct kpool *pool)
{
	const struct kpool_worker *worker = kpool_current_worker_in(pool);
	const struct kpool_run *run;
	const void *fn = NULL;
	unsigned long flags;

	kpool_lock(pool, &flags);
	run = kpool_current_run(pool);
	if (run)
		fn = run->fn;
	else if (worker)
		fn = worker->exit_work->stage == KPOOL_STAGE_INIT ?
		     (void *)pool->init_attrs.worker_init :
		     (void *)pool->init_attrs.worker_exit;
	kpool_unlock(pool, flags);
	return fn;
}

/* Runs of any thread */

/*
 * Return the external run of the next task by address after @task, or NULL.
 * Called with pool->lock held.
 */
struct kpool_run *kpool_ext_run_after(const struct kpool *pool,
				      const struct task_struct *task)
{
	struct rb_node *node = pool->runs.by_task.rb_node;
	struct kpool_run *after = NULL;

	lockdep_assert_held(&pool->lock);
	while (node) {
		struct kpool_run *run =
			rb_entry(node, struct kpool_run, by_task);

		if (run->task > task) {
			after = run;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return after;
}

/*
 * Return the innermost run that the thread of the worker, which is in an item,
 * is in.  Called with pool->lock held.
 */
struct kpool_run *kpool_innermost_run(struct kpool_worker *worker)
{
	lockdep_assert_held(&worker->pool->lock);
	return kpool_ext_run_of_task(worker->pool, worker->task) ?:
	       &worker->run;
}

/* Return the outermost run of the thread that is in @run. */
struct kpool_run *kpool_run_outermost(struct kpool_run *run)
{
	while (run->outer)
		run = run->outer;
	return run;
}

/* Enter and leave external runs */

/* Return true if @run is external, or a dead worker's that is being reaped. */
static bool kpool_is_ext_run(const struct kpool_run *run)
{
	return !RB_EMPTY_NODE(&run->by_task);
}

/* Limit of external runs of a pool inside one another. */
#define KPOOL_MAX_DEPTH		4

/*
 * Return true if the caller, a task, has used most of its stack.
 * KPOOL_MAX_DEPTH does not limit runs of other pools, which are on the stack
 * too.
 */
static bool kpool_stack_is_short(void)
{
	unsigned long left = (unsigned long)__builtin_frame_address(0) -
			     (unsigned long)task_stack_page(current);

	if (IS_ENABLED(CONFIG_STACK_GROWSUP))
		left = THREAD_SIZE - left;
	return left < THREAD_SIZE / 4;
}

/*
 * Return true if the caller can enter one more external run of the pool.
 * Called with pool->lock held.
 */
bool kpool_can_nest(struct kpool *pool)
{
	const struct kpool_run *run = kpool_current_run(pool);
	unsigned int depth = 0;

	lockdep_assert_held(&pool->lock);
	for (; run && kpool_is_ext_run(run); run = run->outer)
		depth++;
	return depth < KPOOL_MAX_DEPTH && !kpool_stack_is_short();
}

/* Record that the caller is in @run.  Called with pool->lock held. */
void kpool_ext_run_enter(struct kpool *pool, struct kpool_run *run)
{
	struct rb_node **link = &pool->runs.by_task.rb_node, *parent = NULL;
	struct kpool_worker *worker = kpool_current_worker();

	lockdep_assert_held(&pool->lock);
	if (worker)
		worker->nr_nested++;
	run->task = current;
	run->task_ref = get_task_struct(current);
	run->outer = kpool_current_run(pool);
	run->blocked_on = NULL;
	run->since = jiffies;
	if (!run->outer && !run->worker)
		pool->runs.nr_threads++;
	if (run->outer && kpool_is_ext_run(run->outer)) {
		rb_replace_node(&run->outer->by_task, &run->by_task,
				&pool->runs.by_task);
		return;
	}
	while (*link) {
		parent = *link;
		link = run->task < rb_entry(parent, struct kpool_run,
					    by_task)->task ?
		       &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&run->by_task, parent, link);
	rb_insert_color(&run->by_task, &pool->runs.by_task);
}

/*
 * Record that the thread of @run has left it, or has died.  Called with
 * pool->lock held.
 */
void kpool_ext_run_leave(struct kpool *pool, struct kpool_run *run)
{
	struct kpool_worker *worker = kpool_current_worker();

	lockdep_assert_held(&pool->lock);
	if (worker && run->task == current)
		worker->nr_nested--;
	if (run->outer && kpool_is_ext_run(run->outer))
		rb_replace_node(&run->by_task, &run->outer->by_task,
				&pool->runs.by_task);
	else
		rb_erase(&run->by_task, &pool->runs.by_task);
	RB_CLEAR_NODE(&run->by_task);
	if (!run->outer && !run->worker)
		pool->runs.nr_threads--;
	run->outer = NULL;
	put_task_struct(run->task_ref);
}

/*
 * Contexts
 *
 * A context is the work or thread that executes a pool's drop work or dead
 * work.  The first calls drop and room functions.  The second reaps dead
 * threads, and calls the fault handler and the release function of a call.  All
 * these can sleep for long, hang, or flush any workqueue.  So each pool has one
 * context for drops and one for deaths.
 *
 * A pool normally queues work, which costs nothing while idle.  A
 * KPOOL_MEM_RECLAIM pool has a thread for each context instead, created with
 * the pool.  The rescuer of a workqueue would not do: flushing an ordinary
 * workqueue from it triggers a kernel warning.
 *
 * A function that oopses kills its thread, and the work that the thread was
 * executing counts as busy forever.  The context then continues with a new work
 * item, and the old one is leaked.  The new one has a thread in any pool: each
 * work that is lost on the workqueue has taken a place from all other pools.
 */

struct kpool_context_work {
	struct kpool_context	*context;	/* I */
	struct kthread_worker	*thread;	/* I: own thread, or NULL */
	struct work_struct	work;		/* if @thread is NULL */
	struct kthread_work	thread_work;	/* if @thread is not NULL */
};

/* A thread of kpool_callback_wq died, so the queue can never be drained. */
bool kpool_context_lost;

static void kpool_context_work_fn(struct work_struct *work)
{
	struct kpool_context *context =
		container_of(work, struct kpool_context_work, work)->context;

	context->fn(context->pool);
}

static void kpool_context_thread_fn(struct kthread_work *work)
{
	struct kpool_context *context =
		container_of(work, struct kpool_context_work,
			     thread_work)->context;

	context->fn(context->pool);
}

/* Allocate the context's work, and its thread if it has one. */
static int kpool_context_start(struct kpool_context *context)
{
	struct kpool *pool = context->pool;
	struct kpool_context_work *work = kzalloc_obj(*work, GFP_KERNEL);
	struct kthread_worker *thread;

	if (!work)
		return -ENOMEM;
	work->context = context;
	INIT_WORK(&work->work, kpool_context_work_fn);
	if (context->work || (pool->init_attrs.flags & KPOOL_MEM_RECLAIM)) {
		thread = kthread_run_worker(0, "kpool-%s/%s", context->kind,
					    pool->name);
		if (IS_ERR(thread)) {
			kfree(work);
			return PTR_ERR(thread);
		}
		kthread_init_work(&work->thread_work, kpool_context_thread_fn);
		work->thread = thread;
	}
	/* pairs with kpool_context_queue(); Litmus: context-work */
	smp_store_release(&context->work, work);
	return 0;
}

/*
 * Create a context that calls @fn.  @kind is part of its thread's name.  Return
 * 0 or a negative errno.
 */
int kpool_context_create(struct kpool_context *context, struct kpool *pool,
			 void (*fn)(struct kpool *pool), const char *kind)
{
	context->pool = pool;
	context->fn = fn;
	context->kind = kind;
	return kpool_context_start(context);
}

/* Queue the context unless it is queued already.  Not from NMI. */
void kpool_context_queue(struct kpool_context *context)
{
	/* pairs with kpool_context_start(); Litmus: context-work */
	struct kpool_context_work *work = smp_load_acquire(&context->work);

	if (work->thread)
		kthread_queue_work(work->thread, &work->thread_work);
	else
		queue_work(kpool_callback_wq, &work->work);
}

/* Replace the context's work after its thread died.  The caller queues it. */
int kpool_context_replace(struct kpool_context *context)
{
	struct kpool_context_work *lost = context->work;
	int err;

	/* leaked: the workqueue or kthread code can still access it */
	kmemleak_not_leak(lost);
	if (lost->thread)
		kmemleak_not_leak(lost->thread);
	else
		WRITE_ONCE(kpool_context_lost, true);
	err = kpool_context_start(context);
	if (err)
		pr_err("%s: cannot create a thread for callbacks (%d)\n",
		       context->pool->name, err);
	return err;
}

/* Stop the context and free it.  Called when nothing can queue it. */
void kpool_context_destroy(struct kpool_context *context)
{
	struct kpool_context_work *work = context->work;

	if (!work)
		return;
	if (work->thread) {
		kthread_cancel_work_sync(&work->thread_work);
		kthread_destroy_worker(work->thread);
	} else {
		cancel_work_sync(&work->work);
	}
	kfree(work);
}
