// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client of the default pool that goes away without a word.  When it is
 * removed, some of its items run, and others would run later.
 *
 * If one of them runs afterwards, it runs code that has gone.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "kpool.h"

#define LEFT_MAX	16

static char *leave = "";
module_param(leave, charp, 0400);
MODULE_PARM_DESC(leave, "pending, delayed, functions, stream, ordered, group, held, kept, drops, foreign, dropping, completion, finished, completed, dropped, incomplete, call, late, across, creates, fails, offered, nested, adopted, itself, itself_later, its_function, running, or nothing");

static int runs;
module_param(runs, int, 0400);
MODULE_PARM_DESC(runs, "how many of its items run when it goes");

static unsigned long fn;
module_param(fn, ulong, 0400);
MODULE_PARM_DESC(fn, "a function of another module, for its items");

static unsigned long drop_fn;
module_param(drop_fn, ulong, 0400);
MODULE_PARM_DESC(drop_fn, "a drop function of another module");

static unsigned long item;
module_param(item, ulong, 0400);
MODULE_PARM_DESC(item, "address of an item for others to submit");

static unsigned long called;
module_param(called, ulong, 0400);
MODULE_PARM_DESC(called, "address of a function for others to call");

static unsigned long releasing;
module_param(releasing, ulong, 0400);
MODULE_PARM_DESC(releasing, "address of a release function for calls of others");

static unsigned long address;
module_param(address, ulong, 0400);
MODULE_PARM_DESC(address, "of a pool of another module, to adopt");

static char *taker = "";
module_param(taker, charp, 0400);
MODULE_PARM_DESC(taker, "what a thread does once the first item is cancelled: cancel or hasten the second, move what is behind it and behind the second, or nothing");

static struct kpool *pool;
static struct task_struct *taker_task;
static struct kpool_job left[LEFT_MAX], running[LEFT_MAX];
static struct kpool_stream stream;
static struct kpool_group group;
static atomic_t nr_running = ATOMIC_INIT(0), nr_ended = ATOMIC_INIT(0);
static bool gone;
static struct kpool_job *between[2];	/* of another module */

static bool leaves(const char *what)
{
	return !strcmp(leave, what);
}

static bool moves(void)
{
	return !strcmp(taker, "move");
}

static int running_fn(struct kpool_item *item)
{
	/* once: one that is held would come again */
	if (gone) {
		pr_err("module_unload: WARNING: a running item runs again\n");
		return 0;
	}
	atomic_inc(&nr_running);
	while (!gone)
		usleep_range(500, 1000);
	/* the run that keeps an item ends while another is awaited */
	msleep(leaves("kept") && item != &running[1].item ? 400 : 100);
	/* the thread must have left this module before this run ends */
	if (taker_task)
		kthread_stop(xchg(&taker_task, NULL));
	pr_info("module_unload: a running item ends\n");
	atomic_inc(&nr_ended);
	return 0;
}

static int left_fn(struct kpool_item *item)
{
	pr_err("module_unload: WARNING: an orphaned item runs\n");
	return 0;
}

static int left_function(void *arg)
{
	pr_err("module_unload: WARNING: an orphaned function runs\n");
	return 0;
}

/* Each submits itself again, until it is refused or has run often enough. */
#define AGAIN_MAX	50

static int again_function(void *arg);

static int come_again(struct kpool_item *item)
{
	if (!strcmp(leave, "itself"))
		return kpool_submit(pool, item);
	if (!strcmp(leave, "itself_later"))
		return kpool_submit_delayed(pool, kpool_job_of(item), 1);
	return kpool_submit_fn(pool, again_function, NULL, GFP_KERNEL);
}

static void run_again(struct kpool_item *item)
{
	static atomic_t nr_again = ATOMIC_INIT(0);
	int err;

	atomic_inc(&nr_running);
	while (!gone)
		usleep_range(500, 1000);
	msleep(100);
	err = atomic_inc_return(&nr_again) > AGAIN_MAX ? -ELOOP :
	      come_again(item);
	if (err)
		pr_info("module_unload: comes again no more: %d\n", err);
}

static int again_fn(struct kpool_item *item)
{
	run_again(item);
	return 0;
}

static int again_function(void *arg)
{
	run_again(NULL);
	return 0;
}

