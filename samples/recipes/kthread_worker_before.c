// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>

static struct kthread_worker *poller;
static struct kthread_delayed_work poll;

static void poll_run(struct kthread_work *work)
{
	poll_sensor();
	kthread_queue_delayed_work(poller, &poll, POLL_INTERVAL);
}

static int poller_start(void)
{
	poller = kthread_run_worker(0, "poller");
	if (IS_ERR(poller))
		return PTR_ERR(poller);
	sched_set_fifo(poller->task);
	kthread_init_delayed_work(&poll, poll_run);
	kthread_queue_delayed_work(poller, &poll, POLL_INTERVAL);
	return 0;
}

static void poller_stop(void)
{
	kthread_cancel_delayed_work_sync(&poll);
	kthread_destroy_worker(poller);
}
