// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items that fail: how they are counted, the handler that is called, and what
 * the script reads in debugfs.  The parameter "keep" makes the pool that the
 * script reads.
 */
#include "compat.h"
#include "jobs.h"

static const struct kpool_attrs queued_two = {
	.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
};

/* The last call of the handler. */
static struct {
	atomic_t		calls;
	struct kpool_fault	fault;
	struct task_struct	*task;
	struct task_struct	*ran_in;
	struct kpool		*pool;
	struct kpool_item	*again;	/* submitted by the handler, or NULL */
	int			again_ret;
	bool			waits;
	int			waited[5];
} seen;

static int token;
static struct probe p[8];

static void handler(void *data, const struct kpool_fault *fault)
{
	KT_EXPECT(data == &token);
	might_sleep();
	seen.fault = *fault;
	seen.task = current;
	if (seen.again)
		seen.again_ret = kpool_submit(seen.pool, seen.again);
	if (seen.waits) {
		seen.waited[0] = kpool_flush(seen.pool);
		seen.waited[1] = kpool_flush_item((void *)fault->item);
		seen.waited[2] = kpool_cancel_sync((void *)fault->item);
		seen.waited[3] = kpool_submit(seen.pool, &p[1].job.item);
		seen.waited[4] = kpool_destroy(seen.pool);
	}
	kt_sleep_ms(1);
	atomic_inc(&seen.calls);
}

static void *data_of_worker(void *data)
{
	return &token;
}

static struct kpool *fault_pool(int capacity)
{
	const struct kpool_attrs attrs = {
		.capacity = capacity, .queue_depth = KPOOL_UNLIMITED,
		.data = &token, .fault = handler,
		.worker_init = data_of_worker,
	};

	memset(&seen, 0, sizeof(seen));
	probes_init(p, ARRAY_SIZE(p), probe_fn);
	seen.pool = kt_pool("fault", &attrs);
	return seen.pool;
}

static int fails(struct kpool_item *item)
{
	seen.ran_in = current;
	return probe_fn(item);
}

static void expect_seen(int calls, void *fn, int err)
{
	KT_EXPECT_EQ(atomic_read(&seen.calls), calls);
	KT_EXPECT_EQ((long)seen.fault.fn, (long)fn);
	KT_EXPECT_EQ(seen.fault.err, err);
	KT_EXPECT(!seen.fault.died);
	KT_EXPECT(seen.fault.data == &token);
	KT_EXPECT(seen.task == seen.ran_in);
}

/* Fails if the wrong ones are counted, or only the negative ones. */
static void failed_items_are_counted(void)
{
	static const int rets[] = { 0, -EIO, 0, 1, -ENOMEM, 0, -EIO, INT_MIN };
	struct kpool *pool = kt_pool("fault", &queued_two);
	int i;

	if (!pool)
		return;
	probes_init(p, ARRAY_SIZE(p), probe_fn);
	for (i = 0; i < ARRAY_SIZE(rets); i++)
		p[i].ret = rets[i];
	probes_submit(pool, p, ARRAY_SIZE(rets));
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, ARRAY_SIZE(rets));
	KT_EXPECT_EQ(kt_stat(pool, completed), ARRAY_SIZE(rets));
	KT_EXPECT_EQ(kt_stat(pool, failed), 5);
	jobs_end(pool);
}

/*
 * The handler gets the function, the address, the errno and the data, in the
 * worker, before the item has ended.
 * Fails if a field is another's, if a flusher does not wait for the handler, or
 * if only negative numbers are errors.
 */
static void handler_is_called_before_the_item_ends(void)
{
	static const int rets[] = { -EIO, 5, -EILSEQ };
	struct kpool *pool = fault_pool(1);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 3; i++) {
		probe_init(&p[i], fails, i);
		p[i].ret = rets[i];
		KT_EXPECT_EQ(kpool_submit(pool, &p[i].job.item), 0);
		if (i % 2)
			KT_EXPECT_EQ(kpool_flush(pool), 0);
		else
			KT_EXPECT_EQ(kpool_flush_item(&p[i].job.item), 0);
		expect_seen(i + 1, fails, rets[i]);
		KT_EXPECT(seen.fault.item == &p[i].job.item);
	}
	jobs_end(pool);
}

