# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: call
# breaks: A caller, and the function that waits for the caller's item, sleep for ever.
/^bool kpool_closes_circle/,/^}/s/kpool_break_circle(pool, first);/if (0)\n\t\t&/
