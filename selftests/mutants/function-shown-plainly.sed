# SPDX-License-Identifier: GPL-2.0-only
# file: call.c
# kernel: kcsan
# tests: races
# breaks: A worker may be shown with a function that is none.
s/WRITE_ONCE(worker->fn, fn);/worker->fn = fn;/
