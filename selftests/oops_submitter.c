// SPDX-License-Identifier: GPL-2.0-only
/*
 * A submitter that oopses in an item that it runs itself costs its own thread,
 * and not the pool.
 */
#include <linux/sched/task.h>

#include "internal.h"
#include "oops.h"

static struct kpool *pool;
static struct victim victim;
static struct probe holder;
static struct kpool_group group;
static atomic_t reported, released;
static struct kpool_fault last_report;

/* The handler for the other waits here, and then for an item. */
static struct victim other;
static struct kt_gate reporting_other;
static struct kpool_item *other_awaits;
static int other_got;

static void note_fault(void *data, const struct kpool_fault *fault)
{
	last_report = *fault;
	atomic_inc(&reported);
	if (fault->item == &other.job.item) {
		kt_gate_pass(&reporting_other);
		other_got = kpool_flush_item(other_awaits);
	}
}

static void note_release(void *arg)
{
	atomic_inc(&released);
}

/* A full pool of one, whose item waits at its gate. */
static bool begin(int way)
{
	const struct kpool_attrs attrs = {
		.capacity	= 1,
		.queue_depth	= KPOOL_NONE,
		.when_full	= KPOOL_FULL_CALLER_RUNS,
		.fault		= note_fault,
	};

	victim_init(&victim, way);
	other_awaits = &victim.job.item;
	atomic_set(&reported, 0);
	atomic_set(&released, 0);
	probe_init(&holder, probe_fn, 0);
	holder.gate = &holder.own;
	oopses_begin();
	pool = kt_pool("oops", &attrs);
	if (!pool)
		return false;
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, 0), 0);
	return probes_submit(pool, &holder, 1) && probe_runs(&holder);
}

static void finish(void)
{
	probes_open(&holder, 1);
	jobs_end(pool);
	pool = NULL;
	oopses_end();
}

/* A thread that ends without having returned. */
static void expect_dead(struct kt_thread *t)
{
	KT_EXPECT(kt_wait(READ_ONCE(t->task->exit_state)));
	KT_EXPECT(!kt_thread_done(t));
	put_task_struct(t->task);
}

static int submits_victim(void *unused)
{
	return kpool_submit(pool, &victim.job.item);
}

/* Have the victim run by a submitter that is at its gate. */
static bool begin_submitter(struct kt_thread *submitter)
{
	return kt_thread_start(submitter, submits_victim, NULL) &&
	       victim_runs(&victim);
}

/*
 * The submitter's run ends with -EIO: it is counted, the handler knows function
 * and item, the record the thread.  No worker is lost, and the owner can submit
 * the item again.
 * Fails (the waiter hangs) if the watchdog does not look at runs outside, or is
 * not armed by one.
 */
static void run_of_dead_submitter_ends(int way)
{
	struct kt_thread submitter = { }, waiter = { };
	pid_t pid;

	if (!begin(way) || !begin_submitter(&submitter))
		goto out;
	pid = task_pid_nr(submitter.task);
	kt_thread_start(&waiter, flushes_item, &victim.job.item);
	kt_thread_asleep(&waiter);
	victim_let_die(&victim);
	KT_EXPECT_EQ(kt_thread_join(&waiter), -EIO);
	expect_dead(&submitter);
	KT_EXPECT_EQ(kt_stat(pool, caller_ran), 1);
	KT_EXPECT_EQ(kt_stat(pool, completed), 1);
	KT_EXPECT_EQ(kt_stat(pool, failed), 1);
	KT_EXPECT_EQ(kt_stat(pool, died), 0);
	KT_EXPECT_EQ(kt_stat(pool, running), 1);
	KT_EXPECT_EQ(atomic_read(&reported), 1);
	KT_EXPECT_EQ(last_report.err, -EIO);
	KT_EXPECT(last_report.died);
	KT_EXPECT(last_report.fn == victim_fn);
	KT_EXPECT(last_report.item == &victim.job.item);
	KT_EXPECT_EQ(pool->faults.errors->ring[0].pid, pid);
	victim_expect_reusable(pool, &victim);
out:
	finish();
}

