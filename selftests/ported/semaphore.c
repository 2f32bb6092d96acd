// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of x/sync's weighted semaphore.  Its size is the capacity of a
 * pool.  An acquire of n of it is an item of weight n, which holds them while
 * it runs, and releases them by returning.
 * The table of Documentation/coming-from/semaphore.rst says which covers what.
 */
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/random.h>

#include "selftest.h"

static struct kpool *semaphore(int size)
{
	const struct kpool_attrs attrs = { .capacity = size };

	return kt_pool("semaphore", &attrs);
}

/* Something that acquires so much and holds it until its gate lets it pass. */
static void holder_init(struct kt_job *job, struct kt_gate *gate, int weight)
{
	kt_job_init(job, kt_job_gated, gate, weight);
	KT_EXPECT_EQ(kpool_set_weight(&job->item, weight), 0);
}

static bool acquire(struct kpool *pool, struct kt_job *job)
{
	return kpool_submit(pool, &job->item) == 0;
}

static bool try_acquire(struct kpool *pool, struct kt_job *job)
{
	return kpool_try_submit(pool, &job->item) == 0;
}

/* Acquire with a context of 10 ms. */
static bool acquire_10_ms(struct kpool *pool, struct kt_job *job)
{
	return kpool_submit_timeout(pool, &job->item, msecs_to_jiffies(10)) == 0;
}

/* Processors, but enough of them for weights to matter on a small machine. */
static int procs(void)
{
	return max_t(int, num_online_cpus(), 4);
}

/* A thread that hammers: its weight, and the sum that must not be exceeded. */
struct hammer {
	struct kt_thread	thread;
	struct kpool_item	item;
	struct kpool		*pool;
	atomic_t		*held;
	int			weight;
	int			size;
	int			loops;
	int			done;
};

static int hammer_run(struct kpool_item *item)
{
	struct hammer *h = container_of(item, struct hammer, item);

	KT_EXPECT_LE(atomic_add_return(h->weight, h->held), h->size);
	if (get_random_u32() & 7)
		usleep_range(1, 20);
	atomic_sub(h->weight, h->held);
	h->done++;
	return 0;
}

static int hammer_main(void *arg)
{
	struct hammer *h = arg;
	int i;

	for (i = 0; i < h->loops; i++)
		if (!KT_EXPECT_EQ(kpool_submit(h->pool, &h->item), 0) ||
		    !KT_EXPECT_EQ(kpool_flush_item(&h->item), 0))
			break;
	return 0;
}

/*
 * TestWeighted: n processors, weights 0 to n - 1, 10,000 / n rounds each.  An
 * item of no weight would be bounded by nothing: it is refused, and its thread
 * hammers with one unit.
 * Fails if more than all units are given out, or if a heavy item is forgotten.
 */
static void items_of_any_weight_share_the_units(void)
{
	struct kpool *pool = semaphore(procs());
	struct hammer *h = kcalloc(procs(), sizeof(*h), GFP_KERNEL);
	atomic_t held = ATOMIC_INIT(0);
	int i, n = procs();

	if (!pool || !KT_EXPECT(h))
		goto out;
	for (i = 0; i < n; i++) {
		kpool_init_item(&h[i].item, hammer_run);
		KT_EXPECT_EQ(kpool_set_weight(&h[i].item, i), i ? 0 : -EINVAL);
		h[i].pool = pool;
		h[i].held = &held;
		h[i].weight = max(i, 1);
		h[i].size = n;
		h[i].loops = kt_count(10000) / n;
	}
	for (i = 0; i < n; i++)
		kt_thread_start(&h[i].thread, hammer_main, &h[i]);
	for (i = 0; i < n; i++) {
		kt_thread_join(&h[i].thread);
		KT_EXPECT_EQ(h[i].done, h[i].loops);
	}
	KT_EXPECT_EQ(kt_stat(pool, units), 0);
out:
	kt_pool_end(pool);
	kfree(h);
}

/*
 * Its size is 2: one is held, another fits, a third does not; both go, and so
 * again.
 */
static void acquire_pattern(bool (*ask)(struct kpool *pool, struct kt_job *job))
{
	struct kpool *pool = semaphore(2);
	struct kt_gate first, second;
	struct kt_job job[5];
	int i;

	if (!pool)
		return;
	kt_gate_init(&first);
	kt_gate_init(&second);
	for (i = 0; i < 5; i++)
		holder_init(&job[i], i < 3 ? &first : &second, 1);
	KT_EXPECT(acquire(pool, &job[0]));
	KT_EXPECT(ask(pool, &job[1]));
	KT_EXPECT(!ask(pool, &job[2]));
	kt_gate_open(&first);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(ask(pool, &job[3]));
	KT_EXPECT(acquire(pool, &job[4]));
	KT_EXPECT(!ask(pool, &job[2]));
	KT_EXPECT_EQ(kt_stat(pool, submitted), 4);
	kt_gate_open(&second);
	kt_pool_end(pool);
}

