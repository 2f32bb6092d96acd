// SPDX-License-Identifier: GPL-2.0-only
/*
 * Soak: items, tunings, pools, as in the other tests, for very long.  What is
 * lost once in a million is found only here; soak.sh looks at what is left
 * afterwards.
 */
#include <linux/math64.h>
#include <linux/prandom.h>

#include "selftest.h"

#define SUBMITTERS	2
#define RING		64

static ulong items = 200000;
module_param(items, ulong, 0400);
MODULE_PARM_DESC(items, "how many items run");

static int tunings = 1000;
module_param(tunings, int, 0400);
MODULE_PARM_DESC(tunings, "how often a loaded pool is tuned");

static int pools = 100;
module_param(pools, int, 0400);
MODULE_PARM_DESC(pools, "how many pools come and go");

static struct kpool *pool;
static bool stop;

/*
 * No counter is atomic: an item never runs twice at once, and what it stored is
 * seen by its next run, or after a flush.
 */
struct drop {
	struct kpool_item	item;
	u64			ran;
	u64			by_itself;	/* its submissions by its own run */
	u64			by_submitter;
};

struct submitter {
	struct kt_thread	thread;
	struct drop		ring[RING];
	u64			wanted;		/* runs; without end if 0 */
};

static struct submitter submitter[SUBMITTERS];

/* All but a few runs submit their own item again. */
static int drop_fn(struct kpool_item *item)
{
	struct drop *d = container_of(item, struct drop, item);

	d->ran++;
	if (d->ran % 64 && !READ_ONCE(stop) && !kpool_submit(pool, item))
		d->by_itself++;
	return 0;
}

/* Runs that this submitter's items have been accepted for. */
static u64 accepted_by(struct submitter *s)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < RING; i++)
		sum += READ_ONCE(s->ring[i].by_itself) +
		       READ_ONCE(s->ring[i].by_submitter);
	return sum;
}

static bool has_enough(struct submitter *s)
{
	return s->wanted ? accepted_by(s) >= s->wanted : READ_ONCE(stop);
}

/* Submit each item that is not pending; return their number, or an error. */
static int submit_ring(struct submitter *s)
{
	int i, err, accepted = 0;

	for (i = 0; i < RING; i++) {
		err = kpool_submit(pool, &s->ring[i].item);
		if (!err) {
			s->ring[i].by_submitter++;
			accepted++;
		} else if (!KT_EXPECT_EQ(err, -EALREADY)) {
			return err;
		}
	}
	return accepted;
}

static int submits(void *arg)
{
	struct submitter *s = arg;
	int accepted;

	do {
		accepted = submit_ring(s);
		if (accepted < 0)
			return accepted;
		/* leave the processor to the workers that run them */
		if (!accepted)
			kt_sleep_ms(1);
	} while (!has_enough(s));
	return 0;
}

/* Start to soak a pool, until @wanted items have run, or to be stopped. */
static bool begin(const struct kpool_attrs *attrs, u64 wanted)
{
	int i, j;

	stop = false;
	pool = kt_pool("soak", attrs);
	if (!pool)
		return false;
	for (i = 0; i < SUBMITTERS; i++) {
		memset(submitter[i].ring, 0, sizeof(submitter[i].ring));
		for (j = 0; j < RING; j++)
			kpool_init_item(&submitter[i].ring[j].item, drop_fn);
		submitter[i].wanted = wanted;
		kt_thread_start(&submitter[i].thread, submits, &submitter[i]);
	}
	return true;
}

/* A soak lasts longer than one would wait for a thread. */
static int join(struct kt_thread *t)
{
	while (t->task && !kt_thread_done(t))
		kt_sleep_ms(100);
	return kt_thread_join(t);
}

/*
 * A flush waits for what was accepted before it.  A run that had not seen the
 * stop can submit its item after that; one more flush waits for those.
 */
static void stop_and_flush(void)
{
	WRITE_ONCE(stop, true);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
}

/* Every submission was a run; returns how many. */
static u64 end(void)
{
	u64 ran = 0, accepted = 0;
	int i, j;

	for (i = 0; i < SUBMITTERS; i++)
		KT_EXPECT_EQ(join(&submitter[i].thread), 0);
	stop_and_flush();
	for (i = 0; i < SUBMITTERS; i++) {
		for (j = 0; j < RING; j++) {
			struct drop *d = &submitter[i].ring[j];

			KT_EXPECT_EQ(d->ran, d->by_itself + d->by_submitter);
			ran += d->ran;
			accepted += d->by_itself + d->by_submitter;
		}
	}
	KT_EXPECT_EQ(kt_stat(pool, submitted), accepted);
	KT_EXPECT_EQ(kt_stat(pool, completed), ran);
	kt_pool_end(pool);
	return ran;
}

