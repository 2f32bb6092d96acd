// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every bad attribute and every bad name is refused, and changes nothing.
 */
#include <linux/cpumask.h>
#include <linux/limits.h>
#include <linux/numa.h>

#include "log.h"

struct row {
	enum kpool_tunable	tunable;
	size_t			offset;
	const char		*name;
	int			bad[6];		/* ended by 0 */
	int			good[4];	/* likewise */
};

#define ROW(id, field) \
	.tunable = KPOOL_TUNE_##id, .offset = offsetof(struct kpool_attrs, field), \
	.name = #field

static const struct row rows[] = {
	{ ROW(CAPACITY, capacity),
	  .bad = { -1, INT_MIN, INT_MIN + 1 },
	  .good = { 1, 2, KPOOL_UNLIMITED } },
	{ ROW(MIN_WORKERS, min_workers),
	  .bad = { -1, 65537, INT_MAX, INT_MIN + 1 },
	  .good = { 1, 65536, KPOOL_NONE } },
	{ ROW(QUEUE_DEPTH, queue_depth),
	  .bad = { -1, INT_MIN + 1 },
	  .good = { 1, KPOOL_NONE, KPOOL_UNLIMITED } },
	{ ROW(MAX_BLOCKED, max_blocked),
	  .bad = { -1, INT_MIN, INT_MIN + 1 },
	  .good = { 1, KPOOL_UNLIMITED } },
	{ ROW(NONBLOCKING, nonblocking),
	  .bad = { -1, 2, INT_MAX, INT_MIN + 1 },
	  .good = { 1, KPOOL_NONE } },
	{ ROW(EXPIRY_MS, expiry_ms),
	  .bad = { -1, INT_MIN, INT_MIN + 1 },
	  .good = { 1, 86400000, KPOOL_NO_PURGE } },
	{ ROW(NICE, nice),
	  .bad = { -21, 20, INT_MAX, INT_MIN + 1 },
	  .good = { -20, 19, KPOOL_NONE } },
	{ ROW(POLICY, policy),
	  .bad = { -1, KPOOL_POLICY_RR + 1, INT_MAX, INT_MIN + 1 },
	  .good = { KPOOL_POLICY_RR, KPOOL_POLICY_BATCH, KPOOL_NONE } },
	{ ROW(WHEN_FULL, when_full),
	  .bad = { -1, KPOOL_FULL_DROP_OLDEST + 1, INT_MAX, INT_MIN + 1 },
	  .good = { KPOOL_FULL_CALLER_RUNS, KPOOL_FULL_DROP_OLDEST, KPOOL_NONE } },
	{ ROW(STALL_MS, stall_ms),
	  .bad = { -1, INT_MIN, INT_MIN + 1 },
	  .good = { 1, 86400000, KPOOL_NO_STALL } },
	{ ROW(MAX_BYPASS, max_bypass),
	  .bad = { -1, INT_MIN, INT_MIN + 1 },
	  .good = { 1, 15, KPOOL_UNLIMITED } },
	{ ROW(RT_PRIORITY, rt_priority),
	  .bad = { -1, 100, INT_MAX, INT_MIN, INT_MIN + 1 },
	  .good = { 1, 99 } },
	{ ROW(NODE, node),
	  .bad = { -1, INT_MAX, INT_MIN + 1, MAX_NUMNODES + 1 },
	  .good = { KPOOL_NODE(0) } },
};

static int *field(struct kpool_attrs *attrs, const struct row *row)
{
	return (int *)((char *)attrs + row->offset);
}

static int create(const char *name, const struct kpool_attrs *attrs)
{
	struct kpool *pool = kpool_create(attrs, "%s", name);

	if (IS_ERR(pool))
		return PTR_ERR(pool);
	kt_pool_end(pool);
	return 0;
}

/* Create with one field set; the log must name a bad one. */
static void create_with(const struct row *row, int value, int err)
{
	int before = log_count("kpool: attrs: ", row->name);
	/* no min_workers is above it */
	struct kpool_attrs attrs = { .capacity = KPOOL_UNLIMITED };

	*field(&attrs, row) = value;
	if (!KT_EXPECT_EQ(create("attrs", &attrs), err))
		pr_err("%s: %s %d\n", KBUILD_MODNAME, row->name, value);
	KT_EXPECT_EQ(log_count("kpool: attrs: ", row->name), before + !!err);
}

