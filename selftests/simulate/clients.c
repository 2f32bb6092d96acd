// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clients: each runs its operations one after the other, and checks that
 * the contract permits each result.  Where a result depends on what other
 * threads did during the call, the model has recorded the last step at which a
 * condition held.  A result is permitted if its reason held at some time during
 * the call.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "simulate.h"

/* for all items of a world together */
#define SIM_MAX_BODY_OPS	50

bool sim_op_enabled(const struct sim_op *op)
{
	return op->kind && (sim->mask & BIT_ULL(op - sim->program.op));
}

/* Calls */

static void sim_call_begin(struct sim_call *call)
{
	int i;

	call->begin = sim->step;
	call->since = jiffies;
	call->awaited = UINT_MAX;
	for (i = 0; i < SIM_ITEMS; i++)
		call->gen[i] = sim->item[i].gen;
}

static unsigned long sim_elapsed(const struct sim_call *call)
{
	return jiffies - call->since;
}

/*
 * Check that a time-out is neither early nor late: code takes no time here.
 * Each of @sleeps can add two ticks: the one in progress, and the timer
 * wheel's.
 */
static void sim_judge_timeout(const struct sim_call *call, int sleeps)
{
	unsigned long ticks = call->op->ticks;
	unsigned long elapsed = sim_elapsed(call);

	sim_expect(elapsed >= ticks, "%s: out of time after %lu of %lu ticks",
		   sim_ops[call->op->kind].name, elapsed, ticks);
	sim_expect(elapsed <= ticks + 2 * sleeps,
		   "%s: out of time only after %lu of %lu ticks",
		   sim_ops[call->op->kind].name, elapsed, ticks);
}

/* Check an -EDEADLK: only an item can wait for itself in its pool. */
static void sim_judge_deadlock(const struct sim_call *call)
{
	const char *name = sim_ops[call->op->kind].name;

	sim_expect(call->inside, "%s: -EDEADLK outside of an item", name);
	sim_expect(sim_during(call, call->p->was_hung) || call->cycle,
		   "%s: -EDEADLK, but others could go on", name);
}

static bool sim_was_asked(const struct sim_call *call)
{
	const struct sim_item *it = call->item;
	int group = sim->program.item[it->nr].group;

	if (it->maybe_disabled || sim_during(call, it->was_disabled) ||
	    it->maybe_cancelled || sim_during(call, it->was_cancelled))
		return true;
	return group >= 0 && sim->program.item[it->nr].job &&
	       sim_during(call, sim->group_cancelled[group]);
}

static bool sim_is_misfit(const struct sim_call *call)
{
	const struct sim_item_spec *spec = &sim->program.item[call->item->nr];

	if (spec->weight > call->p->min_capacity)
		return true;
	return spec->job && (spec->group >= 0 || spec->stream) && call->p->nr;
}

static bool sim_submits_itself(const struct sim_call *call)
{
	return call->inside && call->inside == call->item && !call->hands_over;
}

/*
 * Return true if a submit can have found the pool full.  A heavy item, or one
 * behind its stream, needs more than a free unit.
 */
static bool sim_was_full(const struct sim_call *call)
{
	const struct sim_item_spec *spec = &sim->program.item[call->item->nr];

	return sim_during(call, call->p->was_full) ||
	       ((spec->weight > 1 ||
		 (spec->job && spec->stream == SIM_PLAIN_STREAM)) &&
		sim_during(call, call->p->was_used));
}

/* Check the reason for which a submit of an item was refused. */
static void sim_judge_refusal(struct sim_call *call, int err)
{
	const char *name = sim_ops[call->op->kind].name;
	const struct sim_item *it = call->item;
	bool why;

	switch (err) {
	case -EAGAIN:
		why = sim_was_full(call) && !sim_submits_itself(call);
		break;
	case -ESHUTDOWN:
		why = sim_during(call, call->p->was_closed) ||
		      sim_may_be_going(call, sim_module_of(it));
		break;
	case -EALREADY:
		why = sim_during(call, it->was_taken);
		break;
	case -ECANCELED:
		why = sim_was_asked(call);
		break;
	case -EBUSY:
		why = sim_during(call, it->was_running_in[!call->p->nr]);
		break;
	case -EINVAL:
		why = sim_is_misfit(call);
		break;
	default:
		why = false;
	}
	sim_expect(why, "%s of item %d: %d for no reason", name, it->nr, err);
	/* on any other error the item is not pending */
	sim_expect(err == -EALREADY || sim_during(call, it->was_free),
		   "%s of item %d: %d, but it is pending", name, it->nr, err);
}

