// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which threads can still make progress when items wait for their own pool:
 * drop work, aborters and submitters that are part of the deadlock cannot.  A
 * submitter that has been killed can.
 */
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "caller_item.h"

static struct kpool *here;
static struct kpool_stream stream;

/* The calls that drop: by the drop work, or by a thread that aborts. */
static const char *const drop_calls[] = {
	"group_cancel", "abort", "shutdown", "abort_delayed", NULL
};

static struct kt_gate cue;
static int dropped_got, called_got;
static struct task_struct *in_drop_fn;

static void dropped_flushes(struct kpool_item *item, int err)
{
	WRITE_ONCE(in_drop_fn, current);
	dropped_got = kpool_flush_item(&callers[0].probe.job.item);
	probe_dropped(item, err);
}

static int caller_flushes_the_second(struct caller_item *a)
{
	kt_gate_pass(&cue);
	return kpool_flush_item(&p[1].job.item);
}

static int caller_waits_for_the_group(struct caller_item *a)
{
	kt_gate_pass(&cue);
	return kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT);
}

static int aborts(void *arg)
{
	return kpool_abort(arg);
}

/* Two jobs are dropped, one after the other. */
static void drop_two(struct kpool *pool, int drop_work, struct kt_thread *aborter)
{
	int i;

	for (i = 0; i < 2; i++)
		if (drop_work == 2 || (drop_work == 3 && i))
			KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[i].job,
							  1000 * HZ + i), 0);
		else
			KT_EXPECT_EQ(kpool_submit(pool, &p[i].job.item), 0);
	if (drop_work == 0)
		kpool_group_cancel(&group);
	else if (drop_work == 1 || drop_work == 3)
		kt_thread_start(aborter, aborts, pool);
	else
		kpool_shutdown(pool);
}

/*
 * An item waits for a group of jobs that are to be dropped.  The drop function
 * of the first waits for the item: no thread is left to drop the second.
 * Fails (hangs) if items to be dropped count as progress while the drop work is
 * blocked: mutants blocked-drop-work-is-progress, blocked-aborter-is-progress,
 * aborted-delay-is-progress.
 */
static void deadlock_through_a_drop_function_is_refused(int drop_work)
{
	struct kpool *pool = group_make(&queued_one, 2, 0);
	struct kt_thread aborter = { };

	kt_gate_init(&cue);
	in_drop_fn = NULL;
	caller_init(&callers[0], pool, &group, caller_waits_for_the_group);
	kpool_set_drop_fn(&p[0].job.item, dropped_flushes);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	drop_two(pool, drop_work, &aborter);
	KT_EXPECT(kt_wait(READ_ONCE(in_drop_fn) && !task_is_running(in_drop_fn)));
	kt_gate_open(&cue);
	caller_expect(&callers[0], -EDEADLK);
	if (!READ_ONCE(callers[0].returned))
		KT_EXPECT(kpool_cancel(&p[1].job.item));
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(dropped_got, 0);
	if (aborter.task)
		KT_EXPECT_EQ(kt_thread_join(&aborter), 2);
	jobs_end(pool);
}

/* Let the caller wait for @last; the drop work sleeps in another's function. */
static void hang_is_refused(struct kpool *pool, struct probe *last)
{
	KT_EXPECT(kt_wait(READ_ONCE(in_drop_fn) && !task_is_running(in_drop_fn)));
	kt_gate_open(&cue);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(callers[0].returned)));
	caller_expect(&callers[0], -EDEADLK);
	if (!READ_ONCE(callers[0].returned))
		KT_EXPECT(kpool_cancel(&last->job.item));
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(dropped_got, 0);
}

/* Of p[2]: a wait for it alone would be refused as part of a cycle. */
static struct kpool_group thirds;

static int caller_waits_for_the_third(struct caller_item *a)
{
	kt_gate_pass(&cue);
	return kpool_group_wait(&thirds, MAX_SCHEDULE_TIMEOUT);
}

static struct kpool *pool_make(const struct kpool_attrs *attrs, int members,
			       int (*call)(struct caller_item *a))
{
	struct kpool *pool = group_make(attrs, members, 0);

	here = pool;
	kt_gate_init(&cue);
	in_drop_fn = NULL;
	dropped_got = 1;
	caller_init(&callers[0], pool, &group, call);
	if (pool && call == caller_waits_for_the_third) {
		KT_EXPECT_EQ(kpool_init_group(&thirds, pool, NULL, 0), 0);
		kpool_set_group(&p[2].job, &thirds);
	}
	return pool;
}

static void dropped_aborts(struct kpool_item *item, int err)
{
	kpool_abort(here);
	probe_dropped(item, err);
}

/*
 * The drop work aborts the pool, and sleeps in what it drops so.
 * Fails (hangs) if it counts as an aborter that goes on: mutant
 * aborting-drop-work-is-progress.
 */
static void aborting_drop_work_makes_no_progress(void)
{
	struct kpool *pool = pool_make(&queued_one, 1, caller_waits_for_the_third);

	if (!pool)
		return;
	kpool_set_drop_fn(&p[0].job.item, dropped_aborts);
	kpool_set_drop_fn(&p[1].job.item, dropped_flushes);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	probes_submit(pool, p, 3);
	kpool_group_cancel(&group);
	hang_is_refused(pool, &p[2]);
	jobs_end(pool);
}

static int depth, deepest;

static void dropped_aborts_inside(struct kpool_item *item, int err)
{
	deepest = max(deepest, ++depth);
	kpool_abort(here);
	depth--;
	probe_dropped(item, err);
}

/*
 * Each drop function aborts the pool, which calls the next.
 * Fails if they nest without limit: mutant aborts-nest.
 */
static void aborts_inside_one_another_are_limited(void)
{
	struct kpool *pool = pool_make(&queued_one, 0, NULL);
	int i;

	if (!pool)
		return;
	deepest = 0;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	for (i = 0; i < 30; i++)
		kpool_set_drop_fn(&p[i].job.item, dropped_aborts_inside);
	probes_submit(pool, p, 30);
	kpool_abort(pool);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	probes_expect_dropped(p, 30, -ECANCELED);
	KT_EXPECT_EQ(deepest, 4);
	jobs_end(pool);
}

