// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenes for latency.sh, which reads what <pool>/latency makes of them: items
 * that wait and run for a known time, which is exact under simulated time.
 */
#include <linux/delay.h>

#include "jobs.h"

static struct kpool *pool, *other;
static struct probe p[4];
static unsigned int run_us;

static int sleeps(struct kpool_item *item)
{
	if (run_us)
		usleep_range(run_us, run_us + 1);
	return probe_fn(item);
}

static void pool_is_made(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 8, .expiry_ms = KPOOL_NO_PURGE,
	};

	probes_init(p, ARRAY_SIZE(p), sleeps);
	pool = kt_pool("latency", &attrs);
	other = kt_pool("latency-other", &attrs);
}

/* Submit the first probe, which starts later. */
static void waits(unsigned int us)
{
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 1);
	usleep_range(us, us + 1);
}

static void runs(unsigned int us)
{
	run_us = us;
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
}

static void item_waits_3000_runs_700(void)
{
	if (!pool)
		return;
	waits(3000);
	runs(700);
}

/* Just below and just above where a row begins. */
static void item_waits_1020_runs_1030(void)
{
	if (!pool)
		return;
	waits(1020);
	runs(1030);
}

/* Of an item with a weight, only the jiffies are known. */
static void weighted_item_waits_50000(void)
{
	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&p[0].job.item, 2), 0);
	waits(50000);
	runs(700);
	KT_EXPECT_EQ(kpool_set_weight(&p[0].job.item, 1), 0);
}

/*
 * Its weight is in the place of other items' time.
 * Fails (-EINVAL) if the time is stored there all the same: mutant
 * weight-is-overwritten.
 */
static void weighted_item_runs_twice(void)
{
	int i;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&p[0].job.item, 2), 0);
	run_us = 0;
	for (i = 0; i < 2; i++) {
		probes_submit(pool, p, 1);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
	}
	KT_EXPECT_EQ(kpool_set_weight(&p[0].job.item, 1), 0);
}

/*
 * An item without a weight is queued while it runs, as no unit is free: its
 * time is no weight.
 * Fails (-EAGAIN) if the units that it will take are counted by that.
 */
static void pending_item_runs_without_weight(void)
{
	if (!pool)
		return;
	run_us = 0;
	kt_gate_init(&p[0].own);
	kt_gate_init(&p[1].own);
	probes_hold(p, 2);
	probes_submit(pool, p, 2);
	KT_EXPECT(probe_runs(&p[0]) && probe_runs(&p[1]));
	probes_submit(pool, p, 1);
	probes_open(p, 2);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	p[0].gate = NULL;
	p[1].gate = NULL;
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 2), 0);
	KT_EXPECT_EQ(kpool_submit_now(pool, &p[1].job.item), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 1), 0);
}

/* Over 32 bits of microseconds, by so little that the rest has another row. */
static void item_waits_for_72_minutes(void)
{
	if (!pool)
		return;
	if (!kt_exact) {
		kt_skip("simulated time");
		return;
	}
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 1);
	ssleep(72 * 60);
	runs(700);
}

static void item_waits_50000(void)
{
	if (pool)
		waits(50000);
}

static void item_that_waits_runs_700(void)
{
	if (pool)
		runs(700);
}

static void item_is_held(void)
{
	if (!pool)
		return;
	kt_gate_init(&p[0].own);
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
}

static void held_item_ends(void)
{
	if (!pool)
		return;
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	p[0].gate = NULL;
}

/* From when it is due on. */
static void delayed_job_waits_3000(void)
{
	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[0].job, HZ / 5), 0);
	KT_EXPECT(kt_wait_for(kt_stat(pool, pending) == 1, KT_LIMIT));
	usleep_range(3000, 3000 + 1);
	runs(700);
}

/*
 * As backlog it does not wait: it could not start anyway.
 * Fails if that time counts as well: mutant latency-of-a-backlog.
 */
