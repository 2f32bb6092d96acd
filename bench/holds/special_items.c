// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on a pool with many jobs of streams or groups, heavy items, or
 * jobs past their deadline.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "holds.h"

#define SOME	100u

/* Streams of their own, for as many jobs as there are. */
static struct kpool_stream *streams;

static bool make_streams(unsigned int n)
{
	unsigned int i;

	streams = vzalloc(array_size(n, sizeof(*streams)));
	if (!holds_check(streams, "no memory for streams"))
		return false;
	for (i = 0; i < n; i++)
		kpool_init_stream(&streams[i], holds_pool);
	return true;
}

static void in_own_stream(struct kpool_job *job, unsigned int i)
{
	kpool_set_stream(job, &streams[i]);
}

/* Two jobs in each stream. */
static void in_pairs(struct kpool_job *job, unsigned int i)
{
	kpool_set_stream(job, &streams[i / 2]);
}

/* A single unit is free: jobs behind their stream are parked at their turn. */
static void abort_stream(unsigned int n)
{
	holds_make(2, KPOOL_UNLIMITED);
	holds_block(&holds_stream);
	holds_fill(n, holds_in_stream);
	holds_measure();
	kpool_abort(holds_pool);
	holds_end_pool();
	holds_measured(n);
}

static void run_paused(unsigned int n, void (*prepare)(struct kpool_job *job,
						       unsigned int i))
{
	kpool_pause(holds_pool);
	holds_fill(n, prepare);
	holds_measure();
	kpool_resume(holds_pool);
	kpool_flush(holds_pool);
	holds_measured(n);
	holds_end_pool();
}

static void resume_stream(unsigned int n)
{
	holds_make(2, KPOOL_UNLIMITED);
	run_paused(n, holds_in_stream);
}

static void resume_streams(unsigned int n)
{
	holds_make(2, KPOOL_UNLIMITED);
	if (make_streams(n))
		run_paused(n, in_pairs);
	vfree(streams);
}

/* The second of two units comes free, with jobs queued whose stream runs. */
static void unit_free_stream(unsigned int n)
{
	holds_make(2, KPOOL_UNLIMITED);
	holds_block(&holds_stream);
	holds_block(NULL);
	holds_fill(n, holds_in_stream);
	holds_measure();
	holds_unblock();
	kpool_flush(holds_pool);
	holds_measured(n);
	holds_end_pool();
}

static void unit_free_streams(unsigned int n)
{
	holds_make(1, KPOOL_UNLIMITED);
	holds_block(NULL);
	if (!make_streams(n))
		goto out;
	holds_fill(n, in_own_stream);
	holds_measure();
	holds_unblock();
	kpool_flush(holds_pool);
	holds_measured(n);
out:
	holds_end_pool();
	vfree(streams);
}

static void past_deadline(struct kpool_job *job, unsigned int i)
{
	kpool_set_deadline(job, 1);
}

static void deadline(unsigned int n)
{
	holds_make(1, KPOOL_UNLIMITED);
	holds_block(NULL);
	holds_fill(n, past_deadline);
	holds_measure();
	holds_unblock();
	kpool_flush(holds_pool);
	holds_measured(n);
	holds_end_pool();
}

static void submit_some(unsigned int from)
{
	unsigned int i;

	for (i = from; i < from + SOME; i++)
		holds_job(i);
	holds_measure();
	for (i = from; i < from + SOME; i++)
		holds_check(!kpool_try_submit(holds_pool, &holds_jobs[i].item),
			    "try_submit");
	holds_measured(SOME);
}

/* An item that is next, jobs behind their stream, and one that is too heavy. */
static void submit_behind_stream(unsigned int n)
{
	unsigned int i;

	n -= SOME;
	holds_make(4, KPOOL_UNLIMITED);
	holds_block(&holds_stream);
	kpool_pause(holds_pool);
	for (i = 0; i < n; i++) {
		struct kpool_job *job = holds_job(i);

		if (!i)
			kpool_set_weight(&job->item, 2);
		else if (i == n - 1)
			kpool_set_weight(&job->item, 4);
		else
			holds_in_stream(job, i);
		holds_submit(job);
	}
	submit_some(n);
	kpool_abort(holds_pool);
	holds_end_pool();
}

/* A heavy item in front that does not fit, and jobs of a stream behind it. */
static void submit_behind_heavy_front(unsigned int n)
{
	unsigned int i;

	n -= SOME;
	holds_make(2, KPOOL_UNLIMITED);
	holds_block(&holds_stream);
	for (i = 0; i < n; i++) {
		struct kpool_job *job = holds_job(i);

		if (!i)
			kpool_set_weight(&job->item, 2);
		else
			holds_in_stream(job, i);
		holds_submit(job);
	}
	submit_some(n);
	kpool_abort(holds_pool);
	holds_end_pool();
}

/* Half of the heavy items fit. */
static void submit_behind_heavy(unsigned int n)
{
	n -= SOME;
	holds_make(n, KPOOL_UNLIMITED);
	kpool_pause(holds_pool);
	holds_fill(n, holds_heavy);
	submit_some(n);
	kpool_abort(holds_pool);
	holds_end_pool();
}

static void dropped(struct kpool_item *item, int err)
{
}

static void room(void *data)
{
}

