// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watch the runs of a pool: find those that stall or whose thread has died, and
 * count in histograms how long items wait and run.
 *
 * The first run in an idle pool arms the watchdog.  It re-arms itself while
 * there are runs, so an idle pool has no timer.  Dead threads are left to
 * dead_work of the pool: reaping them here would delay other pools, which share
 * kpool_wq.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/debug.h>
#include <linux/sched/isolation.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "internal.h"
#include "lock.h"
#include "trace.h"
#include "watchdog.h"

/*
 * Stacks
 *
 * The stack of a sleeping task can be read from any CPU.  The stack of a
 * running task can only be read on its own CPU, by an IPI.  If that CPU has
 * interrupts off, the stack is not available.  There is a single global
 * request, which is not reused until the IPI has run.
 */

/* How long to wait for the IPI. */
#define KPOOL_STACK_TIMEOUT	(HZ / 10 + 1)

/*
 * Request to a CPU: if it runs @task, save the stack.  The sender holds
 * kpool_stack_req_mutex.  While @pending is true, the fields are the IPI's.
 */
static struct kpool_stack_req {
	call_single_data_t	csd;
	struct completion	done;
	struct task_struct	*task;	/* compared, never followed */
	struct kpool_stack	stack;
	bool			pending; /* A: the IPI has not finished */
} kpool_stack_req;
static DEFINE_MUTEX(kpool_stack_req_mutex);

/*
 * Save the stack of the requested task, if it runs here.  Litmus:
 * stack-req-vs-reuse, stack-req-flush, lock-seen.
 */
static void kpool_stack_ipi(void *data)
{
	struct kpool_stack_req *req = data;

	req->stack.nr = 0;
	if (current == req->task)
		kpool_save_own_stack(&req->stack);
	complete(&req->done);
	/* pairs with the readers of ->pending, which can reuse the request */
	smp_store_release(&req->pending, false);
}

/*
 * Request the stack from the CPU that the task last ran on.  @stack->nr is 0 if
 * it is not available.
 */
static void kpool_request_stack(struct task_struct *task,
				struct kpool_stack *stack)
{
	struct kpool_stack_req *req = &kpool_stack_req;

	stack->nr = 0;
	mutex_lock(&kpool_stack_req_mutex);
	/* pairs with kpool_stack_ipi(); an earlier request can be pending */
	if (smp_load_acquire(&req->pending))
		goto unlock;
	req->task = task;
	req->pending = true;
	init_completion(&req->done);
	INIT_CSD(&req->csd, kpool_stack_ipi, req);
	if (smp_call_function_single_async(task_cpu(task), &req->csd)) {
		WRITE_ONCE(req->pending, false);
	} else if (wait_for_completion_timeout(&req->done,
					       KPOOL_STACK_TIMEOUT)) {
		*stack = req->stack;
		/* pairs with kpool_stack_ipi(), which is about to return */
		smp_cond_load_acquire(&req->pending, !VAL);
	}
unlock:
	mutex_unlock(&kpool_stack_req_mutex);
}

/* Wait until a pending IPI has run.  Called at module exit. */
void kpool_stack_req_flush(void)
{
	/* pairs with kpool_stack_ipi() */
	while (smp_load_acquire(&kpool_stack_req.pending))
		schedule_timeout_uninterruptible(1);
	/* wait until the IPI handler, with interrupts off, has returned */
	synchronize_rcu();
}

/*
 * Get the stack of the task; @stack->nr is 0 if it is not available.  Return
 * false if this kernel can only print it to the log.
 */
bool kpool_get_stack(struct task_struct *task, struct kpool_stack *stack)
{
	if (!task_is_running(task))
		return kpool_save_stack_of(task, stack);
	kpool_request_stack(task, stack);
	return true;
}

static void kpool_print_stack(const struct kpool_stack *stack)
{
	unsigned int i;

	if (!stack->nr)
		pr_warn("  stack not available\n");
	for (i = 0; i < stack->nr; i++)
		pr_warn("  %pS\n", (void *)stack->entry[i]);
}

