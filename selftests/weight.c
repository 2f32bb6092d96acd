// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items that hold more than one unit of capacity.
 */
#include "load.h"

#define LOADS	12

static struct load load[LOADS];

static const struct kpool_attrs two_units = { .capacity = 2 };

static const struct kpool_attrs four_units = { .capacity = 4 };

static const struct kpool_attrs four_units_deep = {
	.capacity = 4, .queue_depth = KPOOL_UNLIMITED,
};

static void weigh(struct load *l, int weight)
{
	KT_EXPECT_EQ(kpool_set_weight(&l->job.item, weight), 0);
}

/* A pool, and loads of weight 1. */
static struct kpool *weight_pool(const struct kpool_attrs *attrs)
{
	load_init_all(load, LOADS);
	return kt_pool("weight", attrs);
}

/* Start a thread that sleeps in a plain submit. */
static bool load_block(struct kt_submitter *s, struct kpool *pool,
		       struct load *l)
{
	return kt_submitter_block(s, pool, &l->job.item);
}

static void weight_finish(struct kpool *pool, struct kt_submitter *s, int n)
{
	load_finish(pool, load, LOADS, s, n);
}

/*
 * Two items of weight 2 fill a capacity of 4, and give it back when they end.
 * Fails if a start takes one unit for any weight, or an end gives back
 * another number than the start took.
 */
static void item_holds_its_weight(void)
{
	struct kpool *pool = weight_pool(&four_units_deep);

	if (!pool)
		return;
	weigh(&load[0], 2);
	weigh(&load[1], 2);
	if (!KT_EXPECT(load_runs(pool, &load[0])))
		goto out;
	KT_EXPECT_EQ(kt_stat(pool, units), 2);
	if (!KT_EXPECT(load_runs(pool, &load[1])))
		goto out;
	KT_EXPECT_EQ(kt_stat(pool, units), 4);
	KT_EXPECT_EQ(kt_stat(pool, running), 2);
	KT_EXPECT_EQ(load_submit(pool, &load[2]), 0);
	KT_EXPECT(load_waits(&load[2]));
	KT_EXPECT_EQ(kt_stat(pool, pending), 1);
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[2]));
	KT_EXPECT_EQ(kt_stat(pool, units), 3);
	load_end(&load[1]);
	KT_EXPECT_EQ(kt_stat(pool, units), 1);
	load_end(&load[2]);
	KT_EXPECT_EQ(kt_stat(pool, units), 0);
out:
	weight_finish(pool, NULL, 0);
}

static DEFINE_KPOOL_ITEM(static_item, kt_job_gated);

/*
 * An item whose weight was never set, or that was initialized anew, holds one
 * unit, however it was initialized.
 * Fails if an initializer leaves the weight at 0 or as it was.
 */
static void weight_is_one_if_never_set(void)
{
	struct kpool *pool = weight_pool(&four_units);

	if (!pool)
		return;
	weigh(&load[0], 3);
	load_init(&load[0], 0);
	load[1].job.item = static_item;
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT(load_runs(pool, &load[1]));
	KT_EXPECT_EQ(kpool_submit_fn(pool, kt_gate_pass, &load[2].gate,
				     GFP_KERNEL), 0);
	KT_EXPECT(load_starts(&load[2]));
	KT_EXPECT_EQ(kt_stat(pool, units), 3);
	weight_finish(pool, NULL, 0);
}

/*
 * A weight stays with its item from run to run.
 * Fails if a start or an end resets it.
 */
static void weight_is_kept_between_runs(void)
{
	struct kpool *pool = weight_pool(&four_units);
	int i;

	if (!pool)
		return;
	weigh(&load[0], 3);
	for (i = 0; i < 3; i++) {
		kt_gate_init(&load[0].gate);
		KT_EXPECT(load_runs(pool, &load[0]));
		KT_EXPECT_EQ(kt_stat(pool, units), 3);
		load_end(&load[0]);
		KT_EXPECT_EQ(kt_stat(pool, units), 0);
	}
	weight_finish(pool, NULL, 0);
}

/*
 * A heavy item whose turn it is holds back a lighter one behind it, although
 * that would fit.
 * Fails if the queue is searched for something that fits.
 */
static void heavy_head_holds_back_lighter(void)
{
	struct kpool *pool = weight_pool(&four_units_deep);

	if (!pool)
		return;
	weigh(&load[0], 2);
	weigh(&load[1], 4);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(load_submit(pool, &load[1]), 0);
	KT_EXPECT_EQ(load_submit(pool, &load[2]), 0);
	KT_EXPECT(load_waits(&load[2]));
	KT_EXPECT(!load_started(&load[1]));
	KT_EXPECT_EQ(kt_stat(pool, pending), 2);
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[1]));
	KT_EXPECT(load_waits(&load[2]));
	KT_EXPECT_EQ(kt_stat(pool, units), 4);
	load_end(&load[1]);
	KT_EXPECT(load_starts(&load[2]));
	weight_finish(pool, NULL, 0);
}

/*
 * A heavy item starts as soon as all its units are free, and not before.
 * Fails if it starts with fewer, or waits for an empty pool.
 */