/*
 * TestWeightedTryAcquire: yes, no, yes, no.
 * Fails if try sleeps, overbooks, or leaves something behind when it is
 * refused.
 */
static void try_acquire_succeeds_and_fails_by_turns(void)
{
	acquire_pattern(try_acquire);
}

/*
 * TestWeightedAcquire: the same within 10 ms each.
 * Fails if a submit that timed out has been accepted all the same.
 */
static void timed_acquire_succeeds_and_fails_by_turns(void)
{
	acquire_pattern(acquire_10_ms);
}

/*
 * TestWeightedDoesntBlockIfTooBig: of a size of 2, 3 can never be had.  That is
 * an error at once, where the semaphore waits for the end of the context; six
 * others of 1 are admitted.
 * Fails if what can never start is accepted, or holds back others.
 */
static void too_heavy_item_is_refused_at_once(void)
{
	struct kpool *pool = semaphore(2);
	struct kt_job heavy, *jobs;
	struct kt_gate open;

	kt_gate_init(&open);
	kt_gate_open(&open);
	jobs = kt_jobs(6, kt_job_gated, &open);
	if (!pool || !jobs)
		goto out;
	holder_init(&heavy, &open, 3);
	KT_EXPECT_EQ(kpool_submit(pool, &heavy.item), -EINVAL);
	KT_EXPECT_EQ(kpool_try_submit(pool, &heavy.item), -EINVAL);
	KT_EXPECT_EQ(kpool_submit_timeout(pool, &heavy.item, HZ), -EINVAL);
	kt_submit_jobs(pool, jobs, 6);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&open.finished), 6);
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

static bool keep_running;

/* Releases and acquires one unit again and again, until stopped. */
static int hammer_until_stopped(void *arg)
{
	struct hammer *h = arg;

	while (READ_ONCE(keep_running))
		if (!KT_EXPECT_EQ(kpool_submit(h->pool, &h->item), 0) ||
		    !KT_EXPECT_EQ(kpool_flush_item(&h->item), 0))
			break;
	return 0;
}

