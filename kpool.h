/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kpool: a bounded, tunable pool of kernel threads.
 *
 * This header is the whole public interface.  A work item is embedded in the
 * caller's own structure and submitted to a pool.  An accepted item is run
 * once, or cancelled, or dropped.  Documentation/ is the manual.
 *
 * Locks named under Context: pool->lock is a raw spinlock taken with interrupts
 * off, also on PREEMPT_RT.  For a function that takes an item or a group, it is
 * the lock of the pool that owns it.  pool->mutex is taken before pool->lock,
 * and the registry mutex before both.
 */
#ifndef _KPOOL_H
#define _KPOOL_H

#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/rbtree_types.h>
#include <linux/types.h>

struct kpool;
struct kpool_item;
struct kpool_run;
struct kpool_waiter;

/**
 * KPOOL_NAME_MAX - longest name of a pool, without the final NUL
 */
#define KPOOL_NAME_MAX	31

/*
 * Special values of attributes.  Zero always selects the default.  KPOOL_NONE
 * selects zero itself where zero has a meaning: for min_workers, queue_depth,
 * nonblocking, nice, policy, node and when_full.
 * KPOOL_UNLIMITED is for capacity, queue_depth, max_blocked and max_bypass.
 */
#define KPOOL_UNLIMITED	INT_MAX		/* no limit */
#define KPOOL_NO_PURGE	INT_MAX		/* expiry_ms */
#define KPOOL_NO_STALL	INT_MAX		/* stall_ms */
#define KPOOL_NONE	INT_MIN		/* zero, even if the default differs */
#define KPOOL_NODE(nid)	((nid) + 1)	/* node: memory and CPUs of one node */

/* Values of the attribute policy. */
enum kpool_policy {
	KPOOL_POLICY_NORMAL,
	KPOOL_POLICY_BATCH,
	KPOOL_POLICY_IDLE,
	KPOOL_POLICY_FIFO,
	KPOOL_POLICY_RR,
};

/* Values of the attribute when_full. */
enum kpool_when_full {
	KPOOL_FULL_WAIT,	/* the submitter sleeps until there is room */
	KPOOL_FULL_CALLER_RUNS,	/* the submitter runs the item itself */
	KPOOL_FULL_DROP_OLDEST,	/* the oldest queued item is dropped */
};

/* Flags of kpool_attrs, fixed when the pool is created. */
#define KPOOL_PREALLOC		0x1	/* create min_workers with the pool */
#define KPOOL_MEM_RECLAIM	0x2	/* forward progress without memory */
#define KPOOL_FREEZABLE		0x4	/* workers stop for suspend */
#define KPOOL_PINNED		0x8	/* debugfs cannot tune the pool */
#define KPOOL_NOIO		0x10	/* workers allocate as with GFP_NOIO */

/**
 * typedef kpool_item_fn - function of an embedded work item
 * @item: the item; the function may free it, or submit it again
 *
 * Called by a worker in process context with no locks held; or, with
 * KPOOL_FULL_CALLER_RUNS, by the submitter with the locks that it holds.  In a
 * worker, the item holds its units until the function has returned.  If the
 * function passes the item on, the new owner may free it before the function
 * returns.
 *
 * Return: 0, or a negative errno.  Any value but 0 counts as ``failed``.
 */
typedef int (*kpool_item_fn)(struct kpool_item *item);

/**
 * typedef kpool_fn - function that takes an argument
 * @arg: argument passed by the submitter
 *
 * Called as typedef kpool_item_fn.
 *
 * Return: 0, or a negative errno.  Any value but 0 counts as ``failed``.
 */
typedef int (*kpool_fn)(void *arg);

/**
 * typedef kpool_drop_fn - callback for an accepted item that will not run
 * @item: the item, neither pending nor running; the callback may free it
 * @err: the reason.  -ECANCELED: the pool was aborted, also by the removal of
 *	its module, or the group was cancelled, also by KPOOL_GROUP_FAIL_FAST.
 *	-ESHUTDOWN: the job was delayed when its pool was closed without being
 *	aborted.  -ETIME: its deadline had passed.  -EAGAIN: it was evicted for
 *	a newer item
 *
 * Called exactly once per dropped item, in process context.  No locks are held,
 * unless kpool_abort() calls it in its caller's thread, with the caller's
 * locks.  Flush and destroy wait until the callback has returned.  Waiting for
 * the item or its pool from inside the callback fails with -EDEADLK.  Not
 * called when kpool_cancel() returned true.
 */
typedef void (*kpool_drop_fn)(struct kpool_item *item, int err);

/**
 * struct kpool_fault - failed item, as reported to a fault handler
 * @fn: function of the item, or its completion function, or the one given to
 *	kpool_submit_fn(), kpool_submit_arg() or kpool_call()
 * @item: address of the item, which can have been freed
 * @err: what the function returned; -EIO if the thread that ran it died
 * @died: the thread died in the function: it has not returned, and the item's
 *	memory is in an unknown state
 * @data: what worker_init returned in that thread, or NULL
 */
struct kpool_fault {
	void		*fn;
	const void	*item;
	int		err;
	bool		died;
	void		*data;
};

/*
 * The fields of the tunable attributes, which are all before flags, and enum
 * kpool_tunable are generated from the table in tunables.h.
 */

/**
 * struct kpool_attrs - attributes of a pool
 * @capacity: units of work that can run at once, and so the maximum number of
 *	workers; 1 to KPOOL_UNLIMITED, which is INT_MAX units
 * @min_workers: workers kept even if idle; 1 to 65536, KPOOL_NONE for 0
 * @queue_depth: items that can wait when no unit is free; 1 to KPOOL_UNLIMITED,
 *	KPOOL_NONE for 0.  An item that is about to start is not counted, so
 *	@pending of &struct kpool_stats can exceed this by the number of free
 *	units.  An item submitted while it runs is accepted while its units are
 *	free, even without a place, and counts until that run has ended
 * @max_blocked: submitters that can sleep at once; 1 to KPOOL_UNLIMITED
 * @nonblocking: refuse instead of sleeping in submit; 1, KPOOL_NONE for no.  A
 *	pool created nonblocking stays so
 * @expiry_ms: idle milliseconds after which a worker is purged; 1 to
 *	KPOOL_NO_PURGE, which means never
 * @nice: nice value of the workers; -20 to 19, KPOOL_NONE for 0
 * @policy: scheduling policy of the workers; enum kpool_policy, KPOOL_NONE for
 *	KPOOL_POLICY_NORMAL
 * @rt_priority: real-time priority under the policies fifo and rr; 1 to 99
 * @node: NUMA node of the workers and their memory; KPOOL_NODE(nid), KPOOL_NONE
 *	for any
 * @when_full: what submit does when there is no room; enum kpool_when_full,
 *	KPOOL_NONE for KPOOL_FULL_WAIT.  A live pool can only switch between the
 *	value it was created with and KPOOL_FULL_WAIT
 * @stall_ms: milliseconds after which a running item is reported; 1 to
 *	KPOOL_NO_STALL, which means never.  A run is reported once, with its
 *	stack
 * @max_bypass: starts in a row that can pass over a lower priority; 1 to
 *	KPOOL_UNLIMITED, which means strict priority
 * @flags: KPOOL_PREALLOC needs @min_workers.  KPOOL_MEM_RECLAIM includes
 *	KPOOL_PREALLOC, and makes the default of @min_workers at least 1: items
 *	that do not wait for one another make progress without memory.
 *	KPOOL_FREEZABLE: workers stop between items for suspend.  KPOOL_PINNED:
 *	a write to an attribute's debugfs file fails with -EPERM.  KPOOL_NOIO:
 *	the workers run in a memalloc_noio_save() scope
 * @cpumask: CPUs that the workers can run on; cpu_all_mask for all
 * @fn: pool-wide function of kpool_submit_arg(), or NULL
 * @data: argument of the callbacks below
 * @worker_init: called in each new worker before its first item, in several
 *	workers at once.  Returns the worker's data, see kpool_worker_data(),
 *	or ERR_PTR if the worker cannot be set up.  A failure is retried after
 *	100 ms, doubling up to 10 s.  If an item waits, and this callback has
 *	not returned after 100 ms, another worker is created if possible; each
 *	late callback doubles that time
 * @worker_exit: called in the worker with its data before it exits, in several
 *	workers at once.  kpool_destroy() waits for this callback and
 *	@worker_init
 * @fault: called in process context.  If an item returned an error: in the
 *	thread that ran it, which can hold locks if it is a submitter.  If a
 *	thread died in an item: in another thread, with no locks held.  The
 *	item has not ended until the callback returns
 * @room: called in process context with no locks held, when a submit that got
 *	-EAGAIN for want of room would now succeed without sleeping or dropping
 *	another item.  Also called if the pool was closed after a refusal.  One
 *	call covers all earlier refusals.  Refusals of kpool_submit_now() do not
 *	count.  The callback may submit; until it returns, only kpool_abort()
 *	calls drop functions of the pool
 *
 * A field left at zero takes the default: the module parameter of the same
 * name, see Documentation/attributes.rst.  The fields before @flags can be
 * changed on a live pool by kpool_tune(), and @cpumask by kpool_tune_cpumask().
 */