/* No victim among the heavy items lets the next one start, nor the newcomer. */
static void evict_heavy(unsigned int n)
{
	static const struct kpool_attrs attrs = {
		.capacity = HOLDS_HEAVY_UNITS, .queue_depth = 100,
		.when_full = KPOOL_FULL_DROP_OLDEST, .room = room,
	};
	unsigned int i, weight;
	int err;

	holds_make_with(&attrs);
	kpool_pause(holds_pool);
	holds_measure();
	for (i = 0; i < 200; i++) {
		struct kpool_job *job = holds_job(i);

		weight = i == 63 ? HOLDS_HEAVY_UNITS : 2;
		kpool_set_weight(&job->item, weight);
		kpool_set_drop_fn(&job->item, dropped);
		kpool_set_priority(&job->item, i < 20 ? KPOOL_PRIO_LOW :
				   i < 64 ? KPOOL_PRIO_NORMAL : KPOOL_PRIO_HIGH);
		err = kpool_try_submit(holds_pool, &job->item);
		holds_check(!err || err == -EAGAIN, "try_submit");
	}
	holds_measured(0);
	kpool_abort(holds_pool);
	holds_end_pool();
}

/* Groups */

static void end_cancelled(unsigned int n)
{
	holds_measure();
	kpool_group_cancel(&holds_group);
	kpool_group_wait(&holds_group, MAX_SCHEDULE_TIMEOUT);
	holds_measured(n);
	holds_end_pool();
}

static void group_cancel(unsigned int n)
{
	holds_make(1, KPOOL_UNLIMITED);
	holds_block(NULL);
	holds_fill(n, holds_in_group);
	end_cancelled(n);
}

static void in_group_and_stream(struct kpool_job *job, unsigned int i)
{
	holds_in_group(job, i);
	holds_in_stream(job, i);
}

static void group_cancel_stream(unsigned int n)
{
	holds_make(2, KPOOL_UNLIMITED);
	holds_block(&holds_stream);
	holds_fill(n, in_group_and_stream);
	end_cancelled(n);
}

/* Two full inboxes of jobs that have everything are queued at once. */
static void inbox_of_jobs(unsigned int n)
{
	holds_make(1, KPOOL_UNLIMITED);
	holds_block(&holds_stream);
	holds_measure();
	holds_fill(HOLDS_INBOXES, in_group_and_stream);
	holds_unblock();
	/* the worker is the next to take the lock */
	msleep(20);
	kpool_flush(holds_pool);
	holds_measured(0);
	holds_end_pool();
}

static struct kpool_group *groups;

static void in_own_group(struct kpool_job *job, unsigned int i)
{
	kpool_set_group(job, &groups[i]);
}

/* A job in each of the child groups. */
static void group_cancel_children(unsigned int n)
{
	unsigned int i;

	holds_make(1, KPOOL_UNLIMITED);
	holds_block(NULL);
	groups = vzalloc(array_size(n, sizeof(*groups)));
	if (!holds_check(groups, "no memory for groups")) {
		holds_end_pool();
		return;
	}
	for (i = 0; i < n; i++)
		kpool_init_group(&groups[i], holds_pool, &holds_group, 0);
	holds_fill(n, in_own_group);
	end_cancelled(n);
	vfree(groups);
}

static void group_run(unsigned int n)
{
	holds_make(4, KPOOL_UNLIMITED);
	holds_measure();
	holds_fill(n, holds_in_group);
	kpool_group_wait(&holds_group, MAX_SCHEDULE_TIMEOUT);
	holds_measured(n);
	holds_end_pool();
}

/* The innermost group of a chain of its own.  The first jobs are dropped. */
static void in_own_chain(struct kpool_job *job, unsigned int i)
{
	kpool_set_group(job, &groups[(i + 1) * KPOOL_GROUP_MAX_DEPTH - 1]);
	if (i < 7)
		kpool_set_deadline(job, 1);
}

/* Each job is the first one of all groups that it is within, and the last. */
static void group_nested(unsigned int n)
{
	unsigned int i, nr = HOLDS_INBOXES * KPOOL_GROUP_MAX_DEPTH;

	holds_make(1, KPOOL_UNLIMITED);
	holds_block(NULL);
	groups = vzalloc(array_size(nr, sizeof(*groups)));
	if (!holds_check(groups, "no memory for groups")) {
		holds_end_pool();
		return;
	}
	for (i = 0; i < nr; i++)
		kpool_init_group(&groups[i], holds_pool,
				 i % KPOOL_GROUP_MAX_DEPTH ? &groups[i - 1] :
				 NULL, 0);
	holds_measure();
	holds_fill(HOLDS_INBOXES, in_own_chain);
	holds_unblock();
	/* the worker is the next to take the lock */
	msleep(20);
	kpool_flush(holds_pool);
	holds_measured(0);
	holds_end_pool();
	vfree(groups);
}

const struct holds_operation holds_odd[] = {
	{ "abort-stream", HOLDS_ITEMS, abort_stream },
	{ "resume-stream", HOLDS_ITEMS, resume_stream },
	{ "resume-streams", HOLDS_ITEMS, resume_streams },
	{ "unit-free-stream", HOLDS_ITEMS, unit_free_stream },
	{ "unit-free-streams", HOLDS_ITEMS, unit_free_streams },
	{ "deadline", HOLDS_ITEMS, deadline },
	{ "submit-behind-stream", HOLDS_ONE, submit_behind_stream },
	{ "submit-heavy-front", HOLDS_ONE, submit_behind_heavy_front },
	{ "submit-behind-heavy", HOLDS_ONE, submit_behind_heavy },
	{ "evict-heavy", HOLDS_GROUPS, evict_heavy },
	{ "group-cancel", HOLDS_ITEMS, group_cancel },
	{ "group-cancel-stream", HOLDS_ITEMS, group_cancel_stream },
	{ "group-cancel-children", HOLDS_GROUPS, group_cancel_children },
	{ "group-nested", HOLDS_GROUPS, group_nested },
	{ "group-run", HOLDS_ITEMS, group_run },
	{ "inbox-of-jobs", HOLDS_GROUPS, inbox_of_jobs },
	{ }
};
