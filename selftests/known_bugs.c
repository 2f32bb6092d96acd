// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bugs that pools of this kind have had, each as a scenario.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/preempt.h>

#include "threads.h"

/*
 * How many threads of the pool are there, by their name?  One that exits has
 * left the pool's code, and stays listed for a moment.
 */
static int threads_of(const char *pool)
{
	char name[TASK_COMM_LEN];

	snprintf(name, sizeof(name), "kpool/%s", pool);
	return threads_named(name);
}

/* Wake every thread of the pool, which no user of kthreads should do. */
static void wake_threads_of(const char *pool)
{
	char name[TASK_COMM_LEN];
	struct task_struct *task;

	snprintf(name, sizeof(name), "kpool/%s", pool);
	rcu_read_lock();
	for_each_process(task)
		if (!strncmp(task->comm, name, sizeof(name) - 1))
			wake_up_process(task);
	rcu_read_unlock();
}

/*
 * A worker that another thread wakes was not woken for an item: it stays idle,
 * and is there when it is needed.
 * Fails if a wake-up is taken for work: mutant spurious-wakeup.
 */
static void spuriously_woken_worker_stays_idle(void)
{
	struct kpool_attrs attrs = {
		.capacity = 4, .min_workers = 4, .flags = KPOOL_PREALLOC,
	};
	struct kpool *pool = kt_pool("woken", &attrs);
	struct kt_job *jobs;
	struct kt_gate gate;
	int i;

	kt_gate_init(&gate);
	jobs = kt_jobs(4, kt_job_gated, &gate);
	if (!pool || !jobs)
		goto out;
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 4));
	for (i = 0; i < 10; i++) {
		wake_threads_of("woken");
		kt_sleep_ms(2);
		KT_EXPECT_EQ(kt_stat(pool, idle), 4);
	}
	kt_submit_jobs(pool, jobs, 4);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 4));
	KT_EXPECT_EQ(kt_stat(pool, spawned), 4);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * Shutdown with eight callers blocked refuses them all although the only worker
 * does not end (ants 141, 202).
 * Fails if shutdown waits for a worker before it wakes them.
 */
static void shutdown_wakes_blocked_callers(void)
{
	struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = kt_pool("known_bugs", &attrs);
	struct kt_submitter blocked[8] = { };
	struct kt_job *jobs;
	struct kt_gate gate;
	int i;

	kt_gate_init(&gate);
	jobs = kt_jobs(9, kt_job_gated, &gate);
	if (!pool || !jobs || !kt_submit_jobs(pool, jobs, 1))
		goto out;
	for (i = 0; i < 8; i++)
		if (!kt_submitter_block(&blocked[i], pool, &jobs[1 + i].item))
			break;
	kpool_shutdown(pool);
	for (i = 0; i < 8; i++)
		KT_EXPECT_EQ(kt_thread_join(&blocked[i].thread), -ESHUTDOWN);
	/* its thread can still be made */
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
	KT_EXPECT_EQ(kt_stat(pool, submitted), 1);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), 0);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * A pool that is opened again at once: callers that were blocked in the closed
 * one are refused all the same, however many there are.
 * Fails if those beyond the first sleep on, and get in: mutant
 * reopen-before-submitters-left.
 */
