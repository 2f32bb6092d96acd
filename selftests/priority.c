// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which items start first, and that none starves.
 */
#include <linux/prandom.h>

#include "load.h"

#define ITEMS	64	/* as many as struct order holds */

static struct kt_job item[ITEMS];
static enum kpool_priority prio[ITEMS];
static struct kt_gate gate;
static struct order order;
static struct load load[4];

static const struct kpool_attrs one_deep = {
	.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
};

static const struct kpool_attrs two_deep = {
	.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
};

static int item_noted(struct kpool_item *it)
{
	order_note(&order, kt_job_of(it)->nr);
	return kt_job_tiny(it);
}

static void set_prio(struct kpool_item *it, enum kpool_priority priority)
{
	KT_EXPECT_EQ(kpool_set_priority(it, priority), 0);
}

/* A pool whose starts are held back. */
static struct kpool *paused_pool(const struct kpool_attrs *attrs)
{
	struct kpool *pool = kt_pool("priority", attrs);

	kt_gate_init(&gate);
	order_init(&order);
	load_init_all(load, ARRAY_SIZE(load));
	if (pool)
		KT_EXPECT_EQ(kpool_pause(pool), 0);
	return pool;
}

static void priority_finish(struct kpool *pool, struct kt_submitter *s, int n)
{
	load_finish(pool, load, ARRAY_SIZE(load), s, n);
}

static void item_prepare(int i, enum kpool_priority priority)
{
	kt_job_init(&item[i], item_noted, &gate, i);
	set_prio(&item[i].item, priority);
	prio[i] = priority;
}

/* Have an item for each letter wait in the queue: h, n or l. */
static int submit_prios(struct kpool *pool, const char *prios)
{
	int i;

	for (i = 0; prios[i]; i++) {
		item_prepare(i, prios[i] == 'h' ? KPOOL_PRIO_HIGH :
				prios[i] == 'l' ? KPOOL_PRIO_LOW : KPOOL_PRIO_NORMAL);
		KT_EXPECT_EQ(kpool_submit(pool, &item[i].item), 0);
	}
	return i;
}

/* Let all run, and compare the order in which they did. */
static void expect_order(struct kpool *pool, const int *nr, int n)
{
	int i;

	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(order.n, n);
	for (i = 0; i < min(n, order.n); i++)
		if (!KT_EXPECT_EQ(order.nr[i], nr[i]))
			pr_err("%s: at place %d\n", KBUILD_MODNAME, i);
}

/*
 * The rule, written as plainly as possible: the oldest of the highest priority
 * starts.  After @most starts that passed over lower ones, the oldest of those
 * starts.
 */

static int oldest_of(const bool *gone, int n, enum kpool_priority priority)
{
	int i;

	for (i = 0; i < n; i++)
		if (!gone[i] && prio[i] == priority)
			return i;
	return n;
}

/* The next to start; in @below whether it passes over lower ones. */
static int next_of(const bool *gone, int n, bool over, bool *below)
{
	int high = oldest_of(gone, n, KPOOL_PRIO_HIGH);
	int normal = oldest_of(gone, n, KPOOL_PRIO_NORMAL);
	int low = oldest_of(gone, n, KPOOL_PRIO_LOW);
	int lower = high < n ? min(normal, low) : normal < n ? low : n;

	*below = lower < n;
	if (over && lower < n)
		return lower;
	return high < n ? high : normal < n ? normal : low;
}

static void expect_order_by_rule(struct kpool *pool, int n, int most)
{
	bool gone[ITEMS] = { }, below;
	int nr[ITEMS], i, passed = 0;

	for (i = 0; i < n; i++) {
		nr[i] = next_of(gone, n, passed == most, &below);
		gone[nr[i]] = true;
		if (passed == most)
			passed = 0;
		else if (below)
			passed++;
	}
	expect_order(pool, nr, n);
}

/*
 * High before normal before low, in any order of arrival.
 * Fails if the queue is in order of arrival, or low and high are mixed up.
 */
static void high_starts_before_normal_before_low(void)
{
	static const int nr[] = { 2, 3, 1, 4, 0, 5 };
	struct kpool *pool = paused_pool(&one_deep);

	if (!pool)
		return;
	submit_prios(pool, "lnhhnl");
	KT_EXPECT_EQ(kt_stat(pool, pending), 6);
	expect_order(pool, nr, 6);
	priority_finish(pool, NULL, 0);
}

/*
 * Within one priority items start in order of arrival.
 * Fails if an item is put in front of its like.
 */
static void order_within_a_priority_is_arrival(int priority)
{
	static const char *const prios[] = {
		"nnnnnnnnnnnnnnnnnnnnnnnn", "hhhhhhhhhhhhhhhhhhhhhhhh",
		"llllllllllllllllllllllll",
	};
	struct kpool *pool = paused_pool(&one_deep);

	if (!pool)
		return;
	submit_prios(pool, prios[priority]);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	order_expect_rising(&order, 24);
	priority_finish(pool, NULL, 0);
}

static const char *const priorities[] = { "normal", "high", "low", NULL };

/*
 * The 16th start of high items goes to the oldest lower one, and so does every
 * 16th after it; then normal before low again.
 * Fails if the count is another, does not begin anew, or low ones never come.
 */
static void every_sixteenth_start_goes_to_a_lower_one(void)
{
	struct kpool *pool = paused_pool(&one_deep);
	int nr[46], i, n = 0;

	if (!pool)
		return;
	submit_prios(pool, "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhnnnlll");
	for (i = 0; i < 15; i++)
		nr[n++] = i;
	nr[n++] = 40;
	for (; i < 30; i++)
		nr[n++] = i;
	nr[n++] = 41;
	for (; i < 40; i++)
		nr[n++] = i;
	for (i = 42; i < 46; i++)
		nr[n++] = i;
	expect_order(pool, nr, n);
	priority_finish(pool, NULL, 0);
}

/*
 * Starts that pass over nothing are not counted.
 * Fails if a lower item has its turn because of them: mutant
 * bypass-of-nothing-counted.
 */
static void starts_past_nothing_do_not_count(void)
{
	static const int nr[] = { 1, 2, 3, 0 };
	struct kpool *pool = paused_pool(&one_deep);

	if (!pool)
		return;
	submit_prios(pool, "hhhhhhhhhhhhhhhhhhhh");
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	order_init(&order);
	submit_prios(pool, "lhhh");
	expect_order(pool, nr, ARRAY_SIZE(nr));
	priority_finish(pool, NULL, 0);
}

static const char *const bypasses[] = {
	"default", "one", "two", "many", "unlimited", NULL
};

