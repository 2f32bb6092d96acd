# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: stock
# tests: oops
# breaks: The fault handler is not told of a death.
s/if (!worker->blaming)/if (0)/
