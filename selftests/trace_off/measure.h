/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measure items that do nothing: the time from the first submit to the end of
 * the last function.  A tick of the clock can fall into a round, so the fastest
 * round counts.
 */
#ifndef _KPOOL_SELFTEST_MEASURE_H
#define _KPOOL_SELFTEST_MEASURE_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>

#include "kpool.h"

#define NR_ITEMS	500
#define NR_ROUNDS	15

static struct kpool *pool;
static struct kpool_item items[NR_ITEMS];
static atomic_t left;
static DECLARE_COMPLETION(done);

static int item_fn(struct kpool_item *item)
{
	if (atomic_dec_and_test(&left))
		complete(&done);
	return 0;
}

/* Nanoseconds of a round, or an error. */
static s64 measure_round(void)
{
	ktime_t start, end;
	int i, err;

	atomic_set(&left, NR_ITEMS);
	reinit_completion(&done);
	start = ktime_get();
	for (i = 0; i < NR_ITEMS; i++) {
		err = kpool_submit(pool, &items[i]);
		if (err)
			return err;
	}
	wait_for_completion(&done);
	end = ktime_get();
	err = kpool_flush(pool);
	return err ?: ktime_to_ns(ktime_sub(end, start));
}

/* A read prints the picoseconds per item of the fastest round. */
static int cost_get(char *buffer, const struct kernel_param *kp)
{
	s64 best = S64_MAX;
	int i;

	for (i = 0; i < NR_ROUNDS; i++) {
		s64 ns = measure_round();

		if (ns < 0)
			return ns;
		best = min(best, ns);
	}
	return sysfs_emit(buffer, "%lld\n", best * (1000 / NR_ITEMS));
}

static const struct kernel_param_ops cost_ops = { .get = cost_get };
module_param_cb(cost, &cost_ops, NULL, 0400);
MODULE_PARM_DESC(cost, "picoseconds per item");

static int measure_init(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1,
		.min_workers = 1,
		.queue_depth = NR_ITEMS,
		.flags = KPOOL_PREALLOC,
	};
	int i;

	for (i = 0; i < NR_ITEMS; i++)
		kpool_init_item(&items[i], item_fn);
	pool = kpool_create(&attrs, "measure");
	return PTR_ERR_OR_ZERO(pool);
}

static void measure_exit(void)
{
	kpool_destroy(pool);
}

#endif /* _KPOOL_SELFTEST_MEASURE_H */
