# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: item
# breaks: The owner is told to free an item that still runs.
/^struct kpool_item \*kpool_next_doomed/,/^}/s/if (!kpool_run_of(pool, item))/if (1)/
/^static unsigned long kpool_drop_all/,/^}/s/if (kpool_run_of(pool, item))/if (0)/
