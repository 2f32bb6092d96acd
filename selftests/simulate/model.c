// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model: the contract of a pool, as plainly as possible.
 *
 * A step is all that a thread does while holding the pool's lock; the model
 * compares the state before and after it.  For each item it follows the life of
 * a submission: accepted, perhaps delayed, queued, then run, dropped or
 * cancelled.  For each pool it checks whether this could have happened: in this
 * order, with these units, in this state, at this time.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/stdarg.h>

#include "simulate.h"

/* Record a failure, unless there has been one in this run. */
void sim_fail(const char *fmt, ...)
{
	va_list args;

	if (sim->failure[0])
		return;
	va_start(args, fmt);
	vscnprintf(sim->failure, sizeof(sim->failure), fmt, args);
	va_end(args);
	sim_trace("FAILURE: %s\n", sim->failure);
}

static const struct sim_item_spec *sim_spec(const struct sim_item *it)
{
	return &sim->program.item[it->nr];
}

static bool sim_is_accepted(const struct sim_item_view *v)
{
	return v->place >= SIM_DUE;
}

static bool sim_in_queue(const struct sim_item_view *v)
{
	return v->place == SIM_BLOCKED || v->place == SIM_DUE;
}

static bool sim_queued(const struct sim_item_view *v)
{
	return v->place == SIM_QUEUED || v->place == SIM_BACK;
}

/*
 * Return true if the item waits for its stream, or for its earlier run or drop.
 */
static bool sim_must_wait(const struct sim_item_view *v)
{
	return v->follows || v->runs || v->dropping;
}

bool sim_in_stream(const struct sim_item *it)
{
	return sim_spec(it)->job && sim_spec(it)->stream == SIM_PLAIN_STREAM;
}

bool sim_is_ordered(const struct sim_item *it)
{
	return sim_spec(it)->job && sim_spec(it)->stream == SIM_ORDERED_STREAM;
}

/* Return true if the item is a job of the group, or of one within it. */
bool sim_is_member(const struct sim_item *it, int group)
{
	const struct sim_item_spec *spec = sim_spec(it);

	return spec->job && spec->group >= group &&
	       (spec->group == group || sim->program.nested_groups);
}

static bool sim_is_under_way(enum sim_phase phase)
{
	return phase == SIM_BEGUN || phase == SIM_INSIDE;
}

int sim_prio(const struct sim_item *it)
{
	switch (sim_spec(it)->priority) {
	case KPOOL_PRIO_HIGH:
		return 0;
	case KPOOL_PRIO_LOW:
		return 2;
	default:
		return 1;
	}
}

unsigned int sim_units(const struct sim_item *it, const struct sim_view *v)
{
	return clamp_t(unsigned int, sim_spec(it)->weight, 1,
		       v->attrs.capacity);
}

/*
 * Return the free units.  Those of jobs whose turn it is to be completed are
 * not free: these jobs start before queued items.
 */
unsigned int sim_free_units(const struct sim_view *v)
{
	u64 capacity = v->attrs.capacity, used = v->stats.units + v->completable;

	return used < capacity ? capacity - used : 0;
}

/*
 * Return true if something should have happened that has been possible since
 * @since.  Time passes only while all threads sleep.  If a thread could not be
 * created, the pause before the next attempt is 100 ms.  It is twice as long
 * for each attempt that fails, up to 10 s.
 */
static bool sim_is_overdue(unsigned long since)
{
	unsigned long pause = min(msecs_to_jiffies(100) << min(sim->threads_failed, 8u) >> 1,
				  msecs_to_jiffies(10000));

	if (!time_after(jiffies, since + 1))
		return false;
	return !sim->threads_failed ||
	       time_after(jiffies, sim->failed_at + pause + pause / 8 + 2);
}

/*
 * Check that a condition does not last, from step to step, for longer than its
 * end takes.
 */
void sim_judge_span(struct sim_span *span, bool on, const char *what)
{
	if (!on || !span->on)
		span->since = jiffies;
	span->on = on;
	sim_expect(!sim_is_overdue(span->since), "for %lu ticks %s",
		   jiffies - span->since, what);
}

/*
 * Return true if all submissions up to @gen have ended, as far as functions
 * show.
 */
bool sim_has_ended(const struct sim_item *it, unsigned int gen)
{
	const struct sim_item_view *v = it->at ? &it->at->view.item[it->nr] :
						 NULL;

	if (v && v->here && sim_is_accepted(v) && it->gen <= gen)
		return false;
	if ((it->run == SIM_INSIDE || it->run == SIM_DEAD || it->to_complete) &&
	    it->run_gen <= gen)
		return false;
	return !it->drops_inside || it->drop_gen > gen;
}

/* Return the innermost call of the current thread, or NULL. */
static struct sim_call *sim_caller(void)
{
	struct sim_thread *thread = sim_current();

	return thread ? thread->call : NULL;
}

/* Room */

/*
 * Return true if all accepted or blocked items are of one unit and in no
 * stream.
 */
static bool sim_is_simple(const struct sim_view *v)
{
	int i;

	for (i = 0; i < SIM_ITEMS; i++) {
		const struct sim_item_view *item = &v->item[i];

		if (item->here && (sim_is_accepted(item) || sim_in_queue(item)) &&
		    (sim_spec(&sim->item[i])->weight > 1 ||
		     sim_in_stream(&sim->item[i])))
			return false;
	}
	return true;
}

/*
 * Check that a refused submitter is notified once there is room.  Drop
 * functions can delay that.
 */
static void sim_judge_room(struct sim_pool *p, const struct sim_view *v)
{
	const struct sim_call *call = sim_current()->call;
	bool roomy;

	if (v->stats.refused > p->view.stats.refused && !(call && call->now)) {
		p->owed = sim->program.attrs[p->nr].room;
		sim_note_refused(p, call, &p->view);
	}
	/* the owner of an orphaned pool gets no callback */
	if (sim_owner_of(p) && sim_owner_of(p)->begun)
		p->owed = false;
	roomy = p->owed && !v->dropping && !v->nr_drops && !v->rooming &&
		sim_refused_has_room(p, v);
	sim_judge_span(&p->roomy, roomy, "there is room, and nothing says so");
}

/* Submission */

