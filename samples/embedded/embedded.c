// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with kpool linked into it: it neither needs kpool.ko nor clashes
 * with it.  The last line of its Kbuild file links it; the only difference in
 * the code is that it starts kpool first and stops it last.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/module.h>

#include "kpool.h"

#define NR_SQUARES	100

static int capacity = 2;
module_param(capacity, int, 0444);
MODULE_PARM_DESC(capacity, "capacity of the pool (default 2)");

static atomic_t sum = ATOMIC_INIT(0);
module_param_named(sum, sum.counter, int, 0444);
MODULE_PARM_DESC(sum, "the squares from 1 to 100, added up by items");

struct square {
	struct kpool_item item;
	int n;
};

static struct square squares[NR_SQUARES];
static struct kpool *pool;

static int square_fn(struct kpool_item *item)
{
	struct square *square = container_of(item, struct square, item);

	atomic_add(square->n * square->n, &sum);
	return 0;
}

static int embedded_start(void)
{
	const struct kpool_attrs attrs = { .capacity = capacity };
	int i, err = 0;

	pool = kpool_create(&attrs, "squares");
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	for (i = 0; i < NR_SQUARES && !err; i++) {
		kpool_init_item(&squares[i].item, square_fn);
		squares[i].n = i + 1;
		err = kpool_submit(pool, &squares[i].item);
	}
	if (err)
		kpool_destroy(pool);
	return err;
}

static int __init embedded_init(void)
{
	int err = kpool_module_init();

	if (err)
		return err;
	err = embedded_start();
	if (err)
		kpool_module_exit();
	return err;
}

static void __exit embedded_exit(void)
{
	kpool_destroy(pool);
	kpool_module_exit();
}

module_init(embedded_init);
module_exit(embedded_exit);
MODULE_DESCRIPTION("kpool sample: a module with kpool linked into it");
MODULE_LICENSE("GPL");
