// SPDX-License-Identifier: GPL-2.0-only
/* Jobs whose turn can come too late. */
#include <linux/hrtimer.h>
#include <linux/prandom.h>

#include "compat.h"
#include "job_counters.h"

#define JOBS	16

static struct timed job[JOBS];
static struct load load[2];

static const struct kpool_attrs one_unit = { .capacity = 1 };

static const struct kpool_attrs one_deep = {
	.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
};

static const struct kpool_attrs two_deep = {
	.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
};

static struct kpool *deadline_pool(const struct kpool_attrs *attrs)
{
	timed_init_all(job, JOBS);
	load_init_all(load, 2);
	kt_gate_init(&timed_dropping);
	return kt_pool("deadline", attrs);
}

static void deadline_finish(struct kpool *pool)
{
	kt_gate_open(&timed_dropping);
	load_finish(pool, load, 2, NULL, 0);
}

/* The deadline is @ms from now; what is behind us has passed. */
static void due_in(struct timed *t, s64 ms)
{
	kpool_set_deadline(&t->job, ktime_add_ms(ktime_get(), ms));
}

static void due_before_now(struct timed *t)
{
	kpool_set_deadline(&t->job, ktime_sub_ns(ktime_get(), 1));
}

static int submit(struct kpool *pool, struct timed *t)
{
	return kpool_submit(pool, &t->job.item);
}

static int flush(struct timed *t)
{
	return kpool_flush_item(&t->job.item);
}

/*
 * A job whose deadline has passed does not run; its owner is notified once,
 * with -ETIME, in process context, and it is counted.
 * Fails if the deadline is not checked, or the job ends as cancelled.
 */
static void past_deadline_drops(void)
{
	struct kpool *pool = deadline_pool(&one_unit);

	if (!pool)
		return;
	due_before_now(&job[0]);
	KT_EXPECT_EQ(submit(pool, &job[0]), 0);
	KT_EXPECT_EQ(flush(&job[0]), 0);
	KT_EXPECT(timed_was_dropped(&job[0], -ETIME));
	KT_EXPECT_EQ(kt_stat(pool, submitted), 1);
	KT_EXPECT_EQ(kt_stat(pool, completed), 0);
	KT_EXPECT_EQ(kt_stat(pool, failed), 0);
	KT_EXPECT_EQ(kt_stat(pool, dropped), 1);
	KT_EXPECT_EQ(kt_stat(pool, expired), 1);
	KT_EXPECT_EQ(kt_stat(pool, displaced), 0);
	deadline_finish(pool);
}

/*
 * A job whose deadline is far runs.
 * Fails if the comparison is the wrong way round.
 */
