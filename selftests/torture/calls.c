// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls.  Of one that fails it is not known whether it was refused, or accepted
 * and then given up: the counters have a column for those.
 */
#include <linux/delay.h>

#include "torture.h"

struct kpt_call {
	struct kpt_target	*target;
	atomic_t		ran;
	int			ret;
	unsigned int		us;
};

static int kpt_called(void *arg)
{
	struct kpt_call *call = arg;
	struct kpt_target *t = call->target;
	struct kpt_run run;

	kpt_run_begin(&run, t, 1, call);
	atomic_inc(&call->ran);
	if (call->us)
		fsleep(call->us);
	if (call->ret)
		kpt_count(t, failed);
	kpt_run_end(&run);
	return call->ret;
}

static void kpt_call_init(struct kpt_call *call, struct kpt_ctx *ctx,
			  struct kpt_target *t)
{
	call->target = t;
	atomic_set(&call->ran, 0);
	call->ret = kpt_one_in(ctx, 8) ? -EIO : 0;
	call->us = kpt_one_in(ctx, 4) ? 1 + kpt_rnd(ctx, 300) : 0;
}

static void kpt_check_call(struct kpt_ctx *ctx, struct kpt_call *call,
			   int err, int result)
{
	const int allowed[] = {
		-EAGAIN, -ESHUTDOWN, -ECANCELED, -ENOMEM,
		ctx->where == KPT_IN_ITEM ? -EDEADLK : -EAGAIN,
		0
	};
	int ran = atomic_read(&call->ran);

	if (ran != !err)
		kpt_violation(KPT_ONCE,
			      "a call that returned %d has run %d times", err,
			      ran);
	if (!err && result != call->ret)
		kpt_violation(KPT_ANSWER, "a call's result is %d, not %d",
			      result, call->ret);
	if (err)
		kpt_check_answer("kpool_call()", err, allowed);
}

static void kpt_count_call(struct kpt_target *t, int err)
{
	if (err)
		kpt_count(t, unsure);
	else
		kpt_count(t, accepted);
}

void kpt_op_call(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_caller caller;
	struct kpt_call call;
	int err, result = 0;

	/* waits across pools are not detected */
	if (ctx->where == KPT_IN_ITEM && t->multi)
		return;
	kpt_call_init(&call, ctx, t);
	kpt_caller_in(t, &caller, &call);
	err = kpool_call(kpt_pool(t), kpt_called, &call, &result);
	kpt_caller_out(t, &caller);
	kpt_count_call(t, err);
	kpt_check_call(ctx, &call, err, result);
}

static void kpt_call_release(void *arg)
{
	struct kpt_call *call = arg;

	kpt_free(call->target, call);
}

/* After a time-out the argument belongs to the pool. */
void kpt_op_call_timeout(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_call *call = kpt_alloc(t, sizeof(*call), GFP_KERNEL);
	struct kpt_caller caller;
	int err, result = 0;

	if (!call)
		return;
	kpt_call_init(call, ctx, t);
	kpt_caller_in(t, &caller, call);
	err = kpool_call_timeout(kpt_pool(t), kpt_called, call,
				 kpt_call_release, kpt_rnd(ctx, 4), &result);
	kpt_caller_out(t, &caller);
	kpt_count_call(t, err);
	if (err == -ETIMEDOUT)
		return;
	kpt_check_call(ctx, call, err, result);
	kpt_free(t, call);
}
