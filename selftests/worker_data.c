// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each worker has data of its own.  worker_init makes it in the worker before
 * the first item, the items see it, and worker_exit frees it in the worker
 * before that ends.  Also cases of workers that cannot be created.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>

#include "compat.h"
#include "jobs.h"
#include "log.h"

#define NAME	"worker_data"

/* The data of one worker. */
struct desk {
	struct task_struct	*task;
	bool			gone;
	int			items;
};

static struct desk desks[64];
static atomic_t made;
static atomic_t gone;
static atomic_t tried;
static int refusal;		/* result of worker_init, if not 0 */
static struct kt_gate *slow;	/* where it waits, or NULL */
static struct kt_gate *slow_exit;	/* and worker_exit */
static struct kpool *filled;	/* to which worker_init submits p[0] and p[1] */
static s64 tries[32];		/* when worker_init was called */
static int token;
static struct probe p[32];

static void *desk_make(void *data)
{
	struct desk *desk;

	KT_EXPECT(data == &token);
	might_sleep();
	tries[(atomic_inc_return(&tried) - 1) % ARRAY_SIZE(tries)] =
		ktime_get_ns();
	if (slow)
		kt_gate_pass(slow);
	if (READ_ONCE(filled))
		probes_submit(filled, p, 2);
	if (READ_ONCE(refusal))
		return ERR_PTR(READ_ONCE(refusal));
	desk = &desks[(atomic_inc_return(&made) - 1) % ARRAY_SIZE(desks)];
	memset(desk, 0, sizeof(*desk));
	desk->task = current;
	return desk;
}

static void desk_clear(void *data, void *worker_data)
{
	struct desk *desk = worker_data;

	KT_EXPECT(data == &token);
	might_sleep();
	KT_EXPECT(desk->task == current);
	KT_EXPECT(kpool_worker_data() == worker_data);
	KT_EXPECT(!desk->gone);
	desk->gone = true;
	if (slow_exit)
		kt_gate_pass(slow_exit);
	atomic_inc(&gone);
}

/* Its worker's desk is that of the thread that runs it. */
static int desk_uses(struct kpool_item *item)
{
	struct desk *desk = kpool_worker_data();

	if (KT_EXPECT(desk) && KT_EXPECT(desk->task == current)) {
		KT_EXPECT(!desk->gone);
		desk->items++;
	}
	probe_of(item)->data = desk;
	return probe_fn(item);
}

static struct kpool_attrs desk_attrs(int capacity)
{
	return (struct kpool_attrs) {
		.capacity = capacity,
		.queue_depth = KPOOL_UNLIMITED,
		.expiry_ms = KPOOL_NO_PURGE,
		.data = &token,
		.worker_init = desk_make,
		.worker_exit = desk_clear,
	};
}

static void desks_clear(void)
{
	atomic_set(&made, 0);
	atomic_set(&gone, 0);
	atomic_set(&tried, 0);
	WRITE_ONCE(refusal, 0);
	slow = NULL;
	slow_exit = NULL;
	filled = NULL;
	probes_init(p, ARRAY_SIZE(p), desk_uses);
}

static struct kpool *desk_pool(int capacity)
{
	const struct kpool_attrs attrs = desk_attrs(capacity);

	desks_clear();
	return kt_pool(NAME, &attrs);
}

/* The end: all that were made have gone, and the data of no thread is left. */
static void desks_end(struct kpool *pool)
{
	if (!pool)
		return;
	WRITE_ONCE(refusal, 0);
	jobs_end(pool);
	KT_EXPECT_EQ(atomic_read(&gone), atomic_read(&made));
}

/* Occupy @n workers at once. */
static bool desks_use(struct kpool *pool, int n)
{
	int i;

	probes_init(p, n, desk_uses);
	probes_hold(p, n);
	if (!probes_submit(pool, p, n))
		return false;
	for (i = 0; i < n; i++)
		if (!probe_runs(&p[i]))
			return false;
	return true;
}

static void desks_leave(struct kpool *pool, int n)
{
	probes_open(p, n);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
}

/*
 * Fails if init is called per item, in another thread, or not before the
 * first item; or if exit is not called at destroy.
 */
static void each_worker_has_data_of_its_own(void)
{
	struct kpool *pool = desk_pool(3);
	int i;

	if (!pool)
		return;
	if (desks_use(pool, 3)) {
		KT_EXPECT_EQ(atomic_read(&made), 3);
		KT_EXPECT(p[0].data != p[1].data && p[1].data != p[2].data &&
			  p[0].data != p[2].data);
	}
	desks_leave(pool, 3);
	probes_init(p, 32, desk_uses);
	probes_submit(pool, p, 32);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	for (i = 0; i < 32; i++)
		KT_EXPECT(p[i].data);
	KT_EXPECT_EQ(atomic_read(&made), 3);
	KT_EXPECT_EQ(atomic_read(&gone), 0);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 3);
	desks_end(pool);
	KT_EXPECT_EQ(atomic_read(&gone), 3);
	KT_EXPECT_EQ(desks[0].items + desks[1].items + desks[2].items, 35);
}

static int sees_no_data(struct kpool_item *item)
{
	KT_EXPECT(!kpool_worker_data());
	return probe_fn(item);
}

/*
 * Fails if a thread outside of the pool is taken for a worker, or data is
 * made up.
 */
static void data_is_seen_inside_alone(void)
{
	struct kpool *plain, *pool = desk_pool(1);

	if (!pool)
		return;
	KT_EXPECT(!kpool_worker_data());
	plain = kt_pool("plain", &(struct kpool_attrs){ .capacity = 1 });
	if (plain) {
		probe_init(p, sees_no_data, 0);
		probes_submit(plain, p, 1);
		KT_EXPECT_EQ(kpool_flush(plain), 0);
		probes_expect_ran(p, 1);
	}
	jobs_end(plain);
	desks_end(pool);
}

static void *no_desk_needed(void *data)
{
	atomic_inc(&made);
	return NULL;
}

static void no_desk_cleared(void *data, void *worker_data)
{
	KT_EXPECT(!worker_data);
	atomic_inc(&gone);
}

/* Fails if only an address is accepted as data. */
static void data_may_be_null(void)
{
	struct kpool_attrs attrs = desk_attrs(1);
	struct kpool *pool;

	attrs.worker_init = no_desk_needed;
	attrs.worker_exit = no_desk_cleared;
	desks_clear();
	pool = kt_pool(NAME, &attrs);
	if (!pool)
		return;
	probe_init(p, sees_no_data, 0);
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, 1);
	KT_EXPECT_EQ(atomic_read(&made), 1);
	desks_end(pool);
}

/* Fails (oopses) if init needs an exit; or if an exit without init is taken. */
static void exit_is_optional(void)
{
	struct kpool_attrs attrs = desk_attrs(1);
	struct kpool *pool;

	attrs.worker_exit = NULL;
	desks_clear();
	pool = kt_pool(NAME, &attrs);
	if (!pool)
		return;
	probes_submit(pool, p, 3);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&made), 1);
	jobs_end(pool);

	attrs.worker_init = NULL;
	attrs.worker_exit = no_desk_cleared;
	KT_EXPECT_EQ(PTR_ERR(kpool_create(&attrs, NAME)), -EINVAL);
}

