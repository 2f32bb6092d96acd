// SPDX-License-Identifier: GPL-2.0-only
/*
 * The submit path: which item is accepted, waits, is refused, and in what
 * order.
 */
#include <linux/sched/signal.h>

#include "full.h"

static const struct kpool_attrs one = { .capacity = 1 };

static struct order order;

static int job_noted(struct kpool_item *item)
{
	order_note(&order, kt_job_of(item)->nr);
	return kt_job_tiny(item);
}

static int submit_timed(void *arg)
{
	struct kt_submitter *s = arg;

	return kpool_submit_timeout(s->pool, s->item, KT_LIMIT * 4);
}

static int submit_killable(void *arg)
{
	struct kt_submitter *s = arg;

	allow_signal(SIGKILL);
	return kpool_submit_killable(s->pool, s->item);
}

/*
 * By default a submitter sleeps until a unit is free.
 * Fails if submit refuses instead, or if the end of an item admits no
 * submitter.
 */
static void full_pool_makes_submit_wait(void)
{
	static struct full f;
	static struct kt_job late;
	struct kt_submitter s;

	if (!full_make(&f, &one))
		goto out;
	kt_job_init(&late, kt_job_tiny, &f.gate, 1);
	if (!kt_submitter_block(&s, f.pool, &late.item))
		goto out;
	KT_EXPECT(!kt_thread_done(&s.thread));
	KT_EXPECT(!kpool_is_pending(&late.item));
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(kpool_flush_item(&late.item), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 2);
out:
	full_end(&f);
}

/*
 * try never sleeps, a timeout of 0 is try, and what they refuse is not kept.
 * Fails if they sleep, return another error, do not count the refusal, or
 * leave the item marked as accepted.
 */
static void try_refuses_when_full(void)
{
	static struct full f;
	static struct kt_job late;

	if (!full_make(&f, &one))
		goto out;
	kt_job_init(&late, kt_job_tiny, &f.gate, 1);
	KT_EXPECT_EQ(kpool_try_submit(f.pool, &late.item), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_timeout(f.pool, &late.item, 0), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(f.pool, refused), 2);
	KT_EXPECT_EQ(kt_stat(f.pool, submitted), 1);
	KT_EXPECT(!kpool_is_pending(&late.item));
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 1);
	KT_EXPECT_EQ(kpool_submit(f.pool, &late.item), 0);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 2);
out:
	full_end(&f);
}

/*
 * A submit whose time is over is not accepted, and leaves the queue at once.
 * Fails if the waiter stays queued: the pool would admit a dead stack frame.
 */
static void timeout_ends_the_wait(void)
{
	static struct full f;
	static struct kt_job late;

	if (!full_make(&f, &one))
		goto out;
	kt_job_init(&late, kt_job_tiny, &f.gate, 1);
	KT_EXPECT_EQ(kpool_submit_timeout(f.pool, &late.item, 2), -ETIMEDOUT);
	KT_EXPECT_EQ(kt_stat(f.pool, blocked), 0);
	KT_EXPECT(!kpool_is_pending(&late.item));
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 1);
out:
	full_end(&f);
}

/*
 * A submit with a timeout is admitted like any other before it is over.
 * Fails if a completed waiter is notified that its time is over.
 */
static void timed_submit_is_accepted(void)
{
	static struct full f;
	static struct kt_job late;
	struct kt_submitter s;

	if (!full_make(&f, &one))
		goto out;
	kt_job_init(&late, kt_job_tiny, &f.gate, 1);
	if (!full_block(&s, submit_timed, f.pool, &late.item))
		goto out;
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 2);
out:
	full_end(&f);
}

/*
 * A killable submit gives up when its task is killed.
 * Fails if it sleeps uninterruptibly, or stays in the queue afterwards.
 */
static void killed_submitter_gives_up(void)
{
	static struct full f;
	static struct kt_job late;
	struct kt_submitter s;

	if (!full_make(&f, &one))
		goto out;
	kt_job_init(&late, kt_job_tiny, &f.gate, 1);
	if (!full_block(&s, submit_killable, f.pool, &late.item))
		goto out;
	send_sig(SIGKILL, s.thread.task, 1);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), -EINTR);
	KT_EXPECT_EQ(kt_stat(f.pool, blocked), 0);
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 1);
out:
	full_end(&f);
}

