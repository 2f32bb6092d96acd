// SPDX-License-Identifier: GPL-2.0-only
/* Operations on an item: cancel, disable, flush, and its drop function. */
#include "compat.h"
#include "full.h"

static const struct kpool_attrs queued_one = {
	.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
};

/* A thread that does one thing to one item. */
struct doer {
	struct kt_thread	thread;
	struct kpool_item	*item;
	int			(*fn)(struct kpool_item *item);
};

static int doer_main(void *arg)
{
	struct doer *d = arg;

	return d->fn(d->item);
}

/* Start it, and return when it sleeps. */
static bool doer_sleeps(struct doer *d, struct kpool_item *item,
			int (*fn)(struct kpool_item *item))
{
	d->item = item;
	d->fn = fn;
	return kt_thread_start(&d->thread, doer_main, d) &&
	       kt_thread_asleep(&d->thread);
}

/*
 * Cancel is true for a pending item, which then does not run, is idle and
 * was not dropped.
 * Fails if the item stays queued, or the drop function is called for the
 * canceller.
 */
static void cancel_removes_a_pending_item(void)
{
	static struct full f;
	static struct kt_job job;

	if (!full_make(&f, &queued_one))
		goto out;
	kt_job_init(&job, kt_job_tiny, &f.gate, 1);
	KT_EXPECT(!kpool_is_pending(&job.item));
	KT_EXPECT(!kpool_cancel(&job.item));
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), 0);
	KT_EXPECT(kpool_is_pending(&job.item));
	KT_EXPECT(kpool_cancel(&job.item));
	KT_EXPECT(!kpool_is_pending(&job.item));
	KT_EXPECT(!kpool_cancel(&job.item));
	KT_EXPECT_EQ(kt_stat(f.pool, cancelled), 1);
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), 0);
	KT_EXPECT_EQ(kpool_cancel_sync(&job.item), 1);
	KT_EXPECT_EQ(kpool_cancel_sync(&job.item), 0);
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 1);
	KT_EXPECT_EQ(atomic_read(&f.gate.dropped), 0);
out:
	full_end(&f);
}

/*
 * Cancel does not touch a running item, but takes its next submission back.
 * Fails if running counts as pending, or an item held back by its own run
 * cannot be found.
 */
static void cancel_leaves_a_running_item_alone(void)
{
	static struct full f;

	if (!full_make(&f, &queued_one))
		goto out;
	KT_EXPECT(!kpool_is_pending(&f.job[0].item));
	KT_EXPECT(!kpool_cancel(&f.job[0].item));
	KT_EXPECT_EQ(kpool_submit(f.pool, &f.job[0].item), 0);
	KT_EXPECT(kpool_cancel(&f.job[0].item));
	KT_EXPECT(!kpool_cancel(&f.job[0].item));
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_flush_item(&f.job[0].item), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 1);
out:
	full_end(&f);
}

/*
 * Cancel of an item whose submitter sleeps: that submit returns -ECANCELED,
 * cancel is false, and nothing is counted as accepted.
 * Fails if the blocked submitter is left behind or the item is counted as
 * cancelled.
 */
static void cancel_ends_a_blocked_submit(void)
{
	static const struct kpool_attrs one = { .capacity = 1 };
	static struct full f;
	static struct kt_job job;
	struct kt_submitter s;
	int how;

	if (!full_make(&f, &one))
		goto out;
	kt_job_init(&job, kt_job_tiny, &f.gate, 1);
	for (how = 0; how < 3; how++) {
		if (!kt_submitter_block(&s, f.pool, &job.item))
			goto out;
		if (how == 0)
			KT_EXPECT(!kpool_cancel(&job.item));
		else if (how == 1)
			KT_EXPECT_EQ(kpool_cancel_sync(&job.item), 0);
		else
			KT_EXPECT_EQ(kpool_disable(&job.item), 0);
		KT_EXPECT_EQ(kt_thread_join(&s.thread), -ECANCELED);
	}
	KT_EXPECT_EQ(kt_stat(f.pool, submitted), 1);
	KT_EXPECT_EQ(kt_stat(f.pool, cancelled), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.dropped), 0);
	KT_EXPECT_EQ(kpool_enable(&job.item), 0);
out:
	full_end(&f);
}

/*
 * cancel_sync returns after the run, and while it waits the item is refused;
 * afterwards it is as new.
 * Fails if it does not wait, or does not close the item to submits, also those
 * to other pools, so that one that submits itself would keep it waiting.
 */
static void cancel_sync_waits_and_refuses(void)
{
	struct kpool *elsewhere = kt_pool("elsewhere", &queued_one);
	static struct full f;
	struct kpool_item *item = &f.job[0].item;
	struct doer d;

	if (!full_make(&f, &queued_one) || !elsewhere)
		goto out;
	KT_EXPECT_EQ(kpool_submit(elsewhere, item), -EBUSY);
	KT_EXPECT_EQ(kpool_submit(f.pool, item), 0);
	if (!doer_sleeps(&d, item, kpool_cancel_sync))
		goto out;
	KT_EXPECT_EQ(kpool_submit(f.pool, item), -ECANCELED);
	KT_EXPECT_EQ(kpool_try_submit(f.pool, item), -ECANCELED);
	KT_EXPECT_EQ(kpool_submit(elsewhere, item), -ECANCELED);
	KT_EXPECT_EQ(kpool_try_submit(elsewhere, item), -ECANCELED);
	KT_EXPECT(!kpool_is_pending(item));
	KT_EXPECT(!kt_thread_done(&d.thread));
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kt_thread_join(&d.thread), 1);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 1);
	KT_EXPECT_EQ(kpool_submit(f.pool, item), 0);
	KT_EXPECT_EQ(kpool_flush_item(item), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 2);
out:
	kt_pool_end(elsewhere);
	full_end(&f);
}

/*
 * disable refuses until as many enables have come.
 * Fails if it is a flag instead of a count, or does not cancel.
 */
static void disable_nests(void)
{
	static struct full f;
	static struct kt_job job;

	if (!full_make(&f, &queued_one))
		goto out;
	kt_job_init(&job, kt_job_tiny, &f.gate, 1);
	KT_EXPECT_EQ(kpool_enable(&job.item), -EINVAL);
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), 0);
	KT_EXPECT_EQ(kpool_disable(&job.item), 1);
	KT_EXPECT_EQ(kpool_disable(&job.item), 0);
	KT_EXPECT_EQ(kpool_disable_sync(&job.item), 0);
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), -ECANCELED);
	KT_EXPECT_EQ(kpool_enable(&job.item), 1);
	KT_EXPECT_EQ(kpool_enable(&job.item), 1);
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), -ECANCELED);
	KT_EXPECT_EQ(kpool_enable(&job.item), 0);
	KT_EXPECT_EQ(kpool_enable(&job.item), -EINVAL);
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), 0);
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 2);
	KT_EXPECT_EQ(kt_stat(f.pool, cancelled), 1);