static const char *const ends[] = {
	"purge", "tune", "shutdown", "destroy", NULL
};

static bool all_have_left(struct kpool *pool, int left)
{
	return KT_EXPECT(kt_wait(kt_stat(pool, alive) == left));
}

/*
 * However a worker ends, its data is freed once, before its thread has.
 * Fails if one of the ways out passes exit by.
 */
static void exit_is_called_once(int how)
{
	struct kpool *pool = desk_pool(4);

	if (!pool)
		return;
	if (!desks_use(pool, 4))
		goto out;
	desks_leave(pool, 4);
	KT_EXPECT_EQ(atomic_read(&gone), 0);
	switch (how) {
	case 0:
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
		all_have_left(pool, 0);
		KT_EXPECT_EQ(atomic_read(&gone), 4);
		break;
	case 1:
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
		all_have_left(pool, 1);
		KT_EXPECT_EQ(atomic_read(&gone), 3);
		break;
	case 2:
		KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
		KT_EXPECT_EQ(atomic_read(&gone), 4);
		KT_EXPECT_EQ(kpool_reopen(pool), 0);
		probes_init(p, 1, desk_uses);
		probes_submit(pool, p, 1);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT_EQ(atomic_read(&made), 5);
		break;
	}
out:
	probes_open(p, 4);
	desks_end(pool);
}

/* Workers that cannot be had */

/* How often does the log say that the pool cannot have a worker? */
static int said(void)
{
	return log_count("kpool: " NAME ": ", "cannot create");
}

static int said_with(int err)
{
	char what[64];

	snprintf(what, sizeof(what), "cannot create a worker thread (%d), will retry", err);
	return log_count("kpool: " NAME ": ", what);
}

/*
 * While init fails, what was accepted waits; the log says so once; when init
 * succeeds, everything runs.
 * Fails if an item is lost with the worker that could not be, or if creation is
 * not retried.  Also fails if the log is flooded, or if the attempts are
 * counted as workers.
 */
static void failing_init_loses_nothing(void)
{
	struct kpool *pool = desk_pool(2);
	int before = said();

	if (!pool)
		return;
	WRITE_ONCE(refusal, -ENOMEM);
	probes_submit(pool, p, 8);
	KT_EXPECT(kt_wait(atomic_read(&tried) >= 4));
	KT_EXPECT_EQ(probes_ran(p, 8), 0);
	KT_EXPECT_EQ(kt_stat(pool, pending), 8);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 0);
	KT_EXPECT_EQ(kt_stat(pool, alive), 0);
	KT_EXPECT_EQ(said(), before + 1);
	WRITE_ONCE(refusal, 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, 8);
	KT_EXPECT_LE(kt_stat(pool, spawned), 2);
	KT_EXPECT(kt_wait(kt_stat(pool, spawned) == atomic_read(&made)));
	desks_end(pool);
}

/* Fails if the second failure is not logged, because the first one was. */
static void log_reports_each_failure(void)
{
	struct kpool *pool = desk_pool(1);
	int i, before = said_with(-EIO);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	for (i = 1; i <= 2; i++) {
		all_have_left(pool, 0);
		WRITE_ONCE(refusal, -EIO);
		atomic_set(&tried, 0);
		probes_init(p, 1, desk_uses);
		probes_submit(pool, p, 1);
		KT_EXPECT(kt_wait(atomic_read(&tried) >= 2));
		KT_EXPECT_EQ(said_with(-EIO), before + i);
		WRITE_ONCE(refusal, 0);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		probes_expect_ran(p, 1);
	}
	desks_end(pool);
}

/* Fails if those workers that there are stop, because another cannot be had. */
static void workers_run_while_others_cannot_start(void)
{
	struct kpool *pool = desk_pool(3);

	if (!pool)
		return;
	if (!desks_use(pool, 1))
		goto out;
	WRITE_ONCE(refusal, -EAGAIN);
	probes_init(&p[1], 20, desk_uses);
	probes_submit(pool, &p[1], 20);
	KT_EXPECT(kt_wait(atomic_read(&tried) >= 3));
	KT_EXPECT_EQ(probes_ran(&p[1], 20), 0);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(&p[1], 20);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 1);
out:
	probes_open(p, 1);
	desks_end(pool);
}

/* Fails if create returns a pool whose min_workers are not there. */
static void create_returns_the_error_of_init(void)
{
	static const int errors[] = { -ENOMEM, -EIO, -ENODEV };
	struct kpool_attrs attrs = desk_attrs(3);
	struct kpool *pool;
	int i;

	attrs.min_workers = 3;
	attrs.flags = KPOOL_PREALLOC;
	desks_clear();
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		WRITE_ONCE(refusal, errors[i]);
		KT_EXPECT_EQ(PTR_ERR(kpool_create(&attrs, NAME)), errors[i]);
	}
	KT_EXPECT_EQ(atomic_read(&made), 0);
	WRITE_ONCE(refusal, 0);
	pool = kt_pool(NAME, &attrs);
	if (!pool)
		return;
	KT_EXPECT_EQ(atomic_read(&made), 3);
	KT_EXPECT_EQ(kt_stat(pool, alive), 3);
	desks_end(pool);
}

/*
 * Fails if workers made before the one that failed are left behind, or go
 * without exit.
 */
static void *third_desk_fails(void *data)
{
	if (atomic_inc_return(&tried) > 2)
		return ERR_PTR(-ENOSPC);
	return desk_make(data);
}

static void create_undoes_partial_work(void)
{
	struct kpool_attrs attrs = desk_attrs(4);

	attrs.min_workers = 4;
	attrs.flags = KPOOL_PREALLOC;
	attrs.worker_init = third_desk_fails;
	desks_clear();
	atomic_set(&tried, 0);
	KT_EXPECT(IS_ERR(kpool_create(&attrs, NAME)));
	KT_EXPECT_EQ(atomic_read(&made), atomic_read(&gone));
}

static int destroy_main(void *arg)
{
	return kpool_destroy(arg);
}

static const char *const endings[] = { "success", "abort", NULL };

/*
 * Destroy goes on trying while items wait for a worker that cannot be had,
 * until it can be, or abort drops them.
 * Fails if it gives the items up, or (hangs) creation is no longer retried.
 */
static void destroy_keeps_trying_until(int aborted)
{
	struct kpool *pool = desk_pool(2);
	struct kt_thread t;

	if (!pool)
		return;
	WRITE_ONCE(refusal, -ENOMEM);
	probes_submit(pool, p, 4);
	if (!kt_thread_start(&t, destroy_main, pool))
		return;
	kt_thread_asleep(&t);
	atomic_set(&tried, 0);
	KT_EXPECT(kt_wait(atomic_read(&tried) >= 2));
	KT_EXPECT(!kt_thread_done(&t));
	KT_EXPECT_EQ(probes_ran(p, 4), 0);
	if (aborted)
		KT_EXPECT_EQ(kpool_abort(pool), 4);
	else
		WRITE_ONCE(refusal, 0);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	if (aborted)
		probes_expect_dropped(p, 4, -ECANCELED);
	else
		probes_expect_ran(p, 4);
	KT_EXPECT_EQ(atomic_read(&gone), atomic_read(&made));
}

