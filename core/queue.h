/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inlined part of the run queue, which every item passes through.
 *
 * With pool->lock held, plain items take the fast path, here, and all others
 * the slow path, in queue.c.  All take the slow path while pool->fast_capacity
 * is 0: see kpool_update_fast_capacity().  A fast operation is a submit or a
 * start without pool->lock: see below.
 */
#ifndef _KPOOL_QUEUE_H
#define _KPOOL_QUEUE_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/jiffies.h>

#include "debug.h"
#include "internal.h"
#include "trace.h"
#include "watchdog.h"

void kpool_rings_init(struct kpool *pool);
void kpool_rings_settle(struct kpool *pool);
unsigned int kpool_inbox_close(struct kpool_inbox *inbox);
void kpool_ready_add_fields(struct kpool_ready *ready, u32 ticket,
			    struct kpool_job *job);
struct kpool_item *kpool_ready_pop(struct kpool *pool);
void kpool_ready_fill(struct kpool *pool);
void kpool_finish_start(struct kpool *pool, struct kpool_item *item);
void __kpool_ready_return(struct kpool *pool);
void kpool_inbox_open_special(struct kpool *pool);
void kpool_settle_special(struct kpool *pool);
void __kpool_scan_skip(struct kpool *pool, struct kpool_item *item);
void __kpool_scan_again(struct kpool *pool, const struct kpool_item *item);

/*
 * Fast operations
 *
 * The threads of a busy pool contend for the lock.  So submits and starts can
 * do without it.  They are transactions: look at the pool, and commit by a
 * compare and exchange.  Each needs a slot of a ring: pool->inbox, the inbox,
 * or pool->ready, the ready ring.  They fail unless kpool_unlock_open() has
 * opened the rings, see kpool_rings_open().  kpool_lock() closes both: later
 * commits fail, and it accounts for the earlier ones.  So what a fast operation
 * saw was true when it committed, and a critical section need not know about
 * them.  Neither waits for the other: a fast operation can be interrupted at
 * any point, and takes the lock if it fails.
 *
 * kpool_submit_fast(), in submit.c, reserves a slot of the inbox by a ticket.
 * It sets the state KPOOL_ITEM_SUBMITTING, so that another submit of the item
 * fails or takes the lock.  Then it commits by changing the slot from the tag
 * of the ticket to the item.  A ticket is used once, so a late commit cannot
 * hit a slot that was reserved again.  Under the lock, SUBMITTING is the same
 * as KPOOL_ITEM_IDLE, because the commit will fail.
 *
 * The ready ring has the oldest queued items.  In kpool_start_fast(), in
 * worker.c, a worker enters itself as the taker of the first slot, commits by
 * counting down the slots left, and updates the item.  A slot has copies of a
 * job's group and deadline, because the job can be freed before the commit.
 */

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

/* Fast start: see kpool_start_fast() */

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

/*
 * Change the state of a started item from KPOOL_ITEM_READY to KPOOL_ITEM_IDLE,
 * unless that has been done.  Litmus: item-started.
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

/* Number of fast operations */

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

/* The queue */

static inline enum kpool_queue_prio kpool_prio_of(const struct kpool_item *item)
{
	if (unlikely(item->flags & __KPOOL_HIGH))
		return KPOOL_QUEUE_HIGH;
	if (unlikely(item->flags & __KPOOL_LOW))
		return KPOOL_QUEUE_LOW;
	return KPOOL_QUEUE_NORMAL;
}

/* Return the list of pool->q.prio that the item belongs to. */
static inline struct list_head *kpool_queue_of(struct kpool *pool,
					       const struct kpool_item *item)
{
	return &pool->q.prio[kpool_prio_of(item)];
}

/* Return the number of units that are free for new runs. */
static inline unsigned int kpool_free_units(const struct kpool *pool)
{
	unsigned int capacity = pool->attrs.capacity;

	return pool->units_used < capacity ? capacity - pool->units_used : 0;
}

/* Return the number of items on pool->q.prio and in the ready ring. */
static inline unsigned int kpool_nr_in_prio(const struct kpool *pool)
{
	return pool->q.nr_queued - pool->q.nr_completions;
}

/*
 * Return true if each queued or requeued item, and one more plain item, has a
 * free unit or a place in the queue.  Called with pool->lock held.
 */
static inline bool kpool_has_plain_room(const struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	return (u64)pool->q.nr_queued + pool->q.nr_requeue <
	       (u64)kpool_free_units(pool) + pool->attrs.queue_depth;
}

/* Return true if an item is recorded in pool->q.room_units. */
static inline bool kpool_has_refused(const unsigned int *units)
{
	return units[KPOOL_QUEUE_HIGH] || units[KPOOL_QUEUE_NORMAL] ||
	       units[KPOOL_QUEUE_LOW];
}

/*
 * Return true if the queued item is held by its own run: see kpool_hold().
 * Called with pool->lock held.
 */
static inline bool kpool_is_held(const struct kpool *pool,
				 const struct kpool_item *item)
{
	const struct kpool_run *run;

	lockdep_assert_held(&pool->lock);
	if (likely(!pool->q.nr_held))
		return false;
	run = kpool_run_of(item);
	return run && run->requeue;
}

/*
 * Return true if @item was accepted before @other.  Compare the times first:
 * sequence numbers wrap, and 2^31 items can be accepted while one waits.
 */
static inline bool kpool_is_older(const struct kpool_item *item,
				  const struct kpool_item *other)
{
	s32 later = other->queued_at - item->queued_at;

	return later > 0 || (!later &&
			     (s32)(other->seq - item->seq) > 0);
}

/*
 * Stamp an item with its place in the order of the queue.  Called with
 * pool->lock held.
 */
