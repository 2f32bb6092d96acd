# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: uml
# tests: forgotten
# breaks: A delayed item runs when its module has gone.
/^static struct kpool_item \*kpool_forgotten_delayed/,/^}/s/if (kpool_is_forgotten(item, owner))/if (0)/
