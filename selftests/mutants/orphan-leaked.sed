# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-debug
# tests: lifetime
# breaks: The memory of a pool whose module has gone is never freed.
s/^\tkpool_free_orphans();/\t;/
