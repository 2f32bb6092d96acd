// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups: many jobs as one.
 *
 * A group belongs to one pool, and its fields are guarded by that pool's lock.
 * It counts its jobs from their acceptance to their end, and its children that
 * have any; group->pending are the jobs that have not started.  A job that
 * starts leaves that list, because its function may free it; one of a group
 * that collects comes to group->ended when its run is over.  group->blocked are
 * the jobs of sleeping submitters.
 *
 * A cancelled group accepts nothing.  kpool_recheck() sends away its sleeping
 * submitters, has what is pending dropped, and does the same to its children, a
 * few under each hold of the lock.  The way up, to the parent of all,
 * is walked under one hold of the lock: that is why it is short.
 */
#include <linux/module.h>

#include "internal.h"
#include "lock.h"
#include "queue.h"

int kpool_init_group(struct kpool_group *group, struct kpool *pool,
		     struct kpool_group *parent, unsigned int flags)
{
	if (flags & ~(KPOOL_GROUP_FAIL_FAST | KPOOL_GROUP_COLLECT))
		return -EINVAL;
	if (parent && (parent->pool != pool ||
		       parent->depth + 1 == KPOOL_GROUP_MAX_DEPTH))
		return -EINVAL;
	*group = (struct kpool_group) {
		.pool	= pool,
		.parent	= parent,
		.flags	= flags,
		.depth	= parent ? parent->depth + 1 : 0,
	};
	INIT_LIST_HEAD(&group->pending);
	INIT_LIST_HEAD(&group->ended);
	INIT_LIST_HEAD(&group->children);
	INIT_LIST_HEAD(&group->sibling);
	INIT_LIST_HEAD(&group->cancel_node);
	INIT_LIST_HEAD(&group->blocked);
	INIT_LIST_HEAD(&group->waiters);
	INIT_LIST_HEAD(&group->failed_waiters);
	INIT_LIST_HEAD(&group->next_waiters);
	return 0;
}
EXPORT_SYMBOL_GPL(kpool_init_group);

/* Has the group, or one that it belongs to, been cancelled? */
bool kpool_group_is_cancelled(const struct kpool_group *group)
{
	for (; group; group = group->parent)
		if (group->cancelled)
			return true;
	return false;
}

/* Is it the group itself, or one that it belongs to? */
static bool kpool_group_is_within(const struct kpool_group *group,
				  const struct kpool_group *outer)
{
	for (; group; group = group->parent)
		if (group == outer)
			return true;
	return false;
}

/* Counting */

/* A group is among its parent's children while something of it is accepted or blocked. */
static void kpool_group_add_member(struct kpool_group *group)
{
	for (; group && !group->members++; group = group->parent)
		if (group->parent)
			list_add_tail(&group->sibling,
				      &group->parent->children);
}

/* Nothing is left in a cancelled group that has to be taken out. */
void kpool_group_swept(struct kpool_group *group)
{
	if (list_empty(&group->cancel_node))
		return;
	list_del_init(&group->cancel_node);
	group->pool->nr_recheck--;
}

static void kpool_group_remove_member(struct kpool_group *group)
{
	struct kpool_group *parent;

	for (; group && !--group->members; group = parent) {
		parent = group->parent;
		list_del_init(&group->sibling);
		kpool_group_swept(group);
	}
}

/* One more accepted job. */
static void kpool_group_get(struct kpool_group *group)
{
	kpool_group_add_member(group);
	for (; group && !group->left++; group = group->parent)
		;
}

/* One less.  The group may be gone once its waiters are told. */
static void kpool_group_put(struct kpool *pool, struct kpool_group *group)
{
	struct kpool_group *last = group;

	for (; group && !--group->left; group = group->parent) {
		kpool_waiter_complete_list(pool, &group->waiters, false);
		kpool_waiter_complete_list(pool, &group->next_waiters, false);
		kpool_waiter_complete_list(pool, &group->failed_waiters, true);
	}
	kpool_group_remove_member(last);
}

/* Wake one of those that wait for the next to end. */
static void kpool_group_complete_next(struct kpool *pool,
				      struct kpool_group *group)
{
	if (!list_empty(&group->next_waiters))
		list_move_tail(group->next_waiters.next, &pool->waiters.done);
}

/* A worker died in a job: the waiters for all of the group are told of it. */
void kpool_group_fail_waiters(struct kpool_group *group)
{
	for (; group; group = group->parent)
		list_splice_tail_init(&group->waiters, &group->failed_waiters);
}

/* Cancelling */

void kpool_group_queue_cancel(struct kpool *pool, struct kpool_group *group)
{
	if (!group->members || !list_empty(&group->cancel_node))
		return;
	list_add_tail(&group->cancel_node, &pool->drops.cancelled_groups);
	pool->nr_recheck++;
}

static void kpool_group_do_cancel(struct kpool *pool, struct kpool_group *group)
{
	lockdep_assert_held(&pool->lock);
	if (group->cancelled)
		return;
	group->cancelled = true;
	kpool_group_queue_cancel(pool, group);
}

void kpool_group_cancel(struct kpool_group *group)
{
	struct kpool *pool = group->pool;
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	kpool_group_do_cancel(pool, group);
	kpool_unlock(pool, flags);
}
EXPORT_SYMBOL_GPL(kpool_group_cancel);

/* The first error of a job is that of all the groups it belongs to. */
static void kpool_group_fail(struct kpool *pool, struct kpool_group *group,
			     int err)
{
	for (; group; group = group->parent) {
		if (!group->error)
			group->error = err;
		if (group->flags & KPOOL_GROUP_FAIL_FAST)
			kpool_group_do_cancel(pool, group);
	}
}

/* The way of a job */

