/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internal structures and prototypes of kpool.
 *
 * Life of an item: submit.c accepts it, queue.c queues it, worker.c runs it.
 * Optional features (weight, priority, stream, group) are only looked at for
 * items with flags: see kpool_is_special() and kpool_has_fields().
 *
 * A letter in front of a field's comment names what protects the field:
 *
 * I: set before other threads find the structure; read-only until memory reuse.
 * L: pool->lock, a raw spinlock taken with interrupts off, because submit is
 *    allowed in hardirq context and under raw spinlocks on PREEMPT_RT too.
 *    Nothing that sleeps on PREEMPT_RT can be used under it: no allocation,
 *    spinlock_t or wait queue head.
 * M: pool->mutex, process context; taken before L.
 * B: written under both M and L, read under either.
 * G: kpool_registry, the mutex of the list of pools; taken before M.
 * S: accessed by the thread that the structure belongs to, by others only after
 *    it has died.
 * A: atomic, or ordered by release and acquire: see queue.h and run.c.
 *
 * "Racy read": also read without that lock, by READ_ONCE() or data_race().
 * "Fast starts": also written by a worker that starts an item without L, in
 * kpool_start_fast().
 *
 * The fields of items, jobs, groups and streams, in kpool.h, have no letter.
 * The lock of the item's owner pool protects them, see item.c, or that of the
 * pool of the group or stream.  Other locks, timers, works and completions have
 * none either.
 *
 * "Litmus:" in a comment names the test in selftests/litmus/ that checks the
 * memory ordering which the code relies on.
 */
#ifndef _KPOOL_INTERNAL_H
#define _KPOOL_INTERNAL_H

#include <linux/completion.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rbtree.h>
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

/* Item states.  KPOOL_ITEM_IDLE is 0, so a zeroed item is idle. */
enum kpool_item_state {
	KPOOL_ITEM_IDLE,
	KPOOL_ITEM_SUBMITTING,	/* idle, or in pool->inbox: see queue.h */
	KPOOL_ITEM_BLOCKED,	/* not accepted, on pool->q.admission */
	KPOOL_ITEM_DONE,	/* runs or ended, its group collects it */
	KPOOL_ITEM_COMPLETING,	/* on pool->q.finished or ->completions */
	/* accepted and not started: */
	KPOOL_ITEM_READY,	/* pending, in pool->ready; or started */
	KPOOL_ITEM_QUEUED,	/* pending, on one of pool->q.prio */
	KPOOL_ITEM_REQUEUE,	/* pending, next to start, but still runs */
	KPOOL_ITEM_PARKED,	/* pending, on ->parked: stream is busy */
	KPOOL_ITEM_BACKLOG,	/* pending, on pool->q.admission */
	KPOOL_ITEM_DELAYED,	/* in pool->delays.jobs */
	KPOOL_ITEM_DROPPING,	/* on pool->drops.items, with item->err */
};

/* Queues of a pool, highest priority first. */
enum kpool_queue_prio {
	KPOOL_QUEUE_HIGH,
	KPOOL_QUEUE_NORMAL,
	KPOOL_QUEUE_LOW,
	KPOOL_NR_QUEUES
};

/* States of a kpool_turn, a job's place in its ordered stream. */
enum kpool_turn_state {
	KPOOL_TURN_PENDING,	/* in the job: not started, or in completion */
	KPOOL_TURN_RUNNING,	/* in the run, as the job can be freed */
	KPOOL_TURN_READY,	/* in the job: its function has returned */
};

/*
 * Flags that make an item special: it is queued and started on the slow path.
 * With __KPOOL_JOB_SET, that depends on the field of the job: see
 * kpool_has_special_fields().  __KPOOL_FN has only the start take that path.
 */
#define KPOOL_SPECIAL							\
	(U8_MAX & ~(__KPOOL_HAS_WAITERS | __KPOOL_FN | __KPOOL_JOB |	\
		    __KPOOL_JOB_SET))

/* An item's flags as part of kpool_item.word. */
#define KPOOL_FLAGS(_flags)						\
	((u32)(_flags) << (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 0 : 24))

/* Bits of kpool_item.word that are 0 in a plain item in KPOOL_ITEM_IDLE. */
#define KPOOL_NOT_IDLE_PLAIN						\
	(~KPOOL_FLAGS(__KPOOL_FN | __KPOOL_JOB))

/* Bits that are 0 in any item that a fast submit takes. */
#define KPOOL_NOT_FAST							\
	(KPOOL_NOT_IDLE_PLAIN &						\
	 ~KPOOL_FLAGS(__KPOOL_JOB_SET | __KPOOL_WEIGHTED |		\
		      __KPOOL_HIGH | __KPOOL_LOW))

/* An item's state as part of kpool_item.word. */
#define KPOOL_STATE(_state)						\
	((u32)(_state) << (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 8 : 16))

/* Code that a run executes. */
enum kpool_run_kind {
	KPOOL_RUN_WORKER,	/* the item's function, in a worker */
	KPOOL_RUN_CALLER,	/* the item's function, in its submitter */
	KPOOL_RUN_DROP,		/* the item's drop function, in the drop work */
	KPOOL_RUN_ABORT,	/* the item's drop function, in kpool_abort() */
	KPOOL_RUN_ROOM,		/* the pool's room function, without an item */
	KPOOL_RUN_RELEASE,	/* a release function, in kpool_call() */
};

/* Last callback made for a run that failed, or whose thread died. */
enum kpool_notified {
	KPOOL_NOTIFIED_NONE,
	KPOOL_NOTIFIED_HANDLER,	/* the fault handler */
	KPOOL_NOTIFIED_CALL,	/* the release function of its call */
};

/*
 * A run: see run.c.  kpool_item.run can point to a run that has ended, so the
 * pool keeps the memory: in a worker, or on pool->runs.free.
 */
