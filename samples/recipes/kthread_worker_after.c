// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include "kpool.h"

static struct kpool *poller;
static struct kpool_job poll;

static int poll_run(struct kpool_item *item)
{
	poll_sensor();
	/* -ECANCELED: poller_stop() cancels the job */
	kpool_submit_delayed(poller, &poll, POLL_INTERVAL);
	return 0;
}

static int poller_start(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1,
		.min_workers = 1,
		.flags = KPOOL_PREALLOC,
		.queue_depth = KPOOL_UNLIMITED,
		.policy = KPOOL_POLICY_FIFO,
		.rt_priority = 50,
	};

	poller = kpool_create(&attrs, "poller");
	if (IS_ERR(poller))
		return PTR_ERR(poller);
	kpool_init_job(&poll, poll_run);
	kpool_submit_delayed(poller, &poll, POLL_INTERVAL);
	return 0;
}

static void poller_stop(void)
{
	kpool_cancel_sync(&poll.item);
	kpool_destroy(poller);
}