/* An init that takes its time */

static int tune_main(void *arg)
{
	struct kpool *pool = arg;

	return kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1) ?:
	       kpool_tune(pool, KPOOL_TUNE_NICE, 5) ?:
	       kpool_tune(pool, KPOOL_TUNE_CAPACITY, 4) ?:
	       kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, 1);
}

/*
 * While a worker is in its init, the pool can be tuned, submitted to, paused.
 * Nothing is lost, and no more workers are made than capacity allows.
 * Fails if init runs under the pool's locks, or is counted too late.
 */
static void slow_init_blocks_no_call(void)
{
	struct kpool *pool = desk_pool(2);
	static struct kt_gate gate;
	struct kt_thread t;

	if (!pool)
		return;
	kt_gate_init(&gate);
	slow = &gate;
	probes_submit(pool, p, 6);
	KT_EXPECT(kt_wait(atomic_read(&gate.started)));
	KT_EXPECT_EQ(probe_try(pool, &p[6]), 0);
	KT_EXPECT(kpool_cancel(&p[6].job.item));
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	kpool_resume(pool);
	if (!kt_thread_start(&t, tune_main, pool))
		goto out;
	KT_EXPECT(kt_wait(kt_thread_done(&t)));
	KT_EXPECT_EQ(probes_ran(p, 6), 0);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, 6);
	KT_EXPECT_LE(atomic_read(&made), 4);
out:
	kt_gate_open(&gate);
	desks_end(pool);
}

/* Fails (hangs) if a worker that comes when the pool is closed is forgotten. */
static void slow_init_outlasts_shutdown(int aborted)
{
	struct kpool *pool = desk_pool(2);
	static struct kt_gate gate;

	if (!pool)
		return;
	kt_gate_init(&gate);
	slow = &gate;
	probes_submit(pool, p, 4);
	KT_EXPECT(kt_wait(atomic_read(&gate.started)));
	if (aborted)
		KT_EXPECT_EQ(kpool_abort(pool), 4);
	else
		kpool_shutdown(pool);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, 2), -ETIMEDOUT);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&gone), atomic_read(&made));
	if (aborted)
		probes_expect_dropped(p, 4, -ECANCELED);
	else
		probes_expect_ran(p, 4);
	desks_end(pool);
}

#define SEATS	6

/* Fails if a worker_init waits for another, or the pool grows beyond need. */
static void inits_run_side_by_side(void)
{
	struct kpool *pool = desk_pool(SEATS + 2);
	static struct kt_gate gate;

	if (!pool)
		return;
	kt_gate_init(&gate);
	slow = &gate;
	probes_init(p, SEATS, desk_uses);
	probes_hold(p, SEATS);
	probes_submit(pool, p, SEATS);
	/* after 100 ms, each has another created */
	KT_EXPECT(kt_wait(atomic_read(&gate.started) >= SEATS));
	KT_EXPECT_EQ(kt_stat(pool, alive), 0);
	KT_EXPECT_EQ(probes_ran(p, SEATS), 0);
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == SEATS));
	desks_leave(pool, SEATS);
	/* a worker_init that takes 100 ms is not counted on */
	if (kt_exact)
		KT_EXPECT_EQ(kt_stat(pool, spawned), SEATS);
	desks_end(pool);
}

static int nr_hanging, nr_failing;

static void *first_desk_hangs(void *data)
{
	struct kt_gate *gate = slow;
	int nr = atomic_inc_return(&gate->started);

	/* a worker passes the gate, or more do, the others pass it by */
	if (nr <= nr_hanging)
		wait_for_completion(&gate->open);
	else if (nr <= nr_hanging + nr_failing)
		return ERR_PTR(-EIO);
	atomic_inc(&made);
	return &desks[0];
}

static void no_desk_left(void *data, void *worker_data)
{
	atomic_inc(&gone);
}

/* A pool in which so many worker_init hang, at the gate. */
static struct kpool *hanging_pool(int capacity, struct kt_gate *gate, int nr)
{
	struct kpool_attrs attrs = desk_attrs(capacity);

	attrs.worker_init = first_desk_hangs;
	attrs.worker_exit = no_desk_left;
	desks_clear();
	kt_gate_init(gate);
	slow = gate;
	nr_hanging = nr;
	nr_failing = 0;
	return kt_pool(NAME, &attrs);
}

/* Fails if a worker_init that hangs keeps other workers from coming. */
static void hanging_init_stops_no_growth(void)
{
	static struct kt_gate gate;
	struct kpool *pool = hanging_pool(SEATS, &gate, 1);

	if (!pool)
		return;
	probes_init(p, SEATS, probe_fn);
	probes_hold(p, SEATS);
	probes_submit(pool, p, SEATS);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == SEATS - 1));
	KT_EXPECT_EQ(kt_stat(pool, alive), SEATS - 1);
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == SEATS));
	desks_leave(pool, SEATS);
	desks_end(pool);
}

/*
 * A hanging init delays no single item either.  Once its worker_init has
 * returned, a worker is late no more, nor is the next in the same memory.
 * Fails (the item waits) if it counts as late for ever: mutant late-flag-kept.
 */
static void hanging_init_delays_no_single_item(void)
{
	static struct kt_gate gate;
	struct kpool *pool = hanging_pool(2, &gate, 1);
	int round;

	if (!pool)
		return;
	for (round = 1; round <= 3; round++) {
		/* not in the second, in which one worker is enough */
		if (round == 3)
			kt_gate_init(&gate);
		probes_init(p, 1, probe_fn);
		probes_submit(pool, p, 1);
		probe_ran(p);
		kt_gate_open(&gate);
		all_have_left(pool, round == 2 ? 1 : 2);
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
		all_have_left(pool, 0);
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS,
					KPOOL_NO_PURGE), 0);
	}
	/* a worker_init that takes 100 ms is not counted on */
	if (kt_exact)
		KT_EXPECT_EQ(kt_stat(pool, spawned), 5);
	desks_end(pool);
}

/*
 * The worker that comes instead can hang in its init, too.
 * Fails (the item waits) if none comes while one is late: mutant
 * late-worker-stops-the-next.
 */
static void two_hanging_inits_delay_no_item(void)
{
	static struct kt_gate gate;
	struct kpool *pool = hanging_pool(3, &gate, 2);

	if (!pool)
		return;
	probes_init(p, 1, probe_fn);
	probes_submit(pool, p, 1);
	probe_ran(p);
	kt_gate_open(&gate);
	desks_end(pool);
}

static const char *const others[] = { "alone", "others_fail", NULL };

/*
 * The worker_inits of items that have been cancelled since can hang, too.
 * Fails (the item waits until all are late) if they are counted on: mutants
 * late-worker-not-replaced, failed-replacement-forgotten.
 */
