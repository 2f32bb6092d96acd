// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams: their jobs run one at a time, in order, in parallel with others, and
 * block no other job.
 */
#include <linux/prandom.h>

#include "compat.h"
#include "jobs.h"

static const struct kpool_attrs queued_eight = {
	.capacity = 8, .queue_depth = KPOOL_UNLIMITED,
};

static const struct kpool_attrs queued_four = {
	.capacity = 4, .queue_depth = KPOOL_UNLIMITED,
};

static const struct kpool_attrs queued_two = {
	.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	.expiry_ms = KPOOL_NO_PURGE,
};

static const struct kpool_attrs queued_one = {
	.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
};

/* A stream that checks that its jobs run one at a time, in rising order. */
struct lane {
	struct kpool_stream	stream;
	struct kpool		*pool;
	atomic_t		active;
	atomic_t		ran;	/* or runs */
	int			last;
};

static struct probe p[64];
static struct lane lane;
static struct order order;

static void lane_init(struct lane *l, struct kpool *pool)
{
	memset(l, 0, sizeof(*l));
	kpool_init_stream(&l->stream, pool);
	l->pool = pool;
	l->last = -1;
}

static int lane_fn(struct kpool_item *item)
{
	struct probe *one = probe_of(item);
	struct lane *l = one->data;
	int err;

	KT_EXPECT_EQ(atomic_inc_return(&l->active), 1);
	KT_EXPECT_GE(one->nr, l->last + 1);
	l->last = one->nr;
	atomic_inc(&l->ran);
	err = probe_fn(item);
	KT_EXPECT_EQ(atomic_dec_return(&l->active), 0);
	return err;
}

static int lane_ran(struct lane *l)
{
	return atomic_read(&l->ran);
}

static void lane_enter_fn(struct lane *l, struct probe *one, int nr,
			  kpool_item_fn fn)
{
	probe_init(one, fn, nr);
	one->data = l;
	kpool_set_stream(&one->job, &l->stream);
}

static void lane_enter(struct lane *l, struct probe *one, int nr)
{
	lane_enter_fn(l, one, nr, lane_fn);
}

/* A job of the lane that notes its order. */
static void p_enter(int i, kpool_item_fn fn)
{
	lane_enter_fn(&lane, &p[i], i, fn);
	p[i].order = &order;
}

/* A pool, and a stream whose jobs p[0] to p[@n - 1] note their order. */
static struct kpool *lane_make(const struct kpool_attrs *attrs, int n)
{
	struct kpool *pool = kt_pool("stream", attrs);
	int i;

	if (!pool)
		return NULL;
	lane_init(&lane, pool);
	order_init(&order);
	probes_init(p, ARRAY_SIZE(p), probe_fn);
	for (i = 0; i < n; i++)
		p_enter(i, lane_fn);
	return pool;
}

/* As above; p[0] runs, the others are pending behind it. */
static struct kpool *lane_busy(const struct kpool_attrs *attrs, int n)
{
	struct kpool *pool = lane_make(attrs, n);

	if (!pool)
		return NULL;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(p);
	probes_submit(pool, &p[1], n - 1);
	return pool;
}

static void expect_order(const int *nr, int n)
{
	int i;

	KT_EXPECT_EQ(order.n, n);
	for (i = 0; i < min(n, order.n); i++)
		KT_EXPECT_EQ(order.nr[i], nr[i]);
}

#define EXPECT_ORDER(...)						\
({									\
	static const int __nr[] = { __VA_ARGS__ };			\
									\
	expect_order(__nr, ARRAY_SIZE(__nr));				\
})

/*
 * Fails if jobs can start while the one before them runs, or are taken
 * from the wrong end.
 */
static int lane_slowly(struct kpool_item *item)
{
	struct lane *l = probe_of(item)->data;
	int err = lane_fn(item);

	atomic_inc(&l->active);
	if (probe_of(item)->nr % 4 == 0)
		usleep_range(20, 50);
	atomic_dec(&l->active);
	return err;
}

static void jobs_run_one_at_a_time_in_order(void)
{
	struct kpool *pool = lane_make(&queued_eight, 64);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 64; i++)
		p_enter(i, lane_slowly);
	if (probes_submit(pool, p, 64)) {
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		order_expect_rising(&order, 64);
		KT_EXPECT_EQ(lane_ran(&lane), 64);
	}
	jobs_end(pool);
}

/*
 * Streams overlap: the first jobs of four streams are in their functions at
 * the same time, the second ones are not.
 * Fails if streams share a turn.
 */
static void streams_run_in_parallel(void)
{
	static struct lane lanes[4];
	struct kpool *pool = lane_make(&queued_eight, 0);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 4; i++)
		lane_init(&lanes[i], pool);
	for (i = 0; i < 8; i++)
		lane_enter(&lanes[i % 4], &p[i], i / 4);
	probes_hold(p, 8);
	if (!probes_submit(pool, p, 8))
		goto out;
	for (i = 0; i < 4; i++)
		probe_runs(&p[i]);
	KT_EXPECT_EQ(kt_stat(pool, running), 4);
	KT_EXPECT_EQ(kt_stat(pool, units), 4);
	KT_EXPECT_EQ(kt_stat(pool, pending), 4);
	probes_open(&p[1], 1);
	probe_runs(&p[5]);
	KT_EXPECT_EQ(kt_stat(pool, running), 4);
	for (i = 4; i < 8; i++)
		KT_EXPECT_EQ(atomic_read(&p[i].own.started), i == 5);
out:
	probes_open(p, 8);
	jobs_end(pool);
}

/*
 * A thousand streams on two units: never more than two threads.
 * Fails if a stream has a thread reserved, or is lost among many.
 */
