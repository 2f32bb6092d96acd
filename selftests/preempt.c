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
 * Fails if the woken worker runs at the next tick only, as a kernel looks for a
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
	/* a real-time thread of the kernel's may be in the way of some */
	KT_EXPECT_GE(ran, kt_exact ? TRIES : TRIES * 9 / 10);
	kt_pool_end(pool);
}

KT_MODULE("kpool selftest: preemption of the submitter",
	  KT_CASE(submit_returns_after_worker_of_higher_priority));
