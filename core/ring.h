/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fast operations, which do not take pool->lock: see ring.c.
 */
#ifndef _KPOOL_RING_H
#define _KPOOL_RING_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>

#include "debug.h"
#include "internal.h"

void kpool_rings_init(struct kpool *pool);
void kpool_rings_settle(struct kpool *pool);
unsigned int kpool_inbox_close(struct kpool_inbox *inbox);
void kpool_ready_add_fields(struct kpool_ready *ready, u32 ticket,
			    struct kpool_job *job);
struct kpool_item *kpool_ready_pop(struct kpool *pool);
void kpool_ready_fill(struct kpool *pool);
void kpool_finish_start(struct kpool *pool, struct kpool_item *item);

/*
 * kpool_inbox.next and kpool_ready.next: slots left in the lower 8 bits, the
 * next ticket or the generation above.
 */
#define KPOOL_LEFT_BITS		8
#define KPOOL_LEFT_MASK		0xff
#define KPOOL_TICKET_MASK	(~0ULL >> KPOOL_LEFT_BITS)

/* Tickets wrap, and must go on with the next slot then. */
static_assert(KPOOL_RING_SIZE > 0 && KPOOL_RING_SIZE <= KPOOL_LEFT_MASK &&
	      !(KPOOL_RING_SIZE & (KPOOL_RING_SIZE - 1)));

/* Fast submit: reserve a slot, look at the pool, commit */

/*
 * Reserve the slot of *@ticket, or return false if the inbox is closed or full.
 *
 * Pairs with the release in kpool_inbox_open(): what pool->lock protects is
 * seen as of that time or later.  Litmus: inbox-open.
 */
static __always_inline bool kpool_inbox_reserve(struct kpool_inbox *inbox,
						u64 *ticket)
{
	s64 next = atomic64_read(&inbox->next);

	do {
		if (!(next & KPOOL_LEFT_MASK))
			return false;
		*ticket = (u64)next >> KPOOL_LEFT_BITS;
		/* the next ticket, and one slot less */
	} while (!atomic64_try_cmpxchg_acquire(&inbox->next, &next,
					       next + KPOOL_LEFT_MASK));
	return true;
}

/*
 * Return the value of the slot of @ticket until it is committed.  Unlike any
 * pointer it is odd.  On 32-bit, a value recurs after 2^31 submits.
 */
static __always_inline unsigned long kpool_slot_tag(u64 ticket)
{
	return (unsigned long)(ticket & KPOOL_TICKET_MASK) << 1 | 1;
}

/* Return true if the value is not an item. */
static __always_inline bool kpool_is_slot_tag(unsigned long value)
{
	return value & 1;
}

/*
 * Commit a fast submit, or return false if a lock holder has skipped the slot.
 * Pairs with the acquire in kpool_slot_settle().  Litmus: inbox-close.
 */
static __always_inline bool kpool_slot_commit(unsigned long *slot, u64 ticket,
					      struct kpool_item *item)
{
	unsigned long tag = kpool_slot_tag(ticket);

	return try_cmpxchg_release(slot, &tag, (unsigned long)item);
}

/* With pool->lock held */

/*
 * Return true if both rings can be opened.  The pool is open and not paused, no
 * special item is pending and no module's items are searched for.  Nothing is
 * to be rechecked, so no submitter waits for admission.  The rings are not off:
 * see kpool_update_rings_off().
 */
static inline bool kpool_can_open_rings(const struct kpool *pool)
{
	return pool->fast_capacity && !pool->nr_recheck && !pool->rings_off;
}

/*
 * Open @nr slots of the inbox for the items of @mode.  Pairs with the acquire
 * in kpool_inbox_reserve().  Litmus: inbox-open.
 */
static __always_inline void kpool_inbox_open(struct kpool_inbox *inbox,
					     unsigned int nr,
					     enum kpool_inbox_mode mode)
{
	u32 now = jiffies;

	WRITE_ONCE(inbox->opened_at, now);
	/* one less is not the time of a submit: plain items take the lock */
	WRITE_ONCE(inbox->plain_at, now - (mode == KPOOL_INBOX_BEHIND));
	WRITE_ONCE(inbox->mode, mode);
	inbox->nr_open = nr;
	atomic64_set_release(&inbox->next,
			     (inbox->first << KPOOL_LEFT_BITS) + nr);
}

/*
 * Open all slots of the ready ring that have items.  Pairs with the acquire in
 * kpool_start_fast().  Litmus: ready-open.
 */
static __always_inline void kpool_ready_open(struct kpool_ready *ready)
{
	ready->nr_open = ready->nr;
	ready->generation += KPOOL_LEFT_MASK + 1;
	atomic64_set_release(&ready->next, ready->generation + ready->nr);
}

/*
 * Return true, and the item as *@value, if a reserved slot has been committed.
 * If not, change the slot to the tag of its next ticket, so that the commit
 * fails.  Litmus: inbox-close.
 */
static __always_inline bool kpool_slot_settle(unsigned long *slot,
					      u64 ticket,
					      unsigned long *value)
{
	/* pairs with the release in kpool_slot_commit() */
	*value = smp_load_acquire(slot);
	if (likely(!kpool_is_slot_tag(*value)))
		return true;
	if (try_cmpxchg_relaxed(slot, value,
				kpool_slot_tag(ticket + KPOOL_RING_SIZE)))
		return false;
	/* committed since: a cmpxchg that fails orders nothing */
	*value = smp_load_acquire(slot);
	return true;
}

