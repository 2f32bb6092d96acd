// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of ants' MultiPool: several like pools as one.  Work is handed in
 * by kpool_multi_submit(), or to the pool that kpool_multi_pick() chooses.
 */
#include <linux/module.h>

#include "ants.h"

#define NR_POOLS	10
#define PER_POOL	5

/* How the next pool is chosen, and the submit path: two by three variants. */
static const char *const multi_ways[] = {
	"round-robin-item", "round-robin-fn", "round-robin-arg",
	"least-loaded-item", "least-loaded-fn", "least-loaded-arg", NULL,
};

static enum kpool_placement placement_of(int variant)
{
	return variant < 3 ? KPOOL_PLACE_ROUND_ROBIN : KPOOL_PLACE_LEAST_LOADED;
}

static enum ants_way way_of(int variant)
{
	return variant % 3;
}

/* The pools, or NULL and a recorded failure. */
static struct kpool_multi *multi_make(int nr, const struct kpool_attrs *attrs,
				      int variant, kpool_fn fn)
{
	struct kpool_attrs copy = *attrs;
	struct kpool_multi *multi;

	copy.fn = way_of(variant) == ANTS_ARG ? fn : NULL;
	multi = kpool_multi_create(&copy, nr, placement_of(variant), "ants");
	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(multi), 0))
		return NULL;
	return multi;
}

/* The end of every scenario here: the counters of each pool, and of all. */
static void multi_end(struct kpool_multi *multi, int nr)
{
	struct kpool_stats all;
	u64 submitted = 0;
	int i;

	if (!multi)
		return;
	for (i = 0; i < nr; i++) {
		kt_check_identities(kpool_multi_pool(multi, i));
		submitted += kt_stat(kpool_multi_pool(multi, i), submitted);
	}
	kpool_multi_get_stats(multi, &all);
	KT_EXPECT_EQ(all.submitted, submitted);
	KT_EXPECT_EQ(all.submitted, all.completed + all.cancelled + all.dropped);
	KT_EXPECT_EQ(all.spawned, all.purged + all.retired + all.alive);
	KT_EXPECT_EQ(kpool_multi_destroy(multi), 0);
}

static int multi_submit(struct kpool_multi *multi, int variant,
			struct ants_job *job)
{
	if (way_of(variant) == ANTS_ITEM)
		return kpool_multi_submit(multi, &job->item);
	return ants_submit(kpool_multi_pick(multi), way_of(variant), job);
}

static bool multi_submit_all(struct kpool_multi *multi, int variant,
			     struct ants_job *jobs, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!KT_EXPECT_EQ(multi_submit(multi, variant, &jobs[i]), 0))
			return false;
	return true;
}

#define multi_stat(multi, field)					\
({									\
	struct kpool_stats __sums;					\
									\
	kpool_multi_get_stats(multi, &__sums);				\
	__sums.field;							\
})

/*
 * Fifty tasks run, five in each of ten pools; no submitter waits, no unit is
 * free.
 */
static void expect_full(struct kpool_multi *multi)
{
	struct kpool_attrs attrs;
	struct kpool *pool;
	int i;

	KT_EXPECT(kt_wait(multi_stat(multi, running) == NR_POOLS * PER_POOL));
	KT_EXPECT_EQ(multi_stat(multi, alive), NR_POOLS * PER_POOL);
	KT_EXPECT_EQ(multi_stat(multi, idle), 0);
	KT_EXPECT_EQ(multi_stat(multi, pending), 0);
	KT_EXPECT_EQ(multi_stat(multi, blocked), 0);
	for (i = 0; i < NR_POOLS; i++) {
		pool = kpool_multi_pool(multi, i);
		kpool_get_attrs(pool, &attrs);
		KT_EXPECT_EQ(attrs.capacity, PER_POOL);
		KT_EXPECT_EQ(kt_stat(pool, running), PER_POOL);
		KT_EXPECT_EQ(kt_stat(pool, units), PER_POOL);
		KT_EXPECT_EQ(kt_stat(pool, blocked), 0);
	}
}

static void expect_bad_indices(struct kpool_multi *multi)
{
	KT_EXPECT_EQ(PTR_ERR_OR_ZERO(kpool_multi_pool(multi, -1)), -ERANGE);
	KT_EXPECT_EQ(PTR_ERR_OR_ZERO(kpool_multi_pool(multi, NR_POOLS)), -ERANGE);
	KT_EXPECT_EQ(PTR_ERR_OR_ZERO(kpool_multi_pool(multi, 11)), -ERANGE);
}