out:
	full_end(&f);
}

/*
 * The 65536th disable is refused and changes nothing.
 * Fails if the count wraps: the item would be enabled.
 */
static void disable_does_not_wrap(void)
{
	static struct kt_job job;
	static struct kt_gate gate;
	int i;

	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_tiny, &gate, 0);
	for (i = 0; i < 65535; i++)
		if (!KT_EXPECT_EQ(kpool_disable(&job.item), 0))
			return;
	KT_EXPECT_EQ(kpool_disable(&job.item), -ERANGE);
	KT_EXPECT_EQ(kpool_disable_sync(&job.item), -ERANGE);
	KT_EXPECT_EQ(kpool_cancel_sync(&job.item), -ERANGE);
	KT_EXPECT_EQ(kpool_disable(&job.item), -ERANGE);
	for (i = 65535; i > 1; i--)
		if (!KT_EXPECT_EQ(kpool_enable(&job.item), 1))
			return;
	KT_EXPECT_EQ(kpool_enable(&job.item), 0);
	KT_EXPECT_EQ(kpool_enable(&job.item), -EINVAL);
	/* with one to spare it is let through, and gives that back */
	for (i = 0; i < 65534; i++)
		if (!KT_EXPECT_EQ(kpool_disable(&job.item), 0))
			return;
	KT_EXPECT_EQ(kpool_cancel_sync(&job.item), 0);
	KT_EXPECT_EQ(kpool_disable_sync(&job.item), 0);
	KT_EXPECT_EQ(kpool_disable(&job.item), -ERANGE);
}

/*
 * disable_sync waits for the run, and the item stays disabled.
 * Fails if it returns early, or enables when its wait is over.
 */
static void disable_sync_waits_and_stays_disabled(void)
{
	static struct full f;
	struct doer d;

	if (!full_make(&f, &queued_one))
		goto out;
	if (!doer_sleeps(&d, &f.job[0].item, kpool_disable_sync))
		goto out;
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kt_thread_join(&d.thread), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 1);
	KT_EXPECT_EQ(kpool_submit(f.pool, &f.job[0].item), -ECANCELED);
	KT_EXPECT_EQ(kpool_enable(&f.job[0].item), 0);
	KT_EXPECT_EQ(kpool_submit(f.pool, &f.job[0].item), 0);
out:
	full_end(&f);
}

/*
 * flush of one item waits while it is pending and while it runs, and not at
 * all when it is idle.
 * Fails if a pending item's waiters are not taken over by its run.
 */
static void flush_item_waits_for_pending_and_running(void)
{
	static struct full f;
	static struct kt_job job;
	struct doer running, pending;

	if (!full_make(&f, &queued_one))
		goto out;
	kt_job_init(&job, kt_job_gated, &f.gate, 1);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), 0);
	if (!doer_sleeps(&running, &f.job[0].item, kpool_flush_item) ||
	    !doer_sleeps(&pending, &job.item, kpool_flush_item))
		goto out;
	kt_gate_let_one(&f.gate);
	KT_EXPECT_EQ(kt_thread_join(&running.thread), 0);
	KT_EXPECT(kt_wait(atomic_read(&f.gate.started) == 2));
	KT_EXPECT(!kt_thread_done(&pending.thread));
	kt_gate_let_one(&f.gate);
	KT_EXPECT_EQ(kt_thread_join(&pending.thread), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 2);
out:
	full_end(&f);
}

/*
 * flush of an item that was submitted again while it runs waits for that run,
 * which only the worker of this one can begin.
 * Fails (hangs) if this run ends on the fast path: mutant
 * next-waiters-on-the-fast-path.
 */
static void flush_item_waits_for_the_next_run(void)
{
	static struct full f;
	struct doer d;

	if (!full_make(&f, &queued_one))
		goto out;
	KT_EXPECT_EQ(kpool_submit(f.pool, &f.job[0].item), 0);
	if (!doer_sleeps(&d, &f.job[0].item, kpool_flush_item))
		goto out;
	kt_gate_let_one(&f.gate);
	KT_EXPECT(kt_wait(atomic_read(&f.gate.started) == 2));
	kt_sleep_ms(10);
	KT_EXPECT(!kt_thread_done(&d.thread));
	kt_gate_let_one(&f.gate);
	KT_EXPECT(kt_wait(kt_thread_done(&d.thread)));
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 2);
	KT_EXPECT_EQ(kt_thread_join(&d.thread), 0);
out:
	full_end(&f);
}

/*
 * flush of one item returns while the next item of its worker runs.
 * Fails if that is started before the flushers are looked at: mutant
 * fast-start-past-a-waiter.
 */
static void flush_item_ends_before_the_next_item(void)
{
	static struct full f;
	static struct kt_job next;
	struct doer d;

	if (!full_make(&f, &queued_one))
		goto out;
	kt_job_init(&next, kt_job_gated, &f.gate, 1);
	if (!doer_sleeps(&d, &f.job[0].item, kpool_flush_item))
		goto out;
	KT_EXPECT_EQ(kpool_submit(f.pool, &next.item), 0);
	kt_gate_let_one(&f.gate);
	KT_EXPECT(kt_wait(kt_thread_done(&d.thread)));
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 1);
	kt_gate_open(&f.gate);
	kt_thread_join(&d.thread);
out:
	full_end(&f);
}

/*
 * Flushers of a pending item are woken when it is cancelled.
 * Fails (hangs) if only a run's end completes them.
 */
static void flush_item_ends_with_cancel(void)
{
	static struct full f;
	static struct kt_job job;
	struct doer d[3];
	int i;

	if (!full_make(&f, &queued_one))
		goto out;
	kt_job_init(&job, kt_job_tiny, &f.gate, 1);
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), 0);
	for (i = 0; i < 3; i++)
		if (!doer_sleeps(&d[i], &job.item, kpool_flush_item))
			goto out;
	KT_EXPECT(kpool_cancel(&job.item));
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kt_thread_join(&d[i].thread), 0);
out:
	full_end(&f);
}

static struct kpool *endless_pool;

static int endless_again(struct kpool_item *item)
{
	struct kt_job *job = kt_job_of(item);

	atomic_inc(&job->gate->finished);
	if (kt_exact)
		usleep_range(50, 100);
	if (!completion_done(&job->gate->open))
		KT_EXPECT_EQ(kpool_submit(endless_pool, item), 0);
	return 0;
}

/*
 * Neither flush waits for submissions that come after the call: both return
 * while an item submits itself without end.
 * Fails (hangs) if flush waits until nothing is pending.
 */
