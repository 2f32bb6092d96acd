// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of go-playground/pool: queueing never sleeps, each unit of work has
 * a value and an error, units come as batches, and pools can be cancelled.
 *
 * Its pools are of two kinds, and so are ours here:
 *
 *	limited		so many workers, all made at once, and a queue without end
 *	unlimited	as many workers as there are units
 */
#include <linux/module.h>

#include "unit.h"

enum kind { LIMITED, UNLIMITED };

static const char *const kinds[] = { "limited", "unlimited", NULL };

static struct kpool *pool_of_kind(enum kind kind, int workers,
				  const struct kpool_attrs *more)
{
	struct kpool_attrs attrs = more ? *more : (struct kpool_attrs){ };

	attrs.capacity = KPOOL_UNLIMITED;
	if (kind == LIMITED) {
		attrs.capacity = workers;
		attrs.min_workers = workers;
		attrs.flags = KPOOL_PREALLOC;
		attrs.queue_depth = KPOOL_UNLIMITED;
	}
	return kt_pool("playground", &attrs);
}

/* Wait for one unit. */
static void wait_unit(struct unit *u)
{
	KT_EXPECT_EQ(kpool_flush_item(&u->job.item), 0);
}

/*
 * TestPool and TestUnlimitedPool: four units of a second succeed, and closing
 * twice is harmless.
 * Fails if queueing waits for a worker, or if a unit's value is not seen by a
 * thread that waited for it.  Also fails if the second shutdown does anything.
 */
static void four_units_succeed(int kind)
{
	struct kpool *pool = pool_of_kind(kind, 4, NULL);
	unsigned long start = jiffies;
	struct kt_gate gate;
	struct unit *units;
	int i;

	kt_gate_init(&gate);
	units = units_make(4, unit_second, &gate, NULL);
	if (!pool || !units)
		goto out;
	KT_EXPECT_EQ(units_submit(pool, units, 4, 0), 4);
	for (i = 0; i < 4; i++) {
		wait_unit(&units[i]);
		KT_EXPECT_EQ(units[i].value, 2 * i);
	}
	if (kt_exact)
		KT_EXPECT_LE(jiffies - start, HZ + HZ / 8 + 2);
	kpool_shutdown(pool);
	kpool_shutdown(pool);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, 0), 0);
out:
	kt_pool_end(pool);
	kvfree(units);
}

/* Reset, and again: one unit of 300 ms; a cancel afterwards is too late. */
static void after_reset(struct kpool *pool, struct unit *u)
{
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &u->job.item), 0);
	wait_unit(u);
	KT_EXPECT(!kpool_cancel(&u->job.item));
	KT_EXPECT_EQ(u->value, 2 * u->nr);
	KT_EXPECT_EQ(u->dropped, 0);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, cancelled), 0);
	kpool_shutdown(pool);
	KT_EXPECT_EQ(kpool_submit(pool, &u->job.item), -ESHUTDOWN);
}

static int unit_300_ms(struct kpool_item *item)
{
	kt_sleep_ms(kt_ms(300, 3));
	unit_of(item)->value = 2 * unit_of(item)->nr;
	return 0;
}

/* Which of 40 units have not run, and with what error? */
static int count_dropped(struct unit *units, int n)
{
	int i, dropped = 0;

	for (i = 0; i < n; i++) {
		KT_EXPECT_EQ(units[i].dropped, units[i].value < 0 ? -ECANCELED : 0);
		dropped += !!units[i].dropped;
	}
	return dropped;
}

/*
 * TestCancel: 40 units on four workers are cancelled while four run.  These
 * finish, the others end with one error, and after a reset the pool works.
 * Fails if abort runs what it should drop, drops what runs, misses an owner, or
 * leaves its mark on a reopened pool.
 */
static void cancel_drops_what_has_not_started(void)
{
	struct kpool *pool = pool_of_kind(LIMITED, 4, NULL);
	struct unit *units, *late;
	struct kt_gate gate;

	kt_gate_init(&gate);
	units = units_make(40, unit_gated, &gate, NULL);
	late = units_make(1, unit_300_ms, &gate, NULL);
	if (!pool || !units || !late)
		goto out;
	KT_EXPECT_EQ(units_submit(pool, units, 40, 0), 40);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 4));
	KT_EXPECT_EQ(kpool_abort(pool), 36);
	KT_EXPECT_EQ(kpool_abort(pool), 0);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 4);
	KT_EXPECT_EQ(count_dropped(units, 40), 36);
	after_reset(pool, late);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(late);
	kvfree(units);
}

/* A unit that looks whether its owner still wants it. */
static bool wanted;

