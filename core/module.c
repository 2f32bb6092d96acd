// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module removal: clean up the items that a module has left.
 *
 * The module notifier runs after the module's exit function and before its
 * memory is freed.  Pools that the module has not destroyed are closed for good
 * and drained by kpool_end_orphans().  An item in the default pool belongs to
 * the module if its memory or one of its functions is within the module.
 * Pending items are cancelled, running ones are awaited.
 *
 * During the cleanup the module is on pool->going, and submits of its items
 * fail; otherwise an item could submit itself forever.  While the list is not
 * empty, fast_capacity is 0 and the inbox is closed.  So every submit takes the
 * slow path, where kpool_check_accept() searches the list.
 *
 * A scan checks a batch of items under one hold of pool->lock and leaves a
 * cursor at the next item.  Removing that item from its list moves the cursor
 * on.  Items move forward in the order in which the lists are scanned, and no
 * new ones are accepted, so one pass finds them all.  The exceptions are an
 * item that was put back, and an ordered job whose function has returned: for
 * these kpool_scan_again() asks for another pass.  Nothing is awaited before a
 * pass has found all pending items, as a run can wait for one of them.
 */
#include <linux/module.h>
#include <linux/rbtree.h>

#include "internal.h"
#include "lock.h"

/* Items to check under one hold of pool->lock. */
#define KPOOL_SCAN_BATCH	KPOOL_BATCH(32)

/*
 * Return true if the item belongs to a module that is being removed; its submit
 * must fail.  Called with pool->lock held.
 */
bool kpool_module_is_going(const struct kpool *pool,
			   const struct kpool_item *item)
{
	const struct kpool_going *going;

	lockdep_assert_held(&pool->lock);
	list_for_each_entry(going, &pool->going, node)
		if (kpool_is_of_module(item, going->module))
			return true;
	return false;
}

/* Begin a scan of @list, or of the delayed jobs if that is NULL. */
static void kpool_scan_begin(struct kpool_going *going, struct list_head *list)
{
	going->next = list ? list->next : NULL;
	going->next_delayed = list ? NULL :
			      rb_first_cached(&going->pool->delays.jobs);
}

/* Return the item at the cursor and advance it; NULL at the end. */
static struct kpool_item *kpool_scan_next(struct kpool_going *going,
					  const struct list_head *list)
{
	struct kpool_item *item;

	if (!list) {
		struct rb_node *node = going->next_delayed;

		if (!node)
			return NULL;
		going->next_delayed = rb_next(node);
		return &rb_entry(node, struct kpool_job, delay_node)->item;
	}
	if (going->next == list)
		return NULL;
	item = list_entry(going->next, struct kpool_item, node);
	going->next = going->next->next;
	return item;
}

/*
 * Return true if the item belongs to @module and is to be cancelled.  A call
 * that is being dropped no longer uses a function of the module.
 */
static bool kpool_is_orphan(const struct kpool_item *item,
			    const struct module *module)
{
	return kpool_is_of_module(item, module) &&
	       !(item->state == KPOOL_ITEM_DROPPING && kpool_is_call(item));
}

/*
 * Scan a batch of items, up to the first of the module, which is returned in
 * *@orphan; NULL if there is none.  Return false at the end of the list.
 * Called with pool->lock held.
 */
static bool kpool_scan_batch(struct kpool_going *going,
			     const struct list_head *list,
			     struct kpool_item **orphan)
{
	int i;

	lockdep_assert_held(&going->pool->lock);
	*orphan = NULL;
	for (i = 0; i < KPOOL_SCAN_BATCH; i++) {
		struct kpool_item *item = kpool_scan_next(going, list);

		if (!item)
			return false;
		if (kpool_is_orphan(item, going->module)) {
			*orphan = item;
			break;
		}
	}
	return true;
}

/* Return true if kpool_submit_fn() allocated the item, which frees itself. */
static bool kpool_is_fn_item(const struct kpool_item *item)
{
	return item->flags & __KPOOL_FN && !kpool_is_call(item);
}

