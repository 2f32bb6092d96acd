// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of kpool: the parts that need no threads.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "internal.h"
#include "queue.h"
#include "watchdog.h"

/* Attributes */

static const struct kpool_attr_row *row_of(enum kpool_tunable tunable)
{
	return &kpool_attr_table[tunable];
}

/* Rows, and the fields of struct kpool_attrs, have the order of the enum. */
static void table_matches_the_struct(struct kunit *test)
{
	int i;

	for (i = 0; i < KPOOL_NR_TUNABLES; i++) {
		const struct kpool_attr_row *row = row_of(i);

		KUNIT_EXPECT_NOT_NULL_MSG(test, row->name, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, row->offset, i * sizeof(int),
				    "%s", row->name);
	}
	KUNIT_EXPECT_STREQ(test, row_of(KPOOL_TUNE_CAPACITY)->name, "capacity");
	KUNIT_EXPECT_STREQ(test, row_of(KPOOL_TUNE_MAX_BYPASS)->name,
			   "max_bypass");
}

/* A default of 0 needs a word that selects 0, which is itself the default. */
static void defaults_are_in_range(struct kunit *test)
{
	int i;

	for (i = 0; i < KPOOL_NR_TUNABLES; i++) {
		const struct kpool_attr_row *row = row_of(i);

		KUNIT_EXPECT_LE_MSG(test, row->min, row->max, "%s", row->name);
		KUNIT_EXPECT_LE_MSG(test, row->def, row->max, "%s", row->name);
		KUNIT_EXPECT_GE_MSG(test, row->def, row->min, "%s", row->name);
		KUNIT_EXPECT_TRUE_MSG(test, row->def || row->none_word,
				      "%s", row->name);
	}
}

static int parse(enum kpool_tunable tunable, const char *text, int *value)
{
	return kpool_attr_parse(row_of(tunable), text, "kunit", value);
}

static void expect_parsed(struct kunit *test, enum kpool_tunable tunable,
			  const char *text, int expected)
{
	int value = -1;

	KUNIT_EXPECT_EQ_MSG(test, parse(tunable, text, &value), 0, "%s", text);
	KUNIT_EXPECT_EQ_MSG(test, value, expected, "%s", text);
}

static void text_is_parsed_to_its_value(struct kunit *test)
{
	expect_parsed(test, KPOOL_TUNE_CAPACITY, "5", 5);
	expect_parsed(test, KPOOL_TUNE_CAPACITY, "5\n", 5);
	expect_parsed(test, KPOOL_TUNE_CAPACITY, "0", 0);
	expect_parsed(test, KPOOL_TUNE_CAPACITY, "2147483647", INT_MAX);
	expect_parsed(test, KPOOL_TUNE_CAPACITY, "unlimited", KPOOL_UNLIMITED);
	expect_parsed(test, KPOOL_TUNE_QUEUE_DEPTH, "none\n", KPOOL_NONE);
	expect_parsed(test, KPOOL_TUNE_EXPIRY_MS, "never", KPOOL_NO_PURGE);
	expect_parsed(test, KPOOL_TUNE_NICE, "-20", -20);
	expect_parsed(test, KPOOL_TUNE_POLICY, "fifo", KPOOL_POLICY_FIFO);
	expect_parsed(test, KPOOL_TUNE_POLICY, "normal", KPOOL_NONE);
	expect_parsed(test, KPOOL_TUNE_WHEN_FULL, "drop_oldest",
		      KPOOL_FULL_DROP_OLDEST);
	/* numbers of nodes start at 0, and the default is not among them */
	expect_parsed(test, KPOOL_TUNE_NODE, "0", KPOOL_NODE(0));
	expect_parsed(test, KPOOL_TUNE_NODE, "any", KPOOL_NONE);
}

static void bad_text_is_refused(struct kunit *test)
{
	int value;

	KUNIT_EXPECT_EQ(test, parse(KPOOL_TUNE_CAPACITY, "", &value), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse(KPOOL_TUNE_CAPACITY, "many", &value),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, parse(KPOOL_TUNE_CAPACITY, "5x", &value),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, parse(KPOOL_TUNE_CAPACITY, "none", &value),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, parse(KPOOL_TUNE_NICE, "never", &value), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse(KPOOL_TUNE_CAPACITY, "-1", &value),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, parse(KPOOL_TUNE_CAPACITY, "2147483648", &value),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, parse(KPOOL_TUNE_NICE, "20", &value), -ERANGE);
	KUNIT_EXPECT_EQ(test, parse(KPOOL_TUNE_NODE, "-1", &value), -ERANGE);
	/* KPOOL_NONE has a word; its number is no text */
	KUNIT_EXPECT_EQ(test, parse(KPOOL_TUNE_QUEUE_DEPTH, "-2147483648",
				    &value), -ERANGE);
}

