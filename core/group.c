// SPDX-License-Identifier: GPL-2.0-only
/*
 * A group is a set of jobs that can be waited for and cancelled together.
 *
 * All fields are protected by the lock of the group's pool; fast operations
 * look at some without it, see kpool_can_end_fast().  group->left counts the
 * jobs from submission to end, and the children that have any.  group->pending
 * lists the jobs that have not started, group->blocked those of blocked
 * submitters.  A job leaves the list when it enters the ready ring or starts,
 * because its function can free it.  In a KPOOL_GROUP_COLLECT group it is added
 * to group->ended when it has ended.
 *
 * A cancelled group accepts no jobs.  kpool_sweep_groups() fails its blocked
 * submitters, has its pending jobs dropped, and cancels its children, a few
 * under each hold of the lock.  The chain of parents is walked under one hold,
 * and therefore limited to KPOOL_GROUP_MAX_DEPTH.
 */
#include <linux/module.h>

#include "debug.h"
#include "internal.h"
#include "lock.h"

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

/* Return true if @group is @outer, or within it. */
static bool kpool_group_is_within(const struct kpool_group *group,
				  const struct kpool_group *outer)
{
	for (; group; group = group->parent)
		if (group == outer)
			return true;
	return false;
}

/* Counting */

/*
 * Count an accepted or blocked job, or a child that has one.  While the count
 * is not 0, the group is on its parent's list of children.
 */
static void kpool_group_add_member(struct kpool_group *group)
{
	for (; group && !group->members++; group = group->parent)
		if (group->parent)
			list_add_tail(&group->sibling,
				      &group->parent->children);
}

/*
 * Finish the sweep of a cancelled group: there are no more jobs to remove.
 * Called with pool->lock held.
 */
void kpool_group_swept(struct kpool_group *group)
{
	lockdep_assert_held(&group->pool->lock);
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
		/* the parent can be used again, and cancelled again */
		group->swept = false;
		kpool_group_swept(group);
	}
}

/* Count an accepted job. */
static void kpool_group_get(struct kpool_group *group)
{
	/* no parent counts more than one for this group */
	if (likely(group->left)) {
		group->left++;
		group->members++;
		return;
	}
	kpool_group_add_member(group);
	for (; group && !group->left++; group = group->parent)
		;
}

/*
 * Count a job that has ended.  Called with pool->lock held; the owner can free
 * the group once the lock is dropped after the last job.
 */
static void kpool_group_put(struct kpool *pool, struct kpool_group *group)
{
	struct kpool_group *last = group;

	lockdep_assert_held(&pool->lock);
	for (; group && !--group->left; group = group->parent) {
		kpool_waiter_complete_list(pool, &group->waiters, false);
		kpool_waiter_complete_list(pool, &group->next_waiters, false);
		kpool_waiter_complete_list(pool, &group->failed_waiters, true);
	}
	kpool_group_remove_member(last);
}

/* Complete one waiter of kpool_group_next(). */
static void kpool_group_complete_next(struct kpool *pool,
				      struct kpool_group *group)
{
	LIST_HEAD(next);

	if (!list_empty(&group->next_waiters))
		list_move(group->next_waiters.next, &next);
	kpool_waiter_complete_list(pool, &next, false);
}

/* Cancelling */

/*
 * Leave a cancelled group to kpool_sweep_groups(), if it has jobs at all.
 * Called with pool->lock held.
 */
void kpool_group_queue_cancel(struct kpool *pool, struct kpool_group *group)
{
	lockdep_assert_held(&pool->lock);
	if (!group->members || !list_empty(&group->cancel_node))
		return;
	list_add_tail(&group->cancel_node, &pool->drops.cancelled_groups);
	pool->nr_recheck++;
}

/* Cancel the group, if it is not.  Called with pool->lock held. */
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

	kpool_lock(pool, &flags);
	kpool_group_do_cancel(pool, group);
	kpool_unlock(pool, flags);
}
EXPORT_SYMBOL_GPL(kpool_group_cancel);

/*
 * Record the first error of a job in all groups that it is within.  The jobs of
 * an aborted pool are left to the aborter, which has to return after their drop
 * functions.
 */
static void kpool_group_fail(struct kpool *pool, struct kpool_group *group,
			     int err)
{
	for (; group; group = group->parent) {
		if (!group->error)
			group->error = err;
		if (!(group->flags & KPOOL_GROUP_FAIL_FAST))
			continue;
		if (pool->aborted)
			group->cancelled = true;
		else
			kpool_group_do_cancel(pool, group);
	}
}

