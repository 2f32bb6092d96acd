// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items: what they do when they run, and how their submissions are counted.
 *
 * item->open is what is accepted, or about to be, and has not ended.  It is
 * counted up before a submit, and down when that fails, or when the item has
 * run, or has been cancelled or dropped.  It is never below zero, and zero when
 * the pool is drained.
 *
 * Of a target's items, half are common: anybody submits them at any time, and
 * they never change.  To submit one of the others, a ctx claims it, waits until
 * it is idle, and gives it new attributes.  To cancel it or to wait for it
 * takes no claim.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/slab.h>

#include "torture.h"

static struct kpt_item *kpt_item_of(struct kpool_item *item)
{
	return container_of(item, struct kpt_item, job.item);
}

void *kpt_alloc(struct kpt_target *t, size_t size, gfp_t gfp)
{
	void *memory = kzalloc(size, gfp);

	if (memory)
		atomic_inc(&t->allocated);
	return memory;
}

void kpt_free(struct kpt_target *t, void *memory)
{
	kfree(memory);
	if (!kpt_is_broken(KPT_BROKEN_LEAK))
		atomic_dec(&t->allocated);
}

bool kpt_claim(struct kpt_item *it)
{
	return !test_and_set_bit_lock(0, &it->claimed);
}

void kpt_unclaim(struct kpt_item *it)
{
	clear_bit_unlock(0, &it->claimed);
}

/* Runs */

void kpt_caller_in(struct kpt_target *t, struct kpt_caller *caller,
		   const void *what)
{
	unsigned long flags;

	caller->task = current;
	caller->what = what;
	raw_spin_lock_irqsave(&t->callers_lock, flags);
	list_add(&caller->node, &t->callers);
	raw_spin_unlock_irqrestore(&t->callers_lock, flags);
}

void kpt_caller_out(struct kpt_target *t, struct kpt_caller *caller)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&t->callers_lock, flags);
	list_del(&caller->node);
	raw_spin_unlock_irqrestore(&t->callers_lock, flags);
}

/* Does the task that submits it run it? */
static bool kpt_caller_runs(struct kpt_target *t, const void *what)
{
	struct kpt_caller *caller;
	unsigned long flags;
	bool found = false;

	raw_spin_lock_irqsave(&t->callers_lock, flags);
	list_for_each_entry(caller, &t->callers, node)
		found |= caller->task == current && caller->what == what;
	raw_spin_unlock_irqrestore(&t->callers_lock, flags);
	return found;
}

/*
 * Items held these units at some time between the last start and now.  While
 * a tuner changes the capacity, cap_low and cap_high are the lower and the
 * higher.  They stay so until all that has been accepted before the change has
 * ended.
 */
static int kpt_hold_units(struct kpt_target *t, int weight)
{
	int units = min(weight, READ_ONCE(t->cap_low));
	int now = atomic_add_return(units, &t->units);
	int most = READ_ONCE(t->cap_high) * t->width;

	if (now > most)
		kpt_violation(KPT_CAPACITY, "%s: %d units held, %d allowed",
			      t->name, now, most);
	return units;
}

static void kpt_check_context(const char *what)
{
	if (!in_task() || irqs_disabled())
		kpt_violation(KPT_CONTEXT, "%s may not sleep", what);
}

void kpt_run_begin(struct kpt_run *run, struct kpt_target *t, int weight,
		   const void *what)
{
	kpt_check_context("a run");
	run->target = t;
	run->units = 0;
	if (kpt_caller_runs(t, what))
		kpt_count(t, caller_ran);
	else
		run->units = kpt_hold_units(t, weight);
	kpt_count(t, ran);
}

void kpt_run_end(struct kpt_run *run)
{
	atomic_sub(run->units, &run->target->units);
}

static void kpt_begin_once(struct kpt_item *it)
{
	if (atomic_inc_return(&it->active) != 1)
		kpt_violation(KPT_OVERLAP, "%s: an item runs twice at once",
			      it->target->name);
}

