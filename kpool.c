// SPDX-License-Identifier: GPL-2.0-only
/*
 * kpool: a bounded, tunable pool of kernel threads.
 *
 * Drivers, file systems and network code write their own thread pools when they
 * must bound a backlog, block submitters, or limit threads at run time.  A
 * workqueue bounds neither its backlog nor its submitters, and max_active limits
 * running items, not threads.  A correct pool must not lose wakeups or items,
 * repeat items, or let a newcomer overtake a blocked submitter.  It must not
 * leave a thread in an unloaded module, or hang where it can return -EDEADLK.
 *
 * Decisions on items, workers and waiters are made under pool->lock, a raw
 * spinlock.  Its release and next acquisition order everything.  Only submits,
 * and starts of items that are not special, can do without it: see core/queue.h.
 * A change that can break one of the pool's four invariants ends in
 * kpool_unlock(), which re-establishes them: see core/lock.c.  Litmus:
 * lock-seen, lock-either.
 *
 * Not done under pool->lock: waking a worker, creating and reaping threads, and
 * calling client functions.  kpool_unlock() wakes the worker after dropping the
 * lock, and delayed work handles threads.
 *
 * A client links to symbols of this module, which therefore stays loaded while
 * a pool has a living owner.  The module notifier orphans the pools of a module
 * before the module drops its references.
 */
#include <linux/cpuhotplug.h>
#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "debug.h"
#include "internal.h"
#include "item.h"
#include "lock.h"
#include "queue.h"
#include "watchdog.h"

LIST_HEAD(kpool_pools);
static LIST_HEAD(kpool_orphans);	/* G: closed pools, freed at exit */
DEFINE_MUTEX(kpool_registry);	/* protects kpool_pools and the names in it */
struct workqueue_struct *kpool_wq;	/* never waits for clients or memory */
struct workqueue_struct *kpool_spawn_wq;
struct workqueue_struct *kpool_callback_wq;

/* Pools by id, read under RCU.  Ids are cyclic: an id is reused last. */
static DEFINE_XARRAY_ALLOC(kpool_ids);
static u32 kpool_next_id;

static bool kpool_initialized;	/* set by kpool_module_init() */

/* Owner of items that no living pool owns: see item.c.  Not in kpool_ids. */
#define KPOOL_NULL_POOL_ID	1
struct kpool kpool_null_pool = {
	.lock		= __RAW_SPIN_LOCK_UNLOCKED(kpool_null_pool.lock),
	.id		= KPOOL_NULL_POOL_ID,
	.q.admission	= LIST_HEAD_INIT(kpool_null_pool.q.admission),
	.q.submitters	= LIST_HEAD_INIT(kpool_null_pool.q.submitters),
	.waiters.done	= LIST_HEAD_INIT(kpool_null_pool.waiters.done),
	.waiters.failed	= LIST_HEAD_INIT(kpool_null_pool.waiters.failed),
	.waiters.self	= LIST_HEAD_INIT(kpool_null_pool.waiters.self),
	.waiters.flushers	= RB_ROOT_CACHED,
	.runs.by_task	= RB_ROOT,
	.going		= LIST_HEAD_INIT(kpool_null_pool.going),
	.closed		= true,
	.name		= "null",
};

#define KPOOL_DEFAULT_NAME	"default"
struct kpool *kpool_the_default;	/* set once, never changed */

/* Return the pool with that id, or NULL.  Called under rcu_read_lock(). */
struct kpool *kpool_by_id(u32 id)
{
	return xa_load(&kpool_ids, id);
}

/* Create a pool */

/*
 * Let sequence numbers wrap soon in every pool, like INITIAL_JIFFIES: an unsafe
 * comparison then fails at once and not after months.
 */
#define KPOOL_INITIAL_SEQ	((u32)-300)

/* Format @name; return false if it is too long or has a bad character. */
static __printf(2, 0)
bool kpool_name_format(char name[KPOOL_NAME_MAX + 1], const char *fmt,
		       va_list args)
{
	size_t i, len = vsnprintf(name, KPOOL_NAME_MAX + 1, fmt, args);

	if (!len || !strcmp(name, "pools"))
		return false;
	/* the NUL of a truncated name counts as a bad character */
	for (i = 0; i < len; i++)
		if (!isascii(name[i]) || (!isalnum(name[i]) &&
					  name[i] != '_' && name[i] != '-'))
			return false;
	return true;
}

