// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups whose jobs are collected as they end.
 */
#include "compat.h"
#include "group.h"

static void expect_next(struct probe *one, int result)
{
	struct kpool_job *job = kpool_group_next(&group, KT_LIMIT);

	if (KT_EXPECT(job == &one->job))
		KT_EXPECT_EQ(kpool_job_result(job), result);
}

/* Fails if jobs come in order of submission, or with another's result. */
static void jobs_are_collected_in_order_of_ending(void)
{
	static const int order[] = { 2, 0, 3, 1 };
	struct kpool *pool = group_make(&queued_four, 4, KPOOL_GROUP_COLLECT);
	int i;

	if (!pool)
		return;
	probes_hold(p, 4);
	for (i = 0; i < 4; i++)
		p[i].ret = i ? -100 - i : 7;
	if (!probes_submit(pool, p, 4))
		goto out;
	KT_EXPECT_EQ(PTR_ERR(kpool_group_next(&group, 0)), -ETIMEDOUT);
	KT_EXPECT_EQ(PTR_ERR(kpool_group_next(&group, 2)), -ETIMEDOUT);
	for (i = 0; i < 4; i++) {
		probes_open(&p[order[i]], 1);
		KT_EXPECT(kt_wait(kt_stat(pool, completed) == i + 1));
		if (i % 2 == 0)
			expect_next(&p[order[i / 2]], p[order[i / 2]].ret);
	}
	expect_next(&p[order[2]], p[order[2]].ret);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	expect_next(&p[order[3]], p[order[3]].ret);
	KT_EXPECT(!kpool_group_next(&group, MAX_SCHEDULE_TIMEOUT));
out:
	probes_open(p, 4);
	jobs_end(pool);
}

/*
 * A collector that sleeps is woken by each end.
 * Fails (hangs) if only the last one wakes it.
 */
static int collector_main(void *arg)
{
	atomic_t *collected = arg;
	struct kpool_job *job;

	for (;;) {
		job = kpool_group_next(&group, MAX_SCHEDULE_TIMEOUT);
		if (IS_ERR_OR_NULL(job))
			return PTR_ERR_OR_ZERO(job);
		atomic_inc(collected);
	}
}

static void each_end_wakes_a_collector(void)
{
	struct kpool *pool = group_make(&queued_four, 8, KPOOL_GROUP_COLLECT);
	atomic_t collected = ATOMIC_INIT(0);
	struct kt_thread t[2] = { };
	int i;

	if (!pool)
		return;
	probes_hold(p, 8);
	if (!probes_submit(pool, p, 8))
		goto out;
	for (i = 0; i < 2; i++)
		if (!kt_thread_start(&t[i], collector_main, &collected) ||
		    !kt_thread_asleep(&t[i]))
			goto out;
	for (i = 0; i < 8; i++) {
		probes_open(&p[i], 1);
		KT_EXPECT(kt_wait(atomic_read(&collected) == i + 1));
	}
out:
	probes_open(p, 8);
	for (i = 0; i < 2; i++)
		if (t[i].task)
			KT_EXPECT_EQ(kt_thread_join(&t[i]), 0);
	KT_EXPECT_EQ(atomic_read(&collected), 8);
	jobs_end(pool);
}

/*
 * All forty are delivered after a cancel: those that ran with what they
 * returned, the rest with -ECANCELED and their drop function called.
 * Fails if a dropped job is not delivered, or before its owner was notified.
 */
static void all_are_collected_after_a_cancel(void)
{
	struct kpool *pool = group_make(&queued_four, 40, KPOOL_GROUP_COLLECT);
	int seen[40] = { }, i, ran = 0;
	struct kpool_job *job;

	if (!pool)
		return;
	probes_hold(p, 4);
	p[1].ret = -EIO;
	if (!probes_submit(pool, p, 40))
		goto out;
	for (i = 0; i < 4; i++)
		probe_runs(&p[i]);
	kpool_group_cancel(&group);
	probes_open(p, 4);
	while (!IS_ERR_OR_NULL(job = kpool_group_next(&group, KT_LIMIT))) {
		i = probe_of(&job->item)->nr;
		seen[i]++;
		ran += atomic_read(&p[i].ran);
		KT_EXPECT_EQ(atomic_read(&p[i].ran) +
			     atomic_read(&p[i].dropped), 1);
		KT_EXPECT_EQ(kpool_job_result(job),
			     i < 4 ? p[i].ret : -ECANCELED);
	}
	KT_EXPECT(!job);
	for (i = 0; i < 40; i++)
		KT_EXPECT_EQ(seen[i], 1);
	KT_EXPECT_EQ(ran, 4);
out:
	probes_open(p, 4);
	jobs_end(pool);
}

