# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: uml-time
# tests: forgotten
# breaks: The dropped function of a module that has gone is called for an item of another.
s/kpool_is_within(item->dropped, module)/0/
