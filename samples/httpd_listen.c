// SPDX-License-Identifier: GPL-2.0-only
/*
 * The listening socket and the thread that accepts.  That thread never waits
 * for a client.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/in.h>
#include <linux/inet.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/tcp.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "compat.h"
#include "httpd.h"

#define BACKLOG	128

static struct socket *listener;
static struct task_struct *acceptor;

/* An error passes, as want of memory does, or it is the listener's end. */
static int accept_all(void *unused)
{
	struct socket *sock;

	while (!kthread_should_stop()) {
		if (kernel_accept(listener, &sock, 0))
			msleep(20);
		else
			httpd_conn_open(sock);
	}
	return 0;
}

/* Read the port back: the kernel can have chosen it. */
static int learn_port(void)
{
	struct sockaddr_in addr;
	int err;

	err = kernel_getsockname(listener, (struct sockaddr *)&addr);
	if (err < 0)
		return err;
	httpd_params.port = ntohs(addr.sin_port);
	return 0;
}

/* A port is free again as soon as its last listener has gone. */
static int bind_and_listen(void)
{
	struct sockaddr_in addr = {
		.sin_family	= AF_INET,
		.sin_port	= htons(httpd_params.port),
	};
	int err;

	in4_pton(httpd_params.address, -1, (u8 *)&addr.sin_addr, -1, NULL);
	sock_set_reuseaddr(listener->sk);
	err = kernel_bind(listener, (struct sockaddr_unsized *)&addr,
			  sizeof(addr));
	if (!err)
		err = kernel_listen(listener, BACKLOG);
	return err ?: learn_port();
}

int httpd_listen_init(void)
{
	int err;

	err = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP,
			       &listener);
	if (err)
		return err;
	err = bind_and_listen();
	if (err) {
		pr_err("cannot listen at %s:%d: %d\n", httpd_params.address,
		       httpd_params.port, err);
		goto release;
	}
	acceptor = kthread_run(accept_all, NULL, "kpool_httpd");
	if (!IS_ERR(acceptor))
		return 0;
	err = PTR_ERR(acceptor);

release:
	sock_release(listener);
	return err;
}

/* From here on a client that comes is turned away by TCP. */
void httpd_listen_stop(void)
{
	kernel_sock_shutdown(listener, SHUT_RDWR);
}

void httpd_listen_exit(void)
{
	kthread_stop(acceptor);
	sock_release(listener);
}
