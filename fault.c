// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items that return an error, or die: the pool remembers the last few for
 * people, and calls its fault handler.
 *
 * The pool remembers the names of functions, not their addresses: the module
 * that they are in can be unloaded before the names are read.  A lookup takes
 * too long for interrupts to be off, so it comes before the lock is taken.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "internal.h"

static void kpool_remember_error(struct kpool *pool, pid_t pid,
				 const struct kpool_fault *fault)
{
	struct kpool_error error = {
		.when	= ktime_get_boottime_ns(),
		.err	= fault->err,
		.pid	= pid,
		.died	= fault->died,
	};
	unsigned long flags;

	snprintf(error.fn, sizeof(error.fn), "%ps", fault->fn);
	raw_spin_lock_irqsave(&pool->lock, flags);
	pool->errors[pool->nr_errors++ % KPOOL_NR_ERRORS] = error;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
}

static void kpool_name_stack(struct kpool_stall *stall,
			     const struct kpool_stack *stack)
{
	size_t len = 0;
	unsigned int i;

	stall->stack[0] = '\0';
	for (i = 0; i < stack->nr; i++)
		len += scnprintf(stall->stack + len, sizeof(stall->stack) - len,
				 "  %pS\n", (void *)stack->entry[i]);
}

/* Called by the watch alone: nothing else changes the ring. */
void kpool_remember_stall(struct kpool *pool, pid_t pid, const void *fn,
			  unsigned int ran_ms, const struct kpool_stack *stack)
{
	struct kpool_stall *stall =
		&pool->stalls[pool->nr_stalls % KPOOL_NR_STALLS];

	raw_spin_lock_irq(&pool->lock);
	stall->when = 0;
	raw_spin_unlock_irq(&pool->lock);

	snprintf(stall->fn, sizeof(stall->fn), "%ps", fn);
	kpool_name_stack(stall, stack);
	stall->pid = pid;
	stall->ran_ms = ran_ms;

	raw_spin_lock_irq(&pool->lock);
	stall->when = ktime_get_boottime_ns();
	pool->nr_stalls++;
	raw_spin_unlock_irq(&pool->lock);
}

/*
 * Report an error of an item that @task runs, or ran.  The run is not over yet,
 * so the pool and the handler's module stay.
 */
void kpool_report_error(struct kpool *pool, struct task_struct *task,
			const struct kpool_fault *fault)
{
	kpool_remember_error(pool, task_pid_nr(task), fault);
	if (pool->made.fault)
		pool->made.fault(pool->made.data, fault);
}
