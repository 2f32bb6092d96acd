// SPDX-License-Identifier: GPL-2.0-only
/*
 * The manager: creates and reaps worker threads as items need them.
 *
 * Items are submitted under pool->lock and in atomic context, where threads
 * cannot be created or stopped.  So the lock's holder only picks a worker, most
 * recently idle first, and delayed work does what sleeps:
 *
 *   spawn_work   creates as many threads as items need and capacity allows
 *   late_work    gives up on a worker_init that takes too long, so that an item
 *                gets another worker
 *   reap_work    has surplus and expired idle workers exit, and joins the
 *                threads of those that have exited
 *
 * A worker that is idle for expiry_ms expires, which counts as purged.  One
 * that exits because of shutdown or a smaller capacity is retired.
 *
 * A new worker calls worker_init and then accounts itself, so no worker waits
 * for another's worker_init.  An exiting worker calls worker_exit before it is
 * put on pool->mgr.exited, so reap_work waits for no client function.
 */
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "internal.h"
#include "lock.h"
#include "queue.h"
#include "trace.h"

/* Pause after a thread could not be created; each failure doubles it. */
#define KPOOL_MIN_SPAWN_PAUSE	msecs_to_jiffies(100)
#define KPOOL_MAX_SPAWN_PAUSE	msecs_to_jiffies(10000)

/* Time after which a worker_init is late; each late one doubles it. */
#define KPOOL_INIT_TIME		msecs_to_jiffies(100)

/* Limit of doubling the time for worker_init: about two hours. */
#define KPOOL_MAX_LATE_SHIFT	16u

/* Return the number of workers that are not exiting. */
static unsigned int kpool_nr_staying(const struct kpool *pool)
{
	return pool->mgr.nr_workers - pool->mgr.nr_exiting;
}

/* Return true if capacity allows one more thread.  Exiting workers count. */
static bool kpool_can_grow(const struct kpool *pool)
{
	return pool->mgr.nr_workers + pool->mgr.nr_spawning <
	       (unsigned int)pool->attrs.capacity;
}

/*
 * Return true if no worker is idle, and more items are queued than workers are
 * waking or being created.
 */
static bool kpool_needs_worker(struct kpool *pool)
{
	return !pool->mgr.nr_idle && kpool_has_runnable(pool) &&
	       pool->q.nr_queued > pool->mgr.nr_waking +
				   pool->mgr.nr_spawning - pool->mgr.nr_late;
}

/*
 * Return true if an item still waits after a worker_init became late, and since
 * then no worker_init has succeeded and no worker is being created in place of
 * that one.  Workers in worker_init do not count: the items that they were
 * created for can have gone.
 */
static bool kpool_should_replace_late(struct kpool *pool)
{
	return pool->mgr.replace_late && !pool->mgr.nr_idle &&
	       kpool_has_runnable(pool);
}

/*
 * Return true if a KPOOL_PREALLOC pool has fewer than min_workers with @more.
 */
static bool kpool_is_below_min_workers(const struct kpool *pool,
				       unsigned int more)
{
	return (pool->attrs.flags & KPOOL_PREALLOC) && !pool->closed &&
	       kpool_nr_staying(pool) + more <
	       (unsigned int)pool->attrs.min_workers;
}

static bool kpool_should_spawn(struct kpool *pool)
{
	return kpool_can_grow(pool) &&
	       (kpool_is_below_min_workers(pool, pool->mgr.nr_spawning) ||
		kpool_needs_worker(pool) || kpool_should_replace_late(pool));
}

/* Return the jiffies until the next attempt: 0 unless the last one failed. */
static unsigned long kpool_spawn_delay(const struct kpool *pool)
{
	u64 now = get_jiffies_64();

	if (!pool->mgr.spawn_pause || now >= pool->mgr.spawn_next)
		return 0;
	return pool->mgr.spawn_next - now;
}

/*
 * Return true if an item waits for a worker in worker_init, although another
 * worker could be created.
 */
