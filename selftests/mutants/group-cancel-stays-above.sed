# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: nested
# breaks: The jobs of the children of a cancelled group stay in line.
/^static void kpool_group_doom(/,/^}/s/kpool_group_doom_one(pool, child);/;/