static void kpool_init(struct kpool *pool, const char *name,
		       struct module *owner)
{
	int prio;

	raw_spin_lock_init(&pool->lock);
	kpool_rings_init(pool);
	pool->epoch = KPOOL_INITIAL_SEQ;
	pool->q.next_seq = KPOOL_INITIAL_SEQ;
	/* no stream has it from the start */
	pool->q.room_epoch = 1;
	for (prio = 0; prio < KPOOL_NR_QUEUES; prio++)
		INIT_LIST_HEAD(&pool->q.prio[prio]);
	INIT_LIST_HEAD(&pool->q.admission);
	INIT_LIST_HEAD(&pool->q.submitters);
	INIT_LIST_HEAD(&pool->waiters.drain);
	INIT_LIST_HEAD(&pool->waiters.failed_drain);
	INIT_LIST_HEAD(&pool->waiters.spawn);
	INIT_LIST_HEAD(&pool->waiters.self);
	INIT_LIST_HEAD(&pool->waiters.self_calls);
	INIT_LIST_HEAD(&pool->waiters.queued_calls);
	INIT_LIST_HEAD(&pool->waiters.done);
	INIT_LIST_HEAD(&pool->waiters.failed);
	INIT_LIST_HEAD(&pool->q.parked);
	INIT_LIST_HEAD(&pool->q.finished);
	INIT_LIST_HEAD(&pool->q.completions);
	INIT_LIST_HEAD(&pool->drops.items);
	INIT_LIST_HEAD(&pool->drops.cancelled_groups);
	INIT_LIST_HEAD(&pool->runs.free);
	kpool_run_init(&pool->runs.drop, NULL);
	INIT_LIST_HEAD(&pool->going);
	INIT_LIST_HEAD(&pool->calls);
	INIT_LIST_HEAD(&pool->member);
	mutex_init(&pool->mutex);
	INIT_DELAYED_WORK(&pool->wd.work, kpool_watchdog_fn);
	kpool_manager_init(pool);
	INIT_WORK(&pool->waiters.recheck_work, kpool_recheck_work_fn);
	pool->delays.jobs = RB_ROOT_CACHED;
	timer_setup(&pool->delays.timer, kpool_delay_timer_fn, 0);
	strscpy(pool->name, name, sizeof(pool->name));
	lockdep_register_key(&pool->key);
	lockdep_init_map(&pool->map, pool->name, &pool->key, 0);
	pool->owner = owner;
	strscpy(pool->owner_name, owner ? owner->name : KBUILD_MODNAME,
		sizeof(pool->owner_name));
}

static struct kpool *kpool_alloc(const char *name, struct module *owner)
{
	struct kpool *pool = kzalloc_obj(*pool, GFP_KERNEL);
	struct kpool_run *spare;

	if (!pool)
		return NULL;
	if (!zalloc_cpumask_var(&pool->mgr.cpumask, GFP_KERNEL))
		goto free_pool;
	if (!zalloc_cpumask_var(&pool->mgr.affinity, GFP_KERNEL))
		goto free_cpumask;
	spare = kpool_run_alloc(GFP_KERNEL);
	if (!spare)
		goto free_affinity;
	kpool_init(pool, name, owner);
	/* kpool_abort() and others allocate one only if this is in use */
	list_add(&spare->free, &pool->runs.free);
	return pool;

free_affinity:
	free_cpumask_var(pool->mgr.affinity);
free_cpumask:
	free_cpumask_var(pool->mgr.cpumask);
free_pool:
	kfree(pool);
	return NULL;
}

