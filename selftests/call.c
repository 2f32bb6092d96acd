// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls: a function that is run by the pool, its result, and callers that give
 * up.
 */
#include <linux/prandom.h>

#include "compat.h"
#include "jobs.h"

static const struct kpool_attrs one_unit = { .capacity = 1 };

static const struct kpool_attrs queued_one = {
	.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
};

static const struct kpool_attrs queued_three = {
	.capacity = 3, .queue_depth = KPOOL_UNLIMITED,
};

/* The argument of a called function, and what becomes of it. */
struct request {
	struct kt_gate		gate;
	struct task_struct	*task;
	struct kpool		*pool;
	atomic_t		ran;
	atomic_t		ended;
	atomic_t		released;
	int			ret;
	bool			released_early;
	bool			abandoned_before;
	bool			abandoned_after;
};

static struct request req;

static void request_init(struct request *r, struct kpool *pool, int ret)
{
	memset(r, 0, sizeof(*r));
	kt_gate_init(&r->gate);
	r->pool = pool;
	r->ret = ret;
}

static int answers(void *arg)
{
	struct request *r = arg;

	r->task = current;
	atomic_inc(&r->ran);
	atomic_inc(&r->ended);
	return r->ret;
}

static int answers_gated(void *arg)
{
	struct request *r = arg;

	r->abandoned_before = kpool_call_abandoned();
	/* Pairs with call_until_abandoned(): then it is known. */
	atomic_inc_return_release(&r->ran);
	kt_gate_pass(&r->gate);
	r->abandoned_after = kpool_call_abandoned();
	atomic_inc(&r->ended);
	return r->ret;
}

static void release(void *arg)
{
	struct request *r = arg;

	might_sleep();
	KT_EXPECT(!kpool_call_abandoned());
	r->released_early |= atomic_read(&r->ran) != atomic_read(&r->ended);
	atomic_inc(&r->released);
}

static void expect_request(int ran, int released)
{
	KT_EXPECT_EQ(atomic_read(&req.ran), ran);
	KT_EXPECT_EQ(atomic_read(&req.ended), ran);
	KT_EXPECT_EQ(atomic_read(&req.released), released);
	KT_EXPECT(!req.released_early);
}

static struct kpool *call_make(const struct kpool_attrs *attrs, int ret)
{
	struct kpool *pool = kt_pool("call", attrs);

	request_init(&req, pool, ret);
	return pool;
}

/* A thread that calls. */
struct caller {
	struct kt_thread	thread;
	struct kpool		*pool;
	struct request		*r;
	kpool_fn		fn;
	unsigned long		timeout;
	int			result;
};

static int caller_main(void *arg)
{
	struct caller *c = arg;

	return kpool_call_timeout(c->pool, c->fn, c->r, release, c->timeout,
				  &c->result);
}

static bool caller_start(struct caller *c, struct kpool *pool,
			 struct request *r, kpool_fn fn, unsigned long timeout)
{
	c->pool = pool;
	c->r = r;
	c->fn = fn;
	c->timeout = timeout;
	c->result = 4711;
	return kt_thread_start(&c->thread, caller_main, c);
}

/* Fails if the result is lost, or taken for the call's own error. */
static void call_returns_the_result(void)
{
	static const int results[] = { 0, 7, -EIO, INT_MAX, -EDEADLK };
	struct kpool *pool = call_make(&one_unit, 0);
	int i, result;

	if (!pool)
		return;
	for (i = 0; i < ARRAY_SIZE(results); i++) {
		req.ret = results[i];
		result = 4711;
		KT_EXPECT_EQ(kpool_call(pool, answers, &req, &result), 0);
		KT_EXPECT_EQ(result, results[i]);
		result = 4711;
		KT_EXPECT_EQ(kpool_call_timeout(pool, answers, &req, release,
						KT_LIMIT, &result), 0);
		KT_EXPECT_EQ(result, results[i]);
	}
	KT_EXPECT_EQ(kpool_call(pool, answers, &req, NULL), 0);
	KT_EXPECT_EQ(kpool_call_timeout(pool, answers, &req, NULL,
					MAX_SCHEDULE_TIMEOUT, NULL), 0);
	expect_request(12, 0);
	jobs_end(pool);
}

/* Fails if a called function is not counted, or its error is not. */
static void call_is_counted_like_an_item(void)
{
	struct kpool *pool = call_make(&one_unit, -EIO);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_call(pool, answers, &req, NULL), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, submitted), 1);
	KT_EXPECT_EQ(kt_stat(pool, completed), 1);
	KT_EXPECT_EQ(kt_stat(pool, failed), 1);
	KT_EXPECT_EQ(kt_stat(pool, abandoned), 0);
	jobs_end(pool);
}

/* Fails if the caller runs the function itself. */
static void call_runs_in_a_worker(void)
{
	struct kpool *pool = call_make(&one_unit, 0);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_call(pool, answers, &req, NULL), 0);
	KT_EXPECT_NE((long)req.task, (long)current);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 1);
	jobs_end(pool);
}

