// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of ants about submitting: callers wait for a worker, are refused,
 * or find one of min_workers.
 */
#include <linux/module.h>
#include <linux/sched.h>

#include "ants.h"

#define ANTS_SIZE	1000		/* ants' capacity in most tests */
#define ANTS_TASKS	100000
#define ANTS_TEST_SIZE	10000		/* and in the others */

/* The load of the tests with many tasks; 100 ms as in ants if that is free. */
static int ants_nap(void *arg)
{
	struct ants_job *job = arg;

	atomic_inc(&job->gate->started);
	if (kt_exact)
		kt_sleep_ms(100);
	else
		usleep_range(100, 1000);
	atomic_inc(&job->gate->finished);
	return 0;
}

static void wait_to_get_worker(enum ants_way way, const struct kpool_attrs *attrs)
{
	int n = kt_count(ANTS_TASKS);
	struct ants_job *jobs;
	struct kt_gate count;
	struct kpool *pool;

	kt_gate_init(&count);
	jobs = ants_jobs(n, ants_nap, &count);
	pool = ants_pool(attrs, way, ants_nap);
	if (jobs && pool && ants_submit_all(pool, way, jobs, n)) {
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT_EQ(atomic_read(&count.finished), n);
		KT_EXPECT_EQ(kt_stat(pool, submitted), n);
		KT_EXPECT_LE(kt_stat(pool, alive), ANTS_SIZE);
		KT_EXPECT_EQ(kt_stat(pool, refused), 0);
	}
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * 100,000 submits to 1,000 workers all wait their turn and all complete.
 * Fails if a submitter's wake-up is lost, or an item is lost or repeated.
 */
static void blocked_submits_complete(int way)
{
	struct kpool_attrs attrs = { .capacity = ANTS_SIZE };

	wait_to_get_worker(way, &attrs);
}

/*
 * Every worker is made at creation.
 * Fails if made-up-front workers are not found idle, or are made twice.
 */
static void blocked_submits_complete_prealloc(int way)
{
	struct kpool_attrs attrs = {
		.capacity = ANTS_SIZE,
		.min_workers = ANTS_SIZE,
		.flags = KPOOL_PREALLOC,
	};

	wait_to_get_worker(way, &attrs);
}

static int ants_demo(void *arg)
{
	struct ants_job *job = arg;

	kt_sleep_ms(10);
	atomic_inc(&job->gate->finished);
	return 0;
}

/* Are so many alive?  @s is what the counters said then. */
static bool alive_are(struct kpool *pool, int n, struct kpool_stats *s)
{
	kpool_get_stats(pool, s);
	return s->alive == n;
}

/*
 * Expect that a single task has run since only @min_workers were alive.  Where
 * time is real, its worker can have expired again.  Another can have come that
 * was being made for items that others ran.
 */
static void expect_one_worker_used(struct kpool *pool, int min_workers,
				   const struct kpool_stats *before)
{
	struct kpool_stats s;

	kpool_get_stats(pool, &s);
	KT_EXPECT_GE(s.alive, min_workers);
	KT_EXPECT_GE(s.spawned, before->spawned + !min_workers);
	KT_EXPECT_LE(s.spawned, before->spawned + !min_workers + !kt_exact);
	KT_EXPECT_EQ(s.alive + s.purged - before->purged,
		     min_workers + s.spawned - before->spawned);
	if (kt_exact)
		KT_EXPECT_EQ(s.alive, max(min_workers, 1));
}

/* 1,000 tasks, time for the reap work, and one task more. */
static void worker_from_cache(enum ants_way way, const struct kpool_attrs *attrs)
{
	int n = ANTS_SIZE;
	struct ants_job *jobs;
	struct kpool_stats before;
	struct kt_gate count;
	struct kpool *pool;

	kt_gate_init(&count);
	jobs = ants_jobs(n + 1, ants_demo, &count);
	pool = ants_pool(attrs, way, ants_demo);
	if (!jobs || !pool || !ants_submit_all(pool, way, jobs, n))
		goto out;
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	kt_sleep_ms(kt_ms(2000, 50));
	KT_EXPECT(kt_wait(alive_are(pool, attrs->min_workers, &before)));
	KT_EXPECT_EQ(ants_submit(pool, way, &jobs[n]), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&count.finished), n + 1);
	expect_one_worker_used(pool, attrs->min_workers, &before);
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * After the purge of all its workers a pool makes a new one.
 * Fails if the reap work leaves idle workers, or miscounts those it took.
 */
static void submit_after_purge_creates_a_worker(int way)
{
	struct kpool_attrs attrs = {
		.capacity = ANTS_TEST_SIZE,
		.expiry_ms = kt_ms(1000, 50),
	};

	worker_from_cache(way, &attrs);
}

/*
 * min_workers outlive the purge and take the next task; none is created for it.
 * Fails if the reap work takes one of min_workers.
 */
static void submit_to_prealloc_workers_creates_none(int way)
{
	struct kpool_attrs attrs = {
		.capacity = ANTS_TEST_SIZE,
		.min_workers = 100,
		.expiry_ms = kt_ms(1000, 50),
		.flags = KPOOL_PREALLOC,
	};

	worker_from_cache(way, &attrs);
}

static int ants_count(void *arg)
{
	struct ants_job *job = arg;

	if (kt_exact)
		kt_sleep_ms(10);
	atomic_inc(&job->gate->finished);
	return 0;
}

/*
 * The default pool takes 100,000 tasks from a caller that made no pool.
 * Fails if it is not made on first use, or has no working defaults.
 */
static void default_pool_completes(void)
{
	struct kpool *pool = kpool_default();
	int i, n = kt_count(ANTS_TASKS);
	struct ants_job *jobs;
	struct kt_gate count;

	kt_gate_init(&count);
	jobs = ants_jobs(n, ants_count, &count);
	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), 0) || !jobs)
		goto out;
	for (i = 0; i < n; i++)
		if (!KT_EXPECT_EQ(kpool_submit(pool, &jobs[i].item), 0))
			break;
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&count.finished), i);
	kt_check_identities(pool);
