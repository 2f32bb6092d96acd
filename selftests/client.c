// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client for the tests that are scripts: its pool lives from insmod to
 * rmmod, which destroys it right after its last item was submitted.
 *
 * With "poke" it is a client that was given the pool of a module that has gone.
 * With "crowd" it counts how often a timer comes through while module_unload is
 * removed.  All jobs of the crowd have to be looked at for that.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "kpool.h"

static char *name = "client";
module_param(name, charp, 0400);
MODULE_PARM_DESC(name, "of the pool");

static int items;
module_param(items, int, 0400);
MODULE_PARM_DESC(items, "how many to submit on exit, just before destroy");

static bool use_default;
module_param(use_default, bool, 0400);
MODULE_PARM_DESC(use_default, "use the default pool instead of an own one");

static bool keep;
module_param(keep, bool, 0400);
MODULE_PARM_DESC(keep, "do not destroy the pool");

static int capacity;
module_param(capacity, int, 0400);
MODULE_PARM_DESC(capacity, "of the pool; 0 for the default");

static int when_full;
module_param(when_full, int, 0400);
MODULE_PARM_DESC(when_full, "of the pool, enum kpool_when_full");

#define LEFT_MAX	8

static int leave;
module_param(leave, int, 0400);
MODULE_PARM_DESC(leave, "leave the pool with that many items pending behind a running one");

static bool cross;
module_param(cross, bool, 0400);
MODULE_PARM_DESC(cross, "leave two pools: what runs in one waits for what is pending in the other");

static bool several;
module_param(several, bool, 0400);
MODULE_PARM_DESC(several, "two pools, which it leaves; or adopts, to destroy them");

static unsigned long address;
module_param(address, ulong, 0400);
MODULE_PARM_DESC(address, "of the pool; or of one to adopt");

static bool worker_data = true;
module_param(worker_data, bool, 0400);
MODULE_PARM_DESC(worker_data, "its workers have data each, which caller_runs excludes");

static bool poke;
module_param(poke, bool, 0400);
MODULE_PARM_DESC(poke, "the adopted pool is orphaned: try all that can be done to it");

static bool leave_held;
module_param(leave_held, bool, 0400);
MODULE_PARM_DESC(leave_held, "on exit, leave what is held as it is");

static int crowd;
module_param(crowd, int, 0400);
MODULE_PARM_DESC(crowd, "delay so many jobs until exit");

static int ticks;
module_param(ticks, int, 0400);
MODULE_PARM_DESC(ticks, "how often a timer came through while module_unload was removed");

static unsigned long fn;
module_param(fn, ulong, 0400);
MODULE_PARM_DESC(fn, "a function for items of others, which returns");

static unsigned long hold_fn;
module_param(hold_fn, ulong, 0400);
MODULE_PARM_DESC(hold_fn, "another, which waits for exit, or for open");

static unsigned long hold_call_fn;
module_param(hold_call_fn, ulong, 0400);
MODULE_PARM_DESC(hold_call_fn, "one for calls of others, which waits for them, too");

static unsigned long drop_fn;
module_param(drop_fn, ulong, 0400);
MODULE_PARM_DESC(drop_fn, "a drop function for items of others, which waits for exit, or for open");

static struct kpool *pool;
static DECLARE_COMPLETION(opened);
static struct kpool_item held;
static bool hold;

static int held_fn(struct kpool_item *item)
{
	wait_for_completion(&opened);
	return 0;
}

static int held_call_fn(void *unused)
{
	wait_for_completion(&opened);
	return 0;
}

static void held_dropped(struct kpool_item *item, int err)
{
	wait_for_completion(&opened);
}

/* Written: have a worker run this module's function until exit. */
static int hold_set(const char *val, const struct kernel_param *kp)
{
	if (hold)
		return -EALREADY;
	hold = true;
	return kpool_submit(pool, &held);
}

static const struct kernel_param_ops hold_ops = { .set = hold_set };
module_param_cb(hold, &hold_ops, NULL, 0200);
MODULE_PARM_DESC(hold, "write anything to keep a worker busy until exit");

/* Written: let what is held end. */
static int open_set(const char *val, const struct kernel_param *kp)
{
	complete_all(&opened);
	return 0;
}

static const struct kernel_param_ops open_ops = { .set = open_set };
module_param_cb(open, &open_ops, NULL, 0200);
MODULE_PARM_DESC(open, "write anything to let what is held end");

static int submit_got = 1;
module_param(submit_got, int, 0400);
MODULE_PARM_DESC(submit_got, "what the submit of another module's item, or its call, has returned, or 1");

static struct task_struct *submitter;

static int submitter_goes(int got)
{
	WRITE_ONCE(submit_got, got);
	while (!kthread_should_stop())
		schedule_timeout_uninterruptible(1);
	return 0;
}