static void flush_does_not_wait_for_later_submissions(void)
{
	static struct kt_job job;
	static struct kt_gate gate;
	int i;

	endless_pool = kt_pool("endless", &queued_one);
	if (!endless_pool)
		return;
	kt_gate_init(&gate);
	kt_job_init(&job, endless_again, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(endless_pool, &job.item), 0);
	for (i = 0; i < 100; i++) {
		KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
		KT_EXPECT_EQ(kpool_flush(endless_pool), 0);
	}
	KT_EXPECT_GE(atomic_read(&gate.finished), 100);
	kt_gate_open(&gate);
	kt_pool_end(endless_pool);
}

static int flush_main(void *arg)
{
	return kpool_flush(arg);
}

static bool flusher_sleeps(struct kt_thread *t, struct kpool *pool)
{
	return kt_thread_start(t, flush_main, pool) && kt_thread_asleep(t);
}

/*
 * kpool_flush waits for what was accepted before, running or pending, and not
 * for what came later, though it runs.
 * Fails if a flush counts the items of its time wrongly, or later ones in.
 */
static void pool_flush_waits_for_earlier_submissions(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = kt_pool("flush", &attrs);
	static struct kt_gate before, later;
	static struct kt_job job[3];
	struct kt_thread t[2];

	if (!pool)
		return;
	kt_gate_init(&before);
	kt_gate_init(&later);
	kt_job_init(&job[0], kt_job_gated, &before, 0);
	kt_job_init(&job[1], kt_job_gated, &before, 1);
	kt_job_init(&job[2], kt_job_gated, &later, 2);
	KT_EXPECT_EQ(kpool_submit(pool, &job[0].item), 0);
	if (!flusher_sleeps(&t[0], pool))
		goto out;
	KT_EXPECT_EQ(kpool_submit(pool, &job[1].item), 0);
	if (!flusher_sleeps(&t[1], pool))
		goto out;
	KT_EXPECT_EQ(kpool_submit(pool, &job[2].item), 0);
	kt_gate_let_one(&before);
	KT_EXPECT(kt_wait(atomic_read(&later.started) == 1));
	kt_gate_open(&before);
	KT_EXPECT_EQ(kt_thread_join(&t[0]), 0);
	KT_EXPECT_EQ(kt_thread_join(&t[1]), 0);
	KT_EXPECT_EQ(atomic_read(&before.finished), 2);
	KT_EXPECT_EQ(atomic_read(&later.finished), 0);
out:
	kt_gate_open(&before);
	kt_gate_open(&later);
	kt_pool_end(pool);
}

/*
 * Items that come after kpool_flush has begun, and end, do not end it.
 * Fails if their ends are counted: mutant flush-counts-all.
 */
static void later_ends_do_not_end_a_flush(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2 };
	struct kpool *pool = kt_pool("flush", &attrs);
	static struct kt_gate before, later;
	static struct kt_job job[2];
	struct kt_thread t;
	int i;

	if (!pool)
		return;
	kt_gate_init(&before);
	kt_gate_init(&later);
	kt_gate_open(&later);
	kt_job_init(&job[0], kt_job_gated, &before, 0);
	kt_job_init(&job[1], kt_job_gated, &later, 1);
	KT_EXPECT_EQ(kpool_submit(pool, &job[0].item), 0);
	if (!flusher_sleeps(&t, pool))
		goto out;
	for (i = 0; i < 10; i++) {
		KT_EXPECT_EQ(kpool_submit(pool, &job[1].item), 0);
		KT_EXPECT_EQ(kpool_flush_item(&job[1].item), 0);
	}
	kt_sleep_ms(20);
	KT_EXPECT(!kt_thread_done(&t));
	kt_gate_open(&before);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
out:
	kt_gate_open(&before);
	kt_pool_end(pool);
}

/*
 * A flush that began before an item was accepted returns while that runs.
 * Fails if one flush's reckoning is disturbed by the next.
 */
static void flushes_end_in_turn(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4 };
	struct kpool *pool = kt_pool("turns", &attrs);
	static struct kt_gate gate[4];
	static struct kt_job job[4];
	struct kt_thread t[4];
	int i;

	if (!pool)
		return;
	for (i = 0; i < 4; i++) {
		kt_gate_init(&gate[i]);
		kt_job_init(&job[i], kt_job_gated, &gate[i], i);
		KT_EXPECT_EQ(kpool_submit(pool, &job[i].item), 0);
		if (!flusher_sleeps(&t[i], pool))
			break;
	}
	/* The second item ends first: no thread waited for it alone. */
	kt_gate_open(&gate[1]);
	KT_EXPECT_EQ(kpool_flush_item(&job[1].item), 0);
	KT_EXPECT(!kt_thread_done(&t[1]));
	kt_gate_open(&gate[0]);
	KT_EXPECT_EQ(kt_thread_join(&t[0]), 0);
	KT_EXPECT_EQ(kt_thread_join(&t[1]), 0);
	KT_EXPECT(!kt_thread_done(&t[2]));
	for (i = 2; i < 4; i++) {
		kt_gate_open(&gate[i]);
		KT_EXPECT_EQ(kt_thread_join(&t[i]), 0);
	}
	kt_pool_end(pool);
}

/* An item that a flusher sleeps for. */
static bool flushed_once(struct kpool *pool)
{
	static struct kt_gate gate;
	static struct kt_job job;
	struct kt_thread t;

	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_gated, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	if (!flusher_sleeps(&t, pool))
		return false;
	kt_gate_open(&gate);
	return KT_EXPECT_EQ(kt_thread_join(&t), 0);
}

/*
 * Four items and a flush after each; they end in another order each time, and
 * a flush ends when all before it have.  So often that every counter of 32 bits
 * that began a little below its wrap passes it, between two flushes.
 * Fails if an end is taken for one of another flush, or flushes are compared
 * as if the count did not wrap: mutants flush-epoch-unsigned,
 * flushers-sorted-unsigned.
 */
