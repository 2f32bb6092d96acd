// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translate the engine's state into the terms of the contract.  No other file
 * of the model knows the engine's structures, so that they can change.  The
 * result is judged in model.c.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "simulate.h"
#include "internal.h"
#include "queue.h"

static enum sim_place sim_place_of(const struct kpool_item *item)
{
	switch (item->state) {
	case KPOOL_ITEM_IDLE:
	case KPOOL_ITEM_SUBMITTING:
		return SIM_IDLE;
	case KPOOL_ITEM_BLOCKED:
		return SIM_BLOCKED;
	case KPOOL_ITEM_DONE:
		return SIM_KEPT;
	case KPOOL_ITEM_COMPLETING:
		return SIM_FINISHED;
	case KPOOL_ITEM_READY:
	case KPOOL_ITEM_QUEUED:
		return SIM_QUEUED;
	case KPOOL_ITEM_REQUEUE:
	case KPOOL_ITEM_PARKED:
		return SIM_BACK;
	case KPOOL_ITEM_BACKLOG:
		return SIM_DUE;
	case KPOOL_ITEM_DELAYED:
		return SIM_DELAYED;
	default:
		return SIM_DROPPING;
	}
}

const char *sim_place_name(unsigned int place)
{
	static const char *const names[] = {
		"idle", "blocked", "kept", "finished", "due", "queued",
		"back", "delayed", "dropping",
	};

	return place < ARRAY_SIZE(names) ? names[place] : "?";
}

/* Fast operations that the engine has still to account for */

static unsigned long sim_inbox_slot(const struct kpool_inbox *inbox, unsigned int i)
{
	return inbox->slots[(inbox->first + i) % KPOOL_RING_SIZE];
}

/* Return the number of fast submits that are not accounted. */
static unsigned int sim_fast_submits(const struct kpool *pool)
{
	unsigned int nr = 0, i;

	for (i = 0; i < pool->inbox.nr_open; i++)
		nr += !kpool_is_slot_tag(sim_inbox_slot(&pool->inbox, i));
	return nr;
}

/* Return the item's place among the fast submits, from 1, or 0. */
static unsigned int sim_fast_place(const struct kpool *pool, const struct kpool_item *item)
{
	unsigned int i;

	for (i = 0; i < pool->inbox.nr_open; i++)
		if (sim_inbox_slot(&pool->inbox, i) == (unsigned long)item)
			return i + 1;
	return 0;
}

/* Return true if the item at @place in the inbox waits for its stream. */
static bool sim_inbox_follows(const struct kpool *pool, const struct kpool_item *item,
			      unsigned int place)
{
	const struct kpool_job *job = kpool_job_or_null(item);
	const struct kpool_stream *stream = job ? job->stream : NULL;
	unsigned int i;

	if (!stream || stream->ordered)
		return false;
	for (i = 0; i + 1 < place; i++) {
		unsigned long slot = sim_inbox_slot(&pool->inbox, i);

		if (kpool_is_slot_tag(slot))
			continue;
		job = kpool_job_or_null((struct kpool_item *)slot);
		if (job && job->stream == stream)
			return true;
	}
	return stream->runner || !list_empty(&stream->jobs);
}

/*
 * Return the number of fast starts that are not accounted, by @worker if it is
 * not NULL, and the last one of them in @last.
 */
static unsigned int sim_fast_starts(struct kpool *pool, const struct kpool_worker *worker,
				    const struct kpool_item **last)
{
	struct kpool_ready *ready = &pool->ready;
	unsigned int left = atomic64_read(&ready->next) & KPOOL_LEFT_MASK;
	unsigned int nr = 0, i;

	for (i = 0; i + left < ready->nr_open; i++) {
		const struct kpool_ready_slot *slot =
			kpool_ready_slot(ready, kpool_ready_first_ticket(ready) + i);

		if (worker && slot->taker != worker)
			continue;
		nr++;
		*last = slot->item ?: slot->taker->run.item;
	}
	return nr;
}