static void sim_accepted(struct sim_pool *p, struct sim_item *it,
			 const struct sim_view *was, const struct sim_view *v)
{
	const struct sim_item_view *old = &was->item[it->nr];
	const struct sim_item_view *now = &v->item[it->nr];
	const struct sim_item_spec *spec = sim_spec(it);

	it->gen++;
	it->accepted_in = sim->step;
	it->accepted_at = jiffies;
	sim_trace("item %d accepted, %s\n", it->nr, sim_place_name(now->place));
	sim_expect(!was->stats.closed || !v->stats.closed,
		   "item %d is accepted by a closed pool", it->nr);
	sim_expect(!it->disabled, "item %d is accepted while disabled", it->nr);
	/* the item of a submitter that slept is accepted, then cancelled */
	sim_expect(old->place == SIM_BLOCKED ||
		   !sim_must_refuse(p, sim_module_of(it)),
		   "item %d is accepted, but its module is removed", it->nr);
	sim_expect(!sim_is_ordered(it) || it->completes ||
		   (!sim_is_under_way(it->run) && !it->to_complete),
		   "item %d is accepted before it is completed", it->nr);
	/* a group is not cancelled after a submission in the same hold */
	sim_expect(!spec->job || spec->group < 0 ||
		   !sim_group_is_cancelled(spec->group),
		   "item %d is accepted by a cancelled group", it->nr);
	/* run by its submitter, or waiting for admission, it needs no room */
	if (old->place == SIM_BLOCKED || now->place != SIM_QUEUED)
		return;
	/* an item behind others can be admitted in one hold with them */
	sim_expect(!was->queue || !v->queue, "item %d overtakes waiters",
		   it->nr);
}

/* Check that the admission queue is left in order of arrival. */
static void sim_leaves_queue(struct sim_pool *p, struct sim_item *it,
			     const struct sim_view *v)
{
	unsigned int i, other;

	for (i = 0; i < p->nr_queue; i++) {
		other = p->queue[i];
		if (other == it->nr)
			return;
		sim_expect(!sim_in_queue(&v->item[other]) ||
			   sim->item[other].queued_in == it->queued_in,
			   "item %d overtakes item %d, which came before",
			   it->nr, other);
	}
}

/* Time */

static void sim_delayed(struct sim_item *it)
{
	const struct sim_call *call = sim_caller();
	unsigned long ticks = call ? call->op->ticks : 0;

	it->due_min = jiffies + ticks;
	it->due_max = jiffies + ticks + ticks / 8 + 2;
}

static void sim_due(struct sim_item *it)
{
	const struct sim_call *call = sim_caller();

	/* its time has been changed to now */
	if (call && call->modifies && call->item == it && !call->op->ticks)
		return;
	sim_expect(time_after_eq(jiffies, it->due_min),
		   "item %d is due %lu ticks early", it->nr,
		   it->due_min - jiffies);
	sim_expect(time_before_eq(jiffies, it->due_max),
		   "item %d is due %lu ticks late", it->nr,
		   jiffies - it->due_max);
}

/* Starts */

/*
 * Return true if the item was queued before and after the step, and could
 * start.
 */
static bool sim_was_first_to(const struct sim_item *it,
			     const struct sim_view *was,
			     const struct sim_view *v)
{
	const struct sim_item_view *old = &was->item[it->nr];
	const struct sim_item_view *now = &v->item[it->nr];

	return old->here && old->place == SIM_QUEUED && now->place == SIM_QUEUED &&
	       !sim_must_wait(now) && !sim_must_wait(old);
}

static void sim_judge_order(struct sim_pool *p, const struct sim_item *it,
			    const struct sim_view *was,
			    const struct sim_view *v)
{
	int i;

	for (i = 0; i < SIM_ITEMS; i++) {
		const struct sim_item *other = &sim->item[i];

		if (other == it || !sim_was_first_to(other, was, v))
			continue;
		if (sim_prio(other) == sim_prio(it))
			sim_expect((int)(other->arrival - it->arrival) >= 0,
				   "item %d starts before item %d, which came before",
				   it->nr, i);
		else if (sim_prio(other) < sim_prio(it))
			sim_expect(p->passed_most >= SIM_PASSED_MIN,
				   "item %d starts before item %d of a higher priority",
				   it->nr, i);
	}
}

/* Completions */

/* Return true if the job has a place in the order of its stream. */
static bool sim_has_turn(const struct sim_item *it,
			 const struct sim_item_view *now)
{
	return sim_is_ordered(it) && now->here &&
	       (sim_queued(now) || now->place == SIM_FINISHED ||
		(now->runs && !now->completes));
}

/*
 * Return true if @a came before @b.  Items that come at once are in no order.
 */
static bool sim_is_earlier(const struct sim_item *a, const struct sim_item *b)
{
	return (int)(a->arrival - b->arrival) < 0;
}

/* Return the job that is to be completed next, for certain, or NULL. */
static struct sim_item *sim_next_completion(const struct sim_view *v)
{
	struct sim_item *first = NULL;
	int i;

	if (v->stats.units >= v->attrs.capacity)
		return NULL;
	for (i = 0; i < SIM_ITEMS; i++) {
		struct sim_item *it = &sim->item[i];

		if (v->item[i].here && v->item[i].completes)
			return NULL;
		if (!sim_has_turn(it, &v->item[i]))
			continue;
		if (!first || sim_is_earlier(it, first))
			first = it;
		else if (!sim_is_earlier(first, it))
			return NULL;
	}
	return first && v->item[first->nr].place == SIM_FINISHED ? first : NULL;
}

/* Check that a completion does not wait: time passes only while all sleep. */
static void sim_judge_completions(struct sim_pool *p, const struct sim_view *v)
{
	struct sim_item *ready = sim_next_completion(v);

	if (!ready || ready != p->ready) {
		p->ready = ready;
		p->ready_since = jiffies;
	}
	if (ready)
		sim_expect(!sim_is_overdue(p->ready_since),
			   "item %d is not completed for %lu ticks, but its turn has come",
			   ready->nr, jiffies - p->ready_since);
}

/*
 * Return the units of items that have begun and not returned, as the model
 * counts.
 */
static unsigned int sim_units_in_use(const struct sim_pool *p)
{
	unsigned int units = 0, i;

	for (i = 0; i < SIM_ITEMS; i++)
		if (sim->item[i].at == p && !sim->item[i].handing &&
		    sim_is_under_way(sim->item[i].run))
			units += sim->item[i].units;
	return units;
}

