// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs that wait for their time before they wait in the queue.
 *
 * Early is wrong on any machine; late is asserted under simulated time alone.
 */
#include <linux/prandom.h>

#include "hardirq.h"
#include "job_counters.h"

#define JOBS	16
#define HOUR	(3600UL * HZ)

static struct timed job[JOBS];
static struct load load[4];
static struct kpool *delay_pool;

static const struct kpool_attrs one_unit = { .capacity = 1 };

static const struct kpool_attrs one_deep = {
	.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
};

static const struct kpool_attrs two_units = { .capacity = 2 };

static bool delay_make(const struct kpool_attrs *attrs)
{
	timed_init_all(job, JOBS);
	load_init_all(load, ARRAY_SIZE(load));
	kt_gate_init(&timed_dropping);
	delay_pool = kt_pool("delay", attrs);
	return delay_pool;
}

/* Nothing is left delayed, and the counters are right. */
static void delay_finish(struct kt_submitter *s, int n)
{
	kt_gate_open(&timed_dropping);
	load_open_all(load, ARRAY_SIZE(load));
	if (!KT_EXPECT(kt_wait(!kt_stat(delay_pool, delayed))))
		kpool_abort(delay_pool);
	load_finish(delay_pool, load, ARRAY_SIZE(load), s, n);
}

static int submit(struct timed *t)
{
	return kpool_submit(delay_pool, &t->job.item);
}

static int submit_in(struct timed *t, unsigned long delay)
{
	t->submitted = jiffies;
	return kpool_submit_delayed(delay_pool, &t->job, delay);
}

static int flush(struct timed *t)
{
	return kpool_flush_item(&t->job.item);
}

static bool cancel(struct timed *t)
{
	return kpool_cancel(&t->job.item);
}

static bool is_delayed(void)
{
	return kt_stat(delay_pool, delayed);
}

/* Fill the pool's only unit. */
static bool occupy(void)
{
	return KT_EXPECT(load_runs(delay_pool, &load[0]));
}

static void vacate(void)
{
	load_end(&load[0]);
}

/*
 * A delayed job is accepted and pending, but not queued; it runs once, and not
 * before its time.
 * Fails if the delay is taken for one less tick, or the job for a plain one.
 */
static void delayed_job_runs_when_due(void)
{
	static const int delays[] = { 1, 2, 3, 7, 20 };
	int i;

	if (!delay_make(&one_unit))
		return;
	for (i = 0; i < ARRAY_SIZE(delays); i++) {
		KT_EXPECT_EQ(submit_in(&job[i], delays[i]), 0);
		KT_EXPECT_EQ(flush(&job[i]), 0);
		KT_EXPECT(timed_ran(&job[i]));
		KT_EXPECT(time_after_eq(job[i].started,
					job[i].submitted + delays[i]));
	}
	KT_EXPECT_EQ(submit_in(&job[0], HOUR), 0);
	KT_EXPECT(kpool_is_pending(&job[0].job.item));
	KT_EXPECT_EQ(kt_stat(delay_pool, submitted), 6);
	KT_EXPECT_EQ(kt_stat(delay_pool, delayed), 1);
	KT_EXPECT_EQ(kt_stat(delay_pool, pending), 0);
	KT_EXPECT_EQ(kt_stat(delay_pool, oldest_pending_ms), 0);
	KT_EXPECT(cancel(&job[0]));
	delay_finish(NULL, 0);
}

static void expect_pending_from_now_on(void)
{
	kt_sleep_ms(100);
	KT_EXPECT_GE(kt_stat(delay_pool, oldest_pending_ms), 100);
	if (kt_exact)
		KT_EXPECT_LE(kt_stat(delay_pool, oldest_pending_ms), 200);
}

/*
 * A job that is made due has been pending since then.
 * Fails if its delay counts, too: mutant modified-delay-keeps-the-time.
 */
static void job_made_due_is_pending_from_then_on(void)
{
	if (!delay_make(&one_deep) || !occupy())
		goto out;
	KT_EXPECT_EQ(submit_in(&job[0], HOUR), 0);
	kt_sleep_ms(3000);
	KT_EXPECT(kpool_modify_delay(&job[0].job, 0));
	expect_pending_from_now_on();
out:
	vacate();
	delay_finish(NULL, 0);
}

/*
 * A due job waits for a place in the queue, and is pending from when it has
 * one.
 * Fails if the time before counts, too: mutant backlog-keeps-its-time.
 */
static void backlog_is_pending_once_queued(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 1 };

	if (!delay_make(&attrs) || !occupy())
		goto out;
	KT_EXPECT_EQ(load_submit(delay_pool, &load[1]), 0);
	KT_EXPECT_EQ(submit_in(&job[0], 1), 0);
	kt_sleep_ms(3000);
	KT_EXPECT(kpool_cancel(&load[1].job.item));
	expect_pending_from_now_on();
out:
	vacate();
	delay_finish(NULL, 0);
}

/* Jobs by the order of their runs must not be due in another order. */
static void expect_due_order(struct timed *by_run[], const unsigned long *delay,
			     const unsigned long *accepted, int n)
{
	unsigned long earliest, latest;
	struct timed *a, *b;
	int i, wrong = 0;

	for (i = 0; i + 1 < n; i++) {
		a = by_run[i];
		b = by_run[i + 1];
		earliest = a->submitted + delay[a->nr];
		latest = accepted[b->nr] + delay[b->nr];
		wrong += time_before(latest, earliest);
	}
	KT_EXPECT_EQ(wrong, 0);
}

/*
 * Delayed jobs run in the order of their due times.
 * Fails if they run in the order of submission.
 */
static void order_is_that_of_due_times(void)
{
	static const unsigned long delay[] = { 40, 10, 30, 50, 20, 30, 10, 1 };
	unsigned long accepted[ARRAY_SIZE(delay)];
	struct timed *by_run[ARRAY_SIZE(delay)];
	int i, n = ARRAY_SIZE(delay);

	if (!delay_make(&one_unit))
		return;
	for (i = 0; i < n; i++) {
		KT_EXPECT_EQ(submit_in(&job[i], delay[i]), 0);
		accepted[i] = jiffies;
	}
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	if (KT_EXPECT_EQ(timed_order.n, n)) {
		for (i = 0; i < n; i++)
			by_run[i] = &job[timed_order.nr[i]];
		expect_due_order(by_run, delay, accepted, n);
	}
	delay_finish(NULL, 0);
}

/*
 * Jobs that come due together keep the order in which they were submitted.
 * Fails if equal times are sorted the other way round.
 */
static void jobs_due_together_keep_their_order(void)
{
	int i;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	if (!delay_make(&one_unit))
		return;
	for (i = 0; i < JOBS; i++)
		KT_EXPECT_EQ(submit_in(&job[i], 5), 0);
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	order_expect_rising(&timed_order, JOBS);
	delay_finish(NULL, 0);
}

/*
 * A delay of 0 is due at once: the job is queued when submit returns.
 * Fails if it waits for a tick first.
 */