/* Woken by the search for this module's items, in front of the next of them. */
static int taker_fn(void *unused)
{
	kpool_flush_item(&left[0].item);
	if (!strcmp(taker, "hasten")) {
		if (kpool_modify_delay(&left[1], HZ))
			pr_err("module_unload: WARNING: a delay was modified\n");
	} else {
		kpool_cancel(&left[1].item);
		memset(&left[1], 0x6b, sizeof(left[1]));
	}
	while (!kthread_should_stop())
		schedule_timeout_uninterruptible(1);
	return 0;
}

/*
 * Woken by the search as well, move the job of another module in front of which
 * it stands.  Move it behind the first item, and behind the second, as the
 * search is repeated.  The thread is gone when the search goes on from there.
 */
static int mover_fn(void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(between); i++) {
		kpool_flush_item(&left[i].item);
		if (!kpool_modify_delay(between[i], 7200 * HZ))
			pr_err("module_unload: WARNING: a delay was not modified\n");
	}
	return 0;
}

/* The taker is on the CPU of the search, and comes first there. */
static int start_taker(void)
{
	struct task_struct *task;

	if (!*taker)
		return 0;
	task = kthread_create(moves() ? mover_fn : taker_fn, NULL, "taker");
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, 0);
	sched_set_fifo(task);
	if (!moves())
		taker_task = task;
	wake_up_process(task);
	/* until it sleeps in its flush */
	msleep(100);
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
	pr_info("module_unload: a drop function ends\n");
}

static int ordered_fn(struct kpool_item *item)
{
	msleep(100);
	pr_info("module_unload: a completion ends\n");
	return 0;
}

/* Put the job into what is to be left. */
static void join(struct kpool_job *job)
{
	if (leaves("stream") || leaves("ordered"))
		kpool_set_stream(job, &stream);
	if (leaves("ordered"))
		kpool_set_complete_fn(job, ordered_fn);
}

/* Accepted, and not to run before the module goes. */
static int leave_one(int i)
{
	struct kpool_job *job = &left[i];

	if (leaves("functions"))
		return kpool_submit_fn(pool, left_function, NULL, GFP_KERNEL);
	kpool_init_job(job, left_fn);
	join(job);
	if (leaves("group"))
		kpool_set_group(job, &group);
	if (leaves("drops"))
		kpool_set_drop_fn(&job->item, left_dropped);
	if (leaves("delayed"))
		return kpool_submit_delayed(pool, job, 3600 * HZ);
	return kpool_submit(pool, &job->item);
}

static bool comes_again(void)
{
	return leaves("itself") || leaves("itself_later") ||
	       leaves("its_function");
}

/* Make a pool of its own once this module is being removed. */
static int creating_fn(struct kpool_item *unused)
{
	struct kpool *made;

	atomic_inc(&nr_running);
	while (!gone)
		usleep_range(500, 1000);
	msleep(100);
	made = kpool_create(NULL, "made-late");
	if (IS_ERR(made))
		pr_err("module_unload: WARNING: there is no pool: %ld\n",
		       PTR_ERR(made));
	return 0;
}

static void *second_fails(void *data)
{
	static atomic_t nr = ATOMIC_INIT(0);

	return atomic_inc_return(&nr) > 1 ? ERR_PTR(-EIO) : NULL;
}

static bool pool_fails;

static void takes_time(void *data, void *worker_data)
{
	WRITE_ONCE(pool_fails, true);
	msleep(1000);
}

/* Fail to make a pool, which takes until this module's pools are looked for. */
static int failing_fn(struct kpool_item *unused)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .min_workers = 2, .flags = KPOOL_PREALLOC,
		.worker_init = second_fails, .worker_exit = takes_time,
	};
	struct kpool *made;

	atomic_inc(&nr_running);
	while (!gone)
		usleep_range(500, 1000);
	made = kpool_create(&attrs, "made-late");
	if (made != ERR_PTR(-EIO))
		pr_err("module_unload: WARNING: there is a pool\n");
	return 0;
}

