// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection: from being accepted to its end, one request after the other.
 *
 * All open ones are on a list, so that rmmod can end them.  It shuts down their
 * reading side: a connection that is idle or has sent half a request sees its
 * end at once.  A request that has been read is answered in full.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <linux/wait.h>
#include <net/sock.h>

#include "compat.h"
#include "httpd.h"

static DEFINE_MUTEX(conns_lock);	/* protects the three below */
static LIST_HEAD(conns);
static unsigned int nr_conns;		/* read without the lock, to be shown */
static bool draining;			/* read without the lock: set once */
static DECLARE_WAIT_QUEUE_HEAD(conn_gone);

unsigned int httpd_conns_open(void)
{
	return READ_ONCE(nr_conns);
}

bool httpd_is_draining(void)
{
	return READ_ONCE(draining);
}

/* Receiving */

/*
 * Take what has come, or wait for it until the deadline, which no client can
 * put off by sending a little at a time.  Return: bytes, 0 at the end of what
 * the client sends, -EAGAIN if it took too long, or the errno of a connection
 * that broke.
 */
static int conn_receive(struct httpd_conn *conn, void *buf, size_t len)
{
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	struct msghdr msg = { };
	long left = conn->deadline - jiffies;

	if (left <= 0)
		return -EAGAIN;
	WRITE_ONCE(conn->sock->sk->sk_rcvtimeo, left);
	return kernel_recvmsg(conn->sock, &msg, &vec, 1, len, 0);
}

static void conn_set_deadline(struct httpd_conn *conn)
{
	conn->deadline = jiffies + msecs_to_jiffies(httpd_params.read_timeout_ms);
}

static void conn_consume(struct httpd_conn *conn, size_t len)
{
	conn->used -= len;
	conn->scanned = 0;
	memmove(conn->in, conn->in + len, conn->used);
}

/* Empty lines before a request are harmless. */
static void conn_skip_empty_lines(struct httpd_conn *conn)
{
	size_t len = 0;

	while (len + 2 <= conn->used && !memcmp(conn->in + len, "\r\n", 2))
		len += 2;
	if (len)
		conn_consume(conn, len);
}

/* Nothing more comes.  Does that leave half a request, and what to answer? */
static int conn_ended(struct httpd_conn *conn, int err)
{
	if (!conn->used)
		return -ENODATA;
	if (err == -EAGAIN)
		return 408;
	if (err)
		return err;
	return httpd_is_draining() ? 503 : 400;
}

/*
 * Read until the head of a request is complete.  Return: 0; the status of a
 * request that will never be; an errno if the client is gone.
 */
static int conn_read_head(struct httpd_conn *conn, size_t *len)
{
	bool begun = false;
	ssize_t n;

	conn_set_deadline(conn);
	for (;;) {
		conn_skip_empty_lines(conn);
		n = httpd_head_length(conn->in, conn->used, &conn->scanned);
		*len = n;
		if (n)
			return n < 0 ? 400 : 0;
		if (conn->used == httpd_params.max_header)
			return memchr(conn->in, '\n', conn->used) ? 431 : 414;
		if (conn->used && !begun) {
			begun = true;
			conn_set_deadline(conn);
		}
		n = conn_receive(conn, conn->in + conn->used,
				 httpd_params.max_header - conn->used);
		if (n <= 0)
			return conn_ended(conn, n);
		conn->used += n;
	}
}

/*
 * Skip the body, which can lie behind the head, be still to come, or both.  The
 * head is still needed, so what comes is received elsewhere.
 */
static int conn_skip_body(struct httpd_conn *conn, u64 body, size_t *len)
{
	size_t here;
	int n;

	if (body > HTTPD_MAX_BODY)
		return 413;
	here = min_t(size_t, body, conn->used - *len);
	*len += here;
	for (body -= here; body; body -= n) {
		n = conn_receive(conn, conn->out, min_t(size_t, body, HTTPD_CHUNK));
		if (n <= 0)
			return conn_ended(conn, n);
	}
	return 0;
}

/* Serving */

static int method_status(const struct httpd_request *req)
{
	switch (req->method) {
	case HTTPD_NOT_ALLOWED:
		return 405;
	case HTTPD_NOT_IMPLEMENTED:
		return 501;
	default:
		return req->path ? 0 : 400;
	}
}

/* Understand the request.  Return as conn_read_head(). */
static int conn_read_request(struct httpd_conn *conn, struct httpd_request *req,
			     size_t *len)
{
	int status;

	status = conn_read_head(conn, len);
	if (!status)
		status = httpd_parse(conn->in, req);
	if (!status)
		status = conn_skip_body(conn, req->length, len);
	if (!status)
		status = method_status(req);
	return status;
}