/*
 * A nonblocking pool refuses instead of sleeping, in every variant of submit.
 * Fails (hangs) if one of them does not look at the policy.
 */
static void nonblocking_overrides_every_submit(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .nonblocking = 1, .fn = kt_gate_pass,
	};
	static struct full f;
	static struct kt_job late;
	struct kpool *pool;

	if (!full_make(&f, &attrs))
		goto out;
	pool = f.pool;
	kt_job_init(&late, kt_job_tiny, &f.gate, 1);
	KT_EXPECT_EQ(kpool_submit(pool, &late.item), -EAGAIN);
	KT_EXPECT_EQ(kpool_try_submit(pool, &late.item), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_timeout(pool, &late.item, KT_LIMIT), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_killable(pool, &late.item), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_fn(pool, kt_gate_pass, &f.gate, GFP_KERNEL),
		     -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_arg(pool, &f.gate, GFP_KERNEL), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(pool, refused), 6);
out:
	full_end(&f);
}

/*
 * At most max_blocked submitters sleep; one more is refused, and when one
 * leaves, another can sleep.
 * Fails if the count is not checked, or not taken back by a timeout.
 */
static void max_blocked_is_a_limit(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .max_blocked = 2 };
	static struct full f;
	static struct kt_job late[4];
	struct kt_submitter s[2] = { };
	int i;

	if (!full_make(&f, &attrs))
		goto out;
	for (i = 0; i < 4; i++)
		kt_job_init(&late[i], kt_job_tiny, &f.gate, i);
	if (!kt_submitter_block(&s[0], f.pool, &late[0].item))
		goto out;
	KT_EXPECT_EQ(kpool_submit_timeout(f.pool, &late[1].item, 1), -ETIMEDOUT);
	if (!kt_submitter_block(&s[1], f.pool, &late[1].item))
		goto out;
	KT_EXPECT_EQ(kpool_submit(f.pool, &late[2].item), -EAGAIN);
	KT_EXPECT_EQ(kpool_tune(f.pool, KPOOL_TUNE_MAX_BLOCKED, 3), 0);
	KT_EXPECT_EQ(kpool_submit_timeout(f.pool, &late[2].item, 1), -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_tune(f.pool, KPOOL_TUNE_MAX_BLOCKED, 1), 0);
	KT_EXPECT_EQ(kpool_submit(f.pool, &late[3].item), -EAGAIN);
	KT_EXPECT_EQ(kt_stat(f.pool, blocked), 2);
out:
	kt_gate_open(&f.gate);
	for (i = 0; i < 2; i++)
		if (s[i].thread.task)
			KT_EXPECT_EQ(kt_thread_join(&s[i].thread), 0);
	full_end(&f);
}

/*
 * queue_depth items wait in the pool, in order; the next submitter does not
 * get in.
 * Fails if the depth is off by one, or the queue is not first in, first out.
 */
static void queue_holds_queue_depth_items(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 3 };
	static struct full f;
	static struct kt_job late[4];
	int i;

	if (!full_make(&f, &attrs))
		goto out;
	order_init(&order);
	for (i = 0; i < 4; i++)
		kt_job_init(&late[i], job_noted, &f.gate, i);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kpool_submit(f.pool, &late[i].item), 0);
	KT_EXPECT_EQ(kt_stat(f.pool, pending), 3);
	KT_EXPECT_EQ(kt_stat(f.pool, alive), 1);
	KT_EXPECT(kpool_is_pending(&late[2].item));
	KT_EXPECT_EQ(kpool_try_submit(f.pool, &late[3].item), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_timeout(f.pool, &late[3].item, 1), -ETIMEDOUT);
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	order_expect_rising(&order, 3);
out:
	full_end(&f);
}

#define ARRIVALS	24

/* Block ARRIVALS submitters, one after the other. */
static int block_in_order(struct full *f, struct kt_job *late,
			  struct kt_submitter *s)
{
	int i;

