/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The structures behind kpool.h and who may touch them.
 *
 * Data goes one way: submit.c lets an item in, queue.c keeps it in line,
 * worker.c runs it.  item.c takes it back or waits for it, drop.c gives it up,
 * wait.c puts callers to sleep and refuses a sleep that could never end, attrs.c
 * describes every attribute once, debugfs.c shows and turns them.
 *
 * What only some items, or some pools, have is a room each: queue.c is the door
 * to them.  An item without flags and a pool without odd items in line pass by.
 *
 * Legend of exclusion, for every field:
 *
 * I: set before the pool is published, read-only afterwards.
 * L: pool->lock, a raw spinlock taken with interrupts off.  It is raw because
 *    submit is allowed in hardirq and under raw spinlocks on PREEMPT_RT too;
 *    nothing that sleeps on PREEMPT_RT (allocation, spinlock_t, wait queue
 *    heads) may be used under it.  Waking a task, complete() and queueing
 *    work may: their locks are raw.
 * M: pool->mutex, process context; taken before L.
 * B: written under both M and L, read under either.
 * G: kpool_registry, the mutex of the list of pools; taken before M.
 * H: the lock of the item's home: pool->lock of the pool whose id the item
 *    carries, see item.c.
 * S: self: by the worker itself.
 */
#ifndef _KPOOL_INTERNAL_H
#define _KPOOL_INTERNAL_H

#include <linux/completion.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "kpool.h"

#undef pr_fmt
#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

/* Where an item is.  KPOOL_ITEM_IDLE is 0: a zeroed item is at rest. */
enum kpool_item_state {
	KPOOL_ITEM_IDLE,
	KPOOL_ITEM_BLOCKED,	/* not accepted, on pool->q.admission */
	KPOOL_ITEM_DONE,	/* ended or about to, on group->ended then */
	KPOOL_ITEM_COMPLETING,	/* on pool->q.finished or ->completions */
	/* accepted and not started: */
	KPOOL_ITEM_QUEUED,	/* pending, on one of pool->q.prio */
	KPOOL_ITEM_REQUEUE,	/* pending, its turn has come while it runs */
	KPOOL_ITEM_PARKED,	/* pending, its turn has come, its stream's not */
	KPOOL_ITEM_BACKLOG,	/* pending, on pool->q.admission */
	KPOOL_ITEM_DELAYED,	/* in pool->delays.jobs */
	KPOOL_ITEM_DROPPING,	/* on pool->drops.items, with item->err */
};

/* The lines, in the order in which they are served. */
enum kpool_queue_prio {
	KPOOL_QUEUE_HIGH,
	KPOOL_QUEUE_NORMAL,
	KPOOL_QUEUE_LOW,
	KPOOL_NR_QUEUES
};

/* State of a kpool_turn. */
enum kpool_turn_state {
	KPOOL_TURN_PENDING,	/* a job's: its function has not started */
	KPOOL_TURN_RUNNING,	/* a run's: the job may be dead, it is not touched */
	KPOOL_TURN_READY,	/* a job's: its function has returned */
};

/* Flags that take an item off the plain path. */
#define KPOOL_SPECIAL	((u8)~(__KPOOL_HAS_WAITERS | __KPOOL_FN))

/* What keeps an item off the fast path, in kpool_item.special. */
#define KPOOL_NOT_FAST							\
	((u32)~(__KPOOL_FN << (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 0 : 24)))

/* What a run executes. */
enum kpool_run_kind {
	KPOOL_RUN_WORKER,	/* the item's function, in a worker */
	KPOOL_RUN_CALLER,	/* the item's function, in its submitter */
	KPOOL_RUN_DROP,		/* the owner's dropped function */
	KPOOL_RUN_ABORT,	/* the same, in kpool_abort() */
	KPOOL_RUN_ROOM,		/* the owner's room function, without an item */
};

/* Which of its owner's functions have been called for a dead run. */
enum kpool_notified {
	KPOOL_NOTIFIED_NONE,
	KPOOL_NOTIFIED_HANDLER,
	KPOOL_NOTIFIED_CALL,	/* its call's release, too */
};

/*
 * One run of an item, by any thread.  kpool_item.run may point to it long after
 * the run has ended, so its memory belongs to the pool: part of a worker, or on
 * pool->runs.free between two runs.
 */
