// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where an owner's functions are called outside of its items: the drop
 * function, and for dead workers the fault handler and the release of a call.
 *
 * They may flush any workqueue, and one that hangs holds up no other pool.
 * What dies here ends its thread; what an oops does is in oops.c.
 */
#include <linux/workqueue.h>

#include "limits.h"
#include "log.h"
#include "oops.h"
#include "threads.h"

#define CROWD	24		/* pools, more than the kernel keeps idle kworkers for */

static struct workqueue_struct *other;
static struct kt_gate hold;	/* where functions wait that hang */
static atomic_t flushed;
static atomic_t reported;
static struct victim victim;
static struct probe p[2];

/* An item to be dropped. */
struct leaf {
	struct probe		probe;
	struct kpool_group	group;
};

static struct leaf leaf;

static bool hangs, idles, dies;	/* the functions do this, not a flush */
static bool release_dies;
static atomic_t released;

static void other_runs(struct work_struct *work)
{
	atomic_inc(&flushed);
}

/* Do what a function is allowed to do in process context. */
static void flush_other(void)
{
	struct work_struct work;

	might_sleep();
	INIT_WORK_ONSTACK(&work, other_runs);
	queue_work(other, &work);
	flush_work(&work);
	destroy_work_on_stack(&work);
}

static char thread_died[64];	/* the line of the log that the death gets */

static void note_thread(struct task_struct *task)
{
	snprintf(thread_died, sizeof(thread_died),
		 "kpool: callback: thread %d died in ", task_pid_nr(task));
}

static void owner_runs(void)
{
	if (xchg(&dies, false)) {
		note_thread(current);
		die(DIE_EXIT);
	}
	if (READ_ONCE(hangs))
		kt_gate_pass(&hold);
	else if (!READ_ONCE(idles))
		flush_other();
}

static void note_death(void *data, const struct kpool_fault *fault)
{
	owner_runs();
	atomic_inc(&reported);
}

static void callback_dropped(struct kpool_item *item, int err)
{
	owner_runs();
	atomic_inc(&probe_of(item)->dropped);
}

static void callback_release(void *arg)
{
	atomic_inc(&released);
	if (xchg(&release_dies, false)) {
		note_thread(current);
		die(DIE_EXIT);
	}
	owner_runs();
}

static bool begin(void)
{
	hangs = false;
	atomic_set(&flushed, 0);
	atomic_set(&reported, 0);
	kt_gate_init(&hold);
	probes_init(p, ARRAY_SIZE(p), probe_fn);
	victim_init(&victim, DIE_EXIT);
	other = alloc_workqueue("kt-other", WQ_UNBOUND, 0);
	return KT_EXPECT(other);
}

static void finish(void)
{
	if (other)
		destroy_workqueue(other);
	other = NULL;
}

static const char *const kinds[] = { "plain", "mem_reclaim", NULL };

static struct kpool *pool_make(const char *name, int kind)
{
	const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
		.stall_ms = 100, .fault = note_death,
		.flags = kind ? KPOOL_MEM_RECLAIM : 0,
	};

	return kt_pool(name, &attrs);
}

/* Have one item dropped, by the pool and without a worker. */
static void leaf_falls(struct kpool *pool, struct leaf *l)
{
	KT_EXPECT_EQ(kpool_init_group(&l->group, pool, NULL, 0), 0);
	probe_init(&l->probe, probe_fn, 0);
	kpool_set_drop_fn(&l->probe.job.item, callback_dropped);
	kpool_set_group(&l->probe.job, &l->group);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &l->probe.job.item), 0);
	kpool_group_cancel(&l->group);
	kpool_resume(pool);
}

static bool leaf_fell(struct leaf *l)
{
	return KT_EXPECT(kt_wait(atomic_read(&l->probe.dropped)));
}

/*
 * Fails (the kernel warns) if a drop function runs where it can wait only for
 * what needs no memory.
 */
static void dropped_may_flush_a_workqueue(int kind)
{
	struct kpool *pool;

	if (!begin())
		return;
	pool = pool_make("callback", kind);
	if (pool) {
		leaf_falls(pool, &leaf);
		leaf_fell(&leaf);
		KT_EXPECT_EQ(atomic_read(&flushed), 1);
	}
	jobs_end(pool);
	finish();
}

/* A fault handler that is called for a death can flush a workqueue, too. */
static void handler_may_flush_a_workqueue(int kind)
{
	struct kpool *pool;

	if (!begin())
		return;
	pool = pool_make("callback", kind);
	if (pool && victim_begin(pool, &victim)) {
		victim_let_die(&victim);
		dead_are(pool, 1);
		KT_EXPECT_EQ(atomic_read(&reported), 1);
		KT_EXPECT_EQ(atomic_read(&flushed), 1);
	}
	jobs_end(pool);
	finish();
}

/*
 * Abandon a call.  One that has not started in time is cancelled, and releases
 * its argument in this thread: do not count that, and call again.
 */
static void abandon_call(struct kpool *pool)
{
	do {
		KT_EXPECT_EQ(kpool_call_timeout(pool, victim_dies, &victim,
						callback_release, 2, NULL),
			     -ETIMEDOUT);
	} while (!kt_stat(pool, abandoned));
	atomic_set(&flushed, 0);
	atomic_set(&released, 0);
}

