// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of the pattern that Go by Example teaches.  Workers range over a
 * channel of jobs, results come back through another, a WaitGroup waits for
 * all.  The workers are the capacity of a pool, the channel's buffer is its
 * queue_depth, and closing the channel is shutdown.
 */
#include <linux/module.h>

#include "full.h"
#include "unit.h"

static struct kpool *workers_and_channel(int workers, int buffer)
{
	struct kpool_attrs attrs = {
		.capacity = workers,
		.queue_depth = buffer ?: KPOOL_NONE,
	};

	return kt_pool("channel", &attrs);
}

/*
 * The example: 3 workers, 5 jobs of a second, a buffer of 100.  The channel is
 * closed, and five results of twice the job's number are read.  Two seconds in
 * all under simulated time.
 * Fails if close gives up what is queued, if a result is lost, or if three
 * workers do not work at the same time.
 */
static void example_of_three_workers_runs_five_jobs(void)
{
	struct kpool *pool = workers_and_channel(3, 100);
	unsigned long start = jiffies, took;
	struct kpool_group results;
	struct kt_gate count;
	struct unit *jobs;
	struct results r;

	kt_gate_init(&count);
	jobs = units_make(6, unit_second, &count, &results);
	if (!pool || !jobs)
		goto out;
	KT_EXPECT_EQ(kpool_init_group(&results, pool, NULL, KPOOL_GROUP_COLLECT), 0);
	KT_EXPECT_EQ(units_submit(pool, &jobs[1], 5, 0), 5);
	kpool_shutdown(pool);
	results_take(&results, &r);
	took = jiffies - start;
	KT_EXPECT_EQ(r.good, 5);
	KT_EXPECT_EQ(r.sum, 2 + 4 + 6 + 8 + 10);
	KT_EXPECT_LE(kt_stat(pool, spawned), 3);
	if (kt_exact) {
		KT_EXPECT_GE(took, 2 * HZ);
		KT_EXPECT_LE(took, 2 * (HZ + HZ / 8 + 2));
	}
	KT_EXPECT_EQ(kpool_group_wait(&results, KT_LIMIT), 0);
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * The example of WaitGroups: five workers, started at once, waited for
 * together.
 * Fails if the wait ends while one runs, or does not end.
 */
static void example_of_a_waitgroup_waits_for_five(void)
{
	struct kpool *pool = workers_and_channel(5, 0);
	struct kpool_group wg;
	struct kt_gate gate;
	struct unit *jobs;

	kt_gate_init(&gate);
	jobs = units_make(5, unit_gated, &gate, &wg);
	if (!pool || !jobs)
		goto out;
	KT_EXPECT_EQ(kpool_init_group(&wg, pool, NULL, 0), 0);
	KT_EXPECT_EQ(units_submit(pool, jobs, 5, 0), 5);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 5));
	KT_EXPECT_EQ(kpool_group_wait(&wg, 0), -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_group_wait(&wg, HZ / 50), -ETIMEDOUT);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_group_wait(&wg, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 5);
	KT_EXPECT_EQ(kpool_group_wait(&wg, 0), 0);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

static struct order order;

static int job_in_order(struct kpool_item *item)
{
	order_note(&order, kt_job_of(item)->nr);
	return kt_job_tiny(item);
}

/*
 * A single worker ranges over the channel: jobs come out as they went in, and
 * close gives out everything that is queued.
 * Fails if the queue is not first in, first out, or if shutdown drops it.
 */
