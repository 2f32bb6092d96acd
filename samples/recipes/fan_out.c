// SPDX-License-Identifier: GPL-2.0-only
#include "kpool.h"

struct part {
	struct kpool_job job;
	int nr;
};

static int part_run(struct kpool_item *item)
{
	struct part *part = container_of(item, struct part, job.item);

	return part_copy(part->nr);
}

/* Copy @n parts in parallel.  Return 0, or the error of the first to fail. */
static int copy_parts(struct kpool *pool, struct part *parts, int n)
{
	struct kpool_group group;
	int i, err;

	err = kpool_init_group(&group, pool, NULL, KPOOL_GROUP_FAIL_FAST);
	for (i = 0; i < n && !err; i++) {
		kpool_init_job(&parts[i].job, part_run);
		parts[i].nr = i;
		kpool_set_group(&parts[i].job, &group);
		err = kpool_submit(pool, &parts[i].job.item);
	}
	kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT);
	return kpool_group_error(&group) ?: err;
}
