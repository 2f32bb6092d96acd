// SPDX-License-Identifier: GPL-2.0-only
/* The operations of contexts, one row each. */
#include <linux/delay.h>

#include "torture.h"

#define KPT_OP(_name, _where, _weight)					\
	{ .name = #_name, .fn = kpt_op_##_name, .where = _where,	\
	  .weight = _weight }

static struct kpt_op kpt_ops[] = {
	KPT_OP(submit, KPT_ANYWHERE, 60),
	KPT_OP(submit_changed, KPT_IN_THREAD, 60),
	KPT_OP(submit_single, KPT_MAY_ALLOC, 20),
	KPT_OP(submit_fn, KPT_MAY_ALLOC, 15),
	KPT_OP(submit_locked, KPT_IN_THREAD, 15),
	KPT_OP(cancel, KPT_ANYWHERE, 15),
	KPT_OP(cancel_sync, KPT_IN_THREAD, 6),
	KPT_OP(disable, KPT_ANYWHERE, 4),
	KPT_OP(disable_sync, KPT_IN_THREAD, 3),
	KPT_OP(flush_item, KPT_MAY_SLEEP, 8),
	KPT_OP(flush, KPT_IN_THREAD, 2),
	KPT_OP(refused_inside, KPT_IN_ITEM, 3),
	KPT_OP(modify_delay, KPT_ANYWHERE, 6),
	KPT_OP(look, KPT_ANYWHERE, 4),
	KPT_OP(batch, KPT_IN_THREAD, 8),
	KPT_OP(group, KPT_ANYWHERE, 2),
	KPT_OP(call, KPT_MAY_SLEEP, 6),
	KPT_OP(call_timeout, KPT_MAY_SLEEP, 6),
	KPT_OP(interrupt, KPT_IN_THREAD, 10),
	KPT_OP(tune, KPT_IN_TUNER, 60),
	KPT_OP(tune_capacity, KPT_IN_TUNER, 30),
	KPT_OP(tune_cpumask, KPT_IN_TUNER, 6),
	KPT_OP(tune_badly, KPT_IN_TUNER, 1),
	KPT_OP(create_badly, KPT_IN_TUNER, 1),
	KPT_OP(pause, KPT_IN_TUNER, 15),
	KPT_OP(shutdown, KPT_IN_TUNER, 6),
	KPT_OP(abort, KPT_IN_TUNER, 5),
	KPT_OP(renew, KPT_IN_TUNER, 12),
	KPT_OP(kill, KPT_IN_TUNER, 15),
	KPT_OP(oops, KPT_IN_TUNER, 10),
};

void kpt_ctx_init(struct kpt_ctx *ctx, u32 seed, unsigned int where)
{
	prandom_seed_state(&ctx->rnd, seed);
	ctx->where = where;
	ctx->op = NULL;
}

void kpt_nap(struct kpt_ctx *ctx, unsigned int max_us)
{
	unsigned int us = 1 + kpt_rnd(ctx, max_us);

	usleep_range(us, us + 50);
}

static struct kpt_op *kpt_choose_op(struct kpt_ctx *ctx)
{
	unsigned int i, sum = 0, left;

	for (i = 0; i < ARRAY_SIZE(kpt_ops); i++)
		if (kpt_ops[i].where & ctx->where)
			sum += kpt_ops[i].weight;
	left = kpt_rnd(ctx, sum);
	for (i = 0; i < ARRAY_SIZE(kpt_ops); i++) {
		if (!(kpt_ops[i].where & ctx->where))
			continue;
		if (left < kpt_ops[i].weight)
			break;
		left -= kpt_ops[i].weight;
	}
	return &kpt_ops[i];
}

/* A broken target keeps one of its callers for ever. */
static void kpt_hang(struct kpt_ctx *ctx)
{
	while (kpt_is_broken(KPT_BROKEN_HANG) && ctx->where == KPT_IN_THREAD &&
	       !READ_ONCE(kpt_ending))
		msleep(20);
}

/* The caller has a reference to the target. */
void kpt_do_something(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_op *op = kpt_choose_op(ctx);
	const char *outer = ctx->op;

	WRITE_ONCE(ctx->op, op->name);
	kpt_hang(ctx);
	op->fn(ctx, t);
	atomic_long_inc(&op->done);
	WRITE_ONCE(ctx->op, outer);
}

void kpt_print_ops(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kpt_ops); i++)
		pr_info("kpool-torture: op %s: %ld\n", kpt_ops[i].name,
			atomic_long_read(&kpt_ops[i].done));
}
