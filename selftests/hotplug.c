// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU goes offline and online repeatedly under load: nothing is lost, and
 * nothing waits for it.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <linux/smp.h>

#include "job_counters.h"

#define ROUNDS	8
#define JOBS	8

/* A pool and what keeps it busy. */
static struct busy {
	struct kpool		*pool;
	struct kt_thread	thread;
	atomic_t		ran;
	int			accepted;
} anywhere, there;

static struct timed job[JOBS];
static bool stop;

static int busy_fn(void *arg)
{
	struct busy *b = arg;

	atomic_inc(&b->ran);
	if (get_random_u32() % 64 == 0)
		usleep_range(50, 100);
	return 0;
}

static int keeps_busy(void *arg)
{
	struct busy *b = arg;

	while (!READ_ONCE(stop)) {
		b->accepted += !kpool_submit_fn(b->pool, busy_fn, b, GFP_KERNEL);
		/* idle workers are to expire now and then */
		if (get_random_u32() % 256 == 0)
			kt_sleep_ms(5);
	}
	return 0;
}

static bool busy_begin(struct busy *b, const char *name,
		       const struct cpumask *mask)
{
	const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 16, .expiry_ms = 1,
		.cpumask = mask,
	};

	memset(b, 0, sizeof(*b));
	b->pool = kt_pool(name, &attrs);
	return b->pool && kt_thread_start(&b->thread, keeps_busy, b);
}

static void busy_end(struct busy *b)
{
	if (!b->pool)
		return;
	KT_EXPECT_EQ(kt_thread_join(&b->thread), 0);
	KT_EXPECT_EQ(kpool_flush(b->pool), 0);
	KT_EXPECT_EQ(atomic_read(&b->ran), b->accepted);
	KT_EXPECT_GE(b->accepted, 1);
	kt_pool_end(b->pool);
}

static bool goes_on(struct busy *b)
{
	int before = atomic_read(&b->ran);

	return KT_EXPECT(kt_wait(atomic_read(&b->ran) > before + 16));
}

/* The kernel waits for some seconds only, and a machine can stand still. */
static bool comes_back(unsigned int cpu)
{
	return KT_EXPECT(kt_wait(!add_cpu(cpu)));
}

/* While it is away, and when it is back. */
static bool goes_and_returns(unsigned int cpu)
{
	bool good;

	if (!KT_EXPECT_EQ(remove_cpu(cpu), 0))
		return false;
	good = goes_on(&anywhere) && goes_on(&there);
	/* only a new mask or node needs a CPU */
	KT_EXPECT_EQ(kpool_tune(there.pool, KPOOL_TUNE_CAPACITY, 4), 0);
	return comes_back(cpu) && good && goes_on(&anywhere) && goes_on(&there);
}

/* The last CPU if it can be taken away; 0 and a skip if not. */
static unsigned int cpu_that_goes(void)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);

	if (IS_ENABLED(CONFIG_HOTPLUG_CPU) && cpu && cpu_is_hotpluggable(cpu))
		return cpu;
	kt_skip("no CPU can be taken away");
	return 0;
}

/*
 * A pool that can run anywhere, one that can run only there, and delayed jobs:
 * all go on while the CPU is away.  The mask is back when the CPU is.
 * Fails if work that is bound to a CPU (a timer, a list of its own) is left
 * there.  Also fails if a pool whose CPU is away can have no new worker, or
 * cannot be tuned: mutant every-tune-needs-a-cpu.
 */
static void load_outlives_its_cpu(void)
{
	unsigned int cpu = cpu_that_goes();
	int i;

	if (!cpu)
		return;
	stop = false;
	timed_init_all(job, JOBS);
	if (!busy_begin(&anywhere, "anywhere", NULL) ||
	    !busy_begin(&there, "there", cpumask_of(cpu)))
		goto out;
	for (i = 0; i < ROUNDS; i++) {
		KT_EXPECT_EQ(kpool_submit_delayed(there.pool, &job[i].job,
						  HZ / 10), 0);
		if (!goes_and_returns(cpu))
			break;
	}
	KT_EXPECT(kt_wait(!kt_stat(there.pool, delayed)));
out:
	WRITE_ONCE(stop, true);
	busy_end(&anywhere);
	busy_end(&there);
	for (i = 0; i < ROUNDS && cpu; i++)
		KT_EXPECT(timed_ran(&job[i]));
}

/*
 * The look at what runs is not lost with the CPU that was to take it.
 * Fails if it is never asked for again.
 */
static void watchdog_outlives_its_cpu(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .stall_ms = 300 };
	unsigned int cpu = cpu_that_goes();
	struct kpool *pool;
	struct load load;

	if (!cpu)
		return;
	pr_info("kpool-testbed: expect begin\n");
	load_init(&load, 0);
	pool = kt_pool("watched", &attrs);
	if (pool && KT_EXPECT(load_runs(pool, &load))) {
		KT_EXPECT_EQ(remove_cpu(cpu), 0);
		KT_EXPECT(kt_wait(kt_stat(pool, stalled) == 1));
		comes_back(cpu);
	}
	kt_gate_open(&load.gate);
	kt_pool_end(pool);
	pr_info("kpool-testbed: expect end\n");
}

