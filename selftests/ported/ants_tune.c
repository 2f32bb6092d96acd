// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of ants about tuning a live pool, and of what is refused.  ants
 * does not test that a pool shrinks; kpool does.
 */
#include <linux/module.h>

#include "ants.h"

/*
 * Capacity 2, then 3, then 8 with five submitters blocked: each growth admits
 * at once as many as there is room for.
 * Fails if tune wakes no waiter, or only one.
 */
static void tune_up_admits_blocked_submitters(int way)
{
	struct kpool_attrs attrs = { .capacity = 2 };
	struct ants_submitter blocked[5] = { };
	struct ants_job *jobs;
	struct kt_gate gate;
	struct kpool *pool;
	int i;

	kt_gate_init(&gate);
	jobs = ants_jobs(8, ants_gated, &gate);
	pool = ants_pool(&attrs, way, ants_gated);
	if (!jobs || !pool || !ants_submit_all(pool, way, jobs, 2))
		goto out;
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 2));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 3), 0);
	KT_EXPECT_EQ(ants_submit(pool, way, &jobs[2]), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 3));
	for (i = 0; i < 5; i++)
		if (!ants_submitter_block(&blocked[i], pool, way, &jobs[3 + i]))
			goto out;
	KT_EXPECT_EQ(kt_stat(pool, running), 3);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 8), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 8));
	KT_EXPECT_EQ(kt_stat(pool, running), 8);
	KT_EXPECT_EQ(kt_stat(pool, alive), 8);
	KT_EXPECT_EQ(kt_stat(pool, blocked), 0);
out:
	kt_gate_open(&gate);
	for (i = 0; i < 5; i++)
		if (blocked[i].thread.task)
			KT_EXPECT_EQ(kt_thread_join(&blocked[i].thread), 0);
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * Capacity 8 with 8 running, 2 blocked, then 2.  The running finish, the
 * blocked submitters are admitted and not refused, and never more than 2 run
 * from then on.  The surplus workers go although nothing expires.
 * Fails if shrinking stops at the idle workers, refuses a submitter, or lets a
 * surplus worker take another item.
 */
static void tune_down_ends_surplus_workers(int way)
{
	struct kpool_attrs attrs = {
		.capacity = 8,
		.expiry_ms = KPOOL_NO_PURGE,
	};
	struct ants_submitter blocked[2] = { };
	struct ants_job *jobs, *late;
	struct kt_gate gate, last;
	struct kpool *pool;
	int i;

	kt_gate_init(&gate);
	kt_gate_init(&last);
	jobs = ants_jobs(8, ants_gated, &gate);
	late = ants_jobs(2, ants_gated, &last);
	pool = ants_pool(&attrs, way, ants_gated);
	if (!jobs || !late || !pool || !ants_submit_all(pool, way, jobs, 8))
		goto out;
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 8));
	for (i = 0; i < 2; i++)
		if (!ants_submitter_block(&blocked[i], pool, way, &late[i]))
			goto out;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	KT_EXPECT_EQ(kt_stat(pool, running), 8);
	KT_EXPECT_EQ(kt_stat(pool, blocked), 2);
	for (i = 0; i < 6; i++)
		kt_gate_let_one(&gate);
	KT_EXPECT(kt_wait(kt_stat(pool, alive) == 2));
	KT_EXPECT_EQ(kt_stat(pool, retired), 6);
	KT_EXPECT_EQ(kt_stat(pool, blocked), 2);
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(atomic_read(&last.started) == 2));
	KT_EXPECT_EQ(kt_stat(pool, alive), 2);
out:
	kt_gate_open(&gate);
	kt_gate_open(&last);
	for (i = 0; i < 2; i++)
		if (blocked[i].thread.task)
			KT_EXPECT_EQ(kt_thread_join(&blocked[i].thread), 0);
	kt_pool_end(pool);
	kvfree(late);
	kvfree(jobs);
}

/*
 * Idle workers above a shrunk capacity go at once, without the reap work.
 * Fails if only workers that finish an item look at the capacity.
 */
static void tune_down_retires_the_idle(void)
{
	struct kpool_attrs attrs = {
		.capacity = 8,
		.min_workers = 8,
		.expiry_ms = KPOOL_NO_PURGE,
		.flags = KPOOL_PREALLOC,
	};
	struct kpool *pool = kt_pool("ants", &attrs);

	if (!pool)
		return;
	KT_EXPECT_EQ(kt_stat(pool, alive), 8);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 3), -EINVAL);
	KT_EXPECT_EQ(kt_stat(pool, alive), 8);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_MIN_WORKERS, 1), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 3), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, alive) == 3));
	KT_EXPECT_EQ(kt_stat(pool, retired), 5);
	kt_pool_end(pool);
}