static void backlog_waits_3000(void)
{
	if (!pool)
		return;
	run_us = 0;
	kt_gate_init(&p[1].own);
	kt_gate_init(&p[2].own);
	probes_hold(&p[1], 2);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, &p[1], 2);
	usleep_range(5000, 5000 + 1);
	kpool_resume(pool);
	KT_EXPECT(probe_runs(&p[1]) && probe_runs(&p[2]));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_NONE), 0);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[0].job, 0), 0);
	usleep_range(150000, 150000 + 1);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, 8), 0);
	usleep_range(3000, 3000 + 1);
	run_us = 700;
	probes_open(&p[1], 2);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	p[1].gate = NULL;
	p[2].gate = NULL;
}

static int completes(struct kpool_item *item)
{
	usleep_range(5000, 5000 + 1);
	return 0;
}

static void ordered_job_waits_once(void)
{
	struct kpool_stream stream;

	if (!pool)
		return;
	kpool_init_ordered_stream(&stream, pool);
	KT_EXPECT_EQ(kpool_set_stream(&p[0].job, &stream), 0);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[0].job, completes), 0);
	waits(3000);
	runs(700);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[0].job, NULL), 0);
	KT_EXPECT_EQ(kpool_set_stream(&p[0].job, NULL), 0);
}

/* Not flushed: while a flusher waits, workers take the lock for each item. */
static void four_items_wait_3000(void)
{
	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, ARRAY_SIZE(p));
	usleep_range(3000, 3000 + 1);
	run_us = 0;
	kpool_resume(pool);
	KT_EXPECT(kt_wait(!kt_stat(pool, pending) && !kt_stat(pool, running)));
}

/* Behind two that use both units; no call of the pool until they have run. */
static void two_low_items_wait_2800(void)
{
	int i;

	if (!pool)
		return;
	run_us = 3000;
	for (i = 2; i < 4; i++)
		KT_EXPECT_EQ(kpool_set_priority(&p[i].job.item, KPOOL_PRIO_LOW),
			     0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 2);
	usleep_range(600, 600 + 1);
	kpool_resume(pool);
	usleep_range(200, 200 + 1);
	probes_submit(pool, &p[2], 2);
	usleep_range(7000, 7000 + 1);
	KT_EXPECT(kt_wait(!kt_stat(pool, pending) && !kt_stat(pool, running)));
	for (i = 2; i < 4; i++)
		KT_EXPECT_EQ(kpool_set_priority(&p[i].job.item,
						KPOOL_PRIO_NORMAL), 0);
}

static void pool_is_destroyed(void)
{
	jobs_end(pool);
	jobs_end(other);
	pool = NULL;
	other = NULL;
}

/* The submitter's item does not wait; its own pool has no other. */
static void submitter_runs_700(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};

	if (!pool) {
		probes_init(p, ARRAY_SIZE(p), sleeps);
		pool = kt_pool("latency", &attrs);
		run_us = 0;
		item_is_held();
		return;
	}
	run_us = 700;
	probes_submit(pool, &p[1], 1);
}

/*
 * No pool counts now: items are not given the time.
 * Fails if the last one was destroyed, and not switched off.
 */
static void items_have_no_time(void)
{
	pool_is_made();
	if (!pool)
		return;
	waits(1);
	KT_EXPECT_EQ(p[0].job.item.weight, 1);
	runs(0);
	pool_is_destroyed();
}

KT_MODULE("kpool selftest: scenes for the histograms of latency",
	  KT_CASE(pool_is_made),
	  KT_CASE(item_waits_3000_runs_700),
	  KT_CASE(item_waits_1020_runs_1030),
	  KT_CASE(weighted_item_waits_50000),
	  KT_CASE(weighted_item_runs_twice),
	  KT_CASE(pending_item_runs_without_weight),
	  KT_CASE(item_waits_for_72_minutes),
	  KT_CASE(item_waits_50000),
	  KT_CASE(item_that_waits_runs_700),
	  KT_CASE(item_is_held),
	  KT_CASE(held_item_ends),
	  KT_CASE(delayed_job_waits_3000),
	  KT_CASE(backlog_waits_3000),
	  KT_CASE(ordered_job_waits_once),
	  KT_CASE(four_items_wait_3000),
	  KT_CASE(two_low_items_wait_2800),
	  KT_CASE(submitter_runs_700),
	  KT_CASE(pool_is_destroyed),
	  KT_CASE(items_have_no_time));