static void future_deadline_runs(void)
{
	struct kpool *pool = deadline_pool(&one_unit);

	if (!pool)
		return;
	due_in(&job[0], 3600 * MSEC_PER_SEC);
	kpool_set_deadline(&job[1].job, KTIME_MAX);
	KT_EXPECT_EQ(submit(pool, &job[0]), 0);
	KT_EXPECT_EQ(submit(pool, &job[1]), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT(timed_ran(&job[1]));
	KT_EXPECT_EQ(kt_stat(pool, expired), 0);
	KT_EXPECT_EQ(kt_stat(pool, dropped), 0);
	deadline_finish(pool);
}

/*
 * Without a deadline, never set or set back to 0, a job runs whenever.
 * Fails if 0 is taken for the time of the boot.
 */
static void no_deadline_is_none(void)
{
	struct kpool *pool = deadline_pool(&one_unit);

	if (!pool)
		return;
	due_before_now(&job[1]);
	kpool_set_deadline(&job[1].job, 0);
	KT_EXPECT_EQ(submit(pool, &job[0]), 0);
	KT_EXPECT_EQ(submit(pool, &job[1]), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT(timed_ran(&job[1]));
	deadline_finish(pool);
}

/*
 * A deadline is checked when the job's turn comes: one that passes while it
 * waits drops it then, and not before.
 * Fails if submit looks, or a timer does.
 */
static void deadline_is_checked_at_the_start(void)
{
	struct kpool *pool = deadline_pool(&one_deep);

	if (!pool)
		return;
	KT_EXPECT(load_runs(pool, &load[0]));
	due_in(&job[0], 20);
	due_before_now(&job[1]);
	KT_EXPECT_EQ(submit(pool, &job[0]), 0);
	KT_EXPECT_EQ(submit(pool, &job[1]), 0);
	KT_EXPECT_EQ(submit(pool, &job[2]), 0);
	kt_sleep_ms(50);
	KT_EXPECT(kpool_is_pending(&job[0].job.item));
	KT_EXPECT(kpool_is_pending(&job[1].job.item));
	KT_EXPECT_EQ(timed_drops(&job[0]) + timed_drops(&job[1]), 0);
	KT_EXPECT_EQ(kt_stat(pool, pending), 3);
	load_end(&load[0]);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(timed_was_dropped(&job[0], -ETIME));
	KT_EXPECT(timed_was_dropped(&job[1], -ETIME));
	KT_EXPECT(timed_ran(&job[2]));
	KT_EXPECT_EQ(kt_stat(pool, expired), 2);
	deadline_finish(pool);
}

/*
 * Both jobs have a deadline, and that of the second passes while the first
 * runs.
 * Fails if a start without the lock looks at deadlines of members of groups
 * only: mutant deadline-only-with-group.
 */
static void deadline_passes_while_the_job_before_runs(void)
{
	struct kpool *pool = deadline_pool(&one_deep);

	if (!pool)
		return;
	KT_EXPECT(load_runs(pool, &load[0]));
	kt_gate_init(&job[0].gate);
	due_in(&job[0], 3600 * MSEC_PER_SEC);
	due_in(&job[1], 100);
	KT_EXPECT_EQ(submit(pool, &job[0]), 0);
	KT_EXPECT_EQ(submit(pool, &job[1]), 0);
	load_end(&load[0]);
	KT_EXPECT(kt_wait(atomic_read(&job[0].gate.started)));
	kt_sleep_ms(150);
	/* until then others can have taken the lock; this allows fast starts */
	KT_EXPECT_EQ(submit(pool, &job[2]), 0);
	kt_gate_open(&job[0].gate);
	/* a flush would have it start with the lock held */
	KT_EXPECT(kt_wait(timed_drops(&job[1]) || timed_runs(&job[1])));
	KT_EXPECT(timed_was_dropped(&job[1], -ETIME));
	deadline_finish(pool);
}

/*
 * Deadlines pass in a paused pool, where no turn comes.
 * Fails if pause lets expired jobs go.
 */
static void paused_pool_drops_nothing(void)
{
	struct kpool *pool = deadline_pool(&one_deep);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	due_before_now(&job[0]);
	KT_EXPECT_EQ(submit(pool, &job[0]), 0);
	kt_sleep_ms(10);
	KT_EXPECT(kpool_is_pending(&job[0].job.item));
	KT_EXPECT_EQ(timed_drops(&job[0]), 0);
	kpool_resume(pool);
	KT_EXPECT_EQ(flush(&job[0]), 0);
	KT_EXPECT(timed_was_dropped(&job[0], -ETIME));
	deadline_finish(pool);
}

/*
 * A job that has started in time can go on past its deadline.
 * Fails if the deadline is checked again when it ends.
 */
static void run_may_outlast_the_deadline(void)
{
	struct kpool *pool = deadline_pool(&one_unit);
	int drops;
	s64 ms;

	if (!pool)
		return;
	kt_gate_init(&job[0].gate);
	/* a slow machine can need more than one attempt to start in time */
	for (ms = 50; ms < 10000 && !atomic_read(&job[0].gate.started); ms *= 2) {
		KT_EXPECT_EQ(flush(&job[0]), 0);
		drops = timed_drops(&job[0]);
		due_in(&job[0], ms);
		KT_EXPECT_EQ(submit(pool, &job[0]), 0);
		KT_EXPECT(kt_wait(atomic_read(&job[0].gate.started) ||
				  timed_drops(&job[0]) > drops));
	}
	KT_EXPECT(kt_wait(ktime_after(ktime_get(), job[0].job.deadline)));
	kt_sleep_ms(5);
	kt_gate_open(&job[0].gate);
	KT_EXPECT_EQ(flush(&job[0]), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 1);
	KT_EXPECT_EQ(kt_stat(pool, completed), 1);
	deadline_finish(pool);
}

/*
 * A submitter sleeps with a job whose deadline passes during the sleep.  The
 * job is admitted, and is dropped at its turn; the next submitter is not
 * delayed.
 * Fails if submit returns an error of its own, or the unit is lost.
 */
static void sleeping_submit_is_accepted_and_dropped(void)
{
	struct kpool *pool = deadline_pool(&one_unit);
	struct kt_submitter s[2] = { };
	int i;

	if (!pool)
		return;
	KT_EXPECT(load_runs(pool, &load[0]));
	due_before_now(&job[0]);
	for (i = 0; i < 2; i++)
		if (!kt_submitter_block(&s[i], pool, &job[i].job.item))
			goto out;
	load_end(&load[0]);
out:
	load_open_all(load, 2);
	for (i = 0; i < 2; i++)
		KT_EXPECT_EQ(kt_thread_join(&s[i].thread), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(timed_was_dropped(&job[0], -ETIME));
	KT_EXPECT(timed_ran(&job[1]));
	deadline_finish(pool);
}

/*
 * A caller that waits for the job or for the pool waits for its drop function:
 * its owner can then free it.
 * Fails if a job counts as idle as soon as it has left the queue.
 */
static void waiting_includes_the_drop_function(void)
{
	struct kpool *pool = deadline_pool(&two_deep);
	struct kt_thread t[3] = { };
	int i;

	if (!pool)
		return;
	due_before_now(&job[0]);
	kpool_set_drop_fn(&job[0].job.item, timed_dropped_gated);
	KT_EXPECT_EQ(submit(pool, &job[0]), 0);
	KT_EXPECT(kt_wait(atomic_read(&timed_dropping.started)));
	if (!timed_sleeps(&t[0], timed_flush_item, &job[0]) ||
	    !timed_sleeps(&t[1], timed_cancel_sync, &job[0]) ||
	    !timed_sleeps(&t[2], timed_flush_pool, pool))
		goto out;
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, 2), -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_reopen(pool), -EBUSY);
	for (i = 0; i < 3; i++)
		KT_EXPECT(!kt_thread_done(&t[i]));
out:
	kt_gate_open(&timed_dropping);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kt_thread_join(&t[i]), 0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	deadline_finish(pool);
}

/*
 * destroy returns after the drop function.
 * Fails if the pool is freed, or the caller's module can go, before.
 */
static void destroy_waits_for_the_drop_function(void)
{
	struct kpool *pool = deadline_pool(&one_deep);
	struct kt_thread t = { };

	if (!pool)
		return;
	due_before_now(&job[0]);
	kpool_set_drop_fn(&job[0].job.item, timed_dropped_gated);
	KT_EXPECT_EQ(submit(pool, &job[0]), 0);
	KT_EXPECT(kt_wait(atomic_read(&timed_dropping.started)));
	if (timed_sleeps(&t, timed_destroy_pool, pool))
		kt_sleep_ms(10);
	KT_EXPECT(!kt_thread_done(&t));
	kt_gate_open(&timed_dropping);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	KT_EXPECT_EQ(atomic_read(&timed_dropping.finished), 1);
}

/*
 * An item behind an expired job starts while the owner's drop function sleeps,
 * in as many workers as there are units.
 * Fails if a worker calls the drop function before it looks further.
 */
static void others_start_while_the_drop_function_sleeps(void)
{
	struct kpool *pool = deadline_pool(&one_deep);
	int i;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	for (i = 0; i < 4; i++) {
		due_before_now(&job[i]);
		kpool_set_drop_fn(&job[i].job.item, timed_dropped_gated);
		KT_EXPECT_EQ(submit(pool, &job[i]), 0);
	}
	KT_EXPECT_EQ(submit(pool, &job[4]), 0);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(timed_ran(&job[4])));
	KT_EXPECT_EQ(flush(&job[4]), 0);
	KT_EXPECT(kt_wait(atomic_read(&timed_dropping.started)));
	KT_EXPECT_EQ(atomic_read(&timed_dropping.finished), 0);
	KT_EXPECT_EQ(submit(pool, &job[5]), 0);
	KT_EXPECT_EQ(flush(&job[5]), 0);
	KT_EXPECT_EQ(kt_stat(pool, running), 0);
	kt_gate_open(&timed_dropping);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	for (i = 0; i < 4; i++)
		KT_EXPECT(timed_was_dropped(&job[i], -ETIME));
	deadline_finish(pool);
}