struct kpool_run {
	/* L: compared, never followed: the item may have been freed */
	struct kpool_item	*item;
	struct list_head	waiters; /* L: for the end of this run */
	struct list_head	next_waiters; /* L: for @item, pending again */
	struct kpool_item	*requeue; /* L: @item, pending again, its turn has come */
	struct kpool_run	*outer;	/* L: the run of the pool that this is inside of */
	struct kpool_waiter	*blocked_on; /* L: an outermost run: where its thread sleeps */
	struct task_struct	*task;	/* L: the thread: compared, or it is in the run */
	struct task_struct	*task_ref; /* L: of an external run: @task, referenced */
	struct kpool_worker	*worker; /* I: that it is part of, or NULL */
	struct kpool_group	*group;	/* L: to be told of the end, or NULL */
	struct kpool_stream	*stream; /* L: held until the end, or NULL */
	struct kpool_turn	turn;	/* L: of @item, if @complete */
	struct kpool_call	*call;	/* L: that @item is part of, or NULL */
	void			*fn;	/* L: the user's function; racy read */
	kpool_item_fn		complete; /* L: to be called for @item later, or NULL */
	union {
		struct rb_node	by_task; /* L: in pool->runs.by_task, innermost runs only */
		struct list_head free;	/* L: on pool->runs.free */
	};
	unsigned int		units;	/* L: held by the run; 0: none */
	u32			epoch;	/* L: of the item */
	int			err;	/* L: of KPOOL_RUN_DROP, _ABORT: why */
	int			result;	/* L: of a completion: what the job's function returned */
	u64			nr;	/* L: of an external run: begun in this memory */
	u8			kind;	/* L: enum kpool_run_kind */
	bool			special; /* L: there is more to do at its end */
	bool			dead;	/* L: its thread has ended, kpool knows */
	u8			notified;	/* by the dead work: enum kpool_notified */
};

enum kpool_worker_state {
	KPOOL_WORKER_STARTING,	/* made, in worker_init, not in the books */
	KPOOL_WORKER_WAKING,	/* woken, has not looked at the line yet */
	KPOOL_WORKER_RUNNING,	/* has an item */
	KPOOL_WORKER_IDLE,	/* on pool->mgr.idle */
	KPOOL_WORKER_EXPIRED,	/* leaves because it was idle for too long */
	KPOOL_WORKER_RETIRED,	/* leaves because of release or tune */
	KPOOL_WORKER_DEAD,	/* its thread ended in an item */
	KPOOL_WORKER_FAILED,	/* leaves without having been in the books */
};

/*
 * What an item's function has to leave as it was.  It was called where it may
 * sleep: with interrupts on, and nothing counted against preemption.
 */
struct kpool_task_state {
	unsigned int		flags;	/* KPOOL_CONTEXT_FLAGS of the task's */
	int			nr_locks; /* that lockdep knows of */
};

/*
 * A worker's memory outlives its thread: it goes to pool->mgr.free_workers and is freed
 * with the pool, because kpool_item.run may still point to it.
 */
struct kpool_worker {
	struct list_head	node;	/* L: on pool->mgr.starting, idle, ended or spare */
	struct list_head	member;	/* M: on pool->mgr.workers */
	struct kpool		*pool;	/* I */
	struct task_struct	*task;	/* B, while a member: referenced */
	struct kpool_run	run;	/* L */
	unsigned long		since;	/* L: jiffies of its last change of state */
	u64			completed; /* L: items completed */
	struct kpool_task_state	before;	/* S: what each item has to leave so */
	u8			state;	/* L: enum kpool_worker_state */

	void			*data;	/* S: what worker_init returned */
	bool			retry;	/* I: made while threads could not be made */
	bool			starting; /* L: in worker_init */
	bool			late;	/* L: the same, for long: not counted on */

	struct lockdep_map	map;	/* S: of the item that runs, for lockdep */
	struct kpool_exit_work	*exit_work; /* set by its maker, cleared by its reaper */
	u64			stall_reported; /* L: number of the run told as a stall */
	bool			died;	/* L, read without it */
	bool			in_fault_handler; /* S: in the fault handler */
};

/* A module that is being removed, and how far the search for its items is. */
struct kpool_going {
	struct list_head	node;	/* L: on pool->going */
	struct kpool		*pool;	/* I: the default pool, or NULL */
	const struct module	*module; /* I */
	struct list_head	*next;	/* L: node of the next item in a list */
	struct rb_node		*next_delayed; /* L: the same in the tree */
	bool			again;	/* L: an item was put back */
	unsigned int		cancelled; /* L */
	unsigned int		awaited; /* S: by the notifier itself */
};

enum kpool_waiter_kind {
	KPOOL_WAITER_SUBMIT,	/* on pool->q.submitters, its item on pool->q.admission */
	KPOOL_WAITER_ITEM,	/* on a list of waiters of its item or of a run */
	KPOOL_WAITER_CALL,	/* the same, not to be refused once it runs */
	KPOOL_WAITER_GROUP,	/* on group->waiters, for all of it */
	KPOOL_WAITER_NEXT,	/* on group->next_waiters, for one that has ended */
	KPOOL_WAITER_FLUSH,	/* in pool->waiters.flushers */
	KPOOL_WAITER_DRAIN,	/* on pool->waiters.drain */
	KPOOL_WAITER_SPAWN,	/* on pool->waiters.spawn */
};

