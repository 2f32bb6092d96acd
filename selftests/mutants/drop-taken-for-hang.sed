# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: deadline
# breaks: A sleeper that waits for what is to be dropped is refused.
/^static bool kpool_dropper_helps/,/^}/s/list_empty(&pool->doomed) \&\&/true \&\&/
