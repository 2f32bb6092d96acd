// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two threads do two things to one pool or item, as fast as they can. What they
 * find has to make sense on every kernel. A kernel with KCSAN says, too,
 * whether what is shared without a lock is marked as such.
 */

#include <linux/irqflags.h>
#include <linux/kcsan-checks.h>
#include <linux/sched/task.h>
#include <linux/task_work.h>

#include "full.h"

#define ROUNDS	10000

static unsigned int seconds;
module_param(seconds, uint, 0600);
MODULE_PARM_DESC(seconds, "how long each race goes on, at least");

static struct kpool *pool, *other;
static struct kt_gate gate;
static struct kt_job job;
static struct kpool_job grouped;
static atomic_t made, ended;

/* An operation, done over and over; @round counts. */
struct racer {
	void			(*fn)(int round);
	int			rounds;		/* at least */
	unsigned long		until;		/* jiffies, at least */
	struct racer		*rival;
	bool			done;
	struct kt_thread	thread;
};

/* When through, go on until the other is, unless time passes only in sleep. */
static int racer_main(void *arg)
{
	struct racer *racer = arg;
	int i;

	for (i = 0; i < racer->rounds || time_before(jiffies, racer->until);
	     i++) {
		racer->fn(i);
		cond_resched();
	}
	WRITE_ONCE(racer->done, true);
	for (; !kt_exact && !READ_ONCE(racer->rival->done); i++) {
		racer->fn(i);
		cond_resched();
	}
	return 0;
}

static void race(int rounds, void (*one)(int), void (*two)(int))
{
	static struct racer racers[2];
	int i;

	for (i = 0; i < 2; i++)
		racers[i] = (struct racer){
			.fn = i ? two : one,
			.rounds = rounds,
			.until = jiffies + seconds * HZ,
			.rival = &racers[!i],
		};
	for (i = 0; i < 2; i++)
		kt_thread_start(&racers[i].thread, racer_main, &racers[i]);
	for (i = 0; i < 2; i++)
		KT_EXPECT_EQ(kt_thread_join(&racers[i].thread), 0);
}

static int tiny(void *arg)
{
	return 0;
}

static void submits(int round)
{
	KT_EXPECT_EQ(kpool_submit_fn(pool, tiny, NULL, GFP_KERNEL), 0);
}

static bool make_pools(int n)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 8,
	};

	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_tiny, &gate, 0);
	pool = kt_pool("races", &attrs);
	other = n > 1 ? kt_pool("races-too", &attrs) : NULL;
	return pool && (other || n == 1);
}

/* No thread is in the item now. */
static void end_pools(void)
{
	kpool_cancel_sync(&job.item);
	kt_pool_end(pool);
	kt_pool_end(other);
}

static void reads_statistics(int round)
{
	struct kpool_stats s;

	kpool_get_stats(pool, &s);
	KT_EXPECT_EQ(s.submitted, s.completed + s.pending + s.running);
	KT_EXPECT_EQ(s.units, s.running);
	KT_EXPECT_LE(s.running, 2);
	KT_EXPECT_LE(s.running + s.idle, s.alive);
}

/*
 * The statistics are one reading, of one moment, also under load.
 * Fails if they are read without the lock (statistics-unlocked).
 */
static void statistics_are_of_one_moment(void)
{
	if (!make_pools(1))
		return;
	race(ROUNDS, submits, reads_statistics);
	end_pools();
}

static void uses_item(struct kpool *home, int round)
{
	int err = kpool_try_submit(home, &job.item);

	KT_EXPECT(!err || err == -EALREADY || err == -EBUSY || err == -EAGAIN);
	if (!err)
		atomic_inc(&made);
	if (round % 8 == 0)
		atomic_add(kpool_cancel(&job.item), &ended);
}

static void uses_it_here(int round)
{
	uses_item(pool, round);
}

static void uses_it_there(int round)
{
	uses_item(other, round);
}

/*
 * Whichever pool an item is in, it is found there, and runs once for each
 * submission. KCSAN complains if an item's owner is read plainly
 * (owner-read-plainly, owner-looked-up-plainly).
 */
static void item_is_found_in_any_pool(void)
{
	atomic_set(&made, 0);
	atomic_set(&ended, 0);
	if (!make_pools(2))
		return;
	race(ROUNDS, uses_it_here, uses_it_there);
	kpool_flush(pool);
	kpool_flush(other);
	KT_EXPECT_GE(atomic_read(&made), 1);
	KT_EXPECT_EQ(atomic_read(&gate.finished) + atomic_read(&ended),
		     atomic_read(&made));
	end_pools();
}