static void kpool_free(struct kpool *pool)
{
	struct kpool_worker *worker, *next_worker;
	struct kpool_run *run, *next_run;
	int i;

	cancel_delayed_work_sync(&pool->wd.work);
	/* reap_work queues spawn_work */
	cancel_delayed_work_sync(&pool->mgr.reap_work);
	cancel_delayed_work_sync(&pool->mgr.spawn_work);
	/* without queued items, late_work is not armed and queues nothing */
	cancel_delayed_work_sync(&pool->mgr.late_work);
	/* after the watchdog, which queues it */
	kpool_context_destroy(&pool->faults.dead_work);
	kpool_context_destroy(&pool->drops.work);
	cancel_work_sync(&pool->waiters.recheck_work);
	timer_delete_sync(&pool->delays.timer);
	list_for_each_entry_safe(worker, next_worker, &pool->mgr.free_workers, node)
		kfree(worker);
	list_for_each_entry_safe(run, next_run, &pool->runs.free, free)
		kfree(run);
	free_cpumask_var(pool->mgr.affinity);
	free_cpumask_var(pool->mgr.cpumask);
	for (i = 0; i < KPOOL_NR_STALLS; i++)
		kfree(pool->wd.stalls[i]);
	kfree(pool->latency.counts);
	kfree(pool->faults.errors);
	lockdep_unregister_key(&pool->key);
	kfree_rcu(pool, rcu);
}

/*
 * Add the pool to kpool_pools and to kpool_ids.  Return -EEXIST if its name is
 * taken.  Called with kpool_registry held.
 */
static int kpool_register(struct kpool *pool)
{
	struct kpool *other;
	int err;

	lockdep_assert_held(&kpool_registry);
	list_for_each_entry(other, &kpool_pools, member)
		if (!strcmp(other->name, pool->name))
			return -EEXIST;
	err = xa_alloc_cyclic(&kpool_ids, &pool->id, pool,
			      XA_LIMIT(KPOOL_NULL_POOL_ID + 1, U32_MAX),
			      &kpool_next_id, GFP_KERNEL);
	if (err < 0)
		return err;
	list_add_tail(&pool->member, &kpool_pools);
	kpool_debugfs_add(pool);
	return 0;
}

static void kpool_unregister(struct kpool *pool)
{
	kpool_debugfs_remove(pool);
	mutex_lock(&kpool_registry);
	list_del(&pool->member);
	mutex_unlock(&kpool_registry);
}

/*
 * Mark the pool dead under its own lock and kpool_null_pool.lock, then remove
 * its id.  kpool_item_lock() relies on this order.
 */
static void kpool_remove_id(struct kpool *pool)
{
	unsigned long flags;

	kpool_lock(&kpool_null_pool, &flags);
	raw_spin_lock(&pool->lock);
	WRITE_ONCE(pool->dead, true);
	raw_spin_unlock(&pool->lock);
	raw_spin_unlock_irqrestore(&kpool_null_pool.lock, flags);
	xa_erase(&kpool_ids, pool->id);
}

/* Close the pool to submits.  If @abort, pending items are dropped, not run. */
void kpool_close(struct kpool *pool, bool abort)
{
	unsigned long flags;

	kpool_lock(pool, &flags);
	pool->nr_recheck += !pool->closed;
	pool->closed = true;
	pool->aborted |= abort;
	pool->drops.nr_aborters += abort;
	pool->paused = false;
	kpool_complete_spawned(pool);
	kpool_update_fast_capacity(pool);
	if (pool->delays.nr)
		kpool_context_queue(&pool->drops.work);
	kpool_unlock(pool, flags);
	/* fail all blocked submitters here if possible, not in recheck_work */
	if (in_task() && !irqs_disabled())
		kpool_recheck_all(pool);
}

/*
 * Wait until a closed pool has no item and no worker.  Return -EIO if a worker
 * died in an item during the wait, or the error of kpool_wait().
 */
static int kpool_wait_drained(struct kpool *pool, unsigned long timeout)
{
	struct kpool_waiter waiter;
	int err = 0;

	kpool_waiter_init(&waiter, KPOOL_WAITER_DRAIN, NULL);
	kpool_lock_irq(pool);
	/* if the pool was reopened since, it had already drained */
	if (pool->closed && !kpool_is_drained(pool)) {
		list_add_tail(&waiter.node, &pool->waiters.drain);
		err = kpool_wait(pool, &waiter, timeout, 0);
	}
	kpool_unlock_irq(pool);
	return err;
}