/*
 * Of several functions that a worker calls in a row, the handler gets the one
 * that failed.
 * Fails if it gets one before it: mutant fast-start-keeps-the-function.
 */
static void handler_gets_the_function_of_a_queued_item(void)
{
	struct kpool *pool = fault_pool(1);

	if (!pool)
		return;
	probe_init(&p[2], fails, 2);
	p[2].ret = -EIO;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 4);
	kpool_resume(pool);
	/* a flush would have the pool take its lock for each */
	KT_EXPECT(kt_wait(atomic_read(&p[3].ran)));
	expect_seen(1, fails, -EIO);
	jobs_end(pool);
}

/* Fails if the handler is called for every item. */
static void handler_is_called_for_failures_only(void)
{
	struct kpool *pool = fault_pool(2);

	if (!pool)
		return;
	probes_submit(pool, p, ARRAY_SIZE(p));
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 2);
	KT_EXPECT(kpool_cancel(&p[0].job.item));
	KT_EXPECT_EQ(kpool_abort(pool), 1);
	KT_EXPECT_EQ(atomic_read(&p[1].dropped), 1);
	KT_EXPECT_EQ(atomic_read(&seen.calls), 0);
	jobs_end(pool);
}

static int fails_by_argument(void *arg)
{
	seen.ran_in = current;
	return *(int *)arg;
}

static const char *const forms[] = {
	"submit_fn", "submit_arg", "call", "call_timeout", NULL
};

static int submit_form(struct kpool *pool, int form, int *arg)
{
	int result = 0, err;

	switch (form) {
	case 0:
		return kpool_submit_fn(pool, fails_by_argument, arg, GFP_KERNEL);
	case 1:
		return kpool_submit_arg(pool, arg, GFP_KERNEL);
	case 2:
		err = kpool_call(pool, fails_by_argument, arg, &result);
		break;
	default:
		err = kpool_call_timeout(pool, fails_by_argument, arg, NULL,
					 KT_LIMIT, &result);
		break;
	}
	KT_EXPECT_EQ(result, *arg);
	return err;
}

/* Fails if the handler gets kpool's own wrapper of the function. */
static void handler_gets_the_callers_function(int form)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .data = &token, .fault = handler,
		.worker_init = data_of_worker, .fn = fails_by_argument,
	};
	int arg = -EPROTO;

	memset(&seen, 0, sizeof(seen));
	seen.pool = kt_pool("fault", &attrs);
	if (!seen.pool)
		return;
	KT_EXPECT_EQ(submit_form(seen.pool, form, &arg), 0);
	KT_EXPECT_EQ(kpool_flush(seen.pool), 0);
	expect_seen(1, fails_by_argument, -EPROTO);
	KT_EXPECT_EQ(kt_stat(seen.pool, failed), 1);
	jobs_end(seen.pool);
}

/*
 * Not flushed: while a flusher waits, the worker takes the lock for each item.
 * Fails if a worker that does not take it reports a wrapper.
 */
static void handler_gets_the_function_behind_a_plain_item(void)
{
	struct kpool *pool = fault_pool(1);
	int arg = -EPROTO;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(submit_form(pool, 0, &arg), 0);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(atomic_read(&seen.calls)));
	probes_expect_ran(p, 1);
	expect_seen(1, fails_by_argument, -EPROTO);
	jobs_end(pool);
}

/*
 * A submitter runs an item, and a function, that fail.
 * Fails if a field is left out, or is of kpool's own wrapper.
 */
static void handler_is_called_in_the_submitter(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
		.data = &token, .fault = handler,
	};
	int arg = -EPROTO;

	memset(&seen, 0, sizeof(seen));
	seen.pool = kt_pool("fault", &attrs);
	if (!seen.pool)
		return;
	probes_init(p, 2, fails);
	p[1].ret = EILSEQ;
	probes_hold(p, 1);
	probes_submit(seen.pool, p, 1);
	probe_runs(p);
	probes_submit(seen.pool, &p[1], 1);
	KT_EXPECT(seen.task == current);
	KT_EXPECT(seen.fault.fn == fails);
	KT_EXPECT(seen.fault.item == &p[1].job.item);
	KT_EXPECT_EQ(seen.fault.err, EILSEQ);
	KT_EXPECT(!seen.fault.died);
	KT_EXPECT(!seen.fault.data);
	KT_EXPECT_EQ(submit_form(seen.pool, 0, &arg), 0);
	KT_EXPECT(seen.fault.fn == fails_by_argument);
	KT_EXPECT_EQ(seen.fault.err, -EPROTO);
	KT_EXPECT_EQ(atomic_read(&seen.calls), 2);
	probes_open(p, 1);
	jobs_end(seen.pool);
}

