// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items that return an error, or die: the pool remembers the last few for
 * people, and calls its fault handler.
 */
#include <linux/ktime.h>
#include <linux/sched.h>

#include "internal.h"

static void kpool_remember_error(struct kpool *pool, void *fn, int err,
				 pid_t pid)
{
	struct kpool_error *error;
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	error = &pool->errors[pool->nr_errors++ % KPOOL_NR_ERRORS];
	error->fn = fn;
	error->when = ktime_get_boottime_ns();
	error->err = err;
	error->pid = pid;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
}

/*
 * The run is not over yet, so the pool and the handler's module stay.  @task
 * runs or ran the item, @state is that of the worker, if it is one.
 */
void kpool_report_error(struct kpool *pool, void *fn, const void *item, int err,
			struct task_struct *task, void *state)
{
	const struct kpool_fault fault = {
		.fn	= fn,
		.item	= item,
		.err	= err,
		.state	= state,
	};

	kpool_remember_error(pool, fn, err, task_pid_nr(task));
	if (pool->made.fault)
		pool->made.fault(pool->made.data, &fault);
}
