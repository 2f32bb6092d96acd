# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: hope
# breaks: A dropper that aborts the pool counts as an aborter that goes on.
/^static bool kpool_aborter_helps/,/^}/s/> pool->nr_drop_runs;/> pool->nr_drop_runs - !!pool->drop_run.item;/
