# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: item
# breaks: A second flush counts the items of the first, too, and never ends.
/^void kpool_add_flusher/,/^}/s/ - pool->nr_flushed;/;/
