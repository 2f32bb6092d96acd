// SPDX-License-Identifier: GPL-2.0-only
/*
 * OpenZFS's taskq is a contender of a file of its own, because its headers are
 * not the kernel's.  The file is only compiled if KPOOL_SPL is the directory in
 * which spl.ko has been built.  spl.ko has the license "GPL" and exports the
 * taskq to all modules.
 */
#include <sys/taskq.h>

#include "bench.h"

static void taskq_tiny(void *slot)
{
	bench_item();
}

static void taskq_work(void *slot)
{
	bench_work(slot);
}

/* Create all threads here: no TASKQ_DYNAMIC, and entries are the slots'. */
void *bench_taskq_create(unsigned int capacity)
{
	taskq_t *tq = taskq_create("kpool_bench", capacity, defclsyspri, 0,
				   INT_MAX, 0);

	return tq ?: ERR_PTR(-ENOMEM);
}

void bench_taskq_destroy(void *queue)
{
	taskq_destroy(queue);
}

static taskq_ent_t *entry(struct bench_slot *slot)
{
	BUILD_BUG_ON(sizeof(taskq_ent_t) > sizeof(slot->taskq.entry));
	return (taskq_ent_t *)slot->taskq.entry;
}

void bench_taskq_init(struct bench_slot *slot, bool tiny)
{
	taskq_init_ent(entry(slot));
	slot->taskq.fn = tiny ? taskq_tiny : taskq_work;
}

int bench_taskq_produce(void *queue, struct bench_slot *slots, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		taskq_dispatch_ent(queue, slots[i].taskq.fn, &slots[i], 0,
				   entry(&slots[i]));
	return 0;
}

/* An entry keeps its number while it runs, until it is submitted again. */
void bench_taskq_flush(struct bench_slot *slot)
{
	taskq_wait_id(entry(slot)->tqent_taskq, entry(slot)->tqent_id);
}
