/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Add scheduling points to the engine without changing its source.  In the
 * simulator's module this header is included before each engine file.  Each
 * lock, sleep, wakeup and lockless access becomes a point.
 *
 * A point is a place where another CPU could run in between: before a lock,
 * after an unlock, between two lockless accesses, around sleep and wakeup.
 * There is none under a raw spinlock: on one CPU it only disables preemption,
 * and would not exclude a thread that a point switches to.  Just before it is
 * dropped, the model judges what was done under it: a step.
 *
 * Threads, work and timers are the simulator's, so that each of them has a
 * priority of its own and costs little.
 */
#ifndef _SIMULATE_POINTS_H
#define _SIMULATE_POINTS_H

#include <linux/completion.h>
#include <linux/cpuhotplug.h>
#include <linux/debugfs.h>
#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/kmemleak.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/panic.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <uapi/linux/sched/types.h>

#include "stand_ins.h"

/* kpool.ko exports these names; sim_log() judges log lines or drops them. */
#undef EXPORT_SYMBOL_GPL
#define EXPORT_SYMBOL_GPL(sym)	static_assert(__alignof__(sym) > 0)
#undef pr_err
#define pr_err(fmt, ...)	no_printk(fmt, ##__VA_ARGS__)
#undef pr_warn
#define pr_warn(fmt, ...)	sim_log(fmt, ##__VA_ARGS__)
#undef pr_info
#define pr_info(fmt, ...)	sim_log(fmt, ##__VA_ARGS__)

/* Modules, some of which the simulator stands in for */

#define within_module(address, module)	sim_within_module(address, module)

/* Memory: allocations can fail */

#undef kmalloc_obj
#define kmalloc_obj(obj, gfp)	sim_alloc(sizeof(obj), gfp)
#undef kzalloc_obj
#define kzalloc_obj(obj, gfp)	sim_alloc(sizeof(obj), (gfp) | __GFP_ZERO)
#undef kzalloc_objs
#define kzalloc_objs(obj, count, gfp)					\
	sim_alloc((count) * sizeof(obj), (gfp) | __GFP_ZERO)
#define kfree(ptr)		sim_kfree(ptr)
/* keep memory that dead threads can still use */
#define kmemleak_not_leak(ptr)	sim_leak(ptr)

/* Raw spinlocks */

static inline void sim_raw_lock(raw_spinlock_t *lock)
{
	sim_point();
	raw_spin_lock(lock);
}

static inline void sim_raw_unlock(raw_spinlock_t *lock)
{
	sim_step(lock);
	raw_spin_unlock(lock);
	sim_point();
}

static inline void sim_raw_lock_irq(raw_spinlock_t *lock)
{
	sim_point();
	raw_spin_lock_irq(lock);
}

static inline void sim_raw_unlock_irq(raw_spinlock_t *lock)
{
	sim_step(lock);
	raw_spin_unlock_irq(lock);
	sim_point();
}

static inline unsigned long sim_raw_lock_irqsave(raw_spinlock_t *lock)
{
	unsigned long flags;

	sim_point();
	raw_spin_lock_irqsave(lock, flags);
	return flags;
}

static inline void sim_raw_unlock_irqrestore(raw_spinlock_t *lock,
					     unsigned long flags)
{
	sim_step(lock);
	raw_spin_unlock_irqrestore(lock, flags);
	sim_point();
}

static inline void sim_irq_enable(void)
{
	local_irq_enable();
	sim_point();
}

static inline void sim_irq_restore(unsigned long flags)
{
	local_irq_restore(flags);
	sim_point();
}

#undef raw_spin_lock
#define raw_spin_lock(lock)			sim_raw_lock(lock)
/* fail at times, as if another CPU held the lock */
#undef raw_spin_trylock
#define raw_spin_trylock(lock)						\
	(!sim_percent(25) && _raw_spin_trylock(lock))
#undef raw_spin_unlock
#define raw_spin_unlock(lock)			sim_raw_unlock(lock)
#undef raw_spin_lock_irq
#define raw_spin_lock_irq(lock)			sim_raw_lock_irq(lock)
#undef raw_spin_unlock_irq
#define raw_spin_unlock_irq(lock)		sim_raw_unlock_irq(lock)
#undef raw_spin_lock_irqsave
#define raw_spin_lock_irqsave(lock, flags)				\
	((flags) = sim_raw_lock_irqsave(lock))
#undef raw_spin_unlock_irqrestore
#define raw_spin_unlock_irqrestore(lock, flags)				\
	sim_raw_unlock_irqrestore(lock, flags)
