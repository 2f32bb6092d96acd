// SPDX-License-Identifier: GPL-2.0-only
/*
 * An item that oopses costs its worker, and nothing else.
 *
 * Workqueues do not survive the same: see workqueue_oops.c.
 */
#include <linux/slab.h>

#include "full.h"
#include "limits.h"
#include "load.h"
#include "log.h"
#include "oops.h"

#define PROBES	16

static struct kpool *pool;
static struct victim victim;
static struct probe p[PROBES];

/* The last call of the fault handler. */
static struct {
	struct kpool_fault	last;
	atomic_t		calls;
	bool			by_the_living;
} report;

/* Where the fault handler waits, or NULL. */
static struct kt_gate *handler_gate;

static void note_fault(void *data, const struct kpool_fault *fault)
{
	might_sleep();
	if (handler_gate)
		kt_gate_pass(handler_gate);
	report.last = *fault;
	report.by_the_living = !(current->flags & PF_EXITING);
	atomic_inc(&report.calls);
}

/* Pools of @capacity with a fault handler, and with what @attrs says. */
static bool begin_with(int capacity, const struct kpool_attrs *given)
{
	struct kpool_attrs attrs = { };

	if (given)
		attrs = *given;
	attrs.capacity = capacity;
	attrs.queue_depth = KPOOL_UNLIMITED;
	attrs.expiry_ms = KPOOL_NO_PURGE;
	attrs.fault = note_fault;
	memset(&report, 0, sizeof(report));
	probes_init(p, PROBES, probe_fn);
	oopses_begin();
	pool = kt_pool("oops", &attrs);
	return pool;
}

static bool begin(int capacity, int way)
{
	victim_init(&victim, way);
	return begin_with(capacity, NULL);
}

static void finish(void)
{
	jobs_end(pool);
	pool = NULL;
	oopses_end();
}

/* Is each of the pool's units good for something, all at once? */
static void expect_capacity(int capacity)
{
	int i;

	probes_init(p, capacity, probe_fn);
	probes_hold(p, capacity);
	probes_submit(pool, p, capacity);
	for (i = 0; i < capacity; i++)
		probe_runs(&p[i]);
	probes_open(p, capacity);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, capacity);
	KT_EXPECT_EQ(kt_stat(pool, units), 0);
}

static void expect_report(int calls, const void *fn, const void *item)
{
	KT_EXPECT_EQ(atomic_read(&report.calls), calls);
	KT_EXPECT(report.by_the_living);
	KT_EXPECT_EQ(report.last.err, -EIO);
	KT_EXPECT(report.last.died);
	KT_EXPECT(report.last.fn == fn);
	if (item)
		KT_EXPECT(report.last.item == item);
}

/* Waiters */

static const char *const waits[] = {
	"flush_item", "cancel_sync", "disable_sync", "flush", "group_wait",
	"parent_wait", "call", "call_timeout", "shutdown", "destroy", NULL
};

enum {
	FLUSH_ITEM, CANCEL_SYNC, DISABLE_SYNC, FLUSH, GROUP_WAIT, PARENT_WAIT,
	CALL, CALL_TIMEOUT, SHUTDOWN, DESTROY,
};

static struct kpool_group group, parent;
static atomic_t released;

static void note_release(void *arg)
{
	atomic_inc(&released);
}

static int waits_in(void *arg)
{
	switch (*(int *)arg) {
	case FLUSH_ITEM:
		return kpool_flush_item(&victim.job.item);
	case CANCEL_SYNC:
		return kpool_cancel_sync(&victim.job.item);
	case DISABLE_SYNC:
		return kpool_disable_sync(&victim.job.item);
	case FLUSH:
		return kpool_flush(pool);
	case GROUP_WAIT:
		return kpool_group_wait(&group, KT_LIMIT);
	case PARENT_WAIT:
		return kpool_group_wait(&parent, KT_LIMIT);
	case CALL:
		return kpool_call(pool, victim_dies, &victim, NULL);
	case CALL_TIMEOUT:
		return kpool_call_timeout(pool, victim_dies, &victim,
					  note_release, KT_LIMIT, NULL);
	case SHUTDOWN:
		return kpool_shutdown_timeout(pool, KT_LIMIT);
	default:
		return kpool_destroy(pool);
	}
}

/* Return the result of a wait while the victim dies. */
static int wait_during_death(int wait)
{
	struct kt_thread waiter = { };

	kt_thread_start(&waiter, waits_in, &wait);
	victim_runs(&victim);
	kt_thread_asleep(&waiter);
	victim_let_die(&victim);
	return kt_thread_join(&waiter);
}

/* Deaths */

/*
 * The worker is no longer accounted, a flusher gets the error, the fault
 * handler knows function and item.  Another worker takes the place, and the
 * owner can submit the item again.
 * Fails if the exit callback is not registered (the watchdog finds it, but a
 * second later: see the pool of capacity 1 below).  Also fails if the units of
 * its run are not given back, or the item is still taken for running.  So it
 * does if the dead worker stays a member.
 */
static void one_worker_is_lost(int way)
{
	if (!begin(2, way))
		return;
	if (!victim_begin(pool, &victim))
		goto out;
	KT_EXPECT_EQ(wait_during_death(FLUSH_ITEM), -EIO);
	KT_EXPECT_EQ(kt_stat(pool, died), 1);
	KT_EXPECT_EQ(kt_stat(pool, alive), 0);
	KT_EXPECT_EQ(kt_stat(pool, completed), 0);
	KT_EXPECT_EQ(atomic_read(&victim.dropped), 0);
	expect_report(1, victim_fn, &victim.job.item);
	expect_capacity(2);
	victim_expect_reusable(pool, &victim);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 3);
out:
	finish();
}

/*
 * In a pool of one, what waits behind the dead item runs without another call.
 * Fails if no worker is woken to look at the queue after a death.
 */
static void next_queued_item_runs(int way)
{
	if (!begin(1, way))
		return;
	if (!victim_begin(pool, &victim))
		goto out;
	probes_submit(pool, p, PROBES);
	victim_let_die(&victim);
	KT_EXPECT(kt_wait(probes_ran(p, PROBES) == PROBES));
	probes_expect_ran(p, PROBES);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 2);
