// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams: jobs that run one at a time, in order, or are completed so.
 *
 * stream->jobs are those that have come into the line and not started.  While
 * none of the stream runs, the first of them is like any other item; all others,
 * and all while one runs, carry the flag __KPOOL_STREAM_BLOCKED.  A job whose turn in line comes
 * while it follows is set aside, so that it holds back nobody; when the one
 * before it has ended, it is first in line.
 *
 * An ordered stream does not hold its jobs back.  Its stream->jobs are the turns
 * to be completed: those of jobs that have come into the line, and of their runs,
 * as a dead job's memory must not be touched.  A job whose function has returned
 * waits on pool->q.finished.  When its turn is the first, and while no other of the
 * stream is being completed, it goes to pool->q.completions, and a worker takes it
 * from there before any item in line.
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

static void kpool_refuse_if(struct kpool *pool, struct kpool_waiter *victim)
{
	if (victim)
		kpool_waiter_refuse(pool, victim);
}

/* If the first turn has come, its job is next in line. */
static void kpool_stream_next_turn(struct kpool *pool,
				   struct kpool_stream *stream)
{
	struct kpool_turn *turn = kpool_first_turn(stream);
	struct kpool_item *item;

	if (!turn || stream->runner)
		return;
	if (turn->state == KPOOL_TURN_RUNNING)
		kpool_refuse_if(pool, kpool_cycle_at_leader(pool, stream));
	if (turn->state != KPOOL_TURN_READY)
		return;
	item = &container_of(turn, struct kpool_job, turn)->item;
	kpool_scan_skip(pool, item);
	list_move_tail(&item->node, &pool->q.completions);
	pool->q.nr_completions++;
	pool->q.nr_queued++;
	kpool_special_add(pool, item);
}

/* A turn will not come.  The job of a run may be dead. */
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
	/* the first may sleep for a job that has been delayed until now */
	kpool_refuse_if(pool, kpool_cycle_at_leader(pool, stream));
}

/* The function of a job has returned: the job waits for its turn. */
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
	kpool_debug_accepted(&job->item);
	kpool_scan_again(pool, &job->item);
	list_add_tail(&job->item.node, &pool->q.finished);
	if (kpool_first_turn(stream) == &job->turn)
		kpool_stream_next_turn(pool, stream);
}

/* The job is about to be completed. */
void kpool_stream_complete(struct kpool_run *run, struct kpool_job *job)
{
	list_del(&job->turn.node);
	job->turn.state = KPOOL_TURN_PENDING;
	run->stream = job->stream;
	run->stream->runner = run;
}

void kpool_stream_join(struct kpool *pool, struct kpool_job *job)
{
	struct kpool_stream *stream = job->stream;

	lockdep_assert_held(&pool->lock);
	if (stream->ordered) {
		kpool_stream_add_turn(pool, stream, &job->turn);
		return;
	}
	list_add_tail(&job->stream_node, &stream->jobs);
	if (!stream->runner && list_is_first(&job->stream_node, &stream->jobs))
		return;
	job->item.flags |= __KPOOL_STREAM_BLOCKED;
	kpool_refuse_if(pool, kpool_cycle_through(pool, &job->item));
}

/* Nothing of the stream runs: its first job need not wait for it any more. */
static void kpool_stream_next(struct kpool *pool, struct kpool_stream *stream)
{
	struct kpool_item *item;

	if (list_empty(&stream->jobs)) {
		/* a submitter refused behind some stream now lacks units alone */
		if (pool->q.room_stream_units)
			pool->q.room_units = min(pool->q.room_units, pool->q.room_stream_units);
		pool->q.room_stream_units = 0;
		return;
	}
	item = &list_first_entry(&stream->jobs, struct kpool_job,
				 stream_node)->item;
	if (item->state == KPOOL_ITEM_QUEUED)
		kpool_special_account(pool, item, false);
	item->flags &= ~__KPOOL_STREAM_BLOCKED;
	if (item->state == KPOOL_ITEM_QUEUED)
		kpool_special_account(pool, item, true);
	else if (item->state == KPOOL_ITEM_PARKED)
		kpool_unpark(pool, item);
}

void kpool_stream_begin(struct kpool_run *run, struct kpool_job *job)
{
	run->stream = job->stream;
	if (run->stream->ordered) {
		run->complete = job->complete;
		run->turn.nr = job->turn.nr;
		run->turn.state = KPOOL_TURN_RUNNING;
		list_replace(&job->turn.node, &run->turn.node);
		return;
	}
	list_del(&job->stream_node);
	run->stream->runner = run;
}

void kpool_stream_end(struct kpool *pool, struct kpool_run *run)
{
	struct kpool_stream *stream = run->stream;

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

/* A job of the stream will not run.  It has been taken out of the line. */
void kpool_stream_leave(struct kpool *pool, struct kpool_job *job)
{
	bool first = !(job->item.flags & __KPOOL_STREAM_BLOCKED);

	lockdep_assert_held(&pool->lock);
	if (job->stream->ordered) {
		kpool_stream_remove_turn(pool, job->stream, &job->turn);
		return;
	}
	list_del(&job->stream_node);
	job->item.flags &= ~__KPOOL_STREAM_BLOCKED;
	if (first)
		kpool_stream_next(pool, job->stream);
}
