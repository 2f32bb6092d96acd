// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of fasthttp's worker pool, which has one function for all
 * connections.  A connection is served by the newest idle worker, by a new one,
 * or not at all.  The table of Documentation/coming-from/fasthttp.rst says
 * which covers what.
 */
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/string.h>

#include "selftest.h"

#define MAX_WORKERS	10
#define ROUNDS		5

/* A connection in memory, and the client at its other end. */
struct conn {
	struct kt_thread	client;
	struct completion	sent;
	struct completion	closed;
	struct completion	*ready;
	char			request[8];
	char			reply[8];
};

/* The worker function answers, then keeps the connection until all is ready. */
static int serve_conn(void *arg)
{
	struct conn *c = arg;

	wait_for_completion(&c->sent);
	KT_EXPECT(!strcmp(c->request, "foobar"));
	strscpy(c->reply, "baz", sizeof(c->reply));
	wait_for_completion(c->ready);
	complete(&c->closed);
	return 0;
}

static int client_main(void *arg)
{
	struct conn *c = arg;

	strscpy(c->request, "foobar", sizeof(c->request));
	complete(&c->sent);
	wait_for_completion(&c->closed);
	KT_EXPECT(!strcmp(c->reply, "baz"));
	return 0;
}

static void conn_init(struct conn *c, struct completion *ready)
{
	memset(c, 0, sizeof(*c));
	init_completion(&c->sent);
	init_completion(&c->closed);
	c->ready = ready;
}

/* Serve: by a worker, or not at all; it never sleeps for one. */
static int serve(struct kpool *pool, struct conn *c)
{
	return kpool_submit_arg(pool, c, GFP_KERNEL);
}

static struct kpool *server(const char *name, int expiry_ms)
{
	struct kpool_attrs attrs = {
		.capacity = MAX_WORKERS,
		.nonblocking = 1,
		.expiry_ms = expiry_ms,
		.fn = serve_conn,
	};

	return kt_pool(name, &attrs);
}

/* The time that fasthttp gives a test; true where time is simulated. */
static unsigned long limit(int sec)
{
	return kt_exact ? sec * HZ : KT_LIMIT;
}

/* A copy of a scenario, of several that run at the same time. */
struct copy {
	struct kt_thread	thread;
	char			name[KPOOL_NAME_MAX + 1];
};

static void run_copies(struct copy *copies, int n, int (*fn)(void *arg),
		       unsigned long limit)
{
	unsigned long start = jiffies;
	int i;

	for (i = 0; i < n; i++) {
		snprintf(copies[i].name, sizeof(copies[i].name), "fasthttp-%d", i);
		kt_thread_start(&copies[i].thread, fn, &copies[i]);
	}
	for (i = 0; i < n; i++)
		KT_EXPECT_EQ(kt_thread_join(&copies[i].thread), 0);
	KT_EXPECT_LE(jiffies - start, limit);
}

/* Ten times open and closed, without any work. */
static int start_stop(void *arg)
{
	struct copy *copy = arg;
	struct kpool *pool = server(copy->name, 0);
	int i;

	if (!pool)
		return 0;
	for (i = 0; i < 10; i++) {
		kpool_shutdown(pool);
		KT_EXPECT_EQ(kpool_reopen(pool), 0);
	}
	KT_EXPECT_EQ(kt_stat(pool, spawned), 0);
	kt_pool_end(pool);
	return 0;
}

/*
 * TestWorkerPoolStartStopSerial.
 * Fails if a pool that was closed without work cannot be opened again, or if
 * opening makes threads before they are needed.
 */
static void pool_starts_and_stops_serially(void)
{
	struct copy copy = { .name = "fasthttp" };

	start_stop(&copy);
}

/*
 * TestWorkerPoolStartStopConcurrent: ten pools at once, a second for all.
 * Fails if pools share what each should have, or if reopen waits for anything.
 */
static void pools_start_and_stop_concurrently(void)
{
	struct copy copies[10] = { };

	run_copies(copies, ARRAY_SIZE(copies), start_stop, limit(1));
}

/* The eleventh connection is refused, five times, while ten are served. */
static void refuse_the_eleventh(struct kpool *pool, struct completion *ready)
{
	struct conn eleventh;
	struct kpool_stats s;
	int i;

	conn_init(&eleventh, ready);
	for (i = 0; i < 5; i++)
		KT_EXPECT_EQ(serve(pool, &eleventh), -EAGAIN);
	kpool_get_stats(pool, &s);
	KT_EXPECT_EQ(s.running + s.pending, MAX_WORKERS);
	KT_EXPECT_EQ(s.blocked, 0);
	KT_EXPECT_EQ(s.refused, 5);
}

/* Ten clients are served at once; a refused client is not served later. */
static void max_workers_round(const char *name, struct conn *conns)
{
	struct kpool *pool = server(name, 0);
	struct completion ready;
	int i;

	if (!pool)
		return;
	init_completion(&ready);
	for (i = 0; i < MAX_WORKERS; i++) {
		conn_init(&conns[i], &ready);
		kt_thread_start(&conns[i].client, client_main, &conns[i]);
		if (!KT_EXPECT_EQ(serve(pool, &conns[i]), 0))
			complete(&conns[i].closed);
	}
	refuse_the_eleventh(pool, &ready);
	KT_EXPECT(kt_wait(kt_stat(pool, running) == MAX_WORKERS));
	complete_all(&ready);
	for (i = 0; i < MAX_WORKERS; i++)
		KT_EXPECT_EQ(kt_thread_join(&conns[i].client), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(pool, completed), MAX_WORKERS);
	KT_EXPECT_EQ(kt_stat(pool, spawned), MAX_WORKERS);
	kt_pool_end(pool);
}