struct kpool_attrs {
	int capacity;
	int min_workers;
	int queue_depth;
	int max_blocked;
	int nonblocking;
	int expiry_ms;
	int nice;
	int policy;
	int rt_priority;
	int node;
	int when_full;
	int stall_ms;
	int max_bypass;
	unsigned int flags;
	const struct cpumask *cpumask;
	kpool_fn fn;
	void *data;
	void *(*worker_init)(void *data);
	void (*worker_exit)(void *data, void *worker_data);
	void (*fault)(void *data, const struct kpool_fault *fault);
	void (*room)(void *data);
};

/**
 * enum kpool_tunable - attribute to be changed by kpool_tune()
 * @KPOOL_TUNE_CAPACITY: see &kpool_attrs.capacity
 * @KPOOL_TUNE_MIN_WORKERS: see &kpool_attrs.min_workers
 * @KPOOL_TUNE_QUEUE_DEPTH: see &kpool_attrs.queue_depth
 * @KPOOL_TUNE_MAX_BLOCKED: see &kpool_attrs.max_blocked
 * @KPOOL_TUNE_NONBLOCKING: see &kpool_attrs.nonblocking
 * @KPOOL_TUNE_EXPIRY_MS: see &kpool_attrs.expiry_ms
 * @KPOOL_TUNE_NICE: see &kpool_attrs.nice
 * @KPOOL_TUNE_POLICY: see &kpool_attrs.policy
 * @KPOOL_TUNE_RT_PRIORITY: see &kpool_attrs.rt_priority
 * @KPOOL_TUNE_NODE: see &kpool_attrs.node
 * @KPOOL_TUNE_WHEN_FULL: see &kpool_attrs.when_full
 * @KPOOL_TUNE_STALL_MS: see &kpool_attrs.stall_ms
 * @KPOOL_TUNE_MAX_BYPASS: see &kpool_attrs.max_bypass
 * @KPOOL_NR_TUNABLES: number of tunables
 */
enum kpool_tunable {
	KPOOL_TUNE_CAPACITY,
	KPOOL_TUNE_MIN_WORKERS,
	KPOOL_TUNE_QUEUE_DEPTH,
	KPOOL_TUNE_MAX_BLOCKED,
	KPOOL_TUNE_NONBLOCKING,
	KPOOL_TUNE_EXPIRY_MS,
	KPOOL_TUNE_NICE,
	KPOOL_TUNE_POLICY,
	KPOOL_TUNE_RT_PRIORITY,
	KPOOL_TUNE_NODE,
	KPOOL_TUNE_WHEN_FULL,
	KPOOL_TUNE_STALL_MS,
	KPOOL_TUNE_MAX_BYPASS,
	KPOOL_NR_TUNABLES
};

/**
 * struct kpool_stats - consistent snapshot of a pool's statistics
 * @submitted: items accepted
 * @completed: items that ended because their functions returned, or whose
 *	submitter died in them
 * @failed: those of @completed that returned an error
 * @cancelled: accepted items taken back before their start: by cancel, disable,
 *	a call that gave up, or the removal of their module
 * @dropped: accepted items that the pool dropped, and pending calls of a
 *	function whose module was removed
 * @expired: those of @dropped whose deadline had passed
 * @displaced: those of @dropped that were evicted for a newer item, with
 *	KPOOL_FULL_DROP_OLDEST
 * @caller_ran: those of @completed that their submitter ran, with
 *	KPOOL_FULL_CALLER_RUNS
 * @died: items whose worker died in them, and those workers
 * @stalled: runs reported as longer than &kpool_attrs.stall_ms
 * @abandoned: calls whose caller gave up while the function ran
 * @refused: submits that got -EAGAIN
 * @spawned: workers created
 * @purged: workers that exited because they were idle for too long
 * @retired: workers that exited because of shutdown or tuning
 * @alive: workers alive
 * @idle: workers asleep without an item
 * @running: items in their function or completion function
 * @units: units held by those; an item that its submitter runs holds none
 * @pending: items accepted and not started, without the delayed ones; also
 *	those in their drop function
 * @delayed: items accepted whose delay has not expired
 * @blocked: submitters asleep
 * @oldest_pending_ms: how long the oldest queued item has been pending, in
 *	milliseconds; for a delayed job, or backlog, since it was queued.
 *	Parked items do not count
 * @closed: shut down and not reopened
 * @paused: new starts are held back
 *
 * With nothing pending, delayed, running or to be completed, submitted =
 * completed + cancelled + dropped + died.  At any time, spawned = purged +
 * retired + died + alive.
 */
struct kpool_stats {
	struct_group_tagged(kpool_counters, counters, /* gauges follow */
		u64 submitted;
		u64 completed;
		u64 failed;
		u64 cancelled;
		u64 dropped;
		u64 expired;
		u64 displaced;
		u64 caller_ran;
		u64 died;
		u64 stalled;
		u64 abandoned;
		u64 refused;
		u64 spawned;
		u64 purged;
		u64 retired;
	);
	u64 alive;
	u64 idle;
	u64 running;
	u64 units;
	u64 pending;
	u64 delayed;
	u64 blocked;
	u64 oldest_pending_ms;
	bool closed;
	bool paused;
};

/*
 * The counters and gauges of struct kpool_stats, in order: generated from it.  A
 * user of the list defines KPOOL_STAT(name), an expression, first: see
 * debugfs.c.
 */
#define KPOOL_STATS							\
	(KPOOL_STAT(submitted),						\
	 KPOOL_STAT(completed),						\
	 KPOOL_STAT(failed),						\
	 KPOOL_STAT(cancelled),						\
	 KPOOL_STAT(dropped),						\
	 KPOOL_STAT(expired),						\
	 KPOOL_STAT(displaced),						\
	 KPOOL_STAT(caller_ran),					\
	 KPOOL_STAT(died),						\
	 KPOOL_STAT(stalled),						\
	 KPOOL_STAT(abandoned),						\
	 KPOOL_STAT(refused),						\
	 KPOOL_STAT(spawned),						\
	 KPOOL_STAT(purged),						\
	 KPOOL_STAT(retired),						\
	 KPOOL_STAT(alive),						\
	 KPOOL_STAT(idle),						\
	 KPOOL_STAT(running),						\
	 KPOOL_STAT(units),						\
	 KPOOL_STAT(pending),						\
	 KPOOL_STAT(delayed),						\
	 KPOOL_STAT(blocked),						\
	 KPOOL_STAT(oldest_pending_ms))

/**
 * struct kpool_item - work item, to be embedded in the caller's structure
 *
 * The fields belong to kpool.  An item takes 64 bytes on a 64-bit kernel, and
 * submitting it needs no other memory.  It may be freed, or submitted to
 * another pool, when it is neither pending nor running, and from inside its own
 * function.
 */
struct kpool_item {
	/* private: */
	struct list_head	node;
	kpool_item_fn		fn;
	kpool_drop_fn		dropped;
	struct kpool_run	*run;	/* that it is in, or with its waiters */
	union {
		struct kpool_waiter	*submitter;	/* while it is blocked */
		struct {
			u32		queued_at;	/* jiffies */
			union {
				u32	seq;	/* order of queueing */
				int	err;	/* once it is to be dropped */
			};
		};
	};
	u32			pool_id;	/* of its owner, or 0 if new */
	u32			epoch;		/* of its flushes */
	union {
		u32		weight;		/* with __KPOOL_WEIGHTED */
		u32		queued_us;	/* without: time of queueing */
	};
	union {
		struct {
			u16	disabled;	/* depth of kpool_disable() */
			u8	state;
			u8	flags;
		};
		u32		word;	/* these three, for fast submits */
	};
};

