# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml-debug
# tests: debugobjects
# breaks: An item that frees itself is reported.
/^static void kpool_begin(/,/^}/s/kpool_debug_ended(item);/;/
