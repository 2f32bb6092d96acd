# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: deadlock
# breaks: The last active item ends and nobody looks.
/^static bool kpool_rest/,/^}/s/^\tkpool_break_deadlock(pool);//
