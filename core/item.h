/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which pool owns an item, and so which lock guards it: see item.c.
 */
#ifndef _KPOOL_ITEM_H
#define _KPOOL_ITEM_H

#include "debug.h"
#include "internal.h"

int kpool_item_migrate(struct kpool *pool, struct kpool_item *item);
struct kpool *kpool_item_lock(struct kpool_item *item, unsigned long *flags);

/* Is the pool the item's home?  A new item has none and finds one here. */
static inline bool kpool_owns_item(struct kpool *pool, struct kpool_item *item)
{
	u32 owner = READ_ONCE(item->pool_id);

	if (!owner)
		owner = cmpxchg(&item->pool_id, 0, pool->id) ?: pool->id;
	return owner == pool->id;
}

/* Take the lock of the pool, which is the item's home then; or fail without. */
static __always_inline int kpool_item_lock_for_submit(struct kpool *pool,
						      struct kpool_item *item,
						      unsigned long *flags)
{
	kpool_debug_check(item);
	if (!item->fn)
		return -EINVAL;
	for (;;) {
		int err = kpool_owns_item(pool, item) ?
			  0 : kpool_item_migrate(pool, item);

		if (err)
			return err;
		raw_spin_lock_irqsave(&pool->lock, *flags);
		/*
		 * Another pool may have adopted it before that.  Pairs with
		 * kpool_item_migrate(), which has held the old home's lock, not ours.
		 */
		if (likely(smp_load_acquire(&item->pool_id) == pool->id))
			return 0;
		raw_spin_unlock_irqrestore(&pool->lock, *flags);
	}
}

#endif /* _KPOOL_ITEM_H */
