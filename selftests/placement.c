// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU on which an idle worker wakes up.
 *
 * It is a hint to the scheduler: with other load it decides otherwise, so many
 * runs are counted.
 */
#include <linux/cpumask.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "selftest.h"

#define TRIES	100

struct place_item {
	struct kpool_item	item;
	int			ran_on;		/* CPU, -1 before */
};

static int place_fn(struct kpool_item *item)
{
	WRITE_ONCE(container_of(item, struct place_item, item)->ran_on,
		   raw_smp_processor_id());
	return 0;
}

static bool place_can_move(void)
{
	if (num_online_cpus() > 1 && cpu_online(0) && cpu_online(1) &&
	    !cpumask_test_cpu(1, topology_core_cpumask(0)))
		return true;
	kt_skip("CPUs 0 and 1 are not in two packages");
	return false;
}

/* Return the CPU on which an item has run; its worker is idle again, or -1. */
static int place_run(struct kpool *pool)
{
	static struct place_item item;

	kpool_init_item(&item.item, place_fn);
	item.ran_on = -1;
	KT_EXPECT_EQ(kpool_submit(pool, &item.item), 0);
	if (!KT_EXPECT(kt_wait(READ_ONCE(item.ran_on) >= 0)) ||
	    !KT_EXPECT(kt_wait(kt_stat(pool, idle) == 1)))
		return -1;
	return item.ran_on;
}

/* Submit on CPU 0, and return how many of TRIES runs were there as well. */
static int place_count_near(struct kpool *pool)
{
	int i, cpu, near = 0;

	set_cpus_allowed_ptr(current, cpumask_of(0));
	for (i = 0; i < TRIES; i++) {
		cpu = place_run(pool);
		if (cpu < 0)
			break;
		near += cpu == 0;
	}
	return near;
}

/*
 * Fails if the worker of an idle pool stays in the package in which it ran
 * last.  Each round trip then wakes two CPUs: mutant worker-wakes-far.
 */
static void worker_of_idle_pool_wakes_near_submitter(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .min_workers = 1, .cpumask = cpumask_of(1),
	};
	struct kpool *pool;

	if (!place_can_move())
		return;
	pool = kt_pool("near", &attrs);
	if (!pool)
		return;
	KT_EXPECT_EQ(place_run(pool), 1);
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, cpu_possible_mask), 0);
	KT_EXPECT_GE(place_count_near(pool), TRIES / 2);
	kt_pool_end(pool);
}

KT_MODULE("kpool selftest: the CPU on which a worker wakes up",
	  KT_CASE(worker_of_idle_pool_wakes_near_submitter));
