# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# breaks: What is set aside makes room that nobody is let into.
/^bool kpool_settle(/,/^}/s/if (kpool_park(pool))/if (0)/
