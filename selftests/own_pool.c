// SPDX-License-Identifier: GPL-2.0-only
/*
 * worker_init and worker_exit that wait for their own pool.  Such a wait ends
 * if another worker can end it, and is refused if it could last for ever.  And
 * a worker_init that takes long holds no item back.
 */
#include "jobs.h"

#define NAME	"own-pool"
#define MANY	64

static struct probe p[4];
static struct kpool_group group;
static struct kt_gate gate;
static atomic_t called;		/* how many callbacks have begun */
static int call;		/* call of the first of them */
static int got[2];		/* results of both */

/* The waits of a callback. */
static const char *const calls[] = {
	"submit", "flush_item", "call", "group_wait", "flush", "shutdown",
	"destroy", NULL
};

enum { SUBMIT, FLUSH_ITEM, CALL, GROUP_WAIT, FLUSH, SHUTDOWN, DESTROY };

static int does_nothing(void *arg)
{
	return 0;
}

/* p[0] is pending, and in the group; p[1] is idle. */
static int waits_for_own_pool(void)
{
	struct kpool *pool = kpool_current();

	switch (call) {
	case SUBMIT:
		return kpool_submit(pool, &p[1].job.item);
	case FLUSH_ITEM:
		return kpool_flush_item(&p[0].job.item);
	case CALL:
		return kpool_call(pool, does_nothing, NULL, NULL);
	case GROUP_WAIT:
		return kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT);
	case FLUSH:
		return kpool_flush(pool);
	case SHUTDOWN:
		return kpool_shutdown_timeout(pool, MAX_SCHEDULE_TIMEOUT);
	default:
		return kpool_destroy(pool);
	}
}

static void *init_waits(void *data)
{
	int nr = atomic_inc_return(&called) - 1;

	if (nr < ARRAY_SIZE(got))
		got[nr] = waits_for_own_pool();
	return NULL;
}

static void *first_init_waits(void *data)
{
	if (atomic_inc_return(&called) == 1)
		got[0] = waits_for_own_pool();
	return NULL;
}

static void *init_returns(void *data)
{
	return NULL;
}

static void exit_waits(void *data, void *worker_data)
{
	if (atomic_inc_return(&called) != 1)
		return;
	KT_EXPECT_EQ(kpool_submit(kpool_current(), &p[0].job.item), 0);
	got[0] = waits_for_own_pool();
}

static struct kpool *begin(int capacity, int queue_depth,
			   void *(*init)(void *data),
			   void (*exit)(void *data, void *worker_data))
{
	const struct kpool_attrs attrs = {
		.capacity = capacity, .queue_depth = queue_depth,
		.expiry_ms = KPOOL_NO_PURGE,
		.worker_init = init, .worker_exit = exit,
	};
	struct kpool *pool;

	probes_init(p, ARRAY_SIZE(p), probe_fn);
	kt_gate_init(&gate);
	atomic_set(&called, 0);
	memset(got, 1, sizeof(got));
	pool = kt_pool(NAME, &attrs);
	if (pool) {
		KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, 0), 0);
		kpool_set_group(&p[0].job, &group);
	}
	return pool;
}

/*
 * The only worker that there can be waits for what it would do itself.
 * Fails (hangs) if it is taken for a thread outside of the pool: mutant
 * callback-not-in-pool.
 */
static void init_is_refused_a_deadlock(int what)
{
	struct kpool *pool;

	call = what;
	pool = begin(1, what == CALL ? 4 : KPOOL_NONE, init_waits, NULL);
	if (!pool)
		return;
	probes_submit(pool, p, 1);
	probe_ran(p);
	KT_EXPECT_EQ(got[0], -EDEADLK);
	KT_EXPECT_EQ(atomic_read(&called), 1);
	KT_EXPECT_EQ(atomic_read(&p[1].ran), 0);
	jobs_end(pool);
}

/* A worker that leaves keeps its place until it has left. */
static void exit_is_refused_a_deadlock(int what)
{
	struct kpool *pool;

	call = what;
	pool = begin(1, what == CALL ? 4 : KPOOL_NONE, init_returns,
		     exit_waits);
	if (!pool)
		return;
	probes_submit(pool, &p[3], 1);
	probe_ran(&p[3]);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	probe_ran(p);
	KT_EXPECT_EQ(got[0], -EDEADLK);
	jobs_end(pool);
}

