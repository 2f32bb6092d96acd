/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timers, workqueues and allocation as the newest kernel has them.
 */
#ifndef _KPOOL_SELFTEST_COMPAT_H
#define _KPOOL_SELFTEST_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/version.h>
#include <linux/workqueue.h>

/* hrtimer_setup() replaced hrtimer_init() and the bare function pointer. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

/* timer_container_of() was from_timer(). */
#ifndef timer_container_of
#define timer_container_of(var, callback_timer, timer_fieldname) \
	from_timer(var, callback_timer, timer_fieldname)
#endif

/* kthread_run_worker() was kthread_create_worker(), which woke the thread. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define kthread_run_worker kthread_create_worker
#endif

/* Before 6.17, a workqueue without WQ_UNBOUND was per-CPU. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define WQ_PERCPU 0
#endif

/* Allocation by object came with 7.0. */
#ifndef kmalloc_obj
#define kmalloc_obj(obj, gfp)		kmalloc(sizeof(obj), gfp)
#define kzalloc_obj(obj, gfp)		kzalloc(sizeof(obj), gfp)
#endif

#endif /* _KPOOL_SELFTEST_COMPAT_H */