/*
 * Create refuses every value out of range with -ERANGE, says which in the log
 * and leaves nothing behind; every end of a range is accepted.
 * Fails if a row of the attribute table is wrong by one, or is not checked.
 */
static void bad_values_are_refused_at_creation(void)
{
	const int *value;
	int i;

	BUILD_BUG_ON(ARRAY_SIZE(rows) != KPOOL_NR_TUNABLES);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (value = rows[i].bad; *value; value++)
			create_with(&rows[i], *value, -ERANGE);
		for (value = rows[i].good; *value; value++)
			create_with(&rows[i], *value, 0);
	}
}

static void tune_badly(struct kpool *pool, const struct row *row, int value)
{
	struct kpool_attrs was, is;
	char said[64];
	int before;

	snprintf(said, sizeof(said), "%s %d is out of range", row->name, value);
	before = log_count("kpool: attrs: ", said);
	kpool_get_attrs(pool, &was);
	if (!KT_EXPECT_EQ(kpool_tune(pool, row->tunable, value), -ERANGE))
		pr_err("%s: %s %d\n", KBUILD_MODNAME, row->name, value);
	kpool_get_attrs(pool, &is);
	KT_EXPECT(!memcmp(&was, &is, sizeof(was)));
	KT_EXPECT_EQ(log_count("kpool: attrs: ", said), before + 1);
}

/*
 * Tune refuses the same, and the values in force stay.
 * Fails if tune stores before it looks, or has ranges of its own.
 */
static void bad_values_are_refused_by_tune(void)
{
	struct kpool *pool = kt_pool("attrs", NULL);
	const int *value;
	int i;

	if (!pool)
		return;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (value = rows[i].bad; *value; value++)
			tune_badly(pool, &rows[i], *value);
	kt_pool_end(pool);
}

/*
 * There are no tunables but those of the enum.
 * Fails (KASAN, or an oops) if the table is indexed unchecked.
 */
static void unknown_tunables_are_refused(void)
{
	static const int bad[] = { KPOOL_NR_TUNABLES, -1, INT_MAX, INT_MIN };
	struct kpool *pool = kt_pool("attrs", NULL);
	int i;

	if (!pool)
		return;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KT_EXPECT_EQ(kpool_tune(pool, (enum kpool_tunable)bad[i], 1),
			     -EINVAL);
	kt_pool_end(pool);
}

static void *no_data(void *data)
{
	return NULL;
}

static void no_data_left(void *data, void *worker_data)
{
}

static const struct {
	struct kpool_attrs	attrs;
	int			err;
	const char		*said;
} refusals[] = {
	{ { .capacity = 2, .min_workers = 3 }, -EINVAL,
	  "min_workers 3 is above capacity 2" },
	{ { .flags = KPOOL_PREALLOC }, -EINVAL,
	  "KPOOL_PREALLOC needs min_workers above 0" },
	{ { .when_full = KPOOL_FULL_CALLER_RUNS, .nonblocking = 1 }, -EINVAL,
	  "caller_runs and nonblocking exclude each other: " },
	{ { .when_full = KPOOL_FULL_CALLER_RUNS, .worker_init = no_data }, -EINVAL,
	  "caller_runs and worker_init exclude each other: " },
	{ { .worker_exit = no_data_left }, -EINVAL,
	  "worker_exit needs worker_init" },
	{ { .flags = KPOOL_NOIO << 1 | KPOOL_PINNED }, -EINVAL, "unknown flags 0x28" },
	{ { .capacity = 2, .min_workers = 2, .flags = ~0u }, -EINVAL,
	  "unknown flags 0xffffffff" },
	{ { .cpumask = cpu_none_mask }, -EINVAL, "no online CPU in cpumask and node" },
	{ { .nice = 20 }, -ERANGE, "nice 20 is out of range; allowed: -20 to 19" },
	{ { .capacity = KPOOL_NONE }, -ERANGE,
	  "capacity -2147483648 is out of range; allowed: 1 to 2147483647" },
};

/*
 * A refusal at creation is explained, with the refused values.
 * Fails if an attribute alone is looked at, or a line has another's value.
 */
static void refusals_are_explained(void)
{
	int i, before;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		before = log_count("kpool: attrs: ", refusals[i].said);
		KT_EXPECT_EQ(create("attrs", &refusals[i].attrs),
			     refusals[i].err);
		if (!KT_EXPECT_EQ(log_count("kpool: attrs: ", refusals[i].said),
				  before + 1))
			pr_err("%s: %s\n", KBUILD_MODNAME, refusals[i].said);
	}
}

