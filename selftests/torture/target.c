// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets: the pools that are worked on, made anew from time to time.
 *
 * A target has users, which can call its pool, and one user more while it is
 * open.  When that one leaves, no new user is admitted.  When the last has
 * left, no submit is under way, and the pool's work comes to an end by itself.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "torture.h"

struct kpt_target kpt_targets[KPT_MAX_TARGETS];
unsigned int kpt_nr_targets;
struct kpt_counters kpt_total;	/* of the pools that are gone */

/* Users */

bool kpt_get(struct kpt_target *t)
{
	return atomic_inc_not_zero(&t->users);
}

void kpt_put(struct kpt_target *t)
{
	if (atomic_dec_and_test(&t->users))
		complete(&t->unused);
}

struct kpt_target *kpt_get_any(struct kpt_ctx *ctx)
{
	struct kpt_target *t = &kpt_targets[kpt_rnd(ctx, kpt_nr_targets)];

	return kpt_get(t) ? t : NULL;
}

/* Its pool, or one of them. */
struct kpool *kpt_pool(struct kpt_target *t)
{
	return t->multi ? kpool_multi_pick(t->multi) : t->pool;
}

void kpt_get_stats(struct kpt_target *t, struct kpool_stats *stats)
{
	if (t->multi)
		kpool_multi_get_stats(t->multi, stats);
	else
		kpool_get_stats(t->pool, stats);
	if (kpt_is_broken(KPT_BROKEN_COUNTER))
		stats->completed++;
}

/* Rest */

bool kpt_rests(struct kpt_target *t)
{
	struct kpool_stats s;

	kpt_get_stats(t, &s);
	return !s.pending && !s.delayed && !s.running && !s.blocked &&
	       s.submitted <= s.completed + s.cancelled + s.dropped + s.died;
}

/* No thread submits now: what there is starts, and ends. */
void kpt_wait_drained(struct kpt_target *t)
{
	unsigned int begin = READ_ONCE(kpt_tick);
	bool reported = false;
	struct kpool_stats s;

	while (!kpt_rests(t)) {
		if (!reported && READ_ONCE(kpt_tick) - begin > kpt_hang_ticks()) {
			kpt_get_stats(t, &s);
			kpt_violation(KPT_LATE,
				      "%s does not drain: pending %llu, delayed %llu, running %llu, blocked %llu, units %llu",
				      t->name, s.pending, s.delayed, s.running,
				      s.blocked, s.units);
			reported = true;
		}
		usleep_range(100, 200);
	}
}

/* Making */

static void *kpt_worker_init(void *data)
{
	static atomic_t turn;
	struct kpt_target *t = data;

	if (atomic_inc_return(&turn) % 256 == 0)
		return ERR_PTR(-ENOMEM);
	atomic_inc(&t->worker_data);
	return t;
}

static void kpt_worker_exit(void *data, void *worker_data)
{
	struct kpt_target *t = data;

	if (worker_data != t)
		kpt_violation(KPT_CONTEXT, "%s: a worker exits with data not its own",
			      t->name);
	atomic_dec(&t->worker_data);
}

static void kpt_choose_attrs(struct kpt_target *t, struct kpt_ctx *ctx,
			     struct kpool_attrs *attrs)
{
	*attrs = (struct kpool_attrs) {
		.capacity	= t->kind == KPT_NARROW ? 1 :
				  1 + kpt_rnd(ctx, KPT_MAX_CAPACITY),
		.queue_depth	= 1 + kpt_rnd(ctx, 16),
		.when_full	= t->kind == KPT_WIDE ? kpt_rnd(ctx, 3) : 0,
		.expiry_ms	= 1 + kpt_rnd(ctx, 50),
		.nonblocking	= t->kind == KPT_NONBLOCKING,
		.fn		= kpt_fn,
		.data		= t,
		.fault		= kpt_fault,
	};
	if (t->kind == KPT_WORKER_DATA) {
		attrs->worker_init = kpt_worker_init;
		attrs->worker_exit = kpt_worker_exit;
	}
	if (kpt_one_in(ctx, 3)) {
		attrs->min_workers = 1;
		attrs->flags = KPOOL_PREALLOC;
	}
	if (kpt_one_in(ctx, 4))
		attrs->flags |= KPOOL_MEM_RECLAIM;
	if (kpt_one_in(ctx, 4))
		attrs->flags |= KPOOL_FREEZABLE;
}

/* A broken one allows more than it says. */
static int kpt_try_make_pool(struct kpt_target *t, struct kpool_attrs *attrs)
{
	t->cap_low = attrs->capacity;
	t->cap_high = attrs->capacity;
	if (kpt_is_broken(KPT_BROKEN_CAPACITY))
		attrs->capacity += 2;
	if (t->kind != KPT_MULTI) {
		t->pool = kpool_create(attrs, "%s", t->name);
		return PTR_ERR_OR_ZERO(t->pool);
	}
	t->multi = kpool_multi_create(attrs, t->width, attrs->capacity % 2,
				      "%s", t->name);
	if (IS_ERR(t->multi))
		return PTR_ERR(t->multi);
	t->pool = kpool_multi_pool(t->multi, 0);
	return 0;
}

static void kpt_init_parts(struct kpt_target *t)
{
	int i;

	for (i = 0; i < KPT_NR_LANES; i++)
		kpool_init_stream(&t->lane[i].stream, t->pool);
	kpool_init_group(&t->group[0], t->pool, NULL, 0);
	kpool_init_group(&t->group[1], t->pool, &t->group[0], 0);
}

