// SPDX-License-Identifier: GPL-2.0-only
/*
 * Room: a submission is accepted if there is room for it, or if an older item
 * can be dropped to make room, and not otherwise.  The state before a step is
 * the one in which its decision was made.
 */
#include <linux/kernel.h>

#include "simulate.h"

/* The submission of an item, or of a function, which is like a plain item. */
struct sim_want {
	int			prio;
	unsigned int		units;
	bool			follows;	/* another of its stream */
};

/*
 * Units and places of a state after the start of queued items that can start.
 */
struct sim_space {
	u64			places;		/* taken by others */
	u64			left;		/* free units */
};

static bool sim_waits(const struct sim_item_view *v)
{
	return v->here && (v->place == SIM_QUEUED || v->place == SIM_BACK);
}

/* Return true if a job of the stream is queued or running. */
static bool sim_stream_is_busy(const struct sim_view *v)
{
	int i;

	for (i = 0; i < SIM_ITEMS; i++)
		if (sim_in_stream(&sim->item[i]) && v->item[i].here &&
		    (sim_waits(&v->item[i]) || v->item[i].runs))
			return true;
	return false;
}

static struct sim_want sim_want_of(const struct sim_item *it,
				   const struct sim_view *v)
{
	return (struct sim_want) {
		.prio	 = sim_prio(it),
		.units	 = sim_units(it, v),
		.follows = sim_in_stream(it) && sim_stream_is_busy(v),
	};
}

/* Return true if all items of the set need one unit. */
static bool sim_are_light(const struct sim_view *v, u32 set)
{
	int i;

	for (i = 0; i < SIM_ITEMS; i++)
		if ((set & BIT(i)) && sim_units(&sim->item[i], v) > 1)
			return false;
	return true;
}

/*
 * Return the item of the set whose turn comes first, or NULL if two can be
 * that.
 */
static const struct sim_item *sim_first_of(const struct sim_view *v, u32 set)
{
	const struct sim_item *first = NULL;
	int i;

	for (i = 0; i < SIM_ITEMS; i++)
		if ((set & BIT(i)) &&
		    (!first || sim_is_before(&sim->item[i], first, v)))
			first = &sim->item[i];
	for (i = 0; i < SIM_ITEMS; i++)
		if ((set & BIT(i)) && &sim->item[i] != first &&
		    sim_prio(&sim->item[i]) == sim_prio(first) &&
		    sim->item[i].arrival == first->arrival)
			return NULL;
	return first;
}

/*
 * Return true if the item is queued behind its own run or drop, so that it
 * needs no unit.
 */
static bool sim_is_held(const struct sim_item_view *v)
{
	return v->here && v->place == SIM_QUEUED && !v->follows && (v->runs || v->dropping);
}

/* Return the number of items queued behind their own run or drop. */
static unsigned int sim_held(const struct sim_view *v)
{
	unsigned int n = 0, i;

	for (i = 0; i < SIM_ITEMS; i++)
		n += sim_is_held(&v->item[i]);
	return n;
}

/* Return the queued items that wait neither for their stream nor themselves. */
static u32 sim_runnable(const struct sim_view *v)
{
	u32 set = 0;
	int i;

	for (i = 0; i < SIM_ITEMS; i++)
		if (v->item[i].here && v->item[i].place == SIM_QUEUED &&
		    !v->item[i].follows && !sim_is_held(&v->item[i]))
			set |= BIT(i);
	return set;
}

/* Return the number of items queued behind their stream. */
static unsigned int sim_stream_blocked(const struct sim_view *v)
{
	unsigned int n = 0, i;

	for (i = 0; i < SIM_ITEMS; i++)
		n += v->item[i].here && v->item[i].place == SIM_QUEUED &&
		     v->item[i].follows;
	return n;
}

/*
 * Calculate the space once queued items have started, in the order of the
 * queue, as far as the units go.  Return false if that is not known: functions
 * are queued, too, or several heavy items came at once.
 */
static bool sim_space_of(const struct sim_view *v, const struct sim_want *want,
			 struct sim_space *space)
{
	unsigned int ready = v->queued_items - sim_stream_blocked(v) -
			     sim_held(v);
	u32 set = sim_runnable(v);
	const struct sim_item *first;
	u64 starts;

	space->places = v->queued_items + v->back;
	space->left = sim_free_units(v);
	if (sim_are_light(v, set)) {
		starts = min_t(u64, ready, space->left);
		space->places -= starts;
		space->left -= starts;
		return true;
	}
	if (ready != hweight32(set))
		return false;
	for (; set; set &= ~BIT(first->nr)) {
		starts = v->queued_items + v->back - space->places;
		/* the turn can be that of a lower priority */
		if (v->passed_most + starts >= SIM_PASSED_MIN)
			return false;
		first = sim_first_of(v, set);
		if (!first)
			return false;
		if (sim_units(first, v) > space->left) {
			if (want->prio >= sim_prio(first))
				space->left = 0;
			break;
		}
		space->left -= sim_units(first, v);
		space->places--;
	}
	return true;
}

