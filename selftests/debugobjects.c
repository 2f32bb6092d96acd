// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugobjects reports an item once that is freed or made anew while pending,
 * or submitted without having been made.  The pool goes on without it; nothing
 * else is reported.
 *
 * The kernel prints the first five reports of a boot and counts the others.
 * debugobjects.sh sees after each case that what was counted is what its name
 * says.
 */
#include "compat.h"
#include "jobs.h"
#include "log.h"

static const struct kpool_attrs queued_one = {
	.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
};

static struct full full;
static struct kt_gate gate;

/* A pool that is full, so that each item submitted stays pending. */
static bool begin(void)
{
	if (!IS_ENABLED(CONFIG_DEBUG_OBJECTS_FREE)) {
		kt_skip("this kernel has no debugobjects");
		return false;
	}
	kt_gate_init(&gate);
	return full_make(&full, &queued_one);
}

static int must_not_run(struct kpool_item *item)
{
	KT_EXPECT(false);
	return 0;
}

/* On the heap, zeroed. */
static struct kt_job *heap_job(void)
{
	struct kt_job *job = kzalloc_obj(*job, GFP_KERNEL);

	KT_EXPECT(job);
	return job;
}

/* On the heap, and pending in the pool. */
static struct kt_job *pending_job(kpool_item_fn fn)
{
	struct kt_job *job = heap_job();

	if (!job)
		return NULL;
	kt_job_init(job, fn, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(full.pool, &job->item), 0);
	KT_EXPECT(kpool_is_pending(&job->item));
	return job;
}

/* Cases in which a report is due */

static int printed;

static void expect_begin(const char *what)
{
	printed = log_count(what, "object type: kpool_item");
	pr_info("kpool-testbed: expect begin\n");
}

static void expect_end(const char *what)
{
	pr_info("kpool-testbed: expect end\n");
	KT_EXPECT_EQ(log_count(what, "object type: kpool_item"), printed + 1);
}

/* The pending item has been taken back, and no owner was notified. */
static void end_without(int taken_back)
{
	KT_EXPECT_EQ(kt_stat(full.pool, pending), 0);
	KT_EXPECT_EQ(kt_stat(full.pool, cancelled), taken_back);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), 0);
	full_end(&full);
}

/*
 * Fails if kpool_count_accepted() does not report it, or if kpool_fixup_free()
 * leaves it queued: then the pool runs what is gone.
 */
static void freed_pending_item_is_reported(void)
{
	struct kt_job *job;

	if (!begin())
		return;
	job = pending_job(must_not_run);
	expect_begin("ODEBUG: free active");
	kfree(job);
	expect_end("ODEBUG: free active");
	KT_EXPECT_EQ(log_count("ODEBUG: free active", "hint: must_not_run"), 1);
	end_without(1);
}

/*
 * An item made anew can be submitted again, and runs once.
 * Fails if kpool_init_item() does not report it, or if kpool_fixup_init()
 * leaves it queued.
 */
