# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml-debug
# tests: rerun
# breaks: A worker of a pool that is gone is followed.
/^int kpool_adopt/,/^}/s/item->run = NULL;/;/