/*
 * A pool without limit can be given one, and the other way round; ants
 * refuses both.
 * Fails if unlimited is a mode of its own that tune cannot enter or leave.
 */
static void tune_sets_and_removes_the_limit(void)
{
	struct kpool_attrs attrs = { .capacity = KPOOL_UNLIMITED, .nonblocking = 1 };
	struct kpool *pool = kt_pool("ants", &attrs);
	struct kt_job *jobs;
	struct kt_gate gate;

	kt_gate_init(&gate);
	jobs = kt_jobs(22, kt_job_gated, &gate);
	if (!pool || !jobs || !kt_submit_jobs(pool, jobs, 20))
		goto out;
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 20));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 10), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &jobs[20].item), -EAGAIN);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, KPOOL_UNLIMITED), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &jobs[20].item), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 21));
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * An attribute that ants refuses at construction is refused, and leaves no
 * name: the same name can be used the next moment.
 * Fails if a bad attribute is taken, or leaves its pool behind.
 */
static void bad_construction_is_refused(void)
{
	static const struct kpool_attrs bad[] = {
		{ .expiry_ms = -1, .capacity = KPOOL_UNLIMITED },
		{ .expiry_ms = -1, .capacity = 1 },
		{ .capacity = -1 },
		{ .capacity = 10, .min_workers = 11, .flags = KPOOL_PREALLOC },
	};
	static const int err[] = { -ERANGE, -ERANGE, -ERANGE, -EINVAL };
	struct kpool *pool;
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		pool = kpool_create(&bad[i], "ants");
		KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), err[i]);
		if (!IS_ERR(pool))
			kpool_destroy(pool);
	}
	pool = kt_pool("ants", NULL);
	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_submit_arg(pool, NULL, GFP_KERNEL), -EINVAL);
	KT_EXPECT_EQ(kpool_submit_fn(pool, NULL, NULL, GFP_KERNEL), -EINVAL);
	kt_pool_end(pool);
}

static int ants_tiny(void *arg)
{
	struct ants_job *job = arg;

	atomic_inc(&job->gate->finished);
	return 0;
}

static struct kpool *coverage_pool(const char *name, enum ants_way way,
				   bool prealloc)
{
	struct kpool_attrs attrs = {
		.capacity = 10000,
		.min_workers = prealloc ? 10 : KPOOL_NONE,
		.flags = prealloc ? KPOOL_PREALLOC : 0,
		.fn = way == ANTS_ARG ? ants_tiny : NULL,
	};

	return kt_pool(name, &attrs);
}

/*
 * Cover a pool of the six: 100,000 tasks at capacity 10,000, tuned to the same
 * and to 1,000 while they run.  The tasks of ants sleep for 10 ms; 10,000
 * threads are more than a small guest has room for.
 */
static void coverage(struct kpool *pool, enum ants_way way,
		     struct ants_job *jobs, int n, struct kt_gate *count)
{
	atomic_set(&count->finished, 0);
	if (!ants_submit_all(pool, way, jobs, n / 2))
		return;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 10000), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1000), 0);
	if (!ants_submit_all(pool, way, jobs + n / 2, n - n / 2))
		return;
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&count->finished), n);
	KT_EXPECT(kt_wait(kt_stat(pool, alive) <= 1000));
	kpool_shutdown(pool);
	KT_EXPECT_EQ(ants_submit(pool, way, &jobs[0]), -ESHUTDOWN);
}

/*
 * Six pools, two for each way, alive at once.
 * Fails if tuning a busy pool loses an item, or a closed pool takes one.
 */
static void six_pools_run_100000_tasks_each(void)
{
	static const char * const names[] = {
		"item", "item-pre", "fn", "fn-pre", "arg", "arg-pre",
	};
	struct kpool *pool[ARRAY_SIZE(names)];
	int i, n = kt_count(100000);
	struct ants_job *jobs;
	struct kt_gate count;

	kt_gate_init(&count);
	jobs = ants_jobs(n, ants_tiny, &count);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		pool[i] = coverage_pool(names[i], i / 2, i % 2);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (jobs && pool[i])
			coverage(pool[i], i / 2, jobs, n, &count);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		kt_pool_end(pool[i]);
	kvfree(jobs);
}

KT_MODULE("Selftests of kpool: ants' scenarios of tuning",
	  ANTS_EACH(tune_up_admits_blocked_submitters),
	  ANTS_EACH(tune_down_ends_surplus_workers),
	  KT_CASE(tune_down_retires_the_idle),
	  KT_CASE(tune_sets_and_removes_the_limit),
	  KT_CASE(bad_construction_is_refused),
	  KT_CASE(six_pools_run_100000_tasks_each));
