// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each call and each event that lets an item start, a submitter in or a wait
 * end does so by itself.
 *
 * After it a case reads its own variables only.  A further call of kpool, a
 * flush above all, would make up for a wake-up that is missing.  For the same
 * reason no worker expires here, and under simulated time the effect has to
 * come within a few ticks.
 */
#include <linux/sched/signal.h>

#include "group.h"
#include "hardirq.h"
#include "load.h"

#define woken(cond)	KT_EXPECT(kt_wait_for(cond, kt_exact ? 10 : KT_LIMIT))

static struct kpool *here;
static struct kpool_stream stream;
static struct load early[4];
static struct kt_submitter sleeper[2];

static struct kpool_item *item(int i)
{
	return &p[i].job.item;
}

static int started(int i)
{
	return atomic_read(&p[i].own.started);
}

static void submit(int i)
{
	KT_EXPECT_EQ(kpool_submit(here, item(i)), 0);
}

/* The item holds its units until it is let go. */
static bool occupy(int i, int weight)
{
	KT_EXPECT_EQ(kpool_set_weight(item(i), weight), 0);
	submit(i);
	return woken(started(i));
}

static bool wake_make_as(int capacity, int depth, int when_full,
			 unsigned int group_flags)
{
	const struct kpool_attrs attrs = {
		.capacity = capacity, .when_full = when_full,
		.queue_depth = depth ? depth : KPOOL_NONE,
		.expiry_ms = KPOOL_NO_PURGE,
	};

	memset(sleeper, 0, sizeof(sleeper));
	here = group_make(&attrs, 0, group_flags);
	if (!here)
		return false;
	kpool_init_stream(&stream, here);
	probes_hold(p, ARRAY_SIZE(p));
	return true;
}

static bool wake_make(int capacity, int depth)
{
	return wake_make_as(capacity, depth, KPOOL_FULL_WAIT, 0);
}

/* Have as many idle workers as units. */
static bool wake_make_idle(int n)
{
	int i;

	load_init_all(early, n);
	for (i = 0; i < n; i++)
		KT_EXPECT_EQ(load_submit(here, &early[i]), 0);
	for (i = 0; i < n; i++)
		KT_EXPECT(load_starts(&early[i]));
	load_open_all(early, n);
	return KT_EXPECT(kt_wait(kt_stat(here, idle) == n));
}

static void wake_end(void)
{
	int i;

	probes_open(p, ARRAY_SIZE(p));
	if (!here)
		return;
	kpool_resume(here);
	for (i = 0; i < ARRAY_SIZE(sleeper); i++)
		if (sleeper[i].thread.task)
			kt_thread_join(&sleeper[i].thread);
	jobs_end(here);
}

/* Events that let one item start */

static void by_submit(void)
{
	submit(0);
}

static void by_try(void)
{
	KT_EXPECT_EQ(kpool_try_submit(here, item(0)), 0);
}

static void by_timeout(void)
{
	KT_EXPECT_EQ(kpool_submit_timeout(here, item(0), 1), 0);
}

static void by_killable(void)
{
	KT_EXPECT_EQ(kpool_submit_killable(here, item(0)), 0);
}

static void by_interrupt(void)
{
	hardirq_do(by_try);
}

static void by_fn(void)
{
	KT_EXPECT_EQ(kpool_submit_fn(here, kt_gate_pass, &p[0].own, GFP_KERNEL),
		     0);
}

static void by_fn_atomic(void)
{
	KT_EXPECT_EQ(kpool_submit_fn(here, kt_gate_pass, &p[0].own, GFP_ATOMIC),
		     0);
}

static int calls(void *unused)
{
	return kpool_call(here, kt_gate_pass, &p[0].own, NULL);
}

static void by_call(void)
{
	kt_thread_start(&sleeper[0].thread, calls, NULL);
}

static void by_no_delay(void)
{
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[0].job, 0), 0);
}

static void by_no_delay_in_interrupt(void)
{
	hardirq_do(by_no_delay);
}

static void by_timer(void)
{
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[0].job, 2), 0);
}

static void by_delay_cut_short(void)
{
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[0].job, 3600 * HZ), 0);
	KT_EXPECT(kpool_modify_delay(&p[0].job, 0));
}