static void delay_of_0_is_due_at_once(void)
{
	if (!delay_make(&one_deep) || !occupy())
		return;
	KT_EXPECT_EQ(submit_in(&job[0], 0), 0);
	KT_EXPECT_EQ(kt_stat(delay_pool, delayed), 0);
	KT_EXPECT_EQ(kt_stat(delay_pool, pending), 1);
	KT_EXPECT(!kpool_modify_delay(&job[0].job, HOUR));
	KT_EXPECT_EQ(submit(&job[1]), 0);
	vacate();
	KT_EXPECT_EQ(flush(&job[1]), 0);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT_EQ(timed_order.nr[0], 0);
	delay_finish(NULL, 0);
}

/*
 * A delayed job can be taken back: it neither runs nor is it dropped.
 * Fails if cancel looks at the queue alone, or the timer finds the job later.
 */
static void delayed_job_can_be_cancelled(void)
{
	if (!delay_make(&one_unit))
		return;
	KT_EXPECT_EQ(submit_in(&job[0], 3), 0);
	if (!cancel(&job[0]))
		KT_EXPECT(!kt_exact);
	KT_EXPECT_EQ(submit_in(&job[1], HOUR), 0);
	KT_EXPECT_EQ(submit_in(&job[2], HOUR), 0);
	KT_EXPECT_EQ(submit_in(&job[3], HOUR), 0);
	KT_EXPECT(cancel(&job[1]));
	KT_EXPECT(!cancel(&job[1]));
	KT_EXPECT_EQ(kpool_cancel_sync(&job[2].job.item), 1);
	KT_EXPECT_EQ(kpool_disable(&job[3].job.item), 1);
	KT_EXPECT_EQ(submit_in(&job[3], 1), -ECANCELED);
	KT_EXPECT_EQ(kpool_enable(&job[3].job.item), 0);
	KT_EXPECT(!kpool_is_pending(&job[1].job.item));
	KT_EXPECT_EQ(kt_stat(delay_pool, delayed), 0);
	kt_sleep_ms(jiffies_to_msecs(6));
	KT_EXPECT_EQ(timed_drops(&job[0]) + timed_drops(&job[1]) +
		     timed_drops(&job[2]) + timed_drops(&job[3]), 0);
	KT_EXPECT_EQ(flush(&job[0]), 0);
	KT_EXPECT_EQ(kt_stat(delay_pool, cancelled),
		     4 - timed_runs(&job[0]));
	KT_EXPECT_EQ(submit_in(&job[1], 1), 0);
	KT_EXPECT_EQ(flush(&job[1]), 0);
	KT_EXPECT(timed_ran(&job[1]));
	delay_finish(NULL, 0);
}

/*
 * A delayed job is pending: no submit path accepts it again, and its time
 * stays.
 * Fails if a submit makes it due, or links it twice.
 */
static void submit_of_a_delayed_job_is_refused(void)
{
	struct kpool_item *item = &job[0].job.item;

	if (!delay_make(&one_unit))
		return;
	KT_EXPECT_EQ(submit_in(&job[0], HOUR), 0);
	KT_EXPECT_EQ(kpool_submit(delay_pool, item), -EALREADY);
	KT_EXPECT_EQ(kpool_try_submit(delay_pool, item), -EALREADY);
	KT_EXPECT_EQ(kpool_submit_timeout(delay_pool, item, 1), -EALREADY);
	KT_EXPECT_EQ(kpool_submit_killable(delay_pool, item), -EALREADY);
	KT_EXPECT_EQ(submit_in(&job[0], 0), -EALREADY);
	KT_EXPECT_EQ(submit_in(&job[0], 1), -EALREADY);
	kt_sleep_ms(jiffies_to_msecs(3));
	KT_EXPECT_EQ(kt_stat(delay_pool, delayed), 1);
	KT_EXPECT_EQ(timed_runs(&job[0]), 0);
	KT_EXPECT(cancel(&job[0]));
	KT_EXPECT_EQ(kt_stat(delay_pool, submitted), 1);
	delay_finish(NULL, 0);
}

/*
 * An item that cannot be submitted cannot be submitted with a delay.
 * Fails if submit_delayed leaves out what the others look at.
 */
static void delayed_submit_is_refused_like_any_other(void)
{
	static struct kpool *other;

	if (!delay_make(&one_unit))
		return;
	other = kt_pool("other", &one_unit);
	if (!other)
		goto out;
	KT_EXPECT_EQ(kpool_set_weight(&job[0].job.item, 2), 0);
	KT_EXPECT_EQ(submit_in(&job[0], 1), -EINVAL);
	kpool_init_job(&job[1].job, NULL);
	KT_EXPECT_EQ(submit_in(&job[1], 1), -EINVAL);
	kt_gate_init(&job[2].gate);
	KT_EXPECT_EQ(kpool_submit(other, &job[2].job.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&job[2].gate.started)));
	KT_EXPECT_EQ(submit_in(&job[2], 1), -EBUSY);
	kt_gate_open(&job[2].gate);
	KT_EXPECT_EQ(kpool_flush(other), 0);
	kpool_shutdown(delay_pool);
	KT_EXPECT_EQ(submit_in(&job[3], 1), -ESHUTDOWN);
	KT_EXPECT_EQ(submit_in(&job[3], 0), -ESHUTDOWN);
	KT_EXPECT_EQ(kt_stat(delay_pool, submitted), 0);
	KT_EXPECT_EQ(kt_stat(delay_pool, delayed), 0);
	kt_pool_end(other);
out:
	delay_finish(NULL, 0);
}

/*
 * The time of a delayed job can be changed: earlier, later, to now.
 * Fails if the timer is not set anew, or the old time stays in the order.
 */
static void delay_can_be_modified(void)
{
	unsigned long since;

	if (!delay_make(&one_unit))
		return;
	KT_EXPECT_EQ(submit_in(&job[0], HOUR), 0);
	since = jiffies;
	KT_EXPECT(kpool_modify_delay(&job[0].job, 3));
	KT_EXPECT_EQ(flush(&job[0]), 0);
	KT_EXPECT(time_after_eq(job[0].started, since + 3));

	KT_EXPECT_EQ(submit_in(&job[1], HOUR / 2), 0);
	KT_EXPECT(kpool_modify_delay(&job[1].job, HOUR));
	KT_EXPECT_EQ(submit_in(&job[2], HOUR), 0);
	KT_EXPECT(kpool_modify_delay(&job[2].job, 2 * HOUR));
	KT_EXPECT(kpool_modify_delay(&job[2].job, 0));
	KT_EXPECT_EQ(flush(&job[2]), 0);
	KT_EXPECT(timed_ran(&job[2]));
	KT_EXPECT_EQ(timed_runs(&job[1]), 0);
	KT_EXPECT_EQ(kt_stat(delay_pool, delayed), 1);
	KT_EXPECT(cancel(&job[1]));
	delay_finish(NULL, 0);
}

/*
 * A job that waits with a time further away neither hides nor delays others
 * that come to be due before it.
 * Fails if the timer stays set for the one that was first.
 */
