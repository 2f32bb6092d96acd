// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client with kpool linked into it, for trace_off.sh.
 */
#include "measure.h"

static int __init untraced_init(void)
{
	int err = kpool_module_init();

	if (err)
		return err;
	err = measure_init();
	if (err)
		kpool_module_exit();
	return err;
}

static void __exit untraced_exit(void)
{
	measure_exit();
	kpool_module_exit();
}

module_init(untraced_init);
module_exit(untraced_exit);
MODULE_DESCRIPTION("kpool selftest: the cost of an item, without tracepoints");
MODULE_LICENSE("GPL");
