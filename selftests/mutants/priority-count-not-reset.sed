# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: priority
# breaks: After fifteen starts the lower items are always first.
/^static void kpool_count_passed/,/^}/s/pool->nr_passed = 0;/;/
