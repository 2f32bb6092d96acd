// SPDX-License-Identifier: GPL-2.0-only
/*
 * kpool_httpd: an HTTP/1.1 server for a directory of static files.
 *
 *	insmod kpool_httpd.ko root=/srv/www port=8080 capacity=16
 *	wget -O - http://127.0.0.1:8080/index.html
 *	cat /sys/kernel/debug/kpool/httpd/workers
 *	cat /sys/kernel/debug/kpool_httpd/stats
 *	rmmod kpool_httpd
 *
 * Each connection is one item of a pool with a pool-wide function, for as long
 * as it lasts.  A connection for which the pool has no room is answered 503.
 * rmmod stops accepting, ends idle connections, lets answers that are being
 * sent finish, and goes.  Documentation/httpd.rst is the manual, httpd.h the
 * map.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/inet.h>
#include <linux/module.h>

#include "httpd.h"

struct httpd_params httpd_params = {
	.root			= "",
	.address		= "127.0.0.1",
	.backend		= "kpool",
	.port			= 8080,
	.capacity		= 16,
	.queue_depth		= 0,
	.read_timeout_ms	= 5000,
	.drain_timeout_ms	= 30000,
	.max_header		= 8192,
};

module_param_named(root, httpd_params.root, charp, 0444);
MODULE_PARM_DESC(root, "the directory to serve");

module_param_named(address, httpd_params.address, charp, 0444);
MODULE_PARM_DESC(address, "IPv4 address to listen on (default 127.0.0.1)");

module_param_named(backend, httpd_params.backend, charp, 0444);
MODULE_PARM_DESC(backend, "kpool or workqueue (default kpool)");

module_param_named(port, httpd_params.port, int, 0444);
MODULE_PARM_DESC(port, "port to listen on, 0 for any; then shows it (default 8080)");

module_param_named(capacity, httpd_params.capacity, int, 0444);
MODULE_PARM_DESC(capacity, "connections served at once (default 16)");

module_param_named(queue_depth, httpd_params.queue_depth, int, 0444);
MODULE_PARM_DESC(queue_depth, "connections that may wait for that (default 0)");

module_param_named(read_timeout_ms, httpd_params.read_timeout_ms, int, 0444);
MODULE_PARM_DESC(read_timeout_ms,
		 "for a request, a piece of an answer, an idle connection (default 5000)");

module_param_named(drain_timeout_ms, httpd_params.drain_timeout_ms, int, 0444);
MODULE_PARM_DESC(drain_timeout_ms, "time that rmmod gives to answers being sent (default 30000)");

module_param_named(max_header, httpd_params.max_header, int, 0444);
MODULE_PARM_DESC(max_header, "bytes of a request without its body (default 8192)");

/* The ranges; 512 is what every workqueue can run at once. */
static const struct {
	const char *name;
	const int *value;
	int min, max;
} ranges[] = {
	{ "port", &httpd_params.port, 0, 65535 },
	{ "capacity", &httpd_params.capacity, 1, 512 },
	{ "queue_depth", &httpd_params.queue_depth, 0, 65536 },
	{ "read_timeout_ms", &httpd_params.read_timeout_ms, 1, 3600000 },
	{ "drain_timeout_ms", &httpd_params.drain_timeout_ms, 0, 3600000 },
	{ "max_header", &httpd_params.max_header, 128, 65536 },
};

static bool numbers_are_good(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		if (*ranges[i].value >= ranges[i].min &&
		    *ranges[i].value <= ranges[i].max)
			continue;
		pr_err("%s: %d is not in %d to %d\n", ranges[i].name,
		       *ranges[i].value, ranges[i].min, ranges[i].max);
		return false;
	}
	return true;
}

static bool is_good(const char *name, const char *value, bool good,
		    const char *range)
{
	if (!good)
		pr_err("%s: \"%*pE\" is not %s\n", name, (int)strlen(value),
		       value, range);
	return good;
}

static bool is_ipv4(const char *text)
{
	u8 address[4];

	return in4_pton(text, -1, address, -1, NULL);
}

static int check_params(void)
{
	if (!numbers_are_good())
		return -ERANGE;
	if (!is_good("address", httpd_params.address,
		     is_ipv4(httpd_params.address), "an IPv4 address") ||
	    !is_good("backend", httpd_params.backend,
		     httpd_backend_choose(httpd_params.backend),
		     "kpool or workqueue"))
		return -EINVAL;
	return 0;
}

static int __init httpd_init(void)
{
	int err;

	err = check_params();
	if (err)
		return err;
	err = httpd_root_init();
	if (!is_good("root", httpd_params.root, !err, "a directory"))
		return err;
	err = httpd_backend_init();
	if (err)
		goto put_root;
	httpd_stats_init();
	err = httpd_listen_init();
	if (err)
		goto end_backend;
	pr_info("serving %s at %s:%d by %s\n", httpd_params.root,
		httpd_params.address, httpd_params.port, httpd_params.backend);
	return 0;

end_backend:
	httpd_stats_exit();
	httpd_backend_exit();
put_root:
	httpd_root_exit();
	return err;
}

static void __exit httpd_exit(void)
{
	httpd_listen_stop();
	httpd_drain();
	httpd_listen_exit();
	httpd_backend_exit();
	httpd_linger_exit();
	httpd_stats_exit();
	httpd_root_exit();
}

module_init(httpd_init);
module_exit(httpd_exit);
MODULE_DESCRIPTION("kpool sample: an HTTP server for static files");
MODULE_LICENSE("GPL");