struct kpool_run {
	/*
	 * L, fast starts: only compared, as the item can have been freed,
	 * unless the run leaves it to be completed or collected
	 */
	struct kpool_item	*item;
	/* L, racy read: for the end of this run */
	struct list_head	waiters;
	struct list_head	next_waiters; /* L: for the next run of @item */
	/* L: @item, accepted again, held or to be dropped when this run ends */
	struct kpool_item	*requeue;
	/* L: run of this pool that the thread was in before, or NULL */
	struct kpool_run	*outer;
	/* L: outermost run: waiter that its thread sleeps on, or NULL */
	struct kpool_waiter	*blocked_on;
	struct task_struct	*task;	/* L: valid while the run lasts */
	struct task_struct	*task_ref; /* L: external run: reference */
	struct kpool_worker	*worker; /* I: that embeds the run, or NULL */
	/* L: to update at the end, or NULL; fast starts do not change it */
	struct kpool_group	*group;
	struct kpool_stream	*stream; /* L: held until the end, or NULL */
	struct kpool_turn	turn;	/* L: turn of @item, if @complete */
	struct kpool_call	*call;	/* L: call of @item, or NULL */
	void			*fn;	/* L, fast starts, racy read: reported */
	/* L: functions of @item that this run does not call, or NULL */
	void			*other_fns[2];
	/* L: function to call for the ordered job @item later, or NULL */
	kpool_item_fn		complete;
	union {
		/* L: in pool->runs.by_task, innermost run of a thread only */
		struct rb_node	by_task;
		struct list_head free;	/* L: on pool->runs.free */
	};
	unsigned long		since;	/* L: external run: jiffies */
	/* L: units held; 1 in an idle worker, 0 in external runs */
	unsigned int		units;
	/* L, fast starts, racy read: kpool_item.epoch of @item */
	u32			epoch;
	int			err;	/* L: reason for _DROP or _ABORT */
	/* L: completion: the job's result; drop: what its group fails with */
	int			result;
	/* handovers; changed while the run sleeps in one, racy read */
	u32			nr_refused;
	/* L: runs begun in this memory, except those in @worker->nr_runs */
	u64			nr;
	u64			began_us; /* L: see watchdog.c; 0: not known */
	u64			began_nr; /* L: kpool_run_nr() of @began_us */
	u8			kind;	/* L: enum kpool_run_kind */
	bool			end_locked; /* L, racy read: ends with L held */
	bool			dead;	/* L: accounted: its thread died */
	bool			stalled; /* L: external: reported */
	u8			notified; /* S, of any thread: enum kpool_notified */
};

enum kpool_worker_state {
	KPOOL_WORKER_STARTING,	/* created, in worker_init, not accounted */
	KPOOL_WORKER_WAKING,	/* new, woken, frozen or yielding */
	KPOOL_WORKER_RUNNING,	/* has an item */
	KPOOL_WORKER_IDLE,	/* on pool->mgr.idle */
	KPOOL_WORKER_EXPIRED,	/* exits because it was idle for too long */
	KPOOL_WORKER_RETIRED,	/* exits because of shutdown or tune */
	KPOOL_WORKER_DEAD,	/* its thread died in an item */
	KPOOL_WORKER_FAILED,	/* exits without having been accounted */
};

/* How far a worker's thread has come, for its exit work: see fault.c. */
enum kpool_exit_stage {
	KPOOL_STAGE_INIT,	/* in worker_init */
	KPOOL_STAGE_RUNNING,	/* accounted in the pool */
	KPOOL_STAGE_EXIT,	/* in worker_exit */
	KPOOL_STAGE_DONE,	/* to be reaped */
};

/* Runs when a worker's thread ends, in that thread. */
struct kpool_exit_work {
	struct callback_head	work;	/* S */
	struct kpool_worker	*worker; /* I: valid until KPOOL_STAGE_DONE */
	struct task_struct	*task;	/* S: referenced */
	/* kpool_exit_works_mutex: on kpool_exit_works_done */
	struct list_head	node;
	enum kpool_exit_stage	stage;	/* S */
};

/*
 * Task state that an item's function must restore.  Interrupts and preemption
 * are not in it: a function is called with both enabled.  Only its thread uses
 * it.
 */
struct kpool_task_state {
	unsigned int		flags;	/* task->flags & KPOOL_CONTEXT_FLAGS */
	int			nr_locks; /* locks held, according to lockdep */
	int			rcu_depth; /* not 0: left by an earlier item */
};

/*
 * A worker.  The memory of a worker outlives its thread, because kpool_item.run
 * can still point to it: it goes to pool->mgr.free_workers, and is freed with
 * the pool.
 */
struct kpool_worker {
	/* L: on pool->mgr.starting, idle, exited or free_workers */
	struct list_head	node;
	struct list_head	member;	/* M: on pool->mgr.workers */
	struct kpool		*pool;	/* I */
	struct task_struct	*task;	/* I: referenced until reaped */
	struct kpool_run	run;	/* L */
	/* L, fast starts, racy read: jiffies of last state change */
	unsigned long		since;
	u64			nr_runs; /* L: runs that have ended */
	struct kpool_task_state	before;	/* S: state before each item */
	u8			state;	/* L, racy read: kpool_worker_state */
	bool			jobs;	/* L: starts jobs: kpool_process_job() */

	void			*data;	/* S: returned by worker_init */
	bool			retry;	/* I: created after a failed attempt */
	bool			late;	/* L: in worker_init for too long */

	struct lockdep_map	map;	/* S: running item, for lockdep */
	unsigned int		nr_nested; /* S: external runs in its item */
	struct kpool_exit_work	*exit_work; /* I: of its thread */
	u64			stall_reported; /* L: number of stalled run */
	bool			died;	/* L, racy read: its thread died */
};

/* A module being removed, and the cursor of the search for its items. */
struct kpool_going {
	struct list_head	node;	/* L: on pool->going */
	struct kpool		*pool;	/* I: the default pool, or NULL */
	const struct module	*module; /* I */
	struct list_head	*next;	/* L: next item of the list */
	struct rb_node		*next_delayed; /* L: next job of the tree */
	bool			again;	/* L: an item was put back */
	unsigned int		cancelled; /* L */
	unsigned int		awaited; /* S */
};

enum kpool_waiter_kind {
	KPOOL_WAITER_SUBMIT,	/* on pool->q.submitters, item on ->admission */
	KPOOL_WAITER_ITEM,	/* on a list of its item or of a run */
	KPOOL_WAITER_CALL,	/* as _ITEM; must not fail once the item runs */
	KPOOL_WAITER_GROUP,	/* on group->waiters, for all jobs */
	KPOOL_WAITER_NEXT,	/* on group->next_waiters, for one ended job */
	KPOOL_WAITER_FLUSH,	/* in pool->waiters.flushers */
	KPOOL_WAITER_DRAIN,	/* on pool->waiters.drain */
	KPOOL_WAITER_SPAWN,	/* on pool->waiters.spawn */
};

/*
 * Run that submits its own item to another pool.  If the item is refused, it
 * is owned by the previous pool and part of the run again.
 */
struct kpool_handover {
	struct kpool_run	*run;	/* S, I in a waiter: or NULL */
	u32			owner;	/* S, I in a waiter: previous pool's id */
};