/*
 * max_bypass says how many starts in a row can pass over a lower priority.  Set
 * on the live pool it counts from the next start on.
 * Fails if the number is another, or unlimited is one too.
 */
static void max_bypass_limits_bypasses(int variant)
{
	static const int values[] = { 0, 1, 2, 17, KPOOL_UNLIMITED };
	struct kpool_attrs attrs = one_deep;
	struct kpool *pool;
	int n, tuned;

	for (tuned = 0; tuned < 2; tuned++) {
		attrs.max_bypass = tuned ? 3 : values[variant];
		pool = paused_pool(&attrs);
		if (!pool)
			return;
		n = submit_prios(pool,
				 "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhnnnnnlllll");
		if (tuned)
			KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_MAX_BYPASS,
						values[variant]), 0);
		expect_order_by_rule(pool, n, values[variant] ?: 15);
		priority_finish(pool, NULL, 0);
	}
}

/*
 * The oldest lower one is the oldest by arrival, be it normal or low.
 * Fails if normal is always taken before low.
 */
static void oldest_lower_one_may_be_low(void)
{
	struct kpool *pool = paused_pool(&one_deep);
	int nr[37], i, n = 0;

	if (!pool)
		return;
	submit_prios(pool, "lnlhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh");
	for (i = 3; i < 18; i++)
		nr[n++] = i;
	nr[n++] = 0;
	for (; i < 33; i++)
		nr[n++] = i;
	nr[n++] = 1;
	for (; i < 37; i++)
		nr[n++] = i;
	nr[n++] = 2;
	expect_order(pool, nr, n);
	priority_finish(pool, NULL, 0);
}

/*
 * Normal items pass over low ones no longer than high ones do.
 * Fails if only high starts are counted.
 */
static void low_gets_its_turn_among_normal(void)
{
	struct kpool *pool = paused_pool(&one_deep);
	int nr[34], i, n = 0;

	if (!pool)
		return;
	submit_prios(pool, "llnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn");
	for (i = 2; i < 17; i++)
		nr[n++] = i;
	nr[n++] = 0;
	for (; i < 32; i++)
		nr[n++] = i;
	nr[n++] = 1;
	for (; i < 34; i++)
		nr[n++] = i;
	expect_order(pool, nr, n);
	priority_finish(pool, NULL, 0);
}

/*
 * Any mixture starts in the order that the rule says.
 * Fails if the queue loses the order of arrival between priorities.
 */
static void any_mixture_starts_by_the_rule(void)
{
	static const char letters[] = "hhhhnnl";
	struct rnd_state rnd;
	struct kpool *pool;
	char prios[ITEMS + 1];
	int i, round, n;

	prandom_seed_state(&rnd, 4711);
	for (round = 0; round < 50; round++) {
		pool = paused_pool(&one_deep);
		if (!pool)
			return;
		n = 20 + prandom_u32_state(&rnd) % (ITEMS - 19);
		for (i = 0; i < n; i++)
			prios[i] = letters[prandom_u32_state(&rnd) %
					   (7 - round % 3)];
		prios[n] = '\0';
		submit_prios(pool, prios);
		expect_order_by_rule(pool, n, 15);
		priority_finish(pool, NULL, 0);
	}
}

/*
 * Closing a pool keeps the order of what still runs.
 * Fails if shutdown puts the queue together in another order.
 */
static void closed_pool_keeps_the_order(void)
{
	static const int nr[] = { 3, 5, 1, 4, 0, 2 };
	struct kpool *pool = paused_pool(&one_deep);

	if (!pool)
		return;
	submit_prios(pool, "lnlhnh");
	kpool_shutdown(pool);
	expect_order(pool, nr, 6);
	priority_finish(pool, NULL, 0);
}

/*
 * Cancel finds an item of any priority, and the others keep their places.
 * Fails if an item is taken from another priority's part of the queue.
 */
static void cancelled_item_leaves_the_others_in_order(void)
{
	static const int nr[] = { 8, 4, 7, 0, 3 };
	static const int cancelled[] = { 2, 1, 6, 5 };
	struct kpool *pool = paused_pool(&one_deep);
	int i;

	if (!pool)
		return;
	submit_prios(pool, "lnhlnhlnh");
	for (i = 0; i < ARRAY_SIZE(cancelled); i++)
		KT_EXPECT(kpool_cancel(&item[cancelled[i]].item));
	KT_EXPECT_EQ(kt_stat(pool, pending), 5);
	expect_order(pool, nr, 5);
	KT_EXPECT_EQ(kt_stat(pool, cancelled), 4);
	priority_finish(pool, NULL, 0);
}

/*
 * Abort drops what waits in every priority.
 * Fails if one of them is forgotten: the items would run, or destroy hang.
 */
static void abort_drops_every_priority(void)
{
	struct kpool *pool = paused_pool(&one_deep);

	if (!pool)
		return;
	submit_prios(pool, "lnhlnh");
	KT_EXPECT_EQ(kpool_abort(pool), 6);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), 6);
	KT_EXPECT_EQ(order.n, 0);
	priority_finish(pool, NULL, 0);
}

static struct kpool *full_pool;

static int item_fills_the_pool(struct kpool_item *it)
{
	KT_EXPECT_EQ(kt_stat(full_pool, units), 2);
	return item_noted(it);
}

/*
 * An item's priority is what it was set to last, with any weight.
 * Fails if one setter overwrites what the other has stored.
 */
static void priority_and_weight_are_apart(void)
{
	static const int nr[] = { 2, 1, 0 };
	struct kpool *pool = paused_pool(&two_deep);
	int i;

	if (!pool)
		return;
	submit_prios(pool, "lnh");
	KT_EXPECT(kpool_cancel(&item[0].item));
	KT_EXPECT(kpool_cancel(&item[1].item));
	KT_EXPECT(kpool_cancel(&item[2].item));
	KT_EXPECT_EQ(kpool_set_weight(&item[2].item, 2), 0);
	KT_EXPECT_EQ(kpool_set_weight(&item[1].item, 1), 0);
	KT_EXPECT_EQ(kpool_set_weight(&item[1].item, 2), 0);
	set_prio(&item[0].item, KPOOL_PRIO_HIGH);
	KT_EXPECT_EQ(kpool_set_weight(&item[0].item, 2), 0);
	set_prio(&item[0].item, KPOOL_PRIO_NORMAL);
	set_prio(&item[0].item, KPOOL_PRIO_LOW);
	full_pool = pool;
	for (i = 0; i < 3; i++)
		item[i].item.fn = item_fills_the_pool;
	KT_EXPECT(kt_submit_jobs(pool, item, 3));
	expect_order(pool, nr, 3);
	priority_finish(pool, NULL, 0);
}

