/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stand-ins for what a kernel lacks, by its configuration or by its version.
 * The rest of kpool uses the newest API and checks neither.
 */
#ifndef _KPOOL_COMPAT_H
#define _KPOOL_COMPAT_H

#include <linux/build_bug.h>
#include <linux/kconfig.h>
#include <linux/panic.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/timer.h>
#include <linux/version.h>

/*
 * On parisc, sparc32 and ARC without LLOCK and SCOND, with several CPUs,
 * cmpxchg() takes a lock that plain stores ignore, and item->word is changed by
 * both.
 */
static_assert(!IS_ENABLED(CONFIG_SMP) ||
	      !(IS_ENABLED(CONFIG_PARISC) || IS_ENABLED(CONFIG_SPARC32) ||
		(IS_ENABLED(CONFIG_ARC) && !IS_ENABLED(CONFIG_ARC_HAS_LLSC))),
	      "kpool needs a cmpxchg() that is atomic with stores");

/* timer_container_of() was called from_timer() before 6.16. */
#ifndef timer_container_of
#define timer_container_of(var, callback_timer, timer_fieldname) \
	from_timer(var, callback_timer, timer_fieldname)
#endif

/* Before 6.14, kthread_create_worker() also woke the thread. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define kthread_run_worker kthread_create_worker
#endif

/* Not declared by a kernel without the freezer. */
#ifndef CONFIG_FREEZER
#define freezing_slow_path(task)	((void)(task), false)
#endif

/* Without CONFIG_SMP, a task has neither wake_cpu nor migration_disabled. */
#ifdef CONFIG_SMP
static inline int kpool_wake_cpu(const struct task_struct *task)
{
	/* racy: another wakeup can move the task */
	return data_race(task->wake_cpu);
}

static inline void kpool_set_wake_cpu(struct task_struct *task, int cpu)
{
	/* racy: lost if the task has not left its CPU */
	data_race(task->wake_cpu = cpu);
}

static inline bool kpool_is_migration_disabled(void)
{
	return current->migration_disabled;
}
#else
static inline int kpool_wake_cpu(const struct task_struct *task)
{
	return 0;
}

static inline void kpool_set_wake_cpu(struct task_struct *task, int cpu)
{
}

static inline bool kpool_is_migration_disabled(void)
{
	return false;
}
#endif

/* kmalloc_obj() and others were added in 7.0. */
#ifndef kmalloc_obj
#define kmalloc_obj(obj, gfp)		kmalloc(sizeof(obj), gfp)
#define kzalloc_obj(obj, gfp)		kzalloc(sizeof(obj), gfp)
#define kzalloc_objs(obj, count, gfp)	kcalloc(count, sizeof(obj), gfp)
#endif

/*
 * Return true if a thread can have oopsed since the machine was booted.  Some
 * architectures do not taint the kernel then.
 */
static inline bool kpool_can_have_oopsed(void)
{
	return IS_ENABLED(CONFIG_MICROBLAZE) || IS_ENABLED(CONFIG_NIOS2) ||
	       IS_ENABLED(CONFIG_OPENRISC) || test_taint(TAINT_DIE);
}

/* Entries of a saved stack. */
#define KPOOL_STACK_DEPTH	14

struct kpool_stack {
	unsigned int	nr;
	unsigned long	entry[KPOOL_STACK_DEPTH];
};

#ifdef CONFIG_STACKTRACE
static inline void kpool_save_own_stack(struct kpool_stack *stack)
{
	stack->nr = stack_trace_save(stack->entry, KPOOL_STACK_DEPTH, 0);
}
#else
static inline void kpool_save_own_stack(struct kpool_stack *stack)
{
	stack->nr = 0;
}
#endif

/* stack_trace_save_tsk() is not exported by every kernel before 7.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define KPOOL_NO_STACK_OF
#endif

/*
 * Save the stack of a sleeping task.  Return false if this kernel can only
 * print it to the log.
 */
#if defined(CONFIG_STACKTRACE) && !defined(KPOOL_NO_STACK_OF)
static inline bool kpool_save_stack_of(struct task_struct *task,
				       struct kpool_stack *stack)
{
	stack->nr = stack_trace_save_tsk(task, stack->entry, KPOOL_STACK_DEPTH,
					 0);
	return true;
}
#else
static inline bool kpool_save_stack_of(struct task_struct *task,
				       struct kpool_stack *stack)
{
	stack->nr = 0;
	return false;
}
#endif

#endif /* _KPOOL_COMPAT_H */