static void kpool_format_stack(struct kpool_stall *stall,
			       const struct kpool_stack *stack)
{
	size_t len = 0;
	unsigned int i;

	stall->stack[0] = '\0';
	for (i = 0; i < stack->nr; i++)
		len += scnprintf(stall->stack + len, sizeof(stall->stack) - len,
				 "  %pS\n", (void *)stack->entry[i]);
}

/*
 * Stalled runs
 *
 * A stalled run is reported once, with its stack, in the log and in debugfs.
 */

/* Stalls reported in full per period; the others are counted. */
#define KPOOL_MAX_REPORTED	8U

/* A newly found stalled run. */
struct kpool_stalled {
	struct task_struct	*task;	/* referenced */
	void			*fn;
	unsigned int		ran_ms;
};

/* The runs that have stalled since the last period. */
struct kpool_new_stalls {
	unsigned int		nr;
	struct kpool_stalled	first[KPOOL_MAX_REPORTED];
};

/*
 * Count a stalled run of @task, and note it if it is one of the first.  Called
 * with pool->lock held.
 */
static void kpool_note_stall(struct kpool *pool, const struct kpool_run *run,
			     struct task_struct *task, unsigned long since,
			     struct kpool_new_stalls *stalls)
{
	lockdep_assert_held(&pool->lock);
	pool->stats.stalled++;
	trace_stall(pool, run, task, since);
	if (stalls->nr < KPOOL_MAX_REPORTED)
		stalls->first[stalls->nr] = (struct kpool_stalled) {
			.task	= get_task_struct(task),
			.fn	= READ_ONCE(run->fn),
			.ran_ms	= jiffies_to_msecs(jiffies - since),
		};
	stalls->nr++;
}

/*
 * Return true if the worker's run has exceeded @limit and was not reported.  A
 * dead thread, which waits to be reaped, is not stalled.  Called with
 * pool->lock held.
 */
static bool kpool_is_new_stall(const struct kpool_worker *worker,
			       unsigned long limit)
{
	lockdep_assert_held(&worker->pool->lock);
	return worker->state == KPOOL_WORKER_RUNNING &&
	       !READ_ONCE(worker->died) && !worker->run.dead &&
	       worker->stall_reported != worker->nr_runs + 1 &&
	       time_after(jiffies, READ_ONCE(worker->since) + limit);
}

/* Find the new stalls of workers. */
static void kpool_find_worker_stalls(struct kpool *pool, unsigned long limit,
				     struct kpool_new_stalls *stalls)
{
	struct kpool_worker *worker;

	/* keeps the tasks: a worker leaves the list before its task is put */
	mutex_lock(&pool->mutex);
	list_for_each_entry(worker, &pool->mgr.workers, member) {
		kpool_lock_irq(pool);
		if (kpool_is_new_stall(worker, limit)) {
			worker->stall_reported = worker->nr_runs + 1;
			kpool_note_stall(pool, &worker->run, worker->task,
					 READ_ONCE(worker->since), stalls);
		}
		kpool_unlock_irq(pool);
	}
	mutex_unlock(&pool->mutex);
}

/*
 * Find the new stalls of an external run and of those that it is nested in.
 * @run can be NULL.  Called with pool->lock held.
 */
static void kpool_find_nested_stalls(struct kpool *pool, struct kpool_run *run,
				     unsigned long limit,
				     struct kpool_new_stalls *stalls)
{
	lockdep_assert_held(&pool->lock);
	if (run && kpool_thread_is_dead(pool, run))
		return;
	for (; run; run = run->outer) {
		if (run->kind != KPOOL_RUN_CALLER || run->dead || run->stalled ||
		    !time_after(jiffies, run->since + limit))
			continue;
		run->stalled = true;
		kpool_note_stall(pool, run, run->task, run->since, stalls);
	}
}

