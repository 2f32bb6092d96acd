# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: group
# breaks: The last error of a group is kept instead of the first.
s/if (!group->error)/if (1)/
