// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ordered streams: their jobs run in parallel, and are completed one at a time,
 * in order.
 */
#include "compat.h"
#include "log.h"
#include "oops.h"

#define PROBES	64

static const struct kpool_attrs queued_one = {
	.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
	.expiry_ms = KPOOL_NO_PURGE,
};

static const struct kpool_attrs queued_two = {
	.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	.expiry_ms = KPOOL_NO_PURGE,
};

static const struct kpool_attrs queued_four = {
	.capacity = 4, .queue_depth = KPOOL_UNLIMITED,
	.expiry_ms = KPOOL_NO_PURGE,
};

static struct kpool *pool;
static struct kpool_stream stream;
static struct probe p[PROBES];
static struct order completed;		/* in which order */
static atomic_t active;			/* complete functions */
static atomic_t nr_completed;
static struct kt_gate at_gate;		/* where number @gated is completed */
static int gated;
static int complete_ret[PROBES];
static int saw_result[PROBES];

static int complete_fn(struct kpool_item *item)
{
	struct probe *one = probe_of(item);
	int nr = one->nr;

	KT_EXPECT_EQ(atomic_inc_return(&active), 1);
	order_note(&completed, nr);
	saw_result[nr] = kpool_job_result(&one->job);
	if (nr == gated)
		kt_gate_pass(&at_gate);
	KT_EXPECT_EQ(atomic_dec_return(&active), 0);
	atomic_inc(&nr_completed);
	return complete_ret[nr];
}

static void enter(struct probe *one, int nr, kpool_item_fn fn)
{
	probe_init(one, fn, nr);
	KT_EXPECT_EQ(kpool_set_stream(&one->job, &stream), 0);
	KT_EXPECT_EQ(kpool_set_complete_fn(&one->job, complete_fn), 0);
}

static bool begin(const struct kpool_attrs *attrs)
{
	int i;

	pool = kt_pool("ordered", attrs);
	if (!pool)
		return false;
	kpool_init_ordered_stream(&stream, pool);
	order_init(&completed);
	atomic_set(&active, 0);
	atomic_set(&nr_completed, 0);
	kt_gate_init(&at_gate);
	gated = -1;
	memset(complete_ret, 0, sizeof(complete_ret));
	for (i = 0; i < PROBES; i++)
		enter(&p[i], i, probe_fn);
	return true;
}

static void finish(void)
{
	kt_gate_open(&at_gate);
	probes_open(p, PROBES);
	jobs_end(pool);
}

/* Begin with p[0] in its function, and the next @n - 1 having left theirs. */
static bool begin_behind(const struct kpool_attrs *attrs, int n)
{
	if (!begin(attrs))
		return false;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(p);
	probes_submit(pool, &p[1], n - 1);
	return KT_EXPECT(kt_wait(probes_ran(&p[1], n - 1) == n - 1)) &&
	       KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
}

static void expect_order(const int *nr, int n)
{
	int i;

	KT_EXPECT_EQ(completed.n, n);
	for (i = 0; i < min(n, completed.n); i++)
		KT_EXPECT_EQ(completed.nr[i], nr[i]);
}

#define EXPECT_ORDER(...)						\
({									\
	static const int __nr[] = { __VA_ARGS__ };			\
									\
	expect_order(__nr, ARRAY_SIZE(__nr));				\
})

/* Fails if the functions wait for one another, or completions do not. */
static void jobs_run_in_parallel_and_complete_in_order(void)
{
	int i;

	if (!begin(&queued_four))
		return;
	probes_hold(p, 4);
	probes_submit(pool, p, 4);
	for (i = 0; i < 4; i++)
		probe_runs(&p[i]);
	for (i = 3; i > 0; i--) {
		probes_open(&p[i], 1);
		probe_ran(&p[i]);
	}
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
	KT_EXPECT_EQ(completed.n, 0);
	KT_EXPECT_EQ(kt_stat(pool, completed), 0);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 4));
	EXPECT_ORDER(0, 1, 2, 3);
	finish();
}

/*
 * The head of the order is blocked.  Jobs that wait for their turn hold no
 * unit, no thread and no place in the queue, and are not pending.
 */
static void job_waiting_for_its_turn_holds_no_unit(void)
{
	static const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 1 };
	struct probe other;
	int i;

	if (!begin(&attrs))
		return;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(p);
	for (i = 1; i < PROBES; i++) {
		KT_EXPECT_EQ(kpool_submit(pool, &p[i].job.item), 0);
		probe_ran(&p[i]);
	}
	KT_EXPECT(kt_wait(kt_stat(pool, units) == 1));
	KT_EXPECT_EQ(kt_stat(pool, pending), 0);
	KT_EXPECT_LE(kt_stat(pool, spawned), 2);
	KT_EXPECT(!kpool_is_pending(&p[5].job.item));
	probe_init(&other, probe_fn, 0);
	KT_EXPECT_EQ(probe_try(pool, &other), 0);
	probe_ran(&other);
	KT_EXPECT_EQ(kpool_flush_item(&other.job.item), 0);
	KT_EXPECT_EQ(completed.n, 0);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == PROBES));
	order_expect_rising(&completed, PROBES);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, completed), PROBES + 1);
	finish();
}

/* Fails if what has been taken out of the order holds up what comes after. */
static void cancelled_and_expired_jobs_give_up_their_turn(void)
{
	if (!begin(&queued_two))
		return;
	probes_hold(p, 2);
	probes_submit(pool, p, 2);
	probe_runs(&p[0]);
	probe_runs(&p[1]);
	KT_EXPECT_EQ(kpool_set_deadline(&p[3].job, the_past()), 0);
	probes_submit(pool, &p[2], 4);
	KT_EXPECT(kpool_cancel(&p[2].job.item));
	probes_open(&p[1], 1);
	probe_ran(&p[5]);
	KT_EXPECT(!kpool_cancel(&p[1].job.item));
	KT_EXPECT(!kpool_cancel(&p[5].job.item));
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	EXPECT_ORDER(0, 1, 4, 5);
	probes_expect_dropped(&p[3], 1, -ETIME);
	finish();
}

/*
 * All units but one are held, p[0] needs two, and the next @n - 1 have left
 * their functions.
 */
