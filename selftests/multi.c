// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several pools as one: which of them gets an item, and what is done to all of
 * them.
 */
#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/sched/task_stack.h>
#include <linux/topology.h>

#include "compat.h"
#include "log.h"

#define SEVERAL	4

/* Several pools, or NULL and a recorded failure. */
static struct kpool_multi *several(unsigned int nr,
				   const struct kpool_attrs *attrs,
				   enum kpool_placement placement)
{
	struct kpool_multi *multi = kpool_multi_create(attrs, nr, placement,
						       "several");

	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(multi), 0))
		return NULL;
	return multi;
}

/* The number of a pool, or -1. */
static int index_of(struct kpool_multi *multi, const struct kpool *pool)
{
	int i;

	for (i = 0; !IS_ERR(kpool_multi_pool(multi, i)); i++)
		if (kpool_multi_pool(multi, i) == pool)
			return i;
	return -1;
}

#define multi_stat(multi, field)					\
({									\
	struct kpool_stats __stats;					\
									\
	kpool_multi_get_stats(multi, &__stats);				\
	__stats.field;							\
})

/* Read a counter of one of the pools. */
#define stat_of(multi, i, field)	kt_stat(kpool_multi_pool(multi, i), field)

/* The end of every scenario: each item and each worker is accounted for. */
static void several_end(struct kpool_multi *multi)
{
	int i;

	if (IS_ERR_OR_NULL(multi))
		return;
	for (i = 0; !IS_ERR(kpool_multi_pool(multi, i)); i++)
		kt_check_identities(kpool_multi_pool(multi, i));
	KT_EXPECT_EQ(kpool_multi_destroy(multi), 0);
}

/* Submitters that run items */

#define NESTED_POOLS	16
#define NESTED_LINKS	(4 * NESTED_POOLS)

static struct kpool_multi *nested;
static struct kpool_item links[NESTED_LINKS];
static int nr_links;

static unsigned long stack_left(void)
{
	unsigned long used = (unsigned long)__builtin_frame_address(0) -
			     (unsigned long)task_stack_page(current);

	return IS_ENABLED(CONFIG_STACK_GROWSUP) ? THREAD_SIZE - used : used;
}

/* Submit the next one, to the next pool. */
static int submits_next_link(struct kpool_item *item)
{
	int next = ++nr_links, err;

	/* a quarter, less the frames in between */
	if (next == NESTED_LINKS ||
	    !KT_EXPECT_GE(stack_left(), THREAD_SIZE / 16 * 3))
		return 0;
	err = kpool_submit_timeout(kpool_multi_pool(nested, next % NESTED_POOLS),
				   &links[next], 1);
	KT_EXPECT(!err || err == -ETIMEDOUT);
	if (err)
		KT_EXPECT_LE(stack_left(), THREAD_SIZE / 8 * 3);
	return 0;
}

/*
 * A thread runs an item of a full pool itself, and in that one of the next
 * pool, and so on.  It goes on until less than a quarter of its stack is left.
 * Fails if only runs of one pool are counted, mutant
 * stack-of-other-pools-ignored, or if it is another part of the stack.
 */
static void submitter_of_many_pools_keeps_its_stack(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	static struct kt_job busy[NESTED_POOLS];
	static struct kt_gate gate;
	int i;

	nested = several(NESTED_POOLS, &attrs, KPOOL_PLACE_ROUND_ROBIN);
	if (!nested)
		return;
	nr_links = 0;
	kt_gate_init(&gate);
	for (i = 0; i < NESTED_POOLS; i++) {
		kt_job_init(&busy[i], kt_job_gated, &gate, i);
		KT_EXPECT_EQ(kpool_submit(kpool_multi_pool(nested, i),
					  &busy[i].item), 0);
	}
	for (i = 0; i < NESTED_LINKS; i++)
		kpool_init_item(&links[i], submits_next_link);
	KT_EXPECT_EQ(kpool_submit(kpool_multi_pool(nested, 0), &links[0]), 0);
	KT_EXPECT_GE(nr_links, 4);
	kt_gate_open(&gate);
	several_end(nested);
}

/* Which pool gets an item */

/*
 * Fails if the first turn is not number 0's, or a pool is passed over; also if
 * pick and submit do not share the turns.
 */
