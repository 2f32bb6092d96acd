// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module whose removal the bench measures: the engine looks in the default
 * pool for items of its, of which there are none.
 */
#include <linux/module.h>

static int __init gone_init(void)
{
	return 0;
}

static void __exit gone_exit(void)
{
}

module_init(gone_init);
module_exit(gone_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("kpool bench: a module without items");