/* Return 1 if there is room, 0 if there is none, or -1 if that is not known. */
static int sim_room_for(const struct sim_view *v, const struct sim_want *want)
{
	struct sim_space space;

	/* a submission must not overtake those that wait for admission */
	if (v->queue)
		return 0;
	if (!sim_space_of(v, want, &space))
		return -1;
	return (!want->follows && want->units <= space.left) ||
	       space.places < v->attrs.queue_depth;
}

/*
 * Return true if a thread is free, or can be created, after @starts starts.  An
 * exiting worker counts against the limit.
 */
static bool sim_has_thread(const struct sim_view *v, u64 starts)
{
	u64 most = max_t(u64, v->attrs.capacity, v->threads);
	u64 busy = v->stats.running - v->callers + v->completable + starts;

	return most > busy + v->stats.alive - v->staying;
}

/* Return whether there is room, like sim_room_for(), for a start at once. */
static int sim_room_now(const struct sim_view *v, const struct sim_want *want)
{
	struct sim_space space;

	if (v->queue || v->stats.paused || want->follows)
		return 0;
	if (!sim_space_of(v, want, &space))
		return -1;
	return want->units <= space.left &&
	       sim_has_thread(v, v->queued_items + v->back - space.places);
}

/*
 * Return whether there is room if a waiting item is dropped, or -1 if its
 * stream would go on then.
 */
static int sim_room_without(const struct sim_view *v, int nr,
			    const struct sim_want *want)
{
	struct sim_view w = *v;

	if (sim_in_stream(&sim->item[nr]) && !v->item[nr].follows)
		return -1;
	*(v->item[nr].place == SIM_QUEUED ? &w.queued_items : &w.back) -= 1;
	w.item[nr].place = SIM_DROPPING;
	return sim_room_for(&w, want);
}

/* Return true if one more place would be room. */
static bool sim_is_one_short(const struct sim_view *v, const struct sim_want *want)
{
	struct sim_space space;

	return v->attrs.queue_depth > 0 && sim_space_of(v, want, &space) &&
	       space.places == v->attrs.queue_depth;
}

/*
 * Return true if the waiting item can be dropped for the submission.  One that
 * runs cannot: it could not be notified before its end.
 */
static bool sim_may_give_way(const struct sim_view *v, int nr,
			     const struct sim_want *want)
{
	const struct sim_item_view *item = &v->item[nr];

	return !item->runs && !item->dropping && sim_waits(item) &&
	       sim_prio(&sim->item[nr]) >= want->prio;
}

/*
 * Return true if an item is dropped before the other: of a lower priority, or
 * older.
 */
static bool sim_gives_way_before(int nr, int other)
{
	const struct sim_item *a = &sim->item[nr], *b = &sim->item[other];

	if (sim_prio(a) != sim_prio(b))
		return sim_prio(a) > sim_prio(b);
	return (int)(a->arrival - b->arrival) < 0;
}

/* Return the item that has been evicted in this step, or -1. */
static int sim_evicted(const struct sim_view *was, const struct sim_view *v)
{
	int i;

	for (i = 0; i < SIM_ITEMS; i++)
		if (v->item[i].evicted && !was->item[i].evicted)
			return i;
	return -1;
}

/* Check that the victim makes room, and has to go first of those that do. */
static void sim_judge_victim(const struct sim_view *was, int victim,
			     const struct sim_want *want)
{
	int i;

	sim_expect(sim_room_for(was, want) != 1,
		   "item %d is dropped, but there is room", victim);
	sim_expect(sim_may_give_way(was, victim, want),
		   "item %d must not be dropped for another", victim);
	sim_expect(sim_room_without(was, victim, want),
		   "item %d is dropped, but makes no room", victim);
	for (i = 0; i < SIM_ITEMS; i++)
		sim_expect(i == victim || !sim_may_give_way(was, i, want) ||
			   !sim_gives_way_before(i, victim) ||
			   sim_room_without(was, i, want) != 1,
			   "item %d is dropped in place of item %d", victim, i);
}

static void sim_judge_room_taken(const struct sim_view *was,
				 const struct sim_view *v,
				 const struct sim_want *want, const char *what)
{
	int victim = sim_evicted(was, v);

	if (victim >= 0)
		sim_judge_victim(was, victim, want);
	/* a job dropped with its group makes room in the same step */
	else if (v->nr_drops <= was->nr_drops)
		sim_expect(sim_room_for(was, want), "%s is accepted without room",
			   what);
}

static void sim_judge_no_room(const struct sim_view *was,
			      const struct sim_want *want, const char *what)
{
	int i;

	sim_expect(sim_room_for(was, want) != 1,
		   "what comes is %s, but there is room", what);
	if (was->attrs.when_full != KPOOL_FULL_DROP_OLDEST || was->queue ||
	    !sim_is_one_short(was, want))
		return;
	for (i = 0; i < SIM_ITEMS; i++)
		sim_expect(!sim_may_give_way(was, i, want) ||
			   sim_room_without(was, i, want) != 1,
			   "what comes is %s, but item %d could give way", what, i);
}

/*
 * Return true if a full pool would have this submitter run the item, for
 * certain: no allocation fails.
 */