static void close_drains_in_order(void)
{
	struct kpool *pool = workers_and_channel(1, 100);
	struct kt_gate count;
	struct kt_job *jobs;

	order_init(&order);
	kt_gate_init(&count);
	jobs = kt_jobs(50, job_in_order, &count);
	if (!pool || !jobs)
		goto out;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	kt_submit_jobs(pool, jobs, 50);
	KT_EXPECT_EQ(kt_stat(pool, pending), 50);
	kpool_shutdown(pool);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	order_expect_rising(&order, 50);
	KT_EXPECT_EQ(kt_stat(pool, dropped), 0);
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

/* A worker that is busy, with a channel behind it that holds two. */
static struct kpool *full_channel(struct kt_job *jobs)
{
	struct kpool *pool = workers_and_channel(1, 2);

	if (pool && jobs && kt_submit_jobs(pool, jobs, 3))
		KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
	return pool;
}

/*
 * A send to a full channel sleeps until a worker receives.
 * Fails if the buffer is larger or smaller than asked for, or if the sender is
 * not woken by the first receive.
 */
static void send_blocks_when_the_buffer_is_full(void)
{
	struct kt_submitter sender = { };
	struct kpool *pool;
	struct kt_gate gate;
	struct kt_job *jobs;

	kt_gate_init(&gate);
	jobs = kt_jobs(4, kt_job_gated, &gate);
	pool = full_channel(jobs);
	if (!pool || !jobs)
		goto out;
	KT_EXPECT_EQ(kt_stat(pool, pending), 2);
	kt_submitter_block(&sender, pool, &jobs[3].item);
	kt_gate_let_one(&gate);
	KT_EXPECT_EQ(kt_thread_join(&sender.thread), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 2));
	KT_EXPECT_EQ(kt_stat(pool, pending), 2);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * A select around the send: with a default it does not sleep, with a timer not
 * for longer than that.
 * Fails if either stays blocked, or leaves the job behind in the channel.
 */
static void select_ends_a_send_to_a_full_channel(void)
{
	unsigned long start, took;
	struct kpool *pool;
	struct kt_gate gate;
	struct kt_job *jobs;

	kt_gate_init(&gate);
	jobs = kt_jobs(4, kt_job_gated, &gate);
	pool = full_channel(jobs);
	if (!pool || !jobs)
		goto out;
	KT_EXPECT_EQ(kpool_try_submit(pool, &jobs[3].item), -EAGAIN);
	start = jiffies;
	KT_EXPECT_EQ(kpool_submit_timeout(pool, &jobs[3].item, HZ / 10), -ETIMEDOUT);
	took = jiffies - start;
	KT_EXPECT_GE(took, HZ / 10);
	if (kt_exact)
		KT_EXPECT_LE(took, HZ / 10 + HZ / 80 + 2);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 3);
	KT_EXPECT_EQ(kpool_try_submit(pool, &jobs[3].item), 0);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

/*
 * To send to a closed channel, to close it twice, or to close it under a sender
 * that sleeps panics in Go.  Here the send is refused, and the second close
 * does nothing.
 * Fails if shutdown leaves a sender blocked, or its job in the queue.
 */
static void close_refuses_blocked_senders(void)
{
	struct kt_submitter sender = { };
	struct kpool *pool;
	struct kt_gate gate;
	struct kt_job *jobs;

	kt_gate_init(&gate);
	jobs = kt_jobs(4, kt_job_gated, &gate);
	pool = full_channel(jobs);
	if (!pool || !jobs)
		goto out;
	kt_submitter_block(&sender, pool, &jobs[3].item);
	kpool_shutdown(pool);
	kpool_shutdown(pool);
	KT_EXPECT_EQ(kt_thread_join(&sender.thread), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_submit(pool, &jobs[3].item), -ESHUTDOWN);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 3);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

/* A job that sends the next one to the channel that it came from. */
struct sender {
	struct kpool_item	item;
	struct kpool		*pool;
	struct kt_job		*next;
	int			ret;
};

static int send_next(struct kpool_item *item)
{
	struct sender *s = container_of(item, struct sender, item);

	s->ret = kpool_submit(s->pool, &s->next->item);
	return 0;
}

/*
 * A worker that sends to its own full channel hangs all of them in Go.  Here
 * the send is refused when no worker is left to receive.
 * Fails if the send sleeps for good, or is refused although there is room.
 */
static void nested_send_does_not_hang(void)
{
	struct sender s = { .ret = 1 };
	struct kt_gate count;
	struct kt_job next;
	int buffer;

	for (buffer = 0; buffer < 2; buffer++) {
		kt_gate_init(&count);
		kt_job_init(&next, kt_job_tiny, &count, 0);
		kpool_init_item(&s.item, send_next);
		s.next = &next;
		s.pool = workers_and_channel(1, buffer);
		if (!s.pool)
			return;
		KT_EXPECT_EQ(kpool_submit(s.pool, &s.item), 0);
		KT_EXPECT_EQ(kpool_flush(s.pool), 0);
		KT_EXPECT_EQ(s.ret, buffer ? 0 : -EDEADLK);
		KT_EXPECT(kt_wait(kt_is_drained(s.pool)));
		KT_EXPECT_EQ(atomic_read(&count.finished), buffer);
		kt_pool_end(s.pool);
	}
}

/*
 * Results that are not read hang an unbuffered channel.  Here workers do not
 * wait for a reader, and the results can still be read in the end.
 * Fails if a worker sleeps until its result is taken.
 */
static void unread_results_block_no_worker(void)
{
	struct kpool *pool = workers_and_channel(3, 100);
	struct kpool_group results;
	struct kt_gate count;
	struct unit *jobs;
	struct results r;

	kt_gate_init(&count);
	jobs = units_make(20, unit_second, &count, &results);
	if (!pool || !jobs)
		goto out;
	KT_EXPECT_EQ(kpool_init_group(&results, pool, NULL, KPOOL_GROUP_COLLECT), 0);
	KT_EXPECT_EQ(units_submit(pool, jobs, 20, 0), 20);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&count.finished), 20);
	results_take(&results, &r);
	KT_EXPECT_EQ(r.good, 20);
	KT_EXPECT_EQ(r.sum, 20 * 19);
	KT_EXPECT_EQ(kpool_group_wait(&results, KT_LIMIT), 0);
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

