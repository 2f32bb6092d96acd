# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: stock
# tests: freezer
# breaks: An idle worker of a freezable pool does not freeze.
s/TASK_IDLE | TASK_FREEZABLE : TASK_IDLE/TASK_IDLE : TASK_IDLE/
