// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every argument that is a time.  What is as long as a wait without limit or
 * longer is one, inside the pool too, and 0 does not wait.
 */
#include "caller_item.h"
#include "load.h"

static const unsigned long longest[] = {
	MAX_JIFFY_OFFSET - 1, MAX_JIFFY_OFFSET, LONG_MAX - 1, LONG_MAX,
	(unsigned long)LONG_MAX + 1, ULONG_MAX / 4 * 3, ULONG_MAX - 1,
	ULONG_MAX,
};

/* Of these, those without limit: an item that waits so can hang. */
#define LIMITLESS	3

static struct kpool *here;
static struct load busy;
static struct load wanted;

static int submits(unsigned long timeout)
{
	return kpool_submit_timeout(here, &wanted.job.item, timeout);
}

static int calls(unsigned long timeout)
{
	return kpool_call_timeout(here, kt_gate_pass, &wanted.gate, NULL,
				  timeout, NULL);
}

static int waits_for_group(unsigned long timeout)
{
	return kpool_group_wait(&group, timeout);
}

static int collects(unsigned long timeout)
{
	return PTR_ERR_OR_ZERO(kpool_group_next(&group, timeout));
}

static int releases(unsigned long timeout)
{
	return kpool_shutdown_timeout(here, timeout);
}

/* How to wait, and what one gets that has no time. */
static const struct wait {
	int	(*fn)(unsigned long timeout);
	int	no_time;
	bool	queue;		/* it needs room for job 0 in the queue */
	bool	group;
} waits[] = {
	{ submits, -EAGAIN },
	{ calls, -EAGAIN },
	{ calls, -ETIMEDOUT, .queue = true },
	{ waits_for_group, -ETIMEDOUT, .queue = true, .group = true },
	{ collects, -ETIMEDOUT, .queue = true, .group = true },
	{ releases, -ETIMEDOUT },
};

static const char *const wait_names[] = {
	"submit", "call", "call_queued", "group_wait", "group_next",
	"shutdown", NULL
};

/* A pool whose unit is taken; for a group, a member waits in the queue. */
static bool timeouts_make(const struct wait *w)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = w->queue ? 4 : KPOOL_NONE,
	};

	load_init(&busy, 0);
	load_init(&wanted, 1);
	here = group_make(&attrs, 1, w->fn == collects ? KPOOL_GROUP_COLLECT :
							 0);
	if (!here)
		return false;
	if (!KT_EXPECT(load_runs(here, &busy)))
		return false;
	return !w->group || probes_submit(here, p, 1);
}

static void timeouts_end(void)
{
	kt_gate_open(&busy.gate);
	kt_gate_open(&wanted.gate);
	jobs_end(here);
}

struct waiting {
	struct kt_thread	thread;
	const struct wait	*w;
	unsigned long		timeout;
};

static int waiting_main(void *arg)
{
	struct waiting *waiting = arg;

	return waiting->w->fn(waiting->timeout);
}

/*
 * The longest times do not end before what is waited for has come.
 * Fails if one is taken for a time that is over, or overflows: mutants
 * timeout-unclamped.
 */
static void longest_times_are_long(int which)
{
	const struct wait *w = &waits[which];
	struct waiting waiting = { .w = w };
	int i;

	for (i = 0; i < ARRAY_SIZE(longest); i++) {
		if (!timeouts_make(w))
			return;
		waiting.timeout = longest[i];
		if (kt_thread_start(&waiting.thread, waiting_main, &waiting)) {
			kt_thread_asleep(&waiting.thread);
			kt_sleep_ms(50);
			KT_EXPECT(!kt_thread_done(&waiting.thread));
			kt_gate_open(&busy.gate);
			kt_gate_open(&wanted.gate);
			if (!KT_EXPECT_EQ(kt_thread_join(&waiting.thread), 0))
				pr_err("%s: timeout %#lx\n", KBUILD_MODNAME,
				       longest[i]);
		}
		timeouts_end();
	}
}

/* No time is no wait, and leaves all as it was. */
static void no_time_is_no_wait(int which)
{
	const struct wait *w = &waits[which];
	unsigned long since;

	if (!timeouts_make(w))
		return;
	since = jiffies;
	KT_EXPECT_EQ(w->fn(0), w->no_time);
	if (kt_exact)
		KT_EXPECT_LE(jiffies - since, 1);
	KT_EXPECT_EQ(atomic_read(&wanted.gate.started), 0);
	KT_EXPECT_EQ(kt_stat(here, blocked), 0);
	KT_EXPECT_EQ(kt_stat(here, pending), w->group);
	timeouts_end();
}

/*
 * A time is neither shorter than asked for nor longer than the wheel makes it.
 * Fails if it is rounded the wrong way.
 */
static void time_is_kept_to_the_tick(int which)
{
	static const unsigned long times[] = { 1, 2, 10, 63, 64, 100, 1000 };
	const struct wait *w = &waits[which];
	unsigned long since, took;
	int i;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	if (!timeouts_make(w))
		return;
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		since = jiffies;
		KT_EXPECT_EQ(w->fn(times[i]), -ETIMEDOUT);
		took = jiffies - since;
		KT_EXPECT_GE(took, times[i]);
		KT_EXPECT_LE(took, times[i] + times[i] / 8 + 2);
	}
	KT_EXPECT_EQ(atomic_read(&wanted.gate.started), 0);
	KT_EXPECT_EQ(kt_stat(here, blocked), 0);
	KT_EXPECT_EQ(kt_stat(here, pending), w->group);
	timeouts_end();
}

#define NR_SUBMITTERS	20

static struct kt_thread submitters[NR_SUBMITTERS];
static struct load loads[NR_SUBMITTERS];