static bool kpool_is_waiting_for_init(struct kpool *pool)
{
	return !pool->mgr.nr_idle && kpool_has_runnable(pool) &&
	       !list_empty(&pool->mgr.starting) && kpool_can_grow(pool);
}

/*
 * Return the time when the oldest worker_init is late.  Each late one doubles
 * the time for the next, which bounds the number of workers that hang.
 */
static unsigned long kpool_late_at(const struct kpool *pool)
{
	const struct kpool_worker *oldest =
		list_first_entry(&pool->mgr.starting, struct kpool_worker,
				 node);

	return oldest->since + (KPOOL_INIT_TIME <<
				min(pool->mgr.nr_late, KPOOL_MAX_LATE_SHIFT));
}

/* Arm late_work if an item waits for a worker_init. */
static void kpool_arm_late(struct kpool *pool)
{
	long left;

	if (delayed_work_pending(&pool->mgr.late_work) ||
	    !kpool_is_waiting_for_init(pool))
		return;
	left = kpool_late_at(pool) - jiffies;
	queue_delayed_work(kpool_wq, &pool->mgr.late_work, max(left, 0));
}

/* Queue spawn_work if the pool needs workers.  Called with pool->lock held. */
void kpool_spawn_if_needed(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (kpool_should_spawn(pool))
		queue_delayed_work(kpool_spawn_wq, &pool->mgr.spawn_work,
				   kpool_spawn_delay(pool));
	kpool_arm_late(pool);
}

/*
 * Count the worker in the oldest worker_init as late and create another, if an
 * item has waited too long for it.
 */
static void kpool_late_work_fn(struct work_struct *work)
{
	struct kpool *pool = container_of(to_delayed_work(work), struct kpool,
					  mgr.late_work);
	struct kpool_worker *worker;

	kpool_lock_irq(pool);
	if (kpool_is_waiting_for_init(pool) &&
	    time_after_eq(jiffies, kpool_late_at(pool))) {
		worker = list_first_entry(&pool->mgr.starting,
					  struct kpool_worker, node);
		list_del(&worker->node);
		worker->late = true;
		pool->mgr.nr_late++;
		pool->mgr.replace_late = true;
	}
	kpool_spawn_if_needed(pool);
	kpool_unlock_irq(pool);
}

/* Put the calling worker on the list of those in worker_init. */
void kpool_worker_init_begin(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	kpool_lock_irq(pool);
	worker->since = jiffies;
	list_add_tail(&worker->node, &pool->mgr.starting);
	kpool_arm_late(pool);
	kpool_unlock_irq(pool);
}

/*
 * Take the calling worker off the list: worker_init has returned, or its thread
 * died in it.
 */
void kpool_worker_init_end(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	unsigned long flags;

	kpool_lock(pool, &flags);
	if (worker->late) {
		pool->mgr.nr_late--;
		/* armed for a time that is too long now */
		mod_delayed_work(kpool_wq, &pool->mgr.late_work, 0);
	} else {
		list_del(&worker->node);
	}
	worker->late = false;
	pool->mgr.replace_late = false;
	kpool_unlock(pool, flags);
}

/* Return true if an idle worker can expire, now or later. */
static bool kpool_can_expire(const struct kpool *pool)
{
	return !list_empty(&pool->mgr.idle) &&
	       pool->attrs.expiry_ms != KPOOL_NO_PURGE &&
	       kpool_nr_staying(pool) > (unsigned int)pool->attrs.min_workers;
}

/* Return the time when the least recently used idle worker expires. */
static unsigned long kpool_next_expiry(const struct kpool *pool)
{
	const struct kpool_worker *oldest =
		list_last_entry(&pool->mgr.idle, struct kpool_worker, node);

	return oldest->since + msecs_to_jiffies(pool->attrs.expiry_ms);
}

/*
 * Arm reap_work unless it is armed already, or no idle worker can expire.
 * reap_work arms itself again.  Called with pool->lock held.  Litmus:
 * lock-seen.
 */