/*
 * A function that cannot be submitted is not called, and its argument stays the
 * caller's.
 * Fails if release is called on every error.
 */
static void refused_call_keeps_the_argument(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .nonblocking = 1 };
	static struct full f;
	int result = 4711;

	if (!full_make(&f, &attrs))
		goto out;
	request_init(&req, f.pool, 0);
	KT_EXPECT_EQ(kpool_call(f.pool, answers, &req, &result), -EAGAIN);
	KT_EXPECT_EQ(kpool_call_timeout(f.pool, answers, &req, release, HZ,
					&result), -EAGAIN);
	KT_EXPECT_EQ(kpool_call(f.pool, NULL, &req, &result), -EINVAL);
	KT_EXPECT_EQ(kpool_call_timeout(f.pool, NULL, &req, release, HZ,
					&result), -EINVAL);
	kpool_shutdown(f.pool);
	KT_EXPECT_EQ(kpool_call(f.pool, answers, &req, &result), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_call_timeout(f.pool, answers, &req, release, HZ,
					&result), -ESHUTDOWN);
	KT_EXPECT_EQ(result, 4711);
	expect_request(0, 0);
	KT_EXPECT_EQ(kt_stat(f.pool, submitted), 1);
out:
	full_end(&f);
}

/* Fails if a caller that is blocked before admission is not refused. */
static void shutdown_refuses_blocked_callers(void)
{
	static struct full f;
	struct caller c;

	if (!full_make(&f, &one_unit))
		goto out;
	request_init(&req, f.pool, 0);
	if (!caller_start(&c, f.pool, &req, answers, MAX_SCHEDULE_TIMEOUT))
		goto out;
	KT_EXPECT(kt_wait(kt_stat(f.pool, blocked) == 1));
	kpool_shutdown(f.pool);
	KT_EXPECT_EQ(kt_thread_join(&c.thread), -ESHUTDOWN);
	expect_request(0, 0);
out:
	full_end(&f);
}

static const char *const depths[] = { "in_submit", "queued", NULL };

/*
 * A caller's time is over before the function started, be it blocked in submit
 * or with the call queued.  The function never runs, and release is called
 * once.
 * Fails if the call stays behind, or release is forgotten or repeated.
 */
static void function_does_not_start_after_a_timeout(int queued)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = queued ? 1 : KPOOL_NONE,
	};
	static struct full f;
	unsigned long since;
	int result = 4711;

	if (!full_make(&f, &attrs))
		goto out;
	request_init(&req, f.pool, 0);
	since = jiffies;
	KT_EXPECT_EQ(kpool_call_timeout(f.pool, answers, &req, release, HZ / 50,
					&result), -ETIMEDOUT);
	KT_EXPECT(time_after_eq(jiffies, since + HZ / 50));
	if (kt_exact)
		KT_EXPECT_LE(jiffies - since, HZ / 50 + HZ / 400 + 2);
	KT_EXPECT(kt_wait(atomic_read(&req.released)));
	KT_EXPECT_EQ(kt_stat(f.pool, pending), 0);
	KT_EXPECT_EQ(kt_stat(f.pool, submitted), 1 + queued);
	KT_EXPECT_EQ(kt_stat(f.pool, cancelled), queued);
	KT_EXPECT_EQ(kpool_call_timeout(f.pool, answers, &req, NULL, 1, NULL),
		     -ETIMEDOUT);
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(result, 4711);
	expect_request(0, 1);
out:
	full_end(&f);
}

/*
 * Call with a short timeout, and then with longer ones, until the function has
 * begun while its caller waited.
 */
static struct kpool *call_until_abandoned(int *result)
{
	unsigned long timeout = kt_ms(HZ, HZ / 5);
	struct kpool *pool;

	for (;; timeout *= 2) {
		pool = call_make(&queued_one, -EIO);
		if (!pool)
			return NULL;
		KT_EXPECT_EQ(kpool_call_timeout(pool, answers_gated, &req,
						release, timeout, result),
			     -ETIMEDOUT);
		/* Pairs with answers_gated(). */
		if (atomic_read_acquire(&req.ran) && !req.abandoned_before)
			return pool;
		if (!KT_EXPECT(!kt_exact && timeout < KT_LIMIT / 8))
			return pool;
		kt_gate_open(&req.gate);
		KT_EXPECT(kt_wait(atomic_read(&req.released)));
		jobs_end(pool);
		KT_EXPECT_EQ(atomic_read(&req.released), 1);
	}
}

static struct kpool *another;

static int aborts_another(struct kpool_item *item)
{
	KT_EXPECT_EQ(kpool_abort(another), 1);
	return 0;
}

/*
 * The worker of an abandoned function has called a drop function before, for an
 * item of another pool that its own item has aborted.
 * Fails (false) if it still counts as one that is in a drop function: mutant
 * nested-drop-never-left.
 */
