// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that die in a client's function: which runs end with them, which
 * waits fail, and when the pool must notice.
 *
 * A thread can be in several nested runs: an item's function has submitted
 * another item, and runs it as its submitter.  All of them end with the thread.
 * The pool notices by the thread's exit work, or by its watchdog.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#include "simulate.h"

#define SIM_NOT_YET	UINT_MAX

/*
 * Return true if the thread has to die here.  Each death uses up one of the
 * simulator's threads.
 */
bool sim_is_to_die(enum sim_deadly where)
{
	return sim->nr_deaths < SIM_MAX_DEATHS &&
	       sim_percent(sim->program.deadly[where]);
}

/* Waits that fail */

static bool sim_is_in_group(const struct sim_item *it, int group)
{
	const struct sim_item_spec *spec = &sim->program.item[it->nr];

	return spec->job && spec->group >= 0 &&
	       (spec->group == group ||
		(sim->program.nested_groups && spec->group > group));
}

/* Return true if the call, by its kind, can wait for the end of that run. */
static bool sim_is_awaited(const struct sim_call *call, const struct sim_death *d)
{
	switch (call->awaits) {
	case SIM_AWAITS_ITEM:
		return d->item && d->item == call->target;
	case SIM_AWAITS_GROUP:
		return d->item && d->kind == SIM_DEAD_RUN &&
		       sim_is_in_group(d->item, call->op->group);
	case SIM_AWAITS_FLUSH:
	case SIM_AWAITS_DRAIN:
		return d->kind == SIM_DEAD_RUN && d->p == call->p;
	default:
		return false;
	}
}

/*
 * Return true if the call waits for this run, whose thread dies now.  If it
 * sleeps, its wait has begun, and ends only after the run has.  A wait for an
 * item moves on to another pool only when the run that has handed the item on
 * has ended.
 */
static bool sim_has_to_lose(const struct sim_call *call, const struct sim_death *d)
{
	if (d->kind != SIM_DEAD_RUN || !sim_is_awaited(call, d) ||
	    task_is_running(call->thread->task) ||
	    (call != sim->closing && call->thread->call != call))
		return false;
	if (call->awaits == SIM_AWAITS_ITEM)
		return d->item->gen == d->gen && d->p == call->locked;
	if (call->awaits == SIM_AWAITS_FLUSH)
		return d->accepted_in <= call->begin;
	/* idle before its last job is submitted, a group ends the wait */
	if (call->awaits == SIM_AWAITS_GROUP)
		return sim->group_idle[call->op->group] <= call->begin;
	return true;
}

/* Return true if a run that the call can have waited for ended by a death. */
static bool sim_may_lose(const struct sim_call *call)
{
	unsigned int i, ended_in;

	for (i = 0; i < sim->nr_dead; i++) {
		const struct sim_death *d = &sim->dead[i];

		if (!sim_is_awaited(call, d))
			continue;
		if (call->awaits == SIM_AWAITS_FLUSH &&
		    time_after(d->accepted_at, call->since))
			continue;
		/* functions look alike: use the last death that was seen */
		ended_in = d->item ? d->ended_in : d->p->was_bereft;
		if (ended_in >= call->begin)
			return true;
	}
	return false;
}

/*
 * Return true if the call lost what it waits for: then, and only then, it gets
 * -EIO.
 */
bool sim_is_lost(const struct sim_call *call, int err)
{
	if (err != -EIO) {
		sim_expect(!call->loses || err == -EDEADLK || err == -ETIMEDOUT,
			   "%s gets no error after a death: %d",
			   call->op ? sim_ops[call->op->kind].name : "destroy", err);
		return false;
	}
	return sim_may_lose(call);
}

/* The end of a thread */

static struct sim_death *sim_note_death(struct sim_pool *p, enum sim_dead_in kind)
{
	struct sim_death *d = &sim->dead[sim->nr_dead];

	WARN_ON(++sim->nr_dead == ARRAY_SIZE(sim->dead));
	d->p = p;
	d->kind = kind;
	d->died_at = jiffies;
	d->ended_in = SIM_NOT_YET;
	return d;
}

