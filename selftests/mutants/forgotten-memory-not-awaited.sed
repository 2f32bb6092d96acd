# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: uml-time
# tests: forgotten
# breaks: A module goes while a function of another module has its memory as the item.
s/kpool_is_within(run->item, module)/0/
