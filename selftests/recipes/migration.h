/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A driver before and after its migration to kpool.  Both halves are of one
 * form, so that a case can run either.
 */
#ifndef _KPOOL_SELFTEST_MIGRATION_H
#define _KPOOL_SELFTEST_MIGRATION_H

#include <linux/jiffies.h>
#include <linux/types.h>

#define POLL_INTERVAL	(HZ / 50)

struct frame_driver {
	int	(*start)(void);
	int	(*arrived)(size_t len);
	void	(*stop)(void);
};

struct poll_driver {
	int	(*start)(void);
	void	(*stop)(void);
};

extern const struct frame_driver frames_before, frames_after;
extern const struct poll_driver poller_before, poller_after;

/* The functions of the drivers. */
void frame_decode(size_t len);
void poll_sensor(void);

#endif /* _KPOOL_SELFTEST_MIGRATION_H */