/* A caller asleep in kpool; lives on the caller's stack. */
struct kpool_waiter {
	struct list_head	node;	/* L */
	struct list_head	self_wait_node; /* L: on pool->waiters.self or ->self_wait_calls, or empty */
	struct rb_node		by_epoch; /* L: for _FLUSH: in pool->waiters.flushers */
	/*
	 * L: the waiters for a pending item that does not run hang on the first
	 * of them: item->run points to this, a run of nothing.
	 */
	struct kpool_run	pending;
	struct completion	done;
	struct kpool_item	*item;	/* I: for _SUBMIT, _ITEM and _CALL */
	struct kpool_run	*run;	/* I: the run that sleeps here, or NULL */
	struct kpool_run	*behind; /* I: the run that the awaited one follows */
	u64			behind_nr; /* I: which run of that memory it was */
	unsigned long		left;	/* L: for _FLUSH: items since the one before */
	u32			epoch;	/* I: for _FLUSH: the last that counts */
	unsigned int		signals; /* I: that end it: TASK_WAKEKILL, TASK_INTERRUPTIBLE, 0 */
	int			result;	/* L: valid once @completed */
	bool			failed;	/* L: for _FLUSH: a worker died in an item */
	bool			completed; /* L */
	u8			kind;	/* I: enum kpool_waiter_kind */
};

/* Room for the name of a function and its module. */
#define KPOOL_SYMBOL_LEN	96

struct kpool_context_work;

/* Where an owner's functions are called outside of a worker: context.c. */
struct kpool_context {
	struct kpool		*pool;	/* I */
	void			(*fn)(struct kpool *pool);	/* I */
	const char		*kind;	/* I: for the name of its thread */
	struct kpool_context_work *work; /* replaced when its thread dies */
};

/* An error, for people. */
struct kpool_error {
	char			fn[KPOOL_SYMBOL_LEN];
	u64			when;	/* ns since boot; 0: no error yet */
	int			err;
	pid_t			pid;
	bool			died;	/* instead of returning @err */
};

#define KPOOL_NR_ERRORS	8

/* Room for the names in a stack, one a line. */
#define KPOOL_STACK_LEN		1024

/*
 * A run that took too long, for people.  The names are L too, but while @when
 * is 0, the watch alone uses them.
 */
struct kpool_stall {
	char			fn[KPOOL_SYMBOL_LEN];
	char			stack[KPOOL_STACK_LEN];
	u64			when;	/* ns since boot; 0: no stall */
	unsigned int		ran_ms;
	pid_t			pid;
};

#define KPOOL_NR_STALLS	4

/* What waits to start: queue.c, job.c, stream.c. */
struct kpool_queue {
	struct list_head	prio[KPOOL_NR_QUEUES];	/* L: in order of start */
	struct list_head	admission;	/* L: in front, in order of arrival */
	struct list_head	submitters;	/* L: kpool_waiter.node of those on it */
	struct list_head	parked;		/* L: behind their stream or their own run */
	struct list_head	finished;	/* L: wait for their turn to be completed */
	struct list_head	completions;	/* L: their turn has come */
	unsigned int		nr_queued;	/* L: on @prio or @completions */
	unsigned int		nr_requeue;	/* L: kpool_run.requeue */
	unsigned int		nr_backlog;	/* L: of @admission: accepted */
	unsigned int		nr_blocked;	/* L: of @admission: asleep */
	unsigned int		nr_parked;	/* L */
	unsigned int		nr_completions;	/* L */
	unsigned int		nr_special;	/* L: special items that wait */
	unsigned int		nr_stream_blocked; /* L: of @prio: behind their stream */
	u64			extra_units;	/* L: of @prio, without those: units - 1 */
	unsigned int		nr_bypassed;	/* L: starts past a lower priority */
	unsigned int		room_units;	/* L: of the lightest refused, or 0 */
	unsigned int		room_stream_units; /* L: of those refused behind a stream */
	u32			next_seq;	/* L: of the next item */
};

/* Jobs whose time has not come: delay.c. */
struct kpool_delays {
	struct rb_root_cached	jobs;		/* L: by kpool_job.due */
	unsigned int		nr;		/* L */
	struct timer_list	timer;
};

/* Items that will not run: drop.c. */
struct kpool_drops {
	struct list_head	items;		/* L: to be dropped */
	struct list_head	cancelled_groups; /* L: kpool_group.cancel_node */
	struct kpool_context	work;
	unsigned int		nr;		/* L: on @items, or kept by their run */
	unsigned int		nr_aborters;	/* L: in kpool_abort() */
	bool			active;		/* L: @work is between two drops or in one */
	bool			room_pending;	/* L: init_attrs.room is to be called */
};

/* How many workers there are: manager.c. */
struct kpool_manager {
	struct list_head	idle;		/* L: most recently idle first */
	struct list_head	starting;	/* L: in worker_init, not late; oldest first */
	struct list_head	exited;		/* L: to be reaped */
	struct list_head	free_workers;	/* L: memory without a thread */
	struct list_head	workers;	/* M: kpool_worker.member */
	unsigned int		nr_workers;	/* L: accounted, until reaped */
	unsigned int		nr_exiting;	/* L: of those: not reaped yet */
	unsigned int		nr_idle;	/* L */
	unsigned int		nr_waking;	/* L: woken, have not looked yet */
	unsigned int		nr_spawning;	/* L: being created, not accounted yet */
	unsigned int		nr_late;	/* L: of those: for long in worker_init */
	unsigned long		spawn_pause;	/* L: jiffies between tries, if they fail */
	u64			spawn_next;	/* L: jiffies of the next try, if so */
	int			spawn_error;	/* L: why they fail */
	bool			reclaim_broken;	/* L: mem_reclaim, and no worker */
	struct delayed_work	spawn_work;
	struct delayed_work	late_work;
	struct delayed_work	reap_work;
	cpumask_var_t		cpumask;	/* M: valid if attrs.cpumask */
	cpumask_var_t		affinity;	/* M: what it and node leave */
	bool			had_affinity;	/* M: workers may have had one */
};

