// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every promise about time, to the tick, under simulated time alone.
 *
 * A timeout of the timer wheel can be late by an eighth of itself, rounded up
 * to the tick it ends in.  An early end is always wrong.
 */
#include <linux/hrtimer.h>
#include <linux/kallsyms.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/workqueue.h>

#include "full.h"
#include "trace.h"

#define TICK_NS		((s64)TICK_NSEC)
#define HOUR_MS		(3600 * MSEC_PER_SEC)
#define DAY_MS		(24 * HOUR_MS)

static bool time_is_simulated(void)
{
	if (!kt_exact)
		kt_skip("time is not simulated");
	return kt_exact;
}

static s64 now(void)
{
	return ktime_get_ns();
}

static void sleep_until(s64 when)
{
	ktime_t end = ns_to_ktime(when);

	if (when <= now())
		return;
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&end, HRTIMER_MODE_ABS);
}

static void sleep_ms(s64 ms)
{
	sleep_until(now() + ms * NSEC_PER_MSEC);
}

/* The longest time that can pass where @ns were asked for. */
static s64 latest(s64 ns)
{
	return ns + div_s64(ns, 8) + 2 * TICK_NS;
}

/* Did it take @ns, to the grain of the wheel? */
static void expect_took(s64 since, s64 ns)
{
	s64 took = now() - since;

	if (!KT_EXPECT_GE(took, ns) || !KT_EXPECT_LE(took, latest(ns)))
		pr_err("%s: took %lld of %lld ns\n", KBUILD_MODNAME, took, ns);
}

/* Items that record when they ended: from then on their worker is idle. */
static struct kt_job jobs[4];
static struct kt_gate gate;
static s64 ended[4];

static int job_ends(struct kpool_item *item)
{
	kt_job_gated(item);
	ended[kt_job_of(item)->nr] = now();
	return 0;
}

/* Occupy @n workers at once, then let them all fall idle. */
static void use_workers(struct kpool *pool, int n)
{
	int i;

	kt_gate_init(&gate);
	for (i = 0; i < n; i++) {
		kt_job_init(&jobs[i], job_ends, &gate, i);
		KT_EXPECT_EQ(kpool_submit(pool, &jobs[i].item), 0);
	}
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == n));
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
}

/* From @idle on, the worker must live for @ms, and then be gone in time. */
static void expect_expiry(struct kpool *pool, s64 idle, s64 ms, int before,
			  int after)
{
	s64 ns = ms * NSEC_PER_MSEC;

	sleep_until(idle + ns - NSEC_PER_USEC);
	if (!KT_EXPECT_EQ(kt_stat(pool, alive), before))
		pr_err("%s: gone early, expiry %lld ms, idle at %lld\n",
		       KBUILD_MODNAME, ms, idle);
	sleep_until(idle + latest(ns));
	if (!KT_EXPECT_EQ(kt_stat(pool, alive), after))
		pr_err("%s: gone late, expiry %lld ms, idle at %lld\n",
		       KBUILD_MODNAME, ms, idle);
}

static const int expiries[] = {
	1, 10, 11, 19, 20, 50, 100, 630, 640, 1000, 5110, 10000, 60000, 600000,
	HOUR_MS, 5 * HOUR_MS, DAY_MS,
};

static void worker_expires(int ms, s64 phase)
{
	const struct kpool_attrs attrs = { .capacity = 1, .expiry_ms = ms };
	struct kpool *pool = kt_pool("expiry", &attrs);

	if (!pool)
		return;
	sleep_until(div_s64(now(), TICK_NS) * TICK_NS + TICK_NS + phase);
	use_workers(pool, 1);
	expect_expiry(pool, ended[0], ms, 1, 0);
	KT_EXPECT_EQ(kt_stat(pool, purged), 1);
	kt_pool_end(pool);
}

/*
 * An idle worker is gone no sooner than expiry and no later than expiry + 1/8
 * + two ticks.  That holds for any expiry and wherever in a tick it fell idle.
 * Fails if idle time is taken in whole ticks downwards.  Also fails if the reap
 * work comes once per expiry instead of when the oldest worker is due.
 */
static void worker_expires_to_the_tick(void)
{
	int i;

	if (!time_is_simulated())
		return;
	sleep_ms(1000);		/* the first ticks after boot are irregular */
	for (i = 0; i < ARRAY_SIZE(expiries); i++) {
		worker_expires(expiries[i], 0);
		worker_expires(expiries[i], TICK_NS / 3);
		worker_expires(expiries[i], TICK_NS - 100 * NSEC_PER_USEC);
	}
}

