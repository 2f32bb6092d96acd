// SPDX-License-Identifier: GPL-2.0-only
/*
 * Features used at the same time: pairs of which one could break the other, and
 * then all at once, at random.
 */
#include <linux/prandom.h>

#include "jobs.h"

static struct probe p[32];
static struct kpool_group group;
static struct kpool_stream stream;

/* A pool whose @n units are held by p[0] to p[@n - 1]. */
static struct kpool *busy_pool(const struct kpool_attrs *attrs, int n)
{
	struct kpool *pool = kt_pool("together", attrs);
	int i;

	if (!pool)
		return NULL;
	probes_init(p, ARRAY_SIZE(p), probe_fn);
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, 0), 0);
	kpool_init_stream(&stream, pool);
	probes_hold(p, n);
	probes_submit(pool, p, n);
	for (i = 0; i < n; i++)
		probe_runs(&p[i]);
	return pool;
}

static void busy_end(struct kpool *pool)
{
	probes_open(p, ARRAY_SIZE(p));
	jobs_end(pool);
}

static const struct kpool_attrs queued_one = {
	.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
};

/*
 * A group is cancelled whose members lead a stream: the others of the stream
 * go on.
 * Fails (hangs) if a drop by the group keeps the stream's turn.
 */
static void stream_continues_when_its_leaders_group_is_cancelled(void)
{
	struct kpool *pool = busy_pool(&queued_one, 1);
	static struct order order;
	int i;

	if (!pool)
		return;
	order_init(&order);
	for (i = 1; i < 7; i++) {
		kpool_set_stream(&p[i].job, &stream);
		if (i % 2)
			kpool_set_group(&p[i].job, &group);
		p[i].order = &order;
	}
	probes_submit(pool, &p[1], 6);
	kpool_group_cancel(&group);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	for (i = 1; i < 7; i += 2) {
		probes_expect_dropped(&p[i], 1, -ECANCELED);
		probes_expect_ran(&p[i + 1], 1);
		KT_EXPECT_EQ(order.nr[i / 2], i + 1);
	}
	busy_end(pool);
}

/* Fails if a group that fails fast waits for ever for the jobs behind it. */
static void failing_job_drops_later_jobs(void)
{
	struct kpool *pool = busy_pool(&queued_one, 1);
	int i;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL,
				      KPOOL_GROUP_FAIL_FAST |
				      KPOOL_GROUP_COLLECT), 0);
	for (i = 1; i < 9; i++) {
		kpool_set_stream(&p[i].job, &stream);
		kpool_set_group(&p[i].job, &group);
	}
	p[3].ret = -EIO;
	probes_submit(pool, &p[1], 8);
	probes_open(p, 1);
	for (i = 1; i < 9; i++)
		KT_EXPECT(!IS_ERR_OR_NULL(kpool_group_next(&group, KT_LIMIT)));
	KT_EXPECT(!kpool_group_next(&group, KT_LIMIT));
	KT_EXPECT_EQ(kpool_group_error(&group), -EIO);
	probes_expect_ran(&p[1], 3);
	probes_expect_dropped(&p[4], 5, -ECANCELED);
	KT_EXPECT_EQ(kpool_job_result(&p[3].job), -EIO);
	KT_EXPECT_EQ(kpool_job_result(&p[4].job), -ECANCELED);
	busy_end(pool);
}

/* Fails if an evicted member is lost to its group, or no error of it. */
static void evicted_member_is_an_error_of_its_group(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 2, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = busy_pool(&attrs, 1);

	if (!pool)
		return;
	kpool_set_group(&p[1].job, &group);
	probes_submit(pool, &p[1], 3);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), -EAGAIN);
	probes_expect_dropped(&p[1], 1, -EAGAIN);
	KT_EXPECT_EQ(kt_stat(pool, displaced), 1);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(&p[2], 2);
	busy_end(pool);
}

/* Fails (hangs) if an evicted job keeps its stream's turn or breaks order. */
static void evicted_job_starts_the_next_of_its_stream(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 3, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = busy_pool(&attrs, 1);
	static struct order order;
	int i;

	if (!pool)
		return;
	order_init(&order);
	for (i = 1; i < 7; i++) {
		kpool_set_stream(&p[i].job, &stream);
		p[i].order = &order;
	}
	probes_submit(pool, &p[1], 6);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(order.n + probes_dropped(p, 7), 6);
	KT_EXPECT_EQ(kt_stat(pool, displaced), probes_dropped(p, 7));
	KT_EXPECT_GE(order.n, 3);
	for (i = 1; i < order.n; i++)
		KT_EXPECT_GE(order.nr[i], order.nr[i - 1] + 1);
	busy_end(pool);
}

/*
 * Nothing is evicted without need.  A light item that is about to start goes
 * only if the heavy one behind it fits then.  With 2 units free it does, with 1
 * not.
 * Fails if the oldest goes, and two wait in a queue of one
 * (evict-without-room).
 */
static void evicted_light_or_heavy_item_makes_room(int two_free)
{
	const struct kpool_attrs attrs = {
		.capacity = 2 + two_free, .queue_depth = 1,
		.when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = busy_pool(&attrs, 1);
	int gone = two_free ? 1 : 2;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_set_weight(&p[2].job.item, 2), 0);
	KT_EXPECT_EQ(kpool_set_weight(&p[3].job.item, 2), 0);
	probes_submit(pool, &p[1], 3);
	KT_EXPECT(kt_wait(probes_dropped(p, 4)));
	probes_expect_dropped(&p[gone], 1, -EAGAIN);
	kpool_resume(pool);
	probe_ran(&p[3 - gone]);
	KT_EXPECT(kt_wait(kt_stat(pool, pending) <= 1));
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(&p[3 - gone], 1);
	probes_expect_ran(&p[3], 1);
	busy_end(pool);
}

static const char *const newcomer_prios[] = { "equal", "higher", NULL };