static void heavy_item_starts_when_all_its_units_are_free(void)
{
	struct kpool *pool = weight_pool(&four_units_deep);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 4; i++)
		KT_EXPECT(load_runs(pool, &load[i]));
	weigh(&load[4], 3);
	KT_EXPECT_EQ(load_submit(pool, &load[4]), 0);
	for (i = 0; i < 2; i++) {
		load_end(&load[i]);
		KT_EXPECT(load_waits(&load[4]));
	}
	load_end(&load[2]);
	KT_EXPECT(load_starts(&load[4]));
	KT_EXPECT_EQ(kt_stat(pool, units), 4);
	weight_finish(pool, NULL, 0);
}

/*
 * The end of one heavy item starts as many light ones as have units.
 * Fails if the end of an item starts one item.
 */
static void end_of_a_heavy_item_starts_all_that_fit(void)
{
	struct kpool *pool = weight_pool(&four_units_deep);
	int i;

	if (!pool)
		return;
	weigh(&load[0], 4);
	KT_EXPECT(load_runs(pool, &load[0]));
	for (i = 1; i <= 5; i++)
		KT_EXPECT_EQ(load_submit(pool, &load[i]), 0);
	load_end(&load[0]);
	for (i = 1; i <= 4; i++)
		KT_EXPECT(load_starts(&load[i]));
	KT_EXPECT(load_waits(&load[5]));
	KT_EXPECT_EQ(kt_stat(pool, units), 4);
	weight_finish(pool, NULL, 0);
}

/*
 * The end of a heavy item admits all sleeping submitters that fit.
 * Fails if the end of an item admits one submitter.
 */
static void end_of_a_heavy_item_admits_all_that_fit(void)
{
	struct kpool *pool = weight_pool(&four_units);
	struct kt_submitter s[5] = { };
	int i;

	if (!pool)
		return;
	weigh(&load[0], 4);
	KT_EXPECT(load_runs(pool, &load[0]));
	for (i = 0; i < 5; i++)
		if (!load_block(&s[i], pool, &load[i + 1]))
			goto out;
	load_end(&load[0]);
	for (i = 1; i <= 4; i++)
		KT_EXPECT(load_starts(&load[i]));
	KT_EXPECT(load_waits(&load[5]));
	KT_EXPECT_EQ(kt_stat(pool, blocked), 1);
out:
	weight_finish(pool, s, 5);
}

/*
 * The submitter of a heavy item sleeps until all its units are free.
 * Fails if a free unit is room for any item.
 */
static void heavy_submitter_waits_for_all_its_units(void)
{
	struct kpool *pool = weight_pool(&four_units);
	struct kt_submitter s = { };
	int i;

	if (!pool)
		return;
	for (i = 0; i < 4; i++)
		KT_EXPECT(load_runs(pool, &load[i]));
	weigh(&load[4], 3);
	if (!load_block(&s, pool, &load[4]))
		goto out;
	for (i = 0; i < 2; i++) {
		load_end(&load[i]);
		KT_EXPECT(load_waits(&load[4]));
		KT_EXPECT_EQ(kt_stat(pool, blocked), 1);
	}
	load_end(&load[2]);
	KT_EXPECT(load_starts(&load[4]));
	KT_EXPECT_EQ(kt_stat(pool, blocked), 0);
out:
	weight_finish(pool, &s, 1);
}

/*
 * A newcomer that would fit does not overtake a heavy submitter that sleeps:
 * try is refused, the others wait.
 * Fails if room is all that a newcomer is asked for.
 */
static void newcomer_does_not_overtake_heavy_submitter(void)
{
	struct kpool *pool = weight_pool(&four_units);
	struct kt_submitter s[2] = { };

	if (!pool)
		return;
	weigh(&load[0], 2);
	weigh(&load[1], 4);
	KT_EXPECT(load_runs(pool, &load[0]));
	if (!load_block(&s[0], pool, &load[1]))
		goto out;
	KT_EXPECT_EQ(load_try(pool, &load[2]), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_timeout(pool, &load[2].job.item, 1),
		     -ETIMEDOUT);
	if (!load_block(&s[1], pool, &load[2]))
		goto out;
	KT_EXPECT(load_waits(&load[2]));
	KT_EXPECT_EQ(kt_stat(pool, units), 2);
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[1]));
	KT_EXPECT(load_waits(&load[2]));
	load_end(&load[1]);
	KT_EXPECT(load_starts(&load[2]));
out:
	weight_finish(pool, s, 2);
}

static int submit_by_try(struct kpool *pool, struct load *l)
{
	return load_try(pool, l);
}

static int submit_for_10_ms(struct kpool *pool, struct load *l)
{
	return kpool_submit_timeout(pool, &l->job.item, msecs_to_jiffies(10));
}

/* A unit of two is held: a second fits, a third does not; then all anew. */
static void units_come_and_go(int (*submit)(struct kpool *, struct load *),
			      int refusal)
{
	struct kpool *pool = weight_pool(&two_units);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 6; i += 3) {
		KT_EXPECT_EQ(load_submit(pool, &load[i]), 0);
		KT_EXPECT_EQ(submit(pool, &load[i + 1]), 0);
		KT_EXPECT_EQ(submit(pool, &load[i + 2]), refusal);
		load_end(&load[i]);
		load_end(&load[i + 1]);
	}
	KT_EXPECT_EQ(kt_stat(pool, units), 0);
	KT_EXPECT_EQ(kt_stat(pool, completed), 4);
	weight_finish(pool, NULL, 0);
}

