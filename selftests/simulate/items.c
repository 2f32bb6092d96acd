// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of items.  Each checks that the model expects its run, does the
 * operations that the program gives it, and returns an error or 0.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/sched.h>

#include "simulate.h"

static struct sim_item *sim_item_of(struct kpool_item *item)
{
	return container_of(item, struct sim_item, job.item);
}

/* Return the error of an item that fails, which can be any number but 0. */
int sim_error(const struct sim_op *op)
{
	return op->ticks % 2 ? 1 : -EIO;
}

/*
 * Do the item's operations in a range, and return the error that one of them
 * asks for, or 0.  Stop once the item has handed itself on.
 */
static int sim_do_body(struct sim_item *it, int from, int to, bool *handed)
{
	int at = SIM_CLIENTS * SIM_CLIENT_OPS + it->nr * SIM_BODY_OPS + from, i;
	const struct sim_op *op = &sim->program.op[at];
	int err = 0;

	for (i = from; i < to && !*handed; i++, op++) {
		if (!sim_op_enabled(op))
			continue;
		if (sim_ops[op->kind].run)
			*handed = sim_do(op, it);
		else
			err = sim_error(op);
	}
	return err;
}

/* Note that a job's groups have its error, or can have it if not @certain. */
void sim_group_fails(const struct sim_item *it, int err, bool certain)
{
	const struct sim_item_spec *spec = &sim->program.item[it->nr];
	int group;

	if (!spec->job || !err)
		return;
	for (group = spec->group; group >= 0; group--) {
		set_bit(abs(err), sim->group_errors[group]);
		sim->group_failures[group] += certain;
		if (!sim->program.nested_groups)
			break;
	}
}

/*
 * Return true if an item accepted in step it->drop_of can be dropped with @err.
 */
static bool sim_may_be_dropped(const struct sim_item *it, int err)
{
	const struct sim_item_spec *spec = &sim->program.item[it->nr];
	const struct sim_pool *p = it->at;

	switch (err) {
	case -ECANCELED:
		return p->was_aborted >= it->drop_of ||
		       (spec->job && spec->group >= 0 &&
			sim_group_is_cancelled(spec->group));
	case -ESHUTDOWN:
		return spec->job && p->was_closed >= it->drop_of;
	case -ETIME:
		return it->job.deadline && ktime_after(ktime_get(), it->job.deadline);
	case -EAGAIN:
		return p->was_evicting >= it->drop_of;
	default:
		return false;
	}
}

static int sim_run_body(struct sim_item *it, int from, int to, bool *handed)
{
	int err;

	it->run = SIM_INSIDE;
	it->runner = current;
	sim_point();
	*handed = false;
	err = sim_do_body(it, from, to, handed);
	sim_point();
	if (*handed)
		return err;
	it->runner = NULL;
	it->run = SIM_RETURNED;
	return err;
}

/* Check what kpool tells the function about where it runs. */
static void sim_judge_place(const struct sim_item *it)
{
	bool is_client = !strcmp(sim_current()->name, "client");

	/* a worker that runs it as its submitter has a pool of its own */
	if (is_client || !sim_current()->call)
		sim_expect(kpool_current() == (is_client ? NULL : it->at->pool),
			   "item %d gets an error for running elsewhere", it->nr);
	sim_expect(kpool_worker_data() ==
		   (!is_client && sim->program.has_init ? current : NULL),
		   "item %d is given another worker's data", it->nr);
	sim_expect(!kpool_call_abandoned(), "item %d is taken for a call", it->nr);
}

static int sim_run_it(struct sim_item *it)
{
	bool ordered = sim_is_ordered(it);
	struct sim_pool *p = it->at;
	bool handed;
	int err;

	sim_trace("item %d runs\n", it->nr);
	sim_expect(!sim_is_orphan(p), "item %d runs in a pool that has gone",
		   it->nr);
	sim_judge_place(it);
	p->caller_runs += !!sim_current()->call;
	sim_expect(it->run != SIM_INSIDE, "item %d runs twice at once", it->nr);
	sim_expect(it->run == SIM_BEGUN && !it->completes,
		   "item %d runs, but was not to", it->nr);
	err = sim_run_body(it, 0, ordered ? SIM_BODY_OPS / 2 : SIM_BODY_OPS, &handed);
	p->runs += !ordered;
	p->failures += err && !ordered;
	p->errors += !!err;
	if (handed)
		return err;
	sim_group_fails(it, err, true);
	it->returned = err;
	it->err = err;
	it->result = err;
	it->to_complete = ordered;
	it->counted_run = !ordered;
	it->counted_failure = err && !ordered;
	return err;
}

