// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups: waiting for many jobs, their first error, and cancelling the rest.
 */
#include <linux/irqflags.h>
#include <linux/prandom.h>

#include "caller_item.h"
#include "compat.h"

static int caller_waits(struct caller_item *a)
{
	return kpool_group_wait(a->group, a->timeout);
}

static int caller_collects(struct caller_item *a)
{
	return PTR_ERR_OR_ZERO(kpool_group_next(a->group, a->timeout));
}

static int caller_submits_and_waits(struct caller_item *a)
{
	return kpool_submit(a->pool, &p[0].job.item) ?:
	       kpool_group_wait(a->group, a->timeout);
}

static int caller_submits_and_collects(struct caller_item *a)
{
	struct kpool_job *job;
	int err = kpool_submit(a->pool, &p[0].job.item);

	if (err)
		return err;
	job = kpool_group_next(a->group, a->timeout);
	return job == &p[0].job ? 0 : PTR_ERR_OR_ZERO(job) ?: -ENOENT;
}

/*
 * Wait returns when the last member has ended, and what they stored is seen.
 * Fails if only those that run, or only queued items, are counted.
 */
static void wait_is_for_every_member(void)
{
	struct kpool *pool = group_make(&queued_four, 20, 0);
	struct group_waiter w;

	if (!pool)
		return;
	probes_hold(p, 20);
	if (!probes_submit(pool, p, 20) || !group_waiter_sleeps(&w, &group))
		goto out;
	probes_open(p, 19);
	KT_EXPECT(kt_wait(kt_stat(pool, completed) == 19));
	KT_EXPECT(!kt_thread_done(&w.thread));
	probes_open(&p[19], 1);
	KT_EXPECT_EQ(kt_thread_join(&w.thread), 0);
	probes_expect_ran(p, 20);
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
out:
	probes_open(p, 20);
	jobs_end(pool);
}

/*
 * Only members are waited for.
 * Fails if the group waits for its pool.
 */
static void wait_is_for_members_alone(void)
{
	struct kpool *pool = group_make(&queued_four, 3, 0);

	if (!pool)
		return;
	probes_hold(&p[3], 1);
	if (probes_submit(pool, p, 4)) {
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
		probes_expect_ran(p, 3);
		KT_EXPECT_EQ(atomic_read(&p[3].ran), 0);
	}
	probes_open(&p[3], 1);
	jobs_end(pool);
}

/* Fails if a group that has no jobs is waited for. */
static void empty_group_is_not_waited_for(void)
{
	struct kpool *pool = group_make(&queued_four, 0, KPOOL_GROUP_COLLECT);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT), 0);
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), 0);
	KT_EXPECT(!kpool_group_next(&group, MAX_SCHEDULE_TIMEOUT));
	KT_EXPECT(!kpool_group_next(&group, 0));
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
	jobs_end(pool);
}

/*
 * A wait that is over by time can be repeated.
 * Fails if the time is not taken, or the waiter is left in the group.
 */
static void wait_can_time_out_and_be_repeated(void)
{
	struct kpool *pool = group_make(&queued_four, 2, 0);
	unsigned long since = jiffies;

	if (!pool)
		return;
	probes_hold(p, 2);
	if (!probes_submit(pool, p, 2))
		goto out;
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_group_wait(&group, HZ / 50), -ETIMEDOUT);
	KT_EXPECT(time_after_eq(jiffies, since + HZ / 50));
	if (kt_exact)
		KT_EXPECT_LE(jiffies - since, HZ / 50 + HZ / 400 + 2);
	KT_EXPECT_EQ(kpool_group_wait(&group, 1), -ETIMEDOUT);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, 1), -ETIMEDOUT);
out:
	probes_open(p, 2);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), 0);
	jobs_end(pool);
}

/* Fails if one waiter takes another's wake-up. */
static void every_waiter_of_a_group_is_woken(void)
{
	struct kpool *pool = group_make(&queued_four, 6, 0);
	struct group_waiter w[4] = { };
	int i;

	if (!pool)
		return;
	probes_hold(p, 6);
	if (!probes_submit(pool, p, 6))
		goto out;
	for (i = 0; i < ARRAY_SIZE(w); i++)
		if (!group_waiter_sleeps(&w[i], &group))
			break;
	KT_EXPECT_EQ(kpool_group_wait(&group, 1), -ETIMEDOUT);
out:
	probes_open(p, 6);
	for (i = 0; i < ARRAY_SIZE(w); i++)
		if (w[i].thread.task)
			KT_EXPECT_EQ(kt_thread_join(&w[i].thread), 0);
	jobs_end(pool);
}

/*
 * The group's error is that of the member that failed first, in time, not in
 * order of submission; it is there while others still run.
 * Fails if the last, or the first submitted, is kept.
 */
static void first_error_is_kept(void)
{
	static const int order[] = { 2, 0, 3 };
	struct kpool *pool = group_make(&queued_four, 4, 0);
	int i;

	if (!pool)
		return;
	p[0].ret = -EIO;
	p[2].ret = 5;
	p[3].ret = -ENXIO;
	probes_hold(p, 4);
	if (!probes_submit(pool, p, 4))
		goto out;
	for (i = 0; i < 4; i++)
		probe_runs(&p[i]);
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
	probes_open(&p[1], 1);
	KT_EXPECT(kt_wait(kt_stat(pool, completed) == 1));
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		probes_open(&p[order[i]], 1);
		KT_EXPECT(kt_wait(kt_stat(pool, completed) == i + 2));
		KT_EXPECT_EQ(kt_stat(pool, failed), i + 1);
		KT_EXPECT_EQ(kpool_group_error(&group), 5);
	}
out:
	probes_open(p, 4);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), 5);
	jobs_end(pool);
}

/* Fails if every group is treated as one with FAIL_FAST. */
static void error_alone_cancels_nothing(void)
{
	struct kpool *pool = group_make(&queued_one, 10, 0);

	if (!pool)
		return;
	p[0].ret = -EIO;
	probes_hold(p, 1);
	if (probes_submit(pool, p, 10)) {
		probes_open(p, 1);
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
		probes_expect_ran(p, 10);
		KT_EXPECT_EQ(kpool_group_error(&group), -EIO);
		kpool_set_group(&p[11].job, &group);
		KT_EXPECT_EQ(kpool_submit(pool, &p[11].job.item), 0);
	}
	probes_open(p, 1);
	jobs_end(pool);
}

static const char *const cancellers[] = { "first_error", "call", NULL };

/* By a member's failing (0), or from an atomic context (1). */
static void cancel_group(int by_call)
{
	unsigned long flags;

	if (!by_call) {
		probes_open(p, 1);
		return;
	}
	local_irq_save(flags);
	kpool_group_cancel(&group);
	local_irq_restore(flags);
}

