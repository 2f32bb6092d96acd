// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of rulego's worker pool: a function is submitted to a worker or
 * refused, and workers are shared out among the processors.  kpool has one set
 * of workers for all, so that every unit can be used from everywhere.
 * The table of Documentation/coming-from/rulego.rst says which covers what.
 */
#include <linux/module.h>

#include "selftest.h"

#define MAX_WORKERS	200000
#define TASKS		10000

static int count_one(void *arg)
{
	atomic_inc(arg);
	return 0;
}

static struct kpool *worker_pool(int capacity, int expiry_ms)
{
	struct kpool_attrs attrs = {
		.capacity = capacity,
		.nonblocking = 1,
		.expiry_ms = expiry_ms,
	};

	return kt_pool("rulego", &attrs);
}

static int submit(struct kpool *pool, kpool_fn fn, void *arg)
{
	return kpool_submit_fn(pool, fn, arg, GFP_KERNEL);
}

/* Submit a function that often; none must be refused. */
static bool submit_many(struct kpool *pool, kpool_fn fn, void *arg, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!KT_EXPECT_EQ(submit(pool, fn, arg), 0))
			return false;
	return true;
}

/* 10,000 increments; a second later all have been made. */
static void count_to_10000(int expiry_ms)
{
	struct kpool *pool = worker_pool(MAX_WORKERS, expiry_ms);
	atomic_t n = ATOMIC_INIT(0);

	if (!pool)
		return;
	submit_many(pool, count_one, &n, TASKS);
	if (kt_exact) {
		kt_sleep_ms(1000);
		KT_EXPECT_EQ(kt_stat(pool, purged), 0);
	} else {
		KT_EXPECT_EQ(kpool_flush(pool), 0);
	}
	KT_EXPECT_EQ(atomic_read(&n), TASKS);
	KT_EXPECT_EQ(kt_stat(pool, refused), 0);
	kpool_shutdown(pool);
	KT_EXPECT_EQ(submit(pool, count_one, &n), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&n), TASKS);
	kt_pool_end(pool);
}

/*
 * TestWorkerPool, but for its end: rulego asserts that a closed pool still
 * accepts.
 * Fails if an increment is lost or repeated, if a submit is refused although
 * units are free, or if a closed pool takes work.
 */
static void workers_count_to_10000(void)
{
	count_to_10000(0);
}

/*
 * TestWorkerPoolWithMaxIdleWorkerD: idle workers stay for ten seconds.
 * Fails if workers that are idle for a second are purged, or if expiry is
 * counted from their making.
 */
static void workers_with_idle_time_count_to_10000(void)
{
	count_to_10000(10000);
}

/*
 * TestWorkerPoolWithDoubleStart.
 * Fails if opening an open pool starts it anew or is an error.
 */
static void start_twice_is_once(void)
{
	struct kpool *pool = worker_pool(MAX_WORKERS, KPOOL_NO_PURGE);
	atomic_t n = ATOMIC_INIT(0);

	if (!pool)
		return;
	KT_EXPECT_EQ(submit(pool, count_one, &n), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, alive), 1);
	KT_EXPECT_EQ(kt_stat(pool, completed), 1);
	kt_pool_end(pool);
}

/*
 * Full is an error at once, for any number of processors: exactly
 * capacity tasks run, one more is refused, and its refusal is counted.
 * Fails if units are shared out so that some cannot be used, or if more are
 * given out than there are.
 */
static void full_pool_refuses_one_more(void)
{
	struct kpool *pool;
	struct kt_gate gate;
	int n;

	for (n = 1; n <= 5; n++) {
		pool = worker_pool(n, 0);
		if (!pool)
			return;
		kt_gate_init(&gate);
		submit_many(pool, kt_gate_pass, &gate, n);
		KT_EXPECT_EQ(submit(pool, kt_gate_pass, &gate), -EAGAIN);
		KT_EXPECT(kt_wait(atomic_read(&gate.started) == n));
		KT_EXPECT_EQ(submit(pool, kt_gate_pass, &gate), -EAGAIN);
		KT_EXPECT_EQ(kt_stat(pool, refused), 2);
		KT_EXPECT_EQ(kt_stat(pool, alive), n);
		kt_gate_open(&gate);
		kt_pool_end(pool);
	}
}

/*
 * A task at a time needs one worker, wherever it is submitted; rulego can make
 * one in a shard although another's are idle.
 * Fails if an idle worker is overlooked.
 */
static void idle_worker_comes_before_a_new_one(void)
{
	struct kpool *pool = worker_pool(MAX_WORKERS, KPOOL_NO_PURGE);
	atomic_t n = ATOMIC_INIT(0);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 100; i++) {
		KT_EXPECT_EQ(submit(pool, count_one, &n), 0);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
	}
	KT_EXPECT_EQ(atomic_read(&n), 100);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 1);
	kt_pool_end(pool);
}

static int add_a_hundred(void *arg)
{
	int i;

	for (i = 0; i < 100; i++)
		atomic_inc(arg);
	return 0;
}

/*
 * The load of its benchmark: 10,000 tasks of 100 additions each, no limit.
 * Fails if a task is lost or repeated in a pool without limit.
 */
static void benchmark_adds_a_million(void)
{
	struct kpool *pool = worker_pool(KPOOL_UNLIMITED, 0);
	atomic_t sum = ATOMIC_INIT(0);

	if (!pool)
		return;
	submit_many(pool, add_a_hundred, &sum, TASKS);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&sum), TASKS * 100);
	kt_pool_end(pool);
}

KT_MODULE("Selftests of kpool: the scenarios of rulego's worker pool",
	  KT_CASE(workers_count_to_10000),
	  KT_CASE(workers_with_idle_time_count_to_10000),
	  KT_CASE(start_twice_is_once),
	  KT_CASE(full_pool_refuses_one_more),
	  KT_CASE(idle_worker_comes_before_a_new_one),
	  KT_CASE(benchmark_adds_a_million));
