// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes of the live pool: values in force, growing, shrinking, the
 * scheduling of its threads, pause and resume.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/nodemask.h>
#include <linux/sched/prio.h>
#include <linux/topology.h>
#include <uapi/linux/sched.h>

#include "full.h"
#include "log.h"

static const struct {
	enum kpool_tunable	tunable;
	size_t			offset;
	int			value, least, most;
} tunables[] = {
#define TUNABLE(id, field, ...) \
	{ KPOOL_TUNE_##id, offsetof(struct kpool_attrs, field), __VA_ARGS__ }
	TUNABLE(CAPACITY, capacity, 7, 1, KPOOL_UNLIMITED),
	TUNABLE(MIN_WORKERS, min_workers, 1, KPOOL_NONE, 1),
	TUNABLE(QUEUE_DEPTH, queue_depth, 9, KPOOL_NONE, KPOOL_UNLIMITED),
	TUNABLE(MAX_BLOCKED, max_blocked, 11, 1, KPOOL_UNLIMITED),
	TUNABLE(NONBLOCKING, nonblocking, 1, KPOOL_NONE, 1),
	TUNABLE(EXPIRY_MS, expiry_ms, 1234, 1, KPOOL_NO_PURGE),
	TUNABLE(NICE, nice, 3, -20, 19),
	TUNABLE(POLICY, policy, KPOOL_POLICY_BATCH, KPOOL_NONE, KPOOL_POLICY_RR),
	TUNABLE(RT_PRIORITY, rt_priority, 42, 1, 99),
	TUNABLE(NODE, node, KPOOL_NODE(0), KPOOL_NODE(0), KPOOL_NODE(0)),
	TUNABLE(WHEN_FULL, when_full, KPOOL_NONE, KPOOL_NONE, KPOOL_NONE),
	TUNABLE(STALL_MS, stall_ms, 4321, 1, KPOOL_NO_STALL),
	TUNABLE(MAX_BYPASS, max_bypass, 4, 1, KPOOL_UNLIMITED),
};

static int in_force(struct kpool *pool, int i)
{
	struct kpool_attrs attrs;

	kpool_get_attrs(pool, &attrs);
	return *(int *)((char *)&attrs + tunables[i].offset);
}

static void expect_tuned(struct kpool *pool, int i, int value)
{
	KT_EXPECT_EQ(kpool_tune(pool, tunables[i].tunable, value), 0);
	if (value == KPOOL_NONE)
		value = 0;
	KT_EXPECT_EQ(in_force(pool, i), value);
}

/*
 * Every attribute takes each end of its range on the live pool, shows the
 * value in force, and 0 brings the default back.
 * Fails if a row of the table has the wrong field or range.
 */
static void every_attribute_is_tunable(void)
{
	struct kpool *pool = kt_pool("tune", NULL);
	int i, def;

	if (!pool)
		return;
	BUILD_BUG_ON(ARRAY_SIZE(tunables) != KPOOL_NR_TUNABLES);
	for (i = 0; i < ARRAY_SIZE(tunables); i++) {
		def = in_force(pool, i);
		expect_tuned(pool, i, tunables[i].value);
		expect_tuned(pool, i, tunables[i].least);
		expect_tuned(pool, i, tunables[i].most);
		KT_EXPECT_EQ(kpool_tune(pool, tunables[i].tunable, 0), 0);
		KT_EXPECT_EQ(in_force(pool, i), def);
	}
	expect_tuned(pool, KPOOL_TUNE_NICE, 3);
	expect_tuned(pool, KPOOL_TUNE_NICE, KPOOL_NONE);
	kt_pool_end(pool);
}

/* The log says why when it is refused. */
static void expect_tune(struct kpool *pool, enum kpool_tunable tunable,
			int value, int err, const char *why)
{
	int before = log_count("kpool: tune: ", why);
	struct kpool_attrs was, is;

	kpool_get_attrs(pool, &was);
	KT_EXPECT_EQ(kpool_tune(pool, tunable, value), err);
	kpool_get_attrs(pool, &is);
	KT_EXPECT_EQ(log_count("kpool: tune: ", why), before + !!err);
	if (err)
		KT_EXPECT(!memcmp(&was, &is, sizeof(was)));
}

/*
 * A pool created nonblocking has callers that cannot sleep, and stays so; one
 * created blocking is turned both ways.
 * Fails if tune makes the first one sleep under its callers' locks.
 */
static void pool_created_nonblocking_stays_so(void)
{
	static const char why[] = "nonblocking cannot be cleared";
	const struct kpool_attrs attrs = { .nonblocking = 1 };
	struct kpool_multi *multi;
	struct kpool *pool;

	pool = kt_pool("tune", &attrs);
	if (!pool)
		return;
	expect_tune(pool, KPOOL_TUNE_NONBLOCKING, KPOOL_NONE, -EPERM, why);
	expect_tune(pool, KPOOL_TUNE_NONBLOCKING, 0, -EPERM, why);
	expect_tune(pool, KPOOL_TUNE_NONBLOCKING, 1, 0, why);
	expect_tune(pool, KPOOL_TUNE_CAPACITY, 3, 0, why);
	kt_pool_end(pool);
	pool = kt_pool("tune", NULL);
	if (!pool)
		return;
	expect_tune(pool, KPOOL_TUNE_NONBLOCKING, 1, 0, why);
	expect_tune(pool, KPOOL_TUNE_NONBLOCKING, KPOOL_NONE, 0, why);
	expect_tune(pool, KPOOL_TUNE_NONBLOCKING, 1, 0, why);
	expect_tune(pool, KPOOL_TUNE_NONBLOCKING, 0, 0, why);
	kt_pool_end(pool);
	multi = kpool_multi_create(&attrs, 2, KPOOL_PLACE_ROUND_ROBIN, "several");
	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(multi), 0))
		return;
	KT_EXPECT_EQ(kpool_multi_tune(multi, KPOOL_TUNE_NONBLOCKING, KPOOL_NONE),
		     -EPERM);
	KT_EXPECT_EQ(kpool_multi_tune(multi, KPOOL_TUNE_NONBLOCKING, 1), 0);
	KT_EXPECT_EQ(kpool_multi_destroy(multi), 0);
}

