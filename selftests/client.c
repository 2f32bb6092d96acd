// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client for the tests that are scripts: its pool lives from insmod to
 * rmmod, which destroys it right after its last item was submitted.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>

#include "kpool.h"

static char *name = "client";
module_param(name, charp, 0400);
MODULE_PARM_DESC(name, "of the pool");

static int items;
module_param(items, int, 0400);
MODULE_PARM_DESC(items, "how many to submit on exit, just before destroy");

static bool use_default;
module_param(use_default, bool, 0400);
MODULE_PARM_DESC(use_default, "use the default pool instead of an own one");

static bool keep;
module_param(keep, bool, 0400);
MODULE_PARM_DESC(keep, "forget to destroy the pool");

static int capacity;
module_param(capacity, int, 0400);
MODULE_PARM_DESC(capacity, "of the pool; 0 for the default");

#define LEFT_MAX	8

static int leave;
module_param(leave, int, 0400);
MODULE_PARM_DESC(leave, "forget the pool with that many items pending behind a running one");

static unsigned long address;
module_param(address, ulong, 0400);
MODULE_PARM_DESC(address, "of the pool; or of one to adopt");

static struct kpool *pool;
static DECLARE_COMPLETION(opened);
static struct kpool_item held;
static bool hold;

static int held_fn(struct kpool_item *item)
{
	wait_for_completion(&opened);
	return 0;
}

/* Written: have a worker run this module's function until exit. */
static int hold_set(const char *val, const struct kernel_param *kp)
{
	if (hold)
		return -EALREADY;
	hold = true;
	return kpool_submit(pool, &held);
}

static const struct kernel_param_ops hold_ops = { .set = hold_set };
module_param_cb(hold, &hold_ops, NULL, 0200);
MODULE_PARM_DESC(hold, "write anything to keep a worker busy until exit");

static struct kpool_item behind;
static struct kpool_job later;

static int behind_fn(struct kpool_item *item)
{
	return 0;
}

/* Written: have an item wait in the line, and one for its time. */
static int wait_set(const char *val, const struct kernel_param *kp)
{
	return kpool_submit(pool, &behind) ?:
	       kpool_submit_delayed(pool, &later, 3600 * HZ);
}

static const struct kernel_param_ops wait_ops = { .set = wait_set };
module_param_cb(wait, &wait_ops, NULL, 0200);
MODULE_PARM_DESC(wait, "write anything to submit an item, and one delayed until exit");

static atomic_t ran = ATOMIC_INIT(0);

static int client_fn(void *arg)
{
	atomic_inc(&ran);
	return 0;
}

static DECLARE_COMPLETION(dropped);
static struct kpool_item first, left[LEFT_MAX];

/* Runs until all that was left behind it has been dropped. */
static int first_fn(struct kpool_item *item)
{
	int i;

	for (i = 0; i < leave; i++) {
		if (!wait_for_completion_timeout(&dropped, 60 * HZ)) {
			pr_err("client: WARNING: dropped %d of %d\n", i, leave);
			return -ETIMEDOUT;
		}
	}
	msleep(50);
	pr_info("client: the running item ends\n");
	return 0;
}

static int left_fn(struct kpool_item *item)
{
	pr_err("client: WARNING: a forgotten item runs\n");
	return 0;
}

static void left_dropped(struct kpool_item *item, int err)
{
	pr_info("client: dropped with %d\n", err);
	complete(&dropped);
}

/* The pool has one worker, and a queue with room for all of them. */
static void leave_items(void)
{
	int i, accepted;

	leave = min(leave, LEFT_MAX);
	kpool_init_item(&first, first_fn);
	accepted = !kpool_submit(pool, &first);
	for (i = 0; i < leave; i++) {
		kpool_init_item(&left[i], left_fn);
		kpool_set_dropped(&left[i], left_dropped);
		accepted += !kpool_submit(pool, &left[i]);
	}
	if (accepted != leave + 1)
		pr_err("client: WARNING: %d of %d items were accepted\n",
		       accepted, leave + 1);
	/* else the running item would be dropped as well */
	while (kpool_is_pending(&first))
		usleep_range(500, 1000);
}

static int __init client_init(void)
{
	struct kpool_attrs attrs = {
		.capacity = capacity,
		.queue_depth = leave ? LEFT_MAX : 0,
	};

	kpool_init_item(&held, held_fn);
	kpool_init_item(&behind, behind_fn);
	kpool_init_job(&later, behind_fn);
	if (address)
		pool = (struct kpool *)address;
	else if (use_default)
		pool = kpool_default();
	else
		pool = kpool_create(name, &attrs);
	address = (unsigned long)pool;
	return PTR_ERR_OR_ZERO(pool);
}
module_init(client_init);

static void __exit client_exit(void)
{
	int i, accepted = 0;

	complete_all(&opened);
	kpool_cancel(&later.item);
	if (leave) {
		leave_items();
		return;
	}
	for (i = 0; i < items; i++)
		accepted += !kpool_submit_fn(pool, client_fn, NULL, GFP_KERNEL);
	if (use_default || keep) {
		kpool_flush(pool);
	} else if (kpool_destroy(pool)) {
		pr_err("client: the pool cannot be destroyed\n");
		return;
	}
	if (accepted != items || atomic_read(&ran) != items)
		pr_err("client: WARNING: %d of %d items ran\n",
		       atomic_read(&ran), items);
}
module_exit(client_exit);

MODULE_DESCRIPTION("kpool selftest: a client module");
MODULE_LICENSE("GPL");