static void streams_have_no_threads_of_their_own(void)
{
	int i, n = 1000, jobs = 3;
	struct lane *lanes = kvcalloc(n, sizeof(*lanes), GFP_KERNEL);
	struct probe *many = kvcalloc(n * jobs, sizeof(*many), GFP_KERNEL);
	struct kpool *pool = lane_make(&queued_two, 0);

	if (!pool || !KT_EXPECT(lanes) || !KT_EXPECT(many))
		goto out;
	for (i = 0; i < n; i++)
		lane_init(&lanes[i], pool);
	for (i = 0; i < n * jobs; i++)
		lane_enter(&lanes[i % n], &many[i], i / n);
	probes_submit(pool, many, n * jobs);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	for (i = 0; i < n; i++)
		KT_EXPECT_EQ(lane_ran(&lanes[i]), jobs);
	KT_EXPECT_LE(kt_stat(pool, spawned), 2);
out:
	jobs_end(pool);
	kvfree(many);
	kvfree(lanes);
}

/*
 * While a job of one stream runs long, with others queued behind it, jobs of
 * another stream and plain items start in the free unit.
 * Fails if a blocked job takes a unit, or the queue waits behind it.
 */
static void long_run_blocks_only_its_stream(void)
{
	static struct lane other;
	struct kpool *pool = lane_busy(&queued_two, 8);
	int i;

	if (!pool)
		return;
	lane_init(&other, pool);
	for (i = 8; i < 12; i++)
		lane_enter(&other, &p[i], i);
	probes_submit(pool, &p[8], 8);
	for (i = 8; i < 16; i++)
		probe_ran(&p[i]);
	KT_EXPECT_EQ(lane_ran(&other), 4);
	KT_EXPECT_EQ(order.n, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, units) == 1));
	KT_EXPECT_EQ(kt_stat(pool, pending), 7);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	order_expect_rising(&order, 8);
	jobs_end(pool);
}

/*
 * A queue full of blocked jobs keeps no item out that could start at once.
 * Fails if queue_depth is examined before the units.
 */
static void blocked_jobs_keep_no_runnable_item_out(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 4 };
	struct kpool *pool = lane_busy(&attrs, 5);

	if (!pool)
		return;
	KT_EXPECT_EQ(kt_stat(pool, pending), 4);
	KT_EXPECT_EQ(probe_try(pool, &p[5]), 0);
	probe_ran(&p[5]);
	KT_EXPECT_EQ(kpool_flush_item(&p[5].job.item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p[6].job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&p[6].job.item), 0);
	probes_hold(&p[7], 1);
	KT_EXPECT_EQ(probe_try(pool, &p[7]), 0);
	probe_runs(&p[7]);
	KT_EXPECT_EQ(probe_try(pool, &p[8]), -EAGAIN);
	KT_EXPECT_EQ(order.n, 1);
	probes_open(p, 1);
	probes_open(&p[7], 1);
	jobs_end(pool);
}

/*
 * With no queue a second job of a busy stream has no place, though units are
 * free.  A try is refused, a submit sleeps until the stream is idle.
 * Fails if that job is taken for one that could start.
 */
static void later_job_without_a_queue_is_blocked(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4 };
	struct kpool *pool = lane_busy(&attrs, 1);
	struct kt_submitter s;

	if (!pool)
		return;
	lane_enter(&lane, &p[1], 1);
	KT_EXPECT_EQ(probe_try(pool, &p[1]), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_timeout(pool, &p[1].job.item, 2), -ETIMEDOUT);
	if (kt_submitter_block(&s, pool, &p[1].job.item)) {
		KT_EXPECT_EQ(lane_ran(&lane), 1);
		probes_open(p, 1);
		KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	}
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(lane_ran(&lane), 2);
	lane_enter(&lane, &p[1], 2);
	KT_EXPECT_EQ(probe_try(pool, &p[1]), 0);
	jobs_end(pool);
}

/* Fails if blocked jobs are not counted as waiting, or counted twice. */
static void blocked_jobs_take_places_in_the_queue(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4, .queue_depth = 3 };
	struct kpool *pool = lane_busy(&attrs, 4);
	int i;

	if (!pool)
		return;
	lane_enter(&lane, &p[4], 4);
	lane_enter(&lane, &p[5], 5);
	probes_hold(&p[1], 1);
	KT_EXPECT_EQ(probe_try(pool, &p[4]), -EAGAIN);
	probes_open(p, 1);
	probe_runs(&p[1]);
	KT_EXPECT_EQ(kt_stat(pool, pending), 2);
	KT_EXPECT_EQ(probe_try(pool, &p[4]), 0);
	KT_EXPECT_EQ(probe_try(pool, &p[5]), -EAGAIN);
	KT_EXPECT(kpool_cancel(&p[3].job.item));
	KT_EXPECT_EQ(probe_try(pool, &p[5]), 0);
	probes_open(&p[1], 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	for (i = 0; i < 6; i++)
		KT_EXPECT_EQ(atomic_read(&p[i].ran), i != 3);
	jobs_end(pool);
}

/*
 * In a paused pool blocked jobs stay queued, and take places in the queue all
 * the same; what could start is admitted, however many they are.
 * Fails if a blocked job is counted as one that could start.
 */
static void blocked_jobs_take_places_in_a_paused_pool(void)
{
	static const struct kpool_attrs attrs = { .capacity = 3, .queue_depth = 3 };
	struct kpool *pool = lane_make(&attrs, 5);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 4);
	KT_EXPECT_EQ(probe_try(pool, &p[4]), -EAGAIN);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, 1), 0);
	KT_EXPECT_EQ(probe_try(pool, &p[5]), 0);
	KT_EXPECT_EQ(kt_stat(pool, pending), 5);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	order_expect_rising(&order, 4);
	probes_expect_ran(&p[5], 1);
	jobs_end(pool);
}

/*
 * A stream's first job that is taken back while it waits for a unit lets the
 * next go.
 * Fails (hangs) if the stream stays taken.
 */
static void cancel_of_the_leader_starts_the_next(void)
{
	struct kpool *pool = lane_make(&queued_two, 4);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	if (probes_submit(pool, p, 4)) {
		KT_EXPECT(kpool_cancel(&p[0].job.item));
		KT_EXPECT(!kpool_cancel(&p[0].job.item));
		KT_EXPECT(kpool_cancel(&p[1].job.item));
	}
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	EXPECT_ORDER(2, 3);
	jobs_end(pool);
}

#define NR_PARKED	100

