# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: stream
# breaks: Those that wait for their stream outlive an abort.
s/list_first_entry_or_null(&pool->aside, struct kpool_item, node) ?:/NULL ?:/
