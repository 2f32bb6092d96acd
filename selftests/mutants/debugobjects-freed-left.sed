# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.c
# kernel: uml-debug
# tests: debugobjects
# breaks: An item that was freed while pending is reported, and run.
/^static bool kpool_fixup_free/,/^}/s/kpool_end_active(addr);/debug_object_deactivate(addr, \&kpool_item_descr);/
