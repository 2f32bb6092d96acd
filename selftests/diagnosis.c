// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenes for diagnosis.sh, which reads what <pool>/diagnosis says of them.
 * Each stays until scene_ends.
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/seq_file.h>

#include "jobs.h"
#include "log.h"

#define MANY	20

static struct kpool *pool;
static struct probe p[MANY];
static struct kt_submitter submitter;
static struct kt_gate callback;
static struct kpool_stream stream;

static noinline int holds_a_unit(struct kpool_item *item)
{
	int ret;

	probe_of(item)->data = current;
	ret = probe_fn(item);
	/* no tail call: its name is looked for in the stack */
	barrier();
	return ret;
}

static bool begin(const struct kpool_attrs *attrs)
{
	kt_gate_init(&callback);
	probes_init(p, MANY, holds_a_unit);
	probes_hold(p, MANY);
	pool = kt_pool("diagnosis", attrs);
	return pool;
}

/* References to the threads of the running probes. */
static int thread_refs(void)
{
	int i, refs = 0;

	for (i = 0; i < MANY; i++)
		if (p[i].data)
			refs += refcount_read(&((struct task_struct *)p[i].data)->usage);
	return refs;
}

/* Submit probes that start, one after the other. */
static void submit_running(int from, int to)
{
	for (; from < to; from++) {
		probes_submit(pool, &p[from], 1);
		probe_runs(&p[from]);
	}
}

static void nothing_is_pending(void)
{
	begin(NULL);
}

/* Two run, three wait for 120 ms, a submitter sleeps for 60 ms. */
static void units_are_held(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 3,
	};

	if (!begin(&attrs))
		return;
	submit_running(0, 2);
	probes_submit(pool, &p[2], 3);
	kt_sleep_ms(60);
	kt_submitter_block(&submitter, pool, &p[5].job.item);
	KT_EXPECT(kt_thread_asleep(&submitter.thread));
	kt_sleep_ms(60);
}

/* A heavy one runs, two are delayed for long. */
static void jobs_are_delayed(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4 };
	int i;

	if (!begin(&attrs))
		return;
	KT_EXPECT_EQ(kpool_set_weight(&p[0].job.item, 3), 0);
	submit_running(0, 1);
	for (i = 1; i < 3; i++)
		KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[i].job, 3600 * HZ),
			     0);
}

static void pool_is_paused(void)
{
	static const struct kpool_attrs attrs = { .queue_depth = 3 };

	if (!begin(&attrs))
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 3);
}

static void next_item_is_heavy(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 3,
	};

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 4), 0);
	probes_submit(pool, &p[1], 2);
}

/* There is no queue: the item is its submitter's still. */
static void blocked_item_is_heavy(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4 };

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 4), 0);
	kt_submitter_block(&submitter, pool, &p[1].job.item);
}

/* Both: what is queued is the next. */
static void heavy_item_is_before_a_submitter(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 1,
	};

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 4), 0);
	probes_submit(pool, &p[1], 1);
	kt_submitter_block(&submitter, pool, &p[2].job.item);
}

static void submitter_waits_for_a_unit(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	kt_submitter_block(&submitter, pool, &p[1].job.item);
}

static struct kt_thread caller;

static noinline int called(void *unused)
{
	barrier();
	return 1;
}

static int calls(void *unused)
{
	return kpool_call(pool, called, NULL, NULL);
}

/* The function is the caller's, not kpool's own. */
static void call_waits_for_a_unit(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	if (kt_thread_start(&caller, calls, NULL))
		KT_EXPECT(kt_wait(kt_stat(pool, blocked) == 1));
}

static void releases(void *unused)
{
	kt_gate_pass(&callback);
}

static int calls_for_a_moment(void *unused)
{
	return kpool_call_timeout(pool, called, NULL, releases, 1, NULL) ==
	       -ETIMEDOUT ? 0 : -EPROTO;
}

/* The caller calls the release function: its call has not started in time. */
static void release_function_is_held(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1,
	};

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	if (kt_thread_start(&caller, calls_for_a_moment, NULL))
		KT_EXPECT(kt_wait(atomic_read(&callback.started)));
}

static void stream_is_busy(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 3,
	};

	if (!begin(&attrs))
		return;
	kpool_init_stream(&stream, pool);
	KT_EXPECT_EQ(kpool_set_stream(&p[0].job, &stream), 0);
	KT_EXPECT_EQ(kpool_set_stream(&p[1].job, &stream), 0);
	submit_running(0, 1);
	probes_submit(pool, &p[1], 1);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 0));
}