static void nearer_job_is_not_delayed_by_a_farther_one(void)
{
	if (!delay_make(&one_unit))
		return;
	KT_EXPECT_EQ(submit_in(&job[0], HOUR), 0);
	KT_EXPECT_EQ(submit_in(&job[1], 2), 0);
	KT_EXPECT_EQ(flush(&job[1]), 0);
	KT_EXPECT_EQ(submit_in(&job[1], 2 * HOUR), 0);
	KT_EXPECT_EQ(submit_in(&job[2], 2), 0);
	KT_EXPECT_EQ(flush(&job[2]), 0);
	/* the first goes, the one behind it comes nearer */
	KT_EXPECT(cancel(&job[0]));
	KT_EXPECT(kpool_modify_delay(&job[1].job, 2));
	KT_EXPECT_EQ(flush(&job[1]), 0);
	KT_EXPECT_EQ(timed_runs(&job[1]), 2);
	delay_finish(NULL, 0);
}

/*
 * Only a delayed job has a time: idle, queued, and running there is none.
 * Fails if modify moves a job that waits for its turn, or submits one.
 */
static void only_a_delayed_job_can_be_modified(void)
{
	if (!delay_make(&one_deep))
		return;
	KT_EXPECT(!kpool_modify_delay(&job[0].job, 1));
	kt_gate_init(&job[0].gate);
	KT_EXPECT_EQ(submit(&job[0]), 0);
	KT_EXPECT(kt_wait(atomic_read(&job[0].gate.started)));
	KT_EXPECT(!kpool_modify_delay(&job[0].job, 1));
	KT_EXPECT_EQ(submit(&job[1]), 0);
	KT_EXPECT(!kpool_modify_delay(&job[1].job, HOUR));
	KT_EXPECT_EQ(submit_in(&job[2], 1), 0);
	KT_EXPECT(kt_wait(!is_delayed()));
	KT_EXPECT(!kpool_modify_delay(&job[2].job, HOUR));
	kt_gate_open(&job[0].gate);
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	KT_EXPECT(!kpool_modify_delay(&job[2].job, 1));
	KT_EXPECT_EQ(kt_stat(delay_pool, submitted), 3);
	KT_EXPECT_EQ(kt_stat(delay_pool, completed), 3);
	delay_finish(NULL, 0);
}

static const char *const due_when[] = { "at_once", "in_a_tick", NULL };

/*
 * When its time comes in a full pool, a job waits among the submitters that
 * sleep, by arrival, and holds newcomers back.
 * Fails if it joins the queue at once, goes in front, or at the end.
 */
static void due_job_waits_like_a_submitter(int ticks)
{
	struct kt_submitter s[2] = { };

	if (!delay_make(&one_unit) || !occupy())
		return;
	if (!kt_submitter_block(&s[0], delay_pool, &job[0].job.item))
		goto out;
	KT_EXPECT_EQ(submit_in(&job[1], ticks), 0);
	KT_EXPECT(kt_wait(!is_delayed()));
	KT_EXPECT_EQ(kt_stat(delay_pool, pending), 1);
	KT_EXPECT_EQ(kt_stat(delay_pool, blocked), 1);
	if (!kt_submitter_block(&s[1], delay_pool, &job[2].job.item))
		goto out;
	KT_EXPECT_EQ(kpool_try_submit(delay_pool, &job[3].job.item), -EAGAIN);
	vacate();
	KT_EXPECT_EQ(kt_thread_join(&s[0].thread), 0);
	KT_EXPECT_EQ(kt_thread_join(&s[1].thread), 0);
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	order_expect_rising(&timed_order, 3);
out:
	delay_finish(s, 2);
}

/*
 * A newcomer does not overtake a due job that waits, though no thread sleeps.
 * Fails if only those blocked are looked for.
 */
static void newcomer_does_not_overtake_a_due_job(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2 };
	struct kt_submitter s = { };

	if (!delay_make(&attrs) || !occupy())
		return;
	KT_EXPECT_EQ(kpool_set_weight(&job[0].job.item, 2), 0);
	KT_EXPECT_EQ(submit_in(&job[0], 1), 0);
	KT_EXPECT(kt_wait(!is_delayed()));
	KT_EXPECT_EQ(kpool_try_submit(delay_pool, &job[1].job.item), -EAGAIN);
	if (!kt_submitter_block(&s, delay_pool, &job[1].job.item))
		goto out;
	vacate();
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	order_expect_rising(&timed_order, 2);
out:
	delay_finish(&s, 1);
}

/*
 * A due job is never refused, not in a nonblocking pool either.
 * Fails if it is dropped, or its submit returned an error.
 */
static void due_job_is_never_refused(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .nonblocking = 1,
	};
	int i;

	if (!delay_make(&attrs) || !occupy())
		return;
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(submit_in(&job[i], i), 0);
	KT_EXPECT(kt_wait(!is_delayed()));
	KT_EXPECT_EQ(kt_stat(delay_pool, pending), 4);
	KT_EXPECT_EQ(submit(&job[4]), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(delay_pool, refused), 1);
	vacate();
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	for (i = 0; i < 4; i++)
		KT_EXPECT(timed_ran(&job[i]));
	delay_finish(NULL, 0);
}

/*
 * Due jobs that wait are not among the submitters that max_blocked limits.
 * Fails if either counts for the other.
 */
static void due_job_is_not_limited_by_max_blocked(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .max_blocked = 1,
	};
	struct kt_submitter s = { };
	int i;

	if (!delay_make(&attrs) || !occupy())
		return;
	KT_EXPECT_EQ(submit_in(&job[0], 0), 0);
	KT_EXPECT_EQ(submit_in(&job[1], 1), 0);
	KT_EXPECT(kt_wait(!is_delayed()));
	if (!kt_submitter_block(&s, delay_pool, &job[2].job.item))
		goto out;
	KT_EXPECT_EQ(submit(&job[4]), -EAGAIN);
	KT_EXPECT_EQ(submit_in(&job[3], 1), 0);
	KT_EXPECT(kt_wait(!is_delayed()));
	KT_EXPECT_EQ(kt_stat(delay_pool, pending), 3);
	KT_EXPECT_EQ(kt_stat(delay_pool, blocked), 1);
	vacate();
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	for (i = 0; i < 4; i++)
		KT_EXPECT(timed_ran(&job[i]));
	KT_EXPECT_EQ(timed_order.nr[3], 3);
out:
	delay_finish(&s, 1);
}

/*
 * Delayed jobs take no place in the queue, and if it is full when they are due,
 * they wait outside.
 * Fails if queue_depth counts them.
 */
static void delayed_jobs_take_no_queue_depth(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 2,
	};
	int i;

	if (!delay_make(&attrs) || !occupy())
		return;
	for (i = 0; i < 5; i++)
		KT_EXPECT_EQ(submit_in(&job[i], HOUR), 0);
	KT_EXPECT_EQ(kpool_try_submit(delay_pool, &job[5].job.item), 0);
	KT_EXPECT_EQ(kpool_try_submit(delay_pool, &job[6].job.item), 0);
	KT_EXPECT_EQ(kpool_try_submit(delay_pool, &job[7].job.item), -EAGAIN);
	for (i = 0; i < 3; i++)
		KT_EXPECT(kpool_modify_delay(&job[i].job, 0));
	KT_EXPECT_EQ(kt_stat(delay_pool, delayed), 2);
	KT_EXPECT_EQ(kt_stat(delay_pool, pending), 5);
	KT_EXPECT(cancel(&job[3]));
	KT_EXPECT(cancel(&job[4]));
	vacate();
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	for (i = 0; i < 3; i++)
		KT_EXPECT(timed_ran(&job[i]));
	KT_EXPECT_EQ(timed_order.nr[0], 5);
	KT_EXPECT_EQ(timed_order.nr[2], 0);
	delay_finish(NULL, 0);
}