/* So can the release of a call that was abandoned and whose worker died. */
static void release_may_flush_a_workqueue(int kind)
{
	struct kpool *pool;

	if (!begin())
		return;
	pool = pool_make("callback", kind);
	if (pool) {
		abandon_call(pool);
		victim_let_die(&victim);
		KT_EXPECT(kt_wait(atomic_read(&flushed) == 2));
		dead_are(pool, 1);
	}
	jobs_end(pool);
	finish();
}

/*
 * A drop function that dies costs the thread that it was called in.  Those of
 * other items are called in another thread, which is the pool's own from then
 * on.
 * Fails (hangs) if a context waits for what its dead thread was executing; if
 * the next thread is any kworker: mutant next-thread-is-a-kworker.
 */
static void dropped_that_dies_is_not_the_last(int kind)
{
	static struct leaf last;
	struct kpool *pool;

	/* a kworker holds two for the workqueue, also as it ends */
	if (IS_ENABLED(CONFIG_LOCKDEP) && !kind) {
		kt_skip("lockdep complains of the kworker's locks");
		return;
	}
	if (!begin())
		return;
	pool = pool_make("callback", kind);
	if (pool) {
		dies = true;
		leaf_falls(pool, &last);
		KT_EXPECT(kt_wait(kt_stat(pool, dropped) == 1));
		KT_EXPECT(!dies);
		KT_EXPECT(kt_wait(threads_named("kpool-drop/call") == 1));
		KT_EXPECT_EQ(log_count(thread_died, "callback_dropped [callback], a drop function"),
			     1);
		leaf_falls(pool, &leaf);
		leaf_fell(&leaf);
	}
	jobs_end(pool);
	finish();
}

/*
 * Drop functions of a pool die, one after the other, more often than a
 * workqueue has places.  Another pool's is called.
 * Fails (hangs) if each death takes such a place: mutant
 * each-death-takes-a-place.
 */
static void deaths_in_one_pool_delay_no_other(void)
{
	struct kpool *pool, *next;
	int i;

	if (!kt_exact) {
		kt_skip("the deaths take as many seconds");
		return;
	}
	if (!begin())
		return;
	pool = pool_make("callback", 0);
	next = pool_make("next", 0);
	for (i = 0; pool && i <= WQ_MAX_ACTIVE; i++) {
		static struct leaf last;

		dies = true;
		leaf_falls(pool, &last);
		if (!KT_EXPECT(kt_wait(kt_stat(pool, dropped) == i + 1)))
			break;
	}
	KT_EXPECT(!dies);
	if (next) {
		leaf_falls(next, &leaf);
		leaf_fell(&leaf);
	}
	jobs_end(next);
	jobs_end(pool);
	finish();
}

static int aborts(void *pool)
{
	return kpool_abort(pool);
}

/*
 * A drop function dies in a thread that aborts the pool.  What the thread has
 * not dropped is left to the pool, and a flush of what it dropped fails.
 * Fails if the dead thread is still taken for an aborter: mutant
 * dead-aborter-kept.
 */
static void dropped_that_dies_in_abort_is_not_the_last(int kind)
{
	struct kt_thread aborter = { }, flusher = { };
	struct kpool *pool;

	if (!begin())
		return;
	pool = pool_make("callback", kind);
	if (pool) {
		kpool_set_drop_fn(&p[0].job.item, callback_dropped);
		KT_EXPECT_EQ(kpool_pause(pool), 0);
		probes_submit(pool, p, 2);
		if (kt_thread_start(&flusher, flushes_item, &p[0].job.item))
			kt_thread_asleep(&flusher);
		dies = true;
		if (kt_thread_start(&aborter, aborts, pool)) {
			KT_EXPECT(kt_wait(READ_ONCE(aborter.task->exit_state)));
			put_task_struct(aborter.task);
		}
		KT_EXPECT(!dies);
		KT_EXPECT_EQ(kt_thread_join(&flusher), -EIO);
		if (!KT_EXPECT(kt_wait(atomic_read(&p[1].dropped))))
			kpool_cancel(&p[1].job.item);
		KT_EXPECT(kt_wait(kt_stat(pool, dropped) == 2));
	}
	jobs_end(pool);
	finish();
}

/*
 * The log says what a thread has died in, also where that was called by an
 * abort.
 * Fails if it is taken for another callback, mutant aborter-dies-in-room, or
 * another thread is named.
 */
static void log_says_what_an_aborter_died_in(void)
{
	struct kt_thread aborter = { };
	struct kpool *pool;

	if (!begin())
		return;
	pool = pool_make("callback", 0);
	if (pool) {
		kpool_set_drop_fn(&p[0].job.item, callback_dropped);
		KT_EXPECT_EQ(kpool_pause(pool), 0);
		probes_submit(pool, p, 1);
		dies = true;
		if (kt_thread_start(&aborter, aborts, pool)) {
			KT_EXPECT(kt_wait(READ_ONCE(aborter.task->exit_state)));
			put_task_struct(aborter.task);
		}
		KT_EXPECT(kt_wait(kt_stat(pool, dropped) == 1));
		KT_EXPECT_EQ(log_count(thread_died, "callback_dropped [callback], a drop function"),
			     1);
	}
	jobs_end(pool);
	finish();
}