/* Runs that no worker makes: run.c, current.c. */
struct kpool_runs {
	struct rb_root		by_task;	/* L: kpool_run.by_task, by address */
	struct list_head	free;		/* L: kpool_run.free */
	struct kpool_run	drop;		/* L: of the drop work */
	unsigned int		nr_ext;		/* L: in all */
	unsigned int		nr_threads;	/* L: that are in one, no worker's */
	unsigned int		nr_caller;	/* L: of @nr_ext: KPOOL_RUN_CALLER */
	unsigned int		nr_drop;	/* L: of @nr_ext: KPOOL_RUN_DROP, _ABORT */
};

/* Callers asleep: wait.c, deadlock.c, lock.c. */
struct kpool_waiters {
	struct rb_root_cached	flushers;	/* L: kpool_waiter.by_epoch */
	u64			nr_flushed;	/* L: items that they wait for */
	struct list_head	drain;		/* L: for the last worker */
	struct list_head	failed_drain;	/* L: the same, a worker has died since */
	struct list_head	spawn;		/* L: for workers that are being created */
	struct list_head	self;		/* L: inside items, oldest first */
	struct list_head	self_calls;	/* L: the same, not to be refused */
	struct list_head	done;		/* L: to be completed with 0 */
	struct list_head	failed;		/* L: to be completed with -EIO */
	unsigned int		nr_self;	/* L: on @self and @self_calls */
	unsigned int		nr_self_callbacks; /* L: of those: in worker_init or _exit */
	unsigned int		nr_users;	/* L: callers that keep the pool */
	struct completion	*users_gone;	/* L: destroy waits for them */
	struct work_struct	recheck_work;	/* goes on where kpool_unlock() stopped */
};

/* Threads that die, and errors: fault.c. */
struct kpool_faults {
	struct kpool_context	dead_work;
	struct kpool_run	*reaping;	/* L: the dead run that it reaps, or NULL */
	unsigned int		nr_dead;	/* L: dead runs that are not reaped yet */
	bool			reaper_lost;	/* L: @dead_work's thread has died, too */
	unsigned int		nr_errors;	/* L: ever */
	struct kpool_error	errors[KPOOL_NR_ERRORS]; /* L: a ring */
};

/* Runs that take too long: watchdog.c. */
struct kpool_watchdog {
	struct delayed_work	work;
	bool			armed;		/* L */
	unsigned int		nr_stalls;	/* L: ever */
	struct kpool_stall	stalls[KPOOL_NR_STALLS]; /* L: a ring */
};

/* Files: debugfs.c. */
struct kpool_debugfs {
	struct dentry		*dir;		/* I */
	struct kpool_tunable_file *files;	/* I */
};

struct kpool {
	raw_spinlock_t		lock;
	/*
	 * L: what may be used without a closer look: capacity, but 0 while the
	 * pool is closed or paused, special items wait, there are external runs,
	 * or items of a module are cancelled.
	 */
	unsigned int		fast_capacity;
	/*
	 * L: what kpool_unlock() has to look at: submitters and backlog, waiters,
	 * cancelled groups, being closed.  While it is 0, a change has no
	 * consequence but for the workers.
	 */
	unsigned int		nr_recheck;
	unsigned int		units_used;	/* L: held by runs */
	unsigned int		nr_running;	/* L: items in their function, in workers */
	u32			epoch;		/* L: ends at each flush */
	u32			id;		/* I: see item.c */
	bool			closed;		/* L */
	bool			aborted;	/* L: closed, and pending is dropped */
	bool			paused;		/* L */
	bool			dead;		/* L: leaves the index of ids */
	bool			orphaned;	/* G and L: closed for good */
	bool			ending;		/* G: kpool_destroy() frees it */

	struct rcu_head		rcu;		/* freed after readers of the index of ids */

	struct kpool_queue	q;
	struct kpool_manager	mgr;
	struct kpool_waiters	waiters;
	struct kpool_runs	runs;
	struct kpool_drops	drops;
	struct kpool_delays	delays;
	struct kpool_faults	faults;
	struct kpool_watchdog	wd;
	struct kpool_debugfs	dbg;
	struct kpool_stats	stats;		/* L: the counters, not the gauges */

	struct mutex		mutex;		/* membership and attributes */
	struct kpool_attrs	attrs;		/* B: the values in force */
	unsigned long		expiry;		/* B: jiffies, if purging */
	struct kpool_attrs	init_attrs;	/* I: values at creation, fn, callbacks */

	struct list_head	member;		/* G: on kpool_pools */
	struct list_head	orphan;		/* by the notifier that closes it */
	struct list_head	going;		/* L: modules that are being removed */
	struct module		*owner;		/* G: NULL once it has gone */
	char			owner_name[MODULE_NAME_LEN];	/* I */
	char			name[KPOOL_NAME_MAX + 1];	/* I */
	char			comm[TASK_COMM_LEN];	/* I: of its workers */
	struct lock_class_key	key;		/* I: of @map */
	struct lockdep_map	map;		/* I: what waits for the pool take */
};

