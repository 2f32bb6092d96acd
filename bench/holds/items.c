// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on a pool with many plain items queued, and on its attributes.
 */
#include <linux/delay.h>

#include "holds.h"

/* How often something that is done to one item is done. */
#define SOME	100u

static struct kpool_stream ordered;
static struct kpool_group collecting;

static void submit_run(unsigned int n)
{
	unsigned int i;

	holds_make(4, KPOOL_UNLIMITED);
	for (i = 0; i < n; i++)
		holds_job(i);
	holds_measure();
	for (i = 0; i < n; i++)
		holds_submit(&holds_jobs[i]);
	kpool_flush(holds_pool);
	holds_measured(n);
	holds_end_pool();
}

/* A pool whose only unit is taken, with n items queued. */
static void make_full(unsigned int n)
{
	holds_make(1, KPOOL_UNLIMITED);
	holds_block(NULL);
	holds_fill(n, NULL);
}

static void submit_behind(unsigned int n)
{
	unsigned int i, some = min(n, SOME);

	make_full(n - some);
	for (i = n - some; i < n; i++)
		holds_job(i);
	holds_measure();
	for (i = n - some; i < n; i++)
		holds_submit(&holds_jobs[i]);
	holds_measured(some);
	kpool_abort(holds_pool);
	holds_end_pool();
}

static void cancel(unsigned int n)
{
	unsigned int i, some = min(n, SOME);

	make_full(n);
	holds_measure();
	for (i = 0; i < some; i++)
		kpool_cancel(&holds_jobs[i * (n / some)].item);
	holds_measured(some);
	kpool_abort(holds_pool);
	holds_end_pool();
}

static void get_stats(unsigned int n)
{
	struct kpool_stats stats;
	unsigned int i;

	make_full(n);
	holds_measure();
	for (i = 0; i < SOME; i++)
		kpool_get_stats(holds_pool, &stats);
	holds_measured(SOME);
	kpool_abort(holds_pool);
	holds_end_pool();
}

static void read_diagnosis(unsigned int n)
{
	static const char *const argv[] = {
		"/bin/cp", "/sys/kernel/debug/kpool_holds/holds/diagnosis",
		"/tmp/diagnosis", NULL,
	};

	make_full(n);
	holds_measure();
	holds_command(argv);
	holds_measured(1);
	kpool_abort(holds_pool);
	holds_end_pool();
}

static void collected(struct kpool_job *job, unsigned int i)
{
	kpool_set_group(job, &collecting);
}

static void completed_in_order(struct kpool_job *job, unsigned int i)
{
	if (!i)
		kpool_init_job(job, holds_blocks);
	kpool_set_stream(job, &ordered);
	kpool_set_complete_fn(job, holds_tiny);
}

/* The first of many jobs of an ordered stream has run last. */
static void complete_in_order(unsigned int n)
{
	struct kpool_stats stats;

	holds_make(2, KPOOL_UNLIMITED);
	kpool_init_ordered_stream(&ordered, holds_pool);
	holds_fill(n, completed_in_order);
	do {
		usleep_range(100, 200);
		kpool_get_stats(holds_pool, &stats);
	} while (stats.idle != 1);
	holds_measure();
	holds_unblock();
	kpool_flush(holds_pool);
	holds_measured(n);
	holds_end_pool();
}

/* The results of many jobs are there, and are taken one by one. */
static void group_next(unsigned int n)
{
	holds_make(1, KPOOL_UNLIMITED);
	kpool_init_group(&collecting, holds_pool, NULL, KPOOL_GROUP_COLLECT);
	holds_fill(n, collected);
	holds_wait_completed(n);
	holds_measure();
	while (kpool_group_next(&collecting, MAX_SCHEDULE_TIMEOUT))
		;
	holds_measured(n);
	holds_end_pool();
}

static void abort_queued(unsigned int n)
{
	make_full(n);
	holds_measure();
	kpool_abort(holds_pool);
	holds_end_pool();
	holds_measured(n);
}

static void shutdown_queued(unsigned int n)
{
	make_full(n);
	holds_measure();
	kpool_shutdown(holds_pool);
	holds_end_pool();
	holds_measured(n);
}

static void resume(unsigned int n)
{
	holds_make(4, KPOOL_UNLIMITED);
	kpool_pause(holds_pool);
	holds_fill(n, NULL);
	holds_measure();
	kpool_resume(holds_pool);
	kpool_flush(holds_pool);
	holds_measured(n);
	holds_end_pool();
}

static void capacity_up(unsigned int n)
{
	make_full(n);
	holds_measure();
	holds_check(!kpool_tune(holds_pool, KPOOL_TUNE_CAPACITY, 16), "tune");
	holds_check(!kpool_tune(holds_pool, KPOOL_TUNE_QUEUE_DEPTH, 1), "tune");
	holds_unblock();
	kpool_flush(holds_pool);
	holds_measured(n);
	holds_end_pool();
}

static void drop_oldest_with(unsigned int n,
			     void (*prepare)(struct kpool_job *job,
					     unsigned int i))
{
	unsigned int i, some = min(n, SOME);
	const struct kpool_attrs attrs = {
		.capacity = 1,
		.queue_depth = n - some,
		.expiry_ms = KPOOL_NO_PURGE,
		.when_full = KPOOL_FULL_DROP_OLDEST,
	};

	holds_make_with(&attrs);
	holds_block(&holds_stream);
	holds_fill(n - some, prepare);
	for (i = n - some; i < n; i++)
		holds_job(i);
	holds_measure();
	for (i = n - some; i < n; i++)
		kpool_try_submit(holds_pool, &holds_jobs[i].item);
	holds_measured(some);
	kpool_abort(holds_pool);
	holds_end_pool();
}

static void drop_oldest(unsigned int n)
{
	drop_oldest_with(n, NULL);
}

static void drop_oldest_stream(unsigned int n)
{
	drop_oldest_with(n, holds_in_stream);
}

static void high(struct kpool_job *job, unsigned int i)
{
	kpool_set_priority(&job->item, KPOOL_PRIO_HIGH);
}

static void drop_oldest_high(unsigned int n)
{
	drop_oldest_with(n, high);
}

const struct holds_operation holds_items[] = {
	{ "submit-run", HOLDS_ITEMS, submit_run },
	{ "submit-behind", HOLDS_ONE, submit_behind },
	{ "cancel", HOLDS_ONE, cancel },
	{ "get-stats", HOLDS_ONE, get_stats },
	{ "diagnosis", HOLDS_ONE, read_diagnosis },
	{ "complete-in-order", HOLDS_ITEMS, complete_in_order },
	{ "group-next", HOLDS_ITEMS, group_next },
	{ "abort", HOLDS_ITEMS, abort_queued },
	{ "shutdown", HOLDS_ITEMS, shutdown_queued },
	{ "resume", HOLDS_ITEMS, resume },
	{ "capacity-up", HOLDS_ITEMS, capacity_up },
	{ "drop-oldest", HOLDS_ONE, drop_oldest },
	{ "drop-oldest-stream", HOLDS_ONE, drop_oldest_stream },
	{ "drop-oldest-high", HOLDS_ONE, drop_oldest_high },
	{ }
};