static void expect_group_refuses(struct kpool *pool, struct probe *one)
{
	struct kpool_item *item = &one->job.item;

	kpool_set_group(&one->job, &group);
	KT_EXPECT_EQ(kpool_submit(pool, item), -ECANCELED);
	KT_EXPECT_EQ(kpool_try_submit(pool, item), -ECANCELED);
	KT_EXPECT_EQ(kpool_submit_timeout(pool, item, HZ), -ECANCELED);
	KT_EXPECT_EQ(kpool_submit_killable(pool, item), -ECANCELED);
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &one->job, 1), -ECANCELED);
}

/*
 * Members 0 and 1 run, 2 to 5 are queued, 6 sleeps in submit, 7 is delayed,
 * when the group is cancelled.  What is pending or delayed is dropped, notified
 * once.  The blocked submitter and all later ones are refused; what runs
 * finishes and is waited for.
 * Fails if one of these places is forgotten, or one job is dropped twice.
 */
static void cancelled_group_drops_pending_jobs(int by_call)
{
	static const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 4 };
	struct kpool *pool = group_make(&attrs, 8, KPOOL_GROUP_FAIL_FAST);
	struct kt_submitter s;

	if (!pool)
		return;
	p[0].ret = by_call ? 0 : -EIO;
	probes_hold(p, 2);
	if (!probes_submit(pool, p, 6) || !probe_runs(&p[0]) ||
	    !probe_runs(&p[1]))
		goto out;
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[7].job, 3600 * HZ), 0);
	if (!kt_submitter_block(&s, pool, &p[6].job.item))
		goto out;
	cancel_group(by_call);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), -ECANCELED);
	KT_EXPECT(kt_wait(probes_dropped(p, 8) == 5));
	probes_expect_dropped(&p[2], 4, -ECANCELED);
	probes_expect_dropped(&p[7], 1, -ECANCELED);
	KT_EXPECT_EQ(kpool_group_error(&group), p[0].ret);
	KT_EXPECT_EQ(kpool_group_wait(&group, 1), -ETIMEDOUT);
	expect_group_refuses(pool, &p[8]);
out:
	probes_open(p, 2);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	probes_expect_ran(p, 2);
	KT_EXPECT_EQ(probes_ran(p, 9), 2);
	KT_EXPECT_EQ(probes_dropped(p, 9), 5);
	KT_EXPECT_EQ(kt_stat(pool, submitted), 7);
	jobs_end(pool);
}

/*
 * The run whose error cancels the group gives back the unit that a member's
 * submitter sleeps for.  Capacity has shrunk below the weight of that member:
 * the submitter is refused.
 * Fails (0, and the member is dropped) if it is admitted before the group's
 * blocked submitters are refused.
 */
static void cancelled_group_admits_no_blocked_submitter(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4 };
	struct kpool *pool = group_make(&attrs, 2, KPOOL_GROUP_FAIL_FAST);
	struct kt_submitter s = { };

	if (!pool)
		return;
	p[0].ret = -EIO;
	probes_hold(p, 1);
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 4), 0);
	if (!probes_submit(pool, p, 1) || !probe_runs(p) ||
	    !kt_submitter_block(&s, pool, &p[1].job.item))
		goto out;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_CAPACITY, 2), 0);
	KT_EXPECT_EQ(kt_stat(pool, blocked), 1);
out:
	probes_open(p, 1);
	if (s.thread.task)
		KT_EXPECT_EQ(kt_thread_join(&s.thread), -ECANCELED);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kt_stat(pool, submitted), 1);
	KT_EXPECT_EQ(probes_dropped(p, 2), 0);
	jobs_end(pool);
}

/*
 * Wait returns when the drop functions have.
 * Fails if a dropped member counts as ended before its owner was notified.
 */
static void slow_to_drop(struct kpool_item *item, int err)
{
	kt_sleep_ms(2);
	probe_dropped(item, err);
}

static void wait_includes_the_drop_functions(void)
{
	struct kpool *pool = group_make(&queued_one, 8, 0);
	int i;

	if (!pool)
		return;
	for (i = 1; i < 8; i++)
		kpool_set_drop_fn(&p[i].job.item, slow_to_drop);
	probes_hold(p, 1);
	if (probes_submit(pool, p, 8) && probe_runs(&p[0])) {
		kpool_group_cancel(&group);
		probes_open(p, 1);
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
		KT_EXPECT_EQ(probes_dropped(p, 8), 7);
	}
	probes_open(p, 1);
	jobs_end(pool);
}

/*
 * The place of a member that is dropped is free before its owner is notified.
 * Fails (the submitter waits for that owner) if no submitter is admitted then.
 */
static void dropped_at_its_gate(struct kpool_item *item, int err)
{
	kt_gate_pass(&probe_of(item)->own);
	probe_dropped(item, err);
}

static void place_of_a_dropped_member_is_free_at_once(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 1 };
	struct kpool *pool = group_make(&attrs, 0, 0);
	struct kt_submitter s = { };

	if (!pool)
		return;
	kpool_set_group(&p[1].job, &group);
	kpool_set_drop_fn(&p[1].job.item, dropped_at_its_gate);
	probes_hold(p, 1);
	if (!probes_submit(pool, p, 1) || !probe_runs(&p[0]) ||
	    !probes_submit(pool, &p[1], 1) ||
	    !kt_submitter_block(&s, pool, &p[2].job.item))
		goto out;
	kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(atomic_read(&p[1].own.started)));
	KT_EXPECT_EQ(kt_stat(pool, blocked), 0);
	KT_EXPECT_EQ(atomic_read(&p[1].dropped), 0);
out:
	probes_open(p, 2);
	if (s.thread.task)
		KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(&p[2], 1);
	jobs_end(pool);
}

/*
 * A group's cancel leaves alone what is not a member.
 * Fails if the queue is emptied by pool instead of by group.
 */
static void cancel_drops_no_other_items(void)
{
	static struct kpool_group other;
	struct kpool *pool = group_make(&queued_one, 10, 0);
	int i;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&other, pool, NULL, 0), 0);
	for (i = 1; i < 10; i += 3) {
		kpool_set_group(&p[i].job, NULL);
		kpool_set_group(&p[i + 1].job, &other);
	}
	probes_hold(p, 1);
	if (probes_submit(pool, p, 10) && probe_runs(&p[0])) {
		kpool_group_cancel(&group);
		probes_open(p, 1);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
		for (i = 1; i < 10; i += 3) {
			probes_expect_ran(&p[i], 2);
			probes_expect_dropped(&p[i + 2], 1, -ECANCELED);
		}
	}
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_group_error(&other), 0);
	jobs_end(pool);
}

/* Fails if something of the first life is left after the second init. */
static void group_can_be_used_again(void)
{
	struct kpool *pool = group_make(&queued_one, 6, KPOOL_GROUP_FAIL_FAST);
	int round;

	if (!pool)
		return;
	for (round = 0; round < 3; round++) {
		KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL,
					      KPOOL_GROUP_FAIL_FAST), 0);
		p[2].ret = round == 1 ? 0 : -EIO;
		KT_EXPECT_EQ(kpool_pause(pool), 0);
		if (!probes_submit(pool, p, 6))
			break;
		kpool_resume(pool);
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
		KT_EXPECT_EQ(kpool_group_error(&group), p[2].ret);
	}
	kpool_resume(pool);
	KT_EXPECT_EQ(probes_ran(p, 6), 3 + 6 + 3);
	KT_EXPECT_EQ(probes_dropped(p, 6), 3 + 0 + 3);
	jobs_end(pool);
}