static int submitter_main(void *item)
{
	return submitter_goes(kpool_submit(pool, item));
}

static int caller_main(void *fn)
{
	return submitter_goes(kpool_call(pool, fn, NULL, NULL));
}

static int submitter_start(const char *val, int (*fn)(void *arg))
{
	unsigned long address;
	int err = kstrtoul(val, 0, &address);

	if (!err && !submitter) {
		submitter = kthread_run(fn, (void *)address, "submitter");
		err = PTR_ERR_OR_ZERO(submitter);
	}
	return err;
}

/* Written: have a thread call another module's function at that address. */
static int call_set(const char *val, const struct kernel_param *kp)
{
	return submitter_start(val, caller_main);
}

static const struct kernel_param_ops call_ops = { .set = call_set };
module_param_cb(call, &call_ops, NULL, 0200);
MODULE_PARM_DESC(call, "write the address of a function of another module to call it");

static int patience_ms = 100;
module_param(patience_ms, int, 0600);
MODULE_PARM_DESC(patience_ms, "how long the caller that gives up waits");

static int gives_up(void *release)
{
	return submitter_goes(kpool_call_timeout(pool, held_call_fn, NULL, release,
						 msecs_to_jiffies(patience_ms), NULL));
}

/*
 * Written: have a thread give up a call, and release its argument by the
 * function of that address, of another module.
 */
static int give_up_set(const char *val, const struct kernel_param *kp)
{
	return submitter_start(val, gives_up);
}

static const struct kernel_param_ops give_up_ops = { .set = give_up_set };
module_param_cb(give_up, &give_up_ops, NULL, 0200);
MODULE_PARM_DESC(give_up, "write the address of a release function of another module to call it");

/* Written: have a thread submit the item of that address, of another module. */
static int submit_set(const char *val, const struct kernel_param *kp)
{
	return submitter_start(val, submitter_main);
}

static const struct kernel_param_ops submit_ops = { .set = submit_set };
module_param_cb(submit, &submit_ops, NULL, 0200);
MODULE_PARM_DESC(submit, "write the address of an item of another module to submit it");

static struct kpool_item behind;
static struct kpool_job later;

static int behind_fn(struct kpool_item *item)
{
	return 0;
}

/* Written: have an item wait in the queue, and one for its time. */
static int wait_set(const char *val, const struct kernel_param *kp)
{
	return kpool_submit(pool, &behind) ?:
	       kpool_submit_delayed(pool, &later, 3600 * HZ);
}

static const struct kernel_param_ops wait_ops = { .set = wait_set };
module_param_cb(wait, &wait_ops, NULL, 0200);
MODULE_PARM_DESC(wait, "write anything to submit an item, and one delayed until exit");

/* Written: have the pool's cpumask be the default again. */
static int unmask_set(const char *val, const struct kernel_param *kp)
{
	return kpool_tune_cpumask(pool, NULL);
}

static const struct kernel_param_ops unmask_ops = { .set = unmask_set };
module_param_cb(unmask, &unmask_ops, NULL, 0200);
MODULE_PARM_DESC(unmask, "write anything to give the pool the default cpumask again");

static atomic_t ran = ATOMIC_INIT(0);

static int client_fn(void *arg)
{
	atomic_inc(&ran);
	return 0;
}

static DECLARE_COMPLETION(dropped);
static struct kpool_item first, left[LEFT_MAX];

/* Runs until all items orphaned behind it have been dropped. */
static int first_fn(struct kpool_item *item)
{
	int i;

	for (i = 0; i < leave; i++) {
		if (!wait_for_completion_timeout(&dropped, 60 * HZ)) {
			pr_err("client: WARNING: dropped %d of %d\n", i, leave);
			return -ETIMEDOUT;
		}
	}
	msleep(50);
	pr_info("client: the running item ends\n");
	return 0;
}

static int left_fn(struct kpool_item *item)
{
	pr_err("client: WARNING: an orphaned item runs\n");
	return 0;
}

static void left_dropped(struct kpool_item *item, int err)
{
	pr_info("client: dropped with %d\n", err);
	complete(&dropped);
}

/* The pool has one worker, and a queue with room for all of them. */
static void leave_items(void)
{
	int i, accepted;

	leave = min(leave, LEFT_MAX);
	kpool_init_item(&first, first_fn);
	accepted = !kpool_submit(pool, &first);
	for (i = 0; i < leave; i++) {
		kpool_init_item(&left[i], left_fn);
		kpool_set_drop_fn(&left[i], left_dropped);
		accepted += !kpool_submit(pool, &left[i]);
	}
	if (accepted != leave + 1)
		pr_err("client: WARNING: %d of %d items were accepted\n",
		       accepted, leave + 1);
	/* else the running item would be dropped as well */
	while (kpool_is_pending(&first))
		usleep_range(500, 1000);
}

