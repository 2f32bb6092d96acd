# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# breaks: destroy does not wait for callers who are on their way out.
/^static void kpool_wait_last_out/,/^}/s/wait = pool->nr_sleepers;/wait = false;/
