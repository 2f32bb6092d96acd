# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: stall
# breaks: A worker is taken for the last that had its memory: its first stall is not told.
/worker->told = 0;/d