static void hanging_inits_of_others_delay_no_item(int failing)
{
	static struct kt_gate gate;
	struct kpool *pool;
	unsigned long since;
	int i;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	pool = hanging_pool(40, &gate, 10);
	if (!pool)
		return;
	nr_failing = failing ? 8 : 0;
	probes_init(p, 10, probe_fn);
	since = jiffies;
	probes_submit(pool, p, 10);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 10));
	for (i = 1; i < 10; i++)
		KT_EXPECT(kpool_cancel(&p[i].job.item));
	probe_ran(p);
	/* eight pauses, the last of 10 s; or the next is late after 25 s */
	KT_EXPECT_LE(jiffies - since, failing ? 24 * HZ : HZ * 12 / 100);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 1);
	kt_gate_open(&gate);
	desks_end(pool);
}

/*
 * An item waits for the worker_init that began first, not for one that began
 * later.
 * Fails if it has the time of the last: mutants late-newest-first,
 * late-at-newest.
 */
static void later_init_prolongs_no_earlier(void)
{
	static struct kt_gate gate;
	struct kpool *pool;
	unsigned long since;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	pool = hanging_pool(4, &gate, 2);
	if (!pool)
		return;
	probes_init(p, 2, probe_fn);
	since = jiffies;
	probes_submit(pool, p, 1);
	kt_sleep_ms(80);
	probes_submit(pool, &p[1], 1);
	probe_ran(p);
	KT_EXPECT_LE(jiffies - since, HZ * 12 / 100);
	kt_gate_open(&gate);
	desks_end(pool);
}

/* A pool with a worker_init that uses @gate.  NULL if time is not simulated. */
static struct kpool *slow_desk_pool(int capacity, void *(*init)(void *data),
				    struct kt_gate *gate)
{
	struct kpool_attrs attrs = desk_attrs(capacity);

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return NULL;
	}
	attrs.worker_init = init;
	attrs.worker_exit = no_desk_left;
	desks_clear();
	kt_gate_init(gate);
	slow = gate;
	return kt_pool(NAME, &attrs);
}

static void *second_desk_hangs(void *data)
{
	struct kt_gate *gate = slow;
	int nr = atomic_inc_return(&gate->started);

	if (nr == 1)
		schedule_timeout_idle(HZ * 6 / 100);
	else if (nr == 2)
		wait_for_completion(&gate->open);
	atomic_inc(&made);
	return &desks[0];
}

/*
 * A worker_init is late after 100 ms of its own, not of one before it.
 * Fails if what looks for late ones takes the one that it finds: mutant
 * late-before-its-time.
 */
static void each_init_has_its_own_time(void)
{
	static struct kt_gate gate;
	unsigned long since;
	struct kpool *pool;

	pool = slow_desk_pool(3, second_desk_hangs, &gate);
	if (!pool)
		return;
	probes_init(p, 2, probe_fn);
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	schedule_timeout_idle(HZ / 20);
	since = jiffies;
	probes_submit(pool, &p[1], 1);
	probe_ran(&p[1]);
	KT_EXPECT_GE(jiffies - since, HZ / 10);
	probes_open(p, 1);
	kt_gate_open(&gate);
	desks_end(pool);
}

static void *desk_hangs(void *data)
{
	struct kt_gate *gate = slow;

	atomic_inc(&gate->started);
	wait_for_completion(&gate->open);
	atomic_inc(&made);
	return &desks[0];
}

/*
 * Another worker is created after 100 ms, the next one after 200 ms, and so on.
 * Fails (after 100 ms) if workers that hang have no bound: mutant
 * late-time-not-doubled.
 */
static void each_init_that_hangs_doubles_the_time(void)
{
	static struct kt_gate gate;
	unsigned long since;
	struct kpool *pool;
	int i;

	pool = slow_desk_pool(4, desk_hangs, &gate);
	if (!pool)
		return;
	probes_init(p, 1, probe_fn);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	for (i = 1; i < 4; i++) {
		since = jiffies;
		KT_EXPECT(kt_wait(atomic_read(&gate.started) == i + 1));
		/* the last look can have been a tick ago */
		KT_EXPECT_GE(jiffies - since, (HZ / 10 << (i - 1)) - 2);
	}
	kt_gate_open(&gate);
	probe_ran(p);
	desks_end(pool);
}

static struct kt_gate third_gate;

static void *third_desk_hangs_on(void *data)
{
	struct kt_gate *gate = slow;
	int nr = atomic_inc_return(&gate->started);

	if (nr <= 3)
		wait_for_completion(nr < 3 ? &gate->open : &third_gate.open);
	atomic_inc(&made);
	return &desks[0];
}

/*
 * A worker_init that is late doubles the time of the next, but only as long as
 * it goes on.  When those before it have returned, the third has 100 ms.
 * Fails if it keeps the time it had: mutant late-time-kept.
 */
static void returned_init_prolongs_no_other(void)
{
	struct kpool_attrs attrs = desk_attrs(4);
	static struct kt_gate gate;
	unsigned long since;
	struct kpool *pool;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	attrs.worker_init = third_desk_hangs_on;
	attrs.worker_exit = no_desk_left;
	desks_clear();
	kt_gate_init(&gate);
	kt_gate_init(&third_gate);
	slow = &gate;
	pool = kt_pool(NAME, &attrs);
	if (!pool)
		return;
	probes_init(p, 3, probe_fn);
	probes_hold(p, 2);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 3));
	since = jiffies;
	kt_gate_open(&gate);
	probes_submit(pool, &p[1], 1);
	probe_runs(&p[0]);
	probe_runs(&p[1]);
	/* both workers are busy now, and the next one still comes */
	probes_submit(pool, &p[2], 1);
	probe_ran(&p[2]);
	KT_EXPECT_LE(jiffies - since, HZ * 12 / 100);
	probes_open(p, 2);
	kt_gate_open(&third_gate);
	desks_end(pool);
}

/*
 * An item that a pause keeps from starting needs no worker.  Another can be on
 * its way already, if an interrupt came before the pause: not every time.
 * Fails if it is created all the same: mutant paused-pool-grows.
 */
static void paused_pool_creates_no_worker(void)
{
	struct kpool *pool;
	u64 spawned = 1;
	int round;

	for (round = 0; round < 50 && spawned; round++) {
		pool = desk_pool(2);
		if (!pool)
			return;
		probes_init(p, 1, probe_fn);
		probes_submit(pool, p, 1);
		KT_EXPECT_EQ(kpool_pause(pool), 0);
		kt_sleep_ms(kt_ms(1000, 20));
		spawned = kt_stat(pool, spawned);
		kpool_resume(pool);
		probe_ran(p);
		desks_end(pool);
	}
	/* elsewhere another CPU creates it at that time */
	if (kt_exact)
		KT_EXPECT_EQ(spawned, 0);
}

static const char *const departures[] = { "purge", "shutdown", NULL };