/*
 * A job that has expired can be submitted again, and runs if it is in time.
 * Fails if it stays marked as dropped.
 */
static void expired_job_can_be_submitted_again(void)
{
	struct kpool *pool = deadline_pool(&one_unit);
	int i;

	if (!pool)
		return;
	for (i = 1; i <= 3; i++) {
		due_before_now(&job[0]);
		KT_EXPECT_EQ(submit(pool, &job[0]), 0);
		KT_EXPECT_EQ(flush(&job[0]), 0);
		KT_EXPECT_EQ(timed_drops(&job[0]), i);
		due_in(&job[0], 3600 * MSEC_PER_SEC);
		KT_EXPECT_EQ(submit(pool, &job[0]), 0);
		KT_EXPECT_EQ(flush(&job[0]), 0);
		KT_EXPECT_EQ(timed_runs(&job[0]), i);
	}
	KT_EXPECT_EQ(kt_stat(pool, expired), 3);
	KT_EXPECT_EQ(kt_stat(pool, completed), 3);
	deadline_finish(pool);
}

static struct kpool *again_pool;

static void dropped_submits_again(struct kpool_item *item, int err)
{
	timed_dropped(item, err);
	kpool_set_deadline(kpool_job_of(item), 0);
	KT_EXPECT_EQ(kpool_submit(again_pool, item), 0);
}

