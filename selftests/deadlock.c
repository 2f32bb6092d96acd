// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items that wait for their own pool: a deadlock is refused exactly when it
 * would be real, to the newest waiter.
 *
 * What is refused too late shows as a hang; what is refused too early, as an
 * -EDEADLK that was not expected.
 */
#include <linux/sched/debug.h>

#include "full.h"

/*
 * An item that, when triggered, makes one call that can sleep, and then
 * lingers.
 */
struct caller {
	struct kpool_item	item;
	struct kpool		*pool;
	int			(*call)(struct caller *c);
	struct completion	go;
	struct completion	end;
	struct task_struct	*task;
	struct caller		*peer;
	struct kt_job		child;
	unsigned long		timeout;
	int			ret;
	bool			calling;
	bool			returned;
};

static struct caller callers[4];
static struct kt_gate children;

static int caller_fn(struct kpool_item *item)
{
	struct caller *c = container_of(item, struct caller, item);

	WRITE_ONCE(c->task, current);
	wait_for_completion(&c->go);
	WRITE_ONCE(c->calling, true);
	c->ret = c->call(c);
	/* Pairs with has_returned(): then @ret is there. */
	smp_store_release(&c->returned, true);
	wait_for_completion(&c->end);
	return 0;
}

static bool has_returned(struct caller *c)
{
	/* Pairs with caller_fn(). */
	return smp_load_acquire(&c->returned);
}

/* Start item @i of a pool; it waits until it is triggered. */
static bool caller_start(int i, struct kpool *pool,
			 int (*call)(struct caller *c))
{
	struct caller *c = &callers[i];

	memset(c, 0, sizeof(*c));
	kpool_init_item(&c->item, caller_fn);
	init_completion(&c->go);
	init_completion(&c->end);
	kt_job_init(&c->child, kt_job_tiny, &children, i);
	c->pool = pool;
	c->call = call;
	return KT_EXPECT_EQ(kpool_submit(pool, &c->item), 0) &&
	       KT_EXPECT(kt_wait(READ_ONCE(c->task)));
}

static bool callers_start(int n, struct kpool *pool,
			  int (*call)(struct caller *c))
{
	int i;

	kt_gate_init(&children);
	for (i = 0; i < n; i++)
		if (!caller_start(i, pool, call))
			return false;
	return true;
}

/* Trigger the caller, and return when it sleeps in its call or after it. */
static void caller_sleeps_or_returns(struct caller *c)
{
	complete(&c->go);
	KT_EXPECT(kt_wait(READ_ONCE(c->calling) &&
			  !task_is_running(c->task)));
}

/* Trigger the caller, and return when it sleeps in its call. */
static void caller_sleeps(struct caller *c)
{
	caller_sleeps_or_returns(c);
	KT_EXPECT(!has_returned(c));
}

/* Like kt_wait_prompt(), but for a caller's own timeout. */
static bool caller_returned(struct caller *c)
{
	unsigned long limit = kt_exact ? HZ / 20 + c->timeout : KT_LIMIT;

	return KT_EXPECT(kt_wait_for(has_returned(c), limit));
}

/* Trigger the caller; its call is expected to return @ret. */
static void caller_gets(struct caller *c, int ret)
{
	complete(&c->go);
	if (caller_returned(c))
		KT_EXPECT_EQ(c->ret, ret);
}

/* The caller's call is expected to return @ret. */
static void caller_wakes(struct caller *c, int ret)
{
	if (caller_returned(c))
		KT_EXPECT_EQ(c->ret, ret);
}

static void caller_end(struct caller *c)
{
	complete(&c->end);
	KT_EXPECT_EQ(kpool_flush_item(&c->item), 0);
}

/* Let the remaining waiters continue, and check the counters. */
static void callers_end(struct kpool *pool)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(callers); i++) {
		if (!callers[i].pool)
			continue;
		complete_all(&callers[i].go);
		complete_all(&callers[i].end);
	}
	kt_pool_end(pool);
	memset(callers, 0, sizeof(callers));
}

static int submits_child(struct caller *c)
{
	return kpool_submit(c->pool, &c->child.item);
}

static int submits_child_in_time(struct caller *c)
{
	return kpool_submit_timeout(c->pool, &c->child.item, c->timeout);
}