static void reopen_admits_no_blocked_caller(void)
{
	struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = kt_pool("known_bugs", &attrs);
	static struct kt_submitter blocked[12];
	struct kt_job *jobs;
	struct kt_gate gate;
	int i, err;

	memset(blocked, 0, sizeof(blocked));
	kt_gate_init(&gate);
	jobs = kt_jobs(13, kt_job_tiny, &gate);
	if (!pool || !jobs || !KT_EXPECT_EQ(kpool_pause(pool), 0) ||
	    !kt_submit_jobs(pool, jobs, 1))
		goto out;
	for (i = 0; i < 12; i++)
		if (!kt_submitter_block(&blocked[i], pool, &jobs[1 + i].item))
			break;
	/* with one CPU, nothing comes between these */
	sched_set_fifo(current);
	local_irq_disable();
	kpool_shutdown(pool);
	kpool_cancel(&jobs[0].item);
	local_irq_enable();
	err = kpool_reopen(pool);
	sched_set_normal(current, 0);
	KT_EXPECT_EQ(err, 0);
	for (i = 0; i < 12; i++)
		KT_EXPECT_EQ(kt_thread_join(&blocked[i].thread), -ESHUTDOWN);
	KT_EXPECT_EQ(kt_stat(pool, submitted), 1);
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

/* A load: threads that submit one job each, over and over, until stopped. */
struct load {
	struct kpool	*pool;
	bool		stop;
	spinlock_t	lock;		/* of the two below */
	int		inside;		/* items in their function */
	int		most;		/* the most that ever were */
	atomic_t	accepted;
	atomic_t	refused;
	atomic_t	ran;
};

struct load_thread {
	struct kt_thread	thread;
	struct kpool_item	item;
	struct load		*load;
};

static void load_init(struct load *load, struct kpool *pool)
{
	memset(load, 0, sizeof(*load));
	spin_lock_init(&load->lock);
	load->pool = pool;
}

static void load_enter(struct load *load)
{
	spin_lock(&load->lock);
	load->most = max(load->most, ++load->inside);
	spin_unlock(&load->lock);
}

static void load_leave(struct load *load)
{
	spin_lock(&load->lock);
	load->inside--;
	spin_unlock(&load->lock);
}

static int load_most(struct load *load)
{
	int most;

	spin_lock(&load->lock);
	most = load->most;
	spin_unlock(&load->lock);
	return most;
}

/* The most from here on: are there so few? */
static bool load_begins_anew(struct load *load, int limit)
{
	bool few;

	spin_lock(&load->lock);
	few = load->inside <= limit;
	if (few)
		load->most = load->inside;
	spin_unlock(&load->lock);
	return few;
}

static int load_item(struct kpool_item *item)
{
	struct load *load = container_of(item, struct load_thread, item)->load;

	load_enter(load);
	usleep_range(20, 100);
	load_leave(load);
	atomic_inc(&load->ran);
	return 0;
}

static int load_main(void *arg)
{
	struct load_thread *t = arg;
	int ret;

	while (!READ_ONCE(t->load->stop)) {
		ret = kpool_submit(t->load->pool, &t->item);
		if (!ret)
			atomic_inc(&t->load->accepted);
		else if (ret == -EAGAIN)
			atomic_inc(&t->load->refused);
		else
			KT_EXPECT_EQ(ret, -EALREADY);
		if (ret)
			usleep_range(20, 50);
	}
	return 0;
}

static void load_start(struct load *load, struct load_thread *t, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		t[i].load = load;
		kpool_init_item(&t[i].item, load_item);
		kt_thread_start(&t[i].thread, load_main, &t[i]);
	}
}

static void load_stop(struct load *load, struct load_thread *t, int n)
{
	int i;

	WRITE_ONCE(load->stop, true);
	for (i = 0; i < n; i++)
		KT_EXPECT_EQ(kt_thread_join(&t[i].thread), 0);
	KT_EXPECT_EQ(kpool_flush(load->pool), 0);
	KT_EXPECT_EQ(atomic_read(&load->ran), atomic_read(&load->accepted));
}

/* For a while, no more can be seen to run or live, by the pool or by itself. */
static void watch_load(struct load *load, int running, int alive)
{
	int i, ran = atomic_read(&load->ran);

	for (i = 0; i < 20; i++) {
		KT_EXPECT_LE(kt_stat(load->pool, running), running);
		KT_EXPECT_LE(kt_stat(load->pool, alive), alive);
		usleep_range(50, 100);
	}
	KT_EXPECT(kt_wait(atomic_read(&load->ran) > ran + 20));
	KT_EXPECT_LE(load_most(load), running);
}

/*
 * Tune, and once as few run as @new allows, watch that @most live.  A thread
 * that was being made when the capacity shrank comes to life, finds itself
 * surplus, and goes.  It does so even after others have gone in its place.
 */
static void watch_tune(struct load *load, int most, int new)
{
	KT_EXPECT_EQ(kpool_tune(load->pool, KPOOL_TUNE_CAPACITY, new), 0);
	KT_EXPECT(kt_wait(kt_stat(load->pool, running) <= new &&
			  load_begins_anew(load, new)));
	watch_load(load, new, most);
	KT_EXPECT(kt_wait(kt_stat(load->pool, alive) <= new));
}

/*
 * Twelve submitters and a capacity that goes up and down.  Never do more run
 * than the capacity in force, and never are there more threads (ants 26, 154,
 * 374).
 * Fails if threads are made beyond capacity, or if a surplus one takes another
 * item.
 */
