// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bug in an item, one of several, planted when the module is loaded.  It is
 * no selftest: testbed/canary.sh sees that a kernel with checkers, or the test
 * bed, reports it.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>

#include "compat.h"
#include "kpool.h"

static char *plant = "nothing";
module_param(plant, charp, 0400);
MODULE_PARM_DESC(plant, "nothing, race, freed, atomic, order, object, leak or hang");

static int nothing(void *arg)
{
	return 0;
}

/* Both items of the pool are in it at once, for ten seconds. */
static noinline int race(void *arg)
{
	static unsigned long counter __maybe_unused;
	unsigned long end = jiffies + 10 * HZ;

	while (time_before(jiffies, end)) {
		counter++;
		barrier();
		cond_resched();
	}
	return 0;
}

static noinline int freed(void *arg)
{
	int *object = kzalloc(64, GFP_KERNEL);
	int *gone = object;

	if (!object)
		return -ENOMEM;
	OPTIMIZER_HIDE_VAR(gone);
	kfree(object);
	return READ_ONCE(*gone) == 1;
}

static noinline int atomic(void *arg)
{
	static DEFINE_RAW_SPINLOCK(lock);

	raw_spin_lock(&lock);
	msleep(20);
	raw_spin_unlock(&lock);
	return 0;
}

static noinline int order(void *arg)
{
	static DEFINE_MUTEX(one);
	static DEFINE_MUTEX(other);

	mutex_lock(&one);
	mutex_lock(&other);
	mutex_unlock(&other);
	mutex_unlock(&one);

	mutex_lock(&other);
	mutex_lock(&one);
	mutex_unlock(&one);
	mutex_unlock(&other);
	return 0;
}

static void fires(struct timer_list *timer)
{
}

static noinline int object(void *arg)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return -ENOMEM;
	timer_setup(timer, fires, 0);
	mod_timer(timer, jiffies + 3600 * HZ);
	kfree(timer);
	return 0;
}

/*
 * Many, because a pointer can be left in a register, on a stack, or in one of
 * the allocator's arrays of free objects.  These are short for large objects.
 * Cleared, because the allocator has left a pointer to the next in each.
 */
static noinline int leak(void *arg)
{
	int i;

	for (i = 0; i < 50; i++) {
		void *lost = kzalloc(PAGE_SIZE, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(lost);
	}
	return 0;
}

static noinline void spin(void *unused)
{
	for (;;)
		cpu_relax();
}

/* No CPU takes an interrupt, so the kernel cannot report it. */
static noinline int hang(void *arg)
{
	on_each_cpu(spin, NULL, 0);
	return 0;
}

static const struct {
	const char	*name;
	kpool_fn	fn;
	int		items;	/* at once */
} plants[] = {
	{ "nothing", nothing, 2 },
	{ "race", race, 2 },
	{ "freed", freed, 1 },
	{ "atomic", atomic, 1 },
	{ "order", order, 1 },
	{ "object", object, 1 },
	{ "leak", leak, 1 },
	{ "hang", hang, 1 },
};

static int find_plant(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(plants); i++)
		if (!strcmp(plants[i].name, name))
			return i;
	return -EINVAL;
}

static int __init planted_init(void)
{
	const struct kpool_attrs attrs = { .capacity = 2 };
	int which = find_plant(plant);
	struct kpool *pool;
	int ret, i;

	if (which < 0)
		return which;
	pool = kpool_create(&attrs, "planted");
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	for (i = 0, ret = 0; i < plants[which].items && !ret; i++)
		ret = kpool_submit_fn(pool, plants[which].fn, NULL, GFP_KERNEL);
	kpool_destroy(pool);
	return ret;
}
module_init(planted_init);

static void __exit planted_exit(void)
{
}
module_exit(planted_exit);

MODULE_DESCRIPTION("kpool: a bug on purpose");
MODULE_LICENSE("GPL");
MODULE_INFO(test, "Y");
