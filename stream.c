// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams: jobs that run one at a time, in order.
 *
 * stream->jobs are those that have come into the line and not started.  While
 * none of the stream runs, the first of them is like any other item; all others,
 * and all while one runs, carry the flag __KPOOL_FOLLOWS.  A job whose turn in line comes
 * while it follows is set aside, so that it holds back nobody; when the one
 * before it has ended, it is first in line.
 */
#include <linux/module.h>

#include "internal.h"
#include "pending.h"

void kpool_init_stream(struct kpool_stream *stream, struct kpool *pool)
{
	stream->pool = pool;
	stream->runner = NULL;
	INIT_LIST_HEAD(&stream->jobs);
}
EXPORT_SYMBOL_GPL(kpool_init_stream);

/* Must the item, accepted or about to be, wait for another of its stream? */
bool kpool_must_follow(const struct kpool_item *item)
{
	const struct kpool_stream *stream;

	if (!(item->flags & __KPOOL_JOB) ||
	    (kpool_is_accepted(item) && item->place != KPOOL_DUE))
		return item->flags & __KPOOL_FOLLOWS;
	stream = container_of(item, struct kpool_job, item)->stream;
	return stream && (stream->runner || !list_empty(&stream->jobs));
}

void kpool_stream_join(struct kpool *pool, struct kpool_job *job)
{
	struct kpool_stream *stream = job->stream;

	lockdep_assert_held(&pool->lock);
	list_add_tail(&job->stream_node, &stream->jobs);
	if (!stream->runner && list_is_first(&job->stream_node, &stream->jobs))
		return;
	job->item.flags |= __KPOOL_FOLLOWS;
	kpool_refuse_circle(pool, &job->item);
}

/* The turn of a job that follows has come. */
void kpool_set_aside(struct kpool *pool, struct kpool_item *item)
{
	kpool_remove(pool, item);
	item->place = KPOOL_ASIDE;
	list_add_tail(&item->node, &pool->aside);
	pool->nr_aside++;
	kpool_odd_in(pool, item);
}

/* Nothing of the stream runs: its first job need not wait for it any more. */
static void kpool_stream_next(struct kpool *pool, struct kpool_stream *stream)
{
	struct kpool_item *item;

	if (list_empty(&stream->jobs)) {
		/* a submitter refused behind some stream now lacks units alone */
		if (pool->room_follow)
			pool->room_units = min(pool->room_units, pool->room_follow);
		pool->room_follow = 0;
		return;
	}
	item = &list_first_entry(&stream->jobs, struct kpool_job,
				 stream_node)->item;
	if (item->place == KPOOL_IN_LINE)
		kpool_odd_line(pool, item, false);
	item->flags &= ~__KPOOL_FOLLOWS;
	if (item->place == KPOOL_IN_LINE)
		kpool_odd_line(pool, item, true);
	else if (item->place == KPOOL_ASIDE)
		kpool_push_front(pool, item);
}

void kpool_stream_begin(struct kpool_run *run, struct kpool_job *job)
{
	list_del(&job->stream_node);
	run->stream = job->stream;
	run->stream->runner = run;
}

void kpool_stream_end(struct kpool *pool, struct kpool_run *run)
{
	struct kpool_stream *stream = run->stream;

	run->stream = NULL;
	stream->runner = NULL;
	kpool_stream_next(pool, stream);
}

/* A job of the stream will not run.  It has been taken out of the line. */
void kpool_stream_leave(struct kpool *pool, struct kpool_job *job)
{
	bool first = !(job->item.flags & __KPOOL_FOLLOWS);

	lockdep_assert_held(&pool->lock);
	list_del(&job->stream_node);
	job->item.flags &= ~__KPOOL_FOLLOWS;
	if (first)
		kpool_stream_next(pool, job->stream);
}
