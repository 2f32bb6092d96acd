// SPDX-License-Identifier: GPL-2.0-only
/*
 * The jobs of a stream run one at a time, in order.  Those of an ordered stream
 * run in parallel and are completed one at a time, in order.
 *
 * stream->jobs lists the jobs of a plain stream that have been queued and not
 * started.  The first can start if no job of the stream runs.  All others are
 * marked with __KPOOL_STREAM_BLOCKED.  The queue parks a marked job whose turn
 * comes, so that it does not hold back other items.  When the run of the stream
 * ends, the first job is unmarked and, if parked, put back into its queue,
 * ahead of all younger items.
 *
 * For an ordered stream, stream->jobs lists turns to be completed, in the order
 * in which the jobs were queued.  While the job runs, the turn is part of the
 * run, because the memory of a job whose worker died must not be touched.  A
 * job whose function has returned is on pool->q.finished until its turn is the
 * first and no other job of the stream is being completed.  Then it moves to
 * pool->q.completions, from which workers pick items first.
 */
#include <linux/module.h>

#include "debug.h"
#include "internal.h"
#include "queue.h"

static void kpool_init_any_stream(struct kpool_stream *stream,
				  struct kpool *pool, bool ordered)
{
	*stream = (struct kpool_stream) {
		.pool		= pool,
		.ordered	= ordered,
	};
	INIT_LIST_HEAD(&stream->jobs);
}

void kpool_init_stream(struct kpool_stream *stream, struct kpool *pool)
{
	kpool_init_any_stream(stream, pool, false);
}
EXPORT_SYMBOL_GPL(kpool_init_stream);

void kpool_init_ordered_stream(struct kpool_stream *stream, struct kpool *pool)
{
	kpool_init_any_stream(stream, pool, true);
}
EXPORT_SYMBOL_GPL(kpool_init_ordered_stream);

static struct kpool_turn *kpool_first_turn(struct kpool_stream *stream)
{
	return list_first_entry_or_null(&stream->jobs, struct kpool_turn, node);
}

/*
 * Fail a wait that closes a cycle.  Called when the first turn of an ordered
 * stream, or the queue behind it, has changed.  Called with pool->lock held.
 */
void kpool_stream_refuse_at_leader(struct kpool *pool,
				   struct kpool_stream *stream)
{
	lockdep_assert_held(&pool->lock);
	if (pool->waiters.nr_self)
		kpool_waiter_refuse(pool, kpool_cycle_at_leader(pool, stream));
}

/*
 * Have the job of the first turn completed if its function has returned, and no
 * other job of the stream is being completed.  If the function still runs, it
 * can sleep for a later turn: fail that sleep.
 */
static void kpool_stream_next_turn(struct kpool *pool,
				   struct kpool_stream *stream)
{
	struct kpool_turn *turn = kpool_first_turn(stream);
	struct kpool_item *item;

	if (!turn || stream->runner)
		return;
	if (turn->state == KPOOL_TURN_RUNNING)
		kpool_stream_refuse_at_leader(pool, stream);
	if (turn->state != KPOOL_TURN_READY)
		return;
	item = &container_of(turn, struct kpool_job, turn)->item;
	kpool_scan_skip(pool, item);
	list_move_tail(&item->node, &pool->q.completions);
	pool->q.nr_completions++;
	pool->q.nr_queued++;
	kpool_special_add(pool, item);
}

/* Remove a turn whose job will not be completed.  The job can be gone. */
static void kpool_stream_remove_turn(struct kpool *pool,
				     struct kpool_stream *stream,
				     struct kpool_turn *turn)
{
	bool first = turn == kpool_first_turn(stream);

	list_del(&turn->node);
	if (first)
		kpool_stream_next_turn(pool, stream);
}

static void kpool_stream_add_turn(struct kpool *pool,
				  struct kpool_stream *stream,
				  struct kpool_turn *turn)
{
	turn->nr = stream->nr_joined++;
	turn->state = KPOOL_TURN_PENDING;
	list_add_tail(&turn->node, &stream->jobs);
	/* the run of the first turn can sleep for this job already */
	kpool_stream_refuse_at_leader(pool, stream);
}

/*
 * Put an ordered job whose function has returned on pool->q.finished, and
 * move its turn back from the run to the job.  Called with pool->lock held.
 */
void kpool_stream_finished(struct kpool *pool, struct kpool_run *run,
			   struct kpool_job *job)
{
	struct kpool_stream *stream = run->stream;

	lockdep_assert_held(&pool->lock);
	run->stream = NULL;
	run->complete = NULL;
	list_replace(&run->turn.node, &job->turn.node);
	job->turn.state = KPOOL_TURN_READY;
	job->item.state = KPOOL_ITEM_COMPLETING;
	kpool_debug_activate(&job->item);
	kpool_scan_again(pool, &job->item);
	list_add_tail(&job->item.node, &pool->q.finished);
	if (kpool_first_turn(stream) == &job->turn)
		kpool_stream_next_turn(pool, stream);
	/* the run of the first turn can sleep for this job, through others */
	else
		kpool_stream_refuse_at_leader(pool, stream);
}

/*
 * Begin to complete a job, which leaves stream->jobs and occupies the stream.
 * Called with pool->lock held.
 */
