// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on one item: prepare, cancel, disable, wait for, change its owner.
 *
 * The owner of an item is the pool that it was last submitted to.  The item
 * carries the id of its owner, and its fields are protected by the lock of that
 * pool.  It is an id, not a pointer, because an item can outlive its pool.  Ids
 * are allocated cyclically out of four billion, so a stale one finds no pool.
 *
 * An item that is new, or that lost its owner, moves to kpool_null_pool before
 * any of its fields is touched.  That pool is never freed and runs nothing.
 * But a new item whose first use is a submit goes to the pool that it is
 * submitted to: see kpool_item_claim().
 */
#include <linux/module.h>
#include <linux/sched/task_stack.h>

#include "debug.h"
#include "internal.h"
#include "item.h"
#include "lock.h"
#include "queue.h"

/* Prepare */

void kpool_init_item(struct kpool_item *item, kpool_item_fn fn)
{
	kpool_debug_init(item);
	*item = (struct kpool_item)KPOOL_ITEM_INIT(fn);
}
EXPORT_SYMBOL_GPL(kpool_init_item);

void kpool_init_item_onstack(struct kpool_item *item, kpool_item_fn fn)
{
	kpool_init_item(item, fn);
}
EXPORT_SYMBOL_GPL(kpool_init_item_onstack);

void kpool_destroy_item_onstack(struct kpool_item *item)
{
	unsigned long flags;
	struct kpool *pool = kpool_item_lock(item, &flags);
	bool pending = !kpool_is_idle(item) || kpool_is_to_complete(item);

	kpool_unlock(pool, flags);
	WARN(pending, pr_fmt("item of %ps leaves the stack while pending\n"),
	     item->fn);
	kpool_debug_destroy(item);
}
EXPORT_SYMBOL_GPL(kpool_destroy_item_onstack);

void kpool_init_job(struct kpool_job *job, kpool_item_fn fn)
{
	kpool_debug_init(&job->item);
	*job = (struct kpool_job)KPOOL_JOB_INIT(fn);
}
EXPORT_SYMBOL_GPL(kpool_init_job);

/* Set fields */

/* A change, by a setter, of what an item is queued by. */
struct kpool_change {
	struct kpool		*pool;		/* whose lock is held, or NULL */
	unsigned long		flags;
};

/* Return true if the caller can be in the item's own function. */
static bool kpool_can_be_inside(const struct kpool_item *item)
{
	u32 id = READ_ONCE(item->pool_id);
	const struct kpool *owner;
	bool inside;

	/* a new item has not run */
	if (!id)
		return false;
	if (kpool_current_worker())
		return true;
	rcu_read_lock();
	owner = kpool_by_id(id);
	/* not empty if the caller has a run itself */
	inside = owner && !data_race(RB_EMPTY_ROOT(&owner->runs.by_task));
	rcu_read_unlock();
	return inside;
}

static void kpool_change_end(struct kpool_change *change)
{
	if (change->pool)
		kpool_unlock(change->pool, change->flags);
}

/*
 * Begin a change of the item.  Return -EBUSY if it is pending or to be
 * completed: its place in the queue depends on what would change.  While its
 * own function runs, others can submit the item, so the lock is held until
 * kpool_change_end().  An item that does not run belongs to the caller.
 */
static int kpool_change_begin(struct kpool_item *item,
			      struct kpool_change *change)
{
	change->pool = NULL;
	if (!kpool_can_be_inside(item) && !kpool_complete_fn(item) &&
	    READ_ONCE(item->state) == KPOOL_ITEM_IDLE)
		return 0;
	change->pool = kpool_item_lock(item, &change->flags);
	if (!kpool_is_to_complete(item) &&
	    (kpool_is_idle(item) || item->state == KPOOL_ITEM_DONE))
		return 0;
	kpool_change_end(change);
	return -EBUSY;
}