/* Expect that what is printed for @value is @text, and is parsed to @value. */
static void expect_printed(struct kunit *test, enum kpool_tunable tunable,
			   int value, const char *text)
{
	char printed[32];
	int parsed = -1;

	KUNIT_EXPECT_EQ(test, kpool_attr_print(row_of(tunable), value, printed,
					       sizeof(printed)), strlen(text));
	KUNIT_EXPECT_STREQ(test, printed, text);
	KUNIT_EXPECT_EQ(test, parse(tunable, printed, &parsed), 0);
	KUNIT_EXPECT_EQ_MSG(test, parsed, value, "%s", text);
}

static void printed_value_can_be_parsed(struct kunit *test)
{
	expect_printed(test, KPOOL_TUNE_CAPACITY, 7, "7\n");
	expect_printed(test, KPOOL_TUNE_CAPACITY, KPOOL_UNLIMITED,
		       "unlimited\n");
	expect_printed(test, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_NONE, "none\n");
	expect_printed(test, KPOOL_TUNE_NICE, -3, "-3\n");
	expect_printed(test, KPOOL_TUNE_POLICY, KPOOL_POLICY_RR, "rr\n");
	expect_printed(test, KPOOL_TUNE_NODE, KPOOL_NODE(0), "0\n");
}

static int resolve(const struct kpool_attrs *req, struct kpool_attrs *attrs)
{
	return kpool_attrs_resolve(req, attrs, "kunit");
}

static void zero_selects_the_default(struct kunit *test)
{
	const struct kpool_attrs req = {
		.capacity	= 2,
		.queue_depth	= KPOOL_NONE,
	};
	struct kpool_attrs attrs;

	KUNIT_ASSERT_EQ(test, resolve(&req, &attrs), 0);
	KUNIT_EXPECT_EQ(test, attrs.capacity, 2);
	KUNIT_EXPECT_EQ(test, attrs.queue_depth, 0);
	KUNIT_EXPECT_EQ(test, attrs.expiry_ms, kpool_defaults.expiry_ms);
	KUNIT_EXPECT_LE(test, attrs.min_workers, 2);
}

static void mem_reclaim_keeps_a_worker(struct kunit *test)
{
	const struct kpool_attrs req = {
		.capacity	= 2,
		.flags		= KPOOL_MEM_RECLAIM,
	};
	struct kpool_attrs attrs;

	KUNIT_ASSERT_EQ(test, resolve(&req, &attrs), 0);
	KUNIT_EXPECT_GE(test, attrs.min_workers, 1);
	KUNIT_EXPECT_TRUE(test, attrs.flags & KPOOL_PREALLOC);
}

static void bad_attributes_are_refused(struct kunit *test)
{
	static const struct {
		struct kpool_attrs	req;
		int			err;
	} cases[] = {
		{ { .capacity = -5 }, -ERANGE },
		{ { .nice = 20 }, -ERANGE },
		{ { .capacity = KPOOL_NONE }, -ERANGE },
		{ { .capacity = 4, .min_workers = 5 }, -EINVAL },
		{ { .flags = KPOOL_PREALLOC, .min_workers = KPOOL_NONE },
		  -EINVAL },
		{ { .when_full = KPOOL_FULL_CALLER_RUNS, .nonblocking = 1 },
		  -EINVAL },
		{ { .flags = 1 << 30 }, -EINVAL },
	};
	struct kpool_attrs attrs;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, resolve(&cases[i].req, &attrs),
				    cases[i].err, "case %d", i);
}

/* Order */

/* Expect that an item with the first pair was accepted before the second. */
static void expect_order(struct kunit *test, u32 queued_at, u32 seq,
			 u32 later_queued_at, u32 later_seq)
{
	const struct kpool_item older = { .queued_at = queued_at, .seq = seq };
	const struct kpool_item newer = {
		.queued_at = later_queued_at, .seq = later_seq,
	};

	KUNIT_EXPECT_TRUE(test, kpool_is_older(&older, &newer));
	KUNIT_EXPECT_FALSE(test, kpool_is_older(&newer, &older));
	KUNIT_EXPECT_FALSE(test, kpool_is_older(&older, &older));
}

static void order_is_by_time_then_sequence(struct kunit *test)
{
	expect_order(test, 1000, 7, 1000, 8);
	expect_order(test, 1000, 8, 1001, 7);
	/* between two items, sequence numbers can advance by any distance */
	expect_order(test, 1000, 0, 1001, 0x80000001);
}