out:
	finish();
}

/* Expect that the wait leaves behind the same as without a death. */
static void expect_after(int wait)
{
	switch (wait) {
	case DISABLE_SYNC:
		KT_EXPECT_EQ(kpool_submit(pool, &victim.job.item), -ECANCELED);
		KT_EXPECT_EQ(kpool_enable(&victim.job.item), 0);
		break;
	case GROUP_WAIT:
	case PARENT_WAIT:
		KT_EXPECT_EQ(kpool_group_error(&group), -EIO);
		KT_EXPECT_EQ(kpool_group_error(&parent), -EIO);
		kpool_set_group(&victim.job, NULL);
		break;
	case SHUTDOWN:
		KT_EXPECT_EQ(kt_stat(pool, alive), 0);
		KT_EXPECT_EQ(kpool_submit(pool, &victim.job.item), -ESHUTDOWN);
		KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
		KT_EXPECT_EQ(kpool_reopen(pool), 0);
		break;
	case DESTROY:
		pool = kt_pool("oops", NULL);
		break;
	}
	KT_EXPECT_EQ(kt_stat(pool, abandoned), 0);
	KT_EXPECT_EQ(atomic_read(&released), 0);
}

/*
 * A waiter for a dead item gets -EIO, however it waits, and continues as after
 * any end.
 * Fails if the waiters of a run, of a group, of the pool or of its end are not
 * completed, or get 0.
 */
static void waiter_gets_eio(int wait)
{
	if (!begin(2, DIE_NULL))
		return;
	atomic_set(&released, 0);
	KT_EXPECT_EQ(kpool_init_group(&parent, pool, NULL, 0), 0);
	KT_EXPECT_EQ(kpool_init_group(&group, pool, &parent, 0), 0);
	if (wait == GROUP_WAIT || wait == PARENT_WAIT)
		kpool_set_group(&victim.job, &group);
	if (wait != CALL && wait != CALL_TIMEOUT)
		victim_begin(pool, &victim);
	KT_EXPECT_EQ(wait_during_death(wait), -EIO);
	expect_after(wait);
	if (pool) {
		victim_expect_reusable(pool, &victim);
		expect_capacity(2);
	}
	finish();
}

/* More than are marked under one hold of the lock. */
#define FLUSHERS	70

static int flushes_pool(void *unused)
{
	return kpool_flush(pool);
}

/*
 * However many flush the pool, each of them gets the error.
 * Fails if those that are not among the first get 0: mutant
 * flush-death-beyond-64.
 */
static void all_flushers_get_eio(void)
{
	static struct kt_thread flushers[FLUSHERS];
	int i;

	if (!begin(1, DIE_NULL))
		return;
	victim_begin(pool, &victim);
	for (i = 0; i < FLUSHERS; i++) {
		kt_thread_start(&flushers[i], flushes_pool, NULL);
		kt_thread_asleep(&flushers[i]);
	}
	victim_let_die(&victim);
	for (i = 0; i < FLUSHERS; i++)
		KT_EXPECT_EQ(kt_thread_join(&flushers[i]), -EIO);
	expect_capacity(1);
	finish();
}

/*
 * A caller that waits for something else, or comes later, gets no error.
 * Fails if all waiters of the pool get the error of any death.
 */
static void waiter_for_others_gets_no_error(void)
{
	struct kt_thread waiter = { };

	if (!begin(2, DIE_BUG))
		return;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	victim_begin(pool, &victim);
	kt_thread_start(&waiter, flushes_item, &p[0].job.item);
	kt_thread_asleep(&waiter);
	victim_let_die(&victim);
	dead_are(pool, 1);
	probes_open(p, 1);
	KT_EXPECT_EQ(kt_thread_join(&waiter), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_flush_item(&victim.job.item), 0);
	KT_EXPECT_EQ(kpool_cancel_sync(&victim.job.item), 0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	finish();
}

static struct task_struct *inside;

/* Waits for the victim inside its own pool. */
static int waits_inside(struct kpool_item *item)
{
	WRITE_ONCE(inside, current);
	probe_of(item)->ret = kpool_flush_item(&victim.job.item);
	atomic_inc(&probe_of(item)->ran);
	return 0;
}

/*
 * An item of the same pool that waits for the dead one goes on.  With every
 * unit in use, that is no deadlock; nor is it after an earlier death.
 * Fails if a death does not recheck the waiters, or refuses them, or if the
 * first seems to be reaped for ever: mutant reaping-without-end.
 */
static void item_that_waits_continues(void)
{
	int round;

	if (!begin(2, DIE_NULL))
		return;
	for (round = 1; round <= 2; round++) {
		victim_init(&victim, DIE_NULL);
		victim_begin(pool, &victim);
		probe_init(&p[0], waits_inside, 0);
		WRITE_ONCE(inside, NULL);
		probes_submit(pool, p, 1);
		KT_EXPECT(kt_wait(READ_ONCE(inside) && !task_is_running(inside)));
		victim_let_die(&victim);
		probe_ran(&p[0]);
		KT_EXPECT_EQ(p[0].ret, -EIO);
		dead_are(pool, round);
	}
	expect_capacity(2);
	finish();
}

/*
 * Submitters that sleep because a victim holds the only unit are admitted.
 * Fails if the end by death admits no submitter.
 */
static void blocked_submitters_are_admitted(void)
{
	const struct kpool_attrs narrow = { .capacity = 1 };
	struct kt_submitter s[3] = { };
	int i;

	victim_init(&victim, DIE_NULL);
	probes_init(p, ARRAY_SIZE(s), probe_fn);
	oopses_begin();
	pool = kt_pool("oops", &narrow);
	if (!pool)
		return;
	victim_begin(pool, &victim);
	for (i = 0; i < ARRAY_SIZE(s); i++)
		kt_submitter_block(&s[i], pool, &p[i].job.item);
	victim_let_die(&victim);
	for (i = 0; i < ARRAY_SIZE(s); i++)
		KT_EXPECT_EQ(kt_thread_join(&s[i].thread), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, ARRAY_SIZE(s));
	finish();
}

/* Kinds of items */

/*
 * Units of a heavy item are all given back.
 * Fails if a death gives back one, or those of another weight.
 */
static void heavy_item_gives_back_its_units(void)
{
	if (!begin(4, DIE_BUG))
		return;
	KT_EXPECT_EQ(kpool_set_weight(&victim.job.item, 3), 0);
	victim_begin(pool, &victim);
	KT_EXPECT_EQ(kt_stat(pool, units), 3);
	KT_EXPECT_EQ(kpool_set_weight(&p[0].job.item, 4), 0);
	probes_submit(pool, p, 2);
	victim_let_die(&victim);
	dead_are(pool, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, 2);
	expect_capacity(4);
	finish();
}

/*
 * A stream goes on behind a dead job, in order.
 * Fails if the dead worker stays the stream's runner.
 */
static void stream_continues(int way)
{
	struct kpool_stream stream;
	struct order order;
	int i;

	if (!begin(4, way))
		return;
	order_init(&order);
	kpool_init_stream(&stream, pool);
	kpool_set_stream(&victim.job, &stream);
	victim_begin(pool, &victim);
	for (i = 0; i < PROBES; i++) {
		p[i].order = &order;
		kpool_set_stream(&p[i].job, &stream);
	}
	probes_submit(pool, p, PROBES);
	KT_EXPECT_EQ(kpool_submit(pool, &victim.job.item), 0);
	victim_let_die(&victim);
	dead_are(pool, 2);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	order_expect_rising(&order, PROBES);
	victim_expect_reusable(pool, &victim);
	finish();
}

/*
 * A group that collects gets the dead job, with -EIO.
 * Fails if a death ends a job without adding it to those that ended.
 */
static void collecting_group_gets_the_dead_job(void)
{
	struct kpool_job *job;
	int i, dead = 0;

	if (!begin(2, DIE_JUMP))
		return;
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, KPOOL_GROUP_COLLECT),
		     0);
	for (i = 0; i < 4; i++)
		kpool_set_group(&p[i].job, &group);
	kpool_set_group(&victim.job, &group);
	probes_submit(pool, p, 2);
	KT_EXPECT_EQ(kpool_submit(pool, &victim.job.item), 0);
	victim_let_die(&victim);
	probes_submit(pool, &p[2], 2);
	for (i = 0; i < 5; i++) {
		job = kpool_group_next(&group, KT_LIMIT);
		if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(job), 0) || !KT_EXPECT(job))
			break;
		dead += job == &victim.job;
		KT_EXPECT_EQ(kpool_job_result(job),
			     job == &victim.job ? -EIO : 0);
	}
	KT_EXPECT_EQ(dead, 1);
	KT_EXPECT(!kpool_group_next(&group, KT_LIMIT));
	KT_EXPECT_EQ(kpool_group_error(&group), -EIO);
	finish();
}

