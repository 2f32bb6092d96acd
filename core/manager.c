// SPDX-License-Identifier: GPL-2.0-only
/*
 * The manager: how many worker threads a pool has.
 *
 * A worker that is needed is taken from pool->mgr.idle, most recently used first,
 * or created.  Delayed work does what may sleep.  The spawn work creates threads, as
 * many at a time as items want one.  A new worker enters the books itself after
 * its worker_init, and so no worker waits for another's; an item for which that
 * takes too long gets another worker.  The reap work sends away
 * those that are too many or have been idle for too long, and reaps those that
 * have ended: their worker_exit has returned before, so it waits for no client.
 */
#include <linux/kthread.h>
#include <linux/slab.h>

#include "internal.h"
#include "lock.h"
#include "queue.h"

/* How long to wait after a thread could not be created: doubled by each failure. */
#define KPOOL_MIN_SPAWN_PAUSE	msecs_to_jiffies(100)
#define KPOOL_MAX_SPAWN_PAUSE	msecs_to_jiffies(10000)

/* How often the time for a worker_init is doubled: not beyond two hours. */
#define KPOOL_MAX_LATE_SHIFT	16u

/* May another thread be made?  Those that have not quite gone count. */
static bool kpool_can_grow(const struct kpool *pool)
{
	return pool->mgr.nr_workers + pool->mgr.nr_spawning <
	       (unsigned int)pool->attrs.capacity;
}

/* Is there more to start than workers on their way, and nobody idle? */
static bool kpool_needs_worker(struct kpool *pool)
{
	return !pool->mgr.nr_idle && kpool_has_work(pool) &&
	       pool->q.nr_queued > pool->mgr.nr_waking + pool->mgr.nr_spawning -
			       pool->mgr.nr_late;
}

/* Does the pool lack warm workers that it promised to have made? */
static bool kpool_below_min_workers(const struct kpool *pool)
{
	return (pool->attrs.flags & KPOOL_PREALLOC) && !pool->closed &&
	       kpool_nr_staying(pool) + pool->mgr.nr_spawning <
	       (unsigned int)pool->attrs.min_workers;
}

static bool kpool_should_spawn(struct kpool *pool)
{
	return kpool_can_grow(pool) &&
	       (kpool_below_min_workers(pool) || kpool_needs_worker(pool));
}

/* Jiffies until another thread may be tried: some if the last could not be made. */
static unsigned long kpool_spawn_delay(const struct kpool *pool)
{
	u64 now = get_jiffies_64();

	if (!pool->mgr.spawn_pause || now >= pool->mgr.spawn_next)
		return 0;
	return pool->mgr.spawn_next - now;
}

/* Does an item wait for a worker in worker_init, though another could be made? */
static bool kpool_awaits_init(struct kpool *pool)
{
	return !pool->mgr.nr_idle && kpool_has_work(pool) &&
	       !list_empty(&pool->mgr.starting) && kpool_can_grow(pool);
}

/*
 * When the oldest worker_init is not counted on any more.  Each that is late
 * doubles the time, so that workers which never come do not become many.
 */
static unsigned long kpool_late_at(const struct kpool *pool)
{
	const struct kpool_worker *oldest =
		list_first_entry(&pool->mgr.starting, struct kpool_worker, node);

	return oldest->since + (KPOOL_MIN_SPAWN_PAUSE <<
				    min(pool->mgr.nr_late, KPOOL_MAX_LATE_SHIFT));
}

static void kpool_arm_late(struct kpool *pool)
{
	long left;

	if (delayed_work_pending(&pool->mgr.late_work) || !kpool_awaits_init(pool))
		return;
	left = kpool_late_at(pool) - jiffies;
	queue_delayed_work(kpool_wq, &pool->mgr.late_work, max(left, 0));
}

/* Create workers if the pool needs some. */
void kpool_spawn_if_needed(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (kpool_should_spawn(pool))
		queue_delayed_work(kpool_spawn_wq, &pool->mgr.spawn_work,
				   kpool_spawn_delay(pool));
	kpool_arm_late(pool);
}

/* An item has waited for a worker_init for long: another worker is made. */
void kpool_late_work(struct work_struct *work)
{
	struct kpool *pool = container_of(to_delayed_work(work), struct kpool, mgr.late_work);
	struct kpool_worker *worker;

	raw_spin_lock_irq(&pool->lock);
	if (kpool_awaits_init(pool) &&
	    time_after_eq(jiffies, kpool_late_at(pool))) {
		worker = list_first_entry(&pool->mgr.starting, struct kpool_worker,
					  node);
		list_del(&worker->node);
		worker->late = true;
		pool->mgr.nr_late++;
	}
	kpool_spawn_if_needed(pool);
	raw_spin_unlock_irq(&pool->lock);
}

