/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measure the engine's holds without a mark in it.  In the bench's module this
 * header stands in front of each of its files.  It replaces the functions that
 * take a raw spinlock or turn interrupts off.
 *
 * A hold begins when the engine takes its first lock or turns interrupts off,
 * and ends when it has given back all of that.  There is one CPU, and a hold
 * excludes all others on it, so one variable keeps the hold that lasts.  The
 * clock counts instructions where the guest's does, see bench/holds.sh.
 */
#ifndef _HOLDS_CLOCK_H
#define _HOLDS_CLOCK_H

/* Kbuild takes it for the object's name. */
#undef KBUILD_MODNAME
#define KBUILD_MODNAME	"kpool_holds"

#include <linux/completion.h>
#include <linux/cpuhotplug.h>
#include <linux/debugfs.h>
#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/instruction_pointer.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/timer.h>
#include <linux/timex.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

/**
 * struct holds_clock - the hold that lasts, and the longest one
 * @since: when it began
 * @from: where it began
 * @locks: raw spinlocks that the engine holds
 * @irqs_off: the engine has turned interrupts off
 * @cost: of the clock itself
 * @longest: the longest since holds_reset()
 * @longest_from: where that began
 * @longest_to: where that ended
 */
struct holds_clock {
	u64		since;
	unsigned long	from;
	unsigned int	locks;
	bool		irqs_off;
	u64		cost;
	u64		longest;
	unsigned long	longest_from;
	unsigned long	longest_to;
};

extern struct holds_clock holds_clock;

static __always_inline bool holds_lasts(void)
{
	return holds_clock.locks || holds_clock.irqs_off;
}

static __always_inline void holds_begin(bool lock, bool irqs)
{
	if (!holds_lasts()) {
		holds_clock.from = _THIS_IP_;
		holds_clock.since = get_cycles();
	}
	holds_clock.locks += lock;
	holds_clock.irqs_off |= irqs;
}

static __always_inline void holds_end(bool lock, bool irqs)
{
	u64 now = get_cycles();

	holds_clock.locks -= lock;
	if (irqs)
		holds_clock.irqs_off = false;
	if (holds_lasts() ||
	    now - holds_clock.since <= holds_clock.longest + holds_clock.cost)
		return;
	holds_clock.longest = now - holds_clock.since - holds_clock.cost;
	holds_clock.longest_from = holds_clock.from;
	holds_clock.longest_to = _THIS_IP_;
}

static __always_inline void holds_raw_lock(raw_spinlock_t *lock)
{
	raw_spin_lock(lock);
	holds_begin(true, false);
}

static __always_inline bool holds_raw_trylock(raw_spinlock_t *lock)
{
	if (!raw_spin_trylock(lock))
		return false;
	holds_begin(true, false);
	return true;
}

static __always_inline void holds_raw_unlock(raw_spinlock_t *lock)
{
	holds_end(true, false);
	raw_spin_unlock(lock);
}

static __always_inline void holds_raw_lock_irq(raw_spinlock_t *lock)
{
	raw_spin_lock_irq(lock);
	holds_begin(true, true);
}

static __always_inline void holds_raw_unlock_irq(raw_spinlock_t *lock)
{
	holds_end(true, true);
	raw_spin_unlock_irq(lock);
}

static __always_inline unsigned long
holds_raw_lock_irqsave(raw_spinlock_t *lock)
{
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	holds_begin(true, true);
	return flags;
}

static __always_inline void holds_raw_unlock_irqrestore(raw_spinlock_t *lock,
							unsigned long flags)
{
	holds_end(true, true);
	raw_spin_unlock_irqrestore(lock, flags);
}

static __always_inline unsigned long holds_irq_save(void)
{
	unsigned long flags;

	local_irq_save(flags);
	holds_begin(false, true);
	return flags;
}

static __always_inline void holds_irq_restore(unsigned long flags)
{
	holds_end(false, true);
	local_irq_restore(flags);
}

static __always_inline void holds_irq_disable(void)
{
	local_irq_disable();
	holds_begin(false, true);
}

static __always_inline void holds_irq_enable(void)
{
	holds_end(false, true);
	local_irq_enable();
}

#undef raw_spin_lock
#define raw_spin_lock(lock)			holds_raw_lock(lock)
#undef raw_spin_trylock
#define raw_spin_trylock(lock)			holds_raw_trylock(lock)
#undef raw_spin_unlock
#define raw_spin_unlock(lock)			holds_raw_unlock(lock)
#undef raw_spin_lock_irq
#define raw_spin_lock_irq(lock)			holds_raw_lock_irq(lock)
#undef raw_spin_unlock_irq
#define raw_spin_unlock_irq(lock)		holds_raw_unlock_irq(lock)
#undef raw_spin_lock_irqsave
#define raw_spin_lock_irqsave(lock, flags)				\
	((flags) = holds_raw_lock_irqsave(lock))
#undef raw_spin_unlock_irqrestore
#define raw_spin_unlock_irqrestore(lock, flags)				\
	holds_raw_unlock_irqrestore(lock, flags)
#undef local_irq_save
#define local_irq_save(flags)			((flags) = holds_irq_save())
#undef local_irq_restore
#define local_irq_restore(flags)		holds_irq_restore(flags)
#undef local_irq_disable
#define local_irq_disable()			holds_irq_disable()
#undef local_irq_enable
#define local_irq_enable()			holds_irq_enable()

/* kpool.ko exports the same names. */
#undef EXPORT_SYMBOL_GPL
#define EXPORT_SYMBOL_GPL(sym)	struct sym##_is_not_exported

#endif /* _HOLDS_CLOCK_H */