static int unit_while_wanted(struct kpool_item *item)
{
	struct unit *u = unit_of(item);

	atomic_inc(&u->gate->started);
	KT_EXPECT(kt_wait(!READ_ONCE(wanted)));
	atomic_inc(&u->gate->finished);
	return -ECANCELED;
}

/*
 * TestUnlimitedCancel: all 40 run at once, so that abort finds nothing to drop.
 * What runs cannot be ended from outside and looks at a flag of its owner.
 * Fails if an unlimited pool lets a unit wait, or if the error of a unit that
 * gave up is not counted.
 */
static void cancel_of_running_units_is_cooperative(void)
{
	struct kpool *pool = pool_of_kind(UNLIMITED, 0, NULL);
	struct unit *units, *late;
	struct kt_gate gate;

	kt_gate_init(&gate);
	WRITE_ONCE(wanted, true);
	units = units_make(40, unit_while_wanted, &gate, NULL);
	late = units_make(1, unit_300_ms, &gate, NULL);
	if (!pool || !units || !late)
		goto out;
	KT_EXPECT_EQ(units_submit(pool, units, 40, 0), 40);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 40));
	KT_EXPECT_EQ(kpool_abort(pool), 0);
	WRITE_ONCE(wanted, false);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 40);
	KT_EXPECT_EQ(kt_stat(pool, failed), 40);
	after_reset(pool, late);
out:
	WRITE_ONCE(wanted, false);
	kt_pool_end(pool);
	kvfree(late);
	kvfree(units);
}

struct abandoned {
	struct completion	done;
	int			value;
};

/*
 * Five seconds of work, or until the caller has left, which can be late itself;
 * nothing is stored for one that has left.
 */
static int work_of_5_s(void *arg)
{
	struct abandoned *a = arg;

	if (kt_exact)
		kt_sleep_ms(5000);
	else
		kt_wait(kpool_call_abandoned());
	if (!kpool_call_abandoned())
		a->value = 1;
	return 0;
}

static void release_abandoned(void *arg)
{
	struct abandoned *a = arg;

	complete(&a->done);
}

/*
 * TestCancelFromWithin: a caller that waits for a unit of five seconds gives up
 * after two, at once, and the unit finds out when it looks.
 * Fails if giving up waits for the unit, or if the unit is not notified.
 */
static void unit_finds_out_that_it_is_abandoned(void)
{
	struct kpool *pool = pool_of_kind(UNLIMITED, 0, NULL);
	unsigned long start = jiffies, left;
	struct abandoned a = { };

	if (!pool)
		return;
	init_completion(&a.done);
	KT_EXPECT_EQ(kpool_call_timeout(pool, work_of_5_s, &a, release_abandoned,
					kt_exact ? 2 * HZ : msecs_to_jiffies(10),
					NULL), -ETIMEDOUT);
	left = jiffies - start;
	if (kt_exact) {
		KT_EXPECT_GE(left, 2 * HZ);
		KT_EXPECT_LE(left, 2 * HZ + HZ / 4 + 2);
	}
	KT_EXPECT(wait_for_completion_timeout(&a.done, KT_LIMIT));
	KT_EXPECT_EQ(a.value, 0);
	if (kt_exact)
		KT_EXPECT_GE(jiffies - start, 5 * HZ);
	kt_pool_end(pool);
}

static atomic_t faults;

static void count_fault(void *data, const struct kpool_fault *fault)
{
	KT_EXPECT_EQ(fault->err, -EIO);
	atomic_inc(&faults);
}

static int unit_1_fails(struct kpool_item *item)
{
	return unit_of(item)->nr == 1 ? -EIO : unit_second(item);
}

/*
 * TestPanicRecovery and TestUnlimitedPanicRecovery: unit 1 of 4 fails, on two
 * workers; its error is its own, and the others succeed.
 * Fails if one unit's error is given to another, or costs more than itself.
 */
static void error_of_a_unit_is_its_own(int kind)
{
	const struct kpool_attrs attrs = { .fault = count_fault };
	struct kpool *pool = pool_of_kind(kind, 2, &attrs);
	struct kpool_group batch;
	struct kt_gate gate;
	struct unit *units;
	struct results r;

	kt_gate_init(&gate);
	atomic_set(&faults, 0);
	units = units_make(4, unit_1_fails, &gate, &batch);
	if (!pool || !units)
		goto out;
	KT_EXPECT_EQ(kpool_init_group(&batch, pool, NULL, KPOOL_GROUP_COLLECT), 0);
	KT_EXPECT_EQ(units_submit(pool, units, 4, 0), 4);
	results_take(&batch, &r);
	KT_EXPECT_EQ(r.nr, 4);
	KT_EXPECT_EQ(r.good, 3);
	KT_EXPECT_EQ(r.sum, 0 + 4 + 6);
	KT_EXPECT_EQ(kpool_job_result(&units[1].job), -EIO);
	KT_EXPECT_EQ(kpool_group_error(&batch), -EIO);
	KT_EXPECT_EQ(kpool_group_wait(&batch, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&faults), 1);
	KT_EXPECT_EQ(kt_stat(pool, failed), 1);
out:
	kt_pool_end(pool);
	kvfree(units);
}