/* Closed: within three seconds no worker is left, and nothing is taken. */
static void expect_release(struct kpool_multi *multi, int variant,
			   struct ants_job *job)
{
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(multi, kt_exact ? 3 * HZ : KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(multi, 0), 0);
	KT_EXPECT_EQ(multi_submit(multi, variant, job), -ESHUTDOWN);
	KT_EXPECT_EQ(multi_stat(multi, alive), 0);
	KT_EXPECT_EQ(multi_stat(multi, running), 0);
	KT_EXPECT(multi_stat(multi, closed));
}

/* Fill all pools, empty them, close them. */
static void multi_round(struct kpool_multi *multi, int variant)
{
	int n = NR_POOLS * PER_POOL;
	struct ants_job *jobs;
	struct kt_gate gate;

	kt_gate_init(&gate);
	jobs = ants_jobs(n, ants_gated, &gate);
	if (jobs && multi_submit_all(multi, variant, jobs, n)) {
		expect_full(multi);
		expect_bad_indices(multi);
	}
	kt_gate_open(&gate);
	if (jobs)
		expect_release(multi, variant, &jobs[0]);
	kvfree(jobs);
}

/*
 * TestMultiPool, TestMultiPoolWithFunc and -WithFuncGeneric: ten pools of five
 * take fifty tasks, five each, by either placement.  They are closed, opened
 * again, and take as many again.  ants calls a second shutdown an error.
 * Fails if one pool gets six, or if the sums leave one out.  Also fails if a
 * number too high finds a pool, or if one of ten stays closed.
 */
static void ten_pools_share_fifty_tasks(int variant)
{
	const struct kpool_attrs attrs = { .capacity = PER_POOL };
	struct kpool_multi *multi = multi_make(NR_POOLS, &attrs, variant,
					       ants_gated);

	if (!multi)
		return;
	multi_round(multi, variant);
	KT_EXPECT_EQ(kpool_multi_reopen(multi), 0);
	KT_EXPECT(!multi_stat(multi, closed));
	multi_round(multi, variant);
	KT_EXPECT_EQ(multi_stat(multi, completed), 2 * NR_POOLS * PER_POOL);
	multi_end(multi, NR_POOLS);
}

static void expect_no_multi(int err, const char *name, unsigned int nr,
			    const struct kpool_attrs *attrs, int placement)
{
	struct kpool_multi *multi = kpool_multi_create(attrs, nr, placement,
						       "%s", name);

	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(multi), err) && !IS_ERR(multi))
		kpool_multi_destroy(multi);
}

/*
 * An argument that TestMultiPool refuses is refused, and leaves no pool behind.
 * Fails if a bad number, placement or attribute is taken.  Also fails if the
 * pools that had been made before the bad one are kept: then their names are
 * taken.
 */
static void bad_multi_is_refused(void)
{
	const struct kpool_attrs good = { .capacity = 10 };
	const struct kpool_attrs bad = { .capacity = 5, .expiry_ms = -1 };
	struct kpool *taken = kt_pool("ants-3", &good);
	struct kpool_multi *multi;

	expect_no_multi(-ERANGE, "ants", -1, &good, KPOOL_PLACE_ROUND_ROBIN);
	expect_no_multi(-ERANGE, "ants", 0, &good, KPOOL_PLACE_ROUND_ROBIN);
	expect_no_multi(-EINVAL, "ants", 10, &good, 8);
	expect_no_multi(-ERANGE, "ants", 10, &bad, KPOOL_PLACE_ROUND_ROBIN);
	expect_no_multi(-EEXIST, "ants", 10, &good, KPOOL_PLACE_LEAST_LOADED);
	kt_pool_end(taken);
	multi = multi_make(NR_POOLS, &good, 0, NULL);
	multi_end(multi, NR_POOLS);
}

/*
 * Round robin that meets a full pool takes the least loaded one, and refuses
 * only when all are full.  ants does not test that.
 * Fails if a unit that is free elsewhere is not found.
 */