static const char *const overflows[] = {
	"wait", "caller_runs", "drop_oldest", NULL
};

/*
 * A pool goes from the when_full that it was created with to wait and back.
 * Fails if an item that must run can be dropped, or run by its submitter.
 */
static void when_full_changes_to_wait_and_back(int created)
{
	struct kpool *pool;
	int other;

	pool = kt_pool("tune", &(struct kpool_attrs){ .when_full = created });
	if (!pool)
		return;
	for (other = KPOOL_FULL_CALLER_RUNS; other <= KPOOL_FULL_DROP_OLDEST; other++)
		expect_tune(pool, KPOOL_TUNE_WHEN_FULL, other,
			    other == created ? 0 : -EPERM,
			    "when_full cannot be");
	expect_tune(pool, KPOOL_TUNE_WHEN_FULL, KPOOL_NONE, 0, "when_full");
	expect_tune(pool, KPOOL_TUNE_WHEN_FULL, created ?: KPOOL_NONE, 0,
		    "when_full");
	expect_tune(pool, KPOOL_TUNE_WHEN_FULL, 0, 0, "when_full");
	kt_pool_end(pool);
}

/*
 * A pinned attribute cannot be tuned in debugfs; kpool_tune() by the owner
 * works.
 * Fails if the flag stops kpool_tune().
 */
static void pinned_pool_is_tuned_by_its_owner(void)
{
	struct kpool *pool;

	pool = kt_pool("tune", &(struct kpool_attrs){ .flags = KPOOL_PINNED });
	if (!pool)
		return;
	expect_tune(pool, KPOOL_TUNE_CAPACITY, 3, 0, "capacity");
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, cpu_all_mask), 0);
	/* one changes nothing of the other */
	KT_EXPECT_EQ(in_force(pool, KPOOL_TUNE_CAPACITY), 3);
	kt_pool_end(pool);
}

/*
 * The mask in force is the pool's own memory, which the caller of
 * kpool_get_attrs() cannot know to be there still when it looks.
 * Fails if that is handed out.
 */
static void cpumask_of_the_pool_is_not_handed_out(void)
{
	struct kpool_attrs attrs = { .cpumask = cpumask_of(0) };
	struct kpool *pool = kt_pool("tune", &attrs);

	if (!pool)
		return;
	kpool_get_attrs(pool, &attrs);
	KT_EXPECT(!attrs.cpumask);
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, cpu_all_mask), 0);
	attrs.cpumask = cpumask_of(0);
	kpool_get_attrs(pool, &attrs);
	KT_EXPECT(!attrs.cpumask);
	kt_pool_end(pool);
}

static int allocates(void *arg)
{
	*(bool *)arg = current->flags & PF_MEMALLOC_NOIO;
	return 0;
}

static void *allocates_first(void *data)
{
	allocates(data);
	return NULL;
}

/*
 * Workers of a KPOOL_NOIO pool allocate without I/O from worker_init on, in
 * every item; others do not.
 * Fails if the flag is unknown, or is set after worker_init.
 */
static void workers_of_a_noio_pool_allocate_without_io(void)
{
	bool init, item[2];
	struct kpool_attrs attrs = {
		.capacity = 1, .flags = KPOOL_NOIO,
		.worker_init = allocates_first, .data = &init,
	};
	struct kpool *pool;
	int i, noio;

	for (noio = 1; noio >= 0; noio--) {
		attrs.flags = noio ? KPOOL_NOIO : KPOOL_MEM_RECLAIM;
		pool = kt_pool("noio", &attrs);
		if (!pool)
			return;
		for (i = 0; i < 2; i++)
			KT_EXPECT_EQ(kpool_call(pool, allocates, &item[i],
						NULL), 0);
		KT_EXPECT_EQ(init, noio);
		KT_EXPECT_EQ(item[0], noio);
		KT_EXPECT_EQ(item[1], noio);
		kt_pool_end(pool);
	}
	KT_EXPECT(!(current->flags & PF_MEMALLOC_NOIO));
}

/* Block three submitters on a full pool of one. */
static bool three_blocked(struct full *f, struct kt_job *late,
			  struct kt_submitter *s)
{
	static const struct kpool_attrs one = { .capacity = 1 };
	int i;

	if (!full_make(f, &one))
		return false;
	for (i = 0; i < 3; i++) {
		kt_job_init(&late[i], kt_job_gated, &f->gate, i);
		if (!kt_submitter_block(&s[i], f->pool, &late[i].item))
			return false;
	}
	return true;
}

/*
 * More capacity admits waiters at once, as many as fit.
 * Fails if tune changes the number and wakes no waiter.
 */
