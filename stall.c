// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items that run for longer than they should: told once for each run, with the
 * stack, in the log and to people who look.
 *
 * The stack of a task that sleeps can be read from anywhere.  That of one that
 * runs can only be read on its CPU, which is asked to; a CPU with interrupts
 * off does not answer, and then there is no stack to be had.  One question is
 * asked at a time, and its memory is never given up before the answer.
 */
#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>

#include "internal.h"

/* How long a CPU has for its answer. */
#define KPOOL_ANSWER		(HZ / 10 + 1)

/* In one look at the pool, so many are told in full, the rest are counted. */
#define KPOOL_MAX_TOLD		8U

/* The question to a CPU: is this task running on you, and where? */
static struct kpool_question {
	call_single_data_t	csd;
	struct completion	answered;
	struct task_struct	*task;	/* compared, never followed */
	struct kpool_stack	stack;
	bool			asked;	/* and not answered */
} kpool_question;
static DEFINE_MUTEX(kpool_question_mutex);

/* Litmus: answer-vs-reuse. */
static void kpool_answer(void *data)
{
	struct kpool_question *question = data;

	question->stack.nr = 0;
	if (current == question->task)
		kpool_save_own_stack(&question->stack);
	complete(&question->answered);
	/* pairs with those who look whether one is owed: they may reuse it all */
	smp_store_release(&question->asked, false);
}

/* Ask the CPU that the task was last seen on. */
static void kpool_ask(struct task_struct *task, struct kpool_stack *stack)
{
	struct kpool_question *question = &kpool_question;

	stack->nr = 0;
	mutex_lock(&kpool_question_mutex);
	/* pairs with kpool_answer(); one that was asked before may owe it yet */
	if (smp_load_acquire(&question->asked))
		goto unlock;
	question->task = task;
	question->asked = true;
	init_completion(&question->answered);
	INIT_CSD(&question->csd, kpool_answer, question);
	if (smp_call_function_single_async(task_cpu(task), &question->csd)) {
		WRITE_ONCE(question->asked, false);
	} else if (wait_for_completion_timeout(&question->answered,
					       KPOOL_ANSWER)) {
		*stack = question->stack;
		/* pairs with kpool_answer(), which is about to return */
		smp_cond_load_acquire(&question->asked, !VAL);
	}
unlock:
	mutex_unlock(&kpool_question_mutex);
}

/* Wait for an answer that is still owed, before the module goes. */
void kpool_await_answer(void)
{
	/* pairs with kpool_answer() */
	while (smp_load_acquire(&kpool_question.asked))
		schedule_timeout_uninterruptible(1);
	/* it was given with interrupts off, which this waits for */
	synchronize_rcu();
}

/* Where is the task?  Tells whether that is in the log already. */
static bool kpool_take_stack(struct task_struct *task,
			     struct kpool_stack *stack)
{
	if (!task_is_running(task))
		return kpool_save_stack_of(task, stack);
	kpool_ask(task, stack);
	return false;
}

static void kpool_print_stack(const struct kpool_stack *stack, bool printed)
{
	unsigned int i;

	if (printed)
		return;
	if (!stack->nr)
		pr_warn("  stack not available\n");
	for (i = 0; i < stack->nr; i++)
		pr_warn("  %pS\n", (void *)stack->entry[i]);
}

/* A run that has just been found to stall. */
struct kpool_stalled {
	struct task_struct	*task;	/* referenced */
	void			*fn;
	unsigned int		ran_ms;
};

/* Has the run been going on for too long, without having been told? */
static bool kpool_is_new_stall(const struct kpool_worker *worker,
			       unsigned long limit)
{
	lockdep_assert_held(&worker->pool->lock);
	return worker->state == KPOOL_RUNNING &&
	       worker->told != worker->done + 1 &&
	       time_after(jiffies, worker->since + limit);
}

static void kpool_note_stall(struct kpool_worker *worker,
			     struct kpool_stalled *stalled)
{
	stalled->task = get_task_struct(worker->task);
	stalled->fn = READ_ONCE(worker->fn);
	stalled->ran_ms = jiffies_to_msecs(jiffies - worker->since);
}

/*
 * Count the runs that have stalled since the last look, and note the first of
 * them.  The task of a member stays: it leaves the list before it goes.
 */
static unsigned int kpool_count_stalls(struct kpool *pool,
				       struct kpool_stalled *first)
{
	unsigned long limit = msecs_to_jiffies(pool->attrs.stall_ms);
	struct kpool_worker *worker;
	unsigned int nr = 0;

	lockdep_assert_held(&pool->mutex);
	if (pool->attrs.stall_ms == KPOOL_NO_STALL)
		return 0;
	list_for_each_entry(worker, &pool->workers, member) {
		raw_spin_lock_irq(&pool->lock);
		if (kpool_is_new_stall(worker, limit)) {
			worker->told = worker->done + 1;
			pool->stats.stalled++;
			if (nr < KPOOL_MAX_TOLD)
				kpool_note_stall(worker, &first[nr]);
			nr++;
		}
		raw_spin_unlock_irq(&pool->lock);
	}
	return nr;
}

static void kpool_tell_stall(struct kpool *pool,
			     const struct kpool_stalled *stalled)
{
	pid_t pid = task_pid_nr(stalled->task);
	struct kpool_stack stack;
	bool printed;

	pr_warn("%s: %ps has run for %u ms in worker %d\n", pool->name,
		stalled->fn, stalled->ran_ms, pid);
	printed = kpool_take_stack(stalled->task, &stack);
	kpool_print_stack(&stack, printed);
	kpool_remember_stall(pool, pid, stalled->fn, stalled->ran_ms, &stack);
}

/*
 * Stacks are taken without the mutex: each may take a while, and the pool has
 * to grow meanwhile, all the more if what runs has stalled.
 */
void kpool_find_stalls(struct kpool *pool)
{
	struct kpool_stalled first[KPOOL_MAX_TOLD];
	unsigned int i, nr;

	mutex_lock(&pool->mutex);
	nr = kpool_count_stalls(pool, first);
	mutex_unlock(&pool->mutex);

	for (i = 0; i < min(nr, KPOOL_MAX_TOLD); i++) {
		kpool_tell_stall(pool, &first[i]);
		put_task_struct(first[i].task);
	}
	if (nr > KPOOL_MAX_TOLD)
		pr_warn("%s: %u more items have run for too long\n",
			pool->name, nr - KPOOL_MAX_TOLD);
}