void kpool_arm_reap_work(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (delayed_work_pending(&pool->mgr.reap_work) ||
	    !kpool_can_expire(pool))
		return;
	queue_delayed_work(kpool_wq, &pool->mgr.reap_work,
			   kpool_timer_delay(kpool_next_expiry(pool)));
}

/*
 * Have the thread of a pool whose workers are all idle wake up on this CPU,
 * unless it ran on the same package last.  The item and the waiting caller are
 * hot in this CPU's caches.  The scheduler finds the thread a CPU of its own if
 * one is idle here.
 */
static void kpool_wake_near(struct task_struct *task)
{
	int cpu = raw_smp_processor_id();

	if (!cpumask_test_cpu(kpool_wake_cpu(task),
			      topology_core_cpumask(cpu)) &&
	    cpumask_test_cpu(cpu, task->cpus_ptr))
		kpool_set_wake_cpu(task, cpu);
}

/*
 * Mark the most recently idle worker as waking, and return its task.  The
 * caller wakes it after unlocking.  If none is idle, have one created if
 * needed, and return NULL.  Called with pool->lock held.
 */
struct task_struct *kpool_pick_worker(struct kpool *pool)
{
	struct kpool_worker *worker;

	lockdep_assert_held(&pool->lock);
	worker = list_first_entry_or_null(&pool->mgr.idle, struct kpool_worker,
					  node);
	if (!worker) {
		kpool_spawn_if_needed(pool);
		return NULL;
	}
	if (pool->mgr.nr_idle == pool->mgr.nr_workers)
		kpool_wake_near(worker->task);
	list_del(&worker->node);
	pool->mgr.nr_idle--;
	worker->state = KPOOL_WORKER_WAKING;
	worker->since = jiffies;
	pool->mgr.nr_waking++;
	return worker->task;
}

/*
 * Mark @worker as exiting, in state @why; reap_work joins its thread.  Called
 * with pool->lock held.
 */
static void kpool_worker_set_exiting(struct kpool *pool,
				     struct kpool_worker *worker,
				     enum kpool_worker_state why)
{
	lockdep_assert_held(&pool->lock);
	worker->state = why;
	worker->since = jiffies;
	pool->mgr.nr_exiting++;
	trace_purge(pool, worker, why == KPOOL_WORKER_EXPIRED);
}

/* Return true if a pool that is closed has an item that can still start. */
static bool kpool_has_pending(const struct kpool *pool)
{
	return pool->q.nr_queued || pool->q.nr_backlog || pool->q.nr_parked ||
	       pool->q.nr_requeue;
}

/*
 * Return true if a worker that has nothing to start must exit: the pool is
 * closed and has nothing pending, or has more workers than capacity allows.
 */
static bool kpool_should_exit(const struct kpool *pool)
{
	return (pool->closed && !kpool_has_pending(pool)) ||
	       kpool_nr_staying(pool) > (unsigned int)pool->attrs.capacity;
}

/*
 * Mark the calling worker, which has nothing to start, as exiting if it must
 * exit.  Return true if so.  Called with pool->lock held.
 */
bool kpool_retire_if_needed(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	lockdep_assert_held(&pool->lock);
	if (!kpool_should_exit(pool))
		return false;
	kpool_worker_set_exiting(pool, worker, KPOOL_WORKER_RETIRED);
	return true;
}

/*
 * Have reap_work retire idle workers that must exit.  Called with pool->lock
 * held.
 */
void kpool_retire_surplus(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (pool->mgr.nr_idle && kpool_should_exit(pool))
		mod_delayed_work(kpool_wq, &pool->mgr.reap_work, 0);
}

/* Return memory for a worker, reused if possible, or NULL. */
static struct kpool_worker *kpool_alloc_worker(struct kpool *pool)
{
	struct kpool_worker *worker;

	kpool_lock_irq(pool);
	worker = list_first_entry_or_null(&pool->mgr.free_workers,
					  struct kpool_worker, node);
	if (worker)
		list_del(&worker->node);
	kpool_unlock_irq(pool);
	if (worker)
		return worker;