/* Start the small ones, and let one that wants all units in among them. */
static void acquire_all_among(struct kpool *pool, struct hammer *h, int n)
{
	struct kt_gate open;
	struct kt_job all;
	int i;

	kt_gate_init(&open);
	kt_gate_open(&open);
	holder_init(&all, &open, n);
	WRITE_ONCE(keep_running, true);
	for (i = 0; i < n; i++)
		kt_thread_start(&h[i].thread, hammer_until_stopped, &h[i]);
	KT_EXPECT(kt_wait(kt_stat(pool, completed) > 10 * n));
	KT_EXPECT_EQ(kpool_submit_timeout(pool, &all.item, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_flush_item(&all.item), 0);
	KT_EXPECT_EQ(atomic_read(&open.finished), 1);
	WRITE_ONCE(keep_running, false);
	for (i = 0; i < n; i++)
		kt_thread_join(&h[i].thread);
}

/*
 * TestLargeAcquireDoesntStarve: n items of weight 1 come again and again; one
 * of weight n is admitted among them.
 * Fails if small items pass a large one that waits.
 */
static void large_acquire_does_not_starve(void)
{
	struct kpool *pool = semaphore(procs());
	struct hammer *h = kcalloc(procs(), sizeof(*h), GFP_KERNEL);
	atomic_t held = ATOMIC_INIT(0);
	int i, n = procs();

	if (!pool || !KT_EXPECT(h))
		goto out;
	for (i = 0; i < n; i++) {
		kpool_init_item(&h[i].item, hammer_run);
		h[i].pool = pool;
		h[i].held = &held;
		h[i].weight = 1;
		h[i].size = n;
	}
	acquire_all_among(pool, h, n);
out:
	kt_pool_end(pool);
	kfree(h);
}

/* A size of 10, of which 1 is held; 10 wait, and then 1 that would fit. */
struct crowd {
	struct kpool		*pool;
	struct kt_gate		gate;
	struct kt_job		held;
	struct kt_job		heavy;
	struct kt_job		light;
	struct kt_submitter	heavy_waits;
	struct kt_submitter	light_waits;
};

static int submit_within_300_ms(void *arg)
{
	struct kt_submitter *s = arg;

	return kpool_submit_timeout(s->pool, s->item, msecs_to_jiffies(300));
}

static bool crowd_make(struct crowd *c, bool timed)
{
	memset(c, 0, sizeof(*c));
	kt_gate_init(&c->gate);
	c->pool = semaphore(10);
	if (!c->pool)
		return false;
	holder_init(&c->held, &c->gate, 1);
	holder_init(&c->heavy, &c->gate, 10);
	holder_init(&c->light, &c->gate, 1);
	if (!KT_EXPECT(acquire(c->pool, &c->held)))
		return false;
	c->heavy_waits.pool = c->pool;
	c->heavy_waits.item = &c->heavy.item;
	if (!kt_thread_start(&c->heavy_waits.thread,
			     timed ? submit_within_300_ms : kt_submitter_main,
			     &c->heavy_waits))
		return false;
	/* on a slow machine the wait of one whose time ends can go unseen */
	KT_EXPECT(kt_wait(kt_stat(c->pool, blocked) == 1 ||
			  kt_thread_done(&c->heavy_waits.thread)));
	return kt_submitter_start(&c->light_waits, c->pool, &c->light.item);
}

/* The heavy one has gone: the light one runs beside the one that is held. */
static void crowd_end(struct crowd *c, int err)
{
	if (c->heavy_waits.thread.task)
		KT_EXPECT_EQ(kt_thread_join(&c->heavy_waits.thread), err);
	if (c->light_waits.thread.task)
		KT_EXPECT_EQ(kt_thread_join(&c->light_waits.thread), 0);
	if (c->pool)
		KT_EXPECT(kt_wait(atomic_read(&c->gate.started) == 2));
	kt_gate_open(&c->gate);
	kt_pool_end(c->pool);
}

/*
 * TestAllocCancelDoesntStarve: the one that wants all gives up after 300 ms.
 * Fails if those behind a submitter that timed out are not checked again.
 */
static void timeout_of_the_head_admits_the_next(void)
{
	struct crowd c;

	crowd_make(&c, true);
	crowd_end(&c, -ETIMEDOUT);
}

/*
 * The acquire is cancelled.  While it waits, the order is strict: one that
 * would fit waits behind it, and try is refused although nine units are free.
 * Fails if a small item passes a large one that waits, or if cancel does not
 * look at those behind.
 */
static void cancel_of_the_head_admits_the_next(void)
{
	struct kt_job newcomer;
	struct crowd c;

	if (crowd_make(&c, false)) {
		KT_EXPECT(kt_wait(kt_stat(c.pool, blocked) == 2));
		KT_EXPECT(kt_wait(kt_stat(c.pool, units) == 1));
		holder_init(&newcomer, &c.gate, 1);
		KT_EXPECT_EQ(kpool_try_submit(c.pool, &newcomer.item), -EAGAIN);
	}
	kpool_cancel(&c.heavy.item);
	crowd_end(&c, -ECANCELED);
}

/*
 * A size of 2 is held.  A waiting acquire is cancelled, then both are released:
 * the acquire must fail, and both can be had at once.
 * Fails if a cancelled submitter is admitted, or takes units with it.
 */
static void cancel_before_release_keeps_the_units(void)
{
	struct kpool *pool = semaphore(2);
	struct kt_submitter waits = { };
	struct kt_gate gate, open;
	struct kt_job held, one;

	if (!pool)
		return;
	kt_gate_init(&gate);
	kt_gate_init(&open);
	kt_gate_open(&open);
	holder_init(&held, &gate, 2);
	holder_init(&one, &open, 1);
	KT_EXPECT(acquire(pool, &held));
	kt_submitter_block(&waits, pool, &one.item);
	KT_EXPECT(!kpool_cancel(&one.item));
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kt_thread_join(&waits.thread), -ECANCELED);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&open.started), 0);
	KT_EXPECT(try_acquire(pool, &held));
	kt_pool_end(pool);
}

static int too_late(struct kpool_item *item)
{
	KT_EXPECT(!"run after its deadline");
	return 0;
}

/*
 * A context that has ended already: the acquire fails although there is room.
 * Here the item is one that was disabled, or its deadline has passed.
 * Fails if either runs.
 */
static void ended_context_acquires_nothing(void)
{
	struct kpool *pool = semaphore(2);
	struct kpool_job late;
	struct kt_gate open;
	struct kt_job job;

	if (!pool)
		return;
	kt_gate_init(&open);
	kt_gate_open(&open);
	holder_init(&job, &open, 1);
	KT_EXPECT_EQ(kpool_disable(&job.item), 0);
	KT_EXPECT(!acquire(pool, &job));
	KT_EXPECT_EQ(kpool_enable(&job.item), 0);
	kpool_init_job(&late, too_late);
	kpool_set_deadline(&late, ktime_sub_ms(ktime_get(), 1));
	KT_EXPECT_EQ(kpool_submit(pool, &late.item), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, expired), 1);
	KT_EXPECT_EQ(kt_stat(pool, dropped), 1);
	KT_EXPECT_EQ(atomic_read(&open.started), 0);
	kt_pool_end(pool);
}

