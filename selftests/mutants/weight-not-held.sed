# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: weight
# breaks: A heavy item holds one unit.
s/pool->used += extra;/;/
s/pool->used -= extra;/;/
s/pool->extra_used += extra;/;/
s/pool->extra_used -= extra;/;/
