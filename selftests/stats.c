// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every statistic: after each step all of them are compared.  So an event that
 * is counted in the wrong place, twice or not at all shows at that step.
 */
#include <linux/slab.h>

#include "group.h"
#include "load.h"

static struct kpool *here;
static struct kpool_stream stream;
static struct kpool_stats want;

#define FIELD(_name)	{ #_name, offsetof(struct kpool_stats, _name) }

static const struct {
	const char	*name;
	size_t		offset;
} fields[] = {
	FIELD(submitted), FIELD(completed), FIELD(failed), FIELD(cancelled),
	FIELD(dropped), FIELD(expired), FIELD(displaced), FIELD(caller_ran),
	FIELD(died), FIELD(stalled), FIELD(abandoned), FIELD(refused),
	FIELD(spawned), FIELD(purged), FIELD(retired), FIELD(alive),
	FIELD(idle), FIELD(running), FIELD(units), FIELD(pending),
	FIELD(delayed), FIELD(blocked),
};

static u64 field_of(const struct kpool_stats *stats, int i)
{
	return *(const u64 *)((const char *)stats + fields[i].offset);
}

static bool stats_match(struct kpool_stats *got)
{
	int i;

	kpool_get_stats(here, got);
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (field_of(got, i) != field_of(&want, i))
			return false;
	return got->closed == want.closed && got->paused == want.paused;
}

/* After each step: say which differ when they go on doing so. */
static void expect_want(int line)
{
	struct kpool_stats got;
	int i;

	if (KT_EXPECT(kt_wait(stats_match(&got))))
		return;
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (field_of(&got, i) != field_of(&want, i))
			pr_err("%s: line %d: %s is %llu, not %llu\n",
			       KBUILD_MODNAME, line, fields[i].name,
			       field_of(&got, i), field_of(&want, i));
	pr_err("%s: line %d: closed %d, paused %d\n", KBUILD_MODNAME, line,
	       got.closed, got.paused);
}

#define EXPECT_WANT()	expect_want(__LINE__)

static struct kpool_item *item(int i)
{
	return &p[i].job.item;
}

static int submit(int i)
{
	return kpool_submit(here, item(i));
}

static bool stats_make(const struct kpool_attrs *attrs, unsigned int flags)
{
	memset(&want, 0, sizeof(want));
	here = group_make(attrs, 0, flags);
	if (!here)
		return false;
	kpool_init_stream(&stream, here);
	probes_hold(p, ARRAY_SIZE(p));
	EXPECT_WANT();
	return true;
}

static void stats_end(void)
{
	probes_open(p, ARRAY_SIZE(p));
	jobs_end(here);
}

/* An item runs that holds so many units, in a new worker. */
static void want_run(int i, int weight)
{
	KT_EXPECT_EQ(kpool_set_weight(item(i), weight), 0);
	KT_EXPECT_EQ(submit(i), 0);
	want.submitted++;
	want.running++;
	want.units += weight;
	want.alive++;
	want.spawned++;
	expect_want(i);
}

/* Want the end of an item, and nothing in its place. */
static void want_end(int i, int weight)
{
	probes_open(&p[i], 1);
	want.completed++;
	want.running--;
	want.units -= weight;
	want.idle++;
	expect_want(i);
}

/* Submit item @i, which becomes pending. */
static void want_pending(int i)
{
	KT_EXPECT_EQ(submit(i), 0);
	want.submitted++;
	want.pending++;
	expect_want(i);
}

/* Submit item @i without a sleep: there is no room. */
static void want_refused(int i)
{
	KT_EXPECT_EQ(kpool_try_submit(here, item(i)), -EAGAIN);
	want.refused++;
	expect_want(i);
}

/* Submit job @i for a time to come. */
static void want_delayed(int i)
{
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[i].job, 3600 * HZ), 0);
	want.submitted++;
	want.delayed++;
	expect_want(i);
}

static void want_paused(void)
{
	KT_EXPECT_EQ(kpool_pause(here), 0);
	want.paused = true;
	EXPECT_WANT();
}

