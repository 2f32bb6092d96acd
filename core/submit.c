// SPDX-License-Identifier: GPL-2.0-only
/*
 * A submit accepts an item, blocks until it can, or refuses the item.
 *
 * The decision is made under pool->lock, except that an item can be accepted
 * through pool->inbox without it: see queue.h.  Either way the run sees all
 * stores made before the submit, even if that returned -EALREADY.
 *
 * Most items are plain, in pools without special items: see kpool_is_plain()
 * and kpool_is_special().  With the lock held, kpool_admit_plain() queues them
 * after a few tests, and everything else goes to kpool_admit(), at the end of
 * this file.
 *
 * If there is no room, kpool_overflow() does the first of these that it can:
 *
 *   - put the item on the backlog, if its own function submits it
 *   - drop an older item
 *   - run the item in the submitter
 *   - block the submitter
 *   - refuse the item
 */
#include <linux/module.h>

#include "debug.h"
#include "internal.h"
#include "item.h"
#include "lock.h"
#include "queue.h"
#include "run.h"
#include "trace.h"
#include "watchdog.h"

/* Options of a submit that finds no room. */
struct kpool_submit_opts {
	unsigned long	timeout;	/* jiffies to sleep; 0: never sleep */
	unsigned int	signals;	/* TASK_* bits that end the sleep */
	struct kpool_run **run;		/* memory for one run in the submitter */
};

/* Not an error: submit again, with a struct kpool_run for the submitter. */
#define KPOOL_NEEDS_RUN		1

/* Submit of a plain item */

/* Defined below, with what is not plain. */
static bool kpool_inbox_can_take(const struct kpool *pool,
				 const struct kpool_item *item);
static noinline int kpool_admit(struct kpool *pool, struct kpool_item *item,
				const struct kpool_submit_opts *opts,
				struct kpool_handover *handover,
				unsigned long flags);
static noinline int kpool_submit_with_run(struct kpool *pool,
					  struct kpool_item *item,
					  const struct kpool_submit_opts *opts);

/*
 * Accept an item without pool->lock, or return false: see queue.h.  If @plain,
 * return false for an item that is not plain.
 */
static __always_inline bool kpool_submit_fast(struct kpool *pool,
					      struct kpool_item *item,
					      bool plain)
{
	u32 not_fast = plain ? KPOOL_NOT_IDLE_PLAIN : KPOOL_NOT_FAST;
	struct kpool_inbox *inbox = &pool->inbox;
	/* racy: the cmpxchg below fails if it has changed */
	u32 word = data_race(READ_ONCE(item->word));
	u64 ticket;

	/* a fast submit is not traced: leave it to the slow path */
	if (unlikely((word & not_fast) || trace_submit_enabled() ||
		     !kpool_item_claim(pool, item)) ||
	    !kpool_inbox_reserve(inbox, &ticket))
		return false;
	/*
	 * From here on, a failure leaves the slot reserved, and the lock holder
	 * skips it: see kpool_slot_settle().  The acquire in
	 * kpool_inbox_reserve() orders the reads below after the opening of the
	 * inbox, so read the owner again.  The release of the commit orders
	 * them before the next lock holder.  That stamps the item with the time
	 * of opening: fail unless it is this jiffy.  plain_at never matches if
	 * plain items must take the lock.  Litmus: owner-fast.
	 */
	if (unlikely(READ_ONCE(item->pool_id) != pool->id) ||
	    (plain ? READ_ONCE(inbox->plain_at) :
		     READ_ONCE(inbox->opened_at)) != (u32)jiffies)
		return false;
	/* racy: the commit fails if the lock has been taken since */
	if (!plain && !data_race(kpool_inbox_can_take(pool, item)))
		return false;
	/* a lock holder can be reading the flags, which do not change here */
	if (!data_race(try_cmpxchg_relaxed(&item->word, &word, word |
					   KPOOL_STATE(KPOOL_ITEM_SUBMITTING))))
		return false;
	/* if it fails, the state stays: kpool_is_idle() accepts SUBMITTING */
	return kpool_slot_commit(&inbox->slots[ticket % KPOOL_RING_SIZE],
				 ticket, item);
}

