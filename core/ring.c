// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings: account for fast operations, which are submits and starts of items
 * without pool->lock.
 *
 * The threads of a busy pool contend for the lock.  So submits and starts are
 * transactions: look at the pool, and commit by a compare and exchange.  They
 * fail unless kpool_unlock_open() has opened the ring, see kpool_rings_open().
 * kpool_lock() closes both rings: later commits fail, and it accounts for the
 * earlier ones.  So what a fast operation saw was true when it committed, and a
 * critical section need not know about them.  Neither waits for the other: a
 * fast operation can be interrupted at any point, and takes the lock if it
 * fails.
 *
 * kpool_submit_fast(), in submit.c, reserves a slot of pool->inbox by a ticket.
 * It sets the state KPOOL_ITEM_SUBMITTING, so that another submit of the item
 * fails or takes the lock.  Then it commits by changing the slot from the tag
 * of the ticket to the item.  A ticket is used once, so a late commit cannot
 * hit a slot that was reserved again.  Under the lock, SUBMITTING is the same as
 * KPOOL_ITEM_IDLE, because the commit will fail.
 *
 * pool->ready has the oldest queued items.  In kpool_start_fast(), in worker.c,
 * a worker enters itself as the taker of the first slot, commits by counting
 * down the slots left, and updates the item.  A slot has copies of a job's
 * group and deadline, because the job can be freed before the commit.
 */
#include "debug.h"
#include "internal.h"
#include "queue.h"
#include "ring.h"

/* Have the tickets start shortly before they wrap, so that tests cover that. */
void kpool_rings_init(struct kpool *pool)
{
	u64 ticket = KPOOL_TICKET_MASK - 10;
	unsigned int i;

	pool->inbox.first = ticket;
	for (i = 0; i < KPOOL_RING_SIZE; i++, ticket++)
		pool->inbox.slots[ticket % KPOOL_RING_SIZE] =
			kpool_slot_tag(ticket);
}

/*
 * Make @next follow @prev on a list, of which several entries change at once.
 */
static void kpool_link(struct list_head *prev, struct list_head *next)
{
	prev->next = next;
	next->prev = prev;
}

/* Fast submits */

/* Close the inbox.  Return the number of slots that have been reserved. */
unsigned int kpool_inbox_close(struct kpool_inbox *inbox)
{
	unsigned int nr = inbox->nr_open;

	inbox->nr_open = 0;
	/* relaxed: kpool_slot_settle() acquires each slot */
	return nr - (atomic64_xchg_relaxed(&inbox->next, 0) & KPOOL_LEFT_MASK);
}

/* Queue the items that have been submitted: see kpool_queue_plain(). */
static void kpool_settle_submits(struct kpool *pool, unsigned int used)
{
	struct list_head *queue = &pool->q.prio[KPOOL_QUEUE_NORMAL];
	struct kpool_inbox *inbox = &pool->inbox;
	struct list_head *last = queue->prev;
	u32 seq = pool->q.next_seq, now = inbox->opened_at;
	u64 ticket = inbox->first, end = ticket + used;
	u32 epoch = pool->epoch;
	struct kpool_item *item;
	unsigned int submitted;

	while ((item = kpool_inbox_pop(inbox, &ticket, end))) {
		item->queued_at = now;
		item->epoch = epoch;
		item->seq = seq++;
		kpool_debug_activate(item);
		if (kpool_has_fields(item))
			kpool_group_join(pool, item);
		if (last == queue && kpool_ready_add(pool, item, true))
			continue;
		item->state = KPOOL_ITEM_QUEUED;
		kpool_link(last, &item->node);
		last = &item->node;
		kpool_hold(pool, item);
	}
	inbox->first = end;
	kpool_link(last, queue);
	submitted = seq - pool->q.next_seq;
	pool->q.next_seq = seq;
	pool->q.nr_queued += submitted;
	pool->stats.submitted += submitted;
}

/* The ready ring */

/*
 * Copy the fields of the job that a fast start needs: slow path of
 * kpool_ready_add().  The job can be freed before the start commits.  It leaves
 * the list of its group when it starts, so take it off now.
 */
void kpool_ready_add_fields(struct kpool_ready *ready, u32 ticket,
			    struct kpool_job *job)
{
	struct kpool_ready_fields *fields = kpool_ready_fields(ready, ticket);

	WRITE_ONCE(kpool_ready_slot(ready, ticket)->has_fields, true);
	WRITE_ONCE(fields->group, job->group);
	WRITE_ONCE(fields->deadline, job->deadline);
	if (!job->group)
		return;
	__list_del(job->group_node.prev, job->group_node.next);
	INIT_LIST_HEAD(&job->group_node);
}

/* Remove the first item of the ready ring, which is closed, and return it. */
struct kpool_item *kpool_ready_pop(struct kpool *pool)
{
	struct kpool_ready *ready = &pool->ready;
	struct kpool_ready_slot *slot =
		kpool_ready_slot(ready, kpool_ready_first_ticket(ready));
	struct kpool_item *item = slot->item;

	ready->nr--;
	WRITE_ONCE(slot->item, NULL);
	return item;
}

/*
 * Move items from the head of the queue to the ready ring.  Called with
 * pool->lock held.
 */