/*
 * A group that fails fast drops the rest after a death.
 * Fails if a death is not a failure to the group.
 */
static void failing_group_drops_pending_jobs(void)
{
	int i;

	if (!begin(1, DIE_NULL))
		return;
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL,
				      KPOOL_GROUP_FAIL_FAST), 0);
	kpool_set_group(&victim.job, &group);
	for (i = 0; i < PROBES; i++)
		kpool_set_group(&p[i].job, &group);
	victim_begin(pool, &victim);
	probes_submit(pool, p, PROBES);
	KT_EXPECT_EQ(wait_during_death(GROUP_WAIT), -EIO);
	KT_EXPECT_EQ(kpool_group_error(&group), -EIO);
	probes_expect_dropped(p, PROBES, -ECANCELED);
	finish();
}

/* Submits itself, then dies; the next time it lives. */
static int dies_pending(struct kpool_item *item)
{
	struct victim *v = container_of(item, struct victim, job.item);
	int way = v->way;

	v->way = SURVIVE;
	if (way != SURVIVE)
		KT_EXPECT_EQ(kpool_submit(pool, item), 0);
	kt_gate_pass(&v->gate);
	die(way);
	atomic_inc(&v->survived);
	return 0;
}

/*
 * An item that was submitted again while it ran runs again after its death.
 * Fails if the submission goes down with the worker that holds it.
 */
static void next_run_of_a_dead_item_is_kept(int way)
{
	if (!begin(2, way))
		return;
	kpool_init_job(&victim.job, dies_pending);
	KT_EXPECT_EQ(kpool_submit(pool, &victim.job.item), 0);
	victim_runs(&victim);
	/* its turn comes, and its worker is to hold it */
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(probes_ran(p, 1) == 1));
	victim_let_die(&victim);
	KT_EXPECT(kt_wait(atomic_read(&victim.survived) == 1));
	KT_EXPECT_EQ(kt_stat(pool, died), 1);
	finish();
}

static struct kpool *next_pool;
static struct kt_gate leaving, arrived;
static int handed_over;

/* After it has handed itself on, the item is no longer its own. */
static int dies_handed_over(struct kpool_item *item)
{
	struct victim *v = container_of(item, struct victim, job.item);
	int way = v->way;

	if (kpool_current() == next_pool)
		return kt_gate_pass(&arrived);
	kt_gate_pass(&v->gate);
	handed_over = kpool_submit(next_pool, item);
	kt_gate_pass(&leaving);
	die(way);
	return 0;
}

enum { HANDED_PENDING, HANDED_RUNNING, HANDED_FREED };

static const char *const handed_states[] = { "pending", "running", "freed", NULL };

/* The victim is in its function, and belongs to the next pool, as @state. */
static bool victim_is_handed_over(int state)
{
	if (state == HANDED_PENDING)
		KT_EXPECT_EQ(kpool_pause(next_pool), 0);
	if (state == HANDED_FREED)
		kt_gate_open(&arrived);
	victim_let_die(&victim);
	if (!KT_EXPECT(kt_wait(atomic_read(&leaving.started))) ||
	    !KT_EXPECT_EQ(handed_over, 0))
		return false;
	if (state == HANDED_RUNNING)
		KT_EXPECT(kt_wait(atomic_read(&arrived.started)));
	if (state == HANDED_FREED) {
		KT_EXPECT_EQ(kpool_flush(next_pool), 0);
		poison(&victim, sizeof(victim));
	}
	return true;
}

