// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools whose figures all differ, for the script to read in the tables of
 * debugfs; and the age of the oldest pending item.
 */
#include "jobs.h"

#define MANY	200

static struct kpool *pool;
static struct probe p[MANY];
static struct kt_submitter submitter;
static struct kt_gate callback;

static const struct kpool_attrs queued = { .queue_depth = 8 };

static bool begin(const struct kpool_attrs *attrs)
{
	kt_gate_init(&callback);
	probes_init(p, MANY, probe_fn);
	pool = kt_pool("tables", attrs);
	return pool;
}

static bool probes_run(int from, int to)
{
	for (; from < to; from++)
		if (!probe_runs(&p[from]))
			return false;
	return true;
}

/*
 * For the script: five alive, two idle, three running with eight units, four
 * pending, one blocked.
 */
static void no_two_figures_are_equal(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 10, .queue_depth = 2, .expiry_ms = KPOOL_NO_PURGE,
	};

	if (!begin(&attrs))
		return;
	probes_hold(p, 14);
	probes_submit(pool, p, 5);
	probes_run(0, 5);
	probes_open(p, 5);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_open(&p[5], 1);
	probes_submit(pool, &p[5], 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_set_weight(&p[6].job.item, 6), 0);
	probes_submit(pool, &p[6], 3);
	probes_run(6, 9);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, &p[9], 4);
	kt_submitter_block(&submitter, pool, &p[13].job.item);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 2));
}

/* For the script: a worker whose memory another has used before. */
static void worker_memory_is_used_again(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 8, .expiry_ms = KPOOL_NO_PURGE,
	};

	if (!begin(&attrs))
		return;
	probes_submit(pool, p, 3);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	probes_submit(pool, &p[3], 1);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 1));
	KT_EXPECT_EQ(kt_stat(pool, spawned), 2);
}

/* For the script: a worker that goes on from item to item. */
static void items_follow_each_other(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 64, .expiry_ms = KPOOL_NO_PURGE,
	};

	if (!begin(&attrs))
		return;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(p);
	probes_submit(pool, &p[1], 20);
	probes_open(p, 1);
	/* not kpool_flush(): while it waits, each start takes the lock */
	probe_ran(&p[20]);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 1));
}

static int waits_for_the_first(struct kpool_item *item)
{
	return kpool_flush_item(&p[0].job.item) ?: probe_fn(item);
}

static int waits_for_another(struct kpool_item *item)
{
	return kpool_flush_item(&p[1].job.item) ?: probe_fn(item);
}

/* For the script: an item that sleeps in a call on its own pool. */
static void item_waits_for_another(void)
{
	if (!begin(&queued))
		return;
	probes_hold(p, 1);
	probe_init(&p[1], waits_for_the_first, 1);
	probes_submit(pool, p, 2);
	probe_runs(&p[0]);
}

static bool init_waits;

static void *waits_in_init(void *data)
{
	if (READ_ONCE(init_waits))
		KT_EXPECT_EQ(kpool_flush_item(&p[0].job.item), 0);
	return NULL;
}

/* For the script: a worker_init that sleeps in a call on its own pool. */
static void worker_init_waits_for_an_item(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 8, .worker_init = waits_in_init,
	};

	WRITE_ONCE(init_waits, false);
	if (!begin(&attrs))
		return;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
	WRITE_ONCE(init_waits, true);
	probes_submit(pool, &p[1], 1);
}

static void *held_in_init(void *data)
{
	if (READ_ONCE(init_waits))
		kt_gate_pass(&callback);
	return NULL;
}

static void held_in_exit(void *data, void *worker_data)
{
	kt_gate_pass(&callback);
}

static void held_in_handler(void *data, const struct kpool_fault *fault)
{
	kt_gate_pass(&callback);
}

/* The threads of a scene's items, for the script. */
static int pids[3];
module_param_array(pids, int, NULL, 0400);
MODULE_PARM_DESC(pids, "threads that ran the first items of the scene");

static int notes_its_thread(struct kpool_item *item)
{
	pids[probe_of(item)->nr] = task_pid_nr(current);
	return probe_fn(item);
}

static int ends_its_thread(struct kpool_item *item)
{
	pids[probe_of(item)->nr] = task_pid_nr(current);
	kthread_complete_and_exit(NULL, 0);
	return 0;
}

static int runs_and_ends_its_thread(struct kpool_item *item)
{
	probe_of(item)->data = current;
	probe_fn(item);
	kthread_complete_and_exit(NULL, 0);
	return 0;
}

static const struct kpool_attrs held_callbacks = {
	.capacity = 5, .queue_depth = 8, .expiry_ms = KPOOL_NO_PURGE,
	.worker_init = held_in_init, .worker_exit = held_in_exit,
	.fault = held_in_handler,
};

