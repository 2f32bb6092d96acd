// SPDX-License-Identifier: GPL-2.0-only
/*
 * The submit paths.  Each submit of an item goes through kpt_submit(), which
 * keeps the counters, and is where some of the broken targets are broken.
 */
#include <linux/bitops.h>
#include <linux/bottom_half.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "torture.h"

/* Can the ctx sleep in the target's pool, for as long as it takes? */
static bool kpt_may_wait(const struct kpt_ctx *ctx,
			 const struct kpt_target *t)
{
	/* waits across pools are not detected */
	return ctx->where == KPT_IN_THREAD ||
	       (ctx->where == KPT_IN_ITEM && !t->multi);
}

/* A way that suits where the ctx is. */
enum kpt_way kpt_any_way(struct kpt_ctx *ctx, const struct kpt_target *t)
{
	if (!kpt_may_wait(ctx, t))
		return t->kind == KPT_NONBLOCKING && kpt_one_in(ctx, 2) ?
		       KPT_SUBMIT : KPT_TRY;
	switch (kpt_rnd(ctx, 6)) {
	case 0:
		return KPT_TRY;
	case 1:
		return KPT_TIMEOUT;
	case 2:
		return KPT_KILLABLE;
	default:
		return KPT_SUBMIT;
	}
}

/* Passing on */

static int kpt_pass_delayed(struct kpt_ctx *ctx, struct kpool *pool,
			    struct kpt_item *it)
{
	unsigned long delay = kpt_rnd(ctx, kpt_one_in(ctx, 16) ? HZ / 20 : 3);

	if (!it->is_common) {
		it->delay = delay;
		it->since = jiffies;
		WRITE_ONCE(it->was_delayed, true);
	}
	if (kpt_is_broken(KPT_BROKEN_EARLY))
		delay = 0;
	return kpool_submit_delayed(pool, &it->job, delay);
}

static int kpt_pass(struct kpt_ctx *ctx, struct kpt_item *it,
		    enum kpt_way way)
{
	struct kpt_target *t = it->target;
	struct kpool *pool = it->is_bound ? t->pool : kpt_pool(t);
	struct kpool_item *item = &it->job.item;

	/* the item would go to another pool, and must not use itself then */
	if (t->multi && ctx == &it->ctx)
		return -EBUSY;
	switch (way) {
	case KPT_TRY:
		return kpool_try_submit(pool, item);
	case KPT_TIMEOUT:
		return kpool_submit_timeout(pool, item, kpt_rnd(ctx, 3));
	case KPT_KILLABLE:
		return kpool_submit_killable(pool, item);
	case KPT_DELAYED:
		return kpt_pass_delayed(ctx, pool, it);
	default:
		if (t->multi && !it->is_bound)
			return kpool_multi_submit(t->multi, item);
		return kpool_submit(pool, item);
	}
}

/* Pass as a submitter that can sleep, and so perhaps has to run the item. */
static int kpt_pass_as_caller(struct kpt_ctx *ctx, struct kpt_item *it,
			      enum kpt_way way)
{
	struct kpt_target *t = it->target;
	struct kpt_caller caller;
	int err;

	kpt_caller_in(t, &caller, it);
	err = kpt_pass(ctx, it, way);
	kpt_caller_out(t, &caller);
	return err;
}

/* Answers */

static void kpt_check_refusal(struct kpt_ctx *ctx, struct kpt_target *t,
			      enum kpt_way way, int err)
{
	static const char *const names[KPT_NR_WAYS] = {
		"kpool_try_submit()", "kpool_submit()",
		"kpool_submit_timeout()", "kpool_submit_killable()",
		"kpool_submit_delayed()",
	};
	const int allowed[] = {
		-ESHUTDOWN, -EALREADY, -ECANCELED,
		t->kind == KPT_NARROW ? -ESHUTDOWN : -EINVAL,
		t->multi ? -EBUSY : -ESHUTDOWN,
		way == KPT_DELAYED ? -ESHUTDOWN : -EAGAIN,
		way == KPT_TIMEOUT ? -ETIMEDOUT : -ESHUTDOWN,
		way == KPT_KILLABLE ? -EINTR : -ESHUTDOWN,
		(way == KPT_SUBMIT || way == KPT_KILLABLE) &&
		ctx->where == KPT_IN_ITEM ? -EDEADLK : -ESHUTDOWN,
		0
	};

	kpt_check_answer(names[way], err, allowed);
}

