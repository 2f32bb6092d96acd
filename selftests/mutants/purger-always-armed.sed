# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml-time
# tests: time
# breaks: The purger wakes for ever in a pool where nothing can expire.
s/if (pool->purge_armed || !kpool_can_expire(pool))/if (pool->purge_armed)/
s/left = kpool_next_expiry(pool) - jiffies;/left = kpool_can_expire(pool) ? kpool_next_expiry(pool) - jiffies : HZ;/