/*
 * Wait for callers that have been woken but have not left the pool.  Litmus:
 * lock-either.
 */
static void kpool_wait_users_gone(struct kpool *pool)
{
	DECLARE_COMPLETION_ONSTACK(users_gone);
	bool wait;

	kpool_lock_irq(pool);
	wait = pool->waiters.nr_users;
	if (wait)
		pool->waiters.users_gone = &users_gone;
	kpool_unlock_irq(pool);
	if (!wait)
		return;
	wait_for_completion(&users_gone);
	kpool_lock_irq(pool);
	pool->waiters.users_gone = NULL;
	kpool_unlock_irq(pool);
}

/*
 * Wait until the drop work of a closed and drained pool has called the room
 * function for the last time.  If its thread dies in that, dead_work ends the
 * run.  The work is not flushed: the caller can be on a workqueue that must not
 * wait for an ordinary one.  kpool_free() cancels it.
 */
static void kpool_wait_last_room(struct kpool *pool)
{
	bool busy;

	do {
		kpool_lock_irq(pool);
		busy = pool->drops.room_pending || pool->runs.drop.item;
		kpool_unlock_irq(pool);
		if (busy)
			schedule_timeout_idle(1);
	} while (busy);
}

static int __kpool_destroy(struct kpool *pool)
{
	int err;

	kpool_close(pool, false);
	err = kpool_wait_drained(pool, MAX_SCHEDULE_TIMEOUT);
	/* the room function is called when the pool is closed, and not later */
	kpool_wait_last_room(pool);
	kpool_unregister(pool);
	kpool_wait_users_gone(pool);
	kpool_remove_id(pool);
	kpool_free(pool);
	return err;
}

/* Claim the pool to destroy it; return false if it is orphaned. */
static bool kpool_claim(struct kpool *pool)
{
	bool claimed;

	mutex_lock(&kpool_registry);
	claimed = !pool->orphaned;
	pool->ending |= claimed;
	mutex_unlock(&kpool_registry);
	return claimed;
}

/* Destroy the pool unless it is orphaned: it belongs to kpool then. */
static int kpool_claim_and_destroy(struct kpool *pool)
{
	if (kpool_claim(pool))
		return __kpool_destroy(pool);
	/* wait for the caller's own items */
	kpool_close(pool, false);
	kpool_wait_drained(pool, MAX_SCHEDULE_TIMEOUT);
	return -ESHUTDOWN;
}

static struct kpool *__kpool_create(const char *name,
				    const struct kpool_attrs *attrs,
				    struct module *owner)
{
	struct kpool *pool;
	int err;

	pool = kpool_alloc(name, owner);
	if (!pool)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&pool->mutex);
	pool->init_attrs = *attrs;
	kpool_attrs_apply(pool, attrs);
	mutex_unlock(&pool->mutex);

	err = kpool_context_create(&pool->drops.work, pool, kpool_drop_work_fn,
				   "drop") ?:
	      kpool_context_create(&pool->faults.dead_work, pool,
				   kpool_reap_dead, "reap");
	if (!err) {
		mutex_lock(&kpool_registry);
		err = kpool_register(pool);
		mutex_unlock(&kpool_registry);
	}
	if (err) {
		kpool_free(pool);
		return ERR_PTR(err);
	}
	/* a CPU of its node can have come online before it was registered */
	kpool_sched_restore(pool);
	err = kpool_prealloc(pool);
	if (err) {
		kpool_claim_and_destroy(pool);
		return ERR_PTR(err);
	}
	return pool;
}