static void release_here(void)
{
	kpool_shutdown(delay_pool);
}

/*
 * Shutdown drops what is not due, notifying each owner once, in process
 * context, wherever shutdown is called; what is due runs.
 * Fails if a delayed job stays behind, runs, or is dropped in hardirq.
 */
static void shutdown_drops_delayed_jobs(int in_irq)
{
	int i;

	if (!delay_make(&one_unit) || !occupy())
		return;
	for (i = 0; i < 5; i++)
		KT_EXPECT_EQ(submit_in(&job[i], HOUR + i), 0);
	KT_EXPECT_EQ(submit_in(&job[5], 1), 0);
	KT_EXPECT_EQ(submit_in(&job[6], 0), 0);
	KT_EXPECT(kt_wait(kt_stat(delay_pool, delayed) == 5));
	if (in_irq)
		hardirq_do(release_here);
	else
		release_here();
	for (i = 0; i < 5; i++)
		KT_EXPECT(kt_wait(timed_was_dropped(&job[i], -ESHUTDOWN)));
	vacate();
	KT_EXPECT_EQ(kpool_shutdown_timeout(delay_pool, KT_LIMIT), 0);
	KT_EXPECT(timed_ran(&job[5]));
	KT_EXPECT(timed_ran(&job[6]));
	for (i = 0; i < 5; i++)
		KT_EXPECT(timed_was_dropped(&job[i], -ESHUTDOWN));
	KT_EXPECT_EQ(kt_stat(delay_pool, dropped), 5);
	KT_EXPECT_EQ(kt_stat(delay_pool, expired), 0);
	delay_finish(NULL, 0);
}

static const char *const contexts[] = { "in_a_task", "in_hardirq", NULL };

/*
 * Abort drops the delayed, and those that are due and wait, with -ECANCELED,
 * and counts them.
 * Fails if one kind is forgotten, or passed another errno.
 */
static void abort_drops_delayed_jobs(void)
{
	int i;

	if (!delay_make(&one_unit) || !occupy())
		return;
	for (i = 0; i < 5; i++)
		KT_EXPECT_EQ(submit_in(&job[i], HOUR + i), 0);
	for (; i < 7; i++)
		KT_EXPECT_EQ(submit_in(&job[i], 0), 0);
	KT_EXPECT_EQ(kpool_abort(delay_pool), 7);
	for (i = 0; i < 7; i++)
		KT_EXPECT(timed_was_dropped(&job[i], -ECANCELED));
	KT_EXPECT_EQ(kt_stat(delay_pool, dropped), 7);
	vacate();
	KT_EXPECT_EQ(kpool_shutdown_timeout(delay_pool, KT_LIMIT), 0);
	delay_finish(NULL, 0);
}

/*
 * A reopened pool does not run the jobs that were delayed before, and can delay
 * them again.
 * Fails if an old timer is left: the job would run twice or too early.
 */
static void reopened_pool_accepts_delayed_jobs(void)
{
	int i;

	if (!delay_make(&one_unit))
		return;
	for (i = 0; i < 3; i++) {
		KT_EXPECT_EQ(submit_in(&job[0], 3), 0);
		KT_EXPECT_EQ(submit_in(&job[1], HOUR), 0);
		KT_EXPECT_EQ(kpool_shutdown_timeout(delay_pool, KT_LIMIT), 0);
		KT_EXPECT_EQ(kt_stat(delay_pool, delayed), 0);
		KT_EXPECT_EQ(kpool_reopen(delay_pool), 0);
		KT_EXPECT_EQ(timed_drops(&job[1]), i + 1);
		KT_EXPECT_EQ(submit_in(&job[2], 5), 0);
		KT_EXPECT_EQ(flush(&job[2]), 0);
		KT_EXPECT(time_after_eq(job[2].started, job[2].submitted + 5));
		KT_EXPECT_EQ(timed_runs(&job[2]), i + 1);
	}
	KT_EXPECT_EQ(timed_runs(&job[0]) + timed_drops(&job[0]), 3);
	KT_EXPECT_EQ(timed_runs(&job[1]), 0);
	delay_finish(NULL, 0);
}

/*
 * destroy drops what is delayed, and returns when each owner has been notified.
 * Fails if destroy waits for the hour, or frees the pool before.
 */
static void destroy_drops_delayed_jobs(void)
{
	struct kt_thread t = { };
	int i;

	if (!delay_make(&one_unit))
		return;
	for (i = 0; i < 4; i++) {
		kpool_set_drop_fn(&job[i].job.item, timed_dropped_gated);
		KT_EXPECT_EQ(submit_in(&job[i], HOUR), 0);
	}
	kt_thread_start(&t, timed_destroy_pool, delay_pool);
	KT_EXPECT(kt_wait(atomic_read(&timed_dropping.started)));
	kt_sleep_ms(10);
	KT_EXPECT(!kt_thread_done(&t));
	kt_gate_open(&timed_dropping);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	for (i = 0; i < 4; i++)
		KT_EXPECT(timed_was_dropped(&job[i], -ESHUTDOWN));
	KT_EXPECT_EQ(atomic_read(&timed_dropping.finished), 4);
}

/* A pool whose first job is in its drop function, until the gate opens. */
static bool delay_make_dropping(void)
{
	if (!delay_make(&one_unit))
		return false;
	kpool_set_deadline(&job[0].job, ktime_sub_ns(ktime_get(), 1));
	kpool_set_drop_fn(&job[0].job.item, timed_dropped_gated);
	KT_EXPECT_EQ(submit(&job[0]), 0);
	KT_EXPECT(kt_wait(atomic_read(&timed_dropping.started)));
	return true;
}

/*
 * Once the pool is closed no job comes due, however long the owners before it
 * take to be notified: it is dropped.
 * Fails if the timer looks at the time alone.
 */
static void no_job_becomes_due_in_a_closed_pool(void)
{
	bool in_time;

	if (!delay_make_dropping())
		return;
	KT_EXPECT_EQ(submit_in(&job[1], HZ / 5), 0);
	kpool_shutdown(delay_pool);
	in_time = time_before(jiffies, job[1].submitted + HZ / 5);
	kt_sleep_ms(300);
	kt_gate_open(&timed_dropping);
	KT_EXPECT_EQ(kpool_shutdown_timeout(delay_pool, KT_LIMIT), 0);
	KT_EXPECT(timed_was_dropped(&job[1], -ESHUTDOWN) || !in_time);
	delay_finish(NULL, 0);
}

/*
 * Nor does it by a change of its delay.
 * Fails if a closed pool is not distinguished: mutant
 * delay-modified-in-a-closed-pool.
 */