out:
	kvfree(jobs);
}

/* A task that keeps its worker busy without sleeping for long. */
static int ants_busy(void *arg)
{
	struct ants_job *job = arg;

	atomic_inc(&job->gate->started);
	while (!completion_done(&job->gate->open))
		usleep_range(200, 400);
	atomic_inc(&job->gate->finished);
	return 0;
}

/* The eleventh of ten is refused; when the ten have ended, one is taken. */
static void overload(enum ants_way way, kpool_fn fn)
{
	struct kpool_attrs attrs = { .capacity = 10, .nonblocking = 1 };
	struct ants_job *jobs;
	struct kt_gate gate;
	struct kpool *pool;

	kt_gate_init(&gate);
	jobs = ants_jobs(11, fn, &gate);
	pool = ants_pool(&attrs, way, fn);
	if (!jobs || !pool || !ants_submit_all(pool, way, jobs, 10))
		goto out;
	KT_EXPECT_EQ(ants_submit(pool, way, &jobs[10]), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(pool, refused), 1);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 10));
	KT_EXPECT_EQ(kt_stat(pool, alive), 10);
	KT_EXPECT_EQ(ants_submit(pool, way, &jobs[10]), -EAGAIN);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(ants_submit(pool, way, &jobs[10]), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 11);
	KT_EXPECT_EQ(kt_stat(pool, refused), 2);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * A nonblocking pool refuses the 11th of 10, blocked or busy, and no longer
 * refuses once the ten have ended.
 * Fails if nonblocking sleeps, or if an accepted item is not counted before it
 * starts.  Also fails if a flush ends before its items' units are free.
 */
static void nonblocking_refuses_the_eleventh(int way)
{
	overload(way, ants_gated);
	overload(way, ants_busy);
}

/*
 * With max_blocked 1, one submitter sleeps and the next is refused.
 * Fails if max_blocked is off by one, or the blocked submitter is not woken.
 */
static void max_blocked_refuses_the_second(int way)
{
	struct kpool_attrs attrs = { .capacity = 10, .max_blocked = 1 };
	struct ants_submitter blocked = { };
	struct ants_job *jobs;
	struct kt_gate gate;
	struct kpool *pool;

	kt_gate_init(&gate);
	jobs = ants_jobs(12, ants_gated, &gate);
	pool = ants_pool(&attrs, way, ants_gated);
	if (!jobs || !pool || !ants_submit_all(pool, way, jobs, 10))
		goto out;
	if (!ants_submitter_block(&blocked, pool, way, &jobs[10]))
		goto out;
	kt_sleep_ms(kt_ms(1000, 20));
	KT_EXPECT(!kt_thread_done(&blocked.thread));
	KT_EXPECT_EQ(ants_submit(pool, way, &jobs[11]), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(pool, blocked), 1);
out:
	kt_gate_open(&gate);
	if (blocked.thread.task)
		KT_EXPECT_EQ(kt_thread_join(&blocked.thread), 0);
	kt_pool_end(pool);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 11);
	kvfree(jobs);
}

