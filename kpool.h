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
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/types.h>

struct kpool;
struct kpool_item;
struct kpool_waiter;
struct kpool_worker;

/**
 * KPOOL_NAME_MAX - longest name of a pool, without the final NUL
 */
#define KPOOL_NAME_MAX	15

/*
 * Special values of attributes.  Zero always asks for the default; where zero
 * itself means something (no queue, no warm workers), KPOOL_NONE asks for it.
 */
#define KPOOL_UNLIMITED	INT_MAX		/* capacity, queue_depth, max_blocked */
#define KPOOL_NO_PURGE	INT_MAX		/* expiry_ms */
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

/* Flags of kpool_attrs, fixed when the pool is created. */
#define KPOOL_PREALLOC	0x1		/* make min_workers at creation */

/**
 * typedef kpool_item_fn - the function of an embedded work item
 * @item: the item; the function may free it, or submit it again
 *
 * Runs in a worker, in process context, without locks.
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
 * typedef kpool_dropped_fn - told that an accepted item will not run
 * @item: the item, neither pending nor running; the function may free it
 * @err: why: -ECANCELED by kpool_abort()
 *
 * Called once, in process context, without locks.  Until it returns, the item
 * and its pool are waited for; to wait for either from inside is -EDEADLK.  Not
 * called for the caller of a successful kpool_cancel(), who knows.
 */
typedef void (*kpool_dropped_fn)(struct kpool_item *item, int err);

/**
 * struct kpool_attrs - what a pool is made of
 * @capacity: units of work that may run at once, and so the most worker
 *	threads alive; 1 to KPOOL_UNLIMITED
 * @min_workers: workers that the purger never takes; 0 to 65536
 * @queue_depth: items that may wait in the pool when no unit is free;
 *	KPOOL_NONE to KPOOL_UNLIMITED
 * @max_blocked: submitters that may sleep at once; 1 to KPOOL_UNLIMITED
 * @nonblocking: 1 if submit must never sleep, KPOOL_NONE if it may
 * @expiry_ms: idle milliseconds after which a worker is purged; 1 to
 *	KPOOL_NO_PURGE, which means never
 * @nice: nice value of the workers; -20 to 19
 * @policy: scheduling policy of the workers; enum kpool_policy
 * @rt_priority: real-time priority for KPOOL_POLICY_FIFO and _RR; 1 to 99
 * @node: KPOOL_NODE(nid) to keep workers and their memory on one NUMA node
 * @flags: KPOOL_PREALLOC
 * @cpumask: CPUs that the workers may run on; cpu_all_mask for all
 * @fn: the pool-wide function of kpool_invoke(), or NULL
 *
 * A field left at zero takes the default: the module parameter of the same
 * name, see Documentation/attributes.rst.  All but @flags and @fn can be
 * changed on the live pool by kpool_tune() and kpool_tune_cpumask().
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
	unsigned int flags;
	const struct cpumask *cpumask;
	kpool_fn fn;
};

/**
 * enum kpool_tunable - names an attribute for kpool_tune()
 * @KPOOL_CAPACITY: see &kpool_attrs.capacity
 * @KPOOL_MIN_WORKERS: see &kpool_attrs.min_workers
 * @KPOOL_QUEUE_DEPTH: see &kpool_attrs.queue_depth
 * @KPOOL_MAX_BLOCKED: see &kpool_attrs.max_blocked
 * @KPOOL_NONBLOCKING: see &kpool_attrs.nonblocking
 * @KPOOL_EXPIRY_MS: see &kpool_attrs.expiry_ms
 * @KPOOL_NICE: see &kpool_attrs.nice
 * @KPOOL_POLICY: see &kpool_attrs.policy
 * @KPOOL_RT_PRIORITY: see &kpool_attrs.rt_priority
 * @KPOOL_NUMA_NODE: see &kpool_attrs.node
 * @KPOOL_NR_TUNABLES: how many there are
 */
