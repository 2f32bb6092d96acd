// SPDX-License-Identifier: GPL-2.0-only
#include <linux/list.h>
#include <linux/spinlock.h>

#include "kpool.h"

#define PROBE_INTERVAL	(HZ / 10)	/* ten probes a second at most */

struct probe {
	struct list_head node;
	int nr;
};

static struct kpool *probe_pool;
static LIST_HEAD(probes);
static DEFINE_SPINLOCK(probes_lock);
static bool probes_paced;	/* the pacer is accepted, and takes the next probe */

/* Send a probe; take the next one after the interval.  No thread sleeps. */
static int probe_pace(struct kpool_item *item)
{
	struct probe *probe;
	int err = -ENOENT;

	spin_lock_bh(&probes_lock);
	probe = list_first_entry_or_null(&probes, struct probe, node);
	if (probe) {
		list_del(&probe->node);
		err = kpool_submit_delayed(probe_pool, kpool_job_of(item),
					   PROBE_INTERVAL);
	}
	probes_paced = !err;
	spin_unlock_bh(&probes_lock);
	return probe ? probe_send(probe) : 0;
}

static DEFINE_KPOOL_JOB(probe_pacer, probe_pace);

/* Process or softirq context. */
static int probe_submit(struct probe *probe)
{
	int err = 0;

	spin_lock_bh(&probes_lock);
	if (!probes_paced)
		err = kpool_submit_delayed(probe_pool, &probe_pacer, 0);
	if (!err) {
		probes_paced = true;
		list_add_tail(&probe->node, &probes);
	}
	spin_unlock_bh(&probes_lock);
	return err;
}
