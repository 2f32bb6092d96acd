# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-time
# tests: lifetime
# breaks: A pool whose module has gone is opened again, and calls what has gone.
/^static int kpool_reopen/,/^}/s/if (pool->orphaned)/if (0)/