static void turns_begin_at_zero_and_wrap(void)
{
	struct kpool_multi *multi = several(3, NULL, KPOOL_PLACE_ROUND_ROBIN);
	struct kt_gate gate;
	struct kt_job job;
	int i;

	if (!multi)
		return;
	for (i = 0; i < 7; i++)
		KT_EXPECT_EQ(index_of(multi, kpool_multi_pick(multi)), i % 3);
	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_tiny, &gate, 0);
	KT_EXPECT_EQ(kpool_multi_submit(multi, &job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	KT_EXPECT_EQ(stat_of(multi, 1, completed), 1);
	KT_EXPECT_EQ(index_of(multi, kpool_multi_pick(multi)), 2);
	several_end(multi);
}

/* A prime: no number of turns taken twice is likely to be a multiple of it. */
#define MANY	61

struct picker {
	struct kt_thread	thread;
	struct kpool_multi	*multi;
	int			picks;
};

static bool pickers_stop;

static int picker_main(void *arg)
{
	/* simulated time would stand still; nor must turns wrap round */
	int most = kt_exact ? 100000 : 50000000;
	struct picker *p = arg;

	for (p->picks = 0; p->picks < most; p->picks++) {
		if (READ_ONCE(pickers_stop))
			break;
		kpool_multi_pick(p->multi);
		if (p->picks % 1024 == 0)
			cond_resched();
	}
	return 0;
}

/* An interrupt that picks, and comes again before long. */
#define TICKER_NS	20000

static struct {
	struct hrtimer		timer;
	struct kpool_multi	*multi;
	int			picks;
} ticker;

static enum hrtimer_restart ticker_fires(struct hrtimer *timer)
{
	kpool_multi_pick(ticker.multi);
	ticker.picks++;
	hrtimer_forward_now(timer, ns_to_ktime(TICKER_NS));
	return HRTIMER_RESTART;
}

static void ticker_start(struct kpool_multi *multi)
{
	ticker.multi = multi;
	ticker.picks = 0;
	hrtimer_setup(&ticker.timer, ticker_fires, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	hrtimer_start(&ticker.timer, ns_to_ktime(TICKER_NS),
		      HRTIMER_MODE_REL_HARD);
}

/*
 * Have threads and an interrupt pick at the same time; return how many turns
 * they took, modulo MANY.
 */
static int pick_at_once(struct kpool_multi *multi)
{
	struct picker picker[4] = { };
	int i, picks;

	WRITE_ONCE(pickers_stop, false);
	ticker_start(multi);
	for (i = 0; i < ARRAY_SIZE(picker); i++) {
		picker[i].multi = multi;
		kt_thread_start(&picker[i].thread, picker_main, &picker[i]);
	}
	kt_sleep_ms(50);
	WRITE_ONCE(pickers_stop, true);
	hrtimer_cancel(&ticker.timer);
	picks = ticker.picks;
	for (i = 0; i < ARRAY_SIZE(picker); i++) {
		KT_EXPECT_EQ(kt_thread_join(&picker[i].thread), 0);
		picks += picker[i].picks;
	}
	return picks % MANY;
}

/*
 * After so many turns it is the turn of the pool with that number.
 * Fails if two callers at once can be given the same turn.
 */
static void every_turn_is_taken_once(void)
{
	struct kpool_multi *multi = several(MANY, NULL, KPOOL_PLACE_ROUND_ROBIN);
	int i, turn = 0;

	if (!multi)
		return;
	for (i = 0; i < 20; i++) {
		turn = (turn + pick_at_once(multi)) % MANY;
		KT_EXPECT_EQ(index_of(multi, kpool_multi_pick(multi)), turn++);
	}
	several_end(multi);
}

/* Submit @n jobs to one of the pools; all must be accepted. */
static bool fill(struct kpool_multi *multi, int i, struct kt_job *jobs, int n)
{
	return kt_submit_jobs(kpool_multi_pool(multi, i), jobs, n);
}

/*
 * Pools with 3, 1 and 1 items, running or waiting.  The next two go to 1, 2,
 * then they are equal but for 0, then all are.
 * Fails if only running items count as load, or the last of equals is chosen.
 */
static void least_loaded_gets_the_item(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 9 };
	static const int expected[] = { 1, 2, 1, 2, 0, 1, 2, 0 };
	struct kpool_multi *multi = several(3, &attrs, KPOOL_PLACE_LEAST_LOADED);
	struct kt_gate gate;
	struct kt_job *jobs;
	int i;

	kt_gate_init(&gate);
	jobs = kt_jobs(5 + ARRAY_SIZE(expected), kt_job_gated, &gate);
	if (!multi || !jobs)
		goto out;
	KT_EXPECT_EQ(index_of(multi, kpool_multi_pick(multi)), 0);
	if (!fill(multi, 0, &jobs[0], 3) || !fill(multi, 1, &jobs[3], 1) ||
	    !fill(multi, 2, &jobs[4], 1))
		goto out;
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		struct kpool *pool = kpool_multi_pick(multi);
		u64 submitted = kt_stat(pool, submitted);

		KT_EXPECT_EQ(index_of(multi, pool), expected[i]);
		KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[5 + i].item), 0);
		KT_EXPECT_EQ(kt_stat(pool, submitted), submitted + 1);
	}
out:
	kt_gate_open(&gate);
	several_end(multi);
	kvfree(jobs);
}

/*
 * Pools with 4 and 3 items; most of those in the first were submitted without
 * the lock, and nothing has taken it since.
 * Fails if only items that a lock holder has accounted for are load.
 */
static void items_in_the_inbox_are_load(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 9 };
	struct kpool_multi *multi = several(2, &attrs, KPOOL_PLACE_LEAST_LOADED);
	struct kt_gate gate;
	struct kt_job *jobs;

	kt_gate_init(&gate);
	jobs = kt_jobs(7, kt_job_gated, &gate);
	if (!multi || !jobs || !fill(multi, 0, jobs, 1) ||
	    !fill(multi, 1, &jobs[1], 3) ||
	    !KT_EXPECT(kt_wait(atomic_read(&gate.started) == 2)))
		goto out;
	KT_EXPECT_EQ(kt_stat(kpool_multi_pool(multi, 1), pending), 2);
	if (fill(multi, 0, &jobs[4], 3))
		KT_EXPECT_EQ(index_of(multi, kpool_multi_pick(multi)), 1);
out:
	kt_gate_open(&gate);
	several_end(multi);
	kvfree(jobs);
}

/*
 * Pools with 1 and 2 items; the first has started five others without the lock,
 * which have ended, and nothing has taken it since.
 * Fails if these still count as load: mutant fast-starts-are-load.
 */
static void items_that_started_fast_are_no_load(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 9 };
	struct kpool_multi *multi = several(2, &attrs, KPOOL_PLACE_LEAST_LOADED);
	struct kt_gate gate, count;
	struct kt_job *jobs, *tiny;

	kt_gate_init(&gate);
	kt_gate_init(&count);
	jobs = kt_jobs(3, kt_job_gated, &gate);
	tiny = kt_jobs(5, kt_job_tiny, &count);
	if (!multi || !jobs || !tiny)
		goto out;
	KT_EXPECT_EQ(kpool_pause(kpool_multi_pool(multi, 0)), 0);
	if (!fill(multi, 0, tiny, 5) || !fill(multi, 0, jobs, 1) ||
	    !fill(multi, 1, &jobs[1], 2))
		goto out;
	kpool_resume(kpool_multi_pool(multi, 0));
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 2));
	KT_EXPECT_EQ(index_of(multi, kpool_multi_pick(multi)), 0);
out:
	kt_gate_open(&gate);
	several_end(multi);
	kvfree(tiny);
	kvfree(jobs);
}