static int run_one(int i)
{
	if (leaves("its_function"))
		return kpool_submit_fn(pool, again_function, NULL, GFP_KERNEL);
	kpool_init_job(&running[i], comes_again() ? again_fn : running_fn);
	/* its memory is all that is of this module */
	if (leaves("borrowed"))
		kpool_init_job(&running[i], (kpool_item_fn)fn);
	if (leaves("creates"))
		kpool_init_job(&running[i], creating_fn);
	if (leaves("fails"))
		kpool_init_job(&running[i], failing_fn);
	join(&running[i]);
	return kpool_submit(pool, &running[i].item);
}

/* Submit a job more than there is room for. */
static int evict_one(void)
{
	int err;

	kpool_init_job(&newcomer, left_fn);
	err = kpool_submit(pool, &newcomer.item);
	while (!err && !atomic_read(&nr_dropping))
		usleep_range(500, 1000);
	return err;
}

/*
 * Their functions and memory are not of this module; their drop function is.
 * The page stays, as it must until they are cancelled.
 */
static int leave_foreign(void)
{
	struct kpool_item *items = (void *)get_zeroed_page(GFP_KERNEL);
	int i, err = 0;

	if (!items)
		return -ENOMEM;
	for (i = 0; i < LEFT_MAX && !err; i++) {
		kpool_init_item(&items[i], (kpool_item_fn)fn);
		kpool_set_drop_fn(&items[i], left_dropped);
		err = kpool_submit(pool, &items[i]);
	}
	return err;
}

/*
 * A job that has nothing of this module, and what others of its kind share with
 * it.  The page stays: the job ends after this module has gone.
 */
struct foreign {
	struct kpool_stream	stream;
	struct kpool_group	group;
	struct kpool_job	job;
};

static struct foreign *foreign_make(void)
{
	struct foreign *f = (void *)get_zeroed_page(GFP_KERNEL);

	if (!f)
		return NULL;
	kpool_init_stream(&f->stream, pool);
	kpool_init_group(&f->group, pool, NULL, 0);
	kpool_init_job(&f->job, (kpool_item_fn)fn);
	kpool_set_drop_fn(&f->job.item, (kpool_drop_fn)drop_fn);
	return f;
}

/* Orphan a job that is due right after that one of those left. */
static int orphan_one(int i)
{
	struct foreign *f = foreign_make();

	if (!f)
		return -ENOMEM;
	between[i] = &f->job;
	return kpool_submit_delayed(pool, between[i], 3600 * HZ);
}

/* They are to be dropped, behind the drop function of another module. */
static int leave_dropping(void)
{
	struct foreign *f = foreign_make();
	int i, err;

	if (!f)
		return -ENOMEM;
	kpool_set_group(&f->job, &f->group);
	err = kpool_pause(pool) ?: kpool_submit(pool, &f->job.item);
	for (i = 0; i < LEFT_MAX && !err; i++) {
		kpool_init_job(&left[i], left_fn);
		kpool_set_group(&left[i], &f->group);
		err = kpool_submit(pool, &left[i].item);
	}
	kpool_group_cancel(&f->group);
	while (!err && kpool_is_pending(&f->job.item))
		usleep_range(500, 1000);
	kpool_resume(pool);
	return err;
}

/* All of it that is of this module is what is called when it has run. */
static int leave_completion(void)
{
	struct foreign *f = foreign_make();

	if (!f)
		return -ENOMEM;
	kpool_init_ordered_stream(&f->stream, pool);
	kpool_set_stream(&f->job, &f->stream);
	kpool_set_complete_fn(&f->job, ordered_fn);
	return kpool_submit(pool, &f->job.item);
}

static int finished_fn(struct kpool_item *unused)
{
	atomic_inc(&nr_running);
	return 0;
}

/*
 * All of it that is of this module is a function.  That has returned, or is not
 * to be called: what runs is a function of another module.
 */
