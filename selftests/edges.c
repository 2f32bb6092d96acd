// SPDX-License-Identifier: GPL-2.0-only
/*
 * The edges of the API: an item on its last run, a submit that takes no place,
 * the callback for room, sleeps that a signal ends, jobs that are none.
 */
#include <linux/hrtimer.h>
#include <linux/sched/signal.h>

#include "group.h"
#include "hardirq.h"
#include "load.h"
#include "log.h"

static struct kpool *here;
static struct kpool_stream stream;

static struct kpool_item *item(int i)
{
	return &p[i].job.item;
}

static void submit(int i)
{
	KT_EXPECT_EQ(kpool_submit(here, item(i)), 0);
}

/* Probe @i runs, and waits at its own gate. */
static void occupy(int i)
{
	p[i].gate = &p[i].own;
	submit(i);
	probe_runs(&p[i]);
}

static bool edges_make(const struct kpool_attrs *attrs)
{
	here = group_make(attrs, 0, 0);
	if (here)
		kpool_init_stream(&stream, here);
	return here;
}

static void edges_end(void)
{
	probes_open(p, ARRAY_SIZE(p));
	jobs_end(here);
}

/* Last uses of an item */

/* Where an item on the stack goes on when it has said that it is done. */
static struct kt_gate behind;

struct parting {
	struct kpool_item	item;
	struct completion	said;
};

static int parts(struct kpool_item *item)
{
	complete(&container_of(item, struct parting, item)->said);
	return kt_gate_pass(&behind);
}

static noinline void part(void)
{
	struct parting parting;

	kpool_init_item_onstack(&parting.item, parts);
	init_completion(&parting.said);
	KT_EXPECT_EQ(kpool_submit(here, &parting.item), 0);
	wait_for_completion(&parting.said);
	KT_EXPECT(kt_wait(atomic_read(&behind.started)));
	kpool_destroy_item_onstack(&parting.item);
	poison(&parting, sizeof(parting));
}

/*
 * An item on the stack can go once its function has said so, before that has
 * returned.
 * Fails (a warning) if a run counts as pending: mutant onstack-run-is-pending.
 */
static void stack_item_may_end_before_its_function(void)
{
	kt_gate_init(&behind);
	if (!edges_make(&queued_one))
		return;
	part();
	KT_EXPECT_EQ(kt_stat(here, running), 1);
	kt_gate_open(&behind);
	edges_end();
}

/* An item that hands itself to another pool. */
struct courier {
	struct kpool_job	job;
	int			got;	/* when it submitted itself */
};

static struct kpool *next_pool;
static struct kt_gate before, after, arrived;
static struct courier courier;

static int soon_on(struct kpool *pool, struct kpool_item *item)
{
	return kpool_submit_delayed(pool, kpool_job_of(item), 1);
}

static int late_on(struct kpool *pool, struct kpool_item *item)
{
	return kpool_submit_delayed(pool, kpool_job_of(item), 3600 * HZ);
}

static int (*courier_way)(struct kpool *pool, struct kpool_item *item);

static int (*const ways_on[])(struct kpool *pool, struct kpool_item *item) = {
	kpool_submit, kpool_try_submit, kpool_submit_now, soon_on,
};

static const char *const names_on[] = {
	"submit", "try", "now", "delayed", NULL
};

static int hands_itself_on(struct kpool_item *item)
{
	if (kpool_current() == next_pool)
		return kt_gate_pass(&arrived);
	kt_gate_pass(&before);
	courier.got = courier_way(next_pool, item);
	return kt_gate_pass(&after);
}

static bool courier_make(int (*way)(struct kpool *pool, struct kpool_item *item))
{
	courier_way = way;
	kt_gate_init(&before);
	kt_gate_init(&after);
	kt_gate_init(&arrived);
	memset(&courier, 0, sizeof(courier));
	kpool_init_job(&courier.job, hands_itself_on);
	courier.got = 1;
	next_pool = kt_pool("next", &queued_one);
	if (!next_pool)
		return false;
	if (!edges_make(&queued_one)) {
		kt_pool_end(next_pool);
		return false;
	}
	KT_EXPECT_EQ(kpool_submit(here, &courier.job.item), 0);
	return KT_EXPECT(kt_wait(atomic_read(&before.started)));
}

static void courier_end(void)
{
	kt_gate_open(&before);
	kt_gate_open(&arrived);
	kt_gate_open(&after);
	edges_end();
	KT_EXPECT_EQ(courier.got, 0);
	kt_pool_end(next_pool);
}

static int flushes_courier(void *unused)
{
	return kpool_flush_item(&courier.job.item);
}

/*
 * Handed over, the item runs there while the first run has not returned.  A
 * waiter for the first run is completed at its end, a waiter that comes now at
 * the end of the second.
 * Fails (-EBUSY) if its own function is taken for any caller: mutant
 * item-handed-over-refused.
 */
static void item_handed_over_runs_in_the_next_pool(int way)
{
	struct kt_thread old = { }, new = { };

	if (!courier_make(ways_on[way]))
		return;
	KT_EXPECT_EQ(kpool_submit(next_pool, &courier.job.item), -EBUSY);
	if (kt_thread_start(&old, flushes_courier, NULL))
		kt_thread_asleep(&old);
	kt_gate_open(&before);
	KT_EXPECT(kt_wait(atomic_read(&arrived.started)));
	KT_EXPECT(kt_wait(atomic_read(&after.started)));
	KT_EXPECT(!kpool_is_pending(&courier.job.item));
	KT_EXPECT(!kpool_cancel(&courier.job.item));
	KT_EXPECT_EQ(kpool_submit(here, &courier.job.item), -EBUSY);
	KT_EXPECT_EQ(kt_stat(here, running), 1);
	KT_EXPECT_EQ(kt_stat(next_pool, running), 1);
	if (kt_thread_start(&new, flushes_courier, NULL))
		kt_thread_asleep(&new);
	KT_EXPECT(!kt_thread_done(&old));

	kt_gate_open(&after);
	KT_EXPECT_EQ(kt_thread_join(&old), 0);
	KT_EXPECT_EQ(atomic_read(&arrived.finished), 0);
	KT_EXPECT(!kt_thread_done(&new));
	KT_EXPECT_EQ(kpool_flush(here), 0);
	kt_gate_open(&arrived);
	KT_EXPECT_EQ(kt_thread_join(&new), 0);
	KT_EXPECT_EQ(kt_stat(here, completed), 1);
	KT_EXPECT_EQ(kt_stat(next_pool, completed), 1);
	courier_end();
}

/*
 * The second run can end first, and the item go: the first does not look at it.
 * Fails (use after free) if the end of the first run touches the item.
 */
static void item_handed_over_may_be_freed_by_its_second_run(void)
{
	if (!courier_make(kpool_submit))
		return;
	kt_gate_open(&arrived);
	kt_gate_open(&before);
	KT_EXPECT(kt_wait(atomic_read(&arrived.finished)));
	KT_EXPECT(kt_wait(atomic_read(&after.started)));
	KT_EXPECT_EQ(kpool_flush(next_pool), 0);
	KT_EXPECT_EQ(courier.got, 0);
	poison(&courier, sizeof(courier));
	kt_gate_open(&after);
	KT_EXPECT_EQ(kpool_flush(here), 0);
	courier.got = 0;
	courier_end();
}

/*
 * Pending in the next pool, it is taken back there, while its first run lasts.
 * Fails if cancel asks the pool it came from.
 */
static void item_handed_over_is_cancelled_in_the_next_pool(int late)
{
	if (!courier_make(late ? late_on : kpool_submit))
		return;
	KT_EXPECT_EQ(kpool_pause(next_pool), 0);
	kt_gate_open(&before);
	KT_EXPECT(kt_wait(atomic_read(&after.started)));
	if (KT_EXPECT(kpool_is_pending(&courier.job.item)))
		KT_EXPECT_EQ(kpool_cancel_sync(&courier.job.item), 1);
	KT_EXPECT_EQ(kt_stat(here, running), 1);
	KT_EXPECT_EQ(kt_stat(next_pool, cancelled), 1);
	kpool_resume(next_pool);
	kt_gate_open(&after);
	KT_EXPECT_EQ(kpool_flush(here), 0);
	KT_EXPECT_EQ(kt_stat(here, completed), 1);
	KT_EXPECT_EQ(atomic_read(&arrived.started), 0);
	courier_end();
}

static const char *const pending_as[] = { "queued", "delayed", NULL };

/* Two items that change places between pools, each waited for in the other */
static struct {
	struct kpool_item	item[3];
	struct kt_gate		begin[3];	/* before each handover */
	struct kt_gate		moved[3];	/* before the second run waits */
	struct kt_gate		left[3];	/* at the end of the first run */
	atomic_t		done[3];
	struct task_struct	*waits[3];	/* or is about to */
	int			got[3];
} cross;

/* Item 0 goes from here to the next pool, 1 the other way; 2 stays here. */
static int crosses(struct kpool_item *item)
{
	static const int waits_for[] = { 1, 2, 0 };
	struct kpool *home[] = { here, next_pool, here };
	struct kpool *target[] = { next_pool, here };
	int i = item - cross.item;

	if (i < 2 && kpool_current() == home[i]) {
		kt_gate_pass(&cross.begin[i]);
		KT_EXPECT_EQ(kpool_submit(target[i], item), 0);
		return kt_gate_pass(&cross.left[i]);
	}
	kt_gate_pass(&cross.moved[i]);
	WRITE_ONCE(cross.waits[i], current);
	cross.got[i] = kpool_flush_item(&cross.item[waits_for[i]]);
	atomic_inc(&cross.done[i]);
	return 0;
}