/* A caller asleep in kpool; lives on the caller's stack. */
struct kpool_waiter {
	struct list_head	node;	/* L */
	/* L: on pool->waiters.self, ->self_calls or ->queued_calls, or empty */
	struct list_head	pool_node;
	struct rb_node		by_epoch; /* L: _FLUSH: in ->waiters.flushers */
	/*
	 * L: dummy run without an item.  For the first waiter for a pending
	 * item that does not run: item->run points here, to list all waiters
	 */
	struct kpool_run	pending;
	struct completion	done;
	struct kpool_item	*item;	/* I: for _SUBMIT, _ITEM and _CALL */
	struct kpool_handover	handover; /* I: for _SUBMIT */
	struct kpool_run	*handed; /* I: that handed @item over, or NULL */
	struct kpool_run	*run;	/* I: run that sleeps here, or NULL */
	struct task_struct	*task;	/* I: that sleeps here */
	unsigned long		since;	/* I: jiffies when it went to sleep */
	unsigned long		left;	/* L: _FLUSH: own items left */
	u32			epoch;	/* I: _FLUSH, @run: last one waited for */
	unsigned int		signals; /* I: TASK_* bits that wake it */
	int			result;	/* L: valid once @completed */
	bool			failed;	/* L: _FLUSH: a worker has died */
	bool			for_next; /* I: for the next run of @item, which runs */
	bool			timed;	/* I: its sleep has a time limit */
	bool			in_callback; /* I: in worker_init or worker_exit */
	bool			completed; /* L */
	u8			kind;	/* I: enum kpool_waiter_kind */
};

/*
 * Number of things to do under one hold of a lock.  The simulation does one, so
 * that some are left.
 */
#ifndef KPOOL_BATCH
#define KPOOL_BATCH(n)	(n)
#endif

/* Size of the name of a function and its module. */
#define KPOOL_SYMBOL_LEN	96

struct kpool_context_work;

/* Context that calls client functions outside of a worker: see run.c. */
struct kpool_context {
	struct kpool		*pool;	/* I */
	void			(*fn)(struct kpool *pool);	/* I */
	const char		*kind;	/* I: for the name of its thread */
	/* A: see kpool_context_start(); replaced after a death */
	struct kpool_context_work *work;
};

/* Record of an item's error, shown in debugfs.  L protects all fields. */
struct kpool_error {
	char			fn[KPOOL_SYMBOL_LEN];
	u64			when;	/* ns since boot; 0: no error */
	int			err;
	pid_t			pid;
	bool			died;	/* the thread did not return */
};

#define KPOOL_NR_ERRORS	8

struct kpool_errors {
	unsigned int		nr;	/* L: ever */
	struct kpool_error	ring[KPOOL_NR_ERRORS];	/* L */
};

/* Size of the names in a stack, one a line. */
#define KPOOL_STACK_LEN		1024

/*
 * Record of a run that took too long, shown in debugfs.  L protects all fields,
 * but the watchdog writes the others without the lock, while @when is 0.
 */
struct kpool_stall {
	char			fn[KPOOL_SYMBOL_LEN];
	char			stack[KPOOL_STACK_LEN];
	u64			when;	/* ns since boot; 0: no stall */
	unsigned int		ran_ms;
	pid_t			pid;
};

#define KPOOL_NR_STALLS	4

/* Longest chain of waiters to follow; a longer one is not taken for a cycle. */
#define KPOOL_MAX_CHAIN	32

/* Items examined in a row under the lock, to find room, a place, a victim. */
#define KPOOL_MAX_LOOKS	64

/* In kpool_queue.room_units if all refused items wait for their streams. */
#define KPOOL_ROOM_STREAM	UINT_MAX

/* Queued items that start as soon as a worker looks, on the stack. */
struct kpool_runnable {
	const struct kpool_item	*unfit;	/* first that lacks units, or NULL */
	unsigned int		nr;	/* that start ahead of it */
	unsigned int		left;	/* units that they leave */
	unsigned int		nr_bypassed;	/* of kpool_queue, then */
	bool			walked;	/* @unfit is known, not just the numbers */
	/* with @unfit: first items behind it, of each priority */
	struct list_head	*at[KPOOL_NR_QUEUES];
};

/* Items waiting to start: queue.c, stream.c. */
struct kpool_queue {
	struct list_head	prio[KPOOL_NR_QUEUES];	/* L: in order */
	/* L: special item that kpool_unpark() put there last, or NULL */
	struct kpool_item	*put_back[KPOOL_NR_QUEUES];
	struct list_head	admission;	/* L: no room, oldest first */
	struct list_head	submitters;	/* L: of blocked items */
	struct list_head	parked;		/* L: jobs of busy streams */
	struct list_head	finished;	/* L: jobs before their turn */
	struct list_head	completions;	/* L: jobs to complete now */
	unsigned int		nr_queued; /* L: @prio, @completions, ready ring */
	unsigned int		nr_requeue;	/* L: KPOOL_ITEM_REQUEUE */
	unsigned int		nr_backlog;	/* L: KPOOL_ITEM_BACKLOG */
	unsigned int		nr_blocked;	/* L: KPOOL_ITEM_BLOCKED */
	unsigned int		nr_parked;	/* L */
	unsigned int		nr_completions;	/* L */
	/* L: special and pending, blocked or on @completions; not delayed */
	unsigned int		nr_special;
	/* L: on @prio, with __KPOOL_STREAM_BLOCKED */
	unsigned int		nr_stream_blocked;
	unsigned int		nr_held;	/* L: on @prio: kpool_hold() */
	u64			extra_units;	/* L: weight - 1 of others */
	unsigned int		nr_bypassed;	/* L: starts past lower prio */
	/* L: least units refused of each priority, or 0 */
	unsigned int		room_units[KPOOL_NR_QUEUES];
	/* L: of these, least units refused behind a stream, or 0 */
	unsigned int		room_stream_units[KPOOL_NR_QUEUES];
	u32			room_epoch;	/* L: kpool_stream.refused of those */
	u32			next_seq;	/* L: of the next item */
};

/* Delayed jobs: delay.c. */
struct kpool_delays {
	struct rb_root_cached	jobs;		/* L: by kpool_job.due */
	unsigned int		nr;		/* L */
	struct timer_list	timer;
};

/* Accepted items that will not run: drop.c. */
struct kpool_drops {
	struct list_head	items;		/* L: to be dropped */
	struct list_head	cancelled_groups; /* L: ->cancel_node */
	struct kpool_context	work;
	unsigned int		nr;		/* L: on @items, or in a run */
	unsigned int		nr_aborters;	/* L: in kpool_abort() */
	struct kpool_run	*aborting;	/* L: newest _ABORT run, or NULL */
	bool			room_pending;	/* L: call init_attrs.room */
};