static void dropped_waits_for_the_third(struct kpool_item *item, int err)
{
	WRITE_ONCE(dropped_got, kpool_group_wait(&thirds, MAX_SCHEDULE_TIMEOUT));
	probe_dropped(item, err);
}

static void room_aborts(void *data)
{
	kpool_abort(here);
}

/*
 * The room function aborts the pool, and sleeps in what it drops so.
 * Fails (hangs) if it counts as an aborter that goes on: mutant
 * aborting-room-is-progress.
 */
static void aborting_room_function_makes_no_progress(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 2, .room = room_aborts,
	};
	struct kpool *pool = pool_make(&attrs, 0, caller_waits_for_the_third);

	if (!pool)
		return;
	kpool_set_drop_fn(&p[0].job.item, dropped_waits_for_the_third);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 3);
	KT_EXPECT_EQ(probe_try(pool, &p[3]), -EAGAIN);
	KT_EXPECT(kpool_cancel(&p[1].job.item));
	if (!KT_EXPECT(kt_wait_prompt(READ_ONCE(dropped_got) != 1)))
		KT_EXPECT(kpool_cancel(&p[2].job.item));
	KT_EXPECT(kt_wait(READ_ONCE(dropped_got) != 1));
	KT_EXPECT_EQ(dropped_got, -EDEADLK);
	jobs_end(pool);
}

static void dropped_at_its_gate(struct kpool_item *item, int err)
{
	kt_gate_pass(&probe_of(item)->own);
	probe_dropped(item, err);
}

/* The drop work sleeps for the caller; another job is past its deadline. */
static void occupy_drop_work(struct kpool *pool)
{
	probes_hold(&p[4], 1);
	probes_submit(pool, &p[4], 1);
	probe_runs(&p[4]);
	probes_submit(pool, p, 1);
	kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(READ_ONCE(in_drop_fn) && !task_is_running(in_drop_fn)));
	probes_open(&p[4], 1);
	probes_hold(&p[2], 1);
	probes_submit(pool, &p[1], 2);
	probe_runs(&p[2]);
	KT_EXPECT_EQ(atomic_read(&p[1].ran), 0);
}

/*
 * The aborter queues a job to the drop work, which is blocked, and returns.
 * Fails (hangs) if a returning aborter does not recheck for deadlock.
 */
static void returning_aborter_makes_no_progress(void)
{
	struct kpool *pool = pool_make(&queued_two, 1, caller_waits_for_the_group);
	struct kt_thread aborter = { };

	if (!pool)
		return;
	kpool_set_drop_fn(&p[0].job.item, dropped_flushes);
	kpool_set_deadline(&p[1].job, the_past());
	kpool_set_drop_fn(&p[3].job.item, dropped_at_its_gate);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	occupy_drop_work(pool);
	/* queued: one to drop, then the caller once more, which runs */
	probes_submit(pool, &p[3], 1);
	caller_start(&callers[0]);
	kt_thread_start(&aborter, aborts, pool);
	KT_EXPECT(kt_wait(atomic_read(&p[3].own.started)));
	probes_open(&p[2], 1);
	KT_EXPECT(kt_wait(kt_stat(pool, units) == 1));
	kt_gate_open(&cue);
	KT_EXPECT(kt_wait(atomic_read(&cue.finished)));
	caller_sleeps(&callers[0]);
	probes_open(&p[3], 1);
	KT_EXPECT_EQ(kt_thread_join(&aborter), 1);
	hang_is_refused(pool, &p[1]);
	jobs_end(pool);
}

/*
 * The drop work has dropped a job before, and has ended.  Now an aborter sleeps
 * in a drop function for an item that waits for what only the aborter can drop.
 * Fails (hangs) if the drop work counts as busy for ever.
 */
static void earlier_drop_makes_no_progress(void)
{
	struct kpool *pool = pool_make(&queued_one, 1, caller_waits_for_the_third);
	struct kt_thread aborter = { };

	if (!pool)
		return;
	kpool_set_drop_fn(&p[1].job.item, dropped_flushes);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	probes_submit(pool, p, 1);
	kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(kt_stat(pool, dropped) == 1));
	probes_submit(pool, &p[1], 2);
	kt_thread_start(&aborter, aborts, pool);
	hang_is_refused(pool, &p[2]);
	if (aborter.task)
		KT_EXPECT_EQ(kt_thread_join(&aborter), 2);
	jobs_end(pool);
}

static int submits_heavy_for_a_while(void *arg)
{
	return kpool_submit_timeout(here, &p[1].job.item, 2 * HZ);
}

static int submits_heavy_for_long(void *arg)
{
	return kpool_submit_timeout(here, &p[1].job.item, KT_LIMIT);
}

static int caller_submits_the_first(struct caller_item *a)
{
	kt_gate_pass(&cue);
	return kpool_submit(a->pool, &p[0].job.item);
}

/*
 * The item of a pool of four units waits for job 0, which will be behind a heavy
 * one.  The submitter of that gives up, and the wait ends.
 */
static void heavy_submitter_gives_up(struct kpool *pool)
{
	struct kt_thread other = { };

	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 4), 0);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	if (kt_thread_start(&other, submits_heavy_for_a_while, NULL) &&
	    kt_thread_asleep(&other)) {
		kt_gate_open(&cue);
		caller_expect(&callers[0], 0);
		KT_EXPECT_EQ(kt_thread_join(&other), -ETIMEDOUT);
		probe_ran(p);
	}
	kt_gate_open(&cue);
	kt_thread_join(&other);
	jobs_end(pool);
}

/*
 * An item submits another, which would fit, behind one that does not; that
 * one's submitter will give up.
 * Fails (-EDEADLK) if its time limit does not count: mutant
 * time-limit-ahead-ignored.
 */
static void submitter_behind_a_time_limit_is_not_refused(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4 };
	struct kpool *pool = pool_make(&attrs, 0, caller_submits_the_first);

	if (pool)
		heavy_submitter_gives_up(pool);
}

static struct kpool_job handed;
static int handed_got;

static int hands_itself_over_for_a_while(struct kpool_item *item)
{
	handed_got = kpool_submit_timeout(here, item, HZ);
	return 0;
}

static struct kpool *third, *fourth;
static struct kt_gate lingers;
static atomic_t stage;