static bool begin_behind_heavy(const struct kpool_attrs *attrs, int n)
{
	if (!begin(attrs))
		return false;
	KT_EXPECT_EQ(kpool_set_weight(&p[PROBES - 1].job.item, attrs->capacity - 1), 0);
	KT_EXPECT_EQ(kpool_set_weight(&p[0].job.item, 2), 0);
	KT_EXPECT_EQ(kpool_set_priority(&p[0].job.item, KPOOL_PRIO_LOW), 0);
	probes_hold(&p[PROBES - 1], 1);
	KT_EXPECT_EQ(kpool_set_stream(&p[PROBES - 1].job, NULL), 0);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[PROBES - 1].job, NULL), 0);
	probes_submit(pool, &p[PROBES - 1], 1);
	probe_runs(&p[PROBES - 1]);
	probes_submit(pool, p, n);
	probe_ran(&p[n - 1]);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
	return KT_EXPECT_EQ(completed.n, 0);
}

/* The first in the order is cancelled while all others wait for their turn. */
static void cancel_of_the_first_completes_the_next(void)
{
	if (!begin_behind_heavy(&queued_two, 4))
		return;
	KT_EXPECT(kpool_cancel(&p[0].job.item));
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 3));
	EXPECT_ORDER(1, 2, 3);
	finish();
}

static int completed_before, flush_got;

static int flushes_the_second(struct kpool_item *item)
{
	completed_before = atomic_read(&nr_completed);
	flush_got = kpool_flush_item(&p[1].job.item);
	return probe_fn(item);
}

/*
 * Jobs that run, or have left their function, are not to be changed from
 * outside.
 * Fails (0) if they are taken for idle: mutant setter-changes-an-ordered-job.
 */
static void setter_refuses_a_job_to_be_completed(void)
{
	int i;

	if (!begin_behind(&queued_four, 2))
		return;
	for (i = 0; i < 2; i++) {
		KT_EXPECT_EQ(kpool_set_weight(&p[i].job.item, 2), -EBUSY);
		KT_EXPECT_EQ(kpool_set_priority(&p[i].job.item, KPOOL_PRIO_LOW), -EBUSY);
		KT_EXPECT_EQ(kpool_set_deadline(&p[i].job, the_past()), -EBUSY);
	}
	finish();
}

/*
 * The first in the order is past its deadline when the pool's only worker picks
 * it.  The completion that this lets start comes before the next item, which
 * can flush it.
 * Fails with -EDEADLK if the drop and that item's start are one decision:
 * mutant completion-behind-item-after-drop.
 */
static void drop_of_the_first_completes_the_next(void)
{
	struct probe *flusher = &p[PROBES - 1];

	if (!begin(&queued_one))
		return;
	flush_got = 1;
	probe_init(flusher, flushes_the_second, PROBES - 1);
	KT_EXPECT_EQ(kpool_set_priority(&flusher->job.item, KPOOL_PRIO_LOW), 0);
	KT_EXPECT_EQ(kpool_set_priority(&p[0].job.item, KPOOL_PRIO_LOW), 0);
	KT_EXPECT_EQ(kpool_set_deadline(&p[0].job, the_past()), 0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 2);
	probes_submit(pool, flusher, 1);
	kpool_resume(pool);
	probe_ran(flusher);
	KT_EXPECT_EQ(completed_before, 1);
	KT_EXPECT_EQ(flush_got, 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_dropped(&p[0], 1, -ETIME);
	finish();
}

/*
 * The unit that a completion takes next is not free for another item, though
 * threads are left.
 * Fails (accepted, and waits) if it counts as free: mutant
 * now-past-a-completion.
 */
static void submit_now_is_refused_before_a_completion(void)
{
	static struct probe other;

	if (!begin_behind_heavy(&queued_four, 2))
		return;
	probe_init(&other, probe_fn, 0);
	gated = 1;
	KT_EXPECT(kpool_cancel(&p[0].job.item));
	KT_EXPECT_EQ(kpool_submit_now(pool, &other.job.item), -EAGAIN);
	KT_EXPECT(kt_wait(atomic_read(&at_gate.started)));
	kt_gate_open(&at_gate);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
	KT_EXPECT_EQ(kpool_submit_now(pool, &other.job.item), 0);
	probe_ran(&other);
	finish();
}

/* Fails if abort takes a completion, or pause holds one back. */
static void started_jobs_are_completed_after_abort(void)
{
	if (!begin_behind(&queued_two, 4))
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, &p[4], 4);
	KT_EXPECT_EQ(kpool_abort(pool), 4);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 4));
	EXPECT_ORDER(0, 1, 2, 3);
	probes_expect_dropped(&p[4], 4, -ECANCELED);
	finish();
}

static void pause_completes_started_jobs(void)
{
	if (!begin_behind(&queued_two, 4))
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, &p[4], 1);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 4));
	KT_EXPECT_EQ(kt_stat(pool, pending), 1);
	KT_EXPECT_EQ(atomic_read(&p[4].ran), 0);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 5));
	finish();
}

static int release(void *arg)
{
	return kpool_shutdown_timeout(pool, MAX_SCHEDULE_TIMEOUT);
}

static int destroy(void *arg)
{
	return kpool_destroy(pool);
}

static int flush(void *arg)
{
	return kpool_flush(pool);
}

static int flush_item(void *arg)
{
	return kpool_flush_item(arg);
}

static int cancel_sync(void *arg)
{
	return kpool_cancel_sync(arg);
}

/* Fails if a wait ends with the function, before the completion. */
static void waits_last_until_the_completion(void)
{
	struct kt_thread t[4];
	int i;

	if (!begin_behind(&queued_two, 3))
		return;
	gated = 2;
	if (!kt_thread_start(&t[0], flush_item, &p[2].job.item) ||
	    !kt_thread_start(&t[1], cancel_sync, &p[2].job.item) ||
	    !kt_thread_start(&t[2], flush, NULL) ||
	    !kt_thread_start(&t[3], flush_item, &p[0].job.item))
		return;
	for (i = 0; i < 4; i++)
		kt_thread_asleep(&t[i]);
	probes_open(p, 1);
	KT_EXPECT_EQ(kt_thread_join(&t[3]), 0);
	KT_EXPECT(kt_wait(atomic_read(&at_gate.started)));
	for (i = 0; i < 3; i++)
		kt_thread_asleep(&t[i]);
	KT_EXPECT_EQ(kt_stat(pool, running), 1);
	KT_EXPECT(kpool_flush_item(&p[1].job.item) == 0);
	kt_gate_open(&at_gate);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kt_thread_join(&t[i]), 0);
	EXPECT_ORDER(0, 1, 2);
	finish();
}

