/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Look on at one of the kernel's tracepoints.
 */
#ifndef _KPOOL_SELFTEST_TRACE_H
#define _KPOOL_SELFTEST_TRACE_H

#include <linux/tracepoint.h>

#include "selftest.h"

struct trace {
	const char		*name;
	void			*probe;	/* takes NULL, then the arguments */
	struct tracepoint	*tp;
};

static inline void trace_find(struct tracepoint *tp, void *data)
{
	struct trace *trace = data;

	if (!strcmp(tp->name, trace->name))
		trace->tp = tp;
}

/* False, and a recorded failure, if this kernel does not have it. */
static inline bool trace_begin(struct trace *trace)
{
	for_each_kernel_tracepoint(trace_find, trace);
	return KT_EXPECT(trace->tp) &&
	       KT_EXPECT_EQ(tracepoint_probe_register(trace->tp, trace->probe,
						      NULL), 0);
}

/* The probe runs no more. */
static inline void trace_end(struct trace *trace)
{
	tracepoint_probe_unregister(trace->tp, trace->probe, NULL);
	tracepoint_synchronize_unregister();
}

#endif /* _KPOOL_SELFTEST_TRACE_H */
