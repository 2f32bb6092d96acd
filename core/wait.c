// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callers asleep in kpool: each wait is ended once, by its event or by itself.
 *
 * A waiter is completed under pool->lock: it is unlinked, its result set and
 * its completion signalled.  A waiter that wakes up by timeout or signal takes
 * the lock and checks waiter->completed; if it has not been completed, it
 * unlinks itself.  So either the event or the waiter ends the wait, never
 * both.  Litmus: lock-either.
 *
 * An event with many waiters moves them to pool->waiters.done or ->failed at
 * once, and kpool_unlock() completes them in batches.  Until then, most waiters
 * cost the pool nothing: see kpool_is_rechecked().
 */
#include <linux/module.h>
#include <linux/swait.h>

#include "debug.h"
#include "internal.h"
#include "lock.h"

/* Initialize @waiter; @item is NULL unless it waits for an item. */
void kpool_waiter_init(struct kpool_waiter *waiter, enum kpool_waiter_kind kind,
		       struct kpool_item *item)
{
	INIT_LIST_HEAD(&waiter->node);
	INIT_LIST_HEAD(&waiter->pool_node);
	INIT_LIST_HEAD(&waiter->pending.waiters);
	waiter->pending.item = NULL;
	init_completion(&waiter->done);
	waiter->item = item;
	waiter->run = NULL;
	waiter->failed = false;
	waiter->handed = NULL;
	waiter->for_next = false;
	waiter->completed = false;
	waiter->kind = kind;
}

/* Completing */

/*
 * Return true if kpool_unlock() has to recheck the sleeping waiter, which can
 * be admitted, be part of a deadlock, or be a flusher.  Other waiters are moved
 * to pool->waiters.done by the event that ends their wait.
 */
static bool kpool_is_rechecked(const struct kpool_waiter *waiter)
{
	return waiter->kind == KPOOL_WAITER_SUBMIT ||
	       waiter->kind == KPOOL_WAITER_FLUSH || waiter->run;
}

static void kpool_self_wait_remove(struct kpool *pool,
				   struct kpool_waiter *waiter)
{
	struct kpool_run *run = kpool_run_outermost(waiter->run);

	run->blocked_on = NULL;
	pool->waiters.nr_self--;
	pool->waiters.nr_self_callbacks -= waiter->in_callback;
	pool->waiters.nr_self_bare -= !run->item;
}

/* Return true if a submitter sleeps without a time limit. */
static bool kpool_is_unlimited(const struct kpool_waiter *waiter)
{
	return waiter->kind == KPOOL_WAITER_SUBMIT && !waiter->timed;
}

/*
 * Set the result of @waiter and wake it.  The caller unlinks it from the list
 * it waits on.  Called with pool->lock held.
 */
void kpool_waiter_complete(struct kpool *pool, struct kpool_waiter *waiter,
			   int result)
{
	lockdep_assert_held(&pool->lock);
	if (waiter->run)
		kpool_self_wait_remove(pool, waiter);
	list_del_init(&waiter->pool_node);
	waiter->result = result;
	waiter->completed = true;
	pool->waiters.nr_unlimited -= kpool_is_unlimited(waiter);
	pool->nr_recheck -= kpool_is_rechecked(waiter);
	complete(&waiter->done);
}

/*
 * Have kpool_unlock() complete a list of waiters with 0, or with -EIO if a
 * death has @failed them.  Called with pool->lock held.
 */
void kpool_waiter_complete_list(struct kpool *pool, struct list_head *waiters,
				bool failed)
{
	lockdep_assert_held(&pool->lock);
	if (list_empty(waiters))
		return;
	pool->nr_recheck += !pool->waiters.ended;
	pool->waiters.ended = true;
	list_splice_tail_init(waiters, failed ? &pool->waiters.failed :
						&pool->waiters.done);
}

static struct kpool_waiter *kpool_first_flusher(const struct kpool *pool)
{
	struct rb_node *first = rb_first_cached(&pool->waiters.flushers);

	return first ? rb_entry(first, struct kpool_waiter, by_epoch) : NULL;
}