static struct kpool_stream held_streams[NR_PARKED];
static struct probe holders[NR_PARKED], held[NR_PARKED];
static int seen[NR_PARKED];
static atomic_t nr_seen;

static int is_seen(struct kpool_item *item)
{
	seen[atomic_fetch_inc(&nr_seen)] = probe_of(item)->nr;
	return 0;
}

/* Park a job in each stream, behind a leader; only the first leader runs. */
static void park_later_jobs(struct kpool *pool)
{
	int i;

	atomic_set(&nr_seen, 0);
	probes_init(holders, NR_PARKED, probe_fn);
	probes_init(held, NR_PARKED, is_seen);
	probes_hold(holders, 1);
	for (i = 0; i < NR_PARKED; i++) {
		kpool_init_stream(&held_streams[i], pool);
		kpool_set_stream(&holders[i].job, &held_streams[i]);
		kpool_set_stream(&held[i].job, &held_streams[i]);
		KT_EXPECT_EQ(kpool_set_priority(&holders[i].job.item,
						KPOOL_PRIO_LOW), 0);
	}
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, holders, NR_PARKED);
	probes_submit(pool, held, NR_PARKED);
	kpool_resume(pool);
	probe_runs(holders);
}

/*
 * Many jobs are parked, as their leaders have a lower priority.  The leaders
 * are cancelled, so that all jobs can start.
 * Fails if they do not start in the order of their submission: mutant
 * put-back-not-remembered.
 */
static void jobs_of_cancelled_leaders_keep_their_order(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = kt_pool("stream", &attrs);
	int i;

	if (!pool)
		return;
	park_later_jobs(pool);
	for (i = 1; i < NR_PARKED; i++)
		KT_EXPECT(kpool_cancel(&holders[i].job.item));
	probes_open(holders, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_seen) == NR_PARKED));
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	for (i = 0; i < NR_PARKED; i++)
		KT_EXPECT_EQ(seen[i], i);
	kt_pool_end(pool);
}

static struct kpool *here;
static int flush_got, submit_got;

static int flushes_the_second(struct kpool_item *item)
{
	probe_fn(item);
	flush_got = kpool_flush_item(&p[1].job.item);
	return 0;
}

static int submits_the_third(struct kpool_item *item)
{
	probe_fn(item);
	submit_got = kpool_submit(here, &p[2].job.item);
	return 0;
}

/*
 * A job flushes an item that sleeps in the submit of another job of the stream.
 * When that is admitted, behind the first, the submit ends, and the flush can.
 * Fails (-EDEADLK) if the submitter counts as waiting for what it has
 * submitted: mutant submit-closes-a-cycle.
 */
static void flush_of_a_submitter_that_is_admitted_ends(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .queue_depth = KPOOL_NONE,
	};

	here = lane_make(&attrs, 0);
	if (!here)
		return;
	flush_got = 1;
	submit_got = 1;
	p_enter(0, flushes_the_second);
	probe_init(&p[1], submits_the_third, 1);
	p_enter(2, lane_fn);
	probe_init(&p[3], probe_fn, 3);
	probes_hold(p, 4);
	probes_submit(here, &p[3], 1);
	probes_submit(here, p, 2);
	probe_runs(&p[3]);
	probes_open(p, 1);
	probe_ran(p);
	kt_sleep_ms(10);
	probes_open(&p[1], 1);
	KT_EXPECT(kt_wait(kt_stat(here, blocked) == 1));
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_QUEUE_DEPTH, 1), 0);
	KT_EXPECT(kt_wait(atomic_read(&p[2].own.started)));
	probes_open(&p[2], 2);
	KT_EXPECT_EQ(kpool_flush(here), 0);
	KT_EXPECT_EQ(submit_got, 0);
	KT_EXPECT_EQ(flush_got, 0);
	probes_expect_ran(p, 4);
	jobs_end(here);
}

/* Fails if the chain breaks where a blocked job was, or at its end. */
static void cancel_of_blocked_jobs_closes_the_gap(void)
{
	struct kpool *pool = lane_busy(&queued_two, 7);

	if (!pool)
		return;
	KT_EXPECT(kpool_cancel(&p[1].job.item));
	KT_EXPECT(kpool_cancel(&p[3].job.item));
	KT_EXPECT_EQ(kpool_cancel_sync(&p[6].job.item), 1);
	KT_EXPECT(!kpool_cancel(&p[0].job.item));
	p_enter(7, lane_fn);
	KT_EXPECT_EQ(kpool_submit(pool, &p[7].job.item), 0);
	KT_EXPECT_EQ(order.n, 1);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	EXPECT_ORDER(0, 2, 4, 5, 7);
	jobs_end(pool);
}

/*
 * Fails if a stream with no blocked jobs left stays busy, or forgets what runs.
 */
static void stream_continues_when_all_blocked_jobs_are_cancelled(void)
{
	struct kpool *pool = lane_busy(&queued_two, 3);

	if (!pool)
		return;
	KT_EXPECT(kpool_cancel(&p[2].job.item));
	KT_EXPECT(kpool_cancel(&p[1].job.item));
	KT_EXPECT_EQ(kpool_submit(pool, &p[2].job.item), 0);
	kt_sleep_ms(2);
	KT_EXPECT_EQ(order.n, 1);
	KT_EXPECT(kpool_cancel(&p[2].job.item));
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	lane.last = -1;
	KT_EXPECT_EQ(kpool_submit(pool, &p[1].job.item), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	EXPECT_ORDER(0, 1);
	jobs_end(pool);
}

/*
 * Abort drops blocked jobs, and the stream can be used again after a reopen.
 * Fails if blocked jobs outlive it, or the stream is left busy.
 */
static void abort_empties_a_stream(void)
{
	struct kpool *pool = lane_busy(&queued_two, 5);

	if (!pool)
		return;
	kpool_abort(pool);
	probes_expect_dropped(&p[1], 4, -ECANCELED);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p[1].job.item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p[2].job.item), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	EXPECT_ORDER(0, 1, 2);
	jobs_end(pool);
}

