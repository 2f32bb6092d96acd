/* SPDX-License-Identifier: GPL-2.0-only */
/* Lend the samples what newer kernels have and older ones lack. */
#ifndef _KPOOL_SAMPLES_COMPAT_H
#define _KPOOL_SAMPLES_COMPAT_H

#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/version.h>

/* The state of a running SHA-256, and its name since 6.17. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define sha256_ctx sha256_state
#endif

/* Kernel sockets took a plain sockaddr until 6.19. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
#define sockaddr_unsized sockaddr
#endif

/* Allocation by object came with 7.0. */
#ifndef kmalloc_obj
#define kmalloc_obj(obj, gfp)		kmalloc(sizeof(obj), gfp)
#define kzalloc_obj(obj, gfp)		kzalloc(sizeof(obj), gfp)
#endif

/* Until 6.8 the caller of vfs_iter_write() had to hold off a freeze. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
static inline ssize_t compat_vfs_iter_write(struct file *file,
					    struct iov_iter *iter, loff_t *pos,
					    rwf_t flags)
{
	ssize_t n;

	file_start_write(file);
	n = vfs_iter_write(file, iter, pos, flags);
	file_end_write(file);
	return n;
}

#define vfs_iter_write compat_vfs_iter_write
#endif

/* For a sample that includes linux/blk-mq.h first. */
#ifdef BLK_MQ_H

/* Requests are merged by default since 6.14. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define BLK_MQ_F_SHOULD_MERGE	0
#endif

/* Type of a node in init_request(): unsigned int, or int in newer kernels. */
#define blk_mq_node_t							\
	typeof(__builtin_choose_expr(					\
		__builtin_types_compatible_p(				\
			typeof_member(struct blk_mq_ops, init_request),	\
			int (*)(struct blk_mq_tag_set *,		\
				struct request *, unsigned int, int)),	\
		0, 0u))

/*
 * A disk with a write cache.  Limits are passed to its allocation since 6.9,
 * and the write cache is one of them since 6.11.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define blk_mq_alloc_cached_disk(set)					\
({									\
	struct queue_limits __lim = { .features = BLK_FEAT_WRITE_CACHE };	\
									\
	blk_mq_alloc_disk(set, &__lim, NULL);				\
})
#else
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define compat_blk_mq_alloc_disk(set)	blk_mq_alloc_disk(set, NULL, NULL)
#else
#define compat_blk_mq_alloc_disk(set)	blk_mq_alloc_disk(set, NULL)
#endif
#define blk_mq_alloc_cached_disk(set)					\
({									\
	struct gendisk *__disk = compat_blk_mq_alloc_disk(set);		\
									\
	if (!IS_ERR(__disk))						\
		blk_queue_write_cache(__disk->queue, true, false);	\
	__disk;								\
})
#endif

#endif /* BLK_MQ_H */

#endif /* _KPOOL_SAMPLES_COMPAT_H */