/* An item that kpool allocated. */
struct kpool_fn_item {
	struct kpool_item	item;
	kpool_fn		fn;
	void			*arg;
	bool			is_call; /* part of a struct kpool_call */
};

/* A tunable attribute, see tunables.h. */
struct kpool_attr_row {
	const char	*name;
	size_t		offset;		/* in struct kpool_attrs */
	int		min, max, def;
	const char	*none_word;	/* word for KPOOL_NONE, or NULL */
	const char	*max_word;	/* word for @max, or NULL */
	const char	*const *words;	/* words for values from 0 on, or NULL */
	bool		from_zero;	/* a person writes 0 for the value 1 */
};

extern const struct kpool_attr_row kpool_attr_table[KPOOL_NR_TUNABLES];
extern struct kpool_attrs kpool_default_pool_attrs;
extern struct kpool *kpool_the_default;	/* set once, never changed */
extern struct list_head kpool_pools;	/* G */
extern struct mutex kpool_registry;	/* G */
extern struct workqueue_struct *kpool_wq;
extern struct workqueue_struct *kpool_spawn_wq;
extern struct workqueue_struct *kpool_callback_wq;
extern struct kpool kpool_null_pool;

static inline int *kpool_attr(struct kpool_attrs *attrs,
			      const struct kpool_attr_row *row)
{
	return (int *)((char *)attrs + row->offset);
}

/* Accepted items that have not ended, those being dropped included. */
static inline u64 kpool_outstanding(const struct kpool *pool)
{
	const struct kpool_stats *s = &pool->stats;

	return s->submitted - s->completed - s->cancelled - s->dropped -
	       s->died;
}

/* Of an item; the lock of the pool that owns it is held. */

/* The run that the item is in, or NULL. */
static inline struct kpool_run *kpool_run_of(const struct kpool_item *item)
{
	struct kpool_run *run = item->run;

	return run && run->item == item ? run : NULL;
}

/* The number of a run, among those in the same memory. */
static inline u64 kpool_run_nr(const struct kpool_run *run)
{
	return run->worker ? run->worker->completed : run->nr;
}

static inline bool kpool_is_special(const struct kpool_item *item)
{
	return unlikely(item->flags & KPOOL_SPECIAL);
}

/* Is the item accepted and not started? */
static inline bool kpool_is_accepted(const struct kpool_item *item)
{
	return item->state >= KPOOL_ITEM_QUEUED;
}

/* Its weight, also of an item that is all zero but for its function. */
static inline u32 kpool_weight(const struct kpool_item *item)
{
	return item->flags & __KPOOL_WEIGHTED ? item->weight : 1;
}

/* Units that the item would hold. */
static inline unsigned int kpool_units(const struct kpool *pool,
				       const struct kpool_item *item)
{
	return min_t(u32, kpool_weight(item), pool->attrs.capacity);
}

/* The job around an item, or NULL. */
static inline struct kpool_job *kpool_job_or_null(const struct kpool_item *item)
{
	return item->flags & __KPOOL_JOB ?
	       container_of((struct kpool_item *)item, struct kpool_job, item) :
	       NULL;
}

/* Is the item a job of an ordered stream? */
static inline bool kpool_is_ordered(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	return job && job->stream && job->stream->ordered;
}

/* Must the item, accepted or about to be, wait for another of its stream? */
static inline bool
kpool_must_wait_for_stream(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);
	const struct kpool_stream *stream;

	if (!job || (kpool_is_accepted(item) &&
		     item->state != KPOOL_ITEM_BACKLOG))
		return item->flags & __KPOOL_STREAM_BLOCKED;
	stream = job->stream;
	return stream && !stream->ordered &&
	       (stream->runner || !list_empty(&stream->jobs));
}

static inline kpool_item_fn kpool_complete_fn(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	return job ? job->complete : NULL;
}

/* Has the function of the job returned, so that the job is to be completed? */
static inline bool kpool_is_completion(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	return job && job->turn.state == KPOOL_TURN_READY;
}

/* Does the job run its function, to be completed later? */
static inline bool kpool_is_to_complete(const struct kpool_item *item)
{
	const struct kpool_run *run = kpool_run_of(item);

	return run && run->complete;
}

static inline struct kpool_fn_item *
kpool_fn_item_of(const struct kpool_item *item)
{
	return container_of((struct kpool_item *)item, struct kpool_fn_item,
			    item);
}

/* Did kpool_submit_fn() allocate the item, which frees itself? */
static inline bool kpool_is_fn_item(const struct kpool_item *item)
{
	return item->flags & __KPOOL_FN && !kpool_fn_item_of(item)->is_call;
}

/* Does a caller wait for the item? */
static inline bool kpool_is_call(const struct kpool_item *item)
{
	return item->flags & __KPOOL_FN && kpool_fn_item_of(item)->is_call;
}

/* The function that the user of an item knows. */
static inline void *kpool_user_fn(const struct kpool_item *item)
{
	return item->flags & __KPOOL_FN ? (void *)kpool_fn_item_of(item)->fn :
					  (void *)item->fn;
}