static void item_waits_for_its_earlier_run(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 3,
	};

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 0));
}

/* The only unit that is free would do. */
static void blocked_item_waits_for_its_stream(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2 };

	if (!begin(&attrs))
		return;
	kpool_init_stream(&stream, pool);
	KT_EXPECT_EQ(kpool_set_stream(&p[0].job, &stream), 0);
	KT_EXPECT_EQ(kpool_set_stream(&p[1].job, &stream), 0);
	submit_running(0, 1);
	kt_submitter_block(&submitter, pool, &p[1].job.item);
}

/* The due job has no queue to wait in. */
static void due_job_waits_for_a_unit(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[1].job, 0), 0);
}

static void drops_late(struct kpool_item *item, int err)
{
	kt_gate_pass(&callback);
}

static void drop_function_is_held(void)
{
	static const struct kpool_attrs attrs = { .queue_depth = 3 };
	int i;

	if (!begin(&attrs))
		return;
	for (i = 0; i < 2; i++) {
		kpool_set_drop_fn(&p[i].job.item, drops_late);
		kpool_set_deadline(&p[i].job, the_past());
	}
	probes_submit(pool, p, 2);
	KT_EXPECT(kt_wait(atomic_read(&callback.started)));
}

static struct kt_thread closer;

static int aborts(void *arg)
{
	KT_EXPECT_EQ(kpool_abort(pool), 2);
	return 0;
}

/* The drop function is called by kpool_abort(). */
static void pool_is_aborted(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 3,
	};
	int i;

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	for (i = 1; i < 3; i++)
		kpool_set_drop_fn(&p[i].job.item, drops_late);
	probes_submit(pool, &p[1], 2);
	if (kt_thread_start(&closer, aborts, NULL))
		KT_EXPECT(kt_wait(atomic_read(&callback.started)));
}

static int shuts_down(void *arg)
{
	kpool_shutdown(pool);
	return 0;
}

/* Nothing is accepted, and what is pending runs. */
static void pool_is_shut_down(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 2,
	};

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	probes_submit(pool, &p[1], 2);
	if (kt_thread_start(&closer, shuts_down, NULL))
		KT_EXPECT(kt_wait(probe_try(pool, &p[3]) == -ESHUTDOWN));
}

static void room_is_made(void *data)
{
	kt_gate_pass(&callback);
}

/* An item is refused, and could be accepted now. */
static void room_function_is_held(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .room = room_is_made,
	};

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	KT_EXPECT_EQ(probe_try(pool, &p[1]), -EAGAIN);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(atomic_read(&callback.started)));
}

static int ends_its_thread(struct kpool_item *item)
{
	kthread_complete_and_exit(NULL, 0);
	return 0;
}

static void handles(void *data, const struct kpool_fault *fault)
{
	kt_gate_pass(&callback);
}

/* Its unit is held until the handler returns. */
static void fault_handler_is_held(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 3, .fault = handles,
	};

	if (!begin(&attrs))
		return;
	probe_init(&p[0], ends_its_thread, 0);
	probes_submit(pool, p, 2);
	KT_EXPECT(kt_wait(atomic_read(&callback.started)));
}

/* Two workers have died, and one waits for the handler of the other. */
static void dead_worker_waits(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 3, .fault = handles,
	};

	if (!begin(&attrs))
		return;
	probe_init(&p[0], ends_its_thread, 0);
	probe_init(&p[1], ends_its_thread, 1);
	probes_submit(pool, p, 3);
	KT_EXPECT(kt_wait(atomic_read(&callback.started)));
	/* in its item, or in the next one */
	kt_sleep_ms(60);
}

static struct kt_submitter dying[2];

/*
 * Two submitters have died in the items that they ran, and the handler is
 * called for one.
 */
static void dead_submitter_waits(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
		.fault = handles,
	};
	int i;

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	for (i = 0; i < 2; i++) {
		probe_init(&p[i + 1], ends_its_thread, i + 1);
		kt_submitter_start(&dying[i], pool, &p[i + 1].job.item);
	}
	KT_EXPECT(kt_wait(atomic_read(&callback.started)));
}

static int completes(struct kpool_item *item)
{
	return 0;
}