static void sim_judge_submit(struct sim_call *call, int err)
{
	struct sim_item *it = call->item;

	if (err == -EDEADLK) {
		sim_judge_deadlock(call);
		sim_expect(!sim_submits_itself(call),
			   "item %d waits for room for itself", it->nr);
		return;
	}
	if (err) {
		call->p->refusals += err == -EAGAIN;
		sim_judge_refusal(call, err);
		return;
	}
	it->accepted++;
	sim_expect(it->gen > call->gen[it->nr],
		   "item %d: submitted, but not accepted", it->nr);
	sim_expect(sim_during(call, call->p->was_open),
		   "item %d is accepted by a closed pool", it->nr);
	sim_expect(!sim_is_misfit(call) ||
		   sim->program.item[it->nr].weight > 1,
		   "item %d is accepted by the wrong pool", it->nr);
}

/* Submits */

static struct kpool_item *sim_submit_of(struct sim_call *call, bool waits)
{
	call->submits = true;
	call->waits = waits;
	sim_note_cycles();
	return &call->item->job.item;
}

static void sim_op_submit(struct sim_call *call)
{
	struct kpool_item *item = sim_submit_of(call, true);
	int err = kpool_submit(call->p->pool, item);

	sim_judge_submit(call, err);
	if (err == -EAGAIN)
		sim_expect(sim_during(call, call->p->was_refusing),
			   "submit of item %d: refused instead of waiting",
			   call->item->nr);
}

static void sim_op_killable(struct sim_call *call)
{
	struct kpool_item *item = sim_submit_of(call, true);

	sim_judge_submit(call, kpool_submit_killable(call->p->pool, item));
}

static void sim_op_try(struct sim_call *call)
{
	struct kpool_item *item = sim_submit_of(call, false);

	sim_judge_submit(call, kpool_try_submit(call->p->pool, item));
	sim_expect(!sim_elapsed(call), "a try sleeps");
}

/*
 * Return true if the item could have had to wait.  A stream stays busy until
 * its jobs, those to be dropped included, have ended.
 */
static bool sim_could_wait(const struct sim_call *call)
{
	const struct sim_item_spec *spec = &sim->program.item[call->item->nr];

	return sim_during(call, call->p->was_used) ||
	       sim_during(call, call->p->was_exiting) ||
	       sim_during(call, call->p->was_paused) ||
	       sim_during(call, call->item->was_running) ||
	       (spec->job && spec->stream == SIM_PLAIN_STREAM &&
		sim_during(call, call->p->was_busy));
}

/*
 * Check that an item is accepted only if it can start, and refused only if it
 * would wait.
 */
static void sim_op_now(struct sim_call *call)
{
	struct kpool_item *item = sim_submit_of(call, false);
	int err;

	call->now = true;
	err = kpool_submit_now(call->p->pool, item);
	sim_expect(!sim_elapsed(call), "a submit that is to start now sleeps");
	if (err == -EAGAIN) {
		call->p->refusals++;
		sim_expect(sim_could_wait(call),
			   "item %d could start, but is refused", call->item->nr);
		return;
	}
	sim_judge_submit(call, err);
	sim_expect(err || sim_during(call, call->item->was_prompt),
		   "item %d is accepted, but cannot start", call->item->nr);
}

static void sim_op_timeout(struct sim_call *call)
{
	struct kpool_item *item = sim_submit_of(call, false);
	int err;

	err = kpool_submit_timeout(call->p->pool, item, call->op->ticks);
	if (err == -ETIMEDOUT && call->op->ticks)
		sim_judge_timeout(call, 1);
	else
		sim_judge_submit(call, err);
}

