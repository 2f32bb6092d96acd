# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: A worker that leaves is not seen out.
/^void kpool_retire_surplus/,/^}/s/mod_delayed_work(kpool_wq, &pool->purger, 0);/;/
