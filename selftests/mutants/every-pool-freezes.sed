# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: stock
# tests: freezer
# breaks: The workers of every pool freeze.
s/pool->made.flags & KPOOL_FREEZABLE/true/
