// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a job has beyond an item: a group, a stream, a deadline.
 *
 * Admission, the queue and the runs call these hooks for special items; a job
 * without the ability in question passes through.
 */
#include <linux/ktime.h>

#include "internal.h"

/* May it be accepted, room aside? */
int kpool_special_check(struct kpool *pool, struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	if (item->flags & __KPOOL_NO_JOB ||
	    kpool_weight(item) > (u32)pool->attrs.capacity)
		return -EINVAL;
	if (!job)
		return 0;
	if (job->stream && job->stream->pool != pool)
		return -EINVAL;
	if (!job->complete == kpool_is_ordered(item))
		return -EINVAL;
	if (kpool_is_to_complete(item))
		return -EALREADY;
	if (job->group && job->group->pool != pool)
		return -EINVAL;
	return job->group && kpool_group_is_cancelled(job->group) ?
	       -ECANCELED : 0;
}

void kpool_special_accept(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->group)
		kpool_group_join(pool, job);
}

/*
 * It comes into the line.  Not before does a job join its stream: a submitter
 * that waits in front of it with another of the stream would follow it then.
 */
void kpool_special_enqueue(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->stream)
		kpool_stream_join(pool, job);
}

/* Its turn has come: 0, or the error that it is dropped with. */
int kpool_check_start(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	if (!job)
		return 0;
	if (job->group && kpool_group_is_cancelled(job->group))
		return -ECANCELED;
	return job->deadline && ktime_after(ktime_get(), job->deadline) ?
	       -ETIME : 0;
}

/* The submitter of a job sleeps: its group may be cancelled meanwhile. */
void kpool_special_block(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->group)
		kpool_group_block(pool, job);
}

/* It does not any more. */
void kpool_special_unblock(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->group)
		kpool_group_unblock(pool, job);
}

/* It will be dropped: its group need not look at it again. */
void kpool_special_drop(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	lockdep_assert_held(&pool->lock);
	if (job && job->group)
		list_del_init(&job->group_node);
}

/* It has left the line for good and will not run. */
void kpool_special_dequeue_dead(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->stream)
		kpool_stream_leave(pool, job);
}

/* It is not pending any more; the group that it belongs to, or NULL. */
struct kpool_group *kpool_special_take_group(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	return job && job->group ? kpool_group_begin(pool, job) : NULL;
}
