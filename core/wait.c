// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callers asleep in kpool.
 *
 * A waiter is completed under pool->lock: its result is set, it leaves every
 * list, and its completion is signalled, all before the lock is dropped.  A
 * waiter that wakes without having been completed (time-out, signal) removes
 * itself under the same lock, so that exactly one of both happens.  Litmus:
 * complete-vs-timeout.
 *
 * An event that many wait for moves all of them to pool->waiters.done or
 * pool->waiters.failed at once; kpool_unlock() completes a few at a time.
 */
#include <linux/swait.h>

#include "debug.h"
#include "internal.h"
#include "lock.h"
#include "queue.h"

void kpool_waiter_init(struct kpool_waiter *waiter, enum kpool_waiter_kind kind,
		       struct kpool_item *item)
{
	INIT_LIST_HEAD(&waiter->node);
	INIT_LIST_HEAD(&waiter->self_wait_node);
	INIT_LIST_HEAD(&waiter->pending.waiters);
	waiter->pending.item = NULL;
	init_completion(&waiter->done);
	waiter->item = item;
	waiter->run = NULL;
	waiter->behind = NULL;
	waiter->failed = false;
	waiter->completed = false;
	waiter->kind = kind;
}

/* Completing */

static void kpool_self_wait_remove(struct kpool *pool, struct kpool_waiter *waiter)
{
	struct kpool_run *run = kpool_run_outermost(waiter->run);

	list_del_init(&waiter->self_wait_node);
	run->blocked_on = NULL;
	pool->waiters.nr_self--;
	pool->waiters.nr_self_callbacks -= !run->item;
}

/* End a sleep.  The waiter has left the list it waited on. */
void kpool_waiter_complete(struct kpool *pool, struct kpool_waiter *waiter, int result)
{
	lockdep_assert_held(&pool->lock);
	if (!list_empty(&waiter->self_wait_node))
		kpool_self_wait_remove(pool, waiter);
	waiter->result = result;
	waiter->completed = true;
	pool->nr_recheck--;
	complete(&waiter->done);
}

/* What a list of waiters waits for has happened, or was lost by a death. */
void kpool_waiter_complete_list(struct kpool *pool, struct list_head *waiters, bool failed)
{
	lockdep_assert_held(&pool->lock);
	list_splice_tail_init(waiters, failed ? &pool->waiters.failed : &pool->waiters.done);
}

static struct kpool_waiter *kpool_first_flusher(const struct kpool *pool)
{
	struct rb_node *first = rb_first_cached(&pool->waiters.flushers);

	return first ? rb_entry(first, struct kpool_waiter, by_epoch) : NULL;
}

/* Complete one waiter whose wait is over: was there any? */
bool kpool_waiter_complete_one(struct kpool *pool)
{
	struct list_head *list = list_empty(&pool->waiters.done) ?
				 &pool->waiters.failed : &pool->waiters.done;
	struct kpool_waiter *waiter;

	if (!list_empty(list)) {
		waiter = list_first_entry(list, struct kpool_waiter, node);
		list_del(&waiter->node);
		kpool_waiter_complete(pool, waiter, list == &pool->waiters.failed ? -EIO : 0);
		return true;
	}
	/* the epochs before a flusher's have ended when it is the first */
	waiter = kpool_first_flusher(pool);
	if (!waiter || waiter->left)
		return false;
	rb_erase_cached(&waiter->by_epoch, &pool->waiters.flushers);
	kpool_waiter_complete(pool, waiter, waiter->failed ? -EIO : 0);
	return true;
}

/* Flushing the pool */

static bool kpool_epoch_before(struct rb_node *a, const struct rb_node *b)
{
	return (s32)(rb_entry(a, struct kpool_waiter, by_epoch)->epoch -
		     rb_entry(b, struct kpool_waiter, by_epoch)->epoch) < 0;
}

/* The first flusher that waits for items of the epoch, or NULL. */
struct kpool_waiter *kpool_flusher_of(const struct kpool *pool, u32 epoch)
{
	struct rb_node *node = pool->waiters.flushers.rb_root.rb_node;
	struct kpool_waiter *found = NULL;