static void pool_ends_after_the_last_completion(int variant)
{
	struct kt_thread t;

	if (!begin_behind(&queued_two, 3))
		return;
	gated = 1;
	if (!kt_thread_start(&t, variant ? destroy : release, NULL))
		return;
	kt_thread_asleep(&t);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(atomic_read(&at_gate.started)));
	KT_EXPECT(!kt_thread_done(&t));
	kt_gate_open(&at_gate);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	EXPECT_ORDER(0, 1, 2);
	if (!variant)
		finish();
}

static const char *const ends[] = { "shutdown", "destroy", NULL };

/* A job counts once, with the first of both errors. */
static void errors_of_both_functions_count_once(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1,
		.queue_depth = KPOOL_UNLIMITED };
	struct kpool_group group;
	struct kpool_job *job;
	int i, got[4] = { };

	if (!begin(&attrs))
		return;
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, KPOOL_GROUP_COLLECT), 0);
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(kpool_set_group(&p[i].job, &group), 0);
	p[1].ret = -EIO;
	complete_ret[1] = -EPERM;
	complete_ret[2] = -ENOENT;
	p[3].ret = 7;
	probes_submit(pool, p, 4);
	KT_EXPECT_EQ(kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT), 0);
	while ((job = kpool_group_next(&group, 0)) && !IS_ERR(job))
		got[probe_of(&job->item)->nr] = kpool_job_result(job);
	KT_EXPECT_EQ(got[0], 0);
	KT_EXPECT_EQ(got[1], -EIO);
	KT_EXPECT_EQ(got[2], -ENOENT);
	KT_EXPECT_EQ(got[3], 7);
	KT_EXPECT_EQ(saw_result[0], 0);
	KT_EXPECT_EQ(saw_result[1], -EIO);
	KT_EXPECT_EQ(kpool_group_error(&group), -EIO);
	KT_EXPECT_EQ(kt_stat(pool, failed), 3);
	KT_EXPECT_EQ(kt_stat(pool, completed), 4);
	finish();
}

static void group_waits_for_the_completions(void)
{
	struct kpool_group group;

	if (!begin(&queued_two))
		return;
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, 0), 0);
	KT_EXPECT_EQ(kpool_set_group(&p[1].job, &group), 0);
	probes_hold(p, 1);
	probes_submit(pool, p, 2);
	probe_ran(&p[1]);
	KT_EXPECT_EQ(kpool_group_wait(&group, 2), -ETIMEDOUT);
	kpool_group_cancel(&group);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT), 0);
	KT_EXPECT_EQ(atomic_read(&nr_completed), 2);
	finish();
}

static int resubmit_fn(struct kpool_item *item)
{
	struct probe *one = probe_of(item);

	one->err = kpool_submit(pool, item);
	atomic_inc(&one->ran);
	return 0;
}

static int complete_again(struct kpool_item *item)
{
	if (atomic_inc_return(&nr_completed) < 3)
		KT_EXPECT_EQ(kpool_submit(pool, item), 0);
	return 0;
}

/*
 * Fails if a job is submitted twice before it is completed, or not at all
 * after.
 */
static void job_is_submitted_again_from_its_completion(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };

	if (!begin(&attrs))
		return;
	enter(p, 0, resubmit_fn);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[0].job, complete_again), 0);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 3));
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(p[0].err, -EALREADY);
	KT_EXPECT_EQ(atomic_read(&p[0].ran), 3);
	KT_EXPECT_EQ(kt_stat(pool, submitted), 3);
	finish();
}

/*
 * Jobs of two streams wait for a unit to be completed.
 * Fails if the one that came last is completed first.
 */
static void completions_of_several_streams_start_in_order(void)
{
	static struct kpool_stream another;

	if (!begin(&queued_four))
		return;
	kpool_init_ordered_stream(&another, pool);
	KT_EXPECT_EQ(kpool_set_stream(&p[1].job, &another), 0);
	KT_EXPECT_EQ(kpool_set_stream(&p[2].job, NULL), 0);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[2].job, NULL), 0);
	probes_hold(p, 3);
	probes_submit(pool, p, 3);
	probe_runs(&p[0]);
	probe_runs(&p[1]);
	probe_runs(&p[2]);
	/* the last keeps the only unit */
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 2));
	probes_open(&p[1], 1);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
	KT_EXPECT_EQ(completed.n, 0);
	probes_open(&p[2], 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 2));
	EXPECT_ORDER(0, 1);
	finish();
}

static int complete_submits(struct kpool_item *item)
{
	probe_of(item)->err = kpool_submit(pool, item);
	return complete_fn(item);
}

/*
 * A job of a group that collects is to be collected when it has been completed.
 * Fails if it can be submitted again in its completion, or before it is
 * collected; or if the result is that of its function.
 */
static void completed_job_must_be_collected(void)
{
	struct kpool_group group;

	if (!begin(&queued_two))
		return;
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, KPOOL_GROUP_COLLECT), 0);
	KT_EXPECT_EQ(kpool_set_group(&p[0].job, &group), 0);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[0].job, complete_submits), 0);
	complete_ret[0] = -EIO;
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(p[0].err, -EALREADY);
	KT_EXPECT_EQ(probe_try(pool, &p[0]), -EALREADY);
	KT_EXPECT(kpool_group_next(&group, KT_LIMIT) == &p[0].job);
	KT_EXPECT_EQ(kpool_job_result(&p[0].job), -EIO);
	KT_EXPECT(!kpool_group_next(&group, 0));
	KT_EXPECT_EQ(atomic_read(&p[0].ran), 1);
	finish();
}

static void submit_between_the_functions_is_refused(void)
{
	struct kpool *other;

	if (!begin_behind(&queued_two, 2))
		return;
	other = kt_pool("ordered-other", NULL);
	KT_EXPECT_EQ(probe_try(pool, &p[0]), -EALREADY);
	KT_EXPECT_EQ(probe_try(pool, &p[1]), -EALREADY);
	KT_EXPECT_EQ(probe_try(other, &p[0]), -EALREADY);
	KT_EXPECT_EQ(probe_try(other, &p[1]), -EALREADY);
	KT_EXPECT_EQ(kpool_destroy(other), 0);
	/* behind a full pool, submits that do not take the lock are possible */
	probes_hold(&p[2], 1);
	probes_submit(pool, &p[2], 1);
	probe_runs(&p[2]);
	probes_submit(pool, &p[3], 3);
	KT_EXPECT_EQ(probe_try(pool, &p[0]), -EALREADY);
	KT_EXPECT_EQ(probe_try(pool, &p[2]), -EALREADY);
	finish();
	KT_EXPECT_EQ(atomic_read(&p[0].ran), 1);
}