/* Fails if items that have ended, in any way, still count as load. */
static void ended_items_are_no_load(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 9 };
	struct kpool_multi *multi = several(2, &attrs, KPOOL_PLACE_LEAST_LOADED);
	struct kt_gate gate, other;
	struct kt_job *jobs, job;

	kt_gate_init(&gate);
	kt_gate_init(&other);
	kt_job_init(&job, kt_job_gated, &other, 0);
	jobs = kt_jobs(3, kt_job_gated, &gate);
	if (!multi || !jobs || !fill(multi, 0, jobs, 3) ||
	    !fill(multi, 1, &job, 1))
		goto out;
	KT_EXPECT_EQ(index_of(multi, kpool_multi_pick(multi)), 1);
	KT_EXPECT(kpool_cancel(&jobs[2].item));
	KT_EXPECT(kpool_cancel(&jobs[1].item));
	KT_EXPECT_EQ(index_of(multi, kpool_multi_pick(multi)), 0);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(kpool_multi_pool(multi, 0)), 0);
	KT_EXPECT_EQ(index_of(multi, kpool_multi_pick(multi)), 0);
	KT_EXPECT_EQ(kpool_pause(kpool_multi_pool(multi, 0)), 0);
	if (!fill(multi, 0, jobs, 2))
		goto out;
	KT_EXPECT_EQ(index_of(multi, kpool_multi_pick(multi)), 1);
	kpool_abort(kpool_multi_pool(multi, 0));
	KT_EXPECT_EQ(kpool_shutdown_timeout(kpool_multi_pool(multi, 0), KT_LIMIT),
		     0);
	KT_EXPECT_EQ(index_of(multi, kpool_multi_pick(multi)), 0);
out:
	kt_gate_open(&gate);
	kt_gate_open(&other);
	several_end(multi);
	kvfree(jobs);
}

/*
 * The turn is number 0's, which is full, as is 2; 1 has room.
 * Fails if round robin gives up, or goes on with the next, at the first
 * refusal, or tries a third time.
 */
static void overload_falls_back_to_the_least_loaded(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 2,
		.nonblocking = 1,
	};
	struct kpool_multi *multi = several(3, &attrs, KPOOL_PLACE_ROUND_ROBIN);
	struct kt_gate gate;
	struct kt_job *jobs;

	kt_gate_init(&gate);
	jobs = kt_jobs(7, kt_job_gated, &gate);
	if (!multi || !jobs || !fill(multi, 0, &jobs[0], 2) ||
	    !fill(multi, 1, &jobs[2], 1) || !fill(multi, 2, &jobs[3], 2))
		goto out;
	KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[5].item), 0);
	KT_EXPECT_EQ(stat_of(multi, 0, refused), 1);
	KT_EXPECT_EQ(stat_of(multi, 1, submitted), 2);
	KT_EXPECT_EQ(stat_of(multi, 2, refused), 0);

	/* now all are full, and it is number 1's turn */
	KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[6].item), -EAGAIN);
	KT_EXPECT_EQ(stat_of(multi, 0, refused), 2);
	KT_EXPECT_EQ(stat_of(multi, 1, refused), 1);
	KT_EXPECT_EQ(stat_of(multi, 2, refused), 0);
out:
	kt_gate_open(&gate);
	several_end(multi);
	kvfree(jobs);
}

/* Fails if a refusal for another reason than want of room tries elsewhere. */
static void only_overload_falls_back(void)
{
	struct kpool_multi *multi = several(2, NULL, KPOOL_PLACE_ROUND_ROBIN);
	struct kt_gate gate;
	struct kt_job job;

	if (!multi)
		return;
	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_tiny, &gate, 0);
	kpool_shutdown(kpool_multi_pool(multi, 1));
	KT_EXPECT_EQ(index_of(multi, kpool_multi_pick(multi)), 0);
	KT_EXPECT_EQ(kpool_multi_submit(multi, &job.item), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_multi_submit(multi, &job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	KT_EXPECT_EQ(stat_of(multi, 0, completed), 1);
	several_end(multi);
}

/*
 * The pool whose turn it is refuses, and none has less to do.
 * Fails if it is asked again, and counts two refusals: mutant
 * multi-falls-back-to-itself.
 */
static void least_loaded_refuses_once(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .nonblocking = 1 };
	struct kpool_multi *multi = several(2, &attrs, KPOOL_PLACE_ROUND_ROBIN);
	struct kt_gate gate;
	struct kt_job *jobs;
	int i;

	kt_gate_init(&gate);
	jobs = kt_jobs(3, kt_job_gated, &gate);
	if (!multi || !jobs)
		goto out;
	for (i = 0; i < 2; i++)
		KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[i].item), 0);
	KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[2].item), -EAGAIN);
	KT_EXPECT_EQ(stat_of(multi, 0, refused), 1);
	KT_EXPECT_EQ(stat_of(multi, 1, refused), 0);
out:
	kt_gate_open(&gate);
	several_end(multi);
	kvfree(jobs);
}

struct multi_submitter {
	struct kt_thread	thread;
	struct kpool_multi	*multi;
	struct kpool_item	*item;
};

static int multi_submitter_main(void *arg)
{
	struct multi_submitter *s = arg;

	return kpool_multi_submit(s->multi, s->item);
}

/* Fails if a blocking submit does not stay with the pool whose turn it is. */
static void blocking_submit_sleeps_at_its_turn(void)
{
	const struct kpool_attrs attrs = { .capacity = 1 };
	struct multi_submitter s = { };
	struct kt_gate gate;
	struct kt_job jobs[2];

	s.multi = several(2, &attrs, KPOOL_PLACE_ROUND_ROBIN);
	if (!s.multi)
		return;
	kt_gate_init(&gate);
	kt_job_init(&jobs[0], kt_job_gated, &gate, 0);
	kt_job_init(&jobs[1], kt_job_gated, &gate, 1);
	/* the turn is the second's */
	kpool_multi_pick(s.multi);
	if (!fill(s.multi, 1, &jobs[0], 1))
		goto out;
	s.item = &jobs[1].item;
	kt_thread_start(&s.thread, multi_submitter_main, &s);
	KT_EXPECT(kt_wait(stat_of(s.multi, 1, blocked) == 1));
	KT_EXPECT_EQ(multi_stat(s.multi, blocked), 1);
	KT_EXPECT_EQ(stat_of(s.multi, 0, submitted), 0);
out:
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(stat_of(s.multi, 1, submitted), 2);
	several_end(s.multi);
}

/* Fails if an item cannot be found again where it was put. */
static void items_are_found_in_any_pool(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 9 };
	struct kpool_multi *multi = several(3, &attrs, KPOOL_PLACE_ROUND_ROBIN);
	struct kt_gate gate;
	struct kt_job *jobs;
	int i;

	kt_gate_init(&gate);
	jobs = kt_jobs(9, kt_job_gated, &gate);
	if (!multi || !jobs)
		goto out;
	for (i = 0; i < 9; i++)
		KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[i].item), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 3));
	for (i = 3; i < 6; i++) {
		KT_EXPECT(kpool_is_pending(&jobs[i].item));
		KT_EXPECT(kpool_cancel(&jobs[i].item));
		KT_EXPECT_EQ(stat_of(multi, i - 3, cancelled), 1);
	}
	KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[8].item), -EALREADY);
	kt_gate_open(&gate);
	for (i = 6; i < 9; i++)
		KT_EXPECT_EQ(kpool_flush_item(&jobs[i].item), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 6);
