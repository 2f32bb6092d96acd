// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deferred work of the engine: work, delayed work, timers.  Each has a thread,
 * and so a priority, of its own.  On a real machine it can run at any time once
 * it is due.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "simulate.h"

struct sim_later {
	struct list_head	node;
	const void		*key;		/* the work, or the timer */
	void			*arg;
	/* one of these */
	work_func_t		work_fn;
	kthread_work_func_t	thread_fn;
	void			(*timer_fn)(struct timer_list *timer);
	struct sim_thread	*thread;
	struct timer_list	timer;
	wait_queue_head_t	ended;
	bool			due;
	bool			runs;
	bool			dead;		/* its thread died in it */
	unsigned int		refusing;	/* cancels that wait */
};

static LIST_HEAD(sim_spare);

static int sim_later_main(void *data)
{
	struct sim_later *later = data;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (READ_ONCE(later->thread->should_stop))
			break;
		if (!READ_ONCE(later->due)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		sim_point();
		if (!later->due)
			continue;
		later->due = false;
		later->runs = true;
		if (later->work_fn)
			later->work_fn(later->arg);
		else if (later->thread_fn)
			later->thread_fn(later->arg);
		else
			later->timer_fn(later->arg);
		later->runs = false;
		wake_up_all(&later->ended);
		sim_point();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void sim_later_due(struct sim_later *later)
{
	later->due = true;
	if (!later->dead)
		sim_thread_go(later->thread);
}

static void sim_later_fires(struct timer_list *timer)
{
	sim_later_due(container_of(timer, struct sim_later, timer));
}

static struct sim_later *sim_later_of(const void *key)
{
	struct sim_later *later;

	list_for_each_entry(later, &sim->laters, node)
		if (later->key == key)
			return later;
	return NULL;
}

static struct sim_later *sim_later_make(void)
{
	struct sim_later *later;

	later = list_first_entry_or_null(&sim_spare, struct sim_later, node);
	if (later) {
		list_del(&later->node);
		return later;
	}
	later = kzalloc_obj(*later, GFP_KERNEL | __GFP_NOFAIL);
	timer_setup(&later->timer, sim_later_fires, 0);
	init_waitqueue_head(&later->ended);
	return later;
}

/*
 * Set up deferred work or a timer.  Return NULL outside of a world, where work
 * is never queued.
 */
static struct sim_later *sim_later_init(void *key)
{
	struct sim_later *later;

	if (!sim)
		return NULL;
	later = sim_later_of(key);
	if (!later) {
		later = sim_later_make();
		later->thread = sim_thread_new("later", 0, sim_later_main, later);
		if (WARN_ON(!later->thread))
			return NULL;
		list_add_tail(&later->node, &sim->laters);
	}
	later->key = key;
	later->arg = key;
	later->work_fn = NULL;
	later->thread_fn = NULL;
	later->timer_fn = NULL;
	later->due = false;
	later->refusing = 0;
	later->thread->name = "work";
	later->thread->nr = list_count_nodes(&sim->laters);
	return later;
}

static bool sim_later_pending(const struct sim_later *later)
{
	return later->due || timer_pending(&later->timer);
}

static bool sim_later_take(struct sim_later *later)
{
	bool was = timer_delete(&later->timer) || later->due;

	later->due = false;
	return was;
}

static void sim_later_set(struct sim_later *later, unsigned long expires)
{
	if (later->refusing)
		return;
	if ((long)(expires - jiffies) <= 0 && !later->timer_fn)
		sim_later_due(later);
	else
		mod_timer(&later->timer, expires);
}

static bool sim_later_cancel_sync(struct sim_later *later)
{
	bool was;

	sim_point();
	later->refusing++;
	was = sim_later_take(later);
	wait_event(later->ended, !later->runs);
	later->refusing--;
	sim_point();
	return was;
}

/* Mark the work of a dead thread, which stays busy for ever. */
void sim_later_dies(const struct sim_thread *thread)
{
	struct sim_later *later;

	list_for_each_entry(later, &sim->laters, node)
		later->dead |= later->thread == thread;
}

/* The end of a world */

void sim_laters_end(void)
{
	struct sim_later *later, *next;

	list_for_each_entry_safe(later, next, &sim->laters, node) {
		sim_expect(later->dead || (!sim_later_pending(later) && !later->runs),
			   "work or a timer outlives its pool");
		sim_later_take(later);
		later->runs = false;
		later->dead = false;
		later->thread->should_stop = true;
		if (later->thread->state != SIM_THREAD_MADE)
			wake_up_process(later->thread->task);
		sim_thread_end(later->thread);
		list_move(&later->node, &sim_spare);
	}
}

/* Functions that the engine calls; under a raw spinlock they add no points */

void sim_work_init(struct work_struct *work, work_func_t fn)
{
	struct sim_later *later;

	INIT_WORK(work, fn);
	later = sim_later_init(work);
	if (later)
		later->work_fn = fn;
}

bool sim_work_pending(struct work_struct *work)
{
	struct sim_later *later = sim_later_of(work);

	return later && sim_later_pending(later);
}

bool sim_work_busy(struct work_struct *work)
{
	struct sim_later *later = sim_later_of(work);

	return later && (sim_later_pending(later) || later->runs);
}

static bool sim_later_queue(const void *key, unsigned long delay)
{
	struct sim_later *later = sim_later_of(key);

	sim_point();
	if (!later || sim_later_pending(later))
		return false;
	sim_later_set(later, jiffies + delay);
	sim_point();
	return true;
}

bool sim_work_queue(struct work_struct *work, unsigned long delay)
{
	return sim_later_queue(work, delay);
}

bool sim_work_modify(struct work_struct *work, unsigned long delay)
{
	struct sim_later *later = sim_later_of(work);
	bool was;

	if (!later)
		return false;
	sim_point();
	was = sim_later_take(later);
	sim_later_set(later, jiffies + delay);
	sim_point();
	return was;
}

bool sim_work_cancel(struct work_struct *work)
{
	struct sim_later *later = sim_later_of(work);

	sim_point();
	return later && sim_later_take(later);
}

bool sim_work_cancel_sync(struct work_struct *work)
{
	struct sim_later *later = sim_later_of(work);

	return later && sim_later_cancel_sync(later);
}

void sim_thread_work_init(struct kthread_work *work, kthread_work_func_t fn)
{
	struct sim_later *later;

	kthread_init_work(work, fn);
	later = sim_later_init(work);
	if (later)
		later->thread_fn = fn;
}

bool sim_thread_work_queue(struct kthread_work *work)
{
	return sim_later_queue(work, 0);
}

bool sim_thread_work_cancel_sync(struct kthread_work *work)
{
	struct sim_later *later = sim_later_of(work);

	return later && sim_later_cancel_sync(later);
}

bool sim_work_flush(struct work_struct *work)
{
	struct sim_later *later = sim_later_of(work);

	if (!later)
		return false;
	sim_point();
	if (timer_delete(&later->timer))
		sim_later_due(later);
	wait_event(later->ended, !later->runs && !later->due);
	sim_point();
	return true;
}

void sim_timer_init(struct timer_list *timer,
		    void (*fn)(struct timer_list *timer))
{
	struct sim_later *later;

	timer_setup(timer, fn, 0);
	later = sim_later_init(timer);
	if (!later)
		return;
	later->timer_fn = fn;
	later->thread->name = "timer";
}

bool sim_timer_pending(struct timer_list *timer)
{
	struct sim_later *later = sim_later_of(timer);

	return later && sim_later_pending(later);
}

int sim_timer_modify(struct timer_list *timer, unsigned long expires)
{
	struct sim_later *later = sim_later_of(timer);
	bool was;

	if (!later)
		return 0;
	sim_point();
	was = sim_later_take(later);
	sim_later_set(later, expires);
	sim_point();
	return was;
}

int sim_timer_delete(struct timer_list *timer)
{
	struct sim_later *later = sim_later_of(timer);

	sim_point();
	return later && sim_later_take(later);
}

int sim_timer_delete_sync(struct timer_list *timer)
{
	struct sim_later *later = sim_later_of(timer);

	return later && sim_later_cancel_sync(later);
}