static int complete_freed(struct kpool_item *item)
{
	struct probe *one = probe_of(item);

	poison(one, sizeof(*one));
	kfree(one);
	atomic_inc(&nr_completed);
	return 0;
}

static void job_may_be_freed_by_its_completion(void)
{
	struct probe *one;
	int i;

	if (!begin(&queued_two))
		return;
	for (i = 0; i < 8; i++) {
		one = kzalloc_obj(*one, GFP_KERNEL);
		if (!KT_EXPECT(one))
			break;
		enter(one, 0, probe_fn);
		KT_EXPECT_EQ(kpool_set_complete_fn(&one->job, complete_freed), 0);
		KT_EXPECT_EQ(kpool_submit(pool, &one->job.item), 0);
	}
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&nr_completed), i);
	finish();
}

/* @before opens the pool's inbox, if its units are in use. */
static void expect_refusal(struct probe *before)
{
	probes_submit(pool, before, 1);
	KT_EXPECT_EQ(probe_try(pool, &p[0]), -EINVAL);
}

/*
 * Fails if a job is accepted that would never be completed, or complete in no
 * order; by a busy pool without its lock: mutant complete-fn-looks-plain.
 */
static void complete_function_without_an_ordered_stream_is_refused(void)
{
	static struct probe busy[6];
	struct kpool_stream plain;
	struct kpool_job no_job;
	int i;

	if (!begin(&queued_two))
		return;
	kpool_init_stream(&plain, pool);
	probes_init(busy, 6, probe_fn);
	probes_hold(busy, 6);
	for (i = 0; i < 6; i += 3) {
		KT_EXPECT_EQ(kpool_set_stream(&p[0].job, &plain), 0);
		KT_EXPECT_EQ(kpool_set_complete_fn(&p[0].job, complete_fn), 0);
		expect_refusal(&busy[i]);
		KT_EXPECT_EQ(kpool_set_stream(&p[0].job, NULL), 0);
		expect_refusal(&busy[i + 1]);
		KT_EXPECT_EQ(kpool_set_stream(&p[0].job, &stream), 0);
		KT_EXPECT_EQ(kpool_set_complete_fn(&p[0].job, NULL), 0);
		expect_refusal(&busy[i + 2]);
		probe_runs(&busy[0]);
		probe_runs(&busy[1]);
	}
	kpool_init_item(&no_job.item, probe_fn);
	KT_EXPECT_EQ(kpool_set_complete_fn(&no_job, complete_fn), -EINVAL);
	KT_EXPECT_EQ(kt_stat(pool, submitted), 6);
	probes_open(busy, 6);
	finish();
}

/* A job's function returns while the completion before it lasts. */
static void completion_waits_for_the_one_before(void)
{
	if (!begin(&queued_four))
		return;
	gated = 0;
	probes_hold(&p[1], 1);
	probes_submit(pool, p, 2);
	probe_runs(&p[1]);
	KT_EXPECT(kt_wait(atomic_read(&at_gate.started)));
	probes_open(&p[1], 1);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
	kt_sleep_ms(20);
	KT_EXPECT_EQ(completed.n, 1);
	kt_gate_open(&at_gate);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 2));
	EXPECT_ORDER(0, 1);
	finish();
}

/*
 * A worker has left the function of a job, and runs something else.
 * Fails (two are completed at once) if the end of that ends a completion:
 * mutant finished-run-keeps-its-stream.
 */
static void completion_waits_beside_other_items(void)
{
	static struct probe other;

	if (!begin(&queued_two))
		return;
	gated = 0;
	probe_init(&other, probe_fn, 0);
	KT_EXPECT_EQ(kpool_set_priority(&other.job.item, KPOOL_PRIO_HIGH), 0);
	probes_submit(pool, p, 2);
	KT_EXPECT(kt_wait(atomic_read(&at_gate.started)));
	probe_ran(&p[1]);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
	probes_submit(pool, &other, 1);
	KT_EXPECT_EQ(kpool_flush_item(&other.job.item), 0);
	kt_sleep_ms(20);
	KT_EXPECT_EQ(completed.n, 1);
	kt_gate_open(&at_gate);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 2));
	EXPECT_ORDER(0, 1);
	finish();
}

/* Two jobs run, the pool shrinks to one unit, and the first job returns. */
static bool begin_shrunk(void)
{
	if (!begin(&queued_two))
		return false;
	probes_hold(p, 2);
	probes_submit(pool, p, 2);
	probe_runs(&p[0]);
	probe_runs(&p[1]);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 1), 0);
	probes_open(p, 1);
	probe_ran(&p[0]);
	return true;
}

/*
 * The pool shrinks below the units in use: no job is completed beside them, and
 * one that waits for that has started.
 * Fails if a completion needs no unit, or counts as pending: mutant
 * pending-with-completions.
 */
static void completion_waits_for_a_unit(void)
{
	if (!begin_shrunk())
		return;
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
	kt_sleep_ms(20);
	KT_EXPECT_EQ(atomic_read(&nr_completed), 0);
	KT_EXPECT_EQ(kt_stat(pool, pending), 0);
	KT_EXPECT_EQ(kt_stat(pool, units), 1);
	probes_open(&p[1], 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 2));
	EXPECT_ORDER(0, 1);
	finish();
}

/*
 * The pool grows, and has nothing else to start.
 * Fails (waits for the other job) if no worker is woken for a completion:
 * mutant completion-wakes-no-worker.
 */
static void completion_starts_when_capacity_grows(void)
{
	if (!begin_shrunk())
		return;
	/* its worker leaves, and another is made */
	KT_EXPECT(kt_wait(kt_stat(pool, alive) == 1));
	KT_EXPECT_EQ(atomic_read(&nr_completed), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	KT_EXPECT(kt_wait_prompt(atomic_read(&nr_completed) == 1));
	probes_open(&p[1], 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 2));
	finish();
}

static int got_inside;

static int closes_and_submits_itself(struct kpool_item *item)
{
	kpool_shutdown(pool);
	got_inside = kpool_submit(pool, item);
	return probe_fn(item);
}

/*
 * A job that is still to be completed is refused for that first.
 * Fails (-ESHUTDOWN) if that the pool is closed does: mutant
 * closed-before-completed.
 */
static void running_job_of_a_closed_pool_is_refused_as_pending(void)
{
	if (!begin(&queued_two))
		return;
	p[0].job.item.fn = closes_and_submits_itself;
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 1));
	KT_EXPECT_EQ(got_inside, -EALREADY);
	finish();
}