int kpool_set_weight(struct kpool_item *item, int weight)
{
	struct kpool_change change;
	int err = weight < 1 ? -EINVAL : kpool_change_begin(item, &change);

	if (err)
		return err;
	item->weight = weight;
	item->flags &= ~__KPOOL_WEIGHTED;
	if (weight > 1)
		item->flags |= __KPOOL_WEIGHTED;
	kpool_change_end(&change);
	return 0;
}
EXPORT_SYMBOL_GPL(kpool_set_weight);

int kpool_set_priority(struct kpool_item *item, enum kpool_priority priority)
{
	static const u8 flags[] = {
		[KPOOL_PRIO_NORMAL]	= 0,
		[KPOOL_PRIO_HIGH]	= __KPOOL_HIGH,
		[KPOOL_PRIO_LOW]	= __KPOOL_LOW,
	};
	struct kpool_change change;
	int err = (unsigned int)priority >= ARRAY_SIZE(flags) ?
		  -EINVAL : kpool_change_begin(item, &change);

	if (err)
		return err;
	item->flags &= ~(__KPOOL_HIGH | __KPOOL_LOW);
	item->flags |= flags[priority];
	kpool_change_end(&change);
	return 0;
}
EXPORT_SYMBOL_GPL(kpool_set_priority);

/*
 * Begin a change of a field of the job, and flag the job.  Return 0 if the job
 * was prepared by kpool_init_job() and is not pending, or an error.  Without
 * __KPOOL_JOB the fields of a job are never read, so setting one has no effect.
 * The flag makes submits of the item fail then.
 */
static int kpool_change_job(struct kpool_job *job, struct kpool_change *change)
{
	int err = kpool_change_begin(&job->item, change);
	u8 flags = job->item.flags;

	if (err)
		return err;
	job->item.flags |= __KPOOL_JOB_SET;
	if (flags & __KPOOL_JOB)
		return 0;
	kpool_change_end(change);
	if (!(flags & __KPOOL_JOB_SET))
		pr_warn("the job of %ps was prepared by kpool_init_item(), not by kpool_init_job(), refused\n",
			job->item.fn);
	return -EINVAL;
}

int kpool_set_deadline(struct kpool_job *job, ktime_t deadline)
{
	struct kpool_change change;
	int err = kpool_change_job(job, &change);

	if (err)
		return err;
	job->deadline = deadline;
	kpool_change_end(&change);
	return 0;
}
EXPORT_SYMBOL_GPL(kpool_set_deadline);

int kpool_set_group(struct kpool_job *job, struct kpool_group *group)
{
	struct kpool_change change;
	int err = kpool_change_job(job, &change);

	if (err)
		return err;
	job->group = group;
	kpool_change_end(&change);
	return 0;
}
EXPORT_SYMBOL_GPL(kpool_set_group);

int kpool_set_stream(struct kpool_job *job, struct kpool_stream *stream)
{
	struct kpool_change change;
	int err = kpool_change_job(job, &change);

	if (err)
		return err;
	job->stream = stream;
	kpool_change_end(&change);
	return 0;
}
EXPORT_SYMBOL_GPL(kpool_set_stream);

int kpool_set_complete_fn(struct kpool_job *job, kpool_item_fn complete)
{
	struct kpool_change change;
	int err = kpool_change_job(job, &change);

	if (err)
		return err;
	job->complete = complete;
	kpool_change_end(&change);
	return 0;
}
EXPORT_SYMBOL_GPL(kpool_set_complete_fn);

/* The owner */

/*
 * Take the owner's lock.  Return false, without the lock, if that pool is dead
 * or the item has another owner now.
 */
static bool kpool_trylock_owner(struct kpool_item *item, struct kpool *owner,
				unsigned long *flags)
{
	kpool_lock(owner, flags);
	/* pairs with the release in kpool_item_return() */
	if (!owner->dead && smp_load_acquire(&item->pool_id) == owner->id) {
		kpool_item_settle(owner, item);
		return true;
	}
	raw_spin_unlock_irqrestore(&owner->lock, *flags);
	return false;
}

/*
 * Move an item whose owner @gone is dead, or that is new, to kpool_null_pool,
 * and take the lock of that.  Return false, without the lock, if another pool
 * has become the owner.
 */
