// SPDX-License-Identifier: GPL-2.0-only
/*
 * A worker of a higher priority than the submitter, on the submitter's CPU.
 */
#include <linux/cpumask.h>
#include <linux/preempt.h>

#include "selftest.h"

#define TRIES	200

/*
 * On a preemptible kernel the item has run when its submit returns.
 * Fails if the woken worker runs at the next tick only.  A kernel looks for a
 * task to run instead where preemption is enabled, not where interrupts are:
 * mutant woken-worker-not-scheduled.
 */
static void submit_returns_after_worker_of_higher_priority(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .min_workers = 1, .cpumask = cpumask_of(0),
		.policy = KPOOL_POLICY_FIFO,
	};
	struct kpool *pool;
	struct kt_gate gate;
	struct kt_job job;
	int i, ran = 0;

	if (!preempt_model_preemptible()) {
		kt_skip("this kernel does not preempt kernel code");
		return;
	}
	KT_EXPECT_EQ(set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	pool = kt_pool("preempt", &attrs);
	if (!pool)
		return;
	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_tiny, &gate, 0);
	/* the first item has a worker made */
	for (i = 0; i <= TRIES; i++) {
		KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
		ran += atomic_read(&gate.finished) > i;
		KT_EXPECT(kt_wait(kt_stat(pool, idle) == 1));
	}
	/* a real-time thread of the kernel's can be in the way of some */
	KT_EXPECT_GE(ran, kt_exact ? TRIES : TRIES * 9 / 10);
	kt_pool_end(pool);
}

static int submits(struct kpool *pool, struct kpool_item *item, int how)
{
	switch (how) {
	case 0:
		return kpool_submit(pool, item);
	case 1:
		return kpool_submit_timeout(pool, item, KT_LIMIT);
	case 2:
		return kpool_submit_killable(pool, item);
	}
	return kpool_submit_interruptible(pool, item);
}

static const char *const ways_to_submit[] = {
	"plain", "timed", "killable", "interruptible", NULL
};

/*
 * On a kernel where might_sleep() is a preemption point, a worker of a higher
 * priority that has been woken on the submitter's CPU does not run before the
 * next submit has returned.
 * Fails if that costs a context switch: mutants plain-submit-is-preempted,
 * timed-submit-is-preempted.
 */
static void accepted_submit_is_no_preemption_point(int how)
{
	const struct kpool_attrs attrs = {
		.capacity = 2, .min_workers = 2, .cpumask = cpumask_of(0),
		.policy = KPOOL_POLICY_FIFO, .flags = KPOOL_PREALLOC,
	};
	struct kpool *pool;
	struct kt_gate gate;
	struct kt_job job[2];
	int i, ran;

	if (!preempt_model_voluntary()) {
		kt_skip("might_sleep() is no preemption point of this kernel");
		return;
	}
	KT_EXPECT_EQ(set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	pool = kt_pool("preempt", &attrs);
	if (!pool)
		return;
	kt_gate_init(&gate);
	for (i = 0; i < 2; i++)
		kt_job_init(&job[i], kt_job_tiny, &gate, i);
	for (i = 0; i < TRIES; i++) {
		KT_EXPECT(kt_wait(kt_stat(pool, idle) == 2));
		KT_EXPECT_EQ(kpool_try_submit(pool, &job[0].item), 0);
		KT_EXPECT_EQ(submits(pool, &job[1].item, how), 0);
		ran = atomic_read(&gate.finished);
		KT_EXPECT_EQ(ran, 2 * i);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
	}
	kt_pool_end(pool);
}

KT_MODULE("kpool selftest: preemption of the submitter",
	  KT_CASE(submit_returns_after_worker_of_higher_priority),
	  KT_EACH(accepted_submit_is_no_preemption_point, ways_to_submit));
