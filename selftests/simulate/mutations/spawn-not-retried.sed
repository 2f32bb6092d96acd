# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: A thread that cannot be made is not tried again.
/^void kpool_spawn_work/,/^}/s/mod_delayed_work(kpool_wq, &pool->spawner, KPOOL_SPAWN_RETRY);/;/