static void sim_started(struct sim_pool *p, struct sim_item *it,
			const struct sim_view *was, const struct sim_view *v)
{
	const struct sim_item_view *now = &v->item[it->nr];

	sim_trace("item %d starts\n", it->nr);
	sim_expect(!it->to_complete,
		   "item %d starts before it is completed", it->nr);
	it->run = SIM_BEGUN;
	it->completes = false;
	it->run_gen = it->gen;
	it->run_accepted_in = it->accepted_in;
	it->run_accepted_at = it->accepted_at;
	it->run_id = now->run_id;
	p->started = it;
	it->started_in = sim->step;
	it->units = 0;
	if (now->by_caller)
		return;
	sim_expect(!it->job.deadline ||
		   !ktime_after(ktime_get(), it->job.deadline),
		   "item %d starts after its deadline", it->nr);
	it->units = sim_units(it, v);
	sim_expect(sim_units_in_use(p) <= v->attrs.capacity,
		   "item %d starts beyond capacity", it->nr);
	sim_judge_order(p, it, was, v);
	if (sim_in_stream(it)) {
		int i;

		for (i = 0; i < SIM_ITEMS; i++)
			sim_expect(i == it->nr ||
				   !sim_in_stream(&sim->item[i]) ||
				   !sim_is_under_way(sim->item[i].run),
				   "items %d and %d of a stream run at once",
				   it->nr, i);
	}
}

/* Check that a job to be completed is the first that is left in the order. */
static void sim_completion_begins(struct sim_pool *p, struct sim_item *it,
				  const struct sim_view *was,
				  const struct sim_view *v)
{
	int i;

	sim_trace("item %d will be completed\n", it->nr);
	sim_expect(it->to_complete,
		   "item %d is to be completed, but has not returned", it->nr);
	it->run = SIM_BEGUN;
	it->completes = true;
	it->run_id = v->item[it->nr].run_id;
	it->units = 1;
	p->completing++;
	sim_expect(sim_units_in_use(p) <= v->attrs.capacity,
		   "item %d is completed beyond capacity", it->nr);
	for (i = 0; i < SIM_ITEMS; i++) {
		const struct sim_item *other = &sim->item[i];

		if (other == it)
			continue;
		sim_expect(!v->item[i].here || !v->item[i].completes,
			   "items %d and %d are completed at once", it->nr, i);
		sim_expect(!sim_has_turn(other, &was->item[i]) ||
			   !sim_has_turn(other, &v->item[i]) ||
			   !sim_is_earlier(other, it),
			   "item %d is completed before item %d, which came before",
			   it->nr, i);
	}
}

/*
 * Check that an accepted item that is left nowhere was taken back by a call, or
 * with its module.
 */
static void sim_taken_back(struct sim_pool *p, struct sim_item *it)
{
	struct sim_call *call = sim_caller();

	sim_trace("item %d is taken back\n", it->nr);
	it->result = -ECANCELED;
	p->cancels++;
	if (sim_is_removed(p, it))
		return;
	if (call && call->item == it && !call->took &&
	    (call->target || it->maybe_cancelled || it->maybe_disabled))
		call->took = true;
	else
		sim_fail("item %d is lost", it->nr);
}

/* Judge a step's effect on one item, in the order in which it can happen. */
static void sim_judge_phases(struct sim_item *it, const struct sim_item_view *now)
{
	if (!now->runs) {
		sim_expect(!sim_is_under_way(it->run),
			   "item %d has ended, but still runs", it->nr);
		it->run = SIM_NOT;
		it->completes = false;
		sim_expect(it->to_complete == (now->place == SIM_FINISHED),
			   "item %d, which %s, is %s", it->nr,
			   it->to_complete ? "has to be completed" : "has ended",
			   sim_place_name(now->place));
	}
	sim_expect(now->dropping >= it->drops_begun + it->drops_inside,
		   "item %d has been dropped without notice", it->nr);
}

static bool sim_run_begins(const struct sim_item *it,
			   const struct sim_item_view *now)
{
	return now->runs && (it->run == SIM_NOT ||
			     (!sim_is_under_way(it->run) &&
			      it->run_id != now->run_id));
}

static void sim_dropped(struct sim_item *it, const struct sim_item_view *now)
{
	it->drops_begun++;
	it->drop_of = it->accepted_in;
	it->drop_gen = it->gen;
	sim_trace("item %d will be dropped\n", it->nr);
	sim_expect(now->dropping, "item %d is lost", it->nr);
}

/*
 * Return the arrival of the first item whose submit took a later slot of the
 * inbox, or 0.  Those submits went on at the same time, so that their items can
 * start in any order.
 */
static unsigned int sim_arrival_behind(const struct sim_item *it, const struct sim_view *v)
{
	unsigned int first = 0, i;

	for (i = 0; i < SIM_ITEMS; i++) {
		const struct sim_item *other = &sim->item[i];

		if (v->item[i].here && v->item[i].inbox > v->item[it->nr].inbox &&
		    (!first || sim_is_earlier(other, &sim->item[first - 1])))
			first = i + 1;
	}
	return first ? sim->item[first - 1].arrival : 0;
}

/*
 * Return the item's arrival in the run queue.  Items that arrive in one step
 * are in the order of the admission queue.
 */
static unsigned int sim_arrival(const struct sim_pool *p,
				const struct sim_item *it)
{
	unsigned int i, before = SIM_ITEMS;

	for (i = 0; i < p->nr_queue; i++)
		if (p->queue[i] == it->nr)
			before = 0;
	for (i = 0; !before && i < p->nr_queue; i++)
		if (sim->item[p->queue[i]].queued_in == it->queued_in)
			break;
	return sim->step * (SIM_ITEMS + 1) + (before ?: i);
}

static bool sim_is_collected(const struct sim_item *it)
{
	const struct sim_item_spec *spec = sim_spec(it);

	return spec->job && spec->group >= 0 &&
	       sim->program.group_flags[spec->group] & KPOOL_GROUP_COLLECT;
}

/*
 * Note whether the item is a job to be collected, whose run or drop has ended.
 */
static void sim_note_kept(struct sim_item *it, const struct sim_item_view *now)
{
	bool kept = now->place == SIM_KEPT && !now->runs && !now->dropping;

	if (kept && !it->kept)
		it->kept_in = sim->step;
	it->kept = kept;
}

/*
 * Note that the other pool has accepted an item that hands itself over: from
 * then on the item is that pool's.  The run that goes on is of no item.
 */
