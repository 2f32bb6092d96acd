# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# kernel: uml-debug
# tests: debugobjects
# breaks: An item that was cancelled is reported when freed.
/^bool kpool_do_cancel/,/^}/s/kpool_debug_ended(item);/;/
