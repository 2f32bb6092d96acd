# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-time
# tests: tune
# breaks: The owner gets a pointer into the pool, which is gone after destroy.
s/^\tattrs->cpumask = NULL;$/\t;/