/* Fails if workers wait for each other's worker_exit before they go. */
static void exits_run_side_by_side(int how)
{
	struct kpool *pool = desk_pool(SEATS);
	static struct kt_gate gate;

	if (!pool)
		return;
	if (!desks_use(pool, SEATS))
		goto out;
	kt_gate_init(&gate);
	slow_exit = &gate;
	desks_leave(pool, SEATS);
	if (how)
		kpool_shutdown(pool);
	else
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == SEATS));
	KT_EXPECT_EQ(kt_stat(pool, alive), SEATS);
	KT_EXPECT_EQ(kt_stat(pool, spawned), SEATS);
	KT_EXPECT_EQ(kt_stat(pool, purged) + kt_stat(pool, retired), 0);
	kt_gate_open(&gate);
	all_have_left(pool, 0);
	KT_EXPECT_EQ(kt_stat(pool, purged), how ? 0 : SEATS);
	KT_EXPECT_EQ(kt_stat(pool, retired), how ? SEATS : 0);
out:
	probes_open(p, SEATS);
	desks_end(pool);
}

static struct kt_gate *first_exit;

static void first_exit_hangs(void *data, void *worker_data)
{
	/* a worker passes the gate, the others pass it by */
	if (atomic_inc_return(&first_exit->started) == 1)
		wait_for_completion(&first_exit->open);
	desk_clear(data, worker_data);
}

/* Fails if a worker_exit that hangs keeps other workers from going. */
static void hanging_exit_delays_no_other(void)
{
	struct kpool_attrs attrs = desk_attrs(SEATS);
	static struct kt_gate gate;
	struct kpool *pool;

	attrs.worker_exit = first_exit_hangs;
	desks_clear();
	kt_gate_init(&gate);
	first_exit = &gate;
	pool = kt_pool(NAME, &attrs);
	if (!pool)
		return;
	if (desks_use(pool, SEATS)) {
		desks_leave(pool, SEATS);
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
		all_have_left(pool, 1);
	}
	kt_gate_open(&gate);
	all_have_left(pool, 0);
	probes_open(p, SEATS);
	desks_end(pool);
}

/*
 * A worker that exits keeps the place of another thread until it has gone.
 * What has to start at once is refused until then, although all units are free.
 * Fails (accepted, and waits) if only units are counted: mutant
 * now-beside-an-exiting-worker.
 */
static void submit_now_is_refused_while_an_exit_keeps_the_place(void)
{
	struct kpool *pool = desk_pool(2);
	static struct kt_gate gate;

	if (!pool)
		return;
	kt_gate_init(&gate);
	slow_exit = &gate;
	desks_use(pool, 1);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	desks_leave(pool, 1);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	probes_hold(&p[1], 1);
	KT_EXPECT_EQ(kpool_submit_now(pool, &p[1].job.item), 0);
	/* also while the first is still to start */
	KT_EXPECT_EQ(kpool_submit_now(pool, &p[2].job.item), -EAGAIN);
	probe_runs(&p[1]);
	KT_EXPECT_EQ(kpool_submit_now(pool, &p[2].job.item), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(pool, units), 1);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 3), 0);
	KT_EXPECT_EQ(kpool_submit_now(pool, &p[2].job.item), 0);
	probe_ran(&p[2]);
	probes_open(&p[1], 1);
	kt_gate_open(&gate);
	desks_end(pool);
}

/*
 * Workers beyond a lowered capacity exit, and the idle ones that stay take what
 * has to start at once.
 * Fails (-EAGAIN) if those that exit count against capacity: mutant
 * now-beside-surplus-workers.
 */
static void submit_now_uses_the_workers_that_stay(void)
{
	struct kpool *pool = desk_pool(4);
	static struct kt_gate gate;
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	desks_use(pool, 4);
	desks_leave(pool, 4);
	slow_exit = &gate;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 2));
	probes_init(p, 3, desk_uses);
	probes_hold(p, 3);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kpool_submit_now(pool, &p[i].job.item), i < 2 ? 0 : -EAGAIN);
	probe_runs(&p[0]);
	probe_runs(&p[1]);
	probes_open(p, 3);
	kt_gate_open(&gate);
	desks_end(pool);
}

/*
 * A worker in worker_init is one to come, also if one that exits keeps the only
 * place of a pool that has shrunk.
 * Fails (-EAGAIN) if it is not: mutant now-without-the-workers-in-init.
 */
static void submit_now_counts_on_a_worker_in_init(void)
{
	static struct kt_gate leaving, coming;
	struct kpool *pool = desk_pool(2);

	if (!pool)
		return;
	kt_gate_init(&leaving);
	kt_gate_init(&coming);
	if (!desks_use(pool, 1))
		goto out;
	slow_exit = &leaving;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	desks_leave(pool, 1);
	KT_EXPECT(kt_wait(atomic_read(&leaving.started) == 1));
	slow = &coming;
	probes_init(&p[1], 2, desk_uses);
	KT_EXPECT_EQ(kpool_submit_now(pool, &p[1].job.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&coming.started) == 1));
	KT_EXPECT(kpool_cancel(&p[1].job.item));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	KT_EXPECT_EQ(kpool_submit_now(pool, &p[2].job.item), 0);
	kt_gate_open(&coming);
	probe_ran(&p[2]);
out:
	kt_gate_open(&leaving);
	desks_end(pool);
}

/* Fails if workers that were in worker_init while the pool shrank stay. */
static void init_in_a_shrunk_pool_leaves_no_surplus(void)
{
	struct kpool *pool = desk_pool(SEATS);
	static struct kt_gate gate;

	if (!pool)
		return;
	kt_gate_init(&gate);
	slow = &gate;
	probes_init(p, SEATS, desk_uses);
	probes_submit(pool, p, SEATS);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == SEATS));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(atomic_read(&gone) == SEATS - 1));
	KT_EXPECT(kt_wait(probes_ran(p, SEATS) == SEATS));
	KT_EXPECT(kt_wait(kt_stat(pool, retired) == SEATS - 1));
	KT_EXPECT_EQ(kt_stat(pool, spawned), SEATS);
	desks_end(pool);
}

/*
 * The pool shrinks during a worker_init and grows again.  The worker exits, so
 * the item it was created for needs another.
 * Fails (waits for worker_exit) if the worker counts as one that is about to
 * come: mutant surplus-worker-still-comes.
 */
static void worker_that_a_shrunk_pool_ends_is_replaced(void)
{
	struct kpool *pool = desk_pool(2);
	static struct kt_gate gate, gate_exit;

	if (!pool)
		return;
	kt_gate_init(&gate);
	kt_gate_init(&gate_exit);
	desks_use(pool, 1);
	slow = &gate;
	slow_exit = &gate_exit;
	probes_submit(pool, &p[1], 1);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(atomic_read(&gate_exit.started) == 1));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	probes_hold(&p[2], 1);
	KT_EXPECT_EQ(kpool_submit_now(pool, &p[2].job.item), -EAGAIN);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 4), 0);
	probe_ran(&p[1]);
	KT_EXPECT_EQ(atomic_read(&gate_exit.finished), 0);
	kt_gate_open(&gate_exit);
	desks_leave(pool, 1);
	desks_end(pool);
}

