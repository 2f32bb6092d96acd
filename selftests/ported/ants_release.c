// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of ants about closing a pool and opening it again.
 */
#include <linux/module.h>

#include "ants.h"

static int ants_second(void *arg)
{
	struct ants_job *job = arg;

	atomic_inc(&job->gate->started);
	kt_sleep_ms(kt_ms(1000, 10));
	atomic_inc(&job->gate->finished);
	return 0;
}

/* A thread of two that submit 30 tasks each, and ignore the results. */
struct ants_stream {
	struct kt_thread	thread;
	struct kpool		*pool;
	enum ants_way		way;
	struct ants_job		*jobs;
	int			accepted;
	int			closed;
};

static int ants_stream_main(void *arg)
{
	struct ants_stream *s = arg;
	int i, ret;

	for (i = 0; i < 30; i++) {
		ret = ants_submit(s->pool, s->way, &s->jobs[i]);
		if (!ret)
			s->accepted++;
		else if (KT_EXPECT_EQ(ret, -ESHUTDOWN))
			s->closed++;
	}
	return 0;
}

/* Start both, shut down after three tasks, and wait until both return. */
static void release_streams(struct kpool *pool, struct ants_stream *s,
			    struct kt_gate *gate)
{
	int i;

	for (i = 0; i < 3; i++)
		kt_gate_let_one(gate);
	for (i = 0; i < 2; i++)
		if (!kt_thread_start(&s[i].thread, ants_stream_main, &s[i]))
			break;
	KT_EXPECT(kt_wait(atomic_read(&gate->finished) == 3));
	/* the fourth keeps the worker, and both sleep */
	KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 2));
	kpool_shutdown(pool);
	KT_EXPECT_EQ(kt_stat(pool, blocked), 0);
	kt_gate_open(gate);
	for (i = 0; i < 2; i++)
		KT_EXPECT_EQ(kt_thread_join(&s[i].thread), 0);
}

/*
 * Two submitters with 30 tasks each share one worker; shutdown after the third
 * task refuses both, and every task accepted before it runs.
 * Fails if shutdown leaves a submitter blocked, or drops what it accepted.
 */
static void shutdown_refuses_blocked_submitters(int way)
{
	struct kpool_attrs attrs = { .capacity = 1 };
	struct ants_stream s[2] = { };
	struct ants_job *jobs;
	struct kt_gate gate;
	struct kpool *pool;
	int i;

	kt_gate_init(&gate);
	jobs = ants_jobs(60, ants_gated, &gate);
	pool = ants_pool(&attrs, way, ants_gated);
	if (!jobs || !pool)
		goto out;
	for (i = 0; i < 2; i++) {
		s[i].pool = pool;
		s[i].way = way;
		s[i].jobs = jobs + 30 * i;
	}
	release_streams(pool, s, &gate);
	KT_EXPECT_GE(s[0].closed, 1);
	KT_EXPECT_GE(s[1].closed, 1);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished),
		     s[0].accepted + s[1].accepted);
	KT_EXPECT_EQ(kt_stat(pool, completed), s[0].accepted + s[1].accepted);
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

/* Five tasks of a second; shutdown waits for them, and for the workers. */
static void release_five(struct kpool *pool, enum ants_way way)
{
	struct ants_job *jobs;
	struct kt_gate count;

	kt_gate_init(&count);
	jobs = ants_jobs(5, ants_second, &count);
	if (!jobs || !ants_submit_all(pool, way, jobs, 5))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&count.started) == 5));
	if (kt_exact)
		KT_EXPECT_NE(kt_stat(pool, alive), 0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, kt_exact ? 2 * HZ : KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&count.finished), 5);
	KT_EXPECT_EQ(kt_stat(pool, alive), 0);
out:
	kvfree(jobs);
}

/*
 * Shutdown with a timeout of two seconds outlasts tasks of one.
 * Fails if it does not wait, or returns while a worker is alive.
 */
static void shutdown_waits_for_tasks(int way)
{
	struct kpool_attrs attrs = { .capacity = 10 };
	struct kpool *pool = ants_pool(&attrs, way, ants_second);

	if (!pool)
		return;
	release_five(pool, way);
	kt_pool_end(pool);
}

/*
 * Shutdown of the default pool waits for its tasks, too; then it is reopened
 * for other users.
 * Fails if the default pool cannot be shut down, or can be destroyed.
 */
static void shutdown_of_the_default_pool_waits_for_tasks(void)
{
	struct kpool *pool = kpool_default();

	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), 0))
		return;
	release_five(pool, ANTS_FN);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_EQ(kpool_destroy(pool), -EINVAL);
	kt_check_identities(pool);
}

/*
 * A shutdown that expires leaves the pool closed and the task running.  Called
 * again, it goes on waiting, which ants cannot, and a third time is harmless.
 * Fails if -ETIMEDOUT reopens or forgets the pool, or the second call returns
 * before the task has ended.
 */