/*
 * A priority that does not exist is refused and changes nothing.
 * Fails if it is stored, or cut to the bits that there are.
 */
static void bad_priority_is_refused(void)
{
	static const int bad[] = { -1, 3, 4, 255, 256, 257, INT_MAX, INT_MIN };
	static const int nr[] = { 1, 0 };
	struct kpool *pool = paused_pool(&one_deep);
	int i;

	if (!pool)
		return;
	submit_prios(pool, "nh");
	KT_EXPECT(kpool_cancel(&item[0].item));
	KT_EXPECT(kpool_cancel(&item[1].item));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KT_EXPECT_EQ(kpool_set_priority(&item[0].item, bad[i]),
			     -EINVAL);
		KT_EXPECT_EQ(kpool_set_priority(&item[1].item, bad[i]),
			     -EINVAL);
	}
	KT_EXPECT(kt_submit_jobs(pool, item, 2));
	expect_order(pool, nr, 2);
	priority_finish(pool, NULL, 0);
}

static struct kpool *priority_pool(const struct kpool_attrs *attrs)
{
	struct kpool *pool = paused_pool(attrs);

	if (pool)
		kpool_resume(pool);
	return pool;
}

/* Have a submitter sleep for each of five items of mixed priorities. */
static bool block_mixed(struct kpool *pool, struct kt_submitter *s)
{
	static const enum kpool_priority prios[] = {
		KPOOL_PRIO_LOW, KPOOL_PRIO_NORMAL, KPOOL_PRIO_HIGH, KPOOL_PRIO_LOW, KPOOL_PRIO_HIGH,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(prios); i++) {
		item_prepare(i, prios[i]);
		if (!kt_submitter_block(&s[i], pool, &item[i].item))
			return false;
	}
	return true;
}

/*
 * Submitters that sleep are admitted by arrival, not by priority; without a
 * queue that is the order in which their items start.
 * Fails if the blocked submitters are sorted as the queue is.
 */
static void submitters_are_admitted_by_arrival(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = priority_pool(&attrs);
	struct kt_submitter s[5] = { };

	if (!pool)
		return;
	KT_EXPECT(load_runs(pool, &load[0]));
	if (block_mixed(pool, s)) {
		load_end(&load[0]);
		KT_EXPECT(kt_wait(atomic_read(&gate.finished) == 5));
		order_expect_rising(&order, 5);
	}
	priority_finish(pool, s, 5);
}

/*
 * Items are admitted by arrival, and then start by priority.
 * Fails if a place in the queue is given to the highest of those blocked.
 */
static void submitters_enter_the_queue_by_arrival(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	static const int nr[] = { 2, 4, 1, 0, 3 };
	struct kpool *pool = priority_pool(&attrs);
	struct kt_submitter s[5] = { };
	int i;

	if (!pool)
		return;
	KT_EXPECT(load_runs(pool, &load[0]));
	if (!block_mixed(pool, s))
		goto out;
	for (i = 0; i < 5; i++) {
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, i + 1), 0);
		KT_EXPECT(kt_wait(kt_thread_done(&s[i].thread)));
		KT_EXPECT_EQ(kt_stat(pool, blocked), 4 - i);
	}
	load_end(&load[0]);
	expect_order(pool, nr, 5);
out:
	priority_finish(pool, s, 5);
}

/*
 * A high item finds no room where a low one would find none, and does not pass
 * a low submitter that sleeps.
 * Fails if priority buys a place.
 */
static void high_priority_makes_no_room(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 2,
	};
	struct kpool *pool = priority_pool(&attrs);
	struct kt_submitter s = { };
	int i;

	if (!pool)
		return;
	KT_EXPECT(load_runs(pool, &load[0]));
	for (i = 0; i < 3; i++)
		item_prepare(i, KPOOL_PRIO_LOW);
	item_prepare(3, KPOOL_PRIO_HIGH);
	KT_EXPECT(kt_submit_jobs(pool, item, 2));
	KT_EXPECT_EQ(kpool_try_submit(pool, &item[3].item), -EAGAIN);
	if (!kt_submitter_block(&s, pool, &item[2].item))
		goto out;
	KT_EXPECT_EQ(kpool_try_submit(pool, &item[3].item), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_timeout(pool, &item[3].item, 1), -ETIMEDOUT);
	KT_EXPECT_EQ(kt_stat(pool, refused), 2);
out:
	priority_finish(pool, &s, 1);
}

/*
 * A unit comes free.  The item of a blocked submitter is admitted before the
 * next one starts, and starts first if its priority is higher.
 * Fails if the worker starts a queued item before it looks for room.
 */
static void submitter_is_admitted_before_the_next_start(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 2,
	};
	static const int nr[] = { 2, 0, 1 };
	struct kpool *pool = priority_pool(&attrs);
	struct kt_submitter s = { };

	if (!pool)
		return;
	KT_EXPECT(load_runs(pool, &load[0]));
	item_prepare(0, KPOOL_PRIO_NORMAL);
	item_prepare(1, KPOOL_PRIO_NORMAL);
	item_prepare(2, KPOOL_PRIO_HIGH);
	KT_EXPECT(kt_submit_jobs(pool, item, 2));
	if (kt_submitter_block(&s, pool, &item[2].item)) {
		load_end(&load[0]);
		KT_EXPECT(kt_wait(kt_thread_done(&s.thread)));
		expect_order(pool, nr, 3);
	}
	priority_finish(pool, &s, 1);
}

/* Items that submit themselves again, a number of times. */
struct again {
	struct kt_job	job;
	struct kpool	*pool;
	int		left;
};

static struct again again[2];
static atomic_t again_runs;

static int again_fn(struct kpool_item *it)
{
	struct again *a = container_of(it, struct again, job.item);

	atomic_inc(&again_runs);
	order_note(&order, a->job.nr);
	if (--a->left)
		KT_EXPECT_EQ(kpool_submit(a->pool, it), 0);
	return 0;
}

static void again_init(int i, struct kpool *pool, enum kpool_priority priority,
		       int runs)
{
	struct again *a = &again[i];

	memset(a, 0, sizeof(*a));
	kt_job_init(&a->job, again_fn, &gate, 100 + i);
	set_prio(&a->job.item, priority);
	a->pool = pool;
	a->left = runs;
	atomic_set(&again_runs, 0);
}

/*
 * A low item gets its turn after 15 runs of one that submits itself for ever.
 * Fails if a start that takes up an item again is not counted.
 */
