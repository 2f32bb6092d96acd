// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items accepted on both sides of the tick at which the low half of jiffies
 * begins anew, five minutes after boot.
 */
#include "group.h"
#include "load.h"

#define TICKS_BEFORE	20

static struct order order;
static struct load held, other;

/* Sleep until shortly before the wrap; false if it is over. */
static bool wrap_is_near(void)
{
	u32 left = -(u32)jiffies;

	if (!kt_exact || left > 400 * HZ) {
		kt_skip("not in the first minutes of simulated time");
		return false;
	}
	while ((left = -(u32)jiffies) > TICKS_BEFORE && left < 400 * HZ)
		schedule_timeout_uninterruptible(left - TICKS_BEFORE > 64 ?
						 (left - TICKS_BEFORE) / 2 : 1);
	return KT_EXPECT_LE(left, TICKS_BEFORE);
}

static void let_pass(unsigned long ticks)
{
	schedule_timeout_uninterruptible(ticks);
}

static void submit(struct kpool *pool, int i, enum kpool_priority priority)
{
	p[i].order = &order;
	KT_EXPECT_EQ(kpool_set_priority(&p[i].job.item, priority), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &p[i].job.item), 0);
}

/*
 * The oldest of a lower priority is found and reported by its age.  An item
 * that waited for its own run is queued in front again, and a delay is kept.
 * Fails if what was accepted after the wrap is taken for older.
 */
static void order_and_age_survive_the_wrap(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = group_make(&queued_one, 0, 0);
	struct kpool *two = kt_pool("wrap", &attrs);
	unsigned long begin, due;
	int i;

	if (!pool || !two || !wrap_is_near())
		goto out;
	begin = jiffies;
	order_init(&order);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	submit(pool, 0, KPOOL_PRIO_LOW);
	load_init(&held, 0);
	load_init(&other, 1);
	KT_EXPECT(load_runs(two, &held));
	KT_EXPECT_EQ(load_submit(two, &held), 0);
	KT_EXPECT(load_runs(two, &other));
	KT_EXPECT_EQ(kpool_submit_delayed(two, &p[63].job, 2 * TICKS_BEFORE),
		     0);
	due = jiffies + 2 * TICKS_BEFORE;
	let_pass(2 * TICKS_BEFORE - 8);
	KT_EXPECT_LE((u32)jiffies, 2 * TICKS_BEFORE);
	submit(pool, 1, KPOOL_PRIO_NORMAL);
	KT_EXPECT_EQ(atomic_read(&p[63].ran), 0);
	KT_EXPECT_EQ(kpool_submit(two, &p[60].job.item), 0);
	let_pass(16);
	KT_EXPECT(time_after_eq(jiffies, due));
	KT_EXPECT_EQ(kt_stat(two, delayed), 0);
	KT_EXPECT_GE(msecs_to_jiffies(kt_stat(pool, oldest_pending_ms)),
		     jiffies - begin - 2);
	KT_EXPECT_LE(msecs_to_jiffies(kt_stat(pool, oldest_pending_ms)),
		     jiffies - begin);
	/* the one that was held comes before those after it */
	atomic_set(&held.gate.started, 0);
	kt_gate_let_one(&held.gate);
	KT_EXPECT(load_starts(&held));
	KT_EXPECT_EQ(atomic_read(&p[60].ran), 0);
	for (i = 2; i < 40; i++)
		submit(pool, i, KPOOL_PRIO_HIGH);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(order.n, 40);
	KT_EXPECT_EQ(order.nr[15], 0);
	KT_EXPECT_EQ(order.nr[31], 1);
	kt_gate_open(&held.gate);
	kt_gate_open(&other.gate);
out:
	if (pool)
		kpool_resume(pool);
	jobs_end(two);
	jobs_end(pool);
}

KT_MODULE("kpool selftests: the wrap of jiffies",
	  KT_CASE(order_and_age_survive_the_wrap));