/*
 * Each submission counts: a member can be submitted again and again, also by
 * itself; wait is for the last.
 * Fails if members are counted, instead of submissions.
 */
static int submits_itself(struct kpool_item *item)
{
	struct probe *one = probe_of(item);

	if (atomic_inc_return(&one->ran) < 10)
		KT_EXPECT_EQ(kpool_submit(one->data, item), 0);
	return one->ret;
}

static void each_submission_counts(void)
{
	struct kpool *pool = group_make(&queued_two, 0, 0);
	int i;

	if (!pool)
		return;
	probes_init(p, 3, submits_itself);
	for (i = 0; i < 3; i++) {
		p[i].data = pool;
		kpool_set_group(&p[i].job, &group);
	}
	if (probes_submit(pool, p, 3)) {
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
		KT_EXPECT_EQ(probes_ran(p, 3), 30);
	}
	jobs_end(pool);
}

/*
 * A member that is pending again while it runs is dropped when that run is
 * over, not before, and its run counts.
 * Fails if it is dropped while it runs, or its next run is lost.
 */
static void cancel_drops_the_next_run_of_a_running_member(void)
{
	struct kpool *pool = group_make(&queued_two, 1, 0);

	if (!pool)
		return;
	probes_hold(p, 1);
	if (!probes_submit(pool, p, 1) || !probe_runs(p))
		goto out;
	KT_EXPECT_EQ(kpool_submit(pool, &p->job.item), 0);
	kpool_group_cancel(&group);
	KT_EXPECT_EQ(kpool_group_wait(&group, 2), -ETIMEDOUT);
	KT_EXPECT_EQ(atomic_read(&p->dropped), 0);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&p->ran), 1);
	KT_EXPECT_EQ(atomic_read(&p->dropped), 1);
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
out:
	probes_open(p, 1);
	jobs_end(pool);
}

/*
 * The owner of a member that expired can submit it again at once; the wait is
 * for that submission too.
 * Fails if the group is completed between the two.
 */
static void dropped_submits(struct kpool_item *item, int err)
{
	struct probe *one = probe_of(item);

	probe_dropped(item, err);
	kpool_set_deadline(&one->job, 0);
	KT_EXPECT_EQ(kpool_try_submit(one->data, item), 0);
}

static void member_may_be_submitted_again_when_dropped(void)
{
	struct kpool *pool = group_make(&queued_one, 3, 0);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 3; i++) {
		kpool_set_drop_fn(&p[i].job.item, dropped_submits);
		kpool_set_deadline(&p[i].job, the_past());
		p[i].data = pool;
	}
	probes_submit(pool, p, 3);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(probes_dropped(p, 3), 3);
	KT_EXPECT_EQ(probes_ran(p, 3), 3);
	KT_EXPECT_EQ(kpool_group_error(&group), -ETIME);
	jobs_end(pool);
}

/*
 * A member that submits itself while its group has been cancelled is refused.
 * Fails if what is accepted from inside a member is not examined.
 */
static void cancel_ends_self_submission(void)
{
	struct kpool *pool = group_make(&queued_one, 0, 0);

	if (!pool)
		return;
	refused_itself = 0;
	probe_init(p, submits_itself_until_refused, 0);
	p->data = pool;
	kpool_set_group(&p->job, &group);
	if (probes_submit(pool, p, 1) && probe_ran(p)) {
		kpool_group_cancel(&group);
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
		KT_EXPECT(refused_itself == -ECANCELED ||
			  atomic_read(&p->dropped) == 1);
	}
	jobs_end(pool);
}

/*
 * Members that submit members: wait returns when the whole tree has run.
 * Fails if those that were accepted after the wait had begun are forgotten.
 */
struct leaf {
	struct kpool_job	job;
	struct kpool		*pool;
	int			depth;
};

static atomic_t leaves;

static int leaf_fn(struct kpool_item *item);

static void leaf_plant(struct kpool *pool, int depth)
{
	struct leaf *leaf = kzalloc_obj(*leaf, GFP_KERNEL);

	if (!KT_EXPECT(leaf))
		return;
	kpool_init_job(&leaf->job, leaf_fn);
	kpool_set_group(&leaf->job, &group);
	leaf->pool = pool;
	leaf->depth = depth;
	if (!KT_EXPECT_EQ(kpool_submit(pool, &leaf->job.item), 0))
		kfree(leaf);
}

static int leaf_fn(struct kpool_item *item)
{
	struct leaf *leaf = container_of(item, struct leaf, job.item);
	int i;

	for (i = 0; i < 2 && leaf->depth > 1; i++)
		leaf_plant(leaf->pool, leaf->depth - 1);
	kfree(leaf);
	atomic_inc(&leaves);
	return 0;
}

static void members_may_submit_members(void)
{
	struct kpool *pool = group_make(&queued_four, 0, 0);
	int round;

	if (!pool)
		return;
	for (round = 0; round < 20; round++) {
		atomic_set(&leaves, 0);
		leaf_plant(pool, 7);
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
		KT_EXPECT_EQ(atomic_read(&leaves), 127);
	}
	jobs_end(pool);
}

/*
 * A member that is not to be collected can free itself in its function, or when
 * it is dropped; its error is kept.
 * Fails (KASAN) if the group touches a member after its function.
 */
static int frees_itself(struct kpool_item *item)
{
	int ret = probe_of(item)->ret;

	kfree(probe_of(item));
	return ret;
}

static void dropped_frees_itself(struct kpool_item *item, int err)
{
	kfree(probe_of(item));
}

static bool submit_mortal(struct kpool *pool, int ret)
{
	struct probe *one = kzalloc_obj(*one, GFP_KERNEL);

	if (!KT_EXPECT(one))
		return false;
	probe_init(one, frees_itself, 0);
	kpool_set_drop_fn(&one->job.item, dropped_frees_itself);
	kpool_set_group(&one->job, &group);
	one->ret = ret;
	if (KT_EXPECT_EQ(kpool_submit(pool, &one->job.item), 0))
		return true;
	kfree(one);
	return false;
}

static void member_may_free_itself(void)
{
	struct kpool *pool = group_make(&queued_one, 1, KPOOL_GROUP_FAIL_FAST);
	int i;

	if (!pool)
		return;
	probes_hold(p, 1);
	if (!probes_submit(pool, p, 1))
		goto out;
	for (i = 0; i < 20; i++)
		if (!submit_mortal(pool, i < 10 ? 0 : -EIO))
			break;
out:
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), -EIO);
	KT_EXPECT_EQ(kt_stat(pool, completed), 12);
	KT_EXPECT_EQ(kt_stat(pool, dropped), 9);
	jobs_end(pool);
}

