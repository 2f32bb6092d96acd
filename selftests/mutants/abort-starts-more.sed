# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: fault item priority
# breaks: An aborted pool starts what is to be dropped.
/^static bool kpool_has_line_work/,/^}/s/ || pool->aborted//