static void flushes_end_in_turn_in_any_order_of_ends(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4 };
	struct kpool *pool = kt_pool("turns", &attrs);
	static struct kt_gate gate[4];
	static struct kt_job job[4];
	struct kt_thread t[4];
	int round, i, k;

	if (!pool)
		return;
	for (round = 0; round < 24 * 4; round++) {
		int left[] = { 0, 1, 2, 3 }, code = round % 24;
		bool over[4] = { };
		u64 completed;

		/* every third round flushes again, and the wrap comes here */
		if (round % 3 == 0 && !flushed_once(pool))
			return;
		completed = kt_stat(pool, completed);
		for (i = 0; i < 4; i++) {
			kt_gate_init(&gate[i]);
			kt_job_init(&job[i], kt_job_gated, &gate[i], i);
			KT_EXPECT_EQ(kpool_submit(pool, &job[i].item), 0);
			if (!flusher_sleeps(&t[i], pool))
				return;
		}
		for (i = 0; i < 4; i++) {
			int pick = code % (4 - i), nr = left[pick];

			code /= 4 - i;
			for (k = pick; k < 3 - i; k++)
				left[k] = left[k + 1];
			over[nr] = true;
			kt_gate_open(&gate[nr]);
			KT_EXPECT(kt_wait(kt_stat(pool, completed) ==
					  completed + i + 1));
			for (k = 0; k < 4 && over[k]; k++)
				KT_EXPECT(kt_wait(kt_thread_done(&t[k])));
			for (; k < 4; k++)
				KT_EXPECT(!kt_thread_done(&t[k]));
		}
		for (i = 0; i < 4; i++)
			KT_EXPECT_EQ(kt_thread_join(&t[i]), 0);
	}
	kt_pool_end(pool);
}

/* Submits and flushes in a loop: what it submitted has run then. */
struct busy_flusher {
	struct kt_thread	thread;
	struct kpool		*pool;
	struct kt_gate		gate;
	struct kt_job		job[3];
};

static int busy_flusher_main(void *arg)
{
	struct busy_flusher *b = arg;
	int n = kt_count(300), i, k;

	for (i = 1; i <= n; i++) {
		for (k = 0; k < 3; k++)
			if (kpool_submit(b->pool, &b->job[k].item))
				return -EIO;
		if (kpool_flush(b->pool))
			return -EINVAL;
		if (atomic_read(&b->gate.finished) != 3 * i)
			return -EAGAIN;
	}
	return 0;
}

/*
 * Many flush while all go on submitting.
 * Fails if a flush returns before what its caller had submitted has run, or
 * (hangs) waits for what came after it.
 */
static void flushes_and_submits_run_concurrently(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .queue_depth = 4,
	};
	struct kpool *pool = kt_pool("flushers", &attrs);
	static struct busy_flusher b[4];
	int i, k;

	if (!pool)
		return;
	for (i = 0; i < 4; i++) {
		b[i].pool = pool;
		kt_gate_init(&b[i].gate);
		for (k = 0; k < 3; k++) {
			kt_job_init(&b[i].job[k], kt_job_tiny, &b[i].gate, k);
			if (k)
				kpool_set_priority(&b[i].job[k].item,
						   k == 1 ? KPOOL_PRIO_HIGH :
							    KPOOL_PRIO_LOW);
		}
		kt_thread_start(&b[i].thread, busy_flusher_main, &b[i]);
	}
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(kt_thread_join(&b[i].thread), 0);
	kt_pool_end(pool);
}

/* Memory as it comes from an allocator that poisons it. */
static void fill(void *mem, size_t size)
{
	OPTIMIZER_HIDE_VAR(mem);
	memset(mem, 0x5a, size);
}

/*
 * The item runs at once in the one unit, in front of a low one, so that its
 * start is seen.
 */
static void expect_plain_item(struct kpool *pool, struct kpool_item *item,
			      struct kt_gate *gate)
{
	struct kt_job low;

	kt_gate_init(gate);
	kt_gate_open(gate);
	kt_job_init(&low, kt_job_gated, gate, 0);
	kpool_set_priority(&low.item, KPOOL_PRIO_LOW);
	KT_EXPECT(!kpool_is_pending(item));
	KT_EXPECT(!kpool_cancel(item));
	KT_EXPECT_EQ(kpool_cancel_sync(item), 0);
	KT_EXPECT_EQ(kpool_flush_item(item), 0);
	KT_EXPECT_EQ(kpool_enable(item), -EINVAL);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &low.item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, item), 0);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush_item(item), 0);
	/* the low one has not been started before it, nor with it */
	KT_EXPECT_EQ(kpool_flush_item(&low.item), 0);
	KT_EXPECT_EQ(kt_stat(pool, units), 0);
	/* given up, it notifies no owner */
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_submit(pool, item), 0);
	KT_EXPECT_EQ(kt_stat(pool, pending), 1);
	KT_EXPECT_EQ(kpool_abort(pool), 1);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
}

static int poisoned_order, poisoned_units;
static struct kpool *poisoned_pool;

static int notes_itself(struct kpool_item *item)
{
	poisoned_units = kt_stat(poisoned_pool, units);
	poisoned_order = kt_stat(poisoned_pool, pending);
	return 0;
}

static const char *const inits[] = { "item", "job", NULL };

/*
 * Memory that is initialized can have been anything before.
 * Fails if a field is left as it was: a flag, a weight, a deadline, a group.
 */
static void init_sets_every_field(int init)
{
	struct kpool_job job;
	struct kpool_item *item = &job.item;
	struct kt_gate gate;

	poisoned_pool = kt_pool("poisoned", &queued_one);
	if (!poisoned_pool)
		return;
	poisoned_units = -1;
	poisoned_order = -1;
	fill(&job, sizeof(job));
	if (init)
		kpool_init_job(&job, notes_itself);
	else
		kpool_init_item_onstack(item, notes_itself);
	expect_plain_item(poisoned_pool, item, &gate);
	/* one unit, and the low one behind it */
	KT_EXPECT_EQ(poisoned_units, 1);
	KT_EXPECT_EQ(poisoned_order, 1);
	kpool_destroy_item_onstack(item);
	kt_pool_end(poisoned_pool);
}

/* The memory can also come from a heap that poisons. */
static void init_of_heap_memory_sets_every_field(int init)
{
	struct kpool_job *job = kmalloc(sizeof(*job), GFP_KERNEL);
	struct kt_gate gate;

	if (!KT_EXPECT(job))
		return;
	poisoned_pool = kt_pool("poisoned", &queued_one);
	if (!poisoned_pool)
		goto out;
	fill(job, sizeof(*job));
	if (init)
		kpool_init_job(job, notes_itself);
	else
		kpool_init_item(&job->item, notes_itself);
	expect_plain_item(poisoned_pool, &job->item, &gate);
	KT_EXPECT_EQ(poisoned_units, 1);
	KT_EXPECT_EQ(poisoned_order, 1);
	kt_pool_end(poisoned_pool);
out:
	kfree(job);
}

static void drop_here(struct kpool_item *item, int err)
{
	might_sleep();
	KT_EXPECT(in_task());
	KT_EXPECT(!irqs_disabled());
	KT_EXPECT(!kpool_is_pending(item));
	kt_job_dropped(item, err);
}

/*
 * Abort notifies each pending item's owner once, with -ECANCELED, in process
 * context, before it returns; what runs finishes, and blocked submitters are
 * refused.
 * Fails if the drop function is called under the lock, twice, late or with
 * another errno.
 */
