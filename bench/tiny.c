// SPDX-License-Identifier: GPL-2.0-only
/*
 * Producers submit items as fast as they can.  A tiny item does nothing but
 * count down; others compute for a while.  The figure is the time per item, and
 * for those that compute, what part of the ideal that is, in permille.
 */
#include <linux/cpumask.h>
#include <linux/sched/task.h>
#include <linux/stringify.h>

#include "bench.h"
#include "marks.h"

#define MAX_PRODUCERS	4

struct producer {
	struct task_struct *thread;
	const struct bench_contender *peer;
	void *queue;
	struct bench_slot *slots;
	unsigned int nr;
	ktime_t start;
	int err;
};

static struct completion go;
static unsigned int item_ns;

static int producer_main(void *data)
{
	struct producer *p = data;

	wait_for_completion(&go);
	p->start = ktime_get();
	p->err = p->peer->produce(p->queue, p->slots, p->nr);
	if (p->err)
		bench_give_up(p->nr);
	return 0;
}

/* A reference holds each thread: it can have ended before it is stopped. */
static int make_producers(struct producer *producers, unsigned int nr,
			  const struct producer *proto)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct producer *p = &producers[i];
		struct task_struct *thread;

		*p = *proto;
		p->slots = bench_slots + i * p->nr;
		thread = kthread_create(producer_main, p, "bench_prod/%u", i);
		if (IS_ERR(thread))
			return PTR_ERR(thread);
		p->thread = get_task_struct(thread);
		wake_up_process(thread);
	}
	return 0;
}

static int end_producers(struct producer *producers, unsigned int nr)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr && producers[i].thread; i++) {
		kthread_stop(producers[i].thread);
		put_task_struct(producers[i].thread);
		err = err ?: producers[i].err;
	}
	return err;
}

static ktime_t first_start(struct producer *producers, unsigned int nr)
{
	ktime_t first = producers[0].start;

	while (--nr)
		first = min(first, producers[nr].start);
	return first;
}

/* Show @address to the plugin, see marks.h; on another machine, do nothing. */
static __always_inline void bench_mark(unsigned int mark, const void *address)
{
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
	asm volatile(".long " __stringify(BENCH_MARK_CODE) "\n\t"
		     ".long " __stringify(BENCH_MARK_BASE) " + %c0\n\t"
		     "testb $0, (%1)"
		     : : "i" (mark), "r" (address) : "memory", "cc");
#endif
}

/* From here on, count what the contender shares, see marks.h. */
static void mark_begin(void *queue, unsigned int n)
{
	bench_mark(BENCH_MARK_FIRST, bench_slots);
	bench_mark(BENCH_MARK_LAST, (char *)&bench_slots[n] - 1);
	bench_mark(BENCH_MARK_OWN, &bench_left);
	bench_mark(BENCH_MARK_OWN, &bench_done);
	bench_mark(BENCH_MARK_BEGIN, queue);
}

/* From the first submit to the end of the last item. */
static int run_producers(unsigned int nr, const struct producer *proto,
			 ktime_t *elapsed)
{
	struct producer producers[MAX_PRODUCERS] = {};
	int err, end_err;

	init_completion(&go);
	bench_expect(nr * proto->nr);
	err = make_producers(producers, nr, proto);
	mark_begin(proto->queue, nr * proto->nr);
	complete_all(&go);
	if (!err) {
		wait_for_completion(&bench_done);
		*elapsed = ktime_sub(ktime_get(), first_start(producers, nr));
	}
	bench_mark(BENCH_MARK_END, proto->queue);
	end_err = end_producers(producers, nr);
	return err ?: end_err;
}

static void compute(struct bench_slot *slot)
{
	bench_compute(item_ns);
	bench_item();
}

/* All rounds take about as long. */
static unsigned int nr_items(const struct bench_case *bc,
			     const struct bench_contender *peer)
{
	return max(1u, bench_items / (peer->slow ?: 1) /
		       (bc->ns / 2500 + 1) / bc->producers);
}

static u64 permille_of_ideal(const struct bench_case *bc, u64 cost)
{
	u64 ideal = div_u64(bc->ns * 1000ULL,
			    min(bc->capacity, num_online_cpus()));

	return cost ? div64_u64(ideal * 1000, cost) : 0;
}

static int run_tiny(const struct bench_case *bc,
		    const struct bench_contender *peer,
		    struct bench_figures *figures)
{
	struct producer proto = { .peer = peer, .nr = nr_items(bc, peer) };
	unsigned int n = bc->producers * proto.nr;
	ktime_t elapsed = 0;
	int err;

	item_ns = bc->ns;
	proto.queue = bench_begin(peer, bc->capacity, n,
				  bc->ns ? compute : NULL);
	if (IS_ERR(proto.queue))
		return PTR_ERR(proto.queue);
	err = run_producers(bc->producers, &proto, &elapsed);
	peer->destroy(proto.queue);
	figures->cost = bench_cost(elapsed, n);
	figures->other = permille_of_ideal(bc, figures->cost);
	return err;
}

#define TINY(_producers, _capacity)					\
	{ "tiny-" #_producers "-" #_capacity, run_tiny,			\
	  BENCH_QUEUES | BENCH_KTHREAD_RUN, BENCH_ALL,			\
	  .producers = _producers, .capacity = _capacity }

#define WORK(_us, _capacity)						\
	{ "work-" #_us "us-" #_capacity, run_tiny,			\
	  BENCH_QUEUES | BENCH_KTHREAD_RUN, BENCH_ALL, .producers = 1,	\
	  .capacity = _capacity, .ns = (_us) * NSEC_PER_USEC }

static const struct bench_case cases[] = {
	TINY(1, 1), TINY(1, 2), TINY(1, 4), TINY(1, 64),
	TINY(2, 1), TINY(2, 2), TINY(2, 4), TINY(2, 64),
	TINY(4, 1), TINY(4, 2), TINY(4, 4), TINY(4, 64),
	WORK(1, 2), WORK(10, 2), WORK(100, 2),
};

const struct bench_table bench_tiny = { cases, ARRAY_SIZE(cases) };
