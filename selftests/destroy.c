// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of a pool: destroy, and callers that are blocked or running then.
 */
#include "full.h"

static int destroy_main(void *arg)
{
	return kpool_destroy(arg);
}

#define SLEEPERS	8

/*
 * Have blocked submitters when destroy is called; @end_now: let the last item
 * end too.
 */
static void destroy_with_sleepers(bool end_now)
{
	static const struct kpool_attrs one = { .capacity = 1 };
	static struct kt_submitter s[SLEEPERS];
	static struct kt_job late[SLEEPERS];
	static struct full f;
	struct kt_thread t;
	int i, ret, accepted = 0;

	if (!full_make(&f, &one))
		return;
	for (i = 0; i < SLEEPERS; i++) {
		kt_job_init(&late[i], kt_job_tiny, &f.gate, i);
		kt_submitter_block(&s[i], f.pool, &late[i].item);
	}
	kt_thread_start(&t, destroy_main, f.pool);
	if (end_now)
		kt_gate_open(&f.gate);
	for (i = 0; i < SLEEPERS; i++) {
		ret = kt_thread_join(&s[i].thread);
		/* the last item can end before destroy begins */
		KT_EXPECT(ret == -ESHUTDOWN || (end_now && ret == 0));
		accepted += !ret;
	}
	if (!end_now)
		KT_EXPECT(!kt_thread_done(&t));
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 1 + accepted);
}

/*
 * Submitters blocked when the pool is destroyed get -ESHUTDOWN at once, while
 * accepted items still run, and the pool's memory outlives their return.
 * Fails if destroy waits with that until the last item, or (KASAN) frees the
 * pool before a blocked submitter has left it.
 */
static void destroy_refuses_blocked_submitters(void)
{
	int round;

	for (round = 0; round < 20; round++)
		destroy_with_sleepers(round % 2);
}

/*
 * A pool is shut down with interrupts off, so that the last of many submitters
 * asleep are failed later.  They are, also if it is reopened first.
 * Fails (accepted) if reopen does not wait for them: mutant
 * reopen-keeps-submitters.
 */
static void reopen_waits_for_blocked_submitters(void)
{
	static const struct kpool_attrs one = { .capacity = 1 };
	static struct kt_submitter s[2 * SLEEPERS];
	static struct kt_job jobs[2 * SLEEPERS];
	static struct kt_gate gate;
	struct kpool *pool = kt_pool("reopened", &one);
	bool cancelled;
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	for (i = 0; i < ARRAY_SIZE(jobs); i++)
		kt_job_init(&jobs[i], kt_job_tiny, &gate, i);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &jobs[0].item), 0);
	for (i = 1; i < ARRAY_SIZE(jobs); i++)
		kt_submitter_block(&s[i], pool, &jobs[i].item);
	local_irq_disable();
	kpool_shutdown(pool);
	/* unless this CPU stands still, and a worker on another has come */
	cancelled = kpool_cancel(&jobs[0].item);
	local_irq_enable();
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	for (i = 1; i < ARRAY_SIZE(jobs); i++)
		KT_EXPECT_EQ(kt_thread_join(&s[i].thread), -ESHUTDOWN);
	KT_EXPECT_EQ(atomic_read(&gate.finished), !cancelled);
	kt_pool_end(pool);
}

/*
 * An accepted item runs before destroy returns, though no thread has been made
 * to run it.
 * Fails if destroy drops what is pending, or the last submission is missed.
 */
static void destroy_runs_accepted_items(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	static struct kt_job jobs[16];
	static struct kt_gate gate;
	struct kpool *pool;
	int i, round;

	for (round = 0; round < 30; round++) {
		pool = kt_pool("ending", &attrs);
		if (!pool)
			return;
		kt_gate_init(&gate);
		for (i = 0; i < 16; i++)
			kt_job_init(&jobs[i], kt_job_tiny, &gate, i);
		if (kt_submit_jobs(pool, jobs, round % 17))
			KT_EXPECT_EQ(kpool_destroy(pool), 0);
		KT_EXPECT_EQ(atomic_read(&gate.finished), round % 17);
	}
}

static struct task_struct *worker;

static int job_shows_worker(struct kpool_item *item)
{
	worker = get_task_struct(current);
	return kt_job_tiny(item);
}

/*
 * When destroy has returned, the pool's thread has ended.
 * Fails if destroy waits for items and not for the threads themselves.
 */
