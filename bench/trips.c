// SPDX-License-Identifier: GPL-2.0-only
/*
 * Round trips: submit an item, wait for it, and so on, by the completion that
 * the item signals or by flush.  The cost is taken without looking at the clock
 * in between, the percentiles in a second pass.  The other figure is how often
 * the caller was switched out, per thousand round trips.
 */
#include <linux/sched.h>

#include "bench.h"

static int trip_by_completion(const struct bench_contender *peer, void *queue,
			      struct bench_slot *slot)
{
	int err;

	atomic_set(&bench_left, 1);
	err = peer->produce(queue, slot, 1);
	if (!err)
		wait_for_completion(&bench_done);
	return err;
}

static int trip_by_flush(const struct bench_contender *peer, void *queue,
			 struct bench_slot *slot)
{
	int err = peer->produce(queue, slot, 1);

	if (!err)
		peer->flush(slot);
	return err;
}

static __always_inline int trip(bool flush, const struct bench_contender *peer,
				void *queue, struct bench_slot *slot)
{
	return flush ? trip_by_flush(peer, queue, slot) :
		       trip_by_completion(peer, queue, slot);
}

static u64 nr_switches(void)
{
	return current->nvcsw + current->nivcsw;
}

static int make_trips(bool flush, const struct bench_contender *peer,
		      void *queue, unsigned int n,
		      struct bench_figures *figures)
{
	u64 switches = nr_switches();
	ktime_t start = ktime_get();
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = trip(flush, peer, queue, &bench_slots[i]);
	figures->cost = bench_cost(ktime_sub(ktime_get(), start), n);
	figures->other = div_u64((nr_switches() - switches) * 1000, n);
	return err;
}

static int time_trips(bool flush, const struct bench_contender *peer,
		      void *queue, unsigned int n)
{
	u64 start = ktime_get_ns();
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		u64 now;

		err = trip(flush, peer, queue, &bench_slots[n + i]);
		now = ktime_get_ns();
		bench_times[i] = now - start;
		start = now;
	}
	return err;
}

static int run_trips(const struct bench_case *bc,
		     const struct bench_contender *peer,
		     struct bench_figures *figures)
{
	bool flush = bc->flush || peer->kind == BENCH_BY_HAND;
	unsigned int n = bench_pings / (peer->slow ?: 1);
	void *queue = bench_begin(peer, 1, 2 * n, NULL);
	int err;

	if (IS_ERR(queue))
		return PTR_ERR(queue);
	bench_expect(INT_MAX);
	err = make_trips(flush, peer, queue, n, figures);
	if (!err)
		err = time_trips(flush, peer, queue, n);
	peer->destroy(queue);
	bench_percentiles(figures, bench_times, n);
	return err;
}

#define TRIP(_name, _flush)						\
	{ _name, run_trips,						\
	  BENCH_QUEUES | BENCH_KTHREAD_RUN | BENCH_BY_HAND, BENCH_ALL,	\
	  .flush = _flush }

static const struct bench_case cases[] = {
	TRIP("trip-completion", false),
	TRIP("trip-flush", true),
};

const struct bench_table bench_trips = { cases, ARRAY_SIZE(cases) };
