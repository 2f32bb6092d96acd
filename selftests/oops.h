/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Items that do not return: each kills the thread that it runs in.
 *
 * What the kernel says about it is announced to the test bed, which then fails
 * on other reports only.
 */
#ifndef _KPOOL_SELFTEST_OOPS_H
#define _KPOOL_SELFTEST_OOPS_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/kthread.h>
#include <linux/spinlock.h>

#include "jobs.h"

/* Ways to die. */
static const char *const ways[] __maybe_unused = {
	"null", "bug", "jump", "locked", "exit", NULL
};

enum { DIE_NULL, DIE_BUG, DIE_JUMP, DIE_LOCKED, DIE_EXIT, NR_WAYS, SURVIVE };

static int provoked;
module_param(provoked, int, 0400);
MODULE_PARM_DESC(provoked, "oopses so far, all of them on purpose");

static inline void die_of_null(void)
{
	int *nowhere = NULL;

	OPTIMIZER_HIDE_VAR(nowhere);
	WRITE_ONCE(*nowhere, 0);
}

static inline void die_of_jump(void)
{
	static int data;
	void (*fn)(void) = (void *)&data;

	OPTIMIZER_HIDE_VAR(fn);
	fn();
}

/* With a raw lock held and interrupts off; the lock is lost. */
static inline void die_locked(void)
{
	static raw_spinlock_t lock;

	raw_spin_lock_init(&lock);
	raw_spin_lock_irq(&lock);
	die_of_null();
	raw_spin_unlock_irq(&lock);
}

/* A test of it is the one place for it. */
#define FALLS_OVER	BUG

static noinline void die(int way)
{
	/* User Mode Linux ends at an oops: there each ends its thread */
	if (IS_ENABLED(CONFIG_UML) && way < DIE_EXIT)
		way = DIE_EXIT;
	provoked += way < DIE_EXIT;
	switch (way) {
	case DIE_NULL:
		die_of_null();
		break;
	case DIE_BUG:
		FALLS_OVER();
		break;
	case DIE_JUMP:
		die_of_jump();
		break;
	case DIE_LOCKED:
		die_locked();
		break;
	case DIE_EXIT:
		kthread_complete_and_exit(NULL, 0);
	}
}

/* From here on oopses are no complaint. */
static inline void oopses_begin(void)
{
	pr_info("kpool-testbed: expect begin: oops\n");
}

static inline void oopses_end(void)
{
	pr_info("kpool-testbed: expect end\n");
}

struct victim {
	struct kpool_job	job;
	struct kt_gate		gate;	/* where it waits before it dies */
	int			way;
	int			err;	/* error of its last drop */
	atomic_t		survived;
	atomic_t		dropped;
};

/* A kpool_fn. */
static inline int victim_dies(void *arg)
{
	struct victim *v = arg;

	kt_gate_pass(&v->gate);
	die(v->way);
	atomic_inc(&v->survived);
	return 0;
}

/* A kpool_item_fn. */
static inline int victim_fn(struct kpool_item *item)
{
	return victim_dies(container_of(item, struct victim, job.item));
}

static inline void victim_dropped(struct kpool_item *item, int err)
{
	struct victim *v = container_of(item, struct victim, job.item);

	v->err = err;
	atomic_inc(&v->dropped);
}

static inline void victim_init(struct victim *v, int way)
{
	memset(v, 0, sizeof(*v));
	kpool_init_job(&v->job, victim_fn);
	kpool_set_drop_fn(&v->job.item, victim_dropped);
	kt_gate_init(&v->gate);
	v->way = way;
}

static inline bool victim_runs(struct victim *v)
{
	return KT_EXPECT(kt_wait(atomic_read(&v->gate.started) >
				 atomic_read(&v->gate.finished)));
}

/* Submit it, and return when it is in its function, at its gate. */
static inline bool victim_begin(struct kpool *pool, struct victim *v)
{
	return KT_EXPECT_EQ(kpool_submit(pool, &v->job.item), 0) &&
	       victim_runs(v);
}

/* Let it go on to its death. */
static inline void victim_let_die(struct victim *v)
{
	kt_gate_open(&v->gate);
}

/* Its owner can use it again: let it live this time. */
static inline void victim_expect_reusable(struct kpool *pool, struct victim *v)
{
	int before = atomic_read(&v->survived);

	v->way = SURVIVE;
	victim_let_die(v);
	KT_EXPECT_EQ(kpool_submit(pool, &v->job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&v->job.item), 0);
	KT_EXPECT_EQ(atomic_read(&v->survived), before + 1);
	KT_EXPECT_EQ(atomic_read(&v->dropped), 0);
}

/* Have @n died, and are they no longer accounted? */
static inline bool dead_are(struct kpool *pool, u64 n)
{
	return KT_EXPECT(kt_wait(kt_stat(pool, died) == n));
}

/* For a kt_thread: wait for the end of an item. */
static inline int flushes_item(void *item)
{
	return kpool_flush_item(item);
}

#endif /* _KPOOL_SELFTEST_OOPS_H */