	order_init(&order);
	for (i = 0; i < ARRIVALS; i++) {
		kt_job_init(&late[i], job_noted, &f->gate, i);
		if (!kt_submitter_block(&s[i], f->pool, &late[i].item))
			break;
	}
	return i;
}

/*
 * Callers blocked in submit are admitted strictly in order of arrival, after
 * what is queued.
 * Fails if waiters are woken to race for room, or admitted from the wrong end.
 */
static void submitters_are_admitted_in_order_of_arrival(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 2 };
	static struct kt_submitter s[ARRIVALS];
	static struct kt_job late[ARRIVALS];
	static struct kt_job queued[2];
	static struct full f;
	int i, n = 0;

	if (!full_make(&f, &attrs))
		goto out;
	for (i = 0; i < 2; i++) {
		kt_job_init(&queued[i], kt_job_tiny, &f.gate, i);
		KT_EXPECT_EQ(kpool_submit(f.pool, &queued[i].item), 0);
	}
	n = block_in_order(&f, late, s);
out:
	kt_gate_open(&f.gate);
	for (i = 0; i < n; i++)
		KT_EXPECT_EQ(kt_thread_join(&s[i].thread), 0);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	order_expect_rising(&order, ARRIVALS);
	full_end(&f);
}

/*
 * A submitter that leaves the middle of the queue does not disturb the others.
 * Fails if a cancelled waiter takes its neighbours along, or their order.
 */
static void timeout_keeps_the_order_of_the_others(void)
{
	static struct kt_submitter s[ARRIVALS];
	static struct kt_job late[ARRIVALS];
	static struct full f;
	int i, n = 0;

	if (!full_make(&f, &one))
		goto out;
	n = block_in_order(&f, late, s);
	for (i = 0; i < n; i += 3) {
		KT_EXPECT(!kpool_cancel(&late[i].item));
		KT_EXPECT_EQ(kt_thread_join(&s[i].thread), -ECANCELED);
	}
out:
	kt_gate_open(&f.gate);
	for (i = 0; i < n; i++)
		if (i % 3)
			KT_EXPECT_EQ(kt_thread_join(&s[i].thread), 0);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(order.n, ARRIVALS - DIV_ROUND_UP(ARRIVALS, 3));
	for (i = 1; i < order.n; i++)
		KT_EXPECT(order.nr[i - 1] < order.nr[i]);
	full_end(&f);
}

/* Submit by try until it is accepted; one submitter sleeps already. */
static void overtake(struct full *f, struct kt_job *newcomer)
{
	unsigned long end = jiffies + KT_LIMIT;
	int err;

	kt_gate_open(&f->gate);
	do {
		err = kpool_try_submit(f->pool, &newcomer->item);
		if (kt_exact)	/* where a busy loop stops the clock */
			usleep_range(1, 2);
		cond_resched();
	} while (err == -EAGAIN && time_before(jiffies, end));
	KT_EXPECT_EQ(err, 0);
}

/*
 * A newcomer never overtakes one that sleeps: the moment a unit becomes free,
 * a try that hammers the pool must not get it.
 * Fails if a finishing worker gives up its unit before it has admitted the
 * waiters, and submit does not look whether anyone waits.
 */
static void newcomer_never_overtakes(void)
{
	static struct kt_job late, newcomer;
	static struct full f;
	struct kt_submitter s;
	int round;

	for (round = 0; round < 40; round++) {
		order_init(&order);
		if (!full_make(&f, &one)) {
			full_end(&f);
			return;
		}
		kt_job_init(&late, job_noted, &f.gate, 0);
		kt_job_init(&newcomer, job_noted, &f.gate, 1);
		if (kt_submitter_block(&s, f.pool, &late.item))
			overtake(&f, &newcomer);
		kt_gate_open(&f.gate);
		KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
		KT_EXPECT_EQ(kpool_flush(f.pool), 0);
		order_expect_rising(&order, 2);
		full_end(&f);
	}
}

/*
 * While a pool is paused, an item that does not fit waits, and try is refused
 * although no item runs; resume admits them in order.
 * Fails if try looks at the running items alone.
 */
