/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulator: random clients, a scheduler that a seed drives, and a model of
 * what kpool promises that watches every step.
 *
 * points.h	how scheduling points get into the engine
 * stand_ins.h	what is called there in the kernel's place
 * pct.c	which thread runs: random priorities, and points at which they change
 * threads.c	the threads, which are used again
 * later.c	work and timers, each in a thread of its own
 * program.c	what a seed makes the clients do
 * clients.c	the clients doing it, and whether the answers are permitted
 * items.c	what items do when they run or are dropped
 * deaths.c	threads that die: what ends with them, and which waits fail
 * removal.c	modules that are removed while their items are in the pools
 * observe.c	what the engine's state says in the words of the contract
 * model.c	whether what has happened between two steps is permitted
 * room.c	whether there was room for what was accepted, and none for other
 * run.c	one seed from beginning to end
 * shrink.c	the fewest operations that still fail
 * report.c	many seeds; what is written about those that fail
 *
 * A world is all that belongs to one run.  One that hangs is left behind with
 * its threads, and a new one is made.
 */
#ifndef _SIMULATE_H
#define _SIMULATE_H

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/prandom.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "kpool.h"
#include "stand_ins.h"

#define SIM_POOLS	2
#define SIM_ITEMS	8
#define SIM_GROUPS	2
#define SIM_CLIENTS	4
#define SIM_MODULES	2
#define SIM_CLIENT_OPS	12
#define SIM_BODY_OPS	2
#define SIM_OPS		(SIM_CLIENTS * SIM_CLIENT_OPS + SIM_ITEMS * SIM_BODY_OPS)
#define SIM_TICKETS	192
#define SIM_MAX_DEATHS	24	/* by chance; operations add to them */
#define SIM_WORKERS	12	/* looked at in each pool */

/* A seed's program: program.c */

enum sim_stream {
	SIM_NO_STREAM,
	SIM_PLAIN_STREAM,
	SIM_ORDERED_STREAM,
	SIM_STREAMS
};

/* An operation; the meaning of its numbers depends on its kind. */
struct sim_op {
	u8	kind;		/* its row in the table of clients.c; 0: none */
	u8	pool;
	u8	item;
	u8	group;
	u8	ticks;		/* a delay, a time-out, a sleep */
	u8	tunable;
	int	value;
};

struct sim_item_spec {
	u8	priority;
	u8	weight;
	u8	deadline;	/* ticks after its submit, 0 for none */
	s8	group;		/* or -1 */
	u8	stream;		/* enum sim_stream, for a job */
	bool	job;
	bool	drop_sleeps;
	u8	again;		/* how often it can submit itself */
	u8	module;		/* that it belongs to, which goes, or 0 ... */
	u8	own;		/* ... by these parts */
};

/* Where a thread can die, apart from a worker in an item's function. */
enum sim_deadly {
	SIM_DEADLY_CALLER,	/* there, in a submitter */
	SIM_DEADLY_DROPPED,
	SIM_DEADLY_ROOM,
	SIM_DEADLY_INIT,
	SIM_DEADLY_EXIT,
	SIM_DEADLY_HANDLER,	/* of errors and of deaths */
	SIM_DEADLY_RELEASE,
	SIM_DEADLY_UNNOTICED,	/* anywhere, without its exit work */
	SIM_NR_DEADLY
};

#define SIM_OWN_MEMORY		BIT(0)
#define SIM_OWN_FN		BIT(1)
#define SIM_OWN_DROPPED		BIT(2)
#define SIM_OWN_COMPLETE	BIT(3)

struct sim_program {
	struct kpool_attrs	attrs[SIM_POOLS];
	struct sim_item_spec	item[SIM_ITEMS];
	struct sim_op		op[SIM_OPS];
	unsigned int		group_flags[SIM_GROUPS];
	bool			nested_groups;
	bool			two_pools;
	bool			has_init;
	u8			thread_fails;	/* percent */
	u8			init_fails;	/* percent */
	u8			memory_fails;	/* percent */
	bool			may_die;
	bool			is_deadly;	/* also elsewhere: */
	u8			deadly[SIM_NR_DEADLY];	/* percent */
	u8			end_after;	/* ticks; 0: when the clients are done */
	u8			nr_modules;	/* that are removed ... */
	u8			leave_after[SIM_MODULES];	/* ... in ticks */
	bool			ends_orphan;	/* while its module is removed */
};

/* Threads: threads.c */