static void self_submission_does_not_starve_low(int priority)
{
	struct kpool *pool = paused_pool(&one_deep);
	int i;

	if (!pool)
		return;
	again_init(0, pool, priority, 40);
	item_prepare(0, KPOOL_PRIO_LOW);
	item_prepare(1, KPOOL_PRIO_LOW);
	KT_EXPECT_EQ(kpool_submit(pool, &again[0].job.item), 0);
	KT_EXPECT(kt_submit_jobs(pool, item, 2));
	kpool_resume(pool);
	KT_EXPECT(kt_wait(atomic_read(&again_runs) == 40));
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(order.n, 42);
	for (i = 0; i < 42; i++)
		KT_EXPECT_EQ(order.nr[i], i == 15 ? 0 : i == 31 ? 1 : 100);
	priority_finish(pool, NULL, 0);
}

static const char *const upper[] = { "normal", "high", NULL };

static int runs_before_low;

static int low_looks(struct kpool_item *it)
{
	runs_before_low = atomic_read(&again_runs);
	return kt_job_tiny(it);
}

/*
 * A heavy low item whose turn it is holds back high ones until it fits.
 * Fails if its turn passes when it does not fit at once: it would starve.
 */
static void heavy_low_item_does_not_starve(void)
{
	struct kpool *pool = paused_pool(&two_deep);

	if (!pool)
		return;
	item_prepare(0, KPOOL_PRIO_LOW);
	item[0].item.fn = low_looks;
	KT_EXPECT_EQ(kpool_set_weight(&item[0].item, 2), 0);
	again_init(0, pool, KPOOL_PRIO_HIGH, 100);
	again_init(1, pool, KPOOL_PRIO_HIGH, 100);
	KT_EXPECT_EQ(kpool_submit(pool, &item[0].item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &again[0].job.item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &again[1].job.item), 0);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(atomic_read(&again_runs) == 200));
	KT_EXPECT_EQ(kpool_flush_item(&item[0].item), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	KT_EXPECT_LE(runs_before_low, 15);
	priority_finish(pool, NULL, 0);
}

/*
 * A high item whose units are not free holds back normal and low ones.
 * Fails if the next priority is asked when the first does not fit.
 */
static void heavy_high_item_holds_back_lower_ones(void)
{
	struct kpool *pool = priority_pool(&two_deep);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&load[1].job.item, 2), 0);
	set_prio(&load[1].job.item, KPOOL_PRIO_HIGH);
	set_prio(&load[2].job.item, KPOOL_PRIO_LOW);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(load_submit(pool, &load[1]), 0);
	KT_EXPECT_EQ(load_submit(pool, &load[2]), 0);
	KT_EXPECT_EQ(load_submit(pool, &load[3]), 0);
	KT_EXPECT(load_waits(&load[2]));
	KT_EXPECT(!load_started(&load[3]));
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[1]));
	load_end(&load[1]);
	KT_EXPECT(load_starts(&load[3]));
	KT_EXPECT(load_starts(&load[2]));
	priority_finish(pool, NULL, 0);
}

static int (*const accepts[])(struct kpool *pool, struct kpool_item *item) = {
	kpool_try_submit, kpool_submit_now,
};

static const char *const accept_names[] = { "try", "now", NULL };

/* A pool of four units, three of them free, and a low item that needs all. */
static struct kpool *heavy_low_waits(int max_bypass)
{
	const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 1, .max_bypass = max_bypass,
	};
	struct kpool *pool = priority_pool(&attrs);

	if (!pool)
		return NULL;
	KT_EXPECT_EQ(kpool_set_weight(&load[1].job.item, 4), 0);
	set_prio(&load[1].job.item, KPOOL_PRIO_LOW);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(load_submit(pool, &load[1]), 0);
	return pool;
}

/*
 * A low item that lacks units holds back other low ones.  An item of a higher
 * priority is ahead of it, and finds room in the units that are free.
 * Fails (-EAGAIN) if it has to wait for the low one's place, or if a low one
 * does not: mutants heavy-below-is-ahead, equal-priority-bypasses.
 */
static void higher_item_needs_no_place_behind_a_heavy_lower_one(int way)
{
	struct kpool *pool = heavy_low_waits(0);

	if (!pool)
		return;
	set_prio(&load[2].job.item, KPOOL_PRIO_LOW);
	KT_EXPECT_EQ(accepts[way](pool, &load[2].job.item), -EAGAIN);
	KT_EXPECT_EQ(accepts[way](pool, &load[3].job.item), 0);
	KT_EXPECT(load_starts(&load[3]));
	set_prio(&load[2].job.item, KPOOL_PRIO_HIGH);
	KT_EXPECT_EQ(accepts[way](pool, &load[2].job.item), 0);
	KT_EXPECT(load_starts(&load[2]));
	KT_EXPECT(load_waits(&load[1]));
	KT_EXPECT_EQ(kt_stat(pool, pending), 1);
	priority_finish(pool, NULL, 0);
}

/*
 * When it is the heavy low item's turn, a high one is behind it.
 * Fails (two wait in a queue of one) if the starts past it are not counted:
 * mutant bypass-has-no-end.
 */
static void higher_item_needs_a_place_when_it_is_a_lower_ones_turn(int way)
{
	struct kpool *pool = heavy_low_waits(1);

	if (!pool)
		return;
	set_prio(&load[2].job.item, KPOOL_PRIO_HIGH);
	set_prio(&load[3].job.item, KPOOL_PRIO_HIGH);
	KT_EXPECT_EQ(accepts[way](pool, &load[2].job.item), 0);
	KT_EXPECT(load_starts(&load[2]));
	KT_EXPECT_EQ(accepts[way](pool, &load[3].job.item), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(pool, pending), 1);
	priority_finish(pool, NULL, 0);
}

/*
 * Then those of a higher priority that are queued wait, too, though their units
 * are free.
 * Fails (three wait in a queue of two) if they are taken for about to start:
 * mutant turn-of-a-heavy-one-not-seen.
 */
static void items_behind_a_lower_one_whose_turn_it_is_wait(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 2, .max_bypass = 1,
	};
	struct kpool *pool = priority_pool(&attrs);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&load[2].job.item, 3), 0);
	set_prio(&load[2].job.item, KPOOL_PRIO_LOW);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT(load_runs(pool, &load[1]));
	KT_EXPECT_EQ(load_submit(pool, &load[2]), 0);
	KT_EXPECT(load_runs(pool, &load[3]));
	load_end(&load[3]);
	item_prepare(0, KPOOL_PRIO_NORMAL);
	item_prepare(1, KPOOL_PRIO_NORMAL);
	KT_EXPECT_EQ(kpool_try_submit(pool, &item[0].item), 0);
	KT_EXPECT_EQ(kpool_try_submit(pool, &item[1].item), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(pool, pending), 2);
	priority_finish(pool, NULL, 0);
}

