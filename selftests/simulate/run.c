// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run a seed from beginning to end: create the pools, and start the clients.
 * After a while, or when the clients are done, the pools are destroyed, and
 * everything must have ended.  The thread that runs this has the highest
 * priority, so that nothing happens before it sleeps.  As time passes only
 * while all threads sleep, they all do when a timeout wakes it.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "simulate.h"

#define SIM_TIMEOUT	300		/* ticks: more than all delays */
#define SIM_HANG	(3600 * HZ)

struct sim_world *sim;
char sim_last_failure[160];
unsigned int sim_nr_hangs;

static void sim_make_one(struct sim_item *it, int nr)
{
	const struct sim_item_spec *spec = &sim->program.item[nr];

	it->nr = nr;
	if (spec->job)
		kpool_init_job(&it->job, sim_run_fn(it, false));
	else
		kpool_init_item(&it->job.item, sim_run_fn(it, false));
	kpool_set_drop_fn(&it->job.item,
			  sim_functions_of(it, SIM_OWN_DROPPED)->dropped);
	kpool_set_priority(&it->job.item, spec->priority);
	if (spec->weight)
		kpool_set_weight(&it->job.item, spec->weight);
	if (!spec->job)
		return;
	if (spec->group >= 0)
		kpool_set_group(&it->job, &sim->group[spec->group]);
	if (spec->stream)
		kpool_set_stream(&it->job, &sim->stream[spec->stream]);
	if (spec->stream == SIM_ORDERED_STREAM)
		kpool_set_complete_fn(&it->job, sim_run_fn(it, true));
	if (spec->deadline)
		/*
		 * between two ticks, so that any reading of the clock will do
		 */
		kpool_set_deadline(&it->job, ktime_get() +
				   spec->deadline * (u64)TICK_NSEC -
				   TICK_NSEC / 2);
}

static void sim_make_items(void)
{
	struct kpool *pool = sim->pool[0].pool;
	int i;

	for (i = 0; i < SIM_GROUPS; i++)
		kpool_init_group(&sim->group[i], pool,
				 i && sim->program.nested_groups ?
				 &sim->group[0] : NULL,
				 sim->program.group_flags[i]);
	kpool_init_stream(&sim->stream[SIM_PLAIN_STREAM], pool);
	kpool_init_ordered_stream(&sim->stream[SIM_ORDERED_STREAM], pool);
	for (i = 0; i < SIM_ITEMS; i++)
		sim_make_one(&sim->item[i], i);
}

/* Name a pool by the number of hangs: a pool that hangs keeps its name. */
static void sim_name_pool(char *name, size_t size, int nr)
{
	snprintf(name, size, "%u-%d", sim_nr_hangs, nr);
}

struct kpool *sim_pool_of_name(struct module *owner,
			       const struct kpool_attrs *attrs, int nr)
{
	char name[KPOOL_NAME_MAX + 1];

	sim_name_pool(name, sizeof(name), nr);
	return kpool_create_owned(owner, attrs, "%s", name);
}

static bool sim_make_pool(struct sim_pool *p, int nr)
{
	struct kpool_attrs *attrs = &sim->program.attrs[nr];
	struct module *owner;
	struct kpool *pool;

	p->nr = nr;
	attrs->data = p;
	owner = sim_module_address(sim_owner_of(p) ? 1 : 0);
	pool = sim_pool_of_name(owner, attrs, nr);
	if (IS_ERR(pool)) {
		sim_expect(sim->threads_failed, "no pool: %pe", pool);
		return false;
	}
	p->pool = pool;
	sim_name_pool(p->name, sizeof(p->name), nr);
	p->min_capacity = INT_MAX;
	p->min_workers_ever = INT_MAX;
	sim_observe(pool, &p->view);
	return true;
}

static bool sim_make_pools(void)
{
	int i, nr = sim->program.two_pools ? SIM_POOLS : 1;

	for (i = 0; i < nr; i++)
		if (!sim_make_pool(&sim->pool[i], i))
			return false;
	if (sim->program.nr_modules)
		sim_set_default(sim->pool[0].pool);
	return true;
}

