// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes and statistics of a pool: parse, validate, apply and tune the
 * former, and collect the latter.
 *
 * tunables.h describes each tunable attribute once.
 */
#include <linux/kernel.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched/isolation.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <uapi/linux/sched/types.h>

#include "internal.h"
#include "lock.h"
#include "queue.h"
#include "trace.h"

static const char *const kpool_no_yes[] = { "no", "yes", NULL };
static const char *const kpool_policies[] = {
	"normal", "batch", "idle", "fifo", "rr", NULL
};

static const char *const kpool_full_words[] = {
	"wait", "caller_runs", "drop_oldest", NULL
};

#define KPOOL_TUNABLE(_field, _id, _text, ...)				\
	[KPOOL_TUNE_##_id] = {						\
		.name	= #_field,					\
		.offset	= offsetof(struct kpool_attrs, _field) +	\
			  BUILD_BUG_ON_ZERO(sizeof(_text) > 80),	\
		__VA_ARGS__						\
	},
const struct kpool_attr_row kpool_attr_table[KPOOL_NR_TUNABLES] = {
#include "tunables.h"
};

/* Check that each value of the enum and each int of the struct has a row. */
#undef KPOOL_TUNABLE
#define KPOOL_TUNABLE(_field, ...)	KPOOL_ROW_##_field,
enum {
#include "tunables.h"
	KPOOL_NR_ROWS
};

static_assert(KPOOL_NR_ROWS == (int)KPOOL_NR_TUNABLES);
static_assert(KPOOL_NR_ROWS * sizeof(int) ==
	      offsetof(struct kpool_attrs, flags));

/* Values of attributes left at zero; resolved by kpool_module_init(). */
struct kpool_attrs kpool_defaults;

/* Attributes of the default pool; resolved by kpool_module_init(). */
struct kpool_attrs kpool_default_pool_attrs;

/* Text and values */

/* Convert a value to the number used in text. */
static int kpool_attr_to_user(const struct kpool_attr_row *row, int value)
{
	return value - row->from_zero;
}

/* Log that @text is no value of the attribute, and which values are. */
static void kpool_attr_log_bad(const struct kpool_attr_row *row,
			       const char *name, const char *text)
{
	int least = row->from_zero ? 1 : row->min;
	int i;

	pr_err("%s: bad %s \"%*pE\"; allowed: %d to %d%s%s%s%s%s\n",
	       name, row->name, (int)strnlen(text, 32), text,
	       kpool_attr_to_user(row, least),
	       kpool_attr_to_user(row, row->max),
	       row->none_word ? " or " : "", row->none_word ?: "",
	       row->max_word ? " or " : "", row->max_word ?: "",
	       row->from_zero ? "" : ", 0 for the default");
	for (i = 0; row->words && row->words[i]; i++)
		pr_err("%s: %s may be \"%s\"\n", name, row->name,
		       row->words[i]);
}

/* Look up @text in the words of the attribute.  Return false if not found. */
static bool kpool_attr_word(const struct kpool_attr_row *row, const char *text,
			    int *value)
{
	int i;

	if (row->none_word && sysfs_streq(text, row->none_word)) {
		*value = KPOOL_NONE;
		return true;
	}
	if (row->max_word && sysfs_streq(text, row->max_word)) {
		*value = row->max;
		return true;
	}
	for (i = 1; row->words && row->words[i]; i++) {
		if (sysfs_streq(text, row->words[i])) {
			*value = i;
			return true;
		}
	}
	return false;
}

/*
 * Replace a requested value, with its special values, by the value in force.
 * Return -ERANGE if it is out of range.
 */
static int kpool_attr_resolve(const struct kpool_attr_row *row, int def,
			      int *value)
{
	if (*value == 0) {
		*value = def;
		return 0;
	}
	if (*value == KPOOL_NONE && row->none_word) {
		*value = 0;
		return 0;
	}
	return *value < row->min || *value > row->max ? -ERANGE : 0;
}

/*
 * Parse the text of a value, which can be a word.  On error, log the allowed
 * values; @name says where the text comes from.
 */
