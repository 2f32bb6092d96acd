// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where kpool can be called from: hardirq, softirq, under raw spinlocks, by a
 * dying task.
 *
 * What is wrong here shows as "sleeping function called from invalid context",
 * as a lockdep report, or as a hang.
 */
#include <linux/hrtimer.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/task_work.h>
#include <linux/timer.h>

#include "compat.h"
#include "full.h"

#define ITEMS	8

static const struct kpool_attrs roomy = {
	.capacity = 4, .queue_depth = KPOOL_UNLIMITED,
};

/* The submits from another context, and how they are known to be over. */
static struct {
	struct kpool		*pool;
	struct kt_gate		gate;
	struct kt_job		job[ITEMS];
	void			(*fn)(void);
	struct completion	done;
	struct hrtimer		hrtimer;
	struct timer_list	timer;
	struct callback_head	work;
} ctx;

static bool ctx_make(const struct kpool_attrs *attrs, kpool_item_fn fn)
{
	int i;

	kt_gate_init(&ctx.gate);
	init_completion(&ctx.done);
	for (i = 0; i < ITEMS; i++)
		kt_job_init(&ctx.job[i], fn, &ctx.gate, i);
	ctx.pool = kt_pool("context", attrs);
	return ctx.pool;
}

static void ctx_end(void)
{
	kt_gate_open(&ctx.gate);
	kt_pool_end(ctx.pool);
}

static enum hrtimer_restart ctx_hrtimer(struct hrtimer *timer)
{
	KT_EXPECT(in_hardirq());
	ctx.fn();
	complete(&ctx.done);
	return HRTIMER_NORESTART;
}

static void in_hardirq_do(void (*fn)(void))
{
	ctx.fn = fn;
	hrtimer_setup(&ctx.hrtimer, ctx_hrtimer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	hrtimer_start(&ctx.hrtimer, ns_to_ktime(NSEC_PER_MSEC),
		      HRTIMER_MODE_REL_HARD);
	KT_EXPECT(wait_for_completion_timeout(&ctx.done, KT_LIMIT));
	hrtimer_cancel(&ctx.hrtimer);
}

static void ctx_timer(struct timer_list *timer)
{
	KT_EXPECT(in_serving_softirq());
	ctx.fn();
	complete(&ctx.done);
}

static void in_softirq_do(void (*fn)(void))
{
	ctx.fn = fn;
	timer_setup(&ctx.timer, ctx_timer, 0);
	mod_timer(&ctx.timer, jiffies + 1);
	KT_EXPECT(wait_for_completion_timeout(&ctx.done, KT_LIMIT));
	timer_delete_sync(&ctx.timer);
}

static void under_raw_spinlock_do(void (*fn)(void))
{
	static DEFINE_RAW_SPINLOCK(lock);
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	fn();
	raw_spin_unlock_irqrestore(&lock, flags);
}

static void try_all(void)
{
	bool gated = ctx.job[0].item.fn == kt_job_gated;
	int i;

	for (i = 0; i < ITEMS; i++)
		KT_EXPECT_EQ(kpool_try_submit(ctx.pool, &ctx.job[i].item), 0);
	/* others can have run already */
	KT_EXPECT(kpool_is_pending(&ctx.job[ITEMS - 1].item) || !gated);
}

/* Submit somewhere to a pool without a worker; all must run. */
static void submit_there(void (*there)(void (*fn)(void)))
{
	if (!ctx_make(&roomy, kt_job_gated))
		return;
	there(try_all);
	KT_EXPECT(kt_wait(atomic_read(&ctx.gate.started) == 4));
	KT_EXPECT_EQ(kt_stat(ctx.pool, alive), 4);
	kt_gate_open(&ctx.gate);
	KT_EXPECT_EQ(kpool_flush(ctx.pool), 0);
	KT_EXPECT_EQ(atomic_read(&ctx.gate.finished), ITEMS);
	ctx_end();
}

/*
 * Submit works in hardirq, and the pool grows on demand from there.
 * Fails if the lock leaves interrupts on, or submit makes a thread itself.
 */
static void submit_in_hardirq_grows_the_pool(void)
{
	submit_there(in_hardirq_do);
}

/* Submit in softirq. */
static void submit_in_softirq_grows_the_pool(void)
{
	submit_there(in_softirq_do);
}

/*
 * Submit under a raw spinlock with interrupts off.
 * Fails if the pool's lock is not raw (lockdep; PREEMPT_RT), or unlocking it
 * turns interrupts on.
 */
static void submit_under_raw_spinlock_grows_the_pool(void)
{
	submit_there(under_raw_spinlock_do);
}

static void refuse(void)
{
	KT_EXPECT_EQ(kpool_try_submit(ctx.pool, &ctx.job[1].item), -EAGAIN);
	KT_EXPECT_EQ(kpool_submit_timeout(ctx.pool, &ctx.job[1].item, 0),
		     -EAGAIN);
}

static void refuse_by_policy(void)
{
	refuse();
	KT_EXPECT_EQ(kpool_submit(ctx.pool, &ctx.job[1].item), -EAGAIN);
}

/*
 * try is refused on a full pool, and submit on a full nonblocking one, where
 * sleeping is impossible.
 * Fails if either sleeps.
 */
static void full_pool_refuses_in_hardirq(void)
{
	struct kpool_attrs attrs = { .capacity = 1 };
	int i;

	for (i = 0; i < 2; i++) {
		attrs.nonblocking = i;
		if (!ctx_make(&attrs, kt_job_gated))
			return;
		KT_EXPECT_EQ(kpool_submit(ctx.pool, &ctx.job[0].item), 0);
		in_hardirq_do(i ? refuse_by_policy : refuse);
		ctx_end();
	}
}

static void refuse_after_tune(void)
{
	KT_EXPECT_EQ(kpool_submit(ctx.pool, &ctx.job[1].item), -EAGAIN);
}

/*
 * A pool that was created nonblocking for its callers in interrupts and under
 * raw spinlocks cannot be made blocking, and refuses them as before.
 * Fails (scheduling while atomic) if it can.
 */
static void pool_created_nonblocking_refuses_anywhere(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .nonblocking = 1,
	};

	if (!ctx_make(&attrs, kt_job_gated))
		return;
	KT_EXPECT_EQ(kpool_submit(ctx.pool, &ctx.job[0].item), 0);
	KT_EXPECT_EQ(kpool_tune(ctx.pool, KPOOL_TUNE_NONBLOCKING, KPOOL_NONE),
		     -EPERM);
	in_hardirq_do(refuse_after_tune);
	under_raw_spinlock_do(refuse_after_tune);
	reinit_completion(&ctx.done);
	in_softirq_do(refuse_after_tune);
	KT_EXPECT_EQ(kt_stat(ctx.pool, refused), 3);
	KT_EXPECT_EQ(kt_stat(ctx.pool, blocked), 0);
	ctx_end();
}