static void batch_of_four(struct kpool *pool)
{
	struct kpool_group batch;
	struct kt_gate gate;
	struct unit *units;
	struct results r;

	kt_gate_init(&gate);
	units = units_make(4, unit_second, &gate, &batch);
	if (!units)
		return;
	KT_EXPECT_EQ(kpool_init_group(&batch, pool, NULL, KPOOL_GROUP_COLLECT), 0);
	KT_EXPECT_EQ(units_submit(pool, units, 4, 0), 4);
	results_take(&batch, &r);
	KT_EXPECT_EQ(r.nr, 4);
	KT_EXPECT_EQ(r.sum, 0 + 2 + 4 + 6);
	KT_EXPECT_EQ(kpool_group_wait(&batch, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&batch), 0);
	kvfree(units);
}

/*
 * TestLimitedBatch and its unlimited twin: four units, four results.
 * Fails if a result is lost, comes twice, or if the end of them is not seen.
 */
static void batch_delivers_four(int kind)
{
	struct kpool *pool = pool_of_kind(kind, 4, NULL);

	if (!pool)
		return;
	batch_of_four(pool);
	kt_pool_end(pool);
}

/*
 * TestLimitedBatchGlobalPool and its unlimited twin.
 * Fails if the default pool does not know groups.
 */
static void batch_delivers_four_of_the_default_pool(void)
{
	struct kpool *pool = kpool_default();

	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), 0))
		return;
	batch_of_four(pool);
	kt_check_identities(pool);
}

/* A thread that queues 40 units while others cancel their batch. */
struct queuer {
	struct kt_thread	thread;
	struct kpool		*pool;
	struct unit		*units;
	struct completion	first;		/* has been queued */
};

static int queuer_main(void *arg)
{
	struct queuer *q = arg;
	int accepted = units_submit(q->pool, q->units, 1, -ECANCELED);

	complete(&q->first);
	return accepted + units_submit(q->pool, q->units + 1, 39, -ECANCELED);
}

/*
 * TestLimitedBatchCancelItemsThrownAway and its unlimited twin: a batch is
 * cancelled while it is being queued; what came too late gives no result.
 * Fails if a cancelled group accepts, or if it loses one that it accepted.
 * Also fails if what was accepted and what was refused are not 40 together.
 */
static void batch_cancelled_at_once_delivers_what_it_accepted(int kind)
{
	struct kpool *pool = pool_of_kind(kind, 4, NULL);
	struct queuer q = { .pool = pool };
	struct kpool_group batch;
	struct kt_gate gate;
	struct results r;
	int accepted;

	kt_gate_init(&gate);
	q.units = units_make(40, unit_gated, &gate, &batch);
	if (!pool || !q.units)
		goto out;
	init_completion(&q.first);
	KT_EXPECT_EQ(kpool_init_group(&batch, pool, NULL, KPOOL_GROUP_COLLECT), 0);
	if (kt_thread_start(&q.thread, queuer_main, &q))
		wait_for_completion(&q.first);
	kpool_group_cancel(&batch);
	accepted = kt_thread_join(&q.thread);
	kt_gate_open(&gate);
	results_take(&batch, &r);
	KT_EXPECT_EQ(r.nr, accepted);
	KT_EXPECT_EQ(r.good + r.cancelled, accepted);
	KT_EXPECT_EQ(r.good, atomic_read(&gate.finished));
	KT_EXPECT_EQ(units_submit(pool, q.units, 40, -ECANCELED), 0);
	KT_EXPECT_EQ(kpool_group_wait(&batch, KT_LIMIT), 0);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(q.units);
}

/*
 * TestLimitedBatchCancelItemsCancelledAfterward: a batch is cancelled when all
 * 40 units have been queued and some have run.  All 40 are delivered, those
 * that did not run with their error.
 * Fails if a dropped unit is not delivered, or is taken for one that ran.
 */
