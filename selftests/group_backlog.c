// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups and deadlines in a backlog: behind an item that runs, jobs are
 * accepted without the pool's lock, and then started and ended without it.
 *
 * p[0] is held at its gate by the one worker; p[1] is queued with the lock, and
 * the others without.
 */
#include "group.h"
#include "oops.h"

#define LAST	(ARRAY_SIZE(p) - 1)

/* Hold the worker.  The group's members are every @nth of p[1] to p[LAST]. */
static struct kpool *backlog_make(unsigned int flags, int nth)
{
	struct kpool *pool = group_make(&queued_one, 0, flags);
	int i;

	if (!pool)
		return NULL;
	for (i = 1; i <= LAST; i += nth)
		KT_EXPECT_EQ(kpool_set_group(&p[i].job, &group), 0);
	probes_hold(p, 1);
	if (probes_submit(pool, p, 1))
		probe_runs(&p[0]);
	return pool;
}

/* Hold the worker with p[1] instead, and have it make those behind ready. */
static bool backlog_ready(struct kpool *pool)
{
	probes_hold(&p[1], 1);
	if (!probes_submit(pool, &p[1], LAST))
		return false;
	probes_open(p, 1);
	return probe_runs(&p[1]);
}

static void backlog_end(struct kpool *pool)
{
	probes_open(p, LAST + 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	jobs_end(pool);
}

static const int every[] = { 1, 2, 5 };
static const char *const members[] = { "all", "every_second", "every_fifth", NULL };

/*
 * Fails if the group misses the start or the end of a job, or takes that of
 * another item for one.  Its waiter then sleeps on, or returns too early.
 */
static void jobs_end_in_their_group(int which)
{
	struct kpool *pool = backlog_make(0, every[which]);
	int last = 1 + (LAST - 1) / every[which] * every[which];
	struct group_waiter w;

	if (!pool)
		return;
	probes_hold(&p[last], 1);
	if (!probes_submit(pool, &p[1], LAST) || !group_waiter_sleeps(&w, &group))
		goto out;
	probes_open(p, 1);
	if (probe_runs(&p[last])) {
		KT_EXPECT_EQ(kpool_group_wait(&group, 1), -ETIMEDOUT);
		KT_EXPECT(!kt_thread_done(&w.thread));
	}
	probes_open(&p[last], 1);
	KT_EXPECT_EQ(kt_thread_join(&w.thread), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, LAST + 1);

	/* the same memory, without the group */
	probes_init(&p[1], LAST, probe_fn);
	probes_submit(pool, &p[1], LAST);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(&p[1], LAST);
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
out:
	backlog_end(pool);
}

/*
 * The item behind the last job is held, and nothing else takes the lock.
 * Fails if the waiter sleeps on until something does: mutant
 * last-job-ends-fast.
 */
static void last_job_wakes_the_waiter(void)
{
	struct kpool *pool = backlog_make(0, LAST);
	struct group_waiter w;
	int i;

	if (!pool)
		return;
	for (i = 1; i <= 10; i++)
		KT_EXPECT_EQ(kpool_set_group(&p[i].job, &group), 0);
	probes_hold(&p[11], 1);
	KT_EXPECT_EQ(kpool_set_group(&p[LAST].job, NULL), 0);
	if (!probes_submit(pool, &p[1], LAST) || !group_waiter_sleeps(&w, &group))
		goto out;
	probes_open(p, 1);
	if (probe_runs(&p[11]))
		KT_EXPECT(kt_wait(kt_thread_done(&w.thread)));
	probes_open(&p[11], 1);
	KT_EXPECT_EQ(kt_thread_join(&w.thread), 0);
out:
	backlog_end(pool);
}

/*
 * Plain items in a ring that has been used for jobs.
 * Fails if they are taken for jobs of the group that was there before.
 */
static void items_after_jobs_have_no_group(void)
{
	struct kpool *pool = backlog_make(0, 1);
	int i;

	if (!pool)
		return;
	for (i = 1; i <= LAST; i++)
		kpool_set_deadline(&p[i].job, ktime_add_ms(ktime_get(), 3600 * 1000));
	if (!probes_submit(pool, &p[1], LAST))
		goto out;
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, LAST + 1);

	/* enough members, so that the worker starts others behind them */
	probes_init(p, LAST + 1, probe_fn);
	for (i = 1; i <= LAST; i++)
		if (i % 5)
			kpool_set_group(&p[i].job, &group);
	probes_hold(p, 1);
	probes_hold(&p[LAST - 1], 1);
	if (!probes_submit(pool, p, 1) || !probe_runs(&p[0]) ||
	    !backlog_ready(pool))
		goto out;
	probes_open(&p[1], 1);
	if (probe_runs(&p[LAST - 1]))
		KT_EXPECT_EQ(kpool_group_wait(&group, 1), -ETIMEDOUT);
	probes_open(&p[LAST - 1], 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), 0);