static void by_nearer_delay(void)
{
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[0].job, 3600 * HZ), 0);
	KT_EXPECT(kpool_modify_delay(&p[0].job, 2));
}

/* The timer was set for the job that is cancelled. */
static void by_timer_of_another(void)
{
	unsigned long first = kt_exact ? 1 : HZ;

	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[1].job, first), 0);
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[0].job, first + 2), 0);
	KT_EXPECT(kpool_cancel(item(1)));
}

static void by_resume(void)
{
	KT_EXPECT_EQ(kpool_pause(here), 0);
	submit(0);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(started(0), 0);
	kpool_resume(here);
}

static void by_shutdown(void)
{
	KT_EXPECT_EQ(kpool_pause(here), 0);
	submit(0);
	kpool_shutdown(here);
}

static void by_timed_shutdown(void)
{
	KT_EXPECT_EQ(kpool_pause(here), 0);
	submit(0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(here, 0), -ETIMEDOUT);
}

static void by_submit_after_reopen(void)
{
	KT_EXPECT_EQ(kpool_shutdown_timeout(here, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_reopen(here), 0);
	submit(0);
}

static void by_end_of_its_earlier_run(void)
{
	submit(0);
	woken(started(0) == 1);
	submit(0);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(started(0), 1);
	atomic_set(&p[0].own.started, 0);
	kt_gate_let_one(&p[0].own);
}

static void by_end_of_another(void)
{
	occupy(10, 2);
	submit(0);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(started(0), 0);
	probes_open(&p[10], 1);
}

static void by_end_of_one_before_it_in_its_stream(void)
{
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[10].job, &stream);
	occupy(10, 1);
	submit(0);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(started(0), 0);
	probes_open(&p[10], 1);
}

static void dropped_submits(struct kpool_item *dropped, int err)
{
	KT_EXPECT_EQ(err, -ETIME);
	kpool_set_deadline(kpool_job_of(dropped), 0);
	KT_EXPECT_EQ(kpool_submit(here, dropped), 0);
	/* a worker that would start it too early comes to run */
	kt_sleep_ms(10);
	KT_EXPECT_EQ(started(0), 0);
	atomic_inc(&p[0].dropped);
}

static void by_end_of_its_drop_function(void)
{
	kpool_set_drop_fn(item(0), dropped_submits);
	kpool_set_deadline(&p[0].job, the_past());
	submit(0);
	woken(atomic_read(&p[0].dropped) == 1);
}

static void by_drop_of_those_before_it(void)
{
	int i;

	KT_EXPECT_EQ(kpool_pause(here), 0);
	for (i = 10; i < 20; i++) {
		kpool_set_deadline(&p[i].job, the_past());
		submit(i);
	}
	submit(0);
	kpool_resume(here);
}

static void (*const starters[])(void) = {
	by_submit, by_try, by_timeout, by_killable, by_interrupt, by_fn,
	by_fn_atomic, by_call, by_no_delay, by_no_delay_in_interrupt, by_timer,
	by_delay_cut_short, by_nearer_delay, by_timer_of_another, by_resume,
	by_shutdown, by_timed_shutdown, by_submit_after_reopen,
	by_end_of_its_earlier_run, by_end_of_another,
	by_end_of_one_before_it_in_its_stream, by_end_of_its_drop_function,
	by_drop_of_those_before_it,
};

static const char *const starter_names[] = {
	"submit", "try", "timeout", "killable", "interrupt", "fn", "fn_atomic",
	"call", "no_delay", "no_delay_in_interrupt", "timer",
	"delay_cut_short", "nearer_delay", "timer_of_another", "resume",
	"shutdown", "timed_shutdown", "submit_after_reopen",
	"end_of_its_earlier_run", "end_of_another",
	"end_of_one_before_it_in_its_stream", "end_of_its_drop_function",
	"drop_of_those_before_it", NULL
};

/*
 * The pool has no worker at first.
 * Fails if none is made before another call.
 */
static void worker_is_created_by(int starter)
{
	if (!wake_make(2, KPOOL_UNLIMITED))
		return;
	starters[starter]();
	woken(started(0));
	wake_end();
}

/* Workers that sleep are woken by the same events.  Fails if none is woken. */
static void worker_is_woken_by(int starter)
{
	if (!wake_make(2, KPOOL_UNLIMITED) || !wake_make_idle(2))
		goto out;
	starters[starter]();
	woken(started(0));
out:
	wake_end();
}