/* Find the new stalls of submitters that run their items. */
static void kpool_find_caller_stalls(struct kpool *pool, unsigned long limit,
				     struct kpool_new_stalls *stalls)
{
	const struct task_struct *task = NULL;
	struct kpool_run *run;

	do {
		kpool_lock_irq(pool);
		run = kpool_ext_run_after(pool, task);
		if (run)
			task = run->task;
		kpool_find_nested_stalls(pool, run, limit, stalls);
		kpool_unlock_irq(pool);
	} while (run);
}

/*
 * Record a stalled run in the ring of the pool, if there is memory for it.
 * Only the watchdog changes the ring, so the names can be written without
 * pool->lock while ->when is 0.
 */
static void kpool_record_stall(struct kpool *pool, pid_t pid, const void *fn,
			       unsigned int ran_ms,
			       const struct kpool_stack *stack)
{
	struct kpool_stall **slot =
		&pool->wd.stalls[pool->wd.nr_stalls % KPOOL_NR_STALLS];
	struct kpool_stall *stall = *slot;

	/* the watchdog must not wait for memory */
	if (!stall)
		stall = kmalloc_obj(*stall, GFP_NOWAIT | __GFP_NOWARN);
	if (!stall)
		return;
	kpool_lock_irq(pool);
	stall->when = 0;
	*slot = stall;
	kpool_unlock_irq(pool);

	snprintf(stall->fn, sizeof(stall->fn), "%ps", fn);
	kpool_format_stack(stall, stack);
	stall->pid = pid;
	stall->ran_ms = ran_ms;

	kpool_lock_irq(pool);
	stall->when = ktime_get_boottime_ns();
	pool->wd.nr_stalls++;
	kpool_unlock_irq(pool);
}

static void kpool_report_stall(struct kpool *pool,
			       const struct kpool_stalled *stalled)
{
	pid_t pid = task_pid_nr(stalled->task);
	struct kpool_stack stack;

	pr_warn("%s: %ps has run for %u ms in thread %d\n", pool->name,
		stalled->fn, stalled->ran_ms, pid);
	if (kpool_get_stack(stalled->task, &stack))
		kpool_print_stack(&stack);
	else
		sched_show_task(stalled->task);
	kpool_record_stall(pool, pid, stalled->fn, stalled->ran_ms, &stack);
}

/*
 * Report new stalls.  Stacks are read without pool->mutex: each can take
 * KPOOL_STACK_TIMEOUT, and the pool must be able to create workers in that
 * time.
 */
static void kpool_find_stalls(struct kpool *pool)
{
	struct kpool_new_stalls stalls = { };
	unsigned long limit;
	unsigned int i;
	int stall_ms;

	kpool_lock_irq(pool);
	stall_ms = pool->attrs.stall_ms;
	kpool_unlock_irq(pool);
	if (stall_ms == KPOOL_NO_STALL)
		return;
	limit = msecs_to_jiffies(stall_ms);
	kpool_find_worker_stalls(pool, limit, &stalls);
	kpool_find_caller_stalls(pool, limit, &stalls);

	for (i = 0; i < min(stalls.nr, KPOOL_MAX_REPORTED); i++) {
		kpool_report_stall(pool, &stalls.first[i]);
		put_task_struct(stalls.first[i].task);
	}
	if (stalls.nr > KPOOL_MAX_REPORTED)
		pr_warn("%s: %u more items have run for too long\n",
			pool->name, stalls.nr - KPOOL_MAX_REPORTED);
}

/* The watchdog */

/* Return the period in jiffies: a stall is reported at most 1/8 late. */
static unsigned long kpool_watchdog_period(const struct kpool *pool)
{
	unsigned long stall = msecs_to_jiffies(pool->attrs.stall_ms);

	return clamp_t(unsigned long, stall / 8, 1, HZ);
}

/* Number of housekeeping CPUs to look at, to bound the time under the lock. */
#define KPOOL_MAX_CPUS		256

