// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenes for tracepoints.sh, which reads what the kernel's tracing makes of
 * them.  The order of the events of each scene is fixed.
 */
#include <linux/cpumask.h>

#include "jobs.h"

static struct probe p[4];

static struct kpool *begin(const struct kpool_attrs *attrs)
{
	probes_init(p, ARRAY_SIZE(p), probe_fn);
	return kt_pool("tracepoints", attrs);
}

/* A pool of one unit, held by the first probe. */
static struct kpool *begin_full(const struct kpool_attrs *attrs)
{
	struct kpool *pool = begin(attrs);

	if (!pool)
		return NULL;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
	return pool;
}

static void end_full(struct kpool *pool)
{
	probes_open(p, 1);
	jobs_end(pool);
}

static int by_argument(void *arg)
{
	return 0;
}

static void item_runs(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = begin(&attrs);

	if (!pool)
		return;
	p[0].ret = -EIO;
	probes_submit(pool, p, 1);
	jobs_end(pool);
}

static void worker_comes_on_a_node(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .node = KPOOL_NODE(0),
	};
	struct kpool *pool = begin(&attrs);

	if (!pool)
		return;
	probes_submit(pool, p, 1);
	jobs_end(pool);
}

/* The second worker comes while the first has an item. */
static void second_worker_comes(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2 };
	struct kpool *pool = begin_full(&attrs);

	if (!pool)
		return;
	probes_submit(pool, &p[1], 1);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 1));
	end_full(pool);
}

static void delayed_job_runs(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = begin(&attrs);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[0].job, 3), 0);
	jobs_end(pool);
}

static void function_runs_by_argument(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = begin(&attrs);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_submit_fn(pool, by_argument, NULL, GFP_KERNEL), 0);
	jobs_end(pool);
}

static int completes(struct kpool_item *item)
{
	return 0;
}

static void ordered_job_is_completed(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = begin(&attrs);
	struct kpool_stream stream;

	if (!pool)
		return;
	kpool_init_ordered_stream(&stream, pool);
	KT_EXPECT_EQ(kpool_set_stream(&p[0].job, &stream), 0);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[0].job, completes), 0);
	probes_submit(pool, p, 1);
	jobs_end(pool);
}

static void submit_is_refused(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = begin_full(&attrs);

	if (!pool)
		return;
	KT_EXPECT_EQ(probe_try(pool, &p[1]), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_now(pool, &p[1].job.item), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_fn(pool, by_argument, NULL, GFP_ATOMIC), -EAGAIN);
	kpool_shutdown(pool);
	KT_EXPECT_EQ(probe_try(pool, &p[1]), -ESHUTDOWN);
	end_full(pool);
}

/* The first is queued under the lock, which opens the inbox for the others. */
static void items_are_queued(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 3,
	};
	struct kpool *pool = begin_full(&attrs);

	if (!pool)
		return;
	probes_submit(pool, &p[1], 3);
	end_full(pool);
}

static void submitter_is_blocked(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = begin_full(&attrs);
	struct kt_submitter submitter;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_submit_timeout(pool, &p[1].job.item, 1),
		     -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_call_timeout(pool, by_argument, NULL, NULL, 1, NULL),
		     -ETIMEDOUT);
	if (kt_submitter_block(&submitter, pool, &p[1].job.item)) {
		KT_EXPECT(!kpool_cancel(&p[1].job.item));
		KT_EXPECT_EQ(kt_thread_join(&submitter.thread), -ECANCELED);
	}
	if (kt_submitter_block(&submitter, pool, &p[1].job.item)) {
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, 1), 0);
		KT_EXPECT_EQ(kt_thread_join(&submitter.thread), 0);
	}
	end_full(pool);
}

static void item_is_dropped(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 2,
	};
	struct kpool *pool = begin(&attrs);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	kpool_set_deadline(&p[0].job, the_past());
	probes_submit(pool, p, 1);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(atomic_read(&p[0].dropped)));
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, &p[1], 1);
	KT_EXPECT_EQ(kpool_submit_fn(pool, by_argument, NULL, GFP_KERNEL), 0);
	KT_EXPECT_EQ(kpool_abort(pool), 2);
	jobs_end(pool);
}

static void submitter_runs_its_item(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kpool *pool = begin_full(&attrs);

	if (!pool)
		return;
	p[1].ret = -EIO;
	probes_submit(pool, &p[1], 1);
	KT_EXPECT_EQ(kpool_submit_fn(pool, by_argument, NULL, GFP_KERNEL), 0);
	end_full(pool);
}

static void worker_expires(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .expiry_ms = 20,
	};
	struct kpool *pool = begin(&attrs);

	if (!pool)
		return;
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, purged) == 1));
	jobs_end(pool);
}

static void run_stalls(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = begin_full(&attrs);

	if (!pool)
		return;
	pr_info("kpool-testbed: expect begin\n");
	kt_sleep_ms(120);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_STALL_MS, 100), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, stalled) == 1));
	end_full(pool);
	pr_info("kpool-testbed: expect end\n");
}

static int ends_its_thread(struct kpool_item *item)
{
	kthread_complete_and_exit(NULL, 0);
	return 0;
}

static void worker_dies(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = begin(&attrs);

	if (!pool)
		return;
	probe_init(&p[0], ends_its_thread, 0);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, died) == 1));
	kt_pool_end(pool);
}

static int submits_a_dying_one(struct kpool_item *item)
{
	return kpool_submit(kpool_current(), &p[1].job.item);
}

/*
 * In an item that it runs as a submitter, inside another.
 * Fails if the other one is named: mutant die-names-the-outer-function.
 */
static void worker_dies_inside(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kpool *pool = begin(&attrs);

	if (!pool)
		return;
	probe_init(&p[0], submits_a_dying_one, 0);
	probe_init(&p[1], ends_its_thread, 1);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, died) == 1));
	kt_pool_end(pool);
}

static void pool_is_tuned(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = begin(&attrs);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 7), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 0), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NODE, KPOOL_NODE(0)), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NICE, 99), -ERANGE);
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, cpumask_of(0)), 0);
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, cpu_all_mask), 0);
	jobs_end(pool);
}

KT_MODULE("kpool selftest: scenes for the tracepoints",
	  KT_CASE(item_runs),
	  KT_CASE(worker_comes_on_a_node),
	  KT_CASE(second_worker_comes),
	  KT_CASE(delayed_job_runs),
	  KT_CASE(function_runs_by_argument),
	  KT_CASE(ordered_job_is_completed),
	  KT_CASE(submit_is_refused),
	  KT_CASE(items_are_queued),
	  KT_CASE(submitter_is_blocked),
	  KT_CASE(item_is_dropped),
	  KT_CASE(submitter_runs_its_item),
	  KT_CASE(worker_expires),
	  KT_CASE(run_stalls),
	  KT_CASE(worker_dies),
	  KT_CASE(worker_dies_inside),
	  KT_CASE(pool_is_tuned));