/* Items that wait, and then one for which there is a unit. */
static void plain_beside_a_stream(void)
{
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
}

static void other_stream_beside_a_stream(void)
{
	static struct kpool_stream other;

	plain_beside_a_stream();
	kpool_init_stream(&other, here);
	kpool_set_stream(&p[2].job, &other);
}

static void heavy_beside_a_stream(void)
{
	plain_beside_a_stream();
	KT_EXPECT_EQ(kpool_set_weight(item(2), 2), 0);
}

static void high_beside_a_heavy_one(void)
{
	KT_EXPECT_EQ(kpool_set_weight(item(1), 3), 0);
	KT_EXPECT_EQ(kpool_set_priority(item(2), KPOOL_PRIO_HIGH), 0);
}

static void (*const beside[])(void) = {
	plain_beside_a_stream, other_stream_beside_a_stream,
	heavy_beside_a_stream, high_beside_a_heavy_one,
};

static const char *const beside_names[] = {
	"plain", "stream", "heavy", "high", NULL
};

/*
 * An item that can start is submitted in the same tick as one that cannot,
 * while units and workers are idle.
 * Fails if it is accepted without the lock, as that one could be.
 */
static void free_unit_is_used_by(int which)
{
	if (!wake_make(3, KPOOL_UNLIMITED) || !wake_make_idle(3))
		goto out;
	beside[which]();
	submit(0);
	if (!woken(started(0)))
		goto out;
	submit(1);
	submit(2);
	woken(started(2));
	KT_EXPECT_EQ(started(1), 0);
out:
	wake_end();
}

/* Let several start; return how many, of the first */

static int several_by_resume(void)
{
	KT_EXPECT_EQ(kpool_pause(here), 0);
	probes_submit(here, p, 3);
	kpool_resume(here);
	return 3;
}

static int several_by_shutdown(void)
{
	KT_EXPECT_EQ(kpool_pause(here), 0);
	probes_submit(here, p, 3);
	kpool_shutdown(here);
	return 3;
}

static int several_by_timer(void)
{
	int i;

	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kpool_submit_delayed(here, &p[i].job, 2), 0);
	return 3;
}

static int several_by_capacity(void)
{
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_CAPACITY, 1), 0);
	probes_submit(here, p, 3);
	woken(started(0));
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_CAPACITY, 3), 0);
	return 3;
}

static int several_by_end_of_a_heavy_one(void)
{
	occupy(10, 3);
	probes_submit(here, p, 3);
	probes_open(&p[10], 1);
	return 3;
}

/* A heavy one does not fit, and two wait behind it. */
static void queue_behind_a_heavy_one(void)
{
	occupy(10, 1);
	KT_EXPECT_EQ(kpool_set_weight(item(11), 3), 0);
	submit(11);
	probes_submit(here, p, 2);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(started(0) + started(1) + started(11), 0);
}

static int several_by_cancel(void)
{
	queue_behind_a_heavy_one();
	KT_EXPECT(kpool_cancel(item(11)));
	return 2;
}

static int several_by_cancel_sync(void)
{
	queue_behind_a_heavy_one();
	KT_EXPECT_EQ(kpool_cancel_sync(item(11)), 1);
	return 2;
}

static int several_by_disable(void)
{
	queue_behind_a_heavy_one();
	KT_EXPECT_EQ(kpool_disable(item(11)), 1);
	return 2;
}

static int several_by_disable_sync(void)
{
	queue_behind_a_heavy_one();
	KT_EXPECT_EQ(kpool_disable_sync(item(11)), 1);
	return 2;
}

static int several_by_group_cancel(void)
{
	kpool_set_group(&p[11].job, &group);
	queue_behind_a_heavy_one();
	kpool_group_cancel(&group);
	return 2;
}

/* The items behind it follow it in its stream: only one of them can start. */
static int one_by_cancel_of_its_leader(void)
{
	int i;

	for (i = 0; i < 2; i++)
		kpool_set_stream(&p[i].job, &stream);
	kpool_set_stream(&p[11].job, &stream);
	queue_behind_a_heavy_one();
	KT_EXPECT(kpool_cancel(item(11)));
	return 1;
}