/*
 * Complete one waiter whose wait has ended.  Return false if there is none.
 * Called with pool->lock held.
 */
bool kpool_waiter_complete_one(struct kpool *pool)
{
	struct list_head *list = list_empty(&pool->waiters.done) ?
				 &pool->waiters.failed : &pool->waiters.done;
	struct kpool_waiter *waiter;

	lockdep_assert_held(&pool->lock);
	if (!list_empty(list)) {
		waiter = list_first_entry(list, struct kpool_waiter, node);
		list_del(&waiter->node);
		kpool_waiter_complete(pool, waiter,
				      list == &pool->waiters.failed ? -EIO : 0);
		return true;
	}
	pool->nr_recheck -= pool->waiters.ended;
	pool->waiters.ended = false;
	/* a flusher's earlier epochs have ended once it is the first */
	waiter = kpool_first_flusher(pool);
	if (!waiter || waiter->left)
		return false;
	rb_erase_cached(&waiter->by_epoch, &pool->waiters.flushers);
	kpool_waiter_complete(pool, waiter, waiter->failed ? -EIO : 0);
	return true;
}

/* Flushing the pool */

static bool kpool_has_lower_epoch(struct rb_node *a, const struct rb_node *b)
{
	return (s32)(rb_entry(a, struct kpool_waiter, by_epoch)->epoch -
		     rb_entry(b, struct kpool_waiter, by_epoch)->epoch) < 0;
}

/*
 * Return the first flusher that waits for items of @epoch, or NULL.  Called
 * with pool->lock held.
 */
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
 * Add a flusher, which waits for all items accepted so far.  Each item is
 * counted by one flusher: the first that was added after the item was accepted.
 * So the end of an item costs one lookup, however many flushers wait.  A
 * flusher is complete when it is the first and its count is 0.  Called with
 * pool->lock held.
 */
static void kpool_flusher_add(struct kpool *pool, struct kpool_waiter *waiter)
{
	lockdep_assert_held(&pool->lock);
	waiter->left = kpool_outstanding(pool) - pool->waiters.nr_flushed;
	waiter->epoch = pool->epoch++;
	pool->waiters.nr_flushed += waiter->left;
	rb_add_cached(&waiter->by_epoch, &pool->waiters.flushers,
		      kpool_has_lower_epoch);
}

int kpool_flush(struct kpool *pool)
{
	struct kpool_waiter waiter;
	int err = 0;

	might_sleep();
	if (kpool_refuse_if_part_of(pool))
		return -EDEADLK;
	kpool_lockdep_wait_pool(pool);

	kpool_waiter_init(&waiter, KPOOL_WAITER_FLUSH, NULL);
	kpool_lock_irq(pool);
	if (kpool_outstanding(pool)) {
		kpool_flusher_add(pool, &waiter);
		err = kpool_wait(pool, &waiter, MAX_SCHEDULE_TIMEOUT, 0);
	}
	kpool_unlock_irq(pool);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_flush);

/*
 * Account to its flusher that an accepted item has run, or will not run.
 * Called with pool->lock held.
 */
void kpool_item_ended(struct kpool *pool, u32 epoch)
{
	struct kpool_waiter *waiter = kpool_flusher_of(pool, epoch);

	lockdep_assert_held(&pool->lock);
	if (!waiter)
		return;
	waiter->left--;
	pool->waiters.nr_flushed--;
}

/* Draining the pool */

/*
 * Return true if all accepted items have ended, and all threads are gone.
 * Called with pool->lock held.
 */
bool kpool_is_drained(const struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	return !pool->mgr.nr_workers && !pool->mgr.nr_spawning &&
	       !kpool_outstanding(pool);
}

/*
 * Complete the waiters of a drained pool.  Return false if there are none.
 * Called with pool->lock held.
 */
bool kpool_complete_drained(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (!pool->closed || !kpool_is_drained(pool) ||
	    (list_empty(&pool->waiters.drain) &&
	     list_empty(&pool->waiters.failed_drain)))
		return false;
	kpool_waiter_complete_list(pool, &pool->waiters.drain, false);
	kpool_waiter_complete_list(pool, &pool->waiters.failed_drain, true);
	return true;
}