/*
 * kpool uses a job until its completion.
 * Fails (no warning) if the job counts as idle: mutant
 * onstack-turn-not-pending.
 */
static void running_job_must_not_leave_the_stack(void)
{
	int before = log_count("item of probe_fn", "leaves the stack");

	if (IS_ENABLED(CONFIG_DEBUG_OBJECTS)) {
		kt_skip("debugobjects reports the completion, too");
		return;
	}
	if (!begin_behind(&queued_two, 1))
		return;
	pr_info("kpool-testbed: expect begin\n");
	kpool_destroy_item_onstack(&p[0].job.item);
	pr_info("kpool-testbed: expect end\n");
	KT_EXPECT_EQ(log_count("item of probe_fn", "leaves the stack"),
		     before + 1);
	finish();
}

/*
 * Fails (1 of 0) if a job counts as failed before it counts as completed:
 * mutant failed-before-it-is-completed.
 */
static void job_waiting_for_its_turn_has_not_failed(void)
{
	if (!begin(&queued_two))
		return;
	p[1].ret = -EIO;
	probes_hold(p, 1);
	probes_submit(pool, p, 2);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
	probe_ran(&p[1]);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 1));
	KT_EXPECT_EQ(kt_stat(pool, completed), 0);
	KT_EXPECT_EQ(kt_stat(pool, failed), 0);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, completed), 2);
	KT_EXPECT_EQ(kt_stat(pool, failed), 1);
	finish();
}

/*
 * An item that a worker runs after a completion has an error of its own.
 * Fails if a job that failed fails the next item's group, or hides its error:
 * mutant result-of-the-job-before.
 */
static void error_of_a_job_is_not_that_of_the_next(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1,
		.queue_depth = KPOOL_UNLIMITED, .expiry_ms = KPOOL_NO_PURGE };
	struct kpool_group after;
	static struct probe other;

	if (!begin(&attrs))
		return;
	KT_EXPECT_EQ(kpool_init_group(&after, pool, NULL, 0), 0);
	probe_init(&other, probe_fn, 0);
	kpool_set_group(&other.job, &after);
	p[0].ret = -EIO;
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush_item(&p[0].job.item), 0);
	KT_EXPECT_EQ(kt_stat(pool, failed), 1);
	probes_submit(pool, &other, 1);
	KT_EXPECT_EQ(kpool_group_wait(&after, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&after), 0);
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush_item(&p[0].job.item), 0);
	other.ret = -EINVAL;
	probes_submit(pool, &other, 1);
	KT_EXPECT_EQ(kpool_group_wait(&after, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&after), -EINVAL);
	KT_EXPECT_EQ(kt_stat(pool, failed), 3);
	finish();
}

/*
 * A job that was completed is one like any other, without a stream too.
 * Fails (dies) if it is taken for one to be completed: mutant
 * completed-job-stays-ready.
 */
static void completed_job_may_leave_its_stream(void)
{
	if (!begin(&queued_two))
		return;
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush_item(&p[0].job.item), 0);
	KT_EXPECT_EQ(kpool_set_stream(&p[0].job, NULL), 0);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[0].job, NULL), 0);
	KT_EXPECT_EQ(kpool_set_priority(&p[0].job.item, KPOOL_PRIO_HIGH), 0);
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush_item(&p[0].job.item), 0);
	KT_EXPECT_EQ(atomic_read(&p[0].ran), 2);
	KT_EXPECT_EQ(atomic_read(&nr_completed), 1);
	finish();
}

/* Cycles */

static int got;		/* by a flush; 1: none so far */

static int flush_next_fn(struct kpool_item *item)
{
	WRITE_ONCE(got, kpool_flush_item(&p[1].job.item));
	return probe_fn(item);
}

static int complete_flush_next(struct kpool_item *item)
{
	atomic_inc(&nr_completed);
	return flush_next_fn(item);
}

/* Fails if the wait of a job for one that is completed after it lasts. */
static void flush_of_a_later_job_is_refused(int variant)
{
	if (!begin(&queued_two))
		return;
	got = 1;
	if (variant) {
		enter(p, 0, probe_fn);
		KT_EXPECT_EQ(kpool_set_complete_fn(&p[0].job,
						   complete_flush_next), 0);
	} else {
		enter(p, 0, flush_next_fn);
	}
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 2);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(READ_ONCE(got) != 1));
	KT_EXPECT_EQ(got, -EDEADLK);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 2));
	finish();
}

static const char *const from[] = { "function", "completion", NULL };

/* As above; the job that waits is not the first, which still runs. */
static void flush_of_a_later_job_is_refused_behind_the_first(void)
{
	if (!begin(&queued_four))
		return;
	got = 1;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(p);
	probe_init(&p[2], flush_next_fn, 2);
	KT_EXPECT_EQ(kpool_set_stream(&p[2].job, &stream), 0);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[2].job, complete_fn), 0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, &p[2], 1);
	probes_submit(pool, &p[1], 1);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(READ_ONCE(got) != 1));
	KT_EXPECT_EQ(got, -EDEADLK);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 3));
	EXPECT_ORDER(0, 2, 1);
	finish();
}

static struct kt_gate cue, dropping;

static int flush_next_on_cue_fn(struct kpool_item *item)
{
	kt_gate_pass(&cue);
	return flush_next_fn(item);
}

static void dropped_at_its_gate(struct kpool_item *item, int err)
{
	kt_gate_pass(&dropping);
	probe_dropped(item, err);
}

static int abort_main(void *unused)
{
	return kpool_abort(pool);
}

/*
 * The later job is late: it is dropped when there is a unit for it, while the
 * first runs.
 * Fails (-EDEADLK) if a job past its deadline waits for its turn: mutant
 * late-job-waits-for-its-turn.
 */
static void flush_of_a_late_job_ends(void)
{
	static struct probe other;

	if (!begin(&queued_two))
		return;
	got = 1;
	kt_gate_init(&cue);
	enter(p, 0, flush_next_on_cue_fn);
	KT_EXPECT_EQ(kpool_set_deadline(&p[1].job, the_past()), 0);
	probe_init(&other, probe_fn, 0);
	probes_hold(&other, 1);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	probes_submit(pool, &other, 1);
	probes_submit(pool, &p[1], 1);
	probe_runs(&other);
	kt_gate_open(&cue);
	KT_EXPECT(kt_wait(atomic_read(&cue.finished)));
	kt_sleep_ms(20);
	KT_EXPECT_EQ(READ_ONCE(got), 1);
	probes_open(&other, 1);
	KT_EXPECT(kt_wait(READ_ONCE(got) != 1));
	KT_EXPECT_EQ(got, 0);
	finish();
	probes_expect_dropped(&p[1], 1, -ETIME);
}

