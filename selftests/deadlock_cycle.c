// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cycles of waits, and waits that only look like a cycle.  The runner of a
 * stream waits for a flusher, which waits for another job of the stream, the
 * late one.
 *
 * A cycle can close without a thread blocking: when the late job is queued
 * behind the runner.  Mutant cycle-by-a-late-job.
 */
#include <linux/kthread.h>

#include "caller_item.h"
#include "compat.h"
#include "load.h"

#define runner	(&callers[0])
#define flusher	(&callers[1])
#define other	(&callers[2])
#define late	(&p[0])

static struct kpool_stream stream;
static struct kt_gate runner_cue, flusher_cue;
static struct load bystander, filler, queued;
static int called_got;
static unsigned long refused_at;

static const struct kpool_attrs roomy = { .capacity = 5, .queue_depth = 1 };

static int flushes_late(struct caller_item *a)
{
	kt_gate_pass(&flusher_cue);
	return kpool_flush_item(&late->job.item);
}

static int flushes_flusher(struct caller_item *a)
{
	kt_gate_pass(&runner_cue);
	return kpool_flush_item(&flusher->probe.job.item);
}

static int flushes_flusher_when_called(void *arg)
{
	called_got = kpool_flush_item(&flusher->probe.job.item);
	return 0;
}

static int does_no_more(struct caller_item *a)
{
	return 0;
}

static int calls(struct caller_item *a)
{
	kt_gate_pass(&runner_cue);
	return kpool_call(a->pool, flushes_flusher_when_called, NULL, NULL);
}

static struct kpool *cycle_make(const struct kpool_attrs *attrs,
				int (*call)(struct caller_item *a))
{
	struct kpool *pool = group_make(attrs, 0, 0);

	if (!pool)
		return NULL;
	kt_gate_init(&runner_cue);
	kt_gate_init(&flusher_cue);
	kpool_init_stream(&stream, pool);
	caller_init(runner, pool, NULL, call);
	caller_init(flusher, pool, NULL, flushes_late);
	caller_init(other, pool, NULL, flushes_flusher);
	runner->probe.gate = &runner->probe.own;
	kpool_set_stream(&runner->probe.job, &stream);
	kpool_set_stream(&late->job, &stream);
	load_init(&bystander, 0);
	load_init(&filler, 1);
	load_init(&queued, 2);
	return pool;
}

/* As long as an unrelated item runs, it is no deadlock of the whole pool. */
static bool cycle_start(struct kpool *pool)
{
	return KT_EXPECT(load_runs(pool, &bystander)) && caller_start(runner) &&
	       caller_start(flusher) &&
	       KT_EXPECT(kt_wait(atomic_read(&runner_cue.started) &&
				 atomic_read(&flusher_cue.started)));
}

/* Wake a thread, so that it shows what it sleeps in next. */
static void cycle_cue(struct kt_gate *cue)
{
	kt_gate_open(cue);
	KT_EXPECT(kt_wait(atomic_read(&cue->finished)));
}

/* The flusher waits for the job, and the runner for the flusher. */
static void cycle_sleeps(void)
{
	cycle_cue(&flusher_cue);
	caller_sleeps(flusher);
	cycle_cue(&runner_cue);
}

/*
 * The runner goes on with what it got; the others wait on, and are completed.
 */
static void cycle_is_broken(int got)
{
	bool broken = KT_EXPECT(kt_wait(READ_ONCE(runner->returned)));

	/* a walk along a chain of waiters into a cycle never ends */
	if (broken && caller_start(other))
		caller_sleeps(other);
	KT_EXPECT(!READ_ONCE(flusher->returned));
	KT_EXPECT_EQ(atomic_read(&late->ran), 0);
	if (!broken)
		kpool_cancel(&late->job.item);
	kt_gate_open(&runner->probe.own);
	caller_expect(runner, got);
	caller_expect(flusher, 0);
	if (broken)
		caller_expect(other, 0);
	KT_EXPECT_EQ(atomic_read(&late->ran), 1);
}

static void cycle_end(struct kpool *pool)
{
	kt_gate_open(&bystander.gate);
	jobs_end(pool);
}

/*
 * The job comes due, and follows the runner.
 * Fails if only blocking callers look for a cycle.
 */
static void due_job_closes_a_cycle(void)
{
	struct kpool *pool = cycle_make(&roomy, flushes_flusher);

	if (pool && cycle_start(pool) &&
	    KT_EXPECT_EQ(kpool_submit_delayed(pool, &late->job, HZ / 5), 0)) {
		cycle_sleeps();
		cycle_is_broken(-EDEADLK);
	}
	cycle_end(pool);
}

static int waits_for_the_group(struct caller_item *a)
{
	int got;

	kt_gate_pass(&runner_cue);
	got = kpool_group_wait(&group, a->timeout);
	refused_at = jiffies;
	return got;
}

/*
 * The runner waits for a group, and a job of that comes due, which follows the
 * runner, like 64 that are due later.  So many are looked at, and one more was
 * assumed to start.  All sleep then, with units free.
 * Fails (a second late, when the watchdog looks) if a job that cannot start
 * seems about to: mutant recheck-parks-nothing.
 */
static void due_job_of_a_group_ends_progress(void)
{
	struct kpool *pool = cycle_make(&roomy, waits_for_the_group);
	unsigned long due = jiffies + HZ / 5;
	static struct kpool_job later[64];
	int i;

	for (i = 0; pool && i < ARRAY_SIZE(later); i++) {
		kpool_init_job(&later[i], kt_job_tiny);
		kpool_set_stream(&later[i], &stream);
		KT_EXPECT_EQ(kpool_submit_delayed(pool, &later[i], 3600 * HZ), 0);
	}
	if (pool && !kpool_set_group(&late->job, &group) && caller_start(runner) &&
	    KT_EXPECT_EQ(kpool_submit_delayed(pool, &late->job, HZ / 5), 0)) {
		cycle_cue(&runner_cue);
		caller_expect(runner, -EDEADLK);
		if (kt_exact)
			KT_EXPECT_LE(refused_at, due + 2 + HZ / 40);
		if (!READ_ONCE(runner->returned))
			kpool_cancel(&late->job.item);
		kt_gate_open(&runner->probe.own);
	}
	/* so that the end does not last for an hour */
	for (i = 0; pool && i < ARRAY_SIZE(later); i++)
		KT_EXPECT(kpool_cancel(&later[i].item));
	cycle_end(pool);
}

/*
 * The job is due, but follows the runner only when the queue has room.
 * Fails if only blocking callers look for a cycle.
 */
static void admitted_job_closes_a_cycle(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4, .queue_depth = 1 };
	struct kpool *pool = cycle_make(&attrs, flushes_flusher);

	if (!pool || !cycle_start(pool) ||
	    !KT_EXPECT(load_runs(pool, &filler)) ||
	    !KT_EXPECT_EQ(load_submit(pool, &queued), 0) ||
	    !KT_EXPECT_EQ(kpool_submit_delayed(pool, &late->job, 1), 0))
		goto out;
	cycle_sleeps();
	caller_sleeps(runner);
	KT_EXPECT(kt_wait(!kt_stat(pool, delayed)));
	KT_EXPECT(!READ_ONCE(runner->returned));
	KT_EXPECT(kpool_cancel(&queued.job.item));
	load_end(&filler);
	cycle_is_broken(-EDEADLK);
out:
	kt_gate_open(&filler.gate);
	cycle_end(pool);
}

/*
 * The runner sleeps in a call, which is not refused as its function runs: that
 * one's flush is.
 * Fails if the runner is all that is checked.
 */
static void caller_in_a_cycle_keeps_waiting(void)
{
	struct kpool *pool = cycle_make(&roomy, calls);

	if (pool && cycle_start(pool) &&
	    KT_EXPECT_EQ(kpool_submit_delayed(pool, &late->job, HZ / 5), 0)) {
		cycle_sleeps();
		cycle_is_broken(0);
		KT_EXPECT_EQ(called_got, -EDEADLK);
	}
	cycle_end(pool);
}

