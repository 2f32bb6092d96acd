# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: stream
# breaks: Followers put aside take no place in the queue.
s/pool->nr_line - startable + pool->nr_aside </pool->nr_line - startable </
