# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml
# tests: forgotten
# breaks: The search for a module's items goes on from one that has left the tree.
/^void kpool_undelay/,/^}/s/kpool_scan_skip(pool, &job->item);/;/