struct kpool *kpool_create_owned(struct module *owner,
				 const struct kpool_attrs *attrs,
				 const char *fmt, ...)
{
	static const struct kpool_attrs defaults;
	char name[KPOOL_NAME_MAX + 1];
	struct kpool_attrs resolved;
	struct kpool *pool;
	va_list args;
	bool good;
	int err;

	/* clients in the kernel image run even if kpool's own init has failed */
	if (!READ_ONCE(kpool_initialized))
		return ERR_PTR(-ENODEV);
	va_start(args, fmt);
	good = kpool_name_format(name, fmt, args);
	va_end(args);
	if (!good) {
		pr_err("bad pool name; allowed: 1 to %d of [A-Za-z0-9_-], not \"pools\"\n",
		       KPOOL_NAME_MAX);
		return ERR_PTR(-EINVAL);
	}
	err = kpool_attrs_resolve(attrs ?: &defaults, &resolved, name);
	if (err)
		return ERR_PTR(err);
	if (!strcmp(name, KPOOL_DEFAULT_NAME)) {
		pr_err("%s: the name is taken by the default pool\n",
		       name);
		return ERR_PTR(-EEXIST);
	}

	pool = __kpool_create(name, &resolved, owner);
	if (IS_ERR(pool))
		pr_err("%s: cannot create the pool (%pe)\n", name, pool);
	return pool;
}
EXPORT_SYMBOL_GPL(kpool_create_owned);

/* Close and reopen */

int kpool_destroy(struct kpool *pool)
{
	might_sleep();
	if (!pool)
		return 0;
	if (kpool_refuse_if_part_of(pool))
		return -EDEADLK;
	kpool_lockdep_wait_pool(pool);
	if (pool == READ_ONCE(kpool_the_default))
		return -EINVAL;
	return kpool_claim_and_destroy(pool);
}
EXPORT_SYMBOL_GPL(kpool_destroy);

void kpool_shutdown(struct kpool *pool)
{
	kpool_close(pool, false);
}
EXPORT_SYMBOL_GPL(kpool_shutdown);

int kpool_shutdown_timeout(struct kpool *pool, unsigned long timeout)
{
	might_sleep();
	if (kpool_refuse_if_part_of(pool))
		return -EDEADLK;
	if (timeout)
		kpool_lockdep_wait_pool(pool);
	kpool_close(pool, false);
	return kpool_wait_drained(pool, timeout);
}
EXPORT_SYMBOL_GPL(kpool_shutdown_timeout);

/*
 * Reopen a drained pool.  Return 1 if it is open already, and -EAGAIN if
 * workers, submitters or the run that the caller is in have not left.
 */
static int kpool_try_reopen(struct kpool *pool)
{
	unsigned long flags;
	int err = 0;

	kpool_lock(pool, &flags);
	if (pool->orphaned) {
		err = -ESHUTDOWN;
	} else if (!pool->closed) {
		err = 1;
	} else if (kpool_outstanding(pool)) {
		err = -EBUSY;
	} else if (!kpool_is_drained(pool) ||
		   !list_empty(&pool->q.submitters) ||
		   kpool_current_run(pool)) {
		err = -EAGAIN;
	} else {
		kpool_complete_drained(pool);
		pool->closed = false;
		pool->aborted = false;
		pool->nr_recheck--;
		kpool_update_fast_capacity(pool);
	}
	kpool_unlock(pool, flags);
	return err;
}

int kpool_reopen(struct kpool *pool)
{
	int err;

	might_sleep();
	/*
	 * Wait for exiting workers first.  Reopening a pool that has not
	 * drained would leave its drain waiters asleep forever.
	 */
	while ((err = kpool_try_reopen(pool)) == -EAGAIN) {
		/* in a callback of the pool: it would wait for itself */
		if (kpool_is_part_of(pool))
			return -EDEADLK;
		kpool_recheck_all(pool);
		kpool_wait_drained(pool, MAX_SCHEDULE_TIMEOUT);
	}
	if (err)
		return min(err, 0);

	err = kpool_prealloc(pool);
	if (err)
		kpool_close(pool, false);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_reopen);

int kpool_pause(struct kpool *pool)
{
	unsigned long flags;
	int err = 0;

	kpool_lock(pool, &flags);
	if (pool->closed)
		err = -ESHUTDOWN;
	else
		pool->paused = true;
	kpool_update_fast_capacity(pool);
	kpool_unlock(pool, flags);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_pause);

void kpool_resume(struct kpool *pool)
{
	unsigned long flags;

	kpool_lock(pool, &flags);
	pool->paused = false;
	kpool_update_fast_capacity(pool);
	kpool_unlock(pool, flags);
}
EXPORT_SYMBOL_GPL(kpool_resume);

/* The default pool */