int kpool_attr_parse(const struct kpool_attr_row *row, const char *text,
		     const char *name, int *value)
{
	int resolved, err;

	if (kpool_attr_word(row, text, value))
		return 0;
	err = kstrtoint(text, 10, value);
	if (!err && row->from_zero) {
		/* numbers in text start at 0: 0 does not select the default */
		if (*value < 0 || *value >= row->max)
			err = -ERANGE;
		else
			*value += 1;
	}
	if (!err) {
		resolved = *value;
		err = resolved == KPOOL_NONE ? -ERANGE :
		      kpool_attr_resolve(row, row->def, &resolved);
	}
	if (err)
		kpool_attr_log_bad(row, name, text);
	return err;
}

/* Print a value as text.  The value of a parameter can be unresolved. */
int kpool_attr_print(const struct kpool_attr_row *row, int value, char *text,
		     size_t size)
{
	if (value == KPOOL_NONE)
		return scnprintf(text, size, "%s\n", row->none_word);
	if (row->words)
		return scnprintf(text, size, "%s\n", row->words[value]);
	if (row->max_word && value == row->max)
		return scnprintf(text, size, "%s\n", row->max_word);
	if (row->from_zero && !value)
		return scnprintf(text, size, "%s\n", row->none_word);
	return scnprintf(text, size, "%d\n", kpool_attr_to_user(row, value));
}

/*
 * Parse a list of CPUs.  Refuse more than one line: cpulist_parse() ignores
 * what follows the first.
 */
int kpool_cpulist_parse(const char *text, struct cpumask *mask)
{
	const char *newline = strchr(text, '\n');

	if (newline && newline[1])
		return -EINVAL;
	return cpulist_parse(text, mask);
}

/* Validate and resolve */

/* Return -EINVAL, and log the reason, if attributes exclude each other. */
static int kpool_attrs_validate(const struct kpool_attrs *attrs,
				const char *name)
{
	if (attrs->min_workers > attrs->capacity) {
		pr_err("%s: min_workers %d is above capacity %d\n", name,
		       attrs->min_workers, attrs->capacity);
		return -EINVAL;
	}
	if ((attrs->flags & KPOOL_PREALLOC) && !attrs->min_workers) {
		pr_err("%s: KPOOL_PREALLOC needs min_workers above 0\n",
		       name);
		return -EINVAL;
	}
	if (attrs->when_full == KPOOL_FULL_CALLER_RUNS && attrs->nonblocking) {
		pr_err("%s: caller_runs and nonblocking exclude each other: an item can sleep\n",
		       name);
		return -EINVAL;
	}
	if (attrs->when_full == KPOOL_FULL_CALLER_RUNS && attrs->worker_init) {
		pr_err("%s: caller_runs and worker_init exclude each other: a caller has no worker data\n",
		       name);
		return -EINVAL;
	}
	if (attrs->worker_exit && !attrs->worker_init) {
		pr_err("%s: worker_exit needs worker_init\n", name);
		return -EINVAL;
	}
	if (attrs->flags & ~(KPOOL_PREALLOC | KPOOL_MEM_RECLAIM |
			     KPOOL_FREEZABLE | KPOOL_PINNED | KPOOL_NOIO)) {
		pr_err("%s: unknown flags %#x\n", name, attrs->flags);
		return -EINVAL;
	}
	return 0;
}

/* Return true if a CPU of both the mask and the node is online. */
static bool kpool_has_cpu(const struct cpumask *mask, int node)
{
	unsigned int cpu;

	for_each_cpu_and(cpu, mask ?: cpu_possible_mask, cpu_online_mask)
		if (!node || cpu_to_node(cpu) == node - 1)
			return true;
	return false;
}

/*
 * Return -EINVAL if no CPU of the mask and the node is online.  Called for a
 * new mask or node only: CPUs of the old one can have gone offline.
 */
static int kpool_check_cpus(const struct kpool_attrs *attrs, const char *name)
{
	if (kpool_has_cpu(attrs->cpumask, attrs->node))
		return 0;
	pr_err("%s: no online CPU in cpumask and node\n", name);
	return -EINVAL;
}

