# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: deadlock
# breaks: Two items wait for each other while a third runs.
s/if (!me || !kpool_waits_for(item, me))/if (!me || !kpool_waits_for(item, me) || me)/
