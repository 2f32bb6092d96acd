# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml
# tests: delay
# breaks: A delayed job runs in a pool that was closed.
/^static bool kpool_delay_batch/,/^}/s/if (!item || pool->closed)/if (!item)/