/* The ways that are broken; 1 if this submit is none of them. */
static int kpt_pass_broken(struct kpt_item *it)
{
	switch (kpt_broken) {
	case KPT_BROKEN_LOSE:
		return it->is_single ? 1 : 0;
	case KPT_BROKEN_LATE:
		if (!it->is_job || it->is_single || it->is_common || it->lane)
			return 1;
		return kpool_submit_delayed(it->target->pool, &it->job,
					    (kpt_stall + 5) * HZ);
	case KPT_BROKEN_ANSWER:
		return it->is_single ? 1 : -EPERM;
	default:
		return 1;
	}
}

static int kpt_do_submit(struct kpt_ctx *ctx, struct kpt_item *it,
			 enum kpt_way way)
{
	if (kpt_broken && kpt_one_in(ctx, 64)) {
		int err = kpt_pass_broken(it);

		if (err <= 0)
			return err;
	}
	if (ctx->where & KPT_MAY_SLEEP)
		return kpt_pass_as_caller(ctx, it, way);
	return kpt_pass(ctx, it, way);
}

/* Submit an item.  It can be gone if this returns 0. */
int kpt_submit(struct kpt_ctx *ctx, struct kpt_item *it, enum kpt_way way)
{
	struct kpt_target *t = it->target;
	int err;

	atomic_inc(&it->open);
	err = kpt_do_submit(ctx, it, way);
	if (!err) {
		kpt_count(t, accepted);
		return 0;
	}
	if (atomic_dec_return(&it->open) < 0)
		kpt_violation(KPT_ONCE, "%s: a submission ended twice",
			      t->name);
	kpt_count(t, refused);
	kpt_check_refusal(ctx, t, way, err);
	return err;
}

/* Ops */

void kpt_op_submit(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_item *it = kpt_any_common(ctx, t);

	if (it->is_job && kpt_one_in(ctx, 8))
		kpt_submit(ctx, it, KPT_DELAYED);
	else
		kpt_submit(ctx, it, kpt_any_way(ctx, t));
}

/* Lanes: the only holder of one submits to it, so that its order is known */

static struct kpt_lane *kpt_take_lane(struct kpt_ctx *ctx,
				      struct kpt_target *t)
{
	struct kpt_lane *lane = &t->lane[kpt_rnd(ctx, KPT_NR_LANES)];

	return test_and_set_bit_lock(0, &lane->busy) ? NULL : lane;
}

static void kpt_leave_lane(struct kpt_lane *lane)
{
	if (lane)
		clear_bit_unlock(0, &lane->busy);
}

/* A stream, or in a pool of one unit those of one priority. */
static void kpt_put_into_lane(struct kpt_ctx *ctx, struct kpt_item *it,
			      struct kpt_lane *lane)
{
	if (lane->is_stream && !it->is_job)
		return;
	if (lane->is_stream)
		kpool_set_stream(&it->job, &lane->stream);
	else
		kpool_set_priority(&it->job.item, lane - it->target->lane);
	it->is_bound |= lane->is_stream;
	it->lane = lane;
	it->nr = lane->next++;
	if (kpt_is_broken(KPT_BROKEN_ORDER) && kpt_one_in(ctx, 4))
		it->nr += 2;
}

/* Give an item that rests new attributes. */
static void kpt_change(struct kpt_ctx *ctx, struct kpt_item *it)
{
	struct kpt_target *t = it->target;
	struct kpool_group *group = NULL;
	ktime_t deadline = 0;

	it->lane = NULL;
	it->nr = -1;
	it->weight = 1;
	WRITE_ONCE(it->was_delayed, false);
	if (t->kind != KPT_NARROW && kpt_one_in(ctx, 3))
		it->weight = 1 + kpt_rnd(ctx, 4);
	kpool_set_weight(&it->job.item, it->weight);
	kpool_set_priority(&it->job.item, kpt_rnd(ctx, 3));
	if (!it->is_job)
		return;
	if (kpt_one_in(ctx, 8))
		deadline = ktime_add_us(ktime_get(), kpt_rnd(ctx, 500));
	if (kpt_one_in(ctx, 4))
		group = &t->group[kpt_rnd(ctx, 2)];
	kpool_set_deadline(&it->job, deadline);
	kpool_set_group(&it->job, group);
	kpool_set_stream(&it->job, NULL);
	it->is_bound = group;
}

