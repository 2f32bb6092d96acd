// SPDX-License-Identifier: GPL-2.0-only
/* The frame driver before its migration from a workqueue. */
#include "migration.h"

#include "../../samples/recipes/workqueue_before.c"

const struct frame_driver frames_before = {
	.start	 = frames_start,
	.arrived = frame_arrived,
	.stop	 = frames_stop,
};
