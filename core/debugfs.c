// SPDX-License-Identifier: GPL-2.0-only
/*
 * Show pools in debugfs, and tune them there.
 *
 * The files in /sys/kernel/debug/<module>/ have statistics, workers, errors,
 * stalls, histograms, tunables, and a diagnosis: why no item starts.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "internal.h"
#include "lock.h"
#include "queue.h"

static struct dentry *kpool_debugfs_root;

static const char *kpool_state_name(const struct kpool_stats *stats)
{
	if (stats->closed)
		return "closed";
	return stats->paused ? "paused" : "open";
}

/* Tables */

static void kpool_show_attr(struct seq_file *m,
			    const struct kpool_attr_row *row,
			    struct kpool_attrs *attrs)
{
	char text[16];

	kpool_attr_print(row, *kpool_attr(attrs, row), text, sizeof(text));
	seq_puts(m, text);
}

/*
 * A table is copied under its mutex and printed without it, because printing
 * takes long and the pool must be able to create workers.
 */

struct kpool_pools_row {
	char			name[KPOOL_NAME_MAX + 1];
	char			owner[MODULE_NAME_LEN];
	struct kpool_stats	stats;
};

static void kpool_copy_pool(struct kpool *pool, struct kpool_pools_row *row)
{
	strscpy(row->name, pool->name, sizeof(row->name));
	strscpy(row->owner, pool->owner_name, sizeof(row->owner));
	kpool_get_stats(pool, &row->stats);
}

/* Copy up to @size pools.  Return the number of pools. */
static size_t kpool_copy_pools(struct kpool_pools_row *rows, size_t size)
{
	struct kpool *pool;
	size_t nr = 0;

	mutex_lock(&kpool_registry);
	list_for_each_entry(pool, &kpool_pools, member)
		if (nr++ < size)
			kpool_copy_pool(pool, rows++);
	mutex_unlock(&kpool_registry);
	return nr;
}

static int kpool_pools_show(struct seq_file *m, void *unused)
{
	struct kpool_pools_row *rows = NULL, *row;
	size_t nr, size = 0;

	while ((nr = kpool_copy_pools(rows, size)) > size) {
		kvfree(rows);
		size = nr;
		rows = kvmalloc_array(size, sizeof(*rows), GFP_KERNEL);
		if (!rows)
			return -ENOMEM;
	}
	seq_puts(m, "name                            state    alive     idle  running  pending  blocked    submitted    completed owner\n");
	for (row = rows; row < rows + nr; row++) {
		const struct kpool_stats *s = &row->stats;

		seq_printf(m, "%-31s %-6s %7llu  %7llu  %7llu  %7llu  %7llu %12llu %12llu %s\n",
			   row->name, kpool_state_name(s), s->alive, s->idle,
			   s->running, s->pending, s->blocked, s->submitted,
			   s->completed, row->owner);
	}
	kvfree(rows);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kpool_pools);

/*
 * Snapshot of all tunables.  @cpumask has no meaning if @all is true: all CPUs.
 */
struct kpool_tuned {
	struct kpool_attrs	attrs;
	cpumask_var_t		cpumask;
	bool			all;
};

/*
 * Copy what can be tuned, and the statistics unless @stats is NULL.  Return 0
 * or -ENOMEM.  The mutex makes it one reading: attributes change with it held.
 */
static int kpool_copy_tuned(struct kpool *pool, struct kpool_tuned *tuned,
			    struct kpool_stats *stats)
{
	if (!alloc_cpumask_var(&tuned->cpumask, GFP_KERNEL))
		return -ENOMEM;
	mutex_lock(&pool->mutex);
	kpool_get_attrs(pool, &tuned->attrs);
	if (stats)
		kpool_get_stats(pool, stats);
	tuned->all = !pool->attrs.cpumask;
	cpumask_copy(tuned->cpumask, pool->mgr.cpumask);
	mutex_unlock(&pool->mutex);
	return 0;
}

/* Show the mask, and free it. */
static void kpool_show_cpumask(struct seq_file *m, struct kpool_tuned *tuned)
{
	if (tuned->all)
		seq_puts(m, "all\n");
	else
		seq_printf(m, "%*pbl\n", cpumask_pr_args(tuned->cpumask));
	free_cpumask_var(tuned->cpumask);
}