	lockdep_assert_held(&pool->lock);
	while (node) {
		struct kpool_waiter *waiter =
			rb_entry(node, struct kpool_waiter, by_epoch);

		if ((s32)(waiter->epoch - epoch) >= 0) {
			found = waiter;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/*
 * Wait for all that is accepted now.  The items are divided among the flushers:
 * each counts those that came after the one before, and is done when it is the
 * first and has none left.
 */
void kpool_add_flusher(struct kpool *pool, struct kpool_waiter *waiter)
{
	lockdep_assert_held(&pool->lock);
	waiter->left = kpool_outstanding(pool) - pool->waiters.nr_flushed;
	waiter->epoch = pool->epoch++;
	pool->waiters.nr_flushed += waiter->left;
	rb_add_cached(&waiter->by_epoch, &pool->waiters.flushers, kpool_epoch_before);
}

/* An accepted item has run, or will not: the flushers of the pool count it. */
void kpool_item_ended(struct kpool *pool, u32 epoch)
{
	struct kpool_waiter *waiter = kpool_flusher_of(pool, epoch);

	if (!waiter)
		return;
	waiter->left--;
	pool->waiters.nr_flushed--;
}

/* The end of the pool */

/* Has everything accepted ended, and every thread? */
bool kpool_is_drained(const struct kpool *pool)
{
	return !pool->mgr.nr_workers && !pool->mgr.nr_spawning &&
	       !kpool_outstanding(pool);
}

/* A closed pool ends when nothing is left. */
bool kpool_check_drained(struct kpool *pool)
{
	if (!pool->closed || !kpool_is_drained(pool) ||
	    (list_empty(&pool->waiters.drain) && list_empty(&pool->waiters.failed_drain)))
		return false;
	kpool_waiter_complete_list(pool, &pool->waiters.drain, false);
	kpool_waiter_complete_list(pool, &pool->waiters.failed_drain, true);
	return true;
}

/* A caller that may sleep keeps the pool until it leaves. */
void kpool_get(struct kpool *pool)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	pool->waiters.nr_users++;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
}

static void kpool_put_locked(struct kpool *pool)
{
	if (!--pool->waiters.nr_users && pool->waiters.users_gone)
		complete(pool->waiters.users_gone);
}

void kpool_put(struct kpool *pool)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	kpool_put_locked(pool);
	raw_spin_unlock_irqrestore(&pool->lock, flags);
}

/* Sleeping */

/*
 * Take a waiter that has not been completed off the list it waits on.  If the
 * others for a pending item hang on it, they hang on the next from now on.
 */
static void kpool_waiter_remove(struct kpool *pool, struct kpool_waiter *waiter)
{
	struct list_head *others = &waiter->pending.waiters;
	struct kpool_item *item = waiter->item;
	struct kpool_waiter *next;

	if (list_empty(others)) {
		list_del(&waiter->node);
		return;
	}
	list_del(&waiter->node);
	if (list_empty(others)) {
		item->run = NULL;
		item->flags &= ~__KPOOL_HAS_WAITERS;
		return;
	}
	next = list_first_entry(others, struct kpool_waiter, node);
	list_splice_init(others, &next->pending.waiters);
	item->run = &next->pending;
}

/* Fail a sleep that could never end, of any kind but a submitter's. */
void kpool_waiter_refuse(struct kpool *pool, struct kpool_waiter *waiter)
{
	kpool_waiter_remove(pool, waiter);
	kpool_waiter_complete(pool, waiter, -EDEADLK);
}

/* Count the sleep of an item, or of a worker's callback, in its own pool. */
static void kpool_self_wait_add(struct kpool *pool, struct kpool_waiter *waiter)
{
	struct kpool_worker *worker = kpool_current_worker_in(pool);
	struct kpool_run *run = kpool_current_run(pool);

	/* in worker_init and worker_exit a worker has a run without an item */
	if (!run && worker)
		run = &worker->run;
	waiter->run = run;
	if (!run)
		return;
	run = kpool_run_outermost(run);
	run->blocked_on = waiter;
	pool->waiters.nr_self++;
	pool->waiters.nr_self_callbacks += !run->item;
	if (waiter->kind == KPOOL_WAITER_CALL &&
	    !kpool_is_accepted(waiter->item))
		list_add_tail(&waiter->self_wait_node, &pool->waiters.self_calls);
	else
		list_add_tail(&waiter->self_wait_node, &pool->waiters.self);
}

/*
 * Sleep until completed: 0, also after the timeout, or -ERESTARTSYS.  A kthread
 * that is held back for long is neither load nor a hung task.
 */
static long kpool_sleep(struct kpool_waiter *waiter, unsigned long timeout)
{
	unsigned int state = TASK_UNINTERRUPTIBLE | waiter->signals;
	long left = timeout;

	if (waiter->signals & TASK_INTERRUPTIBLE)
		state = TASK_INTERRUPTIBLE;
	else if (current->flags & PF_KTHREAD)
		state |= TASK_NOLOAD;
	return ___swait_event(waiter->done.wait,
			      completion_done(&waiter->done) || !left, state, 0,
			      left = schedule_timeout(left));
}

/*
 * Sleep until completed; called with pool->lock held and interrupts off by
 * raw_spin_lock_irqsave() in a context where they were on; drops the lock
 * while asleep and returns with it held.
 */
int kpool_wait(struct kpool *pool, struct kpool_waiter *waiter,
	       unsigned long timeout, unsigned int signals)
{
	long err;

	lockdep_assert_held(&pool->lock);
	pool->waiters.nr_users++;
	pool->nr_recheck++;
	waiter->signals = signals;
	if (timeout == MAX_SCHEDULE_TIMEOUT)
		kpool_self_wait_add(pool, waiter);
	kpool_unlock_irq(pool);

	err = kpool_sleep(waiter, timeout);

	raw_spin_lock_irq(&pool->lock);
	if (!waiter->completed) {
		/* a submitter takes its item out of the admission queue itself */
		if (waiter->kind != KPOOL_WAITER_SUBMIT)
			kpool_waiter_remove(pool, waiter);
		kpool_waiter_complete(pool, waiter, err ? -EINTR : -ETIMEDOUT);
	}
	kpool_put_locked(pool);
	return waiter->result;
}

/* Waiting for an item */

/* Where those wait that wait for the pending item; or NULL. */
static struct list_head *kpool_pending_waiters(const struct kpool_item *item)
{
	struct kpool_run *run = kpool_run_of(item);