static void reinitialized_pending_item_is_reported(void)
{
	struct kt_job *job;

	if (!begin())
		return;
	job = pending_job(must_not_run);
	if (!job)
		return;
	expect_begin("ODEBUG: init active");
	kt_job_init(job, kt_job_tiny, &gate, 0);
	expect_end("ODEBUG: init active");
	KT_EXPECT(!kpool_is_pending(&job->item));

	KT_EXPECT_EQ(kpool_submit(full.pool, &job->item), 0);
	kt_gate_open(&full.gate);
	KT_EXPECT_EQ(kpool_flush_item(&job->item), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	kfree(job);
	end_without(1);
}

/* An item never made is refused; made, it runs. */
static void never_made(int filled_with)
{
	struct kt_job *job;

	if (!begin())
		return;
	job = heap_job();
	if (!job)
		return;
	memset(job, filled_with, sizeof(*job));
	expect_begin("ODEBUG: assert_init not available");
	KT_EXPECT_EQ(kpool_submit(full.pool, &job->item), -EINVAL);
	expect_end("ODEBUG: assert_init not available");
	KT_EXPECT(!kpool_is_pending(&job->item));

	kt_job_init(job, kt_job_tiny, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(full.pool, &job->item), 0);
	kt_gate_open(&full.gate);
	KT_EXPECT_EQ(kpool_flush_item(&job->item), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	kfree(job);
	end_without(0);
}

/*
 * Fails if kpool_item_lock_for_submit() does not ask, or kpool_is_static() not
 * for fn.
 */
static void zeroed_item_is_reported(void)
{
	never_made(0);
}

/*
 * Fails (runs what is none) if kpool_is_static() takes anything with a function
 * for one, or if kpool_fixup_assert_init() leaves it as it is.
 */
static void item_of_garbage_is_reported(void)
{
	never_made(0xa5);
}

/*
 * kpool itself warns, debugobjects takes it back.
 * Fails if kpool_destroy_item_onstack() does not report it.
 */
static void stack_item_left_pending_is_reported(void)
{
	struct kt_job job;

	if (!begin())
		return;
	kt_job_init(&job, must_not_run, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(full.pool, &job.item), 0);
	expect_begin("ODEBUG: free active");
	kpool_destroy_item_onstack(&job.item);
	expect_end("ODEBUG: free active");
	KT_EXPECT(log_count("item of must_not_run", "leaves the stack"));
	end_without(1);
}

/*
 * The sixth, which is only counted.
 * Fails if kpool_submit_delayed() does not report it, or if kpool_fixup_free()
 * leaves it in the tree.
 */
static void freed_delayed_job_is_reported(void)
{
	struct kpool_job *job;

	if (!begin())
		return;
	job = kzalloc_obj(*job, GFP_KERNEL);
	if (!KT_EXPECT(job))
		return;
	kpool_init_job(job, must_not_run);
	KT_EXPECT_EQ(kpool_submit_delayed(full.pool, job, 3600 * HZ), 0);
	pr_info("kpool-testbed: expect begin\n");
	kfree(job);
	pr_info("kpool-testbed: expect end\n");
	end_without(1);
}

/*
 * The seventh.  Of two that are submitted in a row, the second is without the
 * lock, which is taken for the question whether it is pending.
 * Fails (KASAN) if kpool_settle_submits() does not report it: mutant
 * debugobjects-inbox-not-reported.
 */
static void freed_item_of_the_inbox_is_reported(void)
{
	struct kt_job *job[2];
	int i;

	if (!begin())
		return;
	for (i = 0; i < 2; i++) {
		job[i] = heap_job();
		if (!job[i])
			return;
		kt_job_init(job[i], must_not_run, &gate, i);
	}
	for (i = 0; i < 2; i++)
		KT_EXPECT_EQ(kpool_submit(full.pool, &job[i]->item), 0);
	KT_EXPECT(kpool_is_pending(&job[1]->item));
	pr_info("kpool-testbed: expect begin\n");
	kfree(job[1]);
	pr_info("kpool-testbed: expect end\n");
	KT_EXPECT(kpool_cancel(&job[0]->item));
	kfree(job[0]);
	end_without(2);
}

/*
 * An item with a static initializer is on a stack; the kernel does not count
 * this.
 * Fails if kpool_item_lock_for_submit() does not ask.
 */
static void unannounced_stack_item_is_logged(void)
{
	struct kt_job job = {
		.item = KPOOL_ITEM_INIT(kt_job_tiny), .gate = &gate
	};

	if (!begin())
		return;
	pr_info("kpool-testbed: expect begin\n");
	KT_EXPECT_EQ(kpool_submit(full.pool, &job.item), 0);
	pr_info("kpool-testbed: expect end\n");
	KT_EXPECT_EQ(log_count("ODEBUG: object", "but NOT annotated"), 1);
	kt_gate_open(&full.gate);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	kpool_destroy_item_onstack(&job.item);
	end_without(0);
}

/* Cases without a report */

static int static_ran;

static int counts_static(struct kpool_item *item)
{
	static_ran++;
	return 0;
}

/*
 * Fails if kpool_is_static() does not know one; or, being submitted again, one
 * that has been cancelled or has run.
 */
static void static_items_are_not_reported(void)
{
	static DEFINE_KPOOL_ITEM(item, counts_static);
	static DEFINE_KPOOL_JOB(job, counts_static);

	if (!begin())
		return;
	KT_EXPECT_EQ(kpool_submit(full.pool, &item), 0);
	KT_EXPECT_EQ(kpool_submit_delayed(full.pool, &job, 3600 * HZ), 0);
	KT_EXPECT(kpool_cancel(&item));
	KT_EXPECT(kpool_cancel(&job.item));
	KT_EXPECT_EQ(kpool_submit(full.pool, &item), 0);
	KT_EXPECT_EQ(kpool_submit(full.pool, &job.item), 0);
	kt_gate_open(&full.gate);
	KT_EXPECT_EQ(kpool_flush(full.pool), 0);
	KT_EXPECT_EQ(kpool_submit(full.pool, &item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&item), 0);
	KT_EXPECT_EQ(static_ran, 3);
	end_without(2);
}

static noinline void use_stack(void)
{
	struct kpool_job job;
	struct kt_job tiny;

	kpool_init_item_onstack(&tiny.item, kt_job_tiny);
	tiny.gate = &gate;
	KT_EXPECT_EQ(kpool_submit(full.pool, &tiny.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&tiny.item), 0);
	kpool_destroy_item_onstack(&tiny.item);

	kpool_init_job(&job, must_not_run);
	KT_EXPECT_EQ(kpool_submit_delayed(full.pool, &job, 3600 * HZ), 0);
	KT_EXPECT_EQ(kpool_cancel_sync(&job.item), 1);
	kpool_destroy_item_onstack(&job.item);
}

/* Fails if kpool_debug_init() does not see where an item is. */
static void stack_items_are_not_reported(void)
{
	int i;

	if (!begin())
		return;
	kt_gate_open(&full.gate);
	for (i = 0; i < 3; i++)
		use_stack();
	KT_EXPECT_EQ(log_count("ODEBUG: object", "annotated"), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 3);
	end_without(3);
}

static int frees_itself(struct kpool_item *item)
{
	kt_job_tiny(item);
	kfree(kt_job_of(item));
	return 0;
}

static void dropped_frees(struct kpool_item *item, int err)
{
	atomic_inc(&kt_job_of(item)->gate->dropped);
	kfree(kt_job_of(item));
}

/* Twice in all, and the second time while it still runs. */
static int runs_twice(struct kpool_item *item)
{
	if (kt_job_of(item)->nr++ == 0)
		KT_EXPECT_EQ(kpool_submit(full.pool, item), 0);
	return kt_job_tiny(item);
}

/*
 * Fails if kpool_run_begin() does not report a start: it frees itself; or
 * kpool_do_cancel() of a cancel.
 */
static void freed_items_are_not_reported(void)
{
	struct kt_job *twice, *cancelled;

	if (!begin())
		return;
	pending_job(frees_itself);
	cancelled = pending_job(must_not_run);
	KT_EXPECT(cancelled && kpool_cancel(&cancelled->item));
	kfree(cancelled);
	twice = pending_job(runs_twice);
	kt_gate_open(&full.gate);
	KT_EXPECT_EQ(kpool_flush_item(&twice->item), 0);
	KT_EXPECT_EQ(kpool_flush(full.pool), 0);
	kfree(twice);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 3);
	end_without(1);
}

/* Fails if kpool_ext_run_begin() does not report that its owner has it back. */
static void dropped_items_are_not_reported(void)
{
	struct kt_job *job;

	if (!begin())
		return;
	job = pending_job(must_not_run);
	if (!job)
		return;
	kpool_set_drop_fn(&job->item, dropped_frees);
	KT_EXPECT_EQ(kpool_abort(full.pool), 1);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), 1);
	full_end(&full);
}