static void sim_note_handover(struct sim_pool *p, struct sim_item *it,
			      const struct sim_item_view *now)
{
	struct sim_call *call = it->handing;

	if (!call)
		return;
	call->moved |= call->p == p;
	if (!call->moved || !(sim_is_accepted(now) || now->dropping || now->runs))
		return;
	/*
	 * refused by the other pool, it is back in its run, or accepted again
	 */
	if (call->p != p && now->runs && now->run_id == it->run_id)
		return;
	sim_trace("item %d is handed over\n", it->nr);
	call->handed = true;
	it->handing = NULL;
	it->run = SIM_NOT;
	it->runner = NULL;
}

static void sim_judge_item(struct sim_pool *p, struct sim_item *it,
			   const struct sim_view *was, const struct sim_view *v)
{
	const struct sim_item_view *old = &was->item[it->nr];
	const struct sim_item_view *now = &v->item[it->nr];
	bool starts, taken, accepted, held;

	if (!now->here)
		return;
	it->at = p;
	sim_note_kept(it, now);
	sim_expect(now->place != SIM_KEPT || sim_is_collected(it),
		   "item %d is kept, but none collects it", it->nr);
	sim_note_handover(p, it, now);
	if (!it->handing)
		sim_judge_phases(it, now);
	starts = sim_run_begins(it, now);
	if (starts && now->completes) {
		sim_completion_begins(p, it, was, v);
		return;
	}
	taken = v->stats.cancelled > was->stats.cancelled;
	held = old->here && sim_is_accepted(old);
	accepted = !held && (sim_is_accepted(now) || starts);

	if (old->here && sim_in_queue(old) && (accepted || old->place == SIM_DUE) &&
	    !sim_in_queue(now) && now->place != SIM_DROPPING &&
	    (starts || sim_is_accepted(now)))
		sim_leaves_queue(p, it, v);
	if (held && old->place == SIM_DELAYED && now->place != SIM_DELAYED &&
	    (starts || sim_in_queue(now) || now->place == SIM_QUEUED ||
	     now->place == SIM_BACK))
		sim_due(it);
	if (accepted)
		sim_accepted(p, it, was, v);
	if (now->place == SIM_DELAYED &&
	    (accepted || (sim_caller() && sim_caller()->modifies &&
			  sim_caller()->item == it)))
		sim_delayed(it);
	if ((starts || sim_queued(now)) && !(held && sim_queued(old)))
		it->arrival = (now->inbox ? sim_arrival_behind(it, v) : 0) ?:
			      sim_arrival(p, it);
	if (starts)
		sim_started(p, it, was, v);
	else if (held && !sim_is_accepted(now) && taken)
		sim_taken_back(p, it);
	else if (held && !sim_is_accepted(now))
		sim_dropped(it, now);
}

/* Update the admission queue, as far as the model sees it, by arrival. */
static void sim_follow_queue(struct sim_pool *p, const struct sim_view *v)
{
	unsigned int i, left = 0;
	u32 known = 0;

	for (i = 0; i < p->nr_queue; i++) {
		u8 nr = p->queue[i];

		if (!v->item[nr].here || !sim_in_queue(&v->item[nr]))
			continue;
		p->queue[left++] = nr;
		known |= BIT(nr);
	}
	for (i = 0; i < SIM_ITEMS; i++)
		if (v->item[i].here && sim_in_queue(&v->item[i]) &&
		    !(known & BIT(i))) {
			sim->item[i].queued_in = sim->step;
			p->queue[left++] = i;
		}
	p->nr_queue = left;
}

/* Pools */

static u64 sim_ended(const struct sim_view *v)
{
	return v->stats.completed + v->stats.cancelled + v->stats.dropped +
	       v->stats.died;
}

static u64 sim_begun(const struct sim_view *v)
{
	return v->stats.completed + v->stats.died + v->stats.running +
	       v->finished;
}

/* Check that every accepted item is in one place. */
static void sim_judge_counters(const struct sim_view *v)
{
	const struct kpool_stats *s = &v->stats;
	u64 there = s->pending + s->delayed + s->running + v->finished;

	sim_expect(s->submitted == sim_ended(v) + there,
		   "%llu submitted, %llu ended, %llu there", s->submitted,
		   sim_ended(v), there);
	sim_expect(s->spawned == s->purged + s->retired + s->died + s->alive,
		   "%llu spawned, %llu purged, %llu retired, %llu alive",
		   s->spawned, s->purged, s->retired, s->alive);
	sim_expect(s->idle + s->running <= s->alive + v->callers,
		   "%llu idle and %llu running of %llu", s->idle, s->running,
		   s->alive);
}

/*
 * Return true if an item of a priority in this range is queued.  Functions are
 * of normal priority.
 */
static bool sim_any_queued(const struct sim_view *v, int from, int to)
{
	unsigned int seen = 0;
	bool found = false;
	int i;

	for (i = 0; i < SIM_ITEMS; i++) {
		int prio = sim_prio(&sim->item[i]);

		if (!v->item[i].here || v->item[i].place != SIM_QUEUED)
			continue;
		seen++;
		found |= prio >= from && prio <= to;
	}
	return found || (from <= 1 && to >= 1 && v->queued_items > seen);
}

/*
 * Return true if an item of a priority up to this one was queued, and still is.
 */
static bool sim_any_stays(const struct sim_view *was, const struct sim_view *v, int to)
{
	int i;

	for (i = 0; i < SIM_ITEMS; i++)
		if (sim_prio(&sim->item[i]) <= min(to, 0) &&
		    was->item[i].here && was->item[i].place == SIM_QUEUED &&
		    v->item[i].here && v->item[i].place == SIM_QUEUED)
			return true;
	/* functions cannot be distinguished */
	return sim_any_queued(was, 1, to) && sim_any_queued(v, 1, to);
}

/*
 * Count the starts that bypass a lower priority until that has its turn, as a
 * lower and an upper bound.  A turn that comes too late, so that the item is
 * dropped, can count or not.
 */
static void sim_count_passed(struct sim_pool *p, const struct sim_view *was,
			     const struct sim_view *v, u64 starts)
{
	int i, prio = p->started ? sim_prio(p->started) : 1;
	bool past = sim_any_queued(v, prio + 1, 2) &&
		    !sim_any_queued(v, 0, prio - 1);

	/* a submitter that runs its item takes no item's turn */
	if (starts && v->callers <= was->callers) {
		/*
		 * a higher priority that left the queue in this step can have
		 * been passed
		 */
		p->passed = past && !sim_any_queued(was, 0, prio - 1) ?
			    p->passed + 1 : 0;
		/*
		 * an item that joined or left the queue in this step can count
		 * or not
		 */
		past = (sim_any_queued(v, prio + 1, 2) ||
			sim_any_queued(was, prio + 1, 2)) &&
		       !sim_any_stays(was, v, prio - 1);
		p->passed_most = past ? p->passed_most + 1 : 0;
	}
	for (i = 0; i < SIM_ITEMS; i++) {
		if (!was->item[i].here || was->item[i].place != SIM_QUEUED ||
		    v->item[i].place != SIM_DROPPING)
			continue;
		p->passed = 0;
		p->passed_most++;
	}
	sim_expect(p->passed <= SIM_PASSED_MAX, "a low priority starves");
}

