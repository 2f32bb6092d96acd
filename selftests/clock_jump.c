// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wall clock jumps by a day: nothing is lost, nothing is early.
 *
 * Every case is run with a jump forwards and with one backwards, and sets the
 * clock right again.
 */
#include <linux/ktime.h>

#include "job_counters.h"

#define JOBS	12
#define DAY	86400
#define HOUR	(3600UL * HZ)

static const char *const directions[] = { "forwards", "backwards", NULL };
static const int jumps[] = { DAY, -DAY };

static struct timed job[JOBS];
static struct load load[2];
static struct kpool *clock_pool;

/* Set the wall clock @seconds on. */
static void jump(int seconds)
{
	struct timespec64 now;

	ktime_get_real_ts64(&now);
	now.tv_sec += seconds;
	KT_EXPECT_EQ(do_settimeofday64(&now), 0);
}

static bool clock_make(const struct kpool_attrs *attrs)
{
	timed_init_all(job, JOBS);
	load_init_all(load, ARRAY_SIZE(load));
	clock_pool = kt_pool("clock", attrs);
	return clock_pool;
}

static void clock_finish(void)
{
	KT_EXPECT(kt_wait(!kt_stat(clock_pool, delayed)));
	load_finish(clock_pool, load, ARRAY_SIZE(load), NULL, 0);
}

/* As late as the timer wheel can make a delay of so many ticks. */
static unsigned long latest(unsigned long ticks)
{
	return ticks + ticks / 8 + 2;
}

static void expect_on_time(unsigned long from, unsigned long ticks,
			   unsigned long seen)
{
	KT_EXPECT_GE(seen - from, ticks);
	if (kt_exact)
		KT_EXPECT_LE(seen - from, latest(ticks));
}

/*
 * Delayed jobs run after their delay, also if the wall clock is set.
 * Fails if what is due is found by CLOCK_REALTIME: early after a jump forwards,
 * a day late after one backwards.
 */
static void delays_outlive_a_jump(int direction)
{
	const struct kpool_attrs attrs = { .capacity = JOBS };
	unsigned long ticks[JOBS];
	int i;

	if (!clock_make(&attrs))
		return;
	for (i = 0; i < JOBS; i++) {
		ticks[i] = msecs_to_jiffies(kt_ms(1000 * i, 20 * i));
		job[i].submitted = jiffies;
		KT_EXPECT_EQ(kpool_submit_delayed(clock_pool, &job[i].job,
						  ticks[i]), 0);
	}
	jump(jumps[direction]);
	KT_EXPECT(kt_wait(!kt_stat(clock_pool, delayed)));
	KT_EXPECT_EQ(kpool_flush(clock_pool), 0);
	jump(-jumps[direction]);
	for (i = 0; i < JOBS; i++) {
		KT_EXPECT(timed_ran(&job[i]));
		expect_on_time(job[i].submitted, ticks[i], job[i].started);
	}
	clock_finish();
}

/*
 * A deadline is one of CLOCK_MONOTONIC: not passed because of a jump forwards,
 * and no longer away because of one backwards.
 * Fails if the verdict compares with ktime_get_real().
 */
static void deadlines_outlive_a_jump(int direction)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
	};

	if (!clock_make(&attrs))
		return;
	KT_EXPECT(load_runs(clock_pool, &load[0]));
	kpool_set_deadline(&job[0].job, ktime_add_ms(ktime_get(), 3600 * 1000));
	kpool_set_deadline(&job[1].job, ktime_add_ms(ktime_get(), 30));
	KT_EXPECT_EQ(kpool_submit(clock_pool, &job[0].job.item), 0);
	KT_EXPECT_EQ(kpool_submit(clock_pool, &job[1].job.item), 0);
	jump(jumps[direction]);
	kt_sleep_ms(50);
	load_end(&load[0]);
	KT_EXPECT_EQ(kpool_flush(clock_pool), 0);
	jump(-jumps[direction]);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT(timed_was_dropped(&job[1], -ETIME));
	clock_finish();
}

/* Threads that wait for a time, all of the same length */

static unsigned long timeout;

static int waits_to_submit(void *arg)
{
	return kpool_submit_timeout(clock_pool, &load[1].job.item, timeout);
}

static int waits_for_a_call(void *arg)
{
	return kpool_call_timeout(clock_pool, kt_gate_pass, &load[1].gate, NULL,
				  timeout, NULL);
}

static int waits_for_a_group(void *arg)
{
	return kpool_group_wait(arg, timeout);
}

static int (*const waits[])(void *arg) = {
	waits_to_submit, waits_for_a_call, waits_for_a_group,
};

struct patient {
	struct kt_thread	thread;
	int			(*fn)(void *arg);
	void			*arg;
	unsigned long		from, to;
};

/* Asleep, or already, on a machine that stands still, awake again. */
static bool patient_waits(struct patient *p)
{
	return READ_ONCE(p->thread.entered) &&
	       (kt_thread_done(&p->thread) || !task_is_running(p->thread.task));
}