/*
 * For the script: six workers, each in another state.
 * Fails if a worker whose fault handler is being called has left the pool:
 * mutant dead-worker-not-shown.
 */
static void each_worker_has_another_state(void)
{
	WRITE_ONCE(init_waits, false);
	if (!begin(&held_callbacks))
		return;
	/* a worker is dead, one runs, one is blocked, two are idle */
	probe_init(&p[0], ends_its_thread, 0);
	probes_hold(&p[1], 5);
	probe_init(&p[2], waits_for_another, 2);
	probes_submit(pool, p, 5);
	KT_EXPECT(kt_wait(atomic_read(&callback.started) == 1));
	probe_runs(&p[1]);
	probes_run(3, 5);
	probes_open(&p[3], 2);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 2));
	/* an idle worker exits */
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 4), 0);
	KT_EXPECT(kt_wait(atomic_read(&callback.started) == 2));
	/* another one starts for an item that the idle one takes after all */
	WRITE_ONCE(init_waits, true);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 6), 0);
	probes_submit(pool, &p[5], 2);
	KT_EXPECT(kt_wait(atomic_read(&callback.started) == 3));
	probe_runs(&p[5]);
	probes_open(&p[5], 1);
	probe_ran(&p[6]);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 1));
}

/* Two run for so long, and die; one waits for the handler of the other. */
static bool two_workers_die(unsigned int after_ms)
{
	WRITE_ONCE(init_waits, false);
	if (!begin(&held_callbacks))
		return false;
	probe_init(&p[0], runs_and_ends_its_thread, 0);
	probe_init(&p[1], runs_and_ends_its_thread, 1);
	probes_hold(p, 2);
	probes_submit(pool, p, 2);
	probes_run(0, 2);
	kt_sleep_ms(after_ms);
	probes_open(p, 2);
	return KT_EXPECT(kt_wait(atomic_read(&callback.started) == 1));
}

/* For the script: two died after long runs, one waits for the handler. */
static void dead_workers_wait(void)
{
	two_workers_die(3000);
}

static bool has_ended(struct probe *one)
{
	return READ_ONCE(((struct task_struct *)one->data)->exit_state);
}

/* For the script: the other one is reaped, and has been dead for 300 ms. */
static void next_dead_worker_is_reaped(void)
{
	if (!two_workers_die(0) ||
	    !KT_EXPECT(kt_wait(has_ended(&p[0]) && has_ended(&p[1]))))
		return;
	kt_sleep_ms(300);
	kt_gate_let_one(&callback);
	KT_EXPECT(kt_wait(atomic_read(&callback.started) == 2));
}

/* For the script: a worker that is no longer needed when it has started. */
static void unneeded_worker_exits(void)
{
	struct kpool_attrs attrs = held_callbacks;

	attrs.capacity = 2;
	WRITE_ONCE(init_waits, false);
	if (!begin(&attrs))
		return;
	probes_hold(p, 2);
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
	WRITE_ONCE(init_waits, true);
	probes_submit(pool, &p[1], 1);
	KT_EXPECT(kt_wait(atomic_read(&callback.started) == 1));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	kt_gate_let_one(&callback);
	KT_EXPECT(kt_wait(atomic_read(&callback.started) == 2));
}

/* For the script: a worker that was idle for too long, in its worker_exit. */
static void expired_worker_exits(void)
{
	struct kpool_attrs attrs = held_callbacks;

	attrs.expiry_ms = 10;
	WRITE_ONCE(init_waits, false);
	if (!begin(&attrs))
		return;
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&callback.started) == 1));
}

/*
 * For the script: one item has failed, one has ended its thread, and one has
 * run for 120 ms.
 */
static void threads_are_known(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2 };

	if (!begin(&attrs))
		return;
	probes_init(p, 3, notes_its_thread);
	probe_init(&p[1], ends_its_thread, 1);
	p[0].ret = -EIO;
	probes_hold(&p[2], 1);
	probes_submit(pool, &p[0], 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_submit(pool, &p[1], 1);
	KT_EXPECT(kt_wait(kt_stat(pool, died) == 1));
	probes_submit(pool, &p[2], 1);
	probe_runs(&p[2]);
	kt_sleep_ms(120);
}

/* For the script: an item has failed, and its fault handler runs. */
static void handler_is_held(void)
{
	WRITE_ONCE(init_waits, false);
	if (!begin(&held_callbacks))
		return;
	p[0].ret = -EIO;
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&callback.started) == 1));
}

/* For the script: more workers than fit into the first copy, if any do. */
static void many_workers_run(void)
{
	static const struct kpool_attrs attrs = { .capacity = MANY };

	if (!begin(&attrs))
		return;
	probes_hold(p, MANY);
	probes_submit(pool, p, MANY);
	probes_run(0, MANY);
}

