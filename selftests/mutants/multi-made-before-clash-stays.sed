# SPDX-License-Identifier: GPL-2.0-only
# file: multi.c
# kernel: uml
# tests: multi
# breaks: Those made before a name clash are left behind.
s/while (multi->nr)/while (0)/
