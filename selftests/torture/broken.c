// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets that are broken on purpose: a torture test that finds nothing in
 * these is worth nothing.  Each kind is one small lie where the torture meets
 * the pool: look for kpt_broken and kpt_is_broken().
 */
#include <linux/string.h>

#include "torture.h"

enum kpt_broken kpt_broken;

const char *const kpt_broken_names[KPT_NR_BROKEN] = {
	[KPT_SOUND]		= "none",
	[KPT_BROKEN_LOSE]	= "lose",
	[KPT_BROKEN_TWICE]	= "twice",
	[KPT_BROKEN_OVERLAP]	= "overlap",
	[KPT_BROKEN_ORDER]	= "order",
	[KPT_BROKEN_COUNTER]	= "counter",
	[KPT_BROKEN_CAPACITY]	= "capacity",
	[KPT_BROKEN_LATE]	= "late",
	[KPT_BROKEN_EARLY]	= "early",
	[KPT_BROKEN_HANG]	= "hang",
	[KPT_BROKEN_LEAK]	= "leak",
	[KPT_BROKEN_ANSWER]	= "answer",
	[KPT_BROKEN_PAUSE]	= "pause",
	[KPT_BROKEN_CLOSED]	= "closed",
};

/* The invariant that each breaks; it can break more. */
static const enum kpt_invariant kpt_breaks[KPT_NR_BROKEN] = {
	[KPT_BROKEN_LOSE]	= KPT_ONCE,
	[KPT_BROKEN_TWICE]	= KPT_ONCE,
	[KPT_BROKEN_OVERLAP]	= KPT_OVERLAP,
	[KPT_BROKEN_ORDER]	= KPT_ORDER,
	[KPT_BROKEN_COUNTER]	= KPT_COUNTERS,
	[KPT_BROKEN_CAPACITY]	= KPT_CAPACITY,
	[KPT_BROKEN_LATE]	= KPT_LATE,
	[KPT_BROKEN_EARLY]	= KPT_EARLY,
	[KPT_BROKEN_HANG]	= KPT_HANG,
	[KPT_BROKEN_LEAK]	= KPT_LEAK,
	[KPT_BROKEN_ANSWER]	= KPT_ANSWER,
	[KPT_BROKEN_PAUSE]	= KPT_PAUSE,
	[KPT_BROKEN_CLOSED]	= KPT_CLOSED,
};

bool kpt_broken_is_found(void)
{
	return kpt_broken && kpt_is_violated(kpt_breaks[kpt_broken]);
}

int kpt_broken_parse(const char *name)
{
	int i = match_string(kpt_broken_names, KPT_NR_BROKEN, name);

	if (i < 0) {
		pr_err("kpool-torture: there is no broken target \"%s\"\n",
		       name);
		return -EINVAL;
	}
	kpt_broken = i;
	return 0;
}