static bool kpool_lock_null_pool(struct kpool_item *item, u32 gone,
				 unsigned long *flags)
{
	kpool_lock(&kpool_null_pool, flags);
	if (cmpxchg(&item->pool_id, gone, kpool_null_pool.id) == gone) {
		item->run = NULL;
		return true;
	}
	raw_spin_unlock_irqrestore(&kpool_null_pool.lock, *flags);
	return false;
}

/*
 * Take the lock of the pool that owns the item, and return that pool.
 *
 * kpool_remove_id() marks a pool dead under its own lock and that of
 * kpool_null_pool, and removes its id afterwards.  So a critical section that
 * finds the pool alive is ordered before each one that finds the item in
 * kpool_null_pool.  Interrupts stay off until the lock is dropped: that is an
 * RCU read-side critical section, which keeps a pool that is being freed in
 * place.  Litmus: owner-new, owner-lookup, owner-dead, pool-published,
 * pool-freed.
 */
struct kpool *kpool_item_lock(struct kpool_item *item, unsigned long *flags)
{
	for (;;) {
		u32 id = READ_ONCE(item->pool_id);
		struct kpool *owner;
		bool locked;

		rcu_read_lock();
		owner = kpool_by_id(id);
		locked = owner && kpool_trylock_owner(item, owner, flags);
		if (!locked && (!owner || READ_ONCE(owner->dead))) {
			owner = &kpool_null_pool;
			locked = kpool_lock_null_pool(item, id, flags);
		}
		rcu_read_unlock();
		if (locked)
			return owner;
		cpu_relax();
	}
}

/*
 * Return true if the caller is in the item's own function, and no run inside.
 */
static bool kpool_is_handover(struct kpool *pool,
			      const struct kpool_item *item)
{
	return kpool_is_self_submit(pool, item) &&
	       kpool_current_run(pool) == kpool_run_of(item);
}

/* Return true if the item, whose owner's lock is held, can be submitted. */
static bool kpool_can_migrate(const struct kpool_item *item)
{
	return kpool_is_idle(item) && !kpool_is_to_complete(item);
}

/*
 * Take pool->lock, too, while the lock of @old is held.  @run is the caller's
 * run of @old with the item.  If pool->lock is not free, take the locks in the
 * order of their addresses, releasing that of @old if needed.  Return false,
 * with the lock of @old only, if the item has changed by then.  Also fail if
 * closing the inbox of one pool has made the hold long: do not close that of
 * the other in the same hold.
 */
static bool kpool_lock_both(struct kpool *old, struct kpool *pool,
			    struct kpool_item *item,
			    const struct kpool_run *run, unsigned long *flags)
{
	if (kpool_hold_is_long(old))
		return false;
	if (kpool_trylock(pool))
		return true;
	if (old < pool) {
		kpool_lock_nested(pool);
		return true;
	}
	kpool_unlock(old, *flags);
	kpool_lock(pool, flags);
	if (kpool_hold_is_long(pool)) {
		kpool_unlock(pool, *flags);
		kpool_lock(old, flags);
		return false;
	}
	kpool_lock_nested(old);
	if (item->pool_id == old->id) {
		kpool_item_settle(old, item);
		if (kpool_can_migrate(item) && kpool_run_of(item) == run)
			return true;
	}
	raw_spin_unlock(&pool->lock);
	return false;
}

/*
 * Make the pool the owner of an item that another pool owns.  An idle item
 * changes its owner under the lock of the previous one only.  Return -EALREADY
 * if the item is not idle, or still to be completed.  Litmus: owner-handover.
 *
 * A running item changes its owner only if its own function submits it;
 * otherwise return -EBUSY, or -ECANCELED if it is disabled.  The owner changes
 * under both locks.  Return KPOOL_HANDED_OVER with pool->lock held, so that no
 * caller finds the item without its run before it is pending or returned.  Else
 * kpool_cancel_sync() would not wait.  Return 0 if the item can have changed
 * before both locks were held: the caller tries again.
 */