enum sim_thread_state {
	SIM_THREAD_FREE,
	SIM_THREAD_MADE,	/* still to be woken */
	SIM_THREAD_RUNS,
	SIM_THREAD_ENDED,
};

struct sim_call;
struct sim_world;

struct sim_thread {
	struct list_head	node;		/* on the list of free ones */
	struct task_struct	*task;
	struct task_struct	*exit_task;	/* with its exit state */
	struct callback_head	*task_works;	/* pending */
	struct sim_world	*world;
	const char		*name;
	int			nr;
	int			(*fn)(void *data);
	void			*data;
	struct completion	ended;
	enum sim_thread_state	state;
	bool			should_stop;
	bool			dead;		/* its task is gone */
	struct sim_ticket	*returned;	/* the function that did so last */
	struct sim_call		*call;		/* its calls, innermost first */
	unsigned long		at;		/* where its last point was */
};

/* The state that has been seen: observe.c */

enum sim_place {
	SIM_IDLE,
	SIM_BLOCKED,		/* its submitter sleeps */
	SIM_KEPT,		/* ended, not collected */
	SIM_FINISHED,		/* returned, not completed */
	/* accepted: */
	SIM_DUE,		/* waits where a submitter would */
	SIM_QUEUED,
	SIM_BACK,		/* its turn came, its earlier run or stream goes on */
	SIM_DELAYED,
	SIM_DROPPING,		/* to be dropped */
};

struct sim_item_view {
	u8	place;
	bool	here;		/* the pool is its owner */
	bool	runs;
	bool	by_caller;
	bool	completes;	/* its run is that of its completion function */
	bool	follows;
	bool	evicted;	/* to be dropped for a newer one */
	u8	inbox;		/* its place among those that no lock was taken for, or 0 */
	u8	dropping;	/* calls of its drop function */
	unsigned long	run_id;		/* a number for each run */
};

struct sim_worker_view {
	const void	*worker;
	u8		state;
	unsigned long	since;		/* jiffies */
};

/* Starts past a lower priority, give or take those that are not seen. */
#define SIM_PASSED_MIN	13
#define SIM_PASSED_MAX	17

struct sim_view {
	struct sim_item_view	item[SIM_ITEMS];
	struct sim_worker_view	worker[SIM_WORKERS];
	unsigned int		nr_workers;	/* of those */
	struct kpool_attrs	attrs;
	struct kpool_stats	stats;
	unsigned int		queued_items;	/* in the queue */
	unsigned int		back;		/* whose turn has come */
	unsigned int		followers;	/* of those: behind their stream */
	unsigned int		queue;		/* waiting for admission */
	const void		*queue_head;	/* the first of these */
	unsigned int		callers;	/* runs by submitters */
	unsigned int		dropping;
	bool			rooming;	/* the room function is called */
	unsigned int		staying;	/* workers that do not exit */
	unsigned int		threads;	/* workers, and those to be */
	unsigned long		idle_since;	/* of the worker that is idle for longest */
	unsigned int		nr_drops;	/* items to be dropped */
	unsigned int		finished;	/* jobs to be completed ... */
	unsigned int		completable;	/* ... those whose turn it is */
	bool			aborted;
	bool			settling;	/* work for many, in another hold */
	bool			unsettled;	/* there is something for it */
	bool			group_kept;	/* ended, and can be freed */
	bool			cycle;		/* of workers that wait for each other */
	unsigned int		passed_most;	/* sim_pool.passed_most */
};

/* Model: model.c */

/* A run of an item. */
enum sim_phase {
	SIM_NOT,
	SIM_BEGUN,		/* the engine has said so */
	SIM_INSIDE,		/* its function has been entered */
	SIM_RETURNED,		/* and left, but has still to end */
	SIM_DEAD,		/* its thread has died in it */
};

/* Something that is to end soon. */
struct sim_span {
	bool			on;
	unsigned long		since;		/* jiffies */
};

