// SPDX-License-Identifier: GPL-2.0-only
/*
 * A burst of items for 64 idle workers; each item sleeps for 1 ms.  The figures
 * are how long it takes until all of them have started.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "bench.h"

#define NR_WORKERS	64U
#define MAX_BURSTS	20U

static u64 burst_start;
static atomic_t not_started;
static u64 burst_time;

static void sleep_in_burst(struct bench_slot *slot)
{
	ktime_t ms = ms_to_ktime(1);

	if (atomic_dec_and_test(&not_started))
		WRITE_ONCE(burst_time, ktime_get_ns() - burst_start);
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&ms, HRTIMER_MODE_REL);
	bench_item();
}

static int burst(const struct bench_contender *peer, void *queue,
		 struct bench_slot *slots, unsigned int n)
{
	int err;

	atomic_set(&not_started, n);
	bench_expect(n);
	burst_start = ktime_get_ns();
	err = peer->produce(queue, slots, n);
	if (!err)
		wait_for_completion(&bench_done);
	/* until all are idle again */
	usleep_range(2000, 3000);
	return err;
}

/* The first burst, of as many as there are workers, is not counted. */
static int run_bursts(const struct bench_case *bc,
		      const struct bench_contender *peer,
		      struct bench_figures *figures)
{
	unsigned int i, n = max(bc->nr, NR_WORKERS);
	unsigned int bursts = min(MAX_BURSTS, bench_items / n - 1);
	void *queue = bench_begin(peer, NR_WORKERS, n * (bursts + 1),
				  sleep_in_burst);
	u64 sum = 0;
	int err;

	if (IS_ERR(queue))
		return PTR_ERR(queue);
	err = burst(peer, queue, bench_slots, NR_WORKERS);
	for (i = 0; i < bursts && !err; i++) {
		err = burst(peer, queue, bench_slots + n * (i + 1), bc->nr);
		bench_times[i] = burst_time;
		sum += burst_time;
	}
	peer->destroy(queue);
	figures->cost = div_u64(sum * 1000, bursts);
	bench_percentiles(figures, bench_times, bursts);
	return err;
}

#define BURST(_n)							\
	{ "burst-" #_n, run_bursts,					\
	  BENCH_KPOOL | BENCH_WQ | BENCH_KTHREAD_RUN, BENCH_ALL, .nr = _n }

static const struct bench_case cases[] = {
	BURST(1), BURST(10), BURST(64), BURST(100),
};

const struct bench_table bench_bursts = { cases, ARRAY_SIZE(cases) };