/*
 * try takes what is free, and is refused when nothing is.
 * Fails if a unit is lost, or counted twice.
 */
static void try_takes_what_is_free(void)
{
	units_come_and_go(submit_by_try, -EAGAIN);
}

/* A submit that gives up after 10 ms takes what is free, too. */
static void timeout_takes_what_is_free(void)
{
	units_come_and_go(submit_for_10_ms, -ETIMEDOUT);
}

/*
 * An item that is heavier than capacity is refused at once by every submit
 * path, and delays no other item.
 * Fails if it waits for units that will never be, or counts as refused.
 */
static void item_heavier_than_capacity_gets_einval(void)
{
	struct kpool *pool = weight_pool(&two_units);
	struct kpool_item *heavy = &load[0].job.item;
	int i;

	if (!pool)
		return;
	weigh(&load[0], 3);
	for (i = 1; i <= 6; i++) {
		KT_EXPECT_EQ(kpool_submit(pool, heavy), -EINVAL);
		KT_EXPECT_EQ(kpool_try_submit(pool, heavy), -EINVAL);
		KT_EXPECT_EQ(kpool_submit_timeout(pool, heavy, HZ), -EINVAL);
		KT_EXPECT_EQ(kpool_submit_killable(pool, heavy), -EINVAL);
		KT_EXPECT(!kpool_is_pending(heavy));
		KT_EXPECT_EQ(load_try(pool, &load[i]), 0);
		load_end(&load[i]);
	}
	KT_EXPECT_EQ(kt_stat(pool, refused), 0);
	KT_EXPECT_EQ(kt_stat(pool, submitted), 6);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 3), 0);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(kt_stat(pool, units), 3);
	weight_finish(pool, NULL, 0);
}

/*
 * An item heavier than capacity is refused in a full pool, too, and while
 * others sleep.  No submit path makes it wait for its turn to be refused.
 * Fails if the weight is checked after the room.
 */
static void item_heavier_than_capacity_gets_einval_in_a_full_pool(void)
{
	struct kpool *pool = weight_pool(&two_units);
	struct kt_submitter s = { };

	if (!pool)
		return;
	weigh(&load[0], 2);
	weigh(&load[2], 3);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(load_submit(pool, &load[2]), -EINVAL);
	if (!load_block(&s, pool, &load[1]))
		goto out;
	KT_EXPECT_EQ(load_submit(pool, &load[2]), -EINVAL);
	KT_EXPECT_EQ(load_try(pool, &load[2]), -EINVAL);
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[1]));
out:
	weight_finish(pool, &s, 1);
}

static struct kpool *stream_pool;
static bool stream_ends;
static atomic_t stream_ran;

/* A thread that submits small items one after the other. */
static int stream_small(void *arg)
{
	struct kt_gate gate;
	struct kt_job job;
	int ret = 0;

	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_tiny, &gate, 0);
	while (!ret && !READ_ONCE(stream_ends)) {
		ret = kpool_submit(stream_pool, &job.item);
		if (ret == -EALREADY)
			ret = 0;
		atomic_inc(&stream_ran);
		usleep_range(10, 20);
	}
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	return ret;
}

/*
 * An item that needs the whole pool comes to its turn among a steady stream of
 * small ones.
 * Fails if small items pass a heavy one, queued or blocked.
 */
static void full_size_item_does_not_starve(int depth)
{
	const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = depth ? depth : KPOOL_NONE,
	};
	struct kt_thread thread[6] = { };
	int i;

	stream_pool = weight_pool(&attrs);
	if (!stream_pool)
		return;
	stream_ends = false;
	atomic_set(&stream_ran, 0);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		kt_thread_start(&thread[i], stream_small, NULL);
	KT_EXPECT(kt_wait(atomic_read(&stream_ran) > 20));
	kt_gate_open(&load[0].gate);
	weigh(&load[0], 4);
	for (i = 0; i < 20; i++) {
		KT_EXPECT_EQ(kpool_submit_timeout(stream_pool,
						  &load[0].job.item, KT_LIMIT),
			     0);
		KT_EXPECT(kt_wait(atomic_read(&load[0].gate.finished) == i + 1));
		KT_EXPECT_EQ(kpool_flush_item(&load[0].job.item), 0);
	}
	WRITE_ONCE(stream_ends, true);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		KT_EXPECT_EQ(kt_thread_join(&thread[i]), 0);
	weight_finish(stream_pool, NULL, 0);
}

static const char *const depths[] = { "without_queue", "with_queue", NULL };

/* How the first waiter is taken away. */
enum { BY_CANCEL, BY_TIMEOUT, BY_KILL };

static const char *const ways_out[] = {
	"by_cancel", "by_timeout", "by_kill", NULL
};

static int submit_soon(void *arg)
{
	struct kt_submitter *s = arg;

	return kpool_submit_timeout(s->pool, s->item, msecs_to_jiffies(10000));
}

static bool block_head(int way, struct kt_submitter *s, struct kpool *pool)
{
	if (way == BY_TIMEOUT)
		return full_block(s, submit_soon, pool, &load[1].job.item);
	if (way == BY_KILL)
		return full_block(s, load_submit_killable, pool,
				  &load[1].job.item);
	return load_block(s, pool, &load[1]);
}

