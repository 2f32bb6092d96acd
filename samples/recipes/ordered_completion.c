// SPDX-License-Identifier: GPL-2.0-only
#include "kpool.h"

struct block {
	struct kpool_job job;
	int nr;
};

static struct kpool *blocks;
static struct kpool_stream block_order;

/* Runs in parallel with that of other blocks. */
static int block_encrypt(struct kpool_item *item)
{
	struct block *block = container_of(item, struct block, job.item);

	return block_cipher(block->nr);
}

/* Called for one block at a time, in the order of the submits. */
static int block_complete(struct kpool_item *item)
{
	struct block *block = container_of(item, struct block, job.item);
	int err = kpool_job_result(&block->job);

	return err ?: block_write(block->nr);
}

static int blocks_start(void)
{
	const struct kpool_attrs attrs = { .capacity = 4, .queue_depth = 64 };

	blocks = kpool_create(&attrs, "blocks");
	if (IS_ERR(blocks))
		return PTR_ERR(blocks);
	kpool_init_ordered_stream(&block_order, blocks);
	return 0;
}

static int block_submit(struct block *block)
{
	kpool_init_job(&block->job, block_encrypt);
	kpool_set_stream(&block->job, &block_order);
	kpool_set_complete_fn(&block->job, block_complete);
	return kpool_submit(blocks, &block->job.item);
}
