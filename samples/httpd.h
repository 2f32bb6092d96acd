/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of kpool_httpd, in the order in which a connection meets them:
 *
 *	httpd_listen.c	accepts it
 *	httpd_conn.c	holds it; reads a request, has it answered, and again
 *	httpd_backend.c	gives it a thread, from a kpool or a workqueue, or not
 *	httpd_parse.c	understands what was read
 *	httpd_file.c	finds the file, and nothing outside the directory
 *	httpd_reply.c	sends the answer
 *	httpd_linger.c	lets the client read the last answer
 *	httpd_stats.c	counts
 *	httpd.c		parameters, the start and the end of it all
 */
#ifndef _KPOOL_SAMPLES_HTTPD_H
#define _KPOOL_SAMPLES_HTTPD_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct file;
struct socket;

/* A file is sent in pieces of this size, each with a time limit. */
#define HTTPD_CHUNK	16384

/* A body is of no use to GET; one that is longer is not read. */
#define HTTPD_MAX_BODY	65536

/* Parameters, checked before anything starts and constant from then on. */
struct httpd_params {
	char *root;
	char *address;
	char *backend;
	int port;
	int capacity;
	int queue_depth;
	int read_timeout_ms;
	int drain_timeout_ms;
	int max_header;
};

extern struct httpd_params httpd_params;

/*
 * A connection belongs to one thread at a time: to the one that accepts it,
 * then to the worker that serves it.
 */
struct httpd_conn {
	struct list_head node;		/* of all open ones; conns_lock */
	struct work_struct work;	/* for the backend that needs one */
	struct socket *sock;
	char *in;			/* max_header for what is received */
	char *out;			/* HTTPD_CHUNK for what is to be sent */
	size_t used;			/* bytes in @in */
	size_t scanned;			/* of these, known not to end a head */
	unsigned long deadline;		/* of what is being received; jiffies */
	bool linger;			/* the client can have left it unread */
};

enum httpd_method {
	HTTPD_GET,
	HTTPD_HEAD,
	HTTPD_NOT_ALLOWED,
	HTTPD_NOT_IMPLEMENTED,
};

struct httpd_request {
	enum httpd_method method;
	int minor;			/* of HTTP/1.x */
	char *path;			/* decoded, relative; NULL: names no file */
	bool keep_alive;
	/* what the fields said */
	int hosts;
	bool says_close;
	bool says_keep_alive;
	bool expects;
	bool has_length;
	u64 length;
	int coding_status;		/* the answer to a Transfer-Encoding */
};

/* httpd_listen.c */
int httpd_listen_init(void);
void httpd_listen_stop(void);
void httpd_listen_exit(void);

/* httpd_conn.c */
void httpd_conn_open(struct socket *sock);
int httpd_conn_run(struct httpd_conn *conn, char *buffer);
char *httpd_buffer_alloc(void);
void httpd_buffer_free(char *buffer);
unsigned int httpd_conns_open(void);
bool httpd_is_draining(void);
void httpd_drain(void);

/* httpd_backend.c */
bool httpd_backend_choose(const char *name);
int httpd_backend_init(void);
int httpd_backend_submit(struct httpd_conn *conn);
void httpd_backend_exit(void);

/* httpd_parse.c */
ssize_t httpd_head_length(const char *buf, size_t len, size_t *scanned);
int httpd_parse(char *head, struct httpd_request *req);

/* httpd_file.c */
int httpd_root_init(void);
void httpd_root_exit(void);
int httpd_open(const char *path, struct file **file);
void httpd_close(struct file *file);
const char *httpd_content_type(const char *path);

/* httpd_reply.c */
int httpd_reply(struct httpd_conn *conn, const struct httpd_request *req,
		int status, struct file *file);
bool httpd_status_closes(int status);
void httpd_refuse(struct socket *sock);

/* httpd_linger.c */
void httpd_linger(struct socket *sock);
void httpd_linger_exit(void);

/*
 * httpd_stats.c.  With nothing under way, accepted = refused + closed, and
 * requests = answered_2xx + answered_4xx + answered_5xx + aborted.
 */
enum httpd_stat {
	HTTPD_ACCEPTED,		/* connections accepted */
	HTTPD_REFUSED,		/* of these, refused with 503 */
	HTTPD_CLOSED,		/* of these, served and ended */
	HTTPD_REQUESTS,		/* requests of which a byte has come */
	HTTPD_ANSWERED_2XX,
	HTTPD_ANSWERED_4XX,
	HTTPD_ANSWERED_5XX,
	HTTPD_ABORTED,		/* requests that the client broke off */
	HTTPD_CUT,		/* answers that could not be sent in full */
	HTTPD_BYTES,		/* sent by workers, heads included */
	HTTPD_NR_STATS
};

void httpd_count(enum httpd_stat stat, u64 n);
void httpd_count_answer(int status);
void httpd_stats_init(void);
void httpd_stats_exit(void);

#endif /* _KPOOL_SAMPLES_HTTPD_H */
