# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: A new worker that may have gone meanwhile is woken.
/^static int kpool_make_thread/,/^}/s/rcu_read_\(un\)*lock();/;/
