// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each place where an accepted job can wait, and each way in which that can
 * end.  The job runs or is dropped exactly once, its owner and its group learn
 * why, and a counter says so.
 */
#include "group.h"
#include "load.h"

static struct kpool *here;
static struct kpool_stream stream;
static u64 submitted;

static struct kpool_item *item(int i)
{
	return &p[i].job.item;
}

static void submit(int i)
{
	KT_EXPECT_EQ(kpool_submit(here, item(i)), 0);
	submitted++;
}

static bool is_in_function(int i)
{
	return KT_EXPECT(kt_wait(atomic_read(&p[i].own.started) >
				 atomic_read(&p[i].own.finished)));
}

/* Places: job 0 waits there, behind job 10 that runs if it is any other */

static bool waits_queued(void)
{
	submit(10);
	is_in_function(10);
	submit(0);
	return true;
}

static bool waits_for_its_own_run(void)
{
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_CAPACITY, 2), 0);
	submit(0);
	is_in_function(0);
	submit(0);
	return true;
}

static bool waits_queued_for_its_own_run(void)
{
	submit(0);
	is_in_function(0);
	submit(0);
	return true;
}

static bool follows_queued(void)
{
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[10].job, &stream);
	return waits_queued();
}

static bool follows_with_a_unit_free(void)
{
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_CAPACITY, 2), 0);
	return follows_queued();
}

static bool waits_for_admission(void)
{
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_NONE), 0);
	submit(10);
	is_in_function(10);
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[0].job, 0), 0);
	submitted++;
	return true;
}

static bool waits_for_its_time(void)
{
	submit(10);
	is_in_function(10);
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[0].job, 3600 * HZ), 0);
	submitted++;
	return false;
}

static const struct {
	bool	(*wait)(void);	/* is it pending then, and not delayed? */
	bool	runs;		/* job 0 runs already */
} places[] = {
	{ waits_queued },
	{ waits_for_its_own_run, .runs = true },
	{ waits_queued_for_its_own_run, .runs = true },
	{ follows_queued },
	{ follows_with_a_unit_free },
	{ waits_for_admission },
	{ waits_for_its_time },
};

static const char *const place_names[] = {
	"queued", "for_its_own_run", "queued_for_its_own_run",
	"for_its_stream", "for_its_stream_with_a_unit_free",
	"for_admission", "for_its_time", NULL
};

/* Take job 0 to a place. */
static bool ends_make(int place)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
	};
	bool pending;

	submitted = 0;
	here = group_make(&attrs, 0, 0);
	if (!here)
		return false;
	kpool_init_stream(&stream, here);
	probes_hold(p, ARRAY_SIZE(p));
	kpool_set_group(&p[0].job, &group);
	pending = places[place].wait();
	KT_EXPECT(kpool_is_pending(item(0)));
	KT_EXPECT_EQ(kt_stat(here, pending), pending);
	KT_EXPECT_EQ(kt_stat(here, delayed), !pending);
	KT_EXPECT_EQ(kt_stat(here, submitted), submitted);
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_submit(here, item(0)), -EALREADY);
	return true;
}

struct ending {
	int	ran;	/* of the last submission */
	int	dropped;
	int	err;
	int	group_err;
	u64	cancelled;
	u64	expired;
};

static void expect_ending(int place, const struct ending *e)
{
	struct kpool_stats s;

	probes_open(p, ARRAY_SIZE(p));
	KT_EXPECT_EQ(kpool_flush(here), 0);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), e->group_err);
	KT_EXPECT(!kpool_is_pending(item(0)));
	KT_EXPECT_EQ(atomic_read(&p[0].ran), places[place].runs + e->ran);
	KT_EXPECT_EQ(atomic_read(&p[0].dropped), e->dropped);
	KT_EXPECT_EQ(p[0].err, e->err);
	kpool_get_stats(here, &s);
	KT_EXPECT_EQ(s.submitted, submitted);
	KT_EXPECT_EQ(s.completed, 1 + e->ran);
	KT_EXPECT_EQ(s.cancelled, e->cancelled);
	KT_EXPECT_EQ(s.dropped, e->dropped);
	KT_EXPECT_EQ(s.expired, e->expired);
	KT_EXPECT_EQ(s.displaced, 0);
	KT_EXPECT_EQ(s.failed, 0);
	KT_EXPECT_EQ(s.caller_ran, 0);
	KT_EXPECT_EQ(s.pending, 0);
	KT_EXPECT_EQ(s.delayed, 0);
	KT_EXPECT_EQ(s.units, 0);
	kt_pool_end(here);
	KT_EXPECT_EQ(atomic_read(&p[0].ran), places[place].runs + e->ran);
	KT_EXPECT_EQ(atomic_read(&p[0].dropped), e->dropped);
}

/* Let it become due where it would not for an hour. */
static void bring_in(int place)
{
	if (places[place].wait == waits_for_its_time)
		KT_EXPECT(kpool_modify_delay(&p[0].job, 0));
}

/*
 * The job is left alone, and runs.
 * Fails if one of the places loses or repeats it.
 */
static void run_ends_a_wait(int place)
{
	static const struct ending ran = { .ran = 1 };

	if (!ends_make(place))
		return;
	bring_in(place);
	expect_ending(place, &ran);
}