/* Two pools that are orphaned, one for each of the two */
static struct kpool *crossed[2];
static struct kpool_item runs[2], waits[2];
static struct completion gone[2];	/* the waiting item has been dropped */

/* Runs until what waits in the other pool has been dropped. */
static int crossed_fn(struct kpool_item *item)
{
	int other = item == &runs[0];

	if (!wait_for_completion_timeout(&gone[other], 20 * HZ))
		pr_err("client: WARNING: the other pool drops nothing\n");
	return 0;
}

static void crossed_dropped(struct kpool_item *item, int err)
{
	complete(&gone[item == &waits[1]]);
}

static void leave_crossed(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 1 };
	int i, err = 0;

	crossed[0] = pool;
	crossed[1] = kpool_create(&attrs, "crossed");
	if (IS_ERR(crossed[1]))
		return;
	for (i = 0; i < 2; i++)
		init_completion(&gone[i]);
	for (i = 0; i < 2; i++) {
		kpool_init_item(&runs[i], crossed_fn);
		kpool_init_item(&waits[i], left_fn);
		kpool_set_drop_fn(&waits[i], crossed_dropped);
		err = err ?: kpool_submit(crossed[i], &runs[i]);
		/* else it would be dropped as well */
		while (!err && kpool_is_pending(&runs[i]))
			usleep_range(500, 1000);
		err = err ?: kpool_submit(crossed[i], &waits[i]);
	}
	if (err)
		pr_err("client: WARNING: the items are refused: %d\n", err);
}

/* Callbacks of an orphaned pool: they go with this module. */
static void *client_worker_init(void *data)
{
	return NULL;
}

static void client_worker_exit(void *data, void *worker_data)
{
}

static void client_fault(void *data, const struct kpool_fault *fault)
{
}

/* A pool whose module has gone */

static void returns(const char *what, int err, int expected)
{
	if (err != expected)
		pr_err("client: WARNING: %s: %d instead of %d\n", what, err,
		       expected);
}

/* The pool refuses what would run something, and answers what would not. */
static void poke_pool(void)
{
	struct kpool_stream stream;
	struct kpool_group group;
	struct kpool_stats stats;
	struct kpool_attrs attrs;

	kpool_get_attrs(pool, &attrs);
	returns("reopen", kpool_reopen(pool), -ESHUTDOWN);
	returns("submit", kpool_submit(pool, &behind), -ESHUTDOWN);
	returns("try", kpool_try_submit(pool, &behind), -ESHUTDOWN);
	returns("timeout", kpool_submit_timeout(pool, &behind, 1), -ESHUTDOWN);
	returns("killable", kpool_submit_killable(pool, &behind), -ESHUTDOWN);
	returns("delayed", kpool_submit_delayed(pool, &later, 1), -ESHUTDOWN);
	returns("function", kpool_submit_fn(pool, client_fn, NULL, GFP_KERNEL),
		-ESHUTDOWN);
	returns("call", kpool_call(pool, client_fn, NULL, NULL), -ESHUTDOWN);
	kpool_init_stream(&stream, pool);
	kpool_set_stream(&later, &stream);
	returns("stream", kpool_submit(pool, &later.item), -ESHUTDOWN);
	kpool_set_stream(&later, NULL);
	kpool_init_group(&group, pool, NULL, 0);
	kpool_set_group(&later, &group);
	returns("group", kpool_submit(pool, &later.item), -ESHUTDOWN);
	kpool_set_group(&later, NULL);
	returns("group_wait", kpool_group_wait(&group, 0), 0);
	returns("cancel", kpool_cancel(&behind), false);
	returns("flush_item", kpool_flush_item(&behind), 0);
	returns("pause", kpool_pause(pool), -ESHUTDOWN);
	kpool_resume(pool);
	returns("tune", kpool_tune(pool, KPOOL_TUNE_CAPACITY, 3), 0);
	returns("cpumask", kpool_tune_cpumask(pool, cpu_all_mask), 0);
	returns("flush", kpool_flush(pool), 0);
	kpool_shutdown(pool);
	returns("abort", kpool_abort(pool), 0);
	returns("shutdown_timeout", kpool_shutdown_timeout(pool, 1), 0);
	returns("destroy", kpool_destroy(pool), -ESHUTDOWN);
	returns("reopen", kpool_reopen(pool), -ESHUTDOWN);
	kpool_get_stats(pool, &stats);
	pr_info("client: poked: closed %d, alive %llu, pending %llu, running %llu, completed %llu, dropped %llu\n",
		stats.closed, stats.alive, stats.pending, stats.running,
		stats.completed, stats.dropped);
}

/* Many jobs, and whether interrupts stay off because of them */

static struct kpool_job *jobs;
static struct hrtimer ticker;
static int nr_ticks;