static void function_is_abandoned_after_a_nested_drop(void)
{
	static struct kpool_item aborts, pending;
	struct kpool *pool;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	another = kt_pool("another", &queued_one);
	pool = call_make(&queued_one, 0);
	if (!another || !pool)
		goto out;
	kpool_init_item(&aborts, aborts_another);
	kpool_init_item(&pending, aborts_another);
	KT_EXPECT_EQ(kpool_pause(another), 0);
	KT_EXPECT_EQ(kpool_submit(another, &pending), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &aborts), 0);
	KT_EXPECT_EQ(kpool_flush_item(&aborts), 0);
	KT_EXPECT_EQ(kpool_call_timeout(pool, answers_gated, &req, release, 10,
					NULL), -ETIMEDOUT);
	kt_gate_open(&req.gate);
	KT_EXPECT(kt_wait(atomic_read(&req.released)));
	KT_EXPECT_EQ(atomic_read(&req.ran), 1);
	KT_EXPECT(req.abandoned_after);
out:
	jobs_end(pool);
	jobs_end(another);
}

/*
 * A caller whose time is over while the function runs returns; the function
 * can see it, and release comes after its end.
 * Fails if the caller waits on, or if the function is not notified, or release
 * is.  Also fails if the argument is released while it is in use.
 */
static void running_function_is_abandoned(void)
{
	int result = 4711;
	struct kpool *pool = call_until_abandoned(&result);

	if (!pool)
		return;
	if (KT_EXPECT_EQ(atomic_read(&req.ran), 1)) {
		KT_EXPECT_EQ(kt_stat(pool, abandoned), 1);
		KT_EXPECT_EQ(kt_stat(pool, running), 1);
		KT_EXPECT_EQ(atomic_read(&req.released), 0);
		kt_gate_open(&req.gate);
		KT_EXPECT(kt_wait(atomic_read(&req.released)));
		KT_EXPECT(!req.abandoned_before);
		KT_EXPECT(req.abandoned_after);
	}
	kt_gate_open(&req.gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(result, 4711);
	expect_request(1, 1);
	KT_EXPECT_EQ(kt_stat(pool, completed), 1);
	KT_EXPECT_EQ(kt_stat(pool, failed), 1);
	KT_EXPECT_EQ(kpool_call(pool, answers, &req, &result), 0);
	KT_EXPECT_EQ(result, -EIO);
	KT_EXPECT_EQ(kt_stat(pool, abandoned), 1);
	jobs_end(pool);
}

/* Fails (oopses) if release must be there. */
static void release_function_is_optional(void)
{
	struct kpool *pool = call_make(&queued_one, 0);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_call_timeout(pool, answers_gated, &req, NULL, 2,
					NULL), -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_call_timeout(pool, answers, &req, NULL, 2, NULL),
		     -ETIMEDOUT);
	kpool_resume(pool);
	kt_gate_open(&req.gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	expect_request(atomic_read(&req.ran), 0);
	jobs_end(pool);
}

/* Fails if a waiting caller is taken for one that has given up. */
static void waiting_caller_is_not_abandoned(void)
{
	struct kpool *pool = call_make(&queued_three, 0);
	struct caller c;

	if (!pool)
		return;
	KT_EXPECT(!kpool_call_abandoned());
	if (!caller_start(&c, pool, &req, answers_gated, KT_LIMIT))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&req.ran)));
	kt_gate_open(&req.gate);
	KT_EXPECT_EQ(kt_thread_join(&c.thread), 0);
	KT_EXPECT(!req.abandoned_before);
	KT_EXPECT(!req.abandoned_after);
	req.abandoned_before = true;
	req.abandoned_after = true;
	KT_EXPECT_EQ(kpool_submit_fn(pool, answers_gated, &req, GFP_KERNEL), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(!req.abandoned_before);
	KT_EXPECT(!req.abandoned_after);
out:
	jobs_end(pool);
}

/*
 * The next item of a worker whose call was abandoned is not.
 * Fails if the mark stays with the worker.
 */
static int looks_if_abandoned(struct kpool_item *item)
{
	*(bool *)probe_of(item)->data = kpool_call_abandoned();
	return 0;
}

static void abandonment_ends_with_the_function(void)
{
	struct kpool *pool = call_make(&queued_one, 0);
	static struct probe p;
	bool abandoned = true;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_call_timeout(pool, answers_gated, &req, release,
					HZ / 10, NULL), -ETIMEDOUT);
	probe_init(&p, looks_if_abandoned, 0);
	p.data = &abandoned;
	KT_EXPECT_EQ(kpool_submit(pool, &p.job.item), 0);
	kt_gate_open(&req.gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(!abandoned);
	expect_request(atomic_read(&req.ran), 1);
	jobs_end(pool);
}

static struct full crowded;

static int asks_if_abandoned(void *unused)
{
	return kpool_call_abandoned();
}

static int calls_in_a_full_pool(void *arg)
{
	struct request *r = arg;
	int result = 4711;

	atomic_inc(&r->ran);
	kt_gate_pass(&r->gate);
	r->abandoned_after = kpool_call_abandoned();
	KT_EXPECT_EQ(kpool_call(crowded.pool, asks_if_abandoned, NULL, &result),
		     0);
	KT_EXPECT_EQ(result, 0);
	atomic_inc(&r->ended);
	return 0;
}

