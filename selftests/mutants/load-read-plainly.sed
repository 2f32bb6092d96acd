# SPDX-License-Identifier: GPL-2.0-only
# file: multi.c
# kernel: kcsan
# tests: races
# breaks: A race that is meant is not told from one that is not.
s/data_race(kpool_outstanding(pool))/kpool_outstanding(pool)/
