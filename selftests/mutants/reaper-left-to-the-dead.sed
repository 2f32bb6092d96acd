# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: uml-time
# tests: callback
# breaks: A fault handler that dies while it is told of a death is the last function that is called for the dead.
/^void kpool_look_for_dead/,/^}/s/if (lost)/if (0)/