static int patient_main(void *arg)
{
	struct patient *p = arg;
	int err;

	p->from = jiffies;
	err = p->fn(p->arg);
	p->to = jiffies;
	return err;
}

/* The group's only job runs in the pool's only unit. */
static bool occupy_by_group(struct kpool_group *group)
{
	KT_EXPECT_EQ(kpool_init_group(group, clock_pool, NULL, 0), 0);
	kpool_set_group(&job[0].job, group);
	kt_gate_init(&job[0].gate);
	KT_EXPECT_EQ(kpool_submit(clock_pool, &job[0].job.item), 0);
	return KT_EXPECT(kt_wait(atomic_read(&job[0].gate.started)));
}

/*
 * A wait with a timeout lasts that long.
 * Fails if a time-out ends at a time of CLOCK_REALTIME.
 */
static void timeouts_outlive_a_jump(int direction)
{
	const struct kpool_attrs attrs = { .capacity = 1 };
	struct patient p[ARRAY_SIZE(waits)];
	struct kpool_group group;
	int i;

	if (!clock_make(&attrs))
		return;
	timeout = msecs_to_jiffies(kt_ms(20000, 300));
	if (!occupy_by_group(&group))
		goto out;
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		p[i] = (struct patient){ .fn = waits[i], .arg = &group };
		if (kt_thread_start(&p[i].thread, patient_main, &p[i]))
			KT_EXPECT(kt_wait(patient_waits(&p[i])));
		KT_EXPECT(!kt_exact || !kt_thread_done(&p[i].thread));
	}
	jump(jumps[direction]);
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		KT_EXPECT_EQ(kt_thread_join(&p[i].thread), -ETIMEDOUT);
		expect_on_time(p[i].from, timeout, p[i].to);
	}
	jump(-jumps[direction]);
out:
	kt_gate_open(&job[0].gate);
	clock_finish();
}

/*
 * A pool that is shut down with a timeout waits that long.  An idle worker
 * whose expiry is an hour is not purged by a jump.
 * Fails if either is measured on CLOCK_REALTIME.
 */
static void shutdown_and_expiry_outlive_a_jump(int direction)
{
	const struct kpool_attrs attrs = {
		.capacity = 2, .expiry_ms = 3600 * 1000,
	};
	unsigned long from, ticks = msecs_to_jiffies(200);

	if (!clock_make(&attrs))
		return;
	KT_EXPECT(load_runs(clock_pool, &load[0]));
	KT_EXPECT(load_runs(clock_pool, &load[1]));
	load_end(&load[0]);
	KT_EXPECT(kt_wait(kt_stat(clock_pool, idle) == 1));
	jump(jumps[direction]);
	kt_sleep_ms(50);
	KT_EXPECT_EQ(kt_stat(clock_pool, purged), 0);
	jump(-jumps[direction]);
	kt_sleep_ms(50);
	KT_EXPECT_EQ(kt_stat(clock_pool, purged), 0);
	from = jiffies;
	KT_EXPECT_EQ(kpool_shutdown_timeout(clock_pool, ticks), -ETIMEDOUT);
	expect_on_time(from, ticks, jiffies);
	clock_finish();
}

static atomic_t loaded_ran;

static int loaded_fn(void *arg)
{
	atomic_inc(&loaded_ran);
	return 0;
}

static int loads(void *arg)
{
	int i, accepted = 0;

	for (i = 0; i < kt_count(20000); i++)
		accepted += !kpool_submit_fn(clock_pool, loaded_fn, NULL,
					     GFP_KERNEL);
	return accepted;
}

/*
 * A pool under load, whose workers come and go, loses nothing while the clock
 * jumps there and back.
 * Fails if a worker's or an item's time of day decides whether it goes on.
 */
static void load_outlives_jumps(int direction)
{
	const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 16, .expiry_ms = 1,
	};
	struct kt_thread thread[2];
	int i;

	if (!clock_make(&attrs))
		return;
	atomic_set(&loaded_ran, 0);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		kt_thread_start(&thread[i], loads, NULL);
	for (i = 0; i < 20; i++) {
		jump(i % 2 ? -jumps[direction] : jumps[direction]);
		kt_sleep_ms(5);
	}
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		KT_EXPECT_EQ(kt_thread_join(&thread[i]), kt_count(20000));
	KT_EXPECT_EQ(kpool_flush(clock_pool), 0);
	KT_EXPECT_EQ(atomic_read(&loaded_ran), 2 * kt_count(20000));
	KT_EXPECT_LE(kt_stat(clock_pool, oldest_pending_ms), KT_LIMIT * 1000 / HZ);
	clock_finish();
}

KT_MODULE("kpool selftest: a clock that jumps",
	  KT_EACH(delays_outlive_a_jump, directions),
	  KT_EACH(deadlines_outlive_a_jump, directions),
	  KT_EACH(timeouts_outlive_a_jump, directions),
	  KT_EACH(shutdown_and_expiry_outlive_a_jump, directions),
	  KT_EACH(load_outlives_jumps, directions));