static void running_never_exceeds_capacity(void)
{
	static const int capacities[] = { 1, 8, 3, 2, 7, 1, 5, 4 };
	struct kpool_attrs attrs = { .capacity = 4, .expiry_ms = 1 };
	struct kpool *pool = kt_pool("known_bugs", &attrs);
	struct load_thread *t = kcalloc(12, sizeof(*t), GFP_KERNEL);
	int i, new, old = 4, older = 4;
	struct load load;

	if (!pool || !KT_EXPECT(t))
		goto out;
	load_init(&load, pool);
	load_start(&load, t, 12);
	watch_load(&load, 4, 4);
	for (i = 0; i < 4 * ARRAY_SIZE(capacities); i++) {
		new = capacities[i % ARRAY_SIZE(capacities)];
		watch_tune(&load, max3(older, old, new), new);
		older = old;
		old = new;
	}
	load_stop(&load, t, 12);
out:
	kt_pool_end(pool);
	kfree(t);
}

/*
 * A worker that ends its item while its pool is being shut down ends with it,
 * however the two meet (ants 113).
 * Fails if a worker goes to the idle list of a pool already closed.
 */
static void shutdown_races_with_return(void)
{
	struct kpool_attrs attrs = { .capacity = 4, .expiry_ms = KPOOL_NO_PURGE };
	struct kpool *pool = kt_pool("known_bugs", &attrs);
	struct kt_job *jobs;
	struct kt_gate count;
	int i;

	kt_gate_init(&count);
	jobs = kt_jobs(4, kt_job_tiny, &count);
	if (!pool || !jobs)
		goto out;
	for (i = 0; i < 300; i++) {
		if (!kt_submit_jobs(pool, jobs, 4))
			break;
		if (i % 3)
			udelay(i);
		KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
		KT_EXPECT_EQ(kt_stat(pool, alive), 0);
		KT_EXPECT_EQ(atomic_read(&count.finished), 4 * (i + 1));
		if (!KT_EXPECT_EQ(kpool_reopen(pool), 0))
			break;
	}
	KT_EXPECT_EQ(kt_stat(pool, spawned), kt_stat(pool, retired));
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * When shutdown has returned 0 the pool has no thread left, and with its expiry
 * long past none is created again (ants 212, 323).
 * Fails if shutdown counts workers as gone that still run, or if the reap work
 * or the spawn work of a closed pool goes on.
 */
static void no_thread_is_left_after_shutdown(void)
{
	struct kpool_attrs attrs = {
		.capacity = 8,
		.min_workers = 2,
		.expiry_ms = 20,
		.flags = KPOOL_PREALLOC,
	};
	struct kpool *pool = kt_pool("afterlife", &attrs);
	struct kt_job *jobs;
	struct kt_gate gate;
	u64 spawned;

	kt_gate_init(&gate);
	jobs = kt_jobs(8, kt_job_gated, &gate);
	if (!pool || !jobs || !kt_submit_jobs(pool, jobs, 8))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 8));
	KT_EXPECT_EQ(threads_of("afterlife"), 8);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(threads_of("afterlife"), 0);
	spawned = kt_stat(pool, spawned);
	kt_sleep_ms(100);
	KT_EXPECT_EQ(threads_of("afterlife"), 0);
	KT_EXPECT_EQ(kt_stat(pool, spawned), spawned);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * Reopen of a pool that makes its workers beforehand makes them again, once,
 * however often (ants 358).
 * Fails if reopen forgets PREALLOC, or adds to what is there.
 */