static void sim_judge_starts(struct sim_pool *p, const struct sim_view *was,
			     const struct sim_view *v)
{
	u64 starts = sim_begun(v) - sim_begun(was);

	p->starts = starts;
	sim_count_passed(p, was, v, starts);
	if (!starts)
		return;
	sim_expect(!was->stats.paused || !v->stats.paused,
		   "a paused pool starts an item");
	sim_expect(!was->aborted || !v->aborted,
		   "an aborted pool starts an item");
	if (v->callers <= was->callers)
		sim_expect(v->stats.units <= v->attrs.capacity,
			   "%llu units of %d in use", v->stats.units,
			   v->attrs.capacity);
}

/* Check that no thread waits for admission while there is room. */
static void sim_judge_queue(const struct sim_pool *p, const struct sim_view *v)
{
	const struct sim_item *head;

	if (!v->queue || v->settling)
		return;
	if (sim_is_simple(v)) {
		sim_expect(!sim_plain_has_room(v),
			   "a submitter waits, but there is room");
		return;
	}
	head = &sim->item[p->queue[0]];
	if (v->queue != p->nr_queue)
		return;
	/* of two that came at once, either can be the first */
	if (v->queue > 1 &&
	    sim->item[p->queue[1]].queued_in == head->queued_in)
		return;
	sim_expect(!sim_head_has_room(head, v),
		   "item %d waits, but there is room for it", head->nr);
}

/*
 * Check that jobs pending in a cancelled group are dropped, and that no
 * submitter of one sleeps.  In an aborted pool all items are dropped, in turn.
 */
static void sim_judge_cancelled(const struct sim_view *v)
{
	int i;

	for (i = 0; i < SIM_ITEMS; i++) {
		const struct sim_item_spec *spec = &sim->program.item[i];
		unsigned int place = v->item[i].place;

		if (!v->item[i].here || !spec->job || spec->group < 0 ||
		    place == SIM_DROPPING || v->settling ||
		    !sim_group_is_cancelled(spec->group))
			continue;
		sim_expect(place != SIM_BLOCKED &&
			   (place < SIM_DUE || v->aborted),
			   "item %d of a cancelled group is %s", i,
			   sim_place_name(place));
	}
}

/*
 * Return true if @a comes before @b.  Of two that came at once, the heavier can
 * be the first.
 */
bool sim_is_before(const struct sim_item *a, const struct sim_item *b,
		   const struct sim_view *v)
{
	if (sim_prio(a) != sim_prio(b))
		return sim_prio(a) < sim_prio(b);
	if (a->arrival != b->arrival)
		return (int)(a->arrival - b->arrival) < 0;
	return sim_units(a, v) > sim_units(b, v);
}

/*
 * Return true if the first queued item could start, as far as the model sees
 * the queue.
 */
static bool sim_can_start(const struct sim_pool *p, const struct sim_view *v)
{
	unsigned int free = sim_free_units(v), seen = 0, i;
	const struct sim_item *first = NULL;

	/* the turn can be that of another item, which is too heavy */
	if (v->stats.paused || v->aborted || !free ||
	    p->passed_most >= SIM_PASSED_MIN)
		return false;
	for (i = 0; i < SIM_ITEMS; i++) {
		const struct sim_item *it = &sim->item[i];
		const struct sim_item_view *now = &v->item[i];

		if (!now->here || now->place != SIM_QUEUED)
			continue;
		seen++;
		if (sim_must_wait(now))
			continue;
		if (!first || sim_is_before(it, first, v))
			first = it;
	}
	if (first)
		return sim_units(first, v) <= free && v->queued_items == seen;
	return v->queued_items > seen && !seen;
}

/*
 * Check that nothing waits for a free unit: time passes only while all sleep.
 */
static void sim_judge_conserving(struct sim_pool *p, const struct sim_view *v)
{
	if (p->startable)
		sim_expect(!sim_is_overdue(p->startable_since),
			   "nothing starts for %lu ticks, but units are free",
			   jiffies - p->startable_since);
	if (!sim_can_start(p, v)) {
		p->startable = false;
	} else if (!p->startable || sim_begun(v) != sim_begun(&p->view)) {
		p->startable = true;
		p->startable_since = jiffies;
	}
}

/* Check the state of the pool, and the reason for which a worker has gone. */
static void sim_judge_state(const struct sim_view *was, const struct sim_view *v)
{
	sim_expect(!v->unsettled || v->settling,
		   "a wait is over, and nothing will complete it");
	sim_expect(!v->group_kept, "a group that has ended is still listed");
	sim_expect(v->stats.closed || !v->aborted, "aborted, but open");
	sim_expect(!v->stats.closed || !v->stats.paused, "paused, but closed");
	sim_expect(v->stats.alive >= was->stats.alive ||
		   v->stats.purged + v->stats.retired + v->stats.died >
		   was->stats.purged + was->stats.retired + was->stats.died,
		   "a worker has gone for no reason");
}

/*
 * Check that an idle worker expires after expiry_ms, or up to an eighth later.
 */
static void sim_judge_expiry(struct sim_pool *p, const struct sim_view *was,
			     const struct sim_view *v)
{
	unsigned long expiry = msecs_to_jiffies(v->attrs.expiry_ms);
	bool expired;

	if (v->staying < was->staying && !p->deaths && !v->stats.closed &&
	    was->staying <= v->attrs.capacity)
		sim_expect(time_after_eq(jiffies, was->idle_since + expiry),
			   "a worker is purged that was idle for %lu ticks",
			   jiffies - was->idle_since);
	expired = v->stats.idle && v->attrs.expiry_ms != KPOOL_NO_PURGE &&
		  v->staying > v->attrs.min_workers &&
		  time_after(jiffies, v->idle_since + expiry + expiry / 8);
	sim_judge_span(&p->expired, expired, "an idle worker has expired");
}

/*
 * Check that the time that debugfs shows with a worker's state is of its last
 * change.
 */