static void kpt_enter_lane(struct kpt_item *it)
{
	struct kpt_lane *lane = it->lane;

	if (atomic_inc_return(&lane->active) != 1)
		kpt_violation(KPT_ORDER, "%s: two of a %s run at once",
			      it->target->name,
			      lane->is_stream ? "stream" : "lane");
	if (it->nr < 0)
		return;
	if (it->nr <= lane->last)
		kpt_violation(KPT_ORDER, "%s: %d starts after %d",
			      it->target->name, it->nr, lane->last);
	lane->last = it->nr;
}

static void kpt_item_begin(struct kpt_item *it)
{
	kpt_begin_once(it);
	if (kpt_is_broken(KPT_BROKEN_OVERLAP)) {
		kpt_begin_once(it);
		atomic_dec(&it->active);
	}
	if (it->lane)
		kpt_enter_lane(it);
	if (READ_ONCE(it->was_delayed) &&
	    time_before(jiffies, it->since + it->delay))
		kpt_violation(KPT_EARLY, "%s: %lu of %lu jiffies after submit",
			      it->target->name, jiffies - it->since, it->delay);
	if (it->target->kind == KPT_WORKER_DATA &&
	    kpool_worker_data() != it->target)
		kpt_violation(KPT_CONTEXT, "%s: the worker has no data",
			      it->target->name);
}

static void kpt_count_end(struct kpt_item *it)
{
	atomic_inc(&it->ends);
	if (atomic_dec_return(&it->open) < 0)
		kpt_violation(KPT_ONCE, "%s: a submission ended twice",
			      it->target->name);
}

/* A submission has ended.  The item can be gone afterwards. */
void kpt_item_ended(struct kpt_item *it)
{
	if (kpt_is_broken(KPT_BROKEN_TWICE) && !it->is_single)
		kpt_count_end(it);
	kpt_count_end(it);
	if (it->nr_ended)
		atomic_inc(it->nr_ended);
	if (it->is_single)
		kpt_free(it->target, it);
}

/* An item that submits itself is refused only by closing or cancel. */
static void kpt_submit_itself(struct kpt_item *it)
{
	static const int allowed[] = {
		-ESHUTDOWN, -EALREADY, -ECANCELED, -EINVAL, 0
	};
	int err = kpt_submit(&it->ctx, it, KPT_TRY);

	if (err)
		kpt_check_answer("an item's submit of itself", err, allowed);
}

static void kpt_item_call(struct kpt_item *it)
{
	struct kpt_target *t = it->target;

	if (!kpt_get(t))
		return;
	if (it->is_common && !t->multi && kpt_one_in(&it->ctx, 4))
		kpt_submit_itself(it);
	else
		kpt_do_something(&it->ctx, t);
	kpt_put(t);
}

static void kpt_item_passes_time(struct kpt_item *it, const struct kpt_run *run)
{
	switch (kpt_rnd(&it->ctx, 16)) {
	case 0:
	case 1:
		kpt_nap(&it->ctx, 300);
		break;
	case 2:
		udelay(1 + kpt_rnd(&it->ctx, 20));
		break;
	case 3:
	case 4:
	case 5:
		/* a submitter that runs an item runs none inside of it */
		if (run->units)
			kpt_item_call(it);
		break;
	}
}

/* A kpool_item_fn. */
int kpt_item_run(struct kpool_item *item)
{
	struct kpt_item *it = kpt_item_of(item);
	struct kpt_run run;
	int ret = 0;

	kpt_run_begin(&run, it->target, it->weight, it);
	kpt_item_begin(it);
	kpt_item_passes_time(it, &run);
	if (kpt_one_in(&it->ctx, 16)) {
		kpt_count(it->target, failed);
		ret = -EIO;
	}
	if (it->lane)
		atomic_dec(&it->lane->active);
	atomic_dec(&it->active);
	kpt_run_end(&run);
	kpt_item_ended(it);
	return ret;
}

/* A kpool_fn that is given the target. */
int kpt_fn(void *arg)
{
	struct kpt_target *t = arg;
	struct kpt_run run;

	kpt_run_begin(&run, t, 1, t);
	kpt_count(t, fn_ran);
	kpt_run_end(&run);
	return 0;
}