static void sim_op_delayed(struct sim_call *call)
{
	struct kpool_job *job = kpool_job_of(sim_submit_of(call, false));
	int err = kpool_submit_delayed(call->p->pool, job, call->op->ticks);

	sim_judge_submit(call, err);
	sim_expect(err != -EAGAIN && err != -EDEADLK && !sim_elapsed(call),
		   "a delayed submit sleeps or wants room: %d", err);
}

static void sim_op_modify(struct sim_call *call)
{
	struct sim_item *it = call->item;
	bool delayed, going;

	call->modifies = true;
	going = sim_must_refuse(call->p, sim_module_of(it));
	delayed = kpool_modify_delay(&it->job, call->op->ticks);
	sim_expect(!delayed || !going,
		   "the time of item %d is changed, but its module is removed",
		   it->nr);
	sim_expect(!delayed || sim_during(call, it->was_delayed),
		   "item %d was not delayed", it->nr);
}

/*
 * Submit the running item to the other pool, as its function's last use of it.
 */
static void sim_hand_over(struct sim_call *call)
{
	struct sim_item *it = call->item;
	struct sim_pool *from = it->at;
	int err;

	call->p = &sim->pool[!from->nr];
	call->submits = true;
	call->hands_over = true;
	it->handing = call;
	err = kpool_submit_timeout(call->p->pool, &it->job.item, call->op->ticks);
	if (call->handed) {
		/* another thread can have submitted it after its run */
		it->accepted += !err;
		return;
	}
	it->handing = NULL;
	it->at = from;
	sim_expect(!err || sim_runs_in(it, from->pool),
		   "item %d, which was refused, is not returned", it->nr);
	if (err == -ETIMEDOUT && call->op->ticks)
		sim_judge_timeout(call, 1);
	else
		sim_judge_submit(call, err);
}

static bool sim_may_move(const struct sim_item *it)
{
	const struct sim_item_spec *spec = &sim->program.item[it->nr];

	return sim->program.two_pools && !sim->pool[!it->at->nr].destroyed &&
	       !(spec->job && (spec->group >= 0 || spec->stream));
}

/* Let an item submit itself, or hand itself over, a limited number of times. */
static void sim_op_itself(struct sim_call *call)
{
	if (!call->inside)
		return;
	call->item = call->inside;
	if (call->item->again >= sim->program.item[call->item->nr].again ||
	    sim_is_out_of_reach(call))
		return;
	call->item->again++;
	if (call->op->group && sim_may_move(call->item))
		sim_hand_over(call);
	else
		sim_op_submit(call);
}

/* Functions */

static struct sim_ticket *sim_ticket_new(struct sim_call *call)
{
	struct sim_ticket *ticket;

	call->calls = true;
	if (sim->nr_tickets == SIM_TICKETS)
		return NULL;
	ticket = &sim->ticket[sim->nr_tickets];
	ticket->nr = sim->nr_tickets++;
	ticket->pool = call->p->nr;
	ticket->ticks = call->op->ticks > 2 ? 0 : call->op->ticks;
	ticket->result = call->op->item ? 0 : sim_error(call->op);
	ticket->dies = sim->program.may_die && (call->op->item == 1 ||
			(sim->program.is_deadly && call->op->item % 3 == 1));
	ticket->since = jiffies;
	ticket->module = sim_module_for(call);
	ticket->forbidden = ticket->module &&
			    sim_must_refuse(call->p,
					    &sim->module[ticket->module - 1]);
	call->ticket = ticket;
	return ticket;
}

static void sim_judge_ticket(struct sim_call *call, struct sim_ticket *ticket,
			     int err)
{
	struct sim_pool *p = call->p;

	ticket->accepted = !err;
	switch (err) {
	case 0:
		sim_expect(sim_during(call, p->was_open),
			   "a function is accepted by a closed pool");
		sim_expect(!ticket->forbidden,
			   "a function is accepted whose module is removed");
		return;
	case -EAGAIN:
		p->refusals++;
		sim_expect(sim_during(call, p->was_full),
			   "a function is refused, but there is room");
		break;
	case -ESHUTDOWN:
		sim_expect(sim_during(call, p->was_closed) ||
			   (ticket->module &&
			    sim_may_be_going(call, &sim->module[ticket->module - 1])),
			   "a function is refused by an open pool");
		break;
	case -EDEADLK:
		sim_judge_deadlock(call);
		break;
	case -ENOMEM:
		sim_expect(sim->program.memory_fails, "there is memory");
		break;
	default:
		sim_fail("a function is refused with %d", err);
	}
	sim_expect(!ticket->ran, "function %d was refused and runs",
		   ticket->nr);
}