out:
	kt_gate_open(&gate);
	several_end(multi);
	kvfree(jobs);
}

/* Making them */

static void expect_refused(const char *name, unsigned int nr,
			   const struct kpool_attrs *attrs, int placement,
			   int err)
{
	struct kpool_multi *multi;

	multi = kpool_multi_create(attrs, nr, placement, "%s", name);
	if (KT_EXPECT(IS_ERR(multi)))
		KT_EXPECT_EQ(PTR_ERR(multi), err);
	else
		kpool_multi_destroy(multi);
}

/*
 * Fails if an argument goes unchecked; the number comes before the placement
 * and that before the name.
 */
static void bad_arguments_are_refused(void)
{
	const struct kpool_attrs attrs = { .expiry_ms = -1 };
	static const char number[] = "kpool: bad number of pools 65; allowed: 1 to 64";
	static const char placement[] = "kpool: bad placement 2; allowed: 0 to 1";
	int said = log_count("kpool: ", "bad multi pool name");
	int numbers = log_count(number, ""), placements = log_count(placement, "");

	expect_refused("bad", 0, NULL, KPOOL_PLACE_ROUND_ROBIN, -ERANGE);
	expect_refused("bad", 65, NULL, KPOOL_PLACE_ROUND_ROBIN, -ERANGE);
	expect_refused("bad", -1, NULL, KPOOL_PLACE_ROUND_ROBIN, -ERANGE);
	expect_refused("bad", 0, NULL, 8, -ERANGE);
	expect_refused("bad", 10, NULL, KPOOL_PLACE_LEAST_LOADED + 1, -EINVAL);
	expect_refused("bad", 10, NULL, -1, -EINVAL);
	expect_refused("bad", 10, &attrs, KPOOL_PLACE_ROUND_ROBIN, -ERANGE);
	expect_refused("bad/name", 1, NULL, KPOOL_PLACE_ROUND_ROBIN, -EINVAL);
	KT_EXPECT_EQ(log_count("kpool: ", "bad multi pool name"), said);
	expect_refused("", 1, NULL, KPOOL_PLACE_ROUND_ROBIN, -EINVAL);
	expect_refused("twenty-nine-characters-are-29", 1, NULL,
		       KPOOL_PLACE_ROUND_ROBIN, -EINVAL);
	KT_EXPECT_EQ(log_count("kpool: ", "bad multi pool name"),
		     said + 2);
	KT_EXPECT_EQ(log_count(number, ""), numbers + 1);
	KT_EXPECT_EQ(log_count(placement, ""), placements + 1);
}

/* Fails if the longest name and the largest number do not go together. */
static void largest_arguments_are_accepted(void)
{
	struct kpool_multi *multi;
	struct kpool *pool;

	multi = kpool_multi_create(NULL, 64, KPOOL_PLACE_ROUND_ROBIN, "%s-%d",
				   "twenty-eight-characters-a", 28);
	if (!KT_EXPECT(!IS_ERR(multi)))
		return;
	pool = kpool_create(NULL, "twenty-eight-characters-a-28-63");
	KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), -EEXIST);
	KT_EXPECT(!IS_ERR(kpool_multi_pool(multi, 63)));
	several_end(multi);
}

/* Fails if those that were made before the clash are left behind. */
static void name_clash_unwinds(void)
{
	struct kpool *taken = kt_pool("clash-2", NULL);
	static const char *const names[] = { "clash-0", "clash-1", "clash-3" };
	int i;

	if (!taken)
		return;
	expect_refused("clash", SEVERAL, NULL, KPOOL_PLACE_ROUND_ROBIN, -EEXIST);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		kt_pool_end(kt_pool(names[i], NULL));
	kt_pool_end(taken);
}

/* Fails if a number beyond the last, or below the first, gives a pool. */
static void number_out_of_range_is_refused(void)
{
	struct kpool_multi *multi = several(SEVERAL, NULL, KPOOL_PLACE_ROUND_ROBIN);
	int i, j;

	if (!multi)
		return;
	KT_EXPECT_EQ(PTR_ERR_OR_ZERO(kpool_multi_pool(multi, SEVERAL)),
		     -ERANGE);
	KT_EXPECT_EQ(PTR_ERR_OR_ZERO(kpool_multi_pool(multi, -1)), -ERANGE);
	for (i = 0; i < SEVERAL; i++)
		for (j = 0; j < i; j++)
			KT_EXPECT(kpool_multi_pool(multi, i) !=
				  kpool_multi_pool(multi, j));
	several_end(multi);
}

/* ants' own scenario, for both placements and both submit paths */

#define ANTS_POOLS	10
#define ANTS_CAPACITY	5
#define ANTS_ITEMS	(ANTS_POOLS * ANTS_CAPACITY)

static void ants_submit_all(struct kpool_multi *multi, struct kt_job *jobs,
			    struct kt_gate *gate, bool by_arg)
{
	int i;

	for (i = 0; i < ANTS_ITEMS; i++)
		if (by_arg)
			KT_EXPECT_EQ(kpool_submit_arg(kpool_multi_pick(multi), gate,
						      GFP_KERNEL), 0);
		else
			KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[i].item),
				     0);
}

static void ants_expect_full(struct kpool_multi *multi)
{
	struct kpool_attrs attrs;
	int i, capacity = 0;

	KT_EXPECT(kt_wait(multi_stat(multi, running) == ANTS_ITEMS));
	KT_EXPECT_EQ(multi_stat(multi, alive), ANTS_ITEMS);
	KT_EXPECT_EQ(multi_stat(multi, idle), 0);
	KT_EXPECT_EQ(multi_stat(multi, pending), 0);
	KT_EXPECT_EQ(multi_stat(multi, blocked), 0);
	for (i = 0; i < ANTS_POOLS; i++) {
		KT_EXPECT_EQ(stat_of(multi, i, running), ANTS_CAPACITY);
		KT_EXPECT_EQ(stat_of(multi, i, alive), ANTS_CAPACITY);
		KT_EXPECT_EQ(stat_of(multi, i, blocked), 0);
		kpool_get_attrs(kpool_multi_pool(multi, i), &attrs);
		capacity += attrs.capacity;
	}
	KT_EXPECT_EQ(capacity, ANTS_ITEMS);
}