/*
 * In ticks: around the starts of the timer wheel's levels, where its grain is
 * coarsest for its time.  One of them is near the end of a level.
 */
static const int edges[] = {
	63, 64, 511, 512, 4032, 4035, 4079, 32256, 32260, 32751,
};

/* Ticks between two buckets that can take a timeout of so many ticks. */
static long grain_of(int ticks)
{
	long grain = 1;

	while (ticks / grain >= 63)
		grain *= 8;
	return grain;
}

/* Sleep until what ends after @ticks will end @phase ticks after a bucket. */
static void sleep_until_phase(int ticks, long grain, long phase)
{
	s64 tick = div_s64(now(), TICK_NS) + 2;
	long off;

	sleep_until(tick * TICK_NS);
	off = (jiffies + ticks) % grain;
	sleep_until((tick + (phase - off + grain) % grain) * TICK_NS);
}

/*
 * A worker expires in time where the timer wheel alone would not keep the
 * bound.  There an eighth is less than the grain at the start of a level.
 * Fails if the reap work's delay is the expiry itself.
 */
static void worker_expires_in_time_at_the_wheels_edges(void)
{
	long grain, phases[4];
	int i, j;

	if (!time_is_simulated())
		return;
	sleep_ms(1000);
	for (i = 0; i < ARRAY_SIZE(edges); i++) {
		grain = grain_of(edges[i]);
		phases[0] = 0;
		phases[1] = 1;
		phases[2] = grain / 2;
		phases[3] = grain - 1;
		for (j = 0; j < ARRAY_SIZE(phases); j++) {
			sleep_until_phase(edges[i], grain, phases[j] % grain);
			worker_expires(jiffies_to_msecs(edges[i]), TICK_NS / 3);
		}
	}
}

/* Let worker @i fall idle now. */
static void let_go(int i)
{
	s64 *end = &ended[i];

	*end = 0;
	complete_all(&jobs[i].gate->open);
	KT_EXPECT_EQ(kpool_flush_item(&jobs[i].item), 0);
	KT_EXPECT_NE(*end, 0);
}

/*
 * Workers that fall idle one after the other expire one after the other, each
 * in its own time.
 * Fails if one visit of the reap work takes all that are idle, or it is not
 * armed again for the next.
 */
static void each_worker_has_its_own_time(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4, .expiry_ms = 8000 };
	static struct kt_gate gates[4];
	struct kpool *pool;
	int i;

	if (!time_is_simulated())
		return;
	pool = kt_pool("apart", &attrs);
	if (!pool)
		return;
	for (i = 0; i < 4; i++) {
		kt_gate_init(&gates[i]);
		kt_job_init(&jobs[i], job_ends, &gates[i], i);
		KT_EXPECT_EQ(kpool_submit(pool, &jobs[i].item), 0);
		KT_EXPECT(kt_wait(atomic_read(&gates[i].started)));
	}
	for (i = 0; i < 4; i++) {
		let_go(i);
		sleep_ms(1900);
	}
	for (i = 0; i < 4; i++)
		expect_expiry(pool, ended[i], 8000, 4 - i, 3 - i);
	kt_pool_end(pool);
}

/*
 * A worker that fell idle a tick after another is not taken with it.  That
 * holds though the reap work comes in the very tick in which its expiry ends.
 * Fails if a tick that has begun counts as a whole one.
 */
static void worker_idle_a_tick_later_stays(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2, .expiry_ms = 200 };
	static struct kt_gate gates[2];
	struct kpool *pool;
	s64 tick;
	int i;

	if (!time_is_simulated())
		return;
	pool = kt_pool("pair", &attrs);
	if (!pool)
		return;
	for (i = 0; i < 2; i++) {
		kt_gate_init(&gates[i]);
		kt_job_init(&jobs[i], job_ends, &gates[i], i);
		KT_EXPECT_EQ(kpool_submit(pool, &jobs[i].item), 0);
		KT_EXPECT(kt_wait(atomic_read(&gates[i].started)));
	}
	tick = (div_s64(now(), TICK_NS) + 2) * TICK_NS;
	sleep_until(tick + TICK_NS / 10);
	let_go(0);
	sleep_until(tick + TICK_NS + TICK_NS * 9 / 10);
	let_go(1);
	expect_expiry(pool, ended[1], 200, 1, 0);
	kt_pool_end(pool);
}

