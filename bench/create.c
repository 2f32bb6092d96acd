// SPDX-License-Identifier: GPL-2.0-only
/*
 * Create and destroy: a queue that runs one item at a time, with its thread,
 * and the workers of a pool.  And pools, workers and threads that stay until
 * the module is removed, for bench.sh to see how much memory they take.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "bench.h"

#define MAX_KEPT	16384

static unsigned int keep_pools;
module_param(keep_pools, uint, 0444);
MODULE_PARM_DESC(keep_pools, "make so many pools without workers; no rounds");

static unsigned int keep_workers;
module_param(keep_workers, uint, 0444);
MODULE_PARM_DESC(keep_workers, "make a pool with so many workers; no rounds");

static unsigned int keep_threads;
module_param(keep_threads, uint, 0444);
MODULE_PARM_DESC(keep_threads, "make so many threads; no rounds");

static struct kpool **pools;
static struct task_struct **threads;
static unsigned int nr_pools;
static unsigned int nr_threads;

static int create_and_destroy(const struct bench_contender *peer,
			      unsigned int capacity, unsigned int n)
{
	while (n--) {
		void *queue = peer->create(capacity);

		if (IS_ERR(queue))
			return PTR_ERR(queue);
		peer->destroy(queue);
		cond_resched();
	}
	return 0;
}

static int run_create(const struct bench_case *bc,
		      const struct bench_contender *peer,
		      struct bench_figures *figures)
{
	unsigned int n = max(1u, bench_pings / 20 / bc->capacity);
	ktime_t start;
	int err = create_and_destroy(peer, bc->capacity, 1);

	start = ktime_get();
	if (!err)
		err = create_and_destroy(peer, bc->capacity, n);
	figures->cost = bench_cost(ktime_sub(ktime_get(), start),
				   n * bc->capacity);
	return err;
}

static int keep_pool(unsigned int workers)
{
	const struct kpool_attrs attrs = {
		.capacity = workers ?: 1,
		.min_workers = workers ?: KPOOL_NONE,
		.flags = workers ? KPOOL_PREALLOC : 0,
	};
	struct kpool *pool = kpool_create(&attrs, "kept-%u", nr_pools);

	if (IS_ERR(pool))
		return PTR_ERR(pool);
	pools[nr_pools++] = pool;
	return 0;
}

static int thread_main(void *unused)
{
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int keep_thread(void)
{
	struct task_struct *task = kthread_run(thread_main, NULL, "kept/%u",
					       nr_threads);

	if (IS_ERR(task))
		return PTR_ERR(task);
	threads[nr_threads++] = task;
	return 0;
}

static int make_kept(void)
{
	int err = 0;

	while (nr_pools < keep_pools && !err)
		err = keep_pool(0);
	if (keep_workers && !err)
		err = keep_pool(keep_workers);
	while (nr_threads < keep_threads && !err)
		err = keep_thread();
	return err;
}

/* Is the module loaded only to keep something? */
bool bench_keeps(void)
{
	return keep_pools || keep_workers || keep_threads;
}

int bench_keep(void)
{
	if (keep_pools > MAX_KEPT || keep_threads > MAX_KEPT)
		return -ERANGE;
	pools = kvcalloc(keep_pools + 1, sizeof(*pools), GFP_KERNEL);
	threads = kvcalloc(keep_threads + 1, sizeof(*threads), GFP_KERNEL);
	return pools && threads ? make_kept() : -ENOMEM;
}

void bench_end_kept(void)
{
	while (nr_pools)
		kpool_destroy(pools[--nr_pools]);
	while (nr_threads)
		kthread_stop(threads[--nr_threads]);
	kvfree(pools);
	kvfree(threads);
}

static const struct bench_case cases[] = {
	{ "create-1", run_create, BENCH_QUEUES, BENCH_ALL, .capacity = 1 },
	{ "spawn-100", run_create, BENCH_KPOOL, BENCH_ALL, .capacity = 100 },
};

const struct bench_table bench_create = { cases, ARRAY_SIZE(cases) };
