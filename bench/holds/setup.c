// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pool, its jobs, and threads that call it.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/umh.h>
#include <linux/vmalloc.h>

#include "holds.h"

struct kpool *holds_pool;
struct kpool_job *holds_jobs;
struct kpool_stream holds_stream;
struct kpool_group holds_group;

static unsigned int nr_jobs;
static struct kpool_job blockers[4];
static unsigned int nr_blockers;
static DECLARE_COMPLETION(gate);
static atomic_t nr_blocking = ATOMIC_INIT(0);

static struct holds_caller **callers;
static unsigned int nr_callers;

#define HOLDS_MAX_CALLERS	16384

int holds_tiny(struct kpool_item *item)
{
	return 0;
}

/* Runs until holds_unblock(). */
int holds_blocks(struct kpool_item *item)
{
	atomic_inc(&nr_blocking);
	wait_for_completion(&gate);
	return 0;
}

/* Complain if the bench's own assumption does not hold. */
bool holds_check(bool ok, const char *what)
{
	return !WARN(!ok, "holds: %s\n", what);
}

/* Panic: the bench cannot go on without it. */
static void holds_need(bool ok, const char *what)
{
	if (!ok)
		panic("holds: no %s\n", what);
}

/* Run a program of the guest's to its end. */
void holds_command(const char *const *argv)
{
	static const char *const envp[] = { "PATH=/bin", NULL };

	holds_check(!call_usermodehelper(argv[0], (char **)argv, (char **)envp,
					 UMH_WAIT_PROC), argv[0]);
}

void holds_make_with(const struct kpool_attrs *attrs)
{
	reinit_completion(&gate);
	atomic_set(&nr_blocking, 0);
	nr_blockers = 0;
	holds_pool = kpool_create(attrs, "holds");
	holds_need(!IS_ERR(holds_pool), "pool");
	kpool_init_stream(&holds_stream, holds_pool);
	holds_check(!kpool_init_group(&holds_group, holds_pool, NULL, 0), "group");
}

void holds_make(int capacity, int queue_depth)
{
	const struct kpool_attrs attrs = {
		.capacity = capacity,
		.queue_depth = queue_depth,
		.expiry_ms = KPOOL_NO_PURGE,
	};

	holds_make_with(&attrs);
}

static void block(struct kpool_stream *stream, unsigned int weight)
{
	struct kpool_job *blocker = &blockers[nr_blockers++];

	kpool_init_job(blocker, holds_blocks);
	kpool_set_stream(blocker, stream);
	kpool_set_weight(&blocker->item, weight);
	holds_submit(blocker);
	while (atomic_read(&nr_blocking) < nr_blockers)
		usleep_range(100, 200);
}

/* Have a unit taken by a job that runs, of the stream if there is one. */
void holds_block(struct kpool_stream *stream)
{
	block(stream, 1);
}

/* Have all units taken by one job. */
void holds_block_heavy(unsigned int weight)
{
	block(NULL, weight);
}

void holds_unblock(void)
{
	complete_all(&gate);
}

void holds_end_pool(void)
{
	holds_unblock();
	holds_check(!kpool_destroy(holds_pool), "destroy");
}

/* A job that does nothing; there are as many as ever needed. */
struct kpool_job *holds_job(unsigned int i)
{
	kpool_init_job(&holds_jobs[i], holds_tiny);
	return &holds_jobs[i];
}

void holds_submit(struct kpool_job *job)
{
	holds_check(!kpool_submit(holds_pool, &job->item), "submit");
}

/* Submit n jobs, each prepared by that function if there is one. */
void holds_fill(unsigned int n, void (*prepare)(struct kpool_job *job,
						unsigned int i))
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct kpool_job *job = holds_job(i);

		if (prepare)
			prepare(job, i);
		holds_submit(job);
		if (!(i % 1024))
			cond_resched();
	}
}

void holds_in_stream(struct kpool_job *job, unsigned int i)
{
	kpool_set_stream(job, &holds_stream);
}

void holds_in_group(struct kpool_job *job, unsigned int i)
{
	kpool_set_group(job, &holds_group);
}

void holds_heavy(struct kpool_job *job, unsigned int i)
{
	kpool_set_weight(&job->item, 2);
}

u64 holds_stat_alive(void)
{
	struct kpool_stats stats;

	kpool_get_stats(holds_pool, &stats);
	return stats.alive;
}

/* Wait until n jobs have run. */
void holds_wait_completed(u64 n)
{
	struct kpool_stats stats;

	for (;;) {
		kpool_get_stats(holds_pool, &stats);
		if (stats.completed >= n)
			return;
		usleep_range(100, 200);
	}
}

static int caller_main(void *data)
{
	struct holds_caller *caller = data;

	for (;;) {
		wait_for_completion(&caller->go);
		caller->call(caller);
		complete(&caller->back);
	}
	return 0;
}

/* Threads are kept: to make one costs more than what it measures. */
static void make_callers(unsigned int n)
{
	if (!callers)
		callers = vzalloc(array_size(HOLDS_MAX_CALLERS, sizeof(*callers)));
	holds_need(callers && n <= HOLDS_MAX_CALLERS, "room for threads");
	for (; nr_callers < n; nr_callers++) {
		struct holds_caller *caller = kzalloc_obj(*caller, GFP_KERNEL);

		holds_need(caller, "memory");
		init_completion(&caller->go);
		init_completion(&caller->back);
		caller->task = kthread_run(caller_main, caller, "holds/%u",
					   nr_callers);
		holds_need(!IS_ERR(caller->task), "thread");
		callers[nr_callers] = caller;
	}
}

/* Have n threads call, and wait until each of them is asleep in its call. */
void holds_callers_sleep(unsigned int n,
			 void (*call)(struct holds_caller *caller))
{
	unsigned int i;

	make_callers(n);
	for (i = 0; i < n; i++) {
		callers[i]->call = call;
		complete(&callers[i]->go);
	}
	for (i = 0; i < n; i++)
		while (task_is_running(callers[i]->task))
			usleep_range(100, 200);
}

void holds_callers_return(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		wait_for_completion(&callers[i]->back);
}

static int jobs_set(const char *val, const struct kernel_param *kp)
{
	unsigned int n;
	int err = kstrtouint(val, 0, &n);

	if (err)
		return err;
	if (n <= nr_jobs)
		return 0;
	vfree(holds_jobs);
	nr_jobs = 0;
	holds_jobs = vzalloc(array_size(n, sizeof(*holds_jobs)));
	if (!holds_jobs)
		return -ENOMEM;
	nr_jobs = n;
	return 0;
}

static const struct kernel_param_ops jobs_ops = { .set = jobs_set };

module_param_cb(jobs, &jobs_ops, NULL, 0200);
MODULE_PARM_DESC(jobs, "the most items of an operation");
