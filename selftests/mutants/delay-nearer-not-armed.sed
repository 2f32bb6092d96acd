# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml
# tests: delay
# breaks: A job nearer than the first waits for that one.
/^static void kpool_delay(/,/^}/s/kpool_delay_arm(pool);/if (!timer_pending(\&pool->delay_timer))\n\t\t\tkpool_delay_arm(pool);/