static const char *const waits[] = {
	"cancel_sync", "group_wait", "flush", "shutdown", "destroy", NULL
};

enum { CANCEL_SYNC, GROUP_WAIT, FLUSH, SHUTDOWN, DESTROY };

static int waits_in(void *arg)
{
	switch (*(int *)arg) {
	case CANCEL_SYNC:
		return kpool_cancel_sync(&victim.job.item);
	case GROUP_WAIT:
		return kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT);
	case FLUSH:
		return kpool_flush(pool);
	case SHUTDOWN:
		return kpool_shutdown_timeout(pool, KT_LIMIT);
	default:
		return kpool_destroy(pool);
	}
}

/*
 * A waiter for more than the item gets the error as well.
 * Fails if a death outside of the workers is handled as a normal end.
 */
static void waiter_gets_eio(int wait)
{
	struct kt_thread submitter = { }, waiter = { };

	if (!begin(DIE_NULL))
		goto out;
	kpool_set_group(&victim.job, &group);
	if (!begin_submitter(&submitter))
		goto out;
	kt_thread_start(&waiter, waits_in, &wait);
	kt_thread_asleep(&waiter);
	victim_let_die(&victim);
	expect_dead(&submitter);
	probes_open(&holder, 1);
	KT_EXPECT_EQ(kt_thread_join(&waiter), -EIO);
	if (wait == GROUP_WAIT)
		KT_EXPECT_EQ(kpool_group_error(&group), -EIO);
	if (wait == DESTROY)
		pool = kt_pool("oops", NULL);
	if (wait == SHUTDOWN)
		KT_EXPECT_EQ(kpool_reopen(pool), 0);
	kpool_set_group(&victim.job, NULL);
out:
	finish();
}

static int calls_victim(void *unused)
{
	return kpool_call_timeout(pool, victim_dies, &victim, note_release,
				  KT_LIMIT, NULL);
}

static int returns(void *unused)
{
	return 0;
}

/*
 * A call that its caller runs has no waiter left: the argument is
 * given back, the next call succeeds, and the pool can be destroyed.
 * Fails (a leak, and destroy hangs) if what the caller held in the pool is
 * forgotten, or (use after free) if its call stays on the pool's list: mutant
 * dead-callers-call-stays-listed.
 */
static void call_of_dead_submitter_is_released(void)
{
	struct kt_thread caller = { };

	if (!begin(DIE_BUG))
		goto out;
	kt_thread_start(&caller, calls_victim, NULL);
	victim_runs(&victim);
	victim_let_die(&victim);
	expect_dead(&caller);
	KT_EXPECT(kt_wait(atomic_read(&released)));
	KT_EXPECT_EQ(atomic_read(&released), 1);
	KT_EXPECT(last_report.fn == victim_dies);
	KT_EXPECT_EQ(kpool_call_timeout(pool, returns, NULL, note_release,
					KT_LIMIT, NULL), 0);
out:
	finish();
}

static int submits_inside(struct kpool_item *item)
{
	return kpool_submit(pool, &victim.job.item);
}

/* While another death is handled, an item that runs is progress. */
static void handler_waits_for_a_running_item(void)
{
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	probe_init(&holder, probe_fn, 0);
	holder.gate = &holder.own;
	victim_init(&other, DIE_NULL);
	kt_gate_init(&reporting_other);
	other_awaits = &holder.job.item;
	other_got = 1;
	if (!probes_submit(pool, &holder, 1) || !probe_runs(&holder) ||
	    !victim_begin(pool, &other))
		return;
	victim_let_die(&other);
	KT_EXPECT(kt_wait(atomic_read(&reporting_other.started)));
	kt_gate_open(&reporting_other);
	kt_sleep_ms(20);
	KT_EXPECT_EQ(READ_ONCE(other_got), 1);
	probes_open(&holder, 1);
	KT_EXPECT(kt_wait(READ_ONCE(other_got) <= 0));
	KT_EXPECT_EQ(other_got, 0);
	dead_are(pool, 2);
}

