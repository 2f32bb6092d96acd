# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: deadlock
# breaks: Not the newest sleeper is refused.
s/list_for_each_entry_reverse(newest/list_for_each_entry(newest/