static void sim_op_fn(struct sim_call *call)
{
	struct sim_ticket *ticket = sim_ticket_new(call);

	if (!ticket)
		return;
	call->waits = true;
	sim_note_cycles();
	sim_judge_ticket(call, ticket,
			 kpool_submit_fn(call->p->pool,
					 sim_functions[ticket->module].ticket,
					 ticket, GFP_KERNEL));
}

static void sim_op_submit_arg(struct sim_call *call)
{
	struct sim_ticket *ticket = sim_ticket_new(call);

	if (ticket)
		sim_judge_ticket(call, ticket,
				 kpool_submit_arg(call->p->pool, ticket,
						  GFP_ATOMIC));
}

/* Submit more functions than can bypass an item of lower priority. */
static void sim_op_burst(struct sim_call *call)
{
	struct sim_ticket *ticket;
	int i;

	for (i = 0; i < 20; i++) {
		sim_call_begin(call);
		ticket = sim_ticket_new(call);
		if (!ticket)
			return;
		ticket->ticks = 0;
		sim_judge_ticket(call, ticket,
				 kpool_submit_arg(call->p->pool, ticket,
						  GFP_ATOMIC));
	}
}

static void sim_judge_call(struct sim_call *call, struct sim_ticket *ticket,
			   int err, int result)
{
	ticket->accepted = false;
	ticket->timed_out = err == -ETIMEDOUT;
	if (!err) {
		sim_expect(ticket->ended == 1, "a call returns before its function");
		sim_expect(result == ticket->result, "a call's result is %d",
			   result);
		ticket->accepted = true;
	} else if (err == -ECANCELED || err == -EAGAIN) {
		/* dropped by abort or with its module, evicted or refused */
		call->p->maybe_refusals += err == -EAGAIN;
		ticket->maybe = true;
		sim_expect(!ticket->ran, "a call that was dropped has run");
		sim_expect(err == -EAGAIN || sim_during(call, call->p->was_closed) ||
			   (ticket->module && sim->module[ticket->module - 1].leaves),
			   "a call is dropped by an open pool");
	} else if (err == -ETIMEDOUT) {
		sim_judge_timeout(call, 2);
		ticket->maybe = true;
	} else if (err == -EDEADLK) {
		ticket->maybe = true;
		sim_judge_deadlock(call);
		sim_expect(!ticket->ran, "a call that was refused has run");
	} else if (err == -EIO) {
		ticket->accepted = true;
		sim_expect(ticket->died, "a call is lost, but no thread died");
	} else {
		sim_judge_ticket(call, ticket, err);
	}
}

static void sim_op_call(struct sim_call *call)
{
	struct sim_ticket *ticket = sim_ticket_new(call);
	int err, result = 0;

	if (!ticket)
		return;
	call->waits = true;
	sim_note_cycles();
	err = kpool_call(call->p->pool, sim_functions[ticket->module].ticket,
			 ticket, &result);
	sim_judge_call(call, ticket, err, result);
}

static void sim_op_call_timeout(struct sim_call *call)
{
	struct sim_ticket *ticket = sim_ticket_new(call);
	int err, result = 0;

	if (!ticket)
		return;
	ticket->timed = true;
	ticket->until = jiffies + call->op->ticks;
	err = kpool_call_timeout(call->p->pool,
				 sim_functions[ticket->module].ticket, ticket,
				 sim_functions[ticket->module].release,
				 call->op->ticks, &result);
	sim_judge_call(call, ticket, err, result);
}

/* Operations on an item */

static void sim_op_cancel(struct sim_call *call)
{
	struct sim_item *it = call->item;
	bool taken;

	it->maybe_cancelled++;
	taken = kpool_cancel(&it->job.item);
	it->maybe_cancelled--;
	it->was_cancelled = sim->step;
	sim_expect(taken == call->took, "cancel of item %d says %d", it->nr,
		   taken);
}