static void try_is_refused_while_a_submitter_waits(void)
{
	static struct kt_job late[3], newcomer;
	static struct kt_gate gate;
	struct kt_submitter s[3] = { };
	struct kpool *pool = kt_pool("paused", &one);
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	order_init(&order);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	for (i = 0; i < 3; i++) {
		kt_job_init(&late[i], job_noted, &gate, i);
		kt_submitter_start(&s[i], pool, &late[i].item);
		KT_EXPECT(kt_wait(kt_stat(pool, pending) +
				  kt_stat(pool, blocked) == i + 1));
	}
	kt_job_init(&newcomer, job_noted, &gate, 3);
	KT_EXPECT_EQ(kpool_try_submit(pool, &newcomer.item), -EAGAIN);
	KT_EXPECT_EQ(order.n, 0);
	kpool_resume(pool);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kt_thread_join(&s[i].thread), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &newcomer.item), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	order_expect_rising(&order, 4);
	kt_pool_end(pool);
}

/*
 * A pending item is refused with -EALREADY and runs once; so is one whose
 * submitter sleeps.
 * Fails if the second submit is counted, or links the item a second time.
 */
static void pending_item_is_refused(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 1 };
	static struct full f;
	static struct kt_job queued, late;
	struct kt_submitter s;

	if (!full_make(&f, &attrs))
		goto out;
	kt_job_init(&queued, kt_job_tiny, &f.gate, 1);
	kt_job_init(&late, kt_job_tiny, &f.gate, 2);
	KT_EXPECT_EQ(kpool_submit(f.pool, &queued.item), 0);
	KT_EXPECT_EQ(kpool_submit(f.pool, &queued.item), -EALREADY);
	KT_EXPECT_EQ(kpool_try_submit(f.pool, &queued.item), -EALREADY);
	if (!kt_submitter_block(&s, f.pool, &late.item))
		goto out;
	KT_EXPECT_EQ(kpool_submit(f.pool, &late.item), -EALREADY);
	KT_EXPECT_EQ(kpool_try_submit(f.pool, &late.item), -EALREADY);
	KT_EXPECT_EQ(kt_stat(f.pool, submitted), 2);
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 3);
	KT_EXPECT_EQ(kt_stat(f.pool, submitted), 3);
out:
	full_end(&f);
}

static struct kpool *race_pool;
static atomic_t race_accepted;

/* Submit one item many times, with hardly any timeout. */
static int race_main(void *arg)
{
	struct kt_job *job = arg;
	int i, err;

	for (i = 0; i < kt_count(300); i++) {
		err = kpool_submit_timeout(race_pool, &job->item, i & 1);
		if (!err)
			atomic_inc(&race_accepted);
		else
			KT_EXPECT(err == -ETIMEDOUT || err == -EAGAIN ||
				  err == -EALREADY);
	}
	return 0;
}

/* The sleeps of the jobs end in the same tick as the time of a submitter. */
static int job_short(struct kpool_item *item)
{
	if (kt_job_of(item)->nr & 1)
		schedule_timeout_uninterruptible(1);
	return kt_job_tiny(item);
}

/*
 * Each submit that returned 0 is a run, and each that did not is none.  That
 * holds, too, when the time ends at the moment of being admitted.
 * Fails if a timeout does not look again, under the lock, whether it has been
 * admitted.
 */
static void timeout_races_with_admission(void)
{
	static struct kt_thread t[6];
	static struct kt_job jobs[6];
	static struct kt_gate gate;
	int i;

	race_pool = kt_pool("race", &(struct kpool_attrs){
		.capacity = 2, .queue_depth = KPOOL_NONE });
	if (!race_pool)
		return;
	kt_gate_init(&gate);
	atomic_set(&race_accepted, 0);
	for (i = 0; i < 6; i++) {
		kt_job_init(&jobs[i], job_short, &gate, i);
		kt_thread_start(&t[i], race_main, &jobs[i]);
	}
	for (i = 0; i < 6; i++)
		kt_thread_join(&t[i]);
	KT_EXPECT_EQ(kpool_flush(race_pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), atomic_read(&race_accepted));
	KT_EXPECT_EQ(kt_stat(race_pool, submitted), atomic_read(&race_accepted));
	kt_pool_end(race_pool);
}