/* Full, shut down, closed for all; what follows can open it again. */
static void ants_round(struct kpool_multi *multi, struct kt_job *jobs,
		       struct kt_gate *gate, bool by_arg)
{
	kt_gate_init(gate);
	ants_submit_all(multi, jobs, gate, by_arg);
	ants_expect_full(multi);
	KT_EXPECT(IS_ERR(kpool_multi_pool(multi, ANTS_POOLS)));
	KT_EXPECT(IS_ERR(kpool_multi_pool(multi, -1)));
	kt_gate_open(gate);
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(multi, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&gate->finished), ANTS_ITEMS);
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(multi, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[0].item), -ESHUTDOWN);
	KT_EXPECT_EQ(multi_stat(multi, running), 0);
	KT_EXPECT_EQ(multi_stat(multi, alive), 0);
	KT_EXPECT(multi_stat(multi, closed));
}

static const char *const ants_variants[] = {
	"in-turn-item", "least-loaded-item", "in-turn-arg",
	"least-loaded-arg", NULL
};

/*
 * 10 pools of capacity 5 hold 50 items, 5 each; all are shut down within a
 * time, opened again, and hold 50 again.
 * Fails if the items are spread unevenly, or shutdown or reopen forgets a pool.
 */
static void ten_pools_share_fifty_items(int variant)
{
	const struct kpool_attrs attrs = {
		.capacity = ANTS_CAPACITY,
		.fn = kt_gate_pass,
	};
	enum kpool_placement placement = variant % 2 ? KPOOL_PLACE_LEAST_LOADED :
						       KPOOL_PLACE_ROUND_ROBIN;
	struct kpool_multi *multi = several(ANTS_POOLS, &attrs, placement);
	struct kt_gate gate;
	struct kt_job *jobs = kt_jobs(ANTS_ITEMS, kt_job_gated, &gate);

	if (!multi || !jobs)
		goto out;
	ants_round(multi, jobs, &gate, variant >= 2);
	KT_EXPECT_EQ(kpool_multi_reopen(multi), 0);
	KT_EXPECT(!multi_stat(multi, closed));
	ants_round(multi, jobs, &gate, variant >= 2);
	KT_EXPECT_EQ(multi_stat(multi, submitted), 2 * ANTS_ITEMS);
out:
	several_end(multi);
	kvfree(jobs);
}

/* Operations on all */

static bool all_have(struct kpool_multi *multi, int capacity, int min_workers)
{
	struct kpool_attrs attrs;
	int i;

	for (i = 0; i < SEVERAL; i++) {
		kpool_get_attrs(kpool_multi_pool(multi, i), &attrs);
		if (attrs.capacity != capacity ||
		    attrs.min_workers != min_workers)
			return false;
	}
	return true;
}

/* Fails if one is forgotten, or an attribute that there is not is looked up. */
static void tune_reaches_each(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 5,
		.min_workers = KPOOL_NONE,
	};
	struct kpool_multi *multi = several(SEVERAL, &attrs, KPOOL_PLACE_ROUND_ROBIN);

	if (!multi)
		return;
	KT_EXPECT_EQ(kpool_multi_tune(multi, KPOOL_TUNE_CAPACITY, 7), 0);
	KT_EXPECT_EQ(kpool_multi_tune(multi, KPOOL_TUNE_MIN_WORKERS, 2), 0);
	KT_EXPECT(all_have(multi, 7, 2));
	KT_EXPECT_EQ(kpool_multi_tune(multi, KPOOL_TUNE_CAPACITY, -1), -ERANGE);
	KT_EXPECT_EQ(kpool_multi_tune(multi, KPOOL_TUNE_CAPACITY, 1), -EINVAL);
	KT_EXPECT_EQ(kpool_multi_tune(multi, KPOOL_NR_TUNABLES, 1), -EINVAL);
	KT_EXPECT_EQ(kpool_multi_tune(multi, -1, 1), -EINVAL);
	KT_EXPECT(all_have(multi, 7, 2));
	several_end(multi);
}

/*
 * Number 2 alone refuses.  Those before it get back what each of them had, also
 * if that is zero and zero is not the default.
 * Fails if those that had been tuned stay so, or get the first's value, or the
 * default.
 */
static void refused_tune_is_undone(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 5,
		.min_workers = KPOOL_NONE,
	};
	static const int before[SEVERAL] = { KPOOL_NONE, 1, KPOOL_NONE, 4 };
	struct kpool_multi *multi = several(SEVERAL, &attrs, KPOOL_PLACE_ROUND_ROBIN);
	struct kpool_attrs now;
	int i;

	if (!multi)
		return;
	for (i = 0; i < SEVERAL; i++)
		KT_EXPECT_EQ(kpool_tune(kpool_multi_pool(multi, i),
					KPOOL_TUNE_MIN_WORKERS, before[i]), 0);
	KT_EXPECT_EQ(kpool_tune(kpool_multi_pool(multi, 2), KPOOL_TUNE_CAPACITY, 2),
		     0);
	KT_EXPECT_EQ(kpool_multi_tune(multi, KPOOL_TUNE_MIN_WORKERS, 3), -EINVAL);
	for (i = 0; i < SEVERAL; i++) {
		kpool_get_attrs(kpool_multi_pool(multi, i), &now);
		KT_EXPECT_EQ(now.min_workers,
			     before[i] == KPOOL_NONE ? 0 : before[i]);
	}
	several_end(multi);
}

/*
 * A node is given back although its CPU has gone offline since.  For nodes.sh.
 * Fails (the new node stays) if it is refused as in a tune: mutant
 * node-not-given-back.
 */
