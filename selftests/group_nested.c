// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of groups: a parent waits for its children, gets their errors, and
 * cancels them.
 */
#include "compat.h"
#include "group.h"

/* p[i] is a member of tree[i % TREE]; 0 is the parent of 1 and 3, 1 of 2. */
#define TREE	4

static struct kpool_group tree[TREE];

static struct kpool *tree_make(const struct kpool_attrs *attrs,
			       unsigned int flags)
{
	struct kpool *pool = kt_pool("tree", attrs);
	int i;

	if (!pool)
		return NULL;
	KT_EXPECT_EQ(kpool_init_group(&tree[0], pool, NULL, flags), 0);
	KT_EXPECT_EQ(kpool_init_group(&tree[1], pool, &tree[0], 0), 0);
	KT_EXPECT_EQ(kpool_init_group(&tree[2], pool, &tree[1], 0), 0);
	KT_EXPECT_EQ(kpool_init_group(&tree[3], pool, &tree[0], 0), 0);
	probes_init(p, ARRAY_SIZE(p), probe_fn);
	for (i = 0; i < 2 * TREE; i++)
		kpool_set_group(&p[i].job, &tree[i % TREE]);
	return pool;
}

static void tree_end(struct kpool *pool)
{
	probes_open(p, 2 * TREE);
	KT_EXPECT_EQ(kpool_group_wait(&tree[0], KT_LIMIT), 0);
	jobs_end(pool);
}

/* Fails if a group does not wait for its children, or theirs. */
static void parent_waits_for_its_children(void)
{
	struct kpool *pool = tree_make(&queued_four, 0);
	struct group_waiter w;

	if (!pool)
		return;
	probes_hold(p, TREE);
	if (!probes_submit(pool, p, TREE) || !group_waiter_sleeps(&w, &tree[0]))
		goto out;
	probes_open(p, 2);
	probes_open(&p[3], 1);
	KT_EXPECT(kt_wait(kt_stat(pool, completed) == 3));
	KT_EXPECT(!kt_thread_done(&w.thread));
	KT_EXPECT_EQ(kpool_group_wait(&tree[1], 1), -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_group_wait(&tree[3], KT_LIMIT), 0);
	probes_open(&p[2], 1);
	KT_EXPECT_EQ(kt_thread_join(&w.thread), 0);
	KT_EXPECT_EQ(kpool_group_wait(&tree[1], 0), 0);
	probes_expect_ran(p, TREE);
out:
	tree_end(pool);
}

/* Fails if a child waits for its parent or a sibling. */
static void child_can_be_waited_for_alone(void)
{
	struct kpool *pool = tree_make(&queued_four, 0);

	if (!pool)
		return;
	probes_hold(p, 1);
	probes_hold(&p[3], 1);
	if (probes_submit(pool, p, TREE)) {
		KT_EXPECT_EQ(kpool_group_wait(&tree[2], KT_LIMIT), 0);
		KT_EXPECT_EQ(kpool_group_wait(&tree[1], KT_LIMIT), 0);
		KT_EXPECT_EQ(kpool_group_wait(&tree[0], 1), -ETIMEDOUT);
		KT_EXPECT_EQ(kpool_group_wait(&tree[3], 1), -ETIMEDOUT);
	}
	tree_end(pool);
}

static int collects_of_parent(void *unused)
{
	struct kpool_job *job = kpool_group_next(&tree[0], MAX_SCHEDULE_TIMEOUT);

	return IS_ERR(job) ? PTR_ERR(job) : job ? -EEXIST : 0;
}

/*
 * A parent has none left to collect when the last job of its children has
 * ended.
 * Fails (hangs) if that wakes the child's collectors: mutant
 * end-of-a-child-wakes-its-own.
 */
static void end_of_a_child_wakes_the_collector_of_its_parent(void)
{
	struct kpool *pool = tree_make(&queued_four, KPOOL_GROUP_COLLECT);
	struct kt_thread t = { };

	if (!pool)
		return;
	probes_hold(&p[2], 1);
	if (probes_submit(pool, &p[2], 1) && probe_runs(&p[2]) &&
	    kt_thread_start(&t, collects_of_parent, NULL))
		kt_thread_asleep(&t);
	probes_open(&p[2], 1);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	tree_end(pool);
}

