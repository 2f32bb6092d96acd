// SPDX-License-Identifier: GPL-2.0-only
/*
 * What hands do, one row each.
 */
#include <linux/delay.h>

#include "torture.h"

#define KPT_DEED(_name, _where, _weight)				\
	{ .name = #_name, .fn = kpt_deed_##_name, .where = _where,	\
	  .weight = _weight }

static struct kpt_deed kpt_deeds[] = {
	KPT_DEED(submit, KPT_ANYWHERE, 60),
	KPT_DEED(submit_changed, KPT_IN_THREAD, 60),
	KPT_DEED(submit_single, KPT_MAY_ALLOC, 20),
	KPT_DEED(submit_fn, KPT_MAY_ALLOC, 15),
	KPT_DEED(submit_locked, KPT_IN_THREAD, 15),
	KPT_DEED(cancel, KPT_ANYWHERE, 15),
	KPT_DEED(cancel_wait, KPT_IN_THREAD, 6),
	KPT_DEED(disable, KPT_ANYWHERE, 4),
	KPT_DEED(disable_wait, KPT_IN_THREAD, 3),
	KPT_DEED(flush_item, KPT_MAY_SLEEP, 8),
	KPT_DEED(flush, KPT_IN_THREAD, 2),
	KPT_DEED(refused_inside, KPT_IN_ITEM, 3),
	KPT_DEED(modify_delay, KPT_ANYWHERE, 6),
	KPT_DEED(look, KPT_ANYWHERE, 4),
	KPT_DEED(batch, KPT_IN_THREAD, 8),
	KPT_DEED(group, KPT_ANYWHERE, 2),
	KPT_DEED(call, KPT_MAY_SLEEP, 6),
	KPT_DEED(call_timeout, KPT_MAY_SLEEP, 6),
	KPT_DEED(interrupt, KPT_IN_THREAD, 10),
	KPT_DEED(tune, KPT_IN_TUNER, 60),
	KPT_DEED(tune_capacity, KPT_IN_TUNER, 30),
	KPT_DEED(tune_cpumask, KPT_IN_TUNER, 6),
	KPT_DEED(tune_badly, KPT_IN_TUNER, 1),
	KPT_DEED(create_badly, KPT_IN_TUNER, 1),
	KPT_DEED(pause, KPT_IN_TUNER, 15),
	KPT_DEED(release, KPT_IN_TUNER, 6),
	KPT_DEED(abort, KPT_IN_TUNER, 5),
	KPT_DEED(renew, KPT_IN_TUNER, 12),
	KPT_DEED(kill, KPT_IN_TUNER, 15),
	KPT_DEED(oops, KPT_IN_TUNER, 10),
};

void kpt_hand_init(struct kpt_hand *hand, u32 seed, unsigned int where)
{
	prandom_seed_state(&hand->rnd, seed);
	hand->where = where;
	hand->deed = NULL;
}

void kpt_nap(struct kpt_hand *hand, unsigned int max_us)
{
	unsigned int us = 1 + kpt_dice(hand, max_us);

	usleep_range(us, us + 50);
}

static struct kpt_deed *kpt_choose_deed(struct kpt_hand *hand)
{
	unsigned int i, sum = 0, left;

	for (i = 0; i < ARRAY_SIZE(kpt_deeds); i++)
		if (kpt_deeds[i].where & hand->where)
			sum += kpt_deeds[i].weight;
	left = kpt_dice(hand, sum);
	for (i = 0; i < ARRAY_SIZE(kpt_deeds); i++) {
		if (!(kpt_deeds[i].where & hand->where))
			continue;
		if (left < kpt_deeds[i].weight)
			break;
		left -= kpt_deeds[i].weight;
	}
	return &kpt_deeds[i];
}

/* A broken target keeps one of its callers for ever. */
static void kpt_hang(struct kpt_hand *hand)
{
	while (kpt_is_broken(KPT_BROKEN_HANG) && hand->where == KPT_IN_THREAD &&
	       !READ_ONCE(kpt_ending))
		msleep(20);
}

/* The caller has a reference to the target. */
void kpt_do_something(struct kpt_hand *hand, struct kpt_target *t)
{
	struct kpt_deed *deed = kpt_choose_deed(hand);
	const char *outer = hand->deed;

	WRITE_ONCE(hand->deed, deed->name);
	kpt_hang(hand);
	deed->fn(hand, t);
	atomic_long_inc(&deed->done);
	WRITE_ONCE(hand->deed, outer);
}

void kpt_print_deeds(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kpt_deeds); i++)
		pr_info("kpool-torture: deed %s: %ld\n", kpt_deeds[i].name,
			atomic_long_read(&kpt_deeds[i].done));
}
