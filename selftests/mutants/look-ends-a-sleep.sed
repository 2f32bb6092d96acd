# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: together
# breaks: Who looks for a hang lets in one of the sleepers, and refuses another.
/^void kpool_break_deadlock/,/^}/s/if (list_empty(&pool->nested) || pool->paused || kpool_first(pool) ||/unsigned int nested = pool->nr_nested;\n\n\tif (list_empty(\&pool->nested) || pool->paused || kpool_first(pool) ||/;/^void kpool_break_deadlock/,/^}/s/pool->nr_nested != kpool_nr_running/nested != kpool_nr_running/
