// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does the cost of an operation grow with the number of idle workers, or of
 * pending items?  A pool with that many is kept from one round to the next, for
 * it takes long to make.
 */
#include <linux/delay.h>
#include <linux/kernel_stat.h>
#include <linux/mm.h>
#include <linux/tick.h>
#include <linux/umh.h>

#include "bench.h"

#define NR_PROBES	100
#define NR_PURGED	10

static struct {
	struct kpool *pool;
	struct kpool_item *pending;
	unsigned int nr_workers;
	unsigned int nr_pending;
} grown;

static struct kpool_item probes[NR_PROBES];

static int probe_ran(struct kpool_item *item)
{
	return 0;
}

void bench_end_grown(void)
{
	if (!grown.pool)
		return;
	kpool_abort(grown.pool);
	kpool_destroy(grown.pool);
	kvfree(grown.pending);
	memset(&grown, 0, sizeof(grown));
}

/* Fill a pool in which nothing starts. */
static int fill(unsigned int n)
{
	unsigned int i;
	int err = kpool_pause(grown.pool);

	grown.pending = kvcalloc(n, sizeof(*grown.pending), GFP_KERNEL);
	if (!grown.pending)
		return -ENOMEM;
	for (i = 0; i < n && !err; i++) {
		kpool_init_item(&grown.pending[i], probe_ran);
		err = kpool_submit(grown.pool, &grown.pending[i]);
		if (!(i % 1024))
			cond_resched();
	}
	return err;
}

static int grow(unsigned int workers, unsigned int pending)
{
	const struct kpool_attrs attrs = {
		.capacity = workers ?: 1,
		.min_workers = workers ?: KPOOL_NONE,
		.queue_depth = KPOOL_UNLIMITED,
		.expiry_ms = KPOOL_NO_PURGE,
		.flags = workers ? KPOOL_PREALLOC : 0,
	};
	struct kpool *pool;
	int err;

	if (grown.pool && workers == grown.nr_workers &&
	    pending == grown.nr_pending)
		return 0;
	bench_end_grown();
	pool = kpool_create(&attrs, "grown");
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	grown.pool = pool;
	grown.nr_workers = workers;
	grown.nr_pending = pending;
	err = pending ? fill(pending) : 0;
	if (err)
		bench_end_grown();
	return err;
}

/* Each operation returns what one of it costs, or a negative errno. */

static s64 grow_submit(void)
{
	unsigned int i;
	ktime_t start, end;
	int err = kpool_pause(grown.pool);

	start = ktime_get();
	for (i = 0; i < NR_PROBES && !err; i++)
		err = kpool_submit(grown.pool, &probes[i]);
	end = ktime_get();
	while (i--)
		kpool_cancel(&probes[i]);
	if (!grown.nr_pending)
		kpool_resume(grown.pool);
	return err ?: bench_cost(ktime_sub(end, start), NR_PROBES);
}

/* Wakes one of the workers. */
static s64 grow_trip(void)
{
	ktime_t start = ktime_get();
	unsigned int i;
	int err = 0;

	for (i = 0; i < NR_PROBES && !err; i++)
		err = kpool_submit(grown.pool, &probes[i]) ?:
		      kpool_flush_item(&probes[i]);
	return err ?: bench_cost(ktime_sub(ktime_get(), start), NR_PROBES);
}

static s64 grow_tune(void)
{
	ktime_t start = ktime_get();
	unsigned int i;
	int err = 0;

	for (i = 0; i < NR_PROBES && !err; i++)
		err = kpool_tune(grown.pool, KPOOL_TUNE_MAX_BLOCKED, 100 + i);
	return err ?: bench_cost(ktime_sub(ktime_get(), start), NR_PROBES);
}

static s64 grow_stats(void)
{
	ktime_t start = ktime_get();
	struct kpool_stats stats;
	unsigned int i;

	for (i = 0; i < NR_PROBES; i++)
		kpool_get_stats(grown.pool, &stats);
	return bench_cost(ktime_sub(ktime_get(), start), NR_PROBES);
}

