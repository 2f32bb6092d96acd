// SPDX-License-Identifier: GPL-2.0-only
/* The frame driver after its migration from a workqueue. */
#include "migration.h"

#include "../../samples/recipes/workqueue_after.c"

const struct frame_driver frames_after = {
	.start	 = frames_start,
	.arrived = frame_arrived,
	.stop	 = frames_stop,
};
