/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kpool: a bounded, tunable pool of kernel threads.
 *
 * This header is the whole public interface.  A work item is embedded in the
 * caller's own structure, submitted to a pool, and run exactly once by one of
 * the pool's workers.  Documentation/ is the manual; Documentation/clients.rst
 * shows how a module in another tree builds against this header.
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
 * Special values of attributes.  Zero always asks for the default; where zero
 * itself means something (no queue, no warm workers), KPOOL_NONE asks for it.
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
	KPOOL_FULL_WAIT,	/* the submitter sleeps until there is room */
	KPOOL_FULL_CALLER_RUNS,	/* the submitter runs the item itself */
	KPOOL_FULL_DROP_OLDEST,	/* the oldest in line makes room */
};

/* Flags of kpool_attrs, fixed when the pool is created. */
#define KPOOL_PREALLOC		0x1	/* make min_workers at creation */
#define KPOOL_MEM_RECLAIM	0x2	/* progress when memory is exhausted */
#define KPOOL_FREEZABLE		0x4	/* workers stop for suspend */
#define KPOOL_PINNED		0x8	/* debugfs cannot tune the pool */
#define KPOOL_NOIO		0x10	/* workers allocate as with GFP_NOIO */

/**
 * typedef kpool_item_fn - the function of an embedded work item
 * @item: the item; the function may free it, or submit it again
 *
 * Runs in a worker, in process context, without locks.  What it completes for
 * its owner makes no room in the pool before it has returned.  Memory that it has
 * handed on, its item included, may be freed by others before it returns.
 *
 * Return: 0, or an errno, which the pool counts as ``failed``.
 */
typedef int (*kpool_item_fn)(struct kpool_item *item);

/**
 * typedef kpool_fn - a function that is given an argument
 * @arg: what the submitter passed
 *
 * Runs in a worker, in process context, without locks.
 *
 * Return: 0, or an errno, which the pool counts as ``failed``.
 */
typedef int (*kpool_fn)(void *arg);

/**
 * typedef kpool_drop_fn - told that an accepted item will not run
 * @item: the item, neither pending nor running; the function may free it
 * @err: why: -ECANCELED by kpool_abort() or kpool_group_cancel(), -ESHUTDOWN
 *	if it was delayed when its pool was closed, -ETIME if its deadline had
 *	passed, -EAGAIN if a newer item has displaced it
 *
 * Called once, in process context, without locks.  Until it returns, the item
 * and its pool are waited for; to wait for either from inside is -EDEADLK.  Not
 * called for the caller of a successful kpool_cancel(), who knows.
 */
typedef void (*kpool_drop_fn)(struct kpool_item *item, int err);

/**
 * struct kpool_fault - an item that failed, as told to a fault handler
 * @fn: its function, or that of kpool_submit_fn(), kpool_submit_arg() or a call
 * @item: its address, which may have been freed
 * @err: what the function returned; -EIO if its worker has died in it
 * @died: the worker has died in it: the function has not returned, and nothing
 *	is known of the item's memory
 * @state: what worker_init returned in that worker, or NULL
 */
struct kpool_fault {
	void		*fn;
	const void	*item;
	int		err;
	bool		died;
	void		*state;
};

