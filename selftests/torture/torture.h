/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Share what the parts of kpool_torture.ko need.
 *
 * A few pools, the targets, are worked on by contexts: threads, timers,
 * interrupts and the items themselves.  A ctx does ops at random; each is one
 * row of a table, see ops.c.  An op is done with a reference to its target, and
 * keeps the target's counters.  When a target is closed, no op is under way;
 * then its pool drains, and the counters must balance, with the pool's and in
 * themselves.
 */
#ifndef _KPOOL_TORTURE_H
#define _KPOOL_TORTURE_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "compat.h"
#include "kpool.h"

#define KPT_MAX_TARGETS		16
#define KPT_MAX_CAPACITY	8
#define KPT_NR_ITEMS		24	/* of each target, that stay */
#define KPT_NR_LANES		3
#define KPT_MAX_WIDTH		3	/* pools of one target */

/* check.c: what is promised */

enum kpt_invariant {
	KPT_ONCE,
	KPT_OVERLAP,
	KPT_ORDER,
	KPT_COUNTERS,
	KPT_CAPACITY,
	KPT_LATE,
	KPT_EARLY,
	KPT_HANG,
	KPT_LEAK,
	KPT_ANSWER,
	KPT_PAUSE,
	KPT_CLOSED,
	KPT_CONTEXT,
	KPT_NR_INVARIANTS
};

__printf(2, 3)
void kpt_violation(enum kpt_invariant which, const char *fmt, ...);
unsigned int kpt_nr_violations(void);
bool kpt_is_violated(enum kpt_invariant which);

struct kpt_target;
struct kpt_item;

void kpt_check_reading(struct kpt_target *t);
void kpt_check_counters(struct kpt_target *t, const struct kpool_stats *stats);
void kpt_check_answer(const char *what, int err, const int *allowed);

/* contexts and ops: ops.c */

/* Where a ctx is, and so what it can do. */
#define KPT_IN_THREAD	0x01
#define KPT_IN_ITEM	0x02	/* a worker runs it */
#define KPT_IN_SOFTIRQ	0x04
#define KPT_IN_HARDIRQ	0x08
#define KPT_IN_TUNER	0x10	/* a thread of the other kind */

#define KPT_MAY_SLEEP	(KPT_IN_THREAD | KPT_IN_ITEM)
#define KPT_MAY_ALLOC	(KPT_MAY_SLEEP | KPT_IN_SOFTIRQ)
#define KPT_ANYWHERE	(KPT_MAY_ALLOC | KPT_IN_HARDIRQ)

struct kpt_ctx {
	struct rnd_state	rnd;
	unsigned int		where;
	const char		*op;	/* under way, or NULL */
};

struct kpt_op {
	const char	*name;
	void		(*fn)(struct kpt_ctx *ctx, struct kpt_target *t);
	unsigned int	where;	/* contexts that can do it */
	unsigned int	weight;	/* how often it is chosen */
	atomic_long_t	done;
};

