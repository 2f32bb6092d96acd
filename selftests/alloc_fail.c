// SPDX-License-Identifier: GPL-2.0-only
/*
 * No thread can be created, or no memory allocated: existing workers go on,
 * and what was accepted is kept.  Each waiter is completed once its wait is
 * over.
 */
#include <linux/prandom.h>

#include "limits.h"
#include "load.h"
#include "log.h"

#define ITEMS	200

static const struct kpool_attrs deep = {
	.capacity = 4, .queue_depth = KPOOL_UNLIMITED,
	.expiry_ms = KPOOL_NO_PURGE,
};

static struct kpool *fail_pool;
static struct kt_job *tiny;
static struct kt_gate gate;
static struct load load[4];

/* As the enum in limits.h. */
static const char *const limits[] = {
	"slab", "pages", "threads_max", "pid_max", NULL
};

static char *inject = "";
module_param(inject, charp, 0600);
MODULE_PARM_DESC(inject, "what the script has armed, for tasks that are to fail: slab or pages");

/* Can this kernel be limited so?  Else the case is skipped. */
static bool limit_exists(int limit)
{
	if (limit >= LIMIT_THREADS_MAX || sysfs_streq(inject, limits[limit]))
		return true;
	kt_skip("this kernel injects no such faults");
	return false;
}

static bool fail_make(const struct kpool_attrs *attrs)
{
	kt_gate_init(&gate);
	load_init_all(load, ARRAY_SIZE(load));
	tiny = kt_jobs(ITEMS, kt_job_tiny, &gate);
	if (!tiny)
		return false;
	fail_pool = kt_pool("fail", attrs);
	if (!fail_pool)
		kvfree(tiny);
	return fail_pool;
}

static void fail_finish(void)
{
	load_finish(fail_pool, load, ARRAY_SIZE(load), NULL, 0);
	kvfree(tiny);
}

static int finished(void)
{
	return atomic_read(&gate.finished);
}

static int said(const char *what)
{
	return log_count("kpool: fail: ", what);
}

/*
 * With one worker and no other that can be created, that one runs everything,
 * and the log reports the failure once, and its end.
 * Fails if a worker that could not be made blocks the queue (its reserved place
 * is not given back), or if each attempt is logged.  Also fails if the log
 * names another error: mutant no-memory-is-to-be-tried-again.
 */
static void existing_workers_keep_running(int limit)
{
	static const char no_memory[] = "cannot create a worker thread (-12), will retry";
	int trouble = said("cannot create a worker"), enomem = said(no_memory);
	int better = said("can be created again");

	if (!limit_exists(limit) || !fail_make(&deep))
		return;
	KT_EXPECT(load_runs(fail_pool, &load[0]));
	if (!limit_begin(limit))
		goto out;
	kt_submit_jobs(fail_pool, tiny, ITEMS);
	KT_EXPECT(kt_wait(said("cannot create a worker") == trouble + 1));
	if (limit == LIMIT_SLAB)
		KT_EXPECT_EQ(said(no_memory), enomem + 1);
	KT_EXPECT_EQ(finished(), 0);
	kt_gate_open(&load[0].gate);
	KT_EXPECT_EQ(kpool_flush(fail_pool), 0);
	KT_EXPECT_EQ(finished(), ITEMS);
	KT_EXPECT_EQ(kt_stat(fail_pool, spawned), 1);

	KT_EXPECT_EQ(load_submit(fail_pool, &load[1]), 0);
	KT_EXPECT_EQ(load_submit(fail_pool, &load[2]), 0);
	KT_EXPECT(load_starts(&load[1]));
	kt_sleep_ms(250);
	KT_EXPECT(!load_started(&load[2]));
	KT_EXPECT_EQ(said("cannot create a worker"), trouble + 1);
out:
	limit_end(limit);
	KT_EXPECT(load_starts(&load[2]));
	KT_EXPECT_EQ(kt_stat(fail_pool, spawned), 2);
	KT_EXPECT(kt_wait(said("can be created again") == better + 1));
	fail_finish();
}

/*
 * A pool without any worker keeps what it accepts; creation is retried without
 * another call.
 * Fails if the spawn work is not queued again after a failure.
 */
