// SPDX-License-Identifier: GPL-2.0-only
/*
 * <pool>/diagnosis in debugfs: why no item starts, and which threads are in the
 * pool's items, or sleep in a submit, with their stacks.
 *
 * The reason is found under one hold of pool->lock.  It is the first obstacle
 * for kpool_dequeue(), kpool_kick() or kpool_pick_worker(), so it names what
 * has to end before the next item can start.
 *
 * A stack can take as long as an IPI, and a pool can have any number of
 * threads.  So the threads that are shown are noted first, a few per hold of
 * the lock.  Their stacks are read without any lock.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "internal.h"
#include "lock.h"
#include "queue.h"

/* Enough for the stacks of 32 threads. */
#define KPOOL_DIAGNOSIS_SIZE	SZ_64K

/* Threads shown in each list: those that have been there for longest. */
#define KPOOL_MAX_SHOWN		16U

enum kpool_reason {
	KPOOL_REASON_PAUSED,
	KPOOL_REASON_IDLE,
	KPOOL_REASON_DROPPING,
	KPOOL_REASON_BUSY,
	KPOOL_REASON_HEAVY,
	KPOOL_REASON_ORDERED,
	KPOOL_REASON_NO_THREAD,
	KPOOL_REASON_CREATING,
	KPOOL_REASON_EXITING,
	KPOOL_REASON_STARTING,
};

/* A thread in a run of the pool, or blocked in a submit. */
struct kpool_seen_thread {
	struct task_struct	*task;	/* referenced */
	const char		*role;
	void			*fn;	/* of its item */
	unsigned long		since;	/* jiffies */
	unsigned int		units;
};

/* The longest of the @nr threads seen, in order. */
struct kpool_seen_threads {
	unsigned int			nr;
	struct kpool_seen_thread	first[KPOOL_MAX_SHOWN];
};

struct kpool_diagnosis {
	enum kpool_reason		reason;
	unsigned int			capacity;
	unsigned int			free;	/* units */
	unsigned int			nr_waiting; /* accepted, to be started */
	unsigned int			nr_completions;	/* of ordered jobs */
	unsigned int			nr_blocked;
	u64				nr_delayed;
	unsigned int			nr_dropping;
	unsigned int			nr_spawning;
	unsigned int			nr_exiting;
	unsigned int			oldest_ms;
	unsigned int			retry_ms;
	int				spawn_error;
	unsigned int			next_units; /* of the next item */
	void				*next_fn;
	struct kpool_seen_threads	running;
	struct kpool_seen_threads	blocked;
};

/* The reason */

/* Return why no worker takes the next item, which could start. */
static enum kpool_reason kpool_find_missing_worker(const struct kpool *pool)
{
	if (pool->mgr.nr_waking || pool->mgr.nr_idle)
		return KPOOL_REASON_STARTING;
	/* first: without room there is no attempt, and spawn_pause stays */
	if (pool->mgr.nr_exiting &&
	    pool->mgr.nr_workers >= (unsigned int)pool->attrs.capacity)
		return KPOOL_REASON_EXITING;
	if (pool->mgr.spawn_pause)
		return KPOOL_REASON_NO_THREAD;
	if (pool->mgr.nr_spawning)
		return KPOOL_REASON_CREATING;
	return KPOOL_REASON_STARTING;
}

static enum kpool_reason kpool_find_reason(struct kpool *pool,
					   const struct kpool_diagnosis *d)
{
	if (pool->paused)
		return KPOOL_REASON_PAUSED;
	if (!(d->nr_waiting + d->nr_completions + d->nr_blocked))
		return d->nr_dropping ? KPOOL_REASON_DROPPING :
					KPOOL_REASON_IDLE;
	if (kpool_has_runnable(pool))
		return kpool_find_missing_worker(pool);
	if (!d->free)
		return KPOOL_REASON_BUSY;
	return d->next_units > d->free ? KPOOL_REASON_HEAVY :
					 KPOOL_REASON_ORDERED;
}

