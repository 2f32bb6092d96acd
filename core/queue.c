// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line: what has been accepted and not started.
 *
 * pool->queue is the line itself, one list for each priority.  pool->admission is
 * the queue in front of it, in order of arrival: items of submitters that sleep
 * until there is room (KPOOL_ITEM_BLOCKED), and items accepted without room, which
 * wait there like a submitter that came at that time (KPOOL_ITEM_BACKLOG).
 * kpool_recheck() lets them in as soon as there is room.
 *
 * An item submitted while it runs keeps its place in line; when its turn comes
 * before the run has ended, the runner holds it and puts it back in front.
 */
#include "internal.h"
#include "queue.h"

/* So many items are parked under one hold of the lock. */
#define KPOOL_PARK_BATCH	8

/* So many items, where not all weigh the same, are looked at for room. */
#define KPOOL_MAX_LOOKS		64

/* In and out */

void kpool_accept(struct kpool *pool, struct kpool_item *item)
{
	kpool_count_accepted(pool, item);
	if (kpool_is_special(item))
		kpool_special_accept(pool, item);
}

void kpool_enqueue(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	item->state = KPOOL_ITEM_QUEUED;
	list_add_tail(&item->node, kpool_queue_of(pool, item));
	pool->nr_queued++;
	kpool_special_add(pool, item);
	if (kpool_is_special(item))
		kpool_special_enqueue(pool, item);
}

static void kpool_queue_del(struct kpool *pool, struct kpool_item *item)
{
	list_del(&item->node);
	pool->nr_queued--;
	if (kpool_is_special(item))
		kpool_special_account(pool, item, false);
}

/* Take an accepted item from wherever it waits. */
void kpool_item_unlink(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	/* kpool_delay_remove() does so itself */
	if (item->state != KPOOL_ITEM_DELAYED)
		kpool_scan_skip(pool, item);
	switch (item->state) {
	case KPOOL_ITEM_QUEUED:
		kpool_queue_del(pool, item);
		kpool_special_remove(pool, item);
		break;
	case KPOOL_ITEM_REQUEUE:
		item->run->requeue = NULL;
		pool->nr_requeue--;
		kpool_special_remove(pool, item);
		break;
	case KPOOL_ITEM_PARKED:
		list_del(&item->node);
		pool->nr_parked--;
		kpool_special_remove(pool, item);
		break;
	case KPOOL_ITEM_BACKLOG:
		list_del(&item->node);
		pool->nr_backlog--;
		pool->nr_recheck--;
		kpool_special_remove(pool, item);
		break;
	case KPOOL_ITEM_DELAYED:
		kpool_delay_remove(pool, kpool_job_of(item));
		break;
	case KPOOL_ITEM_DROPPING:
		if (kpool_run_of(item))
			item->run->requeue = NULL;
		else
			list_del(&item->node);
		pool->nr_dropping--;
		break;
	}
	item->state = KPOOL_ITEM_IDLE;
}

/* Take out an accepted item that will not run, so that its stream goes on. */
void kpool_dequeue_dead(struct kpool *pool, struct kpool_item *item)
{
	bool in_stream = item->state != KPOOL_ITEM_DELAYED &&
			 item->state != KPOOL_ITEM_BACKLOG &&
			 item->state != KPOOL_ITEM_DROPPING;

	kpool_item_unlink(pool, item);
	if (in_stream && kpool_is_special(item))
		kpool_special_dequeue_dead(pool, item);
}

/*
 * Put an item whose turn had come before back in front of its line, but behind
 * older ones of that kind.  There are as many as runs have ended while nothing
 * could start; beyond a number no run of the mill has, their order is not kept.
 */
void kpool_unpark(struct kpool *pool, struct kpool_item *item)
{
	unsigned int looks = KPOOL_MAX_LOOKS;
	struct kpool_item *later;

	lockdep_assert_held(&pool->lock);
	kpool_scan_again(pool, item);
	kpool_item_unlink(pool, item);
	item->state = KPOOL_ITEM_QUEUED;
	list_for_each_entry(later, kpool_queue_of(pool, item), node)
		if (kpool_is_older(item, later) || !--looks)
			break;
	list_add_tail(&item->node, &later->node);
	pool->nr_queued++;
	kpool_special_add(pool, item);
	if (kpool_is_special(item))
		kpool_special_account(pool, item, true);
}

/* In front of the line */

/* Take the item of a sleeping submitter out of the queue in front. */
void kpool_unblock(struct kpool *pool, struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	kpool_scan_skip(pool, item);
	list_del(&item->node);
	list_del(&item->submitter->node);
	item->state = KPOOL_ITEM_IDLE;
	pool->nr_blocked--;
	kpool_special_unblock(pool, item);
	kpool_special_remove(pool, item);
}

