# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: fault item priority
# breaks: An aborted pool starts what is to be dropped.
/^struct kpool_item \*kpool_choose/,/^}/s/ || pool->aborted//