static void refused_node_is_undone(void)
{
	int last = cpumask_last(cpu_online_mask);
	struct kpool_multi *multi;
	struct kpool_attrs now;

	if (cpu_to_node(last) == cpu_to_node(0) ||
	    cpumask_weight(cpumask_of_node(cpu_to_node(last))) != 1) {
		kt_skip("the last CPU is not alone on a node");
		return;
	}
	multi = several(2, NULL, KPOOL_PLACE_ROUND_ROBIN);
	if (!multi)
		return;
	KT_EXPECT_EQ(kpool_multi_tune(multi, KPOOL_TUNE_NODE,
				      KPOOL_NODE(cpu_to_node(last))), 0);
	KT_EXPECT_EQ(kpool_tune_cpumask(kpool_multi_pool(multi, 1),
					cpumask_of(last)), 0);
	KT_EXPECT_EQ(remove_cpu(last), 0);
	KT_EXPECT_EQ(kpool_multi_tune(multi, KPOOL_TUNE_NODE, KPOOL_NODE(0)),
		     -EINVAL);
	kpool_get_attrs(kpool_multi_pool(multi, 0), &now);
	KT_EXPECT_EQ(now.node, KPOOL_NODE(cpu_to_node(last)));
	KT_EXPECT(kt_wait(!add_cpu(last)));
	several_end(multi);
}

/* The sum of one counter, added up by hand. */
#define by_hand(multi, field)						\
({									\
	u64 __sum = 0;							\
	int __i;							\
									\
	for (__i = 0; __i < SEVERAL; __i++)				\
		__sum += stat_of(multi, __i, field);			\
	__sum;								\
})

static int fails(struct kpool_item *item)
{
	return -EIO;
}

/* Fails if a counter is left out, or a pool is. */
static void stats_are_sums(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 2,
		.queue_depth = 1,
		.nonblocking = 1,
	};
	struct kpool_multi *multi = several(SEVERAL, &attrs, KPOOL_PLACE_ROUND_ROBIN);
	struct kt_job *jobs, failing;
	struct kt_gate gate;
	int i;

	kt_gate_init(&gate);
	kt_job_init(&failing, fails, &gate, 0);
	jobs = kt_jobs(4 * SEVERAL, kt_job_gated, &gate);
	if (!multi || !jobs)
		goto out;
	for (i = 0; i < SEVERAL; i++) {
		KT_EXPECT_EQ(kpool_multi_submit(multi, &failing.item), 0);
		KT_EXPECT_EQ(kpool_flush_item(&failing.item), 0);
	}
	for (i = 0; i < 3 * SEVERAL; i++)
		KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[i].item), 0);
	for (; i < 4 * SEVERAL; i++)
		KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[i].item), -EAGAIN);
	KT_EXPECT(kpool_cancel(&jobs[2 * SEVERAL].item));
	KT_EXPECT(kt_wait(multi_stat(multi, running) == 2 * SEVERAL));

	KT_EXPECT_EQ(multi_stat(multi, submitted), 4 * SEVERAL);
	KT_EXPECT_EQ(multi_stat(multi, completed), SEVERAL);
	KT_EXPECT_EQ(multi_stat(multi, failed), SEVERAL);
	KT_EXPECT_EQ(multi_stat(multi, cancelled), 1);
	KT_EXPECT_EQ(multi_stat(multi, pending), SEVERAL - 1);
	KT_EXPECT_EQ(multi_stat(multi, alive), 2 * SEVERAL);
	KT_EXPECT_GE(multi_stat(multi, refused), SEVERAL);
	KT_EXPECT_EQ(multi_stat(multi, refused), by_hand(multi, refused));
	KT_EXPECT_EQ(multi_stat(multi, spawned), by_hand(multi, spawned));
	KT_EXPECT_EQ(kpool_abort(kpool_multi_pool(multi, 3)), 1);
	KT_EXPECT_EQ(multi_stat(multi, dropped), 1);
out:
	kt_gate_open(&gate);
	several_end(multi);
	kvfree(jobs);
}

static u64 oldest_by_hand(struct kpool_multi *multi)
{
	u64 oldest_pending_ms = 0;
	int i;

	for (i = 0; i < SEVERAL; i++)
		oldest_pending_ms = max(oldest_pending_ms, stat_of(multi, i, oldest_pending_ms));
	return oldest_pending_ms;
}

/*
 * Fails if ages are added up; two of the four have one of 100 ms, the first
 * and the last have none.
 */
static void oldest_is_the_oldest_of_all(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 9 };
	struct kpool_multi *multi = several(SEVERAL, &attrs, KPOOL_PLACE_ROUND_ROBIN);
	struct kt_gate gate;
	struct kt_job *jobs;
	u64 before, oldest_pending_ms;

	kt_gate_init(&gate);
	jobs = kt_jobs(4, kt_job_gated, &gate);
	if (!multi || !jobs || !fill(multi, 1, &jobs[0], 2) ||
	    !fill(multi, 2, &jobs[2], 2))
		goto out;
	/* running items have no age */
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 2));
	kt_sleep_ms(100);
	before = oldest_by_hand(multi);
	oldest_pending_ms = multi_stat(multi, oldest_pending_ms);
	KT_EXPECT_GE(before, 90);
	KT_EXPECT_GE(oldest_pending_ms, before);
	KT_EXPECT_LE(oldest_pending_ms, oldest_by_hand(multi));
out:
	kt_gate_open(&gate);
	several_end(multi);
	kvfree(jobs);
}

/* Fails if one closed or paused pool makes all of them so. */
static void multi_is_closed_when_all_pools_are(void)
{
	struct kpool_multi *multi = several(SEVERAL, NULL, KPOOL_PLACE_ROUND_ROBIN);
	int i;

	if (!multi)
		return;
	for (i = 0; i < SEVERAL; i++) {
		KT_EXPECT(!multi_stat(multi, paused));
		KT_EXPECT_EQ(kpool_pause(kpool_multi_pool(multi, i)), 0);
	}
	KT_EXPECT(multi_stat(multi, paused));
	for (i = 0; i < SEVERAL; i++) {
		KT_EXPECT(!multi_stat(multi, closed));
		kpool_shutdown(kpool_multi_pool(multi, i));
	}
	KT_EXPECT(multi_stat(multi, closed));
	KT_EXPECT(!multi_stat(multi, paused));
	several_end(multi);
}

/* Opening and closing */

static int job_slow(struct kpool_item *item)
{
	kt_sleep_ms(kt_ms(800, 24));
	return kt_job_tiny(item);
}

/*
 * Number 0 is busy for most of the time, the others for longer.
 * Fails if each of them gets the whole time, or a tick of no time.  Also fails
 * if those after the first that is late stay open, or if shutdown cannot be
 * repeated.
 */