static const char *const gfp_names[] = { "kernel", "noio", "nofs", NULL };
static gfp_t fn_gfp;

static int fn_main(void *arg)
{
	struct full *f = arg;

	return kpool_submit_fn(f->pool, kt_gate_pass, &f->gate, fn_gfp);
}

/*
 * The function form runs the function with its argument; GFP_ATOMIC makes it
 * a try, with others it sleeps for room.
 * Fails if gfp does not decide whether to sleep, or a refused one leaks
 * (kmemleak) or runs; mutant sleeps-for-gfp-kernel-only.
 */
static void function_form_sleeps_as_gfp_allows(int name)
{
	static const gfp_t gfps[] = { GFP_KERNEL, GFP_NOIO, GFP_NOFS };
	static struct full f;
	struct kt_thread t;

	if (!full_make(&f, &one))
		goto out;
	fn_gfp = gfps[name];
	KT_EXPECT_EQ(kpool_submit_fn(f.pool, kt_gate_pass, &f.gate, GFP_ATOMIC),
		     -EAGAIN);
	if (!kt_thread_start(&t, fn_main, &f))
		goto out;
	KT_EXPECT(kt_wait(kt_stat(f.pool, blocked) == 1));
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kt_thread_join(&t), 0);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(kpool_submit_fn(f.pool, kt_gate_pass, &f.gate, GFP_ATOMIC),
		     0);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 3);
out:
	full_end(&f);
}

static int add_up(void *arg)
{
	static atomic_t sum;

	atomic_add((long)arg, &sum);
	return (long)arg ? 0 : atomic_xchg(&sum, 0) == 4950 ? 0 : -EILSEQ;
}

/*
 * kpool_submit_arg() passes each argument to the pool-wide function once, and
 * an error it returns is counted.
 * Fails if an argument is lost or mixed up, or the result is not checked.
 */
static void submit_arg_runs_the_pools_function(void)
{
	static const struct kpool_attrs attrs = { .capacity = 4, .fn = add_up };
	struct kpool *pool = kt_pool("submit_arg", &attrs);
	long i;

	if (!pool)
		return;
	for (i = 1; i < 100; i++)
		KT_EXPECT_EQ(kpool_submit_arg(pool, (void *)i, GFP_KERNEL), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, failed), 0);
	KT_EXPECT_EQ(kpool_submit_arg(pool, NULL, GFP_KERNEL), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, failed), 0);
	KT_EXPECT_EQ(kpool_submit_arg(pool, NULL, GFP_KERNEL), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, failed), 1);
	KT_EXPECT_EQ(kt_stat(pool, completed), 101);
	kt_pool_end(pool);
}

/*
 * Nothing without a function is accepted.
 * Fails (oopses) if submit does not look.
 */
static void no_function_is_invalid(void)
{
	static struct kpool_item item;
	struct kpool *pool = kt_pool("nothing", &one);

	if (!pool)
		return;
	kpool_init_item(&item, NULL);
	KT_EXPECT_EQ(kpool_submit(pool, &item), -EINVAL);
	KT_EXPECT_EQ(kpool_try_submit(pool, &item), -EINVAL);
	KT_EXPECT_EQ(kpool_submit_fn(pool, NULL, NULL, GFP_KERNEL), -EINVAL);
	KT_EXPECT_EQ(kpool_submit_arg(pool, NULL, GFP_KERNEL), -EINVAL);
	kpool_shutdown(pool);
	KT_EXPECT_EQ(kpool_submit(pool, &item), -EINVAL);
	KT_EXPECT_EQ(kt_stat(pool, submitted), 0);
	kt_pool_end(pool);
}

/*
 * Of several errors, the first in the manual's order is returned.
 * Fails if any two are checked in another order.
 */