/* End a sleeping submit with an error. */
void kpool_fail_blocked(struct kpool *pool, struct kpool_item *item, int err)
{
	struct kpool_waiter *waiter = item->submitter;

	kpool_unblock(pool, item);
	kpool_waiter_complete(pool, waiter, err);
}

/* A submitter that sleeps in a pool that has been closed is sent away. */
static bool kpool_fail_one_blocked(struct kpool *pool)
{
	struct kpool_waiter *waiter;

	if (!pool->closed || list_empty(&pool->submitters))
		return false;
	waiter = list_first_entry(&pool->submitters, struct kpool_waiter, node);
	kpool_fail_blocked(pool, waiter->item, -ESHUTDOWN);
	return true;
}

/*
 * Deal with the first in front of the line, if it need not wait any longer: was
 * there any?  Strictly in order of arrival.
 */
bool kpool_admit_one(struct kpool *pool)
{
	struct kpool_waiter *waiter;
	struct kpool_item *item;
	int err;

	lockdep_assert_held(&pool->lock);
	if (kpool_fail_one_blocked(pool))
		return true;
	item = list_first_entry_or_null(&pool->admission, struct kpool_item,
					node);
	if (!item || !kpool_has_room(pool, item))
		return false;
	if (item->state == KPOOL_ITEM_BACKLOG) {
		kpool_item_unlink(pool, item);
		/* behind those that came before it, accepted only now */
		item->queued_at = jiffies;
		item->seq = pool->next_seq++;
		kpool_enqueue(pool, item);
		return true;
	}

	waiter = item->submitter;
	err = kpool_is_special(item) ? kpool_special_check(pool, item) : 0;
	if (err == -ECANCELED) {
		kpool_fail_blocked(pool, item, err);
		return true;
	}
	kpool_unblock(pool, item);
	kpool_accept(pool, item);
	kpool_enqueue(pool, item);
	kpool_waiter_complete(pool, waiter, 0);
	return true;
}

/* Whose turn it is */

/* Put aside an item whose turn has come while its earlier run lasts. */
static void kpool_set_requeue(struct kpool *pool, struct kpool_run *run,
			      struct kpool_item *item)
{
	kpool_item_unlink(pool, item);
	item->state = KPOOL_ITEM_REQUEUE;
	run->requeue = item;
	run->special = true;
	pool->nr_requeue++;
	kpool_special_add(pool, item);
}

/* The run has ended: its item, pending again, is first in line. */
void kpool_requeue(struct kpool *pool, struct kpool_item *item)
{
	kpool_scan_again(pool, item);
	if (item->state == KPOOL_ITEM_DROPPING) {
		list_add_tail(&item->node, &pool->drop_list);
		kpool_queue_drop_work(pool);
	} else if (pool->aborted) {
		kpool_item_drop(pool, item, -ECANCELED);
	} else {
		kpool_unpark(pool, item);
	}
}

/* Must the next start go to a lower priority? */
static bool kpool_bypass_exhausted(const struct kpool *pool)
{
	int most = pool->attrs.max_bypass;

	return most != KPOOL_UNLIMITED &&
	       pool->nr_bypassed >= (unsigned int)most;
}

/* The first of the highest priority; at times, the oldest of a lower one. */
static struct kpool_item *kpool_pick_prio(struct kpool *pool)
{
	struct kpool_item *first = NULL, *lower = NULL, *item;
	int prio;

	for (prio = 0; prio < KPOOL_NR_QUEUES; prio++) {
		item = list_first_entry_or_null(&pool->queue[prio],
						struct kpool_item, node);
		if (!item)
			continue;
		if (!first)
			first = item;
		else if (!lower || kpool_is_older(item, lower))
			lower = item;
	}
	return lower && kpool_bypass_exhausted(pool) ? lower : first;
}

/* Must the first item wait for something but units and pause? */
static bool kpool_must_park(const struct kpool_item *item)
{
	return (item->flags & __KPOOL_STREAM_BLOCKED) || kpool_run_of(item);
}

/* On pool->queue: what is to be completed has started. */
static unsigned int kpool_nr_in_line(const struct kpool *pool)
{
	return pool->nr_queued - pool->nr_completions;
}

/* Is the first in line to be started, or parked? */
static bool kpool_has_line_work(struct kpool *pool)
{
	const struct kpool_item *item;

	if (!kpool_nr_in_line(pool) || pool->paused || pool->aborted ||
	    !kpool_free_units(pool))
		return false;
	item = kpool_pick_prio(pool);
	return kpool_must_park(item) ||
	       kpool_units(pool, item) <= kpool_free_units(pool);
}