static int kpool_out_of_range(const struct kpool_attr_row *row,
			      const char *name, int value)
{
	pr_err("%s: %s %d is out of range; allowed: %d to %d\n",
	       name, row->name, value, row->min, row->max);
	return -ERANGE;
}

/* Replace each requested value by the value in force, or return -ERANGE. */
static int kpool_attrs_fill(struct kpool_attrs *attrs, const char *name,
			    int (*def)(const struct kpool_attr_row *row))
{
	int i;

	for (i = 0; i < KPOOL_NR_TUNABLES; i++) {
		const struct kpool_attr_row *row = &kpool_attr_table[i];
		int *value = kpool_attr(attrs, row);
		int bad = *value;

		if (kpool_attr_resolve(row, def(row), value))
			return kpool_out_of_range(row, name, bad);
	}
	return 0;
}

static int kpool_builtin_default(const struct kpool_attr_row *row)
{
	return row->def;
}

static int kpool_default_of(const struct kpool_attr_row *row)
{
	return *kpool_attr(&kpool_defaults, row);
}

/* Resolve a mask: NULL selects the default; a result of NULL is all CPUs. */
static const struct cpumask *kpool_resolve_cpumask(const struct cpumask *mask)
{
	if (!mask)
		return kpool_defaults.cpumask;
	return mask == cpu_all_mask ? NULL : mask;
}

/* Adapt min_workers, which is the default, to the other attributes. */
static void kpool_fit_min_workers(struct kpool_attrs *attrs)
{
	/* do not refuse a small capacity because of a default */
	attrs->min_workers = min(attrs->min_workers, attrs->capacity);
	/* forward progress without memory needs an existing thread */
	if (attrs->flags & KPOOL_MEM_RECLAIM)
		attrs->min_workers = max(attrs->min_workers, 1);
}

/*
 * Resolve requested attributes to the values in force.  Return an error, and
 * log the reason, if they are not valid; @name is for the log.
 */
int kpool_attrs_resolve(const struct kpool_attrs *req,
			struct kpool_attrs *attrs, const char *name)
{
	int err;

	*attrs = *req;
	err = kpool_attrs_fill(attrs, name, kpool_default_of);
	if (err)
		return err;
	attrs->cpumask = kpool_resolve_cpumask(attrs->cpumask);
	if (!req->min_workers)
		kpool_fit_min_workers(attrs);
	if (attrs->flags & KPOOL_MEM_RECLAIM)
		attrs->flags |= KPOOL_PREALLOC;
	return kpool_attrs_validate(attrs, name) ?:
	       kpool_check_cpus(attrs, name);
}

/*
 * Resolve and validate the module parameters.  Called at module load.  Clients
 * that ask for the default of when_full are written for a pool that waits.
 */
int kpool_attrs_check_defaults(void)
{
	static const char name[] = "module parameters";
	struct kpool_attrs req;
	int err;

	kpool_defaults.cpumask = kpool_resolve_cpumask(kpool_defaults.cpumask);
	err = kpool_attrs_fill(&kpool_defaults, name, kpool_builtin_default) ?:
	      kpool_attrs_validate(&kpool_defaults, name) ?:
	      kpool_check_cpus(&kpool_defaults, name);
	if (err)
		return err;
	if (kpool_defaults.when_full != KPOOL_FULL_WAIT) {
		pr_err("when_full: bad when_full \"%s\" for all pools; allowed: wait, other words for default_when_full\n",
		       kpool_full_words[kpool_defaults.when_full]);
		return -EINVAL;
	}
	req = kpool_default_pool_attrs;
	return kpool_attrs_resolve(&req, &kpool_default_pool_attrs,
				   "module parameters default_*");
}

/* Scheduling of the workers */

static bool kpool_has_affinity(const struct kpool *pool)
{
	return pool->attrs.cpumask || pool->attrs.node;
}

/*
 * Set pool->mgr.affinity to the CPUs of both the mask and the node; without
 * either, to those of all kthreads.  Called with pool->mutex held.
 */