/*
 * Accept and queue a plain item, or return false.  Called with pool->lock held.
 *
 * KPOOL_NOT_IDLE_PLAIN covers the item: it is KPOOL_ITEM_IDLE, not disabled,
 * and plain.  One that a failed commit has left in KPOOL_ITEM_SUBMITTING goes
 * to kpool_admit().  pool->fast_capacity covers the pool: it is 0 while the pool
 * is closed or paused, or has anything special to look at.  An item on
 * pool->q.admission is older than this one and must be queued first.
 */
static inline bool kpool_admit_plain(struct kpool *pool,
				     struct kpool_item *item)
{
	lockdep_assert_held(&pool->lock);
	if (unlikely((READ_ONCE(item->word) & KPOOL_NOT_IDLE_PLAIN) ||
		     !pool->fast_capacity ||
		     !list_empty(&pool->q.admission)) ||
	    !kpool_has_plain_room(pool))
		return false;
	kpool_count_accepted(pool, item);
	kpool_queue_plain(pool, item);
	return true;
}

/*
 * Take pool->lock, accept or refuse the item, and release the lock.
 * kpool_item_lock_for_submit() makes @pool the owner of the item; if it fails,
 * the lock is not held.  kpool_unlock_open() also wakes a worker for the item
 * if one is needed.
 */
static noinline int kpool_lock_and_submit(struct kpool *pool,
					  struct kpool_item *item,
					  const struct kpool_submit_opts *opts)
{
	struct kpool_handover handover;
	unsigned long flags;
	int err;

	err = kpool_item_lock_for_submit(pool, item, &handover, &flags);
	if (err)
		return err;
	if (!kpool_admit_plain(pool, item)) {
		err = kpool_admit(pool, item, opts, &handover, flags);
		if (err)
			kpool_item_return(pool, item, &handover);
	}
	kpool_unlock_open(pool, flags);
	if (unlikely(err == KPOOL_NEEDS_RUN))
		err = kpool_submit_with_run(pool, item, opts);
	return err;
}

/*
 * Submit an item that is not plain, without the lock if that is possible, or a
 * plain one that was not accepted without it.
 */
static noinline int kpool_submit_slow(struct kpool *pool,
				      struct kpool_item *item,
				      const struct kpool_submit_opts *opts)
{
	/* racy: a caller that begins to wait sets __KPOOL_HAS_WAITERS */
	if (!data_race(kpool_is_plain(item)) &&
	    kpool_submit_fast(pool, item, false))
		return 0;
	return kpool_lock_and_submit(pool, item, opts);
}

/* Submit an item, without pool->lock if that is possible. */
static __always_inline int
__kpool_do_submit(struct kpool *pool, struct kpool_item *item,
		  const struct kpool_submit_opts *opts)
{
	int err = kpool_check_fn(item);

	if (err)
		return err;
	if (likely(kpool_submit_fast(pool, item, true)))
		return 0;
	return kpool_submit_slow(pool, item, opts);
}

/* Out-of-line copy of __kpool_do_submit(). */
static noinline int kpool_do_submit(struct kpool *pool, struct kpool_item *item,
				    const struct kpool_submit_opts *opts)
{
	return __kpool_do_submit(pool, item, opts);
}

int kpool_submit(struct kpool *pool, struct kpool_item *item)
{
	static const struct kpool_submit_opts opts = {
		.timeout = MAX_SCHEDULE_TIMEOUT,
	};

	/*
	 * Debug check only: nonblocking is read again under pool->lock.  Not
	 * might_sleep(), which is a preemption point and would cost a context
	 * switch for each item.
	 */
	if (!data_race(pool->attrs.nonblocking))
		__might_sleep(__FILE__, __LINE__);
	return __kpool_do_submit(pool, item, &opts);
}
EXPORT_SYMBOL_GPL(kpool_submit);

/* Other submits */

int kpool_try_submit(struct kpool *pool, struct kpool_item *item)
{
	static const struct kpool_submit_opts opts = { };

	return __kpool_do_submit(pool, item, &opts);
}
EXPORT_SYMBOL_GPL(kpool_try_submit);

/* Submit like kpool_submit_timeout(); @signals end the sleep, too. */
int kpool_submit_signals(struct kpool *pool, struct kpool_item *item,
			 unsigned long timeout, unsigned int signals)
{
	struct kpool_submit_opts opts = {
		.timeout = timeout,
		.signals = signals,
	};

	if (timeout)
		__might_sleep(__FILE__, __LINE__);
	return kpool_do_submit(pool, item, &opts);
}