static int submits_and_flushes_child(struct caller *c)
{
	return kpool_submit(c->pool, &c->child.item) ?:
	       kpool_flush_item(&c->child.item);
}

static int flushes_peer(struct caller *c)
{
	return kpool_flush_item(&c->peer->item);
}

static int cancels_peer(struct caller *c)
{
	return kpool_cancel_sync(&c->peer->item);
}

static int does_nothing(struct caller *c)
{
	return 0;
}

/*
 * On a full pool, an item's submit sleeps while another item is active, and is
 * admitted when that one ends.
 * Fails if any submit from inside an item of a full pool is refused.
 */
static void nested_submit_that_can_wait_waits(void)
{
	struct kpool *pool = kt_pool("nested",
				     &(struct kpool_attrs){ .capacity = 2 });

	if (!pool || !callers_start(2, pool, submits_child))
		goto out;
	callers[1].call = does_nothing;
	caller_sleeps(&callers[0]);
	KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 1));
	caller_gets(&callers[1], 0);
	kt_sleep_ms(20);
	KT_EXPECT(!has_returned(&callers[0]));
	caller_end(&callers[1]);
	caller_wakes(&callers[0], 0);
	KT_EXPECT_EQ(kpool_flush_item(&callers[0].child.item), 0);
	KT_EXPECT_EQ(atomic_read(&children.finished), 1);
out:
	callers_end(pool);
}

/*
 * The submit that would put the last active item to sleep is refused.  The
 * others go on sleeping, and are admitted in order as soon as items end.
 * Fails (hangs) without the check, or refuses the wrong one, or several.
 */
static void submit_that_would_deadlock_is_refused(void)
{
	struct kpool *pool = kt_pool("nested",
				     &(struct kpool_attrs){ .capacity = 4 });
	int i;

	if (!pool || !callers_start(4, pool, submits_child))
		goto out;
	for (i = 0; i < 3; i++)
		caller_sleeps(&callers[i]);
	caller_gets(&callers[3], -EDEADLK);
	KT_EXPECT_EQ(kt_stat(pool, blocked), 3);
	for (i = 0; i < 3; i++)
		KT_EXPECT(!has_returned(&callers[i]));
	caller_end(&callers[3]);
	for (i = 0; i < 3; i++)
		caller_wakes(&callers[i], 0);
	KT_EXPECT(kt_wait(atomic_read(&children.finished) == 3));
	KT_EXPECT(!kpool_is_pending(&callers[3].child.item));
out:
	callers_end(pool);
}

/*
 * With capacity 1 an item cannot wait for room, but can use the queue, and what
 * it queued runs after it.
 * Fails if a nested submit is refused although the queue has room.
 */
static void nested_submit_uses_the_queue(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 1 };
	struct kpool *pool = kt_pool("nested", &attrs);
	static struct kt_job queued;

	if (!pool || !callers_start(1, pool, submits_child))
		goto out;
	kt_job_init(&queued, kt_job_tiny, &children, 1);
	KT_EXPECT_EQ(kpool_submit(pool, &queued.item), 0);
	caller_gets(&callers[0], -EDEADLK);
	KT_EXPECT(kpool_cancel(&queued.item));
	caller_end(&callers[0]);
	if (!caller_start(1, pool, submits_child))
		goto out;
	caller_gets(&callers[1], 0);
	KT_EXPECT_EQ(atomic_read(&children.finished), 0);
	caller_end(&callers[1]);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&children.finished), 1);
out:
	callers_end(pool);
}

/*
 * A low item lacks units, and waits in the only place.  A nested submit of a
 * higher one takes a free unit, and needs no place.
 * Fails (-EDEADLK) if the low item is taken for one ahead of it: mutant
 * heavy-below-is-ahead.
 */
static void nested_submit_bypasses_a_heavy_low_item(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 1 };
	struct kpool *pool = kt_pool("nested", &attrs);
	static struct kt_job heavy;

	if (!pool || !callers_start(1, pool, submits_and_flushes_child))
		goto out;
	kt_job_init(&heavy, kt_job_tiny, &children, 1);
	KT_EXPECT_EQ(kpool_set_weight(&heavy.item, 2), 0);
	KT_EXPECT_EQ(kpool_set_priority(&heavy.item, KPOOL_PRIO_LOW), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &heavy.item), 0);
	caller_gets(&callers[0], 0);
	caller_end(&callers[0]);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&children.finished), 2);