/*
 * A function whose caller has gone calls another, which it runs itself: that
 * one's caller has not gone.
 * Fails if the answer is that of the worker's outermost function: mutant
 * nested-call-seems-abandoned.
 */
static void function_of_an_abandoned_caller_is_not_abandoned(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kpool *pool;

	if (!full_make(&crowded, &attrs))
		goto out;
	pool = call_make(&queued_one, 0);
	if (!pool)
		goto out;
	KT_EXPECT_EQ(kpool_call_timeout(pool, calls_in_a_full_pool, &req,
					release, kt_ms(HZ, HZ / 5), NULL),
		     -ETIMEDOUT);
	kt_gate_open(&req.gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(!atomic_read(&req.ran) || req.abandoned_after);
	jobs_end(pool);
out:
	full_end(&crowded);
}

/*
 * Abort drops a queued call: its caller gets the error and keeps the argument.
 * Fails (hangs) if the caller is not woken, or if it counts as one that gave
 * up: mutant dropped-call-is-abandoned.
 */
static void abort_ends_pending_calls(void)
{
	static struct full f;
	struct caller c[3];
	int i, n = 0;

	if (!full_make(&f, &queued_one))
		goto out;
	request_init(&req, f.pool, 0);
	for (i = 0; i < 3; i++)
		n += caller_start(&c[i], f.pool, &req, answers, KT_LIMIT);
	KT_EXPECT(kt_wait(kt_stat(f.pool, pending) == n));
	kpool_abort(f.pool);
	for (i = 0; i < n; i++) {
		KT_EXPECT_EQ(kt_thread_join(&c[i].thread), -ECANCELED);
		KT_EXPECT_EQ(c[i].result, 4711);
	}
	expect_request(0, 0);
	KT_EXPECT_EQ(kt_stat(f.pool, dropped), 3);
	KT_EXPECT_EQ(kt_stat(f.pool, abandoned), 0);
out:
	full_end(&f);
}

/* Fails if an evicted call is lost, or passed another reason. */
static void evicted_call_returns_the_error(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	static struct full f;
	static struct kt_job job;
	struct caller c;

	if (!full_make(&f, &attrs))
		goto out;
	request_init(&req, f.pool, 0);
	kt_job_init(&job, kt_job_tiny, &f.gate, 0);
	if (!caller_start(&c, f.pool, &req, answers, KT_LIMIT))
		goto out;
	KT_EXPECT(kt_wait(kt_stat(f.pool, pending) == 1));
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), 0);
	KT_EXPECT_EQ(kt_thread_join(&c.thread), -EAGAIN);
	expect_request(0, 0);
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
out:
	full_end(&f);
}

/* Fails if shutdown drops an accepted call. */
static void accepted_call_runs_after_shutdown(void)
{
	static struct full f;
	struct caller c;

	if (!full_make(&f, &queued_one))
		goto out;
	request_init(&req, f.pool, 5);
	if (!caller_start(&c, f.pool, &req, answers, KT_LIMIT))
		goto out;
	KT_EXPECT(kt_wait(kt_stat(f.pool, pending) == 1));
	kpool_shutdown(f.pool);
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kt_thread_join(&c.thread), 0);
	KT_EXPECT_EQ(c.result, 5);
out:
	full_end(&f);
}

/*
 * Destroy waits for a function whose caller has gone, and for its release.
 * Fails (oopses when the module goes) if only callers are waited for.
 */
static int destroy_main(void *arg)
{
	return kpool_destroy(arg);
}

static void destroy_waits_for_an_abandoned_function(void)
{
	struct kpool *pool = call_make(&queued_one, 0);
	struct kt_thread t;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_call_timeout(pool, answers_gated, &req, release,
					HZ / 10, NULL), -ETIMEDOUT);
	if (!kt_thread_start(&t, destroy_main, pool))
		return;
	if (atomic_read(&req.ran))
		kt_thread_asleep(&t);
	KT_EXPECT_EQ(atomic_read(&req.ended), 0);
	kt_gate_open(&req.gate);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	expect_request(atomic_read(&req.ran), 1);
}

static void release_gated(void *arg)
{
	kt_gate_pass(&req.gate);
	release(arg);
}

static int gives_up(void *unused)
{
	return kpool_call_timeout(req.pool, answers, &req, release_gated,
				  HZ / 20, NULL);
}

/*
 * Destroy also waits for the release of a call whose time was over before it
 * started: that is the caller's code too.
 * Fails (destroy returns) if only items and workers are waited for.
 */
static void destroy_waits_for_the_release_of_a_call_that_never_ran(void)
{
	struct kpool *pool = call_make(&queued_one, 0);
	struct kt_thread caller = { }, destroyer = { };
	static struct kt_gate gate;
	static struct kt_job job;
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_gated, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	kt_thread_start(&caller, gives_up, NULL);
	KT_EXPECT(kt_wait(atomic_read(&req.gate.started)));
	kt_gate_open(&gate);
	kt_thread_start(&destroyer, destroy_main, pool);
	for (i = 0; i < 40 && !kt_thread_done(&destroyer); i++)
		kt_sleep_ms(5);
	KT_EXPECT(!kt_thread_done(&destroyer));
	kt_gate_open(&req.gate);
	KT_EXPECT_EQ(kt_thread_join(&caller), -ETIMEDOUT);
	KT_EXPECT_EQ(kt_thread_join(&destroyer), 0);
	expect_request(0, 1);
}

