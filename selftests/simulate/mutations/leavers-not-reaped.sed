# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: A worker that has ended is not seen out.
/^void kpool_worker_ended/,/^}/s/mod_delayed_work(kpool_wq, &pool->purger, 0);/;/
