/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints, in the order of an item's and a worker's life.
 *
 * Without CONFIG_TRACEPOINTS, or with NOTRACE defined, they are empty.  Those
 * of a copy of kpool in another module are: their names are global.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kpool

#if !defined(_KPOOL_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _KPOOL_TRACE_H

#include <linux/tracepoint.h>

#include "internal.h"

/* Items.  Called with pool->lock held, so that @item can be read. */

DECLARE_EVENT_CLASS(kpool_item,

	TP_PROTO(const struct kpool *pool, const struct kpool_item *item),

	TP_ARGS(pool, item),

	TP_STRUCT__entry(
		__field(const void *,	item)
		__field(void *,		function)
		__array(char,		pool,	KPOOL_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->item		= item;
		__entry->function	= kpool_user_fn(item);
		memcpy(__entry->pool, pool->name, sizeof(pool->name));
	),

	TP_printk("item=%p function=%ps pool=%s",
		  __entry->item, __entry->function, __entry->pool)
);

/* An item has been accepted. */
DEFINE_EVENT(kpool_item, submit,
	TP_PROTO(const struct kpool *pool, const struct kpool_item *item),
	TP_ARGS(pool, item)
);

/* The caller is about to sleep in a submit of the item. */
DEFINE_EVENT(kpool_item, block,
	TP_PROTO(const struct kpool *pool, const struct kpool_item *item),
	TP_ARGS(pool, item)
);

DECLARE_EVENT_CLASS(kpool_item_error,

	TP_PROTO(const struct kpool *pool, const struct kpool_item *item,
		 int err),

	TP_ARGS(pool, item, err),

	TP_STRUCT__entry(
		__field(const void *,	item)
		__field(void *,		function)
		__field(int,		err)
		__array(char,		pool,	KPOOL_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->item		= item;
		__entry->function	= kpool_user_fn(item);
		__entry->err		= err;
		memcpy(__entry->pool, pool->name, sizeof(pool->name));
	),

	TP_printk("item=%p function=%ps err=%d pool=%s",
		  __entry->item, __entry->function, __entry->err,
		  __entry->pool)
);

/* A submit has failed without having slept. */
DEFINE_EVENT(kpool_item_error, refuse,
	TP_PROTO(const struct kpool *pool, const struct kpool_item *item,
		 int err),
	TP_ARGS(pool, item, err)
);

/* The drop function of an accepted item is about to be called. */
DEFINE_EVENT(kpool_item_error, drop,
	TP_PROTO(const struct kpool *pool, const struct kpool_item *item,
		 int err),
	TP_ARGS(pool, item, err)
);

/* Result of a submit or a function.  @item can be freed. */
DECLARE_EVENT_CLASS(kpool_result,

	TP_PROTO(const struct kpool *pool, const void *item, void *fn, int err),

	TP_ARGS(pool, item, fn, err),

	TP_STRUCT__entry(
		__field(const void *,	item)
		__field(void *,		function)
		__field(int,		err)
		__array(char,		pool,	KPOOL_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->item		= item;
		__entry->function	= fn;
		__entry->err		= err;
		memcpy(__entry->pool, pool->name, sizeof(pool->name));
	),

	TP_printk("item=%p function=%ps err=%d pool=%s",
		  __entry->item, __entry->function, __entry->err,
		  __entry->pool)
);

/* The caller has slept in a submit, which returns @err.  @item can be freed. */
DEFINE_EVENT(kpool_result, unblock,
	TP_PROTO(const struct kpool *pool, const void *item, void *fn, int err),
	TP_ARGS(pool, item, fn, err)
);

/* Runs */

/* The caller is about to call the function of the run. */
TRACE_EVENT(start,

	TP_PROTO(const struct kpool *pool, const void *item, void *fn),

	TP_ARGS(pool, item, fn),

	TP_STRUCT__entry(
		__field(const void *,	item)
		__field(void *,		function)
		__array(char,		pool,	KPOOL_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->item		= item;
		__entry->function	= fn;
		memcpy(__entry->pool, pool->name, sizeof(pool->name));
	),

	TP_printk("item=%p function=%ps pool=%s",
		  __entry->item, __entry->function, __entry->pool)
);

/* The function has returned @err.  The item can be freed. */
DEFINE_EVENT(kpool_result, end,
	TP_PROTO(const struct kpool *pool, const void *item, void *fn, int err),
	TP_ARGS(pool, item, fn, err)
);

/* The thread of @run has died in it. */
TRACE_EVENT(die,

	TP_PROTO(const struct kpool *pool, const struct kpool_run *run),

	TP_ARGS(pool, run),

	TP_STRUCT__entry(
		__field(const void *,	item)
		__field(void *,		function)
		__field(pid_t,		pid)
		__array(char,		pool,	KPOOL_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->item		= run->item;
		__entry->function	= run->fn;
		__entry->pid		= run->task->pid;
		memcpy(__entry->pool, pool->name, sizeof(pool->name));
	),

	TP_printk("item=%p function=%ps pid=%d pool=%s",
		  __entry->item, __entry->function, __entry->pid,
		  __entry->pool)
);

/*
 * The watchdog has found that a run in @task, since @since, exceeds stall_ms.
 */
TRACE_EVENT(stall,

	TP_PROTO(const struct kpool *pool, const struct kpool_run *run,
		 const struct task_struct *task, unsigned long since),

	TP_ARGS(pool, run, task, since),

	TP_STRUCT__entry(
		__field(const void *,	item)
		__field(void *,		function)
		__field(pid_t,		pid)
		__field(unsigned int,	ran_ms)
		__array(char,		pool,	KPOOL_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->item		= run->item;
		__entry->function	= run->fn;
		__entry->pid		= task->pid;
		__entry->ran_ms		= jiffies_to_msecs(jiffies - since);
		memcpy(__entry->pool, pool->name, sizeof(pool->name));
	),

	TP_printk("item=%p function=%ps pid=%d ran_ms=%u pool=%s",
		  __entry->item, __entry->function, __entry->pid,
		  __entry->ran_ms, __entry->pool)
);

/* Workers.  Called with pool->lock held. */

/*
 * A new worker is about to look at the queue; @node is -1 without a NUMA node.
 */
TRACE_EVENT(spawn,

	TP_PROTO(const struct kpool *pool, const struct kpool_worker *worker),

	TP_ARGS(pool, worker),

	TP_STRUCT__entry(
		__field(pid_t,		pid)
		__field(int,		node)
		__field(unsigned int,	alive)
		__array(char,		pool,	KPOOL_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->pid		= worker->task->pid;
		__entry->node		= pool->attrs.node - 1;
		__entry->alive		= pool->mgr.nr_workers;
		memcpy(__entry->pool, pool->name, sizeof(pool->name));
	),

	TP_printk("pid=%d node=%d alive=%u pool=%s",
		  __entry->pid, __entry->node, __entry->alive, __entry->pool)
);

/* A worker without an item is to exit: it has expired, or is not needed. */
TRACE_EVENT(purge,

	TP_PROTO(const struct kpool *pool, const struct kpool_worker *worker,
		 bool expired),

	TP_ARGS(pool, worker, expired),

	TP_STRUCT__entry(
		__field(pid_t,		pid)
		__field(bool,		expired)
		__array(char,		pool,	KPOOL_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->pid		= worker->task->pid;
		__entry->expired	= expired;
		memcpy(__entry->pool, pool->name, sizeof(pool->name));
	),

	TP_printk("pid=%d expired=%d pool=%s",
		  __entry->pid, __entry->expired, __entry->pool)
);

/* Pools.  Called with pool->mutex held. */

/* An attribute is about to change; of the cpumask, the number of CPUs. */
TRACE_EVENT(tune,

	TP_PROTO(const struct kpool *pool, const char *attribute, int old,
		 int value),

	TP_ARGS(pool, attribute, old, value),

	TP_STRUCT__entry(
		__array(char,		attribute,	KPOOL_NAME_MAX + 1)
		__field(int,		old)
		__field(int,		new)
		__array(char,		pool,	KPOOL_NAME_MAX + 1)
	),

	TP_fast_assign(
		strscpy(__entry->attribute, attribute,
			sizeof(__entry->attribute));
		__entry->old		= old;
		__entry->new		= value;
		memcpy(__entry->pool, pool->name, sizeof(pool->name));
	),

	TP_printk("attribute=%s old=%d new=%d pool=%s",
		  __entry->attribute, __entry->old, __entry->new,
		  __entry->pool)
);

#endif /* _KPOOL_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH core
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