/* For the script: a pool that was shut down, whose item runs on. */
static void closed_pool_runs_on(void)
{
	if (!begin(&queued))
		return;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
	kpool_shutdown(pool);
}

/* For the script: a pool that its owner has pinned. */
static void pool_is_pinned(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 3, .flags = KPOOL_PINNED,
	};

	begin(&attrs);
}

static void scene_ends(void)
{
	if (!pool)
		return;
	kt_gate_open(&callback);
	probes_open(p, MANY);
	kpool_resume(pool);
	if (submitter.thread.task)
		KT_EXPECT_EQ(kt_thread_join(&submitter.thread), 0);
	kt_pool_end(pool);
	pool = NULL;
}

static u32 ms_since(unsigned long start)
{
	return jiffies_to_msecs(jiffies - start);
}

/* Submit the next probe, and wait so that the next one is younger. */
static unsigned long submit_at(int i, enum kpool_priority priority)
{
	unsigned long now = jiffies;

	KT_EXPECT_EQ(kpool_set_priority(&p[i].job.item, priority), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p[i].job.item), 0);
	kt_sleep_ms(40);
	return now;
}

static const char *const oldest[] = { "normal", "high", "low", NULL };

/*
 * oldest_pending_ms is the age of the oldest queued item, of any priority.
 * Fails if it is that of the first or the last priority that has any.
 */
static void oldest_is_of_any_priority(int first)
{
	unsigned long second_at;
	u64 seen;
	int i;

	if (!begin(&queued))
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, oldest_pending_ms), 0);
	submit_at(0, first);
	second_at = submit_at(1, (first + 1) % 3);
	submit_at(2, (first + 2) % 3);
	seen = kt_stat(pool, oldest_pending_ms);
	KT_EXPECT_GE(seen, 3 * 40 - 2 * jiffies_to_msecs(1));
	KT_EXPECT(kpool_cancel(&p[0].job.item));
	/* younger by at least a sleep, and no older than it can be */
	seen = kt_stat(pool, oldest_pending_ms);
	KT_EXPECT_LE(seen, ms_since(second_at));
	KT_EXPECT_GE(seen, 2 * 40 - 2 * jiffies_to_msecs(1));
	for (i = 1; i < 3; i++)
		KT_EXPECT(kpool_cancel(&p[i].job.item));
	KT_EXPECT_EQ(kt_stat(pool, oldest_pending_ms), 0);
	scene_ends();
}

/*
 * A delayed job is pending from when it is due: its delay does not count.
 * Fails if its age begins when it is submitted.
 */
static void delay_is_no_part_of_the_age(void)
{
	const unsigned int delay = 200;
	unsigned long start = jiffies;

	if (!begin(&queued))
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[0].job,
					  msecs_to_jiffies(delay)), 0);
	KT_EXPECT_EQ(kt_stat(pool, oldest_pending_ms), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, pending) == 1));
	KT_EXPECT_LE(kt_stat(pool, oldest_pending_ms) + delay, ms_since(start));
	scene_ends();
}

KT_MODULE("kpool selftest: tables in debugfs",
	  KT_EACH(oldest_is_of_any_priority, oldest),
	  KT_CASE(delay_is_no_part_of_the_age),
	  KT_CASE(no_two_figures_are_equal),
	  KT_CASE(scene_ends),
	  KT_CASE(worker_memory_is_used_again),
	  KT_CASE(scene_ends),
	  KT_CASE(items_follow_each_other),
	  KT_CASE(scene_ends),
	  KT_CASE(item_waits_for_another),
	  KT_CASE(scene_ends),
	  KT_CASE(worker_init_waits_for_an_item),
	  KT_CASE(scene_ends),
	  KT_CASE(each_worker_has_another_state),
	  KT_CASE(scene_ends),
	  KT_CASE(dead_workers_wait),
	  KT_CASE(scene_ends),
	  KT_CASE(next_dead_worker_is_reaped),
	  KT_CASE(scene_ends),
	  KT_CASE(unneeded_worker_exits),
	  KT_CASE(scene_ends),
	  KT_CASE(expired_worker_exits),
	  KT_CASE(scene_ends),
	  KT_CASE(threads_are_known),
	  KT_CASE(scene_ends),
	  KT_CASE(handler_is_held),
	  KT_CASE(scene_ends),
	  KT_CASE(many_workers_run),
	  KT_CASE(scene_ends),
	  KT_CASE(closed_pool_runs_on),
	  KT_CASE(scene_ends),
	  KT_CASE(pool_is_pinned),
	  KT_CASE(scene_ends));
