/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the kernel's log, for tests of what kpool logs. */
#ifndef _KPOOL_SELFTEST_LOG_H
#define _KPOOL_SELFTEST_LOG_H

#include <linux/kmsg_dump.h>

#include "selftest.h"

/* How many lines of the log contain both texts? */
static inline int log_count(const char *one, const char *other)
{
	static char line[512];
	struct kmsg_dump_iter iter;
	size_t len;
	int n = 0;

	kmsg_dump_rewind(&iter);
	while (kmsg_dump_get_line(&iter, false, line, sizeof(line) - 1, &len)) {
		line[len] = '\0';
		n += strstr(line, one) && strstr(line, other);
	}
	return n;
}

#endif /* _KPOOL_SELFTEST_LOG_H */