/*
 * Pick another CPU for the timer, if a housekeeping CPU is online: the item can
 * turn off interrupts on this one.  Called with interrupts off, so that no CPU
 * goes offline.
 */
static unsigned int kpool_watchdog_cpu(void)
{
	unsigned int cpu, here = raw_smp_processor_id();
	unsigned int found = WORK_CPU_UNBOUND, looks = KPOOL_MAX_CPUS;

	/* newer kernels replace the first of these masks at run time */
	rcu_read_lock();
	for_each_cpu_and(cpu, housekeeping_cpumask(HK_TYPE_DOMAIN),
			 housekeeping_cpumask(HK_TYPE_TIMER)) {
		if (cpu != here && cpu_online(cpu)) {
			found = cpu;
			break;
		}
		if (!--looks)
			break;
	}
	rcu_read_unlock();
	return found;
}

/* Return true if the timer can be on @cpu.  Called with interrupts off. */
static bool kpool_can_keep_time(unsigned int cpu)
{
	bool keeps;

	if (cpu >= nr_cpu_ids || !cpu_online(cpu))
		return false;
	rcu_read_lock();
	keeps = cpumask_test_cpu(cpu, housekeeping_cpumask(HK_TYPE_DOMAIN)) &&
		cpumask_test_cpu(cpu, housekeeping_cpumask(HK_TYPE_TIMER));
	rcu_read_unlock();
	return keeps;
}

static void kpool_watchdog_arm_on(struct kpool *pool, unsigned int cpu)
{
	pool->wd.armed = true;
	queue_delayed_work_on(cpu, kpool_wq, &pool->wd.work,
			      kpool_watchdog_period(pool));
}

/* Arm the watchdog.  Called with pool->lock held. */
void kpool_watchdog_arm(struct kpool *pool)
{
	lockdep_assert_held(&pool->lock);
	kpool_watchdog_arm_on(pool, kpool_watchdog_cpu());
}

/*
 * Arm the watchdog again.  The timer stays on its CPU, where it has just
 * expired, or comes to this one: any other can have interrupts off by now.
 * Called with pool->lock held.
 */
static void kpool_watchdog_rearm(struct kpool *pool)
{
	unsigned int cpu = pool->wd.work.cpu;

	lockdep_assert_held(&pool->lock);
	if (!kpool_can_keep_time(cpu))
		cpu = raw_smp_processor_id();
	if (!kpool_can_keep_time(cpu))
		cpu = kpool_watchdog_cpu();
	kpool_watchdog_arm_on(pool, cpu);
}

void kpool_watchdog_fn(struct work_struct *work)
{
	struct kpool *pool = container_of(to_delayed_work(work), struct kpool,
					  wd.work);

	kpool_look_for_dead(pool);
	kpool_find_stalls(pool);

	kpool_lock_irq(pool);
	pool->wd.armed = false;
	if (pool->units_used || !RB_EMPTY_ROOT(&pool->runs.by_task))
		kpool_watchdog_rearm(pool);
	kpool_unlock_irq(pool);
}

/*
 * Histograms
 *
 * An item has 64 bytes, and none is left for a time in nanoseconds.  It has the
 * jiffies of item->queued_at, by which the queues are ordered.  An item without
 * a weight of its own keeps the low bits of the time in microseconds in place
 * of the weight.  These are wrong if the item was queued before the histograms
 * were switched on, or has waited until the bits wrapped.  So they only count
 * if they agree with the jiffies, otherwise the jiffies do.
 *
 * The key is patched into the code, which takes the lock of CPU hotplug.  A
 * pool can be destroyed where that lock is held, and waits for the writers of
 * its files.  So neither waits for the lock: a work switches the key.
 */

DEFINE_STATIC_KEY_FALSE(kpool_latency_key);

/* Number of pools that have the histograms on. */
static atomic_t kpool_latency_users = ATOMIC_INIT(0);