	worker = kzalloc_obj(*worker, GFP_KERNEL);
	if (!worker)
		return NULL;
	worker->pool = pool;
	INIT_LIST_HEAD(&worker->member);
	kpool_run_init(&worker->run, worker);
	return worker;
}

/*
 * Write the name of the pool's threads to @comm.  A long name is cut in the
 * middle, not at its end: that is where the pools of several instances differ.
 */
static void kpool_worker_comm(const struct kpool *pool, char *comm)
{
	const size_t room = TASK_COMM_LEN - sizeof("kpool/");
	const size_t tail = room / 2, len = strlen(pool->name);

	if (len <= room)
		scnprintf(comm, TASK_COMM_LEN, "kpool/%s", pool->name);
	else
		scnprintf(comm, TASK_COMM_LEN, "kpool/%.*s~%s",
			  (int)(room - tail - 1), pool->name,
			  pool->name + len - tail);
}

/*
 * Initialize @worker, and create and wake its thread.  A worker on
 * pool->mgr.workers has its task.  The thread runs only when it is woken here.
 * It can then exit and be reaped before wake_up_process() returns, so RCU keeps
 * its task until then.  Litmus: thread-made, attach-vs-reap.
 */
static int kpool_create_thread(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	struct task_struct *task;
	char comm[TASK_COMM_LEN];
	int node, err;

	err = kpool_exit_work_alloc(worker);
	if (err)
		return err;
	/* racy read: a concurrent kpool_tune() moves the worker anyway */
	node = data_race(pool->attrs.node);

	kpool_worker_comm(pool, comm);
	task = kthread_create_on_node(kpool_worker_main, worker,
				      node ? node - 1 : NUMA_NO_NODE,
				      "%s", comm);
	if (IS_ERR(task)) {
		kfree(worker->exit_work);
		return PTR_ERR(task);
	}
	worker->task = get_task_struct(task);
	worker->run.task = task;
	worker->run.dead = false;
	worker->run.notified = KPOOL_NOTIFIED_NONE;
	worker->state = KPOOL_WORKER_STARTING;
	worker->since = jiffies;
	/* no number of an earlier thread's run comes again */
	worker->run.nr += worker->nr_runs + 1;
	worker->nr_runs = 0;
	worker->run.fn = NULL;
	worker->data = NULL;
	worker->nr_nested = 0;
	worker->stall_reported = 0;
	worker->died = false;
	worker->jobs = false;
	rcu_read_lock();
	wake_up_process(task);
	rcu_read_unlock();
	return 0;
}

/*
 * Complete the waiters for new workers if there are min_workers, or none is
 * being created.  Called with pool->lock held.
 */
void kpool_complete_spawned(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (!pool->mgr.nr_spawning || !kpool_is_below_min_workers(pool, 0))
		kpool_waiter_complete_list(pool, &pool->waiters.spawn, false);
}

/*
 * Release the reservation of a worker that is now accounted, or has failed.
 * Called with pool->lock held.
 */
static void kpool_spawn_ended(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	pool->mgr.nr_spawning--;
	kpool_complete_spawned(pool);
}

/*
 * Reset the pause after failures, and have spawn_work try at once.  Called with
 * pool->lock held.
 */
static void kpool_spawn_reset_pause(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (!pool->mgr.spawn_pause)
		return;
	pool->mgr.spawn_pause = 0;
	mod_delayed_work(kpool_spawn_wq, &pool->mgr.spawn_work, 0);
}

/*
 * Reset the pause after failures, and log the recovery if a failure has been
 * logged, perhaps before the pool was reopened.  Called with pool->lock held,
 * which can be dropped to log.
 */
