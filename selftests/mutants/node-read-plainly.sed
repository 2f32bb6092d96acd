# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: kcsan
# tests: races
# breaks: A race that is meant is not told from one that is not.
s/data_race(pool->attrs.node)/pool->attrs.node/
