/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A unit of work whose result is collected, for the scenarios of those pools
 * that have such.  go-playground/pool calls it a WorkUnit; elsewhere it is sent
 * through a channel of results.
 */
#ifndef _KPOOL_SELFTEST_UNIT_H
#define _KPOOL_SELFTEST_UNIT_H

#include "selftest.h"

struct unit {
	struct kpool_job	job;
	struct kt_gate		*gate;
	struct kpool_group	*group;
	int			nr;
	int			value;		/* its result */
	int			dropped;	/* with what, if it has not run */
};

static inline struct unit *unit_of_job(struct kpool_job *job)
{
	return container_of(job, struct unit, job);
}

static inline struct unit *unit_of(struct kpool_item *item)
{
	return unit_of_job(kpool_job_of(item));
}

/* A kpool_item_fn of a second where that is free; value: twice the number. */
static inline int unit_second(struct kpool_item *item)
{
	struct unit *u = unit_of(item);

	atomic_inc(&u->gate->started);
	kt_sleep_ms(kt_ms(1000, 10));
	u->value = 2 * u->nr;
	atomic_inc(&u->gate->finished);
	return 0;
}

/* A kpool_item_fn: the same, but waits at the gate. */
static inline int unit_gated(struct kpool_item *item)
{
	struct unit *u = unit_of(item);

	u->value = 2 * u->nr;
	return kt_gate_pass(u->gate);
}

static inline void unit_dropped(struct kpool_item *item, int err)
{
	struct unit *u = unit_of(item);

	u->dropped = err;
	atomic_inc(&u->gate->dropped);
}

/* @n units, of a group or of none; to be given to kvfree(). */
static inline struct unit *units_make(int n, kpool_item_fn fn,
				      struct kt_gate *gate,
				      struct kpool_group *group)
{
	struct unit *units = kvcalloc(n, sizeof(*units), GFP_KERNEL);
	int i;

	if (!KT_EXPECT(units))
		return NULL;
	for (i = 0; i < n; i++) {
		kpool_init_job(&units[i].job, fn);
		kpool_set_drop_fn(&units[i].job.item, unit_dropped);
		kpool_set_group(&units[i].job, group);
		units[i].gate = gate;
		units[i].group = group;
		units[i].nr = i;
		units[i].value = -1;
	}
	return units;
}

/* Submit @n units; returns how many were accepted, the rest got @err. */
static inline int units_submit(struct kpool *pool, struct unit *units, int n,
			       int err)
{
	int i, ret, accepted = 0;

	for (i = 0; i < n; i++) {
		ret = kpool_submit(pool, &units[i].job.item);
		if (!ret)
			accepted++;
		else if (!KT_EXPECT_EQ(ret, err))
			break;
	}
	return accepted;
}

/* The results that come out of a group that collects. */
struct results {
	int	nr;		/* all of them */
	int	good;		/* ran without an error */
	int	sum;		/* of their values */
	int	cancelled;
};

/* Take every result of a group; one that never comes is a failure. */
static inline void results_take(struct kpool_group *group, struct results *r)
{
	struct kpool_job *job;

	memset(r, 0, sizeof(*r));
	while ((job = kpool_group_next(group, KT_LIMIT))) {
		if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(job), 0))
			return;
		r->nr++;
		if (!kpool_job_result(job)) {
			r->good++;
			r->sum += unit_of_job(job)->value;
		} else if (kpool_job_result(job) == -ECANCELED) {
			r->cancelled++;
		}
	}
}

#endif /* _KPOOL_SELFTEST_UNIT_H */
