// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a pool calls its owner's functions outside of a worker: dropped(), and
 * for the dead the fault handler and the release of a call.
 *
 * Such a function may take its time, hang, or flush any workqueue.  So each pool
 * has a context for drops and one for deaths, and neither is a workqueue's
 * rescuer: a flush of an ordinary workqueue from there would make the kernel
 * warn, and all pools would wait for one.  An ordinary pool queues work, which
 * costs nothing while it is idle.  A pool that promises progress without memory
 * has a thread for each context, made together with the pool.
 *
 * A function that oopses kills the thread it is called in, and the kernel takes
 * what that thread executes for busy for ever.  The context then goes on with
 * new memory, and the old is left to the dead.
 */
#include <linux/err.h>
#include <linux/kmemleak.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "internal.h"

struct kpool_context_work {
	struct kpool_context	*context;	/* I */
	struct kthread_worker	*thread;	/* I: its own, or NULL */
	struct work_struct	work;		/* without a thread */
	struct kthread_work	thread_work;	/* with one */
};

/* Work was lost with its thread: its queue can never be drained. */
static bool kpool_context_lost;

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

void kpool_context_init(struct kpool_context *context, struct kpool *pool,
			void (*fn)(struct kpool *pool), const char *kind)
{
	context->pool = pool;
	context->fn = fn;
	context->kind = kind;
}

/* Make what the context is executed in. */
int kpool_context_start(struct kpool_context *context)
{
	struct kpool *pool = context->pool;
	struct kpool_context_work *work = kzalloc_obj(*work, GFP_KERNEL);
	struct kthread_worker *thread;

	if (!work)
		return -ENOMEM;
	work->context = context;
	INIT_WORK(&work->work, kpool_context_work_fn);
	if (pool->init_attrs.flags & KPOOL_MEM_RECLAIM) {
		thread = kthread_run_worker(0, "kpool-%s/%s", context->kind,
					    pool->name);
		if (IS_ERR(thread)) {
			kfree(work);
			return PTR_ERR(thread);
		}
		kthread_init_work(&work->thread_work, kpool_context_thread_fn);
		work->thread = thread;
	}
	/* pairs with kpool_context_queue() */
	smp_store_release(&context->work, work);
	return 0;
}

/* Any context but NMI; what is queued already is not queued again. */
void kpool_context_queue(struct kpool_context *context)
{
	/* pairs with kpool_context_start() */
	struct kpool_context_work *work = smp_load_acquire(&context->work);

	if (work->thread)
		kthread_queue_work(work->thread, &work->thread_work);
	else
		queue_work(kpool_callback_wq, &work->work);
}

/* The context's thread has died in it: queue it in a new one. */
int kpool_context_replace(struct kpool_context *context)
{
	struct kpool_context_work *lost = context->work;
	int err;

	/* the kernel may look at it as long as the machine runs */
	kmemleak_not_leak(lost);
	if (lost->thread)
		kmemleak_not_leak(lost->thread);
	else
		WRITE_ONCE(kpool_context_lost, true);
	err = kpool_context_start(context);
	if (err)
		pr_err("%s: no thread to call its owner's functions in (%d)\n",
		       context->pool->name, err);
	else
		kpool_context_queue(context);
	return err;
}

/* Wait until what is queued has been executed. */
void kpool_context_flush(struct kpool_context *context)
{
	struct kpool_context_work *work = context->work;

	if (work->thread)
		kthread_flush_work(&work->thread_work);
	else
		flush_work(&work->work);
}

/* Nothing queues it any more; afterwards it executes nothing. */
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

/* When no pool is left.  What the dead were executing keeps its queue. */
void kpool_context_destroy_queue(void)
{
	if (kpool_callback_wq && !kpool_context_lost)
		destroy_workqueue(kpool_callback_wq);
}