/*
 * Return the worker that has started the item without setting item->run, or
 * NULL.
 */
static struct kpool_worker *sim_taker(struct kpool *pool, const struct kpool_item *item)
{
	struct kpool_ready *ready = &pool->ready;
	unsigned int left = atomic64_read(&ready->next) & KPOOL_LEFT_MASK;
	unsigned int i;

	for (i = 0; i < KPOOL_RING_SIZE; i++) {
		const struct kpool_ready_slot *slot =
			kpool_ready_slot(ready, kpool_ready_first_ticket(ready) + i);

		if (slot->item == item &&
		    (i >= ready->nr || i + left < ready->nr_open))
			return slot->taker;
	}
	return NULL;
}

static void sim_observe_item(struct kpool *pool, struct kpool_item *item,
			     struct sim_item_view *view)
{
	const struct kpool_item *runs;
	const struct kpool_run *run;
	struct kpool_worker *taker;
	unsigned int nr;

	view->here = item->pool_id == pool->id;
	if (!view->here)
		return;
	taker = sim_taker(pool, item);
	view->place = sim_place_of(item);
	view->evicted = item->state == KPOOL_ITEM_DROPPING && item->err == -EAGAIN;
	view->inbox = sim_fast_place(pool, item);
	if (view->inbox)
		view->place = SIM_QUEUED;
	if (item->state == KPOOL_ITEM_READY && taker)
		view->place = SIM_IDLE;
	view->follows = view->inbox ? sim_inbox_follows(pool, item, view->inbox) :
				      item->flags & __KPOOL_STREAM_BLOCKED;
	run = taker ? &taker->run : item->run;
	if (!run || run->kind != KPOOL_RUN_WORKER || !run->worker)
		return;
	runs = run->item;
	nr = sim_fast_starts(pool, run->worker, &runs);
	if (runs != item)
		return;
	view->runs = true;
	view->completes = run->stream && run->stream->ordered && !run->complete;
	view->run_id = (unsigned long)run->worker + run->worker->nr_runs + nr;
	/* the module notifier finds the runs of a module by ->fn */
	sim_expect(nr || view->completes || run->fn == item->fn,
		   "a run has the function of an earlier one");
}

static void sim_observe_caller(const struct kpool_run *run,
			       struct sim_item_view *view)
{
	view->by_caller = true;
	view->runs = true;
	view->run_id = (unsigned long)run + run->nr;
}

/* Observe runs outside of workers, including the outer runs of a thread. */
static void sim_observe_ext_runs(struct kpool *pool, struct sim_view *view)
{
	int i;

	view->callers = pool->runs.nr_caller;
	view->dropping = pool->runs.nr_drop;
	for (i = 0; i < SIM_ITEMS; i++) {
		const struct kpool_item *item = &sim->item[i].job.item;
		const struct kpool_run *run;

		if (!view->item[i].here)
			continue;
		run = kpool_run_of(item);
		if (!run || run->kind == KPOOL_RUN_WORKER)
			continue;
		if (run->kind == KPOOL_RUN_CALLER)
			sim_observe_caller(run, &view->item[i]);
		else
			view->item[i].dropping++;
	}
}

/*
 * Return the run that the item's stream waits for, or NULL if the item will not
 * run.
 */
static const struct kpool_run *sim_stream_runner(const struct kpool_item *item)
{
	const struct kpool_job *job = container_of(item, struct kpool_job, item);

	if (job->group && kpool_group_is_cancelled(job->group))
		return NULL;
	return job->stream->runner;
}

static const struct kpool_run *sim_outermost(const struct kpool_run *run)
{
	while (run->outer)
		run = run->outer;
	return run;
}

static bool sim_is_on(const struct list_head *waiters,
		      const struct kpool_waiter *waiter)
{
	const struct kpool_waiter *other;

	list_for_each_entry(other, waiters, node)
		if (other == waiter)
			return true;
	return false;
}