static void kpool_compute_affinity(struct kpool *pool)
{
	int node = pool->attrs.node;

	lockdep_assert_held(&pool->mutex);
	if (!kpool_has_affinity(pool)) {
		/* newer kernels replace this mask at run time */
		rcu_read_lock();
		cpumask_copy(pool->mgr.affinity,
			     housekeeping_cpumask(HK_TYPE_KTHREAD));
		rcu_read_unlock();
		return;
	}
	cpumask_copy(pool->mgr.affinity,
		     pool->attrs.cpumask ?: cpu_possible_mask);
	if (node)
		cpumask_and(pool->mgr.affinity, pool->mgr.affinity,
			    cpumask_of_node(node - 1));
}

/*
 * Return true if a CPU of the mask stays online.  A running thread is not moved
 * to a dying CPU, so it would continue outside of its mask.
 */
static bool kpool_has_staying_cpu(const struct cpumask *mask)
{
	unsigned int cpu;

	for_each_cpu_and(cpu, mask, cpu_online_mask)
		if (!cpu_dying(cpu))
			return true;
	return false;
}

static void kpool_sched_work_fn(struct work_struct *work)
{
	kpool_sched_restore_all();
}

DECLARE_DELAYED_WORK(kpool_sched_work, kpool_sched_work_fn);

/*
 * Apply policy, priority and affinity to a worker.  Called with pool->mutex
 * held.
 */
void kpool_sched_apply(struct kpool *pool, struct task_struct *task)
{
	static const u32 policies[] = {
		[KPOOL_POLICY_NORMAL]	= SCHED_NORMAL,
		[KPOOL_POLICY_BATCH]	= SCHED_BATCH,
		[KPOOL_POLICY_IDLE]	= SCHED_IDLE,
		[KPOOL_POLICY_FIFO]	= SCHED_FIFO,
		[KPOOL_POLICY_RR]	= SCHED_RR,
	};
	const struct kpool_attrs *attrs = &pool->attrs;
	bool rt = attrs->policy >= KPOOL_POLICY_FIFO;
	struct sched_attr sched = {
		.size		= sizeof(sched),
		.sched_policy	= policies[attrs->policy],
		.sched_nice	= rt ? 0 : attrs->nice,
		.sched_priority	= rt ? attrs->rt_priority : 0,
	};

	lockdep_assert_held(&pool->mutex);
	sched_setattr_nocheck(task, &sched);
	if (!kpool_has_affinity(pool) && !pool->mgr.had_affinity)
		return;
	/* else kpool_sched_restore() does it once such a CPU is online */
	if (kpool_has_staying_cpu(pool->mgr.affinity))
		set_cpus_allowed_ptr(task, pool->mgr.affinity);
	else if (cpumask_intersects(pool->mgr.affinity, cpu_online_mask))
		/* if a dying CPU stays, kpool_cpu_online() is not called */
		queue_delayed_work(kpool_spawn_wq, &kpool_sched_work, HZ / 10);
}

/*
 * Apply the attributes to all workers.  Called with pool->mutex held, which
 * keeps the tasks: a worker leaves the list under it before its task is put.
 */
static void kpool_sched_apply_workers(struct kpool *pool)
{
	struct kpool_worker *worker;

	lockdep_assert_held(&pool->mutex);
	list_for_each_entry(worker, &pool->mgr.workers, member)
		kpool_sched_apply(pool, worker->task);
}

/* Restore the affinity of the workers after a CPU has come online. */
void kpool_sched_restore(struct kpool *pool)
{
	mutex_lock(&pool->mutex);
	kpool_compute_affinity(pool);
	if (kpool_has_affinity(pool) || pool->mgr.had_affinity)
		kpool_sched_apply_workers(pool);
	mutex_unlock(&pool->mutex);
}

/* Restore the affinity of the workers of all pools. */
void kpool_sched_restore_all(void)
{
	struct kpool *pool;

	mutex_lock(&kpool_registry);
	list_for_each_entry(pool, &kpool_pools, member)
		kpool_sched_restore(pool);
	mutex_unlock(&kpool_registry);
}