struct sim_pool {
	struct kpool		*pool;
	char			name[KPOOL_NAME_MAX + 1];
	int			nr;
	bool			ended;		/* destroy has returned */
	bool			destroyed;	/* destroy has begun ... */
	bool			destroyed_first;	/* ... before its module had gone */
	struct sim_view		view;		/* after the last step */
	u8			queue[SIM_ITEMS];	/* ours, by arrival */
	unsigned int		nr_queue;
	unsigned int		passed, passed_most;	/* starts past a lower priority */
	struct sim_item		*started;	/* in this step, if we see it */
	u64			starts;		/* in this step */
	unsigned int		completing;	/* completions begun in this step */
	bool			helped;		/* by others than its runs */
	bool			owed;		/* a call of its room function ... */
	unsigned int		refused_units[3]; /* ... for so many, the least of a rank */
	struct sim_span		roomy;		/* and there is room */
	u64			rooms;		/* calls of it */
	bool			startable;
	unsigned long		startable_since;
	struct sim_span		few;		/* workers, for KPOOL_PREALLOC */
	struct sim_span		many;		/* workers: one has to exit */
	struct sim_span		expired;	/* an idle worker */
	struct sim_item		*ready;		/* to be completed next */
	unsigned long		ready_since;
	/* the last step at which it was so */
	unsigned int		was_open, was_closed, was_full, was_paused;
	unsigned int		was_idle;	/* all that was accepted had ended */
	unsigned int		was_drained;	/* and no worker was left */
	unsigned int		drained;	/* since when it is so and closed, or 0 */
	unsigned int		was_busy;	/* not all */
	unsigned int		was_running;	/* not paused */
	unsigned int		was_used;	/* a unit, or a place */
	unsigned int		was_exiting;	/* a worker, which keeps its place */
	unsigned int		was_hung;	/* all that ran slept here */
	unsigned int		was_refusing;	/* instead of waiting */
	unsigned int		was_aborted;
	unsigned int		was_displacing;	/* the oldest, when full */
	unsigned int		was_bereft;	/* the end of a dead thread's item was seen */
	int			min_capacity;	/* ever */
	int			min_workers_ever;	/* the least of it */
	/* our own counters */
	u64			runs, failures, errors, drops, cancels, faults;
	u64			caller_runs, dropped_late, displaced;
	u64			refusals, maybe_refusals;
	u64			inits, exits, deaths, caller_deaths, exit_deaths;
	unsigned int		unnoticed;	/* deaths without exit work */
	unsigned int		lost_work;	/* whose thread has died */
	unsigned int		losses, losses_said, returns_said;	/* of KPOOL_MEM_RECLAIM */
	struct sim_span		unsaid;
	unsigned int		tunes_begun[KPOOL_NR_TUNABLES];
	unsigned int		tunes_ended[KPOOL_NR_TUNABLES];
};

struct sim_item {
	struct kpool_job	job;
	int			nr;
	struct sim_pool		*at;		/* its owner when last seen */
	enum sim_phase		run;
	bool			completes;	/* @run is that of its completion function */
	bool			to_complete;	/* returned, and not completed */
	int			returned;
	int			err;		/* of its function, or its completion function */
	bool			counted_run, counted_failure;	/* when it returned */
	int			result;		/* that, or what it was dropped with */
	struct sim_call		*handing;	/* to another, from inside */
	bool			kept;		/* has ended, and is to be collected ... */
	unsigned int		kept_in;	/* ... since this step */
	struct task_struct	*runner;
	unsigned int		drops_begun, drops_inside;
	unsigned int		drop_of;	/* step in which it had been accepted */
	unsigned long		run_id;
	unsigned int		units;		/* that its run holds */
	unsigned int		arrival;	/* in its queue */
	unsigned int		queued_in;	/* step, in front of it */
	unsigned int		accepted_in, started_in;	/* step */
	unsigned long		accepted_at;	/* jiffies */
	unsigned int		run_accepted_in;	/* what runs */
	unsigned long		run_accepted_at;
	unsigned int		gen;		/* submissions */
	unsigned int		run_gen, drop_gen;	/* of which run or drop */
	unsigned long		due_min, due_max;	/* jiffies */
	unsigned int		disabled;	/* for certain */
	unsigned int		maybe_disabled, maybe_cancelled;
	unsigned int		again;
	unsigned int		accepted;	/* submits that said so */
	unsigned int		collected;
	/* the last step at which it was so */
	unsigned int		was_taken;	/* not to be submitted */
	unsigned int		was_free;	/* neither pending nor being submitted */
	unsigned int		was_accepted, was_idle;	/* pending, or not */
	unsigned int		was_prompt;	/* accepted, to start at once */
	unsigned int		was_delayed, was_running;
	unsigned int		was_running_in[SIM_POOLS];
	unsigned int		was_disabled, was_cancelled;
};