/* Fails as freed_items_are_not_reported(), for what kpool allocates. */
static void functions_are_not_reported(void)
{
	int result = -1;

	if (!begin())
		return;
	kt_gate_open(&full.gate);
	KT_EXPECT_EQ(kpool_submit_fn(full.pool, kt_gate_pass, &full.gate,
				     GFP_KERNEL), 0);
	KT_EXPECT_EQ(kpool_call(full.pool, kt_gate_pass, &full.gate, &result),
		     0);
	KT_EXPECT_EQ(result, 0);
	end_without(0);
}

KT_MODULE("kpool selftest: what debugobjects is notified of",
	  KT_CASE(static_items_are_not_reported),
	  KT_CASE(stack_items_are_not_reported),
	  KT_CASE(freed_items_are_not_reported),
	  KT_CASE(dropped_items_are_not_reported),
	  KT_CASE(functions_are_not_reported),
	  KT_CASE(freed_pending_item_is_reported),
	  KT_CASE(reinitialized_pending_item_is_reported),
	  KT_CASE(zeroed_item_is_reported),
	  KT_CASE(item_of_garbage_is_reported),
	  KT_CASE(stack_item_left_pending_is_reported),
	  KT_CASE(freed_delayed_job_is_reported),
	  KT_CASE(freed_item_of_the_inbox_is_reported),
	  KT_CASE(unannounced_stack_item_is_logged));
