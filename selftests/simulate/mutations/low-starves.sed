# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# breaks: Items of low priority never have their turn.
s/pool->nr_passed >= (unsigned int)most/pool->nr_passed >= 10U * most/
