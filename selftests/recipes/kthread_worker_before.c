// SPDX-License-Identifier: GPL-2.0-only
/* The poll driver before its migration from a kthread_worker. */
#include <linux/kthread.h>

#include "compat.h"
#include "migration.h"

#include "../../samples/recipes/kthread_worker_before.c"

const struct poll_driver poller_before = {
	.start	= poller_start,
	.stop	= poller_stop,
};