/* Keep the pool from being freed until kpool_put(). */
void kpool_get(struct kpool *pool)
{
	unsigned long flags;

	kpool_lock(pool, &flags);
	pool->waiters.nr_users++;
	kpool_unlock(pool, flags);
}

static void kpool_put_locked(struct kpool *pool)
{
	if (!--pool->waiters.nr_users && pool->waiters.users_gone)
		complete(pool->waiters.users_gone);
}

void kpool_put(struct kpool *pool)
{
	unsigned long flags;

	kpool_lock(pool, &flags);
	kpool_put_locked(pool);
	kpool_unlock(pool, flags);
}

/* Sleeping */

/*
 * Unlink a waiter that has not been completed.  If it holds the list of waiters
 * for a pending item, that list moves to the next of them.
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

/*
 * Fail a wait that can never end with -EDEADLK; not for KPOOL_WAITER_SUBMIT.
 * @waiter can be NULL.  Called with pool->lock held.
 */
void kpool_waiter_refuse(struct kpool *pool, struct kpool_waiter *waiter)
{
	lockdep_assert_held(&pool->lock);
	if (!waiter)
		return;
	kpool_waiter_remove(pool, waiter);
	kpool_waiter_complete(pool, waiter, -EDEADLK);
}

/*
 * Count the wait as a self-wait if the caller is in a run of @pool, or in
 * worker_init or worker_exit: see deadlock.c.
 */
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
	/* wait for what is accepted so far; a call is submitted once */
	if (waiter->kind == KPOOL_WAITER_ITEM)
		waiter->epoch = pool->epoch++;
	else if (waiter->kind == KPOOL_WAITER_CALL)
		waiter->epoch = pool->epoch;
	run = kpool_run_outermost(run);
	run->blocked_on = waiter;
	pool->waiters.nr_self++;
	/* also in a release function called from worker_init or worker_exit */
	waiter->in_callback = worker && !worker->run.item;
	pool->waiters.nr_self_callbacks += waiter->in_callback;
	pool->waiters.nr_self_bare += !run->item;
	if (waiter->kind == KPOOL_WAITER_CALL &&
	    !kpool_can_refuse(waiter))
		list_add_tail(&waiter->pool_node,
			      &pool->waiters.self_calls);
	else
		list_add_tail(&waiter->pool_node, &pool->waiters.self);
}

/*
 * Note a waiter that is no self-wait and can give up a queued call, for
 * kpool_can_one_give_up().  That looks at a few waiters, so put those with a
 * time limit first.
 */
static void kpool_queued_call_add(struct kpool *pool,
				  struct kpool_waiter *waiter)
{
	struct list_head *calls = &pool->waiters.queued_calls;

	if (waiter->run || waiter->kind != KPOOL_WAITER_CALL ||
	    !kpool_is_accepted(waiter->item))
		return;
	if (waiter->timed)
		list_add(&waiter->pool_node, calls);
	else if (waiter->signals)
		list_add_tail(&waiter->pool_node, calls);
}

/*
 * Sleep until completed, @timeout or a signal.  Return 0, also after @timeout,
 * or -ERESTARTSYS.  TASK_NOLOAD keeps kthreads that wait for long out of the
 * load average and the hung task check.
 */
static long kpool_sleep(struct kpool_waiter *waiter, unsigned long timeout)
{
	unsigned int state = TASK_UNINTERRUPTIBLE | waiter->signals;
	long left = timeout;

	if (waiter->signals & TASK_INTERRUPTIBLE)
		state = TASK_INTERRUPTIBLE;
	else if (current->flags & PF_KTHREAD)
		state |= TASK_NOLOAD;
	/* no wait_for_completion_*() has both a timeout and a task state */
	return ___swait_event(waiter->done.wait,
			      completion_done(&waiter->done) || !left, state, 0,
			      left = schedule_timeout(left));
}