#define KPOOL_STAT(_name)	seq_printf(m, #_name " %llu\n", stats._name)

static int kpool_stats_show(struct seq_file *m, void *unused)
{
	struct kpool *pool = m->private;
	struct kpool_tuned tuned;
	struct kpool_stats stats;
	int i;

	if (kpool_copy_tuned(pool, &tuned, &stats))
		return -ENOMEM;
	seq_printf(m, "state %s\n", kpool_state_name(&stats));
	KPOOL_STATS;
	for (i = 0; i < KPOOL_NR_TUNABLES; i++) {
		seq_printf(m, "%s ", kpool_attr_table[i].name);
		kpool_show_attr(m, &kpool_attr_table[i], &tuned.attrs);
	}
	seq_puts(m, "cpumask ");
	kpool_show_cpumask(m, &tuned);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kpool_stats);

struct kpool_workers_row {
	void			*fn;
	u64			completed;
	unsigned int		state_ms;
	pid_t			pid;
	u8			state;
	bool			blocked;
};

static void kpool_copy_worker(const struct kpool_worker *worker,
			      struct kpool_workers_row *row)
{
	struct kpool *pool = worker->pool;

	row->pid = task_pid_nr(worker->task);
	kpool_lock_irq(pool);
	row->state = READ_ONCE(worker->died) ? KPOOL_WORKER_DEAD : worker->state;
	row->state_ms = jiffies_to_msecs(jiffies - READ_ONCE(worker->since));
	row->completed = worker->nr_runs;
	row->fn = READ_ONCE(worker->run.fn);
	row->blocked = worker->state == KPOOL_WORKER_RUNNING &&
		       worker->run.blocked_on;
	kpool_unlock_irq(pool);
}

/* Copy up to @size workers.  Return the number of workers. */
static size_t kpool_copy_workers(struct kpool *pool,
				 struct kpool_workers_row *rows, size_t size)
{
	struct kpool_worker *worker;
	size_t nr = 0;

	mutex_lock(&pool->mutex);
	list_for_each_entry(worker, &pool->mgr.workers, member)
		if (nr++ < size)
			kpool_copy_worker(worker, rows++);
	mutex_unlock(&pool->mutex);
	return nr;
}

static void kpool_show_worker(struct seq_file *m,
			      const struct kpool_workers_row *row)
{
	static const char * const states[] = {
		[KPOOL_WORKER_STARTING]	= "starting",
		[KPOOL_WORKER_WAKING]	= "waking",
		[KPOOL_WORKER_RUNNING]	= "running",
		[KPOOL_WORKER_IDLE]	= "idle",
		[KPOOL_WORKER_EXPIRED]	= "exiting",
		[KPOOL_WORKER_RETIRED]	= "exiting",
		[KPOOL_WORKER_DEAD]	= "dead",
		[KPOOL_WORKER_FAILED]	= "exiting",
	};

	seq_printf(m, "%-7d %-8s %8u %12llu ", row->pid,
		   row->blocked ? "blocked" : states[row->state], row->state_ms,
		   row->completed);
	if (row->state == KPOOL_WORKER_RUNNING || row->state == KPOOL_WORKER_DEAD)
		seq_printf(m, "%ps\n", row->fn);
	else
		seq_puts(m, "-\n");
}

static int kpool_workers_show(struct seq_file *m, void *unused)
{
	struct kpool_workers_row *rows = NULL, *row;
	struct kpool *pool = m->private;
	size_t nr, size = 0;

	while ((nr = kpool_copy_workers(pool, rows, size)) > size) {
		kvfree(rows);
		/* leave room for workers created before the next copy */
		size = nr + nr / 8;
		rows = kvmalloc_array(size, sizeof(*rows), GFP_KERNEL);
		if (!rows)
			return -ENOMEM;
	}
	seq_puts(m, "pid     state    state_ms    completed function\n");
	for (row = rows; row < rows + nr; row++)
		kpool_show_worker(m, row);
	kvfree(rows);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kpool_workers);

