# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: kcsan
# tests: races
# breaks: A race that is meant is not told from one that is not.
s/data_race(READ_ONCE(hook->task->exit_state))/READ_ONCE(hook->task->exit_state)/