enum kpool_tunable {
	KPOOL_CAPACITY,
	KPOOL_MIN_WORKERS,
	KPOOL_QUEUE_DEPTH,
	KPOOL_MAX_BLOCKED,
	KPOOL_NONBLOCKING,
	KPOOL_EXPIRY_MS,
	KPOOL_NICE,
	KPOOL_POLICY,
	KPOOL_RT_PRIORITY,
	KPOOL_NUMA_NODE,
	KPOOL_NR_TUNABLES
};

/**
 * struct kpool_stats - one consistent reading of a pool
 * @submitted: items accepted
 * @completed: items whose function returned
 * @failed: those of @completed that returned an error
 * @cancelled: accepted items taken back by cancel or disable
 * @dropped: accepted items that the pool gave up, see typedef kpool_dropped_fn
 * @refused: submits that got -EAGAIN
 * @spawned: workers ever made
 * @purged: workers that ended because they were idle for too long
 * @retired: workers that ended by release or tune
 * @alive: workers alive
 * @idle: workers asleep without an item
 * @running: items in their function
 * @pending: items accepted and not started
 * @blocked: submitters asleep
 * @oldest_ms: how long the first in line has been pending, in milliseconds
 * @closed: released and not rebooted
 * @paused: new starts are held back
 *
 * With nothing pending, running or in a dropped function, submitted =
 * completed + cancelled + dropped; spawned = purged + retired + alive always.
 */
struct kpool_stats {
	u64 submitted;
	u64 completed;
	u64 failed;
	u64 cancelled;
	u64 dropped;
	u64 refused;
	u64 spawned;
	u64 purged;
	u64 retired;
	u64 alive;
	u64 idle;
	u64 running;
	u64 pending;
	u64 blocked;
	u64 oldest_ms;
	bool closed;
	bool paused;
};

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
	kpool_dropped_fn	dropped;
	struct kpool_worker	*worker;
	union {
		struct kpool_waiter	*submitter;
		unsigned long		since;
	};
	u32			home;
	u32			epoch;
	u16			disabled;
	u8			place;
	u8			watched;
};

/**
 * KPOOL_ITEM_INIT - static initialiser of an item
 * @_fn: its function
 */
#define KPOOL_ITEM_INIT(_fn)	{ .fn = (_fn) }

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
 * @item: the item, neither pending nor running: flush or cancel it first
 *
 * An item that is still pending or running is reported by a warning.
 *
 * Context: Any.
 */
void kpool_destroy_item_onstack(struct kpool_item *item);

/**
 * kpool_set_dropped() - have the owner told when an accepted item will not run
 * @item: the item, neither pending nor running
 * @dropped: called once for each acceptance that ends without a run, or NULL
 *
 * Context: Any.
 */
static inline void kpool_set_dropped(struct kpool_item *item,
				     kpool_dropped_fn dropped)
{
	item->dropped = dropped;
}

/* Pools */

/**
 * kpool_create() - make a pool
 * @name: 1 to KPOOL_NAME_MAX of [A-Za-z0-9_-], not taken, not "pools";
 *	"default" is taken by the default pool
 * @attrs: its attributes; NULL for all defaults; copied
 *
 * Context: Process context, may sleep.
 * Return: the pool, or ERR_PTR: -EINVAL (name, a combination of attributes, a
 * cpumask without an online CPU), -ERANGE (an attribute out of range), -EEXIST
 * (name taken), -ENOMEM; when PREALLOC cannot make its workers also -EAGAIN
 * (the system's limit of threads) and -EINTR (killed meanwhile).  What was wrong
 * is in the log.
 */
#define kpool_create(name, attrs)	__kpool_create(name, attrs, THIS_MODULE)
struct kpool *__kpool_create(const char *name, const struct kpool_attrs *attrs,
			     struct module *owner);

/**
 * kpool_destroy() - close a pool, wait until it is empty, free it
 * @pool: the pool; the caller makes no call with it afterwards
 *
 * Accepted items still run; sleeping submitters get -ESHUTDOWN.  When this
 * returns 0, no thread can still execute the caller's code: the caller's
 * module may be unloaded the next instant.
 *
 * Context: Process context, may sleep without limit.
 * Return: 0; -EDEADLK from inside an item of the pool; -EINVAL for the
 * default pool.  On error nothing has changed.
 */