/* Check that no submission from before the call is left. */
static void sim_judge_wait(struct sim_call *call, int err, bool cancels)
{
	struct sim_item *it = call->item;
	bool lost = sim_is_lost(call, err);

	if (err == -EDEADLK) {
		if (!call->inside || call->inside != it)
			sim_judge_deadlock(call);
		return;
	}
	sim_expect(lost || err == (cancels ? call->took : 0),
		   "%s of item %d says %d", sim_ops[call->op->kind].name,
		   it->nr, err);
	sim_expect(sim_has_ended(it, call->gen[it->nr]),
		   "%s of item %d returns before its end",
		   sim_ops[call->op->kind].name, it->nr);
}

static void sim_op_cancel_sync(struct sim_call *call)
{
	struct sim_item *it = call->item;
	int err;

	call->waits = true;
	call->target = it;
	call->awaits = SIM_AWAITS_ITEM;
	it->maybe_disabled++;
	sim_note_cycles();
	err = kpool_cancel_sync(&it->job.item);
	it->maybe_disabled--;
	it->was_disabled = sim->step;
	sim_judge_wait(call, err, true);
}

static void sim_op_flush_item(struct sim_call *call)
{
	call->waits = true;
	call->target = call->item;
	call->awaits = SIM_AWAITS_ITEM;
	sim_note_cycles();
	sim_judge_wait(call, kpool_flush_item(&call->item->job.item), false);
}

/* Disable the item, wait, and enable it. */
static void sim_do_disable(struct sim_call *call, bool waits)
{
	struct sim_item *it = call->item;
	int err;

	call->waits = waits;
	call->target = waits ? it : NULL;
	call->awaits = waits ? SIM_AWAITS_ITEM : SIM_AWAITS_NOTHING;
	it->maybe_disabled++;
	sim_note_cycles();
	err = waits ? kpool_disable_sync(&it->job.item) :
		      kpool_disable(&it->job.item);
	if (waits)
		sim_judge_wait(call, err, true);
	else
		sim_expect(err == call->took, "disable of item %d says %d",
			   it->nr, err);
	call->waits = false;
	call->target = NULL;
	call->awaits = SIM_AWAITS_NOTHING;
	it->disabled++;
	if (call->op->ticks)
		schedule_timeout_idle(call->op->ticks);
	sim_point();
	it->disabled--;
	err = kpool_enable(&it->job.item);
	sim_expect(err == 0 || err == 1, "enable of item %d says %d", it->nr,
		   err);
	it->maybe_disabled--;
	it->was_disabled = sim->step;
}

static void sim_op_disable(struct sim_call *call)
{
	sim_do_disable(call, false);
}

static void sim_op_disable_sync(struct sim_call *call)
{
	sim_do_disable(call, true);
}

static void sim_op_is_pending(struct sim_call *call)
{
	struct sim_item *it = call->item;

	if (kpool_is_pending(&it->job.item))
		sim_expect(sim_during(call, it->was_accepted),
			   "item %d was not pending", it->nr);
	else
		sim_expect(sim_during(call, it->was_idle),
			   "item %d was pending", it->nr);
}

/* Groups */

static struct kpool_group *sim_group(struct sim_call *call)
{
	return &sim->group[call->op->group];
}

/* Return true if the call, or one around it, is made in a job of the group. */
static bool sim_is_inside(const struct sim_call *call, int group)
{
	for (; call; call = call->outer)
		if (call->inside && sim_is_member(call->inside, group))
			return true;
	return false;
}

static void sim_op_group_wait(struct sim_call *call)
{
	unsigned long ticks = call->op->ticks;
	bool lost;
	int err;

	call->waits = ticks > 3;
	call->awaits = SIM_AWAITS_GROUP;
	sim_note_cycles();
	err = kpool_group_wait(sim_group(call), call->waits ?
			       MAX_SCHEDULE_TIMEOUT : ticks);
	lost = sim_is_lost(call, err);
	if (err == -ETIMEDOUT && !sim_is_inside(call, call->op->group))
		sim_judge_timeout(call, 1);
	else if (err == -EDEADLK)
		sim_expect(call->inside, "a group's end waits for itself");
	else if (sim_is_inside(call, call->op->group))
		sim_fail("a job that waits for its own group gets %d", err);
	else if (!lost)
		sim_expect(!err && sim_during(call,
					      sim->group_idle[call->op->group]),
			   "group %d has not ended: %d", call->op->group, err);
}

