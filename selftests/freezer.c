// SPDX-License-Identifier: GPL-2.0-only
/*
 * A suspend under load: the workers of a freezable pool stop between items,
 * those of another do not.  An item or a submitter that does not stop fails the
 * suspend, and the pools go on.
 *
 * The script suspends and resumes between two cases.
 */
#include <linux/freezer.h>
#include <linux/proc_fs.h>

#include "jobs.h"
#include "load.h"

#define ITEMS		16
#define CAPACITY	4

/* A pool and what keeps it busy. */
struct side {
	struct kpool		*pool;
	struct kt_thread	submitter;
	struct kt_job		job[ITEMS];
	struct kt_gate		gate;
	int			accepted;
	atomic_t		ran_meanwhile;	/* while all was frozen */
	atomic_t		slow;		/* small ones that took long */
};

static struct side freezable, plain;
static struct probe due_meanwhile;
static struct kt_thread witness;
static struct load load[2];
static bool stop;

static int sleeps;
module_param(sleeps, int, 0600);
MODULE_PARM_DESC(sleeps, "how often the load was put to sleep");

static int ran(struct side *side)
{
	return atomic_read(&side->gate.finished);
}

/*
 * A freezable thread: when it is frozen, all have been asked to be.  It is
 * older than the workers, and so among them the first to thaw.  As it freezes
 * in its sleep, it is not frozen again when it exits.
 */
static int is_a_witness(void *unused)
{
	set_freezable();
	while (!READ_ONCE(stop)) {
		set_current_state(TASK_INTERRUPTIBLE | TASK_FREEZABLE);
		schedule_timeout(1);
	}
	return 0;
}

static bool witness_is_frozen(void)
{
	return READ_ONCE(witness.task->__state) & TASK_FROZEN;
}

static int freezer_fn(struct kpool_item *item)
{
	struct side *side = container_of(kt_job_of(item)->gate, struct side,
					 gate);
	unsigned long begin = jiffies;

	usleep_range(100, 200);
	if (time_after(jiffies, begin + msecs_to_jiffies(900)))
		atomic_inc(&side->slow);
	if (witness_is_frozen())
		atomic_inc(&side->ran_meanwhile);
	return kt_job_tiny(item);
}

/* More than a pool that freezes could run? */
static bool plain_went_on(void)
{
	return atomic_read(&plain.ran_meanwhile) >= 4 * sleeps * CAPACITY;
}

/* How much time a suspend gives the other pool is chance. */
static int went_on_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%d\n", plain_went_on());
}

static const struct kernel_param_ops went_on_ops = { .get = went_on_get };
module_param_cb(went_on, &went_on_ops, NULL, 0400);

static int keeps_busy(void *arg)
{
	struct side *side = arg;
	int i = 0;

	while (!READ_ONCE(stop)) {
		side->accepted += !kpool_submit_timeout(side->pool,
					&side->job[i++ % ITEMS].item, 1);
		/* a submit that does not sleep is no preemption point */
		cond_resched();
	}
	return 0;
}

static bool side_begin(struct side *side, const char *name, unsigned int flags)
{
	const struct kpool_attrs attrs = {
		.capacity = CAPACITY, .queue_depth = ITEMS, .flags = flags,
	};
	int i;

	memset(side, 0, sizeof(*side));
	kt_gate_init(&side->gate);
	for (i = 0; i < ITEMS; i++)
		kt_job_init(&side->job[i], freezer_fn, &side->gate, i);
	side->pool = kt_pool(name, &attrs);
	return side->pool && kt_thread_start(&side->submitter, keeps_busy, side);
}

static void side_end(struct side *side)
{
	if (!side->pool)
		return;
	KT_EXPECT_EQ(kt_thread_join(&side->submitter), 0);
	KT_EXPECT_EQ(kpool_flush(side->pool), 0);
	KT_EXPECT_EQ(ran(side), side->accepted);
	kt_pool_end(side->pool);
	side->pool = NULL;
}

static void everybody_stops(void)
{
	WRITE_ONCE(stop, true);
	side_end(&freezable);
	side_end(&plain);
	kt_thread_join(&witness);
}