/* Number of workers: manager.c. */
struct kpool_manager {
	struct list_head	idle;		/* L: most recent first */
	struct list_head	starting;	/* L: oldest first, not late */
	struct list_head	exited;		/* L: to be reaped */
	struct list_head	free_workers;	/* L: memory without a thread */
	struct list_head	workers;	/* M: kpool_worker.member */
	unsigned int		nr_workers;	/* L: accounted, until reaped */
	unsigned int		nr_exiting;	/* L: of @nr_workers */
	unsigned int		nr_idle;	/* L: on @idle */
	unsigned int		nr_waking;	/* L: woken or yielding, not new */
	unsigned int		nr_spawning;	/* L: before accounting */
	unsigned int		nr_late;	/* L: of @nr_spawning: late */
	unsigned long		spawn_pause;	/* L: jiffies, or 0 */
	u64			spawn_next;	/* L: jiffies64 of next try */
	int			spawn_error;	/* L: of the last failure */
	bool			spawn_warned;	/* L: failure logged, not recovery */
	/* L: a KPOOL_MEM_RECLAIM pool has lost its last worker, not exiting */
	bool			reclaim_broken;
	bool			replace_late;	/* L: create one more for a late one */
	struct delayed_work	spawn_work;
	struct delayed_work	late_work;
	struct delayed_work	reap_work;
	cpumask_var_t		cpumask;	/* M: valid if attrs.cpumask */
	cpumask_var_t		affinity;	/* M: @cpumask & node's CPUs */
	bool			had_affinity;	/* M: @affinity was in force */
};

/* External runs, which are not part of a worker: see drop.c. */
struct kpool_runs {
	struct rb_root		by_task;	/* L, racy read: innermost */
	struct list_head	free;		/* L: kpool_run.free */
	struct kpool_run	drop;		/* L: run of the drop work */
	unsigned int		nr_threads;	/* L: outermost external runs */
	unsigned int		nr_caller;	/* L: KPOOL_RUN_CALLER */
	unsigned int		nr_drop;	/* L: KPOOL_RUN_DROP, _ABORT */
};

/* Callers asleep: wait.c, deadlock.c, lock.c. */
struct kpool_waiters {
	struct rb_root_cached	flushers;	/* L: kpool_waiter.by_epoch */
	u64			nr_flushed;	/* L: items waited for */
	struct list_head	drain;		/* L: for a drained pool */
	struct list_head	failed_drain;	/* L: as @drain, but fail */
	struct list_head	spawn;		/* L: for new workers */
	/* L: self-waits, of runs for their own pool, oldest first */
	struct list_head	self;
	struct list_head	self_calls;	/* L: self-waits not to fail */
	/* L: for queued calls, no self-waits: timed, or that a signal ends */
	struct list_head	queued_calls;
	struct list_head	done;		/* L: complete with 0 */
	struct list_head	failed;		/* L: complete with -EIO */
	bool			ended;		/* L: @done, @failed in nr_recheck */
	bool			left;		/* L: recheck_work goes on */
	unsigned int		nr_unlimited;	/* L: _SUBMIT, not timed */
	unsigned int		nr_self;	/* L: @self and @self_calls */
	/* L: of @nr_self: in worker_init or worker_exit */
	unsigned int		nr_self_callbacks;
	/* L: of @nr_self_callbacks: in no external run */
	unsigned int		nr_self_bare;
	unsigned int		nr_users;	/* L: callers in the pool */
	struct completion	*users_gone;	/* L: for kpool_destroy() */
	struct work_struct	recheck_work;	/* see kpool_recheck_some() */
};

/* Errors and dead threads: fault.c. */
struct kpool_faults {
	struct kpool_context	dead_work;
	struct kpool_run	*reaping;	/* L: being reaped, or NULL */
	unsigned int		nr_dead;	/* L: dead, not being reaped */
	unsigned int		nr_deaths; /* L, racy read: reaped in an item */
	bool			dead_work_lost;	/* L: @dead_work has died */
	struct kpool_errors	*errors; /* L, racy read: NULL until needed */
};

/* Stalled runs: watchdog.c. */
struct kpool_watchdog {
	struct delayed_work	work;
	bool			armed;		/* L */
	unsigned int		nr_stalls;	/* L: ever */
	/* L: ring; written by the watchdog only, NULL until needed */
	struct kpool_stall	*stalls[KPOOL_NR_STALLS];
};

/*
 * Rows of a histogram.  The first counts times below 1 us.  Row n counts those
 * from 2^(n - 1) us to the beginning of the next row, the last all others.
 */
#define KPOOL_LATENCY_ROWS	32

struct kpool_histograms {
	u64			waiting[KPOOL_LATENCY_ROWS];	/* L */
	u64			running[KPOOL_LATENCY_ROWS];	/* L */
};

/* Histograms of waiting and running times: watchdog.c. */
struct kpool_latency {
	struct kpool_histograms	*counts; /* L: NULL until first switched on */
	u64			on_us;	/* L: when @on has changed */
	bool			on;	/* L */
};

/* Files: debugfs.c. */
struct kpool_debugfs {
	struct dentry		*dir;		/* G */
	struct kpool_tunable_file *files;	/* G */
};

/*
 * Slots of a ring: the most fast operations between two critical sections.  The
 * simulation has fewer, so that they are used up.
 */
#ifndef KPOOL_RING_SIZE
#define KPOOL_RING_SIZE	32
#endif

/* Items that the inbox takes while it is open. */
enum kpool_inbox_mode {
	KPOOL_INBOX_NORMAL,	/* all but special ones */
	KPOOL_INBOX_ALL,
	KPOOL_INBOX_BEHIND,	/* jobs behind others of their streams */
};

/* Items of fast submits: queue.h. */
struct kpool_inbox {
	atomic64_t		next;	/* A: slots left, and the next ticket */
	u64			first;	/* L: ticket of the first slot opened */
	u8			nr_open; /* L, racy read: slots opened, or 0 */
	u8			mode;	/* L, racy read: enum kpool_inbox_mode */
	u32			opened_at; /* L, racy read: jiffies */
	/*
	 * L, racy read: as @opened_at, or one less, which never matches, if
	 * plain items must take the lock
	 */
	u32			plain_at;
	unsigned long		slots[KPOOL_RING_SIZE]; /* A: tag or item */
} ____cacheline_aligned_in_smp;

struct kpool_ready_slot {
	struct kpool_item	*item;	/* A: NULL: the slot can be reused */
	struct kpool_worker	*taker;	/* A: of @item, or NULL */
	kpool_item_fn		fn;	/* L, racy read: of @item */
	u32			epoch;	/* L, racy read: of @item */
	bool			has_fields; /* L, racy read: see below */
};

/* Fields of a job that a fast start needs, if one has been set. */
struct kpool_ready_fields {
	struct kpool_group	*group;	/* L, racy read: or NULL */
	ktime_t			deadline; /* L, racy read: or 0 */
};

/* Items for fast starts, the oldest that are queued: queue.h. */
struct kpool_ready {
	atomic64_t		next;	/* A: generation, and slots left */
	u64			generation; /* L: of @next when last opened */
	unsigned int		nr_open; /* L, racy read: slots opened, or 0 */
	unsigned int		nr;	/* L: items */
	u32			end;	/* L, racy read: behind the last item */
	struct kpool_ready_slot	slots[KPOOL_RING_SIZE];
	/* of @slots, where ->has_fields is set */
	struct kpool_ready_fields fields[KPOOL_RING_SIZE];
} ____cacheline_aligned_in_smp;

