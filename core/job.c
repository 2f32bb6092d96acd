// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks for what a job has beyond an item: a group, a stream, a deadline.
 *
 * Plain items skip most of them with one test of item->flags.  A hook does
 * nothing for a job without the group or stream in question.  All are called
 * with pool->lock held.
 */
#include <linux/ktime.h>

#include "internal.h"

/* Return 0 if the item can be accepted, not considering room, or an error. */
int kpool_special_check(struct kpool *pool, struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	if ((item->flags & (__KPOOL_JOB | __KPOOL_JOB_SET)) == __KPOOL_JOB_SET ||
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

/* Add an accepted job to its group. */
void kpool_special_accept(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->group)
		kpool_group_join(pool, job);
}

/*
 * Add a job to its stream when it is queued.  Not earlier: a submitter blocked
 * ahead of it, with a job of the same stream, would be ordered behind it.
 */
void kpool_special_enqueue(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->stream)
		kpool_stream_join(pool, job);
}

/* Return 0 if the dequeued item can start, or the error to drop it with. */
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

/* Add a job to its group's list of blocked jobs, for kpool_group_cancel(). */
void kpool_special_block(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->group)
		kpool_group_block(pool, job);
}

/* Remove a job from its group's list of blocked jobs. */
void kpool_special_unblock(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->group)
		kpool_group_unblock(pool, job);
}

/* Remove a job that will be dropped from its group's list of pending jobs. */
void kpool_special_drop(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	lockdep_assert_held(&pool->lock);
	if (job && job->group)
		list_del_init(&job->group_node);
}

/* Remove a job that will not run from its stream. */
void kpool_special_dequeue_dead(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->stream)
		kpool_stream_leave(pool, job);
}

/*
 * Remove a job that is not pending any more from its group's list.  Return the
 * group, which the caller passes to kpool_group_end(), or NULL.
 */
struct kpool_group *kpool_special_take_group(struct kpool *pool,
					     struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	return job && job->group ? kpool_group_begin(pool, job) : NULL;
}