/*
 * A member taken back has not failed, and is not waited for.
 * Fails if cancel forgets the group, or counts as an error.
 */
static void cancelled_member_is_no_error(void)
{
	struct kpool *pool = group_make(&queued_one, 6, KPOOL_GROUP_FAIL_FAST);
	struct group_waiter w;

	if (!pool)
		return;
	probes_hold(p, 1);
	if (!probes_submit(pool, p, 5) || !probe_runs(p))
		goto out;
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[5].job, 3600 * HZ), 0);
	KT_EXPECT(kpool_cancel(&p[1].job.item));
	KT_EXPECT_EQ(kpool_cancel_sync(&p[2].job.item), 1);
	KT_EXPECT_EQ(kpool_disable(&p[3].job.item), 1);
	KT_EXPECT(kpool_cancel(&p[5].job.item));
	KT_EXPECT(!kpool_cancel(&p[0].job.item));
	if (!group_waiter_sleeps(&w, &group))
		goto out;
	KT_EXPECT(kpool_cancel(&p[4].job.item));
	KT_EXPECT(!kt_thread_done(&w.thread));
	probes_open(p, 1);
	KT_EXPECT_EQ(kt_thread_join(&w.thread), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
out:
	probes_open(p, 1);
	KT_EXPECT_EQ(probes_dropped(p, 6), 0);
	KT_EXPECT_EQ(probes_ran(p, 6), 1);
	jobs_end(pool);
}

/*
 * The last member can be taken back while it is waited for.
 * Fails (hangs) if cancel completes no waiter.
 */
static void cancel_of_the_last_member_ends_the_wait(void)
{
	struct kpool *pool = group_make(&queued_one, 1, 0);
	struct group_waiter w;

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	if (probes_submit(pool, p, 1) && group_waiter_sleeps(&w, &group)) {
		KT_EXPECT(kpool_cancel(&p->job.item));
		KT_EXPECT_EQ(kt_thread_join(&w.thread), 0);
	}
	kpool_resume(pool);
	jobs_end(pool);
}

/*
 * A member that was not accepted is not waited for, and is no error.
 * Fails if a member is counted before it is accepted, and not uncounted.
 */
static void refused_member_is_not_waited_for(void)
{
	static const struct kpool_attrs one = { .capacity = 1 };
	static struct full f;
	struct kt_submitter s;

	if (!full_make(&f, &one))
		goto out;
	KT_EXPECT_EQ(kpool_init_group(&group, f.pool, NULL, 0), 0);
	probe_init(p, probe_fn, 0);
	kpool_set_group(&p->job, &group);
	KT_EXPECT_EQ(probe_try(f.pool, p), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_timeout(f.pool, &p->job.item, 1), -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), 0);
	if (!kt_submitter_block(&s, f.pool, &p->job.item))
		goto out;
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), 0);
	KT_EXPECT(!kpool_cancel(&p->job.item));
	KT_EXPECT_EQ(kt_thread_join(&s.thread), -ECANCELED);
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
	KT_EXPECT_EQ(atomic_read(&p->ran), 0);
out:
	full_end(&f);
}

/*
 * Abort ends pending members, which have failed then.
 * Fails if the drop does not reach the group.
 */
static void abort_ends_a_group(void)
{
	struct kpool *pool = group_make(&queued_one, 7, 0);
	struct group_waiter w;

	if (!pool)
		return;
	probes_hold(p, 1);
	if (!probes_submit(pool, p, 6) || !probe_runs(p))
		goto out;
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[6].job, 3600 * HZ), 0);
	if (!group_waiter_sleeps(&w, &group))
		goto out;
	kpool_abort(pool);
	KT_EXPECT_EQ(kpool_group_error(&group), -ECANCELED);
	KT_EXPECT(!kt_thread_done(&w.thread));
	probes_open(p, 1);
	KT_EXPECT_EQ(kt_thread_join(&w.thread), 0);
	probes_expect_dropped(&p[1], 5, -ECANCELED);
	KT_EXPECT_EQ(atomic_read(&p[6].dropped), 1);
out:
	probes_open(p, 1);
	jobs_end(pool);
}

/*
 * A member is dropped with its group, and the pool is aborted before its drop
 * function has returned: it has not failed.
 * Fails (-ECANCELED) if it counts as dropped by the abort.
 */
static void abort_does_not_fail_a_cancelled_group(void)
{
	struct kpool *pool = group_make(&queued_one, 0, 0);

	if (!pool)
		return;
	kpool_set_group(&p[1].job, &group);
	kpool_set_drop_fn(&p[1].job.item, dropped_at_its_gate);
	probes_hold(p, 1);
	if (!probes_submit(pool, p, 2) || !probe_runs(p))
		goto out;
	kpool_group_cancel(&group);
	probe_runs(&p[1]);
	KT_EXPECT_EQ(kpool_abort(pool), 0);
	probes_open(&p[1], 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
out:
	probes_open(p, 2);
	jobs_end(pool);
}

/*
 * Shutdown ends delayed members, with -ESHUTDOWN; the others still run.
 * Fails if a delayed member is forgotten, or the error with it.
 */
static void shutdown_ends_delayed_members(void)
{
	struct kpool *pool = group_make(&queued_one, 4, 0);

	if (!pool)
		return;
	probes_hold(p, 1);
	if (!probes_submit(pool, p, 3) || !probe_runs(p))
		goto out;
	KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[3].job, 3600 * HZ), 0);
	kpool_shutdown(pool);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), -ESHUTDOWN);
	probes_expect_ran(p, 3);
	probes_expect_dropped(&p[3], 1, -ESHUTDOWN);
out:
	probes_open(p, 1);
	jobs_end(pool);
}

/*
 * A group with many jobs is cancelled just before its pool is shut down, where
 * interrupts are off: their sweep is not over.
 * Fails (-ESHUTDOWN, an error of the group) if the shutdown's drops come before
 * the group: mutant shutdown-before-cancelled.
 */
static void cancelled_members_are_dropped_with_their_group(void)
{
	struct kpool *pool = group_make(&queued_one, 40, 0);
	unsigned long flags;
	int i;

	if (!pool)
		return;
	for (i = 0; i < 40; i++)
		KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[i].job, 3600 * HZ),
			     0);
	local_irq_save(flags);
	kpool_group_cancel(&group);
	kpool_shutdown(pool);
	local_irq_restore(flags);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	probes_expect_dropped(p, 40, -ECANCELED);
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
	jobs_end(pool);
}

static atomic_t nr_slow_drops;

static void drops_slowly(struct kpool_item *item, int err)
{
	kt_sleep_ms(5);
	KT_EXPECT_EQ(err, -ECANCELED);
	atomic_inc(&nr_slow_drops);
}

