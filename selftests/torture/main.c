// SPDX-License-Identifier: GPL-2.0-only
/*
 * kpool_torture.ko: loaded, it works on a few pools with all that kpool can do,
 * at random, and checks what kpool promises.  Unloaded, or after @duration
 * seconds, it stops, and checks once more.  It says "End of test: SUCCESS", or
 * "FAILURE" if a line with "!!!" has gone before.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>

#include "torture.h"

int kpt_nsubmitters = -1;
module_param_named(nsubmitters, kpt_nsubmitters, int, 0444);
MODULE_PARM_DESC(nsubmitters, "threads that use the pools; -1 for four per CPU");

int kpt_ntuners = -1;
module_param_named(ntuners, kpt_ntuners, int, 0444);
MODULE_PARM_DESC(ntuners, "threads that change the pools; -1 for two");

int kpt_npools = 5;
module_param_named(npools, kpt_npools, int, 0444);
MODULE_PARM_DESC(npools, "pools, of five kinds in turn; 1 to 16");

bool kpt_interrupts = true;
module_param_named(interrupts, kpt_interrupts, bool, 0444);
MODULE_PARM_DESC(interrupts, "use the pools in softirq and hardirq, too");

int kpt_stutter = 2;
module_param_named(stutter, kpt_stutter, int, 0444);
MODULE_PARM_DESC(stutter, "seconds after which all pools are left alone until drained; 0 for never");

int kpt_shuffle_interval = 3;
module_param_named(shuffle_interval, kpt_shuffle_interval, int, 0444);
MODULE_PARM_DESC(shuffle_interval, "seconds between shuffles of the threads over the CPUs; 0 for never");

int kpt_onoff_interval;
module_param_named(onoff_interval, kpt_onoff_interval, int, 0444);
MODULE_PARM_DESC(onoff_interval, "seconds between takings of a CPU offline; 0 for never");

static int stat_interval = 15;
module_param(stat_interval, int, 0644);
MODULE_PARM_DESC(stat_interval, "seconds between lines of statistics; 0 for none");

static int duration;
module_param(duration, int, 0444);
MODULE_PARM_DESC(duration, "seconds after which the test ends by itself; 0 for only when unloaded");

int kpt_stall = 10;
module_param_named(stall, kpt_stall, int, 0444);
MODULE_PARM_DESC(stall, "seconds without progress that are a hang");

static unsigned int seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "of what is done at random; 0 for a random one");

bool kpt_verbose;
module_param_named(verbose, kpt_verbose, bool, 0444);
MODULE_PARM_DESC(verbose, "say at the end how often each thing was done");

int kpt_exits;
module_param_named(exits, kpt_exits, int, 0444);
MODULE_PARM_DESC(exits, "items that are to end their worker's thread");

int kpt_oops;
module_param_named(oops, kpt_oops, int, 0444);
MODULE_PARM_DESC(oops, "items that are to oops, and so kill their worker; for kernels that survive it");

static char *broken = "none";
module_param(broken, charp, 0444);
MODULE_PARM_DESC(broken, "break the pools on purpose: lose, twice, overlap, order, counter, capacity, late, early, hang, leak, answer, pause, closed");

bool kpt_ending;
static bool kpt_ended;
static struct task_struct *kpt_controller;

/* For scripts: the log can have been overwritten. */
static int kpt_result_get(char *buffer, const struct kernel_param *kp)
{
	bool failed = kpt_nr_violations();

	if (!READ_ONCE(kpt_ended))
		return sysfs_emit(buffer, "%s\n",
				  failed ? "failing" : "running");
	return sysfs_emit(buffer, "%s\n", failed ? "FAILURE" : "SUCCESS");
}

static const struct kernel_param_ops kpt_result_ops = {
	.get = kpt_result_get,
};
module_param_cb(result, &kpt_result_ops, NULL, 0444);
MODULE_PARM_DESC(result, "running, failing, SUCCESS or FAILURE");

static void kpt_print_parameters(const char *what)
{
	pr_alert("kpool-torture: %s: nsubmitters=%d ntuners=%d npools=%d interrupts=%d stutter=%d shuffle_interval=%d onoff_interval=%d stat_interval=%d duration=%d stall=%d exits=%d oops=%d seed=%u broken=%s\n",
		 what, kpt_nsubmitters, kpt_ntuners, kpt_npools,
		 kpt_interrupts, kpt_stutter, kpt_shuffle_interval,
		 kpt_onoff_interval, stat_interval, duration, kpt_stall, kpt_exits,
		 kpt_oops, seed, broken);
}