static void accepted_items_wait_for_a_thread(int limit)
{
	int i;

	if (!limit_exists(limit) || !fail_make(&deep))
		return;
	if (!limit_begin(limit))
		goto out;
	kt_submit_jobs(fail_pool, tiny, ITEMS);
	KT_EXPECT_EQ(kpool_submit(fail_pool, &tiny[0].item), -EALREADY);
	for (i = 0; i < ITEMS; i += 2)
		KT_EXPECT(kpool_cancel(&tiny[i].item));
	kt_sleep_ms(250);
	KT_EXPECT_EQ(kt_stat(fail_pool, pending), ITEMS / 2);
	KT_EXPECT_EQ(kt_stat(fail_pool, spawned), 0);
	KT_EXPECT_EQ(kt_stat(fail_pool, alive), 0);
	KT_EXPECT_EQ(finished(), 0);
out:
	limit_end(limit);
	KT_EXPECT(kt_wait(finished() == ITEMS / 2));
	KT_EXPECT_EQ(kt_stat(fail_pool, cancelled), ITEMS / 2);
	fail_finish();
}

static int flushes(void *pool)
{
	return kpool_flush(pool);
}

/*
 * A caller blocked in submit or flush is completed as soon as there can be
 * workers, and not before.
 * Fails if either is woken because a worker was expected to come.
 */
static void waiters_continue_when_a_worker_is_created(int limit)
{
	static const struct kpool_attrs narrow = { .capacity = 1 };
	struct kt_submitter submitter = { };
	struct kt_thread flusher = { };

	if (!limit_exists(limit) || !fail_make(&narrow))
		return;
	KT_EXPECT_EQ(kpool_pause(fail_pool), 0);
	kt_submit_jobs(fail_pool, tiny, 1);
	kt_submitter_block(&submitter, fail_pool, &tiny[1].item);
	if (kt_thread_start(&flusher, flushes, fail_pool))
		kt_thread_asleep(&flusher);
	if (!limit_begin(limit))
		goto out;
	kpool_resume(fail_pool);
	kt_sleep_ms(150);
	KT_EXPECT(!kt_thread_done(&flusher));
	KT_EXPECT(!kt_thread_done(&submitter.thread));
out:
	limit_end(limit);
	KT_EXPECT_EQ(kt_thread_join(&submitter.thread), 0);
	KT_EXPECT_EQ(kt_thread_join(&flusher), 0);
	KT_EXPECT(kt_wait(finished() == 2));
	fail_finish();
}

/*
 * A closed pool keeps trying for what it has accepted.
 * Fails if closing it ends the spawn work.
 */