/*
 * Attributes that contradict each other are -EINVAL by tune, too, whichever of
 * the two is the second.
 * Fails if only the attribute that is set is checked.
 */
static void contradictions_are_refused(void)
{
	struct kpool_attrs attrs = { .capacity = 2, .min_workers = 2 };
	struct kpool *pool = kt_pool("attrs", &attrs);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_MIN_WORKERS, 3), -EINVAL);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), -EINVAL);
	kpool_get_attrs(pool, &attrs);
	KT_EXPECT_EQ(attrs.capacity, 2);
	KT_EXPECT_EQ(attrs.min_workers, 2);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 3), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_MIN_WORKERS, 3), 0);
	kt_pool_end(pool);
}

/*
 * A KPOOL_MEM_RECLAIM pool has a worker by default, at creation and by tune.
 * Fails if its min_workers cannot be set back: mutant reclaim-default-is-zero.
 */
static void default_of_a_reclaim_pool_is_one_worker(void)
{
	static const struct kpool_attrs without = {
		.flags = KPOOL_MEM_RECLAIM, .min_workers = KPOOL_NONE,
	};
	struct kpool_attrs attrs = { .flags = KPOOL_MEM_RECLAIM };
	struct kpool *pool;

	KT_EXPECT_EQ(create("attrs", &without), -EINVAL);
	pool = kt_pool("attrs", &attrs);
	if (!pool)
		return;
	kpool_get_attrs(pool, &attrs);
	KT_EXPECT_EQ(attrs.min_workers, 1);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_MIN_WORKERS, 2), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_MIN_WORKERS, KPOOL_NONE),
		     -EINVAL);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_MIN_WORKERS, 0), 0);
	kpool_get_attrs(pool, &attrs);
	KT_EXPECT_EQ(attrs.min_workers, 1);
	kt_pool_end(pool);
}

/*
 * A node that has no CPU online is refused.
 * Fails if any number below MAX_NUMNODES is taken for a node.
 */
static void node_without_cpu_is_refused(void)
{
	struct kpool_attrs attrs = { .node = KPOOL_NODE(MAX_NUMNODES - 1) };
	struct kpool *pool;

	if (MAX_NUMNODES == 1) {
		kt_skip("this kernel knows of one node only");
		return;
	}
	KT_EXPECT_EQ(create("attrs", &attrs), -EINVAL);
	pool = kt_pool("attrs", NULL);
	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NODE, attrs.node), -EINVAL);
	kt_pool_end(pool);
}

/*
 * A name is 1 to 31 of [A-Za-z0-9_-] and not that of a file beside it; the log
 * says so.
 * Fails if a name could leave the pool's directory, or be cut off.
 */
static void bad_names_are_refused(void)
{
	static const char * const bad[] = {
		"", "pools", "thirty-two-characters-are-a-lot-",
		"forty-characters-are-more-than-allowed--", "a/b", "..", ".", "a b", "a.b",
		"a\n", "\xc3\xa4", "\xe4", "a%s", "a:b", "/", " a", "\x7f", "\x01",
	};
	static const char * const good[] = {
		"a", "sixteen_is_fine_",
		"thirty-one-characters-are-fine-",
		"A-Z_0-9", "-", "_", "0", "pool", "Pools", "pools-rx", "defaults",
	};
	const char *said = "kpool: bad pool name; allowed: 1 to 31 of [A-Za-z0-9_-]";
	int i, before = log_count(said, "not \"pools\"");

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (!KT_EXPECT_EQ(create(bad[i], NULL), -EINVAL))
			pr_err("%s: name \"%s\"\n", KBUILD_MODNAME, bad[i]);
	KT_EXPECT_EQ(log_count(said, "not \"pools\""),
		     before + ARRAY_SIZE(bad));
	for (i = 0; i < ARRAY_SIZE(good); i++)
		if (!KT_EXPECT_EQ(create(good[i], NULL), 0))
			pr_err("%s: name \"%s\"\n", KBUILD_MODNAME, good[i]);
}

static int name_worker(void *arg)
{
	strscpy(arg, current->comm, TASK_COMM_LEN);
	return 0;
}

/*
 * A name is made from a format, and no argument of it is taken for a part of
 * the format.  Attributes can be written in place.
 * Fails if the name is taken as it is, cut off, or its argument is formatted.
 */