static void prealloc_survives_reopen(void)
{
	struct kpool_attrs attrs = {
		.capacity = 6,
		.min_workers = 5,
		.flags = KPOOL_PREALLOC,
	};
	struct kpool *pool = kt_pool("known_bugs", &attrs);
	struct kt_gate count;
	struct kt_job *jobs;
	int i;

	kt_gate_init(&count);
	jobs = kt_jobs(20, kt_job_tiny, &count);
	if (!pool || !jobs)
		goto out;
	for (i = 0; i < 50; i++) {
		KT_EXPECT_EQ(kpool_reopen(pool), 0);
		KT_EXPECT_EQ(kt_stat(pool, alive), 5);
		if (i % 2)
			kt_submit_jobs(pool, jobs, 20);
		KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
		KT_EXPECT_EQ(kt_stat(pool, alive), 0);
		KT_EXPECT_EQ(kpool_reopen(pool), 0);
	}
	KT_EXPECT_EQ(atomic_read(&count.finished), 25 * 20);
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

/* Submit with pauses around the pool's expiry of 1 ms. */
static int purge_race_main(void *arg)
{
	struct load_thread *t = arg;
	int i, ret;

	for (i = 0; i < 100; i++) {
		ret = kpool_submit(t->load->pool, &t->item);
		if (!KT_EXPECT_EQ(ret, 0))
			break;
		atomic_inc(&t->load->accepted);
		KT_EXPECT_EQ(kpool_flush_item(&t->item), 0);
		usleep_range(500 + 100 * i, 510 + 100 * i);
	}
	return 0;
}

/*
 * The only worker expires whenever a caller comes: the caller is admitted all
 * the same, by it or by the next (ants 272).
 * Fails if the reap work takes a worker to which an item was given, or if its
 * end does not admit waiters for its unit.
 */
static void caller_is_admitted_when_the_last_worker_expires(void)
{
	struct kpool_attrs attrs = { .capacity = 1, .expiry_ms = 1 };
	struct kpool *pool = kt_pool("known_bugs", &attrs);
	struct load_thread *t = kcalloc(3, sizeof(*t), GFP_KERNEL);
	struct load load;
	int i;

	if (!pool || !KT_EXPECT(t))
		goto out;
	load_init(&load, pool);
	for (i = 0; i < 3; i++) {
		t[i].load = &load;
		kpool_init_item(&t[i].item, load_item);
		kt_thread_start(&t[i].thread, purge_race_main, &t[i]);
	}
	load_stop(&load, t, 3);
	KT_EXPECT_EQ(atomic_read(&load.ran), 300);
	KT_EXPECT_EQ(load_most(&load), 1);
	KT_EXPECT(kt_wait(kt_stat(pool, alive) == 0));
	KT_EXPECT_GE(kt_stat(pool, purged), 1);
out:
	kt_pool_end(pool);
	kfree(t);
}

/*
 * A pool that was overloaded takes work again as soon as it is drained, as
 * often as one likes (ants 239).
 * Fails if a refusal or a racing return leaks a unit or a waiter's place.
 */
static void overload_clears(void)
{
	struct kpool_attrs attrs = { .capacity = 2, .nonblocking = 1 };
	struct kpool *pool = kt_pool("known_bugs", &attrs);
	struct load_thread *t = kcalloc(6, sizeof(*t), GFP_KERNEL);
	struct kt_job *jobs;
	struct kt_gate count;
	struct load load;
	int i;

	kt_gate_init(&count);
	jobs = kt_jobs(2, kt_job_tiny, &count);
	if (!pool || !jobs || !KT_EXPECT(t))
		goto out;
	for (i = 0; i < 20; i++) {
		load_init(&load, pool);
		load_start(&load, t, 6);
		KT_EXPECT(kt_wait(atomic_read(&load.refused) > 20));
		KT_EXPECT(kt_wait(atomic_read(&load.accepted) > 20));
		load_stop(&load, t, 6);
		kt_submit_jobs(pool, jobs, 2);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT_EQ(atomic_read(&count.finished), 2 * (i + 1));
	}
out:
	kt_pool_end(pool);
	kvfree(jobs);
	kfree(t);
}

/* Threads that all cancel the same item. */
struct canceller {
	struct kt_thread	thread;
	struct kpool_item	*item;
	atomic_t		*hits;
	bool			*stop;
	bool			wait;
};

static int canceller_main(void *arg)
{
	struct canceller *c = arg;

	while (!READ_ONCE(*c->stop)) {
		if (c->wait)
			atomic_add(kpool_cancel_sync(c->item), c->hits);
		else
			atomic_add(kpool_cancel(c->item), c->hits);
		usleep_range(5, 20);
	}
	return 0;
}

/* Submit until one in @n was accepted; count what cancel_sync refused. */
static int submit_under_cancel(struct kpool *pool, struct kpool_item *item,
			       int n)
{
	int accepted = 0, ret, tries;

	for (tries = 0; accepted < n && tries < 1000 * n; tries++) {
		ret = kpool_submit(pool, item);
		if (!ret)
			accepted++;
		else if (ret != -ECANCELED)
			KT_EXPECT_EQ(ret, -EALREADY);
		usleep_range(1, 10);
	}
	return accepted;
}

/*
 * Four threads cancel one item at once while a fifth submits it.  Each
 * submission is either run or claimed by exactly one of them (go-playground 9,
 * 14).
 * Fails if two cancels of one submission both succeed, or one hangs.
 */
static void racing_cancels_claim_once(void)
{
	struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 4 };
	struct kpool *pool = kt_pool("known_bugs", &attrs);
	struct canceller c[4] = { };
	int i, n = kt_count(2000), accepted;
	struct kt_gate count;
	struct kt_job job;
	bool stop = false;
	atomic_t hits;

	if (!pool)
		return;
	kt_gate_init(&count);
	atomic_set(&hits, 0);
	kpool_init_item_onstack(&job.item, kt_job_tiny);
	job.gate = &count;
	for (i = 0; i < 4; i++) {
		c[i] = (struct canceller) {
			.item = &job.item, .hits = &hits, .stop = &stop,
			.wait = i % 2,
		};
		kt_thread_start(&c[i].thread, canceller_main, &c[i]);
	}
	accepted = submit_under_cancel(pool, &job.item, n);
	WRITE_ONCE(stop, true);
	for (i = 0; i < 4; i++)
		kt_thread_join(&c[i].thread);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_cancel_sync(&job.item), 0);
	KT_EXPECT_EQ(accepted, n);
	KT_EXPECT_EQ(kt_stat(pool, submitted), accepted);
	KT_EXPECT_EQ(kt_stat(pool, cancelled), atomic_read(&hits));
	KT_EXPECT_EQ(atomic_read(&count.finished) + atomic_read(&hits), accepted);
	kpool_destroy_item_onstack(&job.item);
	kt_pool_end(pool);
}