int kpool_submit_timeout(struct kpool *pool, struct kpool_item *item,
			 unsigned long timeout)
{
	return kpool_submit_signals(pool, item, timeout, 0);
}
EXPORT_SYMBOL_GPL(kpool_submit_timeout);

int kpool_submit_killable(struct kpool *pool, struct kpool_item *item)
{
	return kpool_submit_signals(pool, item, MAX_SCHEDULE_TIMEOUT,
				    TASK_WAKEKILL);
}
EXPORT_SYMBOL_GPL(kpool_submit_killable);

int kpool_submit_interruptible(struct kpool *pool, struct kpool_item *item)
{
	return kpool_submit_signals(pool, item, MAX_SCHEDULE_TIMEOUT,
				    TASK_INTERRUPTIBLE);
}
EXPORT_SYMBOL_GPL(kpool_submit_interruptible);

/*
 * Return true if there is a worker, or one can be created, for one more item
 * than @runnable.  An exiting worker keeps its place until it has been reaped.
 */
static bool kpool_has_thread_for(const struct kpool *pool,
				 unsigned int runnable)
{
	unsigned int most = max_t(unsigned int, pool->attrs.capacity,
				  pool->mgr.nr_workers + pool->mgr.nr_spawning);

	return most - pool->mgr.nr_exiting >
	       pool->nr_running + pool->q.nr_completions + runnable;
}

/* Return true if the item, once accepted, would wait only for a worker. */
static bool kpool_can_start_now(struct kpool *pool,
				const struct kpool_item *item)
{
	unsigned int left, runnable;

	if (pool->paused || !list_empty(&pool->q.admission) ||
	    kpool_run_of(item) || kpool_should_wait_for_stream(item))
		return false;
	runnable = kpool_nr_runnable(pool, kpool_prio_of(item), &left);
	return kpool_units(pool, item) <= left &&
	       kpool_has_thread_for(pool, runnable);
}

int kpool_submit_now(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_handover handover;
	unsigned long flags;
	int err;

	err = kpool_check_fn(item) ?:
	      kpool_item_lock_for_submit(pool, item, &handover, &flags);
	if (err)
		return err;
	err = kpool_check_accept(pool, item);
	if (!err && !kpool_can_start_now(pool, item)) {
		pool->stats.refused++;
		err = -EAGAIN;
		trace_refuse(pool, item, err);
	}
	if (!err) {
		kpool_accept(pool, item);
		kpool_enqueue(pool, item);
	} else {
		kpool_item_return(pool, item, &handover);
	}
	kpool_unlock(pool, flags);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_submit_now);

/* Full pool: block the submitter, or refuse the item */

/*
 * Return true if the caller can sleep.  Check the context, too: the pool can
 * have been switched from nonblocking to blocking under a caller in interrupt
 * context or with interrupts off.
 */
static bool kpool_can_sleep(const struct kpool *pool,
			    const struct kpool_submit_opts *opts,
			    unsigned long flags)
{
	return opts->timeout && !pool->attrs.nonblocking &&
	       in_task() && !irqs_disabled_flags(flags);
}

/*
 * Sleep until the item is accepted, or fail.  If it is refused, the waiter
 * returns it to the run of @handover.  Called with pool->lock held, which is
 * dropped while asleep.
 */
static int kpool_block(struct kpool *pool, struct kpool_item *item,
		       const struct kpool_submit_opts *opts,
		       struct kpool_handover *handover)
{
	void *fn = kpool_user_fn(item);
	struct kpool_waiter waiter;
	int err;

	lockdep_assert_held(&pool->lock);
	trace_block(pool, item);
	kpool_waiter_init(&waiter, KPOOL_WAITER_SUBMIT, item);
	waiter.handover = *handover;
	handover->run = NULL;
	item->submitter = &waiter;
	item->state = KPOOL_ITEM_BLOCKED;
	list_add_tail(&item->node, &pool->q.admission);
	list_add_tail(&waiter.node, &pool->q.submitters);
	pool->q.nr_blocked++;
	kpool_special_add(pool, item);
	kpool_group_block(pool, item);
	err = kpool_wait(pool, &waiter, opts->timeout, opts->signals);
	/* timeout or signal: the item is still on pool->q.admission */
	if (!list_empty(&waiter.node)) {
		kpool_unblock(pool, item);
		item->state = KPOOL_ITEM_IDLE;
		kpool_item_return(pool, item, &waiter.handover);
	}
	trace_unblock(pool, item, fn, err);
	return err;
}

