// SPDX-License-Identifier: GPL-2.0-only
/*
 * Submit when there is no room: wait, run the item itself, or give up the
 * oldest queued item.
 */
#include <linux/sched/mm.h>

#include "hardirq.h"
#include "job_counters.h"

#define JOBS	16

static struct timed job[JOBS];
static struct task_struct *ran_by[JOBS];
static struct load load[2];
static struct kpool *overflow_pool;

static int noted(struct kpool_item *item)
{
	ran_by[timed_of(item)->nr] = current;
	return timed_fn(item);
}

/* A pool of one unit. */
static bool overflow_make(int when_full, int depth)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = when_full,
		.queue_depth = depth ? depth : KPOOL_NONE,
	};
	int i;

	timed_init_all(job, JOBS);
	for (i = 0; i < JOBS; i++)
		job[i].job.item.fn = noted;
	memset(ran_by, 0, sizeof(ran_by));
	load_init_all(load, 2);
	kt_gate_init(&timed_dropping);
	overflow_pool = kt_pool("overflow", &attrs);
	return overflow_pool;
}

/* Make the pool, with its unit taken. */
static bool overflow_full(int when_full, int depth)
{
	return overflow_make(when_full, depth) &&
	       KT_EXPECT(load_runs(overflow_pool, &load[0]));
}

static void overflow_finish(struct kt_submitter *s, int n)
{
	int i;

	kt_gate_open(&timed_dropping);
	for (i = 0; i < JOBS; i++)
		kt_gate_open(&job[i].gate);
	load_finish(overflow_pool, load, 2, s, n);
}

static int submit(int i)
{
	return kpool_submit(overflow_pool, &job[i].job.item);
}

static int try(int i)
{
	return kpool_try_submit(overflow_pool, &job[i].job.item);
}

static int flush(int i)
{
	return kpool_flush_item(&job[i].job.item);
}

static void vacate(void)
{
	load_end(&load[0]);
}

static int by_submit(int i)
{
	return submit(i);
}

static int by_timeout(int i)
{
	return kpool_submit_timeout(overflow_pool, &job[i].job.item, 2);
}

static int by_killable(int i)
{
	return kpool_submit_killable(overflow_pool, &job[i].job.item);
}

static int by_try(int i)
{
	return try(i);
}

static int hardirq_ret, hardirq_nr;

static void try_here(void)
{
	hardirq_ret = try(hardirq_nr);
}

static int by_try_in_hardirq(int i)
{
	hardirq_nr = i;
	hardirq_do(try_here);
	return hardirq_ret;
}

static int (*const submit_paths[])(int i) = {
	by_submit, by_timeout, by_killable, by_try, by_try_in_hardirq,
};

static const char *const ways[] = {
	"by_submit", "by_timeout", "by_killable", "by_try",
	"by_try_in_hardirq", NULL
};

static const char *const sleeping_ways[] = {
	"by_submit", "by_timeout", "by_killable", NULL
};

/* A thread that submits a job and runs it itself, waiting at its gate */

static int runner_main(void *arg)
{
	return submit((long)arg);
}

/* Does a thread run job @i? */
static bool caller_is_inside(struct kt_thread *t, int i)
{
	kt_gate_init(&job[i].gate);
	return kt_thread_start(t, runner_main, (void *)(long)i) &&
	       KT_EXPECT(kt_wait(atomic_read(&job[i].gate.started))) &&
	       KT_EXPECT(ran_by[i] == t->task);
}

/* Let it go. */
static void caller_leaves(struct kt_thread *t, int i)
{
	kt_gate_open(&job[i].gate);
	if (t->task)
		KT_EXPECT_EQ(kt_thread_join(t), 0);
}

/*
 * In a full pool the submitter runs the item itself, before its submit
 * returns; the run counts as any other, and as caller_ran.
 * Fails if it sleeps, is refused, or the item goes to a worker.
 */
static void caller_runs_the_item(int way)
{
	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	KT_EXPECT_EQ(submit_paths[way](0), 0);
	KT_EXPECT(ran_by[0] == current);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT(!kpool_is_pending(&job[0].job.item));
	KT_EXPECT_EQ(kt_stat(overflow_pool, submitted), 2);
	KT_EXPECT_EQ(kt_stat(overflow_pool, completed), 1);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 1);
	KT_EXPECT_EQ(kt_stat(overflow_pool, refused), 0);
	/* and again */
	KT_EXPECT_EQ(submit_paths[way](0), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 2);
	vacate();
	KT_EXPECT_EQ(kt_stat(overflow_pool, completed), 3);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 2);
	overflow_finish(NULL, 0);
}

/*
 * While there is room, workers run what is submitted, and the queue fills.
 * Fails if a caller runs what could have waited.
 */
static void caller_runs_only_what_finds_no_room(void)
{
	if (!overflow_make(KPOOL_FULL_CALLER_RUNS, 2))
		return;
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT(ran_by[0] && ran_by[0] != current);
	KT_EXPECT(load_runs(overflow_pool, &load[0]));
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT_EQ(submit(2), 0);
	KT_EXPECT_EQ(kt_stat(overflow_pool, pending), 2);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 0);
	KT_EXPECT_EQ(submit(3), 0);
	KT_EXPECT(timed_ran(&job[3]));
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 1);
	KT_EXPECT_EQ(kt_stat(overflow_pool, pending), 2);
	vacate();
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	KT_EXPECT(timed_ran(&job[1]));
	KT_EXPECT(timed_ran(&job[2]));
	KT_EXPECT(ran_by[1] != current);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 1);
	overflow_finish(NULL, 0);
}

/*
 * A caller holds no unit while it runs an item, however heavy that is; what is
 * too heavy for the pool is refused.
 * Fails if the pool's workers wait for the caller.
 */
static void caller_holds_no_unit(void)
{
	struct kt_thread t = { };

	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	if (!caller_is_inside(&t, 0))
		goto out;
	KT_EXPECT_EQ(kt_stat(overflow_pool, units), 1);
	KT_EXPECT_EQ(kt_stat(overflow_pool, running), 2);
	vacate();
	KT_EXPECT_EQ(kt_stat(overflow_pool, units), 0);
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT_EQ(flush(1), 0);
	KT_EXPECT(ran_by[1] != current);
	KT_EXPECT_EQ(kpool_set_weight(&job[2].job.item, 2), 0);
	KT_EXPECT_EQ(submit(2), -EINVAL);
	KT_EXPECT_EQ(timed_runs(&job[2]), 0);
out:
	caller_leaves(&t, 0);
	overflow_finish(NULL, 0);
}

static int fails(struct kpool_item *item)
{
	noted(item);
	return -EIO;
}

/*
 * The error that an item returns to a caller that runs it is counted as from a
 * worker, and is not what submit returns.
 * Fails if submit passes the error on: it would say "not accepted".
 */
static void error_of_a_caller_run_is_counted(void)
{
	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	job[0].job.item.fn = fails;
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(kt_stat(overflow_pool, failed), 1);
	KT_EXPECT_EQ(kt_stat(overflow_pool, completed), 1);
	overflow_finish(NULL, 0);
}

/*
 * A caller that waits for the item or for the pool waits for a caller's run
 * too.
 * Fails if runs are looked for in workers alone.
 */
static void waiting_includes_the_run_of_a_caller(void)
{
	struct kt_thread t = { }, waiter[3] = { };
	int i;

	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	if (!caller_is_inside(&t, 0))
		goto out;
	KT_EXPECT(!kpool_cancel(&job[0].job.item));
	KT_EXPECT(!kpool_is_pending(&job[0].job.item));
	vacate();
	if (!timed_sleeps(&waiter[0], timed_flush_item, &job[0]) ||
	    !timed_sleeps(&waiter[1], timed_cancel_sync, &job[0]) ||
	    !timed_sleeps(&waiter[2], timed_flush_pool, overflow_pool))
		goto out;
	KT_EXPECT_EQ(kpool_shutdown_timeout(overflow_pool, 2), -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_reopen(overflow_pool), -EBUSY);
	for (i = 0; i < 3; i++)
		KT_EXPECT(!kt_thread_done(&waiter[i]));
out:
	caller_leaves(&t, 0);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kt_thread_join(&waiter[i]), 0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(overflow_pool, KT_LIMIT), 0);
	overflow_finish(NULL, 0);
}