static bool crossing_sleeps(int i)
{
	struct task_struct *task;

	return kt_wait((task = READ_ONCE(cross.waits[i])) &&
		       !task_is_running(task));
}

/* Each time begins an epoch of the next pool. */
static int flushes_another(struct kpool_item *first)
{
	int i;

	for (i = 0; i < 8; i++) {
		KT_EXPECT_EQ(kpool_submit(next_pool, item(1)), 0);
		KT_EXPECT_EQ(kpool_flush_item(item(1)), 0);
	}
	return 0;
}

/*
 * A waiter for the run that has handed its item on does not wait for what the
 * item does elsewhere.  No cycle is closed by that.  No run seems to have begun
 * after the wait, as epochs of two pools cannot be compared.
 * Fails (-EDEADLK) if the item's new run is checked: mutant
 * cycle-by-an-item-handed-over.
 */
static void item_handed_over_closes_no_cycle(void)
{
	int i;

	memset(&cross, 0, sizeof(cross));
	for (i = 0; i < 3; i++) {
		kpool_init_item(&cross.item[i], crosses);
		kt_gate_init(&cross.begin[i]);
		kt_gate_init(&cross.moved[i]);
		kt_gate_init(&cross.left[i]);
		cross.got[i] = 1;
	}
	next_pool = kt_pool("next", &queued_four);
	if (!next_pool)
		return;
	if (!edges_make(&queued_four))
		goto out;
	probe_init(&p[0], flushes_another, 0);

	/* item 2 waits for the first run of item 0 */
	KT_EXPECT_EQ(kpool_submit(here, &cross.item[0]), 0);
	KT_EXPECT(kt_wait(atomic_read(&cross.begin[0].started)));
	KT_EXPECT_EQ(kpool_submit(here, &cross.item[2]), 0);
	kt_gate_open(&cross.moved[2]);
	KT_EXPECT(crossing_sleeps(2));
	/* in the next pool, item 0 waits for the first run of item 1 */
	KT_EXPECT_EQ(kpool_submit(next_pool, &cross.item[1]), 0);
	KT_EXPECT(kt_wait(atomic_read(&cross.begin[1].started)));
	kt_gate_open(&cross.begin[0]);
	KT_EXPECT(kt_wait(atomic_read(&cross.moved[0].started)));
	KT_EXPECT_EQ(kpool_submit(next_pool, item(0)), 0);
	KT_EXPECT_EQ(kpool_flush_item(item(0)), 0);
	kt_gate_open(&cross.moved[0]);
	KT_EXPECT(crossing_sleeps(0));
	/* item 1 comes here, and waits for item 2 */
	kt_gate_open(&cross.begin[1]);
	kt_gate_open(&cross.moved[1]);
	KT_EXPECT(crossing_sleeps(1));
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(atomic_read(&cross.done[i]), 0);

	kt_gate_open(&cross.left[0]);
	KT_EXPECT(kt_wait(atomic_read(&cross.done[1])));
	KT_EXPECT_EQ(atomic_read(&cross.done[2]), 1);
	KT_EXPECT_EQ(atomic_read(&cross.done[0]), 0);
	kt_gate_open(&cross.left[1]);
	KT_EXPECT(kt_wait(atomic_read(&cross.done[0])));
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(cross.got[i], 0);
	KT_EXPECT_EQ(kpool_flush(next_pool), 0);
	edges_end();
out:
	kt_pool_end(next_pool);
}

/* A submit that takes no place */

static const struct kpool_attrs two_units = { .capacity = 2 };

static int now(int i)
{
	return kpool_submit_now(here, item(i));
}

static void expect_not_now(int i)
{
	u64 refused = kt_stat(here, refused);

	KT_EXPECT_EQ(now(i), -EAGAIN);
	KT_EXPECT(!kpool_is_pending(item(i)));
	KT_EXPECT_EQ(kt_stat(here, refused), refused + 1);
}

/*
 * Accepted while its units are free, and not for a place in the queue.
 * Fails if it queues.
 */
static void submit_now_starts_while_units_are_free(void)
{
	if (!edges_make(&queued_two))
		return;
	probes_hold(p, 4);
	kpool_set_weight(item(2), 2);
	KT_EXPECT_EQ(now(0), 0);
	probe_runs(&p[0]);
	expect_not_now(2);
	KT_EXPECT_EQ(now(1), 0);
	probe_runs(&p[1]);
	expect_not_now(2);
	expect_not_now(3);
	KT_EXPECT_EQ(kpool_try_submit(here, item(3)), 0);
	KT_EXPECT_EQ(now(3), -EALREADY);
	edges_end();
}

/* Fails if pause is not checked: mutant now-while-paused. */
static void submit_now_is_refused_while_paused(void)
{
	if (!edges_make(&queued_two))
		return;
	KT_EXPECT_EQ(kpool_pause(here), 0);
	expect_not_now(0);
	kpool_resume(here);
	KT_EXPECT_EQ(now(0), 0);
	probe_ran(&p[0]);
	edges_end();
}

/* Fails if it overtakes one that sleeps for more units. */
static void submit_now_is_refused_behind_a_submitter(void)
{
	struct kt_submitter s = { };

	if (!edges_make(&two_units))
		return;
	occupy(0);
	kpool_set_weight(item(1), 2);
	if (kt_submitter_block(&s, here, item(1)))
		expect_not_now(2);
	probes_open(p, ARRAY_SIZE(p));
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	edges_end();
}

static int now_in_itself;

static int submits_itself_now(struct kpool_item *item)
{
	/* accepted by mistake, it would go on for ever */
	if (now_in_itself == 1)
		now_in_itself = kpool_submit_now(here, item);
	return probe_fn(item);
}

/* Fails if a job is accepted that waits for its stream, or its own run. */
static void submit_now_is_refused_behind_a_run(void)
{
	if (!edges_make(&queued_four))
		return;
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	occupy(0);
	expect_not_now(0);
	expect_not_now(1);
	p[2].job.item.fn = submits_itself_now;
	now_in_itself = 1;
	submit(2);
	probe_ran(&p[2]);
	KT_EXPECT_EQ(now_in_itself, -EAGAIN);
	edges_end();
}

static int now_in_hardirq[2];

static void submit_now_twice(void)
{
	now_in_hardirq[0] = now(0);
	now_in_hardirq[1] = now(1);
}

static void submit_now_answers_in_hardirq(void)
{
	if (!edges_make(&queued_one))
		return;
	probes_hold(p, 1);
	hardirq_do(submit_now_twice);
	KT_EXPECT_EQ(now_in_hardirq[0], 0);
	KT_EXPECT_EQ(now_in_hardirq[1], -EAGAIN);
	kt_gate_open(&p[0].own);
	probe_ran(&p[0]);
	edges_end();
}

/* The callback for room */

static atomic_t nr_calls;		/* how often it has been called */
static struct kpool_item *retried;	/* item to submit, if set */
static int retry_got;

static void room_called(void *data)
{
	struct kpool_item *retry = READ_ONCE(retried);

	KT_EXPECT(data == &nr_calls);
	KT_EXPECT(in_task() && !irqs_disabled());
	/* notified by mistake, it would continue for ever */
	if (retry && atomic_read(&nr_calls) < 10)
		retry_got = kpool_try_submit(here, retry);
	atomic_inc(&nr_calls);
}

static const struct kpool_attrs one_unit = { .capacity = 1 };

static const struct kpool_attrs four_units = { .capacity = 4 };

static const struct kpool_attrs queue_of_one = {
	.capacity = 1, .queue_depth = 1,
};

static const struct kpool_attrs never_sleeps = {
	.capacity = 1, .nonblocking = 1,
};

static bool room_make(const struct kpool_attrs *like)
{
	struct kpool_attrs attrs = *like;

	atomic_set(&nr_calls, 0);
	retried = NULL;
	retry_got = 1;
	attrs.room = room_called;
	attrs.data = &nr_calls;
	return edges_make(&attrs);
}

/* Expect so many calls of the callback in the end. */
static void expect_calls(int n)
{
	KT_EXPECT(kt_wait(atomic_read(&nr_calls) >= n));
	kt_sleep_ms(10);
	KT_EXPECT_EQ(atomic_read(&nr_calls), n);
}

static void refuse(int i)
{
	KT_EXPECT_EQ(kpool_try_submit(here, item(i)), -EAGAIN);
}

static void a_run_ends(void)
{
	kt_gate_open(&p[0].own);
}

static void one_is_cancelled(void)
{
	KT_EXPECT(kpool_cancel(item(1)));
}

static void capacity_grows(void)
{
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_CAPACITY, 2), 0);
}

static void queue_grows(void)
{
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_QUEUE_DEPTH, 2), 0);
}

static void one_is_dropped(void)
{
	kpool_group_cancel(&group);
}

static void pool_is_released(void)
{
	kpool_shutdown(here);
}

static void (*const room_makers[])(void) = {
	a_run_ends, one_is_cancelled, capacity_grows, queue_grows,
	one_is_dropped, pool_is_released,
};

static const char *const room_maker_names[] = {
	"a_run_ends", "one_is_cancelled", "capacity_grows", "queue_grows",
	"one_is_dropped", "the_pool_is_shut_down", NULL
};