void kpool_group_join(struct kpool *pool, struct kpool_job *job)
{
	lockdep_assert_held(&pool->lock);
	list_add_tail(&job->group_node, &job->group->pending);
	kpool_group_get(job->group);
}

/* The submitter of a job sleeps. */
void kpool_group_block(struct kpool *pool, struct kpool_job *job)
{
	lockdep_assert_held(&pool->lock);
	list_add_tail(&job->group_node, &job->group->blocked);
	kpool_group_add_member(job->group);
}

void kpool_group_unblock(struct kpool *pool, struct kpool_job *job)
{
	lockdep_assert_held(&pool->lock);
	list_del(&job->group_node);
	kpool_group_remove_member(job->group);
}

/* A job is not pending any more; its group is to be told of its end. */
struct kpool_group *kpool_group_begin(struct kpool *pool, struct kpool_job *job)
{
	struct kpool_group *group = job->group;

	lockdep_assert_held(&pool->lock);
	list_del(&job->group_node);
	if (group->flags & KPOOL_GROUP_COLLECT)
		job->item.state = KPOOL_ITEM_DONE;
	return group;
}

/* The job, which has begun before, begins to be completed. */
void kpool_group_complete(struct kpool_job *job)
{
	if (job->group->flags & KPOOL_GROUP_COLLECT)
		job->item.state = KPOOL_ITEM_DONE;
}

/* A job has ended; it may be gone, unless the group collects. */
void kpool_group_end(struct kpool *pool, struct kpool_group *group,
		     struct kpool_item *item, int result, bool failed)
{
	lockdep_assert_held(&pool->lock);
	if (failed)
		kpool_group_fail(pool, group, result);
	if (group->flags & KPOOL_GROUP_COLLECT) {
		kpool_job_of(item)->result = result;
		list_add_tail(&kpool_job_of(item)->group_node, &group->ended);
		kpool_group_complete_next(pool, group);
	}
	kpool_group_put(pool, group);
}

/* Waiting */

/* Is the caller in a job of the group, or in a dropped function of one? */
static bool kpool_group_has_caller(const struct kpool_group *group)
{
	const struct kpool_run *run = kpool_current_run(group->pool);

	for (; run; run = run->outer)
		if (kpool_group_is_within(run->group, group))
			return true;
	return false;
}

/* Sleep for the group, unless the caller is part of it; lock held. */
static int kpool_group_sleep(struct kpool_group *group,
			     enum kpool_waiter_kind kind, unsigned long timeout,
			     unsigned int signals)
{
	struct kpool *pool = group->pool;
	struct kpool_waiter waiter;

	if (kpool_group_has_caller(group))
		return -EDEADLK;
	kpool_waiter_init(&waiter, kind, NULL);
	list_add_tail(&waiter.node, kind == KPOOL_WAITER_NEXT ?
		      &group->next_waiters : &group->waiters);
	return kpool_wait(pool, &waiter, min_t(unsigned long, timeout,
					       MAX_SCHEDULE_TIMEOUT), signals);
}

static int __kpool_group_wait(struct kpool_group *group, unsigned long timeout,
			      unsigned int signals)
{
	struct kpool *pool = group->pool;
	unsigned long flags;
	int err = 0;

	might_sleep();
	if (timeout)
		kpool_lockdep_wait_pool(pool);
	raw_spin_lock_irqsave(&pool->lock, flags);
	if (group->left)
		err = kpool_group_sleep(group, KPOOL_WAITER_GROUP, timeout,
					signals);
	kpool_unlock(pool, flags);
	return err;
}

int kpool_group_wait(struct kpool_group *group, unsigned long timeout)
{
	return __kpool_group_wait(group, timeout, 0);
}
EXPORT_SYMBOL_GPL(kpool_group_wait);

int kpool_group_wait_killable(struct kpool_group *group, unsigned long timeout)
{
	return __kpool_group_wait(group, timeout, TASK_WAKEKILL);
}
EXPORT_SYMBOL_GPL(kpool_group_wait_killable);

int kpool_group_wait_interruptible(struct kpool_group *group,
				   unsigned long timeout)
{
	return __kpool_group_wait(group, timeout, TASK_INTERRUPTIBLE);
}
EXPORT_SYMBOL_GPL(kpool_group_wait_interruptible);

int kpool_group_error(struct kpool_group *group)
{
	struct kpool *pool = group->pool;
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&pool->lock, flags);
	err = group->error;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_group_error);

static struct kpool_job *kpool_group_pop(struct kpool_group *group)
{
	struct kpool_job *job;

	job = list_first_entry_or_null(&group->ended, struct kpool_job,
				       group_node);
	if (job) {
		list_del(&job->group_node);
		job->item.state = KPOOL_ITEM_IDLE;
	}
	return job;
}

struct kpool_job *kpool_group_next(struct kpool_group *group,
				   unsigned long timeout)
{
	unsigned long end = jiffies + timeout;
	struct kpool *pool = group->pool;
	struct kpool_job *job;
	unsigned long flags;
	int err = 0;

	might_sleep();
	if (!(group->flags & KPOOL_GROUP_COLLECT))
		return ERR_PTR(-EINVAL);
	if (timeout)
		kpool_lockdep_wait_pool(pool);
	raw_spin_lock_irqsave(&pool->lock, flags);
	/* another caller may take what this one was woken for */
	while (!(job = kpool_group_pop(group)) && group->left && !err) {
		err = kpool_group_sleep(group, KPOOL_WAITER_NEXT, timeout, 0);
		if (timeout < MAX_SCHEDULE_TIMEOUT)
			timeout = max_t(long, end - jiffies, 0);
	}
	kpool_unlock(pool, flags);
	return job ?: ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(kpool_group_next);
