# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: nested
# breaks: The jobs of the children of a cancelled group stay in line.
/^static bool kpool_sweep_child/,/^}/s/kpool_group_doom(pool, child);/;/
