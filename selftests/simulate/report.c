// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run many seeds, and report those that fail in a file of debugfs, because the
 * console is slow.  At a panic, the end of the report goes to the log.
 *
 * Writing to the parameter "run" tries "seeds" seeds from "first" on, and fails
 * if one of them does.  A failing seed is shrunk, unless "shrink" is 0, and run
 * once more with a trace.  "mask" and "variant" select a run of it.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/panic_notifier.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include "simulate.h"

#define SIM_REPORT_SIZE	SZ_1M
#define SIM_PANIC_TAIL	6000

static u64 first = 1;
module_param(first, ullong, 0600);
MODULE_PARM_DESC(first, "the first seed");
static u64 seeds = 1000;
module_param(seeds, ullong, 0600);
MODULE_PARM_DESC(seeds, "how many");
static u64 mask = U64_MAX;
module_param(mask, ullong, 0600);
MODULE_PARM_DESC(mask, "which operations of the program");
static unsigned int variant;
module_param(variant, uint, 0600);
MODULE_PARM_DESC(variant, "which schedule of the seed");
static bool shrink = true;
module_param(shrink, bool, 0600);
MODULE_PARM_DESC(shrink, "look for the fewest operations that fail");
static bool again;
module_param(again, bool, 0600);
MODULE_PARM_DESC(again, "it is known to fail: go on shrinking it");
static bool trace;
module_param(trace, bool, 0600);
MODULE_PARM_DESC(trace, "print what is done, also if nothing fails");

bool sim_tracing;
static struct debugfs_blob_wrapper sim_report;
static struct dentry *sim_report_file;

void sim_print(const char *fmt, ...)
{
	char *text = sim_report.data;
	va_list args;

	if (!text)
		return;
	va_start(args, fmt);
	sim_report.size += vscnprintf(text + sim_report.size,
				      SIM_REPORT_SIZE - sim_report.size, fmt,
				      args);
	va_end(args);
}

void sim_trace(const char *fmt, ...)
{
	char *text = sim_report.data;
	va_list args;

	if (!sim_tracing)
		return;
	sim_print("  [%lu.%04u] ", jiffies - sim->start, sim->step);
	va_start(args, fmt);
	sim_report.size += vscnprintf(text + sim_report.size,
				      SIM_REPORT_SIZE - sim_report.size, fmt,
				      args);
	va_end(args);
}

/* The program */

static void sim_print_attrs(const struct kpool_attrs *attrs, int nr)
{
	sim_print("pool %d: capacity %d min_workers %d queue_depth %d max_blocked %d",
		  nr, attrs->capacity, attrs->min_workers, attrs->queue_depth,
		  attrs->max_blocked);
	sim_print(" nonblocking %d expiry_ms %d when_full %d flags %u%s%s\n",
		  attrs->nonblocking, attrs->expiry_ms, attrs->when_full,
		  attrs->flags, attrs->worker_init ? " worker_init" : "",
		  attrs->room ? " room" : "");
}

static void sim_print_item(const struct sim_item_spec *spec, int nr)
{
	static const char *const priorities[] = { "normal", "high", "low" };
	static const char *const streams[] = { "", " stream", " ordered" };

	sim_print("item %d: %s %s weight %d group %d%s deadline %d again %d",
		  nr, spec->job ? "job" : "plain", priorities[spec->priority],
		  max_t(int, spec->weight, 1), spec->group,
		  streams[spec->stream], spec->deadline, spec->again);
	if (spec->module)
		sim_print(" of module %d:%s%s%s%s", spec->module,
			  spec->own & SIM_OWN_MEMORY ? " memory" : "",
			  spec->own & SIM_OWN_FN ? " fn" : "",
			  spec->own & SIM_OWN_DROPPED ? " dropped" : "",
			  spec->own & SIM_OWN_COMPLETE ? " complete" : "");
	sim_print("\n");
}

static void sim_print_op(const struct sim_op *op, int nr)
{
	int body = nr - SIM_CLIENTS * SIM_CLIENT_OPS;

	if (body < 0)
		sim_print("client %d: ", nr / SIM_CLIENT_OPS);
	else
		sim_print("item %d does: ", body / SIM_BODY_OPS);
	sim_print("%s pool %d item %d group %d ticks %d tunable %d value %d\n",
		  sim_ops[op->kind].name, op->pool, op->item, op->group,
		  op->ticks, op->tunable, op->value);
}

