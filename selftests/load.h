/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Items that have a gate each, so that they can be watched and ended one by
 * one.  Threads that sleep in a submit of one.
 */
#ifndef _KPOOL_SELFTEST_LOAD_H
#define _KPOOL_SELFTEST_LOAD_H

#include <linux/sched/signal.h>

#include "full.h"

struct load {
	struct kt_job	job;
	struct kt_gate	gate;
};

static inline void load_init(struct load *l, int nr)
{
	kt_gate_init(&l->gate);
	kt_job_init(&l->job, kt_job_gated, &l->gate, nr);
}

static inline void load_init_all(struct load *l, int n)
{
	int i;

	for (i = 0; i < n; i++)
		load_init(&l[i], i);
}

static inline int load_submit(struct kpool *pool, struct load *l)
{
	return kpool_submit(pool, &l->job.item);
}

static inline int load_try(struct kpool *pool, struct load *l)
{
	return kpool_try_submit(pool, &l->job.item);
}

static inline bool load_started(struct load *l)
{
	return atomic_read(&l->gate.started);
}

/* Does it start? */
static inline bool load_starts(struct load *l)
{
	return kt_wait(load_started(l));
}

/* Does it still not start when there has been time to? */
static inline bool load_waits(struct load *l)
{
	kt_sleep_ms(10);
	return !load_started(l);
}

/* Is it accepted at once, and does it start? */
static inline bool load_runs(struct kpool *pool, struct load *l)
{
	return !load_submit(pool, l) && load_starts(l);
}

static inline bool load_finished(struct load *l)
{
	return atomic_read(&l->gate.finished);
}

/* End it, and return when it has ended. */
static inline void load_end(struct load *l)
{
	kt_gate_open(&l->gate);
	KT_EXPECT_EQ(kpool_flush_item(&l->job.item), 0);
}

/* Let them end whenever they run. */
static inline void load_open_all(struct load *l, int n)
{
	int i;

	for (i = 0; i < n; i++)
		kt_gate_open(&l[i].gate);
}

static inline int load_submit_killable(void *arg)
{
	struct kt_submitter *s = arg;

	allow_signal(SIGKILL);
	return kpool_submit_killable(s->pool, s->item);
}

/* End a case: each blocked submitter is admitted, and everything ends. */
static inline void load_finish(struct kpool *pool, struct load *l, int n,
			       struct kt_submitter *s, int nr_submitters)
{
	int i;

	load_open_all(l, n);
	for (i = 0; i < nr_submitters; i++)
		if (s[i].thread.task)
			KT_EXPECT_EQ(kt_thread_join(&s[i].thread), 0);
	if (pool)
		KT_EXPECT_EQ(kpool_flush(pool), 0);
	kt_pool_end(pool);
}

#endif /* _KPOOL_SELFTEST_LOAD_H */