static void release_flushes(void *arg)
{
	WRITE_ONCE(got[0], kpool_flush_item(&p[0].job.item));
}

static void gives_up_a_call(void)
{
	KT_EXPECT_EQ(kpool_call_timeout(kpool_current(), does_nothing, NULL,
					release_flushes, 2, NULL), -ETIMEDOUT);
}

static void *init_gives_up(void *data)
{
	if (atomic_inc_return(&called) == 1)
		gives_up_a_call();
	return NULL;
}

static void exit_gives_up(void *data, void *worker_data)
{
	if (atomic_inc_return(&called) != 1)
		return;
	KT_EXPECT_EQ(kpool_submit(kpool_current(), &p[0].job.item), 0);
	gives_up_a_call();
}

static const char *const callbacks[] = { "init", "exit", NULL };

/*
 * The release function of a call that a callback makes waits for the pool.
 * Fails (hangs) if the worker counts as one that can start the item: mutant
 * release-in-a-callback-keeps-no-place.
 */
static void release_in_a_callback_is_refused(int in_exit)
{
	struct kpool *pool = begin(1, 4, in_exit ? init_returns : init_gives_up,
				   in_exit ? exit_gives_up : NULL);

	if (!pool)
		return;
	probes_submit(pool, in_exit ? &p[3] : p, 1);
	if (in_exit) {
		probe_ran(&p[3]);
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	}
	KT_EXPECT(kt_wait(READ_ONCE(got[0]) <= 0));
	KT_EXPECT_EQ(READ_ONCE(got[0]), -EDEADLK);
	/* so that a failure does not hang */
	kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2);
	probe_ran(p);
	jobs_end(pool);
}

/*
 * Of two workers one is retired.  As it leaves, it keeps a place that capacity
 * no longer counts, and the other is free.
 * Fails (-EDEADLK) if a worker beyond capacity is not counted: mutant
 * exit-after-shrink-refused.
 */
static void exit_of_a_surplus_worker_may_wait(int what)
{
	struct kpool *pool;

	/* a wait for the pool is one for all its workers */
	if (what >= FLUSH)
		return;
	call = what;
	pool = begin(2, 4, init_returns, exit_waits);
	if (!pool)
		return;
	probes_hold(&p[2], 2);
	probes_submit(pool, &p[2], 2);
	probe_runs(&p[2]);
	probe_runs(&p[3]);
	probes_open(&p[2], 2);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 2));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	probe_ran(p);
	KT_EXPECT(kt_wait(READ_ONCE(got[0]) <= 0));
	KT_EXPECT_EQ(got[0], 0);
	jobs_end(pool);
}

/*
 * A wait that another worker can end is no deadlock.
 * Fails (-EDEADLK) if any such wait is refused: mutant
 * blocked-callback-is-a-deadlock.
 */
static void wait_that_another_worker_ends_is_not_refused(int what)
{
	struct kpool *pool;

	/* a wait for the pool is one for all its workers */
	if (what >= FLUSH)
		return;
	call = what;
	pool = begin(2, what == CALL ? 4 : KPOOL_NONE, first_init_waits, NULL);
	if (!pool)
		return;
	/* full */
	probes_submit(pool, p, 1);
	probes_submit(pool, &p[3], 1);
	probe_ran(p);
	probe_ran(&p[3]);
	KT_EXPECT(kt_wait(READ_ONCE(got[0]) <= 0));
	KT_EXPECT_EQ(got[0], 0);
	jobs_end(pool);
}

static int submits_and_flushes(struct kpool_item *item)
{
	got[1] = kpool_submit(kpool_current(), &p[2].job.item) ?:
		 kpool_flush_item(&p[2].job.item);
	return probe_fn(item);
}

/*
 * A worker whose worker_init has waited runs items afterwards.
 * Fails (-EDEADLK) if it counts as waiting for ever: mutant
 * callback-wait-counted-for-ever.
 */