static int one_by_group_cancel_of_its_leader(void)
{
	int i;

	for (i = 0; i < 2; i++)
		kpool_set_stream(&p[i].job, &stream);
	kpool_set_stream(&p[11].job, &stream);
	kpool_set_group(&p[11].job, &group);
	queue_behind_a_heavy_one();
	kpool_group_cancel(&group);
	return 1;
}

static int heavy_one_by_capacity(void)
{
	KT_EXPECT_EQ(kpool_set_weight(item(0), 3), 0);
	occupy(10, 2);
	submit(0);
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_CAPACITY, 4), 0);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(started(0), 0);
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_CAPACITY, 5), 0);
	return 1;
}

static int (*const crowds[])(void) = {
	several_by_resume, several_by_shutdown, several_by_timer,
	several_by_capacity, several_by_end_of_a_heavy_one, several_by_cancel,
	several_by_cancel_sync, several_by_disable, several_by_disable_sync,
	several_by_group_cancel, one_by_cancel_of_its_leader,
	one_by_group_cancel_of_its_leader, heavy_one_by_capacity,
};

static const char *const crowd_names[] = {
	"resume", "shutdown", "timer", "capacity", "end_of_a_heavy_one",
	"cancel", "cancel_sync", "disable", "disable_sync", "group_cancel",
	"cancel_of_their_leader", "group_cancel_of_their_leader",
	"capacity_for_a_heavy_one", NULL
};

/*
 * As many start at once as there are units, none of which ends before.
 * Fails if one is started where there is room for several.
 */
static void several_are_started(int crowd, bool idle)
{
	int i, n = 0;

	if (!wake_make(3, KPOOL_UNLIMITED) || (idle && !wake_make_idle(3)))
		goto out;
	n = crowds[crowd]();
	for (i = 0; i < n; i++)
		woken(started(i));
	kt_sleep_ms(10);
	KT_EXPECT_EQ(started(n), 0);
out:
	wake_end();
}

static void several_workers_are_created_by(int crowd)
{
	several_are_started(crowd, false);
}

static void several_workers_are_woken_by(int crowd)
{
	several_are_started(crowd, true);
}

/* Events that let a submitter in */

static void room_by_cancel(void)
{
	KT_EXPECT(kpool_cancel(item(11)));
}

static void room_by_cancel_sync(void)
{
	KT_EXPECT_EQ(kpool_cancel_sync(item(11)), 1);
}

static void room_by_disable(void)
{
	KT_EXPECT_EQ(kpool_disable(item(11)), 1);
}

static void room_by_disable_sync(void)
{
	KT_EXPECT_EQ(kpool_disable_sync(item(11)), 1);
}

static void room_by_group_cancel(void)
{
	kpool_group_cancel(&group);
}

static void room_by_end(void)
{
	probes_open(&p[10], 1);
}

static void room_by_capacity(void)
{
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_CAPACITY, 2), 0);
}

static void room_by_queue_depth(void)
{
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_QUEUE_DEPTH, 2), 0);
}

static void room_by_queue_without_bound(void)
{
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_UNLIMITED), 0);
}

static void room_by_failure(void)
{
	p[10].ret = -EIO;
	probes_open(&p[10], 1);
}

static void (*const rooms[])(void) = {
	room_by_cancel, room_by_cancel_sync, room_by_disable,
	room_by_disable_sync, room_by_group_cancel, room_by_end,
	room_by_capacity, room_by_queue_depth, room_by_queue_without_bound,
	room_by_failure,
};

static const char *const room_names[] = {
	"cancel", "cancel_sync", "disable", "disable_sync", "group_cancel",
	"end", "capacity", "queue_depth", "queue_without_bound", "failure",
	NULL
};

/*
 * An item runs, another is in the queue, which is full then, and a submitter
 * sleeps.
 * Fails if the room is there and the submitter stays blocked.
 */
static void submitter_is_admitted_by(int room)
{
	if (!wake_make_as(1, 1, KPOOL_FULL_WAIT, KPOOL_GROUP_FAIL_FAST))
		return;
	kpool_set_group(&p[10].job, &group);
	kpool_set_group(&p[11].job, &group);
	if (!occupy(10, 1))
		goto out;
	submit(11);
	if (!kt_submitter_block(&sleeper[0], here, item(0)))
		goto out;
	rooms[room]();
	if (woken(kt_thread_done(&sleeper[0].thread)))
		KT_EXPECT_EQ(kt_thread_join(&sleeper[0].thread), 0);
out:
	wake_end();
}

