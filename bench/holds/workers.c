// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on a pool with many workers.
 */
#include <linux/delay.h>

#include "holds.h"

static void wait_alive(u64 n)
{
	while (holds_stat_alive() != n)
		usleep_range(100, 200);
}

static void blocks(struct kpool_job *job, unsigned int i)
{
	kpool_init_job(job, holds_blocks);
}

/* A pool with n workers that run an item each. */
static void make_busy(unsigned int n, int expiry_ms)
{
	const struct kpool_attrs attrs = {
		.capacity = n,
		.queue_depth = KPOOL_UNLIMITED,
		.expiry_ms = expiry_ms,
	};

	holds_make_with(&attrs);
	holds_fill(n, blocks);
	wait_alive(n);
}

static void make_idle(unsigned int n)
{
	make_busy(n, KPOOL_NO_PURGE);
	holds_unblock();
	kpool_flush(holds_pool);
}

static void end_idle(unsigned int n)
{
	holds_end_pool();
	holds_measured(n);
}

static void shutdown_idle(unsigned int n)
{
	make_idle(n);
	holds_measure();
	kpool_shutdown(holds_pool);
	end_idle(n);
}

static void capacity_down(unsigned int n)
{
	make_idle(n);
	holds_measure();
	holds_check(!kpool_tune(holds_pool, KPOOL_TUNE_CAPACITY, 1), "tune");
	wait_alive(1);
	end_idle(n);
}

/* All have been idle for long enough in the same tick. */
static void purge(unsigned int n)
{
	make_busy(n, 100);
	holds_measure();
	holds_unblock();
	wait_alive(0);
	holds_measured(0);
	holds_end_pool();
}

/* Change and show each worker. */
static void tune_workers(unsigned int n)
{
	static const char *const argv[] = {
		"/bin/cp", "/sys/kernel/debug/kpool_holds/holds/workers",
		"/tmp/workers", NULL,
	};

	make_idle(n);
	holds_measure();
	holds_check(!kpool_tune(holds_pool, KPOOL_TUNE_NICE, 5), "tune");
	holds_check(!kpool_tune_cpumask(holds_pool, cpu_online_mask), "tune");
	holds_command(argv);
	holds_measured(n);
	holds_end_pool();
}

/* Each item wants a worker of its own; then all end at once. */
static void grow(unsigned int n)
{
	holds_make(n, KPOOL_UNLIMITED);
	holds_measure();
	holds_fill(n, blocks);
	wait_alive(n);
	holds_unblock();
	kpool_flush(holds_pool);
	holds_measured(n);
	holds_end_pool();
}

/* Surplus workers leave as their items end. */
static void capacity_down_busy(unsigned int n)
{
	make_busy(n, KPOOL_NO_PURGE);
	holds_measure();
	holds_check(!kpool_tune(holds_pool, KPOOL_TUNE_CAPACITY, 1), "tune");
	holds_unblock();
	kpool_flush(holds_pool);
	wait_alive(1);
	end_idle(n);
}

/* Each item is submitted once more while it runs, and so is held. */
static void held(unsigned int n)
{
	unsigned int i;

	make_busy(n, KPOOL_NO_PURGE);
	holds_measure();
	for (i = 0; i < n; i++)
		holds_submit(&holds_jobs[i]);
	holds_unblock();
	kpool_flush(holds_pool);
	holds_measured(n);
	holds_end_pool();
}

/* The items of all workers run for too long. */
static void stall(unsigned int n)
{
	const struct kpool_attrs attrs = {
		.capacity = n,
		.queue_depth = KPOOL_UNLIMITED,
		.stall_ms = 100,
	};
	struct kpool_stats stats;

	/* for the test bed: the reports are meant */
	pr_info("kpool-testbed: expect begin\n");
	holds_make_with(&attrs);
	holds_measure();
	holds_fill(n, blocks);
	do {
		usleep_range(1000, 2000);
		kpool_get_stats(holds_pool, &stats);
	} while (stats.stalled < n);
	holds_measured(n);
	pr_info("kpool-testbed: expect end\n");
	holds_unblock();
	holds_end_pool();
}

const struct holds_operation holds_workers[] = {
	{ "grow", HOLDS_WORKERS, grow },
	{ "held", HOLDS_WORKERS, held },
	{ "shutdown-idle", HOLDS_WORKERS, shutdown_idle },
	{ "capacity-down", HOLDS_WORKERS, capacity_down },
	{ "capacity-down-busy", HOLDS_WORKERS, capacity_down_busy },
	{ "purge", HOLDS_WORKERS, purge },
	{ "tune-workers", HOLDS_WORKERS, tune_workers },
	{ "stall", HOLDS_WORKERS, stall },
	{ }
};
