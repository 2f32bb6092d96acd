// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stutter, shuffle and CPU hotplug, in the manner of other torture modules.
 *
 * To stutter is more than a change of load.  While no thread runs, no later
 * submit wakes a worker that an earlier one should have, so what is left must
 * drain by itself.  Then single items are submitted, and must drain again
 * without any help.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>

#include "torture.h"

unsigned long kpt_nr_onoff;

static bool kpt_stutter_now;
static struct task_struct *kpt_pacers[3];
static struct kpt_ctx kpt_stutter_ctx, kpt_onoff_ctx;

bool kpt_stuttering(void)
{
	return READ_ONCE(kpt_stutter_now);
}

/* Sleep for so many seconds; false if it is time to stop. */
static bool kpt_pacer_sleeps(int seconds)
{
	if (!kthread_should_stop())
		schedule_timeout_interruptible(seconds * HZ);
	return !kthread_should_stop();
}

/* Stutter */

#define KPT_TRICKLES	20

static void kpt_trickle(struct kpt_target *t)
{
	int i, n;

	for (i = 0; i < KPT_TRICKLES; i++) {
		for (n = kpt_rnd(&kpt_stutter_ctx, 4); n >= 0; n--)
			kpt_op_submit(&kpt_stutter_ctx, t);
		kpt_wait_drained(t);
	}
}

static void kpt_all_drained(void)
{
	int i;

	for (i = 0; i < kpt_nr_targets; i++) {
		if (!kpt_get(&kpt_targets[i]))
			continue;
		kpt_wait_drained(&kpt_targets[i]);
		kpt_trickle(&kpt_targets[i]);
		kpt_put(&kpt_targets[i]);
	}
}

static int kpt_stutter_main(void *data)
{
	while (kpt_pacer_sleeps(kpt_stutter)) {
		WRITE_ONCE(kpt_stutter_now, true);
		kpt_all_drained();
		msleep(100);
		WRITE_ONCE(kpt_stutter_now, false);
	}
	return 0;
}

/* Shuffle: keep the threads off one CPU, each time another */

static void kpt_shuffle(unsigned int spared)
{
	unsigned int i, nr = kpt_threads_started();
	static struct cpumask mask;

	cpus_read_lock();
	cpumask_copy(&mask, cpu_online_mask);
	cpus_read_unlock();
	if (spared < nr_cpu_ids)
		cpumask_clear_cpu(spared, &mask);
	if (cpumask_empty(&mask))
		return;
	for (i = 0; i < nr; i++)
		set_cpus_allowed_ptr(kpt_thread_task(i), &mask);
}

static int kpt_shuffle_main(void *data)
{
	unsigned int spared = 0;

	while (kpt_pacer_sleeps(kpt_shuffle_interval)) {
		spared = (spared + 1) % (nr_cpu_ids + 1);
		kpt_shuffle(spared);
	}
	return 0;
}

/* CPU hotplug */

#ifdef CONFIG_HOTPLUG_CPU
/* The kernel waits for some seconds only, and a machine can stand still. */
static bool kpt_comes_back(unsigned int cpu)
{
	int tries = 6;

	while (tries && add_cpu(cpu))
		tries--;
	return tries;
}

static void kpt_onoff(void)
{
	unsigned int cpu = kpt_rnd(&kpt_onoff_ctx, nr_cpu_ids);

	if (!cpu_online(cpu) || num_online_cpus() < 2 || remove_cpu(cpu))
		return;
	msleep(1 + kpt_rnd(&kpt_onoff_ctx, 500));
	if (kpt_comes_back(cpu))
		WRITE_ONCE(kpt_nr_onoff, kpt_nr_onoff + 1);
	else
		kpt_violation(KPT_HANG, "CPU %u does not come back", cpu);
}
#else
static void kpt_onoff(void)
{
}
#endif

static int kpt_onoff_main(void *data)
{
	while (kpt_pacer_sleeps(kpt_onoff_interval))
		kpt_onoff();
	return 0;
}

static int kpt_pacer_start(int i, int (*fn)(void *data), const char *name,
			   int interval)
{
	struct task_struct *task;

	if (!interval)
		return 0;
	task = kthread_run(fn, NULL, "%s", name);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kpt_pacers[i] = task;
	return 0;
}

int kpt_pace_start(u32 seed)
{
	kpt_ctx_init(&kpt_stutter_ctx, seed + 30, KPT_IN_THREAD);
	kpt_ctx_init(&kpt_onoff_ctx, seed + 31, KPT_IN_THREAD);
	return kpt_pacer_start(0, kpt_stutter_main, "kpt_stutter",
			       kpt_stutter) ?:
	       kpt_pacer_start(1, kpt_shuffle_main, "kpt_shuffle",
			       kpt_shuffle_interval) ?:
	       kpt_pacer_start(2, kpt_onoff_main, "kpt_onoff",
			       kpt_onoff_interval);
}

void kpt_pace_stop(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kpt_pacers); i++)
		if (kpt_pacers[i])
			kthread_stop(kpt_pacers[i]);
}