/*
 * The pool shrinks during a worker_init, and the new worker finds an item to
 * run: of two idle workers, one is surplus.
 * Fails (both stay) if nothing retires it: mutant surplus-beside-a-new-worker.
 */
static void new_worker_makes_an_idle_one_surplus(void)
{
	struct kpool *pool = desk_pool(3);
	static struct kt_gate gate;

	if (!pool)
		return;
	kt_gate_init(&gate);
	desks_use(pool, 2);
	slow = &gate;
	probes_submit(pool, &p[2], 1);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	desks_leave(pool, 2);
	probes_init(p, 2, desk_uses);
	probes_hold(p, 2);
	WRITE_ONCE(filled, pool);
	kt_gate_open(&gate);
	probe_runs(&p[0]);
	probe_runs(&p[1]);
	KT_EXPECT(kt_wait(atomic_read(&gone) == 1));
	probes_open(p, 2);
	desks_end(pool);
}

/*
 * A worker that exits keeps the place of one of min_workers, which is created
 * when it has gone.
 * Fails (one is missing) if only an item would bring it: mutant
 * min-workers-not-refilled.
 */
static void min_workers_come_after_an_exit(void)
{
	struct kpool_attrs attrs = desk_attrs(2);
	static struct kt_gate gate;
	struct kpool *pool;

	attrs.min_workers = 1;
	attrs.flags = KPOOL_PREALLOC;
	desks_clear();
	pool = kt_pool(NAME, &attrs);
	if (!pool)
		return;
	kt_gate_init(&gate);
	slow_exit = &gate;
	desks_use(pool, 2);
	desks_leave(pool, 2);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_MIN_WORKERS, 2), 0);
	kt_sleep_ms(10);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 2);
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 2));
	desks_end(pool);
}

static struct kpool *preallocated;

static int create_main(void *attrs)
{
	preallocated = kpool_create(attrs, NAME);
	return PTR_ERR_OR_ZERO(preallocated);
}

/* Fails if create makes min_workers one by one, or does not wait for all. */
static void create_waits_for_all_at_once(void)
{
	struct kpool_attrs attrs = desk_attrs(SEATS);
	static struct kt_gate gate;
	struct kt_thread t;

	attrs.min_workers = SEATS;
	attrs.flags = KPOOL_PREALLOC;
	desks_clear();
	kt_gate_init(&gate);
	slow = &gate;
	if (!kt_thread_start(&t, create_main, &attrs))
		return;
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == SEATS));
	KT_EXPECT(!kt_thread_done(&t));
	kt_gate_open(&gate);
	if (!KT_EXPECT_EQ(kt_thread_join(&t), 0))
		return;
	KT_EXPECT_EQ(atomic_read(&made), SEATS);
	KT_EXPECT_EQ(kt_stat(preallocated, alive), SEATS);
	desks_end(preallocated);
}

#define PAUSES	10

/* The pause before try @i + 1 of a bout, in ns. */
static s64 pause_after(int i)
{
	return min(100LL << i, 10000LL) * NSEC_PER_MSEC;
}

/* A pause can be late by the grain of the wheel, in which it is armed twice. */
static void expect_pauses(void)
{
	int i;

	for (i = 0; i < PAUSES; i++) {
		s64 pause = pause_after(i), took = tries[i + 1] - tries[i];

		KT_EXPECT_GE(took, pause - (s64)TICK_NSEC);
		KT_EXPECT_LE(took, pause + pause / 8 + 4 * (s64)TICK_NSEC);
	}
}

/* How often does the log say that the pool has workers again? */
static int said_again(void)
{
	return log_count("kpool: " NAME ": ", "can be created again");
}

/*
 * An init that fails is tried again after 100 ms, then after twice as long each
 * time, up to 10 s.  The next bout begins with 100 ms; the log has two lines
 * for each.
 */
static void failing_init_is_tried_ever_more_seldom(void)
{
	int bad = said(), good = said_again(), bout;
	struct kpool *pool;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	pool = desk_pool(3);
	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	for (bout = 1; bout <= 2; bout++) {
		all_have_left(pool, 0);
		WRITE_ONCE(refusal, -EIO);
		atomic_set(&tried, 0);
		probes_init(p, 1, desk_uses);
		probes_submit(pool, p, 1);
		KT_EXPECT(kt_wait_for(atomic_read(&tried) > PAUSES, 300 * HZ));
		expect_pauses();
		KT_EXPECT_EQ(said(), bad + bout);
		KT_EXPECT_EQ(said_again(), good + bout - 1);
		WRITE_ONCE(refusal, 0);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT_EQ(atomic_read(&tried), PAUSES + 2);
		KT_EXPECT_EQ(said_again(), good + bout);
	}
	desks_end(pool);
}

/*
 * A failure is logged, the pool is reopened, and then a worker can be created.
 * Fails if that is not logged, since the pause is over: mutant
 * recovery-forgotten-by-a-reopen.
 */
static void recovery_is_logged_after_a_reopen(void)
{
	int bad = said(), good = said_again();
	struct kpool *pool = desk_pool(1);

	if (!pool)
		return;
	WRITE_ONCE(refusal, -EIO);
	probes_init(p, 1, desk_uses);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(said() == bad + 1));
	KT_EXPECT_EQ(kpool_abort(pool), 1);
	WRITE_ONCE(refusal, 0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_EQ(said_again(), good);
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(said(), bad + 1);
	KT_EXPECT_EQ(said_again(), good + 1);
	desks_end(pool);
}

/* Fails if a bout goes on with as many at a time as items wait. */
static void failing_init_is_tried_one_at_a_time(void)
{
	struct kpool *pool = desk_pool(SEATS);

	if (!pool)
		return;
	WRITE_ONCE(refusal, -EIO);
	probes_init(p, SEATS, desk_uses);
	probes_submit(pool, p, SEATS);
	if (kt_exact) {
		kt_sleep_ms(550);
		/* those being created at first, then after 100, 200, 400 ms */
		KT_EXPECT_LE(atomic_read(&tried), SEATS + 2);
	}
	WRITE_ONCE(refusal, 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, SEATS);
	desks_end(pool);
}

/*
 * Several fail at once, and the next attempts are as if one had.
 * Fails if each of them doubles it: mutant failures-at-once-double-the-pause.
 */
static void inits_that_fail_at_once_are_one_failure(void)
{
	struct kpool *pool = desk_pool(SEATS);
	static struct kt_gate gate;

	if (!pool)
		return;
	kt_gate_init(&gate);
	slow = &gate;
	WRITE_ONCE(refusal, -EIO);
	probes_init(p, SEATS, desk_uses);
	probes_submit(pool, p, SEATS);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == SEATS));
	kt_gate_open(&gate);
	if (kt_exact) {
		/* after 100 ms and 200 ms more */
		kt_sleep_ms(350);
		KT_EXPECT_EQ(atomic_read(&tried), SEATS + 2);
	}
	WRITE_ONCE(refusal, 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, SEATS);
	desks_end(pool);
}

