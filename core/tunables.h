/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Table of the tunable attributes.  kpool_attr_table, the parameters of kpool.ko
 * and the files in debugfs come from it.  Fields, enum and kernel-doc in kpool.h
 * and the table in Documentation/attributes.rst are generated from it.  Before
 * it includes this, a file defines
 *
 * KPOOL_TUNABLE(field of struct kpool_attrs, suffix of KPOOL_TUNE_ in enum
 *		 kpool_tunable, description, members of struct kpool_attr_row)
 *
 * The kernel-doc of a field has the description, the range, and the comment
 * above the row.
 */

/* which is INT_MAX units */
KPOOL_TUNABLE(capacity, CAPACITY,
	      "units of work that can run at once, and so the maximum number of workers",
	      .min = 1, .max = KPOOL_UNLIMITED, .def = 64,
	      .max_word = "unlimited")

KPOOL_TUNABLE(min_workers, MIN_WORKERS,
	      "workers kept even if idle",
	      .min = 0, .max = 65536, .def = 0,
	      .none_word = "none")

/*
 * An item that is about to start is not counted, so @pending of &struct
 * kpool_stats can exceed this by the number of free units.  An item submitted
 * while it runs is accepted while its units are free, even without a place, and
 * counts until that run has ended
 */
KPOOL_TUNABLE(queue_depth, QUEUE_DEPTH,
	      "items that can wait when no unit is free",
	      .min = 0, .max = KPOOL_UNLIMITED, .def = 0,
	      .none_word = "none", .max_word = "unlimited")

KPOOL_TUNABLE(max_blocked, MAX_BLOCKED,
	      "submitters that can sleep at once",
	      .min = 1, .max = KPOOL_UNLIMITED, .def = KPOOL_UNLIMITED,
	      .max_word = "unlimited")

/* A pool created nonblocking stays so */
KPOOL_TUNABLE(nonblocking, NONBLOCKING,
	      "refuse instead of sleeping in submit",
	      .min = 0, .max = 1, .def = 0,
	      .none_word = "no", .words = kpool_no_yes)

KPOOL_TUNABLE(expiry_ms, EXPIRY_MS,
	      "idle milliseconds after which a worker is purged",
	      .min = 1, .max = KPOOL_NO_PURGE, .def = 10000,
	      .max_word = "never")

KPOOL_TUNABLE(nice, NICE,
	      "nice value of the workers",
	      .min = -20, .max = 19, .def = 0,
	      .none_word = "none")

KPOOL_TUNABLE(policy, POLICY,
	      "scheduling policy of the workers",
	      .min = KPOOL_POLICY_NORMAL, .max = KPOOL_POLICY_RR,
	      .def = KPOOL_POLICY_NORMAL,
	      .none_word = "normal", .words = kpool_policies)

KPOOL_TUNABLE(rt_priority, RT_PRIORITY,
	      "real-time priority under the policies fifo and rr",
	      .min = 1, .max = 99, .def = 1)

KPOOL_TUNABLE(node, NODE,
	      "NUMA node of the workers and their memory",
	      .min = 0, .max = MAX_NUMNODES, .def = 0,
	      .none_word = "any", .from_zero = true)

/*
 * A live pool can only switch between the value it was created with and
 * KPOOL_FULL_WAIT
 */
KPOOL_TUNABLE(when_full, WHEN_FULL,
	      "what submit does when there is no room",
	      .min = KPOOL_FULL_WAIT, .max = KPOOL_FULL_DROP_OLDEST,
	      .def = KPOOL_FULL_WAIT,
	      .none_word = "wait", .words = kpool_full_words)

/* A run is reported once, with its stack */
KPOOL_TUNABLE(stall_ms, STALL_MS,
	      "milliseconds after which a running item is reported",
	      .min = 1, .max = KPOOL_NO_STALL, .def = KPOOL_NO_STALL,
	      .max_word = "never")

/* which means strict priority */
KPOOL_TUNABLE(max_bypass, MAX_BYPASS,
	      "starts in a row that can pass over a lower priority",
	      .min = 1, .max = KPOOL_UNLIMITED, .def = 15,
	      .max_word = "unlimited")