/* Check that the called function is that of the item. */
static void sim_judge_fn(const struct sim_item *it, u8 part, unsigned int module)
{
	unsigned int own = sim->program.item[it->nr].module;

	if (!sim_is_part_of(it, own, part))
		own = 0;
	sim_expect(own == module, "another function of item %d is called",
		   it->nr);
}

int sim_run_item(struct kpool_item *item, unsigned int module)
{
	struct sim_item *it = sim_item_of(item);
	unsigned int m = sim_module_run_in(it, SIM_OWN_FN);
	int err;

	sim_judge_fn(it, SIM_OWN_FN, module);
	sim_module_enter(m);
	err = sim_run_it(it);
	sim_module_leave(m);
	return err;
}

/* Run the second half of an ordered job, never during that of another. */
static int sim_complete_it(struct sim_item *it)
{
	struct sim_pool *p = it->at;
	bool handed;
	int err, i;

	sim_trace("item %d is completed\n", it->nr);
	sim_expect(it->run == SIM_BEGUN && it->completes && it->to_complete,
		   "item %d is completed, but was not to", it->nr);
	for (i = 0; i < SIM_ITEMS; i++)
		sim_expect(!sim->item[i].completes ||
			   sim->item[i].run != SIM_INSIDE,
			   "items %d and %d are completed at once", it->nr, i);
	sim_expect(kpool_job_result(&it->job) == it->returned,
		   "item %d has returned %d, but its result is %d", it->nr,
		   it->returned, kpool_job_result(&it->job));
	it->to_complete = false;
	err = sim_run_body(it, SIM_BODY_OPS / 2, SIM_BODY_OPS, &handed);
	p->runs++;
	it->counted_run = true;
	it->counted_failure = err || it->returned;
	p->failures += it->counted_failure;
	it->err = err;
	p->errors += !!err;
	sim_group_fails(it, err, true);
	return err;
}

int sim_complete_item(struct kpool_item *item, unsigned int module)
{
	struct sim_item *it = sim_item_of(item);
	unsigned int m = sim_module_run_in(it, SIM_OWN_COMPLETE);
	int err;

	sim_judge_fn(it, SIM_OWN_COMPLETE, module);
	sim_module_enter(m);
	err = sim_complete_it(it);
	sim_module_leave(m);
	return err;
}

static void sim_drop_it(struct sim_item *it, int err)
{
	const struct sim_item_spec *spec = &sim->program.item[it->nr];
	struct sim_pool *p = it->at;
	bool with_group;

	sim_trace("item %d is dropped\n", it->nr);
	sim_expect(!sim_is_orphan(p), "item %d is dropped by a pool that has gone",
		   it->nr);
	sim_expect(it->drops_begun, "item %d is dropped, but was not to",
		   it->nr);
	it->drops_begun--;
	it->drops_inside++;
	p->dropped_late += err == -ETIME;
	p->displaced += err == -EAGAIN;
	sim_expect(sim_may_be_dropped(it, err),
		   "item %d is dropped with %d for no reason", it->nr, err);
	/* dropped with its group, it has not failed; abort can drop it, too */
	with_group = err == -ECANCELED && spec->group >= 0 &&
		     sim_group_is_cancelled(spec->group);
	it->result = err;
	if (!with_group || p->was_aborted >= it->accepted_in)
		sim_group_fails(it, err, !with_group);
	sim_point();
	if (sim->program.item[it->nr].drop_sleeps)
		schedule_timeout_idle(1);
	sim_point();
	p->drops++;
	it->drops_inside--;
	if (sim_is_to_die(SIM_DEADLY_DROPPED))
		sim_die_in_drop(it);
}

void sim_drop_item(struct kpool_item *item, int err, unsigned int module)
{
	struct sim_item *it = sim_item_of(item);
	unsigned int m = sim_module_run_in(it, SIM_OWN_DROPPED);

	sim_judge_fn(it, SIM_OWN_DROPPED, module);
	sim_module_enter(m);
	sim_drop_it(it, err);
	sim_module_leave(m);
}

/* Functions that are submitted or called */

/* Check that kpool_call_abandoned() is true only once the caller gave up. */
static void sim_judge_abandoned(const struct sim_ticket *ticket)
{
	if (kpool_call_abandoned())
		sim_expect(ticket->timed && time_after_eq(jiffies, ticket->until),
			   "function %d seems abandoned while its caller waits",
			   ticket->nr);
	else
		sim_expect(!ticket->timed_out,
			   "function %d does not seem abandoned",
			   ticket->nr);
}