/*
 * A high newcomer is ahead of a heavy low item.  So the units of a light one
 * that is about to start are enough for it.  A newcomer that is low needs the
 * heavy one's place.
 * Fails if the wrong one goes: mutant victim-for-the-heavy-only.
 */
static void evicted_light_item_makes_room_for_a_higher(int higher)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .queue_depth = 1, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = busy_pool(&attrs, 1);
	int i, gone = higher ? 1 : 2;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	for (i = 1; i < 3 + !higher; i++)
		KT_EXPECT_EQ(kpool_set_priority(&p[i].job.item, KPOOL_PRIO_LOW), 0);
	KT_EXPECT_EQ(kpool_set_weight(&p[2].job.item, 3), 0);
	KT_EXPECT_EQ(kpool_set_weight(&p[3].job.item, 2), 0);
	probes_submit(pool, &p[1], 3);
	KT_EXPECT(kt_wait(probes_dropped(p, 4)));
	probes_expect_dropped(&p[gone], 1, -EAGAIN);
	kpool_resume(pool);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(&p[3 - gone], 1);
	probes_expect_ran(&p[3], 1);
	busy_end(pool);
}

/*
 * A low item is about to start, between a high one and a heavy high one, as it
 * is its turn.  It frees no place, so the heavy one goes for a newcomer.
 * Fails (two wait in a queue of one) if the low one goes: mutant
 * victim-behind-by-priority.
 */
static void heavy_item_behind_a_lower_in_turn_is_evicted(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .queue_depth = 1, .max_bypass = 1,
		.when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = kt_pool("together", &attrs);
	int i;

	if (!pool)
		return;
	probes_init(p, 4, probe_fn);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(kpool_set_priority(&p[i].job.item, i == 1 ? KPOOL_PRIO_LOW :
									KPOOL_PRIO_HIGH), 0);
	KT_EXPECT_EQ(kpool_set_weight(&p[2].job.item, 3), 0);
	probes_submit(pool, p, 4);
	KT_EXPECT(kt_wait(probes_dropped(p, 4)));
	probes_expect_dropped(&p[2], 1, -EAGAIN);
	kpool_resume(pool);
	busy_end(pool);
	probes_expect_ran(&p[0], 2);
	probes_expect_ran(&p[3], 1);
}

/*
 * A job is about to start, with a heavy one of its stream behind it and light
 * items behind that.  A high newcomer could have the job's unit, but the light
 * ones would wait for the heavy one then, which goes itself.
 * Fails (four wait in a queue of one) if the first goes: mutant
 * victim-ahead-of-a-heavy-later-job.
 */
static void evicted_heavy_later_job_makes_room_for_a_higher(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 1, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = kt_pool("together", &attrs);

	if (!pool)
		return;
	probes_init(p, 6, probe_fn);
	kpool_init_stream(&stream, pool);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 4), 0);
	KT_EXPECT_EQ(kpool_set_priority(&p[5].job.item, KPOOL_PRIO_HIGH), 0);
	probes_submit(pool, p, 6);
	KT_EXPECT(kt_wait(probes_dropped(p, 6)));
	probes_expect_dropped(&p[1], 1, -EAGAIN);
	kpool_resume(pool);
	busy_end(pool);
	probes_expect_ran(&p[0], 1);
	probes_expect_ran(&p[2], 4);
}

/*
 * An item waits, too, behind a heavy one of a higher priority.  It frees a
 * place for a newcomer like any other, however few units it has.
 * Fails (-EAGAIN) if it is not taken for one that waits: mutant
 * evict-not-behind-a-heavy-one.
 */
static void evicted_item_behind_a_heavy_one_makes_room(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .queue_depth = 2, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = busy_pool(&attrs, 2);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&p[2].job.item, 3), 0);
	KT_EXPECT_EQ(kpool_set_priority(&p[2].job.item, KPOOL_PRIO_HIGH), 0);
	probes_submit(pool, &p[2], 2);
	KT_EXPECT_EQ(probe_try(pool, &p[4]), 0);
	KT_EXPECT(kt_wait(probes_dropped(p, 5)));
	probes_expect_dropped(&p[3], 1, -EAGAIN);
	probes_open(p, 2);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(&p[2], 1);
	probes_expect_ran(&p[4], 1);
	busy_end(pool);
}

/*
 * A newcomer that has to follow in a stream needs a place, not the unit of one
 * that is about to start.  Others can do with the unit.
 * Fails if the oldest goes, and two wait in a queue of one
 * (evict-for-a-later-job).
 */
static void evicted_item_makes_room_for_a_later_job(int follows)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 1, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = kt_pool("together", &attrs);
	int gone = follows ? 2 : 1;

	if (!pool)
		return;
	probes_init(p, 4, probe_fn);
	kpool_init_stream(&stream, pool);
	probes_hold(p, 1);
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[2].job, &stream);
	if (follows)
		kpool_set_stream(&p[3].job, &stream);
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, &p[1], 3);
	KT_EXPECT(kt_wait(probes_dropped(p, 4)));
	probes_expect_dropped(&p[gone], 1, -EAGAIN);
	kpool_resume(pool);
	busy_end(pool);
	probes_expect_ran(&p[3 - gone], 1);
	probes_expect_ran(&p[3], 1);
}

static const char *const later_jobs[] = {
	"before", "behind", "behind_and_higher", NULL
};

/*
 * A job that is about to start goes if the next of its stream starts in its
 * place.  It does not go if the next is behind an item that lacks units: that
 * goes itself then, unless it has a higher priority.
 * Fails if the next goes, or three wait in a queue of two: mutants
 * later-job-before-unfit-is-blocked, later-job-behind-unfit-starts,
 * evict-before-a-higher.
 */