static void load_begins(void)
{
	stop = false;
	if (!kt_thread_start(&witness, is_a_witness, NULL) ||
	    !side_begin(&freezable, "freezable", KPOOL_FREEZABLE) ||
	    !side_begin(&plain, "plain", 0)) {
		everybody_stops();
		return;
	}
	probe_init(&due_meanwhile, probe_fn, 0);
	KT_EXPECT_EQ(kpool_submit_delayed(freezable.pool, &due_meanwhile.job,
					  msecs_to_jiffies(500)), 0);
	KT_EXPECT(kt_wait(ran(&freezable) > ITEMS && ran(&plain) > ITEMS));
}

/*
 * While suspended, the freezable pool starts nothing, but for what each worker
 * had taken when it was asked; the other goes on.  Afterwards both do, and what
 * came due during the suspend runs once.
 * Fails if workers do not look between two items, or if all pools' are
 * freezable.  Also fails (the suspend fails, or a wake-up is lost) if an idle
 * worker sleeps in a state that is not freezable.  So it does if the worker
 * does not look at the queue when it thaws.
 */
static void only_the_freezable_pool_stops(void)
{
	int resumed_at;

	if (!KT_EXPECT(freezable.pool && plain.pool))
		return;
	pr_info("%s: %d items of the freezable pool ran in %d sleeps, %d of the other\n",
		KBUILD_MODNAME, atomic_read(&freezable.ran_meanwhile),
		sleeps, atomic_read(&plain.ran_meanwhile));
	KT_EXPECT_LE(atomic_read(&freezable.ran_meanwhile), sleeps * CAPACITY);
	KT_EXPECT(plain_went_on());
	resumed_at = ran(&freezable);
	KT_EXPECT(kt_wait(ran(&freezable) > resumed_at + ITEMS));
	probe_ran(&due_meanwhile);
	probes_expect_ran(&due_meanwhile, 1);
	everybody_stops();
}

static int sleeps_a_while(struct kpool_item *item)
{
	if (witness_is_frozen())
		atomic_inc(&freezable.ran_meanwhile);
	kt_sleep_ms(100);
	return kt_job_tiny(item);
}

/* The worker has a queue of items, each to start when the one before ends. */
static void queue_begins(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = ITEMS, .flags = KPOOL_FREEZABLE,
	};
	struct side *side = &freezable;
	int i;

	stop = false;
	memset(side, 0, sizeof(*side));
	kt_gate_init(&side->gate);
	side->pool = kt_pool("freezable", &attrs);
	if (!side->pool || !kt_thread_start(&witness, is_a_witness, NULL))
		return;
	for (i = 0; i < ITEMS; i++) {
		kt_job_init(&side->job[i], sleeps_a_while, &side->gate, i);
		KT_EXPECT_EQ(kpool_submit(side->pool, &side->job[i].item), 0);
	}
	KT_EXPECT(kt_wait(ran(side) >= 1));
}

/*
 * No item has started, but for one that the worker had taken when it was asked.
 * Fails (all have) if the worker looks only when it takes the lock: mutants
 * fast-start-does-not-freeze, freezable-pool-starts-fast.
 */
static void queue_runs_after_the_thaw(void)
{
	if (!KT_EXPECT(freezable.pool))
		return;
	KT_EXPECT_LE(atomic_read(&freezable.ran_meanwhile), 1);
	KT_EXPECT_EQ(kpool_flush(freezable.pool), 0);
	KT_EXPECT_EQ(ran(&freezable), ITEMS);
	WRITE_ONCE(stop, true);
	kt_thread_join(&witness);
	kt_pool_end(freezable.pool);
	freezable.pool = NULL;
}

/* Idle workers alone do not keep a system from suspending either. */
static void idle_begins(void)
{
	const struct kpool_attrs attrs = {
		.capacity = CAPACITY, .min_workers = CAPACITY,
		.flags = KPOOL_PREALLOC | KPOOL_FREEZABLE,
	};

	load_init_all(load, ARRAY_SIZE(load));
	freezable.pool = kt_pool("freezable", &attrs);
}

/*
 * Workers that were idle all the while run the next item.
 * Fails if a wake-up that meets a frozen worker is lost.
 */
static void idle_workers_thaw(void)
{
	if (!KT_EXPECT(freezable.pool))
		return;
	KT_EXPECT_EQ(kt_stat(freezable.pool, alive), CAPACITY);
	KT_EXPECT(load_runs(freezable.pool, &load[0]));
	load_end(&load[0]);
	KT_EXPECT_EQ(kt_stat(freezable.pool, spawned), CAPACITY);
	kt_pool_end(freezable.pool);
	freezable.pool = NULL;
}

