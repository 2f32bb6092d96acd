# SPDX-License-Identifier: GPL-2.0-only
# file: multi.c
# kernel: uml
# tests: multi
# breaks: Two callers at once get the same turn.
s/unsigned int turn = atomic_fetch_inc(&multi->turn);/unsigned int turn = atomic_read(\&multi->turn);\n\n\tatomic_set(\&multi->turn, turn + 1);/
