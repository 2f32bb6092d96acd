# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: stream
# breaks: Followers put aside take no place in the queue.
s/kpool_nr_in_line(pool) - startable + pool->nr_aside </kpool_nr_in_line(pool) - startable </
