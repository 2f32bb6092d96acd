# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: deadlock item
# breaks: A sleeper that waits for a dropped function is refused.
/^static bool kpool_has_helpers/,/^}/s/list_for_each_entry(outside, &pool->outside, node)/list_for_each_entry(outside, \&pool->outside, node)\n\t\tif (0)\n\t\t\treturn true;\n\tif (0)/