/*
 * Fails if a job taken back is lost to the collector, or without its result, or
 * can be submitted before it has been collected.
 */
static void cancelled_job_is_collected(void)
{
	struct kpool *pool = group_make(&queued_one, 5, KPOOL_GROUP_COLLECT);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	if (!probes_submit(pool, p, 4))
		goto out;
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[4].job, 3600 * HZ), 0);
	KT_EXPECT(kpool_cancel(&p[2].job.item));
	KT_EXPECT_EQ(kpool_cancel_sync(&p[0].job.item), 1);
	KT_EXPECT(kpool_cancel(&p[4].job.item));
	KT_EXPECT_EQ(kpool_disable(&p[1].job.item), 1);
	KT_EXPECT_EQ(probe_try(pool, &p[2]), -EALREADY);
	expect_next(&p[2], -ECANCELED);
	expect_next(&p[0], -ECANCELED);
	expect_next(&p[4], -ECANCELED);
	expect_next(&p[1], -ECANCELED);
	kpool_resume(pool);
	expect_next(&p[3], 0);
	KT_EXPECT(!kpool_group_next(&group, KT_LIMIT));
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
out:
	kpool_resume(pool);
	jobs_end(pool);
}

/* Fails if the other ways not to run lose a job, or pass another reason. */
static void dropped_job_is_collected_with_its_reason(void)
{
	struct kpool *pool = group_make(&queued_one, 4, KPOOL_GROUP_COLLECT);

	if (!pool)
		return;
	kpool_set_deadline(&p[1].job, the_past());
	probes_hold(p, 1);
	if (!probes_submit(pool, p, 2) || !probe_runs(p))
		goto out;
	probes_open(p, 1);
	expect_next(&p[0], 0);
	expect_next(&p[1], -ETIME);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[2].job, 3600 * HZ), 0);
	kpool_shutdown(pool);
	expect_next(&p[2], -ESHUTDOWN);
	KT_EXPECT(!kpool_group_next(&group, KT_LIMIT));
out:
	probes_open(p, 1);
	jobs_end(pool);
}

/*
 * A job can be submitted again as soon as it has been collected, not before:
 * neither by others nor by itself.
 * Fails if the list of those that ended is corrupted by a second submit.
 */
static void job_must_be_collected_before_it_is_submitted_again(void)
{
	struct kpool *pool = group_make(&queued_four, 1, KPOOL_GROUP_COLLECT);
	int round;

	if (!pool)
		return;
	refused_itself = 0;
	probe_init(p, submits_itself_until_refused, 0);
	p->data = pool;
	kpool_set_group(&p->job, &group);
	for (round = 0; round < 3; round++) {
		KT_EXPECT_EQ(kpool_submit(pool, &p->job.item), 0);
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
		KT_EXPECT_EQ(refused_itself, -EALREADY);
		KT_EXPECT_EQ(kpool_submit(pool, &p->job.item), -EALREADY);
		KT_EXPECT_EQ(probe_try(pool, p), -EALREADY);
		KT_EXPECT_EQ(kpool_submit_delayed(pool, &p->job, 0), -EALREADY);
		expect_next(p, 0);
	}
	KT_EXPECT_EQ(atomic_read(&p->ran), 3);
	jobs_end(pool);
}

static struct kpool *elsewhere;

static int submits_itself_elsewhere(struct kpool_item *item)
{
	refused_itself = kpool_try_submit(elsewhere, item);
	return probe_fn(item);
}

static int flushes(void *item)
{
	return kpool_flush_item(item);
}