void kpool_stream_begin_completion(struct kpool_run *run, struct kpool_job *job)
{
	lockdep_assert_held(&job->stream->pool->lock);
	list_del(&job->turn.node);
	job->turn.state = KPOOL_TURN_PENDING;
	run->stream = job->stream;
	run->stream->runner = run;
}

/* Fail a wait that closes a cycle, once @item has to wait for another run. */
static void kpool_stream_refuse_through(struct kpool *pool,
					const struct kpool_item *item)
{
	if (pool->waiters.nr_self)
		kpool_waiter_refuse(pool, kpool_cycle_through(pool, item));
}

/*
 * Add a job to its stream, if it has one, when it is queued.  Not earlier: a
 * submitter blocked ahead of it, with a job of the same stream, would be
 * ordered behind it.  Called with pool->lock held.
 */
void kpool_stream_join(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);
	struct kpool_stream *stream = job ? job->stream : NULL;

	lockdep_assert_held(&pool->lock);
	if (!stream)
		return;
	if (stream->ordered) {
		kpool_stream_add_turn(pool, stream, &job->turn);
		return;
	}
	list_add_tail(&job->stream_node, &stream->jobs);
	if (!stream->runner && list_is_first(&job->stream_node, &stream->jobs))
		return;
	item->flags |= __KPOOL_STREAM_BLOCKED;
	kpool_stream_refuse_through(pool, item);
}

/*
 * Update what refused jobs lack when @stream is idle: a job refused because of
 * it now lacks free units at most.  room_stream_units need not be cleared: they
 * are not less than room_units until both are cleared.
 */
static void kpool_stream_idle(struct kpool *pool, struct kpool_stream *stream)
{
	unsigned int *least = pool->q.room_units;
	unsigned int *units = pool->q.room_stream_units;
	int prio;

	if (stream->refused != pool->q.room_epoch)
		return;
	pool->q.room_epoch++;
	for (prio = 0; prio < KPOOL_NR_QUEUES; prio++)
		least[prio] = min_not_zero(least[prio], units[prio]);
}

/* Unblock the first job of a plain stream, of which no job runs. */
static void kpool_stream_next(struct kpool *pool, struct kpool_stream *stream)
{
	struct kpool_item *item;

	if (list_empty(&stream->jobs)) {
		kpool_stream_idle(pool, stream);
		return;
	}
	item = &list_first_entry(&stream->jobs, struct kpool_job,
				 stream_node)->item;
	if (item->state == KPOOL_ITEM_QUEUED)
		kpool_prio_account(pool, item, false);
	item->flags &= ~__KPOOL_STREAM_BLOCKED;
	if (item->state == KPOOL_ITEM_QUEUED) {
		kpool_hold(pool, item);
		kpool_prio_account(pool, item, true);
	} else if (item->state == KPOOL_ITEM_PARKED) {
		kpool_unpark(pool, item);
	}
	/* its own run was not looked at while it waited for the stream */
	if (kpool_run_of(item))
		kpool_stream_refuse_through(pool, item);
}

/*
 * Begin the run of a job: occupy a plain stream, or move the turn to the run.
 * Called with pool->lock held.
 */
void kpool_stream_begin(struct kpool_run *run, struct kpool_job *job)
{
	lockdep_assert_held(&job->stream->pool->lock);
	run->stream = job->stream;
	if (run->stream->ordered) {
		run->complete = job->complete;
		run->turn.nr = job->turn.nr;
		run->turn.state = KPOOL_TURN_RUNNING;
		job->turn.state = KPOOL_TURN_RUNNING;
		list_replace(&job->turn.node, &run->turn.node);
		return;
	}
	list_del(&job->stream_node);
	run->stream->runner = run;
}

/*
 * End the run of a job, or its completion.  The run of an ordered job ends here
 * only if the worker died in it, otherwise in kpool_stream_finished().  Called
 * with pool->lock held.
 */
void kpool_stream_end(struct kpool *pool, struct kpool_run *run)
{
	struct kpool_stream *stream = run->stream;

	lockdep_assert_held(&pool->lock);
	run->stream = NULL;
	if (run->complete) {
		run->complete = NULL;
		kpool_stream_remove_turn(pool, stream, &run->turn);
		return;
	}
	stream->runner = NULL;
	if (stream->ordered)
		kpool_stream_next_turn(pool, stream);
	else
		kpool_stream_next(pool, stream);
}

/*
 * Remove a job that has been dequeued and will not run from its stream.  Called
 * with pool->lock held.
 */
void kpool_stream_leave(struct kpool *pool, struct kpool_item *item)
{
	bool first = !(item->flags & __KPOOL_STREAM_BLOCKED);
	struct kpool_job *job = kpool_job_or_null(item);
	struct kpool_stream *stream = job ? job->stream : NULL;

	lockdep_assert_held(&pool->lock);
	if (!stream)
		return;
	if (stream->ordered) {
		kpool_stream_remove_turn(pool, stream, &job->turn);
		return;
	}
	list_del(&job->stream_node);
	item->flags &= ~__KPOOL_STREAM_BLOCKED;
	if (first)
		kpool_stream_next(pool, stream);
	else if (kpool_run_of(item))
		kpool_stream_refuse_through(pool, item);
}
