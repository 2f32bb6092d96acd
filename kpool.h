/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kpool: bounded kernel thread pools.
 *
 * This header is the whole public interface.  A work item is embedded in the
 * caller's structure, submitted to a pool, and run once by one of its workers.
 * Documentation/ is the manual; start with Documentation/clients.rst.
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
 * KPOOL_NAME_MAX - maximum length of a pool's name, without the NUL
 */
#define KPOOL_NAME_MAX	31

/*
 * Special values of attributes.  Zero always asks for the default; where zero
 * has a meaning (no queue, no min_workers), KPOOL_NONE asks for it.
 */
#define KPOOL_UNLIMITED	INT_MAX		/* capacity, queue_depth, max_blocked, max_bypass */
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
	KPOOL_FULL_WAIT,	/* block the submitter until there is room */
	KPOOL_FULL_CALLER_RUNS,	/* run the item in the submitter */
	KPOOL_FULL_DROP_OLDEST,	/* drop the oldest queued item */
};

/* Flags of kpool_attrs, fixed when the pool is created. */
#define KPOOL_PREALLOC		0x1	/* create min_workers with the pool */
#define KPOOL_MEM_RECLAIM	0x2	/* make progress without free memory */
#define KPOOL_FREEZABLE		0x4	/* freeze workers for suspend */
#define KPOOL_PINNED		0x8	/* not tunable through debugfs */
#define KPOOL_NOIO		0x10	/* workers allocate with GFP_NOIO */

/**
 * typedef kpool_item_fn - the function of an embedded item
 * @item: the item; the function may free it or submit it again
 *
 * Called in a worker, in process context with no locks held.  Waking the owner
 * from inside frees no room in the pool before the function returns.  Memory
 * handed to another thread, also the item, can be freed before it returns.
 *
 * Return: 0, or an errno, which is counted as ``failed``.
 */
typedef int (*kpool_item_fn)(struct kpool_item *item);

/**
 * typedef kpool_fn - a function with an argument
 * @arg: passed by the submitter
 *
 * Called in a worker, in process context with no locks held.
 *
 * Return: 0, or an errno, which is counted as ``failed``.
 */
typedef int (*kpool_fn)(void *arg);

/**
 * typedef kpool_drop_fn - called when an accepted item will not run
 * @item: the item, neither pending nor running; the function may free it
 * @err: the reason: -ECANCELED by kpool_abort() or kpool_group_cancel(),
 *	-ESHUTDOWN if it was delayed when its pool was closed, -ETIME if its
 *	deadline had passed, -EAGAIN if a newer item has displaced it
 *
 * Called exactly once per dropped item, in process context with no locks held.
 * Flush and destroy wait for it to return; waiting for the item or the pool
 * from inside fails with -EDEADLK.  Not called when kpool_cancel() returned
 * true.
 */
typedef void (*kpool_drop_fn)(struct kpool_item *item, int err);

/**
 * struct kpool_fault - an item that failed, passed to the fault handler
 * @fn: the item's function, or that of kpool_submit_fn(), kpool_submit_arg() or
 *	a call
 * @item: its address; the item can have been freed
 * @err: what the function returned; -EIO if its thread died in it
 * @died: the thread died in it: the function has not returned, and the contents
 *	of the item are unknown
 * @state: private data of that worker, see &kpool_attrs.worker_init, or NULL
 */
struct kpool_fault {
	void		*fn;
	const void	*item;
	int		err;
	bool		died;
	void		*state;
};

