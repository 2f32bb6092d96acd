// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of ants about idle workers: purged, kept as min_workers, never
 * purged.
 */
#include <linux/ktime.h>
#include <linux/module.h>

#include "ants.h"

static int ants_gated_nap(void *arg)
{
	struct ants_job *job = arg;
	int ret = kt_gate_pass(job->gate);

	kt_sleep_ms(job->nr % 100);
	return ret;
}

/*
 * 500 workers that fall idle one after the other are all purged.
 * Fails if the reap work is not armed again after it took some of the idle.
 * Also fails if a worker that falls idle while others are being purged is
 * forgotten.
 */
static void purge_takes_all_of_500_workers(int way)
{
	struct kpool_attrs attrs = {
		.capacity = 500,
		.expiry_ms = kt_ms(1000, 50),
	};
	struct ants_job *jobs;
	struct kt_gate gate;
	struct kpool *pool;

	kt_gate_init(&gate);
	jobs = ants_jobs(500, ants_gated_nap, &gate);
	pool = ants_pool(&attrs, way, ants_gated_nap);
	if (!jobs || !pool || !ants_submit_all(pool, way, jobs, 500))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 500));
	KT_EXPECT_EQ(kt_stat(pool, alive), 500);
	KT_EXPECT_EQ(kt_stat(pool, running), 500);
	kt_gate_open(&gate);
	if (kt_exact) {
		kt_sleep_ms(5000);
		KT_EXPECT_EQ(kt_stat(pool, alive), 0);
	}
	KT_EXPECT(kt_wait(kt_stat(pool, alive) == 0));
	KT_EXPECT_EQ(kt_stat(pool, spawned), 500);
	KT_EXPECT_EQ(kt_stat(pool, purged), 500);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

static int ants_short(void *arg)
{
	struct ants_job *job = arg;

	kt_sleep_ms(job->nr ? 1 : 10);
	return 0;
}

/*
 * Workers made at creation stay at their number; only those above it go.
 * Fails if the reap work takes one of min_workers, or keeps one too many.
 */
static void purge_keeps_prealloc(int way)
{
	struct kpool_attrs attrs = {
		.capacity = 10,
		.min_workers = 3,
		.expiry_ms = kt_ms(1000, 50),
		.flags = KPOOL_PREALLOC,
	};
	struct ants_job *jobs;
	struct kt_gate gate;
	struct kpool *pool;

	kt_gate_init(&gate);
	jobs = ants_jobs(10, ants_gated, &gate);
	pool = ants_pool(&attrs, way, ants_gated);
	if (!jobs || !pool)
		goto out;
	KT_EXPECT_EQ(kt_stat(pool, alive), 3);
	if (!ants_submit_all(pool, way, jobs, 10))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 10));
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, alive) == 3));
	kt_sleep_ms(kt_ms(3000, 150));
	KT_EXPECT_EQ(kt_stat(pool, alive), 3);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 10);
	KT_EXPECT_EQ(kt_stat(pool, purged), 7);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * A single task, and then nothing: its one worker goes too.
 * Fails if the last worker of a pool without min_workers is kept.
 */
static void purge_takes_the_last_worker(int way)
{
	struct kpool_attrs attrs = {
		.capacity = 10,
		.expiry_ms = kt_ms(1000, 50),
	};
	struct ants_job *jobs;
	struct kpool *pool;

	jobs = ants_jobs(1, ants_short, NULL);
	pool = ants_pool(&attrs, way, ants_short);
	if (!jobs || !pool || !ants_submit_all(pool, way, jobs, 1))
		goto out;
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	if (kt_exact) {
		kt_sleep_ms(3000);
		KT_EXPECT_EQ(kt_stat(pool, alive), 0);
	}
	KT_EXPECT(kt_wait(kt_stat(pool, alive) == 0));
	KT_EXPECT_EQ(kt_stat(pool, purged), 1);
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

/* Ten gated tasks end; their ten workers must still be there later on. */
static void no_purge(enum ants_way way, struct kpool *pool, int wait_ms)
{
	struct ants_job *jobs;
	struct kt_gate gate;
	u64 purged;

	kt_gate_init(&gate);
	jobs = ants_jobs(10, ants_gated, &gate);
	if (!jobs || !pool || !ants_submit_all(pool, way, jobs, 10))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 10));
	KT_EXPECT_EQ(kt_stat(pool, alive), 10);
	KT_EXPECT_EQ(kt_stat(pool, idle), 0);
	/* a worker can have expired when the pool had another expiry */
	purged = kt_stat(pool, purged);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	kt_sleep_ms(wait_ms);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 10));
	KT_EXPECT_EQ(kt_stat(pool, alive), 10);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(kt_stat(pool, alive), 0);
	KT_EXPECT_EQ(kt_stat(pool, purged), purged);
	KT_EXPECT_EQ(kt_stat(pool, retired), 10);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * With NO_PURGE idle workers stay until shutdown, which takes them all.
 * Fails if NO_PURGE is taken for a time, or shutdown leaves idle workers.
 */