static void kpool_latency_work_fn(struct work_struct *work)
{
	if (atomic_read(&kpool_latency_users))
		static_branch_enable(&kpool_latency_key);
	else
		static_branch_disable(&kpool_latency_key);
}

DECLARE_WORK(kpool_latency_work, kpool_latency_work_fn);

static u64 kpool_now_us(void)
{
	return div_u64(ktime_get_mono_fast_ns(), NSEC_PER_USEC);
}

void __kpool_latency_queued(struct kpool_item *item)
{
	if (!(item->flags & __KPOOL_WEIGHTED))
		item->queued_us = kpool_now_us();
}

/* Return how long the item has waited, in microseconds. */
static u64 kpool_waited_us(const struct kpool_item *item, u64 now)
{
	u64 coarse = div_u64(jiffies64_to_nsecs((u32)jiffies - item->queued_at),
			     NSEC_PER_USEC);
	u32 fine = (u32)now - item->queued_us;

	if ((item->flags & __KPOOL_WEIGHTED) || fine > coarse + 2 * TICK_USEC ||
	    coarse > (u64)fine + 2 * TICK_USEC)
		return coarse;
	return fine;
}

/* Count @us in the last row that begins at or below it. */
static void kpool_latency_count(u64 *rows, u64 us)
{
	rows[min(fls64(us), KPOOL_LATENCY_ROWS - 1)]++;
}

/*
 * Count the waiting time: slow path of kpool_latency_begin().  Called with
 * pool->lock held.
 */
void __kpool_latency_begin(struct kpool *pool, struct kpool_run *run,
			   const struct kpool_item *item)
{
	u64 now;

	lockdep_assert_held(&pool->lock);
	run->began_us = 0;
	if (!pool->latency.on)
		return;
	now = kpool_now_us();
	run->began_us = now;
	run->began_nr = kpool_run_nr(run);
	/* the completion of an ordered job is its second run */
	if (!kpool_complete_fn(item) || run->complete)
		kpool_latency_count(pool->latency.counts->waiting,
				    kpool_waited_us(item, now));
}

/*
 * Count the running time: slow path of kpool_latency_end().  Called with
 * pool->lock held.
 */
void __kpool_latency_end(struct kpool *pool, struct kpool_run *run)
{
	lockdep_assert_held(&pool->lock);
	/*
	 * Skip a time that began before the histograms were last off, or in an
	 * earlier run.  The key can have been off when this run began.
	 */
	if (pool->latency.on && run->began_us >= pool->latency.on_us &&
	    run->began_nr == kpool_run_nr(run))
		kpool_latency_count(pool->latency.counts->running,
				    kpool_now_us() - run->began_us);
}

/*
 * Switch the histograms on or off.  What they have counted stays.  They begin
 * to count when the work has run.  Return 0 or -ENOMEM.
 */
int kpool_latency_switch(struct kpool *pool, bool on)
{
	struct kpool_histograms *spare = NULL;
	bool change;

	if (on) {
		spare = kzalloc_obj(*spare, GFP_KERNEL);
		if (!spare)
			return -ENOMEM;
	}
	kpool_lock_irq(pool);
	if (!pool->latency.counts)
		swap(pool->latency.counts, spare);
	change = pool->latency.on != on;
	if (change) {
		pool->latency.on = on;
		kpool_update_rings_off(pool);
		pool->latency.on_us = kpool_now_us();
	}
	kpool_unlock_irq(pool);
	kfree(spare);
	if (!change)
		return 0;
	atomic_add(on ? 1 : -1, &kpool_latency_users);
	/* not on kpool_wq: the work can wait for clients */
	queue_work(kpool_callback_wq, &kpool_latency_work);
	return 0;
}

/* Set all counts to 0. */
void kpool_latency_reset(struct kpool *pool)
{
	kpool_lock_irq(pool);
	if (pool->latency.counts)
		memset(pool->latency.counts, 0, sizeof(*pool->latency.counts));
	kpool_unlock_irq(pool);
}