/*
 * A second cancel of the same submission finds nothing, in an idle item too.
 * Fails if cancel looks at a mark that the first one leaves behind.
 */
static void second_cancel_finds_nothing(void)
{
	struct kpool_attrs attrs = {
		.capacity = 1,
		.queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = kt_pool("known_bugs", &attrs);
	struct kt_gate gate;
	struct kt_job *jobs;

	kt_gate_init(&gate);
	jobs = kt_jobs(2, kt_job_gated, &gate);
	if (!pool || !jobs || !kt_submit_jobs(pool, jobs, 2))
		goto out;
	KT_EXPECT(kpool_cancel(&jobs[1].item));
	KT_EXPECT(!kpool_cancel(&jobs[1].item));
	KT_EXPECT_EQ(kpool_cancel_sync(&jobs[1].item), 0);
	KT_EXPECT_EQ(kt_stat(pool, cancelled), 1);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), 0);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

/* Threads that wait for what is queued. */
struct flusher {
	struct kt_thread	thread;
	struct kpool		*pool;
	struct kpool_item	*item;
};

static int flusher_main(void *arg)
{
	struct flusher *f = arg;

	return f->item ? kpool_flush_item(f->item) : kpool_flush(f->pool);
}

/*
 * Abort ends everything that was queued: each owner is notified once, and a
 * thread that waited for an item returns (pond 61, 138).
 * Fails if abort forgets items, notifies an owner twice, or wakes no waiter.
 */
static void abort_drops_queued_items(void)
{
	struct kpool_attrs attrs = {
		.capacity = 1,
		.queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = kt_pool("known_bugs", &attrs);
	struct flusher item = { .pool = pool }, all = { .pool = pool };
	struct kt_job *jobs;
	struct kt_gate gate;

	kt_gate_init(&gate);
	jobs = kt_jobs(101, kt_job_gated, &gate);
	if (!pool || !jobs || !kt_submit_jobs(pool, jobs, 101))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	item.item = &jobs[50].item;
	kt_thread_start(&item.thread, flusher_main, &item);
	kt_thread_start(&all.thread, flusher_main, &all);
	kt_sleep_ms(20);
	KT_EXPECT(!kt_thread_done(&item.thread));
	KT_EXPECT_EQ(kpool_abort(pool), 100);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), 100);
	KT_EXPECT_EQ(atomic_read(&gate.dropped_err), -ECANCELED);
	KT_EXPECT_EQ(kt_stat(pool, dropped), 100);
	KT_EXPECT_EQ(kt_thread_join(&item.thread), 0);
	KT_EXPECT(!kt_thread_done(&all.thread));
out:
	kt_gate_open(&gate);
	kt_thread_join(&all.thread);
	kt_thread_join(&item.thread);
	kt_pool_end(pool);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	kvfree(jobs);
}

/*
 * Shutdown ends everything that was queued by running it.
 * Fails if the last worker leaves a closed pool whose queue is not empty.
 */
