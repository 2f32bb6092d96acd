/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel that can make no thread: because its allocations fail, or because
 * one of its limits has been reached.
 */
#ifndef _KPOOL_SELFTEST_LIMITS_H
#define _KPOOL_SELFTEST_LIMITS_H

#include <linux/fs.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "selftest.h"

#define LIMIT_BALLAST	512

enum { LIMIT_SLAB, LIMIT_PAGES, LIMIT_THREADS_MAX, LIMIT_PID_MAX };

static const char *const limit_file[] = {
	[LIMIT_THREADS_MAX]	= "/proc/sys/kernel/threads-max",
	[LIMIT_PID_MAX]		= "/proc/sys/kernel/pid_max",
};

/* As low as the kernel lets them be. */
static const char *const limit_lowest[] = {
	[LIMIT_THREADS_MAX]	= "20",
	[LIMIT_PID_MAX]		= "301",
};

static struct task_struct *limit_ballast[LIMIT_BALLAST];
static int limit_nr_ballast;
static char limit_was[16];

/* Read or write a sysctl, as a person would. */
static inline ssize_t limit_read(const char *path, char *text, size_t size)
{
	struct file *file = filp_open(path, O_RDONLY, 0);
	loff_t pos = 0;
	ssize_t n;

	if (IS_ERR(file))
		return PTR_ERR(file);
	n = kernel_read(file, text, size - 1, &pos);
	if (n >= 0)
		text[n] = '\0';
	filp_close(file, NULL);
	return n;
}

static inline ssize_t limit_write(const char *path, const char *text)
{
	struct file *file = filp_open(path, O_WRONLY, 0);
	loff_t pos = 0;
	ssize_t n;

	if (IS_ERR(file))
		return PTR_ERR(file);
	n = kernel_write(file, text, strlen(text), &pos);
	filp_close(file, NULL);
	return n;
}

#ifdef CONFIG_FAULT_INJECTION
static inline void limit_mark(struct task_struct *task, bool fail)
{
	task->make_it_fail = fail;
}
#else
static inline void limit_mark(struct task_struct *task, bool fail)
{
}
#endif

/* Threads that make threads, and threads that have them made. */
static inline bool limit_makes_threads(const struct task_struct *task)
{
	return (task->flags & PF_KTHREAD) &&
	       (task->pid == 2 || !strncmp(task->comm, "kworker/", 8));
}

static inline void limit_mark_all(bool fail)
{
	struct task_struct *task;

	rcu_read_lock();
	for_each_process(task)
		if (limit_makes_threads(task))
			limit_mark(task, fail);
	rcu_read_unlock();
}

static inline int limit_ballast_main(void *unused)
{
	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

static inline bool limit_can_make_thread(void)
{
	struct task_struct *task;

	task = kthread_run(limit_ballast_main, NULL, "ballast");
	if (IS_ERR(task))
		return false;
	if (limit_nr_ballast < LIMIT_BALLAST)
		limit_ballast[limit_nr_ballast++] = task;
	else
		kthread_stop(task);
	return true;
}

static inline void limit_unload(void)
{
	while (limit_nr_ballast)
		kthread_stop(limit_ballast[--limit_nr_ballast]);
}

/* Use up what numbers of processes there are. */
static inline bool limit_fill(void)
{
	int i;

	for (i = 0; i < LIMIT_BALLAST; i++)
		if (!limit_can_make_thread())
			return true;
	return false;
}

static inline bool limit_lower(int limit)
{
	const char *path = limit_file[limit];

	if (!KT_EXPECT_GE(limit_read(path, limit_was, sizeof(limit_was)), 1))
		return false;
	return KT_EXPECT_GE(limit_write(path, limit_lowest[limit]), 1);
}

/* From now on no thread can be made. */
static inline bool limit_begin(int limit)
{
	if (limit < LIMIT_THREADS_MAX) {
		/* the kernel can report an allocation that fails */
		pr_info("kpool-testbed: expect begin\n");
		limit_mark_all(true);
	} else if (!limit_lower(limit)) {
		return false;
	}
	return KT_EXPECT(limit_fill());
}

static inline void limit_end(int limit)
{
	if (limit < LIMIT_THREADS_MAX)
		limit_mark_all(false);
	else
		limit_write(limit_file[limit], limit_was);
	limit_unload();
	if (limit < LIMIT_THREADS_MAX)
		pr_info("kpool-testbed: expect end\n");
}

#endif /* _KPOOL_SELFTEST_LIMITS_H */