/* Return true if waits that have ended, perhaps that of @waiter, are left. */
static bool kpool_has_ended_waits(const struct kpool *pool,
				  const struct kpool_waiter *waiter)
{
	if (waiter->kind == KPOOL_WAITER_SUBMIT ||
	    waiter->kind == KPOOL_WAITER_DRAIN)
		return pool->waiters.left;
	return pool->waiters.ended;
}

/*
 * Sleep on @waiter, which the caller has linked, and return its result, or
 * -ETIMEDOUT or -EINTR.  Called with pool->lock held, taken in a context where
 * interrupts were on.  Drops the lock while asleep and retakes it.
 */
int kpool_wait(struct kpool *pool, struct kpool_waiter *waiter,
	       unsigned long timeout, unsigned int signals)
{
	long err;

	lockdep_assert_held(&pool->lock);
	timeout = min_t(unsigned long, timeout, MAX_SCHEDULE_TIMEOUT);
	pool->waiters.nr_users++;
	waiter->signals = signals;
	waiter->task = current;
	waiter->since = jiffies;
	waiter->timed = timeout != MAX_SCHEDULE_TIMEOUT;
	if (!waiter->timed)
		kpool_self_wait_add(pool, waiter);
	kpool_queued_call_add(pool, waiter);
	pool->waiters.nr_unlimited += kpool_is_unlimited(waiter);
	pool->nr_recheck += kpool_is_rechecked(waiter);
	kpool_unlock_irq(pool);

	err = kpool_sleep(waiter, timeout);

	kpool_lock_irq(pool);
	/* the wait can have ended, its completion left to recheck_work */
	while (!waiter->completed && kpool_has_ended_waits(pool, waiter)) {
		kpool_unlock_irq(pool);
		cond_resched();
		kpool_lock_irq(pool);
	}
	if (!waiter->completed) {
		/* the submitter unlinks its item and waiter itself */
		if (waiter->kind != KPOOL_WAITER_SUBMIT)
			kpool_waiter_remove(pool, waiter);
		kpool_waiter_complete(pool, waiter, err ? -EINTR : -ETIMEDOUT);
	}
	kpool_put_locked(pool);
	return waiter->result;
}

/* Waiters of an item */

/* Return the list of waiters for the pending item, or NULL. */
static struct list_head *kpool_pending_waiters(const struct kpool_item *item)
{
	struct kpool_run *run = kpool_run_of(item);

	if (run)
		return &run->next_waiters;
	return item->flags & __KPOOL_HAS_WAITERS ? &item->run->waiters : NULL;
}

/*
 * Move the waiters for a pending item to @to, because its run begins or will
 * not come.  Called with pool->lock held.
 */
void kpool_waiters_move(struct kpool *pool, struct kpool_item *item,
			struct list_head *to)
{
	struct list_head *waiters = kpool_pending_waiters(item);
	struct kpool_waiter *first;

	lockdep_assert_held(&pool->lock);
	if (!waiters || list_empty(waiters))
		return;
	/*
	 * Once a call starts, giving it up makes no room in the queue.  Its one
	 * waiter must not fail: the function can use the waiter's stack.
	 */
	first = list_first_entry(waiters, struct kpool_waiter, node);
	if (!first->run)
		list_del_init(&first->pool_node);
	else if (first->kind == KPOOL_WAITER_CALL)
		list_move_tail(&first->pool_node, &pool->waiters.self_calls);
	list_splice_tail_init(waiters, to);
	if (!kpool_run_of(item))
		item->run = NULL;
	item->flags &= ~__KPOOL_HAS_WAITERS;
}

/*
 * Make @waiters, all for one item, wait for its next run, which is accepted
 * already.  Called with pool->lock held.
 */
void kpool_waiters_keep(struct list_head *waiters)
{
	struct kpool_waiter *first;

	if (list_empty(waiters))
		return;
	first = list_first_entry(waiters, struct kpool_waiter, node);
	list_splice_init(waiters, &first->pending.waiters);
	first->item->run = &first->pending;
	first->item->flags |= __KPOOL_HAS_WAITERS;
}
