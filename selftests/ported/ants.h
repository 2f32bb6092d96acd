/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Share what the scenarios taken from ants need.  ants has three kinds of pool,
 * and tests most things on each.  kpool has one pool and three ways to hand it
 * work, so each scenario is run once by each way:
 *
 *	item	kpool_submit() of an embedded item
 *	fn	kpool_submit_fn() of a function and its argument (ants Pool)
 *	arg	kpool_submit_arg() of an argument (ants PoolWithFunc and -Generic)
 */
#ifndef _KPOOL_SELFTEST_ANTS_H
#define _KPOOL_SELFTEST_ANTS_H

#include "selftest.h"

enum ants_way { ANTS_ITEM, ANTS_FN, ANTS_ARG };

static const char *const ants_ways[] __maybe_unused = {
	"item", "fn", "arg", NULL,
};

/* The row of a scenario in its module's table. */
#define ANTS_EACH(scenario)	KT_EACH(scenario, ants_ways)

/* A job to submit: by every way, the function gets the job. */
struct ants_job {
	struct kpool_item	item;
	kpool_fn		fn;
	struct kt_gate		*gate;
	int			nr;
};

static inline int ants_item(struct kpool_item *item)
{
	struct ants_job *job = container_of(item, struct ants_job, item);

	return job->fn(job);
}

/* @n jobs, to be given to kvfree(); or NULL and a recorded failure. */
static inline struct ants_job *ants_jobs(int n, kpool_fn fn,
					 struct kt_gate *gate)
{
	struct ants_job *jobs = kvcalloc(n, sizeof(*jobs), GFP_KERNEL);
	int i;

	if (!KT_EXPECT(jobs))
		return NULL;
	for (i = 0; i < n; i++) {
		kpool_init_item(&jobs[i].item, ants_item);
		jobs[i].fn = fn;
		jobs[i].gate = gate;
		jobs[i].nr = i;
	}
	return jobs;
}

/* A pool for one way; only one whose arguments are submitted has a function. */
static inline struct kpool *ants_pool(const struct kpool_attrs *attrs,
				      enum ants_way way, kpool_fn fn)
{
	struct kpool_attrs copy = *attrs;

	copy.fn = way == ANTS_ARG ? fn : NULL;
	return kt_pool("ants", &copy);
}

static inline int ants_submit(struct kpool *pool, enum ants_way way,
			      struct ants_job *job)
{
	switch (way) {
	case ANTS_ITEM:
		return kpool_submit(pool, &job->item);
	case ANTS_FN:
		return kpool_submit_fn(pool, job->fn, job, GFP_KERNEL);
	default:
		return kpool_submit_arg(pool, job, GFP_KERNEL);
	}
}

/* Submit @n jobs; all must be accepted. */
static inline bool ants_submit_all(struct kpool *pool, enum ants_way way,
				   struct ants_job *jobs, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (!KT_EXPECT_EQ(ants_submit(pool, way, &jobs[i]), 0))
			return false;
		cond_resched();
	}
	return true;
}

/* A kpool_fn: waits at the job's gate. */
static inline int ants_gated(void *arg)
{
	struct ants_job *job = arg;

	return kt_gate_pass(job->gate);
}

/* A thread that submits one job. */
struct ants_submitter {
	struct kt_thread	thread;
	struct kpool		*pool;
	enum ants_way		way;
	struct ants_job		*job;
};

static inline int ants_submitter_main(void *arg)
{
	struct ants_submitter *s = arg;

	return ants_submit(s->pool, s->way, s->job);
}

/* Start it, and do not return before it sleeps in submit. */
static inline bool ants_submitter_block(struct ants_submitter *s,
					struct kpool *pool, enum ants_way way,
					struct ants_job *job)
{
	u64 blocked = kt_stat(pool, blocked);

	s->pool = pool;
	s->way = way;
	s->job = job;
	return kt_thread_start(&s->thread, ants_submitter_main, s) &&
	       KT_EXPECT(kt_wait(kt_stat(pool, blocked) == blocked + 1));
}

#endif /* _KPOOL_SELFTEST_ANTS_H */
