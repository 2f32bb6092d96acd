// SPDX-License-Identifier: GPL-2.0-only
/*
 * Close a connection on which the client can still be sending.  To close it at
 * once would make TCP answer what arrives with a reset.  The reset can take the
 * last answer away from the client.  So only the writing side is shut down.
 * The rest follows when the client has closed its own, after a second, or when
 * too many others wait for the same.
 */
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "httpd.h"

#define LINGER_MAX	64
#define LINGER_TIME	HZ
#define LINGER_LOOK	msecs_to_jiffies(50)

struct lingerer {
	struct list_head node;
	struct socket *sock;
	unsigned long since;
};

static void look_after(struct work_struct *work);

static DEFINE_MUTEX(linger_lock);	/* protects the two below */
static LIST_HEAD(lingerers);		/* oldest first */
static unsigned int nr_lingerers;
static DECLARE_DELAYED_WORK(look, look_after);

static void linger_end(struct lingerer *lingerer)
{
	list_del(&lingerer->node);
	nr_lingerers--;
	sock_release(lingerer->sock);
	kfree(lingerer);
}

/* Throw away what has come.  Is that the end of it? */
static bool has_closed(struct socket *sock)
{
	char buf[256];
	struct kvec vec;
	int n;

	do {
		struct msghdr msg = { };

		vec = (struct kvec){ .iov_base = buf, .iov_len = sizeof(buf) };
		n = kernel_recvmsg(sock, &msg, &vec, 1, sizeof(buf),
				   MSG_DONTWAIT);
	} while (n > 0);
	return n != -EAGAIN;
}

static void look_after(struct work_struct *work)
{
	struct lingerer *lingerer, *next;

	mutex_lock(&linger_lock);
	list_for_each_entry_safe(lingerer, next, &lingerers, node) {
		if (time_after(jiffies, lingerer->since + LINGER_TIME) ||
		    has_closed(lingerer->sock))
			linger_end(lingerer);
	}
	if (nr_lingerers)
		schedule_delayed_work(&look, LINGER_LOOK);
	mutex_unlock(&linger_lock);
}

/* Takes the socket over. */
void httpd_linger(struct socket *sock)
{
	struct lingerer *lingerer;

	kernel_sock_shutdown(sock, SHUT_WR);
	lingerer = kzalloc_obj(*lingerer, GFP_KERNEL);
	if (!lingerer) {
		sock_release(sock);
		return;
	}
	lingerer->sock = sock;
	lingerer->since = jiffies;

	mutex_lock(&linger_lock);
	list_add_tail(&lingerer->node, &lingerers);
	if (++nr_lingerers > LINGER_MAX)
		linger_end(list_first_entry(&lingerers, struct lingerer, node));
	schedule_delayed_work(&look, LINGER_LOOK);
	mutex_unlock(&linger_lock);
}

void httpd_linger_exit(void)
{
	struct lingerer *lingerer, *next;

	cancel_delayed_work_sync(&look);
	list_for_each_entry_safe(lingerer, next, &lingerers, node)
		linger_end(lingerer);
}
