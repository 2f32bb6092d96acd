# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# breaks: Release leaves blocked submitters asleep.
/^void kpool_close/,/^}/s/if (item->place == KPOOL_BLOCKED)/if (0)/
