// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tuning, pausing, and what is refused.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>

#include "torture.h"

static int kpt_do_tune(struct kpt_target *t, enum kpool_tunable tunable,
		       int value)
{
	return t->multi ? kpool_multi_tune(t->multi, tunable, value) :
			  kpool_tune(t->pool, tunable, value);
}

/* A value that is in range; some contradict another attribute. */
static int kpt_any_value(struct kpt_ctx *ctx, struct kpt_target *t,
			 enum kpool_tunable tunable)
{
	static const int policies[] = {
		KPOOL_NONE, KPOOL_POLICY_BATCH, KPOOL_POLICY_FIFO,
		KPOOL_POLICY_RR,
	};

	switch (tunable) {
	case KPOOL_TUNE_MIN_WORKERS:
		return kpt_rnd(ctx, 4) ?: KPOOL_NONE;
	case KPOOL_TUNE_QUEUE_DEPTH:
		if (kpt_one_in(ctx, 8))
			return KPOOL_UNLIMITED;
		return kpt_rnd(ctx, 32) ?: KPOOL_NONE;
	case KPOOL_TUNE_MAX_BLOCKED:
		return kpt_one_in(ctx, 3) ? KPOOL_UNLIMITED :
					     1 + kpt_rnd(ctx, 8);
	case KPOOL_TUNE_NONBLOCKING:
		return t->kind == KPT_NONBLOCKING || kpt_one_in(ctx, 4) ?
		       1 : KPOOL_NONE;
	case KPOOL_TUNE_EXPIRY_MS:
		return kpt_one_in(ctx, 8) ? KPOOL_NO_PURGE :
					     1 + kpt_rnd(ctx, 50);
	case KPOOL_TUNE_NICE:
		return (int)kpt_rnd(ctx, 16) - 10 ?: KPOOL_NONE;
	case KPOOL_TUNE_POLICY:
		return policies[kpt_rnd(ctx, ARRAY_SIZE(policies))];
	case KPOOL_TUNE_RT_PRIORITY:
		return 1 + kpt_rnd(ctx, 50);
	case KPOOL_TUNE_NODE:
		return kpt_one_in(ctx, 2) ? KPOOL_NODE(0) : KPOOL_NONE;
	case KPOOL_TUNE_STALL_MS:
		/* a report of a stall is no part of this test */
		return kpt_one_in(ctx, 2) ? 3600 * MSEC_PER_SEC :
					     KPOOL_NO_STALL;
	case KPOOL_TUNE_WHEN_FULL:
		if (t->kind == KPT_NARROW)
			return kpt_one_in(ctx, 2) ? KPOOL_FULL_DROP_OLDEST :
						     KPOOL_NONE;
		return kpt_rnd(ctx, 3) ?: KPOOL_NONE;
	case KPOOL_TUNE_MAX_BYPASS:
		return 1 + kpt_rnd(ctx, 20);
	default:
		return 0;
	}
}

static void kpt_check_tuned(struct kpt_target *t, enum kpool_tunable tunable,
			    int value, int err)
{
	static const int allowed[] = { -EINVAL, -EPERM, 0 };
	struct kpool_attrs attrs;

	if (err) {
		kpt_check_answer("kpool_tune()", err, allowed);
		return;
	}
	kpool_get_attrs(t->pool, &attrs);
	if (tunable == KPOOL_TUNE_QUEUE_DEPTH && value > 0 &&
	    attrs.queue_depth != value)
		kpt_violation(KPT_ANSWER, "%s: queue_depth %d is not in force",
			      t->name, value);
}

/* Workers that run only when no other task does: not for long. */
static void kpt_tune_idle(struct kpt_ctx *ctx, struct kpt_target *t)
{
	kpt_do_tune(t, KPOOL_TUNE_POLICY, KPOOL_POLICY_IDLE);
	kpt_nap(ctx, 500);
	kpt_do_tune(t, KPOOL_TUNE_POLICY, KPOOL_NONE);
}

void kpt_op_tune(struct kpt_ctx *ctx, struct kpt_target *t)
{
	enum kpool_tunable tunable = kpt_rnd(ctx, KPOOL_NR_TUNABLES);
	int value = kpt_any_value(ctx, t, tunable);

	/* capacity has an op of its own */
	if (tunable == KPOOL_TUNE_CAPACITY || !mutex_trylock(&t->tuning))
		return;
	if (tunable == KPOOL_TUNE_POLICY && kpt_one_in(ctx, 8))
		kpt_tune_idle(ctx, t);
	else
		kpt_check_tuned(t, tunable, value,
				kpt_do_tune(t, tunable, value));
	mutex_unlock(&t->tuning);
}

/*
 * Until all that was accepted before has ended, both capacities count; see
 * kpt_hold_units().
 */
void kpt_op_tune_capacity(struct kpt_ctx *ctx, struct kpt_target *t)
{
	static const int allowed[] = { -EINVAL, 0 };
	int capacity = 1 + kpt_rnd(ctx, KPT_MAX_CAPACITY);
	int err;

	if (t->kind == KPT_NARROW || !mutex_trylock(&t->tuning))
		return;
	WRITE_ONCE(t->cap_low, min(t->cap_low, capacity));
	WRITE_ONCE(t->cap_high, max(t->cap_high, capacity));
	err = kpt_do_tune(t, KPOOL_TUNE_CAPACITY, capacity +
			  (kpt_is_broken(KPT_BROKEN_CAPACITY) ? 2 : 0));
	if (err) {
		/* below min_workers */
		kpt_check_answer("kpool_tune()", err, allowed);
	} else {
		kpt_op_flush(ctx, t);
		WRITE_ONCE(t->cap_low, capacity);
		WRITE_ONCE(t->cap_high, capacity);
	}
	mutex_unlock(&t->tuning);
}

