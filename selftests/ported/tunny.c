// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of tunny: a fixed set of workers, each with data of its own;
 * a caller with a job waits for its result.
 * The table of Documentation/coming-from/tunny.rst says which covers what.
 */
#include <linux/cpumask.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/string.h>

#include "selftest.h"

/* tunny's workers are all made at once and never leave. */
static struct kpool *worker_set(int n, const struct kpool_attrs *more)
{
	struct kpool_attrs attrs = more ? *more : (struct kpool_attrs){ };

	attrs.capacity = n;
	attrs.min_workers = n;
	attrs.expiry_ms = KPOOL_NO_PURGE;
	attrs.flags = KPOOL_PREALLOC;
	return kt_pool("tunny", &attrs);
}

/* SetSize. */
static void set_size(struct kpool *pool, int from, int n)
{
	const enum kpool_tunable first = n > from ? KPOOL_TUNE_CAPACITY :
						    KPOOL_TUNE_MIN_WORKERS;
	const enum kpool_tunable last = n > from ? KPOOL_TUNE_MIN_WORKERS :
						   KPOOL_TUNE_CAPACITY;

	KT_EXPECT_EQ(kpool_tune(pool, first, n), 0);
	KT_EXPECT_EQ(kpool_tune(pool, last, n), 0);
}

/* GetSize. */
static int get_size(struct kpool *pool)
{
	struct kpool_attrs attrs;

	kpool_get_attrs(pool, &attrs);
	return attrs.capacity;
}

/* QueueLength: callers that wait for a worker or have one. */
static u64 queue_length(struct kpool *pool)
{
	struct kpool_stats s;

	kpool_get_stats(pool, &s);
	return s.blocked + s.pending + s.running;
}

/* The time that tunny gives a call; true where time is simulated. */
static unsigned long limit_ms(unsigned int ms)
{
	return kt_exact ? msecs_to_jiffies(ms) : KT_LIMIT;
}

/* A job and its result; what a function returns is an errno. */
struct job {
	int	payload;
	int	result;
};

static int twice(void *arg)
{
	struct job *job = arg;

	job->result = job->payload * 2;
	return 0;
}

/* Process: one job, whose result is expected. */
static void process_one(struct kpool *pool, kpool_fn fn)
{
	struct job job = { .payload = 10 };
	int err = 1;

	KT_EXPECT_EQ(kpool_call(pool, fn, &job, &err), 0);
	KT_EXPECT_EQ(err, 0);
	KT_EXPECT_EQ(job.result, 20);
}

static int call_twice(void *arg)
{
	process_one(arg, twice);
	return 0;
}

/* Size 0: no call runs, callers wait.  A capacity is never 0: pause is that. */
static void size_zero(struct kpool *pool)
{
	struct kt_thread caller;

	KT_EXPECT_EQ(kpool_pause(pool), 0);
	if (kt_thread_start(&caller, call_twice, pool))
		KT_EXPECT(kt_wait(queue_length(pool) == 1));
	KT_EXPECT_EQ(kt_stat(pool, running), 0);
	KT_EXPECT_EQ(kt_stat(pool, completed), 0);
	kpool_resume(pool);
	kt_thread_join(&caller);
}

/*
 * TestPoolSizeAdjustment: sizes 10, 10, 9, 10, 0, 10, then a job, then the end.
 * Fails if tune leaves a worker too many, or makes none where min_workers asks
 * for them.  Also fails if a paused pool runs a call or loses it.
 */
static void size_is_adjusted(void)
{
	static const int sizes[] = { 10, 9, 10 };
	struct kpool *pool = worker_set(10, NULL);
	int i;

	if (!pool)
		return;
	KT_EXPECT_EQ(get_size(pool), 10);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		set_size(pool, get_size(pool), sizes[i]);
		KT_EXPECT_EQ(get_size(pool), sizes[i]);
		KT_EXPECT(kt_wait(kt_stat(pool, alive) == sizes[i]));
	}
	size_zero(pool);
	process_one(pool, twice);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(kt_stat(pool, alive), 0);
	kt_pool_end(pool);
}

static int set_size_to_1(void *arg)
{
	set_size(arg, 3, 1);
	KT_EXPECT_EQ(kpool_flush(arg), 0);
	return 0;
}

/*
 * A pool shrinks under its jobs; tune does not wait for them, a flush does, and
 * that is what SetSize does in tunny.
 * Fails if tune waits, if a job is lost, or if surplus workers stay.
 */
