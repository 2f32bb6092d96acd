/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pool with a group and probes that can be its members, and threads that
 * wait.
 */
#ifndef _KPOOL_SELFTEST_GROUP_H
#define _KPOOL_SELFTEST_GROUP_H

#include "jobs.h"

static const struct kpool_attrs queued_four __maybe_unused = {
	.capacity = 4, .queue_depth = KPOOL_UNLIMITED,
};

static const struct kpool_attrs queued_two __maybe_unused = {
	.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
};

static const struct kpool_attrs queued_one __maybe_unused = {
	.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
};

static struct probe p[64];
static struct kpool_group group;

/* A pool, its group, and @n members that are not submitted. */
static inline struct kpool *group_make(const struct kpool_attrs *attrs, int n,
				       unsigned int flags)
{
	struct kpool *pool = kt_pool("group", attrs);
	int i;

	if (!pool)
		return NULL;
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, flags), 0);
	probes_init(p, ARRAY_SIZE(p), probe_fn);
	for (i = 0; i < n; i++)
		kpool_set_group(&p[i].job, &group);
	return pool;
}

/* A thread that waits for a group. */
struct group_waiter {
	struct kt_thread	thread;
	struct kpool_group	*group;
};

static inline int group_waiter_main(void *arg)
{
	struct group_waiter *w = arg;

	return kpool_group_wait(w->group, MAX_SCHEDULE_TIMEOUT);
}

static inline bool group_waiter_start(struct group_waiter *w,
				      struct kpool_group *which)
{
	w->group = which;
	return kt_thread_start(&w->thread, group_waiter_main, w);
}

static inline bool group_waiter_sleeps(struct group_waiter *w,
				       struct kpool_group *which)
{
	return group_waiter_start(w, which) && kt_thread_asleep(&w->thread);
}

/* A member that submits itself, and notes what it got. */
static int refused_itself;

static inline int submits_itself_until_refused(struct kpool_item *item)
{
	struct probe *one = probe_of(item);
	int err = probe_fn(item);

	/* where code takes no time, others must come to run too */
	usleep_range(100, 200);
	refused_itself = kpool_submit(one->data, item);
	return err;
}

#endif /* _KPOOL_SELFTEST_GROUP_H */
