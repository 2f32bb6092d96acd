# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-time
# tests: ends stats
# breaks: Items submitted again while they run are not counted.
s/pool->nr_completions + pool->nr_held +/pool->nr_completions +/
