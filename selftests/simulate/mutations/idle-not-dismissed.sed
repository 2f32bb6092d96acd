# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: The idle workers of a closed or shrunk pool stay.
/^void kpool_retire_surplus/,/^}/s/mod_delayed_work(kpool_wq, &pool->purger, 0);/;/