out:
	callers_end(pool);
}

/*
 * While units are free, a nested submit makes the pool grow, and the item can
 * wait for its child.
 * Fails if workers that exist are counted instead of units.
 */
static void nested_submit_grows_the_pool(void)
{
	struct kpool *pool = kt_pool("nested",
				     &(struct kpool_attrs){ .capacity = 2 });

	if (!pool || !callers_start(1, pool, submits_and_flushes_child))
		goto out;
	caller_gets(&callers[0], 0);
	KT_EXPECT_EQ(atomic_read(&children.finished), 1);
out:
	callers_end(pool);
}

/*
 * A nested submitter is refused although an external submitter waits before it,
 * and the external submitter is admitted afterwards.
 * Fails if external submitters blocked in submit are taken for callers that
 * could help.
 */
static void external_submitters_make_no_progress(void)
{
	struct kpool *pool = kt_pool("nested",
				     &(struct kpool_attrs){ .capacity = 1 });
	static struct kt_job late;
	struct kt_submitter s;

	if (!pool || !callers_start(1, pool, submits_child))
		goto out;
	kt_job_init(&late, kt_job_tiny, &children, 1);
	if (!kt_submitter_block(&s, pool, &late.item))
		goto out;
	caller_gets(&callers[0], -EDEADLK);
	KT_EXPECT(!kt_thread_done(&s.thread));
	caller_end(&callers[0]);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&children.finished), 1);
out:
	callers_end(pool);
}

static atomic_t met;

static int meet_fn(struct kpool_item *item)
{
	struct kt_job *job = kt_job_of(item);

	atomic_inc(&met);
	KT_EXPECT(kt_wait(atomic_read(&met) >= job->nr));
	return kt_job_tiny(item);
}

/*
 * Up to capacity items that wait for each other all run at once, even when
 * they were queued in one burst.
 * Fails if a wake-up is lost, or one worker is made to take two of them.
 */
static void capacity_items_may_await_one_another(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 8, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = kt_pool("meet", &attrs);
	static struct kt_job jobs[8];
	static struct kt_gate gate;
	int i, round;

	if (!pool)
		return;
	kt_gate_init(&gate);
	for (round = 1; round <= 20; round++) {
		atomic_set(&met, 0);
		for (i = 0; i < 8; i++) {
			kt_job_init(&jobs[i], meet_fn, &gate, 8);
			KT_EXPECT_EQ(kpool_submit(pool, &jobs[i].item), 0);
		}
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT_EQ(atomic_read(&gate.finished), 8 * round);
	}
	kt_pool_end(pool);
}

static int waits_for_itself(struct caller *c)
{
	KT_EXPECT_EQ(kpool_flush_item(&c->item), -EDEADLK);
	KT_EXPECT_EQ(kpool_cancel_sync(&c->item), -EDEADLK);
	KT_EXPECT_EQ(kpool_submit(c->pool, &c->item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&c->item), -EDEADLK);
	KT_EXPECT_EQ(kpool_cancel_sync(&c->item), -EDEADLK);
	KT_EXPECT(!kpool_is_pending(&c->item));
	KT_EXPECT_EQ(kpool_disable_sync(&c->item), -EDEADLK);
	KT_EXPECT_EQ(kpool_submit(c->pool, &c->item), -ECANCELED);
	KT_EXPECT_EQ(kpool_enable(&c->item), 0);
	return 0;
}

/*
 * An item that waits for itself gets -EDEADLK, also if others are active; the
 * pending submission is taken back, and disable holds, all the same.
 * Fails (hangs) without the check for the own item.
 */
static void wait_for_itself_is_refused(void)
{
	struct kpool *pool = kt_pool("self",
				     &(struct kpool_attrs){ .capacity = 2 });

	if (!pool || !callers_start(2, pool, waits_for_itself))
		goto out;
	caller_gets(&callers[0], 0);
	caller_end(&callers[0]);
	KT_EXPECT_EQ(kt_stat(pool, cancelled), 1);
out:
	callers_end(pool);
}