/**
 * struct kpool_attrs - attributes of a pool
 * @capacity: units that running items can hold, and the limit on workers; 1 to
 *	KPOOL_UNLIMITED, which is INT_MAX units
 * @min_workers: workers that never expire; 0 to 65536
 * @queue_depth: items that can wait in the pool when no unit is free;
 *	KPOOL_NONE to KPOOL_UNLIMITED.  An item that is about to start does not
 *	wait, so @pending of &struct kpool_stats can be larger by the free units
 * @max_blocked: submitters that can be blocked at once; 1 to KPOOL_UNLIMITED
 * @nonblocking: 1 if submit must never sleep, KPOOL_NONE if it can; a pool
 *	created nonblocking stays so
 * @expiry_ms: idle milliseconds after which a worker exits; 1 to
 *	KPOOL_NO_PURGE, which means never
 * @nice: nice value of the workers; -20 to 19
 * @policy: scheduling policy of the workers; enum kpool_policy
 * @rt_priority: real-time priority for KPOOL_POLICY_FIFO and _RR; 1 to 99
 * @node: KPOOL_NODE(nid) to keep workers and their memory on one NUMA node
 * @when_full: what submit does without room; enum kpool_when_full; on a live
 *	pool the value at creation or KPOOL_FULL_WAIT
 * @stall_ms: milliseconds after which a run is reported, once, with its stack;
 *	1 to KPOOL_NO_STALL, which means never
 * @max_bypass: starts in a row that can pass over an item of a lower priority;
 *	1 to KPOOL_UNLIMITED, which means strict priority
 * @flags: KPOOL_PREALLOC; KPOOL_MEM_RECLAIM, which includes it, makes
 *	@min_workers at least 1 and guarantees progress without memory to
 *	items that do not wait for each other; KPOOL_FREEZABLE, workers freeze
 *	between items; KPOOL_PINNED, a write to an attribute in debugfs is
 *	-EPERM; KPOOL_NOIO, workers run in a memalloc_noio_save() scope
 * @cpumask: CPUs of the workers; cpu_all_mask for all
 * @fn: pool-wide function of kpool_submit_arg(), or NULL
 * @data: first argument of the callbacks below
 * @worker_init: called in each new worker before its first item, concurrently
 *	in several workers; returns the worker's private data, see
 *	kpool_worker_data(), or ERR_PTR.  After an error it is tried again after
 *	100 ms, and after twice as long with each failure, up to 10 s. If it
 *	takes longer than 100 ms, a waiting item gets another worker
 * @worker_exit: called in the worker with that data before it exits,
 *	concurrently in several workers.  Shutdown waits for both
 * @fault: called in process context with no locks held when an item returned an
 *	error, in its thread, or when a thread died in one, in another thread;
 *	the item ends when it returns
 * @room: called in process context with no locks held after submits failed with
 *	-EAGAIN, except kpool_submit_now(), once there is room again or the pool
 *	has been closed; once for all of them.  It may submit; drop functions of
 *	the pool wait for it
 *
 * A field of zero asks for the default: the module parameter of the same name,
 * see Documentation/attributes.rst.  The fields up to @max_bypass can be
 * changed on a live pool by kpool_tune(), @cpumask by kpool_tune_cpumask().
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
	void (*worker_exit)(void *data, void *state);
	void (*fault)(void *data, const struct kpool_fault *fault);
	void (*room)(void *data);
};

/**
 * enum kpool_tunable - names an attribute for kpool_tune()
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
 * @KPOOL_NR_TUNABLES: how many there are
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
 * struct kpool_stats - one consistent reading of a pool
 * @submitted: accepted items
 * @completed: items whose function returned
 * @failed: of @completed: returned an error
 * @cancelled: accepted items that were cancelled or disabled
 * @dropped: accepted items that were dropped, see typedef kpool_drop_fn
 * @expired: of @dropped: the deadline had passed
 * @displaced: of @dropped: evicted by a newer item
 * @caller_ran: of @completed: run by their submitter
 * @died: items in which a thread died
 * @stalled: runs reported for their length
 * @abandoned: calls whose caller stopped waiting while they ran
 * @refused: submits that returned -EAGAIN
 * @spawned: workers created
 * @purged: workers that expired
 * @retired: workers that exited because the pool was closed or shrunk
 * @alive: workers
 * @idle: workers without an item
 * @running: items in their function
 * @units: units that they hold
 * @pending: accepted items that have not started, except delayed ones
 * @delayed: jobs whose delay has not expired
 * @blocked: submitters asleep in submit
 * @oldest_pending_ms: how long the oldest queued item has been pending, in
 *	milliseconds; a delayed job counts from when it was queued
 * @closed: shut down and not reopened
 * @paused: new starts are held back
 *
 * With nothing pending, delayed, running or in a drop function, submitted =
 * completed + cancelled + dropped + died.  Always, spawned = purged + retired +
 * died + alive.
 */
