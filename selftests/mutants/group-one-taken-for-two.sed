# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: collect
# breaks: Who was woken for a job that another took gets none.
/^struct kpool_job \*kpool_group_next/,/^}/s/while (!(job = kpool_group_pop(group)) \&\& group->left \&\& !err) {/for (job = kpool_group_pop(group); !job \&\& group->left \&\& !err; job = kpool_group_pop(group), err = err ?: 1) {/