/*
 * The first job that kpool_abort() drops cancels its group, also for jobs that
 * come later.
 * Fails (2, and too few are dropped) if the others are left to the drop work:
 * mutant abort-leaves-the-cancelled; (0) if later ones are accepted: mutant
 * abort-forgets-to-cancel.
 */
static void abort_drops_the_group_that_it_fails(void)
{
	struct kpool *pool = group_make(&queued_one, 8, KPOOL_GROUP_FAIL_FAST);
	int i;

	if (!pool)
		return;
	atomic_set(&nr_slow_drops, 0);
	for (i = 0; i < 8; i++)
		kpool_set_drop_fn(&p[i].job.item, drops_slowly);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 8);
	KT_EXPECT_EQ(kpool_abort(pool), 8);
	KT_EXPECT_EQ(atomic_read(&nr_slow_drops), 8);
	KT_EXPECT_EQ(kpool_group_error(&group), -ECANCELED);
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p[0].job.item), -ECANCELED);
	jobs_end(pool);
}

/* Fails if a drop by deadline does not fail the group, or not fast. */
static void expired_member_is_an_error(void)
{
	struct kpool *pool = group_make(&queued_one, 5, KPOOL_GROUP_FAIL_FAST);

	if (!pool)
		return;
	kpool_set_deadline(&p[1].job, the_past());
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	if (probes_submit(pool, p, 5)) {
		kpool_resume(pool);
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
		KT_EXPECT_EQ(kpool_group_error(&group), -ETIME);
		probes_expect_ran(p, 1);
		probes_expect_dropped(&p[1], 1, -ETIME);
		KT_EXPECT_EQ(probes_ran(p, 5) + probes_dropped(p, 5), 5);
	}
	kpool_resume(pool);
	jobs_end(pool);
}

static void dropped_in_turn(struct kpool_item *item, int err)
{
	kt_gate_pass(probe_of(item)->data);
	probe_dropped(item, err);
}

/*
 * A job is late, and its group is cancelled before its drop function is called.
 * Fails if it counts as dropped with its group.
 */
static void late_job_fails_a_group_that_is_cancelled_then(void)
{
	struct kpool *pool = group_make(&queued_one, 1, 0);
	struct kt_gate turn;
	int i;

	if (!pool)
		return;
	kt_gate_init(&turn);
	p[1].data = &turn;
	kpool_set_drop_fn(&p[1].job.item, dropped_in_turn);
	for (i = 0; i < 2; i++)
		kpool_set_deadline(&p[i].job, the_past());
	/* the drop work is in p[1]'s function when p[2] starts behind p[0] */
	if (probes_submit(pool, &p[1], 1) &&
	    KT_EXPECT(kt_wait(atomic_read(&turn.started))) &&
	    probes_submit(pool, p, 1) && probes_submit(pool, &p[2], 1) &&
	    probe_ran(&p[2])) {
		kpool_group_cancel(&group);
		kt_gate_open(&turn);
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
		probes_expect_dropped(p, 1, -ETIME);
		KT_EXPECT_EQ(kpool_group_error(&group), -ETIME);
	}
	kt_gate_open(&turn);
	jobs_end(pool);
}

static int cancels_the_group(struct kpool_item *item)
{
	int ret = probe_fn(item);

	kpool_group_cancel(&group);
	return ret;
}

/*
 * An item that runs before many jobs of a group, all past their deadline,
 * cancels it.  With one CPU its worker, which has a higher priority, goes on to
 * them before the drop work has dropped all.
 * Fails (-ETIME, an error of the group) if the deadline decides, and not the
 * group.
 */
static void late_members_are_dropped_with_their_group(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
		.policy = KPOOL_POLICY_FIFO,
	};
	struct kpool *pool = group_make(&attrs, 40, 0);
	int i;

	if (!pool)
		return;
	kpool_init_item(&p[40].job.item, cancels_the_group);
	probes_hold(&p[40], 1);
	for (i = 0; i < 40; i++)
		kpool_set_deadline(&p[i].job, the_past());
	if (probes_submit(pool, &p[40], 1) && probe_runs(&p[40]))
		probes_submit(pool, p, 40);
	probes_open(&p[40], 1);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	probes_expect_dropped(p, 40, -ECANCELED);
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
	KT_EXPECT_EQ(kt_stat(pool, expired), 0);
	jobs_end(pool);
}

#define WAITERS	20

static int hogs_when_cued(struct kpool_item *item)
{
	int ret = probe_fn(item);

	mdelay(200);
	return ret;
}

static int waits_100ms(void *arg)
{
	return kpool_group_wait(&group, msecs_to_jiffies(100));
}

/*
 * The last job of a group keeps its waiters off the only CPU when their time is
 * over, and ends before they come.
 * Fails (-ETIMEDOUT, though no job is left) if one that has not been completed
 * has timed out: mutant ended-wait-times-out.
 */
static void wait_that_has_ended_does_not_time_out(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .policy = KPOOL_POLICY_FIFO,
	};
	static struct kt_thread waiters[WAITERS];
	struct kpool *pool;
	int i;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	pool = group_make(&attrs, 1, 0);
	if (!pool)
		return;
	p[0].job.item.fn = hogs_when_cued;
	probes_hold(p, 1);
	probes_submit(pool, p, 1);
	probe_runs(p);
	for (i = 0; i < WAITERS; i++)
		if (kt_thread_start(&waiters[i], waits_100ms, NULL))
			kt_thread_asleep(&waiters[i]);
	probes_open(p, 1);
	for (i = 0; i < WAITERS; i++)
		KT_EXPECT_EQ(kt_thread_join(&waiters[i]), 0);
	jobs_end(pool);
}

/* Fails if members whose delay has not ended are not waited for. */
static void delayed_members_are_waited_for(void)
{
	struct kpool *pool = group_make(&queued_four, 4, 0);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(kpool_submit_delayed(pool, &p[i].job, i * 2), 0);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	probes_expect_ran(p, 4);
	jobs_end(pool);
}

/* Arguments that do not fit */

/* Fails if a wrong pool is noticed too late, or something was changed. */
static void other_pools_are_refused(void)
{
	static struct kpool_group child;
	struct kpool *other, *pool = group_make(&queued_one, 1, 0);

	if (!pool)
		return;
	other = kt_pool("other", &queued_one);
	if (other) {
		KT_EXPECT_EQ(kpool_init_group(&child, other, &group, 0), -EINVAL);
		KT_EXPECT_EQ(kpool_submit(other, &p->job.item), -EINVAL);
		KT_EXPECT_EQ(probe_try(other, p), -EINVAL);
		KT_EXPECT_EQ(kpool_submit_delayed(other, &p->job, 1), -EINVAL);
		KT_EXPECT_EQ(kt_stat(other, submitted), 0);
		KT_EXPECT_EQ(kpool_group_wait(&group, 0), 0);
		KT_EXPECT_EQ(kpool_submit(pool, &p->job.item), 0);
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
		probes_expect_ran(p, 1);
	}
	jobs_end(other);
	jobs_end(pool);
}