/**
 * struct kpool_attrs - what a pool is made of
 * @capacity: units of work that may run at once, and so the most worker
 *	threads alive; 1 to KPOOL_UNLIMITED, which is INT_MAX units
 * @min_workers: workers that the reap work never takes; 0 to 65536
 * @queue_depth: items that may wait in the pool when no unit is free;
 *	KPOOL_NONE to KPOOL_UNLIMITED.  An item that is about to start does not
 *	wait, so @pending of &struct kpool_stats may be more by the units free
 * @max_blocked: submitters that may sleep at once; 1 to KPOOL_UNLIMITED
 * @nonblocking: 1 if submit must never sleep, KPOOL_NONE if it may; a pool
 *	created nonblocking stays so
 * @expiry_ms: idle milliseconds after which a worker is purged; 1 to
 *	KPOOL_NO_PURGE, which means never
 * @nice: nice value of the workers; -20 to 19
 * @policy: scheduling policy of the workers; enum kpool_policy
 * @rt_priority: real-time priority for KPOOL_POLICY_FIFO and _RR; 1 to 99
 * @node: KPOOL_NODE(nid) to keep workers and their memory on one NUMA node
 * @when_full: what submit does when there is no room; enum kpool_when_full; a
 *	live pool goes from the value it was created with to KPOOL_FULL_WAIT and back
 * @stall_ms: milliseconds after which a running item is reported, once for each
 *	run, with its stack; 1 to KPOOL_NO_STALL, which means never
 * @max_bypass: starts in a row that may pass over an item of a lower priority;
 *	1 to KPOOL_UNLIMITED, which means strict priority
 * @flags: KPOOL_PREALLOC; KPOOL_MEM_RECLAIM, which includes it and makes
 *	@min_workers at least 1: items that do not wait for one another get on
 *	without memory; KPOOL_FREEZABLE, workers stop between items for suspend;
 *	KPOOL_PINNED, a write to an attribute's debugfs file is -EPERM;
 *	KPOOL_NOIO, the workers run in a memalloc_noio_save() scope
 * @cpumask: CPUs that the workers may run on; cpu_all_mask for all
 * @fn: the pool-wide function of kpool_submit_arg(), or NULL
 * @data: given to the callbacks below
 * @worker_init: called in each new worker before its first item, in several
 *	workers at once; returns the worker's state, see kpool_worker_data(),
 *	or ERR_PTR if there can be no worker now: then it is tried again after
 *	100 ms, and after twice as long each time it fails, up to 10 s.  An item
 *	that has waited for it for 100 ms gets another worker, if one may be made
 * @worker_exit: called in the worker with its state before it ends, in several
 *	workers at once.  The end of the pool waits for both
 * @fault: called in process context, without locks, when an item has returned
 *	an error, in its worker, or when a worker has died in one, elsewhere;
 *	until it returns, the item has not ended
 * @room: called in process context, without locks, when a submit that was
 *	refused for want of room (-EAGAIN), but by kpool_submit_now(), would not
 *	be refused now, or the pool has been closed: once for all that were
 *	refused meanwhile.  It may submit; the pool's dropped functions wait for it
 *
 * A field left at zero takes the default: the module parameter of the same
 * name, see Documentation/attributes.rst.  The fields up to @max_bypass can be
 * changed on the live pool by kpool_tune(), and @cpumask by
 * kpool_tune_cpumask().
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
 * @submitted: items accepted
 * @completed: items whose function returned
 * @failed: those of @completed that returned an error
 * @cancelled: accepted items taken back by cancel or disable
 * @dropped: accepted items that the pool gave up, see typedef kpool_drop_fn
 * @expired: those of @dropped whose deadline had passed
 * @displaced: those of @dropped that made room for a newer item
 * @caller_ran: those of @completed that their submitter ran
 * @died: items whose worker died in them, and those workers
 * @stalled: runs that were reported for their length
 * @abandoned: calls whose caller has not waited for the end
 * @refused: submits that got -EAGAIN
 * @spawned: workers ever made
 * @purged: workers that ended because they were idle for too long
 * @retired: workers that ended by release or tune
 * @alive: workers alive
 * @idle: workers asleep without an item
 * @running: items in their function
 * @units: units of work that they hold
 * @pending: items accepted and not started, the delayed not among them
 * @delayed: items accepted whose time has not come
 * @blocked: submitters asleep
 * @oldest_pending_ms: how long the oldest in line has been pending, in milliseconds; of a
 *	delayed job, since it came into the line
 * @closed: released and not rebooted
 * @paused: new starts are held back
 *
 * With nothing pending, delayed, running or in a dropped function, submitted =
 * completed + cancelled + dropped + died; spawned = purged + retired + died +
 * alive always.
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
 * struct kpool_item - a work item, to be embedded in the caller's structure
 *
 * Its fields belong to kpool.  It takes 64 bytes and submitting it allocates
 * nothing.  It may be freed, or its pool changed, whenever it is neither
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
#define __KPOOL_HAS_WAITERS	0x01	/* somebody waits for it */
#define __KPOOL_WEIGHTED	0x02	/* its weight is not 1 */
#define __KPOOL_HIGH		0x04
#define __KPOOL_LOW		0x08
#define __KPOOL_JOB		0x10	/* embedded in a struct kpool_job */
#define __KPOOL_STREAM_BLOCKED	0x20	/* another of its stream comes first */
#define __KPOOL_NO_JOB		0x40	/* taken for a job, which it is not */
#define __KPOOL_FN		0x80	/* part of an item that kpool allocated */

/**
 * KPOOL_ITEM_INIT - static initialiser of an item
 * @_fn: its function
 */
#define KPOOL_ITEM_INIT(_fn)	{ .fn = (_fn), .weight = 1 }

/**
 * DEFINE_KPOOL_ITEM - define a static or file-scope item
 * @item: its name
 * @_fn: its function
 */
#define DEFINE_KPOOL_ITEM(item, _fn)					\
	struct kpool_item item = KPOOL_ITEM_INIT(_fn)

/**
 * kpool_init_item() - prepare an item before its first submit
 * @item: the item, neither pending nor running
 * @fn: its function
 *
 * Context: Any.
 */
void kpool_init_item(struct kpool_item *item, kpool_item_fn fn);

/**
 * kpool_init_item_onstack() - prepare an item that lives on the stack
 * @item: the item
 * @fn: its function
 *
 * Must be paired with kpool_destroy_item_onstack() before the function that
 * owns the stack returns.
 *
 * Context: Any.
 */
void kpool_init_item_onstack(struct kpool_item *item, kpool_item_fn fn);

/**
 * kpool_destroy_item_onstack() - end of an item that lives on the stack
 * @item: the item, not pending: flush or cancel it first.  If it runs, its
 *	function has said that it will not use the item any more
 *
 * An item that is still pending is reported by a warning.
 *
 * Context: Any.
 */
void kpool_destroy_item_onstack(struct kpool_item *item);

/**
 * kpool_set_drop_fn() - have the owner told when an accepted item will not run
 * @item: the item, neither pending nor running
 * @dropped: called once for each acceptance that ends without a run, or NULL
 *
 * Context: Any.
 */
static inline void kpool_set_drop_fn(struct kpool_item *item,
				     kpool_drop_fn dropped)
{
	item->dropped = dropped;
}

/**
 * kpool_set_weight() - say how many units of capacity an item holds
 * @item: the item, neither pending nor running; or not pending, from inside its
 *	own function: then for its next run
 * @weight: units, 1 if never set; while it is more than the pool's capacity,
 *	submit returns -EINVAL
 *
 * An item starts when all its units are free, and holds back those behind it
 * until then.  If capacity shrinks below its weight after it was accepted, it
 * counts as capacity.
 *
 * Context: Any.
 * Return: 0; -EINVAL, nothing changed, if @weight is less than 1.
 */
int kpool_set_weight(struct kpool_item *item, int weight);

/**
 * enum kpool_priority - which items start first
 * @KPOOL_PRIO_NORMAL: if never set
 * @KPOOL_PRIO_HIGH: before them
 * @KPOOL_PRIO_LOW: after them
 */
