// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders, a row each in the table at the end.
 */
#include <linux/sched.h>

#include "bench.h"

/* Inlined with its submit, so that no contender pays for an indirect call. */
static __always_inline int produce(struct bench_slot *slots, unsigned int n,
				   int (*submit)(struct bench_slot *slot))
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = submit(&slots[i]);
	return err;
}

/* kpool: any number of items may wait, as with its peers. */

static struct kpool *pool;

static int kpool_item_ran(struct kpool_item *item)
{
	bench_item();
	return 0;
}

static int kpool_setup(unsigned int capacity)
{
	const struct kpool_attrs attrs = {
		.capacity = capacity,
		.min_workers = capacity,
		.queue_depth = KPOOL_UNLIMITED,
		.flags = KPOOL_PREALLOC,
	};

	pool = kpool_create(&attrs, "bench");
	return PTR_ERR_OR_ZERO(pool);
}

static void kpool_init(struct bench_slot *slot)
{
	kpool_init_item(&slot->kpool, kpool_item_ran);
}

static __always_inline int kpool_submit_slot(struct bench_slot *slot)
{
	return kpool_submit(pool, &slot->kpool);
}

static int kpool_produce(struct bench_slot *slots, unsigned int n)
{
	return produce(slots, n, kpool_submit_slot);
}

static void kpool_flush_slot(struct bench_slot *slot)
{
	kpool_flush_item(&slot->kpool);
}

static void kpool_teardown(void)
{
	kpool_destroy(pool);
}

/* An unbound workqueue. */

static struct workqueue_struct *wq;

static void work_ran(struct work_struct *work)
{
	bench_item();
}

static int wq_unbound_setup(unsigned int capacity)
{
	wq = alloc_workqueue("kpool_bench", WQ_UNBOUND, capacity);
	return wq ? 0 : -ENOMEM;
}

static void wq_init(struct bench_slot *slot)
{
	INIT_WORK(&slot->work, work_ran);
}

static __always_inline int wq_submit_slot(struct bench_slot *slot)
{
	return queue_work(wq, &slot->work) ? 0 : -EALREADY;
}

static int wq_produce(struct bench_slot *slots, unsigned int n)
{
	return produce(slots, n, wq_submit_slot);
}

static void wq_flush_slot(struct bench_slot *slot)
{
	flush_work(&slot->work);
}

static void wq_teardown(void)
{
	destroy_workqueue(wq);
}

/* kthread_worker: one thread, for any capacity. */

static struct kthread_worker *kworker;

static void kthread_work_ran(struct kthread_work *work)
{
	bench_item();
}

static int kthread_worker_setup(unsigned int capacity)
{
	kworker = kthread_run_worker(0, "kpool_bench");
	return PTR_ERR_OR_ZERO(kworker);
}

static void kthread_worker_init(struct bench_slot *slot)
{
	kthread_init_work(&slot->kthread, kthread_work_ran);
}

static __always_inline int kthread_submit_slot(struct bench_slot *slot)
{
	return kthread_queue_work(kworker, &slot->kthread) ? 0 : -EALREADY;
}

static int kthread_worker_produce(struct bench_slot *slots, unsigned int n)
{
	return produce(slots, n, kthread_submit_slot);
}

static void kthread_worker_flush(struct bench_slot *slot)
{
	kthread_flush_work(&slot->kthread);
}

static void kthread_worker_teardown(void)
{
	kthread_destroy_worker(kworker);
}

/*
 * The floor: one thread and one caller that wake each other by hand, which is
 * the least that handing an item to another thread takes.  With one CPU a peer
 * may still need less, where the scheduler happens to let the woken thread run
 * before the caller has fallen asleep: that saves waking the caller.
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

static int hand_setup(unsigned int capacity)
{
	hand.caller = current;
	hand.thread = kthread_run(hand_thread, NULL, "kpool_bench");
	return PTR_ERR_OR_ZERO(hand.thread);
}

static void hand_init(struct bench_slot *slot)
{
}

static int hand_produce(struct bench_slot *slots, unsigned int n)
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

static void hand_teardown(void)
{
	kthread_stop(hand.thread);
}

const struct bench_contender bench_contenders[] = {
	{ "kpool", kpool_setup, kpool_init, kpool_produce, kpool_flush_slot,
	  kpool_teardown },
	{ "WQ_UNBOUND", wq_unbound_setup, wq_init, wq_produce, wq_flush_slot,
	  wq_teardown },
	{ "kthread_worker", kthread_worker_setup, kthread_worker_init,
	  kthread_worker_produce, kthread_worker_flush,
	  kthread_worker_teardown },
	{ "by_hand", hand_setup, hand_init, hand_produce, hand_flush,
	  hand_teardown, .floor = true },
};

const unsigned int bench_nr_contenders = ARRAY_SIZE(bench_contenders);
