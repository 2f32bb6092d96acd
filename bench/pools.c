// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many queues at once, of one thread each.  In each an item computes for 10 us
 * and submits itself again, for long enough that the scheduler can share the
 * CPUs among them.  The cost is the time per item of all of them.  The other
 * figure is what part of its share the queue that got least has had, in
 * permille.
 */
#include <linux/delay.h>
#include <linux/mm.h>

#include "bench.h"

#define ITEM_NS		(10 * NSEC_PER_USEC)
#define RUN_MS		400	/* and for each queue ... */
#define QUEUE_MS	32
#define MAX_QUEUES	64

static const struct bench_contender *pools_peer;
static void *queues[MAX_QUEUES];
static unsigned long runs[MAX_QUEUES];
static bool over;

static void run_again(struct bench_slot *slot)
{
	unsigned int i = slot - bench_slots;

	bench_compute(ITEM_NS);
	runs[i]++;
	if (READ_ONCE(over) || pools_peer->produce(queues[i], slot, 1))
		bench_item();
}

static void summarise(unsigned int n, ktime_t elapsed,
		      struct bench_figures *figures)
{
	unsigned long least = ULONG_MAX, sum = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		least = min(least, runs[i]);
		sum += runs[i];
	}
	if (!sum)
		return;
	figures->cost = bench_cost(elapsed, sum);
	figures->other = div64_u64((u64)least * n * 1000, sum);
}

static int make_queues(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		queues[i] = pools_peer->create(1);
		if (IS_ERR(queues[i]))
			return PTR_ERR(queues[i]);
	}
	return 0;
}

static void end_queues(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n && !IS_ERR_OR_NULL(queues[i]); i++)
		pools_peer->destroy(queues[i]);
}

static int start_all(unsigned int n)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		err = pools_peer->produce(queues[i], &bench_slots[i], 1);
		if (err)
			bench_give_up(n - i);
	}
	return err;
}

static int run_pools(const struct bench_case *bc,
		     const struct bench_contender *peer,
		     struct bench_figures *figures)
{
	ktime_t start;
	unsigned int i;
	int err;

	pools_peer = peer;
	bench_work = run_again;
	over = false;
	memset(queues, 0, sizeof(queues));
	memset(runs, 0, sizeof(runs));
	for (i = 0; i < bc->nr; i++)
		peer->init(&bench_slots[i], false);
	err = make_queues(bc->nr);
	bench_expect(bc->nr);
	start = ktime_get();
	if (!err) {
		err = start_all(bc->nr);
		msleep(RUN_MS + bc->nr * QUEUE_MS);
		WRITE_ONCE(over, true);
		wait_for_completion(&bench_done);
	}
	summarise(bc->nr, ktime_sub(ktime_get(), start), figures);
	end_queues(bc->nr);
	return err;
}

#define POOLS(_n)							\
	{ "pools-" #_n, run_pools,					\
	  BENCH_KPOOL | BENCH_WQ_UNBOUND | BENCH_KTHREAD_WORKER,	\
	  BENCH_UML | BENCH_STOCK, .nr = _n }

static const struct bench_case cases[] = {
	POOLS(2), POOLS(8), POOLS(64),
};

const struct bench_table bench_pools = { cases, ARRAY_SIZE(cases) };