static void item_may_wait_after_an_init_has(void)
{
	struct kpool *pool;

	call = FLUSH_ITEM;
	pool = begin(2, 4, first_init_waits, NULL);
	if (!pool)
		return;
	probes_submit(pool, p, 1);
	probe_ran(p);
	KT_EXPECT(kt_wait(READ_ONCE(got[0]) <= 0));
	KT_EXPECT_EQ(got[0], 0);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 2));
	probe_init(&p[1], submits_and_flushes, 0);
	probes_submit(pool, &p[1], 1);
	probe_ran(&p[1]);
	KT_EXPECT_EQ(got[1], 0);
	jobs_end(pool);
}

/*
 * All workers that there can be wait for the same: one is refused, and what it
 * does then ends the waits of the others.
 * Fails (hangs) if a thread that sleeps counts as one that will come.
 */
static void one_of_many_inits_is_refused(void)
{
	struct kpool *pool;

	call = FLUSH_ITEM;
	pool = begin(2, 4, init_waits, NULL);
	if (!pool)
		return;
	probes_submit(pool, p, 1);
	probe_ran(p);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(kt_wait(READ_ONCE(got[0]) <= 0 && READ_ONCE(got[1]) <= 0));
	KT_EXPECT_EQ(min(got[0], got[1]), -EDEADLK);
	KT_EXPECT_EQ(max(got[0], got[1]), 0);
	jobs_end(pool);
}

static int waits_for_first(struct kpool_item *item)
{
	kt_gate_pass(&gate);
	got[1] = kpool_flush_item(&p[0].job.item);
	return probe_fn(item);
}

static void *second_init_waits(void *data)
{
	if (atomic_inc_return(&called) == 2)
		got[0] = waits_for_own_pool();
	return NULL;
}

/*
 * While an item of the pool goes on, a worker_init can wait; once both wait for
 * what neither lets start, one is refused.
 * Fails (-EDEADLK too early, or hangs) if the two are counted apart: mutant
 * callback-not-counted.
 */
static void item_and_init_are_counted_together(void)
{
	struct kpool *pool;

	call = FLUSH_ITEM;
	pool = begin(2, 4, second_init_waits, NULL);
	if (!pool)
		return;
	probe_init(&p[1], waits_for_first, 0);
	probes_submit(pool, &p[1], 1);
	KT_EXPECT(kt_wait(atomic_read(&gate.started)));
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&called) == 2));
	kt_sleep_ms(20);
	KT_EXPECT(got[0] > 0);
	kt_gate_open(&gate);
	probe_ran(p);
	KT_EXPECT(kt_wait(READ_ONCE(got[0]) <= 0));
	KT_EXPECT_EQ(got[0], 0);
	KT_EXPECT_EQ(got[1], -EDEADLK);
	jobs_end(pool);
}

static void *second_init_flushes(void *data)
{
	if (atomic_inc_return(&called) != 2)
		return NULL;
	kt_gate_pass(&gate);
	KT_EXPECT_EQ(kpool_submit(kpool_current(), &p[0].job.item), 0);
	WRITE_ONCE(got[0], kpool_flush_item(&p[0].job.item));
	return NULL;
}

/*
 * A worker_init waits for an item that the other worker, which is idle, can
 * run, after capacity was reduced to one.  As the workers are real-time
 * threads, the other one does not take the item at once on the same CPU.
 * Fails (-EDEADLK) if workers that are being created are not counted: mutant
 * worker-in-init-uncounted.
 */
static void init_in_a_shrunk_pool_may_wait(void)
{
	struct kpool *pool = begin(2, 4, second_init_flushes, NULL);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_POLICY, KPOOL_POLICY_FIFO), 0);
	probes_hold(&p[2], 1);
	probes_submit(pool, &p[2], 1);
	probe_runs(&p[2]);
	probes_submit(pool, &p[3], 1);
	KT_EXPECT(kt_wait(atomic_read(&gate.started)));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	probes_open(&p[2], 1);
	probe_ran(&p[3]);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 1));
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(READ_ONCE(got[0]) <= 0));
	KT_EXPECT_EQ(got[0], 0);
	jobs_end(pool);
}