static void sim_judge_worker_times(const struct sim_view *was, const struct sim_view *v)
{
	unsigned int i, j;

	for (i = 0; i < v->nr_workers; i++)
		for (j = 0; j < was->nr_workers; j++)
			sim_expect(v->worker[i].worker != was->worker[j].worker ||
				   v->worker[i].state == was->worker[j].state ||
				   time_after_eq(v->worker[i].since, jiffies),
				   "a worker changes from state %u to %u, which seems %lu ticks old",
				   was->worker[j].state, v->worker[i].state,
				   jiffies - v->worker[i].since);
}

static void sim_judge_workers(struct sim_pool *p, const struct sim_view *was,
			      const struct sim_view *v)
{
	p->min_workers_ever = min(p->min_workers_ever, v->attrs.min_workers);
	p->min_capacity = min(p->min_capacity, v->attrs.capacity);
	/* others can have ended before the expired worker has gone */
	if (v->stats.purged > was->stats.purged && !p->deaths)
		sim_expect(v->stats.alive + v->stats.retired >= p->min_workers_ever,
			   "one of min_workers is purged");
	sim_expect(v->threads <= was->threads || v->threads <= v->attrs.capacity,
		   "%u threads, capacity %d", v->threads, v->attrs.capacity);
	sim_judge_worker_times(was, v);
	sim_judge_expiry(p, was, v);
	sim_judge_span(&p->few, v->attrs.flags & KPOOL_PREALLOC && !v->stats.closed &&
		       v->staying < v->attrs.min_workers,
		       "there are fewer than min_workers");
	sim_judge_span(&p->many, v->stats.idle &&
		       (v->staying > v->attrs.capacity ||
			(v->stats.closed && !v->stats.pending && !v->finished)),
		       "idle workers stay that have to exit");
}

/* The last step of each condition */

/*
 * Return true if the item is queued, and waits only for a worker.  A lower
 * priority can wait for more.
 */
static bool sim_is_prompt(const struct sim_item *it, const struct sim_view *v)
{
	const struct sim_item_view *now = &v->item[it->nr];
	unsigned int functions = v->queued_items, units = 0, i;

	if (v->stats.paused || v->queue || now->place != SIM_QUEUED || sim_must_wait(now))
		return false;
	for (i = 0; i < SIM_ITEMS; i++) {
		now = &v->item[i];
		if (!now->here || now->place != SIM_QUEUED)
			continue;
		functions--;
		if (!sim_must_wait(now) && sim_prio(&sim->item[i]) <= sim_prio(it))
			units += sim_units(&sim->item[i], v);
	}
	/* functions are of normal priority */
	if (sim_prio(it))
		units += functions;
	return units <= sim_free_units(v);
}

static void sim_note_item(struct sim_item *it)
{
	static const struct sim_item_view nowhere;
	const struct sim_item_view *now = it->at ? &it->at->view.item[it->nr] :
						   &nowhere;
	unsigned int step = sim->step;

	if (now->place != SIM_IDLE ||
	    (sim_is_ordered(it) && now->runs && !now->completes))
		it->was_taken = step;
	if (now->place == SIM_IDLE)
		it->was_free = step;
	if (sim_is_accepted(now))
		it->was_accepted = step;
	else
		it->was_idle = step;
	if (it->at && it->accepted_in == step &&
	    sim_is_prompt(it, &it->at->view))
		it->was_prompt = step;
	if (now->place == SIM_DELAYED)
		it->was_delayed = step;
	if (now->runs || now->dropping) {
		it->was_running = step;
		it->was_running_in[it->at->nr] = step;
	}
}

/*
 * Return true if a delayed item will start when it is due, as the queue is now.
 * With a higher priority than all that is queued, another can start as well.
 */
static bool sim_delay_helps(const struct sim_view *v)
{
	unsigned int functions = v->queued_items, units = 0, i;

	if (v->queue)
		return false;
	for (i = 0; i < SIM_ITEMS; i++) {
		if (!v->item[i].here || v->item[i].place != SIM_QUEUED)
			continue;
		functions--;
		if (!sim_must_wait(&v->item[i]))
			units += sim_units(&sim->item[i], v);
	}
	for (i = 0; i < SIM_ITEMS; i++)
		if (v->item[i].here && v->item[i].place == SIM_DELAYED &&
		    !v->item[i].runs && !sim_in_stream(&sim->item[i]) &&
		    units + functions + sim_units(&sim->item[i], v) <=
		    sim_free_units(v))
			return true;
	return false;
}

/* Return true if something can happen without the items that run. */
static bool sim_is_helped(const struct sim_view *v)
{
	return v->stats.paused || v->dropping ||
	       (v->stats.delayed && v->stats.closed);
}

/*
 * Return true if all items that run in the pool are in a call that can wait for
 * ever.  A delayed item that is due will be behind one that is blocked.
 */
static bool sim_all_wait(const struct sim_pool *p)
{
	const struct sim_view *v = &p->view;
	const struct sim_call *call;
	bool delay_helps = p->delay_helps;
	u64 waiting = 0;

	list_for_each_entry(call, &sim->calls, node) {
		if (!call->inside || call->p != p || !call->waits)
			continue;
		waiting++;
		if (call->submits || call->calls)
			delay_helps = false;
	}
	/* an item started in this step came after a refusal in the same step */
	return waiting &&
	       waiting + p->starts + p->completing >= v->stats.running &&
	       !p->helped && !delay_helps;
}

static void sim_note_pool(struct sim_pool *p)
{
	const struct sim_view *v = &p->view;
	unsigned int step = sim->step;

	*(v->stats.closed ? &p->was_closed : &p->was_open) = step;
	*(v->stats.paused ? &p->was_paused : &p->was_running) = step;
	if (v->queue || !sim_is_simple(v) || !sim_plain_has_room(v))
		p->was_full = step;
	if (v->queue || v->queued_items || v->back || v->stats.units || v->completable)
		p->was_used = step;
	if (v->stats.alive > v->staying)
		p->was_exiting = step;
	if (v->aborted)
		p->was_aborted = step;
	if (v->attrs.when_full == KPOOL_FULL_DROP_OLDEST)
		p->was_evicting = step;
	if (v->attrs.nonblocking || v->stats.blocked >= v->attrs.max_blocked)
		p->was_refusing = step;
	if (v->stats.submitted != sim_ended(v))
		p->was_busy = step;
	else
		p->was_idle = step;
	if (v->stats.submitted == sim_ended(v) && !v->stats.alive)
		p->was_drained = step;
	if (!v->stats.closed || v->threads || v->stats.submitted != sim_ended(v))
		p->drained = 0;
	else if (!p->drained)
		p->drained = step;
	if (sim_all_wait(p))
		p->was_hung = step;
}