static void more_capacity_admits_blocked_submitters(void)
{
	static struct full f;
	static struct kt_job late[3];
	struct kt_submitter s[3] = { };

	if (!three_blocked(&f, late, s))
		goto out;
	KT_EXPECT_EQ(kpool_tune(f.pool, KPOOL_TUNE_CAPACITY, 3), 0);
	KT_EXPECT_EQ(kt_thread_join(&s[0].thread), 0);
	KT_EXPECT_EQ(kt_thread_join(&s[1].thread), 0);
	KT_EXPECT(kt_wait(atomic_read(&f.gate.started) == 3));
	KT_EXPECT_EQ(kt_stat(f.pool, blocked), 1);
	KT_EXPECT_EQ(kpool_tune(f.pool, KPOOL_TUNE_CAPACITY, KPOOL_UNLIMITED), 0);
	KT_EXPECT_EQ(kt_thread_join(&s[2].thread), 0);
	KT_EXPECT(kt_wait(atomic_read(&f.gate.started) == 4));
out:
	full_end(&f);
}

/*
 * A longer queue admits waiters.
 * Fails if only capacity is checked when growing.
 */
static void longer_queue_admits_blocked_submitters(void)
{
	static struct full f;
	static struct kt_job late[3];
	struct kt_submitter s[3] = { };

	if (!three_blocked(&f, late, s))
		goto out;
	KT_EXPECT_EQ(kpool_tune(f.pool, KPOOL_TUNE_QUEUE_DEPTH, 2), 0);
	KT_EXPECT_EQ(kt_thread_join(&s[0].thread), 0);
	KT_EXPECT_EQ(kt_thread_join(&s[1].thread), 0);
	KT_EXPECT_EQ(kt_stat(f.pool, pending), 2);
	KT_EXPECT_EQ(kt_stat(f.pool, blocked), 1);
	KT_EXPECT_EQ(kpool_tune(f.pool, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_UNLIMITED), 0);
	KT_EXPECT_EQ(kt_thread_join(&s[2].thread), 0);
	KT_EXPECT_EQ(kt_stat(f.pool, pending), 3);
out:
	full_end(&f);
}

/*
 * No tune refuses blocked submitters: they are admitted as they would be.
 * Fails if nonblocking, max_blocked or the queue are applied to submitters that
 * are blocked already.
 */
static void shrinking_refuses_no_blocked_submitter(void)
{
	static struct full f;
	static struct kt_job late[3];
	struct kt_submitter s[3] = { };
	int i;

	if (!three_blocked(&f, late, s))
		goto out;
	KT_EXPECT_EQ(kpool_tune(f.pool, KPOOL_TUNE_NONBLOCKING, 1), 0);
	KT_EXPECT_EQ(kpool_tune(f.pool, KPOOL_TUNE_MAX_BLOCKED, 1), 0);
	KT_EXPECT_EQ(kpool_tune(f.pool, KPOOL_TUNE_CAPACITY, 1), 0);
	KT_EXPECT_EQ(kpool_tune(f.pool, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_NONE), 0);
	KT_EXPECT_EQ(kt_stat(f.pool, blocked), 3);
out:
	kt_gate_open(&f.gate);
	for (i = 0; i < 3; i++)
		if (s[i].thread.task)
			KT_EXPECT_EQ(kt_thread_join(&s[i].thread), 0);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 4);
	full_end(&f);
}

/*
 * A shrunk pool lets what runs finish, then runs no more than the new
 * capacity at once.  It keeps every accepted item, and its surplus workers go.
 * Fails if workers check the capacity only when they fall idle.
 */
static void shrinking_ends_surplus_workers(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = KPOOL_UNLIMITED,
	};
	static struct kt_gate second;
	static struct kt_job jobs[6];
	static struct full f;
	int i;

	if (!full_make(&f, &attrs))
		goto out;
	kt_gate_init(&second);
	for (i = 0; i < 6; i++) {
		kt_job_init(&jobs[i], kt_job_gated, &second, i);
		KT_EXPECT_EQ(kpool_submit(f.pool, &jobs[i].item), 0);
	}
	KT_EXPECT_EQ(kpool_tune(f.pool, KPOOL_TUNE_CAPACITY, 2), 0);
	KT_EXPECT_EQ(kt_stat(f.pool, running), 4);
	kt_gate_open(&f.gate);
	KT_EXPECT(kt_wait(atomic_read(&f.gate.finished) == 4));
	KT_EXPECT(kt_wait(atomic_read(&second.started) == 2));
	KT_EXPECT(kt_wait(kt_stat(f.pool, alive) == 2));
	KT_EXPECT_EQ(kt_stat(f.pool, retired), 2);
	kt_sleep_ms(20);
	KT_EXPECT_EQ(atomic_read(&second.started), 2);
	kt_gate_open(&second);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&second.finished), 6);
out:
	kt_gate_open(&second);
	full_end(&f);
}

/*
 * Items were queued for fast starts when the pool shrinks, and one more comes.
 * Fails (as many run as before) if a fast start uses a unit that is gone:
 * mutant fast-start-on-a-lost-unit.
 */
static void shrunk_pool_starts_no_more_than_it_should(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = KPOOL_UNLIMITED,
	};
	static struct kt_gate first, second;
	static struct kt_job jobs[12];
	struct kpool *pool = kt_pool("tune", &attrs);
	int i;

	if (!pool)
		return;
	kt_gate_init(&first);
	kt_gate_init(&second);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	for (i = 0; i < 12; i++)
		kt_job_init(&jobs[i], kt_job_gated, i < 4 ? &first : &second, i);
	for (i = 0; i < 11; i++)
		KT_EXPECT_EQ(kpool_submit(pool, &jobs[i].item), 0);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(atomic_read(&first.started) == 4));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	/* let all that follows from it be over, which takes the lock */
	kt_sleep_ms(20);
	KT_EXPECT_EQ(kpool_submit(pool, &jobs[11].item), 0);
	kt_gate_open(&first);
	KT_EXPECT(kt_wait(atomic_read(&second.started)));
	KT_EXPECT(kt_wait(atomic_read(&first.finished) == 4));
	kt_sleep_ms(20);
	KT_EXPECT_EQ(atomic_read(&second.started), 1);
	kt_gate_open(&second);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&second.finished), 8);
	kt_pool_end(pool);
}