/* Park those in front that cannot start, a batch at most: are there more? */
bool kpool_park_batch(struct kpool *pool)
{
	struct kpool_item *item;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < KPOOL_PARK_BATCH; i++) {
		if (!kpool_has_line_work(pool))
			return false;
		item = kpool_pick_prio(pool);
		if (!kpool_must_park(item))
			return false;
		if (item->flags & __KPOOL_STREAM_BLOCKED)
			kpool_park(pool, item);
		else
			kpool_set_requeue(pool, item->run, item);
	}
	return true;
}

/* kpool_has_work() where not all is plain. */
bool kpool_has_special_work(struct kpool *pool)
{
	if (pool->nr_completions)
		return kpool_free_units(pool);
	return kpool_has_line_work(pool);
}

/* The item that can start now, of any kind; NULL also if there is more to park. */
struct kpool_item *kpool_pick_next(struct kpool *pool)
{
	struct kpool_item *item;

	if (pool->nr_completions)
		return kpool_free_units(pool) ?
		       list_first_entry(&pool->completions, struct kpool_item,
					node) : NULL;
	kpool_park_batch(pool);
	if (!kpool_has_line_work(pool))
		return NULL;
	item = kpool_pick_prio(pool);
	return kpool_must_park(item) ? NULL : item;
}

/* Choose the worker to wake; one that would find nothing to start stays asleep. */
struct task_struct *kpool_kick_worker(struct kpool *pool)
{
	if (!pool->fast_capacity ||
	    kpool_must_park(list_first_entry(&pool->queue[KPOOL_QUEUE_NORMAL],
					     struct kpool_item, node))) {
		kpool_park_batch(pool);
		if (!kpool_has_special_work(pool))
			return NULL;
	}
	return kpool_pick_worker(pool);
}

/* Room, where not every item is plain */

/* Free units that what is to be completed leaves. */
static unsigned int kpool_units_left(const struct kpool *pool)
{
	unsigned int units = kpool_free_units(pool);

	return units - min(units, pool->nr_completions);
}

/*
 * The first in line that the free units are too few for, or NULL; so many in
 * front of it start as soon as a worker looks, and leave so many units.  Those
 * behind it wait.  Where so many are about to start that it is not worth while to
 * count them, the last one looked at counts as the first to wait.
 */
const struct kpool_item *kpool_first_unfit(const struct kpool *pool,
					   unsigned int *nr, unsigned int *left)
{
	unsigned int looks = KPOOL_MAX_LOOKS;
	const struct kpool_item *item;
	int prio;

	*nr = 0;
	*left = kpool_units_left(pool);
	for (prio = 0; prio < KPOOL_NR_QUEUES; prio++) {
		list_for_each_entry(item, &pool->queue[prio], node) {
			if (!looks--) {
				*left = 0;
				return item;
			}
			if (item->flags & __KPOOL_STREAM_BLOCKED)
				continue;
			if (kpool_units(pool, item) > *left)
				return item;
			*left -= kpool_units(pool, item);
			++*nr;
		}
	}
	return NULL;
}

/*
 * How many in line start as soon as a worker looks, and how many of the free
 * units are left for a newcomer?
 */
static unsigned int kpool_nr_runnable(const struct kpool *pool,
				      unsigned int *left)
{
	unsigned int ready = kpool_nr_in_line(pool) - pool->nr_stream_blocked, nr;

	*left = kpool_units_left(pool);
	if (ready + pool->queued_extra <= *left) {
		*left -= ready + pool->queued_extra;
		return ready;
	}
	if (pool->queued_extra)
		kpool_first_unfit(pool, &nr, left);
	else
		nr = *left;
	*left = 0;
	return nr;
}

/* Could the item start at once, or do fewer than queue_depth wait? */
bool kpool_has_room(const struct kpool *pool, const struct kpool_item *item)
{
	unsigned int left, startable;

	if (!pool->nr_special && !kpool_is_special(item))
		return kpool_has_plain_room(pool);
	startable = kpool_nr_runnable(pool, &left);

	if (!kpool_must_wait_for_stream(item) && kpool_units(pool, item) <= left)
		return true;
	return kpool_nr_in_line(pool) - startable + pool->nr_parked <
	       (unsigned int)pool->attrs.queue_depth;
}

/* Would the item, once accepted, start without waiting for anything but a worker? */
bool kpool_can_start_now(const struct kpool *pool, const struct kpool_item *item)
{
	unsigned int left;

	if (pool->paused || !list_empty(&pool->admission) ||
	    kpool_run_of(item) || kpool_must_wait_for_stream(item))
		return false;
	kpool_nr_runnable(pool, &left);
	return kpool_units(pool, item) <= left;
}