static void sim_note_losers(const struct sim_death *d)
{
	struct sim_call *call;

	list_for_each_entry(call, &sim->calls, node)
		call->loses |= sim_has_to_lose(call, d);
	call = sim->closing;
	if (call)
		call->loses |= sim_has_to_lose(call, d);
}

/* Count an item that its submitter ran as failed, not as dead. */
static void sim_count_death(struct sim_pool *p, bool by_caller)
{
	p->deaths += !by_caller;
	p->runs += by_caller;
	p->failures += by_caller;
	p->caller_deaths += by_caller;
}

static struct sim_death *sim_item_dies(struct sim_item *it, bool by_caller)
{
	struct sim_death *d = sim_note_death(it->at, SIM_DEAD_RUN);

	sim_trace("item %d dies\n", it->nr);
	d->item = it;
	d->completes = it->completes;
	d->gen = it->run_gen;
	d->accepted_in = it->run_accepted_in;
	d->accepted_at = it->run_accepted_at;
	d->data = sim->program.has_init && !by_caller ? current : NULL;
	it->run = SIM_DEAD;
	it->to_complete = false;
	it->returned = -EIO;
	it->result = -EIO;
	it->err = -EIO;
	it->runner = NULL;
	sim_group_fails(it, -EIO, true);
	sim_count_death(it->at, by_caller);
	sim_note_losers(d);
	return d;
}

static struct sim_death *sim_function_dies(struct sim_ticket *ticket, bool by_caller)
{
	struct sim_pool *p = &sim->pool[ticket->pool];
	struct sim_death *d = sim_note_death(p, SIM_DEAD_RUN);

	sim_trace("function %d dies\n", ticket->nr);
	d->ticket = ticket;
	d->by_caller = by_caller;
	d->accepted_in = ticket->began_in;
	d->accepted_at = ticket->since;
	d->data = sim->program.has_init && !by_caller ? current : NULL;
	ticket->caller_died |= by_caller;
	sim_count_death(p, by_caller);
	sim_note_losers(d);
	return d;
}

/*
 * End the calls that the thread is in, which never return, and the runs of the
 * items whose functions made them.  The outermost run is a worker's, unless the
 * thread is a client.
 */
static void sim_calls_die(struct sim_thread *thread)
{
	struct sim_call *call;

	for (call = thread->call; call; call = call->outer) {
		list_del(&call->node);
		/* a call in which its own item has died has submitted it */
		if (sim_ops[call->op->kind].submits && call->item->run == SIM_DEAD)
			call->item->accepted++;
		if (!call->inside)
			continue;
		sim_item_dies(call->inside, call->outer);
		sim_module_leave(sim_module_of_run(call->inside));
	}
}

static void __noreturn sim_die(bool in_item)
{
	struct sim_thread *thread = sim_current();

	sim_calls_die(thread);
	/* an oops in do_exit() prevents the exit work */
	if (in_item && sim_is_to_die(SIM_DEADLY_UNNOTICED)) {
		thread->task_works = NULL;
		sim->dead[sim->nr_dead - 1].p->unnoticed++;
	}
	sim_thread_die(thread);
}

/*
 * Return 1 if a thread has died without its exit work: only an oops prevents
 * it.
 */
int sim_test_taint(unsigned int flag)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sim->pool); i++)
		if (sim->pool[i].unnoticed)
			return 1;
	return 0;
}

/* Kill the thread of the pool's own work, which then never ends. */
static void __noreturn sim_work_dies(struct sim_pool *p)
{
	p->lost_work++;
	sim_die(false);
}

void __noreturn sim_die_in_item(void)
{
	sim_die(true);
}

void __noreturn sim_die_in_function(struct sim_ticket *ticket)
{
	ticket->inside = false;
	ticket->died++;
	sim_module_leave(ticket->module);
	sim_function_dies(ticket, sim_current()->call);
	sim_die(true);
}