/*
 * Idle surplus workers go too.
 * Fails if tune waits for the reap work to take them.
 */
static void shrinking_retires_idle_workers(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .expiry_ms = KPOOL_NO_PURGE,
	};
	static struct full f;

	if (!full_make(&f, &attrs))
		goto out;
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(kt_stat(f.pool, alive), 4);
	KT_EXPECT_EQ(kpool_tune(f.pool, KPOOL_TUNE_CAPACITY, 1), 0);
	KT_EXPECT(kt_wait(kt_stat(f.pool, alive) == 1));
	KT_EXPECT_EQ(kt_stat(f.pool, retired), 3);
out:
	full_end(&f);
}

/*
 * PREALLOC makes min_workers at creation, and they are workers like any other.
 * Fails if they are made on demand, or not counted as idle.
 */
static void prealloc_makes_min_workers(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .min_workers = 3, .flags = KPOOL_PREALLOC,
	};
	struct kpool *pool = kt_pool("prealloc", &attrs);
	static struct kt_gate gate;
	static struct kt_job jobs[4];
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	KT_EXPECT_EQ(kt_stat(pool, alive), 3);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 3));
	for (i = 0; i < 4; i++) {
		kt_job_init(&jobs[i], kt_job_gated, &gate, i);
		KT_EXPECT_EQ(kpool_submit(pool, &jobs[i].item), 0);
	}
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 4));
	KT_EXPECT_EQ(kt_stat(pool, spawned), 4);
	kt_gate_open(&gate);
	kt_pool_end(pool);
}

/* Items that record which thread runs them. */
static struct task_struct *seen[2];
static int seen_cpu;

static int job_seen(struct kpool_item *item)
{
	seen[kt_job_of(item)->nr] = get_task_struct(current);
	seen_cpu = raw_smp_processor_id();
	return kt_job_gated(item);
}

static struct kt_job seer[2];
static struct kt_gate see_gate;

/* Have worker @i show itself; it stays busy until see_end(). */
static bool see(struct kpool *pool, int i)
{
	seen[i] = NULL;
	kt_job_init(&seer[i], job_seen, &see_gate, i);
	return KT_EXPECT_EQ(kpool_submit(pool, &seer[i].item), 0) &&
	       KT_EXPECT(kt_wait(atomic_read(&see_gate.started) == i + 1));
}

static void see_end(struct kpool *pool)
{
	int i;

	kt_gate_open(&see_gate);
	kt_pool_end(pool);
	for (i = 0; i < 2; i++) {
		if (seen[i])
			put_task_struct(seen[i]);
		seen[i] = NULL;
	}
}

static struct kpool *see_make(void)
{
	kt_gate_init(&see_gate);
	return kt_pool("sched", &(struct kpool_attrs){ .capacity = 2 });
}

static void expect_sched(struct task_struct *task, int policy, int nice,
			 int rt_priority)
{
	KT_EXPECT_EQ(task->policy, policy);
	KT_EXPECT_EQ(task->rt_priority, rt_priority);
	if (!rt_priority)
		KT_EXPECT_EQ(task_nice(task), nice);
}

/*
 * Nice, policy and rt_priority are those of the workers that live, and of
 * those that come.
 * Fails if tune reaches only new workers, or new workers miss it.
 */
static void scheduling_reaches_old_and_new_workers(void)
{
	struct kpool *pool = see_make();

	if (!pool || !see(pool, 0))
		goto out;
	expect_sched(seen[0], SCHED_NORMAL, 0, 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NICE, 7), 0);
	expect_sched(seen[0], SCHED_NORMAL, 7, 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_POLICY, KPOOL_POLICY_BATCH), 0);
	expect_sched(seen[0], SCHED_BATCH, 7, 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_POLICY, KPOOL_POLICY_IDLE), 0);
	expect_sched(seen[0], SCHED_IDLE, 7, 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_RT_PRIORITY, 3), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_POLICY, KPOOL_POLICY_RR), 0);
	expect_sched(seen[0], SCHED_RR, 0, 3);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_POLICY, KPOOL_POLICY_FIFO), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_RT_PRIORITY, 2), 0);
	expect_sched(seen[0], SCHED_FIFO, 0, 2);
	if (!see(pool, 1))
		goto out;
	expect_sched(seen[1], SCHED_FIFO, 0, 2);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_POLICY, KPOOL_NONE), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NICE, -5), 0);
	expect_sched(seen[0], SCHED_NORMAL, -5, 0);
	expect_sched(seen[1], SCHED_NORMAL, -5, 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NICE, 0), 0);
	expect_sched(seen[1], SCHED_NORMAL, 0, 0);
out:
	see_end(pool);
}

/*
 * The attributes of creation reach the workers too.
 * Fails if they are applied by tune alone.
 */