static int take_head_away(int way, struct kt_submitter *s)
{
	if (way == BY_CANCEL)
		KT_EXPECT(!kpool_cancel(s->item));
	if (way == BY_KILL)
		send_sig(SIGKILL, s->thread.task, 1);
	return kt_thread_join(&s->thread);
}

/*
 * When a heavy submitter that sleeps gives up, those behind it that fit go at
 * once.
 * Fails if the end of a wait does not look at the next queued item.
 */
static void blocked_head_that_gives_up_admits_the_next(int way)
{
	static const struct kpool_attrs ten_units = { .capacity = 10 };
	static const int ret[] = { -ECANCELED, -ETIMEDOUT, -EINTR };
	struct kpool *pool = weight_pool(&ten_units);
	struct kt_submitter s[3] = { };

	if (!pool)
		return;
	KT_EXPECT(load_runs(pool, &load[0]));
	weigh(&load[1], 10);
	if (!block_head(way, &s[0], pool) ||
	    !load_block(&s[1], pool, &load[2]) ||
	    !load_block(&s[2], pool, &load[3]))
		goto out;
	KT_EXPECT_EQ(take_head_away(way, &s[0]), ret[way]);
	KT_EXPECT(load_starts(&load[2]));
	KT_EXPECT(load_starts(&load[3]));
	KT_EXPECT(!load_finished(&load[0]));
	KT_EXPECT_EQ(kt_stat(pool, units), 3);
	KT_EXPECT_EQ(kt_stat(pool, cancelled), 0);
out:
	weight_finish(pool, s, 3);
}

/*
 * When a heavy queued item is cancelled, those behind it that fit go at once.
 * Fails if cancel wakes no worker.
 */
static void cancelled_queued_head_starts_the_next(void)
{
	struct kpool *pool = weight_pool(&four_units_deep);
	int i;

	if (!pool)
		return;
	weigh(&load[0], 2);
	weigh(&load[1], 3);
	KT_EXPECT(load_runs(pool, &load[0]));
	for (i = 1; i <= 3; i++)
		KT_EXPECT_EQ(load_submit(pool, &load[i]), 0);
	KT_EXPECT(load_waits(&load[2]));
	KT_EXPECT(kpool_cancel(&load[1].job.item));
	KT_EXPECT(load_starts(&load[2]));
	KT_EXPECT(load_starts(&load[3]));
	KT_EXPECT_EQ(kt_stat(pool, units), 4);
	weight_finish(pool, NULL, 0);
}

/*
 * After capacity has shrunk below the units in use, the end of a light item
 * starts nothing: its unit is not free.
 * Fails if a worker goes on with the next item in the unit of the last one,
 * without a look at capacity.
 */
static void unit_beyond_shrunk_capacity_is_not_used_again(void)
{
	struct kpool *pool = weight_pool(&four_units_deep);

	if (!pool)
		return;
	weigh(&load[0], 3);
	if (!KT_EXPECT(load_runs(pool, &load[0])) ||
	    !KT_EXPECT(load_runs(pool, &load[1])))
		goto out;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	/*
	 * The lock is not taken between submit and end, else the worker takes
	 * it too.  Neither the pool's work, which is over by then, nor
	 * kt_stat() or load_end() takes it.
	 */
	kt_sleep_ms(10);
	KT_EXPECT_EQ(load_submit(pool, &load[2]), 0);
	kt_gate_open(&load[1].gate);
	KT_EXPECT(kt_wait(load_finished(&load[1])));
	KT_EXPECT(load_waits(&load[2]));
	KT_EXPECT_EQ(kt_stat(pool, units), 3);
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[2]));
out:
	weight_finish(pool, NULL, 0);
}

/*
 * An accepted item that has become heavier than capacity counts as capacity:
 * it still runs, alone, and beside others once the pool has grown again.
 * Fails if it waits for ever, is refused, or runs beside others before.
 * Fails (nothing else starts) if it holds its weight: mutant
 * shrunk-weight-is-held.
 */
static void item_heavier_than_shrunk_capacity_runs_alone(void)
{
	struct kpool *pool = weight_pool(&four_units_deep);

	if (!pool)
		return;
	weigh(&load[1], 4);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(load_submit(pool, &load[1]), 0);
	KT_EXPECT_EQ(load_submit(pool, &load[2]), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	KT_EXPECT(load_waits(&load[1]));
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[1]));
	KT_EXPECT(load_waits(&load[2]));
	KT_EXPECT_EQ(kt_stat(pool, running), 1);
	KT_EXPECT_EQ(kt_stat(pool, units), 2);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 4), 0);
	KT_EXPECT(load_starts(&load[2]));
	KT_EXPECT_EQ(kt_stat(pool, units), 3);
	load_end(&load[1]);
	KT_EXPECT_EQ(kt_stat(pool, units), 1);
	load_end(&load[2]);
	KT_EXPECT_EQ(kt_stat(pool, units), 0);
	weight_finish(pool, NULL, 0);
}

/*
 * Shrinking does not refuse an item whose submitter sleeps either.
 * Fails if it is refused then, or sleeps for ever.
 */