/*
 * Several are refused, and notified once, when one of them would be accepted.
 * Fails (never notified, or at once) if it is not seen that there is room
 * again: mutants room-not-called, room-called-at-once.
 */
static void room_is_called_once_when(int maker)
{
	if (!room_make(&queue_of_one))
		return;
	kpool_set_group(&p[1].job, &group);
	occupy(0);
	p[1].gate = &p[1].own;
	submit(1);
	refuse(2);
	refuse(3);
	refuse(2);
	expect_calls(0);
	room_makers[maker]();
	expect_calls(1);
	edges_end();
	KT_EXPECT_EQ(atomic_read(&nr_calls), 1);
}

/* Submit by a nonblocking pool's policy is refused likewise. */
static void room_is_called_in_a_nonblocking_pool(void)
{
	if (!room_make(&never_sleeps))
		return;
	occupy(0);
	KT_EXPECT_EQ(kpool_submit(here, item(1)), -EAGAIN);
	kt_gate_open(&p[0].own);
	expect_calls(1);
	edges_end();
}

/*
 * The callback submits what was refused, and is notified again when that was.
 */
static void room_may_be_taken_by_the_callback(void)
{
	if (!room_make(&one_unit))
		return;
	occupy(0);
	refuse(1);
	WRITE_ONCE(retried, item(1));
	p[1].gate = &p[1].own;
	kt_gate_open(&p[0].own);
	expect_calls(1);
	KT_EXPECT_EQ(retry_got, 0);
	probe_runs(&p[1]);
	refuse(2);
	WRITE_ONCE(retried, item(2));
	kt_gate_open(&p[1].own);
	expect_calls(2);
	KT_EXPECT_EQ(retry_got, 0);
	probe_ran(&p[2]);
	edges_end();
}

/* Is refused again, and there is room again before it returns. */
static void room_refused_meanwhile(void *data)
{
	if (atomic_inc_return(&nr_calls) > 1)
		return;
	KT_EXPECT_EQ(kpool_try_submit(here, item(1)), 0);
	probe_runs(&p[1]);
	refuse(2);
	kt_gate_open(&p[1].own);
	KT_EXPECT(kt_wait(kt_stat(here, running) == 0));
}

/*
 * Fails (never called again) if its end stands for a call that is due: mutant
 * room-due-in-room-lost.
 */
static void room_is_called_for_a_refusal_in_the_callback(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .room = room_refused_meanwhile,
	};

	atomic_set(&nr_calls, 0);
	if (!edges_make(&attrs))
		return;
	occupy(0);
	refuse(1);
	p[1].gate = &p[1].own;
	kt_gate_open(&p[0].own);
	expect_calls(2);
	edges_end();
}

/*
 * Fails if any end of a run calls it, or a refusal by kpool_submit_now() does.
 */
static void room_is_not_called_without_a_refusal(void)
{
	if (!room_make(&one_unit))
		return;
	occupy(0);
	expect_not_now(1);
	kt_gate_open(&p[0].own);
	expect_calls(0);
	submit(1);
	probe_ran(&p[1]);
	edges_end();
	KT_EXPECT_EQ(atomic_read(&nr_calls), 0);
}

/*
 * Refused for three units, its owner is notified when three are free, and not
 * before.
 * Fails (a callback at each end of a run) if one unit counts as room for it.
 */
static void room_is_called_when_a_heavy_item_fits(void)
{
	int i;

	if (!room_make(&four_units))
		return;
	for (i = 0; i < 4; i++)
		occupy(i);
	kpool_set_weight(item(4), 3);
	refuse(4);
	WRITE_ONCE(retried, item(4));
	for (i = 0; i < 2; i++) {
		kt_gate_open(&p[i].own);
		probe_ran(&p[i]);
		expect_calls(0);
	}
	kt_gate_open(&p[2].own);
	expect_calls(1);
	KT_EXPECT_EQ(retry_got, 0);
	probe_ran(&p[4]);
	edges_end();
}

static const char *const heavy_prios[] = { "normal", "high", NULL };

/*
 * A light item was refused, and a heavy one later: notified when the light one
 * fits.
 * Fails (a callback when the heavy one fits) if the last that was refused
 * decides, or that of the highest priority: mutants room-of-the-last-refused,
 * room-of-the-highest-only.
 */
static void room_is_called_when_the_lightest_item_fits(int other_is_high)
{
	int i;

	if (!room_make(&four_units))
		return;
	for (i = 0; i < 4; i++)
		occupy(i);
	refuse(4);
	kpool_set_weight(item(5), 3);
	if (other_is_high)
		KT_EXPECT_EQ(kpool_set_priority(item(5), KPOOL_PRIO_HIGH), 0);
	refuse(5);
	kt_gate_open(&p[0].own);
	expect_calls(1);
	edges_end();
}

static const char *const refused_prios[] = {
	"equal", "higher", "equal_in_a_stream", "higher_in_a_stream", NULL
};

/*
 * A heavy low item waits in the only place.  An item that was refused is
 * notified when a unit comes free if its priority is higher, and not if it
 * would be behind.
 * Fails (no callback, or one at once) if the priority is not recorded: mutant
 * room-of-no-priority.
 */
static void room_is_called_when_a_higher_item_fits(int variant)
{
	const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 1 };
	bool higher = variant & 1;

	if (!room_make(&attrs))
		return;
	KT_EXPECT_EQ(kpool_set_weight(item(2), 2), 0);
	KT_EXPECT_EQ(kpool_set_priority(item(2), KPOOL_PRIO_LOW), 0);
	if (!higher)
		KT_EXPECT_EQ(kpool_set_priority(item(3), KPOOL_PRIO_LOW), 0);
	if (variant & 2) {
		kpool_set_stream(&p[0].job, &stream);
		kpool_set_stream(&p[3].job, &stream);
	}
	occupy(0);
	occupy(1);
	submit(2);
	refuse(3);
	kt_gate_open(&p[0].own);
	probe_ran(&p[0]);
	expect_calls(higher);
	if (higher)
		KT_EXPECT_EQ(kpool_try_submit(here, item(3)), 0);
	edges_end();
}

/*
 * A high item has started ahead of the heavy low one, whose turn it is: the
 * next high one would wait behind it.
 * Fails (a callback, and another -EAGAIN) if max_bypass does not matter: mutant
 * room-out-of-turn.
 */
static void room_is_not_called_when_it_is_a_lower_ones_turn(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 4, .queue_depth = 1, .max_bypass = 1,
	};

	if (!room_make(&attrs))
		return;
	KT_EXPECT_EQ(kpool_set_weight(item(1), 4), 0);
	KT_EXPECT_EQ(kpool_set_priority(item(1), KPOOL_PRIO_LOW), 0);
	KT_EXPECT_EQ(kpool_set_priority(item(2), KPOOL_PRIO_HIGH), 0);
	KT_EXPECT_EQ(kpool_set_priority(item(3), KPOOL_PRIO_HIGH), 0);
	occupy(0);
	submit(1);
	occupy(2);
	refuse(3);
	kt_gate_open(&p[2].own);
	probe_ran(&p[2]);
	expect_calls(0);
	kt_gate_open(&p[0].own);
	expect_calls(1);
	edges_end();
}

static const char *const free_units[] = { "one_free", "three_free", NULL };

/*
 * Two were refused behind their stream, a heavy high one and a light low one.
 * The first is notified when its units are free.  The second would be behind an
 * older item, which lacks units.
 * Fails (no callback, or one for the priority of one and the units of the
 * other) if they are not distinguished: mutants stream-room-of-no-priority,
 * stream-room-of-the-highest, stream-room-of-the-lowest.
 */
static void room_is_called_for_the_higher_of_its_stream(int three_free)
{
	const struct kpool_attrs attrs = {
		.capacity = three_free ? 4 : 2, .queue_depth = 1,
	};
	int i;

	if (!room_make(&attrs))
		return;
	KT_EXPECT_EQ(kpool_set_weight(item(2), attrs.capacity), 0);
	KT_EXPECT_EQ(kpool_set_weight(item(3), 2), 0);
	for (i = 2; i < 5; i++)
		KT_EXPECT_EQ(kpool_set_priority(item(i), i == 3 ? KPOOL_PRIO_HIGH :
								  KPOOL_PRIO_LOW), 0);
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[3].job, &stream);
	kpool_set_stream(&p[4].job, &stream);
	occupy(0);
	occupy(1);
	submit(2);
	refuse(3);
	refuse(4);
	kt_gate_open(&p[0].own);
	probe_ran(&p[0]);
	expect_calls(three_free);
	kt_gate_open(&p[1].own);
	expect_calls(1);
	edges_end();
}

static struct kt_gate in_drops[2];

static void dropped_waits(struct kpool_item *item, int err)
{
	kt_gate_pass(&in_drops[item == &p[2].job.item]);
	probe_dropped(item, err);
}

/*
 * Room is made while the first of two is dropped.
 * Fails if it is called when all are: mutant room-after-all-drops.
 */
static void room_is_called_between_drops(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 2 };
	int i;

	if (!room_make(&attrs))
		return;
	occupy(0);
	for (i = 1; i < 3; i++) {
		kt_gate_init(&in_drops[i - 1]);
		kpool_set_drop_fn(item(i), dropped_waits);
		kpool_set_group(&p[i].job, &group);
		submit(i);
	}
	kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(atomic_read(&in_drops[0].started)));
	for (i = 3; i < 6 && !kpool_try_submit(here, item(i)); i++)
		;
	KT_EXPECT(i > 3 && i < 6);
	KT_EXPECT(kpool_cancel(item(3)));
	kt_gate_open(&in_drops[0]);
	KT_EXPECT(kt_wait(atomic_read(&in_drops[1].started)));
	expect_calls(1);
	kt_gate_open(&in_drops[1]);
	edges_end();
}

