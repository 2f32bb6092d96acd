# SPDX-License-Identifier: GPL-2.0-only
# file: fault.c
# kernel: uml
# tests: fault
# breaks: Nobody is told of an item that failed.
s/if (pool->made.fault)/if (0)/