static struct kt_gate dropping;

/* Once there was no time; now there is. */
static void dropped_submits_again(struct kpool_item *item, int err)
{
	kt_gate_pass(&dropping);
	kpool_set_deadline(&late->job, 0);
	KT_EXPECT_EQ(kpool_submit(runner->pool, item), 0);
}

/*
 * The flusher waits for the drop function of the late job, which submits the
 * job again behind the runner: no waiter waits for that submission.
 * Fails if a waiter is taken for one of the item's next run: mutant
 * started-wait-taken-for-the-next.
 */
static void wait_for_an_earlier_run_closes_no_cycle(void)
{
	struct kpool *pool = cycle_make(&roomy, flushes_flusher);

	if (!pool)
		return;
	kt_gate_init(&dropping);
	kpool_set_drop_fn(&late->job.item, dropped_submits_again);
	kpool_set_deadline(&late->job, the_past());
	KT_EXPECT_EQ(kpool_submit(pool, &late->job.item), 0);
	if (!KT_EXPECT(kt_wait(atomic_read(&dropping.started))) ||
	    !cycle_start(pool))
		goto out;
	cycle_sleeps();
	caller_sleeps(runner);
	kt_gate_open(&dropping);
	caller_expect(flusher, 0);
	caller_expect(runner, 0);
	kt_gate_open(&runner->probe.own);
	KT_EXPECT(probe_ran(late));
out:
	kt_gate_open(&dropping);
	cycle_end(pool);
}

static struct kt_gate late_cue;

static int flushes_flusher_on_cue(struct kpool_item *item)
{
	kt_gate_pass(&late_cue);
	/* the first run only: the second is what the flusher waits for */
	if (called_got == 1)
		WRITE_ONCE(called_got, kpool_flush_item(&flusher->probe.job.item));
	return probe_fn(item);
}

/*
 * The late job runs, and is pending again: the flusher waits for the next run,
 * and then the job for the flusher.
 * Fails (lasts) if a waiter for the next run of an item does not wait for this
 * one: mutant next-run-waits-for-none.
 */
static void wait_for_the_next_run_closes_a_cycle(void)
{
	struct kpool *pool = cycle_make(&roomy, flushes_flusher);

	if (!pool)
		return;
	called_got = 1;
	kt_gate_init(&late_cue);
	probe_init(late, flushes_flusher_on_cue, 0);
	if (!KT_EXPECT(load_runs(pool, &bystander)) ||
	    !KT_EXPECT_EQ(kpool_submit(pool, &late->job.item), 0) ||
	    !KT_EXPECT(kt_wait(atomic_read(&late_cue.started))) ||
	    !KT_EXPECT_EQ(kpool_submit(pool, &late->job.item), 0) ||
	    !caller_start(flusher) ||
	    !KT_EXPECT(kt_wait(atomic_read(&flusher_cue.started))))
		goto out;
	cycle_cue(&flusher_cue);
	caller_sleeps(flusher);
	kt_gate_open(&late_cue);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(called_got) != 1));
	/* so that a failure does not hang */
	kt_gate_open(&bystander.gate);
	KT_EXPECT_EQ(called_got, -EDEADLK);
	caller_expect(flusher, 0);
	KT_EXPECT_EQ(atomic_read(&late->ran), 2);
out:
	kt_gate_open(&late_cue);
	kt_gate_open(&flusher_cue);
	cycle_end(pool);
}

static struct kt_gate resubmitted;

/*
 * In the first run, which has no stream, submit the job behind the runner, and
 * return true.
 */
static bool submit_behind_runner(struct kpool_item *item)
{
	kt_gate_pass(&late_cue);
	if (called_got != 1)
		return false;
	KT_EXPECT_EQ(kpool_set_stream(&late->job, &stream), 0);
	KT_EXPECT_EQ(kpool_submit(runner->pool, item), 0);
	kt_gate_pass(&resubmitted);
	return true;
}

static int submits_itself_behind(struct kpool_item *item)
{
	if (submit_behind_runner(item))
		WRITE_ONCE(called_got, 0);
	return probe_fn(item);
}

static int submits_itself_behind_and_flushes(struct kpool_item *item)
{
	if (submit_behind_runner(item))
		WRITE_ONCE(called_got, kpool_flush_item(&flusher->probe.job.item));
	return probe_fn(item);
}

/* The late job runs, and no stream is concerned. */
static bool late_runs(struct kpool *pool, int (*fn)(struct kpool_item *item))
{
	called_got = 1;
	kt_gate_init(&late_cue);
	kt_gate_init(&resubmitted);
	probe_init(late, fn, 0);
	return KT_EXPECT(load_runs(pool, &bystander)) &&
	       KT_EXPECT_EQ(kpool_submit(pool, &late->job.item), 0) &&
	       KT_EXPECT(kt_wait(atomic_read(&late_cue.started)));
}

/*
 * The flusher waits for the next run of the late job.  That is cancelled, so it
 * waits for this run, which then submits the job behind the runner.
 * Fails if the waiter is taken for one of that submission: mutant
 * started-wait-taken-for-the-next.
 */
static void wait_for_a_cancelled_run_closes_no_cycle(void)
{
	struct kpool *pool = cycle_make(&roomy, flushes_flusher);

	if (!pool)
		return;
	if (!late_runs(pool, submits_itself_behind) ||
	    !KT_EXPECT_EQ(kpool_submit(pool, &late->job.item), 0) ||
	    !caller_start(flusher))
		goto out;
	cycle_cue(&flusher_cue);
	caller_sleeps(flusher);
	KT_EXPECT(kpool_cancel(&late->job.item));
	if (!caller_start(runner))
		goto out;
	cycle_cue(&runner_cue);
	caller_sleeps(runner);
	kt_gate_open(&late_cue);
	KT_EXPECT(kt_wait(atomic_read(&resubmitted.started)));
	kt_gate_open(&resubmitted);
	caller_expect(flusher, 0);
	caller_expect(runner, 0);
	kt_gate_open(&runner->probe.own);
	KT_EXPECT(kt_wait(atomic_read(&late->ran) == 2));
out:
	kt_gate_open(&late_cue);
	kt_gate_open(&flusher_cue);
	kt_gate_open(&runner_cue);
	kt_gate_open(&resubmitted);
	kt_gate_open(&runner->probe.own);
	cycle_end(pool);
}

static int drop_got;

static void drop_flushes_runner(struct kpool_item *item, int err)
{
	kt_gate_pass(&flusher_cue);
	WRITE_ONCE(drop_got, kpool_flush_item(&runner->probe.job.item));
}

/* The job is pending again behind the late one, and waits for that. */
static int joins_stream_and_flushes_late(struct caller_item *a)
{
	kt_gate_pass(&runner_cue);
	KT_EXPECT_EQ(kpool_set_stream(&a->probe.job, &stream), 0);
	KT_EXPECT_EQ(kpool_submit(a->pool, &a->probe.job.item), 0);
	return kpool_flush_item(&late->job.item);
}

static int aborts(void *arg)
{
	return kpool_abort(arg);
}

/*
 * The runner waits for the late job, which runs and is the first of the stream,
 * and an aborter's drop function for the runner.  When the late job returns,
 * the drop work drops it: only the drop function waits for its own thread.
 * Fails (runner refused) if the late job is taken for one that the aborter
 * drops: mutant leaves-stream-before-drop.
 */