static void evicted_leader_makes_room_for_its_later_job(int where)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 2, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = busy_pool(&attrs, 1);
	struct probe *next = where ? &p[3] : &p[2];
	struct probe *heavy = where ? &p[2] : &p[3];

	if (!pool)
		return;
	kpool_set_stream(&p[1].job, &stream);
	kpool_set_stream(&next->job, &stream);
	KT_EXPECT_EQ(kpool_set_weight(&heavy->job.item, 4), 0);
	if (where == 2)
		KT_EXPECT_EQ(kpool_set_priority(&next->job.item,
						KPOOL_PRIO_HIGH), 0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, &p[1], 3);
	KT_EXPECT_EQ(probe_try(pool, &p[4]), 0);
	KT_EXPECT(kt_wait(probes_dropped(p, 5)));
	probes_expect_dropped(where == 1 ? heavy : &p[1], 1, -EAGAIN);
	kpool_resume(pool);
	busy_end(pool);
	KT_EXPECT_EQ(probes_ran(p, 5), 4);
}

/*
 * A full queue of which one place is taken by a job that waits for its stream
 * with its turn behind it.  That one is the oldest, and makes room.
 * Fails if such a job is spared, or its place is not counted: then the newcomer
 * is refused.
 */
static void job_that_waits_for_its_stream_fills_the_queue(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 2, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = kt_pool("together", &attrs);

	if (!pool)
		return;
	probes_init(p, 6, probe_fn);
	kpool_init_stream(&stream, pool);
	probes_hold(p, 3);
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	probes_submit(pool, p, 3);
	probe_runs(&p[0]);
	probe_runs(&p[2]);
	KT_EXPECT_EQ(kt_stat(pool, pending), 1);
	KT_EXPECT_EQ(probe_try(pool, &p[3]), 0);
	KT_EXPECT_EQ(kt_stat(pool, displaced), 0);
	KT_EXPECT_EQ(probe_try(pool, &p[4]), 0);
	KT_EXPECT(kt_wait(probes_dropped(p, 6)));
	probes_expect_dropped(&p[1], 1, -EAGAIN);
	/* its drop function can still run */
	KT_EXPECT(kt_wait(kt_stat(pool, pending) == 2));
	busy_end(pool);
	probes_expect_ran(&p[0], 1);
	probes_expect_ran(&p[2], 3);
}

/*
 * A job that still runs waits for its stream to run again, with its turn behind
 * it.  It does not make room, because it could not be dropped before it
 * returns.
 * Fails if a job that waits for its stream is not asked whether it runs.
 */
static void job_that_runs_and_waits_for_its_stream_is_not_evicted(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 1, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = kt_pool("together", &attrs);

	if (!pool)
		return;
	probes_init(p, 3, probe_fn);
	kpool_init_stream(&stream, pool);
	probes_hold(p, 2);
	kpool_set_stream(&p[0].job, &stream);
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
	probes_submit(pool, p, 2);
	probe_runs(&p[1]);
	KT_EXPECT_EQ(probe_try(pool, &p[2]), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(pool, displaced), 0);
	busy_end(pool);
	KT_EXPECT_EQ(probes_ran(p, 3), 3);
	KT_EXPECT_EQ(probes_dropped(p, 3), 0);
}

/*
 * An item that has run, and lacks units for its next run, is older than a job
 * that waits for its stream: it goes first.
 * Fails if the job goes because its turn has come: mutant
 * parked-before-an-older.
 */
static void item_put_back_is_evicted_before_a_younger_job(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 2, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = busy_pool(&attrs, 2);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&p[0].job.item, 4), 0);
	KT_EXPECT_EQ(probe_try(pool, &p[0]), 0);
	kpool_set_stream(&p[2].job, &stream);
	kpool_set_stream(&p[3].job, &stream);
	probes_hold(&p[2], 1);
	probes_submit(pool, &p[2], 2);
	probe_runs(&p[2]);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 2));
	KT_EXPECT_EQ(kt_stat(pool, pending), 2);
	KT_EXPECT_EQ(probe_try(pool, &p[4]), 0);
	KT_EXPECT(kt_wait(probes_dropped(p, 5)));
	KT_EXPECT_EQ(atomic_read(&p[0].dropped), 1);
	busy_end(pool);
	KT_EXPECT_EQ(atomic_read(&p[0].ran), 1);
	probes_expect_ran(&p[1], 4);
}

/*
 * Jobs that follow one that runs are the only ones queued, and the oldest of
 * them goes.
 * Fails if what waits for its stream is spared.
 */
static void queued_later_job_is_evicted(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 2, .when_full = KPOOL_FULL_DROP_OLDEST,
	};
	struct kpool *pool = kt_pool("together", &attrs);
	int i;

	if (!pool)
		return;
	probes_init(p, 6, probe_fn);
	kpool_init_stream(&stream, pool);
	probes_hold(p, 1);
	for (i = 0; i < 3; i++)
		kpool_set_stream(&p[i].job, &stream);
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
	probes_submit(pool, &p[1], 2);
	KT_EXPECT_EQ(probe_try(pool, &p[3]), 0);
	KT_EXPECT(kt_wait(probes_dropped(p, 6)));
	probes_expect_dropped(&p[1], 1, -EAGAIN);
	busy_end(pool);
	probes_expect_ran(&p[0], 1);
	probes_expect_ran(&p[2], 2);
}

/*
 * A job that comes due waits behind a heavy submitter, also if it would fit.
 * Fails if it takes the unit that the other waits for.
 */
static void due_job_does_not_overtake_a_heavy_submitter(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2 };
	struct kpool *pool = busy_pool(&attrs, 1);
	struct kt_submitter s = { };

	if (!pool)
		return;
	probes_hold(&p[1], 1);
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 2), 0);
	if (!kt_submitter_block(&s, pool, &p[1].job.item))
		goto out;
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[2].job, 0), 0);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[3].job, 1), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, pending) == 2));
	kt_sleep_ms(10);
	KT_EXPECT_EQ(probes_ran(&p[2], 2), 0);
	probes_open(p, 1);
	probe_runs(&p[1]);
	KT_EXPECT_EQ(probes_ran(&p[2], 2), 0);
	probes_open(&p[1], 1);
	KT_EXPECT(kt_wait(probes_ran(&p[2], 2) == 2));