/*
 * Destroy also waits for a caller whose function has ended and that has not
 * returned.
 * Fails (KASAN) if the pool is freed before it has returned.
 */
static void destroy_waits_for_returning_callers(void)
{
	int i, spins, n = kt_count(300);
	struct kpool *pool;
	struct caller c;

	for (i = 0; i < n; i++) {
		pool = call_make(&one_unit, 0);
		if (!pool || !caller_start(&c, pool, &req, answers,
					   MAX_SCHEDULE_TIMEOUT))
			return;
		/* not by sleeping: the caller's way out is short */
		for (spins = 1; !kt_stat(pool, submitted); spins++)
			if (spins % 1024 == 0)
				usleep_range(1, 2);
		KT_EXPECT_EQ(kpool_destroy(pool), 0);
		KT_EXPECT_EQ(kt_thread_join(&c.thread), 0);
		KT_EXPECT_EQ(atomic_read(&req.ended), 1);
	}
}

/* Calls from inside the pool */

static int inside_got, inside_result;
static unsigned long inside_timeout;

static int calls_inside(struct kpool_item *item)
{
	inside_got = kpool_call_timeout(req.pool, answers, &req, release,
					inside_timeout, &inside_result);
	return 0;
}

static void call_inside(struct kpool *pool, unsigned long timeout)
{
	static struct probe p;

	inside_timeout = timeout;
	inside_result = 4711;
	inside_got = 4711;
	probe_init(&p, calls_inside, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p.job.item), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
}

/* Fails if every call from inside its pool is refused. */
static void item_may_call_where_a_unit_is_free(void)
{
	struct kpool *pool = call_make(&(struct kpool_attrs){ .capacity = 2 },
				       -EIO);

	if (!pool)
		return;
	call_inside(pool, MAX_SCHEDULE_TIMEOUT);
	KT_EXPECT_EQ(inside_got, 0);
	KT_EXPECT_EQ(inside_result, -EIO);
	expect_request(1, 0);
	jobs_end(pool);
}

static const char *const queues[] = { "without_queue", "with_queue", NULL };

/*
 * The only unit cannot run a call from the item that holds it; the function
 * does not run then, later neither.
 * Fails (hangs) if the wait for a result is not examined like others, or runs
 * the function after the error.
 */
static void call_that_could_never_end_is_refused(int queue)
{
	struct kpool *pool = call_make(queue ? &queued_one : &one_unit, 0);

	if (!pool)
		return;
	call_inside(pool, MAX_SCHEDULE_TIMEOUT);
	KT_EXPECT_EQ(inside_got, -EDEADLK);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	expect_request(0, 0);
	KT_EXPECT_EQ(kt_stat(pool, submitted), 1 + queue);
	KT_EXPECT_EQ(kt_stat(pool, completed), 1);
	jobs_end(pool);
}

/* Fails if a call that ends by itself is taken for a deadlock. */
static void timed_call_inside_is_no_deadlock(int queue)
{
	struct kpool *pool = call_make(queue ? &queued_one : &one_unit, 0);

	if (!pool)
		return;
	call_inside(pool, HZ / 50);
	KT_EXPECT_EQ(inside_got, -ETIMEDOUT);
	KT_EXPECT(kt_wait(atomic_read(&req.released)));
	expect_request(0, 1);
	jobs_end(pool);
}

/* Fails if an item of another pool is taken for one of this. */
static void item_may_call_another_pool(void)
{
	struct kpool *other, *pool = call_make(&one_unit, 3);

	if (!pool)
		return;
	other = kt_pool("other", &one_unit);
	if (other) {
		call_inside(other, MAX_SCHEDULE_TIMEOUT);
		KT_EXPECT_EQ(inside_got, 0);
		KT_EXPECT_EQ(inside_result, 3);
	}
	jobs_end(other);
	jobs_end(pool);
}

/*
 * A calls F, and F flushes A: F is refused, though a third unit is free; A
 * gets F's result.
 * Fails (hangs) if the cycle through a call is not seen.
 */
static struct probe cycle;

static int flushes_its_caller(void *arg)
{
	atomic_inc(&req.ran);
	atomic_inc(&req.ended);
	return kpool_flush_item(&cycle.job.item);
}

static int calls_one_that_flushes_it(struct kpool_item *item)
{
	inside_got = kpool_call(req.pool, flushes_its_caller, &req,
				&inside_result);
	return probe_fn(item);
}

static void cycle_through_a_call_is_refused(void)
{
	struct kpool *pool = call_make(&queued_three, 0);
	static struct probe third;

	if (!pool)
		return;
	probe_init(&third, probe_fn, 0);
	probes_hold(&third, 1);
	probe_init(&cycle, calls_one_that_flushes_it, 0);
	inside_got = 4711;
	inside_result = 4711;
	if (probes_submit(pool, &third, 1) && probe_runs(&third) &&
	    probes_submit(pool, &cycle, 1) && probe_ran(&cycle)) {
		KT_EXPECT_EQ(inside_got, 0);
		KT_EXPECT_EQ(inside_result, -EDEADLK);
	}
	probes_open(&third, 1);
	jobs_end(pool);
}