static void submitter_heavier_than_shrunk_capacity_is_admitted(void)
{
	struct kpool *pool = weight_pool(&four_units);
	struct kt_submitter s[2] = { };

	if (!pool)
		return;
	weigh(&load[1], 4);
	KT_EXPECT(load_runs(pool, &load[0]));
	if (!load_block(&s[0], pool, &load[1]) ||
	    !load_block(&s[1], pool, &load[2]))
		goto out;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	KT_EXPECT(load_waits(&load[1]));
	KT_EXPECT_EQ(kt_stat(pool, blocked), 2);
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[1]));
	KT_EXPECT_EQ(kt_thread_join(&s[0].thread), 0);
	KT_EXPECT(load_waits(&load[2]));
	load_end(&load[1]);
	KT_EXPECT(load_starts(&load[2]));
out:
	weight_finish(pool, s, 2);
}

static struct kpool *tuned;

/* The first of three runs lowers capacity below the item's weight. */
static int submits_itself_when_too_heavy(struct kpool_item *item)
{
	if (kt_stat(tuned, completed) == 2)
		return 0;
	KT_EXPECT_EQ(kpool_tune(tuned, KPOOL_TUNE_CAPACITY, 2), 0);
	KT_EXPECT_EQ(kpool_submit(tuned, item), 0);
	return 0;
}

/*
 * An item that submits itself counts as capacity, too.
 * Fails if it is refused for its weight: mutant
 * heavy-self-submission-is-invalid.
 */
static void self_submission_heavier_than_shrunk_capacity_is_accepted(void)
{
	tuned = weight_pool(&four_units);
	if (!tuned)
		return;
	weigh(&load[0], 3);
	load[0].job.item.fn = submits_itself_when_too_heavy;
	KT_EXPECT_EQ(load_submit(tuned, &load[0]), 0);
	KT_EXPECT(kt_wait(kt_stat(tuned, completed) == 3));
	KT_EXPECT_EQ(load_submit(tuned, &load[0]), -EINVAL);
	weight_finish(tuned, NULL, 0);
}

/*
 * Capacity can shrink below what runs and grow again before it ends: what an
 * end gives back is what the start took.
 * Fails if an end takes its weight from the capacity of that time.
 */
static void tuning_while_heavy_items_run_loses_no_unit(void)
{
	struct kpool *pool = weight_pool(&four_units_deep);

	if (!pool)
		return;
	weigh(&load[0], 4);
	weigh(&load[1], 4);
	weigh(&load[2], 4);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(load_submit(pool, &load[1]), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[1]));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 4), 0);
	load_end(&load[1]);
	KT_EXPECT_EQ(kt_stat(pool, units), 0);
	KT_EXPECT(load_runs(pool, &load[2]));
	KT_EXPECT_EQ(kt_stat(pool, units), 4);
	KT_EXPECT_EQ(load_submit(pool, &load[3]), 0);
	KT_EXPECT(load_waits(&load[3]));
	load_end(&load[2]);
	KT_EXPECT(load_starts(&load[3]));
	weight_finish(pool, NULL, 0);
}

/*
 * queue_depth counts items, not units: of weight 2, five run in a capacity of
 * ten and five wait, in a burst by try.
 * Fails if a waiting item takes its weight from queue_depth, or if the units of
 * items that are about to start count as free.
 */
static void queue_depth_counts_items(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 10, .queue_depth = 5,
	};
	struct kpool *pool = weight_pool(&attrs);
	int i, ret[11];

	if (!pool)
		return;
	for (i = 0; i < 11; i++)
		weigh(&load[i], 2);
	for (i = 0; i < 11; i++)
		ret[i] = load_try(pool, &load[i]);
	for (i = 0; i < 11; i++)
		KT_EXPECT_EQ(ret[i], i < 10 ? 0 : -EAGAIN);
	for (i = 0; i < 5; i++)
		KT_EXPECT(load_starts(&load[i]));
	KT_EXPECT(load_waits(&load[5]));
	KT_EXPECT_EQ(kt_stat(pool, units), 10);
	KT_EXPECT_EQ(kt_stat(pool, pending), 5);
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[5]));
	KT_EXPECT_EQ(load_try(pool, &load[10]), 0);
	weight_finish(pool, NULL, 0);
}

/*
 * The units that a heavy queued item does not fit into are not free for those
 * behind it.  They are admitted while there are places in the queue, and not
 * one more.
 * Fails if units are counted as free that it waits for.
 */
static void units_that_a_heavy_head_waits_for_are_no_room(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 2,
	};
	struct kpool *pool = weight_pool(&attrs);

	if (!pool)
		return;
	weigh(&load[1], 2);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(load_try(pool, &load[1]), 0);
	KT_EXPECT_EQ(load_try(pool, &load[2]), 0);
	KT_EXPECT_EQ(load_try(pool, &load[3]), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(pool, pending), 2);
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[1]));
	KT_EXPECT_EQ(load_try(pool, &load[3]), 0);
	load_end(&load[1]);
	KT_EXPECT(load_starts(&load[2]));
	KT_EXPECT(load_starts(&load[3]));
	weight_finish(pool, NULL, 0);
}

/*
 * Of 65 that are about to start, more than are looked at, the last takes the
 * units that the others leave.  One more waits, so that a light newcomer finds
 * no room, not even a high one.
 * Fails (two wait in a queue of one) if what is not looked at takes no units:
 * mutant unseen-items-take-no-unit.
 */