/* The second of them fails; the others wait at the gate. */
static int second_fails(struct kpool_item *item)
{
	return unit_of(item)->nr == 1 ? -EIO : unit_gated(item);
}

/*
 * errgroup adds to a WaitGroup a limit and the first error, and cancels the
 * rest.
 * Fails if an error is overwritten by a later one, or if a job starts after it.
 */
static void errgroup_cancels_the_rest_after_the_first_error(void)
{
	struct kpool *pool = workers_and_channel(2, 100);
	struct kpool_group eg;
	struct kt_gate gate;
	struct unit *jobs;

	kt_gate_init(&gate);
	jobs = units_make(10, second_fails, &gate, &eg);
	if (!pool || !jobs)
		goto out;
	KT_EXPECT_EQ(kpool_init_group(&eg, pool, NULL, KPOOL_GROUP_FAIL_FAST), 0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(units_submit(pool, jobs, 9, 0), 9);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(kpool_group_error(&eg)));
	KT_EXPECT_EQ(kpool_submit(pool, &jobs[9].job.item), -ECANCELED);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_group_wait(&eg, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&eg), -EIO);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), 7);
out:
	kt_gate_open(&gate);
	kt_pool_end(pool);
	kvfree(jobs);
}

KT_MODULE("Selftests of kpool: the scenarios of a channel of jobs and a WaitGroup",
	  KT_CASE(example_of_three_workers_runs_five_jobs),
	  KT_CASE(example_of_a_waitgroup_waits_for_five),
	  KT_CASE(close_drains_in_order),
	  KT_CASE(send_blocks_when_the_buffer_is_full),
	  KT_CASE(select_ends_a_send_to_a_full_channel),
	  KT_CASE(close_refuses_blocked_senders),
	  KT_CASE(nested_send_does_not_hang),
	  KT_CASE(unread_results_block_no_worker),
	  KT_CASE(errgroup_cancels_the_rest_after_the_first_error));