/* A drop function that takes its time. */
static void drop_waits(struct kpool_item *dropped, int err)
{
	atomic_inc(&p[0].dropped);
	kt_gate_pass(&p[12].own);
}

/*
 * A drop function of the pool hangs.
 * Fails if the submitters of a cancelled group sleep until it has returned:
 * mutant group-not-swept.
 */
static void submitter_of_cancelled_group_returns_during_a_drop(void)
{
	if (!wake_make(1, 1))
		return;
	kpool_set_group(&p[1].job, &group);
	kpool_set_drop_fn(item(0), drop_waits);
	kpool_set_deadline(&p[0].job, the_past());
	submit(0);
	if (!woken(atomic_read(&p[0].dropped) == 1) || !occupy(10, 1))
		goto out;
	submit(11);
	if (!kt_submitter_block(&sleeper[0], here, item(1)))
		goto out;
	kpool_group_cancel(&group);
	if (woken(kt_thread_done(&sleeper[0].thread)))
		KT_EXPECT_EQ(kt_thread_join(&sleeper[0].thread), -ECANCELED);
out:
	wake_end();
}

/* How a heavy one in front of the queue goes away */

static int sleeps_two_ticks(void *arg)
{
	struct kt_submitter *s = arg;

	return kpool_submit_timeout(s->pool, s->item, kt_exact ? 2 : 2 * HZ);
}

static void away_by_timeout(void)
{
}

static void away_by_kill(void)
{
	send_sig(SIGKILL, sleeper[1].thread.task, 1);
}

static void away_by_cancel(void)
{
	kpool_cancel(item(1));
}

static void away_by_disable(void)
{
	kpool_disable(item(1));
}

static void away_by_cancel_sync(void)
{
	kpool_cancel_sync(item(1));
}

static void away_by_group_cancel(void)
{
	kpool_group_cancel(&group);
}

static const struct {
	int	(*submit)(void *arg);
	void	(*away)(void);
	int	err;
} farewells[] = {
	{ sleeps_two_ticks, away_by_timeout, -ETIMEDOUT },
	{ load_submit_killable, away_by_kill, -EINTR },
	{ kt_submitter_main, away_by_cancel, -ECANCELED },
	{ kt_submitter_main, away_by_disable, -ECANCELED },
	{ kt_submitter_main, away_by_cancel_sync, -ECANCELED },
	{ kt_submitter_main, away_by_group_cancel, -ECANCELED },
};

static const char *const away_names[] = {
	"timeout", "kill", "cancel", "disable", "cancel_sync", "group_cancel",
	NULL
};

/*
 * The first to sleep needs two units, of which one is free; the next needs
 * that one only.  The first gives up.
 * Fails if the next is not admitted, or not started, then.
 */
static void next_submitter_is_admitted_after(int way)
{
	if (!wake_make(2, 0))
		return;
	KT_EXPECT_EQ(kpool_set_weight(item(1), 2), 0);
	kpool_set_group(&p[1].job, &group);
	if (!occupy(10, 1) ||
	    !full_block(&sleeper[1], farewells[way].submit, here, item(1)) ||
	    !kt_submitter_block(&sleeper[0], here, item(0)))
		goto out;
	farewells[way].away();
	woken(started(0));
	if (woken(kt_thread_done(&sleeper[1].thread)))
		KT_EXPECT_EQ(kt_thread_join(&sleeper[1].thread),
			     farewells[way].err);
	KT_EXPECT_EQ(kt_thread_join(&sleeper[0].thread), 0);
out:
	wake_end();
}

/*
 * The end of a job that came due without room in front admits the submitter,
 * too.
 * Fails if its end, unlike a submitter's, admits no submitter.
 */
static void submitter_is_admitted_when_a_due_job_ends(int way)
{
	if (!wake_make(2, 0))
		return;
	KT_EXPECT_EQ(kpool_set_weight(item(1), 2), 0);
	kpool_set_group(&p[1].job, &group);
	if (!occupy(10, 1))
		goto out;
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[1].job, 0), 0);
	KT_EXPECT_EQ(kt_stat(here, pending), 1);
	if (!kt_submitter_block(&sleeper[0], here, item(0)))
		goto out;
	farewells[way + 2].away();
	woken(started(0));