static void units_of_items_not_looked_at_are_no_room(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 130, .queue_depth = 1, .max_bypass = KPOOL_UNLIMITED,
	};
	struct kpool *pool = weight_pool(&attrs);
	static struct kt_job many[66];
	static struct kt_gate gate;
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	for (i = 0; i < ARRAY_SIZE(many); i++) {
		kt_job_init(&many[i], kt_job_tiny, &gate, i);
		KT_EXPECT_EQ(kpool_set_weight(&many[i].item, 2), 0);
		KT_EXPECT_EQ(kpool_try_submit(pool, &many[i].item), 0);
	}
	KT_EXPECT_EQ(load_try(pool, &load[0]), -EAGAIN);
	KT_EXPECT_EQ(kpool_set_priority(&load[0].job.item, KPOOL_PRIO_HIGH), 0);
	KT_EXPECT_EQ(load_try(pool, &load[0]), -EAGAIN);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), ARRAY_SIZE(many));
	weight_finish(pool, NULL, 0);
}

/*
 * Without a queue, items come in while all their units are free beside those
 * of what is about to start, and not one more.
 * Fails if admission counts items instead of units.
 */
static void burst_without_queue_fills_capacity_exactly(void)
{
	static const struct kpool_attrs attrs = { .capacity = 10 };
	struct kpool *pool = weight_pool(&attrs);
	int i, ret[4];

	if (!pool)
		return;
	for (i = 0; i < 4; i++)
		weigh(&load[i], 3);
	for (i = 0; i < 4; i++)
		ret[i] = load_try(pool, &load[i]);
	KT_EXPECT_EQ(load_try(pool, &load[4]), 0);
	KT_EXPECT_EQ(load_try(pool, &load[5]), -EAGAIN);
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(ret[i], i < 3 ? 0 : -EAGAIN);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 4));
	KT_EXPECT_EQ(kt_stat(pool, units), 10);
	weight_finish(pool, NULL, 0);
}

/*
 * Raising capacity starts a heavy queued item and those behind it that fit.
 * Fails if growing starts nothing until the next submit or end.
 */
static void raised_capacity_starts_heavy_head(void)
{
	struct kpool *pool = weight_pool(&four_units_deep);
	int i;

	if (!pool)
		return;
	weigh(&load[0], 3);
	weigh(&load[1], 4);
	KT_EXPECT(load_runs(pool, &load[0]));
	for (i = 1; i <= 3; i++)
		KT_EXPECT_EQ(load_submit(pool, &load[i]), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 6), 0);
	KT_EXPECT(load_waits(&load[1]));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 8), 0);
	KT_EXPECT(load_starts(&load[1]));
	KT_EXPECT(load_starts(&load[2]));
	KT_EXPECT(load_waits(&load[3]));
	KT_EXPECT_EQ(kt_stat(pool, units), 8);
	weight_finish(pool, NULL, 0);
}

/* Raised capacity admits a submitter that sleeps, too. */
static void raised_capacity_admits_heavy_submitter(void)
{
	struct kpool *pool = weight_pool(&four_units);
	struct kt_submitter s[2] = { };

	if (!pool)
		return;
	weigh(&load[0], 3);
	weigh(&load[1], 4);
	KT_EXPECT(load_runs(pool, &load[0]));
	if (!load_block(&s[0], pool, &load[1]) ||
	    !load_block(&s[1], pool, &load[2]))
		goto out;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 8), 0);
	KT_EXPECT(load_starts(&load[1]));
	KT_EXPECT(load_starts(&load[2]));
	KT_EXPECT_EQ(kt_stat(pool, blocked), 0);
out:
	weight_finish(pool, s, 2);
}

/*
 * A weight below 1 is refused and changes nothing.
 * Fails if it is stored, or taken for the default.
 */
static void bad_weight_is_refused(void)
{
	static const int bad[] = { 0, -1, -2, KPOOL_NONE };
	struct kpool *pool = weight_pool(&four_units);
	int i;

	if (!pool)
		return;
	weigh(&load[0], 3);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KT_EXPECT_EQ(kpool_set_weight(&load[0].job.item, bad[i]),
			     -EINVAL);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(kt_stat(pool, units), 3);
	weight_finish(pool, NULL, 0);
}

/*
 * The greatest weight there is fits a pool without limit, and nothing wraps
 * round beside it.
 * Fails if weights are summed up in an int, or cut to fewer bits.
 */
static void greatest_weight_runs_without_limit(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = KPOOL_UNLIMITED, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = weight_pool(&attrs);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 3; i++)
		weigh(&load[i], INT_MAX);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(kt_stat(pool, units), INT_MAX);
	KT_EXPECT_EQ(load_submit(pool, &load[1]), 0);
	KT_EXPECT_EQ(load_submit(pool, &load[2]), 0);
	KT_EXPECT_EQ(load_submit(pool, &load[3]), 0);
	load_open_all(load, LOADS);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, units), 0);
	KT_EXPECT_EQ(kt_stat(pool, completed), 4);
	weight_finish(pool, NULL, 0);
}

/*
 * Pause, resume and abort treat a heavy item like any other.
 * Fails if a heavy item passes the pause, or stays when all are dropped.
 */
static void heavy_item_is_paused_and_aborted(void)
{
	struct kpool *pool = weight_pool(&four_units_deep);

	if (!pool)
		return;
	weigh(&load[0], 4);
	weigh(&load[1], 3);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(load_submit(pool, &load[0]), 0);
	KT_EXPECT(load_waits(&load[0]));
	kpool_resume(pool);
	KT_EXPECT(load_starts(&load[0]));
	KT_EXPECT_EQ(load_submit(pool, &load[1]), 0);
	KT_EXPECT_EQ(kpool_abort(pool), 1);
	KT_EXPECT_EQ(atomic_read(&load[1].gate.dropped_err), -ECANCELED);
	weight_finish(pool, NULL, 0);
}