static void no_delay_is_modified_in_a_closed_pool(void)
{
	if (!delay_make_dropping())
		return;
	KT_EXPECT_EQ(submit_in(&job[1], HOUR), 0);
	KT_EXPECT_EQ(submit_in(&job[2], HOUR), 0);
	kpool_shutdown(delay_pool);
	KT_EXPECT(!kpool_modify_delay(&job[1].job, 0));
	KT_EXPECT(!kpool_modify_delay(&job[2].job, 1));
	kt_gate_open(&timed_dropping);
	KT_EXPECT_EQ(kpool_shutdown_timeout(delay_pool, KT_LIMIT), 0);
	KT_EXPECT(timed_was_dropped(&job[1], -ESHUTDOWN));
	KT_EXPECT(timed_was_dropped(&job[2], -ESHUTDOWN));
	delay_finish(NULL, 0);
}

/*
 * Flush waits for delayed jobs: they are accepted.
 * Fails if it looks at the queue and at the workers alone.
 */
static void flush_waits_for_delayed_jobs(void)
{
	struct kt_thread t[2] = { };
	int i;

	if (!delay_make(&one_unit))
		return;
	KT_EXPECT_EQ(submit_in(&job[0], HOUR), 0);
	if (!timed_sleeps(&t[0], timed_flush_pool, delay_pool) ||
	    !timed_sleeps(&t[1], timed_flush_item, &job[0]))
		goto out;
	KT_EXPECT_EQ(submit_in(&job[1], HOUR), 0);
	KT_EXPECT_EQ(submit(&job[2]), 0);
	KT_EXPECT_EQ(flush(&job[2]), 0);
	for (i = 0; i < 2; i++)
		KT_EXPECT(!kt_thread_done(&t[i]));
out:
	KT_EXPECT(kpool_modify_delay(&job[0].job, 1));
	for (i = 0; i < 2; i++)
		KT_EXPECT_EQ(kt_thread_join(&t[i]), 0);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT_EQ(kt_stat(delay_pool, delayed), 1);
	KT_EXPECT(cancel(&job[1]));
	delay_finish(NULL, 0);
}

/*
 * A caller that waits for a delayed job wakes when it is cancelled or dropped.
 * Fails (hangs) if waiters are kept by the queue.
 */
static void waiters_of_a_delayed_job_are_woken(void)
{
	struct kt_thread t[4] = { };
	int i;

	if (!delay_make(&one_unit))
		return;
	KT_EXPECT_EQ(submit_in(&job[0], HOUR), 0);
	if (!timed_sleeps(&t[0], timed_flush_item, &job[0]) ||
	    !timed_sleeps(&t[1], timed_flush_pool, delay_pool))
		goto out;
	KT_EXPECT(cancel(&job[0]));
	KT_EXPECT_EQ(kt_thread_join(&t[0]), 0);
	KT_EXPECT_EQ(kt_thread_join(&t[1]), 0);
	KT_EXPECT_EQ(submit_in(&job[0], HOUR), 0);
	if (!timed_sleeps(&t[2], timed_flush_item, &job[0]))
		goto out;
	timed_sleeps(&t[3], timed_flush_pool, delay_pool);
out:
	kpool_shutdown(delay_pool);
	for (i = 0; i < 4; i++)
		if (t[i].task)
			KT_EXPECT_EQ(kt_thread_join(&t[i]), 0);
	KT_EXPECT(timed_was_dropped(&job[0], -ESHUTDOWN));
	delay_finish(NULL, 0);
}

static void turn_delayed_jobs(void)
{
	KT_EXPECT_EQ(submit_in(&job[0], 2), 0);
	KT_EXPECT_EQ(submit_in(&job[1], HOUR), 0);
	KT_EXPECT_EQ(submit_in(&job[2], HOUR), 0);
	KT_EXPECT_EQ(submit_in(&job[3], 0), 0);
	KT_EXPECT_EQ(submit_in(&job[4], HOUR), 0);
	KT_EXPECT_EQ(submit_in(&job[4], HOUR), -EALREADY);
	KT_EXPECT(kpool_modify_delay(&job[1].job, 3));
	KT_EXPECT(kpool_modify_delay(&job[4].job, 0));
	KT_EXPECT(cancel(&job[2]));
}

/*
 * A job can be delayed, modified and cancelled in hardirq and under a raw
 * spinlock.
 * Fails (lockdep, "sleeping function") if a timer's or a sleeping lock is
 * needed there that cannot be had.
 */
static void delayed_jobs_are_modified_in_atomic_context(int in_irq)
{
	static DEFINE_RAW_SPINLOCK(lock);
	unsigned long flags;
	int i;

	if (!delay_make(&two_units))
		return;
	if (in_irq) {
		hardirq_do(turn_delayed_jobs);
	} else {
		raw_spin_lock_irqsave(&lock, flags);
		turn_delayed_jobs();
		raw_spin_unlock_irqrestore(&lock, flags);
	}
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	for (i = 0; i < 5; i++)
		KT_EXPECT_EQ(timed_runs(&job[i]), i == 2 ? 0 : 1);
	KT_EXPECT_EQ(kt_stat(delay_pool, cancelled), 1);
	delay_finish(NULL, 0);
}

static const char *const atomic_contexts[] = {
	"under_raw_spinlock", "in_hardirq", NULL
};

/* A job that submits itself with a delay, as long as it is allowed. */
static atomic_t periods, early, too_many;
static atomic_t inside;
static int period_max;
static unsigned long last_run;

static int periodic(struct kpool_item *item)
{
	int ret;

	if (atomic_inc_return(&inside) > 1)
		atomic_inc(&too_many);
	if (atomic_read(&periods) && time_before(jiffies, last_run + 2))
		atomic_inc(&early);
	last_run = jiffies;
	if (atomic_inc_return(&periods) != period_max) {
		ret = kpool_submit_delayed(delay_pool, kpool_job_of(item), 2);
		KT_EXPECT(!ret || ret == -ECANCELED);
	}
	atomic_dec(&inside);
	return 0;
}

static void periodic_begin(int max)
{
	atomic_set(&periods, 0);
	atomic_set(&early, 0);
	atomic_set(&too_many, 0);
	atomic_set(&inside, 0);
	period_max = max;
	kpool_init_job(&job[0].job, periodic);
	KT_EXPECT_EQ(submit_in(&job[0], 1), 0);
}

/*
 * A job may submit itself with a delay from its own function: it comes once
 * per period, until it no longer does.
 * Fails if a job that runs cannot be delayed, or two runs meet.
 */
static void job_may_delay_itself(void)
{
	if (!delay_make(&two_units))
		return;
	periodic_begin(10);
	KT_EXPECT(kt_wait(atomic_read(&periods) == 10));
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	KT_EXPECT_EQ(atomic_read(&periods), 10);
	KT_EXPECT_EQ(atomic_read(&early), 0);
	KT_EXPECT_EQ(atomic_read(&too_many), 0);
	KT_EXPECT_EQ(kt_stat(delay_pool, completed), 10);
	delay_finish(NULL, 0);
}

/*
 * cancel_sync ends a job that delays itself for ever, wherever it finds it.
 * Fails if it comes again afterwards.
 */
