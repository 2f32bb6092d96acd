/* SPDX-License-Identifier: GPL-2.0-only */
/* Replacements for kernel functions that the simulated engine calls. */
#ifndef _SIMULATE_STAND_INS_H
#define _SIMULATE_STAND_INS_H

#include <linux/timer.h>
#include <linux/workqueue.h>

struct callback_head;
struct kthread_work;
struct kthread_worker;
struct kpool;
struct module;
struct task_struct;

/* pct.c */
void sim_point(void);
bool sim_percent(unsigned int percent);

/* model.c */
void sim_step(const void *lock);

/* deaths.c */
void sim_log(const char *fmt, ...) __printf(1, 2);
int sim_test_taint(unsigned int flag);

/* removal.c */
bool sim_within_module(unsigned long address, const struct module *module);

/* observe.c */
void sim_fast_step(const void *address);
void sim_kfree(const void *ptr);
void sim_free_pool(struct kpool *pool);

/* threads.c */
void *sim_alloc(size_t size, gfp_t gfp);
int sim_wake(struct task_struct *task);
struct task_struct *sim_kthread_create(int (*fn)(void *data), void *data);
struct kthread_worker *sim_kthread_worker(void);
int sim_kthread_stop(struct task_struct *task);
void *sim_kthread_func(struct task_struct *task);
void *sim_kthread_data(struct task_struct *task);
int sim_task_work_add(struct callback_head *work);
struct task_struct *sim_get_task(struct task_struct *task);
void sim_put_task(struct task_struct *task);
int *sim_exit_state(int *state);
void sim_leak(const void *ptr);

/* later.c */
void sim_work_init(struct work_struct *work, work_func_t fn);
bool sim_work_queue(struct work_struct *work, unsigned long delay);
bool sim_work_modify(struct work_struct *work, unsigned long delay);
bool sim_work_cancel(struct work_struct *work);
bool sim_work_cancel_sync(struct work_struct *work);
bool sim_work_flush(struct work_struct *work);
bool sim_work_pending(struct work_struct *work);
bool sim_work_busy(struct work_struct *work);
void sim_thread_work_init(struct kthread_work *work,
			  void (*fn)(struct kthread_work *work));
bool sim_thread_work_queue(struct kthread_work *work);
bool sim_thread_work_cancel_sync(struct kthread_work *work);
void sim_timer_init(struct timer_list *timer,
		    void (*fn)(struct timer_list *timer));
int sim_timer_modify(struct timer_list *timer, unsigned long expires);
int sim_timer_delete(struct timer_list *timer);
int sim_timer_delete_sync(struct timer_list *timer);
bool sim_timer_pending(struct timer_list *timer);

#endif /* _SIMULATE_STAND_INS_H */
