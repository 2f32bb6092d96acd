// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an item left behind: an RCU section, interrupts off, a changed
 * preemption count, flags that limit its thread's allocations, and, where
 * lockdep watches, a lock.  It is reported by the item's function, and what can
 * be put right is, so that the worker, or the submitter that has run the item,
 * can go on.  A lock stays held.
 */
#include "internal.h"

#define KPOOL_FLAG(_flag)	{ _flag, #_flag }
static const struct {
	unsigned int	flag;
	const char	*name;
} kpool_task_flags[] = {
	KPOOL_FLAG(PF_MEMALLOC),
	KPOOL_FLAG(PF_MEMALLOC_NOIO),
	KPOOL_FLAG(PF_MEMALLOC_NOFS),
	KPOOL_FLAG(PF_MEMALLOC_PIN),
	KPOOL_FLAG(PF_LOCAL_THROTTLE),
};

void kpool_task_state_save(struct kpool_task_state *state)
{
	state->flags = current->flags & KPOOL_CONTEXT_FLAGS;
	state->nr_locks = lockdep_depth(current);
}

static void kpool_report_leak(const struct kpool *pool, const void *fn,
			      const char *what)
{
	pr_err("%s: %ps returned with %s\n", pool->name, fn, what);
}

static void kpool_put_flags_right(const struct kpool *pool, const void *fn,
				  const struct kpool_task_state *before)
{
	unsigned int changed = (current->flags ^ before->flags) &
			       KPOOL_CONTEXT_FLAGS;
	int i;

	current->flags ^= changed;
	for (i = 0; i < ARRAY_SIZE(kpool_task_flags); i++)
		if (changed & kpool_task_flags[i].flag)
			pr_err("%s: %ps returned with %s changed\n",
			       pool->name, fn, kpool_task_flags[i].name);
}

/* On PREEMPT_RT a spinlock is such a section too, and has more to it. */
static void kpool_put_rcu_right(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return;
	while (rcu_preempt_depth() > 0)
		rcu_read_unlock();
	while (rcu_preempt_depth() < 0)
		rcu_read_lock();
}

/* Make the caller's context what it was, but for the locks that it holds. */
void kpool_put_right(const struct kpool *pool, const void *fn,
		     struct kpool_task_state *before)
{
	int count = preempt_count();
	bool irqs_off = irqs_disabled();

	preempt_count_set(0);
	if (irqs_off)
		local_irq_enable();
	kpool_put_flags_right(pool, fn, before);
	if (irqs_off)
		kpool_report_leak(pool, fn, "interrupts off");
	if (count)
		kpool_report_leak(pool, fn, "a changed preemption count");
	if (rcu_preempt_depth())
		kpool_report_leak(pool, fn, rcu_preempt_depth() > 0 ?
				  "an RCU read section open" :
				  "an RCU read section closed too often");
	kpool_put_rcu_right();
	if (lockdep_depth(current) > before->nr_locks)
		kpool_report_leak(pool, fn, "a lock held");
	/* the next item is not to blame for it */
	before->nr_locks = lockdep_depth(current);
}
