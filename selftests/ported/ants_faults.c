// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of ants about tasks that panic.  The only thing that a task can do
 * here without harm to the machine is to return an error.  The fault handler is
 * called, in the worker, which lives on.
 */
#include <linux/module.h>

#include "ants.h"

static const char *const ants_makings[] = { "lazy", "prealloc", NULL };

static const struct kpool_attrs ants_attrs[] = {
	{ .capacity = 10, .expiry_ms = KPOOL_NO_PURGE },
	{
		.capacity = 10,
		.min_workers = 10,
		.expiry_ms = KPOOL_NO_PURGE,
		.flags = KPOOL_PREALLOC,
	},
};

static int ants_fails(void *arg)
{
	return -EIO;
}

static int ants_works(void *arg)
{
	struct ants_job *job = arg;

	atomic_inc(&job->gate->finished);
	return 0;
}

/* The calls that the handler of all pools has seen. */
static struct {
	atomic_t		count;
	struct kpool_fault	last;
} seen;

static void ants_handler(void *data, const struct kpool_fault *fault)
{
	KT_EXPECT(data == &seen);
	might_sleep();
	seen.last = *fault;
	atomic_inc(&seen.count);
}

/* A task fails; then another works, by the same way, in the same pool. */
static void ants_panic(const struct kpool_attrs *attrs, enum ants_way way)
{
	struct kpool *pool = ants_pool(attrs, way, ants_fails);
	struct ants_job *failing, *working;
	struct kt_gate count;

	kt_gate_init(&count);
	failing = ants_jobs(1, ants_fails, &count);
	working = ants_jobs(1, ants_works, &count);
	if (!pool || !failing || !working)
		goto out;
	KT_EXPECT_EQ(ants_submit(pool, way, failing), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, running), 0);
	KT_EXPECT_EQ(kt_stat(pool, failed), 1);
	KT_EXPECT_EQ(kt_stat(pool, alive), max(attrs->min_workers, 1));
	KT_EXPECT_EQ(kpool_submit(pool, &working->item), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&count.finished), 1);
	KT_EXPECT_EQ(kt_stat(pool, failed), 1);
	KT_EXPECT_EQ(kt_stat(pool, spawned), max(attrs->min_workers, 1));
	if (attrs->fault && way == ANTS_ITEM)
		KT_EXPECT(seen.last.item == &failing->item);
out:
	kt_pool_end(pool);
	kvfree(working);
	kvfree(failing);
}

/*
 * TestPanicHandler and TestPanicHandlerPreMalloc: a task fails in each of three
 * pools; the handler that they share has counted 1, 2, 3 when it has ended.
 * Fails if the handler is not called, is called for success too, or comes after
 * the end of its item.  Also fails if the error costs a worker.
 */
static void handler_counts_one_two_three(int making)
{
	struct kpool_attrs attrs = ants_attrs[making];
	int way;

	attrs.fault = ants_handler;
	attrs.data = &seen;
	memset(&seen, 0, sizeof(seen));
	for (way = ANTS_ITEM; way <= ANTS_ARG; way++) {
		ants_panic(&attrs, way);
		KT_EXPECT_EQ(atomic_read(&seen.count), way + 1);
		KT_EXPECT_EQ(seen.last.err, -EIO);
		KT_EXPECT(seen.last.fn == (way == ANTS_ITEM ? (void *)ants_item :
							      (void *)ants_fails));
		KT_EXPECT(!seen.last.data);
	}
}

/*
 * TestPoolPanicWithoutHandler and its PreMalloc twin: no handler was given.
 * Fails if a pool without a handler calls one, or does not count the error.
 */
static void errors_without_handler_are_counted(int making)
{
	int way;

	for (way = ANTS_ITEM; way <= ANTS_ARG; way++)
		ants_panic(&ants_attrs[making], way);
}

static int ants_gated_fails(void *arg)
{
	ants_gated(arg);
	return -EIO;
}

/*
 * A bug that ants had: ten tasks fail at the same time while five submitters
 * sleep, and are not woken.
 * Fails if the end of an item that failed does not admit a waiter.
 */
static void failing_tasks_admit_blocked_submitters(int way)
{
	struct ants_submitter blocked[5] = { };
	struct ants_job *jobs;
	struct kpool *pool;
	struct kt_gate gate;
	int i;

	kt_gate_init(&gate);
	jobs = ants_jobs(15, ants_gated_fails, &gate);
	pool = ants_pool(&ants_attrs[0], way, ants_gated_fails);
	if (!jobs || !pool || !ants_submit_all(pool, way, jobs, 10))
		goto out;
	for (i = 0; i < 5; i++)
		if (!ants_submitter_block(&blocked[i], pool, way, &jobs[10 + i]))
			break;
out:
	kt_gate_open(&gate);
	for (i = 0; i < 5; i++)
		if (blocked[i].thread.task)
			KT_EXPECT_EQ(kt_thread_join(&blocked[i].thread), 0);
	if (pool) {
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT_EQ(kt_stat(pool, failed), 15);
		KT_EXPECT_LE(kt_stat(pool, alive), 10);
	}
	kt_pool_end(pool);
	kvfree(jobs);
}

KT_MODULE("Selftests of kpool: ants' scenarios of tasks that fail",
	  KT_EACH(handler_counts_one_two_three, ants_makings),
	  KT_EACH(errors_without_handler_are_counted, ants_makings),
	  ANTS_EACH(failing_tasks_admit_blocked_submitters));
