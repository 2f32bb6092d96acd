/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Take and release pool->lock: see lock.c for what holds while it is free, and
 * queue.h for what is done without it.
 */
#ifndef _KPOOL_LOCK_H
#define _KPOOL_LOCK_H

#include "internal.h"
#include "queue.h"

/* Begin a critical section of pool->lock: end all fast operations. */
static __always_inline void kpool_lock_begin(struct kpool *pool)
{
	pool->nr_walked = 0;
	pool->hold_cost = 0;
	kpool_rings_close(pool);
}

/* Take pool->lock with interrupts off. */
static __always_inline void kpool_lock(struct kpool *pool, unsigned long *flags)
{
	raw_spin_lock_irqsave(&pool->lock, *flags);
	kpool_lock_begin(pool);
}

/*
 * Take the lock like kpool_lock(), where interrupts are off.  Return false if
 * it is not free: the caller can hold that of another pool.
 */
static inline bool kpool_trylock(struct kpool *pool)
{
	if (!raw_spin_trylock(&pool->lock))
		return false;
	kpool_lock_begin(pool);
	return true;
}

/* Take the lock where that of a pool at a lower address is held. */
static inline void kpool_lock_nested(struct kpool *pool)
{
	raw_spin_lock_nested(&pool->lock, SINGLE_DEPTH_NESTING);
	kpool_lock_begin(pool);
}

/* Take the lock where interrupts are on. */
static __always_inline void kpool_lock_irq(struct kpool *pool)
{
	raw_spin_lock_irq(&pool->lock);
	kpool_lock_begin(pool);
}

/*
 * Return true if the invariants in lock.c hold, so that the lock can be
 * released at once.  Called with pool->lock held.
 */
static __always_inline bool kpool_can_unlock(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	return !pool->nr_recheck &&
	       (pool->mgr.nr_waking || !kpool_has_runnable(pool));
}

/*
 * Re-establish the pool's invariants and release pool->lock, after any change
 * that can free room, end a wait or make an item runnable.  This part is enough
 * if there is nothing to recheck and no worker to wake.  kpool_unlock_slow()
 * does both.
 */
static __always_inline void kpool_unlock(struct kpool *pool,
					 unsigned long flags)
{
	if (likely(kpool_can_unlock(pool)))
		raw_spin_unlock_irqrestore(&pool->lock, flags);
	else
		kpool_unlock_slow(pool, flags, false);
}

/* Unlock like kpool_unlock(), where interrupts were on before. */
static __always_inline void kpool_unlock_irq(struct kpool *pool)
{
	if (likely(kpool_can_unlock(pool)))
		raw_spin_unlock_irq(&pool->lock);
	else
		kpool_unlock_irq_slow(pool, false);
}

/*
 * Unlock like kpool_unlock(), and open the rings: the next operation is
 * probably a fast one.
 */
static __always_inline void kpool_unlock_open(struct kpool *pool,
					      unsigned long flags)
{
	if (unlikely(!kpool_can_unlock(pool))) {
		kpool_unlock_slow(pool, flags, true);
		return;
	}
	kpool_rings_open(pool);
	raw_spin_unlock_irqrestore(&pool->lock, flags);
}

/* Unlock like kpool_unlock_irq(), and open the rings. */
static __always_inline void kpool_unlock_irq_open(struct kpool *pool)
{
	if (unlikely(!kpool_can_unlock(pool))) {
		kpool_unlock_irq_slow(pool, true);
		return;
	}
	kpool_rings_open(pool);
	raw_spin_unlock_irq(&pool->lock);
}

#endif /* _KPOOL_LOCK_H */
