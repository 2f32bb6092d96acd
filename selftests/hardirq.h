/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Do a thing in hardirq.
 */
#ifndef _KPOOL_SELFTEST_HARDIRQ_H
#define _KPOOL_SELFTEST_HARDIRQ_H

#include <linux/hrtimer.h>
#include <linux/preempt.h>

#include "compat.h"
#include "selftest.h"

static struct {
	struct hrtimer		timer;
	struct completion	done;
	void			(*fn)(void);
} hardirq;

static inline enum hrtimer_restart hardirq_fires(struct hrtimer *timer)
{
	KT_EXPECT(in_hardirq());
	hardirq.fn();
	complete(&hardirq.done);
	return HRTIMER_NORESTART;
}

static inline void hardirq_do(void (*fn)(void))
{
	hardirq.fn = fn;
	init_completion(&hardirq.done);
	hrtimer_setup(&hardirq.timer, hardirq_fires, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	hrtimer_start(&hardirq.timer, ns_to_ktime(NSEC_PER_MSEC),
		      HRTIMER_MODE_REL_HARD);
	KT_EXPECT(wait_for_completion_timeout(&hardirq.done, KT_LIMIT));
	hrtimer_cancel(&hardirq.timer);
}

#endif /* _KPOOL_SELFTEST_HARDIRQ_H */
