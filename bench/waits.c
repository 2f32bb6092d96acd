// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long does an item wait if items arrive at random, at a given load?  Each
 * computes for 10 us; 100 % is the rate at which WQ_UNBOUND can run them with
 * one at a time.  A wait is counted from the moment at which the item was due,
 * not from its submit, so that a slow submit counts as well.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/sched.h>

#include "bench.h"

#define ITEM_NS		(10 * NSEC_PER_USEC)
#define MAX_ITEMS	5000U
#define SEED		20260101

struct source {
	struct hrtimer timer;
	const struct bench_contender *peer;
	void *queue;
	unsigned int nr;
	unsigned int next;
	int err;
};

/* When each item is due, from the start on. */
static u64 *dues;
static u64 waits_start;

static void arrived(struct bench_slot *slot)
{
	unsigned int i = slot - bench_slots;

	bench_times[i] = ktime_get_ns() - waits_start - dues[i];
	bench_compute(ITEM_NS);
	bench_item();
}

static void warmed_up(struct bench_slot *slot)
{
	bench_compute(ITEM_NS);
	bench_item();
}

/* Gaps are equally distributed from 0 to twice their mean. */
static void plan(unsigned int n, u64 mean)
{
	struct rnd_state rnd;
	u64 due = 0;
	unsigned int i;

	prandom_seed_state(&rnd, SEED);
	for (i = 0; i < n; i++) {
		due += mul_u64_u32_shr(2 * mean, prandom_u32_state(&rnd), 32);
		dues[i] = due;
	}
}

/* Submit what is due, and return when the next one is. */
static u64 submit_due(struct source *source,
		      int (*produce)(void *queue, struct bench_slot *slots,
				     unsigned int n))
{
	u64 now = ktime_get_ns();

	while (source->next < source->nr &&
	       waits_start + dues[source->next] <= now) {
		source->err = produce(source->queue,
				      &bench_slots[source->next], 1);
		if (source->err) {
			bench_give_up(source->nr - source->next);
			return 0;
		}
		source->next++;
	}
	if (source->next == source->nr)
		return 0;
	return waits_start + dues[source->next];
}

static enum hrtimer_restart timer_fires(struct hrtimer *timer)
{
	struct source *source = container_of(timer, struct source, timer);
	u64 next = submit_due(source, source->peer->produce_irq ?:
				      source->peer->produce);

	if (!next)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, ns_to_ktime(next));
	return HRTIMER_RESTART;
}

static void run_from_irq(struct source *source)
{
	hrtimer_setup(&source->timer, timer_fires, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_HARD);
	hrtimer_start(&source->timer, ns_to_ktime(waits_start),
		      HRTIMER_MODE_ABS_HARD);
	wait_for_completion(&bench_done);
	hrtimer_cancel(&source->timer);
}

/* A second CPU leaves this one to the thread, which then need not sleep. */
static void await(u64 due)
{
	ktime_t expires = ns_to_ktime(due);

	if (num_online_cpus() > 1) {
		while (ktime_get_ns() < due)
			cond_resched();
		return;
	}
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&expires, HRTIMER_MODE_ABS);
}

static void run_from_thread(struct source *source)
{
	u64 next;

	while ((next = submit_due(source, source->peer->produce)))
		await(next);
	wait_for_completion(&bench_done);
}

static const struct bench_contender *unbound(void)
{
	unsigned int i = 0;

	while (bench_contenders[i].kind != BENCH_WQ_UNBOUND)
		i++;
	return &bench_contenders[i];
}

/* Nanoseconds per item of WQ_UNBOUND with all items there at once. */
static s64 measure_rate(unsigned int n)
{
	const struct bench_contender *peer = unbound();
	void *queue = bench_begin(peer, 1, n, warmed_up);
	u64 start;
	int err;

	if (IS_ERR(queue))
		return PTR_ERR(queue);
	bench_expect(n);
	start = ktime_get_ns();
	err = peer->produce(queue, bench_slots, n);
	if (!err)
		wait_for_completion(&bench_done);
	start = ktime_get_ns() - start;
	peer->destroy(queue);
	return err ?: (s64)div_u64(start, n);
}

static int run_source(const struct bench_case *bc,
		      const struct bench_contender *peer, unsigned int n)
{
	struct source source = { .peer = peer, .nr = n };

	source.queue = bench_begin(peer, 1, n, warmed_up);
	if (IS_ERR(source.queue))
		return PTR_ERR(source.queue);
	bench_work = arrived;
	bench_expect(n);
	waits_start = ktime_get_ns() + NSEC_PER_MSEC;
	if (bc->irq)
		run_from_irq(&source);
	else
		run_from_thread(&source);
	peer->destroy(source.queue);
	return source.err;
}

static int run_waits(const struct bench_case *bc,
		     const struct bench_contender *peer,
		     struct bench_figures *figures)
{
	static s64 full_rate;
	unsigned int n = min(bench_items / 4, MAX_ITEMS);
	int err = -ENOMEM;

	if (!full_rate)
		full_rate = measure_rate(n);
	if (full_rate <= 0)
		return full_rate;
	dues = kvcalloc(n, sizeof(*dues), GFP_KERNEL);
	if (dues) {
		plan(n, div_u64(full_rate * 100, bc->load));
		err = run_source(bc, peer, n);
	}
	kvfree(dues);
	if (!err)
		bench_percentiles(figures, bench_times, n);
	return err;
}

#define WAIT(_source, _irq, _load)					\
	{ "wait-" _source "-" #_load, run_waits,			\
	  BENCH_KPOOL | BENCH_WQ_UNBOUND | BENCH_KTHREAD_WORKER, BENCH_ALL, \
	  .load = _load, .irq = _irq }

static const struct bench_case cases[] = {
	WAIT("thread", false, 20),
	WAIT("thread", false, 50),
	WAIT("thread", false, 80),
	WAIT("irq", true, 20),
	WAIT("irq", true, 50),
	WAIT("irq", true, 80),
};

const struct bench_table bench_waits = { cases, ARRAY_SIZE(cases) };