static const char *const turns[] = { "of_the_heavy", "of_a_light", NULL };

/*
 * Two high items can start ahead of a low one, and then that has its turn.  If
 * it is heavy, two are about to start, and all others wait.  If a light one is
 * ahead of the heavy one, it starts as well, and two more behind it.
 * Fails (more are accepted than can wait, or fewer) if the starts to come are
 * not counted as those that have been: mutants turns-not-counted-ahead,
 * bypassed-behind-a-higher.
 */
static void starts_to_come_are_counted(int turn)
{
	static const struct kpool_attrs attrs = {
		.capacity = 8, .queue_depth = 3, .max_bypass = 2,
	};
	struct kpool *pool = paused_pool(&attrs);
	int i, n = 0;

	if (!pool)
		return;
	item_prepare(n, KPOOL_PRIO_LOW);
	KT_EXPECT_EQ(kpool_set_weight(&item[n].item, turn ? 1 : 8), 0);
	KT_EXPECT_EQ(kpool_try_submit(pool, &item[n++].item), 0);
	if (turn) {
		/* the third after two high ones; then the count is 0 again */
		item_prepare(n, KPOOL_PRIO_LOW);
		KT_EXPECT_EQ(kpool_set_weight(&item[n].item, 5), 0);
		KT_EXPECT_EQ(kpool_try_submit(pool, &item[n++].item), 0);
	}
	for (i = 0; i < (turn ? 6 : 4); i++, n++) {
		item_prepare(n, KPOOL_PRIO_HIGH);
		KT_EXPECT_EQ(kpool_try_submit(pool, &item[n].item), 0);
	}
	item_prepare(n, KPOOL_PRIO_HIGH);
	KT_EXPECT_EQ(kpool_try_submit(pool, &item[n].item), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(pool, pending), n);
	kpool_resume(pool);
	priority_finish(pool, NULL, 0);
}

/*
 * A start to come with none below it is no bypass.  A high item is still ahead
 * of the heavy one behind that start, and needs no place.
 * Fails (-EAGAIN) if it counts: mutant start-past-nothing-counted-ahead.
 */
static void start_to_come_past_nothing_is_no_bypass(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 1, .max_bypass = 1,
	};
	struct kpool *pool = paused_pool(&attrs);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 3; i++)
		item_prepare(i, i == 2 ? KPOOL_PRIO_HIGH : KPOOL_PRIO_NORMAL);
	KT_EXPECT_EQ(kpool_set_weight(&item[1].item, 4), 0);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kpool_try_submit(pool, &item[i].item), 0);
	kpool_resume(pool);
	priority_finish(pool, NULL, 0);
}

/* In its first run, have a low, a normal and a high item wait, then itself. */
static int joins_the_queue(struct kpool_item *it)
{
	struct again *a = container_of(it, struct again, job.item);

	order_note(&order, a->job.nr);
	if (--a->left) {
		kt_submit_jobs(a->pool, item, 3);
		KT_EXPECT_EQ(kpool_submit(a->pool, it), 0);
	}
	return 0;
}

/*
 * An item that submits itself in its function waits by its priority.
 * Fails if it is put at the front or at the end of the whole queue.
 */
static void self_submission_keeps_its_priority(int priority)
{
	static const int nr[][5] = {
		{ 100, 2, 1, 100, 0 },
		{ 100, 2, 100, 1, 0 },
		{ 100, 2, 1, 0, 100 },
	};
	struct kpool *pool = paused_pool(&one_deep);

	if (!pool)
		return;
	item_prepare(0, KPOOL_PRIO_LOW);
	item_prepare(1, KPOOL_PRIO_NORMAL);
	item_prepare(2, KPOOL_PRIO_HIGH);
	again_init(0, pool, priority, 2);
	again[0].job.item.fn = joins_the_queue;
	KT_EXPECT_EQ(kpool_submit(pool, &again[0].job.item), 0);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(kt_stat(pool, completed) == 5));
	expect_order(pool, nr[priority], 5);
	priority_finish(pool, NULL, 0);
}

/* In its first run, submit itself, and then wait to be let go. */
static int comes_again_later(struct kpool_item *it)
{
	struct again *a = container_of(it, struct again, job.item);

	order_note(&order, a->job.nr);
	if (--a->left) {
		KT_EXPECT_EQ(kpool_submit(a->pool, it), 0);
		kt_gate_pass(&load[1].gate);
	}
	return 0;
}

/*
 * So does one whose turn has come while it still runs.
 * Fails if it starts before those of a higher priority that came during its
 * run, or after its like.
 */
static void requeued_item_keeps_its_priority(int priority)
{
	static const int nr[][4] = {
		{ 100, 1, 100, 0 },
		{ 100, 100, 1, 0 },
		{ 100, 1, 0, 100 },
	};
	struct kpool *pool = priority_pool(&two_deep);

	if (!pool)
		return;
	again_init(0, pool, priority, 2);
	again[0].job.item.fn = comes_again_later;
	KT_EXPECT_EQ(kpool_submit(pool, &again[0].job.item), 0);
	if (!KT_EXPECT(load_starts(&load[1])))
		goto out;
	KT_EXPECT(load_runs(pool, &load[0]));
	item_prepare(0, KPOOL_PRIO_NORMAL);
	item_prepare(1, KPOOL_PRIO_HIGH);
	KT_EXPECT(kt_submit_jobs(pool, item, 2));
	kt_gate_open(&load[1].gate);
	KT_EXPECT(kt_wait(kt_stat(pool, completed) == 4));
	kt_gate_open(&load[0].gate);
	expect_order(pool, nr[priority], 4);
out:
	priority_finish(pool, NULL, 0);
}

static int flush_main(void *arg)
{
	return kpool_flush(arg);
}

/*
 * A flush waits for the low items that were accepted before it, though later
 * ones overtake them.
 * Fails if so many ends are counted, of any item.
 */
static void flush_waits_for_low_items_that_are_overtaken(void)
{
	struct kpool *pool = paused_pool(&one_deep);
	struct kt_thread t = { };

	if (!pool)
		return;
	item_prepare(0, KPOOL_PRIO_LOW);
	set_prio(&load[0].job.item, KPOOL_PRIO_HIGH);
	set_prio(&load[1].job.item, KPOOL_PRIO_HIGH);
	KT_EXPECT_EQ(kpool_submit(pool, &item[0].item), 0);
	if (!kt_thread_start(&t, flush_main, pool) || !kt_thread_asleep(&t))
		goto out;
	KT_EXPECT_EQ(load_submit(pool, &load[0]), 0);
	KT_EXPECT_EQ(load_submit(pool, &load[1]), 0);
	kpool_resume(pool);
	KT_EXPECT(load_starts(&load[0]));
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[1]));
	kt_sleep_ms(10);
	KT_EXPECT(!kt_thread_done(&t));
	KT_EXPECT_EQ(atomic_read(&gate.finished), 0);
	load_end(&load[1]);
