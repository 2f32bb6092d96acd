// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the fewest operations that still fail.  Leaving out an operation moves
 * all later ones to other points of the schedule.  So each attempt tries
 * several schedules, and one that fails is enough.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>

#include "simulate.h"

#define SIM_VARIANTS	300
#define SIM_MAX_HANGS	150	/* each leaks memory */

static bool sim_still_fails(u64 seed, u64 mask, unsigned int *variant)
{
	unsigned int i;

	for (i = 0; i < SIM_VARIANTS; i++) {
		/* first try the variant that failed before */
		unsigned int v = i ? i - 1 : *variant;

		if (!sim_run(seed, mask, v))
			continue;
		*variant = v;
		return true;
	}
	return false;
}

/* Return the next @nr operations of @mask, starting at bit @from. */
static u64 sim_chunk(u64 mask, int from, int nr)
{
	u64 chunk = 0;

	for (; from < SIM_OPS && nr; from++) {
		if (!(mask & BIT_ULL(from)))
			continue;
		chunk |= BIT_ULL(from);
		nr--;
	}
	return chunk;
}

u64 sim_shrink(u64 seed, u64 mask, unsigned int *variant)
{
	int size = hweight64(mask) / 2, at;
	bool smaller;

	for (; size; size /= 2) {
		do {
			smaller = false;
			for (at = 0; at < SIM_OPS; at++) {
				u64 chunk = sim_chunk(mask, at, size);

				if (!(mask & BIT_ULL(at)) ||
				    sim_nr_hangs > SIM_MAX_HANGS ||
				    !sim_still_fails(seed, mask & ~chunk,
						     variant))
					continue;
				mask &= ~chunk;
				smaller = true;
			}
		} while (smaller);
	}
	return mask;
}
