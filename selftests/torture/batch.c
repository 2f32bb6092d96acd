// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups: one that a thread makes, fills, waits for and leaves, and those that
 * everybody uses.
 */
#include "torture.h"

#define KPT_BATCH	8

struct kpt_batch {
	struct kpool_group	group;
	unsigned int		flags;
	struct kpt_item		*item[KPT_BATCH];
	int			nr;		/* accepted */
	atomic_t		ended;
};

static void kpt_batch_add(struct kpt_batch *b, struct kpt_ctx *ctx,
			  struct kpt_target *t)
{
	struct kpt_item *it = kpt_alloc(t, sizeof(*it), GFP_KERNEL);

	if (!it)
		return;
	kpt_item_init(it, t, ctx, true);
	kpool_set_group(&it->job, &b->group);
	it->is_bound = true;
	it->nr_ended = &b->ended;
	if (kpt_submit(ctx, it, kpt_one_in(ctx, 8) ?
		       KPT_DELAYED : kpt_any_way(ctx, t)))
		kpt_free(t, it);
	else
		b->item[b->nr++] = it;
}

/* Wait, also in small pieces. */
static void kpt_batch_wait(struct kpt_batch *b, struct kpt_ctx *ctx)
{
	const int allowed[] = { -ETIMEDOUT, kpt_or_died(-ETIMEDOUT), 0 };
	unsigned long timeout;
	int err;

	do {
		timeout = kpt_one_in(ctx, 2) ? MAX_SCHEDULE_TIMEOUT :
						kpt_rnd(ctx, 4);
		err = kpool_group_wait(&b->group, timeout);
		if (err)
			kpt_check_answer("kpool_group_wait()", err, allowed);
	} while (err == -ETIMEDOUT);
	if (atomic_read(&b->ended) != b->nr)
		kpt_violation(KPT_ONCE, "of a group of %d, %d have ended",
			      b->nr, atomic_read(&b->ended));
}

/* A group that collects gives each job back once. */
static void kpt_batch_collect(struct kpt_batch *b)
{
	struct kpool_job *job;
	int nr = 0;

	while (!IS_ERR_OR_NULL(job = kpool_group_next(&b->group,
						      MAX_SCHEDULE_TIMEOUT)))
		nr++;
	if (IS_ERR(job) || nr != b->nr)
		kpt_violation(KPT_ONCE, "of a group of %d, %d were collected (%d)",
			      b->nr, nr, PTR_ERR_OR_ZERO(job));
}

void kpt_op_batch(struct kpt_ctx *ctx, struct kpt_target *t)
{
	struct kpt_batch b = {
		.flags = kpt_rnd(ctx, 4),	/* both flags */
		.ended = ATOMIC_INIT(0),
	};
	int i, n = 1 + kpt_rnd(ctx, KPT_BATCH);

	kpool_init_group(&b.group, t->pool, NULL, b.flags);
	for (i = 0; i < n; i++)
		kpt_batch_add(&b, ctx, t);
	if (kpt_one_in(ctx, 4))
		kpool_group_cancel(&b.group);
	kpt_batch_wait(&b, ctx);
	if (b.flags & KPOOL_GROUP_COLLECT)
		kpt_batch_collect(&b);
	for (i = 0; i < b.nr; i++)
		kpt_free(t, b.item[i]);
}

/* The groups of all: cancelled now and then, which lasts until a renewal. */
void kpt_op_group(struct kpt_ctx *ctx, struct kpt_target *t)
{
	const int allowed[] = { -ETIMEDOUT, kpt_or_died(-ETIMEDOUT), 0 };
	struct kpool_group *group = &t->group[kpt_rnd(ctx, 2)];
	int err;

	if (kpt_one_in(ctx, 64))
		kpool_group_cancel(group);
	kpool_group_error(group);
	if (ctx->where != KPT_IN_THREAD)
		return;
	err = kpool_group_wait(group, kpt_rnd(ctx, 3));
	if (err)
		kpt_check_answer("kpool_group_wait()", err, allowed);
}