/* A function that is submitted or called: its argument. */
struct sim_ticket {
	int		nr;
	u8		pool;
	u8		module;		/* of its function, or 0 */
	u8		ticks;
	bool		accepted, maybe, timed_out;
	bool		forbidden;	/* its module is removed */
	u8		ran, ended, died, released;
	bool		caller_died;	/* that ran it */
	bool		timed;		/* has a release function, and a time limit: */
	unsigned long	until;		/* jiffies */
	unsigned long	since;		/* jiffies: not accepted before */
	unsigned int	began_in;	/* step */
	bool		dies;
	bool		inside;
	int		result;
};

/* The wait of a call. */
enum sim_awaits {
	SIM_AWAITS_NOTHING,
	SIM_AWAITS_ITEM,	/* its last run */
	SIM_AWAITS_GROUP,
	SIM_AWAITS_FLUSH,	/* all that was accepted before */
	SIM_AWAITS_DRAIN,
};

/* A call into kpool that has not returned. */
struct sim_call {
	struct list_head	node;
	struct sim_call		*outer;
	struct sim_thread	*thread;
	const struct sim_op	*op;
	struct sim_item		*inside;	/* of this item's function, or NULL */
	struct sim_pool		*p;
	struct sim_item		*item;
	struct sim_ticket	*ticket;
	struct sim_pool		*locked;	/* last: where it sleeps, if it does */
	struct sim_item		*target;	/* whose end it waits for ... */
	unsigned int		awaited;	/* ... up to this submission */
	unsigned int		begin;		/* step */
	unsigned int		last;		/* step of its own */
	unsigned long		since;		/* jiffies */
	unsigned int		gen[SIM_ITEMS];
	bool			submits;	/* @item */
	bool			calls;		/* submits functions */
	bool			waits;		/* until it is completed */
	bool			fragile;	/* not while the pool is destroyed */
	bool			took;		/* an accepted item back */
	bool			now;		/* or not at all: no room callback */
	bool			modifies;	/* the time of a delayed job */
	bool			hands_on;	/* its item to another pool ... */
	bool			moved;		/* ... which owns it, or has */
	bool			handed;		/* accepted: another's */
	bool			cycle;		/* has waited for itself */
	enum sim_awaits		awaits;
	bool			loses;		/* -EIO: what it waits for is dead */
};

/* The function in which a thread has died. */
enum sim_dead_in {
	SIM_DEAD_RUN,		/* of an item */
	SIM_DEAD_DROP,
	SIM_DEAD_ROOM,
};

struct sim_death {
	struct sim_pool		*p;
	enum sim_dead_in	kind;
	struct sim_item		*item;		/* or NULL ... */
	struct sim_ticket	*ticket;	/* ... and the function, or NULL */
	void			*data;		/* its worker's state */
	bool			completes;	/* its run was that of its completion function */
	bool			by_caller;	/* its submitter ran it */
	bool			reported;	/* to the fault handler */
	unsigned int		gen;
	unsigned int		accepted_in;	/* step, or a later one */
	unsigned long		accepted_at;	/* jiffies, or earlier */
	unsigned long		died_at;	/* jiffies */
	unsigned int		ended_in;	/* step in which the run ended */
};

/* A module that is removed: removal.c */
struct sim_module {
	struct sim_thread	*remover;
	struct completion	removed;
	bool			leaves;		/* no others submit its items */
	bool			begun;		/* items can be refused ... */
	bool			refused;	/* ... and have to be */
	bool			gone;
	unsigned int		gone_in;	/* step */
	unsigned int		inside;		/* of its functions */
	u64			taken;		/* functions that were cancelled with it */
	struct kpool		*pool;		/* that an item has made, or NULL */
	struct sim_span		idle;		/* nothing of it is left */
};