/* The function of an ordered job has returned, and no unit is free. */
static void completion_waits_for_a_unit(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 3,
	};
	int i;

	if (!begin(&attrs))
		return;
	kpool_init_ordered_stream(&stream, pool);
	for (i = 0; i < 2; i++) {
		KT_EXPECT_EQ(kpool_set_stream(&p[i].job, &stream), 0);
		KT_EXPECT_EQ(kpool_set_complete_fn(&p[i].job, completes), 0);
	}
	submit_running(0, 2);
	/* the second cannot be completed, the third takes its unit */
	probes_open(&p[1], 1);
	probe_ran(&p[1]);
	submit_running(2, 3);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	probes_open(p, 1);
	probe_ran(&p[0]);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
}

static bool init_fails;
static int first_error, nr_failed;

static void *fails_or_waits(void *data)
{
	int err = xchg(&first_error, 0);

	if (err || init_fails) {
		nr_failed++;
		return ERR_PTR(err ?: -ENOMEM);
	}
	kt_gate_pass(&callback);
	return NULL;
}

static void waits(void *data, void *worker_data)
{
	kt_gate_pass(&callback);
}

static void worker_cannot_be_created(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .worker_init = fails_or_waits, .queue_depth = 3,
	};

	WRITE_ONCE(init_fails, true);
	if (!begin(&attrs))
		return;
	kt_gate_open(&callback);
	probes_submit(pool, p, 1);
	/* until the attempt has ended, it could still succeed */
	KT_EXPECT(kt_wait(kt_stat(pool, spawned) == 0));
	kt_sleep_ms(60);
}

/*
 * The next attempt has begun, and not succeeded; the one before it has failed.
 * Fails if the first error is shown for all: mutant first-spawn-error-sticks.
 */
static void worker_is_tried_again(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .worker_init = fails_or_waits, .queue_depth = 3,
	};

	WRITE_ONCE(init_fails, true);
	first_error = -EBUSY;
	nr_failed = 0;
	if (!begin(&attrs))
		return;
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(READ_ONCE(nr_failed) >= 2));
	WRITE_ONCE(init_fails, false);
	KT_EXPECT(kt_wait(atomic_read(&callback.started)));
}

static void worker_is_in_its_init(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .worker_init = fails_or_waits, .queue_depth = 3,
	};

	WRITE_ONCE(init_fails, false);
	if (!begin(&attrs))
		return;
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&callback.started)));
}

static void *starts_at_once(void *data)
{
	return NULL;
}

static void worker_is_in_its_exit(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .expiry_ms = 10, .queue_depth = 3,
		.worker_init = starts_at_once, .worker_exit = waits,
	};

	if (!begin(&attrs))
		return;
	p[0].gate = NULL;
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&callback.started)));
	probes_submit(pool, &p[1], 1);
}

static bool second_fails;

static void *second_waits(void *data)
{
	if (READ_ONCE(second_fails))
		kt_gate_pass(&callback);
	return NULL;
}

/* A worker is in worker_exit, and there is room for another, in worker_init. */
static void worker_starts_beside_an_exit(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .expiry_ms = 10, .queue_depth = 3,
		.worker_init = second_waits, .worker_exit = waits,
	};

	WRITE_ONCE(second_fails, false);
	if (!begin(&attrs))
		return;
	p[0].gate = NULL;
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&callback.started) == 1));
	WRITE_ONCE(second_fails, true);
	probes_submit(pool, &p[1], 1);
	KT_EXPECT(kt_wait(atomic_read(&callback.started) == 2));
}

static void *second_cannot_start(void *data)
{
	return READ_ONCE(second_fails) ? ERR_PTR(-ENOMEM) : NULL;
}

/*
 * A second worker could not be created, and is no longer needed: the first
 * takes the only unit that is left, and exits.
 */
static void failure_is_over(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = 3, .expiry_ms = KPOOL_NO_PURGE,
		.worker_init = second_cannot_start, .worker_exit = waits,
	};

	WRITE_ONCE(second_fails, false);
	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	WRITE_ONCE(second_fails, true);
	probes_submit(pool, &p[1], 1);
	/* the creation has failed by then */
	kt_sleep_ms(60);
	probes_open(p, 2);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 1));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 10), 0);
	KT_EXPECT(kt_wait(atomic_read(&callback.started)));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	probes_submit(pool, &p[2], 1);
}

static void submitter_runs_its_item(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	kt_submitter_start(&submitter, pool, &p[1].job.item);
	probe_runs(&p[1]);
}

static void releases_and_dies(void *unused)
{
	kthread_complete_and_exit(NULL, 0);
}

static int calls_and_dies(void *unused)
{
	return kpool_call_timeout(pool, called, NULL, releases_and_dies, 1,
				  NULL);
}

