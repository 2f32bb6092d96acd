# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: deadlock
# breaks: Not the newest sleeper is refused.
s/list_last_entry(&pool->nested/list_first_entry(\&pool->nested/