enum kpool_priority {
	KPOOL_PRIO_NORMAL,
	KPOOL_PRIO_HIGH,
	KPOOL_PRIO_LOW,
};

/**
 * kpool_set_priority() - let an item start before or after others
 * @item: the item, neither pending nor running; or not pending, from inside its
 *	own function: then for its next run
 * @priority: its priority
 *
 * The line is by priority, then by arrival; but after &kpool_attrs.max_bypass
 * starts in a row that pass over a lower priority, the next start goes to the
 * oldest item of a lower priority, so that none starves.  Submitters that sleep
 * are served by arrival alone.
 *
 * Context: Any.
 * Return: 0; -EINVAL, nothing changed, if there is no such priority.
 */
int kpool_set_priority(struct kpool_item *item, enum kpool_priority priority);

/* Jobs: items with more than a plain one can have */

/* private: a place in the order of a stream, of a job or of its run */
struct kpool_turn {
	struct list_head	node;
	u64			nr;
	u8			state;
};

/**
 * struct kpool_job - an item that can have a deadline, a delay, a group, a stream
 * @item: what is submitted, cancelled, flushed like any other item
 *
 * Embedded in the caller's structure like an item, which it is: &job->item goes
 * wherever an item goes, and its function finds the job by kpool_job_of().
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
 * KPOOL_JOB_INIT - static initialiser of a job
 * @_fn: its function
 */
#define KPOOL_JOB_INIT(_fn)						\
	{ .item = { .fn = (_fn), .weight = 1, .flags = __KPOOL_JOB } }

/**
 * DEFINE_KPOOL_JOB - define a static or file-scope job
 * @job: its name
 * @_fn: its function
 */
#define DEFINE_KPOOL_JOB(job, _fn)					\
	struct kpool_job job = KPOOL_JOB_INIT(_fn)

/**
 * kpool_init_job() - prepare a job before its first submit
 * @job: the job, neither pending nor running
 * @fn: its function
 *
 * One that lives on the stack ends with kpool_destroy_item_onstack().
 *
 * Context: Any.
 */
void kpool_init_job(struct kpool_job *job, kpool_item_fn fn);

/**
 * kpool_job_of() - the job of an item
 * @item: an item that was initialised as a job
 */
static inline struct kpool_job *kpool_job_of(struct kpool_item *item)
{
	return container_of(item, struct kpool_job, item);
}

/**
 * kpool_set_deadline() - drop a job whose turn comes too late
 * @job: the job, neither pending nor running; or not pending, from inside its
 *	own function: then for its next run
 * @deadline: CLOCK_MONOTONIC, as of ktime_get(); 0 for none
 *
 * It is examined once, when the job could start: past it, the job is dropped
 * with -ETIME.
 *
 * Context: Any.
 * Return: 0; -EINVAL, nothing changed and one warning in the log, if the job was
 * prepared by kpool_init_item(): it is a plain item, and its submits get -EINVAL.
 */
int kpool_set_deadline(struct kpool_job *job, ktime_t deadline);

/* Pools */

/**
 * kpool_create() - create a pool
 * @attrs: its attributes; NULL for all defaults; copied
 * @fmt: printf format of its name: 1 to KPOOL_NAME_MAX of [A-Za-z0-9_-], not
 *	taken, not "pools"; "default" is taken by the default pool
 * @...: arguments of @fmt
 *
 * Context: Process context, may sleep.
 * Return: the pool, or ERR_PTR: -EINVAL (name, a combination of attributes, a
 * cpumask without an online CPU), -ERANGE (an attribute out of range), -EEXIST
 * (name taken), -ENOMEM; when PREALLOC cannot make its workers also -EAGAIN
 * (the system's limit of threads) and -EINTR (killed meanwhile).  What was wrong
 * is in the log.
 */
__printf(2, 3)
struct kpool *kpool_create(const struct kpool_attrs *attrs, const char *fmt,
			   ...);

/* private: adds the calling module; attrs may be a compound literal */
#define kpool_create(...)	kpool_create_owned(THIS_MODULE, __VA_ARGS__)
__printf(3, 4)
struct kpool *kpool_create_owned(struct module *owner,
				 const struct kpool_attrs *attrs, const char *fmt,
				 ...);

/**
 * kpool_destroy() - close a pool, wait until it is empty, free it
 * @pool: the pool, or NULL; the caller makes no call with it afterwards
 *
 * Accepted items still run; sleeping submitters get -ESHUTDOWN.  When this
 * returns 0, no thread can still execute the caller's code: the caller's
 * module may be unloaded the next instant.
 *
 * A module that goes away without destroying its pool leaves it behind: what is
 * pending is dropped, what runs is awaited, and the pool is closed for good.
 * From then on none of its callbacks is called, its name is free, and another
 * module that was given the pool can call any function on it until that module
 * goes away.  Its memory is freed with kpool.ko.
 *
 * Context: Process context, may sleep without limit.
 * Return: 0, also for NULL; -EIO, the pool has been freed likewise, but a worker
 * died in an item meanwhile; -EDEADLK from inside an item of the pool; -EINVAL
 * for the default pool; -ESHUTDOWN if its module has left it behind: nothing to
 * do, no code of a client runs in it.  On the last three nothing has changed.
 */
int kpool_destroy(struct kpool *pool);

/**
 * kpool_shutdown() - stop intake, undo pause, and return at once
 * @pool: the pool
 *
 * Accepted items still run, then the workers end.  Submitters, also those
 * asleep, get -ESHUTDOWN.  Harmless when repeated.
 *
 * Context: Any but NMI.
 */
void kpool_shutdown(struct kpool *pool);

