// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sending answers.  The head of an answer and the beginning of its body go out
 * together; a client has the read timeout to take each piece.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/net.h>
#include <linux/sched.h>
#include <linux/socket.h>
#include <linux/time.h>
#include <linux/timekeeping.h>

#include "httpd.h"

#define HEAD_MAX	512

/* After an answer that closes, what the client goes on sending is not read. */
static const struct status {
	int code;
	bool closes;
	const char *reason;
	const char *fields;
} statuses[] = {
	{ 200, false, "OK", "" },
	{ 400, true, "Bad Request", "" },
	{ 403, false, "Forbidden", "" },
	{ 404, false, "Not Found", "" },
	{ 405, false, "Method Not Allowed", "Allow: GET, HEAD\r\n" },
	{ 408, true, "Request Timeout", "" },
	{ 411, true, "Length Required", "" },
	{ 413, true, "Content Too Large", "" },
	{ 414, true, "URI Too Long", "" },
	{ 417, true, "Expectation Failed", "" },
	{ 431, true, "Request Header Fields Too Large", "" },
	{ 501, true, "Not Implemented", "" },
	{ 503, true, "Service Unavailable", "Retry-After: 1\r\n" },
	{ 505, true, "HTTP Version Not Supported", "" },
	{ 500, true, "Internal Server Error", "" },
};

/* The last one is for all that is not listed. */
static const struct status *status_of(int code)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(statuses) - 1; i++) {
		if (statuses[i].code == code)
			break;
	}
	return &statuses[i];
}

bool httpd_status_closes(int status)
{
	return status_of(status)->closes;
}

static size_t print_date(char *buf, size_t size)
{
	static const char days[][4] = {
		"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat",
	};
	static const char months[][4] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun",
		"Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
	};
	struct tm tm;

	time64_to_tm(ktime_get_real_seconds(), 0, &tm);
	return scnprintf(buf, size,
			 "Date: %s, %02d %s %ld %02d:%02d:%02d GMT\r\n",
			 days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon],
			 tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static size_t print_head(char *buf, size_t size, const struct status *status,
			 const char *type, loff_t length, bool keep_alive)
{
	size_t n;

	n = scnprintf(buf, size, "HTTP/1.1 %d %s\r\n", status->code,
		      status->reason);
	n += print_date(buf + n, size - n);
	n += scnprintf(buf + n, size - n,
		       "Content-Type: %s\r\nContent-Length: %lld\r\nConnection: %s\r\n%s\r\n",
		       type, length, keep_alive ? "keep-alive" : "close",
		       status->fields);
	return n;
}

/* An answer without a file says its status once more, for people. */
static size_t print_plain(char *buf, size_t size, const struct status *status,
			  bool keep_alive, bool with_body)
{
	char body[48];
	size_t len = scnprintf(body, sizeof(body), "%d %s\n", status->code,
			       status->reason);
	size_t n = print_head(buf, size, status, "text/plain", len, keep_alive);

	if (with_body)
		n += scnprintf(buf + n, size - n, "%s", body);
	return n;
}

/* Part of it can have been taken when the time was over. */
static int send_out(struct httpd_conn *conn, size_t len, bool more)
{
	struct kvec vec = { .iov_base = conn->out, .iov_len = len };
	struct msghdr msg = {
		.msg_flags = MSG_NOSIGNAL | (more ? MSG_MORE : 0),
	};
	int n;

	n = kernel_sendmsg(conn->sock, &msg, &vec, 1, len);
	if (n < 0)
		return n;
	httpd_count(HTTPD_BYTES, n);
	return n == len ? 0 : -ETIMEDOUT;
}

/* Send the @used bytes that are there and, behind them, @size of the file. */
static int send_with_file(struct httpd_conn *conn, size_t used,
			  struct file *file, loff_t size)
{
	loff_t pos = 0;
	ssize_t n;
	int err;

	do {
		n = min_t(loff_t, HTTPD_CHUNK - used, size - pos);
		if (n)
			n = kernel_read(file, conn->out + used, n, &pos);
		/* it has become shorter than its Content-Length */
		if (n < 0 || (!n && pos < size))
			return n ?: -EIO;
		err = send_out(conn, used + n, pos < size);
		used = 0;
		cond_resched();
	} while (!err && pos < size);
	return err;
}

/*
 * Answer with a file (200) or without.  Return: 0 if all of it was sent, else
 * an errno: then the connection is of no more use.
 */
int httpd_reply(struct httpd_conn *conn, const struct httpd_request *req,
		int status, struct file *file)
{
	bool with_body = req->method != HTTPD_HEAD;
	loff_t size;
	size_t n;

	if (!file) {
		n = print_plain(conn->out, HTTPD_CHUNK, status_of(status),
				req->keep_alive, with_body);
		return send_out(conn, n, false);
	}
	size = i_size_read(file_inode(file));
	n = print_head(conn->out, HTTPD_CHUNK, status_of(status),
		       httpd_content_type(req->path), size, req->keep_alive);
	return send_with_file(conn, n, file, with_body ? size : 0);
}

/* 503 for a connection that is refused, without waiting for its client. */
void httpd_refuse(struct socket *sock)
{
	struct msghdr msg = { .msg_flags = MSG_NOSIGNAL | MSG_DONTWAIT };
	char buf[HEAD_MAX];
	struct kvec vec = { .iov_base = buf };

	vec.iov_len = print_plain(buf, sizeof(buf), status_of(503), false, true);
	kernel_sendmsg(sock, &msg, &vec, 1, vec.iov_len);
	httpd_linger(sock);
}
