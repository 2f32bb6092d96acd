# SPDX-License-Identifier: GPL-2.0-only
# file: debugfs.c
# kernel: kcsan
# tests: races
# breaks: A worker may be shown with a function that is none.
s/READ_ONCE(worker->fn)/worker->fn/