/*
 * A worker that dies in an item inside of its own dies in both, and the inner
 * run ends first.
 * Fails if one of the two is left accounted, or no longer is when the next
 * dies: mutant nested-death-counted-out-twice.  Also fails if the worker's
 * memory can be reused while the inner run refers to it.
 */
static void nested_runs_both_end(void)
{
	struct kt_thread waiter = { };
	struct probe outer;

	if (!begin(DIE_NULL))
		goto out;
	probes_open(&holder, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probe_init(&outer, submits_inside, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &outer.job.item), 0);
	victim_runs(&victim);
	kt_thread_start(&waiter, flushes_item, &victim.job.item);
	kt_thread_asleep(&waiter);
	victim_let_die(&victim);
	KT_EXPECT_EQ(kt_thread_join(&waiter), -EIO);
	dead_are(pool, 1);
	KT_EXPECT_EQ(kt_stat(pool, caller_ran), 1);
	KT_EXPECT_EQ(atomic_read(&reported), 2);
	KT_EXPECT(last_report.fn == submits_inside);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	handler_waits_for_a_running_item();
	victim_expect_reusable(pool, &victim);
out:
	finish();
}

static const char *const pools[] = { "quiet", "busy", NULL };

/*
 * While the handler is called for one death, another that is still to be reaped
 * makes no progress for it.  The same holds if other items of the pool run.
 * Fails (hangs) if a dead submitter is taken for one that goes on: mutant
 * dead-submitter-is-progress.
 */
static void handler_cannot_wait_for_the_next_death(int busy)
{
	struct kt_thread submitter = { };

	if (!begin(DIE_NULL))
		goto out;
	if (busy) {
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	} else {
		probes_open(&holder, 1);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
	}
	victim_init(&other, DIE_NULL);
	kt_gate_init(&reporting_other);
	other_got = 1;
	if (!victim_begin(pool, &other) || !begin_submitter(&submitter))
		goto out;
	victim_let_die(&other);
	KT_EXPECT(kt_wait(atomic_read(&reporting_other.started)));
	victim_let_die(&victim);
	expect_dead(&submitter);
	/* the watchdog has to see it first */
	if (busy)
		kt_sleep_ms(3000);
	kt_gate_open(&reporting_other);
	KT_EXPECT(kt_wait(READ_ONCE(other_got) <= 0));
	KT_EXPECT_EQ(other_got, -EDEADLK);
	probes_open(&holder, 1);
	dead_are(pool, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, caller_ran) == 1));
	KT_EXPECT_EQ(atomic_read(&reported), 2);
out:
	kt_gate_open(&reporting_other);
	finish();
}

/*
 * Two workers die while a third is held.  The handler for the first waits for
 * the item of the second before the watchdog comes.
 * Fails (the flush hangs) if only the watchdog sees that no run is left to wait
 * for: mutant death-not-marked.
 */
static void handler_cannot_wait_for_another_worker(void)
{
	if (!begin(DIE_EXIT))
		goto out;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 3), 0);
	victim_init(&other, DIE_EXIT);
	kt_gate_init(&reporting_other);
	other_got = 1;
	if (!victim_begin(pool, &other) || !victim_begin(pool, &victim))
		goto out;
	victim_let_die(&other);
	KT_EXPECT(kt_wait(atomic_read(&reporting_other.started)));
	victim_let_die(&victim);
	kt_sleep_ms(50);
	kt_gate_open(&reporting_other);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(other_got) <= 0));
	KT_EXPECT_EQ(other_got, -EDEADLK);
	probes_open(&holder, 1);
	dead_are(pool, 2);
	KT_EXPECT_EQ(atomic_read(&reported), 2);
out:
	kt_gate_open(&reporting_other);
	finish();
}

/*
 * A death is noticed also where the pool's workers have long been idle.
 * Fails (the flush hangs) if the watchdog goes to sleep with the last worker.
 */
static void late_death_is_noticed(void)
{
	struct kt_thread submitter = { };

	if (!begin(DIE_EXIT) || !begin_submitter(&submitter))
		goto out;
	probes_open(&holder, 1);
	KT_EXPECT_EQ(kpool_flush_item(&holder.job.item), 0);
	/* the watchdog comes every second */
	kt_sleep_ms(3000);
	victim_let_die(&victim);
	expect_dead(&submitter);
	KT_EXPECT(kt_wait(kt_stat(pool, caller_ran) == 1));
out:
	finish();
}