static void shutdown_runs_queued_items(void)
{
	struct kpool_attrs attrs = {
		.capacity = 2,
		.queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = kt_pool("known_bugs", &attrs);
	struct kt_job *jobs;
	struct kt_gate gate;

	kt_gate_init(&gate);
	jobs = kt_jobs(100, kt_job_gated, &gate);
	if (!pool || !jobs || !kt_submit_jobs(pool, jobs, 100))
		goto out;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	kpool_shutdown(pool);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, 1), -ETIMEDOUT);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 100);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), 0);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

/* Threads that meet before each round, and then close and open one pool. */
#define TURMOIL_THREADS	4

static struct {
	struct kpool	*pool;
	struct kt_gate	count;
	atomic_t	met;
	bool		stop;
} turmoil;

/* Leave together, so that the next wakes no thread that sleeps for ever. */
static bool turmoil_meet(int round)
{
	int all = TURMOIL_THREADS * round, tries;

	atomic_inc(&turmoil.met);
	for (tries = 0; tries < 1000; tries++) {
		if (atomic_read(&turmoil.met) >= all)
			return true;
		cond_resched();
	}
	if (!KT_EXPECT(kt_wait(atomic_read(&turmoil.met) >= all ||
			       READ_ONCE(turmoil.stop))))
		WRITE_ONCE(turmoil.stop, true);
	return !READ_ONCE(turmoil.stop);
}

static void turmoil_step(u32 rnd, struct kpool_item *item)
{
	int err;

	switch (rnd % 8) {
	case 0 ... 2:
		KT_EXPECT_EQ(kpool_shutdown_timeout(turmoil.pool,
						    MAX_SCHEDULE_TIMEOUT), 0);
		break;
	case 3 ... 5:
		err = kpool_reopen(turmoil.pool);
		KT_EXPECT(!err || err == -EBUSY);
		break;
	case 6:
		kpool_shutdown(turmoil.pool);
		break;
	default:
		err = kpool_submit(turmoil.pool, item);
		KT_EXPECT(!err || err == -ESHUTDOWN || err == -EALREADY);
	}
}

static int turmoil_main(void *arg)
{
	u32 rnd = (long)arg;
	int round, rounds = kt_count(5000);
	struct kt_job job;

	kpool_init_item_onstack(&job.item, kt_job_tiny);
	job.gate = &turmoil.count;
	for (round = 1; turmoil_meet(round) && round <= rounds; round++) {
		rnd = rnd * 1664525 + 1013904223;
		turmoil_step(rnd >> 16, &job.item);
	}
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	kpool_destroy_item_onstack(&job.item);
	return 0;
}

/*
 * Threads that shut down, wait and reopen, all at once.  The one that closed
 * the pool and waits returns, though another opens it during the wait.
 * Fails (a meeting that not all come to) if closing and beginning to wait are
 * two steps.  A reopen in between leaves one that waits for an open pool's end.
 */
static void concurrent_shutdown_and_reopen_do_not_hang(void)
{
	struct kpool_attrs attrs = { .capacity = 2 };
	struct kt_thread t[TURMOIL_THREADS] = { };
	long i;

	memset(&turmoil, 0, sizeof(turmoil));
	kt_gate_init(&turmoil.count);
	turmoil.pool = kt_pool("turmoil", &attrs);
	if (!turmoil.pool)
		return;
	for (i = 0; i < TURMOIL_THREADS; i++)
		kt_thread_start(&t[i], turmoil_main, (void *)(i * 7919 + 1));
	for (i = 0; i < TURMOIL_THREADS; i++) {
		while (!kt_thread_done(&t[i])) {
			usleep_range(300, 600);
			/* a failure: free a thread that sleeps for ever */
			if (READ_ONCE(turmoil.stop))
				kpool_shutdown(turmoil.pool);
		}
		kt_thread_join(&t[i]);
	}
	kt_pool_end(turmoil.pool);
}

/* An item without end, but for a limit that only a starved thread meets. */
static struct {
	struct kpool		*pool;
	struct kpool_item	item;
	unsigned int		cpu;
	unsigned long		until;
	bool			stop;
	bool			gave_up;
} greedy;

static int greedy_fn(struct kpool_item *item)
{
	if (READ_ONCE(greedy.stop))
		return 0;
	if (time_after(jiffies, greedy.until)) {
		WRITE_ONCE(greedy.gave_up, true);
		return 0;
	}
	return kpool_submit(greedy.pool, item);
}