/* Check that the collected job ended first, and has its own result. */
static void sim_collected(const struct sim_call *call, struct sim_item *it,
			  const struct kpool_group *group)
{
	int i;

	it->collected++;
	sim_expect(it->job.group == group, "a job of another group");
	/* the item can have been submitted again since */
	if (sim_during(call, it->accepted_in))
		return;
	sim_expect(kpool_job_result(&it->job) == it->result || sim_is_ordered(it),
		   "item %d is collected with %d, but had %d", it->nr,
		   kpool_job_result(&it->job), it->result);
	for (i = 0; i < SIM_ITEMS; i++)
		sim_expect(!sim->item[i].kept || sim->item[i].job.group != group ||
			   sim->item[i].kept_in >= it->kept_in,
			   "item %d is collected before item %d, which ended before",
			   it->nr, i);
}

static void sim_op_group_next(struct sim_call *call)
{
	struct kpool_group *group = sim_group(call);
	bool collects = sim->program.group_flags[call->op->group] &
			KPOOL_GROUP_COLLECT;
	struct kpool_job *job;

	job = kpool_group_next(group, call->op->ticks);
	if (IS_ERR(job)) {
		if (PTR_ERR(job) == -ETIMEDOUT)
			sim_judge_timeout(call, 1);
		else
			sim_expect(PTR_ERR(job) == (collects ? -EDEADLK : -EINVAL),
				   "group next says %pe", job);
	} else if (job) {
		sim_collected(call, container_of(job, struct sim_item, job), group);
	} else {
		sim_expect(sim_during(call, sim->group_idle[call->op->group]),
			   "group %d has not ended", call->op->group);
	}
}

static void sim_op_group_cancel(struct sim_call *call)
{
	kpool_group_cancel(sim_group(call));
	sim->group_is_cancelled[call->op->group] = true;
}

static void sim_op_group_error(struct sim_call *call)
{
	int group = call->op->group, err = kpool_group_error(sim_group(call));

	sim_expect(!err || test_bit(abs(err), sim->group_errors[group]),
		   "group %d: error %d of no job", group, err);
}

/* Pools */

static void sim_op_flush(struct sim_call *call)
{
	int err, i;

	call->awaits = SIM_AWAITS_FLUSH;
	err = kpool_flush(call->p->pool);
	if (call->inside) {
		sim_expect(err == -EDEADLK, "flush from inside says %d", err);
		return;
	}
	sim_expect(sim_is_lost(call, err) || !err, "flush says %d", err);
	for (i = 0; i < SIM_ITEMS; i++)
		sim_expect(sim->item[i].at != call->p || sim->item[i].handing ||
			   sim_has_ended(&sim->item[i], call->gen[i]),
			   "flush returns before item %d has ended", i);
}

static void sim_op_pause(struct sim_call *call)
{
	int err = kpool_pause(call->p->pool);

	if (err)
		sim_expect(err == -ESHUTDOWN &&
			   sim_during(call, call->p->was_closed),
			   "pause says %d", err);
	else
		sim_expect(sim_during(call, call->p->was_paused),
			   "pause does not pause");
}

static void sim_op_resume(struct sim_call *call)
{
	kpool_resume(call->p->pool);
	sim_expect(sim_during(call, call->p->was_running),
		   "resume does not resume");
}

static void sim_op_shutdown(struct sim_call *call)
{
	kpool_shutdown(call->p->pool);
	sim_expect(sim_during(call, call->p->was_closed),
		   "shutdown does not close");
}