/* Copy what the reason depends on.  Takes and releases pool->lock. */
static void kpool_diagnose(struct kpool *pool, struct kpool_diagnosis *d)
{
	const struct kpool_item *next;
	u64 now = get_jiffies_64();

	kpool_lock_irq(pool);
	d->capacity = pool->attrs.capacity;
	d->free = kpool_free_units(pool);
	/* the job of a completion has started: it does not wait to start */
	d->nr_completions = pool->q.nr_completions;
	d->nr_waiting = kpool_nr_waiting(pool);
	d->nr_blocked = pool->q.nr_blocked;
	d->nr_delayed = pool->delays.nr;
	d->nr_dropping = pool->drops.nr + pool->runs.nr_drop;
	/* items of an aborted pool are on their lists until they are dropped */
	if (pool->aborted) {
		d->nr_dropping += d->nr_waiting;
		d->nr_waiting = 0;
	}
	d->nr_spawning = pool->mgr.nr_spawning;
	d->nr_exiting = pool->mgr.nr_exiting;
	d->oldest_ms = jiffies_to_msecs(kpool_oldest_age(pool));
	d->spawn_error = pool->mgr.spawn_error;
	if (pool->mgr.spawn_next > now)
		d->retry_ms = jiffies_to_msecs(pool->mgr.spawn_next - now);
	next = kpool_pick_prio(pool) ?:
	       list_first_entry_or_null(&pool->q.admission, struct kpool_item,
					node);
	if (next) {
		d->next_fn = kpool_user_fn(next);
		d->next_units = kpool_units(pool, next);
	}
	d->reason = kpool_find_reason(pool, d);
	kpool_unlock_irq(pool);
}

static void kpool_show_reason(struct seq_file *m,
			      const struct kpool_diagnosis *d)
{
	switch (d->reason) {
	case KPOOL_REASON_PAUSED:
		seq_printf(m, "paused: kpool_pause() holds back %u items\n",
			   d->nr_waiting);
		break;
	case KPOOL_REASON_IDLE:
		seq_printf(m, "idle: no item is pending, %llu are delayed\n",
			   d->nr_delayed);
		break;
	case KPOOL_REASON_DROPPING:
		seq_printf(m, "dropping: %u items wait for their drop functions\n",
			   d->nr_dropping);
		break;
	case KPOOL_REASON_BUSY:
		seq_printf(m, "busy: running items hold all %u units\n",
			   d->capacity);
		break;
	case KPOOL_REASON_HEAVY:
		seq_printf(m, "heavy: the next item, %ps, needs %u units, %u of %u are free\n",
			   d->next_fn, d->next_units, d->free, d->capacity);
		break;
	case KPOOL_REASON_ORDERED:
		seq_printf(m, "ordered: %u items wait for their streams or their earlier runs\n",
			   d->nr_waiting + d->nr_blocked);
		break;
	case KPOOL_REASON_NO_THREAD:
		seq_printf(m, "no_thread: creating a worker failed (%d), next attempt in %u ms\n",
			   d->spawn_error, d->retry_ms);
		break;
	case KPOOL_REASON_CREATING:
		seq_printf(m, "creating: %u workers are being created or are in worker_init\n",
			   d->nr_spawning);
		break;
	case KPOOL_REASON_EXITING:
		seq_printf(m, "exiting: %u exiting workers leave no room for another\n",
			   d->nr_exiting);
		break;
	case KPOOL_REASON_STARTING:
		seq_puts(m, "starting: a worker is about to take an item\n");
		break;
	}
}

/* The threads */

/* Keep the thread, with its reference, if it is one of the longest. */
static void kpool_see_thread(struct kpool_seen_threads *seen,
			     struct kpool_seen_thread thread)
{
	unsigned int i = min(seen->nr++, KPOOL_MAX_SHOWN);
	struct task_struct *shortest = thread.task;

	while (i && time_before(thread.since, seen->first[i - 1].since)) {
		i--;
		if (i + 1 == KPOOL_MAX_SHOWN)
			shortest = seen->first[i].task;
		else
			seen->first[i + 1] = seen->first[i];
	}
	if (i < KPOOL_MAX_SHOWN)
		seen->first[i] = thread;
	if (seen->nr > KPOOL_MAX_SHOWN)
		put_task_struct(shortest);
}

/* See the workers that run an item, and have not died in it. */
static void kpool_see_workers(struct kpool *pool,
			      struct kpool_seen_threads *seen)
{
	struct kpool_seen_thread thread = { .role = "worker" };
	struct kpool_worker *worker;

	/* the mutex keeps the tasks: a worker leaves the list under it */
	mutex_lock(&pool->mutex);
	list_for_each_entry(worker, &pool->mgr.workers, member) {
		bool running;

		kpool_lock_irq(pool);
		running = worker->state == KPOOL_WORKER_RUNNING &&
			  !worker->died && !worker->run.dead;
		thread.task = worker->task;
		thread.fn = READ_ONCE(worker->run.fn);
		thread.since = READ_ONCE(worker->since);
		thread.units = worker->run.units;
		kpool_unlock_irq(pool);
		if (!running)
			continue;
		get_task_struct(thread.task);
		kpool_see_thread(seen, thread);
	}
	mutex_unlock(&pool->mutex);
}