/*
 * Record that a job is refused for which free units are not enough, because it
 * has to wait for @stream: see kpool_stream_idle().
 */
static void kpool_refuse_in_stream(struct kpool *pool,
				   struct kpool_stream *stream,
				   enum kpool_queue_prio prio,
				   unsigned int units)
{
	unsigned int *least = &pool->q.room_stream_units[prio];

	stream->refused = pool->q.room_epoch;
	*least = min_not_zero(*least, units);
}

/*
 * Account for an item that is refused with -EAGAIN.  Record the lightest item
 * refused of each priority, so that kpool_notify_room() can have the client's
 * room function called once it would find room.
 */
static void kpool_refuse(struct kpool *pool, const struct kpool_item *item)
{
	enum kpool_queue_prio prio = kpool_prio_of(item);
	unsigned int units = kpool_units(pool, item);
	unsigned int *least = &pool->q.room_units[prio];

	pool->stats.refused++;
	trace_refuse(pool, item, -EAGAIN);
	if (!pool->init_attrs.room)
		return;
	if (!kpool_has_refused(pool->q.room_units))
		pool->nr_recheck++;
	if (kpool_should_wait_for_stream(item)) {
		kpool_refuse_in_stream(pool, kpool_job_or_null(item)->stream,
				       prio, units);
		units = KPOOL_ROOM_STREAM;
	}
	*least = min_not_zero(*least, units);
}

/* Full pool: run the item in its submitter */

/*
 * Return true if the submitter, which can sleep, can run the item itself.
 * Called with pool->lock held.
 */
static bool kpool_can_caller_run(struct kpool *pool,
				 const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	lockdep_assert_held(&pool->lock);
	if (pool->attrs.when_full != KPOOL_FULL_CALLER_RUNS || pool->paused)
		return false;
	/* a stream runs its jobs in order */
	if (job && job->stream)
		return false;
	return !kpool_run_of(item) && kpool_can_nest(pool);
}

/*
 * Accept the item and run it, with @run as memory, which belongs to the pool
 * afterwards.  Called with pool->lock held, which is dropped during the run.
 */
static void kpool_caller_run(struct kpool *pool, struct kpool_item *item,
			     struct kpool_run *run)
{
	void *user_fn = kpool_user_fn(item);
	kpool_item_fn fn = item->fn;
	struct kpool_task_state before;
	int err;

	lockdep_assert_held(&pool->lock);
	kpool_accept(pool, item);
	err = kpool_check_start(item);
	if (err) {
		kpool_run_put(pool, run);
		kpool_item_drop(pool, item, err);
		return;
	}
	kpool_ext_run_begin(pool, run, item, KPOOL_RUN_CALLER);
	kpool_latency_begin(pool, run, item);
	trace_start(pool, item, user_fn);
	kpool_unlock_irq(pool);

	kpool_task_state_save(&before);
	err = fn(item);
	trace_end(pool, item, user_fn, err);
	if (unlikely(kpool_has_leaked_state(&before)))
		kpool_task_state_restore(pool, user_fn, &before);
	if (err)
		kpool_report_error(pool, run, current, err);

	kpool_lock_irq(pool);
	kpool_latency_end(pool, run);
	kpool_caller_run_end(pool, run, err);
}

/*
 * Run the item in its submitter if that is possible.  Return 0 if it was
 * accepted, -EAGAIN if not, or KPOOL_NEEDS_RUN.
 */
static int kpool_try_caller_run(struct kpool *pool, struct kpool_item *item,
				const struct kpool_submit_opts *opts)
{
	struct kpool_run *run = NULL;

	if (!kpool_can_caller_run(pool, item))
		return -EAGAIN;
	/* use the caller's first: it would leak if this thread died */
	if (opts->run)
		swap(run, *opts->run);
	if (!run)
		run = kpool_run_take(pool);
	if (!run)
		return opts->run ? -EAGAIN : KPOOL_NEEDS_RUN;
	kpool_caller_run(pool, item, run);
	return 0;
}

