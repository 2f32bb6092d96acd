// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs: what executes an item's function, or its owner's dropped function.
 *
 * A worker's run is part of the worker.  All others are external: a submitter
 * that runs its item for want of room, and the calls of dropped functions.  The
 * item points to its run, and the run to the item: only if both agree does the
 * item run, because either may have been used again meanwhile.
 *
 * A thread may be in several runs of a pool, each inside of the one before: a
 * worker in its item, then in another item that it runs as a submitter.  It
 * sleeps in all of them together, so the outermost says where.
 */
#include <linux/gfp.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "internal.h"
#include "queue.h"

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

/* Is the run one of a thread that is no worker, or not any more? */
static bool kpool_is_ext_run(const struct kpool_run *run)
{
	return !RB_EMPTY_NODE(&run->by_task);
}

/* The innermost external run of the pool that the task is in, or NULL. */
static struct kpool_run *kpool_ext_run_of_task(const struct kpool *pool,
					       const struct task_struct *task)
{
	struct rb_node *node = pool->ext_runs.rb_node;

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
 * The worker has ended in its item.  Runs that its thread was in inside of that
 * have died with it, and are dealt with in their time.
 */
void kpool_run_clear_outer(struct kpool *pool, const struct kpool_run *outer,
			   const struct task_struct *task)
{
	struct kpool_run *run;

	lockdep_assert_held(&pool->lock);
	for (run = kpool_ext_run_of_task(pool, task); run; run = run->outer) {
		if (run->outer != outer)
			continue;
		run->outer = NULL;
		pool->nr_ext_threads++;
		run->dead = true;
		pool->nr_dead_runs++;
		return;
	}
}

/* The first external run of a thread behind @task, or NULL. */
struct kpool_run *kpool_ext_run_after(const struct kpool *pool,
				      const struct task_struct *task)
{
	struct rb_node *node = pool->ext_runs.rb_node;
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

/* The innermost run of the pool that the caller is in, or NULL. */
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
	/* in a callback of its own, a worker has no item */
	return worker && worker->run.item ? &worker->run : NULL;
}

/* The run that the run's thread was in first. */
struct kpool_run *kpool_run_outermost(struct kpool_run *run)
{
	while (run->outer)
		run = run->outer;
	return run;
}

/* In how many external runs of the pool is the caller? */
unsigned int kpool_ext_run_depth(struct kpool *pool)
{
	const struct kpool_run *run = kpool_current_run(pool);
	unsigned int depth = 0;

	for (; run && kpool_is_ext_run(run); run = run->outer)
		depth++;
	return depth;
}

/* The caller is in @run from now on, as far as the pool is concerned. */
void kpool_ext_run_enter(struct kpool *pool, struct kpool_run *run)
{
	struct rb_node **link = &pool->ext_runs.rb_node, *parent = NULL;

	lockdep_assert_held(&pool->lock);
	run->task = current;
	run->task_ref = get_task_struct(current);
	run->outer = kpool_current_run(pool);
	run->blocked_on = NULL;
	pool->nr_ext_runs++;
	kpool_update_fast_capacity(pool);
	if (!run->outer && !run->worker)
		pool->nr_ext_threads++;
	if (run->outer && kpool_is_ext_run(run->outer)) {
		rb_replace_node(&run->outer->by_task, &run->by_task,
				&pool->ext_runs);
		return;
	}
	while (*link) {
		parent = *link;
		link = run->task < rb_entry(parent, struct kpool_run,
					    by_task)->task ?
		       &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&run->by_task, parent, link);
	rb_insert_color(&run->by_task, &pool->ext_runs);
}

/* The thread has left @run, or has ended in it. */
void kpool_ext_run_leave(struct kpool *pool, struct kpool_run *run)
{
	lockdep_assert_held(&pool->lock);
	if (run->outer && kpool_is_ext_run(run->outer))
		rb_replace_node(&run->by_task, &run->outer->by_task,
				&pool->ext_runs);
	else
		rb_erase(&run->by_task, &pool->ext_runs);
	RB_CLEAR_NODE(&run->by_task);
	if (!run->outer && !run->worker)
		pool->nr_ext_threads--;
	run->outer = NULL;
	pool->nr_ext_runs--;
	kpool_update_fast_capacity(pool);
	put_task_struct(run->task_ref);
}

/* An item, accepted and nowhere, begins a run that is not a worker's. */
void kpool_ext_run_begin(struct kpool *pool, struct kpool_run *run,
			 struct kpool_item *item, enum kpool_run_kind kind)
{
	bool runs = kind == KPOOL_RUN_CALLER;

	lockdep_assert_held(&pool->lock);
	run->kind = kind;
	run->nr++;
	run->fn = runs ? kpool_user_fn(item) : item->dropped;
	run->call = runs && kpool_is_call(item) ? kpool_call_of(item) : NULL;
	run->epoch = item->epoch;
	run->requeue = NULL;
	run->dead = false;
	run->notified = KPOOL_NOTIFIED_NONE;
	run->group = kpool_special_take_group(pool, item);
	if (item->flags & __KPOOL_HAS_WAITERS)
		kpool_move_waiters(pool, item, &run->waiters);
	run->item = item;
	item->run = run;
	kpool_debug_ended(item);
	if (runs)
		pool->nr_caller_runs++;
	else
		pool->nr_drop_runs++;
	kpool_ext_run_enter(pool, run);
	if (!pool->watchdog_armed)
		kpool_watchdog_arm(pool);
}

/* The item may be gone, unless it is pending again or its group collects. */
void kpool_ext_run_end(struct kpool *pool, struct kpool_run *run, int result,
		       bool failed)
{
	struct kpool_item *item = run->item;

	lockdep_assert_held(&pool->lock);
	if (run->kind == KPOOL_RUN_CALLER)
		pool->nr_caller_runs--;
	else
		pool->nr_drop_runs--;
	run->item = NULL;
	kpool_ext_run_leave(pool, run);
	kpool_run_release(pool, run);
	if (run->group)
		kpool_group_end(pool, run->group, item, result, failed);
	kpool_waiter_complete_list(pool, &run->waiters, run->dead);
	kpool_item_ended(pool, run->epoch);
	if (run != &pool->drop_run)
		list_add(&run->free, &pool->free_runs);
}

/* What waited for the end of the run: the item, pending again, and its waiters. */
void kpool_run_release(struct kpool *pool, struct kpool_run *run)
{
	struct kpool_item *held = run->requeue;
	struct kpool_waiter *first;

	lockdep_assert_held(&pool->lock);
	if (!list_empty(&run->next_waiters)) {
		first = list_first_entry(&run->next_waiters,
					 struct kpool_waiter, node);
		list_splice_init(&run->next_waiters, &first->pending.waiters);
		first->item->run = &first->pending;
		first->item->flags |= __KPOOL_HAS_WAITERS;
	}
	run->requeue = NULL;
	if (held)
		kpool_requeue(pool, held);
}

/* Memory for an external run; the caller has dropped the lock. */
struct kpool_run *kpool_run_alloc(gfp_t gfp)
{
	struct kpool_run *run = kmalloc_obj(*run, gfp);

	if (run)
		kpool_run_init(run, NULL);
	return run;
}

/* The same where one is needed; a pool is created with one for that. */
struct kpool_run *kpool_run_get(struct kpool *pool)
{
	struct kpool_run *run;

	raw_spin_lock_irq(&pool->lock);
	run = list_first_entry_or_null(&pool->free_runs, struct kpool_run,
				       free);
	if (run)
		list_del(&run->free);
	raw_spin_unlock_irq(&pool->lock);
	return run ?: kpool_run_alloc(GFP_KERNEL | __GFP_NOFAIL);
}

/* In a pool that nobody is in. */
void kpool_free_runs(struct kpool *pool)
{
	struct kpool_run *run, *next;

	list_for_each_entry_safe(run, next, &pool->free_runs, free)
		kfree(run);
}
