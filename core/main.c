// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load and unload kpool.ko, and define its parameters.  A module that kpool is
 * linked into has its own entry.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "internal.h"

/* Parameters */

struct kpool_param {
	const struct kpool_attr_row	*row;
	struct kpool_attrs		*attrs;
};

static int kpool_param_set(const char *text, const struct kernel_param *kp)
{
	const struct kpool_param *param = kp->arg;
	int value, err;

	err = kpool_attr_parse(param->row, text, kp->name, &value);
	if (!err)
		*kpool_attr(param->attrs, param->row) = value;
	return err;
}

static int kpool_param_get(char *buffer, const struct kernel_param *kp)
{
	const struct kpool_param *param = kp->arg;

	return kpool_attr_print(param->row,
				*kpool_attr(param->attrs, param->row), buffer,
				PAGE_SIZE);
}

static const struct kernel_param_ops kpool_param_ops = {
	.set	= kpool_param_set,
	.get	= kpool_param_get,
};

#define KPOOL_TUNABLE(_field, _id, _text, ...)				\
	static struct kpool_param kpool_param_##_field = {		\
		&kpool_attr_table[KPOOL_TUNE_##_id], &kpool_defaults	\
	};								\
	static struct kpool_param kpool_param_default_##_field = {	\
		&kpool_attr_table[KPOOL_TUNE_##_id],			\
		&kpool_default_pool_attrs				\
	};								\
	module_param_cb(_field, &kpool_param_ops,			\
			&kpool_param_##_field, 0444);			\
	MODULE_INFO(parm, #_field ":" _text);				\
	MODULE_INFO(parmtype, #_field ":int or word");			\
	module_param_cb(default_##_field, &kpool_param_ops,		\
			&kpool_param_default_##_field, 0444);		\
	MODULE_INFO(parm, "default_" #_field ":"			\
			  #_field " of the default pool");		\
	MODULE_INFO(parmtype, "default_" #_field ":int or word");
#include "tunables.h"

static struct cpumask kpool_defaults_mask, kpool_default_pool_mask;

static int kpool_cpumask_set(const char *text, const struct kernel_param *kp)
{
	struct kpool_attrs *attrs = kp->arg;
	struct cpumask *mask = attrs == &kpool_defaults ?
			       &kpool_defaults_mask : &kpool_default_pool_mask;
	/* the command line of the kernel is parsed before SMP is up */
	const struct cpumask *usable = system_state < SYSTEM_RUNNING ?
				       cpu_possible_mask : cpu_online_mask;
	/* static because of its size; parameters are set one at a time */
	static struct cpumask parsed;
	int err = kpool_cpulist_parse(text, &parsed);

	if (!err && !cpumask_intersects(&parsed, usable))
		err = -EINVAL;
	if (err) {
		pr_err("%s: bad \"%*pE\"; allowed: a list of CPUs, one of them online\n",
		       kp->name, (int)strnlen(text, 32), text);
		return err;
	}
	cpumask_copy(mask, &parsed);
	attrs->cpumask = sysfs_streq(text, "all") ? cpu_all_mask : mask;
	return 0;
}

static int kpool_cpumask_get(char *buffer, const struct kernel_param *kp)
{
	const struct kpool_attrs *attrs = kp->arg;

	if (!attrs->cpumask)
		return scnprintf(buffer, PAGE_SIZE, "all\n");
	return scnprintf(buffer, PAGE_SIZE, "%*pbl\n",
			 cpumask_pr_args(attrs->cpumask));
}

static const struct kernel_param_ops kpool_cpumask_ops = {
	.set	= kpool_cpumask_set,
	.get	= kpool_cpumask_get,
};

module_param_cb(cpumask, &kpool_cpumask_ops, &kpool_defaults, 0444);
MODULE_PARM_DESC(cpumask, "CPUs that the workers can run on");
__MODULE_PARM_TYPE(cpumask, "cpulist");
module_param_cb(default_cpumask, &kpool_cpumask_ops, &kpool_default_pool_attrs,
		0444);
MODULE_PARM_DESC(default_cpumask, "cpumask of the default pool");
__MODULE_PARM_TYPE(default_cpumask, "cpulist");

/* Module entry */

static int __init kpool_main_init(void)
{
	return kpool_module_init();
}

static void __exit kpool_main_exit(void)
{
	kpool_module_exit();
}

/* a built-in kpool is up before the module_init() of built-in clients */
subsys_initcall(kpool_main_init);
module_exit(kpool_main_exit);
MODULE_LICENSE("GPL");
MODULE_AUTHOR("The kpool authors");
MODULE_DESCRIPTION("A bounded, tunable pool of kernel threads");
MODULE_VERSION("0.1.0");