/* A worker_init that takes long */

static void *first_init_hangs(void *data)
{
	if (atomic_inc_return(&called) == 1)
		kt_gate_pass(&gate);
	return NULL;
}

/*
 * An item does not wait for a worker that does not come, though others could.
 * Nor does the next one, while the other worker runs an item.
 * Fails (hangs) if that worker is counted on for ever: mutants
 * late-init-awaited, late-init-counted-on.
 */
static void item_gets_another_worker_if_init_hangs(void)
{
	struct kpool *pool = begin(4, 4, first_init_hangs, NULL);
	unsigned long start = jiffies;

	if (!pool)
		return;
	probes_submit(pool, p, 1);
	probe_ran(p);
	if (kt_exact) {
		KT_EXPECT_GE(jiffies - start, msecs_to_jiffies(100));
		KT_EXPECT_LE(jiffies - start, msecs_to_jiffies(120));
	}
	KT_EXPECT_EQ(atomic_read(&called), 2);
	/* an idle worker takes the next: that is no reason for another */
	kt_sleep_ms(500);
	probe_init(&p[1], probe_fn, 0);
	probes_submit(pool, &p[1], 1);
	probe_ran(&p[1]);
	KT_EXPECT_EQ(atomic_read(&called), 2);
	probes_hold(&p[2], 1);
	probes_submit(pool, &p[2], 1);
	probe_runs(&p[2]);
	probes_submit(pool, &p[3], 1);
	KT_EXPECT(kt_wait_prompt(atomic_read(&p[3].ran)));
	KT_EXPECT_GE(atomic_read(&called), 3);
	probes_open(&p[2], 1);
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(kt_stat(pool, alive) == atomic_read(&called)));
	jobs_end(pool);
}

static void *any_init_hangs(void *data)
{
	atomic_inc(&called);
	kt_gate_pass(&gate);
	return NULL;
}

/*
 * Where none comes, one more is tried after 100 ms, the next after 200, 400 ms.
 * Fails if there is no end to them: mutant late-inits-are-many.
 */
static void hanging_inits_are_limited(void)
{
	struct kpool *pool;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	pool = begin(MANY, 4, any_init_hangs, NULL);
	if (!pool)
		return;
	probes_submit(pool, p, 1);
	kt_sleep_ms(650);
	KT_EXPECT_EQ(atomic_read(&called), 3);
	kt_sleep_ms(10000);
	KT_EXPECT_EQ(atomic_read(&called), 7);
	kt_gate_open(&gate);
	probe_ran(p);
	jobs_end(pool);
}

/* Have all workers exit, so that the next ones are in their memory. */
static void expire(struct kpool *pool)
{
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	KT_EXPECT(kt_wait(!kt_stat(pool, alive)));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, KPOOL_NO_PURGE), 0);
}

/*
 * Two of three worker_init were late.  In the memory of these workers each is
 * quick, and later they hang again.
 * Fails (late by more than the first time, or a broken list) if they count as
 * late from the start: mutant late-worker-stays-late.
 */
static void worker_after_a_late_one_is_not_late(void)
{
	struct kpool *pool = begin(4, 4, any_init_hangs, NULL);
	unsigned long start;

	if (!pool)
		return;
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&called) >= 3));
	kt_gate_open(&gate);
	probe_ran(p);
	expire(pool);
	probes_hold(&p[1], 3);
	probes_submit(pool, &p[1], 3);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 3));
	probes_open(&p[1], 3);
	expire(pool);
	kt_gate_init(&gate);
	start = jiffies;
	atomic_set(&called, 0);
	probe_init(p, probe_fn, 0);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&called) >= 3));
	if (kt_exact)
		KT_EXPECT_LE(jiffies - start, msecs_to_jiffies(320));
	kt_gate_open(&gate);
	probe_ran(p);
	jobs_end(pool);
}

static struct kt_gate second_gate;

static void *inits_pass_gates(void *data)
{
	kt_gate_pass(atomic_inc_return(&called) == 1 ? &gate : &second_gate);
	return NULL;
}