/* Runs behind the others, so that much can happen before it goes on. */
static int calls_behind_others(struct kpool_item *item)
{
	sched_set_normal(current, 19);
	inside_got = kpool_call(req.pool, answers_gated, &req, NULL);
	inside_result = atomic_read(&req.ran) - atomic_read(&req.ended);
	return probe_fn(item);
}

static struct probe heavy, first;

static int flushes_the_heavy(struct kpool_item *item)
{
	KT_EXPECT_EQ(kpool_flush_item(&heavy.job.item), 0);
	return probe_fn(item);
}

static bool canceller_is_ready;

/* Wait for the first to end, and make room, before anybody else looks. */
static int cancels_the_heavy(void *arg)
{
	set_cpus_allowed_ptr(current, cpumask_of(0));
	sched_set_fifo(current);
	WRITE_ONCE(canceller_is_ready, true);
	KT_EXPECT_EQ(kpool_flush_item(&first.job.item), 0);
	return kpool_cancel(&heavy.job.item);
}

/*
 * A caller is refused while its call waits in the queue, and the call starts
 * before the caller is awake.  Then the caller waits on, because the function
 * can use what is on its stack.
 * Fails if an error is returned while the function runs.
 */
static void refused_call_that_starts_is_waited_for(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 3, .queue_depth = KPOOL_UNLIMITED,
		.cpumask = cpumask_of(0), .policy = KPOOL_POLICY_FIFO,
		.rt_priority = 10,
	};
	struct kpool *pool = call_make(&attrs, 0);
	struct kt_thread canceller = { };
	static struct probe caller, flusher;

	if (!pool)
		return;
	inside_got = 4711;
	inside_result = 0;
	probe_init(&caller, calls_behind_others, 0);
	probe_init(&flusher, flushes_the_heavy, 0);
	probe_init(&heavy, probe_fn, 0);
	KT_EXPECT_EQ(kpool_set_weight(&heavy.job.item, 3), 0);
	probe_init(&first, probe_fn, 0);
	probes_hold(&first, 1);
	if (!probes_submit(pool, &first, 1) || !probe_runs(&first))
		goto out;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, &flusher, 1);
	probes_submit(pool, &caller, 1);
	probes_submit(pool, &heavy, 1);
	kpool_resume(pool);
	/* the call stands behind the heavy one */
	KT_EXPECT(kt_wait(kt_stat(pool, pending) == 2));
	kt_sleep_ms(20);
	canceller_is_ready = false;
	if (kt_thread_start(&canceller, cancels_the_heavy, NULL) &&
	    KT_EXPECT(kt_wait(READ_ONCE(canceller_is_ready))))
		kt_thread_asleep(&canceller);
	probes_open(&first, 1);
	KT_EXPECT_EQ(kt_thread_join(&canceller), 1);
	kt_sleep_ms(20);
	kt_gate_open(&req.gate);
	probe_ran(&caller);
	KT_EXPECT_EQ(inside_result, 0);
out:
	probes_open(&first, 1);
	kt_gate_open(&req.gate);
	jobs_end(pool);
}

static struct probe late_caller, second, bystander;
static int flush_got;

static int flushes_the_late_caller(void *arg)
{
	flush_got = kpool_flush_item(&late_caller.job.item);
	return 0;
}

static int has_another_flush_it(void *arg)
{
	return kpool_call(req.pool, flushes_the_late_caller, NULL, NULL);
}

static int calls_and_wakes_late(struct kpool_item *item)
{
	bool direct = probe_of(item)->nr == 0;

	sched_set_normal(current, 19);
	inside_got = kpool_call(req.pool, direct ? flushes_the_late_caller :
						   has_another_flush_it,
				NULL, &inside_result);
	return probe_fn(item);
}

static const char *const cycles[] = { "itself", "through_another", NULL };

/*
 * A function waits for the item that has called it, itself or in another call.
 * The caller, which had to wait for room, has not seen that the function runs.
 * Then the caller closes the cycle.  It keeps waiting, as do calls in between,
 * and the wait for the item is refused, although something else still runs.
 * Fails if no one of them is (all wait for that to end), or if a caller is.
 */