	if (run)
		return &run->next_waiters;
	return item->flags & __KPOOL_HAS_WAITERS ? &item->run->waiters : NULL;
}

/*
 * What is waited for begins, or will not come: the waiters for the pending item
 * wait for something else from now on.
 */
void kpool_move_waiters(struct kpool *pool, struct kpool_item *item,
			struct list_head *to)
{
	struct list_head *waiters = kpool_pending_waiters(item);
	struct kpool_waiter *first;

	lockdep_assert_held(&pool->lock);
	if (!waiters || list_empty(waiters))
		return;
	/* a call has one waiter, and its function may use what is on its stack */
	first = list_first_entry(waiters, struct kpool_waiter, node);
	if (first->kind == KPOOL_WAITER_CALL && !list_empty(&first->self_wait_node))
		list_move_tail(&first->self_wait_node, &pool->waiters.self_calls);
	list_splice_tail_init(waiters, to);
	if (!kpool_run_of(item))
		item->run = NULL;
	item->flags &= ~__KPOOL_HAS_WAITERS;
}

/* The waiters for a run wait for the item's next, which is accepted already. */
void kpool_keep_waiters(struct kpool_item *item, struct list_head *waiters)
{
	struct kpool_waiter *first;

	if (list_empty(waiters))
		return;
	first = list_first_entry(waiters, struct kpool_waiter, node);
	list_splice_init(waiters, &first->pending.waiters);
	item->run = &first->pending;
	item->flags |= __KPOOL_HAS_WAITERS;
}

/* Sleep until the item's acceptance, or its run, has ended; lock held. */
int kpool_wait_item(struct kpool *pool, struct kpool_item *item,
		    enum kpool_waiter_kind kind, unsigned long timeout,
		    unsigned int signals)
{
	struct kpool_run *run = kpool_run_of(item);
	struct kpool_waiter *victim = NULL, waiter;

	if (!kpool_is_accepted(item) && !run && item->state != KPOOL_ITEM_COMPLETING)
		return 0;
	/* a sleep that ends by itself closes no cycle */
	if ((timeout == MAX_SCHEDULE_TIMEOUT &&
	     kpool_would_deadlock(pool, item, kind, &victim)) ||
	    (run && !run->worker && run->task == current)) {
		kpool_warn_self_wait(pool, kpool_user_fn(item));
		return -EDEADLK;
	}
	if (victim)
		kpool_waiter_refuse(pool, victim);

	kpool_waiter_init(&waiter, kind, item);
	if (run && !kpool_is_accepted(item)) {
		list_add_tail(&waiter.node, &run->waiters);
	} else if (run) {
		list_add_tail(&waiter.node, &run->next_waiters);
		waiter.behind = run;
		waiter.behind_nr = kpool_run_nr(run);
		run->special = true;
	} else {
		if (!(item->flags & __KPOOL_HAS_WAITERS)) {
			item->run = &waiter.pending;
			item->flags |= __KPOOL_HAS_WAITERS;
		}
		list_add_tail(&waiter.node, &item->run->waiters);
	}
	return kpool_wait(pool, &waiter, timeout, signals);
}

/* Re-checking */
