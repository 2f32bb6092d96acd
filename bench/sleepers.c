// SPDX-License-Identifier: GPL-2.0-only
/*
 * A million items that sleep for 10 ms each, on 50,000 threads, or on 5,000
 * where memory is short.  kthread_run stands for as many threads that each
 * sleep their share of the items away.  The cost is the time per item, with
 * everything created and destroyed; the other figure is the peak of memory, in
 * KiB.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "bench.h"

#define SAMPLE_EVERY	5000

static unsigned long least_free;

/* A million if there are 20,000 items in the other cases. */
static unsigned int nr_items(void)
{
	return bench_items * 50;
}

/* A thread takes less than 32 KiB. */
static unsigned int nr_threads(void)
{
	bool is_large = totalram_pages() > (3UL << 30 >> PAGE_SHIFT);

	return nr_items() / (is_large ? 20 : 200);
}

static unsigned long free_kib(void)
{
	struct sysinfo info;

	si_meminfo(&info);
	return info.freeram << (PAGE_SHIFT - 10);
}

static void sleep_10ms(void)
{
	ktime_t wait = ms_to_ktime(10);

	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&wait, HRTIMER_MODE_REL);
}

static void sleep_as_item(struct bench_slot *slot)
{
	sleep_10ms();
	if (!(atomic_read(&bench_left) % SAMPLE_EVERY))
		WRITE_ONCE(least_free, min(READ_ONCE(least_free), free_kib()));
	bench_item();
}

/* The share of one bare thread; its data is the number of items. */
static int sleep_as_thread(void *data)
{
	unsigned long n = (unsigned long)data;

	while (n--)
		sleep_as_item(NULL);
	module_put_and_kthread_exit(0);
}

static int run_bare(unsigned int threads)
{
	unsigned long share = nr_items() / threads;
	unsigned int i;

	for (i = 0; i < threads; i++) {
		struct task_struct *task = kthread_create(sleep_as_thread,
							  (void *)share,
							  "kpool_bench");
		if (IS_ERR(task)) {
			bench_give_up((threads - i) * share);
			wait_for_completion(&bench_done);
			return PTR_ERR(task);
		}
		__module_get(THIS_MODULE);
		wake_up_process(task);
	}
	wait_for_completion(&bench_done);
	return 0;
}

/* A pool whose workers are created as items arrive. */
static void *create_queue(const struct bench_contender *peer,
			  unsigned int threads)
{
	const struct kpool_attrs attrs = {
		.capacity = threads,
		.queue_depth = KPOOL_UNLIMITED,
	};

	if (peer->kind == BENCH_KPOOL)
		return kpool_create(&attrs, "sleepers");
	return peer->create(min_t(unsigned int, threads, WQ_MAX_ACTIVE));
}

static int run_queue(const struct bench_contender *peer,
		     struct bench_slot *slots, unsigned int threads)
{
	void *queue = create_queue(peer, threads);
	int err;

	if (IS_ERR(queue))
		return PTR_ERR(queue);
	err = peer->produce(queue, slots, nr_items());
	if (!err)
		wait_for_completion(&bench_done);
	peer->destroy(queue);
	return err;
}

static struct bench_slot *make_slots(const struct bench_contender *peer)
{
	struct bench_slot *slots = kvcalloc(nr_items(), sizeof(*slots),
					    GFP_KERNEL);
	unsigned int i;

	for (i = 0; slots && i < nr_items(); i++)
		peer->init(&slots[i], false);
	return slots;
}

static int run_sleepers(const struct bench_case *bc,
			const struct bench_contender *peer,
			struct bench_figures *figures)
{
	struct bench_slot *slots = make_slots(peer);
	unsigned long free;
	ktime_t start;
	int err;

	if (!slots)
		return -ENOMEM;
	bench_work = sleep_as_item;
	bench_expect(nr_items());
	free = free_kib();
	least_free = free;
	start = ktime_get();
	if (peer->kind == BENCH_KTHREAD_RUN)
		err = run_bare(nr_threads());
	else
		err = run_queue(peer, slots, nr_threads());
	figures->cost = bench_cost(ktime_sub(ktime_get(), start), nr_items());
	figures->other = free - min(free, least_free);
	kvfree(slots);
	/* until the threads that have ended are freed */
	msleep(500);
	return err;
}

static const struct bench_case cases[] = {
	{ "sleepers", run_sleepers,
	  BENCH_KPOOL | BENCH_WQ_UNBOUND | BENCH_KTHREAD_RUN, BENCH_UML,
	  .rounds = 1 },
};

const struct bench_table bench_sleepers = { cases, ARRAY_SIZE(cases) };
