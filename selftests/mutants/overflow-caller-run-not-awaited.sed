# SPDX-License-Identifier: GPL-2.0-only
# file: run.c
# kernel: uml
# tests: overflow
# breaks: Who waits for an item does not wait for the run by its submitter.
/^void kpool_ext_run_begin/,/^}/s/item->run = run;/item->run = runs ? NULL : run;/
