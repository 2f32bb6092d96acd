// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory is at its limit: a thread takes each page that becomes free, and gives
 * some back only when the kernel would kill for it.  Nothing is lost, and
 * nothing hangs.
 */
#include <linux/gfp.h>
#include <linux/oom.h>
#include <linux/prandom.h>

#include "load.h"

#define BATCH		64
#define ROUNDS		20
#define GIVEN_BACK	128	/* pages, when the kernel is out of memory */

static struct {
	spinlock_t		lock;	/* of the list */
	struct list_head	pages;
	struct kt_thread	thread;
	unsigned long		held;
	atomic_t		denied;	/* no page was to be had */
	atomic_t		begged;	/* the kernel asked for some */
	bool			stop;
} hog;

static void hog_put(struct page *page)
{
	spin_lock(&hog.lock);
	list_add(&page->lru, &hog.pages);
	hog.held++;
	spin_unlock(&hog.lock);
}

static struct page *hog_get(void)
{
	struct page *page;

	spin_lock(&hog.lock);
	page = list_first_entry_or_null(&hog.pages, struct page, lru);
	if (page) {
		list_del(&page->lru);
		hog.held--;
	}
	spin_unlock(&hog.lock);
	return page;
}

static unsigned long hog_give_back(unsigned long n)
{
	struct page *page;
	unsigned long i;

	for (i = 0; i < n; i++) {
		page = hog_get();
		if (!page)
			break;
		__free_page(page);
	}
	return i;
}

/* Take what there is, but do not let the kernel kill for it. */
static int hog_takes(void *unused)
{
	struct page *page;

	while (!READ_ONCE(hog.stop)) {
		page = alloc_page(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
		if (page) {
			hog_put(page);
			continue;
		}
		atomic_inc(&hog.denied);
		usleep_range(100, 200);
	}
	return 0;
}

static int hog_begged(struct notifier_block *nb, unsigned long unused,
		      void *freed)
{
	atomic_inc(&hog.begged);
	*(unsigned long *)freed += hog_give_back(GIVEN_BACK);
	return NOTIFY_OK;
}

static struct notifier_block hog_nb = { .notifier_call = hog_begged };

static bool hog_begin(void)
{
	spin_lock_init(&hog.lock);
	INIT_LIST_HEAD(&hog.pages);
	hog.held = 0;
	atomic_set(&hog.denied, 0);
	atomic_set(&hog.begged, 0);
	hog.stop = false;
	pr_info("kpool-testbed: expect begin\n");
	register_oom_notifier(&hog_nb);
	return kt_thread_start(&hog.thread, hog_takes, NULL) &&
	       KT_EXPECT(kt_wait(atomic_read(&hog.denied) > 10));
}

static void hog_end(void)
{
	WRITE_ONCE(hog.stop, true);
	kt_thread_join(&hog.thread);
	pr_info("%s: held %lu pages, was denied one %d times, was begged %d times\n",
		KBUILD_MODNAME, hog.held, atomic_read(&hog.denied),
		atomic_read(&hog.begged));
	hog_give_back(ULONG_MAX);
	unregister_oom_notifier(&hog_nb);
	pr_info("kpool-testbed: expect end\n");
}

static struct kpool *pool, *reclaim;
static struct kt_job *jobs, *vital;
static struct kt_gate gate, vital_gate;

static bool pressure_make(void)
{
	static const struct kpool_attrs growing = {
		.capacity = BATCH, .queue_depth = KPOOL_UNLIMITED,
		.expiry_ms = 1,
	};
	static const struct kpool_attrs vital_attrs = {
		.capacity = 4, .queue_depth = KPOOL_UNLIMITED, .expiry_ms = 1,
		.flags = KPOOL_MEM_RECLAIM,
	};

	kt_gate_init(&gate);
	kt_gate_init(&vital_gate);
	jobs = kt_jobs(BATCH, kt_job_gated, &gate);
	vital = kt_jobs(BATCH, kt_job_tiny, &vital_gate);
	pool = kt_pool("growing", &growing);
	reclaim = kt_pool("reclaim", &vital_attrs);
	return jobs && vital && pool && reclaim;
}

static void pressure_finish(void)
{
	kt_pool_end(pool);
	kt_pool_end(reclaim);
	kvfree(jobs);
	kvfree(vital);
}

/* Items that wait for each other: a thread for each has to be made. */
static void needs_many_threads(void)
{
	reinit_completion(&gate.open);
	atomic_set(&gate.started, 0);
	kt_submit_jobs(pool, jobs, BATCH);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == BATCH));
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
}

static atomic_t functions;

static int counts(void *unused)
{
	atomic_inc(&functions);
	return 0;
}

/* A form that allocates is accepted or refused, and counted as what it was. */
static int submits_functions(void)
{
	int i, err, n = 0;

	for (i = 0; i < BATCH; i++) {
		err = kpool_submit_fn(pool, counts, NULL, i % 2 ?
				      GFP_KERNEL : GFP_NOWAIT | __GFP_NOWARN);
		KT_EXPECT(!err || err == -ENOMEM);
		n += !err;
	}
	return n;
}

static int accepted;

static void works_at_the_limit(void)
{
	int round;

	accepted = 0;
	atomic_set(&functions, 0);
	for (round = 1; round <= ROUNDS; round++) {
		kt_submit_jobs(reclaim, vital, BATCH);
		needs_many_threads();
		accepted += submits_functions();
		KT_EXPECT_EQ(kpool_flush(reclaim), 0);
		KT_EXPECT_EQ(atomic_read(&vital_gate.finished), round * BATCH);
		kt_sleep_ms(5);		/* idle workers expire */
	}
}

/*
 * With memory at its limit, a pool grows as far as it can and loses nothing,
 * and one that promises progress makes it.
 * Fails if an item whose worker cannot be made is given up, or if submitting
 * takes memory.  Also fails (a hang, or a warning) if an allocation is made
 * under the pool's lock.
 */
static void pools_make_progress_at_the_limit(void)
{
	if (!pressure_make())
		goto out;
	if (hog_begin())
		works_at_the_limit();
	hog_end();
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&functions), accepted);
	KT_EXPECT_EQ(atomic_read(&gate.finished), ROUNDS * BATCH);
	KT_EXPECT_EQ(atomic_read(&vital_gate.finished), ROUNDS * BATCH);
	KT_EXPECT_GE(atomic_read(&hog.begged), 1);
	KT_EXPECT_GE(kt_stat(reclaim, alive), 1);
out:
	pressure_finish();
}

KT_MODULE("kpool selftest: memory at its limit",
	  KT_CASE(pools_make_progress_at_the_limit));