/* Fails if flags that mean nothing are taken. */
static void unknown_flags_are_refused(void)
{
	static struct kpool_group child;
	struct kpool *pool = group_make(&queued_one, 0, 0);
	unsigned int flag;

	if (!pool)
		return;
	for (flag = KPOOL_GROUP_COLLECT << 1; flag; flag <<= 1)
		KT_EXPECT_EQ(kpool_init_group(&child, pool, NULL, flag), -EINVAL);
	KT_EXPECT_EQ(kpool_init_group(&child, pool, NULL,
				      KPOOL_GROUP_COLLECT |
				      KPOOL_GROUP_FAIL_FAST), 0);
	jobs_end(pool);
}

/* Waiting from inside the pool */

/*
 * While another item runs, no waiter is refused for the reason that all sleep.
 */
static void keep_running(struct kpool *pool)
{
	probes_hold(&p[63], 1);
	probes_submit(pool, &p[63], 1);
	probe_runs(&p[63]);
}

static void end_running(void)
{
	probes_open(&p[63], 1);
	KT_EXPECT_EQ(kpool_flush_item(&p[63].job.item), 0);
}

/* Fails (waits for long) if a member waits for itself. */
static void member_cannot_wait_for_its_group(void)
{
	struct kpool *pool = group_make(&queued_four, 1, KPOOL_GROUP_COLLECT);

	if (!pool)
		return;
	keep_running(pool);
	caller_init(&callers[0], pool, &group, caller_waits);
	caller_init(&callers[1], pool, &group, caller_collects);
	kpool_set_group(&callers[0].probe.job, &group);
	kpool_set_group(&callers[1].probe.job, &group);
	if (caller_start(&callers[0]))
		caller_expect(&callers[0], -EDEADLK);
	KT_EXPECT(kpool_group_next(&group, KT_LIMIT) == &callers[0].probe.job);
	if (caller_start(&callers[1]))
		caller_expect(&callers[1], -EDEADLK);
	KT_EXPECT(kpool_group_next(&group, KT_LIMIT) == &callers[1].probe.job);
	end_running();
	jobs_end(pool);
}

static int waits_for_the_group(struct kpool_item *item)
{
	callers[1].got = kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT);
	return probe_fn(item);
}

static int caller_runs_another(struct caller_item *a)
{
	return kpool_submit(a->pool, &p[1].job.item);
}

/*
 * Nor does it from an item that it runs as a submitter.
 * Fails (waits for long) if only the innermost item is looked at: mutant
 * group-waits-for-its-outer-job.
 */
static void member_cannot_wait_for_its_group_in_another_item(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 2, .when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kpool *pool = group_make(&attrs, 0, 0);

	if (!pool)
		return;
	keep_running(pool);
	caller_init(&callers[0], pool, &group, caller_runs_another);
	kpool_set_group(&callers[0].probe.job, &group);
	p[1].job.item.fn = waits_for_the_group;
	callers[1].got = 1;
	if (caller_start(&callers[0])) {
		KT_EXPECT(kt_wait_prompt(READ_ONCE(callers[0].returned)));
		/* so that a failure does not hang */
		probes_open(&p[63], 1);
		caller_expect(&callers[0], 0);
	}
	KT_EXPECT_EQ(callers[1].got, -EDEADLK);
	KT_EXPECT_EQ(kt_stat(pool, caller_ran), 1);
	end_running();
	jobs_end(pool);
}

/* Fails (waits for long) if a job of a child is not one of the parent's. */
static void childs_member_cannot_wait_for_the_parent(void)
{
	static struct kpool_group child;
	struct kpool *pool = group_make(&queued_four, 0, 0);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&child, pool, &group, 0), 0);
	keep_running(pool);
	caller_init(&callers[0], pool, &group, caller_waits);
	kpool_set_group(&callers[0].probe.job, &child);
	if (caller_start(&callers[0]))
		caller_expect(&callers[0], -EDEADLK);
	end_running();
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	jobs_end(pool);
}

/* Fails if a member can wait for no group at all. */
static void parents_member_may_wait_for_the_child(void)
{
	static struct kpool_group child;
	struct kpool *pool = group_make(&queued_two, 0, 0);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&child, pool, &group, 0), 0);
	kpool_set_group(&p[0].job, &child);
	caller_init(&callers[0], pool, &child, caller_submits_and_waits);
	kpool_set_group(&callers[0].probe.job, &group);
	if (caller_start(&callers[0]))
		caller_expect(&callers[0], 0);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	probes_expect_ran(p, 1);
	jobs_end(pool);
}

static const char *const ways_to_wait[] = { "wait", "next", NULL };

static int (*const caller_calls[])(struct caller_item *a) = {
	caller_submits_and_waits, caller_submits_and_collects,
};

/*
 * An item that is no member can wait for the group, while there is a unit for
 * the members.
 * Fails if every wait from inside the pool is refused.
 */
static void item_may_wait_where_units_are_free(int way)
{
	struct kpool *pool = group_make(&queued_two, 1, KPOOL_GROUP_COLLECT);

	if (!pool)
		return;
	caller_init(&callers[0], pool, &group, caller_calls[way]);
	if (caller_start(&callers[0]))
		caller_expect(&callers[0], 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, 1);
	jobs_end(pool);
}

/*
 * On a full pool such a wait could never end.
 * Fails (hangs) if a waiter in a group is not counted as one that sleeps inside
 * an item.
 */
static void deadlock_on_a_full_pool_is_refused(int way)
{
	struct kpool *pool = group_make(&queued_one, 1, KPOOL_GROUP_COLLECT);

	if (!pool)
		return;
	caller_init(&callers[0], pool, &group, caller_calls[way]);
	if (caller_start(&callers[0]))
		caller_expect(&callers[0], -EDEADLK);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, 1);
	jobs_end(pool);
}

static int caller_delays_and_waits(struct caller_item *a)
{
	return kpool_submit_delayed(a->pool, &p[0].job, 3) ?:
	       kpool_group_wait(a->group, a->timeout);
}

/* Fails if a member still to come due is taken for one that never ends. */
static void item_may_wait_for_a_delayed_member(void)
{
	struct kpool *pool = group_make(&queued_two, 1, 0);

	if (!pool)
		return;
	caller_init(&callers[0], pool, &group, caller_delays_and_waits);
	if (caller_start(&callers[0]))
		caller_expect(&callers[0], 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, 1);
	jobs_end(pool);
}

/*
 * A member that no unit is free for ends all the same when its group is
 * cancelled, here by the other one's error.  To wait for that is no deadlock.
 * Fails if what is still to be dropped is taken for what never ends.
 */
static void item_may_wait_for_a_dropping_member(void)
{
	struct kpool *pool = group_make(&queued_two, 2, KPOOL_GROUP_FAIL_FAST);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_set_weight(&p[1].job.item, 2), 0);
	p[0].ret = -ENXIO;
	probes_hold(p, 1);
	caller_init(&callers[0], pool, &group, caller_waits);
	if (!probes_submit(pool, p, 1) || !probe_runs(&p[0]) ||
	    !caller_start(&callers[0]))
		goto out;
	caller_sleeps(&callers[0]);
	probes_submit(pool, &p[1], 1);
	probes_open(p, 1);
	caller_expect(&callers[0], 0);
	probes_expect_dropped(&p[1], 1, -ECANCELED);