#undef local_irq_enable
#define local_irq_enable()			sim_irq_enable()
#undef local_irq_restore
#define local_irq_restore(flags)		sim_irq_restore(flags)

/* Accesses without a lock */

#undef READ_ONCE
#define READ_ONCE(x)							\
({									\
	sim_point();							\
	__READ_ONCE(x);							\
})
#undef WRITE_ONCE
#define WRITE_ONCE(x, val)						\
do {									\
	sim_point();							\
	__WRITE_ONCE(x, val);						\
} while (0)
/* the commits of fast operations: see core/queue.h */
#undef try_cmpxchg_release
#define try_cmpxchg_release(ptr, old, new)				\
({									\
	typeof(ptr) __word = (ptr);					\
	bool done;							\
									\
	sim_point();							\
	done = raw_try_cmpxchg_release(__word, old, new);		\
	if (done)							\
		sim_fast_step(__word);					\
	sim_point();							\
	done;								\
})
#undef atomic64_try_cmpxchg_release
#define atomic64_try_cmpxchg_release(ptr, old, new)			\
({									\
	atomic64_t *__word = (ptr);					\
	bool done;							\
									\
	sim_point();							\
	done = raw_atomic64_try_cmpxchg_release(__word, old, new);	\
	if (done)							\
		sim_fast_step(__word);					\
	sim_point();							\
	done;								\
})
#undef atomic64_try_cmpxchg_acquire
#define atomic64_try_cmpxchg_acquire(ptr, old, new)			\
({									\
	sim_point();							\
	raw_atomic64_try_cmpxchg_acquire(ptr, old, new);		\
})
#undef atomic64_read_acquire
#define atomic64_read_acquire(ptr)					\
({									\
	sim_point();							\
	raw_atomic64_read_acquire(ptr);					\
})
#undef try_cmpxchg_relaxed
#define try_cmpxchg_relaxed(ptr, old, new)				\
({									\
	sim_point();							\
	raw_try_cmpxchg_relaxed(ptr, old, new);				\
})
#undef cmpxchg_relaxed
#define cmpxchg_relaxed(ptr, old, new)					\
({									\
	sim_point();							\
	raw_cmpxchg_relaxed(ptr, old, new);				\
})
#undef cmpxchg
#define cmpxchg(ptr, old, new)						\
({									\
	sim_point();							\
	raw_cmpxchg(ptr, old, new);					\
})

/* Mutexes */

static inline void sim_mutex_lock(struct mutex *lock)
{
	sim_point();
	mutex_lock(lock);
}

static inline void sim_mutex_unlock(struct mutex *lock)
{
	mutex_unlock(lock);
	sim_point();
}

#undef mutex_lock
#define mutex_lock(lock)	sim_mutex_lock(lock)
#undef mutex_unlock
#define mutex_unlock(lock)	sim_mutex_unlock(lock)

/* Sleeping and waking */

static inline void sim_schedule(void)
{
	sim_point();
	schedule();
	sim_point();
}

static inline void sim_complete(struct completion *x)
{
	sim_point();
	complete(x);
	sim_point();
}

static inline void sim_wait_for_completion(struct completion *x)
{
	sim_point();
	wait_for_completion(x);
	sim_point();
}

static inline long sim_schedule_timeout(long timeout)
{
	sim_point();
	timeout = schedule_timeout(timeout);
	sim_point();
	return timeout;
}

static inline void sim_state_point(unsigned int state)
{
	__set_current_state(state);
	sim_point();
}

#define schedule()			sim_schedule()
#define complete(x)			sim_complete(x)
#define wait_for_completion(x)		sim_wait_for_completion(x)
#define schedule_timeout(timeout)	sim_schedule_timeout(timeout)
#define schedule_timeout_idle(timeout)					\
	({								\
		__set_current_state(TASK_IDLE);				\
		sim_schedule_timeout(timeout);				\
	})
#undef set_current_state
#define set_current_state(state)	sim_state_point(state)
#undef __set_current_state
#define __set_current_state(state)	sim_state_point(state)
#undef cond_resched
#define cond_resched()			sim_point()
/* true at times, as if another thread wanted the CPU */
#define need_resched()			sim_percent(12)

/* Threads */

#define wake_up_process(task)		sim_wake(task)
#undef kthread_create_on_node
#define kthread_create_on_node(fn, data, node, ...)			\
	((void)(node), sim_kthread_create(fn, data))
#undef kthread_create
#define kthread_create(fn, data, ...)	sim_kthread_create(fn, data)
#define kthread_stop(task)		sim_kthread_stop(task)
#define kthread_func(task)		sim_kthread_func(task)
#define kthread_data(task)		sim_kthread_data(task)

