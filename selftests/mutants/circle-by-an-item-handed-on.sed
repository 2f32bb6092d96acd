# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: edges
# breaks: A waiter for a run that has handed its item on counts as waiting for the next.
s/if (READ_ONCE(waiter->item->home) != pool->id)/if (0)/
