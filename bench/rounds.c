// SPDX-License-Identifier: GPL-2.0-only
/*
 * The measure: every contender of peers.c in every case, in rounds.
 *
 * The contenders take turns (A B C A B C ...), so that anything that disturbs the
 * machine disturbs them alike.  A round makes the contender, prepares all its
 * items, lets some run to warm up, and only then starts the clock; the clock
 * stops when the last item has run.  Loading the module runs the whole bench;
 * /sys/kernel/debug/kpool_bench/rounds then has one line per round.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "bench.h"

#define MAX_ROUNDS	1000
#define MAX_ITEMS	1000000
#define MAX_PRODUCERS	4
#define NR_WARM_UP	64

static unsigned int items = 20000;
module_param(items, uint, 0444);
MODULE_PARM_DESC(items, "items per round (64 to 1000000, default 20000)");

static unsigned int pings = 2000;
module_param(pings, uint, 0444);
MODULE_PARM_DESC(pings, "round trips per round (1 to items, default 2000)");

static unsigned int rounds = 7;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "rounds (1 to 1000, default 7)");

static char *ground = "stock";
module_param(ground, charp, 0444);
MODULE_PARM_DESC(ground, "label of the results: uml, stock or icount");

struct bench_case {
	const char *name;
	unsigned int producers;
	unsigned int capacity;
	int (*run)(const struct bench_case *bc,
		   const struct bench_contender *peer, u64 *elapsed);
	unsigned int *nr;
	bool flush;	/* wait by the contender's own means */
	bool floor;	/* the floor takes part */
};

struct bench_round {
	const struct bench_case *bc;
	const struct bench_contender *peer;
	u64 picoseconds;	/* per item */
};

struct producer {
	struct task_struct *thread;
	const struct bench_contender *peer;
	struct bench_slot *slots;
	unsigned int nr;
	ktime_t start;
	int err;
};

atomic_t bench_left;
struct completion bench_done;

static struct completion go;
static struct bench_slot *slots;
static struct bench_round *results;
static unsigned int nr_results;
static struct dentry *dir;

/* Every item of a round that no contender took counts as run: no hang. */
static void give_up_items(unsigned int nr)
{
	while (nr--)
		bench_item();
}

static int producer_thread(void *data)
{
	struct producer *p = data;

	wait_for_completion(&go);
	p->start = ktime_get();
	p->err = p->peer->produce(p->slots, p->nr);
	if (p->err)
		give_up_items(p->nr);
	return 0;
}

/* Each thread is held by a reference: it may have ended before it is stopped. */
static int make_producers(struct producer *producers, unsigned int nr,
			  const struct bench_contender *peer)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct producer *p = &producers[i];
		struct task_struct *thread;

		p->peer = peer;
		p->nr = items / nr;
		p->slots = slots + i * p->nr;
		thread = kthread_create(producer_thread, p, "bench_prod/%u", i);
		if (IS_ERR(thread))
			return PTR_ERR(thread);
		p->thread = get_task_struct(thread);
		wake_up_process(thread);
	}
	return 0;
}

static int end_producers(struct producer *producers, unsigned int nr)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr && producers[i].thread; i++) {
		kthread_stop(producers[i].thread);
		put_task_struct(producers[i].thread);
		err = err ?: producers[i].err;
	}
	return err;
}

static ktime_t first_start(struct producer *producers, unsigned int nr)
{
	ktime_t first = producers[0].start;

	while (--nr)
		first = min(first, producers[nr].start);
	return first;
}

/* Case 1: submit all items as fast as can be, from one thread or more. */
static int run_tiny(const struct bench_case *bc,
		    const struct bench_contender *peer, u64 *elapsed)
{
	struct producer producers[MAX_PRODUCERS] = {};
	unsigned int nr = bc->producers;
	ktime_t end;
	int err, end_err;

	init_completion(&go);
	atomic_set(&bench_left, items / nr * nr);
	err = make_producers(producers, nr, peer);
	if (err)
		goto out;
	complete_all(&go);
	wait_for_completion(&bench_done);
	end = ktime_get();
	*elapsed = ktime_to_ns(ktime_sub(end, first_start(producers, nr)));
out:
	complete_all(&go);
	end_err = end_producers(producers, nr);
	return err ?: end_err;
}

/* Case 3: submit one item, wait for it, and so on; by its completion ... */
static int ping_completion(const struct bench_contender *peer, unsigned int n)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		atomic_set(&bench_left, 1);
		err = peer->produce(&slots[i], 1);
		if (!err)
			wait_for_completion(&bench_done);
	}
	return err;
}

