# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: group
# breaks: A submitter that sleeps with a job of a cancelled group is let in.
/^static void kpool_group_do_cancel/,/^}/s/kpool_group_refuse_blocked(pool, group);/if (0)\n\t\tkpool_group_refuse_blocked(pool, group);/