void kpool_ready_fill(struct kpool *pool)
{
	struct list_head *queue = &pool->q.prio[KPOOL_QUEUE_NORMAL];
	struct kpool_item *item;

	lockdep_assert_held(&pool->lock);
	list_for_each_entry(item, queue, node)
		if (!kpool_ready_add(pool, item, pool->q.nr_held))
			break;
	/* the items up to this one have left the list */
	kpool_link(queue, &item->node);
}

/* Return all items: slow path of kpool_ready_return(), with pool->lock held. */
void __kpool_ready_return(struct kpool *pool)
{
	struct kpool_ready *ready = &pool->ready;
	u32 ticket = ready->end;

	lockdep_assert_held(&pool->lock);
	for (; ready->nr; ready->nr--) {
		struct kpool_ready_slot *slot =
			kpool_ready_slot(ready, --ticket);
		struct kpool_item *item = slot->item;

		WRITE_ONCE(slot->item, NULL);
		item->state = KPOOL_ITEM_QUEUED;
		list_add(&item->node, &pool->q.prio[KPOOL_QUEUE_NORMAL]);
		if (kpool_group_of(item))
			list_add(&kpool_job_of(item)->group_node,
				 &kpool_group_of(item)->pending);
	}
}

/* Fast starts */

/* Close the ready ring.  Return the number of items that have been started. */
static unsigned int kpool_ready_close(struct kpool_ready *ready)
{
	unsigned int nr = ready->nr_open, left;

	/* pairs with the release in kpool_start_fast(); Litmus: ready-close */
	left = atomic64_xchg_acquire(&ready->next, 0) & KPOOL_LEFT_MASK;
	ready->nr_open = 0;
	/* a worker that has entered itself in the next slot will not commit */
	if (left)
		WRITE_ONCE(kpool_ready_slot(ready, ready->end - left)->taker,
			   NULL);
	return nr - left;
}

/*
 * End the previous run of a worker for its group, of which other jobs are left:
 * see kpool_can_end_fast().  Set the group of the run that a fast start began.
 */
static noinline void kpool_settle_group(struct kpool_ready *ready, u32 ticket,
					struct kpool_run *run)
{
	if (run->group) {
		run->group->left--;
		run->group->members--;
	}
	run->group = kpool_ready_slot(ready, ticket)->has_fields ?
		     kpool_ready_fields(ready, ticket)->group : NULL;
}

/*
 * Account for the fast starts.  Each has also ended the previous run of its
 * worker.  The item can have been freed.
 */
static void kpool_settle_starts(struct kpool *pool, unsigned int started)
{
	struct kpool_ready *ready = &pool->ready;
	u32 ticket = kpool_ready_first_ticket(ready);
	unsigned int i;

	for (i = 0; i < started; i++, ticket++) {
		struct kpool_ready_slot *slot = kpool_ready_slot(ready, ticket);
		struct kpool_worker *worker = READ_ONCE(slot->taker);
		/* pairs with kpool_start_fast(); Litmus: item-started */
		struct kpool_item *item = smp_load_acquire(&slot->item);

		worker->nr_runs++;
		if (unlikely(worker->jobs))
			kpool_settle_group(ready, ticket, &worker->run);
		/* if NULL, the worker has set both */
		if (item) {
			WRITE_ONCE(worker->run.item, item);
			WRITE_ONCE(worker->run.fn, slot->fn);
		}
	}
	ready->nr -= started;
	pool->q.nr_queued -= started;
	pool->q.nr_bypassed = 0;
	pool->stats.completed += started;
}

/*
 * Set the run and the state of @item if a worker has started it and not done
 * so.  Called with pool->lock held.  Litmus: item-started.
 */
void kpool_finish_start(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_ready *ready = &pool->ready;
	struct kpool_ready_slot *slot;
	u32 i, first = kpool_ready_first_ticket(ready);

	lockdep_assert_held(&pool->lock);
	/* slots of items that can be started, and then those that were taken */
	for (i = 0; i < KPOOL_RING_SIZE; i++) {
		slot = kpool_ready_slot(ready, first + i);
		/* pairs with the release in kpool_start_fast() */
		if (smp_load_acquire(&slot->item) != item)
			continue;
		if (i >= ready->nr) {
			WRITE_ONCE(item->run, &READ_ONCE(slot->taker)->run);
			kpool_item_started(item);
		}
		return;
	}
}

/* Both rings */

/*
 * Close the rings and account for fast operations.  Called with pool->lock
 * held.
 */
noinline void kpool_rings_settle(struct kpool *pool)
{
	unsigned int used;

	lockdep_assert_held(&pool->lock);
	if (pool->ready.nr_open) {
		used = kpool_ready_close(&pool->ready);
		if (used)
			kpool_settle_starts(pool, used);
	}
	if (pool->inbox.nr_open) {
		used = kpool_inbox_close(&pool->inbox);
		if (used)
			kpool_settle_submits(pool, used);
	}
}

/*
 * Update pool->rings_off: a fast start neither measures the waiting time nor
 * freezes.  Called with pool->lock held.
 */
void kpool_update_rings_off(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	pool->rings_off = pool->latency.on ||
			  (pool->init_attrs.flags & KPOOL_FREEZABLE);
}