/* Looks, as often as it can matter, whether a thread still waits for it. */
static int looks_for_its_caller(void *arg)
{
	int i;

	for (i = 0; i < 20000 && !kpool_call_abandoned(); i++)
		cpu_relax();
	KT_EXPECT(kt_wait(kpool_call_abandoned()));
	return 0;
}

static void calls_and_gives_up(int round)
{
	int ret;

	KT_EXPECT_EQ(kpool_call_timeout(pool, looks_for_its_caller, NULL, NULL,
					5, &ret), -ETIMEDOUT);
}

static void looks_at_nothing(int round)
{
	KT_EXPECT(!kpool_call_abandoned());
}

/*
 * The function of a call is notified that its caller has gone. KCSAN complains
 * if it is notified plainly (abandoned-marked-plainly).
 */
static void call_sees_that_it_is_abandoned(void)
{
	if (!make_pools(1))
		return;
	race(100, calls_and_gives_up, looks_at_nothing);
	end_pools();
}

static void tunes(int round)
{
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NONBLOCKING, round % 2), 0);
}

static void submits_or_not(int round)
{
	int err = kpool_submit(pool, &job.item);

	KT_EXPECT(!err || err == -EALREADY || err == -EAGAIN);
	if (!err)
		atomic_inc(&made);
}

/*
 * A pool can be tuned while others submit.
 * KCSAN complains if an attribute is read plainly (tunable-read-plainly).
 */
static void pool_is_tuned_while_others_submit(void)
{
	atomic_set(&made, 0);
	if (!make_pools(1))
		return;
	race(ROUNDS, submits_or_not, tunes);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), atomic_read(&made));
	end_pools();
}

static struct kpool_multi *multi;

static void submits_to_the_least_loaded(int round)
{
	static struct kt_job jobs[16];
	struct kt_job *mine = &jobs[round % ARRAY_SIZE(jobs)];

	if (!mine->gate)
		kt_job_init(mine, kt_job_tiny, &gate, 0);
	KT_EXPECT_EQ(kpool_flush_item(&mine->item), 0);
	if (KT_EXPECT_EQ(kpool_multi_submit(multi, &mine->item), 0))
		atomic_inc(&made);
}

static void submits_to_the_least_loaded_too(int round)
{
	KT_EXPECT_EQ(kpool_submit_fn(kpool_multi_pool(multi, round % 2), tiny,
				     NULL, GFP_KERNEL), 0);
}

/*
 * Pools are compared while they work.
 * KCSAN complains if nothing says that it is meant so (load-read-plainly).
 */
static void pools_are_compared_while_they_work(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 8,
	};
	int i;

	atomic_set(&made, 0);
	kt_gate_init(&gate);
	multi = kpool_multi_create(&attrs, 2, KPOOL_PLACE_LEAST_LOADED, "races");
	if (!KT_EXPECT(!IS_ERR(multi)))
		return;
	race(ROUNDS, submits_to_the_least_loaded,
	     submits_to_the_least_loaded_too);
	for (i = 0; i < 2; i++)
		kt_check_identities(kpool_multi_pool(multi, i));
	KT_EXPECT_EQ(kpool_multi_destroy(multi), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), atomic_read(&made));
}

static void submits_it(int round)
{
	int err = kpool_try_submit(pool, &grouped.item);

	KT_EXPECT(!err || err == -EALREADY || err == -EAGAIN);
}

static void flushes_it(int round)
{
	KT_EXPECT_EQ(kpool_flush_item(&grouped.item), 0);
}

static int does_nothing(struct kpool_item *item)
{
	return 0;
}

/*
 * A submit that has to look at the job's fields, while a flusher marks the job.
 * KCSAN complains if that is read plainly.
 */
static void job_is_submitted_while_flushed(void)
{
	static struct kpool_group group;

	if (!make_pools(1))
		return;
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, 0), 0);
	kpool_init_job(&grouped, does_nothing);
	KT_EXPECT_EQ(kpool_set_group(&grouped, &group), 0);
	race(ROUNDS, submits_it, flushes_it);
	KT_EXPECT_EQ(kpool_flush_item(&grouped.item), 0);
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), 0);
	end_pools();
}

/* Each run leaves the item another weight and priority, if not pending. */
static int sets_itself(struct kpool_item *item)
{
	int i, err;

	for (i = 0; i < 16; i++) {
		err = kpool_set_weight(item, 1 + i % 2) ?:
		      kpool_set_priority(item, i % 3);
		KT_EXPECT(!err || err == -EBUSY);
	}
	return 0;
}

static void cancels_it(int round)
{
	kpool_cancel(&grouped.item);
}

/*
 * An item's own function sets it while others submit and cancel the item.
 * Fails (KCSAN complains, no unit is left) if the item can become pending
 * before it has been changed: mutant set-after-the-lock.
 */