/*
 * While a caller runs it, an item is as any other that runs: accepted again,
 * it starts after, and never twice at once.
 * Fails if a worker takes it up during that run.
 */
static void item_that_a_caller_runs_starts_again_after(void)
{
	struct kt_thread t = { };

	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	if (!caller_is_inside(&t, 0))
		goto out;
	KT_EXPECT_EQ(try(0), -EAGAIN);
	vacate();
	KT_EXPECT_EQ(try(0), 0);
	KT_EXPECT_EQ(try(0), -EALREADY);
	KT_EXPECT_EQ(submit(0), -EALREADY);
	KT_EXPECT(kpool_is_pending(&job[0].job.item));
	kt_sleep_ms(10);
	KT_EXPECT_EQ(atomic_read(&job[0].gate.started), 1);
	caller_leaves(&t, 0);
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 2);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 1);
out:
	caller_leaves(&t, 0);
	overflow_finish(NULL, 0);
}

/*
 * The item has nothing but its function: a worker that takes it up takes the
 * fast path.
 * Fails if that way does not look for the run of a caller.
 */
static void plain_item_that_a_caller_runs_starts_again_after(void)
{
	struct kt_submitter s = { };

	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	if (!kt_submitter_start(&s, overflow_pool, &load[1].job.item) ||
	    !KT_EXPECT(load_starts(&load[1])))
		goto out;
	vacate();
	KT_EXPECT_EQ(load_try(overflow_pool, &load[1]), 0);
	KT_EXPECT_EQ(load_try(overflow_pool, &load[1]), -EALREADY);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(atomic_read(&load[1].gate.started), 1);
	load_end(&load[1]);
	KT_EXPECT_EQ(atomic_read(&load[1].gate.finished), 2);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 1);
out:
	overflow_finish(&s, 1);
}

/*
 * An item that runs already does not run in a caller too: that waits.
 * Fails if being full is all that a caller is asked for.
 */
static void caller_does_not_run_a_running_item(void)
{
	struct kt_submitter s = { };

	if (!overflow_make(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	kt_gate_init(&job[0].gate);
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT(kt_wait(atomic_read(&job[0].gate.started)));
	if (!kt_submitter_block(&s, overflow_pool, &job[0].job.item))
		goto out;
	kt_sleep_ms(10);
	KT_EXPECT_EQ(atomic_read(&job[0].gate.started), 1);
	kt_gate_open(&job[0].gate);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 2);
	KT_EXPECT(ran_by[0] != current);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 0);
out:
	overflow_finish(&s, 1);
}

static int comes_again(struct kpool_item *item)
{
	if (!timed_runs(timed_of(item)))
		KT_EXPECT_EQ(kpool_submit(overflow_pool, item), 0);
	return noted(item);
}

/*
 * An item that a caller runs can submit itself: it is accepted for want of room
 * or not, and comes after.
 * Fails (overflows the stack, or hangs) if the caller runs it inside itself.
 */
static void item_that_a_caller_runs_may_submit_itself(void)
{
	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	job[0].job.item.fn = comes_again;
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 1);
	KT_EXPECT(kpool_is_pending(&job[0].job.item));
	vacate();
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 2);
	KT_EXPECT(ran_by[0] != current);
	overflow_finish(NULL, 0);
}

static int submits_another(struct kpool_item *item)
{
	int i = timed_of(item)->nr;

	KT_EXPECT_EQ(submit(i + 1), 0);
	KT_EXPECT(timed_ran(&job[i + 1]));
	KT_EXPECT(ran_by[i + 1] == current);
	return noted(item);
}

/*
 * An item that submits to its own full pool runs that itself instead of
 * waiting for itself, in a worker and in a caller.
 * Fails if it gets -EDEADLK, or hangs.
 */
static void item_of_the_pool_runs_it_itself(void)
{
	if (!overflow_make(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	job[0].job.item.fn = submits_another;
	job[1].job.item.fn = submits_another;
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT(ran_by[0] != current);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 2);
	overflow_finish(NULL, 0);
}

static int waits_for_itself(struct kpool_item *item)
{
	KT_EXPECT_EQ(kpool_destroy(overflow_pool), -EDEADLK);
	KT_EXPECT_EQ(kpool_shutdown_timeout(overflow_pool, HZ), -EDEADLK);
	KT_EXPECT_EQ(kpool_flush(overflow_pool), -EDEADLK);
	KT_EXPECT_EQ(kpool_flush_item(item), -EDEADLK);
	KT_EXPECT_EQ(kpool_cancel_sync(item), -EDEADLK);
	return noted(item);
}

/*
 * Inside an item that a caller runs the caller is inside the pool: to wait for
 * either is refused, and changes nothing.
 * Fails (hangs) if only workers are known to be inside.
 */
static void caller_cannot_wait_for_itself(void)
{
	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	job[0].job.item.fn = waits_for_itself;
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT(ran_by[0] == current);
	/* and afterwards one is outside again */
	vacate();
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT_EQ(flush(1), 0);
	overflow_finish(NULL, 0);
}

/*
 * destroy waits for an item that a caller runs.
 * Fails if it waits for workers alone: the caller's pool would be gone.
 */
static void destroy_waits_for_the_run_of_a_caller(void)
{
	struct kt_thread t = { }, destroyer = { };

	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	if (!caller_is_inside(&t, 0)) {
		overflow_finish(NULL, 0);
		return;
	}
	vacate();
	if (timed_sleeps(&destroyer, timed_destroy_pool, overflow_pool))
		kt_sleep_ms(10);
	KT_EXPECT(!kt_thread_done(&destroyer));
	caller_leaves(&t, 0);
	KT_EXPECT_EQ(kt_thread_join(&destroyer), 0);
	KT_EXPECT(timed_ran(&job[0]));
}

static int submit_fn_ran;

static int runs_as_fn(void *arg)
{
	submit_fn_ran += current == arg;
	return 0;
}

/*
 * A caller that must not sleep does not run an item either: it is refused.
 * Fails if try or an interrupt runs it.
 */
static void caller_that_must_not_sleep_is_refused(void)
{
	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	KT_EXPECT_EQ(try(0), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_timeout(overflow_pool, &job[0].job.item, 0),
		     -EAGAIN);
	KT_EXPECT_EQ(by_try_in_hardirq(0), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_fn(overflow_pool, runs_as_fn, current,
				     GFP_ATOMIC), -EAGAIN);
	KT_EXPECT_EQ(timed_runs(&job[0]), 0);
	KT_EXPECT_EQ(kt_stat(overflow_pool, refused), 4);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 0);
	overflow_finish(NULL, 0);
}

static void submit_here(void)
{
	hardirq_ret = submit(0);
}

/*
 * A caller of the sleeping submit that cannot sleep does not run the item.
 * Fails if the policy is all that it goes by.
 */
static void interrupt_does_not_run_the_item(void)
{
	unsigned long flags;

	if (IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP)) {
		kt_skip("this kernel complains of the caller, as it should");
		return;
	}
	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	hardirq_do(submit_here);
	KT_EXPECT_EQ(hardirq_ret, -EAGAIN);
	local_irq_save(flags);
	hardirq_ret = submit(0);
	local_irq_restore(flags);
	KT_EXPECT_EQ(hardirq_ret, -EAGAIN);
	KT_EXPECT_EQ(timed_runs(&job[0]), 0);
	overflow_finish(NULL, 0);
}

/*
 * The function form and a call are run by the caller too.
 * Fails if they take a submit path of their own: a call would wait for a
 * worker.
 */
