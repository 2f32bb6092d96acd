# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: hope
# breaks: A hang is not refused if who aborts the pool is part of it.
s/nr -= !outside->runs/nr -= 0/