static void item_sets_itself_while_others_submit(void)
{
	if (!make_pools(1))
		return;
	kpool_init_job(&grouped, sets_itself);
	race(2 * ROUNDS, submits_it, cancels_it);
	KT_EXPECT_EQ(kpool_flush_item(&grouped.item), 0);
	KT_EXPECT_EQ(kpool_set_weight(&grouped.item, 2), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_submit_now(pool, &grouped.item), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	kt_check_identities(pool);
	end_pools();
}

static struct kt_job offered;

/* Offers itself to a pool that is full. */
static int is_refused(struct kpool_item *item)
{
	int i, err;

	for (i = 0; i < 16; i++) {
		err = kpool_try_submit(other, item);
		/* it is pending in the pool in which it runs, or refused */
		KT_EXPECT(err == -EALREADY || err == -EAGAIN);
	}
	return kt_job_tiny(item);
}

static void offers_it(int round)
{
	int err = kpool_try_submit(pool, &offered.item);

	/* -EBUSY: it runs, and is being refused */
	KT_EXPECT(!err || err == -EALREADY || err == -EBUSY || err == -EAGAIN);
	if (!err)
		atomic_inc(&made);
}

static void cancels_what_is_offered(int round)
{
	atomic_add(kpool_cancel(&offered.item), &ended);
}

/*
 * While an item offers itself to another pool, which refuses it, others find it
 * in one of both.  It runs once for each submission.
 * KCSAN complains if the owner is compared plainly (owner-compared-plainly).
 */
static void item_is_found_while_it_is_refused(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	static struct full full;

	atomic_set(&made, 0);
	atomic_set(&ended, 0);
	if (!make_pools(1))
		return;
	if (!full_make(&full, &attrs))
		goto out;
	other = full.pool;
	kt_job_init(&offered, is_refused, &gate, 0);
	race(ROUNDS, offers_it, cancels_what_is_offered);
	KT_EXPECT_EQ(kpool_flush_item(&offered.item), 0);
	KT_EXPECT_GE(atomic_read(&made), 1);
	KT_EXPECT_EQ(atomic_read(&gate.finished) + atomic_read(&ended),
		     atomic_read(&made));
	kt_check_identities(pool);
	full_end(&full);
	other = NULL;
out:
	end_pools();
}

static struct kpool_item there, back;
static atomic_t crossings;
static bool arrived;

static int crosses(struct kpool_item *item)
{
	/* where no time passes while items run, they must end by themselves */
	if (atomic_inc_return(&crossings) > ROUNDS && kt_exact)
		return 0;
	if (READ_ONCE(arrived))
		return 0;
	/* -EALREADY: it is pending here, by another */
	kpool_submit(kpool_current() == pool ? other : pool, item);
	return 0;
}

static void submits_them(int round)
{
	struct kpool_stats s;

	kpool_get_stats(pool, &s);
	kpool_try_submit(other, &there);
	kpool_try_submit(pool, &back);
	kpool_get_stats(other, &s);
}

/*
 * Two items hand themselves over between two pools, in opposite directions,
 * also while others hold their locks, and submit them.
 * Fails (hangs) if each holds one lock and waits for the other: mutant
 * handover-locks-in-any-order.
 */
static void items_cross_between_busy_pools(void)
{
	int seen;

	if (!make_pools(2))
		return;
	atomic_set(&crossings, 0);
	WRITE_ONCE(arrived, false);
	kpool_init_item(&there, crosses);
	kpool_init_item(&back, crosses);
	KT_EXPECT_EQ(kpool_submit(pool, &there), 0);
	KT_EXPECT_EQ(kpool_submit(other, &back), 0);
	/* a slow machine takes its time, but does not stop */
	for (seen = 0; seen <= ROUNDS; seen = atomic_read(&crossings))
		if (!kt_wait(atomic_read(&crossings) > seen))
			break;
	KT_EXPECT(seen > ROUNDS);
	race(ROUNDS, submits_them, submits_them);
	WRITE_ONCE(arrived, true);
	KT_EXPECT_EQ(kpool_flush_item(&there), 0);
	KT_EXPECT_EQ(kpool_flush_item(&back), 0);
	kt_check_identities(pool);
	kt_check_identities(other);
	end_pools();
}

static void *makes_state(void *data)
{
	return &gate;
}

static const struct kpool_attrs eight_workers = {
	.capacity = 8, .queue_depth = 8, .worker_init = makes_state,
	.min_workers = 8, .flags = KPOOL_PREALLOC,
};

static int expects_state(void *arg)
{
	KT_EXPECT_EQ((long)kpool_worker_data(), (long)&gate);
	return 0;
}

static void restarts_workers(struct kpool *mine)
{
	KT_EXPECT_EQ(kpool_submit_fn(mine, expects_state, NULL, GFP_KERNEL), 0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(mine, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_reopen(mine), 0);
}

static void restarts_workers_here(int round)
{
	restarts_workers(pool);
}

static void restarts_workers_there(int round)
{
	restarts_workers(other);
}

static void moves_workers(int round)
{
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NODE, round % 2), 0);
}

