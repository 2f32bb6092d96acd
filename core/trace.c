// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints that trace.h declares.
 */
#include "internal.h"

#define CREATE_TRACE_POINTS
#include "trace.h"
