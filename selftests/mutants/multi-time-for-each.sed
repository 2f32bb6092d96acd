# SPDX-License-Identifier: GPL-2.0-only
# file: multi.c
# kernel: uml-time
# tests: multi
# breaks: Each pool gets the whole time.
s/unsigned long gone = jiffies - start;/unsigned long gone = start - start;/
