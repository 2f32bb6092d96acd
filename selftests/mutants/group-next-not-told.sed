# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: collect
# breaks: A job has ended, and who waits for the next one sleeps on.
/^void kpool_group_end/,/^}/s/^\t\tkpool_group_serve_next(pool, group);/\t\tif (0)\n\t\t\tkpool_group_serve_next(pool, group);/