/*
 * Its caller takes it back: reported by the result alone.
 * Fails if dropped is called, it is counted twice, or is an error of its group.
 */
static void cancel_ends_a_wait(int place)
{
	static const struct ending cancelled = { .cancelled = 1 };

	if (!ends_make(place))
		return;
	KT_EXPECT(kpool_cancel(item(0)));
	KT_EXPECT(!kpool_is_pending(item(0)));
	KT_EXPECT(!kpool_cancel(item(0)));
	expect_ending(place, &cancelled);
}

static void disable_ends_a_wait(int place)
{
	static const struct ending cancelled = { .cancelled = 1 };

	if (!ends_make(place))
		return;
	KT_EXPECT_EQ(kpool_disable(item(0)), 1);
	KT_EXPECT_EQ(kpool_disable(item(0)), 0);
	KT_EXPECT_EQ(kpool_submit(here, item(0)), -ECANCELED);
	KT_EXPECT_EQ(kpool_enable(item(0)), 1);
	KT_EXPECT_EQ(kpool_enable(item(0)), 0);
	expect_ending(place, &cancelled);
}

static int cancels_and_waits(void *unused)
{
	return kpool_cancel_sync(item(0));
}

/*
 * A run of it that is not over is waited for, and nothing else.
 * Fails if cancel and wait returns too early, or never.
 */
static void cancel_sync_ends_a_wait(int place)
{
	static const struct ending cancelled = { .cancelled = 1 };
	struct kt_thread t = { };

	if (!ends_make(place))
		return;
	if (kt_thread_start(&t, cancels_and_waits, NULL)) {
		KT_EXPECT(kt_wait(!kpool_is_pending(item(0))));
		if (places[place].runs) {
			kt_thread_asleep(&t);
			probes_open(p, 1);
		}
		KT_EXPECT_EQ(kt_thread_join(&t), 1);
	}
	KT_EXPECT_EQ(atomic_read(&p[0].ran), places[place].runs);
	expect_ending(place, &cancelled);
}

/*
 * Its group is cancelled: dropped at once, but not before a run of it is over.
 * Fails if the reason is another, or the group takes it for an error.
 */
static void group_cancel_ends_a_wait(int place)
{
	static const struct ending dropped = { .dropped = 1, .err = -ECANCELED };

	if (!ends_make(place))
		return;
	kpool_group_cancel(&group);
	if (places[place].runs) {
		kt_sleep_ms(10);
		KT_EXPECT_EQ(atomic_read(&p[0].dropped), 0);
	} else {
		KT_EXPECT(kt_wait(atomic_read(&p[0].dropped)));
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	}
	expect_ending(place, &dropped);
}

/*
 * The pool is aborted: notified before abort returns, but for one that runs,
 * and that is not reported to its group.
 * Fails if a place is overlooked, or the count is wrong.
 */
static void abort_ends_a_wait(int place)
{
	static const struct ending dropped = {
		.dropped = 1, .err = -ECANCELED, .group_err = -ECANCELED,
	};

	if (!ends_make(place))
		return;
	KT_EXPECT_EQ(kpool_abort(here), !places[place].runs);
	KT_EXPECT_EQ(atomic_read(&p[0].dropped), !places[place].runs);
	expect_ending(place, &dropped);
}

/*
 * The pool is shut down: what is pending runs, what is delayed is dropped.
 * Fails if they are confused.
 */
static void shutdown_ends_a_wait(int place)
{
	static const struct ending ran = { .ran = 1 };
	static const struct ending dropped = {
		.dropped = 1, .err = -ESHUTDOWN, .group_err = -ESHUTDOWN,
	};
	bool delayed;

	if (!ends_make(place))
		return;
	delayed = places[place].wait == waits_for_its_time;
	kpool_shutdown(here);
	if (delayed)
		KT_EXPECT(kt_wait(atomic_read(&p[0].dropped)));
	expect_ending(place, delayed ? &dropped : &ran);
}

/*
 * Its deadline passes while it waits: dropped when its turn comes.
 * Fails if a place is left without a look at the deadline, or is too early.
 */
static void deadline_ends_a_wait(int place)
{
	static const struct ending expired = {
		.dropped = 1, .err = -ETIME, .group_err = -ETIME, .expired = 1,
	};

	if (!ends_make(place))
		return;
	/* as if it had been set to a time that was to come */
	p[0].job.deadline = the_past();
	kt_sleep_ms(10);
	KT_EXPECT_EQ(atomic_read(&p[0].dropped), 0);
	bring_in(place);
	expect_ending(place, &expired);
}

KT_MODULE("kpool selftests: every end of every wait",
	  KT_EACH(run_ends_a_wait, place_names),
	  KT_EACH(cancel_ends_a_wait, place_names),
	  KT_EACH(disable_ends_a_wait, place_names),
	  KT_EACH(cancel_sync_ends_a_wait, place_names),
	  KT_EACH(group_cancel_ends_a_wait, place_names),
	  KT_EACH(abort_ends_a_wait, place_names),
	  KT_EACH(shutdown_ends_a_wait, place_names),
	  KT_EACH(deadline_ends_a_wait, place_names));
