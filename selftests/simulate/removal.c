// SPDX-License-Identifier: GPL-2.0-only
/*
 * Remove modules while their items are in the pools.
 *
 * The first pool is the default pool of this copy of the engine.  The memory,
 * or some of the functions, of some items belong to a module that is removed.
 * The functions of a module do what all others do, but have addresses of their
 * own.  The exit function of the module ensures that nothing else submits its
 * items from then on; its own functions can still do so.  The second pool, if
 * there is one, belongs to the module, and is orphaned.
 *
 * When the notifier has returned, no function of the module runs or is called
 * later, and none of its items is pending.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/notifier.h>

#include "simulate.h"

/* The functions of each module */

/* Module numbers for token pasting. */
enum { SIM_NR_0, SIM_NR_1, SIM_NR_2 };

#define SIM_MODULE_FNS(nr)						\
static int sim_item_fn_##nr(struct kpool_item *item)			\
{									\
	return sim_run_item(item, SIM_NR_##nr);				\
}									\
									\
static int sim_complete_fn_##nr(struct kpool_item *item)		\
{									\
	return sim_complete_item(item, SIM_NR_##nr);			\
}									\
									\
static void sim_dropped_fn_##nr(struct kpool_item *item, int err)	\
{									\
	sim_drop_item(item, err, SIM_NR_##nr);				\
}									\
									\
static int sim_ticket_fn_##nr(void *arg)				\
{									\
	return sim_run_ticket(arg, SIM_NR_##nr);			\
}									\
									\
static void sim_release_fn_##nr(void *arg)				\
{									\
	sim_release_ticket(arg, SIM_NR_##nr);				\
}

/* 0: functions of no module that is removed */
SIM_MODULE_FNS(0)
SIM_MODULE_FNS(1)
SIM_MODULE_FNS(2)

#define SIM_MODULE_ROW(nr)						\
	{ sim_item_fn_##nr, sim_complete_fn_##nr, sim_dropped_fn_##nr,	\
	  sim_ticket_fn_##nr, sim_release_fn_##nr }

const struct sim_functions sim_functions[SIM_MODULES + 1] = {
	SIM_MODULE_ROW(0),
	SIM_MODULE_ROW(1),
	SIM_MODULE_ROW(2),
};

/*
 * Return the functions of the item's module if that owns this part of the item,
 * or else those of module 0.
 */
const struct sim_functions *sim_functions_of(const struct sim_item *it, u8 part)
{
	const struct sim_item_spec *spec = &sim->program.item[it->nr];

	return &sim_functions[spec->own & part ? spec->module : 0];
}

/* Return the function that is called for a run of the item. */
kpool_item_fn sim_run_fn(const struct sim_item *it, bool completes)
{
	return completes ? sim_functions_of(it, SIM_OWN_COMPLETE)->complete :
			   sim_functions_of(it, SIM_OWN_FN)->fn;
}

/* Stand-ins for modules in the engine */
static struct module sim_module[SIM_MODULES + 1] = {
	[1] = { .name = "leaver1" },
	[2] = { .name = "leaver2" },
};

struct module *sim_module_address(unsigned int nr)
{
	return nr ? &sim_module[nr] : THIS_MODULE;
}

static bool sim_is_function_of(unsigned long address, unsigned int nr)
{
	const struct sim_functions *fns = &sim_functions[nr];

	return address == (unsigned long)fns->fn ||
	       address == (unsigned long)fns->complete ||
	       address == (unsigned long)fns->dropped ||
	       address == (unsigned long)fns->ticket ||
	       address == (unsigned long)fns->release;
}

static bool sim_is_memory_of(unsigned long address, unsigned int nr)
{
	int i;

	for (i = 0; i < SIM_ITEMS; i++) {
		const struct sim_item *it = &sim->item[i];

		if (sim_is_part_of(it, nr, SIM_OWN_MEMORY) &&
		    address >= (unsigned long)it &&
		    address < (unsigned long)(it + 1))
			return true;
	}
	return false;
}

/* Replace within_module(): some addresses belong to simulated modules. */
bool sim_within_module(unsigned long address, const struct module *module)
{
	unsigned int nr;

	for (nr = 1; nr <= SIM_MODULES; nr++)
		if (module == &sim_module[nr])
			return sim && (sim_is_function_of(address, nr) ||
				       sim_is_memory_of(address, nr));
	return within_module(address, module);
}

/* Return true if one of these parts of the item is in the module. */
bool sim_is_part_of(const struct sim_item *it, unsigned int nr, u8 parts)
{
	const struct sim_item_spec *spec = &sim->program.item[it->nr];

	return nr && spec->module == nr && spec->own & parts;
}

/* Return the module that the item belongs to, or NULL. */
struct sim_module *sim_module_of(const struct sim_item *it)
{
	unsigned int nr = sim->program.item[it->nr].module;

	return nr ? &sim->module[nr - 1] : NULL;
}

/* Functions that run */

/*
 * Note that a function of the module, or one that uses its memory, begins or
 * ends.
 */
void sim_module_enter(unsigned int nr)
{
	if (!nr)
		return;
	sim->module[nr - 1].inside++;
	sim_expect(!sim->module[nr - 1].gone,
		   "a function of a module is called that has gone");
}

void sim_module_leave(unsigned int nr)
{
	if (!nr)
		return;
	sim->module[nr - 1].inside--;
	/* restart the span, as the call can have been without a step */
	sim->module[nr - 1].idle.on = false;
	sim_expect(!sim->module[nr - 1].gone,
		   "a function of a module returns that has gone");
}

/*
 * Return the module whose function the item runs for @part, or whose memory
 * that uses, or 0.
 */
unsigned int sim_module_run_in(const struct sim_item *it, u8 part)
{
	unsigned int nr = sim->program.item[it->nr].module;

	return sim_is_part_of(it, nr, part | SIM_OWN_MEMORY) ? nr : 0;
}

/* Return the module of the function that the item's run calls now, or 0. */
unsigned int sim_module_of_run(const struct sim_item *it)
{
	return sim_module_run_in(it, it->completes ? SIM_OWN_COMPLETE : SIM_OWN_FN);
}

static bool sim_is_about_item(const struct sim_call *call)
{
	return sim_ops[call->op->kind].of_item || call->item == call->inside;
}

/* Return true if the call is made in a function that the removal waits for. */
bool sim_is_inside_module(const struct sim_call *call, unsigned int nr)
{
	for (; call; call = call->outer)
		if (call->inside && nr == sim_module_of_run(call->inside))
			return true;
	return false;
}

/*
 * Return true if the call must not be made, because its item's module leaves.
 */
bool sim_is_out_of_reach(const struct sim_call *call)
{
	const struct sim_module *m = sim_module_of(call->item);

	return sim_is_about_item(call) && m && m->leaves &&
	       !sim_is_inside_module(call, m - sim->module + 1);
}

/* Return the module whose function the call passes to kpool, or 0. */
unsigned int sim_module_for(const struct sim_call *call)
{
	const struct sim_op_row *row = &sim_ops[call->op->kind];
	unsigned int nr;

	if (!sim->program.nr_modules || call->op->group || !row->passes_fn)
		return 0;
	nr = 1 + call->op->item % sim->program.nr_modules;
	if (sim_is_inside_module(call, nr))
		return nr;
	/* a call that waits without limit would keep the module from leaving */
	return sim->module[nr - 1].leaves || (row->calls && row->waits) ? 0 : nr;
}

/* Steps of the removal */

/* Return the module that the thread removes, or NULL. */
static struct sim_module *sim_removal_of(const struct sim_thread *thread)
{
	int i;

	for (i = 0; i < SIM_MODULES; i++)
		if (thread && sim->module[i].remover == thread)
			return &sim->module[i];
	return NULL;
}

/* Return true if the item can be refused because its module is removed. */
bool sim_may_be_going(const struct sim_call *call, const struct sim_module *m)
{
	return m && !call->p->nr && m->begun &&
	       (!m->gone || sim_during(call, m->gone_in));
}

/* Return true if the pool must refuse the items of the module. */
bool sim_must_refuse(const struct sim_pool *p, const struct sim_module *m)
{
	return m && !p->nr && m->refused;
}

/* Return true if this step cancels the item with the others of its module. */
bool sim_is_removed(const struct sim_pool *p, const struct sim_item *it)
{
	const struct sim_module *m = sim_module_of(it);

	return m && !p->nr && m->begun && m == sim_removal_of(sim_current());
}

/* Return the module whose removal ends the pool, or NULL. */
struct sim_module *sim_owner_of(const struct sim_pool *p)
{
	return sim->program.nr_modules && p->nr ? &sim->module[0] : NULL;
}

bool sim_is_orphan(const struct sim_pool *p)
{
	return sim_owner_of(p) && sim_owner_of(p)->gone;
}

/* Return true if a run, completion or drop of the item delays a removal. */
static bool sim_goes_on(const struct sim_item *it)
{
	return it->run == SIM_BEGUN || it->run == SIM_INSIDE ||
	       it->run == SIM_DEAD || it->to_complete || it->handing ||
	       it->drops_begun || it->drops_inside;
}

/* Return true if something of the module takes time to end. */
static bool sim_is_delayed(const struct sim_module *m)
{
	int i;

	if (m->inside || sim->program.may_die || sim->program.two_pools)
		return true;
	for (i = 0; i < SIM_ITEMS; i++)
		if (sim_module_of(&sim->item[i]) == m &&
		    sim_goes_on(&sim->item[i]))
			return true;
	return false;
}

/*
 * Check that only functions of the module, and jobs to be completed, delay its
 * removal.
 */
void sim_judge_removals(void)
{
	int i;

	for (i = 0; i < SIM_MODULES; i++) {
		struct sim_module *m = &sim->module[i];

		sim_judge_span(&m->idle, m->begun && !m->gone && !sim_is_delayed(m),
			       "a module is removed of which nothing is left");
	}
}

/*
 * Note a step of a removal.  From its first step on, the pool must refuse items
 * of the module.
 */
void sim_note_removal(struct sim_pool *p, u64 cancelled)
{
	struct sim_module *m = sim_removal_of(sim_current());

	if (!m || !m->begun || p->nr)
		return;
	m->refused = true;
	/* cancelled items are counted one by one: the rest are functions */
	m->taken += cancelled;
}

static void sim_judge_left(const struct sim_item *it, unsigned int nr)
{
	const struct sim_item_view *v = it->at ? &it->at->view.item[it->nr] : NULL;
	bool runs = it->run == SIM_BEGUN || it->run == SIM_INSIDE;

	sim_expect(!v || !v->here || v->place == SIM_IDLE ||
		   v->place == SIM_KEPT || v->place == SIM_FINISHED,
		   "item %d of a module that has gone is %s", it->nr,
		   v ? sim_place_name(v->place) : "");
	sim_expect(!runs || it->handing ||
		   nr != sim_module_of_run(it),
		   "item %d of a module that has gone runs", it->nr);
	sim_expect(!(it->to_complete || (runs && !it->completes)) ||
		   nr != sim_module_run_in(it, SIM_OWN_COMPLETE),
		   "item %d of a module that has gone is to be completed",
		   it->nr);
	sim_expect(!(it->drops_begun || it->drops_inside) ||
		   nr != sim_module_run_in(it, SIM_OWN_DROPPED),
		   "item %d of a module that has gone is dropped", it->nr);
}

/* Check that nothing of the module is left once the notifier has returned. */
static void sim_judge_gone(struct sim_module *m, unsigned int nr)
{
	int i;

	m->gone = true;
	m->gone_in = sim->step;
	sim_expect(!m->inside, "a module has gone, but %u of its functions run",
		   m->inside);
	for (i = 0; i < SIM_ITEMS; i++)
		if (sim_module_of(&sim->item[i]) == m)
			sim_judge_left(&sim->item[i], nr);
}

/* Create a pool of the module whose function makes the call. */
void sim_leave_pool(const struct sim_call *call)
{
	unsigned int nr = sim->program.item[call->inside->nr].module;
	struct sim_module *m = nr ? &sim->module[nr - 1] : NULL;
	struct kpool *pool;

	if (!m || m->pool || !sim_is_inside_module(call, nr))
		return;
	pool = sim_pool_of_name(sim_module_address(nr), NULL, SIM_POOLS + nr);
	if (!IS_ERR(pool))
		m->pool = pool;
}

/* Check that a pool created by the module's items was closed with it. */
static void sim_judge_pool(const struct sim_module *m)
{
	if (m->pool)
		sim_expect(kpool_pause(m->pool) == -ESHUTDOWN,
			   "a module has gone, but a pool of it is open");
}

/* Check that the name of the module's pool is free once the module has gone. */
static void sim_judge_name(const struct sim_module *m)
{
	struct sim_pool *p = &sim->pool[1];
	struct kpool *pool;

	if (!p->pool || sim_owner_of(p) != m || p->destroyed)
		return;
	sim_expect(p->view.stats.closed && !p->view.stats.alive,
		   "a pool is orphaned with %llu workers", p->view.stats.alive);
	pool = sim_pool_of_name(sim_module_address(0), NULL, p->nr);
	sim_expect(!IS_ERR(pool) || PTR_ERR(pool) != -EEXIST,
		   "the name of a pool that has gone is taken");
	if (!IS_ERR(pool))
		kpool_destroy(pool);
}

static bool sim_passes(const struct sim_call *call, unsigned int nr)
{
	return call->ticket && call->ticket->module == nr;
}

/*
 * Return true if a thread outside of the module is in a call with its item or
 * function.
 */
static bool sim_is_used(unsigned int nr)
{
	const struct sim_call *call;

	list_for_each_entry(call, &sim->calls, node)
		if (!sim_is_inside_module(call, nr) &&
		    (sim_passes(call, nr) ||
		     (sim_is_about_item(call) &&
		      sim_module_of(call->item) == &sim->module[nr - 1])))
			return true;
	return false;
}

/*
 * Return true if a thread has called a function of the module, and waits for
 * it.
 */
static bool sim_is_called(unsigned int nr)
{
	const struct sim_call *call;

	list_for_each_entry(call, &sim->calls, node)
		if (!sim_is_inside_module(call, nr) &&
		    sim_passes(call, nr) &&
		    sim_ops[call->op->kind].calls)
			return true;
	return false;
}

/*
 * Run the module's exit function, and then the notifier.  Threads that sleep in
 * kpool with an item of the module can stay there.  After a tick no other
 * thread is in a call.
 */
static int sim_remover_main(void *data)
{
	unsigned int nr = (unsigned long)data;
	struct sim_module *m = &sim->module[nr - 1];

	if (sim->program.leave_after[nr - 1])
		schedule_timeout_idle(sim->program.leave_after[nr - 1]);
	sim_point();
	m->leaves = true;
	if (sim_is_used(nr))
		schedule_timeout_idle(1);
	while (sim_is_called(nr))
		schedule_timeout_idle(1);
	sim_trace("module %u is removed\n", nr);
	m->begun = true;
	sim_point();
	kpool_module_event(NULL, MODULE_STATE_GOING, sim_module_address(nr));
	sim_trace("module %u has gone\n", nr);
	sim_judge_gone(m, nr);
	sim_judge_pool(m);
	sim_judge_name(m);
	complete(&m->removed);
	if (!--sim->nr_at_work)
		complete(&sim->done);
	return 0;
}

void sim_start_removers(void)
{
	unsigned int i;

	for (i = 0; i < sim->program.nr_modules; i++) {
		struct sim_module *m = &sim->module[i];

		init_completion(&m->removed);
		m->remover = sim_thread_new("remover", i, sim_remover_main,
					    (void *)(i + 1ul));
		sim->nr_at_work++;
		sim_thread_go(m->remover);
	}
}

/*
 * Wait for the removers.  The default pool stays until then: their waits need
 * room.
 */
void sim_wait_removers(void)
{
	int i;

	if (!sim->program.nr_modules)
		return;
	if (sim->pool[0].pool)
		kpool_shutdown(sim->pool[0].pool);
	for (i = 0; i < SIM_MODULES; i++) {
		if (!sim->module[i].remover)
			continue;
		wait_for_completion(&sim->module[i].removed);
		if (sim->module[i].pool)
			sim_free_orphan(sim->module[i].pool);
	}
	sim_set_default(NULL);
}

void sim_end_removers(void)
{
	int i;

	for (i = 0; i < SIM_MODULES; i++)
		if (sim->module[i].remover)
			sim_thread_end(sim->module[i].remover);
}