struct sim_world {
	u64			seed;
	u64			mask;
	unsigned int		variant;
	struct sim_program	program;
	struct sim_pool		pool[SIM_POOLS];
	struct sim_item		item[SIM_ITEMS];
	struct sim_module	module[SIM_MODULES];
	struct kpool_group	group[SIM_GROUPS];
	unsigned int		group_idle[SIM_GROUPS];	/* last step */
	unsigned int		group_cancelled[SIM_GROUPS];	/* last step */
	bool			group_is_cancelled[SIM_GROUPS];	/* for certain */
	unsigned int		group_failures[SIM_GROUPS];	/* for certain */
	DECLARE_BITMAP(group_errors[SIM_GROUPS], 128);	/* permitted, without sign */
	struct kpool_stream	stream[SIM_STREAMS];
	struct sim_ticket	ticket[SIM_TICKETS];
	unsigned int		nr_tickets;
	struct sim_death	dead[96];
	unsigned int		nr_dead;
	unsigned int		nr_deaths;	/* of threads */
	struct sim_call		*closing;	/* destroys a pool */
	void			*leaked[SIM_MAX_DEATHS];	/* to dead threads */
	unsigned int		nr_leaked;
	int			nr_allocated;	/* by the engine */
	struct list_head	calls;
	struct list_head	laters;
	struct sim_thread	*client[SIM_CLIENTS];
	struct sim_thread	*closer;
	unsigned int		nr_at_work;
	unsigned int		nr_dying;	/* in what is called when a thread exits */
	struct task_struct	*poked;
	struct completion	done;
	struct completion	closed;
	unsigned int		step;
	unsigned long		start;		/* jiffies */
	unsigned int		nr_workers;	/* ever made */
	unsigned int		nr_body_ops;
	unsigned int		threads_failed;
	unsigned long		failed_at;	/* jiffies, the last time */
	bool			ending;
	char			failure[160];
};

extern struct sim_world *sim;
extern bool sim_tracing;

/* pct.c */
unsigned int sim_random(unsigned int n);
void sim_schedule_begin(u64 seed, unsigned int variant);
void sim_schedule_end(void);
void sim_priority(struct task_struct *task, int priority);
void sim_random_priority(struct sim_thread *thread);
u64 sim_points(void);

/* threads.c */
struct sim_thread *sim_thread_new(const char *name, int nr,
				  int (*fn)(void *data), void *data);
void sim_thread_go(struct sim_thread *thread);
void sim_thread_end(struct sim_thread *thread);
void sim_thread_failed(void);
void __noreturn sim_thread_die(struct sim_thread *thread);
struct sim_thread *sim_current(void);
void sim_threads_prepare(void);

/* later.c */
void sim_laters_end(void);
void sim_later_dies(const struct sim_thread *thread);

/* program.c */
void sim_program_make(struct sim_program *program, u64 seed);
u64 sim_program_mask(const struct sim_program *program);

/* clients.c */
struct sim_op_row {
	const char	*name;
	u8		client;		/* how often among a client's operations */
	u8		body;		/* and among an item's */
	bool		waits;		/* an item does it in the first pool only */
	bool		fragile;
	bool		needs_job;
	bool		submits;	/* its item, which it can run */
	bool		of_item;	/* does something to it */
	bool		passes_fn;	/* that can be a module's */
	bool		calls;		/* it, and waits */
	void		(*run)(struct sim_call *call);
};

extern const struct sim_op_row sim_ops[];
extern const unsigned int sim_nr_ops;
int sim_client_main(void *data);
bool sim_do(const struct sim_op *op, struct sim_item *inside);
bool sim_op_enabled(const struct sim_op *op);

/* items.c */
int sim_run_item(struct kpool_item *item, unsigned int module);
int sim_complete_item(struct kpool_item *item, unsigned int module);
void sim_drop_item(struct kpool_item *item, int err, unsigned int module);
int sim_error(const struct sim_op *op);
void sim_group_fails(const struct sim_item *it, int err, bool certain);
int sim_run_ticket(void *arg, unsigned int module);
void sim_release_ticket(void *arg, unsigned int module);
void *sim_worker_init(void *data);
void sim_worker_exit(void *data, void *state);
void sim_fault(void *data, const struct kpool_fault *fault);
void sim_room(void *data);

/* deaths.c */
bool sim_is_to_die(enum sim_deadly where);
bool sim_is_lost(const struct sim_call *call, int err);
void __noreturn sim_die_in_item(void);
void __noreturn sim_die_in_function(struct sim_ticket *ticket);
void __noreturn sim_die_in_drop(struct sim_item *it);
void __noreturn sim_die_in_room(struct sim_pool *p);
void __noreturn sim_die_in_init(void);
void __noreturn sim_die_in_exit(struct sim_pool *p);
void __noreturn sim_die_in_handler(struct sim_pool *p, const struct kpool_fault *fault,
				   struct sim_item *it);
void __noreturn sim_die_in_release(struct sim_ticket *ticket);
void sim_judge_report(struct sim_pool *p, const struct kpool_fault *fault);
void sim_judge_bereaved(struct sim_pool *p, const struct sim_view *was,
			const struct sim_view *v);
void sim_judge_dead(const struct sim_pool *p);

/* core/module.c: what the kernel calls when a module is removed */
int kpool_module_event(struct notifier_block *nb, unsigned long event,
		       void *data);

