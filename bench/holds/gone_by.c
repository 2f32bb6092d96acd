// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module is removed, with many items in the default pool that are not its
 * own.
 */
#include <linux/jiffies.h>

#include "holds.h"

/* Half of them delayed.  The default pool cannot be ended, only emptied. */
static void module_goes(unsigned int n)
{
	static const char *const argv[] = { "/bin/rmmod", "kpool_holds_gone", NULL };
	unsigned int i;

	holds_pool = kpool_default();
	holds_check(!kpool_tune(holds_pool, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_UNLIMITED),
		    "tune");
	kpool_pause(holds_pool);
	for (i = 0; i < n; i++) {
		struct kpool_job *job = holds_job(i);

		if (i % 2)
			holds_submit(job);
		else
			kpool_submit_delayed(holds_pool, job, 3600 * HZ + i);
		if (!(i % 1024))
			cond_resched();
	}
	holds_measure();
	holds_command(argv);
	holds_measured(n);
	for (i = 0; i < n; i++)
		kpool_cancel(&holds_jobs[i].item);
	kpool_resume(holds_pool);
}

const struct holds_operation holds_gone_by[] = {
	{ "module-goes", HOLDS_ONE, module_goes },
	{ }
};
