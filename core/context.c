// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts: the work or thread that calls a pool's drop and room functions, and
 * that reaps its dead threads.
 *
 * The latter calls the fault handler and the release function of a call.  All
 * these can sleep for long, hang, or flush any workqueue.  So each pool has one
 * context for drops and one for deaths.
 *
 * A pool normally queues work, which costs nothing while idle.  A
 * KPOOL_MEM_RECLAIM pool has a thread for each context instead, created with
 * the pool.  The rescuer of a workqueue would not do: flushing an ordinary
 * workqueue from it triggers a kernel warning.
 *
 * A function that oopses kills its thread, and the work that the thread was
 * executing counts as busy forever.  The context then continues with a new work
 * item, and the old one is leaked.  The new one has a thread in any pool: each
 * work that is lost on the workqueue has taken a place from all other pools.
 */
#include <linux/err.h>
#include <linux/kmemleak.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "internal.h"

struct kpool_context_work {
	struct kpool_context	*context;	/* I */
	struct kthread_worker	*thread;	/* I: own thread, or NULL */
	struct work_struct	work;		/* if @thread is NULL */
	struct kthread_work	thread_work;	/* if @thread is not NULL */
};

/* A thread of kpool_callback_wq died, so the queue can never be drained. */
bool kpool_context_lost;

static void kpool_context_work_fn(struct work_struct *work)
{
	struct kpool_context *context =
		container_of(work, struct kpool_context_work, work)->context;

	context->fn(context->pool);
}

static void kpool_context_thread_fn(struct kthread_work *work)
{
	struct kpool_context *context =
		container_of(work, struct kpool_context_work,
			     thread_work)->context;

	context->fn(context->pool);
}

/* Allocate the context's work, and its thread if it has one. */
static int kpool_context_start(struct kpool_context *context)
{
	struct kpool *pool = context->pool;
	struct kpool_context_work *work = kzalloc_obj(*work, GFP_KERNEL);
	struct kthread_worker *thread;

	if (!work)
		return -ENOMEM;
	work->context = context;
	INIT_WORK(&work->work, kpool_context_work_fn);
	if (context->work || (pool->init_attrs.flags & KPOOL_MEM_RECLAIM)) {
		thread = kthread_run_worker(0, "kpool-%s/%s", context->kind,
					    pool->name);
		if (IS_ERR(thread)) {
			kfree(work);
			return PTR_ERR(thread);
		}
		kthread_init_work(&work->thread_work, kpool_context_thread_fn);
		work->thread = thread;
	}
	/* pairs with kpool_context_queue(); Litmus: context-work */
	smp_store_release(&context->work, work);
	return 0;
}

/*
 * Create a context that calls @fn.  @kind is part of its thread's name.  Return
 * 0 or a negative errno.
 */
int kpool_context_create(struct kpool_context *context, struct kpool *pool,
			 void (*fn)(struct kpool *pool), const char *kind)
{
	context->pool = pool;
	context->fn = fn;
	context->kind = kind;
	return kpool_context_start(context);
}

/* Queue the context unless it is queued already.  Any context except NMI. */
void kpool_context_queue(struct kpool_context *context)
{
	/* pairs with kpool_context_start(); Litmus: context-work */
	struct kpool_context_work *work = smp_load_acquire(&context->work);

	if (work->thread)
		kthread_queue_work(work->thread, &work->thread_work);
	else
		queue_work(kpool_callback_wq, &work->work);
}

/* Replace the context's work after its thread died.  The caller queues it. */
int kpool_context_replace(struct kpool_context *context)
{
	struct kpool_context_work *lost = context->work;
	int err;

	/* leaked: the workqueue or kthread code can still access it */
	kmemleak_not_leak(lost);
	if (lost->thread)
		kmemleak_not_leak(lost->thread);
	else
		WRITE_ONCE(kpool_context_lost, true);
	err = kpool_context_start(context);
	if (err)
		pr_err("%s: cannot create a thread for callbacks (%d)\n",
		       context->pool->name, err);
	return err;
}

/* Stop the context and free it.  Called when nothing can queue it. */
void kpool_context_destroy(struct kpool_context *context)
{
	struct kpool_context_work *work = context->work;

	if (!work)
		return;
	if (work->thread) {
		kthread_cancel_work_sync(&work->thread_work);
		kthread_destroy_worker(work->thread);
	} else {
		cancel_work_sync(&work->work);
	}
	kfree(work);
}