static void closed_pool_keeps_retrying(int limit)
{
	if (!limit_exists(limit) || !fail_make(&deep))
		return;
	if (!limit_begin(limit))
		goto out;
	kt_submit_jobs(fail_pool, tiny, ITEMS);
	KT_EXPECT_EQ(kpool_shutdown_timeout(fail_pool, HZ / 4), -ETIMEDOUT);
	KT_EXPECT_EQ(finished(), 0);
	KT_EXPECT_EQ(kpool_reopen(fail_pool), -EBUSY);
out:
	limit_end(limit);
	KT_EXPECT_EQ(kpool_shutdown_timeout(fail_pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(finished(), ITEMS);
	fail_finish();
}

/*
 * Abort and destroy end a pool that can have no worker.
 * Fails if either waits for a thread to run what is dropped.
 */
static void abort_needs_no_worker(int limit)
{
	if (!limit_exists(limit) || !fail_make(&deep))
		return;
	if (!limit_begin(limit))
		goto out;
	kt_submit_jobs(fail_pool, tiny, ITEMS);
	kt_sleep_ms(150);
	KT_EXPECT_EQ(kpool_abort(fail_pool), ITEMS);
	KT_EXPECT_EQ(kpool_shutdown_timeout(fail_pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), ITEMS);
	KT_EXPECT_EQ(atomic_read(&gate.dropped_err), -ECANCELED);
	KT_EXPECT_EQ(kt_stat(fail_pool, spawned), 0);
	fail_finish();
	limit_end(limit);
	return;
out:
	limit_end(limit);
	fail_finish();
}

/* Fails if the errno of the kernel is lost. */
static void expect_thread_errno(int limit, int err)
{
	KT_EXPECT(err == -EAGAIN || (err == -ENOMEM && limit < LIMIT_THREADS_MAX));
}

/*
 * min_workers that cannot be created fail the creation or the reopen, with an
 * error that says so; nothing is left, and the name is free.
 * Fails if the failure leaves a worker, a file or the name behind, or if the
 * error is another: mutant no-memory-for-an-exit-work-is-to-be-tried-again.
 */
static void prealloc_fails_cleanly(int limit)
{
	const struct kpool_attrs attrs = {
		.capacity = 8, .min_workers = 8, .flags = KPOOL_PREALLOC,
	};
	struct kpool *pool;
	int err;

	if (!limit_exists(limit) || !fail_make(&attrs))
		return;
	KT_EXPECT_EQ(kt_stat(fail_pool, spawned), 8);
	KT_EXPECT_EQ(kpool_shutdown_timeout(fail_pool, KT_LIMIT), 0);
	if (!limit_begin(limit))
		goto out;
	pool = kpool_create(&attrs, "prealloc");
	err = PTR_ERR_OR_ZERO(pool);
	expect_thread_errno(limit, err);
	err = kpool_reopen(fail_pool);
	expect_thread_errno(limit, err);
	if (limit == LIMIT_SLAB) {
		limit_mark(current, true);
		err = kpool_reopen(fail_pool);
		limit_mark(current, false);
		KT_EXPECT_EQ(err, -ENOMEM);
	}
	KT_EXPECT(kt_stat(fail_pool, closed));
out:
	limit_end(limit);
	kt_pool_end(kt_pool("prealloc", &attrs));
	KT_EXPECT_EQ(kpool_reopen(fail_pool), 0);
	KT_EXPECT_EQ(kt_stat(fail_pool, alive), 8);
	fail_finish();
}

/*
 * A pool that promises progress has its worker from the start, keeps it however
 * long it idles, and with that runs everything.
 * Fails if it is made when it is needed, or purged when it is not.
 */
static void mem_reclaim_pool_makes_progress(int limit)
{
	static const struct kpool_attrs promising = {
		.capacity = 4, .queue_depth = KPOOL_UNLIMITED, .expiry_ms = 1,
		.flags = KPOOL_MEM_RECLAIM,
	};
	int round;

	if (!limit_exists(limit) || !fail_make(&promising))
		return;
	KT_EXPECT_EQ(kt_stat(fail_pool, alive), 1);
	kt_sleep_ms(50);
	if (!limit_begin(limit))
		goto out;
	for (round = 1; round <= 5; round++) {
		kt_submit_jobs(fail_pool, tiny, ITEMS);
		KT_EXPECT_EQ(kpool_flush(fail_pool), 0);
		KT_EXPECT_EQ(finished(), round * ITEMS);
		kt_sleep_ms(20);
	}
	KT_EXPECT_EQ(kt_stat(fail_pool, spawned), 1);
	KT_EXPECT_EQ(kt_stat(fail_pool, alive), 1);
out:
	limit_end(limit);
	fail_finish();
}

/*
 * A pool whose worker cannot be created is not created either, and its
 * min_workers cannot be tuned below one.
 * Fails if the pool is created without the worker, or (on threads_max) for want
 * of memory: mutant thread-limit-is-no-memory.
 */
static void mem_reclaim_pool_needs_a_worker(int limit)
{
	const struct kpool_attrs promising = { .flags = KPOOL_MEM_RECLAIM };
	struct kpool_attrs attrs;
	struct kpool *pool;
	int err;

	if (!limit_exists(limit) || !fail_make(&promising))
		return;
	kpool_tune(fail_pool, KPOOL_TUNE_MIN_WORKERS, KPOOL_NONE);
	kpool_get_attrs(fail_pool, &attrs);
	KT_EXPECT_GE(attrs.min_workers, 1);
	if (!limit_begin(limit))
		goto out;
	pool = kpool_create(&promising, "vain");
	err = PTR_ERR_OR_ZERO(pool);
	expect_thread_errno(limit, err);
out:
	limit_end(limit);
	kt_pool_end(kt_pool("vain", &promising));
	fail_finish();
}

static bool flicker_stop;

/* Now threads can be made, now they cannot. */
static int flickers(void *arg)
{
	int limit = *(int *)arg;

	while (!READ_ONCE(flicker_stop)) {
		limit_mark_all(true);
		kt_sleep_ms(get_random_u32() % 8);
		limit_mark_all(false);
		kt_sleep_ms(get_random_u32() % 4);
	}
	return limit;
}

/*
 * While making threads fails now and then, and workers come and go, nothing is
 * lost.
 * Fails if a failure in a rare place (a worker that has its memory and no
 * thread) leaves the counters wrong.
 */
static void no_item_is_lost_while_creation_fails(int limit)
{
	static const struct kpool_attrs churning = {
		.capacity = 8, .queue_depth = 32, .expiry_ms = 1,
	};
	struct kt_thread flicker;
	int round;

	if (limit >= LIMIT_THREADS_MAX) {
		kt_skip("this limit does not come and go");
		return;
	}
	if (!limit_exists(limit) || !fail_make(&churning))
		return;
	pr_info("kpool-testbed: expect begin\n");
	flicker_stop = false;
	kt_thread_start(&flicker, flickers, &limit);
	for (round = 0; round < kt_count(100); round++) {
		kt_submit_jobs(fail_pool, tiny, ITEMS);
		KT_EXPECT_EQ(kpool_flush(fail_pool), 0);
		kt_sleep_ms(round % 8);
	}
	WRITE_ONCE(flicker_stop, true);
	KT_EXPECT_EQ(kt_thread_join(&flicker), limit);
	pr_info("kpool-testbed: expect end\n");
	KT_EXPECT_EQ(finished(), round * ITEMS);
	fail_finish();
}

/* A submitter without memory to run its item */

static struct kpool *home;
static int handed_over;

static int hands_itself_on(struct kpool_item *item)
{
	limit_mark(current, true);
	handed_over = kpool_submit_timeout(fail_pool, item, 2);
	limit_mark(current, false);
	return kt_job_gated(item);
}

static int flushes_item(void *item)
{
	return kpool_flush_item(item);
}

static const char *const slab[] = { "slab", NULL };

/*
 * An item submits itself to another pool, which would have it run by this
 * submitter and cannot.  The submitter sleeps instead; when that times out, the
 * item is part of its run as before.
 * Fails (the flush does not wait) if the first attempt has lost the run: mutant
 * needed-run-keeps-the-owner.
 */
static void item_handed_over_without_memory_returns(int limit)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kt_submitter runner = { };
	struct kt_thread flusher = { };

	if (!limit_exists(limit) || !fail_make(&attrs))
		return;
	home = kt_pool("home", NULL);
	if (!home)
		goto out;
	KT_EXPECT(load_runs(fail_pool, &load[0]));
	/* the runner uses the run that the pool has in reserve */
	kt_submitter_start(&runner, fail_pool, &load[1].job.item);
	KT_EXPECT(load_starts(&load[1]));
	load[2].job.item.fn = hands_itself_on;
	KT_EXPECT_EQ(load_submit(home, &load[2]), 0);
	KT_EXPECT(load_starts(&load[2]));
	KT_EXPECT_EQ(handed_over, -ETIMEDOUT);
	if (kt_thread_start(&flusher, flushes_item, &load[2].job.item))
		kt_thread_asleep(&flusher);
	load_open_all(load, 3);
	KT_EXPECT_EQ(kt_thread_join(&flusher), 0);
	KT_EXPECT_EQ(kt_thread_join(&runner.thread), 0);
	kt_pool_end(home);
out:
	fail_finish();
}

/* Every allocation in turn */

#ifdef CONFIG_FAULT_INJECTION
static void fail_next(int nth)
{
	current->fail_nth = nth;
}

/* Was there no such allocation? */
static bool fail_unused(void)
{
	bool unused = current->fail_nth;

	current->fail_nth = 0;
	return unused;
}
#else
static void fail_next(int nth)
{
}

static bool fail_unused(void)
{
	return true;
}
#endif

static int makes_a_pool(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 4, .min_workers = 2, .flags = KPOOL_PREALLOC,
		.cpumask = cpu_online_mask,
	};
	struct kpool *pool = kpool_create(&attrs, "each");

	return IS_ERR(pool) ? PTR_ERR(pool) : kpool_destroy(pool);
}