/*
 * Refused behind a blocked submitter, which is heavier, it is notified when
 * there is room beside that.
 * Fails if it is notified while that is blocked, or is admitted.
 */
static void room_is_called_behind_a_blocked_submitter(void)
{
	struct kt_submitter s = { };

	if (!room_make(&four_units))
		return;
	kpool_set_weight(item(0), 2);
	kpool_set_weight(item(1), 3);
	kpool_set_weight(item(2), 2);
	occupy(0);
	p[1].gate = &p[1].own;
	if (kt_submitter_block(&s, here, item(1)))
		refuse(2);
	expect_calls(0);
	kt_gate_open(&p[0].own);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	expect_calls(0);
	kt_gate_open(&p[1].own);
	expect_calls(1);
	edges_end();
}

/*
 * Refused behind another of its stream, it is notified when that one has ended.
 * Fails (never notified) if units alone are checked: mutant
 * room-not-called-by-stream.
 */
static void room_is_called_when_a_stream_continues(void)
{
	if (!room_make(&four_units))
		return;
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	occupy(0);
	refuse(1);
	WRITE_ONCE(retried, item(1));
	occupy(2);
	kt_gate_open(&p[2].own);
	expect_calls(0);
	kt_gate_open(&p[0].own);
	expect_calls(1);
	KT_EXPECT_EQ(retry_got, 0);
	probe_ran(&p[1]);
	edges_end();
}

/*
 * The only one of its stream is cancelled before it starts.
 * Fails (never notified) if only a run ends the wait for a stream: mutant
 * room-not-called-by-a-cancel-in-its-stream.
 */
static void room_is_called_when_a_stream_is_cancelled(void)
{
	if (!room_make(&four_units))
		return;
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	KT_EXPECT_EQ(kpool_pause(here), 0);
	KT_EXPECT_EQ(kpool_submit(here, item(0)), 0);
	refuse(1);
	expect_calls(0);
	KT_EXPECT(kpool_cancel(item(0)));
	expect_calls(1);
	kpool_resume(here);
	edges_end();
}

/*
 * Refused behind another of its stream, it is not notified when some other
 * stream ends.
 * Fails (a callback, and the submit is refused again) if the end of any stream
 * counts as that of its own: mutant room-called-by-another-stream.
 */
static void room_is_not_called_when_another_stream_ends(void)
{
	static struct kpool_stream another;

	if (!room_make(&four_units))
		return;
	kpool_init_stream(&another, here);
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	kpool_set_stream(&p[2].job, &another);
	occupy(0);
	refuse(1);
	WRITE_ONCE(retried, item(1));
	occupy(2);
	kt_gate_open(&p[2].own);
	probe_ran(&p[2]);
	expect_calls(0);
	kt_gate_open(&p[0].own);
	expect_calls(1);
	KT_EXPECT_EQ(retry_got, 0);
	probe_ran(&p[1]);
	edges_end();
}

static const char *const turns[] = { "first", "second", NULL };

/*
 * Jobs of two streams are refused, and one of the streams ends.
 * Fails (never notified) if only a refusal in a single stream is remembered, or
 * the first: mutant room-lost-for-two-streams.
 */
static void room_is_called_when_one_of_two_streams_ends(int turn)
{
	static struct kpool_stream another;

	if (!room_make(&four_units))
		return;
	kpool_init_stream(&another, here);
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	kpool_set_stream(&p[2].job, &another);
	kpool_set_stream(&p[3].job, &another);
	occupy(0);
	occupy(2);
	refuse(1);
	refuse(3);
	WRITE_ONCE(retried, item(1 + 2 * turn));
	kt_gate_open(&p[2 * turn].own);
	expect_calls(1);
	KT_EXPECT_EQ(retry_got, 0);
	probe_ran(&p[1 + 2 * turn]);
	edges_end();
}

/*
 * Jobs of two streams are refused, and a third stream ends, of which none was.
 * Fails (a callback, and the submits are refused again) if the end of any
 * stream counts as that of one of them: mutant room-called-by-another-stream.
 */
static void room_is_not_called_when_a_third_stream_ends(void)
{
	static struct kpool_stream another, third;

	if (!room_make(&four_units))
		return;
	kpool_init_stream(&another, here);
	kpool_init_stream(&third, here);
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[3].job, &stream);
	kpool_set_stream(&p[1].job, &another);
	kpool_set_stream(&p[4].job, &another);
	kpool_set_stream(&p[2].job, &third);
	occupy(0);
	occupy(1);
	occupy(2);
	refuse(3);
	refuse(4);
	kt_gate_open(&p[2].own);
	probe_ran(&p[2]);
	expect_calls(0);
	kt_gate_open(&p[1].own);
	expect_calls(1);
	edges_end();
}

static const char *const lightest[] = { "later_job", "other_item", NULL };

/*
 * Later jobs wait for units when their stream goes on: the lightest decides.
 * Fails if the last that was refused decides: mutant
 * room-of-the-last-refused-job; or the one that is in the stream.
 */
static void room_is_called_when_the_lightest_fits(int in_no_stream)
{
	int i;

	if (!room_make(&four_units))
		return;
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[4].job, in_no_stream ? NULL : &stream);
	kpool_set_stream(&p[5].job, &stream);
	kpool_set_weight(item(5), 3);
	for (i = 0; i < 4; i++)
		occupy(i);
	refuse(4);
	refuse(5);
	kt_gate_open(&p[0].own);
	expect_calls(1);
	edges_end();
}

/*
 * A later job that was refused and notified since is forgotten when its stream
 * goes on.  Another, refused later for three units, is notified when these are
 * free.
 * Fails (a callback for two units) if that job counts still: mutant
 * room-of-an-earlier-refused-job.
 */
static void room_is_not_called_for_an_earlier_job(void)
{
	if (!room_make(&four_units))
		return;
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	kpool_set_stream(&p[4].job, &stream);
	kpool_set_weight(item(4), 3);
	occupy(0);
	refuse(1);
	queue_grows();
	expect_calls(1);
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_NONE), 0);
	occupy(2);
	occupy(3);
	refuse(4);
	kt_gate_open(&p[0].own);
	expect_calls(1);
	kt_gate_open(&p[2].own);
	expect_calls(2);
	edges_end();
}

/*
 * A later job that was refused is forgotten when its stream goes on, also if it
 * is not notified, for want of units.  The next end of that stream makes no
 * room for the later job of another, which was refused in between.
 * Fails (a callback) if the first refusal counts still: mutant
 * room-by-a-stream-that-went-on.
 */
static void room_is_not_called_for_a_job_of_the_past(void)
{
	static struct kpool_stream another;

	if (!room_make(&four_units))
		return;
	kpool_init_stream(&another, here);
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[3].job, &stream);
	kpool_set_stream(&p[4].job, &stream);
	kpool_set_weight(item(4), 3);
	kpool_set_stream(&p[2].job, &another);
	kpool_set_stream(&p[5].job, &another);
	occupy(0);
	occupy(1);
	occupy(2);
	refuse(4);
	kt_gate_open(&p[0].own);
	probe_ran(&p[0]);
	KT_EXPECT(kt_wait(kt_stat(here, running) == 2));
	expect_calls(0);
	refuse(5);
	occupy(3);
	kt_gate_open(&p[3].own);
	probe_ran(&p[3]);
	expect_calls(0);
	kt_gate_open(&p[2].own);
	expect_calls(1);
	edges_end();
}

/*
 * A later job of one stream was refused and notified, and then one of another,
 * while the first stream goes on.  Its end makes no room for the second job.
 * Fails (a callback) if the first refusal still counts, and takes the second
 * for its own: mutant room-by-a-stream-of-the-past.
 */
static void room_is_not_called_by_a_stream_notified_before(void)
{
	static struct kpool_stream another;

	if (!room_make(&four_units))
		return;
	kpool_init_stream(&another, here);
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	kpool_set_stream(&p[2].job, &another);
	kpool_set_stream(&p[3].job, &another);
	occupy(0);
	refuse(1);
	queue_grows();
	expect_calls(1);
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_NONE), 0);
	occupy(2);
	refuse(3);
	kt_gate_open(&p[0].own);
	probe_ran(&p[0]);
	expect_calls(1);
	kt_gate_open(&p[2].own);
	expect_calls(2);
	edges_end();
}

static struct kt_gate in_room;
static int room_got;

static void room_waits(void *data)
{
	atomic_inc(&in_room.started);
	room_got = kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT);
	atomic_inc(&in_room.finished);
}

/*
 * The callback is part of no group, also after a job of one was dropped.
 * Fails (-EDEADLK) if it is taken for that job: mutant
 * room-in-the-group-of-a-drop.
 */
static void room_callback_may_wait_for_a_group(void)
{
	struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 1 };

	kt_gate_init(&in_room);
	room_got = 1;
	attrs.room = room_waits;
	if (!edges_make(&attrs))
		return;
	kpool_set_group(&p[0].job, &group);
	kpool_set_group(&p[2].job, &group);
	occupy(0);
	occupy(1);
	submit(2);
	kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(atomic_read(&p[2].dropped)));
	submit(3);
	refuse(4);
	kt_gate_open(&p[1].own);
	KT_EXPECT(kt_wait(atomic_read(&in_room.started)));
	kt_sleep_ms(10);
	KT_EXPECT_EQ(atomic_read(&in_room.finished), 0);
	kt_gate_open(&p[0].own);
	KT_EXPECT(kt_wait(atomic_read(&in_room.finished)));
	KT_EXPECT_EQ(room_got, 0);
	edges_end();
}