/* Five units and five places of a queue are taken, in each way there is. */
static void gauges_fill_pool(void)
{
	int i;

	want_run(0, 1);
	want_run(1, 3);
	/* submitted again while it runs: that takes a place */
	want_pending(0);
	/* behind the one before it in its stream, with a unit free */
	kpool_set_stream(&p[2].job, &stream);
	kpool_set_stream(&p[3].job, &stream);
	want_run(2, 1);
	want_pending(3);
	/* queued: a parked one takes a place too */
	for (i = 4; i < 7; i++)
		want_pending(i);
	want_refused(7);
	/* due without room */
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[7].job, 0), 0);
	want.submitted++;
	want.pending++;
	EXPECT_WANT();
	for (i = 8; i < 11; i++)
		want_delayed(i);
}

/* Cancel one item in each place; two submitters are blocked. */
static void gauges_cancel(struct kt_submitter *second)
{
	/* a delayed job goes, then a queued one: the due one takes its place */
	KT_EXPECT(kpool_cancel(item(8)));
	want.cancelled++;
	want.delayed--;
	EXPECT_WANT();
	KT_EXPECT(kpool_cancel(item(4)));
	want.cancelled++;
	want.pending--;
	EXPECT_WANT();
	/* the next that goes admits a submitter */
	KT_EXPECT(kpool_cancel(item(5)));
	want.cancelled++;
	want.blocked--;
	want.submitted++;
	EXPECT_WANT();
	/* one that sleeps has not been accepted */
	KT_EXPECT(!kpool_cancel(item(12)));
	want.blocked--;
	EXPECT_WANT();
	KT_EXPECT_EQ(kt_thread_join(&second->thread), -ECANCELED);
}

/*
 * A single pool in which all gauges differ.
 * Fails if one of them leaves out a place, or counts another's.
 */
static void gauges_distinguish_item_states(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 5, .queue_depth = 5, .expiry_ms = KPOOL_NO_PURGE,
	};
	struct kt_submitter s[2] = { };
	int i;

	if (!stats_make(&attrs, 0))
		return;
	gauges_fill_pool();
	for (i = 0; i < 2; i++) {
		if (!kt_submitter_block(&s[i], here, item(11 + i)))
			goto out;
		want.blocked++;
		EXPECT_WANT();
	}
	want_refused(20);
	KT_EXPECT_EQ(kpool_submit_timeout(here, item(20), 2), -ETIMEDOUT);
	EXPECT_WANT();
	want_paused();
	gauges_cancel(&s[1]);
	/* a heavy one ends, and none can start */
	want_end(1, 3);
	kpool_resume(here);
	want.paused = false;
	/* those are 6, 7 and 11; the worker that was idle takes one */
	want.pending -= 3;
	want.running += 3;
	want.units += 3;
	want.idle--;
	want.alive += 2;
	want.spawned += 2;
	EXPECT_WANT();
out:
	probes_open(p, ARRAY_SIZE(p));
	for (i = 9; i < 11; i++)
		KT_EXPECT(kpool_cancel(item(i)));
	for (i = 0; i < 2; i++)
		if (s[i].thread.task)
			kt_thread_join(&s[i].thread);
	stats_end();
}

/* Items 0 to 2 end by themselves: with 0, an error, and a positive number. */
static void counters_of_ended(void)
{
	want_run(0, 1);
	want_run(1, 1);
	want_run(2, 1);
	p[1].ret = -EIO;
	p[2].ret = 5;
	want_end(0, 1);
	want.failed++;
	want_end(1, 1);
	/* what is positive is no 0 either */
	want.failed++;
	want_end(2, 1);
}

/* Items 3 to 6 are dropped: past a deadline, and of a cancelled group. */
static void counters_of_dropped(void)
{
	int i;

	kpool_set_deadline(&p[3].job, the_past());
	KT_EXPECT_EQ(submit(3), 0);
	want.submitted++;
	want.dropped++;
	want.expired++;
	EXPECT_WANT();
	want_paused();
	for (i = 4; i < 7; i++)
		kpool_set_group(&p[i].job, &group);
	want_pending(4);
	want_pending(5);
	want_delayed(6);
	kpool_group_cancel(&group);
	want.pending -= 2;
	want.delayed--;
	want.dropped += 3;
	EXPECT_WANT();
	KT_EXPECT_EQ(submit(4), -ECANCELED);
	EXPECT_WANT();
}