static void with_interrupts_off_do(void (*fn)(void))
{
	local_irq_disable();
	fn();
	KT_EXPECT(irqs_disabled());
	local_irq_enable();
}

static void (*const sleepless[])(void (*fn)(void)) = {
	in_softirq_do, with_interrupts_off_do,
};

static const char *const sleepless_names[] = {
	"softirq", "interrupts_off", NULL
};

/*
 * A submit that can sleep is refused where it must not.
 * Fails (scheduling while atomic, or it sleeps and turns interrupts on) if the
 * context is not checked: mutants softirq-sleeps, interrupts-off-sleeps.
 */
static void submit_that_may_sleep_is_refused_in(int context)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };

	if (IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP)) {
		kt_skip("this kernel complains of the caller, as it should");
		return;
	}
	if (!ctx_make(&attrs, kt_job_gated))
		return;
	KT_EXPECT_EQ(kpool_submit(ctx.pool, &ctx.job[0].item), 0);
	sleepless[context](refuse_after_tune);
	KT_EXPECT_EQ(kt_stat(ctx.pool, blocked), 0);
	ctx_end();
}

static void turn_items(void)
{
	struct kpool_item *pending = &ctx.job[ITEMS - 1].item;
	struct kpool_item *running = &ctx.job[0].item;

	KT_EXPECT(kpool_is_pending(pending));
	KT_EXPECT(kpool_cancel(pending));
	KT_EXPECT(!kpool_is_pending(pending));
	KT_EXPECT(!kpool_cancel(running));
	KT_EXPECT_EQ(kpool_disable(running), 0);
	KT_EXPECT_EQ(kpool_try_submit(ctx.pool, running), -ECANCELED);
	KT_EXPECT_EQ(kpool_disable(&ctx.job[ITEMS - 2].item), 1);
	KT_EXPECT_EQ(kpool_enable(&ctx.job[ITEMS - 2].item), 0);
	KT_EXPECT_EQ(kpool_enable(running), 0);
	kpool_init_item(pending, kt_job_tiny);
	KT_EXPECT_EQ(kpool_try_submit(ctx.pool, pending), 0);
}

