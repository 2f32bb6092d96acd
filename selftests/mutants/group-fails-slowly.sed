# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: group nested
# breaks: A group that fails fast goes on after an error.
s/if (group->flags & KPOOL_GROUP_FAIL_FAST)/if (0)/
