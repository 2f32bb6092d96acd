// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on a pool in which many callers sleep.
 */
#include "holds.h"

static void submits(struct holds_caller *caller)
{
	kpool_init_job(&caller->job, holds_tiny);
	kpool_submit(holds_pool, &caller->job.item);
}

static void submits_in_group(struct holds_caller *caller)
{
	kpool_init_job(&caller->job, holds_tiny);
	kpool_set_group(&caller->job, &holds_group);
	kpool_submit(holds_pool, &caller->job.item);
}

static int tiny_fn(void *arg)
{
	return 0;
}

static void calls(struct holds_caller *caller)
{
	int result;

	kpool_call(holds_pool, tiny_fn, caller, &result);
}

static void flushes_first_job(struct holds_caller *caller)
{
	kpool_flush_item(&holds_jobs[0].item);
}

/* Each flusher waits for more than the one before it. */
static void submits_and_flushes(struct holds_caller *caller)
{
	kpool_init_job(&caller->job, holds_tiny);
	kpool_submit(holds_pool, &caller->job.item);
	kpool_flush(holds_pool);
}

static void waits_for_group(struct holds_caller *caller)
{
	kpool_group_wait(&holds_group, MAX_SCHEDULE_TIMEOUT);
}

static void releases(struct holds_caller *caller)
{
	kpool_shutdown_timeout(holds_pool, MAX_SCHEDULE_TIMEOUT);
}

/* A pool whose only unit is taken and in whose queue no item can wait. */
static void make_sleepers(unsigned int n, int queue_depth,
			  void (*call)(struct holds_caller *caller))
{
	holds_make(1, queue_depth);
	holds_block(NULL);
	holds_callers_sleep(n, call);
}

static void end_sleepers(unsigned int n)
{
	holds_callers_return(n);
	holds_end_pool();
	holds_measured(n);
}

/* The unit comes free, and is free for one after the other. */
static void unblock_sleepers(unsigned int n)
{
	holds_measure();
	holds_unblock();
	end_sleepers(n);
}

static void unit_free_submitters(unsigned int n)
{
	make_sleepers(n, KPOOL_NONE, submits);
	unblock_sleepers(n);
}

/* All units come free at once, for heavy items in front of the submitters. */
static void unit_free_heavy(unsigned int n)
{
	holds_make(HOLDS_HEAVY_UNITS, 150);
	holds_block_heavy(HOLDS_HEAVY_UNITS);
	holds_fill(150, holds_heavy);
	holds_callers_sleep(n, submits);
	unblock_sleepers(n);
}

static void shutdown_submitters(unsigned int n)
{
	make_sleepers(n, KPOOL_NONE, submits);
	holds_measure();
	kpool_shutdown(holds_pool);
	end_sleepers(n);
}

static void abort_submitters(unsigned int n)
{
	make_sleepers(n, KPOOL_NONE, submits);
	holds_measure();
	kpool_abort(holds_pool);
	end_sleepers(n);
}

static void depth_up_submitters(unsigned int n)
{
	make_sleepers(n, KPOOL_NONE, submits);
	holds_measure();
	holds_check(!kpool_tune(holds_pool, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_UNLIMITED), "tune");
	holds_callers_return(n);
	holds_unblock();
	holds_end_pool();
	holds_measured(n);
}

static void capacity_up_submitters(unsigned int n)
{
	make_sleepers(n, KPOOL_NONE, submits);
	holds_measure();
	holds_check(!kpool_tune(holds_pool, KPOOL_TUNE_CAPACITY, n + 1), "tune");
	holds_callers_return(n);
	holds_unblock();
	holds_end_pool();
	holds_measured(n);
}

static void group_cancel_submitters(unsigned int n)
{
	make_sleepers(n, KPOOL_NONE, submits_in_group);
	holds_measure();
	kpool_group_cancel(&holds_group);
	end_sleepers(n);
}

static void call_callers(unsigned int n)
{
	make_sleepers(n, KPOOL_UNLIMITED, calls);
	unblock_sleepers(n);
}

static void abort_callers(unsigned int n)
{
	make_sleepers(n, KPOOL_UNLIMITED, calls);
	holds_measure();
	kpool_abort(holds_pool);
	end_sleepers(n);
}