static int modest_main(void *arg)
{
	int i;

	KT_EXPECT_EQ(set_cpus_allowed_ptr(current, cpumask_of(greedy.cpu)), 0);
	for (i = 0; i < 10; i++)
		usleep_range(1000, 1100);
	KT_EXPECT(!READ_ONCE(greedy.gave_up));
	WRITE_ONCE(greedy.stop, true);
	return 0;
}

/*
 * An item that submits itself without end leaves the CPU to others, also where
 * the kernel does not preempt.
 * Fails there if the worker goes from item to item and never offers to
 * reschedule.
 */
static void endless_item_yields_the_cpu(void)
{
	struct kpool_attrs attrs = { .capacity = 1 };
	struct kt_thread modest = { };

	if (kt_exact) {
		kt_skip("under simulated time code takes no time");
		return;
	}
	memset(&greedy, 0, sizeof(greedy));
	greedy.cpu = cpumask_first(cpu_online_mask);
	attrs.cpumask = cpumask_of(greedy.cpu);
	greedy.pool = kt_pool("greedy", &attrs);
	if (!greedy.pool)
		return;
	greedy.until = jiffies + KT_LIMIT / 2;
	kpool_init_item(&greedy.item, greedy_fn);
	KT_EXPECT_EQ(kpool_submit(greedy.pool, &greedy.item), 0);
	if (kt_thread_start(&modest, modest_main, NULL))
		KT_EXPECT_EQ(kt_thread_join(&modest), 0);
	WRITE_ONCE(greedy.stop, true);
	kt_pool_end(greedy.pool);
}

/* A paused pool of four workers, all idle, and @n jobs in its queue. */
static struct kpool *paused_pool(struct kt_job *jobs, int n)
{
	struct kpool_attrs attrs = {
		.capacity = 8,
		.min_workers = 4,
		.queue_depth = KPOOL_UNLIMITED,
		.flags = KPOOL_PREALLOC,
	};
	struct kpool *pool = kt_pool("paused", &attrs);

	if (!pool)
		return NULL;
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 4));
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	kt_submit_jobs(pool, jobs, n);
	KT_EXPECT_EQ(kt_stat(pool, pending), n);
	return pool;
}

/*
 * Shutdown of a paused pool has the queue run by the workers that are idle,
 * which then exit.
 * Fails if shutdown makes them exit first, and new ones must be made for what
 * is queued.
 */
static void shutdown_uses_the_idle_workers(void)
{
	struct kt_gate count;
	struct kt_job *jobs;
	struct kpool *pool;
	int round;

	for (round = 0; round < 20; round++) {
		kt_gate_init(&count);
		jobs = kt_jobs(3, kt_job_tiny, &count);
		if (!jobs)
			return;
		pool = paused_pool(jobs, 3);
		if (pool) {
			KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
			KT_EXPECT_EQ(atomic_read(&count.finished), 3);
			KT_EXPECT_EQ(kt_stat(pool, spawned), 4);
			KT_EXPECT_EQ(kt_stat(pool, alive), 0);
		}
		kt_pool_end(pool);
		kvfree(jobs);
	}
}

/* Close the pool and take @n jobs back before a worker can look at them. */
static int release_and_cancel(struct kpool *pool, struct kt_job *jobs, int n)
{
	int i, cancelled = 0;

	preempt_disable();
	kpool_shutdown(pool);
	for (i = 0; i < n; i++)
		cancelled += kpool_cancel(&jobs[i].item);
	preempt_enable();
	return cancelled;
}

/*
 * When the queue of a closed pool ends because its items are taken back, the
 * workers that were idle exit as well.
 * Fails (shutdown returns -ETIMEDOUT) if only the end of a run makes them exit.
 */
static void cancel_of_the_last_item_ends_idle_workers(void)
{
	struct kt_gate count;
	struct kt_job *jobs;
	struct kpool *pool;
	int round, cancelled;

	for (round = 0; round < 20; round++) {
		kt_gate_init(&count);
		jobs = kt_jobs(6, kt_job_tiny, &count);
		if (!jobs)
			return;
		pool = paused_pool(jobs, 1 + round % 6);
		if (pool) {
			cancelled = release_and_cancel(pool, jobs,
						       1 + round % 6);
			KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
			KT_EXPECT_EQ(atomic_read(&count.finished) + cancelled,
				     1 + round % 6);
			KT_EXPECT_EQ(kt_stat(pool, alive), 0);
		}
		kt_pool_end(pool);
		kvfree(jobs);
	}
}

/*
 * The last worker of a closed pool runs an item, and has been idle before: it
 * could have stayed so for an hour.
 * Fails (-ETIMEDOUT) if it is reaped when that is over: mutant
 * exited-reaped-at-its-expiry.
 */
