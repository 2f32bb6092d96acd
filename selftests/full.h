/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pool that is full, for tests of submitters that come then.
 *
 * Each of its units is held by an item that waits at the gate.
 */
#ifndef _KPOOL_SELFTEST_FULL_H
#define _KPOOL_SELFTEST_FULL_H

#include "selftest.h"

#define FULL_MAX	8

struct full {
	struct kpool	*pool;
	int		capacity;
	struct kt_gate	gate;
	struct kt_job	job[FULL_MAX];
};

/* Make a pool of attrs->capacity units and fill it. */
static inline bool full_make(struct full *f, const struct kpool_attrs *attrs)
{
	int i;

	f->capacity = attrs->capacity;
	kt_gate_init(&f->gate);
	f->pool = kt_pool("full", attrs);
	if (!f->pool)
		return false;
	for (i = 0; i < f->capacity; i++) {
		kt_job_init(&f->job[i], kt_job_gated, &f->gate, i);
		KT_EXPECT_EQ(kpool_submit(f->pool, &f->job[i].item), 0);
	}
	return KT_EXPECT(kt_wait(atomic_read(&f->gate.started) == f->capacity));
}

/* Let its items end, check the counters and destroy it. */
static inline void full_end(struct full *f)
{
	kt_gate_open(&f->gate);
	kt_pool_end(f->pool);
}

/* Start a thread that sleeps in a submit of its own kind. */
static inline bool full_block(struct kt_submitter *s, int (*fn)(void *arg),
			      struct kpool *pool, struct kpool_item *item)
{
	u64 blocked = kt_stat(pool, blocked);

	s->pool = pool;
	s->item = item;
	return kt_thread_start(&s->thread, fn, s) &&
	       KT_EXPECT(kt_wait(kt_stat(pool, blocked) == blocked + 1));
}

/* The order in which items ran. */
struct order {
	spinlock_t	lock;	/* of the others */
	int		n;
	int		nr[64];
};

static inline void order_init(struct order *order)
{
	spin_lock_init(&order->lock);
	order->n = 0;
}

static inline void order_note(struct order *order, int nr)
{
	spin_lock(&order->lock);
	if (order->n < ARRAY_SIZE(order->nr))
		order->nr[order->n++] = nr;
	spin_unlock(&order->lock);
}

/* Were there @n, numbered from 0 up? */
static inline void order_expect_rising(struct order *order, int n)
{
	int i;

	KT_EXPECT_EQ(order->n, n);
	for (i = 0; i < order->n; i++)
		KT_EXPECT_EQ(order->nr[i], i);
}

#endif /* _KPOOL_SELFTEST_FULL_H */