/*
 * The drop function may submit the job again.
 * Fails if the job still counts as pending there, or its end is taken for that
 * of the new submission.
 */
static void drop_function_may_submit_again(void)
{
	again_pool = deadline_pool(&one_deep);
	if (!again_pool)
		return;
	due_before_now(&job[0]);
	kpool_set_drop_fn(&job[0].job.item, dropped_submits_again);
	KT_EXPECT_EQ(submit(again_pool, &job[0]), 0);
	KT_EXPECT(kt_wait(timed_runs(&job[0])));
	KT_EXPECT_EQ(kpool_flush(again_pool), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 1);
	KT_EXPECT_EQ(timed_drops(&job[0]), 1);
	KT_EXPECT_EQ(kt_stat(again_pool, submitted), 2);
	deadline_finish(again_pool);
}

static void dropped_frees(struct kpool_item *item, int err)
{
	struct timed *t = timed_of(item);

	KT_EXPECT_EQ(err, -ETIME);
	atomic_inc(&job[0].gate.dropped);
	memset(t, 0x5a, sizeof(*t));
	kfree(t);
}

/*
 * The drop function may free the job.
 * Fails (KASAN; elsewhere by the poison) if it is touched afterwards.
 */
static void drop_function_may_free_the_job(void)
{
	struct kpool *pool = deadline_pool(&two_deep);
	struct timed *t;
	int i;

	if (!pool)
		return;
	for (i = 0; i < 100; i++) {
		t = kzalloc_obj(*t, GFP_KERNEL);
		if (!KT_EXPECT(t))
			break;
		timed_init(t, i);
		kpool_set_drop_fn(&t->job.item, dropped_frees);
		due_before_now(t);
		KT_EXPECT_EQ(submit(pool, t), 0);
	}
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(timed_drops(&job[0]), i);
	deadline_finish(pool);
}

static void dropped_waits_for_itself(struct kpool_item *item, int err)
{
	KT_EXPECT_EQ(kpool_flush_item(item), -EDEADLK);
	KT_EXPECT_EQ(kpool_cancel_sync(item), -EDEADLK);
	KT_EXPECT_EQ(kpool_flush(again_pool), -EDEADLK);
	KT_EXPECT_EQ(kpool_shutdown_timeout(again_pool, HZ), -EDEADLK);
	KT_EXPECT_EQ(kpool_destroy(again_pool), -EDEADLK);
	timed_dropped(item, err);
}

/*
 * A drop function that waits for its own job, or for the pool, is refused.
 * Fails (hangs) if only items are known to be inside a pool.
 */
