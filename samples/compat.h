/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the samples use of newer kernels, lent to older ones.
 */
#ifndef _KPOOL_SAMPLES_COMPAT_H
#define _KPOOL_SAMPLES_COMPAT_H

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
#define kzalloc_objs(obj, count, gfp)	kcalloc(count, sizeof(obj), gfp)
#endif

#endif /* _KPOOL_SAMPLES_COMPAT_H */