struct kpool {
	raw_spinlock_t		lock;		/* L */
	/*
	 * L: Capacity for the fast path of starts, and of submits with the lock
	 * held.  0 forces the slow paths: the pool is closed or paused, special
	 * items are blocked or pending, or a module is being removed.  Whether
	 * submits can go through the inbox is decided by kpool_rings_open().
	 */
	unsigned int		fast_capacity;
	/*
	 * L: Number of things kpool_unlock() has to recheck: blocked
	 * submitters, self-waits, flushers, waiters to complete, backlog,
	 * refused submits to notify, cancelled groups, a closed pool.  While it
	 * is 0, a change affects only the workers.
	 */
	unsigned int		nr_recheck;
	u16			nr_walked;	/* L: steps along waiters, this hold */
	u16			hold_cost;	/* L: sum of KPOOL_COST_*, this hold */
	unsigned int		units_used;	/* L: held by runs */
	unsigned int		nr_running;	/* L: items in workers */
	u32			epoch;		/* L: flushes and self-waits */
	u32			id;		/* I: see item.c */
	bool			rings_off;	/* L: no fast operations */
	bool			closed;		/* L: accepts no items */
	bool			aborted;	/* L: drops pending items */
	bool			paused;		/* L: starts no items */
	bool			dead;	/* L, racy read: its id is being removed */
	/* L, and G but for the default pool: closed for good */
	bool			orphaned;
	bool			ending;		/* G: to be destroyed */

	struct rcu_head		rcu;		/* for readers of ids */
	/* G: NULL for the default pool, and once removed */
	struct module		*owner;

	struct kpool_inbox	inbox;
	struct kpool_ready	ready;
	struct kpool_queue	q;
	struct kpool_manager	mgr;
	struct kpool_waiters	waiters;
	struct kpool_runs	runs;
	struct kpool_drops	drops;
	struct kpool_delays	delays;
	struct kpool_faults	faults;
	struct kpool_watchdog	wd;
	struct kpool_latency	latency;
	struct kpool_debugfs	dbg;
	struct kpool_counters	stats;		/* L, racy read */

	struct mutex		mutex;		/* M */
	struct kpool_attrs	attrs;		/* B: current values */
	/* I: as created with; L: ->room, cleared when the pool is orphaned */
	struct kpool_attrs	init_attrs;

	struct list_head	member;		/* G: on kpool_pools */
	struct list_head	orphan;		/* S: of kpool_end_orphans() */
	struct list_head	going;		/* L: modules being removed */
	/* L: with a release function that the caller can still call */
	struct list_head	calls;
	char			owner_name[MODULE_NAME_LEN];	/* I */
	char			name[KPOOL_NAME_MAX + 1];	/* I */
	struct lock_class_key	key;		/* I: of @map */
	struct lockdep_map	map;		/* I: taken by waits */
};

/* Item that kpool allocated. */
struct kpool_fn_item {
	struct kpool_item	item;
	kpool_fn		fn;	/* I */
	void			*arg;	/* I */
	bool			is_call; /* I: part of a struct kpool_call */
};

/* Call of a function, whose caller waits.  L is the lock of @pool. */
struct kpool_call {
	struct kpool_fn_item	base;
	struct kpool		*pool;		/* I */
	/* I, but cleared if a caller keeps the argument of a dead call */
	void			(*release)(void *arg);
	struct list_head	node;		/* L: on pool->calls, or empty */
	struct list_head	waiters;	/* L: until it leaves that list */
	int			result;		/* L: valid if @returned */
	int			dropped;	/* L: with this error, or 0 */
	bool			returned;	/* L, racy read: the function has */
	bool			abandoned;	/* L, racy read */
};

/* Tunable attribute, see tunables.h. */
struct kpool_attr_row {
	const char	*name;
	size_t		offset;		/* in struct kpool_attrs */
	int		min, max, def;
	const char	*none_word;	/* word for KPOOL_NONE, or NULL */
	const char	*max_word;	/* word for @max, or NULL */
	const char	*const *words;	/* words for values from 0, or NULL */
	bool		from_zero;	/* text is value - 1: 0 stands for 1 */
};

extern const struct kpool_attr_row kpool_attr_table[KPOOL_NR_TUNABLES];
extern struct kpool_attrs kpool_defaults;
extern struct kpool_attrs kpool_default_pool_attrs;
extern struct kpool *kpool_the_default;	/* set once, never changed */
extern struct list_head kpool_pools;	/* G */
extern struct mutex kpool_registry;	/* G */
extern struct workqueue_struct *kpool_wq;
extern struct workqueue_struct *kpool_spawn_wq;
extern struct workqueue_struct *kpool_callback_wq;
extern struct delayed_work kpool_sched_work;
extern bool kpool_context_lost;
extern struct kpool kpool_null_pool;

static inline int *kpool_attr(struct kpool_attrs *attrs,
			      const struct kpool_attr_row *row)
{
	return (int *)((char *)attrs + row->offset);
}

/* Return the number of accepted items that have not ended. */
static inline u64 kpool_outstanding(const struct kpool *pool)
{
	const struct kpool_counters *s = &pool->stats;

	return s->submitted - s->completed - s->cancelled - s->dropped -
	       s->died;
}

/*
 * Return true if this hold of pool->lock must not follow another chain of
 * waiters: what would need that is left to the next one.
 */
static inline bool kpool_has_walked(const struct kpool *pool)
{
	return pool->nr_walked >= KPOOL_MAX_CHAIN / 8;
}

/*
 * Costs of what is repeated under one hold of pool->lock, in hundreds of
 * instructions.  Predicates that look at queued items add to
 * pool->hold_cost, and have no other effect.
 */
#define KPOOL_COST_LOOK		1	/* at a queued item: kpool_find_unfit() */
#define KPOOL_COST_SETTLE	3	/* a special item of the inbox */
#define KPOOL_COST_DROP		5	/* drop or park */
#define KPOOL_COST_WAKE		16	/* a change of a recheck */

/* Return true if the rest must be left to another hold of pool->lock. */
static inline bool kpool_hold_is_long(const struct kpool *pool)
{
	return pool->hold_cost >= KPOOL_BATCH(64);
}

/* Items: called with the lock of the item's owner pool held */

/* Return the run that @item is in, or NULL. */
static inline struct kpool_run *kpool_run_of(const struct kpool_item *item)
{
	/* a fast start can be about to write the same values again */
	struct kpool_run *run = READ_ONCE(item->run);

	return run && READ_ONCE(run->item) == item ? run : NULL;
}