/* An item that submits and awaits another of its own pool. */
struct nested {
	struct kt_job	job;
	struct kpool	*pool;
	struct load	*child;
	int		submitted;
	int		flushed;
};

static int nested_fn(struct kpool_item *item)
{
	struct nested *n = container_of(item, struct nested, job.item);

	n->submitted = kpool_submit(n->pool, &n->child->job.item);
	if (!n->submitted)
		n->flushed = kpool_flush_item(&n->child->job.item);
	return kt_job_tiny(item);
}

static void nested_init(struct nested *n, struct kpool *pool,
			struct load *child)
{
	memset(n, 0, sizeof(*n));
	kt_job_init(&n->job, nested_fn, &load[LOADS - 1].gate, 0);
	n->pool = pool;
	n->child = child;
}

/*
 * An item that waits for one that needs the waiter's own units would wait for
 * ever, and is refused.  It can be blocked in submit, in flush, or behind a
 * heavy item that waits for those units.
 * Fails (hangs) if a deadlock is looked for where no unit is free only.
 */
static void waiting_for_own_units_is_a_deadlock(void)
{
	static struct nested n;
	struct kpool *pool = weight_pool(&two_units);

	if (!pool)
		return;
	load_open_all(load, LOADS);
	weigh(&load[0], 2);
	nested_init(&n, pool, &load[0]);
	KT_EXPECT_EQ(kpool_submit(pool, &n.job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&n.job.item), 0);
	KT_EXPECT_EQ(n.submitted, -EDEADLK);

	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, 5), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &n.job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&n.job.item), 0);
	KT_EXPECT_EQ(n.submitted, 0);
	KT_EXPECT_EQ(n.flushed, -EDEADLK);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&load[0].gate.finished), 1);
	weight_finish(pool, NULL, 0);
}

/*
 * To wait for an item that fits, but is behind a heavy one that waits for the
 * waiter's units, is a deadlock.
 * Fails (hangs) if only the awaited item itself is asked for room.
 */
static void waiting_behind_own_units_is_a_deadlock(void)
{
	static struct nested n;
	struct kpool *pool = weight_pool(&four_units_deep);

	if (!pool)
		return;
	load_open_all(load, LOADS);
	nested_init(&n, pool, &load[1]);
	weigh(&load[0], 4);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &n.job.item), 0);
	KT_EXPECT_EQ(load_submit(pool, &load[0]), 0);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(n.submitted, 0);
	KT_EXPECT_EQ(n.flushed, -EDEADLK);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(load_finished(&load[0]));
	KT_EXPECT(load_finished(&load[1]));
	weight_finish(pool, NULL, 0);
}

/*
 * Waiting for an item that has its units beside the waiter's is no deadlock,
 * nor is it while another item can still give units back.
 * Fails if it is refused.
 */
static void wait_for_units_of_others_is_no_deadlock(void)
{
	static struct nested n;
	struct kpool *pool = weight_pool(&four_units_deep);

	if (!pool)
		return;
	weigh(&load[1], 3);
	nested_init(&n, pool, &load[1]);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(kpool_submit(pool, &n.job.item), 0);
	KT_EXPECT(load_waits(&load[1]));
	KT_EXPECT_EQ(atomic_read(&load[LOADS - 1].gate.finished), 0);
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[1]));
	load_open_all(load, LOADS);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(n.submitted, 0);
	KT_EXPECT_EQ(n.flushed, 0);
	weight_finish(pool, NULL, 0);
}

/* Many at once: what all runs hold together, and the most it ever was. */

#define HAMMERS	8

static struct hammer {
	struct kt_job	job;
	int		weight;
	int		loops;
	int		left;
} hammer[HAMMERS];

static struct kpool *hammered;
static atomic_t held, most_held, too_much;

static void hold_units(int weight)
{
	int now = atomic_add_return(weight, &held);
	int most = atomic_read(&most_held);

	while (now > most && !atomic_try_cmpxchg(&most_held, &most, now))
		;
	if (now > HAMMERS)
		atomic_inc(&too_much);
}

static int hammer_item(struct kpool_item *item)
{
	struct hammer *h = container_of(item, struct hammer, job.item);

	hold_units(h->weight);
	if (h->left % 16)
		cond_resched();
	else
		usleep_range(10, 50);
	atomic_sub(h->weight, &held);
	return kt_job_tiny(item);
}

static int hammer_main(void *arg)
{
	struct hammer *h = arg;

	for (h->left = h->loops; h->left; h->left--) {
		if (!KT_EXPECT_EQ(kpool_submit(hammered, &h->job.item), 0))
			return -EIO;
		if (!KT_EXPECT_EQ(kpool_flush_item(&h->job.item), 0))
			return -EIO;
	}
	return 0;
}

static void hammer_init(kpool_item_fn fn, int loops)
{
	int i;

	atomic_set(&held, 0);
	atomic_set(&most_held, 0);
	atomic_set(&too_much, 0);
	for (i = 0; i < HAMMERS; i++) {
		struct hammer *h = &hammer[i];

		kt_job_init(&h->job, fn, &load[0].gate, i);
		h->weight = i + 1;
		h->loops = loops;
		h->left = loops;
		KT_EXPECT_EQ(kpool_set_weight(&h->job.item, h->weight), 0);
	}
}