/*
 * An item of the freezable pool runs for longer than the freezer waits.  Its
 * stall is reported before.  No other must be, but for those of small items
 * that have been slow, on a machine that stands still.
 */
static void long_item_begins(void)
{
	load_begins();
	load_init_all(load, ARRAY_SIZE(load));
	if (!freezable.pool)
		return;
	pr_info("kpool-testbed: expect begin\n");
	KT_EXPECT_EQ(kpool_tune(freezable.pool, KPOOL_TUNE_STALL_MS, 1000), 0);
	KT_EXPECT(load_runs(freezable.pool, &load[0]));
	KT_EXPECT(kt_wait(kt_stat(freezable.pool, stalled) >= 1));
	kt_sleep_ms(100);
	pr_info("kpool-testbed: expect end\n");
}

/*
 * The suspend has failed; the pools go on, the long item included.
 * Fails if a worker that was asked to freeze does not go on when the freezer
 * gives up.  Also fails if it counts as stalled in the item that it ran last:
 * mutant frozen-worker-stalls.
 */
static void pools_run_after_a_failed_suspend(void)
{
	int failed_at[2] = { ran(&freezable), ran(&plain) };

	if (!KT_EXPECT(freezable.pool && plain.pool))
		return;
	KT_EXPECT(!load_finished(&load[0]));
	KT_EXPECT_GE(kt_stat(freezable.pool, stalled), 1);
	KT_EXPECT_LE(kt_stat(freezable.pool, stalled),
		     1 + atomic_read(&freezable.slow));
	KT_EXPECT(kt_wait(ran(&freezable) > failed_at[0] + ITEMS));
	KT_EXPECT(kt_wait(ran(&plain) > failed_at[1] + ITEMS));
	load_end(&load[0]);
	probe_ran(&due_meanwhile);
	everybody_stops();
}

/* Written: the writer sleeps in submit. */
static ssize_t submit_write(struct file *file, const char __user *data,
			    size_t count, loff_t *pos)
{
	int err = kpool_submit(plain.pool, &load[1].job.item);

	return err ?: count;
}

static const struct proc_ops submit_ops = { .proc_write = submit_write };

static void full_pool_begins(void)
{
	const struct kpool_attrs attrs = { .capacity = 1 };

	load_init_all(load, ARRAY_SIZE(load));
	plain.pool = kt_pool("plain", &attrs);
	if (!plain.pool)
		return;
	KT_EXPECT(load_runs(plain.pool, &load[0]));
	KT_EXPECT(proc_create("kpool_selftest_submit", 0200, NULL,
			      &submit_ops));
}

static void submitter_sleeps(void)
{
	if (KT_EXPECT(plain.pool))
		KT_EXPECT(kt_wait(kt_stat(plain.pool, blocked) == 1));
}

/*
 * A process that sleeps in submit has failed the suspend; it goes on.
 * Fails if the wait is freezable: the suspend would not fail, and one that is
 * woken by the freezer would be refused.
 */
static void submitter_continues_after_a_failed_suspend(void)
{
	if (!KT_EXPECT(plain.pool))
		return;
	KT_EXPECT_EQ(kt_stat(plain.pool, blocked), 1);
	load_end(&load[0]);
	KT_EXPECT(load_starts(&load[1]));
	load_end(&load[1]);
	remove_proc_entry("kpool_selftest_submit", NULL);
	kt_pool_end(plain.pool);
	plain.pool = NULL;
}

KT_MODULE("kpool selftest: suspend and resume",
	  KT_CASE(load_begins),
	  KT_CASE(only_the_freezable_pool_stops),
	  KT_CASE(queue_begins),
	  KT_CASE(queue_runs_after_the_thaw),
	  KT_CASE(idle_begins),
	  KT_CASE(idle_workers_thaw),
	  KT_CASE(long_item_begins),
	  KT_CASE(pools_run_after_a_failed_suspend),
	  KT_CASE(full_pool_begins),
	  KT_CASE(submitter_sleeps),
	  KT_CASE(submitter_continues_after_a_failed_suspend));
