# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: ordered
# breaks: A wait for a job that is completed later lasts for ever.
s/^\tif (kpool_is_after_caller(pool, item, me))$/\tif (0)/
