/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs that do one thing which may sleep, and what they got.
 */
#ifndef _KPOOL_SELFTEST_ACTOR_H
#define _KPOOL_SELFTEST_ACTOR_H

#include "group.h"

/* A job that does one thing as soon as it runs; then it waits at its gate. */
struct actor {
	struct probe		probe;
	struct kpool		*pool;
	struct kpool_group	*group;
	unsigned long		timeout;
	int			(*act)(struct actor *a);
	struct task_struct	*task;		/* once it acts */
	int			got;
	bool			acted;
};

static struct actor cast[3];

static inline int actor_fn(struct kpool_item *item)
{
	struct actor *a = container_of(probe_of(item), struct actor, probe);

	WRITE_ONCE(a->task, current);
	a->got = a->act(a);
	/* Pairs with actor_expect(): then @got is there. */
	smp_store_release(&a->acted, true);
	return probe_fn(item);
}

static inline void actor_init(struct actor *a, struct kpool *pool,
			      struct kpool_group *which,
			      int (*act)(struct actor *a))
{
	memset(a, 0, sizeof(*a));
	probe_init(&a->probe, actor_fn, 0);
	a->pool = pool;
	a->group = which;
	a->act = act;
	a->timeout = MAX_SCHEDULE_TIMEOUT;
}

static inline bool actor_start(struct actor *a)
{
	return KT_EXPECT_EQ(kpool_submit(a->pool, &a->probe.job.item), 0);
}

/* It sleeps in what it does. */
static inline void actor_sleeps(struct actor *a)
{
	KT_EXPECT(kt_wait(READ_ONCE(a->task) && !task_is_running(a->task)));
	KT_EXPECT(!READ_ONCE(a->acted));
}

static inline void actor_expect(struct actor *a, int got)
{
	/* Pairs with actor_fn(). */
	if (KT_EXPECT(kt_wait(smp_load_acquire(&a->acted))))
		KT_EXPECT_EQ(a->got, got);
}

#endif /* _KPOOL_SELFTEST_ACTOR_H */