/* Full pool: drop an older item */

/* Return true if @item is queued behind @other. */
static bool kpool_is_behind(const struct kpool_item *item,
			    const struct kpool_item *other)
{
	enum kpool_queue_prio prio = kpool_prio_of(item);
	enum kpool_queue_prio other_prio = kpool_prio_of(other);

	return prio > other_prio ||
	       (prio == other_prio && kpool_is_older(other, item));
}

/* Return the item that can start next in the stream of the first, or NULL. */
static const struct kpool_item *
kpool_next_in_stream(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	if (!job || !job->stream || job->stream->ordered ||
	    list_is_last(&job->stream_node, &job->stream->jobs))
		return NULL;
	return &list_next_entry(job, stream_node)->item;
}

/*
 * Return true if dropping the queued @item makes room for @newcomer.
 *
 * A job that waits for its stream, or an item @behind the first that lacks
 * units, frees a place in the queue.  An item that could start frees its units
 * only.  With the units left, these must be enough for the next job of its
 * stream, if that starts ahead of @unfit.  Otherwise they must be enough for
 * @unfit, the first queued item that lacks units, or for @newcomer, if there is
 * no @unfit or @newcomer starts ahead of it.
 */
static bool kpool_is_victim(struct kpool *pool, const struct kpool_item *item,
			    bool behind, const struct kpool_item *newcomer,
			    const struct kpool_runnable *r)
{
	unsigned int units = r->left + kpool_units(pool, item);
	const struct kpool_item *next, *unfit = r->unfit;

	if (item->flags & __KPOOL_STREAM_BLOCKED || behind)
		return true;
	next = kpool_next_in_stream(item);
	if (next && (!unfit || kpool_is_behind(unfit, next)))
		return kpool_units(pool, next) <= units;
	if (unfit && kpool_units(pool, unfit) <= units)
		return true;
	return kpool_can_bypass(pool, kpool_prio_of(newcomer), r) &&
	       !kpool_should_wait_for_stream(newcomer) &&
	       kpool_units(pool, newcomer) <= units;
}

/*
 * Return the oldest parked item of the queue's priority that no longer runs,
 * or NULL.
 */
static struct kpool_item *kpool_oldest_parked(struct kpool *pool,
					      const struct list_head *queue)
{
	unsigned int looks = KPOOL_MAX_LOOKS;
	struct kpool_item *item;

	list_for_each_entry(item, &pool->q.parked, node) {
		if (kpool_queue_of(pool, item) == queue && !kpool_run_of(item))
			return item;
		if (!--looks)
			break;
	}
	return NULL;
}

/*
 * Return the oldest item of the queue that makes room for @newcomer, or NULL:
 * see kpool_is_victim().
 */
static struct kpool_item *kpool_oldest_queued(struct kpool *pool,
					      struct list_head *queue,
					      const struct kpool_item *newcomer,
					      const struct kpool_runnable *r)
{
	const struct list_head *at = r->unfit ? r->at[queue - pool->q.prio] :
						NULL;
	unsigned int looks = KPOOL_MAX_LOOKS;
	struct kpool_item *item;
	bool behind = false;

	list_for_each_entry(item, queue, node) {
		behind |= &item->node == at;
		if (!kpool_run_of(item) &&
		    kpool_is_victim(pool, item, behind, newcomer, r))
			return item;
		if (!--looks)
			break;
	}
	return NULL;
}

/*
 * Return the item to drop for @newcomer, or NULL: the oldest that makes room,
 * of the lowest priority that is not above @newcomer's.  A queued item that was
 * put back, and lacks units, can be older than a parked one.
 */
static struct kpool_item *kpool_pick_victim(struct kpool *pool,
					    const struct kpool_item *newcomer,
					    struct kpool_runnable *r)
{
	struct list_head *queue = &pool->q.prio[KPOOL_QUEUE_LOW];
	struct kpool_item *parked, *queued;

	if (!r->walked)
		kpool_find_unfit(pool, r);
	for (; queue >= kpool_queue_of(pool, newcomer); queue--) {
		parked = kpool_oldest_parked(pool, queue);
		queued = kpool_oldest_queued(pool, queue, newcomer, r);
		if (parked && queued)
			return kpool_is_older(queued, parked) ? queued : parked;
		if (parked || queued)
			return parked ?: queued;
	}
	return NULL;
}

