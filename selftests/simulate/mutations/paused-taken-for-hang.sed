# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# breaks: A sleeper in a paused pool is refused.
/^static bool kpool_break_deadlock/,/^}/s/ || pool->paused//
