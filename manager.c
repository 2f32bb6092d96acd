// SPDX-License-Identifier: GPL-2.0-only
/*
 * The manager: how many worker threads a pool has.
 *
 * A worker that is needed is taken from pool->idle, most recently used first,
 * or created.  Delayed work does what may sleep: one creates threads, one ends
 * the workers that have been idle for too long and reaps those that exit.
 */
#include <linux/kthread.h>
#include <linux/slab.h>

#include "internal.h"
#include "pending.h"

/* How long to wait after a thread could not be created. */
#define KPOOL_SPAWN_RETRY	msecs_to_jiffies(100)

/* So many idle workers are retired under one hold of the lock. */
#define KPOOL_RETIRE_BATCH	32

/* May another thread be made?  Those that have not quite gone count. */
static bool kpool_may_grow(const struct kpool *pool)
{
	return pool->nr_workers + pool->nr_spawning <
	       (unsigned int)pool->attrs.capacity;
}

/* Is there more to start than workers on their way, and nobody idle? */
static bool kpool_needs_worker(struct kpool *pool)
{
	return !pool->nr_idle && kpool_has_work(pool) &&
	       pool->nr_line > pool->nr_coming + pool->nr_spawning +
				  pool->nr_settling;
}

/* Does the pool lack warm workers that it promised to have made? */
static bool kpool_lacks_warm(const struct kpool *pool)
{
	return (pool->attrs.flags & KPOOL_PREALLOC) && !pool->closed &&
	       kpool_nr_staying(pool) + pool->nr_spawning <
	       (unsigned int)pool->attrs.min_workers;
}

static bool kpool_should_spawn(struct kpool *pool)
{
	return kpool_may_grow(pool) &&
	       (kpool_lacks_warm(pool) || kpool_needs_worker(pool));
}

/* Can the coldest idle worker expire at all? */
static bool kpool_can_expire(const struct kpool *pool)
{
	return !list_empty(&pool->idle) &&
	       pool->attrs.expiry_ms != KPOOL_NO_PURGE &&
	       kpool_nr_staying(pool) > (unsigned int)pool->attrs.min_workers;
}

/* When the coldest idle worker expires. */
static unsigned long kpool_next_expiry(const struct kpool *pool)
{
	const struct kpool_worker *coldest =
		list_last_entry(&pool->idle, struct kpool_worker, node);

	return coldest->since + pool->expiry;
}

/*
 * Arm the purger unless nothing can expire; it looks again when it fires.
 * Litmus: purger-armed.
 */
void kpool_arm_purger(struct kpool *pool)
{
	if (delayed_work_pending(&pool->purger) || !kpool_can_expire(pool))
		return;
	queue_delayed_work(kpool_wq, &pool->purger,
			   kpool_aim(kpool_next_expiry(pool)));
}

/* The last used worker goes to look at the line, or one will be made. */
struct task_struct *kpool_send_worker(struct kpool *pool)
{
	struct kpool_worker *worker;

	lockdep_assert_held(&pool->lock);
	worker = list_first_entry_or_null(&pool->idle, struct kpool_worker,
					  node);
	if (!worker) {
		if (kpool_should_spawn(pool))
			queue_delayed_work(kpool_spawn_wq, &pool->spawner, 0);
		return NULL;
	}
	list_del(&worker->node);
	pool->nr_idle--;
	worker->state = KPOOL_COMING;
	pool->nr_coming++;
	return worker->task;
}

/* Send a worker away; the purger will reap it. */
void kpool_dismiss(struct kpool *pool, struct kpool_worker *worker,
		   enum kpool_worker_state why)
{
	worker->state = why;
	worker->since = jiffies;
	list_add_tail(&worker->node, &pool->leaving);
	pool->nr_leaving++;
}

/* Send an idle worker away. */
static void kpool_dismiss_coldest(struct kpool *pool,
				  enum kpool_worker_state why)
{
	struct kpool_worker *worker =
		list_last_entry(&pool->idle, struct kpool_worker, node);

	list_del(&worker->node);
	pool->nr_idle--;
	kpool_dismiss(pool, worker, why);
}

/* Has a worker that finds nothing to start no future? */
bool kpool_should_leave(const struct kpool *pool)
{
	return (pool->closed && !pool->nr_line) || kpool_has_surplus(pool);
}

/* Reap the workers that exit, at once. */
void kpool_arm_reaper(struct kpool *pool)
{
	if (pool->nr_leaving)
		mod_delayed_work(kpool_wq, &pool->purger, 0);
}

