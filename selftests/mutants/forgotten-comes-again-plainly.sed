# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml-time
# tests: forgotten
# breaks: While a module goes, the short way does not look for that: its item comes back for ever.
/^void kpool_set_plain_capacity/,/^}/s/!list_empty(&pool->going) ?/0 ?/
