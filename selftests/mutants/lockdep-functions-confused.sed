# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.c
# kernel: uml-debug
# tests: lock_order
# breaks: Two functions may be one to lockdep.
s/(struct lock_class_key \*)fn :/(struct lock_class_key *)((unsigned long)fn \& ~0x7ffUL) :/