/* Die in a drop function: the item counts as dropped. */
void __noreturn sim_die_in_drop(struct sim_item *it)
{
	struct sim_death *d = sim_note_death(it->at, SIM_DEAD_DROP);

	sim_trace("item %d's thread dies as it is dropped\n", it->nr);
	d->item = it;
	d->gen = it->drop_gen;
	d->reported = true;
	sim_module_leave(sim_module_run_in(it, SIM_OWN_DROPPED));
	sim_work_dies(it->at);
}

void __noreturn sim_die_in_room(struct sim_pool *p)
{
	struct sim_death *d = sim_note_death(p, SIM_DEAD_ROOM);

	sim_trace("a thread dies in room\n");
	d->reported = true;
	sim_work_dies(p);
}

/* Die in worker_init: an attempt to create a worker has failed. */
void __noreturn sim_die_in_init(void)
{
	sim_trace("a worker dies before it works\n");
	sim_thread_failed();
	sim_thread_die(sim_current());
}

void __noreturn sim_die_in_exit(struct sim_pool *p)
{
	sim_trace("a worker dies as it ends\n");
	p->exit_deaths++;
	sim_thread_die(sim_current());
}

/*
 * Die in the fault handler.  For an error, the thread that ran the item calls
 * the handler, which is not called again for its death.  For a death, a thread
 * of the pool calls it.
 */
void __noreturn sim_die_in_handler(struct sim_pool *p, const struct kpool_fault *fault,
				   struct sim_item *it)
{
	struct sim_ticket *ticket = sim_current()->returned;
	bool by_caller = sim_current()->call;
	struct sim_death *d;

	sim_trace("a thread dies in the fault handler\n");
	if (fault->died)
		sim_work_dies(p);
	if (it) {
		p->runs -= it->counted_run;
		p->failures -= it->counted_failure;
		d = sim_item_dies(it, by_caller);
	} else {
		p->runs--;
		p->failures--;
		d = sim_function_dies(ticket, by_caller);
	}
	d->reported = true;
	sim_die(true);
}

/*
 * Die in a release function.  A worker dies there within the function, which
 * counts as not returned.
 */
void __noreturn sim_die_in_release(struct sim_ticket *ticket)
{
	struct sim_pool *p = &sim->pool[ticket->pool];

	sim_trace("a thread dies as it gives back argument %d\n", ticket->nr);
	if (strcmp(sim_current()->name, "worker"))
		sim_work_dies(p);
	p->runs--;
	p->failures -= !!ticket->result;
	p->errors -= !!ticket->result;
	sim_function_dies(ticket, false);
	sim_die(true);
}

/* Duties of the pool */

/* Return true if @fault can report this death.  Functions look alike. */
static bool sim_is_reported(const struct sim_death *d, const struct sim_pool *p,
			    const struct kpool_fault *fault)
{
	if (d->kind != SIM_DEAD_RUN || d->p != p || d->data != fault->data)
		return false;
	if (!d->item)
		return fault->fn == sim_functions[d->ticket->module].ticket;
	return fault->item == &d->item->job.item &&
	       fault->fn == sim_run_fn(d->item, d->completes);
}

/*
 * Check that a death is reported once, before the run ends, and with the
 * worker's data.
 */
void sim_judge_report(struct sim_pool *p, const struct kpool_fault *fault)
{
	struct sim_death *reported = NULL;
	bool lasts = false;
	unsigned int i;

	for (i = 0; i < sim->nr_dead; i++) {
		struct sim_death *d = &sim->dead[i];

		if (!sim_is_reported(d, p, fault))
			continue;
		lasts |= d->ended_in == SIM_NOT_YET;
		if (!reported && !d->reported)
			reported = d;
	}
	sim_expect(reported, "a death is reported of no thread, or twice");
	sim_expect(lasts, "a death is reported after the run has ended");
	sim_expect(fault->err == -EIO, "a death is reported as %d", fault->err);
	if (reported)
		reported->reported = true;
}

/* Return true if the run has ended. */
static bool sim_is_over(const struct sim_death *d, const struct sim_view *v)
{
	const struct sim_item_view *now = d->item ? &v->item[d->item->nr] : NULL;

	switch (d->kind) {
	case SIM_DEAD_RUN:
		return now && (d->item->run != SIM_DEAD || d->item->run_gen != d->gen ||
			       !now->here);
	case SIM_DEAD_DROP:
		return !now->here || !now->dropping || d->item->drop_gen != d->gen;
	default:
		return !v->rooming;
	}
}

