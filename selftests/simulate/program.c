// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generate the operations of the clients from a seed.  A program depends on the
 * seed alone, so that leaving out operations changes nothing else in it.  All
 * times are below 64 ticks, where the timer wheel is exact: a seed then does
 * the same regardless of earlier runs.
 */
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "simulate.h"

static struct rnd_state program_rnd;

static u32 program_random(u32 n)
{
	return prandom_u32_state(&program_rnd) % n;
}

static bool chance(u32 percent)
{
	return program_random(100) < percent;
}

#define one_of(...)							\
({									\
	static const int __of[] = { __VA_ARGS__ };			\
									\
	__of[program_random(ARRAY_SIZE(__of))];					\
})

/*
 * Choose a value of an attribute, as for kpool_tune(); some contradict others.
 */
static int sim_attr_value(enum kpool_tunable tunable)
{
	switch (tunable) {
	case KPOOL_TUNE_CAPACITY:
		return one_of(1, 1, 1, 2, 2, 2, 3, 4, KPOOL_UNLIMITED);
	case KPOOL_TUNE_MIN_WORKERS:
		return one_of(KPOOL_NONE, KPOOL_NONE, KPOOL_NONE, 1, 2);
	case KPOOL_TUNE_QUEUE_DEPTH:
		return one_of(KPOOL_NONE, KPOOL_NONE, KPOOL_NONE, 1, 1, 2, 3,
			      KPOOL_UNLIMITED);
	case KPOOL_TUNE_MAX_BLOCKED:
		return one_of(KPOOL_UNLIMITED, KPOOL_UNLIMITED, 1, 2);
	case KPOOL_TUNE_NONBLOCKING:
		return one_of(KPOOL_NONE, KPOOL_NONE, KPOOL_NONE, 1);
	case KPOOL_TUNE_EXPIRY_MS:
		return one_of(10, 20, 30, 50, 100, KPOOL_NO_PURGE,
			      KPOOL_NO_PURGE);
	case KPOOL_TUNE_WHEN_FULL:
		return one_of(KPOOL_FULL_WAIT, KPOOL_FULL_WAIT, KPOOL_FULL_WAIT,
			      KPOOL_FULL_CALLER_RUNS, KPOOL_FULL_DROP_OLDEST);
	default:
		return 0;
	}
}

static int sim_some_tunable(void)
{
	return one_of(KPOOL_TUNE_CAPACITY, KPOOL_TUNE_CAPACITY, KPOOL_TUNE_CAPACITY,
		      KPOOL_TUNE_MIN_WORKERS, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_TUNE_QUEUE_DEPTH,
		      KPOOL_TUNE_MAX_BLOCKED, KPOOL_TUNE_NONBLOCKING, KPOOL_TUNE_EXPIRY_MS,
		      KPOOL_TUNE_WHEN_FULL);
}

static void sim_make_attrs(struct sim_program *program,
			   struct kpool_attrs *attrs)
{
	*attrs = (struct kpool_attrs) {
		.capacity	= sim_attr_value(KPOOL_TUNE_CAPACITY),
		.min_workers	= sim_attr_value(KPOOL_TUNE_MIN_WORKERS),
		.queue_depth	= sim_attr_value(KPOOL_TUNE_QUEUE_DEPTH),
		.max_blocked	= sim_attr_value(KPOOL_TUNE_MAX_BLOCKED),
		.nonblocking	= sim_attr_value(KPOOL_TUNE_NONBLOCKING),
		.expiry_ms	= sim_attr_value(KPOOL_TUNE_EXPIRY_MS),
		.when_full	= sim_attr_value(KPOOL_TUNE_WHEN_FULL),
		.fn		= sim_functions[0].ticket,
		.fault		= sim_fault,
	};
	if (program->has_init) {
		attrs->worker_init = sim_worker_init;
		attrs->worker_exit = sim_worker_exit;
	}
	if (attrs->when_full == KPOOL_FULL_CALLER_RUNS &&
	    (attrs->nonblocking == 1 || program->has_init))
		attrs->when_full = KPOOL_FULL_WAIT;
	if (attrs->min_workers > attrs->capacity)
		attrs->min_workers = attrs->capacity;
	if (attrs->min_workers > 0 && chance(40))
		attrs->flags = KPOOL_PREALLOC;
	if (attrs->min_workers > 0 && chance(20))
		attrs->flags |= KPOOL_MEM_RECLAIM;
	attrs->stall_ms = chance(5) ? 10 : KPOOL_NO_STALL;
}