static inline bool kpool_is_within(const void *address,
				   const struct module *module)
{
	return address && within_module((unsigned long)address, module);
}

/* Does the item use memory or a function of the module? */
static inline bool kpool_is_of_module(const struct kpool_item *item,
				      const struct module *module)
{
	return kpool_is_within(kpool_user_fn(item), module) ||
	       kpool_is_within(item->dropped, module) ||
	       kpool_is_within(kpool_complete_fn(item), module) ||
	       kpool_is_within(item, module);
}

/* Context of a thread */

/* In current->flags: what allocations of the thread may do. */
#define KPOOL_CONTEXT_FLAGS						\
	(PF_MEMALLOC | PF_MEMALLOC_NOIO | PF_MEMALLOC_NOFS |		\
	 PF_MEMALLOC_PIN | PF_LOCAL_THROTTLE)

static inline bool kpool_task_state_leaked(const struct kpool_task_state *before)
{
	/* one branch for all: every item passes here */
	unsigned int left = preempt_count() | rcu_preempt_depth() |
			    ((current->flags ^ before->flags) &
			     KPOOL_CONTEXT_FLAGS);

	return left || irqs_disabled() ||
	       (IS_ENABLED(CONFIG_LOCKDEP) &&
		lockdep_depth(current) != before->nr_locks);
}

/* Prototypes, by file */

/* kpool.c: pools */
struct kpool *kpool_by_id(u32 id);
void kpool_close(struct kpool *pool, bool abort);
int kpool_wait_drained(struct kpool *pool, unsigned long timeout);
void kpool_orphan(struct kpool *pool);

/* lock.c: the way out of pool->lock */
void kpool_recheck_some(struct kpool *pool);
void kpool_recheck_all(struct kpool *pool);
void kpool_recheck_work_fn(struct work_struct *work);

/* submit.c: admission */
int kpool_submit_signals(struct kpool *pool, struct kpool_item *item,
			 unsigned long timeout, unsigned int signals);
int kpool_check_accept(struct kpool *pool, struct kpool_item *item);

/* queue.c: the run queue */
void kpool_accept(struct kpool *pool, struct kpool_item *item);
void kpool_enqueue(struct kpool *pool, struct kpool_item *item);
void kpool_scan_skip(struct kpool *pool, struct kpool_item *item);
void kpool_scan_again(struct kpool *pool, const struct kpool_item *item);
void kpool_dequeue_dead(struct kpool *pool, struct kpool_item *item);
void kpool_item_drop(struct kpool *pool, struct kpool_item *item, int err);
bool kpool_sweep_groups(struct kpool *pool);
void kpool_unpark(struct kpool *pool, struct kpool_item *item);
void kpool_delay_remove(struct kpool *pool, struct kpool_job *job);
struct kpool_item *kpool_first_delayed(struct kpool *pool);
const struct kpool_item *kpool_first_unfit(const struct kpool *pool,
					   unsigned int *nr, unsigned int *left);
void kpool_unblock(struct kpool *pool, struct kpool_item *item);
void kpool_fail_blocked(struct kpool *pool, struct kpool_item *item, int err);
bool kpool_admit_one(struct kpool *pool);
void kpool_requeue(struct kpool *pool, struct kpool_item *item);
bool kpool_park_batch(struct kpool *pool);
bool kpool_has_special_work(struct kpool *pool);
struct kpool_item *kpool_pick_next(struct kpool *pool);
bool kpool_prepare_start(struct kpool *pool);
bool kpool_can_start_now(const struct kpool *pool, const struct kpool_item *item);
bool kpool_notify_room(struct kpool *pool);
bool kpool_one_slot_short(const struct kpool *pool);
void kpool_update_fast_capacity(struct kpool *pool);
void kpool_special_add(struct kpool *pool, struct kpool_item *item);
void kpool_special_remove(struct kpool *pool, struct kpool_item *item);
void kpool_special_account(struct kpool *pool, struct kpool_item *item, bool in);
void kpool_special_dequeue(struct kpool *pool, struct kpool_item *item, bool starts);
struct kpool_item *kpool_any_accepted(struct kpool *pool);
bool kpool_can_queue(struct kpool *pool, const struct kpool_item *item);
void kpool_queue_backlog(struct kpool *pool, struct kpool_item *item);

/* job.c: abilities that only some items have */
int kpool_special_check(struct kpool *pool, struct kpool_item *item);
void kpool_special_accept(struct kpool *pool, struct kpool_item *item);
void kpool_special_enqueue(struct kpool *pool, struct kpool_item *item);
int kpool_check_start(const struct kpool_item *item);
void kpool_special_block(struct kpool *pool, struct kpool_item *item);
void kpool_special_unblock(struct kpool *pool, struct kpool_item *item);
void kpool_special_drop(struct kpool *pool, struct kpool_item *item);
void kpool_special_dequeue_dead(struct kpool *pool, struct kpool_item *item);
struct kpool_group *kpool_special_take_group(struct kpool *pool, struct kpool_item *item);

/* stream.c: streams of jobs */
void kpool_stream_finished(struct kpool *pool, struct kpool_run *run,
			   struct kpool_job *job);
