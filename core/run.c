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
#include "run.h"

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

/* An item, accepted and nowhere, begins a run that is not a worker's. */
void kpool_ext_run_begin(struct kpool *pool, struct kpool_run *run,
			 struct kpool_item *item, enum kpool_run_kind kind)
{
	bool runs = kind == KPOOL_RUN_CALLER;

	lockdep_assert_held(&pool->lock);
	run->kind = kind;
	run->nr++;
	run->call = runs && kpool_is_call(item) ? kpool_call_of(item) : NULL;
	run->requeue = NULL;
	run->dead = false;
	run->notified = KPOOL_NOTIFIED_NONE;
	run->group = kpool_special_take_group(pool, item);
	if (item->flags & __KPOOL_HAS_WAITERS)
		kpool_move_waiters(pool, item, &run->waiters);
	if (runs)
		pool->runs.nr_caller++;
	else
		pool->runs.nr_drop++;
	kpool_ext_run_enter(pool, run);
	kpool_run_begin(pool, run, item,
			runs ? kpool_user_fn(item) : (void *)item->dropped);
}

/* What waited for the end of the run: the item, pending again, and its waiters. */
static void kpool_run_release(struct kpool *pool, struct kpool_run *run)
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

/* The item may be gone, unless it is pending again or its group collects. */
void kpool_ext_run_end(struct kpool *pool, struct kpool_run *run, int result,
		       bool failed)
{
	struct kpool_item *item = run->item;

	lockdep_assert_held(&pool->lock);
	if (run->kind == KPOOL_RUN_CALLER)
		pool->runs.nr_caller--;
	else
		pool->runs.nr_drop--;
	run->item = NULL;
	kpool_ext_run_leave(pool, run);
	kpool_run_release(pool, run);
	if (run->group)
		kpool_group_end(pool, run->group, item, result, failed);
	kpool_waiter_complete_list(pool, &run->waiters, run->dead);
	kpool_item_ended(pool, run->epoch);
	if (run != &pool->runs.drop)
		list_add(&run->free, &pool->runs.free);
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
	run = list_first_entry_or_null(&pool->runs.free, struct kpool_run,
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

	list_for_each_entry_safe(run, next, &pool->runs.free, free)
		kfree(run);
}

void kpool_run_begin_special(struct kpool *pool, struct kpool_run *run,
			     struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);
	unsigned int extra = kpool_units(pool, item) - 1;

	if (item->flags & __KPOOL_HAS_WAITERS)
		kpool_move_waiters(pool, item, &run->waiters);
	if (kpool_is_call(item))
		run->call = kpool_call_of(item);
	if (!kpool_is_special(item))
		return;
	run->special = true;
	run->units += extra;
	pool->units_used += extra;
	if (job && job->stream)
		kpool_stream_begin(run, job);
	if (job && job->group)
		run->group = kpool_group_begin(pool, job);
}

/*
 * Has the job ended, by its run?  In an ordered stream it has not while it is to
 * be completed.  Then the item has not been freed; else it may be gone, unless
 * its group collects.
 */
bool kpool_run_end_special(struct kpool *pool, struct kpool_run *run,
			   struct kpool_item *item, int err, bool lost)
{
	struct kpool_group *group = run->group;
	unsigned int extra = run->units - 1;

	run->special = false;
	run->group = NULL;
	run->units -= extra;
	pool->units_used -= extra;
	if (run->complete && !lost) {
		kpool_job_of(item)->result = err;
		kpool_keep_waiters(item, &run->waiters);
		kpool_stream_finished(pool, run, kpool_job_of(item));
		return false;
	}
	if (run->result) {
		err = run->result;
		run->result = 0;
	}
	kpool_run_release(pool, run);
	if (run->stream)
		kpool_stream_end(pool, run);
	if (group)
		kpool_group_end(pool, group, item, err, err);
	return true;
}

/* A job whose turn to be completed has come begins its second run. */
void kpool_run_begin_completion(struct kpool *pool, struct kpool_run *run,
			 struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_of(item);

	pool->q.nr_completions--;
	kpool_special_remove(pool, item);
	if (item->flags & __KPOOL_HAS_WAITERS)
		kpool_move_waiters(pool, item, &run->waiters);
	run->special = true;
	run->result = job->result;
	kpool_stream_complete(run, job);
	if (job->group)
		kpool_group_complete(job);
	run->group = job->group;
}

/* Its submitter has run the item, or has died in it. */
void kpool_caller_run_end(struct kpool *pool, struct kpool_run *run, int err)
{
	lockdep_assert_held(&pool->lock);
	pool->stats.completed++;
	pool->stats.caller_ran++;
	if (err)
		pool->stats.failed++;
	kpool_ext_run_end(pool, run, err, err);
}