static void cancel_sync_ends_a_periodic_job(void)
{
	int i, n;

	if (!delay_make(&two_units))
		return;
	for (i = 0; i < 10; i++) {
		periodic_begin(0);
		KT_EXPECT(kt_wait(atomic_read(&periods) > i % 3));
		if (i % 2)
			usleep_range(1, 20000);
		kpool_cancel_sync(&job[0].job.item);
		n = atomic_read(&periods);
		KT_EXPECT(!kpool_is_pending(&job[0].job.item));
		KT_EXPECT_EQ(kt_stat(delay_pool, delayed), 0);
		kt_sleep_ms(jiffies_to_msecs(4));
		KT_EXPECT_EQ(atomic_read(&periods), n);
		KT_EXPECT_EQ(atomic_read(&early), 0);
	}
	delay_finish(NULL, 0);
}

/*
 * A job that comes due while it still runs starts after that run.
 * Fails if it runs on two workers at once, or is lost.
 */
static void job_due_while_it_runs_starts_after(void)
{
	if (!delay_make(&two_units))
		return;
	kt_gate_init(&job[0].gate);
	KT_EXPECT_EQ(submit(&job[0]), 0);
	KT_EXPECT(kt_wait(atomic_read(&job[0].gate.started) == 1));
	KT_EXPECT_EQ(submit_in(&job[0], 1), 0);
	KT_EXPECT_EQ(submit_in(&job[0], 1), -EALREADY);
	KT_EXPECT(kt_wait(!is_delayed()));
	KT_EXPECT(kpool_is_pending(&job[0].job.item));
	kt_sleep_ms(10);
	KT_EXPECT_EQ(atomic_read(&job[0].gate.started), 1);
	/* it blocks no other item */
	KT_EXPECT_EQ(kpool_try_submit(delay_pool, &job[1].job.item), 0);
	KT_EXPECT_EQ(flush(&job[1]), 0);
	kt_gate_open(&job[0].gate);
	KT_EXPECT_EQ(flush(&job[0]), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 2);
	delay_finish(NULL, 0);
}

/*
 * In a paused pool time goes on, and starts do not: a job that came due then
 * starts when the pool is resumed.
 * Fails if pause stops the timer, or a due job passes it.
 */
static void paused_pool_starts_no_due_job(void)
{
	if (!delay_make(&one_deep))
		return;
	KT_EXPECT_EQ(kpool_pause(delay_pool), 0);
	KT_EXPECT_EQ(submit_in(&job[0], 1), 0);
	KT_EXPECT_EQ(submit_in(&job[1], 0), 0);
	KT_EXPECT(kt_wait(!is_delayed()));
	KT_EXPECT_EQ(kt_stat(delay_pool, pending), 2);
	KT_EXPECT(!kpool_modify_delay(&job[0].job, HOUR));
	kt_sleep_ms(10);
	KT_EXPECT_EQ(timed_runs(&job[0]) + timed_runs(&job[1]), 0);
	kpool_resume(delay_pool);
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT(timed_ran(&job[1]));
	delay_finish(NULL, 0);
}

/*
 * A delay can be as long as a number can be: nothing wraps round.
 * Fails if a far time is taken for one in the past.
 */
static void farthest_delay_is_not_early(void)
{
	static const unsigned long delays[] = {
		MAX_JIFFY_OFFSET, LONG_MAX - 1, LONG_MAX,
		(unsigned long)LONG_MAX + 1, ULONG_MAX - 1, ULONG_MAX,
	};
	int i, n = ARRAY_SIZE(delays);

	if (!delay_make(&one_unit))
		return;
	for (i = 0; i < n; i++)
		KT_EXPECT_EQ(submit_in(&job[i], delays[i]), 0);
	KT_EXPECT_EQ(submit_in(&job[n], 2), 0);
	KT_EXPECT_EQ(flush(&job[n]), 0);
	KT_EXPECT_EQ(kt_stat(delay_pool, delayed), n);
	for (i = 0; i < n; i++) {
		KT_EXPECT(kpool_modify_delay(&job[i].job, delays[n - 1 - i]));
		KT_EXPECT_EQ(timed_runs(&job[i]), 0);
	}
	KT_EXPECT_EQ(submit_in(&job[n], 2), 0);
	KT_EXPECT_EQ(flush(&job[n]), 0);
	KT_EXPECT_EQ(kt_stat(delay_pool, delayed), n);
	for (i = 0; i < n; i++)
		KT_EXPECT(cancel(&job[i]));
	delay_finish(NULL, 0);
}

static void dropped_noted(struct kpool_item *item, int err)
{
	order_note(&timed_order, timed_of(item)->nr);
}

/*
 * At most MAX_JIFFY_OFFSET - 1 jiffies of a delay count, and all of these.
 * Jobs are dropped in the order in which they are due, equals in that of their
 * submits.
 * Fails if a delay is limited to less, or to more.
 */
static void longest_delays_are_equal(void)
{
	static const unsigned long delays[] = {
		MAX_JIFFY_OFFSET - 2, ULONG_MAX, MAX_JIFFY_OFFSET - 1,
		LONG_MAX,
	};
	int i;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	if (!delay_make(&one_unit))
		return;
	for (i = 1; i <= 4; i++) {
		kpool_set_drop_fn(&job[i % 4].job.item, dropped_noted);
		KT_EXPECT_EQ(submit_in(&job[i % 4], delays[i % 4]), 0);
	}
	KT_EXPECT_EQ(kpool_abort(delay_pool), 4);
	order_expect_rising(&timed_order, 4);
	delay_finish(NULL, 0);
}

/*
 * A deadline that passes while the job is delayed drops it when it is due, and
 * not before.
 * Fails if submit or the timer looks at it, or a delayed job has none.
 */
static void deadline_of_a_delayed_job_is_examined_when_due(void)
{
	if (!delay_make(&one_unit))
		return;
	kpool_set_deadline(&job[0].job, ktime_sub_ns(ktime_get(), 1));
	KT_EXPECT_EQ(submit_in(&job[0], HOUR), 0);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(timed_drops(&job[0]), 0);
	KT_EXPECT_EQ(kt_stat(delay_pool, delayed), 1);
	KT_EXPECT(kpool_modify_delay(&job[0].job, 1));
	KT_EXPECT_EQ(flush(&job[0]), 0);
	KT_EXPECT(timed_was_dropped(&job[0], -ETIME));
	KT_EXPECT_EQ(kt_stat(delay_pool, expired), 1);
	delay_finish(NULL, 0);
}

/* An item that waits for a delayed job of its own pool. */
static int flushed;

static int flushes_delayed(struct kpool_item *item)
{
	WRITE_ONCE(flushed, flush(&job[0]));
	return 0;
}

static void flush_from_inside(void)
{
	flushed = 1;
	job[1].job.item.fn = flushes_delayed;
	KT_EXPECT_EQ(submit(&job[1]), 0);
	KT_EXPECT_EQ(flush(&job[1]), 0);
}

/*
 * A caller that waits for a delayed job that will need the waiter's own unit is
 * refused; one that leaves it a unit is not.
 * Fails (hangs) if a delayed job is taken for one that will run by itself, or
 * is refused though there is a unit.
 */
