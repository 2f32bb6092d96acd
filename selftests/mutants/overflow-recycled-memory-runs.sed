# SPDX-License-Identifier: GPL-2.0-only
# file: outside.c
# kernel: uml
# tests: overflow
# breaks: A new item in the memory of one that its submitter runs is taken for that.
s/if (item->worker != &kpool_nobody)/if (0)/