static void sim_op_shutdown_timeout(struct sim_call *call)
{
	bool lost;
	int err;

	call->awaits = SIM_AWAITS_DRAIN;
	err = kpool_shutdown_timeout(call->p->pool, call->op->ticks);
	if (call->inside) {
		sim_expect(err == -EDEADLK,
			   "shutdown from inside says %d", err);
		return;
	}
	lost = sim_is_lost(call, err);
	if (err == -ETIMEDOUT) {
		sim_judge_timeout(call, 1);
		/* the pool must not have drained before the call gave up */
		sim_expect(!call->p->drained || call->p->drained >= call->last,
			   "shutdown says that something is left");
	}
	sim_expect(err == -ETIMEDOUT ||
		   ((!err || lost) && sim_during(call, call->p->was_drained)),
		   "shutdown says %d", err);
}

static void sim_op_abort(struct sim_call *call)
{
	kpool_abort(call->p->pool);
	sim_expect(sim_during(call, call->p->was_closed),
		   "abort does not close");
}

static void sim_op_reopen(struct sim_call *call)
{
	int err = kpool_reopen(call->p->pool);

	switch (err) {
	case 0:
		sim_expect(sim_during(call, call->p->was_open),
			   "reopen does not open");
		break;
	case -EBUSY:
		sim_expect(sim_during(call, call->p->was_busy),
			   "reopen of an idle pool: -EBUSY");
		break;
	case -ESHUTDOWN:
		sim_expect(sim_owner_of(call->p) && sim_owner_of(call->p)->begun,
			   "a pool whose module stays is not reopened");
		break;
	default:
		sim_expect(sim->threads_failed, "reopen says %d", err);
	}
}

static void sim_op_destroy(struct sim_call *call)
{
	int err;

	if (!call->inside)
		return;
	err = kpool_destroy(call->p->pool);
	sim_expect(err == -EDEADLK, "destroy from inside says %d", err);
}

static void sim_op_tune(struct sim_call *call)
{
	const struct sim_op *op = call->op;
	unsigned int *begun = &call->p->tunes_begun[op->tunable];
	unsigned int *ended = &call->p->tunes_ended[op->tunable];
	bool alone = *begun == *ended;
	unsigned int mine = ++*begun;
	int err, value;

	err = kpool_tune(call->p->pool, op->tunable, op->value);
	sim_expect(!err || err == -EINVAL || err == -EPERM, "tune says %d",
		   err);
	value = sim_attr_in_force(call->p->pool, op->tunable);
	/* if no other thread has tuned it since */
	if (!err && alone && *begun == mine)
		sim_expect(value == max(op->value, 0),
			   "tuned to %d, but %d is in force", op->value, value);
	++*ended;
}

static void sim_op_stats(struct sim_call *call)
{
	struct kpool_stats s;

	kpool_get_stats(call->p->pool, &s);
	sim_expect(s.submitted >= s.completed + s.cancelled + s.dropped,
		   "more has ended than was submitted");
}

/* Others */

static void sim_op_sleep(struct sim_call *call)
{
	if (call->op->ticks)
		schedule_timeout_idle(call->op->ticks);
}

/* Kill the thread that runs the item, like an oops: a worker or a submitter. */
static void sim_op_die(struct sim_call *call)
{
	if (!call->inside || !sim->program.may_die)
		return;
	if (!call->outer || sim_is_to_die(SIM_DEADLY_CALLER))
		sim_die_in_item();
}

/* Let a function of a module create a pool, which nothing destroys. */
static void sim_op_create(struct sim_call *call)
{
	if (call->inside)
		sim_leave_pool(call);
}

/* Wake a thread spuriously. */
static void sim_op_poke(struct sim_call *call)
{
	struct sim_item *it = call->item;

	if (it->runner)
		wake_up_process(it->runner);
	else if (sim->poked)
		wake_up_process(sim->poked);
}

