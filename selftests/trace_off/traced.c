// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client of kpool.ko, for trace_off.sh.
 */
#include "measure.h"

module_init(measure_init);
module_exit(measure_exit);
MODULE_DESCRIPTION("kpool selftest: the cost of an item, with tracepoints");
MODULE_LICENSE("GPL");