static void abort_drops_pending_items(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 8 };
	static struct full f;
	static struct kt_job jobs[8], late;
	struct kt_submitter s;
	int i;

	if (!full_make(&f, &attrs))
		goto out;
	for (i = 0; i < 8; i++) {
		kt_job_init(&jobs[i], kt_job_tiny, &f.gate, i);
		kpool_set_drop_fn(&jobs[i].item, i == 7 ? NULL : drop_here);
		KT_EXPECT_EQ(kpool_submit(f.pool, &jobs[i].item), 0);
	}
	kt_job_init(&late, kt_job_tiny, &f.gate, 8);
	if (!kt_submitter_block(&s, f.pool, &late.item))
		goto out;
	KT_EXPECT_EQ(kpool_abort(f.pool), 8);
	KT_EXPECT_EQ(atomic_read(&f.gate.dropped), 7);
	KT_EXPECT_EQ(atomic_read(&f.gate.dropped_err), -ECANCELED);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_abort(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 0);
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_shutdown_timeout(f.pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 1);
	KT_EXPECT_EQ(kt_stat(f.pool, dropped), 8);
out:
	full_end(&f);
}

static struct kt_gate dropping;

static void drop_waits(struct kpool_item *item, int err)
{
	kt_gate_pass(&dropping);
	kt_job_dropped(item, err);
}

static int aborts(void *pool)
{
	return kpool_abort(pool);
}

/*
 * No item starts in an aborted pool, however long the drop function of another
 * takes.
 * Fails if a worker goes on with what is to be dropped: mutant
 * abort-starts-more.
 */
static void abort_starts_no_pending_item(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 2 };
	struct kt_thread aborter = { };
	static struct kt_job jobs[2];
	static struct full f;
	int i;

	kt_gate_init(&dropping);
	if (!full_make(&f, &attrs))
		goto out;
	for (i = 0; i < 2; i++) {
		kt_job_init(&jobs[i], kt_job_tiny, &f.gate, i);
		kpool_set_drop_fn(&jobs[i].item, drop_waits);
		KT_EXPECT_EQ(kpool_submit(f.pool, &jobs[i].item), 0);
	}
	if (!kt_thread_start(&aborter, aborts, f.pool))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&dropping.started)));
	kt_gate_open(&f.gate);
	KT_EXPECT(kt_wait(kt_stat(f.pool, completed)));
	kt_sleep_ms(10);
	KT_EXPECT_EQ(kt_stat(f.pool, completed), 1);
	kt_gate_open(&dropping);
	KT_EXPECT_EQ(kt_thread_join(&aborter), 2);
	KT_EXPECT_EQ(kt_stat(f.pool, dropped), 2);
out:
	full_end(&f);
}

/*
 * An item that still runs takes no free unit from a submitter that sleeps,
 * which is admitted as soon as no other item needs that.
 * Fails (the submitter sleeps until the item's run has ended) if there is no
 * room before the item is parked.
 */
static void cancel_admits_past_a_running_item(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 2 };
	static struct kt_job running, heavy, late;
	static struct kt_gate gate;
	struct kt_submitter s;
	struct kpool *pool = kt_pool("item", &attrs);

	if (!pool)
		return;
	kt_gate_init(&gate);
	kt_job_init(&running, kt_job_gated, &gate, 0);
	kt_job_init(&heavy, kt_job_tiny, &gate, 1);
	kt_job_init(&late, kt_job_tiny, &gate, 2);
	KT_EXPECT_EQ(kpool_set_weight(&heavy.item, 2), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &running.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started)));
	KT_EXPECT_EQ(kpool_submit(pool, &heavy.item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &running.item), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_NONE), 0);
	if (kt_submitter_block(&s, pool, &late.item)) {
		KT_EXPECT(kpool_cancel(&heavy.item));
		KT_EXPECT(kt_wait_prompt(kt_thread_done(&s.thread)));
		kt_gate_open(&gate);
		KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	}
	kt_gate_open(&gate);
	kt_pool_end(pool);
}

static void drop_frees(struct kpool_item *item, int err)
{
	struct kt_job *job = kt_job_of(item);

	kt_job_dropped(item, err);
	memset(job, 0x5a, sizeof(*job));
	kvfree(job);
}

/*
 * The drop function can free its item.
 * Fails (KASAN; elsewhere by the poison) if abort touches the item afterwards.
 */
static void drop_function_may_free_the_item(void)
{
	static struct full f;
	struct kt_job *job;
	int i;

	if (!full_make(&f, &queued_one))
		goto out;
	for (i = 0; i < 100; i++) {
		job = kt_jobs(1, kt_job_tiny, &f.gate);
		if (!job)
			goto out;
		kpool_set_drop_fn(&job->item, drop_frees);
		KT_EXPECT_EQ(kpool_submit(f.pool, &job->item), 0);
	}
	KT_EXPECT_EQ(kpool_abort(f.pool), 100);
	KT_EXPECT_EQ(atomic_read(&f.gate.dropped), 100);
out:
	full_end(&f);
}

/* An item whose drop function takes its time. */
static struct kt_gate dropping;

static void drop_gated(struct kpool_item *item, int err)
{
	kt_gate_pass(&dropping);
}

static int abort_main(void *arg)
{
	return kpool_abort(arg);
}

/*
 * Cancel of a queued item admits the submitter that waits for its place.
 * Fails if cancel forgets the waiters.
 */
static void cancel_admits_a_blocked_submitter(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1,
	};
	static struct kt_submitter blocked;
	static struct kt_job job[2];
	static struct full f;
	int i;

	if (!full_make(&f, &attrs))
		goto out;
	for (i = 0; i < 2; i++)
		kt_job_init(&job[i], kt_job_tiny, &f.gate, i);
	KT_EXPECT_EQ(kpool_submit(f.pool, &job[0].item), 0);
	if (!kt_submitter_block(&blocked, f.pool, &job[1].item))
		goto out;
	KT_EXPECT(kpool_cancel(&job[0].item));
	KT_EXPECT(kt_wait(kt_thread_done(&blocked.thread)));
	KT_EXPECT_EQ(kt_stat(f.pool, pending), 1);
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kt_thread_join(&blocked.thread), 0);
out:
	full_end(&f);
}

/*
 * A caller that waits for an item also waits for its drop function, so that
 * the owner can free it afterwards: cancel_sync, flush, destroy.
 * Fails if an item counts as idle as soon as it has left the queue.
 */