/* Items 7 to 10 are cancelled, in four ways. */
static void counters_of_cancelled(void)
{
	int i;

	for (i = 7; i < 11; i++)
		want_pending(i);
	KT_EXPECT(kpool_cancel(item(7)));
	KT_EXPECT_EQ(kpool_cancel_sync(item(8)), 1);
	KT_EXPECT_EQ(kpool_disable(item(9)), 1);
	KT_EXPECT_EQ(kpool_disable_sync(item(10)), 1);
	want.pending -= 4;
	want.cancelled += 4;
	EXPECT_WANT();
}

/* Submits that fail, but not for want of room. */
static void counters_of_failed_submits(void)
{
	KT_EXPECT_EQ(submit(9), -ECANCELED);
	KT_EXPECT_EQ(kpool_set_weight(item(7), 4), 0);
	KT_EXPECT_EQ(submit(7), -EINVAL);
	EXPECT_WANT();
	want_pending(11);
	KT_EXPECT_EQ(submit(11), -EALREADY);
	EXPECT_WANT();
}

/* Abort, and what the pool counts once it is open again. */
static void counters_of_abort(void)
{
	KT_EXPECT_EQ(kpool_abort(here), 1);
	want.paused = false;
	want.closed = true;
	want.pending--;
	want.dropped++;
	want.alive = 0;
	want.idle = 0;
	want.retired = want.spawned;
	EXPECT_WANT();
	KT_EXPECT_EQ(submit(12), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_reopen(here), 0);
	want.closed = false;
	EXPECT_WANT();
	want_run(13, 2);
	want_end(13, 2);
}

/*
 * Each end of an accepted item has its counter.
 * Fails if an end is counted as another.
 */
static void counters_distinguish_ends(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .queue_depth = KPOOL_UNLIMITED,
		.expiry_ms = KPOOL_NO_PURGE,
	};

	if (!stats_make(&attrs, 0))
		return;
	counters_of_ended();
	counters_of_dropped();
	counters_of_cancelled();
	counters_of_failed_submits();
	counters_of_abort();
	stats_end();
}

static struct kt_gate dropping;

static void dropped_gated(struct kpool_item *dropped, int err)
{
	kt_gate_pass(&dropping);
	probe_dropped(dropped, err);
}

/*
 * Two jobs are to be dropped, one after the other, and the first's owner takes
 * its time.
 * Fails if one of them is not counted in between, mutant
 * dropping-item-is-not-pending, or the first is counted too early.
 */
static void dropping_job_is_pending(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
		.expiry_ms = KPOOL_NO_PURGE,
	};
	int i;

	if (!stats_make(&attrs, 0))
		return;
	kt_gate_init(&dropping);
	want_run(0, 1);
	for (i = 1; i < 3; i++) {
		kpool_set_group(&p[i].job, &group);
		kpool_set_drop_fn(item(i), dropped_gated);
		KT_EXPECT_EQ(submit(i), 0);
	}
	want.submitted += 2;
	want.pending += 2;
	EXPECT_WANT();
	kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(atomic_read(&dropping.started) == 1));
	EXPECT_WANT();
	KT_EXPECT_EQ(kpool_is_pending(item(1)) + kpool_is_pending(item(2)), 1);
	kt_gate_let_one(&dropping);
	KT_EXPECT(kt_wait(atomic_read(&dropping.started) == 2));
	want.pending--;
	want.dropped++;
	EXPECT_WANT();
	kt_gate_open(&dropping);
	want.pending--;
	want.dropped++;
	EXPECT_WANT();
	stats_end();
}

/* Expect that the oldest has waited since then, to the tick. */
static void expect_oldest(unsigned long since)
{
	unsigned long ticks = msecs_to_jiffies(kt_stat(here, oldest_pending_ms));

	KT_EXPECT_GE(ticks, jiffies - since - 1);
	KT_EXPECT_LE(ticks, jiffies - since);
}

/*
 * How long the oldest has waited, whichever priority it has; a delayed job
 * waits from when it was due.
 * Fails if it is the first or the last priority's, or counts the delay.
 */
