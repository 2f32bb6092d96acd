// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each worker has of its own, for the functions of its items.
 *
 * It is made by the new worker itself, before the worker is in the books: one
 * whose worker_init fails has never been there, and its maker goes on as if no
 * thread could be made.  So the maker waits for it.  Litmus: state-made,
 * settle-vs-sleep.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "internal.h"

/* In the maker: let a new worker make its state; 0, or what it failed with. */
int kpool_try_out(struct kpool_worker *worker)
{
	if (!worker->pool->made.worker_init)
		return 0;
	init_completion(&worker->tried);
	WRITE_ONCE(worker->settled, false);
	wake_up_process(worker->task);
	wait_for_completion(&worker->tried);
	return PTR_ERR_OR_ZERO(worker->data);
}

/* The state is made, or cannot be: its maker goes on. */
void kpool_tried_out(struct kpool_worker *worker, void *data)
{
	worker->data = data;
	complete(&worker->tried);
}

/* In the worker: make the state, wait to be entered; false if it never is. */
bool kpool_worker_enters(struct kpool_worker *worker)
{
	const struct kpool_attrs *made = &worker->pool->made;

	if (!made->worker_init)
		return true;
	kpool_tried_out(worker, made->worker_init(made->data));
	for (;;) {
		set_current_state(kpool_idle_state(worker->pool));
		if (READ_ONCE(worker->settled) || kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return READ_ONCE(worker->settled);
}

/* In the worker: it runs no item any more. */
void kpool_worker_exits(struct kpool_worker *worker)
{
	const struct kpool_attrs *made = &worker->pool->made;

	kpool_hook_ends(worker);
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
