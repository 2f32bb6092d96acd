# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml-time
# tests: nested
# breaks: What is done to a job goes through any number of groups with the lock held.
s/parent->depth + 1 == KPOOL_GROUP_MAX_DEPTH/false/