/*
 * The later job will be dropped as soon as another has been: it is not
 * completed after the first.
 * Fails (-EDEADLK) if what is about to be dropped waits for its turn: mutant
 * dropped-waits-for-its-turn.
 */
static void flush_of_a_job_to_be_dropped_ends(void)
{
	static const struct kpool_attrs queued_one = {
		.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kt_thread aborter = { };

	if (!begin(&queued_one))
		return;
	got = 1;
	kt_gate_init(&cue);
	kt_gate_init(&dropping);
	enter(p, 0, flush_next_on_cue_fn);
	probe_init(&p[2], probe_fn, 2);
	kpool_set_drop_fn(&p[2].job.item, dropped_at_its_gate);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	probes_submit(pool, &p[2], 1);
	probes_submit(pool, &p[1], 1);
	kt_thread_start(&aborter, abort_main, NULL);
	KT_EXPECT(kt_wait(atomic_read(&dropping.started)));
	kt_gate_open(&cue);
	KT_EXPECT(kt_wait(atomic_read(&cue.finished)));
	kt_sleep_ms(20);
	KT_EXPECT_EQ(READ_ONCE(got), 1);
	kt_gate_open(&dropping);
	KT_EXPECT_EQ(kt_thread_join(&aborter), 2);
	KT_EXPECT(kt_wait(READ_ONCE(got) != 1));
	KT_EXPECT_EQ(got, 0);
	probes_expect_dropped(&p[1], 1, -ECANCELED);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 1));
	finish();
}

/* A delayed job comes into the order behind one that waits for it. */
static void flush_of_a_job_submitted_later_is_refused(void)
{
	if (!begin(&queued_four))
		return;
	got = 1;
	enter(p, 0, flush_next_fn);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[1].job, 100 * HZ), 0);
	/* others run, so that not all sleep */
	probes_hold(&p[2], 1);
	probes_submit(pool, p, 1);
	probes_submit(pool, &p[2], 1);
	probe_runs(&p[2]);
	KT_EXPECT(kt_wait(!list_empty(&stream.jobs)));
	kt_sleep_ms(20);
	KT_EXPECT_EQ(READ_ONCE(got), 1);
	KT_EXPECT(kpool_modify_delay(&p[1].job, 0));
	KT_EXPECT(kt_wait(READ_ONCE(got) != 1));
	KT_EXPECT_EQ(got, -EDEADLK);
	probes_open(&p[2], 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 3));
	finish();
}

/* Fails if a wait that ends is taken for a deadlock. */
static void flush_of_an_earlier_job_ends(void)
{
	if (!begin(&queued_two))
		return;
	got = 1;
	enter(&p[1], 1, probe_fn);
	probe_init(&p[2], flush_next_fn, 2);
	KT_EXPECT_EQ(kpool_set_stream(&p[2].job, &stream), 0);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[2].job, complete_fn), 0);
	probes_submit(pool, p, 3);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(got, 0);
	EXPECT_ORDER(0, 1, 2);
	finish();
}

/*
 * The flush of a job that has left its function, and waits for its turn, ends
 * as well.
 * Fails (-EDEADLK) if it is taken for a later one: mutant
 * turn-without-a-number.
 */
static void flush_of_an_earlier_turn_ends(void)
{
	if (!begin_behind(&queued_four, 2))
		return;
	got = 1;
	probe_init(&p[2], flush_next_fn, 2);
	KT_EXPECT_EQ(kpool_set_stream(&p[2].job, &stream), 0);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[2].job, complete_fn), 0);
	probes_submit(pool, &p[2], 1);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 2));
	kt_sleep_ms(20);
	KT_EXPECT_EQ(READ_ONCE(got), 1);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 3));
	KT_EXPECT_EQ(got, 0);
	EXPECT_ORDER(0, 1, 2);
	finish();
}

static struct probe inner;	/* run by its submitter */

static int submits_inner_fn(struct kpool_item *item)
{
	kt_gate_pass(&cue);
	KT_EXPECT_EQ(kpool_submit(pool, &inner.job.item), 0);
	return probe_fn(item);
}

/*
 * The function of the first job submits an item and has to run it itself.  The
 * item flushes the second job, which is completed after the first.
 * Fails (lasts) if only the innermost run of a thread is looked at: mutant
 * outer-run-has-no-turn.
 */
static void flush_of_a_later_job_in_a_nested_run_is_refused(void)
{
	static const struct kpool_attrs caller_runs = {
		.capacity = 3, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	static struct probe other;

	if (!begin(&caller_runs))
		return;
	got = 1;
	probe_init(&inner, flush_next_fn, 0);
	probe_init(&other, probe_fn, 0);
	other.gate = &other.own;
	kt_gate_init(&cue);
	enter(p, 0, submits_inner_fn);
	probes_hold(&p[1], 1);
	probes_submit(pool, p, 1);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	probes_submit(pool, &p[1], 1);
	probe_runs(&p[1]);
	/* so that not all sleep */
	probes_submit(pool, &other, 1);
	probe_runs(&other);
	kt_gate_open(&cue);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(got) != 1));
	KT_EXPECT_EQ(READ_ONCE(got), -EDEADLK);
	/* so that a failure does not hang */
	probes_open(&p[1], 1);
	probes_open(&other, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 2));
	finish();
}

static struct probe outer;	/* flushes p[1] when its gate opens */
static int got_outer;		/* by a flush of it */
static struct task_struct *outer_waits;	/* or is about to */

static int flush_outer_fn(struct kpool_item *item)
{
	WRITE_ONCE(got_outer, kpool_flush_item(&outer.job.item));
	return probe_fn(item);
}

static int outer_fn(struct kpool_item *item)
{
	int ret = probe_fn(item);

	WRITE_ONCE(outer_waits, current);
	WRITE_ONCE(got, kpool_flush_item(&p[1].job.item));
	return ret;
}

static void outer_init(void)
{
	got = 1;
	got_outer = 1;
	outer_waits = NULL;
	probe_init(&outer, outer_fn, 0);
}

static bool outer_sleeps(void)
{
	return kt_wait(READ_ONCE(outer_waits) && !task_is_running(outer_waits));
}