void kpt_op_tune_cpumask(struct kpt_ctx *ctx, struct kpt_target *t)
{
	static const int allowed[] = { -EINVAL, 0 };
	const struct cpumask *chosen;
	unsigned int cpu, pick;
	cpumask_var_t mask;
	int i, err;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return;
	for_each_possible_cpu(cpu)
		if (kpt_one_in(ctx, 2))
			cpumask_set_cpu(cpu, mask);
	pick = kpt_rnd(ctx, 4);
	chosen = pick == 0 ? cpu_all_mask : pick == 1 ? NULL : mask;
	for (i = 0; i < t->width; i++) {
		err = kpool_tune_cpumask(t->multi ?
					 kpool_multi_pool(t->multi, i) :
					 t->pool, chosen);
		if (err)
			kpt_check_answer("kpool_tune_cpumask()", err, allowed);
		if (!err && chosen == mask && cpumask_empty(mask))
			kpt_violation(KPT_ANSWER, "no CPU is a good cpumask");
	}
	free_cpumask_var(mask);
}

/* Out of range, or no attribute: refused, and nothing has changed. */
void kpt_op_tune_badly(struct kpt_ctx *ctx, struct kpt_target *t)
{
	static const int out_of_range[] = { -ERANGE, 0 };
	static const int unknown[] = { -EINVAL, 0 };
	struct kpool_attrs before, after;
	enum kpool_tunable tunable = kpt_rnd(ctx, KPOOL_NR_TUNABLES + 1);
	int err;

	if (!mutex_trylock(&t->tuning))
		return;
	kpool_get_attrs(t->pool, &before);
	err = kpt_do_tune(t, tunable, INT_MIN + 1 + kpt_rnd(ctx, 1000));
	kpool_get_attrs(t->pool, &after);
	if (tunable == KPOOL_NR_TUNABLES)
		kpt_check_answer("kpool_tune() of nothing", err, unknown);
	else
		kpt_check_answer("kpool_tune() out of range", err,
				 out_of_range);
	if (before.capacity != after.capacity ||
	    before.queue_depth != after.queue_depth ||
	    before.policy != after.policy ||
	    before.when_full != after.when_full)
		kpt_violation(KPT_ANSWER, "%s: a refused value has changed it",
			      t->name);
	mutex_unlock(&t->tuning);
}

/* A name that is taken, bad ones, bad attributes. */
void kpt_op_create_badly(struct kpt_ctx *ctx, struct kpt_target *t)
{
	static const char *const names[] = {
		"", "pools", "no/path", "a-name-that-is-longer-than-it-may-be", "default",
	};
	static const int allowed[] = { -EINVAL, -EEXIST, -ERANGE, 0 };
	struct kpool_attrs attrs = { .capacity = 2 };
	const char *name = kpt_one_in(ctx, 2) || t->multi ?
			   names[kpt_rnd(ctx, ARRAY_SIZE(names))] : t->name;
	struct kpool *pool;

	if (kpt_one_in(ctx, 3))
		attrs.min_workers = 3;
	pool = kpool_create(&attrs, "%s", name);
	kpt_check_answer("kpool_create() of what cannot be",
			 PTR_ERR_OR_ZERO(pool), allowed);
	if (!IS_ERR(pool))
		kpool_destroy(pool);
}

/* Pausing */

static void kpt_do_pause(struct kpt_target *t)
{
	static const int allowed[] = { -ESHUTDOWN, 0 };
	int i, err;

	for (i = 0; i < t->width; i++) {
		struct kpool *pool = t->multi ? kpool_multi_pool(t->multi, i) :
						t->pool;

		err = kpool_pause(pool);
		if (err)
			kpt_check_answer("kpool_pause()", err, allowed);
	}
}

static void kpt_do_resume(struct kpt_target *t)
{
	int i;

	for (i = 0; i < t->width; i++)
		kpool_resume(t->multi ? kpool_multi_pool(t->multi, i) :
			     t->pool);
}

/* Nothing starts in the pause, unless the pool is closed, which ends it. */
void kpt_op_pause(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpool_stats before, after;

	if (!mutex_trylock(&t->pausing))
		return;
	kpt_do_pause(t);
	kpt_get_stats(t, &before);
	if (kpt_is_broken(KPT_BROKEN_PAUSE))
		kpt_do_resume(t);
	kpt_nap(ctx, 2000);
	kpt_get_stats(t, &after);
	after.paused |= kpt_is_broken(KPT_BROKEN_PAUSE);
	if (before.paused && after.paused &&
	    kpt_starts(&before) != kpt_starts(&after))
		kpt_violation(KPT_PAUSE, "%s: %llu started in a paused pool",
			      t->name, kpt_starts(&after) - kpt_starts(&before));
	kpt_do_resume(t);
	mutex_unlock(&t->pausing);
}