/* In a new worker, before it calls worker_init. */
void kpool_worker_init_begin(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	raw_spin_lock_irq(&pool->lock);
	worker->since = jiffies;
	worker->starting = true;
	list_add_tail(&worker->node, &pool->mgr.starting);
	kpool_arm_late(pool);
	raw_spin_unlock_irq(&pool->lock);
}

/* In a new worker: worker_init has returned, or has killed it. */
void kpool_worker_init_end(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	if (worker->late)
		pool->mgr.nr_late--;
	else if (worker->starting)
		list_del(&worker->node);
	worker->starting = false;
	worker->late = false;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
}

/* Can the coldest idle worker expire at all? */
static bool kpool_can_expire(const struct kpool *pool)
{
	return !list_empty(&pool->mgr.idle) &&
	       pool->attrs.expiry_ms != KPOOL_NO_PURGE &&
	       kpool_nr_staying(pool) > (unsigned int)pool->attrs.min_workers;
}

/* When the coldest idle worker expires. */
static unsigned long kpool_next_expiry(const struct kpool *pool)
{
	const struct kpool_worker *oldest =
		list_last_entry(&pool->mgr.idle, struct kpool_worker, node);

	return oldest->since + pool->expiry;
}

/*
 * When to set a timer of the wheel that must not fire later than a time that
 * lies @when - now ahead, plus 1/8 of that.  The wheel's grain is 8/63 at the
 * start of a level, more than 1/8: to aim a little low costs one more look.
 */
unsigned long kpool_timer_expires(unsigned long when)
{
	long left = when - jiffies;

	return max(left - left / 256, 1L);
}

/*
 * Arm the reap work unless nothing can expire; it looks again when it fires.
 * Litmus: reaper-armed.
 */
void kpool_arm_reaper(struct kpool *pool)
{
	if (delayed_work_pending(&pool->mgr.reap_work) || !kpool_can_expire(pool))
		return;
	queue_delayed_work(kpool_wq, &pool->mgr.reap_work,
			   kpool_timer_expires(kpool_next_expiry(pool)));
}

/* The last used worker goes to look at the line, or one will be made. */
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
	list_del(&worker->node);
	pool->mgr.nr_idle--;
	worker->state = KPOOL_WORKER_WAKING;
	pool->mgr.nr_waking++;
	return worker->task;
}

/* Send a worker away: it ends, and the reap work reaps it. */
void kpool_worker_retire(struct kpool *pool, struct kpool_worker *worker,
			 enum kpool_worker_state why)
{
	worker->state = why;
	worker->since = jiffies;
	pool->mgr.nr_exiting++;
}

/* Has a worker that finds nothing to start no future? */
bool kpool_should_exit(const struct kpool *pool)
{
	return (pool->closed && !pool->q.nr_queued) || kpool_has_surplus(pool);
}

/* The reap work sends idle workers away, one after the other. */
void kpool_retire_surplus(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (pool->mgr.nr_idle && kpool_should_exit(pool))
		mod_delayed_work(kpool_wq, &pool->mgr.reap_work, 0);
}

/* Memory for a worker, used before if there is any. */
static struct kpool_worker *kpool_alloc_worker(struct kpool *pool)
{
	struct kpool_worker *worker;

