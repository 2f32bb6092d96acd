// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fast operations: submit of an item, and start of the next one, without
 * pool->lock.  They are kpool_submit_fast() in submit.c and kpool_start_fast()
 * in worker.c.  queue.h opens and closes the rings; queue.c does while special
 * items are pending.
 *
 * A fast submit puts the item into a slot of pool->inbox.  A fast start takes
 * the item out of a slot of pool->ready.  Both are transactions, which fail
 * unless kpool_unlock_open() has opened the ring: look at the pool, and commit
 * by a compare and exchange.  kpool_lock() closes both rings, so that commits
 * fail from then on, and such an operation takes the lock instead.  Then it
 * accounts for those that have committed.  So what a fast operation has seen
 * was true when it committed, and a critical section need not know about fast
 * operations.  Neither waits for the other: a fast operation can be interrupted
 * or preempted at any point.
 *
 * The inbox
 *
 * A submit reserves a slot by a ticket, and commits by changing the slot's
 * value from the tag of this ticket to the item.  A ticket is used once, so a
 * late commit cannot hit a slot that has been reserved again.  Before that, the
 * submit changes the item's state to KPOOL_ITEM_SUBMITTING, so that another
 * submit of the item fails or takes the lock.  Under the lock, this state is
 * the same as KPOOL_ITEM_IDLE, because the commit is going to fail.
 *
 * The inbox is open while no decision has to be made about an item:
 *
 *   - The pool is open and not paused, no module's items are searched for, and
 *     the rings are not off: see kpool_update_rings_off().
 *   - kpool_unlock() has nothing to recheck, so no submitter waits for
 *     admission.
 *   - There is room for an item in each open slot.
 *   - No worker has to be woken: one is waking, or all units are in use.  Both
 *     end with pool->lock being taken, by a worker that looks for work then.
 *   - More items are queued than workers are waking: otherwise it is not worth
 *     it.  With all units in use and no worker waking, one item is enough.
 *   - The jiffy is that of the last unlock, which becomes the time of the
 *     items.
 *
 * While special items are pending, kpool_inbox_open_special() opens the inbox
 * for all items under the same conditions.  If only the conditions on workers
 * do not hold, and jobs are parked, it opens the inbox for jobs that must wait
 * for another job of their stream.
 *
 * The ready ring
 *
 * It has the oldest queued items, none special and none running, and is open
 * under the first two of these conditions while no special item is pending,
 * unless capacity has shrunk below the units in use.  A worker whose item has
 * ended, with no waiter, starts the next one, in the same unit.  It enters
 * itself as the taker of the first slot, so that no other worker takes this one
 * or the next, and commits by counting down the slots that are left.  Then it
 * changes the state of the item, and releases the slot.  Meanwhile the item's
 * state is still KPOOL_ITEM_READY: see kpool_item_settle().
 *
 * While pool->fast_capacity is 0, the ready ring is empty: all queued items are
 * on the lists of pool->q.
 *
 * Jobs with a group or a deadline
 *
 * The slot has a copy of both, because a job can be cancelled and freed before
 * a start of it commits.  A late job is dropped with the lock held.  The lock
 * holder also counts the job in its group: when it accounts for the submit, and
 * for the start that ends the run.  So the first job of a group is accepted
 * with the lock held, and a run that could be the last of the group ends with
 * the lock held, like any that has failed: see kpool_can_end_fast().  A job in
 * the ring is not on the list of its group, since it can be freed when it has
 * been started.  A group that is cancelled has the ring's items returned.
 */
#include "debug.h"
#include "internal.h"
#include "queue.h"
#include "ring.h"

/* The tickets start shortly before they wrap, so that tests cover that. */
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
	/* the slots have an order of their own */
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
		kpool_debug_accepted(item);
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
 * Slow path of kpool_ready_add(): copy what a fast start needs of the job,
 * which can be freed before the start commits.  A job leaves the list of its
 * group when it starts, so take it off now.
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

/* Move items from the head of the queue to the ready ring. */
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

/* Slow path of kpool_ready_return(). */
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
 * worker.  The item may have been freed.
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
		/* if not, the worker has set both */
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

/* Close the rings and account for fast operations. */
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
 * freezes.
 */
void kpool_update_rings_off(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	pool->rings_off = pool->latency.on ||
			  (pool->init_attrs.flags & KPOOL_FREEZABLE);
}
