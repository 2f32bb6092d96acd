# SPDX-License-Identifier: GPL-2.0-only
# file: run.c
# kernel: uml
# tests: item
# breaks: cancel_wait returns while the owner's dropped function runs.
/^void kpool_ext_run_begin/,/^}/s/item->run = run;/item->run = runs ? run : NULL;/