/*
 * Nor can it be submitted to another pool: it stays in this one, also while it
 * runs.
 * Fails (the flush does not wait) if the other pool becomes its owner: mutant
 * uncollected-job-changes-pool.
 */
static void uncollected_job_stays_in_its_pool(void)
{
	struct kpool *pool = group_make(&queued_one, 1, KPOOL_GROUP_COLLECT);
	struct kt_thread flusher = { };

	if (!pool)
		return;
	elsewhere = kt_pool("elsewhere", &queued_one);
	if (!elsewhere)
		goto out;
	p->job.item.fn = submits_itself_elsewhere;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(p);
	KT_EXPECT_EQ(refused_itself, -EALREADY);
	KT_EXPECT_EQ(probe_try(elsewhere, p), -EALREADY);
	if (kt_thread_start(&flusher, flushes, &p->job.item))
		kt_thread_asleep(&flusher);
	probes_open(p, 1);
	KT_EXPECT_EQ(kt_thread_join(&flusher), 0);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(probe_try(elsewhere, p), -EALREADY);
	expect_next(p, 0);
out:
	kt_pool_end(elsewhere);
	jobs_end(pool);
}

/* Fails if a job that waits to be collected is taken for a pending one. */
static void uncollected_job_is_not_pending(void)
{
	struct kpool *pool = group_make(&queued_one, 1, KPOOL_GROUP_COLLECT);

	if (!pool)
		return;
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT(!kpool_is_pending(&p->job.item));
	KT_EXPECT(!kpool_cancel(&p->job.item));
	KT_EXPECT_EQ(kpool_flush_item(&p->job.item), 0);
	KT_EXPECT_EQ(kpool_cancel_sync(&p->job.item), 0);
	KT_EXPECT(!kpool_modify_delay(&p->job, 1));
	kpool_group_cancel(&group);
	expect_next(p, 0);
	KT_EXPECT(!kpool_group_next(&group, 0));
	KT_EXPECT_EQ(kt_stat(pool, cancelled), 0);
	jobs_end(pool);
}

static int sets_itself(struct kpool_item *item)
{
	struct probe *one = probe_of(item);

	one->err = kpool_set_priority(item, KPOOL_PRIO_HIGH) ?:
		   kpool_set_weight(item, 2) ?:
		   kpool_set_deadline(&one->job, KTIME_MAX);
	return probe_fn(item);
}

/*
 * A job can be set inside its function, and as long as it waits to be
 * collected.
 * Fails (-EBUSY) if it is taken for a pending one: mutant
 * setter-inside-a-collected-job.
 */
static void uncollected_job_may_be_set(void)
{
	struct kpool *pool = group_make(&queued_two, 1, KPOOL_GROUP_COLLECT);

	if (!pool)
		return;
	p->job.item.fn = sets_itself;
	p->err = 1;
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(p->err, 0);
	KT_EXPECT_EQ(kpool_set_weight(&p->job.item, 1), 0);
	expect_next(p, 0);
	jobs_end(pool);
}

/*
 * A job that next() has returned is the caller's, which can free it at once.  A
 * job can be collected while its worker is still returning from it.
 * Fails (KASAN) if a job is on the list before the pool is done with it.
 */
static bool submit_collectable(struct kpool *pool, int ret)
{
	struct probe *one = kmalloc_obj(*one, GFP_KERNEL);

	if (!KT_EXPECT(one))
		return false;
	probe_init(one, probe_fn, 0);
	kpool_set_group(&one->job, &group);
	one->ret = ret;
	if (KT_EXPECT_EQ(kpool_submit(pool, &one->job.item), 0))
		return true;
	kfree(one);
	return false;
}