/* removal.c */
struct sim_functions {
	kpool_item_fn	fn;
	kpool_item_fn	complete;
	kpool_drop_fn	dropped;
	kpool_fn	ticket;
	void		(*release)(void *arg);
};

extern const struct sim_functions sim_functions[SIM_MODULES + 1];
const struct sim_functions *sim_functions_of(const struct sim_item *it, u8 part);
kpool_item_fn sim_run_fn(const struct sim_item *it, bool completes);
struct module *sim_module_address(unsigned int nr);
struct sim_module *sim_module_of(const struct sim_item *it);
bool sim_is_part_of(const struct sim_item *it, unsigned int nr, u8 parts);
unsigned int sim_module_run_in(const struct sim_item *it, u8 part);
unsigned int sim_module_of_run(const struct sim_item *it);
bool sim_is_inside_module(const struct sim_call *call, unsigned int nr);
bool sim_is_out_of_reach(const struct sim_call *call);
unsigned int sim_module_for(const struct sim_call *call);
void sim_module_enter(unsigned int nr);
void sim_module_leave(unsigned int nr);
bool sim_may_be_going(const struct sim_call *call, const struct sim_module *m);
bool sim_must_refuse(const struct sim_pool *p, const struct sim_module *m);
bool sim_is_removed(const struct sim_pool *p, const struct sim_item *it);
struct sim_module *sim_owner_of(const struct sim_pool *p);
bool sim_is_orphan(const struct sim_pool *p);
void sim_judge_removals(void);
void sim_note_removal(struct sim_pool *p, u64 cancelled);
void sim_leave_pool(const struct sim_call *call);
void sim_start_removers(void);
void sim_wait_removers(void);
void sim_end_removers(void);

/* observe.c */
void sim_set_default(struct kpool *pool);
void sim_free_orphan(struct kpool *pool);
void sim_observe(struct kpool *pool, struct sim_view *view);
const char *sim_place_name(unsigned int place);
bool sim_runs_in(const struct sim_item *it, const struct kpool *pool);
bool sim_group_is_cancelled(int group);
bool sim_group_has_members(int group);
int sim_group_error(int group);
int sim_attr_in_force(struct kpool *pool, enum kpool_tunable tunable);

/* model.c */
void sim_fail(const char *fmt, ...) __printf(1, 2);
void sim_note(void);
void sim_note_cycles(void);
void sim_judge_drained(const struct sim_pool *p);
void sim_judge_end(struct sim_pool *p);
bool sim_has_ended(const struct sim_item *it, unsigned int gen);
void sim_judge_span(struct sim_span *span, bool on, const char *what);
bool sim_is_ordered(const struct sim_item *it);
bool sim_in_stream(const struct sim_item *it);
bool sim_is_member(const struct sim_item *it, int group);
int sim_rank(const struct sim_item *it);
unsigned int sim_units(const struct sim_item *it, const struct sim_view *v);
unsigned int sim_free_units(const struct sim_view *v);
bool sim_is_before(const struct sim_item *a, const struct sim_item *b,
		   const struct sim_view *v);

/* room.c */
void sim_judge_room_for(const struct sim_pool *p, const struct sim_call *call,
			const struct sim_view *was, const struct sim_view *v);
void sim_note_refused(struct sim_pool *p, const struct sim_call *call,
		      const struct sim_view *was);
bool sim_refused_has_room(const struct sim_pool *p, const struct sim_view *v);
bool sim_plain_has_room(const struct sim_view *v);
bool sim_head_has_room(const struct sim_item *head, const struct sim_view *v);

/* Return true if that held at any time since the call began. */
static inline bool sim_during(const struct sim_call *call, unsigned int when)
{
	return when >= call->begin;
}

#define sim_expect(cond, fmt, ...)					\
do {									\
	if (!(cond))							\
		sim_fail(fmt, ##__VA_ARGS__);				\
} while (0)

/* run.c */
struct kpool *sim_pool_of_name(struct module *owner,
			       const struct kpool_attrs *attrs, int nr);
bool sim_run(u64 seed, u64 mask, unsigned int variant);
extern char sim_last_failure[160];
extern unsigned int sim_nr_hangs;

/* shrink.c */
u64 sim_shrink(u64 seed, u64 mask, unsigned int *variant);

/* report.c */
void sim_print(const char *fmt, ...) __printf(1, 2);
void sim_trace(const char *fmt, ...) __printf(1, 2);

#endif /* _SIMULATE_H */
