# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: overflow
# breaks: While submitters run items, the short way does not look for them: a plain item runs twice at once.
/^void kpool_set_plain_capacity/,/^}/s/pool->nr_ext_runs ||/0 ||/