static void first_error_is_returned(void)
{
	struct kpool *pool = kt_pool("first", &one), *other = kt_pool("other", &one);
	static struct kpool_group group;
	static struct kpool_job job;

	if (!pool || !other)
		goto out;
	kpool_init_job(&job, kt_job_tiny);
	KT_EXPECT_EQ(kpool_init_group(&group, pool, NULL, 0), 0);
	kpool_group_cancel(&group);
	KT_EXPECT_EQ(kpool_set_group(&job, &group), 0);
	KT_EXPECT_EQ(kpool_try_submit(pool, &job.item), -ECANCELED);
	KT_EXPECT_EQ(kpool_try_submit(other, &job.item), -EINVAL);
	KT_EXPECT_EQ(kpool_set_weight(&job.item, 2), 0);
	KT_EXPECT_EQ(kpool_try_submit(pool, &job.item), -EINVAL);
	KT_EXPECT_EQ(kpool_disable(&job.item), 0);
	KT_EXPECT_EQ(kpool_try_submit(pool, &job.item), -ECANCELED);
	KT_EXPECT_EQ(kpool_enable(&job.item), 0);
	kpool_shutdown(pool);
	KT_EXPECT_EQ(kpool_try_submit(pool, &job.item), -ESHUTDOWN);
out:
	kt_pool_end(pool);
	kt_pool_end(other);
}

/*
 * A closed pool refuses every variant, and says so rather than -EAGAIN.
 * Fails if closing is checked after room, or after disable: mutant
 * disabled-before-closed; or before the item, which can be pending.
 */
static void closed_pool_refuses_every_submit(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 1 };
	static struct full f;
	static struct kt_job late;

	if (!full_make(&f, &attrs))
		goto out;
	kt_job_init(&late, kt_job_tiny, &f.gate, 1);
	KT_EXPECT_EQ(kpool_submit(f.pool, &f.job[0].item), 0);
	kpool_shutdown(f.pool);
	KT_EXPECT_EQ(kpool_submit(f.pool, &f.job[0].item), -EALREADY);
	KT_EXPECT_EQ(kpool_submit(f.pool, &late.item), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_try_submit(f.pool, &late.item), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_submit_timeout(f.pool, &late.item, 1), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_submit_killable(f.pool, &late.item), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_submit_fn(f.pool, kt_gate_pass, &f.gate, GFP_KERNEL),
		     -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_disable(&late.item), 0);
	KT_EXPECT_EQ(kpool_try_submit(f.pool, &late.item), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_enable(&late.item), 0);
	KT_EXPECT_EQ(kt_stat(f.pool, refused), 0);
out:
	full_end(&f);
}

/* The first queued item must have waited since some tick of @from to @to. */
static void expect_oldest(struct kpool *pool, unsigned long from,
			  unsigned long to)
{
	unsigned int least = jiffies_to_msecs(jiffies - to);
	u64 oldest = kt_stat(pool, oldest_pending_ms);

	KT_EXPECT_GE(oldest, least);
	KT_EXPECT_LE(oldest, jiffies_to_msecs(jiffies - from));
}

/*
 * The stats report how long the first queued item has waited, to the tick, and
 * 0 when nothing is queued.
 * Fails if it is the time of the last, of a start, or of what has left.
 */
static void stats_show_how_long_the_first_has_waited(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 2 };
	unsigned long from[2], to[2];
	static struct kt_job late[2];
	static struct full f;
	int i;

	if (!full_make(&f, &attrs))
		goto out;
	kt_sleep_ms(50);
	KT_EXPECT_EQ(kt_stat(f.pool, oldest_pending_ms), 0);
	for (i = 0; i < 2; i++) {
		kt_job_init(&late[i], kt_job_tiny, &f.gate, i);
		from[i] = jiffies;
		KT_EXPECT_EQ(kpool_submit(f.pool, &late[i].item), 0);
		to[i] = jiffies;
		kt_sleep_ms(kt_ms(12345, 200));
		expect_oldest(f.pool, from[0], to[0]);
	}
	KT_EXPECT_GE(kt_stat(f.pool, oldest_pending_ms), 2 * kt_ms(12345, 200) - 10);
	KT_EXPECT(kpool_cancel(&late[0].item));
	expect_oldest(f.pool, from[1], to[1]);
	KT_EXPECT(kpool_cancel(&late[1].item));
	KT_EXPECT_EQ(kt_stat(f.pool, oldest_pending_ms), 0);
out:
	full_end(&f);
}