static void function_that_waits_for_its_caller_first_is_refused(int calls)
{
	const struct kpool_attrs attrs = {
		.capacity = 3 + calls, .cpumask = cpumask_of(0),
		.policy = KPOOL_POLICY_FIFO, .rt_priority = 10,
	};
	struct kpool *pool = call_make(&attrs, 0);

	if (!pool)
		return;
	inside_got = 4711;
	inside_result = 4711;
	flush_got = 0;
	probe_init(&late_caller, calls_and_wakes_late, calls);
	probe_init(&first, probe_fn, 0);
	probe_init(&second, probe_fn, 0);
	probe_init(&bystander, probe_fn, 0);
	probes_hold(&first, 1);
	probes_hold(&second, 1);
	probes_hold(&bystander, 1);
	if (!probes_submit(pool, &bystander, 1) || !probe_runs(&bystander) ||
	    !probes_submit(pool, &first, 1) || !probe_runs(&first) ||
	    (calls && (!probes_submit(pool, &second, 1) || !probe_runs(&second))))
		goto out;
	probes_submit(pool, &late_caller, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 1));
	kt_sleep_ms(20);
	/* their workers take the calls next, while the caller wakes */
	probes_open(&first, 1);
	probes_open(&second, 1);
	probe_ran(&late_caller);
	KT_EXPECT_EQ(inside_got, 0);
	KT_EXPECT_EQ(inside_result, 0);
	KT_EXPECT_EQ(flush_got, -EDEADLK);
out:
	probes_open(&bystander, 1);
	probes_open(&first, 1);
	probes_open(&second, 1);
	jobs_end(pool);
}

/* Parallel callers, and callers that race with the end of their time */

#define CALLERS	10

static struct request many[CALLERS];
static atomic_t met;

/* Returns when all others are here too. */
static int meets_the_others(void *arg)
{
	struct request *r = arg;

	atomic_inc(&met);
	KT_EXPECT(kt_wait(atomic_read(&met) == CALLERS));
	return r->ret;
}

/* Fails if calls are run one after the other, or results are mixed up. */
static void calls_run_in_parallel(void)
{
	struct kpool *pool = call_make(&(struct kpool_attrs){ .capacity = CALLERS },
				       0);
	static struct caller c[CALLERS];
	int i;

	if (!pool)
		return;
	atomic_set(&met, 0);
	for (i = 0; i < CALLERS; i++) {
		request_init(&many[i], pool, i);
		caller_start(&c[i], pool, &many[i], meets_the_others,
			     MAX_SCHEDULE_TIMEOUT);
	}
	for (i = 0; i < CALLERS; i++) {
		KT_EXPECT_EQ(kt_thread_join(&c[i].thread), 0);
		KT_EXPECT_EQ(c[i].result, i);
	}
	jobs_end(pool);
}

/* An argument that its caller or release frees, the last to have it. */
struct parcel {
	int	nr;
	int	usecs;
};

static atomic_t parcels_ran;
static atomic_t parcels_released;

static int opens_parcel(void *arg)
{
	struct parcel *parcel = arg;
	int nr = parcel->nr;

	atomic_inc(&parcels_ran);
	if (parcel->usecs)
		usleep_range(parcel->usecs, parcel->usecs + 50);
	KT_EXPECT_EQ(parcel->nr, nr);
	return nr;
}

static void release_parcel(void *arg)
{
	atomic_inc(&parcels_released);
	kfree(arg);
}

struct racer {
	struct kt_thread	thread;
	struct kpool		*pool;
	struct rnd_state	rnd;
	int			seed;
	int			timed_out;
	int			answered;
};

static void race_once(struct racer *r, int nr)
{
	struct parcel *parcel = kmalloc_obj(*parcel, GFP_KERNEL);
	int err, result = -1;

	if (!KT_EXPECT(parcel))
		return;
	parcel->nr = nr;
	parcel->usecs = prandom_u32_state(&r->rnd) % (2 * USEC_PER_SEC / HZ);
	/* a slow machine answers none within a tick */
	err = kpool_call_timeout(r->pool, opens_parcel, parcel, release_parcel,
				 nr % 8 ? 1 : HZ / 10, &result);
	if (err == -ETIMEDOUT) {
		r->timed_out++;
		return;
	}
	KT_EXPECT_EQ(err, 0);
	KT_EXPECT_EQ(result, nr);
	KT_EXPECT_EQ(parcel->nr, nr);
	r->answered++;
	kfree(parcel);
}

static int racer_main(void *arg)
{
	struct racer *r = arg;
	int i, n = kt_exact ? 2000 : max(kt_count(HZ), 40);

	for (i = 0; i < n; i++)
		race_once(r, i);
	return n;
}

/*
 * Callers that give up at about the time when the function starts or ends:
 * each argument is released once, or left to its caller.
 * Fails (KASAN, or by number) if both or neither own it.
 */
static void racing_timeouts_release_once(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 2 };
	static struct racer r[4];
	struct kpool *pool = kt_pool("race", &attrs);
	int i, n = 0, timed_out = 0, answered = 0;

	if (!pool)
		return;
	atomic_set(&parcels_ran, 0);
	atomic_set(&parcels_released, 0);
	memset(r, 0, sizeof(r));
	for (i = 0; i < ARRAY_SIZE(r); i++) {
		r[i].pool = pool;
		prandom_seed_state(&r[i].rnd, i + 1);
		kt_thread_start(&r[i].thread, racer_main, &r[i]);
	}
	for (i = 0; i < ARRAY_SIZE(r); i++) {
		n += kt_thread_join(&r[i].thread);
		timed_out += r[i].timed_out;
		answered += r[i].answered;
	}
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(kt_wait(atomic_read(&parcels_released) == timed_out));
	KT_EXPECT_EQ(timed_out + answered, n);
	KT_EXPECT_GE(timed_out, 1);
	KT_EXPECT_GE(answered, 1);
	KT_EXPECT_EQ(kt_stat(pool, completed), atomic_read(&parcels_ran));
	KT_EXPECT_EQ(kt_stat(pool, abandoned) + answered,
		     atomic_read(&parcels_ran));
	jobs_end(pool);
	KT_EXPECT_EQ(atomic_read(&parcels_released), timed_out);
}