static void batch_cancelled_later_delivers_all(void)
{
	struct kpool *pool = pool_of_kind(LIMITED, 4, NULL);
	struct kpool_group batch;
	struct kt_gate gate;
	struct unit *units;
	struct results r;
	int i;

	kt_gate_init(&gate);
	units = units_make(40, unit_gated, &gate, &batch);
	if (!pool || !units)
		goto out;
	KT_EXPECT_EQ(kpool_init_group(&batch, pool, NULL, KPOOL_GROUP_COLLECT), 0);
	KT_EXPECT_EQ(units_submit(pool, units, 40, 0), 40);
	for (i = 0; i < 4; i++)
		kt_gate_let_one(&gate);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 8));
	kpool_group_cancel(&batch);
	kt_gate_open(&gate);
	results_take(&batch, &r);
	KT_EXPECT_EQ(r.nr, 40);
	KT_EXPECT_EQ(r.good, 8);
	KT_EXPECT_EQ(r.cancelled, 32);
	KT_EXPECT_EQ(kpool_group_error(&batch), 0);
	KT_EXPECT_EQ(kpool_group_wait(&batch, KT_LIMIT), 0);
	KT_EXPECT_EQ(count_dropped(units, 40), 32);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(units);
}

/*
 * WaitAll: ten units, and the waiter sees all ten ended.
 * Fails if the wait ends before the last unit does.
 */
static void wait_all_waits_for_ten(int kind)
{
	struct kpool *pool = pool_of_kind(kind, 4, NULL);
	struct kpool_group batch;
	struct kt_gate gate;
	struct unit *units;

	kt_gate_init(&gate);
	units = units_make(10, unit_second, &gate, &batch);
	if (!pool || !units)
		goto out;
	KT_EXPECT_EQ(kpool_init_group(&batch, pool, NULL, 0), 0);
	KT_EXPECT_EQ(units_submit(pool, units, 10, 0), 10);
	KT_EXPECT_EQ(kpool_group_wait(&batch, MAX_SCHEDULE_TIMEOUT), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 10);
	KT_EXPECT_EQ(kpool_group_error(&batch), 0);
out:
	kt_pool_end(pool);
	kvfree(units);
}

/*
 * NewLimited(0) panics; here zero is the default, and what is no number of
 * workers is an error.
 * Fails if a pool without a worker can be made.
 */
static void bad_worker_count_is_refused(void)
{
	const struct kpool_attrs attrs = { .capacity = KPOOL_NONE };
	struct kpool *pool = kpool_create(&attrs, "playground");

	KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), -ERANGE);
	if (!IS_ERR(pool))
		kt_pool_end(pool);
}

/* A benchmark's load: so many units of a second on so many workers. */
static void benchmark(enum kind kind, int workers, int n, int seconds)
{
	struct kpool *pool = pool_of_kind(kind, workers, NULL);
	unsigned long start = jiffies, took;
	struct kpool_group batch;
	struct kt_gate gate;
	struct unit *units;

	kt_gate_init(&gate);
	units = units_make(n, unit_second, &gate, &batch);
	if (!pool || !units)
		goto out;
	KT_EXPECT_EQ(kpool_init_group(&batch, pool, NULL, 0), 0);
	KT_EXPECT_EQ(units_submit(pool, units, n, 0), n);
	KT_EXPECT_EQ(kpool_group_wait(&batch, MAX_SCHEDULE_TIMEOUT), 0);
	took = jiffies - start;
	KT_EXPECT_EQ(atomic_read(&gate.finished), n);
	if (kt_exact) {
		KT_EXPECT_GE(took, seconds * HZ);
		KT_EXPECT_LE(took, seconds * (HZ + HZ / 8 + 2));
	}
out:
	kt_pool_end(pool);
	kvfree(units);
}

/*
 * Its benchmarks: 10 units on 10 workers take a second, 100 on 25 four, and 100
 * on an unlimited pool one.  Under simulated time that holds to the timer's
 * grain.
 * Fails if a unit that could run waits, or runs twice.
 */
static void benchmarks_take_their_seconds(void)
{
	benchmark(LIMITED, 10, 10, 1);
	benchmark(LIMITED, 25, 100, 4);
	benchmark(UNLIMITED, 0, 100, 1);
}

/* Unit 6 cancels the batch that it belongs to. */
static int unit_6_cancels(struct kpool_item *item)
{
	struct unit *u = unit_of(item);

	if (u->nr == 6)
		kpool_group_cancel(u->group);
	atomic_inc(&u->gate->finished);
	return 0;
}

/*
 * Its benchmarks of cancelling: unit 6 of 20 and of 1,000 cancels the rest, on
 * one worker here, so that exactly seven run.
 * Fails if a unit starts after the cancel, or one before it is thrown away.
 */