static void destroy_waits_for_the_threads(void)
{
	static struct kt_gate gate;
	static struct kt_job job;
	struct kpool *pool = kt_pool("threads", NULL);

	if (!pool)
		return;
	kt_gate_init(&gate);
	kt_job_init(&job, job_shows_worker, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	KT_EXPECT_EQ(kpool_destroy(pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	if (atomic_read(&gate.finished)) {
		KT_EXPECT(worker->flags & PF_EXITING);
		put_task_struct(worker);
	}
}

/* A thread among the first users of the default pool. */
struct first_user {
	struct kt_thread	thread;
	struct kt_gate		*gate;
	struct kpool		*pool;
};

static int first_user_main(void *arg)
{
	struct first_user *user = arg;

	kt_gate_pass(user->gate);
	user->pool = kpool_default();
	return 0;
}

/* Eight threads use the default pool first; they must get the same. */
static struct kpool *default_by_eight(void)
{
	static struct first_user user[8];
	static struct kt_gate gate;
	int i;

	kt_gate_init(&gate);
	for (i = 0; i < 8; i++) {
		user[i].gate = &gate;
		kt_thread_start(&user[i].thread, first_user_main, &user[i]);
	}
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 8));
	kt_gate_open(&gate);
	for (i = 0; i < 8; i++) {
		KT_EXPECT_EQ(kt_thread_join(&user[i].thread), 0);
		KT_EXPECT_EQ((long)user[i].pool, (long)user[0].pool);
	}
	return user[0].pool;
}

/*
 * The default pool is one, made on first use, works, and cannot be destroyed.
 * Fails if two first users get two (mutant default-made-twice), or it does not
 * come back by reopen.
 */
static void default_pool_is_one(void)
{
	static struct kt_gate gate;
	static struct kt_job job;
	struct kpool *pool = default_by_eight();

	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), 0))
		return;
	KT_EXPECT_EQ(kpool_destroy(pool), -EINVAL);
	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_tiny, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	/* mutant reopen-of-an-open-pool-is-1 */
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	kt_check_identities(pool);
}

/* Make pools, use them and destroy them, while others look at them. */
static void pools_are_created_and_destroyed(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	static struct kt_job jobs[8];
	static struct kt_gate gate;
	struct kpool *pool;
	int i, round;

	for (round = 0; round < kt_count(120); round++) {
		pool = kt_pool("fleeting", &attrs);
		if (!pool)
			return;
		kt_gate_init(&gate);
		for (i = 0; i < 8; i++)
			kt_job_init(&jobs[i], kt_job_tiny, &gate, i);
		kt_submit_jobs(pool, jobs, 8);
		if (round % 2)
			KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT_EQ(kpool_destroy(pool), 0);
		KT_EXPECT_EQ(atomic_read(&gate.finished), 8);
	}
}

static struct kpool *unused;
static struct kpool_job delayed;

static int never_runs(struct kpool_item *item)
{
	KT_EXPECT(false);
	return 0;
}

/* The drop work is pending when the pool is destroyed, with nothing to do. */
static void destroys(struct work_struct *work)
{
	KT_EXPECT_EQ(kpool_submit_delayed(unused, &delayed, 1000 * HZ), 0);
	sched_set_fifo(current);
	kpool_shutdown(unused);
	kpool_cancel(&delayed.item);
	KT_EXPECT_EQ(kpool_destroy(unused), 0);
	sched_set_normal(current, 0);
}

/*
 * Fails (the kernel complains of a flush) if destroy flushes the drop work,
 * which makes no progress without memory.
 */
static void workqueue_for_reclaim_may_destroy(void)
{
	struct workqueue_struct *wq =
		alloc_workqueue("reclaim", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	struct work_struct work;

	unused = kt_pool("unused", NULL);
	if (!KT_EXPECT(wq) || !unused)
		goto out;
	kpool_init_job(&delayed, never_runs);
	INIT_WORK_ONSTACK(&work, destroys);
	queue_work(wq, &work);
	flush_work(&work);
	destroy_work_on_stack(&work);
out:
	if (wq)
		destroy_workqueue(wq);
}

KT_MODULE("kpool selftest: the end of a pool",
	  KT_CASE(destroy_refuses_blocked_submitters),
	  KT_CASE(reopen_waits_for_blocked_submitters),
	  KT_CASE(destroy_runs_accepted_items),
	  KT_CASE(destroy_waits_for_the_threads),
	  KT_CASE(workqueue_for_reclaim_may_destroy),
	  KT_CASE(default_pool_is_one),
	  KT_CASE(pools_are_created_and_destroyed));