static void shutdown_timeout_is_resumed(int way)
{
	struct kpool_attrs attrs = { .capacity = 10 };
	struct ants_job *jobs;
	struct kt_gate gate;
	struct kpool *pool;
	unsigned long start;

	kt_gate_init(&gate);
	jobs = ants_jobs(2, ants_gated, &gate);
	pool = ants_pool(&attrs, way, ants_gated);
	if (!jobs || !pool || !ants_submit_all(pool, way, jobs, 1))
		goto out;
	start = jiffies;
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, HZ / 20), -ETIMEDOUT);
	KT_EXPECT_GE((long)(jiffies - start), HZ / 20);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, 0), -ETIMEDOUT);
	KT_EXPECT_EQ(ants_submit(pool, way, &jobs[1]), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_reopen(pool), -EBUSY);
	KT_EXPECT_EQ(ants_submit(pool, way, &jobs[1]), -ESHUTDOWN);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	KT_EXPECT_EQ(kt_stat(pool, alive), 0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, 0), 0);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

static int ants_tiny(void *arg)
{
	struct ants_job *job = arg;

	atomic_inc(&job->gate->finished);
	return 0;
}

/* Reopen on an open pool; a task; shutdown; refused; reopen; a task. */
static void reopen(struct kpool *pool, enum ants_way way)
{
	struct ants_job *jobs;
	struct kt_gate count;

	kt_gate_init(&count);
	jobs = ants_jobs(1, ants_tiny, &count);
	if (!jobs)
		return;
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_EQ(ants_submit(pool, way, jobs), 0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, kt_exact ? HZ : KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&count.finished), 1);
	KT_EXPECT_EQ(ants_submit(pool, way, jobs), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_EQ(ants_submit(pool, way, jobs), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&count.finished), 2);
	kvfree(jobs);
}

/*
 * A closed pool refuses, a reopened one takes work, and counts on.
 * Fails if a reopened pool stays closed, or clears the counters.
 */
static void reopened_pool_accepts_again(int way)
{
	struct kpool_attrs attrs = { .capacity = 10 };
	struct kpool *pool = ants_pool(&attrs, way, ants_tiny);

	if (!pool)
		return;
	reopen(pool, way);
	KT_EXPECT_EQ(kt_stat(pool, submitted), 2);
	kt_pool_end(pool);
}

/*
 * The default pool, shut down and reopened, accepts tasks again.
 * Fails if the default pool, once closed, stays closed.
 */
static void reopened_default_pool_accepts_again(void)
{
	struct kpool *pool = kpool_default();

	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), 0))
		return;
	reopen(pool, ANTS_ITEM);
	reopen(pool, ANTS_FN);
	kt_check_identities(pool);
}

static atomic_long_t ants_total;

static int ants_add(void *arg)
{
	struct ants_job *job = arg;

	atomic_long_add(job->nr, &ants_total);
	return 0;
}

/* 1,000 tasks add up 0 to 999. */
static void calculate(struct kpool *pool, enum ants_way way,
		      struct ants_job *jobs)
{
	atomic_long_set(&ants_total, 0);
	if (!ants_submit_all(pool, way, jobs, 1000))
		return;
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_long_read(&ants_total), 499500);
}

static void calculate_twice(const struct kpool_attrs *attrs, enum ants_way way)
{
	struct kpool *pool = ants_pool(attrs, way, ants_add);
	struct ants_job *jobs = ants_jobs(1000, ants_add, NULL);

	if (!pool || !jobs)
		goto out;
	calculate(pool, way, jobs);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, kt_exact ? HZ : KT_LIMIT), 0);
	KT_EXPECT_EQ(kt_stat(pool, alive), 0);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_GE(kt_stat(pool, alive), max(attrs->min_workers, 0));
	calculate(pool, way, jobs);
	KT_EXPECT_EQ(kt_stat(pool, completed), 2000);
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * A pool of 10 adds up 499,500 before a reopen and after it.
 * Fails if a reopened pool loses or repeats an item.
 */
static void reopened_pool_calculates_again(int way)
{
	struct kpool_attrs attrs = { .capacity = 10 };

	calculate_twice(&attrs, way);
}

/*
 * All workers are made at creation, and so again at reopen; ants once hung
 * here.
 * Fails if reopen does not make them, or counts those of before.
 */
static void reopened_pool_calculates_again_prealloc(int way)
{
	struct kpool_attrs attrs = {
		.capacity = 10,
		.min_workers = 10,
		.flags = KPOOL_PREALLOC,
	};

	calculate_twice(&attrs, way);
}

KT_MODULE("Selftests of kpool: ants' scenarios of shutdown and reopen",
	  ANTS_EACH(shutdown_refuses_blocked_submitters),
	  ANTS_EACH(shutdown_waits_for_tasks),
	  KT_CASE(shutdown_of_the_default_pool_waits_for_tasks),
	  ANTS_EACH(shutdown_timeout_is_resumed),
	  ANTS_EACH(reopened_pool_accepts_again),
	  KT_CASE(reopened_default_pool_accepts_again),
	  ANTS_EACH(reopened_pool_calculates_again),
	  ANTS_EACH(reopened_pool_calculates_again_prealloc));