/*
 * A submit that does not take the lock still notes when it came.
 * Fails if the item gets the time of an earlier one, or of the last unlock.
 */
static void submit_without_the_lock_has_its_time(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 4 };
	static struct kt_job late[4];
	unsigned long from, to;
	static struct full f;
	int i;

	if (!full_make(&f, &attrs))
		goto out;
	for (i = 0; i < 4; i++)
		kt_job_init(&late[i], kt_job_tiny, &f.gate, i);
	from = jiffies;
	KT_EXPECT_EQ(kpool_submit(f.pool, &late[0].item), 0);
	KT_EXPECT_EQ(kpool_submit(f.pool, &late[1].item), 0);
	to = jiffies;
	kt_sleep_ms(kt_ms(12345, 200));
	KT_EXPECT(kpool_cancel(&late[0].item));
	expect_oldest(f.pool, from, to);

	KT_EXPECT_EQ(kpool_submit(f.pool, &late[2].item), 0);
	/* nothing takes the lock until the next submit */
	kt_sleep_ms(100);
	from = jiffies;
	KT_EXPECT_EQ(kpool_submit(f.pool, &late[3].item), 0);
	to = jiffies;
	kt_sleep_ms(kt_ms(12345, 200));
	KT_EXPECT(kpool_cancel(&late[1].item));
	KT_EXPECT(kpool_cancel(&late[2].item));
	expect_oldest(f.pool, from, to);
	KT_EXPECT(kpool_cancel(&late[3].item));
out:
	full_end(&f);
}

/*
 * A special submit has its time, too, while an item with a weight is pending.
 * Fails if the item gets the time of the next lock holder.
 */
static void special_submit_without_the_lock_has_its_time(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 4 };
	static struct kt_job late[2];
	unsigned long from, to;
	static struct full f;
	int i;

	if (!full_make(&f, &attrs))
		goto out;
	from = jiffies;
	for (i = 0; i < 2; i++) {
		kt_job_init(&late[i], kt_job_tiny, &f.gate, i);
		KT_EXPECT_EQ(kpool_set_priority(&late[i].item, KPOOL_PRIO_LOW),
			     0);
		KT_EXPECT_EQ(kpool_submit(f.pool, &late[i].item), 0);
	}
	to = jiffies;
	kt_sleep_ms(kt_ms(12345, 200));
	KT_EXPECT(kpool_cancel(&late[0].item));
	expect_oldest(f.pool, from, to);
	KT_EXPECT(kpool_cancel(&late[1].item));
out:
	full_end(&f);
}

/*
 * A special submit is refused like any other, and nothing is changed.
 * Fails if it is not checked.
 */
static void special_submit_without_the_lock_is_checked(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 9 };
	static struct kt_job late[2];
	static struct kpool_group group;
	static struct kpool_job job;
	static struct full f;
	int i;

	if (!full_make(&f, &attrs))
		goto out;
	KT_EXPECT_EQ(kpool_init_group(&group, f.pool, NULL, 0), 0);
	kpool_group_cancel(&group);
	for (i = 0; i < 2; i++)
		kt_job_init(&late[i], kt_job_tiny, &f.gate, i);
	KT_EXPECT_EQ(kpool_set_priority(&late[0].item, KPOOL_PRIO_LOW), 0);
	KT_EXPECT_EQ(kpool_set_weight(&late[1].item, 2), 0);
	KT_EXPECT_EQ(kpool_submit(f.pool, &late[0].item), 0);
	KT_EXPECT_EQ(kpool_submit(f.pool, &late[1].item), -EINVAL);
	KT_EXPECT_EQ(kt_stat(f.pool, submitted), 2);

	KT_EXPECT(kpool_cancel(&late[0].item));
	KT_EXPECT_EQ(kpool_submit(f.pool, &late[0].item), 0);
	kpool_init_job(&job, kt_job_tiny);
	KT_EXPECT_EQ(kpool_set_group(&job, &group), 0);
	KT_EXPECT_EQ(kpool_submit(f.pool, &job.item), -ECANCELED);
	KT_EXPECT_EQ(kt_stat(f.pool, submitted), 3);
