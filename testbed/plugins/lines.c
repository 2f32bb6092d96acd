// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU's emulator: count how often cache lines move between the CPUs of
 * a guest, from a mark to the next, see bench/marks.h.
 *
 * A line is held by the CPUs that have accessed it since its last store.  A load by
 * a CPU that does not hold the line moves it, and so does a store while another CPU
 * holds it.  Caches are as large as memory, and each CPU has one of its own.
 *
 * The emulator runs a CPU for as long as its host lets it, which may be thousands of
 * items.  So a CPU that is ahead of another one by more than some accesses waits for
 * it, but not for long, because the other one may wait for this one.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qemu-plugin.h>

#include "../../bench/marks.h"

#define EXPORT		__attribute__((visibility("default")))
#define LINE_SHIFT	6
#define TABLE_SIZE	(1U << 20)
#define MAX_CPUS	8
#define MAX_AHEAD	32
#define MAX_YIELDS	20000
#define KERNEL		(1ULL << 63)

struct line {
	uint64_t nr;		/* 0: the entry is free */
	uint64_t moves;
	uint64_t stores;
	uint64_t pc;		/* of the last move */
	unsigned int holders;	/* a bit for each CPU */
};

static struct line table[TABLE_SIZE];
static unsigned int nr_lines;
static uint64_t range[BENCH_NR_MARKS];
static uint64_t own[4];
static unsigned int nr_own;
static bool counting;
static unsigned int nr_cpus;
static uint64_t steps[MAX_CPUS];
static unsigned int mark_of[MAX_CPUS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;

EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct line *find_line(uint64_t nr)
{
	unsigned int i = (nr * 0x9e3779b97f4a7c15ULL) >> 44;

	while (table[i].nr != nr) {
		if (!table[i].nr) {
			if (++nr_lines > TABLE_SIZE / 4 * 3) {
				fprintf(stderr, "lines: too many lines\n");
				exit(1);
			}
			table[i].nr = nr;
			break;
		}
		i = (i + 1) % TABLE_SIZE;
	}
	return &table[i];
}

static void count_access(unsigned int cpu, uint64_t nr, bool store, uint64_t pc)
{
	struct line *line = find_line(nr);
	unsigned int me = 1U << cpu;

	if (store ? line->holders & ~me : line->holders && !(line->holders & me)) {
		line->moves++;
		line->pc = pc;
	}
	line->holders = store ? me : line->holders | me;
	line->stores += store;
}

static bool is_own(uint64_t nr)
{
	unsigned int i;

	for (i = 0; i < nr_own; i++) {
		if (own[i] == nr)
			return true;
	}
	return false;
}

static void begin(void)
{
	memset(table, 0, sizeof(table));
	nr_lines = 0;
	memset(steps, 0, sizeof(steps));
	counting = true;
}

/*
 * Print a round: for each line that has moved its offset from the queue, its moves,
 * its stores, and the code of its last move; then the sums.
 */
static void end(void)
{
	uint64_t item = 0, shared = 0;
	unsigned int i;

	counting = false;
	fprintf(out, "ROUND\n");
	for (i = 0; i < TABLE_SIZE; i++) {
		uint64_t at = table[i].nr << LINE_SHIFT;

		if (!table[i].moves || is_own(table[i].nr))
			continue;
		if (at + 63 >= range[BENCH_MARK_FIRST] &&
		    at <= range[BENCH_MARK_LAST]) {
			item += table[i].moves;
			continue;
		}
		shared += table[i].moves;
		fprintf(out, "LINE %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIx64 "\n",
			(int64_t)(at - range[BENCH_MARK_BEGIN]),
			table[i].moves, table[i].stores, table[i].pc);
	}
	fprintf(out, "SUM %" PRIu64 " %" PRIu64 "\n", item, shared);
	fflush(out);
	nr_own = 0;
}

static void reach_mark(unsigned int mark, uint64_t vaddr)
{
	range[mark] = vaddr;
	if (mark == BENCH_MARK_OWN && nr_own < sizeof(own) / sizeof(*own))
		own[nr_own++] = vaddr >> LINE_SHIFT;
	else if (mark == BENCH_MARK_BEGIN)
		begin();
	else if (mark == BENCH_MARK_END)
		end();
}

static bool is_ahead(unsigned int cpu, uint64_t mine)
{
	unsigned int i;

	for (i = 0; i < nr_cpus; i++) {
		uint64_t other = __atomic_load_n(&steps[i], __ATOMIC_RELAXED);

		if (i != cpu && mine > other + MAX_AHEAD)
			return true;
	}
	return false;
}

/* The others go on from here if they do not catch up. */
static void wait_for_others(unsigned int cpu, uint64_t mine)
{
	unsigned int i, yields = 0;

	while (is_ahead(cpu, mine)) {
		if (++yields < MAX_YIELDS) {
			sched_yield();
			continue;
		}
		for (i = 0; i < nr_cpus; i++)
			__atomic_store_n(&steps[i], mine, __ATOMIC_RELAXED);
	}
}

static void accessed(unsigned int cpu, qemu_plugin_meminfo_t info,
		     uint64_t vaddr, void *pc)
{
	unsigned int mark = mark_of[cpu];

	if (mark) {
		mark_of[cpu] = 0;
		pthread_mutex_lock(&lock);
		reach_mark(mark - 1, vaddr);
		pthread_mutex_unlock(&lock);
		return;
	}
	if (!__atomic_load_n(&counting, __ATOMIC_RELAXED))
		return;
	if (vaddr >= KERNEL) {
		pthread_mutex_lock(&lock);
		count_access(cpu, vaddr >> LINE_SHIFT,
			     qemu_plugin_mem_is_store(info), (uintptr_t)pc);
		pthread_mutex_unlock(&lock);
	}
	wait_for_others(cpu, __atomic_add_fetch(&steps[cpu], 1,
						__ATOMIC_RELAXED));
}

/* The next access of this CPU has the mark's address. */
static void at_mark(unsigned int cpu, void *mark)
{
	mark_of[cpu] = (uintptr_t)mark + 1;
}

static int mark_in(const struct qemu_plugin_insn *insn)
{
	uint32_t code[2], nr;

	if (qemu_plugin_insn_size(insn) != sizeof(code))
		return -1;
	memcpy(code, qemu_plugin_insn_data(insn), sizeof(code));
	if (code[0] != BENCH_MARK_CODE)
		return -1;
	nr = code[1] - BENCH_MARK_BASE;
	return nr > BENCH_MARK_END ? -1 : (int)nr;
}

/* Called for each block of instructions, before it runs for the first time. */
static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	enum qemu_plugin_cb_flags flags = QEMU_PLUGIN_CB_NO_REGS;
	size_t i;

	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t pc = qemu_plugin_insn_vaddr(insn);
		intptr_t mark = mark_in(insn);

		if (mark >= 0)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, at_mark,
							       flags,
							       (void *)mark);
		qemu_plugin_register_vcpu_mem_cb(insn, accessed, flags,
						 QEMU_PLUGIN_MEM_RW,
						 (void *)(uintptr_t)pc);
	}
}

/* -plugin lines.so,out=FILE */
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
			       int argc, char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return -1;
	nr_cpus = info->system.smp_vcpus;
	out = fopen(argv[0] + 4, "w");
	if (!out || nr_cpus > MAX_CPUS)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
