# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# breaks: The last active item ends and nobody looks.
/^static bool kpool_rest/,/^}/s/^\tkpool_break_deadlock(pool);//
