/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the operations of the bench of holds.
 */
#ifndef _KPOOL_HOLDS_H
#define _KPOOL_HOLDS_H

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "compat.h"
#include "kpool.h"

/* Counted by an operation's n, which limits how large it can be. */
enum holds_kind {
	HOLDS_ONE,		/* items beside the one that is operated on */
	HOLDS_ITEMS,
	HOLDS_GROUPS,
	HOLDS_SLEEPERS,
	HOLDS_WORKERS,
};

/**
 * struct holds_operation - one thing to measure
 * @name: as in the results
 * @kind: of n
 * @run: prepare, measure between holds_measure() and holds_measured(), clean up
 */
struct holds_operation {
	const char *name;
	enum holds_kind kind;
	void (*run)(unsigned int n);
};

/* clock.c */
u64 holds_reset(void);
void holds_calibrate(void);

/* run.c */
void holds_measure(void);
void holds_measured(unsigned int nr_operations);

/* setup.c */

/* As many jobs as are accepted by two inboxes in a row, and two before them. */
#define HOLDS_INBOXES	66

/* Units of a pool in which more heavy items fit than are counted at once. */
#define HOLDS_HEAVY_UNITS	200

extern struct kpool *holds_pool;
extern struct kpool_job *holds_jobs;
extern struct kpool_stream holds_stream;
extern struct kpool_group holds_group;
int holds_tiny(struct kpool_item *item);
int holds_blocks(struct kpool_item *item);
void holds_make(int capacity, int queue_depth);
void holds_make_with(const struct kpool_attrs *attrs);
void holds_block(struct kpool_stream *stream);
void holds_block_heavy(unsigned int weight);
void holds_unblock(void);
void holds_end_pool(void);
struct kpool_job *holds_job(unsigned int i);
void holds_submit(struct kpool_job *job);
void holds_fill(unsigned int n, void (*prepare)(struct kpool_job *job,
						unsigned int i));
void holds_in_stream(struct kpool_job *job, unsigned int i);
void holds_in_group(struct kpool_job *job, unsigned int i);
void holds_heavy(struct kpool_job *job, unsigned int i);
u64 holds_stat_alive(void);
void holds_wait_completed(u64 n);
bool holds_check(bool ok, const char *what);
void holds_command(const char *const *argv);

/**
 * struct holds_caller - a thread that calls kpool when told to
 * @task: the thread
 * @go: it is to call
 * @back: it has called
 * @call: the function to run
 * @job: its own
 */
struct holds_caller {
	struct task_struct *task;
	struct completion go, back;
	void (*call)(struct holds_caller *caller);
	struct kpool_job job;
};

void holds_callers_sleep(unsigned int n,
			 void (*call)(struct holds_caller *caller));
void holds_callers_return(unsigned int n);

/* the operations, ended by one without a name */
extern const struct holds_operation holds_items[];
extern const struct holds_operation holds_odd[];
extern const struct holds_operation holds_chains[];
extern const struct holds_operation holds_delayed[];
extern const struct holds_operation holds_sleepers[];
extern const struct holds_operation holds_workers[];
extern const struct holds_operation holds_gone_by[];

#endif /* _KPOOL_HOLDS_H */