out:
	backlog_end(pool);
}

static const char *const failing[] = { "the_first_error", "fail_fast", NULL };

/*
 * Fails if the error of a job that the next one follows without the lock is
 * lost, or does not cancel its group.
 */
static void error_is_that_of_the_group(int fast)
{
	struct kpool *pool = backlog_make(fast ? KPOOL_GROUP_FAIL_FAST : 0, 1);

	if (!pool)
		return;
	p[10].ret = -ENOSPC;
	p[20].ret = -EIO;
	if (!probes_submit(pool, &p[1], LAST))
		goto out;
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), -ENOSPC);
	if (fast) {
		probes_expect_ran(&p[1], 10);
		probes_expect_dropped(&p[11], LAST - 10, -ECANCELED);
	} else {
		probes_expect_ran(&p[1], LAST);
	}
out:
	backlog_end(pool);
}

static const char *const cancelled[] = {
	"ready", "returned_to_the_queue", "of_a_child", NULL
};

/*
 * Jobs of a cancelled group are dropped while the one worker is held.
 * Fails if those that could be started without the lock are forgotten.
 */
static void cancel_drops_the_backlog(int how)
{
	struct kpool *pool = backlog_make(0, 1);
	static struct kpool_group child;
	int i;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&child, pool, &group, 0), 0);
	for (i = 1; how == 2 && i <= LAST; i++)
		KT_EXPECT_EQ(kpool_set_group(&p[i].job, &child), 0);
	if (!backlog_ready(pool))
		goto out;
	if (how == 1)
		KT_EXPECT(kpool_cancel(&p[2].job.item));
	kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(probes_dropped(&p[2], LAST - 1) ==
			  LAST - 1 - (how == 1)));
	probes_expect_dropped(&p[3], LAST - 2, -ECANCELED);
	KT_EXPECT_EQ(kpool_group_wait(&group, 1), -ETIMEDOUT);
	probes_open(&p[1], 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
out:
	backlog_end(pool);
}

/*
 * The first of two jobs ends, which leaves a child with one.
 * Fails if the child is no longer a member of its parent, which then does not
 * cancel it.
 */
static void child_with_a_job_left_is_cancelled(void)
{
	struct kpool *pool = backlog_make(0, 1);
	static struct kpool_group child;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&child, pool, &group, 0), 0);
	KT_EXPECT_EQ(kpool_set_group(&p[1].job, &child), 0);
	KT_EXPECT_EQ(kpool_set_group(&p[2].job, &child), 0);
	if (!probes_submit(pool, &p[1], 2))
		goto out;
	KT_EXPECT(kpool_cancel(&p[1].job.item));
	kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(atomic_read(&p[2].dropped)));
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
out:
	backlog_end(pool);
}

/*
 * A child is freed when its jobs have ended.
 * Fails if its parent still finds it.
 */
static void child_may_be_freed(void)
{
	struct kpool_group *child = kmalloc(sizeof(*child), GFP_KERNEL);
	struct kpool *pool = backlog_make(0, 1);
	int i;

	if (!pool || !KT_EXPECT(child))
		goto out;
	KT_EXPECT_EQ(kpool_init_group(child, pool, &group, 0), 0);
	for (i = 1; i <= LAST; i++)
		KT_EXPECT_EQ(kpool_set_group(&p[i].job, child), 0);
	if (probes_submit(pool, &p[1], LAST)) {
		probes_open(p, 1);
		KT_EXPECT_EQ(kpool_group_wait(child, KT_LIMIT), 0);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		memset(child, 0, sizeof(*child));
		kfree(child);
		child = NULL;
	}
	/* goes through the children, if there is a job */
	probes_init(p, 2, probe_fn);
	probes_hold(p, 1);
	KT_EXPECT_EQ(kpool_set_group(&p[1].job, &group), 0);
	if (probes_submit(pool, p, 1) && probe_runs(&p[0]) &&
	    probes_submit(pool, &p[1], 1)) {
		kpool_group_cancel(&group);
		KT_EXPECT(kt_wait(atomic_read(&p[1].dropped)));
	}
out:
	if (pool)
		backlog_end(pool);
	kfree(child);
}

/*
 * Fails if a job is accepted without the lock that would be refused with it,
 * though its group has another job.
 */