static void kpool_show_error(struct seq_file *m,
			     const struct kpool_error *error)
{
	u64 when = error->when;
	u32 ns = do_div(when, NSEC_PER_SEC);

	seq_printf(m, "%12llu.%06u %5d %-7d %-8s %s\n", when,
		   ns / (u32)NSEC_PER_USEC, error->err, error->pid,
		   error->died ? "died" : "returned", error->fn);
}

/* Show the last errors, oldest first. */
static int kpool_errors_show(struct seq_file *m, void *unused)
{
	struct kpool_errors *errors = kzalloc_obj(*errors, GFP_KERNEL);
	struct kpool *pool = m->private;
	unsigned int i;

	if (!errors)
		return -ENOMEM;
	kpool_lock_irq(pool);
	if (pool->faults.errors)
		*errors = *pool->faults.errors;
	kpool_unlock_irq(pool);

	seq_puts(m, "since_boot_s        errno pid     how      function\n");
	for (i = 0; i < KPOOL_NR_ERRORS; i++) {
		const struct kpool_error *error =
			&errors->ring[(errors->nr + i) % KPOOL_NR_ERRORS];

		if (error->when)
			kpool_show_error(m, error);
	}
	kfree(errors);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kpool_errors);

static void kpool_show_stall(struct seq_file *m,
			     const struct kpool_stall *stall)
{
	u64 when = stall->when;
	u32 ns = do_div(when, NSEC_PER_SEC);

	seq_printf(m, "%llu.%06u %s has run for %u ms in thread %d\n%s", when,
		   ns / (u32)NSEC_PER_USEC, stall->fn, stall->ran_ms,
		   stall->pid, stall->stack);
}

/*
 * Copy the stall number @nr, or the first after it if it has been overwritten,
 * and advance @nr.  Return false if there is none.
 */
static bool kpool_copy_stall(struct kpool *pool, unsigned int *nr,
			     struct kpool_stall *copy)
{
	const struct kpool_stall *stall;
	bool complete = false;

	kpool_lock_irq(pool);
	if (pool->wd.nr_stalls - *nr > KPOOL_NR_STALLS)
		*nr = pool->wd.nr_stalls - KPOOL_NR_STALLS;
	while (!complete && *nr != pool->wd.nr_stalls) {
		stall = pool->wd.stalls[(*nr)++ % KPOOL_NR_STALLS];
		/* ->when is 0 while the entry is overwritten */
		complete = stall && stall->when;
		if (complete)
			*copy = *stall;
	}
	kpool_unlock_irq(pool);
	return complete;
}

/* Show the last stalls, oldest first. */
static int kpool_stalls_show(struct seq_file *m, void *unused)
{
	struct kpool_stall *copy = kmalloc_obj(*copy, GFP_KERNEL);
	struct kpool *pool = m->private;
	unsigned int nr = 0;

	if (!copy)
		return -ENOMEM;
	while (kpool_copy_stall(pool, &nr, copy))
		kpool_show_stall(m, copy);
	kfree(copy);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kpool_stalls);

/*
 * Diagnosis: why no item starts, and which threads are in the pool's items, or
 * sleep in a submit, with their stacks.
 *
 * The reason is found under one hold of pool->lock.  It is the first obstacle
 * for kpool_dequeue(), kpool_kick() or kpool_pick_worker(), so it names what
 * has to end before the next item can start.
 *
 * A stack can take as long as an IPI, and a pool can have any number of
 * threads.  So the threads that are shown are noted first, a few per hold of
 * the lock.  Their stacks are read without any lock.
 */

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