/* Return the number of submitters that run a function, not an item. */
static unsigned int sim_function_callers(const struct sim_view *v)
{
	unsigned int n = v->callers, i;

	for (i = 0; i < SIM_ITEMS; i++)
		n -= v->item[i].by_caller;
	return n;
}

/*
 * Return true if all functions that can have died in @d have ended, as
 * functions cannot be distinguished.
 */
static bool sim_functions_are_over(const struct sim_death *d, const struct sim_view *v)
{
	return d->by_caller ? !sim_function_callers(v) : v->stats.died == d->p->deaths;
}

/*
 * Return the ticks after which the run of a dead thread must have ended.  It
 * ends at once if its exit work has run, or else at a check of the watchdog,
 * once a second.  Each failure of what has to be done takes as long again.
 */
static unsigned long sim_death_takes(const struct sim_pool *p)
{
	unsigned int times = p->lost_work + p->caller_deaths + p->unnoticed;

	return times ? (times + 1 + sim->threads_failed) * (HZ + HZ / 8 + 2) : 1;
}

static void sim_judge_deaths(struct sim_pool *p, const struct sim_view *v)
{
	unsigned int i;

	for (i = 0; i < sim->nr_dead; i++) {
		struct sim_death *d = &sim->dead[i];

		if (d->p != p || d->ended_in != SIM_NOT_YET)
			continue;
		if (d->kind == SIM_DEAD_RUN && !d->item ? sim_functions_are_over(d, v) :
							  sim_is_over(d, v)) {
			d->ended_in = sim->step;
			continue;
		}
		sim_expect(!time_after(jiffies, d->died_at + sim_death_takes(p)),
			   "a dead thread is not noticed for %lu ticks",
			   jiffies - d->died_at);
	}
}

/*
 * Check that the loss and the return of the forward progress guarantee are
 * logged.
 */
static void sim_judge_promise(struct sim_pool *p, const struct sim_view *was,
			      const struct sim_view *v)
{
	if (!(v->attrs.flags & KPOOL_MEM_RECLAIM))
		return;
	p->losses += v->stats.died > was->stats.died && !v->staying;
	sim_judge_span(&p->unsaid, p->losses_said != p->losses ||
		       (v->staying && p->returns_said != p->losses),
		       "nothing is said of a lost or restored promise");
}

void sim_judge_bereaved(struct sim_pool *p, const struct sim_view *was,
			const struct sim_view *v)
{
	/* some of the items run by their submitters can have died */
	if (v->stats.died > was->stats.died ||
	    v->stats.caller_ran > was->stats.caller_ran)
		p->was_bereft = sim->step;
	sim_judge_deaths(p, v);
	sim_judge_promise(p, was, v);
}

/* Judge a log line of the engine; its first argument is the name of a pool. */
void sim_log(const char *fmt, ...)
{
	const char *name;
	va_list args;
	int i;

	if (!sim || !strstr(fmt, "forward progress"))
		return;
	va_start(args, fmt);
	name = va_arg(args, const char *);
	va_end(args);
	for (i = 0; i < SIM_POOLS; i++) {
		struct sim_pool *p = &sim->pool[i];

		if (!p->pool || strcmp(p->name, name))
			continue;
		if (strstr(fmt, "restored"))
			sim_expect(++p->returns_said <= p->losses,
				   "a promise is restored that was not lost");
		else
			sim_expect(++p->losses_said <= p->losses,
				   "a promise is lost that was not");
	}
}

/* Check after destroy that each death and each lost guarantee was reported. */
void sim_judge_dead(const struct sim_pool *p)
{
	unsigned int i;

	for (i = 0; i < sim->nr_dead; i++)
		sim_expect(sim->dead[i].p != p || sim->dead[i].reported,
			   "a death is never reported");
	sim_expect(p->losses_said == p->losses,
		   "%u lost promises, but %u are said", p->losses, p->losses_said);
}