static void caller_runs_functions_and_calls(void)
{
	int result = -1;

	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	submit_fn_ran = 0;
	KT_EXPECT_EQ(kpool_submit_fn(overflow_pool, runs_as_fn, current,
				     GFP_KERNEL), 0);
	KT_EXPECT_EQ(submit_fn_ran, 1);
	KT_EXPECT_EQ(kpool_call(overflow_pool, runs_as_fn, current, &result),
		     0);
	KT_EXPECT_EQ(submit_fn_ran, 2);
	KT_EXPECT_EQ(result, 0);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 2);
	overflow_finish(NULL, 0);
}

/*
 * Starts are held back in a paused pool, also those in a caller: it waits.
 * Fails if a caller runs past the pause.
 */
static void caller_waits_in_a_paused_pool(void)
{
	struct kt_submitter s = { };

	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	KT_EXPECT_EQ(kpool_pause(overflow_pool), 0);
	if (!kt_submitter_block(&s, overflow_pool, &job[0].job.item))
		goto out;
	kt_sleep_ms(10);
	KT_EXPECT_EQ(timed_runs(&job[0]), 0);
	kpool_resume(overflow_pool);
	vacate();
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT(timed_ran(&job[0]));
out:
	kpool_resume(overflow_pool);
	overflow_finish(&s, 1);
}

/*
 * An item that was disabled, or whose pool is closed, does not run in a caller.
 * Fails if a full pool is checked first.
 */
static void caller_runs_nothing_that_is_refused(void)
{
	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	KT_EXPECT_EQ(kpool_disable(&job[0].job.item), 0);
	KT_EXPECT_EQ(submit(0), -ECANCELED);
	KT_EXPECT_EQ(kpool_enable(&job[0].job.item), 0);
	kpool_shutdown(overflow_pool);
	KT_EXPECT_EQ(submit(0), -ESHUTDOWN);
	KT_EXPECT_EQ(timed_runs(&job[0]), 0);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 0);
	overflow_finish(NULL, 0);
}

/* Enough lost runs that kmemleak does not miss them all. */
#define OVERDUE_ROUNDS	20

/*
 * A deadline is checked before a caller runs the job, as before a worker does.
 * Fails if a caller runs what a worker would have dropped, or (kmemleak) loses
 * the memory of a run each time: mutant late-callers-run-not-returned.
 */
static void caller_does_not_run_an_overdue_job(void)
{
	int round;

	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	kpool_set_deadline(&job[0].job, ktime_sub_ns(ktime_get(), 1));
	for (round = 0; round < OVERDUE_ROUNDS; round++) {
		KT_EXPECT_EQ(submit(0), 0);
		KT_EXPECT_EQ(flush(0), 0);
		KT_EXPECT_EQ(timed_runs(&job[0]), 0);
		KT_EXPECT_EQ(timed_drops(&job[0]), round + 1);
		KT_EXPECT_EQ(atomic_read(&job[0].gate.dropped_err), -ETIME);
	}
	kpool_set_deadline(&job[1].job, ktime_add_ms(ktime_get(), 1000000));
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT(timed_ran(&job[1]));
	KT_EXPECT_EQ(kt_stat(overflow_pool, expired), OVERDUE_ROUNDS);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 1);
	overflow_finish(NULL, 0);
}

/*
 * A delayed job has no caller when it is due: it waits.
 * Fails if the timer runs it, or it is refused.
 */
static void due_job_waits_without_a_caller(void)
{
	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	KT_EXPECT_EQ(kpool_submit_delayed(overflow_pool, &job[0].job, 0), 0);
	KT_EXPECT_EQ(kpool_submit_delayed(overflow_pool, &job[1].job, 1), 0);
	KT_EXPECT(kt_wait(!kt_stat(overflow_pool, delayed)));
	KT_EXPECT_EQ(kt_stat(overflow_pool, pending), 2);
	KT_EXPECT_EQ(timed_runs(&job[0]), 0);
	vacate();
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT(timed_ran(&job[1]));
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 0);
	overflow_finish(NULL, 0);
}

static void *no_state(void *data)
{
	return data;
}

static void expect_create(const struct kpool_attrs *attrs, int err)
{
	struct kpool *pool = kpool_create(attrs, "combination");

	KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), err);
	kt_pool_end(pool);
}

/*
 * A caller has no worker's state and must be able to sleep: with worker_init
 * or nonblocking, caller_runs is refused at creation.
 * Fails if a combination is not checked.
 */
static void caller_runs_is_refused_where_it_cannot_be(void)
{
	struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};

	expect_create(&attrs, 0);
	attrs.nonblocking = KPOOL_NONE;
	expect_create(&attrs, 0);
	attrs.nonblocking = 1;
	expect_create(&attrs, -EINVAL);
	attrs.when_full = KPOOL_FULL_DROP_OLDEST;
	expect_create(&attrs, 0);
	attrs.worker_init = no_state;
	expect_create(&attrs, 0);
	attrs.nonblocking = 0;
	attrs.when_full = KPOOL_FULL_CALLER_RUNS;
	expect_create(&attrs, -EINVAL);
	attrs.worker_init = NULL;
	attrs.when_full = KPOOL_FULL_DROP_OLDEST + 1;
	expect_create(&attrs, -ERANGE);
	attrs.when_full = -1;
	expect_create(&attrs, -ERANGE);
}

static void expect_tune(struct kpool *pool, enum kpool_tunable tunable,
			int value, int err)
{
	struct kpool_attrs before, after;

	kpool_get_attrs(pool, &before);
	KT_EXPECT_EQ(kpool_tune(pool, tunable, value), err);
	kpool_get_attrs(pool, &after);
	if (err) {
		KT_EXPECT_EQ(before.when_full, after.when_full);
		KT_EXPECT_EQ(before.nonblocking, after.nonblocking);
	} else if (tunable == KPOOL_TUNE_WHEN_FULL) {
		KT_EXPECT_EQ(after.when_full, max(value, 0));
	}
}

/*
 * A tune of one of them is refused, and nothing changes then.
 * Fails if only creation looks at combinations.
 */
static void tune_refuses_caller_runs_where_it_cannot_be(void)
{
	struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kpool *pool = kt_pool("tuned", &attrs);

	if (!pool)
		return;
	expect_tune(pool, KPOOL_TUNE_NONBLOCKING, 1, -EINVAL);
	expect_tune(pool, KPOOL_TUNE_WHEN_FULL, KPOOL_NONE, 0);
	expect_tune(pool, KPOOL_TUNE_NONBLOCKING, 1, 0);
	expect_tune(pool, KPOOL_TUNE_WHEN_FULL, KPOOL_FULL_CALLER_RUNS, -EINVAL);
	expect_tune(pool, KPOOL_TUNE_NONBLOCKING, KPOOL_NONE, 0);
	expect_tune(pool, KPOOL_TUNE_WHEN_FULL, KPOOL_FULL_CALLER_RUNS, 0);
	expect_tune(pool, KPOOL_TUNE_NONBLOCKING, 1, -EINVAL);
	expect_tune(pool, KPOOL_TUNE_WHEN_FULL, 3, -ERANGE);
	expect_tune(pool, KPOOL_TUNE_WHEN_FULL, -1, -ERANGE);
	expect_tune(pool, KPOOL_TUNE_WHEN_FULL, KPOOL_FULL_WAIT, 0);
	expect_tune(pool, KPOOL_TUNE_NONBLOCKING, 1, 0);
	kt_pool_end(pool);
}

/* Threads that submit more than the pool has room for */

#define PUSHERS	4

static struct pusher {
	struct timed	t[4];
	struct kt_thread thread;
	int		accepted;
} pusher[PUSHERS];

static int pusher_fn(struct kpool_item *item)
{
	atomic_inc(&timed_of(item)->gate.finished);
	return 0;
}

/* Not timed_dropped(): the item can have been submitted again by now. */
static void pusher_dropped(struct kpool_item *item, int err)
{
	might_sleep();
	KT_EXPECT_EQ(err, -EAGAIN);
	atomic_inc(&timed_of(item)->gate.dropped);
}

