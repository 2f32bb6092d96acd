// SPDX-License-Identifier: GPL-2.0-only
#include <linux/slab.h>
#include <linux/workqueue.h>

struct frame {
	struct work_struct work;
	size_t len;
};

static struct workqueue_struct *frames;

static void frame_run(struct work_struct *work)
{
	struct frame *f = container_of(work, struct frame, work);

	frame_decode(f->len);
	kfree(f);
}

/* Called by the interrupt handler. */
static int frame_arrived(size_t len)
{
	struct frame *f = kzalloc(sizeof(*f), GFP_ATOMIC);

	if (!f)
		return -ENOMEM;
	f->len = len;
	INIT_WORK(&f->work, frame_run);
	queue_work(frames, &f->work);
	return 0;
}

static int frames_start(void)
{
	frames = alloc_workqueue("frames", WQ_UNBOUND, 4);
	return frames ? 0 : -ENOMEM;
}

static void frames_stop(void)
{
	destroy_workqueue(frames);
}
