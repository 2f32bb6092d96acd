// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a connection gets its thread from: a kpool, or, to compare, a
 * workqueue.  Both serve at most `capacity` connections at once, let
 * `queue_depth` more wait, and refuse the rest at once.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "httpd.h"
#include "kpool.h"

struct backend {
	const char *name;
	int (*init)(void);
	int (*submit)(struct httpd_conn *conn);
	void (*exit)(void);
};

/*
 * A kpool has the bound, the refusal, and a table of which worker serves which
 * client.  Its workers keep a buffer from one connection to the next.
 */

static struct kpool *pool;

static int pool_serve(void *conn)
{
	return httpd_conn_run(conn, kpool_worker_data());
}

static void *pool_worker_init(void *data)
{
	return httpd_buffer_alloc() ?: ERR_PTR(-ENOMEM);
}

static void pool_worker_exit(void *data, void *buffer)
{
	httpd_buffer_free(buffer);
}

static int pool_init(void)
{
	const struct kpool_attrs attrs = {
		.capacity	= httpd_params.capacity,
		.queue_depth	= httpd_params.queue_depth ?: KPOOL_NONE,
		.nonblocking	= 1,
		.fn		= pool_serve,
		.worker_init	= pool_worker_init,
		.worker_exit	= pool_worker_exit,
	};

	pool = kpool_create(&attrs, "httpd");
	return PTR_ERR_OR_ZERO(pool);
}

static int pool_submit(struct httpd_conn *conn)
{
	return kpool_submit_arg(pool, conn, GFP_KERNEL);
}

static void pool_exit(void)
{
	kpool_destroy(pool);
}

/* A workqueue takes all that it is given, so the bound is kept beside it. */

static struct workqueue_struct *queue;
static atomic_t queued = ATOMIC_INIT(0);

static void queue_serve(struct work_struct *work)
{
	char *buffer = httpd_buffer_alloc();

	httpd_conn_run(container_of(work, struct httpd_conn, work), buffer);
	httpd_buffer_free(buffer);
	atomic_dec(&queued);
}

static int queue_init(void)
{
	queue = alloc_workqueue("kpool_httpd", WQ_UNBOUND,
				httpd_params.capacity);
	return queue ? 0 : -ENOMEM;
}

static int queue_submit(struct httpd_conn *conn)
{
	int limit = httpd_params.capacity + httpd_params.queue_depth;

	if (!atomic_add_unless(&queued, 1, limit))
		return -EAGAIN;
	INIT_WORK(&conn->work, queue_serve);
	queue_work(queue, &conn->work);
	return 0;
}

static void queue_exit(void)
{
	destroy_workqueue(queue);
}

static const struct backend backends[] = {
	{ "kpool", pool_init, pool_submit, pool_exit },
	{ "workqueue", queue_init, queue_submit, queue_exit },
};

static const struct backend *backend;

/* False if there is none of that name. */
bool httpd_backend_choose(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(backends); i++) {
		if (!strcmp(backends[i].name, name))
			backend = &backends[i];
	}
	return backend;
}

int httpd_backend_init(void)
{
	return backend->init();
}

/* On success the connection belongs to the backend, and can be gone already. */
int httpd_backend_submit(struct httpd_conn *conn)
{
	return backend->submit(conn);
}

/* Returns when the last thread has left this module. */
void httpd_backend_exit(void)
{
	backend->exit();
}
