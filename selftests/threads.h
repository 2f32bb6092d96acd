/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads of the system, by their names.
 */
#ifndef _KPOOL_SELFTEST_THREADS_H
#define _KPOOL_SELFTEST_THREADS_H

#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "selftest.h"

static inline int threads_named(const char *name)
{
	struct task_struct *task;
	int n = 0;

	rcu_read_lock();
	for_each_process(task)
		n += !(task->flags & PF_EXITING) &&
		     !strncmp(task->comm, name, TASK_COMM_LEN - 1);
	rcu_read_unlock();
	return n;
}

#endif /* _KPOOL_SELFTEST_THREADS_H */
