/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Share what the files of the bench need.  contenders.c has the ways of having
 * items run, main.c the rounds; each other file measures one idea, and ends
 * with its table of cases.
 */
#ifndef _KPOOL_BENCH_H
#define _KPOOL_BENCH_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "kpool.h"

/* A thread for one item: see contenders.c. */
struct bench_thread {
	atomic_t		*alive;
	struct completion	ended;
};

/* An entry of OpenZFS's taskq: see taskq.c. */
struct bench_taskq {
	void	(*fn)(void *slot);
	u64	entry[17];
};

/* An item, as each contender embeds it; all take the same memory. */
struct bench_slot {
	union {
		struct kpool_item	kpool;
		struct work_struct	work;
		struct kthread_work	kthread;
		struct bench_thread	thread;
#ifdef BENCH_HAS_TASKQ
		struct bench_taskq	taskq;
#endif
	};
} ____cacheline_aligned;

/* The function that the items of a round run. */
typedef void (*bench_fn)(struct bench_slot *slot);

/* Kinds of contenders. */
#define BENCH_KPOOL		BIT(0)
#define BENCH_WQ_UNBOUND	BIT(1)
#define BENCH_WQ_PERCPU		BIT(2)
#define BENCH_KTHREAD_WORKER	BIT(3)	/* always one thread */
#define BENCH_KTHREAD_RUN	BIT(4)	/* a thread per item, no limit */
#define BENCH_BY_HAND		BIT(5)	/* one item at a time, flush only */
#define BENCH_TASKQ		BIT(6)	/* if there is one */
#define BENCH_WQ		(BENCH_WQ_UNBOUND | BENCH_WQ_PERCPU)
#define BENCH_QUEUES		(BENCH_KPOOL | BENCH_WQ | BENCH_KTHREAD_WORKER | \
				 BENCH_TASKQ)

/**
 * struct bench_contender - one way of having items run
 * @name: as in the results
 * @kind: one of the above
 * @create: make a queue that runs so many items at once, with its threads ready
 *	if it has threads of its own
 * @destroy: undo @create
 * @init: prepare an item that does nothing but end, or calls bench_work
 * @produce: submit n items one after the other
 * @produce_irq: the same from an interrupt, if that differs
 * @flush: wait until an item has ended
 * @slow: an item costs about so many times as much as with the others: as many
 *	times fewer are enough
 */
struct bench_contender {
	const char *name;
	unsigned int kind;
	void *(*create)(unsigned int capacity);
	void (*destroy)(void *queue);
	void (*init)(struct bench_slot *slot, bool tiny);
	int (*produce)(void *queue, struct bench_slot *slots, unsigned int n);
	int (*produce_irq)(void *queue, struct bench_slot *slots,
			   unsigned int n);
	void (*flush)(struct bench_slot *slot);
	unsigned int slow;
};

extern const struct bench_contender bench_contenders[];
extern const unsigned int bench_nr_contenders;

void *bench_taskq_create(unsigned int capacity);
void bench_taskq_destroy(void *queue);
void bench_taskq_init(struct bench_slot *slot, bool tiny);
int bench_taskq_produce(void *queue, struct bench_slot *slots, unsigned int n);
void bench_taskq_flush(struct bench_slot *slot);

/* Kinds of guests. */
#define BENCH_ICOUNT		BIT(0)	/* one CPU, time is instructions */
#define BENCH_UML		BIT(1)
#define BENCH_STOCK		BIT(2)	/* emulated: times are relative */
#define BENCH_ALL		(BENCH_ICOUNT | BENCH_UML | BENCH_STOCK)

/**
 * struct bench_figures - what a round found; 0 where that is not measured
 * @cost: picoseconds per item
 * @p50: median of what is measured per item, in nanoseconds
 * @p99: 99th percentile
 * @p999: 99.9th percentile
 * @other: of another unit, see the case
 */
struct bench_figures {
	u64 cost;
	u64 p50;
	u64 p99;
	u64 p999;
	u64 other;
};

/**
 * struct bench_case - one thing to measure
 * @name: as in the results
 * @run: have one contender do it
 * @contenders: kinds that take part
 * @grounds: guests in which it makes sense
 * @rounds: at most so many, for one that takes long
 * @producers: threads that submit
 * @capacity: items at once
 * @nr: pools, items of a burst, or another number that varies
 * @ns: how long an item computes
 * @load: percent of the rate of WQ_UNBOUND
 * @flush: wait by the contender's own means
 * @irq: submit from an interrupt
 * @op: what the file of the case varies
 */
struct bench_case {
	const char *name;
	int (*run)(const struct bench_case *bc,
		   const struct bench_contender *peer,
		   struct bench_figures *figures);
	unsigned int contenders;
	unsigned int grounds;
	unsigned int rounds;
	unsigned int producers;
	unsigned int capacity;
	unsigned int nr;
	unsigned int ns;
	unsigned int load;
	bool flush;
	bool irq;
	const void *op;
};

struct bench_table {
	const struct bench_case *cases;
	unsigned int nr;
};

extern const struct bench_table bench_tiny, bench_trips, bench_jobs, bench_create,
	bench_growth, bench_waits, bench_bursts, bench_pools, bench_sleepers;

/* Sizes, see main.c. */
extern unsigned int bench_items;
extern unsigned int bench_pings;

/* The items that are left to run; the last item to run completes bench_done. */
extern atomic_t bench_left;
extern struct completion bench_done;
extern bench_fn bench_work;
extern struct bench_slot *bench_slots;
extern u64 *bench_times;

/* The end of every item: one atomic operation. */
static __always_inline void bench_item(void)
{
	if (atomic_dec_and_test(&bench_left))
		complete(&bench_done);
}

/* So many items are to be run, from now on. */
static inline void bench_expect(unsigned int n)
{
	init_completion(&bench_done);
	atomic_set(&bench_left, n);
}

/* Items that no contender took count as run: no hang. */
static inline void bench_give_up(unsigned int n)
{
	while (n--)
		bench_item();
}

bool bench_keeps(void);
int bench_keep(void);
void bench_end_kept(void);
void bench_end_grown(void);

int bench_alloc(void);
void bench_free(void);
void *bench_begin(const struct bench_contender *peer, unsigned int capacity,
		  unsigned int n, bench_fn work);
void bench_compute(unsigned int ns);
void bench_percentiles(struct bench_figures *figures, u64 *times,
		       unsigned int n);

/* @elapsed nanoseconds for n items, in picoseconds per item. */
static inline u64 bench_cost(ktime_t elapsed, unsigned int n)
{
	return div_u64(ktime_to_ns(elapsed) * 1000, n);
}

#endif /* _KPOOL_BENCH_H */