/* Turn items somewhere while four of eight run and the others wait. */
static void turn_items_there(void (*there)(void (*fn)(void)))
{
	if (!ctx_make(&roomy, kt_job_gated))
		return;
	try_all();
	KT_EXPECT(kt_wait(atomic_read(&ctx.gate.started) == 4));
	there(turn_items);
	kt_gate_open(&ctx.gate);
	KT_EXPECT_EQ(kpool_flush(ctx.pool), 0);
	KT_EXPECT_EQ(atomic_read(&ctx.gate.finished), ITEMS - 1);
	KT_EXPECT_EQ(kt_stat(ctx.pool, cancelled), 2);
	ctx_end();
}

/*
 * Cancel, disable, enable and is-pending work in hardirq.
 * Fails if one of them takes a lock that sleeps or that leaves interrupts on.
 */
static void items_are_cancelled_in_hardirq(void)
{
	turn_items_there(in_hardirq_do);
}

/* Cancel under a raw spinlock. */
static void items_are_cancelled_under_raw_spinlock(void)
{
	turn_items_there(under_raw_spinlock_do);
}

static void turn_pool(void)
{
	struct kpool_attrs attrs;
	struct kpool_stats stats;

	KT_EXPECT_EQ(kpool_pause(ctx.pool), 0);
	KT_EXPECT_EQ(kpool_try_submit(ctx.pool, &ctx.job[0].item), 0);
	kpool_get_stats(ctx.pool, &stats);
	KT_EXPECT_EQ(stats.pending, 1);
	kpool_get_attrs(ctx.pool, &attrs);
	KT_EXPECT_EQ(attrs.capacity, 4);
	kpool_resume(ctx.pool);
}

static void close_pool(void)
{
	kpool_shutdown(ctx.pool);
	KT_EXPECT_EQ(kpool_pause(ctx.pool), -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_try_submit(ctx.pool, &ctx.job[1].item), -ESHUTDOWN);
}

/*
 * Pause, resume, shutdown and the two readings work in hardirq.
 * Fails if shutdown waits for its workers or frees anything there.
 */
static void pool_is_shut_down_in_hardirq(void)
{
	if (!ctx_make(&roomy, kt_job_tiny))
		return;
	in_hardirq_do(turn_pool);
	KT_EXPECT_EQ(kpool_flush_item(&ctx.job[0].item), 0);
	KT_EXPECT_EQ(atomic_read(&ctx.gate.finished), 1);
	reinit_completion(&ctx.done);
	in_hardirq_do(close_pool);
	KT_EXPECT_EQ(kpool_shutdown_timeout(ctx.pool, KT_LIMIT), 0);
	ctx_end();
}

static void submit_fn_atomic(void)
{
	KT_EXPECT_EQ(kpool_submit_fn(ctx.pool, kt_gate_pass, &ctx.gate,
				     GFP_ATOMIC), 0);
}

/*
 * The function form works in softirq with GFP_ATOMIC.
 * Fails if it allocates with anything but the caller's gfp.
 */
static void function_form_works_in_softirq(void)
{
	if (!ctx_make(&roomy, kt_job_tiny))
		return;
	in_softirq_do(submit_fn_atomic);
	kt_gate_open(&ctx.gate);
	KT_EXPECT_EQ(kpool_flush(ctx.pool), 0);
	KT_EXPECT_EQ(atomic_read(&ctx.gate.finished), 1);
	ctx_end();
}

static void dying_work(struct callback_head *head)
{
	KT_EXPECT(current->flags & PF_EXITING);
	try_all();
	complete(&ctx.done);
}

static int dying_main(void *arg)
{
	init_task_work(&ctx.work, dying_work);
	return task_work_add(current, &ctx.work, TWA_NONE);
}

/*
 * A task may submit while it exits.
 * Fails if submit makes the thread itself, or goes by the submitter's signals.
 */
