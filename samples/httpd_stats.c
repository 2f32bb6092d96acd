// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters, in /sys/kernel/debug/kpool_httpd/stats.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "httpd.h"

static const char * const names[HTTPD_NR_STATS] = {
	[HTTPD_ACCEPTED]	= "accepted",
	[HTTPD_REFUSED]		= "refused",
	[HTTPD_CLOSED]		= "closed",
	[HTTPD_REQUESTS]	= "requests",
	[HTTPD_ANSWERED_2XX]	= "answered_2xx",
	[HTTPD_ANSWERED_4XX]	= "answered_4xx",
	[HTTPD_ANSWERED_5XX]	= "answered_5xx",
	[HTTPD_ABORTED]		= "aborted",
	[HTTPD_CUT]		= "cut",
	[HTTPD_BYTES]		= "bytes",
};

static atomic64_t counts[HTTPD_NR_STATS];
static struct dentry *dir;

void httpd_count(enum httpd_stat stat, u64 n)
{
	atomic64_add(n, &counts[stat]);
}

void httpd_count_answer(int status)
{
	switch (status / 100) {
	case 2:
		httpd_count(HTTPD_ANSWERED_2XX, 1);
		break;
	case 4:
		httpd_count(HTTPD_ANSWERED_4XX, 1);
		break;
	default:
		httpd_count(HTTPD_ANSWERED_5XX, 1);
	}
}

static int stats_show(struct seq_file *m, void *v)
{
	int i;

	for (i = 0; i < HTTPD_NR_STATS; i++)
		seq_printf(m, "%s %lld\n", names[i], atomic64_read(&counts[i]));
	seq_printf(m, "open %u\n", httpd_conns_open());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

void httpd_stats_init(void)
{
	dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("stats", 0400, dir, NULL, &stats_fops);
}

void httpd_stats_exit(void)
{
	debugfs_remove_recursive(dir);
}