int kpool_item_migrate(struct kpool *pool, struct kpool_item *item,
		       struct kpool_handover *handover, unsigned long *flags)
{
	struct kpool_run *run;
	struct kpool *old;
	int err = 0;

	old = kpool_item_lock(item, flags);
	run = kpool_run_of(item);
	if (!kpool_can_migrate(item)) {
		err = -EALREADY;
	} else if (run && !kpool_is_handover(old, item)) {
		if (old != pool)
			err = item->disabled ? -ECANCELED : -EBUSY;
	} else if (old != pool &&
		   (!run || kpool_lock_both(old, pool, item, run, flags))) {
		handover->run = run;
		handover->owner = old->id;
		/* the caller's run continues without the item */
		item->run = NULL;
		/*
		 * Pairs with the acquire in kpool_item_lock_for_submit(), and
		 * with the dependency in kpool_item_lock().
		 */
		smp_store_release(&item->pool_id, pool->id);
		if (run) {
			pool->hold_cost += old->hold_cost;
			/* no wait in @old ends by this, and nothing starts */
			raw_spin_unlock(&old->lock);
			return KPOOL_HANDED_OVER;
		}
	}
	kpool_unlock(old, *flags);
	return err;
}

/* Cancel */

/*
 * Cancel an accepted item.  Return false if it was not pending; a submitter
 * blocked with it gets -ECANCELED.  Called with pool->lock held.
 */
bool kpool_do_cancel(struct kpool *pool, struct kpool_item *item)
{
	struct kpool_run *run = kpool_run_of(item);
	struct kpool_group *group;
	LIST_HEAD(waiters);

	lockdep_assert_held(&pool->lock);
	if (item->state == KPOOL_ITEM_BLOCKED) {
		kpool_fail_blocked(pool, item, -ECANCELED);
		return false;
	}
	if (!kpool_is_accepted(item))
		return false;

	kpool_item_remove(pool, item);
	kpool_debug_deactivate(item);
	pool->stats.cancelled++;
	/* the waiters wait for a previous run, too, if that has not ended */
	kpool_waiters_move(pool, item, run ? &run->waiters : &waiters);
	group = kpool_group_begin(pool, item);
	if (item->state != KPOOL_ITEM_DONE)
		item->state = KPOOL_ITEM_IDLE;
	kpool_waiter_complete_list(pool, &waiters, false);
	if (group)
		kpool_group_end(pool, group, item, -ECANCELED, false);
	kpool_item_ended(pool, item->epoch);
	return true;
}

bool kpool_cancel(struct kpool_item *item)
{
	unsigned long flags;
	struct kpool *pool = kpool_item_lock(item, &flags);
	bool pending = kpool_do_cancel(pool, item);

	kpool_unlock(pool, flags);
	return pending;
}
EXPORT_SYMBOL_GPL(kpool_cancel);

/* Wait */

/*
 * Warn about a wait that is refused, and return -EDEADLK.  Called with
 * pool->lock held, which is dropped for the log.
 */
static int kpool_refuse_wait(struct kpool *pool, void *fn)
{
	lockdep_assert_held(&pool->lock);
	kpool_unlock_irq(pool);
	kpool_warn_refused(pool, fn);
	kpool_lock_irq(pool);
	return -EDEADLK;
}

/*
 * Sleep until the last accepted run of @item has ended, or until the item is
 * returned to the run that hands it over.  Return 0, -EDEADLK if the wait could
 * never end, or an error of kpool_wait().  Called with pool->lock held, which
 * is dropped while asleep and for the log.
 */