/*
 * In its own pool, in this one, and in the third, which hands it over to the
 * fourth.
 */
static int hands_itself_on(struct kpool_item *item)
{
	switch (atomic_inc_return(&stage)) {
	case 1:
		return kpool_submit(here, item);
	case 2:
		KT_EXPECT_EQ(kpool_submit(third, item), 0);
		kt_gate_pass(&lingers);
		WRITE_ONCE(called_got, kpool_submit(here, &p[0].job.item));
		return 0;
	default:
		handed_got = kpool_submit_timeout(fourth, item, KT_LIMIT);
		return 0;
	}
}

static int caller_flushes_handed(struct caller_item *a)
{
	kt_gate_pass(&cue);
	return kpool_flush_item(&handed.item);
}

/*
 * An item waits for one that another pool hands over, whose submit will give
 * up.
 * Fails (-EDEADLK) if its time limit does not count: mutant
 * handover-with-a-time-limit-ignored.
 */
static void flush_of_a_timed_handover_is_not_refused(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = pool_make(&attrs, 0, caller_flushes_handed);
	struct kpool *own = kt_pool("own", NULL);

	if (!pool || !own)
		return;
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	kpool_init_job(&handed, hands_itself_over_for_a_while);
	KT_EXPECT_EQ(kpool_submit(own, &handed.item), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 1));
	kt_gate_open(&cue);
	caller_expect(&callers[0], 0);
	kt_pool_end(own);
	KT_EXPECT_EQ(handed_got, -ETIMEDOUT);
	jobs_end(pool);
}

/*
 * The awaited item has run in this pool and gone on to others, one of which
 * hands it over with a time limit.  Its former function submits another item.
 * Fails (hangs) if the item is taken for this pool's still: mutant
 * handover-of-another-pool-is-progress.
 */
static void handover_of_another_pool_makes_no_progress(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2 };
	static const struct kpool_attrs one = { .capacity = 1 };
	struct kpool *pool = pool_make(&attrs, 0, caller_flushes_handed);
	struct kpool *own = kt_pool("own", NULL);
	static struct kt_job busy[2];
	struct kt_gate gate, held;

	third = kt_pool("third", NULL);
	fourth = kt_pool("fourth", &one);
	if (!pool || !own || !third || !fourth)
		return;
	kt_gate_init(&gate);
	kt_gate_init(&held);
	kt_gate_init(&lingers);
	atomic_set(&stage, 0);
	WRITE_ONCE(called_got, 1);
	kt_job_init(&busy[0], kt_job_gated, &gate, 0);
	kt_job_init(&busy[1], kt_job_gated, &held, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &busy[0].item), 0);
	KT_EXPECT_EQ(kpool_submit(fourth, &busy[1].item), 0);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	kpool_init_job(&handed, hands_itself_on);
	KT_EXPECT_EQ(kpool_submit(own, &handed.item), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 1));
	kt_gate_open(&cue);
	KT_EXPECT(kt_wait(atomic_read(&cue.finished)));
	caller_sleeps(&callers[0]);
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(atomic_read(&lingers.started)));
	KT_EXPECT(kt_wait(kt_stat(fourth, blocked) == 1));
	kt_gate_open(&lingers);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(called_got) <= 0));
	kpool_shutdown(fourth);
	kt_gate_open(&held);
	caller_expect(&callers[0], 0);
	KT_EXPECT_EQ(called_got, -EDEADLK);
	kt_pool_end(own);
	kt_pool_end(third);
	KT_EXPECT_EQ(handed_got, -ESHUTDOWN);
	kt_pool_end(fourth);
	jobs_end(pool);
}

static int called_fn(void *arg)
{
	return 0;
}

static int calls_for_a_while(void *fn)
{
	return kpool_call_timeout(here, fn, NULL, NULL, 2 * HZ, NULL);
}

static int calls_for_long(void *fn)
{
	return kpool_call_timeout(here, fn, NULL, NULL, KT_LIMIT, NULL);
}

/*
 * An item submits another to a queue that is full of a call, which its caller
 * will give up.  Then the queue is full of an item that can only start
 * afterwards.
 * Fails (-EDEADLK) if the call's time limit does not count: mutant
 * queued-call-is-no-progress.
 */
static void submitter_behind_a_timed_call_is_not_refused(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 1 };
	struct kpool *pool = pool_make(&attrs, 0, caller_submits_the_first);
	struct kt_thread other = { };

	if (!pool)
		return;
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	if (kt_thread_start(&other, calls_for_a_while, called_fn) &&
	    KT_EXPECT(kt_wait(kt_stat(pool, pending) == 1)) &&
	    kt_thread_asleep(&other)) {
		kt_gate_open(&cue);
		caller_expect(&callers[0], 0);
		KT_EXPECT_EQ(kt_thread_join(&other), -ETIMEDOUT);
		probe_ran(p);
	}
	kt_gate_open(&cue);
	kt_thread_join(&other);
	jobs_end(pool);
}

static int called_submits_the_first(void *arg)
{
	kt_gate_pass(&cue);
	WRITE_ONCE(called_got, kpool_submit(here, &p[0].job.item));
	return 0;
}

/*
 * The function of the only call submits to a full queue.
 * Fails (-EDEADLK only when the time is over) if the limit of a call that has
 * started counts: mutant started-call-is-progress.
 */
static void submitter_in_a_timed_call_is_refused(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 1 };
	struct kpool *pool = pool_make(&attrs, 0, NULL);
	struct kt_thread other = { };

	if (!pool)
		return;
	called_got = 1;
	if (kt_thread_start(&other, calls_for_long, called_submits_the_first) &&
	    KT_EXPECT(kt_wait(atomic_read(&cue.started)))) {
		probes_submit(pool, &p[1], 1);
		kt_gate_open(&cue);
		KT_EXPECT(kt_wait_prompt(READ_ONCE(called_got) != 1));
		KT_EXPECT_EQ(called_got, -EDEADLK);
	}
	kt_gate_open(&cue);
	KT_EXPECT_EQ(kt_thread_join(&other), 0);
	jobs_end(pool);
}

/*
 * The item is first in the queue, and will never fit.
 * Fails (-EDEADLK only when the time is over, or never if more come) if a time
 * limit counts that nothing waits for: mutant time-limit-behind-is-progress.
 */
