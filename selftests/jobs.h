/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs that note what becomes of them, for tests of groups, streams and what
 * else a job can have.
 */
#ifndef _KPOOL_SELFTEST_JOBS_H
#define _KPOOL_SELFTEST_JOBS_H

#include "full.h"

struct probe {
	struct kpool_job	job;
	struct kt_gate		own;	/* its gate, unless another's is set */
	struct kt_gate		*gate;	/* waits there, or NULL */
	struct order		*order;	/* notes its number there, or NULL */
	void			*data;
	int			nr;
	int			ret;	/* result of its function */
	int			err;	/* error of its last drop */
	atomic_t		ran;
	atomic_t		dropped;
};

static inline struct probe *probe_of(struct kpool_item *item)
{
	return container_of(item, struct probe, job.item);
}

/* A kpool_item_fn. */
static inline int probe_fn(struct kpool_item *item)
{
	struct probe *p = probe_of(item);

	if (p->order)
		order_note(p->order, p->nr);
	if (p->gate)
		kt_gate_pass(p->gate);
	atomic_inc(&p->ran);
	return p->ret;
}

static inline void probe_dropped(struct kpool_item *item, int err)
{
	probe_of(item)->err = err;
	atomic_inc(&probe_of(item)->dropped);
}

static inline void probe_init(struct probe *p, kpool_item_fn fn, int nr)
{
	memset(p, 0, sizeof(*p));
	kpool_init_job(&p->job, fn);
	kpool_set_drop_fn(&p->job.item, probe_dropped);
	kt_gate_init(&p->own);
	p->nr = nr;
}

static inline void probes_init(struct probe *p, int n, kpool_item_fn fn)
{
	int i;

	for (i = 0; i < n; i++)
		probe_init(&p[i], fn, i);
}

/* Each waits at its own gate. */
static inline void probes_hold(struct probe *p, int n)
{
	int i;

	for (i = 0; i < n; i++)
		p[i].gate = &p[i].own;
}

static inline void probes_open(struct probe *p, int n)
{
	int i;

	for (i = 0; i < n; i++)
		kt_gate_open(&p[i].own);
}

static inline bool probes_submit(struct kpool *pool, struct probe *p, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!KT_EXPECT_EQ(kpool_submit(pool, &p[i].job.item), 0))
			return false;
	return true;
}

static inline int probe_try(struct kpool *pool, struct probe *p)
{
	return kpool_try_submit(pool, &p->job.item);
}

/* Is it in its function, at its own gate? */
static inline bool probe_runs(struct probe *p)
{
	return KT_EXPECT(kt_wait(atomic_read(&p->own.started) >
				 atomic_read(&p->own.finished)));
}

static inline bool probe_ran(struct probe *p)
{
	return KT_EXPECT(kt_wait(atomic_read(&p->ran)));
}

/* How many of them ran, or were dropped? */
static inline int probes_ran(struct probe *p, int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++)
		sum += atomic_read(&p[i].ran);
	return sum;
}

static inline int probes_dropped(struct probe *p, int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++)
		sum += atomic_read(&p[i].dropped);
	return sum;
}

/* Did each run once, and was none dropped? */
static inline void probes_expect_ran(struct probe *p, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		KT_EXPECT_EQ(atomic_read(&p[i].ran), 1);
		KT_EXPECT_EQ(atomic_read(&p[i].dropped), 0);
	}
}

/* Was each dropped once, with @err, and did none run? */
static inline void probes_expect_dropped(struct probe *p, int n, int err)
{
	int i;

	for (i = 0; i < n; i++) {
		KT_EXPECT_EQ(atomic_read(&p[i].ran), 0);
		KT_EXPECT_EQ(atomic_read(&p[i].dropped), 1);
		KT_EXPECT_EQ(p[i].err, err);
	}
}

/* A deadline that nothing can meet. */
static inline ktime_t the_past(void)
{
	return ktime_sub_ns(ktime_get(), 1);
}

/* A read of it afterwards shows, with or without KASAN. */
static inline void poison(void *mem, size_t size)
{
	OPTIMIZER_HIDE_VAR(mem);
	memset(mem, 0x6b, size);
}

/*
 * The end of a scenario with jobs: those being dropped and those delayed are
 * waited for too.
 */
static inline void jobs_end(struct kpool *pool)
{
	if (IS_ERR_OR_NULL(pool))
		return;
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, delayed), 0);
	KT_EXPECT_EQ(kt_stat(pool, units), 0);
	kt_pool_end(pool);
}

#endif /* _KPOOL_SELFTEST_JOBS_H */
