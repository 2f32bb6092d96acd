# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.h
# kernel: uml-debug
# tests: lock_order
# breaks: A lock that an item left is taken for one that the next took.
/if (worker->before.nr_locks)/,/return;/d