static void sim_make_item(struct sim_item_spec *spec, bool plain)
{
	*spec = (struct sim_item_spec) {
		.group = -1, .again = program_random(3),
	};
	spec->drop_sleeps = chance(20);
	if (plain)
		return;
	spec->priority = one_of(KPOOL_PRIO_NORMAL, KPOOL_PRIO_NORMAL, KPOOL_PRIO_NORMAL,
				KPOOL_PRIO_HIGH, KPOOL_PRIO_LOW);
	spec->weight = one_of(0, 0, 0, 0, 1, 2, 3);
	spec->job = chance(60);
	if (!spec->job)
		return;
	spec->group = one_of(-1, -1, 0, 1);
	spec->stream = chance(25) ? SIM_PLAIN_STREAM : SIM_NO_STREAM;
	spec->deadline = one_of(0, 0, 0, 0, 1, 3);
}

static u8 sim_some_kind(bool body)
{
	unsigned int i, sum = 0, at;

	for (i = 1; i < sim_nr_ops; i++)
		sum += body ? sim_ops[i].body : sim_ops[i].client;
	at = program_random(sum);
	for (i = 1; i < sim_nr_ops; i++) {
		unsigned int weight = body ? sim_ops[i].body :
					     sim_ops[i].client;

		if (at < weight)
			break;
		at -= weight;
	}
	return i;
}

static void sim_make_op(struct sim_op *op, bool body, bool two_pools)
{
	op->kind = sim_some_kind(body);
	op->pool = two_pools && chance(40);
	op->item = program_random(SIM_ITEMS);
	op->group = program_random(SIM_GROUPS);
	op->ticks = one_of(0, 0, 1, 1, 2, 3, 5);
	op->tunable = sim_some_tunable();
	op->value = sim_attr_value(op->tunable);
}

static void sim_make_ops(struct sim_program *program)
{
	unsigned int clients = 2 + program_random(SIM_CLIENTS - 1), c, i, nr;

	program->two_pools = chance(25);
	for (c = 0; c < clients; c++) {
		nr = 3 + program_random(SIM_CLIENT_OPS - 2);
		for (i = 0; i < nr; i++)
			sim_make_op(&program->op[c * SIM_CLIENT_OPS + i], false,
				    program->two_pools);
	}
	for (i = SIM_CLIENTS * SIM_CLIENT_OPS; i < SIM_OPS; i++)
		if (chance(60))
			sim_make_op(&program->op[i], true, false);
}

static u8 sim_kind(const char *name)
{
	unsigned int i;

	for (i = 1; i < sim_nr_ops; i++)
		if (!strcmp(sim_ops[i].name, name))
			break;
	return i;
}

/* Make delayed jobs of a stream that wait for each other: rare by chance. */
static void sim_make_entangled(struct sim_program *program)
{
	u8 delayed = sim_kind("delayed"), flush = sim_kind("flush_item");
	int i;

	for (i = 0; i < SIM_ITEMS; i++) {
		program->item[i].job = true;
		program->item[i].stream = chance(60) ? SIM_PLAIN_STREAM :
						       SIM_NO_STREAM;
		program->item[i].deadline = 0;
	}
	for (i = 0; i < SIM_OPS; i++) {
		bool body = i >= SIM_CLIENTS * SIM_CLIENT_OPS;

		if (program->op[i].kind && chance(40))
			program->op[i].kind = body ? flush : delayed;
	}
}

/*
 * Make most items jobs of an ordered stream: it takes several to be out of
 * order.
 */