static inline void kpool_stamp(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	item->queued_at = jiffies;
	kpool_latency_queued(item);
	item->seq = pool->q.next_seq++;
}

/*
 * Account for an accepted item, and stamp it with its order and epoch.  Called
 * with pool->lock held.
 */
static inline void kpool_count_accepted(struct kpool *pool,
					struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	item->epoch = pool->epoch;
	kpool_stamp(pool, item);
	pool->stats.submitted++;
	kpool_debug_activate(item);
	trace_submit(pool, item);
}

/*
 * Queue an accepted plain item behind all others.  If the list is empty, all
 * others are in the ready ring.  Called with pool->lock held.
 */
static inline void kpool_queue_plain(struct kpool *pool,
				     struct kpool_item *item)
{
	struct list_head *queue = &pool->q.prio[KPOOL_QUEUE_NORMAL];

	lockdep_assert_held(&pool->lock);
	if (!list_empty(queue) || !kpool_ready_add(pool, item, true)) {
		item->state = KPOOL_ITEM_QUEUED;
		list_add_tail(&item->node, queue);
		kpool_hold(pool, item);
	}
	pool->q.nr_queued++;
}

/*
 * Return true if a worker can start the next queued item, or has to park or
 * drop it.  An item that lacks units holds back all items behind it.  Called
 * with pool->lock held.
 */
static inline bool kpool_has_runnable(const struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (!pool->q.nr_queued)
		return false;
	if (pool->units_used >= pool->fast_capacity)
		return likely(pool->fast_capacity) ?
		       false : kpool_has_runnable_slow(pool);
	/* fast_capacity is not 0: no item waits for its stream */
	return pool->ready.nr || likely(!pool->q.nr_held) ||
	       kpool_has_runnable_slow(pool);
}

/*
 * Advance searches for a module's items past @item, which is about to leave
 * its list, or the tree of delayed jobs.  Called with pool->lock held.
 */
static inline void kpool_scan_skip(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	if (unlikely(!list_empty(&pool->going)))
		__kpool_scan_skip(pool, item);
}

/*
 * Have searches for a module's items start over if they concern @item, which
 * returns to a list that can have been searched.  Called with pool->lock held.
 */
static inline void kpool_scan_again(struct kpool *pool,
				    const struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	if (unlikely(!list_empty(&pool->going)))
		__kpool_scan_again(pool, item);
}

/*
 * Dequeue the next item that can start, or return NULL.  The slow path is
 * taken while a module's items are searched for, too: fast_capacity is 0 then.
 * Called with pool->lock held.
 */
static inline struct kpool_item *kpool_dequeue(struct kpool *pool)
{
	struct list_head *queue = &pool->q.prio[KPOOL_QUEUE_NORMAL];
	struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	if (!pool->q.nr_queued ||
	    (pool->fast_capacity && pool->units_used >= pool->fast_capacity))
		return NULL;
	/* the slow path drops a late job, or one of a cancelled group */
	if (pool->ready.nr && kpool_has_fields(kpool_ready_first(pool)) &&
	    kpool_check_start(kpool_ready_first(pool)))
		kpool_ready_return(pool);
	if (likely(pool->ready.nr)) {
		item = kpool_ready_pop(pool);
	} else {
		/* if fast_capacity is not 0, no other list is used */
		item = list_first_entry(queue, struct kpool_item, node);
		if (unlikely(!pool->fast_capacity || pool->q.nr_held ||
			     kpool_has_fields(item))) {
			item = kpool_dequeue_slow(pool);
			if (!item)
				return NULL;
			kpool_scan_skip(pool, item);
		}
		list_del(&item->node);
	}
	pool->q.nr_queued--;
	item->state = KPOOL_ITEM_IDLE;
	if (kpool_can_open_rings(pool) && !pool->ready.nr &&
	    !list_empty(queue))
		kpool_ready_fill(pool);
	return item;
}

/* Open and close the rings */

/*
 * Open the inbox for the items that there is room for, if no worker has to be
 * woken for them.  Either a worker is waking, or all units are in use: both end
 * with a worker that takes pool->lock and looks for work.  More items must be
 * queued than workers are waking, or it is not worth it.
 */
static __always_inline void kpool_inbox_open_if(struct kpool *pool)
{
	unsigned int free = kpool_free_units(pool);
	u64 room = (u64)free + pool->attrs.queue_depth;
	u64 nr = (u64)pool->q.nr_queued + pool->q.nr_requeue;

	if (pool->q.nr_queued > pool->mgr.nr_waking &&
	    (!free || pool->mgr.nr_waking) && nr < room)
		kpool_inbox_open(&pool->inbox,
				 min_t(u64, room - nr, KPOOL_RING_SIZE),
				 KPOOL_INBOX_NORMAL);
}

/* Account for all fast operations.  Called when pool->lock has been taken. */
static __always_inline void kpool_rings_close(struct kpool *pool)
{
	if (!(pool->inbox.nr_open | pool->ready.nr_open))
		return;
	if (likely(pool->inbox.mode == KPOOL_INBOX_NORMAL))
		kpool_rings_settle(pool);
	else
		kpool_settle_special(pool);
}

/* Open the rings if fast operations are possible. */
static __always_inline void kpool_rings_open(struct kpool *pool)
{
	if (unlikely(pool->q.nr_special)) {
		kpool_inbox_open_special(pool);
		return;
	}
	if (!pool->q.nr_queued || !kpool_can_open_rings(pool))
		return;
	/* a fast start uses the last run's unit, if capacity still covers it */
	if (pool->ready.nr && pool->units_used <= pool->fast_capacity)
		kpool_ready_open(&pool->ready);
	kpool_inbox_open_if(pool);
}

#endif /* _KPOOL_QUEUE_H */