static void scheduling_is_set_at_creation(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .policy = KPOOL_POLICY_BATCH, .nice = 4,
	};
	struct kpool *pool;

	kt_gate_init(&see_gate);
	pool = kt_pool("sched", &attrs);
	if (pool && see(pool, 0))
		expect_sched(seen[0], SCHED_BATCH, 4, 0);
	see_end(pool);
}

static struct kt_gate init_gate;
static struct task_struct *initializing;

static void *initializes(void *data)
{
	initializing = get_task_struct(current);
	kt_gate_pass(&init_gate);
	return NULL;
}

/*
 * A tune reaches a worker whose worker_init has not returned, too.
 * Fails if tune reaches only workers that are accounted: mutant
 * tune-misses-starting-worker.
 */
static void scheduling_reaches_starting_worker(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .nice = 4, .worker_init = initializes,
	};
	struct kpool *pool;

	kt_gate_init(&see_gate);
	kt_gate_init(&init_gate);
	pool = kt_pool("sched", &attrs);
	if (!pool)
		return;
	kt_job_init(&seer[0], kt_job_tiny, &see_gate, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &seer[0].item), 0);
	if (KT_EXPECT(kt_wait(atomic_read(&init_gate.started)))) {
		expect_sched(initializing, SCHED_NORMAL, 4, 0);
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NICE, 7), 0);
		expect_sched(initializing, SCHED_NORMAL, 7, 0);
		put_task_struct(initializing);
	}
	kt_gate_open(&init_gate);
	kt_pool_end(pool);
}

/*
 * A worker that was reniced keeps that while other attributes are tuned.
 * Fails if every tune applies the scheduling attributes to all workers.
 */
static void tune_leaves_scheduling_alone(void)
{
	struct kpool *pool = see_make();

	if (!pool || !see(pool, 0))
		goto out;
	set_user_nice(seen[0], 9);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, 5), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 3), 0);
	expect_sched(seen[0], SCHED_NORMAL, 9, 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_POLICY, KPOOL_POLICY_BATCH), 0);
	expect_sched(seen[0], SCHED_BATCH, 0, 0);
out:
	see_end(pool);
}

/* The last CPU that is online; CPU 0 if there is no other. */
static unsigned int some_cpu(void)
{
	unsigned int cpu, last = 0;

	for_each_online_cpu(cpu)
		last = cpu;
	return last;
}

/*
 * Workers, old and new, run where the cpumask says, and anywhere again
 * without one.
 * Fails if tune reaches only new workers, or new workers miss it.
 */
static void cpumask_confines_old_and_new_workers(void)
{
	const struct cpumask *mask = cpumask_of(some_cpu());
	struct kpool *pool = see_make();

	if (!pool || !see(pool, 0))
		goto out;
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, mask), 0);
	KT_EXPECT(cpumask_equal(seen[0]->cpus_ptr, mask));
	if (!see(pool, 1))
		goto out;
	KT_EXPECT(cpumask_equal(seen[1]->cpus_ptr, mask));
	KT_EXPECT_EQ(seen_cpu, some_cpu());
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, NULL), 0);
	KT_EXPECT(cpumask_subset(cpu_online_mask, seen[0]->cpus_ptr));
	KT_EXPECT(cpumask_subset(cpu_online_mask, seen[1]->cpus_ptr));
out:
	see_end(pool);
}

/*
 * A mask without an online CPU is refused, and the one in force stays.
 * Fails if the mask is stored before it is checked.
 */
static void cpumask_without_online_cpu_is_refused(void)
{
	const struct cpumask *mask = cpumask_of(some_cpu());
	static struct cpumask none;
	struct kpool_attrs attrs = { .cpumask = &none };
	struct kpool *pool = see_make();

	if (!pool || !see(pool, 0))
		goto out;
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, mask), 0);
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, &none), -EINVAL);
	cpumask_andnot(&none, cpu_possible_mask, cpu_online_mask);
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, &none), -EINVAL);
	KT_EXPECT_EQ(PTR_ERR_OR_ZERO(kpool_create(&attrs, "nowhere")), -EINVAL);
	KT_EXPECT(cpumask_equal(seen[0]->cpus_ptr, mask));
out:
	see_end(pool);
}

/*
 * A mask is copied, at creation and by tune.  Its owner can use the memory for
 * something else, and any attribute can be tuned afterwards.
 * Fails if the pool looks at it again: mutant mask-not-copied.
 */
static void cpumask_is_copied(void)
{
	static struct cpumask mask;
	const struct kpool_attrs attrs = { .capacity = 2, .cpumask = &mask };
	struct kpool *pool;
	int tuned;

	if (num_online_cpus() == 1) {
		kt_skip("there is one CPU only");
		return;
	}
	for (tuned = 0; tuned < 2; tuned++) {
		cpumask_copy(&mask, cpumask_of(some_cpu()));
		kt_gate_init(&see_gate);
		pool = kt_pool("sched", tuned ? NULL : &attrs);
		if (!pool)
			return;
		if (tuned)
			KT_EXPECT_EQ(kpool_tune_cpumask(pool, &mask), 0);
		cpumask_copy(&mask, cpu_possible_mask);
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NICE, 3), 0);
		if (see(pool, 0))
			KT_EXPECT(cpumask_equal(seen[0]->cpus_ptr,
						cpumask_of(some_cpu())));
		see_end(pool);
	}
}

/*
 * A pool of one node has its workers there.
 * Fails if the node is only asked for memory.
 */