/* Check what has become of the item when the run that handed it on has died. */
static void victim_goes_on(int state)
{
	struct kt_thread flusher = { };

	if (state == HANDED_FREED) {
		KT_EXPECT(!memchr_inv(&victim, 0x6b, sizeof(victim)));
		return;
	}
	KT_EXPECT_EQ(kpool_is_pending(&victim.job.item), state == HANDED_PENDING);
	if (kt_thread_start(&flusher, flushes_item, &victim.job.item))
		KT_EXPECT(kt_thread_asleep(&flusher));
	kpool_resume(next_pool);
	kt_gate_open(&arrived);
	if (flusher.task)
		KT_EXPECT_EQ(kt_thread_join(&flusher), 0);
}

/*
 * An item that has handed itself to another pool is that pool's.  The death of
 * the thread that did so ends the old run, and the waits for that.
 * Fails if the item is looked at, which can have been freed: mutant
 * reap-touches-the-item.
 */
static void item_handed_over_outlives_its_old_run(int state)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kt_thread flusher = { };

	if (!begin(1, DIE_EXIT))
		return;
	next_pool = kt_pool("next", &attrs);
	kt_gate_init(&leaving);
	kt_gate_init(&arrived);
	kpool_init_job(&victim.job, dies_handed_over);
	if (!next_pool || !victim_begin(pool, &victim))
		goto out;
	if (kt_thread_start(&flusher, flushes_item, &victim.job.item))
		KT_EXPECT(kt_thread_asleep(&flusher));
	if (!victim_is_handed_over(state))
		goto out;
	kt_gate_open(&leaving);
	dead_are(pool, 1);
	if (flusher.task)
		KT_EXPECT_EQ(kt_thread_join(&flusher), -EIO);
	flusher.task = NULL;
	KT_EXPECT(kt_wait(atomic_read(&report.calls) == 1));
	KT_EXPECT(report.last.item == &victim.job.item && report.last.died);
	victim_goes_on(state);
	KT_EXPECT_EQ(kt_stat(next_pool, died), 0);
	KT_EXPECT(kt_wait(kt_stat(next_pool, completed) == 1));
out:
	kt_gate_open(&leaving);
	kt_gate_open(&arrived);
	if (flusher.task)
		kt_thread_join(&flusher);
	kt_pool_end(next_pool);
	finish();
}

/*
 * Call the victim until one call has started it in time; the others timed out
 * before, and their argument is released.  Returns how many there were.
 */
static int calls_until_abandoned(void)
{
	int calls = 0;

	do {
		KT_EXPECT_EQ(kpool_call_timeout(pool, victim_dies, &victim,
						note_release, HZ / 10 + 1,
						NULL), -ETIMEDOUT);
		calls++;
	} while (!kt_stat(pool, abandoned) && calls < 100);
	return calls;
}

/*
 * A call that is no longer waited for gives its argument back, once, also if
 * its function dies.
 * Fails if the request is lost with the worker.
 */
static void abandoned_call_releases_its_argument(int way)
{
	int calls;

	if (!begin(1, way))
		return;
	atomic_set(&released, 0);
	calls = calls_until_abandoned();
	victim_runs(&victim);
	KT_EXPECT_EQ(atomic_read(&released), calls - 1);
	victim_let_die(&victim);
	KT_EXPECT(kt_wait(atomic_read(&released) == calls));
	dead_are(pool, 1);
	expect_report(1, victim_dies, NULL);
	expect_capacity(1);
	KT_EXPECT_EQ(atomic_read(&released), calls);
	finish();
}

/*
 * The thread of an item dies in memory in which that of a call has died.
 * Fails if the call, which has been freed, is taken for the item's.
 */
static void item_dies_after_a_call(void)
{
	if (!begin(1, DIE_NULL))
		return;
	atomic_set(&released, 0);
	KT_EXPECT_EQ(wait_during_death(CALL), -EIO);
	victim_init(&victim, DIE_NULL);
	victim_begin(pool, &victim);
	KT_EXPECT_EQ(wait_during_death(FLUSH_ITEM), -EIO);
	dead_are(pool, 2);
	KT_EXPECT_EQ(kt_stat(pool, abandoned), 0);
	expect_capacity(1);
	finish();
}

/*
 * The form that allocates: the handler gets the caller's function, and the
 * request is freed (a leak shows in kmemleak, where there is one).
 * Fails if kpool's own wrapper is reported.
 */
static void function_form_dies_too(int way)
{
	if (!begin(2, way))
		return;
	KT_EXPECT_EQ(kpool_submit_fn(pool, victim_dies, &victim, GFP_KERNEL), 0);
	victim_runs(&victim);
	victim_let_die(&victim);
	dead_are(pool, 1);
	expect_report(1, victim_dies, NULL);
	expect_capacity(2);
	finish();
}

/* Many */

#define MANY	8

static struct victim many[MANY];

/*
 * All workers die at once, each in its own way; the pool is as large as before.
 * Fails if two deaths at a time are taken for one.
 */
static void all_workers_die_at_once(void)
{
	int i;

	if (!begin(MANY, SURVIVE))
		return;
	for (i = 0; i < MANY; i++) {
		victim_init(&many[i], i % NR_WAYS);
		KT_EXPECT_EQ(kpool_submit(pool, &many[i].job.item), 0);
	}
	for (i = 0; i < MANY; i++)
		victim_runs(&many[i]);
	KT_EXPECT_EQ(kt_stat(pool, alive), MANY);
	probes_submit(pool, p, PROBES);
	for (i = 0; i < MANY; i++)
		victim_let_die(&many[i]);
	dead_are(pool, MANY);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, PROBES);
	KT_EXPECT_EQ(atomic_read(&report.calls), MANY);
	expect_capacity(MANY);
	finish();
}

static int deaths = 100;
module_param(deaths, int, 0400);
MODULE_PARM_DESC(deaths, "how many die in a row");

static atomic_t counted;

static int counts(void *unused)
{
	atomic_inc(&counted);
	return 0;
}

