// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts in interrupts: timers run in softirq, an hrtimer and an irq_work in
 * hardirq.
 */
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/timer.h>

#include "torture.h"

#define KPT_NR_TIMERS	2

static struct kpt_timer {
	struct timer_list	timer;
	struct kpt_ctx		ctx;
} kpt_timers[KPT_NR_TIMERS];

static struct hrtimer kpt_hrtimer;
static struct kpt_ctx kpt_hrtimer_ctx, kpt_irq_work_ctx;

static void kpt_run_in_interrupt(struct kpt_ctx *ctx)
{
	int i;

	if (kpt_stuttering())
		return;
	for (i = 0; i < 3; i++) {
		struct kpt_target *t = kpt_get_any(ctx);

		if (!t)
			continue;
		kpt_do_something(ctx, t);
		kpt_put(t);
	}
}

static void kpt_timer_fires(struct timer_list *timer)
{
	struct kpt_timer *kt = timer_container_of(kt, timer, timer);

	kpt_run_in_interrupt(&kt->ctx);
	if (!READ_ONCE(kpt_ending))
		mod_timer(timer, jiffies + 1 + kpt_rnd(&kt->ctx, 3));
}

static enum hrtimer_restart kpt_hrtimer_fires(struct hrtimer *timer)
{
	kpt_run_in_interrupt(&kpt_hrtimer_ctx);
	hrtimer_forward_now(timer, ns_to_ktime(NSEC_PER_MSEC +
			    kpt_rnd(&kpt_hrtimer_ctx, 2 * NSEC_PER_MSEC)));
	return READ_ONCE(kpt_ending) ? HRTIMER_NORESTART : HRTIMER_RESTART;
}

static void kpt_irq_work_fires(struct irq_work *work)
{
	kpt_run_in_interrupt(&kpt_irq_work_ctx);
}

static struct irq_work kpt_irq_work = IRQ_WORK_INIT_HARD(kpt_irq_work_fires);

void kpt_op_interrupt(struct kpt_ctx *ctx, struct kpt_target *t)
{
	if (kpt_interrupts)
		irq_work_queue(&kpt_irq_work);
}

void kpt_interrupts_init(u32 seed)
{
	int i;

	kpt_ctx_init(&kpt_irq_work_ctx, seed + 10, KPT_IN_HARDIRQ);
	kpt_ctx_init(&kpt_hrtimer_ctx, seed + 11, KPT_IN_HARDIRQ);
	hrtimer_setup(&kpt_hrtimer, kpt_hrtimer_fires, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	for (i = 0; i < KPT_NR_TIMERS; i++) {
		kpt_ctx_init(&kpt_timers[i].ctx, seed + 20 + i,
			     KPT_IN_SOFTIRQ);
		timer_setup(&kpt_timers[i].timer, kpt_timer_fires, 0);
	}
}

void kpt_interrupts_start(void)
{
	int i;

	if (!kpt_interrupts)
		return;
	hrtimer_start(&kpt_hrtimer, ms_to_ktime(1), HRTIMER_MODE_REL_HARD);
	for (i = 0; i < KPT_NR_TIMERS; i++)
		mod_timer(&kpt_timers[i].timer, jiffies + 1);
}

/* After kpt_ending has been set, and the threads are gone. */
void kpt_interrupts_stop(void)
{
	int i;

	for (i = 0; i < KPT_NR_TIMERS; i++)
		timer_delete_sync(&kpt_timers[i].timer);
	hrtimer_cancel(&kpt_hrtimer);
	irq_work_sync(&kpt_irq_work);
}