static void benchmark_cancels_at_unit_6(void)
{
	static const int sizes[] = { 20, 1000 };
	struct kpool_group batch;
	struct kt_gate gate;
	struct kpool *pool;
	struct unit *units;
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		kt_gate_init(&gate);
		pool = pool_of_kind(LIMITED, 1, NULL);
		units = units_make(sizes[i], unit_6_cancels, &gate, &batch);
		if (pool && units) {
			KT_EXPECT_EQ(kpool_init_group(&batch, pool, NULL, 0), 0);
			KT_EXPECT_EQ(kpool_pause(pool), 0);
			units_submit(pool, units, sizes[i], 0);
			kpool_resume(pool);
			KT_EXPECT_EQ(kpool_group_wait(&batch, KT_LIMIT), 0);
			KT_EXPECT_EQ(atomic_read(&gate.finished), 7);
			KT_EXPECT_EQ(atomic_read(&gate.dropped), sizes[i] - 7);
		}
		kt_pool_end(pool);
		kvfree(units);
	}
}

/*
 * The README's example of units: two are queued, each is waited for, and its
 * value used.
 * Fails if waiting for one of them waits for nothing.
 */
static void example_of_two_units_returns_both_values(void)
{
	struct kpool *pool = pool_of_kind(LIMITED, 10, NULL);
	struct kt_gate gate;
	struct unit *units;

	kt_gate_init(&gate);
	units = units_make(2, unit_second, &gate, NULL);
	if (!pool || !units)
		goto out;
	units[0].nr = 13;
	units[1].nr = 14;
	KT_EXPECT_EQ(units_submit(pool, units, 2, 0), 2);
	wait_unit(&units[0]);
	KT_EXPECT_EQ(units[0].value, 26);
	wait_unit(&units[1]);
	KT_EXPECT_EQ(units[1].value, 28);
out:
	kt_pool_end(pool);
	kvfree(units);
}

static struct queuer mailer;

static int mailer_main(void *arg)
{
	return units_submit(mailer.pool, mailer.units, 10, 0);
}

/*
 * The README's example of a batch: ten mails are queued by one thread, while
 * another takes the results as they come.
 * Fails if a result comes only when the batch is complete, or never.
 */
static void example_of_a_batch_delivers_ten(void)
{
	struct kpool *pool = pool_of_kind(LIMITED, 10, NULL);
	struct kpool_group batch;
	struct kt_gate gate;
	struct results r;
	int taken = 0;

	kt_gate_init(&gate);
	mailer.pool = pool;
	mailer.units = units_make(10, unit_second, &gate, &batch);
	if (!pool || !mailer.units)
		goto out;
	KT_EXPECT_EQ(kpool_init_group(&batch, pool, NULL, KPOOL_GROUP_COLLECT), 0);
	if (!kt_thread_start(&mailer.thread, mailer_main, NULL))
		goto out;
	while (taken < 10) {
		results_take(&batch, &r);
		KT_EXPECT_EQ(r.good, r.nr);
		taken += r.nr;
		if (!r.nr && kt_thread_done(&mailer.thread))
			break;
		usleep_range(100, 200);
	}
	KT_EXPECT_EQ(kt_thread_join(&mailer.thread), 10);
	results_take(&batch, &r);
	KT_EXPECT_EQ(taken + r.nr, 10);
	KT_EXPECT_EQ(kpool_group_wait(&batch, KT_LIMIT), 0);
out:
	kt_pool_end(pool);
	kvfree(mailer.units);
}

KT_MODULE("Selftests of kpool: the scenarios of go-playground/pool",
	  KT_EACH(four_units_succeed, kinds),
	  KT_CASE(cancel_drops_what_has_not_started),
	  KT_CASE(cancel_of_running_units_is_cooperative),
	  KT_CASE(unit_finds_out_that_it_is_abandoned),
	  KT_EACH(error_of_a_unit_is_its_own, kinds),
	  KT_EACH(batch_delivers_four, kinds),
	  KT_CASE(batch_delivers_four_of_the_default_pool),
	  KT_EACH(batch_cancelled_at_once_delivers_what_it_accepted, kinds),
	  KT_CASE(batch_cancelled_later_delivers_all),
	  KT_EACH(wait_all_waits_for_ten, kinds),
	  KT_CASE(bad_worker_count_is_refused),
	  KT_CASE(benchmarks_take_their_seconds),
	  KT_CASE(benchmark_cancels_at_unit_6),
	  KT_CASE(example_of_two_units_returns_both_values),
	  KT_CASE(example_of_a_batch_delivers_ten));