/* Return true if @attrs change how the threads of the workers are scheduled. */
static bool kpool_has_sched_change(const struct kpool *pool,
				   const struct kpool_attrs *attrs)
{
	const struct kpool_attrs *old = &pool->attrs;

	return attrs->policy != old->policy || attrs->nice != old->nice ||
	       attrs->rt_priority != old->rt_priority ||
	       attrs->node != old->node || attrs->cpumask != old->cpumask;
}

/* Tuning */

/*
 * Update pool->rings_off: a fast start neither measures the waiting time nor
 * freezes.  Called with pool->lock held.
 */
void kpool_update_rings_off(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	pool->rings_off = pool->latency.on ||
			  (pool->init_attrs.flags & KPOOL_FREEZABLE);
}

/*
 * Put attributes in force, for the workers and for queued items.  Called with
 * pool->mutex held.
 */
void kpool_attrs_apply(struct kpool *pool, const struct kpool_attrs *attrs)
{
	bool sched = kpool_has_sched_change(pool, attrs);
	unsigned long flags;

	lockdep_assert_held(&pool->mutex);
	if (attrs->cpumask && attrs->cpumask != pool->mgr.cpumask)
		cpumask_copy(pool->mgr.cpumask, attrs->cpumask);

	kpool_lock(pool, &flags);
	pool->attrs = *attrs;
	if (attrs->cpumask)
		pool->attrs.cpumask = pool->mgr.cpumask;
	kpool_update_fast_capacity(pool);
	kpool_update_rings_off(pool);
	kpool_complete_spawned(pool);
	/* a shorter stall_ms needs a shorter period */
	if (pool->wd.armed)
		mod_delayed_work(kpool_wq, &pool->wd.work, 0);
	/*
	 * Retire surplus workers, re-arm for expiry_ms, fill min_workers.  Not
	 * in a new pool: worker_init must find it complete.
	 */
	if (pool->id)
		mod_delayed_work(kpool_wq, &pool->mgr.reap_work, 0);
	kpool_unlock(pool, flags);
	kpool_recheck_all(pool);

	kpool_compute_affinity(pool);
	if (sched)
		kpool_sched_apply_workers(pool);
	if (kpool_has_affinity(pool))
		pool->mgr.had_affinity = true;
}

/*
 * Refuse values that the client's code was not written for.  Callers of a pool
 * created nonblocking can be in atomic context.  Items of a pool created
 * without caller_runs or drop_oldest must not run in their submitter or be
 * dropped.
 */
static int kpool_check_created(const struct kpool *pool,
			       const struct kpool_attrs *attrs)
{
	if (pool->init_attrs.nonblocking && !attrs->nonblocking) {
		pr_err("%s: nonblocking cannot be cleared: the pool was created nonblocking, its callers can be in atomic context\n",
		       pool->name);
		return -EPERM;
	}
	if (attrs->when_full != KPOOL_FULL_WAIT &&
	    attrs->when_full != pool->init_attrs.when_full) {
		pr_err("%s: when_full cannot be %s: the pool was created with %s, which can be changed to wait and back\n",
		       pool->name, kpool_full_words[attrs->when_full],
		       kpool_full_words[pool->init_attrs.when_full]);
		return -EPERM;
	}
	return 0;
}

/*
 * Tune an attribute.  If @restore, @value was in force before: a node needs no
 * online CPU then, as its CPUs can have gone offline since.
 */
int __kpool_tune(struct kpool *pool, enum kpool_tunable tunable, int value,
		 bool restore)
{
	const struct kpool_attr_row *row;
	struct kpool_attrs attrs;
	int err;

	might_sleep();
	if ((unsigned int)tunable >= KPOOL_NR_TUNABLES)
		return -EINVAL;
	row = &kpool_attr_table[tunable];

	mutex_lock(&pool->mutex);
	attrs = pool->attrs;
	*kpool_attr(&attrs, row) = value;
	err = kpool_attr_resolve(row, kpool_default_of(row),
				 kpool_attr(&attrs, row));
	if (err) {
		err = kpool_out_of_range(row, pool->name, value);
		goto unlock;
	}
	if (tunable == KPOOL_TUNE_MIN_WORKERS && !value)
		kpool_fit_min_workers(&attrs);
	err = kpool_check_created(pool, &attrs) ?:
	      kpool_attrs_validate(&attrs, pool->name);
	if (!err && tunable == KPOOL_TUNE_NODE && !restore)
		err = kpool_check_cpus(&attrs, pool->name);
	if (!err) {
		trace_tune(pool, row->name, *kpool_attr(&pool->attrs, row),
			   *kpool_attr(&attrs, row));
		kpool_attrs_apply(pool, &attrs);
	}
unlock:
	mutex_unlock(&pool->mutex);
	return err;
}