static void kpool_spawn_recovered(struct kpool *pool)
{
	bool resumed = pool->mgr.reclaim_broken;
	bool again = pool->mgr.spawn_warned;

	lockdep_assert_held(&pool->lock);
	kpool_spawn_reset_pause(pool);
	pool->mgr.spawn_warned = false;
	while (again || resumed) {
		pool->mgr.reclaim_broken = false;
		kpool_unlock_irq(pool);
		if (again)
			pr_info("%s: worker threads can be created again\n",
				pool->name);
		if (resumed)
			pr_info("%s: worker created, forward progress restored\n",
				pool->name);
		kpool_lock_irq(pool);
		/* the last worker can have died while the lock was dropped */
		again = false;
		resumed = pool->mgr.reclaim_broken;
	}
}

/*
 * Account for the calling worker, after its worker_init.  If capacity has been
 * reduced since, this worker or an idle one is surplus, and will exit as such.
 * Called with pool->lock held, which can be dropped.
 */
void kpool_worker_account(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	lockdep_assert_held(&pool->lock);
	kpool_spawn_recovered(pool);
	worker->state = KPOOL_WORKER_WAKING;
	worker->since = jiffies;
	pool->mgr.nr_workers++;
	pool->stats.spawned++;
	trace_spawn(pool, worker);
	kpool_spawn_ended(pool);
	/* an idle worker that min_workers kept can expire now, or is surplus */
	kpool_arm_reap_work(pool);
	kpool_retire_surplus(pool);
}

/*
 * Set the pause before the next attempt.  A failure is logged unless one has
 * been since the last recovery.  A later failure doubles the pause if @retry is
 * set: its attempt began after the first failure.
 */
static void kpool_spawn_failed(struct kpool *pool, int err, bool retry)
{
	unsigned long flags;
	bool first, warned;

	kpool_lock(pool, &flags);
	warned = pool->mgr.spawn_warned;
	pool->mgr.spawn_warned = true;
	first = !pool->mgr.spawn_pause;
	if (first)
		pool->mgr.spawn_pause = KPOOL_MIN_SPAWN_PAUSE;
	else if (retry)
		pool->mgr.spawn_pause = min(2 * pool->mgr.spawn_pause,
					    KPOOL_MAX_SPAWN_PAUSE);
	if (first || retry) {
		pool->mgr.spawn_error = err;
		pool->mgr.spawn_next = get_jiffies_64() + pool->mgr.spawn_pause;
	}
	/* the failed worker can have been meant to replace a late one */
	pool->mgr.replace_late = pool->mgr.nr_late;
	kpool_unlock(pool, flags);
	if (!warned)
		pr_warn("%s: cannot create a worker thread (%d), will retry\n",
			pool->name, err);
}

/* Record that worker_init has failed, or that the thread died in it. */
void kpool_worker_failed(struct kpool_worker *worker, int err)
{
	kpool_spawn_failed(worker->pool, err, worker->retry);
}

/* Have the calling worker reaped.  It calls no client function from here on. */
void kpool_worker_exited(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	unsigned long flags;

	kpool_lock(pool, &flags);
	if (worker->state == KPOOL_WORKER_STARTING) {
		worker->state = KPOOL_WORKER_FAILED;
		worker->since = jiffies;
	}
	list_add_tail(&worker->node, &pool->mgr.exited);
	mod_delayed_work(kpool_wq, &pool->mgr.reap_work, 0);
	kpool_unlock(pool, flags);
}

/*
 * Create a worker that kpool_reserve_worker() has reserved.  The worker
 * accounts itself.  Return 0 or a negative errno.
 */
static int kpool_create_worker(struct kpool *pool, bool retry)
{
	struct kpool_worker *worker = kpool_alloc_worker(pool);
	int err = -ENOMEM;

	if (worker) {
		worker->retry = retry;
		err = kpool_create_thread(worker);
	}
	if (!err)
		return 0;

	kpool_spawn_failed(pool, err, retry);
	kpool_lock_irq(pool);
	if (worker)
		list_add(&worker->node, &pool->mgr.free_workers);
	kpool_spawn_ended(pool);
	kpool_unlock_irq(pool);
	return err;
}

/*
 * Return true if spawn_work must create a worker now.  While attempts fail, it
 * makes one after each pause.
 */
