// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choose which thread runs.  On one CPU, SCHED_FIFO runs the thread of the
 * highest priority until it sleeps.  Each thread gets a random priority; at a
 * few points, chosen at random beforehand, the running thread drops below all
 * others.  A bug that needs d such changes is found with a probability that
 * does not depend on the rest of the schedule.
 */
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <uapi/linux/sched/types.h>

#include "simulate.h"

#define SIM_MAX_CHANGES	24
#define SIM_LOWEST	2	/* lowest priority after a change */
#define SIM_LOW		39	/* changes go below this, others are above */
#define SIM_SPAN	50
#define SIM_TOO_LONG	400000	/* points: no run needs so many */

static struct rnd_state sim_rnd;
static u32 sim_change[SIM_MAX_CHANGES + 1];
static unsigned int sim_next, sim_low;
static u32 sim_now;
static u64 sim_total;
static struct sim_thread *sim_last;

unsigned int sim_random(unsigned int n)
{
	return prandom_u32_state(&sim_rnd) % n;
}

bool sim_percent(unsigned int percent)
{
	return percent && sim_random(100) < percent;
}

u64 sim_points(void)
{
	return sim_total;
}

void sim_priority(struct task_struct *task, int priority)
{
	const struct sched_attr attr = {
		.size		= sizeof(attr),
		.sched_policy	= priority ? SCHED_FIFO : SCHED_NORMAL,
		.sched_priority	= priority,
	};

	sched_setattr_nocheck(task, &attr);
}

void sim_random_priority(struct sim_thread *thread)
{
	sim_priority(thread->task, SIM_LOW + 1 + sim_random(SIM_SPAN));
}

static int sim_compare(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* Choose at random how many changes there are, and among how many points. */
void sim_schedule_begin(u64 seed, unsigned int variant)
{
	static const u8 depths[] = { 0, 1, 2, 2, 3, 3, 4, 6, 10, 20 };
	static const u16 lengths[] = { 60, 200, 500, 1200 };
	unsigned int depth, length, i;

	prandom_seed_state(&sim_rnd, seed * 0x9e3779b97f4a7c15ull +
				     (u64)variant * 0xd1b54a32d192ed03ull + 1);
	depth = depths[sim_random(ARRAY_SIZE(depths))];
	length = lengths[sim_random(ARRAY_SIZE(lengths))];
	for (i = 0; i < depth; i++)
		sim_change[i] = 1 + sim_random(length);
	sort(sim_change, depth, sizeof(sim_change[0]), sim_compare, NULL);
	sim_change[depth] = 0;
	sim_next = 0;
	sim_low = SIM_LOW;
	sim_now = 0;
	sim_last = NULL;
}

void sim_schedule_end(void)
{
	sim_change[sim_next] = 0;
	sim_total += sim_now;
}

/*
 * Stop the current thread for ever: its world is abandoned, or its run failed.
 */
static noinline void sim_park(void)
{
	for (;;) {
		set_current_state(TASK_IDLE);
		schedule();
	}
}

static noinline void sim_switched(struct sim_thread *thread)
{
	if (sim_last)
		sim_trace("  -- %s %d (at %pS) -> %s %d\n", sim_last->name,
			  sim_last->nr, (void *)sim_last->at, thread->name,
			  thread->nr);
	sim_last = thread;
}

static noinline void sim_drop_below(struct sim_thread *thread)
{
	while (sim_change[sim_next] && sim_change[sim_next] <= sim_now)
		sim_next++;
	if (sim_low > SIM_LOWEST)
		sim_low--;
	sim_trace("  -- change at point %u\n", sim_now);
	sim_priority(thread->task, sim_low);
}

void sim_point(void)
{
	struct sim_thread *thread;

	if (!preemptible())
		return;
	thread = sim_current();
	if (!thread)
		return;
	if (thread->world != sim)
		sim_park();
	thread->at = (unsigned long)__builtin_return_address(0);
	if (++sim_now > SIM_TOO_LONG) {
		sim_fail("no end after %u points: %s %d at %pS", sim_now,
			 thread->name, thread->nr, (void *)thread->at);
		sim_park();
	}
	if (unlikely(sim_tracing) && thread != sim_last)
		sim_switched(thread);
	if (unlikely(sim_change[sim_next] == sim_now))
		sim_drop_below(thread);
}