/* Fails if blocked jobs are not among those that still run. */
static void shutdown_runs_all_blocked_jobs(void)
{
	struct kpool *pool = lane_busy(&queued_two, 10);

	if (!pool)
		return;
	kpool_shutdown(pool);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, 1), -ETIMEDOUT);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	order_expect_rising(&order, 10);
	jobs_end(pool);
}

/* Fails if a pool that is paused starts later jobs, or forgets them. */
static void pause_holds_later_jobs_back(void)
{
	struct kpool *pool = lane_busy(&queued_two, 3);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, completed) == 1));
	kt_sleep_ms(2);
	KT_EXPECT_EQ(order.n, 1);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	order_expect_rising(&order, 3);
	jobs_end(pool);
}

/*
 * A job that submits itself goes behind those of its stream that came during
 * its run, and is not refused for want of a place.
 * Fails if it goes first, or starves them.
 */
static int lane_again(struct kpool_item *item)
{
	struct probe *one = probe_of(item);
	int err = probe_fn(item);

	if (atomic_read(&one->ran) < 3)
		KT_EXPECT_EQ(kpool_submit(lane.pool, item), 0);
	return err;
}

static void self_submission_goes_behind_its_stream(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 2 };
	struct kpool *pool = lane_make(&attrs, 3);

	if (!pool)
		return;
	p_enter(0, lane_again);
	probes_hold(p, 1);
	if (probes_submit(pool, p, 1) && probe_runs(p) &&
	    probes_submit(pool, &p[1], 2)) {
		probes_open(p, 1);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT(kt_wait(atomic_read(&p[0].ran) == 3));
		EXPECT_ORDER(0, 1, 2, 0, 0);
	}
	probes_open(p, 1);
	jobs_end(pool);
}

/* Fails if a job submitted again in its run does not follow in its stream. */
static void job_may_follow_itself(void)
{
	struct kpool *pool = lane_busy(&queued_two, 2);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_submit(pool, &p[0].job.item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p[0].job.item), -EALREADY);
	lane.last = -2;
	p[1].nr = -1;
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	EXPECT_ORDER(0, -1, 0);
	jobs_end(pool);
}

/* Fails if the queue's priorities are applied inside a stream. */
static void priority_does_not_change_a_streams_order(void)
{
	static const enum kpool_priority priorities[] = {
		KPOOL_PRIO_LOW, KPOOL_PRIO_HIGH, KPOOL_PRIO_NORMAL,
	};
	struct kpool *pool = lane_make(&queued_two, 12);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 12; i++)
		KT_EXPECT_EQ(kpool_set_priority(&p[i].job.item,
						priorities[i % 3]), 0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 12);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	order_expect_rising(&order, 12);
	jobs_end(pool);
}

/* Fails if a heavy job breaks its stream, or starts with too few units. */
static void heavy_jobs_keep_the_order(void)
{
	struct kpool *pool = lane_make(&queued_two, 12);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 12; i += 2)
		KT_EXPECT_EQ(kpool_set_weight(&p[i].job.item, 2), 0);
	probes_hold(p, 12);
	probes_submit(pool, p, 12);
	for (i = 0; i < 12; i++) {
		probe_runs(&p[i]);
		KT_EXPECT_EQ(kt_stat(pool, running), 1);
		KT_EXPECT_EQ(kt_stat(pool, units), i % 2 ? 1 : 2);
		probes_open(&p[i], 1);
	}
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	order_expect_rising(&order, 12);
	jobs_end(pool);
}

/* Fails (hangs) if a job that is dropped keeps its stream's turn. */
static void expired_job_starts_the_next(void)
{
	struct kpool *pool = lane_make(&queued_two, 6);
	ktime_t past = the_past();

	if (!pool)
		return;
	kpool_set_deadline(&p[0].job, past);
	kpool_set_deadline(&p[2].job, past);
	kpool_set_deadline(&p[3].job, past);
	kpool_set_deadline(&p[5].job, past);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 6);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	EXPECT_ORDER(1, 4);
	probes_expect_dropped(p, 1, -ETIME);
	probes_expect_dropped(&p[2], 2, -ETIME);
	probes_expect_dropped(&p[5], 1, -ETIME);
	KT_EXPECT_EQ(kt_stat(pool, expired), 4);
	lane.last = -1;
	kpool_set_deadline(&p[5].job, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p[5].job.item), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&p[5].ran), 1);
	jobs_end(pool);
}

/*
 * A delayed job joins its stream when it is due: behind what came until then,
 * before what comes later.
 * Fails if it has its place from its submit on, or none.
 */
static void delayed_job_joins_when_due(void)
{
	struct kpool *pool = lane_busy(&queued_two, 1);
	int i;

	if (!pool)
		return;
	for (i = 1; i < 5; i++)
		p_enter(i, lane_fn);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[3].job, 3600 * HZ), 0);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[2].job, 3600 * HZ), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p[1].job.item), 0);
	KT_EXPECT(kpool_modify_delay(&p[2].job, 2));
	KT_EXPECT(kt_wait(kt_stat(pool, delayed) == 1));
	KT_EXPECT(kpool_modify_delay(&p[3].job, 0));
	KT_EXPECT(kt_wait(!kt_stat(pool, delayed)));
	KT_EXPECT_EQ(kt_stat(pool, pending), 3);
	KT_EXPECT_EQ(kpool_submit(pool, &p[4].job.item), 0);
	KT_EXPECT_EQ(order.n, 1);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	order_expect_rising(&order, 5);
	jobs_end(pool);
}

/* Fails if an idle stream holds a delayed job, or one holds the stream. */
static void delayed_job_does_not_hold_its_stream(void)
{
	struct kpool *pool = lane_make(&queued_two, 3);

	if (!pool)
		return;
	lane_enter(&lane, &p[0], 9);
	p[0].order = &order;
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[0].job, 3600 * HZ), 0);
	probes_submit(pool, &p[1], 2);
	KT_EXPECT(kt_wait(lane_ran(&lane) == 2));
	KT_EXPECT(kpool_modify_delay(&p[0].job, 1));
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	EXPECT_ORDER(1, 2, 9);
	jobs_end(pool);
}

