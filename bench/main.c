// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rounds: every contender in every case.
 *
 * The contenders of a case take turns (A B C A B C ...), so that anything that
 * disturbs the machine disturbs them alike.  A round makes the contender, lets
 * some items run to warm up, and only then starts the clock.  Loading the
 * module runs the whole bench; /sys/kernel/debug/kpool_bench/rounds then has
 * one line per round.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "bench.h"

#define MAX_ROUNDS	1000
#define MAX_ITEMS	1000000
#define MIN_ITEMS	1000

static const struct bench_table *const tables[] = {
	&bench_tiny,
	&bench_trips,
	&bench_jobs,
	&bench_create,
	&bench_growth,
	&bench_waits,
	&bench_bursts,
	&bench_pools,
	&bench_sleepers,
};

unsigned int bench_items = 20000;
module_param_named(items, bench_items, uint, 0444);
MODULE_PARM_DESC(items, "items per round (1000 to 1000000, default 20000)");

unsigned int bench_pings = 2000;
module_param_named(pings, bench_pings, uint, 0444);
MODULE_PARM_DESC(pings, "round trips per round (100 to items / 2, default 2000)");

static unsigned int rounds = 7;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "rounds (1 to 1000, default 7)");

static char *ground = "stock";
module_param(ground, charp, 0444);
MODULE_PARM_DESC(ground, "kind of machine: icount, uml or stock (default)");

static char *only = "";
module_param(only, charp, 0444);
MODULE_PARM_DESC(only, "the cases whose names begin so; several with a + between");

struct bench_round {
	const struct bench_case *bc;
	const struct bench_contender *peer;
	unsigned int number;
	struct bench_figures figures;
};

static struct bench_round *results;
static unsigned int nr_results;
static struct dentry *dir;

static unsigned int this_ground(void)
{
	if (!strcmp(ground, "icount"))
		return BENCH_ICOUNT;
	return strcmp(ground, "uml") ? BENCH_STOCK : BENCH_UML;
}

/* Does the name begin with one of the words of only? */
static bool is_wanted(const char *name)
{
	const char *word = only;

	if (!*word)
		return true;
	for (;;) {
		size_t len = strcspn(word, "+");

		if (len && !strncmp(name, word, len))
			return true;
		if (!word[len])
			return false;
		word += len + 1;
	}
}

static int run_round(const struct bench_case *bc,
		     const struct bench_contender *peer, unsigned int number)
{
	struct bench_round *result = &results[nr_results];
	int err = bc->run(bc, peer, &result->figures);

	if (err) {
		pr_err("%s of %s: error %d\n", bc->name, peer->name, err);
		return err;
	}
	result->bc = bc;
	result->peer = peer;
	result->number = number;
	nr_results++;
	cond_resched();
	return 0;
}

static int run_case(const struct bench_case *bc)
{
	unsigned int last = min(rounds, bc->rounds ?: rounds);
	unsigned int i, number;
	int err = 0;

	if (!(bc->grounds & this_ground()) || !is_wanted(bc->name))
		return 0;
	for (number = 1; number <= last; number++) {
		for (i = 0; i < bench_nr_contenders && !err; i++) {
			if (bc->contenders & bench_contenders[i].kind)
				err = run_round(bc, &bench_contenders[i],
						number);
		}
	}
	return err;
}

static int run_table(const struct bench_table *table)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < table->nr && !err; i++)
		err = run_case(&table->cases[i]);
	return err;
}

static int run_all(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(tables) && !err; i++)
		err = run_table(tables[i]);
	bench_end_grown();
	return err;
}

static unsigned int nr_cases(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		nr += tables[i]->nr;
	return nr;
}

static int rounds_show(struct seq_file *m, void *v)
{
	unsigned int i;

	seq_puts(m, "ground,case,contender,round,cost,p50,p99,p999,other\n");
	for (i = 0; i < nr_results; i++) {
		const struct bench_round *r = &results[i];
		const struct bench_figures *f = &r->figures;

		seq_printf(m, "%s,%s,%s,%u,%llu.%03llu,%llu,%llu,%llu,%llu\n",
			   ground, r->bc->name, r->peer->name, r->number,
			   f->cost / 1000, f->cost % 1000, f->p50, f->p99,
			   f->p999, f->other);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(rounds);

static void free_all(void)
{
	bench_end_kept();
	kvfree(results);
	bench_free();
}

static int __init kpool_bench_init(void)
{
	int err;

	if (bench_items < MIN_ITEMS || bench_items > MAX_ITEMS || !rounds ||
	    rounds > MAX_ROUNDS || bench_pings < 100 ||
	    bench_pings > bench_items / 2)
		return -ERANGE;

	results = kvcalloc(nr_cases() * bench_nr_contenders * rounds,
			   sizeof(*results), GFP_KERNEL);
	err = results ? bench_alloc() : -ENOMEM;
	if (!err)
		err = bench_keeps() ? bench_keep() : run_all();
	if (err) {
		free_all();
		return err;
	}
	dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("rounds", 0400, dir, NULL, &rounds_fops);
	return 0;
}

static void __exit kpool_bench_exit(void)
{
	debugfs_remove_recursive(dir);
	free_all();
}

module_init(kpool_bench_init);
module_exit(kpool_bench_exit);
MODULE_DESCRIPTION("kpool bench: instructions or time per item");
MODULE_LICENSE("GPL");
