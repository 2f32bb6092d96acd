# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# breaks: A submitter that was served still counts as asleep.
/^void kpool_unblock/,/^}/s/^\tpool->nr_blocked--;//