/* Return true if the waiter waits for what is pending; @run is the item's. */
static bool sim_is_for_next(const struct kpool_waiter *waiter,
			    const struct kpool_run *run)
{
	const struct kpool_item *item = waiter->item;

	if (run)
		return sim_is_on(&run->next_waiters, waiter);
	return (item->flags & __KPOOL_HAS_WAITERS) &&
	       sim_is_on(&item->run->waiters, waiter);
}

/*
 * Return the outermost run of the thread that this thread's sleep waits for, or
 * NULL.
 */
static const struct kpool_run *sim_slept_for(const struct kpool *pool,
					     const struct kpool_run *run)
{
	const struct kpool_waiter *waiter = run->blocked_on;

	if (!waiter || (waiter->kind != KPOOL_WAITER_ITEM &&
			waiter->kind != KPOOL_WAITER_CALL))
		return NULL;
	run = kpool_run_of(waiter->item);
	if (!run || !sim_is_on(&run->waiters, waiter)) {
		/* its wait has ended, but it has not been completed */
		if (!sim_is_for_next(waiter, run))
			return NULL;
		if ((waiter->item->flags & __KPOOL_STREAM_BLOCKED) &&
		    !pool->aborted)
			run = sim_stream_runner(waiter->item);
	}
	return run ? sim_outermost(run) : NULL;
}

static bool sim_sleeps_in_cycle(const struct kpool *pool,
				const struct kpool_waiter *waiter)
{
	const struct kpool_run *me = sim_outermost(waiter->run), *run = me;
	unsigned int steps;

	for (steps = 0; run && steps < pool->waiters.nr_self; steps++) {
		run = sim_slept_for(pool, run);
		if (run == me)
			return true;
	}
	return false;
}

/*
 * Return true if a thread waits for itself.  A path with more steps than
 * waiters visits no new one.
 */
static bool sim_observe_cycle(const struct kpool *pool)
{
	const struct kpool_waiter *waiter;

	list_for_each_entry(waiter, &pool->waiters.self, pool_node)
		if (sim_sleeps_in_cycle(pool, waiter))
			return true;
	list_for_each_entry(waiter, &pool->waiters.self_calls, pool_node)
		if (sim_sleeps_in_cycle(pool, waiter))
			return true;
	return false;
}

/* Fill in the counters as kpool_get_stats() would report them. */
static void sim_observe_stats(struct kpool *pool, struct kpool_stats *stats)
{
	const struct kpool_item *last;
	unsigned int submits = sim_fast_submits(pool);
	unsigned int starts = sim_fast_starts(pool, NULL, &last);

	stats->counters = pool->stats;
	stats->submitted += submits;
	stats->completed += starts;
	stats->alive = pool->mgr.nr_workers;
	stats->idle = pool->mgr.nr_idle;
	stats->running = pool->nr_running + pool->runs.nr_caller;
	stats->units = pool->units_used;
	stats->delayed = pool->delays.nr;
	stats->pending = pool->q.nr_queued + submits - starts -
			 pool->q.nr_completions +
			 pool->q.nr_requeue + pool->q.nr_parked +
			 pool->q.nr_backlog + pool->drops.nr + pool->runs.nr_drop;
	stats->blocked = pool->q.nr_blocked;
	stats->closed = pool->closed;
	stats->paused = pool->paused;
}

static bool sim_is_slot_of(const struct kpool *pool, const void *address)
{
	return (address >= (const void *)&pool->inbox &&
		address < (const void *)(&pool->inbox + 1)) ||
	       (address >= (const void *)&pool->ready &&
		address < (const void *)(&pool->ready + 1));
}

/* Judge the step of a fast operation, committed by a change of this slot. */
void sim_fast_step(const void *slot)
{
	int i;

	for (i = 0; sim && i < SIM_POOLS; i++) {
		struct kpool *pool = sim->pool[i].pool;

		if (pool && !sim->pool[i].ended && sim_is_slot_of(pool, slot))
			sim_step(&pool->lock);
	}
}