/*
 * After each pause there is one attempt.
 * Fails if others begin before it has failed: mutant many-attempts-in-a-pause.
 */
static void each_pause_ends_with_one_attempt(void)
{
	struct kpool *pool;
	int before;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	pool = desk_pool(SEATS);
	if (!pool)
		return;
	WRITE_ONCE(refusal, -EIO);
	probes_init(p, SEATS, desk_uses);
	probes_submit(pool, p, SEATS);
	kt_sleep_ms(50);
	before = atomic_read(&tried);
	/* after 100 and 300 ms; the next is after 700 */
	kt_sleep_ms(500);
	KT_EXPECT_EQ(atomic_read(&tried), before + 2);
	WRITE_ONCE(refusal, 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	desks_end(pool);
}

/*
 * Of attempts that began together the first that fails begins the pause.
 * Fails if each begins it anew: mutant pause-begins-again.
 */
static void later_failures_do_not_prolong_the_pause(void)
{
	static struct kt_gate gate;
	struct kpool *pool;
	s64 began;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	pool = desk_pool(2);
	if (!pool)
		return;
	kt_gate_init(&gate);
	slow = &gate;
	WRITE_ONCE(refusal, -EIO);
	probes_init(p, 2, desk_uses);
	probes_submit(pool, p, 2);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 2));
	began = ktime_get_ns();
	kt_gate_let_one(&gate);
	kt_sleep_ms(60);
	kt_gate_let_one(&gate);
	KT_EXPECT(kt_wait(atomic_read(&tried) == 3));
	KT_EXPECT_LE(tries[2] - began, 125LL * NSEC_PER_MSEC);
	WRITE_ONCE(refusal, 0);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	desks_end(pool);
}

/*
 * The first worker that can be made again does not come alone.
 * Fails (the second item waits for a second or two) if the pause goes on:
 * mutant pause-outlasts-the-recovery.
 */
static void recovery_ends_the_pause(void)
{
	struct kpool *pool = desk_pool(2);

	if (!pool)
		return;
	WRITE_ONCE(refusal, -EIO);
	probes_hold(p, 2);
	probes_submit(pool, p, 2);
	KT_EXPECT(kt_wait(atomic_read(&tried) >= 6));
	WRITE_ONCE(refusal, 0);
	KT_EXPECT(kt_wait(atomic_read(&p[0].own.started)));
	KT_EXPECT(kt_wait_prompt(atomic_read(&p[1].own.started)));
	probes_open(p, 2);
	desks_end(pool);
}

/*
 * A pool whose last attempt has failed is closed, and opened again.
 * Fails (-EIO) if the attempts of then count: mutant
 * reopen-fails-for-an-old-error.
 */
static void reopen_forgets_earlier_failures(void)
{
	struct kpool_attrs attrs = desk_attrs(2);
	struct kpool *pool;

	attrs.min_workers = 1;
	attrs.flags = KPOOL_PREALLOC;
	desks_clear();
	pool = kt_pool(NAME, &attrs);
	if (!pool)
		return;
	WRITE_ONCE(refusal, -EIO);
	probes_hold(p, 2);
	probes_submit(pool, p, 2);
	KT_EXPECT(kt_wait(atomic_read(&tried) >= 2));
	probes_open(p, 2);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	WRITE_ONCE(refusal, 0);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, alive), 1);
	desks_end(pool);
}

/*
 * A pool that cannot be opened again with its min_workers stays closed.
 * Fails (0, or -EAGAIN) if it is left open: mutant
 * failed-reopen-leaves-it-open.
 */
static void pool_that_fails_to_reopen_stays_closed(void)
{
	struct kpool_attrs attrs = desk_attrs(1);
	struct kpool *pool;

	attrs.min_workers = 1;
	attrs.flags = KPOOL_PREALLOC;
	desks_clear();
	pool = kt_pool(NAME, &attrs);
	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	WRITE_ONCE(refusal, -EIO);
	KT_EXPECT_EQ(kpool_reopen(pool), -EIO);
	WRITE_ONCE(refusal, 0);
	probes_init(p, 1, desk_uses);
	KT_EXPECT_EQ(probe_try(pool, p), -ESHUTDOWN);
	KT_EXPECT_EQ(kt_stat(pool, closed), 1);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	desks_end(pool);
}

static int reopen_main(void *pool)
{
	return kpool_reopen(pool);
}

static const char *const ends_of_wait[] = { "tune", "shutdown", NULL };

/*
 * Reopen waits for min_workers, of which one hangs in worker_init.  It waits no
 * longer once they are fewer, or the pool is closed again.
 * Fails (hangs) if the wait ends with a worker only: mutants
 * prealloc-waits-after-a-tune, prealloc-waits-after-a-shutdown.
 */
static void wait_for_min_workers_ends_with(int shutdown)
{
	struct kpool_attrs attrs = desk_attrs(2);
	static struct kt_gate gate;
	struct kpool *pool;
	struct kt_thread t;

	attrs.min_workers = 2;
	attrs.flags = KPOOL_PREALLOC;
	desks_clear();
	pool = kt_pool(NAME, &attrs);
	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	kt_gate_init(&gate);
	slow = &gate;
	if (!kt_thread_start(&t, reopen_main, pool))
		return;
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 2));
	kt_gate_let_one(&gate);
	KT_EXPECT(kt_wait(kt_stat(pool, alive) == 1));
	kt_thread_asleep(&t);
	KT_EXPECT(!kt_thread_done(&t));
	if (shutdown)
		kpool_shutdown(pool);
	else
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_MIN_WORKERS, 1), 0);
	KT_EXPECT(kt_wait(kt_thread_done(&t)));
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	desks_end(pool);
}

/*
 * Nor does a pool without min_workers wait for the next attempt of then.
 * Fails (the item waits for a second or two) if that is not brought forward:
 * mutant reopened-in-a-pause.
 */
static void reopened_pool_waits_out_no_pause(void)
{
	struct kpool *pool;
	s64 reopened;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	pool = desk_pool(1);
	if (!pool)
		return;
	WRITE_ONCE(refusal, -EIO);
	probes_submit(pool, p, 1);
	/* after 1500 ms; the next is after 3100 */
	KT_EXPECT(kt_wait(atomic_read(&tried) == 5));
	KT_EXPECT_EQ(kpool_abort(pool), 1);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	WRITE_ONCE(refusal, 0);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	reopened = ktime_get_ns();
	probes_submit(pool, p, 1);
	probe_ran(p);
	KT_EXPECT_LE(ktime_get_ns() - reopened, 100LL * NSEC_PER_MSEC);
	desks_end(pool);
}

/* Fails if the worker that a submitter is to replace has data to miss. */
static void callers_cannot_stand_in_for_workers(void)
{
	struct kpool_attrs attrs = desk_attrs(1);
	struct kpool *pool;

	attrs.when_full = KPOOL_FULL_CALLER_RUNS;
	KT_EXPECT_EQ(PTR_ERR(kpool_create(&attrs, NAME)), -EINVAL);
	pool = desk_pool(1);
	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_WHEN_FULL, KPOOL_FULL_CALLER_RUNS),
		     -EPERM);
	desks_end(pool);
}

