# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml
# tests: delay
# breaks: What is delayed keeps a closed pool open.
/^void kpool_close/,/^}/s/kpool_queue_dropper(pool);/;/
