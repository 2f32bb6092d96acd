// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function and its argument instead of an item: submitted, or called.
 *
 * kpool allocates the item.  A call's caller sleeps until its item has run.
 * When its patience is over, one of three things is true under the lock: the
 * item has not started, then it never will; its function has returned, then
 * that counts; or it runs, then the call is abandoned, and who runs it gives
 * back the argument and frees the item.  So exactly one of both frees it.  A
 * call whose worker died is like one that was dropped.  Litmus:
 * call-vs-timeout.
 */
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "internal.h"
#include "lock.h"
#include "queue.h"

/* The legend is that of internal.h; L is the lock of @pool. */
struct kpool_call {
	struct kpool_fn_item	base;
	struct kpool		*pool;		/* I */
	void			(*release)(void *arg);	/* I */
	int			result;		/* L: valid if @returned */
	int			dropped;	/* L: error, or 0 */
	bool			returned;	/* L */
	bool			abandoned;	/* L, read without it */
};

struct kpool_call *kpool_call_of(const struct kpool_item *item)
{
	return container_of((struct kpool_item *)item, struct kpool_call,
			    base.item);
}

/* Submitted */

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

/* Called */

static void kpool_call_free(struct kpool_call *call, bool release)
{
	if (release && call->release)
		call->release(call->base.arg);
	kfree(call);
}

/* The function has returned: does its caller still wait? */
static bool kpool_call_returned(struct kpool_call *call, int result)
{
	struct kpool *pool = call->pool;
	unsigned long flags;
	bool abandoned;

	raw_spin_lock_irqsave(&pool->lock, flags);
	/* if its caller waits, that may free the call from now on */
	kpool_run_of(&call->base.item)->call = NULL;
	abandoned = call->abandoned;
	call->result = result;
	call->returned = true;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return !abandoned;
}

static int kpool_call_run(struct kpool_item *item)
{
	struct kpool_call *call = kpool_call_of(item);
	int result;

	result = call->base.fn(call->base.arg);
	/* if it waits, it frees the call as soon as it sees that */
	if (!kpool_call_returned(call, result))
		kpool_call_free(call, true);
	return result;
}

static void kpool_call_dropped(struct kpool_item *item, int err)
{
	struct kpool_call *call = kpool_call_of(item);
	unsigned long flags;

	raw_spin_lock_irqsave(&call->pool->lock, flags);
	call->dropped = err;
	raw_spin_unlock_irqrestore(&call->pool->lock, flags);
}

/* Does its function run, as opposed to ours that is told of a drop? */
static bool kpool_call_is_running(const struct kpool_item *item)
{
	const struct kpool_run *run = kpool_run_of(item);

	return run && (run->kind == KPOOL_RUN_WORKER ||
		       run->kind == KPOOL_RUN_CALLER);
}

/*
 * The wait is over, for whatever reason; lock held.  Returns 0 if the function
 * has returned, or why it has not; *@free_it tells whether the caller, and not
 * who runs the call, frees it.
 */
static int kpool_call_finish(struct kpool_call *call, int err, bool *free_it)
{
	struct kpool_item *item = &call->base.item;
	struct kpool *pool = call->pool;

	*free_it = true;
	if (call->returned)
		return 0;
	if (kpool_do_cancel(pool, item))
		return err;
	/*
	 * It may have started since its caller was refused while it waited in
	 * line.  Or its dropped function, which is ours, may just be called.
	 */
	if ((err != -ETIMEDOUT && err != -EINTR) || !kpool_call_is_running(item))
		kpool_wait_item(pool, item, KPOOL_WAITER_CALL,
				MAX_SCHEDULE_TIMEOUT, 0);
	if (call->returned)
		return 0;
	if (call->dropped)
		return call->dropped;
	WRITE_ONCE(call->abandoned, true);
	pool->stats.abandoned++;
	*free_it = false;
	return err;
}

/* Has the caller given up, and left its argument to the call? */
static bool kpool_call_gave_up(int err)
{
	return err == -ETIMEDOUT || err == -EINTR;
}

/* Sleep until an accepted call has ended. */
static int kpool_call_wait(struct kpool_call *call, unsigned long timeout,
			   unsigned int signals, int *result)
{
	struct kpool *pool = call->pool;
	unsigned long flags;
	bool free_it;
	int err;

	raw_spin_lock_irqsave(&pool->lock, flags);
	err = kpool_wait_item(pool, &call->base.item, KPOOL_WAITER_CALL, timeout,
			      signals);
	err = kpool_call_finish(call, err, &free_it);
	kpool_unlock(pool, flags);
	if (!err && result)
		*result = call->result;
	if (free_it)
		kpool_call_free(call, kpool_call_gave_up(err));
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
	return call;
}

static int __kpool_call(struct kpool *pool, kpool_fn fn, void *arg,
			void (*release)(void *arg), unsigned long timeout,
			unsigned int signals, int *result)
{
	unsigned long begin = jiffies;
	struct kpool_call *call;
	int err;

	/* no preemption point: that would cost a switch for each call */
	__might_sleep(__FILE__, __LINE__);
	if (!fn)
		return -EINVAL;
	call = kpool_call_alloc(pool, fn, arg, release);
	if (!call)
		return -ENOMEM;
	timeout = min_t(unsigned long, timeout, MAX_SCHEDULE_TIMEOUT);
	if (timeout)
		kpool_lockdep_wait_item(&call->base.item);
	kpool_get(pool);
	err = kpool_submit_signals(pool, &call->base.item, timeout, signals);
	if (err) {
		kpool_call_free(call, kpool_call_gave_up(err));
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

	return worker && worker->run.call &&
	       READ_ONCE(worker->run.call->abandoned);
}
EXPORT_SYMBOL_GPL(kpool_call_abandoned);

/*
 * The worker died in it.  If its caller still waits, the call is the caller's,
 * who will be told; if not, it is ours.
 */
void kpool_call_died(struct kpool_call *call)
{
	struct kpool *pool = call->pool;
	unsigned long flags;
	bool abandoned;

	raw_spin_lock_irqsave(&pool->lock, flags);
	abandoned = call->abandoned;
	call->dropped = -EIO;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	if (abandoned)
		kpool_call_free(call, true);
}

/* Its caller ran it, and died in it; the pool is still to be left. */
void kpool_call_abandon(struct kpool_call *call)
{
	kpool_call_free(call, true);
}