static void no_purge_keeps_workers(int way)
{
	struct kpool_attrs attrs = {
		.capacity = 10,
		.expiry_ms = KPOOL_NO_PURGE,
	};

	no_purge(way, ants_pool(&attrs, way, ants_gated), kt_ms(1500, 100));
}

/*
 * The pool had an expiry of 100 ms before: NO_PURGE wins.
 * Fails if tune leaves the old expiry in force.
 */
static void no_purge_replaces_expiry(int way)
{
	struct kpool_attrs attrs = { .capacity = 10, .expiry_ms = 100 };
	struct kpool *pool = ants_pool(&attrs, way, ants_gated);
	struct kt_gate open;

	if (!pool)
		return;
	kt_gate_init(&open);
	kt_gate_open(&open);
	KT_EXPECT_EQ(kpool_submit_fn(pool, kt_gate_pass, &open, GFP_KERNEL), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, KPOOL_NO_PURGE), 0);
	KT_EXPECT_LE(kt_stat(pool, purged), 1);
	no_purge(way, pool, 150);
}

/* Let one worker fall idle; return how long it lived on, in ns. */
static s64 idle_life(struct kpool *pool)
{
	struct kt_gate open;
	ktime_t idle;

	kt_gate_init(&open);
	kt_gate_open(&open);
	KT_EXPECT_EQ(kpool_submit_fn(pool, kt_gate_pass, &open, GFP_KERNEL), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	idle = ktime_get();
	while (kt_stat(pool, alive) && ktime_ms_delta(ktime_get(), idle) < 200000)
		usleep_range(100, 101);
	return ktime_to_ns(ktime_sub(ktime_get(), idle));
}

/*
 * An idle worker is gone no sooner than expiry and no later than expiry + 1/8
 * and two ticks, for any expiry.
 * Fails if the reap work rounds its timer down, or polls.
 */
static void idle_life_is_expiry(void)
{
	static const int expiries[] = { 1, 9, 10, 50, 100, 999, 1000, 7777, 60000 };
	struct kpool_attrs attrs = { .capacity = 1 };
	s64 life, expiry, tick = NSEC_PER_SEC / HZ;
	struct kpool *pool;
	int i;

	if (!kt_exact) {
		kt_skip("durations are asserted under simulated time");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(expiries); i++) {
		attrs.expiry_ms = expiries[i];
		pool = kt_pool("ants", &attrs);
		if (!pool)
			return;
		life = idle_life(pool);
		expiry = expiries[i] * (s64)NSEC_PER_MSEC;
		pr_info("ants: expiry %lld ns, life %lld ns\n", expiry, life);
		KT_EXPECT_GE(life, expiry);
		KT_EXPECT_LE(life, expiry + expiry / 8 + 2 * tick);
		kt_pool_end(pool);
	}
}

KT_MODULE("Selftests of kpool: ants' scenarios of purging",
	  ANTS_EACH(purge_takes_all_of_500_workers),
	  ANTS_EACH(purge_keeps_prealloc),
	  ANTS_EACH(purge_takes_the_last_worker),
	  ANTS_EACH(no_purge_keeps_workers),
	  ANTS_EACH(no_purge_replaces_expiry),
	  KT_CASE(idle_life_is_expiry));