/*
 * A pool is destroyed while its drop function dies.
 * Fails (hangs) if destroy flushes what the dead thread was executing.
 */
static void drop_that_dies_is_survived_by_destroy(int kind)
{
	struct kpool *pool;

	if (IS_ENABLED(CONFIG_LOCKDEP) && !kind) {
		kt_skip("lockdep complains of the kworker's locks");
		return;
	}
	if (!begin())
		return;
	pool = pool_make("callback", kind);
	if (pool) {
		dies = true;
		leaf_falls(pool, &leaf);
	}
	jobs_end(pool);
	KT_EXPECT(!dies);
	finish();
}

static void callback_room(void *data)
{
	owner_runs();
}

/* A pool whose room function can die, or NULL. */
static struct kpool *room_begin(int kind)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_NONE, .room = callback_room,
		.flags = kind ? KPOOL_MEM_RECLAIM : 0,
	};

	if (IS_ENABLED(CONFIG_LOCKDEP) && !kind) {
		kt_skip("lockdep complains of the kworker's locks");
		return NULL;
	}
	return begin() ? kt_pool("callback", &attrs) : NULL;
}

/* A room function that dies keeps no item from ending. */
static void room_that_dies_is_survived_by_destroy(int kind)
{
	struct kpool *pool = room_begin(kind);

	if (pool) {
		probes_hold(p, 2);
		KT_EXPECT_EQ(kpool_submit(pool, &p[0].job.item), 0);
		KT_EXPECT_EQ(kpool_try_submit(pool, &p[1].job.item), -EAGAIN);
		dies = true;
		probes_open(p, 1);
		KT_EXPECT(kt_wait(!READ_ONCE(dies)));
	}
	jobs_end(pool);
	if (pool)
		KT_EXPECT_EQ(log_count(thread_died, "callback_room [callback], a room function"),
			     1);
	finish();
}

static int flushes_victim(void *unused)
{
	return kpool_flush_item(&victim.job.item);
}

/*
 * A fault handler that dies while it is called for a death costs the thread
 * that it was called in.  It is not called again for that death: the waiters
 * are notified, and so is the handler of the next death.
 * Fails (hangs) if it is not noticed, mutant reap-work-left-to-a-dead-thread,
 * or if the handler is given one thread after the other, mutant
 * death-handler-called-again.
 */
static void handler_that_dies_is_not_the_last(int kind)
{
	struct kt_thread waiter = { };
	struct kpool *pool;

	if (IS_ENABLED(CONFIG_LOCKDEP) && !kind) {
		kt_skip("lockdep complains of the kworker's locks");
		return;
	}
	if (!begin())
		return;
	pool = pool_make("callback", kind);
	if (pool && victim_begin(pool, &victim)) {
		kt_thread_start(&waiter, flushes_victim, NULL);
		kt_thread_asleep(&waiter);
		dies = true;
		victim_let_die(&victim);
		KT_EXPECT_EQ(kt_thread_join(&waiter), -EIO);
		dead_are(pool, 1);
		KT_EXPECT(!dies);
		KT_EXPECT_EQ(log_count(thread_died, "a fault handler or release function"),
			     1);
		KT_EXPECT_EQ(atomic_read(&reported), 0);
		victim_init(&victim, DIE_EXIT);
		victim_begin(pool, &victim);
		victim_let_die(&victim);
		dead_are(pool, 2);
		KT_EXPECT_EQ(atomic_read(&reported), 1);
	}
	jobs_end(pool);
	finish();
}

/*
 * A worker dies in the fault handler for an item that returned an error, whose
 * run has ended for lockdep.
 * Fails (lockdep reports the end of what has ended) if it seems to die in the
 * item: mutant death-after-the-run-ends-it.
 */
static void handler_of_an_error_that_dies_is_survived(void)
{
	struct kpool *pool;

	if (!begin())
		return;
	pool = pool_make("callback", 0);
	if (pool) {
		p[0].ret = -EIO;
		dies = true;
		probes_submit(pool, p, 1);
		dead_are(pool, 1);
		KT_EXPECT(!dies);
		probes_submit(pool, &p[1], 1);
		probe_ran(&p[1]);
	}
	jobs_end(pool);
	finish();
}

static int flushes(void *pool)
{
	return kpool_flush(pool);
}

/*
 * More callers than fail under one hold of the lock wait for an item whose
 * thread dies.
 * Fails (hangs) if the next hold finds the same ones: mutant
 * same-flushers-again.
 */
static void many_flushes_fail_with_the_thread(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	static struct kt_thread flusher[80];
	struct kpool *pool;
	int i;

	if (!begin())
		return;
	pool = kt_pool("callback", &attrs);
	if (pool && victim_begin(pool, &victim)) {
		for (i = 0; i < ARRAY_SIZE(flusher); i++)
			kt_thread_start(&flusher[i], flushes, pool);
		for (i = 0; i < ARRAY_SIZE(flusher); i++)
			kt_thread_asleep(&flusher[i]);
		victim_let_die(&victim);
		for (i = 0; i < ARRAY_SIZE(flusher); i++)
			KT_EXPECT_EQ(kt_thread_join(&flusher[i]), -EIO);
		dead_are(pool, 1);
	}
	jobs_end(pool);
	finish();
}

static int submits_victim(void *pool)
{
	return kpool_submit(pool, &victim.job.item);
}