/*
 * Each item runs as often as it was accepted, and never twice at once.
 * Fails if one of all these is lost or run twice.
 */
static void every_item_runs(void)
{
	const struct kpool_attrs attrs = { .capacity = 4, .queue_depth = 32 };
	ktime_t began = ktime_get();
	u64 ran;

	if (!begin(&attrs, div_u64(kt_count(items), SUBMITTERS)))
		return;
	ran = end();
	KT_EXPECT_GE(ran, kt_count(items));
	pr_info("%s: %llu items in %lld ms\n", KBUILD_MODNAME, ran,
		ktime_ms_delta(ktime_get(), began));
}

/* The range of each tunable: any of it goes beside any other. */
static const struct {
	enum kpool_tunable	tunable;
	int			least, most;
} range[] = {
	{ KPOOL_TUNE_CAPACITY, 4, 8 },
	{ KPOOL_TUNE_MIN_WORKERS, 1, 4 },
	{ KPOOL_TUNE_QUEUE_DEPTH, 1, 64 },
	{ KPOOL_TUNE_MAX_BLOCKED, 2, 64 },
	{ KPOOL_TUNE_EXPIRY_MS, 1, 50 },
	{ KPOOL_TUNE_NICE, -5, 5 },
	{ KPOOL_TUNE_STALL_MS, 60000, 600000 },
};

/*
 * Items go on while the attributes change under them.
 * Fails if a change loses an item, a worker or a wake-up.
 */
static void every_tuning_applies(void)
{
	const struct kpool_attrs attrs = { .capacity = 4, .queue_depth = 32 };
	struct kpool_attrs now;
	int i, which, value;
	u64 ran;

	if (!begin(&attrs, 0))
		return;
	for (i = 0; i < kt_count(tunings); i++) {
		which = get_random_u32() % ARRAY_SIZE(range);
		value = range[which].least + get_random_u32() %
			(range[which].most - range[which].least + 1);
		if (!KT_EXPECT_EQ(kpool_tune(pool, range[which].tunable, value), 0))
			break;
		kpool_get_attrs(pool, &now);
		if (range[which].tunable == KPOOL_TUNE_CAPACITY)
			KT_EXPECT_EQ(now.capacity, value);
		cond_resched();
	}
	WRITE_ONCE(stop, true);
	ran = end();
	pr_info("%s: %d tunings beside %llu items\n", KBUILD_MODNAME, i, ran);
}

static int counts(void *arg)
{
	atomic_inc(arg);
	return 0;
}

/* A pool of one kind: made, used, and destroyed while something is pending. */
static bool comes_and_goes(unsigned int kind)
{
	const struct kpool_attrs attrs = {
		.capacity	= 1 + kind % 4,
		.min_workers	= kind & 4 ? 1 : 0,
		.flags		= kind & 4 && kind & 8 ? KPOOL_PREALLOC : 0,
		.queue_depth	= 8,
		.expiry_ms	= kind & 16 ? 1 : 0,
	};
	atomic_t ran = ATOMIC_INIT(0);
	struct kpool *p = kt_pool("soak", &attrs);
	int i;

	if (!p)
		return false;
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(kpool_submit_fn(p, counts, &ran, GFP_KERNEL), 0);
	if (kind & 32)
		KT_EXPECT_EQ(kpool_flush(p), 0);
	return KT_EXPECT_EQ(kpool_destroy(p), 0) &&
	       KT_EXPECT_EQ(atomic_read(&ran), 4);
}

/*
 * Pools come and go, and leave nothing.
 * Fails if destroy waits for ever, or for too little (an oops).
 */
static void every_pool_ends(void)
{
	int i;

	for (i = 0; i < kt_count(pools); i++)
		if (!comes_and_goes(get_random_u32()))
			break;
	pr_info("%s: %d pools came and went\n", KBUILD_MODNAME, i);
}

KT_MODULE("kpool selftest: the same for very long",
	  KT_CASE(every_item_runs),
	  KT_CASE(every_tuning_applies),
	  KT_CASE(every_pool_ends));
