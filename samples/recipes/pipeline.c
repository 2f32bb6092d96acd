// SPDX-License-Identifier: GPL-2.0-only
#include "kpool.h"

struct picture {
	struct kpool_item item;
	int stage;
};

/* Each stage has a pool, and so a limit and a queue of its own. */
static struct {
	struct kpool *pool;
	int (*work)(struct picture *picture);
} stages[] = { { .work = picture_decode }, { .work = picture_store } };

static int picture_run(struct kpool_item *item)
{
	struct picture *picture = container_of(item, struct picture, item);
	int err = stages[picture->stage].work(picture);

	if (!err && ++picture->stage < ARRAY_SIZE(stages)) {
		err = kpool_submit(stages[picture->stage].pool, item);
		if (!err)
			return 0;	/* the next stage owns the picture now */
	}
	picture_end(picture, err);
	return err;
}

static int picture_submit(struct picture *picture)
{
	picture->stage = 0;
	kpool_init_item(&picture->item, picture_run);
	return kpool_submit(stages[0].pool, &picture->item);
}

static int pictures_start(void)
{
	stages[0].pool = kpool_create(&(struct kpool_attrs){ .capacity = 4 }, "decode");
	if (IS_ERR(stages[0].pool))
		return PTR_ERR(stages[0].pool);
	stages[1].pool = kpool_create(&(struct kpool_attrs){ .capacity = 1 }, "store");
	if (IS_ERR(stages[1].pool))
		kpool_destroy(stages[0].pool);
	return PTR_ERR_OR_ZERO(stages[1].pool);
}

/* In the order of the stages: what the first has accepted reaches the last. */
static void pictures_stop(void)
{
	kpool_destroy(stages[0].pool);
	kpool_destroy(stages[1].pool);
}