/*
 * A submitter runs an item, which fails; another dies in its item, whose run
 * has the same memory.
 * Fails (not called) if the run counts as reported still: mutant
 * reported-by-the-last.
 */
static void handler_is_called_for_a_submitter_after_a_failure(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
		.fault = note_death,
	};
	struct kt_thread submitter;
	struct kpool *pool;

	if (!begin())
		return;
	p[1].ret = -EINVAL;
	probes_hold(p, 1);
	pool = kt_pool("callback", &attrs);
	if (!pool || !probes_submit(pool, p, 1) || !probe_runs(p))
		goto out;
	probes_submit(pool, &p[1], 1);
	KT_EXPECT_EQ(atomic_read(&reported), 1);
	victim_let_die(&victim);
	if (kt_thread_start(&submitter, submits_victim, pool)) {
		KT_EXPECT(kt_wait(READ_ONCE(submitter.task->exit_state)));
		note_thread(submitter.task);
		put_task_struct(submitter.task);
	}
	KT_EXPECT(kt_wait(kt_stat(pool, caller_ran) == 2));
	KT_EXPECT_EQ(atomic_read(&reported), 2);
	KT_EXPECT_EQ(log_count(thread_died, "victim_fn [callback], a caller-run item"),
		     1);
out:
	probes_open(p, 1);
	jobs_end(pool);
	finish();
}

static int waited_got;

static void second_death_waits(void *data, const struct kpool_fault *fault)
{
	if (atomic_inc_return(&reported) == 2)
		waited_got = kpool_flush_item(&p[0].job.item);
}

/*
 * A fault handler can wait for an item that goes on, also when the worker that
 * died had the memory of one that died before.
 * Fails (-EDEADLK) if the number of dead threads is wrong then: mutant
 * dead-by-the-last.
 */
static void handler_of_a_later_death_may_wait(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
		.fault = second_death_waits,
	};
	struct kpool *pool;
	int i;

	if (!begin())
		return;
	waited_got = 1;
	probes_hold(p, 1);
	pool = kt_pool("callback", &attrs);
	if (!pool || !probes_submit(pool, p, 1) || !probe_runs(p))
		goto out;
	for (i = 1; i <= 2; i++) {
		victim_init(&victim, DIE_EXIT);
		victim_begin(pool, &victim);
		victim_let_die(&victim);
		KT_EXPECT(kt_wait(atomic_read(&reported) == i));
		if (i == 1)
			dead_are(pool, 1);
	}
	kt_sleep_ms(10);
	KT_EXPECT_EQ(READ_ONCE(waited_got), 1);
	probes_open(p, 1);
	dead_are(pool, 2);
	KT_EXPECT_EQ(waited_got, 0);
out:
	probes_open(p, 1);
	jobs_end(pool);
	finish();
}

static int submit_got;

static void first_death_submits(void *data, const struct kpool_fault *fault)
{
	if (atomic_inc_return(&reported) == 1)
		WRITE_ONCE(submit_got, kpool_submit(p[0].data, &p[0].job.item));
}

/*
 * The handler of a death submits to its pool, of which both units are held by
 * dead threads.  The other one is reaped by the thread that the handler is in.
 * Fails (hangs) if that one counts as a run that goes on: mutant
 * dead-run-goes-on.
 */
static void handler_cannot_wait_for_another_death(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .fault = first_death_submits,
	};
	static struct victim other_victim;
	struct kpool *pool;

	if (!begin())
		return;
	submit_got = 1;
	victim_init(&other_victim, DIE_EXIT);
	pool = kt_pool("callback", &attrs);
	if (!pool)
		goto out;
	p[0].data = pool;
	victim_begin(pool, &victim);
	victim_begin(pool, &other_victim);
	victim_let_die(&victim);
	victim_let_die(&other_victim);
	if (!KT_EXPECT(kt_wait(READ_ONCE(submit_got) != 1)))
		kpool_tune(pool, KPOOL_TUNE_CAPACITY, 3);
	dead_are(pool, 2);
	KT_EXPECT_EQ(submit_got, -EDEADLK);
	KT_EXPECT_EQ(atomic_read(&reported), 2);
	jobs_end(pool);
out:
	finish();
}

static struct task_struct *handler_task;
static int handler_got;

static void first_death_flushes(void *data, const struct kpool_fault *fault)
{
	if (atomic_inc_return(&reported) > 1)
		return;
	WRITE_ONCE(handler_task, current);
	WRITE_ONCE(handler_got, kpool_flush_item(p[0].data));
}

/*
 * The handler of a death waits for an item whose worker dies then, while
 * another item runs.
 * Fails (lasts) if deaths are compared only when a wait begins: mutant
 * cycle-of-deaths-not-seen.
 */