static void waiting_includes_the_drop_function(void)
{
	static struct full f;
	static struct kt_job job;
	struct kt_thread aborter, flusher;
	struct doer canceller;

	kt_gate_init(&dropping);
	if (!full_make(&f, &queued_one))
		goto out;
	kt_job_init(&job, kt_job_tiny, &f.gate, 1);
	kpool_set_drop_fn(&job.item, drop_gated);
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), 0);
	if (!kt_thread_start(&aborter, abort_main, f.pool))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&dropping.started) == 1));
	kt_gate_open(&f.gate);
	if (!doer_sleeps(&canceller, &job.item, kpool_cancel_sync) ||
	    !flusher_sleeps(&flusher, f.pool))
		goto out;
	KT_EXPECT_EQ(kpool_shutdown_timeout(f.pool, 2), -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_reopen(f.pool), -EBUSY);
	KT_EXPECT(!kt_thread_done(&canceller.thread));
	kt_gate_open(&dropping);
	KT_EXPECT_EQ(kt_thread_join(&canceller.thread), 0);
	KT_EXPECT_EQ(kt_thread_join(&flusher), 0);
	KT_EXPECT_EQ(kt_thread_join(&aborter), 1);
	KT_EXPECT_EQ(atomic_read(&dropping.finished), 1);
	KT_EXPECT_EQ(kpool_shutdown_timeout(f.pool, KT_LIMIT), 0);
out:
	kt_gate_open(&dropping);
	full_end(&f);
}

/* An item that submits itself, and then waits at the gate. */
struct repeater {
	struct kt_job	job;
	struct kpool	*pool;
	bool		inside;
};

static int repeat_gated(struct kpool_item *item)
{
	struct repeater *r = container_of(item, struct repeater, job.item);

	WRITE_ONCE(r->inside, true);
	KT_EXPECT_EQ(kpool_submit(r->pool, item), 0);
	kt_gate_pass(r->job.gate);
	WRITE_ONCE(r->inside, false);
	return 0;
}

static void repeater_drop(struct kpool_item *item, int err)
{
	struct repeater *r = container_of(item, struct repeater, job.item);

	KT_EXPECT(!READ_ONCE(r->inside));
	drop_here(item, err);
	kt_gate_pass(&dropping);
}

static void repeater_drop_frees(struct kpool_item *item, int err)
{
	struct repeater *r = container_of(item, struct repeater, job.item);

	KT_EXPECT(!READ_ONCE(r->inside));
	kt_job_dropped(item, err);
	memset(r, 0x5a, sizeof(*r));
	kfree(r);
}

/* Where the second submission waits: beside a free unit, queued, before it. */
static const char *const repeats[] = { "held", "queued", "due", NULL };
static const struct kpool_attrs repeat_attrs[] = {
	{ .capacity = 2 },
	{ .capacity = 1, .queue_depth = 1 },
	{ .capacity = 1 },
};

/* Make a pool where a repeater runs and is pending. */
static struct kpool *repeat(int place, struct repeater *r, struct kt_gate *gate,
			    kpool_drop_fn dropped)
{
	kt_gate_init(gate);
	kt_gate_init(&dropping);
	memset(r, 0, sizeof(*r));
	kt_job_init(&r->job, repeat_gated, gate, 0);
	kpool_set_drop_fn(&r->job.item, dropped);
	r->pool = kt_pool("repeat", &repeat_attrs[place]);
	if (!r->pool)
		return NULL;
	KT_EXPECT_EQ(kpool_submit(r->pool, &r->job.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate->started) == 1));
	KT_EXPECT(kpool_is_pending(&r->job.item));
	return r->pool;
}

/*
 * Abort does not wait for an item that runs and was submitted again.  That is
 * dropped once, when the run has ended; a waiter for the item waits for both.
 * Fails if the owner is notified, and can free the item, while it runs; or if
 * what its run holds back is forgotten.
 */
static void abort_drops_a_running_item_after_its_run(int place)
{
	static struct repeater r;
	static struct kt_gate gate;
	struct kpool *pool = repeat(place, &r, &gate, repeater_drop);
	struct doer flusher, canceller;
	struct kt_thread aborter;

	if (!pool)
		return;
	if (!kt_thread_start(&aborter, abort_main, pool))
		goto out;
	KT_EXPECT(kt_wait(kt_thread_done(&aborter) ||
			  atomic_read(&dropping.started)));
	if (!KT_EXPECT_EQ(atomic_read(&dropping.started), 0))
		kt_gate_open(&dropping);
	KT_EXPECT_EQ(kt_thread_join(&aborter), 0);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), 0);
	if (!doer_sleeps(&flusher, &r.job.item, kpool_flush_item))
		goto out;
	kt_sleep_ms(5);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), 0);
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(atomic_read(&dropping.started) == 1));
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	KT_EXPECT(!kt_thread_done(&flusher.thread));
	if (!doer_sleeps(&canceller, &r.job.item, kpool_cancel_sync))
		goto out;
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, 2), -ETIMEDOUT);
	kt_gate_open(&dropping);
	KT_EXPECT_EQ(kt_thread_join(&flusher.thread), 0);
	KT_EXPECT_EQ(kt_thread_join(&canceller.thread), 0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), 1);
	KT_EXPECT_EQ(atomic_read(&gate.dropped_err), -ECANCELED);
	KT_EXPECT_EQ(kt_stat(pool, dropped), 1);
	KT_EXPECT_EQ(kt_stat(pool, completed), 1);
out:
	kt_gate_open(&gate);
	kt_gate_open(&dropping);
	kt_pool_end(pool);
}

/*
 * Until that run ends the item is pending, and can be taken back: then no owner
 * is notified.
 * Fails if abort takes it out of reach, or cancel_sync returns before the run.
 */
static void aborted_running_item_can_be_cancelled(int place)
{
	static struct repeater r;
	static struct kt_gate gate;
	struct kpool *pool = repeat(place, &r, &gate, repeater_drop);
	struct doer canceller;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_abort(pool), 0);
	KT_EXPECT(kpool_is_pending(&r.job.item));
	if (!doer_sleeps(&canceller, &r.job.item, kpool_cancel_sync))
		goto out;
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kt_thread_join(&canceller.thread), 1);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&gate.dropped), 0);
	KT_EXPECT_EQ(kt_stat(pool, cancelled), 1);
out:
	kt_gate_open(&gate);
	kt_gate_open(&dropping);
	kt_pool_end(pool);
}

/*
 * The drop function can free such an item too.
 * Fails (KASAN; elsewhere by the poison) if it is called while the item runs,
 * or the worker touches the item afterwards.
 */
