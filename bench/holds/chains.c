// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations that follow a chain of runs, each asleep until the next has ended.
 * Whether a change at its head closes a cycle takes a walk along it.
 */
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "holds.h"

/* Streams whose first turn changes, each with a walk along the chain. */
#define WALKS	8u

struct link {
	struct kpool_job	job;
	struct kpool_stream	stream;
};

/* The chain, then jobs that wait for its head, then those operated on. */
static struct link *links;
static unsigned int nr_chain;
static atomic_t nr_asleep;

static struct link *lead(unsigned int i)
{
	return &links[nr_chain + i];
}

static struct kpool_job *late(unsigned int i)
{
	return &links[nr_chain + WALKS + i].job;
}

static int chain_fn(struct kpool_item *item)
{
	struct link *link = container_of(item, struct link, job.item);
	unsigned int i = link - links;

	atomic_inc(&nr_asleep);
	if (i == nr_chain - 1)
		return holds_blocks(item);
	return kpool_flush_item(&links[i < nr_chain ? i + 1 : 0].job.item);
}

static void prepare(struct kpool_job *job, kpool_item_fn fn,
		    struct kpool_stream *stream)
{
	kpool_init_job(job, fn);
	kpool_set_stream(job, stream);
	kpool_set_complete_fn(job, holds_tiny);
}

static void await_asleep(unsigned int n)
{
	while (atomic_read(&nr_asleep) < n)
		schedule_timeout_idle(1);
	/* they have begun, and go to sleep */
	schedule_timeout_idle(HZ / 10 + 1);
}

/* A chain of @n runs, in a pool with @free units more. */
static bool chain_begin(unsigned int n, unsigned int free)
{
	unsigned int i;

	nr_chain = n;
	atomic_set(&nr_asleep, 0);
	links = vzalloc(array_size(n + 2 * WALKS, sizeof(*links)));
	if (!holds_check(links, "no memory for a chain"))
		return false;
	holds_make(n + free, KPOOL_UNLIMITED);
	for (i = 0; i < n + WALKS; i++)
		kpool_init_ordered_stream(&links[i].stream, holds_pool);
	/* each waits for one that has been submitted */
	for (i = n; i--;) {
		prepare(&links[i].job, chain_fn, &links[i].stream);
		holds_submit(&links[i].job);
	}
	await_asleep(n);
	return true;
}

static void chain_end(void)
{
	schedule_timeout_idle(HZ / 10 + 1);
	holds_measured(0);
	holds_unblock();
	holds_check(!kpool_flush(holds_pool), "flush");
	holds_end_pool();
	vfree(links);
}

/* The second job of each stream sleeps at the chain, the first is queued. */
static bool chain_begin_streams(unsigned int n)
{
	unsigned int i;

	if (!chain_begin(n, WALKS))
		return false;
	kpool_pause(holds_pool);
	for (i = 0; i < WALKS; i++) {
		prepare(late(i), holds_tiny, &lead(i)->stream);
		kpool_set_priority(&late(i)->item, KPOOL_PRIO_LOW);
		kpool_set_group(late(i), &holds_group);
		kpool_set_deadline(late(i), 1);
		holds_submit(late(i));
		prepare(&lead(i)->job, chain_fn, &lead(i)->stream);
		holds_submit(&lead(i)->job);
	}
	kpool_resume(holds_pool);
	await_asleep(n + WALKS);
	return true;
}

static void chain_deadline(unsigned int n)
{
	if (!chain_begin_streams(n))
		return;
	holds_measure();
	kpool_tune(holds_pool, KPOOL_TUNE_CAPACITY, n + WALKS + 1);
	chain_end();
}

static void chain_cancel(unsigned int n)
{
	if (!chain_begin_streams(n))
		return;
	holds_measure();
	kpool_group_cancel(&holds_group);
	chain_end();
}