/* ... or by flush. */
static int ping_flush(const struct bench_contender *peer, unsigned int n)
{
	unsigned int i;
	int err = 0;

	atomic_set(&bench_left, INT_MAX);
	for (i = 0; i < n && !err; i++) {
		err = peer->produce(&slots[i], 1);
		if (!err)
			peer->flush(&slots[i]);
	}
	return err;
}

static int ping(const struct bench_case *bc,
		const struct bench_contender *peer, unsigned int n)
{
	if (bc->flush || peer->floor)
		return ping_flush(peer, n);
	return ping_completion(peer, n);
}

static int run_ping(const struct bench_case *bc,
		    const struct bench_contender *peer, u64 *elapsed)
{
	ktime_t start = ktime_get();
	int err = ping(bc, peer, pings);

	*elapsed = ktime_to_ns(ktime_sub(ktime_get(), start));
	return err;
}

static const struct bench_case cases[] = {
	{ "tiny", 1, 1, run_tiny, &items },
	{ "tiny", 1, 2, run_tiny, &items },
	{ "tiny", 1, 4, run_tiny, &items },
	{ "tiny", 2, 1, run_tiny, &items },
	{ "tiny", 2, 2, run_tiny, &items },
	{ "tiny", 2, 4, run_tiny, &items },
	{ "tiny", 4, 1, run_tiny, &items },
	{ "tiny", 4, 2, run_tiny, &items },
	{ "tiny", 4, 4, run_tiny, &items },
	{ "ping-completion", 1, 1, run_ping, &pings, .floor = true },
	{ "ping-flush", 1, 1, run_ping, &pings, .flush = true, .floor = true },
};

static bool takes_part(const struct bench_case *bc,
		       const struct bench_contender *peer)
{
	return bc->floor || !peer->floor;
}

/* Let every thread of the contender run before the clock starts. */
static int warm_up(const struct bench_case *bc,
		   const struct bench_contender *peer)
{
	int err;

	init_completion(&bench_done);
	err = ping(bc, peer, min(NR_WARM_UP, *bc->nr));
	init_completion(&bench_done);
	return err;
}

static void init_slots(const struct bench_contender *peer)
{
	unsigned int i;

	memset(slots, 0, items * sizeof(*slots));
	for (i = 0; i < items; i++)
		peer->init(&slots[i]);
}

static int run_round(const struct bench_case *bc,
		     const struct bench_contender *peer)
{
	u64 elapsed = 0;
	int err;

	init_slots(peer);
	err = peer->setup(bc->capacity);
	if (err)
		return err;
	err = warm_up(bc, peer);
	if (!err)
		err = bc->run(bc, peer, &elapsed);
	peer->teardown();
	if (err) {
		pr_err("%s of %s: error %d\n", bc->name, peer->name, err);
		return err;
	}
	results[nr_results++] = (struct bench_round) {
		.bc = bc,
		.peer = peer,
		.picoseconds = div_u64(elapsed * 1000, *bc->nr),
	};
	return 0;
}

static int run_case(const struct bench_case *bc)
{
	unsigned int i, round;
	int err = 0;

	for (round = 0; round < rounds; round++) {
		for (i = 0; i < bench_nr_contenders && !err; i++) {
			if (takes_part(bc, &bench_contenders[i]))
				err = run_round(bc, &bench_contenders[i]);
		}
		cond_resched();
	}
	return err;
}

static int run_all(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(cases) && !err; i++)
		err = run_case(&cases[i]);
	return err;
}

static int rounds_show(struct seq_file *m, void *v)
{
	unsigned int i;

	seq_puts(m, "ground,case,producers,capacity,contender,per_item\n");
	for (i = 0; i < nr_results; i++) {
		const struct bench_round *r = &results[i];

		seq_printf(m, "%s,%s,%u,%u,%s,%llu.%03llu\n", ground,
			   r->bc->name, r->bc->producers, r->bc->capacity,
			   r->peer->name, r->picoseconds / 1000,
			   r->picoseconds % 1000);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(rounds);

static void free_all(void)
{
	kvfree(results);
	kvfree(slots);
}

static int __init kpool_bench_init(void)
{
	int err;

	if (items < NR_WARM_UP || items > MAX_ITEMS || !rounds ||
	    rounds > MAX_ROUNDS || !pings || pings > items)
		return -ERANGE;

	slots = kvcalloc(items, sizeof(*slots), GFP_KERNEL);
	results = kvcalloc(ARRAY_SIZE(cases) * bench_nr_contenders * rounds,
			   sizeof(*results), GFP_KERNEL);
	err = slots && results ? run_all() : -ENOMEM;
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
