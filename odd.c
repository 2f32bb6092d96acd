// SPDX-License-Identifier: GPL-2.0-only
/*
 * Odd items: those with a weight, a priority, or a job around them.
 *
 * This is the only way from the line and the worker to the rooms of those
 * abilities, and a plain item in a plain pool never comes here: an item without
 * flags is not asked for what it might have, and while nothing odd is pending
 * or blocked (nr_odd), neither is the pool.
 *
 * A run may free its item, so what is needed at its end moves to the worker at
 * its beginning.
 */
#include <linux/module.h>

#include "internal.h"
#include "pending.h"

int kpool_set_weight(struct kpool_item *item, int weight)
{
	if (weight < 1)
		return -EINVAL;
	item->weight = weight;
	item->flags &= ~__KPOOL_HEAVY;
	if (weight > 1)
		item->flags |= __KPOOL_HEAVY;
	return 0;
}
EXPORT_SYMBOL_GPL(kpool_set_weight);

int kpool_set_priority(struct kpool_item *item, enum kpool_priority priority)
{
	static const u8 flags[] = {
		[KPOOL_NORMAL]	= 0,
		[KPOOL_HIGH]	= __KPOOL_HIGH,
		[KPOOL_LOW]	= __KPOOL_LOW,
	};

	if ((unsigned int)priority >= ARRAY_SIZE(flags))
		return -EINVAL;
	item->flags &= ~(__KPOOL_HIGH | __KPOOL_LOW);
	item->flags |= flags[priority];
	return 0;
}
EXPORT_SYMBOL_GPL(kpool_set_priority);

void kpool_init_job(struct kpool_job *job, kpool_item_fn fn)
{
	kpool_debug_init(&job->item);
	*job = (struct kpool_job)KPOOL_JOB_INIT(fn);
}
EXPORT_SYMBOL_GPL(kpool_init_job);

/*
 * Has the job been prepared as one?  A plain item has no flag that would have the
 * engine look at the rest, so what is set there would be without effect.
 */
static int kpool_check_job(struct kpool_job *job)
{
	if (job->item.flags & __KPOOL_JOB)
		return 0;
	if (!(job->item.flags & __KPOOL_NO_JOB))
		pr_warn("the job of %ps was prepared by kpool_init_item(), not by kpool_init_job(): refused\n",
			job->item.fn);
	job->item.flags |= __KPOOL_NO_JOB;
	return -EINVAL;
}

int kpool_set_deadline(struct kpool_job *job, ktime_t deadline)
{
	int err = kpool_check_job(job);

	if (!err)
		job->deadline = deadline;
	return err;
}
EXPORT_SYMBOL_GPL(kpool_set_deadline);

int kpool_set_group(struct kpool_job *job, struct kpool_group *group)
{
	int err = kpool_check_job(job);

	if (!err)
		job->group = group;
	return err;
}
EXPORT_SYMBOL_GPL(kpool_set_group);

int kpool_set_stream(struct kpool_job *job, struct kpool_stream *stream)
{
	int err = kpool_check_job(job);

	if (!err)
		job->stream = stream;
	return err;
}
EXPORT_SYMBOL_GPL(kpool_set_stream);

int kpool_set_complete_fn(struct kpool_job *job, kpool_item_fn complete)
{
	int err = kpool_check_job(job);

	if (!err)
		job->complete = complete;
	return err;
}
EXPORT_SYMBOL_GPL(kpool_set_complete_fn);

/* The job around an item, or NULL. */
static struct kpool_job *kpool_job_or_null(const struct kpool_item *item)
{
	return item->flags & __KPOOL_JOB ?
	       container_of((struct kpool_item *)item, struct kpool_job, item) :
	       NULL;
}

/* Counting */

/* To be called whenever what it depends on has changed. */
void kpool_set_plain_capacity(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	pool->plain_capacity = pool->closed || pool->paused || pool->nr_odd ||
			       pool->nr_ext_runs || !list_empty(&pool->going) ?
			       0 : pool->attrs.capacity;
}

/* An item becomes pending or blocked. */
void kpool_odd_in(struct kpool *pool, struct kpool_item *item)
{
	if (!kpool_is_odd(item))
		return;
	pool->nr_odd++;
	kpool_set_plain_capacity(pool);
}

/* An item is not pending or blocked any more. */
void kpool_odd_out(struct kpool *pool, struct kpool_item *item)
{
	if (!kpool_is_odd(item))
		return;
	pool->nr_odd--;
	kpool_set_plain_capacity(pool);
}

/* An odd item joins the line, or leaves it. */
void kpool_odd_line(struct kpool *pool, struct kpool_item *item, bool in)
{
	int sign = in ? 1 : -1;

	if (item->flags & __KPOOL_FOLLOWS)
		pool->nr_follow += sign;
	else
		pool->extra_line += sign * (s64)(kpool_weight(item) - 1);
}

