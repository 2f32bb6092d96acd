// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders, a row each in the table at the end.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "bench.h"

/* Inlined with its submit, so that no contender pays for an indirect call. */
static __always_inline int produce(void *queue, struct bench_slot *slots,
				   unsigned int n,
				   int (*submit)(void *queue,
						 struct bench_slot *slot))
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = submit(queue, &slots[i]);
	return err;
}

/* kpool: any number of items can wait, as with its peers. */

static int kpool_tiny(struct kpool_item *item)
{
	bench_item();
	return 0;
}

static int kpool_work(struct kpool_item *item)
{
	bench_work(container_of(item, struct bench_slot, kpool));
	return 0;
}

static void *kpool_make(unsigned int capacity)
{
	static unsigned int nr;
	const struct kpool_attrs attrs = {
		.capacity = capacity,
		.min_workers = capacity,
		.queue_depth = KPOOL_UNLIMITED,
		.flags = KPOOL_PREALLOC,
	};

	return kpool_create(&attrs, "bench-%u", nr++);
}

static void kpool_end(void *queue)
{
	kpool_destroy(queue);
}

static void kpool_init(struct bench_slot *slot, bool tiny)
{
	kpool_init_item(&slot->kpool, tiny ? kpool_tiny : kpool_work);
}

static __always_inline int kpool_submit_slot(void *queue,
					     struct bench_slot *slot)
{
	return kpool_submit(queue, &slot->kpool);
}

static int kpool_produce(void *queue, struct bench_slot *slots, unsigned int n)
{
	return produce(queue, slots, n, kpool_submit_slot);
}

static __always_inline int kpool_try_submit_slot(void *queue,
						 struct bench_slot *slot)
{
	return kpool_try_submit(queue, &slot->kpool);
}

static int kpool_produce_irq(void *queue, struct bench_slot *slots,
			     unsigned int n)
{
	return produce(queue, slots, n, kpool_try_submit_slot);
}

static void kpool_flush_slot(struct bench_slot *slot)
{
	kpool_flush_item(&slot->kpool);
}

/* Workqueues, unbound and per-CPU. */

static void wq_tiny(struct work_struct *work)
{
	bench_item();
}

static void wq_work(struct work_struct *work)
{
	bench_work(container_of(work, struct bench_slot, work));
}

static void *wq_make(unsigned int capacity, unsigned int flags)
{
	struct workqueue_struct *wq = alloc_workqueue("kpool_bench", flags,
						      capacity);

	return wq ?: ERR_PTR(-ENOMEM);
}

static void *wq_unbound_make(unsigned int capacity)
{
	return wq_make(capacity, WQ_UNBOUND);
}

static void *wq_percpu_make(unsigned int capacity)
{
	return wq_make(capacity, WQ_PERCPU);
}

static void wq_end(void *queue)
{
	destroy_workqueue(queue);
}

static void wq_init(struct bench_slot *slot, bool tiny)
{
	INIT_WORK(&slot->work, tiny ? wq_tiny : wq_work);
}

static __always_inline int wq_submit_slot(void *queue, struct bench_slot *slot)
{
	return queue_work(queue, &slot->work) ? 0 : -EALREADY;
}

static int wq_produce(void *queue, struct bench_slot *slots, unsigned int n)
{
	return produce(queue, slots, n, wq_submit_slot);
}

static void wq_flush_slot(struct bench_slot *slot)
{
	flush_work(&slot->work);
}

/* kthread_worker: one thread, for any capacity. */

static void kworker_tiny(struct kthread_work *work)
{
	bench_item();
}

static void kworker_work(struct kthread_work *work)
{
	bench_work(container_of(work, struct bench_slot, kthread));
}

static void *kworker_make(unsigned int capacity)
{
	return kthread_run_worker(0, "kpool_bench");
}

static void kworker_end(void *queue)
{
	kthread_destroy_worker(queue);
}

static void kworker_init(struct bench_slot *slot, bool tiny)
{
	kthread_init_work(&slot->kthread, tiny ? kworker_tiny : kworker_work);
}

static __always_inline int kworker_submit_slot(void *queue,
					       struct bench_slot *slot)
{
	return kthread_queue_work(queue, &slot->kthread) ? 0 : -EALREADY;
}

static int kworker_produce(void *queue, struct bench_slot *slots,
			   unsigned int n)
{
	return produce(queue, slots, n, kworker_submit_slot);
}

static void kworker_flush(struct bench_slot *slot)
{
	kthread_flush_work(&slot->kthread);
}

/*
 * kthread_run: a thread per item.  The queue is the number of threads that can
 * still use their slot; each holds a reference on this module until it is gone.
 */

