// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timelines of Documentation/scenarios.rst, under simulated time.
 *
 * Each case records what happens and compares it with a table of the time in
 * milliseconds and the event.  "make lint LINTERS=scenarios" compares the
 * tables with the page, line by line.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sort.h>

#include "selftest.h"

/* Events of one millisecond are listed by kind, because threads race there. */
enum event_kind {
	ITEM_ENDS,
	ITEM_COMPLETED,
	WAIT_ENDS,
	ITEM_DROPPED,
	ITEM_SUBMITTED,
	SUBMIT_ANSWERED,
	ITEM_STARTS,
	POOL_SEEN,
};

struct event {
	int		ms;
	int		kind;
	int		nr;
	char		text[64];
};

struct line {
	int		ms;
	const char	*text;
};

#define MAX_EVENTS	64

static DEFINE_SPINLOCK(events_lock);
static struct event events[MAX_EVENTS];
static int nr_events;
static u64 start_ns;

static __printf(2, 3) void happens(enum event_kind kind, const char *fmt, ...)
{
	struct event event = { .kind = kind };
	va_list args;

	event.ms = div_u64(ktime_get_ns() - start_ns, NSEC_PER_MSEC);
	va_start(args, fmt);
	vsnprintf(event.text, sizeof(event.text), fmt, args);
	va_end(args);
	spin_lock(&events_lock);
	event.nr = nr_events;
	if (nr_events < MAX_EVENTS)
		events[nr_events++] = event;
	spin_unlock(&events_lock);
}

static int event_cmp(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->ms != y->ms)
		return x->ms - y->ms;
	return x->kind != y->kind ? x->kind - y->kind : x->nr - y->nr;
}

static void sleep_until_ns(u64 when)
{
	ktime_t end = ns_to_ktime(when);

	if (when <= ktime_get_ns())
		return;
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&end, HRTIMER_MODE_ABS);
}

/* Go on at that time of the scenario. */
static void at(int ms)
{
	sleep_until_ns(start_ns + (u64)ms * NSEC_PER_MSEC);
}

/* Let everything happen that needs no time. */
static void let_others_run(void)
{
	sleep_until_ns(ktime_get_ns() + 10 * NSEC_PER_USEC);
}

/* Start a scenario at a tick; false if time is not simulated. */
static bool begin(void)
{
	if (!kt_exact) {
		kt_skip("time is not simulated");
		return false;
	}
	nr_events = 0;
	start_ns = (div_u64(ktime_get_ns(), TICK_NSEC) + 2) * TICK_NSEC;
	at(0);
	return true;
}

/* Of what happens to several at one time, any can be the first. */
static void choose_event(int i, const char *text)
{
	int j;

	for (j = i; j < nr_events && events[j].ms == events[i].ms &&
	     events[j].kind == events[i].kind; j++) {
		if (!strcmp(events[j].text, text)) {
			swap(events[i], events[j]);
			return;
		}
	}
}

static void expect_lines(const struct line *line)
{
	int i;

	sort(events, nr_events, sizeof(events[0]), event_cmp, NULL);
	for (i = 0; i < nr_events && line[i].text; i++) {
		choose_event(i, line[i].text);
		if (!KT_EXPECT_EQ(events[i].ms, line[i].ms) ||
		    !KT_EXPECT_EQ(strcmp(events[i].text, line[i].text), 0))
			break;
	}
	if (KT_EXPECT(i == nr_events && !line[i].text))
		return;
	for (i = 0; i < nr_events; i++)
		pr_err("%s: %d %s\n", KBUILD_MODNAME, events[i].ms,
		       events[i].text);
}

/* Destroy the pool, whose items have ended; then compare. */
static void end(struct kpool *pool, const struct line *lines)
{
	kt_pool_end(pool);
	expect_lines(lines);
}

/* Not %pe: a kernel without CONFIG_SYMBOLIC_ERRNAME prints the number. */
static const char *err_name(int err)
{
	switch (err) {
	case -EAGAIN:
		return "-EAGAIN";
	case -EIO:
		return "-EIO";
	case -ECANCELED:
		return "-ECANCELED";
	default:
		return "another error";
	}
}

/* An item that takes a time */

struct task {
	struct kpool_job	job;
	const char		*name;
	int			ms;
	int			err;	/* that its function returns */
	struct kpool		*pool;
	struct kt_thread	submitter;
};