out:
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), -ENXIO);
	jobs_end(pool);
}

/* Fails if a wait that ends by itself is taken for a deadlock. */
static void timed_wait_on_a_full_pool_is_no_deadlock(int way)
{
	struct kpool *pool = group_make(&queued_one, 1, KPOOL_GROUP_COLLECT);

	if (!pool)
		return;
	caller_init(&callers[0], pool, &group, caller_calls[way]);
	callers[0].timeout = HZ / 50;
	if (caller_start(&callers[0]))
		caller_expect(&callers[0], -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_ran(p, 1);
	jobs_end(pool);
}

/*
 * Two items that wait for each other's group: the second is refused, and the
 * first goes on when that one ends.
 * Fails (hangs) if waiters for groups are not seen to be all blocked.
 */
static void cycle_of_groups_is_refused(void)
{
	static struct kpool_group other;
	struct kpool *pool = group_make(&queued_two, 0, 0);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_init_group(&other, pool, NULL, 0), 0);
	probe_init(p, probe_fn, 0);
	probes_hold(p, 1);
	kpool_set_group(&p->job, &other);
	caller_init(&callers[0], pool, &other, caller_waits);
	caller_init(&callers[1], pool, &group, caller_waits);
	kpool_set_group(&callers[0].probe.job, &group);
	kpool_set_group(&callers[1].probe.job, &other);
	if (!probes_submit(pool, p, 1) || !caller_start(&callers[0]))
		goto out;
	probe_runs(p);
	caller_sleeps(&callers[0]);
	if (!caller_start(&callers[1]))
		goto out;
	probes_open(p, 1);
	caller_expect(&callers[1], -EDEADLK);
	caller_expect(&callers[0], 0);
out:
	probes_open(p, 1);
	jobs_end(pool);
}

/* Fails if a drop function can wait for what waits for it. */
static int dropped_got;

static void dropped_waits(struct kpool_item *item, int err)
{
	probe_dropped(item, err);
	dropped_got = kpool_group_wait(&group, HZ);
}

static void drop_function_cannot_wait_for_the_group(void)
{
	struct kpool *pool = group_make(&queued_one, 1, 0);

	if (!pool)
		return;
	dropped_got = 0;
	kpool_set_drop_fn(&p->job.item, dropped_waits);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	if (probes_submit(pool, p, 1)) {
		kpool_group_cancel(&group);
		KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
		KT_EXPECT_EQ(atomic_read(&p->dropped), 1);
		KT_EXPECT_EQ(dropped_got, -EDEADLK);
	}
	kpool_resume(pool);
	jobs_end(pool);
}

/* Lifetime and load */

/*
 * A group that was cancelled can be freed as soon as its jobs have ended, also
 * before the drop work has come to them.
 * Fails (KASAN, oops) if it stays on a list of the pool.
 */
static void cancelled_group_may_be_freed_before_the_drop_work(void)
{
	struct kpool *pool = group_make(&queued_two, 0, 0);
	struct kpool_group *here = kmalloc_obj(*here, GFP_KERNEL);

	if (!pool || !KT_EXPECT(here))
		goto out;
	KT_EXPECT_EQ(kpool_init_group(here, pool, NULL, 0), 0);
	kpool_set_deadline(&p[0].job, the_past());
	kpool_set_drop_fn(&p[0].job.item, dropped_at_its_gate);
	kpool_set_group(&p[1].job, here);
	probes_hold(&p[1], 1);
	probes_submit(pool, p, 2);
	KT_EXPECT(kt_wait(atomic_read(&p[0].own.started)));
	probe_runs(&p[1]);
	kpool_group_cancel(here);
	probes_open(&p[1], 1);
	KT_EXPECT_EQ(kpool_group_wait(here, MAX_SCHEDULE_TIMEOUT), 0);
	poison(here, sizeof(*here));
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	probes_expect_dropped(p, 1, -ETIME);
out:
	jobs_end(pool);
	kfree(here);
}

/*
 * A group can be freed as soon as wait has returned 0.
 * Fails (KASAN) if the end of the last job looks at the group afterwards.
 */
static noinline_for_stack void group_on_the_stack(struct kpool *pool)
{
	struct kpool_group here;
	int i;

	KT_EXPECT_EQ(kpool_init_group(&here, pool, NULL, 0), 0);
	for (i = 0; i < 3; i++)
		kpool_set_group(&p[i].job, &here);
	if (probes_submit(pool, p, 3))
		KT_EXPECT_EQ(kpool_group_wait(&here, KT_LIMIT), 0);
	poison(&here, sizeof(here));
	barrier_data(&here);
}

static void group_on_the_heap(struct kpool *pool)
{
	struct kpool_group *here = kmalloc_obj(*here, GFP_KERNEL);
	int i;

	if (!KT_EXPECT(here))
		return;
	KT_EXPECT_EQ(kpool_init_group(here, pool, NULL, 0), 0);
	for (i = 0; i < 3; i++)
		kpool_set_group(&p[i].job, here);
	if (probes_submit(pool, p, 3))
		KT_EXPECT_EQ(kpool_group_wait(here, KT_LIMIT), 0);
	poison(here, sizeof(*here));
	kfree(here);
}

static void group_may_be_freed_after_wait(void)
{
	struct kpool *pool = group_make(&queued_four, 0, 0);
	int i, n = kt_count(3000);

	if (!pool)
		return;
	for (i = 0; i < n; i++) {
		group_on_the_stack(pool);
		group_on_the_heap(pool);
	}
	KT_EXPECT_EQ(probes_ran(p, 3), 6 * n);
	jobs_end(pool);
}

/*
 * Several threads, each with groups of its own in one pool, that fail, are
 * cancelled, and have single members taken back, at random.  Each submission
 * ends once, and wait returns when the last has.
 * Fails if a job is lost between the queue, the group and its drop work.
 */
#define STORM_THREADS	4
#define STORM_JOBS	24

struct storm {
	struct kt_thread	thread;
	struct kpool		*pool;
	struct kpool_group	group;
	struct probe		p[STORM_JOBS];
	struct rnd_state	rnd;
	bool			cancelled;
	int			accepted;
	int			taken_back;
};

static u32 storm_random(struct storm *s, u32 sides)
{
	return prandom_u32_state(&s->rnd) % sides;
}