static void node_confines_workers(void)
{
	int node = cpu_to_node(some_cpu());
	struct kpool *pool = see_make();

	if (!pool || !see(pool, 0))
		goto out;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NODE, KPOOL_NODE(node)), 0);
	if (!see(pool, 1))
		goto out;
	KT_EXPECT(cpumask_subset(seen[0]->cpus_ptr, cpumask_of_node(node)));
	KT_EXPECT(cpumask_subset(seen[1]->cpus_ptr, cpumask_of_node(node)));
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NODE, 0), 0);
out:
	see_end(pool);
}

/*
 * A tune of the node alone gives its CPUs, and no others, to workers that live.
 * Fails if nothing is applied to them: mutants node-change-not-seen,
 * node-alone-confines-none.
 */
static void node_reaches_old_workers(void)
{
	int node = cpu_to_node(0);
	struct kpool *pool;

	if (num_online_cpus() == 1) {
		kt_skip("there is one CPU only");
		return;
	}
	pool = see_make();
	if (!pool || !see(pool, 0))
		goto out;
	/* else this is seen with several nodes only */
	KT_EXPECT_EQ(set_cpus_allowed_ptr(seen[0], cpumask_of(0)), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NODE, KPOOL_NODE(node)), 0);
	KT_EXPECT(cpumask_equal(seen[0]->cpus_ptr, cpumask_of_node(node)));
out:
	see_end(pool);
}

/*
 * With a cpumask and a node, workers run on the CPUs that are in both.
 * Fails if one of the two counts alone: mutant node-without-mask-only.
 */
static void node_and_cpumask_confine_workers(void)
{
	unsigned int last = cpumask_last(cpu_online_mask);
	int node = cpu_to_node(last);
	struct kpool *pool;

	if (cpu_to_node(0) == node) {
		kt_skip("there is one node with CPUs only");
		return;
	}
	pool = see_make();
	if (!pool || !see(pool, 0))
		goto out;
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, cpu_online_mask), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NODE, KPOOL_NODE(node)), 0);
	KT_EXPECT(cpumask_equal(seen[0]->cpus_ptr, cpumask_of_node(node)));
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, cpumask_of(last)), 0);
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, cpumask_of(0)), -EINVAL);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NODE, KPOOL_NODE(cpu_to_node(0))), -EINVAL);
	if (!see(pool, 1))
		goto out;
	KT_EXPECT(cpumask_equal(seen[0]->cpus_ptr, cpumask_of(last)));
	KT_EXPECT(cpumask_equal(seen[1]->cpus_ptr, cpumask_of(last)));
	KT_EXPECT_EQ(seen_cpu, last);
out:
	see_end(pool);
}

static void lose_and_regain(struct kpool *pool, unsigned int cpu)
{
	const struct cpumask *mask = cpumask_of(cpu);

	KT_EXPECT_EQ(kpool_tune_cpumask(pool, mask), 0);
	KT_EXPECT(cpumask_equal(seen[0]->cpus_ptr, mask));
	if (!KT_EXPECT_EQ(remove_cpu(cpu), 0))
		return;
	/* Work goes on elsewhere: the running item and a new one. */
	kt_gate_let_one(&see_gate);
	KT_EXPECT_EQ(kpool_flush_item(&seer[0].item), 0);
	see(pool, 1);
	KT_EXPECT_NE(seen_cpu, cpu);
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, mask), -EINVAL);
	KT_EXPECT(kt_wait(!add_cpu(cpu)));
	KT_EXPECT(kt_wait(cpumask_equal(seen[0]->cpus_ptr, mask)));
	KT_EXPECT(!seen[1] || kt_wait(cpumask_equal(seen[1]->cpus_ptr, mask)));
}

/* Tune everything else while the only CPU of the mask is away. */
static void tune_without_cpu(struct kpool *pool, unsigned int cpu)
{
	int i;

	KT_EXPECT_EQ(kpool_tune_cpumask(pool, cpumask_of(cpu)), 0);
	if (!KT_EXPECT_EQ(remove_cpu(cpu), 0))
		return;
	for (i = 0; i < ARRAY_SIZE(tunables); i++)
		if (tunables[i].tunable != KPOOL_TUNE_NODE)
			expect_tuned(pool, i, tunables[i].value);
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, cpumask_of(cpu)), -EINVAL);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NODE,
				KPOOL_NODE(cpu_to_node(cpu))), -EINVAL);
	KT_EXPECT_EQ(in_force(pool, KPOOL_TUNE_NODE), 0);
	KT_EXPECT(kt_wait(!add_cpu(cpu)));
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, cpumask_of(cpu)), 0);
}

/* The last CPU if it can be taken away; 0 and a skip if not. */
static unsigned int some_cpu_that_goes(void)
{
	unsigned int cpu = some_cpu();

	if (IS_ENABLED(CONFIG_HOTPLUG_CPU) && cpu && cpu_is_hotpluggable(cpu))
		return cpu;
	kt_skip("no CPU can be taken away");
	return 0;
}

/*
 * While no CPU of the mask is online, all that does not choose CPUs can be
 * tuned as before.  A mask or a node without one is still refused.
 * Fails if a tune looks at what it does not change.
 */
static void pool_without_cpu_is_tunable(void)
{
	unsigned int cpu = some_cpu_that_goes();
	struct kpool *pool;

	if (!cpu)
		return;
	pool = kt_pool("tune", NULL);
	if (pool)
		tune_without_cpu(pool, cpu);
	kt_pool_end(pool);
}

/*
 * A cpumask whose CPUs go away is kept, and work goes on.  When they return it
 * is restored, also of a pool that is not the first.
 * Fails if CPUs that come online are ignored, the kernel's substitute mask is
 * taken for the pool's, or one pool is restored: mutant
 * first-pool-regains-its-mask.
 */