static int pusher_main(void *arg)
{
	struct pusher *p = arg;
	int i, n = kt_count(500), ret;

	for (i = 0; i < n; i++) {
		ret = kpool_submit(overflow_pool, &p->t[i % 4].job.item);
		if (!KT_EXPECT(!ret || ret == -EALREADY))
			return ret;
		p->accepted += !ret;
		if (ret || i % 4 == 0)
			usleep_range(20, 50);
	}
	return 0;
}

/* Each submission ends exactly once; return how many were dropped. */
static int push(void)
{
	int i, j, accepted = 0, runs = 0, drops = 0;

	memset(pusher, 0, sizeof(pusher));
	for (i = 0; i < PUSHERS; i++) {
		timed_init_all(pusher[i].t, 4);
		for (j = 0; j < 4; j++) {
			struct kpool_item *item = &pusher[i].t[j].job.item;

			item->fn = pusher_fn;
			kpool_set_drop_fn(item, pusher_dropped);
		}
		kt_thread_start(&pusher[i].thread, pusher_main, &pusher[i]);
	}
	for (i = 0; i < PUSHERS; i++)
		KT_EXPECT_EQ(kt_thread_join(&pusher[i].thread), 0);
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	for (i = 0; i < PUSHERS; i++) {
		accepted += pusher[i].accepted;
		for (j = 0; j < 4; j++) {
			runs += timed_runs(&pusher[i].t[j]);
			drops += timed_drops(&pusher[i].t[j]);
		}
	}
	KT_EXPECT_EQ(runs + drops, accepted);
	KT_EXPECT_EQ(kt_stat(overflow_pool, submitted), accepted);
	KT_EXPECT_EQ(kt_stat(overflow_pool, completed), runs);
	KT_EXPECT_EQ(kt_stat(overflow_pool, refused), 0);
	return drops;
}

/*
 * Run by any thread, an accepted item runs exactly once.
 * Fails if a caller and a worker can both take it, or neither.
 */
static void callers_and_workers_run_each_item_once(void)
{
	if (!overflow_make(KPOOL_FULL_CALLER_RUNS, 2))
		return;
	KT_EXPECT_EQ(push(), 0);
	KT_EXPECT_LE(kt_stat(overflow_pool, caller_ran),
		     kt_stat(overflow_pool, completed));
	overflow_finish(NULL, 0);
}

/*
 * The newcomer takes the place of the oldest queued item, whose owner is
 * notified once, with -EAGAIN, in process context; the others keep their order.
 * Fails if the newest goes, no owner is notified, or it is called in an
 * interrupt.
 */
static void newcomer_evicts_the_oldest(int way)
{
	static const int order[] = { 2, 3, 4 };
	int i;

	if (!overflow_full(KPOOL_FULL_DROP_OLDEST, 3))
		return;
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(submit(i), 0);
	KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), 0);
	for (; i < 5; i++) {
		KT_EXPECT_EQ(submit_paths[way](i), 0);
		KT_EXPECT_EQ(flush(i - 3), 0);
		KT_EXPECT(timed_was_dropped(&job[i - 3], -EAGAIN));
		KT_EXPECT_EQ(kt_stat(overflow_pool, pending), 3);
	}
	KT_EXPECT_EQ(kt_stat(overflow_pool, submitted), 6);
	KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), 2);
	KT_EXPECT_EQ(kt_stat(overflow_pool, dropped), 2);
	KT_EXPECT_EQ(kt_stat(overflow_pool, refused), 0);
	vacate();
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	if (KT_EXPECT_EQ(timed_order.n, 3))
		for (i = 0; i < 3; i++)
			KT_EXPECT_EQ(timed_order.nr[i], order[i]);
	for (i = 0; i < 5; i++)
		KT_EXPECT_EQ(timed_runs(&job[i]) + timed_drops(&job[i]), 1);
	overflow_finish(NULL, 0);
}

static void prioritise(int i, enum kpool_priority priority)
{
	KT_EXPECT_EQ(kpool_set_priority(&job[i].job.item, priority), 0);
}

/*
 * The lowest queued priority is given up first, and of it the oldest.
 * Fails if the oldest of all goes, or the next to start.
 */
static void lowest_priority_is_evicted_first(void)
{
	static const int victims[] = { 2, 4, 0, 3, 1 };
	int i;

	if (!overflow_full(KPOOL_FULL_DROP_OLDEST, 5))
		return;
	prioritise(1, KPOOL_PRIO_HIGH);
	prioritise(2, KPOOL_PRIO_LOW);
	prioritise(4, KPOOL_PRIO_LOW);
	for (i = 0; i < 5; i++)
		KT_EXPECT_EQ(submit(i), 0);
	for (i = 0; i < 5; i++) {
		prioritise(5 + i, KPOOL_PRIO_HIGH);
		KT_EXPECT_EQ(try(5 + i), 0);
		KT_EXPECT_EQ(flush(victims[i]), 0);
		KT_EXPECT(timed_was_dropped(&job[victims[i]], -EAGAIN));
		KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), i + 1);
	}
	vacate();
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	for (i = 5; i < 10; i++)
		KT_EXPECT(timed_ran(&job[i]));
	overflow_finish(NULL, 0);
}

/*
 * A newcomer never evicts what is above it: try is refused, submit waits.
 * Fails if priorities are compared the wrong way round, or not at all.
 */
static void higher_priority_is_never_evicted(void)
{
	struct kt_submitter s = { };

	if (!overflow_full(KPOOL_FULL_DROP_OLDEST, 2))
		return;
	prioritise(0, KPOOL_PRIO_HIGH);
	prioritise(2, KPOOL_PRIO_LOW);
	prioritise(3, KPOOL_PRIO_LOW);
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT_EQ(try(2), -EAGAIN);
	KT_EXPECT_EQ(by_try_in_hardirq(2), -EAGAIN);
	KT_EXPECT_EQ(by_timeout(2), -ETIMEDOUT);
	KT_EXPECT_EQ(try(4), 0);
	KT_EXPECT_EQ(flush(1), 0);
	KT_EXPECT(timed_was_dropped(&job[1], -EAGAIN));
	if (!kt_submitter_block(&s, overflow_pool, &job[3].job.item))
		goto out;
	KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), 1);
	vacate();
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT(timed_ran(&job[3]));
	KT_EXPECT(timed_ran(&job[4]));
out:
	overflow_finish(&s, 1);
}

/*
 * With no queue there is no item to evict: submit waits, try is refused, and
 * what runs goes on.
 * Fails if a running item, or the newcomer itself, is given up.
 */
static void pool_without_queue_evicts_nothing(void)
{
	struct kt_submitter s = { };

	if (!overflow_full(KPOOL_FULL_DROP_OLDEST, 0))
		return;
	KT_EXPECT_EQ(try(0), -EAGAIN);
	KT_EXPECT_EQ(by_timeout(0), -ETIMEDOUT);
	if (!kt_submitter_block(&s, overflow_pool, &job[0].job.item))
		goto out;
	KT_EXPECT_EQ(try(1), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), 0);
	vacate();
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT(timed_ran(&job[0]));
out:
	overflow_finish(&s, 1);
}

/*
 * In a nonblocking pool a newcomer evicts, and is refused where it cannot.
 * Fails if nonblocking refuses before the policy is asked, or submit sleeps.
 */
static void nonblocking_pool_evicts_or_refuses(void)
{
	if (!overflow_full(KPOOL_FULL_DROP_OLDEST, 1))
		return;
	KT_EXPECT_EQ(kpool_tune(overflow_pool, KPOOL_TUNE_NONBLOCKING, 1), 0);
	prioritise(2, KPOOL_PRIO_LOW);
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT(timed_was_dropped(&job[0], -EAGAIN));
	KT_EXPECT_EQ(submit(2), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), 1);
	KT_EXPECT_EQ(kt_stat(overflow_pool, refused), 1);
	overflow_finish(NULL, 0);
}

