/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulator: random clients, a scheduler that a seed drives, and a model of
 * kpool's contract that checks every step.
 *
 * points.h	adds scheduling points to the engine
 * stand_ins.h	declares replacements for kernel functions called there
 * pct.c	chooses the thread: random priorities, which change now and then
 * threads.c	reuses threads
 * later.c	runs each work and timer in a thread of its own
 * program.c	generates the operations of the clients from a seed
 * clients.c	does these operations, and checks their results
 * items.c	has the functions of items, which run, complete or drop them
 * deaths.c	lets threads die, and checks which runs end and which waits fail
 * removal.c	removes modules while their items are in the pools
 * observe.c	translates the engine's state into the terms of the contract
 * model.c	checks that what has happened between two steps is permitted
 * room.c	checks that a submission is accepted only, and always, with room
 * run.c	runs a seed from beginning to end
 * shrink.c	finds the fewest operations that still fail
 * report.c	runs many seeds, and reports those that fail
 *
 * A world is the state of one run.  A world that hangs is abandoned with its
 * threads, and the next run has a new one.
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
#define SIM_WORKERS	12	/* observed in each pool */

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
	u8	module;		/* its module, which is removed, or 0 */
	u8	own;		/* its parts in that module */
};

/* Where a thread can die, apart from a worker in an item's function. */
enum sim_deadly {
	SIM_DEADLY_CALLER,	/* in an item's function, in a submitter */
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
	bool			is_deadly;	/* elsewhere, too: */
	u8			deadly[SIM_NR_DEADLY];	/* percent */
	u8			end_after;	/* ticks; 0: after clients */
	u8			nr_modules;	/* to be removed ... */
	u8			leave_after[SIM_MODULES];	/* in ticks */
	bool			ends_orphan;	/* in its module's removal */
};

/* Threads: threads.c */

enum sim_thread_state {
	SIM_THREAD_FREE,
	SIM_THREAD_MADE,	/* created, not woken */
	SIM_THREAD_RUNS,
	SIM_THREAD_ENDED,
};

struct sim_call;
struct sim_world;

struct sim_thread {
	struct list_head	node;		/* on sim_free or sim_dead */
	struct task_struct	*task;
	struct task_struct	*stub_task;	/* holds its exit_state */
	struct callback_head	*task_works;
	struct sim_world	*world;
	const char		*name;
	int			nr;
	int			(*fn)(void *data);
	void			*data;
	struct completion	ended;
	enum sim_thread_state	state;
	bool			should_stop;
	bool			dead;		/* its task has exited */
	struct sim_ticket	*returned;	/* last function that ended */
	struct sim_call		*call;		/* its calls, innermost first */
	unsigned long		at;		/* address of its last point */
};

/* The observed state: observe.c */

enum sim_place {
	SIM_IDLE,
	SIM_BLOCKED,		/* its submitter sleeps */
	SIM_KEPT,		/* ended, not collected */
	SIM_FINISHED,		/* returned, not completed */
	/* accepted: */
	SIM_DUE,		/* backlogged: waits for admission */
	SIM_QUEUED,
	SIM_BACK,		/* picked, behind its own run or its stream */
	SIM_DELAYED,
	SIM_DROPPING,		/* to be dropped */
};

struct sim_item_view {
	u8	place;
	bool	here;		/* owned by this pool */
	bool	runs;
	bool	by_caller;
	bool	completes;	/* its run is of its completion function */
	bool	follows;
	bool	evicted;	/* to be dropped for a newer one */
	u8	inbox;		/* its place among fast submits, or 0 */
	u8	dropping;	/* running calls of its drop function */
	unsigned long	run_id;		/* unique for each run */
};

struct sim_worker_view {
	const void	*worker;
	u8		state;
	unsigned long	since;		/* jiffies */
};

/*
 * Bounds of the starts that bypass a lower priority; some starts are not seen.
 */
#define SIM_PASSED_MIN	13
#define SIM_PASSED_MAX	17

struct sim_view {
	struct sim_item_view	item[SIM_ITEMS];
	struct sim_worker_view	worker[SIM_WORKERS];
	unsigned int		nr_workers;	/* seen, in @worker */
	struct kpool_attrs	attrs;
	struct kpool_stats	stats;
	unsigned int		queued_items;	/* in the queue */
	unsigned int		back;		/* items in SIM_BACK */
	unsigned int		stream_blocked;	/* of @back, behind a stream */
	unsigned int		queue;		/* waiting for admission */
	const void		*queue_head;	/* the first of @queue */
	unsigned int		callers;	/* runs by submitters */
	unsigned int		dropping;
	bool			rooming;	/* the room function runs */
	unsigned int		staying;	/* workers that do not exit */
	unsigned int		threads;	/* alive or being created */
	unsigned long		idle_since;	/* of the longest idle worker */
	unsigned int		nr_drops;	/* items to be dropped */
	unsigned int		finished;	/* jobs to be completed ... */
	unsigned int		completable;	/* ... those whose turn it is */
	bool			aborted;
	bool			settling;	/* recheck work is busy */
	bool			unsettled;	/* recheck work is needed */
	bool			group_kept;	/* empty, but still listed */
	bool			cycle;		/* threads wait in a cycle */
	unsigned int		passed_most;	/* sim_pool.passed_most */
};

