# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: deadline
# breaks: Nobody drops what has been doomed.
/^void kpool_doom/,/^}/s/kpool_queue_dropper(pool);/;/