static void drop_function_cannot_wait_for_itself(void)
{
	again_pool = deadline_pool(&one_unit);
	if (!again_pool)
		return;
	due_before_now(&job[0]);
	kpool_set_drop_fn(&job[0].job.item, dropped_waits_for_itself);
	KT_EXPECT_EQ(submit(again_pool, &job[0]), 0);
	KT_EXPECT_EQ(flush(&job[0]), 0);
	KT_EXPECT(timed_was_dropped(&job[0], -ETIME));
	KT_EXPECT_EQ(submit(again_pool, &job[1]), 0);
	KT_EXPECT_EQ(flush(&job[1]), 0);
	KT_EXPECT(timed_ran(&job[1]));
	deadline_finish(again_pool);
}

/*
 * A job may have no drop function; it is counted all the same.
 * Fails if NULL is called, or the end is counted by that function alone.
 */
static void job_without_drop_function_expires(void)
{
	struct kpool *pool = deadline_pool(&one_unit);

	if (!pool)
		return;
	due_before_now(&job[0]);
	kpool_set_drop_fn(&job[0].job.item, NULL);
	KT_EXPECT_EQ(submit(pool, &job[0]), 0);
	KT_EXPECT_EQ(flush(&job[0]), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 0);
	KT_EXPECT_EQ(kt_stat(pool, expired), 1);
	KT_EXPECT_EQ(kt_stat(pool, dropped), 1);
	deadline_finish(pool);
}

/*
 * A caller that cancels a job gets its result: cancel counts as cancel, abort
 * as abort, though the deadline has passed.
 * Fails if leaving the queue is the turn.
 */
static void cancel_and_abort_override_the_deadline(void)
{
	struct kpool *pool = deadline_pool(&one_deep);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	due_before_now(&job[0]);
	due_before_now(&job[1]);
	KT_EXPECT_EQ(submit(pool, &job[0]), 0);
	KT_EXPECT_EQ(submit(pool, &job[1]), 0);
	KT_EXPECT(kpool_cancel(&job[0].job.item));
	KT_EXPECT_EQ(kpool_abort(pool), 1);
	KT_EXPECT_EQ(timed_drops(&job[0]), 0);
	KT_EXPECT(timed_was_dropped(&job[1], -ECANCELED));
	KT_EXPECT_EQ(kt_stat(pool, cancelled), 1);
	KT_EXPECT_EQ(kt_stat(pool, expired), 0);
	deadline_finish(pool);
}

/*
 * However many have expired, what is behind them starts, and each owner is
 * notified once.
 * Fails if one drop is all that a look at the queue makes.
 */
static void many_expired_jobs_are_dropped(void)
{
	int n = kt_count(10000), i, wrong = 0;
	struct kpool *pool = deadline_pool(&two_deep);
	struct timed *many;

	if (!pool)
		return;
	many = kvcalloc(n, sizeof(*many), GFP_KERNEL);
	if (!KT_EXPECT(many))
		goto out;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	for (i = 0; i < n; i++) {
		timed_init(&many[i], i);
		if (i % 100)
			due_before_now(&many[i]);
		KT_EXPECT_EQ(submit(pool, &many[i]), 0);
	}
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	for (i = 0; i < n; i++)
		if (!(i % 100 ? timed_was_dropped(&many[i], -ETIME) :
				timed_ran(&many[i])))
			wrong++;
	KT_EXPECT_EQ(wrong, 0);
	KT_EXPECT_EQ(kt_stat(pool, expired), n - DIV_ROUND_UP(n, 100));
out:
	deadline_finish(pool);
	kvfree(many);
}

/*
 * A heavy job that has expired when its turn comes lets those start that it
 * held back.
 * Fails if a drop does not look at the next queued item.
 */
static void expired_heavy_job_blocks_no_other(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = deadline_pool(&attrs);
	int i;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&load[0].job.item, 2), 0);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(kpool_set_weight(&job[0].job.item, 4), 0);
	KT_EXPECT_EQ(kpool_set_priority(&job[0].job.item, KPOOL_PRIO_HIGH), 0);
	due_before_now(&job[0]);
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(submit(pool, &job[i]), 0);
	load_end(&load[0]);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(timed_was_dropped(&job[0], -ETIME));
	for (i = 1; i < 4; i++)
		KT_EXPECT(timed_ran(&job[i]));
	KT_EXPECT_EQ(kt_stat(pool, units), 0);
	deadline_finish(pool);
}