/* Return true if the pool owns the item, and the item is in a run there. */
bool sim_runs_in(const struct sim_item *it, const struct kpool *pool)
{
	return it->job.item.pool_id == pool->id && kpool_run_of(&it->job.item);
}

bool sim_group_is_cancelled(int group)
{
	return kpool_group_is_cancelled(&sim->group[group]);
}

/* Return true if the group counts jobs, has children, or is on a list. */
bool sim_group_has_members(int group)
{
	const struct kpool_group *g = &sim->group[group];

	return g->left || g->members || !list_empty(&g->sibling) ||
	       !list_empty(&g->cancel_node) || !list_empty(&g->children);
}

int sim_group_error(int group)
{
	return sim->group[group].error;
}

int sim_attr_in_force(struct kpool *pool, enum kpool_tunable tunable)
{
	struct kpool_attrs attrs;

	kpool_get_attrs(pool, &attrs);
	return *kpool_attr(&attrs, &kpool_attr_table[tunable]);
}

/*
 * Return true if a completed wait, or a cancelled group, is still to be
 * handled.
 */
static bool sim_is_unsettled(const struct kpool *pool)
{
	struct rb_node *first = rb_first_cached(&pool->waiters.flushers);

	return !list_empty(&pool->waiters.done) || !list_empty(&pool->waiters.failed) ||
	       !list_empty(&pool->drops.cancelled_groups) ||
	       (first && !rb_entry(first, struct kpool_waiter, by_epoch)->left);
}

static void sim_observe_workers(const struct kpool *pool, struct sim_view *view)
{
	const struct kpool_worker *worker;

	list_for_each_entry(worker, &pool->mgr.workers, member) {
		if (view->nr_workers == SIM_WORKERS)
			break;
		view->worker[view->nr_workers++] = (struct sim_worker_view) {
			/* as debugfs shows it */
			.worker = worker, .since = worker->since,
			.state = worker->died ? KPOOL_WORKER_DEAD : worker->state,
		};
	}
	view->staying = pool->mgr.nr_workers - pool->mgr.nr_exiting;
	view->threads = pool->mgr.nr_workers + pool->mgr.nr_spawning;
	if (!list_empty(&pool->mgr.idle))
		view->idle_since = list_last_entry(&pool->mgr.idle,
						   struct kpool_worker, node)->since;
}

/*
 * Check fast_capacity: nothing else makes plain items slow, see mutant
 * slow-after-special.  Called with pool->lock held.
 */
static void sim_check_fast_capacity(const struct kpool *pool)
{
	bool slow = pool->closed || pool->paused || pool->q.nr_special ||
		    !list_empty(&pool->going);

	sim_expect(pool->fast_capacity == (slow ? 0 : pool->attrs.capacity),
		   "fast_capacity is %u, capacity %d, with %u special items",
		   pool->fast_capacity, pool->attrs.capacity, pool->q.nr_special);
}

