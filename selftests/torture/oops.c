// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items that kill their worker: by an oops, where the kernel survives it, or by
 * ending its thread.
 *
 * They hold nothing, and only a tuner here waits for them.  A submitter must
 * not run them itself, so they are tried, or go to a pool where that never
 * happens.
 */
#include <linux/compiler.h>
#include <linux/kthread.h>
#include <linux/poison.h>

#include "torture.h"

enum kpt_death {
	KPT_BAD_READ,
	KPT_BAD_JUMP,
	KPT_WILD_READ,
	KPT_EXIT,
};

struct kpt_victim {
	struct kpool_job	job;
	struct kpt_target	*target;
	enum kpt_death		how;
	bool			died;
};

static atomic_t kpt_deaths[2];	/* by oops, by exit */

/* Choose another death, if there can be one. */
static bool kpt_choose_death(struct kpt_ctx *ctx, enum kpt_death *how)
{
	bool exits = kpt_one_in(ctx, 2);

	*how = exits ? KPT_EXIT : kpt_rnd(ctx, KPT_EXIT);
	return atomic_read(&kpt_deaths[exits]) < (exits ? kpt_exits : kpt_oops);
}

static int kpt_die(enum kpt_death how)
{
	int *where = how == KPT_WILD_READ ? LIST_POISON1 : NULL;
	void (*nowhere)(void) = NULL;

	/* or the compiler knows better */
	OPTIMIZER_HIDE_VAR(where);
	OPTIMIZER_HIDE_VAR(nowhere);
	if (how == KPT_EXIT)
		kthread_complete_and_exit(NULL, 0);
	if (how == KPT_BAD_JUMP)
		nowhere();
	return *where;
}

/* A kpool_fn.  The worker's data goes with it. */
static int kpt_victim_fn(void *arg)
{
	struct kpt_victim *v = arg;

	kpt_count(v->target, died);
	if (v->target->kind == KPT_WORKER_DATA)
		atomic_dec(&v->target->worker_data);
	atomic_inc(&kpt_deaths[v->how == KPT_EXIT]);
	WRITE_ONCE(v->died, true);
	return kpt_die(v->how);
}

static int kpt_victim_run(struct kpool_item *item)
{
	return kpt_victim_fn(container_of(item, struct kpt_victim, job.item));
}

static void kpt_victim_dropped(struct kpool_item *item, int err)
{
	struct kpt_victim *v = container_of(item, struct kpt_victim, job.item);

	kpt_count(v->target, dropped);
	if (err == -ETIME)
		kpt_count(v->target, expired);
}

/* A waiter for it gets -EIO, unless it has been reaped before. */
static void kpt_check_death(struct kpt_victim *v, const char *what, int err)
{
	static const int allowed[] = { -EIO, 0 };

	if (err)
		kpt_check_answer(what, err, allowed);
	if (err && !READ_ONCE(v->died))
		kpt_violation(KPT_ANSWER, "%s: a thread that lives is said to have died",
			      what);
}

static void kpt_item_dies(struct kpt_victim *v)
{
	if (kpool_try_submit(kpt_pool(v->target), &v->job.item))
		return;
	kpt_count(v->target, accepted);
	kpt_check_death(v, "kpool_flush_item()",
			kpool_flush_item(&v->job.item));
}

static void kpt_member_dies(struct kpt_victim *v)
{
	struct kpool *pool = v->target->pool;
	struct kpool_group group;

	kpool_init_group(&group, pool, NULL, 0);
	kpool_set_group(&v->job, &group);
	if (kpool_try_submit(pool, &v->job.item))
		return;
	kpt_count(v->target, accepted);
	kpt_check_death(v, "kpool_group_wait()",
			kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT));
}

/* A call is the only wait that cannot come too late. */
static void kpt_call_dies(struct kpt_victim *v)
{
	int err = kpool_call(v->target->pool, kpt_victim_fn, v, NULL);

	if (!READ_ONCE(v->died)) {
		kpt_count(v->target, unsure);
		return;
	}
	kpt_count(v->target, accepted);
	if (err != -EIO)
		kpt_violation(KPT_ANSWER, "a call that died returned %d", err);
}

void kpt_op_oops(struct kpt_ctx *ctx, struct kpt_target *t)
{
	bool may_call = t->kind != KPT_WIDE && t->kind != KPT_MULTI;
	struct kpt_victim *v;
	enum kpt_death how;

	if (!kpt_choose_death(ctx, &how))
		return;
	v = kpt_alloc(t, sizeof(*v), GFP_KERNEL);
	if (!v)
		return;
	kpool_init_job(&v->job, kpt_victim_run);
	kpool_set_drop_fn(&v->job.item, kpt_victim_dropped);
	v->target = t;
	v->how = how;
	if (may_call && kpt_one_in(ctx, 3))
		kpt_call_dies(v);
	else if (kpt_one_in(ctx, 2))
		kpt_member_dies(v);
	else
		kpt_item_dies(v);
	kpt_free(t, v);
}