/**
 * kpool_shutdown_timeout() - release, and wait for the last worker
 * @pool: the pool
 * @timeout: jiffies; MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * May be called again, also after -ETIMEDOUT.
 *
 * Context: Process context, may sleep.
 * A @timeout of 0 closes the pool and does not wait.  When no worker is left, the
 * kernel may still list its thread for an instant.
 *
 * Return: 0 when no item and no worker is left; -EIO likewise, but a worker died
 * in an item meanwhile; -ETIMEDOUT, the pool stays closed; -EDEADLK from inside
 * an item of the pool, which stays open.
 */
int kpool_shutdown_timeout(struct kpool *pool, unsigned long timeout);

/**
 * kpool_abort() - release, and drop what has not started
 * @pool: the pool
 *
 * What runs finishes.  Each pending item's dropped function is called with
 * -ECANCELED before this returns; of an item that also runs, by its worker at
 * the end of that run.
 *
 * Context: Process context, may sleep.
 * Return: how many items were dropped here.
 */
unsigned long kpool_abort(struct kpool *pool);

/**
 * kpool_reopen() - open a released pool again
 * @pool: the pool
 *
 * Attributes and counters are kept.  On an open pool it does nothing.
 *
 * Context: Process context, may sleep.
 * Return: 0; -ESHUTDOWN if its module has left it behind; -EBUSY while accepted
 * items have not ended; -EDEADLK from
 * worker_init or worker_exit of the pool; -ENOMEM, -EAGAIN or -EINTR if
 * KPOOL_PREALLOC cannot make its workers.  With an error the pool stays closed.
 */
int kpool_reopen(struct kpool *pool);

/**
 * kpool_pause() - hold back new starts
 * @pool: the pool
 *
 * What runs goes on; submit goes on queueing or waiting.
 *
 * Context: Any but NMI.
 * Return: 0; -ESHUTDOWN if the pool is closed.
 */
int kpool_pause(struct kpool *pool);

/**
 * kpool_resume() - let new starts go again
 * @pool: the pool
 *
 * Context: Any but NMI.
 */
void kpool_resume(struct kpool *pool);

/**
 * kpool_flush() - wait for everything accepted before the call
 * @pool: the pool; it stays open, and what is accepted later is not waited for
 *
 * What those items stored is seen by the caller afterwards.
 *
 * Context: Process context, may sleep.
 * Return: 0; -EIO, all have ended, but a worker died in one of them meanwhile;
 * -EDEADLK from inside an item of the pool.
 */
int kpool_flush(struct kpool *pool);

/**
 * kpool_tune() - change an attribute of a live pool
 * @pool: the pool
 * @tunable: which
 * @value: as in &struct kpool_attrs: 0 for the default
 *
 * Growing serves those who wait.  Shrinking lets surplus workers finish what
 * they run and go; it never refuses an accepted item or a sleeping submitter.
 * The owner of the pool may tune it also if it is KPOOL_PINNED.
 *
 * Context: Process context, may sleep.
 * Return: 0; -ERANGE (out of range); -EPERM (nonblocking taken from a pool
 * created so, or another when_full than KPOOL_FULL_WAIT and the one it was created
 * with); -EINVAL (no such attribute, or it would
 * contradict another: min_workers above capacity, or none with KPOOL_PREALLOC,
 * a node without an online CPU).  On error nothing has changed, and the log says
 * why.
 */
int kpool_tune(struct kpool *pool, enum kpool_tunable tunable, int value);

/**
 * kpool_tune_cpumask() - change the CPUs of a live pool's workers
 * @pool: the pool
 * @mask: at least one online CPU; copied; cpu_all_mask for all, NULL for the
 *	default
 *
 * The mask is kept when its CPUs go away and restored when they return.
 *
 * Context: Process context, may sleep.
 * Return: 0; -EINVAL if no CPU of @mask is online.
 */
int kpool_tune_cpumask(struct kpool *pool, const struct cpumask *mask);

/**
 * kpool_get_attrs() - read the attributes in force
 * @pool: the pool
 * @attrs: filled; @attrs->cpumask is left NULL
 *
 * Context: Any but NMI.
 */
void kpool_get_attrs(struct kpool *pool, struct kpool_attrs *attrs);

/**
 * kpool_get_stats() - read the counters
 * @pool: the pool
 * @stats: filled with one consistent reading
 *
 * Context: Any but NMI.
 */
void kpool_get_stats(struct kpool *pool, struct kpool_stats *stats);

/**
 * kpool_default() - the pool for callers who want none of their own
 *
 * Made on first use from the module parameters default_*; its name is
 * "default".  It does not keep kpool.ko loaded; a user flushes or cancels its
 * own items before its module goes away.  If it forgets, they are taken back
 * when the module is removed: pending ones are cancelled, running ones awaited.
 * An item is the module's if its function, its dropped function or its memory
 * is within the module.  Until all are taken back, submits of such items are
 * refused with -ESHUTDOWN.  The pool can be released and rebooted, but not
 * destroyed.
 *
 * Context: Process context, may sleep.
 * Return: the pool, or ERR_PTR(-ENOMEM).
 */
struct kpool *kpool_default(void);

/* The way in */

