# SPDX-License-Identifier: GPL-2.0-only
# file: debugfs.c
# kernel: uml-time
# tests: tables
# breaks: A person tunes what the owner has pinned.
s/made.flags & KPOOL_PINNED/made.flags \& 0/
