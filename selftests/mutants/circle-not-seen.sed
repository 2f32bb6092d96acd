# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: deadlock
# breaks: Two items wait for each other while a third runs.
/^bool kpool_closes_circle/,/^}/s/if (!me)/if (me)/