/*
 * Many die, one after the other, and the pool works as before; its memory of
 * workers is used again.
 * Fails if a death leaves a counter wrong.
 */
static void many_die_in_a_row(void)
{
	int i, accepted = 0;

	if (!begin(2, SURVIVE))
		return;
	atomic_set(&counted, 0);
	for (i = 0; i < deaths; i++) {
		victim_init(&victim, i % NR_WAYS);
		victim_let_die(&victim);
		KT_EXPECT_EQ(kpool_submit(pool, &victim.job.item), 0);
		accepted += !kpool_submit_fn(pool, counts, NULL, GFP_KERNEL);
		if (!dead_are(pool, i + 1))
			break;
	}
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&counted), accepted);
	KT_EXPECT_EQ(atomic_read(&report.calls), deaths);
	for (i = 0; i < kt_count(20000); i++)
		accepted += !kpool_submit_fn(pool, counts, NULL, GFP_KERNEL);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(accepted, deaths + kt_count(20000));
	KT_EXPECT_EQ(atomic_read(&counted), accepted);
	expect_capacity(2);
	finish();
}

/* States of the pool */

/*
 * A pool that was aborted while the victim ran drains, and opens again.
 * Fails if a death in a closed pool does not drain it.
 */
static void closed_pool_drains_after_death(int way)
{
	if (!begin(1, way))
		return;
	victim_begin(pool, &victim);
	probes_submit(pool, p, PROBES);
	KT_EXPECT_EQ(kpool_abort(pool), PROBES);
	KT_EXPECT_EQ(kpool_reopen(pool), -EBUSY);
	victim_let_die(&victim);
	dead_are(pool, 1);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	probes_expect_dropped(p, PROBES, -ECANCELED);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	expect_capacity(1);
	finish();
}

/*
 * A pool that was shrunk while they ran keeps to its capacity after deaths, and
 * a paused one starts nothing for them.
 * Fails if a dead worker is replaced without checking what is allowed.
 */
static void dead_workers_are_replaced_within_limits(void)
{
	int i;

	if (!begin(4, SURVIVE))
		return;
	for (i = 0; i < 4; i++) {
		victim_init(&many[i], DIE_NULL);
		victim_begin(pool, &many[i]);
	}
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, PROBES);
	for (i = 0; i < 4; i++)
		victim_let_die(&many[i]);
	dead_are(pool, 4);
	kt_sleep_ms(20);
	KT_EXPECT_EQ(probes_ran(p, PROBES), 0);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, PROBES);
	expect_capacity(2);
	KT_EXPECT_LE(kt_stat(pool, alive), 2);
	finish();
}

/* min_workers are replaced, also where nothing waits. */
static void min_workers_are_replaced(void)
{
	const struct kpool_attrs prealloc = {
		.min_workers = 2, .flags = KPOOL_PREALLOC,
	};

	victim_init(&victim, DIE_NULL);
	if (!begin_with(2, &prealloc))
		return;
	victim_begin(pool, &victim);
	victim_let_die(&victim);
	dead_are(pool, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 2));
	KT_EXPECT_EQ(kt_stat(pool, spawned), 3);
	finish();
}

/*
 * A pool that promises progress without memory has lost its last worker when no
 * thread can be made.  It says so, keeps what it has accepted, and goes on, and
 * says so, as soon as a thread can be made.
 * Fails if the loss is not logged, or creation is not retried.
 */
static void lost_guarantee_is_logged_and_restored(void)
{
	const struct kpool_attrs promising = { .flags = KPOOL_MEM_RECLAIM };
	int lost = log_count("kpool: oops: ", "last worker died");
	int mended = log_count("kpool: oops: ", "worker created");

	victim_init(&victim, DIE_NULL);
	if (!begin_with(1, &promising))
		return;
	KT_EXPECT_EQ(kt_stat(pool, alive), 1);
	victim_begin(pool, &victim);
	if (!limit_begin(LIMIT_THREADS_MAX))
		goto out;
	probes_submit(pool, p, PROBES);
	victim_let_die(&victim);
	dead_are(pool, 1);
	KT_EXPECT(kt_wait(log_count("kpool: oops: ",
				    "last worker died") == lost + 1));
	kt_sleep_ms(250);
	KT_EXPECT_EQ(kt_stat(pool, alive), 0);
	KT_EXPECT_EQ(kt_stat(pool, pending), PROBES);
out:
	limit_end(LIMIT_THREADS_MAX);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, PROBES);
	KT_EXPECT(kt_wait(log_count("kpool: oops: ",
				    "worker created") == mended + 1));
	finish();
}

static struct kt_gate exit_gate;

static void *init_returns(void *data)
{
	return NULL;
}

static void exit_waits(void *data, void *worker_data)
{
	kt_gate_pass(&exit_gate);
}

/*
 * A worker that is exiting runs nothing: the promise is lost with the last of
 * the others.
 * Fails (nothing is logged) if it counts: mutant
 * exiting-worker-keeps-the-guarantee.
 */
static void guarantee_is_lost_beside_an_exiting_worker(void)
{
	const struct kpool_attrs promising = {
		.flags = KPOOL_MEM_RECLAIM,
		.worker_init = init_returns, .worker_exit = exit_waits,
	};
	int lost = log_count("kpool: oops: ", "last worker died");
	int mended = log_count("kpool: oops: ", "worker created");

	kt_gate_init(&exit_gate);
	victim_init(&victim, DIE_NULL);
	if (!begin_with(2, &promising))
		return;
	victim_begin(pool, &victim);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(probes_ran(p, 1) == 1));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	KT_EXPECT(kt_wait(atomic_read(&exit_gate.started)));
	victim_let_die(&victim);
	dead_are(pool, 1);
	KT_EXPECT(kt_wait(log_count("kpool: oops: ",
				    "last worker died") == lost + 1));
	kt_gate_open(&exit_gate);
	KT_EXPECT(kt_wait(log_count("kpool: oops: ",
				    "worker created") == mended + 1));
	finish();
}

/*
 * The worker after the one that restores the promise is nothing to log.
 * Fails if each worker after a loss restores it: mutant
 * guarantee-restored-again.
 */