/*
 * The newcomer does not wait for the owner of what it evicted.
 * Fails if its submit calls the drop function.
 */
static void newcomer_does_not_wait_for_the_drop_function(void)
{
	int i;

	if (!overflow_full(KPOOL_FULL_DROP_OLDEST, 1))
		return;
	for (i = 0; i < 3; i++)
		kpool_set_drop_fn(&job[i].job.item, timed_dropped_gated);
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(submit(i), 0);
	KT_EXPECT(kt_wait(atomic_read(&timed_dropping.started)));
	vacate();
	KT_EXPECT_EQ(flush(3), 0);
	KT_EXPECT(timed_ran(&job[3]));
	KT_EXPECT_EQ(atomic_read(&timed_dropping.finished), 0);
	kt_gate_open(&timed_dropping);
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	for (i = 0; i < 3; i++)
		KT_EXPECT(timed_was_dropped(&job[i], -EAGAIN));
	overflow_finish(NULL, 0);
}

/*
 * A caller that waits for an evicted item, or for the pool, waits for its
 * owner to have been notified, and no longer.
 * Fails (hangs) if waiters stay with the queue.
 */
static void waiters_of_an_evicted_item_are_woken(void)
{
	struct kt_thread t[2] = { };
	int i;

	if (!overflow_full(KPOOL_FULL_DROP_OLDEST, 1))
		return;
	kpool_set_drop_fn(&job[0].job.item, timed_dropped_gated);
	KT_EXPECT_EQ(submit(0), 0);
	if (!timed_sleeps(&t[0], timed_flush_item, &job[0]) ||
	    !timed_sleeps(&t[1], timed_flush_pool, overflow_pool))
		goto out;
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT(kt_wait(atomic_read(&timed_dropping.started)));
	vacate();
	KT_EXPECT_EQ(flush(1), 0);
	for (i = 0; i < 2; i++)
		KT_EXPECT(!kt_thread_done(&t[i]));
out:
	load_open_all(load, 2);
	kt_gate_open(&timed_dropping);
	for (i = 0; i < 2; i++)
		KT_EXPECT_EQ(kt_thread_join(&t[i]), 0);
	overflow_finish(NULL, 0);
}

/*
 * An evicted item can be submitted again.
 * Fails if it stays marked as dropped.
 */
static void evicted_item_can_be_submitted_again(void)
{
	if (!overflow_full(KPOOL_FULL_DROP_OLDEST, 1))
		return;
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(flush(1), 0);
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT_EQ(flush(0), 0);
	vacate();
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	KT_EXPECT_EQ(timed_drops(&job[0]), 2);
	KT_EXPECT_EQ(timed_drops(&job[1]), 1);
	KT_EXPECT_EQ(timed_runs(&job[0]), 0);
	KT_EXPECT_EQ(timed_runs(&job[1]), 1);
	overflow_finish(NULL, 0);
}

/*
 * An item that runs and waits to run again is not evicted: its owner could
 * not be notified before that run has ended.  Another queued item is.
 * Fails if the drop function is called while the item runs, or the queue is
 * checked no further.
 */
static void item_that_runs_is_not_evicted(void)
{
	if (!overflow_make(KPOOL_FULL_DROP_OLDEST, 1))
		return;
	kt_gate_init(&job[0].gate);
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT(kt_wait(atomic_read(&job[0].gate.started)));
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(try(1), -EAGAIN);
	KT_EXPECT_EQ(kpool_tune(overflow_pool, KPOOL_TUNE_QUEUE_DEPTH, 2), 0);
	KT_EXPECT_EQ(try(1), 0);
	KT_EXPECT_EQ(try(2), 0);
	KT_EXPECT_EQ(flush(1), 0);
	KT_EXPECT(timed_was_dropped(&job[1], -EAGAIN));
	KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), 1);
	kt_gate_open(&job[0].gate);
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 2);
	KT_EXPECT_EQ(timed_drops(&job[0]), 0);
	KT_EXPECT(timed_ran(&job[2]));
	overflow_finish(NULL, 0);
}

static int submits_itself_once(struct kpool_item *item)
{
	if (!kt_job_of(item)->nr++)
		KT_EXPECT_EQ(kpool_submit(overflow_pool, item), 0);
	return kt_job_tiny(item);
}

/*
 * An item that submits itself needs no room.
 * Fails if it evicts another.
 */
static void self_submission_evicts_nothing(void)
{
	static struct kt_gate gate;
	static struct kt_job self;

	if (!overflow_make(KPOOL_FULL_DROP_OLDEST, 1))
		return;
	kt_gate_init(&gate);
	kt_job_init(&self, submits_itself_once, &gate, 0);
	KT_EXPECT_EQ(kpool_pause(overflow_pool), 0);
	KT_EXPECT_EQ(kpool_submit(overflow_pool, &self.item), 0);
	KT_EXPECT_EQ(submit(0), 0);
	kpool_resume(overflow_pool);
	KT_EXPECT(kt_wait(atomic_read(&gate.finished) == 2));
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT(timed_ran(&job[0]));
	overflow_finish(NULL, 0);
}

/*
 * Delayed jobs are not queued: they are not evicted, nor evict others.
 * Fails if the oldest is looked for among all that is pending.
 */
static void delayed_job_is_not_evicted(void)
{
	if (!overflow_full(KPOOL_FULL_DROP_OLDEST, 1))
		return;
	KT_EXPECT_EQ(kpool_submit_delayed(overflow_pool, &job[0].job,
					  3600 * HZ), 0);
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT_EQ(submit(2), 0);
	KT_EXPECT_EQ(flush(1), 0);
	KT_EXPECT(timed_was_dropped(&job[1], -EAGAIN));
	KT_EXPECT_EQ(kt_stat(overflow_pool, delayed), 1);
	KT_EXPECT(kpool_modify_delay(&job[0].job, 0));
	vacate();
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT(timed_ran(&job[2]));
	overflow_finish(NULL, 0);
}

/*
 * A paused pool evicts too: what was accepted last is what starts.
 * Fails if a paused pool's queue is left as it is.
 */
static void paused_pool_evicts(void)
{
	int i;

	if (!overflow_full(KPOOL_FULL_DROP_OLDEST, 2))
		return;
	KT_EXPECT_EQ(kpool_pause(overflow_pool), 0);
	for (i = 0; i < 10; i++)
		KT_EXPECT_EQ(submit(i), 0);
	for (i = 0; i < 8; i++)
		KT_EXPECT_EQ(flush(i), 0);
	KT_EXPECT_EQ(kt_stat(overflow_pool, pending), 2);
	KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), 8);
	kpool_resume(overflow_pool);
	vacate();
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	for (i = 0; i < 10; i++)
		KT_EXPECT(i < 8 ? timed_was_dropped(&job[i], -EAGAIN) :
				  timed_ran(&job[i]));
	overflow_finish(NULL, 0);
}

/*
 * With no queue there is nothing to evict, also where what could start is
 * queued.
 * Fails if each queued item has a place in the queue.
 */
static void paused_pool_without_queue_evicts_nothing(void)
{
	if (!overflow_make(KPOOL_FULL_DROP_OLDEST, 0))
		return;
	KT_EXPECT_EQ(kpool_pause(overflow_pool), 0);
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(try(1), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), 0);
	kpool_resume(overflow_pool);
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	KT_EXPECT(timed_ran(&job[0]));
	overflow_finish(NULL, 0);
}

/*
 * An evicted item makes room: where more wait than the queue has places,
 * because it was shortened, none is evicted.
 * Fails if an item is given up for one that is admitted without room.
 */
