// SPDX-License-Identifier: GPL-2.0-only
#include <linux/list.h>
#include <linux/spinlock.h>

#include "kpool.h"

struct packet {
	struct kpool_item item;
	struct list_head node;
};

static struct kpool *packets;
static LIST_HEAD(packets_kept);
static DEFINE_RAW_SPINLOCK(packets_lock);

/* Submit packets, oldest first and @new last, until the pool refuses one. */
static void packets_submit(struct packet *new)
{
	struct packet *packet;
	unsigned long flags;

	raw_spin_lock_irqsave(&packets_lock, flags);
	if (new)
		list_add_tail(&new->node, &packets_kept);
	while (!list_empty(&packets_kept)) {
		packet = list_first_entry(&packets_kept, struct packet, node);
		list_del(&packet->node);	/* once accepted, it can be freed */
		if (!kpool_try_submit(packets, &packet->item))
			continue;
		list_add(&packet->node, &packets_kept);
		break;
	}
	raw_spin_unlock_irqrestore(&packets_lock, flags);
}

/* Called by the interrupt handler. */
static void packet_received(struct packet *packet)
{
	kpool_init_item(&packet->item, packet_run);
	packets_submit(packet);
}

/* Called by the pool once the submit that it refused would succeed. */
static void packets_room(void *data)
{
	packets_submit(NULL);
}

static int packets_start(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 2,
		.queue_depth = 16,
		.room = packets_room,
	};

	packets = kpool_create(&attrs, "packets");
	return PTR_ERR_OR_ZERO(packets);
}

/* The interrupt has been freed. */
static void packets_stop(void)
{
	struct packet *packet, *next;

	kpool_destroy(packets);
	list_for_each_entry_safe(packet, next, &packets_kept, node)
		packet_drop(packet);
	INIT_LIST_HEAD(&packets_kept);
}