out:
	wake_end();
}

static const char *const due_away_names[] = {
	"cancel", "disable", "cancel_sync", "group_cancel", NULL
};

/* Events that end a wait */

static int waits_for_item(void *arg)
{
	return kpool_flush_item(item(0));
}

static int waits_for_pool(void *arg)
{
	return kpool_flush(here);
}

static int waits_for_group(void *arg)
{
	return kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT);
}

static int waits_for_next(void *arg)
{
	return kpool_group_next(&group, MAX_SCHEDULE_TIMEOUT) == &p[0].job;
}

static void ends_by_run(void)
{
	probes_open(p, 1);
	kpool_resume(here);
}

static void ends_by_cancel(void)
{
	KT_EXPECT(kpool_cancel(item(0)));
}

static void ends_by_cancel_sync(void)
{
	KT_EXPECT_EQ(kpool_cancel_sync(item(0)), 1);
}

static void ends_by_disable(void)
{
	KT_EXPECT_EQ(kpool_disable(item(0)), 1);
}

static void ends_by_group_cancel(void)
{
	kpool_group_cancel(&group);
}

static void ends_by_abort(void)
{
	KT_EXPECT_EQ(kpool_abort(here), 1);
}

static void ends_by_deadline(void)
{
	kpool_resume(here);
}

static void ends_by_newcomer(void)
{
	probes_open(&p[1], 1);
	KT_EXPECT_EQ(kpool_try_submit(here, item(1)), 0);
}

static void (*const ends[])(void) = {
	ends_by_run, ends_by_cancel, ends_by_cancel_sync, ends_by_disable,
	ends_by_group_cancel, ends_by_abort, ends_by_deadline,
	ends_by_newcomer,
};

static const char *const end_names[] = {
	"run", "cancel", "cancel_sync", "disable", "group_cancel", "abort",
	"deadline", "newcomer", NULL
};

/*
 * An item is pending alone, and is waited for in every way.
 * Fails if one of those ends leaves a waiter blocked.
 */
static void waits_are_ended_by(int end)
{
	static int (*const waits[])(void *arg) = {
		waits_for_item, waits_for_pool, waits_for_group, waits_for_next,
	};
	struct kt_thread t[ARRAY_SIZE(waits)] = { };
	int i;

	if (!wake_make_as(1, 1, KPOOL_FULL_DROP_OLDEST, KPOOL_GROUP_COLLECT))
		return;
	if (ends[end] == ends_by_newcomer && !occupy(10, 1))
		goto out;
	if (ends[end] != ends_by_newcomer)
		KT_EXPECT_EQ(kpool_pause(here), 0);
	if (ends[end] == ends_by_deadline)
		kpool_set_deadline(&p[0].job, the_past());
	kpool_set_group(&p[0].job, &group);
	submit(0);
	for (i = 0; i < ARRAY_SIZE(waits); i++)
		if ((i != 1 || ends[end] != ends_by_newcomer) &&
		    (!kt_thread_start(&t[i], waits[i], NULL) ||
		     !kt_thread_asleep(&t[i])))
			break;
	ends[end]();
	for (i = 0; i < ARRAY_SIZE(waits); i++)
		if (t[i].task)
			woken(kt_thread_done(&t[i]));
	for (i = 0; i < ARRAY_SIZE(waits); i++)
		if (t[i].task)
			KT_EXPECT_EQ(kt_thread_join(&t[i]), i == 3);
out:
	wake_end();
}

/* Others */

static int caller_runs(void *unused)
{
	return kpool_submit(here, item(0));
}

/*
 * An item is submitted again while its submitter runs it; a worker starts it
 * after that run.
 * Fails if the end of a caller's run wakes no waiter.
 */
static void end_of_a_caller_run_starts_the_next(void)
{
	struct kt_thread t = { };

	if (!wake_make_as(1, 0, KPOOL_FULL_CALLER_RUNS, 0))
		return;
	if (!occupy(10, 1) || !kt_thread_start(&t, caller_runs, NULL) ||
	    !woken(started(0)))
		goto out;
	probes_open(&p[10], 1);
	KT_EXPECT(kt_wait(kt_stat(here, idle) == 1));
	submit(0);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(started(0), 1);
	kt_gate_let_one(&p[0].own);
	woken(started(0) == 2);
out:
	probes_open(p, 1);
	if (t.task)
		KT_EXPECT_EQ(kt_thread_join(&t), 0);
	wake_end();
}

