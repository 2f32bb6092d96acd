// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups: many jobs as one.
 *
 * A group belongs to one pool, and its fields are guarded by that pool's lock.
 * It counts its jobs from their acceptance to their end, and its children that
 * have any; group->pending are the jobs that have not started.  A job that
 * starts leaves that list, because its function may free it; one of a group
 * that collects comes to group->ended when its run is over.
 *
 * A cancelled group accepts nothing.  The dropper drops what is pending.
 */
#include <linux/module.h>

#include "internal.h"
#include "pending.h"

int kpool_init_group(struct kpool_group *group, struct kpool *pool,
		     struct kpool_group *parent, unsigned int flags)
{
	if (flags & ~(KPOOL_GROUP_FAIL_FAST | KPOOL_GROUP_COLLECT))
		return -EINVAL;
	if (parent && parent->pool != pool)
		return -EINVAL;
	*group = (struct kpool_group) {
		.pool	= pool,
		.parent	= parent,
		.flags	= flags,
	};
	INIT_LIST_HEAD(&group->pending);
	INIT_LIST_HEAD(&group->ended);
	INIT_LIST_HEAD(&group->children);
	INIT_LIST_HEAD(&group->sibling);
	INIT_LIST_HEAD(&group->doomed);
	INIT_LIST_HEAD(&group->waiters);
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

static void kpool_group_get(struct kpool_group *group)
{
	for (; group && !group->left++; group = group->parent)
		if (group->parent)
			list_add_tail(&group->sibling,
				      &group->parent->children);
}

/* Serve one of those who wait for the next to end. */
static void kpool_group_serve_next(struct kpool *pool,
				   struct kpool_group *group)
{
	struct kpool_waiter *waiter;

	list_for_each_entry(waiter, &group->waiters, node) {
		if (waiter->kind != KPOOL_WAIT_NEXT)
			continue;
		list_del(&waiter->node);
		kpool_serve(pool, waiter, 0);
		return;
	}
}

/* One less.  The group may be gone afterwards. */
static void kpool_group_put(struct kpool *pool, struct kpool_group *group)
{
	struct kpool_group *parent;

	for (; group && !--group->left; group = parent) {
		parent = group->parent;
		list_del_init(&group->sibling);
		list_del_init(&group->doomed);
		kpool_serve_all(pool, &group->waiters, 0);
	}
}

/* Cancelling */

/* Submitters asleep with a job of the group are told. */
static void kpool_group_refuse_blocked(struct kpool *pool,
				       const struct kpool_group *group)
{
	struct kpool_item *item, *next;

	list_for_each_entry_safe(item, next, &pool->blocked, node)
		if (item->place == KPOOL_BLOCKED &&
		    (item->flags & __KPOOL_JOB) &&
		    kpool_group_is_within(kpool_job_of(item)->group, group))
			kpool_refuse_blocked(pool, item, -ECANCELED);
}

static void kpool_group_doom_one(struct kpool *pool, struct kpool_group *group)
{
	if (group->left && list_empty(&group->doomed))
		list_add_tail(&group->doomed, &pool->doomed_groups);
}

/* Leave what is pending to the dropper; the list grows by whole generations. */
static void kpool_group_doom(struct kpool *pool, struct kpool_group *group)
{
	struct kpool_group *child;

	kpool_group_doom_one(pool, group);
	list_for_each_entry(group, &pool->doomed_groups, doomed)
		list_for_each_entry(child, &group->children, sibling)
			kpool_group_doom_one(pool, child);
}

static void kpool_group_do_cancel(struct kpool *pool, struct kpool_group *group)
{
	lockdep_assert_held(&pool->lock);
	if (group->cancelled)
		return;
	group->cancelled = true;
	kpool_group_refuse_blocked(pool, group);
	kpool_group_doom(pool, group);
	if (!list_empty(&pool->doomed_groups))
		queue_work(kpool_wq, &pool->dropper);
}

/* The next job of a cancelled group to drop; a group without one is done. */
struct kpool_item *kpool_first_of_doomed_groups(struct kpool *pool)
{
	struct kpool_group *group, *next;
	struct kpool_job *job;