/*
 * Return true if the item was idle at some time in this step, apart from its
 * submission and start in it.
 */
static bool sim_item_rests(const struct sim_item *it)
{
	if (it->accepted_in == sim->step)
		return it->started_in == sim->step || !sim_is_under_way(it->run);
	return !sim_is_accepted(&it->at->view.item[it->nr]) &&
	       !sim_is_under_way(it->run) && !it->to_complete && !it->drops_begun &&
	       !it->drops_inside;
}

static bool sim_group_rests(int group)
{
	int i;

	for (i = 0; i < SIM_ITEMS; i++) {
		const struct sim_item *it = &sim->item[i];

		if (!sim_spec(it)->job || sim_spec(it)->group < group ||
		    (sim_spec(it)->group != group &&
		     !sim->program.nested_groups) || it->at != &sim->pool[0])
			continue;
		if (!sim_item_rests(it))
			return false;
	}
	return true;
}

static void sim_note_groups(void)
{
	int group;

	for (group = 0; group < SIM_GROUPS; group++) {
		if (sim_group_rests(group))
			sim->group_idle[group] = sim->step;
		if (sim_group_is_cancelled(group))
			sim->group_cancelled[group] = sim->step;
	}
}

/*
 * Record what holds after a step.  What was seen of the other pool still holds.
 */
void sim_note(void)
{
	int i;

	for (i = 0; i < SIM_POOLS; i++)
		if (sim->pool[i].pool)
			sim_note_pool(&sim->pool[i]);
	for (i = 0; i < SIM_ITEMS; i++)
		sim_note_item(&sim->item[i]);
	if (sim->pool[0].pool)
		sim_note_groups();
}

/* Cycles */

/* Return true if a call around this one is made in the item's function. */
static bool sim_is_around(const struct sim_item *it, const struct sim_call *call)
{
	for (call = call->outer; call; call = call->outer)
		if (call->inside == it)
			return true;
	return false;
}

/*
 * Return true if the call waits for a submission that has not ended; later ones
 * do not count.  A job that has started ends only after its function, even if
 * that is still to be called.
 */
static bool sim_is_awaiting(const struct sim_call *call)
{
	const struct sim_item *it = call->target;

	return it && (!sim_has_ended(it, call->awaited) ||
		      (it->run == SIM_BEGUN && it->run_gen <= call->awaited));
}

/*
 * Return the items that an item's function waits for, and those run inside it.
 */
static u32 sim_waits_for(const struct sim_item *it)
{
	const struct sim_call *call;
	u32 items = 0;

	list_for_each_entry(call, &sim->calls, node) {
		if (call->inside == it && sim_is_awaiting(call))
			items |= BIT(call->target->nr);
		if (call->inside && sim_is_around(it, call))
			items |= BIT(call->inside->nr);
	}
	return items;
}

/*
 * Return the job of the stream that runs, which has to end before the item can.
 * Without one return the item.
 */
static struct sim_item *sim_before(struct sim_item *it)
{
	int i;

	if (sim_is_under_way(it->run) || !sim_in_stream(it))
		return it;
	for (i = 0; i < SIM_ITEMS; i++)
		if (sim_in_stream(&sim->item[i]) &&
		    sim->item[i].run == SIM_INSIDE)
			return &sim->item[i];
	return it;
}

/* Return true if the item is being completed, and not submitted again. */
static bool sim_is_last_turn(const struct sim_item_view *v)
{
	return v->here && v->completes && !sim_is_accepted(v);
}

/* Return the items that have to end before the item can, itself included. */
static u32 sim_ends_before(struct sim_item *it)
{
	u32 items = BIT(it->nr) | BIT(sim_before(it)->nr);
	const struct sim_view *v = &sim->pool[0].view;
	int i;

	if (!sim_is_ordered(it) || sim_is_last_turn(&v->item[it->nr]))
		return items;
	/* an item that is not queued comes after all that are */
	for (i = 0; i < SIM_ITEMS; i++) {
		const struct sim_item *other = &sim->item[i];

		if ((v->item[i].here && v->item[i].completes) ||
		    (sim_has_turn(other, &v->item[i]) &&
		     (!sim_has_turn(it, &v->item[it->nr]) ||
		      !sim_is_earlier(it, other))))
			items |= BIT(i);
	}
	return items;
}

/*
 * Return true if an item in whose function the call is made waits for itself.
 */
static bool sim_waits_for_itself(const struct sim_call *call)
{
	u32 items = BIT(call->target->nr), seen = 0;

	while (items & ~seen) {
		struct sim_item *it = &sim->item[__ffs(items & ~seen)];

		if (it == call->inside || sim_is_around(it, call))
			return true;
		seen |= BIT(it->nr);
		items |= sim_ends_before(it) | sim_waits_for(it);
	}
	return false;
}

/* Mark each call of an item's function that waits for that item. */
void sim_note_cycles(void)
{
	struct sim_call *call;
	int i;

	list_for_each_entry(call, &sim->calls, node)
		if (call->inside && call->target && sim_waits_for_itself(call))
			call->cycle = true;
	for (i = 0; i < SIM_POOLS; i++)
		if (sim->pool[i].pool && sim_all_wait(&sim->pool[i]))
			sim->pool[i].was_hung = sim->step;
}

/*
 * Note that the thread waits for submissions accepted before it drops the lock.
 */
static void sim_note_awaited(struct sim_pool *p)
{
	struct sim_call *call = sim_caller();

	if (!call)
		return;
	call->locked = p;
	if (!call->target || call->awaited == call->target->gen)
		return;
	call->awaited = call->target->gen;
	sim_note_cycles();
}

/* Steps */

static struct sim_pool *sim_pool_of(const void *lock)
{
	int i;

	/* the lock is the first field of a pool */
	for (i = 0; i < SIM_POOLS; i++)
		if (sim->pool[i].pool == lock && !sim->pool[i].ended)
			return &sim->pool[i];
	return NULL;
}