static void sim_make_ordered(struct sim_program *program)
{
	int i;

	for (i = 0; i < SIM_ITEMS; i++) {
		struct sim_item_spec *spec = &program->item[i];

		if (chance(25))
			continue;
		if (!spec->job)
			spec->group = one_of(-1, -1, 0, 1);
		spec->job = true;
		spec->stream = SIM_ORDERED_STREAM;
	}
}

/*
 * Make many jobs with only a group or a deadline.  Only in groups of several
 * jobs can one end without the lock.
 */
static void sim_make_grouped(struct sim_program *program)
{
	u8 submit = sim_kind("submit");
	int i;

	for (i = 0; i < SIM_ITEMS; i++)
		program->item[i] = (struct sim_item_spec) {
			.again		= program->item[i].again,
			.drop_sleeps	= program->item[i].drop_sleeps,
			.job		= chance(90),
			.group		= one_of(-1, 0, 0, 0, 1),
			.deadline	= one_of(0, 0, 0, 0, 1, 3),
		};
	for (i = 0; i < SIM_GROUPS; i++)
		if (chance(80))
			program->group_flags[i] &= ~KPOOL_GROUP_COLLECT;
	for (i = 0; i < SIM_CLIENTS * SIM_CLIENT_OPS; i++)
		if (program->op[i].kind && chance(40))
			program->op[i].kind = submit;
}

/*
 * Make more plain items, and jobs with a deadline, than a small pool has units,
 * and change these.  Most items start without the lock.
 */
static void sim_make_fast(struct sim_program *program)
{
	u8 submit = sim_kind("submit"), tune = sim_kind("tune");
	u8 fail = sim_kind("fail"), sleep = sim_kind("sleep");
	int i;

	program->attrs[0].capacity = one_of(1, 2, 3, 4);
	program->attrs[0].min_workers = KPOOL_NONE;
	program->attrs[0].queue_depth = KPOOL_UNLIMITED;
	program->attrs[0].when_full = KPOOL_FULL_WAIT;
	program->attrs[0].flags = 0;
	for (i = 0; i < SIM_ITEMS; i++) {
		program->item[i] = (struct sim_item_spec) {
			.again		= program->item[i].again,
			.job		= chance(40),
			.group		= -1,
		};
		if (program->item[i].job)
			program->item[i].deadline = one_of(0, 1, 3, 5);
	}
	for (i = 0; i < SIM_OPS; i++) {
		struct sim_op *op = &program->op[i];

		if (i >= SIM_CLIENTS * SIM_CLIENT_OPS) {
			if (chance(40))
				op->kind = chance(30) ? fail : sleep;
		} else if (op->kind && chance(70)) {
			op->pool = 0;
			op->kind = chance(80) ? submit : tune;
			op->tunable = KPOOL_TUNE_CAPACITY;
			op->value = one_of(1, 1, 2, 3);
		}
	}
}

/*
 * Make a pool vulnerable to deaths: few workers, or submitters that run items.
 */
static void sim_make_mortal(struct sim_program *program, struct kpool_attrs *attrs)
{
	attrs->worker_init = program->has_init ? sim_worker_init : NULL;
	attrs->worker_exit = program->has_init ? sim_worker_exit : NULL;
	if (program->has_init && attrs->when_full == KPOOL_FULL_CALLER_RUNS)
		attrs->when_full = KPOOL_FULL_WAIT;
	if (!program->has_init && attrs->nonblocking != 1 && chance(40))
		attrs->when_full = KPOOL_FULL_CALLER_RUNS;
	if (chance(50)) {
		attrs->min_workers = min(attrs->capacity, one_of(1, 1, 2));
		attrs->flags = one_of(KPOOL_PREALLOC, KPOOL_MEM_RECLAIM);
	}
	/* the watchdog checks eight times in stall_ms, or once a second */
	attrs->stall_ms = one_of(10, 10, 400, KPOOL_NO_STALL);
}

