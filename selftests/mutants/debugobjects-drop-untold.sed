# SPDX-License-Identifier: GPL-2.0-only
# file: run.c
# kernel: uml-debug
# tests: debugobjects
# breaks: An item that is freed when dropped is reported.
/^void kpool_ext_run_begin/,/^}/s/kpool_debug_ended(item);/;/
