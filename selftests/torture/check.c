// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a violation is reported, and the checks of a pool's counters.  They are
 * checked always and when drained, against each other and against our counters.
 */
#include "torture.h"

/* Of each invariant so many violations are printed, the others only counted. */
#define KPT_PRINTED	5

static const char *const kpt_invariants[KPT_NR_INVARIANTS] = {
	[KPT_ONCE]	= "exactly once",
	[KPT_OVERLAP]	= "one run at a time",
	[KPT_ORDER]	= "order",
	[KPT_COUNTERS]	= "counters",
	[KPT_CAPACITY]	= "capacity",
	[KPT_LATE]	= "late start",
	[KPT_EARLY]	= "early start",
	[KPT_HANG]	= "hang",
	[KPT_LEAK]	= "leak",
	[KPT_ANSWER]	= "answer",
	[KPT_PAUSE]	= "pause",
	[KPT_CLOSED]	= "closed",
	[KPT_CONTEXT]	= "context",
};

static atomic_t kpt_violated[KPT_NR_INVARIANTS];

void kpt_violation(enum kpt_invariant which, const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	if (atomic_inc_return(&kpt_violated[which]) > KPT_PRINTED)
		return;
	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	pr_alert("kpool-torture: !!! %s: %pV\n", kpt_invariants[which], &vaf);
	va_end(args);
}

unsigned int kpt_nr_violations(void)
{
	unsigned int i, sum = 0;

	for (i = 0; i < KPT_NR_INVARIANTS; i++)
		sum += atomic_read(&kpt_violated[i]);
	return sum;
}

bool kpt_is_violated(enum kpt_invariant which)
{
	return atomic_read(&kpt_violated[which]);
}

/* Is it one of the errors that can be returned?  Their list ends with 0. */
void kpt_check_answer(const char *what, int err, const int *allowed)
{
	for (; *allowed; allowed++)
		if (*allowed == err)
			return;
	kpt_violation(KPT_ANSWER, "%s returned %d", what, err);
}

/* Counters, always */

static void kpt_check_sums(const char *name, const struct kpool_stats *s)
{
	u64 ended = s->completed + s->cancelled + s->dropped + s->died;

	if (s->submitted < ended + s->pending + s->delayed + s->running)
		kpt_violation(KPT_COUNTERS,
			      "%s: submitted %llu, ended %llu, pending %llu, delayed %llu, running %llu",
			      name, s->submitted, ended, s->pending,
			      s->delayed, s->running);
	if (s->spawned != s->purged + s->retired + s->died + s->alive)
		kpt_violation(KPT_COUNTERS,
			      "%s: spawned %llu, purged %llu, retired %llu, died %llu, alive %llu",
			      name, s->spawned, s->purged, s->retired, s->died,
			      s->alive);
	if (s->failed > s->completed || s->caller_ran > s->completed ||
	    s->expired + s->displaced > s->dropped || s->idle > s->alive)
		kpt_violation(KPT_COUNTERS, "%s: a part is more than the whole",
			      name);
}

/* A counter that only counts never goes back. */
static void kpt_check_growth(struct kpt_target *t, const struct kpool_stats *s)
{
	const struct kpool_stats *seen = &t->seen;

	if (t->generation == t->seen_generation &&
	    (s->submitted < seen->submitted || s->completed < seen->completed ||
	     s->cancelled < seen->cancelled || s->dropped < seen->dropped ||
	     s->failed < seen->failed || s->refused < seen->refused ||
	     s->spawned < seen->spawned || s->purged < seen->purged ||
	     s->retired < seen->retired || s->died < seen->died))
		kpt_violation(KPT_COUNTERS, "%s: a counter went back", t->name);
	t->seen = *s;
	t->seen_generation = t->generation;
}