static void drop_function_may_free_an_item_that_ran(int place)
{
	static struct kt_gate gate;
	struct kpool *pool;
	struct repeater *r;
	int i;

	for (i = 0; i < 20; i++) {
		r = kzalloc_obj(*r, GFP_KERNEL);
		if (!KT_EXPECT(r))
			return;
		pool = repeat(place, r, &gate, repeater_drop_frees);
		if (!pool) {
			kfree(r);
			return;
		}
		KT_EXPECT_EQ(kpool_abort(pool), 0);
		kt_gate_open(&gate);
		KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
		KT_EXPECT_EQ(atomic_read(&gate.dropped), 1);
		kt_pool_end(pool);
	}
}

static struct kpool *other_pool;

/* The errors of a drop function that submits its item. */
static void drop_submits(struct kpool_item *item, int err)
{
	KT_EXPECT_EQ(kpool_try_submit(other_pool, item), -EBUSY);
	drop_gated(item, err);
}

/*
 * An item in its drop function is not idle: other pools get -EBUSY, its own,
 * closed, -ESHUTDOWN; afterwards any pool can have it.
 * Fails if it could run, be freed by its owner, and be queued elsewhere.
 */
static void item_in_its_drop_function_is_busy(void)
{
	static struct full f;
	static struct kt_job job;
	struct kt_thread aborter;

	kt_gate_init(&dropping);
	other_pool = kt_pool("other", &queued_one);
	if (!other_pool || !full_make(&f, &queued_one))
		goto out;
	kt_job_init(&job, kt_job_tiny, &f.gate, 1);
	kpool_set_drop_fn(&job.item, drop_submits);
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), 0);
	if (!kt_thread_start(&aborter, abort_main, f.pool))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&dropping.started) == 1));
	KT_EXPECT_EQ(kpool_submit(other_pool, &job.item), -EBUSY);
	KT_EXPECT_EQ(kpool_try_submit(other_pool, &job.item), -EBUSY);
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), -ESHUTDOWN);
	KT_EXPECT(!kpool_is_pending(&job.item));
	kt_gate_open(&dropping);
	KT_EXPECT_EQ(kt_thread_join(&aborter), 1);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 0);
	KT_EXPECT_EQ(kpool_submit(other_pool, &job.item), 0);
	KT_EXPECT_EQ(kpool_flush(other_pool), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 1);
out:
	kt_gate_open(&dropping);
	full_end(&f);
	kt_pool_end(other_pool);
}

static struct kpool_item *to_flush;

/* Waits for @to_flush from inside the pool, once the gate lets it. */
static int flush_inside(struct kpool_item *item)
{
	struct kt_job *job = kt_job_of(item);

	kt_gate_pass(job->gate);
	return kpool_flush_item(to_flush);
}

/*
 * An item that waits for a drop function to return is no deadlock, though
 * nothing else runs.
 * Fails if such a wait is refused: mutant dropping-taken-for-deadlock.
 */
static void waiting_for_a_drop_function_is_no_deadlock(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1,
	};
	struct kpool *pool = kt_pool("dropping", &attrs);
	static struct kt_job inside, job;
	static struct kt_gate gate;
	struct kt_thread aborter;
	struct kpool_stats stats;

	if (!pool)
		return;
	kt_gate_init(&dropping);
	kt_gate_init(&gate);
	kt_job_init(&inside, flush_inside, &gate, 0);
	kt_job_init(&job, kt_job_tiny, &gate, 1);
	kpool_set_drop_fn(&job.item, drop_gated);
	to_flush = &job.item;
	KT_EXPECT_EQ(kpool_submit(pool, &inside.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	if (!kt_thread_start(&aborter, abort_main, pool))
		goto out;
	KT_EXPECT(kt_wait(atomic_read(&dropping.started) == 1));
	kt_gate_open(&gate);
	kt_sleep_ms(20);
	KT_EXPECT_EQ(kt_stat(pool, running), 1);
	kt_gate_open(&dropping);
	KT_EXPECT_EQ(kt_thread_join(&aborter), 1);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	kpool_get_stats(pool, &stats);
	KT_EXPECT_EQ(stats.failed, 0);
out:
	kt_gate_open(&gate);
	kt_gate_open(&dropping);
	kt_pool_end(pool);
}

/*
 * An item can live on the stack of a thread that waits for it.
 * Fails (KASAN, DEBUG_OBJECTS) if the worker or flush touches it after flush
 * has returned.
 */
static void item_may_live_on_the_stack(void)
{
	struct kpool *pool = kt_pool("stack", &queued_one);
	struct kt_gate gate;
	struct kt_job job;
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	for (i = 1; i <= kt_count(2000); i++) {
		kpool_init_item_onstack(&job.item, kt_job_tiny);
		job.gate = &gate;
		KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
		KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
		kpool_destroy_item_onstack(&job.item);
		memset(&job, 0x5a, sizeof(job));
		if (!KT_EXPECT_EQ(atomic_read(&gate.finished), i))
			break;
	}
	kt_pool_end(pool);
}

static DEFINE_KPOOL_ITEM(static_item, kt_job_tiny);

/*
 * A zeroed item is idle, and a statically initialized one can be used.
 * Fails if the initializer leaves out a field that submit needs.
 */
static void item_may_be_static(void)
{
	static struct kpool_item zero;

	BUILD_BUG_ON(sizeof(struct kpool_item) > 64);
	KT_EXPECT(static_item.fn == kt_job_tiny);
	KT_EXPECT(!kpool_is_pending(&static_item));
	KT_EXPECT(!kpool_cancel(&static_item));
	KT_EXPECT_EQ(kpool_flush_item(&static_item), 0);
	KT_EXPECT(!kpool_is_pending(&zero));
	KT_EXPECT(!kpool_cancel(&zero));
	KT_EXPECT_EQ(kpool_cancel_sync(&zero), 0);
}

#define STORM_ITEMS	4

static struct {
	struct kpool	*pool;
	struct kt_gate	gate;
	struct kt_job	job[STORM_ITEMS];
	atomic_t	accepted, cancelled;
} storm;

/* Do something to some item. */
static void storm_step(u32 rnd)
{
	struct kpool_item *item = &storm.job[rnd % STORM_ITEMS].item;
	int ret;

	switch (rnd / STORM_ITEMS % 8) {
	case 0:
		atomic_add(kpool_cancel(item), &storm.cancelled);
		break;
	case 1:
		ret = kpool_cancel_sync(item);
		if (KT_EXPECT_GE(ret, 0))
			atomic_add(ret, &storm.cancelled);
		break;
	case 2:
		KT_EXPECT_EQ(kpool_flush_item(item), 0);
		break;
	case 3:
		ret = rnd & 1024 ? kpool_disable(item) : kpool_disable_sync(item);
		if (KT_EXPECT_GE(ret, 0))
			atomic_add(ret, &storm.cancelled);
		KT_EXPECT_GE(kpool_enable(item), 0);
		break;
	case 4:
		ret = kpool_submit_timeout(storm.pool, item, 1);
		atomic_add(!ret, &storm.accepted);
		break;
	case 5:
		ret = kpool_try_submit(storm.pool, item);
		atomic_add(!ret, &storm.accepted);
		break;
	default:
		ret = kpool_submit(storm.pool, item);
		atomic_add(!ret, &storm.accepted);
		KT_EXPECT(!ret || ret == -EALREADY || ret == -ECANCELED);
	}
}

static int storm_main(void *arg)
{
	u32 rnd = (long)arg;
	int i;

	for (i = 0; i < kt_count(4000); i++) {
		rnd = rnd * 1664525 + 1013904223;
		storm_step(rnd >> 16);
	}
	return 0;
}

static int storm_job(struct kpool_item *item)
{
	if (atomic_read(&kt_job_of(item)->gate->started) % 16 == 0)
		usleep_range(10, 50);
	return kt_job_tiny(item);
}

/*
 * An item has run in a pool that has gone.
 * Fails (KASAN complains) if it still points to that run: mutant
 * run-of-a-destroyed-pool.
 */
static void item_outlives_its_pool(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kt_gate gate;
	struct kt_job job;
	struct kpool *pool;
	int i;

	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_tiny, &gate, 1);
	for (i = 1; i <= 2; i++) {
		pool = kt_pool(i == 1 ? "first" : "second", &attrs);
		if (!pool)
			return;
		KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
		KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
		kt_pool_end(pool);
		rcu_barrier();
		KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
		KT_EXPECT_EQ(kpool_cancel_sync(&job.item), 0);
		KT_EXPECT_EQ(atomic_read(&gate.finished), i);
	}
}