out:
	probes_open(p, 2);
	if (s.thread.task)
		KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	busy_end(pool);
}

/* Fails if a submitter that runs a member itself does not notify the group. */
static void caller_runs_a_member_of_a_group(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kpool *pool = busy_pool(&attrs, 1);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL,
				      KPOOL_GROUP_COLLECT), 0);
	kpool_set_group(&p[1].job, &group);
	p[1].ret = -EIO;
	KT_EXPECT_EQ(kpool_submit(pool, &p[1].job.item), 0);
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), -EIO);
	KT_EXPECT(kpool_group_next(&group, 0) == &p[1].job);
	KT_EXPECT_EQ(kpool_job_result(&p[1].job), -EIO);
	KT_EXPECT_EQ(kt_stat(pool, caller_ran), 1);
	kpool_group_cancel(&group);
	KT_EXPECT_EQ(kpool_submit(pool, &p[1].job.item), -ECANCELED);
	KT_EXPECT_EQ(atomic_read(&p[1].ran), 1);
	busy_end(pool);
}

/* Fails if a job whose time has passed is run by its submitter. */
static void caller_does_not_run_an_expired_job(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kpool *pool = busy_pool(&attrs, 1);

	if (!pool)
		return;
	kpool_set_deadline(&p[1].job, the_past());
	KT_EXPECT_EQ(kpool_submit(pool, &p[1].job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&p[1].job.item), 0);
	probes_expect_dropped(&p[1], 1, -ETIME);
	busy_end(pool);
}

/*
 * A heavy job of a stream waits for its units; when its group is cancelled,
 * those that it held back start.
 * Fails (hangs) if no worker is woken for those behind the job that was
 * dropped.
 */
static void dropped_heavy_head_starts_others(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = busy_pool(&attrs, 1);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 3), 0);
	kpool_set_stream(&p[1].job, &stream);
	kpool_set_group(&p[1].job, &group);
	kpool_set_stream(&p[2].job, &stream);
	probes_submit(pool, &p[1], 4);
	kt_sleep_ms(2);
	KT_EXPECT_EQ(probes_ran(&p[1], 4), 0);
	kpool_group_cancel(&group);
	probe_ran(&p[2]);
	probe_ran(&p[3]);
	probe_ran(&p[4]);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	probes_expect_dropped(&p[1], 1, -ECANCELED);
	KT_EXPECT_EQ(atomic_read(&p[0].ran), 0);
	busy_end(pool);
}

/* Fails if a delayed job expires before its turn, or not then. */
static void delayed_job_expires_at_its_start(void)
{
	struct kpool *pool = busy_pool(&queued_one, 1);

	if (!pool)
		return;
	kpool_set_group(&p[1].job, &group);
	kpool_set_stream(&p[1].job, &stream);
	kpool_set_stream(&p[2].job, &stream);
	kpool_set_deadline(&p[1].job, the_past());
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[1].job, 3600 * HZ), 0);
	kt_sleep_ms(2);
	KT_EXPECT_EQ(atomic_read(&p[1].dropped), 0);
	KT_EXPECT(kpool_modify_delay(&p[1].job, 0));
	KT_EXPECT(kt_wait(!kt_stat(pool, delayed)));
	KT_EXPECT_EQ(kpool_submit(pool, &p[2].job.item), 0);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), -ETIME);
	probe_ran(&p[2]);
	probes_expect_dropped(&p[1], 1, -ETIME);
	busy_end(pool);
}

/*
 * A high job starts before normal ones, but in its stream it is in its place,
 * and its being held back holds no plain item.
 * Fails if a later job blocks the queue because of its priority.
 */
static void high_later_job_blocks_no_other(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = busy_pool(&attrs, 0);

	if (!pool)
		return;
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	KT_EXPECT_EQ(kpool_set_priority(&p[1].job.item, KPOOL_PRIO_HIGH), 0);
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 2), 0);
	KT_EXPECT_EQ(kpool_set_priority(&p[2].job.item, KPOOL_PRIO_LOW), 0);
	probes_hold(p, 1);
	probes_submit(pool, p, 3);
	probe_ran(&p[2]);
	KT_EXPECT_EQ(atomic_read(&p[1].ran), 0);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, 3);
	busy_end(pool);
}

/* Fails if a group's wait is not for the heavy, the late and the streamed. */
static void group_waits_for_all_kinds_of_jobs(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = busy_pool(&attrs, 1);
	int i;

	if (!pool)
		return;
	for (i = 1; i < 25; i++) {
		kpool_set_group(&p[i].job, &group);
		KT_EXPECT_EQ(kpool_set_weight(&p[i].job.item, 1 + i % 3), 0);
		KT_EXPECT_EQ(kpool_set_priority(&p[i].job.item, i % 3), 0);
		if (i % 2)
			kpool_set_stream(&p[i].job, &stream);
		if (i % 4)
			KT_EXPECT_EQ(kpool_submit(pool, &p[i].job.item), 0);
		else
			KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[i].job,
							  i / 4), 0);
	}
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	probes_expect_ran(&p[1], 24);
	busy_end(pool);
}

/* All at once */

#define CLIENTS		4
#define JOBS		20
#define LANES		2
#define MAX_CAPACITY	6

/* A stream and what its jobs check. */
struct lane {
	struct kpool_stream	stream;
	atomic_t		active;
	int			last;
};

struct client;

struct client_job {
	struct kpool_job	job;
	struct client		*client;
	struct lane		*lane;		/* it is in, or NULL */
	int			nr;		/* of its place there, or -1 */
	int			weight;
	int			ret;
	int			usecs;
	int			accepted;
	int			taken_back;
	bool			collected;	/* or never to be */
	atomic_t		ran;
	atomic_t		dropped;
};

