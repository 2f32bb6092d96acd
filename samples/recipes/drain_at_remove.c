// SPDX-License-Identifier: GPL-2.0-only
#include "kpool.h"

struct command {
	struct kpool_item item;
	int nr;
};

struct mydev {
	struct kpool *pool;
	unsigned long drain_limit;	/* jiffies */
};

static int command_run(struct kpool_item *item)
{
	struct command *cmd = container_of(item, struct command, item);
	int err = command_execute(cmd->nr);

	command_answer(cmd, err);	/* may free it */
	return err;
}

/* Accepted, but it will not run. */
static void command_dropped(struct kpool_item *item, int err)
{
	command_answer(container_of(item, struct command, item), err);
}

static int command_submit(struct mydev *dev, struct command *cmd)
{
	kpool_init_item(&cmd->item, command_run);
	kpool_set_drop_fn(&cmd->item, command_dropped);
	return kpool_submit(dev->pool, &cmd->item);
}

static void mydev_remove(struct mydev *dev)
{
	mydev_stop_producers(dev);	/* interrupts, timers, user space */
	if (kpool_shutdown_timeout(dev->pool, dev->drain_limit) == -ETIMEDOUT)
		kpool_abort(dev->pool);
	kpool_destroy(dev->pool);	/* waits for what runs */
}
