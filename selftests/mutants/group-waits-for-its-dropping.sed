# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: group
# breaks: A dropped function waits for the group of its own job.
/^static bool kpool_group_has_caller/,/^}/s/if (kpool_group_is_within(/if (run->kind <= KPOOL_RUN_CALLER \&\& kpool_group_is_within(/
