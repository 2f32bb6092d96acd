// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client of the default pool that goes away without a word: when it is
 * removed, some of its items run, and others would run later.
 *
 * If one of them runs afterwards, it runs code that has gone.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>

#include "kpool.h"

#define LEFT_MAX	16

static char *leave = "";
module_param(leave, charp, 0400);
MODULE_PARM_DESC(leave, "pending, delayed, functions, stream, group, held, drops, running, or nothing");

static int runs;
module_param(runs, int, 0400);
MODULE_PARM_DESC(runs, "how many of its items run when it goes");

static struct kpool *pool;
static struct kpool_job left[LEFT_MAX], running[LEFT_MAX];
static struct kpool_stream stream;
static struct kpool_group group;
static atomic_t nr_running = ATOMIC_INIT(0);
static bool gone;

static int running_fn(struct kpool_item *item)
{
	/* once: one that is held would come again */
	if (gone) {
		pr_err("forgotten: WARNING: a running item runs again\n");
		return 0;
	}
	atomic_inc(&nr_running);
	while (!gone)
		usleep_range(500, 1000);
	msleep(100);
	pr_info("forgotten: a running item ends\n");
	return 0;
}

static int left_fn(struct kpool_item *item)
{
	pr_err("forgotten: WARNING: a forgotten item runs\n");
	return 0;
}

static int left_function(void *arg)
{
	pr_err("forgotten: WARNING: a forgotten function runs\n");
	return 0;
}

static struct kpool_job newcomer;
static atomic_t nr_dropping = ATOMIC_INIT(0);

/* The oldest is being dropped when the module goes. */
static void left_dropped(struct kpool_item *item, int err)
{
	atomic_inc(&nr_dropping);
	while (!gone)
		usleep_range(500, 1000);
	/* longer than the running item */
	msleep(400);
	pr_info("forgotten: a dropped function ends\n");
}

static bool leaves(const char *what)
{
	return !strcmp(leave, what);
}

/* Accepted, and not to run before the module goes. */
static int leave_one(int i)
{
	struct kpool_job *job = &left[i];

	if (leaves("functions"))
		return kpool_submit_fn(pool, left_function, NULL, GFP_KERNEL);
	kpool_init_job(job, left_fn);
	if (leaves("stream"))
		kpool_set_stream(job, &stream);
	if (leaves("group"))
		kpool_set_group(job, &group);
	if (leaves("drops"))
		kpool_set_dropped(&job->item, left_dropped);
	if (leaves("delayed"))
		return kpool_submit_delayed(pool, job, 3600 * HZ);
	return kpool_submit(pool, &job->item);
}

static int run_one(int i)
{
	kpool_init_job(&running[i], running_fn);
	if (leaves("stream"))
		kpool_set_stream(&running[i], &stream);
	return kpool_submit(pool, &running[i].item);
}

/* One more than there is room for. */
static int displace_one(void)
{
	int err;

	kpool_init_job(&newcomer, left_fn);
	err = kpool_submit(pool, &newcomer.item);
	while (!err && !atomic_read(&nr_dropping))
		usleep_range(500, 1000);
	return err;
}

static int leave_all(void)
{
	int i, err = 0;

	if (leaves("") || leaves("running"))
		return 0;
	for (i = 0; i < LEFT_MAX && !err; i++) {
		if (!leaves("held"))
			err = leave_one(i);
		else if (i < runs)
			err = kpool_submit(pool, &running[i].item);
	}
	if (!err && leaves("drops"))
		err = displace_one();
	return err;
}

static int __init forgotten_init(void)
{
	int i, err = 0;

	pool = kpool_default();
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	kpool_init_stream(&stream, pool);
	err = kpool_init_group(&group, pool, NULL, 0);
	runs = clamp(runs, 0, LEFT_MAX);
	for (i = 0; i < runs && !err; i++)
		err = run_one(i);
	while (!err && atomic_read(&nr_running) < runs)
		usleep_range(500, 1000);
	return err ?: leave_all();
}
module_init(forgotten_init);

/* Half of what is delayed is to come due soon after the module has gone. */
static void hasten(void)
{
	int i;

	for (i = 1; i < LEFT_MAX; i += 2)
		kpool_modify_delay(&left[i], 5 * HZ);
}

static void __exit forgotten_exit(void)
{
	gone = true;
	if (leaves(""))
		kpool_flush(pool);
	if (leaves("delayed"))
		hasten();
}
module_exit(forgotten_exit);

MODULE_DESCRIPTION("kpool selftest: a client that forgets what it gave to the default pool");
MODULE_LICENSE("GPL");