static bool sim_can_run_itself(const struct sim_call *call,
			       const struct sim_view *v)
{
	const struct sim_item_spec *spec = &sim->program.item[call->item->nr];

	return v->attrs.when_full == KPOOL_FULL_CALLER_RUNS &&
	       !v->stats.paused && !sim->program.memory_fails &&
	       !(spec->job && spec->stream) && !call->inside;
}

/* Judge a submit of an item, in the step that decides. */
static void sim_judge_item_comes(const struct sim_call *call,
				 const struct sim_view *was,
				 const struct sim_view *v)
{
	const struct sim_item *it = call->item;
	const struct sim_item_view *old = &was->item[it->nr];
	const struct sim_item_view *now = &v->item[it->nr];
	struct sim_want want = sim_want_of(it, was);
	bool is_busy = old->runs || old->dropping || it->run == SIM_INSIDE;

	if (it->accepted_in == sim->step && now->place == SIM_QUEUED &&
	    old->place != SIM_BLOCKED) {
		sim_judge_room_taken(was, v, &want, "an item");
		if (call->now)
			sim_expect(sim_room_now(was, &want) && !is_busy,
				   "an item is accepted, but cannot start at once");
	} else if (it->accepted_in == sim->step && now->place == SIM_DUE) {
		sim_expect(sim_room_for(was, &want) != 1,
			   "an item waits in front, but there is room");
	} else if (it->accepted_in == sim->step && now->by_caller && !is_busy) {
		sim_judge_no_room(was, &want, "run by its submitter");
	} else if (now->place == SIM_BLOCKED && old->place != SIM_BLOCKED) {
		sim_judge_no_room(was, &want, "blocked");
		/* another pool that refused it has returned it to its run */
		sim_expect(is_busy || now->runs ||
			   !sim_can_run_itself(call, was) ||
			   !sim_can_run_itself(call, v),
			   "a submitter sleeps, but could run its item itself");
	} else if (v->stats.refused > was->stats.refused && call->now) {
		/* another pool that refused it has returned it to its run */
		sim_expect(sim_room_now(was, &want) != 1 || is_busy || now->runs,
			   "an item is refused, but could start at once");
	} else if (v->stats.refused > was->stats.refused) {
		sim_judge_no_room(was, &want, "refused");
	}
}

static void sim_judge_fn_comes(const struct sim_view *was,
			       const struct sim_view *v)
{
	struct sim_want want = { .prio = 1, .units = 1 };

	if (v->stats.refused > was->stats.refused ||
	    v->stats.blocked > was->stats.blocked)
		sim_judge_no_room(was, &want, "refused or blocked");
	else if (v->stats.submitted > was->stats.submitted &&
		 v->queued_items > was->queued_items && v->queue >= was->queue &&
		 v->queue_head == was->queue_head)
		/* and not one that waited for admission */
		sim_judge_room_taken(was, v, &want, "a function");
}

void sim_judge_room_for(const struct sim_pool *p, const struct sim_call *call,
			const struct sim_view *was, const struct sim_view *v)
{
	if (!call || call->p != p || was->stats.closed || v->stats.closed)
		return;
	if (call->submits)
		sim_judge_item_comes(call, was, v);
	else if (call->calls)
		sim_judge_fn_comes(was, v);
}

/*
 * Note the units of a submission refused for lack of room, since the last call
 * of room.
 */
void sim_note_refused(struct sim_pool *p, const struct sim_call *call,
		      const struct sim_view *was)
{
	struct sim_want want = { .prio = 1, .units = 1 };
	unsigned int *least;

	if (call && call->submits)
		want = sim_want_of(call->item, was);
	/* a job of a busy stream can only be accepted into a place */
	if (want.follows)
		return;
	least = &p->refused_units[want.prio];
	*least = min_not_zero(*least, want.units);
}

/* Return true if one of the refused submissions would be accepted now. */
bool sim_refused_has_room(const struct sim_pool *p, const struct sim_view *v)
{
	struct sim_want want = { .follows = true };

	if (v->stats.closed || sim_room_for(v, &want) == 1)
		return true;
	want.follows = false;
	for (; want.prio < ARRAY_SIZE(p->refused_units); want.prio++) {
		want.units = min_t(unsigned int, p->refused_units[want.prio],
				   v->attrs.capacity);
		if (want.units && sim_room_for(v, &want) == 1)
			return true;
	}
	return false;
}

/*
 * Return true if there is room for a plain item, for certain, apart from the
 * admission queue.
 */
bool sim_plain_has_room(const struct sim_view *v)
{
	struct sim_want want = { .prio = 1, .units = 1 };
	struct sim_view w = *v;

	w.queue = 0;
	return sim_room_for(&w, &want) == 1;
}

/*
 * Return true if there is room, for certain, for the head of the admission
 * queue.
 */
bool sim_head_has_room(const struct sim_item *head, const struct sim_view *v)
{
	struct sim_want want = sim_want_of(head, v);
	struct sim_view w = *v;

	w.queue = 0;
	return sim_room_for(&w, &want) == 1;
}
