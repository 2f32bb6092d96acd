// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on a pool with many delayed jobs.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>

#include "holds.h"

#define SOME	100u

/* Delay n jobs until long after the measurement, each for a time of its own. */
static void delay(unsigned int from, unsigned int n)
{
	unsigned int i;

	for (i = from; i < from + n; i++) {
		/* scattered, as by a multiplicative hash */
		unsigned long after = (i * 2654435761u) >> 12;

		holds_check(!kpool_submit_delayed(holds_pool, holds_job(i),
						  3600 * HZ + after),
			    "submit_delayed");
		if (!(i % 1024))
			cond_resched();
	}
}

static void make_delayed(unsigned int n)
{
	holds_make(1, KPOOL_UNLIMITED);
	delay(0, n);
}

static void end_delayed(void)
{
	kpool_abort(holds_pool);
	holds_end_pool();
}

static void submit_delayed(unsigned int n)
{
	make_delayed(n - SOME);
	holds_measure();
	delay(n - SOME, SOME);
	holds_measured(SOME);
	end_delayed();
}

static void cancel_delayed(unsigned int n)
{
	unsigned int i;

	make_delayed(n);
	holds_measure();
	for (i = 0; i < SOME; i++)
		kpool_cancel(&holds_jobs[i * (n / SOME)].item);
	holds_measured(SOME);
	end_delayed();
}

static void modify_delay(unsigned int n)
{
	unsigned int i;

	make_delayed(n);
	holds_measure();
	for (i = 0; i < SOME; i++)
		kpool_modify_delay(&holds_jobs[i * (n / SOME)],
				   7200 * HZ - i * HZ);
	holds_measured(SOME);
	end_delayed();
}

static void abort_delayed(unsigned int n)
{
	make_delayed(n);
	holds_measure();
	kpool_abort(holds_pool);
	holds_end_pool();
	holds_measured(n);
}

static void shutdown_delayed(unsigned int n)
{
	make_delayed(n);
	holds_measure();
	kpool_shutdown(holds_pool);
	holds_end_pool();
	holds_measured(n);
}

/* All come due in the same tick, into a pool that has @queued items. */
static void come_due(unsigned int n, unsigned int queued)
{
	unsigned long due = jiffies + 30 * HZ;
	unsigned int i;

	for (i = queued; i < n; i++) {
		holds_check(!kpool_submit_delayed(holds_pool, holds_job(i),
						  due - jiffies),
			    "submit_delayed");
		if (!(i % 1024))
			cond_resched();
	}
	holds_check(time_before(jiffies, due), "due before all are delayed");
	holds_measure();
	schedule_timeout_idle(due - jiffies);
	kpool_resume(holds_pool);
	holds_wait_completed(n);
	holds_measured(0);
	holds_end_pool();
}

static void due(unsigned int n)
{
	holds_make(1, KPOOL_UNLIMITED);
	come_due(n, 0);
}

static void due_full(unsigned int n)
{
	holds_make(1, KPOOL_NONE);
	come_due(n, 0);
}

/* There is room for some behind heavy items that start together. */
static void due_heavy(unsigned int n)
{
	holds_make(HOLDS_HEAVY_UNITS, 100);
	kpool_pause(holds_pool);
	holds_fill(120, holds_heavy);
	come_due(n, 120);
}

const struct holds_operation holds_delayed[] = {
	{ "submit-delayed", HOLDS_ONE, submit_delayed },
	{ "cancel-delayed", HOLDS_ONE, cancel_delayed },
	{ "modify-delay", HOLDS_ONE, modify_delay },
	{ "abort-delayed", HOLDS_ITEMS, abort_delayed },
	{ "shutdown-delayed", HOLDS_ITEMS, shutdown_delayed },
	{ "come-due", HOLDS_ITEMS, due },
	{ "come-due-full", HOLDS_ITEMS, due_full },
	{ "come-due-heavy", HOLDS_ITEMS, due_heavy },
	{ }
};