/* Fails if an error stays in the child, or goes down. */
static void error_propagates_to_the_parent(void)
{
	struct kpool *pool = tree_make(&queued_four, 0);

	if (!pool)
		return;
	p[2].ret = -EIO;
	p[4].ret = -ENOSPC;
	if (probes_submit(pool, &p[2], 1))
		KT_EXPECT_EQ(kpool_group_wait(&tree[0], KT_LIMIT), 0);
	if (probes_submit(pool, &p[4], 1))
		KT_EXPECT_EQ(kpool_group_wait(&tree[0], KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&tree[2]), -EIO);
	KT_EXPECT_EQ(kpool_group_error(&tree[1]), -EIO);
	KT_EXPECT_EQ(kpool_group_error(&tree[0]), -EIO);
	KT_EXPECT_EQ(kpool_group_error(&tree[3]), 0);
	tree_end(pool);
}

static int ends_its_thread(struct kpool_item *item)
{
	probe_fn(item);
	kthread_complete_and_exit(NULL, 0);
	return 0;
}

/*
 * The thread of a grandchild's job dies while the parent is waited for.
 * Fails (the wait returns 0) if only the waiters of the job's own group fail:
 * mutant death-spares-the-parent.
 */
static void death_in_a_grandchild_fails_the_wait(void)
{
	struct kpool *pool = tree_make(&queued_four, 0);
	struct group_waiter w;

	if (!pool)
		return;
	probe_init(&p[2], ends_its_thread, 2);
	kpool_set_group(&p[2].job, &tree[2]);
	probes_hold(&p[2], 1);
	if (!probes_submit(pool, &p[2], 1) || !probe_runs(&p[2]) ||
	    !group_waiter_sleeps(&w, &tree[0]))
		goto out;
	probes_open(&p[2], 1);
	KT_EXPECT_EQ(kt_thread_join(&w.thread), -EIO);
	KT_EXPECT_EQ(kpool_group_error(&tree[0]), -EIO);
	KT_EXPECT_EQ(kpool_group_error(&tree[3]), 0);
out:
	tree_end(pool);
}

/*
 * The error of a grandchild cancels a parent with FAIL_FAST, and with it all
 * its other children.
 * Fails if only the group that the job is a member of is examined.
 */
static void childs_error_cancels_a_parent_that_fails_fast(void)
{
	struct kpool *pool = tree_make(&queued_one, KPOOL_GROUP_FAIL_FAST);
	int i;

	if (!pool)
		return;
	p[2].ret = -EIO;
	probes_hold(&p[2], 1);
	if (!probes_submit(pool, &p[2], 1) || !probe_runs(&p[2]))
		goto out;
	if (!probes_submit(pool, &p[4], TREE))
		goto out;
	probes_open(&p[2], 1);
	KT_EXPECT_EQ(kpool_group_wait(&tree[0], KT_LIMIT), 0);
	probes_expect_dropped(&p[4], TREE, -ECANCELED);
	for (i = 0; i < TREE; i++)
		KT_EXPECT_EQ(probe_try(pool, &p[4 + i]), -ECANCELED);
	KT_EXPECT_EQ(kpool_group_error(&tree[0]), -EIO);
	KT_EXPECT_EQ(kpool_group_error(&tree[3]), 0);
out:
	tree_end(pool);
}

/*
 * An error cancels the child that it is within and that fails fast; the parent
 * gets the error, and goes on.
 * Fails if only the outermost group is cancelled, or the error stays in it.
 */
static void child_that_fails_fast_does_not_cancel_its_parent(void)
{
	struct kpool *pool = tree_make(&queued_one, 0);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&tree[1], pool, &tree[0],
				      KPOOL_GROUP_FAIL_FAST), 0);
	p[2].ret = -EIO;
	probes_hold(&p[2], 1);
	if (probes_submit(pool, &p[2], 1) && probe_runs(&p[2]) &&
	    probes_submit(pool, &p[4], TREE)) {
		probes_open(&p[2], 1);
		KT_EXPECT_EQ(kpool_group_wait(&tree[0], KT_LIMIT), 0);
		probes_expect_ran(&p[4], 1);
		probes_expect_dropped(&p[5], 2, -ECANCELED);
		probes_expect_ran(&p[7], 1);
		KT_EXPECT_EQ(kpool_group_error(&tree[0]), -EIO);
	}
	tree_end(pool);
}

