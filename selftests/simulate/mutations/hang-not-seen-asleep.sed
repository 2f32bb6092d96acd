# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# breaks: The last running item falls asleep and nobody looks.
/^static void kpool_nest/,/^}/s/^\tkpool_break_deadlock(pool);//
