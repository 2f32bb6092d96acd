# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.c
# kernel: uml-debug
# tests: debugobjects
# breaks: An item on the stack is reported.
s/if (object_is_on_stack(item))/if (0)/
