// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the watchdog keeps its time and does its work: not on CPUs that the
 * kernel is to leave alone.  Nor on the CPU where the item that it watches can
 * have turned off interrupts.
 */
#include <linux/cpumask.h>
#include <linux/kallsyms.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "jobs.h"
#include "trace.h"

/* Looks at the pool that are waited for, while one item runs. */
#define LOOKS	5

static struct kpool *pool;
static struct probe p[1];

/* Where the watchdog has been seen. */
static struct cpumask timers, works;
static atomic_t nr_timers, nr_works;

static bool is_watch(const struct work_struct *work)
{
	char name[KSYM_SYMBOL_LEN];

	snprintf(name, sizeof(name), "%ps", work->func);
	return !strncmp(name, "kpool_watchdog_fn", strlen("kpool_watchdog_fn"));
}

static void see_timer(void *unused, struct timer_list *timer,
		      unsigned long now)
{
	struct delayed_work *work;

	if (timer->function != delayed_work_timer_fn)
		return;
	work = container_of(timer, struct delayed_work, timer);
	if (!is_watch(&work->work))
		return;
	cpumask_set_cpu(raw_smp_processor_id(), &timers);
	atomic_inc(&nr_timers);
}

static void see_work(void *unused, struct work_struct *work)
{
	if (!is_watch(work))
		return;
	cpumask_set_cpu(raw_smp_processor_id(), &works);
	atomic_inc(&nr_works);
}

static bool is_housekeeping(unsigned int cpu, enum hk_type type)
{
	bool is;

	rcu_read_lock();
	is = cpumask_test_cpu(cpu, housekeeping_cpumask(type));
	rcu_read_unlock();
	return is;
}

/* The scheduler uses it, and it has a tick. */
static bool keeps_house(unsigned int cpu)
{
	return is_housekeeping(cpu, HK_TYPE_DOMAIN) &&
	       is_housekeeping(cpu, HK_TYPE_TIMER);
}

static unsigned int nr_keep_house(void)
{
	unsigned int cpu, nr = 0;

	for_each_online_cpu(cpu)
		nr += keeps_house(cpu);
	return nr;
}

/*
 * The timer is the watchdog's to place.  Unbound work runs on any CPU that the
 * scheduler uses: on those without a tick, too, in newer kernels.
 */
static void expect_housekeeping(void)
{
	unsigned int cpu;

	for_each_cpu(cpu, &timers)
		if (!KT_EXPECT(keeps_house(cpu)))
			pr_err("%s: timer on CPU %u\n", KBUILD_MODNAME, cpu);
	for_each_cpu(cpu, &works)
		if (!KT_EXPECT(is_housekeeping(cpu, HK_TYPE_DOMAIN)))
			pr_err("%s: work on CPU %u\n", KBUILD_MODNAME, cpu);
}

/* Run an item on @cpu, for some rounds of the watchdog. */
static void watch_item_on(unsigned int cpu)
{
	struct trace timer = { .name = "timer_expire_entry", .probe = see_timer };
	struct trace work = {
		.name = "workqueue_execute_start", .probe = see_work,
	};
	const struct kpool_attrs attrs = {
		.capacity = 1, .stall_ms = 800,
		.cpumask = cpumask_of(cpu),
	};

	cpumask_clear(&timers);
	cpumask_clear(&works);
	atomic_set(&nr_timers, 0);
	atomic_set(&nr_works, 0);
	probes_init(p, 1, probe_fn);
	probes_hold(p, 1);
	/* the item can stall, on a slow machine */
	pr_info("kpool-testbed: expect begin\n");
	pool = kt_pool("watchdog_cpu", &attrs);
	if (!pool)
		return;
	if (trace_begin(&timer) && trace_begin(&work)) {
		probes_submit(pool, p, 1);
		KT_EXPECT(kt_wait(atomic_read(&nr_timers) >= LOOKS &&
				  atomic_read(&nr_works) >= LOOKS));
		trace_end(&work);
		trace_end(&timer);
	}
	probes_open(p, 1);
	jobs_end(pool);
	pr_info("kpool-testbed: expect end\n");
}

/*
 * The kernel leaves isolated CPUs alone, and so does the watchdog, also of
 * items that run there.
 * Fails if the watchdog goes to any other CPU: mutants
 * watchdog-on-isolated-cpus, watchdog-on-cpus-without-tick.
 */
static void watchdog_avoids_isolated_cpus(void)
{
	unsigned int cpu;

	if (nr_keep_house() == num_online_cpus()) {
		kt_skip("no CPU is isolated");
		return;
	}
	for_each_online_cpu(cpu) {
		watch_item_on(cpu);
		expect_housekeeping();
	}
}

/*
 * An item can turn off interrupts: another CPU keeps the time, if there is one,
 * as long as the item runs.
 * Where some have no tick, newer kernels choose the CPU of a timer themselves.
 * Fails if the CPU that arms the watchdog keeps its time, or does so from the
 * second look on: mutants watchdog-stays-on-its-cpu, watchdog-leaves-its-cpu.
 */
static void another_cpu_runs_the_watchdog(void)
{
	unsigned int cpu;

	if (nr_keep_house() < 2 || housekeeping_enabled(HK_TYPE_TIMER)) {
		kt_skip("there is no other CPU to keep the time");
		return;
	}
	for_each_online_cpu(cpu) {
		watch_item_on(cpu);
		KT_EXPECT(!cpumask_test_cpu(cpu, &timers));
	}
}

KT_MODULE("kpool selftest: where the watchdog runs",
	  KT_CASE(watchdog_avoids_isolated_cpus),
	  KT_CASE(another_cpu_runs_the_watchdog));