/* Is there room for an item of that many units, and no submitter before it? */
static bool kpool_has_room_for(const struct kpool *pool, unsigned int units)
{
	unsigned int left, startable;

	if (!list_empty(&pool->admission))
		return false;
	/* what is heavier than a shrunk capacity is refused for good: -EINVAL */
	if (units != UINT_MAX)
		units = min_t(unsigned int, units, pool->attrs.capacity);
	startable = kpool_nr_runnable(pool, &left);
	return units <= left ||
	       kpool_nr_in_line(pool) - startable + pool->nr_parked <
	       (unsigned int)pool->attrs.queue_depth;
}

/* Have the owner told if a submitter was refused that would not be now. */
bool kpool_notify_room(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (!pool->room_units ||
	    (!pool->closed && !kpool_has_room_for(pool, pool->room_units)))
		return false;
	pool->room_units = 0;
	pool->room_stream_units = 0;
	pool->nr_recheck--;
	pool->room_pending = true;
	kpool_queue_drop_work(pool);
	return true;
}

/* Would there be a place in the queue if one of those who wait left it? */
bool kpool_one_slot_short(const struct kpool *pool)
{
	unsigned int left, startable = kpool_nr_runnable(pool, &left);

	return pool->attrs.queue_depth &&
	       kpool_nr_in_line(pool) - startable + pool->nr_parked ==
	       (unsigned int)pool->attrs.queue_depth;
}

/*
 * Odd items: those with a weight, a priority, or a job around them.
 *
 * This is the only way from the line and the worker to the rooms of those
 * abilities, and a plain item in a plain pool never comes here: an item without
 * flags is not asked for what it might have, and while nothing odd is pending
 * or blocked (nr_special), neither is the pool.
 *
 * A run may free its item, so what is needed at its end moves to the worker at
 * its beginning.
 */

/* The job around an item, or NULL. */
static struct kpool_job *kpool_job_or_null(const struct kpool_item *item)
{
	return item->flags & __KPOOL_JOB ?
	       container_of((struct kpool_item *)item, struct kpool_job, item) :
	       NULL;
}

/* Counting what is special */

/* An item becomes pending or blocked. */
void kpool_special_add(struct kpool *pool, struct kpool_item *item)
{
	if (!kpool_is_special(item))
		return;
	pool->nr_special++;
	kpool_update_fast_capacity(pool);
}

/* An item is not pending or blocked any more. */
void kpool_special_remove(struct kpool *pool, struct kpool_item *item)
{
	if (!kpool_is_special(item))
		return;
	pool->nr_special--;
	kpool_update_fast_capacity(pool);
}

/* An odd item joins the line, or leaves it. */
void kpool_special_account(struct kpool *pool, struct kpool_item *item, bool in)
{
	int sign = in ? 1 : -1;

	if (item->flags & __KPOOL_STREAM_BLOCKED)
		pool->nr_stream_blocked += sign;
	else
		pool->queued_extra += sign * (s64)(kpool_weight(item) - 1);
}

static bool kpool_any_queued(const struct kpool *pool, int from, int to)
{
	for (; from <= to; from++)
		if (!list_empty(&pool->queue[from]))
			return true;
	return false;
}

/* Count the starts past a lower priority, until one of those starts. */
static void kpool_count_bypassed(struct kpool *pool, const struct kpool_item *item)
{
	int prio = kpool_queue_of(pool, item) - pool->queue;

	if (!kpool_any_queued(pool, prio + 1, KPOOL_QUEUE_LOW) ||
	    kpool_any_queued(pool, KPOOL_QUEUE_HIGH, prio - 1))
		pool->nr_bypassed = 0;
	else
		pool->nr_bypassed++;
}

/*
 * Some item has been taken out of a line where perhaps not all are plain; one
 * that is dropped instead of started takes nobody's turn.
 */
void kpool_special_dequeue(struct kpool *pool, struct kpool_item *item, bool starts)
{
	if (!pool->nr_special) {
		/* all in line are alike: nobody has been passed */
		pool->nr_bypassed = 0;
		return;
	}
	if (starts)
		kpool_count_bypassed(pool, item);
	if (kpool_is_special(item))
		kpool_special_account(pool, item, false);
	kpool_special_remove(pool, item);
}

/* What happens to a special item */