/*
 * Refused with more units than a shrunk pool has, it is notified when all are
 * free.
 */
static void room_is_called_when_a_shrunk_pool_is_empty(void)
{
	if (!room_make(&four_units))
		return;
	occupy(0);
	occupy(1);
	kpool_set_weight(item(2), 3);
	refuse(2);
	WRITE_ONCE(retried, item(2));
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_CAPACITY, 2), 0);
	kt_gate_open(&p[0].own);
	expect_calls(0);
	kt_gate_open(&p[1].own);
	expect_calls(1);
	KT_EXPECT_EQ(retry_got, -EINVAL);
	edges_end();
}

/*
 * Refused behind its stream with more units than a shrunk pool has, it is
 * notified when the stream is empty.
 * Fails (never notified) if so many are waited for: mutant
 * room-beyond-capacity.
 */
static void room_is_called_when_a_stream_ends_in_a_shrunk_pool(void)
{
	if (!room_make(&four_units))
		return;
	kpool_set_stream(&p[0].job, &stream);
	kpool_set_stream(&p[1].job, &stream);
	kpool_set_weight(item(1), 3);
	occupy(0);
	refuse(1);
	KT_EXPECT_EQ(kpool_tune(here, KPOOL_TUNE_CAPACITY, 2), 0);
	expect_calls(0);
	kt_gate_open(&p[0].own);
	expect_calls(1);
	edges_end();
}

/* Fails (use after free) if destroy does not wait for the callback. */
static void room_is_not_called_after_destroy(void)
{
	int before_end;

	if (!room_make(&one_unit))
		return;
	occupy(0);
	refuse(1);
	kt_gate_open(&p[0].own);
	KT_EXPECT_EQ(kpool_destroy(here), 0);
	before_end = atomic_read(&nr_calls);
	KT_EXPECT_EQ(before_end, 1);
	expect_calls(before_end);
}

static int reopen_got[2];

static void room_reopens(void *data)
{
	kpool_shutdown(here);
	reopen_got[0] = kpool_reopen(here);
	while (kt_stat(here, alive))
		kt_sleep_ms(10);
	reopen_got[1] = kpool_reopen(here);
	atomic_inc(data);
}

/*
 * The room function is part of the pool.
 * Fails (a busy loop) if it waits for workers to exit, or to be created, and
 * that wait is refused as a deadlock: mutant room-reopens.
 */
static void room_callback_cannot_reopen_the_pool(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .min_workers = 1, .flags = KPOOL_PREALLOC,
		.room = room_reopens, .data = &nr_calls,
	};

	atomic_set(&nr_calls, 0);
	if (!edges_make(&attrs))
		return;
	occupy(0);
	refuse(1);
	kt_gate_open(&p[0].own);
	expect_calls(1);
	KT_EXPECT_EQ(reopen_got[0], -EDEADLK);
	KT_EXPECT_EQ(reopen_got[1], -EDEADLK);
	KT_EXPECT_EQ(kpool_reopen(here), 0);
	edges_end();
}

/* Jobs that are none */

static void set_group_of(struct kpool_job *job)
{
	KT_EXPECT_EQ(kpool_set_group(job, &group), -EINVAL);
}

static void set_stream_of(struct kpool_job *job)
{
	KT_EXPECT_EQ(kpool_set_stream(job, &stream), -EINVAL);
}

static void set_deadline_of(struct kpool_job *job)
{
	KT_EXPECT_EQ(kpool_set_deadline(job, the_past()), -EINVAL);
}

static void (*const job_setters[])(struct kpool_job *job) = {
	set_group_of, set_stream_of, set_deadline_of,
};

static const char *const job_setter_names[] = {
	"group", "stream", "deadline", NULL
};

static int is_no_job(struct kpool_item *item)
{
	atomic_inc(&probe_of(item)->ran);
	return 0;
}

/*
 * A job prepared as a plain item can have no group, stream or deadline.  The
 * setter says so, and its submits are refused until it is prepared as a job.
 * Fails (it runs, without) if the mistake is not remembered: mutant
 * no-job-accepted.
 */
static void plain_item_is_refused_with_a(int setter)
{
	int lines = log_count("is_no_job", "kpool_init_job");

	if (!edges_make(&queued_one))
		return;
	kpool_init_item(item(0), is_no_job);
	job_setters[setter](&p[0].job);
	job_setters[setter](&p[0].job);
	KT_EXPECT_EQ(log_count("is_no_job", "kpool_init_job"), lines + 1);
	KT_EXPECT_EQ(kpool_submit(here, item(0)), -EINVAL);
	KT_EXPECT_EQ(kpool_try_submit(here, item(0)), -EINVAL);
	KT_EXPECT_EQ(now(0), -EINVAL);
	KT_EXPECT_EQ(kpool_flush(here), 0);
	KT_EXPECT_EQ(atomic_xchg(&p[0].ran, 0), 0);

	kpool_init_job(&p[0].job, is_no_job);
	KT_EXPECT_EQ(kpool_set_group(&p[0].job, &group), 0);
	KT_EXPECT_EQ(kpool_set_stream(&p[0].job, &stream), 0);
	KT_EXPECT_EQ(kpool_set_deadline(&p[0].job,
					ktime_add_ms(ktime_get(), 3600000)), 0);
	submit(0);
	KT_EXPECT_EQ(kpool_group_wait(&group, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&p[0].ran), 1);
	edges_end();
}

/* Sleeps that a signal ends */

static const char *const sleeps[] = { "killable", "interruptible", NULL };
static const int deadly[] = { SIGKILL, SIGUSR1 };

struct patient {
	struct kt_thread	thread;
	int			(*sleep)(struct patient *one);
	bool			interruptible;
	int			result;		/* of a call */
};

static struct kt_gate called;
static atomic_t released;
static bool abandoned;

static int is_called(void *gate)
{
	kt_gate_pass(gate);
	WRITE_ONCE(abandoned, kpool_call_abandoned());
	return 7;
}

static void is_released(void *gate)
{
	KT_EXPECT(gate == &called);
	atomic_inc(&released);
}

static int sleeps_in_submit(struct patient *one)
{
	return one->interruptible ? kpool_submit_interruptible(here, item(1)) :
				    kpool_submit_killable(here, item(1));
}

static int sleeps_in_group_wait(struct patient *one)
{
	return one->interruptible ?
	       kpool_group_wait_interruptible(&group, MAX_SCHEDULE_TIMEOUT) :
	       kpool_group_wait_killable(&group, MAX_SCHEDULE_TIMEOUT);
}

static int sleeps_in_call(struct patient *one)
{
	return one->interruptible ?
	       kpool_call_interruptible(here, is_called, &called, is_released,
					&one->result) :
	       kpool_call_killable(here, is_called, &called, is_released,
				   &one->result);
}

static int patient_main(void *arg)
{
	struct patient *one = arg;

	allow_signal(SIGKILL);
	allow_signal(SIGUSR1);
	return one->sleep(one);
}

static bool patient_starts(struct patient *one,
			   int (*sleep)(struct patient *one), int kind)
{
	memset(one, 0, sizeof(*one));
	one->sleep = sleep;
	one->interruptible = kind;
	return kt_thread_start(&one->thread, patient_main, one);
}

static bool patient_sleeps(struct patient *one,
			   int (*sleep)(struct patient *one), int kind)
{
	return patient_starts(one, sleep, kind) &&
	       kt_thread_asleep(&one->thread);
}

/* The signal ends its sleep, and only that; what it returned. */
static int patient_signalled(struct patient *one)
{
	if (!one->interruptible) {
		send_sig(SIGUSR1, one->thread.task, 1);
		kt_sleep_ms(10);
		KT_EXPECT(!kt_thread_done(&one->thread));
	}
	send_sig(deadly[one->interruptible], one->thread.task, 1);
	return kt_thread_join(&one->thread);
}

static bool patient_make(const struct kpool_attrs *attrs)
{
	kt_gate_init(&called);
	atomic_set(&released, 0);
	abandoned = false;
	return edges_make(attrs);
}

static void signal_ends_submit(int kind)
{
	struct patient one;

	if (!patient_make(&one_unit))
		return;
	occupy(0);
	if (patient_sleeps(&one, sleeps_in_submit, kind))
		KT_EXPECT_EQ(patient_signalled(&one), -EINTR);
	KT_EXPECT_EQ(kt_stat(here, submitted), 1);
	KT_EXPECT_EQ(kt_stat(here, blocked), 0);
	if (patient_sleeps(&one, sleeps_in_submit, kind)) {
		kt_gate_open(&p[0].own);
		KT_EXPECT_EQ(kt_thread_join(&one.thread), 0);
	}
	probe_ran(&p[1]);
	edges_end();
}

static int sleeps_100ms_in_group_wait(struct patient *one)
{
	const long timeout = msecs_to_jiffies(100);

	return one->interruptible ?
	       kpool_group_wait_interruptible(&group, timeout) :
	       kpool_group_wait_killable(&group, timeout);
}