/* Where memory is short, or a worker's data cannot be made, try again. */
static int kpt_make_pool(struct kpt_target *t, struct kpt_ctx *ctx)
{
	struct kpool_attrs attrs;
	int err, i;

	for (i = 0; i < 100; i++) {
		kpt_choose_attrs(t, ctx, &attrs);
		err = kpt_try_make_pool(t, &attrs);
		if (!err)
			break;
		msleep(20);
	}
	if (err) {
		kpt_violation(KPT_ANSWER, "%s cannot be made: %d", t->name,
			      err);
		return err;
	}
	WRITE_ONCE(t->generation, t->generation + 1);
	kpt_init_parts(t);
	return 0;
}

static int kpt_target_init(struct kpt_target *t, int nr, struct kpt_ctx *ctx)
{
	int i;

	snprintf(t->name, sizeof(t->name), "torture-%d", nr);
	t->kind = nr % KPT_NR_KINDS;
	t->width = t->kind == KPT_MULTI ? KPT_MAX_WIDTH : 1;
	init_completion(&t->unused);
	mutex_init(&t->life);
	mutex_init(&t->tuning);
	mutex_init(&t->pausing);
	raw_spin_lock_init(&t->callers_lock);
	INIT_LIST_HEAD(&t->callers);
	for (i = 0; i < KPT_NR_LANES; i++) {
		t->lane[i].last = -1;
		t->lane[i].is_stream = t->kind != KPT_NARROW;
	}
	t->items = kvcalloc(KPT_NR_ITEMS, sizeof(*t->items), GFP_KERNEL);
	if (!t->items)
		return -ENOMEM;
	kpt_items_init(t, ctx);
	return kpt_make_pool(t, ctx);
}

/* On error what has been made is left to kpt_targets_end(). */
int kpt_targets_make(struct kpt_ctx *ctx)
{
	int i, err;

	for (i = 0; i < kpt_npools; i++) {
		err = kpt_target_init(&kpt_targets[i], i, ctx);
		if (err) {
			kvfree(kpt_targets[i].items);
			return err;
		}
		atomic_set(&kpt_targets[i].users, 1);
		kpt_nr_targets++;
	}
	return 0;
}

/* Closing */

/* The caller is a user, and stays one. */
static void kpt_close(struct kpt_target *t)
{
	reinit_completion(&t->unused);
	kpt_put(t);
	kpt_put(t);
	wait_for_completion(&t->unused);
}

static void kpt_open(struct kpt_target *t)
{
	atomic_set_release(&t->users, 2);
}

long kpt_sum(size_t offset)
{
	long sum = atomic_long_read((void *)&kpt_total + offset);
	int i;

	for (i = 0; i < kpt_nr_targets; i++)
		sum += atomic_long_read((void *)&kpt_targets[i].counters + offset);
	return sum;
}

/* Another pool begins with new counters. */
static void kpt_turn_page(struct kpt_target *t)
{
	atomic_long_t *from = (atomic_long_t *)&t->counters;
	atomic_long_t *to = (atomic_long_t *)&kpt_total;
	int i;

	for (i = 0; i < KPT_NR_COUNTERS; i++)
		atomic_long_add(atomic_long_xchg(&from[i], 0), &to[i]);
}

static void kpt_destroy(struct kpt_target *t)
{
	int err = t->multi ? kpool_multi_destroy(t->multi) :
			     kpool_destroy(t->pool);

	if (err)
		kpt_violation(KPT_ANSWER, "%s: destroy returned %d", t->name,
			      err);
	if (atomic_read(&t->worker_data))
		kpt_violation(KPT_LEAK, "%s: %d workers have kept their data",
			      t->name, atomic_read(&t->worker_data));
	t->multi = NULL;
	kpt_check_counters(t, NULL);
	kpt_turn_page(t);
}

static void kpt_check_drained(struct kpt_target *t)
{
	struct kpool_stats s;

	kpt_wait_drained(t);
	kpt_get_stats(t, &s);
	kpt_check_counters(t, &s);
}

static void kpt_reopen_closed(struct kpt_target *t)
{
	int err = t->multi ? kpool_multi_reopen(t->multi) :
			     kpool_reopen(t->pool);

	/* min_workers can lack memory, or their data */
	if (err == -ENOMEM || err == -EAGAIN)
		return;
	if (err)
		kpt_violation(KPT_ANSWER, "%s: reopen when drained returned %d",
			      t->name, err);
}

/*
 * Send everybody away, see that the counters balance, and begin anew, with the
 * same pool or another.  The caller has t->life.
 */
void kpt_renew(struct kpt_ctx *ctx, struct kpt_target *t)
{
	bool another = kpt_one_in(ctx, 2);

	if (kpt_one_in(ctx, 3))
		kpool_shutdown(t->pool);
	else if (kpt_one_in(ctx, 3))
		kpool_abort(t->pool);
	kpt_close(t);
	/* destroy waits, too, and drops what is delayed */
	if (!another || kpt_one_in(ctx, 2))
		kpt_check_drained(t);
	if (another) {
		kpt_destroy(t);
		if (kpt_make_pool(t, ctx)) {
			/* the pool stays closed; the caller leaves */
			atomic_set(&t->users, 1);
			return;
		}
	} else {
		kpt_reopen_closed(t);
		kpt_init_parts(t);
	}
	kpt_open(t);
}

/* The end of the test: no thread uses the pools now. */
static void kpt_target_end(struct kpt_target *t)
{
	if (kpt_get(t)) {
		kpt_close(t);
		kpt_check_drained(t);
		kpt_destroy(t);
	}
	kvfree(t->items);
}

void kpt_targets_end(void)
{
	int i;

	for (i = 0; i < kpt_nr_targets; i++)
		kpt_target_end(&kpt_targets[i]);
}