void kpool_stream_complete(struct kpool_run *run, struct kpool_job *job);
void kpool_stream_join(struct kpool *pool, struct kpool_job *job);
void kpool_stream_begin(struct kpool_run *run, struct kpool_job *job);
void kpool_stream_end(struct kpool *pool, struct kpool_run *run);
void kpool_stream_leave(struct kpool *pool, struct kpool_job *job);

/* item.c: one item, and which pool owns it */
bool kpool_is_self_submit(struct kpool *pool,
				 const struct kpool_item *item);
bool kpool_do_cancel(struct kpool *pool, struct kpool_item *item);

/* delay.c: delayed jobs */
void kpool_delay_init(struct kpool *pool);
void kpool_delay_stop(struct kpool *pool);

/* group.c: groups of jobs */
bool kpool_group_is_cancelled(const struct kpool_group *group);
void kpool_group_swept(struct kpool_group *group);
void kpool_group_fail_waiters(struct kpool_group *group);
void kpool_group_queue_cancel(struct kpool *pool, struct kpool_group *group);
void kpool_group_join(struct kpool *pool, struct kpool_job *job);
void kpool_group_block(struct kpool *pool, struct kpool_job *job);
void kpool_group_unblock(struct kpool *pool, struct kpool_job *job);
struct kpool_group *kpool_group_begin(struct kpool *pool, struct kpool_job *job);
void kpool_group_complete(struct kpool_job *job);
void kpool_group_end(struct kpool *pool, struct kpool_group *group,
		     struct kpool_item *item, int result, bool failed);

/* call.c: functions with an argument */
struct kpool_call *kpool_call_of(const struct kpool_item *item);
void kpool_call_died(struct kpool_call *call);
void kpool_call_abandon(struct kpool_call *call);

/* worker.c: a worker's thread */
bool kpool_worker_remove_dead(struct kpool_worker *worker);
int kpool_worker_main(void *data);
void kpool_task_state_save(struct kpool_task_state *state);
void kpool_task_state_restore(const struct kpool *pool, const void *fn,
			      struct kpool_task_state *before);

/* manager.c: how many workers there are */
void kpool_spawn_if_needed(struct kpool *pool);
void kpool_late_work(struct work_struct *work);
void kpool_worker_init_begin(struct kpool_worker *worker);
void kpool_worker_init_end(struct kpool_worker *worker);
unsigned long kpool_timer_expires(unsigned long when);
void kpool_arm_reaper(struct kpool *pool);
struct task_struct *kpool_pick_worker(struct kpool *pool);
void kpool_worker_retire(struct kpool *pool, struct kpool_worker *worker,
			 enum kpool_worker_state why);
bool kpool_should_exit(const struct kpool *pool);
void kpool_retire_surplus(struct kpool *pool);
bool kpool_worker_account(struct kpool_worker *worker);
void kpool_worker_failed(struct kpool_worker *worker, int err);
void kpool_worker_exited(struct kpool_worker *worker);
void kpool_spawn_work_fn(struct work_struct *work);
int kpool_prealloc(struct kpool *pool);
void kpool_reap_work_fn(struct work_struct *work);
void kpool_free_workers(struct kpool *pool);

/* run.c: begin and end of a run */
void kpool_run_init(struct kpool_run *run, struct kpool_worker *worker);
void kpool_ext_run_begin(struct kpool *pool, struct kpool_run *run,
			 struct kpool_item *item, enum kpool_run_kind kind);
void kpool_ext_run_end(struct kpool *pool, struct kpool_run *run, int result,
		       bool failed);
struct kpool_run *kpool_run_alloc(gfp_t gfp);
struct kpool_run *kpool_run_get(struct kpool *pool);
void kpool_free_runs(struct kpool *pool);
void kpool_run_begin_special(struct kpool *pool, struct kpool_run *run,
			     struct kpool_item *item);
bool kpool_run_end_special(struct kpool *pool, struct kpool_run *run,
			   struct kpool_item *item, int err, bool lost);
void kpool_run_begin_completion(struct kpool *pool, struct kpool_run *run,
			 struct kpool_item *item);
void kpool_caller_run_end(struct kpool *pool, struct kpool_run *run, int err);

/* current.c: the worker and the runs that the caller is in */
struct kpool_worker *kpool_current_worker(void);
struct kpool_worker *kpool_current_worker_in(struct kpool *pool);
void kpool_run_clear_outer(struct kpool *pool, const struct kpool_run *outer,
			   const struct task_struct *task);
struct kpool_run *kpool_ext_run_after(const struct kpool *pool,
				      const struct task_struct *task);
struct kpool_run *kpool_current_run(struct kpool *pool);
struct kpool_run *kpool_run_outermost(struct kpool_run *run);
unsigned int kpool_ext_run_depth(struct kpool *pool);
bool kpool_is_part_of(struct kpool *pool);
void kpool_ext_run_enter(struct kpool *pool, struct kpool_run *run);
void kpool_ext_run_leave(struct kpool *pool, struct kpool_run *run);