static int max_workers(void *arg)
{
	struct copy *copy = arg;
	struct conn *conns = kcalloc(MAX_WORKERS, sizeof(*conns), GFP_KERNEL);
	int i;

	for (i = 0; i < ROUNDS && KT_EXPECT(conns); i++)
		max_workers_round(copy->name, conns);
	kfree(conns);
	return 0;
}

/*
 * TestWorkerPoolMaxWorkersCountSerial, five rounds.
 * Fails if an accepted connection does not count before a worker has taken it,
 * or if a refused one is kept.  Also fails if fewer than ten are served at
 * once.
 */
static void full_pool_refuses_the_eleventh_serially(void)
{
	struct copy copy = { .name = "fasthttp" };
	unsigned long start = jiffies;

	max_workers(&copy);
	KT_EXPECT_LE(jiffies - start, limit(1));
}

/*
 * TestWorkerPoolMaxWorkersCountConcurrent: four copies, two seconds.
 * Fails if the units of one pool are counted in another.
 */
static void full_pools_refuse_the_eleventh_concurrently(void)
{
	struct copy copies[4] = { };

	run_copies(copies, ARRAY_SIZE(copies), max_workers, limit(2));
}

/* Serve one connection that is ready at once, and wait for its end. */
static bool serve_one(struct kpool *pool, struct conn *c)
{
	struct completion ready;

	init_completion(&ready);
	complete(&ready);
	conn_init(c, &ready);
	strscpy(c->request, "foobar", sizeof(c->request));
	complete(&c->sent);
	return KT_EXPECT_EQ(serve(pool, c), 0) &&
	       KT_EXPECT_EQ(kpool_flush(pool), 0);
}

/*
 * Serve takes the newest idle worker: with one connection at a time, the nine
 * others of ten expire although there is always work.
 * Fails if idle workers are used in turn, so that none is ever idle for long.
 */
static void newest_worker_serves_and_others_expire(void)
{
	struct kpool *pool = server("fasthttp", kt_ms(10000, 100));
	static struct conn conn[MAX_WORKERS];
	struct completion ready;
	int i;

	if (!pool)
		return;
	init_completion(&ready);
	for (i = 0; i < MAX_WORKERS; i++) {
		conn_init(&conn[i], &ready);
		complete(&conn[i].sent);
		strscpy(conn[i].request, "foobar", sizeof(conn[i].request));
		KT_EXPECT_EQ(serve(pool, &conn[i]), 0);
	}
	KT_EXPECT(kt_wait(kt_stat(pool, alive) == MAX_WORKERS));
	complete_all(&ready);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(kt_wait(!serve_one(pool, &conn[0]) ||
			  kt_stat(pool, alive) == 1));
	if (kt_exact)
		KT_EXPECT_EQ(kt_stat(pool, alive), 1);
	KT_EXPECT_GE(kt_stat(pool, purged), MAX_WORKERS - 1);
	kt_pool_end(pool);
}

/*
 * Stop: idle workers end, a busy one finishes its connection first, and stop
 * does not wait for it.  Then the differences: Serve after Stop is refused, and
 * a pool that is started again keeps its workers.
 * Fails if shutdown waits, takes work, or leaves its mark on a reopened pool.
 */
static void stop_does_not_wait_and_start_is_whole(void)
{
	struct kpool *pool = server("fasthttp", KPOOL_NO_PURGE);
	struct completion ready;
	struct conn busy, conn;
	int i;

	if (!pool)
		return;
	init_completion(&ready);
	conn_init(&busy, &ready);
	strscpy(busy.request, "foobar", sizeof(busy.request));
	complete(&busy.sent);
	KT_EXPECT_EQ(serve(pool, &busy), 0);
	kpool_shutdown(pool);
	KT_EXPECT(!completion_done(&busy.closed));
	conn_init(&conn, &ready);
	KT_EXPECT_EQ(serve(pool, &conn), -ESHUTDOWN);
	complete_all(&ready);
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT(completion_done(&busy.closed));
	KT_EXPECT_EQ(kpool_reopen(pool), 0);
	for (i = 0; i < 5; i++)
		if (!serve_one(pool, &conn))
			break;
	KT_EXPECT_EQ(kt_stat(pool, spawned), 2);
	KT_EXPECT_EQ(kt_stat(pool, alive), 1);
	kt_pool_end(pool);
}

KT_MODULE("Selftests of kpool: the scenarios of fasthttp's worker pool",
	  KT_CASE(pool_starts_and_stops_serially),
	  KT_CASE(pools_start_and_stop_concurrently),
	  KT_CASE(full_pool_refuses_the_eleventh_serially),
	  KT_CASE(full_pools_refuse_the_eleventh_concurrently),
	  KT_CASE(newest_worker_serves_and_others_expire),
	  KT_CASE(stop_does_not_wait_and_start_is_whole));