static void shortened_queue_evicts_nothing(void)
{
	if (!overflow_full(KPOOL_FULL_DROP_OLDEST, 3))
		return;
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT_EQ(submit(2), 0);
	KT_EXPECT_EQ(kpool_tune(overflow_pool, KPOOL_TUNE_QUEUE_DEPTH, 2), 0);
	if (!KT_EXPECT_EQ(try(3), -EAGAIN))
		goto out;
	KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), 0);
	KT_EXPECT(kpool_cancel(&job[0].job.item));
	KT_EXPECT_EQ(try(3), 0);
	KT_EXPECT_EQ(flush(1), 0);
	KT_EXPECT(timed_was_dropped(&job[1], -EAGAIN));
	vacate();
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	KT_EXPECT(timed_ran(&job[2]) && timed_ran(&job[3]));
out:
	overflow_finish(NULL, 0);
}

/*
 * Among many submitters every accepted item runs once or is dropped once.
 * Fails if an item can be evicted and started, or neither.
 */
static void item_is_evicted_or_runs_once(void)
{
	int drops;

	if (!overflow_make(KPOOL_FULL_DROP_OLDEST, 3))
		return;
	drops = push();
	KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), drops);
	overflow_finish(NULL, 0);
}

/*
 * Submitters that slept before the pool was tuned back to drop_oldest are not
 * overtaken: while one sleeps, newcomers wait, and no item is evicted.
 * Fails if a newcomer looks at the queue before it looks at the blocked
 * submitters.
 */
static void submitters_are_not_overtaken_after_tuning(void)
{
	struct kt_submitter s[2] = { };

	if (!overflow_full(KPOOL_FULL_DROP_OLDEST, 1))
		return;
	expect_tune(overflow_pool, KPOOL_TUNE_WHEN_FULL, KPOOL_NONE, 0);
	KT_EXPECT_EQ(submit(0), 0);
	if (!kt_submitter_block(&s[0], overflow_pool, &job[1].job.item))
		goto out;
	expect_tune(overflow_pool, KPOOL_TUNE_WHEN_FULL, KPOOL_FULL_DROP_OLDEST, 0);
	KT_EXPECT_EQ(try(2), -EAGAIN);
	if (!kt_submitter_block(&s[1], overflow_pool, &job[2].job.item))
		goto out;
	KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), 0);
	vacate();
	KT_EXPECT_EQ(kt_thread_join(&s[0].thread), 0);
	KT_EXPECT_EQ(kt_thread_join(&s[1].thread), 0);
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	order_expect_rising(&timed_order, 3);
	KT_EXPECT_EQ(kt_stat(overflow_pool, displaced), 0);
out:
	overflow_finish(s, 2);
}

/*
 * Tuned back to caller_runs, the pool lets newcomers run their items
 * themselves, and one that slept before is admitted as before.
 * Fails if tuning loses a blocked submitter.
 */
static void submitters_are_admitted_after_tuning_to_caller_runs(void)
{
	struct kt_submitter s = { };

	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	expect_tune(overflow_pool, KPOOL_TUNE_WHEN_FULL, KPOOL_NONE, 0);
	if (!kt_submitter_block(&s, overflow_pool, &job[0].job.item))
		goto out;
	expect_tune(overflow_pool, KPOOL_TUNE_WHEN_FULL, KPOOL_FULL_CALLER_RUNS, 0);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(timed_runs(&job[0]), 0);
	KT_EXPECT_EQ(kt_stat(overflow_pool, blocked), 1);
	vacate();
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT(timed_ran(&job[0]));
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 0);
out:
	overflow_finish(&s, 1);
}

/*
 * The policy of the live pool is the one in force at each submit.
 * Fails if a change is stored and not checked.
 */
static void policy_changes_at_run_time(int drops)
{
	int policy = drops ? KPOOL_FULL_DROP_OLDEST : KPOOL_FULL_CALLER_RUNS;

	if (!overflow_full(policy, 1))
		return;
	expect_tune(overflow_pool, KPOOL_TUNE_WHEN_FULL, KPOOL_NONE, 0);
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(by_timeout(1), -ETIMEDOUT);
	expect_tune(overflow_pool, KPOOL_TUNE_WHEN_FULL, policy, 0);
	KT_EXPECT_EQ(by_timeout(1), 0);
	if (drops) {
		KT_EXPECT_EQ(flush(0), 0);
		KT_EXPECT(timed_was_dropped(&job[0], -EAGAIN));
	} else {
		KT_EXPECT(ran_by[1] == current);
	}
	expect_tune(overflow_pool, KPOOL_TUNE_WHEN_FULL, KPOOL_NONE, 0);
	KT_EXPECT_EQ(by_timeout(2), -ETIMEDOUT);
	KT_EXPECT(kpool_is_pending(&job[drops].job.item));
	vacate();
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	KT_EXPECT(timed_ran(&job[drops]));
	overflow_finish(NULL, 0);
}

static const char *const policies[] = { "caller_runs", "drop_oldest", NULL };

/* The memory of an item that its submitter runs, used anew */

static bool renewed_ran;

static int renews_itself(struct kpool_item *item)
{
	timed_init(&job[0], 0);
	job[0].job.item.fn = noted;
	ran_by[0] = NULL;
	KT_EXPECT_EQ(submit(0), 0);
	renewed_ran = ran_by[0] == current;
	return 0;
}

/*
 * An item can free itself while its submitter runs it; another in the same
 * memory is as new as any.
 * Fails if it is known by its address alone: it would be admitted without room,
 * and wait for the end of the other.
 */
static void item_may_be_reinitialized_in_a_caller(void)
{
	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	renewed_ran = false;
	job[0].job.item.fn = renews_itself;
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT(renewed_ran);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 2);
	overflow_finish(NULL, 0);
}

static atomic_t inner_ran;

static int inner(void *arg)
{
	return atomic_inc_return(&inner_ran) ? 0 : -EINVAL;
}

static int outer(void *arg)
{
	KT_EXPECT_EQ(kpool_submit_fn(arg, inner, NULL, GFP_KERNEL), 0);
	KT_EXPECT_EQ(atomic_read(&inner_ran), 1);
	return 0;
}

/* The items can be kpool's own, too, which are freed before they run. */
static void function_submits_another_in_a_caller(void)
{
	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	atomic_set(&inner_ran, 0);
	KT_EXPECT_EQ(kpool_submit_fn(overflow_pool, outer, overflow_pool,
				     GFP_KERNEL), 0);
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 2);
	overflow_finish(NULL, 0);
}

/*
 * An item parked because its submitter runs it leaves its unit to others, also
 * to one that waits behind it.
 * Fails (waits for long) if no submitter is admitted then.
 */
static void parked_item_blocks_no_other(void)
{
	struct kt_submitter s = { };
	struct kt_thread t = { };

	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	if (!caller_is_inside(&t, 0) ||
	    !kt_submitter_block(&s, overflow_pool, &job[0].job.item))
		goto out;
	KT_EXPECT_EQ(kpool_submit_delayed(overflow_pool, &job[1].job, 0), 0);
	vacate();
	KT_EXPECT(kt_wait(timed_ran(&job[1])));
	KT_EXPECT_EQ(timed_runs(&job[0]), 0);
out:
	caller_leaves(&t, 0);
	overflow_finish(&s, 1);
}

/* Each submits the next, until the last. */
#define CHAIN	6

static int submits_the_next(struct kpool_item *item)
{
	int nr = timed_of(item)->nr;

	noted(item);
	return nr + 1 < CHAIN ? submit(nr + 1) : 0;
}

/*
 * A submitter runs four items inside one another, for its stack is short; then
 * it sleeps until there is room.
 * Fails if it runs all of them, or one more: mutants overflow-callers-nest,
 * callers-nest-once-more.
 */
static void callers_do_not_nest_without_end(void)
{
	struct kt_thread t = { };
	int i;

	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	for (i = 0; i < CHAIN; i++)
		job[i].job.item.fn = submits_the_next;
	if (kt_thread_start(&t, runner_main, NULL))
		KT_EXPECT(kt_wait(kt_stat(overflow_pool, blocked) ||
				  timed_ran(&job[CHAIN - 1])));
	KT_EXPECT(timed_ran(&job[3]));
	KT_EXPECT(!timed_ran(&job[4]));
	vacate();
	if (t.task)
		KT_EXPECT_EQ(kt_thread_join(&t), 0);
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	for (i = 0; i < CHAIN; i++)
		KT_EXPECT(timed_ran(&job[i]));
	overflow_finish(NULL, 0);
}