/* Fails if a pool's churn makes and frees unequal numbers. */
static void all_data_that_was_made_is_freed(void)
{
	struct kpool *pool = desk_pool(4);
	int i, n = kt_count(200);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	for (i = 0; i < n; i++) {
		WRITE_ONCE(refusal, i % 10 == 9 ? -EAGAIN : 0);
		probes_init(p, 8, desk_uses);
		probes_submit(pool, p, 8);
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1 + i % 5), 0);
		WRITE_ONCE(refusal, 0);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		probes_expect_ran(p, 8);
		if (i % 16 == 0)
			all_have_left(pool, 0);
	}
	KT_EXPECT_LE(kt_stat(pool, spawned), atomic_read(&made));
	desks_end(pool);
}

static struct kpool *closed;
static int reopen_err;

static void reopens(void *data, void *worker_data)
{
	reopen_err = kpool_reopen(closed);
	desk_clear(data, worker_data);
}

/*
 * A worker that leaves cannot open the pool again, which waits for all to have
 * left.
 * Fails (hangs) if that waits for itself: mutant reopen-waits-for-itself.
 */
static void reopen_by_an_exiting_worker_is_refused(void)
{
	struct kpool_attrs attrs = desk_attrs(1);

	desks_clear();
	attrs.worker_exit = reopens;
	reopen_err = 1;
	closed = kt_pool(NAME, &attrs);
	if (!closed)
		return;
	probes_init(p, 1, desk_uses);
	probes_submit(closed, p, 1);
	KT_EXPECT_EQ(kpool_flush(closed), 0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(closed, KT_LIMIT), 0);
	KT_EXPECT_EQ(reopen_err, -EDEADLK);
	KT_EXPECT_EQ(kpool_reopen(closed), 0);
	kt_pool_end(closed);
}

static struct {
	struct hrtimer		timer;
	struct task_struct	*task;	/* the worker */
	struct desk		*desk;	/* its data */
	bool			hit;	/* was interrupted */
	void			*data;	/* data that the interrupt got */
} interrupt;

static enum hrtimer_restart interrupts_worker(struct hrtimer *timer)
{
	if (current != interrupt.task) {
		hrtimer_forward_now(timer, ns_to_ktime(NSEC_PER_MSEC));
		return HRTIMER_RESTART;
	}
	interrupt.data = kpool_worker_data();
	WRITE_ONCE(interrupt.hit, true);
	return HRTIMER_NORESTART;
}

static int is_interrupted(struct kpool_item *item)
{
	ktime_t end = ktime_add_ms(ktime_get(), 10000);

	interrupt.task = current;
	interrupt.desk = kpool_worker_data();
	hrtimer_start(&interrupt.timer, ns_to_ktime(NSEC_PER_MSEC),
		      HRTIMER_MODE_REL_PINNED_HARD);
	while (!READ_ONCE(interrupt.hit) && ktime_before(ktime_get(), end))
		cpu_relax();
	hrtimer_cancel(&interrupt.timer);
	return probe_fn(item);
}

/*
 * An interrupt of a worker is not the worker: it has no data.
 * Fails if the thread alone is checked: mutant interrupt-taken-for-worker.
 */
static void interrupt_has_no_data(void)
{
	const struct kpool_attrs attrs = desk_attrs(1);
	struct kpool *pool;

	probes_init(p, 1, is_interrupted);
	memset(&interrupt, 0, sizeof(interrupt));
	hrtimer_setup(&interrupt.timer, interrupts_worker, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	pool = kt_pool(NAME, &attrs);
	if (!pool)
		return;
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(interrupt.hit);
	KT_EXPECT(interrupt.desk);
	KT_EXPECT(!interrupt.data);
	kt_pool_end(pool);
}

KT_MODULE("kpool selftest: what each worker has of its own",
	  KT_CASE(each_worker_has_data_of_its_own),
	  KT_CASE(data_is_seen_inside_alone),
	  KT_CASE(data_may_be_null),
	  KT_CASE(exit_is_optional),
	  KT_EACH(exit_is_called_once, ends),
	  KT_CASE(failing_init_loses_nothing),
	  KT_CASE(log_reports_each_failure),
	  KT_CASE(workers_run_while_others_cannot_start),
	  KT_CASE(create_returns_the_error_of_init),
	  KT_CASE(create_undoes_partial_work),
	  KT_EACH(destroy_keeps_trying_until, endings),
	  KT_CASE(slow_init_blocks_no_call),
	  KT_EACH(slow_init_outlasts_shutdown, endings),
	  KT_CASE(inits_run_side_by_side),
	  KT_CASE(hanging_init_stops_no_growth),
	  KT_CASE(hanging_init_delays_no_single_item),
	  KT_CASE(two_hanging_inits_delay_no_item),
	  KT_EACH(hanging_inits_of_others_delay_no_item, others),
	  KT_CASE(later_init_prolongs_no_earlier),
	  KT_CASE(each_init_has_its_own_time),
	  KT_CASE(each_init_that_hangs_doubles_the_time),
	  KT_CASE(returned_init_prolongs_no_other),
	  KT_CASE(paused_pool_creates_no_worker),
	  KT_EACH(exits_run_side_by_side, departures),
	  KT_CASE(hanging_exit_delays_no_other),
	  KT_CASE(submit_now_is_refused_while_an_exit_keeps_the_place),
	  KT_CASE(submit_now_uses_the_workers_that_stay),
	  KT_CASE(submit_now_counts_on_a_worker_in_init),
	  KT_CASE(min_workers_come_after_an_exit),
	  KT_CASE(init_in_a_shrunk_pool_leaves_no_surplus),
	  KT_CASE(worker_that_a_shrunk_pool_ends_is_replaced),
	  KT_CASE(new_worker_makes_an_idle_one_surplus),
	  KT_CASE(create_waits_for_all_at_once),
	  KT_CASE(failing_init_is_tried_ever_more_seldom),
	  KT_CASE(recovery_is_logged_after_a_reopen),
	  KT_CASE(failing_init_is_tried_one_at_a_time),
	  KT_CASE(inits_that_fail_at_once_are_one_failure),
	  KT_CASE(each_pause_ends_with_one_attempt),
	  KT_CASE(later_failures_do_not_prolong_the_pause),
	  KT_CASE(recovery_ends_the_pause),
	  KT_CASE(reopen_forgets_earlier_failures),
	  KT_CASE(pool_that_fails_to_reopen_stays_closed),
	  KT_EACH(wait_for_min_workers_ends_with, ends_of_wait),
	  KT_CASE(reopened_pool_waits_out_no_pause),
	  KT_CASE(callers_cannot_stand_in_for_workers),
	  KT_CASE(all_data_that_was_made_is_freed),
	  KT_CASE(reopen_by_an_exiting_worker_is_refused),
	  KT_CASE(interrupt_has_no_data));