/* Delayed while interrupts are off, as they are under the lock. */
static enum hrtimer_restart ticker_fires(struct hrtimer *timer)
{
	nr_ticks++;
	hrtimer_forward_now(timer, ns_to_ktime(100 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static bool is_removal(unsigned long event, const struct module *module)
{
	return event == MODULE_STATE_GOING && !strcmp(module->name, "module_unload");
}

static int before_event(struct notifier_block *nb, unsigned long event,
			void *data)
{
	if (!is_removal(event, data))
		return NOTIFY_DONE;
	set_cpus_allowed_ptr(current, cpumask_of(0));
	nr_ticks = 0;
	hrtimer_start(&ticker, ns_to_ktime(100 * NSEC_PER_USEC), HRTIMER_MODE_REL_PINNED_HARD);
	return NOTIFY_OK;
}

static int after_event(struct notifier_block *nb, unsigned long event,
		       void *data)
{
	if (!is_removal(event, data))
		return NOTIFY_DONE;
	hrtimer_cancel(&ticker);
	ticks = nr_ticks;
	return NOTIFY_OK;
}

/* kpool's own notifier has a priority between. */
static struct notifier_block before = {
	.notifier_call	= before_event,
	.priority	= 1,
};

static struct notifier_block after = {
	.notifier_call	= after_event,
	.priority	= -1,
};

static void free_crowd(void)
{
	int i;

	unregister_module_notifier(&before);
	unregister_module_notifier(&after);
	for (i = 0; i < crowd; i++)
		kpool_cancel(&jobs[i].item);
	kvfree(jobs);
}

static int make_crowd(void)
{
	int i, err = 0;

	hrtimer_setup(&ticker, ticker_fires, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	register_module_notifier(&before);
	register_module_notifier(&after);
	jobs = kvcalloc(crowd, sizeof(*jobs), GFP_KERNEL);
	if (!jobs)
		crowd = 0;
	for (i = 0; i < crowd && !err; i++) {
		kpool_init_job(&jobs[i], behind_fn);
		err = kpool_submit_delayed(pool, &jobs[i], 3600 * HZ);
	}
	if (err || !jobs)
		free_crowd();
	return jobs ? err : -ENOMEM;
}

static int use_several(void)
{
	struct kpool_multi *multi = (struct kpool_multi *)address;

	if (multi) {
		returns("multi_destroy", kpool_multi_destroy(multi), -ESHUTDOWN);
		return 0;
	}
	multi = kpool_multi_create(NULL, 2, KPOOL_PLACE_ROUND_ROBIN, "%s", name);
	address = (unsigned long)multi;
	return PTR_ERR_OR_ZERO(multi);
}

static int __init client_init(void)
{
	struct kpool_attrs attrs = {
		.capacity = capacity,
		.queue_depth = leave || cross ? LEFT_MAX : 0,
		.when_full = when_full,
		.worker_init = client_worker_init,
		.worker_exit = client_worker_exit,
		.fault = client_fault,
	};

	if (several)
		return use_several();
	if (!worker_data) {
		attrs.worker_init = NULL;
		attrs.worker_exit = NULL;
	}
	fn = (unsigned long)behind_fn;
	hold_fn = (unsigned long)held_fn;
	hold_call_fn = (unsigned long)held_call_fn;
	drop_fn = (unsigned long)held_dropped;
	kpool_init_item(&held, held_fn);
	kpool_init_item(&behind, behind_fn);
	kpool_init_job(&later, behind_fn);
	if (address)
		pool = (struct kpool *)address;
	else if (use_default)
		pool = kpool_default();
	else
		pool = kpool_create(&attrs, "%s", name);
	address = (unsigned long)pool;
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	if (poke)
		poke_pool();
	return crowd ? make_crowd() : 0;
}
module_init(client_init);

static void __exit client_exit(void)
{
	int i, accepted = 0;

	if (poke || leave_held || several)
		return;
	complete_all(&opened);
	if (!IS_ERR_OR_NULL(submitter))
		kthread_stop(submitter);
	if (crowd)
		free_crowd();
	kpool_cancel(&later.item);
	if (leave) {
		leave_items();
		return;
	}
	if (cross) {
		leave_crossed();
		return;
	}
	for (i = 0; i < items; i++)
		accepted += !kpool_submit_fn(pool, client_fn, NULL, GFP_KERNEL);
	if (use_default || keep) {
		kpool_flush(pool);
	} else if (kpool_destroy(pool)) {
		pr_err("client: the pool cannot be destroyed\n");
		return;
	}
	if (accepted != items || atomic_read(&ran) != items)
		pr_err("client: WARNING: %d of %d items ran\n",
		       atomic_read(&ran), items);
}
module_exit(client_exit);

MODULE_DESCRIPTION("kpool selftest: a client module");
MODULE_LICENSE("GPL");