static void aborted_job_that_leaves_its_stream_closes_no_cycle(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4, .queue_depth = 4 };
	struct kpool *pool = cycle_make(&attrs, joins_stream_and_flushes_late);
	struct probe *heavy = &p[1];
	struct kt_thread aborter;

	if (!pool)
		return;
	drop_got = 1;
	kpool_set_stream(&runner->probe.job, NULL);
	probe_init(heavy, probe_fn, 0);
	kpool_set_drop_fn(&heavy->job.item, drop_flushes_runner);
	KT_EXPECT_EQ(kpool_set_weight(&heavy->job.item, 2), 0);
	if (!late_runs(pool, submits_itself_behind) || !caller_start(runner) ||
	    !KT_EXPECT(kt_wait(atomic_read(&runner_cue.started))))
		goto out;
	cycle_cue(&late_cue);
	KT_EXPECT(kt_wait(atomic_read(&resubmitted.started)));
	KT_EXPECT_EQ(kpool_submit(pool, &heavy->job.item), 0);
	cycle_cue(&runner_cue);
	caller_sleeps(runner);
	kt_thread_start(&aborter, aborts, pool);
	KT_EXPECT(kt_wait(atomic_read(&flusher_cue.started)));
	cycle_cue(&flusher_cue);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(READ_ONCE(drop_got), 1);
	kt_gate_open(&resubmitted);
	caller_expect(runner, 0);
	kt_gate_open(&runner->probe.own);
	KT_EXPECT(kt_wait(READ_ONCE(drop_got) != 1));
	KT_EXPECT_EQ(READ_ONCE(drop_got), -EDEADLK);
	kt_gate_open(&bystander.gate);
	/* the late job is left to the drop work */
	KT_EXPECT_EQ(kt_thread_join(&aborter), 2);
out:
	kt_gate_open(&late_cue);
	kt_gate_open(&runner_cue);
	kt_gate_open(&flusher_cue);
	kt_gate_open(&resubmitted);
	kt_gate_open(&runner->probe.own);
	cycle_end(pool);
}

static const char *const unblocked[] = { "runner_ends", "cancelled", NULL };

/*
 * The late job is pending again behind the runner, and waits for the flusher,
 * which waits for the job's next run.  Once the stream does not block the job,
 * only its own run does.
 * Fails (lasts) if that run is not looked at then: mutants
 * idle-stream-closes-no-cycle, job-without-stream-closes-no-cycle.
 */
static void unblocked_job_closes_a_cycle(int cancelled)
{
	struct kpool *pool = cycle_make(&roomy, does_no_more);

	if (!pool)
		return;
	if (!late_runs(pool, submits_itself_behind_and_flushes) ||
	    !caller_start(runner) || !probe_runs(&runner->probe))
		goto out;
	cycle_cue(&late_cue);
	KT_EXPECT(kt_wait(atomic_read(&resubmitted.started)));
	if (!caller_start(flusher))
		goto out;
	cycle_cue(&flusher_cue);
	caller_sleeps(flusher);
	cycle_cue(&resubmitted);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(READ_ONCE(called_got), 1);
	if (cancelled)
		KT_EXPECT(kpool_cancel(&late->job.item));
	else
		kt_gate_open(&runner->probe.own);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(called_got) != 1));
	KT_EXPECT_EQ(READ_ONCE(called_got), -EDEADLK);
	/* so that a failure does not hang */
	kt_gate_open(&bystander.gate);
	kt_gate_open(&runner->probe.own);
	caller_expect(flusher, 0);
	KT_EXPECT(kt_wait(atomic_read(&late->ran) == 2 - cancelled));
out:
	kt_gate_open(&late_cue);
	kt_gate_open(&flusher_cue);
	kt_gate_open(&resubmitted);
	kt_gate_open(&runner->probe.own);
	cycle_end(pool);
}

static int submits_late(struct caller_item *a)
{
	kt_gate_pass(&runner_cue);
	return kpool_submit(a->pool, &late->job.item);
}

static int flushes_runner(struct caller_item *a)
{
	kt_gate_pass(&flusher_cue);
	return kpool_flush_item(&runner->probe.job.item);
}

static int late_flushes_flusher(struct kpool_item *item)
{
	WRITE_ONCE(called_got, kpool_flush_item(&flusher->probe.job.item));
	return probe_fn(item);
}

/*
 * The runner submits the late job to the full pool, and so runs it itself.  The
 * job waits for the flusher, which waits for the runner.
 * Fails (lasts) if only the innermost run of the thread is compared: mutant
 * cycle-of-an-outer-run-not-seen.
 */
static void job_that_the_runner_runs_closes_a_cycle(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kpool *pool = cycle_make(&attrs, submits_late);

	if (!pool)
		return;
	called_got = 1;
	flusher->call = flushes_runner;
	probe_init(late, late_flushes_flusher, 0);
	if (!cycle_start(pool))
		goto out;
	cycle_cue(&flusher_cue);
	caller_sleeps(flusher);
	kt_gate_open(&runner_cue);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(called_got) != 1));
	/* so that a failure does not hang */
	kt_gate_open(&bystander.gate);
	KT_EXPECT_EQ(called_got, -EDEADLK);
	kt_gate_open(&runner->probe.own);
	caller_expect(runner, 0);
	caller_expect(flusher, 0);
	KT_EXPECT_EQ(kt_stat(pool, caller_ran), 1);
out:
	kt_gate_open(&runner_cue);
	kt_gate_open(&flusher_cue);
	kt_gate_open(&runner->probe.own);
	cycle_end(pool);
}

static struct kpool_job reborn;
static struct kt_gate first_life, second_life;

/* Its first run ends the thread, its second submits it behind the runner. */
static int is_reborn(struct kpool_item *item)
{
	if (!atomic_read(&first_life.finished)) {
		kt_gate_pass(&first_life);
		kthread_complete_and_exit(NULL, 0);
	}
	if (!atomic_read(&second_life.finished)) {
		kt_gate_pass(&second_life);
		KT_EXPECT_EQ(kpool_set_stream(&reborn, &stream), 0);
		KT_EXPECT_EQ(kpool_submit(kpool_current(), item), 0);
	}
	return 0;
}

static int flushes_reborn(struct caller_item *a)
{
	return kpool_flush_item(&reborn.item);
}

/*
 * The runner waits for the next run of an item, whose thread dies.  That run
 * begins in a new thread, in the memory of the dead one, and submits the item
 * behind the runner.  The wait ends before that.
 * Fails (-EDEADLK) if the waiter is taken for one of that submission: mutant
 * started-wait-taken-for-the-next.
 */
static void run_in_used_memory_closes_no_cycle(void)
{
	struct kpool *pool = cycle_make(&roomy, flushes_reborn);

	if (!pool)
		return;
	kt_gate_init(&first_life);
	kt_gate_init(&second_life);
	kpool_init_job(&reborn, is_reborn);
	KT_EXPECT_EQ(kpool_submit(pool, &reborn.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&first_life.started) == 1));
	KT_EXPECT_EQ(kpool_submit(pool, &reborn.item), 0);
	if (caller_start(runner))
		caller_sleeps(runner);
	kt_gate_open(&first_life);
	KT_EXPECT(kt_wait(atomic_read(&second_life.started) == 1));
	kt_gate_open(&second_life);
	caller_expect(runner, 0);
	kt_gate_open(&runner->probe.own);
	cycle_end(pool);
}

static struct kpool *next;

static int hands_over_and_flushes_flusher(struct kpool_item *item)
{
	if (kpool_current() != next)
		return kpool_submit(next, item);
	WRITE_ONCE(called_got, kpool_flush_item(&flusher->probe.job.item));
	return 0;
}

/*
 * The flusher waits for the late job while that is handed over by another pool:
 * before it is accepted.  Then the job waits for the flusher.
 * Fails (lasts) if the flusher seems to wait for an earlier run: mutant
 * handover-is-not-awaited.
 */