/* May it be accepted, room aside? */
int kpool_special_check(struct kpool *pool, struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	if (item->flags & __KPOOL_NO_JOB ||
	    kpool_weight(item) > (u32)pool->attrs.capacity)
		return -EINVAL;
	if (!job)
		return 0;
	if (job->stream && job->stream->pool != pool)
		return -EINVAL;
	if (!job->complete == kpool_is_ordered(item))
		return -EINVAL;
	if (kpool_is_to_complete(item))
		return -EALREADY;
	if (job->group && job->group->pool != pool)
		return -EINVAL;
	return job->group && kpool_group_is_cancelled(job->group) ?
	       -ECANCELED : 0;
}

void kpool_special_accept(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->group)
		kpool_group_join(pool, job);
}

/*
 * It comes into the line.  Not before does a job join its stream: a submitter
 * that waits in front of it with another of the stream would follow it then.
 */
void kpool_special_enqueue(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->stream)
		kpool_stream_join(pool, job);
	kpool_special_account(pool, item, true);
}

/* Its turn has come: 0, or the error that it is dropped with. */
int kpool_check_start(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	if (!job)
		return 0;
	if (job->group && kpool_group_is_cancelled(job->group))
		return -ECANCELED;
	return job->deadline && ktime_after(ktime_get(), job->deadline) ?
	       -ETIME : 0;
}

void kpool_special_run_begin(struct kpool *pool, struct kpool_run *run,
			     struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);
	unsigned int extra = kpool_units(pool, item) - 1;

	if (item->flags & __KPOOL_HAS_WAITERS)
		kpool_move_waiters(pool, item, &run->waiters);
	if (!kpool_is_special(item))
		return;
	run->special = true;
	run->units += extra;
	pool->units_used += extra;
	pool->units_extra += extra;
	if (job && job->stream)
		kpool_stream_begin(run, job);
	if (job && job->group)
		run->group = kpool_group_begin(pool, job);
}

/* Ordered streams */

/* The second function of the item, or NULL. */
kpool_item_fn kpool_complete_fn(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	return job ? job->complete : NULL;
}

/* Is the item, taken out of the line, to be completed? */
bool kpool_is_completion(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	return job && job->turn.state == KPOOL_TURN_READY;
}

/* Does the item run, to be completed after that? */
bool kpool_is_to_complete(const struct kpool_item *item)
{
	const struct kpool_run *run = kpool_run_of(item);

	return run && run->to_complete;
}

/* A job whose turn to be completed has come begins its second run. */
void kpool_odd_completes(struct kpool *pool, struct kpool_run *run,
			 struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_of(item);

	pool->nr_completions--;
	kpool_special_remove(pool, item);
	if (item->flags & __KPOOL_HAS_WAITERS)
		kpool_move_waiters(pool, item, &run->waiters);
	run->special = true;
	run->result = job->result;
	kpool_stream_complete(run, job);
	if (job->group)
		kpool_group_complete(job);
	run->group = job->group;
}

/*
 * Has the job ended, by its run?  In an ordered stream it has not while it is to
 * be completed.  Then the item has not been freed; else it may be gone, unless
 * its group collects.
 */
bool kpool_special_run_end(struct kpool *pool, struct kpool_run *run,
			   struct kpool_item *item, int err, bool lost)
{
	struct kpool_group *group = run->group;
	unsigned int extra = run->units - 1;

	run->special = false;
	run->group = NULL;
	run->units -= extra;
	pool->units_used -= extra;
	pool->units_extra -= extra;
	if (run->to_complete && !lost) {
		kpool_job_of(item)->result = err;
		kpool_keep_waiters(item, &run->waiters);
		kpool_stream_finished(pool, run, kpool_job_of(item));
		return false;
	}
	if (run->result) {
		err = run->result;
		run->result = 0;
	}
	kpool_run_release(pool, run);
	if (run->stream)
		kpool_stream_end(pool, run);
	if (group)
		kpool_group_end(pool, group, item, err, err);
	return true;
}

/* The submitter of a job sleeps: its group may be cancelled meanwhile. */
void kpool_special_block(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->group)
		kpool_group_block(pool, job);
}

/* It does not any more. */
void kpool_special_unblock(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->group)
		kpool_group_unblock(pool, job);
}

/* It will be dropped: its group need not look at it again. */
void kpool_special_drop(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	lockdep_assert_held(&pool->lock);
	if (job && job->group)
		list_del_init(&job->group_node);
}

/* It has left the line for good and will not run. */
void kpool_special_dequeue_dead(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	if (job && job->stream)
		kpool_stream_leave(pool, job);
}

/* It is not pending any more; the group that it belongs to, or NULL. */
struct kpool_group *kpool_special_take_group(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_or_null(item);

	return job && job->group ? kpool_group_begin(pool, job) : NULL;
}
