# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: submit
# breaks: A kthread that is held back counts as load, and is reported as hung.
s/state |= TASK_NOLOAD;/state |= 0;/