/*
 * Without a queue, a job that is due at once and finds its stream idle is
 * admitted like a submitter that came then.  A job that has to follow waits
 * outside.
 * Fails (hangs) if a job that has joined its stream waits for itself.
 */
static void job_due_at_once_is_admitted_without_a_queue(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_NONE,
	};
	struct kpool *pool = lane_make(&attrs, 2);

	if (!pool)
		return;
	probes_hold(p, 1);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[0].job, 0), 0);
	if (!probe_runs(p))
		goto out;
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[1].job, 0), 0);
	KT_EXPECT_EQ(kt_stat(pool, pending), 1);
	KT_EXPECT_EQ(probe_try(pool, &p[2]), -EAGAIN);
out:
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, 2);
	jobs_end(pool);
}

/* Arguments that do not fit, and waits that could never end */

/* Fails if a wrong pool is not noticed, or noticed too late. */
static void other_pool_is_refused(void)
{
	struct kpool *other, *pool = lane_make(&queued_two, 1);

	if (!pool)
		return;
	other = kt_pool("other", &queued_two);
	if (other) {
		KT_EXPECT_EQ(kpool_submit(other, &p->job.item), -EINVAL);
		KT_EXPECT_EQ(probe_try(other, p), -EINVAL);
		KT_EXPECT_EQ(kpool_submit_delayed(other, &p->job, 1), -EINVAL);
		KT_EXPECT_EQ(kt_stat(other, submitted), 0);
		KT_EXPECT_EQ(kpool_submit(pool, &p->job.item), 0);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT_EQ(lane_ran(&lane), 1);
	}
	jobs_end(other);
	jobs_end(pool);
}

static struct kpool_group later_jobs;
static int inside_got[2];

static int flushes_a_later_job(struct kpool_item *item)
{
	int err = lane_fn(item);

	inside_got[0] = kpool_flush_item(&p[1].job.item);
	inside_got[1] = kpool_cancel_sync(&p[1].job.item);
	return err;
}

/*
 * A job that flushes one behind it in its stream would wait for ever, even if
 * others run in the pool.
 * Fails (hangs) if the stream is not checked.
 */
static void flush_of_a_later_job_is_refused(void)
{
	struct kpool *pool = lane_make(&queued_four, 3);

	if (!pool)
		return;
	p_enter(0, flushes_a_later_job);
	probes_hold(p, 1);
	probes_hold(&p[8], 1);
	probes_submit(pool, &p[8], 1);
	if (probes_submit(pool, p, 3) && probe_runs(p)) {
		probes_open(p, 1);
		KT_EXPECT_EQ(kpool_flush_item(&p[0].job.item), 0);
		KT_EXPECT_EQ(inside_got[0], -EDEADLK);
		KT_EXPECT_EQ(inside_got[1], 1);
	}
	probes_open(p, 1);
	probes_open(&p[8], 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	EXPECT_ORDER(0, 2);
	jobs_end(pool);
}

static int cancels_later_jobs(struct kpool_item *item)
{
	int err = lane_fn(item);

	kpool_group_cancel(&later_jobs);
	inside_got[0] = kpool_flush_item(&p[63].job.item);
	return err;
}

/*
 * A later job whose group has been cancelled no longer waits for its stream,
 * but to be dropped.  For so many, that takes several holds of the lock.
 * Fails (-EDEADLK) if it is taken for one that will run: mutant
 * cancelled-later-job-waits-for-its-stream.
 */
static void flush_of_a_cancelled_later_job_is_not_refused(void)
{
	struct kpool *pool = lane_make(&queued_four, 64);
	int i;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&later_jobs, pool, NULL, 0), 0);
	for (i = 1; i < 64; i++)
		kpool_set_group(&p[i].job, &later_jobs);
	p_enter(0, cancels_later_jobs);
	probes_hold(p, 1);
	probes_submit(pool, p, 64);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(inside_got[0], 0);
	probes_expect_dropped(&p[1], 63, -ECANCELED);
	jobs_end(pool);
}

static int submits_a_later_job(struct kpool_item *item)
{
	int err = lane_fn(item);

	inside_got[0] = kpool_submit(lane.pool, &p[1].job.item);
	inside_got[1] = kpool_submit_timeout(lane.pool, &p[1].job.item, 1);
	return err;
}

/*
 * With no queue, a job that submits one behind itself would wait for its own
 * end, though units are free.
 * Fails (hangs) if free units are taken for a way out.
 */
static void submit_of_a_later_job_without_a_queue_is_refused(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4 };
	struct kpool *pool = lane_make(&attrs, 2);

	if (!pool)
		return;
	p_enter(0, submits_a_later_job);
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(inside_got[0], -EDEADLK);
	KT_EXPECT_EQ(inside_got[1], -ETIMEDOUT);
	EXPECT_ORDER(0);
	jobs_end(pool);
}

static struct kpool_group later_jobs;

static int waits_for_later_jobs(struct kpool_item *item)
{
	int err = lane_fn(item);

	inside_got[0] = kpool_group_wait(&later_jobs, MAX_SCHEDULE_TIMEOUT);
	return err;
}

/* Fails (hangs) if a wait for a group of jobs behind it is left to itself. */
static void wait_for_a_group_of_later_jobs_is_refused(void)
{
	struct kpool *pool = lane_make(&queued_four, 3);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&later_jobs, pool, NULL, 0), 0);
	kpool_set_group(&p[1].job, &later_jobs);
	p_enter(0, waits_for_later_jobs);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 3);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(inside_got[0], -EDEADLK);
	order_expect_rising(&order, 3);
	jobs_end(pool);
}

static int flushes_plain(struct kpool_item *item)
{
	int err = lane_fn(item);

	inside_got[0] = kpool_submit(lane.pool, &p[8].job.item) ?:
			kpool_flush_item(&p[8].job.item);
	return err;
}

/* Fails if every flush from inside a streamed job is refused. */
static void streamed_job_may_flush_others(void)
{
	struct kpool *pool = lane_make(&queued_two, 2);

	if (!pool)
		return;
	p_enter(0, flushes_plain);
	probes_submit(pool, p, 2);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(inside_got[0], 0);
	order_expect_rising(&order, 2);
	jobs_end(pool);
}