static int task_run(struct kpool_item *item)
{
	struct task *t = container_of(item, struct task, job.item);

	happens(ITEM_STARTS, kpool_current() ? "%s starts" :
		"%s starts in its submitter", t->name);
	sleep_until_ns(ktime_get_ns() + (u64)t->ms * NSEC_PER_MSEC);
	if (t->err)
		happens(ITEM_ENDS, "%s ends with %s", t->name,
			err_name(t->err));
	else
		happens(ITEM_ENDS, "%s ends", t->name);
	return t->err;
}

static void task_dropped(struct kpool_item *item, int err)
{
	struct task *t = container_of(item, struct task, job.item);

	happens(ITEM_DROPPED, "%s is dropped with %s", t->name, err_name(err));
}

/* A plain item of that name, which runs for so long. */
static struct task *task_init(struct task *t, const char *name, int ms)
{
	kpool_init_item(&t->job.item, task_run);
	kpool_set_drop_fn(&t->job.item, task_dropped);
	t->name = name;
	t->ms = ms;
	t->err = 0;
	return t;
}

static struct task *task_init_job(struct task *t, const char *name, int ms)
{
	task_init(t, name, ms);
	kpool_init_job(&t->job, task_run);
	kpool_set_drop_fn(&t->job.item, task_dropped);
	return t;
}

/* Submit an item that finds room, or is refused. */
static void submit(struct kpool *pool, struct task *t)
{
	int err;

	happens(ITEM_SUBMITTED, "%s is submitted", t->name);
	err = kpool_try_submit(pool, &t->job.item);
	if (err)
		happens(SUBMIT_ANSWERED, "%s is refused with %s", t->name,
			err_name(err));
	let_others_run();
}

static int submitter_main(void *arg)
{
	struct task *t = arg;
	int err = kpool_submit(t->pool, &t->job.item);

	if (err)
		happens(WAIT_ENDS, "the submitter of %s gets %s", t->name,
			err_name(err));
	else
		happens(WAIT_ENDS, "the submitter of %s goes on", t->name);
	return err;
}

/* Submit an item, in a thread, that finds no room. */
static void submit_blocking(struct kpool *pool, struct task *t)
{
	u64 blocked = kt_stat(pool, blocked);

	t->pool = pool;
	happens(ITEM_SUBMITTED, "%s is submitted", t->name);
	KT_EXPECT(kt_thread_start(&t->submitter, submitter_main, t));
	let_others_run();
	if (kt_stat(pool, blocked) > blocked)
		happens(SUBMIT_ANSWERED, "the submitter of %s blocks", t->name);
}

static void see_alive(struct kpool *pool)
{
	happens(POOL_SEEN, "stats: alive %llu", kt_stat(pool, alive));
}

static void capacity_one_runs_items_in_order(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
	};
	static const struct line lines[] = {
		{ 0, "A is submitted" },
		{ 0, "B is submitted" },
		{ 0, "C is submitted" },
		{ 0, "A starts" },
		{ 10, "A ends" },
		{ 10, "B starts" },
		{ 15, "B ends" },
		{ 15, "C starts" },
		{ 20, "C ends" },
		{ }
	};
	static struct task a, b, c;
	struct kpool *pool;

	if (!begin())
		return;
	pool = kt_pool("one", &attrs);
	submit(pool, task_init(&a, "A", 10));
	submit(pool, task_init(&b, "B", 5));
	submit(pool, task_init(&c, "C", 5));
	end(pool, lines);
}

static void capacity_two_runs_items_in_parallel(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	static const struct line lines[] = {
		{ 0, "A is submitted" },
		{ 0, "B is submitted" },
		{ 0, "C is submitted" },
		{ 0, "A starts" },
		{ 0, "B starts" },
		{ 5, "B ends" },
		{ 5, "C starts" },
		{ 10, "A ends" },
		{ 10, "C ends" },
		{ }
	};
	static struct task a, b, c;
	struct kpool *pool;

	if (!begin())
		return;
	pool = kt_pool("two", &attrs);
	submit(pool, task_init(&a, "A", 10));
	submit(pool, task_init(&b, "B", 5));
	submit(pool, task_init(&c, "C", 5));
	end(pool, lines);
}