static void jobs_are_refused_as_without_a_backlog(void)
{
	static struct kpool_group elsewhere, gone;
	static struct probe held[2];
	struct kpool *pool = group_make(&queued_two, 0, 0);
	struct kpool *other = kt_pool("other", NULL);
	int i;

	if (!pool || !other)
		goto out;
	KT_EXPECT_EQ(kpool_init_group(&elsewhere, other, NULL, 0), 0);
	KT_EXPECT_EQ(kpool_init_group(&gone, pool, NULL, 0), 0);
	probes_init(held, 2, probe_fn);
	probes_hold(held, 2);
	probes_hold(p, 1);
	KT_EXPECT_EQ(kpool_set_group(&held[0].job, &elsewhere), 0);
	KT_EXPECT_EQ(kpool_set_group(&held[1].job, &gone), 0);
	if (!probes_submit(other, &held[0], 1) || !probe_runs(&held[0]) ||
	    !probes_submit(pool, &held[1], 1) || !probe_runs(&held[1]) ||
	    !probes_submit(pool, p, 1) || !probe_runs(p))
		goto out;
	kpool_group_cancel(&gone);
	for (i = 1; i <= 14; i++)
		KT_EXPECT_EQ(kpool_set_group(&p[i].job, &group), 0);
	probes_submit(pool, &p[1], 4);
	KT_EXPECT_EQ(kpool_set_group(&p[5].job, &elsewhere), 0);
	KT_EXPECT_EQ(probe_try(pool, &p[5]), -EINVAL);
	probes_submit(pool, &p[6], 4);
	KT_EXPECT_EQ(kpool_set_group(&p[10].job, &gone), 0);
	KT_EXPECT_EQ(probe_try(pool, &p[10]), -ECANCELED);
	probes_submit(pool, &p[11], 4);
	kpool_init_item(&p[15].job.item, probe_fn);
	KT_EXPECT_EQ(kpool_set_group(&p[15].job, &group), -EINVAL);
	KT_EXPECT_EQ(probe_try(pool, &p[15]), -EINVAL);
	KT_EXPECT_EQ(kt_stat(pool, submitted), 14);
out:
	probes_open(held, 2);
	if (pool)
		backlog_end(pool);
	if (other)
		kt_pool_end(other);
}

/* A kpool_item_fn: the thread of one probe dies in it. */
static int dies_or_runs(struct kpool_item *item)
{
	if (probe_of(item)->data)
		die(DIE_EXIT);
	return probe_fn(item);
}

/*
 * Fails if the death of a job that was started without the lock is not its
 * group's, or if others end as that job.
 */
static void job_dies_in_its_group(void)
{
	struct kpool *pool = backlog_make(0, 1);
	struct group_waiter w;
	int i;

	if (!pool)
		return;
	for (i = 1; i <= LAST; i++)
		p[i].job.item.fn = dies_or_runs;
	p[10].data = pool;
	if (!probes_submit(pool, &p[1], LAST) || !group_waiter_sleeps(&w, &group))
		goto out;
	probes_open(p, 1);
	KT_EXPECT_EQ(kt_thread_join(&w.thread), -EIO);
	KT_EXPECT_EQ(kpool_group_error(&group), -EIO);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(probes_ran(&p[1], LAST), LAST - 1);
	KT_EXPECT_EQ(kt_stat(pool, died), 1);

	/* the worker that replaces it, in the same memory */
	probes_init(&p[1], LAST, probe_fn);
	probes_submit(pool, &p[1], LAST);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(&p[1], LAST);
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), 0);
out:
	backlog_end(pool);
}

/*
 * The deadlines of all pass while the worker is held, but for those of each
 * third.
 * Fails if a job starts without a look at its deadline, or another is taken for
 * late.
 */
static void late_jobs_are_dropped(void)
{
	struct kpool *pool = backlog_make(0, 2);
	ktime_t now = ktime_get();
	int i;

	if (!pool)
		return;
	for (i = 1; i <= LAST; i++)
		kpool_set_deadline(&p[i].job, i % 3 ? ktime_add_ms(now, 1) :
				   ktime_add_ms(now, 3600 * 1000));
	if (!probes_submit(pool, &p[1], LAST))
		goto out;
	KT_EXPECT(kt_wait(ktime_after(ktime_get(), ktime_add_ms(now, 1))));
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	for (i = 1; i <= LAST; i++)
		if (i % 3)
			probes_expect_dropped(&p[i], 1, -ETIME);
		else
			probes_expect_ran(&p[i], 1);
out:
	backlog_end(pool);
}

KT_MODULE("kpool selftest: groups and deadlines in a backlog",
	  KT_EACH(jobs_end_in_their_group, members),
	  KT_CASE(last_job_wakes_the_waiter),
	  KT_CASE(items_after_jobs_have_no_group),
	  KT_EACH(error_is_that_of_the_group, failing),
	  KT_EACH(cancel_drops_the_backlog, cancelled),
	  KT_CASE(child_with_a_job_left_is_cancelled),
	  KT_CASE(child_may_be_freed),
	  KT_CASE(jobs_are_refused_as_without_a_backlog),
	  KT_CASE(job_dies_in_its_group),
	  KT_CASE(late_jobs_are_dropped));
