// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulator's threads.  To the engine, a thread that has been used before
 * is a new kthread: reuse costs a hundredth of creation.  The engine starts,
 * stops and wakes it like any kthread, and spurious wakeups can reach it.
 */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "simulate.h"

#define SIM_THREADS	96	/* more than a world needs */

static LIST_HEAD(sim_free);
static LIST_HEAD(sim_dead);	/* reused, except for the task */
static unsigned int sim_nr_free;
static int sim_nr_made;

/* Run the exit work and mark the thread dead, as do_exit() does. */
static void sim_thread_ends(struct sim_thread *thread)
{
	struct callback_head *work;

	thread->call = NULL;
	while ((work = thread->task_works)) {
		thread->task_works = work->next;
		work->func(work);
	}
	thread->stub_task->exit_state = EXIT_DEAD;
	thread->state = SIM_THREAD_ENDED;
	complete(&thread->ended);
}

static int sim_thread_main(void *data)
{
	struct sim_thread *thread = data;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		if (READ_ONCE(thread->state) != SIM_THREAD_RUNS) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		sim_point();
		thread->fn(thread->data);
		sim_thread_ends(thread);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static struct sim_thread *sim_thread_of(struct task_struct *task)
{
	if (!(task->flags & PF_KTHREAD) || kthread_func(task) != sim_thread_main)
		return NULL;
	return kthread_data(task);
}

struct sim_thread *sim_current(void)
{
	return in_task() ? sim_thread_of(current) : NULL;
}

static struct sim_thread *sim_thread_alloc(void)
{
	struct sim_thread *thread;

	thread = list_first_entry_or_null(&sim_dead, struct sim_thread, node);
	if (thread) {
		list_del(&thread->node);
		put_task_struct(thread->task);
		return thread;
	}
	thread = kzalloc_obj(*thread, GFP_KERNEL);
	if (!thread)
		return NULL;
	thread->stub_task = kzalloc_obj(*thread->stub_task, GFP_KERNEL);
	if (!thread->stub_task) {
		kfree(thread);
		return NULL;
	}
	init_completion(&thread->ended);
	return thread;
}

static struct sim_thread *sim_thread_make(void)
{
	struct sim_thread *thread = sim_thread_alloc();
	struct task_struct *task;

	if (!thread)
		return NULL;
	INIT_LIST_HEAD(&thread->node);
	thread->state = SIM_THREAD_FREE;
	thread->dead = false;
	task = kthread_create(sim_thread_main, thread, "sim/%d", sim_nr_made++);
	if (IS_ERR(task)) {
		kfree(thread->stub_task);
		kfree(thread);
		return NULL;
	}
	thread->task = get_task_struct(task);
	wake_up_process(task);
	return thread;
}

struct sim_thread *sim_thread_new(const char *name, int nr,
				  int (*fn)(void *data), void *data)
{
	struct sim_thread *thread;

	thread = list_first_entry_or_null(&sim_free, struct sim_thread, node);
	if (WARN_ON(!thread))
		return NULL;
	list_del_init(&thread->node);
	sim_nr_free--;
	thread->world = sim;
	thread->name = name;
	thread->nr = nr;
	thread->fn = fn;
	thread->data = data;
	thread->should_stop = false;
	thread->task_works = NULL;
	thread->returned = NULL;
	thread->stub_task->exit_state = 0;
	thread->at = 0;
	reinit_completion(&thread->ended);
	thread->state = SIM_THREAD_MADE;
	sim_random_priority(thread);
	return thread;
}

void sim_thread_go(struct sim_thread *thread)
{
	WRITE_ONCE(thread->state, SIM_THREAD_RUNS);
	wake_up_process(thread->task);
}

/* Return a thread to the free list, after its end if it was started. */
void sim_thread_end(struct sim_thread *thread)
{
	if (thread->state != SIM_THREAD_MADE)
		wait_for_completion(&thread->ended);
	if (thread->dead)
		return;
	thread->state = SIM_THREAD_FREE;
	/* a waker in a read section can find it free: reuse it last */
	list_add_tail(&thread->node, &sim_free);
	sim_nr_free++;
}

/* Exit the current thread in place: its stack is never unwound. */
void __noreturn sim_thread_die(struct sim_thread *thread)
{
	sim->nr_deaths++;
	sim->nr_dying++;
	thread->dead = true;
	sim_later_dies(thread);
	sim_thread_ends(thread);
	if (!strcmp(thread->name, "client") && !--sim->nr_at_work)
		complete(&sim->done);
	sim->nr_dying--;
	list_add_tail(&thread->node, &sim_dead);
	kthread_complete_and_exit(NULL, 0);
}

/* Create enough threads before a run: creating one lets other threads run. */
void sim_threads_prepare(void)
{
	struct sim_thread *thread;

	while (sim_nr_free < SIM_THREADS) {
		thread = sim_thread_make();
		if (!thread)
			return;
		list_add(&thread->node, &sim_free);
		sim_nr_free++;
	}
}

/* Functions that the engine calls */

int sim_wake(struct task_struct *task)
{
	struct sim_thread *thread = sim_thread_of(task);
	int woken;

	sim_point();
	/* outside of an RCU read section the task can be freed */
	sim_expect(!thread || thread->state != SIM_THREAD_FREE ||
		   irqs_disabled() || rcu_preempt_depth(),
		   "a thread that has gone is woken");
	if (thread && thread->state == SIM_THREAD_MADE)
		WRITE_ONCE(thread->state, SIM_THREAD_RUNS);
	woken = wake_up_process(task);
	sim_point();
	return woken;
}

/* Note a failed allocation or thread: the engine retries after a pause. */
void sim_thread_failed(void)
{
	sim_trace("there is no thread, or no memory\n");
	sim->threads_failed++;
	sim->failed_at = jiffies;
}

void *sim_alloc(size_t size, gfp_t gfp)
{
	if (!sim || gfp & __GFP_NOFAIL || !sim_percent(sim->program.memory_fails)) {
		if (sim)
			sim->nr_allocated++;
		return kmalloc(size, gfp);
	}
	sim_thread_failed();
	return NULL;
}

struct task_struct *sim_kthread_create(int (*fn)(void *data), void *data)
{
	struct sim_thread *thread;

	sim_point();
	if (sim_percent(sim->program.thread_fails)) {
		sim_thread_failed();
		return ERR_PTR(-EAGAIN);
	}
	thread = sim_thread_new("worker", ++sim->nr_workers, fn, data);
	if (!thread)
		return ERR_PTR(-ENOMEM);
	sim->poked = thread->task;
	sim_point();
	return thread->task;
}

static struct kthread_worker sim_the_kthread_worker;

/* Return a dummy: work queued to it has a thread of its own, see later.c. */
struct kthread_worker *sim_kthread_worker(void)
{
	sim_point();
	if (!sim_percent(sim->program.thread_fails))
		return &sim_the_kthread_worker;
	sim_thread_failed();
	return ERR_PTR(-EAGAIN);
}

int sim_kthread_stop(struct task_struct *task)
{
	struct sim_thread *thread = sim_thread_of(task);
	bool started = thread->state != SIM_THREAD_MADE;

	sim_point();
	thread->should_stop = true;
	if (started)
		wake_up_process(task);
	sim_thread_end(thread);
	sim_point();
	return started ? 0 : -EINTR;
}

int sim_task_work_add(struct callback_head *work)
{
	struct sim_thread *thread = sim_current();

	sim_point();
	work->next = thread->task_works;
	thread->task_works = work;
	return 0;
}

/* Get a task.  For the current thread return its stub: the task is reused. */
struct task_struct *sim_get_task(struct task_struct *task)
{
	struct sim_thread *thread = sim_current();

	if (thread && task == thread->task)
		return thread->stub_task;
	return task->flags & PF_KTHREAD ? get_task_struct(task) : task;
}

/* Put a task.  A stub is zeroed, has no PF_KTHREAD and no reference count. */
void sim_put_task(struct task_struct *task)
{
	if (task->flags & PF_KTHREAD)
		put_task_struct(task);
}

void *sim_kthread_func(struct task_struct *task)
{
	struct sim_thread *thread = sim_thread_of(task);

	return thread ? (void *)thread->fn : kthread_func(task);
}

void *sim_kthread_data(struct task_struct *task)
{
	struct sim_thread *thread = sim_thread_of(task);

	return thread ? thread->data : kthread_data(task);
}

/*
 * Return where to read the exit_state of a task: in the stub of a simulated
 * thread.  Before the first death, only threads in a call can be checked: there
 * can be any number of workers.
 */
int *sim_exit_state(int *state)
{
	struct task_struct *task = container_of(state, struct task_struct, exit_state);
	struct sim_thread *thread = sim_thread_of(task);

	sim_expect(!thread || strcmp(thread->name, "worker") || thread->call ||
		   sim->nr_dead, "a worker is looked at, and no thread has died");
	return thread ? &thread->stub_task->exit_state : state;
}

/*
 * Free @ptr only after this world, as a dead thread can use it; note it once.
 */
void sim_leak(const void *ptr)
{
	unsigned int i;

	for (i = 0; i < sim->nr_leaked; i++)
		if (sim->leaked[i] == ptr)
			return;
	if (ptr != &sim_the_kthread_worker &&
	    !WARN_ON(sim->nr_leaked == ARRAY_SIZE(sim->leaked)))
		sim->leaked[sim->nr_leaked++] = (void *)ptr;
}