/* Judge what has been done under a lock that the thread is about to drop. */
void sim_step(const void *lock)
{
	struct sim_pool *p = sim ? sim_pool_of(lock) : NULL;
	struct sim_call *call = sim_caller();
	struct sim_view v;
	u64 cancels;
	int i;

	if (!p)
		return;
	sim->step++;
	if (call)
		call->last = sim->step;
	cancels = p->cancels;
	p->started = NULL;
	p->completing = 0;
	sim_observe(p->pool, &v);
	for (i = 0; i < p->nr_queue; i++)
		sim_judge_item(p, &sim->item[p->queue[i]], &p->view, &v);
	for (i = 0; i < SIM_ITEMS; i++)
		if (!memchr(p->queue, i, p->nr_queue))
			sim_judge_item(p, &sim->item[i], &p->view, &v);
	sim_follow_queue(p, &v);
	sim_judge_counters(&v);
	sim_judge_starts(p, &p->view, &v);
	v.passed_most = p->passed_most;
	sim_judge_queue(p, &v);
	sim_judge_room_for(p, call, &p->view, &v);
	sim_judge_cancelled(&v);
	sim_judge_conserving(p, &v);
	sim_judge_completions(p, &v);
	sim_judge_room(p, &v);
	sim_judge_state(&p->view, &v);
	sim_judge_workers(p, &p->view, &v);
	sim_expect(!v.cycle, "threads that wait for each other sleep on");
	/*
	 * both before and after this step: in between, a waiter can be refused
	 */
	p->helped = sim_is_helped(&p->view) && sim_is_helped(&v);
	p->delay_helps = sim_delay_helps(&p->view) && sim_delay_helps(&v);
	sim_judge_bereaved(p, &p->view, &v);
	sim_note_removal(p, v.stats.cancelled - p->view.stats.cancelled -
			    (p->cancels - cancels));
	sim_expect(!sim_is_orphan(p) || p->ended || v.stats.closed,
		   "a pool that has gone is open");
	p->view = v;
	sim_note();
	sim_note_awaited(p);
	sim_judge_removals();
}

/* The end */

/* Check that nothing that could start waits while all threads sleep. */
void sim_judge_drained(const struct sim_pool *p)
{
	if (p->owed && p->roomy.on)
		sim_expect(!sim_is_overdue(p->roomy.since),
			   "pool %d has room and says nothing", p->nr);
	if (p->ready)
		sim_expect(!sim_is_overdue(p->ready_since),
			   "item %d is not completed, but its turn has come",
			   p->ready->nr);
	if (p->startable)
		sim_expect(!sim_is_overdue(p->startable_since),
			   "nothing starts, but units are free");
}

/* Return the number of functions cancelled with their module, and check it. */
static u64 sim_judge_taken(void)
{
	u64 all = 0, left;
	unsigned int m, i;

	for (m = 0; m < SIM_MODULES; m++) {
		left = 0;
		for (i = 0; i < sim->nr_tickets; i++)
			left += sim->ticket[i].module == m + 1 &&
				!sim->ticket[i].pool && sim->ticket[i].accepted &&
				!sim->ticket[i].ran;
		sim_expect(sim->module[m].taken <= left,
			   "%llu functions of a module are cancelled, but it had %llu",
			   sim->module[m].taken, left);
		all += sim->module[m].taken;
	}
	return all;
}

static void sim_judge_tickets(const struct sim_pool *p,
			      const struct kpool_stats *s)
{
	u64 lost = s->dropped - p->drops, sure = 0, maybe = 0, taken = 0, abandoned = 0;
	unsigned int i;
	bool given;

	for (i = 0; i < sim->nr_tickets; i++) {
		const struct sim_ticket *t = &sim->ticket[i];

		if (t->pool != p->nr)
			continue;
		sim_expect(t->ran == t->ended + t->died, "function %d never returns", i);
		given = t->timed_out || (t->caller_died && t->timed);
		sim_expect(!given || t->released == 1,
			   "argument %d is given back %d times", i,
			   t->released);
		sim_expect(given || !t->released,
			   "argument %d is given back to its caller too", i);
		abandoned += t->ran && t->timed_out;
		if (t->ran)
			continue;
		sure += t->accepted;
		maybe += t->maybe;
	}
	sim_expect(s->abandoned == abandoned,
		   "%llu calls were abandoned, the pool says %llu", abandoned,
		   s->abandoned);
	if (!p->nr)
		taken = sim_judge_taken();
	sure -= taken;
	sim_expect(lost >= sure && lost <= sure + maybe,
		   "%llu functions never ran, %llu were dropped", sure, lost);
	sim_expect(s->cancelled >= p->cancels + taken &&
		   s->cancelled <= p->cancels + taken + maybe,
		   "%llu were taken back, the pool says %llu",
		   p->cancels + taken, s->cancelled);
}

/* Check after destroy that every item and every worker is accounted for. */
void sim_judge_end(struct sim_pool *p)
{
	const struct kpool_stats *s = &p->view.stats;

	sim_expect(s->submitted == sim_ended(&p->view),
		   "destroyed with %llu submitted, %llu ended", s->submitted,
		   sim_ended(&p->view));
	sim_expect(!s->alive, "destroyed with %llu workers", s->alive);
	sim_expect(s->completed == p->runs,
		   "%llu functions returned, the pool says %llu", p->runs,
		   s->completed);
	sim_expect(s->failed == p->failures,
		   "%llu failed, the pool says %llu", p->failures, s->failed);
	sim_expect(p->faults == p->errors,
		   "%llu errors, the handler was called for %llu",
		   p->errors, p->faults);
	sim_judge_dead(p);
	sim_expect(s->died == p->deaths, "%llu died, the pool says %llu",
		   p->deaths, s->died);
	sim_expect(s->caller_ran == p->caller_runs,
		   "%llu were run by their submitters, the pool says %llu",
		   p->caller_runs, s->caller_ran);
	sim_expect(s->expired == p->dropped_late && s->displaced >= p->displaced,
		   "%llu expired and %llu displaced, the pool says %llu and %llu",
		   p->dropped_late, p->displaced, s->expired, s->displaced);
	sim_expect(s->refused >= p->refusals &&
		   s->refused <= p->refusals + p->maybe_refusals,
		   "%llu refused, the pool says %llu", p->refusals, s->refused);
	sim_expect(!sim->program.has_init || p->inits == p->exits + p->exit_deaths + p->deaths,
		   "%llu workers began, %llu ended",
		   p->inits, p->exits);
	sim_expect(!p->owed || sim->threads_failed || sim_is_orphan(p),
		   "pool %d is destroyed without a last call of room",
		   p->nr);
	sim_judge_tickets(p, s);
}