/* Fails (hangs) too if such a wait has no end of its own. */
static void signal_ends_group_wait(int kind)
{
	struct patient one;

	if (!patient_make(&one_unit))
		return;
	kpool_set_group(&p[0].job, &group);
	occupy(0);
	if (patient_sleeps(&one, sleeps_in_group_wait, kind))
		KT_EXPECT_EQ(patient_signalled(&one), -EINTR);
	KT_EXPECT_EQ(kpool_group_wait(&group, 0), -ETIMEDOUT);
	if (patient_starts(&one, sleeps_100ms_in_group_wait, kind))
		KT_EXPECT_EQ(kt_thread_join(&one.thread), -ETIMEDOUT);
	if (patient_sleeps(&one, sleeps_in_group_wait, kind)) {
		kt_gate_open(&p[0].own);
		KT_EXPECT_EQ(kt_thread_join(&one.thread), 0);
	}
	edges_end();
}

static int sleeps_plainly_in_submit(struct patient *one)
{
	return kpool_submit(here, item(1));
}

static int sleeps_for_a_time_in_submit(struct patient *one)
{
	return kpool_submit_timeout(here, item(1), KT_LIMIT);
}

static int sleeps_plainly_in_call(struct patient *one)
{
	return kpool_call(here, is_called, &called, NULL);
}

static int sleeps_for_a_time_in_call(struct patient *one)
{
	return kpool_call_timeout(here, is_called, &called, is_released, KT_LIMIT,
				  NULL);
}

static int sleeps_plainly_in_group_wait(struct patient *one)
{
	return kpool_group_wait(&group, KT_LIMIT);
}

static int sleeps_in_flush(struct patient *one)
{
	return kpool_flush(here);
}

static int sleeps_in_flush_item(struct patient *one)
{
	return kpool_flush_item(item(0));
}

static int sleeps_in_cancel(struct patient *one)
{
	return kpool_cancel_sync(item(0));
}

static int sleeps_in_shutdown(struct patient *one)
{
	return kpool_shutdown_timeout(here, KT_LIMIT);
}

static int (*const plain_sleeps[])(struct patient *one) = {
	sleeps_plainly_in_submit, sleeps_for_a_time_in_submit,
	sleeps_plainly_in_call, sleeps_for_a_time_in_call,
	sleeps_plainly_in_group_wait, sleeps_in_flush, sleeps_in_flush_item,
	sleeps_in_cancel, sleeps_in_shutdown,
};

static const char *const plain_names[] = {
	"submit", "submit_timeout", "call", "call_timeout", "group_wait",
	"flush", "flush_item", "cancel_sync", "shutdown", NULL
};

/* Fails if a sleep that is not said to be killable is. */
static void signal_does_not_end(int sleep)
{
	struct patient one;

	if (!patient_make(&one_unit))
		return;
	kpool_set_group(&p[0].job, &group);
	occupy(0);
	kt_gate_open(&called);
	if (patient_sleeps(&one, plain_sleeps[sleep], 1)) {
		send_sig(SIGUSR1, one.thread.task, 1);
		send_sig(SIGKILL, one.thread.task, 1);
		kt_sleep_ms(10);
		KT_EXPECT(!kt_thread_done(&one.thread));
		kt_gate_open(&p[0].own);
		KT_EXPECT_EQ(kt_thread_join(&one.thread), 0);
	}
	edges_end();
}

static void call_without_signal_returns_its_result(int kind)
{
	struct patient one;

	if (!patient_make(&one_unit))
		return;
	if (patient_sleeps(&one, sleeps_in_call, kind)) {
		kt_gate_open(&called);
		KT_EXPECT_EQ(kt_thread_join(&one.thread), 0);
		KT_EXPECT_EQ(one.result, 7);
	}
	KT_EXPECT_EQ(atomic_read(&released), 0);
	KT_EXPECT(!abandoned);
	edges_end();
}

/*
 * Given up while it runs, the function goes on, sees it, and is followed by
 * release; given up before, it never runs.
 * Fails (never released) if that is for time-outs alone: mutant
 * call-signal-not-released.
 */
static void signal_abandons_a_running_call(int kind)
{
	struct patient one;

	if (!patient_make(&one_unit))
		return;
	if (patient_sleeps(&one, sleeps_in_call, kind)) {
		KT_EXPECT(kt_wait(atomic_read(&called.started)));
		KT_EXPECT_EQ(patient_signalled(&one), -EINTR);
	}
	KT_EXPECT_EQ(kt_stat(here, abandoned), 1);
	KT_EXPECT_EQ(atomic_read(&released), 0);
	kt_gate_open(&called);
	KT_EXPECT(kt_wait(atomic_read(&released)));
	KT_EXPECT(abandoned);
	edges_end();
	KT_EXPECT_EQ(atomic_read(&released), 1);
}

static void signal_ends_a_call_behind_a_run(const struct kpool_attrs *attrs,
					    int kind, u64 submitted)
{
	struct patient one;

	if (!patient_make(attrs))
		return;
	occupy(0);
	if (patient_sleeps(&one, sleeps_in_call, kind))
		KT_EXPECT_EQ(patient_signalled(&one), -EINTR);
	KT_EXPECT_EQ(atomic_read(&released), 1);
	KT_EXPECT_EQ(kt_stat(here, submitted), submitted);
	KT_EXPECT_EQ(kt_stat(here, cancelled), submitted - 1);
	edges_end();
	KT_EXPECT_EQ(atomic_read(&called.started), 0);
	KT_EXPECT_EQ(atomic_read(&released), 1);
}

static void signal_cancels_a_pending_call(int kind)
{
	signal_ends_a_call_behind_a_run(&queued_one, kind, 2);
}

static void signal_ends_the_submit_of_a_call(int kind)
{
	signal_ends_a_call_behind_a_run(&one_unit, kind, 1);
}

static int (*const nested_sleeps[])(struct patient *one) = {
	sleeps_in_submit, sleeps_in_group_wait, sleeps_in_call,
};

static const char *const nested_names[] = {
	"submit", "group_wait", "call", NULL
};

static struct {
	int	sleep;
	int	signalled;
	int	plain;
} nested;

/* Sleeps for its own pool without success, first with a signal pending. */
static int sleeps_inside(struct kpool_item *item)
{
	struct patient one = {
		.sleep = nested_sleeps[nested.sleep], .interruptible = true,
	};

	/* a member of the group, queued behind this item */
	if (nested.sleep)
		submit(2);
	allow_signal(SIGUSR1);
	send_sig(SIGUSR1, current, 1);
	nested.signalled = one.sleep(&one);
	flush_signals(current);
	disallow_signal(SIGUSR1);
	nested.plain = one.sleep(&one);
	return probe_fn(item);
}

/*
 * A blocked submitter whose signal is pending goes on: no deadlock, so none is
 * refused.
 * Fails (-EDEADLK) if it counts as blocked for good: mutant
 * waiter-with-signal-counts-as-blocked.
 */
static void signal_comes_before_deadlock(int sleep)
{
	if (!patient_make(sleep ? &queued_one : &one_unit))
		return;
	nested.sleep = sleep;
	nested.signalled = 1;
	nested.plain = 1;
	p[0].job.item.fn = sleeps_inside;
	kpool_set_group(&p[2].job, &group);
	submit(0);
	probe_ran(&p[0]);
	KT_EXPECT_EQ(nested.signalled, -EINTR);
	KT_EXPECT_EQ(nested.plain, -EDEADLK);
	edges_end();
}

static struct kt_gate sleep_turn[2];
static int later_got[2];

static int sleeps_first(struct kpool_item *self)
{
	kt_gate_pass(&sleep_turn[0]);
	later_got[0] = kpool_submit(here, item(2));
	return probe_fn(self);
}

static int sleeps_later_with_a_signal(struct kpool_item *self)
{
	kt_gate_pass(&sleep_turn[1]);
	allow_signal(SIGUSR1);
	send_sig(SIGUSR1, current, 1);
	later_got[1] = kpool_submit_interruptible(here, item(3));
	flush_signals(current);
	disallow_signal(SIGUSR1);
	return probe_fn(self);
}

/*
 * Of two that sleep for room the second has a signal pending: it returns, and
 * the first is admitted.
 * Fails (-EDEADLK) if only the one that sleeps for longest is asked: mutant
 * oldest-signal-only.
 */
static void signal_of_a_later_sleeper_comes_before_deadlock(void)
{
	int i;

	if (!edges_make(&two_units))
		return;
	for (i = 0; i < 2; i++) {
		kt_gate_init(&sleep_turn[i]);
		later_got[i] = 1;
	}
	p[0].job.item.fn = sleeps_first;
	p[1].job.item.fn = sleeps_later_with_a_signal;
	submit(0);
	submit(1);
	KT_EXPECT(kt_wait(atomic_read(&sleep_turn[0].started) &&
			  atomic_read(&sleep_turn[1].started)));
	kt_gate_open(&sleep_turn[0]);
	KT_EXPECT(kt_wait(kt_stat(here, blocked) == 1));
	kt_gate_open(&sleep_turn[1]);
	probe_ran(&p[0]);
	probe_ran(&p[1]);
	KT_EXPECT_EQ(later_got[1], -EINTR);
	KT_EXPECT_EQ(later_got[0], 0);
	edges_end();
}

/* Inside a function */

static struct {
	struct hrtimer		timer;
	struct task_struct	*task;
	struct kpool		*inside;
	struct kpool		*in_hardirq;
	bool			hit;
} asked;

static int asks(struct kpool_item *item)
{
	asked.task = current;
	asked.inside = kpool_current();
	return probe_fn(item);
}

