/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs that count how often they ran and were dropped, and store the reason.
 */
#ifndef _KPOOL_SELFTEST_JOB_COUNTERS_H
#define _KPOOL_SELFTEST_JOB_COUNTERS_H

#include <linux/ktime.h>
#include <linux/preempt.h>

#include "load.h"

struct timed {
	struct kpool_job	job;
	struct kt_gate		gate;
	int			nr;
	unsigned long		submitted;	/* jiffies before its submit */
	unsigned long		started;	/* jiffies in its function */
};

static struct order timed_order;

static inline struct timed *timed_of(struct kpool_item *item)
{
	return container_of(kpool_job_of(item), struct timed, job);
}

/* A kpool_item_fn: notes itself, and waits at the job's gate. */
static inline int timed_fn(struct kpool_item *item)
{
	struct timed *t = timed_of(item);

	t->started = jiffies;
	order_note(&timed_order, t->nr);
	return kt_gate_pass(&t->gate);
}

/* Check what is promised of every call of a drop function. */
static inline void timed_dropped(struct kpool_item *item, int err)
{
	struct timed *t = timed_of(item);

	might_sleep();
	KT_EXPECT(in_task());
	KT_EXPECT(!irqs_disabled());
	KT_EXPECT_EQ(preempt_count(), 0);
	KT_EXPECT(!kpool_is_pending(item));
	atomic_set(&t->gate.dropped_err, err);
	atomic_inc(&t->gate.dropped);
}

/* A job that ends at once; with its gate made anew, it waits there. */
static inline void timed_init(struct timed *t, int nr)
{
	kpool_init_job(&t->job, timed_fn);
	kpool_set_drop_fn(&t->job.item, timed_dropped);
	kt_gate_init(&t->gate);
	kt_gate_open(&t->gate);
	t->nr = nr;
}

static inline void timed_init_all(struct timed *t, int n)
{
	int i;

	order_init(&timed_order);
	for (i = 0; i < n; i++)
		timed_init(&t[i], i);
}

static inline int timed_runs(struct timed *t)
{
	return atomic_read(&t->gate.finished);
}

static inline int timed_drops(struct timed *t)
{
	return atomic_read(&t->gate.dropped);
}

/* Did it run exactly once, and was it not dropped? */
static inline bool timed_ran(struct timed *t)
{
	return timed_runs(t) == 1 && !timed_drops(t);
}

/* Was it dropped exactly once, with that error, and did not run? */
static inline bool timed_was_dropped(struct timed *t, int err)
{
	return !timed_runs(t) && timed_drops(t) == 1 &&
	       atomic_read(&t->gate.dropped_err) == err;
}

/* A drop function that takes its time, here. */
static struct kt_gate timed_dropping;

static inline void timed_dropped_gated(struct kpool_item *item, int err)
{
	timed_dropped(item, err);
	kt_gate_pass(&timed_dropping);
}

/* Threads that wait for a job or for its pool */

static inline int timed_flush_item(void *arg)
{
	struct timed *t = arg;

	return kpool_flush_item(&t->job.item);
}

static inline int timed_cancel_sync(void *arg)
{
	struct timed *t = arg;

	return kpool_cancel_sync(&t->job.item);
}

static inline int timed_flush_pool(void *arg)
{
	return kpool_flush(arg);
}

static inline int timed_destroy_pool(void *arg)
{
	return kpool_destroy(arg);
}

static inline bool timed_sleeps(struct kt_thread *t, int (*fn)(void *arg),
				void *arg)
{
	return kt_thread_start(t, fn, arg) && kt_thread_asleep(t);
}

#endif /* _KPOOL_SELFTEST_JOB_COUNTERS_H */