static void submitter_blocks_when_queue_is_full(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1,
	};
	static const struct line lines[] = {
		{ 0, "A is submitted" },
		{ 0, "B is submitted" },
		{ 0, "C is submitted" },
		{ 0, "the submitter of C blocks" },
		{ 0, "A starts" },
		{ 5, "D is submitted" },
		{ 5, "D is refused with -EAGAIN" },
		{ 10, "A ends" },
		{ 10, "the submitter of C goes on" },
		{ 10, "B starts" },
		{ 15, "D is submitted" },
		{ 15, "D is refused with -EAGAIN" },
		{ 20, "B ends" },
		{ 20, "C starts" },
		{ 25, "D is submitted" },
		{ 30, "C ends" },
		{ 30, "D starts" },
		{ 40, "D ends" },
		{ }
	};
	static struct task a, b, c, d;
	struct kpool *pool;

	if (!begin())
		return;
	pool = kt_pool("depth", &attrs);
	submit(pool, task_init(&a, "A", 10));
	submit(pool, task_init(&b, "B", 10));
	submit_blocking(pool, task_init(&c, "C", 10));
	task_init(&d, "D", 10);
	at(5);
	submit(pool, &d);
	at(15);
	submit(pool, &d);
	at(25);
	submit(pool, &d);
	kt_thread_join(&c.submitter);
	end(pool, lines);
}

static void heavy_item_waits_for_its_units(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = KPOOL_UNLIMITED,
	};
	static const struct line lines[] = {
		{ 0, "A is submitted" },
		{ 0, "B is submitted" },
		{ 0, "C is submitted" },
		{ 0, "A starts" },
		{ 10, "A ends" },
		{ 10, "B starts" },
		{ 10, "C starts" },
		{ 20, "B ends" },
		{ 20, "C ends" },
		{ }
	};
	static struct task a, b, c;
	struct kpool *pool;

	if (!begin())
		return;
	pool = kt_pool("weight", &attrs);
	kpool_set_weight(&task_init(&a, "A", 10)->job.item, 3);
	kpool_set_weight(&task_init(&b, "B", 10)->job.item, 2);
	submit(pool, &a);
	submit(pool, &b);
	submit(pool, task_init(&c, "C", 10));
	end(pool, lines);
}

static void stream_runs_its_jobs_in_order(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	static const struct line lines[] = {
		{ 0, "S1 is submitted" },
		{ 0, "S2 is submitted" },
		{ 0, "A is submitted" },
		{ 0, "B is submitted" },
		{ 0, "S1 starts" },
		{ 0, "A starts" },
		{ 5, "A ends" },
		{ 5, "B starts" },
		{ 10, "S1 ends" },
		{ 10, "S2 starts" },
		{ 15, "B ends" },
		{ 20, "S2 ends" },
		{ }
	};
	static struct task s1, s2, a, b;
	struct kpool_stream stream;
	struct kpool *pool;

	if (!begin())
		return;
	pool = kt_pool("stream", &attrs);
	kpool_init_stream(&stream, pool);
	kpool_set_stream(&task_init_job(&s1, "S1", 10)->job, &stream);
	kpool_set_stream(&task_init_job(&s2, "S2", 10)->job, &stream);
	submit(pool, &s1);
	submit(pool, &s2);
	submit(pool, task_init(&a, "A", 5));
	submit(pool, task_init(&b, "B", 10));
	end(pool, lines);
}

static int task_complete(struct kpool_item *item)
{
	struct task *t = container_of(item, struct task, job.item);

	happens(ITEM_COMPLETED, "%s is completed", t->name);
	return 0;
}

static void ordered_stream_completes_its_jobs_in_order(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	static const struct line lines[] = {
		{ 0, "S1 is submitted" },
		{ 0, "S2 is submitted" },
		{ 0, "S3 is submitted" },
		{ 0, "S1 starts" },
		{ 0, "S2 starts" },
		{ 5, "S2 ends" },
		{ 5, "S3 starts" },
		{ 15, "S3 ends" },
		{ 20, "S1 ends" },
		{ 20, "S1 is completed" },
		{ 20, "S2 is completed" },
		{ 20, "S3 is completed" },
		{ }
	};
	static const char * const names[] = { "S1", "S2", "S3" };
	static const int ms[] = { 20, 5, 10 };
	static struct task t[3];
	struct kpool_stream stream;
	struct kpool *pool;
	int i;

	if (!begin())
		return;
	pool = kt_pool("ordered", &attrs);
	kpool_init_ordered_stream(&stream, pool);
	for (i = 0; i < 3; i++) {
		task_init_job(&t[i], names[i], ms[i]);
		kpool_set_stream(&t[i].job, &stream);
		kpool_set_complete_fn(&t[i].job, task_complete);
		submit(pool, &t[i]);
	}
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	end(pool, lines);
}