/* Return true if dropping one waiting item would make room in the queue. */
static bool kpool_is_one_place_short(struct kpool *pool,
				     struct kpool_runnable *r)
{
	kpool_find_runnable(pool, r);
	return pool->attrs.queue_depth &&
	       kpool_nr_places_taken(pool, r->nr) ==
	       (unsigned int)pool->attrs.queue_depth;
}

/*
 * Drop an older item for @newcomer if attrs.when_full asks for that.  Return
 * false if that would not make room, or @newcomer would overtake an item on
 * pool->q.admission.  Called with pool->lock held.
 */
static bool kpool_evict_for(struct kpool *pool,
			    const struct kpool_item *newcomer)
{
	struct kpool_item *oldest;
	struct kpool_runnable r;

	lockdep_assert_held(&pool->lock);
	if (pool->attrs.when_full != KPOOL_FULL_DROP_OLDEST ||
	    !list_empty(&pool->q.admission))
		return false;
	if (!kpool_is_one_place_short(pool, &r))
		return false;
	kpool_ready_return(pool);
	oldest = kpool_pick_victim(pool, newcomer, &r);
	if (!oldest)
		return false;
	kpool_item_drop(pool, oldest, -EAGAIN);
	return true;
}

/* Full pool: choose what to do */

/*
 * Deal with an item that there is no room for.  An item that submits itself is
 * always accepted, into the backlog: its worker must not wait for room.
 * Otherwise do what attrs.when_full and the context of the caller allow.
 * Called with pool->lock held, which is dropped while the caller sleeps or runs
 * the item.
 */
static int kpool_overflow(struct kpool *pool, struct kpool_item *item,
			  const struct kpool_submit_opts *opts,
			  struct kpool_handover *handover,
			  unsigned long flags)
{
	int err;

	lockdep_assert_held(&pool->lock);
	if (kpool_is_self_submit(pool, item)) {
		kpool_accept(pool, item);
		kpool_backlog_add(pool, item, &pool->q.admission);
		return 0;
	}
	if (kpool_evict_for(pool, item)) {
		kpool_accept(pool, item);
		kpool_enqueue(pool, item);
		return 0;
	}
	if (kpool_can_sleep(pool, opts, flags)) {
		err = kpool_try_caller_run(pool, item, opts);
		if (err != -EAGAIN)
			return err;
		if (pool->q.nr_blocked < (unsigned int)pool->attrs.max_blocked)
			return kpool_block(pool, item, opts, handover);
	}
	kpool_refuse(pool, item);
	return -EAGAIN;
}

/* Items that are not plain */

static inline bool kpool_is_too_heavy(const struct kpool *pool,
				      const struct kpool_item *item)
{
	return kpool_weight(item) > (u32)pool->attrs.capacity;
}

/*
 * Return 0 if an item that is not plain can be accepted, not considering room
 * and its weight, or an error.
 */
static __always_inline int kpool_check_fields(const struct kpool *pool,
					      const struct kpool_item *item)
{
	const struct kpool_job *job;

	if (!kpool_has_fields(item))
		return 0;
	job = kpool_job_or_null(item);
	if (!job)
		return -EINVAL;
	if (job->stream && job->stream->pool != pool)
		return -EINVAL;
	if (!job->complete == kpool_is_ordered(item))
		return -EINVAL;
	if (job->group && job->group->pool != pool)
		return -EINVAL;
	return kpool_group_is_cancelled(job->group) ? -ECANCELED : 0;
}

/*
 * Return true if a fast submit can accept a job of this group.  The first job
 * of a group counts in all parents, which is not done for a batch of items.
 */
static bool kpool_group_is_fast(const struct kpool *pool,
				const struct kpool_group *group)
{
	return !group || (group->pool == pool && group->left &&
			  !kpool_group_is_cancelled(group));
}

/*
 * Return true if the item is an ordered job that runs, and is still to be
 * completed.  Its run cannot be looked at without the lock.
 */
static bool kpool_has_running_turn(const struct kpool_item *item)
{
	const struct kpool_job *job = kpool_job_or_null(item);

	return job && job->turn.state == KPOOL_TURN_RUNNING;
}

