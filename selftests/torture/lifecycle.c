// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shutdown, abort, reopen, and the renewal of a whole target.
 */
#include <linux/jiffies.h>

#include "torture.h"

static struct kpool *kpt_pool_nr(struct kpt_target *t, int i)
{
	return t->multi ? kpool_multi_pool(t->multi, i) : t->pool;
}

static void kpt_shutdown_all(struct kpt_target *t)
{
	int i;

	if (kpt_is_broken(KPT_BROKEN_CLOSED))
		return;
	for (i = 0; i < t->width; i++)
		kpool_shutdown(kpt_pool_nr(t, i));
}

static int kpt_shutdown_timeout(struct kpt_target *t, unsigned long timeout)
{
	return t->multi ? kpool_multi_shutdown_timeout(t->multi, timeout) :
			  kpool_shutdown_timeout(t->pool, timeout);
}

/* A closed pool admits nothing; if it was aborted, nothing starts either. */
static void kpt_check_closed(struct kpt_ctx *ctx, struct kpt_target *t,
			     bool aborted)
{
	struct kpool_stats before, after;

	kpt_get_stats(t, &before);
	kpt_nap(ctx, 1000);
	kpt_get_stats(t, &after);
	if (after.submitted != before.submitted)
		kpt_violation(KPT_CLOSED, "%s: %llu accepted in a closed pool",
			      t->name, after.submitted - before.submitted);
	if (aborted && kpt_starts(&after) != kpt_starts(&before))
		kpt_violation(KPT_CLOSED, "%s: started in an aborted pool",
			      t->name);
}

/* A shutdown that has not timed out leaves nothing. */
static void kpt_check_shut_down(struct kpt_target *t)
{
	struct kpool_stats s;

	kpt_get_stats(t, &s);
	if (s.alive || s.pending || s.delayed || s.running || s.blocked)
		kpt_violation(KPT_CLOSED,
			      "%s: alive %llu, pending %llu, delayed %llu, running %llu, blocked %llu after shutdown",
			      t->name, s.alive, s.pending, s.delayed,
			      s.running, s.blocked);
	if (s.submitted != s.completed + s.cancelled + s.dropped + s.died)
		kpt_violation(KPT_COUNTERS, "%s: items are left after shutdown",
			      t->name);
}

/* min_workers can lack memory or their data: then the pool stays closed. */
static void kpt_reopen(struct kpt_ctx *ctx, struct kpt_target *t)
{
	static const int allowed[] = { -EBUSY, -ENOMEM, -EAGAIN, 0 };
	int err;

	while ((err = t->multi ? kpool_multi_reopen(t->multi) :
				 kpool_reopen(t->pool))) {
		kpt_check_answer("kpool_reopen()", err, allowed);
		kpt_nap(ctx, 500);
	}
}

void kpt_op_shutdown(struct kpt_ctx *ctx, struct kpt_target *t)
{
	const int allowed[] = { -ETIMEDOUT, kpt_or_died(-ETIMEDOUT), 0 };
	int err = -ETIMEDOUT;

	if (!mutex_trylock(&t->life))
		return;
	kpt_shutdown_all(t);
	kpt_check_closed(ctx, t, false);
	while (kpt_rnd(ctx, 8) && err == -ETIMEDOUT) {
		err = kpt_shutdown_timeout(t, kpt_rnd(ctx, 4));
		if (err)
			kpt_check_answer("kpool_shutdown_timeout()", err,
					 allowed);
	}
	if (!err || err == -EIO)
		kpt_check_shut_down(t);
	kpt_reopen(ctx, t);
	mutex_unlock(&t->life);
}

void kpt_op_abort(struct kpt_ctx *ctx, struct kpt_target *t)
{
	int i;

	if (!mutex_trylock(&t->life))
		return;
	for (i = 0; i < t->width; i++)
		kpool_abort(kpt_pool_nr(t, i));
	kpt_check_closed(ctx, t, true);
	kpt_reopen(ctx, t);
	mutex_unlock(&t->life);
}

void kpt_op_renew(struct kpt_ctx *ctx, struct kpt_target *t)
{
	if (!mutex_trylock(&t->life))
		return;
	kpt_renew(ctx, t);
	mutex_unlock(&t->life);
}