static void submitter_before_a_time_limit_is_refused(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2 };
	struct kpool *pool = pool_make(&attrs, 0, caller_submits_the_first);
	struct kt_thread other = { };

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&p[0].job.item, 2), 0);
	probes_hold(&p[2], 1);
	probes_submit(pool, &p[2], 1);
	probe_runs(&p[2]);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	kt_gate_open(&cue);
	KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 1));
	if (kt_thread_start(&other, submits_heavy_for_long, NULL))
		kt_thread_asleep(&other);
	probes_open(&p[2], 1);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(callers[0].returned)));
	caller_expect(&callers[0], -EDEADLK);
	KT_EXPECT_EQ(kt_thread_join(&other), 0);
	jobs_end(pool);
}

#define CROWD	129

static struct kt_thread crowd[CROWD];
static struct kpool_job crowd_job[CROWD];

static int crowd_fn(struct kpool_item *item)
{
	return 0;
}

static int submits_with_a_limit(void *job)
{
	return kpool_submit_timeout(here, &((struct kpool_job *)job)->item,
				    100 * HZ);
}

static int caller_flushes_the_first(struct caller_item *a)
{
	kt_gate_pass(&cue);
	return kpool_flush_item(&p[0].job.item);
}

/*
 * An item sleeps for one that is queued, while many submitters with a time
 * limit are blocked.  That is no progress: others can come before it is over.
 * Fails (not refused at once) if so many are taken for it: mutant
 * limited-admission-is-progress.
 */
static void waiter_beside_a_crowd_with_limits_is_refused(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 1 };
	struct kpool *pool = pool_make(&attrs, 0, caller_flushes_the_first);
	int i;

	if (!pool)
		return;
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	probes_submit(pool, p, 1);
	for (i = 0; i < CROWD; i++) {
		kpool_init_job(&crowd_job[i], crowd_fn);
		kt_thread_start(&crowd[i], submits_with_a_limit, &crowd_job[i]);
	}
	KT_EXPECT(kt_wait(kt_stat(pool, blocked) == CROWD));
	kt_gate_open(&cue);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(callers[0].returned)));
	caller_expect(&callers[0], -EDEADLK);
	for (i = 0; i < CROWD; i++)
		KT_EXPECT_EQ(kt_thread_join(&crowd[i]), 0);
	jobs_end(pool);
}

static int calls_without_a_limit(void *unused)
{
	return kpool_call_interruptible(here, called_fn, NULL, NULL, NULL);
}

/*
 * The queue is full of calls that only a signal would end, and one with a time
 * limit came last.
 * Fails (-EDEADLK) if it is not seen behind them: mutant
 * timed-call-behind-killable-ones.
 */
static void submitter_behind_the_last_timed_call_is_not_refused(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = CROWD,
	};
	struct kpool *pool = pool_make(&attrs, 0, caller_submits_the_first);
	int i;

	if (!pool)
		return;
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	for (i = 0; i < CROWD - 1; i++)
		kt_thread_start(&crowd[i], calls_without_a_limit, NULL);
	KT_EXPECT(kt_wait(kt_stat(pool, pending) == CROWD - 1));
	kt_thread_start(&crowd[i], calls_for_a_while, called_fn);
	KT_EXPECT(kt_wait(kt_stat(pool, pending) == CROWD));
	kt_thread_asleep(&crowd[i]);
	kt_gate_open(&cue);
	caller_expect(&callers[0], 0);
	KT_EXPECT_EQ(kt_thread_join(&crowd[i]), -ETIMEDOUT);
	for (i = 0; i < CROWD - 1; i++)
		KT_EXPECT_EQ(kt_thread_join(&crowd[i]), 0);
	jobs_end(pool);
}

static bool exit_aborts;

static void worker_exit_fn(void *data, void *worker_data)
{
	if (xchg(&exit_aborts, false))
		kpool_abort(here);
}

static void *worker_init_fn(void *data)
{
	return NULL;
}

static const struct kpool_attrs exit_attrs = {
	.capacity = 2, .queue_depth = 4, .expiry_ms = KPOOL_NO_PURGE,
	.worker_init = worker_init_fn, .worker_exit = worker_exit_fn,
};

/* The caller runs; the other worker is idle, and exits if expiry_ms is set. */
static void start_beside_an_idle_worker(struct kpool *pool)
{
	probes_hold(p, 2);
	probes_submit(pool, p, 2);
	probe_runs(&p[0]);
	probe_runs(&p[1]);
	probes_open(p, 2);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 2));
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
}

/*
 * An exiting worker aborts the pool.
 * Fails (hangs) if it is taken for a worker that runs an item.
 */
static void aborting_exiting_worker_makes_no_progress(void)
{
	struct kpool *pool = pool_make(&exit_attrs, 0, caller_waits_for_the_third);

	if (!pool)
		return;
	kpool_set_drop_fn(&p[4].job.item, dropped_flushes);
	KT_EXPECT_EQ(kpool_set_weight(&callers[0].probe.job.item, 2), 0);
	start_beside_an_idle_worker(pool);
	probes_submit(pool, &p[4], 1);
	probes_submit(pool, &p[2], 1);
	WRITE_ONCE(exit_aborts, true);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 10), 0);
	hang_is_refused(pool, &p[2]);
	jobs_end(pool);
}

static int caller_flushes_the_fifth(struct caller_item *a)
{
	kt_gate_pass(&cue);
	return kpool_flush_item(&p[4].job.item);
}

/*
 * An exiting worker aborts the pool, and the drop function that it calls will
 * return: a waiter for its item is not refused.
 * Fails (-EDEADLK) if the drop function is taken for nested in an item of the
 * worker: mutant exiting-worker-runs-an-item.
 */
static void drop_function_in_exiting_worker_makes_progress(void)
{
	struct kpool *pool = pool_make(&exit_attrs, 0, caller_flushes_the_fifth);

	if (!pool)
		return;
	kpool_set_drop_fn(&p[4].job.item, dropped_at_its_gate);
	KT_EXPECT_EQ(kpool_set_weight(&p[4].job.item, 2), 0);
	start_beside_an_idle_worker(pool);
	probes_submit(pool, &p[4], 1);
	WRITE_ONCE(exit_aborts, true);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 10), 0);
	KT_EXPECT(kt_wait(atomic_read(&p[4].own.started)));
	kt_gate_open(&cue);
	KT_EXPECT(kt_wait(atomic_read(&cue.finished)));
	caller_sleeps(&callers[0]);
	probes_open(&p[4], 1);
	caller_expect(&callers[0], 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	jobs_end(pool);
}