/* A task that submits the next one from inside, then waits at the gate. */
struct ants_nest {
	struct kpool	*pool;
	struct ants_job	*inner;
	enum ants_way	way;
	int		ret;
};

static struct ants_nest ants_nest;

static int ants_nesting(void *arg)
{
	struct ants_job *job = arg;

	if (!job->nr)
		ants_nest.ret = ants_submit(ants_nest.pool, ants_nest.way,
					    ants_nest.inner);
	return kt_gate_pass(job->gate);
}

/*
 * An unlimited pool takes a submit from inside an item: both run at once.
 * Fails if nested submit is refused, or unlimited is taken for a number that
 * a task can exhaust.
 */
static void unlimited_takes_nested_submit(int way)
{
	struct kpool_attrs attrs = { .capacity = KPOOL_UNLIMITED };
	struct ants_job *jobs;
	struct kt_gate gate;
	struct kpool *pool;

	kt_gate_init(&gate);
	jobs = ants_jobs(2, ants_nesting, &gate);
	pool = ants_pool(&attrs, way, ants_nesting);
	if (!jobs || !pool)
		goto out;
	ants_nest = (struct ants_nest) {
		.pool = pool, .inner = &jobs[1], .way = way, .ret = 1,
	};
	KT_EXPECT_EQ(ants_submit(pool, way, &jobs[0]), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 2));
	KT_EXPECT_EQ(kt_stat(pool, running), 2);
	KT_EXPECT_EQ(kt_stat(pool, alive), 2);
	KT_EXPECT_EQ(ants_nest.ret, 0);
	kpool_get_attrs(pool, &attrs);
	KT_EXPECT_EQ(attrs.capacity, KPOOL_UNLIMITED);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

static atomic_long_t ants_sum;

static int ants_add(void *arg)
{
	struct ants_job *job = arg;

	kt_sleep_ms(kt_ms(10, 0));
	atomic_long_add(job->nr, &ants_sum);
	return 0;
}

/* 1,000 tasks add up 0 to 999; a waiter for the pool sees the sum. */
static void add_up(struct kpool *pool, enum ants_way way)
{
	struct ants_job *jobs = ants_jobs(1000, ants_add, NULL);

	atomic_long_set(&ants_sum, 0);
	if (jobs && ants_submit_all(pool, way, jobs, 1000)) {
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT_EQ(atomic_long_read(&ants_sum), 499500);
	}
	kvfree(jobs);
}

/*
 * The README's example: 1,000 tasks on a pool of ten.
 * Fails if a task is lost, repeated, or not waited for.
 */
static void example_adds_up(int way)
{
	struct kpool_attrs attrs = {
		.capacity = 10,
		.expiry_ms = KPOOL_NO_PURGE,
	};
	struct kpool *pool = ants_pool(&attrs, way, ants_add);

	if (!pool)
		return;
	add_up(pool, way);
	KT_EXPECT_LE(kt_stat(pool, spawned), 10);
	kt_pool_end(pool);
}

/*
 * The example adds up on the default pool, which needs no creation.
 * Fails if the default pool loses or repeats a task.
 */
static void example_of_the_default_pool_adds_up(void)
{
	struct kpool *pool = kpool_default();

	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), 0))
		return;
	add_up(pool, ANTS_ITEM);
	add_up(pool, ANTS_FN);
	kt_check_identities(pool);
}

KT_MODULE("Selftests of kpool: ants' scenarios of submitting",
	  ANTS_EACH(blocked_submits_complete),
	  ANTS_EACH(blocked_submits_complete_prealloc),
	  ANTS_EACH(submit_after_purge_creates_a_worker),
	  ANTS_EACH(submit_to_prealloc_workers_creates_none),
	  KT_CASE(default_pool_completes),
	  ANTS_EACH(nonblocking_refuses_the_eleventh),
	  ANTS_EACH(max_blocked_refuses_the_second),
	  ANTS_EACH(unlimited_takes_nested_submit),
	  ANTS_EACH(example_adds_up),
	  KT_CASE(example_of_the_default_pool_adds_up));