static void worker_that_was_idle_before_ends_with_the_pool(void)
{
	struct kpool_attrs attrs = { .capacity = 1, .expiry_ms = 3600 * 1000 };
	struct kpool *pool = kt_pool("leaves", &attrs);
	struct kt_gate count, gate;
	struct kt_job tiny, job;

	if (!pool)
		return;
	kt_gate_init(&count);
	kt_gate_init(&gate);
	kt_job_init(&tiny, kt_job_tiny, &count, 0);
	kt_job_init(&job, kt_job_gated, &gate, 1);
	KT_EXPECT_EQ(kpool_submit(pool, &tiny.item), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 1));
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started)));
	kpool_shutdown(pool);
	kt_gate_open(&gate);
	/* a tune has it reaped in any case */
	if (!KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0))
		kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 1);
	kt_pool_end(pool);
}

static int job_fails(struct kpool_item *item)
{
	kt_job_tiny(item);
	return -EIO;
}

/* Fails if the pool's name comes first: mutant callback-thread-name-swapped. */
static void callback_threads_have_names(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .flags = KPOOL_MEM_RECLAIM,
	};
	struct kpool *pool = kt_pool("abc", &attrs);

	if (!pool)
		return;
	KT_EXPECT(kt_wait(threads_named("kpool-drop/abc") == 1));
	KT_EXPECT(kt_wait(threads_named("kpool-reap/abc") == 1));
	kt_pool_end(pool);
}

/* The script measures outside what a cycle leaves behind. */
static void create_and_destroy(int cycles)
{
	struct kpool_attrs attrs = { .capacity = 2, .min_workers = 1 };
	struct kt_gate count;
	struct kpool *pool;
	struct kt_job job;
	int i, submitted = 0;

	kt_gate_init(&count);
	kt_job_init(&job, job_fails, &count, 0);
	for (i = 0; i < cycles; i++) {
		attrs.flags = i % 4 ? 0 : KPOOL_PREALLOC;
		pool = kt_pool("cycle", &attrs);
		if (!pool)
			return;
		if (i % 16 && kt_submit_jobs(pool, &job, 1))
			submitted++;
		if (i % 8 == 7)
			kt_check_identities(pool);
		if (!KT_EXPECT_EQ(kpool_destroy(pool), 0))
			return;
		KT_EXPECT_EQ(atomic_read(&count.finished), submitted);
	}
	KT_EXPECT_EQ(threads_of("cycle"), 0);
}

/* Fills what caches have to fill, so that the next 1,000 can be compared. */
static void first_200_pools_fill_the_caches(void)
{
	create_and_destroy(200);
}

/*
 * 1,000 pools come and go, each with a worker, most with an item that fails,
 * and leave no thread; the script compares the slabs.
 * Fails if destroy forgets a worker, or memory of the pool or a worker: mutant
 * record-of-errors-leaks.
 */
static void next_1000_pools_leave_no_thread(void)
{
	create_and_destroy(1000);
}

KT_MODULE("Selftests of kpool: bugs that such pools have had",
	  KT_CASE(shutdown_wakes_blocked_callers),
	  KT_CASE(reopen_admits_no_blocked_caller),
	  KT_CASE(spuriously_woken_worker_stays_idle),
	  KT_CASE(running_never_exceeds_capacity),
	  KT_CASE(shutdown_races_with_return),
	  KT_CASE(no_thread_is_left_after_shutdown),
	  KT_CASE(prealloc_survives_reopen),
	  KT_CASE(caller_is_admitted_when_the_last_worker_expires),
	  KT_CASE(overload_clears),
	  KT_CASE(racing_cancels_claim_once),
	  KT_CASE(second_cancel_finds_nothing),
	  KT_CASE(abort_drops_queued_items),
	  KT_CASE(shutdown_runs_queued_items),
	  KT_CASE(concurrent_shutdown_and_reopen_do_not_hang),
	  KT_CASE(endless_item_yields_the_cpu),
	  KT_CASE(shutdown_uses_the_idle_workers),
	  KT_CASE(cancel_of_the_last_item_ends_idle_workers),
	  KT_CASE(worker_that_was_idle_before_ends_with_the_pool),
	  KT_CASE(callback_threads_have_names),
	  KT_CASE(first_200_pools_fill_the_caches),
	  KT_CASE(next_1000_pools_leave_no_thread));