static void guarantee_is_restored_once(void)
{
	const struct kpool_attrs promising = { .flags = KPOOL_MEM_RECLAIM };
	int mended = log_count("kpool: oops: ", "worker created");

	victim_init(&victim, DIE_NULL);
	if (!begin_with(2, &promising))
		return;
	victim_begin(pool, &victim);
	victim_let_die(&victim);
	dead_are(pool, 1);
	KT_EXPECT(kt_wait(log_count("kpool: oops: ",
				    "worker created") == mended + 1));
	expect_capacity(2);
	KT_EXPECT_EQ(kt_stat(pool, alive), 2);
	KT_EXPECT_EQ(log_count("kpool: oops: ", "worker created"), mended + 1);
	finish();
}

static const char *const guarantees[] = { "none", "of_another_worker", NULL };

/*
 * There is nothing to lose without the promise, or while another worker is
 * left.
 * Fails if each death of a worker is logged as a loss: mutant
 * any-pool-loses-its-guarantee.
 */
static void guarantee_is_not_lost(int of_another)
{
	const struct kpool_attrs attrs = {
		.flags = of_another ? KPOOL_MEM_RECLAIM : 0, .min_workers = 1 + of_another,
	};
	int lost = log_count("kpool: oops: ", "last worker died");

	victim_init(&victim, DIE_NULL);
	if (!begin_with(1 + of_another, &attrs))
		return;
	victim_begin(pool, &victim);
	victim_let_die(&victim);
	dead_are(pool, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(log_count("kpool: oops: ", "last worker died"), lost);
	finish();
}

/* Callbacks */

static atomic_t data_made, data_ended;
static bool init_dies, exit_dies, handler_dies;

static void *make_data(void *data)
{
	if (READ_ONCE(init_dies)) {
		WRITE_ONCE(init_dies, false);
		die(DIE_NULL);
	}
	atomic_inc(&data_made);
	return kmalloc(8, GFP_KERNEL) ?: ERR_PTR(-ENOMEM);
}

static void end_data(void *data, void *worker_data)
{
	atomic_inc(&data_ended);
	kfree(worker_data);
	if (READ_ONCE(exit_dies))
		die(DIE_NULL);
}

static bool begin_with_data(void *(*init)(void *data))
{
	const struct kpool_attrs attrs = {
		.worker_init = init, .worker_exit = end_data,
	};

	atomic_set(&data_made, 0);
	atomic_set(&data_ended, 0);
	init_dies = false;
	exit_dies = false;
	return begin_with(1, &attrs);
}

/*
 * The handler is given the dead worker's data, which is freed only by a
 * handler that wants to.  The next worker has data of its own.
 * Fails if worker_exit is called for dead workers.
 */
static void data_of_a_dead_worker_is_passed_on(void)
{
	victim_init(&victim, DIE_BUG);
	if (!begin_with_data(make_data))
		return;
	victim_begin(pool, &victim);
	KT_EXPECT_EQ(wait_during_death(FLUSH_ITEM), -EIO);
	KT_EXPECT(report.last.data);
	KT_EXPECT_EQ(atomic_read(&data_ended), 0);
	kfree(report.last.data);
	expect_capacity(1);
	KT_EXPECT_EQ(atomic_read(&data_made), 2);
	finish();
	KT_EXPECT_EQ(atomic_read(&data_ended), 1);
}

static void *seen_in_init;

static void *looks_and_makes_data(void *data)
{
	WRITE_ONCE(seen_in_init, kpool_worker_data());
	return make_data(data);
}

/*
 * The worker that comes next, in the same memory, has no data before its
 * worker_init has made some.
 * Fails if it is given that of the dead one: mutant worker-data-of-the-last.
 */
static void next_worker_has_no_data_of_a_dead_one(void)
{
	seen_in_init = NULL;
	victim_init(&victim, DIE_NULL);
	if (!begin_with_data(looks_and_makes_data))
		return;
	victim_begin(pool, &victim);
	KT_EXPECT_EQ(wait_during_death(FLUSH_ITEM), -EIO);
	kfree(report.last.data);
	expect_capacity(1);
	KT_EXPECT_EQ(atomic_read(&data_made), 2);
	KT_EXPECT(!seen_in_init);
	finish();
}

static struct full crowded;
static struct kt_gate asking;
static bool is_abandoned;

static int runs_the_victim_itself(struct kpool_item *item)
{
	return kpool_submit(crowded.pool, &victim.job.item);
}

static int asks_if_abandoned(void *unused)
{
	kt_gate_pass(&asking);
	is_abandoned = kpool_call_abandoned();
	return 0;
}

/*
 * A worker dies in an item of another pool, which it runs as a submitter.  The
 * one that has its memory is in no such item.
 * Fails if it seems to be: mutant nested-runs-of-the-last.
 */
static void next_worker_is_in_no_item_of_a_dead_submitter(void)
{
	static const struct kpool_attrs full_attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};

	victim_init(&victim, DIE_NULL);
	kt_gate_init(&asking);
	is_abandoned = false;
	if (!begin_with(1, NULL))
		return;
	if (!full_make(&crowded, &full_attrs))
		goto out;
	probe_init(&p[0], runs_the_victim_itself, 0);
	probes_submit(pool, p, 1);
	victim_runs(&victim);
	victim_let_die(&victim);
	KT_EXPECT(kt_wait(kt_stat(pool, died) == 1));
	KT_EXPECT_EQ(kpool_call_timeout(pool, asks_if_abandoned, NULL, NULL,
					5 * HZ, NULL), -ETIMEDOUT);
	KT_EXPECT(atomic_read(&asking.started));
	kt_gate_open(&asking);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(is_abandoned);
	full_end(&crowded);
out:
	finish();
}

/*
 * A worker that dies in worker_init was never there: it is tried again.
 * Fails if its maker waits for it for ever.
 */
static void death_in_worker_init_is_a_failure(void)
{
	int before = log_count("kpool: oops: cannot create", "(-5)");

	if (!begin_with_data(make_data))
		return;
	WRITE_ONCE(init_dies, true);
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, 1);
	KT_EXPECT_EQ(log_count("kpool: oops: cannot create", "(-5)"), before + 1);
	KT_EXPECT_EQ(kt_stat(pool, died), 0);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 1);
	KT_EXPECT_EQ(atomic_read(&report.calls), 0);
	finish();
}

