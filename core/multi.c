// SPDX-License-Identifier: GPL-2.0-only
/*
 * A multi pool spreads items over several pools, to avoid contention.
 *
 * Each of them is an ordinary pool, with its own lock, workers, counters and
 * debugfs files.  The functions here pick one of the pools, or call the same
 * function for each in turn.
 *
 * Picking takes no lock.  Round robin increments a counter.  Least loaded reads
 * the loads without synchronization, because they can change as soon as a lock
 * is dropped.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"
#include "queue.h"

#define KPOOL_MULTI_MAX		64	/* pools */
#define KPOOL_MULTI_NAME_MAX	(KPOOL_NAME_MAX - 3)	/* "-63" follows */

struct kpool_multi {
	atomic_t		turn;		/* A: round robin counter */
	struct mutex		tuning;		/* serializes kpool_multi_tune() */
	enum kpool_placement	placement;	/* I */
	unsigned int		nr;		/* I */
	struct kpool		*pool[];	/* I */
};

/* Picking a pool */

/*
 * Return the number of items accepted and not ended.  The counters are read
 * without the lock and can change in between, so the sum can be off by a few,
 * or negative.  A torn read of a counter on 32 bits only affects the upper half
 * of the result, which is not used.
 */
static unsigned int kpool_load(const struct kpool *pool)
{
	/* racy, see above */
	int load = data_race(kpool_outstanding(pool)) +
		   kpool_nr_unsettled(pool);

	return max(load, 0);
}

static struct kpool *kpool_multi_least_loaded(const struct kpool_multi *multi)
{
	unsigned int least = UINT_MAX;
	struct kpool *chosen = NULL;
	unsigned int i;

	for (i = 0; i < multi->nr && least; i++) {
		unsigned int load = kpool_load(multi->pool[i]);

		if (load < least) {
			least = load;
			chosen = multi->pool[i];
		}
	}
	return chosen;
}

/*
 * Return the next pool; no two callers get the same turn.  Litmus: turn-taken.
 */
static struct kpool *kpool_multi_next(struct kpool_multi *multi)
{
	unsigned int turn = atomic_fetch_inc(&multi->turn);

	return multi->pool[turn % multi->nr];
}

struct kpool *kpool_multi_pick(struct kpool_multi *multi)
{
	if (multi->placement == KPOOL_PLACE_LEAST_LOADED)
		return kpool_multi_least_loaded(multi);
	return kpool_multi_next(multi);
}
EXPORT_SYMBOL_GPL(kpool_multi_pick);

int kpool_multi_submit(struct kpool_multi *multi, struct kpool_item *item)
{
	struct kpool *pool = kpool_multi_pick(multi);
	int err = kpool_submit(pool, item);
	struct kpool *other;

	if (err != -EAGAIN || multi->placement != KPOOL_PLACE_ROUND_ROBIN)
		return err;
	other = kpool_multi_least_loaded(multi);
	return other == pool ? err : kpool_submit(other, item);
}
EXPORT_SYMBOL_GPL(kpool_multi_submit);

struct kpool *kpool_multi_pool(struct kpool_multi *multi, unsigned int i)
{
	return i < multi->nr ? multi->pool[i] : ERR_PTR(-ERANGE);
}
EXPORT_SYMBOL_GPL(kpool_multi_pool);

/* Creating and destroying */

static int kpool_multi_check(unsigned int nr, enum kpool_placement placement)
{
	if (!nr || nr > KPOOL_MULTI_MAX) {
		pr_err("bad number of pools %u; allowed: 1 to %d\n", nr,
		       KPOOL_MULTI_MAX);
		return -ERANGE;
	}
	if (placement != KPOOL_PLACE_ROUND_ROBIN && placement != KPOOL_PLACE_LEAST_LOADED) {
		pr_err("bad placement %d; allowed: %d to %d\n",
		       placement, KPOOL_PLACE_ROUND_ROBIN, KPOOL_PLACE_LEAST_LOADED);
		return -EINVAL;
	}
	return 0;
}

/*
 * Destroy the pools created so far, the last one first.  Return 0, or
 * -ESHUTDOWN if they are orphans, which kpool itself frees.
 */
static int kpool_multi_free(struct kpool_multi *multi)
{
	int err = 0;

	while (multi->nr)
		err = kpool_destroy(multi->pool[--multi->nr]) ?: err;
	mutex_destroy(&multi->tuning);
	kfree(multi);
	return err;
}

static int kpool_multi_fill(struct kpool_multi *multi, const char *name,
			    unsigned int nr, const struct kpool_attrs *attrs,
			    struct module *owner)
{
	struct kpool *pool;

	for (; multi->nr < nr; multi->nr++) {
		pool = kpool_create_owned(owner, attrs, "%s-%u", name,
					  multi->nr);
		if (IS_ERR(pool))
			return PTR_ERR(pool);
		multi->pool[multi->nr] = pool;
	}
	return 0;
}

struct kpool_multi *kpool_multi_create_owned(struct module *owner,
					     const struct kpool_attrs *attrs,
					     unsigned int nr,
					     enum kpool_placement placement,
					     const char *fmt, ...)
{
	char name[KPOOL_MULTI_NAME_MAX + 1];
	struct kpool_multi *multi;
	va_list args;
	int len, err;

	might_sleep();
	err = kpool_multi_check(nr, placement);
	if (err)
		return ERR_PTR(err);
	va_start(args, fmt);
	len = vsnprintf(name, sizeof(name), fmt, args);
	va_end(args);
	if (!len || len != strlen(name)) {
		pr_err("bad multi pool name; allowed: 1 to %d of [A-Za-z0-9_-]\n",
		       KPOOL_MULTI_NAME_MAX);
		return ERR_PTR(-EINVAL);
	}
	multi = kzalloc(struct_size(multi, pool, nr), GFP_KERNEL);
	if (!multi)
		return ERR_PTR(-ENOMEM);
	mutex_init(&multi->tuning);
	multi->placement = placement;

	err = kpool_multi_fill(multi, name, nr, attrs, owner);
	if (err) {
		kpool_multi_free(multi);
		return ERR_PTR(err);
	}
	return multi;
}
EXPORT_SYMBOL_GPL(kpool_multi_create_owned);

