// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations, as parameters.  "list" names them with what their n counts,
 * and writing "NAME N" to "run" runs one.  "result" tells in instructions how
 * long the longest hold was, how long the longest before and after the
 * measurement, and the cost of one operation.  Then it tells where the first
 * began and ended.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/string.h>

#include "clock.h"
#include "holds.h"

static const struct holds_operation *const tables[] = {
	holds_items, holds_odd, holds_chains, holds_delayed, holds_sleepers, holds_workers,
	holds_gone_by,
};

static const char *const kinds[] = {
	[HOLDS_ONE] = "one",
	[HOLDS_ITEMS] = "items",
	[HOLDS_GROUPS] = "groups",
	[HOLDS_SLEEPERS] = "sleepers",
	[HOLDS_WORKERS] = "workers",
};

static struct {
	u64 since;
	u64 outside;
	u64 inside;
	u64 cost;
	unsigned long from, to;
} result;

/* Begin to measure: all before was preparation. */
void holds_measure(void)
{
	result.outside = max(result.outside, holds_reset());
	result.since = ktime_get_ns();
}

/* End the measurement of so many operations; 0 if time had to pass. */
void holds_measured(unsigned int nr_operations)
{
	if (nr_operations)
		result.cost = div_u64(ktime_get_ns() - result.since,
				      nr_operations);
	result.from = holds_clock.longest_from;
	result.to = holds_clock.longest_to;
	result.inside = holds_reset();
}

static const struct holds_operation *find(const char *name)
{
	const struct holds_operation *operation;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (operation = tables[i]; operation->name; operation++)
			if (!strcmp(operation->name, name))
				return operation;
	return NULL;
}

static int run_set(const char *val, const struct kernel_param *kp)
{
	const struct holds_operation *operation;
	static bool calibrated;
	unsigned int n;
	char name[32];

	if (sscanf(val, "%31s %u", name, &n) != 2 || !n)
		return -EINVAL;
	operation = find(name);
	if (!operation)
		return -ENOENT;
	if (!calibrated) {
		holds_calibrate();
		/* threads that call are never stopped */
		__module_get(THIS_MODULE);
		calibrated = true;
	}
	memset(&result, 0, sizeof(result));
	holds_reset();
	operation->run(n);
	result.outside = max(result.outside, holds_reset());
	return 0;
}

static int result_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%llu %llu %llu %ps %ps\n",
			 result.inside, result.outside, result.cost,
			 (void *)result.from, (void *)result.to);
}

static int list_get(char *buffer, const struct kernel_param *kp)
{
	const struct holds_operation *operation;
	unsigned int i;
	int used = 0;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (operation = tables[i]; operation->name; operation++)
			used += scnprintf(buffer + used, PAGE_SIZE - used,
					  "%s %s\n", operation->name,
					  kinds[operation->kind]);
	return used;
}

static const struct kernel_param_ops run_ops = { .set = run_set };
static const struct kernel_param_ops result_ops = { .get = result_get };
static const struct kernel_param_ops list_ops = { .get = list_get };

module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "an operation and its n");
module_param_cb(result, &result_ops, NULL, 0400);
MODULE_PARM_DESC(result, "of the last one");
module_param_cb(list, &list_ops, NULL, 0400);
MODULE_PARM_DESC(list, "the operations");