static void handed_over_job_closes_a_cycle(void)
{
	static const struct kpool_attrs attrs = { .capacity = 3 };
	struct kpool *own = kt_pool("own", &queued_one);

	next = cycle_make(&attrs, flushes_flusher);
	if (!own || !next)
		goto out;
	called_got = 1;
	probe_init(late, hands_over_and_flushes_flusher, 0);
	if (!KT_EXPECT(load_runs(next, &bystander)) ||
	    !KT_EXPECT(load_runs(next, &filler)) || !caller_start(flusher) ||
	    !KT_EXPECT(kt_wait(atomic_read(&flusher_cue.started))) ||
	    !KT_EXPECT_EQ(kpool_submit(own, &late->job.item), 0) ||
	    !KT_EXPECT(kt_wait(kt_stat(next, blocked) == 1)))
		goto out;
	cycle_cue(&flusher_cue);
	caller_sleeps(flusher);
	load_end(&filler);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(called_got) != 1));
	/* so that a failure does not hang */
	kt_gate_open(&bystander.gate);
	KT_EXPECT_EQ(called_got, -EDEADLK);
	caller_expect(flusher, 0);
out:
	kt_gate_open(&flusher_cue);
	kt_gate_open(&filler.gate);
	cycle_end(next);
	kt_pool_end(own);
}

static int hands_over_behind_the_runner(struct kpool_item *item)
{
	if (kpool_current() == next)
		return probe_fn(item);
	KT_EXPECT_EQ(kpool_set_stream(&late->job, &stream), 0);
	return kpool_submit(next, item);
}

/*
 * As before, but the job is queued behind the runner, which waits for the
 * flusher.
 * Fails (lasts) if the flusher seems to wait for a run, which the job does not
 * have: mutant handed-wait-taken-for-a-run.
 */
static void handed_over_job_behind_the_runner_closes_a_cycle(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4, .queue_depth = 1 };
	struct kpool *own = kt_pool("own", &queued_one);

	next = cycle_make(&attrs, flushes_flusher);
	if (!own || !next)
		goto out;
	probe_init(late, hands_over_behind_the_runner, 0);
	if (!cycle_start(next) || !KT_EXPECT(load_runs(next, &filler)) ||
	    !KT_EXPECT_EQ(load_submit(next, &queued), 0) ||
	    !KT_EXPECT_EQ(kpool_submit(own, &late->job.item), 0) ||
	    !KT_EXPECT(kt_wait(kt_stat(next, blocked) == 1)))
		goto out;
	cycle_sleeps();
	caller_sleeps(runner);
	KT_EXPECT(kpool_cancel(&queued.job.item));
	load_end(&filler);
	cycle_is_broken(-EDEADLK);
out:
	kt_gate_open(&runner_cue);
	kt_gate_open(&flusher_cue);
	kt_gate_open(&filler.gate);
	kt_gate_open(&runner->probe.own);
	cycle_end(next);
	kt_pool_end(own);
}

static struct kt_gate refused_run;

/*
 * Its handover is refused.  Before the waiter that this wakes has looked, it
 * submits itself behind the runner.
 */
static int is_refused_and_submits_itself(struct kpool_item *item)
{
	if (atomic_read(&refused_run.finished))
		return probe_fn(item);
	sched_set_fifo(current);
	KT_EXPECT_EQ(kpool_submit(next, item), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_set_stream(&late->job, &stream), 0);
	KT_EXPECT_EQ(kpool_submit(kpool_current(), item), 0);
	sched_set_normal(current, 0);
	kt_gate_pass(&refused_run);
	return 0;
}

/*
 * The flusher waits for the run of the late job, which is pending again behind
 * the runner.  So the runner can wait for the flusher.
 * Fails (-EDEADLK) if the flusher seems to wait for what is pending: mutant
 * wait-for-a-run-taken-for-the-next.
 */
static void wait_for_a_refused_run_closes_no_cycle(void)
{
	static const struct kpool_attrs one = { .capacity = 1 };
	struct kpool *pool = cycle_make(&roomy, flushes_flusher);

	next = kt_pool("next", &one);
	if (!pool || !next)
		goto out;
	kt_gate_init(&refused_run);
	probe_init(late, is_refused_and_submits_itself, 0);
	if (!cycle_start(pool) || !KT_EXPECT(load_runs(next, &filler)) ||
	    !KT_EXPECT_EQ(kpool_submit(pool, &late->job.item), 0) ||
	    !KT_EXPECT(kt_wait(kt_stat(next, blocked) == 1)))
		goto out;
	cycle_cue(&flusher_cue);
	caller_sleeps(flusher);
	kpool_shutdown(next);
	KT_EXPECT(kt_wait(atomic_read(&refused_run.started)));
	caller_sleeps(flusher);
	cycle_cue(&runner_cue);
	caller_sleeps(runner);
	kt_gate_open(&refused_run);
	caller_expect(flusher, 0);
	caller_expect(runner, 0);
	kt_gate_open(&runner->probe.own);
	KT_EXPECT(kt_wait(atomic_read(&late->ran) == 1));
out:
	kt_gate_open(&runner_cue);
	kt_gate_open(&flusher_cue);
	kt_gate_open(&refused_run);
	kt_gate_open(&filler.gate);
	kt_gate_open(&runner->probe.own);
	cycle_end(pool);
	kt_pool_end(next);
}

static void dropped_waits(struct kpool_item *item, int err)
{
	kt_gate_pass(&dropping);
}

/*
 * The late job follows the runner, but will be dropped as soon as another has
 * been: it no longer waits for the runner.
 * Fails if what is about to be dropped waits for its stream.
 */
static void dropping_job_closes_no_cycle(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = cycle_make(&attrs, flushes_flusher);
	struct kt_thread aborter;

	kt_gate_init(&dropping);
	if (!pool || !cycle_start(pool))
		goto out;
	kpool_set_drop_fn(&queued.job.item, dropped_waits);
	if (!KT_EXPECT_EQ(load_submit(pool, &queued), 0) ||
	    !KT_EXPECT_EQ(kpool_submit(pool, &late->job.item), 0) ||
	    !kt_thread_start(&aborter, aborts, pool))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&dropping.started)));
	cycle_sleeps();
	caller_sleeps(runner);
	kt_gate_open(&dropping);
	caller_expect(flusher, 0);
	caller_expect(runner, 0);
	kt_gate_open(&runner->probe.own);
	KT_EXPECT_EQ(kt_thread_join(&aborter), 2);
	probes_expect_dropped(late, 1, -ECANCELED);
out:
	kt_gate_open(&dropping);
	cycle_end(pool);
}

/* Submit the running item behind the runner, and let it run on. */
static int follows_the_runner(struct kpool_item *item)
{
	KT_EXPECT_EQ(load_submit(kpool_current(), &queued), 0);
	KT_EXPECT_EQ(kpool_set_stream(&reborn, &stream), 0);
	KT_EXPECT_EQ(kpool_submit(kpool_current(), item), 0);
	kt_gate_pass(&first_life);
	return 0;
}

static int flushes_reborn_on_cue(struct caller_item *a)
{
	kt_gate_pass(&runner_cue);
	return kpool_flush_item(&reborn.item);
}

/*
 * The job runs, is pending again behind the runner, and will be dropped as soon
 * as another has been.  The runner waits for the run of the job, not for its
 * own end.
 * Fails (-EDEADLK) if the job seems to wait for its stream: mutant
 * dropped-waits-for-its-stream.
 */
static void dropping_job_that_runs_closes_no_cycle(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = cycle_make(&attrs, flushes_reborn_on_cue);
	struct kt_thread aborter = { };

	if (!pool)
		return;
	kt_gate_init(&first_life);
	kt_gate_init(&dropping);
	kpool_init_job(&reborn, follows_the_runner);
	kpool_set_drop_fn(&queued.job.item, dropped_waits);
	if (!caller_start(runner) ||
	    !KT_EXPECT(kt_wait(atomic_read(&runner_cue.started))) ||
	    !KT_EXPECT_EQ(kpool_submit(pool, &reborn.item), 0) ||
	    !KT_EXPECT(kt_wait(atomic_read(&first_life.started))) ||
	    !kt_thread_start(&aborter, aborts, pool) ||
	    !KT_EXPECT(kt_wait(atomic_read(&dropping.started))))
		goto out;
	cycle_cue(&runner_cue);
	caller_sleeps(runner);
out:
	kt_gate_open(&runner_cue);
	kt_gate_open(&first_life);
	kt_gate_open(&dropping);
	caller_expect(runner, 0);
	kt_gate_open(&runner->probe.own);
	/* abort does not count a job that still runs */
	if (aborter.task)
		KT_EXPECT_GE(kt_thread_join(&aborter), 1);
	cycle_end(pool);
}