static void oldest_is_the_oldest_of_all(int oldest)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
		.expiry_ms = KPOOL_NO_PURGE,
	};
	unsigned long second, third;
	int i, tick = MSEC_PER_SEC / HZ;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	if (!stats_make(&attrs, 0))
		return;
	KT_EXPECT_EQ(kpool_pause(here), 0);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kpool_set_priority(item(i), (oldest + i) % 3), 0);
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[0].job, 50), 0);
	kt_sleep_ms(60 * tick);
	KT_EXPECT_EQ(kt_stat(here, delayed), 0);
	KT_EXPECT_LE(kt_stat(here, oldest_pending_ms), 20 * tick);
	second = jiffies;
	KT_EXPECT_EQ(submit(1), 0);
	kt_sleep_ms(100 * tick);
	third = jiffies;
	KT_EXPECT_EQ(submit(2), 0);
	kt_sleep_ms(10 * tick);
	/* the first came due not long before the second came */
	KT_EXPECT_GE(kt_stat(here, oldest_pending_ms), 110 * tick);
	KT_EXPECT_LE(kt_stat(here, oldest_pending_ms), 150 * tick);
	KT_EXPECT(kpool_cancel(item(0)));
	expect_oldest(second);
	KT_EXPECT(kpool_cancel(item(1)));
	expect_oldest(third);
	KT_EXPECT(kpool_cancel(item(2)));
	KT_EXPECT_EQ(kt_stat(here, oldest_pending_ms), 0);
	kpool_resume(here);
	stats_end();
}

static const char *const oldest_prios[] = { "normal", "high", "low", NULL };

/*
 * A newcomer that takes another's place, and one that is refused it.
 * Fails if displaced counts other drops, or a refusal is missed.
 */
static void evicted_items_are_counted(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 2, .expiry_ms = KPOOL_NO_PURGE,
		.when_full = KPOOL_FULL_DROP_OLDEST,
	};
	int i;

	if (!stats_make(&attrs, 0))
		return;
	want_run(0, 1);
	for (i = 1; i < 3; i++)
		KT_EXPECT_EQ(submit(i), 0);
	want.submitted += 2;
	want.pending += 2;
	EXPECT_WANT();
	for (i = 3; i < 6; i++) {
		KT_EXPECT_EQ(kpool_try_submit(here, item(i)), 0);
		want.submitted++;
		want.dropped++;
		want.displaced++;
		EXPECT_WANT();
	}
	KT_EXPECT_EQ(kpool_set_priority(item(6), KPOOL_PRIO_LOW), 0);
	KT_EXPECT_EQ(kpool_try_submit(here, item(6)), -EAGAIN);
	want.refused++;
	EXPECT_WANT();
	stats_end();
}

static int caller_submits(void *arg)
{
	return submit((long)arg);
}

/*
 * Items that their submitters run are running, hold no unit and no worker.
 * Fails if they are counted as a worker's, or a failure is not.
 */
static void runs_of_callers_are_counted(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .expiry_ms = KPOOL_NO_PURGE,
		.when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kt_thread t[3] = { };
	long i;

	if (!stats_make(&attrs, 0))
		return;
	want_run(0, 1);
	for (i = 0; i < 3; i++) {
		if (!kt_thread_start(&t[i], caller_submits, (void *)(i + 1)))
			goto out;
		want.submitted++;
		want.running++;
		EXPECT_WANT();
	}
	p[2].ret = -EIO;
	p[3].ret = 5;
	for (i = 0; i < 3; i++) {
		probes_open(&p[i + 1], 1);
		KT_EXPECT_EQ(kt_thread_join(&t[i]), 0);
		want.running--;
		want.completed++;
		want.caller_ran++;
		want.failed += i >= 1;
		EXPECT_WANT();
	}
	want_end(0, 1);
out:
	probes_open(p, ARRAY_SIZE(p));
	for (i = 0; i < 3; i++)
		if (t[i].task)
			kt_thread_join(&t[i]);
	stats_end();
}

struct stats_call {
	struct kt_thread	thread;
	struct kt_gate		gate;
	unsigned long		timeout;
};

static int stats_calls(void *arg)
{
	struct stats_call *c = arg;

	return kpool_call_timeout(here, kt_gate_pass, &c->gate, NULL,
				  c->timeout, NULL);
}

/*
 * Calls: one ends in time, one is given up while it runs, one while it is
 * pending, one is not admitted.
 * Fails if any but the second counts as abandoned.
 */