struct client {
	struct kt_thread	thread;
	struct kpool		*pool;
	struct rnd_state	rnd;
	struct lane		lane[LANES];
	struct kpool_group	group[2];	/* plain, and to be collected */
	struct client_job		jobs[JOBS];
	int			next;
	int			calls;
};

static struct client *clients;
static atomic_t units;		/* held in workers, by our own count */
static atomic_t most_units;
static atomic_t calls_ran;
static atomic_t calls_released;
static bool stop;

static u32 client_random(struct client *c, u32 sides)
{
	return prandom_u32_state(&c->rnd) % sides;
}

static void note_units(int now)
{
	int most = atomic_read(&most_units);

	while (now > most && !atomic_try_cmpxchg(&most_units, &most, now))
		;
}

static int client_job_fn(struct kpool_item *item)
{
	struct client_job *r = container_of(item, struct client_job, job.item);
	bool in_worker = current != r->client->thread.task;
	int ret = r->ret;

	if (in_worker)
		note_units(atomic_add_return(r->weight, &units));
	if (r->lane) {
		KT_EXPECT_EQ(atomic_inc_return(&r->lane->active), 1);
		if (r->nr >= 0) {
			KT_EXPECT_GE(r->nr, r->lane->last + 1);
			r->lane->last = r->nr;
		}
	}
	if (r->usecs)
		usleep_range(r->usecs, r->usecs + 20);
	if (r->lane)
		KT_EXPECT_EQ(atomic_dec_return(&r->lane->active), 0);
	if (in_worker)
		atomic_sub(r->weight, &units);
	atomic_inc(&r->ran);
	return ret;
}

static void client_job_dropped(struct kpool_item *item, int err)
{
	struct client_job *r = container_of(item, struct client_job, job.item);

	KT_EXPECT(err == -ECANCELED || err == -ETIME || err == -EAGAIN);
	atomic_inc(&r->dropped);
}

/* By our counters, is the job idle, and in no list of a group? */
static bool client_job_is_idle(struct client_job *r)
{
	return r->collected && r->accepted == r->taken_back +
	       atomic_read(&r->ran) + atomic_read(&r->dropped);
}

static void client_job_set(struct client *c, struct client_job *r)
{
	struct kpool_item *item = &r->job.item;
	int which = client_random(c, 4);

	KT_EXPECT_EQ(kpool_flush_item(item), 0);
	r->weight = 1 + client_random(c, 3);
	r->ret = client_random(c, 10) ? 0 : -EIO;
	r->usecs = client_random(c, 8) ? 0 : 1 + client_random(c, 60);
	r->lane = client_random(c, 2) ? &c->lane[client_random(c, LANES)] : NULL;
	r->nr = c->next++;
	r->collected = which != 1;
	KT_EXPECT_EQ(kpool_set_weight(item, r->weight), 0);
	KT_EXPECT_EQ(kpool_set_priority(item, client_random(c, 3)), 0);
	kpool_set_deadline(&r->job, client_random(c, 6) ? 0 :
			   ktime_add_us(ktime_get(), client_random(c, 200)));
	kpool_set_stream(&r->job, r->lane ? &r->lane->stream : NULL);
	kpool_set_group(&r->job, which < 2 ? &c->group[which] : NULL);
}

static int client_job_submit(struct client *c, struct client_job *r)
{
	struct kpool_item *item = &r->job.item;

	switch (client_random(c, 6)) {
	case 0:
		return kpool_try_submit(c->pool, item);
	case 1:
		return kpool_submit_timeout(c->pool, item, client_random(c, 3));
	case 2:
		return kpool_submit_killable(c->pool, item);
	case 3:
		r->nr = -1;	/* its place is given when it is due */
		return kpool_submit_delayed(c->pool, &r->job, client_random(c, 3));
	default:
		return kpool_submit(c->pool, item);
	}
}

static void client_submits(struct client *c)
{
	struct client_job *r = &c->jobs[client_random(c, JOBS)];
	int err;

	if (!client_job_is_idle(r))
		return;
	client_job_set(c, r);
	err = client_job_submit(c, r);
	if (!err) {
		r->accepted++;
		return;
	}
	r->collected = true;
	KT_EXPECT(err == -EAGAIN || err == -ETIMEDOUT || err == -ECANCELED ||
		  err == -EINVAL);
}

static void client_takes_back(struct client *c)
{
	struct client_job *r = &c->jobs[client_random(c, JOBS)];
	struct kpool_item *item = &r->job.item;

	switch (client_random(c, 4)) {
	case 0:
		r->taken_back += kpool_cancel_sync(item);
		break;
	case 1:
		r->taken_back += kpool_disable(item);
		if (r->collected && r->weight == 1)
			KT_EXPECT_EQ(kpool_submit(c->pool, item), -ECANCELED);
		KT_EXPECT_EQ(kpool_enable(item), 0);
		break;
	case 2:
		kpool_modify_delay(&r->job, client_random(c, 3));
		break;
	default:
		r->taken_back += kpool_cancel(item);
		break;
	}
}

/* Take what has ended; after a wait that is all, and the group begins anew. */
static void client_collects(struct client *c, bool all)
{
	struct kpool_job *job;

	for (;;) {
		job = kpool_group_next(&c->group[1], all ? KT_LIMIT : 0);
		if (IS_ERR_OR_NULL(job))
			break;
		container_of(job, struct client_job, job)->collected = true;
	}
	if (all)
		KT_EXPECT_EQ(PTR_ERR_OR_ZERO(job), 0);
}