static struct kpool_group child;

static int cancels_and_flushes_late(struct caller_item *a)
{
	kt_gate_pass(&runner_cue);
	kpool_group_cancel(&group);
	return kpool_flush_item(&late->job.item);
}

/*
 * The late job is the last of many in a group whose parent the runner cancels.
 * It is still queued when the runner waits for it.
 * Fails if only its own group is looked at: mutant
 * job-of-a-cancelled-parent-waits-for-its-stream.
 */
static void job_of_a_cancelled_parent_closes_no_cycle(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = cycle_make(&attrs, cancels_and_flushes_late);
	int i;

	if (!pool || !KT_EXPECT(load_runs(pool, &bystander)) ||
	    !caller_start(runner))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&runner_cue.started)));
	KT_EXPECT_EQ(kpool_init_group(&child, pool, &group, 0), 0);
	for (i = 0; i < ARRAY_SIZE(p); i++)
		kpool_set_group(&p[i].job, &child);
	probes_submit(pool, &p[1], ARRAY_SIZE(p) - 1);
	probes_submit(pool, late, 1);
	kt_gate_open(&runner_cue);
	caller_expect(runner, 0);
	probes_expect_dropped(late, 1, -ECANCELED);
	kt_gate_open(&runner->probe.own);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
out:
	kt_gate_open(&runner_cue);
	kt_gate_open(&runner->probe.own);
	cycle_end(pool);
}

static int completes_nothing(struct kpool_item *item)
{
	return 0;
}

static struct task_struct *drop_thread;

static void dropped_flushes_late(struct kpool_item *item, int err)
{
	kt_gate_pass(&dropping);
	WRITE_ONCE(drop_thread, current);
	WRITE_ONCE(called_got, kpool_flush_item(&late->job.item));
}

/* The drop function of the group's job is called, while another item runs. */
static struct kpool *drop_start(bool delayed)
{
	struct kpool *pool = group_make(&queued_one, 2, 0);

	if (!pool)
		return NULL;
	called_got = 1;
	drop_thread = NULL;
	kt_gate_init(&dropping);
	load_init(&bystander, 0);
	kpool_set_drop_fn(&p[1].job.item, dropped_flushes_late);
	KT_EXPECT(load_runs(pool, &bystander));
	if (delayed)
		KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[1].job, 1000 * HZ), 0);
	else
		KT_EXPECT_EQ(kpool_submit(pool, &p[1].job.item), 0);
	return pool;
}

static void drop_is_refused(struct kpool *pool, int err)
{
	KT_EXPECT(kt_wait_prompt(READ_ONCE(called_got) != 1));
	KT_EXPECT_EQ(READ_ONCE(called_got), -EDEADLK);
	/* so that a failure does not hang */
	load_end(&bystander);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_dropped(late, 1, err);
}

static const char *const drops[] = { "group_cancel", "abort", "shutdown", NULL };

enum { GROUP_CANCEL, ABORT, SHUTDOWN };

/*
 * A drop function waits for the job that is dropped after it, by the same
 * thread.
 * Fails (lasts) if drops do not wait for each other: mutants
 * drops-seem-independent, drops-of-a-closed-pool-seem-independent.
 */
static void drop_function_that_flushes_the_next_is_refused(int how)
{
	struct kpool *pool = drop_start(how == SHUTDOWN);
	struct kt_thread aborter = { };

	if (!pool)
		return;
	if (how == SHUTDOWN)
		KT_EXPECT_EQ(kpool_submit_delayed(pool, &late->job, 2000 * HZ), 0);
	else
		KT_EXPECT_EQ(kpool_submit(pool, &late->job.item), 0);
	if (how == GROUP_CANCEL)
		kpool_group_cancel(&group);
	else if (how == ABORT)
		kt_thread_start(&aborter, aborts, pool);
	else
		kpool_shutdown(pool);
	kt_gate_open(&dropping);
	drop_is_refused(pool, how == SHUTDOWN ? -ESHUTDOWN : -ECANCELED);
	if (aborter.task)
		KT_EXPECT_EQ(kt_thread_join(&aborter), 2);
	kt_pool_end(pool);
}

static const char *const later_drops[] = { "group_cancel", "shutdown", NULL };

/*
 * The drop function waits for a pending job, and that is cancelled then, or the
 * pool is closed.
 * Fails (lasts) if drops are compared only when a wait begins: mutants
 * cycle-of-drops-not-seen, close-closes-no-cycle.
 */
static void drop_function_whose_job_is_dropped_is_refused(int closes)
{
	struct kpool *pool = drop_start(false);
	struct kpool_group other_group;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&other_group, pool, NULL, 0), 0);
	kpool_set_group(&late->job, &other_group);
	if (closes)
		KT_EXPECT_EQ(kpool_submit_delayed(pool, &late->job, 2000 * HZ), 0);
	else
		KT_EXPECT_EQ(kpool_submit(pool, &late->job.item), 0);
	kpool_group_cancel(&group);
	kt_gate_open(&dropping);
	KT_EXPECT(kt_wait(READ_ONCE(drop_thread) && !task_is_running(drop_thread)));
	KT_EXPECT_EQ(READ_ONCE(called_got), 1);
	if (closes)
		kpool_shutdown(pool);
	else
		kpool_group_cancel(&other_group);
	drop_is_refused(pool, closes ? -ESHUTDOWN : -ECANCELED);
	kt_pool_end(pool);
}

/*
 * The drop function, in an aborter, waits for an item that runs and is pending
 * again.  When that run ends, the item is left to the aborter.
 * Fails (lasts) if only the drop work is looked at then: mutant
 * cycle-of-an-aborter-not-seen.
 */
static void drop_function_whose_job_is_left_to_it_is_refused(void)
{
	struct kpool *pool = group_make(&queued_two, 0, 0);
	struct kt_thread aborter = { };

	if (!pool)
		return;
	called_got = 1;
	kt_gate_init(&dropping);
	load_init(&bystander, 0);
	kpool_set_drop_fn(&p[1].job.item, dropped_flushes_late);
	probes_hold(late, 1);
	KT_EXPECT(load_runs(pool, &bystander));
	KT_EXPECT(probes_submit(pool, late, 1) && probe_runs(late));
	probes_submit(pool, &p[1], 1);
	probes_submit(pool, late, 1);
	if (!kt_thread_start(&aborter, aborts, pool))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&dropping.started)));
	kt_gate_open(&dropping);
	KT_EXPECT(kt_thread_asleep(&aborter));
	KT_EXPECT_EQ(READ_ONCE(called_got), 1);
	probes_open(late, 1);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(called_got) != 1));
	KT_EXPECT_EQ(READ_ONCE(called_got), -EDEADLK);
out:
	/* so that a failure does not hang */
	load_end(&bystander);
	if (aborter.task)
		KT_EXPECT_EQ(kt_thread_join(&aborter), 2);
	KT_EXPECT_EQ(atomic_read(&late->ran), 1);
	KT_EXPECT_EQ(late->err, -ECANCELED);
	kt_pool_end(pool);
}

/* The dropped job is pending again, behind this run. */
static void drop_submits_late_again(struct kpool_item *item, int err)
{
	dropped_submits_again(item, err);
	kt_gate_pass(&resubmitted);
}

