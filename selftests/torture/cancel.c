// SPDX-License-Identifier: GPL-2.0-only
/* Operations on items, and on all of a pool: cancel, disable, wait, look. */
#include "torture.h"

static const int kpt_only_deadlock[] = { -EDEADLK, 0 };
static const int kpt_nothing[] = { 0 };

void kpt_op_cancel(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_item *it = kpt_any_item(ctx, t);

	if (kpool_cancel(&it->job.item))
		kpt_cancelled(it);
}

/* Account for an item that was pending (1), or not (0). */
static void kpt_taken(struct kpt_item *it, const char *what, int ret)
{
	if (ret == 1)
		kpt_cancelled(it);
	else if (ret)
		kpt_check_answer(what, ret, kpt_nothing);
}

void kpt_op_cancel_sync(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_item *it = kpt_any_item(ctx, t);

	kpt_taken(it, "kpool_cancel_sync()", kpool_cancel_sync(&it->job.item));
}

/* While it is disabled, it cannot be submitted; then it is enabled. */
static void kpt_enable(struct kpt_ctx *ctx, struct kpt_item *it)
{
	int ret;

	if (it->is_common && !kpt_submit(ctx, it, KPT_TRY))
		kpt_violation(KPT_CLOSED, "%s: a disabled item is accepted",
			      it->target->name);
	ret = kpool_enable(&it->job.item);
	if (ret != 0 && ret != 1)
		kpt_check_answer("kpool_enable()", ret, kpt_nothing);
}

void kpt_op_disable(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_item *it = kpt_any_item(ctx, t);

	kpt_taken(it, "kpool_disable()", kpool_disable(&it->job.item));
	kpt_enable(ctx, it);
}

void kpt_op_disable_sync(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_item *it = kpt_any_item(ctx, t);

	kpt_taken(it, "kpool_disable_sync()",
		  kpool_disable_sync(&it->job.item));
	if (atomic_read(&it->active))
		kpt_violation(KPT_CLOSED, "%s: a disabled item runs", t->name);
	kpt_nap(ctx, 100);
	if (atomic_read(&it->active))
		kpt_violation(KPT_CLOSED, "%s: a disabled item starts",
			      t->name);
	kpt_enable(ctx, it);
}

void kpt_op_flush_item(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_item *it = kpt_any_item(ctx, t);
	int err;

	/* waits across pools are not detected */
	if (ctx->where == KPT_IN_ITEM && t->multi)
		return;
	err = kpool_flush_item(&it->job.item);
	if (err)
		kpt_check_answer("kpool_flush_item()", err,
				 ctx->where == KPT_IN_ITEM ?
				 kpt_only_deadlock : kpt_nothing);
}

void kpt_op_flush(struct kpt_ctx *ctx, struct kpt_target *t)
{
	const int allowed[] = { kpt_or_died(0), 0 };
	int i, err;

	for (i = 0; i < t->width; i++) {
		err = kpool_flush(t->multi ? kpool_multi_pool(t->multi, i) :
				  t->pool);
		if (err)
			kpt_check_answer("kpool_flush()", err, allowed);
	}
}

/*
 * A caller that is allowed to change its delay knows that it can start at
 * another time.
 */
void kpt_op_modify_delay(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_item *it = kpt_any_item(ctx, t);

	if (!it->is_job || !kpt_claim(it))
		return;
	WRITE_ONCE(it->was_delayed, false);
	kpool_modify_delay(&it->job, kpt_rnd(ctx, 1 + HZ / 50));
	kpt_unclaim(it);
}

void kpt_op_look(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpool_stats stats;
	struct kpool_attrs attrs;

	kpool_is_pending(&kpt_any_item(ctx, t)->job.item);
	kpool_get_attrs(kpt_pool(t), &attrs);
	kpt_get_stats(t, &stats);
	if (kpool_call_abandoned())
		kpt_violation(KPT_ANSWER, "an item is an abandoned call");
}

/* A call that can never end is refused inside an item, and changes nothing. */
void kpt_op_refused_inside(struct kpt_ctx *ctx, struct kpt_target *t)
{
	int err;

	if (t->multi)
		err = kpool_multi_destroy(t->multi);
	else if (kpt_one_in(ctx, 3))
		err = kpool_destroy(t->pool);
	else if (kpt_one_in(ctx, 2))
		err = kpool_shutdown_timeout(t->pool, MAX_SCHEDULE_TIMEOUT);
	else
		err = kpool_flush(t->pool);
	if (err != -EDEADLK)
		kpt_violation(KPT_ANSWER,
			      "a wait for its own pool, inside an item, returned %d",
			      err);
}