static void shrinking_waits_by_flush(void)
{
	struct kpool *pool = worker_set(3, NULL);
	struct kt_thread setter;
	struct kt_gate gate;
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kpool_submit_fn(pool, kt_gate_pass, &gate, GFP_KERNEL), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 3));
	if (kt_thread_start(&setter, set_size_to_1, pool))
		kt_thread_asleep(&setter);
	KT_EXPECT(kt_wait(get_size(pool) == 1));
	KT_EXPECT_EQ(kt_stat(pool, running), 3);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kt_thread_join(&setter), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 3);
	KT_EXPECT(kt_wait(kt_stat(pool, alive) == 1));
	kt_pool_end(pool);
}

static int fails(void *arg)
{
	return -EREMOTEIO;
}

/*
 * A job that fails, which tunny's callers see in its result only: the call
 * says that the job ran, and what it returned.
 * Fails if the job's error is taken for the call's, or is lost to the caller or
 * to the pool's counters.
 */
static void error_of_a_job_reaches_its_caller(void)
{
	struct kpool *pool = worker_set(1, NULL);
	int err = 0;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_call(pool, fails, NULL, &err), 0);
	KT_EXPECT_EQ(err, -EREMOTEIO);
	KT_EXPECT_EQ(kpool_call(pool, fails, NULL, NULL), 0);
	KT_EXPECT_EQ(kt_stat(pool, failed), 2);
	process_one(pool, twice);
	KT_EXPECT_EQ(kt_stat(pool, failed), 2);
	kt_pool_end(pool);
}

static const char *const job_ways[] = { "plain", "timed", NULL };

/*
 * TestFuncJob and its timed and ctx twins: ten jobs turn 10 into 20; timed,
 * each within 1 ms.
 * Fails if the result is that of another call, or if a timeout counts before
 * its time is over.
 */
static void job_returns_twice_its_payload(int timed)
{
	struct kpool *pool = worker_set(10, NULL);
	struct job job = { .payload = 10 };
	int i, ret, err;

	for (i = 0; i < 10 && pool; i++) {
		err = 1;
		job.result = 0;
		ret = timed ? kpool_call_timeout(pool, twice, &job, NULL,
						 limit_ms(1), &err) :
			      kpool_call(pool, twice, &job, &err);
		KT_EXPECT_EQ(ret, 0);
		KT_EXPECT_EQ(err, 0);
		KT_EXPECT_EQ(job.result, 20);
	}
	kt_pool_end(pool);
}

/*
 * TestCallbackJob: the job is a function, ten times; what is no function is
 * refused, and the pool goes on.
 * Fails if the pool insists on a function of its own, or calls NULL.
 */
static void callback_is_called_ten_times(void)
{
	struct kpool *pool = worker_set(10, NULL);
	struct kt_gate open;
	int i;

	if (!pool)
		return;
	kt_gate_init(&open);
	kt_gate_open(&open);
	for (i = 0; i < 10; i++)
		KT_EXPECT_EQ(kpool_call(pool, kt_gate_pass, &open, NULL), 0);
	KT_EXPECT_EQ(kpool_call(pool, NULL, &open, NULL), -EINVAL);
	KT_EXPECT_EQ(atomic_read(&open.finished), 10);
	kt_pool_end(pool);
}

/* A job that runs until its caller has given up, as Interrupt would end it. */
struct patient {
	atomic_t	started;
	atomic_t	interrupted;
	atomic_t	released;
};

static int until_abandoned(void *arg)
{
	struct patient *p = arg;

	atomic_inc(&p->started);
	KT_EXPECT(kt_wait(kpool_call_abandoned()));
	atomic_inc(&p->interrupted);
	return 0;
}

static void release_patient(void *arg)
{
	struct patient *p = arg;

	atomic_inc(&p->released);
}

/*
 * TestTimeout, and the deadline of TestFuncJobCtx: a job that takes longer than
 * its caller waits.  The caller returns, the job is notified, and what was
 * given to it is released once, when it no longer runs.
 * Fails if the call waits for the job, or if the job is not notified.  Also
 * fails if its argument is released while it runs, twice, or never.
 */
static void timeout_interrupts_the_job(void)
{
	struct kpool *pool = worker_set(1, NULL);
	struct patient p = { };
	int result = 1;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_call_timeout(pool, until_abandoned, &p,
					release_patient, msecs_to_jiffies(20),
					&result), -ETIMEDOUT);
	KT_EXPECT_EQ(result, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(kt_wait(atomic_read(&p.released)));
	KT_EXPECT_EQ(atomic_read(&p.interrupted), atomic_read(&p.started));
	KT_EXPECT_EQ(atomic_read(&p.released), 1);
	process_one(pool, twice);
	kt_pool_end(pool);
}