/* A submitter takes the memory of a caller that died in a release function. */
static void submitter_runs_its_item_after_a_death(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1,
		.when_full = KPOOL_FULL_CALLER_RUNS,
	};
	const char *what = "releases_and_dies [diagnosis], a release function";
	int before = log_count("died in", what);

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	if (!kt_thread_start(&caller, calls_and_dies, NULL))
		return;
	KT_EXPECT(kt_wait(log_count("died in", what) > before));
	put_task_struct(caller.task);
	caller.task = NULL;
	kt_sleep_ms(20);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_NONE), 0);
	kt_submitter_start(&submitter, pool, &p[1].job.item);
	probe_runs(&p[1]);
}

static int runs_one_inside(struct kpool_item *item)
{
	KT_EXPECT_EQ(kpool_submit(pool, &p[2].job.item), 0);
	return holds_a_unit(item);
}

/*
 * A worker in the memory of one that has died has run an item as a submitter.
 * Fails (it is a submitter, or oopses) if its run seems to be an external one:
 * mutant dead-run-stays-external.
 */
static void worker_after_a_dead_one_is_no_submitter(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};

	if (!begin(&attrs))
		return;
	probe_init(&p[0], ends_its_thread, 0);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, died) == 1));
	probe_init(&p[1], runs_one_inside, 1);
	probes_hold(&p[1], 1);
	p[2].gate = NULL;
	submit_running(1, 2);
	KT_EXPECT_EQ(kt_stat(pool, caller_ran), 1);
}

static int refs_before;

static int runs_first(struct kpool_item *item)
{
	return holds_a_unit(item);
}

static int runs_last(struct kpool_item *item)
{
	return holds_a_unit(item);
}

/*
 * Many run, the first for longest.  Idle workers are used again last first, so
 * the order of the runs is not that in which the workers were created.
 */
static void many_run(void)
{
	static const struct kpool_attrs attrs = { .capacity = MANY };
	int i;

	if (!begin(&attrs))
		return;
	submit_running(0, MANY);
	for (i = 0; i < MANY; i++) {
		probes_open(&p[i], 1);
		KT_EXPECT(kt_wait(kt_stat(pool, idle) == i + 1));
	}
	probes_init(p, MANY, holds_a_unit);
	probe_init(&p[0], runs_first, 0);
	probe_init(&p[MANY - 1], runs_last, 0);
	probes_hold(p, MANY);
	submit_running(0, 1);
	kt_sleep_ms(40);
	submit_running(1, MANY - 1);
	kt_sleep_ms(40);
	submit_running(MANY - 1, MANY);
	refs_before = thread_refs();
}

static struct kt_submitter submitters[MANY];

/* An item runs, all others are blocked. */
static void many_submitters_are_blocked(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	int i;

	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	for (i = 1; i < MANY; i++)
		kt_submitter_block(&submitters[i], pool, &p[i].job.item);
}

/*
 * An idle worker has been woken for an item, and has not had the CPU, so the
 * file is shown here.  Another worker is in worker_init.
 * Fails if the item is said to wait for that one.
 */
static void worker_is_about_to_take_an_item(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .policy = KPOOL_POLICY_IDLE, .queue_depth = 3,
		.expiry_ms = KPOOL_NO_PURGE, .worker_init = second_waits,
	};
	static const char starting[] = "starting: a worker is about to take an item\n";
	struct file *file;
	struct seq_file *m;

	if (!kt_exact) {
		kt_skip("workers can run at any time");
		return;
	}
	WRITE_ONCE(second_fails, false);
	if (!begin(&attrs))
		return;
	submit_running(0, 1);
	WRITE_ONCE(second_fails, true);
	probes_submit(pool, &p[1], 1);
	KT_EXPECT(kt_wait(atomic_read(&callback.started) == 1));
	probes_open(p, 2);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 1));
	file = filp_open("/sys/kernel/debug/kpool/diagnosis/diagnosis", O_RDONLY, 0);
	if (!KT_EXPECT(!IS_ERR(file)))
		return;
	m = file->private_data;
	probes_submit(pool, &p[2], 1);
	KT_EXPECT_EQ(m->op->show(m, NULL), 0);
	KT_EXPECT(!strncmp(m->buf, starting, strlen(starting)));
	m->count = 0;
	filp_close(file, NULL);
}