static const struct file_operations kpool_diagnosis_fops = {
	.owner		= THIS_MODULE,
	.open		= kpool_diagnosis_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* Writes */

/* Return the text written to the file @name, to be freed, or an ERR_PTR. */
static char *kpool_copy_text(struct kpool *pool, const char *name,
			     const char __user *data, size_t count, loff_t *pos)
{
	char *text;

	if (!count || count >= PAGE_SIZE || *pos) {
		pr_err("%s: bad write to %s: %zu bytes at %lld; allowed: one value, at once\n",
		       pool->name, name, count, *pos);
		return ERR_PTR(-EINVAL);
	}
	text = memdup_user_nul(data, count);
	if (!IS_ERR(text) && strlen(text) != count) {
		pr_err("%s: bad write to %s: a NUL byte; allowed: text\n",
		       pool->name, name);
		kfree(text);
		return ERR_PTR(-EINVAL);
	}
	return text;
}

/* Latency */

/* Return the number of rows up to the last one that counts anything. */
static int kpool_latency_nr_rows(const struct kpool_histograms *counts)
{
	int nr = KPOOL_LATENCY_ROWS;

	while (nr && !counts->waiting[nr - 1] && !counts->running[nr - 1])
		nr--;
	return nr;
}

static int kpool_latency_show(struct seq_file *m, void *unused)
{
	struct kpool_histograms *copy = kzalloc_obj(*copy, GFP_KERNEL);
	struct kpool *pool = m->private;
	int i, nr;
	bool on;

	if (!copy)
		return -ENOMEM;
	kpool_lock_irq(pool);
	if (pool->latency.counts)
		*copy = *pool->latency.counts;
	on = pool->latency.on;
	kpool_unlock_irq(pool);

	seq_printf(m, "state %s\n", on ? "on" : "off");
	seq_puts(m, "from_us         waiting      running\n");
	nr = kpool_latency_nr_rows(copy);
	for (i = 0; i < nr; i++)
		seq_printf(m, "%-10lu %12llu %12llu\n", i ? BIT(i - 1) : 0,
			   copy->waiting[i], copy->running[i]);
	kfree(copy);
	return 0;
}

static int kpool_latency_open(struct inode *inode, struct file *file)
{
	return single_open(file, kpool_latency_show, inode->i_private);
}

static int kpool_latency_by_text(struct kpool *pool, const char *text)
{
	if (sysfs_streq(text, "on") || sysfs_streq(text, "off"))
		return kpool_latency_switch(pool, sysfs_streq(text, "on"));
	if (sysfs_streq(text, "reset")) {
		kpool_latency_reset(pool);
		return 0;
	}
	pr_err("%s: bad latency \"%*pE\"; allowed: on, off or reset\n",
	       pool->name, (int)strnlen(text, 32), text);
	return -EINVAL;
}

static ssize_t kpool_latency_write(struct file *filp, const char __user *data,
				   size_t count, loff_t *pos)
{
	struct kpool *pool = ((struct seq_file *)filp->private_data)->private;
	char *text = kpool_copy_text(pool, "latency", data, count, pos);
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	err = kpool_latency_by_text(pool, strim(text));
	kfree(text);
	if (err)
		return err;
	*pos += count;
	return count;
}

static const struct file_operations kpool_latency_fops = {
	.owner		= THIS_MODULE,
	.open		= kpool_latency_open,
	.read		= seq_read,
	.write		= kpool_latency_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* Tunables */

/* File of a tunable. */
struct kpool_tunable_file {
	struct kpool			*pool;	/* I */
	const struct kpool_attr_row	*row;	/* I: NULL for the cpumask */
};

static int kpool_tunable_show(struct seq_file *m, void *unused)
{
	struct kpool_tunable_file *file = m->private;
	struct kpool_tuned tuned;

	if (file->row) {
		kpool_get_attrs(file->pool, &tuned.attrs);
		kpool_show_attr(m, file->row, &tuned.attrs);
		return 0;
	}
	if (kpool_copy_tuned(file->pool, &tuned, NULL))
		return -ENOMEM;
	kpool_show_cpumask(m, &tuned);
	return 0;
}

static int kpool_tunable_open(struct inode *inode, struct file *file)
{
	return single_open(file, kpool_tunable_show, inode->i_private);
}

static int kpool_tune_by_text(struct kpool *pool,
			      const struct kpool_attr_row *row,
			      const char *text)
{
	int value, err;

	err = kpool_attr_parse(row, text, pool->name, &value);
	return err ?: kpool_tune(pool, row - kpool_attr_table, value);
}

static int kpool_tune_cpumask_by_text(struct kpool *pool, const char *text)
{
	cpumask_var_t mask;
	int err;

	if (sysfs_streq(text, "all"))
		return kpool_tune_cpumask(pool, cpu_all_mask);
	if (!alloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	err = kpool_cpulist_parse(text, mask) ? -EINVAL : 0;
	if (err)
		pr_err("%s: bad cpumask \"%*pE\"; allowed: a list of CPUs like 0-3,5, or all\n",
		       pool->name, (int)strnlen(text, 32), text);
	else
		err = kpool_tune_cpumask(pool, mask);
	free_cpumask_var(mask);
	return err;
}

static ssize_t kpool_tunable_write(struct file *filp, const char __user *data,
				   size_t count, loff_t *pos)
{
	struct kpool_tunable_file *file =
		((struct seq_file *)filp->private_data)->private;
	const char *name = file->row ? file->row->name : "cpumask";
	char *text;
	int err;

	if (file->pool->init_attrs.flags & KPOOL_PINNED) {
		pr_err("%s: %s is pinned by %s\n", file->pool->name,
		       name, file->pool->owner_name);
		return -EPERM;
	}
	text = kpool_copy_text(file->pool, name, data, count, pos);
	if (IS_ERR(text))
		return PTR_ERR(text);
	if (file->row)
		err = kpool_tune_by_text(file->pool, file->row, strim(text));
	else
		err = kpool_tune_cpumask_by_text(file->pool, strim(text));
	kfree(text);
	if (err)
		return err;
	*pos += count;
	return count;
}

static const struct file_operations kpool_tunable_fops = {
	.owner		= THIS_MODULE,
	.open		= kpool_tunable_open,
	.read		= seq_read,
	.write		= kpool_tunable_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static void kpool_add_tunable(struct kpool *pool, int i,
			      const struct kpool_attr_row *row)
{
	struct kpool_tunable_file *file = &pool->dbg.files[i];

	file->pool = pool;
	file->row = row;
	debugfs_create_file(row ? row->name : "cpumask", 0600, pool->dbg.dir,
			    file, &kpool_tunable_fops);
}

/* Create the files of a pool.  Ignore errors: kpool works without debugfs. */
void kpool_debugfs_add(struct kpool *pool)
{
	int i;

	pool->dbg.files = kzalloc_objs(*pool->dbg.files, KPOOL_NR_TUNABLES + 1,
				       GFP_KERNEL);
	if (!pool->dbg.files)
		return;
	pool->dbg.dir = debugfs_create_dir(pool->name, kpool_debugfs_root);
	debugfs_create_file("stats", 0400, pool->dbg.dir, pool,
			    &kpool_stats_fops);
	debugfs_create_file("workers", 0400, pool->dbg.dir, pool,
			    &kpool_workers_fops);
	debugfs_create_file("errors", 0400, pool->dbg.dir, pool,
			    &kpool_errors_fops);
	debugfs_create_file("stalls", 0400, pool->dbg.dir, pool,
			    &kpool_stalls_fops);
	debugfs_create_file("diagnosis", 0400, pool->dbg.dir, pool,
			    &kpool_diagnosis_fops);
	/* to be readable under lockdown; root can write all the same */
	debugfs_create_file("latency", 0400, pool->dbg.dir, pool,
			    &kpool_latency_fops);
	for (i = 0; i < KPOOL_NR_TUNABLES; i++)
		kpool_add_tunable(pool, i, &kpool_attr_table[i]);
	kpool_add_tunable(pool, i, NULL);
}

/* Remove the files.  Waits for reads and writes; later ones fail with -EIO. */
void kpool_debugfs_remove(struct kpool *pool)
{
	debugfs_remove(pool->dbg.dir);
	/* no write can switch it on again */
	kpool_latency_switch(pool, false);
	kfree(pool->dbg.files);
}

void kpool_debugfs_init(void)
{
	kpool_debugfs_root = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("pools", 0400, kpool_debugfs_root, NULL,
			    &kpool_pools_fops);
}

void kpool_debugfs_exit(void)
{
	debugfs_remove(kpool_debugfs_root);
}
