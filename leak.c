// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an item left behind: an RCU section, interrupts off, a changed
 * preemption count, and, where lockdep watches, a lock.  It is reported by the
 * item's function, and what can be put right is, so that the worker can go on.
 * A lock stays held.
 */
#include "internal.h"

static void kpool_report_leak(struct kpool_worker *worker, const char *what)
{
	pr_err("kpool: %s: %ps returned with %s\n", worker->pool->name,
	       READ_ONCE(worker->fn), what);
}

void kpool_put_right(struct kpool_worker *worker)
{
	int count = preempt_count();
	bool irqs_off = irqs_disabled();

	preempt_count_set(0);
	if (irqs_off)
		local_irq_enable();
	if (irqs_off)
		kpool_report_leak(worker, "interrupts off");
	if (count)
		kpool_report_leak(worker, "a changed preemption count");
	if (rcu_preempt_depth())
		kpool_report_leak(worker, "an RCU read section open");
	/* on PREEMPT_RT a spinlock is one too, and has more to it */
	while (!IS_ENABLED(CONFIG_PREEMPT_RT) && rcu_preempt_depth())
		rcu_read_unlock();
	if (lockdep_depth(current) > worker->nr_locks)
		kpool_report_leak(worker, "a lock held");
	worker->nr_locks = lockdep_depth(current);
}