static int submits_next(void *item)
{
	return kpool_submit(pool, item);
}

/*
 * The next submitter uses the memory of that run, and lives.
 * Fails (-EIO) if it is taken for the one that died: mutant reused-run-is-dead.
 */
static void run_of_the_next_submitter_ends_well(void)
{
	struct kt_thread submitter = { }, next = { }, waiter = { };
	static struct probe item;

	if (!begin(DIE_NULL) || !begin_submitter(&submitter))
		goto out;
	victim_let_die(&victim);
	expect_dead(&submitter);
	KT_EXPECT(kt_wait(kt_stat(pool, caller_ran) == 1));
	probe_init(&item, probe_fn, 0);
	probes_hold(&item, 1);
	kt_thread_start(&next, submits_next, &item.job.item);
	probe_runs(&item);
	kt_thread_start(&waiter, flushes_item, &item.job.item);
	kt_thread_asleep(&waiter);
	probes_open(&item, 1);
	KT_EXPECT_EQ(kt_thread_join(&waiter), 0);
	KT_EXPECT_EQ(kt_thread_join(&next), 0);
	KT_EXPECT_EQ(kt_stat(pool, caller_ran), 2);
out:
	finish();
}

/*
 * The fault handler takes its time for a submitter that has died: no item runs.
 * Fails if the run of the dead counts as one that stalls: mutant
 * dead-submitter-stalls.
 */
static void dead_submitter_does_not_stall(void)
{
	struct kt_thread submitter = { };

	if (!begin(DIE_EXIT))
		goto out;
	victim_init(&other, DIE_EXIT);
	kt_gate_init(&reporting_other);
	if (!kt_thread_start(&submitter, submits_next, &other.job.item) ||
	    !victim_runs(&other))
		goto out;
	probes_open(&holder, 1);
	KT_EXPECT_EQ(kpool_flush_item(&holder.job.item), 0);
	victim_let_die(&other);
	expect_dead(&submitter);
	KT_EXPECT(kt_wait(atomic_read(&reporting_other.started)));
	/* the watchdog looks at once, and then often */
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_STALL_MS, 40), 0);
	kt_sleep_ms(300);
	KT_EXPECT_EQ(kt_stat(pool, stalled), 0);
	kt_gate_open(&reporting_other);
	KT_EXPECT(kt_wait(kt_stat(pool, caller_ran) == 1));
out:
	kt_gate_open(&reporting_other);
	finish();
}

/*
 * Deaths one after the other, for what they can leave behind (a leak shows in
 * kmemleak, where there is one).
 */
static void many_die_in_a_row(void)
{
	struct kt_thread submitter;
	int i;

	if (!begin(DIE_NULL))
		goto out;
	for (i = 1; i <= 10; i++) {
		submitter = (struct kt_thread){ };
		if (!begin_submitter(&submitter))
			goto out;
		victim_let_die(&victim);
		expect_dead(&submitter);
		if (!KT_EXPECT(kt_wait(kt_stat(pool, caller_ran) == i)))
			goto out;
		victim_init(&victim, DIE_NULL);
	}
	KT_EXPECT_EQ(kt_stat(pool, failed), 10);
out:
	finish();
}

KT_MODULE("kpool selftest: submitters that oops",
	  KT_EACH(run_of_dead_submitter_ends, ways),
	  KT_EACH(waiter_gets_eio, waits),
	  KT_CASE(call_of_dead_submitter_is_released),
	  KT_CASE(nested_runs_both_end),
	  KT_EACH(handler_cannot_wait_for_the_next_death, pools),
	  KT_CASE(handler_cannot_wait_for_another_worker),
	  KT_CASE(late_death_is_noticed),
	  KT_CASE(run_of_the_next_submitter_ends_well),
	  KT_CASE(dead_submitter_does_not_stall),
	  KT_CASE(many_die_in_a_row));
