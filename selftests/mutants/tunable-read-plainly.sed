# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: kcsan
# tests: races
# breaks: A race that is meant is not told from one that is not.
s/data_race(pool->attrs.nonblocking)/pool->attrs.nonblocking/
