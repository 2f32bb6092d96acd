# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.c
# kernel: uml-debug
# tests: debugobjects
# breaks: An item that was made anew while pending is reported, and stays in line.
/^static bool kpool_fixup_init/,/^}/s/kpool_end_active(addr);/debug_object_deactivate(addr, \&kpool_item_descr);/