static void calls_given_up_are_counted(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1, .expiry_ms = KPOOL_NO_PURGE,
	};
	struct stats_call c[4] = { };
	int i;

	for (i = 0; i < 4; i++) {
		kt_gate_init(&c[i].gate);
		c[i].timeout = i ? 2 : KT_LIMIT;
	}
	if (!stats_make(&attrs, 0))
		return;
	kt_gate_open(&c[0].gate);
	KT_EXPECT_EQ(stats_calls(&c[0]), 0);
	want.submitted++;
	want.completed++;
	want.alive++;
	want.spawned++;
	want.idle++;
	EXPECT_WANT();
	c[1].timeout = kt_exact ? 2 : 5 * HZ;
	if (!kt_thread_start(&c[1].thread, stats_calls, &c[1]) ||
	    !KT_EXPECT(kt_wait(atomic_read(&c[1].gate.started))))
		goto out;
	KT_EXPECT_EQ(kt_thread_join(&c[1].thread), -ETIMEDOUT);
	want.submitted++;
	want.idle--;
	want.running++;
	want.units++;
	want.abandoned++;
	EXPECT_WANT();
	KT_EXPECT_EQ(stats_calls(&c[2]), -ETIMEDOUT);
	want.submitted++;
	want.cancelled++;
	EXPECT_WANT();
	KT_EXPECT_EQ(submit(0), 0);
	want.submitted++;
	want.pending++;
	EXPECT_WANT();
	KT_EXPECT_EQ(stats_calls(&c[3]), -ETIMEDOUT);
	EXPECT_WANT();
out:
	kt_gate_open(&c[1].gate);
	if (c[1].thread.task)
		kt_thread_join(&c[1].thread);
	stats_end();
}

/*
 * Workers that go: for want of room, for want of work, and at the end.
 * Fails if purged and retired are confused.
 */
static void exited_workers_are_counted_by_reason(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .expiry_ms = KPOOL_NO_PURGE,
	};
	int i;

	if (!stats_make(&attrs, 0))
		return;
	for (i = 0; i < 4; i++)
		want_run(i, 1);
	want_end(0, 1);
	want_end(1, 1);
	/* one of the idle is too many, then one of those that run */
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_CAPACITY, 3), 0);
	want.idle--;
	want.alive--;
	want.retired++;
	EXPECT_WANT();
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_CAPACITY, 1), 0);
	want.idle--;
	want.alive--;
	want.retired++;
	EXPECT_WANT();
	probes_open(&p[2], 1);
	want.running--;
	want.units--;
	want.completed++;
	want.alive--;
	want.retired++;
	EXPECT_WANT();
	want_end(3, 1);
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	want.idle--;
	want.alive--;
	want.purged++;
	EXPECT_WANT();
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_EXPIRY_MS, KPOOL_NO_PURGE), 0);
	want_run(4, 1);
	want_end(4, 1);
	KT_EXPECT_EQ(kpool_shutdown_timeout(here, KT_LIMIT), 0);
	want.closed = true;
	want.idle--;
	want.alive--;
	want.retired++;
	EXPECT_WANT();
	stats_end();
}

/*
 * A pool takes one page of memory, beside its files, works and workers.
 * Fails if a new field makes it larger, so that it takes two.
 */
static void pool_takes_a_page(void)
{
	struct kpool *pool;

	if (IS_ENABLED(CONFIG_DEBUG_SPINLOCK) || IS_ENABLED(CONFIG_LOCKDEP) ||
	    IS_ENABLED(CONFIG_KASAN)) {
		kt_skip("debugging makes it larger");
		return;
	}
	pool = kt_pool("page", NULL);
	if (!pool)
		return;
	KT_EXPECT_LE(ksize(pool), 4096);
	kt_pool_end(pool);
}

KT_MODULE("kpool selftests: statistics",
	  KT_CASE(pool_takes_a_page),
	  KT_CASE(gauges_distinguish_item_states),
	  KT_CASE(counters_distinguish_ends),
	  KT_CASE(dropping_job_is_pending),
	  KT_EACH(oldest_is_the_oldest_of_all, oldest_prios),
	  KT_CASE(evicted_items_are_counted),
	  KT_CASE(runs_of_callers_are_counted),
	  KT_CASE(calls_given_up_are_counted),
	  KT_CASE(exited_workers_are_counted_by_reason));