static int frees_itself_and_fails(struct kpool_item *item)
{
	seen.ran_in = current;
	poison(probe_of(item), sizeof(struct probe));
	kfree(probe_of(item));
	return -EIO;
}

/*
 * Of an item that its function has freed, the handler gets the address.
 * Fails (KASAN) if the item is read after its function.
 */
static void freed_item_is_reported_by_its_address(void)
{
	struct kpool *pool = fault_pool(1);
	struct probe *mortal;
	const void *address;
	int i;

	if (!pool)
		return;
	for (i = 1; i <= 10; i++) {
		mortal = kmalloc_obj(*mortal, GFP_KERNEL);
		if (!KT_EXPECT(mortal))
			break;
		probe_init(mortal, frees_itself_and_fails, 0);
		address = &mortal->job.item;
		KT_EXPECT_EQ(kpool_submit(pool, &mortal->job.item), 0);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		expect_seen(i, frees_itself_and_fails, -EIO);
		KT_EXPECT(seen.fault.item == address);
	}
	jobs_end(pool);
}

/* Fails if the handler runs under a lock, or is mistaken for a loop. */
static void handler_may_submit(void)
{
	struct kpool *pool = fault_pool(1);

	if (!pool)
		return;
	probe_init(p, fails, 0);
	p[0].ret = -EIO;
	seen.again = &p[1].job.item;
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush_item(&p[0].job.item), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(seen.again_ret, 0);
	probes_expect_ran(p, 2);
	jobs_end(pool);
}

/*
 * Other items are queued behind a failing one when the handler submits one.
 * Fails if the worker starts the next item as if the one before had not failed:
 * mutant failed-item-ends-fast.
 */
static void failure_is_counted_before_items_that_wait(void)
{
	struct kpool *pool = fault_pool(1);

	if (!pool)
		return;
	probe_init(&p[1], fails, 1);
	p[1].ret = -EIO;
	probes_hold(p, 1);
	seen.again = &p[7].job.item;
	probes_submit(pool, p, 7);
	probe_runs(p);
	probes_open(p, 1);
	/* a flush would have each item end with the lock held */
	probe_ran(&p[7]);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(seen.again_ret, 0);
	probes_expect_ran(p, 8);
	KT_EXPECT_EQ(kt_stat(pool, failed), 1);
	jobs_end(pool);
}

/* Succeeds in the third attempt. */
static int fails_twice(struct kpool_item *item)
{
	seen.ran_in = current;
	return atomic_inc_return(&probe_of(item)->ran) < 3 ? -EAGAIN : 0;
}

/*
 * Fails if an item cannot be tried again by the handler that is called for its
 * failure.
 */
static void handler_may_try_the_item_again(void)
{
	struct kpool *pool = fault_pool(1);

	if (!pool)
		return;
	probe_init(p, fails_twice, 0);
	seen.again = &p[0].job.item;
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, completed) == 3));
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&p[0].ran), 3);
	KT_EXPECT_EQ(kt_stat(pool, failed), 2);
	expect_seen(2, fails_twice, -EAGAIN);
	jobs_end(pool);
}

/*
 * Fails (hangs) if the handler can wait for the item it is called for, for room
 * that this one keeps, or for the pool.
 */