/* private: flags of an item */
#define __KPOOL_HAS_WAITERS	0x01	/* pending, with waiters on item->run */
#define __KPOOL_WEIGHTED	0x02	/* the weight is not 1 */
#define __KPOOL_HIGH		0x04
#define __KPOOL_LOW		0x08
#define __KPOOL_JOB		0x10	/* embedded in a struct kpool_job */
#define __KPOOL_STREAM_BLOCKED	0x20	/* waits for another of its stream */
#define __KPOOL_JOB_SET		0x40	/* a field of the job has been set */
#define __KPOOL_FN		0x80	/* in memory that kpool allocated */

/**
 * KPOOL_ITEM_INIT - static initializer of an item
 * @_fn: function of the item
 */
#define KPOOL_ITEM_INIT(_fn)	{ .fn = (_fn), .weight = 1 }

/**
 * DEFINE_KPOOL_ITEM - define a static or file-scope item
 * @item: name of the item
 * @_fn: function of the item
 */
#define DEFINE_KPOOL_ITEM(item, _fn)					\
	struct kpool_item item = KPOOL_ITEM_INIT(_fn)

/**
 * kpool_init_item() - initialize an item
 * @item: the item, neither pending nor running
 * @fn: function of the item
 *
 * Context: Any context.
 */
void kpool_init_item(struct kpool_item *item, kpool_item_fn fn);

/**
 * kpool_init_item_onstack() - initialize an item on the stack
 * @item: the item
 * @fn: function of the item
 *
 * Must be paired with kpool_destroy_item_onstack() before the function that
 * owns the stack frame returns.
 *
 * Context: Any context.
 */
void kpool_init_item_onstack(struct kpool_item *item, kpool_item_fn fn);

/**
 * kpool_destroy_item_onstack() - end the use of an item on the stack
 * @item: the item, not pending: flush or cancel it first.  If it still runs,
 *	its function must not use the item from now on.  A job of an ordered
 *	stream, or of a group that collects, must have ended
 *
 * Warns if the item is still pending, or still to be completed or collected.
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 */
void kpool_destroy_item_onstack(struct kpool_item *item);

/**
 * kpool_set_drop_fn() - set the drop function of an item
 * @item: the item, neither pending nor running
 * @drop_fn: called once for each submission that the pool drops, or NULL
 *
 * Context: Any context.
 */
static inline void kpool_set_drop_fn(struct kpool_item *item,
				     kpool_drop_fn drop_fn)
{
	item->dropped = drop_fn;
}

/**
 * kpool_set_weight() - set the units of capacity that an item holds
 * @item: the item, neither pending nor running.  Or not pending, from inside
 *	its own function, or its completion function if it has one: then for its
 *	next run
 * @weight: units, 1 if never set; while it exceeds the pool's capacity, submit
 *	returns -EINVAL, except for an item that submits itself from inside its
 *	own function
 *
 * An item starts when all its units are free; until then the items queued
 * behind it do not start either.  If capacity shrinks below the weight of an
 * accepted item, or of one that submits itself, the item needs all of capacity.
 *
 * Context: Any context except NMI.  May take and release pool->lock.
 * Return:
 * * 0 - the weight is set.
 * * -EINVAL - @weight is less than 1; nothing has changed.
 * * -EBUSY - the item is pending, blocked in a submit, or still to be
 *   completed; nothing has changed.  Cancel or flush it first.
 */
int kpool_set_weight(struct kpool_item *item, int weight);

/**
 * enum kpool_priority - priority of an item
 * @KPOOL_PRIO_NORMAL: the default
 * @KPOOL_PRIO_HIGH: starts before normal items
 * @KPOOL_PRIO_LOW: starts after normal items
 */
enum kpool_priority {
	KPOOL_PRIO_NORMAL,
	KPOOL_PRIO_HIGH,
	KPOOL_PRIO_LOW,
};

/**
 * kpool_set_priority() - set the priority of an item
 * @item: the item, neither pending nor running.  Or not pending, from inside
 *	its own function, or its completion function if it has one: then for its
 *	next run
 * @priority: the priority
 *
 * The queue is ordered by priority, then by arrival.  After
 * &kpool_attrs.max_bypass consecutive starts that pass over a lower priority,
 * the oldest item of a lower priority starts next, so that none starves.
 * Sleeping submitters are admitted by arrival alone.
 *
 * Context: Any context except NMI.  May take and release pool->lock.
 * Return:
 * * 0 - the priority is set.
 * * -EINVAL - no such priority; nothing has changed.
 * * -EBUSY - the item is pending, blocked in a submit, or still to be
 *   completed; nothing has changed.  Cancel or flush it first.
 */
int kpool_set_priority(struct kpool_item *item, enum kpool_priority priority);

/* Jobs: items with a deadline, a delay, a group or a stream */

/* private: position of a job, or of its run, in the order of a stream */
struct kpool_turn {
	struct list_head	node;
	u64			nr;
	u8			state;
};

/**
 * struct kpool_job - item with a deadline, a delay, a group or a stream
 * @item: the embedded item, for all functions that take an item
 *
 * Embedded in the caller's structure.  The function of the item gets the job by
 * kpool_job_of().
 */
struct kpool_job {
	struct kpool_item	item;
	/* private: */
	ktime_t			deadline;
	struct kpool_group	*group;
	struct kpool_stream	*stream;
	kpool_item_fn		complete;
	struct list_head	group_node;
	union {
		struct list_head	stream_node;
		struct kpool_turn	turn;
	};
	struct rb_node		delay_node;
	unsigned long		due;
	int			result;
};

/**
 * KPOOL_JOB_INIT - static initializer of a job
 * @_fn: function of the job
 */
#define KPOOL_JOB_INIT(_fn)						\
	{ .item = { .fn = (_fn), .weight = 1, .flags = __KPOOL_JOB } }

/**
 * DEFINE_KPOOL_JOB - define a static or file-scope job
 * @job: name of the job
 * @_fn: function of the job
 */
#define DEFINE_KPOOL_JOB(job, _fn)					\
	struct kpool_job job = KPOOL_JOB_INIT(_fn)

/**
 * kpool_init_job() - initialize a job
 * @job: the job, neither pending nor running
 * @fn: function of the job
 *
 * A job on the stack must be paired with kpool_destroy_item_onstack().
 *
 * Context: Any context.
 */
void kpool_init_job(struct kpool_job *job, kpool_item_fn fn);

/**
 * kpool_job_of() - get the job of an item
 * @item: an item that was initialized as a job
 *
 * Context: Any context.
 * Return: the job that embeds @item.
 */
static inline struct kpool_job *kpool_job_of(struct kpool_item *item)
{
	return container_of(item, struct kpool_job, item);
}

/**
 * kpool_set_deadline() - set the deadline of a job
 * @job: the job, neither pending nor running.  Or not pending, from inside
 *	its own function, or its completion function if it has one: then for its
 *	next run
 * @deadline: CLOCK_MONOTONIC, as of ktime_get(); 0 for none
 *
 * The deadline is checked once, when the job could start.  If it has passed,
 * the job is dropped with -ETIME.
 *
 * Context: Any context except NMI.  May take and release pool->lock.
 * Return:
 * * 0 - the deadline is set.
 * * -EBUSY - the job is pending, blocked in a submit, or still to be completed;
 *   nothing has changed.  Cancel or flush it first.
 * * -EINVAL - the job was initialized by kpool_init_item().  The deadline is
 *   not set, the log has one warning, and submits of the item get -EINVAL.  Use
 *   kpool_init_job().
 */
int kpool_set_deadline(struct kpool_job *job, ktime_t deadline);

/* Pools */

/**
 * kpool_create() - create a pool
 * @attrs: attributes, copied; NULL for all defaults
 * @fmt: printf format of the name: 1 to KPOOL_NAME_MAX of ``[A-Za-z0-9_-]``,
 *	not taken, not "pools"; "default" is taken by the default pool
 * @...: arguments of @fmt
 *
 * The log tells what was wrong with the name or an attribute.
 *
 * Context: Process context.  May sleep.  Takes and releases the registry mutex,
 * pool->mutex and pool->lock.
 * Return:
 * * the pool, or ERR_PTR:
 * * -ENODEV - kpool is not initialized yet, or its initialization has failed;
 *   give up, or create the pool later.
 * * -EINVAL - bad name, unknown flag, attributes that exclude each other, or no
 *   online CPU in the cpumask and the node; fix the caller.
 * * -ERANGE - an attribute is out of range; fix the caller.
 * * -EEXIST - the name is taken; choose another.
 * * -ENOMEM - out of memory; retry later.
 * * -EAGAIN - KPOOL_PREALLOC or KPOOL_MEM_RECLAIM hit the system's limit of
 *   threads; retry later, or raise it.
 * * -EINTR - the caller was killed while KPOOL_PREALLOC or KPOOL_MEM_RECLAIM
 *   created threads; undo and return.
 * * Otherwise the error of worker_init in a worker of KPOOL_PREALLOC; -EIO if
 *   the thread died in it.
 */