/*
 * Have the run of a queued item that still runs hold the item, unless the
 * item waits for its stream.  Until the run ends, a held item takes a place in
 * the queue, no unit.  Called with pool->lock held.
 */
static inline void kpool_hold(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_run *run = kpool_run_of(item);

	lockdep_assert_held(&pool->lock);
	if (likely(!run) || item->flags & __KPOOL_STREAM_BLOCKED)
		return;
	run->requeue = item;
	run->end_locked = true;
	pool->q.nr_held++;
}

/* Return the run that is blocked while it hands the item over, or NULL. */
static inline struct kpool_run *
kpool_handing_run(const struct kpool_item *item)
{
	return item->state == KPOOL_ITEM_BLOCKED ?
	       item->submitter->handover.run : NULL;
}

/* Return the number of the run, unique among those in the same memory. */
static inline u64 kpool_run_nr(const struct kpool_run *run)
{
	return run->nr + (run->worker ? run->worker->nr_runs : 0);
}

/* Return true if the item can be submitted. */
static inline bool kpool_is_idle(const struct kpool_item *item)
{
	/* a fast submit that will fail can change it at any time */
	return READ_ONCE(item->state) <= KPOOL_ITEM_SUBMITTING;
}

/* Return true if the item is accepted and not started. */
static inline bool kpool_is_accepted(const struct kpool_item *item)
{
	return READ_ONCE(item->state) >= KPOOL_ITEM_READY;
}

/* Return the weight of @item: 1 unless kpool_set_weight() has set another. */
static inline u32 kpool_weight(const struct kpool_item *item)
{
	return item->flags & __KPOOL_WEIGHTED ? item->weight : 1;
}

/* Return the units that a run of the item would hold. */
static inline unsigned int kpool_units(const struct kpool *pool,
				       const struct kpool_item *item)
{
	return min_t(u32, kpool_weight(item), pool->attrs.capacity);
}

/* Return the job that @item is embedded in, or NULL. */
static inline struct kpool_job *kpool_job_or_null(const struct kpool_item *item)
{
	return item->flags & __KPOOL_JOB ?
	       container_of((struct kpool_item *)item, struct kpool_job, item) :
	       NULL;
}

/* Return true if the item is a job of an ordered stream. */
static inline bool kpool_is_ordered(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	return job && job->stream && job->stream->ordered;
}

/* Return the group of @item, or NULL. */
static inline struct kpool_group *kpool_group_of(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	return job ? job->group : NULL;
}

/* Return true if the group, or one that it is within, has been cancelled. */
static inline bool kpool_group_is_cancelled(const struct kpool_group *group)
{
	for (; group; group = group->parent)
		if (group->cancelled)
			return true;
	return false;
}

/* Return true if @deadline is set and has passed. */
static inline bool kpool_is_past_deadline(ktime_t deadline)
{
	return unlikely(deadline) && ktime_after(ktime_get(), deadline);
}

/* Return true if @item has job fields, which submit and start look at. */
static inline bool kpool_has_fields(const struct kpool_item *item)
{
	return unlikely(item->flags & __KPOOL_JOB_SET);
}

/*
 * Return true if the fields of @item force the slow path.  A deadline, or a
 * group that does not collect, does not.
 */
static inline bool kpool_has_special_fields(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	return !job || job->stream || job->complete ||
	       (job->group && job->group->flags & KPOOL_GROUP_COLLECT);
}

/*
 * Return true if @item is plain.  Items are of three classes:
 *
 *   plain     no flag but __KPOOL_FN, __KPOOL_JOB or __KPOOL_HAS_WAITERS
 *   special   a weight, priority, stream, completion function, or group that
 *             collects: see kpool_is_special()
 *   neither   a job with a deadline, or another group, and nothing special
 */
static inline bool kpool_is_plain(const struct kpool_item *item)
{
	return likely(!(item->flags & (KPOOL_SPECIAL | __KPOOL_JOB_SET)));
}

/* Return true if queueing and starting @item takes the slow path. */
static inline bool kpool_is_special(const struct kpool_item *item)
{
	return !kpool_is_plain(item) && (item->flags & KPOOL_SPECIAL ||
					 kpool_has_special_fields(item));
}

/*
 * Return true if another job of its stream must end before @item can start.
 * @item is accepted or about to be.
 */
static inline bool
kpool_should_wait_for_stream(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);
	const struct kpool_stream *stream;

	if (!job || (kpool_is_accepted(item) &&
		     item->state != KPOOL_ITEM_BACKLOG &&
		     item->state != KPOOL_ITEM_DELAYED))
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

/* Return true if the job's function has returned, and it is to be completed. */
static inline bool kpool_is_completion(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	return job && job->turn.state == KPOOL_TURN_READY;
}

/* Return true if the job runs its function, to be completed later. */
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

/* Return true if the item is part of a call, whose caller waits for it. */
static inline bool kpool_is_call(const struct kpool_item *item)
{
	return item->flags & __KPOOL_FN && kpool_fn_item_of(item)->is_call;
}

static inline struct kpool_call *kpool_call_of(const struct kpool_item *item)
{
	return container_of((struct kpool_item *)item, struct kpool_call,
			    base.item);
}

/* Return the function that the client passed for the item. */
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

/* Return true if the item, or a function of it, is in the module. */
static inline bool kpool_is_of_module(const struct kpool_item *item,
				      const struct module *module)
{
	return kpool_is_within(kpool_user_fn(item), module) ||
	       kpool_is_within(item->dropped, module) ||
	       kpool_is_within(kpool_complete_fn(item), module) ||
	       (kpool_is_call(item) &&
		kpool_is_within(kpool_call_of(item)->release, module)) ||
	       kpool_is_within(item, module);
}

/* Task state */

/* Bits of current->flags that control allocations. */
#define KPOOL_CONTEXT_FLAGS						\
	(PF_MEMALLOC | PF_MEMALLOC_NOIO | PF_MEMALLOC_NOFS |		\
	 PF_MEMALLOC_PIN | PF_LOCAL_THROTTLE)

/* Save the task state that an item's function must return with. */
static inline void kpool_task_state_save(struct kpool_task_state *state)
{
	state->flags = current->flags & KPOOL_CONTEXT_FLAGS;
	state->nr_locks = lockdep_depth(current);
	state->rcu_depth = rcu_preempt_depth();
}

/*
 * Return by how much the RCU read-side nesting has changed.  It is 0 before an
 * item, unless kpool_restore_rcu() has left it.
 */
static inline int kpool_rcu_leaked(const struct kpool_task_state *before)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return rcu_preempt_depth() - before->rcu_depth;
	return rcu_preempt_depth();
}

