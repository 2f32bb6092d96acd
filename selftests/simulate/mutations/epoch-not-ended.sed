# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# breaks: kpool_flush() does not tell those that come later from those before.
/^void kpool_add_flusher/,/^}/s/pool->epoch++;/pool->epoch;/