static int thread_main(void *data)
{
	struct bench_slot *slot = data;
	atomic_t *alive = slot->thread.alive;

	bench_work(slot);
	complete(&slot->thread.ended);
	atomic_dec(alive);
	module_put_and_kthread_exit(0);
}

static void *threads_make(unsigned int capacity)
{
	atomic_t *alive = kzalloc_obj(*alive, GFP_KERNEL);

	return alive ?: ERR_PTR(-ENOMEM);
}

static void threads_end(void *queue)
{
	atomic_t *alive = queue;

	while (atomic_read(alive))
		usleep_range(100, 200);
	kfree(alive);
}

static void threads_tiny(struct bench_slot *slot)
{
	bench_item();
}

static void threads_init(struct bench_slot *slot, bool tiny)
{
	init_completion(&slot->thread.ended);
	if (tiny)
		bench_work = threads_tiny;
}

static __always_inline int threads_submit_slot(void *queue,
					       struct bench_slot *slot)
{
	struct task_struct *task;

	slot->thread.alive = queue;
	task = kthread_create(thread_main, slot, "kpool_bench");
	if (IS_ERR(task))
		return PTR_ERR(task);
	__module_get(THIS_MODULE);
	atomic_inc(slot->thread.alive);
	wake_up_process(task);
	return 0;
}

static int threads_produce(void *queue, struct bench_slot *slots,
			   unsigned int n)
{
	return produce(queue, slots, n, threads_submit_slot);
}

static void threads_flush(struct bench_slot *slot)
{
	wait_for_completion(&slot->thread.ended);
}

/*
 * By hand: one thread and one caller that wake each other, which is the least
 * that handing an item to another thread takes.  With one CPU a peer can still
 * need less.  There the scheduler sometimes lets the woken thread run before
 * the caller has fallen asleep, which saves waking the caller.
 */

static struct {
	struct task_struct *thread;
	struct task_struct *caller;
	bool asked;
	bool answered;
} hand;

static void hand_answer(void)
{
	WRITE_ONCE(hand.asked, false);
	bench_item();
	/* Pairs with hand_flush(): what the item stored is seen there. */
	smp_store_release(&hand.answered, true);
	wake_up_process(hand.caller);
}

static int hand_thread(void *unused)
{
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		/* Pairs with hand_produce(). */
		if (!smp_load_acquire(&hand.asked)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		hand_answer();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void *hand_make(unsigned int capacity)
{
	hand.caller = current;
	hand.thread = kthread_run(hand_thread, NULL, "kpool_bench");
	return hand.thread;
}

static void hand_end(void *queue)
{
	kthread_stop(queue);
}

static void hand_init(struct bench_slot *slot, bool tiny)
{
}

static int hand_produce(void *queue, struct bench_slot *slots, unsigned int n)
{
	WRITE_ONCE(hand.answered, false);
	/* Pairs with hand_thread(). */
	smp_store_release(&hand.asked, true);
	wake_up_process(hand.thread);
	return 0;
}

/* might_sleep() as in every wait: it lets the woken thread go first. */
static void hand_flush(struct bench_slot *slot)
{
	might_sleep();
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		/* Pairs with hand_answer(). */
		if (smp_load_acquire(&hand.answered))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

const struct bench_contender bench_contenders[] = {
	{ "kpool", BENCH_KPOOL, kpool_make, kpool_end, kpool_init,
	  kpool_produce, kpool_produce_irq, kpool_flush_slot },
	{ "WQ_UNBOUND", BENCH_WQ_UNBOUND, wq_unbound_make, wq_end, wq_init,
	  wq_produce, NULL, wq_flush_slot },
	{ "WQ_PERCPU", BENCH_WQ_PERCPU, wq_percpu_make, wq_end, wq_init,
	  wq_produce, NULL, wq_flush_slot },
	{ "kthread_worker", BENCH_KTHREAD_WORKER, kworker_make, kworker_end,
	  kworker_init, kworker_produce, NULL, kworker_flush },
	{ "kthread_run", BENCH_KTHREAD_RUN, threads_make, threads_end,
	  threads_init, threads_produce, NULL, threads_flush, .slow = 100 },
#ifdef BENCH_HAS_TASKQ
	{ "OpenZFS_taskq", BENCH_TASKQ, bench_taskq_create,
	  bench_taskq_destroy, bench_taskq_init, bench_taskq_produce, NULL,
	  bench_taskq_flush },
#endif
	{ "by_hand", BENCH_BY_HAND, hand_make, hand_end, hand_init,
	  hand_produce, NULL, hand_flush },
};

const unsigned int bench_nr_contenders = ARRAY_SIZE(bench_contenders);