static inline bool
kpool_has_leaked_state(const struct kpool_task_state *before)
{
	/* a single branch, since this is called for every item */
	unsigned int left = preempt_count() | kpool_rcu_leaked(before) |
			    ((current->flags ^ before->flags) &
			     KPOOL_CONTEXT_FLAGS);

	return left || irqs_disabled() ||
	       (IS_ENABLED(CONFIG_LOCKDEP) &&
		lockdep_depth(current) != before->nr_locks);
}

/* Timers */

/*
 * Return the delay for a timer that must fire by @when, plus at most 1/8 of the
 * time until then.  The granularity of the timer wheel is 8/63 at the start of
 * a level, more than 1/8.  So aim 1/256 early, which can cost one more expiry.
 */
static inline unsigned long kpool_timer_delay(unsigned long when)
{
	long left = when - jiffies;

	return max(left - left / 256, 1L);
}

/* Prototypes, by file */

/* kpool.c: pools */
void kpool_close(struct kpool *pool, bool abort);
void kpool_end_orphans(const struct module *owner);
struct kpool *kpool_by_id(u32 id);

/* lock.c: the way out of pool->lock */
bool kpool_recheck_some(struct kpool *pool);
void kpool_unlock_slow(struct kpool *pool, unsigned long flags, bool open);
void kpool_unlock_irq_slow(struct kpool *pool, bool open);
void kpool_recheck_all(struct kpool *pool);
void kpool_recheck_work_fn(struct work_struct *work);

/* submit.c: admission */
int kpool_submit_signals(struct kpool *pool, struct kpool_item *item,
			 unsigned long timeout, unsigned int signals);
int kpool_check_accept(struct kpool *pool, struct kpool_item *item);

/* queue.c: the run queue */
int kpool_check_start(const struct kpool_item *item);
void kpool_accept(struct kpool *pool, struct kpool_item *item);
void kpool_enqueue(struct kpool *pool, struct kpool_item *item);
void kpool_item_remove(struct kpool *pool, struct kpool_item *item);
void kpool_item_drop(struct kpool *pool, struct kpool_item *item, int err);
bool kpool_sweep_groups(struct kpool *pool);
void kpool_unpark(struct kpool *pool, struct kpool_item *item);
void kpool_run_requeue(struct kpool *pool, struct kpool_run *run);
void kpool_delay_remove(struct kpool *pool, struct kpool_job *job);
struct kpool_item *kpool_first_delayed(struct kpool *pool);
void kpool_find_unfit(struct kpool *pool, struct kpool_runnable *r);
void kpool_find_runnable(struct kpool *pool, struct kpool_runnable *r);
bool kpool_can_bypass(const struct kpool *pool, enum kpool_queue_prio prio,
		      const struct kpool_runnable *r);
unsigned int kpool_nr_runnable(struct kpool *pool, enum kpool_queue_prio prio,
			       unsigned int *left);
unsigned int kpool_nr_places_taken(const struct kpool *pool,
				   unsigned int runnable);
void kpool_unblock(struct kpool *pool, struct kpool_item *item);
void kpool_item_return(struct kpool *pool, struct kpool_item *item,
		       const struct kpool_handover *handover);
void kpool_fail_blocked(struct kpool *pool, struct kpool_item *item, int err);
bool kpool_admit_one(struct kpool *pool);
void kpool_backlog_add(struct kpool *pool, struct kpool_item *item,
		       struct list_head *next);
bool kpool_park_batch(struct kpool *pool);
bool kpool_has_runnable_slow(const struct kpool *pool);
struct kpool_item *kpool_pick_prio(const struct kpool *pool);
struct kpool_item *kpool_dequeue_slow(struct kpool *pool);
bool kpool_prepare_start(struct kpool *pool);
bool kpool_notify_room(struct kpool *pool);
void kpool_update_fast_capacity(struct kpool *pool);
void kpool_special_add(struct kpool *pool, struct kpool_item *item);
void kpool_prio_account(struct kpool *pool, const struct kpool_item *item,
			bool in);
void kpool_account_dequeued(struct kpool *pool, struct kpool_item *item);
struct kpool_item *kpool_any_accepted(struct kpool *pool);
bool kpool_can_queue(struct kpool *pool, const struct kpool_item *item);

/* stream.c: streams of jobs */
void kpool_stream_refuse_at_leader(struct kpool *pool,
				   struct kpool_stream *stream);
void kpool_stream_finished(struct kpool *pool, struct kpool_run *run,
			   struct kpool_job *job);
void kpool_stream_begin_completion(struct kpool_run *run, struct kpool_job *job);
void kpool_stream_join(struct kpool *pool, struct kpool_item *item);
void kpool_stream_begin(struct kpool_run *run, struct kpool_job *job);
void kpool_stream_end(struct kpool *pool, struct kpool_run *run);
void kpool_stream_leave(struct kpool *pool, struct kpool_item *item);

/* item.c: one item, and which pool owns it */
bool kpool_do_cancel(struct kpool *pool, struct kpool_item *item);
int kpool_wait_item(struct kpool *pool, struct kpool_item *item,
		    enum kpool_waiter_kind kind, unsigned long timeout,
		    unsigned int signals);
int kpool_wait_run(struct kpool *pool, struct kpool_run *run);

/* delay.c: delayed jobs */
void kpool_delay_timer_fn(struct timer_list *timer);

/* group.c: groups of jobs */
void kpool_group_swept(struct kpool_group *group);
void kpool_group_queue_cancel(struct kpool *pool, struct kpool_group *group);
void kpool_group_join(struct kpool *pool, struct kpool_item *item);
void kpool_group_block(struct kpool *pool, struct kpool_item *item);
void kpool_group_unblock(struct kpool *pool, struct kpool_item *item);
struct kpool_group *kpool_group_begin(struct kpool *pool,
				      struct kpool_item *item);
void kpool_group_end(struct kpool *pool, struct kpool_group *group,
		     struct kpool_item *item, int result, bool failed);

/* call.c: functions with an argument */
void kpool_call_died(struct kpool_run *run);
void kpool_call_end_abandoned(struct kpool_run *run, bool release);
void kpool_call_leave(struct kpool_call *call);

/* worker.c: a worker's thread */
bool kpool_worker_remove_dead(struct kpool_worker *worker);
int kpool_worker_main(void *data);
void kpool_task_state_restore(const struct kpool *pool, const void *fn,
			      struct kpool_task_state *before);

/* manager.c: how many workers there are */
void kpool_spawn_if_needed(struct kpool *pool);
void kpool_worker_init_begin(struct kpool_worker *worker);
void kpool_worker_init_end(struct kpool_worker *worker);
void kpool_arm_reap_work(struct kpool *pool);
struct task_struct *kpool_pick_worker(struct kpool *pool);
bool kpool_retire_if_needed(struct kpool_worker *worker);
void kpool_retire_surplus(struct kpool *pool);
void kpool_complete_spawned(struct kpool *pool);
void kpool_worker_account(struct kpool_worker *worker);
void kpool_worker_failed(struct kpool_worker *worker, int err);
void kpool_worker_exited(struct kpool_worker *worker);
int kpool_prealloc(struct kpool *pool);
void kpool_manager_init(struct kpool *pool);

