# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: group
# breaks: A sleeper that waits for what its group's cancel is about to drop is refused.
/^static bool kpool_dropper_helps/,/^}/s/list_empty(&pool->doomed_groups) \&\& //
