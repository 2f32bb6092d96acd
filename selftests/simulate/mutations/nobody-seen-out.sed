# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# breaks: destroy frees the pool under a caller who is on its way out.
/^static void kpool_leave_locked/,/^}/s/if (!--pool->nr_sleepers \&\& pool->last_out)/--pool->nr_sleepers;\n\tif (pool->last_out)/