static void drop_submits_again_and_flushes(struct kpool_item *item, int err)
{
	drop_submits_late_again(item, err);
	WRITE_ONCE(called_got, kpool_flush_item(&flusher->probe.job.item));
}

/* The late job is in its drop function, and another item runs. */
static bool late_is_dropped(struct kpool *pool, kpool_drop_fn fn)
{
	called_got = 1;
	kt_gate_init(&dropping);
	kt_gate_init(&resubmitted);
	kpool_set_drop_fn(&late->job.item, fn);
	kpool_set_deadline(&late->job, the_past());
	return KT_EXPECT(load_runs(pool, &bystander)) &&
	       KT_EXPECT_EQ(kpool_submit(pool, &late->job.item), 0) &&
	       KT_EXPECT(kt_wait(atomic_read(&dropping.started)));
}

/*
 * The dropped job is pending again behind the runner, and behind the drop
 * function, which waits for the flusher, and that for the job.  When the runner
 * ends, the job still waits for the drop function.
 * Fails (lasts) if that is looked at neither then nor whenever drop functions
 * run.
 */
static void runner_that_ends_closes_a_cycle(void)
{
	struct kpool *pool = cycle_make(&roomy, does_no_more);

	if (!pool)
		return;
	if (!late_is_dropped(pool, drop_submits_again_and_flushes) ||
	    !caller_start(runner) || !probe_runs(&runner->probe) ||
	    !caller_start(flusher))
		goto out;
	cycle_cue(&dropping);
	KT_EXPECT(kt_wait(atomic_read(&resubmitted.started)));
	cycle_cue(&flusher_cue);
	caller_sleeps(flusher);
	cycle_cue(&resubmitted);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(READ_ONCE(called_got), 1);
	kt_gate_open(&runner->probe.own);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(called_got) != 1));
	KT_EXPECT_EQ(READ_ONCE(called_got), -EDEADLK);
	/* so that a failure does not hang */
	kt_gate_open(&bystander.gate);
	caller_expect(flusher, 0);
	KT_EXPECT(probe_ran(late));
out:
	kt_gate_open(&dropping);
	kt_gate_open(&resubmitted);
	kt_gate_open(&runner->probe.own);
	cycle_end(pool);
}

static int flushes_late_on_its_cue(struct caller_item *a)
{
	kt_gate_pass(&runner_cue);
	return kpool_flush_item(&late->job.item);
}

/*
 * The dropped job is pending again behind its drop function, and the first of
 * its ordered stream waits for it.  When the function returns, the job waits
 * for nothing but its turn.
 * Fails (lasts) if turns are not looked at then: mutant
 * cycle-by-a-drop-function-that-returns.
 */
static void drop_function_that_returns_closes_a_cycle(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 2 };
	struct kpool *pool = cycle_make(&attrs, flushes_late_on_its_cue);

	if (!pool)
		return;
	kpool_init_ordered_stream(&stream, pool);
	kpool_set_complete_fn(&runner->probe.job, completes_nothing);
	kpool_set_complete_fn(&late->job, completes_nothing);
	if (!late_is_dropped(pool, drop_submits_late_again) ||
	    !caller_start(runner) ||
	    !KT_EXPECT(kt_wait(atomic_read(&runner_cue.started))))
		goto out;
	cycle_cue(&dropping);
	KT_EXPECT(kt_wait(atomic_read(&resubmitted.started)));
	cycle_cue(&runner_cue);
	caller_sleeps(runner);
	kt_gate_open(&resubmitted);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(runner->returned)));
	/* so that a failure does not hang */
	kt_gate_open(&bystander.gate);
	caller_expect(runner, -EDEADLK);
out:
	kt_gate_open(&dropping);
	kt_gate_open(&resubmitted);
	kt_gate_open(&runner->probe.own);
	cycle_end(pool);
}

static void dropped_cancels_and_flushes(struct kpool_item *item, int err)
{
	kpool_group_cancel(&group);
	WRITE_ONCE(called_got, kpool_flush_item(&late->job.item));
}

static void dropped_flushes_at_once(struct kpool_item *item, int err)
{
	WRITE_ONCE(called_got, kpool_flush_item(&late->job.item));
}

/*
 * Two threads abort a pool.  The drop function in one waits for a job that the
 * other can drop.
 * Fails (-EDEADLK) if the one alone seems to drop it: mutant
 * aborter-drops-for-all.
 */
static void drop_function_may_flush_what_another_aborter_drops(void)
{
	struct kpool *pool = group_make(&queued_one, 0, 0);
	struct kt_thread aborter[2] = { };

	if (!pool)
		return;
	called_got = 1;
	kt_gate_init(&dropping);
	load_init(&bystander, 0);
	kpool_set_drop_fn(&p[1].job.item, dropped_waits);
	kpool_set_drop_fn(&p[2].job.item, dropped_flushes_at_once);
	KT_EXPECT(load_runs(pool, &bystander));
	probes_submit(pool, &p[1], 2);
	probes_submit(pool, late, 1);
	kt_thread_start(&aborter[0], aborts, pool);
	KT_EXPECT(kt_wait(atomic_read(&dropping.started)));
	kt_thread_start(&aborter[1], aborts, pool);
	KT_EXPECT(kt_thread_asleep(&aborter[1]));
	kt_gate_open(&dropping);
	KT_EXPECT_EQ(kt_thread_join(&aborter[1]), 1);
	KT_EXPECT_EQ(kt_thread_join(&aborter[0]), 2);
	KT_EXPECT_EQ(called_got, 0);
	load_end(&bystander);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_dropped(late, 1, -ECANCELED);
	kt_pool_end(pool);
}

/*
 * A drop function in an aborter cancels a group, and waits for one of many
 * jobs, which is left to the drop work.
 * Fails (-EDEADLK) if the aborter alone seems to drop it: mutant
 * aborter-drops-the-swept.
 */
static void drop_function_may_flush_what_it_cancels(void)
{
	struct kpool *pool = group_make(&queued_one, ARRAY_SIZE(p), 0);
	struct kt_thread aborter = { };

	if (!pool)
		return;
	called_got = 1;
	load_init(&bystander, 0);
	kpool_set_group(&p[1].job, NULL);
	kpool_set_drop_fn(&p[1].job.item, dropped_cancels_and_flushes);
	KT_EXPECT(load_runs(pool, &bystander));
	probes_submit(pool, &p[1], ARRAY_SIZE(p) - 1);
	probes_submit(pool, late, 1);
	kt_thread_start(&aborter, aborts, pool);
	KT_EXPECT(kt_wait(READ_ONCE(called_got) != 1));
	KT_EXPECT_EQ(READ_ONCE(called_got), 0);
	kt_thread_join(&aborter);
	load_end(&bystander);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_dropped(late, 1, -ECANCELED);
	kt_pool_end(pool);
}

/*
 * The drop function waits for a job of a child, the last of many, before the
 * cancellation has come to its group.
 * Fails (-EDEADLK) if only its own group is looked at: mutant
 * aborter-drops-the-swept-of-a-parent.
 */
static void drop_function_may_flush_what_it_cancels_in_a_child(void)
{
	struct kpool *pool = group_make(&queued_one, 0, 0);
	static struct kpool_group child[11];
	struct kt_thread aborter = { };
	int i;

	if (!pool)
		return;
	called_got = 1;
	load_init(&bystander, 0);
	for (i = 0; i < ARRAY_SIZE(child); i++) {
		KT_EXPECT_EQ(kpool_init_group(&child[i], pool, &group, 0), 0);
		kpool_set_group(i < 10 ? &p[2 + i].job : &late->job, &child[i]);
	}
	kpool_set_drop_fn(&p[1].job.item, dropped_cancels_and_flushes);
	KT_EXPECT(load_runs(pool, &bystander));
	probes_submit(pool, &p[1], 11);
	probes_submit(pool, late, 1);
	kt_thread_start(&aborter, aborts, pool);
	KT_EXPECT(kt_wait(READ_ONCE(called_got) != 1));
	KT_EXPECT_EQ(READ_ONCE(called_got), 0);
	kt_thread_join(&aborter);
	load_end(&bystander);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_dropped(late, 1, -ECANCELED);
	kt_pool_end(pool);
}

