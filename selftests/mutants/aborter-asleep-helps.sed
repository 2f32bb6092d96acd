# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: hope deadlock
# breaks: A hang is not refused if who aborts the pool is part of it.
/^static bool kpool_aborter_helps/,/^}/s/pool->nr_aborters + pool->dropper_active > pool->nr_drop_runs/true/