/* p[0] and outer at their gates; p[2] flushes outer; p[1] to be completed. */
static void begin_chain(struct probe *other)
{
	outer_init();
	probe_init(other, probe_fn, 0);
	outer.gate = &outer.own;
	other->gate = &other->own;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probes_submit(pool, &outer, 1);
	probe_runs(p);
	probe_runs(&outer);
	enter(&p[2], 2, flush_outer_fn);
	probes_submit(pool, &p[2], 1);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == 3));
	probes_submit(pool, &p[1], 1);
	probe_ran(&p[1]);
	/* so that not all sleep */
	probes_submit(pool, other, 1);
	probe_runs(other);
}

/*
 * The job that is first in the order sleeps for an item that sleeps for a later
 * job.  That was no cycle before it was the first.
 * Fails (lasts) if this is not looked for at each turn: mutant
 * cycle-at-the-next-turn.
 */
static void end_of_a_turn_closes_a_cycle(void)
{
	static struct probe other;

	if (!begin(&queued_four))
		return;
	begin_chain(&other);
	probes_open(&outer, 1);
	KT_EXPECT(outer_sleeps());
	KT_EXPECT_EQ(READ_ONCE(got), 1);
	KT_EXPECT_EQ(READ_ONCE(got_outer), 1);
	probes_open(p, 1);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(got_outer) != 1));
	/* so that a failure does not hang */
	probes_open(&other, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 3));
	KT_EXPECT_EQ(got_outer, -EDEADLK);
	KT_EXPECT(kt_wait(READ_ONCE(got) != 1));
	KT_EXPECT_EQ(got, 0);
	EXPECT_ORDER(0, 2, 1);
	finish();
}

static int complete_flush_outer(struct kpool_item *item)
{
	atomic_inc(&nr_completed);
	return flush_outer_fn(item);
}

static struct kt_gate leaving;

static int complete_once_more(struct kpool_item *item)
{
	bool first = !atomic_read(&nr_completed);

	kt_gate_pass(&at_gate);
	if (first)
		KT_EXPECT_EQ(kpool_submit(pool, item), 0);
	kt_gate_pass(&leaving);
	atomic_inc(&nr_completed);
	return 0;
}

static int flush_outer_on_cue_fn(struct kpool_item *item)
{
	kt_gate_pass(&cue);
	return flush_outer_fn(item);
}

enum { QUEUED_AGAIN, IN_THE_BACKLOG, NOT_LEFT_YET };

/*
 * An item sleeps for a completion, which submits its job again: behind a job
 * that sleeps for that item, or is about to.  The end of the completion ends
 * both sleeps.
 * Fails (-EDEADLK) if the item seems to wait for the next completion: mutants
 * ended-wait-is-followed, running-completion-waits-for-its-turn.
 */
static void flush_of_a_job_submitted_again_ends(int variant)
{
	const struct kpool_attrs attrs = { .capacity = 3,
		.queue_depth = variant == IN_THE_BACKLOG ? 0 : KPOOL_UNLIMITED };

	if (!begin(&attrs))
		return;
	outer_init();
	kt_gate_init(&cue);
	kt_gate_init(&leaving);
	enter(&p[2], 2, flush_outer_on_cue_fn);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[1].job, complete_once_more), 0);
	probes_submit(pool, &p[1], 1);
	KT_EXPECT(kt_wait(atomic_read(&at_gate.started)));
	probes_submit(pool, &outer, 1);
	probes_submit(pool, &p[2], 1);
	KT_EXPECT(kt_wait(atomic_read(&cue.started)));
	KT_EXPECT(outer_sleeps());
	if (variant != NOT_LEFT_YET) {
		kt_gate_open(&leaving);
		kt_gate_open(&cue);
		kt_sleep_ms(20);
	}
	kt_gate_open(&at_gate);
	KT_EXPECT(kt_wait(atomic_read(&leaving.started)));
	kt_gate_open(&cue);
	kt_sleep_ms(20);
	kt_gate_open(&leaving);
	KT_EXPECT(kt_wait(READ_ONCE(got_outer) != 1));
	KT_EXPECT_EQ(got_outer, 0);
	KT_EXPECT_EQ(got, 0);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 3));
	finish();
}

static const char *const again[] = { "queued", "backlog", "not-left", NULL };

/*
 * A completion sleeps for an item, which is about to sleep for a job that is
 * completed later.
 * Fails (lasts) if only the functions of jobs are followed, not completions:
 * mutant completion-not-followed.
 */
static void wait_for_a_turn_behind_a_completion_is_refused(void)
{
	static struct probe other;

	if (!begin(&queued_four))
		return;
	outer_init();
	probe_init(&other, probe_fn, 0);
	outer.gate = &outer.own;
	other.gate = &other.own;
	probes_hold(p, 1);
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[0].job, complete_flush_outer), 0);
	probes_submit(pool, p, 1);
	probes_submit(pool, &outer, 1);
	/* so that not all sleep */
	probes_submit(pool, &other, 1);
	probes_submit(pool, &p[1], 1);
	probe_runs(&outer);
	probe_runs(&other);
	probe_ran(&p[1]);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 1));
	kt_sleep_ms(20);
	KT_EXPECT_EQ(READ_ONCE(got_outer), 1);
	probes_open(&outer, 1);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(got) != 1));
	/* so that a failure does not hang */
	probes_open(&other, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 2));
	KT_EXPECT_EQ(got, -EDEADLK);
	KT_EXPECT_EQ(got_outer, 0);
	finish();
}

/* Deaths */

static int die_fn(struct kpool_item *item)
{
	die(DIE_EXIT);
	return 0;
}

/* The worker of @one dies.  Its next run has a deadline, which it meets. */
static void dies_once(struct probe *one)
{
	one->job.item.fn = die_fn;
	probes_submit(pool, one, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, died) == 1));
	one->job.item.fn = probe_fn;
	KT_EXPECT_EQ(kpool_set_deadline(&one->job,
					ktime_add_ms(ktime_get(), 3600000)), 0);
}

/*
 * The first in the order is pending, and the only thread sleeps for one behind
 * it, from outside of the order.
 * Fails (reads the deadline as a pointer) if a first whose worker died, and
 * that was submitted again, seems to run: mutant turn-of-the-dead-is-kept.
 */