static bool init_flushes;

static void *worker_init_flushes(void *data)
{
	if (xchg(&init_flushes, false))
		KT_EXPECT_EQ(kpool_flush_item(&p[3].job.item), 0);
	return NULL;
}

/*
 * A worker_init has waited for an item, which has ended since.
 * Fails (hangs) if its wait counts on: mutant callback-kept-as-self-wait.
 */
static void past_wait_in_worker_init_makes_no_progress(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
		.expiry_ms = KPOOL_NO_PURGE,
		.worker_init = worker_init_flushes,
	};
	struct kpool *pool = pool_make(&attrs, 0, caller_flushes_the_second);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 2), 0);
	probes_hold(&p[3], 1);
	probes_submit(pool, &p[3], 1);
	probe_runs(&p[3]);
	init_flushes = true;
	probes_submit(pool, &p[4], 1);
	KT_EXPECT(kt_wait(!READ_ONCE(init_flushes)));
	kt_sleep_ms(10);
	probes_open(&p[3], 1);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 2));
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	probes_submit(pool, &p[1], 1);
	kt_gate_open(&cue);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(callers[0].returned)));
	if (!READ_ONCE(callers[0].returned))
		KT_EXPECT(kpool_cancel(&p[1].job.item));
	caller_expect(&callers[0], -EDEADLK);
	jobs_end(pool);
}

static const struct kpool_attrs run_by_callers = {
	.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
};

/* The item submits one that its caller must not run, and sleeps in that. */
static int submits_killable(struct kpool_item *item)
{
	WRITE_ONCE(in_drop_fn, current);
	dropped_got = kpool_submit_killable(here, &p[2].job.item);
	return 0;
}

static int mortal_submits(void *arg)
{
	allow_signal(SIGKILL);
	return kpool_submit(here, arg);
}

static int caller_kills_and_flushes(struct caller_item *a)
{
	kt_gate_pass(&cue);
	/* the killed thread does not come before we sleep */
	set_cpus_allowed_ptr(current, cpumask_of(0));
	set_cpus_allowed_ptr(in_drop_fn, cpumask_of(0));
	send_sig(SIGKILL, in_drop_fn, 1);
	return kpool_flush_item(&p[3].job.item);
}

/*
 * A submitter that has been killed will return: a waiter for its item is not
 * refused.
 * Fails (-EDEADLK) if it counts as blocked until it has returned: mutant
 * killed-counts-as-blocked.
 */
static void killed_submitter_makes_progress(void)
{
	struct kpool *pool = pool_make(&run_by_callers, 0,
				       caller_kills_and_flushes);
	struct kt_thread submitter = { };

	if (!pool)
		return;
	kpool_init_stream(&stream, pool);
	kpool_set_stream(&p[2].job, &stream);
	p[3].job.item.fn = submits_killable;
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	kt_thread_start(&submitter, mortal_submits, &p[3].job.item);
	KT_EXPECT(kt_wait(READ_ONCE(in_drop_fn) && !task_is_running(in_drop_fn)));
	kt_gate_open(&cue);
	caller_expect(&callers[0], 0);
	KT_EXPECT_EQ(kt_thread_join(&submitter), 0);
	KT_EXPECT_EQ(dropped_got, -EINTR);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	jobs_end(pool);
}

static struct task_struct *mortal;

static int caller_kills_and_submits(struct caller_item *a)
{
	kt_gate_pass(&cue);
	/* the killed thread does not come before we sleep */
	set_cpus_allowed_ptr(current, cpumask_of(0));
	set_cpus_allowed_ptr(mortal, cpumask_of(0));
	send_sig(SIGKILL, mortal, 1);
	return kpool_submit(here, &p[0].job.item);
}

/* The submitted item is too heavy for now, and first in the queue. */
static int mortal_submits_heavy(void *unused)
{
	allow_signal(SIGKILL);
	WRITE_ONCE(mortal, current);
	return kpool_submit_killable(here, &p[1].job.item);
}

/* Fill the queue by a call. */
static int mortal_calls(void *unused)
{
	allow_signal(SIGKILL);
	WRITE_ONCE(mortal, current);
	return kpool_call_killable(here, called_fn, NULL, NULL, NULL);
}

static int (*const mortals[])(void *) = { mortal_submits_heavy, mortal_calls };
static const char *const mortal_names[] = { "submitter", "caller", NULL };

/*
 * An item submits behind a submitter that has been killed, or to a queue that
 * is full of a call whose caller has.  When these threads have come, there is
 * room.
 * Fails (-EDEADLK) if they count as blocked until they have returned: mutants
 * killed-in-admission-counts-as-blocked, killed-queued-call-counts-as-blocked.
 */
static void submitter_behind_one_that_is_killed_is_not_refused(int which)
{
	const struct kpool_attrs attrs = {
		.capacity = 2 - which, .queue_depth = which ? 1 : KPOOL_NONE,
	};
	struct kpool *pool = pool_make(&attrs, 0, caller_kills_and_submits);
	struct kt_thread other = { };

	if (!pool)
		return;
	mortal = NULL;
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 2), 0);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	if (kt_thread_start(&other, mortals[which], NULL) &&
	    KT_EXPECT(kt_wait(kt_stat(pool, pending) + kt_stat(pool, blocked) == 1)) &&
	    kt_thread_asleep(&other)) {
		kt_gate_open(&cue);
		caller_expect(&callers[0], 0);
		KT_EXPECT_EQ(kt_thread_join(&other), -EINTR);
		probe_ran(p);
	}
	kt_gate_open(&cue);
	kt_thread_join(&other);
	jobs_end(pool);
}

/* Runs in a worker while a thread of another sleeps for it. */
static int submits_when_called(void *unused)
{
	dropped_got = kpool_submit(here, &p[0].job.item);
	return 0;
}