static void lost_cpumask_is_restored(void)
{
	unsigned int cpu = some_cpu_that_goes();
	struct kpool *first, *pool;

	if (!cpu)
		return;
	first = kt_pool("first", NULL);
	pool = see_make();
	if (pool && see(pool, 0))
		lose_and_regain(pool, cpu);
	see_end(pool);
	kt_pool_end(first);
}

/*
 * A CPU of the node that was away when the node was set is the workers', too,
 * when it returns.
 * Fails if the node's CPUs are looked at once: mutant node-mask-from-before.
 */
static void node_takes_in_a_cpu_that_returns(void)
{
	unsigned int cpu = some_cpu_that_goes();
	struct kpool *pool;

	if (!cpu)
		return;
	if (cpu_to_node(cpu) != cpu_to_node(0)) {
		kt_skip("CPU 0 is in another node");
		return;
	}
	pool = see_make();
	if (!pool || !see(pool, 0) || !KT_EXPECT_EQ(remove_cpu(cpu), 0))
		goto out;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_NODE,
				KPOOL_NODE(cpu_to_node(0))), 0);
	KT_EXPECT(kt_wait(!add_cpu(cpu)));
	KT_EXPECT(kt_wait(cpumask_test_cpu(cpu, seen[0]->cpus_ptr)));
out:
	see_end(pool);
}

/*
 * Pause holds starts back, not what runs, and submit goes on queueing;
 * resume lets all go.
 * Fails if a worker that finishes takes the next item, or pause closes.
 */
static void pause_holds_starts_back(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 8 };
	static struct kt_job queued[4];
	static struct kt_gate gate;
	static struct full f;
	int i;

	if (!full_make(&f, &attrs))
		goto out;
	kt_gate_init(&gate);
	for (i = 0; i < 4; i++)
		kt_job_init(&queued[i], kt_job_tiny, &gate, i);
	KT_EXPECT_EQ(kpool_submit(f.pool, &queued[0].item), 0);
	KT_EXPECT_EQ(kpool_pause(f.pool), 0);
	KT_EXPECT_EQ(kpool_pause(f.pool), 0);
	KT_EXPECT_EQ(kt_stat(f.pool, running), 2);
	kt_gate_open(&f.gate);
	KT_EXPECT(kt_wait(kt_stat(f.pool, running) == 0));
	for (i = 1; i < 4; i++)
		KT_EXPECT_EQ(kpool_submit(f.pool, &queued[i].item), 0);
	kt_sleep_ms(20);
	KT_EXPECT_EQ(atomic_read(&gate.started), 0);
	KT_EXPECT_EQ(kt_stat(f.pool, pending), 4);
	kpool_resume(f.pool);
	kpool_resume(f.pool);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 4);
out:
	full_end(&f);
}

/*
 * In a paused pool that is full, submit waits or is refused as ever.
 * Fails if the queue has no bound while paused.
 */
static void paused_pool_fills_up(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 2 };
	struct kpool *pool = kt_pool("paused", &attrs);
	static struct kt_job jobs[32];
	static struct kt_gate gate;
	struct kt_submitter s;
	int i, err = 0;

	if (!pool)
		return;
	kt_gate_init(&gate);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	for (i = 0; i < 32 && !err; i++) {
		kt_job_init(&jobs[i], kt_job_tiny, &gate, i);
		err = kpool_try_submit(pool, &jobs[i].item);
	}
	KT_EXPECT_EQ(err, -EAGAIN);
	KT_EXPECT_GE(i, 3);
	KT_EXPECT_LE(i, 4);
	if (kt_submitter_block(&s, pool, &jobs[i - 1].item)) {
		KT_EXPECT_EQ(atomic_read(&gate.started), 0);
		kpool_resume(pool);
		KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	}
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), i);
	kt_pool_end(pool);
}

/*
 * Shutdown and destroy undo pause; a closed pool cannot be paused.
 * Fails (hangs) if accepted items of a paused pool are left behind.
 */
static void closing_undoes_pause(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 2 };
	static struct kt_job jobs[2];
	static struct kt_gate gate;
	struct kpool *pool;
	int round, i;

	for (round = 0; round < 2; round++) {
		pool = kt_pool("paused", &attrs);
		if (!pool)
			return;
		kt_gate_init(&gate);
		KT_EXPECT_EQ(kpool_pause(pool), 0);
		for (i = 0; i < 2; i++) {
			kt_job_init(&jobs[i], kt_job_tiny, &gate, i);
			KT_EXPECT_EQ(kpool_submit(pool, &jobs[i].item), 0);
		}
		if (!round) {
			KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
			KT_EXPECT_EQ(kpool_pause(pool), -ESHUTDOWN);
			KT_EXPECT(!kt_stat(pool, paused));
			KT_EXPECT_EQ(kpool_reopen(pool), 0);
			KT_EXPECT_EQ(kpool_submit(pool, &jobs[0].item), 0);
			KT_EXPECT(kt_wait(atomic_read(&gate.finished) == 3));
			atomic_set(&gate.finished, 2);
		}
		KT_EXPECT_EQ(kpool_destroy(pool), 0);
		KT_EXPECT_EQ(atomic_read(&gate.finished), 2);
	}
}

static struct kpool *storm_pool;