static void client_renews_groups(struct client *c)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (client_random(c, 2))
			kpool_group_cancel(&c->group[i]);
		KT_EXPECT_EQ(kpool_group_wait(&c->group[i], KT_LIMIT), 0);
	}
	client_collects(c, true);
	KT_EXPECT_EQ(kpool_init_group(&c->group[0], c->pool, NULL,
				      client_random(c, 2) ? KPOOL_GROUP_FAIL_FAST : 0),
		     0);
	KT_EXPECT_EQ(kpool_init_group(&c->group[1], c->pool,
				      client_random(c, 2) ? &c->group[0] : NULL,
				      KPOOL_GROUP_COLLECT), 0);
}

static int called(void *arg)
{
	atomic_inc(&calls_ran);
	kfree(arg);
	return 5;
}

static void call_released(void *arg)
{
	atomic_inc(&calls_released);
}

static int called_for(void *arg)
{
	return *(int *)arg;
}

/* Call once with an argument that its function frees, once with a timeout. */
static void client_calls(struct client *c)
{
	static int five = 5;
	void *arg = kmalloc(16, GFP_KERNEL);
	int err, result = 0;

	if (!KT_EXPECT(arg))
		return;
	err = kpool_call(c->pool, called, arg, &result);
	if (err) {
		KT_EXPECT_EQ(err, -EAGAIN);
		kfree(arg);
	} else {
		KT_EXPECT_EQ(result, 5);
		c->calls++;
	}
	err = kpool_call_timeout(c->pool, called_for, &five, call_released,
				 client_random(c, 3), &result);
	KT_EXPECT(!err || err == -EAGAIN || err == -ETIMEDOUT);
}

static int client_main(void *arg)
{
	struct client *c = arg;
	int i, n = max(kt_count(2000), 400);

	for (i = 0; i < n; i++) {
		switch (client_random(c, 64)) {
		case 0 ... 15:
			client_takes_back(c);
			break;
		case 16 ... 19:
			client_collects(c, false);
			break;
		case 20:
			client_renews_groups(c);
			break;
		case 21:
			client_calls(c);
			break;
		default:
			client_submits(c);
			break;
		}
	}
	client_renews_groups(c);
	return 0;
}

/* At the end: each submission has ended in one way. */
static void client_check(struct client *c)
{
	int i;

	for (i = 0; i < JOBS; i++) {
		KT_EXPECT_EQ(kpool_flush_item(&c->jobs[i].job.item), 0);
		if (!KT_EXPECT(client_job_is_idle(&c->jobs[i])))
			pr_err("%s: job %d: %d accepted, %d ran, %d dropped, %d taken back\n",
			       KBUILD_MODNAME, i, c->jobs[i].accepted,
			       atomic_read(&c->jobs[i].ran),
			       atomic_read(&c->jobs[i].dropped),
			       c->jobs[i].taken_back);
	}
	for (i = 0; i < LANES; i++)
		KT_EXPECT_EQ(atomic_read(&c->lane[i].active), 0);
}

static void client_init(struct client *c, struct kpool *pool, int seed)
{
	int i;

	c->pool = pool;
	prandom_seed_state(&c->rnd, seed);
	for (i = 0; i < LANES; i++) {
		kpool_init_stream(&c->lane[i].stream, pool);
		c->lane[i].last = -1;
	}
	for (i = 0; i < 2; i++)
		KT_EXPECT_EQ(kpool_init_group(&c->group[i], pool, NULL,
					      i ? KPOOL_GROUP_COLLECT : 0), 0);
	for (i = 0; i < JOBS; i++) {
		kpool_init_job(&c->jobs[i].job, client_job_fn);
		kpool_set_drop_fn(&c->jobs[i].job.item, client_job_dropped);
		c->jobs[i].client = c;
		c->jobs[i].collected = true;
	}
}

/* Turns everything that can be turned, until stopped. */
struct tuner {
	struct kt_thread	thread;
	struct kpool		*pool;
	bool			tunes;
};

static void tuner_tunes(struct tuner *d, struct rnd_state *rnd)
{
	u32 value = prandom_u32_state(rnd);

	switch (value % 4) {
	case 0:
		KT_EXPECT_EQ(kpool_tune(d->pool, KPOOL_TUNE_CAPACITY,
					1 + (value >> 8) % MAX_CAPACITY), 0);
		break;
	case 1:
		KT_EXPECT_EQ(kpool_tune(d->pool, KPOOL_TUNE_QUEUE_DEPTH,
					1 + (value >> 8) % 12), 0);
		break;
	default:
		KT_EXPECT_EQ(kpool_tune(d->pool, KPOOL_TUNE_WHEN_FULL,
					(value >> 8) % 2 ? KPOOL_FULL_DROP_OLDEST :
							   KPOOL_NONE), 0);
		break;
	}
}

static int tuner_main(void *arg)
{
	struct tuner *d = arg;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 99);
	while (!READ_ONCE(stop)) {
		if (d->tunes)
			tuner_tunes(d, &rnd);
		KT_EXPECT_EQ(kpool_pause(d->pool), 0);
		KT_EXPECT_LE(kt_stat(d->pool, units), MAX_CAPACITY);
		usleep_range(50, 100);
		kpool_resume(d->pool);
		KT_EXPECT_LE(kt_stat(d->pool, units), MAX_CAPACITY);
		usleep_range(300, 600);
	}
	return 0;
}

static void clients_run(struct kpool *pool, bool tunes)
{
	struct tuner d = { .pool = pool, .tunes = tunes };
	int i;

	WRITE_ONCE(stop, false);
	atomic_set(&units, 0);
	atomic_set(&most_units, 0);
	atomic_set(&calls_ran, 0);
	for (i = 0; i < CLIENTS; i++) {
		client_init(&clients[i], pool, i + 1);
		kt_thread_start(&clients[i].thread, client_main, &clients[i]);
	}
	kt_thread_start(&d.thread, tuner_main, &d);
	for (i = 0; i < CLIENTS; i++)
		kt_thread_join(&clients[i].thread);
	WRITE_ONCE(stop, true);
	kt_thread_join(&d.thread);
}