static int leave_function(void)
{
	struct foreign *f = foreign_make();
	int err;

	if (!f)
		return -ENOMEM;
	if (leaves("completed")) {
		kpool_init_job(&f->job, finished_fn);
		kpool_init_ordered_stream(&f->stream, pool);
		kpool_set_stream(&f->job, &f->stream);
		kpool_set_complete_fn(&f->job, (kpool_item_fn)fn);
		err = kpool_submit(pool, &f->job.item);
		while (!err && !atomic_read(&nr_running))
			usleep_range(500, 1000);
		return err;
	}
	if (leaves("dropped")) {
		kpool_init_job(&f->job, finished_fn);
		kpool_set_drop_fn(&f->job.item, (kpool_drop_fn)drop_fn);
	} else {
		kpool_init_ordered_stream(&f->stream, pool);
		kpool_set_stream(&f->job, &f->stream);
		kpool_set_complete_fn(&f->job, ordered_fn);
	}
	kpool_set_group(&f->job, &f->group);
	err = kpool_submit_delayed(pool, &f->job, 3600 * HZ);
	kpool_group_cancel(&f->group);
	while (!err && kpool_is_pending(&f->job.item))
		usleep_range(500, 1000);
	return err;
}

/* Its own job has run, and is to be completed after another module's. */
static int leave_finished(void)
{
	struct foreign *f = foreign_make();
	int err;

	if (!f)
		return -ENOMEM;
	kpool_init_ordered_stream(&f->stream, pool);
	kpool_set_stream(&f->job, &f->stream);
	kpool_set_complete_fn(&f->job, (kpool_item_fn)fn);
	kpool_init_job(&left[0], finished_fn);
	kpool_set_stream(&left[0], &f->stream);
	kpool_set_complete_fn(&left[0], ordered_fn);
	err = kpool_submit(pool, &f->job.item) ?:
	      kpool_submit(pool, &left[0].item);
	while (!err && !atomic_read(&nr_running))
		usleep_range(500, 1000);
	return err;
}

/* Run by its submitter, as is the one that it submits. */
static int nested_fn(struct kpool_item *unused)
{
	struct foreign *f = foreign_make();
	int err = f ? kpool_submit(pool, &f->job.item) : -ENOMEM;

	pr_info("module_unload: a running item ends\n");
	return err;
}

static struct kpool_item late;

static int late_running_fn(struct kpool_item *unused)
{
	msleep(100);
	pr_info("module_unload: a running item ends\n");
	return 0;
}

/* Make the default pool once this module is being removed, and leave items. */
static int late_fn(struct kpool_item *unused)
{
	int err;

	while (!gone)
		usleep_range(500, 1000);
	msleep(100);
	pool = kpool_default();
	kpool_init_job(&left[0], left_fn);
	kpool_init_job(&running[0], late_running_fn);
	err = kpool_submit_delayed(pool, &left[0], 3600 * HZ) ?:
	      kpool_submit(pool, &running[0].item);
	if (err)
		pr_err("module_unload: WARNING: the items are refused: %d\n",
		       err);
	/* else it would be cancelled */
	while (kpool_is_pending(&running[0].item))
		usleep_range(500, 1000);
	return 0;
}

/* A pool of its own that it orphans. */
static int leave_late(void)
{
	int err;

	pool = kpool_create(NULL, "late");
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	kpool_init_item(&late, late_fn);
	err = kpool_submit(pool, &late);
	/* else it would be dropped */
	while (!err && kpool_is_pending(&late))
		usleep_range(500, 1000);
	return err;
}

/* Its item waits for one of the default pool, due only after the end. */
static int across_fn(struct kpool_item *unused)
{
	int err;

	atomic_inc(&nr_running);
	err = kpool_flush_item(&left[0].item);
	if (err)
		pr_err("module_unload: WARNING: the flush of an item: %d\n", err);
	return 0;
}

/* A pool of its own whose item waits for what it leaves in the default pool. */
static int leave_across(void)
{
	struct kpool *own;
	int err;

	kpool_init_job(&left[0], left_fn);
	err = kpool_submit_delayed(pool, &left[0], 3600 * HZ);
	if (err)
		return err;
	own = kpool_create(NULL, "across");
	if (IS_ERR(own))
		return PTR_ERR(own);
	kpool_init_item(&late, across_fn);
	err = kpool_submit(own, &late);
	while (!err && !atomic_read(&nr_running))
		usleep_range(500, 1000);
	return err;
}

/* A kpool_fn. */
static int called_fn(void *unused)
{
	pr_err("module_unload: WARNING: a function is called that had to wait\n");
	return 0;
}

