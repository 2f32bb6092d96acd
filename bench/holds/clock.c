// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock of the engine's holds; see clock.h.
 */
#include "clock.h"
#include "holds.h"

struct holds_clock holds_clock;

static DEFINE_RAW_SPINLOCK(holds_nothing);

/* Forget the longest hold, and return how long it was. */
u64 holds_reset(void)
{
	u64 longest = READ_ONCE(holds_clock.longest);

	WRITE_ONCE(holds_clock.longest, 0);
	return longest;
}

/* The shortest hold there is costs only what the clock does. */
void holds_calibrate(void)
{
	u64 least = U64_MAX;
	unsigned long flags;
	int i;

	for (i = 0; i < 16; i++) {
		holds_reset();
		raw_spin_lock_irqsave(&holds_nothing, flags);
		raw_spin_unlock_irqrestore(&holds_nothing, flags);
		least = min(least, holds_reset());
	}
	holds_clock.cost = least;
}