/*
 * The first job that an aborter drops cancels its group.  The drop function of
 * the next one waits for another.
 * Fails (hangs) if the jobs of a cancelled group are all taken for left to the
 * drop work: mutant aborter-leaves-the-cancelled.
 */
static void drop_function_cannot_flush_what_its_group_cancels(void)
{
	struct kpool *pool = group_make(&queued_one, 3, KPOOL_GROUP_FAIL_FAST);
	struct kt_thread aborter = { };

	if (!pool)
		return;
	called_got = 1;
	load_init(&bystander, 0);
	kpool_set_drop_fn(&p[2].job.item, dropped_flushes_at_once);
	KT_EXPECT(load_runs(pool, &bystander));
	probes_submit(pool, &p[1], 2);
	probes_submit(pool, late, 1);
	kt_thread_start(&aborter, aborts, pool);
	KT_EXPECT(kt_wait(READ_ONCE(called_got) != 1));
	KT_EXPECT_EQ(READ_ONCE(called_got), -EDEADLK);
	load_end(&bystander);
	KT_EXPECT_EQ(kt_thread_join(&aborter), 3);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_dropped(late, 1, -ECANCELED);
	kt_pool_end(pool);
}

/* As cycle_make(), with an ordered stream and a late job that is held. */
static struct kpool *cycle_make_ordered(void)
{
	struct kpool *pool = cycle_make(&roomy, flushes_flusher);

	if (!pool)
		return NULL;
	kpool_init_ordered_stream(&stream, pool);
	kpool_set_complete_fn(&runner->probe.job, completes_nothing);
	kpool_set_complete_fn(&late->job, completes_nothing);
	probes_hold(late, 1);
	return pool;
}

static void ordered_cycle_is_broken(void)
{
	KT_EXPECT(kt_wait_prompt(READ_ONCE(runner->returned)));
	KT_EXPECT(!READ_ONCE(flusher->returned));
	/* so that a failure does not hang */
	kt_gate_open(&bystander.gate);
	kt_gate_open(&runner->probe.own);
	caller_expect(runner, -EDEADLK);
}

/*
 * The first job of an ordered stream waits for the flusher, and that for a
 * later job, whose function returns last.
 * Fails (lasts) if turns are compared only when a wait begins: mutant
 * cycle-by-a-finished-function.
 */
static void function_that_returns_closes_a_cycle(void)
{
	struct kpool *pool = cycle_make_ordered();

	if (!pool)
		return;
	if (cycle_start(pool) && probes_submit(pool, late, 1) && probe_runs(late)) {
		cycle_cue(&runner_cue);
		caller_sleeps(runner);
		cycle_cue(&flusher_cue);
		caller_sleeps(flusher);
		probes_open(late, 1);
		ordered_cycle_is_broken();
		caller_expect(flusher, 0);
	}
	cycle_end(pool);
}

/*
 * The later job comes due, and so joins the ordered stream, last.
 * Fails (lasts until its function returns) if its turn is not looked at then:
 * mutant cycle-by-a-new-turn.
 */
static void due_job_of_an_ordered_stream_closes_a_cycle(void)
{
	struct kpool *pool = cycle_make_ordered();

	if (!pool)
		return;
	if (cycle_start(pool) &&
	    KT_EXPECT_EQ(kpool_submit_delayed(pool, &late->job, HZ / 5), 0)) {
		cycle_sleeps();
		KT_EXPECT(kt_wait(!kt_stat(pool, delayed)));
		ordered_cycle_is_broken();
		probes_open(late, 1);
		caller_expect(flusher, 0);
	}
	cycle_end(pool);
}

static int does_nothing(void *arg)
{
	return 0;
}

static void dropped_calls(struct kpool_item *item, int err)
{
	WRITE_ONCE(drop_thread, current);
	WRITE_ONCE(called_got, kpool_call(p[0].data, does_nothing, NULL, NULL));
	probe_dropped(item, err);
}

/*
 * A drop function calls its pool, and the call is evicted: it is to be dropped
 * after that function.
 * Fails (lasts) if no wait for a call is refused: mutant
 * evicted-call-not-refused.
 */
static void evicted_call_of_a_drop_function_is_refused(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = group_make(&attrs, 0, 0);

	if (!pool)
		return;
	called_got = 1;
	drop_thread = NULL;
	p[0].data = pool;
	load_init(&bystander, 0);
	kpool_set_drop_fn(&p[0].job.item, dropped_calls);
	KT_EXPECT(load_runs(pool, &bystander));
	probes_submit(pool, p, 2);
	KT_EXPECT(kt_wait(READ_ONCE(drop_thread) && !task_is_running(drop_thread)));
	KT_EXPECT_EQ(READ_ONCE(called_got), 1);
	probes_submit(pool, &p[2], 1);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(called_got) != 1));
	KT_EXPECT(READ_ONCE(called_got) < 0);
	KT_EXPECT(kt_wait_prompt(probes_dropped(p, 2) == 2));
	load_end(&bystander);
	jobs_end(pool);
	probes_expect_ran(&p[2], 1);
}

/* Longer than a chain that one hold of the lock follows. */
#define LINKS	66

static struct link {
	struct kpool_item	item;
	struct task_struct	*task;
} links[LINKS];

static int link_fn(struct kpool_item *item)
{
	struct link *link = container_of(item, struct link, item);

	WRITE_ONCE(link->task, current);
	if (link == links)
		return kt_gate_pass(&runner_cue);
	return kpool_flush_item(&link[-1].item);
}

static void dropped_flushes_the_chain(struct kpool_item *item, int err)
{
	WRITE_ONCE(drop_thread, current);
	WRITE_ONCE(called_got, kpool_flush_item(&links[LINKS - 1].item));
	probe_dropped(item, err);
}

static void links_start(struct kpool *pool)
{
	int i;

	memset(links, 0, sizeof(links));
	for (i = 0; i < LINKS; i++) {
		kpool_init_item(&links[i].item, link_fn);
		KT_EXPECT_EQ(kpool_submit(pool, &links[i].item), 0);
		KT_EXPECT(kt_wait(READ_ONCE(links[i].task) &&
				  !task_is_running(links[i].task)));
	}
}

/* The processor time of workqueues so far. */
static u64 kworkers_ns(void)
{
	struct task_struct *task;
	u64 sum = 0;

	rcu_read_lock();
	for_each_process(task)
		if (!strncmp(task->comm, "kworker/", 8))
			sum += READ_ONCE(task->se.sum_exec_runtime);
	rcu_read_unlock();
	return sum;
}

/*
 * A drop function sleeps at the end of a long chain of waits, and an item comes
 * and ends.
 * Fails (a processor is busy, simulated time stands still) if the chain is
 * taken for work that is left, again and again: mutant recheck-repeats-itself.
 */
static void long_chain_is_followed_once(void)
{
	static const struct kpool_attrs attrs = { .capacity = LINKS + 2, .queue_depth = 8 };
	struct kpool *pool = group_make(&attrs, 2, 0);
	u64 before;

	if (!pool)
		return;
	called_got = 1;
	drop_thread = NULL;
	kt_gate_init(&runner_cue);
	links_start(pool);
	kpool_set_drop_fn(&p[0].job.item, dropped_flushes_the_chain);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 2);
	kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(READ_ONCE(drop_thread) && !task_is_running(drop_thread)));
	kpool_resume(pool);
	probes_submit(pool, &p[2], 1);
	KT_EXPECT_EQ(kpool_flush_item(&p[2].job.item), 0);
	before = kworkers_ns();
	msleep(1000);
	/* a kworker that has gone takes its time along */
	KT_EXPECT((s64)(kworkers_ns() - before) < 500 * NSEC_PER_MSEC);
	KT_EXPECT_EQ(READ_ONCE(called_got), 1);
	kt_gate_open(&runner_cue);
	KT_EXPECT(kt_wait(READ_ONCE(called_got) != 1));
	KT_EXPECT_EQ(called_got, 0);
	jobs_end(pool);
}