static struct kt_gate exits;

static void *enters(void *data)
{
	return data;
}

static void exits_gated(void *data, void *worker_data)
{
	kt_gate_pass(&exits);
}

/*
 * The only worker is about to exit, and counts until it is gone: no other can
 * be made before.
 * Fails if the item that came during the exit waits for the next call.
 */
static void exiting_worker_is_replaced(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1, .expiry_ms = 1,
		.worker_init = enters, .worker_exit = exits_gated,
	};

	kt_gate_init(&exits);
	memset(sleeper, 0, sizeof(sleeper));
	here = group_make(&attrs, 0, 0);
	if (!here)
		return;
	probes_hold(p, ARRAY_SIZE(p));
	if (!occupy(10, 1))
		goto out;
	probes_open(&p[10], 1);
	if (!KT_EXPECT(kt_wait(atomic_read(&exits.started))))
		goto out;
	submit(0);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(started(0), 0);
	kt_gate_open(&exits);
	woken(started(0));
out:
	kt_gate_open(&exits);
	wake_end();
}

static int releases(void *unused)
{
	return kpool_shutdown_timeout(here, MAX_SCHEDULE_TIMEOUT);
}

/*
 * A closed pool is waited for, and its last item is taken back, or ends.
 * Fails if the exit of the last worker, or the end of the last item, does not
 * wake the waiter.
 */
static void end_of_a_closed_pool_wakes_its_waiter(int cancelled)
{
	struct kt_thread t = { };

	if (!wake_make(1, 1))
		return;
	if (!occupy(10, 1))
		goto out;
	submit(0);
	if (!kt_thread_start(&t, releases, NULL) || !kt_thread_asleep(&t))
		goto out;
	probes_open(p, 1);
	if (cancelled)
		KT_EXPECT(kpool_cancel(item(0)));
	probes_open(&p[10], 1);
	woken(kt_thread_done(&t));
	KT_EXPECT_EQ(started(0), !cancelled);
out:
	if (t.task)
		KT_EXPECT_EQ(kt_thread_join(&t), 0);
	wake_end();
}

/*
 * A worker that lets the task go on that it has woken will take the item that
 * this submits: no other has to come.
 * Fails (a second worker is created) if it does not count as waking: mutant
 * yielding-is-not-waking.
 */
static void yielding_worker_is_enough(void)
{
	int i;

	if (!kt_exact) {
		kt_skip("there may be several CPUs");
		return;
	}
	if (!wake_make(2, 0))
		return;
	p[0].gate = NULL;
	sched_set_fifo(current);
	for (i = 0; i < 10; i++) {
		submit(0);
		KT_EXPECT_EQ(kpool_flush_item(item(0)), 0);
	}
	sched_set_normal(current, 0);
	KT_EXPECT_EQ(kt_stat(here, spawned), 1);
	wake_end();
}

static const char *const last_ends[] = { "run", "cancelled", NULL };

KT_MODULE("kpool selftests: each event wakes by itself",
	  KT_EACH(worker_is_created_by, starter_names),
	  KT_EACH(worker_is_woken_by, starter_names),
	  KT_EACH(free_unit_is_used_by, beside_names),
	  KT_EACH(several_workers_are_created_by, crowd_names),
	  KT_EACH(several_workers_are_woken_by, crowd_names),
	  KT_EACH(submitter_is_admitted_by, room_names),
	  KT_CASE(submitter_of_cancelled_group_returns_during_a_drop),
	  KT_EACH(next_submitter_is_admitted_after, away_names),
	  KT_EACH(submitter_is_admitted_when_a_due_job_ends, due_away_names),
	  KT_EACH(waits_are_ended_by, end_names),
	  KT_CASE(end_of_a_caller_run_starts_the_next),
	  KT_CASE(exiting_worker_is_replaced),
	  KT_CASE(yielding_worker_is_enough),
	  KT_EACH(end_of_a_closed_pool_wakes_its_waiter, last_ends));