static int asks_in_a_kthread(void *unused)
{
	return kpool_current() ? -EINVAL : 0;
}

/*
 * In the pool's item it is the pool, in no other thread.
 * Fails if the data of any kthread is taken for a worker.
 */
static void current_is_the_pool_of_the_worker(void)
{
	static struct {
		struct kt_thread	thread;
		u8			behind[1024];
	} other;
	static const struct kpool_attrs attrs = {
		.capacity = 1, .when_full = KPOOL_FULL_CALLER_RUNS,
	};

	if (!edges_make(&attrs))
		return;
	memset(&asked, 0, sizeof(asked));
	KT_EXPECT(!kpool_current());
	p[0].job.item.fn = asks;
	occupy(0);
	KT_EXPECT(asked.inside == here);
	/* this one is run by its submitter */
	p[1].job.item.fn = asks;
	submit(1);
	KT_EXPECT(asked.task == current);
	KT_EXPECT(!asked.inside);
	KT_EXPECT(!kpool_current());
	memset(&other, 1, sizeof(other));
	if (kt_thread_start(&other.thread, asks_in_a_kthread, NULL))
		KT_EXPECT_EQ(kt_thread_join(&other.thread), 0);
	edges_end();
}

static enum hrtimer_restart asks_in_hardirq(struct hrtimer *timer)
{
	if (current != asked.task) {
		hrtimer_forward_now(timer, ns_to_ktime(NSEC_PER_MSEC));
		return HRTIMER_RESTART;
	}
	asked.in_hardirq = kpool_current();
	WRITE_ONCE(asked.hit, true);
	return HRTIMER_NORESTART;
}

static int is_interrupted(struct kpool_item *item)
{
	ktime_t end = ktime_add_ms(ktime_get(), 10000);

	asked.task = current;
	asked.inside = kpool_current();
	migrate_disable();
	hrtimer_start(&asked.timer, ns_to_ktime(NSEC_PER_MSEC),
		      HRTIMER_MODE_REL_PINNED_HARD);
	while (!READ_ONCE(asked.hit) && ktime_before(ktime_get(), end))
		cpu_relax();
	hrtimer_cancel(&asked.timer);
	migrate_enable();
	return probe_fn(item);
}

/* Fails if the thread alone is checked: mutant current-in-an-interrupt. */
static void current_is_null_in_hardirq(void)
{
	if (!edges_make(&queued_one))
		return;
	memset(&asked, 0, sizeof(asked));
	asked.in_hardirq = here;
	hrtimer_setup(&asked.timer, asks_in_hardirq, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	p[0].job.item.fn = is_interrupted;
	submit(0);
	probe_ran(&p[0]);
	KT_EXPECT(asked.hit);
	KT_EXPECT(asked.inside == here);
	KT_EXPECT(!asked.in_hardirq);
	edges_end();
}

static struct order order;

/* In its first run it changes itself and submits itself. */
static int changes_itself(struct kpool_item *item)
{
	struct probe *one = probe_of(item);
	void (*change)(struct kpool_job *job) = READ_ONCE(one->data);

	if (change) {
		one->data = NULL;
		change(&one->job);
		KT_EXPECT_EQ(kpool_submit(here, item), 0);
	}
	return probe_fn(item);
}

static void becomes_heavy(struct kpool_job *job)
{
	KT_EXPECT_EQ(kpool_set_weight(&job->item, 3), 0);
}

static void becomes_light(struct kpool_job *job)
{
	KT_EXPECT_EQ(kpool_set_weight(&job->item, 1), 0);
}

static void becomes_low(struct kpool_job *job)
{
	KT_EXPECT_EQ(kpool_set_priority(&job->item, KPOOL_PRIO_LOW), 0);
}

static void becomes_late(struct kpool_job *job)
{
	KT_EXPECT_EQ(kpool_set_deadline(job, the_past()), 0);
}

static void (*const changes[])(struct kpool_job *job) = {
	becomes_heavy, becomes_light,
};

static const char *const change_names[] = {
	"becomes_heavy", "becomes_light", NULL
};

/*
 * The run that goes on keeps the units it has; the next takes the new ones.
 * Fails (units are left) if the end looks at the new weight: mutant
 * weight-of-the-next-run.
 */
static void weight_counts_for_the_next_run_if_it(int becomes)
{
	bool heavy = changes[becomes] == becomes_heavy;

	if (!edges_make(&queued_four))
		return;
	p[0].job.item.fn = changes_itself;
	p[0].data = changes[becomes];
	kpool_set_weight(item(0), heavy ? 1 : 3);
	occupy(0);
	KT_EXPECT_EQ(kt_stat(here, units), heavy ? 1 : 3);
	kt_gate_let_one(&p[0].own);
	KT_EXPECT(kt_wait(atomic_read(&p[0].own.started) == 2));
	KT_EXPECT_EQ(kt_stat(here, units), heavy ? 3 : 1);
	edges_end();
}

static void priority_changed_inside_applies_to_the_next_run(void)
{
	static const int expected[] = { 0, 1, 2, 0 };
	int i;

	order_init(&order);
	if (!edges_make(&queued_one))
		return;
	for (i = 0; i < 3; i++)
		p[i].order = &order;
	p[0].job.item.fn = changes_itself;
	p[0].data = becomes_low;
	occupy(0);
	submit(1);
	submit(2);
	kt_gate_open(&p[0].own);
	KT_EXPECT_EQ(kpool_flush(here), 0);
	if (KT_EXPECT_EQ(order.n, 4))
		for (i = 0; i < 4; i++)
			KT_EXPECT_EQ(order.nr[i], expected[i]);
	edges_end();
}

static void deadline_changed_inside_applies_to_the_next_run(void)
{
	if (!edges_make(&queued_one))
		return;
	p[0].job.item.fn = changes_itself;
	p[0].data = becomes_late;
	occupy(0);
	kt_gate_open(&p[0].own);
	KT_EXPECT(kt_wait(atomic_read(&p[0].dropped)));
	KT_EXPECT_EQ(p[0].err, -ETIME);
	KT_EXPECT_EQ(atomic_read(&p[0].ran), 1);
	edges_end();
}

/* Setters of a pending item */

static int sets_itself_up(struct kpool_item *item)
{
	struct kpool_job *job = kpool_job_of(item);

	KT_EXPECT_EQ(kpool_set_stream(job, NULL), -EBUSY);
	KT_EXPECT_EQ(kpool_set_complete_fn(job, NULL), -EBUSY);
	return probe_fn(item);
}

static void expect_setters(int i, int expected)
{
	struct kpool_job *job = &p[i].job;

	KT_EXPECT_EQ(kpool_set_weight(&job->item, 2), expected);
	KT_EXPECT_EQ(kpool_set_priority(&job->item, KPOOL_PRIO_HIGH), expected);
	KT_EXPECT_EQ(kpool_set_deadline(job, the_past()), expected);
	KT_EXPECT_EQ(kpool_set_group(job, &group), expected);
	KT_EXPECT_EQ(kpool_set_complete_fn(job, probe_fn), expected);
	KT_EXPECT_EQ(kpool_set_stream(job, &stream), expected);
}

/*
 * An item that is ready, queued, delayed or waits for its stream is not
 * changed; one whose submit was refused is.
 * Fails (its stream misses it, the units are wrong) if they change it: mutant
 * pending-item-is-set.
 */
static void setters_refuse_a_pending_item(void)
{
	const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 5 };
	int i;

	if (!edges_make(&attrs))
		return;
	kpool_set_weight(item(0), 2);
	occupy(0);
	kpool_set_stream(&p[4].job, &stream);
	kpool_set_stream(&p[5].job, &stream);
	for (i = 1; i < 6; i++)
		submit(i);
	KT_EXPECT_EQ(kpool_try_submit(here, item(6)), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_delayed(here, &p[7].job, 10 * HZ), 0);
	for (i = 1; i < 6; i++)
		expect_setters(i, -EBUSY);
	expect_setters(6, 0);
	expect_setters(7, -EBUSY);
	KT_EXPECT(kpool_cancel(item(7)));
	expect_setters(7, 0);
	kt_gate_open(&p[0].own);
	for (i = 0; i < 6; i++)
		probe_ran(&p[i]);
	edges_end();
}

/* The job waits to be completed when its function has returned. */
static void setters_refuse_a_job_to_be_completed(void)
{
	static struct kpool_stream ordered;
	int i;

	if (!edges_make(&queued_four))
		return;
	kpool_init_ordered_stream(&ordered, here);
	for (i = 0; i < 2; i++) {
		kpool_set_stream(&p[i].job, &ordered);
		kpool_set_complete_fn(&p[i].job, probe_fn);
	}
	occupy(0);
	p[1].job.item.fn = sets_itself_up;
	submit(1);
	KT_EXPECT(kt_wait(!kt_stat(here, pending) && kt_stat(here, running) == 1));
	expect_setters(1, -EBUSY);
	kt_gate_open(&p[0].own);
	KT_EXPECT_EQ(kpool_flush(here), 0);
	edges_end();
}

/* Inside a drop function */

static unsigned long aborted;

static void dropped_aborts(struct kpool_item *item, int err)
{
	aborted = kpool_abort(here);
	probe_dropped(item, err);
}

