// SPDX-License-Identifier: GPL-2.0-only
/*
 * Submit or call a function with an argument; kpool allocates the item.
 *
 * kpool_call() sleeps until the item has run.  If a timeout or signal ends the
 * sleep, the state under pool->lock decides.  If the item has not started, it
 * is cancelled.  If the function has returned, the call has succeeded.  If the
 * function still runs, the call is abandoned: its run releases the argument
 * and frees the call.  In all other cases the caller frees it, so exactly one
 * of them does.  Litmus: lock-either.
 *
 * A call whose worker died is handled like one that was dropped.
 */
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "debug.h"
#include "internal.h"
#include "lock.h"

/* Submitting */

static int kpool_fn_item_run(struct kpool_item *item)
{
	struct kpool_fn_item *fi = kpool_fn_item_of(item);
	kpool_fn fn = fi->fn;
	void *arg = fi->arg;

	kfree(fi);
	return fn(arg);
}

static void kpool_fn_item_dropped(struct kpool_item *item, int err)
{
	kfree(kpool_fn_item_of(item));
}

int kpool_submit_fn(struct kpool *pool, kpool_fn fn, void *arg, gfp_t gfp)
{
	struct kpool_fn_item *fi;
	int err;

	if (!fn)
		return -EINVAL;
	fi = kmalloc_obj(*fi, gfp);
	if (!fi)
		return -ENOMEM;

	kpool_init_item(&fi->item, kpool_fn_item_run);
	fi->item.flags = __KPOOL_FN;
	kpool_set_drop_fn(&fi->item, kpool_fn_item_dropped);
	fi->fn = fn;
	fi->arg = arg;
	fi->is_call = false;
	if (gfp & __GFP_DIRECT_RECLAIM)
		err = kpool_submit(pool, &fi->item);
	else
		err = kpool_try_submit(pool, &fi->item);
	if (err)
		kfree(fi);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_submit_fn);

int kpool_submit_arg(struct kpool *pool, void *arg, gfp_t gfp)
{
	return kpool_submit_fn(pool, pool->init_attrs.fn, arg, gfp);
}
EXPORT_SYMBOL_GPL(kpool_submit_arg);

/* Calling */

/*
 * Record the result.  Return the run if the caller has abandoned the call, or
 * NULL.
 */
static struct kpool_run *kpool_call_returned(struct kpool_call *call,
					     int result)
{
	struct kpool *pool = call->pool;
	struct kpool_run *run;
	unsigned long flags;
	bool abandoned;

	kpool_lock(pool, &flags);
	run = kpool_run_of(&call->base.item);
	abandoned = call->abandoned;
	/* a caller that waits can free the call once the lock is dropped */
	if (run->worker && !abandoned)
		run->call = NULL;
	call->result = result;
	call->returned = true;
	kpool_unlock(pool, flags);
	return abandoned ? run : NULL;
}

/*
 * Pin the pool, and let module removal know of the release function, which the
 * caller can call until kpool_call_leave(): see kpool_wait_calls().
 */
static void kpool_call_enter(struct kpool_call *call)
{
	struct kpool *pool = call->pool;

	kpool_get(pool);
	if (!call->release)
		return;
	kpool_lock_irq(pool);
	list_add_tail(&call->node, &pool->calls);
	kpool_unlock_irq(pool);
}

/*
 * Take the call off the pool's list, if it is on it: the caller will not call
 * its release function, or has done so.  Called with pool->lock held.
 */
void kpool_call_leave(struct kpool_call *call)
{
	lockdep_assert_held(&call->pool->lock);
	list_del_init(&call->node);
	kpool_waiter_complete_list(call->pool, &call->waiters, false);
}

/*
 * Free the call of a run, whose caller is gone.  Release the argument first,
 * unless a thread has died in that.
 */
void kpool_call_end_abandoned(struct kpool_run *run, bool release)
{
	struct kpool_call *call = run->call;
	struct kpool *pool = call->pool;
	unsigned long flags;

	if (release && call->release)
		call->release(call->base.arg);
	/* until here, module.c finds release() by the run */
	kpool_lock(pool, &flags);
	run->call = NULL;
	kpool_call_leave(call);
	kpool_unlock(pool, flags);
	kfree(call);
}

/*
 * Undo what the function of a call has leaked, before release() is called in
 * the same run: kpool_run_fn() comes later.  The locks of the run are not
 * leaked.
 */
static void kpool_call_restore(struct kpool_worker *worker)
{
	kpool_lockdep_run_end(worker);
	if (kpool_has_leaked_state(&worker->before))
		kpool_task_state_restore(worker->pool, worker->run.fn,
					 &worker->before);
	kpool_lockdep_run_begin(worker);
}