/*
 * A parent is used again, and cancelled again, and its child is the same.
 * Fails (the wait lasts for an hour) if the second does not reach the child:
 * mutant child-swept-once.
 */
static void second_cancel_reaches_the_children(void)
{
	struct kpool *pool = tree_make(&queued_one, 0);
	int i;

	if (!pool)
		return;
	for (i = 1; i <= 5; i += 4) {
		KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[i].job, 3600 * HZ), 0);
		kpool_group_cancel(&tree[0]);
		KT_EXPECT_EQ(kpool_group_wait(&tree[0], KT_LIMIT), 0);
		probes_expect_dropped(&p[i], 1, -ECANCELED);
		KT_EXPECT_EQ(kpool_init_group(&tree[0], pool, NULL, 0), 0);
	}
	tree_end(pool);
}

/* Fails if a child's or grandchild's jobs are not dropped. */
static void cancel_propagates_to_the_children(void)
{
	static struct kpool_group late;
	struct kpool *pool = tree_make(&queued_one, 0);
	int i;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	if (!probes_submit(pool, p, TREE))
		goto out;
	kpool_group_cancel(&tree[0]);
	KT_EXPECT_EQ(kpool_group_wait(&tree[0], KT_LIMIT), 0);
	probes_expect_dropped(p, TREE, -ECANCELED);
	for (i = 0; i < TREE; i++)
		KT_EXPECT_EQ(probe_try(pool, &p[4 + i]), -ECANCELED);
	KT_EXPECT_EQ(kpool_init_group(&late, pool, &tree[1], 0), 0);
	kpool_set_group(&p[9].job, &late);
	KT_EXPECT_EQ(probe_try(pool, &p[9]), -ECANCELED);
out:
	kpool_resume(pool);
	tree_end(pool);
}

/* More than one hold of the lock passes a cancellation on to. */
#define WIDE	64

/*
 * Children are cancelled while their parent's cancellation is passed on to
 * them.
 * Fails (corrupts a list) if one is listed twice: mutant group-cancelled-twice.
 */
static void children_are_cancelled_beside_their_parent(void)
{
	static struct kpool_group parent, child[WIDE];
	struct kpool *pool = kt_pool("wide", &queued_one);
	static struct probe wide[WIDE];
	int i;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&parent, pool, NULL, 0), 0);
	probes_init(wide, WIDE, probe_fn);
	for (i = 0; i < WIDE; i++) {
		KT_EXPECT_EQ(kpool_init_group(&child[i], pool, &parent, 0), 0);
		kpool_set_group(&wide[i].job, &child[i]);
	}
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	if (probes_submit(pool, wide, WIDE)) {
		kpool_group_cancel(&parent);
		for (i = 0; i < WIDE; i++)
			kpool_group_cancel(&child[i]);
	}
	KT_EXPECT_EQ(kpool_group_wait(&parent, KT_LIMIT), 0);
	probes_expect_dropped(wide, WIDE, -ECANCELED);
	kpool_resume(pool);
	jobs_end(pool);
}

/* Fails if a child's cancel reaches its parent or a sibling. */
static void cancel_does_not_propagate_to_the_parent(void)
{
	struct kpool *pool = tree_make(&queued_one, KPOOL_GROUP_FAIL_FAST);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	if (!probes_submit(pool, p, TREE))
		goto out;
	kpool_group_cancel(&tree[1]);
	KT_EXPECT_EQ(kpool_group_wait(&tree[1], KT_LIMIT), 0);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_group_wait(&tree[0], KT_LIMIT), 0);
	probes_expect_dropped(&p[1], 2, -ECANCELED);
	probes_expect_ran(p, 1);
	probes_expect_ran(&p[3], 1);
	KT_EXPECT_EQ(kpool_group_error(&tree[0]), 0);
out:
	kpool_resume(pool);
	tree_end(pool);
}

/*
 * A child can go as soon as it has been waited for, or if it was never used.
 * Its parent lives on and is cancelled.
 * Fails (KASAN) if the parent follows children that have gone.
 */