/*
 * A worker that is used again starts anew; the last used is used first, so
 * that the others expire.
 * Fails if time is counted from a worker's birth, or idle workers are taken
 * in turn.
 */
static void last_used_is_used_first(void)
{
	static const struct kpool_attrs attrs = { .capacity = 3, .expiry_ms = 1000 };
	struct kpool *pool;
	s64 idle;
	int i;

	if (!time_is_simulated())
		return;
	pool = kt_pool("lifo", &attrs);
	if (!pool)
		return;
	use_workers(pool, 3);
	idle = ended[0];
	for (i = 0; i < 10; i++) {
		sleep_ms(400);
		use_workers(pool, 1);
	}
	KT_EXPECT(now() > idle + 3 * NSEC_PER_SEC);
	KT_EXPECT_EQ(kt_stat(pool, purged), 2);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 3);
	expect_expiry(pool, ended[0], 1000, 1, 0);
	kt_pool_end(pool);
}

/*
 * min_workers are never purged; when there can be fewer, the rest go as soon as
 * they have been idle for long enough.
 * Fails if the reap work counts wrongly, or tune does not arm it.
 */
static void min_workers_are_kept(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .min_workers = 2, .expiry_ms = 1000,
	};
	struct kpool *pool;
	s64 tuned;

	if (!time_is_simulated())
		return;
	pool = kt_pool("prealloc", &attrs);
	if (!pool)
		return;
	use_workers(pool, 4);
	expect_expiry(pool, ended[0], 1000, 4, 2);
	sleep_ms(2 * DAY_MS);
	KT_EXPECT_EQ(kt_stat(pool, alive), 2);
	tuned = now();
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_MIN_WORKERS, 1), 0);
	sleep_until(tuned + latest(NSEC_PER_SEC));
	KT_EXPECT_EQ(kt_stat(pool, alive), 1);
	KT_EXPECT_EQ(kt_stat(pool, purged), 3);
	kt_pool_end(pool);
}

static struct kt_gate init_gate;
static bool init_waits;

static void *waits_in_init(void *data)
{
	if (READ_ONCE(init_waits))
		kt_gate_pass(&init_gate);
	return NULL;
}

/* Have a third worker in its worker_init while the other two are idle. */
static void create_third_worker(struct kpool *pool)
{
	int i;

	kt_gate_init(&init_gate);
	WRITE_ONCE(init_waits, true);
	kt_gate_init(&gate);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kpool_submit(pool, &jobs[i].item), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 2 &&
			  atomic_read(&init_gate.started)));
	KT_EXPECT(kpool_cancel(&jobs[2].item));
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
}

/*
 * Two idle workers are kept.  A third joins, and has an item before the second
 * of two items wakes one of them.  The other one is above min_workers from then
 * on, though no worker becomes idle.
 * Fails if reap work is armed only by a worker that becomes idle: mutant
 * reaper-not-armed-by-join.
 */
static void worker_that_joins_lets_another_expire(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .min_workers = 2, .queue_depth = 4,
		.expiry_ms = 1000, .policy = KPOOL_POLICY_FIFO,
		.worker_init = waits_in_init,
	};
	struct kpool *pool;
	int i;

	if (!time_is_simulated())
		return;
	WRITE_ONCE(init_waits, false);
	pool = kt_pool("joins", &attrs);
	if (!pool)
		return;
	use_workers(pool, 2);
	kt_job_init(&jobs[2], job_ends, &gate, 2);
	create_third_worker(pool);
	kt_gate_init(&gate);
	/* it is woken first, and so takes the first */
	preempt_disable();
	kt_gate_open(&init_gate);
	for (i = 0; i < 2; i++)
		KT_EXPECT_EQ(kpool_try_submit(pool, &jobs[i].item), 0);
	preempt_enable();
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 2));
	sleep_until(now() + latest(NSEC_PER_SEC));
	KT_EXPECT_EQ(kt_stat(pool, alive), 2);
	kt_gate_open(&gate);
	kt_pool_end(pool);
}

/*
 * A changed expiry holds for workers that are idle already.
 * Fails if tune leaves the reap work armed for the old time, or unarmed.
 */