#define ROW(_name, _client, _body, ...)					\
	{ .name = #_name, .client = _client, .body = _body,		\
	  .run = sim_op_##_name, ##__VA_ARGS__ }

const struct sim_op_row sim_ops[] = {
	{ .name = "nothing" },
	ROW(submit, 40, 6, .waits = true, .submits = true, .of_item = true),
	ROW(try, 14, 4, .of_item = true),
	ROW(now, 6, 2, .of_item = true),
	ROW(timeout, 12, 0, .submits = true, .of_item = true),
	ROW(killable, 4, 0, .waits = true, .submits = true, .of_item = true),
	ROW(delayed, 10, 2, .needs_job = true, .of_item = true),
	ROW(modify, 4, 0, .needs_job = true, .of_item = true),
	ROW(itself, 0, 14),
	ROW(fn, 8, 3, .waits = true, .passes_fn = true),
	ROW(submit_arg, 4, 1),
	ROW(burst, 1, 0),
	ROW(call, 6, 3, .waits = true, .passes_fn = true, .calls = true),
	ROW(call_timeout, 6, 0, .passes_fn = true, .calls = true),
	ROW(cancel, 10, 2, .of_item = true),
	ROW(cancel_sync, 8, 3, .waits = true, .of_item = true),
	ROW(flush_item, 8, 4, .waits = true, .of_item = true),
	ROW(disable, 3, 0, .of_item = true),
	ROW(disable_sync, 3, 0, .of_item = true),
	ROW(is_pending, 3, 0, .of_item = true),
	ROW(group_wait, 6, 2, .waits = true),
	ROW(group_next, 6, 0),
	ROW(group_cancel, 2, 1),
	ROW(group_error, 1, 0),
	ROW(flush, 6, 1),
	ROW(pause, 4, 1),
	ROW(resume, 8, 2),
	ROW(shutdown, 3, 1),
	ROW(shutdown_timeout, 4, 1),
	ROW(abort, 3, 1, .fragile = true),
	ROW(reopen, 8, 0, .fragile = true),
	ROW(destroy, 0, 1),
	ROW(tune, 12, 2, .fragile = true),
	ROW(stats, 2, 0),
	ROW(sleep, 14, 20),
	ROW(poke, 4, 0),
	ROW(die, 0, 4),
	{ .name = "fail", .body = 14 },
	/* only in programs that remove modules */
	ROW(create, 0, 0),
};

const unsigned int sim_nr_ops = ARRAY_SIZE(sim_ops);

/*
 * Return true if an outer call hands its item to another pool: the thread is in
 * runs of both.
 */
static bool sim_is_in_both_pools(const struct sim_call *call)
{
	for (call = call->outer; call; call = call->outer)
		if (call->hands_over)
			return true;
	return false;
}

/* Return true if the operation can be done here and now. */
static bool sim_op_fits(const struct sim_call *call)
{
	const struct sim_op_row *row = &sim_ops[call->op->kind];

	if (row->needs_job && !sim->program.item[call->op->item].job)
		return false;
	if (sim_is_out_of_reach(call))
		return false;
	if (!call->inside)
		return !sim->ending;
	/* limit chains of items that submit one another */
	if (++sim->nr_body_ops > SIM_MAX_BODY_OPS)
		return false;
	/* waits across pools are not detected */
	return !row->waits || (!call->p->nr && !sim_is_in_both_pools(call));
}

/* Do an operation.  Return true if it has handed its item to another pool. */
bool sim_do(const struct sim_op *op, struct sim_item *inside)
{
	struct sim_thread *thread = sim_current();
	struct sim_call call = {
		.op	= op,
		.inside	= inside,
		.p	= inside ? inside->at : &sim->pool[op->pool],
		.item	= &sim->item[op->item],
		.thread	= thread,
		.outer	= thread->call,
	};

	sim_call_begin(&call);
	if (!sim_op_fits(&call))
		return false;
	sim_trace("%s %d: %s pool %d item %d group %d ticks %d\n", thread->name,
		  thread->nr, sim_ops[op->kind].name, call.p->nr, op->item,
		  op->group, op->ticks);
	thread->call = &call;
	list_add_tail(&call.node, &sim->calls);
	sim_ops[op->kind].run(&call);
	list_del(&call.node);
	thread->call = call.outer;
	sim_trace("%s %d: %s ends\n", thread->name, thread->nr,
		  sim_ops[op->kind].name);
	sim_point();
	return call.handed;
}

int sim_client_main(void *data)
{
	const struct sim_op *op = data;
	int i;

	for (i = 0; i < SIM_CLIENT_OPS; i++, op++)
		if (sim_op_enabled(op))
			sim_do(op, NULL);
	if (!--sim->nr_at_work)
		complete(&sim->done);
	return 0;
}