/* Model: model.c */

/* A run of an item. */
enum sim_phase {
	SIM_NOT,
	SIM_BEGUN,		/* started by the engine */
	SIM_INSIDE,		/* its function has been entered */
	SIM_RETURNED,		/* its function has returned, the run goes on */
	SIM_DEAD,		/* its thread has died in it */
};

/* A condition that has to end soon. */
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
	bool			destroyed_first;	/* ... before removal */
	struct sim_view		view;		/* after the last step */
	u8			queue[SIM_ITEMS];	/* admission order */
	unsigned int		nr_queue;
	unsigned int		passed, passed_most;	/* see SIM_PASSED_MIN */
	struct sim_item		*started;	/* in this step, or NULL */
	u64			starts;		/* in this step */
	unsigned int		completing;	/* completions begun */
	bool			helped;		/* can go on without its runs */
	bool			delay_helps;	/* a delayed item will start */
	bool			owed;		/* a call of room ... */
	unsigned int		refused_units[3]; /* ... least units, by prio */
	struct sim_span		roomy;		/* @owed, and there is room */
	u64			rooms;		/* calls of its room function */
	bool			startable;
	unsigned long		startable_since;
	struct sim_span		few;		/* fewer than min_workers */
	struct sim_span		many;		/* idle workers have to exit */
	struct sim_span		expired;	/* an idle worker */
	struct sim_item		*ready;		/* to be completed next */
	unsigned long		ready_since;
	/* the last step at which the condition held */
	unsigned int		was_open, was_closed, was_full, was_paused;
	unsigned int		was_idle;	/* all accepted had ended */
	unsigned int		was_drained;	/* and no worker was left */
	unsigned int		drained;	/* closed and drained since */
	unsigned int		was_busy;	/* something had not ended */
	unsigned int		was_running;	/* not paused */
	unsigned int		was_used;	/* a unit or place was taken */
	unsigned int		was_exiting;	/* a worker was exiting */
	unsigned int		was_hung;	/* all running items waited */
	unsigned int		was_refusing;	/* instead of blocking */
	unsigned int		was_aborted;
	unsigned int		was_evicting;	/* the oldest, when full */
	unsigned int		was_bereft;	/* a dead run's end was seen */
	int			min_capacity;	/* least capacity */
	int			min_workers_ever;	/* least min_workers */
	/* the model's own counters */
	u64			runs, failures, errors, drops, cancels, faults;
	u64			caller_runs, dropped_late, displaced;
	u64			refusals, maybe_refusals;
	u64			inits, exits, deaths, caller_deaths, exit_deaths;
	unsigned int		unnoticed;	/* deaths without exit work */
	unsigned int		lost_work;	/* work whose thread died */
	/* of the guarantee of KPOOL_MEM_RECLAIM */
	unsigned int		losses, losses_said, returns_said;
	struct sim_span		unsaid;
	unsigned int		tunes_begun[KPOOL_NR_TUNABLES];
	unsigned int		tunes_ended[KPOOL_NR_TUNABLES];
};

struct sim_item {
	struct kpool_job	job;
	int			nr;
	struct sim_pool		*at;		/* its owner when last seen */
	enum sim_phase		run;
	bool			completes;	/* @run is the completion */
	bool			to_complete;	/* returned, not completed */
	int			returned;
	int			err;		/* of its last function */
	bool			counted_run, counted_failure;	/* on return */
	int			result;		/* of its function or drop */
	struct sim_call		*handing;	/* to the other pool, or NULL */
	bool			kept;		/* ended, to be collected ... */
	unsigned int		kept_in;	/* ... since this step */
	struct task_struct	*runner;
	unsigned int		drops_begun, drops_inside;
	unsigned int		drop_of;	/* step of its submission */
	unsigned long		run_id;
	unsigned int		units;		/* that its run holds */
	unsigned int		arrival;	/* in its run queue */
	unsigned int		queued_in;	/* step, for admission */
	unsigned int		accepted_in, started_in;	/* step */
	unsigned long		accepted_at;	/* jiffies */
	unsigned int		run_accepted_in;	/* of the run */
	unsigned long		run_accepted_at;
	unsigned int		gen;		/* submissions */
	unsigned int		run_gen, drop_gen;	/* of its run or drop */
	unsigned long		due_min, due_max;	/* jiffies */
	unsigned int		disabled;	/* for certain */
	unsigned int		maybe_disabled, maybe_cancelled;
	unsigned int		again;
	unsigned int		accepted;	/* submits that returned 0 */
	unsigned int		collected;
	/* the last step at which the condition held */
	unsigned int		was_taken;	/* submits get -EALREADY */
	unsigned int		was_free;	/* not pending or submitted */
	unsigned int		was_accepted, was_idle;	/* pending, or not */
	unsigned int		was_prompt;	/* accepted, to start at once */
	unsigned int		was_delayed, was_running;
	unsigned int		was_running_in[SIM_POOLS];
	unsigned int		was_disabled, was_cancelled;
};