static void scene_ends(void)
{
	int i;

	if (!pool)
		return;
	/* none is kept by what was read */
	if (refs_before)
		KT_EXPECT(kt_wait(thread_refs() == refs_before));
	refs_before = 0;
	WRITE_ONCE(init_fails, false);
	WRITE_ONCE(second_fails, false);
	kt_gate_open(&callback);
	probes_open(p, MANY);
	kpool_resume(pool);
	for (i = 0; i < MANY; i++)
		kpool_modify_delay(&p[i].job, 0);
	if (closer.task)
		KT_EXPECT_EQ(kt_thread_join(&closer), 0);
	if (caller.task)
		KT_EXPECT_EQ(kt_thread_join(&caller), 0);
	for (i = 0; i < ARRAY_SIZE(dying); i++) {
		if (dying[i].thread.task)
			put_task_struct(dying[i].thread.task);
		dying[i].thread.task = NULL;
	}
	if (submitter.thread.task)
		KT_EXPECT_EQ(kt_thread_join(&submitter.thread), 0);
	for (i = 0; i < MANY; i++)
		if (submitters[i].thread.task)
			KT_EXPECT_EQ(kt_thread_join(&submitters[i].thread), 0);
	/* -EIO if a thread dies during the call */
	kpool_flush(pool);
	jobs_end(pool);
	pool = NULL;
}

KT_MODULE("kpool selftest: scenes for the diagnosis of a pool",
	  KT_CASE(nothing_is_pending),
	  KT_CASE(scene_ends),
	  KT_CASE(units_are_held),
	  KT_CASE(scene_ends),
	  KT_CASE(jobs_are_delayed),
	  KT_CASE(scene_ends),
	  KT_CASE(pool_is_paused),
	  KT_CASE(scene_ends),
	  KT_CASE(next_item_is_heavy),
	  KT_CASE(scene_ends),
	  KT_CASE(blocked_item_is_heavy),
	  KT_CASE(scene_ends),
	  KT_CASE(heavy_item_is_before_a_submitter),
	  KT_CASE(scene_ends),
	  KT_CASE(submitter_waits_for_a_unit),
	  KT_CASE(scene_ends),
	  KT_CASE(call_waits_for_a_unit),
	  KT_CASE(scene_ends),
	  KT_CASE(release_function_is_held),
	  KT_CASE(scene_ends),
	  KT_CASE(stream_is_busy),
	  KT_CASE(scene_ends),
	  KT_CASE(item_waits_for_its_earlier_run),
	  KT_CASE(scene_ends),
	  KT_CASE(blocked_item_waits_for_its_stream),
	  KT_CASE(scene_ends),
	  KT_CASE(due_job_waits_for_a_unit),
	  KT_CASE(scene_ends),
	  KT_CASE(drop_function_is_held),
	  KT_CASE(scene_ends),
	  KT_CASE(pool_is_shut_down),
	  KT_CASE(scene_ends),
	  KT_CASE(pool_is_aborted),
	  KT_CASE(scene_ends),
	  KT_CASE(room_function_is_held),
	  KT_CASE(scene_ends),
	  KT_CASE(fault_handler_is_held),
	  KT_CASE(scene_ends),
	  KT_CASE(dead_worker_waits),
	  KT_CASE(scene_ends),
	  KT_CASE(dead_submitter_waits),
	  KT_CASE(scene_ends),
	  KT_CASE(completion_waits_for_a_unit),
	  KT_CASE(scene_ends),
	  KT_CASE(worker_cannot_be_created),
	  KT_CASE(scene_ends),
	  KT_CASE(worker_is_tried_again),
	  KT_CASE(scene_ends),
	  KT_CASE(worker_is_in_its_init),
	  KT_CASE(scene_ends),
	  KT_CASE(worker_is_in_its_exit),
	  KT_CASE(scene_ends),
	  KT_CASE(worker_starts_beside_an_exit),
	  KT_CASE(scene_ends),
	  KT_CASE(worker_is_about_to_take_an_item),
	  KT_CASE(scene_ends),
	  KT_CASE(failure_is_over),
	  KT_CASE(scene_ends),
	  KT_CASE(submitter_runs_its_item),
	  KT_CASE(scene_ends),
	  KT_CASE(submitter_runs_its_item_after_a_death),
	  KT_CASE(scene_ends),
	  KT_CASE(worker_after_a_dead_one_is_no_submitter),
	  KT_CASE(scene_ends),
	  KT_CASE(many_run),
	  KT_CASE(scene_ends),
	  KT_CASE(many_submitters_are_blocked),
	  KT_CASE(scene_ends));
