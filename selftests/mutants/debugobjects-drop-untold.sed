# SPDX-License-Identifier: GPL-2.0-only
# file: outside.c
# kernel: uml-debug
# tests: debugobjects
# breaks: An item that is freed when dropped is reported.
s/kpool_debug_ended(item);/;/