static int kpool_call_run(struct kpool_item *item)
{
	struct kpool_call *call = kpool_call_of(item);
	struct kpool_run *abandoned;
	int result;

	result = call->base.fn(call->base.arg);
	abandoned = kpool_call_returned(call, result);
	if (abandoned) {
		kpool_call_restore(abandoned->worker);
		kpool_call_end_abandoned(abandoned, true);
	}
	return result;
}

/* Record why a call is dropped, for the caller, which frees the call. */
static void kpool_call_dropped(struct kpool_item *item, int err)
{
	struct kpool_call *call = kpool_call_of(item);
	unsigned long flags;

	kpool_lock(call->pool, &flags);
	call->dropped = err;
	kpool_unlock(call->pool, flags);
}

/*
 * Return true if the function of the call runs, and not kpool_call_dropped().
 */
static bool kpool_call_is_running(const struct kpool_item *item)
{
	const struct kpool_run *run = kpool_run_of(item);

	return run && (run->kind == KPOOL_RUN_WORKER ||
		       run->kind == KPOOL_RUN_CALLER);
}

/*
 * Leave the call to its run, which frees it.  Return @err if it is -ETIMEDOUT
 * or -EINTR.  Any other error means that the function's thread has died, in a
 * deadlock with the thread that would reap it.  Then return -EIO, and the
 * caller keeps the argument.
 */
static int kpool_call_abandon(struct kpool_call *call, int err)
{
	struct kpool *pool = call->pool;

	WRITE_ONCE(call->abandoned, true);
	kpool_call_leave(call);
	if (err == -ETIMEDOUT || err == -EINTR) {
		pool->stats.abandoned++;
		return err;
	}
	call->release = NULL;
	return -EIO;
}

/*
 * Decide what becomes of a call after the caller's sleep has ended with @err.
 * Called with pool->lock held.  Return 0 if the function has returned, or why
 * it has not.  *@free_it is false if the call is abandoned, so that its run
 * frees it.
 */
static int kpool_call_finish(struct kpool_call *call, int err, bool *free_it)
{
	struct kpool_item *item = &call->base.item;
	struct kpool *pool = call->pool;

	lockdep_assert_held(&pool->lock);
	*free_it = true;
	if (call->returned)
		return 0;
	/* its module can be gone already: see kpool_is_orphan() */
	if (item->state == KPOOL_ITEM_DROPPING)
		err = item->err;
	if (kpool_do_cancel(pool, item))
		return err;
	/*
	 * After -EDEADLK, wait for a function that has started, which can use
	 * the caller's stack.  Also wait for kpool_call_dropped().
	 */
	if ((err != -ETIMEDOUT && err != -EINTR) ||
	    !kpool_call_is_running(item))
		kpool_wait_item(pool, item, KPOOL_WAITER_CALL,
				MAX_SCHEDULE_TIMEOUT, 0);
	if (call->returned)
		return 0;
	if (call->dropped)
		return call->dropped;
	*free_it = false;
	return kpool_call_abandon(call, err);
}

/*
 * Release the argument in the caller, inside a run.  So a thread that dies in
 * release() does not pin the pool, and a wait for the pool in it is refused.
 */
static void kpool_call_release(struct kpool_call *call)
{
	struct kpool *pool = call->pool;
	struct kpool_run *run = kpool_run_get(pool);

	kpool_lock_irq(pool);
	kpool_ext_run_begin_callback(pool, run, KPOOL_RUN_RELEASE,
				     call->release);
	run->call = call;
	kpool_unlock_irq(pool);

	call->release(call->base.arg);

	kpool_lock_irq(pool);
	kpool_ext_run_end_callback(pool, run);
	kpool_unlock_irq(pool);
}

/*
 * Free a call of which nothing runs.  If the caller has given up, it has left
 * the argument to the call.
 */
static void kpool_call_end(struct kpool_call *call, int err)
{
	struct kpool *pool = call->pool;

	if (call->release) {
		if (err == -ETIMEDOUT || err == -EINTR)
			kpool_call_release(call);
		kpool_lock_irq(pool);
		kpool_call_leave(call);
		kpool_unlock_irq(pool);
	}
	kfree(call);
}

/*
 * Sleep until an accepted call has ended, and free it unless it is abandoned.
 */