static int submits_for_100ms(void *arg)
{
	struct load *l = arg;

	return kpool_submit_timeout(here, &l->job.item, msecs_to_jiffies(100));
}

static int hogs_when_cued(struct kpool_item *item)
{
	int ret = probe_fn(item);

	kpool_pause(here);
	mdelay(200);
	return ret;
}

/*
 * A heavy job keeps submitters off the only CPU when their time is over, and
 * makes room for all before they come.
 * Fails (-ETIMEDOUT, though there is room) if one that has not been admitted
 * has timed out: mutant admissible-submit-times-out.
 */
static void submit_that_has_room_does_not_time_out(void)
{
	const struct kpool_attrs attrs = { .capacity = NR_SUBMITTERS };
	int i;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	here = group_make(&attrs, 1, 0);
	if (!here)
		return;
	p[0].job.item.fn = hogs_when_cued;
	KT_EXPECT_EQ(kpool_set_weight(&p[0].job.item, NR_SUBMITTERS), 0);
	probes_hold(p, 1);
	probes_submit(here, p, 1);
	probe_runs(p);
	load_init_all(loads, NR_SUBMITTERS);
	load_open_all(loads, NR_SUBMITTERS);
	for (i = 0; i < NR_SUBMITTERS; i++)
		if (kt_thread_start(&submitters[i], submits_for_100ms,
				    &loads[i]))
			kt_thread_asleep(&submitters[i]);
	probes_open(p, 1);
	for (i = 0; i < NR_SUBMITTERS; i++)
		KT_EXPECT_EQ(kt_thread_join(&submitters[i]), 0);
	kpool_resume(here);
	jobs_end(here);
}

static const struct wait *inside_wait;

static int caller_waits(struct caller_item *a)
{
	return inside_wait->fn(a->timeout);
}

/*
 * Inside the only item that runs, a wait without limit for what cannot start
 * before is refused; one that ends by itself is not.
 * Fails (hangs) if a time beyond MAX_SCHEDULE_TIMEOUT is taken for the latter.
 */
static void unlimited_wait_inside_is_a_deadlock(int which)
{
	const struct wait *w = &waits[which];
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = w->queue ? 4 : KPOOL_NONE,
	};
	int i;

	for (i = LIMITLESS; i < ARRAY_SIZE(longest); i++) {
		load_init(&wanted, 1);
		kt_gate_open(&wanted.gate);
		here = group_make(&attrs, 1,
				  w->fn == collects ? KPOOL_GROUP_COLLECT : 0);
		if (!here)
			return;
		KT_EXPECT_EQ(kpool_pause(here), 0);
		inside_wait = w;
		caller_init(&callers[0], here, NULL, caller_waits);
		callers[0].timeout = longest[i];
		caller_start(&callers[0]);
		if (w->group)
			probes_submit(here, p, 1);
		kpool_resume(here);
		caller_expect(&callers[0], -EDEADLK);
		jobs_end(here);
	}
}

/* A wait inside for a time that ends is no deadlock. */
static void timed_wait_inside_is_no_deadlock(int which)
{
	const struct wait *w = &waits[which];
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = w->queue ? 4 : KPOOL_NONE,
	};

	if (w->fn == releases) {
		kt_skip("that is refused for any time");
		return;
	}
	load_init(&wanted, 1);
	here = group_make(&attrs, 1, w->fn == collects ? KPOOL_GROUP_COLLECT :
							 0);
	if (!here)
		return;
	KT_EXPECT_EQ(kpool_pause(here), 0);
	inside_wait = w;
	caller_init(&callers[0], here, NULL, caller_waits);
	callers[0].timeout = 5;
	caller_start(&callers[0]);
	if (w->group)
		probes_submit(here, p, 1);
	kpool_resume(here);
	caller_expect(&callers[0], -ETIMEDOUT);
	jobs_end(here);
}

/*
 * The longest delays are for ever, to submit and to change.
 * Fails if one overflows: the job would be due.
 */
static void longest_delays_are_long(int modified)
{
	const struct kpool_attrs attrs = { .capacity = 1 };
	int i;

	here = group_make(&attrs, 0, 0);
	if (!here)
		return;
	for (i = 0; i < ARRAY_SIZE(longest); i++) {
		KT_EXPECT_EQ(kpool_submit_delayed(here, &p[i].job, modified ?
						  100 * HZ : longest[i]), 0);
		if (modified)
			KT_EXPECT(kpool_modify_delay(&p[i].job, longest[i]));
	}
	/* one that is near is not held up by them */
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[20].job, 2), 0);
	probe_ran(&p[20]);
	kt_sleep_ms(kt_exact ? 1000 * MSEC_PER_SEC : 50);
	KT_EXPECT_EQ(probes_ran(p, ARRAY_SIZE(longest)), 0);
	KT_EXPECT_EQ(kt_stat(here, delayed), ARRAY_SIZE(longest));
	for (i = 0; i < ARRAY_SIZE(longest); i++)
		KT_EXPECT(kpool_cancel(&p[i].job.item));
	jobs_end(here);
}

static const char *const delays[] = { "submitted", "modified", NULL };

KT_MODULE("kpool selftests: arguments that are times",
	  KT_EACH(longest_times_are_long, wait_names),
	  KT_EACH(no_time_is_no_wait, wait_names),
	  KT_EACH(time_is_kept_to_the_tick, wait_names),
	  KT_CASE(submit_that_has_room_does_not_time_out),
	  KT_EACH(unlimited_wait_inside_is_a_deadlock, wait_names),
	  KT_EACH(timed_wait_inside_is_no_deadlock, wait_names),
	  KT_EACH(longest_delays_are_long, delays));
