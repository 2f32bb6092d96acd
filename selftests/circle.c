// SPDX-License-Identifier: GPL-2.0-only
/*
 * Circles of waits that close though nobody falls asleep: a delayed job, which
 * is waited for, comes into the line behind one of its stream that waits.
 *
 * Here the runner of the stream waits for a flusher, who waits for the late
 * job.  Mutant circle-by-a-late-job.
 */
#include "actor.h"
#include "load.h"

#define runner	(&cast[0])
#define flusher	(&cast[1])
#define other	(&cast[2])
#define late	(&p[0])

static struct kpool_stream stream;
static struct kt_gate runner_cue, flusher_cue;
static struct load bystander, filler, queued;
static int called_got;

static const struct kpool_attrs roomy = { .capacity = 5, .queue_depth = 1 };

static int flushes_late(struct actor *a)
{
	kt_gate_pass(&flusher_cue);
	return kpool_flush_item(&late->job.item);
}

static int flushes_flusher(struct actor *a)
{
	kt_gate_pass(&runner_cue);
	return kpool_flush_item(&flusher->probe.job.item);
}

static int flushes_flusher_when_called(void *arg)
{
	called_got = kpool_flush_item(&flusher->probe.job.item);
	return 0;
}

static int calls(struct actor *a)
{
	kt_gate_pass(&runner_cue);
	return kpool_call(a->pool, flushes_flusher_when_called, NULL, NULL);
}

static struct kpool *circle_make(const struct kpool_attrs *attrs,
				 int (*act)(struct actor *a))
{
	struct kpool *pool = group_make(attrs, 0, 0);

	if (!pool)
		return NULL;
	kt_gate_init(&runner_cue);
	kt_gate_init(&flusher_cue);
	kpool_init_stream(&stream, pool);
	actor_init(runner, pool, NULL, act);
	actor_init(flusher, pool, NULL, flushes_late);
	actor_init(other, pool, NULL, flushes_flusher);
	runner->probe.gate = &runner->probe.own;
	kpool_set_stream(&runner->probe.job, &stream);
	kpool_set_stream(&late->job, &stream);
	load_init(&bystander, 0);
	load_init(&filler, 1);
	load_init(&queued, 2);
	return pool;
}

/* As long as a bystander runs, it is no hang of the whole pool. */
static bool circle_start(struct kpool *pool)
{
	return KT_EXPECT(load_runs(pool, &bystander)) && actor_start(runner) &&
	       actor_start(flusher) &&
	       KT_EXPECT(kt_wait(atomic_read(&runner_cue.started) &&
				 atomic_read(&flusher_cue.started)));
}

/* The flusher waits for the job, and the runner for the flusher. */
static void circle_sleeps(void)
{
	kt_gate_open(&flusher_cue);
	actor_sleeps(flusher);
	kt_gate_open(&runner_cue);
}

/* The runner goes on with what it got; the others wait on, and are served. */
static void circle_is_broken(int got)
{
	bool broken = KT_EXPECT(kt_wait(READ_ONCE(runner->acted)));

	/* who follows a chain of sleepers into a circle never comes to its end */
	if (broken && actor_start(other))
		actor_sleeps(other);
	KT_EXPECT(!READ_ONCE(flusher->acted));
	KT_EXPECT_EQ(atomic_read(&late->ran), 0);
	if (!broken)
		kpool_cancel(&late->job.item);
	kt_gate_open(&runner->probe.own);
	actor_expect(runner, got);
	actor_expect(flusher, 0);
	if (broken)
		actor_expect(other, 0);
	KT_EXPECT_EQ(atomic_read(&late->ran), 1);
}

static void circle_end(struct kpool *pool)
{
	kt_gate_open(&bystander.gate);
	jobs_end(pool);
}

/*
 * The job comes due, and follows the runner.
 * Fails if only those who fall asleep look for a circle.
 */
static void job_that_comes_due_closes_a_circle(void)
{
	struct kpool *pool = circle_make(&roomy, flushes_flusher);

	if (pool && circle_start(pool) &&
	    KT_EXPECT_EQ(kpool_submit_delayed(pool, &late->job, HZ / 5), 0)) {
		circle_sleeps();
		circle_is_broken(-EDEADLK);
	}
	circle_end(pool);
}

/*
 * The job is due, but follows the runner only when the queue has room.
 * Fails if only those who fall asleep look for a circle.
 */
static void job_that_gets_room_closes_a_circle(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4, .queue_depth = 1 };
	struct kpool *pool = circle_make(&attrs, flushes_flusher);

	if (!pool || !circle_start(pool) ||
	    !KT_EXPECT(load_runs(pool, &filler)) ||
	    !KT_EXPECT_EQ(load_submit(pool, &queued), 0) ||
	    !KT_EXPECT_EQ(kpool_submit_delayed(pool, &late->job, 1), 0))
		goto out;
	circle_sleeps();
	actor_sleeps(runner);
	KT_EXPECT(kt_wait(!kt_stat(pool, delayed)));
	KT_EXPECT(!READ_ONCE(runner->acted));
	KT_EXPECT(kpool_cancel(&queued.job.item));
	load_end(&filler);
	circle_is_broken(-EDEADLK);
out:
	kt_gate_open(&filler.gate);
	circle_end(pool);
}

/*
 * The runner sleeps in a call, which is not refused as its function runs: that
 * one's flush is.
 * Fails if the runner is all that is looked at.
 */
static void caller_in_a_circle_sleeps_on(void)
{
	struct kpool *pool = circle_make(&roomy, calls);

	if (pool && circle_start(pool) &&
	    KT_EXPECT_EQ(kpool_submit_delayed(pool, &late->job, HZ / 5), 0)) {
		circle_sleeps();
		circle_is_broken(0);
		KT_EXPECT_EQ(called_got, -EDEADLK);
	}
	circle_end(pool);
}

KT_MODULE("Circles of waits that close without a sleep",
	  KT_CASE(job_that_comes_due_closes_a_circle),
	  KT_CASE(job_that_gets_room_closes_a_circle),
	  KT_CASE(caller_in_a_circle_sleeps_on));