static void shutdown_has_one_time_limit(void)
{
	const unsigned int ms = kt_ms(1000, 30);
	struct kpool_multi *multi = several(SEVERAL, NULL, KPOOL_PLACE_ROUND_ROBIN);
	unsigned long begin, limit = msecs_to_jiffies(ms);
	struct kt_gate gate;
	struct kt_job *jobs;
	int i;

	kt_gate_init(&gate);
	jobs = kt_jobs(SEVERAL, kt_job_gated, &gate);
	if (!multi || !jobs)
		goto out;
	kt_job_init(&jobs[0], job_slow, &gate, 0);
	for (i = 0; i < SEVERAL; i++)
		KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[i].item), 0);
	begin = jiffies;
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(multi, 0), -ETIMEDOUT);
	if (kt_exact)
		KT_EXPECT_EQ(jiffies, begin);
	for (i = 0; i < SEVERAL; i++)
		KT_EXPECT(stat_of(multi, i, closed));
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(multi, limit), -ETIMEDOUT);
	KT_EXPECT_GE(jiffies - begin, limit);
	if (kt_exact)
		KT_EXPECT_LE(jiffies - begin, limit + limit / 8 + 2);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(multi, ULONG_MAX), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), SEVERAL);
	KT_EXPECT_EQ(multi_stat(multi, alive), 0);
out:
	kt_gate_open(&gate);
	several_end(multi);
	kvfree(jobs);
}

static const char *const members[] = { "first", "second", "last", NULL };
static const int member_nr[] = { 0, 1, SEVERAL - 1 };

static int job_ends_its_thread(struct kpool_item *item)
{
	kt_job_gated(item);
	kthread_complete_and_exit(NULL, 0);
}

static int shuts_down(void *multi)
{
	return kpool_multi_shutdown_timeout(multi, MAX_SCHEDULE_TIMEOUT);
}

static int destroys(void *multi)
{
	return kpool_multi_destroy(multi);
}

/* Return the result of @fn if a worker of that pool dies during the call. */
static int end_with_a_death(struct kpool_multi *multi, int nr,
			    int (*fn)(void *arg))
{
	struct kt_thread t;
	struct kt_gate gate;
	struct kt_job job;

	kt_gate_init(&gate);
	kt_job_init(&job, job_ends_its_thread, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(kpool_multi_pool(multi, nr), &job.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started)));
	/* TASK_IDLE: in a wait of kpool, not on a mutex before it */
	if (kt_thread_start(&t, fn, multi))
		KT_EXPECT(kt_wait(task_state_to_char(t.task) == 'I'));
	kt_gate_open(&gate);
	return kt_thread_join(&t);
}

/*
 * An item of the pool at the other end goes on after the death, and is awaited.
 * Fails (0) if the death is not noticed while an earlier pool is waited for.
 * Fails (too early) if it ends the wait for the others.
 */
static void expect_death_in(struct kpool_multi *multi, int nr,
			    int (*fn)(void *arg))
{
	struct kt_gate gate;
	struct kt_job job;

	kt_gate_init(&gate);
	kt_job_init(&job, job_slow, &gate, 0);
	fill(multi, nr ? 0 : SEVERAL - 1, &job, 1);
	KT_EXPECT_EQ(end_with_a_death(multi, nr, fn), -EIO);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
}

/* Mutants multi-shutdown-misses-a-death, multi-shutdown-ends-with-a-death. */
static void shutdown_reports_a_death(int member)
{
	struct kpool_multi *multi = several(SEVERAL, NULL, KPOOL_PLACE_ROUND_ROBIN);

	if (!multi)
		return;
	expect_death_in(multi, member_nr[member], shuts_down);
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(multi, KT_LIMIT), 0);
	several_end(multi);
}

/* Mutant multi-destroy-forgets-a-death. */
static void destroy_reports_a_death(int member)
{
	struct kpool_multi *multi = several(SEVERAL, NULL, KPOOL_PLACE_ROUND_ROBIN);

	if (multi)
		expect_death_in(multi, member_nr[member], destroys);
}

/* Fails if only one of the pools is waited for. */
static void shutdown_waits_for_the_slowest(int member)
{
	struct kpool_multi *multi = several(SEVERAL, NULL, KPOOL_PLACE_ROUND_ROBIN);
	struct kt_gate gate;
	struct kt_job job;

	if (!multi)
		return;
	kt_gate_init(&gate);
	kt_job_init(&job, job_slow, &gate, 0);
	if (fill(multi, member_nr[member], &job, 1)) {
		KT_EXPECT_EQ(kpool_multi_shutdown_timeout(multi, KT_LIMIT), 0);
		KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
		KT_EXPECT_EQ(multi_stat(multi, alive), 0);
	}
	several_end(multi);
}

static struct kpool_multi *self;

static void expect_own_end_refused(void)
{
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(self, KT_LIMIT), -EDEADLK);
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(self, 0), -EDEADLK);
	KT_EXPECT_EQ(kpool_multi_destroy(self), -EDEADLK);
}

static int ends_its_own(struct kpool_item *item)
{
	expect_own_end_refused();
	return kt_job_tiny(item);
}

static void dropped_ends_its_own(struct kpool_item *item, int err)
{
	expect_own_end_refused();
	kt_job_dropped(item, err);
}

/*
 * From inside an item of any, the first or the last, all stay open.
 * Fails if only one of them is checked, or some are closed before.
 */
static void shutdown_from_inside_closes_none(void)
{
	struct kt_gate gate;
	struct kt_job job;
	int i, j;

	self = several(SEVERAL, NULL, KPOOL_PLACE_ROUND_ROBIN);
	if (!self)
		return;
	kt_gate_init(&gate);
	for (i = 0; i < SEVERAL; i++) {
		kt_job_init(&job, ends_its_own, &gate, 0);
		KT_EXPECT_EQ(kpool_submit(kpool_multi_pool(self, i), &job.item),
			     0);
		KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
		for (j = 0; j < SEVERAL; j++)
			KT_EXPECT(!stat_of(self, j, closed));
	}
	KT_EXPECT_EQ(atomic_read(&gate.finished), SEVERAL);
	several_end(self);
}