out:
	load_open_all(load, ARRAY_SIZE(load));
	kpool_resume(pool);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	priority_finish(pool, NULL, 0);
}

/*
 * A flush does not wait for what came after it, also if that was overtaken.
 * Fails if it waits for the queue to be empty.
 */
static void flush_does_not_wait_for_later_low_items(void)
{
	struct kpool *pool = paused_pool(&one_deep);
	struct kt_thread t = { };

	if (!pool)
		return;
	item_prepare(0, KPOOL_PRIO_NORMAL);
	set_prio(&load[0].job.item, KPOOL_PRIO_LOW);
	KT_EXPECT_EQ(kpool_submit(pool, &item[0].item), 0);
	if (!kt_thread_start(&t, flush_main, pool) || !kt_thread_asleep(&t))
		goto out;
	KT_EXPECT_EQ(load_submit(pool, &load[0]), 0);
	kpool_resume(pool);
	KT_EXPECT(load_starts(&load[0]));
	KT_EXPECT(kt_wait(kt_thread_done(&t)));
	KT_EXPECT(!load_finished(&load[0]));
out:
	load_open_all(load, ARRAY_SIZE(load));
	kpool_resume(pool);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	priority_finish(pool, NULL, 0);
}

/*
 * The age of the oldest queued item is that of the oldest of any priority.
 * Fails if that of the next to start is reported.
 */
static void oldest_queued_item_may_be_low(void)
{
	struct kpool *pool = paused_pool(&one_deep);

	if (!pool)
		return;
	item_prepare(0, KPOOL_PRIO_LOW);
	item_prepare(1, KPOOL_PRIO_HIGH);
	KT_EXPECT_EQ(kpool_submit(pool, &item[0].item), 0);
	kt_sleep_ms(60);
	KT_EXPECT_EQ(kpool_submit(pool, &item[1].item), 0);
	KT_EXPECT_GE(kt_stat(pool, oldest_pending_ms), 50);
	kpool_resume(pool);
	priority_finish(pool, NULL, 0);
}

/* kpool.c starts the sequence numbers so far below their wrap. */
#define SEQS_LEFT	300

/* Use up @n sequence numbers. */
static void use_seqs(struct kpool *pool, int n)
{
	struct kt_job job;
	int i;

	kt_job_init(&job, kt_job_tiny, &gate, 0);
	for (i = 0; i < n; i++) {
		KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
		KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	}
}

/*
 * The queue crosses the wrap of the sequence number, at each of its places.
 * Fails if the oldest lower one is chosen as if there were no wrap: mutant
 * seq-unsigned.
 */
static void oldest_lower_one_is_found_across_the_wrap(void)
{
	static const char mixture[] =
		"lnhhlnhhnlhhlnhhnlhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh";
	struct kpool *pool;
	int before;

	for (before = 0; before <= 40; before += 2) {
		pool = paused_pool(&one_deep);
		if (!pool)
			return;
		kpool_resume(pool);
		use_seqs(pool, SEQS_LEFT - before);
		KT_EXPECT_EQ(kpool_pause(pool), 0);
		order_init(&order);
		/* the items that are passed over lie on both sides */
		submit_prios(pool, mixture);
		expect_order_by_rule(pool, 64, 15);
		priority_finish(pool, NULL, 0);
	}
}

/*
 * An item that waited for its own run is queued in front again of those that
 * came after it, wherever the wrap lies between.
 * Fails if it goes behind them: mutant seq-unsigned.
 */
static void requeued_item_keeps_its_place_across_the_wrap(void)
{
	static struct load own;
	struct kpool *pool;
	int before, i;

	for (before = 0; before <= 6; before++) {
		pool = priority_pool(&two_deep);
		if (!pool)
			return;
		use_seqs(pool, SEQS_LEFT - before);
		order_init(&order);
		load_init(&own, 0);
		/* the item runs and is accepted again, then the queue grows */
		KT_EXPECT(load_runs(pool, &own));
		KT_EXPECT_EQ(load_submit(pool, &own), 0);
		KT_EXPECT(load_runs(pool, &load[0]));
		if (before % 2)
			kt_sleep_ms(20);
		for (i = 0; i < 4; i++) {
			item_prepare(i, KPOOL_PRIO_NORMAL);
			KT_EXPECT_EQ(kpool_submit(pool, &item[i].item), 0);
		}
		atomic_set(&own.gate.started, 0);
		kt_gate_let_one(&own.gate);
		/* the unit that its run gave back is its own again */
		KT_EXPECT(load_starts(&own));
		KT_EXPECT_EQ(order.n, 0);
		/* its worker runs them one after the other */
		kt_gate_open(&own.gate);
		KT_EXPECT(kt_wait(READ_ONCE(order.n) == 4));
		kt_gate_open(&load[0].gate);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		order_expect_rising(&order, 4);
		priority_finish(pool, NULL, 0);
	}
}

/*
 * Time passes between arrivals, and is compared first when the oldest lower one
 * is looked for.
 * Fails if the later of two counts as the older.
 */
static void oldest_lower_one_is_found_over_time(void)
{
	static const int nr[] = { 0, 1, 2, 3 };
	static const char *const prios[] = { "lnnl", "nlln" };
	struct kpool *pool;
	int way, i, k, at;

	for (way = 0; way < 2; way++) {
		pool = paused_pool(&one_deep);
		if (!pool)
			return;
		for (i = 0; i < 4; i++) {
			item_prepare(i, prios[way][i] == 'l' ? KPOOL_PRIO_LOW :
							       KPOOL_PRIO_NORMAL);
			KT_EXPECT_EQ(kpool_submit(pool, &item[i].item), 0);
			kt_sleep_ms(20);
		}
		for (; i < ITEMS; i++) {
			item_prepare(i, KPOOL_PRIO_HIGH);
			KT_EXPECT_EQ(kpool_submit(pool, &item[i].item), 0);
		}
		kpool_resume(pool);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT_EQ(order.n, ITEMS);
		for (i = k = 0; i < order.n && k < 3; i++)
			if (order.nr[i] < 4) {
				at = 16 * k + 15;
				KT_EXPECT_EQ(order.nr[i], nr[k++]);
				KT_EXPECT_EQ(i, at);
			}
		priority_finish(pool, NULL, 0);
	}
}

static int due_noted(struct kpool_item *it)
{
	order_note(&order, 100);
	return 0;
}