static int kpool_call_wait(struct kpool_call *call, unsigned long timeout,
			   unsigned int signals, int *result)
{
	struct kpool *pool = call->pool;
	bool free_it;
	int err;

	kpool_lock_irq(pool);
	err = kpool_wait_item(pool, &call->base.item, KPOOL_WAITER_CALL,
			      timeout, signals);
	err = kpool_call_finish(call, err, &free_it);
	kpool_unlock_irq(pool);
	if (!err && result)
		*result = call->result;
	if (free_it)
		kpool_call_end(call, err);
	return err;
}

static struct kpool_call *kpool_call_alloc(struct kpool *pool, kpool_fn fn,
					   void *arg,
					   void (*release)(void *arg))
{
	struct kpool_call *call = kzalloc_obj(*call, GFP_KERNEL);

	if (!call)
		return NULL;
	kpool_init_item(&call->base.item, kpool_call_run);
	call->base.item.flags = __KPOOL_FN;
	call->base.is_call = true;
	kpool_set_drop_fn(&call->base.item, kpool_call_dropped);
	call->base.fn = fn;
	call->base.arg = arg;
	call->pool = pool;
	call->release = release;
	INIT_LIST_HEAD(&call->node);
	INIT_LIST_HEAD(&call->waiters);
	return call;
}

static int __kpool_call(struct kpool *pool, kpool_fn fn, void *arg,
			void (*release)(void *arg), unsigned long timeout,
			unsigned int signals, int *result)
{
	unsigned long begin = jiffies;
	struct kpool_call *call;
	int err;

	/* not might_sleep(): a preemption point costs a switch for each call */
	__might_sleep(__FILE__, __LINE__);
	if (!fn)
		return -EINVAL;
	call = kpool_call_alloc(pool, fn, arg, release);
	if (!call)
		return -ENOMEM;
	timeout = min_t(unsigned long, timeout, MAX_SCHEDULE_TIMEOUT);
	if (timeout)
		kpool_lockdep_wait_item(&call->base.item);
	kpool_call_enter(call);
	err = kpool_submit_signals(pool, &call->base.item, timeout, signals);
	if (err) {
		kpool_call_end(call, err);
	} else {
		if (timeout != MAX_SCHEDULE_TIMEOUT)
			timeout -= min(timeout, jiffies - begin);
		err = kpool_call_wait(call, timeout, signals, result);
	}
	kpool_put(pool);
	return err;
}

int kpool_call_timeout(struct kpool *pool, kpool_fn fn, void *arg,
		       void (*release)(void *arg), unsigned long timeout,
		       int *result)
{
	return __kpool_call(pool, fn, arg, release, timeout, 0, result);
}
EXPORT_SYMBOL_GPL(kpool_call_timeout);

int kpool_call_killable(struct kpool *pool, kpool_fn fn, void *arg,
			void (*release)(void *arg), int *result)
{
	return __kpool_call(pool, fn, arg, release, MAX_SCHEDULE_TIMEOUT,
			    TASK_WAKEKILL, result);
}
EXPORT_SYMBOL_GPL(kpool_call_killable);

int kpool_call_interruptible(struct kpool *pool, kpool_fn fn, void *arg,
			     void (*release)(void *arg), int *result)
{
	return __kpool_call(pool, fn, arg, release, MAX_SCHEDULE_TIMEOUT,
			    TASK_INTERRUPTIBLE, result);
}
EXPORT_SYMBOL_GPL(kpool_call_interruptible);

int kpool_call(struct kpool *pool, kpool_fn fn, void *arg, int *result)
{
	return __kpool_call(pool, fn, arg, NULL, MAX_SCHEDULE_TIMEOUT, 0,
			    result);
}
EXPORT_SYMBOL_GPL(kpool_call);

bool kpool_call_abandoned(void)
{
	struct kpool_worker *worker = kpool_current_worker();
	const struct kpool_call *call = worker ? worker->run.call : NULL;

	/* neither in an external run, nor in release() */
	return call && !worker->nr_nested && !call->returned &&
	       READ_ONCE(call->abandoned);
}
EXPORT_SYMBOL_GPL(kpool_call_abandoned);

/*
 * Fail a call whose worker died with -EIO.  Its caller frees it, unless it has
 * abandoned the call.  If the worker died in release(), that is not called
 * again.
 */
void kpool_call_died(struct kpool_run *run)
{
	struct kpool_call *call = run->call;
	struct kpool *pool = call->pool;
	unsigned long flags;
	bool abandoned;

	kpool_lock(pool, &flags);
	abandoned = call->abandoned;
	/* as in kpool_call_returned() */
	if (!abandoned)
		run->call = NULL;
	call->dropped = -EIO;
	kpool_unlock(pool, flags);
	if (abandoned)
		kpool_call_end_abandoned(run, !call->returned);
}