static void storm_submit(struct storm *s, struct probe *one)
{
	struct kpool_item *item = &one->job.item;
	int err;

	kpool_set_group(&one->job, &s->group);
	one->ret = storm_random(s, 40) ? 0 : -EIO;
	switch (storm_random(s, 4)) {
	case 0:
		err = kpool_submit_delayed(s->pool, &one->job,
					   storm_random(s, 3));
		break;
	case 1:
		err = kpool_try_submit(s->pool, item);
		break;
	default:
		err = kpool_submit(s->pool, item);
		break;
	}
	if (!err)
		s->accepted++;
	else if (err != -EAGAIN)
		KT_EXPECT_EQ(err, -ECANCELED);
}

static void storm_step(struct storm *s)
{
	int i;

	for (i = 0; i < STORM_JOBS; i++)
		storm_submit(s, &s->p[i]);
	for (i = storm_random(s, 6); i; i--)
		s->taken_back += kpool_cancel(&s->p[storm_random(s, STORM_JOBS)]
					      .job.item);
	s->cancelled = !storm_random(s, 3);
	if (s->cancelled)
		kpool_group_cancel(&s->group);
	KT_EXPECT_EQ(kpool_group_wait(&s->group, KT_LIMIT), 0);
}

/* After each round the counters of the thread must be right. */
static void storm_check(struct storm *s)
{
	int ran = probes_ran(s->p, STORM_JOBS);
	int dropped = probes_dropped(s->p, STORM_JOBS);
	int error = kpool_group_error(&s->group);

	KT_EXPECT_EQ(ran + dropped + s->taken_back, s->accepted);
	KT_EXPECT(!error || error == -EIO);
	if (!error && !s->cancelled)
		KT_EXPECT_EQ(dropped, 0);
}

static int storm_main(void *arg)
{
	struct storm *s = arg;
	int round, n = kt_count(400);

	for (round = 0; round < n; round++) {
		s->accepted = 0;
		s->taken_back = 0;
		KT_EXPECT_EQ(kpool_init_group(&s->group, s->pool, NULL,
					      storm_random(s, 2) ?
					      KPOOL_GROUP_FAIL_FAST : 0), 0);
		probes_init(s->p, STORM_JOBS, probe_fn);
		storm_step(s);
		storm_check(s);
	}
	return 0;
}

static void storm_of_groups_loses_nothing(void)
{
	static const struct kpool_attrs attrs = { .capacity = 3, .queue_depth = 20 };
	struct storm *s = kvcalloc(STORM_THREADS, sizeof(*s), GFP_KERNEL);
	struct kpool *pool = kt_pool("storm", &attrs);
	int i;

	if (!KT_EXPECT(s) || !pool)
		goto out;
	for (i = 0; i < STORM_THREADS; i++) {
		s[i].pool = pool;
		prandom_seed_state(&s[i].rnd, i + 1);
		kt_thread_start(&s[i].thread, storm_main, &s[i]);
	}
	for (i = 0; i < STORM_THREADS; i++)
		kt_thread_join(&s[i].thread);
out:
	jobs_end(pool);
	kvfree(s);
}

/*
 * A group in memory that was something else before.
 * Fails (oopses, or hangs) if a field is left as it was.
 */
static void init_sets_every_field(void)
{
	struct kpool *pool = group_make(&queued_two, 2, 0);
	static struct kpool_group child;

	if (!pool)
		return;
	memset(&group, 0x5a, sizeof(group));
	memset(&child, 0x5a, sizeof(child));
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, 0), 0);
	KT_EXPECT_EQ(kpool_init_group(&child, pool, &group, 0), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), 0);
	KT_EXPECT_EQ(kpool_group_error(&child), 0);
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), 0);
	KT_EXPECT_EQ(kpool_group_wait(&child, 0), 0);
	kpool_set_group(&p[1].job, &child);
	p[1].ret = -EIO;
	probes_submit(pool, p, 2);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(kpool_group_error(&group), -EIO);
	KT_EXPECT_EQ(kpool_group_error(&child), -EIO);
	probes_expect_ran(p, 2);
	jobs_end(pool);
}

KT_MODULE("kpool selftest: groups",
	  KT_CASE(wait_is_for_every_member),
	  KT_CASE(wait_is_for_members_alone),
	  KT_CASE(empty_group_is_not_waited_for),
	  KT_CASE(wait_can_time_out_and_be_repeated),
	  KT_CASE(wait_that_has_ended_does_not_time_out),
	  KT_CASE(every_waiter_of_a_group_is_woken),
	  KT_CASE(first_error_is_kept),
	  KT_CASE(error_alone_cancels_nothing),
	  KT_EACH(cancelled_group_drops_pending_jobs, cancellers),
	  KT_CASE(cancelled_group_admits_no_blocked_submitter),
	  KT_CASE(wait_includes_the_drop_functions),
	  KT_CASE(place_of_a_dropped_member_is_free_at_once),
	  KT_CASE(cancel_drops_no_other_items),
	  KT_CASE(group_can_be_used_again),
	  KT_CASE(each_submission_counts),
	  KT_CASE(cancel_drops_the_next_run_of_a_running_member),
	  KT_CASE(member_may_be_submitted_again_when_dropped),
	  KT_CASE(cancel_ends_self_submission),
	  KT_CASE(members_may_submit_members),
	  KT_CASE(member_may_free_itself),
	  KT_CASE(cancelled_member_is_no_error),
	  KT_CASE(cancel_of_the_last_member_ends_the_wait),
	  KT_CASE(refused_member_is_not_waited_for),
	  KT_CASE(abort_ends_a_group),
	  KT_CASE(abort_does_not_fail_a_cancelled_group),
	  KT_CASE(shutdown_ends_delayed_members),
	  KT_CASE(cancelled_members_are_dropped_with_their_group),
	  KT_CASE(abort_drops_the_group_that_it_fails),
	  KT_CASE(expired_member_is_an_error),
	  KT_CASE(late_job_fails_a_group_that_is_cancelled_then),
	  KT_CASE(late_members_are_dropped_with_their_group),
	  KT_CASE(delayed_members_are_waited_for),
	  KT_CASE(other_pools_are_refused),
	  KT_CASE(unknown_flags_are_refused),
	  KT_CASE(member_cannot_wait_for_its_group),
	  KT_CASE(member_cannot_wait_for_its_group_in_another_item),
	  KT_CASE(childs_member_cannot_wait_for_the_parent),
	  KT_CASE(parents_member_may_wait_for_the_child),
	  KT_EACH(item_may_wait_where_units_are_free, ways_to_wait),
	  KT_EACH(deadlock_on_a_full_pool_is_refused, ways_to_wait),
	  KT_CASE(item_may_wait_for_a_delayed_member),
	  KT_CASE(item_may_wait_for_a_dropping_member),
	  KT_EACH(timed_wait_on_a_full_pool_is_no_deadlock, ways_to_wait),
	  KT_CASE(cycle_of_groups_is_refused),
	  KT_CASE(drop_function_cannot_wait_for_the_group),
	  KT_CASE(group_may_be_freed_after_wait),
	  KT_CASE(cancelled_group_may_be_freed_before_the_drop_work),
	  KT_CASE(storm_of_groups_loses_nothing),
	  KT_CASE(init_sets_every_field));