static bool kpool_should_spawn_now(struct kpool *pool)
{
	return kpool_should_spawn(pool) && !kpool_spawn_delay(pool);
}

/*
 * Return true if kpool_prealloc() must create another worker: min_workers
 * requires it and capacity allows it.  It stops at the first failure, because
 * others could follow without end.
 */
static bool kpool_should_prealloc(struct kpool *pool)
{
	return !pool->mgr.spawn_pause && kpool_can_grow(pool) &&
	       kpool_is_below_min_workers(pool, pool->mgr.nr_spawning);
}

/*
 * Reserve a worker if @wanted returns true.  Return false if it does not.
 * Sets *@retry if an earlier attempt has failed.
 */
static bool kpool_reserve_worker(struct kpool *pool,
				 bool (*wanted)(struct kpool *pool),
				 bool *retry)
{
	bool reserved;

	kpool_lock_irq(pool);
	reserved = wanted(pool);
	*retry = pool->mgr.spawn_pause;
	if (reserved) {
		pool->mgr.nr_spawning++;
		pool->mgr.replace_late = false;
		pool->mgr.spawn_next = get_jiffies_64() + pool->mgr.spawn_pause;
	}
	kpool_unlock_irq(pool);
	return reserved;
}

/* Create the workers that the pool needs, until one fails. */
static void kpool_spawn_work_fn(struct work_struct *work)
{
	struct kpool *pool = container_of(to_delayed_work(work), struct kpool,
					  mgr.spawn_work);
	bool retry;

	kpool_replace_dead_work(pool);
	while (kpool_reserve_worker(pool, kpool_should_spawn_now, &retry))
		if (kpool_create_worker(pool, retry))
			break;
	/* queue spawn_work again for the rest, after the pause */
	kpool_lock_irq(pool);
	kpool_spawn_if_needed(pool);
	kpool_unlock_irq(pool);
}

/*
 * Wait for the workers that are being created, if there are fewer than
 * min_workers.  Return 0 if there are as many, or as many as capacity allows, or
 * if the pool has been closed; 1 if more are to be created, for example because
 * one failed but a later one did not; or a negative errno.
 */
static int kpool_wait_spawned(struct kpool *pool)
{
	struct kpool_waiter waiter;
	int err = 0;

	kpool_waiter_init(&waiter, KPOOL_WAITER_SPAWN, NULL);
	kpool_lock_irq(pool);
	if (pool->mgr.nr_spawning && kpool_is_below_min_workers(pool, 0)) {
		list_add_tail(&waiter.node, &pool->waiters.spawn);
		kpool_wait(pool, &waiter, MAX_SCHEDULE_TIMEOUT, 0);
	}
	/* an attempt that spawn_work has begun since does not count */
	if (kpool_is_below_min_workers(pool, 0) &&
	    (pool->mgr.nr_spawning || kpool_can_grow(pool)))
		err = pool->mgr.spawn_pause ? pool->mgr.spawn_error : 1;
	kpool_unlock_irq(pool);
	return err;
}

/* Create min_workers workers and wait for them.  Return 0 or an errno. */
int kpool_prealloc(struct kpool *pool)
{
	bool retry;
	int err;

	kpool_lock_irq(pool);
	/* failures from before the pool was reopened do not count */
	kpool_spawn_reset_pause(pool);
	kpool_unlock_irq(pool);
	do {
		while (kpool_reserve_worker(pool, kpool_should_prealloc,
					    &retry)) {
			err = kpool_create_worker(pool, retry);
			if (err)
				return err;
		}
		err = kpool_wait_spawned(pool);
	} while (err > 0);
	return err;
}

/*
 * Wait until the worker's thread is gone, and release it.  The thread exits by
 * itself, so that many exit concurrently.  Once kthread_stop() has returned, no
 * code of this module but the exit work can follow.  Litmus: thread-gone.
 */
static void kpool_stop_thread(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	kthread_stop(worker->task);
	mutex_lock(&pool->mutex);
	list_del_init(&worker->member);
	mutex_unlock(&pool->mutex);
	kpool_exit_work_put(worker->exit_work);
	put_task_struct(worker->task);
}

