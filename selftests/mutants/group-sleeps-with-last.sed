# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: collect
# breaks: Of those who wait for the next job none is woken by its end.
/^void kpool_group_end/,/^}/s/kpool_group_serve_next(pool, group);/if (0)\n\t\t\tkpool_group_serve_next(pool, group);/
