/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs that make one call which can sleep, and what it returned. */
#ifndef _KPOOL_SELFTEST_CALLER_ITEM_H
#define _KPOOL_SELFTEST_CALLER_ITEM_H

#include "group.h"

/* A job that makes one call as soon as it runs; then it waits at its gate. */
struct caller_item {
	struct probe		probe;
	struct kpool		*pool;
	struct kpool_group	*group;
	unsigned long		timeout;
	int			(*call)(struct caller_item *a);
	struct task_struct	*task;		/* once it calls */
	int			got;
	bool			returned;
};

static struct caller_item callers[3];

static inline int caller_fn(struct kpool_item *item)
{
	struct caller_item *a = container_of(probe_of(item), struct caller_item, probe);

	WRITE_ONCE(a->task, current);
	a->got = a->call(a);
	/* Pairs with caller_expect(): then @got is there. */
	smp_store_release(&a->returned, true);
	return probe_fn(item);
}

static inline void caller_init(struct caller_item *a, struct kpool *pool,
			       struct kpool_group *which,
			       int (*call)(struct caller_item *a))
{
	memset(a, 0, sizeof(*a));
	probe_init(&a->probe, caller_fn, 0);
	a->pool = pool;
	a->group = which;
	a->call = call;
	a->timeout = MAX_SCHEDULE_TIMEOUT;
}

static inline bool caller_start(struct caller_item *a)
{
	return KT_EXPECT_EQ(kpool_submit(a->pool, &a->probe.job.item), 0);
}

/* The job sleeps in its call. */
static inline void caller_sleeps(struct caller_item *a)
{
	KT_EXPECT(kt_wait(READ_ONCE(a->task) && !task_is_running(a->task)));
	KT_EXPECT(!READ_ONCE(a->returned));
}

static inline void caller_expect(struct caller_item *a, int got)
{
	/* Pairs with caller_fn(). */
	if (KT_EXPECT(kt_wait(smp_load_acquire(&a->returned))))
		KT_EXPECT_EQ(a->got, got);
}

#endif /* _KPOOL_SELFTEST_CALLER_ITEM_H */