static void round_robin_falls_back(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .nonblocking = 1 };
	struct kpool_multi *multi = multi_make(3, &attrs, 0, NULL);
	struct kt_gate held, freed;
	struct kt_job job[5];
	int i;

	if (!multi)
		return;
	kt_gate_init(&held);
	kt_gate_init(&freed);
	for (i = 0; i < 5; i++)
		kt_job_init(&job[i], kt_job_gated, i == 1 ? &freed : &held, i);
	for (i = 0; i < 3; i++) {
		KT_EXPECT_EQ(kpool_multi_submit(multi, &job[i].item), 0);
		KT_EXPECT_EQ(kt_stat(kpool_multi_pool(multi, i), submitted), 1);
	}
	kt_gate_open(&freed);
	KT_EXPECT_EQ(kpool_flush_item(&job[1].item), 0);
	KT_EXPECT_EQ(kpool_multi_submit(multi, &job[3].item), 0);
	KT_EXPECT_EQ(kt_stat(kpool_multi_pool(multi, 1), submitted), 2);
	KT_EXPECT_EQ(kpool_multi_submit(multi, &job[4].item), -EAGAIN);
	kt_gate_open(&held);
	multi_end(multi, 3);
}

/*
 * The least loaded pool gets the next item, though others have idle workers.
 * Fails if pending or running items do not count as load.
 */
static void least_loaded_gets_the_next(void)
{
	const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 10 };
	struct kpool_multi *multi = multi_make(3, &attrs, 3, NULL);
	static const int load[] = { 2, 4, 1 };
	struct kt_gate gate;
	struct kt_job *jobs;
	int i, j, n = 0;

	kt_gate_init(&gate);
	jobs = kt_jobs(8, kt_job_gated, &gate);
	if (!multi || !jobs)
		goto out;
	for (i = 0; i < 3; i++)
		for (j = 0; j < load[i]; j++)
			KT_EXPECT_EQ(kpool_submit(kpool_multi_pool(multi, i),
						  &jobs[n++].item), 0);
	KT_EXPECT(kpool_multi_pick(multi) == kpool_multi_pool(multi, 2));
	KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[7].item), 0);
	KT_EXPECT_EQ(kt_stat(kpool_multi_pool(multi, 2), submitted), 2);
out:
	kt_gate_open(&gate);
	multi_end(multi, 3);
	kvfree(jobs);
}

/*
 * MultiPool.Tune: each of them is given the new capacity.
 * Fails if one is left out.
 */
static void tune_reaches_every_pool(void)
{
	const struct kpool_attrs attrs = { .capacity = PER_POOL };
	struct kpool_multi *multi = multi_make(NR_POOLS, &attrs, 0, NULL);
	struct kpool_attrs now;
	int i;

	if (!multi)
		return;
	KT_EXPECT_EQ(kpool_multi_tune(multi, KPOOL_TUNE_CAPACITY, 7), 0);
	KT_EXPECT_EQ(kpool_multi_tune(multi, KPOOL_TUNE_CAPACITY, -1), -ERANGE);
	for (i = 0; i < NR_POOLS; i++) {
		kpool_get_attrs(kpool_multi_pool(multi, i), &now);
		KT_EXPECT_EQ(now.capacity, 7);
	}
	multi_end(multi, NR_POOLS);
}

static atomic_long_t multi_sum;

static int multi_add(void *arg)
{
	struct ants_job *job = arg;

	atomic_long_add(job->nr, &multi_sum);
	return 0;
}

/*
 * The README's example: 1,000 tasks on ten pools of a hundred add up 0 to 999.
 * Fails if a task is lost between the pools.
 */
static void example_of_ten_pools_adds_up(int variant)
{
	const struct kpool_attrs attrs = { .capacity = 100 };
	struct kpool_multi *multi = multi_make(NR_POOLS, &attrs, variant,
					       multi_add);
	struct ants_job *jobs = ants_jobs(1000, multi_add, NULL);

	atomic_long_set(&multi_sum, 0);
	if (multi && jobs && multi_submit_all(multi, variant, jobs, 1000)) {
		KT_EXPECT_EQ(kpool_multi_shutdown_timeout(multi, KT_LIMIT), 0);
		KT_EXPECT_EQ(atomic_long_read(&multi_sum), 499500);
	}
	multi_end(multi, NR_POOLS);
	kvfree(jobs);
}

KT_MODULE("Selftests of kpool: ants' scenarios of several pools as one",
	  KT_EACH(ten_pools_share_fifty_tasks, multi_ways),
	  KT_CASE(bad_multi_is_refused),
	  KT_CASE(round_robin_falls_back),
	  KT_CASE(least_loaded_gets_the_next),
	  KT_CASE(tune_reaches_every_pool),
	  KT_EACH(example_of_ten_pools_adds_up, multi_ways));