	list_for_each_entry_safe(group, next, &pool->doomed_groups, doomed) {
		list_for_each_entry(job, &group->pending, group_node)
			if (kpool_is_accepted(&job->item) &&
			    job->item.place != KPOOL_DOOMED)
				return &job->item;
		list_del_init(&group->doomed);
	}
	return NULL;
}

void kpool_group_cancel(struct kpool_group *group)
{
	struct kpool *pool = group->pool;
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	kpool_group_do_cancel(pool, group);
	kpool_go_on(pool, flags);
}
EXPORT_SYMBOL_GPL(kpool_group_cancel);

/* The first error of a job is that of all the groups it belongs to. */
static void kpool_group_fails(struct kpool *pool, struct kpool_group *group,
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

/* A job is not pending any more; its group is to be told of its end. */
struct kpool_group *kpool_group_begin(struct kpool *pool, struct kpool_job *job)
{
	struct kpool_group *group = job->group;

	lockdep_assert_held(&pool->lock);
	list_del(&job->group_node);
	if (group->flags & KPOOL_GROUP_COLLECT)
		job->item.place = KPOOL_UNCOLLECTED;
	return group;
}

/* A job has ended; it may be gone, unless the group collects. */
void kpool_group_end(struct kpool *pool, struct kpool_group *group,
		     struct kpool_item *item, int result, bool failed)
{
	lockdep_assert_held(&pool->lock);
	if (failed)
		kpool_group_fails(pool, group, result);
	if (group->flags & KPOOL_GROUP_COLLECT) {
		kpool_job_of(item)->result = result;
		list_add_tail(&kpool_job_of(item)->group_node, &group->ended);
		kpool_group_serve_next(pool, group);
	}
	kpool_group_put(pool, group);
}

/* Waiting */

/* Is the caller in a job of the group, or in a dropped function of one? */
static bool kpool_group_has_caller(const struct kpool_group *group)
{
	const struct kpool_worker *me = kpool_inside(group->pool);
	const struct kpool_outside *outside;

	if (me && kpool_group_is_within(me->group, group))
		return true;
	list_for_each_entry(outside, &group->pool->outside, node)
		if (outside->task == current &&
		    kpool_group_is_within(outside->group, group))
			return true;
	return false;
}

/* Sleep for the group, unless the caller is part of it; lock held. */
static int kpool_group_sleep(struct kpool_group *group,
			     enum kpool_waiter_kind kind, unsigned long timeout)
{
	struct kpool *pool = group->pool;
	struct kpool_waiter waiter;

	if (kpool_group_has_caller(group))
		return -EDEADLK;
	kpool_waiter_init(&waiter, kind, NULL);
	list_add_tail(&waiter.node, &group->waiters);
	return kpool_wait(pool, &waiter, min_t(unsigned long, timeout,
					       MAX_SCHEDULE_TIMEOUT), false);
}

int kpool_group_wait(struct kpool_group *group, unsigned long timeout)
{
	struct kpool *pool = group->pool;
	unsigned long flags;
	int err = 0;

	might_sleep();
	if (timeout)
		kpool_map_wait_pool(pool);
	raw_spin_lock_irqsave(&pool->lock, flags);
	if (group->left)
		err = kpool_group_sleep(group, KPOOL_WAIT_GROUP, timeout);
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_group_wait);

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
		job->item.place = KPOOL_NOWHERE;
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
		kpool_map_wait_pool(pool);
	raw_spin_lock_irqsave(&pool->lock, flags);
	/* another caller may take what this one was woken for */
	while (!(job = kpool_group_pop(group)) && group->left && !err) {
		err = kpool_group_sleep(group, KPOOL_WAIT_NEXT, timeout);
		if (timeout < MAX_SCHEDULE_TIMEOUT)
			timeout = max_t(long, end - jiffies, 0);
	}
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return job ?: ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(kpool_group_next);
