# SPDX-License-Identifier: GPL-2.0-only
# file: debugfs.c
# kernel: kcsan
# tests: fuzz
# breaks: The table of workers may show a function that is made of two.
s/fn = READ_ONCE(worker->fn);/fn = worker->fn;/