static void waiting_for_a_delayed_job_may_be_a_deadlock(void)
{
	if (!delay_make(&one_deep))
		return;
	KT_EXPECT_EQ(submit_in(&job[0], HOUR), 0);
	flush_from_inside();
	KT_EXPECT_EQ(flushed, -EDEADLK);
	KT_EXPECT(kpool_modify_delay(&job[0].job, 1));
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT_EQ(kpool_tune(delay_pool, KPOOL_TUNE_CAPACITY, 2), 0);
	KT_EXPECT_EQ(submit_in(&job[0], HZ / 10), 0);
	flush_from_inside();
	KT_EXPECT_EQ(flushed, 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 2);
	delay_finish(NULL, 0);
}

/*
 * A delayed job that no unit will be free for helps no waiter: the deadlock is
 * refused now, and not when the job is due.
 * Fails (a wait is over by its limit) if a delayed job counts as progress once
 * there is a worker for it.
 */
static void delayed_job_without_a_unit_makes_no_progress(void)
{
	if (!delay_make(&one_deep))
		return;
	KT_EXPECT_EQ(kpool_tune(delay_pool, KPOOL_TUNE_CAPACITY, 2), 0);
	KT_EXPECT_EQ(kpool_set_weight(&job[1].job.item, 2), 0);
	KT_EXPECT_EQ(submit_in(&job[0], HOUR), 0);
	flushed = 1;
	job[1].job.item.fn = flushes_delayed;
	KT_EXPECT_EQ(submit(&job[1]), 0);
	KT_EXPECT(kt_wait(READ_ONCE(flushed) != 1));
	KT_EXPECT(cancel(&job[0]));
	KT_EXPECT_EQ(flush(&job[1]), 0);
	KT_EXPECT_EQ(flushed, -EDEADLK);
	delay_finish(NULL, 0);
}

/* Thousands */

static struct timed **run_order;
static atomic_t nr_run;

static int thousandth(struct kpool_item *item)
{
	struct timed *t = timed_of(item);

	t->started = jiffies;
	run_order[atomic_inc_return(&nr_run) - 1] = t;
	atomic_inc(&t->gate.finished);
	return 0;
}

/* Submit @n jobs with random delays; when is each accepted? */
static void submit_many(struct timed *many, unsigned long *delay,
			unsigned long *accepted, int n)
{
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 42);
	atomic_set(&nr_run, 0);
	for (i = 0; i < n; i++) {
		timed_init(&many[i], i);
		many[i].job.item.fn = thousandth;
		delay[i] = 1 + prandom_u32_state(&rnd) % 50;
		KT_EXPECT_EQ(submit_in(&many[i], delay[i]), 0);
		accepted[i] = jiffies;
	}
}

static void expect_many(struct timed *many, const unsigned long *delay,
			const unsigned long *accepted, int n)
{
	int i, wrong = 0, early = 0;

	if (!KT_EXPECT_EQ(atomic_read(&nr_run), n))
		return;
	for (i = 0; i < n; i++) {
		wrong += !timed_ran(&many[i]);
		early += time_before(many[i].started,
				     many[i].submitted + delay[i]);
	}
	KT_EXPECT_EQ(wrong, 0);
	KT_EXPECT_EQ(early, 0);
	expect_due_order(run_order, delay, accepted, n);
}

/*
 * Thousands with random delays run once each, none early, in due order.
 * Fails if one is lost when the timer is set anew, or the order breaks.
 */
static void thousands_run_once_in_due_order(void)
{
	unsigned long *delay, *accepted;
	int n = kt_count(5000);
	struct timed *many;

	if (!delay_make(&one_unit))
		return;
	many = kvcalloc(n, sizeof(*many), GFP_KERNEL);
	run_order = kvcalloc(n, sizeof(*run_order), GFP_KERNEL);
	delay = kvcalloc(2 * n, sizeof(*delay), GFP_KERNEL);
	accepted = delay + n;
	if (KT_EXPECT(many && run_order && delay)) {
		submit_many(many, delay, accepted, n);
		KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
		expect_many(many, delay, accepted, n);
	}
	delay_finish(NULL, 0);
	kvfree(delay);
	kvfree(run_order);
	kvfree(many);
}

/* Threads that delay, modify and cancel the same jobs */

#define FIDDLERS	3
#define FIDDLED		4

static atomic_t nr_accepted, nr_cancelled;

static void fiddle(struct timed *t, u32 what)
{
	unsigned long delay = (what >> 8) % 4;

	switch (what % 4) {
	case 0:
	case 1:
		if (!kpool_submit_delayed(delay_pool, &t->job, delay))
			atomic_inc(&nr_accepted);
		break;
	case 2:
		kpool_modify_delay(&t->job, delay);
		break;
	default:
		if (cancel(t))
			atomic_inc(&nr_cancelled);
	}
}

static int fiddler_main(void *arg)
{
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, (long)arg);
	for (i = 0; i < kt_count(10000); i++) {
		fiddle(&job[prandom_u32_state(&rnd) % FIDDLED],
		       prandom_u32_state(&rnd));
		if (i % 64 == 0)
			usleep_range(50, 100);
	}
	return 0;
}

/*
 * While others turn a delayed job, each submission ends once: by a run
 * or by a cancel.
 * Fails if the timer and a cancel can both take a job, or neither.
 */
static void delayed_job_ends_exactly_once(void)
{
	struct kt_thread t[FIDDLERS] = { };
	int i, runs = 0;

	if (!delay_make(&two_units))
		return;
	atomic_set(&nr_accepted, 0);
	atomic_set(&nr_cancelled, 0);
	for (i = 0; i < FIDDLERS; i++)
		kt_thread_start(&t[i], fiddler_main, (void *)(long)i);
	for (i = 0; i < FIDDLERS; i++)
		KT_EXPECT_EQ(kt_thread_join(&t[i]), 0);
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	for (i = 0; i < FIDDLED; i++)
		runs += timed_runs(&job[i]);
	KT_EXPECT_EQ(runs + atomic_read(&nr_cancelled),
		     atomic_read(&nr_accepted));
	KT_EXPECT_EQ(kt_stat(delay_pool, delayed), 0);
	delay_finish(NULL, 0);
}

/* To the tick */

#define TICK_NS		((s64)TICK_NSEC)
#define TIMED_MAX	20000

static s64 *asked_at, *ran_at;
static atomic_t nr_timed;

static int notes_time(struct kpool_item *item)
{
	ran_at[timed_of(item)->nr] = ktime_get_ns();
	atomic_inc(&nr_timed);
	return 0;
}

static s64 latest(s64 ns)
{
	return ns + ns / 8 + 2 * TICK_NS;
}

static void sleep_until_ns(s64 when)
{
	ktime_t end = ns_to_ktime(when);

	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&end, HRTIMER_MODE_ABS);
}

/* Sleep until @phase ns after a tick. */
static void sleep_to_phase(s64 phase)
{
	s64 tick = div_s64(ktime_get_ns(), TICK_NS) + 2;

	sleep_until_ns(tick * TICK_NS + phase);
}

