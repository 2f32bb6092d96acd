# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: together
# breaks: Who waits for itself to be dropped hides a hang.
/^static bool kpool_dropper_helps/,/^}/s/list_empty(&pool->doomed) \&\&/!pool->nr_doomed \&\&/
