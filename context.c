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
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/workqueue.h>

#include "internal.h"

static void kpool_context_work(struct work_struct *work)
{
	struct kpool_context *context = container_of(work, struct kpool_context,
						     work);

	context->fn(context->pool);
}

static void kpool_context_thread_work(struct kthread_work *work)
{
	struct kpool_context *context = container_of(work, struct kpool_context,
						     thread_work);

	context->fn(context->pool);
}

void kpool_context_init(struct kpool_context *context, struct kpool *pool,
			void (*fn)(struct kpool *pool))
{
	context->pool = pool;
	context->fn = fn;
	context->thread = NULL;
	INIT_WORK(&context->work, kpool_context_work);
}

/* Make the thread of a context that has to go on without memory. */
int kpool_context_make_thread(struct kpool_context *context, const char *kind)
{
	struct kthread_worker *thread;

	thread = kthread_run_worker(0, "kpool-%s/%s", kind, context->pool->name);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_init_work(&context->thread_work, kpool_context_thread_work);
	context->thread = thread;
	return 0;
}

/* Any context but NMI; what is queued already is not queued again. */
void kpool_context_queue(struct kpool_context *context)
{
	if (context->thread)
		kthread_queue_work(context->thread, &context->thread_work);
	else
		queue_work(kpool_callback_wq, &context->work);
}

/* Nothing queues it any more; afterwards it executes nothing. */
void kpool_context_destroy(struct kpool_context *context)
{
	if (!context->thread) {
		cancel_work_sync(&context->work);
		return;
	}
	kthread_cancel_work_sync(&context->thread_work);
	kthread_destroy_worker(context->thread);
}
