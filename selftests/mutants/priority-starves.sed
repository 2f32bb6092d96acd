# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: priority
# breaks: Low items wait for ever behind others.
s/pool->nr_passed >= KPOOL_MAX_PASSED/0/