/* Return true if the inbox takes an item that is not plain. */
static bool kpool_inbox_can_take(const struct kpool *pool,
				 const struct kpool_item *item)
{
	u8 mode = READ_ONCE(pool->inbox.mode);

	if (mode == KPOOL_INBOX_NORMAL)
		return !kpool_is_special(item) &&
		       kpool_group_is_fast(pool, kpool_group_of(item));
	if (mode == KPOOL_INBOX_BEHIND && !kpool_should_wait_for_stream(item))
		return false;
	return !kpool_is_too_heavy(pool, item) &&
	       !kpool_check_fields(pool, item) &&
	       !kpool_has_running_turn(item) &&
	       kpool_group_is_fast(pool, kpool_group_of(item));
}

/* Slow paths: any item, any pool */

static __always_inline int __kpool_check_accept(struct kpool *pool,
						struct kpool_item *item)
{
	if (!kpool_is_idle(item) || kpool_is_to_complete(item))
		return -EALREADY;
	if (pool->closed)
		return -ESHUTDOWN;
	if (kpool_module_is_going(pool, item))
		return -ESHUTDOWN;
	if (item->disabled)
		return -ECANCELED;
	if (kpool_is_plain(item))
		return 0;
	/* an item that submits itself is not refused if capacity has shrunk */
	if (kpool_is_too_heavy(pool, item) && !kpool_is_self_submit(pool, item))
		return -EINVAL;
	return kpool_check_fields(pool, item);
}

/*
 * End the blocked submit of an item that submits itself.  The -EALREADY of its
 * own submit promises another run, and a blocked submit could still fail.  The
 * item keeps its place.
 */
static noinline int kpool_end_blocked(struct kpool *pool,
				      struct kpool_item *item)
{
	struct kpool_waiter *waiter = item->submitter;
	struct list_head *next = item->node.next;
	int err;

	kpool_unblock(pool, item);
	item->state = KPOOL_ITEM_IDLE;
	err = __kpool_check_accept(pool, item);
	if (!err) {
		kpool_accept(pool, item);
		kpool_backlog_add(pool, item, next);
	}
	kpool_waiter_complete(pool, waiter, err);
	return err ?: -EALREADY;
}

/*
 * Return 0 if the item can be accepted, not considering room, or an error.  If
 * another caller is blocked with the item, and the item submits itself, end
 * that submit.  Called with pool->lock held; @pool owns the item.
 */
int kpool_check_accept(struct kpool *pool, struct kpool_item *item)
{
	int err;

	lockdep_assert_held(&pool->lock);
	if (unlikely(item->state == KPOOL_ITEM_BLOCKED) &&
	    kpool_is_self_submit(pool, item))
		err = kpool_end_blocked(pool, item);
	else
		err = __kpool_check_accept(pool, item);
	if (err)
		trace_refuse(pool, item, err);
	return err;
}

/*
 * Accept or refuse an item that kpool_admit_plain() did not accept.  Called
 * with pool->lock held, which kpool_overflow() can drop.
 */
static noinline int kpool_admit(struct kpool *pool, struct kpool_item *item,
				const struct kpool_submit_opts *opts,
				struct kpool_handover *handover,
				unsigned long flags)
{
	int err = kpool_check_accept(pool, item);

	lockdep_assert_held(&pool->lock);
	if (err)
		return err;
	if (!kpool_can_queue(pool, item))
		return kpool_overflow(pool, item, opts, handover, flags);
	kpool_accept(pool, item);
	kpool_enqueue(pool, item);
	return 0;
}

/*
 * Submit again after KPOOL_NEEDS_RUN: allocate the memory that the submitter
 * needs to run the item itself.  Do not wait for it, as it can depend on this
 * pool.  If the allocation fails, the submitter sleeps or the item is refused.
 */
static noinline int kpool_submit_with_run(struct kpool *pool,
					  struct kpool_item *item,
					  const struct kpool_submit_opts *opts)
{
	struct kpool_run *run = kpool_run_alloc(GFP_NOWAIT | __GFP_NOWARN);
	struct kpool_submit_opts last = *opts;
	int err;

	last.run = &run;
	err = kpool_submit_slow(pool, item, &last);
	kfree(run);
	return err;
}
