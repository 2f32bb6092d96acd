// SPDX-License-Identifier: GPL-2.0-only
/*
 * Quick start: 10,000 random numbers, summed in 100 tasks on a pool of 10.
 *
 * This is the shortest complete client of kpool.  When it is loaded, it creates
 * a pool, submits work and waits for it.  When it is removed, it destroys the
 * pool.  In between, /sys/kernel/debug/kpool/quickstart shows what the pool
 * did.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "kpool.h"

#define NR_TASKS	100
#define NR_PER_TASK	100
#define NR_NUMBERS	(NR_TASKS * NR_PER_TASK)
#define NR_WORKERS	10

/*
 * A task is anything that the job needs, with a kpool_item embedded in it, so
 * that submitting allocates nothing.
 */
struct sum_task {
	struct kpool_item item;
	const s32 *numbers;
	s64 sum;
};

static struct kpool *pool;

static s64 sum_of(const s32 *numbers, size_t n)
{
	s64 sum = 0;

	while (n--)
		sum += *numbers++;
	return sum;
}

/* Runs in a worker of the pool: a kernel thread, which can sleep. */
static int sum_task_run(struct kpool_item *item)
{
	struct sum_task *task = container_of(item, struct sum_task, item);

	task->sum = sum_of(task->numbers, NR_PER_TASK);
	return 0;	/* an errno would be counted in the pool's statistics */
}

/* Submit every task; wait for those that were accepted, also after an error. */
static int run_tasks(struct sum_task *tasks, const s32 *numbers)
{
	int i, err = 0;

	for (i = 0; i < NR_TASKS && !err; i++) {
		kpool_init_item(&tasks[i].item, sum_task_run);
		tasks[i].numbers = &numbers[i * NR_PER_TASK];
		/* Sleeps while all ten workers are busy: that is the bound. */
		err = kpool_submit(pool, &tasks[i].item);
	}

	/* From here on we see what the tasks stored, and may free them. */
	kpool_flush(pool);
	return err;
}

static int check_sum(const struct sum_task *tasks, const s32 *numbers)
{
	s64 direct = sum_of(numbers, NR_NUMBERS);
	s64 sum = 0;
	int i;

	for (i = 0; i < NR_TASKS; i++)
		sum += tasks[i].sum;

	pr_info("%d numbers in %d tasks on at most %d workers: sum %lld, direct sum %lld: %s\n",
		NR_NUMBERS, NR_TASKS, NR_WORKERS, sum, direct,
		sum == direct ? "equal" : "DIFFERENT");
	return sum == direct ? 0 : -EIO;
}

static int sum_in_pool(void)
{
	struct sum_task *tasks = kvcalloc(NR_TASKS, sizeof(*tasks), GFP_KERNEL);
	s32 *numbers = kvcalloc(NR_NUMBERS, sizeof(*numbers), GFP_KERNEL);
	int err = -ENOMEM;

	if (tasks && numbers) {
		get_random_bytes(numbers, NR_NUMBERS * sizeof(*numbers));
		err = run_tasks(tasks, numbers);
		if (!err)
			err = check_sum(tasks, numbers);
	}
	kvfree(numbers);
	kvfree(tasks);
	return err;
}

static int __init quickstart_init(void)
{
	/* Fields left out take their defaults. */
	const struct kpool_attrs attrs = { .capacity = NR_WORKERS };
	int err;

	pool = kpool_create(&attrs, "quickstart");
	if (IS_ERR(pool))
		return PTR_ERR(pool);

	err = sum_in_pool();
	if (err)
		kpool_destroy(pool);
	return err;
}

/* Once destroy has returned, no thread can still execute this module's code. */
static void __exit quickstart_exit(void)
{
	kpool_destroy(pool);
}

module_init(quickstart_init);
module_exit(quickstart_exit);
MODULE_DESCRIPTION("kpool sample: sum 10,000 numbers in 100 tasks");
MODULE_LICENSE("GPL");
