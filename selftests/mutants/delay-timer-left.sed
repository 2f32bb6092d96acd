# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-debug
# tests: delay
# breaks: The timer of a pool fires in freed memory.
/^static void kpool_free(/,/^}/s/kpool_delay_stop(pool);/;/