struct kpool *kpool_default(void)
{
	static DEFINE_MUTEX(first_use);	/* only one caller makes it */
	struct kpool *pool = READ_ONCE(kpool_the_default);

	if (pool)
		return pool;
	might_sleep();
	if (!READ_ONCE(kpool_initialized))
		return ERR_PTR(-ENODEV);
	mutex_lock(&first_use);
	pool = kpool_the_default;
	if (!pool) {
		pool = __kpool_create(KPOOL_DEFAULT_NAME,
				      &kpool_default_pool_attrs, NULL);
		if (!IS_ERR(pool))
			/*
			 * Pairs with the address dependency after
			 * READ_ONCE().  Litmus: default-pool.
			 */
			smp_store_release(&kpool_the_default, pool);
	}
	mutex_unlock(&first_use);
	return pool;
}
EXPORT_SYMBOL_GPL(kpool_default);

/* Orphaned pools */

/*
 * Find a pool that the module has not destroyed, mark it as orphaned, and get a
 * reference.  Return NULL if there is none.
 */
static struct kpool *kpool_orphan_of(const struct module *owner)
{
	struct kpool *pool, *orphan = NULL;

	mutex_lock(&kpool_registry);
	list_for_each_entry(pool, &kpool_pools, member)
		if (pool->owner == owner)
			orphan = pool;
	if (orphan) {
		orphan->owner = NULL;
		kpool_lock_irq(orphan);
		orphan->orphaned = true;
		kpool_unlock_irq(orphan);
		kpool_get(orphan);
	}
	mutex_unlock(&kpool_registry);
	return orphan;
}

/*
 * Close all pools of the module, so that nothing starts in them.  Return true
 * if @orphans has any.
 */
static bool kpool_close_orphans(const struct module *owner,
				struct list_head *orphans)
{
	struct kpool *pool;

	while ((pool = kpool_orphan_of(owner))) {
		pr_err("%s: module %s removed without kpool_destroy(), pool closed\n",
		       pool->name, pool->owner_name);
		kpool_close(pool, true);
		list_add_tail(&pool->orphan, orphans);
	}
	return !list_empty(orphans);
}

/* Leave the items of a pool that was closed to abort to the drop work. */
static void kpool_abort_by_drop_work(struct kpool *pool)
{
	kpool_lock_irq(pool);
	pool->drops.nr_aborters--;
	kpool_context_queue(&pool->drops.work);
	kpool_unlock_irq(pool);
}

/*
 * Unregister a pool whose module is being removed, and drop the reference of
 * kpool_orphan_of().  The pool is closed and drained.  Its memory is kept until
 * module exit, because another module can have the pointer.
 */
static void kpool_orphan(struct kpool *pool)
{
	bool ending;

	/* a closed, drained pool has no item: no other callback can follow */
	kpool_lock_irq(pool);
	pool->init_attrs.room = NULL;
	kpool_unlock_irq(pool);
	kpool_wait_last_room(pool);
	mutex_lock(&kpool_registry);
	ending = pool->ending;
	mutex_unlock(&kpool_registry);
	kpool_put(pool);
	/* a concurrent kpool_destroy() in another module frees the pool */
	if (ending)
		return;

	kpool_unregister(pool);
	kpool_wait_users_gone(pool);
	mutex_lock(&kpool_registry);
	list_add_tail(&pool->member, &kpool_orphans);
	mutex_unlock(&kpool_registry);
}

/*
 * Drain and orphan all pools of the module.  Close all, and have all drop their
 * pending items, before waiting for any: a running item can wait for a pending
 * item of another pool.  Repeat, because an item that still runs can create
 * another pool.
 */
void kpool_end_orphans(const struct module *owner)
{
	struct kpool *pool, *next;
	LIST_HEAD(orphans);

	while (kpool_close_orphans(owner, &orphans)) {
		list_for_each_entry(pool, &orphans, orphan)
			kpool_abort_by_drop_work(pool);
		list_for_each_entry_safe(pool, next, &orphans, orphan) {
			list_del(&pool->orphan);
			kpool_wait_drained(pool, MAX_SCHEDULE_TIMEOUT);
			kpool_orphan(pool);
		}
	}
}

