// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure each ability of kpool beside a plain item.  A thread submits to two
 * workers as fast as it can, and each item does nothing.
 */
#include <linux/mm.h>

#include "bench.h"

struct job_shared {
	struct kpool *pool;
	struct kpool_group group;
	struct kpool_stream stream;
};

/* How a job is prepared, and submitted; both return an errno. */
struct job_op {
	int (*prepare)(struct kpool_job *job, struct job_shared *shared);
	int (*submit)(struct kpool *pool, struct kpool_job *job);
};

static int job_ran(struct kpool_item *item)
{
	bench_item();
	return 0;
}

static int call_ran(void *unused)
{
	bench_item();
	return 0;
}

static int prepare_plain(struct kpool_job *job, struct job_shared *shared)
{
	kpool_init_item(&job->item, job_ran);
	return 0;
}

static int prepare_nothing(struct kpool_job *job, struct job_shared *shared)
{
	return 0;
}

static int prepare_group(struct kpool_job *job, struct job_shared *shared)
{
	return kpool_set_group(job, &shared->group);
}

static int prepare_stream(struct kpool_job *job, struct job_shared *shared)
{
	return kpool_set_stream(job, &shared->stream);
}

static int prepare_weight(struct kpool_job *job, struct job_shared *shared)
{
	return kpool_set_weight(&job->item, 2);
}

static int prepare_deadline(struct kpool_job *job, struct job_shared *shared)
{
	return kpool_set_deadline(job, ktime_add_ms(ktime_get(),
						    60 * MSEC_PER_SEC));
}

static int submit_job(struct kpool *pool, struct kpool_job *job)
{
	return kpool_submit(pool, &job->item);
}

static int submit_due(struct kpool *pool, struct kpool_job *job)
{
	return kpool_submit_delayed(pool, job, 0);
}

static int call(struct kpool *pool, struct kpool_job *job)
{
	return kpool_call(pool, call_ran, NULL, NULL);
}

static int submit_all(struct kpool *pool, struct kpool_job *jobs,
		      unsigned int n, const struct job_op *op)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = op->submit(pool, &jobs[i]);
	if (!err)
		wait_for_completion(&bench_done);
	return err;
}

static int prepare_all(struct kpool_job *jobs, unsigned int n,
		       struct job_shared *shared, const struct job_op *op)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		kpool_init_job(&jobs[i], job_ran);
		err = op->prepare(&jobs[i], shared);
	}
	return err;
}

static int run_in_pool(struct kpool *pool, const struct job_op *op,
		       struct bench_figures *figures)
{
	struct job_shared shared = { .pool = pool };
	unsigned int n = bench_items / 2;
	struct kpool_job *jobs = kvcalloc(n, sizeof(*jobs), GFP_KERNEL);
	ktime_t start;
	int err;

	if (!jobs)
		return -ENOMEM;
	kpool_init_stream(&shared.stream, pool);
	err = kpool_init_group(&shared.group, pool, NULL, 0) ?:
	      prepare_all(jobs, n, &shared, op);
	bench_expect(n);
	start = ktime_get();
	if (!err)
		err = submit_all(pool, jobs, n, op);
	figures->cost = bench_cost(ktime_sub(ktime_get(), start), n);
	/* The last can still be in its function. */
	kpool_flush(pool);
	kvfree(jobs);
	return err;
}

static int run_jobs(const struct bench_case *bc,
		    const struct bench_contender *peer,
		    struct bench_figures *figures)
{
	void *pool = bench_begin(peer, 2, 1, NULL);
	int err;

	if (IS_ERR(pool))
		return PTR_ERR(pool);
	err = run_in_pool(pool, bc->op, figures);
	peer->destroy(pool);
	return err;
}

#define JOB(_name, _prepare, _submit)					\
	{ _name, run_jobs, BENCH_KPOOL, BENCH_ALL,			\
	  .op = &(const struct job_op){ _prepare, _submit } }

static const struct bench_case cases[] = {
	JOB("job-plain", prepare_plain, submit_job),
	JOB("job-nothing", prepare_nothing, submit_job),
	JOB("job-group", prepare_group, submit_job),
	JOB("job-stream", prepare_stream, submit_job),
	JOB("job-weight", prepare_weight, submit_job),
	JOB("job-deadline", prepare_deadline, submit_job),
	JOB("job-delayed", prepare_nothing, submit_due),
	JOB("job-call", prepare_nothing, call),
};

const struct bench_table bench_jobs = { cases, ARRAY_SIZE(cases) };