/* Report and return true if the caller is part of one of the pools. */
static bool kpool_multi_refuse_if_part_of(struct kpool_multi *multi)
{
	unsigned int i;

	for (i = 0; i < multi->nr; i++)
		if (kpool_refuse_if_part_of(multi->pool[i]))
			return true;
	return false;
}

/* Close all pools before waiting for any, so that they drain in parallel. */
static void kpool_multi_shutdown(struct kpool_multi *multi)
{
	unsigned int i;

	for (i = 0; i < multi->nr; i++)
		kpool_shutdown(multi->pool[i]);
}

/* Return what is left of a timeout that began at @start. */
static unsigned long kpool_multi_time_left(unsigned long start,
					   unsigned long timeout)
{
	unsigned long gone = jiffies - start;

	if (timeout >= MAX_SCHEDULE_TIMEOUT)
		return MAX_SCHEDULE_TIMEOUT;
	return gone < timeout ? timeout - gone : 0;
}

/* Return how many threads have died in items of the pools, modulo 2^32. */
static unsigned int kpool_multi_deaths(const struct kpool_multi *multi)
{
	unsigned int i, nr = 0;

	/* pairs with kpool_fail_waiters() */
	for (i = 0; i < multi->nr; i++)
		nr += READ_ONCE(multi->pool[i]->faults.nr_deaths);
	return nr;
}

int kpool_multi_shutdown_timeout(struct kpool_multi *multi,
				 unsigned long timeout)
{
	unsigned long start = jiffies;
	unsigned int i, deaths;
	int err, lost = 0;

	might_sleep();
	if (kpool_multi_refuse_if_part_of(multi))
		return -EDEADLK;
	deaths = kpool_multi_deaths(multi);
	kpool_multi_shutdown(multi);
	for (i = 0; i < multi->nr; i++) {
		err = kpool_shutdown_timeout(multi->pool[i],
					     kpool_multi_time_left(start,
								   timeout));
		if (err == -ETIMEDOUT)
			return err;
		lost = err ?: lost;
	}
	/* a thread can die in a pool while an earlier one is waited for */
	return lost ?: deaths == kpool_multi_deaths(multi) ? 0 : -EIO;
}
EXPORT_SYMBOL_GPL(kpool_multi_shutdown_timeout);

int kpool_multi_destroy(struct kpool_multi *multi)
{
	int err;

	might_sleep();
	if (!multi)
		return 0;
	err = kpool_multi_shutdown_timeout(multi, MAX_SCHEDULE_TIMEOUT);
	if (err == -EDEADLK)
		return err;
	return kpool_multi_free(multi) ?: err;
}
EXPORT_SYMBOL_GPL(kpool_multi_destroy);

int kpool_multi_reopen(struct kpool_multi *multi)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < multi->nr && !err; i++)
		err = kpool_reopen(multi->pool[i]);
	if (err)
		kpool_multi_shutdown(multi);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_multi_reopen);

/* Statistics and tuning */

/* The number of u64 fields that struct kpool_stats begins with. */
#define KPOOL_NR_STATS	(offsetof(struct kpool_stats, closed) / sizeof(u64))

static void kpool_multi_add_stats(struct kpool_stats *sum,
				  const struct kpool_stats *one)
{
	u64 oldest_pending_ms = max(sum->oldest_pending_ms,
				    one->oldest_pending_ms);
	const u64 *from = (const u64 *)one;
	u64 *to = (u64 *)sum;
	unsigned int i;

	for (i = 0; i < KPOOL_NR_STATS; i++)
		to[i] += from[i];
	sum->oldest_pending_ms = oldest_pending_ms;
	sum->closed &= one->closed;
	sum->paused &= one->paused;
}

void kpool_multi_get_stats(struct kpool_multi *multi, struct kpool_stats *stats)
{
	struct kpool_stats one;
	unsigned int i;

	kpool_get_stats(multi->pool[0], stats);
	for (i = 1; i < multi->nr; i++) {
		kpool_get_stats(multi->pool[i], &one);
		kpool_multi_add_stats(stats, &one);
	}
}
EXPORT_SYMBOL_GPL(kpool_multi_get_stats);

/*
 * Return the value in force as kpool_tune() takes it, for which 0 is default.
 */
static int kpool_multi_value(struct kpool *pool, enum kpool_tunable tunable)
{
	struct kpool_attrs attrs;

	kpool_get_attrs(pool, &attrs);
	return *kpool_attr(&attrs, &kpool_attr_table[tunable]) ?: KPOOL_NONE;
}

int kpool_multi_tune(struct kpool_multi *multi, enum kpool_tunable tunable,
		     int value)
{
	int before[KPOOL_MULTI_MAX];
	unsigned int i;
	int err = 0;

	might_sleep();
	if ((unsigned int)tunable >= KPOOL_NR_TUNABLES)
		return -EINVAL;
	mutex_lock(&multi->tuning);
	for (i = 0; i < multi->nr; i++) {
		before[i] = kpool_multi_value(multi->pool[i], tunable);
		err = kpool_tune(multi->pool[i], tunable, value);
		if (err)
			break;
	}
	while (err && i--)
		__kpool_tune(multi->pool[i], tunable, before[i], true);
	mutex_unlock(&multi->tuning);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_multi_tune);