/* The item runs when all of them wait for it. */
static void flush_item_flushers(unsigned int n)
{
	holds_make(1, KPOOL_UNLIMITED);
	kpool_init_job(&holds_jobs[0], holds_blocks);
	holds_submit(&holds_jobs[0]);
	holds_callers_sleep(n, flushes_first_job);
	unblock_sleepers(n);
}

/* The end of the run also finds a full inbox of jobs that have everything. */
static void flush_item_inbox(unsigned int n)
{
	struct kpool_job *job = &holds_jobs[0];
	unsigned int i;

	holds_make(1, KPOOL_UNLIMITED);
	kpool_init_job(job, holds_blocks);
	holds_in_stream(job, 0);
	holds_submit(job);
	holds_callers_sleep(n, flushes_first_job);
	holds_measure();
	for (i = 1; i <= HOLDS_INBOXES; i++) {
		job = holds_job(i);
		holds_in_group(job, i);
		holds_in_stream(job, i);
		holds_submit(job);
	}
	holds_unblock();
	end_sleepers(n);
}

/* The item has not begun. */
static void flush_pending_flushers(unsigned int n)
{
	holds_make(1, KPOOL_UNLIMITED);
	holds_block(NULL);
	holds_fill(1, NULL);
	holds_callers_sleep(n, flushes_first_job);
	unblock_sleepers(n);
}

/* Many items wait to run beside the one that all flush. */
static void flush_pool_flushers(unsigned int n)
{
	make_sleepers(n, KPOOL_UNLIMITED, submits_and_flushes);
	unblock_sleepers(n);
}

static void group_waiters(unsigned int n)
{
	holds_make(1, KPOOL_UNLIMITED);
	holds_block(NULL);
	holds_fill(1, holds_in_group);
	holds_callers_sleep(n, waits_for_group);
	unblock_sleepers(n);
}

static void drain_waiters(unsigned int n)
{
	make_sleepers(n, KPOOL_UNLIMITED, releases);
	unblock_sleepers(n);
}

static int dies(struct kpool_item *item)
{
	holds_blocks(item);
	kthread_complete_and_exit(NULL, 0);
	return 0;
}

static void flushes_pool(struct holds_caller *caller)
{
	kpool_flush(holds_pool);
}

/* The only worker dies in the item that all wait for. */
static void death(unsigned int n, void (*call)(struct holds_caller *caller))
{
	holds_make(1, KPOOL_UNLIMITED);
	kpool_init_job(&holds_jobs[0], dies);
	holds_submit(&holds_jobs[0]);
	holds_callers_sleep(n, call);
	unblock_sleepers(n);
}

static void death_flush_item(unsigned int n)
{
	death(n, flushes_first_job);
}

static void death_flush_pool(unsigned int n)
{
	death(n, flushes_pool);
}

const struct holds_operation holds_sleepers[] = {
	{ "unit-free-submitters", HOLDS_SLEEPERS, unit_free_submitters },
	{ "unit-free-heavy", HOLDS_SLEEPERS, unit_free_heavy },
	{ "shutdown-submitters", HOLDS_SLEEPERS, shutdown_submitters },
	{ "abort-submitters", HOLDS_SLEEPERS, abort_submitters },
	{ "queue-depth-submitters", HOLDS_SLEEPERS, depth_up_submitters },
	{ "capacity-submitters", HOLDS_SLEEPERS, capacity_up_submitters },
	{ "group-cancel-submitters", HOLDS_SLEEPERS, group_cancel_submitters },
	{ "call-callers", HOLDS_SLEEPERS, call_callers },
	{ "abort-callers", HOLDS_SLEEPERS, abort_callers },
	{ "flush-item", HOLDS_SLEEPERS, flush_item_flushers },
	{ "flush-item-inbox", HOLDS_SLEEPERS, flush_item_inbox },
	{ "flush-pending", HOLDS_SLEEPERS, flush_pending_flushers },
	{ "flush-pool", HOLDS_SLEEPERS, flush_pool_flushers },
	{ "group-waiters", HOLDS_SLEEPERS, group_waiters },
	{ "drain-waiters", HOLDS_SLEEPERS, drain_waiters },
	{ "death-flush-item", HOLDS_SLEEPERS, death_flush_item },
	{ "death-flush-pool", HOLDS_SLEEPERS, death_flush_pool },
	{ }
};