static void changed_expiry_applies_at_once(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .expiry_ms = KPOOL_NO_PURGE,
	};
	struct kpool *pool;
	s64 tuned;

	if (!time_is_simulated())
		return;
	pool = kt_pool("changed", &attrs);
	if (!pool)
		return;
	use_workers(pool, 1);
	sleep_ms(2 * DAY_MS);
	KT_EXPECT_EQ(kt_stat(pool, alive), 1);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, DAY_MS), 0);
	sleep_ms(1000);
	KT_EXPECT_EQ(kt_stat(pool, alive), 0);

	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, HOUR_MS), 0);
	use_workers(pool, 1);
	tuned = now();
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 100), 0);
	sleep_until(tuned + latest(100 * NSEC_PER_MSEC));
	KT_EXPECT_EQ(kt_stat(pool, alive), 0);

	use_workers(pool, 1);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 5000), 0);
	expect_expiry(pool, ended[0], 5000, 1, 0);
	kt_pool_end(pool);
}

/* How often did the kernel execute work of kpool's? */
static atomic_t executed;

static void count_work(void *unused, struct work_struct *work)
{
	char name[KSYM_SYMBOL_LEN];

	snprintf(name, sizeof(name), "%ps", work->func);
	if (strstr(name, "[kpool]"))
		atomic_inc(&executed);
}

/* Sleep so long; return how often kpool did anything in that time. */
static int work_in_ms(s64 ms)
{
	struct trace trace = {
		.name = "workqueue_execute_start", .probe = count_work,
	};

	if (!trace_begin(&trace))
		return -ENOENT;
	atomic_set(&executed, 0);
	sleep_ms(ms);
	trace_end(&trace);
	return atomic_read(&executed);
}

/* A month has more milliseconds than an int holds. */
static int work_in_a_month(void)
{
	return work_in_ms(31 * DAY_MS);
}

/*
 * Where nothing can expire, the reap work is not armed: kpool does nothing at
 * all in a month, with min_workers, without purging, or without workers.
 * While something runs, the watchdog runs no more often than once a second.
 * Fails if the reap work arms itself whenever it runs, or by the number of
 * workers instead of those above min_workers that are idle.  Also fails if the
 * watchdog does not stop when nothing runs.
 */
static void idle_pools_do_nothing(void)
{
	static const struct kpool_attrs prealloc = {
		.capacity = 2, .min_workers = 2, .expiry_ms = 1000,
	};
	static const struct kpool_attrs never = {
		.capacity = 2, .expiry_ms = KPOOL_NO_PURGE,
	};
	static const struct kpool_attrs brief = { .capacity = 2, .expiry_ms = 100 };
	struct kpool *pool[3];
	static struct full f;
	int watched;

	if (!time_is_simulated())
		return;
	pool[0] = kt_pool("prealloc", &prealloc);
	pool[1] = kt_pool("never", &never);
	pool[2] = kt_pool("empty", &brief);
	if (!pool[0] || !pool[1] || !pool[2])
		goto out;
	use_workers(pool[0], 2);
	use_workers(pool[1], 2);
	use_workers(pool[2], 2);
	sleep_ms(10000);
	KT_EXPECT_EQ(kt_stat(pool[2], alive), 0);
	KT_EXPECT_EQ(work_in_a_month(), 0);
	KT_EXPECT_EQ(kt_stat(pool[0], alive), 2);
	KT_EXPECT_EQ(kt_stat(pool[1], alive), 2);
	/* and the count does count */
	KT_EXPECT_EQ(kpool_tune(pool[0], KPOOL_TUNE_MIN_WORKERS, KPOOL_NONE), 0);
	KT_EXPECT_GE(work_in_a_month(), 1);
	if (full_make(&f, &brief)) {
		/* An hour: each second costs a wakeup of the watchdog. */
		watched = work_in_ms(HOUR_MS);
		KT_EXPECT_GE(watched, 3600 / 2);
		KT_EXPECT_LE(watched, 3600);
		full_end(&f);
	}
out:
	kt_pool_end(pool[2]);
	kt_pool_end(pool[1]);
	kt_pool_end(pool[0]);
}

static const unsigned long timeouts[] = {
	1, 2, 3, 10, 62, 63, 64, 65, 100, 511, 512, 1000, 60 * HZ, 3600 * HZ,
	5 * 3600 * HZ, 24 * 3600 * HZ,
};

/*
 * A submit with a timeout gives up no sooner than that, and in the grain of
 * the timer wheel.
 * Fails if the timeout is cut to an int, or counted again after a wake-up.
 */