static struct task_struct *held_in;
static struct kt_gate held;

static int is_held(void *unused)
{
	WRITE_ONCE(held_in, current);
	return kt_gate_pass(&held);
}

/*
 * A CPU of the node is offline when the pool is created, and comes online.
 * Fails if the workers do not use it: mutant node-mask-of-long-ago.
 */
static void node_gets_a_cpu_that_comes_online(void)
{
	unsigned int cpu = cpu_that_goes();
	struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool;

	if (!cpu || !KT_EXPECT_EQ(remove_cpu(cpu), 0))
		return;
	if (cpumask_test_cpu(cpu, cpumask_of_node(cpu_to_node(cpu)))) {
		comes_back(cpu);
		kt_skip("a node keeps the CPUs that are offline");
		return;
	}
	attrs.node = KPOOL_NODE(cpu_to_node(cpu));
	kt_gate_init(&held);
	pool = kt_pool("node", &attrs);
	if (pool) {
		KT_EXPECT_EQ(kpool_submit_fn(pool, is_held, NULL, GFP_KERNEL), 0);
		KT_EXPECT(kt_wait(atomic_read(&held.started)));
		KT_EXPECT(!cpumask_test_cpu(cpu, held_in->cpus_ptr));
	}
	comes_back(cpu);
	if (pool)
		KT_EXPECT(kt_wait(cpumask_test_cpu(cpu, held_in->cpus_ptr)));
	kt_gate_open(&held);
	kt_pool_end(pool);
}

static struct kpool *confined;

/* Is the worker where its mask lets it be?  Also after it was pinned. */
static int looks_where_it_is(void *arg)
{
	bool allowed;

	migrate_disable();
	migrate_enable();
	preempt_disable();
	allowed = cpumask_test_cpu(smp_processor_id(), current->cpus_ptr);
	preempt_enable();
	return allowed;
}

/* The CPU is on its way offline, and still online. */
static int cpu_goes(unsigned int cpu)
{
	int allowed = 0;

	KT_EXPECT_EQ(kpool_call(confined, looks_where_it_is, NULL, &allowed),
		     0);
	KT_EXPECT(allowed);
	return 0;
}

/*
 * A worker that is made while the only CPU of its pool goes is not sent there.
 * Fails if it is, and goes on outside of its mask (sent-to-a-dying-cpu); on
 * PREEMPT_RT the kernel complains, too.
 */
static void worker_is_created_while_its_cpu_goes_offline(void)
{
	unsigned int cpu = cpu_that_goes();
	const struct kpool_attrs attrs = {
		.capacity = 1, .cpumask = cpumask_of(cpu),
	};
	int state;

	if (!cpu)
		return;
	confined = kt_pool("confined", &attrs);
	if (!confined)
		return;
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "kpool:test",
					  NULL, cpu_goes);
	if (KT_EXPECT_GE(state, 0)) {
		KT_EXPECT_EQ(remove_cpu(cpu), 0);
		KT_EXPECT_EQ(kt_stat(confined, completed), 1);
		comes_back(cpu);
		cpuhp_remove_state_nocalls(state);
	}
	kt_pool_end(confined);
}

/* As above, but then it stays: another user of it refuses. */
static int cpu_stays(unsigned int cpu)
{
	cpu_goes(cpu);
	return -EBUSY;
}

static int is_confined_to(void *cpu)
{
	return cpumask_equal(current->cpus_ptr, cpumask_of(*(int *)cpu));
}

static bool worker_is_confined_to(int cpu)
{
	int confined_to = 0;

	return !kpool_call(confined, is_confined_to, &cpu, &confined_to) &&
	       confined_to;
}

/*
 * A worker that is made while the only CPU of its pool is about to go is sent
 * there when the CPU does not go.  kpool is not called then.
 * Fails if it stays anywhere: mutant affinity-not-tried-again.
 */
static void worker_is_created_while_its_cpu_nearly_goes(void)
{
	unsigned int cpu = cpu_that_goes();
	const struct kpool_attrs attrs = {
		.capacity = 1, .cpumask = cpumask_of(cpu),
		.expiry_ms = KPOOL_NO_PURGE,
	};
	int state;

	if (!cpu)
		return;
	confined = kt_pool("confined", &attrs);
	if (!confined)
		return;
	/* above kpool's state, and so before it on the way down */
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "kpool:test",
					  NULL, cpu_stays);
	if (KT_EXPECT_GE(state, 0)) {
		KT_EXPECT_EQ(remove_cpu(cpu), -EBUSY);
		KT_EXPECT(cpu_online(cpu));
		KT_EXPECT(kt_wait(worker_is_confined_to(cpu)));
		KT_EXPECT_EQ(kt_stat(confined, spawned), 1);
		cpuhp_remove_state_nocalls(state);
	}
	kt_pool_end(confined);
}

KT_MODULE("kpool selftest: CPUs that come and go under load",
	  KT_CASE(load_outlives_its_cpu),
	  KT_CASE(watchdog_outlives_its_cpu),
	  KT_CASE(node_gets_a_cpu_that_comes_online),
	  KT_CASE(worker_is_created_while_its_cpu_goes_offline),
	  KT_CASE(worker_is_created_while_its_cpu_nearly_goes));
