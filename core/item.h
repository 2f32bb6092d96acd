/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Check an item's function, find the pool that owns the item, and take its
 * lock: see item.c.
 */
#ifndef _KPOOL_ITEM_H
#define _KPOOL_ITEM_H

#include "debug.h"
#include "internal.h"
#include "lock.h"

/* Internal result of kpool_item_migrate(): pool->lock is held. */
#define KPOOL_HANDED_OVER	1

int kpool_item_migrate(struct kpool *pool, struct kpool_item *item,
		       struct kpool_handover *handover, unsigned long *flags);
struct kpool *kpool_item_lock(struct kpool_item *item, unsigned long *flags);

/* Return true if the pool owns the item.  Take ownership of a new item. */
static inline bool kpool_item_claim(struct kpool *pool, struct kpool_item *item)
{
	u32 owner = READ_ONCE(item->pool_id);

	if (!owner)
		owner = cmpxchg(&item->pool_id, 0, pool->id) ?: pool->id;
	return owner == pool->id;
}

/* Return -EINVAL for an item without a function, or 0. */
static inline int kpool_check_fn(struct kpool_item *item)
{
	kpool_debug_check(item);
	return item->fn ? 0 : -EINVAL;
}

/*
 * Make the pool the owner of the item, and take pool->lock.  On error the lock
 * is not held.  If the item was taken from a run that submits it to this pool,
 * *@handover has that run: if the item is refused, kpool_item_return() returns
 * it.
 */
static __always_inline int
kpool_item_lock_for_submit(struct kpool *pool, struct kpool_item *item,
			   struct kpool_handover *handover,
			   unsigned long *flags)
{
	handover->run = NULL;
	for (;;) {
		if (!kpool_item_claim(pool, item)) {
			int err = kpool_item_migrate(pool, item, handover,
						     flags);

			if (err == KPOOL_HANDED_OVER)
				return 0;
			if (err)
				return err;
			/* the item is this pool's now, or has changed: retry */
		}
		kpool_lock(pool, flags);
		/*
		 * Another pool can have become the owner before that.  Pairs
		 * with the release in kpool_item_migrate(), which holds the
		 * lock of the previous owner, not that of the new one.
		 */
		if (likely(smp_load_acquire(&item->pool_id) == pool->id)) {
			kpool_item_settle(pool, item);
			return 0;
		}
		/* nothing has changed: no recheck */
		raw_spin_unlock_irqrestore(&pool->lock, *flags);
	}
}

#endif /* _KPOOL_ITEM_H */