static int makes_several_pools(void)
{
	struct kpool_multi *multi;

	multi = kpool_multi_create(NULL, 3, KPOOL_PLACE_ROUND_ROBIN, "several");
	return IS_ERR(multi) ? PTR_ERR(multi) : kpool_multi_destroy(multi);
}

static int submits_a_function(void)
{
	return kpool_submit_fn(fail_pool, kt_gate_pass, &load[0].gate,
			       GFP_KERNEL);
}

static int calls(void)
{
	return kpool_call(fail_pool, kt_gate_pass, &load[0].gate, NULL);
}

static int calls_for_a_time(void)
{
	return kpool_call_timeout(fail_pool, kt_gate_pass, &load[0].gate, NULL,
				  KT_LIMIT, NULL);
}

static int tunes_the_cpumask(void)
{
	return kpool_tune_cpumask(fail_pool, cpu_online_mask);
}

static int flushes_an_item(void)
{
	kt_submit_jobs(fail_pool, tiny, 1);
	return kpool_flush_item(&tiny[0].item);
}

static int (*const each[])(void) = {
	makes_a_pool, makes_several_pools, submits_a_function, calls,
	calls_for_a_time, tunes_the_cpumask, flushes_an_item,
};

static const char *const each_name[] = {
	"create", "multi_create", "submit_fn", "call", "call_timeout",
	"tune_cpumask", "flush_item", NULL
};