/*
 * Close the default pool for good, and wait until it has drained.  Called at
 * module exit.  Items of pools that are left can still submit to it.
 */
static void kpool_orphan_default(void)
{
	struct kpool *pool = kpool_the_default;

	if (!pool)
		return;
	kpool_lock_irq(pool);
	pool->orphaned = true;
	kpool_unlock_irq(pool);
	kpool_close(pool, false);
	kpool_wait_drained(pool, MAX_SCHEDULE_TIMEOUT);
}

/* Free the orphaned pools.  Called at module exit: there is no client left. */
static void kpool_free_orphans(void)
{
	struct kpool *pool, *next;

	list_for_each_entry_safe(pool, next, &kpool_orphans, member) {
		list_del(&pool->member);
		kpool_remove_id(pool);
		kpool_free(pool);
	}
}

/* Load and removal of the module that kpool is linked into */

/* Restore the affinity of all workers when a CPU comes online. */
static int kpool_cpu_online(unsigned int cpu)
{
	kpool_sched_restore_all();
	return 0;
}

static struct notifier_block kpool_module_nb = {
	.notifier_call	= kpool_module_event,
};

static int kpool_hotplug_state;

static void kpool_destroy_queues(void)
{
	if (kpool_wq)
		destroy_workqueue(kpool_wq);
	if (kpool_spawn_wq)
		destroy_workqueue(kpool_spawn_wq);
	/* leaked if it cannot be drained */
	if (kpool_callback_wq && !kpool_context_lost)
		destroy_workqueue(kpool_callback_wq);
}

/*
 * Create the workqueues.  All pools share the rescuer of kpool_wq, so work on
 * it must not wait for a client or for memory.  The one exception is an item
 * that disables migration, while the cpumask changes: see kpool_sched_apply().
 */
static int kpool_create_queues(void)
{
	kpool_wq = alloc_workqueue("%.14s", WQ_UNBOUND | WQ_MEM_RECLAIM, 0,
				   KBUILD_MODNAME);
	kpool_spawn_wq = alloc_workqueue("%.14s_spawn", WQ_UNBOUND,
					 WQ_MAX_ACTIVE, KBUILD_MODNAME);
	kpool_callback_wq = alloc_workqueue("%.14s_callback", WQ_UNBOUND,
					    WQ_MAX_ACTIVE, KBUILD_MODNAME);
	if (kpool_wq && kpool_spawn_wq && kpool_callback_wq)
		return 0;
	kpool_destroy_queues();
	return -ENOMEM;
}

int kpool_module_init(void)
{
	int err = kpool_attrs_check_defaults() ?: kpool_create_queues();

	if (err)
		return err;
	kpool_hotplug_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
							KBUILD_MODNAME ":online",
							kpool_cpu_online, NULL);
	if (kpool_hotplug_state < 0) {
		err = kpool_hotplug_state;
		goto destroy_queues;
	}
	err = register_module_notifier(&kpool_module_nb);
	if (err)
		goto remove_state;
	kpool_debugfs_init();
	WRITE_ONCE(kpool_initialized, true);
	return 0;

remove_state:
	cpuhp_remove_state_nocalls(kpool_hotplug_state);
destroy_queues:
	kpool_destroy_queues();
	return err;
}

void kpool_module_exit(void)
{
	/* the notifier uses the default pool and kpool_orphans */
	unregister_module_notifier(&kpool_module_nb);
	/* only a module that kpool is linked into can have pools left */
	kpool_end_orphans(THIS_MODULE);
	kpool_orphan_default();
	/* an item of the default pool can have created another */
	kpool_end_orphans(THIS_MODULE);
	if (kpool_the_default)
		__kpool_destroy(kpool_the_default);
	kpool_free_orphans();
	kpool_debugfs_exit();
	/* kpool_callback_wq can be left undrained */
	flush_work(&kpool_latency_work);
	cpuhp_remove_state_nocalls(kpool_hotplug_state);
	cancel_delayed_work_sync(&kpool_sched_work);
	kpool_destroy_queues();
	kpool_exit_work_wait_all();
	kpool_stack_req_flush();
	/* kfree_rcu() needs no code of this module: do not wait for it */
	xa_destroy(&kpool_ids);
}
