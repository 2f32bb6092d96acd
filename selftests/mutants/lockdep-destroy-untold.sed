# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-debug
# tests: lock_order
# breaks: Lockdep does not know that destroy waits.
/^int kpool_destroy(/,/^}/s/kpool_map_wait_pool(pool);/;/
