# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml-time
# tests: ordered
# breaks: A wait for a job of an ordered stream ends with its function.
s/^\t\tkpool_keep_waiters(item, &run->waiters);/\t\tkpool_serve_list(pool, \&run->waiters, false);/