/*
 * Cancel an item, or fail its sleeping submitter.  Called with pool->lock held.
 * Return the item if kpool must free it after dropping the lock, or NULL.
 */
static struct kpool_item *kpool_cancel_orphan(struct kpool_going *going,
					      struct kpool_item *item)
{
	struct kpool *pool = going->pool;
	bool is_fn_item = kpool_is_fn_item(item);

	lockdep_assert_held(&pool->lock);
	if (item->state == KPOOL_ITEM_BLOCKED) {
		kpool_fail_blocked(pool, item, -ESHUTDOWN);
		return NULL;
	}
	going->cancelled++;
	/* the caller can be another module's, and waits for the drop */
	if (kpool_is_call(item)) {
		kpool_item_drop(pool, item, -ECANCELED);
		return NULL;
	}
	kpool_do_cancel(pool, item);
	return is_fn_item ? item : NULL;
}

/* Cancel the module's items on @list, or its delayed jobs if that is NULL. */
static void kpool_scan(struct kpool_going *going, struct list_head *list)
{
	struct kpool *pool = going->pool;
	struct kpool_item *orphan;
	bool more;

	kpool_lock_irq(pool);
	kpool_scan_begin(going, list);
	do {
		more = kpool_scan_batch(going, list, &orphan);
		if (orphan)
			orphan = kpool_cancel_orphan(going, orphan);
		kpool_unlock_irq(pool);
		if (orphan)
			orphan->dropped(orphan, -ECANCELED);
		cond_resched();
		kpool_lock_irq(pool);
	} while (more);
	going->next = NULL;
	kpool_unlock_irq(pool);
}

/* Return true if the run keeps an item of the module, which is on no list. */
static bool kpool_run_has_orphan(const struct kpool_run *run,
				 const struct module *module)
{
	return run->requeue && kpool_is_orphan(run->requeue, module);
}

/*
 * Cancel the item that the run keeps if it is the module's.  Called with
 * pool->lock held.  Releases it.
 */
static void kpool_cancel_kept_unlock(struct kpool_going *going,
				     struct kpool_run *run)
{
	struct kpool_item *orphan = NULL;

	lockdep_assert_held(&going->pool->lock);
	if (kpool_run_has_orphan(run, going->module))
		orphan = kpool_cancel_orphan(going, run->requeue);
	kpool_unlock_irq(going->pool);
	if (orphan)
		orphan->dropped(orphan, -ECANCELED);
}

/* Cancel the module's items that are kept by runs of workers. */
static void kpool_scan_worker_runs(struct kpool_going *going)
{
	struct kpool *pool = going->pool;
	struct kpool_worker *worker;

	mutex_lock(&pool->mutex);
	list_for_each_entry(worker, &pool->mgr.workers, member) {
		kpool_lock_irq(pool);
		kpool_cancel_kept_unlock(going, &worker->run);
	}
	mutex_unlock(&pool->mutex);
}

/*
 * Cancel the module's items that are kept by external runs.  A thread can be in
 * several nested runs: look at it again after each item.
 */
static void kpool_scan_ext_runs(struct kpool_going *going)
{
	const struct task_struct *task = NULL;
	struct kpool_run *run;

	for (;;) {
		kpool_lock_irq(going->pool);
		run = kpool_ext_run_after(going->pool, task);
		if (!run)
			break;
		while (run->outer && !kpool_run_has_orphan(run, going->module))
			run = run->outer;
		if (!kpool_run_has_orphan(run, going->module))
			task = run->task;
		kpool_cancel_kept_unlock(going, run);
	}
	kpool_unlock_irq(going->pool);
}

/* Test and clear going->again: return true if another pass is needed. */
static bool kpool_test_clear_again(struct kpool_going *going)
{
	bool again;

	kpool_lock_irq(going->pool);
	again = going->again;
	going->again = false;
	kpool_unlock_irq(going->pool);
	return again;
}