/*
 * In all races, every submission ends exactly once: it ran or
 * it was cancelled.
 * Fails if any path changes an item's place without the lock.
 */
static void every_submission_ends_once(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 1 };
	struct kt_thread t[4];
	long i;

	memset(&storm, 0, sizeof(storm));
	storm.pool = kt_pool("storm", &attrs);
	if (!storm.pool)
		return;
	kt_gate_init(&storm.gate);
	for (i = 0; i < STORM_ITEMS; i++)
		kt_job_init(&storm.job[i], storm_job, &storm.gate, i);
	for (i = 0; i < 4; i++)
		kt_thread_start(&t[i], storm_main, (void *)(i * 7919 + 1));
	for (i = 0; i < 4; i++)
		kt_thread_join(&t[i]);
	KT_EXPECT_EQ(kpool_flush(storm.pool), 0);
	KT_EXPECT_EQ(atomic_read(&storm.gate.finished) +
		     atomic_read(&storm.cancelled),
		     atomic_read(&storm.accepted));
	KT_EXPECT_EQ(kt_stat(storm.pool, cancelled),
		     atomic_read(&storm.cancelled));
	KT_EXPECT_EQ(atomic_read(&storm.gate.dropped), 0);
	for (i = 0; i < STORM_ITEMS; i++)
		KT_EXPECT_EQ(kpool_enable(&storm.job[i].item), -EINVAL);
	kt_pool_end(storm.pool);
}

static int cancel_all_main(void *arg)
{
	struct kt_job *jobs = arg;
	int i, n = 0;

	for (i = 63; i >= 0; i--)
		n += kpool_cancel(&jobs[i].item);
	return n;
}

/*
 * Abort and cancel race for the same items: each is either dropped or
 * cancelled, never both.
 * Fails if abort takes items off the queue without marking them.
 */
static void abort_and_cancel_share_the_items(void)
{
	static struct kt_job jobs[64];
	static struct full f;
	struct kt_thread canceller, aborter;
	int i, round, ended;

	for (round = 0; round < 20; round++) {
		if (!full_make(&f, &queued_one))
			goto out;
		for (i = 0; i < 64; i++)
			kt_job_init(&jobs[i], kt_job_tiny, &f.gate, i);
		if (!kt_submit_jobs(f.pool, jobs, 64))
			goto out;
		kt_thread_start(&canceller, cancel_all_main, jobs);
		kt_thread_start(&aborter, abort_main, f.pool);
		ended = kt_thread_join(&canceller) + kt_thread_join(&aborter);
		KT_EXPECT_EQ(ended, 64);
		KT_EXPECT_EQ(atomic_read(&f.gate.dropped),
			     kt_stat(f.pool, dropped));
		full_end(&f);
	}
	return;
out:
	full_end(&f);
}

KT_MODULE("kpool selftest: what can be done to an item",
	  KT_CASE(cancel_removes_a_pending_item),
	  KT_CASE(cancel_leaves_a_running_item_alone),
	  KT_CASE(cancel_ends_a_blocked_submit),
	  KT_CASE(cancel_admits_a_blocked_submitter),
	  KT_CASE(cancel_sync_waits_and_refuses),
	  KT_CASE(disable_nests),
	  KT_CASE(disable_does_not_wrap),
	  KT_CASE(disable_sync_waits_and_stays_disabled),
	  KT_CASE(flush_item_waits_for_pending_and_running),
	  KT_CASE(flush_item_waits_for_the_next_run),
	  KT_CASE(flush_item_ends_before_the_next_item),
	  KT_CASE(flush_item_ends_with_cancel),
	  KT_CASE(flush_does_not_wait_for_later_submissions),
	  KT_CASE(pool_flush_waits_for_earlier_submissions),
	  KT_CASE(later_ends_do_not_end_a_flush),
	  KT_CASE(flushes_end_in_turn),
	  KT_CASE(flushes_end_in_turn_in_any_order_of_ends),
	  KT_CASE(flushes_and_submits_run_concurrently),
	  KT_EACH(init_sets_every_field, inits),
	  KT_EACH(init_of_heap_memory_sets_every_field, inits),
	  KT_CASE(abort_drops_pending_items),
	  KT_CASE(abort_starts_no_pending_item),
	  KT_CASE(cancel_admits_past_a_running_item),
	  KT_CASE(drop_function_may_free_the_item),
	  KT_CASE(waiting_includes_the_drop_function),
	  KT_CASE(waiting_for_a_drop_function_is_no_deadlock),
	  KT_EACH(abort_drops_a_running_item_after_its_run, repeats),
	  KT_EACH(aborted_running_item_can_be_cancelled, repeats),
	  KT_EACH(drop_function_may_free_an_item_that_ran, repeats),
	  KT_CASE(item_in_its_drop_function_is_busy),
	  KT_CASE(item_may_live_on_the_stack),
	  KT_CASE(item_may_be_static),
	  KT_CASE(item_outlives_its_pool),
	  KT_CASE(every_submission_ends_once),
	  KT_CASE(abort_and_cancel_share_the_items));
