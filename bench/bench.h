/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the measure (rounds.c) and those it measures (peers.c) share.
 */
#ifndef _KPOOL_BENCH_H
#define _KPOOL_BENCH_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "kpool.h"

/* One item, as each contender embeds it; all take the same memory. */
struct bench_slot {
	union {
		struct kpool_item	kpool;
		struct work_struct	work;
		struct kthread_work	kthread;
	};
} ____cacheline_aligned;

/* What is left to run; the last item to run completes bench_done. */
extern atomic_t bench_left;
extern struct completion bench_done;

/* The item: one atomic operation. */
static __always_inline void bench_item(void)
{
	if (atomic_dec_and_test(&bench_left))
		complete(&bench_done);
}

/**
 * struct bench_contender - one way of having items run
 * @name: as in the results
 * @setup: make it, with threads that are ready, for so many items at once
 * @init: prepare an item
 * @produce: submit n items one after the other
 * @flush: wait until an item has ended
 * @teardown: undo @setup
 * @floor: it is a bound, not a queue: it takes one item at a time, and @flush is
 *	the only way to wait for it
 */
struct bench_contender {
	const char *name;
	int (*setup)(unsigned int capacity);
	void (*init)(struct bench_slot *slot);
	int (*produce)(struct bench_slot *slots, unsigned int n);
	void (*flush)(struct bench_slot *slot);
	void (*teardown)(void);
	bool floor;
};

extern const struct bench_contender bench_contenders[];
extern const unsigned int bench_nr_contenders;

#endif /* _KPOOL_BENCH_H */