/* Cancel all pending items, in the order in which they move. */
static void kpool_scan_all(struct kpool_going *going)
{
	struct kpool *pool = going->pool;
	int prio;

	do {
		kpool_scan(going, NULL);
		kpool_scan(going, &pool->q.admission);
		for (prio = 0; prio < KPOOL_NR_QUEUES; prio++)
			kpool_scan(going, &pool->q.prio[prio]);
		kpool_scan(going, &pool->q.parked);
		kpool_scan_worker_runs(going);
		kpool_scan_ext_runs(going);
		kpool_scan(going, &pool->drops.items);
	} while (kpool_test_clear_again(going));
}

/*
 * Wait for the module's jobs on @list, which are still to be completed.  Their
 * functions have returned, so they are not cancelled.  Return true if there
 * were any.
 */
static bool kpool_wait_completions(struct kpool_going *going,
				   struct list_head *list)
{
	struct kpool *pool = going->pool;
	struct kpool_item *orphan;
	bool more, found = false;

	kpool_lock_irq(pool);
	kpool_scan_begin(going, list);
	do {
		more = kpool_scan_batch(going, list, &orphan);
		if (orphan) {
			kpool_wait_item(pool, orphan, KPOOL_WAITER_ITEM,
					MAX_SCHEDULE_TIMEOUT, 0);
			going->awaited++;
			found = true;
		}
		kpool_unlock_irq(pool);
		cond_resched();
		kpool_lock_irq(pool);
	} while (more);
	going->next = NULL;
	kpool_unlock_irq(pool);
	return found;
}

/* Runs in the default pool */

/*
 * Return true if the run uses a function or memory of the module.  The item can
 * have been freed.  So its drop function is not known while a worker calls its
 * own.
 */
static bool kpool_run_is_of(const struct kpool_run *run,
			    const struct module *module)
{
	const struct kpool_item *item = READ_ONCE(run->item);

	if (!item)
		return false;
	return kpool_is_within(READ_ONCE(run->fn), module) ||
	       kpool_is_within(run->other_fns[0], module) ||
	       kpool_is_within(run->other_fns[1], module) ||
	       kpool_is_within(run->complete, module) ||
	       kpool_is_within(item, module) ||
	       (run->call && kpool_is_within(run->call->release, module));
}

/* Find a run of the module in a worker, or NULL. */
static struct kpool_run *kpool_find_worker_run(struct kpool_going *going)
{
	struct kpool *pool = going->pool;
	struct kpool_run *found = NULL;
	struct kpool_worker *worker;

	mutex_lock(&pool->mutex);
	list_for_each_entry(worker, &pool->mgr.workers, member) {
		kpool_lock_irq(pool);
		if (kpool_run_is_of(&worker->run, going->module))
			found = &worker->run;
		kpool_unlock_irq(pool);
		if (found)
			break;
	}
	mutex_unlock(&pool->mutex);
	return found;
}

/*
 * Find an external run of the module, or NULL.  A thread can be in several
 * nested runs.
 */
static struct kpool_run *kpool_find_ext_run(struct kpool_going *going)
{
	const struct task_struct *task = NULL;
	struct kpool_run *innermost, *run;

	do {
		kpool_lock_irq(going->pool);
		innermost = kpool_ext_run_after(going->pool, task);
		if (innermost)
			task = innermost->task;
		run = innermost;
		while (run && !kpool_run_is_of(run, going->module))
			run = run->outer;
		kpool_unlock_irq(going->pool);
	} while (innermost && !run);
	return run;
}

/* Wait for a run of the module to end; false if there is none. */
static bool kpool_wait_orphan_run(struct kpool_going *going)
{
	struct kpool *pool = going->pool;
	struct kpool_run *run;

	run = kpool_find_worker_run(going) ?: kpool_find_ext_run(going);
	if (!run)
		return false;
	kpool_lock_irq(pool);
	/* the memory stays the pool's, but another run can use it by now */
	if (kpool_run_is_of(run, going->module)) {
		kpool_wait_run(pool, run);
		going->awaited++;
	}
	kpool_unlock_irq(pool);
	return true;
}

/*
 * Return true if the caller can call a release function of the module.  A call
 * that is to be dropped has failed.
 */
static bool kpool_call_can_release(const struct kpool_call *call,
				   const struct module *module)
{
	return kpool_is_within(call->release, module) &&
	       call->base.item.state != KPOOL_ITEM_DROPPING;
}