static int reopens(void *pool)
{
	WRITE_ONCE(got[0], kpool_reopen(pool));
	return 0;
}

/*
 * While a pool is reopened, items need one worker more than min_workers, and
 * its worker_init takes long.
 * Fails if that is waited for: mutant reopen-waits-for-all-workers.
 */
static void reopen_waits_for_min_workers_only(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 4, .min_workers = 1,
		.flags = KPOOL_PREALLOC, .worker_init = inits_pass_gates,
	};
	struct kt_thread thread = { };
	struct kpool *pool;

	kt_gate_init(&gate);
	kt_gate_init(&second_gate);
	kt_gate_open(&gate);
	atomic_set(&called, 0);
	got[0] = 1;
	probes_init(p, ARRAY_SIZE(p), probe_fn);
	pool = kt_pool(NAME, &attrs);
	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	kt_gate_init(&gate);
	atomic_set(&called, 0);
	kt_thread_start(&thread, reopens, pool);
	KT_EXPECT(kt_wait(atomic_read(&gate.started)));
	probes_submit(pool, p, 2);
	KT_EXPECT(kt_wait(atomic_read(&second_gate.started)));
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(READ_ONCE(got[0]) <= 0));
	KT_EXPECT_EQ(got[0], 0);
	KT_EXPECT_EQ(kt_stat(pool, alive), 1);
	kt_gate_open(&second_gate);
	kt_thread_join(&thread);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	jobs_end(pool);
}

static void *first_init_submits(void *data)
{
	int i;

	if (atomic_inc_return(&called) == 1)
		for (i = 0; i < 2; i++)
			got[i] = kpool_submit(kpool_current(), &p[i].job.item);
	return NULL;
}

static const unsigned int made_at_creation[] = { KPOOL_PREALLOC, KPOOL_MEM_RECLAIM };
static const char *const made_names[] = { "prealloc", "mem_reclaim", NULL };

/*
 * The pool is complete when its first worker_init is called.
 * Fails (an item is in the pool after it was cancelled) if workers are made
 * before the pool has an id: mutant new-pool-has-workers.
 */
static void init_may_submit_in_a_pool_with(int flag)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .min_workers = 1, .queue_depth = 4,
		.flags = made_at_creation[flag], .worker_init = first_init_submits,
	};
	struct kpool *pool;

	probes_init(p, ARRAY_SIZE(p), probe_fn);
	p[0].gate = &p[0].own;
	atomic_set(&called, 0);
	pool = kt_pool(NAME, &attrs);
	if (!pool)
		return;
	KT_EXPECT_EQ(got[0], 0);
	KT_EXPECT_EQ(got[1], 0);
	probe_runs(&p[0]);
	KT_EXPECT(kpool_cancel(&p[1].job.item));
	KT_EXPECT_EQ(kt_stat(pool, pending), 0);
	KT_EXPECT_EQ(kt_stat(pool, cancelled), 1);
	kt_gate_open(&p[0].own);
	probe_ran(&p[0]);
	jobs_end(pool);
}

KT_MODULE("kpool selftest: callbacks of workers that wait for their own pool",
	  KT_EACH(init_is_refused_a_deadlock, calls),
	  KT_EACH(exit_is_refused_a_deadlock, calls),
	  KT_EACH(release_in_a_callback_is_refused, callbacks),
	  KT_EACH(exit_of_a_surplus_worker_may_wait, calls),
	  KT_EACH(wait_that_another_worker_ends_is_not_refused, calls),
	  KT_CASE(item_may_wait_after_an_init_has),
	  KT_CASE(one_of_many_inits_is_refused),
	  KT_CASE(item_and_init_are_counted_together),
	  KT_CASE(init_in_a_shrunk_pool_may_wait),
	  KT_CASE(item_gets_another_worker_if_init_hangs),
	  KT_EACH(init_may_submit_in_a_pool_with, made_names),
	  KT_CASE(hanging_inits_are_limited),
	  KT_CASE(reopen_waits_for_min_workers_only),
	  KT_CASE(worker_after_a_late_one_is_not_late));