/*
 * Return the next item of the closed inbox, or NULL.  Advance *@ticket past
 * its slot, up to @end.
 */
static __always_inline struct kpool_item *
kpool_inbox_pop(struct kpool_inbox *inbox, u64 *ticket, u64 end)
{
	while (*ticket != end) {
		u64 this = (*ticket)++;
		unsigned long *slot = &inbox->slots[this % KPOOL_RING_SIZE];
		unsigned long value;

		if (!kpool_slot_settle(slot, this, &value))
			continue;
		WRITE_ONCE(*slot, kpool_slot_tag(this + KPOOL_RING_SIZE));
		return (struct kpool_item *)value;
	}
	return NULL;
}

/*
 * Return the number of fast submits, less that of fast starts, since the last
 * unlock.  Racy.
 */
static inline int kpool_nr_unsettled(const struct kpool *pool)
{
	/* racy, see above */
	int nr = data_race(pool->inbox.nr_open) -
		 (atomic64_read(&pool->inbox.next) & KPOOL_LEFT_MASK);

	/* racy, like the inbox */
	return nr - data_race(pool->ready.nr_open) +
	       (atomic64_read(&pool->ready.next) & KPOOL_LEFT_MASK);
}

static inline struct kpool_ready_slot *
kpool_ready_slot(struct kpool_ready *ready, u32 ticket)
{
	return &ready->slots[ticket % KPOOL_RING_SIZE];
}

/* Return the fields of a slot, which are valid if it ->has_fields. */
static inline struct kpool_ready_fields *
kpool_ready_fields(struct kpool_ready *ready, u32 ticket)
{
	return &ready->fields[ticket % KPOOL_RING_SIZE];
}

/* Return the ticket of the first item of the ready ring. */
static inline u32 kpool_ready_first_ticket(const struct kpool_ready *ready)
{
	return ready->end - ready->nr;
}

/* Return the first item of the ready ring, which has one. */
static inline struct kpool_item *kpool_ready_first(const struct kpool *pool)
{
	u32 ticket = kpool_ready_first_ticket(&pool->ready);

	return pool->ready.slots[ticket % KPOOL_RING_SIZE].item;
}

/* Move all items of the ready ring back to the head of the queue. */
static inline void kpool_ready_return(struct kpool *pool)
{
	if (unlikely(pool->ready.nr))
		__kpool_ready_return(pool);
}

/*
 * Append @item, which is not special, to the ready ring, which is closed.
 * Return false if the ring is full, or @item must be started with pool->lock
 * held.  Without @check_run the caller knows that no run of @item goes on.
 */
static __always_inline bool kpool_ready_add(struct kpool *pool,
					    struct kpool_item *item,
					    bool check_run)
{
	struct kpool_ready *ready = &pool->ready;
	u32 end = ready->end;
	struct kpool_ready_slot *slot = kpool_ready_slot(ready, end);

	/*
	 * A worker that has started the item of a slot can still be using it.
	 * Pairs with the release in kpool_start_fast().  Litmus: item-started.
	 */
	if (smp_load_acquire(&slot->item) ||
	    item->flags & (__KPOOL_FN | __KPOOL_HAS_WAITERS) ||
	    (check_run && kpool_run_of(item)))
		return false;
	WRITE_ONCE(slot->taker, NULL);
	WRITE_ONCE(slot->fn, item->fn);
	WRITE_ONCE(slot->epoch, item->epoch);
	WRITE_ONCE(slot->has_fields, false);
	if (kpool_has_fields(item))
		kpool_ready_add_fields(ready, end, kpool_job_of(item));
	WRITE_ONCE(slot->item, item);
	item->state = KPOOL_ITEM_READY;
	WRITE_ONCE(ready->end, end + 1);
	ready->nr++;
	return true;
}

/*
 * Change the state of an item that has been started from KPOOL_ITEM_READY.
 * Litmus: item-started.
 */
static __always_inline void kpool_item_started(struct kpool_item *item)
{
	/* racy: the cmpxchg fails if it has changed */
	u32 word = data_race(READ_ONCE(item->word));

	do {
		if ((word & KPOOL_STATE(U8_MAX)) !=
		    KPOOL_STATE(KPOOL_ITEM_READY))
			return;
		kpool_debug_deactivate(item);
		/*
		 * Pairs with the acquire in kpool_item_settle().  A lock
		 * holder can be reading the flags: they do not change.
		 */
	} while (!data_race(try_cmpxchg_release(&item->word, &word,
						word & ~KPOOL_STATE(U8_MAX))));
}

/*
 * Finish a fast start of @item that its worker has not finished, before the
 * item's state is used.  Called with the lock of its owner held.
 * Litmus: item-started.
 */
static __always_inline void kpool_item_settle(struct kpool *pool,
					      struct kpool_item *item)
{
	/* pairs with the cmpxchg in kpool_item_started() */
	if (unlikely(smp_load_acquire(&item->state) == KPOOL_ITEM_READY))
		kpool_finish_start(pool, item);
}

#endif /* _KPOOL_RING_H */