void sim_observe(struct kpool *pool, struct sim_view *view)
{
	const struct kpool_item *item;
	int i;

	memset(view, 0, sizeof(*view));
	for (i = 0; i < SIM_ITEMS; i++) {
		sim_observe_item(pool, &sim->item[i].job.item, &view->item[i]);
		view->finished += view->item[i].here &&
				  view->item[i].place == SIM_FINISHED;
	}
	if (!RB_EMPTY_ROOT(&pool->runs.by_task))
		sim_observe_ext_runs(pool, view);
	sim_observe_stats(pool, &view->stats);
	sim_observe_workers(pool, view);
	sim_check_fast_capacity(pool);
	view->attrs = pool->attrs;
	view->completable = pool->q.nr_completions;
	view->queued_items = pool->q.nr_queued - view->completable +
		     sim_fast_submits(pool) - sim_fast_starts(pool, NULL, &item);
	view->back = pool->q.nr_parked + pool->q.nr_requeue;
	list_for_each_entry(item, &pool->q.parked, node)
		view->stream_blocked +=
			!!(item->flags & __KPOOL_STREAM_BLOCKED);
	view->queue = pool->q.nr_blocked + pool->q.nr_backlog;
	view->queue_head = pool->q.admission.next;
	view->nr_drops = pool->drops.nr;
	view->rooming = pool->runs.drop.item && pool->runs.drop.kind == KPOOL_RUN_ROOM;
	view->aborted = pool->aborted;
	view->settling = sim_work_busy(&pool->waiters.recheck_work);
	view->unsettled = sim_is_unsettled(pool);
	for (i = 0; i < SIM_GROUPS; i++)
		view->group_kept |= sim->group[i].pool == pool &&
				    !sim->group[i].members &&
				    !list_empty(&sim->group[i].cancel_node);
	view->cycle = sim_observe_cycle(pool);
}

void sim_set_default(struct kpool *pool)
{
	kpool_the_default = pool;
}

/* Free an orphaned pool, which the engine keeps until its own removal. */
void sim_free_orphan(struct kpool *pool)
{
	pool->orphaned = false;
	/* freed already, as it no longer has files */
	pool->dbg.files = NULL;
	sim_expect(!kpool_destroy(pool), "a pool that has gone is in use");
}

static void sim_check_call(const struct kpool_run *run, const void *ptr)
{
	sim_expect(!run->item || run->call != ptr, "a run has a call that is freed");
}

/*
 * Check that no run has a call that is freed, as the notifier finds the call by
 * its run: mutant released-call-stays-in-run.
 */
static void sim_check_calls(const struct kpool *pool, const void *ptr)
{
	const struct kpool_worker *worker;
	const struct kpool_run *run;
	struct rb_node *node;

	list_for_each_entry(worker, &pool->mgr.workers, member)
		sim_check_call(&worker->run, ptr);
	for (node = rb_first(&pool->runs.by_task); node; node = rb_next(node))
		for (run = rb_entry(node, struct kpool_run, by_task); run; run = run->outer)
			sim_check_call(run, ptr);
}

void sim_kfree(const void *ptr)
{
	int i;

	for (i = 0; sim && ptr && i < SIM_POOLS; i++)
		if (sim->pool[i].pool && !sim->pool[i].ended)
			sim_check_calls(sim->pool[i].pool, ptr);
	if (sim && ptr)
		sim->nr_allocated--;
	kfree(ptr);
}

/*
 * Check a pool that is freed.  RCU would hide a thread that still returns from
 * it.
 */
void sim_free_pool(struct kpool *pool)
{
	sim_expect(!pool->waiters.nr_users, "a pool is freed, but %u are in it",
		   pool->waiters.nr_users);
	/* a closed pool rechecks one thing; any other keeps it slow */
	sim_expect(pool->nr_recheck == pool->closed,
		   "a pool is freed that rechecks %u things", pool->nr_recheck);
	sim_expect(!pool->faults.nr_dead, "a pool is freed with %u dead threads",
		   pool->faults.nr_dead);
	sim_expect(!pool->q.nr_held && !pool->q.nr_requeue,
		   "a pool is freed that holds %u and %u items", pool->q.nr_held,
		   pool->q.nr_requeue);
	/* each would keep the pool slow, or take room, once reopened */
	sim_expect(!pool->q.nr_special && !pool->q.nr_stream_blocked &&
		   !pool->q.extra_units && !pool->waiters.nr_flushed,
		   "a pool is freed that counts %u special, %u blocked, %llu units, %llu flushed",
		   pool->q.nr_special, pool->q.nr_stream_blocked,
		   pool->q.extra_units, pool->waiters.nr_flushed);
	sim->nr_allocated--;
	kfree_rcu(pool, rcu);
}
