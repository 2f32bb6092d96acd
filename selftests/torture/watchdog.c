// SPDX-License-Identifier: GPL-2.0-only
/*
 * The watchdog: nothing waits that could go on.
 *
 * Its clock are its own rounds, half a second each, so that a machine that
 * stands still makes no thread late.  What takes more rounds than
 * kpt_hang_ticks() is no matter of speed: something has been forgotten.
 */
#include <linux/jiffies.h>
#include <linux/kthread.h>

#include "torture.h"

unsigned int kpt_tick;
static struct task_struct *kpt_watchdog;

unsigned int kpt_hang_ticks(void)
{
	return 2 * kpt_stall;
}

/* Does each item that is submitted end, one way or the other? */
static void kpt_watch_items(struct kpt_target *t)
{
	int i;

	for (i = 0; i < KPT_NR_ITEMS; i++) {
		struct kpt_item *it = &t->items[i];
		unsigned int ends = atomic_read(&it->ends);

		if (ends != it->seen_ends || atomic_read(&it->open) <= 0) {
			it->seen_ends = ends;
			it->seen_tick = kpt_tick;
		} else if (kpt_tick - it->seen_tick > kpt_hang_ticks()) {
			kpt_violation(KPT_LATE,
				      "%s: item %d was submitted %u s ago, is %s",
				      t->name, i,
				      (kpt_tick - it->seen_tick) / 2,
				      atomic_read(&it->active) ? "running" :
				      kpool_is_pending(&it->job.item) ?
				      "pending" : "nowhere");
			it->seen_tick = kpt_tick;
		}
	}
}

/* Does anything start or end while something waits? */
static void kpt_watch_progress(struct kpt_target *t)
{
	struct kpool_stats s;
	u64 progress;

	kpt_get_stats(t, &s);
	progress = s.completed + s.cancelled + s.dropped + s.died + s.running;
	if (progress != t->seen_progress || s.paused ||
	    !(s.pending || s.blocked)) {
		t->seen_progress = progress;
		t->seen_tick = kpt_tick;
	} else if (kpt_tick - t->seen_tick > kpt_hang_ticks()) {
		kpt_violation(KPT_LATE,
			      "%s: nothing has started for %u s: pending %llu, blocked %llu, running %llu, units %llu of %d, idle %llu of %llu",
			      t->name, (kpt_tick - t->seen_tick) / 2,
			      s.pending, s.blocked, s.running, s.units,
			      READ_ONCE(t->cap_high) * t->width, s.idle, s.alive);
		t->seen_tick = kpt_tick;
	}
}

static void kpt_watch(struct kpt_target *t)
{
	if (!kpt_get(t))
		return;
	kpt_check_reading(t);
	kpt_watch_progress(t);
	kpt_watch_items(t);
	kpt_put(t);
}

/* The end of the test waits for all, too. */
static void kpt_watch_end(void)
{
	static unsigned int since;

	if (!READ_ONCE(kpt_ending)) {
		since = kpt_tick;
	} else if (kpt_tick - since > kpt_hang_ticks() + 10) {
		kpt_violation(KPT_HANG, "the test does not end");
		since = kpt_tick;
	}
}

static int kpt_watchdog_main(void *data)
{
	int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < kpt_nr_targets; i++)
			kpt_watch(&kpt_targets[i]);
		kpt_threads_watch();
		kpt_watch_end();
		WRITE_ONCE(kpt_tick, kpt_tick + 1);
		schedule_timeout_interruptible(HZ / 2);
	}
	return 0;
}

int kpt_watch_start(void)
{
	kpt_watchdog = kthread_run(kpt_watchdog_main, NULL, "kpt_watch");
	return PTR_ERR_OR_ZERO(kpt_watchdog);
}

void kpt_watch_stop(void)
{
	if (!IS_ERR_OR_NULL(kpt_watchdog))
		kthread_stop(kpt_watchdog);
}