static int caller_calls_killable(struct caller_item *a)
{
	int err;

	allow_signal(SIGKILL);
	err = kpool_call_killable(here, submits_when_called, NULL, NULL, NULL);
	flush_signals(current);
	disallow_signal(SIGKILL);
	return err;
}

static int caller_kills_and_flushes_the_caller(struct caller_item *a)
{
	kt_gate_pass(&cue);
	/* the killed thread does not come before we sleep */
	set_cpus_allowed_ptr(current, cpumask_of(0));
	set_cpus_allowed_ptr(callers[1].task, cpumask_of(0));
	send_sig(SIGKILL, callers[1].task, 1);
	return kpool_flush_item(&callers[1].probe.job.item);
}

/*
 * The caller of a function that runs has been killed, and will return.  That
 * ends the flush of the caller, and frees a unit, for which the function waits.
 * Fails (-EDEADLK) if such a caller counts as blocked until it has returned:
 * mutant killed-call-counts-as-blocked.
 */
static void killed_caller_makes_progress(void)
{
	const struct kpool_attrs attrs = { .capacity = 3 };
	struct kpool *pool = pool_make(&attrs, 0,
				       caller_kills_and_flushes_the_caller);

	if (!pool)
		return;
	caller_init(&callers[1], pool, NULL, caller_calls_killable);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	caller_start(&callers[1]);
	KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 1));
	kt_gate_open(&cue);
	caller_expect(&callers[0], 0);
	caller_expect(&callers[1], -EINTR);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(dropped_got, 0);
	probes_expect_ran(p, 1);
	jobs_end(pool);
}

static int kills_and_flushes_its_caller(void *unused)
{
	KT_EXPECT(kt_wait(!task_is_running(callers[0].task)));
	/* the caller does not go on before we sleep */
	set_cpus_allowed_ptr(current, cpumask_of(0));
	set_cpus_allowed_ptr(callers[0].task, cpumask_of(0));
	send_sig(SIGKILL, callers[0].task, 1);
	dropped_got = kpool_flush_item(&callers[0].probe.job.item);
	return 0;
}

static int caller_calls_its_killer(struct caller_item *a)
{
	int err;

	allow_signal(SIGKILL);
	err = kpool_call_killable(here, kills_and_flushes_its_caller, NULL,
				  NULL, NULL);
	flush_signals(current);
	disallow_signal(SIGKILL);
	return err;
}

/*
 * A function kills its caller, and flushes it: the caller no longer waits for
 * the function.
 * Fails (-EDEADLK) if the two waits count as a cycle until the caller has
 * returned: mutant killed-call-closes-a-cycle.
 */
static void killed_caller_closes_no_cycle(void)
{
	const struct kpool_attrs attrs = { .capacity = 2 };
	struct kpool *pool = pool_make(&attrs, 0, caller_calls_its_killer);

	if (!pool)
		return;
	dropped_got = 1;
	caller_start(&callers[0]);
	caller_expect(&callers[0], -EINTR);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(dropped_got, 0);
	jobs_end(pool);
}

/* Keeps a processor until a job has started, or for less than the limit. */
struct hog {
	struct kt_thread	thread;
	bool			spins;
	bool			saw_it;
};

static int hogs(void *arg)
{
	struct hog *hog = arg;
	unsigned long end = jiffies + msecs_to_jiffies(800);

	set_cpus_allowed_ptr(current, cpumask_of(0));
	sched_set_fifo(current);
	WRITE_ONCE(hog->spins, true);
	while (!hog->saw_it && time_before(jiffies, end)) {
		cpu_relax();
		hog->saw_it = atomic_read(&p[1].ran);
	}
	return 0;
}

static int submits_heavy(struct kpool_item *item)
{
	dropped_got = kpool_submit(here, &p[2].job.item);
	return 0;
}

static int submits_on_the_first_cpu(void *arg)
{
	set_cpus_allowed_ptr(current, cpumask_of(0));
	return kpool_submit(here, arg);
}

/* Has the job started though the thread that made room has no processor? */
static bool starts_beside_the_refused(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 2, .when_full = KPOOL_FULL_CALLER_RUNS,
		.cpumask = cpumask_of(1),
	};
	struct kpool *pool = pool_make(&attrs, 0, caller_flushes_the_second);
	struct kt_thread submitter = { };
	struct hog hog = { };

	if (!pool)
		return false;
	kpool_init_stream(&stream, pool);
	kpool_set_stream(&p[2].job, &stream);
	KT_EXPECT_EQ(kpool_set_weight(&p[2].job.item, 2), 0);
	p[3].job.item.fn = submits_heavy;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(p);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[1].job, 3600 * HZ), 0);
	kt_gate_open(&cue);
	KT_EXPECT(kt_wait(atomic_read(&cue.finished)));
	caller_sleeps(&callers[0]);
	kt_thread_start(&submitter, submits_on_the_first_cpu, &p[3].job.item);
	KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 1));
	KT_EXPECT(kpool_modify_delay(&p[1].job, 1));
	KT_EXPECT(kt_wait(!kt_stat(pool, delayed)));
	kt_thread_start(&hog.thread, hogs, &hog);
	KT_EXPECT(kt_wait(READ_ONCE(hog.spins)));
	probes_open(p, 1);
	caller_expect(&callers[0], 0);
	KT_EXPECT_EQ(kt_thread_join(&submitter), 0);
	KT_EXPECT_EQ(kt_thread_join(&hog.thread), 0);
	KT_EXPECT_EQ(dropped_got, -EDEADLK);
	jobs_end(pool);
	return hog.saw_it;
}

/*
 * A refusal can let another item start: at once, and not when the refused gets
 * a processor.
 * Fails (each time; a machine that stands still can do so once) if the worker
 * that refuses does not look again.
 */
static void room_of_a_refused_submitter_is_reused(void)
{
	int tries = 3;

	if (num_online_cpus() < 2)
		return;
	set_cpus_allowed_ptr(current, cpumask_of(1));
	while (tries && !starts_beside_the_refused())
		tries--;
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	KT_EXPECT(tries);
}

/*
 * The last that could change anything goes.  An item sleeps for job 1, which
 * needs both units, one of which the item holds.  Job 2 is something else that
 * has to do with the pool.
 */