static void hammer_expect(int runs)
{
	KT_EXPECT_EQ(atomic_read(&load[0].gate.finished), runs);
	KT_EXPECT_EQ(atomic_read(&too_much), 0);
	KT_EXPECT_EQ(atomic_read(&held), 0);
	KT_EXPECT_GE(atomic_read(&most_held), HAMMERS);
	KT_EXPECT_EQ(kt_stat(hammered, units), 0);
}

/*
 * Threads with items of every weight up to capacity never hold more units than
 * there are.  All of them come to an end, with a queue and without.
 * Fails if a unit is counted outside the lock or by the wrong weight.
 */
static void units_never_exceed_capacity(int depth)
{
	const struct kpool_attrs attrs = {
		.capacity = HAMMERS, .queue_depth = depth ? 3 : KPOOL_NONE,
	};
	struct kt_thread thread[HAMMERS] = { };
	int loops = kt_count(10000) / HAMMERS, i;

	hammered = weight_pool(&attrs);
	if (!hammered)
		return;
	hammer_init(hammer_item, loops);
	for (i = 0; i < HAMMERS; i++)
		kt_thread_start(&thread[i], hammer_main, &hammer[i]);
	for (i = 0; i < HAMMERS; i++)
		KT_EXPECT_EQ(kt_thread_join(&thread[i]), 0);
	hammer_expect(HAMMERS * loops);
	weight_finish(hammered, NULL, 0);
}

static int hammer_again(struct kpool_item *item)
{
	struct hammer *h = container_of(item, struct hammer, job.item);

	hammer_item(item);
	if (--h->left)
		KT_EXPECT_EQ(kpool_submit(hammered, item), 0);
	return 0;
}

/*
 * Items that submit themselves again while they run hold no more units either.
 * Fails if such an item keeps its units between its runs, or passes a heavier
 * one that waits.
 */
static void self_submission_takes_its_units_again(void)
{
	static const struct kpool_attrs attrs = { .capacity = HAMMERS };
	int loops = kt_count(2000) / HAMMERS, i;

	hammered = weight_pool(&attrs);
	if (!hammered)
		return;
	hammer_init(hammer_again, loops);
	for (i = 0; i < HAMMERS; i++)
		KT_EXPECT_EQ(kpool_submit(hammered, &hammer[i].job.item), 0);
	for (i = 0; i < HAMMERS; i++)
		KT_EXPECT(kt_wait(!READ_ONCE(hammer[i].left)));
	KT_EXPECT_EQ(kpool_flush(hammered), 0);
	hammer_expect(HAMMERS * loops);
	weight_finish(hammered, NULL, 0);
}

KT_MODULE("kpool selftest: weights",
	  KT_CASE(item_holds_its_weight),
	  KT_CASE(weight_is_one_if_never_set),
	  KT_CASE(weight_is_kept_between_runs),
	  KT_CASE(heavy_head_holds_back_lighter),
	  KT_CASE(heavy_item_starts_when_all_its_units_are_free),
	  KT_CASE(end_of_a_heavy_item_starts_all_that_fit),
	  KT_CASE(end_of_a_heavy_item_admits_all_that_fit),
	  KT_CASE(heavy_submitter_waits_for_all_its_units),
	  KT_CASE(newcomer_does_not_overtake_heavy_submitter),
	  KT_CASE(try_takes_what_is_free),
	  KT_CASE(timeout_takes_what_is_free),
	  KT_CASE(item_heavier_than_capacity_gets_einval),
	  KT_CASE(item_heavier_than_capacity_gets_einval_in_a_full_pool),
	  KT_EACH(full_size_item_does_not_starve, depths),
	  KT_EACH(blocked_head_that_gives_up_admits_the_next, ways_out),
	  KT_CASE(cancelled_queued_head_starts_the_next),
	  KT_CASE(item_heavier_than_shrunk_capacity_runs_alone),
	  KT_CASE(unit_beyond_shrunk_capacity_is_not_used_again),
	  KT_CASE(submitter_heavier_than_shrunk_capacity_is_admitted),
	  KT_CASE(self_submission_heavier_than_shrunk_capacity_is_accepted),
	  KT_CASE(tuning_while_heavy_items_run_loses_no_unit),
	  KT_CASE(queue_depth_counts_items),
	  KT_CASE(units_that_a_heavy_head_waits_for_are_no_room),
	  KT_CASE(units_of_items_not_looked_at_are_no_room),
	  KT_CASE(burst_without_queue_fills_capacity_exactly),
	  KT_CASE(raised_capacity_starts_heavy_head),
	  KT_CASE(raised_capacity_admits_heavy_submitter),
	  KT_CASE(bad_weight_is_refused),
	  KT_CASE(greatest_weight_runs_without_limit),
	  KT_CASE(heavy_item_is_paused_and_aborted),
	  KT_CASE(waiting_for_own_units_is_a_deadlock),
	  KT_CASE(waiting_behind_own_units_is_a_deadlock),
	  KT_CASE(wait_for_units_of_others_is_no_deadlock),
	  KT_EACH(units_never_exceed_capacity, depths),
	  KT_CASE(self_submission_takes_its_units_again));
