# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: overflow
# breaks: Not the oldest is displaced.
/^static struct kpool_item \*kpool_oldest_in/,/^}/s/list_for_each_entry(item, line, node)/list_for_each_entry_reverse(item, line, node)/