static void sim_start_clients(void)
{
	int i;

	for (i = 0; i < SIM_CLIENTS; i++) {
		const struct sim_op *op = &sim->program.op[i * SIM_CLIENT_OPS];

		sim->client[i] = sim_thread_new("client", i, sim_client_main,
						(void *)op);
		sim->nr_at_work++;
	}
	for (i = 0; i < SIM_CLIENTS; i++)
		sim_thread_go(sim->client[i]);
	sim_start_removers();
}

static bool sim_is_fragile(void)
{
	const struct sim_call *call;

	list_for_each_entry(call, &sim->calls, node)
		if (!call->inside && sim_ops[call->op->kind].fragile)
			return true;
	return false;
}

/* Wait until no call is left that must not run while a pool is destroyed. */
static void sim_clear_out(void)
{
	int i, tries;

	sim->ending = true;
	for (tries = 0; tries < 10 && sim_is_fragile(); tries++) {
		for (i = 0; i < SIM_POOLS; i++)
			if (sim->pool[i].pool)
				kpool_shutdown(sim->pool[i].pool);
		schedule_timeout_idle(30);
	}
	sim_expect(!sim_is_fragile(), "a call does not return from a closed pool");
}

/*
 * Return true if an item hands itself to the pool.  After a tick it sleeps
 * there.
 */
static bool sim_is_handed_to(const struct sim_pool *p)
{
	const struct sim_call *call;

	list_for_each_entry(call, &sim->calls, node)
		if (call->hands_over && call->p == p)
			return true;
	return false;
}

static void sim_judge_destroy(struct sim_pool *p, const struct sim_call *call, int err)
{
	if (err == -ESHUTDOWN) {
		sim_expect(sim_owner_of(p) && sim_owner_of(p)->begun,
			   "a pool whose module stays is not destroyed");
		sim_expect(!p->view.stats.alive,
			   "destroy returns, but workers are left");
		return;
	}
	sim_expect(sim_is_lost(call, err) || !err, "destroy says %d", err);
	sim_expect(!sim_is_orphan(p) || p->destroyed_first,
		   "a pool of a module that has gone is destroyed");
	p->ended = true;
}

static void sim_destroy(struct sim_pool *p)
{
	struct sim_call call = {
		.p	= p,
		.thread	= sim_current(),
		.awaits	= SIM_AWAITS_DRAIN,
	};
	int err;

	if (!p->pool || p->destroyed)
		return;
	p->destroyed = true;
	if (sim_is_handed_to(p))
		schedule_timeout_idle(1);
	sim_trace("pool %d is destroyed\n", p->nr);
	call.begin = sim->step;
	call.since = jiffies;
	if (call.thread)
		sim->closing = &call;
	err = kpool_destroy(p->pool);
	sim->closing = NULL;
	sim_judge_destroy(p, &call, err);
}

/* Destroy the second pool first: items of the first can wait for it. */
static int sim_closer_main(void *data)
{
	struct sim_pool *orphan = &sim->pool[1];
	int i;

	if (sim->program.ends_orphan) {
		orphan->destroyed_first = !sim_is_orphan(orphan);
		sim_destroy(orphan);
	}
	sim_wait_removers();
	for (i = SIM_POOLS - 1; i >= 0; i--)
		sim_destroy(&sim->pool[i]);
	if (orphan->pool && !orphan->ended) {
		/* as if kpool were removed */
		sim_free_orphan(orphan->pool);
		orphan->ended = true;
	}
	complete(&sim->closed);
	return 0;
}

static void sim_say_who_hangs(void)
{
	const struct sim_call *call;
	char hung[100] = "";
	size_t len = 0;

	list_for_each_entry(call, &sim->calls, node)
		len += scnprintf(hung + len, sizeof(hung) - len, " %s%s(%d)",
				 call->inside ? "item's " : "",
				 sim_ops[call->op->kind].name,
				 call->item ? call->item->nr : -1);
	sim_fail("hang:%s", hung);
}

static void sim_judge_items(void)
{
	int i;

	for (i = 0; i < SIM_ITEMS; i++) {
		const struct sim_item *it = &sim->item[i];

		sim_expect(it->gen == it->accepted,
			   "item %d: accepted %u times, submitted %u times", i,
			   it->gen, it->accepted);
		sim_expect(it->run != SIM_INSIDE && !it->drops_inside,
			   "item %d runs after the end", i);
		sim_expect(!it->to_complete, "item %d is never completed", i);
	}
}