static void last_is_a_run(struct kpool *pool)
{
	kt_gate_open(&p[2].own);
}

static void last_is_cancelled(struct kpool *pool)
{
	KT_EXPECT(kpool_cancel(&p[2].job.item));
}

static void last_is_cancelled_and_waited_for(struct kpool *pool)
{
	KT_EXPECT_EQ(kpool_cancel_sync(&p[2].job.item), 1);
}

static void last_is_disabled(struct kpool *pool)
{
	KT_EXPECT_EQ(kpool_disable(&p[2].job.item), 1);
}

static void last_is_of_a_cancelled_group(struct kpool *pool)
{
	kpool_group_cancel(&group);
}

static void last_is_dropped_by_shutdown(struct kpool *pool)
{
	kpool_shutdown(pool);
}

static void last_is_due(struct kpool *pool)
{
	KT_EXPECT(kpool_modify_delay(&p[2].job, 0));
	last_is_a_run(pool);
}

static void last_is_due_by_time(struct kpool *pool)
{
	KT_EXPECT(kpool_modify_delay(&p[2].job, 2));
	last_is_a_run(pool);
}

static void last_is_too_late(struct kpool *pool)
{
	KT_EXPECT(kpool_modify_delay(&p[2].job, 0));
}

static void last_is_a_pause(struct kpool *pool)
{
	kpool_resume(pool);
}

static void last_is_a_unit(struct kpool *pool)
{
	/* the delayed one has no unit to run in, as the heavy one */
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
}

enum { EVENT_RUNS, EVENT_DELAYED, EVENT_LATE, EVENT_CALLER, EVENT_PAUSE };

static const struct {
	int	kind;
	void	(*goes)(struct kpool *pool);
} events[] = {
	{ EVENT_RUNS, last_is_a_run },
	{ EVENT_CALLER, last_is_a_run },
	{ EVENT_DELAYED, last_is_cancelled },
	{ EVENT_DELAYED, last_is_cancelled_and_waited_for },
	{ EVENT_DELAYED, last_is_disabled },
	{ EVENT_DELAYED, last_is_of_a_cancelled_group },
	{ EVENT_DELAYED, last_is_dropped_by_shutdown },
	{ EVENT_DELAYED, last_is_due },
	{ EVENT_DELAYED, last_is_due_by_time },
	{ EVENT_LATE, last_is_too_late },
	{ EVENT_DELAYED, last_is_a_unit },
	{ EVENT_PAUSE, last_is_a_pause },
};

static const char *const event_names[] = {
	"run", "run_of_a_caller", "cancel", "cancel_sync", "disable",
	"group_cancel", "shutdown", "due", "due_by_time", "too_late", "unit",
	"pause", NULL
};

static int submits_the_third(void *arg)
{
	return kpool_submit(arg, &p[2].job.item);
}

/* Begin what job 2 does while the item sleeps. */
static void event_begins(struct kpool *pool, int kind, struct kt_thread *t)
{
	switch (kind) {
	case EVENT_CALLER:
		kt_thread_start(t, submits_the_third, pool);
		probe_runs(&p[2]);
		break;
	case EVENT_RUNS:
		probes_submit(pool, &p[2], 1);
		probe_runs(&p[2]);
		break;
	case EVENT_LATE:
		kpool_set_deadline(&p[2].job, the_past());
		fallthrough;
	case EVENT_DELAYED:
		/* so that it can start ahead of job 1 */
		KT_EXPECT_EQ(kpool_set_priority(&p[2].job.item,
						KPOOL_PRIO_HIGH), 0);
		KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[2].job, 3600 * HZ),
			     0);
		break;
	case EVENT_PAUSE:
		KT_EXPECT_EQ(kpool_pause(pool), 0);
		break;
	}
}

/*
 * While that continues, the wait can end; once it has ended, it cannot.
 * Fails (hangs) if the pool is not rechecked for deadlock then.
 */
static void deadlock_is_found_when_last_progress_ends(int which)
{
	const struct kpool_attrs attrs = {
		.capacity = 2, .expiry_ms = KPOOL_NO_PURGE,
		.queue_depth = events[which].kind == EVENT_CALLER ? 1 :
			       KPOOL_UNLIMITED,
		.when_full = events[which].kind == EVENT_CALLER ?
			     KPOOL_FULL_CALLER_RUNS : KPOOL_FULL_WAIT,
	};
	struct kpool *pool = pool_make(&attrs, 0, caller_flushes_the_second);
	struct kt_thread t = { };

	if (!pool)
		return;
	/* the item blocks when everything else is in its place */
	probes_hold(&p[2], 1);
	kpool_set_group(&p[2].job, &group);
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 2), 0);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	if (events[which].kind != EVENT_RUNS)
		probes_submit(pool, &p[1], 1);
	event_begins(pool, events[which].kind, &t);
	if (events[which].kind == EVENT_RUNS)
		probes_submit(pool, &p[1], 1);
	kt_gate_open(&cue);
	caller_sleeps(&callers[0]);
	kt_sleep_ms(10);
	KT_EXPECT(!READ_ONCE(callers[0].returned));
	events[which].goes(pool);
	caller_expect(&callers[0], -EDEADLK);
	/* so that a failure does not hang, and no thread waits for an hour */
	kpool_cancel(&p[1].job.item);
	kpool_cancel(&p[2].job.item);
	probes_open(p, 3);
	if (t.task)
		KT_EXPECT_EQ(kt_thread_join(&t), 0);
	jobs_end(pool);
}

/* What keeps a delayed job from starting once it is due. */
enum { DELAY_BEHIND, DELAY_HEAVY, DELAY_STREAM, DELAY_ITSELF, DELAY_BLOCKED };

static const char *const obstacles[] = {
	"behind", "heavy", "stream", "itself", "blocked", NULL
};

static int caller_submits_the_second(struct caller_item *a)
{
	kt_gate_pass(&cue);
	return kpool_submit(a->pool, &p[1].job.item);
}

/* Set up the obstacle.  Return the job that is to be delayed. */
static struct kpool_job *obstacle_set(struct kpool *pool, int obstacle)
{
	struct kpool_job *late = &p[2].job;