/* The drop work closes the pool, and drops what is pending by itself. */
static void abort_inside_a_drop_function_ends(void)
{
	if (!edges_make(&queued_one))
		return;
	aborted = 0;
	kpool_set_group(&p[1].job, &group);
	kpool_set_drop_fn(item(1), dropped_aborts);
	occupy(0);
	submit(1);
	submit(2);
	submit(3);
	kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(probes_dropped(p, 4) == 3));
	KT_EXPECT_EQ(aborted, 2);
	KT_EXPECT_EQ(p[1].err, -ECANCELED);
	KT_EXPECT_EQ(p[2].err, -ECANCELED);
	KT_EXPECT_EQ(kpool_submit(here, item(4)), -ESHUTDOWN);
	edges_end();
}

/*
 * The item is dropped when its run has ended, and not by the caller.
 * Fails (1) if it is counted all the same: mutant abort-counts-what-runs.
 */
static void abort_does_not_count_what_still_runs(void)
{
	if (!edges_make(&queued_one))
		return;
	occupy(0);
	submit(0);
	KT_EXPECT_EQ(kpool_abort(here), 0);
	KT_EXPECT_EQ(probes_dropped(p, 1), 0);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(probes_dropped(p, 1) == 1));
	KT_EXPECT_EQ(p[0].err, -ECANCELED);
	edges_end();
}

static void dropped_shuts_down(struct kpool_item *item, int err)
{
	kpool_shutdown(here);
	probe_dropped(item, err);
}

/* Fails (items run) if shutdown ends aborts: mutant shutdown-ends-an-abort. */
static void shutdown_during_an_abort_lets_none_run(void)
{
	if (!edges_make(&queued_one))
		return;
	KT_EXPECT_EQ(kpool_pause(here), 0);
	kpool_set_drop_fn(item(0), dropped_shuts_down);
	submit(0);
	submit(1);
	submit(2);
	KT_EXPECT_EQ(kpool_abort(here), 3);
	KT_EXPECT_EQ(probes_dropped(p, 3), 3);
	KT_EXPECT_EQ(probes_ran(p, 3), 0);
	edges_end();
}

static int dropped_got;

static void dropped_submits(struct kpool_item *item, int err)
{
	kpool_set_deadline(kpool_job_of(item), 0);
	dropped_got = kpool_submit(here, item);
	probe_dropped(item, err);
}

/* The item runs when its drop function has returned, also in a full pool. */
static void item_submitted_in_its_drop_function_runs(void)
{
	if (!edges_make(&queued_one))
		return;
	dropped_got = 1;
	kpool_set_drop_fn(item(0), dropped_submits);
	kpool_set_deadline(&p[0].job, the_past());
	submit(0);
	probe_ran(&p[0]);
	KT_EXPECT_EQ(dropped_got, 0);
	KT_EXPECT_EQ(atomic_read(&p[0].dropped), 1);
	KT_EXPECT_EQ(p[0].err, -ETIME);
	edges_end();
}

static struct kt_gate in_drop_fn;

static void dropped_submits_in_full_pool(struct kpool_item *item, int err)
{
	kt_gate_pass(&in_drop_fn);
	kpool_set_group(kpool_job_of(item), NULL);
	dropped_got = kpool_try_submit(here, item);
	probe_dropped(item, err);
}

/*
 * There it needs room like any other.
 * Fails if its drop function is taken for its own: mutant
 * dropped-item-submits-itself.
 */
static void item_is_refused_in_its_drop_function(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 1 };

	if (!edges_make(&attrs))
		return;
	dropped_got = 1;
	kt_gate_init(&in_drop_fn);
	kpool_set_drop_fn(item(1), dropped_submits_in_full_pool);
	kpool_set_group(&p[1].job, &group);
	occupy(0);
	submit(1);
	kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(atomic_read(&in_drop_fn.started)));
	submit(2);
	kt_gate_open(&in_drop_fn);
	KT_EXPECT(kt_wait(atomic_read(&p[1].dropped)));
	KT_EXPECT_EQ(dropped_got, -EAGAIN);
	KT_EXPECT_EQ(kt_stat(here, refused), 1);
	edges_end();
	KT_EXPECT_EQ(atomic_read(&p[1].ran), 0);
}

static void drop_hands_over(struct kpool_item *item, int err)
{
	dropped_got = kpool_try_submit(next_pool, item);
	probe_dropped(item, err);
}

static const char *const drop_ways[] = { "group_cancel", "abort", NULL };

/*
 * There it cannot be handed to another pool, as its run lasts.
 * Fails (accepted) if its drop function is taken for its own: mutants
 * dropped-item-submits-itself, aborted-item-is-handed-over.
 */
static void item_is_not_handed_over_in_its_drop_function(int aborts)
{
	if (!edges_make(NULL))
		return;
	next_pool = kt_pool("next-home", NULL);
	if (!next_pool)
		goto out;
	dropped_got = 1;
	kpool_set_drop_fn(item(0), drop_hands_over);
	kpool_set_group(&p[0].job, &group);
	KT_EXPECT_EQ(kpool_pause(here), 0);
	submit(0);
	if (aborts)
		KT_EXPECT_EQ(kpool_abort(here), 1);
	else
		kpool_group_cancel(&group);
	KT_EXPECT(kt_wait(atomic_read(&p[0].dropped)));
	KT_EXPECT_EQ(dropped_got, -EBUSY);
	kt_pool_end(next_pool);
out:
	edges_end();
	KT_EXPECT_EQ(atomic_read(&p[0].ran), 0);
}

KT_MODULE("kpool selftest: the edges of the API",
	  KT_CASE(stack_item_may_end_before_its_function),
	  KT_EACH(item_handed_over_runs_in_the_next_pool, names_on),
	  KT_CASE(item_handed_over_may_be_freed_by_its_second_run),
	  KT_EACH(item_handed_over_is_cancelled_in_the_next_pool, pending_as),
	  KT_CASE(item_handed_over_closes_no_cycle),
	  KT_CASE(submit_now_starts_while_units_are_free),
	  KT_CASE(submit_now_is_refused_while_paused),
	  KT_CASE(submit_now_is_refused_behind_a_submitter),
	  KT_CASE(submit_now_is_refused_behind_a_run),
	  KT_CASE(submit_now_answers_in_hardirq),
	  KT_EACH(room_is_called_once_when, room_maker_names),
	  KT_CASE(room_is_called_in_a_nonblocking_pool),
	  KT_CASE(room_may_be_taken_by_the_callback),
	  KT_CASE(room_is_called_for_a_refusal_in_the_callback),
	  KT_CASE(room_is_not_called_without_a_refusal),
	  KT_CASE(room_is_called_when_a_heavy_item_fits),
	  KT_EACH(room_is_called_when_the_lightest_item_fits, heavy_prios),
	  KT_EACH(room_is_called_when_a_higher_item_fits, refused_prios),
	  KT_CASE(room_is_not_called_when_it_is_a_lower_ones_turn),
	  KT_EACH(room_is_called_for_the_higher_of_its_stream, free_units),
	  KT_CASE(room_is_called_between_drops),
	  KT_CASE(room_is_called_behind_a_blocked_submitter),
	  KT_CASE(room_is_called_when_a_stream_continues),
	  KT_CASE(room_is_called_when_a_stream_is_cancelled),
	  KT_CASE(room_is_not_called_when_another_stream_ends),
	  KT_EACH(room_is_called_when_one_of_two_streams_ends, turns),
	  KT_CASE(room_is_not_called_when_a_third_stream_ends),
	  KT_EACH(room_is_called_when_the_lightest_fits, lightest),
	  KT_CASE(room_is_not_called_for_an_earlier_job),
	  KT_CASE(room_is_not_called_by_a_stream_notified_before),
	  KT_CASE(room_is_not_called_for_a_job_of_the_past),
	  KT_CASE(room_callback_may_wait_for_a_group),
	  KT_CASE(room_is_called_when_a_shrunk_pool_is_empty),
	  KT_CASE(room_is_called_when_a_stream_ends_in_a_shrunk_pool),
	  KT_CASE(room_is_not_called_after_destroy),
	  KT_CASE(room_callback_cannot_reopen_the_pool),
	  KT_EACH(plain_item_is_refused_with_a, job_setter_names),
	  KT_EACH(signal_ends_submit, sleeps),
	  KT_EACH(signal_ends_group_wait, sleeps),
	  KT_EACH(signal_does_not_end, plain_names),
	  KT_EACH(call_without_signal_returns_its_result, sleeps),
	  KT_EACH(signal_abandons_a_running_call, sleeps),
	  KT_EACH(signal_cancels_a_pending_call, sleeps),
	  KT_EACH(signal_ends_the_submit_of_a_call, sleeps),
	  KT_CASE(signal_of_a_later_sleeper_comes_before_deadlock),
	  KT_EACH(signal_comes_before_deadlock, nested_names),
	  KT_CASE(current_is_the_pool_of_the_worker),
	  KT_CASE(current_is_null_in_hardirq),
	  KT_EACH(weight_counts_for_the_next_run_if_it, change_names),
	  KT_CASE(priority_changed_inside_applies_to_the_next_run),
	  KT_CASE(deadline_changed_inside_applies_to_the_next_run),
	  KT_CASE(setters_refuse_a_pending_item),
	  KT_CASE(setters_refuse_a_job_to_be_completed),
	  KT_CASE(abort_inside_a_drop_function_ends),
	  KT_CASE(abort_does_not_count_what_still_runs),
	  KT_CASE(shutdown_during_an_abort_lets_none_run),
	  KT_CASE(item_submitted_in_its_drop_function_runs),
	  KT_CASE(item_is_refused_in_its_drop_function),
	  KT_EACH(item_is_not_handed_over_in_its_drop_function, drop_ways));