/* Reap an exited worker, whose thread has no more than do_exit() to run. */
static void kpool_worker_reap(struct kpool *pool, struct kpool_worker *worker)
{
	kpool_stop_thread(worker);
	kpool_lock_irq(pool);
	list_add(&worker->node, &pool->mgr.free_workers);
	if (worker->state == KPOOL_WORKER_FAILED) {
		kpool_spawn_ended(pool);
	} else {
		if (worker->state == KPOOL_WORKER_EXPIRED)
			pool->stats.purged++;
		else
			pool->stats.retired++;
		pool->mgr.nr_exiting--;
		pool->mgr.nr_workers--;
	}
	kpool_unlock_irq(pool);
}

/* Reap one exited worker.  Return false if there is none. */
static bool kpool_reap_next(struct kpool *pool)
{
	struct kpool_worker *worker;

	kpool_lock_irq(pool);
	worker = list_first_entry_or_null(&pool->mgr.exited,
					  struct kpool_worker, node);
	if (worker)
		list_del(&worker->node);
	kpool_unlock_irq(pool);
	if (worker)
		kpool_worker_reap(pool, worker);
	return worker;
}

/*
 * Return the state in which the least recently used idle worker must exit, or
 * KPOOL_WORKER_IDLE if it can stay.
 */
static enum kpool_worker_state kpool_oldest_idle_fate(const struct kpool *pool)
{
	if (!pool->mgr.nr_idle)
		return KPOOL_WORKER_IDLE;
	if (kpool_should_exit(pool))
		return KPOOL_WORKER_RETIRED;
	/* after, not at: the tick in which it went idle was not a full one */
	if (kpool_can_expire(pool) &&
	    time_after(jiffies, kpool_next_expiry(pool)))
		return KPOOL_WORKER_EXPIRED;
	return KPOOL_WORKER_IDLE;
}

/* Have one idle worker exit that must.  Return false if there is none. */
static bool kpool_exit_next(struct kpool *pool)
{
	struct kpool_worker *worker = NULL;
	enum kpool_worker_state why;

	kpool_lock_irq(pool);
	why = kpool_oldest_idle_fate(pool);
	if (why != KPOOL_WORKER_IDLE) {
		worker = list_last_entry(&pool->mgr.idle, struct kpool_worker,
					 node);
		list_del(&worker->node);
		pool->mgr.nr_idle--;
		kpool_worker_set_exiting(pool, worker, why);
	}
	kpool_unlock_irq(pool);
	/* only the caller, reap_work, reaps it: the task cannot go away */
	if (worker)
		wake_up_process(worker->task);
	return worker;
}

/* Reap exited workers, and have idle ones exit that must. */
static void kpool_reap_work_fn(struct work_struct *work)
{
	struct kpool *pool = container_of(to_delayed_work(work), struct kpool,
					  mgr.reap_work);

	while (kpool_reap_next(pool) || kpool_exit_next(pool))
		;
	kpool_lock_irq(pool);
	kpool_arm_reap_work(pool);
	/* a reaped worker leaves room for one that capacity did not allow */
	kpool_spawn_if_needed(pool);
	kpool_unlock_irq(pool);
}

void kpool_manager_init(struct kpool *pool)
{
	INIT_LIST_HEAD(&pool->mgr.workers);
	INIT_LIST_HEAD(&pool->mgr.idle);
	INIT_LIST_HEAD(&pool->mgr.exited);
	INIT_LIST_HEAD(&pool->mgr.free_workers);
	INIT_LIST_HEAD(&pool->mgr.starting);
	INIT_DELAYED_WORK(&pool->mgr.spawn_work, kpool_spawn_work_fn);
	INIT_DELAYED_WORK(&pool->mgr.late_work, kpool_late_work_fn);
	INIT_DELAYED_WORK(&pool->mgr.reap_work, kpool_reap_work_fn);
}
