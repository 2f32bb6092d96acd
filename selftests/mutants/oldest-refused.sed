# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: deadlock
# breaks: Not the newest sleeper is refused.
/^static bool kpool_break_deadlock/,/^}/s/list_last_entry(/list_first_entry(/
