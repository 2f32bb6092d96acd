# SPDX-License-Identifier: GPL-2.0-only
# file: internal.h
# kernel: uml-debug
# tests: report
# breaks: An item is blamed for the lock of another.
s/lockdep_depth(current) != before->nr_locks/lockdep_depth(current)/