static void expect_in_time(int nr, s64 ticks)
{
	s64 took = ran_at[nr] - asked_at[nr], ns = ticks * TICK_NS;

	if (took >= ns && took <= latest(ns))
		return;
	if (kt_failed())
		pr_err("%s: a delay of %lld ticks took %lld ns\n",
		       KBUILD_MODNAME, ticks, took);
}

/* All delays at once, from @phase ns after a tick. */
static void delay_all(struct timed *many, s64 phase)
{
	int i;

	atomic_set(&nr_timed, 0);
	sleep_to_phase(phase);
	for (i = 0; i < TIMED_MAX; i++) {
		timed_init(&many[i], i);
		many[i].job.item.fn = notes_time;
		asked_at[i] = ktime_get_ns();
		KT_EXPECT_EQ(submit_in(&many[i], i + 1), 0);
	}
	KT_EXPECT_EQ(kpool_flush(delay_pool), 0);
	KT_EXPECT_EQ(atomic_read(&nr_timed), TIMED_MAX);
	for (i = 0; i < TIMED_MAX; i++)
		expect_in_time(i, i + 1);
}

/* Each delay alone, so that the wheel's grain shows. */
static void delay_each(struct timed *one)
{
	int ticks;

	for (ticks = 1; ticks <= TIMED_MAX; ticks += 1 + ticks / 64) {
		timed_init(one, 0);
		one->job.item.fn = notes_time;
		sleep_to_phase(ticks % 3 * (TICK_NS / 3) + TICK_NS / 100);
		asked_at[0] = ktime_get_ns();
		KT_EXPECT_EQ(submit_in(one, ticks), 0);
		KT_EXPECT_EQ(flush(one), 0);
		expect_in_time(0, ticks);
	}
}

/*
 * Delays that the wheel can round up by 8/63, at the moment when it does.  They
 * are the shortest of a level, and end right behind a multiple of its grain.
 */
static void delay_across_a_grain(struct timed *one)
{
	static const struct {
		int	ticks;
		int	grain;
	} levels[] = { { 4033, 512 }, { 32257, 4096 } };
	int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		int ticks = levels[i].ticks, grain = levels[i].grain;

		timed_init(one, 0);
		one->job.item.fn = notes_time;
		do {
			s64 tick = div_s64(ktime_get_ns(), TICK_NS) + grain -
				   (jiffies + ticks) % grain;

			sleep_until_ns(tick * TICK_NS + TICK_NS / 2);
		} while ((jiffies + ticks) % grain);
		asked_at[0] = ktime_get_ns();
		KT_EXPECT_EQ(submit_in(one, ticks), 0);
		KT_EXPECT_EQ(flush(one), 0);
		expect_in_time(0, ticks);
	}
}

/* Each delay by a change of another, longer and shorter. */
static void modify_each(struct timed *one)
{
	int ticks;

	for (ticks = 1; ticks <= TIMED_MAX; ticks += 1 + ticks / 16) {
		timed_init(one, 0);
		one->job.item.fn = notes_time;
		KT_EXPECT_EQ(submit_in(one, ticks % 2 ? ticks + HZ : 2 * HZ), 0);
		sleep_to_phase(ticks % 3 * (TICK_NS / 3) + TICK_NS / 100);
		asked_at[0] = ktime_get_ns();
		KT_EXPECT(kpool_modify_delay(&one->job, ticks));
		KT_EXPECT_EQ(flush(one), 0);
		expect_in_time(0, ticks);
	}
}

/*
 * A delayed job starts no sooner than its delay, and no later than that, an
 * eighth and two ticks.  That holds wherever in a tick it was submitted.
 * Fails if a tick that has begun counts as a whole one.  Also fails if the
 * timer is set for the delay itself where the wheel's grain is coarser than an
 * eighth: mutant delay-aims-at-the-end.
 */
static void delay_is_kept_to_the_tick(void)
{
	struct timed *many;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	if (!delay_make(&one_unit))
		return;
	many = kvcalloc(TIMED_MAX, sizeof(*many), GFP_KERNEL);
	asked_at = kvcalloc(TIMED_MAX, sizeof(*asked_at), GFP_KERNEL);
	ran_at = kvcalloc(TIMED_MAX, sizeof(*ran_at), GFP_KERNEL);
	if (KT_EXPECT(many && asked_at && ran_at)) {
		msleep(1000);	/* the first ticks after boot are irregular */
		delay_each(many);
		delay_across_a_grain(many);
		modify_each(many);
		delay_all(many, TICK_NS / 2);
	}
	delay_finish(NULL, 0);
	kvfree(ran_at);
	kvfree(asked_at);
	kvfree(many);
}

KT_MODULE("kpool selftest: delays",
	  KT_CASE(delayed_job_runs_when_due),
	  KT_CASE(job_made_due_is_pending_from_then_on),
	  KT_CASE(backlog_is_pending_once_queued),
	  KT_CASE(order_is_that_of_due_times),
	  KT_CASE(jobs_due_together_keep_their_order),
	  KT_CASE(delay_of_0_is_due_at_once),
	  KT_CASE(delayed_job_can_be_cancelled),
	  KT_CASE(submit_of_a_delayed_job_is_refused),
	  KT_CASE(delayed_submit_is_refused_like_any_other),
	  KT_CASE(delay_can_be_modified),
	  KT_CASE(nearer_job_is_not_delayed_by_a_farther_one),
	  KT_CASE(only_a_delayed_job_can_be_modified),
	  KT_EACH(due_job_waits_like_a_submitter, due_when),
	  KT_CASE(newcomer_does_not_overtake_a_due_job),
	  KT_CASE(due_job_is_never_refused),
	  KT_CASE(due_job_is_not_limited_by_max_blocked),
	  KT_CASE(delayed_jobs_take_no_queue_depth),
	  KT_EACH(shutdown_drops_delayed_jobs, contexts),
	  KT_CASE(abort_drops_delayed_jobs),
	  KT_CASE(reopened_pool_accepts_delayed_jobs),
	  KT_CASE(destroy_drops_delayed_jobs),
	  KT_CASE(no_job_becomes_due_in_a_closed_pool),
	  KT_CASE(no_delay_is_modified_in_a_closed_pool),
	  KT_CASE(flush_waits_for_delayed_jobs),
	  KT_CASE(waiters_of_a_delayed_job_are_woken),
	  KT_EACH(delayed_jobs_are_modified_in_atomic_context, atomic_contexts),
	  KT_CASE(job_may_delay_itself),
	  KT_CASE(cancel_sync_ends_a_periodic_job),
	  KT_CASE(job_due_while_it_runs_starts_after),
	  KT_CASE(paused_pool_starts_no_due_job),
	  KT_CASE(farthest_delay_is_not_early),
	  KT_CASE(longest_delays_are_equal),
	  KT_CASE(deadline_of_a_delayed_job_is_examined_when_due),
	  KT_CASE(waiting_for_a_delayed_job_may_be_a_deadlock),
	  KT_CASE(delayed_job_without_a_unit_makes_no_progress),
	  KT_CASE(thousands_run_once_in_due_order),
	  KT_CASE(delayed_job_ends_exactly_once),
	  KT_CASE(delay_is_kept_to_the_tick));