/* Return what the thread in the external run is. */
static const char *kpool_caller_role(const struct kpool *pool,
				     const struct kpool_run *run)
{
	static const char * const roles[] = {
		[KPOOL_RUN_WORKER]	= "fault handler",
		[KPOOL_RUN_CALLER]	= "submitter",
		[KPOOL_RUN_DROP]	= "drop function",
		[KPOOL_RUN_ABORT]	= "drop function",
		[KPOOL_RUN_ROOM]	= "room function",
		[KPOOL_RUN_RELEASE]	= "release function",
	};

	/* of a dead worker or submitter */
	if (run == pool->faults.reaping)
		return "fault handler";
	return roles[run->kind];
}

/*
 * See the living threads that are in an external run, one per hold of the lock.
 */
static void kpool_see_callers(struct kpool *pool,
			      struct kpool_seen_threads *seen)
{
	struct kpool_seen_thread thread = { };
	struct kpool_run *run;
	bool alive;

	do {
		kpool_lock_irq(pool);
		run = kpool_ext_run_after(pool, thread.task);
		alive = run && !kpool_thread_is_dead(pool, run);
		if (run)
			thread.task = run->task;
		if (alive) {
			get_task_struct(thread.task);
			thread.role = kpool_caller_role(pool, run);
			thread.fn = run->fn;
			thread.since = run->since;
		}
		kpool_unlock_irq(pool);
		if (alive)
			kpool_see_thread(seen, thread);
	} while (run);
}

/* See the first blocked submitters, which have slept for longest. */
static void kpool_see_submitters(struct kpool *pool,
				 struct kpool_seen_threads *seen)
{
	struct kpool_waiter *waiter;

	kpool_lock_irq(pool);
	list_for_each_entry(waiter, &pool->q.submitters, node) {
		if (seen->nr == KPOOL_MAX_SHOWN)
			break;
		seen->first[seen->nr++] = (struct kpool_seen_thread) {
			.task	= get_task_struct(waiter->task),
			.role	= "submitter",
			.fn	= kpool_user_fn(waiter->item),
			.since	= waiter->since,
		};
	}
	seen->nr = pool->q.nr_blocked;
	kpool_unlock_irq(pool);
}

/* Show a thread, with its stack, and put it. */
static void kpool_show_thread(struct seq_file *m,
			      const struct kpool_seen_thread *thread)
{
	pid_t pid = task_pid_nr(thread->task);
	struct kpool_stack stack;
	unsigned int i;

	seq_printf(m, "  %s %d: %ps for %u ms", thread->role, pid, thread->fn,
		   jiffies_to_msecs(jiffies - thread->since));
	if (thread->units)
		seq_printf(m, ", %u units", thread->units);
	seq_putc(m, '\n');
	if (!kpool_get_stack(thread->task, &stack))
		seq_printf(m, "    see /proc/%d/stack\n", pid);
	else if (!stack.nr)
		seq_puts(m, "    stack not available\n");
	for (i = 0; i < stack.nr; i++)
		seq_printf(m, "    %pS\n", (void *)stack.entry[i]);
	put_task_struct(thread->task);
}

static void kpool_show_threads(struct seq_file *m, const char *title,
			       const struct kpool_seen_threads *seen)
{
	unsigned int i, nr = min(seen->nr, KPOOL_MAX_SHOWN);

	seq_printf(m, "%s %u\n", title, seen->nr);
	for (i = 0; i < nr; i++)
		kpool_show_thread(m, &seen->first[i]);
	if (seen->nr > nr)
		seq_printf(m, "  %u more\n", seen->nr - nr);
}

static int kpool_diagnosis_show(struct seq_file *m, void *unused)
{
	struct kpool_diagnosis *d = kzalloc_obj(*d, GFP_KERNEL);
	struct kpool *pool = m->private;

	if (!d)
		return -ENOMEM;
	kpool_diagnose(pool, d);
	kpool_see_workers(pool, &d->running);
	kpool_see_callers(pool, &d->running);
	kpool_see_submitters(pool, &d->blocked);

	kpool_show_reason(m, d);
	seq_printf(m, "pending %u, oldest for %u ms\n", d->nr_waiting,
		   d->oldest_ms);
	kpool_show_threads(m, "running", &d->running);
	kpool_show_threads(m, "blocked", &d->blocked);
	kfree(d);
	return 0;
}

static int kpool_diagnosis_open(struct inode *inode, struct file *file)
{
	/* with a buffer that is too small, all stacks would be taken again */
	return single_open_size(file, kpool_diagnosis_show, inode->i_private,
				KPOOL_DIAGNOSIS_SIZE);
}

const struct file_operations kpool_diagnosis_fops = {
	.owner		= THIS_MODULE,
	.open		= kpool_diagnosis_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};