__printf(2, 3)
struct kpool *kpool_create(const struct kpool_attrs *attrs, const char *fmt,
			   ...);

/* private: adds the calling module; attrs may be a compound literal */
#define kpool_create(...)	kpool_create_owned(THIS_MODULE, __VA_ARGS__)
__printf(3, 4)
struct kpool *kpool_create_owned(struct module *owner,
				 const struct kpool_attrs *attrs,
				 const char *fmt, ...);

/**
 * kpool_destroy() - close a pool, wait until it has drained, and free it
 * @pool: the pool, or NULL; must not be used after this call
 *
 * Accepted items still run, except delayed jobs, which are dropped; sleeping
 * submitters get -ESHUTDOWN.  When this returns 0 or -EIO, no thread executes
 * the caller's code, and the caller's module may be unloaded.
 *
 * If a module is removed without destroying its pool, pending items are
 * dropped, running ones are awaited, and the pool is closed for good.  None of
 * its callbacks is called afterwards, and its name is free.  A module that was
 * given the pool can still call any function on it until that module is
 * removed.  The memory is freed when kpool.ko is removed.
 *
 * Context: Process context.  May sleep.  Takes and releases the registry
 * mutex, pool->mutex and pool->lock.
 * Return:
 * * 0 - the pool is freed, or @pool is NULL.
 * * -EDEADLK - called from inside an item or a callback of the pool; nothing
 *   has changed.
 * * -EINVAL - @pool is the default pool; nothing has changed.
 * * -ESHUTDOWN - the module of the pool was removed without destroying it;
 *   nothing to do, no client code runs in the pool.
 * * -EIO - the pool is freed, but a thread died in an item during the wait.
 */
int kpool_destroy(struct kpool *pool);

/**
 * kpool_shutdown() - close a pool without waiting
 * @pool: the pool
 *
 * Accepted items still run, but delayed jobs are dropped; then the workers
 * exit.  Submitters, sleeping ones included, get -ESHUTDOWN.  A paused pool is
 * resumed.  May be repeated.
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 */
void kpool_shutdown(struct kpool *pool);

/**
 * kpool_shutdown_timeout() - close a pool and wait until it has drained
 * @pool: the pool
 * @timeout: jiffies; 0 does not wait, MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * May be repeated, also after -ETIMEDOUT.  A thread can still be visible for an
 * instant after the last worker has exited.
 *
 * Context: Process context.  May sleep.  Takes and releases pool->lock.
 * Return:
 * * 0 - no item and no worker is left.
 * * -EDEADLK - called from inside an item or a callback of the pool, which
 *   stays open; wait from outside.
 * * -ETIMEDOUT - items or workers are left; the pool stays closed.  Call again.
 * * -EIO - no item and no worker is left, but a thread died in an item during
 *   the wait.
 */
int kpool_shutdown_timeout(struct kpool *pool, unsigned long timeout);

/**
 * kpool_abort() - close a pool and drop items that have not started
 * @pool: the pool
 *
 * Running items finish.  The drop function of each pending item is called with
 * -ECANCELED before this returns.  For an item that is both pending and
 * running, it is called after that run has ended.  For an item that the pool is
 * dropping already, it is called with the error of that drop, perhaps later.
 *
 * In four nested external runs of the pool, or with less than a quarter of the
 * stack left, this only closes the pool.  Its items are dropped later then.
 * Drop functions and caller-run items, for example, are external runs.
 *
 * Context: Process context.  May sleep.  Takes and releases pool->lock.
 * Each pool has memory for one run in reserve.  While another abort, a release
 * function, or a caller-run item uses that, this allocates a few hundred bytes
 * with GFP_KERNEL and __GFP_NOFAIL.
 * Return: the number of items dropped by this call, without those that still
 * run.
 */
unsigned long kpool_abort(struct kpool *pool);

/**
 * kpool_reopen() - reopen a closed pool
 * @pool: the pool
 *
 * Attributes and counters are kept.  Does nothing if the pool is open.
 *
 * Context: Process context.  May sleep.  Takes and releases pool->mutex and
 * pool->lock.
 * Return:
 * * 0 - the pool is open, or has been closed again meanwhile.  On error it
 *   stays closed:
 * * -ESHUTDOWN - the module of the pool was removed; create another pool.
 * * -EBUSY - accepted items have not ended; call kpool_shutdown_timeout()
 *   first.
 * * -EDEADLK - called from worker_init, worker_exit or the room function of the
 *   pool, or from the release function of a call to it, in the caller.
 * * Otherwise KPOOL_PREALLOC cannot create its workers, as for kpool_create();
 *   retry later.
 */
int kpool_reopen(struct kpool *pool);

/**
 * kpool_pause() - hold back new starts
 * @pool: the pool
 *
 * Running items continue.  Submit still queues items, or sleeps.
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 * Return:
 * * 0 - the pool is paused.
 * * -ESHUTDOWN - the pool is closed; accepted items can still start.
 */
int kpool_pause(struct kpool *pool);

/**
 * kpool_resume() - allow new starts again
 * @pool: the pool
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 */
void kpool_resume(struct kpool *pool);

/**
 * kpool_flush() - wait for all previously accepted items
 * @pool: the pool; it stays open, and items accepted later are not awaited
 *
 * The caller sees everything that those items stored.
 *
 * Context: Process context.  May sleep.  Takes and releases pool->lock.
 * Return:
 * * 0 - all of them have ended.
 * * -EDEADLK - called from inside an item or a callback of the pool; nothing
 *   was awaited.
 * * -EIO - all of them have ended, but a thread died in one during the wait.
 */
int kpool_flush(struct kpool *pool);

/**
 * kpool_tune() - change an attribute of a live pool
 * @pool: the pool
 * @tunable: the attribute
 * @value: as in &struct kpool_attrs: 0 for the default
 *
 * Growing admits blocked submitters.  Shrinking lets surplus workers finish
 * their items and exit; accepted items and sleeping submitters are never
 * refused.  KPOOL_PINNED does not restrict this function.
 *
 * Context: Process context.  May sleep.  Takes and releases pool->mutex and
 * pool->lock.
 * Return:
 * * 0 - the value is set.  An error has changed nothing, and the log says why:
 * * -EINVAL - no such attribute, which is not logged.  Or in conflict with
 *   another: min_workers above capacity, no min_workers with KPOOL_PREALLOC,
 *   caller_runs with nonblocking, or no online CPU in the node.
 * * -ERANGE - @value is out of range.
 * * -EPERM - nonblocking cannot be cleared in a pool created nonblocking, and
 *   when_full can only be KPOOL_FULL_WAIT or the value at creation; choose the
 *   value at creation.
 */
int kpool_tune(struct kpool *pool, enum kpool_tunable tunable, int value);

/**
 * kpool_tune_cpumask() - change the CPUs of a live pool's workers
 * @pool: the pool
 * @mask: at least one online CPU; copied; cpu_all_mask for all, NULL for the
 *	default
 *
 * The mask is kept when its CPUs go offline and restored when they return.
 *
 * Context: Process context.  May sleep.  Takes and releases pool->mutex and
 * pool->lock.
 * Return:
 * * 0 - the mask is set.
 * * -EINVAL - no CPU of @mask and the node is online; nothing has changed.
 */
int kpool_tune_cpumask(struct kpool *pool, const struct cpumask *mask);

/**
 * kpool_get_attrs() - read the attributes in force
 * @pool: the pool
 * @attrs: filled; @attrs->cpumask is left NULL
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 */
void kpool_get_attrs(struct kpool *pool, struct kpool_attrs *attrs);

/**
 * kpool_get_stats() - read the statistics
 * @pool: the pool
 * @stats: filled with one consistent snapshot
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 */
void kpool_get_stats(struct kpool *pool, struct kpool_stats *stats);