static void handler_cannot_wait_for_its_item(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_NONE,
		.data = &token, .fault = handler,
		.worker_init = data_of_worker,
	};
	struct kpool *pool;
	int i;

	memset(&seen, 0, sizeof(seen));
	pool = kt_pool("fault", &attrs);
	if (!pool)
		return;
	seen.pool = pool;
	probes_init(p, 2, fails);
	p[0].ret = -EIO;
	seen.waits = true;
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	for (i = 0; i < ARRAY_SIZE(seen.waited); i++)
		KT_EXPECT_EQ(seen.waited[i], -EDEADLK);
	expect_seen(1, fails, -EIO);
	probes_expect_ran(&p[1], 0);
	jobs_end(pool);
}

/* Fails if an item that the submitter runs itself fails unheard. */
static void failure_in_the_caller_is_reported(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
		.data = &token, .fault = handler,
	};
	static struct probe blocker;

	memset(&seen, 0, sizeof(seen));
	seen.pool = kt_pool("fault", &attrs);
	if (!seen.pool)
		return;
	probe_init(&blocker, probe_fn, 0);
	probes_hold(&blocker, 1);
	probe_init(p, fails, 0);
	p[0].ret = -EIO;
	if (probes_submit(seen.pool, &blocker, 1) && probe_runs(&blocker)) {
		KT_EXPECT_EQ(kpool_submit(seen.pool, &p[0].job.item), 0);
		KT_EXPECT_EQ(kt_stat(seen.pool, caller_ran), 1);
		KT_EXPECT_EQ(kt_stat(seen.pool, failed), 1);
		KT_EXPECT_EQ(atomic_read(&seen.calls), 1);
		KT_EXPECT(seen.task == current);
		KT_EXPECT(!seen.fault.died);
		KT_EXPECT(!seen.fault.data);
	}
	probes_open(&blocker, 1);
	jobs_end(seen.pool);
}

/* For the script: ten failures, of which a pool remembers eight */

static int bad_one(struct kpool_item *item)
{
	return probe_of(item)->ret;
}

static int bad_other(struct kpool_item *item)
{
	return probe_of(item)->ret;
}

static int bad_fn(void *arg)
{
	return -ENXIO;
}

static struct kpool *kept;

static void fail_one(kpool_item_fn fn, int ret)
{
	probe_init(p, fn, 0);
	p->ret = ret;
	KT_EXPECT_EQ(kpool_submit(kept, &p->job.item), 0);
	KT_EXPECT_EQ(kpool_flush(kept), 0);
}

static int keep(void)
{
	int i;

	kept = kt_pool("kept", &(struct kpool_attrs){ .capacity = 1 });
	if (!kept)
		return -EPROTO;
	for (i = 1; i <= 9; i++)
		fail_one(i % 2 ? bad_one : bad_other, -i);
	fail_one(bad_one, 0);
	KT_EXPECT_EQ(kpool_call(kept, bad_fn, NULL, NULL), 0);
	KT_EXPECT_EQ(kpool_flush(kept), 0);
	/* the default pool outlives this module */
	KT_EXPECT_EQ(kpool_call(kpool_default(), bad_fn, NULL, NULL), 0);
	return 0;
}

static int keep_set(const char *val, const struct kernel_param *kp)
{
	struct kpool *pool = kept;

	if (!pool)
		return keep();
	kept = NULL;
	return kpool_destroy(pool);
}

static const struct kernel_param_ops keep_ops = { .set = keep_set };
module_param_cb(keep, &keep_ops, NULL, 0200);
MODULE_PARM_DESC(keep, "make the pool \"kept\" in which items have failed, or destroy it");

KT_MODULE("kpool selftest: items that fail",
	  KT_CASE(failed_items_are_counted),
	  KT_CASE(handler_is_called_before_the_item_ends),
	  KT_CASE(handler_gets_the_function_of_a_queued_item),
	  KT_CASE(handler_is_called_for_failures_only),
	  KT_EACH(handler_gets_the_callers_function, forms),
	  KT_CASE(handler_gets_the_function_behind_a_plain_item),
	  KT_CASE(handler_is_called_in_the_submitter),
	  KT_CASE(freed_item_is_reported_by_its_address),
	  KT_CASE(handler_may_submit),
	  KT_CASE(failure_is_counted_before_items_that_wait),
	  KT_CASE(handler_may_try_the_item_again),
	  KT_CASE(handler_cannot_wait_for_its_item),
	  KT_CASE(failure_in_the_caller_is_reported));
