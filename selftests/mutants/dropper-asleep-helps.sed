# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: hope
# breaks: A hang is not refused if the dropper is part of it.
/^static bool kpool_dropper_helps/,/^}/s/return !pool->drop_run.item;/return true;/