/*
 * On a full pool that lets callers run their items, streamed jobs are left to
 * the workers, which keep their order.
 * Fails if a caller runs a job beside or before others of its stream.
 */
static void streamed_jobs_are_not_run_by_callers(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kpool *pool = lane_make(&attrs, 2);
	struct kt_submitter s[2];

	if (!pool)
		return;
	probes_hold(p, 1);
	probes_hold(&p[8], 1);
	if (!probes_submit(pool, &p[8], 1) || !probe_runs(&p[8]))
		goto out;
	if (!kt_submitter_block(&s[0], pool, &p[0].job.item))
		goto out;
	if (kt_submitter_block(&s[1], pool, &p[1].job.item)) {
		probes_open(&p[8], 1);
		probe_runs(p);
		KT_EXPECT_EQ(lane_ran(&lane), 1);
		probes_open(p, 1);
		KT_EXPECT_EQ(kt_thread_join(&s[1].thread), 0);
	}
	probes_open(p, 1);
	probes_open(&p[8], 1);
	KT_EXPECT_EQ(kt_thread_join(&s[0].thread), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	order_expect_rising(&order, 2);
	KT_EXPECT_EQ(kt_stat(pool, caller_ran), 0);
out:
	probes_open(p, 1);
	probes_open(&p[8], 1);
	jobs_end(pool);
}

/* Lifetime and load */

static int lane_frees(struct kpool_item *item)
{
	struct probe *one = probe_of(item);
	int err = lane_fn(item);

	kfree(one);
	return err;
}

/*
 * Jobs can free themselves in their function, and the stream can be freed when
 * its last job has been flushed.
 * Fails (KASAN) if the stream follows a job that has run, or is checked when it
 * is empty.
 */
static void jobs_and_stream_may_be_freed(void)
{
	struct kpool *pool = lane_make(&queued_four, 0);
	int round, i, n = kt_count(500);
	struct probe *one;
	struct lane *l;

	if (!pool)
		return;
	for (round = 0; round < n; round++) {
		l = kmalloc_obj(*l, GFP_KERNEL);
		if (!KT_EXPECT(l))
			break;
		lane_init(l, pool);
		for (i = 0; i < 5; i++) {
			one = kmalloc_obj(*one, GFP_KERNEL);
			if (!KT_EXPECT(one))
				break;
			lane_enter_fn(l, one, i, lane_frees);
			KT_EXPECT_EQ(kpool_submit(pool, &one->job.item), 0);
		}
		lane_enter(l, p, 5);
		KT_EXPECT_EQ(kpool_submit(pool, &p->job.item), 0);
		KT_EXPECT_EQ(kpool_flush_item(&p->job.item), 0);
		KT_EXPECT_EQ(lane_ran(l), 6);
		poison(l, sizeof(*l));
		kfree(l);
	}
	jobs_end(pool);
}

/*
 * Several threads, each with streams of its own in one pool, submit by several
 * means and take jobs back at random.  What was accepted runs in order, one at
 * a time, or is counted by cancel.
 * Fails if a job is lost, repeated or overtaken.
 */
#define STORM_THREADS	3
#define STORM_LANES	4
#define STORM_JOBS	16

struct storm {
	struct kt_thread	thread;
	struct kpool		*pool;
	struct lane		lane[STORM_LANES];
	struct probe		p[STORM_JOBS];
	int			accepted[STORM_JOBS];
	int			taken_back[STORM_JOBS];
	struct rnd_state	rnd;
};

static u32 storm_random(struct storm *s, u32 sides)
{
	return prandom_u32_state(&s->rnd) % sides;
}

static bool storm_is_over(struct storm *s, int i)
{
	return s->accepted[i] == s->taken_back[i] + atomic_read(&s->p[i].ran) +
				 atomic_read(&s->p[i].dropped);
}

/* The number that it takes along is that of its submission. */
static void storm_submit(struct storm *s, int i, int nr)
{
	struct probe *one = &s->p[i];
	struct lane *l = &s->lane[storm_random(s, STORM_LANES)];
	struct kpool_item *item = &one->job.item;
	int err;

	if (!storm_is_over(s, i))
		return;
	KT_EXPECT_EQ(kpool_flush_item(item), 0);
	one->nr = nr;
	one->data = l;
	kpool_set_stream(&one->job, &l->stream);
	kpool_set_deadline(&one->job, storm_random(s, 10) ? 0 : the_past());
	KT_EXPECT_EQ(kpool_set_priority(item, storm_random(s, 3)), 0);
	switch (storm_random(s, 3)) {
	case 0:
		err = kpool_try_submit(s->pool, item);
		break;
	case 1:
		err = kpool_submit_timeout(s->pool, item, storm_random(s, 3));
		break;
	default:
		err = kpool_submit(s->pool, item);
		break;
	}
	if (!err)
		s->accepted[i]++;
	else
		KT_EXPECT(err == -EAGAIN || err == -ETIMEDOUT);
}

static int storm_main(void *arg)
{
	struct storm *s = arg;
	int i, nr, n = kt_count(20000);

	for (nr = 0; nr < n; nr++) {
		i = storm_random(s, STORM_JOBS);
		if (storm_random(s, 4))
			storm_submit(s, i, nr);
		else
			s->taken_back[i] += kpool_cancel(&s->p[i].job.item);
	}
	for (i = 0; i < STORM_JOBS; i++) {
		KT_EXPECT_EQ(kpool_flush_item(&s->p[i].job.item), 0);
		KT_EXPECT(storm_is_over(s, i));
	}
	return 0;
}

static void storm_init(struct storm *s, struct kpool *pool, int seed)
{
	int i;

	s->pool = pool;
	prandom_seed_state(&s->rnd, seed);
	for (i = 0; i < STORM_LANES; i++)
		lane_init(&s->lane[i], pool);
	probes_init(s->p, STORM_JOBS, lane_fn);
}

static void storm_of_streams_keeps_every_order(void)
{
	static const struct kpool_attrs attrs = { .capacity = 3, .queue_depth = 12 };
	struct storm *s = kvcalloc(STORM_THREADS, sizeof(*s), GFP_KERNEL);
	struct kpool *pool = kt_pool("storm", &attrs);
	int i;

	if (!KT_EXPECT(s) || !pool)
		goto out;
	for (i = 0; i < STORM_THREADS; i++) {
		storm_init(&s[i], pool, i + 1);
		kt_thread_start(&s[i].thread, storm_main, &s[i]);
	}
	for (i = 0; i < STORM_THREADS; i++)
		kt_thread_join(&s[i].thread);
out:
	jobs_end(pool);
	kvfree(s);
}

static const char *const prios[] = { "normal", "high", NULL };

/*
 * A full queue, of which a parked job has a place, gives up the oldest
 * item that is not above the newcomer.
 * Fails if parked ones are not pending or counted, or their priority does not
 * matter: mutants parked-hides-a-full-queue, parked-is-evicted-by-any.
 */
static void oldest_item_is_evicted_beside_a_parked_job(int high)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 2,
		.when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = kt_pool("stream", &attrs);
	static struct kpool_stream stream;
	static struct probe p[5];

	if (!pool)
		return;
	probes_init(p, 5, probe_fn);
	kpool_init_stream(&stream, pool);
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	if (high)
		KT_EXPECT_EQ(kpool_set_priority(&p[1].job.item,
						KPOOL_PRIO_HIGH), 0);
	probes_hold(p, 5);
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
	probes_submit(pool, &p[1], 1);
	probes_submit(pool, &p[2], 1);
	probe_runs(&p[2]);
	KT_EXPECT(kpool_is_pending(&p[1].job.item));
	probes_submit(pool, &p[3], 1);
	KT_EXPECT_EQ(probe_try(pool, &p[4]), 0);
	KT_EXPECT(kt_wait(probes_dropped(p, 5) == 1));
	KT_EXPECT_EQ(atomic_read(&p[high ? 3 : 1].dropped), 1);
	KT_EXPECT_EQ(p[high ? 3 : 1].err, -EAGAIN);
	probes_open(p, 5);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(probes_ran(p, 5), 4);
	jobs_end(pool);
}