static void sim_print_program(u64 seed, u64 ops)
{
	static struct sim_program program;
	int i;

	sim_program_make(&program, seed);
	for (i = 0; i <= program.two_pools; i++)
		sim_print_attrs(&program.attrs[i], i);
	for (i = 0; i < SIM_ITEMS; i++)
		sim_print_item(&program.item[i], i);
	sim_print("groups: flags %u and %u%s\n", program.group_flags[0],
		  program.group_flags[1],
		  program.nested_groups ? ", the second in the first" : "");
	sim_print("threads fail %d%%, worker_init fails %d%%, memory fails %d%%\n",
		  program.thread_fails, program.init_fails, program.memory_fails);
	sim_print("the end comes after %d ticks%s\n", program.end_after,
		  program.may_die ? ", items may die" : "");
	if (program.is_deadly)
		for (i = 0; i < SIM_NR_DEADLY; i++)
			sim_print("%s %d%%%s", i ? "," : "threads may die, too:",
				  program.deadly[i], i == SIM_NR_DEADLY - 1 ? "\n" : "");
	for (i = 0; i < program.nr_modules; i++)
		sim_print("module %d leaves after %d ticks\n", i + 1,
			  program.leave_after[i]);
	for (i = 0; i < SIM_OPS; i++)
		if (program.op[i].kind && (ops & BIT_ULL(i)))
			sim_print_op(&program.op[i], i);
}

static u64 sim_ops_of(u64 seed)
{
	static struct sim_program program;

	sim_program_make(&program, seed);
	return sim_program_mask(&program) & mask;
}

/* Print the program, and a trace of its run. */
static void sim_show(u64 seed, u64 ops, unsigned int which)
{
	sim_print_program(seed, ops);
	sim_tracing = true;
	sim_run(seed, ops, which);
	sim_tracing = false;
}

static void sim_report_failure(u64 seed)
{
	u64 ops = sim_ops_of(seed);
	unsigned int which = variant;

	sim_print("seed %llu: %s\n", seed, sim_last_failure);
	if (shrink)
		ops = sim_shrink(seed, ops, &which);
	sim_print("seed %llu fails with %u operations: FIRST=%llu SEEDS=1 MASK=0x%llx VARIANT=%u\n",
		  seed, (unsigned int)hweight64(ops), seed, ops, which);
	sim_show(seed, ops, which);
	sim_print("seed %llu ends: %s\n", seed, sim_last_failure);
}

static int sim_try_all(void)
{
	u64 seed;

	sim_report.size = 0;
	if (again) {
		sim_report_failure(first);
		return -EPROTO;
	}
	for (seed = first; seed < first + seeds; seed++) {
		if (trace)
			sim_show(seed, sim_ops_of(seed), variant);
		else
			sim_run(seed, mask, variant);
		if (!sim_last_failure[0])
			continue;
		sim_report_failure(seed);
		return -EPROTO;
	}
	sim_print("%llu seeds from %llu: %llu points\n", seeds, first,
		  sim_points());
	return 0;
}

/* Log the end of the report, which can no longer be read. */
static void sim_panic_tail(void)
{
	char *text = sim_report.data, *line;

	text[sim_report.size] = '\0';
	if (sim_report.size > SIM_PANIC_TAIL)
		text += sim_report.size - SIM_PANIC_TAIL;
	while ((line = strsep(&text, "\n")))
		pr_emerg("simulate: %s\n", line);
}

/* Log at a panic in which run it was. */
static int sim_panics(struct notifier_block *nb, unsigned long event, void *data)
{
	if (!sim)
		return NOTIFY_DONE;
	if (sim_tracing)
		sim_panic_tail();
	pr_emerg("simulate: panic in FIRST=%llu SEEDS=1 MASK=0x%llx VARIANT=%u %s\n",
		 sim->seed, sim->mask, sim->variant, sim->failure);
	return NOTIFY_DONE;
}

static struct notifier_block sim_panic_nb = {
	.notifier_call	= sim_panics,
	/* run before the notifier of user mode Linux, which exits */
	.priority	= INT_MAX,
};

static int sim_run_set(const char *val, const struct kernel_param *kp)
{
	int err;

	if (!sim_report.data) {
		sim_report.data = vzalloc(SIM_REPORT_SIZE);
		sim_report_file = debugfs_create_blob("kpool_simulate", 0400,
						      NULL, &sim_report);
		atomic_notifier_chain_register(&panic_notifier_list,
					       &sim_panic_nb);
		/* threads that hang would outlive the module */
		__module_get(THIS_MODULE);
	}
	sim_priority(current, 99);
	err = sim_try_all();
	sim_priority(current, 0);
	return err;
}

static const struct kernel_param_ops sim_run_ops = { .set = sim_run_set };

module_param_cb(run, &sim_run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "write anything to run");