static const char *const moods[] = {
	"waiting", "caller_running", "dropping", "tuned", NULL
};

/*
 * Several threads use weights, priorities, deadlines, delays, groups, streams
 * and calls at random, take jobs back and cancel groups.  The pool is paused
 * and resumed in between, and in one variant tuned.  Each submission ends once,
 * streams keep their order, and no more units are held than there are.
 * Fails if two abilities do not go together.
 */
static void everything_at_once_adds_up(int mood)
{
	const struct kpool_attrs attrs = {
		.capacity = MAX_CAPACITY, .queue_depth = 10, .expiry_ms = 5,
		.when_full = mood == 3 ? KPOOL_FULL_DROP_OLDEST : mood,
	};
	struct kpool *pool = kt_pool("together", &attrs);
	int i, calls = 0;

	clients = kvcalloc(CLIENTS, sizeof(*clients), GFP_KERNEL);
	if (!pool || !KT_EXPECT(clients))
		goto out;
	clients_run(pool, mood == 3);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	for (i = 0; i < CLIENTS; i++) {
		client_check(&clients[i]);
		calls += clients[i].calls;
	}
	KT_EXPECT_EQ(calls, atomic_read(&calls_ran));
	KT_EXPECT_EQ(atomic_read(&units), 0);
	if (mood != 3)
		KT_EXPECT_LE(atomic_read(&most_units), MAX_CAPACITY);
	if (mood == 1)
		KT_EXPECT_GE(kt_stat(pool, caller_ran), 1);
	if (mood == 2)
		KT_EXPECT_GE(kt_stat(pool, displaced), 1);
	KT_EXPECT_GE(kt_stat(pool, expired), 1);
out:
	jobs_end(pool);
	kvfree(clients);
}

/* Sleeps that could never end, beside others that can */

static struct kpool *the_pool;
static struct probe awaited, again;
static struct kt_gate dropping;
static int got, again_got;

/* A thread that hangs is let go, so that the case ends. */
static void expect_refused(void)
{
	if (!KT_EXPECT(kt_wait(READ_ONCE(got) != 4711)))
		kpool_cancel(&awaited.job.item);
	KT_EXPECT(kt_wait(READ_ONCE(got) != 4711));
	KT_EXPECT_EQ(got, -EDEADLK);
}

static int cancels_its_next_run(struct kpool_item *item)
{
	if (atomic_inc_return(&probe_of(item)->ran) > 1)
		return 0;
	KT_EXPECT_EQ(kpool_submit(the_pool, &awaited.job.item), 0);
	KT_EXPECT_EQ(kpool_submit(the_pool, item), 0);
	kpool_group_cancel(&group);
	WRITE_ONCE(got, kpool_flush_item(&awaited.job.item));
	return 0;
}

/*
 * A member submits itself, has that dropped with its group, and waits for
 * another that no unit is free for.
 * Fails (waits for long) if an item dropped after its run counts as progress.
 */
static void own_dropped_run_hides_no_deadlock(void)
{
	struct kpool *pool = kt_pool("together", &queued_one);

	if (!pool)
		return;
	the_pool = pool;
	got = 4711;
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, 0), 0);
	probe_init(&again, cancels_its_next_run, 0);
	kpool_set_group(&again.job, &group);
	probe_init(&awaited, probe_fn, 0);
	if (KT_EXPECT_EQ(kpool_submit(pool, &again.job.item), 0))
		expect_refused();
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&again.ran), 1);
	KT_EXPECT_EQ(atomic_read(&again.dropped), 1);
	jobs_end(pool);
}

static void dropped_slowly(struct kpool_item *item, int err)
{
	probe_dropped(item, err);
	kt_gate_pass(&dropping);
}

static int cancels_and_flushes(struct kpool_item *item)
{
	KT_EXPECT(kt_wait(atomic_read(&dropping.started)));
	KT_EXPECT_EQ(kpool_submit(the_pool, &awaited.job.item), 0);
	kpool_group_cancel(&group);
	WRITE_ONCE(got, kpool_flush_item(&awaited.job.item));
	return 0;
}

/*
 * While the drop work is busy, a group is cancelled of which nothing is
 * pending, and its only member goes to sleep for good.
 * Fails (waits for long) if nothing checks when the drop work is done.
 */
static void deadlock_is_found_after_the_last_drop(void)
{
	struct kpool *pool = kt_pool("together", &queued_one);
	static struct kpool_group other;

	if (!pool)
		return;
	the_pool = pool;
	got = 4711;
	kt_gate_init(&dropping);
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, 0), 0);
	KT_EXPECT_EQ(kpool_init_group(&other, pool, NULL, 0), 0);
	probe_init(&again, cancels_and_flushes, 0);
	kpool_set_group(&again.job, &group);
	probe_init(&p[0], probe_fn, 0);
	kpool_set_group(&p[0].job, &other);
	kpool_set_drop_fn(&p[0].job.item, dropped_slowly);
	probe_init(&awaited, probe_fn, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &again.job.item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p[0].job.item), 0);
	kpool_group_cancel(&other);
	KT_EXPECT(kt_wait(kpool_is_pending(&awaited.job.item)));
	kt_sleep_ms(20);
	kt_gate_open(&dropping);
	expect_refused();
	jobs_end(pool);
}

/*
 * The next run of a member that runs is dropped with its group.  Its place in
 * the queue goes to a waiter for one, at once.
 * Fails (waits for long) if room is looked for only when the owner was
 * notified.
 */
static void dropped_run_frees_its_place(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1,
	};
	struct kpool *pool = busy_pool(&attrs, 0);
	struct kt_submitter s = { };

	if (!pool)
		return;
	probes_hold(p, 1);
	kpool_set_group(&p[0].job, &group);
	if (!probes_submit(pool, p, 1) || !probe_runs(p) ||
	    !probes_submit(pool, p, 1) ||
	    !kt_submitter_block(&s, pool, &p[1].job.item))
		goto out;
	kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 0));
	KT_EXPECT_EQ(atomic_read(&p[0].ran), 0);