/*
 * Workers come and go while the pool is tuned; none works without its data.
 * KCSAN complains if the node is read plainly (node-read-plainly).
 */
static void workers_start_and_exit(void)
{
	other = NULL;
	pool = kt_pool("races", &eight_workers);
	if (!pool)
		return;
	race(100, restarts_workers_here, moves_workers);
	kt_pool_end(pool);
}

static struct task_struct *ending;
static bool may_end;

/*
 * Runs in a thread that ends.  do_exit() writes exit_state once, after this
 * and with interrupts off, and KCSAN would seldom watch that.  So tell KCSAN of
 * that write until the thread may end.
 */
static void ends_late(struct callback_head *work)
{
	int i;

	while (!READ_ONCE(may_end)) {
		local_irq_disable();
		for (i = 0; i < 1000; i++)
			kcsan_check_write(&current->exit_state,
					  sizeof(current->exit_state));
		local_irq_enable();
		schedule_timeout_idle(1);
	}
}

static void *will_end_late(void *data)
{
	static struct callback_head work;

	init_task_work(&work, ends_late);
	if (task_work_add(current, &work, TWA_NONE))
		return NULL;
	ending = get_task_struct(current);
	return current;
}

static const struct kpool_attrs one_that_ends_late = {
	.capacity = 1, .worker_init = will_end_late, .min_workers = 1,
	.flags = KPOOL_PREALLOC,
};

/*
 * One pool reaps its workers while those of another exit, and while the thread
 * of a pool that has been destroyed ends.
 * KCSAN complains if the end of a thread is looked at as if it did not race
 * with that (end-read-plainly).
 */
static void workers_of_two_pools_exit(void)
{
	WRITE_ONCE(may_end, false);
	pool = kt_pool("races", &one_that_ends_late);
	if (!pool)
		return;
	kt_pool_end(pool);
	pool = kt_pool("races", &eight_workers);
	other = kt_pool("races-too", &eight_workers);
	if (pool && other)
		race(20, restarts_workers_here, restarts_workers_there);
	kt_pool_end(pool);
	kt_pool_end(other);
	WRITE_ONCE(may_end, true);
	/* set once, after ends_late() has returned; racy read */
	KT_EXPECT(kt_wait(data_race(READ_ONCE(ending->exit_state))));
	put_task_struct(ending);
}

static struct kpool_item plain[2][64];

static int tiny_item(struct kpool_item *item)
{
	return 0;
}

static void submits_plain(struct kpool_item *items, int round)
{
	int err = kpool_try_submit(pool, &items[round % ARRAY_SIZE(plain[0])]);

	KT_EXPECT(!err || err == -EALREADY || err == -EAGAIN);
}

static void submits_plain_ones(int round)
{
	submits_plain(plain[0], round);
}

static void submits_plain_ones_too(int round)
{
	submits_plain(plain[1], round);
}

/*
 * The table of workers is read during the race: see the script.  All items are
 * plain and no submitter blocks, so that most are submitted and started without
 * the pool's lock.
 * KCSAN complains if the function is stored plainly by such a start
 * (function-shown-plainly).
 */
static void workers_are_listed_while_running(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	int i;

	for (i = 0; i < 2 * ARRAY_SIZE(plain[0]); i++)
		kpool_init_item(&plain[i % 2][i / 2], tiny_item);
	pool = kt_pool("races", &attrs);
	if (!pool)
		return;
	race(ROUNDS, submits_plain_ones, submits_plain_ones_too);
	kt_pool_end(pool);
}

KT_MODULE("kpool selftest: what is shared without a lock",
	  KT_CASE(statistics_are_of_one_moment),
	  KT_CASE(item_is_found_in_any_pool),
	  KT_CASE(call_sees_that_it_is_abandoned),
	  KT_CASE(pool_is_tuned_while_others_submit),
	  KT_CASE(pools_are_compared_while_they_work),
	  KT_CASE(job_is_submitted_while_flushed),
	  KT_CASE(item_sets_itself_while_others_submit),
	  KT_CASE(item_is_found_while_it_is_refused),
	  KT_CASE(items_cross_between_busy_pools),
	  KT_CASE(workers_start_and_exit),
	  KT_CASE(workers_of_two_pools_exit),
	  KT_CASE(workers_are_listed_while_running));
