// SPDX-License-Identifier: GPL-2.0-only
#include <linux/slab.h>
#include "kpool.h"

struct frame {
	struct kpool_item item;
	size_t len;
};

static struct kpool *frames;

static int frame_run(struct kpool_item *item)
{
	struct frame *f = container_of(item, struct frame, item);

	frame_decode(f->len);
	kfree(f);
	return 0;
}

/* Called by the interrupt handler. */
static int frame_arrived(size_t len)
{
	struct frame *f = kzalloc(sizeof(*f), GFP_ATOMIC);
	int err;

	if (!f)
		return -ENOMEM;
	f->len = len;
	kpool_init_item(&f->item, frame_run);
	err = kpool_try_submit(frames, &f->item);
	if (err)
		kfree(f);	/* -EAGAIN: 256 frames are queued */
	return err;
}

static int frames_start(void)
{
	const struct kpool_attrs attrs = { .capacity = 4, .queue_depth = 256 };

	frames = kpool_create(&attrs, "frames");
	return PTR_ERR_OR_ZERO(frames);
}

static void frames_stop(void)
{
	kpool_destroy(frames);
}