int kpool_wait_item(struct kpool *pool, struct kpool_item *item,
		    enum kpool_waiter_kind kind, unsigned long timeout,
		    unsigned int signals)
{
	struct kpool_run *run = kpool_run_of(item);
	struct kpool_waiter *victim = NULL, waiter;

	lockdep_assert_held(&pool->lock);
	if (!kpool_is_accepted(item) && !run && !kpool_handing_run(item) &&
	    item->state != KPOOL_ITEM_COMPLETING)
		return 0;
	/* a wait with a timeout ends by itself, so it closes no cycle */
	if ((timeout == MAX_SCHEDULE_TIMEOUT &&
	     kpool_would_deadlock(pool, item, NULL, kind, &victim)) ||
	    (run && !run->worker && run->task == current))
		return kpool_refuse_wait(pool, kpool_user_fn(item));
	kpool_waiter_refuse(pool, victim);

	kpool_waiter_init(&waiter, kind, item);
	waiter.handed = kpool_handing_run(item);
	if (run && !kpool_is_accepted(item)) {
		list_add_tail(&waiter.node, &run->waiters);
	} else if (run) {
		list_add_tail(&waiter.node, &run->next_waiters);
		waiter.for_next = true;
		run->end_locked = true;
	} else {
		/* a fast start does not look for waiters */
		if (item->state == KPOOL_ITEM_READY)
			kpool_ready_return(pool);
		if (!(item->flags & __KPOOL_HAS_WAITERS)) {
			item->run = &waiter.pending;
			item->flags |= __KPOOL_HAS_WAITERS;
		}
		list_add_tail(&waiter.node, &item->run->waiters);
	}
	return kpool_wait(pool, &waiter, timeout, signals);
}

/*
 * Sleep until @run has ended, and the ordered job that it leaves to be
 * completed, if so.  The item can have been submitted again since.  Return 0 or
 * an error, like kpool_wait_item().  Called with pool->lock held,
 * which is dropped while asleep and for the log.
 */
int kpool_wait_run(struct kpool *pool, struct kpool_run *run)
{
	struct kpool_item *item = READ_ONCE(run->item);
	struct kpool_waiter waiter;

	lockdep_assert_held(&pool->lock);
	if (kpool_would_deadlock(pool, item, run, KPOOL_WAITER_ITEM, NULL))
		return kpool_refuse_wait(pool, READ_ONCE(run->fn));
	kpool_waiter_init(&waiter, KPOOL_WAITER_ITEM, item);
	list_add_tail(&waiter.node, &run->waiters);
	return kpool_wait(pool, &waiter, MAX_SCHEDULE_TIMEOUT, 0);
}

/* A run that hands its item over. */
struct kpool_handing {
	struct kpool_run	*run;
	u32			owner;	/* id of its pool */
	u64			nr;	/* kpool_run_nr() of @run */
	u32			nr_refused; /* of @run */
};

/*
 * If the handover was refused and the run has not ended, lock the pool of the
 * run, and return that.  Otherwise return NULL.
 */
static struct kpool *kpool_lock_refused(const struct kpool_item *item,
					const struct kpool_handing *handing,
					unsigned long *flags)
{
	struct kpool_run *run = handing->run;
	struct kpool *pool;

	rcu_read_lock();
	pool = kpool_by_id(handing->owner);
	if (pool) {
		kpool_lock(pool, flags);
		/* the run is memory of the pool */
		if (pool->dead || READ_ONCE(run->item) != item ||
		    kpool_run_nr(run) != handing->nr ||
		    READ_ONCE(run->nr_refused) == handing->nr_refused) {
			kpool_unlock(pool, *flags);
			pool = NULL;
		}
	}
	rcu_read_unlock();
	return pool;
}

int kpool_flush_item(struct kpool_item *item)
{
	struct kpool_handing handing = { };
	unsigned long flags;
	struct kpool *pool;
	int err;

	might_sleep();
	kpool_lockdep_wait_item(item);
	pool = kpool_item_lock(item, &flags);
	handing.run = kpool_handing_run(item);
	if (handing.run) {
		handing.owner = item->submitter->handover.owner;
		handing.nr = kpool_run_nr(handing.run);
		handing.nr_refused = READ_ONCE(handing.run->nr_refused);
	}
	err = kpool_wait_item(pool, item, KPOOL_WAITER_ITEM,
			      MAX_SCHEDULE_TIMEOUT, 0);
	kpool_unlock(pool, flags);
	if (err || !handing.run)
		return err;

	/* the run goes on with the item, or has submitted it elsewhere */
	pool = kpool_lock_refused(item, &handing, &flags);
	if (!pool)
		return 0;
	err = kpool_wait_run(pool, handing.run);
	kpool_unlock(pool, flags);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_flush_item);

