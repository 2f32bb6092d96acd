# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# breaks: kpool_flush() counts the ends of items that came later.
/^void kpool_item_ended/,/^}/s/kpool_flusher_of(pool, epoch)/kpool_first_flusher(pool)/