/**
 * kpool_default() - get the shared default pool
 *
 * The pool is created on first use from the module parameters default_*; its
 * name is "default".  It can be shut down and reopened, but not destroyed.
 *
 * A user must flush or cancel its own items before its module is removed.  The
 * default pool does not keep a reference to the module or to kpool.ko.  Items
 * that are left are cancelled, or awaited if they run, and the log says so.  An
 * item belongs to a module if one of its functions or its memory is within the
 * module; the drop function of an item that a worker runs does not count, nor
 * do per-CPU variables.  During the removal, submits of such items get -ESHUTDOWN.
 *
 * Context: Process context.  May sleep.  Takes and releases the registry mutex,
 * pool->mutex and pool->lock.
 * Return:
 * * the pool, or ERR_PTR:
 * * -ENODEV - as kpool_create().
 * * -ENOMEM - out of memory; retry later.
 */
struct kpool *kpool_default(void);

/* Submit */

/**
 * kpool_submit() - submit an item
 * @pool: the pool
 * @item: an initialized item
 *
 * The item is run by an idle worker, or by a new one while units are free.
 * Otherwise it is queued, up to queue_depth items.  If there is no room either,
 * &kpool_attrs.when_full decides; by default the caller sleeps until the item
 * is admitted, in order of arrival, or is refused.  An item submitted while it
 * runs starts after that run.  An item that submits itself from its own
 * function is never refused for want of room.  Its own function can also submit
 * it to another pool, as its last use of the item.  If that fails, the item
 * runs in the old pool as before.
 *
 * A run that starts after this call sees everything stored before the call,
 * even if the call returned -EALREADY.
 *
 * Context: Process context.  May sleep.  Any context except NMI if the pool was
 * created nonblocking.  In another pool, a caller in an interrupt or with
 * interrupts off gets -EAGAIN instead of sleeping.  A caller that holds a
 * spinlock, or must not sleep for another reason, must use kpool_try_submit().
 * May take and release pool->lock.
 * Return:
 * * 0 - the item was accepted.  On error it was not:
 * * -EINVAL - the item has no function, weighs more than capacity, or has a
 *   group or a stream of another pool; fix the caller.  Also if a job field was
 *   set in an item of kpool_init_item(), if it has a completion function
 *   outside of an ordered stream, or if it has none in one.
 * * -EALREADY - the item is pending; nothing to do.  Also if another caller
 *   sleeps in a submit of it, which can still fail.  But if this call is made
 *   by the item's own function, to the same pool, the item is accepted at once:
 *   the other submit returns 0, and no delay applies.  Also for a job that
 *   kpool_group_next() has not returned, or whose completion has not started.
 * * -EBUSY - the item runs, or is being dropped, in another pool; flush it
 *   first.
 * * -ESHUTDOWN - the pool is closed, or the item in the default pool belongs to
 *   a module that is being removed; give the item up.
 * * -ECANCELED - the item is disabled, its group is cancelled, or it was
 *   cancelled while the caller slept; give the item up.
 * * -EAGAIN - there is no room, and the pool is nonblocking or max_blocked
 *   submitters sleep.  Submit again when &kpool_attrs.room is called, or give
 *   the item up.  A caller without an error path, as with queue_work(), avoids
 *   it by an unlimited queue_depth and KPOOL_PINNED.
 * * -EDEADLK - the caller is in an item or a callback of the pool, and the
 *   sleep could never end.  Do the work in another way.
 */