/*
 * Plain items have no deadline, even if a time lies behind them in memory.
 * Fails (KASAN; elsewhere by the poison) if the engine looks there.
 */
static void plain_item_has_no_deadline(void)
{
	struct kpool *pool = deadline_pool(&one_unit);
	struct kt_job *plain = kmalloc(2 * sizeof(*plain), GFP_KERNEL);

	if (!pool || !KT_EXPECT(plain))
		goto out;
	memset(plain, 0x01, 2 * sizeof(*plain));
	kt_job_init(plain, kt_job_tiny, &job[0].gate, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &plain->item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&plain->item), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 1);
	KT_EXPECT_EQ(kt_stat(pool, expired), 0);
out:
	deadline_finish(pool);
	kfree(plain);
}

static int comes_again(struct kpool_item *item)
{
	due_before_now(timed_of(item));
	KT_EXPECT_EQ(kpool_submit(again_pool, item), 0);
	return timed_fn(item);
}

/*
 * A job that submits itself again has its deadline looked at anew.
 * Fails if only the first submission has one.
 */
static void self_submission_has_its_own_deadline(void)
{
	again_pool = deadline_pool(&one_deep);
	if (!again_pool)
		return;
	job[0].job.item.fn = comes_again;
	due_in(&job[0], 3600 * MSEC_PER_SEC);
	KT_EXPECT_EQ(submit(again_pool, &job[0]), 0);
	KT_EXPECT(kt_wait(timed_drops(&job[0])));
	KT_EXPECT_EQ(kpool_flush(again_pool), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 1);
	KT_EXPECT_EQ(timed_drops(&job[0]), 1);
	KT_EXPECT_EQ(kt_stat(again_pool, expired), 1);
	deadline_finish(again_pool);
}

static void sleep_until(ktime_t when)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&when, HRTIMER_MODE_ABS);
}

/* A job's turn comes @us after its deadline: is it dropped? */
static void turn_comes_after(s64 us, bool dropped)
{
	struct kpool *pool = deadline_pool(&one_deep);
	ktime_t deadline = ktime_add_ms(ktime_get(), 1234);

	if (!pool)
		return;
	KT_EXPECT(load_runs(pool, &load[0]));
	kpool_set_deadline(&job[0].job, deadline);
	KT_EXPECT_EQ(submit(pool, &job[0]), 0);
	sleep_until(ktime_add_us(deadline, us));
	load_end(&load[0]);
	KT_EXPECT_EQ(flush(&job[0]), 0);
	if (dropped)
		KT_EXPECT(timed_was_dropped(&job[0], -ETIME));
	else
		KT_EXPECT(timed_ran(&job[0]));
	deadline_finish(pool);
}

/*
 * The deadline is a time, not a tick: a job whose turn comes just before
 * runs, one whose turn comes just after is dropped.
 * Fails if it is checked in jiffies, or against another clock.
 */
static void deadline_is_exact(void)
{
	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	turn_comes_after(-50, false);
	turn_comes_after(50, true);
	turn_comes_after(-1000, false);
	turn_comes_after(1000, true);
}

/*
 * The result of an item that waits for a job of its own pool, and the thread
 * that runs it.
 */
static struct kpool *late_pool;
static struct task_struct *waits_for_late;
static int late_got;

static int submits_late_and_waits(struct kpool_item *item)
{
	KT_EXPECT_EQ(kpool_pause(late_pool), 0);
	due_before_now(&job[1]);
	KT_EXPECT_EQ(submit(late_pool, &job[1]), 0);
	WRITE_ONCE(waits_for_late, current);
	late_got = flush(&job[1]);
	return 0;
}

/*
 * An item can wait for a job of its pool that is too late: its owner will be
 * notified.
 * Fails if what is left to be dropped is taken for what never ends.
 */