/*
 * Weights at which it panics, or which it does not check.  More than was
 * acquired cannot be released, as an item releases what it holds; no weight
 * below 1 is taken.
 * Fails if a bad weight is taken, or the units held are not those asked for.
 */
static void bad_weights_are_refused(void)
{
	static const int bad[] = { 0, -1, INT_MIN };
	struct kpool *pool = semaphore(10);
	struct kt_gate gate;
	struct kt_job job;
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	holder_init(&job, &gate, 7);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KT_EXPECT_EQ(kpool_set_weight(&job.item, bad[i]), -EINVAL);
	KT_EXPECT(acquire(pool, &job));
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	KT_EXPECT_EQ(kt_stat(pool, units), 7);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, units), 0);
	kt_pool_end(pool);
}

/*
 * Users of semaphore ask that the size can be changed.  Grown, it admits
 * waiters; shrunk below what an accepted item weighs, it still admits that.
 * Fails if tune admits no submitter, or if an item outlives its chance to
 * start.
 */
static void size_can_be_changed(void)
{
	struct kpool *pool = semaphore(2);
	struct kt_submitter waits = { };
	struct kt_job held, heavy;
	struct kt_gate gate, open;

	if (!pool)
		return;
	kt_gate_init(&gate);
	kt_gate_init(&open);
	kt_gate_open(&open);
	holder_init(&held, &gate, 2);
	holder_init(&heavy, &open, 2);
	KT_EXPECT(acquire(pool, &held));
	kt_submitter_block(&waits, pool, &heavy.item);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 4), 0);
	KT_EXPECT_EQ(kt_thread_join(&waits.thread), 0);
	KT_EXPECT_EQ(kpool_flush_item(&heavy.item), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	kt_submitter_block(&waits, pool, &heavy.item);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kt_thread_join(&waits.thread), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&open.finished), 2);
	KT_EXPECT_EQ(kpool_submit(pool, &heavy.item), -EINVAL);
	kt_pool_end(pool);
}

/* How many steps of Collatz take n to 1; a number for each worker. */
static int collatz_steps(int n)
{
	int steps = 0;

	while (n > 1) {
		n = n % 2 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

static int collatz[32];

static int collatz_run(struct kpool_item *item)
{
	int nr = kt_job_of(item)->nr;

	collatz[nr] = collatz_steps(nr + 1);
	return 0;
}

static const int collatz_expected[32] = {
	0, 1, 7, 2, 5, 8, 16, 3, 19, 6, 14, 9, 9, 17, 17, 4,
	12, 20, 20, 7, 7, 15, 15, 10, 23, 10, 111, 18, 18, 18, 106, 5,
};

/* To acquire all units is to wait for each holder. */
static void acquire_all(struct kpool *pool, int n)
{
	struct kt_gate open;
	struct kt_job all;

	kt_gate_init(&open);
	kt_gate_open(&open);
	holder_init(&all, &open, n);
	KT_EXPECT(acquire(pool, &all));
	KT_EXPECT_EQ(kpool_flush_item(&all.item), 0);
}

/*
 * The documentation's example: 32 numbers, a worker for each processor, and at
 * the end all units at once, so that everyone is done.
 * Fails if an item of full weight starts while another runs, or a number is
 * lost.
 */
static void example_of_collatz_computes_32_numbers(void)
{
	int i, n = num_online_cpus();
	struct kpool *pool = semaphore(n);
	struct kt_gate unused;
	struct kt_job *jobs;

	kt_gate_init(&unused);
	jobs = kt_jobs(32, collatz_run, &unused);
	if (!pool || !jobs)
		goto out;
	for (i = 0; i < 32; i++)
		collatz[i] = -1;
	kt_submit_jobs(pool, jobs, 32);
	acquire_all(pool, n);
	for (i = 0; i < 32; i++)
		KT_EXPECT_EQ(collatz[i], collatz_expected[i]);
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

KT_MODULE("Selftests of kpool: the scenarios of x/sync's semaphore",
	  KT_CASE(items_of_any_weight_share_the_units),
	  KT_CASE(try_acquire_succeeds_and_fails_by_turns),
	  KT_CASE(timed_acquire_succeeds_and_fails_by_turns),
	  KT_CASE(too_heavy_item_is_refused_at_once),
	  KT_CASE(large_acquire_does_not_starve),
	  KT_CASE(timeout_of_the_head_admits_the_next),
	  KT_CASE(cancel_of_the_head_admits_the_next),
	  KT_CASE(cancel_before_release_keeps_the_units),
	  KT_CASE(ended_context_acquires_nothing),
	  KT_CASE(bad_weights_are_refused),
	  KT_CASE(size_can_be_changed),
	  KT_CASE(example_of_collatz_computes_32_numbers));