/* Run the clients, and destroy the pools.  Return false if a thread hangs. */
static bool sim_play(void)
{
	unsigned int timeout = sim->program.end_after ?: SIM_TIMEOUT;
	int i;

	sim_note();
	sim_start_clients();
	wait_for_completion_timeout(&sim->done, timeout);
	for (i = 0; i < SIM_POOLS; i++)
		sim_judge_drained(&sim->pool[i]);
	sim_judge_removals();
	sim_clear_out();
	sim->closer = sim_thread_new("closer", 0, sim_closer_main, NULL);
	sim_thread_go(sim->closer);
	if (!wait_for_completion_timeout(&sim->closed, SIM_HANG))
		return false;
	while (sim->nr_at_work)
		if (!wait_for_completion_timeout(&sim->done, SIM_HANG))
			return false;
	for (i = 0; i < SIM_CLIENTS; i++)
		sim_thread_end(sim->client[i]);
	sim_thread_end(sim->closer);
	sim_end_removers();
	return true;
}

/* Check that the error of a group is that of a job, and 0 if no job failed. */
static void sim_judge_groups(void)
{
	int i, err;

	for (i = 0; i < SIM_GROUPS; i++) {
		err = sim_group_error(i);
		sim_expect(!sim->group[i].pool || !sim_group_has_members(i),
			   "group %d has ended, but is still listed", i);
		sim_expect(err || !sim->group_failures[i],
			   "group %d: a job has failed, but it has no error", i);
		sim_expect(!err || test_bit(abs(err), sim->group_errors[i]),
			   "group %d: error %d of no job", i, err);
	}
}

/* Check what is left once all threads have ended. */
static void sim_end(void)
{
	int i;

	/* in the next world, these threads would be stopped */
	while (sim->nr_dying)
		schedule_timeout_idle(1);
	sim_laters_end();
	sim_judge_items();
	sim_judge_groups();
	for (i = 0; i < SIM_POOLS; i++)
		if (sim->pool[i].pool)
			sim_judge_end(&sim->pool[i]);
	/* what dead threads can use is freed in another world, if at all */
	sim_expect(sim->program.may_die || sim->nr_allocated <= 0,
		   "%d allocations are left", sim->nr_allocated);
	while (sim->nr_leaked)
		kfree(sim->leaked[--sim->nr_leaked]);
}

static struct sim_world *sim_world_new(u64 seed, u64 mask, unsigned int variant)
{
	struct sim_world *world = kzalloc_obj(*world,
					      GFP_KERNEL | __GFP_NOFAIL);

	world->seed = seed;
	world->mask = mask;
	world->variant = variant;
	INIT_LIST_HEAD(&world->calls);
	INIT_LIST_HEAD(&world->laters);
	init_completion(&world->done);
	init_completion(&world->closed);
	sim_program_make(&world->program, seed);
	return world;
}

/*
 * Run a seed, from a time like that of any other run, so that the seed does the
 * same.
 */
bool sim_run(u64 seed, u64 mask, unsigned int variant)
{
	bool hangs = false, failed;

	sim_threads_prepare();
	/* align to the granularity of the timer wheel for about a second */
	schedule_timeout_idle(7 - (jiffies & 7));
	sim = sim_world_new(seed, mask, variant);
	sim_schedule_begin(seed, variant);
	sim->start = jiffies;
	if (sim_make_pools()) {
		sim_make_items();
		hangs = !sim_play();
	} else {
		sim_closer_main(NULL);
	}
	if (hangs)
		sim_say_who_hangs();
	else
		sim_end();
	sim_set_default(NULL);
	sim_schedule_end();
	failed = sim->failure[0];
	strscpy(sim_last_failure, sim->failure, sizeof(sim_last_failure));
	/* a hung thread is left behind with all that can still be used */
	sim_nr_hangs += hangs;
	if (!hangs)
		kfree(sim);
	sim = NULL;
	return failed;
}