static int submits_the_next_or_aborts(struct kpool_item *item)
{
	int nr = timed_of(item)->nr;

	noted(item);
	if (nr < 4)
		return submit(nr + 1);
	KT_EXPECT_EQ(kpool_abort(overflow_pool), 0);
	return 0;
}

/*
 * The last of four items that a submitter runs inside one another aborts the
 * pool, which then calls no drop function on that stack.
 * Fails (nothing is dropped, and destroy hangs) if it leaves the items to an
 * aborter that does not exist: mutant abort-too-deep-drops-nothing.
 */
static void abort_in_nested_callers_is_left_to_the_drop_work(void)
{
	struct kt_thread t = { };
	int i;

	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 1))
		return;
	KT_EXPECT_EQ(submit(0), 0);
	for (i = 1; i <= 4; i++)
		job[i].job.item.fn = submits_the_next_or_aborts;
	if (kt_thread_start(&t, runner_main, (void *)1L))
		KT_EXPECT_EQ(kt_thread_join(&t), 0);
	for (i = 1; i <= 4; i++)
		KT_EXPECT(timed_ran(&job[i]));
	KT_EXPECT(kt_wait(timed_drops(&job[0])));
	KT_EXPECT(timed_was_dropped(&job[0], -ECANCELED));
	overflow_finish(NULL, 0);
}

/*
 * A submitter can be one that reclaims memory.  The pool's own run is in use,
 * so memory for another is needed.
 * Fails (a report of lockdep) if that is waited for: mutant submit-reclaims.
 */
static void caller_may_run_it_in_reclaim(void)
{
	struct kt_thread t = { };

	if (!IS_ENABLED(CONFIG_LOCKDEP)) {
		kt_skip("only lockdep knows what reclaims");
		return;
	}
	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	if (caller_is_inside(&t, 0)) {
		kt_gate_open(&job[1].gate);
		fs_reclaim_acquire(GFP_KERNEL);
		KT_EXPECT_EQ(submit(1), 0);
		fs_reclaim_release(GFP_KERNEL);
		KT_EXPECT(ran_by[1] == current);
	}
	caller_leaves(&t, 0);
	overflow_finish(NULL, 0);
}

/* The errors of the three: 0 in a caller, 1 in a worker, 2 within 0 */
static int cycle_got[3];

static int waits_for_worker(struct kpool_item *item)
{
	cycle_got[0] = flush(1);
	return timed_fn(item);
}

static int waits_for_caller(struct kpool_item *item)
{
	kt_gate_pass(&timed_dropping);
	cycle_got[1] = flush(0);
	return timed_fn(item);
}

static int submits_who_waits(struct kpool_item *item)
{
	KT_EXPECT_EQ(submit(2), 0);
	return timed_fn(item);
}

static const char *const depths_of_callers[] = { "one", "two", NULL };

/*
 * An item in a worker waits for one that its submitter runs.  That, or one that
 * is run within it, waits for the first: one of them is refused.
 * Fails (hangs) if sleeps in items that no worker runs are not counted.
 */