static void handler_waits_for_one_that_dies_later(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .fault = first_death_flushes,
	};
	static struct victim other_victim;
	struct kpool *pool;

	if (!begin())
		return;
	handler_got = 1;
	WRITE_ONCE(handler_task, NULL);
	victim_init(&other_victim, DIE_EXIT);
	p[0].data = &other_victim.job.item;
	pool = kt_pool("callback", &attrs);
	if (!pool)
		goto out;
	probes_hold(&p[1], 1);
	probes_submit(pool, &p[1], 1);
	victim_begin(pool, &victim);
	victim_begin(pool, &other_victim);
	victim_let_die(&victim);
	KT_EXPECT(kt_wait(READ_ONCE(handler_task) &&
			  !task_is_running(handler_task)));
	KT_EXPECT_EQ(READ_ONCE(handler_got), 1);
	victim_let_die(&other_victim);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(handler_got) != 1));
	KT_EXPECT_EQ(READ_ONCE(handler_got), -EDEADLK);
	probes_open(&p[1], 1);
	dead_are(pool, 2);
	KT_EXPECT_EQ(atomic_read(&reported), 2);
	jobs_end(pool);
out:
	finish();
}

static struct kpool *called_pool;
static struct victim called;

/* A kpool_fn; the handler calls it, or has the pool call it. */
static int calls_what_dies(void *arg)
{
	*(int *)arg = kpool_call_killable(called_pool, victim_dies, &called,
					  callback_release, NULL);
	return 0;
}

static void first_death_calls(void *data, const struct kpool_fault *fault)
{
	int got;

	if (atomic_inc_return(&reported) > 1)
		return;
	WRITE_ONCE(handler_task, current);
	if (p[0].data)
		KT_EXPECT_EQ(kpool_call(called_pool, calls_what_dies, &got,
					NULL), 0);
	else
		calls_what_dies(&got);
	WRITE_ONCE(handler_got, got);
}

static const char *const deaths[] = { "alone", "busy", "nested", NULL };

enum { ALONE, BUSY, NESTED };

/*
 * The handler of a death calls a function, or one that calls another, and that
 * dies: only the handler's own thread would notice.  The caller keeps the
 * argument.
 * Fails (hangs, or the argument is released) if the wait of a call never fails
 * once it runs: mutants dead-call-is-awaited,
 * argument-of-a-dead-call-released.
 */
static void handler_calls_what_dies(int how)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 4, .fault = first_death_calls,
	};
	struct kpool *pool;

	if (!begin())
		return;
	handler_got = 1;
	WRITE_ONCE(handler_task, NULL);
	atomic_set(&released, 0);
	victim_init(&called, DIE_EXIT);
	pool = kt_pool("callback", &attrs);
	if (!pool)
		goto out;
	called_pool = pool;
	p[0].data = how == NESTED ? pool : NULL;
	if (how != ALONE) {
		probes_hold(&p[1], 1);
		probes_submit(pool, &p[1], 1);
	}
	victim_begin(pool, &victim);
	victim_let_die(&victim);
	victim_runs(&called);
	KT_EXPECT(kt_wait(READ_ONCE(handler_task) &&
			  !task_is_running(handler_task)));
	KT_EXPECT_EQ(READ_ONCE(handler_got), 1);
	victim_let_die(&called);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(handler_got) != 1));
	KT_EXPECT_EQ(READ_ONCE(handler_got), -EIO);
	probes_open(&p[1], 1);
	dead_are(pool, 2);
	KT_EXPECT_EQ(atomic_read(&reported), 2);
	KT_EXPECT_EQ(atomic_read(&released), 0);
	KT_EXPECT_EQ(kt_stat(pool, abandoned), 0);
	jobs_end(pool);
out:
	finish();
}

/* A kpool_fn: it runs the item itself, as the pool is full. */
static int submits_what_dies(void *unused)
{
	return kpool_submit(called_pool, &called.job.item);
}

static void first_death_calls_a_submitter(void *data, const struct kpool_fault *fault)
{
	if (atomic_inc_return(&reported) > 1)
		return;
	WRITE_ONCE(handler_task, current);
	WRITE_ONCE(handler_got, kpool_call(called_pool, submits_what_dies, NULL,
					   NULL));
}

/*
 * The handler calls a function that dies in an item which it runs as a
 * submitter.
 * Fails (hangs) if the wait cannot fail then: mutant
 * dead-call-of-a-submitter-is-awaited.
 */
static void handler_calls_what_dies_in_a_submitters_item(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .when_full = KPOOL_FULL_CALLER_RUNS,
		.fault = first_death_calls_a_submitter,
	};
	struct kpool *pool;

	if (!begin())
		return;
	handler_got = 1;
	WRITE_ONCE(handler_task, NULL);
	victim_init(&called, DIE_EXIT);
	pool = kt_pool("callback", &attrs);
	if (!pool)
		goto out;
	called_pool = pool;
	victim_begin(pool, &victim);
	victim_let_die(&victim);
	victim_runs(&called);
	KT_EXPECT(kt_wait(READ_ONCE(handler_task) &&
			  !task_is_running(handler_task)));
	victim_let_die(&called);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(handler_got) != 1));
	KT_EXPECT_EQ(READ_ONCE(handler_got), -EIO);
	dead_are(pool, 2);
	KT_EXPECT_EQ(atomic_read(&reported), 3);
	jobs_end(pool);
out:
	finish();
}

static void handler_flushes_item(void *data, const struct kpool_fault *fault)
{
	if (xchg(&dies, false))
		die(DIE_EXIT);
	WRITE_ONCE(handler_task, current);
	handler_got = kpool_flush_item(&p[0].job.item);
	atomic_inc(&reported);
}

/*
 * After a handler has died in its thread, that of the next death can wait for
 * an item that runs.
 * Fails (-EDEADLK) if the dead are miscounted from then on: mutants
 * dead-count-below-zero, dead-run-counted-twice.
 */