/* Shutdown is refused in a drop function; fails if only items are asked. */
static void shutdown_while_dropping_is_refused(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 9 };
	struct kt_gate gate;
	struct kt_job jobs[2];

	self = several(SEVERAL, &attrs, KPOOL_PLACE_ROUND_ROBIN);
	if (!self)
		return;
	kt_gate_init(&gate);
	kt_job_init(&jobs[0], kt_job_gated, &gate, 0);
	kt_job_init(&jobs[1], kt_job_tiny, &gate, 1);
	kpool_set_drop_fn(&jobs[1].item, dropped_ends_its_own);
	if (fill(self, SEVERAL - 1, jobs, 2) &&
	    KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1))) {
		kpool_abort(kpool_multi_pool(self, SEVERAL - 1));
		KT_EXPECT_EQ(atomic_read(&gate.dropped), 1);
		KT_EXPECT(!stat_of(self, 0, closed));
	}
	kt_gate_open(&gate);
	several_end(self);
}

/*
 * A pool has an item left, the others rest.
 * Fails if those that could be opened stay open, or reopen needs a second try.
 */
static void reopen_opens_all_or_none(void)
{
	struct kpool_multi *multi = several(SEVERAL, NULL, KPOOL_PLACE_ROUND_ROBIN);
	struct kt_gate gate;
	struct kt_job job, other;
	int i;

	if (!multi)
		return;
	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_gated, &gate, 0);
	kt_job_init(&other, kt_job_tiny, &gate, 0);
	KT_EXPECT_EQ(kpool_multi_reopen(multi), 0);
	if (!fill(multi, 2, &job, 1))
		goto out;
	KT_EXPECT_EQ(kpool_multi_reopen(multi), 0);
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(multi, 0), -ETIMEDOUT);
	/* behind the pool that stays closed: mutant multi-leaves-some-open */
	KT_EXPECT_EQ(kpool_reopen(kpool_multi_pool(multi, 3)), 0);
	KT_EXPECT_EQ(kpool_multi_reopen(multi), -EBUSY);
	for (i = 0; i < SEVERAL; i++)
		KT_EXPECT(stat_of(multi, i, closed));
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(multi, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_multi_reopen(multi), 0);
	for (i = 0; i < SEVERAL; i++) {
		KT_EXPECT_EQ(kpool_multi_submit(multi, &other.item), 0);
		KT_EXPECT_EQ(kpool_flush_item(&other.item), 0);
		KT_EXPECT(!stat_of(multi, i, closed));
	}
out:
	kt_gate_open(&gate);
	several_end(multi);
}

static int destroyer_main(void *multi)
{
	return kpool_multi_destroy(multi);
}

/* Fails if destroy gives up what waits, or does not wait for all of them. */
static void destroy_waits_for_all_pools(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 9 };
	struct kpool_multi *multi = several(SEVERAL, &attrs, KPOOL_PLACE_ROUND_ROBIN);
	struct kt_thread destroyer = { };
	struct kt_gate gate;
	struct kt_job *jobs;
	int i;

	kt_gate_init(&gate);
	jobs = kt_jobs(2 * SEVERAL, kt_job_gated, &gate);
	if (!multi || !jobs) {
		several_end(multi);
		goto out;
	}
	for (i = 0; i < 2 * SEVERAL; i++)
		KT_EXPECT_EQ(kpool_multi_submit(multi, &jobs[i].item), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == SEVERAL));
	kt_thread_start(&destroyer, destroyer_main, multi);
	kt_thread_asleep(&destroyer);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kt_thread_join(&destroyer), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 2 * SEVERAL);
out:
	kvfree(jobs);
}

/* For the script: pools that are there, with two items running in each */

static struct kpool_multi *held;
static struct kt_gate held_gate;
static struct kt_job held_jobs[2 * SEVERAL];

static int hold(void)
{
	const struct kpool_attrs attrs = { .capacity = 2 };
	int i, err = 0;

	held = kpool_multi_create(&attrs, SEVERAL, KPOOL_PLACE_ROUND_ROBIN, "shard");
	if (IS_ERR(held))
		return PTR_ERR(held);
	kt_gate_init(&held_gate);
	for (i = 0; i < ARRAY_SIZE(held_jobs) && !err; i++) {
		kt_job_init(&held_jobs[i], kt_job_gated, &held_gate, i);
		err = kpool_multi_submit(held, &held_jobs[i].item);
	}
	return err;
}

static int hold_set(const char *val, const struct kernel_param *kp)
{
	if (sysfs_streq(val, "1"))
		return hold();
	kt_gate_open(&held_gate);
	return kpool_multi_destroy(held);
}

static const struct kernel_param_ops hold_ops = { .set = hold_set };
module_param_cb(hold, &hold_ops, NULL, 0200);
MODULE_PARM_DESC(hold, "1 to make some pools and keep them busy, then 0 to end them");

KT_MODULE("kpool selftest: several pools as one",
	  KT_CASE(submitter_of_many_pools_keeps_its_stack),
	  KT_CASE(turns_begin_at_zero_and_wrap),
	  KT_CASE(every_turn_is_taken_once),
	  KT_CASE(least_loaded_gets_the_item),
	  KT_CASE(items_in_the_inbox_are_load),
	  KT_CASE(items_that_started_fast_are_no_load),
	  KT_CASE(ended_items_are_no_load),
	  KT_CASE(overload_falls_back_to_the_least_loaded),
	  KT_CASE(only_overload_falls_back),
	  KT_CASE(least_loaded_refuses_once),
	  KT_CASE(blocking_submit_sleeps_at_its_turn),
	  KT_CASE(items_are_found_in_any_pool),
	  KT_CASE(bad_arguments_are_refused),
	  KT_CASE(largest_arguments_are_accepted),
	  KT_CASE(name_clash_unwinds),
	  KT_CASE(number_out_of_range_is_refused),
	  KT_EACH(ten_pools_share_fifty_items, ants_variants),
	  KT_CASE(tune_reaches_each),
	  KT_CASE(refused_tune_is_undone),
	  KT_CASE(refused_node_is_undone),
	  KT_CASE(stats_are_sums),
	  KT_CASE(oldest_is_the_oldest_of_all),
	  KT_CASE(multi_is_closed_when_all_pools_are),
	  KT_CASE(shutdown_has_one_time_limit),
	  KT_EACH(shutdown_waits_for_the_slowest, members),
	  KT_EACH(shutdown_reports_a_death, members),
	  KT_EACH(destroy_reports_a_death, members),
	  KT_CASE(shutdown_from_inside_closes_none),
	  KT_CASE(shutdown_while_dropping_is_refused),
	  KT_CASE(reopen_opens_all_or_none),
	  KT_CASE(destroy_waits_for_all_pools));