static int storm_main(void *arg)
{
	static struct kt_gate gate;
	struct kt_job *job = arg;
	int i, err;

	kt_job_init(job, kt_job_tiny, &gate, 0);
	for (i = 0; i < kt_count(5000); i++) {
		err = kpool_submit(storm_pool, &job->item);
		KT_EXPECT(!err || err == -EALREADY || err == -EAGAIN);
	}
	KT_EXPECT_EQ(kpool_flush_item(&job->item), 0);
	return 0;
}

/*
 * Tuning everything under load loses nothing and hangs no thread.
 * Fails if a tune rechecks the pool outside of the lock.
 */
static void tuning_under_load_loses_nothing(void)
{
	static const int capacities[] = { 1, 4, 2, KPOOL_UNLIMITED, 3 };
	static const int depths[] = { KPOOL_NONE, 5, KPOOL_UNLIMITED, 1 };
	static struct kt_job jobs[4];
	static struct kt_thread t[4];
	int i;

	storm_pool = kt_pool("storm", NULL);
	if (!storm_pool)
		return;
	for (i = 0; i < 4; i++)
		kt_thread_start(&t[i], storm_main, &jobs[i]);
	for (i = 0; i < 200; i++) {
		KT_EXPECT_EQ(kpool_tune(storm_pool, KPOOL_TUNE_CAPACITY,
					capacities[i % 5]), 0);
		KT_EXPECT_EQ(kpool_tune(storm_pool, KPOOL_TUNE_QUEUE_DEPTH,
					depths[i % 4]), 0);
		KT_EXPECT_EQ(kpool_tune(storm_pool, KPOOL_TUNE_NONBLOCKING,
					i % 3 ? KPOOL_NONE : 1), 0);
		KT_EXPECT_EQ(kpool_tune(storm_pool, KPOOL_TUNE_NICE, i % 5), 0);
		KT_EXPECT_EQ(kpool_pause(storm_pool), 0);
		kpool_resume(storm_pool);
		usleep_range(50, 200);
	}
	for (i = 0; i < 4; i++)
		kt_thread_join(&t[i]);
	kt_pool_end(storm_pool);
}

static atomic_t tuning;

static int tune_until_stopped(void *arg)
{
	struct kpool *pool = arg;
	int n = 0, err = 0;

	while (atomic_read(&tuning) && !err) {
		err = kpool_tune(pool, KPOOL_TUNE_NICE, 1 + n++ % 2);
		kt_sleep_ms(1);
	}
	return err;
}

/*
 * Workers can come and go while all of them are being tuned.
 * Fails (KASAN, DEBUG_LIST) if one leaves the list, or its task is put, under
 * the walk: mutant reaped-without-mutex.
 */
static void workers_exit_while_they_are_tuned(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 16, .expiry_ms = 1,
	};
	struct kpool *pool = kt_pool("coming", &attrs);
	struct kt_thread tuner[2];
	struct kt_gate gate;
	struct kt_job *jobs;
	int i, n;

	kt_gate_init(&gate);
	kt_gate_open(&gate);
	jobs = kt_jobs(16, kt_job_gated, &gate);
	if (!pool || !jobs)
		goto out;
	atomic_set(&tuning, 1);
	for (i = 0; i < 2; i++)
		kt_thread_start(&tuner[i], tune_until_stopped, pool);
	for (n = 0; n < kt_count(300); n++) {
		kt_submit_jobs(pool, jobs, 16);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		kt_sleep_ms(n % 40);
	}
	atomic_set(&tuning, 0);
	for (i = 0; i < 2; i++)
		KT_EXPECT_EQ(kt_thread_join(&tuner[i]), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, purged)));
out:
	kt_pool_end(pool);
	kvfree(jobs);
}

KT_MODULE("kpool selftest: attributes of the live pool",
	  KT_CASE(workers_exit_while_they_are_tuned),
	  KT_CASE(every_attribute_is_tunable),
	  KT_CASE(pool_created_nonblocking_stays_so),
	  KT_EACH(when_full_changes_to_wait_and_back, overflows),
	  KT_CASE(pinned_pool_is_tuned_by_its_owner),
	  KT_CASE(cpumask_of_the_pool_is_not_handed_out),
	  KT_CASE(workers_of_a_noio_pool_allocate_without_io),
	  KT_CASE(more_capacity_admits_blocked_submitters),
	  KT_CASE(longer_queue_admits_blocked_submitters),
	  KT_CASE(shrinking_refuses_no_blocked_submitter),
	  KT_CASE(shrinking_ends_surplus_workers),
	  KT_CASE(shrunk_pool_starts_no_more_than_it_should),
	  KT_CASE(shrinking_retires_idle_workers),
	  KT_CASE(prealloc_makes_min_workers),
	  KT_CASE(scheduling_reaches_old_and_new_workers),
	  KT_CASE(scheduling_is_set_at_creation),
	  KT_CASE(scheduling_reaches_starting_worker),
	  KT_CASE(tune_leaves_scheduling_alone),
	  KT_CASE(cpumask_confines_old_and_new_workers),
	  KT_CASE(cpumask_without_online_cpu_is_refused),
	  KT_CASE(cpumask_is_copied),
	  KT_CASE(node_confines_workers),
	  KT_CASE(node_reaches_old_workers),
	  KT_CASE(node_and_cpumask_confine_workers),
	  KT_CASE(lost_cpumask_is_restored),
	  KT_CASE(node_takes_in_a_cpu_that_returns),
	  KT_CASE(pool_without_cpu_is_tunable),
	  KT_CASE(pause_holds_starts_back),
	  KT_CASE(paused_pool_fills_up),
	  KT_CASE(closing_undoes_pause),
	  KT_CASE(tuning_under_load_loses_nothing));