/* drop.c: accepted items that will not run */
void kpool_drop_end(struct kpool *pool, struct kpool_run *run);
void kpool_replace_drop_work(struct kpool *pool, bool died);
void kpool_room_end(struct kpool *pool, struct kpool_run *run);
void kpool_drop_work_fn(struct kpool *pool);
void kpool_abort_by_dropper(struct kpool *pool);

/* context.c: where a pool's callbacks are called outside of its workers */
void kpool_context_init(struct kpool_context *context, struct kpool *pool,
			void (*fn)(struct kpool *pool), const char *kind);
int kpool_context_start(struct kpool_context *context);
void kpool_context_queue(struct kpool_context *context);
int kpool_context_replace(struct kpool_context *context);
void kpool_context_flush(struct kpool_context *context);
void kpool_context_destroy(struct kpool_context *context);
void kpool_context_destroy_queue(void);

/* wait.c: sleeping callers */
void kpool_waiter_init(struct kpool_waiter *waiter, enum kpool_waiter_kind kind,
		       struct kpool_item *item);
void kpool_waiter_complete(struct kpool *pool, struct kpool_waiter *waiter, int result);
void kpool_waiter_complete_list(struct kpool *pool, struct list_head *waiters, bool failed);
bool kpool_waiter_complete_one(struct kpool *pool);
struct kpool_waiter *kpool_flusher_of(const struct kpool *pool, u32 epoch);
void kpool_add_flusher(struct kpool *pool, struct kpool_waiter *waiter);
void kpool_item_ended(struct kpool *pool, u32 epoch);
bool kpool_is_drained(const struct kpool *pool);
bool kpool_check_drained(struct kpool *pool);
void kpool_get(struct kpool *pool);
void kpool_put(struct kpool *pool);
void kpool_waiter_refuse(struct kpool *pool, struct kpool_waiter *waiter);
int kpool_wait(struct kpool *pool, struct kpool_waiter *waiter,
	       unsigned long timeout, unsigned int signals);
void kpool_move_waiters(struct kpool *pool, struct kpool_item *item,
			struct list_head *to);
void kpool_keep_waiters(struct kpool_item *item, struct list_head *waiters);
int kpool_wait_item(struct kpool *pool, struct kpool_item *item,
		    enum kpool_waiter_kind kind, unsigned long timeout,
		    unsigned int signals);

/* deadlock.c: sleeps that can never end */
bool kpool_is_self_wait(struct kpool *pool);
bool kpool_wait_has_begun(const struct kpool_waiter *waiter);
struct kpool_waiter *kpool_cycle_through(struct kpool *pool,
					 const struct kpool_item *item);
struct kpool_waiter *kpool_cycle_at_leader(struct kpool *pool,
					   struct kpool_stream *stream);
bool kpool_would_deadlock(struct kpool *pool, const struct kpool_item *item,
			  enum kpool_waiter_kind kind,
			  struct kpool_waiter **victim);
struct kpool_waiter *kpool_find_deadlocked(struct kpool *pool);

/* fault.c: items that fail, and threads that die in one */
void kpool_record_stall(struct kpool *pool, pid_t pid, const void *fn,
			unsigned int ran_ms, const struct kpool_stack *stack);
void kpool_report_error(struct kpool *pool, struct task_struct *task,
			const struct kpool_fault *fault);
int kpool_exit_work_alloc(struct kpool_worker *worker);
void kpool_exit_work_free(struct kpool_worker *worker);
void kpool_exit_work_add(struct kpool_worker *worker);
void kpool_exit_work_set_running(struct kpool_worker *worker);
void kpool_exit_work_set_exiting(struct kpool_worker *worker);
void kpool_exit_work_set_done(struct kpool_worker *worker);
void kpool_exit_work_put(struct kpool_exit_work *exit_work);
void kpool_exit_work_wait_all(void);
void kpool_reap_dead(struct kpool *pool);
void kpool_look_for_dead(struct kpool *pool);
void kpool_replace_reaper(struct kpool *pool);

/* watchdog.c: stalled and dead threads */
void kpool_watchdog_arm(struct kpool *pool);
void kpool_watchdog_fn(struct work_struct *work);
void kpool_stack_req_flush(void);

/* module.c: what an unloading module leaves */
bool kpool_is_of_going(const struct kpool *pool, const struct kpool_item *item);
int kpool_module_event(struct notifier_block *nb, unsigned long event,
		       void *data);

/* attrs.c: attributes */
int kpool_attr_parse(const struct kpool_attr_row *row, const char *text,
		     const char *name, int *value);
int kpool_attr_print(const struct kpool_attr_row *row, int value, char *text,
		     size_t size);
int kpool_attrs_resolve(const struct kpool_attrs *req,
			struct kpool_attrs *attrs, const char *name);
int kpool_attrs_check_defaults(void);
void kpool_sched_apply(struct kpool *pool, struct task_struct *task);
void kpool_sched_restore(struct kpool *pool);
void kpool_attrs_apply(struct kpool *pool, const struct kpool_attrs *attrs);

/* debugfs.c: files for people */
void kpool_debugfs_add(struct kpool *pool);
void kpool_debugfs_remove(struct kpool *pool);
void kpool_debugfs_init(void);
void kpool_debugfs_exit(void);

#endif /* _KPOOL_INTERNAL_H */