static bool kpool_any_in_line(const struct kpool *pool, int from, int to)
{
	for (; from <= to; from++)
		if (!list_empty(&pool->lines[from]))
			return true;
	return false;
}

/* Count the starts past a lower priority, until one of those starts. */
static void kpool_count_passed(struct kpool *pool, const struct kpool_item *item)
{
	int rank = kpool_line_of(pool, item) - pool->lines;

	if (!kpool_any_in_line(pool, rank + 1, KPOOL_RANK_LOW) ||
	    kpool_any_in_line(pool, KPOOL_RANK_HIGH, rank - 1))
		pool->nr_passed = 0;
	else
		pool->nr_passed++;
}

/*
 * Some item has been taken out of a line where perhaps not all are plain; one
 * that is dropped instead of started takes nobody's turn.
 */
void kpool_odd_taken(struct kpool *pool, struct kpool_item *item, bool starts)
{
	if (!pool->nr_odd) {
		/* all in line are alike: nobody has been passed */
		pool->nr_passed = 0;
		return;
	}
	if (starts)
		kpool_count_passed(pool, item);
	if (kpool_is_odd(item))
		kpool_odd_line(pool, item, false);
	kpool_odd_out(pool, item);
}

/* The way of an odd item */

/* May it be accepted, room aside? */
int kpool_odd_may_accept(struct kpool *pool, struct kpool_item *item)
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

void kpool_odd_accepted(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->group)
		kpool_group_join(pool, job);
}

/*
 * It comes into the line.  Not before does a job join its stream: a submitter
 * that waits in front of it with another of the stream would follow it then.
 */
void kpool_odd_enters(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->stream)
		kpool_stream_join(pool, job);
	kpool_odd_line(pool, item, true);
}

/* Its turn has come: 0, or the error that it is dropped with. */
int kpool_odd_verdict(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	if (!job)
		return 0;
	if (job->group && kpool_group_is_cancelled(job->group))
		return -ECANCELED;
	return job->deadline && ktime_after(ktime_get(), job->deadline) ?
	       -ETIME : 0;
}

void kpool_odd_begin(struct kpool *pool, struct kpool_run *run,
		     struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);
	unsigned int extra = kpool_units(pool, item) - 1;

	if (item->flags & __KPOOL_WATCHED)
		kpool_move_waiters(pool, item, &run->waiters);
	if (!kpool_is_odd(item))
		return;
	run->special = true;
	run->units += extra;
	pool->used += extra;
	pool->extra_used += extra;
	if (job && job->stream)
		kpool_stream_begin(run, job);
	if (job && job->group)
		run->group = kpool_group_begin(pool, job);
}

/* Ordered streams */

/* The second function of the item, or NULL. */
kpool_item_fn kpool_complete_fn(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	return job ? job->complete : NULL;
}

/* Is the item, taken out of the line, to be completed? */
bool kpool_is_completion(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	return job && job->turn.state == KPOOL_TURN_READY;
}

/* Does the item run, to be completed after that? */
bool kpool_is_to_complete(const struct kpool_item *item)
{
	const struct kpool_run *run = kpool_run_of(item);

	return run && run->to_complete;
}

/* A job whose turn to be completed has come begins its second run. */
void kpool_odd_completes(struct kpool *pool, struct kpool_run *run,
			 struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_of(item);

	pool->nr_completions--;
	kpool_odd_out(pool, item);
	if (item->flags & __KPOOL_WATCHED)
		kpool_move_waiters(pool, item, &run->waiters);
	run->special = true;
	run->result = job->result;
	kpool_stream_complete(run, job);
	if (job->group)
		kpool_group_complete(job);
	run->group = job->group;
}

/*
 * Has the job ended, by its run?  In an ordered stream it has not while it is to
 * be completed.  Then the item has not been freed; else it may be gone, unless
 * its group collects.
 */
bool kpool_odd_end(struct kpool *pool, struct kpool_run *run,
		   struct kpool_item *item, int err, bool lost)
{
	struct kpool_group *group = run->group;
	unsigned int extra = run->units - 1;

	run->special = false;
	run->group = NULL;
	run->units -= extra;
	pool->used -= extra;
	pool->extra_used -= extra;
	if (run->to_complete && !lost) {
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

/* The submitter of a job sleeps: its group may be cancelled meanwhile. */
void kpool_odd_blocked(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->group)
		kpool_group_block(pool, job);
}

/* It does not any more. */
void kpool_odd_unblocked(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->group)
		kpool_group_unblock(pool, job);
}

/* It will be dropped: its group need not look at it again. */
void kpool_odd_doomed(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	lockdep_assert_held(&pool->lock);
	if (job && job->group)
		list_del_init(&job->group_node);
}

/* It has left the line for good and will not run. */
void kpool_odd_given_up(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->stream)
		kpool_stream_leave(pool, job);
}

/* It is not pending any more; the group that it belongs to, or NULL. */
struct kpool_group *kpool_odd_group(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	return job && job->group ? kpool_group_begin(pool, job) : NULL;
}