/* Members */

/* Add an accepted job to its group.  Called with pool->lock held. */
void kpool_group_join(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_group *group = kpool_group_of(item);

	lockdep_assert_held(&pool->lock);
	if (!group)
		return;
	list_add_tail(&kpool_job_of(item)->group_node, &group->pending);
	kpool_group_get(group);
}

/*
 * Add the job of a blocked submitter to its group, for kpool_group_cancel().
 * Called with pool->lock held.
 */
void kpool_group_block(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_group *group = kpool_group_of(item);

	lockdep_assert_held(&pool->lock);
	if (!group)
		return;
	list_add_tail(&kpool_job_of(item)->group_node, &group->blocked);
	kpool_group_add_member(group);
}

/* Undo kpool_group_block().  Called with pool->lock held. */
void kpool_group_unblock(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_group *group = kpool_group_of(item);

	lockdep_assert_held(&pool->lock);
	if (!group)
		return;
	list_del(&kpool_job_of(item)->group_node);
	kpool_group_remove_member(group);
}

/*
 * Remove a job that starts, is cancelled or has its drop function called from
 * the list of pending jobs.  Return its group, which the caller passes to
 * kpool_group_end(), or NULL.  Called with pool->lock held.
 */
struct kpool_group *kpool_group_begin(struct kpool *pool,
				      struct kpool_item *item)
{
	struct kpool_group *group = kpool_group_of(item);

	lockdep_assert_held(&pool->lock);
	if (!group)
		return NULL;
	list_del(&kpool_job_of(item)->group_node);
	if (group->flags & KPOOL_GROUP_COLLECT)
		item->state = KPOOL_ITEM_DONE;
	return group;
}

/*
 * Account for a job that has ended.  @item can have been freed, unless the
 * group collects its jobs.  Called with pool->lock held.
 */
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

/* Return true if the caller is in a job of the group, or its drop function. */
static bool kpool_group_has_caller(const struct kpool_group *group)
{
	const struct kpool_run *run = kpool_current_run(group->pool);

	for (; run; run = run->outer)
		if (kpool_group_is_within(run->group, group))
			return true;
	return false;
}

/*
 * Sleep on the group, or return -EDEADLK if the caller is part of it.  Called
 * with pool->lock held, which is dropped while asleep.
 */
static int kpool_group_sleep(struct kpool_group *group,
			     enum kpool_waiter_kind kind, unsigned long timeout,
			     unsigned int signals)
{
	struct kpool *pool = group->pool;
	struct kpool_waiter waiter;

	lockdep_assert_held(&pool->lock);
	if (kpool_group_has_caller(group))
		return -EDEADLK;
	kpool_waiter_init(&waiter, kind, NULL);
	list_add_tail(&waiter.node, kind == KPOOL_WAITER_NEXT ?
		      &group->next_waiters : &group->waiters);
	return kpool_wait(pool, &waiter, timeout, signals);
}

static int __kpool_group_wait(struct kpool_group *group, unsigned long timeout,
			      unsigned int signals)
{
	struct kpool *pool = group->pool;
	int err = 0;

	might_sleep();
	if (timeout)
		kpool_lockdep_wait_pool(pool);
	kpool_lock_irq(pool);
	if (group->left)
		err = kpool_group_sleep(group, KPOOL_WAITER_GROUP, timeout,
					signals);
	kpool_unlock_irq(pool);
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

	kpool_lock(pool, &flags);
	err = group->error;
	kpool_unlock(pool, flags);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_group_error);

/* Take the job that ended first off group->ended, or return NULL. */
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
	int err = 0;

	might_sleep();
	if (!(group->flags & KPOOL_GROUP_COLLECT))
		return ERR_PTR(-EINVAL);
	if (timeout)
		kpool_lockdep_wait_pool(pool);
	kpool_lock_irq(pool);
	/* another caller can have taken the job that this one was woken for */
	while (!(job = kpool_group_pop(group)) && group->left && !err) {
		err = kpool_group_sleep(group, KPOOL_WAITER_NEXT, timeout, 0);
		if (timeout < MAX_SCHEDULE_TIMEOUT)
			timeout = max_t(long, end - jiffies, 0);
	}
	/* the last job can have ended just when the time was over */
	if (!group->left)
		err = 0;
	kpool_unlock_irq(pool);
	return job ?: ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(kpool_group_next);