	if (obstacle == DELAY_HEAVY)
		KT_EXPECT_EQ(kpool_set_weight(&late->item, 2), 0);
	if (obstacle == DELAY_STREAM) {
		kpool_init_stream(&stream, pool);
		kpool_set_stream(&callers[0].probe.job, &stream);
		kpool_set_stream(late, &stream);
	}
	if (obstacle == DELAY_ITSELF)
		late = &callers[0].probe.job;
	if (obstacle != DELAY_BEHIND)
		KT_EXPECT_EQ(kpool_set_priority(&late->item, KPOOL_PRIO_HIGH), 0);
	return late;
}

/*
 * An item waits for one that needs its unit.  A delayed job finds a free unit
 * when it is due, but has to wait for others that are stuck, or for more units.
 * Fails (a wait is over by its limit) if any delayed job counts as progress
 * while a unit is free: mutants stuck-delay-is-progress, heavy-delay-is-progress,
 * delay-in-stream-is-progress, own-delay-is-progress, delay-overtakes-blocked.
 */
static void delayed_job_that_cannot_start_makes_no_progress(int obstacle)
{
	const struct kpool_attrs attrs = {
		.capacity = 2,
		.queue_depth = obstacle == DELAY_BLOCKED ? KPOOL_NONE :
			       KPOOL_UNLIMITED,
	};
	struct kpool *pool = pool_make(&attrs, 0, obstacle == DELAY_BLOCKED ?
				       caller_submits_the_second :
				       caller_flushes_the_second);
	struct kpool_job *late;

	if (!pool)
		return;
	late = obstacle_set(pool, obstacle);
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 2), 0);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	if (obstacle != DELAY_BLOCKED)
		probes_submit(pool, &p[1], 1);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, late, 3600 * HZ), 0);
	kt_gate_open(&cue);
	caller_expect(&callers[0], -EDEADLK);
	/* so that a failure does not last for an hour */
	kpool_cancel(&p[1].job.item);
	KT_EXPECT(kpool_cancel(&late->item));
	jobs_end(pool);
}

/* One more than are looked at. */
static struct kpool_job heavies[64], last_due;

/*
 * An item waits for one that needs its unit, beside as many delayed jobs as are
 * looked at, which are too heavy.  A job that is due later could start.  Only
 * when that is cancelled can nothing happen any more.
 * Fails (-EDEADLK) if jobs that are not looked at are taken for ones that cannot
 * start: mutant delays-not-assumed.
 */
static void delayed_jobs_behind_many_make_progress(void)
{
	struct kpool *pool = pool_make(&queued_two, 0, caller_flushes_the_second);
	int i;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 2), 0);
	caller_start(&callers[0]);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	probes_submit(pool, &p[1], 1);
	for (i = 0; i < ARRAY_SIZE(heavies); i++) {
		kpool_init_job(&heavies[i], kt_job_tiny);
		KT_EXPECT_EQ(kpool_set_weight(&heavies[i].item, 2), 0);
		KT_EXPECT_EQ(kpool_submit_delayed(pool, &heavies[i], 3600 * HZ), 0);
	}
	kpool_init_job(&last_due, kt_job_tiny);
	KT_EXPECT_EQ(kpool_set_priority(&last_due.item, KPOOL_PRIO_HIGH), 0);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &last_due, 7200 * HZ), 0);
	kt_gate_open(&cue);
	caller_sleeps(&callers[0]);
	kt_sleep_ms(10);
	KT_EXPECT(!READ_ONCE(callers[0].returned));
	KT_EXPECT(kpool_cancel(&last_due.item));
	caller_expect(&callers[0], -EDEADLK);
	/* so that a failure does not last for an hour */
	kpool_cancel(&p[1].job.item);
	for (i = 0; i < ARRAY_SIZE(heavies); i++)
		KT_EXPECT(kpool_cancel(&heavies[i].item));
	jobs_end(pool);
}

/*
 * An item waits for a delayed job.  Once that is due, it is behind a heavy
 * submitter, which will give up.
 * Fails (-EDEADLK) if only jobs that are due already count as behind it: mutant
 * delay-behind-a-time-limit-ignored.
 */
static void delayed_job_behind_a_time_limit_makes_progress(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4 };
	struct kpool *pool = pool_make(&attrs, 0, caller_flushes_the_first);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[0].job, HZ), 0);
	heavy_submitter_gives_up(pool);
}

KT_MODULE("kpool selftest: deadlocks with drop work, aborters and submitters",
	  KT_EACH(deadlock_through_a_drop_function_is_refused, drop_calls),
	  KT_CASE(aborting_drop_work_makes_no_progress),
	  KT_CASE(aborts_inside_one_another_are_limited),
	  KT_CASE(aborting_room_function_makes_no_progress),
	  KT_CASE(returning_aborter_makes_no_progress),
	  KT_CASE(earlier_drop_makes_no_progress),
	  KT_CASE(submitter_behind_a_time_limit_is_not_refused),
	  KT_CASE(flush_of_a_timed_handover_is_not_refused),
	  KT_CASE(handover_of_another_pool_makes_no_progress),
	  KT_CASE(submitter_behind_a_timed_call_is_not_refused),
	  KT_CASE(submitter_in_a_timed_call_is_refused),
	  KT_CASE(submitter_before_a_time_limit_is_refused),
	  KT_CASE(waiter_beside_a_crowd_with_limits_is_refused),
	  KT_CASE(submitter_behind_the_last_timed_call_is_not_refused),
	  KT_CASE(aborting_exiting_worker_makes_no_progress),
	  KT_CASE(drop_function_in_exiting_worker_makes_progress),
	  KT_CASE(past_wait_in_worker_init_makes_no_progress),
	  KT_EACH(submitter_behind_one_that_is_killed_is_not_refused, mortal_names),
	  KT_CASE(killed_submitter_makes_progress),
	  KT_CASE(killed_caller_makes_progress),
	  KT_CASE(killed_caller_closes_no_cycle),
	  KT_CASE(room_of_a_refused_submitter_is_reused),
	  KT_EACH(deadlock_is_found_when_last_progress_ends, event_names),
	  KT_EACH(delayed_job_that_cannot_start_makes_no_progress, obstacles),
	  KT_CASE(delayed_jobs_behind_many_make_progress),
	  KT_CASE(delayed_job_behind_a_time_limit_makes_progress));