/* Two items wait for each other, each in its own way. */
static void cycle_of_two(int capacity, int (*call)(struct caller *c))
{
	struct kpool *pool = kt_pool("cycle",
				     &(struct kpool_attrs){ .capacity = capacity });

	if (!pool || !callers_start(2, pool, call))
		goto out;
	callers[0].peer = &callers[1];
	callers[1].peer = &callers[0];
	caller_sleeps(&callers[0]);
	caller_gets(&callers[1], -EDEADLK);
	kt_sleep_ms(5);
	KT_EXPECT(!has_returned(&callers[0]));
	caller_end(&callers[1]);
	caller_wakes(&callers[0], 0);
out:
	callers_end(pool);
}

/*
 * Of two items that flush each other the newer is refused; the older waits
 * until that one has ended.
 * Fails (hangs) if only submitters count as waiters.
 */
static void cycle_of_flushes_is_refused(void)
{
	cycle_of_two(2, flushes_peer);
}

/* Two items that cancel_sync each other are a cycle, too. */
static void cycle_of_cancels_is_refused(void)
{
	cycle_of_two(2, cancels_peer);
}

/*
 * The cycle is refused while a unit is free: nothing that could use it would
 * help.
 * Fails if free units are taken for a way out though nothing is pending.
 */
static void cycle_is_refused_with_a_free_unit(void)
{
	cycle_of_two(3, flushes_peer);
}

/*
 * An item can wait for a queued one while a third is active, and is refused
 * when none is.
 * Fails if flush looks at its target alone, or not at all.
 */
static void flush_of_a_pending_item_needs_an_active_one(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 1 };
	struct kpool *pool = kt_pool("flush", &attrs);

	if (!pool || !callers_start(2, pool, submits_and_flushes_child))
		goto out;
	callers[1].call = does_nothing;
	caller_sleeps(&callers[0]);
	KT_EXPECT_EQ(kt_stat(pool, pending), 1);
	caller_gets(&callers[1], 0);
	caller_end(&callers[1]);
	caller_wakes(&callers[0], 0);
	caller_end(&callers[0]);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	if (!caller_start(0, pool, submits_and_flushes_child))
		goto out;
	caller_gets(&callers[0], -EDEADLK);
	KT_EXPECT(kpool_is_pending(&callers[0].child.item));
	caller_end(&callers[0]);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&children.finished), 2);
out:
	callers_end(pool);
}

static struct kpool_job late;
static int late_got;		/* by a flush of it; 1: none so far */

static int flushes_late_fn(struct kpool_item *item)
{
	WRITE_ONCE(late_got, kpool_flush_item(&late.item));
	return 0;
}

/*
 * Nor can a job start that becomes due while the waiter holds all units.
 * Fails (lasts an hour) if what is delayed is taken for a way out: mutant
 * delayed-job-needs-no-unit.
 */
static void flush_of_a_delayed_job_without_a_unit_is_refused(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2 };
	struct kpool *pool = kt_pool("late", &attrs);
	struct kpool_item heavy;

	if (!pool)
		return;
	late_got = 1;
	kpool_init_job(&late, kt_job_tiny);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &late, 3600 * HZ), 0);
	kpool_init_item_onstack(&heavy, flushes_late_fn);
	KT_EXPECT_EQ(kpool_set_weight(&heavy, 2), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &heavy), 0);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(late_got) != 1));
	KT_EXPECT_EQ(READ_ONCE(late_got), -EDEADLK);
	KT_EXPECT(kpool_cancel(&late.item));
	KT_EXPECT_EQ(kpool_flush_item(&heavy), 0);
	kpool_destroy_item_onstack(&heavy);
	kt_pool_end(pool);
}

/*
 * While an active item remains, all others sleep.  When it ends on a pool that
 * has shrunk since, no waiter can be completed, and the newest is refused.
 * Fails (hangs) if only blocking callers check for it, and the end of an item
 * does not.
 */
static void last_active_item_ends_on_a_shrunk_pool(void)
{
	struct kpool *pool = kt_pool("shrunk",
				     &(struct kpool_attrs){ .capacity = 3 });

	if (!pool || !callers_start(3, pool, submits_child))
		goto out;
	callers[2].call = does_nothing;
	caller_sleeps(&callers[0]);
	caller_sleeps(&callers[1]);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	kt_sleep_ms(5);
	KT_EXPECT(!has_returned(&callers[0]));
	KT_EXPECT(!has_returned(&callers[1]));
	caller_gets(&callers[2], 0);
	caller_end(&callers[2]);
	caller_wakes(&callers[1], -EDEADLK);
	KT_EXPECT(!has_returned(&callers[0]));
	caller_end(&callers[1]);
	caller_wakes(&callers[0], 0);
out:
	callers_end(pool);
}