static void child_may_be_freed_before_its_parent(void)
{
	struct kpool *pool = tree_make(&queued_four, 0);
	struct kpool_group *child, *unused;
	int i;

	if (!pool)
		return;
	for (i = 0; i < 20; i++) {
		child = kmalloc_obj(*child, GFP_KERNEL);
		unused = kmalloc_obj(*unused, GFP_KERNEL);
		if (!KT_EXPECT(child) || !KT_EXPECT(unused))
			goto free;
		KT_EXPECT_EQ(kpool_init_group(child, pool, &tree[0], 0), 0);
		KT_EXPECT_EQ(kpool_init_group(unused, pool, &tree[0], 0), 0);
		kpool_set_group(&p[1].job, child);
		probes_submit(pool, p, 2);
		KT_EXPECT_EQ(kpool_group_wait(child, KT_LIMIT), 0);
		poison(child, sizeof(*child));
		poison(unused, sizeof(*unused));
free:
		kfree(child);
		kfree(unused);
		KT_EXPECT_EQ(kpool_group_wait(&tree[0], KT_LIMIT), 0);
	}
	kpool_group_cancel(&tree[0]);
	KT_EXPECT_EQ(kpool_group_error(&tree[0]), 0);
	tree_end(pool);
}

/*
 * A child that had a blocked submitter can go, too.
 * Fails if it stays its parent's child, as its item counts twice: mutant
 * blocked-member-kept.
 */
static void child_of_a_blocked_submitter_may_be_freed(void)
{
	static const struct kpool_attrs one_unit = { .capacity = 1 };
	struct kpool *pool = tree_make(&one_unit, 0);
	struct kt_submitter s = { };
	struct kpool_group *child;

	if (!pool)
		return;
	child = kmalloc_obj(*child, GFP_KERNEL);
	if (!KT_EXPECT(child))
		goto out;
	KT_EXPECT_EQ(kpool_init_group(child, pool, &tree[0], 0), 0);
	kpool_set_group(&p[1].job, child);
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(p);
	kt_submitter_block(&s, pool, &p[1].job.item);
	probes_open(p, 1);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(kpool_group_wait(child, KT_LIMIT), 0);
	KT_EXPECT(list_empty(&tree[0].children));
	poison(child, sizeof(*child));
	kfree(child);
	kpool_group_cancel(&tree[0]);
	KT_EXPECT_EQ(kpool_group_error(&tree[0]), 0);
out:
	tree_end(pool);
}

/* Fails if what is done to a job can have no end of groups to go through. */
static void depth_is_bounded(void)
{
	struct kpool_group chain[KPOOL_GROUP_MAX_DEPTH + 1];
	struct kpool *pool = tree_make(&queued_four, 0);
	int i;

	if (!pool)
		return;
	for (i = 0; i < KPOOL_GROUP_MAX_DEPTH; i++)
		KT_EXPECT_EQ(kpool_init_group(&chain[i], pool,
					      i ? &chain[i - 1] : NULL, 0), 0);
	KT_EXPECT_EQ(kpool_init_group(&chain[i], pool, &chain[i - 1], 0),
		     -EINVAL);
	kpool_set_group(&p[0].job, &chain[i - 1]);
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&chain[0], KT_LIMIT), 0);
	probes_expect_ran(p, 1);
	kpool_set_group(&p[0].job, NULL);
	tree_end(pool);
}

KT_MODULE("kpool selftest: groups of groups",
	  KT_CASE(depth_is_bounded),
	  KT_CASE(parent_waits_for_its_children),
	  KT_CASE(child_can_be_waited_for_alone),
	  KT_CASE(end_of_a_child_wakes_the_collector_of_its_parent),
	  KT_CASE(error_propagates_to_the_parent),
	  KT_CASE(death_in_a_grandchild_fails_the_wait),
	  KT_CASE(childs_error_cancels_a_parent_that_fails_fast),
	  KT_CASE(child_that_fails_fast_does_not_cancel_its_parent),
	  KT_CASE(cancel_propagates_to_the_children),
	  KT_CASE(second_cancel_reaches_the_children),
	  KT_CASE(children_are_cancelled_beside_their_parent),
	  KT_CASE(cancel_does_not_propagate_to_the_parent),
	  KT_CASE(child_may_be_freed_before_its_parent),
	  KT_CASE(child_of_a_blocked_submitter_may_be_freed));