/* By the watchdog: one consistent reading. */
void kpt_check_reading(struct kpt_target *t)
{
	struct kpool_stats s;
	bool settled;

	/* no tuner then changes what is allowed */
	settled = mutex_trylock(&t->tuning);
	kpt_get_stats(t, &s);
	if (settled) {
		if (s.units > (u64)t->cap_high * t->width)
			kpt_violation(KPT_CAPACITY,
				      "%s: %llu units held, %d allowed",
				      t->name, s.units, t->cap_high * t->width);
		mutex_unlock(&t->tuning);
	}
	kpt_check_sums(t->name, &s);
	kpt_check_growth(t, &s);
}

/* Counters, when drained */

static void kpt_check_items(struct kpt_target *t)
{
	int i, open;

	for (i = 0; i < KPT_NR_ITEMS; i++) {
		open = atomic_read(&t->items[i].open);
		if (open)
			kpt_violation(KPT_ONCE,
				      "%s: item %d: %d submissions without an end",
				      t->name, i, open);
		atomic_set(&t->items[i].open, 0);
		if (atomic_read(&t->items[i].active))
			kpt_violation(KPT_OVERLAP, "%s: item %d runs when drained",
				      t->name, i);
	}
	if (atomic_read(&t->units))
		kpt_violation(KPT_CAPACITY, "%s: %d units held when drained",
			      t->name, atomic_read(&t->units));
	if (atomic_read(&t->allocated))
		kpt_violation(KPT_LEAK, "%s: %d items have not been freed",
			      t->name, atomic_read(&t->allocated));
}

/* At most @most of what the pool says can be none of ours. */
static void kpt_compare(struct kpt_target *t, const char *what, u64 pool,
			long ours, long most)
{
	s64 more = (s64)pool - ours;

	if (more < 0 || more > most)
		kpt_violation(KPT_COUNTERS,
			      "%s: %s %llu, by our counters %ld, or up to %ld more",
			      t->name, what, pool, ours, most);
}

static void kpt_compare_all(struct kpt_target *t, const struct kpool_stats *s,
			    long unknown)
{
	long unsure = kpt_counted(t, unsure);

	kpt_compare(t, "submitted", s->submitted, kpt_counted(t, accepted),
		    unsure);
	kpt_compare(t, "completed", s->completed, kpt_counted(t, ran), 0);
	kpt_compare(t, "failed", s->failed, kpt_counted(t, failed), 0);
	kpt_compare(t, "died", s->died, kpt_counted(t, died), 0);
	kpt_compare(t, "faults", kpt_counted(t, faults), kpt_counted(t, failed) +
		    kpt_counted(t, died), 0);
	kpt_compare(t, "cancelled", s->cancelled, kpt_counted(t, cancelled),
		    unsure);
	kpt_compare(t, "dropped", s->dropped, kpt_counted(t, dropped) + unknown,
		    unsure);
	kpt_compare(t, "expired", s->expired, kpt_counted(t, expired), 0);
	kpt_compare(t, "caller_ran", s->caller_ran, kpt_counted(t, caller_ran),
		    0);
	if (s->submitted != s->completed + s->cancelled + s->dropped + s->died)
		kpt_violation(KPT_COUNTERS,
			      "%s: submitted %llu, completed %llu, cancelled %llu, dropped %llu, died %llu when drained",
			      t->name, s->submitted, s->completed,
			      s->cancelled, s->dropped, s->died);
}

/*
 * No thread uses the target, and its pool is drained, or is gone: then @stats
 * is NULL. The functions without an item that have not run were dropped.
 */
void kpt_check_counters(struct kpt_target *t, const struct kpool_stats *stats)
{
	long unknown = kpt_counted(t, fn_accepted) - kpt_counted(t, fn_ran);
	long ended = kpt_counted(t, ran) + kpt_counted(t, cancelled) +
		     kpt_counted(t, dropped) + kpt_counted(t, died) + unknown;

	kpt_check_items(t);
	if (unknown < 0)
		kpt_violation(KPT_ONCE, "%s: %ld functions ran twice", t->name,
			      -unknown);
	kpt_compare(t, "ends", ended, kpt_counted(t, accepted),
		    kpt_counted(t, unsure));
	if (stats)
		kpt_compare_all(t, stats, unknown);
}
