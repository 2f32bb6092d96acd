# SPDX-License-Identifier: GPL-2.0-only
# file: fault.c
# kernel: uml
# tests: fault
# breaks: The first errors are remembered instead of the last.
s/pool->errors\[pool->nr_errors++ % KPOOL_NR_ERRORS\]/pool->errors[min(pool->nr_errors++, KPOOL_NR_ERRORS - 1U)]/