	raw_spin_lock_irq(&pool->lock);
	worker = list_first_entry_or_null(&pool->mgr.free_workers, struct kpool_worker,
					  node);
	if (worker)
		list_del(&worker->node);
	raw_spin_unlock_irq(&pool->lock);
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

/* Litmus: thread-made, attach-vs-reap. */
static int kpool_create_thread(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	struct task_struct *task;
	int node, err;

	err = kpool_exit_work_alloc(worker);
	if (err)
		return err;
	/* racing with a tune that will move the worker anyway */
	node = data_race(pool->attrs.node);

	task = kthread_create_on_node(kpool_worker_main, worker,
				      node ? node - 1 : NUMA_NO_NODE,
				      "%s", pool->comm);
	if (IS_ERR(task)) {
		kpool_exit_work_free(worker);
		return PTR_ERR(task);
	}
	worker->task = get_task_struct(task);
	worker->run.task = task;
	worker->run.dead = false;
	worker->run.notified = KPOOL_NOTIFIED_NONE;
	worker->state = KPOOL_WORKER_STARTING;
	worker->since = jiffies;
	worker->completed = 0;
	worker->run.fn = NULL;
	worker->data = NULL;
	worker->run.call = NULL;
	worker->stall_reported = 0;
	worker->died = false;
	worker->in_fault_handler = false;
	/* it may run, leave and be reaped before it has been woken */
	rcu_read_lock();
	wake_up_process(task);
	rcu_read_unlock();
	return 0;
}

/* A place that was reserved for a new worker is taken, or free again. */
static void kpool_spawn_ended(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (!--pool->mgr.nr_spawning)
		kpool_waiter_complete_list(pool, &pool->waiters.spawn, false);
}

/*
 * Threads can be made again: the log says so, and the next one does not wait for
 * its time.  Called with pool->lock held, which may be dropped meanwhile.
 */
static void kpool_spawn_recovered(struct kpool *pool)
{
	bool again = pool->mgr.spawn_pause, resumed = pool->mgr.reclaim_broken;

	if (!again && !resumed)
		return;
	pool->mgr.spawn_pause = 0;
	pool->mgr.reclaim_broken = false;
	if (again)
		mod_delayed_work(kpool_spawn_wq, &pool->mgr.spawn_work, 0);
	raw_spin_unlock_irq(&pool->lock);
	if (again)
		pr_info("%s: worker threads can be made again\n",
			pool->name);
	if (resumed)
		pr_info("%s: there is a worker again: progress without memory\n",
			pool->name);
	raw_spin_lock_irq(&pool->lock);
}

/*
 * In a new worker that has its state: enter it into the books, unless the pool
 * has shrunk meanwhile.
 */
bool kpool_worker_account(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	lockdep_assert_held(&pool->lock);
	kpool_spawn_recovered(pool);
	if (pool->mgr.nr_workers >= (unsigned int)pool->attrs.capacity)
		return false;
	worker->state = KPOOL_WORKER_WAKING;
	worker->since = jiffies;
	pool->mgr.nr_workers++;
	pool->stats.spawned++;
	kpool_spawn_ended(pool);
	return true;
}

/*
 * A thread could not be made.  The log says so when the first one fails; each
 * that was made in spite of that, and fails too, doubles the pause.
 */
static void kpool_spawn_failed(struct kpool *pool, int err, bool retry)
{
	unsigned long flags;
	bool first;

	raw_spin_lock_irqsave(&pool->lock, flags);
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
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	if (first)
		pr_warn("%s: cannot make a worker thread (%d), will try again\n",
			pool->name, err);
}

/* In a new worker: worker_init has failed, or has killed it. */
void kpool_worker_failed(struct kpool_worker *worker, int err)
{
	kpool_spawn_failed(worker->pool, err, worker->retry);
}

/* In a worker that executes nothing of its owner's any more: have it reaped. */
void kpool_worker_exited(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	if (worker->state == KPOOL_WORKER_STARTING)
		worker->state = KPOOL_WORKER_FAILED;
	list_add_tail(&worker->node, &pool->mgr.exited);
	mod_delayed_work(kpool_wq, &pool->mgr.reap_work, 0);
	raw_spin_unlock_irqrestore(&pool->lock, flags);
}

/* Make one worker, whose place has been reserved; it enters the books itself. */
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
	raw_spin_lock_irq(&pool->lock);
	if (worker)
		list_add(&worker->node, &pool->mgr.free_workers);
	kpool_spawn_ended(pool);
	kpool_unlock_irq(pool);
	return err;
}

/* May the spawn work make a thread now?  While they fail, one in each pause. */
static bool kpool_should_spawn_now(struct kpool *pool)
{
	return kpool_should_spawn(pool) && !kpool_spawn_delay(pool);
}

static bool kpool_should_prealloc(struct kpool *pool)
{
	return kpool_can_grow(pool) && kpool_below_min_workers(pool);
}

/* Reserve a place for a worker to be made, if one should be. */
static bool kpool_reserve_worker(struct kpool *pool,
				 bool (*wanted)(struct kpool *pool),
				 bool *retry)
{
	bool reserved;

	raw_spin_lock_irq(&pool->lock);
	reserved = wanted(pool);
	*retry = pool->mgr.spawn_pause;
	if (reserved) {
		pool->mgr.nr_spawning++;
		pool->mgr.spawn_next = get_jiffies_64() + pool->mgr.spawn_pause;
	}
	raw_spin_unlock_irq(&pool->lock);
	return reserved;
}