static void low_item_starts_after_max_bypass(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_UNLIMITED, .max_bypass = 2,
	};
	static const struct line lines[] = {
		{ 0, "A is submitted" },
		{ 0, "A starts" },
		{ 5, "LOW is submitted" },
		{ 5, "H1 is submitted" },
		{ 5, "H2 is submitted" },
		{ 5, "H3 is submitted" },
		{ 10, "A ends" },
		{ 10, "H1 starts" },
		{ 20, "H1 ends" },
		{ 20, "H2 starts" },
		{ 30, "H2 ends" },
		{ 30, "LOW starts" },
		{ 40, "LOW ends" },
		{ 40, "H3 starts" },
		{ 50, "H3 ends" },
		{ }
	};
	static struct task a, low, high[3];
	static const char * const names[] = { "H1", "H2", "H3" };
	struct kpool *pool;
	int i;

	if (!begin())
		return;
	pool = kt_pool("bypass", &attrs);
	submit(pool, task_init(&a, "A", 10));
	at(5);
	kpool_set_priority(&task_init(&low, "LOW", 10)->job.item, KPOOL_PRIO_LOW);
	submit(pool, &low);
	for (i = 0; i < 3; i++) {
		task_init(&high[i], names[i], 10);
		kpool_set_priority(&high[i].job.item, KPOOL_PRIO_HIGH);
		submit(pool, &high[i]);
	}
	end(pool, lines);
}

static void delayed_job_is_queued_when_due(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 2,
	};
	static const struct line lines[] = {
		{ 0, "D is submitted with a delay of 50 ms" },
		{ 0, "A is submitted" },
		{ 0, "A starts" },
		{ 20, "B is submitted" },
		{ 90, "C is submitted" },
		{ 90, "the submitter of C blocks" },
		{ 100, "A ends" },
		{ 100, "the submitter of C goes on" },
		{ 100, "B starts" },
		{ 110, "B ends" },
		{ 110, "D starts" },
		{ 120, "D ends" },
		{ 120, "C starts" },
		{ 130, "C ends" },
		{ }
	};
	static struct task a, b, c, d;
	struct kpool *pool;

	if (!begin())
		return;
	pool = kt_pool("delay", &attrs);
	happens(ITEM_SUBMITTED, "D is submitted with a delay of 50 ms");
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &task_init_job(&d, "D", 10)->job,
					  msecs_to_jiffies(50)), 0);
	submit(pool, task_init(&a, "A", 100));
	at(20);
	submit(pool, task_init(&b, "B", 10));
	at(90);
	submit_blocking(pool, task_init(&c, "C", 10));
	kt_thread_join(&c.submitter);
	end(pool, lines);
}

static void idle_worker_expires(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .expiry_ms = 1000,
	};
	static const struct line lines[] = {
		{ 0, "A is submitted" },
		{ 0, "B is submitted" },
		{ 0, "A starts" },
		{ 0, "B starts" },
		{ 10, "A ends" },
		{ 10, "B ends" },
		{ 500, "C is submitted" },
		{ 500, "C starts" },
		{ 510, "C ends" },
		{ 1009, "stats: alive 2" },
		{ 1160, "stats: alive 1" },
		{ 1509, "stats: alive 1" },
		{ 1660, "stats: alive 0" },
		{ }
	};
	static struct task a, b, c;
	struct kpool *pool;

	if (!begin())
		return;
	pool = kt_pool("expiry", &attrs);
	submit(pool, task_init(&a, "A", 10));
	submit(pool, task_init(&b, "B", 10));
	at(500);
	submit(pool, task_init(&c, "C", 10));
	at(1009);
	see_alive(pool);
	at(1160);
	see_alive(pool);
	at(1509);
	see_alive(pool);
	at(1660);
	see_alive(pool);
	end(pool, lines);
}