static const char *const second_prios[] = { "normal", "low", NULL };

/*
 * Of two parked jobs the oldest is given up, of the lowest priority.
 * Fails if they are in another order, or only the first is looked at: mutants
 * parked-in-reverse, first-parked-alone.
 */
static void oldest_of_two_parked_jobs_is_evicted(int low)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 2,
		.when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = kt_pool("stream", &attrs);
	static struct kpool_stream stream;
	static struct probe p[5];
	int i;

	if (!pool)
		return;
	probes_init(p, 5, probe_fn);
	kpool_init_stream(&stream, pool);
	for (i = 0; i < 3; i++)
		kpool_set_stream(&p[i].job, &stream);
	if (low)
		KT_EXPECT_EQ(kpool_set_priority(&p[2].job.item,
						KPOOL_PRIO_LOW), 0);
	probes_hold(p, 4);
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
	/* their turn comes, as a unit is free */
	probes_submit(pool, &p[1], 2);
	KT_EXPECT_EQ(kt_stat(pool, pending), 2);
	probes_submit(pool, &p[3], 1);
	probe_runs(&p[3]);
	KT_EXPECT_EQ(probe_try(pool, &p[4]), 0);
	KT_EXPECT(kt_wait(probes_dropped(p, 5) == 1));
	KT_EXPECT_EQ(p[low ? 2 : 1].err, -EAGAIN);
	probes_open(p, 4);
	jobs_end(pool);
}

/* A pool that drops the oldest, and four items; two of them form a stream. */
static struct kpool *evicting_pool(int capacity, int depth)
{
	const struct kpool_attrs attrs = {
		.capacity = capacity, .queue_depth = depth,
		.when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = kt_pool("stream", &attrs);

	probes_init(p, 4, probe_fn);
	lane_init(&lane, pool);
	kpool_set_stream(&p[1].job, &lane.stream);
	kpool_set_stream(&p[2].job, &lane.stream);
	return pool;
}

/*
 * Of a job whose units the next of its stream exceeds, and that one, the second
 * is evicted, and the newcomer starts beside the first.
 * Fails if the first is, as then both others wait in a queue of one place.
 */
static void leader_of_a_heavy_job_is_not_evicted(void)
{
	struct kpool *pool = evicting_pool(4, 1);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&p[2].job.item, 4), 0);
	KT_EXPECT_EQ(kpool_set_weight(&p[3].job.item, 3), 0);
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, &p[1], 2);
	KT_EXPECT_EQ(probe_try(pool, &p[3]), 0);
	KT_EXPECT(kt_wait(probes_dropped(p, 4) == 1));
	probes_expect_dropped(&p[2], 1, -EAGAIN);
	kpool_resume(pool);
	probe_ran(&p[1]);
	probe_ran(&p[3]);
	probes_open(p, 1);
	jobs_end(pool);
}

/*
 * Of two jobs of a stream that fill the queue, the first is evicted.
 * Fails if the second is, because it is parked.
 */
static void first_job_of_a_stream_is_evicted(void)
{
	struct kpool *pool = evicting_pool(1, 2);

	if (!pool)
		return;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
	probes_submit(pool, &p[1], 2);
	KT_EXPECT_EQ(probe_try(pool, &p[3]), 0);
	KT_EXPECT(kt_wait(probes_dropped(p, 4) == 1));
	KT_EXPECT_EQ(p[1].err, -EAGAIN);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(probes_ran(p, 4), 3);
	jobs_end(pool);
}

/*
 * A later job starts after all that were submitted before it, however many.
 * Fails if it is put back ahead of some of them.
 */