int kpool_destroy(struct kpool *pool);

/**
 * kpool_release() - stop intake, undo pause, and return at once
 * @pool: the pool
 *
 * Accepted items still run, then the workers end.  Submitters, also those
 * asleep, get -ESHUTDOWN.  Harmless when repeated.
 *
 * Context: Any but NMI.
 */
void kpool_release(struct kpool *pool);

/**
 * kpool_release_timeout() - release, and wait for the last worker
 * @pool: the pool
 * @timeout: jiffies; MAX_SCHEDULE_TIMEOUT waits without limit
 *
 * May be called again, also after -ETIMEDOUT.
 *
 * Context: Process context, may sleep.
 * Return: 0 when no item and no worker is left; -ETIMEDOUT, the pool stays
 * closed; -EDEADLK from inside an item of the pool, which stays open.
 */
int kpool_release_timeout(struct kpool *pool, unsigned long timeout);

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
 * kpool_reboot() - open a released pool again
 * @pool: the pool
 *
 * Attributes and counters are kept.  On an open pool it does nothing.
 *
 * Context: Process context, may sleep.
 * Return: 0; -EBUSY while accepted items have not ended; -ENOMEM, -EAGAIN or
 * -EINTR if KPOOL_PREALLOC cannot make its workers, the pool stays closed.
 */
int kpool_reboot(struct kpool *pool);

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
 * Return: 0; -EDEADLK from inside an item of the pool.
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
 *
 * Context: Process context, may sleep.
 * Return: 0; -ERANGE (out of range); -EINVAL (no such attribute, or it would
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
 * own items before its module goes away.  It can be released and rebooted,
 * but not destroyed.
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
 * Context: Process context, may sleep; any context but NMI if the pool is
 * nonblocking.  If a person makes it blocking, interrupts and callers with
 * interrupts off are refused; who holds a lock calls kpool_try_submit().
 * Return: 0, accepted.  Any error means not accepted: -EAGAIN (no room, and
 * nonblocking, or max_blocked submitters asleep), -ESHUTDOWN (closed),
 * -EALREADY (the item is pending or being submitted), -EBUSY (it runs, or is
 * being dropped, in another pool), -ECANCELED (disabled, or cancelled while the caller slept),
 * -EDEADLK (the caller is an item of this pool and would wait for itself),
 * -EINVAL (no function).
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
 * kpool_invoke() - submit an argument to the pool-wide function
 * @pool: a pool made with &kpool_attrs.fn
 * @arg: the argument
 * @gfp: as for kpool_submit_fn()
 *
 * Context: As @gfp says; not in hardirq on PREEMPT_RT.
 * Return: as kpool_submit_fn(); -EINVAL if the pool has no function.
 */
int kpool_invoke(struct kpool *pool, void *arg, gfp_t gfp);

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
 * kpool_cancel_wait() - take an item back and wait for its run to end
 * @item: the item
 *
 * While this waits, submits of the item get -ECANCELED.  Afterwards it is
 * neither pending nor running and may be freed.
 *
 * Context: Process context, may sleep.
 * Return: 1 if the item was pending, 0 if not; -EDEADLK from inside the item,
 * or inside another of its pool if that could never end, the pending item has
 * been taken back all the same; -ERANGE as kpool_disable(), nothing changed.
 */
int kpool_cancel_wait(struct kpool_item *item);

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
 * kpool_disable_wait() - disable an item and wait for its run to end
 * @item: the item
 *
 * Context: Process context, may sleep.
 * Return: as kpool_cancel_wait(), the item stays disabled also on -EDEADLK;
 * -ERANGE as kpool_disable().
 */
int kpool_disable_wait(struct kpool_item *item);

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
 * Return: 0; -EDEADLK from inside the item, or inside another of its pool if
 * that could never end.
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

#endif /* _KPOOL_H */