static void handler_may_wait_after_another_has_died(int kind)
{
	const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
		.fault = handler_flushes_item,
		.flags = kind ? KPOOL_MEM_RECLAIM : 0,
	};
	struct kpool *pool;

	if (IS_ENABLED(CONFIG_LOCKDEP) && !kind) {
		kt_skip("lockdep complains of the kworker's locks");
		return;
	}
	if (!begin())
		return;
	pool = kt_pool("callback", &attrs);
	if (pool && victim_begin(pool, &victim)) {
		dies = true;
		victim_let_die(&victim);
		dead_are(pool, 1);
		probes_hold(p, 1);
		probes_submit(pool, p, 1);
		probe_runs(p);
		victim_init(&victim, DIE_EXIT);
		WRITE_ONCE(handler_task, NULL);
		victim_begin(pool, &victim);
		victim_let_die(&victim);
		KT_EXPECT(kt_wait(READ_ONCE(handler_task) &&
				  !task_is_running(handler_task)));
		probes_open(p, 1);
		dead_are(pool, 2);
		KT_EXPECT_EQ(atomic_read(&reported), 1);
		KT_EXPECT_EQ(handler_got, 0);
	}
	jobs_end(pool);
	finish();
}

/*
 * The release of an abandoned call whose worker died, dies as well.
 * Fails if it is called twice for one argument.
 */
static void release_that_dies_is_not_called_again(void)
{
	struct kpool *pool;

	if (IS_ENABLED(CONFIG_LOCKDEP)) {
		kt_skip("lockdep complains of the kworker's locks");
		return;
	}
	if (!begin())
		return;
	pool = pool_make("callback", 0);
	if (pool) {
		abandon_call(pool);
		release_dies = true;
		victim_let_die(&victim);
		dead_are(pool, 1);
		KT_EXPECT_EQ(atomic_read(&released), 1);
		KT_EXPECT_EQ(atomic_read(&reported), 1);
	}
	jobs_end(pool);
	finish();
}

static int calls_what_dies_here(void *pool)
{
	return kpool_call_timeout(pool, victim_dies, &victim, callback_release,
				  KT_LIMIT, NULL);
}

/*
 * A caller runs its call itself and dies in it: its release is called.
 * Fails if it is called twice: mutant release-for-a-dead-caller-again.
 */
static void release_for_a_dead_caller_is_called_once(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kt_thread caller;
	struct kpool *pool;

	if (IS_ENABLED(CONFIG_LOCKDEP)) {
		kt_skip("lockdep complains of the kworker's locks");
		return;
	}
	if (!begin())
		return;
	atomic_set(&released, 0);
	probes_hold(p, 1);
	pool = kt_pool("callback", &attrs);
	if (!pool || !probes_submit(pool, p, 1) || !probe_runs(p))
		goto out;
	release_dies = true;
	victim_let_die(&victim);
	if (kt_thread_start(&caller, calls_what_dies_here, pool)) {
		KT_EXPECT(kt_wait(READ_ONCE(caller.task->exit_state)));
		put_task_struct(caller.task);
	}
	KT_EXPECT(kt_wait(kt_stat(pool, caller_ran) == 1));
	KT_EXPECT_EQ(atomic_read(&released), 1);
	KT_EXPECT(!release_dies);
out:
	probes_open(p, 1);
	jobs_end(pool);
	finish();
}

static int function_of_nothing(void *arg)
{
	return 0;
}

/* A call that never starts, as the pool is paused. */
static int gives_up(void *pool)
{
	return kpool_call_timeout(pool, function_of_nothing, NULL, callback_release,
				  2, NULL);
}

static int destroys(void *pool)
{
	return kpool_destroy(pool);
}

static void expect_destroy_returns(struct kpool *pool)
{
	struct kt_thread destroyer;

	if (kt_thread_start(&destroyer, destroys, pool) &&
	    KT_EXPECT(kt_wait(kt_thread_done(&destroyer))))
		KT_EXPECT_EQ(kt_thread_join(&destroyer), 0);
}

/*
 * A caller dies in the release function of its own call, and the log says so.
 * Fails (destroy hangs) if it still counts as a caller in the pool: mutant
 * dead-caller-keeps-its-pool.  Also fails (KASAN, by another call, of one kind)
 * if the call stays listed: mutant dead-call-stays-listed.
 */
static void caller_that_dies_in_release_is_survived_by_destroy(int kind)
{
	const char *what = "callback_release [callback], a release function";
	struct kt_thread caller;
	struct kpool *pool;

	if (!begin())
		return;
	pool = pool_make("callback", kind);
	if (!pool)
		goto out;
	atomic_set(&released, 0);
	release_dies = true;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	if (kt_thread_start(&caller, gives_up, pool)) {
		KT_EXPECT(kt_wait(READ_ONCE(caller.task->exit_state)));
		put_task_struct(caller.task);
	}
	if (kind) {
		KT_EXPECT(kt_wait(log_count(thread_died, what)));
		KT_EXPECT_EQ(gives_up(pool), -ETIMEDOUT);
	}
	expect_destroy_returns(pool);
	KT_EXPECT_EQ(atomic_read(&released), kind ? 2 : 1);
	KT_EXPECT_EQ(atomic_read(&reported), 0);
	KT_EXPECT_EQ(log_count(thread_died, what), 1);
out:
	finish();
}