static int calls_for_a_while(struct caller_item *a)
{
	return kpool_call_timeout(a->pool, flushes_flusher_when_called, NULL,
				  NULL, msecs_to_jiffies(200), NULL);
}

/*
 * The flusher calls, for a while, what waits for the flusher.  There was no
 * room at first, so what is called begins before its caller knows.
 * Fails if a wait that ends by itself is taken for the last link of a cycle:
 * mutant timed-wait-closes-a-cycle.
 */
static void timed_call_closes_no_cycle(void)
{
	static const struct kpool_attrs attrs = { .capacity = 3 };
	struct kpool *pool;
	int round, called = 0;

	for (round = 0; round < 10; round++) {
		pool = cycle_make(&attrs, flushes_flusher);
		if (!pool)
			return;
		flusher->call = calls_for_a_while;
		flusher->probe.gate = NULL;
		called_got = 1;
		KT_EXPECT(load_runs(pool, &bystander));
		KT_EXPECT(load_runs(pool, &filler));
		if (caller_start(flusher)) {
			KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 1 ||
					  READ_ONCE(flusher->returned)));
			KT_EXPECT(!kt_exact || !READ_ONCE(flusher->returned));
			load_end(&filler);
			caller_expect(flusher, -ETIMEDOUT);
			KT_EXPECT_EQ(kpool_flush_item(&flusher->probe.job.item), 0);
		}
		kt_gate_open(&filler.gate);
		cycle_end(pool);
		KT_EXPECT(called_got != -EDEADLK);
		called += !called_got;
	}
	/* on a machine that stands still the time can be over before */
	KT_EXPECT(called);
}

#define CROWD	60

static struct kpool_stream *short_lived;

static int flushes_late_at_once(struct caller_item *a)
{
	return kpool_flush_item(&late->job.item);
}

static int flushes_flusher_on_cue_at_once(struct caller_item *a)
{
	kt_gate_pass(&runner_cue);
	return kpool_flush_item(&flusher->probe.job.item);
}

/* The first of many that are admitted when the late job ends. */
static int frees_the_stream(void *pool)
{
	sched_set_fifo(current);
	KT_EXPECT_EQ(load_submit(pool, &queued), 0);
	KT_EXPECT_EQ(kpool_flush_item(&late->job.item), 0);
	kfree(short_lived);
	sched_set_fifo(READ_ONCE(runner->task));
	kt_gate_open(&runner_cue);
	return 0;
}

/*
 * The flusher waits for the late job, which ends; many submitters are admitted
 * before the flusher is woken.  Before that, the stream is freed, and the
 * runner waits for the flusher.
 */
static void end_job_and_free_stream(void)
{
	static const struct kpool_attrs attrs = { .capacity = CROWD + 2 };
	static struct kt_submitter s[CROWD];
	static struct kt_job jobs[CROWD];
	static struct kt_gate gate;
	struct kpool *pool = cycle_make(&attrs, flushes_flusher_on_cue_at_once);
	struct kt_thread first;
	int i;

	short_lived = kmalloc_obj(*short_lived, GFP_KERNEL);
	if (!pool || !KT_EXPECT(short_lived))
		goto out;
	kt_gate_init(&gate);
	kt_gate_open(&queued.gate);
	flusher->call = flushes_late_at_once;
	runner->probe.gate = NULL;
	kpool_set_stream(&runner->probe.job, NULL);
	kpool_init_stream(short_lived, pool);
	kpool_set_stream(&late->job, short_lived);
	KT_EXPECT_EQ(kpool_set_weight(&late->job.item, CROWD), 0);
	probes_hold(late, 1);
	KT_EXPECT(probes_submit(pool, late, 1) && probe_runs(late));
	if (!caller_start(runner) || !caller_start(flusher) ||
	    !KT_EXPECT(kt_wait(atomic_read(&runner_cue.started))))
		goto out;
	caller_sleeps(flusher);
	kt_thread_start(&first, frees_the_stream, pool);
	KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 1));
	for (i = 0; i < CROWD; i++) {
		kt_job_init(&jobs[i], kt_job_tiny, &gate, i);
		kt_submitter_block(&s[i], pool, &jobs[i].item);
	}
	probes_open(late, 1);
	for (i = 0; i < CROWD; i++)
		KT_EXPECT_EQ(kt_thread_join(&s[i].thread), 0);
	KT_EXPECT_EQ(kt_thread_join(&first), 0);
	caller_expect(flusher, 0);
	caller_expect(runner, 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_set_weight(&late->job.item, 1), 0);
	KT_EXPECT_EQ(kpool_set_stream(&late->job, NULL), 0);
out:
	kt_gate_open(&runner_cue);
	cycle_end(pool);
}

/*
 * Fails (KASAN) if the stream of the job is looked at: mutant
 * stream-of-an-ended-job.  The runner does not come in time each time.
 */
static void job_that_has_ended_needs_no_stream(void)
{
	int round;

	for (round = 0; round < 10; round++)
		end_job_and_free_stream();
}

KT_MODULE("Cycles of waits, and what looks like one",
	  KT_CASE(job_that_has_ended_needs_no_stream),
	  KT_CASE(due_job_closes_a_cycle),
	  KT_CASE(due_job_of_a_group_ends_progress),
	  KT_CASE(admitted_job_closes_a_cycle),
	  KT_CASE(caller_in_a_cycle_keeps_waiting),
	  KT_CASE(wait_for_an_earlier_run_closes_no_cycle),
	  KT_CASE(wait_for_the_next_run_closes_a_cycle),
	  KT_CASE(job_that_the_runner_runs_closes_a_cycle),
	  KT_CASE(run_in_used_memory_closes_no_cycle),
	  KT_CASE(handed_over_job_closes_a_cycle),
	  KT_CASE(handed_over_job_behind_the_runner_closes_a_cycle),
	  KT_CASE(wait_for_a_refused_run_closes_no_cycle),
	  KT_CASE(dropping_job_closes_no_cycle),
	  KT_CASE(dropping_job_that_runs_closes_no_cycle),
	  KT_CASE(job_of_a_cancelled_parent_closes_no_cycle),
	  KT_CASE(function_that_returns_closes_a_cycle),
	  KT_CASE(due_job_of_an_ordered_stream_closes_a_cycle),
	  KT_EACH(drop_function_that_flushes_the_next_is_refused, drops),
	  KT_EACH(drop_function_whose_job_is_dropped_is_refused, later_drops),
	  KT_CASE(drop_function_whose_job_is_left_to_it_is_refused),
	  KT_CASE(runner_that_ends_closes_a_cycle),
	  KT_CASE(wait_for_a_cancelled_run_closes_no_cycle),
	  KT_EACH(unblocked_job_closes_a_cycle, unblocked),
	  KT_CASE(aborted_job_that_leaves_its_stream_closes_no_cycle),
	  KT_CASE(drop_function_that_returns_closes_a_cycle),
	  KT_CASE(drop_function_may_flush_what_it_cancels),
	  KT_CASE(drop_function_may_flush_what_it_cancels_in_a_child),
	  KT_CASE(drop_function_cannot_flush_what_its_group_cancels),
	  KT_CASE(drop_function_may_flush_what_another_aborter_drops),
	  KT_CASE(evicted_call_of_a_drop_function_is_refused),
	  KT_CASE(long_chain_is_followed_once),
	  KT_CASE(timed_call_closes_no_cycle));