/* In a worker it outlasts the exit function. */
static void release_fn(void *unused)
{
	if (current->flags & PF_KTHREAD) {
		pr_info("module_unload: an argument is to be released\n");
		while (!gone)
			usleep_range(500, 1000);
		msleep(100);
		pr_info("module_unload: an argument is released\n");
	}
	atomic_inc(&nr_ended);
}

/*
 * A call that is given up while another module's function runs: what releases
 * its argument is all of it that is of this module.
 */
static int leave_call(void)
{
	int err;

	do {
		atomic_set(&nr_ended, 0);
		err = kpool_call_timeout(pool, (kpool_fn)fn, NULL, release_fn,
					 HZ / 10, NULL);
	} while (atomic_read(&nr_ended));
	return err == -ETIMEDOUT ? 0 : err ?: -EINVAL;
}

static int leave_all(void)
{
	int i, err = 0;

	if (leaves("") || leaves("running") || leaves("borrowed") ||
	    leaves("creates") || leaves("fails") ||
	    leaves("offered") || leaves("nested") || comes_again())
		return 0;
	if (leaves("foreign"))
		return leave_foreign();
	if (leaves("dropping"))
		return leave_dropping();
	if (leaves("completion"))
		return leave_completion();
	if (leaves("finished"))
		return leave_finished();
	if (leaves("completed") || leaves("dropped") || leaves("incomplete"))
		return leave_function();
	if (leaves("call"))
		return leave_call();
	if (leaves("across"))
		return leave_across();
	/* a unit is free, so its turn comes before its run has ended */
	if (leaves("kept"))
		return kpool_submit(pool, &running[1].item);
	for (i = 0; i < LEFT_MAX && !err; i++) {
		if (!leaves("held"))
			err = leave_one(i);
		else if (i < runs)
			err = kpool_submit(pool, &running[i].item);
		if (!err && moves() && i < ARRAY_SIZE(between))
			err = orphan_one(i);
	}
	if (!err && leaves("drops"))
		err = evict_one();
	return err;
}

/* An item in a pool of another module, which goes first. */
static int run_adopted(void)
{
	int err;

	pool = (struct kpool *)address;
	err = run_one(0);
	while (!err && !atomic_read(&nr_running))
		usleep_range(500, 1000);
	return err;
}

/* That module has not destroyed the pool, and waits for the item, too. */
static void end_adopted(void)
{
	int err = kpool_destroy(pool);

	if (err != -ESHUTDOWN || !atomic_read(&nr_ended))
		pr_err("module_unload: WARNING: destroy returned %d, %d items have ended\n",
		       err, atomic_read(&nr_ended));
}

static int __init unload_init(void)
{
	int i, err = 0;

	kpool_init_item(&late, leaves("nested") ? nested_fn : left_fn);
	item = (unsigned long)&late;
	called = (unsigned long)called_fn;
	releasing = (unsigned long)release_fn;
	if (leaves("late"))
		return leave_late();
	if (leaves("adopted"))
		return run_adopted();
	pool = kpool_default();
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	if (leaves("ordered"))
		kpool_init_ordered_stream(&stream, pool);
	else
		kpool_init_stream(&stream, pool);
	err = kpool_init_group(&group, pool, NULL, 0);
	runs = clamp(runs, 0, LEFT_MAX);
	for (i = 0; i < runs && !err; i++)
		err = run_one(i);
	while (!err && !leaves("borrowed") && atomic_read(&nr_running) < runs)
		usleep_range(500, 1000);
	return err ?: leave_all() ?: start_taker();
}
module_init(unload_init);

/* Half of what is delayed is to come due soon after the module has gone. */
static void hasten(void)
{
	int i;

	for (i = 1; i < LEFT_MAX; i += 2)
		kpool_modify_delay(&left[i], 5 * HZ);
}

static void __exit unload_exit(void)
{
	gone = true;
	while (leaves("fails") && !READ_ONCE(pool_fails))
		usleep_range(500, 1000);
	if (leaves(""))
		kpool_flush(pool);
	if (leaves("adopted"))
		end_adopted();
	if (*taker)
		set_cpus_allowed_ptr(current, cpumask_of(0));
	else if (leaves("delayed"))
		hasten();
}
module_exit(unload_exit);

MODULE_DESCRIPTION("kpool selftest: a client that leaves items in the default pool");
MODULE_LICENSE("GPL");