/* run.c: threads and their runs */
void kpool_run_init(struct kpool_run *run, struct kpool_worker *worker);
struct kpool_run *kpool_run_alloc(gfp_t gfp);
struct kpool_run *kpool_run_get(struct kpool *pool);
struct kpool_worker *kpool_current_worker(void);
struct kpool_worker *kpool_current_worker_in(struct kpool *pool);
struct kpool_run *kpool_ext_run_after(const struct kpool *pool,
				      const struct task_struct *task);
struct kpool_run *kpool_current_run(struct kpool *pool);
bool kpool_can_nest(struct kpool *pool);
struct kpool_run *kpool_innermost_run(struct kpool_worker *worker);
struct kpool_run *kpool_run_outermost(struct kpool_run *run);
bool kpool_is_part_of(struct kpool *pool);
const void *kpool_current_fn(struct kpool *pool);
bool kpool_is_self_submit(struct kpool *pool, const struct kpool_item *item);
void kpool_ext_run_enter(struct kpool *pool, struct kpool_run *run);
void kpool_ext_run_leave(struct kpool *pool, struct kpool_run *run);
int kpool_context_create(struct kpool_context *context, struct kpool *pool,
			 void (*fn)(struct kpool *pool), const char *kind);
void kpool_context_queue(struct kpool_context *context);
int kpool_context_replace(struct kpool_context *context);
void kpool_context_destroy(struct kpool_context *context);

/* drop.c: external runs, and items that will not run */
void kpool_ext_run_begin(struct kpool *pool, struct kpool_run *run,
			 struct kpool_item *item, enum kpool_run_kind kind);
void kpool_caller_run_end(struct kpool *pool, struct kpool_run *run, int err);
void kpool_ext_run_begin_callback(struct kpool *pool, struct kpool_run *run,
				  enum kpool_run_kind kind, void *fn);
void kpool_ext_run_end_callback(struct kpool *pool, struct kpool_run *run);
void kpool_drop_died(struct kpool *pool, struct kpool_run *run);
void kpool_drop_work_fn(struct kpool *pool);

/* wait.c: sleeping callers */
void kpool_waiter_init(struct kpool_waiter *waiter, enum kpool_waiter_kind kind,
		       struct kpool_item *item);
void kpool_waiter_complete(struct kpool *pool, struct kpool_waiter *waiter,
			   int result);
void kpool_waiter_complete_list(struct kpool *pool, struct list_head *waiters,
				bool failed);
bool kpool_waiter_complete_one(struct kpool *pool);
struct kpool_waiter *kpool_flusher_of(const struct kpool *pool, u32 epoch);
void kpool_item_ended(struct kpool *pool, u32 epoch);
bool kpool_is_drained(const struct kpool *pool);
bool kpool_complete_drained(struct kpool *pool);
void kpool_get(struct kpool *pool);
void kpool_put(struct kpool *pool);
void kpool_waiter_refuse(struct kpool *pool, struct kpool_waiter *waiter);
int kpool_wait(struct kpool *pool, struct kpool_waiter *waiter,
	       unsigned long timeout, unsigned int signals);
void kpool_waiters_move(struct kpool *pool, struct kpool_item *item,
			struct list_head *to);
void kpool_waiters_keep(struct list_head *waiters);

/* deadlock.c: sleeps that can never end */
bool kpool_refuse_if_part_of(struct kpool *pool);
bool kpool_can_refuse(const struct kpool_waiter *waiter);
struct kpool_waiter *kpool_cycle_through(struct kpool *pool,
					 const struct kpool_item *item);
struct kpool_waiter *kpool_cycle_at_leader(struct kpool *pool,
					   struct kpool_stream *stream);
bool kpool_would_deadlock(struct kpool *pool, const struct kpool_item *item,
			  struct kpool_run *run, enum kpool_waiter_kind kind,
			  struct kpool_waiter **victim);
struct kpool_waiter *kpool_find_deadlocked(struct kpool *pool);

/* fault.c: items that fail, and threads that die in one */
void kpool_report_error(struct kpool *pool, struct kpool_run *run,
			struct task_struct *task, int err);
int kpool_exit_work_alloc(struct kpool_worker *worker);
void kpool_exit_work_put(struct kpool_exit_work *exit_work);
void kpool_exit_work_wait_all(void);
bool kpool_thread_is_dead(const struct kpool *pool, struct kpool_run *run);
void kpool_reap_dead(struct kpool *pool);
void kpool_look_for_dead(struct kpool *pool);
void kpool_replace_dead_work(struct kpool *pool);

/* watchdog.c: stalled and dead threads, and histograms of times */
void kpool_watchdog_arm(struct kpool *pool);
void kpool_watchdog_fn(struct work_struct *work);
bool kpool_get_stack(struct task_struct *task, struct kpool_stack *stack);
void kpool_stack_req_flush(void);
int kpool_latency_switch(struct kpool *pool, bool on);
void kpool_latency_reset(struct kpool *pool);

/* module.c: what an unloading module leaves */
bool kpool_module_is_going(const struct kpool *pool,
			   const struct kpool_item *item);
int kpool_module_event(struct notifier_block *nb, unsigned long event,
		       void *data);

/* attrs.c: attributes and statistics */
int kpool_attr_parse(const struct kpool_attr_row *row, const char *text,
		     const char *name, int *value);
int kpool_attr_print(const struct kpool_attr_row *row, int value, char *text,
		     size_t size);
int kpool_cpulist_parse(const char *text, struct cpumask *mask);
int kpool_attrs_resolve(const struct kpool_attrs *req,
			struct kpool_attrs *attrs, const char *name);
int kpool_attrs_check_defaults(void);
int __kpool_tune(struct kpool *pool, enum kpool_tunable tunable, int value,
		 bool restore);
void kpool_sched_apply(struct kpool *pool, struct task_struct *task);
void kpool_sched_restore(struct kpool *pool);
void kpool_sched_restore_all(void);
void kpool_update_rings_off(struct kpool *pool);
void kpool_attrs_apply(struct kpool *pool, const struct kpool_attrs *attrs);
unsigned int kpool_nr_waiting(const struct kpool *pool);
u32 kpool_oldest_age(struct kpool *pool);

/* debugfs.c: files for people */
void kpool_debugfs_add(struct kpool *pool);
void kpool_debugfs_remove(struct kpool *pool);
void kpool_debugfs_init(void);
void kpool_debugfs_exit(void);

#endif /* _KPOOL_INTERNAL_H */
