// SPDX-License-Identifier: GPL-2.0-only
/* The poll driver after its migration from a kthread_worker. */
#include "migration.h"

#include "../../samples/recipes/kthread_worker_after.c"

const struct poll_driver poller_after = {
	.start	= poller_start,
	.stop	= poller_stop,
};