/*
 * TestTimedJobsAfterClose and TestJobsAfterClose: both calls say that the pool
 * is closed; the plain one panics in tunny.
 * Fails if a call to a closed pool waits, runs, or is taken for a timeout.
 */
static void job_after_close_is_refused(void)
{
	struct kpool *pool = worker_set(1, NULL);
	struct patient p = { };
	int result = 1;

	if (!pool)
		return;
	kpool_shutdown(pool);
	kpool_shutdown(pool);
	KT_EXPECT_EQ(kpool_call_timeout(pool, until_abandoned, &p,
					release_patient, msecs_to_jiffies(10),
					&result), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_call(pool, until_abandoned, &p, &result), -ESHUTDOWN);
	KT_EXPECT_EQ(atomic_read(&p.started), 0);
	KT_EXPECT_EQ(atomic_read(&p.released), 0);
	KT_EXPECT_EQ(result, 1);
	kt_pool_end(pool);
}

#define PARALLEL	10

static struct kpool *parallel_pool;
static atomic_t arrived;

/* Goes on when all ten have come. */
static int rendezvous(void *arg)
{
	atomic_inc(&arrived);
	KT_EXPECT(kt_wait(atomic_read(&arrived) == PARALLEL));
	return 0;
}

static int call_rendezvous(void *arg)
{
	return kpool_call(parallel_pool, rendezvous, NULL, NULL);
}

/*
 * TestParallelJobs: ten jobs on ten workers wait for one another.
 * Fails if one of ten units is not given out while the others are held.
 */
static void ten_jobs_meet(void)
{
	struct kt_thread callers[PARALLEL] = { };
	int i;

	parallel_pool = worker_set(PARALLEL, NULL);
	if (!parallel_pool)
		return;
	atomic_set(&arrived, 0);
	for (i = 0; i < PARALLEL; i++)
		kt_thread_start(&callers[i], call_rendezvous, NULL);
	for (i = 0; i < PARALLEL; i++)
		KT_EXPECT_EQ(kt_thread_join(&callers[i]), 0);
	KT_EXPECT_EQ(kt_stat(parallel_pool, spawned), PARALLEL);
	kt_pool_end(parallel_pool);
}

/* The data of a custom worker, made and freed in the worker itself. */
struct custom {
	struct task_struct	*task;
	int			done;
};

static atomic_t initialized, terminated, jobs_done;

static void *custom_init(void *data)
{
	struct custom *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return ERR_PTR(-ENOMEM);
	c->task = current;
	atomic_inc(&initialized);
	return c;
}

static void custom_terminate(void *data, void *worker_data)
{
	struct custom *c = worker_data;

	KT_EXPECT(c->task == current);
	atomic_add(c->done, &jobs_done);
	atomic_inc(&terminated);
	kfree(c);
}

static int custom_job(void *arg)
{
	struct custom *c = kpool_worker_data();

	KT_EXPECT(c && c->task == current);
	c->done++;
	return twice(arg);
}

static const struct kpool_attrs custom_attrs = {
	.worker_init = custom_init,
	.worker_exit = custom_terminate,
};

/* A timeout while the worker is not ready: the job must never be started. */
static void timeout_in_ready_phase(struct kpool *pool)
{
	struct patient p = { };

	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_call_timeout(pool, until_abandoned, &p,
					release_patient, msecs_to_jiffies(1),
					NULL), -ETIMEDOUT);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(atomic_read(&p.released)));
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&p.started), 0);
	KT_EXPECT_EQ(atomic_read(&p.released), 1);
}

/* A timeout while the job runs, which is then interrupted. */
static void timeout_in_process_phase(struct kpool *pool)
{
	struct patient p = { };

	KT_EXPECT_EQ(kpool_call_timeout(pool, until_abandoned, &p,
					release_patient,
					msecs_to_jiffies(kt_ms(1, 50)), NULL),
		     -ETIMEDOUT);
	KT_EXPECT(kt_wait(atomic_read(&p.released)));
	KT_EXPECT_EQ(atomic_read(&p.interrupted), atomic_read(&p.started));
	if (kt_exact)
		KT_EXPECT_EQ(atomic_read(&p.started), 1);
}

/*
 * TestCustomWorker: one worker with data; a timeout before it is ready, one
 * while it works, a success, and the end of the worker.
 * Fails if a call that timed out while queued starts later, or if the worker is
 * lost to an abandoned job.  Also fails if its data is not its own, or is not
 * freed once.
 */