/* Let threads die anywhere in a client's function. */
static void sim_make_deadly(struct sim_program *program)
{
	u8 die = sim_kind("die"), fail = sim_kind("fail"), call = sim_kind("call_timeout");
	int i;

	program->may_die = true;
	program->is_deadly = true;
	for (i = 0; i < SIM_NR_DEADLY; i++)
		program->deadly[i] = chance(40) ? one_of(20, 40, 80) : 0;
	program->memory_fails = chance(40) ? 25 : 0;
	program->thread_fails = chance(40) ? 30 : 0;
	program->has_init = chance(40);
	sim_make_mortal(program, &program->attrs[0]);
	program->two_pools = false;
	for (i = 0; i < SIM_OPS; i++) {
		struct sim_op *op = &program->op[i];

		op->pool = 0;
		if (i < SIM_CLIENTS * SIM_CLIENT_OPS && op->kind && chance(12))
			op->kind = call;
		else if (i >= SIM_CLIENTS * SIM_CLIENT_OPS && chance(25))
			op->kind = chance(60) ? die : fail;
	}
}

/*
 * Make items of a small pool call functions, with or without a free unit.  A
 * wait that was refused can find that the function has started.
 */
static void sim_make_calling(struct sim_program *program)
{
	u8 tune = sim_kind("tune"), call = sim_kind("call"), submit = sim_kind("submit");
	int i;

	program->attrs[0].capacity = one_of(1, 2, 2, 3);
	program->attrs[0].min_workers = KPOOL_NONE;
	program->attrs[0].flags = 0;
	program->attrs[0].queue_depth = one_of(1, 2, 3, KPOOL_UNLIMITED);
	for (i = 0; i < SIM_OPS; i++) {
		struct sim_op *op = &program->op[i];

		if (i >= SIM_CLIENTS * SIM_CLIENT_OPS) {
			if (op->kind && chance(60))
				op->kind = call;
		} else if (op->kind && chance(60)) {
			op->pool = 0;
			op->kind = chance(60) ? tune : submit;
			op->tunable = KPOOL_TUNE_CAPACITY;
			op->value = one_of(1, 1, 2, 3);
		}
	}
}

/*
 * Make items that hand themselves over, while both pools accept others without
 * the lock, and clients cancel and flush those items.
 */
static void sim_make_crossing(struct sim_program *program)
{
	u8 itself = sim_kind("itself"), submit = sim_kind("submit");
	int i;

	program->two_pools = true;
	for (i = 0; i < SIM_POOLS; i++) {
		program->attrs[i].min_workers = KPOOL_NONE;
		program->attrs[i].flags = 0;
		program->attrs[i].capacity = one_of(1, 2, 2, 3);
		program->attrs[i].queue_depth = one_of(KPOOL_NONE, 1, 3, KPOOL_UNLIMITED,
						       KPOOL_UNLIMITED);
	}
	for (i = 0; i < SIM_ITEMS; i++)
		program->item[i] = (struct sim_item_spec) {
			.again		= 1 + program_random(4),
			.drop_sleeps	= program->item[i].drop_sleeps,
			.job		= chance(30),
			.group		= -1,
		};
	for (i = 0; i < SIM_OPS; i++) {
		struct sim_op *op = &program->op[i];

		if (i >= SIM_CLIENTS * SIM_CLIENT_OPS) {
			if (op->kind && chance(60)) {
				op->kind = itself;
				op->group = chance(80);
			}
		} else if (op->kind) {
			op->pool = program_random(SIM_POOLS);
			if (chance(50))
				op->kind = submit;
		}
	}
}

/* Make ordered jobs that wait for each other when they are completed. */
static void sim_make_completing(struct sim_program *program)
{
	u8 flush = sim_kind("flush_item"), sleep = sim_kind("sleep");
	int i;

	program->attrs[0].capacity = one_of(2, 2, 3, 4);
	for (i = SIM_CLIENTS * SIM_CLIENT_OPS; i < SIM_OPS; i++)
		if (chance(60))
			program->op[i].kind = i % SIM_BODY_OPS ? flush : sleep;
}

/*
 * Remove modules while their items are pending or run.  A removal does not
 * handle the module's items in a pool of another owner.  So a second pool
 * belongs to the module.
 */