static int flush_got, shutdown_got, destroy_got;

static void waits_for_its_pool(void *pool)
{
	flush_got = kpool_flush(pool);
	shutdown_got = kpool_shutdown_timeout(pool, KT_LIMIT);
	destroy_got = kpool_destroy(pool);
}

/*
 * Fails (destroy hangs) if a release function that the caller calls is not
 * taken for a part of the pool: mutant release-outside-of-a-run.
 */
static void release_in_its_caller_may_not_wait_for_the_pool(void)
{
	struct kpool *pool = pool_make("callback", 0);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_call_timeout(pool, function_of_nothing, pool,
					waits_for_its_pool, 2, NULL),
		     -ETIMEDOUT);
	KT_EXPECT_EQ(flush_got, -EDEADLK);
	KT_EXPECT_EQ(shutdown_got, -EDEADLK);
	KT_EXPECT_EQ(destroy_got, -EDEADLK);
	kpool_resume(pool);
	jobs_end(pool);
}

/* Expect that the pool still does its work, for its owner and for itself. */
static void expect_goes_on(struct kpool *pool, u64 died)
{
	u64 purged = kt_stat(pool, purged);

	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	leaf_falls(pool, &leaf);
	leaf_fell(&leaf);
	probe_init(&p[1], probe_fn, 0);
	probes_submit(pool, &p[1], 1);
	probe_ran(&p[1]);
	KT_EXPECT(kt_wait(kt_stat(pool, purged) > purged));
	victim_init(&victim, DIE_EXIT);
	victim_begin(pool, &victim);
	victim_let_die(&victim);
	dead_are(pool, died);
}

static const char *const hanging[] = { "drop_function", "handler", NULL };

/*
 * While a callback of one pool hangs, another pool drops items, creates,
 * expires and reaps workers, and the watchdog of the same pool reports stalls.
 * Fails if the callbacks of two pools, or the watchdog, share a thread.
 */
static void hanging_function_delays_no_other_pool(int which)
{
	struct kpool *pool, *neighbour;
	static struct leaf hung;

	if (!begin())
		return;
	/* on some kernels, the stack of what stalls is the kernel's to print */
	pr_info("kpool-testbed: expect begin\n");
	pool = pool_make("callback", 0);
	neighbour = pool_make("neighbour", 0);
	if (!pool || !neighbour)
		goto out;
	hangs = true;
	if (which) {
		victim_begin(pool, &victim);
		victim_let_die(&victim);
	} else {
		leaf_falls(pool, &hung);
	}
	KT_EXPECT(kt_wait(atomic_read(&hold.started)));
	WRITE_ONCE(hangs, false);
	expect_goes_on(neighbour, 1);

	probes_init(p, 1, probe_fn);
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, stalled) >= 1));
	probes_open(p, 1);
	kt_gate_open(&hold);
	KT_EXPECT(kt_wait(kt_is_drained(pool)));
out:
	kt_gate_open(&hold);
	jobs_end(pool);
	jobs_end(neighbour);
	pr_info("kpool-testbed: expect end\n");
	finish();
}

static struct kpool *crowd[CROWD];
static struct leaf leaves[CROWD];

/* The functions of so many pools hang that no kworker is left. */
static void crowd_hangs(void)
{
	int i;

	WRITE_ONCE(hangs, true);
	for (i = 0; i < CROWD; i++)
		if (crowd[i])
			leaf_falls(crowd[i], &leaves[i]);
	kt_sleep_ms(200);
	WRITE_ONCE(hangs, false);
}

/*
 * A pool that promises progress without memory calls its owner's functions
 * although no thread can be made and those there are wait for other pools.
 * Fails if it relies on a kworker, or on a rescuer that another pool occupies.
 */
static void mem_reclaim_functions_need_no_kworker(void)
{
	char name[16];
	struct kpool *pool;
	int i;

	if (!begin())
		return;
	pool = pool_make("callback", 1);
	for (i = 0; i < CROWD; i++) {
		snprintf(name, sizeof(name), "crowd-%d", i);
		crowd[i] = pool_make(name, 0);
	}
	if (!pool || !limit_begin(LIMIT_THREADS_MAX))
		goto out;
	crowd_hangs();
	/* no thread flushes work without a kworker for it */
	WRITE_ONCE(idles, true);
	leaf_falls(pool, &leaf);
	leaf_fell(&leaf);
	WRITE_ONCE(idles, false);
out:
	kt_gate_open(&hold);
	limit_end(LIMIT_THREADS_MAX);
	for (i = 0; i < CROWD; i++)
		jobs_end(crowd[i]);
	jobs_end(pool);
	finish();
}

static atomic_t handled;

static void handler_dies_once(void *data, const struct kpool_fault *fault)
{
	if (atomic_inc_return(&handled) == 1)
		die(DIE_EXIT);
}

static int call_fails(void *arg)
{
	return -EINVAL;
}

static int calls(void *pool)
{
	return kpool_call(pool, call_fails, NULL, NULL);
}

/*
 * A room function dies in a pool in which no item has run.
 * Fails (destroy hangs) if only runs of items are watched: mutant
 * room-without-a-watch.
 */
