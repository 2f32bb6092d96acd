// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each worker has of its own, for the functions of its items.
 *
 * It is made by the new worker itself, before the worker enters the books: one
 * whose worker_init fails has never been there.  It is torn down by the worker
 * before that is reaped.  Nobody waits for either function of one worker before
 * the next one calls it.
 */
#include <linux/err.h>
#include <linux/module.h>

#include "internal.h"

/* In the new worker: 0, or what worker_init failed with. */
int kpool_worker_call_init(struct kpool_worker *worker)
{
	const struct kpool_attrs *made = &worker->pool->made;

	if (!made->worker_init)
		return 0;
	kpool_worker_init_begin(worker);
	worker->data = made->worker_init(made->data);
	kpool_worker_init_end(worker);
	return PTR_ERR_OR_ZERO(worker->data);
}

/* In the worker: it runs no item any more. */
void kpool_worker_call_exit(struct kpool_worker *worker)
{
	const struct kpool_attrs *made = &worker->pool->made;

	if (made->worker_exit && !IS_ERR(worker->data))
		made->worker_exit(made->data, worker->data);
	worker->data = NULL;
}

void *kpool_worker_state(void)
{
	struct kpool_worker *worker = kpool_current_worker();

	return worker && !IS_ERR(worker->data) ? worker->data : NULL;
}
EXPORT_SYMBOL_GPL(kpool_worker_state);