void kpool_spawn_work_fn(struct work_struct *work)
{
	struct kpool *pool = container_of(to_delayed_work(work), struct kpool, mgr.spawn_work);
	bool retry;

	kpool_replace_reaper(pool);
	while (kpool_reserve_worker(pool, kpool_should_spawn_now, &retry))
		if (kpool_create_worker(pool, retry))
			break;
	/* the rest in its time */
	raw_spin_lock_irq(&pool->lock);
	kpool_spawn_if_needed(pool);
	raw_spin_unlock_irq(&pool->lock);
}

/*
 * Wait for the workers on their way.  Returns 0 if none is lacking, 1 if one
 * has failed and a later one has not, or the error.
 */
static int kpool_wait_spawned(struct kpool *pool)
{
	struct kpool_waiter waiter;
	int err = 0;

	kpool_waiter_init(&waiter, KPOOL_WAITER_SPAWN, NULL);
	raw_spin_lock_irq(&pool->lock);
	if (pool->mgr.nr_spawning) {
		list_add_tail(&waiter.node, &pool->waiters.spawn);
		kpool_wait(pool, &waiter, MAX_SCHEDULE_TIMEOUT, 0);
	}
	if (kpool_should_prealloc(pool))
		err = pool->mgr.spawn_pause ? pool->mgr.spawn_error : 1;
	raw_spin_unlock_irq(&pool->lock);
	return err;
}

/* Make the warm workers now, all of them at once. */
int kpool_prealloc(struct kpool *pool)
{
	bool retry;
	int err;

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

/* End a thread; it executes nothing of ours afterwards.  Litmus: thread-gone. */
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

/* See out a worker that has ended: its thread waits for that alone. */
static void kpool_worker_reap(struct kpool *pool, struct kpool_worker *worker)
{
	kpool_stop_thread(worker);
	raw_spin_lock_irq(&pool->lock);
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

/* Reap one: was there any? */
static bool kpool_reap_next(struct kpool *pool)
{
	struct kpool_worker *worker;

	raw_spin_lock_irq(&pool->lock);
	worker = list_first_entry_or_null(&pool->mgr.exited, struct kpool_worker,
					  node);
	if (worker)
		list_del(&worker->node);
	raw_spin_unlock_irq(&pool->lock);
	if (worker)
		kpool_worker_reap(pool, worker);
	return worker;
}

/* Why has the coldest idle worker to leave, or KPOOL_WORKER_IDLE if it has not? */
static enum kpool_worker_state kpool_oldest_idle_fate(const struct kpool *pool)
{
	if (!pool->mgr.nr_idle)
		return KPOOL_WORKER_IDLE;
	if (kpool_should_exit(pool))
		return KPOOL_WORKER_RETIRED;
	/* a tick that has begun is not a tick that has passed: after, not at */
	if (kpool_can_expire(pool) &&
	    time_after(jiffies, kpool_next_expiry(pool)))
		return KPOOL_WORKER_EXPIRED;
	return KPOOL_WORKER_IDLE;
}

/* Send one idle worker away: was there any? */
static bool kpool_retire_next(struct kpool *pool)
{
	struct kpool_worker *worker = NULL;
	enum kpool_worker_state why;

	raw_spin_lock_irq(&pool->lock);
	why = kpool_oldest_idle_fate(pool);
	if (why != KPOOL_WORKER_IDLE) {
		worker = list_last_entry(&pool->mgr.idle, struct kpool_worker,
					 node);
		list_del(&worker->node);
		pool->mgr.nr_idle--;
		kpool_worker_retire(pool, worker, why);
	}
	raw_spin_unlock_irq(&pool->lock);
	/* the caller alone reaps it, so it stays */
	if (worker)
		wake_up_process(worker->task);
	return worker;
}

void kpool_reap_work_fn(struct work_struct *work)
{
	struct kpool *pool = container_of(to_delayed_work(work), struct kpool, mgr.reap_work);

	while (kpool_reap_next(pool) || kpool_retire_next(pool))
		;
	raw_spin_lock_irq(&pool->lock);
	kpool_arm_reaper(pool);
	/* a worker that has gone made way for one that was not allowed before */
	kpool_spawn_if_needed(pool);
	kpool_unlock_irq(pool);
}

void kpool_free_workers(struct kpool *pool)
{
	struct kpool_worker *worker, *next;

	list_for_each_entry_safe(worker, next, &pool->mgr.free_workers, node)
		kfree(worker);
}