/*
 * A paused pool is no deadlock, as resume can admit the waiters.
 * Fails if pause is not checked.
 */
static void paused_pool_is_no_deadlock(void)
{
	struct kpool *pool = kt_pool("paused",
				     &(struct kpool_attrs){ .capacity = 2 });

	if (!pool || !callers_start(1, pool, submits_and_flushes_child))
		goto out;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	caller_sleeps(&callers[0]);
	kt_sleep_ms(20);
	KT_EXPECT(!has_returned(&callers[0]));
	KT_EXPECT_EQ(atomic_read(&children.finished), 0);
	kpool_resume(pool);
	caller_wakes(&callers[0], 0);
	KT_EXPECT_EQ(atomic_read(&children.finished), 1);
out:
	callers_end(pool);
}

/*
 * A deadlock that a tune made while the pool was paused is refused at resume.
 * Fails (hangs) if resume does not look again.
 */
static void resume_checks_for_deadlock(void)
{
	struct kpool *pool = kt_pool("paused",
				     &(struct kpool_attrs){ .capacity = 2 });

	if (!pool || !callers_start(1, pool, submits_and_flushes_child))
		goto out;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	caller_sleeps(&callers[0]);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	kt_sleep_ms(20);
	KT_EXPECT(!has_returned(&callers[0]));
	kpool_resume(pool);
	caller_wakes(&callers[0], -EDEADLK);
	caller_end(&callers[0]);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&children.finished), 1);
out:
	callers_end(pool);
}

static int flushes_child_of(void *arg)
{
	struct caller *c = arg;

	return kpool_flush_item(&c->child.item);
}

/*
 * An item and an external submitter wait for one pending item, and the item,
 * which came first, is refused.
 * Fails (hangs) if the waiters behind a refused one are forgotten.
 */
static void waiter_behind_a_refused_one_is_completed(void)
{
	struct kpool *pool = kt_pool("paused",
				     &(struct kpool_attrs){ .capacity = 2 });
	struct kt_thread t = { };

	if (!pool || !callers_start(1, pool, submits_and_flushes_child))
		goto out;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	caller_sleeps(&callers[0]);
	if (!kt_thread_start(&t, flushes_child_of, &callers[0]) ||
	    !kt_thread_asleep(&t))
		goto out;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	kpool_resume(pool);
	caller_wakes(&callers[0], -EDEADLK);
	caller_end(&callers[0]);
	KT_EXPECT(kt_wait(kt_thread_done(&t)));
	KT_EXPECT_EQ(atomic_read(&children.finished), 1);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	t.task = NULL;
out:
	if (t.task) {
		kpool_resume(pool);
		kt_thread_join(&t);
	}
	callers_end(pool);
}

/*
 * A caller that sleeps with a timeout will wake by itself: no waiter is
 * refused, and the other is admitted after.
 * Fails if a timed waiter counts as one that can never go on.
 */
static void timed_wait_is_no_deadlock(void)
{
	struct kpool *pool = kt_pool("timed",
				     &(struct kpool_attrs){ .capacity = 2 });

	if (!pool || !callers_start(2, pool, submits_child))
		goto out;
	callers[0].call = submits_child_in_time;
	callers[0].timeout = HZ / 2;
	caller_sleeps_or_returns(&callers[0]);
	KT_EXPECT(!kt_exact || !has_returned(&callers[0]));
	complete(&callers[1].go);
	caller_wakes(&callers[0], -ETIMEDOUT);
	caller_end(&callers[0]);
	caller_wakes(&callers[1], 0);
out:
	callers_end(pool);
}

static int waits_for_the_pool(struct caller *c)
{
	KT_EXPECT_EQ(kpool_flush(c->pool), -EDEADLK);
	KT_EXPECT_EQ(kpool_shutdown_timeout(c->pool, KT_LIMIT), -EDEADLK);
	KT_EXPECT_EQ(kpool_destroy(c->pool), -EDEADLK);
	return kpool_submit(c->pool, &c->child.item);
}