/* Disable */

/* Disable and cancel.  Return 1 if it was pending, 0 if not, or an error. */
static int kpool_do_disable(struct kpool_item *item, bool wait)
{
	unsigned long flags;
	struct kpool *pool = kpool_item_lock(item, &flags);
	bool pending;
	int err = 0;

	if (item->disabled == U16_MAX) {
		kpool_unlock(pool, flags);
		return -ERANGE;
	}
	item->disabled++;
	pending = kpool_do_cancel(pool, item);
	kpool_unlock(pool, flags);
	if (wait) {
		/* a blocked item can have been returned to another pool */
		pool = kpool_item_lock(item, &flags);
		err = kpool_wait_item(pool, item, KPOOL_WAITER_ITEM,
				      MAX_SCHEDULE_TIMEOUT, 0);
		kpool_unlock(pool, flags);
	}
	return err ?: pending;
}

int kpool_disable(struct kpool_item *item)
{
	return kpool_do_disable(item, false);
}
EXPORT_SYMBOL_GPL(kpool_disable);

int kpool_disable_sync(struct kpool_item *item)
{
	might_sleep();
	kpool_lockdep_wait_item(item);
	return kpool_do_disable(item, true);
}
EXPORT_SYMBOL_GPL(kpool_disable_sync);

int kpool_enable(struct kpool_item *item)
{
	unsigned long flags;
	struct kpool *pool = kpool_item_lock(item, &flags);
	int err = -EINVAL;

	if (item->disabled)
		err = --item->disabled ? 1 : 0;
	kpool_unlock(pool, flags);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_enable);

int kpool_cancel_sync(struct kpool_item *item)
{
	int err = kpool_disable_sync(item);

	if (err != -ERANGE)
		kpool_enable(item);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_cancel_sync);

bool kpool_is_pending(struct kpool_item *item)
{
	unsigned long flags;
	struct kpool *pool = kpool_item_lock(item, &flags);
	bool pending = kpool_is_accepted(item);

	kpool_unlock(pool, flags);
	return pending;
}
EXPORT_SYMBOL_GPL(kpool_is_pending);

/* debugobjects */

static void *kpool_debug_hint(void *addr)
{
	return ((struct kpool_item *)addr)->fn;
}

/* Return true for an item made by KPOOL_ITEM_INIT() and not used before. */
static bool kpool_is_static(void *addr)
{
	const struct kpool_item *item = addr;

	return item->fn && !item->node.next && !item->node.prev &&
	       !item->run && !item->pool_id && item->state == KPOOL_ITEM_IDLE;
}

/* Cancel an item that is initialized or freed while active: it is on a list. */
static void kpool_fixup_active(void *addr)
{
	kpool_cancel(addr);
	/* an overwritten item is not cancelled: do not call the fixup again */
	debug_object_deactivate(addr, &kpool_item_descr);
}

static bool kpool_fixup_init(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	kpool_fixup_active(addr);
	debug_object_init(addr, &kpool_item_descr);
	return true;
}

static bool kpool_fixup_free(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	kpool_fixup_active(addr);
	debug_object_free(addr, &kpool_item_descr);
	return true;
}

/* Replace an item that was never initialized by one without a function. */
static bool kpool_fixup_assert_init(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_NOTAVAILABLE)
		return false;
	kpool_init_item(addr, NULL);
	return true;
}

const struct debug_obj_descr kpool_item_descr = {
	.name			= "kpool_item",
	.debug_hint		= kpool_debug_hint,
	.is_static_object	= kpool_is_static,
	.fixup_init		= kpool_fixup_init,
	.fixup_free		= kpool_fixup_free,
	.fixup_assert_init	= kpool_fixup_assert_init,
};

void kpool_debug_init(struct kpool_item *item)
{
	if (object_is_on_stack(item))
		debug_object_init_on_stack(item, &kpool_item_descr);
	else
		debug_object_init(item, &kpool_item_descr);
}