/**
 * kpool_submit() - submit an item by the pool's policy
 * @pool: the pool
 * @item: an initialised item
 *
 * The item takes an idle worker; else the pool grows, while units are free;
 * else the item queues, while fewer than queue_depth wait; else the caller
 * sleeps until it is served, strictly in order of arrival, or is refused.
 * An item submitted while it runs starts after that run; submitting itself
 * from inside its function is never refused for want of room.
 *
 * What was stored before this call is seen by a run that starts afterwards,
 * also if the call returned -EALREADY.
 *
 * Context: Process context, may sleep; any context but NMI if the pool was
 * created nonblocking, as it stays so.  In a pool that was not, interrupts and
 * callers with interrupts off are refused; a holder of a lock must call
 * kpool_try_submit().
 * Return: 0, accepted.  Any error means not accepted: -EAGAIN (no room, and
 * nonblocking, or max_blocked submitters asleep: keep the item and submit it
 * again when &kpool_attrs.room is called, or give it up), -ESHUTDOWN (closed; or, in the
 * default pool, the item is of a module that is being removed),
 * -EALREADY (the item is pending or being submitted), -EBUSY (it runs, or is
 * being dropped, in another pool), -ECANCELED (disabled, of a cancelled group,
 * or cancelled while the caller slept),
 * -EDEADLK (the caller is an item of this pool and would wait for itself),
 * -EINVAL (no function; heavier than capacity; a group or a stream of another
 * pool).
 */
