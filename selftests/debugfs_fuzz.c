// SPDX-License-Identifier: GPL-2.0-only
/*
 * A load for the time in which a program writes to the pools' files: pools that
 * come and go, and one that stays.
 *
 * Tuning during the test decides what becomes of an item, but not that
 * something does, once.
 */
#include <linux/prandom.h>

#include "load.h"

#define ITEMS	64

static struct kpool *staying;
static struct kt_thread submitter, passer;
static bool stop;

static struct {
	struct kt_job	job[ITEMS];
	struct kt_gate	gate;
	u64		accepted;
	u64		refused;
} load_state;

static int fuzz_tiny(struct kpool_item *item)
{
	if (kt_job_of(item)->nr % 8 == 0)
		usleep_range(50, 100);
	return kt_job_tiny(item);
}

/* With any attributes of the pool, a submit has one of these answers. */
static void fuzz_submit(struct kpool *pool, struct kt_job *job)
{
	int err = kpool_submit_timeout(pool, &job->item, 1);

	if (!err) {
		load_state.accepted++;
	} else {
		load_state.refused++;
		usleep_range(20, 50);
	}
	KT_EXPECT(!err || err == -EALREADY || err == -EAGAIN ||
		  err == -ETIMEDOUT);
}

static int keeps_submitting(void *unused)
{
	while (!READ_ONCE(stop))
		fuzz_submit(staying, &load_state.job[get_random_u32() % ITEMS]);
	return 0;
}

static const struct kpool_attrs passing_attrs = {
	.capacity = 2, .queue_depth = 4, .expiry_ms = 1,
};

/* A pool that is destroyed soon, and has something to run until then. */
static void pass(int nr)
{
	struct kt_gate gate;
	struct kt_job *job;
	struct kpool *pool;
	char name[16];

	kt_gate_init(&gate);
	job = kt_jobs(8, fuzz_tiny, &gate);
	if (!job)
		return;
	snprintf(name, sizeof(name), "brief-%d", nr % 4);
	pool = kt_pool(name, &passing_attrs);
	if (pool) {
		for (nr = 0; nr < 8; nr++)
			kpool_submit_timeout(pool, &job[nr].item, 1);
		kt_sleep_ms(get_random_u32() % 16);
		kt_pool_end(pool);
	}
	kvfree(job);
}

static int passed;

static int keeps_passing(void *unused)
{
	int nr = 0;

	while (!READ_ONCE(stop)) {
		pass(nr++);
		WRITE_ONCE(passed, nr);
	}
	return 0;
}

static void load_begins(void)
{
	const struct kpool_attrs attrs = { .capacity = 4, .queue_depth = 16 };
	int i;

	memset(&load_state, 0, sizeof(load_state));
	kt_gate_init(&load_state.gate);
	for (i = 0; i < ITEMS; i++)
		kt_job_init(&load_state.job[i], fuzz_tiny, &load_state.gate, i);
	stop = false;
	passed = 0;
	staying = kt_pool("staying", &attrs);
	if (!staying)
		return;
	kt_thread_start(&submitter, keeps_submitting, NULL);
	kt_thread_start(&passer, keeps_passing, NULL);
}

/*
 * Every item that was accepted ran or was dropped, once; and the pool takes and
 * runs one still.
 * Fails if a value that is refused, or tuned under load, breaks the counters.
 */
static void load_ends(void)
{
	struct kt_gate *gate = &load_state.gate;

	if (!staying)
		return;
	KT_EXPECT(kt_wait(READ_ONCE(passed) >= 2));
	WRITE_ONCE(stop, true);
	KT_EXPECT_EQ(kt_thread_join(&submitter), 0);
	KT_EXPECT_EQ(kt_thread_join(&passer), 0);
	KT_EXPECT_EQ(kpool_flush(staying), 0);
	KT_EXPECT_EQ(atomic_read(&gate->finished) + atomic_read(&gate->dropped),
		     load_state.accepted);
	KT_EXPECT_EQ(kt_stat(staying, submitted), load_state.accepted);
	KT_EXPECT_EQ(kpool_submit(staying, &load_state.job[0].item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&load_state.job[0].item), 0);
	pr_info("%s: %llu items accepted, %llu refused, %d dropped\n",
		KBUILD_MODNAME, load_state.accepted, load_state.refused,
		atomic_read(&gate->dropped));
	kt_pool_end(staying);
	staying = NULL;
}

KT_MODULE("kpool selftest: meddling with the pools' files",
	  KT_CASE(load_begins),
	  KT_CASE(load_ends));