#define KPT_SUM(field)	kpt_sum(offsetof(struct kpt_counters, field))

static void kpt_print_stats(void)
{
	unsigned int i, renewed = 0, violations = kpt_nr_violations();

	for (i = 0; i < kpt_nr_targets; i++)
		renewed += READ_ONCE(kpt_targets[i].generation) - 1;
	pr_alert("kpool-torture: Accepted: %ld Ran: %ld Cancelled: %ld Dropped: %ld Died: %ld Refused: %ld Failed: %ld Caller-ran: %ld Renewed: %u Onoff: %lu Violations: %u%s\n",
		 KPT_SUM(accepted), KPT_SUM(ran), KPT_SUM(cancelled),
		 KPT_SUM(dropped), KPT_SUM(died), KPT_SUM(refused), KPT_SUM(failed),
		 KPT_SUM(caller_ran), renewed, READ_ONCE(kpt_nr_onoff), violations,
		 violations ? " !!!" : "");
}

/* Starting and ending */

static int kpt_start(void)
{
	struct kpt_ctx ctx;
	int err;

	kpt_ctx_init(&ctx, seed, KPT_IN_THREAD);
	err = kpt_targets_make(&ctx) ?:
	      kpt_watch_start() ?:
	      kpt_threads_start(seed) ?:
	      kpt_pace_start(seed);
	if (!err)
		kpt_interrupts_start();
	return err;
}

/* The watchdog stays on guard until all pools are gone. */
static void kpt_end(void)
{
	WRITE_ONCE(kpt_ending, true);
	kpt_pace_stop();
	kpt_threads_stop();
	kpt_interrupts_stop();
	kpt_targets_end();
	kpt_watch_stop();
	kpt_threads_free();
	kpt_print_stats();
	if (kpt_verbose)
		kpt_print_ops();
	kpt_print_parameters(kpt_nr_violations() ? "End of test: FAILURE" :
						   "End of test: SUCCESS");
	WRITE_ONCE(kpt_ended, true);
}

/* Is the test over, also because a planted defect has been found? */
static bool kpt_is_over(unsigned long begin)
{
	return kthread_should_stop() || kpt_broken_is_found() ||
	       (duration && time_after(jiffies, begin + duration * HZ));
}

static int kpt_controller_main(void *data)
{
	unsigned long begin = jiffies, printed = jiffies;

	while (!kpt_is_over(begin)) {
		schedule_timeout_interruptible(HZ / 10);
		if (!stat_interval ||
		    time_before(jiffies, printed + stat_interval * HZ))
			continue;
		kpt_print_stats();
		printed = jiffies;
	}
	kpt_end();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static int kpt_check_parameters(void)
{
	if (kpt_nsubmitters < 0)
		kpt_nsubmitters = 4 * num_online_cpus();
	if (kpt_ntuners < 0)
		kpt_ntuners = 2;
	if (!seed)
		seed = get_random_u32();
	if (kpt_npools < 1 || kpt_npools > KPT_MAX_TARGETS || kpt_stall < 1 ||
	    !kpt_nsubmitters || kpt_stutter < 0 || kpt_shuffle_interval < 0 ||
	    kpt_onoff_interval < 0 || stat_interval < 0 || duration < 0 ||
	    kpt_exits < 0 || kpt_oops < 0 || (kpt_oops && IS_ENABLED(CONFIG_UML))) {
		pr_err("kpool-torture: bad parameters\n");
		return -EINVAL;
	}
	return kpt_broken_parse(broken);
}

static int __init kpt_module_init(void)
{
	int err = kpt_check_parameters();

	if (err)
		return err;
	kpt_print_parameters("Start of test");
	kpt_interrupts_init(seed);
	err = kpt_start();
	if (err)
		goto end;
	kpt_controller = kthread_run(kpt_controller_main, NULL, "kpt_control");
	if (!IS_ERR(kpt_controller))
		return 0;
	err = PTR_ERR(kpt_controller);
end:
	kpt_end();
	return err;
}
module_init(kpt_module_init);

static void __exit kpt_module_exit(void)
{
	kthread_stop(kpt_controller);
}
module_exit(kpt_module_exit);

MODULE_DESCRIPTION("kpool selftest: torture");
MODULE_LICENSE("GPL");
MODULE_INFO(test, "Y");