/* Fails if no time at all is taken for no limit, or the argument is lost. */
static void no_time_is_a_timeout(void)
{
	static struct full f;
	int err;

	if (!full_make(&f, &queued_one))
		goto out;
	request_init(&req, f.pool, 0);
	err = kpool_call_timeout(f.pool, answers, &req, release, 0, NULL);
	KT_EXPECT_EQ(err, -ETIMEDOUT);
	KT_EXPECT(kt_wait(atomic_read(&req.released)));
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	expect_request(0, 1);
out:
	full_end(&f);
}

static int opens_gate_later(void *arg)
{
	kt_sleep_ms(30 * MSEC_PER_SEC / HZ);
	kt_gate_open(arg);
	return 0;
}

static int takes_sixty_ticks(void *arg)
{
	kt_sleep_ms(60 * MSEC_PER_SEC / HZ);
	return answers(arg);
}

static int takes_ninety_ticks(void *arg)
{
	kt_sleep_ms(90 * MSEC_PER_SEC / HZ);
	return answers(arg);
}

/*
 * A call has 100 ticks for admission or waiting in the queue, which take 30,
 * and for its run.  One of 60 is in time, one of 90 is not.
 * Fails if the first 30 are counted twice or not at all.
 */
static void all_of_a_call_shares_its_time(int queued)
{
	static struct kt_thread t;
	static struct full f;
	struct kpool_attrs attrs = one_unit;
	unsigned long since;
	int result = 0, pass;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	attrs.queue_depth = queued;
	for (pass = 0; pass < 2; pass++) {
		if (!full_make(&f, &attrs))
			break;
		request_init(&req, f.pool, 7);
		if (!kt_thread_start(&t, opens_gate_later, &f.gate))
			break;
		since = jiffies;
		if (!pass) {
			KT_EXPECT_EQ(kpool_call_timeout(f.pool,
							takes_sixty_ticks, &req,
							release, 100, &result),
				     0);
			KT_EXPECT_EQ(result, 7);
		} else {
			KT_EXPECT_EQ(kpool_call_timeout(f.pool,
							takes_ninety_ticks,
							&req, release, 100,
							&result), -ETIMEDOUT);
			KT_EXPECT_GE(jiffies - since, 100);
			KT_EXPECT_LE(jiffies - since, 100 + 100 / 8 + 2);
		}
		KT_EXPECT_EQ(kt_thread_join(&t), 0);
		KT_EXPECT_EQ(kpool_flush(f.pool), 0);
		expect_request(1, pass);
		kt_pool_end(f.pool);
		f.pool = NULL;
	}
	full_end(&f);
}

KT_MODULE("kpool selftest: calls",
	  KT_CASE(call_returns_the_result),
	  KT_CASE(call_is_counted_like_an_item),
	  KT_CASE(call_runs_in_a_worker),
	  KT_CASE(refused_call_keeps_the_argument),
	  KT_CASE(shutdown_refuses_blocked_callers),
	  KT_EACH(function_does_not_start_after_a_timeout, depths),
	  KT_EACH(all_of_a_call_shares_its_time, depths),
	  KT_CASE(running_function_is_abandoned),
	  KT_CASE(function_is_abandoned_after_a_nested_drop),
	  KT_CASE(release_function_is_optional),
	  KT_CASE(waiting_caller_is_not_abandoned),
	  KT_CASE(abandonment_ends_with_the_function),
	  KT_CASE(function_of_an_abandoned_caller_is_not_abandoned),
	  KT_CASE(abort_ends_pending_calls),
	  KT_CASE(evicted_call_returns_the_error),
	  KT_CASE(accepted_call_runs_after_shutdown),
	  KT_CASE(destroy_waits_for_an_abandoned_function),
	  KT_CASE(destroy_waits_for_the_release_of_a_call_that_never_ran),
	  KT_CASE(destroy_waits_for_returning_callers),
	  KT_CASE(item_may_call_where_a_unit_is_free),
	  KT_EACH(call_that_could_never_end_is_refused, queues),
	  KT_EACH(timed_call_inside_is_no_deadlock, queues),
	  KT_CASE(item_may_call_another_pool),
	  KT_CASE(cycle_through_a_call_is_refused),
	  KT_CASE(refused_call_that_starts_is_waited_for),
	  KT_EACH(function_that_waits_for_its_caller_first_is_refused, cycles),
	  KT_CASE(calls_run_in_parallel),
	  KT_CASE(racing_timeouts_release_once),
	  KT_CASE(no_time_is_a_timeout));
