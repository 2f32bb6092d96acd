// SPDX-License-Identifier: GPL-2.0-only
/*
 * The threads of the test: submitters, which use the pools, and tuners, which
 * change them.
 */
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "torture.h"

struct kpt_thread {
	struct kpt_ctx		ctx;
	struct task_struct	*task;
	unsigned int		done;

	/* of the watchdog */
	unsigned int		seen_done;
	unsigned int		seen_tick;
};

static struct kpt_thread *kpt_threads;
static unsigned int kpt_nr_threads;

static void kpt_thread_pauses(struct kpt_thread *a)
{
	/* a thread can have killed it, see kpt_op_kill() */
	if (signal_pending(current))
		flush_signals(current);
	while (kpt_stuttering() && !kthread_should_stop())
		schedule_timeout_uninterruptible(1);
	if (kpt_one_in(&a->ctx, 16))
		kpt_nap(&a->ctx, 500);
	else
		cond_resched();
}

static int kpt_thread_main(void *data)
{
	struct kpt_thread *a = data;
	struct kpt_target *t;

	if (a->ctx.where == KPT_IN_THREAD)
		allow_signal(SIGKILL);
	while (!kthread_should_stop()) {
		t = kpt_get_any(&a->ctx);
		if (t) {
			kpt_do_something(&a->ctx, t);
			kpt_put(t);
		}
		WRITE_ONCE(a->done, a->done + 1);
		kpt_thread_pauses(a);
	}
	return 0;
}

static int kpt_thread_start(struct kpt_thread *a, u32 seed, bool tunes, int nr)
{
	struct task_struct *task;

	kpt_ctx_init(&a->ctx, seed, tunes ? KPT_IN_TUNER : KPT_IN_THREAD);
	task = kthread_create(kpt_thread_main, a, "kpt_%s/%d",
			      tunes ? "tune" : "submit", nr);
	if (IS_ERR(task))
		return PTR_ERR(task);
	a->task = get_task_struct(task);
	wake_up_process(task);
	return 0;
}

/* On error what has been started is left to kpt_threads_stop(). */
int kpt_threads_start(u32 seed)
{
	int i, err, nr = kpt_nsubmitters + kpt_ntuners;

	kpt_threads = kcalloc(nr, sizeof(*kpt_threads), GFP_KERNEL);
	if (!kpt_threads)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		err = kpt_thread_start(&kpt_threads[i], seed + 100 + i,
				       i >= kpt_nsubmitters, i);
		if (err)
			return err;
		/* pairs with the thread that looks at the threads */
		smp_store_release(&kpt_nr_threads, i + 1);
	}
	return 0;
}

void kpt_threads_stop(void)
{
	unsigned int i;

	for (i = 0; i < kpt_nr_threads; i++)
		kthread_stop(kpt_threads[i].task);
}

/* When they are no longer used. */
void kpt_threads_free(void)
{
	unsigned int i;

	for (i = 0; i < kpt_nr_threads; i++)
		put_task_struct(kpt_threads[i].task);
	kfree(kpt_threads);
}

unsigned int kpt_threads_started(void)
{
	/* pairs with kpt_threads_start() */
	return smp_load_acquire(&kpt_nr_threads);
}

struct task_struct *kpt_thread_task(unsigned int i)
{
	return kpt_threads[i].task;
}

/* By the watchdog: does each get on? */
void kpt_threads_watch(void)
{
	unsigned int i, nr = kpt_threads_started();

	for (i = 0; i < nr; i++) {
		struct kpt_thread *a = &kpt_threads[i];
		unsigned int done = READ_ONCE(a->done);
		const char *op = READ_ONCE(a->ctx.op);

		if (done != a->seen_done || !op) {
			a->seen_done = done;
			a->seen_tick = kpt_tick;
		} else if (kpt_tick - a->seen_tick > kpt_hang_ticks()) {
			kpt_violation(KPT_HANG, "%s has been in %s for %u s",
				      a->task->comm, op,
				      (kpt_tick - a->seen_tick) / 2);
			a->seen_tick = kpt_tick;
		}
	}
}

/* A submitter that sleeps in a killable submit gives up. */
void kpt_op_kill(struct kpt_ctx *ctx, struct kpt_target *t)
{
	unsigned int i = kpt_rnd(ctx, kpt_nsubmitters);

	if (i < kpt_threads_started())
		send_sig(SIGKILL, kpt_threads[i].task, 1);
}