static void collected_job_may_be_freed(void)
{
	struct kpool *pool = group_make(&queued_four, 0, KPOOL_GROUP_COLLECT);
	int i, n = kt_count(2000), left = 0, sum = 0;
	struct kpool_job *job;
	struct probe *one;

	if (!pool)
		return;
	for (i = 0; i < n || left; ) {
		if (i < n && left < 8) {
			if (!submit_collectable(pool, i))
				break;
			i++;
			left++;
			continue;
		}
		job = kpool_group_next(&group, KT_LIMIT);
		if (!KT_EXPECT(!IS_ERR_OR_NULL(job)))
			break;
		left--;
		sum += kpool_job_result(job);
		one = probe_of(&job->item);
		KT_EXPECT_EQ(atomic_read(&one->ran), 1);
		poison(one, sizeof(*one));
		kfree(one);
	}
	KT_EXPECT_EQ(sum, n * (n - 1) / 2);
	KT_EXPECT(!kpool_group_next(&group, 0));
	jobs_end(pool);
}

/* Fails (oopses) if a group without the flag is taken for one with it. */
static void collecting_needs_the_flag(void)
{
	struct kpool *pool = group_make(&queued_one, 1, KPOOL_GROUP_FAIL_FAST);

	if (!pool)
		return;
	KT_EXPECT_EQ(PTR_ERR(kpool_group_next(&group, 0)), -EINVAL);
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(PTR_ERR(kpool_group_next(&group, KT_LIMIT)), -EINVAL);
	jobs_end(pool);
}

struct next_waiter {
	struct kt_thread	thread;
	unsigned long		timeout;
	unsigned long		took;
};

static int waits_for_next(void *arg)
{
	struct next_waiter *w = arg;
	unsigned long since = jiffies;
	struct kpool_job *job = kpool_group_next(&group, w->timeout);

	w->took = jiffies - since;
	return PTR_ERR_OR_ZERO(job);
}

static const char *const wakeups[] = { "early", "late", NULL };

/*
 * A collector is woken by an end whose job another takes first.  It has what is
 * left of its time to wait for the next one, and no more.  It has nothing if it
 * comes to look when its time is over.
 * Fails if it begins anew: mutant next-time-anew; if it sleeps on: mutant
 * next-time-below-zero.
 */
static void spurious_wakeup_keeps_the_timeout(int late)
{
	struct kpool *pool = group_make(&queued_two, 2, KPOOL_GROUP_COLLECT);
	struct next_waiter w = { .timeout = 50 };

	if (!pool)
		return;
	if (!kt_exact) {
		kt_skip("time is not simulated");
		goto out;
	}
	probes_hold(p, 2);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 2);
	if (!kt_thread_start(&w.thread, waits_for_next, &w) ||
	    !kt_thread_asleep(&w.thread))
		goto resume;
	kt_sleep_ms(30 * MSEC_PER_SEC / HZ);
	/* with one CPU, nothing comes between these two */
	sched_set_fifo(current);
	KT_EXPECT(kpool_cancel(&p[0].job.item));
	KT_EXPECT(kpool_group_next(&group, 0) == &p[0].job);
	if (late)
		mdelay(30 * MSEC_PER_SEC / HZ);
	sched_set_normal(current, 0);
	KT_EXPECT(kt_wait(kt_thread_done(&w.thread)));
resume:
	kpool_resume(pool);
	KT_EXPECT_EQ(kt_thread_join(&w.thread), -ETIMEDOUT);
	KT_EXPECT_GE(w.took, 50);
	KT_EXPECT_LE(w.took, late ? 30 + 30 + 4 : 50 + 50 / 8 + 2);
	probes_open(p, 2);
	expect_next(&p[1], 0);
out:
	jobs_end(pool);
}

KT_MODULE("kpool selftest: jobs that are collected",
	  KT_CASE(jobs_are_collected_in_order_of_ending),
	  KT_CASE(each_end_wakes_a_collector),
	  KT_CASE(all_are_collected_after_a_cancel),
	  KT_CASE(cancelled_job_is_collected),
	  KT_CASE(dropped_job_is_collected_with_its_reason),
	  KT_CASE(job_must_be_collected_before_it_is_submitted_again),
	  KT_CASE(uncollected_job_stays_in_its_pool),
	  KT_CASE(uncollected_job_is_not_pending),
	  KT_CASE(uncollected_job_may_be_set),
	  KT_CASE(collected_job_may_be_freed),
	  KT_CASE(collecting_needs_the_flag),
	  KT_EACH(spurious_wakeup_keeps_the_timeout, wakeups));