int kpool_tune(struct kpool *pool, enum kpool_tunable tunable, int value)
{
	return __kpool_tune(pool, tunable, value, false);
}
EXPORT_SYMBOL_GPL(kpool_tune);

static int kpool_nr_cpus(const struct cpumask *mask)
{
	return cpumask_weight(mask ?: cpu_possible_mask);
}

int kpool_tune_cpumask(struct kpool *pool, const struct cpumask *mask)
{
	struct kpool_attrs attrs;
	int err;

	might_sleep();
	mutex_lock(&pool->mutex);
	attrs = pool->attrs;
	attrs.cpumask = kpool_resolve_cpumask(mask);
	err = kpool_check_cpus(&attrs, pool->name);
	if (!err) {
		trace_tune(pool, "cpumask", kpool_nr_cpus(pool->attrs.cpumask),
			   kpool_nr_cpus(attrs.cpumask));
		kpool_attrs_apply(pool, &attrs);
	}
	mutex_unlock(&pool->mutex);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_tune_cpumask);

void kpool_get_attrs(struct kpool *pool, struct kpool_attrs *attrs)
{
	unsigned long flags;

	kpool_lock(pool, &flags);
	*attrs = pool->attrs;
	kpool_unlock(pool, flags);
	/* the mask is part of the pool, which can be destroyed */
	attrs->cpumask = NULL;
}
EXPORT_SYMBOL_GPL(kpool_get_attrs);

/* Statistics: counters, which only grow, and gauges of the state */

/*
 * Return the number of accepted items that have not started, less those that
 * are delayed or to be dropped.  A job to be completed has started.  Called
 * with pool->lock held.
 */
unsigned int kpool_nr_waiting(const struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	return pool->q.nr_queued - pool->q.nr_completions +
	       pool->q.nr_requeue + pool->q.nr_parked + pool->q.nr_backlog;
}

/*
 * Return the age of the oldest queued item, in jiffies.  Each queue is ordered
 * by age, but see kpool_queue_by_age().  Called with pool->lock held.
 */
u32 kpool_oldest_age(struct kpool *pool)
{
	const struct kpool_item *item;
	u32 age = 0;
	int prio;

	lockdep_assert_held(&pool->lock);
	if (pool->ready.nr)
		return (u32)jiffies - kpool_ready_first(pool)->queued_at;
	for (prio = 0; prio < KPOOL_NR_QUEUES; prio++) {
		item = list_first_entry_or_null(&pool->q.prio[prio],
						struct kpool_item, node);
		if (item)
			age = max(age, (u32)jiffies - item->queued_at);
	}
	return age;
}

void kpool_get_stats(struct kpool *pool, struct kpool_stats *stats)
{
	unsigned long flags;

	kpool_lock(pool, &flags);
	stats->counters = pool->stats;
	stats->alive = pool->mgr.nr_workers;
	stats->idle = pool->mgr.nr_idle;
	stats->running = pool->nr_running + pool->runs.nr_caller;
	stats->units = pool->units_used;
	stats->delayed = pool->delays.nr;
	/* an item is pending until its drop function has returned */
	stats->pending = kpool_nr_waiting(pool) + pool->drops.nr +
			 pool->runs.nr_drop;
	stats->blocked = pool->q.nr_blocked;
	stats->oldest_pending_ms = jiffies_to_msecs(kpool_oldest_age(pool));
	stats->closed = pool->closed;
	stats->paused = pool->paused;
	kpool_unlock(pool, flags);
}
EXPORT_SYMBOL_GPL(kpool_get_stats);