static void item_may_wait_for_an_expired_job(void)
{
	struct kpool *pool = deadline_pool(&two_deep);

	if (!pool)
		return;
	late_pool = pool;
	waits_for_late = NULL;
	late_got = 1;
	job[0].job.item.fn = submits_late_and_waits;
	KT_EXPECT_EQ(submit(pool, &job[0]), 0);
	KT_EXPECT(kt_wait(READ_ONCE(waits_for_late) &&
			  !task_is_running(waits_for_late)));
	kpool_resume(pool);
	KT_EXPECT_EQ(flush(&job[0]), 0);
	KT_EXPECT_EQ(late_got, 0);
	KT_EXPECT(timed_was_dropped(&job[1], -ETIME));
	deadline_finish(pool);
}

/* Threads that submit jobs whose deadlines are now or soon */

#define RUSHERS	4

static struct rusher {
	struct timed	t;
	int		loops;
	int		accepted;
} rusher[RUSHERS];

static int rusher_main(void *arg)
{
	struct rusher *r = arg;
	struct rnd_state rnd;
	u32 ns;
	int i;

	prandom_seed_state(&rnd, r - rusher);
	for (i = 0; i < r->loops; i++) {
		ns = prandom_u32_state(&rnd) % 50000;
		kpool_set_deadline(&r->t.job, ktime_add_ns(ktime_get(), ns));
		if (!submit(again_pool, &r->t))
			r->accepted++;
		if (!KT_EXPECT_EQ(flush(&r->t), 0))
			return -EIO;
	}
	return 0;
}

/*
 * Whenever the deadline passes, an accepted job runs once or is dropped once.
 * Fails if a start and a drop can both happen, or neither.
 */
static void close_deadline_ends_exactly_once(void)
{
	struct kt_thread t[RUSHERS] = { };
	int i, runs = 0, drops = 0, accepted = 0;

	again_pool = deadline_pool(&one_unit);
	if (!again_pool)
		return;
	memset(rusher, 0, sizeof(rusher));
	for (i = 0; i < RUSHERS; i++) {
		timed_init(&rusher[i].t, i);
		rusher[i].loops = kt_count(2000);
		kt_thread_start(&t[i], rusher_main, &rusher[i]);
	}
	for (i = 0; i < RUSHERS; i++) {
		KT_EXPECT_EQ(kt_thread_join(&t[i]), 0);
		runs += timed_runs(&rusher[i].t);
		drops += timed_drops(&rusher[i].t);
		accepted += rusher[i].accepted;
	}
	KT_EXPECT_EQ(accepted, RUSHERS * kt_count(2000));
	KT_EXPECT_EQ(runs + drops, accepted);
	KT_EXPECT_EQ(kt_stat(again_pool, expired), drops);
	KT_EXPECT_EQ(kt_stat(again_pool, completed), runs);
	deadline_finish(again_pool);
}

KT_MODULE("kpool selftest: deadlines",
	  KT_CASE(past_deadline_drops),
	  KT_CASE(future_deadline_runs),
	  KT_CASE(no_deadline_is_none),
	  KT_CASE(deadline_is_checked_at_the_start),
	  KT_CASE(deadline_passes_while_the_job_before_runs),
	  KT_CASE(paused_pool_drops_nothing),
	  KT_CASE(run_may_outlast_the_deadline),
	  KT_CASE(sleeping_submit_is_accepted_and_dropped),
	  KT_CASE(waiting_includes_the_drop_function),
	  KT_CASE(destroy_waits_for_the_drop_function),
	  KT_CASE(others_start_while_the_drop_function_sleeps),
	  KT_CASE(expired_job_can_be_submitted_again),
	  KT_CASE(drop_function_may_submit_again),
	  KT_CASE(drop_function_may_free_the_job),
	  KT_CASE(drop_function_cannot_wait_for_itself),
	  KT_CASE(job_without_drop_function_expires),
	  KT_CASE(cancel_and_abort_override_the_deadline),
	  KT_CASE(many_expired_jobs_are_dropped),
	  KT_CASE(expired_heavy_job_blocks_no_other),
	  KT_CASE(plain_item_has_no_deadline),
	  KT_CASE(self_submission_has_its_own_deadline),
	  KT_CASE(item_may_wait_for_an_expired_job),
	  KT_CASE(deadline_is_exact),
	  KT_CASE(close_deadline_ends_exactly_once));