static void order_survives_a_wrap(struct kunit *test)
{
	expect_order(test, 1000, U32_MAX, 1000, 0);
	expect_order(test, 1000, (u32)-300, 1000, 300);
	expect_order(test, U32_MAX, 5, 0, 4);
	expect_order(test, (u32)-HZ, 5, HZ, 5);
}

/* Latency */

static u64 now_us(void)
{
	return div_u64(ktime_get_mono_fast_ns(), NSEC_PER_USEC);
}

static struct kpool *pool_with_latency(struct kunit *test)
{
	struct kpool *pool = kunit_kzalloc(test, sizeof(*pool), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pool);
	pool->latency.counts = kunit_kzalloc(test, sizeof(struct kpool_histograms),
					     GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pool->latency.counts);
	pool->latency.on = true;
	return pool;
}

/* Expect one count, in the row that begins at BIT(row - 1) us. */
static void expect_row(struct kunit *test, u64 *rows, int row)
{
	int i;

	for (i = 0; i < KPOOL_LATENCY_ROWS; i++)
		KUNIT_EXPECT_EQ_MSG(test, rows[i], i == row,
				    "row %d, expected %d", i, row);
	memset(rows, 0, KPOOL_LATENCY_ROWS * sizeof(*rows));
}

/* Long times only: that of the test itself is added, half a second at most. */
static void row_is_log2_of_the_time(struct kunit *test)
{
	struct kpool *pool = pool_with_latency(test);
	struct kpool_run run = {};
	int shift;

	for (shift = 20; shift < 40; shift++) {
		int row = min(shift + 1, KPOOL_LATENCY_ROWS - 1);

		run.began_us = now_us() - BIT_ULL(shift);
		__kpool_latency_end(pool, &run);
		expect_row(test, pool->latency.counts->running, row);
		run.began_us = now_us() - BIT_ULL(shift) - BIT_ULL(shift - 1);
		__kpool_latency_end(pool, &run);
		expect_row(test, pool->latency.counts->running, row);
	}
}

static void run_from_before_the_switch_is_not_counted(struct kunit *test)
{
	struct kpool *pool = pool_with_latency(test);
	struct kpool_run run = { .began_us = 5 };

	pool->latency.on_us = 6;
	__kpool_latency_end(pool, &run);
	expect_row(test, pool->latency.counts->running, -1);
}

/* Three seconds, in microseconds, are in the row from BIT(21) to BIT(22). */
#define WAITED		(3 * HZ)
#define WAITED_US	(3 * USEC_PER_SEC)
#define WAITED_ROW	22

static void wait_is_counted_by_both_clocks(struct kunit *test)
{
	struct kpool *pool = pool_with_latency(test);
	struct kpool_run run = {};
	struct kpool_item item = {};

	item.queued_at = (u32)jiffies - WAITED;
	item.queued_us = (u32)now_us() - WAITED_US;
	__kpool_latency_begin(pool, &run, &item);
	expect_row(test, pool->latency.counts->waiting, WAITED_ROW);
	KUNIT_EXPECT_NE(test, run.began_us, 0);

	/* a microsecond time from before the histograms were switched on */
	item.queued_us = (u32)now_us() - 100 * USEC_PER_SEC;
	__kpool_latency_begin(pool, &run, &item);
	expect_row(test, pool->latency.counts->waiting, WAITED_ROW);

	/* the weight is in its place */
	item.flags = __KPOOL_WEIGHTED;
	item.weight = 2;
	__kpool_latency_begin(pool, &run, &item);
	expect_row(test, pool->latency.counts->waiting, WAITED_ROW);
}

static struct kunit_case kpool_cases[] = {
	KUNIT_CASE(table_matches_the_struct),
	KUNIT_CASE(defaults_are_in_range),
	KUNIT_CASE(text_is_parsed_to_its_value),
	KUNIT_CASE(bad_text_is_refused),
	KUNIT_CASE(printed_value_can_be_parsed),
	KUNIT_CASE(zero_selects_the_default),
	KUNIT_CASE(mem_reclaim_keeps_a_worker),
	KUNIT_CASE(bad_attributes_are_refused),
	KUNIT_CASE(order_is_by_time_then_sequence),
	KUNIT_CASE(order_survives_a_wrap),
	KUNIT_CASE(row_is_log2_of_the_time),
	KUNIT_CASE(run_from_before_the_switch_is_not_counted),
	KUNIT_CASE(wait_is_counted_by_both_clocks),
	{}
};

static struct kunit_suite kpool_suite = {
	.name		= "kpool",
	.test_cases	= kpool_cases,
};

kunit_test_suite(kpool_suite);
