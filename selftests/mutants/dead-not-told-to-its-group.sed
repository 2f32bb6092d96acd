# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: stock
# tests: oops
# breaks: A wait for the group of a dead item is told 0.
/^static void kpool_lose_others/,/^}/s/kpool_group_lose(group);/;/