/*
 * A worker that dies in worker_exit is gone all the same.
 * Fails if the reap work waits for it for ever.
 */
static void death_in_worker_exit_ends_the_worker(void)
{
	if (!begin_with_data(make_data))
		return;
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	WRITE_ONCE(exit_dies, true);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&data_ended), 1);
	finish();
	exit_dies = false;
}

static bool drop_dies;

static void drop_fn_dies(struct kpool_item *item, int err)
{
	probe_dropped(item, err);
	if (xchg(&drop_dies, false))
		die(DIE_NULL);
}

/*
 * The first of two items that are dropped oopses in its drop function.
 * Fails if the thread that drops is not replaced.
 */
static void oops_in_a_drop_function_delays_no_other(void)
{
	if (!begin_with(1, NULL))
		return;
	kpool_set_drop_fn(&p[0].job.item, drop_fn_dies);
	kpool_set_drop_fn(&p[1].job.item, drop_fn_dies);
	kpool_set_deadline(&p[0].job, ktime_get());
	kpool_set_deadline(&p[1].job, ktime_get());
	WRITE_ONCE(drop_dies, true);
	probes_submit(pool, p, 3);
	KT_EXPECT(kt_wait(probes_dropped(p, 2) == 2));
	probe_ran(&p[2]);
	KT_EXPECT(kt_wait(kt_stat(pool, dropped) == 2));
	KT_EXPECT(!READ_ONCE(drop_dies));
	finish();
}

static void dies_in_handler(void *data, const struct kpool_fault *fault)
{
	note_fault(data, fault);
	if (READ_ONCE(handler_dies)) {
		WRITE_ONCE(handler_dies, false);
		die(DIE_NULL);
	}
}

/*
 * A fault handler that dies costs the worker that called it; it is not called
 * for that, and the item has ended by a death.
 * Fails if the handler is given one thread after the other.
 */
static void death_in_the_handler_is_one_death(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1, .fault = dies_in_handler,
	};

	memset(&report, 0, sizeof(report));
	probes_init(p, 2, probe_fn);
	oopses_begin();
	pool = kt_pool("oops", &attrs);
	if (!pool)
		return;
	handler_dies = true;
	p[0].ret = -EPERM;
	probes_submit(pool, p, 2);
	dead_are(pool, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, 2);
	KT_EXPECT_EQ(atomic_read(&report.calls), 1);
	KT_EXPECT_EQ(kt_stat(pool, completed), 1);
	finish();
}

static int died_on, tune_got;
static struct kt_gate pinned;

static int dies_where_it_must_stay(struct kpool_item *item)
{
	migrate_disable();
	migrate_disable();
	WRITE_ONCE(died_on, raw_smp_processor_id());
	kt_gate_pass(&pinned);
	die(DIE_NULL);
	migrate_enable();
	migrate_enable();
	return 0;
}

static int moves_the_workers(void *unused)
{
	int other = cpumask_any_but(cpu_online_mask, READ_ONCE(died_on));

	return kpool_tune_cpumask(pool, cpumask_of(other));
}

static void handler_moves_the_workers(void *data, const struct kpool_fault *fault)
{
	WRITE_ONCE(tune_got, moves_the_workers(NULL));
	note_fault(data, fault);
}

/* Of a pool of two, one is about to die with migration disabled. */
static bool begin_pinned(bool moves, struct kpool_job *job)
{
	const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 1,
		.fault = moves ? handler_moves_the_workers : note_fault,
	};

	if (num_online_cpus() < 2) {
		kt_skip("there is one CPU");
		return false;
	}
	memset(&report, 0, sizeof(report));
	tune_got = 1;
	kt_gate_init(&pinned);
	kpool_init_job(job, dies_where_it_must_stay);
	oopses_begin();
	pool = kt_pool("oops", &attrs);
	if (!pool)
		return false;
	KT_EXPECT_EQ(kpool_submit(pool, &job->item), 0);
	return KT_EXPECT(kt_wait(atomic_read(&pinned.started)));
}

/* Expect that the death is over, and the pool goes on. */
static void end_pinned(void)
{
	dead_are(pool, 1);
	KT_EXPECT_EQ(atomic_read(&report.calls), 1);
	KT_EXPECT_EQ(READ_ONCE(tune_got), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_init(p, 1, probe_fn);
	probes_submit(pool, p, 1);
	KT_EXPECT(probe_ran(p));
	finish();
}

/*
 * Fails (hangs) if the one that died cannot be moved: mutants
 * dead-thread-stays-pinned, dead-thread-unpinned-once.
 */
static void handler_moves_the_workers_beside_a_dead_one(void)
{
	struct kpool_job job;

	if (!begin_pinned(true, &job))
		return;
	kt_gate_open(&pinned);
	end_pinned();
}

/* The change waits already when the thread dies. */
static void change_outlasts_an_item_that_dies(void)
{
	struct kt_thread t = { };
	struct kpool_job job;

	if (!begin_pinned(false, &job))
		return;
	KT_EXPECT(kt_thread_start(&t, moves_the_workers, NULL));
	KT_EXPECT(kt_thread_asleep(&t));
	kt_gate_open(&pinned);
	WRITE_ONCE(tune_got, kt_thread_join(&t));
	end_pinned();
}

/*
 * The next worker can have that one's memory; when it dies in an item, the
 * handler is called.
 * Fails if the memory keeps what happened to the last: mutant
 * death-reported-by-the-last.
 */
static void death_after_a_handler_death_is_reported(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1, .fault = dies_in_handler,
	};

	memset(&report, 0, sizeof(report));
	probes_init(p, 1, probe_fn);
	victim_init(&victim, DIE_NULL);
	oopses_begin();
	pool = kt_pool("oops", &attrs);
	if (!pool)
		return;
	handler_dies = true;
	p[0].ret = -EPERM;
	probes_submit(pool, p, 1);
	dead_are(pool, 1);
	KT_EXPECT_EQ(atomic_read(&report.calls), 1);
	victim_begin(pool, &victim);
	victim_let_die(&victim);
	dead_are(pool, 2);
	KT_EXPECT_EQ(atomic_read(&report.calls), 2);
	finish();
}