static void submitter_runs_item_when_queue_is_full(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 1,
		.when_full = KPOOL_FULL_CALLER_RUNS,
	};
	static const struct line lines[] = {
		{ 0, "A is submitted" },
		{ 0, "B is submitted" },
		{ 0, "C is submitted" },
		{ 0, "A starts" },
		{ 0, "C starts in its submitter" },
		{ 5, "C ends" },
		{ 5, "the submitter of C goes on" },
		{ 10, "A ends" },
		{ 10, "B starts" },
		{ 20, "B ends" },
		{ }
	};
	static struct task a, b, c;
	struct kpool *pool;

	if (!begin())
		return;
	pool = kt_pool("caller", &attrs);
	submit(pool, task_init(&a, "A", 10));
	submit(pool, task_init(&b, "B", 10));
	submit_blocking(pool, task_init(&c, "C", 5));
	kt_thread_join(&c.submitter);
	end(pool, lines);
}

static void oldest_item_is_dropped_when_queue_is_full(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = 2,
		.when_full = KPOOL_FULL_DROP_OLDEST,
	};
	static const struct line lines[] = {
		{ 0, "A is submitted" },
		{ 0, "B is submitted" },
		{ 0, "C is submitted" },
		{ 0, "A starts" },
		{ 5, "B is dropped with -EAGAIN" },
		{ 5, "D is submitted" },
		{ 10, "A ends" },
		{ 10, "C starts" },
		{ 20, "C ends" },
		{ 20, "D starts" },
		{ 30, "D ends" },
		{ }
	};
	static struct task a, b, c, d;
	struct kpool *pool;

	if (!begin())
		return;
	pool = kt_pool("oldest", &attrs);
	submit(pool, task_init(&a, "A", 10));
	submit(pool, task_init(&b, "B", 10));
	submit(pool, task_init(&c, "C", 10));
	at(5);
	submit(pool, task_init(&d, "D", 10));
	end(pool, lines);
}

static void first_error_cancels_the_group(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	static const struct line lines[] = {
		{ 0, "G1 is submitted" },
		{ 0, "G2 is submitted" },
		{ 0, "G3 is submitted" },
		{ 0, "G1 starts" },
		{ 0, "G2 starts" },
		{ 5, "G2 ends with -EIO" },
		{ 5, "G3 is dropped with -ECANCELED" },
		{ 6, "G4 is submitted" },
		{ 6, "G4 is refused with -ECANCELED" },
		{ 10, "G1 ends" },
		{ 10, "kpool_group_wait() returns" },
		{ }
	};
	static const char * const names[] = { "G1", "G2", "G3", "G4" };
	static struct task t[4];
	struct kpool_group group;
	struct kpool *pool;
	int i;

	if (!begin())
		return;
	pool = kt_pool("group", &attrs);
	kpool_init_group(&group, pool, NULL, KPOOL_GROUP_FAIL_FAST);
	for (i = 0; i < 4; i++) {
		task_init_job(&t[i], names[i], i == 1 ? 5 : 10);
		kpool_set_group(&t[i].job, &group);
	}
	t[1].err = -EIO;
	submit(pool, &t[0]);
	submit(pool, &t[1]);
	submit(pool, &t[2]);
	at(6);
	submit(pool, &t[3]);
	KT_EXPECT_EQ(kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT), 0);
	happens(WAIT_ENDS, "kpool_group_wait() returns");
	KT_EXPECT_EQ(kpool_group_error(&group), -EIO);
	end(pool, lines);
}

KT_MODULE("kpool selftest: the timelines of the manual",
	  KT_CASE(capacity_one_runs_items_in_order),
	  KT_CASE(capacity_two_runs_items_in_parallel),
	  KT_CASE(submitter_blocks_when_queue_is_full),
	  KT_CASE(heavy_item_waits_for_its_units),
	  KT_CASE(stream_runs_its_jobs_in_order),
	  KT_CASE(ordered_stream_completes_its_jobs_in_order),
	  KT_CASE(low_item_starts_after_max_bypass),
	  KT_CASE(delayed_job_is_queued_when_due),
	  KT_CASE(idle_worker_expires),
	  KT_CASE(submitter_runs_item_when_queue_is_full),
	  KT_CASE(oldest_item_is_dropped_when_queue_is_full),
	  KT_CASE(first_error_cancels_the_group));