/*
 * Waiting for the whole pool from inside its own item is always refused, and
 * changes nothing: the pool stays open.
 * Fails (hangs) without the check, or if shutdown closes before it looks.
 */
static void waiting_for_the_whole_pool_is_refused(void)
{
	struct kpool *pool = kt_pool("whole",
				     &(struct kpool_attrs){ .capacity = 2 });

	if (!pool || !callers_start(1, pool, waits_for_the_pool))
		goto out;
	caller_gets(&callers[0], 0);
	KT_EXPECT_EQ(kpool_flush_item(&callers[0].child.item), 0);
	KT_EXPECT_EQ(atomic_read(&children.finished), 1);
out:
	callers_end(pool);
}

/* A drop function that waits for what waits for it. */
static struct kpool *dropping_pool, *uninvolved;
static struct task_struct *drop_work;

static void drop_waits(struct kpool_item *item, int err)
{
	drop_work = current;
	KT_EXPECT_EQ(kpool_flush_item(item), -EDEADLK);
	KT_EXPECT_EQ(kpool_cancel_sync(item), -EDEADLK);
	KT_EXPECT_EQ(kpool_disable_sync(item), -EDEADLK);
	KT_EXPECT_EQ(kpool_enable(item), 0);
	KT_EXPECT_EQ(kpool_flush(dropping_pool), -EDEADLK);
	KT_EXPECT_EQ(kpool_shutdown_timeout(dropping_pool, KT_LIMIT), -EDEADLK);
	KT_EXPECT_EQ(kpool_destroy(dropping_pool), -EDEADLK);
	KT_EXPECT_EQ(kpool_flush(uninvolved), 0);
	kt_job_dropped(item, err);
}

static bool dropping_start(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 4 };

	kt_gate_init(&children);
	drop_work = NULL;
	dropping_pool = kt_pool("dropping", &attrs);
	uninvolved = kt_pool("uninvolved", &attrs);
	return dropping_pool && uninvolved;
}

static void dropping_end(void)
{
	kt_gate_open(&children);
	if (dropping_pool)
		KT_EXPECT_EQ(kpool_shutdown_timeout(dropping_pool, KT_LIMIT), 0);
	kt_pool_end(dropping_pool);
	kt_pool_end(uninvolved);
}

/*
 * Inside a drop function, waiting for its item or its pool is refused to
 * any aborter; another pool can be waited for.
 * Fails (hangs) if only workers are looked for.
 */
static void aborter_that_waits_in_drop_function_is_refused(void)
{
	static struct kt_job jobs[3];
	int i;

	if (!dropping_start())
		goto out;
	for (i = 0; i < 3; i++) {
		kt_job_init(&jobs[i], kt_job_gated, &children, i);
		kpool_set_drop_fn(&jobs[i].item, drop_waits);
		KT_EXPECT_EQ(kpool_submit(dropping_pool, &jobs[i].item), 0);
	}
	KT_EXPECT(kt_wait(atomic_read(&children.started) == 1));
	KT_EXPECT_EQ(kpool_abort(dropping_pool), 2);
	KT_EXPECT_EQ(atomic_read(&children.dropped), 2);
	KT_EXPECT(drop_work == current);
	KT_EXPECT_EQ(kpool_flush_item(&jobs[1].item), 0);
out:
	dropping_end();
}

static int submits_itself_gated(struct kpool_item *item)
{
	KT_EXPECT_EQ(kpool_submit(dropping_pool, item), 0);
	return kt_job_gated(item);
}

/*
 * A worker calls the drop function, of an item that ran: the wait is refused,
 * too.
 * Fails (hangs) if a worker counts as inside its pool while it runs an item
 * alone.
 */
static void worker_that_waits_in_drop_function_is_refused(void)
{
	static struct kt_job job;

	if (!dropping_start())
		goto out;
	kt_job_init(&job, submits_itself_gated, &children, 0);
	kpool_set_drop_fn(&job.item, drop_waits);
	KT_EXPECT_EQ(kpool_submit(dropping_pool, &job.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&children.started) == 1));
	KT_EXPECT_EQ(kpool_abort(dropping_pool), 0);
	kt_gate_open(&children);
	KT_EXPECT_EQ(kpool_flush(dropping_pool), 0);
	KT_EXPECT_EQ(atomic_read(&children.dropped), 1);
	KT_EXPECT(drop_work && drop_work != current);