/*
 * A job that comes due is as old as a submitter that came then, whenever it
 * was accepted.
 * Fails if it passes those that came while it was delayed.
 */
static void due_job_is_as_old_as_its_time(void)
{
	struct kpool *pool = paused_pool(&one_deep);
	static struct kpool_job due;
	int i;

	if (!pool)
		return;
	kpool_init_job(&due, due_noted);
	set_prio(&due.item, KPOOL_PRIO_NORMAL);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &due, msecs_to_jiffies(50)), 0);
	item_prepare(0, KPOOL_PRIO_LOW);
	KT_EXPECT_EQ(kpool_submit(pool, &item[0].item), 0);
	KT_EXPECT(kt_wait(!kt_stat(pool, delayed)));
	for (i = 1; i < 40; i++) {
		item_prepare(i, KPOOL_PRIO_HIGH);
		KT_EXPECT_EQ(kpool_submit(pool, &item[i].item), 0);
	}
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(order.n, 41);
	KT_EXPECT_EQ(order.nr[15], 0);
	KT_EXPECT_EQ(order.nr[31], 100);
	priority_finish(pool, NULL, 0);
}

/* Starts pass over a lower one once, and then it is the turn of the oldest. */
static const struct kpool_attrs one_bypass = {
	.capacity = 1, .queue_depth = KPOOL_UNLIMITED, .max_bypass = 1,
};

/* A low job that is delayed, and that the order has as 100. */
static void delay_low(struct kpool *pool, struct kpool_job *due)
{
	kpool_init_job(due, due_noted);
	set_prio(&due->item, KPOOL_PRIO_LOW);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, due, 3600 * HZ), 0);
}

/*
 * Of items that came in the same tick, the oldest lower one is found by its
 * number.
 * Fails if a due job keeps the number of its submission: mutant
 * due-job-keeps-its-number.
 */
static void due_job_is_as_old_as_its_number(void)
{
	static const int right[] = { 1, 0, 2, 100 };
	struct kpool *pool = paused_pool(&one_bypass);
	static struct kpool_job due;

	if (!pool)
		return;
	delay_low(pool, &due);
	submit_prios(pool, "n");
	KT_EXPECT(kpool_modify_delay(&due, 0));
	item_prepare(1, KPOOL_PRIO_HIGH);
	item_prepare(2, KPOOL_PRIO_HIGH);
	KT_EXPECT(kt_submit_jobs(pool, &item[1], 2));
	expect_order(pool, right, ARRAY_SIZE(right));
	priority_finish(pool, NULL, 0);
}

/*
 * A due job that has to wait behind a submitter is younger than that one's
 * item.
 * Fails if it keeps the number or the time of when it came due: mutants
 * backlog-keeps-its-number, backlog-keeps-its-time.
 */
static void due_job_is_younger_than_a_submitter_before_it(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 2, .max_bypass = 1,
	};
	static const int right[] = { 0, 3, 1, 100, 2 };
	struct kpool *pool = paused_pool(&attrs);
	static struct kpool_job due;
	struct kt_submitter s = { };

	if (!pool)
		return;
	delay_low(pool, &due);
	/* as many as start and wait */
	submit_prios(pool, "hhh");
	item_prepare(3, KPOOL_PRIO_NORMAL);
	KT_EXPECT(kt_submitter_block(&s, pool, &item[3].item));
	KT_EXPECT(kpool_modify_delay(&due, 0));
	/* for more than a tick */
	kt_sleep_ms(30);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, 8), 0);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	expect_order(pool, right, ARRAY_SIZE(right));
	priority_finish(pool, NULL, 0);
}

/* In a paused pool.  The low one goes while @last, the tenth, runs. */
static void ten_pass_over_a_low_one(struct kpool *pool, struct load *last)
{
	int i;

	item_prepare(0, KPOOL_PRIO_LOW);
	KT_EXPECT_EQ(kpool_submit(pool, &item[0].item), 0);
	for (i = 1; i < 10; i++) {
		item_prepare(i, KPOOL_PRIO_HIGH);
		KT_EXPECT_EQ(kpool_submit(pool, &item[i].item), 0);
	}
	set_prio(&last->job.item, KPOOL_PRIO_HIGH);
	KT_EXPECT_EQ(load_submit(pool, last), 0);
	kpool_resume(pool);
	KT_EXPECT(load_starts(last));
	KT_EXPECT(kpool_cancel(&item[0].item));
}

/* A low item and 39 high ones behind it. */
static void submit_forty(struct kpool *pool)
{
	int i;

	order_init(&order);
	item_prepare(0, KPOOL_PRIO_LOW);
	KT_EXPECT_EQ(kpool_submit(pool, &item[0].item), 0);
	for (i = 1; i < 40; i++) {
		item_prepare(i, KPOOL_PRIO_HIGH);
		KT_EXPECT_EQ(kpool_submit(pool, &item[i].item), 0);
	}
}

/*
 * A start beside another of its priority passes over nothing.
 * Fails (a lower one that comes then starts first) if it counts: mutant
 * bypass-of-its-equals.
 */
static void start_beside_an_equal_is_no_bypass(void)
{
	struct kpool *pool = paused_pool(&one_bypass);

	if (!pool)
		return;
	order_init(&order);
	set_prio(&load[0].job.item, KPOOL_PRIO_HIGH);
	KT_EXPECT_EQ(load_submit(pool, &load[0]), 0);
	item_prepare(1, KPOOL_PRIO_HIGH);
	KT_EXPECT_EQ(kpool_submit(pool, &item[1].item), 0);
	kpool_resume(pool);
	KT_EXPECT(load_starts(&load[0]));
	item_prepare(2, KPOOL_PRIO_NORMAL);
	KT_EXPECT_EQ(kpool_submit(pool, &item[2].item), 0);
	load_end(&load[0]);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(order.n, 2);
	KT_EXPECT_EQ(order.nr[0], 1);
	priority_finish(pool, NULL, 0);
}

static const char *const plain_kinds[] = { "item", "function", NULL };

/*
 * Starts that pass over a lower one count in a row: one that passes no item
 * ends it.
 * Fails if the next lower one comes too early.
 */
static void start_without_bypass_resets_the_count(int is_function)
{
	struct kpool *pool = paused_pool(&one_deep);
	struct kt_gate gate;

	if (!pool)
		return;
	kt_gate_init(&gate);
	ten_pass_over_a_low_one(pool, &load[0]);
	load_end(&load[0]);
	if (!is_function) {
		KT_EXPECT(load_runs(pool, &load[1]));
	} else if (KT_EXPECT_EQ(kpool_submit_fn(pool, kt_gate_pass, &gate,
						GFP_KERNEL), 0)) {
		KT_EXPECT(kt_wait(atomic_read(&gate.started)));
	}
	submit_forty(pool);
	kt_gate_open(&gate);
	load_end(&load[1]);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(order.n, 40);
	KT_EXPECT_EQ(order.nr[15], 0);
	priority_finish(pool, NULL, 0);
}