/* The waits of a fault handler. */
static const char *const self_waits[] = {
	"flush", "flush_item", "cancel_sync", "submit", "group_wait",
	"shutdown",
	"destroy", NULL
};

static int self_wait, self_wait_got;

static int wait_for_own_pool(int wait)
{
	switch (wait) {
	case 0:
		return kpool_flush(pool);
	case 1:
		return kpool_flush_item(&victim.job.item);
	case 2:
		return kpool_cancel_sync(&victim.job.item);
	case 3:
		return kpool_submit(pool, &p[0].job.item);
	case 4:
		return kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT);
	case 5:
		return kpool_shutdown_timeout(pool, MAX_SCHEDULE_TIMEOUT);
	default:
		return kpool_destroy(pool);
	}
}

static void waits_when_called(void *data, const struct kpool_fault *fault)
{
	self_wait_got = wait_for_own_pool(self_wait);
	note_fault(data, fault);
}

/*
 * The dead item has not ended while the handler is called.  To wait for it, for
 * its group, its pool, or its unit, is to wait for itself.
 * Fails (hangs) if the handler is taken for a thread outside of the pool:
 * mutant death-handler-not-in-pool.
 */
static void handler_of_a_death_cannot_wait_for_it(int wait)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .fault = waits_when_called,
	};

	memset(&report, 0, sizeof(report));
	self_wait = wait;
	self_wait_got = 0;
	probes_init(p, 1, probe_fn);
	victim_init(&victim, DIE_NULL);
	oopses_begin();
	pool = kt_pool("oops", &attrs);
	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, 0), 0);
	KT_EXPECT_EQ(kpool_set_group(&victim.job, &group), 0);
	victim_begin(pool, &victim);
	victim_let_die(&victim);
	dead_are(pool, 1);
	KT_EXPECT_EQ(atomic_read(&report.calls), 1);
	KT_EXPECT_EQ(self_wait_got, -EDEADLK);
	KT_EXPECT(!kpool_is_pending(&p[0].job.item));
	finish();
}

/* The script looks between these two, to see what a person sees. */
static void pool_with_dead_worker_stays(void)
{
	if (!begin(2, DIE_NULL))
		return;
	victim_begin(pool, &victim);
	victim_let_die(&victim);
	dead_are(pool, 1);
	KT_EXPECT_GE(log_count("kpool: oops: worker ", "died in victim_fn"),
		     1);
}

static void pool_with_dead_worker_ends(void)
{
	if (pool)
		finish();
}

/*
 * A worker died while the handler is called for another: both are listed until
 * they are reaped.
 * Fails if the one is taken for running: mutant dead-worker-runs.
 */
static void pool_with_unreaped_workers_stays(void)
{
	static struct kt_gate gate;

	victim_init(&victim, DIE_NULL);
	victim_init(&many[0], DIE_NULL);
	kt_gate_init(&gate);
	handler_gate = &gate;
	if (!begin_with(2, NULL))
		return;
	victim_begin(pool, &victim);
	victim_begin(pool, &many[0]);
	victim_let_die(&victim);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	victim_let_die(&many[0]);
}

static void pool_with_unreaped_workers_ends(void)
{
	if (handler_gate)
		kt_gate_open(handler_gate);
	if (pool && dead_are(pool, 2))
		finish();
	handler_gate = NULL;
}

KT_MODULE("kpool selftest: items that oops",
	  KT_EACH(one_worker_is_lost, ways),
	  KT_EACH(next_queued_item_runs, ways),
	  KT_EACH(waiter_gets_eio, waits),
	  KT_CASE(all_flushers_get_eio),
	  KT_CASE(waiter_for_others_gets_no_error),
	  KT_CASE(item_that_waits_continues),
	  KT_CASE(blocked_submitters_are_admitted),
	  KT_CASE(heavy_item_gives_back_its_units),
	  KT_EACH(stream_continues, ways),
	  KT_CASE(collecting_group_gets_the_dead_job),
	  KT_CASE(failing_group_drops_pending_jobs),
	  KT_EACH(next_run_of_a_dead_item_is_kept, ways),
	  KT_EACH(item_handed_over_outlives_its_old_run, handed_states),
	  KT_EACH(abandoned_call_releases_its_argument, ways),
	  KT_CASE(item_dies_after_a_call),
	  KT_EACH(function_form_dies_too, ways),
	  KT_CASE(all_workers_die_at_once),
	  KT_CASE(many_die_in_a_row),
	  KT_EACH(closed_pool_drains_after_death, ways),
	  KT_CASE(dead_workers_are_replaced_within_limits),
	  KT_CASE(min_workers_are_replaced),
	  KT_CASE(lost_guarantee_is_logged_and_restored),
	  KT_CASE(guarantee_is_lost_beside_an_exiting_worker),
	  KT_CASE(guarantee_is_restored_once),
	  KT_EACH(guarantee_is_not_lost, guarantees),
	  KT_CASE(data_of_a_dead_worker_is_passed_on),
	  KT_CASE(next_worker_has_no_data_of_a_dead_one),
	  KT_CASE(next_worker_is_in_no_item_of_a_dead_submitter),
	  KT_CASE(death_in_worker_init_is_a_failure),
	  KT_CASE(death_in_worker_exit_ends_the_worker),
	  KT_CASE(oops_in_a_drop_function_delays_no_other),
	  KT_CASE(death_in_the_handler_is_one_death),
	  KT_CASE(handler_moves_the_workers_beside_a_dead_one),
	  KT_CASE(change_outlasts_an_item_that_dies),
	  KT_CASE(death_after_a_handler_death_is_reported),
	  KT_EACH(handler_of_a_death_cannot_wait_for_it, self_waits),
	  KT_CASE(pool_with_dead_worker_stays),
	  KT_CASE(pool_with_dead_worker_ends),
	  KT_CASE(pool_with_unreaped_workers_stays),
	  KT_CASE(pool_with_unreaped_workers_ends));
