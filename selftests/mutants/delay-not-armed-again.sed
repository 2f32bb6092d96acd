# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml
# tests: delay
# breaks: The timer looks once and is forgotten.
/^static bool kpool_delay_batch/,/^}/s/kpool_delay_arm(pool);/;/