/* Delayed jobs become due behind one that sleeps at the chain. */
static void chain_due_in(unsigned int n, kpool_item_fn complete)
{
	struct kpool_stream *stream;
	unsigned long due;
	unsigned int i;

	if (!chain_begin(n, 1))
		return;
	stream = &lead(0)->stream;
	if (!complete)
		kpool_init_stream(stream, holds_pool);
	prepare(&lead(0)->job, chain_fn, stream);
	kpool_set_complete_fn(&lead(0)->job, complete);
	holds_submit(&lead(0)->job);
	await_asleep(n + 1);
	due = jiffies + HZ / 10;
	for (i = 0; i < WALKS; i++) {
		prepare(late(i), holds_tiny, stream);
		kpool_set_complete_fn(late(i), complete);
		holds_check(!kpool_submit_delayed(holds_pool, late(i),
						  due - jiffies), "delayed");
	}
	holds_measure();
	schedule_timeout_idle(HZ / 10);
	chain_end();
}

static void chain_due(unsigned int n)
{
	chain_due_in(n, NULL);
}

static void chain_due_ordered(unsigned int n)
{
	chain_due_in(n, holds_tiny);
}

/* Longer than any chain that is followed to its end. */
#define TURNS	60u

static int turn_fn(struct kpool_item *item)
{
	struct link *link = container_of(item, struct link, job.item);
	unsigned int i = link - links;

	atomic_inc(&nr_asleep);
	return i == nr_chain - 1 ? holds_blocks(item) :
				   kpool_flush_item(&links[nr_chain + i + 1].job.item);
}

/* Start the first job of a stream, and have a second one wait for a unit. */
static void take_turn(unsigned int i, struct kpool_group *group)
{
	struct kpool_job *first = &links[i].job;
	struct kpool_job *second = &links[nr_chain + i].job;

	prepare(first, turn_fn, &links[i].stream);
	kpool_set_priority(&first->item, KPOOL_PRIO_HIGH);
	prepare(second, holds_tiny, &links[i].stream);
	kpool_set_group(second, group);
	kpool_set_deadline(second, ktime_add_ms(ktime_get(), 3600 * MSEC_PER_SEC));
	holds_submit(first);
	if (i < nr_chain - 1)
		kpool_tune(holds_pool, KPOOL_TUNE_CAPACITY, nr_chain - i);
	while (atomic_read(&nr_asleep) < nr_chain - i)
		schedule_timeout_idle(1);
	holds_submit(second);
}

/* Each waits for a job that is still to start, behind the next. */
static void chain_turns(unsigned int n)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
		.max_bypass = KPOOL_UNLIMITED, .expiry_ms = KPOOL_NO_PURGE,
	};
	static struct kpool_group groups[KPOOL_GROUP_MAX_DEPTH];
	unsigned int i;

	nr_chain = min(n, TURNS);
	atomic_set(&nr_asleep, 0);
	links = vzalloc(array_size(2 * nr_chain, sizeof(*links)));
	if (!holds_check(links, "no memory for a chain"))
		return;
	holds_make_with(&attrs);
	for (i = 0; i < KPOOL_GROUP_MAX_DEPTH; i++)
		kpool_init_group(&groups[i], holds_pool,
				 i ? &groups[i - 1] : NULL, 0);
	for (i = 0; i < nr_chain; i++)
		kpool_init_ordered_stream(&links[i].stream, holds_pool);
	for (i = nr_chain; i--;) {
		if (!i)
			holds_measure();
		take_turn(i, &groups[KPOOL_GROUP_MAX_DEPTH - 1]);
	}
	chain_end();
}

const struct holds_operation holds_chains[] = {
	{ "chain-deadline", HOLDS_WORKERS, chain_deadline },
	{ "chain-cancel", HOLDS_WORKERS, chain_cancel },
	{ "chain-due", HOLDS_WORKERS, chain_due },
	{ "chain-due-ordered", HOLDS_WORKERS, chain_due_ordered },
	{ "chain-turns", HOLDS_WORKERS, chain_turns },
	{ }
};
