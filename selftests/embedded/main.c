// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with kpool linked into it, for embedded.sh.  Its exit function
 * leaves its pool as it is, and items in the default pool.  kpool_module_exit()
 * must end all of them, because the module is freed right after it.  It is not
 * loaded if a pool could be created before kpool_module_init().
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>

#include "kpool.h"

#define NR_PENDING	3

static bool leave;
module_param(leave, bool, 0400);
MODULE_PARM_DESC(leave, "do not destroy the pool on exit, and leave items in it and in the default pool");

static bool fail;
module_param(fail, bool, 0400);
MODULE_PARM_DESC(fail, "let the init function fail once kpool has started");

static struct kpool *pool;
static struct kpool_item running, pending[NR_PENDING], in_default[NR_PENDING];
static struct kpool_item creator, in_late, in_closed;
static struct kpool_job delayed;
static DECLARE_COMPLETION(started);
static DECLARE_COMPLETION(late_started);
static atomic_t ran, dropped;
static int late_got;

static int slow_fn(struct kpool_item *item)
{
	complete(&started);
	msleep(200);
	atomic_inc(&ran);
	return 0;
}

static void drop_fn(struct kpool_item *item, int err)
{
	atomic_inc(&dropped);
}

static int submit(struct kpool *to, struct kpool_item *item)
{
	kpool_init_item(item, slow_fn);
	kpool_set_drop_fn(item, drop_fn);
	return kpool_submit(to, item);
}

/* An item that outlives the default pool's last item. */
static int late_fn(struct kpool_item *item)
{
	complete(&late_started);
	msleep(200);
	atomic_inc(&ran);
	late_got = submit(kpool_default(), &in_closed);
	if (late_got == -ESHUTDOWN)
		late_got = kpool_reopen(kpool_default());
	return 0;
}

/* Create a pool while the default pool is destroyed, and leave an item. */
static int create_fn(struct kpool_item *item)
{
	struct kpool *late;

	/* by then the other pool has drained */
	msleep(500);
	late = kpool_create(NULL, "late");
	if (IS_ERR(late))
		return PTR_ERR(late);
	kpool_init_item(&in_late, late_fn);
	if (!kpool_submit(late, &in_late))
		wait_for_completion(&late_started);
	return 0;
}

static int submit_all(void)
{
	struct kpool *shared = kpool_default();
	int i, err;

	if (IS_ERR(shared))
		return PTR_ERR(shared);
	/* most of its items are still pending when it is ended */
	err = kpool_tune(shared, KPOOL_TUNE_CAPACITY, 1) ?:
	      kpool_tune(shared, KPOOL_TUNE_QUEUE_DEPTH, NR_PENDING) ?:
	      submit(pool, &running);
	if (!err)
		wait_for_completion(&started);
	for (i = 0; i < NR_PENDING && !err; i++)
		err = submit(pool, &pending[i]) ?:
		      submit(shared, &in_default[i]);
	if (err)
		return err;
	kpool_init_item(&creator, create_fn);
	err = kpool_submit(shared, &creator);
	if (err)
		return err;
	kpool_init_job(&delayed, slow_fn);
	kpool_set_drop_fn(&delayed.item, drop_fn);
	return kpool_submit_delayed(pool, &delayed, 3600 * HZ);
}

static int __init embedded_init(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1,
		.queue_depth = NR_PENDING,
	};
	/* the defaults come into force later */
	const struct kpool_attrs early = { .min_workers = 1 };
	int err;

	pool = kpool_create(&early, "early");
	if (pool != ERR_PTR(-ENODEV) || kpool_default() != ERR_PTR(-ENODEV))
		return -EINVAL;
	err = kpool_module_init();
	if (err)
		return err;
	pool = kpool_create(&attrs, "test");
	if (fail)
		err = -ENODEV;
	else
		err = PTR_ERR_OR_ZERO(pool);
	if (err)
		kpool_module_exit();
	return err;
}

static void __exit embedded_exit(void)
{
	int err = 0;

	if (leave)
		err = submit_all();
	else
		kpool_destroy(pool);
	kpool_module_exit();
	if (leave)
		pr_info("left with %d: %d ran, %d dropped, then %d\n", err,
			atomic_read(&ran), atomic_read(&dropped), late_got);
}

module_init(embedded_init);
module_exit(embedded_exit);
MODULE_DESCRIPTION("kpool selftest: a module with kpool linked into it");
MODULE_LICENSE("GPL");