/* The argument of a function that is submitted or called. */
struct sim_ticket {
	int		nr;
	u8		pool;
	u8		module;		/* of its function, or 0 */
	u8		ticks;
	bool		accepted, maybe, timed_out;
	bool		forbidden;	/* its module is removed */
	u8		ran, ended, died, released;
	bool		caller_died;	/* died as it ran the function */
	bool		timed;		/* has release() and a time limit: */
	unsigned long	until;		/* jiffies */
	unsigned long	since;		/* jiffies: not accepted before */
	unsigned int	began_in;	/* step */
	bool		dies;
	bool		inside;
	int		result;
};

/* The object that a call waits for. */
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
	struct sim_item		*inside;	/* item that made it, or NULL */
	struct sim_pool		*p;
	struct sim_item		*item;
	struct sim_ticket	*ticket;
	struct sim_pool		*locked;	/* last: it can sleep there */
	struct sim_item		*target;	/* the item it waits for ... */
	unsigned int		awaited;	/* ... up to this submission */
	unsigned int		begin;		/* step */
	unsigned int		last;		/* its last step */
	unsigned long		since;		/* jiffies */
	unsigned int		gen[SIM_ITEMS];
	bool			submits;	/* @item */
	bool			calls;		/* submits functions */
	bool			waits;		/* without limit */
	bool			took;		/* took back an item */
	bool			now;		/* start or fail; no room() */
	bool			modifies;	/* the time of a delayed job */
	bool			hands_over;	/* to the other pool ... */
	bool			moved;		/* ... which has owned it */
	bool			handed;		/* ... and has accepted it */
	bool			cycle;		/* has waited for itself */
	enum sim_awaits		awaits;
	bool			loses;		/* -EIO: awaited run died */
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
	struct sim_ticket	*ticket;	/* ... or function, or NULL */
	void			*data;		/* its worker's data */
	bool			completes;	/* its completion function */
	bool			by_caller;	/* its submitter ran it */
	bool			reported;	/* to the fault handler */
	unsigned int		gen;
	unsigned int		accepted_in;	/* step, or a later one */
	unsigned long		accepted_at;	/* jiffies, or earlier */
	unsigned long		died_at;	/* jiffies */
	unsigned int		ended_in;	/* step: the run's end */
};

/* A module that is removed: removal.c */
struct sim_module {
	struct sim_thread	*remover;
	struct completion	removed;
	bool			leaves;		/* only it submits its items */
	bool			begun;		/* items can be refused ... */
	bool			refused;	/* ... and have to be */
	bool			gone;
	unsigned int		gone_in;	/* step */
	unsigned int		inside;		/* running functions */
	u64			taken;		/* cancelled functions */
	struct kpool		*pool;		/* made by an item, or NULL */
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
	bool			group_is_cancelled[SIM_GROUPS];	/* certainly */
	unsigned int		group_failures[SIM_GROUPS];	/* certainly */
	/* permitted errors, without sign */
	DECLARE_BITMAP(group_errors[SIM_GROUPS], 128);
	struct kpool_stream	stream[SIM_STREAMS];
	struct sim_ticket	ticket[SIM_TICKETS];
	unsigned int		nr_tickets;
	struct sim_death	dead[96];
	unsigned int		nr_dead;
	unsigned int		nr_deaths;	/* of threads */
	struct sim_call		*closing;	/* call that destroys a pool */
	/* memory that dead threads can use, freed at the end of the run */
	void			*leaked[SIM_MAX_DEATHS];
	unsigned int		nr_leaked;
	int			nr_allocated;	/* by the engine */
	struct list_head	calls;
	struct list_head	laters;
	struct sim_thread	*client[SIM_CLIENTS];
	struct sim_thread	*closer;
	unsigned int		nr_at_work;
	unsigned int		nr_dying;	/* threads in their exit work */
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
	u8		client;		/* weight among a client's operations */
	u8		body;		/* weight among an item's operations */
	bool		waits;		/* by items in the first pool only */
	bool		fragile;
	bool		needs_job;
	bool		submits;	/* submits its item, and can run it */
	bool		of_item;	/* acts on its item */
	bool		passes_fn;	/* passes a function of any module */
	bool		calls;		/* calls that function, and waits */
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
void sim_worker_exit(void *data, void *worker_data);
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

/* core/module.c: the notifier for the removal of a module */
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
int sim_prio(const struct sim_item *it);
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

/* Return true if a condition that last held at step @when held in the call. */
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