/* Begin with a worker in load[0]; ten starts have passed over a low item. */
static struct kpool *begin_bypassed(void)
{
	struct kpool *pool = paused_pool(&two_deep);

	if (!pool)
		return NULL;
	kpool_resume(pool);
	KT_EXPECT(load_runs(pool, &load[0]));
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	ten_pass_over_a_low_one(pool, &load[1]);
	return pool;
}

/*
 * A start that takes no lock resets the count, too.
 * Fails if the next lower one comes too early: mutant
 * fast-start-keeps-the-bypass-count.
 */
static void fast_start_resets_the_count(void)
{
	struct kpool *pool = begin_bypassed();

	if (!pool)
		return;
	/* the first worker goes on with it, at once and for long */
	KT_EXPECT_EQ(load_submit(pool, &load[2]), 0);
	kt_gate_open(&load[0].gate);
	KT_EXPECT(load_starts(&load[2]));
	submit_forty(pool);
	kt_gate_open(&load[1].gate);
	KT_EXPECT(kt_wait(order.n == 40));
	KT_EXPECT_EQ(order.nr[15], 0);
	priority_finish(pool, NULL, 0);
}

/*
 * A priority that is set replaces the one before.
 * Fails if one of them stays: mutant low-flag-kept.
 */
static void priority_can_be_set_back(void)
{
	static const enum kpool_priority all[] = {
		KPOOL_PRIO_HIGH, KPOOL_PRIO_NORMAL, KPOOL_PRIO_LOW,
	};
	static const int right[] = { 6, 7, 8, 3, 4, 5, 0, 1, 2 };
	struct kpool *pool = paused_pool(&one_deep);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 9; i++) {
		item_prepare(i, all[i % 3]);
		set_prio(&item[i].item, all[2 - i / 3]);
		KT_EXPECT_EQ(kpool_submit(pool, &item[i].item), 0);
	}
	expect_order(pool, right, ARRAY_SIZE(right));
	priority_finish(pool, NULL, 0);
}

static struct kpool_job late[20];

/*
 * Of those that a start passes over none is forgotten because others are
 * dropped in between: a drop is no start, and no item's turn.
 * Fails if drops are counted as starts, or begin the count anew.
 */
static void drops_are_no_bypasses(int priority)
{
	struct kpool *pool = paused_pool(&one_deep);
	int i, n = 0, k = 0;

	if (!pool)
		return;
	item_prepare(0, KPOOL_PRIO_LOW);
	KT_EXPECT_EQ(kpool_submit(pool, &item[0].item), 0);
	for (i = 1; i <= 32; i++) {
		item_prepare(i, KPOOL_PRIO_HIGH);
		KT_EXPECT_EQ(kpool_submit(pool, &item[i].item), 0);
		if (i % 3 || k == ARRAY_SIZE(late))
			continue;
		kpool_init_job(&late[k], due_noted);
		set_prio(&late[k].item, priority == 1 ? KPOOL_PRIO_HIGH :
			 priority == 2 ? KPOOL_PRIO_LOW : KPOOL_PRIO_NORMAL);
		kpool_set_deadline(&late[k], 1);
		KT_EXPECT_EQ(kpool_submit(pool, &late[k++].item), 0);
	}
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(order.n, 33);
	for (i = 0; i < order.n; i++)
		if (!order.nr[i])
			n = i;
	KT_EXPECT_EQ(n, 15);
	KT_EXPECT_EQ(kt_stat(pool, expired), k);
	priority_finish(pool, NULL, 0);
}

KT_MODULE("kpool selftest: priorities",
	  KT_CASE(high_starts_before_normal_before_low),
	  KT_EACH(order_within_a_priority_is_arrival, priorities),
	  KT_CASE(every_sixteenth_start_goes_to_a_lower_one),
	  KT_CASE(starts_past_nothing_do_not_count),
	  KT_EACH(max_bypass_limits_bypasses, bypasses),
	  KT_CASE(oldest_lower_one_may_be_low),
	  KT_CASE(low_gets_its_turn_among_normal),
	  KT_CASE(any_mixture_starts_by_the_rule),
	  KT_CASE(closed_pool_keeps_the_order),
	  KT_CASE(cancelled_item_leaves_the_others_in_order),
	  KT_CASE(abort_drops_every_priority),
	  KT_CASE(priority_and_weight_are_apart),
	  KT_CASE(bad_priority_is_refused),
	  KT_CASE(submitters_are_admitted_by_arrival),
	  KT_CASE(submitters_enter_the_queue_by_arrival),
	  KT_CASE(high_priority_makes_no_room),
	  KT_CASE(submitter_is_admitted_before_the_next_start),
	  KT_EACH(self_submission_does_not_starve_low, upper),
	  KT_CASE(heavy_low_item_does_not_starve),
	  KT_CASE(heavy_high_item_holds_back_lower_ones),
	  KT_EACH(higher_item_needs_no_place_behind_a_heavy_lower_one, accept_names),
	  KT_EACH(higher_item_needs_a_place_when_it_is_a_lower_ones_turn, accept_names),
	  KT_CASE(items_behind_a_lower_one_whose_turn_it_is_wait),
	  KT_EACH(starts_to_come_are_counted, turns),
	  KT_CASE(start_to_come_past_nothing_is_no_bypass),
	  KT_EACH(self_submission_keeps_its_priority, priorities),
	  KT_EACH(requeued_item_keeps_its_priority, priorities),
	  KT_CASE(flush_waits_for_low_items_that_are_overtaken),
	  KT_CASE(flush_does_not_wait_for_later_low_items),
	  KT_CASE(oldest_queued_item_may_be_low),
	  KT_CASE(oldest_lower_one_is_found_across_the_wrap),
	  KT_CASE(requeued_item_keeps_its_place_across_the_wrap),
	  KT_CASE(oldest_lower_one_is_found_over_time),
	  KT_CASE(due_job_is_as_old_as_its_time),
	  KT_CASE(due_job_is_as_old_as_its_number),
	  KT_CASE(due_job_is_younger_than_a_submitter_before_it),
	  KT_EACH(start_without_bypass_resets_the_count, plain_kinds),
	  KT_CASE(start_beside_an_equal_is_no_bypass),
	  KT_CASE(fast_start_resets_the_count),
	  KT_CASE(priority_can_be_set_back),
	  KT_EACH(drops_are_no_bypasses, priorities));
