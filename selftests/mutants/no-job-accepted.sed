# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml-time
# tests: edges
# breaks: A job prepared as a plain item runs without its group.
s/if (item->flags & __KPOOL_NO_JOB ||/if (/