static void dying_task_submits(void)
{
	struct kt_thread t;

	if (!ctx_make(&roomy, kt_job_tiny))
		return;
	if (kt_thread_start(&t, dying_main, NULL)) {
		KT_EXPECT_EQ(kt_thread_join(&t), 0);
		KT_EXPECT(wait_for_completion_timeout(&ctx.done, KT_LIMIT));
	}
	KT_EXPECT(kt_wait(atomic_read(&ctx.gate.finished) == ITEMS));
	ctx_end();
}

static int killed_main(void *arg)
{
	allow_signal(SIGKILL);
	send_sig(SIGKILL, current, 1);
	KT_EXPECT(fatal_signal_pending(current));
	KT_EXPECT_EQ(kpool_submit(ctx.pool, &ctx.job[0].item), 0);
	KT_EXPECT_EQ(kpool_submit(ctx.pool, &ctx.job[1].item), 0);
	KT_EXPECT_EQ(kpool_flush(ctx.pool), 0);
	return 0;
}

static int killed_creator_main(void *arg)
{
	struct kpool *pool;

	allow_signal(SIGKILL);
	send_sig(SIGKILL, current, 1);
	pool = kpool_create(arg, "killed");
	/* a thread that is made at once is not waited for */
	if (!IS_ERR(pool))
		return kpool_destroy(pool);
	KT_EXPECT_EQ(PTR_ERR(pool), -EINTR);
	return 0;
}

/*
 * A task that has been killed cannot wait for new threads.
 * Fails (-ENOMEM) if the error of one for callbacks is lost: mutant
 * callback-thread-without-its-error.
 */
static void killed_task_creates_no_threads(void)
{
	static const struct kpool_attrs attrs[] = {
		{ .flags = KPOOL_PREALLOC, .min_workers = 1 },
		{ .flags = KPOOL_MEM_RECLAIM },
	};
	struct kt_thread t;
	int i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		if (kt_thread_start(&t, killed_creator_main, (void *)&attrs[i]))
			KT_EXPECT_EQ(kt_thread_join(&t), 0);
}

/*
 * A task that has been killed submits and waits as before.
 * Fails if growth is left to the submitter: kthread_create is refused to a
 * killed task.
 */
static void killed_task_submits(void)
{
	struct kt_thread t;

	if (!ctx_make(&roomy, kt_job_tiny))
		return;
	if (kt_thread_start(&t, killed_main, NULL))
		KT_EXPECT_EQ(kt_thread_join(&t), 0);
	KT_EXPECT_EQ(atomic_read(&ctx.gate.finished), 2);
	ctx_end();
}

static int look_around(struct kpool_item *item)
{
	might_sleep();
	KT_EXPECT(in_task());
	KT_EXPECT(!irqs_disabled());
	KT_EXPECT_EQ(preempt_count(), 0);
	KT_EXPECT(current->flags & PF_KTHREAD);
	KT_EXPECT(str_has_prefix(current->comm, "kpool/"));
	return kt_job_tiny(item);
}

/*
 * Items run in process context, with interrupts and preemption on, without
 * locks, in a thread that is named after the pool.
 * Fails if the worker calls the function under its lock.
 */
static void items_run_in_process_context(void)
{
	if (!ctx_make(&roomy, look_around))
		return;
	try_all();
	KT_EXPECT_EQ(kpool_flush(ctx.pool), 0);
	KT_EXPECT_EQ(atomic_read(&ctx.gate.finished), ITEMS);
	ctx_end();
}

KT_MODULE("kpool selftest: contexts",
	  KT_CASE(submit_in_hardirq_grows_the_pool),
	  KT_CASE(submit_in_softirq_grows_the_pool),
	  KT_CASE(submit_under_raw_spinlock_grows_the_pool),
	  KT_CASE(full_pool_refuses_in_hardirq),
	  KT_CASE(pool_created_nonblocking_refuses_anywhere),
	  KT_EACH(submit_that_may_sleep_is_refused_in, sleepless_names),
	  KT_CASE(items_are_cancelled_in_hardirq),
	  KT_CASE(items_are_cancelled_under_raw_spinlock),
	  KT_CASE(pool_is_shut_down_in_hardirq),
	  KT_CASE(function_form_works_in_softirq),
	  KT_CASE(dying_task_submits),
	  KT_CASE(killed_task_creates_no_threads),
	  KT_CASE(killed_task_submits),
	  KT_CASE(items_run_in_process_context));
