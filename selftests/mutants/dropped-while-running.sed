# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: item
# breaks: The owner is told to free an item that still runs.
/^static struct kpool_item \*kpool_any_droppable/,/^}/{
s/kpool_skip_running(pool)/list_first_entry_or_null(\&pool->line, struct kpool_item, node)/
s/if (!kpool_runner(item))/if (1)/
}