out:
	dropping_end();
}

static int waits_for_another_pool(struct caller *c)
{
	struct full *f = (struct full *)c->timeout;

	KT_EXPECT_EQ(kpool_submit(f->pool, &c->child.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&c->child.item), 0);
	return kpool_flush(f->pool);
}

/*
 * Waiting for another pool is waiting: an item can sleep there for room, for an
 * item, for all of them.
 * Fails if being any pool's worker is taken for being this one's.
 */
static void waits_across_pools_are_waits(void)
{
	static const struct kpool_attrs one = { .capacity = 1 };
	struct kpool *pool = kt_pool("across", &one);
	static struct full f;

	if (!pool || !full_make(&f, &one) ||
	    !callers_start(1, pool, waits_for_another_pool))
		goto out;
	callers[0].timeout = (unsigned long)&f;
	caller_sleeps(&callers[0]);
	KT_EXPECT_EQ(kt_stat(f.pool, blocked), 1);
	kt_gate_open(&f.gate);
	caller_wakes(&callers[0], 0);
	KT_EXPECT_EQ(atomic_read(&children.finished), 1);
out:
	full_end(&f);
	callers_end(pool);
}

/* A tree of items: each submits two more, by any means. */
static struct kpool *storm_pool;
static atomic_t storm_accepted, storm_refused, storm_ran;

static int storm_fn(void *arg)
{
	long depth = (long)arg;
	int i, err;

	atomic_inc(&storm_ran);
	for (i = 0; depth && i < 2; i++) {
		err = kpool_submit_fn(storm_pool, storm_fn, (void *)(depth - 1),
				      GFP_KERNEL);
		if (!err)
			atomic_inc(&storm_accepted);
		else if (KT_EXPECT_EQ(err, -EDEADLK))
			atomic_inc(&storm_refused);
	}
	return 0;
}

/*
 * Items that submit items without end to a small pool never hang, and what
 * was accepted runs.
 * Fails (hangs) if a cycle can close between the look and the sleep.
 */
static void storm_of_nested_submits_never_hangs(void)
{
	int i, roots = kt_count(300);

	storm_pool = kt_pool("storm", &(struct kpool_attrs){ .capacity = 3 });
	if (!storm_pool)
		return;
	atomic_set(&storm_accepted, 0);
	atomic_set(&storm_refused, 0);
	atomic_set(&storm_ran, 0);
	for (i = 0; i < roots; i++)
		KT_EXPECT_EQ(kpool_submit_fn(storm_pool, storm_fn, (void *)4L,
					     GFP_KERNEL), 0);
	KT_EXPECT(kt_wait(kt_is_drained(storm_pool)));
	KT_EXPECT_EQ(atomic_read(&storm_ran),
		     roots + atomic_read(&storm_accepted));
	KT_EXPECT_GE(atomic_read(&storm_accepted), roots);
	kt_pool_end(storm_pool);
}

/* A called function that can begin before its caller sleeps for its end. */
static bool caller_is_back;

static int submits_while_called(void *arg)
{
	struct caller *c = arg;
	int err = kpool_submit(c->pool, &c->child.item);

	KT_EXPECT(!READ_ONCE(caller_is_back));
	return err;
}

static int calls_a_submit(struct caller *c)
{
	int result = 0, err;

	/* do not preempt the worker that is about to run the function */
	sched_set_normal(current, 19);
	err = kpool_call(c->pool, submits_while_called, c, &result);
	sched_set_normal(current, 0);
	WRITE_ONCE(caller_is_back, true);
	KT_EXPECT_EQ(result, -EDEADLK);
	return err;
}

/*
 * A function can use what is on its caller's stack: the caller is not refused
 * while it runs, also if it blocked last.
 * Fails (with one CPU, where the function runs first) if it is: mutants
 * running-call-refused, call-that-runs-already-refused.
 */
