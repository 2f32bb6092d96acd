# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: group
# breaks: The jobs of a cancelled group wait for their turn.
/^static void kpool_group_do_cancel/,/^}/s/kpool_group_doom(pool, group);/if (0)\n\t\tkpool_group_doom(pool, group);/