void kpt_do_something(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_print_ops(void);

static inline u32 kpt_rnd(struct kpt_ctx *ctx, u32 sides)
{
	return prandom_u32_state(&ctx->rnd) % sides;
}

static inline bool kpt_one_in(struct kpt_ctx *ctx, u32 n)
{
	return !kpt_rnd(ctx, n);
}

void kpt_ctx_init(struct kpt_ctx *ctx, u32 seed, unsigned int where);
void kpt_nap(struct kpt_ctx *ctx, unsigned int max_us);

/* targets: target.c */

enum kpt_kind {
	KPT_NARROW,		/* always of one unit: lanes keep the order */
	KPT_WIDE,		/* whose submitters can have to run items */
	KPT_WORKER_DATA,	/* whose workers have data */
	KPT_NONBLOCKING,	/* always */
	KPT_MULTI,		/* several pools */
	KPT_NR_KINDS
};

/* Items that are submitted one after the other, and so start. */
struct kpt_lane {
	struct kpool_stream	stream;
	bool			is_stream;	/* else the queue itself */
	unsigned long		busy;	/* bit 0: a thread submits to it */
	int			next;	/* by the holder of @busy */
	int			last;	/* by the runs */
	atomic_t		active;
};

/* By our own count, since the pool was made. */
struct kpt_counters {
	atomic_long_t	accepted;
	atomic_long_t	refused;
	atomic_long_t	ran;
	atomic_long_t	failed;
	atomic_long_t	faults;
	atomic_long_t	cancelled;
	atomic_long_t	dropped;
	atomic_long_t	expired;
	atomic_long_t	died;
	atomic_long_t	caller_ran;
	atomic_long_t	fn_accepted;	/* without a drop function */
	atomic_long_t	fn_ran;
	atomic_long_t	unsure;		/* calls: accepted or not, unknown */
};

#define KPT_NR_COUNTERS	(sizeof(struct kpt_counters) / sizeof(atomic_long_t))

struct kpt_target {
	char			name[KPOOL_NAME_MAX + 1];
	enum kpt_kind		kind;
	struct kpool		*pool;		/* or the first of @multi */
	struct kpool_multi	*multi;
	int			width;		/* pools */
	atomic_t		users;		/* 0: closed */
	struct completion	unused;
	struct mutex		life;		/* shutdown, abort, reopen */
	struct mutex		tuning;		/* capacity */
	struct mutex		pausing;
	struct kpt_counters	counters;
	atomic_t		units;		/* held in workers */
	int			cap_high;	/* greatest that still counts */
	int			cap_low;	/* the least */
	atomic_t		allocated;	/* items and arguments */
	atomic_t		worker_data;	/* of workers */
	struct kpt_item		*items;
	struct kpt_lane		lane[KPT_NR_LANES];
	struct kpool_group	group[2];	/* the second is within the first */
	raw_spinlock_t		callers_lock;
	struct list_head	callers;	/* in submits that can sleep */

	/* of the watchdog */
	struct kpool_stats	seen;
	u64			seen_progress;
	unsigned int		seen_tick;
	unsigned int		generation, seen_generation;
};

extern struct kpt_target kpt_targets[KPT_MAX_TARGETS];
extern unsigned int kpt_nr_targets;
extern struct kpt_counters kpt_total;

int kpt_targets_make(struct kpt_ctx *ctx);
void kpt_targets_end(void);
bool kpt_get(struct kpt_target *t);
void kpt_put(struct kpt_target *t);
struct kpt_target *kpt_get_any(struct kpt_ctx *ctx);
void kpt_get_stats(struct kpt_target *t, struct kpool_stats *stats);
struct kpool *kpt_pool(struct kpt_target *t);
bool kpt_rests(struct kpt_target *t);
void kpt_wait_drained(struct kpt_target *t);
void kpt_renew(struct kpt_ctx *ctx, struct kpt_target *t);
long kpt_sum(size_t offset);

#define kpt_count(t, what)	atomic_long_inc(&(t)->counters.what)
#define kpt_counted(t, what)	atomic_long_read(&(t)->counters.what)

/* How many runs have ever begun. */
static inline u64 kpt_starts(const struct kpool_stats *s)
{
	return s->completed + s->died + s->running;
}

/* Items and arguments that come and go. */
void *kpt_alloc(struct kpt_target *t, size_t size, gfp_t gfp);
void kpt_free(struct kpt_target *t, void *memory);

/* items: item.c */

struct kpt_item {
	struct kpool_job	job;	/* its item can be a plain one */
	struct kpt_target	*target;
	struct kpt_lane		*lane;	/* whose order it keeps, or NULL */
	struct kpt_ctx		ctx;	/* of its function */
	unsigned long		claimed;	/* bit 0: a thread changes it */
	atomic_t		open;	/* submissions, or tries, without end */
	atomic_t		ends;
	atomic_t		active;
	atomic_t		*nr_ended;	/* how many of a batch have ended, or NULL */
	unsigned long		since;	/* its delayed submit */
	unsigned long		delay;
	int			nr;	/* in its lane, or -1 */
	int			weight;
	bool			is_job;
	bool			is_common;	/* anyone submits it, it never changes */
	bool			is_single;	/* is allocated, and ends once */
	bool			is_bound;	/* to one pool, by a group or a stream */
	bool			was_delayed;

	/* of the watchdog */
	unsigned int		seen_ends;
	unsigned int		seen_tick;
};

/* A run of an item, or of another function that a pool was given. */
struct kpt_run {
	struct kpt_target	*target;
	int			units;	/* 0: its submitter runs it */
};

/* On the list of a target's callers. */
struct kpt_caller {
	struct list_head	node;
	struct task_struct	*task;
	const void		*what;
};

void kpt_caller_in(struct kpt_target *t, struct kpt_caller *caller,
		   const void *what);
void kpt_caller_out(struct kpt_target *t, struct kpt_caller *caller);

void kpt_run_begin(struct kpt_run *run, struct kpt_target *t, int weight,
		   const void *what);
void kpt_run_end(struct kpt_run *run);
int kpt_item_run(struct kpool_item *item);
void kpt_item_dropped(struct kpool_item *item, int err);
void kpt_item_init(struct kpt_item *it, struct kpt_target *t,
		   struct kpt_ctx *ctx, bool is_job);
void kpt_item_ended(struct kpt_item *it);
void kpt_cancelled(struct kpt_item *it);
void kpt_items_init(struct kpt_target *t, struct kpt_ctx *ctx);
struct kpt_item *kpt_any_item(struct kpt_ctx *ctx, struct kpt_target *t);
struct kpt_item *kpt_any_common(struct kpt_ctx *ctx, struct kpt_target *t);
bool kpt_claim(struct kpt_item *it);
void kpt_unclaim(struct kpt_item *it);
int kpt_fn(void *arg);
void kpt_fault(void *data, const struct kpool_fault *fault);

/* submit paths: submit.c */

enum kpt_way {
	KPT_TRY,
	KPT_SUBMIT,
	KPT_TIMEOUT,
	KPT_KILLABLE,
	KPT_DELAYED,
	KPT_NR_WAYS
};

int kpt_submit(struct kpt_ctx *ctx, struct kpt_item *it, enum kpt_way way);
enum kpt_way kpt_any_way(struct kpt_ctx *ctx, const struct kpt_target *t);
struct kpt_item *kpt_single(struct kpt_ctx *ctx, struct kpt_target *t);

void kpt_op_submit(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_submit_changed(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_submit_single(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_submit_fn(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_submit_locked(struct kpt_ctx *ctx, struct kpt_target *t);

/* operations on items: cancel.c */

void kpt_op_cancel(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_cancel_sync(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_disable(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_disable_sync(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_flush_item(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_flush(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_modify_delay(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_look(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_refused_inside(struct kpt_ctx *ctx, struct kpt_target *t);

/* groups: batch.c; calls: calls.c */

void kpt_op_batch(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_group(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_call(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_call_timeout(struct kpt_ctx *ctx, struct kpt_target *t);

/* tuners: tune.c, lifecycle.c */

void kpt_op_tune(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_tune_capacity(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_tune_cpumask(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_tune_badly(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_pause(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_shutdown(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_abort(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_renew(struct kpt_ctx *ctx, struct kpt_target *t);
void kpt_op_create_badly(struct kpt_ctx *ctx, struct kpt_target *t);

/* threads: thread.c, interrupt.c */

int kpt_threads_start(u32 seed);
void kpt_threads_stop(void);
void kpt_threads_free(void);
void kpt_threads_watch(void);
void kpt_op_kill(struct kpt_ctx *ctx, struct kpt_target *t);
unsigned int kpt_threads_started(void);
struct task_struct *kpt_thread_task(unsigned int i);
void kpt_interrupts_init(u32 seed);
void kpt_interrupts_start(void);
void kpt_interrupts_stop(void);
void kpt_op_interrupt(struct kpt_ctx *ctx, struct kpt_target *t);

/* items that kill their worker: oops.c */

extern int kpt_exits, kpt_oops;
void kpt_op_oops(struct kpt_ctx *ctx, struct kpt_target *t);

/* An answer that is allowed where an item can have died. */
static inline int kpt_or_died(int err)
{
	return kpt_exits || kpt_oops ? -EIO : err;
}

/* the watchdog: watchdog.c */

extern unsigned int kpt_tick;	/* advances twice a second if it can */
unsigned int kpt_hang_ticks(void);	/* ticks that only a hang takes */
int kpt_watch_start(void);
void kpt_watch_stop(void);

/* stutter, shuffle, CPU hotplug: stutter.c */

int kpt_pace_start(u32 seed);
void kpt_pace_stop(void);
bool kpt_stuttering(void);
extern unsigned long kpt_nr_onoff;

/* main.c */

extern int kpt_stutter, kpt_shuffle_interval, kpt_onoff_interval, kpt_stall;
extern int kpt_nsubmitters, kpt_ntuners, kpt_npools;
extern bool kpt_interrupts, kpt_verbose;
extern bool kpt_ending;

/* targets that are broken on purpose: broken.c */

enum kpt_broken {
	KPT_SOUND,
	KPT_BROKEN_LOSE,
	KPT_BROKEN_TWICE,
	KPT_BROKEN_OVERLAP,
	KPT_BROKEN_ORDER,
	KPT_BROKEN_COUNTER,
	KPT_BROKEN_CAPACITY,
	KPT_BROKEN_LATE,
	KPT_BROKEN_EARLY,
	KPT_BROKEN_HANG,
	KPT_BROKEN_LEAK,
	KPT_BROKEN_ANSWER,
	KPT_BROKEN_PAUSE,
	KPT_BROKEN_CLOSED,
	KPT_NR_BROKEN
};

extern enum kpt_broken kpt_broken;
extern const char *const kpt_broken_names[KPT_NR_BROKEN];
int kpt_broken_parse(const char *name);
bool kpt_broken_is_found(void);

/* Is this the place that is broken? */
static inline bool kpt_is_broken(enum kpt_broken how)
{
	return unlikely(kpt_broken == how);
}

#endif /* _KPOOL_TORTURE_H */