static void submit_times_out_to_the_tick(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	static struct full f;
	static struct kt_job late;
	s64 since;
	int i;

	if (!time_is_simulated() || !full_make(&f, &attrs))
		return;
	kt_job_init(&late, kt_job_tiny, &f.gate, 1);
	for (i = 0; i < ARRAY_SIZE(timeouts); i++) {
		since = now();
		KT_EXPECT_EQ(kpool_submit_timeout(f.pool, &late.item,
						  timeouts[i]), -ETIMEDOUT);
		expect_took(since, timeouts[i] * TICK_NS);
		sleep_until(now() + TICK_NS / 3);
	}
	full_end(&f);
}

/*
 * Shutdown with a timeout likewise, and it can be called again.
 * Fails if it returns before, or not at all.
 */
static void shutdown_times_out_to_the_tick(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	static struct full f;
	s64 since;
	int i;

	if (!time_is_simulated() || !full_make(&f, &attrs))
		return;
	for (i = 0; i < ARRAY_SIZE(timeouts); i++) {
		since = now();
		KT_EXPECT_EQ(kpool_shutdown_timeout(f.pool, timeouts[i]),
			     -ETIMEDOUT);
		expect_took(since, timeouts[i] * TICK_NS);
		sleep_until(now() + TICK_NS * 3 / 4);
	}
	since = now();
	KT_EXPECT_EQ(kpool_shutdown_timeout(f.pool, 0), -ETIMEDOUT);
	KT_EXPECT_LE(now() - since, TICK_NS);
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_shutdown_timeout(f.pool, HZ), 0);
	full_end(&f);
}

static int job_long(struct kpool_item *item)
{
	sleep_ms(DAY_MS);
	return kt_job_tiny(item);
}

static int flush_main(void *arg)
{
	return kpool_flush(arg);
}

/*
 * Without a timeout, waiting takes as long as it takes.  Two items of a day
 * each, one after the other, are waited for in submit and in flush.  No waiter
 * gives up, and no worker is purged from under its item.
 * Fails if a wait has a limit of its own, or the reap work counts busy time.
 */
static void waiting_may_take_days(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .expiry_ms = 1000 };
	struct kpool *pool;
	struct kt_thread t;
	s64 since;
	int i;

	if (!time_is_simulated())
		return;
	pool = kt_pool("days", &attrs);
	if (!pool)
		return;
	kt_gate_init(&gate);
	since = now();
	for (i = 0; i < 3; i++) {
		kt_job_init(&jobs[i], i == 2 ? kt_job_tiny : job_long, &gate, i);
		KT_EXPECT_EQ(kpool_submit(pool, &jobs[i].item), 0);
	}
	kt_thread_start(&t, flush_main, pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	KT_EXPECT_GE(now() - since, 2 * DAY_MS * NSEC_PER_MSEC);
	KT_EXPECT_LE(now() - since, (2 * DAY_MS + 1000) * NSEC_PER_MSEC);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 1);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 3);
	kt_pool_end(pool);
}

/*
 * Where nothing has to be waited for, no time passes: submit, run, flush,
 * destroy.
 * Fails if a lost wake-up is made good by some timer.
 */
static void work_takes_no_time(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool;
	s64 since;
	int i;

	if (!time_is_simulated())
		return;
	since = now();
	for (i = 0; i < 50; i++) {
		pool = kt_pool("swift", &attrs);
		if (!pool)
			return;
		kt_gate_init(&gate);
		kt_job_init(&jobs[0], kt_job_tiny, &gate, 0);
		KT_EXPECT_EQ(kpool_submit(pool, &jobs[0].item), 0);
		KT_EXPECT_EQ(kpool_flush_item(&jobs[0].item), 0);
		KT_EXPECT_EQ(kpool_submit(pool, &jobs[0].item), 0);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT_EQ(kpool_destroy(pool), 0);
	}
	KT_EXPECT_LE(now() - since, TICK_NS);
}

KT_MODULE("kpool selftest: time",
	  KT_CASE(worker_expires_to_the_tick),
	  KT_CASE(worker_expires_in_time_at_the_wheels_edges),
	  KT_CASE(each_worker_has_its_own_time),
	  KT_CASE(worker_idle_a_tick_later_stays),
	  KT_CASE(last_used_is_used_first),
	  KT_CASE(min_workers_are_kept),
	  KT_CASE(worker_that_joins_lets_another_expire),
	  KT_CASE(changed_expiry_applies_at_once),
	  KT_CASE(idle_pools_do_nothing),
	  KT_CASE(submit_times_out_to_the_tick),
	  KT_CASE(shutdown_times_out_to_the_tick),
	  KT_CASE(waiting_may_take_days),
	  KT_CASE(work_takes_no_time));
