/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks that testbed/plugins/lines.c finds in the instructions of a guest: a
 * long nop that nothing else has, followed by a load of an address.
 */
#ifndef _KPOOL_BENCH_MARKS_H
#define _KPOOL_BENCH_MARKS_H

/* nopl 0x6b700000 + mark(%rax,%rax): the opcode, and what follows it */
#define BENCH_MARK_CODE		0x00841f0f
#define BENCH_MARK_BASE		0x6b700000

#define BENCH_MARK_FIRST	0	/* the first byte of the items ... */
#define BENCH_MARK_LAST		1	/* and the last one */
#define BENCH_MARK_OWN		2	/* a line that only the bench uses */
#define BENCH_MARK_BEGIN	3	/* count from here on; the queue */
#define BENCH_MARK_END		4	/* up to here; any address */
#define BENCH_NR_MARKS		5

#endif /* _KPOOL_BENCH_MARKS_H */
