// SPDX-License-Identifier: GPL-2.0-only
/* Share what most rounds consist of: items, work for them, percentiles. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sort.h>

#include "bench.h"

#define NR_WARM_UP	64

atomic_t bench_left;
struct completion bench_done;
bench_fn bench_work;
struct bench_slot *bench_slots;
u64 *bench_times;

static u64 loops_per_ms;

static noinline void loop(u64 n)
{
	while (n--)
		barrier();
}

/* How fast can this CPU count?  The best of ten is the least disturbed. */
static void calibrate(void)
{
	u64 best = U64_MAX;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		u64 start = ktime_get_ns();

		loop(100000);
		best = min(best, ktime_get_ns() - start);
	}
	loops_per_ms = div64_u64(100000ULL * NSEC_PER_MSEC, max(best, 1ULL));
}

/* Work that takes so long if nothing interrupts it. */
void bench_compute(unsigned int ns)
{
	loop(div_u64(ns * loops_per_ms, NSEC_PER_MSEC));
}

int bench_alloc(void)
{
	bench_slots = kvcalloc(bench_items, sizeof(*bench_slots), GFP_KERNEL);
	bench_times = kvcalloc(bench_items, sizeof(*bench_times), GFP_KERNEL);
	if (!bench_slots || !bench_times)
		return -ENOMEM;
	calibrate();
	return 0;
}

void bench_free(void)
{
	kvfree(bench_times);
	kvfree(bench_slots);
}

/* Let every thread of the contender run before the clock starts. */
static int warm_up(const struct bench_contender *peer, void *queue)
{
	unsigned int i;
	int err = 0;

	bench_expect(INT_MAX);
	for (i = 0; i < NR_WARM_UP / (peer->slow ?: 1) && !err; i++) {
		err = peer->produce(queue, bench_slots, 1);
		if (!err)
			peer->flush(bench_slots);
	}
	return err;
}

/*
 * Make a contender that runs so many items at once, and prepare n items; those
 * call work if it is not NULL.  The caller destroys what is returned.
 */
void *bench_begin(const struct bench_contender *peer, unsigned int capacity,
		  unsigned int n, bench_fn work)
{
	unsigned int i;
	void *queue;
	int err;

	bench_work = work;
	memset(bench_slots, 0, n * sizeof(*bench_slots));
	for (i = 0; i < n; i++)
		peer->init(&bench_slots[i], !work);
	queue = peer->create(capacity);
	if (IS_ERR(queue))
		return queue;
	err = warm_up(peer, queue);
	if (!err)
		return queue;
	peer->destroy(queue);
	return ERR_PTR(err);
}

static int compare_times(const void *a, const void *b)
{
	const u64 *x = a;
	const u64 *y = b;

	return *x < *y ? -1 : *x > *y;
}

static u64 percentile(const u64 *times, unsigned int n, unsigned int permille)
{
	return times[min(n - 1, n * permille / 1000)];
}

void bench_percentiles(struct bench_figures *figures, u64 *times,
		       unsigned int n)
{
	sort(times, n, sizeof(*times), compare_times, NULL);
	figures->p50 = percentile(times, n, 500);
	figures->p99 = percentile(times, n, 990);
	figures->p999 = percentile(times, n, 999);
}
