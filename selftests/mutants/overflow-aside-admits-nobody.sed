# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: overflow
# breaks: An item aside for its own run keeps out those behind it.
/^bool kpool_settle(/,/^}/s/if (kpool_park(pool))/if (0)/