static int sim_run_its_function(struct sim_ticket *ticket)
{
	sim_trace("function %d runs\n", ticket->nr);
	sim_expect(!ticket->forbidden,
		   "function %d runs, but its module was removed", ticket->nr);
	sim_expect(!sim_is_orphan(&sim->pool[ticket->pool]),
		   "function %d runs in a pool that has gone", ticket->nr);
	sim_expect(!ticket->ran, "function %d runs again", ticket->nr);
	sim_expect(!ticket->released, "function %d runs after its end",
		   ticket->nr);
	ticket->ran++;
	sim->pool[ticket->pool].caller_runs += !!sim_current()->call;
	ticket->began_in = sim->step;
	ticket->inside = true;
	sim_point();
	sim_judge_abandoned(ticket);
	if (ticket->ticks)
		schedule_timeout_idle(ticket->ticks);
	sim_point();
	sim_judge_abandoned(ticket);
	if (ticket->dies && (!sim_current()->call || sim_is_to_die(SIM_DEADLY_CALLER)))
		sim_die_in_function(ticket);
	sim_current()->returned = ticket;
	ticket->inside = false;
	ticket->ended++;
	sim->pool[ticket->pool].runs++;
	sim->pool[ticket->pool].failures += !!ticket->result;
	sim->pool[ticket->pool].errors += !!ticket->result;
	return ticket->result;
}

int sim_run_ticket(void *arg, unsigned int module)
{
	struct sim_ticket *ticket = arg;
	int err;

	sim_module_enter(module);
	err = sim_run_its_function(ticket);
	sim_module_leave(module);
	return err;
}

void sim_release_ticket(void *arg, unsigned int module)
{
	const struct sim_call *call = sim_current()->call;
	struct sim_ticket *ticket = arg;

	sim_module_enter(module);
	sim_module_leave(module);
	sim_expect(!ticket->released, "argument %d is given back twice",
		   ticket->nr);
	sim_expect(!ticket->inside, "argument %d is given back in use",
		   ticket->nr);
	ticket->released++;
	/* the pool would still count a caller that has died */
	if ((!call || call->ticket != ticket) && sim_is_to_die(SIM_DEADLY_RELEASE))
		sim_die_in_release(ticket);
}

/* Callbacks of the pool, whose data is its struct sim_pool */

static void sim_judge_callback(const struct sim_pool *p)
{
	sim_expect(!sim_is_orphan(p), "a callback of a pool that has gone");
}

void *sim_worker_init(void *data)
{
	struct sim_pool *p = data;

	sim_point();
	sim_judge_callback(p);
	if (sim_is_to_die(SIM_DEADLY_INIT))
		sim_die_in_init();
	if (sim_percent(sim->program.init_fails)) {
		sim_thread_failed();
		return ERR_PTR(-ENOMEM);
	}
	p->inits++;
	return current;
}

void sim_worker_exit(void *data, void *worker_data)
{
	struct sim_pool *p = data;

	sim_point();
	sim_judge_callback(p);
	sim_expect(worker_data == current, "a worker ends with another's data");
	if (sim_is_to_die(SIM_DEADLY_EXIT))
		sim_die_in_exit(p);
	p->exits++;
}

/*
 * Check the report of an error, made in the thread that ran the item, and with
 * its worker's data.
 */
static void sim_judge_fault(const struct sim_item *it, const struct kpool_fault *fault)
{
	sim_expect(fault->err, "a fault without an error");
	sim_expect(fault->data == (sim->program.has_init ? current : NULL),
		   "a fault with another worker's data");
	/* an item handed over can have another error by now */
	if (!it || sim->program.two_pools)
		return;
	sim_expect(it->run != SIM_DEAD,
		   "item %d is reported as one whose thread lives", it->nr);
	sim_expect(fault->err == it->err, "the error of item %d is %d, not %d",
		   it->nr, it->err, fault->err);
	sim_expect(fault->fn == sim_run_fn(it, it->completes),
		   "item %d is reported with another function", it->nr);
}

void sim_fault(void *data, const struct kpool_fault *fault)
{
	struct sim_item *it = NULL;
	struct sim_pool *p = data;
	int i;

	sim_point();
	sim_judge_callback(p);
	for (i = 0; i < SIM_ITEMS; i++)
		if (fault->item == &sim->item[i].job.item)
			it = &sim->item[i];
	if (fault->died) {
		sim_judge_report(p, fault);
	} else {
		p->faults++;
		sim_judge_fault(it, fault);
	}
	if (sim_is_to_die(SIM_DEADLY_HANDLER))
		sim_die_in_handler(p, fault, it);
}

/* Judge a call of room: it is for all that were refused before it. */
void sim_room(void *data)
{
	struct sim_pool *p = data;

	sim_trace("pool %d has room\n", p->nr);
	sim_judge_callback(p);
	p->rooms++;
	p->owed = false;
	memset(p->refused_units, 0, sizeof(p->refused_units));
	sim_expect(p->rooms <= p->view.stats.refused,
		   "pool %d has room for no item", p->nr);
	sim_point();
	if (sim_is_to_die(SIM_DEADLY_ROOM))
		sim_die_in_room(p);
}