static void caller_of_a_run_is_not_refused(void)
{
	struct kpool *pool = kt_pool("called",
				     &(struct kpool_attrs){ .capacity = 2 });

	caller_is_back = false;
	if (!pool || !callers_start(2, pool, calls_a_submit))
		goto out;
	callers[1].call = does_nothing;
	/* the call itself has to wait for a unit */
	caller_sleeps(&callers[0]);
	KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 1));
	caller_gets(&callers[1], 0);
	caller_end(&callers[1]);
	caller_wakes(&callers[0], 0);
	KT_EXPECT_EQ(atomic_read(&children.finished), 0);
out:
	callers_end(pool);
}

/* More than are followed. */
#define CHAINED	80

static struct chained {
	struct kpool_item	item;
	struct task_struct	*task;
	int			got;
} chained[CHAINED];

static struct kt_gate chain_end;
static atomic_t chain_returned;

static int waits_for_the_one_before(struct kpool_item *item)
{
	struct chained *c = container_of(item, struct chained, item);

	WRITE_ONCE(c->task, current);
	if (c == chained)
		return kt_gate_pass(&chain_end);
	c->got = kpool_flush_item(&c[-1].item);
	atomic_inc(&chain_returned);
	return 0;
}

/*
 * Many items, each of which waits for the one before, and the first for none.
 * Fails (-EDEADLK) if a chain that is not followed to its end is taken for a
 * cycle: mutant long-chain-refused.
 */
static void long_chain_is_no_cycle(void)
{
	const struct kpool_attrs attrs = { .capacity = CHAINED };
	struct kpool *pool = kt_pool("chain", &attrs);
	int i;

	if (!pool)
		return;
	memset(chained, 0, sizeof(chained));
	kt_gate_init(&chain_end);
	atomic_set(&chain_returned, 0);
	for (i = 0; i < CHAINED; i++) {
		kpool_init_item(&chained[i].item, waits_for_the_one_before);
		chained[i].got = 1;
		if (!KT_EXPECT_EQ(kpool_submit(pool, &chained[i].item), 0))
			break;
		/* asleep, so that the next has a longer way to follow */
		KT_EXPECT(kt_wait(READ_ONCE(chained[i].task) &&
				  !task_is_running(chained[i].task)));
	}
	KT_EXPECT_EQ(i, CHAINED);
	KT_EXPECT_EQ(atomic_read(&chain_returned), 0);
	kt_gate_open(&chain_end);
	KT_EXPECT(kt_wait(atomic_read(&chain_returned) == i - 1));
	while (--i > 0)
		KT_EXPECT_EQ(chained[i].got, 0);
	kt_pool_end(pool);
}

KT_MODULE("kpool selftest: items that wait for their own pool",
	  KT_CASE(long_chain_is_no_cycle),
	  KT_CASE(nested_submit_that_can_wait_waits),
	  KT_CASE(submit_that_would_deadlock_is_refused),
	  KT_CASE(nested_submit_uses_the_queue),
	  KT_CASE(nested_submit_bypasses_a_heavy_low_item),
	  KT_CASE(nested_submit_grows_the_pool),
	  KT_CASE(external_submitters_make_no_progress),
	  KT_CASE(capacity_items_may_await_one_another),
	  KT_CASE(wait_for_itself_is_refused),
	  KT_CASE(cycle_of_flushes_is_refused),
	  KT_CASE(cycle_of_cancels_is_refused),
	  KT_CASE(cycle_is_refused_with_a_free_unit),
	  KT_CASE(flush_of_a_pending_item_needs_an_active_one),
	  KT_CASE(flush_of_a_delayed_job_without_a_unit_is_refused),
	  KT_CASE(last_active_item_ends_on_a_shrunk_pool),
	  KT_CASE(paused_pool_is_no_deadlock),
	  KT_CASE(resume_checks_for_deadlock),
	  KT_CASE(waiter_behind_a_refused_one_is_completed),
	  KT_CASE(timed_wait_is_no_deadlock),
	  KT_CASE(waiting_for_the_whole_pool_is_refused),
	  KT_CASE(aborter_that_waits_in_drop_function_is_refused),
	  KT_CASE(worker_that_waits_in_drop_function_is_refused),
	  KT_CASE(waits_across_pools_are_waits),
	  KT_CASE(storm_of_nested_submits_never_hangs),
	  KT_CASE(caller_of_a_run_is_not_refused));