/* Idle workers that are too many exit, a batch at most: are there more? */
bool kpool_retire_surplus(struct kpool *pool)
{
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < KPOOL_RETIRE_BATCH; i++) {
		if (!pool->nr_idle || !kpool_should_leave(pool))
			break;
		kpool_dismiss_coldest(pool, KPOOL_RETIRED);
	}
	kpool_arm_reaper(pool);
	return i == KPOOL_RETIRE_BATCH;
}

/* Afterwards there is no surplus unless no worker is idle. */
void kpool_retire_all_surplus(struct kpool *pool)
{
	bool more;

	do {
		raw_spin_lock_irq(&pool->lock);
		more = kpool_retire_surplus(pool);
		kpool_unlock_irq(pool);
	} while (more);
}

/* Memory for a worker, used before if there is any. */
static struct kpool_worker *kpool_alloc_worker(struct kpool *pool)
{
	struct kpool_worker *worker;

	raw_spin_lock_irq(&pool->lock);
	worker = list_first_entry_or_null(&pool->spare, struct kpool_worker,
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

static int kpool_make_thread(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	struct task_struct *task;
	int node, err;

	err = kpool_make_hook(worker);
	if (err)
		return err;
	/* racing with a tune that will move the worker anyway */
	node = data_race(pool->attrs.node);

	task = kthread_create_on_node(kpool_worker_main, worker,
				      node ? node - 1 : NUMA_NO_NODE,
				      "%s", pool->comm);
	if (IS_ERR(task)) {
		kpool_free_hook(worker);
		return PTR_ERR(task);
	}
	worker->task = get_task_struct(task);
	worker->run.task = task;
	worker->run.dead = false;
	worker->done = 0;
	worker->nr_locks = 0;
	worker->fn = NULL;
	worker->data = NULL;
	worker->call = NULL;
	worker->told = 0;
	worker->died = false;
	worker->blaming = false;
	return 0;
}

/* A place that was reserved for a worker is free again. */
static void kpool_not_made(struct kpool *pool, struct kpool_worker *spare)
{
	lockdep_assert_held(&pool->lock);
	pool->nr_spawning--;
	if (spare)
		list_add(&spare->node, &pool->spare);
}

/* Enter a new worker into the books, unless the pool has shrunk meanwhile. */
static bool kpool_enter_worker(struct kpool *pool, struct kpool_worker *worker)
{
	lockdep_assert_held(&pool->lock);
	if (pool->nr_workers >= (unsigned int)pool->attrs.capacity)
		return false;
	pool->nr_spawning--;
	worker->state = KPOOL_COMING;
	worker->since = jiffies;
	pool->nr_settling++;
	pool->nr_workers++;
	pool->stats.spawned++;
	return true;
}

/* End a thread; it executes nothing of ours afterwards.  Litmus: thread-gone. */
static void kpool_stop_thread(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;

	kthread_stop(worker->task);
	mutex_lock(&pool->mutex);
	list_del_init(&worker->member);
	mutex_unlock(&pool->mutex);
	kpool_unhook(worker->hook);
	put_task_struct(worker->task);
}

/* Litmus: thread-made, settled-in-books, settle-vs-reap. */
static int kpool_start_worker(struct kpool_worker *worker)
{
	struct kpool *pool = worker->pool;
	bool entered, again, resumed;
	int err;

	err = kpool_try_out(worker);
	if (err) {
		kpool_stop_thread(worker);
		return err;
	}
	raw_spin_lock_irq(&pool->lock);
	entered = kpool_enter_worker(pool, worker);
	again = pool->spawn_failed;
	pool->spawn_failed = false;
	resumed = pool->suspended && entered;
	pool->suspended &= !entered;
	raw_spin_unlock_irq(&pool->lock);

	if (entered) {
		struct task_struct *task = worker->task;

		/* it may see that, leave and be reaped before it is woken */
		rcu_read_lock();
		WRITE_ONCE(worker->settled, true);
		wake_up_process(task);
		rcu_read_unlock();
	} else {
		kpool_stop_thread(worker);
		raw_spin_lock_irq(&pool->lock);
		kpool_not_made(pool, worker);
		kpool_unlock_irq(pool);
	}
	if (again)
		pr_info("kpool: %s: worker threads can be made again\n",
			pool->name);
	if (resumed)
		pr_info("kpool: %s: there is a worker again: progress without memory\n",
			pool->name);
	return 0;
}

/* What is accepted stays, what workers there are go on, the log says it once. */
static void kpool_spawn_failed(struct kpool *pool, struct kpool_worker *spare,
			       int err)
{
	bool first;

	raw_spin_lock_irq(&pool->lock);
	first = !pool->spawn_failed;
	pool->spawn_failed = true;
	kpool_not_made(pool, spare);
	kpool_unlock_irq(pool);
	if (first)
		pr_warn("kpool: %s: cannot make a worker thread (%d), will try again\n",
			pool->name, err);
}

/* Make one worker; its place in the books has been reserved. */
static int kpool_make_worker(struct kpool *pool)
{
	struct kpool_worker *worker = kpool_alloc_worker(pool);
	int err = -ENOMEM;

	if (worker)
		err = kpool_make_thread(worker) ?: kpool_start_worker(worker);
	if (err)
		kpool_spawn_failed(pool, worker, err);
	return err;
}

/* Reserve a place for a worker to be made, if one should be. */
static bool kpool_reserve_worker(struct kpool *pool,
				 bool (*wanted)(struct kpool *pool))
{
	bool reserved;

	raw_spin_lock_irq(&pool->lock);
	reserved = wanted(pool);
	if (reserved)
		pool->nr_spawning++;
	raw_spin_unlock_irq(&pool->lock);
	return reserved;
}

/* Create a worker if the pool needs one. */
void kpool_spawn_if_needed(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	if (kpool_should_spawn(pool))
		queue_delayed_work(kpool_spawn_wq, &pool->spawner, 0);
}

void kpool_spawn_work(struct work_struct *work)
{
	struct kpool *pool = container_of(to_delayed_work(work), struct kpool,
					  spawner);

	while (kpool_reserve_worker(pool, kpool_should_spawn)) {
		if (!kpool_make_worker(pool))
			continue;
		/* also if a submit has asked for a worker meanwhile */
		mod_delayed_work(kpool_spawn_wq, &pool->spawner,
				 KPOOL_SPAWN_RETRY);
		return;
	}
}

static bool kpool_should_prealloc(struct kpool *pool)
{
	return kpool_may_grow(pool) && kpool_lacks_warm(pool);
}

static bool kpool_is_spawning(struct kpool *pool)
{
	bool spawning;

	raw_spin_lock_irq(&pool->lock);
	spawning = pool->nr_spawning;
	raw_spin_unlock_irq(&pool->lock);
	return spawning;
}

/* Make the warm workers now; the spawner may be making some of them. */
int kpool_prealloc(struct kpool *pool)
{
	for (;;) {
		flush_delayed_work(&pool->spawner);
		while (kpool_reserve_worker(pool, kpool_should_prealloc)) {
			int err = kpool_make_worker(pool);

			if (err)
				return err;
		}
		if (!kpool_is_spawning(pool))
			return 0;
		/* somebody else makes one: he may need our CPU for that */
		schedule_timeout_uninterruptible(1);
	}
}

/* See a leaving worker out. */
static void kpool_reap(struct kpool *pool, struct kpool_worker *worker)
{
	kpool_stop_thread(worker);
	raw_spin_lock_irq(&pool->lock);
	if (worker->state == KPOOL_PURGED)
		pool->stats.purged++;
	else
		pool->stats.retired++;
	list_add(&worker->node, &pool->spare);
	pool->nr_leaving--;
	pool->nr_workers--;
	raw_spin_unlock_irq(&pool->lock);
}

/* The next worker to reap: one that leaves already, or the coldest if expired. */
static struct kpool_worker *kpool_next_leaver(struct kpool *pool)
{
	struct kpool_worker *worker;

	raw_spin_lock_irq(&pool->lock);
	/* a tick that has begun is not a tick that has passed: after, not at */
	if (list_empty(&pool->leaving) && kpool_can_expire(pool) &&
	    time_after(jiffies, kpool_next_expiry(pool)))
		kpool_dismiss_coldest(pool, KPOOL_PURGED);
	worker = list_first_entry_or_null(&pool->leaving, struct kpool_worker,
					  node);
	if (worker)
		list_del(&worker->node);
	raw_spin_unlock_irq(&pool->lock);
	return worker;
}

void kpool_purge_work(struct work_struct *work)
{
	struct kpool *pool = container_of(to_delayed_work(work), struct kpool,
					  purger);
	struct kpool_worker *worker;

	while ((worker = kpool_next_leaver(pool)))
		kpool_reap(pool, worker);

	raw_spin_lock_irq(&pool->lock);
	kpool_arm_purger(pool);
	/* who left made way for a thread that was not allowed before */
	kpool_spawn_if_needed(pool);
	kpool_unlock_irq(pool);
}

void kpool_free_workers(struct kpool *pool)
{
	struct kpool_worker *worker, *next;

	list_for_each_entry_safe(worker, next, &pool->spare, node)
		kfree(worker);
}
