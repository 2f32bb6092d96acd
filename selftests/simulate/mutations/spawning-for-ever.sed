# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: A thread that could not be made still counts as being made.
/^static void kpool_not_made/,/^}/s/^\tpool->nr_spawning--;//