/*
 * Wait for callers that have given up, or can, to call release functions of the
 * module.  The calls ahead of @mark on the list have been searched.  A
 * concurrent search takes the mark for a call without a release function, and
 * skips it.
 */
static void kpool_wait_calls(struct kpool_going *going)
{
	struct kpool_call mark = { }, end = { }, *call;
	struct kpool *pool = going->pool;
	struct kpool_waiter waiter;
	int nr = 0;

	kpool_lock_irq(pool);
	list_add(&mark.node, &pool->calls);
	list_add_tail(&end.node, &pool->calls);
	while ((call = list_next_entry(&mark, node)) != &end) {
		if (kpool_call_can_release(call, going->module)) {
			kpool_waiter_init(&waiter, KPOOL_WAITER_ITEM,
					  &call->base.item);
			list_add_tail(&waiter.node, &call->waiters);
			kpool_wait(pool, &waiter, MAX_SCHEDULE_TIMEOUT, 0);
			going->awaited++;
			continue;
		}
		list_move(&mark.node, &call->node);
		if (++nr % KPOOL_SCAN_BATCH)
			continue;
		kpool_unlock_irq(pool);
		cond_resched();
		kpool_lock_irq(pool);
	}
	list_del(&mark.node);
	list_del(&end.node);
	kpool_unlock_irq(pool);
}

/* The notifier */

/* Return true if the pool has neither accepted items nor blocked submitters. */
static bool kpool_is_empty(struct kpool *pool)
{
	bool empty;

	kpool_lock_irq(pool);
	empty = !kpool_outstanding(pool) && !pool->q.nr_blocked;
	kpool_unlock_irq(pool);
	return empty;
}

/* Cancel pending items and wait for running ones until none is left. */
static void kpool_cancel_orphans(struct kpool_going *going)
{
	if (!going->pool)
		return;
	while (!kpool_is_empty(going->pool)) {
		bool awaited;

		kpool_scan_all(going);
		awaited = kpool_wait_completions(going,
						 &going->pool->q.finished);
		awaited |= kpool_wait_completions(going,
						  &going->pool->q.completions);
		if (!kpool_wait_orphan_run(going) && !awaited &&
		    !kpool_test_clear_again(going))
			break;
	}
	kpool_wait_calls(going);
	if (going->cancelled || going->awaited)
		pr_err("%s: module %s removed with items in the pool: %u cancelled, %u runs awaited\n",
		       going->pool->name, going->module->name,
		       going->cancelled, going->awaited);
}

/* Refuse the module's submits to the default pool from now on. */
static void kpool_going_begin(struct kpool_going *going)
{
	struct kpool *pool = READ_ONCE(kpool_the_default);

	going->pool = pool;
	if (!pool)
		return;
	kpool_lock_irq(pool);
	list_add(&going->node, &pool->going);
	kpool_update_fast_capacity(pool);
	kpool_unlock_irq(pool);
}

static void kpool_going_end(struct kpool_going *going)
{
	struct kpool *pool = going->pool;

	if (!pool)
		return;
	kpool_lock_irq(pool);
	list_del(&going->node);
	kpool_update_fast_capacity(pool);
	kpool_unlock_irq(pool);
}

int kpool_module_event(struct notifier_block *nb, unsigned long event,
		       void *data)
{
	struct kpool_going going = { .module = data };

	if (event != MODULE_STATE_GOING || data == THIS_MODULE)
		return NOTIFY_DONE;
	kpool_going_begin(&going);
	/* a run in an orphaned pool can wait for a pending item */
	if (going.pool && !kpool_is_empty(going.pool))
		kpool_scan_all(&going);
	kpool_end_orphans(data);
	/* a run in an orphaned pool can have created the default pool */
	if (!going.pool)
		kpool_going_begin(&going);
	kpool_cancel_orphans(&going);
	/* a run in the default pool can have created another pool */
	kpool_end_orphans(data);
	kpool_going_end(&going);
	return NOTIFY_OK;
}