/*
 * A simulated thread that ends does not exit: its task is reused.  threads.c
 * does what do_exit() would do, and sets ->exit_state of a stub task.
 */
#define task_work_add(task, work, mode)					\
	((void)(task), (void)(mode), sim_task_work_add(work))
#define get_task_struct(task)		sim_get_task(task)
#define put_task_struct(task)		sim_put_task(task)
#undef smp_load_acquire
/* the only int loaded so is task->exit_state; there is one CPU */
#define smp_load_acquire(ptr)						\
({									\
	typeof(ptr) __word = (ptr);					\
	typeof(__word) seen = __builtin_choose_expr(			\
		__same_type(*__word, int),				\
		(typeof(__word))sim_exit_state((void *)__word), __word);\
	__unqual_scalar_typeof(*__word) loaded = READ_ONCE(*seen);	\
									\
	barrier();							\
	(typeof(*__word))loaded;					\
})

/* Report a taint after a death without exit work: only an oops skips it. */
#define test_taint(flag)		sim_test_taint(flag)

#undef kthread_init_work
#define kthread_init_work(work, fn)	sim_thread_work_init(work, fn)
#undef kthread_run_worker
#define kthread_run_worker(flags, ...)	((void)(flags), sim_kthread_worker())
#define kthread_queue_work(worker, work)				\
	((void)(worker), sim_thread_work_queue(work))
#define kthread_cancel_work_sync(work)	sim_thread_work_cancel_sync(work)
#define kthread_destroy_worker(worker)	((void)(worker))

/* Ignore how the engine schedules a worker: pct.c chooses its priority. */
#define sched_setattr_nocheck(task, attr)				\
	((void)(task), (void)(attr), sim_point())
#define set_cpus_allowed_ptr(task, mask)				\
	((void)(task), (void)(mask), sim_point())

/* Work and timers */

#undef INIT_WORK
#define INIT_WORK(work, fn)		sim_work_init(work, fn)
#undef INIT_DELAYED_WORK
#define INIT_DELAYED_WORK(dwork, fn)	sim_work_init(&(dwork)->work, fn)
#define queue_work(wq, work)		((void)(wq), sim_work_queue(work, 0))
#define queue_delayed_work(wq, dwork, delay)				\
	((void)(wq), sim_work_queue(&(dwork)->work, delay))
#define queue_delayed_work_on(cpu, wq, dwork, delay)			\
	((void)(cpu), queue_delayed_work(wq, dwork, delay))
#define mod_delayed_work(wq, dwork, delay)				\
	((void)(wq), sim_work_modify(&(dwork)->work, delay))
#define cancel_work(work)		sim_work_cancel(work)
#define cancel_work_sync(work)		sim_work_cancel_sync(work)
#define cancel_delayed_work(dwork)	sim_work_cancel(&(dwork)->work)
#define cancel_delayed_work_sync(dwork)	sim_work_cancel_sync(&(dwork)->work)
#define flush_work(work)		sim_work_flush(work)
#undef work_pending
#define work_pending(work)		sim_work_pending(work)
#undef delayed_work_pending
#define delayed_work_pending(dwork)	sim_work_pending(&(dwork)->work)
#undef timer_setup
#define timer_setup(timer, fn, flags)					\
	((void)(flags), sim_timer_init(timer, fn))
#define mod_timer(timer, expires)	sim_timer_modify(timer, expires)
#define timer_delete(timer)		sim_timer_delete(timer)
#define timer_delete_sync(timer)	sim_timer_delete_sync(timer)
#define timer_shutdown_sync(timer)	sim_timer_delete_sync(timer)
#define timer_pending(timer)		sim_timer_pending(timer)

/* Check for threads still in the pool: RCU would hide them. */
#undef kfree_rcu
#define kfree_rcu(pool, ...)		sim_free_pool(pool)

/* No thread reads the files of a simulated pool. */
#undef debugfs_create_dir
#define debugfs_create_dir(name, parent)				\
	((void)(name), (void)(parent), (struct dentry *)NULL)
#undef debugfs_create_file
#define debugfs_create_file(name, mode, parent, data, fops)		\
	((void)(name), (void)(mode), (void)(parent), (void)(data), (void)(fops))
#define debugfs_create_file_unsafe(name, mode, parent, data, fops)	\
	((void)(name), (void)(mode), (void)(parent), (void)(data), (void)(fops))
#define debugfs_remove(dentry)		((void)(dentry))

#endif /* _SIMULATE_POINTS_H */