static void custom_worker_survives_timeouts(void)
{
	struct kpool *pool;

	atomic_set(&initialized, 0);
	atomic_set(&terminated, 0);
	atomic_set(&jobs_done, 0);
	pool = worker_set(1, &custom_attrs);
	if (!pool)
		return;
	KT_EXPECT_EQ(atomic_read(&initialized), 1);
	timeout_in_ready_phase(pool);
	timeout_in_process_phase(pool);
	process_one(pool, custom_job);
	KT_EXPECT_EQ(atomic_read(&terminated), 0);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 1);
	kt_pool_end(pool);
	KT_EXPECT_EQ(atomic_read(&terminated), 1);
	KT_EXPECT_EQ(atomic_read(&jobs_done), 1);
}

static int call_custom_jobs(void *arg)
{
	int i;

	for (i = 0; i < 100; i++)
		process_one(arg, custom_job);
	return 0;
}

/*
 * The load of its benchmark: ten workers, each with data, and ten callers.
 * Fails if two workers share data, or if a result reaches the wrong caller.
 */
static void benchmark_of_ten_workers_runs_every_job(void)
{
	struct kt_thread callers[PARALLEL] = { };
	struct kpool *pool;
	int i;

	atomic_set(&initialized, 0);
	atomic_set(&terminated, 0);
	atomic_set(&jobs_done, 0);
	pool = worker_set(PARALLEL, &custom_attrs);
	if (!pool)
		return;
	for (i = 0; i < PARALLEL; i++)
		kt_thread_start(&callers[i], call_custom_jobs, pool);
	for (i = 0; i < PARALLEL; i++)
		kt_thread_join(&callers[i]);
	kt_pool_end(pool);
	KT_EXPECT_EQ(atomic_read(&initialized), PARALLEL);
	KT_EXPECT_EQ(atomic_read(&terminated), PARALLEL);
	KT_EXPECT_EQ(atomic_read(&jobs_done), PARALLEL * 100);
}

static int call_gate(void *arg)
{
	return kpool_call(parallel_pool, kt_gate_pass, arg, NULL);
}

/*
 * QueueLength counts callers that wait and callers that are served.
 * Fails if a call that waits or runs is in none of the counters, or in two.
 */
static void queue_length_counts_waiting_and_running(void)
{
	struct kt_thread callers[3] = { };
	struct kt_gate gate;
	int i;

	kt_gate_init(&gate);
	parallel_pool = worker_set(1, NULL);
	if (!parallel_pool)
		return;
	for (i = 0; i < 3; i++)
		kt_thread_start(&callers[i], call_gate, &gate);
	KT_EXPECT(kt_wait(queue_length(parallel_pool) == 3 &&
			  kt_stat(parallel_pool, running) == 1));
	for (i = 2; i >= 0; i--) {
		kt_gate_let_one(&gate);
		KT_EXPECT(kt_wait(queue_length(parallel_pool) == i));
	}
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kt_thread_join(&callers[i]), 0);
	kt_pool_end(parallel_pool);
}

/* The payload of a request, and its reply. */
struct request {
	const char	*input;
	u32		digest;
};

static int process(void *arg)
{
	struct request *r = arg;

	r->digest = jhash(r->input, strlen(r->input), 0);
	return 0;
}

static struct request request = { .input = "a body that was posted" };

/*
 * The README's two examples: a worker for each processor computes something of
 * a request's body, plainly, and within five seconds.
 * Fails if the caller does not see what the job stored.
 */
static void example_processes_a_payload(int timed)
{
	struct kpool *pool = worker_set(num_online_cpus(), NULL);
	struct request *r = &request;
	int ret;

	if (!pool)
		return;
	r->digest = 0;
	ret = timed ? kpool_call_timeout(pool, process, r, NULL,
					 limit_ms(5000), NULL) :
		      kpool_call(pool, process, r, NULL);
	KT_EXPECT_EQ(ret, 0);
	KT_EXPECT_EQ(r->digest, jhash(r->input, strlen(r->input), 0));
	kt_pool_end(pool);
}

KT_MODULE("Selftests of kpool: the scenarios of tunny",
	  KT_CASE(size_is_adjusted),
	  KT_CASE(shrinking_waits_by_flush),
	  KT_CASE(error_of_a_job_reaches_its_caller),
	  KT_EACH(job_returns_twice_its_payload, job_ways),
	  KT_CASE(callback_is_called_ten_times),
	  KT_CASE(timeout_interrupts_the_job),
	  KT_CASE(job_after_close_is_refused),
	  KT_CASE(ten_jobs_meet),
	  KT_CASE(custom_worker_survives_timeouts),
	  KT_CASE(benchmark_of_ten_workers_runs_every_job),
	  KT_CASE(queue_length_counts_waiting_and_running),
	  KT_EACH(example_processes_a_payload, job_ways));