static void later_job_keeps_its_place_behind_many(void)
{
	struct kpool *pool = kt_pool("stream", &queued_one);
	static struct probe many[80];
	int i;

	if (!pool)
		return;
	order_init(&order);
	lane_init(&lane, pool);
	probes_init(many, 80, probe_fn);
	for (i = 77; i < 80; i++)
		many[i].order = &order;
	kpool_set_stream(&many[0].job, &lane.stream);
	kpool_set_stream(&many[78].job, &lane.stream);
	probes_hold(many, 1);
	probes_submit(pool, many, 1);
	probe_runs(&many[0]);
	probes_submit(pool, &many[1], 79);
	probes_open(many, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	EXPECT_ORDER(77, 78, 79);
	jobs_end(pool);
}

/*
 * A due job that waits for room has not joined its stream, and is taken back.
 * Fails (dies) if it leaves that: mutant backlog-leaves-its-stream.
 */
static void cancelled_due_job_leaves_no_stream(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_NONE,
	};
	struct kpool *pool = kt_pool("stream", &attrs);
	static struct kpool_stream stream;
	static struct probe p[2];

	if (!pool)
		return;
	probes_init(p, 2, probe_fn);
	kpool_init_stream(&stream, pool);
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(p);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[1].job, 0), 0);
	KT_EXPECT_EQ(kt_stat(pool, pending), 1);
	KT_EXPECT(kpool_cancel(&p[1].job.item));
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_submit(pool, &p[1], 1);
	probe_ran(&p[1]);
	jobs_end(pool);
}

/*
 * A submitter sleeps with a job of a stream, and a job of the stream becomes
 * due behind it.  Both run, in that order.
 * Fails if a job joins its stream before it is queued.
 */
static void due_job_behind_a_blocked_submitter_starts(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_NONE,
	};
	struct kpool *pool = kt_pool("stream", &attrs);
	static struct kpool_stream stream;
	static struct probe p[3];
	struct kt_submitter s;
	int i;

	if (!pool)
		return;
	probes_init(p, 3, probe_fn);
	kpool_init_stream(&stream, pool);
	for (i = 0; i < 3; i++)
		kpool_set_stream(&p[i].job, &stream);
	p[0].gate = &p[0].own;
	KT_EXPECT_EQ(kpool_submit(pool, &p[0].job.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&p[0].own.started)));
	kt_submitter_block(&s, pool, &p[1].job.item);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[2].job, 1), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, pending) == 1));
	kt_gate_open(&p[0].own);
	KT_EXPECT(kt_wait(atomic_read(&p[1].ran)));
	KT_EXPECT(kt_wait(atomic_read(&p[2].ran)));
	/* get out of it all the same */
	kpool_cancel(&p[1].job.item);
	kpool_cancel(&p[2].job.item);
	kt_thread_join(&s.thread);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	kt_pool_end(pool);
}

/*
 * A stream in memory that was something else before.
 * Fails (oopses, or hangs) if a field is left as it was.
 */
static void init_sets_every_field(void)
{
	struct kpool_stream *poisoned = kmalloc(sizeof(*poisoned), GFP_KERNEL);
	struct kpool *pool = kt_pool("stream", &queued_two);
	static struct probe one[2];

	if (!KT_EXPECT(poisoned) || !pool)
		goto out;
	memset(poisoned, 0x5a, sizeof(*poisoned));
	kpool_init_stream(poisoned, pool);
	probes_init(one, 2, probe_fn);
	kpool_set_stream(&one[0].job, poisoned);
	kpool_set_stream(&one[1].job, poisoned);
	probes_submit(pool, one, 2);
	KT_EXPECT(kt_wait(probes_ran(one, 2) == 2));
	jobs_end(pool);
out:
	kfree(poisoned);
}

KT_MODULE("kpool selftest: streams",
	  KT_CASE(jobs_run_one_at_a_time_in_order),
	  KT_CASE(streams_run_in_parallel),
	  KT_CASE(streams_have_no_threads_of_their_own),
	  KT_CASE(long_run_blocks_only_its_stream),
	  KT_CASE(blocked_jobs_keep_no_runnable_item_out),
	  KT_CASE(later_job_without_a_queue_is_blocked),
	  KT_CASE(blocked_jobs_take_places_in_the_queue),
	  KT_CASE(blocked_jobs_take_places_in_a_paused_pool),
	  KT_CASE(cancel_of_the_leader_starts_the_next),
	  KT_CASE(jobs_of_cancelled_leaders_keep_their_order),
	  KT_CASE(flush_of_a_submitter_that_is_admitted_ends),
	  KT_CASE(cancel_of_blocked_jobs_closes_the_gap),
	  KT_CASE(stream_continues_when_all_blocked_jobs_are_cancelled),
	  KT_CASE(abort_empties_a_stream),
	  KT_CASE(shutdown_runs_all_blocked_jobs),
	  KT_CASE(pause_holds_later_jobs_back),
	  KT_CASE(self_submission_goes_behind_its_stream),
	  KT_CASE(job_may_follow_itself),
	  KT_CASE(priority_does_not_change_a_streams_order),
	  KT_CASE(heavy_jobs_keep_the_order),
	  KT_CASE(expired_job_starts_the_next),
	  KT_CASE(delayed_job_joins_when_due),
	  KT_CASE(delayed_job_does_not_hold_its_stream),
	  KT_CASE(job_due_at_once_is_admitted_without_a_queue),
	  KT_CASE(other_pool_is_refused),
	  KT_CASE(flush_of_a_later_job_is_refused),
	  KT_CASE(flush_of_a_cancelled_later_job_is_not_refused),
	  KT_CASE(submit_of_a_later_job_without_a_queue_is_refused),
	  KT_CASE(wait_for_a_group_of_later_jobs_is_refused),
	  KT_CASE(streamed_job_may_flush_others),
	  KT_CASE(streamed_jobs_are_not_run_by_callers),
	  KT_CASE(jobs_and_stream_may_be_freed),
	  KT_CASE(storm_of_streams_keeps_every_order),
	  KT_EACH(oldest_item_is_evicted_beside_a_parked_job, prios),
	  KT_EACH(oldest_of_two_parked_jobs_is_evicted, second_prios),
	  KT_CASE(first_job_of_a_stream_is_evicted),
	  KT_CASE(leader_of_a_heavy_job_is_not_evicted),
	  KT_CASE(later_job_keeps_its_place_behind_many),
	  KT_CASE(cancelled_due_job_leaves_no_stream),
	  KT_CASE(due_job_behind_a_blocked_submitter_starts),
	  KT_CASE(init_sets_every_field));