void kpt_fault(void *data, const struct kpool_fault *fault)
{
	struct kpt_target *t = data;

	kpt_check_context("a fault handler");
	kpt_count(t, faults);
}

/* Other ends */

static void kpt_check_reason(struct kpt_item *it, int err)
{
	static const int allowed[] = {
		-ECANCELED, -ESHUTDOWN, -ETIME, -EAGAIN, 0
	};

	kpt_check_answer("the reason to drop", err, allowed);
	if (err == -ETIME && ktime_before(ktime_get(), it->job.deadline))
		kpt_violation(KPT_EARLY, "%s: dropped before its deadline",
			      it->target->name);
	if (!it->is_job && (err == -ETIME || err == -ESHUTDOWN))
		kpt_violation(KPT_ANSWER, "%s: a plain item dropped with %d",
			      it->target->name, err);
}

/* A kpool_drop_fn. */
void kpt_item_dropped(struct kpool_item *item, int err)
{
	struct kpt_item *it = kpt_item_of(item);
	struct kpt_target *t = it->target;

	kpt_check_context("a drop function");
	kpt_check_reason(it, err);
	kpt_count(t, dropped);
	if (err == -ETIME)
		kpt_count(t, expired);
	if (it->is_common && kpt_one_in(&it->ctx, 8) && kpt_get(t)) {
		kpt_submit(&it->ctx, it, KPT_TRY);
		kpt_put(t);
	}
	kpt_item_ended(it);
}

/* Another thread has cancelled it. */
void kpt_cancelled(struct kpt_item *it)
{
	kpt_count(it->target, cancelled);
	kpt_item_ended(it);
}

/* Making */

void kpt_item_init(struct kpt_item *it, struct kpt_target *t,
		   struct kpt_ctx *ctx, bool is_job)
{
	if (is_job)
		kpool_init_job(&it->job, kpt_item_run);
	else
		kpool_init_item(&it->job.item, kpt_item_run);
	kpool_set_drop_fn(&it->job.item, kpt_item_dropped);
	kpt_ctx_init(&it->ctx, prandom_u32_state(&ctx->rnd), KPT_IN_ITEM);
	it->target = t;
	it->is_job = is_job;
	it->weight = 1;
	it->nr = -1;
}

static void kpt_make_common(struct kpt_item *it, struct kpt_ctx *ctx)
{
	struct kpt_target *t = it->target;

	it->is_common = true;
	kpool_set_priority(&it->job.item, kpt_rnd(ctx, 3));
	if (t->kind != KPT_NARROW && kpt_one_in(ctx, 4))
		it->weight = 1 + kpt_rnd(ctx, 3);
	kpool_set_weight(&it->job.item, it->weight);
	if (!it->is_job)
		return;
	if (kpt_one_in(ctx, 4))
		kpool_set_group(&it->job, &t->group[kpt_rnd(ctx, 2)]);
	if (t->kind != KPT_NARROW && kpt_one_in(ctx, 4)) {
		it->lane = &t->lane[kpt_rnd(ctx, KPT_NR_LANES)];
		kpool_set_stream(&it->job, &it->lane->stream);
	}
	it->is_bound = it->job.group || it->lane;
}

/* The items that stay, when their target is made. */
void kpt_items_init(struct kpt_target *t, struct kpt_ctx *ctx)
{
	int i;

	for (i = 0; i < KPT_NR_ITEMS; i++) {
		struct kpt_item *it = &t->items[i];

		kpt_item_init(it, t, ctx, i % 4);
		if (i < KPT_NR_ITEMS / 2)
			kpt_make_common(it, ctx);
	}
}

struct kpt_item *kpt_any_item(struct kpt_ctx *ctx, struct kpt_target *t)
{
	return &t->items[kpt_rnd(ctx, KPT_NR_ITEMS)];
}

struct kpt_item *kpt_any_common(struct kpt_ctx *ctx, struct kpt_target *t)
{
	return &t->items[kpt_rnd(ctx, KPT_NR_ITEMS / 2)];
}