static int conn_answer(struct httpd_conn *conn, struct httpd_request *req,
		       int status)
{
	struct file *file = NULL;
	int err;

	if (!status)
		status = httpd_open(req->path, &file);
	if (httpd_status_closes(status) || httpd_is_draining())
		req->keep_alive = false;
	conn->linger = httpd_status_closes(status);
	httpd_count_answer(status);
	err = httpd_reply(conn, req, status, file);
	if (err)
		httpd_count(HTTPD_CUT, 1);
	if (file)
		httpd_close(file);
	return err;
}

/* Return: 1 if another request can follow, 0 if not, or an errno. */
static int conn_serve_one(struct httpd_conn *conn)
{
	struct httpd_request req = { };
	size_t len = 0;
	int status, err;

	status = conn_read_request(conn, &req, &len);
	if (status == -ENODATA)
		return 0;
	httpd_count(HTTPD_REQUESTS, 1);
	if (status < 0) {
		httpd_count(HTTPD_ABORTED, 1);
		return status;
	}
	err = conn_answer(conn, &req, status);
	if (err || !req.keep_alive)
		return err;
	conn_consume(conn, len);
	return 1;
}

static int conn_serve(struct httpd_conn *conn)
{
	int more;

	conn->sock->sk->sk_sndtimeo =
		msecs_to_jiffies(httpd_params.read_timeout_ms);
	tcp_sock_set_nodelay(conn->sock->sk);
	do
		more = conn_serve_one(conn);
	while (more > 0);
	return more;
}

/* Allocate what a served connection needs: room for both directions. */
char *httpd_buffer_alloc(void)
{
	return kvmalloc(httpd_params.max_header + HTTPD_CHUNK, GFP_KERNEL);
}

void httpd_buffer_free(char *buffer)
{
	kvfree(buffer);
}

/* Open and closed */

/* False if it comes too late. */
static bool conn_enlist(struct httpd_conn *conn)
{
	bool late;

	mutex_lock(&conns_lock);
	late = draining;
	if (!late) {
		list_add(&conn->node, &conns);
		WRITE_ONCE(nr_conns, nr_conns + 1);
	}
	mutex_unlock(&conns_lock);
	return !late;
}

static void conn_delist(struct httpd_conn *conn)
{
	mutex_lock(&conns_lock);
	list_del(&conn->node);
	WRITE_ONCE(nr_conns, nr_conns - 1);
	mutex_unlock(&conns_lock);
	wake_up(&conn_gone);
}

/*
 * The whole life of a connection in its worker; frees it.  Without a buffer it
 * is short.
 */
int httpd_conn_run(struct httpd_conn *conn, char *buffer)
{
	int err = -ENOMEM;

	if (buffer) {
		conn->in = buffer;
		conn->out = buffer + httpd_params.max_header;
		err = conn_serve(conn);
	}
	conn_delist(conn);
	if (conn->linger)
		httpd_linger(conn->sock);
	else
		sock_release(conn->sock);
	kfree(conn);
	httpd_count(HTTPD_CLOSED, 1);
	return err;
}

static bool conn_submit(struct socket *sock)
{
	struct httpd_conn *conn;

	conn = kzalloc_obj(*conn, GFP_KERNEL);
	if (!conn)
		return false;
	conn->sock = sock;
	if (conn_enlist(conn)) {
		if (!httpd_backend_submit(conn))
			return true;
		conn_delist(conn);
	}
	kfree(conn);
	return false;
}

/* Have an accepted connection served, or refuse it. */
void httpd_conn_open(struct socket *sock)
{
	httpd_count(HTTPD_ACCEPTED, 1);
	if (conn_submit(sock))
		return;
	httpd_refuse(sock);
	httpd_count(HTTPD_REFUSED, 1);
}

/* The end of all */

static void shut_down_all(enum sock_shutdown_cmd how)
{
	struct httpd_conn *conn;

	mutex_lock(&conns_lock);
	WRITE_ONCE(draining, true);
	list_for_each_entry(conn, &conns, node)
		kernel_sock_shutdown(conn->sock, how);
	mutex_unlock(&conns_lock);
}

/* Wait for the answers that are being sent, but not for ever. */
void httpd_drain(void)
{
	shut_down_all(SHUT_RD);
	if (wait_event_timeout(conn_gone, !httpd_conns_open(),
			       msecs_to_jiffies(httpd_params.drain_timeout_ms)))
		return;
	pr_warn("%u connections are cut\n", httpd_conns_open());
	shut_down_all(SHUT_RDWR);
}