static void deadlock_through_a_caller_is_refused(int depth)
{
	struct kt_thread t = { };

	if (!overflow_make(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	memset(cycle_got, 0, sizeof(cycle_got));
	job[0].job.item.fn = depth ? submits_who_waits : waits_for_worker;
	job[1].job.item.fn = waits_for_caller;
	job[2].job.item.fn = waits_for_worker;
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT(kt_wait(atomic_read(&timed_dropping.started)));
	if (kt_thread_start(&t, runner_main, NULL))
		kt_thread_asleep(&t);
	kt_gate_open(&timed_dropping);
	if (t.task)
		KT_EXPECT_EQ(kt_thread_join(&t), 0);
	KT_EXPECT_EQ(flush(1), 0);
	KT_EXPECT_EQ(cycle_got[0] + cycle_got[1], -EDEADLK);
	overflow_finish(NULL, 0);
}

static int waits_for_the_queue(struct kpool_item *item)
{
	cycle_got[2] = flush(1);
	return timed_fn(item);
}

static int fills_the_queue(struct kpool_item *item)
{
	KT_EXPECT_EQ(submit(1), 0);
	KT_EXPECT_EQ(submit(2), 0);
	return timed_fn(item);
}

/*
 * An item in a worker runs another itself.  That waits for a queued item that
 * cannot start before both have ended: the wait is refused.
 * Fails (hangs) if the inner run is taken for one that goes on.
 */
static void deadlock_within_a_workers_item_is_refused(void)
{
	if (!overflow_make(KPOOL_FULL_CALLER_RUNS, 1))
		return;
	memset(cycle_got, 0, sizeof(cycle_got));
	job[0].job.item.fn = fills_the_queue;
	job[2].job.item.fn = waits_for_the_queue;
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT_EQ(cycle_got[2], -EDEADLK);
	KT_EXPECT_EQ(flush(1), 0);
	KT_EXPECT(timed_ran(&job[1]) && timed_ran(&job[2]));
	overflow_finish(NULL, 0);
}

static int submits_the_outer(struct kpool_item *item)
{
	KT_EXPECT_EQ(submit(0), 0);
	return noted(item);
}

static int runs_one_that_submits_it(struct kpool_item *item)
{
	if (!timed_runs(&job[0]))
		KT_EXPECT_EQ(submit(1), 0);
	return noted(item);
}

/*
 * An item submits itself, too, from within another that its function runs as a
 * submitter.
 * Fails (-EDEADLK) if only the innermost item is compared: mutant
 * self-submission-within-another.
 */
static void item_submits_itself_within_another(void)
{
	if (!overflow_make(KPOOL_FULL_CALLER_RUNS, 0))
		return;
	job[0].job.item.fn = runs_one_that_submits_it;
	job[1].job.item.fn = submits_the_outer;
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT(kt_wait(timed_runs(&job[0]) == 2));
	KT_EXPECT(timed_ran(&job[1]));
	KT_EXPECT_EQ(kt_stat(overflow_pool, caller_ran), 1);
	overflow_finish(NULL, 0);
}

static struct kpool *elsewhere;
static int handed_over;

static int hands_the_outer_on(struct kpool_item *item)
{
	handed_over = kpool_try_submit(elsewhere, &job[0].job.item);
	return noted(item);
}

/*
 * Only its own function can hand an item on to another pool, and not one that
 * this runs as a submitter.
 * Fails (two runs at once) if all inside of its function can: mutant
 * handover-within-another.
 */
static void item_is_not_handed_over_within_another(void)
{
	elsewhere = kt_pool("elsewhere", NULL);
	if (!elsewhere)
		return;
	if (!overflow_make(KPOOL_FULL_CALLER_RUNS, 0))
		goto out;
	job[0].job.item.fn = runs_one_that_submits_it;
	job[1].job.item.fn = hands_the_outer_on;
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT_EQ(flush(0), 0);
	KT_EXPECT_EQ(handed_over, -EBUSY);
	KT_EXPECT_EQ(kpool_flush(elsewhere), 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 1);
	overflow_finish(NULL, 0);
out:
	kt_pool_end(elsewhere);
}

/* The interrupt of a submitter in the item that it runs. */
static struct {
	struct hrtimer		timer;
	struct task_struct	*task;
	int			on, again;	/* results of its submits */
	bool			hit;
} interrupting;

static enum hrtimer_restart submits_what_it_interrupts(struct hrtimer *timer)
{
	if (current != interrupting.task) {
		hrtimer_forward_now(timer, ns_to_ktime(NSEC_PER_MSEC));
		return HRTIMER_RESTART;
	}
	interrupting.on = kpool_try_submit(elsewhere, &job[0].job.item);
	interrupting.again = try(0);
	WRITE_ONCE(interrupting.hit, true);
	return HRTIMER_NORESTART;
}

static int is_interrupted(struct kpool_item *item)
{
	ktime_t end = ktime_add_ms(ktime_get(), 10000);

	interrupting.task = current;
	hrtimer_start(&interrupting.timer, ns_to_ktime(NSEC_PER_MSEC),
		      HRTIMER_MODE_REL_PINNED_HARD);
	while (!READ_ONCE(interrupting.hit) && ktime_before(ktime_get(), end))
		cpu_relax();
	hrtimer_cancel(&interrupting.timer);
	return noted(item);
}

/*
 * An interrupt of a submitter is not the item that it runs.  It hands that to
 * no other pool, and needs room for it like anyone.
 * Fails (two runs at once) if the thread alone is checked: mutant
 * interrupt-taken-for-a-caller.
 */
static void interrupt_of_a_caller_is_not_its_item(void)
{
	elsewhere = kt_pool("elsewhere", NULL);
	if (!elsewhere)
		return;
	if (!overflow_full(KPOOL_FULL_CALLER_RUNS, 0))
		goto out;
	memset(&interrupting, 0, sizeof(interrupting));
	interrupting.on = 1;
	interrupting.again = 1;
	hrtimer_setup(&interrupting.timer, submits_what_it_interrupts,
		      CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	job[0].job.item.fn = is_interrupted;
	KT_EXPECT_EQ(submit(0), 0);
	KT_EXPECT(interrupting.hit);
	KT_EXPECT_EQ(interrupting.on, -EBUSY);
	KT_EXPECT_EQ(interrupting.again, -EAGAIN);
	KT_EXPECT_EQ(kpool_flush(elsewhere), 0);
	vacate();
	KT_EXPECT_EQ(kpool_flush(overflow_pool), 0);
	KT_EXPECT(ran_by[0] == current);
	KT_EXPECT_EQ(timed_runs(&job[0]), 1);
	overflow_finish(NULL, 0);
out:
	kt_pool_end(elsewhere);
}

/*
 * An item that its drop function, or its own function with more weight, submits
 * takes a place in the queue.  Its run frees no unit, or too few, for it.
 * Fails (accepted) if it is taken for one that will have the units of its run:
 * mutants requeued-takes-no-place, requeued-takes-no-place-from-plain.
 */
static void requeued_item_takes_a_place(int heavier)
{
	if (!overflow_make(KPOOL_FULL_WAIT, 1))
		return;
	kt_gate_init(&job[0].gate);
	if (heavier) {
		KT_EXPECT_EQ(kpool_tune(overflow_pool, KPOOL_TUNE_CAPACITY, 2), 0);
		KT_EXPECT_EQ(submit(0), 0);
		KT_EXPECT(kt_wait(atomic_read(&job[0].gate.started)));
		KT_EXPECT_EQ(kpool_set_weight(&job[0].job.item, 2), 0);
	} else {
		kpool_set_drop_fn(&job[0].job.item, timed_dropped_gated);
		KT_EXPECT_EQ(kpool_set_deadline(&job[0].job, 1), 0);
		KT_EXPECT_EQ(submit(0), 0);
		KT_EXPECT(kt_wait(atomic_read(&timed_dropping.started)));
		KT_EXPECT_EQ(kpool_set_deadline(&job[0].job, 0), 0);
	}
	KT_EXPECT_EQ(try(0), 0);
	KT_EXPECT(load_runs(overflow_pool, &load[0]));
	KT_EXPECT_EQ(try(1), -EAGAIN);
	KT_EXPECT_EQ(load_try(overflow_pool, &load[1]), -EAGAIN);
	KT_EXPECT_EQ(kpool_tune(overflow_pool, KPOOL_TUNE_QUEUE_DEPTH, 2), 0);
	KT_EXPECT_EQ(load_try(overflow_pool, &load[1]), 0);
	KT_EXPECT_EQ(try(1), -EAGAIN);
	kt_gate_open(&timed_dropping);
	kt_gate_open(&job[0].gate);
	KT_EXPECT(kt_wait(kt_stat(overflow_pool, pending) == 2));
	overflow_finish(NULL, 0);
	KT_EXPECT_EQ(timed_runs(&job[0]), 1 + heavier);
}

static const char *const requeued[] = { "dropped", "heavier", NULL };

KT_MODULE("kpool selftest: no room",
	  KT_EACH(caller_runs_the_item, sleeping_ways),
	  KT_CASE(caller_runs_only_what_finds_no_room),
	  KT_CASE(caller_holds_no_unit),
	  KT_CASE(error_of_a_caller_run_is_counted),
	  KT_CASE(waiting_includes_the_run_of_a_caller),
	  KT_CASE(item_that_a_caller_runs_starts_again_after),
	  KT_CASE(plain_item_that_a_caller_runs_starts_again_after),
	  KT_CASE(caller_does_not_run_a_running_item),
	  KT_CASE(item_that_a_caller_runs_may_submit_itself),
	  KT_CASE(item_of_the_pool_runs_it_itself),
	  KT_CASE(item_may_be_reinitialized_in_a_caller),
	  KT_CASE(function_submits_another_in_a_caller),
	  KT_CASE(parked_item_blocks_no_other),
	  KT_EACH(requeued_item_takes_a_place, requeued),
	  KT_CASE(callers_do_not_nest_without_end),
	  KT_CASE(abort_in_nested_callers_is_left_to_the_drop_work),
	  KT_CASE(caller_may_run_it_in_reclaim),
	  KT_EACH(deadlock_through_a_caller_is_refused, depths_of_callers),
	  KT_CASE(deadlock_within_a_workers_item_is_refused),
	  KT_CASE(item_submits_itself_within_another),
	  KT_CASE(item_is_not_handed_over_within_another),
	  KT_CASE(interrupt_of_a_caller_is_not_its_item),
	  KT_CASE(caller_cannot_wait_for_itself),
	  KT_CASE(destroy_waits_for_the_run_of_a_caller),
	  KT_CASE(caller_that_must_not_sleep_is_refused),
	  KT_CASE(interrupt_does_not_run_the_item),
	  KT_CASE(caller_runs_functions_and_calls),
	  KT_CASE(caller_waits_in_a_paused_pool),
	  KT_CASE(caller_runs_nothing_that_is_refused),
	  KT_CASE(caller_does_not_run_an_overdue_job),
	  KT_CASE(due_job_waits_without_a_caller),
	  KT_CASE(caller_runs_is_refused_where_it_cannot_be),
	  KT_CASE(tune_refuses_caller_runs_where_it_cannot_be),
	  KT_CASE(callers_and_workers_run_each_item_once),
	  KT_EACH(newcomer_evicts_the_oldest, ways),
	  KT_CASE(lowest_priority_is_evicted_first),
	  KT_CASE(higher_priority_is_never_evicted),
	  KT_CASE(pool_without_queue_evicts_nothing),
	  KT_CASE(nonblocking_pool_evicts_or_refuses),
	  KT_CASE(newcomer_does_not_wait_for_the_drop_function),
	  KT_CASE(waiters_of_an_evicted_item_are_woken),
	  KT_CASE(evicted_item_can_be_submitted_again),
	  KT_CASE(item_that_runs_is_not_evicted),
	  KT_CASE(self_submission_evicts_nothing),
	  KT_CASE(delayed_job_is_not_evicted),
	  KT_CASE(paused_pool_evicts),
	  KT_CASE(paused_pool_without_queue_evicts_nothing),
	  KT_CASE(shortened_queue_evicts_nothing),
	  KT_CASE(item_is_evicted_or_runs_once),
	  KT_CASE(submitters_are_not_overtaken_after_tuning),
	  KT_CASE(submitters_are_admitted_after_tuning_to_caller_runs),
	  KT_EACH(policy_changes_at_run_time, policies));