static void sim_make_leaving(struct sim_program *program)
{
	const int all = SIM_OWN_MEMORY | SIM_OWN_FN | SIM_OWN_DROPPED |
			SIM_OWN_COMPLETE;
	int i;

	if (chance(40))
		sim_make_ordered(program);
	if (chance(20))
		sim_make_entangled(program);
	program->nr_modules = program->two_pools || chance(70) ? 1 : SIM_MODULES;
	program->ends_orphan = chance(30);
	for (i = SIM_CLIENTS * SIM_CLIENT_OPS; i < SIM_OPS; i++)
		if (program->op[i].kind && chance(4))
			program->op[i].kind = sim_kind("create");
	for (i = 0; i < SIM_MODULES; i++)
		program->leave_after[i] = one_of(0, 0, 0, 1, 1, 2, 3);
	for (i = 0; i < SIM_ITEMS; i++) {
		struct sim_item_spec *spec = &program->item[i];

		spec->again += program_random(3);
		if (chance(30))
			continue;
		spec->module = 1 + program_random(program->nr_modules);
		spec->own = one_of(all, all, all, SIM_OWN_FN, SIM_OWN_MEMORY,
				   SIM_OWN_DROPPED, SIM_OWN_COMPLETE,
				   SIM_OWN_FN | SIM_OWN_COMPLETE);
		if (spec->stream != SIM_ORDERED_STREAM)
			spec->own &= ~SIM_OWN_COMPLETE;
		if (!spec->own)
			spec->module = 0;
	}
}

void sim_program_make(struct sim_program *program, u64 seed)
{
	bool plain;
	int i;

	memset(program, 0, sizeof(*program));
	prandom_seed_state(&program_rnd, seed * 0xda942042e4dd58b5ull + 11);
	plain = chance(30);
	program->has_init = chance(20);
	program->thread_fails = chance(15) ? 30 : 0;
	program->init_fails = chance(30) ? 30 : 0;
	program->may_die = chance(15);
	/* after a death the watchdog retries allocations, which takes long */
	program->memory_fails = seed % 16 == 9 && !program->may_die ? 25 : 0;
	program->nested_groups = chance(40);
	program->end_after = chance(50) ? 1 + program_random(8) : 0;
	for (i = 0; i < SIM_POOLS; i++)
		sim_make_attrs(program, &program->attrs[i]);
	for (i = 0; i < SIM_POOLS; i++)
		program->attrs[i].room = seed % 3 ? sim_room : NULL;
	for (i = 0; i < SIM_ITEMS; i++)
		sim_make_item(&program->item[i], plain);
	for (i = 0; i < SIM_GROUPS; i++)
		program->group_flags[i] = one_of(0, 0, KPOOL_GROUP_FAIL_FAST,
						 KPOOL_GROUP_COLLECT,
						 KPOOL_GROUP_FAIL_FAST |
						 KPOOL_GROUP_COLLECT);
	sim_make_ops(program);
	if (seed % 8 == 5)
		sim_make_entangled(program);
	if (seed % 8 == 2 || seed % 8 == 7 || seed % 16 == 13 ||
	    seed % 16 == 12 || seed % 16 == 14)
		sim_make_ordered(program);
	if (seed % 16 == 3)
		sim_make_grouped(program);
	if (seed % 16 == 4)
		sim_make_calling(program);
	if (seed % 32 == 16)
		sim_make_fast(program);
	if (seed % 32 == 0)
		sim_make_crossing(program);
	if (seed % 16 == 12)
		sim_make_completing(program);
	if (seed % 16 == 6 || seed % 16 == 11 || seed % 16 == 14)
		sim_make_deadly(program);
	if (seed % 16 == 1 || seed % 16 == 8)
		sim_make_leaving(program);
}

/* Return a mask of the operations that the program has. */
u64 sim_program_mask(const struct sim_program *program)
{
	u64 mask = 0;
	int i;

	for (i = 0; i < SIM_OPS; i++)
		if (program->op[i].kind)
			mask |= BIT_ULL(i);
	return mask;
}