out:
	full_end(&f);
}

static const char *const locking[] = { "rarely", "each_time", NULL };

/*
 * Not flushed: while a flusher waits, the worker takes the lock for each item.
 * Fails if the worker loses items when many are queued, by submits that take
 * the lock rarely or each time.
 */
static void many_queued_items_run_without_a_flush(int locked)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 200 };
	static struct kt_job late[200];
	static struct full f;
	int i;

	if (!full_make(&f, &attrs))
		goto out;
	for (i = 0; i < 200; i++) {
		kt_job_init(&late[i], kt_job_tiny, &f.gate, i);
		KT_EXPECT_EQ(kpool_submit(f.pool, &late[i].item), 0);
		/* closes the inbox */
		if (locked)
			KT_EXPECT_EQ(kt_stat(f.pool, pending), i + 1);
	}
	kt_gate_open(&f.gate);
	KT_EXPECT(kt_wait(atomic_read(&f.gate.finished) == 201));
out:
	full_end(&f);
}

static int flushes(void *s)
{
	return kpool_flush(((struct kt_submitter *)s)->pool);
}

static int shuts_down(void *s)
{
	return kpool_shutdown_timeout(((struct kt_submitter *)s)->pool, KT_LIMIT);
}

static int does_nothing(void *unused)
{
	return 0;
}

static int calls(void *s)
{
	return kpool_call(((struct kt_submitter *)s)->pool, does_nothing, NULL,
			  NULL);
}

static const char *const sleeps[] = {
	"plain", "timed", "killable", "call", "flush", "shutdown", NULL
};

/*
 * A kthread that is held back is idle: to be held back for minutes is no load,
 * and no hung task to be reported.
 */
static void blocked_kthread_is_idle(int how)
{
	static int (*const fn[])(void *arg) = {
		kt_submitter_main, submit_timed, submit_killable, calls,
		flushes, shuts_down,
	};
	static struct full f;
	static struct kt_job late;
	struct kt_submitter s;
	bool submits = how < 4;

	if (!full_make(&f, &one))
		goto out;
	kt_job_init(&late, kt_job_tiny, &f.gate, 1);
	s.pool = f.pool;
	s.item = &late.item;
	if (kt_thread_start(&s.thread, fn[how], &s) &&
	    KT_EXPECT(kt_wait(kt_stat(f.pool, blocked) == submits)) &&
	    kt_thread_asleep(&s.thread))
		KT_EXPECT_EQ(task_state_to_char(s.thread.task), 'I');
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
out:
	full_end(&f);
}

KT_MODULE("kpool selftest: the submit path",
	  KT_CASE(full_pool_makes_submit_wait),
	  KT_EACH(blocked_kthread_is_idle, sleeps),
	  KT_CASE(try_refuses_when_full),
	  KT_CASE(timeout_ends_the_wait),
	  KT_CASE(timed_submit_is_accepted),
	  KT_CASE(killed_submitter_gives_up),
	  KT_CASE(nonblocking_overrides_every_submit),
	  KT_CASE(max_blocked_is_a_limit),
	  KT_CASE(queue_holds_queue_depth_items),
	  KT_CASE(submitters_are_admitted_in_order_of_arrival),
	  KT_CASE(timeout_keeps_the_order_of_the_others),
	  KT_CASE(newcomer_never_overtakes),
	  KT_CASE(try_is_refused_while_a_submitter_waits),
	  KT_CASE(pending_item_is_refused),
	  KT_CASE(timeout_races_with_admission),
	  KT_EACH(function_form_sleeps_as_gfp_allows, gfp_names),
	  KT_CASE(submit_arg_runs_the_pools_function),
	  KT_CASE(no_function_is_invalid),
	  KT_CASE(first_error_is_returned),
	  KT_CASE(closed_pool_refuses_every_submit),
	  KT_CASE(stats_show_how_long_the_first_has_waited),
	  KT_CASE(submit_without_the_lock_has_its_time),
	  KT_CASE(special_submit_without_the_lock_has_its_time),
	  KT_CASE(special_submit_without_the_lock_is_checked),
	  KT_EACH(many_queued_items_run_without_a_flush, locking));