static void room_that_dies_is_noticed_without_a_run(int kind)
{
	struct kpool *pool = room_begin(kind);

	if (!pool)
		goto out;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_try_submit(pool, &p[1].job.item), -EAGAIN);
	dies = true;
	KT_EXPECT(kpool_cancel(&p[0].job.item));
	KT_EXPECT(kt_wait(!READ_ONCE(dies)));
	expect_destroy_returns(pool);
out:
	finish();
}

/*
 * The handler is called once, and destroy does not wait for the dead caller.
 * Fails if its call is forgotten, or the death is reported: mutants
 * call-of-a-caller-forgotten, handler-called-for-its-death.
 */
static void handler_may_kill_a_caller_that_runs_its_call(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_NONE,
		.when_full = KPOOL_FULL_CALLER_RUNS, .fault = handler_dies_once,
	};
	struct kt_thread caller, destroyer;
	struct kpool *pool;

	atomic_set(&handled, 0);
	probes_init(p, ARRAY_SIZE(p), probe_fn);
	pool = kt_pool("callback", &attrs);
	if (!pool)
		return;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(p);
	if (kt_thread_start(&caller, calls, pool)) {
		KT_EXPECT(kt_wait(READ_ONCE(caller.task->exit_state)));
		put_task_struct(caller.task);
	}
	probes_open(p, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, completed) == 2));
	KT_EXPECT_EQ(atomic_read(&handled), 1);
	if (kt_thread_start(&destroyer, destroys, pool) &&
	    KT_EXPECT(kt_wait(kt_thread_done(&destroyer))))
		kt_thread_join(&destroyer);
}

static int got_again;	/* by an item that submits itself */

static int submits_itself_once(struct kpool_item *item)
{
	struct probe *one = probe_of(item);

	if (atomic_inc_return(&one->ran) == 1)
		got_again = kpool_submit(one->data, item);
	return 0;
}

static void submit_after_death(void *data, const struct kpool_fault *fault)
{
	p[0].err = kpool_submit(p[0].data, &p[0].job.item);
}

/*
 * The handler of a death submits an item to its pool, in which the dead run
 * still holds the only unit.  So it runs the item itself, and that submits
 * itself.
 * Fails (-EDEADLK) if the thread seems to be in the dead run alone: mutant
 * run-in-a-handler-not-found.
 */
static void item_that_a_handler_runs_may_submit_itself(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
		.fault = submit_after_death,
	};
	struct kpool *pool;

	if (!begin())
		return;
	pool = kt_pool("nested", &attrs);
	if (!pool)
		goto out;
	got_again = 1;
	probe_init(&p[0], submits_itself_once, 0);
	p[0].data = pool;
	victim_let_die(&victim);
	KT_EXPECT_EQ(kpool_submit(pool, &victim.job.item), 0);
	dead_are(pool, 1);
	KT_EXPECT(kt_wait(atomic_read(&p[0].ran) == 2));
	KT_EXPECT_EQ(p[0].err, 0);
	KT_EXPECT_EQ(got_again, 0);
	KT_EXPECT_EQ(kt_stat(pool, caller_ran), 1);
	jobs_end(pool);
out:
	finish();
}

KT_MODULE("kpool selftest: where owners' functions are called",
	  KT_EACH(dropped_may_flush_a_workqueue, kinds),
	  KT_EACH(handler_may_flush_a_workqueue, kinds),
	  KT_EACH(release_may_flush_a_workqueue, kinds),
	  KT_EACH(dropped_that_dies_is_not_the_last, kinds),
	  KT_CASE(deaths_in_one_pool_delay_no_other),
	  KT_EACH(dropped_that_dies_in_abort_is_not_the_last, kinds),
	  KT_CASE(log_says_what_an_aborter_died_in),
	  KT_EACH(drop_that_dies_is_survived_by_destroy, kinds),
	  KT_EACH(room_that_dies_is_survived_by_destroy, kinds),
	  KT_EACH(room_that_dies_is_noticed_without_a_run, kinds),
	  KT_EACH(handler_that_dies_is_not_the_last, kinds),
	  KT_CASE(handler_of_an_error_that_dies_is_survived),
	  KT_CASE(many_flushes_fail_with_the_thread),
	  KT_CASE(handler_is_called_for_a_submitter_after_a_failure),
	  KT_CASE(item_that_a_handler_runs_may_submit_itself),
	  KT_CASE(handler_of_a_later_death_may_wait),
	  KT_CASE(handler_cannot_wait_for_another_death),
	  KT_CASE(handler_waits_for_one_that_dies_later),
	  KT_EACH(handler_calls_what_dies, deaths),
	  KT_CASE(handler_calls_what_dies_in_a_submitters_item),
	  KT_EACH(handler_may_wait_after_another_has_died, kinds),
	  KT_CASE(release_that_dies_is_not_called_again),
	  KT_CASE(release_for_a_dead_caller_is_called_once),
	  KT_EACH(caller_that_dies_in_release_is_survived_by_destroy, kinds),
	  KT_CASE(release_in_its_caller_may_not_wait_for_the_pool),
	  KT_EACH(hanging_function_delays_no_other_pool, hanging),
	  KT_CASE(handler_may_kill_a_caller_that_runs_its_call),
	  KT_CASE(mem_reclaim_functions_need_no_kworker));