/* Per worker that is shown. */
static s64 grow_read(void)
{
	static const char *const argv[] = {
		"/bin/cp", "/sys/kernel/debug/kpool/grown/workers",
		"/dev/null", NULL,
	};
	static const char *const envp[] = { "PATH=/bin", NULL };
	ktime_t start = ktime_get();
	int err = call_usermodehelper(argv[0], (char **)argv, (char **)envp,
				      UMH_WAIT_PROC);

	return err ? -EIO : bench_cost(ktime_sub(ktime_get(), start),
				       grown.nr_workers);
}

static u64 nr_alive(void)
{
	struct kpool_stats stats;

	kpool_get_stats(grown.pool, &stats);
	return stats.alive;
}

/* The time in which this CPU was not idle: a purge waits for a timer. */
static u64 busy_ns(void)
{
	u64 idle_us = get_cpu_idle_time_us(smp_processor_id(), NULL);

	return ktime_get_ns() - idle_us * NSEC_PER_USEC;
}

/* Per worker that exits; the others stay. */
static s64 grow_purge(void)
{
	int left = nr_alive() - NR_PURGED;
	int err = kpool_tune(grown.pool, KPOOL_TUNE_EXPIRY_MS, 1) ?:
		  kpool_tune(grown.pool, KPOOL_TUNE_MIN_WORKERS, left);
	u64 start = busy_ns();

	while (!err && nr_alive() > left)
		msleep(100);
	start = busy_ns() - start;
	return err ?: kpool_tune(grown.pool, KPOOL_TUNE_EXPIRY_MS,
				 KPOOL_NO_PURGE) ?:
	       bench_cost(ns_to_ktime(start), NR_PURGED);
}

struct grow_op {
	s64 (*run)(void);
	unsigned int workers;
	unsigned int pending;
};

static int run_grown(const struct bench_case *bc,
		     const struct bench_contender *peer,
		     struct bench_figures *figures)
{
	const struct grow_op *op = bc->op;
	int err = grow(op->workers, op->pending);
	unsigned int i;
	s64 cost;

	if (err)
		return err;
	for (i = 0; i < NR_PROBES; i++)
		kpool_init_item(&probes[i], probe_ran);
	cost = op->run();
	figures->cost = max_t(s64, cost, 0);
	return min_t(s64, cost, 0);
}

/* The name is that of what there is, of the operation, and the number. */
#define GROW(_op, _kind, _n)						\
	{ #_kind "-" #_op "-" #_n, run_grown, BENCH_KPOOL, BENCH_ICOUNT, \
	  .op = &(const struct grow_op){ grow_##_op, ._kind = _n } }

static const struct bench_case cases[] = {
	GROW(submit, workers, 1), GROW(trip, workers, 1),
	GROW(tune, workers, 1), GROW(stats, workers, 1),
	GROW(read, workers, 1),
	GROW(submit, workers, 10), GROW(trip, workers, 10),
	GROW(tune, workers, 10), GROW(stats, workers, 10),
	GROW(read, workers, 10),
	GROW(submit, workers, 100), GROW(trip, workers, 100),
	GROW(tune, workers, 100), GROW(stats, workers, 100),
	GROW(read, workers, 100),
	GROW(submit, workers, 1000), GROW(trip, workers, 1000),
	GROW(tune, workers, 1000), GROW(stats, workers, 1000),
	GROW(read, workers, 1000),
	GROW(purge, workers, 1000),
	GROW(submit, workers, 10000), GROW(trip, workers, 10000),
	GROW(tune, workers, 10000), GROW(stats, workers, 10000),
	GROW(read, workers, 10000),
	GROW(purge, workers, 10000),
	GROW(submit, pending, 1000), GROW(tune, pending, 1000),
	GROW(stats, pending, 1000),
	GROW(submit, pending, 10000), GROW(tune, pending, 10000),
	GROW(stats, pending, 10000),
	GROW(submit, pending, 100000), GROW(tune, pending, 100000),
	GROW(stats, pending, 100000),
	GROW(submit, pending, 1000000), GROW(tune, pending, 1000000),
	GROW(stats, pending, 1000000),
};

const struct bench_table bench_growth = { cases, ARRAY_SIZE(cases) };