static void name_is_formatted(void)
{
	char comm[TASK_COMM_LEN];
	struct kpool *pool;
	int result;

	pool = kpool_create(&(struct kpool_attrs){ .capacity = 2,
			    .fn = name_worker }, "x%d-%s", 10, "y");
	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), 0))
		return;
	KT_EXPECT_EQ(create("x10-y", NULL), -EEXIST);
	KT_EXPECT_EQ(kpool_call(pool, name_worker, comm, &result), 0);
	KT_EXPECT(!strcmp(comm, "kpool/x10-y"));
	kt_pool_end(pool);
	pool = kpool_create(NULL, "%s", "%d");
	KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), -EINVAL);
	pool = kpool_create(NULL, "a%cb", 0);
	KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), -EINVAL);
}

/*
 * Workers of pools with long names differ in comm, which holds 15 characters.
 * Fails if the end of the name is cut off, also of the shortest that does not
 * fit: mutants comm-cut-at-the-end, comm-one-too-long.
 */
static void long_names_differ_in_comm(void)
{
	char comm[TASK_COMM_LEN];
	struct kpool *pool;
	int i, result;

	for (i = 9; i < 11; i++) {
		pool = kpool_create(NULL, "eth0-receive-queue-number-%d", i);
		if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), 0))
			return;
		KT_EXPECT_EQ(kpool_call(pool, name_worker, comm, &result), 0);
		KT_EXPECT(!strcmp(comm, i == 9 ? "kpool/eth0~er-9" :
						 "kpool/eth0~r-10"));
		kt_pool_end(pool);
	}
	for (i = 9; i < 11; i++) {
		pool = kt_pool(i == 9 ? "nine-fit-" : "ten-do-not", NULL);
		if (!pool)
			return;
		KT_EXPECT_EQ(kpool_call(pool, name_worker, comm, &result), 0);
		KT_EXPECT(!strcmp(comm, i == 9 ? "kpool/nine-fit-" :
						 "kpool/ten-~-not"));
		kt_pool_end(pool);
	}
}

/* Fails if the error path of a client has to look before it destroys. */
static void nothing_is_destroyed(void)
{
	KT_EXPECT_EQ(kpool_destroy(NULL), 0);
	KT_EXPECT_EQ(kpool_multi_destroy(NULL), 0);
}

/*
 * A name that is taken is -EEXIST until its pool is gone; the default pool's
 * is taken always, and the log says so.
 * Fails if names are compared up to a prefix, or a destroyed pool keeps its
 * own.  Also fails if the default pool's is free until it is created: mutant
 * default-name-free-at-first.
 */
static void taken_names_are_refused(void)
{
	const char *err = IS_ENABLED(CONFIG_SYMBOLIC_ERRNAME) ? "(-EEXIST)" : "(-17)";
	int before = log_count("kpool: taken: cannot create the pool ", err);
	struct kpool *pool = kt_pool("taken", NULL);

	if (!pool)
		return;
	KT_EXPECT_EQ(create("taken", NULL), -EEXIST);
	KT_EXPECT_EQ(log_count("kpool: taken: cannot create the pool ", err),
		     before + 1);
	KT_EXPECT_EQ(create("take", NULL), 0);
	KT_EXPECT_EQ(create("taken2", NULL), 0);
	kpool_shutdown(pool);
	KT_EXPECT_EQ(create("taken", NULL), -EEXIST);
	kt_pool_end(pool);
	KT_EXPECT_EQ(create("taken", NULL), 0);
	/* kpool.ko is loaded for this test, so no default pool exists */
	KT_EXPECT_EQ(create("default", NULL), -EEXIST);
	KT_EXPECT(!IS_ERR(kpool_default()));
	before = log_count("kpool: default: ", "");
	KT_EXPECT_EQ(create("default", NULL), -EEXIST);
	KT_EXPECT_EQ(log_count("kpool: default: ", ""), before + 1);
}

KT_MODULE("kpool selftest: bad attributes and names",
	  KT_CASE(bad_values_are_refused_at_creation),
	  KT_CASE(bad_values_are_refused_by_tune),
	  KT_CASE(unknown_tunables_are_refused),
	  KT_CASE(refusals_are_explained),
	  KT_CASE(contradictions_are_refused),
	  KT_CASE(default_of_a_reclaim_pool_is_one_worker),
	  KT_CASE(node_without_cpu_is_refused),
	  KT_CASE(bad_names_are_refused),
	  KT_CASE(name_is_formatted),
	  KT_CASE(long_names_differ_in_comm),
	  KT_CASE(nothing_is_destroyed),
	  KT_CASE(taken_names_are_refused));