struct kpool_stats {
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
 * The numbers of struct kpool_stats in their order.  A file that uses the list
 * defines KPOOL_STAT(name), an expression, first: see debugfs.c.
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
 * struct kpool_item - a work item, embedded in the caller's structure
 *
 * Its fields belong to kpool.  It takes 64 bytes, and submitting it allocates
 * nothing.  It may be freed, or submitted to another pool, when it is neither
 * pending nor running, and from inside its own function.
 */
struct kpool_item {
	/* private: */
	struct list_head	node;
	kpool_item_fn		fn;
	kpool_drop_fn		dropped;
	struct kpool_run	*run;
	union {
		struct kpool_waiter	*submitter;
		struct {
			u32		queued_at;
			union {
				u32	seq;
				int	err;
			};
		};
	};
	u32			pool_id;
	u32			epoch;
	u32			weight;
	union {
		struct {
			u16	disabled;
			u8	state;
			u8	flags;
		};
		u32		special;
	};
};

/* private: flags of an item; one that has none is plain */
#define __KPOOL_HAS_WAITERS	0x01	/* has waiters */
#define __KPOOL_WEIGHTED	0x02	/* its weight is not 1 */
#define __KPOOL_HIGH		0x04
#define __KPOOL_LOW		0x08
#define __KPOOL_JOB		0x10	/* embedded in a struct kpool_job */
#define __KPOOL_STREAM_BLOCKED	0x20	/* waits for its stream */
#define __KPOOL_NO_JOB		0x40	/* a job setter was called for a plain item */
#define __KPOOL_FN		0x80	/* part of an item that kpool allocated */

/**
 * KPOOL_ITEM_INIT - static initializer of an item
 * @_fn: its function
 */
#define KPOOL_ITEM_INIT(_fn)	{ .fn = (_fn), .weight = 1 }

/**
 * DEFINE_KPOOL_ITEM - define an item
 * @item: its name
 * @_fn: its function
 */
#define DEFINE_KPOOL_ITEM(item, _fn)					\
	struct kpool_item item = KPOOL_ITEM_INIT(_fn)

/**
 * kpool_init_item() - initialize an item
 * @item: the item, neither pending nor running
 * @fn: its function
 *
 * Context: Any context.
 */
void kpool_init_item(struct kpool_item *item, kpool_item_fn fn);

/**
 * kpool_init_item_onstack() - initialize an item on the stack
 * @item: the item
 * @fn: its function
 *
 * Pair with kpool_destroy_item_onstack().
 *
 * Context: Any context.
 */
void kpool_init_item_onstack(struct kpool_item *item, kpool_item_fn fn);

/**
 * kpool_destroy_item_onstack() - end the use of an item on the stack
 * @item: the item, not pending: flush or cancel it first.  If it runs, its
 *	function must have signalled that it no longer uses the item
 *
 * Warns if the item is pending.
 *
 * Context: Any context.
 */
void kpool_destroy_item_onstack(struct kpool_item *item);

/**
 * kpool_set_drop_fn() - set the drop function of an item
 * @item: the item, neither pending nor running
 * @dropped: called once for each submission that is dropped, or NULL
 *
 * Context: Any context.
 */
static inline void kpool_set_drop_fn(struct kpool_item *item,
				     kpool_drop_fn dropped)
{
	item->dropped = dropped;
}

/**
 * kpool_set_weight() - set the units that an item holds while it runs
 * @item: the item, neither pending nor running; or not pending, from inside its
 *	own function: then for its next run
 * @weight: units, 1 by default
 *
 * An item starts when all its units are free, and holds back those behind it
 * until then.  If capacity shrinks below the weight of an accepted item, the
 * item counts as capacity.
 *
 * Context: Any context.
 * Return: 0; -EINVAL, nothing changed, if @weight is less than 1.
 */
int kpool_set_weight(struct kpool_item *item, int weight);

/**
 * enum kpool_priority - order of starts
 * @KPOOL_PRIO_NORMAL: the default
 * @KPOOL_PRIO_HIGH: ahead of normal
 * @KPOOL_PRIO_LOW: behind normal
 */
enum kpool_priority {
	KPOOL_PRIO_NORMAL,
	KPOOL_PRIO_HIGH,
	KPOOL_PRIO_LOW,
};

/**
 * kpool_set_priority() - set the priority of an item
 * @item: the item, neither pending nor running; or not pending, from inside its
 *	own function: then for its next run
 * @priority: its priority
 *
 * Items start by priority, then by arrival.  After &kpool_attrs.max_bypass
 * starts in a row ahead of a lower priority, the oldest item of a lower
 * priority starts. Blocked submitters are admitted by arrival alone.
 *
 * Context: Any context.
 * Return: 0; -EINVAL, nothing changed, if there is no such priority.
 */
int kpool_set_priority(struct kpool_item *item, enum kpool_priority priority);

/* Jobs */

/* private: a place in the order of a stream, of a job or of its run */
struct kpool_turn {
	struct list_head	node;
	u64			nr;
	u8			state;
};

/**
 * struct kpool_job - an item with a deadline, a delay, a group or a stream
 * @item: submitted, cancelled and flushed like any other item
 *
 * Use &job->item wherever an item is expected, and kpool_job_of() in its
 * function.
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
 * @_fn: its function
 */
#define KPOOL_JOB_INIT(_fn)						\
	{ .item = { .fn = (_fn), .weight = 1, .flags = __KPOOL_JOB } }

/**
 * DEFINE_KPOOL_JOB - define a job
 * @job: its name
 * @_fn: its function
 */
#define DEFINE_KPOOL_JOB(job, _fn)					\
	struct kpool_job job = KPOOL_JOB_INIT(_fn)

/**
 * kpool_init_job() - initialize a job
 * @job: the job, neither pending nor running
 * @fn: its function
 *
 * A job on the stack ends with kpool_destroy_item_onstack().
 *
 * Context: Any context.
 */
void kpool_init_job(struct kpool_job *job, kpool_item_fn fn);

/**
 * kpool_job_of() - get the job of an item
 * @item: an item that was initialized as a job
 */
static inline struct kpool_job *kpool_job_of(struct kpool_item *item)
{
	return container_of(item, struct kpool_job, item);
}

/**
 * kpool_set_deadline() - set the deadline of a job
 * @job: the job, neither pending nor running; or not pending, from inside its
 *	own function: then for its next run
 * @deadline: CLOCK_MONOTONIC, as ktime_get(); 0 for none
 *
 * Checked once, when the job could start: past it, the job is dropped with
 * -ETIME.
 *
 * Context: Any context.
 * Return: 0; -EINVAL, nothing changed and a warning, if @job was initialized by
 * kpool_init_item().  Its submits then return -EINVAL too.
 */
int kpool_set_deadline(struct kpool_job *job, ktime_t deadline);

/* Pools */

/**
 * kpool_create() - create a pool
 * @attrs: its attributes, copied; NULL for all defaults
 * @fmt: printf format of its name: 1 to KPOOL_NAME_MAX of [A-Za-z0-9_-], not
 *	taken, neither "pools" nor "default"
 * @...: arguments of @fmt
 *
 * The reason of an error is in the log.
 *
 * Context: Process context.  May sleep.
 * Return: the pool, or ERR_PTR:
 *
 * * -EINVAL: bad name, contradicting attributes, or no online CPU in the
 *   cpumask
 * * -ERANGE: an attribute is out of range
 * * -EEXIST: the name is taken
 * * -ENOMEM: no memory
 * * -EAGAIN, -EINTR: KPOOL_PREALLOC could not create its workers: limit on
 *   threads, or killed
 */
__printf(2, 3)
struct kpool *kpool_create(const struct kpool_attrs *attrs, const char *fmt,
			   ...);

/* private: adds the calling module; attrs can be a compound literal */
#define kpool_create(...)	kpool_create_owned(THIS_MODULE, __VA_ARGS__)
__printf(3, 4)
struct kpool *kpool_create_owned(struct module *owner,
				 const struct kpool_attrs *attrs, const char *fmt,
				 ...);

/**
 * kpool_destroy() - close a pool, wait until it is drained, free it
 * @pool: the pool, or NULL; no other call may follow
 *
 * Accepted items still run; blocked submitters get -ESHUTDOWN.  When this
 * returns 0 or -EIO, no kpool thread runs code of the caller's module, which
 * can be unloaded at once.
 *
 * A module that is removed without destroying its pool leaves an orphan:
 * pending items are dropped, running ones awaited, and the pool is closed for
 * good.  Its callbacks are not called again, its name is free, and its memory
 * is freed with kpool.ko.  Another module that has the pointer can still call
 * any function.
 *
 * Context: Process context.  May sleep without limit.
 * Return:
 *
 * * 0: done, also for NULL
 * * -EIO: done, but a thread died in an item meanwhile
 * * -EDEADLK: called from inside an item of the pool; nothing changed
 * * -EINVAL: the default pool; nothing changed
 * * -ESHUTDOWN: the pool is an orphan; nothing to do
 */
int kpool_destroy(struct kpool *pool);

/**
 * kpool_shutdown() - close a pool, do not wait
 * @pool: the pool
 *
 * Accepted items still run, delayed jobs are dropped, then the workers exit.
 * Submitters, also blocked ones, get -ESHUTDOWN.  Undoes pause.  Can be
 * repeated.
 *
 * Context: Any context except NMI.
 */
void kpool_shutdown(struct kpool *pool);

/**
 * kpool_shutdown_timeout() - close a pool and wait until it is drained
 * @pool: the pool
 * @timeout: jiffies; 0 does not wait, MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * Can be repeated, also after -ETIMEDOUT.  The thread of the last worker can be
 * visible in /proc for a moment after this has returned.
 *
 * Context: Process context.  May sleep.
 * Return:
 *
 * * 0: drained
 * * -EIO: drained, but a thread died in an item meanwhile
 * * -ETIMEDOUT: the pool stays closed
 * * -EDEADLK: called from inside an item of the pool, which stays open
 */
int kpool_shutdown_timeout(struct kpool *pool, unsigned long timeout);

/**
 * kpool_abort() - close a pool and drop pending items
 * @pool: the pool
 *
 * Running items finish.  The drop function of each pending item is called with
 * -ECANCELED before this returns; for an item that also runs, at the end of
 * that run.
 *
 * Context: Process context.  May sleep.
 * Return: the number of items dropped by this call.
 */
unsigned long kpool_abort(struct kpool *pool);

/**
 * kpool_reopen() - open a closed pool again
 * @pool: the pool
 *
 * Attributes and counters are kept.  Does nothing on an open pool.
 *
 * Context: Process context.  May sleep.
 * Return:
 *
 * * 0: open
 * * -ESHUTDOWN: the pool is an orphan
 * * -EBUSY: accepted items have not ended
 * * -EDEADLK: called from worker_init or worker_exit of the pool
 * * -ENOMEM, -EAGAIN, -EINTR: KPOOL_PREALLOC could not create its workers; the
 *   pool stays closed
 */
int kpool_reopen(struct kpool *pool);

/**
 * kpool_pause() - hold back new starts
 * @pool: the pool
 *
 * Running items go on; submit still queues or blocks.
 *
 * Context: Any context except NMI.
 * Return: 0; -ESHUTDOWN if the pool is closed.
 */
int kpool_pause(struct kpool *pool);

/**
 * kpool_resume() - allow new starts again
 * @pool: the pool
 *
 * Context: Any context except NMI.
 */
void kpool_resume(struct kpool *pool);

/**
 * kpool_flush() - wait for all previously accepted items
 * @pool: the pool
 *
 * Stores of these items are visible afterwards.  Items accepted later are not
 * waited for.
 *
 * Context: Process context.  May sleep.
 * Return: 0; -EIO, all have ended, but a thread died in one of them; -EDEADLK
 * from inside an item of the pool.
 */
int kpool_flush(struct kpool *pool);

/**
 * kpool_tune() - change an attribute of a live pool
 * @pool: the pool
 * @tunable: the attribute
 * @value: as in &struct kpool_attrs; 0 for the default
 *
 * Growing admits blocked submitters and starts queued items.  Shrinking retires
 * workers when their item ends; it refuses no accepted item and no blocked
 * submitter.  Allowed also for KPOOL_PINNED.  The reason of an error is in the
 * log.
 *
 * Context: Process context.  May sleep.
 * Return: 0, or nothing changed and
 *
 * * -EINVAL: no such attribute, or it would contradict another: min_workers
 *   above capacity, or none with KPOOL_PREALLOC; a node without an online CPU
 * * -ERANGE: out of range
 * * -EPERM: nonblocking removed from a pool created so, or when_full set to
 *   neither KPOOL_FULL_WAIT nor the value at creation
 */
int kpool_tune(struct kpool *pool, enum kpool_tunable tunable, int value);

/**
 * kpool_tune_cpumask() - change the CPUs of a live pool's workers
 * @pool: the pool
 * @mask: at least one online CPU; copied; cpu_all_mask for all, NULL for the
 *	default
 *
 * The mask is kept while its CPUs are offline and applied again when one
 * returns.
 *
 * Context: Process context.  May sleep.
 * Return: 0; -EINVAL if no CPU of @mask is online.
 */
int kpool_tune_cpumask(struct kpool *pool, const struct cpumask *mask);

/**
 * kpool_get_attrs() - read the attributes in force
 * @pool: the pool
 * @attrs: filled; @attrs->cpumask is left NULL
 *
 * Context: Any context except NMI.
 */
void kpool_get_attrs(struct kpool *pool, struct kpool_attrs *attrs);

/**
 * kpool_get_stats() - read the counters
 * @pool: the pool
 * @stats: filled with one consistent reading
 *
 * Context: Any context except NMI.
 */
void kpool_get_stats(struct kpool *pool, struct kpool_stats *stats);

/**
 * kpool_default() - get the shared default pool
 *
 * Created on first use from the module parameters default_*; its name is
 * "default".  It can be closed and reopened, but not destroyed, and does not
 * pin kpool.ko.  A module must flush or cancel its own items there before it is
 * removed.  Otherwise they are cancelled or awaited, and submits of them return
 * -ESHUTDOWN meanwhile.  An item belongs to a module if its function, its drop
 * function or its memory is within the module.
 *
 * Context: Process context.  May sleep.
 * Return: the pool, or ERR_PTR(-ENOMEM).
 */
struct kpool *kpool_default(void);

/* Submitting */

/**
 * kpool_submit() - submit an item by the pool's policy
 * @pool: the pool
 * @item: an initialized item
 *
 * The item starts if its units are free; otherwise it is queued, if fewer than
 * queue_depth items wait; otherwise the caller sleeps until there is room, in
 * order of arrival.  An item submitted while it runs starts after that run.  An
 * item that submits itself is never refused for want of room.
 *
 * Stores before this call are visible to a run that starts afterwards, also
 * after -EALREADY.
 *
 * Context: Process context.  May sleep.  Any context except NMI if the pool was
 * created nonblocking.  In interrupts and with interrupts off it never sleeps;
 * a caller that holds a lock must use kpool_try_submit().
 * Return: 0, accepted.  Otherwise not accepted:
 *
 * * -EINVAL: no function, heavier than capacity, or a group or stream of
 *   another pool
 * * -EALREADY: pending or being submitted; nothing to do
 * * -EBUSY: running, or being dropped, in another pool
 * * -ESHUTDOWN: the pool is closed, or the item is in the default pool and its
 *   module is being removed
 * * -ECANCELED: disabled, its group is cancelled, or cancelled while the caller
 *   slept
 * * -EAGAIN: no room, and the call cannot sleep, or max_blocked submitters are
 *   blocked; drop it, or submit it again from &kpool_attrs.room
 * * -EDEADLK: the caller is an item of this pool, and would wait for itself
 */
int kpool_submit(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_try_submit() - submit an item without sleeping
 * @pool: the pool
 * @item: an initialized item
 *
 * Context: Any context except NMI, also under raw spinlocks and in hardirq on
 * PREEMPT_RT.
 * Return: as kpool_submit(); -EAGAIN also while submitters are blocked.
 */
int kpool_try_submit(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_submit_timeout() - submit an item, sleep for a limited time
 * @pool: the pool
 * @item: an initialized item
 * @timeout: jiffies; 0 is kpool_try_submit()
 *
 * Context: Process context.  May sleep.
 * Return: as kpool_submit(); -ETIMEDOUT when the time is over.
 */
int kpool_submit_timeout(struct kpool *pool, struct kpool_item *item,
			 unsigned long timeout);

/**
 * kpool_submit_killable() - submit an item, stop waiting on a fatal signal
 * @pool: the pool
 * @item: an initialized item
 *
 * Context: Process context.  May sleep.
 * Return: as kpool_submit(); -EINTR when killed.
 */
int kpool_submit_killable(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_submit_interruptible() - submit an item, stop waiting on any signal
 * @pool: the pool
 * @item: an initialized item
 *
 * Context: Process context.  May sleep.
 * Return: as kpool_submit(); -EINTR on a signal.
 */
int kpool_submit_interruptible(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_submit_now() - submit an item only if it can start at once
 * @pool: the pool
 * @item: an initialized item
 *
 * Accepts the item only if it waits neither for units nor for its stream, its
 * own run, or kpool_resume().  It starts as soon as a worker is awake or
 * created.
 *
 * Context: Any context except NMI, also under raw spinlocks and in hardirq on
 * PREEMPT_RT.
 * Return: as kpool_try_submit(); -EAGAIN also if the item would have to wait.
 * &kpool_attrs.room is not called after that.
 */
int kpool_submit_now(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_submit_fn() - submit a function and its argument
 * @pool: the pool
 * @fn: the function
 * @arg: its argument
 * @gfp: allocation flags of the item, which kpool frees; without
 *	__GFP_DIRECT_RECLAIM the submit never sleeps
 *
 * Context: As @gfp allows; not in hardirq on PREEMPT_RT.
 * Return: as kpool_submit(); -ENOMEM.
 */
int kpool_submit_fn(struct kpool *pool, kpool_fn fn, void *arg, gfp_t gfp);

/**
 * kpool_submit_arg() - submit an argument to the pool-wide function
 * @pool: a pool with &kpool_attrs.fn
 * @arg: the argument
 * @gfp: as for kpool_submit_fn()
 *
 * Context: As @gfp allows; not in hardirq on PREEMPT_RT.
 * Return: as kpool_submit_fn(); -EINVAL if the pool has no function.
 */
int kpool_submit_arg(struct kpool *pool, void *arg, gfp_t gfp);

/**
 * kpool_submit_delayed() - submit a job after a delay
 * @pool: the pool
 * @job: an initialized job
 * @delay: jiffies; 0 is due at once
 *
 * The job is accepted now and takes no place in the queue until it is due: no
 * sooner than @delay, and at most one eighth and two ticks later.  Then it is
 * queued; without room it waits like a blocked submitter, and is never refused.
 * If the pool is closed before, it is dropped with -ESHUTDOWN.
 *
 * Context: Any context except NMI.
 * Return: as kpool_submit(), but never -EAGAIN or -EDEADLK.
 */
int kpool_submit_delayed(struct kpool *pool, struct kpool_job *job,
			 unsigned long delay);

/**
 * kpool_modify_delay() - change when a delayed job is due
 * @job: the job
 * @delay: jiffies from now; 0 is due at once
 *
 * Context: Any context except NMI.
 * Return: true if the job was delayed and its time has been changed.  False if
 * it is idle, due or running, if the pool is closed, or if the job is in the
 * default pool and its module is being removed.
 */
bool kpool_modify_delay(struct kpool_job *job, unsigned long delay);

/**
 * kpool_call() - run a function in the pool and wait for its result
 * @pool: the pool
 * @fn: the function
 * @arg: its argument
 * @result: set to the return value of @fn if this returns 0; or NULL
 *
 * Context: Process context.  May sleep; allocates with GFP_KERNEL.
 * Return: 0, @fn has returned.  Otherwise @fn has not run, except after -EIO:
 * -ENOMEM; -EIO, a thread died in @fn; an error as typedef kpool_drop_fn; or as
 * kpool_submit().
 */
int kpool_call(struct kpool *pool, kpool_fn fn, void *arg, int *result);

/**
 * kpool_call_timeout() - run a function, wait for a limited time
 * @pool: the pool
 * @fn: the function
 * @arg: its argument; owned by kpool after -ETIMEDOUT
 * @release: frees @arg after a timeout, or NULL.  Called exactly once, in
 *	process context, once @fn has returned or will never run; this can be
 *	before kpool_call_timeout() returns
 * @timeout: jiffies, for admission, queueing and running together; with 0 @fn
 *	hardly ever runs: -EAGAIN without room, else -ETIMEDOUT
 * @result: set to the return value of @fn if this returns 0; or NULL
 *
 * If @fn has not started when the time is over, it never will.  If it runs, it
 * goes on; kpool_call_abandoned() tells it that the caller stopped waiting.
 *
 * Context: Process context.  May sleep; allocates with GFP_KERNEL.
 * Return: as kpool_call(); -ETIMEDOUT.
 */
int kpool_call_timeout(struct kpool *pool, kpool_fn fn, void *arg,
		       void (*release)(void *arg), unsigned long timeout,
		       int *result);

/**
 * kpool_call_killable() - run a function, stop waiting when killed
 * @pool: the pool
 * @fn: the function
 * @arg: its argument; owned by kpool after -EINTR
 * @release: frees @arg after -EINTR, as for kpool_call_timeout(); or NULL
 * @result: set to the return value of @fn if this returns 0; or NULL
 *
 * Context: Process context.  May sleep; allocates with GFP_KERNEL.
 * Return: as kpool_call(); -EINTR when killed.
 */
int kpool_call_killable(struct kpool *pool, kpool_fn fn, void *arg,
			void (*release)(void *arg), int *result);

/**
 * kpool_call_interruptible() - run a function, stop waiting on a signal
 * @pool: the pool
 * @fn: the function
 * @arg: its argument; owned by kpool after -EINTR
 * @release: as for kpool_call_killable()
 * @result: set to the return value of @fn if this returns 0; or NULL
 *
 * Context: Process context.  May sleep; allocates with GFP_KERNEL.
 * Return: as kpool_call(); -EINTR on a signal.
 */
int kpool_call_interruptible(struct kpool *pool, kpool_fn fn, void *arg,
			     void (*release)(void *arg), int *result);

/**
 * kpool_current() - get the pool whose worker the caller is
 *
 * Context: Any context.
 * Return: the pool, in its items, worker_init and worker_exit; NULL elsewhere,
 * also in an item run by its submitter, and in an interrupt.
 */
struct kpool *kpool_current(void);

/**
 * kpool_call_abandoned() - has the caller of this function stopped waiting?
 *
 * Context: Inside a function of kpool_call_timeout(), kpool_call_killable() or
 * kpool_call_interruptible(); false elsewhere.
 */
bool kpool_call_abandoned(void);

/**
 * kpool_worker_data() - get the private data of the current worker
 *
 * Context: Inside an item of a pool with &kpool_attrs.worker_init.
 * Return: what worker_init returned in the current worker; NULL elsewhere.
 */
void *kpool_worker_data(void);

/* Cancelling and waiting */

/**
 * kpool_cancel() - cancel a pending item
 * @item: the item
 *
 * A blocked submit of @item returns -ECANCELED; since the item was not
 * accepted, that does not count here.  A running item is not affected.
 *
 * Context: Any context except NMI.
 * Return: true if the item was pending or delayed and will not run.
 */
bool kpool_cancel(struct kpool_item *item);

/**
 * kpool_cancel_sync() - cancel an item and wait until it does not run
 * @item: the item
 *
 * Submits of the item return -ECANCELED meanwhile.  Afterwards it is idle and
 * may be freed.
 *
 * Context: Process context.  May sleep.
 * Return:
 *
 * * 1: the item was pending
 * * 0: the item was not pending
 * * -EIO: a thread died in the item
 * * -EDEADLK: called from inside the item, or from another one of its pool if
 *   that could never end; a pending item has been cancelled all the same
 * * -ERANGE: as kpool_disable(); nothing changed
 */
int kpool_cancel_sync(struct kpool_item *item);

/**
 * kpool_disable() - cancel an item and refuse its submits
 * @item: the item
 *
 * Nests: each call needs one kpool_enable().
 *
 * Context: Any context except NMI.
 * Return: 1 if the item was pending, 0 if not; -ERANGE, nothing changed, if
 * nested 65535 deep.
 */
int kpool_disable(struct kpool_item *item);

/**
 * kpool_disable_sync() - disable an item and wait until it does not run
 * @item: the item
 *
 * Context: Process context.  May sleep.
 * Return: as kpool_cancel_sync(); the item stays disabled also after -EDEADLK.
 */
int kpool_disable_sync(struct kpool_item *item);

/**
 * kpool_enable() - undo one kpool_disable()
 * @item: the item
 *
 * Context: Any context except NMI.
 * Return: 0, enabled; 1, still disabled by other callers; -EINVAL if the item
 * was not disabled.
 */
int kpool_enable(struct kpool_item *item);

/**
 * kpool_flush_item() - wait until an item's submission has ended
 * @item: the item, which must not be freed meanwhile
 *
 * Waits for the submission at the time of the call, not for later ones.  Stores
 * of the run are visible afterwards.
 *
 * Context: Process context.  May sleep.
 * Return: 0; -EIO, a thread died in the item; -EDEADLK from inside the item, or
 * from another one of its pool if that could never end.
 */
int kpool_flush_item(struct kpool_item *item);

/**
 * kpool_is_pending() - is an item accepted and not started?
 * @item: the item
 *
 * Context: Any context except NMI.
 * Return: true or false, possibly stale.
 */
bool kpool_is_pending(struct kpool_item *item);

/* Groups */

/* Flags of a group. */
#define KPOOL_GROUP_FAIL_FAST	0x1	/* the first error cancels the rest */
#define KPOOL_GROUP_COLLECT	0x2	/* keep ended jobs for kpool_group_next() */

/**
 * struct kpool_group - jobs of one pool that are waited for together
 *
 * Can live on the stack.  Must not be freed before kpool_group_wait() has
 * returned 0 after the last submit.
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

/* Limit of nested groups, including the outermost. */
#define KPOOL_GROUP_MAX_DEPTH	8

/**
 * kpool_init_group() - initialize a group
 * @group: the group
 * @pool: the pool that all its jobs are submitted to
 * @parent: a group of the same pool that also waits for this one, gets its
 *	error, and cancels it; or NULL
 * @flags: KPOOL_GROUP_FAIL_FAST, KPOOL_GROUP_COLLECT
 *
 * Context: Any context.
 * Return: 0; -EINVAL for an unknown flag, a parent of another pool, or more
 * than %KPOOL_GROUP_MAX_DEPTH nested groups.
 */
int kpool_init_group(struct kpool_group *group, struct kpool *pool,
		     struct kpool_group *parent, unsigned int flags);

/**
 * kpool_set_group() - set the group of a job
 * @job: the job, neither pending nor running
 * @group: the group, or NULL for none
 *
 * Each submission counts.
 *
 * Context: Any context.
 * Return: 0; -EINVAL as kpool_set_deadline().
 */
int kpool_set_group(struct kpool_job *job, struct kpool_group *group);

/**
 * kpool_group_wait() - wait until every accepted job of a group has ended
 * @group: the group
 * @timeout: jiffies; 0 does not wait, MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * Stores of the jobs are visible afterwards.
 *
 * Context: Process context.  May sleep.
 * Return:
 *
 * * 0: all have ended, see kpool_group_error()
 * * -EIO: all have ended, but a thread died in one of them meanwhile
 * * -ETIMEDOUT: the group goes on
 * * -EDEADLK: called from inside a job of the group, or could never end
 */
int kpool_group_wait(struct kpool_group *group, unsigned long timeout);

/**
 * kpool_group_wait_killable() - wait for a group, stop waiting when killed
 * @group: the group
 * @timeout: as for kpool_group_wait()
 *
 * Context: Process context.  May sleep.
 * Return: as kpool_group_wait(); -EINTR when killed: the group goes on.
 */
int kpool_group_wait_killable(struct kpool_group *group, unsigned long timeout);

/**
 * kpool_group_wait_interruptible() - wait for a group, stop waiting on a signal
 * @group: the group
 * @timeout: as for kpool_group_wait()
 *
 * Context: Process context.  May sleep.
 * Return: as kpool_group_wait(); -EINTR on a signal: the group goes on.
 */
int kpool_group_wait_interruptible(struct kpool_group *group,
				   unsigned long timeout);

/**
 * kpool_group_error() - get the first error of a group
 * @group: the group
 *
 * Context: Any context except NMI.
 * Return: 0, or the first error that a job of the group, or of its children,
 * returned or was dropped with.  Cancelled jobs, and jobs dropped because the
 * group was cancelled, do not count.
 */
int kpool_group_error(struct kpool_group *group);

/**
 * kpool_group_cancel() - drop the jobs of a group that have not started
 * @group: the group
 *
 * Pending and delayed jobs are dropped with -ECANCELED.  Blocked and later
 * submits of its jobs return -ECANCELED.  Running jobs finish.  Does not wait.
 *
 * Context: Any context except NMI.
 */
void kpool_group_cancel(struct kpool_group *group);

/**
 * kpool_group_next() - get the next job that has ended
 * @group: a group with KPOOL_GROUP_COLLECT
 * @timeout: jiffies; 0 does not wait, MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * Jobs are returned in the order in which they ended; kpool_job_result() tells
 * how.  From its submit until it is returned here, a job must not be freed, and
 * submitting it again returns -EALREADY.
 *
 * Context: Process context.  May sleep.
 * Return: the job; NULL if none is left; ERR_PTR: -ETIMEDOUT; -EDEADLK as
 * kpool_group_wait(); -EINVAL without KPOOL_GROUP_COLLECT.
 */
struct kpool_job *kpool_group_next(struct kpool_group *group,
				   unsigned long timeout);

/**
 * kpool_job_result() - get the result of a job returned by kpool_group_next()
 * @job: the job, or one that is being completed, see kpool_set_complete_fn()
 *
 * Return: what its function returned; what it was dropped with; -ECANCELED if
 * it was cancelled.
 */
static inline int kpool_job_result(const struct kpool_job *job)
{
	return job->result;
}

/* Streams */

/**
 * struct kpool_stream - jobs that run one at a time, in order
 *
 * Has no thread, and costs nothing while it is empty.  Must not be freed before
 * the last of its jobs has ended.
 */
struct kpool_stream {
	/* private: */
	struct kpool		*pool;
	struct kpool_run	*runner;
	struct list_head	jobs;
	u64			nr_joined;
	bool			ordered;
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
 * kpool_init_ordered_stream() - initialize a stream with completion in order
 * @stream: the stream
 * @pool: the pool that all its jobs are submitted to
 *
 * The functions of its jobs run in parallel.  The complete functions, see
 * kpool_set_complete_fn(), are called one at a time, in the order in which the
 * jobs were queued.  A job that waits for its completion holds no thread and no
 * unit, and takes no place in the queue.
 *
 * Context: Any context.
 */
void kpool_init_ordered_stream(struct kpool_stream *stream, struct kpool *pool);

/**
 * kpool_set_complete_fn() - set the complete function of a job
 * @job: the job, neither pending nor running
 * @complete: called in a worker when the job's function has returned and all
 *	earlier jobs have been completed or will not be; kpool_job_result() is
 *	what the function returned; or NULL
 *
 * @complete holds one unit, is called ahead of all queued items, and is not
 *	held back by kpool_pause() or kpool_abort().  The job ends when
 *	@complete returns: for waiters, its group, and the counters.  @complete
 *	may free the job or submit it again.  The job's function must do
 *	neither: from its start to that of @complete every submit of the job
 *	returns -EALREADY.  If one of them returns an error, the job has failed
 *	with the first one.
 *
 * A job that is cancelled or dropped, or whose thread dies, leaves the order,
 * and @complete is not called.  A job with @complete in another stream or in
 * none, and a job without @complete in an ordered stream, are refused with
 * -EINVAL at submit.
 *
 * Context: Any context.
 * Return: 0; -EINVAL as kpool_set_deadline().
 */
int kpool_set_complete_fn(struct kpool_job *job, kpool_item_fn complete);

/**
 * kpool_set_stream() - set the stream of a job
 * @job: the job, neither pending nor running
 * @stream: the stream, or NULL for none
 *
 * Jobs run in order of acceptance; a delayed job counts from when it is due.  A
 * job that waits for its stream takes a place in the queue and no unit.  In an
 * ordered stream no job waits to run.
 *
 * Context: Any context.
 * Return: 0; -EINVAL as kpool_set_deadline().
 */
int kpool_set_stream(struct kpool_job *job, struct kpool_stream *stream);

/* Several pools */

struct kpool_multi;

/**
 * enum kpool_placement - choice among several pools
 * @KPOOL_ROUND_ROBIN: each in turn; if that one refuses, the least loaded
 * @KPOOL_LEAST_LOADED: the one with the fewest accepted items that have not
 *	ended
 */
enum kpool_placement {
	KPOOL_ROUND_ROBIN,
	KPOOL_LEAST_LOADED,
};

/**
 * kpool_multi_create() - create several pools with the same attributes
 * @attrs: the attributes of each, copied; NULL for all defaults
 * @nr: number of pools, 1 to 64
 * @placement: how a pool is chosen for an item
 * @fmt: printf format of their common name, up to KPOOL_NAME_MAX - 3
 *	characters; the pools are named NAME-0, NAME-1 ...
 * @...: arguments of @fmt
 *
 * Context: Process context.  May sleep.
 * Return: the pools, or ERR_PTR and no pool: -ERANGE (@nr), -EINVAL
 * (@placement), or as kpool_create().
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
 * @multi: the pools, or NULL
 *
 * Context: Process context.  May sleep without limit.
 * Return: 0, also for NULL; -EDEADLK from inside an item of one of them,
 * nothing changed.
 */
int kpool_multi_destroy(struct kpool_multi *multi);

/**
 * kpool_multi_submit() - submit an item to one of the pools
 * @multi: the pools
 * @item: an initialized item
 *
 * Context: As kpool_submit().
 * Return: as kpool_submit() to the chosen pool.  Round robin tries the least
 * loaded pool once before it returns -EAGAIN.
 */
int kpool_multi_submit(struct kpool_multi *multi, struct kpool_item *item);

/**
 * kpool_multi_pick() - choose one of the pools
 * @multi: the pools
 *
 * Use this for submit variants that have no kpool_multi_*() form, e.g.
 * kpool_submit_delayed(kpool_multi_pick(multi), ...).
 *
 * Context: Any context except NMI.
 * Return: the pool.
 */
struct kpool *kpool_multi_pick(struct kpool_multi *multi);

/**
 * kpool_multi_pool() - get a pool by its number
 * @multi: the pools
 * @i: its number, from 0
 *
 * Context: Any context.
 * Return: the pool; ERR_PTR(-ERANGE) if there is none with that number.
 */
struct kpool *kpool_multi_pool(struct kpool_multi *multi, unsigned int i);

/**
 * kpool_multi_get_stats() - read the sums of the counters
 * @multi: the pools
 * @stats: filled: oldest_pending_ms is the maximum; closed and paused if all
 *	are
 *
 * Context: Any context except NMI.
 */
void kpool_multi_get_stats(struct kpool_multi *multi, struct kpool_stats *stats);

/**
 * kpool_multi_tune() - tune all pools
 * @multi: the pools
 * @tunable: the attribute
 * @value: as for kpool_tune()
 *
 * Context: Process context.  May sleep.
 * Return: as kpool_tune(); if one pool refuses, the change of the others is
 * undone.
 */
int kpool_multi_tune(struct kpool_multi *multi, enum kpool_tunable tunable,
		     int value);

/**
 * kpool_multi_shutdown_timeout() - close all pools, wait until drained
 * @multi: the pools
 * @timeout: jiffies for all together; 0 does not wait
 *
 * Context: Process context.  May sleep.
 * Return: as kpool_shutdown_timeout(): 0 when all are drained; -ETIMEDOUT, all
 * are closed; -EDEADLK, all stay open.
 */
int kpool_multi_shutdown_timeout(struct kpool_multi *multi,
				 unsigned long timeout);

/**
 * kpool_multi_reopen() - open all pools again
 * @multi: the pools
 *
 * Context: Process context.  May sleep.
 * Return: 0; as kpool_reopen() if one of them fails, then all are closed.
 */
int kpool_multi_reopen(struct kpool_multi *multi);

#endif /* _KPOOL_H */
