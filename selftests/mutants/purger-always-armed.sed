# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: time
# breaks: The purger wakes for ever in a pool where nothing can expire.
s/if (delayed_work_pending(&pool->purger) || !kpool_can_expire(pool))/if (delayed_work_pending(\&pool->purger))/
s/kpool_aim(kpool_next_expiry(pool)));/kpool_can_expire(pool) ? kpool_aim(kpool_next_expiry(pool)) : HZ);/
