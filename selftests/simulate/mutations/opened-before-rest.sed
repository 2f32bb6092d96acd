# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# breaks: A pool is opened again while workers leave, and those who wait for its end sleep on.
/^static int kpool_reopen/,/^}/s/} else if (!kpool_rests(pool) || !list_empty(&pool->submitters)) {/} else if (0) {/