out:
	probes_open(p, 1);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	busy_end(pool);
}

static int flushes_the_other(struct kpool_item *item)
{
	int *err = item == &again.job.item ? &again_got : &got;

	if (atomic_inc_return(&probe_of(item)->ran) == 1)
		WRITE_ONCE(*err, kpool_flush_item(&p[0].job.item));
	return 0;
}

/* Two that run and wait for this one are submitted again, without room. */
static int submits_those_who_wait(struct kpool_item *item)
{
	KT_EXPECT(kt_wait(atomic_read(&again.ran) &&
			  atomic_read(&awaited.ran)));
	kt_sleep_ms(20);
	sched_set_fifo(current);
	/* a worker is sent, and will find nothing, unless we lost the CPU */
	KT_EXPECT_EQ(kpool_submit(the_pool, &p[1].job.item), 0);
	KT_EXPECT(kpool_cancel(&p[1].job.item) ||
		  !kpool_is_pending(&p[1].job.item));
	KT_EXPECT_EQ(kpool_submit(the_pool, &again.job.item), 0);
	KT_EXPECT_EQ(kpool_submit(the_pool, &awaited.job.item), 0);
	sched_set_normal(current, 0);
	return 0;
}

/*
 * The last that is awake sleeps in submit, and is admitted as soon as a check
 * for deadlock finds room.
 * Fails if one of the others is refused all the same.
 */
static void deadlock_check_may_admit_a_submitter(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = KPOOL_NONE, .min_workers = 4,
		.flags = KPOOL_PREALLOC, .cpumask = cpumask_of(0),
	};
	struct kpool *pool = busy_pool(&attrs, 0);

	if (!pool)
		return;
	the_pool = pool;
	got = 4711;
	again_got = 4711;
	probe_init(&p[0], submits_those_who_wait, 0);
	probe_init(&again, flushes_the_other, 0);
	probe_init(&awaited, flushes_the_other, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p[0].job.item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &again.job.item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &awaited.job.item), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(got, 0);
	KT_EXPECT_EQ(again_got, 0);
	busy_end(pool);
}

static int cancels_and_waits(void *arg)
{
	return kpool_cancel_sync(arg);
}

/*
 * A caller that takes a place in the queue back, and waits for a run, makes
 * room: a submitter that sleeps is admitted at once.
 * Fails (it sleeps on) if a caller that blocks admits none.
 */
static void cancelled_place_is_used_while_the_canceller_waits(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 2,
	};
	struct kpool *pool = busy_pool(&attrs, 3);
	struct kt_thread canceller = { };
	struct kt_submitter s = { };

	if (!pool)
		return;
	/* one does not fit, one still runs: the queue is full, a unit free */
	KT_EXPECT_EQ(kpool_set_weight(&p[3].job.item, 2), 0);
	probes_submit(pool, &p[3], 1);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_submitter_block(&s, pool, &p[4].job.item));

	kt_thread_start(&canceller, cancels_and_waits, &p[0].job.item);
	KT_EXPECT(kt_wait(kt_thread_done(&s.thread)));
	KT_EXPECT(!kt_thread_done(&canceller));
	KT_EXPECT_EQ(atomic_read(&p[3].ran), 0);
	probes_open(p, 1);
	KT_EXPECT_EQ(kt_thread_join(&canceller), 1);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	probe_ran(&p[4]);
	probes_expect_ran(&p[0], 1);
	busy_end(pool);
}

static const char *const free_units[] = { "one_free", "two_free", NULL };
static const char *const newcomers[] = { "plain", "later_job", NULL };

KT_MODULE("kpool selftest: abilities used together",
	  KT_CASE(stream_continues_when_its_leaders_group_is_cancelled),
	  KT_CASE(failing_job_drops_later_jobs),
	  KT_CASE(evicted_member_is_an_error_of_its_group),
	  KT_CASE(evicted_job_starts_the_next_of_its_stream),
	  KT_EACH(evicted_light_or_heavy_item_makes_room, free_units),
	  KT_EACH(evicted_light_item_makes_room_for_a_higher, newcomer_prios),
	  KT_CASE(evicted_heavy_later_job_makes_room_for_a_higher),
	  KT_CASE(heavy_item_behind_a_lower_in_turn_is_evicted),
	  KT_CASE(evicted_item_behind_a_heavy_one_makes_room),
	  KT_EACH(evicted_item_makes_room_for_a_later_job, newcomers),
	  KT_EACH(evicted_leader_makes_room_for_its_later_job, later_jobs),
	  KT_CASE(job_that_waits_for_its_stream_fills_the_queue),
	  KT_CASE(job_that_runs_and_waits_for_its_stream_is_not_evicted),
	  KT_CASE(item_put_back_is_evicted_before_a_younger_job),
	  KT_CASE(queued_later_job_is_evicted),
	  KT_CASE(due_job_does_not_overtake_a_heavy_submitter),
	  KT_CASE(caller_runs_a_member_of_a_group),
	  KT_CASE(caller_does_not_run_an_expired_job),
	  KT_CASE(dropped_heavy_head_starts_others),
	  KT_CASE(delayed_job_expires_at_its_start),
	  KT_CASE(high_later_job_blocks_no_other),
	  KT_CASE(group_waits_for_all_kinds_of_jobs),
	  KT_CASE(own_dropped_run_hides_no_deadlock),
	  KT_CASE(deadlock_is_found_after_the_last_drop),
	  KT_CASE(dropped_run_frees_its_place),
	  KT_CASE(deadlock_check_may_admit_a_submitter),
	  KT_CASE(cancelled_place_is_used_while_the_canceller_waits),
	  KT_EACH(everything_at_once_adds_up, moods));
