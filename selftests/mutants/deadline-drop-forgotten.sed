# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: deadline
# breaks: Nobody drops what has been doomed.
/^void kpool_doom/,/^}/s/queue_work(kpool_wq, &pool->dropper);/;/