static void wait_for_a_turn_that_cannot_come_is_refused(int variant)
{
	static const struct kpool_attrs attrs = { .capacity = 2,
		.queue_depth = KPOOL_UNLIMITED };

	if (!begin(&attrs))
		return;
	if (variant)
		dies_once(p);
	got = 1;
	probe_init(&outer, flush_next_fn, 0);
	KT_EXPECT_EQ(kpool_set_weight(&p[0].job.item, 2), 0);
	KT_EXPECT_EQ(kpool_set_priority(&p[1].job.item, KPOOL_PRIO_HIGH), 0);
	KT_EXPECT_EQ(kpool_set_priority(&outer.job.item, KPOOL_PRIO_HIGH), 0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, &outer, 1);
	probes_submit(pool, p, 2);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(READ_ONCE(got) != 1));
	KT_EXPECT_EQ(got, -EDEADLK);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 2));
	EXPECT_ORDER(0, 1);
	finish();
}

static const char *const first[] = { "new", "died-before", NULL };

static int complete_dies(struct kpool_item *item)
{
	order_note(&completed, probe_of(item)->nr);
	die(DIE_EXIT);
	return 0;
}

/* Fails if the jobs behind a dead one are not completed, or it is. */
static void jobs_behind_a_dead_one_are_completed(int variant)
{
	struct kt_thread t;

	if (!begin(&queued_four))
		return;
	if (variant) {
		KT_EXPECT_EQ(kpool_set_complete_fn(&p[1].job, complete_dies), 0);
		p[1].ret = -EPERM;
	} else {
		enter(&p[1], 1, die_fn);
	}
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(p);
	probes_submit(pool, &p[1], 3);
	probe_ran(&p[3]);
	if (variant) {
		kt_thread_start(&t, flush_item, &p[1].job.item);
		kt_thread_asleep(&t);
	}
	probes_open(p, 1);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 3));
	if (variant) {
		KT_EXPECT_EQ(kt_thread_join(&t), -EIO);
		EXPECT_ORDER(0, 1, 2, 3);
		/* its error does not count, as it has died */
		KT_EXPECT_EQ(kt_stat(pool, failed), 0);
	} else {
		KT_EXPECT(kt_wait(kt_stat(pool, died) == 1));
		EXPECT_ORDER(0, 2, 3);
	}
	KT_EXPECT(kt_wait(kt_stat(pool, died) == 1));
	KT_EXPECT(kt_wait(kt_stat(pool, completed) == 3));
	/* its owner can submit it again */
	enter(&p[4], 4, probe_fn);
	p[1].job.item.fn = probe_fn;
	KT_EXPECT_EQ(kpool_set_complete_fn(&p[1].job, complete_fn), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p[1].job.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&nr_completed) == 4));
	finish();
}

/* Many jobs, some of which are cancelled, in two streams of one pool. */
static int slow_fn(struct kpool_item *item)
{
	if (probe_of(item)->nr % 3 == 0)
		usleep_range(20, 60);
	return 0;
}

static void storm_keeps_the_order(void)
{
	int round, i, last, taken;

	if (!begin(&queued_four))
		return;
	for (round = 0; round < kt_count(200); round++) {
		order_init(&completed);
		atomic_set(&nr_completed, 0);
		for (i = 0; i < PROBES; i++)
			enter(&p[i], i, slow_fn);
		probes_submit(pool, p, PROBES);
		for (i = 0, taken = 0; i < PROBES; i += 5)
			taken += kpool_cancel(&p[i].job.item);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		KT_EXPECT_EQ(completed.n, PROBES - taken);
		for (i = 0, last = -1; i < completed.n; last = completed.nr[i++])
			KT_EXPECT_GE(completed.nr[i], last + 1);
		KT_EXPECT_EQ(kt_stat(pool, units), 0);
	}
	finish();
}

KT_MODULE("kpool selftest: ordered streams",
	  KT_CASE(jobs_run_in_parallel_and_complete_in_order),
	  KT_CASE(job_waiting_for_its_turn_holds_no_unit),
	  KT_CASE(cancelled_and_expired_jobs_give_up_their_turn),
	  KT_CASE(cancel_of_the_first_completes_the_next),
	  KT_CASE(setter_refuses_a_job_to_be_completed),
	  KT_CASE(drop_of_the_first_completes_the_next),
	  KT_CASE(submit_now_is_refused_before_a_completion),
	  KT_CASE(started_jobs_are_completed_after_abort),
	  KT_CASE(pause_completes_started_jobs),
	  KT_CASE(waits_last_until_the_completion),
	  KT_EACH(pool_ends_after_the_last_completion, ends),
	  KT_CASE(errors_of_both_functions_count_once),
	  KT_CASE(group_waits_for_the_completions),
	  KT_CASE(job_is_submitted_again_from_its_completion),
	  KT_CASE(completions_of_several_streams_start_in_order),
	  KT_CASE(completed_job_must_be_collected),
	  KT_CASE(submit_between_the_functions_is_refused),
	  KT_CASE(job_may_be_freed_by_its_completion),
	  KT_CASE(complete_function_without_an_ordered_stream_is_refused),
	  KT_CASE(completion_waits_for_the_one_before),
	  KT_CASE(completion_waits_beside_other_items),
	  KT_CASE(completion_waits_for_a_unit),
	  KT_CASE(completion_starts_when_capacity_grows),
	  KT_CASE(running_job_of_a_closed_pool_is_refused_as_pending),
	  KT_CASE(running_job_must_not_leave_the_stack),
	  KT_CASE(job_waiting_for_its_turn_has_not_failed),
	  KT_CASE(error_of_a_job_is_not_that_of_the_next),
	  KT_CASE(completed_job_may_leave_its_stream),
	  KT_EACH(flush_of_a_later_job_is_refused, from),
	  KT_CASE(flush_of_a_later_job_is_refused_behind_the_first),
	  KT_CASE(flush_of_a_job_submitted_later_is_refused),
	  KT_CASE(flush_of_a_late_job_ends),
	  KT_CASE(flush_of_a_job_to_be_dropped_ends),
	  KT_CASE(flush_of_an_earlier_job_ends),
	  KT_CASE(flush_of_an_earlier_turn_ends),
	  KT_CASE(flush_of_a_later_job_in_a_nested_run_is_refused),
	  KT_CASE(end_of_a_turn_closes_a_cycle),
	  KT_EACH(flush_of_a_job_submitted_again_ends, again),
	  KT_CASE(wait_for_a_turn_behind_a_completion_is_refused),
	  KT_EACH(wait_for_a_turn_that_cannot_come_is_refused, first),
	  KT_EACH(jobs_behind_a_dead_one_are_completed, from),
	  KT_CASE(storm_keeps_the_order));