/* An item that is delayed joins its lane when it is due. */
static void kpt_submit_to(struct kpt_ctx *ctx, struct kpt_item *it,
			  struct kpt_lane *lane)
{
	if (lane)
		kpt_put_into_lane(ctx, it, lane);
	if (!lane && it->is_job && kpt_one_in(ctx, 8))
		kpt_submit(ctx, it, KPT_DELAYED);
	else
		kpt_submit(ctx, it, kpt_any_way(ctx, it->target));
}

void kpt_op_submit_changed(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_lane *lane = NULL;
	struct kpt_item *it;

	it = &t->items[KPT_NR_ITEMS / 2 + kpt_rnd(ctx, KPT_NR_ITEMS / 2)];
	if (!kpt_claim(it))
		return;
	if (kpool_flush_item(&it->job.item)) {
		kpt_violation(KPT_ANSWER, "kpool_flush_item() failed");
		goto out;
	}
	kpt_change(ctx, it);
	if (kpt_one_in(ctx, 2))
		lane = kpt_take_lane(ctx, t);
	kpt_submit_to(ctx, it, lane);
	kpt_leave_lane(lane);
out:
	kpt_unclaim(it);
}

/* An item that is allocated, and frees itself when it ends. */
struct kpt_item *kpt_single(struct kpt_ctx *ctx, struct kpt_target *t)
{
	gfp_t gfp = ctx->where & KPT_MAY_SLEEP ? GFP_KERNEL : GFP_ATOMIC;
	struct kpt_item *it = kpt_alloc(t, sizeof(*it), gfp);

	if (it)
		kpt_item_init(it, t, ctx, kpt_rnd(ctx, 2));
	return it;
}

static void kpt_submit_single(struct kpt_ctx *ctx, struct kpt_target *t,
			      struct kpt_lane *lane)
{
	struct kpt_item *it = kpt_single(ctx, t);
	bool delayed;

	if (!it)
		return;
	it->is_single = true;
	kpool_set_priority(&it->job.item, kpt_rnd(ctx, 3));
	if (lane)
		kpt_put_into_lane(ctx, it, lane);
	delayed = !lane && it->is_job && kpt_one_in(ctx, 8);
	if (kpt_submit(ctx, it, delayed ? KPT_DELAYED : kpt_any_way(ctx, t)))
		kpt_free(t, it);
}

/* Many at once fill the pool. */
void kpt_op_submit_single(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_lane *lane = NULL;
	int n = 1 + kpt_rnd(ctx, 24);

	/* a thread blocked in submit inside an item must not keep a lane */
	if (ctx->where != KPT_IN_ITEM && kpt_one_in(ctx, 2))
		lane = kpt_take_lane(ctx, t);
	while (n--)
		kpt_submit_single(ctx, t, lane);
	kpt_leave_lane(lane);
}

void kpt_op_submit_fn(struct kpt_ctx *ctx, struct kpt_target *t)
{
	static const int allowed[] = {
		-EAGAIN, -ESHUTDOWN, -EDEADLK, -ENOMEM, 0
	};
	gfp_t gfp = kpt_may_wait(ctx, t) ? GFP_KERNEL : GFP_ATOMIC;
	struct kpt_caller caller;
	int err;

	kpt_caller_in(t, &caller, t);
	if (kpt_one_in(ctx, 2))
		err = kpool_submit_arg(kpt_pool(t), t, gfp);
	else
		err = kpool_submit_fn(kpt_pool(t), kpt_fn, t, gfp);
	kpt_caller_out(t, &caller);
	if (err) {
		kpt_count(t, refused);
		kpt_check_answer("kpool_submit_fn()", err, allowed);
		return;
	}
	kpt_count(t, accepted);
	kpt_count(t, fn_accepted);
}

/* Do what interrupts can do where a thread must not sleep. */
void kpt_op_submit_locked(struct kpt_ctx *ctx, struct kpt_target *t)
{
	static DEFINE_RAW_SPINLOCK(lock);
	unsigned int where = ctx->where;
	unsigned long flags;

	ctx->where = KPT_IN_HARDIRQ;
	switch (kpt_rnd(ctx, 4)) {
	case 0:
		raw_spin_lock_irqsave(&lock, flags);
		kpt_do_something(ctx, t);
		raw_spin_unlock_irqrestore(&lock, flags);
		break;
	case 1:
		local_bh_disable();
		kpt_do_something(ctx, t);
		local_bh_enable();
		break;
	case 2:
		preempt_disable();
		kpt_do_something(ctx, t);
		preempt_enable();
		break;
	default:
		rcu_read_lock();
		kpt_do_something(ctx, t);
		rcu_read_unlock();
		break;
	}
	ctx->where = where;
}