/* Several pools are as one pool several times: not all where it is slow. */
static int each_step(int which)
{
	return kt_slow > 1 && each[which] == makes_several_pools ? 23 : 1;
}

/*
 * Whichever of its allocations fails, the function returns -ENOMEM or does
 * without, and works the next time.  What it had allocated is given back (a
 * leak shows in kmemleak, where there is one).
 * Fails (oopses) if a result is not checked.
 */
static void each_allocation_may_fail(int which)
{
	int nth, err, failed = 0;

	if (!limit_exists(LIMIT_SLAB) || !fail_make(&deep))
		return;
	kt_gate_open(&load[0].gate);
	for (nth = 1; nth < 2000; nth += each_step(which)) {
		fail_next(nth);
		err = each[which]();
		if (fail_unused())
			break;
		KT_EXPECT(!err || err == -ENOMEM);
		failed += err == -ENOMEM;
		KT_EXPECT_EQ(each[which](), 0);
	}
	pr_info("%s: %s: up to %d allocations, without %d of them it fails\n",
		KBUILD_MODNAME, each_name[which], nth - 1, failed);
	KT_EXPECT_EQ(err, 0);
	fail_finish();
}

/*
 * A function is allocated with the flags of its submitter, and a call such that
 * it can wait for memory.
 * Fails if others are used.
 */
static void allocation_fails_if_it_may_not_wait(void)
{
	static int (*const waiting[])(void) = {
		submits_a_function, calls, calls_for_a_time,
	};
	int i;

	if (!limit_exists(LIMIT_SLAB) || !fail_make(&deep))
		return;
	kt_gate_open(&load[0].gate);
	fail_next(1);
	KT_EXPECT_EQ(kpool_submit_fn(fail_pool, kt_gate_pass, &load[0].gate,
				     GFP_ATOMIC), -ENOMEM);
	KT_EXPECT(!fail_unused());
	for (i = 0; i < ARRAY_SIZE(waiting); i++) {
		fail_next(1);
		KT_EXPECT_EQ(waiting[i](), 0);
		fail_unused();
	}
	fail_finish();
}

KT_MODULE("kpool selftest: no thread, no memory",
	  KT_EACH(existing_workers_keep_running, limits),
	  KT_EACH(accepted_items_wait_for_a_thread, limits),
	  KT_EACH(waiters_continue_when_a_worker_is_created, limits),
	  KT_EACH(closed_pool_keeps_retrying, limits),
	  KT_EACH(abort_needs_no_worker, limits),
	  KT_EACH(prealloc_fails_cleanly, limits),
	  KT_EACH(mem_reclaim_pool_makes_progress, limits),
	  KT_EACH(mem_reclaim_pool_needs_a_worker, limits),
	  KT_EACH(no_item_is_lost_while_creation_fails, limits),
	  KT_EACH(item_handed_over_without_memory_returns, slab),
	  KT_EACH(each_allocation_may_fail, each_name),
	  KT_CASE(allocation_fails_if_it_may_not_wait));
