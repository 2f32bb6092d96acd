// SPDX-License-Identifier: GPL-2.0-only
/*
 * The watch: a look at what runs, now and then, and only while something does.
 *
 * The first item to start in a quiet pool arms it.  It looks for threads that
 * have died and for items that run for too long, and comes again unless nothing
 * runs any more, so that an idle pool is left alone.  It leaves the dead to the
 * pool's dead_reaper: here it would hold up other pools.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/smp.h>

#include "internal.h"

/* An item that stalls is noticed at most one eighth late. */
static unsigned long kpool_watch_period(const struct kpool *pool)
{
	unsigned long stall = msecs_to_jiffies(pool->attrs.stall_ms);

	return clamp_t(unsigned long, stall / 8, 1, HZ);
}

/*
 * Something runs, perhaps here and with interrupts off before long: so another
 * CPU keeps the time, if one does such work for the kernel.  With interrupts
 * off now, none can go away.
 */
static unsigned int kpool_watch_cpu(void)
{
	unsigned int cpu, here = raw_smp_processor_id();
	unsigned int found = WORK_CPU_UNBOUND;

	/* newer kernels replace the first of these masks at run time */
	rcu_read_lock();
	for_each_cpu_and(cpu, housekeeping_cpumask(HK_TYPE_DOMAIN),
			 housekeeping_cpumask(HK_TYPE_TIMER)) {
		if (cpu != here && cpu_online(cpu)) {
			found = cpu;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

void kpool_watch(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	pool->watched = true;
	queue_delayed_work_on(kpool_watch_cpu(), kpool_wq, &pool->watch,
			      kpool_watch_period(pool));
}

void kpool_watch_work(struct work_struct *work)
{
	struct kpool *pool = container_of(to_delayed_work(work), struct kpool,
					  watch);

	kpool_look_for_dead(pool);
	kpool_find_stalls(pool);

	raw_spin_lock_irq(&pool->lock);
	pool->watched = false;
	if (pool->used || pool->nr_ext_runs)
		kpool_watch(pool);
	raw_spin_unlock_irq(&pool->lock);
}