int kpool_submit(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_try_submit() - submit an item without sleeping
 * @pool: the pool
 * @item: an initialized item
 *
 * Context: Any context except NMI, also on PREEMPT_RT.  May take and release
 * pool->lock.
 * Return:
 * * -EAGAIN - there is no room, or others wait for it; retry later, see
 *   &kpool_attrs.room, or give the item up.
 * * Otherwise as kpool_submit(), but never -EDEADLK.
 */
int kpool_try_submit(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_submit_timeout() - submit an item, sleeping for a limited time
 * @pool: the pool
 * @item: an initialized item
 * @timeout: jiffies to sleep; 0 acts as kpool_try_submit(),
 *	MAX_SCHEDULE_TIMEOUT is without a limit.  An item that the caller runs
 *	itself (KPOOL_FULL_CALLER_RUNS) has none
 *
 * Context: Process context.  May sleep.  May take and release pool->lock.
 * Return:
 * * -ETIMEDOUT - no room within @timeout; the item was not accepted.
 * * Otherwise as kpool_submit(), but -EDEADLK only without a limit.
 */
int kpool_submit_timeout(struct kpool *pool, struct kpool_item *item,
			 unsigned long timeout);

/**
 * kpool_submit_killable() - submit an item, stopping at a fatal signal
 * @pool: the pool
 * @item: an initialized item
 *
 * Context: Process context.  May sleep.  May take and release pool->lock.
 * Return:
 * * -EINTR - the caller was killed; the item was not accepted.
 * * Otherwise as kpool_submit().
 */
int kpool_submit_killable(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_submit_interruptible() - submit an item, stopping at any signal
 * @pool: the pool
 * @item: an initialized item
 *
 * Context: Process context.  May sleep.  May take and release pool->lock.
 * Return:
 * * -EINTR - a signal arrived; the item was not accepted.
 * * Otherwise as kpool_submit().
 */
int kpool_submit_interruptible(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_submit_now() - submit an item only if it can start at once
 * @pool: the pool
 * @item: an initialized item
 *
 * The item is accepted only if its units are free, and nothing else holds it
 * back.  It is held back by other items, its stream, its own run, a pause, or a
 * worker in worker_exit.  The item starts as soon as a worker has woken up, or
 * has been created and has returned from worker_init.  If creating a worker
 * fails, the accepted item waits for the next attempt.  If the workers of a
 * KPOOL_FREEZABLE pool are frozen, the item waits until they thaw.  Until a
 * worker takes it, an item of a higher priority can take its units.  So can a
 * heavier one that has waited for its stream or its own run.
 *
 * Context: Any context except NMI, also on PREEMPT_RT.  Takes and releases
 * pool->lock.
 * Return:
 * * -EAGAIN - the item would have to wait; do the work in another way.
 *   &kpool_attrs.room is not called for this.
 * * Otherwise as kpool_try_submit().
 */
int kpool_submit_now(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_submit_fn() - submit a function with an argument
 * @pool: the pool
 * @fn: the function
 * @arg: argument of @fn
 * @gfp: allocation flags for the item, which kpool frees; without
 *	__GFP_DIRECT_RECLAIM this acts as kpool_try_submit() and never sleeps
 *
 * Context: Process context.  May sleep.  Without __GFP_DIRECT_RECLAIM any
 * context that can allocate with @gfp: not NMI, and not hardirq on PREEMPT_RT.
 * May take and release pool->lock.
 * Return:
 * * -EINVAL - @fn is NULL; fix the caller.
 * * -ENOMEM - no memory for the item; @fn will not run.
 * * Otherwise as kpool_submit().
 */
int kpool_submit_fn(struct kpool *pool, kpool_fn fn, void *arg, gfp_t gfp);

/**
 * kpool_submit_arg() - submit an argument to the pool-wide function
 * @pool: a pool created with &kpool_attrs.fn
 * @arg: argument of that function
 * @gfp: as for kpool_submit_fn()
 *
 * Context: As kpool_submit_fn().
 * Return:
 * * -EINVAL - the pool has no function; fix the caller.
 * * Otherwise as kpool_submit_fn().
 */
int kpool_submit_arg(struct kpool *pool, void *arg, gfp_t gfp);

/**
 * kpool_submit_delayed() - submit a job after a delay
 * @pool: the pool
 * @job: an initialized job
 * @delay: jiffies, clamped to MAX_JIFFY_OFFSET - 1; a job with 0 is due at once
 *
 * The job is accepted now and takes no place in the queue until it is due.
 * Even with a @delay of 0 it is never refused for want of room.  It is due no
 * sooner than @delay and no later than @delay + 1/8 (granularity of the timer
 * wheel) + two ticks.  A due job then waits behind earlier submitters, like a
 * new one.  If the pool is closed before the job is due, it is dropped with
 * -ESHUTDOWN.  After kpool_abort(), or the removal of the pool's module, it is
 * dropped with -ECANCELED.
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 * Return: as kpool_submit(), but never -EAGAIN or -EDEADLK.
 */
int kpool_submit_delayed(struct kpool *pool, struct kpool_job *job,
			 unsigned long delay);

/**
 * kpool_modify_delay() - change when a delayed job is due
 * @job: the job
 * @delay: jiffies from now, like that of kpool_submit_delayed()
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 * Return:
 * * true - the job was delayed, and its time has been changed.
 * * false - the job is idle, due already, or running, or the pool is closed.
 *   Also if the job in the default pool belongs to a module that is being
 *   removed.  Nothing has changed.
 */
bool kpool_modify_delay(struct kpool_job *job, unsigned long delay);

/**
 * kpool_call() - call a function in a worker and wait for its result
 * @pool: the pool
 * @fn: the function
 * @arg: argument of @fn
 * @result: set to what @fn returned, if this returns 0; or NULL
 *
 * Context: Process context.  May sleep.  Allocates with GFP_KERNEL.  Takes and
 * releases pool->lock.
 * Return:
 * * 0 - @fn has returned.  On any error but -EIO, @fn has not run:
 * * -EINVAL - @fn is NULL; fix the caller.
 * * -ENOMEM - no memory for the call; retry later.
 * * -ECANCELED, -EAGAIN - the accepted call was dropped, see typedef
 *   kpool_drop_fn.
 * * -EIO - the thread died in @fn.
 * * Otherwise as kpool_submit().
 */
int kpool_call(struct kpool *pool, kpool_fn fn, void *arg, int *result);

/**
 * kpool_call_timeout() - call a function, waiting for a limited time
 * @pool: the pool
 * @fn: the function
 * @arg: argument of @fn; kpool owns it after -ETIMEDOUT, the caller otherwise
 * @release: frees @arg after -ETIMEDOUT, or NULL.  Called exactly once, in
 *	process context, once @fn has returned or will never run.  This can be
 *	in the caller's thread, with the caller's locks, before
 *	kpool_call_timeout() returns.  Flushing or destroying the pool in it
 *	fails with -EDEADLK
 * @timeout: jiffies for admission, queueing and running together;
 *	MAX_SCHEDULE_TIMEOUT is without a limit.  With 0, @fn hardly ever runs:
 *	-EAGAIN if there is no room, -ETIMEDOUT otherwise
 * @result: set to what @fn returned, if this returns 0; or NULL
 *
 * If @fn has not started when the time is over, it never will.  If it runs, it
 * continues; kpool_call_abandoned() then returns true in it.  There is no limit
 * for a function that the caller runs itself (KPOOL_FULL_CALLER_RUNS).
 *
 * Context: Process context.  May sleep.  Allocates with GFP_KERNEL.  Takes and
 * releases pool->lock.
 * Return:
 * * -ETIMEDOUT - the time is over; @release gets @arg.
 * * Otherwise as kpool_call(), but -EDEADLK only without a limit.
 */
int kpool_call_timeout(struct kpool *pool, kpool_fn fn, void *arg,
		       void (*release)(void *arg), unsigned long timeout,
		       int *result);

/**
 * kpool_call_killable() - call a function, stopping at a fatal signal
 * @pool: the pool
 * @fn: the function
 * @arg: argument of @fn; kpool owns it after -EINTR, the caller otherwise
 * @release: frees @arg after -EINTR, as for kpool_call_timeout(); or NULL
 * @result: set to what @fn returned, if this returns 0; or NULL
 *
 * Context: Process context.  May sleep.  Allocates with GFP_KERNEL.  Takes and
 * releases pool->lock.
 * Return:
 * * -EINTR - the caller was killed; @release gets @arg.
 * * Otherwise as kpool_call().
 */
int kpool_call_killable(struct kpool *pool, kpool_fn fn, void *arg,
			void (*release)(void *arg), int *result);

/**
 * kpool_call_interruptible() - call a function, stopping at any signal
 * @pool: the pool
 * @fn: the function
 * @arg: argument of @fn; kpool owns it after -EINTR, the caller otherwise
 * @release: frees @arg after -EINTR, as for kpool_call_timeout(); or NULL
 * @result: set to what @fn returned, if this returns 0; or NULL
 *
 * Context: Process context.  May sleep.  Allocates with GFP_KERNEL.  Takes and
 * releases pool->lock.
 * Return:
 * * -EINTR - a signal arrived; @release gets @arg.
 * * Otherwise as kpool_call().
 */
int kpool_call_interruptible(struct kpool *pool, kpool_fn fn, void *arg,
			     void (*release)(void *arg), int *result);

/**
 * kpool_current() - get the pool of the current worker
 *
 * Context: Any context.
 * Return: the pool that the current thread is a worker of: in items, and in
 * worker_init, worker_exit and the fault handler of a failed item.  NULL in
 * other threads and in an interrupt.  With KPOOL_FULL_CALLER_RUNS, an item can
 * run in its submitter.  It then gets NULL, or the pool that the submitter is a
 * worker of.
 */
struct kpool *kpool_current(void);

/**
 * kpool_call_abandoned() - check whether the caller of this function gave up
 *
 * Context: Any context.  Meant for a function called by kpool_call_timeout(),
 * kpool_call_killable() or kpool_call_interruptible().
 * Return: true if the caller no longer waits; false if it does, and elsewhere.
 */
bool kpool_call_abandoned(void);

/**
 * kpool_worker_data() - get the data of the current worker
 *
 * Context: Any context.  Meant for items of a pool with
 * &kpool_attrs.worker_init.
 * Return: what worker_init returned in the current worker; NULL elsewhere.
 */
void *kpool_worker_data(void);

/* Cancel, disable, flush */

/**
 * kpool_cancel() - cancel a pending item
 * @item: the item
 *
 * A sleeping submit of @item returns -ECANCELED; as the item was never
 * accepted, this returns false then.  A running item is not affected.
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 * Return:
 * * true - the item was pending or delayed, and will not run.
 * * false - the item was not pending; it can be running.
 */
bool kpool_cancel(struct kpool_item *item);

/**
 * kpool_cancel_sync() - cancel an item and wait for its run to end
 * @item: the item; its memory must stay valid until this returns, so do not use
 *	this for an item that frees itself
 *
 * During the wait, submits of the item get -ECANCELED.  Afterwards the item is
 * neither pending nor running and may be freed.
 *
 * Context: Process context.  May sleep.  Takes and releases pool->lock.
 * Return:
 * * 1 - the item was pending or delayed.
 * * 0 - the item was neither.
 * * -ERANGE - as for kpool_disable(); nothing has changed.
 * * -EDEADLK - called from inside the item, or from inside another or a
 *   callback of its pool and the wait could never end.  A pending item has been
 *   cancelled; the run has not ended, so do not free the item.
 * * -EIO - the run has ended because its thread died.
 */
int kpool_cancel_sync(struct kpool_item *item);

/**
 * kpool_disable() - cancel an item and refuse its submits
 * @item: the item
 *
 * Calls nest; each one is undone by one kpool_enable().
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 * Return:
 * * 1 - the item was pending or delayed.
 * * 0 - the item was neither.
 * * -ERANGE - nested 65535 deep; nothing has changed.
 */
int kpool_disable(struct kpool_item *item);

/**
 * kpool_disable_sync() - disable an item and wait for its run to end
 * @item: the item; its memory must stay valid until this returns, so do not use
 *	this for an item that frees itself
 *
 * Context: Process context.  May sleep.  Takes and releases pool->lock.
 * Return: as kpool_cancel_sync(); the item is disabled unless this returns
 * -ERANGE.
 */
int kpool_disable_sync(struct kpool_item *item);

/**
 * kpool_enable() - undo one kpool_disable()
 * @item: the item
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 * Return:
 * * 0 - the item can be submitted again.
 * * 1 - the item is still disabled by another call.
 * * -EINVAL - the item was not disabled; fix the caller.
 */
int kpool_enable(struct kpool_item *item);

/**
 * kpool_flush_item() - wait until the last submission of an item has ended
 * @item: the item; its memory must stay valid until this returns, so do not use
 *	this for an item that frees itself
 *
 * Waits for the last submission before the call, not for later ones.  The
 * caller sees everything that the run stored.
 *
 * Context: Process context.  May sleep.  Takes and releases pool->lock.
 * Return:
 * * 0 - the submission has ended, or there was none.
 * * -EDEADLK - called from inside the item, or from inside another or a
 *   callback of its pool and the wait could never end.  The item has not ended.
 * * -EIO - the item has ended because its thread died.
 */
int kpool_flush_item(struct kpool_item *item);

/**
 * kpool_is_pending() - check whether an item is accepted and not started
 * @item: the item
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 * Return: true if @item is pending or delayed; stale at once unless the caller
 * excludes other users of the item.
 */
bool kpool_is_pending(struct kpool_item *item);

/* Groups: wait for, or cancel, many jobs together */

/* Flags of kpool_init_group(). */
#define KPOOL_GROUP_FAIL_FAST	0x1	/* the first error cancels the rest */
#define KPOOL_GROUP_COLLECT	0x2	/* kpool_group_next() returns jobs */

/**
 * struct kpool_group - jobs of one pool that are waited for together
 *
 * A group can live on the stack.  It must stay valid until the last submit of
 * one of its jobs has returned, even if it was refused.  After that it must
 * stay valid until kpool_group_wait() has returned 0 or -EIO, or
 * kpool_group_next() NULL.  Its functions use the pool, and must not be called
 * after kpool_destroy().
 */
struct kpool_group {
	/* private: */
	struct kpool		*pool;
	struct kpool_group	*parent;
	struct list_head	pending;
	struct list_head	ended;
	struct list_head	children;
	struct list_head	sibling;
	struct list_head	cancel_node;
	struct list_head	blocked;
	struct list_head	waiters;
	struct list_head	failed_waiters;
	struct list_head	next_waiters;
	unsigned int		left;
	unsigned int		members;
	unsigned int		flags;
	int			error;
	bool			cancelled;
	bool			swept;
	u8			depth;
};

/* Maximum number of levels of groups, the outermost included. */
#define KPOOL_GROUP_MAX_DEPTH	8

/**
 * kpool_init_group() - initialize a group
 * @group: the group
 * @pool: the pool that all its jobs are submitted to
 * @parent: a group of the same pool, or NULL.  Waiting for it includes @group,
 *	and cancelling it cancels @group.  It records the first error of @group,
 *	and with KPOOL_GROUP_FAIL_FAST is cancelled by it
 * @flags: KPOOL_GROUP_FAIL_FAST, KPOOL_GROUP_COLLECT
 *
 * Context: Any context.
 * Return:
 * * 0 - the group is ready.
 * * -EINVAL - unknown flag, parent of another pool, or more than
 *   %KPOOL_GROUP_MAX_DEPTH levels; fix the caller.
 */
int kpool_init_group(struct kpool_group *group, struct kpool *pool,
		     struct kpool_group *parent, unsigned int flags);

/**
 * kpool_set_group() - set the group of a job
 * @job: the job, neither pending nor running.  Or not pending, from inside
 *	its own function, or its completion function if it has one: then for its
 *	next run
 * @group: the group, or NULL for none
 *
 * The group counts each submission of the job.  Submitting the job to a pool
 * other than the group's fails with -EINVAL; once the group is cancelled, with
 * -ECANCELED.
 *
 * Context: Any context except NMI.  May take and release pool->lock.
 * Return:
 * * 0 - the group is set.
 * * -EBUSY, -EINVAL - as for kpool_set_deadline().
 */
int kpool_set_group(struct kpool_job *job, struct kpool_group *group);

/**
 * kpool_group_wait() - wait until every accepted job of a group has ended
 * @group: the group
 * @timeout: jiffies; 0 does not wait, MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * The caller sees everything that the jobs stored.
 *
 * Context: Process context.  May sleep.  Takes and releases pool->lock.
 * Return:
 * * 0 - all jobs have ended; see kpool_group_error().
 * * -EDEADLK - called from inside a job of the group, or its drop function, or
 *   the wait has no limit and could never end.  The group continues.
 * * -ETIMEDOUT - jobs are left; the group continues.
 * * -EIO - all jobs have ended, but a thread died in one during the wait.
 */
int kpool_group_wait(struct kpool_group *group, unsigned long timeout);

/**
 * kpool_group_wait_killable() - wait for a group, stopping at a fatal signal
 * @group: the group
 * @timeout: jiffies; 0 does not wait, MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * Context: Process context.  May sleep.  Takes and releases pool->lock.
 * Return:
 * * -EINTR - the caller was killed; the group continues.
 * * Otherwise as kpool_group_wait().
 */
int kpool_group_wait_killable(struct kpool_group *group, unsigned long timeout);

/**
 * kpool_group_wait_interruptible() - wait for a group, stopping at any signal
 * @group: the group
 * @timeout: jiffies; 0 does not wait, MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * Context: Process context.  May sleep.  Takes and releases pool->lock.
 * Return:
 * * -EINTR - a signal arrived; the group continues.
 * * Otherwise as kpool_group_wait().
 */
int kpool_group_wait_interruptible(struct kpool_group *group,
				   unsigned long timeout);

/**
 * kpool_group_error() - get the first error of a group
 * @group: the group
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 * Return: 0, or the error of the first job of the group or of its children to
 * fail.  It is what its function returned, what it was dropped with, or -EIO if
 * its thread died.  A job that kpool_cancel() cancelled, or that was dropped
 * with its group, has not failed.
 */
int kpool_group_error(struct kpool_group *group);

/**
 * kpool_group_cancel() - drop the jobs of a group that have not started
 * @group: the group
 *
 * Pending and delayed jobs are dropped with -ECANCELED.  Sleeping submitters of
 * its jobs, and later submits, get -ECANCELED, or -ESHUTDOWN if the pool has
 * been closed.  Running jobs finish.  Does not wait.
 *
 * Context: Any context except NMI.  Takes and releases pool->lock.
 */
void kpool_group_cancel(struct kpool_group *group);

/**
 * kpool_group_next() - get the next job of a group that has ended
 * @group: a group with KPOOL_GROUP_COLLECT
 * @timeout: jiffies; 0 does not wait, MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * Returns the jobs in the order in which they ended, cancelled and dropped ones
 * included; see kpool_job_result().  From its submit until it is returned here,
 * a job must not be freed, and submitting it again fails with -EALREADY.
 *
 * Several callers can collect at once.  The group must stay until each of them
 * has returned: one that was asleep looks for a job again.
 *
 * Context: Process context.  May sleep.  Takes and releases pool->lock.
 * Return:
 * * the job; NULL when none is left; or ERR_PTR:
 * * -EINVAL - the group does not have KPOOL_GROUP_COLLECT; fix the caller.
 * * -EDEADLK - as for kpool_group_wait().
 * * -ETIMEDOUT - no job ended within @timeout; call again.
 */
struct kpool_job *kpool_group_next(struct kpool_group *group,
				   unsigned long timeout);

/**
 * kpool_job_result() - get the result of a job that has ended
 * @job: a job that kpool_group_next() has returned, or that is being completed:
 *	see kpool_set_complete_fn()
 *
 * Context: Any context.
 * Return: what the function returned, or what the job was dropped with;
 * -ECANCELED if it was cancelled, -EIO if its thread died.
 */
static inline int kpool_job_result(const struct kpool_job *job)
{
	return job->result;
}

/* Streams: jobs in order */

/**
 * struct kpool_stream - jobs that run one at a time, in order
 *
 * A stream has no thread of its own and costs nothing while it is empty.  It
 * must stay valid until the last of its jobs has ended.
 */
struct kpool_stream {
	/* private: */
	struct kpool		*pool;
	struct kpool_run	*runner;
	struct list_head	jobs;
	u64			nr_joined;
	bool			ordered;
	u32			refused;
};

/**
 * kpool_init_stream() - initialize a stream
 * @stream: the stream
 * @pool: the pool that all its jobs are submitted to
 *
 * Context: Any context.
 */
void kpool_init_stream(struct kpool_stream *stream, struct kpool *pool);

/**
 * kpool_init_ordered_stream() - initialize a stream with ordered completion
 * @stream: the stream
 * @pool: the pool that all its jobs are submitted to
 *
 * The functions of its jobs run in parallel, like those of other items.  Then
 * their completion functions are called, see kpool_set_complete_fn(): one at a
 * time, in the order in which the jobs were queued.  A job that waits for its
 * completion takes no thread, no unit and no place in the queue.
 *
 * Context: Any context.
 */
void kpool_init_ordered_stream(struct kpool_stream *stream, struct kpool *pool);

/**
 * kpool_set_complete_fn() - set the completion function of a job
 * @job: the job, neither pending nor running.  Or not pending, from inside
 *	its own function, or its completion function if it has one: then for its
 *	next run
 * @complete: called by a worker once the job's function has returned and no
 *	earlier job is still to be completed; or NULL.  kpool_job_result()
 *	returns the result of the job's function to it
 *
 * @complete holds one unit, starts before all queued items, and is not held
 * back by kpool_pause() or kpool_abort().  The job has ended when @complete has
 * returned: for its waiters, its group, and the counters.  If the function or
 * @complete returns an error, the job has failed, once, with the first error.
 *
 * @complete may free the job or submit it again; the job's function must not.
 * From the start of the function to that of @complete, a submit of the job
 * fails with -EALREADY.
 *
 * A job that is cancelled or dropped, or whose thread dies, leaves the order,
 * and @complete is not called.
 *
 * Submitting a job with a @complete outside of an ordered stream, or one
 * without to an ordered stream, fails with -EINVAL.
 *
 * Context: Any context except NMI.  May take and release pool->lock.
 * Return:
 * * 0 - the function is set.
 * * -EBUSY, -EINVAL - as for kpool_set_deadline().
 */
int kpool_set_complete_fn(struct kpool_job *job, kpool_item_fn complete);

/**
 * kpool_set_stream() - set the stream of a job
 * @job: the job, neither pending nor running.  Or not pending, from inside
 *	its own function, or its completion function if it has one: then for its
 *	next run
 * @stream: the stream, or NULL for none
 *
 * Jobs run in the order in which they are queued; a delayed job is queued when
 * it is due.  A job that waits for its stream takes a place in the queue but no
 * units.  In an ordered stream no job waits for another to start.  Submitting
 * the job to a pool other than the stream's fails with -EINVAL.
 *
 * Context: Any context except NMI.  May take and release pool->lock.
 * Return:
 * * 0 - the stream is set.
 * * -EBUSY, -EINVAL - as for kpool_set_deadline().
 */
int kpool_set_stream(struct kpool_job *job, struct kpool_stream *stream);

/* Several pools used as one */

struct kpool_multi;

/**
 * enum kpool_placement - how kpool_multi_pick() chooses a pool
 * @KPOOL_PLACE_ROUND_ROBIN: each pool in turn; kpool_multi_submit() goes on to
 *	the least loaded one if it refuses
 * @KPOOL_PLACE_LEAST_LOADED: the pool with the fewest items accepted and not
 *	ended
 */
enum kpool_placement {
	KPOOL_PLACE_ROUND_ROBIN,
	KPOOL_PLACE_LEAST_LOADED,
};

/**
 * kpool_multi_create() - create several similar pools
 * @attrs: attributes of each pool, copied; NULL for all defaults
 * @nr: number of pools, 1 to 64
 * @placement: how a pool is chosen for an item
 * @fmt: printf format of their common name, up to KPOOL_NAME_MAX - 3
 *	characters; the pools are called NAME-0, NAME-1 ...
 * @...: arguments of @fmt
 *
 * Context: Process context.  May sleep.  Takes and releases the registry mutex,
 * pool->mutex and pool->lock.
 * Return:
 * * the pools, or ERR_PTR, and no pool is left:
 * * -ERANGE - bad @nr; fix the caller.
 * * -EINVAL - bad @placement or name; fix the caller.
 * * Otherwise as kpool_create().
 */
__printf(4, 5)
struct kpool_multi *kpool_multi_create(const struct kpool_attrs *attrs,
				       unsigned int nr,
				       enum kpool_placement placement,
				       const char *fmt, ...);

/* private: adds the calling module */
#define kpool_multi_create(...)						\
	kpool_multi_create_owned(THIS_MODULE, __VA_ARGS__)
__printf(5, 6)
struct kpool_multi *kpool_multi_create_owned(struct module *owner,
					     const struct kpool_attrs *attrs,
					     unsigned int nr,
					     enum kpool_placement placement,
					     const char *fmt, ...);

/**
 * kpool_multi_destroy() - destroy all pools
 * @multi: the pools, or NULL; must not be used after this call
 *
 * Context: Process context.  May sleep.  Takes and releases the registry
 * mutex, pool->mutex and pool->lock.
 * Return:
 * * 0 - the pools are freed, or @multi is NULL.
 * * -EDEADLK - called from inside an item or a callback of one of them; nothing
 *   has changed.
 * * -ESHUTDOWN - the module that created the pools was removed; @multi is
 *   freed.
 * * -EIO - the pools are freed, but a thread died in an item during the wait.
 */
int kpool_multi_destroy(struct kpool_multi *multi);

/**
 * kpool_multi_submit() - submit an item to one of the pools
 * @multi: the pools
 * @item: an initialized item
 *
 * With KPOOL_PLACE_ROUND_ROBIN, the least loaded pool is tried once if the
 * chosen one returns -EAGAIN.
 *
 * If an item submits itself from its own function and another pool is chosen,
 * the item is handed over to that pool.  This can sleep, or be refused for want
 * of room.  Two such submits that wait for each other's units sleep until one
 * of the pools is closed.  An item that must not be refused for want of room
 * submits itself to kpool_current(), if a worker of its pool runs it.  With
 * KPOOL_FULL_CALLER_RUNS, its submitter can run it: see kpool_current().
 *
 * Context: As kpool_submit().
 * Return: as kpool_submit() to the chosen pool.
 */
int kpool_multi_submit(struct kpool_multi *multi, struct kpool_item *item);

/**
 * kpool_multi_pick() - choose one of the pools
 * @multi: the pools
 *
 * Use this for submit variants that have no kpool_multi_*() form, for example
 * kpool_submit_delayed(kpool_multi_pick(multi), ...).
 *
 * Context: Any context except NMI.
 * Return: the pool.
 */
struct kpool *kpool_multi_pick(struct kpool_multi *multi);

/**
 * kpool_multi_pool() - get one of the pools by its number
 * @multi: the pools
 * @i: number of the pool, from 0
 *
 * Context: Any context.
 * Return:
 * * the pool, or ERR_PTR:
 * * -ERANGE - there is no pool with that number.
 */
struct kpool *kpool_multi_pool(struct kpool_multi *multi, unsigned int i);

/**
 * kpool_multi_get_stats() - read the summed statistics of the pools
 * @multi: the pools
 * @stats: filled: oldest_pending_ms is the largest; closed and paused if all
 *	are
 *
 * Context: Any context except NMI.  Takes and releases each pool->lock.
 */
void kpool_multi_get_stats(struct kpool_multi *multi,
			   struct kpool_stats *stats);

/**
 * kpool_multi_tune() - change an attribute of all pools
 * @multi: the pools
 * @tunable: the attribute
 * @value: as for kpool_tune()
 *
 * Context: Process context.  May sleep.  Takes and releases each pool->mutex
 * and pool->lock.
 * Return: as kpool_tune(); on error, pools already changed are set back.
 */
int kpool_multi_tune(struct kpool_multi *multi, enum kpool_tunable tunable,
		     int value);

/**
 * kpool_multi_shutdown_timeout() - close all pools and wait for them to drain
 * @multi: the pools
 * @timeout: jiffies for all together; 0 does not wait
 *
 * Context: Process context.  May sleep.  Takes and releases each pool->lock.
 * Return:
 * * 0 - no item and no worker is left in any pool.
 * * -EDEADLK - called from inside an item or a callback of one of them; all
 *   stay open.
 * * -ETIMEDOUT - items or workers are left; all pools are closed.  Call again.
 * * -EIO - all have drained, but a thread died in an item during the wait.
 */
int kpool_multi_shutdown_timeout(struct kpool_multi *multi,
				 unsigned long timeout);

/**
 * kpool_multi_reopen() - reopen all pools
 * @multi: the pools
 *
 * Context: Process context.  May sleep.  Takes and releases each pool->mutex
 * and pool->lock.
 * Return: as kpool_reopen(); on error, all pools are closed.
 */
int kpool_multi_reopen(struct kpool_multi *multi);

/* kpool linked into a module: see kpool.mk */

/**
 * kpool_module_init() - start kpool in the module that it is linked into
 *
 * For a module whose Kbuild file includes ``kpool.mk``; ``kpool.ko`` does not
 * export it.  Call it once, in the module's init function, before any other
 * function of kpool.
 *
 * Context: Process context.  May sleep.
 * Return:
 * * 0 - kpool can be used; if the init function fails later, it must call
 *   kpool_module_exit().
 * * -ENOMEM, or another error of the kernel - nothing has been started.
 */
int kpool_module_init(void);

/**
 * kpool_module_exit() - stop kpool in the module that it is linked into
 *
 * Call it last, in the module's exit function.  The default pool is destroyed
 * as by kpool_destroy().  Pools that the module has not destroyed are reported
 * in the log; their pending items are dropped, running ones are awaited.  When
 * this returns, no thread executes code of kpool or of an item.
 *
 * Context: Process context.  May sleep.  Takes and releases the registry
 * mutex, pool->mutex and pool->lock.
 */
void kpool_module_exit(void);

#endif /* _KPOOL_H */