int kpool_submit(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_try_submit() - submit without ever sleeping
 * @pool: the pool
 * @item: an initialised item
 *
 * Context: Any but NMI: under raw spinlocks, in softirq and hardirq, also on
 * PREEMPT_RT.
 * Return: as kpool_submit(); -EAGAIN also while other submitters wait.
 */
int kpool_try_submit(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_submit_timeout() - submit, sleep for at most a given time
 * @pool: the pool
 * @item: an initialised item
 * @timeout: jiffies; 0 is kpool_try_submit()
 *
 * Context: Process context, may sleep.
 * Return: as kpool_submit(); -ETIMEDOUT when the time is over.
 */
int kpool_submit_timeout(struct kpool *pool, struct kpool_item *item,
			 unsigned long timeout);

/**
 * kpool_submit_killable() - submit, give up on a fatal signal
 * @pool: the pool
 * @item: an initialised item
 *
 * Context: Process context, may sleep.
 * Return: as kpool_submit(); -EINTR when killed.
 */
int kpool_submit_killable(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_submit_interruptible() - submit, give up on any signal
 * @pool: the pool
 * @item: an initialised item
 *
 * Context: Process context, may sleep.
 * Return: as kpool_submit(); -EINTR on a signal.
 */
int kpool_submit_interruptible(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_submit_now() - submit an item only if it starts at once
 * @pool: the pool
 * @item: an initialised item
 *
 * The item is accepted only if its units are free, and if it waits neither for
 * other items nor for its stream, its own run, or kpool_resume(): it starts as
 * soon as a worker has woken up, or has been created.
 *
 * Context: Any but NMI: under raw spinlocks, in softirq and hardirq, also on
 * PREEMPT_RT.
 * Return: as kpool_try_submit(); -EAGAIN also if the item would have to wait:
 * do the work in another way.  &kpool_attrs.room is not called for that.
 */
int kpool_submit_now(struct kpool *pool, struct kpool_item *item);

/**
 * kpool_submit_fn() - submit a function and its argument
 * @pool: the pool
 * @fn: the function
 * @arg: its argument
 * @gfp: how to allocate the item, which kpool frees; without
 *	__GFP_DIRECT_RECLAIM the submit is a try and never sleeps
 *
 * Context: As @gfp says; not in hardirq on PREEMPT_RT.
 * Return: as kpool_submit(); -ENOMEM.
 */
int kpool_submit_fn(struct kpool *pool, kpool_fn fn, void *arg, gfp_t gfp);

/**
 * kpool_submit_arg() - submit an argument to the pool-wide function
 * @pool: a pool made with &kpool_attrs.fn
 * @arg: the argument
 * @gfp: as for kpool_submit_fn()
 *
 * Context: As @gfp says; not in hardirq on PREEMPT_RT.
 * Return: as kpool_submit_fn(); -EINVAL if the pool has no function.
 */
int kpool_submit_arg(struct kpool *pool, void *arg, gfp_t gfp);

/**
 * kpool_submit_delayed() - submit a job that is to wait first
 * @pool: the pool
 * @job: an initialised job
 * @delay: jiffies; 0 is due at once
 *
 * The job is accepted now and takes no place in the queue, also with a @delay of
 * 0, which is never refused for want of room.  When it is due,
 * no sooner than @delay and no later than @delay + 1/8 (the timer wheel's
 * grain) + two ticks, it waits in line like a submitter that came then, but is
 * never refused.  If the pool is closed before, it is dropped with -ESHUTDOWN.
 *
 * Context: Any but NMI; never sleeps.
 * Return: as kpool_submit(), but never -EAGAIN or -EDEADLK.
 */
int kpool_submit_delayed(struct kpool *pool, struct kpool_job *job,
			 unsigned long delay);

/**
 * kpool_modify_delay() - make a delayed job due at another time
 * @job: the job
 * @delay: jiffies from now; 0 is due at once
 *
 * Context: Any but NMI.
 * Return: true if it was delayed, and its time has been changed; false if it
 * was not: at rest, due already, or running; or if the pool is closed, or the
 * job in the default pool is of a module that is being removed.
 */
bool kpool_modify_delay(struct kpool_job *job, unsigned long delay);

/**
 * kpool_call() - have a function run by the pool and wait for its result
 * @pool: the pool
 * @fn: the function
 * @arg: its argument
 * @result: set to what @fn returned, if this returns 0; or NULL
 *
 * Context: Process context, may sleep; allocates with GFP_KERNEL.
 * Return: 0, @fn has returned; -ENOMEM; -ECANCELED, dropped by kpool_abort(),
 * or another error as typedef kpool_drop_fn; else as kpool_submit().  On
 * error @fn has not run.
 */
int kpool_call(struct kpool *pool, kpool_fn fn, void *arg, int *result);

/**
 * kpool_call_timeout() - the same, but wait for at most a given time
 * @pool: the pool
 * @fn: the function
 * @arg: its argument; on -ETIMEDOUT it belongs to kpool
 * @release: called once with @arg if this returns -ETIMEDOUT, before or after,
 *	in process context, when @fn does not and will not run; or NULL
 * @timeout: jiffies, for admission, waiting in line and running together; with 0
 *	@fn hardly ever runs: -EAGAIN if there is no room, else -ETIMEDOUT
 * @result: set to what @fn returned, if this returns 0; or NULL
 *
 * If @fn has not started when the time is over, it never will.  If it runs,
 * it goes on; it can see by kpool_call_abandoned() that nobody waits any more.
 *
 * Context: Process context, may sleep; allocates with GFP_KERNEL.
 * Return: as kpool_call(); -ETIMEDOUT.
 */
int kpool_call_timeout(struct kpool *pool, kpool_fn fn, void *arg,
		       void (*release)(void *arg), unsigned long timeout,
		       int *result);

/**
 * kpool_call_killable() - the same, but give up on a fatal signal
 * @pool: the pool
 * @fn: the function
 * @arg: its argument; on -EINTR it belongs to kpool
 * @release: called once with @arg if this returns -EINTR, as for
 *	kpool_call_timeout(); or NULL
 * @result: set to what @fn returned, if this returns 0; or NULL
 *
 * Context: Process context, may sleep; allocates with GFP_KERNEL.
 * Return: as kpool_call(); -EINTR when killed.
 */
int kpool_call_killable(struct kpool *pool, kpool_fn fn, void *arg,
			void (*release)(void *arg), int *result);

/**
 * kpool_call_interruptible() - the same, but give up on any signal
 * @pool: the pool
 * @fn: the function
 * @arg: its argument; on -EINTR it belongs to kpool
 * @release: as for kpool_call_killable()
 * @result: set to what @fn returned, if this returns 0; or NULL
 *
 * Context: Process context, may sleep; allocates with GFP_KERNEL.
 * Return: as kpool_call(); -EINTR on a signal.
 */
int kpool_call_interruptible(struct kpool *pool, kpool_fn fn, void *arg,
			     void (*release)(void *arg), int *result);

/**
 * kpool_current() - the pool whose worker the caller is
 *
 * Context: Any.
 * Return: the pool, in its items and in its worker_init and worker_exit; NULL
 * elsewhere, also in an item that its submitter runs, and in an interrupt.
 */
struct kpool *kpool_current(void);

/**
 * kpool_call_abandoned() - has the caller of this function given up?
 *
 * Context: Inside a function that is called by kpool_call_timeout(),
 * kpool_call_killable() or kpool_call_interruptible(); false elsewhere.
 */
bool kpool_call_abandoned(void);

/**
 * kpool_worker_data() - what worker_init made for this worker
 *
 * Context: Inside an item of a pool with &kpool_attrs.worker_init.
 * Return: the state of the worker that runs the caller; NULL elsewhere.
 */
void *kpool_worker_data(void);

/* What can be done to an item */

/**
 * kpool_cancel() - take a pending item back
 * @item: the item
 *
 * A submit of @item that still sleeps returns -ECANCELED; as it was never
 * accepted, it does not count here.  A running item is not touched.
 *
 * Context: Any but NMI.
 * Return: true if the item was pending and will not run.
 */
bool kpool_cancel(struct kpool_item *item);

/**
 * kpool_cancel_sync() - take an item back and wait for its run to end
 * @item: the item
 *
 * While this waits, submits of the item get -ECANCELED.  Afterwards it is
 * neither pending nor running and may be freed.
 *
 * Context: Process context, may sleep.
 * Return: 1 if the item was pending, 0 if not; -EIO, it has ended by the death of
 * its worker; -EDEADLK from inside the item,
 * or inside another of its pool if that could never end, the pending item has
 * been taken back all the same; -ERANGE as kpool_disable(), nothing changed.
 */
int kpool_cancel_sync(struct kpool_item *item);

/**
 * kpool_disable() - cancel an item and refuse its submits
 * @item: the item
 *
 * Nests; each call is undone by one kpool_enable().
 *
 * Context: Any but NMI.
 * Return: 1 if the item was pending, 0 if not; -ERANGE, nothing changed, if
 * nested 65535 deep.
 */
int kpool_disable(struct kpool_item *item);

/**
 * kpool_disable_sync() - disable an item and wait for its run to end
 * @item: the item
 *
 * Context: Process context, may sleep.
 * Return: as kpool_cancel_sync(), the item stays disabled also on -EDEADLK;
 * -ERANGE as kpool_disable().
 */
int kpool_disable_sync(struct kpool_item *item);

/**
 * kpool_enable() - undo one kpool_disable()
 * @item: the item
 *
 * Context: Any but NMI.
 * Return: 0, it can be submitted again; 1, it is still disabled by others;
 * -EINVAL if it was not disabled.
 */
int kpool_enable(struct kpool_item *item);

/**
 * kpool_flush_item() - wait until an item's acceptance has ended
 * @item: the item, which must not be freed meanwhile
 *
 * Waits for the acceptance at the time of the call, not for later ones.  What
 * the run stored is seen by the caller afterwards.
 *
 * Context: Process context, may sleep.
 * Return: 0; -EIO, it has ended by the death of its worker; -EDEADLK from inside
 * the item, or inside another of its pool if that could never end.
 */
int kpool_flush_item(struct kpool_item *item);

/**
 * kpool_is_pending() - is an item accepted and not started?
 * @item: the item
 *
 * Context: Any but NMI.
 * Return: true or false; stale at once unless the caller excludes others.
 */
bool kpool_is_pending(struct kpool_item *item);

/* Groups: many jobs as one */

/* Flags of a group. */
#define KPOOL_GROUP_FAIL_FAST	0x1	/* the first error cancels the rest */
#define KPOOL_GROUP_COLLECT	0x2	/* ended jobs wait for kpool_group_next() */

/**
 * struct kpool_group - jobs of one pool that are waited for together
 *
 * It may live on the stack.  It must stay until kpool_group_wait() has returned
 * 0 after the last submit.
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

/* Most groups that can be within each other, the outermost included. */
#define KPOOL_GROUP_MAX_DEPTH	8

/**
 * kpool_init_group() - prepare a group
 * @group: the group
 * @pool: the pool that all its jobs are submitted to
 * @parent: a group of the same pool that waits for this one too, is cancelled
 *	with its error, and cancels it; or NULL
 * @flags: KPOOL_GROUP_FAIL_FAST, KPOOL_GROUP_COLLECT
 *
 * Context: Any.
 * Return: 0; -EINVAL for an unknown flag, a parent of another pool, or more than
 * %KPOOL_GROUP_MAX_DEPTH groups within each other.
 */
int kpool_init_group(struct kpool_group *group, struct kpool *pool,
		     struct kpool_group *parent, unsigned int flags);

/**
 * kpool_set_group() - make a job a member of a group
 * @job: the job, neither pending nor running
 * @group: the group, or NULL for none
 *
 * Each acceptance counts.  Submitting the job to another pool than the group's
 * is -EINVAL; once the group is cancelled, -ECANCELED.
 *
 * Context: Any.
 * Return: 0; -EINVAL as kpool_set_deadline().
 */
int kpool_set_group(struct kpool_job *job, struct kpool_group *group);

/**
 * kpool_group_wait() - wait until every accepted job of a group has ended
 * @group: the group
 * @timeout: jiffies; MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * What the jobs stored is seen by the caller afterwards.
 *
 * Context: Process context, may sleep.
 * A @timeout of 0 does not wait.
 *
 * Return: 0, all have ended, see kpool_group_error(); -EIO, all have ended, but a
 * worker died in one of them meanwhile; -ETIMEDOUT; -EDEADLK from
 * inside a job of the group, or if it could never end.
 */
int kpool_group_wait(struct kpool_group *group, unsigned long timeout);

/**
 * kpool_group_wait_killable() - the same, but give up on a fatal signal
 * @group: the group
 * @timeout: jiffies; MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * Context: Process context, may sleep.
 * Return: as kpool_group_wait(); -EINTR when killed: the group goes on.
 */
int kpool_group_wait_killable(struct kpool_group *group, unsigned long timeout);

/**
 * kpool_group_wait_interruptible() - the same, but give up on any signal
 * @group: the group
 * @timeout: jiffies; MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * Context: Process context, may sleep.
 * Return: as kpool_group_wait(); -EINTR on a signal: the group goes on.
 */
int kpool_group_wait_interruptible(struct kpool_group *group,
				   unsigned long timeout);

/**
 * kpool_group_error() - the first error of a group
 * @group: the group
 *
 * Context: Any but NMI.
 * Return: 0, or what the first of its jobs, or of its children's, to fail
 * returned or was dropped with.  A job taken back by kpool_cancel(), or dropped
 * because its group was cancelled, has not failed.
 */
int kpool_group_error(struct kpool_group *group);

/**
 * kpool_group_cancel() - drop what of a group has not started
 * @group: the group
 *
 * Pending and delayed jobs are dropped with -ECANCELED, submitters of others
 * get it, also those asleep, and every later submit; what runs finishes.  Does
 * not wait.
 *
 * Context: Any but NMI.
 */
void kpool_group_cancel(struct kpool_group *group);

/**
 * kpool_group_next() - the next job that has ended
 * @group: a group with KPOOL_GROUP_COLLECT
 * @timeout: jiffies; MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * A @timeout of 0 does not wait.
 *
 * Jobs come in the order in which they ended, however they did:
 * kpool_job_result() tells.  From its submit on until it comes here, such a job
 * cannot be submitted again (-EALREADY) and must not be freed.
 *
 * Context: Process context, may sleep.
 * Return: the job; NULL when none is left; ERR_PTR: -ETIMEDOUT, -EDEADLK as
 * kpool_group_wait(), -EINVAL without that flag.
 */
struct kpool_job *kpool_group_next(struct kpool_group *group,
				   unsigned long timeout);

/**
 * kpool_job_result() - how a job ended that kpool_group_next() has returned
 * @job: the job, or one that is being completed: see kpool_set_complete_fn()
 *
 * Return: what its function returned; what it was dropped with; -ECANCELED if
 * it was cancelled.
 */
static inline int kpool_job_result(const struct kpool_job *job)
{
	return job->result;
}

/* Streams: one after the other */

/**
 * struct kpool_stream - jobs that run one at a time, in order
 *
 * No thread is set aside for it, and it costs nothing while it is empty.  It
 * must stay until the last of its jobs has ended.
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
 * kpool_init_stream() - prepare a stream
 * @stream: the stream
 * @pool: the pool that all its jobs are submitted to
 *
 * Context: Any.
 */
void kpool_init_stream(struct kpool_stream *stream, struct kpool *pool);

/**
 * kpool_init_ordered_stream() - prepare a stream with completion in order
 * @stream: the stream
 * @pool: the pool that all its jobs are submitted to
 *
 * The functions of its jobs run in parallel, like those of other items.  After
 * its function, each job has a second one called, see kpool_set_complete_fn():
 * one at a time, in the order in which the jobs have come into the line.  A job
 * that waits for its turn holds neither a thread nor a unit, and takes no place in
 * the queue.
 *
 * Context: Any.
 */
void kpool_init_ordered_stream(struct kpool_stream *stream, struct kpool *pool);

/**
 * kpool_set_complete_fn() - set the second function of a job in an ordered stream
 * @job: the job, neither pending nor running
 * @complete: called by a worker once the job's function has returned and all jobs
 *	before it have been completed or will not be; kpool_job_result() tells what
 *	the function has returned; or NULL
 *
 * @complete holds one unit, comes before all items in line, and is not held back
 * by kpool_pause() or kpool_abort().  The job has ended when @complete has
 * returned: for whatever waits, for its group, and in the counters.  @complete may
 * free the job or submit it again; the job's function must do neither, and from
 * its start to that of @complete every submit of the job is -EALREADY.  If either
 * of both returns an error, the job has failed, once, with the first of them.
 *
 * A job that is cancelled or dropped gives up its place in the order, and so does
 * one whose worker dies; then @complete is not called.
 *
 * Submitting a job with a @complete outside of an ordered stream, or one without
 * to an ordered stream, is -EINVAL.
 *
 * Context: Any.
 * Return: 0; -EINVAL as kpool_set_deadline().
 */
int kpool_set_complete_fn(struct kpool_job *job, kpool_item_fn complete);

/**
 * kpool_set_stream() - put a job into a stream
 * @job: the job, neither pending nor running
 * @stream: the stream, or NULL for none
 *
 * The order is that of acceptance, of a delayed job that of coming due.  A job
 * that waits for its stream takes a place in the queue, and nobody's unit; in an
 * ordered stream none does.  Submitting the job to another pool than the stream's is -EINVAL.
 *
 * Context: Any.
 * Return: 0; -EINVAL as kpool_set_deadline().
 */
int kpool_set_stream(struct kpool_job *job, struct kpool_stream *stream);

/* Several pools as one */

struct kpool_multi;

/**
 * enum kpool_placement - which pool of several gets an item
 * @KPOOL_ROUND_ROBIN: each in turn; if that one refuses, the least loaded
 * @KPOOL_LEAST_LOADED: the one with the fewest items accepted and not ended
 */
enum kpool_placement {
	KPOOL_ROUND_ROBIN,
	KPOOL_LEAST_LOADED,
};

/**
 * kpool_multi_create() - create several like pools
 * @attrs: the attributes of each; NULL for all defaults; copied
 * @nr: how many, 1 to 64
 * @placement: which of them gets an item
 * @fmt: printf format of their common name, up to KPOOL_NAME_MAX - 3
 *	characters: theirs are NAME-0, NAME-1 ...
 * @...: arguments of @fmt
 *
 * Context: Process context, may sleep.
 * Return: the pools, or ERR_PTR: -ERANGE (@nr), -EINVAL (@placement), or as
 * kpool_create(); then none is left.
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
 * kpool_multi_destroy() - destroy all of them
 * @multi: the pools, or NULL
 *
 * Context: Process context, may sleep without limit.
 * Return: 0, also for NULL; -EDEADLK from inside an item of one of them, nothing changed.
 */
int kpool_multi_destroy(struct kpool_multi *multi);

/**
 * kpool_multi_submit() - submit an item to one of the pools
 * @multi: the pools
 * @item: an initialised item
 *
 * Context: As kpool_submit().
 * Return: as kpool_submit() to the pool that is chosen; round robin tries the
 * least loaded once before it returns -EAGAIN.
 */
int kpool_multi_submit(struct kpool_multi *multi, struct kpool_item *item);

/**
 * kpool_multi_pick() - choose one of the pools
 * @multi: the pools
 *
 * For every way in that kpool_multi_submit() is not.
 *
 * Context: Any but NMI.
 * Return: the pool.
 */
struct kpool *kpool_multi_pick(struct kpool_multi *multi);

/**
 * kpool_multi_pool() - one of the pools by its number
 * @multi: the pools
 * @i: its number, from 0
 *
 * Its attributes, counters and debugfs files are those of any pool.
 *
 * Context: Any.
 * Return: the pool; ERR_PTR(-ERANGE) if there is none with that number.
 */
struct kpool *kpool_multi_pool(struct kpool_multi *multi, unsigned int i);

/**
 * kpool_multi_get_stats() - the sums of their counters
 * @multi: the pools
 * @stats: filled: oldest_pending_ms is the largest; closed and paused if all are
 *
 * Context: Any but NMI.
 */
void kpool_multi_get_stats(struct kpool_multi *multi, struct kpool_stats *stats);

/**
 * kpool_multi_tune() - tune each of them
 * @multi: the pools
 * @tunable: which attribute
 * @value: as for kpool_tune()
 *
 * Context: Process context, may sleep.
 * Return: as kpool_tune(); if one of them refuses, those before it are set back.
 */
int kpool_multi_tune(struct kpool_multi *multi, enum kpool_tunable tunable,
		     int value);

/**
 * kpool_multi_shutdown_timeout() - release all, and wait for the last worker
 * @multi: the pools
 * @timeout: jiffies for all together; 0 does not wait
 *
 * Context: Process context, may sleep.
 * Return: as kpool_shutdown_timeout(): 0 when no item and no worker is left in
 * any; -ETIMEDOUT, all are closed; -EDEADLK, all stay open.
 */
int kpool_multi_shutdown_timeout(struct kpool_multi *multi,
				 unsigned long timeout);

/**
 * kpool_multi_reopen() - open all of them again
 * @multi: the pools
 *
 * Context: Process context, may sleep.
 * Return: 0; as kpool_reopen() if one of them fails, then all are closed.
 */
int kpool_multi_reopen(struct kpool_multi *multi);

#endif /* _KPOOL_H */
