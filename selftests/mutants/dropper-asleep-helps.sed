# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: hope
# breaks: A hang is not refused if the dropper is part of it.
s/if (outside->task == pool->dropper_task)/if (0)/
