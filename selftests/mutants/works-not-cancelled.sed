# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-debug
# tests: lifetime
# breaks: The purger goes on with a pool that it has helped to free.
/^static void kpool_free(/,/^}/s/cancel_delayed_work_sync(&pool->[a-z]*);/;/
